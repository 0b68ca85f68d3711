//! Many mutants.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Error, Result};
use std::ops::Range;

use super::Mutant;
use super::child::{Children, Judging, Said, TookTooLong};
use super::judge::Verdict;

/// How many mutants one child judges: positions in sources are kept as long as it runs.
const AT_ONCE: u64 = 5_000;

/// What the macro must not do.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A panic, with where it was and what it said.
    Panics(String),
    /// The end of the process: an overflow of the stack, or no more memory.
    Dies(String),
    /// It does not end.
    Hangs,
}

impl Fault {
    /// What faults of one cause have in common: the place of the panic.
    pub fn kind(&self) -> String {
        match self {
            Fault::Panics(what) => what.split(": ").next().unwrap_or(what).to_string(),
            Fault::Dies(_) => "dies".into(),
            Fault::Hangs => "hangs".into(),
        }
    }
}

/// How many mutants there are of each verdict.
#[derive(Clone, Default, Debug)]
pub struct Counts(BTreeMap<String, u64>);

impl Counts {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.0.values().sum()
    }

    /// Those that are items.
    pub fn parsed(&self) -> u64 {
        let others = self.0.get(&Verdict::NoItem.line());
        self.all() - others.copied().unwrap_or(0)
    }

    fn add(&mut self, name: String) {
        *self.0.entry(name).or_default() += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (verdict, count) in &self.0 {
            writeln!(f, "{count:9}  {verdict}")?;
        }
        write!(f, "{:9}  mutants", self.all())
    }
}

/// Judges the mutants of a range of seeds.
pub fn campaign(
    seeds: Range<u64>,
    children: &Children,
    on_fault: &mut dyn FnMut(u64, Fault),
) -> Result<Counts> {
    let (mut counts, mut from) = (Counts::default(), seeds.start);
    while from < seeds.end {
        let to = (from + AT_ONCE).min(seeds.end);
        let judging = Judging::seeds(children, from, to)?;
        let met = watched(judging, &mut |_, verdict| counts.add(verdict.line()))?;
        from = match met {
            Some((seed, fault)) => {
                counts.add(format!("FAULT: {}", fault.kind()));
                on_fault(seed, fault);
                seed + 1
            }
            None => to,
        };
    }
    Ok(counts)
}

/// What is wrong with one mutant.
pub fn fault(mutant: &Mutant, children: &Children) -> Result<Option<Fault>> {
    let met = watched(Judging::one(children, mutant)?, &mut |_, _| ())?;
    Ok(met.map(|(_, fault)| fault))
}

/// Follows a child until a fault or its end.
fn watched(
    mut judging: Judging,
    on_verdict: &mut dyn FnMut(u64, Verdict),
) -> Result<Option<(u64, Fault)>> {
    let mut at = None;
    loop {
        match judging.next() {
            Ok(Some(Said::Starts(seed))) => at = Some(seed),
            Ok(Some(Said::Ends(verdict))) => {
                let seed = at.take().unwrap_or_default();
                if let Verdict::Panics(what) = verdict {
                    judging.end()?;
                    return Ok(Some((seed, Fault::Panics(what))));
                }
                on_verdict(seed, verdict);
            }
            Ok(None) => {
                let status = judging.wait()?;
                return match at {
                    Some(seed) => Ok(Some((seed, Fault::Dies(status.to_string())))),
                    None if status.success() => Ok(None),
                    None => Err(Error::other(format!(
                        "a child fails between mutants: {status}"
                    ))),
                };
            }
            Err(TookTooLong) => {
                judging.end()?;
                return Ok(Some((at.unwrap_or_default(), Fault::Hangs)));
            }
        }
    }
}
