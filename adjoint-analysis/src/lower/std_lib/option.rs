//! The methods of `Option` and `Result`, and `?`.

mod both;
mod change;

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;

use crate::ir::{Arg, Expr, Place, VarId};
use crate::lower::aggregate::tagged::{Choice, Family, known, lit, not};
use crate::lower::infer::expectation::by_value;
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::lower::{LabeledStmt, Lower, StmtKind, Ty};
use crate::mir::code::By;
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
const EITHER: &[&str] = &[
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
pub fn takes_itself(name: &str) -> bool {
    BORROWING.contains(&name)
}

impl Lower {
    /// Lowers a method of `Option` or `Result`; `None` if the receiver is neither.
    pub fn option_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
        told: Option<Family>,
    ) -> Option<Value> {
        let span = m.method.span();
        let family = match self.family_of(receiver) {
            Some(family) => family,
            None if !self.may_be_choice(receiver) || self.is_of_seen_type(name, receiver) => {
                return None;
            }
            None if OPTION.contains(&name) => Family::Option,
            None if RESULT.contains(&name) => Family::Result,
            None if matches!(name, "as_ref" | "as_mut") && self.wants_option() => Family::Option,
            None if name == "take" && m.args.is_empty() => Family::Option,
            None if EITHER.contains(&name) && told.is_none() => Family::Either,
            None => told?,
        };
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        if let Some(nothing) = self.unwrapped_nothing(receiver, m) {
            return Some(nothing);
        }
        let place = match receiver {
            Value::Place(p) | Value::View(p, _) => Some(p.clone()),
            _ => None,
        };
        let c = self.choice(receiver.clone(), family, span);
        // A method that takes `self` by value copies it through a reference.
        let c = match c.by_ref {
            Some(_) if !takes_itself(name) => Lower::deref_choice(c),
            _ => c,
        };
        Some(match (name, args.as_slice()) {
            ("is_some" | "is_ok", []) => Value::Expr(c.tag, Ty::Bool),
            ("is_none" | "is_err", []) => Value::Expr(not(c.tag), Ty::Bool),
            ("unwrap", []) => self.unwrap(c, place, quote!(.unwrap()), span),
            ("expect", [message]) => self.unwrap(c, place, quote!(.expect(#message)), span),
            ("unwrap_or", [default]) => {
                let (default, c) = self.beside(default, c, span);
                self.either(c, span, |_, v| v, |_, _| default)
            }
            ("unwrap_or_else", [f]) => {
                let f = self.callable(f)?;
                self.either(
                    c,
                    span,
                    |_, v| v,
                    |l, no| {
                        let args = if family == Family::Option {
                            Vec::new()
                        } else {
                            vec![no]
                        };
                        l.apply(&f, args, span)
                    },
                )
            }
            ("unwrap_or_default", []) => {
                let payload = self.value_ty(&c.yes);
                let default = |l: &mut Self, _| l.by_default(&payload);
                self.either(c, span, |_, v| v, default)
            }
            ("as_ref", []) => self.viewed(c, false, span),
            ("as_mut", []) => self.viewed(c, true, span),
            ("as_deref" | "as_deref_mut", []) => {
                let c = Choice {
                    yes: self.out_of_box(c.yes),
                    ..c
                };
                self.viewed(c, name == "as_deref_mut", span)
            }
            // The original may be changed or taken while the copy lives.
            ("clone", []) => {
                let c = Lower::deref_choice(c);
                Value::Choice(Box::new(self.own_choice("copy", c, false, span)))
            }
            ("copied" | "cloned", []) => Value::Choice(Box::new(Lower::deref_choice(c))),
            ("ok", []) => Value::Choice(Box::new(Choice {
                family: Family::Option,
                no: Value::Unit,
                ..c
            })),
            ("err", []) => {
                let (tag, yes) = (not(c.tag), c.no);
                let family = Family::Option;
                Value::Choice(Box::new(Choice {
                    family,
                    tag,
                    yes,
                    no: Value::Unit,
                    by_ref: c.by_ref,
                }))
            }
            ("ok_or", [error]) => {
                let (no, c) = self.beside(error, c, span);
                Value::Choice(Box::new(Choice {
                    family: Family::Result,
                    no,
                    ..c
                }))
            }
            ("ok_or_else", [f]) => {
                let f = self.callable(f)?;
                self.either(
                    c,
                    span,
                    |l, v| l.variant_value("Ok", v),
                    |l, _| {
                        let error = l.apply(&f, Vec::new(), span);
                        l.variant_value("Err", error)
                    },
                )
            }
            ("filter", [f]) if family == Family::Option => self.filtered(c, f, span)?,
            ("zip", [other]) if family == Family::Option => self.zipped_choice(c, other, span),
            ("xor", [other]) if family == Family::Option => self.this_xor(c, other, span),
            ("or", [other]) => self.this_or(c, other, span),
            ("and", [other]) => self.this_and(c, other, span),
            ("flatten", []) if family == Family::Option => self.flattened(c, span)?,
            ("inspect", [f]) => self.inspected(c, f, true, span)?,
            ("inspect_err", [f]) => self.inspected(c, f, false, span)?,
            ("iter" | "iter_mut" | "into_iter", []) => {
                let c = match name {
                    "into_iter" => c,
                    _ => self.borrow_choice(c, name == "iter_mut", span),
                };
                let items = Value::Choice(Box::new(Choice { by_ref: None, ..c }));
                let items = self.kept_in(items, span);
                Value::Iter(Rc::new(Producer::of_option(items)))
            }
            ("replace", [value]) if family == Family::Option => {
                let some = self.some_now(value, &c, span);
                self.exchanged_choice(c, place, some, span)
            }
            ("insert", [value]) if family == Family::Option => {
                let some = self.some_now(value, &c, span);
                self.insert_choice(c, place, some, span)
            }
            ("get_or_insert", [value]) if family == Family::Option => {
                let held = self.value_ty(&c.yes);
                let value = self.given(value, by_value(held));
                let value = self.pin(value, span);
                self.get_or_insert(c, place, span, |_, _| value)
            }
            ("get_or_insert_with", [f]) if family == Family::Option => {
                let f = self.callable(f)?;
                self.get_or_insert(c, place, span, |l, _| l.apply(&f, Vec::new(), span))
            }
            ("get_or_insert_default", []) if family == Family::Option => {
                self.get_or_insert(c, place, span, |l, ty| l.by_default(&ty))
            }
            ("take_if", [f]) if family == Family::Option => self.take_if(c, place, f, span)?,
            ("take", []) if family == Family::Option => self.take_choice(c, place, span),
            _ => return Some(self.mapped(name, c, &args, span)),
        })
    }

    /// The value of an argument, and the receiver as it was before the argument's evaluation.
    fn beside(&mut self, argument: &syn::Expr, c: Choice, span: Span) -> (Value, Choice) {
        self.beside_of(argument, None, c, span)
    }

    /// The same with an expected enum for the argument.
    fn beside_of(
        &mut self,
        argument: &syn::Expr,
        told: Option<Family>,
        c: Choice,
        span: Span,
    ) -> (Value, Choice) {
        let (raws, value) = self.in_block(|l| {
            let value = l.expr_of_family(argument, told);
            let value = l.pin(value, span);
            l.look_at(&value, span);
            value
        });
        let before = Value::Choice(Box::new(c.clone()));
        let written = |v: VarId| raws.iter().any(|raw| raw.writes(v));
        let c = match before.roots().into_iter().any(written) {
            true => self.own_choice("before", c, false, span),
            false => c,
        };
        self.out.extend(raws);
        (value, c)
    }

    /// Whether an `Option` is expected.
    fn wants_option(&self) -> bool {
        matches!(self.expected, Some(Ty::Option(_)))
    }

    /// Lowers the methods that take a closure.
    fn mapped(&mut self, name: &str, c: Choice, args: &[&syn::Expr], span: Span) -> Value {
        let family = c.family;
        let Some(f) = args.last().and_then(|f| match name {
            "map" | "map_err" | "and_then" | "map_or" | "map_or_else" | "is_some_and"
            | "is_none_or" | "is_ok_and" | "or_else" => self.callable(f),
            _ => None,
        }) else {
            return self.refuse(span, Reason::Method(name.into()));
        };
        let call = |l: &mut Self, f: &Callable, v: Value| l.apply(f, vec![v], span);
        let absent = |l: &mut Self, no: Value| l.of_family(family, false, no);
        match (name, args) {
            ("map", [_]) => self.either(
                c,
                span,
                |l, v| {
                    let mapped = call(l, &f, v);
                    l.of_family(family, true, mapped)
                },
                absent,
            ),
            ("map_err", [_]) => self.either(
                c,
                span,
                |l, v| l.variant_value("Ok", v),
                |l, no| {
                    let mapped = call(l, &f, no);
                    l.variant_value("Err", mapped)
                },
            ),
            ("and_then", [_]) => self.either(c, span, |l, v| call(l, &f, v), absent),
            ("or_else", [_]) => self.either(
                c,
                span,
                |l, v| l.of_family(family, true, v),
                |l, no| {
                    l.apply(
                        &f,
                        if family == Family::Option {
                            Vec::new()
                        } else {
                            vec![no]
                        },
                        span,
                    )
                },
            ),
            ("map_or", [default, _]) => {
                let (default, c) = self.beside(default, c, span);
                self.either(c, span, |l, v| call(l, &f, v), |_, _| default)
            }
            ("map_or_else", [default, _]) => {
                let Some(default) = self.callable(default) else {
                    return Value::Never;
                };
                self.either(
                    c,
                    span,
                    |l, v| call(l, &f, v),
                    |l, no| {
                        let args = if family == Family::Option {
                            Vec::new()
                        } else {
                            vec![no]
                        };
                        l.apply(&default, args, span)
                    },
                )
            }
            ("is_some_and" | "is_ok_and" | "is_none_or", [_]) => {
                let none = lit(name == "is_none_or");
                let no = |_: &mut Self, _| Value::Expr(none, Ty::Bool);
                self.either(c, span, |l, v| call(l, &f, v), no)
            }
            _ => self.refuse(span, Reason::Method(name.into())),
        }
    }

    /// Whether the receiver's type is visible and has this method itself.
    fn is_of_seen_type(&mut self, name: &str, receiver: &Value) -> bool {
        match self.value_ty(receiver) {
            Ty::Named(of) => self.env.seen.method(&of, name).is_some(),
            ty => self.is_constructed(&ty) && self.env.seen.has_method(name),
        }
    }

    /// Whether the value is at a place, and its type may be an `Option` or `Result`.
    fn may_be_choice(&mut self, value: &Value) -> bool {
        let ty = self.value_ty(value);
        matches!(value, Value::Place(_) | Value::View(..))
            && matches!(ty, Ty::Infer(_) | Ty::Unknown | Ty::Named(_))
            && !self.infer.is_number(&ty)
    }

    /// Lowers a branch on the tag; each arm gets the payload of its variant.
    fn either(
        &mut self,
        c: Choice,
        span: Span,
        yes: impl FnOnce(&mut Self, Value) -> Value,
        no: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        match known(&c.tag) {
            Some(true) => yes(self, c.yes),
            Some(false) => no(self, c.no),
            None => {
                let then = self.in_block(|l| yes(l, c.yes));
                let els = self.in_block(|l| no(l, c.no));
                self.branch(span, c.tag, then, els)
            }
        }
    }

    /// `unwrap` and `expect`: std's own method panics if there is no value.
    fn unwrap(
        &mut self,
        c: Choice,
        place: Option<Place>,
        method: TokenStream,
        span: Span,
    ) -> Value {
        if known(&c.tag) == Some(true) {
            return c.yes;
        }
        let no = c.no.clone();
        let (raws, ()) = self.in_block(|l| {
            let (value, places, by) = match (place, c.family) {
                (Some(place), _) => (
                    quote!(::core::clone::Clone::clone(__place_0)),
                    vec![place],
                    vec![By::Borrow],
                ),
                (None, Family::Option) => (
                    quote!(::core::option::Option::<()>::None),
                    Vec::new(),
                    Vec::new(),
                ),
                (None, _) => {
                    let error = l.place_of(no, span);
                    let error_value = quote!(::core::clone::Clone::clone(__place_0));
                    let value = quote!(::core::result::Result::<(), _>::Err(#error_value));
                    (value, vec![error], vec![By::Borrow])
                }
            };
            let (code, places) = l.capture_with(quote!({ #value #method; }), places, by);
            l.emit(span, StmtKind::Passive(code, places));
        });
        let id = self.stmt_id(span);
        self.out
            .push(LabeledStmt::If(id, not(c.tag), raws, Vec::new()));
        c.yes
    }

    fn viewed(&mut self, c: Choice, mutable: bool, span: Span) -> Value {
        let c = self.borrow_choice(c, mutable, span);
        Value::Choice(Box::new(Choice { by_ref: None, ..c }))
    }

    /// `e?`
    pub fn try_expr(&mut self, t: &syn::ExprTry) -> Value {
        let span = t.question_token.span();
        let returned = self.returned_family();
        let value = self.expr_of_family(&t.expr, returned);
        if matches!(value, Value::Never) {
            return Value::Never;
        }
        let Some(family) = self.family_of(&value).or_else(|| self.returned_family()) else {
            let what = "`?` on a value whose type is not known here";
            return self.refuse(span, Reason::Expression(what.into()));
        };
        let c = self.choice(value, family, span);
        if known(&c.tag) == Some(true) {
            return c.yes;
        }
        let no = c.no.clone();
        let (raws, ()) = self.in_block(|l| {
            let residual = match family {
                Family::Option => l.variant_value("None", Value::Unit),
                _ => {
                    let error = l.converted_error(no, span);
                    l.variant_value("Err", error)
                }
            };
            l.assign_return(residual, span);
            let label = l.return_label();
            l.out.push(LabeledStmt::Exit(label));
        });
        if known(&c.tag) == Some(false) {
            self.out.extend(raws);
            return Value::Never;
        }
        let id = self.stmt_id(span);
        self.out.push(LabeledStmt::If(id, c.tag, Vec::new(), raws));
        c.yes
    }

    /// `option.filter(f)`
    pub fn filtered(&mut self, c: Choice, f: &syn::Expr, span: Span) -> Option<Value> {
        let f = self.callable(f)?;
        let c = self.own_choice("item", c, false, span);
        let kept = self.variable("kept", lit(false), Ty::Bool, span);
        let test = |l: &mut Self| {
            let test = l.predicate(&f, &c.yes, span);
            l.emit(span, StmtKind::Assign(kept.clone(), test));
        };
        self.under(c.tag.clone(), span, test, |_| {});
        let tag = Expr::Read(kept);
        Some(Value::Choice(Box::new(Choice { tag, ..c })))
    }

    /// `choice.inspect(f)`, `choice.inspect_err(f)`
    fn inspected(&mut self, c: Choice, f: &syn::Expr, truth: bool, span: Span) -> Option<Value> {
        let f = self.callable(f)?;
        let c = self.own_choice("item", c, false, span);
        let (tag, item) = match truth {
            true => (
                c.tag.clone(),
                self.borrow_choice(c.clone(), false, span).yes,
            ),
            false => (
                not(c.tag.clone()),
                self.borrow_choice(c.clone(), false, span).no,
            ),
        };
        let look = |l: &mut Self| {
            l.apply(&f, vec![item], span);
        };
        self.under(tag, span, look, |_| {});
        Some(Value::Choice(Box::new(c)))
    }

    /// The return type of the function, or of the closure that is being inlined.
    fn returned_type(&mut self) -> Option<Ty> {
        let of_closure = self.closure_returns.last().map(|(_, var)| *var);
        let var = of_closure.or(self.draft.func.ret)?;
        Some(self.shallow(&self.draft.func.var(var).ty))
    }

    /// The enum that the function returns.
    pub(in crate::lower) fn returned_family(&mut self) -> Option<Family> {
        match self.returned_type() {
            Some(Ty::Option(_)) => Some(Family::Option),
            Some(Ty::Result(..) | Ty::Named(_)) => Some(Family::Result),
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
        if !settled(&found) || !settled(&returned) || same_name(&found, &returned) {
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
        let code = self.add_code(from, vec![By::Borrow]);
        Value::Expr(Expr::Code(code, vec![place], returned.clone()), returned)
    }

    /// A split enum as an argument of a call.
    pub fn choice_argument(&mut self, c: Choice, span: Span) -> Arg {
        let by_ref = c.by_ref;
        let (e, ty) = self.whole(c, span);
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
fn same_name(a: &Ty, b: &Ty) -> bool {
    let last = |name: &str| {
        let name = name.trim_start_matches('&');
        name.rsplit(':').next().map(|n| n.trim().to_string())
    };
    match (a, b) {
        (Ty::Discrete(a), Ty::Discrete(b)) => last(a) == last(b),
        _ => a == b,
    }
}
