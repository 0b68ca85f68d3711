//! The lines by which a binary full of kernels tells what it found in each.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::Verdict;

/// How long one call may take, in seconds.
const PATIENCE: u64 = 20;

/// Writes one line for each call.
pub struct Report {
    /// The first module that is judged, where an earlier run ended in an abort.
    from: usize,
}

/// Counts the calls, so that one that never ends is noticed.
static CALLS: AtomicU64 = AtomicU64::new(0);

impl Report {
    /// For the modules from the one that the first argument numbers; panics stay silent.
    pub fn new() -> Report {
        std::panic::set_hook(Box::new(|_| {}));
        std::thread::spawn(watch);
        let from = std::env::args().nth(1).and_then(|a| a.parse().ok());
        Report {
            from: from.unwrap_or(0),
        }
    }

    /// Whether the module is to be judged; says that it is.
    pub fn begins(&self, module: usize) -> bool {
        if module >= self.from {
            say(&format!("begin {module}"));
        }
        module >= self.from
    }

    /// Judges one call.
    pub fn case(&self, call: impl FnOnce() -> Verdict) {
        CALLS.fetch_add(1, Ordering::Relaxed);
        say(&match call() {
            Verdict::Agrees(compared, of) => format!("agrees {compared} {of}"),
            Verdict::Nothing(why) => format!("nothing {why:?}"),
            Verdict::Panics(what) => format!("panics {what:?}"),
            Verdict::Value(what) => format!("value {what:?}"),
            Verdict::Gradient(what) => format!("gradient {what:?}"),
        });
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.expect("standard output");
}

/// Ends the process where a call takes too long.
fn watch() {
    let mut seen = u64::MAX;
    loop {
        let now = CALLS.load(Ordering::Relaxed);
        if now == seen {
            say("hangs");
            std::process::exit(1);
        }
        seen = now;
        std::thread::sleep(Duration::from_secs(PATIENCE));
    }
}
