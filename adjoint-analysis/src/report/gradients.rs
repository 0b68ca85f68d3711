//! Preaccumulated gradients.

use std::collections::{BTreeMap, BTreeSet};

use super::view::{View, markdown_code};
use crate::emit::public::documentation::join_names;
use crate::ir::{Expr, StmtId, VarId};

/// The gradients of a function.
#[derive(Default)]
pub struct Gradients {
    /// Their statements with the places that they are a function of, in the order of the statements.
    of: Vec<(StmtId, BTreeSet<String>)>,
    /// The variables that are entries, with the statement and the places.
    entries: BTreeMap<VarId, (StmtId, BTreeSet<String>)>,
}

impl Gradients {
    /// Those of the function.
    pub fn of(view: &View<'_>) -> Gradients {
        let mut found = Gradients::default();
        view.func().body.walk(&mut |s| {
            s.walk_exprs(&mut |e| {
                if let Expr::Preaccumulated(_, gradient) = e {
                    found.add(s.id, gradient, view);
                }
            });
        });
        found
    }

    fn add(&mut self, id: StmtId, gradient: &[[Expr; 2]], view: &View<'_>) {
        let text = |e: &Expr| markdown_code(&view.expr(e));
        let inputs = gradient.iter().map(|[input, _]| text(input));
        self.of.push((id, inputs.collect()));
        for [input, partial] in gradient {
            for v in partial.reads() {
                let entry = self.entries.entry(v);
                let (_, inputs) = entry.or_insert_with(|| (id, BTreeSet::new()));
                inputs.insert(text(input));
            }
        }
    }

    /// `` `s = s * w` (line 8): by `a` and `s` ``
    pub fn items(&self, view: &View<'_>) -> Vec<String> {
        let item = |(id, inputs): &(StmtId, BTreeSet<String>)| {
            let inputs: Vec<String> = inputs.iter().cloned().collect();
            format!("{}: by {}", view.quoted_line(*id), join_names(&inputs))
        };
        self.of.iter().map(item).collect()
    }

    /// What an entry is: `` `entry_2`, the partial of line 8 by `a` ``
    pub fn entry(&self, view: &View<'_>, v: VarId) -> Option<String> {
        let (id, inputs) = self.entries.get(&v)?;
        let inputs: Vec<String> = inputs.iter().cloned().collect();
        let (name, at) = (view.name(v), view.location(*id));
        Some(format!(
            "{name}, the partial of {at} by {}",
            join_names(&inputs)
        ))
    }
}
