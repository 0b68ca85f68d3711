//! Conversions whose target type the context determines: `into`, and lists to boxed slices.

use proc_macro2::Span;
use quote::quote;

use crate::ir::{Expr, Proj, base_name};
use crate::lower::items::overloads::first_duplicate;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;

impl Lower {
    /// Lowers `list.into_boxed_slice()`, and `value.into()` with an expected type: for lists, numbers and values
    /// without floats, and by `From` for the user's types.
    pub fn lower_into(&mut self, name: &str, value: &Value, span: Span) -> Option<Value> {
        let target = self.expected_ty.take().map(|ty| self.shallow(&ty));
        let ty = self.value_ty(value);
        match target {
            _ if name == "into_boxed_slice" => {
                (ty.element().is_some()).then(|| self.boxed_slice(value.clone(), span))
            }
            Some(target) if is_boxed_slice(&target) && ty.element().is_some() => {
                Some(self.boxed_slice(value.clone(), span))
            }
            None | Some(Ty::Vec(_) | Ty::Infer(_) | Ty::Unknown) if ty.element().is_some() => {
                let list = Value::Place(self.place_of(value.clone(), span));
                self.sequence_method("to_vec", &list, &[], span)
            }
            Some(target @ (Ty::Float(_) | Ty::Int(_))) if self.infer.is_number(&ty) => {
                let (e, from) = self.read(value.clone(), span);
                Some(Value::Expr(self.cast_to(e, &from, target.clone()), target))
            }
            Some(Ty::Option(_)) if self.infer.is_number(&ty) => {
                Some(self.variant_value("Some", value.clone()))
            }
            Some(Ty::Named(name)) if !ty.carries_floats() => {
                let made = tokens_at(&name, span);
                let code = quote!(<_ as ::core::convert::Into<#made>>::into(__place_0));
                let by = match value {
                    Value::PlaceRef(..) => CaptureMode::Borrow,
                    _ => CaptureMode::Value,
                };
                let code = self.add_code(code, vec![by]);
                let place = self.place_of(value.clone(), span);
                let ty = Ty::Named(name);
                Some(Value::Expr(Expr::Code(code, vec![place], ty.clone()), ty))
            }
            Some(Ty::Named(name)) => self.lower_from(&name, value, &ty, span),
            _ => None,
        }
    }

    /// Lowers `into` for a user's type to `Name::from(value)`.
    fn lower_from(&mut self, name: &str, value: &Value, ty: &Ty, span: Span) -> Option<Value> {
        if matches!(ty, Ty::Named(own) if own == name) {
            return Some(value.clone());
        }
        let double = first_duplicate(name, &["from".to_string()], &self.env).is_some();
        let alias = self.infer.is_number(ty) && !self.is_type_name(name);
        if alias || double || self.env.user_type_params.iter().any(|param| param == name) {
            return None;
        }
        let path = tokens_at(name.split('<').next().unwrap_or(name), span);
        let path = syn::parse2(quote!(#path::from)).ok()?;
        Some(self.call_path(&path, vec![value.clone()], span))
    }

    /// Whether the name is known to be a struct's or an enum's.
    fn is_type_name(&self, name: &str) -> bool {
        self.is_struct_name(name) || self.env.fields.keys().any(|(of, _)| of == base_name(name))
    }

    /// Converts a list to a boxed slice if the type `taken` is one, as for `collect`.
    pub fn coerce_boxed_slice(&mut self, taken: &Ty, value: Value, span: Span) -> Value {
        let ty = self.value_ty(&value);
        match is_boxed_slice(&self.shallow(taken)) && matches!(ty, Ty::Vec(_)) {
            true => self.boxed_slice(value, span),
            false => value,
        }
    }

    /// The list as a boxed slice: a new slice of the same length, into which the elements are copied.
    pub fn boxed_slice(&mut self, list: Value, span: Span) -> Value {
        let from = self.place_of(list, span);
        let element = self.value_ty(&Value::Place(from.clone()));
        let element = element.element().cloned().unwrap_or(Ty::Unknown);
        let slice = Ty::Slice(Box::new(element));
        let ty = Ty::Boxed(Box::new(slice.clone()));
        let code = quote!(::std::vec::Vec::into_boxed_slice((*__place_0).to_vec()));
        let code = self.add_code(code, vec![CaptureMode::Borrow]);
        let blank = Expr::Code(code, vec![from.clone()], ty.clone());
        let boxed = self.temp(span, "boxed", blank, ty);
        let to = boxed.clone().project(Proj::Deref, slice);
        self.copy_slice(to, from, span);
        Value::Place(boxed)
    }
}

/// Whether the type is `Box<[T]>`.
fn is_boxed_slice(ty: &Ty) -> bool {
    matches!(ty, Ty::Boxed(inner) if matches!(**inner, Ty::Slice(_)))
}
