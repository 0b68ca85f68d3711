//! Branches that only choose values, in loops of which a processor takes several iterations at a time.
//!
//! Such a loop can't jump. Both arms are run, each on copies of the numbers that it writes, and a mask chooses. So nothing in
//! them may panic, have another effect, or cost more than a few operations.

use proc_macro2::{Ident, Span};

use super::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{BinOp, Block, Expr, Intrinsic, Place, StmtKind, UnOp};
use crate::rules;

/// How many operations a processor does rather than to predict a jump.
const OPERATIONS: usize = 12;

/// An arm, and what it writes that is declared in front of the branch.
struct Arm<'a> {
    block: &'a Block,
    written: Vec<Place>,
    /// The names of its copies.
    copies: Vec<Ident>,
}

impl Emit<'_> {
    /// The branch without a jump, if it is one of these.
    pub(super) fn selected(&self, test: &Expr, arms: [&Block; 2]) -> Option<TokenBuf> {
        let mut operations = 0;
        let mut only_choose = arms
            .iter()
            .map(|arm| self.only_chooses(arm, &mut operations));
        if !self.is_in_vector_loop || !only_choose.all(|only| only) || operations > OPERATIONS {
            return None;
        }
        let [then, els] = [("on_then", arms[0]), ("on_else", arms[1])].map(|(name, block)| {
            let written = written_in(block);
            // In branches inside, the copies have other names: there are more elements.
            let copy = |n| local(&format!("{name}_{}", self.elements.len() + n));
            let copies = (0..written.len()).map(copy).collect();
            Arm {
                block,
                written,
                copies,
            }
        });
        let only_in_els = els.written.iter().filter(|p| !then.written.contains(p));
        let is_chosen = &local(&format!("is_chosen_{}", self.elements.len()));
        let values = then.written.iter().chain(only_in_els).map(|p| {
            let (a, b) = (self.value_in(&then, p), self.value_in(&els, p));
            let place = self.place_mut(p);
            code!(#place = ::core::hint::select_unpredictable(#is_chosen, #a, #b);)
        });
        let (values, test) = (values.collect::<TokenBuf>(), self.expr(test));
        let (on_then, on_else) = (self.run_on_copies(&then), self.run_on_copies(&els));
        Some(code!({ let #is_chosen = #test; #on_then #on_else #values }))
    }

    /// The value of a place behind an arm.
    fn value_in(&self, arm: &Arm<'_>, place: &Place) -> TokenBuf {
        match arm.written.iter().position(|p| p == place) {
            Some(n) => arm.copies[n].clone().into(),
            None => self.place(place),
        }
    }

    /// Declares the copies, as the arm leaves them.
    fn run_on_copies(&self, arm: &Arm<'_>) -> TokenBuf {
        if arm.written.is_empty() {
            return TokenBuf::empty();
        }
        let copies = &arm.copies;
        let renamed = arm.written.iter().zip(copies);
        let (mut elements, mut declared) = (Vec::new(), TokenBuf::empty());
        for (place, copy) in renamed {
            let value = self.place(place);
            declared.add(code!(let mut #copy = #value;));
            elements.push((place.clone(), copy.clone().into()));
        }
        elements.extend(self.elements.iter().cloned());
        let inside = Emit {
            elements,
            ..self.fork()
        };
        let run = inside.block(arm.block);
        code!(let (#(#copies,)*) = { #declared #run (#(#copies,)*) };)
    }

    /// Whether the arm only computes numbers. Counts its operations.
    fn only_chooses(&self, arm: &Block, operations: &mut usize) -> bool {
        let is_machine_float = |v| self.plan.func.var(v).ty.is_machine_float();
        arm.stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Let(v, None) => is_machine_float(*v),
            StmtKind::Let(v, Some(e)) => is_machine_float(*v) && self.is_cheap(e, operations),
            StmtKind::Assign(p, e) | StmtKind::Incr(p, e) => {
                self.is_number(p) && self.is_cheap(e, operations)
            }
            StmtKind::Zero(p) => self.is_number(p),
            StmtKind::If(test, then, els) => {
                self.is_cheap(test, operations)
                    && self.only_chooses(then, operations)
                    && self.only_chooses(els, operations)
            }
            _ => false,
        })
    }

    fn is_number(&self, place: &Place) -> bool {
        place.ty.is_machine_float() && self.is_there(place)
    }

    /// Whether the place is there in each iteration: a scalar variable of the sweep, or an element of a view.
    fn is_there(&self, place: &Place) -> bool {
        let is_variable = place.is_whole() && !self.is_reference(place.root);
        let is_same = |e: &Place| e.root == place.root && e.proj == place.proj;
        let is_element = || self.elements.iter().any(|(e, _)| is_same(e));
        place.ty.is_scalar() && (is_variable || is_element())
    }

    /// Whether the expression can't panic, and a processor has operations for it. Counts them.
    fn is_cheap(&self, e: &Expr, operations: &mut usize) -> bool {
        let is_float = |e: &Expr| e.ty(&self.plan.func).is_machine_float();
        let is_cheap = match e {
            Expr::Lit(..) | Expr::Preaccumulated(..) | Expr::Scale(..) => true,
            Expr::Read(place) => return self.is_there(place),
            Expr::Unary(op, a) => *op == UnOp::Not || is_float(a),
            Expr::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, _) => is_float(a),
            Expr::Binary(op, ..) => op.is_comparison() || op.is_lazy(),
            Expr::Partial(name, _) => rules::is_choice_name(name),
            Expr::Intrinsic(op, args) => {
                matches!(op, Intrinsic::Abs | Intrinsic::Max | Intrinsic::Min) && is_float(&args[0])
            }
            _ => false,
        };
        *operations += usize::from(!matches!(e, Expr::Lit(..)));
        let mut children = e.children().into_iter();
        is_cheap && children.all(|e| self.is_cheap(e, operations))
    }
}

/// The places that the arm writes and doesn't declare.
fn written_in(arm: &Block) -> Vec<Place> {
    let (mut written, mut declared) = (Vec::new(), Vec::new());
    arm.walk(&mut |s| {
        declared.extend(s.declared());
        for place in s.written() {
            if !declared.contains(&place.root) && !written.contains(place) {
                written.push(place.clone());
            }
        }
    });
    written
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
