//! The methods of `Option` and `Result`, and `?`.

mod combine;
mod mutate;

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;

use crate::ir::{Arg, Expr, Place, VarId};
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum, bool_lit, literal_bool, not};
use crate::lower::infer::expectation::by_value;
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::lower::{LabeledStmt, Lower, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// Methods that only `Option` has.
pub(in crate::lower) const OPTION: &[&str] = &[
    "is_some",
    "is_none",
    "is_some_and",
    "is_none_or",
    "ok_or",
    "ok_or_else",
    "as_deref",
    "as_deref_mut",
    "get_or_insert",
    "get_or_insert_with",
    "get_or_insert_default",
    "take_if",
];

/// Methods that only `Result` has.
pub(in crate::lower) const RESULT: &[&str] = &[
    "is_ok",
    "is_err",
    "is_ok_and",
    "map_err",
    "ok",
    "err",
    "inspect_err",
];

/// Methods of both. No other type has them that a value of unknown type could have here.
const COMMON: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
];

/// Methods that take the `Option` or `Result` by reference, or treat references themselves.
const BORROWING: &[&str] = &[
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "as_ref",
    "as_mut",
    "as_deref",
    "as_deref_mut",
    "iter",
    "iter_mut",
    "into_iter",
    "replace",
    "insert",
    "get_or_insert",
    "get_or_insert_with",
    "get_or_insert_default",
    "take",
    "take_if",
];

/// Whether the method takes the `Option` or `Result` by reference.
pub fn borrows_receiver(name: &str) -> bool {
    BORROWING.contains(&name)
}

impl Lower {
    /// Lowers a method of `Option` or `Result`; `None` if the receiver is neither.
    pub fn option_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
        told: Option<EnumKind>,
    ) -> Option<Value> {
        let span = m.method.span();
        let family = match self.enum_kind_of(receiver) {
            Some(family) => family,
            None if !self.may_be_split_enum(receiver) || self.is_visible_method(name, receiver) => {
                return None;
            }
            None if OPTION.contains(&name) => EnumKind::Option,
            None if RESULT.contains(&name) => EnumKind::Result,
            None if matches!(name, "as_ref" | "as_mut") && self.expects_option() => {
                EnumKind::Option
            }
            None if name == "take" && m.args.is_empty() => EnumKind::Option,
            None if COMMON.contains(&name) && told.is_none() => EnumKind::Unknown,
            None => told?,
        };
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        if let Some(nothing) = self.unwrap_unit_result(receiver, m) {
            return Some(nothing);
        }
        let place = match receiver {
            Value::Place(p) | Value::PlaceRef(p, _) => Some(p.clone()),
            _ => None,
        };
        let c = self.split_enum(receiver.clone(), family, span);
        // A method that takes `self` by value copies it through a reference.
        let c = match c.by_ref {
            Some(_) if !borrows_receiver(name) => Lower::deref_split_enum(c),
            _ => c,
        };
        Some(match (name, args.as_slice()) {
            ("is_some" | "is_ok", []) => Value::Expr(c.tag, Ty::Bool),
            ("is_none" | "is_err", []) => Value::Expr(not(c.tag), Ty::Bool),
            ("unwrap", []) => self.unwrap(c, place, quote!(.unwrap()), span),
            ("expect", [message]) => self.unwrap(c, place, quote!(.expect(#message)), span),
            ("unwrap_or", [default]) => {
                let (default, c) = self.eval_argument(default, c, span);
                self.branch_on_tag(c, span, |_, v| v, |_, _| default)
            }
            ("unwrap_or_else", [f]) => {
                let f = self.callable(f)?;
                self.branch_on_tag(
                    c,
                    span,
                    |_, v| v,
                    |l, no| {
                        let args = if family == EnumKind::Option {
                            Vec::new()
                        } else {
                            vec![no]
                        };
                        l.apply(&f, args, span)
                    },
                )
            }
            ("unwrap_or_default", []) => {
                let payload = self.value_ty(&c.payload);
                let default = |l: &mut Self, _| l.default_value_of(&payload);
                self.branch_on_tag(c, span, |_, v| v, default)
            }
            ("as_ref", []) => self.as_ref_payload(c, false, span),
            ("as_mut", []) => self.as_ref_payload(c, true, span),
            ("as_deref" | "as_deref_mut", []) => {
                let c = SplitEnum {
                    payload: self.deref_boxed_value(c.payload),
                    ..c
                };
                self.as_ref_payload(c, name == "as_deref_mut", span)
            }
            // The original may be changed or taken while the copy lives.
            ("clone", []) => {
                let c = Lower::deref_split_enum(c);
                Value::SplitEnum(Box::new(self.owned_split_enum("copy", c, false, span)))
            }
            ("copied" | "cloned", []) => Value::SplitEnum(Box::new(Lower::deref_split_enum(c))),
            ("ok", []) => Value::SplitEnum(Box::new(SplitEnum {
                kind: EnumKind::Option,
                err_payload: Value::Unit,
                ..c
            })),
            ("err", []) => {
                let (tag, yes) = (not(c.tag), c.err_payload);
                let family = EnumKind::Option;
                Value::SplitEnum(Box::new(SplitEnum {
                    kind: family,
                    tag,
                    payload: yes,
                    err_payload: Value::Unit,
                    by_ref: c.by_ref,
                }))
            }
            ("ok_or", [error]) => {
                let (no, c) = self.eval_argument(error, c, span);
                Value::SplitEnum(Box::new(SplitEnum {
                    kind: EnumKind::Result,
                    err_payload: no,
                    ..c
                }))
            }
            ("ok_or_else", [f]) => {
                let f = self.callable(f)?;
                self.branch_on_tag(
                    c,
                    span,
                    |l, v| l.variant_value("Ok", v),
                    |l, _| {
                        let error = l.apply(&f, Vec::new(), span);
                        l.variant_value("Err", error)
                    },
                )
            }
            ("filter", [f]) if family == EnumKind::Option => self.filter_payload(c, f, span)?,
            ("zip", [other]) if family == EnumKind::Option => self.lower_option_zip(c, other, span),
            ("xor", [other]) if family == EnumKind::Option => self.lower_xor(c, other, span),
            ("or", [other]) => self.lower_or(c, other, span),
            ("and", [other]) => self.lower_and(c, other, span),
            ("flatten", []) if family == EnumKind::Option => self.flatten_payload(c, span)?,
            ("inspect", [f]) => self.inspect_payload(c, f, true, span)?,
            ("inspect_err", [f]) => self.inspect_payload(c, f, false, span)?,
            ("iter" | "iter_mut" | "into_iter", []) => {
                let c = match name {
                    "into_iter" => c,
                    _ => self.borrow_split_enum(c, name == "iter_mut", span),
                };
                let items = Value::SplitEnum(Box::new(SplitEnum { by_ref: None, ..c }));
                let items = self.captured_value(items, span);
                Value::Iter(Rc::new(Producer::of_option(items)))
            }
            ("replace", [value]) if family == EnumKind::Option => {
                let some = self.eval_some(value, &c, span);
                self.replace_payload(c, place, some, span)
            }
            ("insert", [value]) if family == EnumKind::Option => {
                let some = self.eval_some(value, &c, span);
                self.insert_payload(c, place, some, span)
            }
            ("get_or_insert", [value]) if family == EnumKind::Option => {
                let held = self.value_ty(&c.payload);
                let value = self.lower_coerced(value, by_value(held));
                let value = self.copy_to_temp(value, span);
                self.get_or_insert(c, place, span, |_, _| value)
            }
            ("get_or_insert_with", [f]) if family == EnumKind::Option => {
                let f = self.callable(f)?;
                self.get_or_insert(c, place, span, |l, _| l.apply(&f, Vec::new(), span))
            }
            ("get_or_insert_default", []) if family == EnumKind::Option => {
                self.get_or_insert(c, place, span, |l, ty| l.default_value_of(&ty))
            }
            ("take_if", [f]) if family == EnumKind::Option => self.take_if(c, place, f, span)?,
            ("take", []) if family == EnumKind::Option => self.take_payload(c, place, span),
            _ => return Some(self.lower_combinator(name, c, &args, span)),
        })
    }

    /// The value of an argument, and the receiver as it was before the argument's evaluation.
    fn eval_argument(
        &mut self,
        argument: &syn::Expr,
        c: SplitEnum,
        span: Span,
    ) -> (Value, SplitEnum) {
        self.eval_argument_as(argument, None, c, span)
    }

    /// The same with an expected enum for the argument.
    fn eval_argument_as(
        &mut self,
        argument: &syn::Expr,
        told: Option<EnumKind>,
        c: SplitEnum,
        span: Span,
    ) -> (Value, SplitEnum) {
        let (raws, value) = self.in_block(|l| {
            let value = l.lower_expr_of_kind(argument, told);
            let value = l.copy_to_temp(value, span);
            l.force_eval(&value, span);
            value
        });
        let before = Value::SplitEnum(Box::new(c.clone()));
        let written = |v: VarId| raws.iter().any(|raw| raw.writes(v));
        let c = match before.roots().into_iter().any(written) {
            true => self.owned_split_enum("before", c, false, span),
            false => c,
        };
        self.out.extend(raws);
        (value, c)
    }

    /// Whether an `Option` is expected.
    fn expects_option(&self) -> bool {
        matches!(self.expected_ty, Some(Ty::Option(_)))
    }

    /// Lowers the methods that take a closure.
    fn lower_combinator(
        &mut self,
        name: &str,
        c: SplitEnum,
        args: &[&syn::Expr],
        span: Span,
    ) -> Value {
        let family = c.kind;
        let Some(f) = args.last().and_then(|f| match name {
            "map" | "map_err" | "and_then" | "map_or" | "map_or_else" | "is_some_and"
            | "is_none_or" | "is_ok_and" | "or_else" => self.callable(f),
            _ => None,
        }) else {
            return self.refuse(span, Reason::Method(name.into()));
        };
        let call = |l: &mut Self, f: &Callable, v: Value| l.apply(f, vec![v], span);
        let absent = |l: &mut Self, no: Value| l.known_variant(family, false, no);
        match (name, args) {
            ("map", [_]) => self.branch_on_tag(
                c,
                span,
                |l, v| {
                    let mapped = call(l, &f, v);
                    l.known_variant(family, true, mapped)
                },
                absent,
            ),
            ("map_err", [_]) => self.branch_on_tag(
                c,
                span,
                |l, v| l.variant_value("Ok", v),
                |l, no| {
                    let mapped = call(l, &f, no);
                    l.variant_value("Err", mapped)
                },
            ),
            ("and_then", [_]) => self.branch_on_tag(c, span, |l, v| call(l, &f, v), absent),
            ("or_else", [_]) => self.branch_on_tag(
                c,
                span,
                |l, v| l.known_variant(family, true, v),
                |l, no| {
                    l.apply(
                        &f,
                        if family == EnumKind::Option {
                            Vec::new()
                        } else {
                            vec![no]
                        },
                        span,
                    )
                },
            ),
            ("map_or", [default, _]) => {
                let (default, c) = self.eval_argument(default, c, span);
                self.branch_on_tag(c, span, |l, v| call(l, &f, v), |_, _| default)
            }
            ("map_or_else", [default, _]) => {
                let Some(default) = self.callable(default) else {
                    return Value::Diverges;
                };
                self.branch_on_tag(
                    c,
                    span,
                    |l, v| call(l, &f, v),
                    |l, no| {
                        let args = if family == EnumKind::Option {
                            Vec::new()
                        } else {
                            vec![no]
                        };
                        l.apply(&default, args, span)
                    },
                )
            }
            ("is_some_and" | "is_ok_and" | "is_none_or", [_]) => {
                let none = bool_lit(name == "is_none_or");
                let no = |_: &mut Self, _| Value::Expr(none, Ty::Bool);
                self.branch_on_tag(c, span, |l, v| call(l, &f, v), no)
            }
            _ => self.refuse(span, Reason::Method(name.into())),
        }
    }

    /// Whether the receiver's type is visible and has this method itself.
    fn is_visible_method(&mut self, name: &str, receiver: &Value) -> bool {
        match self.value_ty(receiver) {
            Ty::Named(of) => self.env.signatures.method(&of, name).is_some(),
            ty => self.has_constructor(&ty) && self.env.signatures.has_method(name),
        }
    }

    /// Whether the value is at a place, and its type may be an `Option` or `Result`.
    fn may_be_split_enum(&mut self, value: &Value) -> bool {
        let ty = self.value_ty(value);
        matches!(value, Value::Place(_) | Value::PlaceRef(..))
            && matches!(ty, Ty::Infer(_) | Ty::Unknown | Ty::Named(_))
            && !self.infer.is_number(&ty)
    }

    /// Lowers a branch on the tag; each arm gets the payload of its variant.
    fn branch_on_tag(
        &mut self,
        c: SplitEnum,
        span: Span,
        yes: impl FnOnce(&mut Self, Value) -> Value,
        no: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        match literal_bool(&c.tag) {
            Some(true) => yes(self, c.payload),
            Some(false) => no(self, c.err_payload),
            None => {
                let then = self.in_block(|l| yes(l, c.payload));
                let els = self.in_block(|l| no(l, c.err_payload));
                self.emit_branch(span, c.tag, then, els)
            }
        }
    }

    /// `unwrap` and `expect`: std's own method panics if there is no value.
    fn unwrap(
        &mut self,
        c: SplitEnum,
        place: Option<Place>,
        method: TokenStream,
        span: Span,
    ) -> Value {
        if literal_bool(&c.tag) == Some(true) {
            return c.payload;
        }
        let no = c.err_payload.clone();
        let (raws, ()) = self.in_block(|l| {
            let (value, places, by) = match (place, c.kind) {
                (Some(place), _) => (
                    quote!(::core::clone::Clone::clone(__place_0)),
                    vec![place],
                    vec![CaptureMode::Borrow],
                ),
                (None, EnumKind::Option) => (
                    quote!(::core::option::Option::<()>::None),
                    Vec::new(),
                    Vec::new(),
                ),
                (None, _) => {
                    let error = l.place_of(no, span);
                    let error_value = quote!(::core::clone::Clone::clone(__place_0));
                    let value = quote!(::core::result::Result::<(), _>::Err(#error_value));
                    (value, vec![error], vec![CaptureMode::Borrow])
                }
            };
            let (code, places) = l.capture_with(quote!({ #value #method; }), places, by);
            l.emit(span, StmtKind::Passive(code, places));
        });
        let id = self.stmt_id(span);
        self.out
            .push(LabeledStmt::If(id, not(c.tag), raws, Vec::new()));
        c.payload
    }

    fn as_ref_payload(&mut self, c: SplitEnum, mutable: bool, span: Span) -> Value {
        let c = self.borrow_split_enum(c, mutable, span);
        Value::SplitEnum(Box::new(SplitEnum { by_ref: None, ..c }))
    }

    /// `e?`
    pub fn try_expr(&mut self, t: &syn::ExprTry) -> Value {
        let span = t.question_token.span();
        let returned = self.returned_enum_kind();
        let value = self.lower_expr_of_kind(&t.expr, returned);
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        let Some(family) = self
            .enum_kind_of(&value)
            .or_else(|| self.returned_enum_kind())
        else {
            let what = "`?` on a value whose type is not known here";
            return self.refuse(span, Reason::Expression(what.into()));
        };
        let c = self.split_enum(value, family, span);
        if literal_bool(&c.tag) == Some(true) {
            return c.payload;
        }
        let no = c.err_payload.clone();
        let (raws, ()) = self.in_block(|l| {
            let residual = match family {
                EnumKind::Option => l.variant_value("None", Value::Unit),
                _ => {
                    let error = l.converted_error(no, span);
                    l.variant_value("Err", error)
                }
            };
            l.assign_return(residual, span);
            let label = l.return_label();
            l.out.push(LabeledStmt::Exit(label));
        });
        if literal_bool(&c.tag) == Some(false) {
            self.out.extend(raws);
            return Value::Diverges;
        }
        let id = self.stmt_id(span);
        self.out.push(LabeledStmt::If(id, c.tag, Vec::new(), raws));
        c.payload
    }

    /// `option.filter(f)`
    pub fn filter_payload(&mut self, c: SplitEnum, f: &syn::Expr, span: Span) -> Option<Value> {
        let f = self.callable(f)?;
        let c = self.owned_split_enum("item", c, false, span);
        let kept = self.mutable_var("kept", bool_lit(false), Ty::Bool, span);
        let test = |l: &mut Self| {
            let test = l.predicate(&f, &c.payload, span);
            l.emit(span, StmtKind::Assign(kept.clone(), test));
        };
        self.emit_if(c.tag.clone(), span, test, |_| {});
        let tag = Expr::Read(kept);
        Some(Value::SplitEnum(Box::new(SplitEnum { tag, ..c })))
    }

    /// `choice.inspect(f)`, `choice.inspect_err(f)`
    fn inspect_payload(
        &mut self,
        c: SplitEnum,
        f: &syn::Expr,
        truth: bool,
        span: Span,
    ) -> Option<Value> {
        let f = self.callable(f)?;
        let c = self.owned_split_enum("item", c, false, span);
        let (tag, item) = match truth {
            true => (
                c.tag.clone(),
                self.borrow_split_enum(c.clone(), false, span).payload,
            ),
            false => (
                not(c.tag.clone()),
                self.borrow_split_enum(c.clone(), false, span).err_payload,
            ),
        };
        let look = |l: &mut Self| {
            l.apply(&f, vec![item], span);
        };
        self.emit_if(tag, span, look, |_| {});
        Some(Value::SplitEnum(Box::new(c)))
    }

    /// The return type of the function, or of the closure that is being inlined.
    fn returned_type(&mut self) -> Option<Ty> {
        let of_closure = self.inline_returns.last().map(|(_, var)| *var);
        let var = of_closure.or(self.draft.func.ret)?;
        Some(self.shallow(&self.draft.func.var(var).ty))
    }

    /// The enum that the function returns.
    pub(in crate::lower) fn returned_enum_kind(&mut self) -> Option<EnumKind> {
        match self.returned_type() {
            Some(Ty::Option(_)) => Some(EnumKind::Option),
            Some(Ty::Result(..) | Ty::Named(_)) => Some(EnumKind::Result),
            _ => None,
        }
    }

    /// The error that `?` returns. Its `From` conversion needs no derivative if the types carry no floats.
    fn converted_error(&mut self, error: Value, span: Span) -> Value {
        let found = self.value_ty(&error);
        let returned = match self.returned_type() {
            Some(Ty::Result(_, e)) => self.shallow(&e),
            _ => return error,
        };
        let settled = |t: &Ty| !matches!(t, Ty::Infer(_) | Ty::Unknown);
        if !settled(&found) || !settled(&returned) || is_same_type(&found, &returned) {
            return error;
        }
        if found.carries_floats() || returned.carries_floats() {
            let reason = Reason::ErrorType(found.to_string(), returned.to_string());
            return self.refuse(span, reason);
        }
        let place = self.place_of(error, span);
        let from = quote::quote!(::core::convert::From::from(::core::clone::Clone::clone(
            __place_0
        )));
        let code = self.add_code(from, vec![CaptureMode::Borrow]);
        Value::Expr(Expr::Code(code, vec![place], returned.clone()), returned)
    }

    /// A split enum as an argument of a call.
    pub fn split_enum_arg(&mut self, c: SplitEnum, span: Span) -> Arg {
        let by_ref = c.by_ref;
        let (e, ty) = self.rebuild_enum(c, span);
        match by_ref {
            None => Arg::Value(e),
            Some(false) => Arg::Shared(self.temp(span, "argument", e, ty)),
            Some(true) => {
                let what = "a `&mut` to an `Option` or `Result` held in a local";
                self.refuse(span, Reason::Reference(what.into()));
                Arg::Value(e)
            }
        }
    }
}

/// Whether the types are the same; one of them may be qualified by a path.
fn is_same_type(a: &Ty, b: &Ty) -> bool {
    let last = |name: &str| {
        let name = name.trim_start_matches('&');
        name.rsplit(':').next().map(|n| n.trim().to_string())
    };
    match (a, b) {
        (Ty::Discrete(a), Ty::Discrete(b)) => last(a) == last(b),
        _ => a == b,
    }
}
