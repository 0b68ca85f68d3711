//! External callees: functions whose definition the macro doesn't see. Only rustc knows whether they have an adjoint.
//!
//! If only some callers need the derivative of a call, the others need no adjoint of the callee: with arguments that
//! aren't varied, its result is a constant. Then the callee is called as written if the caller context says that its
//! reverse sweep does nothing ([`super::conditional`]). The fallback sweeps of a callee without an adjoint
//! ([`super::fallback`]) are compile errors: for the contexts that need it, or unconditionally if all callers do.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenTree};

use super::links::Direction;
use super::number_methods;
use super::{MEM_FUNCTIONS, contains_inferred_number};
use crate::emit::interface::{by_value_sweep, method_sweep};
use crate::emit::types::type_tokens;
use crate::emit::{Emit, ident};
use crate::ir::demand::RESULT_BIT;
use crate::ir::{Arg, Call, Expr, FloatTy, IntTy, Mode, Place, StmtId, StmtKind, Ty, TypeWitness};
use crate::lower::Environment;

/// How rustc looks up the sweeps of a callee.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SweepKey {
    /// By path; the number of the handle in the list of callees.
    Handle(usize),
    /// By the name of a method or associated function, and whether its first argument is passed by value.
    Sibling(String, bool),
}

impl SweepKey {
    /// The name of a sweep, or of a function on the result.
    pub fn sweep_name(&self, which: &str) -> Ident {
        match self {
            SweepKey::Handle(_) => Ident::new(which, Span::call_site()),
            SweepKey::Sibling(name, by_value) => {
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
pub struct ExternalCallees {
    /// The callees, by how they are looked up.
    pub callees: BTreeMap<SweepKey, ExternalCallee>,
    /// The external methods that may be methods of numbers.
    pub number_methods: Vec<number_methods::NumberMethod>,
}

/// An external callee, as known from its calls.
#[derive(Clone)]
pub struct ExternalCallee {
    /// The form of its first call.
    pub form: CallForm,
    /// The callers that need its adjoint.
    pub needed_by: NeededBy,
    /// Whether it is called with a receiver.
    pub is_method: bool,
    /// Whether autoderef of the receivers can't find another method of the name: their types are named and aren't
    /// pointers.
    pub is_non_pointer: bool,
    /// The position of the first call.
    pub span: Span,
}

/// Which callers need the adjoint of a callee.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NeededBy {
    /// All callers.
    AllCallers,
    /// The callers whose contexts say so.
    SomeCallers,
}

/// The form of a call, which determines the signatures of the sweeps.
#[derive(Clone, PartialEq)]
pub struct CallForm {
    /// For each explicit generic argument, whether it is a constant.
    pub const_generics: Vec<bool>,
    /// Whether the receiver is passed as `&mut`.
    pub mut_receiver: bool,
    /// For each argument, whether it is passed by value.
    pub by_value: Vec<bool>,
    /// The type of the reverse sweep's seed.
    pub seed: SeedType,
}

/// The type of the seed of a reverse sweep.
#[derive(Clone, PartialEq)]
pub enum SeedType {
    /// No floats.
    NoFloats,
    /// A float.
    Float,
    /// A type that can be named outside of the function.
    Named(Ty),
    /// A type that only the callee knows, or that isn't in scope there.
    Unknown,
}

impl SeedType {
    fn of(ty: Option<&Ty>) -> SeedType {
        match ty.filter(|ty| ty.carries_floats()) {
            None => SeedType::NoFloats,
            Some(Ty::Float(_)) => SeedType::Float,
            Some(ty) if is_nameable(ty) => SeedType::Named(ty.clone()),
            Some(_) => SeedType::Unknown,
        }
    }
}

/// Whether the type can be named outside of the function, without its generic parameters.
fn is_nameable(ty: &Ty) -> bool {
    match ty {
        Ty::Float(FloatTy::F32 | FloatTy::F64) | Ty::Bool | Ty::Unit => true,
        Ty::Int(int) => *int != IntTy::Infer,
        Ty::Array(t, n) => n.parse::<usize>().is_ok() && is_nameable(t),
        Ty::Vec(t) | Ty::Option(t) => is_nameable(t),
        Ty::Tuple(ts) => ts.iter().all(is_nameable),
        _ => false,
    }
}

impl ExternalCallees {
    /// Whether rustc may reject the function for some of its callers.
    pub fn may_reject_callers(&self) -> bool {
        let mut callees = self.callees.values();
        callees.any(|callee| callee.needed_by == NeededBy::SomeCallers)
    }

    fn add(&mut self, name: SweepKey, new: ExternalCallee) {
        let Some(known) = self.callees.get_mut(&name) else {
            self.callees.insert(name, new);
            return;
        };
        if new.needed_by == NeededBy::AllCallers || known.form != new.form {
            known.needed_by = NeededBy::AllCallers;
        }
        known.is_non_pointer &= new.is_non_pointer;
    }
}

impl Emit<'_> {
    /// Collects the external callees.
    pub fn collect_externals(&mut self, env: &Environment) {
        let mut unseen = ExternalCallees::default();
        self.plan.each_forward_stmt(&mut |stmt| {
            let StmtKind::Forward(call) = &stmt.kind else {
                return;
            };
            if let Some(name) = self.sweep_key(call).filter(|_| !is_visible(call, env)) {
                let number = method_of_number(call);
                if let Some(method) = number.filter(|m| !unseen.number_methods.contains(m)) {
                    unseen.number_methods.push(method);
                }
                unseen.add(name, self.external_callee(stmt.id, call, env));
            }
        });
        self.externals = unseen.into();
    }

    /// How the callee's sweeps are looked up; `None` for an operator, or if there are too many callees.
    pub fn sweep_key(&self, call: &Call) -> Option<SweepKey> {
        let callee = &call.callee;
        if callee.operator().is_some() {
            return None;
        }
        if let Some(method) = callee.name.strip_prefix('.') {
            return Some(SweepKey::Sibling(method.to_string(), false));
        }
        if let Some((_, function)) = callee.associated_fn() {
            let by_value = matches!(call.args.first(), Some(Arg::Value(_)));
            return Some(SweepKey::Sibling(function, by_value));
        }
        match MEM_FUNCTIONS.contains(&callee.name.as_str()) {
            true => None,
            false => self.queries.callee_number(callee).map(SweepKey::Handle),
        }
    }

    /// What one call shows about its external callee.
    fn external_callee(&self, id: StmtId, call: &Call, env: &Environment) -> ExternalCallee {
        let form = self.call_form(call, env);
        let is_closure = |arg: &Arg| matches!(arg, Arg::Value(Expr::Code(_, _, Ty::Discrete(_))));
        // Only the callee knows the parameter types of closures, and the types of constant arguments. A method may take
        // an owned receiver by value, which a fallback sweep can't.
        let mode = |place: &Place| self.plan.func.var(place.root).mode;
        let is_told = call
            .receiver()
            .is_none_or(|place| mode(place) != Mode::Owned)
            && !form.const_generics.contains(&true)
            && !call.args.iter().any(is_closure)
            && self.can_handle_result(call, &form.seed, env);
        ExternalCallee {
            form,
            needed_by: match is_told && self.may_need_no_derivative(id) {
                true => NeededBy::SomeCallers,
                false => NeededBy::AllCallers,
            },
            is_method: call.callee.is_method(),
            is_non_pointer: method_of_number(call).is_none() && is_non_pointer(call),
            span: self.span_of(call),
        }
    }

    /// Whether the callee is external.
    pub fn is_external(&self, call: &Call) -> bool {
        self.external_of(call).is_some()
    }

    /// The external callee of the call, if it is one.
    pub fn external_of(&self, call: &Call) -> Option<&ExternalCallee> {
        self.externals.callees.get(&self.sweep_key(call)?)
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

    fn call_form(&self, call: &Call, env: &Environment) -> CallForm {
        let by_value = |arg: &Arg| matches!(arg, Arg::Value(_));
        CallForm {
            const_generics: self.const_generics(call, env),
            mut_receiver: self.has_mut_receiver(call),
            by_value: call.args.iter().map(by_value).collect(),
            seed: SeedType::of(call.result.map(|v| &self.plan.func.var(v).ty)),
        }
    }

    /// For each explicit generic argument of the call, whether it is a constant.
    fn const_generics(&self, call: &Call, env: &Environment) -> Vec<bool> {
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
    fn has_mut_receiver(&self, call: &Call) -> bool {
        let Some(Arg::Mut(place)) = call.args.first().filter(|_| call.callee.is_method()) else {
            return false;
        };
        self.plan.func.var(place.root).mode == Mode::Mut
    }

    /// Whether the function can handle the result without the functions of the callee's handle.
    fn can_handle_result(&self, call: &Call, seed: &SeedType, env: &Environment) -> bool {
        let Some(v) = call.result else {
            return true;
        };
        let ty = &self.plan.func.var(v).ty;
        let is_open = type_tokens(ty).is_none() || contains_inferred_number(ty);
        let is_generic = !env.float_params.is_empty();
        match (is_open, seed) {
            _ if !ty.carries_floats() => true,
            (false, SeedType::Float | SeedType::Named(_)) => true,
            _ if is_generic => false,
            (false, _) => true,
            (true, _) => self.is_call_witness(v),
        }
    }

    /// Whether the call is itself a type witness of its result.
    pub fn is_call_witness(&self, v: crate::ir::VarId) -> bool {
        let told = self.plan.func.type_witness(v);
        matches!(told, Some(TypeWitness::Call(..) | TypeWitness::Method(..)))
    }

    /// Whether some callers may need no derivative through the call.
    fn may_need_no_derivative(&self, id: StmtId) -> bool {
        self.plan.calls.get(&id).is_some_and(|site| {
            !(self.holds_for_all(&site.varied, Direction::Varied)
                && self.holds_for_all(&site.useful, Direction::Useful))
        })
    }

    /// Whether one of the masks holds for every caller that needs any derivative.
    fn holds_for_all(&self, masks: &[u64], which: Direction) -> bool {
        let all = masks.iter().fold(0, |all, mask| all | mask);
        let returned = self.plan.func.ret.map(|v| &self.plan.func.var(v).ty);
        let own = match (which, returned.is_some_and(Ty::carries_floats)) {
            (Direction::Useful, false) => which.caller_bits(self.plan) & !RESULT_BIT,
            _ => which.caller_bits(self.plan),
        };
        which.certain(self.plan, all) & own == own
    }
}

fn method_of_number(call: &Call) -> Option<number_methods::NumberMethod> {
    number_methods::NumberMethod::of(call.callee.name.strip_prefix('.')?, call)
}

/// Whether the macro sees the callee's definition.
fn is_visible(call: &Call, env: &Environment) -> bool {
    let callee = &call.callee;
    if let Some(method) = callee.name.strip_prefix('.') {
        return method_of_number(call).is_none() && env.signatures.has_method(method);
    }
    match callee.associated_fn() {
        Some((owner, name)) => env
            .signatures
            .method(env.resolve_self(&owner), &name)
            .is_some(),
        None => env.summaries.contains_key(&callee.name),
    }
}

/// Whether the receiver has a named type that isn't a smart pointer.
fn is_non_pointer(call: &Call) -> bool {
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
