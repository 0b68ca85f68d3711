//! What calls of a user's macros stand for, in their place.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, Parser};
use syn::visit_mut::{self, VisitMut};

use super::fragment::{in_visible, kind_of, settled};
use super::mark::{Mark, bare, bare_tokens, definition, with_content};
use super::matcher::{Part, UNSURE, found};
use super::scopes::Scopes;
use super::transcriber::Transcriber;
use super::{Macros, Rules, is_annotated, is_certain};
use crate::expand::nesting;

/// How deep calls may lie within what calls stand for, as rustc has it.
const DEPTH: usize = 128;

/// How deep blocks and expressions may, calls in calls included. Lowering refuses what is deeper, but it has to get there.
const LEVELS: usize = 400;

/// How many tokens may be made of one of the user's calls, those of calls in it included. Calls that double what is left
/// would be at the depth too late.
const TOKENS: usize = 1 << 18;

/// A call that was seen through. Its number marks the names that its macro wrote.
#[derive(Debug)]
pub struct Call {
    /// The macro.
    pub name: String,
    /// The number of the macro's definition, if that is in the function.
    pub definition: Option<usize>,
    /// Which of the user's own calls it comes from, by their order.
    root: usize,
}

impl Call {
    /// A macro's call that rustc has seen through.
    pub fn made_by_rustc() -> Call {
        Call {
            name: String::from("macro"),
            definition: None,
            root: 0,
        }
    }
}

/// Puts what calls stand for in their place.
pub struct Calls<'a> {
    macros: Macros,
    /// The user's calls that stay, by their order.
    refused: &'a BTreeSet<usize>,
    /// The calls within which a macro is defined, which are not seen through.
    defining: BTreeSet<usize>,
    made: Vec<Call>,
    definitions: usize,
    roots: usize,
    /// The user's call at hand.
    root: Option<usize>,
    depth: usize,
    /// How many blocks and expressions are around.
    levels: usize,
    /// How many more tokens may be made of it.
    tokens: usize,
    /// The user's calls that were given up at a limit, with the names of their macros.
    unbounded: BTreeMap<usize, String>,
    /// Whether any was met.
    pub found: bool,
}

impl<'a> Calls<'a> {
    /// With these macros in sight.
    pub fn of(macros: &Macros, refused: &'a BTreeSet<usize>) -> Calls<'a> {
        Calls {
            macros: macros.clone(),
            refused,
            defining: BTreeSet::new(),
            made: Vec::new(),
            definitions: 0,
            roots: 0,
            root: None,
            depth: 0,
            levels: 0,
            tokens: 0,
            unbounded: BTreeMap::new(),
            found: false,
        }
    }

    /// Goes through the bodies in an item, and the members of an `impl`.
    pub fn in_item(&mut self, item: &mut syn::Item) {
        match item {
            syn::Item::Fn(f) => self.visit_item_fn_mut(f),
            syn::Item::Impl(i) => {
                let members = std::mem::take(&mut i.items);
                visit_mut::visit_item_impl_mut(self, i);
                i.items = members.into_iter().flat_map(|m| self.members(m)).collect();
            }
            // Its functions are seen on their own.
            syn::Item::Mod(_) => {}
            item => visit_mut::visit_item_mut(self, item),
        }
    }

    /// The macros of the calls that were given up at a limit.
    pub fn unbounded(&self) -> impl Iterator<Item = &String> {
        self.unbounded.values()
    }

    /// Takes the marks off the names in the items. Those of the user's calls are given back that have to stay: in which a
    /// name would mean something else, or at a limit.
    pub fn clashing(&self, items: &mut [syn::Item]) -> Vec<Option<usize>> {
        let staying = self.defining.iter().chain(self.unbounded.keys());
        let staying = staying.map(|root| Some(*root));
        let each = items.iter_mut().flat_map(|item| {
            let mut scopes = Scopes::of(&self.made, item.to_token_stream());
            scopes.visit_item_mut(item);
            scopes.clashes
        });
        let root = |mark: Option<Mark>| mark.map(|Mark(number)| self.made[number].root);
        staying.chain(each.map(root)).collect()
    }

    /// The items that a call stands for.
    pub fn items(&mut self, mac: &syn::Macro) -> Option<Vec<syn::Item>> {
        self.made(mac, items, |calls, made| {
            let mut items = Vec::new();
            for item in made {
                match item {
                    // Another module's macros and names are out of sight.
                    syn::Item::Mod(_) => return None,
                    syn::Item::Macro(of) if of.ident.is_some() || !is_certain(&of.attrs) => {
                        return None;
                    }
                    syn::Item::Macro(of) => items.extend(calls.items(&of.mac)?),
                    mut item => {
                        // What is annotated has its adjoints.
                        let bare = bare_tokens(item.to_token_stream());
                        syn::parse2(bare).ok().filter(|item| !is_annotated(item))?;
                        calls.in_item(&mut item);
                        items.push(item);
                    }
                }
            }
            Some(items)
        })
    }

    /// The members of an `impl` that one of them stands for.
    fn members(&mut self, mut member: syn::ImplItem) -> Vec<syn::ImplItem> {
        let made = match &member {
            syn::ImplItem::Macro(of) if is_certain(&of.attrs) => {
                self.made(&of.mac, members, |calls, made| {
                    Some(made.into_iter().flat_map(|m| calls.members(m)).collect())
                })
            }
            _ => None,
        };
        made.unwrap_or_else(|| {
            self.visit_impl_item_mut(&mut member);
            vec![member]
        })
    }

    /// What a call stands for, with calls in it.
    fn made<T, M>(
        &mut self,
        mac: &syn::Macro,
        parsed: impl FnOnce(TokenStream) -> Option<T>,
        within: impl FnOnce(&mut Calls<'_>, T) -> Option<M>,
    ) -> Option<M> {
        let rules = self.macros.find(&mac.path)?;
        let root = self.root.unwrap_or_else(|| {
            self.roots += 1;
            self.tokens = TOKENS;
            self.roots
        });
        if self.refused.contains(&root) || self.unbounded.contains_key(&root) {
            return None;
        }
        let parsed = parsed(self.transcribed(&rules, mac, root)?)?;
        let outer = self.root.replace(root);
        self.depth += 1;
        let made = within(self, parsed);
        self.depth -= 1;
        self.root = outer;
        self.found |= made.is_some();
        made
    }

    fn transcribed(&mut self, rules: &Rules, mac: &syn::Macro, root: usize) -> Option<TokenStream> {
        let arm = |(parts, body): &(Vec<Part>, TokenStream)| {
            Some((found(parts, mac.tokens.clone())?, body.clone()))
        };
        let (bindings, body) = rules.arms.iter().find_map(arm)?;
        if bindings.contains_key(UNSURE) {
            return None;
        }
        let mark = Mark(self.made.len());
        self.made.push(Call {
            name: rules.name.clone(),
            definition: rules.definition,
            root,
        });
        let mut transcriber = Transcriber {
            mark,
            tokens: self.tokens,
        };
        let made = transcriber.transcribed(body, &bindings);
        self.tokens = transcriber.tokens;
        let is_nested = |made: &TokenStream| nesting::refused(made).is_some();
        let is_deep = self.depth == DEPTH || self.levels > LEVELS;
        if is_deep || self.tokens == 0 || made.as_ref().is_some_and(is_nested) {
            self.unbounded.insert(root, rules.name.clone());
            return None;
        }
        made.map(settled)
    }

    /// What a call stands for as an expression.
    fn expression(&mut self, mac: &syn::Macro) -> Option<syn::Expr> {
        self.made(mac, expression, |calls, mut made| {
            calls.visit_block_mut(&mut made);
            Some(match &made.stmts[..] {
                [syn::Stmt::Expr(e, None)] => syn::parse_quote!((#e)),
                _ => syn::parse_quote!(#made),
            })
        })
    }

    /// What a statement stands for.
    fn statements(&mut self, of: &syn::StmtMacro) -> Option<Vec<syn::Stmt>> {
        if !is_certain(&of.attrs) {
            return None;
        }
        let mut made = self.made(&of.mac, statements, |calls, mut made| {
            calls.visit_block_mut(&mut made);
            Some(made.stmts)
        })?;
        if let (Some(semi), Some(syn::Stmt::Expr(_, end @ None))) = (of.semi_token, made.last_mut())
        {
            *end = Some(semi);
        }
        Some(made)
    }

    /// The name of a macro that can't be seen through, which is none of std's of this name.
    fn unseen(&mut self, name: &Ident) -> Ident {
        self.found = true;
        let text = name.to_string();
        Ident::new_raw(text.trim_start_matches("r#"), name.span())
    }

    /// Notes a definition, and what stands in its place until names are known.
    fn define(&mut self, of: &syn::ItemMacro) -> syn::Stmt {
        match self.root {
            Some(root) => {
                self.defining.insert(root);
                let name = of.ident.iter().map(|name| bare(name).to_string());
                self.macros.hide(&name.collect::<Vec<_>>());
            }
            None => self.macros.declare(of, Some(self.definitions)),
        }
        let name = definition(self.definitions);
        self.definitions += 1;
        syn::parse_quote!(macro_rules! #name {})
    }

    /// The same in brackets, where there may be statements.
    fn within_brackets(&mut self, group: &Group) -> TokenStream {
        let whole = TokenStream::from(TokenTree::from(group.clone()));
        match syn::parse2::<syn::Block>(whole) {
            Ok(mut block) => {
                self.visit_block_mut(&mut block);
                block.into_token_stream()
            }
            Err(_) => TokenTree::from(with_content(group, self.within(group.stream()))).into(),
        }
    }

    /// Goes on one level deeper.
    fn deeper<T>(&mut self, go: impl FnOnce(&mut Self) -> T) -> T {
        self.levels += 1;
        let made = go(self);
        self.levels -= 1;
        made
    }

    /// The tokens of another macro's call, with what calls in it stand for.
    fn within(&mut self, tokens: TokenStream) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut out, mut k) = (TokenStream::new(), 0);
        let is_sign =
            |k: usize, sign| matches!(&all[k], TokenTree::Punct(p) if p.as_char() == sign);
        while k < all.len() {
            let is_path = k > 1 && is_sign(k - 1, ':') && is_sign(k - 2, ':');
            let call = match &all[k..] {
                [
                    TokenTree::Ident(_),
                    TokenTree::Punct(p),
                    TokenTree::Group(_),
                    ..,
                ] if p.as_char() == '!' && !is_path => {
                    syn::parse2::<syn::Macro>(all[k..k + 3].iter().cloned().collect()).ok()
                }
                _ => None,
            };
            let call = call.filter(|mac| self.macros.find(&mac.path).is_some());
            let made = call.as_ref().and_then(|mac| self.expression(mac));
            match (made, &all[k]) {
                (Some(e), _) => {
                    e.to_tokens(&mut out);
                    k += 3;
                    continue;
                }
                (None, TokenTree::Group(of)) => match kind_of(of) {
                    Some((kind, inner)) => {
                        let inner = self.deeper(|calls| calls.within(inner));
                        out.extend(in_visible(kind, inner));
                    }
                    None => out.extend(self.deeper(|calls| calls.within_brackets(of))),
                },
                (None, TokenTree::Ident(name)) if call.is_some() => {
                    out.extend([TokenTree::from(self.unseen(name))]);
                }
                (None, token) => out.extend([token.clone()]),
            }
            k += 1;
        }
        out
    }
}

impl VisitMut for Calls<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let in_sight = self.macros.0.len();
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let made = match &stmt {
                syn::Stmt::Item(syn::Item::Macro(of)) => Some(vec![self.define(of)]),
                syn::Stmt::Macro(of) => {
                    let made = self.statements(of);
                    if made.is_none() {
                        self.macros.hide_those_of(&of.mac);
                    }
                    made
                }
                _ => None,
            };
            match made {
                Some(made) => stmts.extend(made),
                None => {
                    self.deeper(|calls| calls.visit_stmt_mut(&mut stmt));
                    stmts.push(stmt);
                }
            }
        }
        block.stmts = stmts;
        self.macros.0.truncate(in_sight);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let made = match e {
            syn::Expr::Macro(of) if is_certain(&of.attrs) => {
                self.deeper(|calls| calls.expression(&of.mac))
            }
            _ => None,
        };
        match made {
            Some(made) => *e = made,
            None => self.deeper(|calls| visit_mut::visit_expr_mut(calls, e)),
        }
        if let syn::Expr::Group(taken) = e {
            *e = operand(&taken.expr);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if self.macros.find(&mac.path).is_none() {
            mac.tokens = self.within(std::mem::take(&mut mac.tokens));
        } else if let Some(last) = mac.path.segments.last_mut() {
            last.ident = self.unseen(&last.ident);
        }
    }

    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
}

/// What a macro makes where an expression is expected.
fn expression(tokens: TokenStream) -> Option<syn::Block> {
    match syn::parse2::<syn::Expr>(tokens.clone()) {
        Ok(e) => Some(block(vec![syn::Stmt::Expr(e, None)])),
        Err(_) => statements(tokens),
    }
}

fn statements(tokens: TokenStream) -> Option<syn::Block> {
    syn::Block::parse_within.parse2(tokens).ok().map(block)
}

fn block(stmts: Vec<syn::Stmt>) -> syn::Block {
    syn::Block {
        brace_token: syn::token::Brace::default(),
        stmts,
    }
}

fn items(tokens: TokenStream) -> Option<Vec<syn::Item>> {
    syn::parse2::<syn::File>(tokens).ok().map(|file| file.items)
}

fn members(tokens: TokenStream) -> Option<Vec<syn::ImplItem>> {
    let whole = syn::ItemImpl::parse.parse2(quote!(impl Members { #tokens }));
    whole.ok().map(|made| made.items)
}

/// An expression that a macro took, as an operand of what is made of it.
fn operand(e: &syn::Expr) -> syn::Expr {
    use syn::Expr::{Call, Field, Index, Lit, MethodCall, Paren, Path};
    match e {
        Call(_) | Field(_) | Index(_) | Lit(_) | MethodCall(_) | Paren(_) | Path(_) => e.clone(),
        e => syn::parse_quote!((#e)),
    }
}
