//! Signatures of visible functions and methods: their results, and how methods take `self`.
//!
//! If the type of a receiver is known, that type's own method decides, and nothing else does. If it is external,
//! methods of that name are a guess, which rustc confirms: `(&receiver).method(..)` can't call one that changes the
//! receiver.

use std::collections::HashMap;

use quote::ToTokens;

use super::generic_arguments::{Found, parameters, tell};
use crate::ir::base_name;
use crate::lower::expr::strip_parens;
use crate::lower::infer::expectation::Taken;
use crate::lower::inline::put_in;
use crate::lower::pattern::variant::type_name;
use crate::lower::std_lib::method::{is_inside, only_reads};
use crate::lower::tokens::words;
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Mode, Ty};

/// The signatures of the visible functions and methods, by name.
#[derive(Default, Debug, Clone)]
pub struct Seen {
    functions: HashMap<String, Function>,
    methods: HashMap<String, Vec<Method>>,
}

/// The signature of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The result type; unknown if it means nothing to callers.
    pub result: Ty,
    /// The full signature of a generic function, whose argument types may determine the result type.
    pub generic: Option<syn::Signature>,
    /// The parameter types, by position.
    pub takes: Vec<Option<Taken>>,
}

/// The signature of a method or an associated function.
#[derive(Clone, Debug)]
pub struct Method {
    /// The name of its type.
    pub owner: String,
    /// The result type; unknown if it means nothing to callers.
    pub result: Ty,
    /// The result type of a generic type's method that depends on the type's arguments, as an alias with its
    /// parameters.
    pub generic: Option<syn::ItemType>,
    /// The full signature of a generic type's associated function, whose argument types may determine the result type.
    pub makes: Option<syn::Signature>,
    /// The mode of `self`.
    pub receiver: Option<Mode>,
    /// The types of the other parameters, by position, if the type has no type parameters.
    pub takes: Vec<Option<Taken>>,
}

impl Method {
    /// Keeps what the two have in common.
    fn and(&mut self, other: &Method) {
        if self.result != other.result {
            self.result = Ty::Unknown;
        }
        if self.generic != other.generic {
            self.generic = None;
        }
        if self.makes != other.makes {
            self.makes = None;
        }
        if self.takes != other.takes {
            self.takes.clear();
        }
        self.receiver = match (self.receiver, other.receiver) {
            (Some(a), Some(b)) if a != b => Some(Mode::Mut),
            (a, b) => a.or(b),
        };
    }
}

impl Seen {
    /// Adds a function. Nothing is known of two functions of one name in different places.
    pub fn add_function(&mut self, name: String, found: Function) {
        let known = self.functions.insert(name.clone(), found.clone());
        if known.is_some_and(|known| known != found) {
            let unknown = Function {
                result: Ty::Unknown,
                generic: None,
                takes: Vec::new(),
            };
            self.declare(name, unknown);
        }
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// Adds the function that the name denotes here, whatever it is outside.
    pub fn declare(&mut self, name: String, function: Function) {
        self.functions.insert(name, function);
    }

    /// Adds a method; an `own` one is of the current `impl`, and takes precedence.
    pub fn add_method(&mut self, name: String, found: Method, own: bool) {
        let all = self.methods.entry(name).or_default();
        match all.iter_mut().find(|m| m.owner == found.owner) {
            Some(known) if own => *known = found,
            Some(known) => known.and(&found),
            None => all.push(found),
        }
    }

    /// Whether some type has a method of this name.
    pub fn has_method(&self, name: &str) -> bool {
        let mut all = self.methods.get(name).into_iter().flatten();
        all.any(|m| m.receiver.is_some())
    }

    /// The type's method of this name.
    pub fn method(&self, owner: &str, name: &str) -> Option<&Method> {
        let owner = base_name(owner);
        self.methods.get(name)?.iter().find(|m| m.owner == owner)
    }

    /// The common signature of all methods of this name.
    fn guess(&self, name: &str) -> Option<Method> {
        let mut all = self
            .methods
            .get(name)?
            .iter()
            .filter(|m| m.receiver.is_some());
        let mut common = all.next()?.clone();
        all.for_each(|m| common.and(m));
        Some(common)
    }
}

/// The method that a receiver's method call resolves to.
pub struct Known {
    method: Method,
    /// Whether the receiver's type determines it, not the name alone.
    pub certain: bool,
}

impl Known {
    /// The mode of `self`. A guess of `Owned` is none: only rustc can tell another type's method that copies from one
    /// that changes.
    pub fn mode(&self) -> Option<Mode> {
        let guess = |mode: &Mode| self.certain || *mode != Mode::Owned;
        self.method.receiver.filter(guess)
    }

    /// The types of the other parameters.
    pub fn takes(&self) -> &[Option<Taken>] {
        match self.certain {
            true => &self.method.takes,
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
    fn seen_method(&self, of: &Ty, own: bool, name: &str) -> Option<Known> {
        let seen = &self.env.seen;
        let of = self.shallow(of);
        let (method, certain) = match (&of, own) {
            (Ty::Named(of), _) => (self.method_with_arguments(of, name)?, true),
            (_, own) => match self.constructed_name(&of) {
                Some(made) => (seen.method(made, name)?.clone(), true),
                None if own => (seen.guess(name)?, false),
                None => return None,
            },
        };
        Some(Known { method, certain })
    }

    /// The method of a type, with the type's arguments substituted.
    fn method_with_arguments(&self, of: &str, name: &str) -> Option<Method> {
        let mut method = self.env.seen.method(of, name)?.clone();
        if let Some(generic) = &method.generic {
            let result = self.env.with_arguments(generic, of);
            method.result = result.unwrap_or(Ty::Unknown);
        }
        Some(method)
    }

    /// Resolves a method of a receiver. A field of `Self` is of another type than `Self`, unless it is a collection of
    /// these.
    pub fn seen_method_of(&mut self, receiver: &Value, name: &str) -> Option<Known> {
        let of = self.value_ty(receiver);
        let mut own = self.may_be_own(&of);
        if let Value::Place(p) | Value::View(p, _) = receiver {
            let whole = self.shallow(&self.draft.func.var(p.root).ty);
            let field =
                matches!((whole, &self.env.self_ty), (Ty::Named(of), Some(own)) if of == *own);
            own &= !field || p.is_whole() || is_inside(p);
        }
        self.seen_method(&of, own, name)
    }

    /// Whether the type may be a visible one. The result of an external function may be of any type.
    fn may_be_own(&self, ty: &Ty) -> bool {
        let of = self.shallow(ty);
        !self.made_elsewhere.iter().any(|ty| self.shallow(ty) == of)
    }

    /// Whether a method only reads its receiver, as far as the visible code shows.
    pub fn reads_receiver(&self, receiver: &syn::Expr, method: &str) -> bool {
        let named = matches!(strip_parens(receiver), syn::Expr::Path(_));
        let of = self.type_at_sight(receiver);
        let known = of.and_then(|of| {
            let own = named && self.may_be_own(&of);
            self.seen_method(&of, own, method)
        });
        match known.and_then(|known| known.mode()) {
            Some(mode) => mode != Mode::Mut,
            None => only_reads(method),
        }
    }

    /// The result type of a call of the function at a path, if it is known.
    pub fn seen_result_of(&mut self, p: &syn::ExprPath, args: &[Value]) -> Option<Ty> {
        self.seen_result(p)
            .or_else(|| self.told_by_arguments(p, args))
    }

    /// The result type of a generic function for these arguments.
    fn told_by_arguments(&mut self, p: &syn::ExprPath, args: &[Value]) -> Option<Ty> {
        if p.qself.is_some() {
            return None;
        }
        let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
        let (name, owner) = (names.next()?, names.next());
        let sig = match owner {
            None if self.lookup(&name).is_some() => return None,
            None => self.env.seen.functions.get(&name)?.generic.clone()?,
            Some(owner) => self.env.seen.method(&owner, &name)?.makes.clone()?,
        };
        let params = parameters(&sig.generics);
        let mut found = Found::new();
        for (input, arg) in sig.inputs.iter().zip(args) {
            if let syn::FnArg::Typed(t) = input {
                let ty = self.value_ty(arg);
                tell(&t.ty, &self.infer.known(&ty), &params, &mut found);
            }
        }
        let syn::ReturnType::Type(_, mut ty) = sig.output else {
            return None;
        };
        let mut mentioned = Vec::new();
        words(&ty.to_token_stream(), &mut mentioned);
        let open = params
            .iter()
            .any(|p| mentioned.contains(p) && !found.contains_key(p));
        put_in(found, &mut ty);
        (!open).then(|| self.named_type(&ty))
    }

    /// The result type of the function at a path, if its name determines it.
    pub fn seen_result(&self, p: &syn::ExprPath) -> Option<Ty> {
        let mut segments = p.path.segments.iter().rev();
        let name = segments.next()?.ident.to_string();
        let result = match segments.next() {
            _ if p.qself.is_some() => return None,
            None if self.lookup(&name).is_some() => return None,
            None => self.env.seen.functions.get(&name)?.result.clone(),
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
    pub fn type_at_sight(&self, e: &syn::Expr) -> Option<Ty> {
        let ty = match strip_parens(e) {
            syn::Expr::Path(p) => match self.lookup(&p.path.get_ident()?.to_string())? {
                Binding::Var(v) => self.draft.func.var(*v).ty.clone(),
                Binding::Value(Value::Place(p) | Value::View(p, _)) => p.ty.clone(),
                Binding::Value(Value::Expr(_, ty)) => ty.clone(),
                Binding::Value(_) => return None,
            },
            syn::Expr::Field(f) => match (self.type_at_sight(&f.base)?, &f.member) {
                (Ty::Named(of), syn::Member::Named(field)) => {
                    let seen = self.env.field(&of, &field.to_string());
                    seen.unwrap_or(Ty::Unknown)
                }
                _ => Ty::Unknown,
            },
            _ => return None,
        };
        Some(self.shallow(&ty))
    }
}
