//! Method calls: dispatch on the kind of the receiver.

mod names;
mod number;
mod operator;
mod sequence;

use super::growth;
use crate::ir::{Expr, IntTy, Intrinsic, Place, Proj};
use crate::lower::aggregate::tagged::Family;
use crate::lower::expr::operator::is_literal;
use crate::lower::infer::enum_kind;
use crate::lower::infer::expectation::Taken;
use crate::lower::inline::is_apart;
use crate::lower::iter::attempts;
use crate::lower::opaque::takes_items;
use crate::lower::opaque::texts::is_text;
use crate::lower::value::Value;
use crate::lower::{Lower, Mode, Ty};
use crate::mir::code::tokens_at;
use crate::refuse::Reason;
pub use names::{
    INTEGER, calculates, changes_list, changes_text, is_comparison, is_number_method,
    is_std_method, only_of_floats, only_reads, surely_reads, writes,
};
use names::{OF_ITERATORS, OF_OPTIONS, OF_VECS, is_std};
use proc_macro2::Span;
use quote::{ToTokens, quote};

/// Whether the call implies that a named type is an alias of `Option`, unless the user defines the method.
fn of_alias(name: &str, m: &syn::ExprMethodCall) -> bool {
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
fn apart(name: &str) -> Reason {
    let what = format!(
        "a call of `{name}`, which boxes or references have by an `impl` that does not hand on all of its trait,"
    );
    Reason::Expression(what)
}

/// Whether the place is, or is a part of, an element, a payload or a referent, not only of a field.
pub fn is_inside(place: &Place) -> bool {
    place
        .proj
        .iter()
        .any(|step| !matches!(step, Proj::Field(_)))
}

impl Lower {
    /// `receiver.method(args)`
    pub fn method_call(&mut self, m: &syn::ExprMethodCall) -> Value {
        let own = self.told.take();
        let told = enum_kind::of_receiver(m, own);
        let wanted = self.take_wanted();
        let arranges = names::arranges(m, std::mem::take(&mut self.is_statement));
        let converts =
            matches!(&*m.method.to_string(), "into" | "into_boxed_slice") && m.args.is_empty();
        let attempted = match attempts(m) || converts {
            true => self.expected.take(),
            false => None,
        };
        if let Some(value) = self.chain_on_text(m) {
            return value;
        }
        if let Some(value) = self.unwrapped(m) {
            return value;
        }
        if wanted || !is_number_method(&m.method.to_string()) {
            self.want_struct(&m.receiver);
        }
        let chained = matches!(*m.receiver, syn::Expr::MethodCall(_));
        self.told = told.filter(|_| chained);
        self.opaque.lasts = takes_items(m);
        let receiver = self.receiver(m);
        if let Some(found) = self.lookup_method(&receiver, m) {
            return found;
        }
        let receiver = self.opaque_iterator(&receiver, m).unwrap_or(receiver);
        if self.is_state(&receiver) {
            let args = self.arguments(m.args.iter(), Vec::new());
            return match args.iter().any(|a| matches!(a, Value::Never)) {
                true => Value::Never,
                false => self.user_method(m, receiver, args),
            };
        }
        if own == Some(Family::Option) && enum_kind::lends_element(m) {
            self.take_for_sequence(&receiver, m);
        }
        if arranges {
            self.take_for_list(&receiver, m);
        }
        if let (true, Value::Place(p) | Value::View(p, _)) = (wanted, &receiver) {
            self.users.structs.insert(p.root);
        }
        if let Some(value) = self.template_method(&receiver, m, true) {
            return value;
        }
        if attempts(m) {
            self.told = own;
        }
        if attempts(m) || converts {
            self.expected = attempted;
        }
        if converts
            && let Some(value) = self.by_context(&m.method.to_string(), &receiver, m.method.span())
        {
            return value;
        }
        self.method_of_family(receiver, m, told)
    }

    /// Lowers a method call on an evaluated receiver.
    pub fn method_on(&mut self, receiver: Value, m: &syn::ExprMethodCall) -> Value {
        self.method_of_family(receiver, m, None)
    }

    /// The std type of the receiver, if a visible trait gives that type a method of this name, too.
    fn of_std_and_trait(&mut self, receiver: &Value, name: &str) -> Option<&'static str> {
        if !self.env.of_std_types.contains(name) {
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

    fn method_of_family(
        &mut self,
        receiver: Value,
        m: &syn::ExprMethodCall,
        told: Option<Family>,
    ) -> Value {
        let span = m.method.span();
        let name = m.method.to_string();
        if matches!(receiver, Value::Never) {
            return Value::Never;
        }
        if self.was_refused(&receiver) {
            return receiver;
        }
        if let Some(of) = self.of_std_and_trait(&receiver, &name) {
            return self.refuse(span, Reason::Double(of.into(), name));
        }
        let of_box = matches!(self.value_ty(&receiver), Ty::Boxed(_));
        let is_open = matches!(self.value_ty(&receiver), Ty::Infer(_) | Ty::Unknown);
        if (of_box || is_open) && is_apart(&name, &self.env) {
            return self.refuse(span, apart(&name));
        }
        if let (true, Some(value)) = (of_box, self.as_view(&receiver, m)) {
            return value;
        }
        if name == "map" && self.is_of_some_extent(&receiver) {
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
        if let Some(value) = self.list_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.sorting_method(&name, &receiver, m) {
            return value;
        }
        if let Some(value) = self.option_method(&name, &receiver, m, told) {
            return value;
        }
        if self.refuse_unknown_receiver(&receiver, m, span) {
            return Value::Never;
        }
        if let Some(value) = self.template_method(&receiver, m, false) {
            return value;
        }
        let outer = std::mem::take(&mut self.out);
        let exponent = Taken {
            ty: Ty::Int(IntTy::I32),
            mode: Mode::Owned,
        };
        let takes = match &*name {
            "powi" => vec![Some(exponent)],
            name => self.objects_taken(&receiver, name),
        };
        let args = self.arguments(m.args.iter(), takes);
        let mut raws = std::mem::replace(&mut self.out, outer);
        let receiver = self.receiver_beside(receiver, &name, &mut raws, span);
        self.out.extend(raws);
        if args.iter().any(|a| matches!(a, Value::Never)) {
            return Value::Never;
        }
        if let Some(value) = self.sequence_method(&name, &receiver, &args, span) {
            return value;
        }
        if let ("clone_from", Value::Place(to) | Value::View(to, true), [from]) =
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
        let receiver = self.out_of_box(receiver);
        let is_struct = is_struct && !self.takes_constant_for_number(m, &receiver, &args);
        if let ("total_cmp" | "partial_cmp" | "cmp", [other]) = (name.as_str(), args.as_slice()) {
            return self.order(&name, receiver, other.clone(), span);
        }
        let ty = self.value_ty(&receiver);
        if of_text && let Some(value) = self.text_method(&name, &receiver, &args, span) {
            return value;
        }
        let unknown = matches!(ty, Ty::Infer(_) | Ty::Unknown) && !self.infer.is_number(&ty);
        if let (true, Some(value)) = (unknown, self.as_view(&receiver, m)) {
            return value;
        }
        if let Some(value) = self.length_of_struct(&name, &receiver, &args, is_struct, span) {
            return value;
        }
        let constructed = self.constructed_name(&ty).map(str::to_string);
        let is_made = constructed.is_some() || self.looks_like_struct(&m.receiver);
        match constructed.map_or(ty, Ty::Named) {
            Ty::Named(of)
                if self.is_number_alias(&name, args.len())
                    && !(is_made || self.is_struct_name(&of))
                    && (names::tests(&name) || self.is_number_name(&of)) =>
            {
                self.demand("float", &of, span);
            }
            Ty::Named(_) => {
                let value = self.user_method(m, receiver, args);
                self.note_struct(&name, &value);
                return value;
            }
            Ty::Discrete(_) if matches!(name.as_str(), "to_string" | "to_owned" | "into") => {
                let (e, _) = self.read(receiver, span);
                let ty = Ty::Discrete("::std::string::String".into());
                return Value::Expr(Expr::Discrete(name, vec![e], ty.clone()), ty);
            }
            ty @ Ty::Infer(_)
                if names::of_integers(&name)
                    && !is_struct
                    && !self.is_of_own_type(&name, &receiver)
                    && !self.env.seen.has_method(&name) =>
            {
                let (e, _) = self.read(receiver.clone(), span);
                self.take_for_integer(&e, &ty, span);
            }
            // Integers have such methods, too; on an integer of unknown type, they need no derivative.
            ty @ (Ty::Infer(_) | Ty::Unknown)
                if !self.infer.is_number(&ty)
                    && (!is_std(&name)
                        || self.is_of_own_type(&name, &receiver)
                        || INTEGER.contains(&name.as_str())
                        || self.is_operated(&receiver)
                        || is_struct) =>
            {
                let placed = matches!(receiver, Value::Place(_) | Value::View(..));
                if placed
                    || is_literal(&receiver)
                    || (is_struct && matches!(receiver, Value::Expr(..)))
                {
                    let value = self.user_method(m, receiver, args);
                    self.note_struct(&name, &value);
                    return value;
                }
            }
            _ => {}
        }
        if self.is_of_data(&name, &receiver) {
            return self.user_method(m, receiver, args);
        }
        self.note_method(&name, &receiver, &args);
        self.numeric_method(&name, receiver, args, span)
    }

    /// Whether the receiver is a list or a text that carries no derivative, and the method none of std's types: the
    /// call is emitted as written.
    fn is_of_data(&mut self, name: &str, receiver: &Value) -> bool {
        let (Value::Place(p) | Value::View(p, _)) = receiver else {
            return false;
        };
        let ty = self.shallow(&p.ty);
        let is_list = ty.element().is_some() && self.is_constant_part(p);
        is_list && !calculates(name) || is_text(&ty) && changes_text(name)
    }

    /// Whether the value is a state: a lent value without floats, of unknown type.
    fn is_state(&self, value: &Value) -> bool {
        matches!(value, Value::Place(p) | Value::View(p, _) if self.shallow(&p.ty).is_state())
    }

    /// Lowers `len` and `is_empty` of a struct, or of a value that may be one; the struct need not be annotated for
    /// these. `is_empty` of an unknown type is left to rustc.
    fn length_of_struct(
        &mut self,
        name: &str,
        receiver: &Value,
        args: &[Value],
        is_struct: bool,
        span: Span,
    ) -> Option<Value> {
        let (Value::Place(p) | Value::View(p, _)) = receiver else {
            return None;
        };
        let ty = self.shallow(&p.ty);
        let is_open = matches!(ty, Ty::Infer(_) | Ty::Unknown);
        let is_struct = match self.env.seen.has_method(name) {
            // A field has another type than the struct that contains it.
            true => is_open && !p.is_whole() && !is_inside(p),
            false => {
                let known = is_struct || name == "is_empty" || self.is_constructed(&ty);
                matches!(ty, Ty::Named(_)) || is_open && known
            }
        };
        match (name, args) {
            ("len", []) if is_struct => {
                self.demand_length(p, span);
                Some(Value::Expr(Expr::Len(p.clone()), Ty::USIZE))
            }
            ("is_empty", []) if is_struct => Some(self.truth(name, p.clone(), span)),
            _ => None,
        }
    }

    /// Lowers `place.as_ref()` and `place.as_mut()` of a box, or of a value of unknown type, which rustc checks.
    fn as_view(&mut self, receiver: &Value, m: &syn::ExprMethodCall) -> Option<Value> {
        let (Value::Place(p) | Value::View(p, _)) = receiver else {
            return None;
        };
        let name = m.method.to_string();
        let names = matches!(name.as_str(), "as_ref" | "as_mut") && m.args.is_empty();
        if !names || self.env.seen.has_method(&name) {
            return None;
        }
        let p = self.unboxed(p);
        if let Ty::Infer(_) | Ty::Unknown = self.shallow(&p.ty) {
            self.demand_of_place("lends_itself", &p, m.method.span());
        }
        Some(Value::View(p, name == "as_mut"))
    }

    /// Whether a method that collections have, too, is the method of a user's struct: the value was built by a struct
    /// literal, or a visible type has a method of this name and the value is taken from an `Option`, as in a tree.
    /// Rustc rejects a wrong guess.
    fn is_of_own_type(&mut self, name: &str, receiver: &Value) -> bool {
        let ty = self.value_ty(receiver);
        if self.is_constructed(&ty) {
            return true;
        }
        let of_collections =
            OF_OPTIONS.contains(&name) || OF_VECS.contains(&name) || growth::needs_type(name);
        let held = matches!(receiver, Value::Place(p) | Value::View(p, _)
            if p.proj.iter().any(|step| matches!(step, Proj::Variant(..))));
        let stands = OF_ITERATORS.contains(&name);
        ((of_collections && held) || stands) && self.env.seen.has_method(name)
    }

    /// Whether a method that collections have, too, may be the method of a user's type. An element of a collection may
    /// be a value of the visible type with that method; a field can't.
    pub fn may_be_of_own_type(&mut self, name: &str, receiver: &Value) -> bool {
        let inside = matches!(receiver, Value::Place(p) | Value::View(p, _) if is_inside(p));
        let listed = inside && growth::needs_type(name) && self.env.seen.has_method(name);
        listed || self.is_of_own_type(name, receiver)
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
        let known = self.env.seen.has_method(name);
        let refused = match &ty {
            ty if self.infer.is_number(ty) => false,
            Ty::Named(_) => of_alias(name, m) && !known,
            Ty::Infer(_) | Ty::Unknown => {
                (OF_OPTIONS.contains(&name) && !known) || growth::needs_type(name)
            }
            _ => false,
        };
        let refused = refused && !self.is_of_own_type(name, receiver);
        if refused {
            self.refuse_use(receiver, span, Reason::Receiver(name.into()));
        }
        refused
    }

    /// Whether the value is a sequence of unknown type. A `map` makes it an array, of unknown extent.
    fn is_of_some_extent(&self, value: &Value) -> bool {
        matches!(value, Value::Place(p) | Value::View(p, _) if self.infer.is_some_sequence(&p.ty))
    }

    /// Whether floats have the method, so that the receiver's named type may be an alias of a float.
    fn is_number_alias(&self, name: &str, args: usize) -> bool {
        let float = Intrinsic::from_name(name).is_some_and(|op| op.arity() == args + 1);
        (float || name == "sin_cos" || names::tests(name)) && !self.env.seen.has_method(name)
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
            let flag = self.flag(test, span);
            let value = self.expr(arg);
            let value = self.pin(value, span);
            let then = (Vec::new(), self.variant_value("Some", value));
            let els = (Vec::new(), self.variant_value("None", Value::Unit));
            return Some(self.branch(span, flag, then, els));
        }
        let f = self.callable(arg)?;
        let then = self.in_block(|l| {
            let value = l.apply(&f, Vec::new(), span);
            match value {
                Value::Never => Value::Never,
                value => l.variant_value("Some", value),
            }
        });
        let els = (Vec::new(), self.variant_value("None", Value::Unit));
        Some(self.branch(span, test, then, els))
    }

    /// Infers a float for a constant of a type (`Gas::R.powf(x)`) if an argument of its method is a float.
    fn takes_constant_for_number(
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
        let (Value::View(p, _) | Value::Place(p)) = value else {
            return false;
        };
        matches!(self.shallow(&p.ty), Ty::Slice(_)) && p.is_unsized(&self.draft.func)
    }

    /// A copy of the value.
    fn copy_of(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::View(p, _) | Value::Place(p) => {
                let ty = p.ty.clone();
                Value::Expr(Expr::Read(p), ty)
            }
            value @ (Value::Record(..) | Value::Lent(..)) => self.pin(value.seen_through(), span),
            other => {
                let (e, ty) = self.read(Lower::dereferenced(other), span);
                Value::Expr(e, ty)
            }
        }
    }
}
