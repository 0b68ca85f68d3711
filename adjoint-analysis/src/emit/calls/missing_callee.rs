//! External callees: functions whose definition the macro doesn't see. Only rustc knows whether they have an adjoint.
//!
//! If only some callers need the derivative of a call, the others need no adjoint of the callee: with arguments that
//! aren't varied, its result is a constant. Then the callee is called as written if the caller context says that its
//! reverse sweep does nothing ([`super::conditional`]). The fallback sweeps of a callee without an adjoint
//! ([`super::fallback`]) are compile errors: for the contexts that need it, or unconditionally if all callers do.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenTree};

use super::links::Which;
use super::numbers;
use super::{LIKE_MEM, holds_open};
use crate::emit::interface::{by_value_sweep, method_sweep};
use crate::emit::types::tokens;
use crate::emit::{Emit, ident};
use crate::ir::demand::RESULT_BIT;
use crate::ir::{Arg, Call, Expr, FloatTy, IntTy, Mode, Place, StmtId, StmtKind, Told, Ty};
use crate::lower::Environment;

/// How rustc looks up the sweeps of a callee.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// By path; the number of the handle in the list of callees.
    Handle(usize),
    /// By the name of a method or associated function, and whether its first argument is passed by value.
    Sibling(String, bool),
}

impl Name {
    /// The name of a sweep, or of a function on the result.
    pub fn function(&self, which: &str) -> Ident {
        match self {
            Name::Handle(_) => Ident::new(which, Span::call_site()),
            Name::Sibling(name, by_value) => {
                let which = match by_value {
                    true => by_value_sweep(which),
                    false => which,
                };
                method_sweep(&ident(name, Span::call_site()), which)
            }
        }
    }
}

/// The external callees of a function.
#[derive(Default)]
pub struct Unseen {
    /// The callees, by how they are looked up.
    pub callees: BTreeMap<Name, Callee>,
    /// The external methods that may be methods of numbers.
    pub of_numbers: Vec<numbers::Method>,
}

/// An external callee, as known from its calls.
#[derive(Clone)]
pub struct Callee {
    /// The form of its first call.
    pub form: Form,
    /// The callers that need its adjoint.
    pub needed: Needed,
    /// Whether it is called with a receiver.
    pub is_method: bool,
    /// Whether autoderef of the receivers can't find another method of the name: their types are named and aren't
    /// pointers.
    pub is_last: bool,
    /// The position of the first call.
    pub at: Span,
}

/// Which callers need the adjoint of a callee.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// All callers.
    Always,
    /// The callers whose contexts say so.
    Sometimes,
}

/// The form of a call, which determines the signatures of the sweeps.
#[derive(Clone, PartialEq)]
pub struct Form {
    /// For each explicit generic argument, whether it is a constant.
    pub named: Vec<bool>,
    /// Whether the receiver is passed as `&mut`.
    pub lends_mut: bool,
    /// For each argument, whether it is passed by value.
    pub by_value: Vec<bool>,
    /// The type of the reverse sweep's seed.
    pub seed: Seed,
}

/// The type of the seed of a reverse sweep.
#[derive(Clone, PartialEq)]
pub enum Seed {
    /// No floats.
    Nothing,
    /// A float.
    Float,
    /// A type that can be named outside of the function.
    Named(Ty),
    /// A type that only the callee knows, or that isn't in scope there.
    Untold,
}

impl Seed {
    fn of(ty: Option<&Ty>) -> Seed {
        match ty.filter(|ty| ty.carries_floats()) {
            None => Seed::Nothing,
            Some(Ty::Float(_)) => Seed::Float,
            Some(ty) if is_named(ty) => Seed::Named(ty.clone()),
            Some(_) => Seed::Untold,
        }
    }
}

/// Whether the type can be named outside of the function, without its generic parameters.
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

impl Unseen {
    /// Whether rustc may reject the function for some of its callers.
    pub fn is_decided_by_callers(&self) -> bool {
        let mut callees = self.callees.values();
        callees.any(|callee| callee.needed == Needed::Sometimes)
    }

    fn add(&mut self, name: Name, new: Callee) {
        let Some(known) = self.callees.get_mut(&name) else {
            self.callees.insert(name, new);
            return;
        };
        if new.needed == Needed::Always || known.form != new.form {
            known.needed = Needed::Always;
        }
        known.is_last &= new.is_last;
    }
}

impl Emit<'_> {
    /// Collects the external callees.
    pub fn find_unseen(&mut self, env: &Environment) {
        let mut unseen = Unseen::default();
        self.plan.forward.walk(&mut |stmt| {
            let StmtKind::Forward(call) = &stmt.kind else {
                return;
            };
            if let Some(name) = self.sweeps_name(call).filter(|_| !is_seen(call, env)) {
                let number = method_of_number(call);
                if let Some(method) = number.filter(|m| !unseen.of_numbers.contains(m)) {
                    unseen.of_numbers.push(method);
                }
                unseen.add(name, self.unseen_callee(stmt.id, call, env));
            }
        });
        self.unseen = unseen.into();
    }

    /// How the callee's sweeps are looked up; `None` for an operator, or if there are too many callees.
    pub fn sweeps_name(&self, call: &Call) -> Option<Name> {
        let callee = &call.callee;
        if callee.operator().is_some() {
            return None;
        }
        if let Some(method) = callee.name.strip_prefix('.') {
            return Some(Name::Sibling(method.to_string(), false));
        }
        if let Some((_, function)) = callee.of_type() {
            let by_value = matches!(call.args.first(), Some(Arg::Value(_)));
            return Some(Name::Sibling(function, by_value));
        }
        match LIKE_MEM.contains(&callee.name.as_str()) {
            true => None,
            false => self.asked.number(callee).map(Name::Handle),
        }
    }

    /// What one call shows about its external callee.
    fn unseen_callee(&self, id: StmtId, call: &Call, env: &Environment) -> Callee {
        let form = self.form(call, env);
        let is_closure = |arg: &Arg| matches!(arg, Arg::Value(Expr::Code(_, _, Ty::Discrete(_))));
        // Only the callee knows the parameter types of closures, and the types of constant arguments. A method may take
        // an owned receiver by value, which a fallback sweep can't.
        let mode = |place: &Place| self.plan.func.var(place.root).mode;
        let is_told = call
            .receiver()
            .is_none_or(|place| mode(place) != Mode::Owned)
            && !form.named.contains(&true)
            && !call.args.iter().any(is_closure)
            && self.tells_result(call, &form.seed, env);
        Callee {
            form,
            needed: match is_told && self.may_be_needless(id) {
                true => Needed::Sometimes,
                false => Needed::Always,
            },
            is_method: call.callee.is_method(),
            is_last: method_of_number(call).is_none() && is_last(call),
            at: self.span_of(call),
        }
    }

    /// Whether the callee is external.
    pub fn is_unseen(&self, call: &Call) -> bool {
        self.unseen_of(call).is_some()
    }

    /// The external callee of the call, if it is one.
    pub fn unseen_of(&self, call: &Call) -> Option<&Callee> {
        self.unseen.callees.get(&self.sweeps_name(call)?)
    }

    /// The position of the callee's name.
    pub fn span_of(&self, call: &Call) -> Span {
        let (mut depth, mut last) = (0, None);
        for token in self.path(call).into_iter() {
            match token {
                TokenTree::Punct(p) if p.as_char() == '<' => depth += 1,
                TokenTree::Punct(p) if p.as_char() == '>' => depth -= 1,
                TokenTree::Ident(name) if depth == 0 => last = Some(name.span()),
                _ => {}
            }
        }
        last.unwrap_or_else(Span::call_site)
    }

    fn form(&self, call: &Call, env: &Environment) -> Form {
        let by_value = |arg: &Arg| matches!(arg, Arg::Value(_));
        Form {
            named: self.named_by(call, env),
            lends_mut: self.is_lent_as_mut(call),
            by_value: call.args.iter().map(by_value).collect(),
            seed: Seed::of(call.result.map(|v| &self.plan.func.var(v).ty)),
        }
    }

    /// For each explicit generic argument of the call, whether it is a constant.
    fn named_by(&self, call: &Call, env: &Environment) -> Vec<bool> {
        if !call.callee.is_method() && !call.callee.name.contains('<') {
            return Vec::new();
        }
        let path: syn::Result<syn::ExprPath> = syn::parse2(self.path(call).into());
        let arguments = path.map(|path| path.path.segments.last().map(|s| s.arguments.clone()));
        let Ok(Some(syn::PathArguments::AngleBracketed(named))) = arguments else {
            return Vec::new();
        };
        let is_number = |arg: &syn::GenericArgument| {
            let text = crate::lower::types::text(arg);
            let is_param = || env.const_params.iter().any(|(name, _)| *name == text);
            !matches!(arg, syn::GenericArgument::Type(_)) || is_param()
        };
        named.args.iter().map(is_number).collect()
    }

    /// Whether the receiver is passed as `&mut` and is a `&mut` of the user's.
    fn is_lent_as_mut(&self, call: &Call) -> bool {
        let Some(Arg::Mut(place)) = call.args.first().filter(|_| call.callee.is_method()) else {
            return false;
        };
        self.plan.func.var(place.root).mode == Mode::Mut
    }

    /// Whether the function can handle the result without the functions of the callee's handle.
    fn tells_result(&self, call: &Call, seed: &Seed, env: &Environment) -> bool {
        let Some(v) = call.result else {
            return true;
        };
        let ty = &self.plan.func.var(v).ty;
        let is_open = tokens(ty).is_none() || holds_open(ty);
        let is_generic = !env.float_params.is_empty();
        match (is_open, seed) {
            _ if !ty.carries_floats() => true,
            (false, Seed::Float | Seed::Named(_)) => true,
            _ if is_generic => false,
            (false, _) => true,
            (true, _) => self.is_told_by_call(v),
        }
    }

    /// Whether the call is itself a type witness of its result.
    pub fn is_told_by_call(&self, v: crate::ir::VarId) -> bool {
        let told = self.plan.func.told(v);
        matches!(told, Some(Told::Call(..) | Told::Method(..)))
    }

    /// Whether some callers may need no derivative through the call.
    fn may_be_needless(&self, id: StmtId) -> bool {
        self.plan.calls.get(&id).is_some_and(|site| {
            !(self.holds_for_all(&site.varied, Which::Varied)
                && self.holds_for_all(&site.useful, Which::Useful))
        })
    }

    /// Whether one of the masks holds for every caller that needs any derivative.
    fn holds_for_all(&self, masks: &[u64], which: Which) -> bool {
        let all = masks.iter().fold(0, |all, mask| all | mask);
        let returned = self.plan.func.ret.map(|v| &self.plan.func.var(v).ty);
        let own = match (which, returned.is_some_and(Ty::carries_floats)) {
            (Which::Useful, false) => which.own(self.plan) & !RESULT_BIT,
            _ => which.own(self.plan),
        };
        which.certain(self.plan, all) & own == own
    }
}

fn method_of_number(call: &Call) -> Option<numbers::Method> {
    numbers::Method::of(call.callee.name.strip_prefix('.')?, call)
}

/// Whether the macro sees the callee's definition.
fn is_seen(call: &Call, env: &Environment) -> bool {
    let callee = &call.callee;
    if let Some(method) = callee.name.strip_prefix('.') {
        return method_of_number(call).is_none() && env.seen.has_method(method);
    }
    match callee.of_type() {
        Some((owner, name)) => env.seen.method(env.own_name(&owner), &name).is_some(),
        None => env.summaries.contains_key(&callee.name),
    }
}

/// Whether the receiver has a named type that isn't a smart pointer.
fn is_last(call: &Call) -> bool {
    const POINTERS: [&str; 12] = [
        "Arc",
        "Box",
        "Cow",
        "LazyLock",
        "ManuallyDrop",
        "MutexGuard",
        "Pin",
        "Rc",
        "Ref",
        "RefMut",
        "RwLockReadGuard",
        "RwLockWriteGuard",
    ];
    match call.receiver().map(|place| &place.ty) {
        None => true,
        Some(Ty::Named(name)) => {
            let path = name.split('<').next().unwrap_or_default();
            let last = path.rsplit("::").next().unwrap_or_default().trim();
            !POINTERS.contains(&last)
        }
        Some(_) => false,
    }
}
