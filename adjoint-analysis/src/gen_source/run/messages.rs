//! What rustc and the binary of kernels say, by source.

use std::collections::BTreeMap;

use super::outcome::{Fault, Outcome};

/// An error in the file of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Whether it is a refusal by the attribute, with a way out.
    pub by_adjoint: bool,
    /// The message.
    pub message: String,
}

/// The errors of each source, of messages in the short format: a line `plain/s3.rs:1:2: error..` each, perhaps
/// with more lines. What the attribute refuses comes before what else is wrong there.
pub fn refusals(errors: &str) -> BTreeMap<usize, Refusal> {
    let mut found: BTreeMap<usize, Refusal> = BTreeMap::new();
    for (at, message) in messages(errors) {
        // A refusal is an error without a code and says what to write instead, but for that of a call, which
        // rustc finds.
        let by_adjoint = message.contains(": error: ") && message.contains("help: ")
            || message.contains("has no adjoint that can be called from here")
            || message.contains("derive `Differentiable`");
        let refusal = Refusal {
            by_adjoint,
            message,
        };
        match found.get(&at) {
            Some(first) if first.by_adjoint || !by_adjoint => {}
            _ => {
                found.insert(at, refusal);
            }
        }
    }
    found
}

fn messages(errors: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for line in errors.lines() {
        if let Some(at) = source(line) {
            open = line.contains(": error");
            if open {
                all.push((at, line.to_string()));
            }
        } else if line.starts_with("error") || line.contains(": warning") {
            open = false;
        } else if let (true, Some((_, message))) = (open, all.last_mut()) {
            message.push('\n');
            message.push_str(line);
        }
    }
    all
}

/// The number of the source that a line is about.
fn source(line: &str) -> Option<usize> {
    let (path, _) = line.split_once(".rs:")?;
    let (_, name) = path.rsplit_once(['/', '\\'])?;
    name.strip_prefix('s')?.parse().ok()
}

/// What the binary said of each source that it judged, and the last one that it began with.
pub fn findings(text: &str) -> (BTreeMap<usize, Outcome>, Option<usize>) {
    let mut found = BTreeMap::new();
    let mut last = None;
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "begin" {
            last = rest.parse().ok();
        } else if let (Some(at), Some(outcome)) = (last, finding(word, rest)) {
            merge(&mut found, at, outcome);
        }
    }
    (found, last)
}

fn finding(word: &str, rest: &str) -> Option<Outcome> {
    let fault = |kind| Some(Outcome::Fault(kind, rest.to_string()));
    match word {
        "agrees" => {
            let (compared, of) = rest.split_once(' ')?;
            Some(Outcome::Agrees(compared.parse().ok()?, of.parse().ok()?))
        }
        "nothing" => Some(Outcome::Nothing(rest.to_string())),
        "panics" => fault(Fault::Panics),
        "hangs" => fault(Fault::Hangs),
        "value" => fault(Fault::Value),
        "gradient" => fault(Fault::Gradient),
        _ => None,
    }
}

/// Of several calls, the first fault counts, and what was compared adds up.
fn merge(found: &mut BTreeMap<usize, Outcome>, at: usize, outcome: Outcome) {
    let merged = match (found.remove(&at), outcome) {
        (Some(Outcome::Agrees(a, b)), Outcome::Agrees(c, d)) => Outcome::Agrees(a + c, b + d),
        (Some(fault @ Outcome::Fault(..)), _) => fault,
        (Some(agrees @ Outcome::Agrees(..)), Outcome::Nothing(_)) => agrees,
        (_, outcome) => outcome,
    };
    found.insert(at, merged);
}

#[cfg(test)]
mod tests {
    use super::{Outcome, findings, refusals};

    #[test]
    fn errors_are_told_apart() {
        let text = "judge/s1.rs:3:5: error[E0502]: cannot borrow `x`\n\
                    judge/s2.rs:3:5: error: can't iterate over this\n       help: iterate over a range\n\
                    judge/s2.rs:9:5: error[E0425]: cannot find\n\
                    error: could not compile\n";
        let found = refusals(text);
        let by_adjoint: Vec<_> = found.iter().map(|(at, r)| (*at, r.by_adjoint)).collect();
        assert_eq!(by_adjoint, [(1, false), (2, true)]);
        assert!(found[&2].message.contains("iterate over a range"));
    }

    #[test]
    fn calls_of_one_source_add_up() {
        let (found, last) = findings("begin 2\nagrees 3 4\nnothing \"\"\nagrees 1 1\nbegin 5\n");
        assert_eq!(found[&2], Outcome::Agrees(4, 5));
        assert_eq!((found.len(), last), (1, Some(5)));
    }
}
