//! Look-ups in std maps and sets that `wrt` excludes: their results are constants, and are evaluated as written.

use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use crate::ir::{Expr, Mode, Place, base_name};
use crate::lower::expr::strip_parens;
use crate::lower::iter::Producer;
use crate::lower::signature::holds_references;
use crate::lower::types::{lower_type, ungrouped};
use crate::lower::value::Value;
use crate::lower::{Lower, Origin, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// A map or a set of std.
struct Map {
    place: Place,
    /// The key type, if it is visible.
    key: Option<syn::Type>,
    /// The value type.
    value: Ty,
    is_set: bool,
}

/// The type arguments of a type.
fn type_args(ty: &str) -> Vec<syn::Type> {
    let Ok(syn::Type::Path(p)) = syn::parse_str(ty) else {
        return Vec::new();
    };
    match p.path.segments.last().map(|last| &last.arguments) {
        Some(syn::PathArguments::AngleBracketed(given)) => {
            let types = given.args.iter().filter_map(|a| match a {
                syn::GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the key is a reference, as only those of maps and sets are.
pub fn is_reference_key(key: &syn::Expr) -> bool {
    matches!(strip_parens(key), syn::Expr::Reference(_))
}

impl Lower {
    /// Lowers a method of a map or a set.
    pub fn lower_map_method(&mut self, receiver: &Value, m: &syn::ExprMethodCall) -> Option<Value> {
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        let map = self.map_of(receiver, args.first().copied())?;
        let (name, span) = (m.method.to_string(), m.method.span());
        if self.env.signatures.has_method(&name) {
            return None;
        }
        let method = &m.method;
        Some(match (name.as_str(), args.as_slice()) {
            ("get", [key]) if !map.is_set => {
                let ty = Ty::Option(Box::new(map.value.clone()));
                let found = self.eval_lookup(
                    &map,
                    key,
                    span,
                    ty,
                    |of, key| quote_spanned!(span=> #of.#method(#key).cloned()),
                );
                let lent = syn::parse_quote_spanned!(span=> found.as_ref());
                self.method_on(Value::Place(found), &lent)
            }
            ("contains_key" | "contains", [key]) => {
                let found = self.eval_lookup(
                    &map,
                    key,
                    span,
                    Ty::Bool,
                    |of, key| quote_spanned!(span=> #of.#method(#key)),
                );
                Value::Place(found)
            }
            ("len", []) => {
                self.eval_map_method(&map, span, Ty::USIZE, quote_spanned!(span=> .#method()))
            }
            ("is_empty", []) => {
                self.eval_map_method(&map, span, Ty::Bool, quote_spanned!(span=> .#method()))
            }
            ("iter" | "into_iter", []) => Value::Iter(self.collect_map_items(&map, span)),
            ("keys", []) if !map.is_set => Value::Iter(self.collect_keys(&map, method, span)),
            ("values", []) if !map.is_set => Value::Iter(self.collect_values(&map, span)),
            _ => self.refuse(span, Reason::Method(name)),
        })
    }

    /// Lowers `map[&key]`.
    pub fn lower_map_index(&mut self, base: &Value, key: &syn::Expr, span: Span) -> Option<Value> {
        let map = self.map_of(base, Some(key)).filter(|map| !map.is_set)?;
        let value = map.value.clone();
        let found = self.eval_lookup(
            &map,
            key,
            span,
            value,
            |of, key| quote_spanned!(span=> ::core::clone::Clone::clone(&#of[#key])),
        );
        Some(Value::Place(found))
    }

    /// The pairs of a map or the elements of a set, for iteration by `for`.
    pub fn map_items(&mut self, value: &Value, span: Span) -> Option<Rc<Producer>> {
        let map = self.map_of(value, None)?;
        Some(self.collect_map_items(&map, span))
    }

    /// Whether the call is a look-up.
    pub fn is_lookup(&mut self, m: &syn::ExprMethodCall) -> bool {
        let (_, is_one) = self.in_block(|l| {
            let receiver = l.expr(&m.receiver);
            l.map_of(&receiver, m.args.first()).is_some()
        });
        is_one
    }

    /// The map or set that the value is, if it is in an excluded parameter. If its type is external, the key shows it.
    fn map_of(&mut self, value: &Value, key: Option<&syn::Expr>) -> Option<Map> {
        let (Value::Place(place) | Value::PlaceRef(place, false)) = value else {
            return None;
        };
        if !self.is_in_excluded_param(place) {
            return None;
        }
        let place = self.deref_boxes(place);
        match self.shallow(&place.ty) {
            Ty::Named(of) => {
                let name = base_name(&of);
                let is_set = matches!(name, "HashSet" | "BTreeSet");
                let is_map = matches!(name, "HashMap" | "BTreeMap");
                if !(is_set || is_map) || self.env.has_type(name) {
                    return None;
                }
                let mut given = type_args(&of).into_iter();
                let key = given.next();
                let value = match given.next().filter(|_| is_map) {
                    Some(ty) if holds_references(&ty) => return None,
                    Some(ty) => lower_type(&ty, &self.env).0,
                    None => self.infer.fresh_external(),
                };
                Some(Map {
                    place,
                    key,
                    value,
                    is_set,
                })
            }
            Ty::Infer(_) | Ty::Unknown if key.is_some_and(is_reference_key) => Some(Map {
                place,
                key: None,
                value: self.infer.fresh_external(),
                is_set: false,
            }),
            _ => None,
        }
    }

    /// Whether the place is in an excluded parameter, which nothing changes.
    fn is_in_excluded_param(&self, place: &Place) -> bool {
        let var = self.draft.func.var(place.root);
        let is_param = var.origin == Origin::Param && var.mode != Mode::Mut;
        is_param && self.env.excluded_params.contains(&var.name)
    }

    /// Evaluates a look-up by key, into a variable.
    fn eval_lookup(
        &mut self,
        map: &Map,
        key: &syn::Expr,
        span: Span,
        ty: Ty,
        code: impl Fn(Ident, Ident) -> TokenStream,
    ) -> Place {
        let (key, by) = self.lower_key(map, key, span);
        let [of, at] = [0, 1].map(|k| Ident::new(&crate::mir::code::placeholder(k), span));
        let code = self.add_code(code(of, at), vec![CaptureMode::Value, by]);
        let places = vec![map.place.clone(), key];
        let found = self.temp(span, "found", Expr::Code(code, places, ty.clone()), ty);
        self.opaque.vars.insert(found.root);
        found
    }

    /// The place of the key, and how it is passed.
    fn lower_key(&mut self, map: &Map, key: &syn::Expr, span: Span) -> (Place, CaptureMode) {
        let value = self.expr(key);
        let ty = self.value_ty(&value);
        let of_references =
            matches!(&map.key, Some(ty) if matches!(ungrouped(ty), syn::Type::Reference(_)));
        match map.key.as_ref().map(|of| lower_type(of, &self.env).0) {
            Some(of) if !of_references && !matches!(of, Ty::Discrete(_)) => self.unify(&ty, &of),
            _ => self.infer.mark_external(&ty),
        }
        let place = self.place_of(value, span);
        let is_reference = match self.shallow(&place.ty) {
            Ty::Discrete(name) if name == "str" => {
                !(place.is_whole() && place.is_unsized(&self.draft.func))
            }
            Ty::Discrete(name) => name.starts_with('&'),
            _ => false,
        };
        match is_reference && !of_references {
            true => (place, CaptureMode::Value),
            false => (place, CaptureMode::Borrow),
        }
    }

    /// Evaluates a method without a key, into a variable.
    fn eval_map_method(&mut self, map: &Map, span: Span, ty: Ty, rest: TokenStream) -> Value {
        let of = Ident::new(&crate::mir::code::placeholder(0), span);
        let code = self.add_code(quote_spanned!(span=> #of #rest), vec![CaptureMode::Value]);
        let found = Expr::Code(code, vec![map.place.clone()], ty.clone());
        Value::Place(self.temp(span, "found", found, ty))
    }

    /// The elements of a set, or the pairs of a map.
    fn collect_map_items(&mut self, map: &Map, span: Span) -> Rc<Producer> {
        if map.is_set {
            return self.collect_keys(map, &Ident::new("iter", span), span);
        }
        let keys = self.collect_keys(map, &Ident::new("keys", span), span);
        Rc::new(Producer::Zip(keys, self.collect_values(map, span)))
    }

    fn collect_keys(&mut self, map: &Map, method: &Ident, span: Span) -> Rc<Producer> {
        let key = match &map.key {
            Some(ty) => lower_type(ty, &self.env).0,
            None => self.infer.fresh_external(),
        };
        self.collect_in_list(map, method, key, span)
    }

    fn collect_values(&mut self, map: &Map, span: Span) -> Rc<Producer> {
        self.collect_in_list(map, &Ident::new("values", span), map.value.clone(), span)
    }

    /// Collects the items of the method's iterator in a list.
    fn collect_in_list(&mut self, map: &Map, method: &Ident, of: Ty, span: Span) -> Rc<Producer> {
        let rest = quote_spanned!(span=> .#method().cloned().collect::<::std::vec::Vec<_>>());
        let found = self.eval_map_method(map, span, Ty::Vec(Box::new(of)), rest);
        let list = self.place_of(found, span);
        self.opaque.vars.insert(list.root);
        Rc::new(Producer::Elements(list, Some(false)))
    }
}
