//! Signatures of visible functions and methods: their results, and how methods take `self`.
//!
//! If the type of a receiver is known, that type's own method decides, and nothing else does. If it is external,
//! methods of that name are a guess, which rustc confirms: `(&receiver).method(..)` can't call one that changes the
//! receiver.

use std::collections::HashMap;

use quote::ToTokens;

use super::generic_arguments::{GenericArgs, infer_args, value_params};
use crate::ir::base_name;
use crate::lower::expr::strip_parens;
use crate::lower::infer::expectation::ParamType;
use crate::lower::inline::substitute_type;
use crate::lower::pattern::variant::type_name;
use crate::lower::std_lib::method::{is_in_collection, is_readonly};
use crate::lower::tokens::identifiers;
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Mode, Ty};

/// The signatures of the visible functions and methods, by name.
#[derive(Default, Debug, Clone)]
pub struct SignatureTable {
    functions: HashMap<String, FnSignature>,
    methods: HashMap<String, Vec<MethodSignature>>,
}

/// The signature of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct FnSignature {
    /// The result type; unknown if it means nothing to callers.
    pub result: Ty,
    /// The full signature of a generic function, whose argument types may determine the result type.
    pub generic_sig: Option<syn::Signature>,
    /// The parameter types, by position.
    pub params: Vec<Option<ParamType>>,
}

/// The signature of a method or an associated function.
#[derive(Clone, Debug)]
pub struct MethodSignature {
    /// The name of its type.
    pub owner: String,
    /// The result type; unknown if it means nothing to callers.
    pub result: Ty,
    /// The result type of a generic type's method that depends on the type's arguments, as an alias with its
    /// parameters.
    pub generic_result: Option<syn::ItemType>,
    /// The full signature of a generic type's associated function, whose argument types may determine the result type.
    pub generic_sig: Option<syn::Signature>,
    /// The mode of `self`.
    pub receiver: Option<Mode>,
    /// The types of the other parameters, by position, if the type has no type parameters.
    pub params: Vec<Option<ParamType>>,
}

impl MethodSignature {
    /// Keeps what the two have in common.
    fn intersect(&mut self, other: &MethodSignature) {
        if self.result != other.result {
            self.result = Ty::Unknown;
        }
        if self.generic_result != other.generic_result {
            self.generic_result = None;
        }
        if self.generic_sig != other.generic_sig {
            self.generic_sig = None;
        }
        if self.params != other.params {
            self.params.clear();
        }
        self.receiver = match (self.receiver, other.receiver) {
            (Some(a), Some(b)) if a != b => Some(Mode::Mut),
            (a, b) => a.or(b),
        };
    }
}

impl SignatureTable {
    /// Adds a function. Nothing is known of two functions of one name in different places.
    pub fn add_function(&mut self, name: String, found: FnSignature) {
        let known = self.functions.insert(name.clone(), found.clone());
        if known.is_some_and(|known| known != found) {
            let unknown = FnSignature {
                result: Ty::Unknown,
                generic_sig: None,
                params: Vec::new(),
            };
            self.shadow_function(name, unknown);
        }
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&FnSignature> {
        self.functions.get(name)
    }

    /// Adds the function that the name denotes here, whatever it is outside.
    pub fn shadow_function(&mut self, name: String, function: FnSignature) {
        self.functions.insert(name, function);
    }

    /// Adds a method; an `own` one is of the current `impl`, and takes precedence.
    pub fn add_method(&mut self, name: String, found: MethodSignature, own: bool) {
        let all = self.methods.entry(name).or_default();
        match all.iter_mut().find(|m| m.owner == found.owner) {
            Some(known) if own => *known = found,
            Some(known) => known.intersect(&found),
            None => all.push(found),
        }
    }

    /// Whether some type has a method of this name.
    pub fn has_method(&self, name: &str) -> bool {
        let mut all = self.methods.get(name).into_iter().flatten();
        all.any(|m| m.receiver.is_some())
    }

    /// The type's method of this name.
    pub fn method(&self, owner: &str, name: &str) -> Option<&MethodSignature> {
        let owner = base_name(owner);
        self.methods.get(name)?.iter().find(|m| m.owner == owner)
    }

    /// The common signature of all methods of this name.
    fn common_signature(&self, name: &str) -> Option<MethodSignature> {
        let mut all = self
            .methods
            .get(name)?
            .iter()
            .filter(|m| m.receiver.is_some());
        let mut common = all.next()?.clone();
        all.for_each(|m| common.intersect(m));
        Some(common)
    }
}

/// The method that a receiver's method call resolves to.
pub struct ResolvedMethod {
    method: MethodSignature,
    /// Whether the receiver's type determines it, not the name alone.
    pub certain: bool,
}

impl ResolvedMethod {
    /// The mode of `self`. A guess of `Owned` is none: only rustc can tell another type's method that copies from one
    /// that changes.
    pub fn mode(&self) -> Option<Mode> {
        let guess = |mode: &Mode| self.certain || *mode != Mode::Owned;
        self.method.receiver.filter(guess)
    }

    /// The types of the other parameters.
    pub fn params(&self) -> &[Option<ParamType>] {
        match self.certain {
            true => &self.method.params,
            false => &[],
        }
    }

    /// The result type.
    pub fn result(&self) -> Option<Ty> {
        let result = &self.method.result;
        (*result != Ty::Unknown).then(|| result.clone())
    }
}

impl Lower {
    /// Resolves a method of a receiver of this type; `own` says whether a receiver of unknown type may be of a visible
    /// type.
    fn resolve_method(&self, of: &Ty, own: bool, name: &str) -> Option<ResolvedMethod> {
        let seen = &self.env.signatures;
        let of = self.shallow(of);
        let (method, certain) = match (&of, own) {
            (Ty::Named(of), _) => (self.method_with_arguments(of, name)?, true),
            (_, own) => match self.struct_literal_name(&of) {
                Some(made) => (seen.method(made, name)?.clone(), true),
                None if own => (seen.common_signature(name)?, false),
                None => return None,
            },
        };
        Some(ResolvedMethod { method, certain })
    }

    /// The method of a type, with the type's arguments substituted.
    fn method_with_arguments(&self, of: &str, name: &str) -> Option<MethodSignature> {
        let mut method = self.env.signatures.method(of, name)?.clone();
        if let Some(generic) = &method.generic_result {
            let result = self.env.substituted_alias(generic, of);
            method.result = result.unwrap_or(Ty::Unknown);
        }
        Some(method)
    }

    /// Resolves a method of a receiver. A field of `Self` is of another type than `Self`, unless it is a collection of
    /// these.
    pub fn resolve_receiver_method(
        &mut self,
        receiver: &Value,
        name: &str,
    ) -> Option<ResolvedMethod> {
        let of = self.value_ty(receiver);
        let mut own = self.may_be_visible_type(&of);
        if let Value::Place(p) | Value::PlaceRef(p, _) = receiver {
            let whole = self.shallow(&self.draft.func.var(p.root).ty);
            let field =
                matches!((whole, &self.env.self_ty), (Ty::Named(of), Some(own)) if of == *own);
            own &= !field || p.is_whole() || is_in_collection(p);
        }
        self.resolve_method(&of, own, name)
    }

    /// Whether the type may be a visible one. The result of an external function may be of any type.
    fn may_be_visible_type(&self, ty: &Ty) -> bool {
        let of = self.shallow(ty);
        !self
            .unresolved_results
            .iter()
            .any(|ty| self.shallow(ty) == of)
    }

    /// Whether a method only reads its receiver, as far as the visible code shows.
    pub fn reads_receiver(&self, receiver: &syn::Expr, method: &str) -> bool {
        let named = matches!(strip_parens(receiver), syn::Expr::Path(_));
        let of = self.place_expr_type(receiver);
        let known = of.and_then(|of| {
            let own = named && self.may_be_visible_type(&of);
            self.resolve_method(&of, own, method)
        });
        match known.and_then(|known| known.mode()) {
            Some(mode) => mode != Mode::Mut,
            None => is_readonly(method),
        }
    }

    /// The result type of a call of the function at a path, if it is known.
    pub fn call_result_type(&mut self, p: &syn::ExprPath, args: &[Value]) -> Option<Ty> {
        self.path_result_type(p)
            .or_else(|| self.generic_result_type(p, args))
    }

    /// The result type of a generic function for these arguments.
    fn generic_result_type(&mut self, p: &syn::ExprPath, args: &[Value]) -> Option<Ty> {
        if p.qself.is_some() {
            return None;
        }
        let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
        let (name, owner) = (names.next()?, names.next());
        let sig = match owner {
            None if self.lookup(&name).is_some() => return None,
            None => self
                .env
                .signatures
                .functions
                .get(&name)?
                .generic_sig
                .clone()?,
            Some(owner) => self
                .env
                .signatures
                .method(&owner, &name)?
                .generic_sig
                .clone()?,
        };
        let params = value_params(&sig.generics);
        let mut found = GenericArgs::new();
        for (input, arg) in sig.inputs.iter().zip(args) {
            if let syn::FnArg::Typed(t) = input {
                let ty = self.value_ty(arg);
                infer_args(&t.ty, &self.infer.resolve_known(&ty), &params, &mut found);
            }
        }
        let syn::ReturnType::Type(_, mut ty) = sig.output else {
            return None;
        };
        let mut mentioned = Vec::new();
        identifiers(&ty.to_token_stream(), &mut mentioned);
        let open = params
            .iter()
            .any(|p| mentioned.contains(p) && !found.contains_key(p));
        substitute_type(found, &mut ty);
        (!open).then(|| self.named_type(&ty))
    }

    /// The result type of the function at a path, if its name determines it.
    pub fn path_result_type(&self, p: &syn::ExprPath) -> Option<Ty> {
        let mut segments = p.path.segments.iter().rev();
        let name = segments.next()?.ident.to_string();
        let result = match segments.next() {
            _ if p.qself.is_some() => return None,
            None if self.lookup(&name).is_some() => return None,
            None => self.env.signatures.functions.get(&name)?.result.clone(),
            Some(owner) => {
                let owner = match &self.env.self_ty {
                    Some(own) if owner.ident == "Self" => own.clone(),
                    _ => type_name(&owner.clone().into()),
                };
                self.method_with_arguments(&owner, &name)?.result
            }
        };
        (result != Ty::Unknown).then_some(result)
    }

    /// The type of a variable in scope, or of a field of one.
    pub fn place_expr_type(&self, e: &syn::Expr) -> Option<Ty> {
        let ty = match strip_parens(e) {
            syn::Expr::Path(p) => match self.lookup(&p.path.get_ident()?.to_string())? {
                Binding::Var(v) => self.draft.func.var(*v).ty.clone(),
                Binding::Value(Value::Place(p) | Value::PlaceRef(p, _)) => p.ty.clone(),
                Binding::Value(Value::Expr(_, ty)) => ty.clone(),
                Binding::Value(_) => return None,
            },
            syn::Expr::Field(f) => match (self.place_expr_type(&f.base)?, &f.member) {
                (Ty::Named(of), syn::Member::Named(field)) => {
                    let seen = self.env.visible_field_type(&of, &field.to_string());
                    seen.unwrap_or(Ty::Unknown)
                }
                _ => Ty::Unknown,
            },
            _ => return None,
        };
        Some(self.shallow(&ty))
    }
}
