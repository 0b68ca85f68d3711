//! Conversions into integers: `usize::from(k)`, `usize::try_from(k)`.

use proc_macro2::Span;
use quote::quote;

use crate::ir::Expr;
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum};
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;

impl Lower {
    /// `usize::from(k)`: a cast of a number; for other types, a call of their `From` implementation.
    pub fn integer_from(&mut self, value: Value, ty: &Ty, span: Span) -> Expr {
        if self.converts_by_cast(&value) {
            return Expr::Cast(Box::new(self.read(value, span).0), ty.clone());
        }
        let from = self.place_of(value, span);
        let from = self.freeze_place(from, span);
        let of = tokens_at(&ty.to_string(), span);
        let copy = quote!(::core::clone::Clone::clone(&__place_0));
        let made = quote!(<#of as ::core::convert::From<_>>::from(#copy));
        let code = self.add_code(made, vec![CaptureMode::Value]);
        Expr::Code(code, vec![from], ty.clone())
    }

    /// Whether the value converts to an integer by a cast.
    fn converts_by_cast(&mut self, value: &Value) -> bool {
        match self.value_ty(value) {
            Ty::Bool => true,
            Ty::Discrete(name) => name == "char",
            ty => self.infer.is_int(&ty) || self.infer.is_number(&ty),
        }
    }

    /// `usize::try_from(k)`
    pub fn integer_try_from(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        let by_cast = self.converts_by_cast(&value);
        let from = self.place_of(value, span);
        let from = self.freeze_place(from, span);
        let of = tokens_at(&ty.to_string(), span);
        let tried = quote!(<#of as ::core::convert::TryFrom<_>>::try_from(__place_0));
        let mut code = |tokens, ty: &Ty| {
            let code = self.add_code(tokens, vec![CaptureMode::Value]);
            Expr::Code(code, vec![from.clone()], ty.clone())
        };
        let fits = code(quote!(#tried.is_ok()), &Ty::Bool);
        let error = Ty::Discrete("::core::num::TryFromIntError".into());
        let no = Value::Expr(code(quote!(#tried.unwrap_err()), &error), error);
        let yes = match by_cast {
            true => Expr::Cast(Box::new(Expr::Read(from.clone())), ty.clone()),
            false => code(quote!(#tried.unwrap()), &ty),
        };
        let fits = self.freeze_tag(fits, span);
        SplitEnum::owned(EnumKind::Result, fits, Value::Expr(yes, ty), no)
    }
}
