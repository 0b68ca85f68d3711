//! What callees do with what their reference arguments lead to.

use std::collections::BTreeMap;

use super::exposed::{self, Access};
use crate::ir::{Arg, Block, Call, Expr, Func, Place, Stmt, StmtKind, Ty, VarId};
use crate::passes::activity::summary::Summaries;
use crate::passes::tbr::regions::Definitions;

/// The effect of a function, by places in its parameters and sections with bounds over these.
#[derive(Clone, PartialEq, Debug)]
pub struct Effect {
    params: Vec<VarId>,
    /// What it may read before it writes it.
    pub exposed: Vec<Place>,
    /// Of what it reads elements that it does not write, beside others.
    pub partly_constant: Vec<Place>,
    /// What it may write.
    pub written: Vec<Access>,
    /// What it writes whatever way it takes.
    pub killed: Vec<Access>,
    /// What may have another shape behind it.
    pub reshaped: Vec<Place>,
}

/// The effects of callees, by the names that calls use.
pub type Effects = BTreeMap<String, Effect>;

/// The effects of visible callees.
pub fn effects_of(summaries: &Summaries) -> Effects {
    let effects = summaries.iter();
    effects
        .filter_map(|(name, summary)| Some((name.clone(), summary.effect.clone()?)))
        .collect()
}

/// The effect of a function. Constants of its code are named by it, if it has a name among all.
pub fn effect(func: &Func, name: Option<&str>, effects: &Effects) -> Effect {
    let definitions = Definitions::of(func);
    let callees = Callees::new(func, effects);
    let found = exposed::walk(None, &func.body, callees, &definitions);
    let is_lent = |place: &Place| func.params.contains(&place.root);
    let lent = |accesses: Vec<Access>| {
        let lent = accesses.into_iter().filter(|access| is_lent(&access.place));
        let renamed = |access: Access| Access {
            section: access
                .section
                .renamed(&|e| name.map_or(e.clone(), |name| named(e, name))),
            ..access
        };
        lent.map(renamed).collect()
    };
    let places = |mut places: Vec<Place>| {
        places.retain(is_lent);
        places
    };
    Effect {
        params: func.params.clone(),
        exposed: places(found.exposed),
        partly_constant: places(found.partly_constant),
        written: lent(found.written),
        killed: lent(found.killed),
        reshaped: places(callees.reshaped(&func.body)),
    }
}

/// The callees of a function, with the effects of those that are visible.
#[derive(Clone, Copy)]
pub struct Callees<'a> {
    /// The function.
    pub func: &'a Func,
    effects: &'a Effects,
}

impl<'a> Callees<'a> {
    /// The callees with these effects.
    pub fn new(func: &'a Func, effects: &'a Effects) -> Callees<'a> {
        Callees { func, effects }
    }

    /// Callees of which nothing is known.
    pub fn unknown(func: &'a Func) -> Callees<'a> {
        static NONE: Effects = Effects::new();
        Callees::new(func, &NONE)
    }

    /// The effect of a call's callee, if that is visible. A method is found by the type of its receiver.
    pub fn effect(self, call: &Call) -> Option<&'a Effect> {
        if self.effects.is_empty() {
            return None;
        }
        let name = call.callee.function();
        let effect = match call.callee.is_method() {
            true => self.method(call.args.first()?.place()?, &name)?,
            false => self.effects.get(&name)?,
        };
        (effect.params.len() == call.args.len()).then_some(effect)
    }

    fn method(self, receiver: &Place, name: &str) -> Option<&'a Effect> {
        let var = self.func.var(receiver.root);
        let is_param = self.func.params.contains(&receiver.root);
        if var.name == "self" && is_param && receiver.is_whole() {
            return self.effects.get(name);
        }
        match &receiver.ty {
            Ty::Named(of) => self.effects.get(&format!("{of} :: {}", &name[1..])),
            _ => None,
        }
    }

    fn known_call<'s>(self, stmt: &'s Stmt) -> Option<(&'s Call, &'a Effect)> {
        match &stmt.kind {
            StmtKind::Call(call) | StmtKind::Forward(call) => Some((call, self.effect(call)?)),
            _ => None,
        }
    }

    /// The places that a statement, without inner blocks, may write.
    pub fn written_by(self, stmt: &Stmt) -> Vec<Place> {
        match self.known_call(stmt) {
            Some((call, effect)) => effect.written_at(call).collect(),
            None => stmt.written().into_iter().cloned().collect(),
        }
    }

    /// The places that the callee of a statement is known to read or write.
    pub fn places_of_callee(self, stmt: &Stmt) -> Vec<Place> {
        let Some((call, effect)) = self.known_call(stmt) else {
            return Vec::new();
        };
        let read = effect.exposed.iter().chain(&effect.partly_constant);
        let all = read.chain(effect.written.iter().map(|access| &access.place));
        all.filter_map(|p| effect.at_call(p, call)).collect()
    }

    /// The places that the callee of a statement is known to write without a change of their shapes.
    pub fn places_written_in_shape(self, stmt: &Stmt) -> Vec<Place> {
        let mut written = match self.known_call(stmt) {
            Some((call, effect)) => effect.written_at(call).collect(),
            None => Vec::new(),
        };
        written.retain(|p| self.keeps_shape_of(stmt, p));
        written
    }

    /// Whether the callee of a statement is known not to change the shape of what it writes at the place.
    pub fn keeps_shape_of(self, stmt: &Stmt, place: &Place) -> bool {
        self.known_call(stmt).is_some_and(|(call, effect)| {
            let mut reshaped = effect
                .reshaped
                .iter()
                .filter_map(|p| effect.at_call(p, call));
            !reshaped.any(|p| p.may_overlap(place))
        })
    }

    /// The places that statements in a block may give another shape.
    pub fn reshaped(self, block: &Block) -> Vec<Place> {
        let mut reshaped = Vec::new();
        block.walk(&mut |s| reshaped.extend(self.reshaped_by(s)));
        reshaped
    }

    /// The places that the statement, without inner blocks, may give another shape.
    pub fn reshaped_by(self, stmt: &Stmt) -> Vec<Place> {
        if let Some((call, effect)) = self.known_call(stmt) {
            let reshaped = effect.reshaped.iter();
            return reshaped.filter_map(|p| effect.at_call(p, call)).collect();
        }
        let written = match stmt.kind {
            StmtKind::Incr(..) => Vec::new(),
            _ => stmt.written(),
        };
        let reshaped = written.into_iter().filter(|p| !p.ty.keeps_shape());
        reshaped.cloned().collect()
    }
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

impl Effect {
    fn arg<'c>(&self, v: VarId, call: &'c Call) -> Option<&'c Arg> {
        let position = self.params.iter().position(|p| *p == v)?;
        call.args.get(position)
    }

    /// The places that it may write in a call.
    pub fn written_at(&self, call: &Call) -> impl Iterator<Item = Place> {
        let written = self.written.iter().map(|access| &access.place);
        written.filter_map(|p| self.at_call(p, call))
    }

    /// A place of the callee in terms of the caller; none, if it is in an argument by value.
    pub fn at_call(&self, place: &Place, call: &Call) -> Option<Place> {
        let lent = self.arg(place.root, call)?.place()?;
        Some(Place {
            root: lent.root,
            proj: [&lent.proj[..], &place.proj[..]].concat(),
            ty: place.ty.clone(),
        })
    }

    /// The value or the length of a parameter, or of a field, at a call.
    pub fn argument(&self, e: &Expr, call: &Call) -> Option<Expr> {
        match e {
            Expr::Read(p) => match self.arg(p.root, call)? {
                Arg::Value(e) if p.is_whole() => Some(e.clone()),
                _ => Some(Expr::Read(self.at_call(p, call)?)),
            },
            Expr::Len(p) => match self.arg(p.root, call)? {
                Arg::Value(Expr::Read(whole)) if p.is_whole() => Some(Expr::Len(whole.clone())),
                _ => Some(Expr::Len(self.at_call(p, call)?)),
            },
            _ => None,
        }
    }
}
