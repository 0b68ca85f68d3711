//! Makes a source that shows a fault as short as it gets by leaving out lines, blocks and parts of expressions.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::gen_source::{Fault, Outcome, Project, Source};

/// How many shorter sources are tried at once.
const AT_ONCE: usize = 90;

/// Between the items and the shapes of types, while both are made shorter.
const SEAM: &str = "\n// shapes\n";

/// A part of the text and what to write in its place.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Edit {
    range: Range<usize>,
    with: String,
}

/// The shortest source found that has the same fault, or none if this one has none. Each that is shorter than those
/// before is handed to `seen`.
pub fn reduce(project: &Project, source: &Source, seen: &mut dyn FnMut(&Source)) -> Option<Source> {
    let fault = kind(&project.judge(std::slice::from_ref(source))[0])?;
    let mut best = fewer_calls(project, source, &fault);
    let mut tried = BTreeSet::new();
    loop {
        let text = text_of(&best);
        let mut edits = edits(&text);
        edits.retain(|e| !tried.contains(&signature(&text, e)));
        edits.sort_by_key(|e| e.range.len() - e.with.len());
        let edits: Vec<Edit> = edits.into_iter().rev().take(AT_ONCE).collect();
        if edits.is_empty() {
            return Some(best);
        }
        tried.extend(edits.iter().map(|e| signature(&text, e)));
        let single: Vec<Vec<Edit>> = edits.iter().map(|e| vec![e.clone()]).collect();
        let good = keeping(project, &best, &fault, single);
        let good: Vec<Edit> = good.into_iter().flatten().collect();
        if !good.is_empty() {
            let together = keeping(project, &best, &fault, growing(&good));
            let most = together.into_iter().max_by_key(|all| saved(all));
            best = edited(&best, &most.unwrap_or(vec![good[0].clone()]));
            seen(&best);
        }
    }
}

fn fewer_calls(project: &Project, source: &Source, fault: &(Fault, String)) -> Source {
    let alone = |call: &String| Source {
        calls: vec![call.clone()],
        ..source.clone()
    };
    let all: Vec<Source> = source.calls.iter().map(alone).collect();
    let outcomes = project.judge(&all);
    let same = outcomes
        .iter()
        .position(|o| kind(o).as_ref() == Some(fault));
    same.map_or(source.clone(), |at| all[at].clone())
}

/// What a fault has to agree in with another to be the same.
fn kind(outcome: &Outcome) -> Option<(Fault, String)> {
    match outcome {
        Outcome::Fault(fault @ (Fault::DoesNotCompile | Fault::Panics), what) => {
            let what = what
                .split_once("error")
                .map_or(what.as_str(), |(_, rest)| rest);
            Some((
                *fault,
                what.split('`').next().unwrap_or_default().to_string(),
            ))
        }
        Outcome::Fault(fault, _) => Some((*fault, String::new())),
        _ => None,
    }
}

/// Those of the sets of edits that keep the fault.
fn keeping(
    project: &Project,
    source: &Source,
    fault: &(Fault, String),
    sets: Vec<Vec<Edit>>,
) -> Vec<Vec<Edit>> {
    let sources: Vec<Source> = sets.iter().map(|edits| edited(source, edits)).collect();
    let outcomes = project.judge(&sources);
    let kept = sets.into_iter().zip(outcomes);
    kept.filter(|(_, outcome)| kind(outcome).as_ref() == Some(fault))
        .map(|(edits, _)| edits)
        .collect()
}

/// More and more of the edits together, without those that overlap.
fn growing(good: &[Edit]) -> Vec<Vec<Edit>> {
    let mut together: Vec<Edit> = Vec::new();
    let mut all = Vec::new();
    for edit in good {
        let apart = |e: &Edit| e.range.end <= edit.range.start || edit.range.end <= e.range.start;
        if together.iter().all(apart) {
            together.push(edit.clone());
            all.push(together.clone());
        }
    }
    all
}

fn saved(edits: &[Edit]) -> usize {
    edits.iter().map(|e| e.range.len() - e.with.len()).sum()
}

fn text_of(source: &Source) -> String {
    format!("{}{SEAM}{}", source.items, source.shapes)
}

fn edited(source: &Source, edits: &[Edit]) -> Source {
    let mut text = text_of(source);
    let mut edits = edits.to_vec();
    edits.sort_by_key(|e| e.range.start);
    for edit in edits.iter().rev() {
        text.replace_range(edit.range.clone(), &edit.with);
    }
    let (items, shapes) = text.split_once(SEAM).unwrap_or((&text, ""));
    Source {
        items: items.to_string(),
        shapes: shapes.to_string(),
        ..source.clone()
    }
}

/// What an edit takes away, wherever it stands.
fn signature(text: &str, edit: &Edit) -> (String, String) {
    (text[edit.range.clone()].to_string(), edit.with.clone())
}

/// Everything that may be left out.
fn edits(text: &str) -> Vec<Edit> {
    let mut all = lines(text);
    for (at, open) in text.char_indices() {
        let close = match open {
            '(' => ')',
            '{' => '}',
            _ => continue,
        };
        let Some(end) = matching(text, at, open, close) else {
            continue;
        };
        let inside = at + 1..end;
        if open == '(' && inside.len() > 3 {
            all.push(Edit {
                range: inside.clone(),
                with: "0.3".to_string(),
            });
        }
        let word = text[..at].rfind(|c: char| !c.is_alphanumeric() && !"_:<>".contains(c));
        if open == '('
            && let Some(dot) = word
            && text[dot..].starts_with('.')
        {
            all.push(Edit {
                range: dot..end + 1,
                with: String::new(),
            });
        }
    }
    all.retain(|e| e.range.len() > e.with.len() && !text[e.range.clone()].contains(SEAM.trim()));
    all
}

/// Lines and blocks left out, and blocks without what stands around them.
fn lines(text: &str) -> Vec<Edit> {
    let mut all = Vec::new();
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.push(text.len());
    let line = |i: usize| &text[starts[i]..starts[i + 1]];
    let depth = |line: &str| line.matches('{').count() as i64 - line.matches('}').count() as i64;
    for i in 0..starts.len() - 1 {
        let (mut level, mut j) = (depth(line(i)), i);
        while level > 0 && j + 2 < starts.len() {
            j += 1;
            level += depth(line(j));
        }
        if level != 0 || line(i).trim().is_empty() {
            continue;
        }
        let range = starts[i]..starts[j + 1];
        let without = |with: &str| Edit {
            range: range.clone(),
            with: with.to_string(),
        };
        all.push(without(""));
        if j > i + 1 {
            all.push(without(&text[starts[i + 1]..starts[j]]));
        }
    }
    all
}

fn matching(text: &str, from: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[from..].char_indices() {
        match c {
            c if c == open => depth += 1,
            c if c == close => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(from + at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::edits;

    #[test]
    fn lines_blocks_and_parts_are_left_out() {
        let text = "for a in b {\n    s += (x * y).sin();\n}\n";
        let left = edits(text).into_iter().map(|e| {
            let mut text = text.to_string();
            text.replace_range(e.range, &e.with);
            text
        });
        let left: Vec<String> = left.collect();
        for short in [
            "",
            "    s += (x * y).sin();\n",
            "for a in b {\n}\n",
            "for a in b {\n    s += (x * y);\n}\n",
            "for a in b {\n    s += (0.3).sin();\n}\n",
        ] {
            assert!(left.iter().any(|l| l == short), "{short:?} not in {left:?}");
        }
    }
}
