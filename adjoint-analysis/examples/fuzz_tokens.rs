//! Judges the macro on mutants of annotated items: `fuzz_tokens [FROM] [TO]`.
//!
//! For each seed, an annotated item of the façade's tests is drawn, some of its tokens are changed, and the whole macro
//! runs on the result, in a process of its own with a small stack. Panics, overflows and what does not end are printed
//! with their seeds; the first of each kind is made as short as tokens can be dropped. `--reduce SEED` does that for one
//! that is known, `--print SEED` shows what is drawn.

use std::collections::BTreeSet;
use std::io::Result;
use std::process::Command;
use std::time::{Duration, Instant};

use adjoint_analysis::gen_tokens::campaign::{Fault, campaign, fault};
use adjoint_analysis::gen_tokens::reduce::reduce;
use adjoint_analysis::gen_tokens::{Children, Corpus, Mutant, run_as_child};

/// rustc's stack is of 8 MiB, and the frames of code that is not optimised are several times as large.
const CHILDREN: Children = Children {
    command,
    stack: 2 << 20,
    most: usize::MAX,
    limit: Duration::from_secs(5),
};

fn command() -> Command {
    Command::new(std::env::current_exe().expect("this program"))
}

fn main() -> Result<()> {
    if run_as_child() {
        return Ok(());
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let numbers: Vec<u64> = args.iter().filter_map(|a| a.parse().ok()).collect();
    let corpus = Corpus::of_tests(CHILDREN.most);
    match numbers[..] {
        [seed] if has("--print") => println!("{}", corpus.mutant(seed)),
        [seed] if has("--reduce") => match fault(&corpus.mutant(seed), &CHILDREN)? {
            Some(met) => println!("{met:?}\n{}", reduced(&corpus.mutant(seed), &met)),
            None => println!("no fault"),
        },
        [from, to] => judged(&corpus, from, to)?,
        _ => judged(&corpus, 0, 20_000)?,
    }
    Ok(())
}

fn judged(corpus: &Corpus, from: u64, to: u64) -> Result<()> {
    let (start, mut kinds) = (Instant::now(), BTreeSet::new());
    let counts = campaign(from..to, &CHILDREN, &mut |seed, met| {
        println!("seed {seed}: {met:?}");
        if kinds.insert(met.kind()) {
            println!("{}", reduced(&corpus.mutant(seed), &met));
        }
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let each = counts.all() as f64 / seconds;
    let items = corpus.size();
    println!("{counts}\nof {items} items in {seconds:.0} s, {each:.0} each second");
    assert!(kinds.is_empty(), "there are faults");
    Ok(())
}

/// A small mutant with a fault of the same kind.
fn reduced(mutant: &Mutant, met: &Fault) -> Mutant {
    let children = Children {
        limit: Duration::from_secs(1),
        ..CHILDREN
    };
    reduce(mutant, &|smaller| {
        let found = fault(smaller, &children).ok().flatten();
        found.is_some_and(|found| found.kind() == met.kind())
    })
}
