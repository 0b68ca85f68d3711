//! Methods of type parameters, which belong to the bounds' traits and need not be std's functions. The forward sweep
//! calls both and panics if they differ, because only std's has a derivative.
//!
//! The sweeps add the bound `Real` to the user's bounds, so that a plain call of the user's method would be ambiguous.
//! It is called through a trait that all types with the user's bounds implement. If the bounds are num-traits', the
//! compiled sweep contains none of this.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span};
use quote::quote;

use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{FloatTy, Intrinsic, Ty};
use crate::lower::{Environment, Lowered};

/// The type parameters and the methods that their bounds provide.
#[derive(Clone, Default)]
pub struct BoundMethods {
    params: Rc<Vec<(String, syn::Generics)>>,
    called: Rc<Vec<(Intrinsic, Ty)>>,
    /// The methods that the current sweep calls.
    used: Rc<RefCell<BTreeSet<(String, &'static str)>>>,
}

impl BoundMethods {
    /// The type parameters and methods of a function.
    pub fn of(env: &Environment, lowered: &Lowered) -> BoundMethods {
        BoundMethods {
            params: Rc::new(env.number_bounds.clone()),
            called: Rc::new(lowered.intrinsic_methods.clone()),
            used: Rc::default(),
        }
    }

    /// The method of the operand type's bounds that replaces an intrinsic.
    pub fn method(&self, op: Intrinsic, ty: &Ty) -> Option<BoundMethod<'_>> {
        let (name, generics) = match ty {
            Ty::Float(FloatTy::Param(name)) => self.params.iter().find(|(param, _)| param == name),
            _ => None,
        }?;
        let is_called = self
            .called
            .iter()
            .any(|(called, of)| *called == op && of == ty);
        if !is_called || op.arity() > 2 || lacks_num_traits(op) {
            return None;
        }
        self.used.borrow_mut().insert((name.clone(), op.name()));
        Some(BoundMethod(op, generics))
    }

    /// Declares a trait for each parameter whose methods the sweep calls.
    pub fn emit_traits(&self) -> TokenBuf {
        let used = self.used.take();
        let one = |(name, generics): &(String, syn::Generics)| {
            let called = used.iter().filter(|(param, _)| param == name);
            let ops: Vec<_> = called
                .filter_map(|(_, op)| Intrinsic::from_name(op))
                .collect();
            match ops.is_empty() {
                true => TokenBuf::empty(),
                false => bounds_trait(generics, &ops),
            }
        };
        self.params.iter().map(one).collect()
    }
}

/// A method of a bound of a type parameter.
pub struct BoundMethod<'a>(Intrinsic, &'a syn::Generics);

impl BoundMethod<'_> {
    /// The call.
    pub fn call(self, args: impl Iterator<Item = TokenBuf>) -> TokenBuf {
        let (p, BoundMethod(op, generics)) = (private(), self);
        let ty = &param(generics);
        let of = &trait_name(ty);
        let name = Ident::new(op.name(), Span::call_site());
        let text = Literal::string(op.name());
        let function = match op.arity() {
            1 => code!(#p::of_bounds::unary),
            _ => code!(#p::of_bounds::binary),
        };
        let own = method_name(op);
        code!(#function(#text, <#ty as #of>::__is_std, #of::#own, #p::num_traits::Float::#name, #(#args),*))
    }
}

/// Whether num-traits lacks a method of the name.
pub fn lacks_num_traits(op: Intrinsic) -> bool {
    matches!(
        op,
        Intrinsic::RoundTiesEven
            | Intrinsic::RemEuclid
            | Intrinsic::DivEuclid
            | Intrinsic::Clamp
            | Intrinsic::Midpoint
    )
}

/// The trait that all types with the parameter's bounds implement.
fn bounds_trait(generics: &syn::Generics, ops: &[Intrinsic]) -> TokenBuf {
    let (p, ty) = (private(), &param(generics));
    let of = &trait_name(ty);
    let (parameters, _, clause) = generics.split_for_impl();
    let (parameters, clause) = (quote!(#parameters), quote!(#clause));
    let (mut required, mut provided) = (TokenBuf::empty(), TokenBuf::empty());
    for op in ops {
        let own = &method_name(*op);
        let name = Ident::new(op.name(), Span::call_site());
        let (other, value) = &match op.arity() {
            1 => (TokenBuf::empty(), TokenBuf::empty()),
            _ => (code!(other: Self), code!(other)),
        };
        required.add(code!(fn #own(self, #other) -> Self;));
        provided.add(code!(fn #own(self, #other) -> Self { self.#name(#value) }));
    }
    code! {
        trait #of: Sized {
            fn __is_std() -> bool;
            #required
        }
        impl #parameters #of for #ty #clause {
            fn __is_std() -> bool {
                use #p::of_bounds::Unknown as _;
                const { #p::of_bounds::Bounds::<#ty>::ARE_STD }
            }
            #provided
        }
    }
}

/// The only type parameter.
fn param(generics: &syn::Generics) -> TokenBuf {
    let names = generics.type_params().map(|t| &t.ident);
    TokenBuf::from(quote!(#(#names)*))
}

fn trait_name(param: &TokenBuf) -> Ident {
    Ident::new(&format!("__BoundsOf{}", quote!(#param)), Span::mixed_site())
}

fn method_name(op: Intrinsic) -> Ident {
    Ident::new(&format!("__{}_of_bounds", op.name()), Span::mixed_site())
}
