//! What callees do with their `&mut` arguments, where a caller's step need not bring their values back.

use std::collections::BTreeMap;

use super::exposed::{self, Found};
use super::sections::Section;
use crate::ir::{Arg, Call, Expr, Func, Mode, VarId};
use crate::passes::activity::summary::Summaries;
use crate::passes::tbr::regions::Definitions;

/// An argument of which a callee writes these sections, whatever way it takes, before it reads them, and no others.
#[derive(Clone, PartialEq, Debug)]
pub struct Overwrites {
    /// The sections, with bounds over the callee's parameters.
    pub sections: Vec<Section>,
    /// Whether the callee reads elements that it does not write.
    pub reads_others: bool,
    params: Vec<VarId>,
}

/// The arguments of callees, by the names that calls use and by position.
pub type Effects = BTreeMap<String, Vec<Option<Overwrites>>>;

/// The effects of visible callees.
pub fn effects_of(summaries: &Summaries) -> Effects {
    let effects = summaries.iter();
    effects
        .map(|(name, summary)| (name.clone(), summary.overwrites.clone()))
        .collect()
}

/// The effects of a function, which has this name among all, on its arguments.
pub fn overwrites(func: &Func, name: &str, effects: &Effects) -> Vec<Option<Overwrites>> {
    let definitions = Definitions::of(func);
    let found = exposed::walk(None, &func.body, (func, effects), &definitions);
    let params = func.params.iter();
    params.map(|v| of_param(*v, (func, name), &found)).collect()
}

fn of_param(v: VarId, (func, name): (&Func, &str), found: &Found) -> Option<Overwrites> {
    let is_of = |place: &crate::ir::Place| place.root == v;
    let mut written = found.written.iter().filter(|w| is_of(&w.place));
    let all_killed =
        written.all(|w| w.place.is_whole() && exposed::is_killed(&found.killed, w, None));
    if func.var(v).mode != Mode::Mut || !all_killed || found.exposed.iter().any(is_of) {
        return None;
    }
    let killed = found.killed.iter().filter(|k| is_of(&k.place));
    Some(Overwrites {
        sections: killed
            .map(|k| k.section.renamed(&|e| named(e, name)))
            .collect(),
        reads_others: found.partly_constant.iter().any(is_of),
        params: func.params.clone(),
    })
}

/// The expression with the function's constants under names that no other function has for its own.
fn named(e: &Expr, function: &str) -> Expr {
    match e {
        Expr::Code(code, reads, ty) if reads.is_empty() => {
            let name = format!("{function} {}", code.index());
            Expr::Discrete(name, Vec::new(), ty.clone())
        }
        Expr::Binary(op, a, b) => {
            let [a, b] = [a, b].map(|e| Box::new(named(e, function)));
            Expr::Binary(*op, a, b)
        }
        e => e.clone(),
    }
}

impl Overwrites {
    /// The value or the length of a parameter at a call.
    pub fn argument(&self, e: &Expr, call: &Call) -> Option<Expr> {
        let arg = |v: VarId| {
            let position = self.params.iter().position(|p| *p == v)?;
            call.args.get(position)
        };
        match e {
            Expr::Read(p) if p.is_whole() => match arg(p.root)? {
                Arg::Value(e) => Some(e.clone()),
                Arg::Shared(p) => Some(Expr::Read(p.clone())),
                Arg::Mut(_) => None,
            },
            Expr::Len(p) if p.is_whole() => match arg(p.root)? {
                Arg::Value(Expr::Read(p)) | Arg::Shared(p) | Arg::Mut(p) => {
                    Some(Expr::Len(p.clone()))
                }
                Arg::Value(_) => None,
            },
            _ => None,
        }
    }
}
