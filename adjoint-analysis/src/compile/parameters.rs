//! Parameters that are patterns: they get names, from which those of their adjoints are derived.
//!
//! `(a, b): (f64, f64)` becomes `a_b: (f64, f64)` with `let (a, b) = a_b;` in the body, and `_` becomes `arg_1`, by its
//! position. The user's own function is emitted unchanged.

use std::borrow::Cow;
use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::spanned::Spanned;

use crate::emit::ident;
use crate::lower::signature::param_name;
use crate::roles;

/// The function with a name for each parameter, unless it uses that name for something else.
pub fn name_params(item: &syn::ItemFn) -> Cow<'_, syn::ItemFn> {
    if roles::named_params(&item.sig).count() == typed_params(&item.sig).count() {
        return Cow::Borrowed(item);
    }
    let taken = used_identifiers(item);
    let names: Vec<Option<Ident>> = item
        .sig
        .inputs
        .iter()
        .enumerate()
        .map(|(k, arg)| missing_name(k, arg, &taken))
        .collect();
    let mut item = item.clone();
    let mut parts: Vec<syn::Stmt> = Vec::new();
    for (arg, name) in item.sig.inputs.iter_mut().zip(names) {
        let (syn::FnArg::Typed(arg), Some(name)) = (arg, name) else {
            continue;
        };
        let pat = std::mem::replace(&mut *arg.pat, syn::parse_quote!(#name));
        if !matches!(pat, syn::Pat::Wild(_)) {
            parts.push(syn::parse_quote!(let #pat = #name;));
        }
    }
    item.block.stmts.splice(0..0, parts);
    Cow::Owned(item)
}

/// The name for an unnamed parameter.
fn missing_name(k: usize, arg: &syn::FnArg, taken: &BTreeSet<String>) -> Option<Ident> {
    let syn::FnArg::Typed(arg) = arg else {
        return None;
    };
    if param_name(arg).is_some() {
        return None;
    }
    let parts = pattern_names(&arg.pat);
    let name = match parts.len() {
        0 => format!("arg_{}", k + 1),
        1 => parts[0].clone(),
        _ => {
            let parts = parts.iter().map(|part| part.trim_start_matches("r#"));
            parts.collect::<Vec<_>>().join("_")
        }
    };
    let own = parts.len() == 1;
    let span = Span::call_site().located_at(arg.pat.span());
    (own || !taken.contains(&name)).then(|| ident(&name, span))
}

fn typed_params(sig: &syn::Signature) -> impl Iterator<Item = &syn::PatType> {
    sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(arg) => Some(arg),
        syn::FnArg::Receiver(_) => None,
    })
}

/// All identifiers in the function.
fn used_identifiers(item: &syn::ItemFn) -> BTreeSet<String> {
    fn idents(tokens: TokenStream, found: &mut BTreeSet<String>) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => drop(found.insert(ident.to_string())),
                TokenTree::Group(group) => idents(group.stream(), found),
                _ => {}
            }
        }
    }
    let (sig, body) = (&item.sig, &item.block);
    let mut found = BTreeSet::new();
    idents(quote!(#sig #body), &mut found);
    found
}

fn pattern_names(pat: &syn::Pat) -> Vec<String> {
    struct Names(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push(pat.ident.to_string());
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut names = Names(Vec::new());
    syn::visit::Visit::visit_pat(&mut names, pat);
    names.0
}
