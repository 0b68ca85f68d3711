//! Calls through which a derivative goes for some callers only, of functions that are not seen.
//!
//! For the others they need nothing: what an argument that is not varied gives is a constant. So the callee is called as
//! it is written where the context says that its reverse sweep does nothing. It then may lack an adjoint, which only
//! rustc knows: a fallback type stands for its handle, whose sweeps are refused for the contexts that need them. A call
//! through which a derivative goes for every caller is refused at once ([`super::calls`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span};

use super::calls::is_like_mem;
use super::links::Which;
use super::piece::{Piece, code};
use super::types::tokens;
use super::{Emit, private};
use crate::ir::demand::RESULT_BIT;
use crate::ir::{Arg, Block, Call, Demand, FloatTy, IntTy, Stmt, StmtId, StmtKind, Ty};
use crate::lower::Environment;
use crate::plan::Plan;

/// What is known of such calls.
#[derive(Default)]
pub struct Sometimes {
    /// The callees, by their numbers in the list of callees, and how they are called.
    callees: BTreeMap<usize, Form>,
    /// For whom they are reversed, where the context of the call says the same as the demand of its reversal.
    reversed: BTreeMap<StmtId, Demand>,
}

/// The form of a call, which is that of the sweeps.
#[derive(Clone, PartialEq)]
struct Form {
    /// For each argument, whether it is passed by value.
    by_value: Vec<bool>,
    /// The type of the result, where that carries floats.
    seed: Option<Ty>,
}

impl Form {
    /// Nothing, where the types of the sweeps could not be told without the callee.
    fn of(plan: &Plan, call: &Call) -> Option<Form> {
        let seed = call.result.map(|v| plan.func.var(v).ty.clone());
        let seed = seed.filter(Ty::carries_floats);
        let by_value = |arg: &Arg| matches!(arg, Arg::Value(_));
        seed.iter().all(is_told).then(|| Form {
            by_value: call.args.iter().map(by_value).collect(),
            seed,
        })
    }

    fn seed_type(&self) -> Piece {
        let p = private();
        match &self.seed {
            None => code!(()),
            Some(Ty::Float(_)) => code!(#p::Unread),
            Some(ty) => tokens(ty).unwrap_or_else(Piece::empty),
        }
    }
}

/// Whether code that stands beside the function can take a value of the type: it sees none of its parameters.
fn is_told(ty: &Ty) -> bool {
    match ty {
        Ty::Float(float) => *float != FloatTy::Infer,
        ty => is_named(ty),
    }
}

/// Whether the type can be named there.
fn is_named(ty: &Ty) -> bool {
    match ty {
        Ty::Float(FloatTy::F32 | FloatTy::F64) | Ty::Bool | Ty::Unit => true,
        Ty::Int(int) => *int != IntTy::Infer,
        Ty::Array(t, n) => n.parse::<usize>().is_ok() && is_named(t),
        Ty::Vec(t) | Ty::Option(t) => is_named(t),
        Ty::Tuple(ts) => ts.iter().all(is_named),
        _ => false,
    }
}

impl Sometimes {
    /// Whether the n-th callee is one of them.
    pub fn holds(&self, n: usize) -> bool {
        self.callees.contains_key(&n)
    }

    /// Whether rustc may refuse something for some callers of the function.
    pub fn is_decided_by_callers(&self) -> bool {
        !self.callees.is_empty()
    }
}

impl Emit<'_> {
    /// Finds these callees: all calls of one have to be of this kind, and alike.
    pub fn find_sometimes(&mut self, env: &Environment) {
        let (mut found, mut others) = (BTreeMap::<usize, Form>::new(), BTreeSet::new());
        self.plan.forward.walk(&mut |stmt| {
            let StmtKind::Forward(call) = &stmt.kind else {
                return;
            };
            let Some(n) = self.asked.number(&call.callee) else {
                return;
            };
            let form = Form::of(self.plan, call);
            let form = form.filter(|_| self.may_be_needless(stmt.id, call, env));
            match form {
                Some(form) if found.get(&n).is_none_or(|f| *f == form) => {
                    found.insert(n, form);
                }
                _ => drop(others.insert(n)),
            }
        });
        found.retain(|n, _| !others.contains(n));
        self.sometimes = Rc::new(Sometimes {
            reversed: reversed(self.plan),
            callees: found,
        });
    }

    /// Whether there may be callers for which no derivative goes through the call.
    fn may_be_needless(&self, id: StmtId, call: &Call, env: &Environment) -> bool {
        let is_seen = env.summaries.contains_key(&call.callee.name);
        let Some(site) = self.plan.calls.get(&id) else {
            return false;
        };
        let always = self.holds_for_all(&site.varied, Which::Varied)
            && self.holds_for_all(&site.useful, Which::Useful);
        !is_seen && !always && call.callee.has_handle() && self.is_plainly_named(call)
    }

    /// Whether the callee is named without arguments, and not like a function of `std::mem`.
    fn is_plainly_named(&self, call: &Call) -> bool {
        let path: syn::Result<syn::ExprPath> = syn::parse2(self.path(call).into());
        path.is_ok_and(|path| {
            let last = path.path.segments.last();
            last.is_some_and(|s| s.arguments.is_none()) && !is_like_mem(&path)
        })
    }

    /// Whether one of the masks holds for each caller that wants any derivative.
    fn holds_for_all(&self, masks: &[u64], which: Which) -> bool {
        let all = masks.iter().fold(0, |all, mask| all | mask);
        let returned = self.plan.func.ret.map(|v| &self.plan.func.var(v).ty);
        let own = match (which, returned.is_some_and(Ty::carries_floats)) {
            (Which::Useful, false) => which.own(self.plan) & !RESULT_BIT,
            _ => which.own(self.plan),
        };
        which.certain(self.plan, all) & own == own
    }

    /// Whether the call is of such a callee.
    pub fn is_sometimes(&self, call: &Call) -> bool {
        let n = self.asked.number(&call.callee);
        n.is_some_and(|n| self.sometimes.holds(n))
    }

    /// The forward sweep of the callee for whom it is reversed, and the call for all others.
    pub fn where_reversed(&self, id: StmtId, sweep: Piece, call: Piece) -> Piece {
        match self.sometimes.reversed.get(&id) {
            Some(demand) => self.either(*demand, sweep, call),
            None => {
                let reversed = self.reverses(id);
                code!(if #reversed { #sweep } else { #call })
            }
        }
    }

    /// The reversal of a call, which may be demanded by more callers than the context of the call tells.
    pub fn where_callees_are_reversed(&self, body: &Block, code: Piece) -> Piece {
        let reversed = body.stmts.iter().find_map(|stmt| match &stmt.kind {
            StmtKind::Reverse { call, .. } if self.is_sometimes(call) => Some(stmt.id),
            _ => None,
        });
        let untold = reversed.filter(|id| !self.sometimes.reversed.contains_key(id));
        match untold.map(|id| self.reverses(id)) {
            Some(reversed) => code!(if #reversed { #code }),
            None => code,
        }
    }

    /// Whether the reverse sweep of the callee does anything, as a constant.
    fn reverses(&self, id: StmtId) -> Piece {
        let (p, site) = (private(), self.site_of(id));
        code!(const { #p::is_reversed::<#site>() })
    }

    /// Declares the sweeps of those among these callees that have none.
    pub fn declared_sometimes(&self, callees: impl Iterator<Item = usize>) -> Piece {
        let p = private();
        let callees = callees.filter_map(|n| self.sometimes.callees.get(&n).map(|form| (n, form)));
        let declared: Piece = callees
            .map(|(n, form)| self.refused_sweeps(n, form))
            .collect();
        match declared.is_empty() {
            true => declared,
            false => code!(use #p::fallback::sometimes::*;).then(declared),
        }
    }

    /// The sweeps of a callee without an adjoint.
    fn refused_sweeps(&self, n: usize, form: &Form) -> Piece {
        let (p, path) = (private(), self.callee_path(self.asked.callees[n]));
        let name = path.path.segments.last().map(|s| &s.ident);
        let at = name.map_or_else(Span::call_site, Ident::span);
        let message = format!(
            "`{}` is called with values that depend on the independents for a caller of `{}`, and has no adjoint. \
             help: annotate it with `#[adjoint]`, or with `#[adjoint(custom = path)]` if its adjoint is written by \
             hand; if what it gives is to be taken for a constant, name it in the `#[adjoint(inactive(..))]` of `{1}`",
            name.map_or_else(String::new, Ident::to_string),
            self.plan.func.name,
        );
        let message = Literal::string(&message);
        let refused = code!(const { #p::needs_no_adjoint::<C>(#message) }).located_at(at);
        let (mut types, mut adjoint_types) = (Piece::empty(), Piece::empty());
        let (mut args, mut both, mut increments) = (Piece::empty(), Piece::empty(), Piece::empty());
        for (k, by_value) in form.by_value.iter().enumerate() {
            let [arg, adjoint] = &["A", "B"].map(|of| Piece::name(&format!("{of}{k}")));
            types.add(code!(#arg,));
            args.add(code!(_: #arg,));
            both.add(code!(_: #arg,));
            match by_value {
                true => increments.add(code!(#arg,)),
                false => {
                    adjoint_types.add(code!(#adjoint,));
                    both.add(code!(_: #adjoint,));
                }
            }
        }
        let (name, types) = (&Piece::name(&format!("__Sometimes{n}")), &types);
        let seed = form.seed_type();
        let number = Literal::usize_unsuffixed(n);
        code! {
            trait #name {
                fn forward<#types R, C: #p::Context>(_: C, _: &mut #p::Tape, #args) -> R {
                    #refused;
                    ::core::unreachable!()
                }
                fn reverse<#types #adjoint_types C: #p::Context>(
                    _: C,
                    _: &mut #p::Tape,
                    #both
                    _: #seed,
                ) -> (#increments) {
                    ::core::unreachable!()
                }
            }
            impl #name for #p::fallback::Sometimes<#number> {}
        }
    }
}

/// For whom calls are reversed, where that is told alike by the plan and by what the callee is told.
fn reversed(plan: &Plan) -> BTreeMap<StmtId, Demand> {
    let mut found = BTreeMap::new();
    plan.reverse.walk(&mut |stmt| {
        let StmtKind::When(demand, body) = &stmt.kind else {
            return;
        };
        let is_reversal = |s: &&Stmt| matches!(s.kind, StmtKind::Reverse { .. });
        if let Some(site) = body
            .stmts
            .iter()
            .find(is_reversal)
            .map(|s| plan.calls.get(&s.id))
            && site.is_some_and(|site| site.is_reversed_for(*demand))
        {
            found.insert(stmt.id, *demand);
        }
    });
    found
}
