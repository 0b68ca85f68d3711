//! Macro calls: std macros that carry no derivative, and `vec!`.

mod output;

use crate::mir::code::DIVERGING;
use proc_macro2::Span;
use syn::spanned::Spanned;

use crate::ir::{CodeId, Expr};
use crate::lower::aggregate::split_enum::bool_lit;
use crate::lower::infer::expectation::{by_value, repeat_by_value};
use crate::lower::types::text;
use crate::lower::value::{Binding, Value};
use crate::lower::{Arguments, LabeledStmt, Lower, Place, StmtKind, Ty};
use crate::mir::code::{CaptureMode, placeholder};
use crate::refuse::Reason;

/// Macros that run for their effect in the forward sweep only.
const PASSIVE: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "print",
    "println",
    "eprint",
    "eprintln",
];

/// Whether the macro has the name of a supported std macro.
pub fn is_std_macro(mac: &syn::Macro) -> bool {
    let name = mac.path.get_ident().map(ToString::to_string);
    name.is_some_and(|name| {
        let others = ["dbg", "format", "matches", "vec", "write", "writeln"];
        let all = [PASSIVE, DIVERGING, &others];
        all.iter().any(|names| names.contains(&name.as_str()))
    })
}

impl Lower {
    /// A macro call as an expression.
    pub fn macro_value(&mut self, mac: &syn::Macro, expected: Option<&Ty>) -> Value {
        let name = mac
            .path
            .segments
            .last()
            .map(|s| s.ident.to_string())
            .unwrap_or_default();
        let span = mac.path.span();
        if PASSIVE.contains(&name.as_str()) {
            self.passive_macro(mac, span);
            return Value::Unit;
        }
        if DIVERGING.contains(&name.as_str()) {
            self.passive_macro(mac, span);
            return Value::Diverges;
        }
        match name.as_str() {
            "vec" => self.vec_macro(mac, expected.and_then(Ty::element)),
            "matches" => self.matches_macro(mac),
            "format" => self.format_macro(mac, span),
            "dbg" => self.dbg_macro(mac, expected),
            "write" | "writeln" => self.write_macro(mac, &name, span),
            "cfg" | "env" | "concat" | "stringify" | "line" | "file" | "column" => {
                let (code, places) = self.capture(quote::quote!(#mac));
                let ty = if name == "cfg" {
                    Ty::Bool
                } else {
                    Ty::Discrete("&str".into())
                };
                Value::Expr(Expr::Code(code, places, ty.clone()), ty)
            }
            name => {
                let name = name.trim_start_matches("r#");
                let reason = match self.env.unbounded_macros.contains(name) {
                    true => Reason::UnboundedMacro(name.into()),
                    false => Reason::UnknownMacro(name.into()),
                };
                self.refuse(span, reason)
            }
        }
    }

    /// `format!(..)`. If an argument calls a function that may have hidden state, the text is computed once, here.
    fn format_macro(&mut self, mac: &syn::Macro, span: Span) -> Value {
        let (code, mut places) = self.macro_code(mac);
        let ty = Ty::Discrete("::std::string::String".into());
        let args = mac.parse_body_with(Arguments::parse_terminated);
        let calls = |e: &syn::Expr| self.closure_effects(&syn::parse_quote!(|| #e)).hidden_state;
        if !args.iter().flatten().any(calls) {
            return Value::Expr(Expr::Code(code, places, ty.clone()), ty);
        }
        // An expression that reads no variable would count as a constant.
        places.push(self.mutable_var("made", bool_lit(false), Ty::Bool, span));
        self.draft.code[code.index()]
            .modes
            .push(CaptureMode::Borrow);
        Value::Place(self.temp(span, "text", Expr::Code(code, places, ty.clone()), ty))
    }

    fn passive_macro(&mut self, mac: &syn::Macro, span: Span) {
        let Some((test, mac)) = self.split_condition(mac) else {
            let (code, places) = self.macro_code(mac);
            self.emit(span, StmtKind::Passive(code, places));
            return;
        };
        let value = self.expr(&test);
        let (test, _) = self.read(value, test.span());
        let (raws, ()) = self.in_block(|l| l.passive_macro(&mac, span));
        let id = self.stmt_id(span);
        self.out.push(LabeledStmt::If(id, test, raws, Vec::new()));
    }

    /// Splits a macro into a condition and a macro under it, if arguments that are not always evaluated change
    /// variables or call closures: `debug_assert!` into `if cfg!(debug_assertions)` and `assert!`, `assert!` into `if`
    /// and `panic!`.
    fn split_condition(&self, mac: &syn::Macro) -> Option<(syn::Expr, syn::Macro)> {
        let name = mac.path.get_ident()?;
        let (text, span) = (name.to_string(), name.span());
        let args = mac.parse_body_with(Arguments::parse_terminated).ok()?;
        let is_lowered = |e: &syn::Expr| {
            !self.changed_by(e, true).is_empty() || self.mentions_inlined_value(&quote::quote!(#e))
        };
        if let Some(asserts) = text.strip_prefix("debug_") {
            let mac = syn::Macro {
                path: syn::Ident::new(asserts, span).into(),
                ..mac.clone()
            };
            let lowered = args.iter().any(is_lowered);
            return lowered.then(|| (syn::parse_quote!(cfg!(debug_assertions)), mac));
        }
        let message: Vec<&syn::Expr> = args.iter().skip(1).collect();
        if text != "assert" || !message.iter().any(|e| is_lowered(e)) {
            return None;
        }
        let holds = args.first()?;
        let panic = syn::Ident::new("panic", span);
        let tokens = quote::quote!(#(#message),*);
        let mac = syn::Macro {
            path: panic.into(),
            tokens,
            ..mac.clone()
        };
        Some((syn::parse_quote!(!(#holds)), mac))
    }

    /// The macro call as code that borrows its variables immutably; rustc rejects any change of them.
    fn macro_code(&mut self, mac: &syn::Macro) -> (CodeId, Vec<Place>) {
        let (code, places) = self.eval_macro_args(mac);
        self.draft.code[code.index()].restrict_to_reads();
        (code, places)
    }

    /// Whether the tokens name a closure or an iterator, which exist only while lowering.
    pub fn mentions_inlined_value(&self, tokens: &proc_macro2::TokenStream) -> bool {
        let mut names = Vec::new();
        crate::lower::tokens::identifiers(tokens, &mut names);
        names.iter().any(|name| {
            let binding = self.lookup(name);
            matches!(
                binding,
                Some(Binding::Value(Value::Closure(_) | Value::Iter(_)))
            )
        })
    }

    /// The macro call as code; arguments that name closures or change variables are lowered to variables first.
    fn eval_macro_args(&mut self, mac: &syn::Macro) -> (CodeId, Vec<Place>) {
        let Ok(mut args) = mac.parse_body_with(Arguments::parse_terminated) else {
            return self.capture(quote::quote!(#mac));
        };
        let asserts = matches!(mac.path.get_ident(), Some(i) if i == "assert");
        let message = format!("assertion failed: {}", text(&args));
        let always = eager_arg_count(mac);
        let mut written_out = false;
        let alone = asserts && args.len() == 1;
        let (mut places, mut by) = (Vec::new(), Vec::new());
        let all: Vec<&mut syn::Expr> = args.iter_mut().map(argument_value).collect();
        let changing = all.iter().map(|e| !self.changed_by(e, true).is_empty());
        let changing: Vec<bool> = changing.collect();
        let last_change = changing.iter().rposition(|changes| *changes);
        for (k, arg) in all.into_iter().enumerate() {
            let named = self.mentions_inlined_value(&quote::quote!(#arg));
            if (changing[k] || named) && k >= always {
                let what = if named {
                    "a call of a closure"
                } else {
                    "a change"
                };
                let what =
                    format!("{what} within an argument that the macro does not always evaluate");
                self.refuse(arg.span(), Reason::Expression(what));
                continue;
            }
            // Rustc's borrow checker ensures that a variable passed by its name is not changed by a later argument.
            let before = last_change.is_some_and(|last| k < last) && !is_path_or_lit(arg);
            if changing[k] || before || named {
                written_out = true;
                let value = self.expr(arg);
                let value = match before {
                    true => self.copy_to_temp(value, arg.span()),
                    false => value,
                };
                places.push(self.place_of(value, arg.span()));
                by.push(CaptureMode::Value);
                let slot = syn::Ident::new(&placeholder(places.len() - 1), arg.span());
                *arg = syn::parse_quote!(#slot);
            }
        }
        if alone && written_out {
            args.push(syn::parse_quote!("{}"));
            args.push(syn::parse_quote!(#message));
        }
        let path = &mac.path;
        self.capture_with(quote::quote!(#path!(#args)), places, by)
    }

    fn matches_macro(&mut self, mac: &syn::Macro) -> Value {
        let parse = |input: syn::parse::ParseStream<'_>| {
            let e: syn::Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<syn::Token![if]>>()? {
                Some(_) => Some(input.parse::<syn::Expr>()?),
                None => None,
            };
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((e, pat, guard))
        };
        let Ok((e, pat, guard)) = mac.parse_body_with(parse) else {
            return self.refuse(mac.path.span(), Reason::UnknownMacro("matches".into()));
        };
        if let Some(guard) = guard {
            let arms = quote::quote!(match #e { #pat if #guard => true, _ => false });
            return match syn::parse2(arms) {
                Ok(arms) => self.expr_as(&arms, Some(&Ty::Bool)),
                Err(_) => self.refuse(mac.path.span(), Reason::UnknownMacro("matches".into())),
            };
        }
        let value = self.expr(&e);
        let value = self.place_scrutinee(value, e.span());
        let truth = Expr::Lit("true".into(), Ty::Bool);
        let test = self.pattern_test(&pat, &value);
        Value::Expr(test.unwrap_or(truth), Ty::Bool)
    }

    fn vec_macro(&mut self, mac: &syn::Macro, expected: Option<&Ty>) -> Value {
        let parse = |input: syn::parse::ParseStream<'_>| {
            if input.is_empty() {
                return Ok(VecBody::List(Default::default()));
            }
            let first: syn::Expr = input.parse()?;
            if input.parse::<Option<syn::Token![;]>>()?.is_some() {
                return Ok(VecBody::Repeat(Box::new((first, input.parse()?))));
            }
            let mut list = vec![first];
            while input.parse::<Option<syn::Token![,]>>()?.is_some() && !input.is_empty() {
                list.push(input.parse()?);
            }
            Ok(VecBody::List(list))
        };
        match mac.parse_body_with(parse) {
            Ok(VecBody::Repeat(both)) => {
                let (value, count) = *both;
                let v = self.lower_coerced(&value, expected.cloned().and_then(by_value));
                let (counting, count) = self.in_block(|l| l.eval_usize(&count));
                let v = match Self::is_pure(&counting) {
                    true => v,
                    false => self.copy_to_temp(v, value.span()),
                };
                self.out.extend(counting);
                let (e, element) = self.read(v, value.span());
                let ty = Ty::Vec(Box::new(element));
                Value::Expr(Expr::Repeat(Box::new(e), Box::new(count), ty.clone()), ty)
            }
            Ok(VecBody::List(list)) => {
                let element = self.fresh_ty();
                let mut parts = Vec::new();
                let takes = repeat_by_value(list.len(), expected);
                for (value, e) in self
                    .operands_expected(list.iter(), takes)
                    .into_iter()
                    .zip(&list)
                {
                    let value = self.refuse_mut_ref(value, e.span());
                    let (part, ty) = self.read(value, e.span());
                    self.unify(&element, &ty);
                    parts.push(part);
                }
                let ty = Ty::Vec(Box::new(element));
                Value::Expr(Expr::Aggregate(parts, ty.clone()), ty)
            }
            Err(_) => self.refuse(mac.path.span(), Reason::UnknownMacro(text(&mac.path))),
        }
    }
}

/// The value of an argument, which may be a named one: `name = value`.
fn argument_value(arg: &mut syn::Expr) -> &mut syn::Expr {
    match arg {
        syn::Expr::Assign(named) => &mut named.right,
        arg => arg,
    }
}

/// Whether the expression is a variable or a literal.
fn is_path_or_lit(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Path(_) | syn::Expr::Lit(_))
}

/// The number of leading arguments that the macro always evaluates. Messages are evaluated on failure only.
fn eager_arg_count(mac: &syn::Macro) -> usize {
    let name = mac.path.segments.last().map(|s| s.ident.to_string());
    match name.as_deref().unwrap_or_default() {
        "assert" => 1,
        "assert_eq" | "assert_ne" => 2,
        _ => usize::MAX,
    }
}

enum VecBody {
    List(Vec<syn::Expr>),
    Repeat(Box<(syn::Expr, syn::Expr)>),
}
