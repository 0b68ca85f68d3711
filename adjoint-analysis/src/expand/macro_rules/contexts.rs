//! Hygiene of an item that a `macro_rules!` produces. rustc distinguishes the names that the macro wrote from those of
//! its call by their spans; here they get different texts.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit_mut::VisitMut;

use super::expander::Expansion;
use super::fragment::show_delimiters;
use super::hygiene::NameResolver;
use super::mark::{Mark, with_content};

/// Parses an item. If a macro produces it, variables that rustc distinguishes get different names.
pub fn parse_item(tokens: &TokenStream) -> syn::Result<syn::Item> {
    let item = syn::parse2(tokens.clone())?;
    if !is_from_macro(&item) {
        return Ok(item);
    }
    let mut contexts = Contexts::default();
    let tokens = contexts.mark_tokens(show_delimiters(tokens.clone()));
    let calls: Vec<Expansion> = contexts
        .0
        .values()
        .map(|_| Expansion::expanded_by_rustc())
        .collect();
    let mut item: syn::Item = syn::parse2(tokens.clone())?;
    let mut scopes = NameResolver::of(&calls, tokens);
    scopes.visit_item_mut(&mut item);
    match scopes.clashes.is_empty() {
        true => Ok(item),
        false => Err(syn::Error::new(
            Span::call_site(),
            "a name of the macro that makes this item is also one of a variable of its call, which can't be told \
             apart\nhelp: give the variable another name",
        )),
    }
}

/// Whether a `macro_rules!` wrote the item's keyword or its braces.
fn is_from_macro(item: &syn::Item) -> bool {
    let words = match item {
        syn::Item::Fn(f) => [
            ("fn", f.sig.fn_token.span),
            ("{", f.block.brace_token.span.open()),
        ],
        syn::Item::Impl(i) => [
            ("impl", i.impl_token.span),
            ("{", i.brace_token.span.open()),
        ],
        syn::Item::Mod(m) => {
            let brace = m.content.as_ref().map(|(brace, _)| brace.span.open());
            let word = ("mod", m.mod_token.span);
            [word, brace.map_or(word, |brace| ("{", brace))]
        }
        _ => return false,
    };
    words
        .into_iter()
        .any(|(text, span)| syntax_context(text, span).is_some())
}

/// The number of the `macro_rules!` call that wrote this text, if one did. Stable Rust shows it only in the span's
/// `Debug` form, `#1 bytes(2..3)`. Text that a procedural macro writes has another length than its span, and resolves
/// at the call.
fn syntax_context(text: &str, span: Span) -> Option<usize> {
    let shown = format!("{span:?}");
    let (number, place) = shown.strip_prefix('#')?.split_once(" bytes(")?;
    let (start, end) = place.strip_suffix(')')?.split_once("..")?;
    let [start, end] = [start, end].map(|at| at.parse::<usize>().ok());
    let is_written = end?.checked_sub(start?)? == text.len();
    let number = number.parse().ok();
    number.filter(|number| is_written && *number != 0)
}

/// The marks of the calls that wrote names, by rustc's number of the syntax context.
#[derive(Default)]
struct Contexts(BTreeMap<usize, Mark>);

impl Contexts {
    fn mark(&mut self, text: &str, span: Span) -> Option<Mark> {
        let next = Mark(self.0.len());
        syntax_context(text, span).map(|number| *self.0.entry(number).or_insert(next))
    }

    fn mark_tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let each = tokens.into_iter().map(|token| match token {
            TokenTree::Group(of) => with_content(&of, self.mark_tokens(of.stream())).into(),
            TokenTree::Ident(name) => self.mark_name(name).into(),
            TokenTree::Literal(literal) => match self.mark(&literal.to_string(), literal.span()) {
                Some(mark) => mark.mark_captures(&literal).into(),
                None => literal.into(),
            },
            sign => sign,
        });
        each.collect()
    }

    fn mark_name(&mut self, name: Ident) -> Ident {
        match self.mark(&name.to_string(), name.span()) {
            Some(mark) => mark.mark_ident(&name),
            None => name,
        }
    }
}
