//! The forward part: statements, partials, and the local Jacobians of runs.

use std::ops::Range;

use super::values::{Adjoint, Product, zero};
use super::{Direct, Key, Piece, key, reads_plain_values};
use crate::ir::construct::binary;
use crate::ir::{BinOp, Block, Expr, Stmt, StmtId, StmtKind, Ty};
use crate::passes::flattening::assignments::assignments;
use crate::passes::flattening::flatten::{Flattened, Local, flatten};
use crate::passes::flattening::graph::{Label, Value};
use crate::passes::flattening::order::{Accumulated, cheapest};
use crate::passes::flattening::partials::partial;
use crate::passes::flattening::runs::Run;
use crate::rules::Use;

impl Direct<'_> {
    /// The statements of a block with the local Jacobians of its runs.
    pub(super) fn forward(
        &mut self,
        block: &Block,
        in_arm: bool,
        out: &mut Vec<Stmt>,
    ) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut rest = &block.stmts[..];
        while let Some(first) = rest.first() {
            let is_assignment = |s: &&Stmt| assignments(&self.func, s).is_some();
            let length = rest.iter().take_while(is_assignment).count();
            let (run, others) = rest.split_at(length);
            if !run.is_empty() {
                pieces.push(self.run(run, in_arm, out)?);
                rest = others;
                continue;
            }
            match &first.kind {
                StmtKind::If(condition, then, els) => {
                    pieces.push(self.branch(first.id, condition, [then, els], out)?);
                }
                StmtKind::Let(_, None) => out.push(first.clone()),
                _ => return None,
            }
            rest = &rest[1..];
        }
        Some(pieces)
    }

    fn branch(
        &mut self,
        id: StmtId,
        condition: &Expr,
        arms: [&Block; 2],
        out: &mut Vec<Stmt>,
    ) -> Option<Piece> {
        let taken = self.declare("taken", Expr::Lit("false".into(), Ty::Bool), Ty::Bool);
        let whole = self.func.place(taken);
        let assign = StmtKind::Assign(whole.clone(), condition.clone());
        out.push(Stmt { id, kind: assign });
        let mut blocks = [Vec::new(), Vec::new()];
        let [then, els] = &mut blocks;
        let pieces = [
            self.forward(arms[0], true, then)?,
            self.forward(arms[1], true, els)?,
        ];
        let [then, els] = blocks.map(Block::new);
        let kind = StmtKind::If(Expr::Read(whole), then, els);
        out.push(Stmt { id, kind });
        Some(Piece::Branch {
            taken,
            arms: pieces,
        })
    }

    fn run(&mut self, run: &[Stmt], in_arm: bool, out: &mut Vec<Stmt>) -> Option<Piece> {
        if !run.iter().all(reads_plain_values) {
            return None;
        }
        let surroundings = Run::of(run, self.activity, &self.mentions);
        let [flat] = &flatten(&self.func, run, &surroundings)[..] else {
            return None;
        };
        self.budget = self.budget.checked_sub(flat.graph.vertices().len())?;
        let accumulated = cheapest(&flat.graph);
        let needed = needed(&accumulated);
        let mut labels: Vec<Option<Adjoint>> = Vec::new();
        for (stmt, (_, of)) in run.iter().zip(&flat.statements) {
            let value = |label: Label| match flat.graph.value(label) {
                Value::One => Some(Adjoint::One),
                Value::MinusOne => Some(Adjoint::MinusOne),
                Value::Any => None,
            };
            let known = of.clone().map(value);
            labels.extend(known);
            self.statement(stmt, flat, (of.clone(), &needed), (&mut labels, out))?;
        }
        self.accumulate(&accumulated, &needed, (&mut labels, out));
        self.entries(flat, &accumulated, &labels, in_arm, out)
    }

    /// A statement of a run, with the values of its labels in front of it.
    fn statement(
        &mut self,
        stmt: &Stmt,
        flat: &Flattened,
        (of, needed): (Range<Label>, &[bool]),
        (labels, out): (&mut [Option<Adjoint>], &mut Vec<Stmt>),
    ) -> Option<()> {
        let mut stmt = stmt.clone();
        let id = stmt.id;
        let unknown: Vec<Label> = of.filter(|l| needed[*l] && labels[*l].is_none()).collect();
        let uses_result = |local: &Local| local.partial.uses().contains(&Use::Result);
        let mut locals = unknown.iter().flat_map(|l| &flat.labels[*l]);
        let mut named = None;
        if locals.any(uses_result)
            && let StmtKind::Let(_, Some(value)) | StmtKind::Assign(_, value) = &mut stmt.kind
            && value.ty(&self.func) == Ty::F64
        {
            // The result is computed once, for its partials too.
            let v = self.temp(id, "value", value.clone(), out);
            let read = Expr::Read(self.func.place(v));
            named = Some((std::mem::replace(value, read.clone()), read));
        }
        for label in unknown {
            let sum = flat.labels[label].iter().map(|local| {
                let result = match &named {
                    Some((whole, read)) if *whole == local.result => read,
                    _ => &local.result,
                };
                partial(local.partial, &local.operands, result, &Ty::F64)
            });
            let value = sum.reduce(|a, b| binary(BinOp::Add, a, b))?;
            labels[label] = Some(Adjoint::Var(self.temp(id, "partial", value, out)));
        }
        out.push(stmt);
        Some(())
    }

    /// The accumulations of an elimination.
    fn accumulate(
        &mut self,
        accumulated: &Accumulated,
        needed: &[bool],
        (labels, out): (&mut Vec<Option<Adjoint>>, &mut Vec<Stmt>),
    ) {
        for step in &accumulated.result.accumulations {
            let value = needed[step.label].then(|| {
                let [a, b] = step.factors.map(|label| labels[label]);
                let product = self.product(a?, b?);
                match step.absorbed.and_then(|old| labels[old]) {
                    None => Some(product),
                    Some(old) => Some(Product::Sum(self.value(&old), Box::new(product))),
                }
            });
            let value = value.flatten().map(|product| match product {
                Product::Known(adjoint) => adjoint,
                product => {
                    let e = self.product_value(product);
                    Adjoint::Var(self.temp(StmtId(0), "entry", e, out))
                }
            });
            labels.push(value);
        }
    }

    /// The local Jacobian; in an arm, its entries are in variables that outlive it.
    fn entries(
        &mut self,
        flat: &Flattened,
        accumulated: &Accumulated,
        labels: &[Option<Adjoint>],
        in_arm: bool,
        out: &mut Vec<Stmt>,
    ) -> Option<Piece> {
        let graph = &accumulated.result.graph;
        let mut entries = Vec::new();
        for (output, to) in flat.dependents() {
            for (input, from) in flat.independents() {
                let Some(label) = graph.label(from, to) else {
                    continue;
                };
                let mut value = labels[label]?;
                if let (true, Adjoint::Var(v)) = (in_arm, value) {
                    let outer = self.declare("entry", zero(), Ty::F64);
                    let value_of = Expr::Read(self.func.place(v));
                    out.push(self.assign(outer, value_of));
                    value = Adjoint::Var(outer);
                }
                entries.push((key(input)?, key(output)?, value));
            }
        }
        let assigned: Option<Vec<Key>> = flat.assigned().map(key).collect();
        Some(Piece::Run {
            assigned: assigned?,
            entries,
        })
    }
}

/// Which labels lead to entries of the Jacobian.
fn needed(accumulated: &Accumulated) -> Vec<bool> {
    let mut needed = vec![false; accumulated.result.graph.labels()];
    for (_, label) in accumulated.result.graph.edges() {
        needed[label] = true;
    }
    for step in accumulated.result.accumulations.iter().rev() {
        if needed[step.label] {
            for label in step.factors.into_iter().chain(step.absorbed) {
                needed[label] = true;
            }
        }
    }
    needed
}
