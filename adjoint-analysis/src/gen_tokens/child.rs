//! Mutants run in processes of their own, as an overflow of the stack ends the process and an expansion without an
//! end has to be ended from outside.
//!
//! The child is the same program, started with what it has to judge in a variable of its environment. It says each
//! seed before it judges it, so that the last one said is the one at fault.

use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::judge::{Verdict, judge, keep_panics};
use super::{Corpus, Mutant};

/// Says what to judge: `STACK MOST FROM TO`, or `STACK MOST` and the text on the standard input.
const VARIABLE: &str = "ADJOINT_MUTANTS";

/// How long the child may take to read the corpus.
const START: Duration = Duration::from_secs(120);

/// What a child says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// Goes on with this seed.
    Starts(u64),
    /// What came of it.
    Ends(Verdict),
}

/// Judges what the environment says, if it says anything: then this is a child.
pub fn run_as_child() -> bool {
    let Ok(what) = std::env::var(VARIABLE) else {
        return false;
    };
    let numbers: Vec<u64> = what.split(' ').filter_map(|n| n.parse().ok()).collect();
    if let [stack, most, seeds @ ..] = &numbers[..] {
        keep_panics();
        let (most, seeds) = (*most as usize, seeds.to_vec());
        let thread = thread::Builder::new().stack_size(*stack as usize);
        let judging = thread.spawn(move || judged(most, &seeds));
        let is_well = judging.is_ok_and(|thread| thread.join().is_ok());
        assert!(is_well, "mutants can't be made");
    }
    true
}

fn judged(most: usize, seeds: &[u64]) {
    if let [from, to] = *seeds {
        let corpus = Corpus::of_tests(most);
        return (from..to).for_each(|seed| judged_one(seed, &corpus.mutant(seed)));
    }
    let mut text = String::new();
    let read = stdin().read_to_string(&mut text);
    if let (Ok(_), Some(mutant)) = (read, Mutant::parse(&text)) {
        judged_one(0, &mutant);
    }
}

fn judged_one(seed: u64, mutant: &Mutant) {
    // A test's name may stand in the line before.
    let _ = writeln!(stdout(), "\nmutant {seed}");
    let _ = writeln!(stdout(), "\nverdict {}", judge(mutant).line());
}

/// How children are started, and what they are given.
pub struct Children {
    /// Starts this program anew, so that it calls [`run_as_child`].
    pub command: fn() -> Command,
    /// The bytes of the stack that the macro runs on.
    pub stack: usize,
    /// Larger items are left out.
    pub most: usize,
    /// How long a mutant may take.
    pub limit: Duration,
}

/// A child at work.
pub struct Judging {
    process: Child,
    lines: Receiver<String>,
    limit: Duration,
    is_started: bool,
}

impl Judging {
    /// Judges the mutants of seeds.
    pub fn seeds(children: &Children, from: u64, to: u64) -> std::io::Result<Judging> {
        Judging::start(children, &format!(" {from} {to}"), "")
    }

    /// Judges one mutant.
    pub fn one(children: &Children, mutant: &Mutant) -> std::io::Result<Judging> {
        Judging::start(children, "", &mutant.to_string())
    }

    fn start(children: &Children, seeds: &str, input: &str) -> std::io::Result<Judging> {
        let Children { stack, most, .. } = children;
        let mut command = (children.command)();
        command.env(VARIABLE, format!("{stack} {most}{seeds}"));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn()?;
        if let Some(mut pipe) = process.stdin.take() {
            pipe.write_all(input.as_bytes())?;
        }
        let (sender, lines) = channel();
        if let Some(output) = process.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.for_each(|line| drop(sender.send(line)));
            });
        }
        Ok(Judging {
            process,
            lines,
            limit: children.limit,
            is_started: false,
        })
    }

    /// What the child says next; nothing where it has ended.
    pub fn next(&mut self) -> Result<Option<Said>, TookTooLong> {
        loop {
            let limit = if self.is_started { self.limit } else { START };
            let line = match self.lines.recv_timeout(limit) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => return Err(TookTooLong),
            };
            let said = match line.split_once(' ') {
                Some(("mutant", seed)) => seed.parse().ok().map(Said::Starts),
                Some(("verdict", verdict)) => Verdict::of_line(verdict).map(Said::Ends),
                _ => None,
            };
            if said.is_some() {
                self.is_started = true;
                return Ok(said);
            }
        }
    }

    /// Ends the child.
    pub fn end(mut self) -> std::io::Result<ExitStatus> {
        let _ = self.process.kill();
        self.process.wait()
    }

    /// Waits for the end of a child that says no more.
    pub fn wait(mut self) -> std::io::Result<ExitStatus> {
        self.process.wait()
    }
}

/// The child said nothing for too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TookTooLong;
