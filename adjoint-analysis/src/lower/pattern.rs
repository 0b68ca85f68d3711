//! Lowering of patterns: bindings and tests.

pub(super) mod alternatives;
pub(super) mod scrutinee;
mod test;
pub(super) mod variant;

use proc_macro2::Span;
use syn::spanned::Spanned;

use self::scrutinee::is_in_variables;
use super::expr::is_variant_payload;
use super::expr::path::is_assemblable_tuple;
use super::reference::RefKind;
use super::value::{Binding, Value};
use super::{Lower, Origin, StmtKind, Ty, span};
use crate::ir::construct::usize_lit;
use crate::ir::{BinOp, Expr, Place, Proj};
use crate::refuse::Reason;

pub use test::and_test;

impl Lower {
    /// Binds an irrefutable pattern (or one whose test has succeeded) to the value.
    pub fn bind_pattern(&mut self, pat: &syn::Pat, value: Value) {
        let span = span::of_pattern(pat);
        if self.bind_opaque(pat, &value, span) {
            return;
        }
        match pat {
            syn::Pat::Wild(_) | syn::Pat::Rest(_) | syn::Pat::Lit(_) | syn::Pat::Range(_) => {}
            syn::Pat::Paren(p) => self.bind_pattern(&p.pat, value),
            syn::Pat::Type(t) => {
                let ty = self.declared_type(&t.ty);
                let found = self.value_ty(&value);
                self.unify(&ty, &found);
                let value = self.coerce_to_declared(value, &ty);
                self.bind_pattern(&t.pat, value);
            }
            syn::Pat::Ident(p) => self.bind_name(p, value),
            syn::Pat::Reference(r) => {
                let value = match value {
                    Value::PlaceRef(p, _) => Value::Place(p),
                    other => other,
                };
                self.bind_pattern(&r.pat, value);
            }
            syn::Pat::Tuple(t) => {
                for (pat, part) in self.tuple_parts(value, &t.elems, span) {
                    let part = self.copied_part(part);
                    self.bind_pattern(pat, part);
                }
            }
            syn::Pat::Slice(s) => {
                for (pat, part) in self.slice_parts(value, &s.elems, span) {
                    self.bind_pattern(pat, part);
                }
            }
            syn::Pat::Path(_) => {}
            syn::Pat::TupleStruct(_) | syn::Pat::Struct(_) => {
                for (pat, part) in self.variant_parts(pat, value, span) {
                    let part = self.copied_part(part);
                    self.bind_pattern(pat, part);
                }
            }
            syn::Pat::Or(o) => self.bind_or(o, value),
            _ => {
                self.refuse(span, Reason::Pattern("this pattern".into()));
            }
        }
    }

    /// Binds a pattern whose test has succeeded.
    pub fn bind_tested(&mut self, pat: &syn::Pat, value: Value) {
        let outer = std::mem::replace(&mut self.pattern_tested, true);
        self.bind_pattern(pat, value);
        self.pattern_tested = outer;
    }

    /// Binds an or-pattern: the values of its names depend on the alternative that matches.
    fn bind_or(&mut self, o: &syn::PatOr, value: Value) {
        let span = o.span();
        let names = self.bound_names(&o.cases[0]);
        if names.is_empty() {
            return;
        }
        let cases: Vec<&syn::Pat> = o.cases.iter().collect();
        let chosen = self.select_alternative(&cases, &names, &value, span);
        let Value::Tuple(parts) = chosen else { return };
        for (name, part) in names.iter().zip(parts) {
            let binding = match part {
                Value::Place(p) if p.is_whole() => Binding::Var(p.root),
                other => Binding::Value(other),
            };
            self.bind(name, binding);
        }
    }

    /// The values of the names in the first alternative that matches.
    fn select_alternative(
        &mut self,
        cases: &[&syn::Pat],
        names: &[String],
        value: &Value,
        span: Span,
    ) -> Value {
        let Some((first, rest)) = cases.split_first() else {
            return Value::Diverges;
        };
        let test = self.pattern_test(first, value);
        let then = self.in_block(|l| {
            l.bind_pattern(first, value.clone());
            let parts = names.iter().map(|name| match l.lookup(name).cloned() {
                Some(Binding::Var(v)) => Value::Place(l.draft.func.place(v)),
                Some(Binding::Value(v)) => v,
                None => Value::Diverges,
            });
            Value::Tuple(parts.collect())
        });
        match test.filter(|_| !rest.is_empty()) {
            Some(test) => {
                let els = self.in_block(|l| l.select_alternative(rest, names, value, span));
                self.emit_branch(span, test, then, els)
            }
            None => {
                self.out.extend(then.0);
                then.1
            }
        }
    }

    fn bind_name(&mut self, p: &syn::PatIdent, value: Value) {
        let name = p.ident.to_string();
        if self.pattern_tested && self.is_constant_name(p) {
            return;
        }
        if let Some((_, sub)) = &p.subpat {
            self.bind_pattern(sub, value.clone());
        }
        let mutable = p.mutability.is_some();
        let value = match mutable {
            true => self.collect_advanced(&name, value, p.ident.span()),
            false => value,
        };
        let binding = match (value, p.by_ref.is_some()) {
            (Value::Place(place), true) => {
                let place = self.freeze_place(place, p.ident.span());
                Binding::Value(Value::PlaceRef(place, mutable))
            }
            (value @ (Value::Tuple(_) | Value::RefStruct(..)), true) => {
                Binding::Value(Value::RefToAggregate(Box::new(value), mutable))
            }
            (value, true) if mutable && self.is_rebindable(&value) => {
                Binding::Value(Value::RefToAggregate(Box::new(value), true))
            }
            (value @ Value::SplitEnum(_), true) => {
                let value = self.ref_to(value, mutable, p.ident.span());
                self.owned_binding(&name, value, false, p.ident.span())
            }
            (value, _) => self.owned_binding(&name, value, mutable, p.ident.span()),
        };
        if let (Binding::Var(v), false) = (&binding, mutable) {
            self.immutable_vars.insert(*v);
            self.note_opaque(&name, *v);
        }
        self.bind(&name, binding);
    }

    /// Copies the value to variables of its own, named after `name`.
    pub fn owned_value(&mut self, name: &str, value: Value, mutable: bool, span: Span) -> Value {
        match self.owned_binding(name, value, mutable, span) {
            Binding::Var(v) => Value::Place(self.draft.func.place(v)),
            Binding::Value(v) => v,
        }
    }

    /// A binding that owns the value: anything but a reference gets a variable.
    pub fn owned_binding(
        &mut self,
        name: &str,
        value: Value,
        mutable: bool,
        span: Span,
    ) -> Binding {
        let is_part = matches!(&value, Value::Place(p) if self.slice_copies.contains(&p.root));
        let own = self.make_binding(name, value, mutable, span);
        if let (Binding::Var(v), true) = (&own, is_part) {
            self.slice_copies.insert(*v);
        }
        if let (Binding::Var(v), true) = (&own, mutable) {
            self.opaque.vars.remove(v);
        }
        own
    }

    fn make_binding(&mut self, name: &str, value: Value, mutable: bool, span: Span) -> Binding {
        match value {
            // A tuple as a whole needs a place if a reference to it is kept.
            value if self.unsplit_names.contains(name) && is_assemblable_tuple(&value) => {
                self.bind_variable(name, value, span)
            }
            Value::Tuple(parts) => {
                let parts = parts.into_iter().enumerate();
                let own = parts.map(|(i, v)| {
                    let v = self.copied_part(v);
                    self.owned_value(&format!("{name}_{i}"), v, mutable, span)
                });
                Binding::Value(Value::Tuple(own.collect()))
            }
            Value::RefStruct(of, parts) => {
                Binding::Value(self.owned_ref_struct(name, &of, parts, mutable, span))
            }
            Value::SplitEnum(c) if mutable && self.as_ref_source(&c).is_some() => {
                let option = self.as_ref_source(&c);
                let reference = option.map(|o| self.new_option_ref(name, o, span));
                Binding::Value(reference.unwrap_or(Value::SplitEnum(c)))
            }
            Value::SplitEnum(c)
                if c.by_ref.is_none()
                    && ((mutable
                        && (self.is_owning_option(&c) || self.unsplit_names.contains(name)))
                        || self.is_copy_of_box(&c)) =>
            {
                self.bind_variable(name, Value::SplitEnum(c), span)
            }
            // A reference to a split `Option` or `Result` in variables, one of which is the tag.
            Value::SplitEnum(c) if !mutable && c.by_ref == Some(true) && is_in_variables(&c) => {
                Binding::Value(self.freeze_value(Value::SplitEnum(c), span))
            }
            Value::SplitEnum(c) => {
                let own = self.owned_split_enum(name, *c, mutable, span);
                Binding::Value(Value::SplitEnum(Box::new(own)))
            }
            Value::Uninit(_) => {
                let place = self.place_of(value, span);
                self.draft.func.rename(place.root, name);
                Binding::Var(place.root)
            }
            Value::Place(place) if self.is_fresh_temp(&place) => {
                self.draft.func.rename(place.root, name);
                Binding::Var(place.root)
            }
            // The type is known only to rustc: the name refers to the part itself, which nothing changes.
            Value::Place(place)
                if !mutable && self.is_read_only(&place) && self.is_untyped_part(&place) =>
            {
                Binding::Value(Value::Place(self.freeze_place(place, span)))
            }
            Value::Place(place) if is_variant_payload(&place) && self.is_untyped_part(&place) => {
                let own = self.bind_variable(name, Value::Place(place), span);
                if let Binding::Var(v) = &own {
                    self.untyped_payloads.insert(*v);
                }
                own
            }
            Value::Expr(..) | Value::Place(_) => self.bind_variable(name, value, span),
            Value::PlaceRef(to, is_mut) if mutable => {
                let (kind, ty) = (RefKind::rebindable(is_mut), to.ty.clone());
                Binding::Value(self.new_reference(name, kind, ty, Some(to), span))
            }
            Value::Iter(p) if mutable => {
                Binding::Value(Value::Iter(self.named_iterator(name, p, span)))
            }
            other => Binding::Value(self.copy_to_temp(other, span)),
        }
    }

    /// Declares one variable for the whole value.
    fn bind_variable(&mut self, name: &str, value: Value, span: Span) -> Binding {
        let (e, ty) = self.read(value, span);
        Binding::Var(self.let_var(span, name, e, ty, Origin::Local))
    }

    /// Whether the place is a part of unknown type.
    fn is_untyped_part(&self, place: &Place) -> bool {
        let open = matches!(self.shallow(&place.ty), Ty::Infer(_) | Ty::Unknown);
        open && !place.is_whole() && !self.infer.is_number(&place.ty)
    }

    /// Whether the place is a temporary that the last statement declared, or that was declared just before the last
    /// statement swapped a value into it: a binding can take it over.
    pub fn is_fresh_temp(&self, place: &Place) -> bool {
        let stmt = |back: usize| match self.out.iter().rev().nth(back) {
            Some(super::LabeledStmt::Stmt(stmt)) => Some(stmt),
            _ => None,
        };
        let exchanged = stmt(0)
            .is_some_and(|s| matches!(&s.kind, StmtKind::Swap(a, _) if a.root == place.root));
        let made = stmt(usize::from(exchanged)).and_then(|s| s.declared());
        place.is_whole()
            && made == Some(place.root)
            && self.draft.func.var(place.root).origin == Origin::Temp
    }

    /// The components of a tuple of `n`.
    pub fn components(&mut self, value: Value, n: usize, span: Span) -> Vec<Value> {
        match value {
            Value::Unit if n == 0 => Vec::new(),
            Value::RefToAggregate(of, mutable) => match self.ref_to(*of, mutable, span) {
                // A reference to a reassignable reference or to a struct has no references to its parts.
                Value::RefToAggregate(of, _) => self.components(*of, n, span),
                parts => self.components(parts, n, span),
            },
            Value::Tuple(parts) if parts.len() == n => parts,
            Value::Expr(Expr::Aggregate(parts, Ty::Tuple(tys)), _) if parts.len() == n => parts
                .into_iter()
                .zip(tys)
                .map(|(e, ty)| Value::Expr(e, ty))
                .collect(),
            Value::Tuple(_)
            | Value::RefStruct(..)
            | Value::Unit
            | Value::Closure(_)
            | Value::Iter(_)
            | Value::SplitEnum(_) => self.refuse_shape(span),
            Value::Diverges => vec![Value::Diverges; n],
            value => {
                let by_ref = ref_mutability(&value);
                let place = self.place_of(value, span);
                let tys = match self.shallow(&place.ty) {
                    Ty::Tuple(tys) if tys.len() == n => tys,
                    ty if is_not_tuple(&ty) => return self.refuse_shape(span),
                    _ => {
                        let ty = |_| self.infer.fresh_external();
                        let tys: Vec<Ty> = (0..n).map(ty).collect();
                        self.unify(&place.ty, &Ty::Tuple(tys.clone()));
                        tys
                    }
                };
                let field = |(i, ty): (usize, Ty)| {
                    place_or_ref(place.project(Proj::Field(i.to_string()), ty), by_ref)
                };
                tys.into_iter().enumerate().map(field).collect()
            }
        }
    }

    fn refuse_shape(&mut self, span: Span) -> Vec<Value> {
        let what = "a pattern of another shape than its value";
        self.refuse(span, Reason::Pattern(what.into()));
        Vec::new()
    }

    /// The first `n` elements of an array or slice.
    pub fn elements(&mut self, value: Value, n: usize, span: Span) -> Vec<Value> {
        if let Value::Expr(Expr::Aggregate(parts, Ty::Array(ty, _)), _) = &value
            && parts.len() == n
        {
            return parts
                .iter()
                .map(|e| Value::Expr(e.clone(), (**ty).clone()))
                .collect();
        }
        let value = match value {
            Value::RefToAggregate(of, mutable) if matches!(*of, Value::Tuple(_)) => {
                self.ref_to(*of, mutable, span)
            }
            value => value.strip_ref(),
        };
        match value {
            Value::Tuple(parts) if parts.len() == n => return parts,
            Value::Diverges => return vec![Value::Diverges; n],
            _ => {}
        }
        let by_ref = ref_mutability(&value);
        let place = self.place_of(value, span);
        if let Ty::Array(_, extent) = self.shallow(&place.ty) {
            self.infer.unify_extents(&extent, &n.to_string());
        }
        (0..n)
            .map(|i| {
                let part = self.element(&place, usize_lit(i), span);
                place_or_ref(part, by_ref)
            })
            .collect()
    }

    /// Pairs the patterns of a tuple with their components; `..` skips components.
    fn tuple_parts<'p>(
        &mut self,
        value: Value,
        pats: &'p syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>,
        span: Span,
    ) -> Vec<(&'p syn::Pat, Value)> {
        let rest = pats.iter().position(|p| matches!(p, syn::Pat::Rest(_)));
        let Some(rest) = rest else {
            return pats
                .iter()
                .zip(self.components(value, pats.len(), span))
                .collect();
        };
        let arity = match (&value, self.value_ty(&value)) {
            (Value::Tuple(parts), _) => parts.len(),
            (_, Ty::Tuple(parts)) => parts.len(),
            _ => {
                let what = "`..` for a tuple whose type is not known here";
                self.refuse(span, Reason::Pattern(what.into()));
                return Vec::new();
            }
        };
        let parts = self.components(value, arity, span);
        let behind = pats.len() - rest - 1;
        let tail = arity.saturating_sub(behind);
        let chosen = parts
            .into_iter()
            .enumerate()
            .filter(|(i, _)| *i < rest || *i >= tail);
        let pats = pats.iter().filter(|p| !matches!(p, syn::Pat::Rest(_)));
        pats.zip(chosen.map(|(_, v)| v)).collect()
    }

    /// Pairs the patterns of a slice with their elements; `..` is the subslice between.
    fn slice_parts<'p>(
        &mut self,
        value: Value,
        pats: &'p syn::punctuated::Punctuated<syn::Pat, syn::Token![,]>,
        span: Span,
    ) -> Vec<(&'p syn::Pat, Value)> {
        let Some(rest) = pats.iter().position(is_rest) else {
            return pats
                .iter()
                .zip(self.elements(value, pats.len(), span))
                .collect();
        };
        let by_ref = ref_mutability(&value);
        let place = self.place_of(value, span);
        let place = self.deref_boxes(&place);
        let behind = pats.len() - rest - 1;
        let len = self.temp(span, "len", Expr::Len(place.clone()), Ty::USIZE);
        let from_end = |n: usize| {
            let len = Box::new(Expr::Read(len.clone()));
            Expr::Binary(BinOp::Sub, len, Box::new(usize_lit(n)))
        };
        let mut parts = Vec::new();
        for (i, pat) in pats.iter().enumerate() {
            let part = match i.cmp(&rest) {
                std::cmp::Ordering::Less => self.element(&place, usize_lit(i), span),
                std::cmp::Ordering::Greater => {
                    let index = self.stable_operand(from_end(pats.len() - i), Ty::USIZE, span);
                    self.element(&place, index, span)
                }
                std::cmp::Ordering::Equal => {
                    let end = self.stable_operand(from_end(behind), Ty::USIZE, span);
                    self.slice(&place, Some(usize_lit(rest)), Some(end))
                }
            };
            parts.push((pat, place_or_ref(part, by_ref)));
        }
        parts
    }
}

/// A part of a scrutinee that is matched by reference (with its mutability) or by value.
pub fn place_or_ref(part: Place, by_ref: Option<bool>) -> Value {
    match by_ref {
        Some(mutable) => Value::PlaceRef(part, mutable),
        None => Value::Place(part),
    }
}

/// `..`, `name @ ..`
fn is_rest(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(p) => p.subpat.as_ref().is_some_and(|(_, sub)| is_rest(sub)),
        _ => false,
    }
}

/// The mutability of a reference; `None` if the value is no reference.
pub fn ref_mutability(value: &Value) -> Option<bool> {
    match value {
        Value::PlaceRef(_, mutable) => Some(*mutable),
        _ => None,
    }
}

impl Lower {
    /// The names that a pattern binds.
    pub fn bound_names(&self, pat: &syn::Pat) -> Vec<String> {
        struct Names<'a>(&'a Lower, Vec<String>);
        impl<'ast> syn::visit::Visit<'ast> for Names<'_> {
            fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
                if p.subpat.is_some() || !self.0.is_constant_name(p) {
                    self.1.push(p.ident.to_string());
                }
                syn::visit::visit_pat_ident(self, p);
            }
        }
        let mut names = Names(self, Vec::new());
        syn::visit::Visit::visit_pat(&mut names, pat);
        names.1
    }

    /// Whether the name in a pattern is a constant or a variant: by Rust's naming rules if it is capitalised, unless a
    /// variable has this name, since then there is no such constant.
    pub fn is_constant_name(&self, p: &syn::PatIdent) -> bool {
        let plain = p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none();
        let name = p.ident.to_string();
        plain && name.starts_with(|c: char| c.is_uppercase()) && self.lookup(&name).is_none()
    }
}

/// Whether the type is known not to be a tuple.
fn is_not_tuple(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Float(_)
            | Ty::Int(_)
            | Ty::Bool
            | Ty::Array(..)
            | Ty::Slice(_)
            | Ty::Vec(_)
            | Ty::Option(_)
            | Ty::Result(..)
    )
}
