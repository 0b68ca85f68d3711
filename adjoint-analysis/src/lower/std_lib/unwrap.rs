//! `Option`s that are unwrapped where they are created: element access, conversions. The `Option` itself never exists.

use proc_macro2::Span;
use quote::quote;

use crate::ir::construct::usize_lit;
use crate::ir::{BinOp, Expr, FloatTy, IntTy, Place};
use crate::lower::expr::strip_parens;
use crate::lower::value::Value;
use crate::lower::{Lower, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// Whether the expression is a variable, or a field of one.
fn is_named(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Path(_) => true,
        syn::Expr::Field(f) => is_named(&f.base),
        _ => false,
    }
}

impl Lower {
    /// Lowers `e.unwrap()` and `e.expect(..)`; `None` if `e` has none of the forms known here.
    pub fn lower_unwrap(&mut self, m: &syn::ExprMethodCall) -> Option<Value> {
        let ordered = m.method == "unwrap_or" || m.method == "unwrap" || m.method == "expect";
        if let (true, syn::Expr::MethodCall(inner)) = (ordered, strip_parens(&m.receiver))
            && inner.method == "partial_cmp"
            && inner.args.len() == 1
        {
            let values = self.operands(std::iter::once(&*inner.receiver).chain(&inner.args));
            let [a, b] = <[Value; 2]>::try_from(values).ok()?;
            return Some(self.unwrapped_ordering(a, b, m, inner.method.span()));
        }
        if m.method != "unwrap" && m.method != "expect" {
            return None;
        }
        match strip_parens(&m.receiver) {
            syn::Expr::MethodCall(inner) => self
                .array_method(inner, m)
                .or_else(|| self.unwrapped_method(inner, m)),
            syn::Expr::Call(inner) => self
                .array_conversion(inner, m)
                .or_else(|| self.unwrapped_conversion(inner)),
            _ => None,
        }
    }

    /// Whether the type of a named receiver has a method of this name itself.
    fn has_own_method(&mut self, m: &syn::ExprMethodCall, name: &str) -> bool {
        if !is_named(&m.receiver) || !self.env.signatures.has_method(name) {
            return false;
        }
        let of = self.probe_type(&m.receiver);
        matches!(of, Ty::Named(of) if self.env.signatures.method(&of, name).is_some())
    }

    fn unwrapped_method(
        &mut self,
        m: &syn::ExprMethodCall,
        unwrap: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let (name, span) = (m.method.to_string(), m.method.span());
        if self.has_own_method(m, &name) || is_named(&m.receiver) && self.is_lookup(m) {
            return None;
        }
        if let (Some(ty), true) = (conversion_target(&name, "to_"), m.args.is_empty()) {
            let receiver = self.expr(&m.receiver);
            return Some(self.cast_value(receiver, ty, span));
        }
        if super::growth::is_pop(m) {
            let receiver = self.lower_receiver(m);
            return Some(self.pop_unwrapped(receiver, m, unwrap));
        }
        let with_index = matches!(name.as_str(), "get" | "get_mut" | "nth");
        let named = matches!(strip_parens(&m.receiver), syn::Expr::Path(_));
        if let ("nth", true) = (name.as_str(), named) {
            return None;
        }
        let known =
            with_index || matches!(name.as_str(), "first" | "first_mut" | "last" | "last_mut");
        if !known || m.args.len() != usize::from(with_index) {
            return None;
        }
        let mut values = self
            .operands(std::iter::once(&*m.receiver).chain(&m.args))
            .into_iter();
        let (receiver, index) = (values.next()?, values.next());
        if let Value::Iter(p) = &receiver
            && !p.is_stream()
            && !p.may_have_effects()
        {
            return Some(self.item_at(p, &name, index, span));
        }
        if let Value::Iter(p) = &receiver {
            let args: Vec<&syn::Expr> = m.args.iter().collect();
            let found = self.search(&name, p, &args, span);
            return self.option_method(&unwrap.method.to_string(), &found, unwrap, None);
        }
        let (Value::Place(place) | Value::PlaceRef(place, _)) = receiver else {
            return Some(self.refuse(span, Reason::Method(name)));
        };
        let place = self.deref_boxes(&place);
        if self.may_have_elements(&place) {
            self.infer_list_place(&place, &name, span);
            let element = self.fresh_ty();
            self.infer.mark_sequence(&place.ty, &element);
        } else if self.shallow(&place.ty).element().is_none() {
            return Some(self.refuse(span, Reason::Method(name)));
        }
        let place = self.freeze_place(place, span);
        let at = match index {
            Some(index) => {
                let (e, ty) = self.read(index, span);
                self.unify(&ty, &Ty::USIZE);
                self.stable_operand(e, Ty::USIZE, span)
            }
            None => usize_lit(0),
        };
        self.check_element(m, unwrap, &place, &at);
        let at = match name.starts_with("last") {
            true => Expr::Binary(
                BinOp::Sub,
                Box::new(Expr::Len(place.clone())),
                Box::new(usize_lit(1)),
            ),
            false => at,
        };
        let element = self.element(&place, at, span);
        Some(Value::PlaceRef(element, name.ends_with("_mut")))
    }

    /// Whether the type is unknown and no number, so that it may be a sequence.
    fn may_have_elements(&self, place: &Place) -> bool {
        matches!(self.shallow(&place.ty), Ty::Infer(_)) && !self.infer.is_number(&place.ty)
    }

    /// Emits the user's own panic for a missing element.
    fn check_element(
        &mut self,
        m: &syn::ExprMethodCall,
        unwrap: &syn::ExprMethodCall,
        place: &Place,
        at: &Expr,
    ) {
        let method = m.method.to_string();
        let method = syn::Ident::new(method.trim_end_matches("_mut"), m.method.span());
        let (index, places) = match at {
            _ if m.args.is_empty() => (quote!(), vec![place.clone()]),
            Expr::Read(p) => (quote!(__place_1), vec![place.clone(), p.clone()]),
            Expr::Lit(text, _) => {
                let lit: proc_macro2::TokenStream = text.parse().unwrap_or_default();
                (lit, vec![place.clone()])
            }
            _ => return,
        };
        let (end, message) = (&unwrap.method, &unwrap.args);
        let (message, more) = self.capture(quote!(#message));
        if !more.is_empty() {
            return;
        }
        let message = self.draft.code[message.index()].tokens.clone();
        let tokens = quote!(__place_0.#method(#index).#end(#message));
        let code = self.add_code(tokens, vec![CaptureMode::Borrow, CaptureMode::Value]);
        self.emit(m.method.span(), StmtKind::Passive(code, places));
    }

    /// `it.last()`, `it.nth(k)`
    fn item_at(
        &mut self,
        p: &crate::lower::iter::Producer,
        name: &str,
        index: Option<Value>,
        span: Span,
    ) -> Value {
        let at = match (name, index) {
            ("nth", Some(index)) => {
                let (e, ty) = self.read(index, span);
                self.unify(&ty, &Ty::USIZE);
                e
            }
            ("last", None) => {
                let n = self.length(p);
                Expr::Binary(BinOp::Sub, Box::new(n), Box::new(usize_lit(1)))
            }
            _ => {
                return self.refuse(
                    span,
                    Reason::Iterator(format!("an iterator through `{name}`")),
                );
            }
        };
        let at = self.stable_operand(at, Ty::USIZE, span);
        self.item(p, at, span)
    }

    /// Lowers `unwrap` and `expect` of a `Result<(), E>` that the last statement made: it is moved, as `E` need not be
    /// `Clone`.
    pub fn unwrap_unit_result(
        &mut self,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let holds_nothing = |ty: &Ty| matches!(ty, Ty::Result(held, _) if **held == Ty::Unit);
        let (Value::Place(place), "unwrap" | "expect") = (receiver, &*m.method.to_string()) else {
            return None;
        };
        if !self.is_fresh_temp(place) || !holds_nothing(&self.shallow(&place.ty)) {
            return None;
        }
        let (method, args) = (&m.method, &m.args);
        let (code, places) = self.capture_with(
            quote!(__place_0.#method(#args)),
            vec![place.clone()],
            vec![CaptureMode::Value],
        );
        self.emit(m.method.span(), StmtKind::Passive(code, places));
        Some(Value::Unit)
    }

    /// `T::from(x)`, `NumCast::from(x)`, `T::from_f64(x)`, `num_traits::cast(x)`
    fn unwrapped_conversion(&mut self, c: &syn::ExprCall) -> Option<Value> {
        let (syn::Expr::Path(p), [x]) =
            (strip_parens(&c.func), &*c.args.iter().collect::<Vec<_>>())
        else {
            return None;
        };
        let span = p.path.segments.last()?.ident.span();
        let names: Vec<String> = p
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let last = names.last()?.as_str();
        let owner = names.len().checked_sub(2).map_or("", |i| names[i].as_str());
        let target = match &p.qself {
            Some(q) => Some(self.named_type(&q.ty)),
            None => self
                .float_type(owner)
                .or_else(|| IntTy::from_name(owner).map(Ty::Int)),
        };
        let by_trait = matches!(owner, "NumCast" | "FromPrimitive");
        let ty = match last {
            "from" if target.is_some() || by_trait => target.unwrap_or_else(|| self.fresh_ty()),
            "cast" if matches!(owner, "" | "num_traits" | "num" | "cast") => self.cast_target(p),
            name if name.starts_with("from_") && (target.is_some() || by_trait) => {
                conversion_target(name, "from_")?;
                target.unwrap_or_else(|| self.fresh_ty())
            }
            _ => return None,
        };
        let value = self.expr(x);
        if let Some(from) = conversion_target(last, "from_") {
            let found = self.value_ty(&value);
            self.unify(&found, &from);
        }
        Some(self.cast_value(value, ty, span))
    }

    /// `B` of `cast::<A, B>`
    fn cast_target(&mut self, p: &syn::ExprPath) -> Ty {
        let named = match p.path.segments.last().map(|s| &s.arguments) {
            Some(syn::PathArguments::AngleBracketed(args)) => match args.args.iter().nth(1) {
                Some(syn::GenericArgument::Type(ty)) => self.named_type(ty),
                _ => Ty::Unknown,
            },
            _ => Ty::Unknown,
        };
        match named {
            Ty::Unknown => self.fresh_ty(),
            ty => ty,
        }
    }

    fn cast_value(&mut self, value: Value, ty: Ty, span: Span) -> Value {
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        let (e, _) = self.read(value, span);
        Value::Expr(Expr::Cast(Box::new(e), ty.clone()), ty)
    }
}

/// The type in the name of a conversion: `to_f64`, `from_usize`.
pub fn conversion_target(name: &str, prefix: &str) -> Option<Ty> {
    match name.strip_prefix(prefix)? {
        "f64" => Some(Ty::F64),
        "f32" => Some(Ty::Float(FloatTy::F32)),
        int => IntTy::from_name(int).map(Ty::Int),
    }
}
