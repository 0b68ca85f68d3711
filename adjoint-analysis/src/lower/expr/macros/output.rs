//! `dbg!`, `write!` and `writeln!`.

use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::ir::{Arg, Call, Callee, Expr, StmtKind, Ty};
use crate::lower::value::Value;
use crate::lower::{Arguments, Lower, Place};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

impl Lower {
    /// `dbg!(x, ..)`: prints its arguments and returns them.
    pub fn dbg_macro(&mut self, mac: &syn::Macro, expected: Option<&Ty>) -> Value {
        let span = mac.path.span();
        let Ok(args) = mac.parse_body_with(Arguments::parse_terminated) else {
            return self.refuse(span, Reason::UnknownMacro("dbg".into()));
        };
        if args.is_empty() {
            let print = quote_spanned! {span=> ::std::eprintln!(
                "[{}:{}:{}]", ::core::file!(), ::core::line!(), ::core::column!()
            )};
            let code = self.add_code(print, Vec::new());
            self.emit(span, StmtKind::Passive(code, Vec::new()));
            return Value::Unit;
        }
        let expected = expected.filter(|_| args.len() == 1);
        let mut shown = Vec::new();
        for arg in &args {
            let value = match expected {
                Some(ty) => self.expr_as(arg, Some(ty)),
                None => self.expr(arg),
            };
            if matches!(value, Value::Diverges) {
                return Value::Diverges;
            }
            let value = match value {
                value @ Value::Expr(..) => self.copy_to_temp(value, arg.span()),
                value => value,
            };
            let place = self.place_of(value.clone(), arg.span());
            let print = quote_spanned! {span=> ::std::eprintln!(
                "[{}:{}:{}] {} = {:#?}", ::core::file!(), ::core::line!(), ::core::column!(),
                ::core::stringify!(#arg), __place_0
            )};
            let code = self.add_code(print, vec![CaptureMode::Borrow]);
            self.emit(span, StmtKind::Passive(code, vec![place]));
            shown.push(value);
        }
        match shown.len() {
            1 => shown.remove(0),
            _ => Value::Tuple(shown),
        }
    }

    /// `write!(to, ..)`, `writeln!(to, ..)`: a call of `to.write_fmt`, which carries no derivative.
    pub fn write_macro(&mut self, mac: &syn::Macro, name: &str, span: Span) -> Value {
        let args = mac.parse_body_with(Arguments::parse_terminated);
        let Some((to, text)) = args
            .ok()
            .and_then(|args| split_write_args(args, name, span))
        else {
            return self.refuse(span, Reason::UnknownMacro(name.into()));
        };
        let value = self.lower_mut_place(&to);
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        let to = self.place_of(value, to.span());
        let (text, places) = self.macro_code(&text);
        let text = Expr::Code(text, places, Ty::Discrete("_".into()));
        let error = Ty::Discrete("_".into());
        let ty = Ty::Result(Box::new(Ty::Unit), Box::new(error));
        let result = self.new_var("written", ty.clone(), crate::ir::Origin::Temp);
        let callee = Callee {
            name: ".write_fmt".into(),
            path: Some(self.add_code(quote_spanned!(span=> write_fmt), Vec::new())),
        };
        let call = Call {
            result: Some(result),
            callee,
            args: vec![Arg::Mut(to), Arg::Value(text)],
        };
        self.emit(span, StmtKind::Call(call));
        Value::Place(Place::var(result, ty))
    }
}

/// Splits the arguments into the destination and a `format_args!` call of the rest.
fn split_write_args(args: Arguments, name: &str, span: Span) -> Option<(syn::Expr, syn::Macro)> {
    let mut args = args.into_iter();
    let to = args.next()?;
    let ends = name == "writeln";
    let format = match (args.next(), ends) {
        (Some(format), false) => quote!(#format),
        (Some(syn::Expr::Lit(lit)), true) => match &lit.lit {
            syn::Lit::Str(text) => {
                let line = syn::LitStr::new(&format!("{}\n", text.value()), text.span());
                quote!(#line)
            }
            _ => return None,
        },
        (Some(format), true) => quote!(::core::concat!(#format, "\n")),
        (None, true) => quote!("\n"),
        (None, false) => return None,
    };
    let text = quote_spanned!(span=> format_args!(#format #(, #args)*));
    Some((to, syn::parse2(text).ok()?))
}
