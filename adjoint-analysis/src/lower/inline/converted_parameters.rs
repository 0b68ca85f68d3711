//! Conversion parameters of inlined functions: `fn new(p: impl Into<Point>)`, `x: impl AsRef<[f64]>`. The argument is
//! converted at the call.

use proc_macro2::Span;
use syn::visit_mut::VisitMut;

use super::closure_arguments::closure_bindings;
use crate::lower::Lower;
use crate::lower::expr::strip_parens;
use crate::lower::items::generics;
use crate::lower::types::{lower_type, ungrouped};
use crate::lower::value::Value;

/// The conversion of a parameter.
#[derive(Clone)]
pub enum Conversion {
    /// `impl Into<Point>`: a conversion by value to this type.
    Into(Box<syn::Type>),
    /// `impl AsRef<[f64]>`, `&mut impl AsMut<[f64]>`: a borrow as a slice; the flag is true for `&mut`.
    AsSlice(bool),
}

impl Conversion {
    /// The methods that perform the conversion.
    fn methods(&self) -> &'static [&'static str] {
        match self {
            Conversion::Into(_) => &["into"],
            Conversion::AsSlice(_) => &["as_ref", "as_mut"],
        }
    }

    fn of_bound(bound: &syn::TypeParamBound) -> Option<Conversion> {
        let syn::TypeParamBound::Trait(t) = bound else {
            return None;
        };
        let last = t.path.segments.last()?;
        let syn::PathArguments::AngleBracketed(given) = &last.arguments else {
            return None;
        };
        let syn::GenericArgument::Type(to) = given.args.first()? else {
            return None;
        };
        let is_slice = matches!(ungrouped(to), syn::Type::Slice(_));
        match last.ident.to_string().as_str() {
            "Into" => Some(Conversion::Into(Box::new(to.clone()))),
            "AsRef" if is_slice => Some(Conversion::AsSlice(false)),
            "AsMut" if is_slice => Some(Conversion::AsSlice(true)),
            _ => None,
        }
    }

    /// The conversion of parameters of this type.
    pub fn of_type(ty: &syn::Type, generics: &syn::Generics) -> Option<Conversion> {
        match ungrouped(ty) {
            syn::Type::Reference(r) => match Conversion::of_type(&r.elem, generics)? {
                Conversion::Into(_) => None,
                lent => Some(lent),
            },
            syn::Type::ImplTrait(t) => t.bounds.iter().find_map(Conversion::of_bound),
            syn::Type::Path(p) => {
                let param = generics.type_params().find(|t| p.path.is_ident(&t.ident))?;
                Conversion::of_param(param, generics)
            }
            _ => None,
        }
    }

    /// The conversion of parameters whose type is this type parameter.
    pub fn of_param(param: &syn::TypeParam, of: &syn::Generics) -> Option<Conversion> {
        generics::bounds(of, param).find_map(Conversion::of_bound)
    }
}

/// The conversion parameters of a function.
fn conversion_params(sig: &syn::Signature) -> Vec<(syn::Ident, Conversion)> {
    let name = |arg: &syn::FnArg| match arg {
        syn::FnArg::Typed(t) => match &*t.pat {
            syn::Pat::Ident(p) => {
                let conversion = Conversion::of_type(&t.ty, &sig.generics)?;
                Some((p.ident.clone(), conversion))
            }
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    };
    sig.inputs.iter().filter_map(name).collect()
}

/// Removes the calls `p.into()` and `p.as_ref()` of conversion parameters.
pub fn remove_conversions(sig: &syn::Signature, body: &mut syn::Block) {
    struct Leave(Vec<(syn::Ident, Conversion)>);
    impl VisitMut for Leave {
        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            if let syn::Expr::MethodCall(m) = e
                && m.args.is_empty()
                && let syn::Expr::Path(p) = strip_parens(&m.receiver)
                && let Some((_, by)) = self.0.iter().find(|(name, _)| p.path.is_ident(name))
                && by.methods().iter().any(|name| m.method == name)
            {
                *e = (*m.receiver).clone();
                return;
            }
            syn::visit_mut::visit_expr_mut(self, e);
        }

        fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
            // The closure's parameters shadow outer names.
            let (own, _) = closure_bindings(closure);
            let is_hidden = |(name, _): &(syn::Ident, Conversion)| own.contains(&name.to_string());
            let all = self.0.clone();
            self.0.retain(|name| !is_hidden(name));
            syn::visit_mut::visit_expr_closure_mut(self, closure);
            self.0 = all;
        }
    }
    let names = conversion_params(sig);
    if !names.is_empty() {
        Leave(names).visit_block_mut(body);
    }
}

impl Lower {
    /// Converts an argument.
    pub(super) fn convert_argument(&mut self, value: Value, to: &Conversion, span: Span) -> Value {
        match to {
            Conversion::Into(to) => self.convert_into(value, to, span),
            Conversion::AsSlice(mutable) => match value {
                Value::PlaceRef(place, by) => Value::PlaceRef(place, by || *mutable),
                value => Value::PlaceRef(self.place_of(value, span), *mutable),
            },
        }
    }

    fn convert_into(&mut self, value: Value, to: &syn::Type, span: Span) -> Value {
        let to = lower_type(to, &self.env).0;
        let found = self.value_ty(&value);
        if self.infer.resolve(&found) == to {
            return value;
        }
        self.expected_ty = Some(to);
        let converted = self.lower_into("into", &value, span);
        self.expected_ty = None;
        match converted {
            Some(converted) => converted,
            None => self.method_on(value, &syn::parse_quote_spanned!(span=> value.into())),
        }
    }
}
