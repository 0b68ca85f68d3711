//! Types of parameters and fields as expectations for the expressions passed: `f(x[..3].try_into().unwrap())`,
//! `Rows { data: std::array::from_fn(..) }`.

use crate::ir::{Proj, base_name};
use crate::lower::expr::strip_parens;
use crate::lower::items::generic_arguments::value_params;
use crate::lower::pattern::variant::{std_variant, type_name};
use crate::lower::std_lib::array_chunks::converts_to_array;
use crate::lower::types::{lower_type, text};
use crate::lower::value::{Binding, Value};
use crate::lower::{Environment, Lower, Mode, Ty, span};

/// The type and mode of a parameter or a field.
#[derive(Clone, PartialEq, Debug)]
pub struct ParamType {
    /// The type, or that of its referent.
    pub ty: Ty,
    /// By value, by `&` or by `&mut`.
    pub mode: Mode,
}

/// The types of a function's parameters; `None` for those that mean nothing to callers.
pub fn param_types(sig: &syn::Signature, env: &Environment) -> Vec<Option<ParamType>> {
    let own = value_params(&sig.generics);
    let of = |arg: &syn::FnArg| {
        let syn::FnArg::Typed(arg) = arg else {
            return None;
        };
        let (ty, mode) = lower_type(&arg.ty, env);
        let ty = match ty {
            ty if own.is_empty() => ty,
            // The arguments determine its element type.
            Ty::Array(_, extent) if !own.contains(&extent) => {
                Ty::Array(Box::new(Ty::Unknown), extent)
            }
            _ => return None,
        };
        Some(ParamType { ty, mode })
    };
    sig.inputs.iter().map(of).collect()
}

impl Lower {
    /// The parameter types of the function or constructor at a path, whose result is of the expected type.
    pub fn callee_param_types(
        &self,
        p: &syn::ExprPath,
        args: usize,
        expected: Option<&Ty>,
    ) -> Vec<Option<ParamType>> {
        if let (Some(Ty::Boxed(held)), true) = (expected, is_box_new(&p.path)) {
            return vec![by_value((**held).clone())];
        }
        let last = p.path.segments.last().map(|s| s.ident.to_string());
        if last.is_some_and(|name| name.starts_with(char::is_uppercase)) {
            let field = |i: usize| self.expected_field_type(&p.path, &i.to_string(), expected);
            return (0..args).map(field).collect();
        }
        if let Some(takes) = self.associated_param_types(p) {
            return takes;
        }
        let name = p.path.get_ident().map(ToString::to_string);
        let name = name.filter(|name| p.qself.is_none() && self.lookup(name).is_none());
        let seen = name.and_then(|name| self.env.signatures.function(&name));
        seen.map(|seen| seen.params.clone()).unwrap_or_default()
    }

    /// The parameter types of an associated function of a visible type, including `self`.
    fn associated_param_types(&self, p: &syn::ExprPath) -> Option<Vec<Option<ParamType>>> {
        let mut names = p.path.segments.iter().map(|s| s.ident.to_string());
        let (Some(owner), Some(name), None, None) =
            (names.next(), names.next(), names.next(), &p.qself)
        else {
            return None;
        };
        let owner = match owner.as_str() {
            "Self" => self.env.self_ty.as_deref()?,
            owner => owner,
        };
        let method = self.env.signatures.method(owner, &name)?;
        let of_self = method.receiver.map(|_| None);
        (!method.params.is_empty()).then(|| {
            of_self
                .into_iter()
                .chain(method.params.iter().cloned())
                .collect()
        })
    }

    /// The type of a field of the struct or variant at a path. The expected type gives the arguments of a generic one.
    pub fn expected_field_type(
        &self,
        path: &syn::Path,
        field: &str,
        expected: Option<&Ty>,
    ) -> Option<ParamType> {
        let held = match (std_variant(&text(path).replace(' ', "")), expected) {
            (Some("Some"), Some(Ty::Option(held))) => Some(held),
            (Some("Ok"), Some(Ty::Result(held, _))) | (Some("Err"), Some(Ty::Result(_, held))) => {
                Some(held)
            }
            _ => None,
        };
        if let Some(held) = held {
            return by_value((**held).clone());
        }
        let name = type_name(path);
        let own = self.env.self_ty.as_deref();
        let of = match expected {
            Some(Ty::Named(of)) if base_name(of) == name => of,
            _ if name == "Self" => own?,
            _ => &name,
        };
        by_value(self.env.visible_field_type(of, field)?)
    }

    /// Unifies element types that nothing else determines (`let mut trace = Vec::new();`) with those of the parameters,
    /// and array lengths with literal ones: a named length may mean something else at the call.
    pub fn unify_list_elements(&mut self, args: &[Value], takes: &[Option<ParamType>]) {
        for (arg, taken) in args.iter().zip(takes) {
            let list = self.value_ty(arg);
            let (Some(taken), list) = (taken, self.shallow(&list)) else {
                continue;
            };
            if let (Ty::Array(_, open), Ty::Array(_, told)) = (&list, &taken.ty)
                && told.parse::<usize>().is_ok()
            {
                self.infer.unify_extents(open, told);
            }
            let Ty::Vec(element) = list else {
                continue;
            };
            if let (Ty::Infer(_), Some(told)) = (self.shallow(&element), taken.ty.element())
                && told.is_known()
            {
                self.unify(&element, told);
            }
        }
    }

    /// Passes a place of unknown type to a `&` parameter as a reference: it is one already, such as a `&str` field.
    pub fn args_by_reference(&self, args: Vec<Value>, takes: &[Option<ParamType>]) -> Vec<Value> {
        let by_reference = |k: usize| {
            let taken = takes.get(k).and_then(Option::as_ref);
            taken.is_some_and(|taken| taken.mode == Mode::Shared)
        };
        let args = args.into_iter().enumerate();
        let lent = args.map(|(k, value)| match value {
            Value::Place(p)
                if by_reference(k) && matches!(self.shallow(&p.ty), Ty::Infer(_) | Ty::Unknown) =>
            {
                Value::PlaceRef(p, false)
            }
            value => value,
        });
        lent.collect()
    }

    /// Lends a `Vec` as the slice that the parameter takes, which leaves its length alone.
    pub fn args_as_slices(&self, args: Vec<Value>, takes: &[Option<ParamType>]) -> Vec<Value> {
        let takes_slice = |k: usize| {
            let taken = takes.get(k).and_then(Option::as_ref);
            taken.is_some_and(|taken| taken.mode == Mode::Mut && matches!(taken.ty, Ty::Slice(_)))
        };
        let coerced = |(k, value): (usize, Value)| match value {
            Value::PlaceRef(p, true) if takes_slice(k) => match self.shallow(&p.ty) {
                Ty::Vec(element) => {
                    let whole = Proj::Range(None, None);
                    Value::PlaceRef(p.project(whole, Ty::Slice(element)), true)
                }
                _ => Value::PlaceRef(p, true),
            },
            value => value,
        };
        args.into_iter().enumerate().map(coerced).collect()
    }

    /// Whether an array converted from a slice may be a `&mut` reference into it: a type nested in another does not
    /// show this.
    pub fn may_be_mut_array(&self, e: &syn::Expr) -> bool {
        let Some(slice) = converted_slice(strip_parens(e)) else {
            return false;
        };
        match strip_parens(slice) {
            syn::Expr::Index(_) => false,
            syn::Expr::Reference(r) => r.mutability.is_some(),
            syn::Expr::Path(p) => {
                let name = p.path.get_ident().map(ToString::to_string);
                match name.and_then(|name| self.lookup(&name)) {
                    Some(Binding::Value(Value::PlaceRef(_, mutable))) => *mutable,
                    Some(Binding::Var(v)) => self.draft.func.var(*v).mode != Mode::Shared,
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// Lowers an expression for a parameter or a field of a type that may be known, and coerces it to a trait object.
    pub fn lower_coerced(&mut self, e: &syn::Expr, taken: Option<ParamType>) -> Value {
        let object = taken.as_ref().filter(|t| t.mode == Mode::Owned);
        let object = object.map(|taken| taken.ty.clone());
        let value = self.lower_expected(e, taken);
        match object {
            Some(object) => self.coerce_to_object(value, &object, span::of_expr(e)),
            None => value,
        }
    }

    /// Lowers the expression with the type expected of it.
    fn lower_expected(&mut self, e: &syn::Expr, taken: Option<ParamType>) -> Value {
        let (whole, is_lent) = match strip_parens(e) {
            syn::Expr::Reference(r) => (strip_parens(&r.expr), true),
            e => (e, false),
        };
        if !self.depends_on_expected(whole) {
            return match &taken {
                Some(taken)
                    if !is_lent
                        && (is_composite(whole) || self.may_select_object(whole, &taken.ty)) =>
                {
                    self.expr_with_hint(e, Some(&taken.ty))
                }
                _ => self.expr(e),
            };
        }
        let slice = converted_slice(whole);
        let Some(taken) = taken.or_else(|| bounded_array(slice?)) else {
            return self.expr(e);
        };
        self.expected_ty = Some(taken.ty.clone());
        let value = self.expr(e);
        self.expected_ty = None;
        match value {
            Value::Place(p) if slice.is_some() && !is_lent && taken.mode != Mode::Owned => {
                Value::PlaceRef(p, taken.mode == Mode::Mut)
            }
            value if taken.mode == Mode::Owned => {
                self.coerce_boxed_slice(&taken.ty, value, span::of_expr(e))
            }
            value => value,
        }
    }
}

/// A parameter of this type, by value.
pub fn by_value(ty: Ty) -> Option<ParamType> {
    let mode = Mode::Owned;
    Some(ParamType { ty, mode })
}

/// `count` parameters of this type, by value.
pub fn repeat_by_value(count: usize, ty: Option<&Ty>) -> Vec<Option<ParamType>> {
    ty.map_or_else(Vec::new, |ty| vec![by_value(ty.clone()); count])
}

/// Whether the path is `Some`, `Ok` or `Err`.
pub fn is_std_variant(path: &syn::Path) -> bool {
    std_variant(&text(path).replace(' ', "")).is_some()
}

/// Whether the path is `Box::new`.
pub fn is_box_new(path: &syn::Path) -> bool {
    let mut last = path.segments.iter().rev();
    let mut is = |name: &str| last.next().is_some_and(|s| s.ident == name);
    is("new") && is("Box")
}

/// Whether the expression is composed of values whose types follow from the type of the whole.
fn is_composite(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Tuple(_) | syn::Expr::Array(_) | syn::Expr::Repeat(_) => true,
        syn::Expr::Macro(m) => m.mac.path.is_ident("vec"),
        syn::Expr::Call(c) => {
            matches!(strip_parens(&c.func), syn::Expr::Path(p) if is_std_variant(&p.path) || is_box_new(&p.path))
        }
        _ => false,
    }
}

/// The array that a slice's bounds make of it, which is assumed to be a reference.
fn bounded_array(slice: &syn::Expr) -> Option<ParamType> {
    let mode = match slice {
        syn::Expr::Reference(r) if r.mutability.is_some() => Mode::Mut,
        _ => Mode::Shared,
    };
    let ty = Ty::Array(Box::new(Ty::Unknown), bounded_extent(slice)?);
    Some(ParamType { ty, mode })
}

/// The slice that is converted to an array of a length that only the context gives: `x[..3].try_into().unwrap()`.
fn converted_slice(e: &syn::Expr) -> Option<&syn::Expr> {
    let syn::Expr::MethodCall(m) = e else {
        return None;
    };
    let syn::Expr::MethodCall(inner) = strip_parens(&m.receiver) else {
        return None;
    };
    (converts_to_array(m) && inner.method == "try_into").then(|| strip_parens(&inner.receiver))
}

/// The number of elements between the bounds of a slice, if these show it: `x[i..][..3]`, `x[i..i + 3]`.
fn bounded_extent(slice: &syn::Expr) -> Option<String> {
    let syn::Expr::Index(i) = strip_parens(strip_reference(slice)) else {
        return None;
    };
    let syn::Expr::Range(r) = strip_parens(&i.index) else {
        return None;
    };
    let end = strip_parens(r.end.as_deref()?);
    let is_closed = matches!(r.limits, syn::RangeLimits::Closed(_));
    let more = i64::from(is_closed);
    match (r.start.as_deref().map(strip_parens), end) {
        (None, end) if is_closed => Some((int_literal(end)? + 1).to_string()),
        (None, end) => constant_extent(end),
        (Some(start), syn::Expr::Binary(b)) if !is_closed && text(&b.left) == text(start) => {
            let adds = matches!(b.op, syn::BinOp::Add(_));
            adds.then(|| constant_extent(strip_parens(&b.right)))?
        }
        (Some(start), end) => Some((int_literal(end)? + more - int_literal(start)?).to_string()),
    }
}

/// An expression that can be an array length: a number, or a name in the case of a constant.
fn constant_extent(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::Path(p) => {
            let name = p.path.segments.last()?.ident.to_string();
            let lower = name.contains(char::is_lowercase);
            (!lower).then(|| text(e))
        }
        e => int_literal(e).map(|n| n.to_string()),
    }
}

pub(in crate::lower) fn strip_reference(e: &syn::Expr) -> &syn::Expr {
    match strip_parens(e) {
        syn::Expr::Reference(r) => &r.expr,
        e => e,
    }
}

/// The value of an integer literal.
fn int_literal(e: &syn::Expr) -> Option<i64> {
    match e {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(n),
            ..
        }) => n.base10_parse().ok(),
        _ => None,
    }
}
