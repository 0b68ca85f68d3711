//! `Vec`s that grow and shrink. All methods become insertions and removals of single elements, swaps,
//! and loops of these.

mod retain;

use proc_macro2::Span;
use quote::quote;
use syn::spanned::Spanned;

use self::retain::DedupBy;
use crate::ir::construct::{binary, saturating_sub, usize_lit};
use crate::ir::{BinOp, Expr, Place, VarId};
use crate::lower::expr::strip_parens;
use crate::lower::infer::expectation::{ParamType, by_value};
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::lower::{Lower, Origin, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// Methods that lengthen or shorten a `Vec`.
const LENGTH_METHODS: &[&str] = &[
    "push",
    "pop",
    "insert",
    "remove",
    "swap_remove",
    "truncate",
    "resize",
    "resize_with",
    "clear",
    "extend",
    "extend_from_slice",
    "append",
    "split_off",
    "drain",
    "splice",
    "retain",
    "retain_mut",
    "dedup",
    "dedup_by",
    "dedup_by_key",
    "extend_from_within",
    "reserve",
    "reserve_exact",
    "shrink_to_fit",
];

/// The methods among them that few other types have.
const VEC_ONLY: &[&str] = &[
    "push",
    "pop",
    "extend_from_slice",
    "swap_remove",
    "truncate",
    "resize",
    "split_off",
];

/// Whether the method is one that changes the length of a `Vec`.
pub fn changes_length(name: &str) -> bool {
    LENGTH_METHODS.contains(&name)
}

/// Whether `Vec` has the method, and other types commonly have it too.
pub fn needs_receiver_type(name: &str) -> bool {
    LENGTH_METHODS.contains(&name) && !VEC_ONLY.contains(&name)
}

/// Whether the call fits `Vec`'s method of this name: its number of arguments, and an index rather than a key.
fn fits_vec_method(name: &str, m: &syn::ExprMethodCall) -> bool {
    let first = m.args.first().map(strip_parens);
    let by_key = matches!(name, "insert" | "remove" | "swap_remove")
        && matches!(first, Some(syn::Expr::Reference(_)));
    LENGTH_METHODS.contains(&name) && m.args.len() == arity(name) && !by_key
}

/// The number of arguments of `Vec`'s method.
fn arity(name: &str) -> usize {
    match name {
        "pop" | "clear" | "dedup" | "shrink_to_fit" => 0,
        "insert" | "resize" | "resize_with" | "splice" => 2,
        _ => 1,
    }
}

/// A `pop` that is matched by `Some(p)`: the test for an element, the `Vec`, and the pattern `p`.
pub type Popped<'a> = (Expr, Place, &'a syn::Pat);

impl Lower {
    /// Lowers a method that changes the length of a `Vec`; `None` if the receiver is none.
    pub fn growth_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        if !fits_vec_method(name, m) {
            return None;
        }
        let place = self.vec_receiver(name, receiver, span)?;
        if name == "drain" {
            return Some(self.drain(&place, m.args.first()?));
        }
        if name == "splice" {
            return Some(self.splice(&place, m.args.first()?, m.args.last()?));
        }
        let args = self.operands_expected(m.args.iter(), self.list_param_types(name, &place));
        if args.iter().any(|a| matches!(a, Value::Diverges)) {
            return Some(Value::Diverges);
        }
        let mut args = args.into_iter();
        Some(match (name, args.next(), args.next()) {
            ("push", Some(value), None) => self.push(&place, value, span),
            ("pop", None, None) => self.pop(&place, span),
            ("insert", Some(at), Some(value)) => {
                let at = self.index_operand(at, span);
                self.insert_element(&place, Some(at), value, span)
            }
            ("remove", Some(at), None) => {
                let at = self.index_operand(at, span);
                Value::Place(self.remove_element(&place, Some(at), span))
            }
            ("swap_remove", Some(at), None) => self.swap_remove(&place, at, span),
            ("truncate", Some(n), None) => {
                let n = self.index_operand(n, span);
                self.truncate_list(&place, n, span)
            }
            ("resize", Some(n), Some(value)) => self.resize(&place, n, value, span),
            ("resize_with", Some(n), Some(Value::Closure(f))) => {
                let n = self.index_operand(n, span);
                let more = self.missing_length(&place, &n, span);
                self.truncate_list(&place, n, span);
                self.counted_loop(more, span, |l, _| {
                    let value = l.inline_closure(&f, Vec::new(), span);
                    l.push(&place, value, span);
                });
                Value::Unit
            }
            ("clear", None, None) => self.clear(&place, span),
            ("extend" | "extend_from_slice", Some(items), None) => self.extend(&place, items, span),
            ("append", Some(other), None) => {
                let other = self.place_of(other, span);
                self.append_all(&place, &other, span)
            }
            ("split_off", Some(at), None) => {
                let at = self.index_operand(at, span);
                Value::Place(self.split_off(&place, at, span))
            }
            ("extend_from_within", Some(range), None) => {
                let (lo, hi) = self.range_bounds(&range, &place, span)?;
                let part = self.slice(&place, Some(lo), Some(hi));
                let ty = self.shallow(&place.ty);
                let part = self.temp(span, "part", Expr::Read(part), ty);
                self.extend(&place, Value::Place(part), span)
            }
            ("retain" | "retain_mut", Some(Value::Closure(f)), None) => {
                self.retain(&place, &f, name == "retain_mut", span)
            }
            ("dedup", None, None) => self.dedup(&place, &DedupBy::Equality, span),
            ("dedup_by_key", Some(Value::Closure(f)), None) => {
                self.dedup(&place, &DedupBy::Key(&f), span)
            }
            ("dedup_by", Some(Value::Closure(f)), None) => {
                self.dedup(&place, &DedupBy::Predicate(&f), span)
            }
            // Capacity is not part of the value.
            ("reserve" | "reserve_exact", Some(_), None) | ("shrink_to_fit", None, None) => {
                Value::Unit
            }
            _ => return None,
        })
    }

    /// The receiver as a `Vec`. If its type is unknown, the method's name makes it one, and rustc checks that.
    fn vec_receiver(&mut self, name: &str, value: &Value, span: Span) -> Option<Place> {
        let (Value::Place(place) | Value::PlaceRef(place, true)) = value else {
            return None;
        };
        let place = self.deref_boxes(place);
        let open = self.infer.is_open_sequence(&place.ty)
            || matches!(self.shallow(&place.ty), Ty::Infer(_)) && !self.infer.is_number(&place.ty);
        if open && !self.is_noted_struct(&place) && !self.may_be_user_method(name, value) {
            let element = Box::new(self.fresh_ty());
            self.unify(&place.ty, &Ty::Vec(element));
            self.check_place("vector_of", &place, span);
        }
        match self.shallow(&place.ty) {
            Ty::Vec(_) => Some(self.freeze_place(place, span)),
            _ => None,
        }
    }

    /// `Vec::new()`, `Vec::with_capacity(n)`, `Vec::from(items)`
    pub fn vec_function(&mut self, path: &syn::Path, args: &[Value], span: Span) -> Option<Value> {
        let mut segments = path.segments.iter().rev();
        let (function, owner) = (segments.next()?, segments.next()?);
        let element = match &owner.arguments {
            syn::PathArguments::AngleBracketed(a) => a.args.first(),
            _ => None,
        };
        let element = match element {
            Some(syn::GenericArgument::Type(ty)) => self.named_type(ty),
            _ => self.fresh_ty(),
        };
        let ty = Ty::Vec(Box::new(element));
        let empty = Value::Expr(Expr::Aggregate(Vec::new(), ty.clone()), ty.clone());
        match (function.ident.to_string().as_str(), args) {
            ("new" | "default", []) | ("with_capacity", [_]) => Some(empty),
            ("from", [items]) => {
                let all = self.temp(span, "all", Expr::Aggregate(Vec::new(), ty.clone()), ty);
                self.extend(&all, items.clone(), span);
                Some(Value::Place(all))
            }
            ("from_iter", [items]) => {
                let items = self.producer(items.clone(), span)?;
                Some(self.collect_as(ty, &items, span))
            }
            _ => None,
        }
    }

    /// `mem::replace(&mut place, value)`, `mem::take(&mut place)`: a swap, so that nothing is copied.
    pub fn exchange(&mut self, place: Place, value: Value, span: Span) -> Value {
        let (e, ty) = self.read(value, span);
        self.unify(&place.ty, &ty);
        let old = self.new_var("old", ty.clone(), Origin::Local);
        self.emit(span, StmtKind::Let(old, Some(e)));
        let old = Place::var(old, ty);
        self.emit(span, StmtKind::Swap(old.clone(), place));
        Value::Place(old)
    }

    // A `pop` that is matched by a pattern.

    /// Lowers the scrutinee of `Some(p) = v.pop()` for an irrefutable `p`; the element is removed once the pattern has
    /// matched ([`Lower::bind_popped`]). `Err` is the value of any other scrutinee.
    pub fn pop_scrutinee<'a>(
        &mut self,
        pat: &'a syn::Pat,
        e: &syn::Expr,
    ) -> Result<Popped<'a>, Value> {
        match (strip_parens(e), payload_pattern(pat)) {
            (syn::Expr::MethodCall(m), Some(inner)) if is_pop(m) => {
                let receiver = self.lower_receiver(m);
                match self.vec_receiver("pop", &receiver, m.method.span()) {
                    Some(place) => Ok((is_nonempty(&place), place, inner)),
                    None => Err(self.method_on(receiver, m)),
                }
            }
            _ => {
                Err(self
                    .lower_expr_of_kind(e, crate::lower::infer::enum_kind::kind_of_pattern(pat)))
            }
        }
    }

    /// Removes the last element and binds the pattern to it.
    pub fn bind_popped(&mut self, place: &Place, pat: &syn::Pat) {
        let taken = self.remove_element(place, None, pat.span());
        self.bind_pattern(pat, Value::Place(taken));
    }

    /// `v.pop();`
    pub fn pop_statement(&mut self, m: &syn::ExprMethodCall) -> Value {
        let span = m.method.span();
        let receiver = self.lower_receiver(m);
        let Some(place) = self.vec_receiver("pop", &receiver, span) else {
            return self.method_on(receiver, m);
        };
        self.emit_if(
            is_nonempty(&place),
            span,
            |l| drop(l.remove_element(&place, None, span)),
            |_| {},
        );
        Value::Unit
    }

    /// `v.pop().unwrap()`, `v.pop().expect(..)`; the panic is the user's own.
    pub fn pop_unwrapped(
        &mut self,
        receiver: Value,
        m: &syn::ExprMethodCall,
        unwrap: &syn::ExprMethodCall,
    ) -> Value {
        let span = m.method.span();
        let Some(place) = self.vec_receiver("pop", &receiver, span) else {
            let value = self.method_on(receiver, m);
            return self.method_on(value, unwrap);
        };
        let (end, message) = (&unwrap.method, &unwrap.args);
        let panic = quote!(__place_0.last().#end(#message));
        let (code, places) =
            self.capture_with(panic, vec![place.clone()], vec![CaptureMode::Borrow]);
        self.emit(span, StmtKind::Passive(code, places));
        Value::Place(self.remove_element(&place, None, span))
    }

    // The operations.

    /// `v.push(value)`
    pub fn push(&mut self, place: &Place, value: Value, span: Span) -> Value {
        self.insert_element(place, None, value, span)
    }

    fn insert_element(
        &mut self,
        place: &Place,
        at: Option<Expr>,
        value: Value,
        span: Span,
    ) -> Value {
        let value = self.refuse_mut_ref(value, span);
        let (e, ty) = self.read(value, span);
        if let Some(element) = self.shallow(&place.ty).element() {
            self.unify(&element.clone(), &ty);
        }
        self.emit(span, StmtKind::Insert(place.clone(), at, e));
        Value::Unit
    }

    fn remove_element(&mut self, place: &Place, at: Option<Expr>, span: Span) -> Place {
        let ty = self.shallow(&place.ty).element().cloned();
        let ty = ty.unwrap_or(Ty::Unknown);
        let var: VarId = self.new_var("taken", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Remove(Some(var), place.clone(), at));
        Place::var(var, ty)
    }

    /// `v.pop()` as a value.
    fn pop(&mut self, place: &Place, span: Span) -> Value {
        let element = self.shallow(&place.ty).element().cloned();
        let ty = Ty::Option(Box::new(element.unwrap_or(Ty::Unknown)));
        let var = self.new_var("popped", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        let popped = Place::var(var, ty.clone());
        self.emit_if(
            is_nonempty(place),
            span,
            |l| {
                let taken = Expr::Read(l.remove_element(place, None, span));
                let some = Expr::Variant("Some".into(), vec![("0".into(), taken)], ty);
                l.emit(span, StmtKind::Assign(popped.clone(), some));
            },
            |_| {},
        );
        Value::Place(popped)
    }

    /// The expected types of the arguments of a list's method.
    fn list_param_types(&self, name: &str, list: &Place) -> Vec<Option<ParamType>> {
        let element = self
            .shallow(&list.ty)
            .element()
            .map(|ty| self.infer.resolve_known(ty));
        let element = element.filter(Ty::is_known).and_then(by_value);
        match name {
            "push" => vec![element],
            "insert" | "resize" => vec![None, element],
            _ => Vec::new(),
        }
    }

    fn index_operand(&mut self, at: Value, span: Span) -> Expr {
        let (e, ty) = self.read(at, span);
        self.unify(&ty, &Ty::USIZE);
        self.stable_operand(e, Ty::USIZE, span)
    }

    /// Swaps the element with the last one and removes that.
    fn swap_remove(&mut self, place: &Place, at: Value, span: Span) -> Value {
        let at = self.index_operand(at, span);
        let last = binary(BinOp::Sub, Expr::Len(place.clone()), usize_lit(1));
        let last = self.stable_operand(last, Ty::USIZE, span);
        let (a, b) = (
            self.element(place, at, span),
            self.element(place, last, span),
        );
        self.emit(span, StmtKind::Swap(a, b));
        Value::Place(self.remove_element(place, None, span))
    }

    /// `v.truncate(n)`
    fn truncate_list(&mut self, place: &Place, n: Expr, span: Span) -> Value {
        let more = saturating_sub(Expr::Len(place.clone()), n);
        let more = self.stable_operand(more, Ty::USIZE, span);
        self.counted_loop(more, span, |l, _| drop(l.remove_element(place, None, span)));
        Value::Unit
    }

    /// The number of elements that a `Vec` lacks to have this length.
    fn missing_length(&mut self, place: &Place, n: &Expr, span: Span) -> Expr {
        let missing = saturating_sub(n.clone(), Expr::Len(place.clone()));
        self.stable_operand(missing, Ty::USIZE, span)
    }

    fn resize(&mut self, place: &Place, n: Value, value: Value, span: Span) -> Value {
        let n = self.index_operand(n, span);
        let (value, ty) = self.read(value, span);
        let value = self.stable_operand(value, ty.clone(), span);
        let more = self.missing_length(place, &n, span);
        self.truncate_list(place, n, span);
        self.counted_loop(more, span, |l, _| {
            l.push(place, Value::Expr(value, ty), span);
        });
        Value::Unit
    }

    fn clear(&mut self, place: &Place, span: Span) -> Value {
        let ty = self.shallow(&place.ty);
        let empty = Expr::Aggregate(Vec::new(), ty);
        self.emit(span, StmtKind::Assign(place.clone(), empty));
        Value::Unit
    }

    fn extend(&mut self, place: &Place, items: Value, span: Span) -> Value {
        if let Some(items) = self.producer(items, span) {
            self.for_each_item(&items, span, &mut |l, item, _| {
                let item = match item {
                    Value::PlaceRef(p, _) => Value::Place(p),
                    item => item,
                };
                l.push(place, item, span);
            });
        }
        Value::Unit
    }

    /// Moves the elements of `other` to the end of `place`.
    fn append_all(&mut self, place: &Place, other: &Place, span: Span) -> Value {
        self.unify(&place.ty, &other.ty);
        self.extend(place, Value::PlaceRef(other.clone(), false), span);
        self.clear(other, span)
    }

    fn split_off(&mut self, place: &Place, at: Expr, span: Span) -> Place {
        let ty = self.shallow(&place.ty);
        let tail = self.new_var("tail", ty.clone(), Origin::Local);
        let empty = Expr::Aggregate(Vec::new(), ty.clone());
        self.emit(span, StmtKind::Let(tail, Some(empty)));
        let tail = Place::var(tail, ty);
        let n = binary(BinOp::Sub, Expr::Len(place.clone()), at.clone());
        let n = self.stable_operand(n, Ty::USIZE, span);
        self.counted_loop(n, span, |l, k| {
            let item = l.element(place, binary(BinOp::Add, at.clone(), k), span);
            l.push(&tail, Value::Place(item), span);
        });
        self.truncate_list(place, at, span);
        tail
    }

    /// Moves all elements into a new `Vec` and leaves the old one empty.
    fn take_all(&mut self, place: &Place, span: Span) -> Place {
        let ty = self.shallow(&place.ty);
        let empty = Expr::Aggregate(Vec::new(), ty.clone());
        match self.exchange(place.clone(), Value::Expr(empty, ty), span) {
            Value::Place(all) => all,
            _ => place.clone(),
        }
    }

    fn drain(&mut self, place: &Place, range: &syn::Expr) -> Value {
        match self.drain_range(place, range) {
            Ok((drained, tail)) => self.finish_drain(place, drained, tail, range.span()),
            Err(refused) => refused,
        }
    }

    /// `v.splice(range, items)`
    fn splice(&mut self, place: &Place, range: &syn::Expr, items: &syn::Expr) -> Value {
        let span = items.span();
        let value = self.expr(items);
        let Some(items) = self.producer(value, span) else {
            return Value::Diverges;
        };
        if items.has_effects() {
            let what = "`splice` of an iterator with a closure that writes";
            return self.refuse(span, Reason::Expression(what.into()));
        }
        match self.drain_range(place, range) {
            Ok((drained, tail)) => {
                self.extend(place, Value::Iter(items), span);
                self.finish_drain(place, drained, tail, range.span())
            }
            Err(refused) => refused,
        }
    }

    /// Appends the tail again; returns an iterator over the removed elements.
    fn finish_drain(
        &mut self,
        place: &Place,
        drained: Place,
        tail: Option<Place>,
        span: Span,
    ) -> Value {
        if let Some(tail) = tail {
            self.append_all(place, &tail, span);
        }
        Value::Iter(std::rc::Rc::new(Producer::Elements(drained, None)))
    }

    /// Removes the elements in a range and those behind it; returns both.
    fn drain_range(
        &mut self,
        place: &Place,
        range: &syn::Expr,
    ) -> Result<(Place, Option<Place>), Value> {
        let span = range.span();
        let (start, end) = match strip_parens(range) {
            syn::Expr::Range(r) => (r.start.as_deref(), r.end.as_deref().map(|e| (e, &r.limits))),
            _ => {
                let what = "a range that is not written there";
                return Err(self.refuse(span, Reason::Expression(what.into())));
            }
        };
        let start = start.map(|e| self.eval_usize(e));
        let end = end.map(|(e, limits)| match limits {
            syn::RangeLimits::HalfOpen(_) => self.eval_usize(e),
            syn::RangeLimits::Closed(_) => {
                let next = binary(BinOp::Add, self.eval_usize(e), usize_lit(1));
                self.stable_operand(next, Ty::USIZE, span)
            }
        });
        let tail = end.map(|end| self.split_off(place, end, span));
        let drained = match start {
            Some(start) => self.split_off(place, start, span),
            None => self.take_all(place, span),
        };
        Ok((drained, tail))
    }
}

/// Whether the method call is `pop()`.
pub fn is_pop(m: &syn::ExprMethodCall) -> bool {
    m.method == "pop" && m.args.is_empty()
}

/// The arms `Some(p)` and `None` (or `_`) of a match over a `pop`.
pub fn pop_arms(m: &syn::ExprMatch) -> Option<(&syn::Arm, &syn::Arm)> {
    let [a, b] = &m.arms[..] else { return None };
    let is_none = |p: &syn::Pat| match p {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(p) => p.ident == "None" && p.subpat.is_none(),
        _ => false,
    };
    let is_wild = |p: &syn::Pat| matches!(p, syn::Pat::Wild(_));
    match (payload_pattern(&a.pat), payload_pattern(&b.pat)) {
        (Some(_), None) if is_none(&b.pat) => Some((a, b)),
        (None, Some(_)) if is_none(&a.pat) && !is_wild(&a.pat) => Some((b, a)),
        _ => None,
    }
}

/// The pattern inside `Some(..)`, if it is irrefutable.
fn payload_pattern(pat: &syn::Pat) -> Option<&syn::Pat> {
    match pat {
        syn::Pat::TupleStruct(t) if t.path.is_ident("Some") => {
            t.elems.first().filter(|p| is_irrefutable(p))
        }
        _ => None,
    }
}

fn is_irrefutable(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Wild(_) => true,
        syn::Pat::Ident(p) => {
            let constant = p.ident.to_string().starts_with(|c: char| c.is_uppercase());
            p.subpat.is_none() && !constant
        }
        syn::Pat::Tuple(t) => t.elems.iter().all(is_irrefutable),
        syn::Pat::Paren(p) => is_irrefutable(&p.pat),
        syn::Pat::Type(t) => is_irrefutable(&t.pat),
        _ => false,
    }
}

fn is_nonempty(place: &Place) -> Expr {
    binary(BinOp::Ne, Expr::Len(place.clone()), usize_lit(0))
}
