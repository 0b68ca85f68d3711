//! Terms that depend on which way a branch took: `choice(c, a, b)` is `a` where `c` holds, else `b`.
//!
//! Comparisons of a choice between literals are evaluated, so that the test of a label becomes the condition of the
//! branch that it implies: `eq(choice(c, 1, 0), 1) = choice(c, true, false) = c`.
//!
//! Choices are ordered decision diagrams: a condition is no choice itself, and those below a choice are
//! younger than its own. So equal values have equal terms, whichever branches led to them.

use std::collections::HashSet;

use super::polynomials::reduced;
use super::term::{Node, Op, Step, Term, Terms};
use crate::ir::{BinOp, Ty, UnOp};
use crate::passes::inversion::sums::PAIRS;

/// Choices with more parts than these become unknown.
const MAX_PARTS: usize = 2_000;

impl Terms {
    /// `a` where the condition holds, else `b`.
    pub fn choice(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        if let Some(holds) = self.truth(condition) {
            return if holds { a } else { b };
        }
        let asked = Node::Choice(condition, a, b);
        if let Some(known) = self.known(&asked) {
            return known;
        }
        let term = match *self.node(condition) {
            Node::Choice(c, x, y) => {
                let (x, y) = (self.choice(x, a, b), self.choice(y, a, b));
                self.choice(c, x, y)
            }
            Node::Op(Op::Unary(UnOp::Not), ref args) => {
                let plain = args[0];
                self.choice(plain, b, a)
            }
            _ => self.ordered(condition, a, b),
        };
        self.alias(asked, term);
        term
    }

    /// The choice with its oldest condition first.
    fn ordered(&mut self, condition: Term, a: Term, b: Term) -> Term {
        let below = [a, b].into_iter().filter_map(|t| self.top(t)).min();
        if let Some(first) = below.filter(|c| *c < condition) {
            let [yes, no] = [true, false].map(|side| {
                let (a, b) = (self.given(a, first, side), self.given(b, first, side));
                self.choice(condition, a, b)
            });
            return self.choice(first, yes, no);
        }
        let (a, b) = (
            self.given(a, condition, true),
            self.given(b, condition, false),
        );
        match (self.truth(a), self.truth(b)) {
            _ if a == b => a,
            (Some(true), Some(false)) => condition,
            (Some(false), Some(true)) => self.make(Node::Op(Op::Unary(UnOp::Not), vec![condition])),
            _ => self.make(Node::Choice(condition, a, b)),
        }
    }

    /// The first condition of a term: a term that is neither a literal nor a choice is a bool, which is a condition or
    /// the negation of one.
    fn top(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::Choice(c, ..) => Some(*c),
            Node::Op(Op::Unary(UnOp::Not), args) => Some(args[0]),
            Node::Op(Op::Lit(..), _) | Node::Unset(_) => None,
            _ => Some(t).filter(|t| !self.integers.contains(t)),
        }
    }

    /// The term, given the value of a condition that is its first one, if it depends on it at all.
    fn given(&mut self, t: Term, condition: Term, holds: bool) -> Term {
        if t == condition {
            return self.bool(holds);
        }
        if self.negated(t) == Some(condition) {
            return self.bool(!holds);
        }
        match *self.node(t) {
            Node::Choice(c, a, b) if c == condition => match holds {
                true => a,
                false => b,
            },
            _ => t,
        }
    }

    /// The term, given that the condition holds, which may itself be a choice.
    pub fn under(&mut self, t: Term, condition: Term) -> Term {
        if self.truth(condition).is_some() {
            return t;
        }
        let Some(first) = [t, condition].into_iter().filter_map(|t| self.top(t)).min() else {
            return t;
        };
        let [(x, if_x), (y, if_y)] = [true, false]
            .map(|side| [t, condition].map(|t| self.given(t, first, side)))
            .map(|[t, condition]| (t, condition));
        match (self.truth(if_x), self.truth(if_y)) {
            (Some(false), _) => self.under(y, if_y),
            (_, Some(false)) => self.under(x, if_x),
            _ => {
                let (x, y) = (self.under(x, if_x), self.under(y, if_y));
                self.choice(first, x, y)
            }
        }
    }

    /// The same, given the conditions of a path. A condition that contradicts those before it is on unreachable code,
    /// and ignored.
    pub fn under_all(&mut self, t: Term, path: &[(Term, bool)]) -> Term {
        let always = self.bool(true);
        let mut known = always;
        for step in path {
            let step = self.along(std::slice::from_ref(step), always);
            let never = self.bool(false);
            let both = self.choice(known, step, never);
            if both != never {
                known = both;
            }
        }
        self.under(t, known)
    }

    /// The bool under the conditions of the path; false elsewhere.
    fn along(&mut self, path: &[(Term, bool)], t: Term) -> Term {
        let never = self.bool(false);
        path.iter()
            .rev()
            .fold(t, |t, (condition, held)| match held {
                true => self.choice(*condition, t, never),
                false => self.choice(*condition, never, t),
            })
    }

    /// Whether two conditions are the same under the conditions of the path.
    pub fn agree(&mut self, path: &[(Term, bool)], a: Term, b: Term) -> bool {
        if a == b {
            return true;
        }
        self.along(path, a) == self.along(path, b)
    }

    /// The second term where the condition holds, else the third, for integers and bools.
    pub fn merged(&mut self, condition: Term, a: Term, b: Term, ty: &Ty) -> Option<Term> {
        match ty {
            _ if a == b => Some(a),
            Ty::Int(_) | Ty::Bool if self.truth(condition) == Some(true) => Some(a),
            Ty::Int(_) | Ty::Bool if self.truth(condition) == Some(false) => Some(b),
            _ if [a, b].iter().all(|t| self.is_choosable(*t, ty)) => {
                Some(self.choice(condition, a, b))
            }
            Ty::Int(_) => Some(self.op(Op::Select, vec![condition, a, b])),
            _ => None,
        }
    }

    /// Whether a merge with this term is represented as a choice: literals, nonzero numbers and choices between them,
    /// and all bools.
    pub fn is_choosable(&self, t: Term, ty: &Ty) -> bool {
        self.leaves(t).is_some_and(|leaves| {
            let known = |t: &Term| self.is_any_lit(*t) || self.positive.contains(t);
            *ty == Ty::Bool || leaves.iter().all(known)
        })
    }

    /// The values that a term chooses from; [`None`] if it has too many parts.
    fn leaves(&self, t: Term) -> Option<Vec<Term>> {
        let (mut open, mut leaves, mut seen) = (vec![t], Vec::new(), HashSet::new());
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.node(t) {
                Node::Choice(_, a, b) => open.extend([*a, *b]),
                _ => leaves.push(t),
            }
            if seen.len() > MAX_PARTS {
                return None;
            }
        }
        Some(leaves)
    }

    /// The value of a condition that is a literal.
    pub fn truth(&self, t: Term) -> Option<bool> {
        match self.node(t) {
            Node::Op(Op::Lit(text, Ty::Bool), _) => Some(text == "true"),
            _ => None,
        }
    }

    fn bool(&mut self, value: bool) -> Term {
        self.make(Node::Op(Op::Lit(value.to_string(), Ty::Bool), Vec::new()))
    }

    /// The result of an operation on literals or choices.
    pub fn fold(&mut self, op: &Op, args: &[Term]) -> Option<Term> {
        match (op, args) {
            (Op::Unary(UnOp::Not), &[a]) => self.fold_not(a),
            (Op::Len, &[a]) => match self.node(a) {
                Node::Op(Op::Repeat(_), parts) => parts.get(1).copied(),
                Node::Op(Op::Aggregate(Ty::Vec(_)), parts) => {
                    let count = parts.len().to_string();
                    Some(self.op(Op::Lit(count, Ty::USIZE), Vec::new()))
                }
                Node::Select(base, key) => {
                    let (base, key) = (*base, key.clone());
                    let (view, rest) = key.split_last()?;
                    let is_view = matches!(view, Step::Range(..) | Step::Head(_) | Step::Tail(_));
                    let len = is_view.then(|| self.len(base, rest))?;
                    Some(self.view_len(len, view))
                }
                _ => None,
            },
            (Op::Binary(BinOp::And), &[a, b]) => self.fold_link(BinOp::And, a, b),
            (Op::Binary(BinOp::Or), &[a, b]) => self.fold_link(BinOp::Or, a, b),
            (Op::Binary(BinOp::BitXor), &[a, b]) => self.fold_xor(a, b),
            (Op::Discrete(name, ty), args) if name.starts_with("wrapping_") => {
                Some(self.arithmetic(name, ty, args.to_vec()))
            }
            (Op::Discrete(..), &[_, _, _, _]) => self.fold_trips(op, args),
            (Op::Discrete(name, _), &[count]) if name == PAIRS => self.fold_pairs(count),
            (Op::Cast(ty @ Ty::Int(_)), &[a]) => match self.constant(a) {
                Some(n) => Some(self.integer(reduced(n, ty), ty)),
                None => self.fold_inverse(op, args),
            },
            (&Op::Binary(op @ (BinOp::Div | BinOp::Shl | BinOp::Shr)), &[a, b]) => {
                let literal = self.fold_constants(op, a, b);
                literal.or_else(|| self.fold_inverse(&Op::Binary(op), args))
            }
            (Op::Binary(op), &[a, b]) if op.is_comparison() => self.fold_comparison(*op, a, b),
            _ => self.fold_inverse(op, args),
        }
    }

    fn fold_not(&mut self, a: Term) -> Option<Term> {
        if let Some(value) = self.truth(a) {
            return Some(self.bool(!value));
        }
        match *self.node(a) {
            Node::Choice(c, x, y) => {
                let not = Op::Unary(UnOp::Not);
                let (x, y) = (self.op(not.clone(), vec![x]), self.op(not, vec![y]));
                Some(self.choice(c, x, y))
            }
            Node::Op(Op::Unary(UnOp::Not), ref args) => Some(args[0]),
            _ => None,
        }
    }

    /// `and` and `or`.
    fn fold_link(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        // The value of an operand that decides.
        let decides = op == BinOp::Or;
        for (x, y) in [(a, b), (b, a)] {
            match self.truth(x) {
                Some(value) if value == decides => return Some(x),
                Some(_) => return Some(y),
                None => {}
            }
        }
        if a == b {
            return Some(a);
        }
        if self.negated(a) == Some(b) || self.negated(b) == Some(a) {
            return Some(self.bool(decides));
        }
        self.distribute(op, a, b)
    }

    fn negated(&self, t: Term) -> Option<Term> {
        match self.node(t) {
            Node::Op(Op::Unary(UnOp::Not), args) => Some(args[0]),
            _ => None,
        }
    }

    fn fold_comparison(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        if let (Some(x), Some(y)) = (self.number(a), self.number(b)) {
            let holds = match op {
                BinOp::Eq => x == y,
                BinOp::Ne => x != y,
                BinOp::Lt => x < y,
                BinOp::Le => x <= y,
                BinOp::Gt => x > y,
                _ => x >= y,
            };
            return Some(self.bool(holds));
        }
        if let Some(equal) = self.equal_by_sign(a, b) {
            return match op {
                BinOp::Eq => Some(self.bool(equal)),
                BinOp::Ne => Some(self.bool(!equal)),
                _ => None,
            };
        }
        let known = |t: &Term| self.number(*t).is_some() || self.positive.contains(t);
        let literals = [a, b].iter().all(|t| {
            let leaves = self.leaves(*t);
            leaves.is_some_and(|l| l.iter().all(known))
        });
        literals.then(|| self.distribute(op, a, b)).flatten()
    }

    /// Whether the two are equal, where one is 0 and the other is not.
    fn equal_by_sign(&self, a: Term, b: Term) -> Option<bool> {
        let differ = |a, b| self.positive.contains(&a) && self.number(b) == Some(0);
        (differ(a, b) || differ(b, a)).then_some(false)
    }

    /// The number that an integer or bool literal is.
    fn number(&self, t: Term) -> Option<u128> {
        match self.node(t) {
            Node::Op(Op::Lit(text, Ty::Int(_)), _) => text.parse().ok(),
            Node::Op(Op::Lit(text, Ty::Bool), _) => Some(u128::from(text == "true")),
            _ => None,
        }
    }

    /// Distributes the operation over both sides of a choice.
    fn distribute(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let choices = [a, b].map(|t| matches!(self.node(t), Node::Choice(..)));
        let tops = [a, b].into_iter().filter_map(|t| self.top(t));
        let condition = tops.min().filter(|_| choices.contains(&true))?;
        let [yes, no] = [true, false].map(|side| {
            let (a, b) = (
                self.given(a, condition, side),
                self.given(b, condition, side),
            );
            self.op(Op::Binary(op), vec![a, b])
        });
        Some(self.choice(condition, yes, no))
    }
}
