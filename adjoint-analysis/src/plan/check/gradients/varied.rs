//! Which reals may depend on the independents: a forward flow over the function, with whole fields.
//!
//! It is the checker's own, so that an input that a gradient lacks shows, though without it nothing depends on the input any
//! more. Of calls the plan is believed, which says on what their outputs depend.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Arg, Block, Call, Expr, LoopHead, Place, Proj, Stmt, StmtId, StmtKind, VarId};
use crate::passes::activity::dependencies;
use crate::passes::tbr::regions::{Definitions, overwritten};
use crate::plan::Plan;

/// A variable, and the fields that lead to a part of it.
type Part = (VarId, Vec<String>);

/// What is varied at a point.
#[derive(Clone, PartialEq, Default)]
struct State {
    /// Parts that are, but for the constant parts in them.
    varied: BTreeSet<Part>,
    /// Parts that are not.
    constant: BTreeSet<Part>,
}

/// What is varied in front of each statement.
pub struct Varied {
    before: BTreeMap<StmtId, State>,
}

impl Varied {
    /// The flow over the plan's function.
    pub fn of(plan: &Plan) -> Varied {
        let mut flow = Flow {
            plan,
            lengths: Definitions::of(&plan.func),
            before: BTreeMap::new(),
        };
        let params = plan.interface.iter().map(|v| (*v, Vec::new()));
        let state = State {
            varied: params.collect(),
            constant: BTreeSet::new(),
        };
        flow.block(&plan.func.body, state);
        Varied {
            before: flow.before,
        }
    }

    /// Whether what the statement reads at the place may be.
    pub fn reads(&self, id: StmtId, place: &Place) -> bool {
        let state = self.before.get(&id);
        state.is_none_or(|state| state.contains(&part(place)))
    }
}

impl State {
    /// Whether the part, or something in it, is varied.
    fn contains(&self, part: &Part) -> bool {
        self.overlapping(part).next().is_some()
    }

    /// The varied parts that the part is in, or that are in it.
    fn overlapping(&self, (v, fields): &Part) -> impl Iterator<Item = &[String]> {
        of_var(&self.varied, *v).filter(move |varied| {
            let is_newer =
                |constant: &[String]| constant.len() > varied.len() && constant.starts_with(varied);
            let mut constant = of_var(&self.constant, *v);
            let is_constant = constant.any(|c| is_newer(c) && fields.starts_with(c));
            (varied.starts_with(fields) || fields.starts_with(varied)) && !is_constant
        })
    }

    /// A copy from one place to another, part by part.
    fn copy(&mut self, to: &Place, from: &Place) {
        let (of, target) = (part(from), part(to));
        let inside = |fields: &[String]| {
            let rest = fields.strip_prefix(&of.1[..]).unwrap_or_default();
            (target.0, [&target.1[..], rest].concat())
        };
        let varied: Vec<Part> = self.overlapping(&of).map(inside).collect();
        let constant = of_var(&self.constant, of.0);
        let constant = constant.filter(|c| c.len() > of.1.len() && c.starts_with(&of.1));
        let constant: Vec<Part> = constant.map(inside).collect();
        self.write(to, false);
        self.varied.extend(varied);
        if target.1.len() == to.proj.len() {
            self.constant.extend(constant);
        }
    }

    /// A write of the place: in full, if only fields lead there.
    fn write(&mut self, place: &Place, is_varied: bool) {
        let target = part(place);
        if target.1.len() == place.proj.len() {
            let is_outside = |(v, fields): &Part| *v != target.0 || !fields.starts_with(&target.1);
            self.varied.retain(is_outside);
            self.constant.retain(is_outside);
            if !is_varied {
                self.constant.insert(target);
                return;
            }
        }
        if is_varied {
            self.varied.insert(target);
        }
    }

    /// The join: constant is what is in both.
    fn join(&mut self, other: &State) {
        let of_other = other.constant.iter().filter(|part| !self.contains(part));
        let mut constant: BTreeSet<Part> = of_other.cloned().collect();
        let own = self.constant.iter().filter(|part| !other.contains(part));
        constant.extend(own.cloned());
        self.varied.extend(other.varied.iter().cloned());
        self.constant = constant;
    }
}

struct Flow<'a> {
    plan: &'a Plan,
    lengths: Definitions,
    before: BTreeMap<StmtId, State>,
}

impl Flow<'_> {
    fn block(&mut self, block: &Block, mut state: State) -> State {
        for stmt in &block.stmts {
            match self.before.get_mut(&stmt.id) {
                Some(before) => before.join(&state),
                None => _ = self.before.insert(stmt.id, state.clone()),
            }
            self.stmt(stmt, &mut state);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, state: &mut State) {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => self.assign(&self.plan.func.place(*v), e, state),
            StmtKind::Assign(p, e) => self.assign(p, e, state),
            StmtKind::Incr(p, e) | StmtKind::Insert(p, _, e) => {
                let is_varied = self.is_varied(e, state);
                state.varied.extend(is_varied.then(|| part(p)));
            }
            StmtKind::Swap(a, b) => {
                let [of_a, of_b] = [a, b].map(|p| state.contains(&part(p)));
                state.write(a, of_b);
                state.write(b, of_a);
            }
            StmtKind::Remove(Some(v), p, _) => {
                let is_varied = state.contains(&part(p));
                state.write(&self.plan.func.place(*v), is_varied);
            }
            StmtKind::Call(call) => self.call(stmt.id, call, state),
            StmtKind::Loop(head, body) => self.iterate(head, body, state),
            StmtKind::If(_, then, els) => {
                let mut after = self.block(then, state.clone());
                after.join(&self.block(els, state.clone()));
                *state = after;
            }
            _ => {}
        }
    }

    /// The join over all iterations. Of an array whose every element the loop sets, none is left from before.
    fn iterate(&mut self, head: &LoopHead, body: &Block, state: &mut State) {
        for region in overwritten(head, body, &self.plan.func, &self.lengths) {
            state.write(&self.plan.func.place(region.array), false);
        }
        loop {
            let mut after = self.block(body, state.clone());
            after.join(state);
            if after == *state {
                return;
            }
            *state = after;
        }
    }

    fn assign(&self, place: &Place, e: &Expr, state: &mut State) {
        if let Expr::Read(from) = e {
            return state.copy(place, from);
        }
        let all = dependencies(e, &self.plan.func).into_iter();
        let varied = all.filter(|(p, _)| state.contains(&part(p)));
        let components: Vec<Vec<Proj>> = varied.map(|(_, component)| component).collect();
        state.write(place, false);
        for component in components {
            let proj = [&place.proj[..], &component].concat();
            let component = Place {
                proj,
                ..place.clone()
            };
            state.varied.insert(part(&component));
        }
    }

    fn call(&self, id: StmtId, call: &Call, state: &mut State) {
        let site = self.plan.calls.get(&id);
        let gives = |output: usize| {
            let mask = site.and_then(|site| site.gives.get(output));
            mask.is_some_and(|mask| *mask != 0)
        };
        if let Some(result) = call.result {
            state.write(&self.plan.func.place(result), gives(0));
        }
        for (k, arg) in call.args.iter().enumerate() {
            if let Arg::Mut(p) = arg
                && gives(k + 1)
            {
                state.varied.insert(part(p));
            }
        }
    }

    fn is_varied(&self, e: &Expr, state: &State) -> bool {
        let all = dependencies(e, &self.plan.func);
        all.iter().any(|(p, _)| state.contains(&part(p)))
    }
}

/// The parts of a variable among these.
fn of_var(parts: &BTreeSet<Part>, v: VarId) -> impl Iterator<Item = &[String]> {
    let parts = parts.range((v, Vec::new())..);
    let of_var = parts.take_while(move |(of, _)| *of == v);
    of_var.map(|(_, fields)| &fields[..])
}

fn part(place: &Place) -> Part {
    let fields = place.proj.iter().map_while(|step| match step {
        Proj::Field(name) => Some(name.clone()),
        _ => None,
    });
    (place.root, fields.collect())
}
