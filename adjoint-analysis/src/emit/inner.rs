//! The items at the start of both sweeps: those of the body, and what a call of a method without sweeps runs
//! into, for the sake of the message.

use proc_macro2::{Ident, Span};
use quote::quote;

use super::interface::method_sweep;
use super::piece::{Piece, code};
use super::private;
use crate::ir::{Func, StmtKind};
use crate::lower::Environment;

const SWEEPS: &[&str] = &[
    "forward",
    "reverse",
    "result_zero",
    "result_save",
    "result_load",
];

/// Constants, imports, types and functions declared in the body, and the trait of unseen methods.
pub fn inner_items(block: &syn::Block, func: &Func, env: &Environment) -> Piece {
    let items = crate::lower::items(block);
    Piece::from(quote!(#(#items)*)).then(unseen_methods(func, env))
}

/// A trait with the sweeps of all methods that are called and not seen. No type has it: rustc says so
/// where it finds no method in the type itself, in the words of the bound.
fn unseen_methods(func: &Func, env: &Environment) -> Piece {
    let mut names: Vec<&str> = Vec::new();
    func.body.walk(&mut |stmt| {
        if let StmtKind::Call(call) = &stmt.kind
            && let Some(name) = call.callee.name.strip_prefix('.')
            && !env.seen.has_method(name)
            && !names.contains(&name)
        {
            names.push(name);
        }
    });
    if names.is_empty() {
        return Piece::empty();
    }
    let mut sweeps = Piece::empty();
    for name in names {
        let name = Ident::new(name, Span::call_site());
        for which in SWEEPS {
            let sweep = method_sweep(&name, which);
            sweeps.add(code!(fn #sweep(&self) {}));
        }
    }
    let p = private();
    code! {
        #[allow(dead_code)]
        trait __Unseen { #sweeps }
        impl<T: #p::AnnotatedMethod + ?Sized> __Unseen for T {}
    }
}
