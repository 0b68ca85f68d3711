//! Preaccumulated gradients: their entries are the sums, over all paths, of the products of the partials along them.
//!
//! A gradient is compared with what forward mode gives along the definitions of its value in the statement's block, operation by
//! operation, by the rules: `[CFR]` §3. A read of one of the gradient's places, while that has the value that it has at the
//! statement, is the unit of that place; another read leads to its definition in the block; one without a definition
//! there must not depend on the independents (`varied`).
//!
//! Both sides are polynomials in what is not looked into: values from outside, functions, and their partials. They are
//! evaluated with random values for these, modulo the prime 2⁶¹ − 1 (`field`): different polynomials of degree d agree with a
//! probability of about d · 2⁻⁶¹ (the lemma of Schwartz and Zippel).

mod definitions;
mod field;
mod varied;

use std::collections::BTreeMap;

use self::definitions::Definitions;
use self::field::Element;
use self::varied::Varied;
use super::faults::{FaultKind, Faults};
use crate::ir::{Block, Expr, Place, Stmt, StmtId, Ty, UnOp};
use crate::passes::flattening::address::Relation;
use crate::passes::flattening::partials::partial;
use crate::plan::Plan;
use crate::rules::{self, Partial};

/// Proves the gradients of the function.
pub fn check(plan: &Plan, faults: &mut Faults) {
    let mut any = false;
    plan.func
        .body
        .walk(&mut |s| s.walk_exprs(&mut |e| any |= matches!(e, Expr::Preaccumulated(..))));
    if any {
        block(plan, &Varied::of(plan), &plan.func.body, faults);
    }
}

fn block(plan: &Plan, varied: &Varied, block: &Block, faults: &mut Faults) {
    let definitions = Definitions::of(&plan.func, block);
    // What has no adjoint passes nothing on.
    let has_adjoint = |stmt: &Stmt| {
        let written = stmt.written().into_iter().map(|p| p.root);
        let mut targets = written.chain(stmt.declared());
        targets.any(|v| plan.adjoint.contains_key(&v))
    };
    let derived = block.stmts.iter().enumerate();
    for (at, stmt) in derived.filter(|(_, stmt)| has_adjoint(stmt)) {
        stmt.each_operand(&mut |e| {
            e.walk(&mut |e| {
                if let Expr::Preaccumulated(value, gradient) = e {
                    let mut proof = Proof {
                        plan,
                        varied,
                        definitions: &definitions,
                        gradient,
                        at,
                        id: stmt.id,
                        known: BTreeMap::new(),
                        faults,
                    };
                    proof.compare(value);
                }
            });
        });
    }
    for stmt in &block.stmts {
        stmt.each_block(&mut |inner| self::block(plan, varied, inner, faults));
    }
}

/// The derivative by each of a gradient's places.
type Derivative = BTreeMap<usize, Element>;

/// The proof of one gradient.
struct Proof<'a> {
    plan: &'a Plan,
    varied: &'a Varied,
    definitions: &'a Definitions<'a>,
    gradient: &'a [[Expr; 2]],
    /// The position of its statement in the block.
    at: usize,
    id: StmtId,
    /// The derivatives of definitions.
    known: BTreeMap<(usize, usize), Derivative>,
    faults: &'a mut Faults,
}

impl Proof<'_> {
    fn compare(&mut self, value: &Expr) {
        let found = self.derivative(value, self.at);
        let mut entries = Derivative::new();
        for [input, entry] in self.gradient {
            let at_statement = match input {
                Expr::Read(p) => self.position(p, self.at),
                _ => None,
            };
            // What is the same place twice has the sum.
            if let Some(k) = at_statement {
                let sum = entries.entry(k).or_default();
                *sum = *sum + self.value(entry, self.at);
            }
        }
        for (k, [input, _]) in self.gradient.iter().enumerate() {
            if !self.is_varied(input) {
                continue;
            }
            let of = |derivative: &Derivative| derivative.get(&k).copied().unwrap_or_default();
            if of(&found) != of(&entries) {
                let names = input.reads().into_iter();
                let names = names.map(|v| format!("`{}`", self.plan.func.var(v).name));
                let names = names.collect::<Vec<_>>().join(", ");
                let message = format!("the partial by {names} is not what its paths give");
                self.faults.add(self.id, FaultKind::Gradient, message);
            }
        }
    }

    /// Whether the place may depend on the independents: at the statement, and wherever it has the same value in front of that.
    /// What is written to other elements of its array may depend on them.
    fn is_varied(&self, input: &Expr) -> bool {
        let Expr::Read(p) = input else { return true };
        let is_same = |from: &usize| self.definitions.is_intact((p, self.at), *from..self.at);
        let mut since = (0..=self.at).rev().take_while(is_same);
        since.all(|at| self.varied.reads(self.definitions.id(at), p))
    }

    /// The position of the gradient's first place that the statement at a position reads, while it has the same value.
    fn position(&self, p: &Place, at: usize) -> Option<usize> {
        let is_same = |input: &Expr| match input {
            Expr::Read(of) => {
                let relation = self.definitions.relation((of, self.at), (p, at));
                relation == Relation::Same && self.definitions.is_intact((p, at), at..self.at)
            }
            _ => false,
        };
        self.gradient.iter().position(|[input, _]| is_same(input))
    }

    /// The derivative of an expression of the statement at this position.
    fn derivative(&mut self, e: &Expr, at: usize) -> Derivative {
        match e {
            Expr::Read(p) if p.ty.is_float() => self.read(p, at),
            Expr::Cast(a, ty) if ty.is_float() => self.derivative(a, at),
            Expr::Preaccumulated(value, _) => self.derivative(value, at),
            Expr::Unary(UnOp::Neg, a) => self.operation(e, &[Partial::MinusOne], &[a], at),
            Expr::Binary(op, a, b) => match rules::binary(*op) {
                Some(partials) => self.operation(e, partials, &[a, b], at),
                None => Derivative::new(),
            },
            Expr::Intrinsic(f, args) => {
                let args: Vec<&Expr> = args.iter().collect();
                self.operation(e, rules::intrinsic(*f), &args, at)
            }
            _ => Derivative::new(),
        }
    }

    fn operation(
        &mut self,
        e: &Expr,
        partials: &[Partial],
        args: &[&Expr],
        at: usize,
    ) -> Derivative {
        let mut sum = Derivative::new();
        let operands: Vec<Expr> = args.iter().map(|e| (*e).clone()).collect();
        for (arg, of) in args.iter().zip(partials) {
            if *of == Partial::Zero {
                continue;
            }
            let inner = self.derivative(arg, at);
            if inner.is_empty() {
                continue;
            }
            let factors = of.factors().iter();
            let factors = factors.map(|f| self.value(&partial(*f, &operands, e, &Ty::F64), at));
            let by = factors.fold(Element::ONE, |product, f| product * f);
            for (k, inner) in inner {
                let entry = sum.entry(k).or_default();
                *entry = *entry + by * inner;
            }
        }
        sum
    }

    fn read(&mut self, p: &Place, at: usize) -> Derivative {
        if let Some(k) = self.position(p, at) {
            return Derivative::from([(k, Element::ONE)]);
        }
        let is_varied = self.varied.reads(self.definitions.id(at), p);
        let Some(definition) = self.definitions.last(p, at).filter(|_| is_varied) else {
            if is_varied {
                let name = &self.plan.func.var(p.root).name;
                let message = format!("the gradient has no partial by `{name}`");
                self.faults.add(self.id, FaultKind::Gradient, message);
            }
            return Derivative::new();
        };
        let key = (definition.at, definition.component);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = self.derivative(definition.value, definition.at);
        self.known.insert(key, found.clone());
        found
    }

    /// The value of an expression of the statement at this position.
    fn value(&self, e: &Expr, at: usize) -> Element {
        self.definitions.value(e, at)
    }
}
