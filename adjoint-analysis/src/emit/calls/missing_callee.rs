//! The callees of which nothing is seen but how they are called: they may lack an adjoint, which only rustc knows.
//!
//! A call through which a derivative goes for some callers only needs nothing for the others: what an argument that is
//! not varied gives is a constant. So the callee is called as it is written where the context says that its reverse sweep
//! does nothing ([`super::conditional`]). What stands for sweeps that a callee lacks ([`super::fallback`]) is refused by
//! rustc: for the contexts that need it, or where a derivative goes through for every caller, at once.

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

/// What the sweeps of a callee are found by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A path: the number of the handle in the list of callees.
    Handle(usize),
    /// The name of a method or a function of a type, and whether its first argument is given by value.
    Sibling(String, bool),
}

impl Name {
    /// The sweep of a callee, or what is done with its result.
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

/// All that is not seen of a function's callees.
#[derive(Default)]
pub struct Unseen {
    /// How they are called.
    pub callees: BTreeMap<Name, Callee>,
    /// The methods among them that may be those of numbers.
    pub of_numbers: Vec<numbers::Method>,
}

/// What is known of one of them.
#[derive(Clone)]
pub struct Callee {
    /// The form of its calls, or of the first one where they differ.
    pub form: Form,
    /// Who needs its adjoint.
    pub needed: Needed,
    /// Whether it is called with a receiver.
    pub is_method: bool,
    /// Whether rustc finds nothing of the name by going on from the receivers' types: these are known by their names.
    pub is_last: bool,
    /// Where it is called first.
    pub at: Span,
}

/// Which callers need the adjoint of a callee.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// All of them.
    Always,
    /// Those whose contexts say so.
    Sometimes,
}

/// The form of a call, which is that of the sweeps.
#[derive(Clone, PartialEq)]
pub struct Form {
    /// For each of the types and numbers that the call names, whether it is a number.
    pub named: Vec<bool>,
    /// Whether the receiver is lent as `&mut`.
    pub lends_mut: bool,
    /// For each argument, whether it is passed by value.
    pub by_value: Vec<bool>,
    /// What the reverse sweep takes for the adjoint of the result.
    pub seed: Seed,
}

/// What a reverse sweep takes for the adjoint of a result.
#[derive(Clone, PartialEq)]
pub enum Seed {
    /// There is nothing.
    Nothing,
    /// A float.
    Float,
    /// A value of a type that can be named beside the function.
    Named(Ty),
    /// A value of a type that only the callee knows, or that is not in sight there.
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

/// Whether code that stands beside the function can name the type: it sees none of its parameters.
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
    /// Whether rustc may refuse something for some callers of the function.
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
    /// Finds the callees that are not seen.
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

    /// What the sweeps of the callee are found by, unless that is an operator, or the callees are too many.
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

    /// What a call says of its callee.
    fn unseen_callee(&self, id: StmtId, call: &Call, env: &Environment) -> Callee {
        let form = self.form(call, env);
        let is_closure = |arg: &Arg| matches!(arg, Arg::Value(Expr::Code(_, _, Ty::Discrete(_))));
        // What closures take, only the callee tells, and what type a number is of.
        // A method may take a receiver of the function's own by value, which a sweep does not.
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

    /// Whether the callee is not seen.
    pub fn is_unseen(&self, call: &Call) -> bool {
        self.unseen_of(call).is_some()
    }

    /// What is known of the callee, if it is not seen.
    pub fn unseen_of(&self, call: &Call) -> Option<&Callee> {
        self.unseen.callees.get(&self.sweeps_name(call)?)
    }

    /// Where the callee is named.
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

    /// For each of the types and numbers that the call names, whether it is a number.
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

    /// Whether the receiver may be changed, as the user has it by `&mut`.
    fn is_lent_as_mut(&self, call: &Call) -> bool {
        let Some(Arg::Mut(place)) = call.args.first().filter(|_| call.callee.is_method()) else {
            return false;
        };
        self.plan.func.var(place.root).mode == Mode::Mut
    }

    /// Whether the function can do without what the callee's handle knows of the result.
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

    /// Whether the call itself tells the type of its result.
    pub fn is_told_by_call(&self, v: crate::ir::VarId) -> bool {
        let told = self.plan.func.told(v);
        matches!(told, Some(Told::Call(..) | Told::Method(..)))
    }

    /// Whether there may be callers for which no derivative goes through the call.
    fn may_be_needless(&self, id: StmtId) -> bool {
        self.plan.calls.get(&id).is_some_and(|site| {
            !(self.holds_for_all(&site.varied, Which::Varied)
                && self.holds_for_all(&site.useful, Which::Useful))
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
}

fn method_of_number(call: &Call) -> Option<numbers::Method> {
    numbers::Method::of(call.callee.name.strip_prefix('.')?, call)
}

/// Whether the body of the callee is seen.
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

/// Whether the receiver is of a type that is known by its name, and points to nothing.
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
