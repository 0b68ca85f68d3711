//! Method calls: dispatch on the kind of the receiver.

mod names;
mod number;
mod operator;
mod sequence;

use super::growth;
use crate::ir::{Expr, IntTy, Intrinsic, Place, Proj};
use crate::lower::aggregate::split_enum::EnumKind;
use crate::lower::expr::operator::is_aggregate_literal;
use crate::lower::infer::enum_kind;
use crate::lower::infer::expectation::ParamType;
use crate::lower::inline::is_non_forwarding_method;
use crate::lower::iter::is_try_method;
use crate::lower::opaque::consumes_items;
use crate::lower::opaque::texts::is_text;
use crate::lower::value::Value;
use crate::lower::{Lower, Mode, Ty};
use crate::mir::code::tokens_at;
use crate::refuse::Reason;
pub use names::{
    INTEGER_METHODS, changes_list, changes_text, is_always_readonly, is_comparison, is_computation,
    is_float_only, is_number_method, is_readonly, is_std_method, writes_list,
};
use names::{ITERATOR_METHODS, OPTION_METHODS, VEC_METHODS, is_std};
use proc_macro2::Span;
use quote::{ToTokens, quote};

/// Whether the call implies that a named type is an alias of `Option`, unless the user defines the method.
fn implies_option(name: &str, m: &syn::ExprMethodCall) -> bool {
    let given = m.args.len();
    match name {
        "map" | "and_then" | "map_or" | "filter" => {
            matches!(
                m.args.last(),
                Some(syn::Expr::Closure(_) | syn::Expr::Path(_))
            )
        }
        "unwrap_or" | "zip" => given == 1,
        "ok" | "err" | "take" => given == 0,
        _ => false,
    }
}

/// The refusal of a method that an `impl` for boxes or references has without forwarding all of its trait.
fn unforwarded_method(name: &str) -> Reason {
    let what = format!(
        "a call of `{name}`, which boxes or references have by an `impl` that does not hand on all of its trait,"
    );
    Reason::Expression(what)
}

/// Whether the place is, or is a part of, an element, a payload or a referent, not only of a field.
pub fn is_in_collection(place: &Place) -> bool {
    place
        .proj
        .iter()
        .any(|step| !matches!(step, Proj::Field(_)))
}

impl Lower {
    /// `receiver.method(args)`
    pub fn method_call(&mut self, m: &syn::ExprMethodCall) -> Value {
        let own = self.expected_enum.take();
        let told = enum_kind::kind_of_receiver(m, own);
        let wanted = self.take_struct_expectation();
        let arranges = names::reorders_list(m, std::mem::take(&mut self.is_statement));
        let converts =
            matches!(&*m.method.to_string(), "into" | "into_boxed_slice") && m.args.is_empty();
        let attempted = match is_try_method(m) || converts {
            true => self.expected_ty.take(),
            false => None,
        };
        if let Some(value) = self.lower_text_chain(m) {
            return value;
        }
        if let Some(value) = self.lower_unwrap(m) {
            return value;
        }
        if wanted || !is_number_method(&m.method.to_string()) {
            self.expect_struct(&m.receiver);
        }
        let chained = matches!(*m.receiver, syn::Expr::MethodCall(_));
        self.expected_enum = told.filter(|_| chained);
        self.opaque.outlives_stmt = consumes_items(m);
        let receiver = self.lower_receiver(m);
        if let Some(found) = self.lower_map_method(&receiver, m) {
            return found;
        }
        let receiver = self.opaque_iterator(&receiver, m).unwrap_or(receiver);
        if self.is_state(&receiver) {
            let args = self.arguments(m.args.iter(), Vec::new());
            return match args.iter().any(|a| matches!(a, Value::Diverges)) {
                true => Value::Diverges,
                false => self.user_method(m, receiver, args),
            };
        }
        if own == Some(EnumKind::Option) && enum_kind::returns_element_ref(m) {
            self.infer_sequence(&receiver, m);
        }
        if arranges {
            self.infer_list(&receiver, m);
        }
        if let (true, Value::Place(p) | Value::PlaceRef(p, _)) = (wanted, &receiver) {
            self.user_types.struct_vars.insert(p.root);
        }
        if let Some(value) = self.inline_method_call(&receiver, m, true) {
            return value;
        }
        if is_try_method(m) {
            self.expected_enum = own;
        }
        if is_try_method(m) || converts {
            self.expected_ty = attempted;
        }
        if converts
            && let Some(value) = self.lower_into(&m.method.to_string(), &receiver, m.method.span())
        {
            return value;
        }
        self.dispatch_method(receiver, m, told)
    }

    /// Lowers a method call on an evaluated receiver.
    pub fn method_on(&mut self, receiver: Value, m: &syn::ExprMethodCall) -> Value {
        self.dispatch_method(receiver, m, None)
    }

    /// The std type of the receiver, if a visible trait gives that type a method of this name, too.
    fn ambiguous_std_type(&mut self, receiver: &Value, name: &str) -> Option<&'static str> {
        if !self.env.shadowed_std_methods.contains(name) {
            return None;
        }
        let ty = self.value_ty(receiver);
        match self.shallow(&ty) {
            ty if self.infer.is_int(&ty) => Some("integer"),
            ty if ty.is_float() || self.infer.is_number(&ty) => Some("f64"),
            Ty::Option(_) => Some("Option"),
            Ty::Result(..) => Some("Result"),
            Ty::Vec(_) => Some("Vec"),
            Ty::Array(..) => Some("[T; N]"),
            _ => None,
        }
    }

    fn dispatch_method(
        &mut self,
        receiver: Value,
        m: &syn::ExprMethodCall,
        told: Option<EnumKind>,
    ) -> Value {
        let span = m.method.span();
        let name = m.method.to_string();
        if matches!(receiver, Value::Diverges) {
            return Value::Diverges;
        }
        if self.was_refused(&receiver) {
            return receiver;
        }
        if let Some(of) = self.ambiguous_std_type(&receiver, &name) {
            return self.refuse(span, Reason::Double(of.into(), name));
        }
        let of_box = matches!(self.value_ty(&receiver), Ty::Boxed(_));
        let is_open = matches!(self.value_ty(&receiver), Ty::Infer(_) | Ty::Unknown);
        if (of_box || is_open) && is_non_forwarding_method(&name, &self.env) {
            return self.refuse(span, unforwarded_method(&name));
        }
        if let (true, Some(value)) = (of_box, self.lower_as_ref(&receiver, m)) {
            return value;
        }
        if name == "map" && self.is_unknown_sequence(&receiver) {
            return self.refuse(span, Reason::Extent);
        }
        let is_struct = self.is_struct(&receiver, &m.receiver);
        if let Some(value) = self.bool_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.iterator_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.chunk_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.deque_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.growth_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.ref_array_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.sorting_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.option_method(&name, &receiver, m, told) {
            return value;
        }
        if self.refuse_unknown_receiver(&receiver, m, span) {
            return Value::Diverges;
        }
        if let Some(value) = self.inline_method_call(&receiver, m, false) {
            return value;
        }
        let outer = std::mem::take(&mut self.out);
        let exponent = ParamType {
            ty: Ty::Int(IntTy::I32),
            mode: Mode::Owned,
        };
        let takes = match &*name {
            "powi" => vec![Some(exponent)],
            name => self.object_params(&receiver, name),
        };
        let args = self.arguments(m.args.iter(), takes);
        let mut raws = std::mem::replace(&mut self.out, outer);
        let receiver = self.receiver_with_args(receiver, &name, &mut raws, span);
        self.out.extend(raws);
        if args.iter().any(|a| matches!(a, Value::Diverges)) {
            return Value::Diverges;
        }
        if let Some(value) = self.sequence_method(&name, &receiver, &args, span) {
            return value;
        }
        if let ("clone_from", Value::Place(to) | Value::PlaceRef(to, true), [from]) =
            (name.as_str(), &receiver, args.as_slice())
        {
            let (to, value) = (Value::Place(to.clone()), self.copy_of(from.clone(), span));
            self.store(to, value, span);
            return Value::Unit;
        }
        if let Some(value) = self.operator_method(m, &receiver, &args) {
            return value;
        }
        let of_text = is_text(&self.value_ty(&receiver));
        if name == "to_owned" && self.is_slice(&receiver) {
            return self.method_on(receiver, &syn::parse_quote_spanned!(span=> slice.to_vec()));
        }
        if name == "clone" || (name == "to_owned" && !of_text) {
            return self.copy_of(receiver, span);
        }
        let receiver = self.deref_boxed_value(receiver);
        let is_struct = is_struct && !self.infer_constant_float(m, &receiver, &args);
        if let ("total_cmp" | "partial_cmp" | "cmp", [other]) = (name.as_str(), args.as_slice()) {
            return self.lower_ordering(&name, receiver, other.clone(), span);
        }
        let ty = self.value_ty(&receiver);
        if of_text && let Some(value) = self.text_method(&name, &receiver, &args, span) {
            return value;
        }
        let unknown = matches!(ty, Ty::Infer(_) | Ty::Unknown) && !self.infer.is_number(&ty);
        if let (true, Some(value)) = (unknown, self.lower_as_ref(&receiver, m)) {
            return value;
        }
        if let Some(value) = self.struct_length(&name, &receiver, &args, is_struct, span) {
            return value;
        }
        let constructed = self.struct_literal_name(&ty).map(str::to_string);
        let is_made = constructed.is_some() || self.looks_like_struct(&m.receiver);
        match constructed.map_or(ty, Ty::Named) {
            Ty::Named(of)
                if self.is_number_alias(&name, args.len())
                    && !(is_made || self.is_struct_name(&of))
                    && (names::is_float_test(&name) || self.is_number_type_name(&of)) =>
            {
                self.check_type("float", &of, span);
            }
            Ty::Named(_) => {
                let value = self.user_method(m, receiver, args);
                self.note_struct_result(&name, &value);
                return value;
            }
            Ty::Discrete(_) if matches!(name.as_str(), "to_string" | "to_owned" | "into") => {
                let (e, _) = self.read(receiver, span);
                let ty = Ty::Discrete("::std::string::String".into());
                return Value::Expr(Expr::Discrete(name, vec![e], ty.clone()), ty);
            }
            ty @ Ty::Infer(_)
                if names::is_integer_method(&name)
                    && !is_struct
                    && !self.is_user_type_method(&name, &receiver)
                    && !self.env.signatures.has_method(&name) =>
            {
                let (e, _) = self.read(receiver.clone(), span);
                self.infer_integer(&e, &ty, span);
            }
            // Integers have such methods, too; on an integer of unknown type, they need no derivative.
            ty @ (Ty::Infer(_) | Ty::Unknown)
                if !self.infer.is_number(&ty)
                    && (!is_std(&name)
                        || self.is_user_type_method(&name, &receiver)
                        || INTEGER_METHODS.contains(&name.as_str())
                        || self.is_operator_value(&receiver)
                        || is_struct) =>
            {
                let placed = matches!(receiver, Value::Place(_) | Value::PlaceRef(..));
                if placed
                    || is_aggregate_literal(&receiver)
                    || (is_struct && matches!(receiver, Value::Expr(..)))
                {
                    let value = self.user_method(m, receiver, args);
                    self.note_struct_result(&name, &value);
                    return value;
                }
            }
            _ => {}
        }
        if self.is_passive_receiver(&name, &receiver) {
            return self.user_method(m, receiver, args);
        }
        self.record_float_method(&name, &receiver, &args);
        self.numeric_method(&name, receiver, args, span)
    }

    /// Whether the receiver is a list or a text that carries no derivative, and the method none of std's types: the
    /// call is emitted as written.
    fn is_passive_receiver(&mut self, name: &str, receiver: &Value) -> bool {
        let (Value::Place(p) | Value::PlaceRef(p, _)) = receiver else {
            return false;
        };
        let ty = self.shallow(&p.ty);
        let is_list = ty.element().is_some() && self.is_constant_part(p);
        is_list && !is_computation(name) || is_text(&ty) && changes_text(name)
    }

    /// Whether the value is a state: a lent value without floats, of unknown type.
    fn is_state(&self, value: &Value) -> bool {
        matches!(value, Value::Place(p) | Value::PlaceRef(p, _) if self.shallow(&p.ty).is_state())
    }

    /// Lowers `len` and `is_empty` of a struct, or of a value that may be one; the struct need not be annotated for
    /// these. `is_empty` of an unknown type is left to rustc.
    fn struct_length(
        &mut self,
        name: &str,
        receiver: &Value,
        args: &[Value],
        is_struct: bool,
        span: Span,
    ) -> Option<Value> {
        let (Value::Place(p) | Value::PlaceRef(p, _)) = receiver else {
            return None;
        };
        let ty = self.shallow(&p.ty);
        let is_open = matches!(ty, Ty::Infer(_) | Ty::Unknown);
        let is_struct = match self.env.signatures.has_method(name) {
            // A field has another type than the struct that contains it.
            true => is_open && !p.is_whole() && !is_in_collection(p),
            false => {
                let known = is_struct || name == "is_empty" || self.has_constructor(&ty);
                matches!(ty, Ty::Named(_)) || is_open && known
            }
        };
        match (name, args) {
            ("len", []) if is_struct => {
                self.check_length(p, span);
                Some(Value::Expr(Expr::Len(p.clone()), Ty::USIZE))
            }
            ("is_empty", []) if is_struct => Some(self.opaque_predicate(name, p.clone(), span)),
            _ => None,
        }
    }

    /// Lowers `place.as_ref()` and `place.as_mut()` of a box, or of a value of unknown type, which rustc checks.
    fn lower_as_ref(&mut self, receiver: &Value, m: &syn::ExprMethodCall) -> Option<Value> {
        let (Value::Place(p) | Value::PlaceRef(p, _)) = receiver else {
            return None;
        };
        let name = m.method.to_string();
        let names = matches!(name.as_str(), "as_ref" | "as_mut") && m.args.is_empty();
        if !names || self.env.signatures.has_method(&name) {
            return None;
        }
        let p = self.deref_boxes(p);
        if let Ty::Infer(_) | Ty::Unknown = self.shallow(&p.ty) {
            self.check_place("lends_itself", &p, m.method.span());
        }
        Some(Value::PlaceRef(p, name == "as_mut"))
    }

    /// Whether a method that collections have, too, is the method of a user's struct: the value was built by a struct
    /// literal, or a visible type has a method of this name and the value is taken from an `Option`, as in a tree.
    /// Rustc rejects a wrong guess.
    fn is_user_type_method(&mut self, name: &str, receiver: &Value) -> bool {
        let ty = self.value_ty(receiver);
        if self.has_constructor(&ty) {
            return true;
        }
        let of_collections = OPTION_METHODS.contains(&name)
            || VEC_METHODS.contains(&name)
            || growth::needs_receiver_type(name);
        let held = matches!(receiver, Value::Place(p) | Value::PlaceRef(p, _)
            if p.proj.iter().any(|step| matches!(step, Proj::Variant(..))));
        let stands = ITERATOR_METHODS.contains(&name);
        ((of_collections && held) || stands) && self.env.signatures.has_method(name)
    }

    /// Whether a method that collections have, too, may be the method of a user's type. An element of a collection may
    /// be a value of the visible type with that method; a field can't.
    pub fn may_be_user_method(&mut self, name: &str, receiver: &Value) -> bool {
        let inside =
            matches!(receiver, Value::Place(p) | Value::PlaceRef(p, _) if is_in_collection(p));
        let listed =
            inside && growth::needs_receiver_type(name) && self.env.signatures.has_method(name);
        listed || self.is_user_type_method(name, receiver)
    }

    /// Refuses a method of `Option`s, iterators or arrays on a value of unknown type.
    fn refuse_unknown_receiver(
        &mut self,
        receiver: &Value,
        m: &syn::ExprMethodCall,
        span: Span,
    ) -> bool {
        let name = &*m.method.to_string();
        let ty = self.value_ty(receiver);
        let known = self.env.signatures.has_method(name);
        let refused = match &ty {
            ty if self.infer.is_number(ty) => false,
            Ty::Named(_) => implies_option(name, m) && !known,
            Ty::Infer(_) | Ty::Unknown => {
                (OPTION_METHODS.contains(&name) && !known) || growth::needs_receiver_type(name)
            }
            _ => false,
        };
        let refused = refused && !self.is_user_type_method(name, receiver);
        if refused {
            self.refuse_use(receiver, span, Reason::Receiver(name.into()));
        }
        refused
    }

    /// Whether the value is a sequence of unknown type. A `map` makes it an array, of unknown extent.
    fn is_unknown_sequence(&self, value: &Value) -> bool {
        matches!(value, Value::Place(p) | Value::PlaceRef(p, _) if self.infer.is_open_sequence(&p.ty))
    }

    /// Whether floats have the method, so that the receiver's named type may be an alias of a float.
    fn is_number_alias(&self, name: &str, args: usize) -> bool {
        let float = Intrinsic::from_name(name).is_some_and(|op| op.arity() == args + 1);
        (float || name == "sin_cos" || names::is_float_test(name))
            && !self.env.signatures.has_method(name)
    }

    /// `flag.then(|| ..)`, `flag.then_some(..)`
    fn bool_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let (span, arg) = (m.method.span(), m.args.first()?);
        if !matches!(name, "then" | "then_some") || self.value_ty(receiver) != Ty::Bool {
            return None;
        }
        let (test, _) = self.read(receiver.clone(), span);
        if name == "then_some" {
            let flag = self.freeze_tag(test, span);
            let value = self.expr(arg);
            let value = self.copy_to_temp(value, span);
            let then = (Vec::new(), self.variant_value("Some", value));
            let els = (Vec::new(), self.variant_value("None", Value::Unit));
            return Some(self.emit_branch(span, flag, then, els));
        }
        let f = self.callable(arg)?;
        let then = self.in_block(|l| {
            let value = l.apply(&f, Vec::new(), span);
            match value {
                Value::Diverges => Value::Diverges,
                value => l.variant_value("Some", value),
            }
        });
        let els = (Vec::new(), self.variant_value("None", Value::Unit));
        Some(self.emit_branch(span, test, then, els))
    }

    /// Infers a float for a constant of a type (`Gas::R.powf(x)`) if an argument of its method is a float.
    fn infer_constant_float(
        &mut self,
        m: &syn::ExprMethodCall,
        receiver: &Value,
        args: &[Value],
    ) -> bool {
        let (syn::Expr::Path(p), Value::Expr(Expr::Code(..), ty)) = (&*m.receiver, receiver) else {
            return false;
        };
        let op = Intrinsic::from_name(&m.method.to_string());
        if self.infer.is_number(ty) || op.is_none_or(|op| op.arity() != args.len() + 1) {
            return false;
        }
        let types = args.iter().map(|arg| self.value_ty(arg));
        let Some(real) = types.collect::<Vec<_>>().into_iter().find(Ty::is_float) else {
            return false;
        };
        self.unify(ty, &real);
        let (span, name) = (m.method.span(), real.to_string());
        let real = tokens_at(&name, span);
        let check = quote!({ let _: #real = #p; });
        self.hoist_check(check, (p.to_token_stream().to_string(), name), span);
        true
    }

    /// Whether the value is a slice, not an array typed as one.
    fn is_slice(&self, value: &Value) -> bool {
        let (Value::PlaceRef(p, _) | Value::Place(p)) = value else {
            return false;
        };
        matches!(self.shallow(&p.ty), Ty::Slice(_)) && p.is_unsized(&self.draft.func)
    }

    /// A copy of the value.
    fn copy_of(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::PlaceRef(p, _) | Value::Place(p) => {
                let ty = p.ty.clone();
                Value::Expr(Expr::Read(p), ty)
            }
            value @ (Value::RefStruct(..) | Value::RefToAggregate(..)) => {
                self.copy_to_temp(value.strip_ref(), span)
            }
            other => {
                let (e, ty) = self.read(Lower::deref_value(other), span);
                Value::Expr(e, ty)
            }
        }
    }
}
