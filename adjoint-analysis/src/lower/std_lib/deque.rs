//! Local `VecDeque`s: the sweeps use `Vec`s in their place, and the first element is taken by `remove`.
//!
//! `VecDeque`s in parameters and fields keep their type, which is refused outside of annotated modules
//! (`expand/objects/deques.rs`).

use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ir::Proj;
use crate::lower::types::{text, ungrouped};
use crate::lower::value::{Binding, Scope, Value};
use crate::lower::{Lower, Ty};
use crate::refuse::Reason;

/// Methods of `VecDeque` and the equivalent methods of `Vec`.
const VEC_EQUIVALENTS: &[(&str, &str)] = &[
    ("push_back", "push"),
    ("pop_back", "pop"),
    ("front", "first"),
    ("front_mut", "first_mut"),
    ("back", "last"),
    ("back_mut", "last_mut"),
];

impl Lower {
    /// The type in the sweeps: a `Vec` for a `VecDeque`; other types stay.
    pub fn as_list_type(&mut self, ty: &syn::Type) -> syn::Type {
        let mut list = ty.clone();
        if let syn::Type::Path(p) = ungrouped(ty)
            && let Some(last) = p.path.segments.last().filter(|s| s.ident == "VecDeque")
        {
            self.has_deques = true;
            self.confirm_deque(&p.path);
            let arguments = &last.arguments;
            list = syn::parse_quote!(Vec #arguments);
        }
        list
    }

    /// Emits a check that the path names std's `VecDeque`.
    pub fn confirm_deque(&mut self, path: &syn::Path) {
        let mut path = path.clone();
        if let Some(last) = path.segments.last_mut() {
            last.arguments = syn::PathArguments::None;
        }
        let key = ("std".to_string(), text(&path));
        if !self.emitted_checks.contains(&key) {
            let tokens = quote_spanned! {path.span()=>
                ::adjoint::__private::demand::one_function(
                    #path::<u8>::new,
                    ::std::collections::VecDeque::<u8>::new,
                )
            };
            self.hoist_check(tokens, key, path.span());
        }
    }

    /// Lowers a method of a `VecDeque`.
    pub fn deque_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let may_be = self.has_deques || (self.env.deques && !self.in_pop_front);
        if !may_be || !matches!(self.value_ty(receiver), Ty::Vec(_)) {
            return None;
        }
        if name == "remove" && (self.has_deques || is_field_or_referent(receiver)) {
            let what = "`remove` in a function that has a `VecDeque`".to_string();
            return Some(self.refuse(m.method.span(), Reason::Expression(what)));
        }
        if let Some((_, same)) = VEC_EQUIVALENTS.iter().find(|(own, _)| *own == name) {
            let mut same_method = m.clone();
            same_method.method = syn::Ident::new(same, m.method.span());
            return Some(self.method_on(receiver.clone(), &same_method));
        }
        let args = &m.args;
        let e = match name {
            "pop_front" => quote! {
                if __deque.is_empty() { None } else { Some(__deque.remove(0)) }
            },
            "push_front" => quote!(__deque.insert(0, #args)),
            _ => return None,
        };
        let e = syn::parse2(e).ok()?;
        let place = self.place_of(receiver.clone(), m.method.span());
        let lent = Binding::Value(Value::PlaceRef(place, true));
        self.scopes
            .push(Scope::from([("__deque".to_string(), lent)]));
        let outer = (self.has_deques, self.in_pop_front);
        if name == "pop_front" {
            (self.has_deques, self.in_pop_front) = (false, true);
        }
        let value = self.expr(&e);
        (self.has_deques, self.in_pop_front) = outer;
        self.scopes.pop();
        Some(value)
    }
}

/// Whether the value is a field or a referent, whose type is not the one in the user's program.
fn is_field_or_referent(value: &Value) -> bool {
    match value {
        Value::PlaceRef(..) => true,
        Value::Place(place) => place.proj.iter().any(|p| matches!(p, Proj::Field(_))),
        _ => false,
    }
}
