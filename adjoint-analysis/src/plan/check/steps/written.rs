//! What steps write.

use super::Step;
use super::regions::{Dim, Form, Interval, Region, extreme};
use crate::ir::{Call, Expr, StmtId, StmtKind};
use crate::passes::checkpoint::{Access, Effect};
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Node, Op, Term};

impl Step<'_, '_> {
    /// What any step may write of a location.
    pub(super) fn regions_written(&mut self, cell: Cell) -> Vec<Region> {
        let mut found = Vec::new();
        for stmt in self.body.clone() {
            let Some(before) = self.facts.before.get(&stmt.id) else {
                continue;
            };
            let called = match &stmt.kind {
                StmtKind::Call(call) => self.callees.effect(call).map(|effect| (effect, call)),
                _ => None,
            };
            if let Some((effect, call)) = called {
                for access in &effect.written {
                    let region = self.at_call(access, (effect, call), cell, before);
                    found.extend(region.map(|(region, _)| region));
                }
                continue;
            }
            for place in stmt.written() {
                let way = self.values.way(before, place, cell);
                found.extend(way.map(|way| Region::of(&self.values.terms, &way).0));
            }
        }
        found
            .into_iter()
            .map(|region| self.of_all_steps(region))
            .collect()
    }

    /// A region over the iterations of the loops of a step, if it is the same in all steps, or else one around it.
    fn of_all_steps(&self, region: Region) -> Region {
        let terms = &self.values.terms;
        let is_inner = |t: Term| match terms.node(t) {
            Node::Index(id) => self.inside.contains(id),
            _ => false,
        };
        let of_steps = |id: StmtId| Some(id) == self.id || self.inside.contains(&id);
        let one = |form: &Form, is_greatest: bool| {
            let form = extreme(form, is_greatest, &is_inner, terms)?;
            let is_constant = form.atoms().all(|t| !self.depends_on(*t, &of_steps));
            is_constant.then_some(form)
        };
        let mut around = Vec::new();
        for dim in region.0 {
            match dim {
                Dim::Elements(Interval { lo, hi, stride }) => {
                    let stride = match stride.map(|stride| one(&stride, true)) {
                        Some(None) => break,
                        stride => stride.flatten(),
                    };
                    let (Some(lo), Some(hi)) = (one(&lo, false), one(&hi, true)) else {
                        break;
                    };
                    around.push(Dim::Elements(Interval { lo, hi, stride }));
                }
                part => around.push(part),
            }
        }
        Region(around)
    }

    /// What a callee's access is of a location, and whether it is nothing less.
    pub(super) fn at_call(
        &mut self,
        access: &Access,
        (effect, call): (&Effect, &Call),
        cell: Cell,
        before: &State,
    ) -> Option<(Region, bool)> {
        let place = effect.at_call(&access.place, call)?;
        let way = self.values.way(before, &place, cell)?;
        let of = Region::of(&self.values.terms, &way);
        let mut form = |e: &Expr| self.form_at_call(e, (effect, call), before);
        Some(with_section(of, access, &mut form))
    }

    fn form_at_call(&mut self, e: &Expr, at: (&Effect, &Call), before: &State) -> Option<Form> {
        let value = self.argument(e, at, before)?;
        self.values.terms.form(value)
    }

    /// A callee's expression over its parameters, at a call.
    fn argument(&mut self, e: &Expr, at: (&Effect, &Call), before: &State) -> Option<Term> {
        let (effect, call) = at;
        match e {
            Expr::Lit(..) => Some(self.values.eval(before, e)),
            // A constant of the callee's code.
            Expr::Discrete(name, args, ty) if args.is_empty() => {
                let op = Op::Discrete(name.clone(), ty.clone());
                Some(self.values.terms.op(op, Vec::new()))
            }
            Expr::Binary(op, a, b) => {
                let a = self.argument(a, at, before)?;
                let b = self.argument(b, at, before)?;
                Some(self.values.integer_operation(*op, [a, b]))
            }
            e => {
                let e = effect.argument(e, call)?;
                Some(self.values.eval(before, &e))
            }
        }
    }
}

/// The region of an access, if this is that of its place, and whether it is nothing less.
pub fn with_section(
    (mut region, is_exact): (Region, bool),
    access: &Access,
    form: &mut dyn FnMut(&Expr) -> Option<Form>,
) -> (Region, bool) {
    let mut bound = |(base, offset): (Option<&Expr>, i128)| {
        let base = base.map_or(Some(Form::constant(0)), &mut *form)?;
        base.plus(&Form::constant(offset), 1)
    };
    for ([lo, hi], stride) in access.section.bounds().filter(|_| is_exact) {
        let stride = stride.map(|stride| bound((Some(stride), 0)));
        let (Some(lo), Some(hi), false) = (bound(lo), bound(hi), stride == Some(None)) else {
            return (region, false);
        };
        let stride = stride.flatten();
        region.0.push(Dim::Elements(Interval { lo, hi, stride }));
    }
    (region, is_exact)
}
