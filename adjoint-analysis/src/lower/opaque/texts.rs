//! Texts (`str` and `String`), which have no derivative: comparisons and queries.

use std::rc::Rc;

use quote::quote;

use crate::ir::{Expr, IntTy};
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::mir::code::CaptureMode;

impl Lower {
    /// The items of `text.chars()` or `text.bytes()`, in a list.
    pub fn text_items(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let item = match name {
            "chars" => Ty::Discrete("char".into()),
            "bytes" => Ty::Int(IntTy::U8),
            _ => return None,
        };
        if !m.args.is_empty() || !is_text(&self.value_ty(receiver)) {
            return None;
        }
        let span = m.method.span();
        let method = &m.method;
        let code = quote!(__place_0.#method().collect::<::std::vec::Vec<_>>());
        let code = self.add_code(code, vec![CaptureMode::Value]);
        let text = self.place_of(receiver.clone(), span);
        let ty = Ty::Vec(Box::new(item));
        let items = self.temp(span, "items", Expr::Code(code, vec![text], ty.clone()), ty);
        Some(Value::Iter(Rc::new(Producer::Elements(items, None))))
    }

    /// The operands of a comparison: an unsized text is passed by reference, as literals are.
    pub fn comparable_operands(&mut self, l: (Expr, &Ty), r: (Expr, &Ty)) -> (Expr, Expr) {
        match (self.is_unsized_text(&l), self.is_unsized_text(&r)) {
            (true, false) => (self.text_reference(l.0), r.0),
            (false, true) => (l.0, self.text_reference(r.0)),
            _ => (l.0, r.0),
        }
    }

    /// Whether one operand is a text, and the other may be of any type that is compared with texts.
    pub fn is_text_and_unknown(&self, l: &Ty, r: &Ty) -> bool {
        let (l, r) = (self.shallow(l), self.shallow(r));
        let open = |ty: &Ty| matches!(ty, Ty::Infer(_) | Ty::Unknown);
        is_text(&l) && open(&r) || open(&l) && is_text(&r)
    }

    /// Whether the expression is the `str` that a parameter refers to. The elements of sequences are references.
    fn is_unsized_text(&self, (e, ty): &(Expr, &Ty)) -> bool {
        let lent = matches!(e, Expr::Read(p) if p.is_whole() && p.is_unsized(&self.draft.func));
        lent && matches!(ty, Ty::Discrete(name) if name == "str")
    }

    /// The text that a parameter refers to, as a reference.
    pub fn param_text(&mut self, value: &Value) -> Option<Expr> {
        let Value::PlaceRef(place, false) = value else {
            return None;
        };
        let text = Expr::Read(place.clone());
        self.is_unsized_text(&(text.clone(), &place.ty))
            .then(|| self.text_reference(text))
    }

    fn text_reference(&mut self, e: Expr) -> Expr {
        match e {
            Expr::Read(place) => {
                let code = self.add_code(quote!(__place_0), vec![CaptureMode::Borrow]);
                Expr::Code(code, vec![place], Ty::Discrete("&str".into()))
            }
            e => e,
        }
    }

    /// Lowers a method of texts; `None` if it is not a known one.
    pub fn text_method(
        &mut self,
        name: &str,
        receiver: &Value,
        args: &[Value],
        span: proc_macro2::Span,
    ) -> Option<Value> {
        let ty = match (name, args) {
            ("as_str" | "as_ref", []) => return Some(receiver.clone()),
            ("len", []) => Ty::USIZE,
            ("is_empty", [])
            | ("starts_with" | "ends_with" | "contains" | "eq_ignore_ascii_case", [_]) => Ty::Bool,
            _ => return None,
        };
        let mut all = vec![self.read(receiver.clone(), span).0];
        for arg in args {
            let (e, _) = self.read(arg.clone(), span);
            all.push(self.text_reference(e));
        }
        Some(Value::Expr(
            Expr::Discrete(name.into(), all, ty.clone()),
            ty,
        ))
    }
}

/// Whether the type is a text.
pub fn is_text(ty: &Ty) -> bool {
    matches!(ty, Ty::Discrete(name) if matches!(name.trim_start_matches('&'), "str" | "String" | "::std::string::String"))
}
