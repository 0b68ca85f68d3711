//! The expander: replaces calls of the user's macros by their expansions.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, Parser};
use syn::visit_mut::{self, VisitMut};

use super::fragment::{fragment_kind, unwrap_for_std, unwrap_for_syn};
use super::hygiene::NameResolver;
use super::mark::{Mark, definition_placeholder, unmarked, unmarked_tokens, with_content};
use super::matcher::{PatternPart, VERSION_DEPENDENT, match_call};
use super::transcriber::Transcriber;
use super::{MacroDef, MacroScope, is_annotated, is_unconditional};
use crate::expand::nesting;

/// The recursion limit of expansions, as in rustc.
const MAX_DEPTH: usize = 128;

/// The nesting limit of blocks and expressions, over all expansions. Lowering refuses deeper code, but must be reached
/// without a stack overflow.
const MAX_LEVELS: usize = 400;

/// The number of tokens that one root call may expand to, nested calls included. A macro that doubles its input would
/// reach the recursion limit too late.
const MAX_TOKENS: usize = 1 << 18;

/// An expansion. Its number is the mark on the names that the macro wrote.
#[derive(Debug)]
pub struct Expansion {
    /// The name of the macro.
    pub name: String,
    /// The number of the macro's definition, if it is in the function.
    pub definition: Option<usize>,
    /// The root call that it belongs to, by order.
    root: usize,
}

impl Expansion {
    /// The expansion of a macro that rustc has already expanded.
    pub fn expanded_by_rustc() -> Expansion {
        Expansion {
            name: String::from("macro"),
            definition: None,
            root: 0,
        }
    }
}

/// Expands the macro calls in an item.
pub struct Expander<'a> {
    macros: MacroScope,
    /// The root calls that stay unexpanded, by their order.
    unexpanded: &'a BTreeSet<usize>,
    /// The root calls whose expansion defines a macro; they stay unexpanded.
    defining_roots: BTreeSet<usize>,
    expansions: Vec<Expansion>,
    definitions: usize,
    roots: usize,
    /// The root call that is being expanded.
    root: Option<usize>,
    depth: usize,
    /// The nesting depth of blocks and expressions.
    levels: usize,
    /// The number of tokens left for the root call.
    tokens_left: usize,
    /// The root calls that exceed a limit, with the names of their macros.
    over_limit: BTreeMap<usize, String>,
    /// Whether there was any call to expand.
    pub has_calls: bool,
}

impl<'a> Expander<'a> {
    /// An expander that starts with these macros in scope.
    pub fn of(macros: &MacroScope, refused: &'a BTreeSet<usize>) -> Expander<'a> {
        Expander {
            macros: macros.clone(),
            unexpanded: refused,
            defining_roots: BTreeSet::new(),
            expansions: Vec::new(),
            definitions: 0,
            roots: 0,
            root: None,
            depth: 0,
            levels: 0,
            tokens_left: 0,
            over_limit: BTreeMap::new(),
            has_calls: false,
        }
    }

    /// Expands the calls in the bodies of an item and among the members of an `impl`.
    pub fn expand_in_item(&mut self, item: &mut syn::Item) {
        match item {
            syn::Item::Fn(f) => self.visit_item_fn_mut(f),
            syn::Item::Impl(i) => {
                let members = std::mem::take(&mut i.items);
                visit_mut::visit_item_impl_mut(self, i);
                i.items = members
                    .into_iter()
                    .flat_map(|m| self.expand_member(m))
                    .collect();
            }
            // Functions in a nested module are expanded on their own.
            syn::Item::Mod(_) => {}
            item => visit_mut::visit_item_mut(self, item),
        }
    }

    /// The macros whose calls exceeded a limit.
    pub fn over_limit_macros(&self) -> impl Iterator<Item = &String> {
        self.over_limit.values()
    }

    /// Resolves the names in the items and removes the marks. Returns the root calls that must stay unexpanded: those
    /// with a captured name, a macro definition, or beyond a limit.
    pub fn resolve_names(&self, items: &mut [syn::Item]) -> Vec<Option<usize>> {
        let staying = self.defining_roots.iter().chain(self.over_limit.keys());
        let staying = staying.map(|root| Some(*root));
        let each = items.iter_mut().flat_map(|item| {
            let mut scopes = NameResolver::of(&self.expansions, item.to_token_stream());
            scopes.visit_item_mut(item);
            scopes.clashes
        });
        let root = |mark: Option<Mark>| mark.map(|Mark(number)| self.expansions[number].root);
        staying.chain(each.map(root)).collect()
    }

    /// The items that a call expands to.
    pub fn expand_items(&mut self, mac: &syn::Macro) -> Option<Vec<syn::Item>> {
        self.expand(mac, parse_items, |calls, made| {
            let mut items = Vec::new();
            for item in made {
                match item {
                    // A nested module does not see the macros and names around it.
                    syn::Item::Mod(_) => return None,
                    syn::Item::Macro(of) if of.ident.is_some() || !is_unconditional(&of.attrs) => {
                        return None;
                    }
                    syn::Item::Macro(of) => items.extend(calls.expand_items(&of.mac)?),
                    mut item => {
                        // An annotated item in an expansion has its own adjoint, so the call stays.
                        let bare = unmarked_tokens(item.to_token_stream());
                        syn::parse2(bare).ok().filter(|item| !is_annotated(item))?;
                        calls.expand_in_item(&mut item);
                        items.push(item);
                    }
                }
            }
            Some(items)
        })
    }

    /// The members that a member of an `impl` expands to.
    fn expand_member(&mut self, mut member: syn::ImplItem) -> Vec<syn::ImplItem> {
        let made = match &member {
            syn::ImplItem::Macro(of) if is_unconditional(&of.attrs) => {
                self.expand(&of.mac, parse_members, |calls, made| {
                    Some(
                        made.into_iter()
                            .flat_map(|m| calls.expand_member(m))
                            .collect(),
                    )
                })
            }
            _ => None,
        };
        made.unwrap_or_else(|| {
            self.visit_impl_item_mut(&mut member);
            vec![member]
        })
    }

    /// Expands a call, and the calls in its expansion.
    fn expand<T, M>(
        &mut self,
        mac: &syn::Macro,
        parsed: impl FnOnce(TokenStream) -> Option<T>,
        within: impl FnOnce(&mut Expander<'_>, T) -> Option<M>,
    ) -> Option<M> {
        let rules = self.macros.find(&mac.path)?;
        let root = self.root.unwrap_or_else(|| {
            self.roots += 1;
            self.tokens_left = MAX_TOKENS;
            self.roots
        });
        if self.unexpanded.contains(&root) || self.over_limit.contains_key(&root) {
            return None;
        }
        let parsed = parsed(self.transcribe(&rules, mac, root)?)?;
        let outer = self.root.replace(root);
        self.depth += 1;
        let made = within(self, parsed);
        self.depth -= 1;
        self.root = outer;
        self.has_calls |= made.is_some();
        made
    }

    fn transcribe(
        &mut self,
        rules: &MacroDef,
        mac: &syn::Macro,
        root: usize,
    ) -> Option<TokenStream> {
        let arm = |(parts, body): &(Vec<PatternPart>, TokenStream)| {
            Some((match_call(parts, mac.tokens.clone())?, body.clone()))
        };
        let (bindings, body) = rules.arms.iter().find_map(arm)?;
        if bindings.contains_key(VERSION_DEPENDENT) {
            return None;
        }
        let mark = Mark(self.expansions.len());
        self.expansions.push(Expansion {
            name: rules.name.clone(),
            definition: rules.definition,
            root,
        });
        let mut transcriber = Transcriber {
            mark,
            tokens_left: self.tokens_left,
        };
        let made = transcriber.transcribe(body, &bindings);
        self.tokens_left = transcriber.tokens_left;
        let is_nested = |made: &TokenStream| nesting::refuse_deep(made).is_some();
        let is_deep = self.depth == MAX_DEPTH || self.levels > MAX_LEVELS;
        if is_deep || self.tokens_left == 0 || made.as_ref().is_some_and(is_nested) {
            self.over_limit.insert(root, rules.name.clone());
            return None;
        }
        made.map(unwrap_for_syn)
    }

    /// The expansion of a call in expression position.
    fn expand_expr(&mut self, mac: &syn::Macro) -> Option<syn::Expr> {
        self.expand(mac, parse_expr, |calls, mut made| {
            calls.visit_block_mut(&mut made);
            Some(match &made.stmts[..] {
                [syn::Stmt::Expr(e, None)] => syn::parse_quote!((#e)),
                _ => syn::parse_quote!(#made),
            })
        })
    }

    /// The expansion of a call in statement position.
    fn expand_stmt(&mut self, of: &syn::StmtMacro) -> Option<Vec<syn::Stmt>> {
        if !is_unconditional(&of.attrs) {
            return None;
        }
        let mut made = self.expand(&of.mac, parse_stmts, |calls, mut made| {
            calls.visit_block_mut(&mut made);
            Some(made.stmts)
        })?;
        if let (Some(semi), Some(syn::Stmt::Expr(_, end @ None))) = (of.semi_token, made.last_mut())
        {
            *end = Some(semi);
        }
        Some(made)
    }

    /// The name of a call that stays, written raw, so that lowering doesn't take it for a macro of std.
    fn raw_name(&mut self, name: &Ident) -> Ident {
        self.has_calls = true;
        let text = name.to_string();
        Ident::new_raw(text.trim_start_matches("r#"), name.span())
    }

    /// Declares a macro, and returns a placeholder statement that marks the place of its definition for name
    /// resolution.
    fn declare_macro(&mut self, of: &syn::ItemMacro) -> syn::Stmt {
        match self.root {
            Some(root) => {
                self.defining_roots.insert(root);
                let name = of.ident.iter().map(|name| unmarked(name).to_string());
                self.macros.hide(&name.collect::<Vec<_>>());
            }
            None => self.macros.declare(of, Some(self.definitions)),
        }
        let name = definition_placeholder(self.definitions);
        self.definitions += 1;
        syn::parse_quote!(macro_rules! #name {})
    }

    /// Expands the calls in a delimited group, which may be a block with statements.
    fn expand_in_group(&mut self, group: &Group) -> TokenStream {
        let whole = TokenStream::from(TokenTree::from(group.clone()));
        match syn::parse2::<syn::Block>(whole) {
            Ok(mut block) => {
                self.visit_block_mut(&mut block);
                block.into_token_stream()
            }
            Err(_) => {
                TokenTree::from(with_content(group, self.expand_in_tokens(group.stream()))).into()
            }
        }
    }

    /// Runs `go` one nesting level deeper.
    fn nested<T>(&mut self, go: impl FnOnce(&mut Self) -> T) -> T {
        self.levels += 1;
        let made = go(self);
        self.levels -= 1;
        made
    }

    /// Expands the calls in the tokens of another macro's call.
    fn expand_in_tokens(&mut self, tokens: TokenStream) -> TokenStream {
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
            let made = call.as_ref().and_then(|mac| self.expand_expr(mac));
            match (made, &all[k]) {
                (Some(e), _) => {
                    e.to_tokens(&mut out);
                    k += 3;
                    continue;
                }
                (None, TokenTree::Group(of)) => match fragment_kind(of) {
                    Some((kind, inner)) => {
                        let inner = self.nested(|calls| calls.expand_in_tokens(inner));
                        out.extend(unwrap_for_std(kind, inner));
                    }
                    None => out.extend(self.nested(|calls| calls.expand_in_group(of))),
                },
                (None, TokenTree::Ident(name)) if call.is_some() => {
                    out.extend([TokenTree::from(self.raw_name(name))]);
                }
                (None, token) => out.extend([token.clone()]),
            }
            k += 1;
        }
        out
    }
}

impl VisitMut for Expander<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let in_sight = self.macros.0.len();
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let made = match &stmt {
                syn::Stmt::Item(syn::Item::Macro(of)) => Some(vec![self.declare_macro(of)]),
                syn::Stmt::Macro(of) => {
                    let made = self.expand_stmt(of);
                    if made.is_none() {
                        self.macros.hide_definitions_of(&of.mac);
                    }
                    made
                }
                _ => None,
            };
            match made {
                Some(made) => stmts.extend(made),
                None => {
                    self.nested(|calls| calls.visit_stmt_mut(&mut stmt));
                    stmts.push(stmt);
                }
            }
        }
        block.stmts = stmts;
        self.macros.0.truncate(in_sight);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let made = match e {
            syn::Expr::Macro(of) if is_unconditional(&of.attrs) => {
                self.nested(|calls| calls.expand_expr(&of.mac))
            }
            _ => None,
        };
        match made {
            Some(made) => *e = made,
            None => self.nested(|calls| visit_mut::visit_expr_mut(calls, e)),
        }
        if let syn::Expr::Group(taken) = e {
            *e = parenthesized(&taken.expr);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if self.macros.find(&mac.path).is_none() {
            mac.tokens = self.expand_in_tokens(std::mem::take(&mut mac.tokens));
        } else if let Some(last) = mac.path.segments.last_mut() {
            last.ident = self.raw_name(&last.ident);
        }
    }

    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
}

/// Parses an expansion in expression position.
fn parse_expr(tokens: TokenStream) -> Option<syn::Block> {
    match syn::parse2::<syn::Expr>(tokens.clone()) {
        Ok(e) => Some(block(vec![syn::Stmt::Expr(e, None)])),
        Err(_) => parse_stmts(tokens),
    }
}

fn parse_stmts(tokens: TokenStream) -> Option<syn::Block> {
    syn::Block::parse_within.parse2(tokens).ok().map(block)
}

fn block(stmts: Vec<syn::Stmt>) -> syn::Block {
    syn::Block {
        brace_token: syn::token::Brace::default(),
        stmts,
    }
}

fn parse_items(tokens: TokenStream) -> Option<Vec<syn::Item>> {
    syn::parse2::<syn::File>(tokens).ok().map(|file| file.items)
}

fn parse_members(tokens: TokenStream) -> Option<Vec<syn::ImplItem>> {
    let whole = syn::ItemImpl::parse.parse2(quote!(impl Members { #tokens }));
    whole.ok().map(|made| made.items)
}

/// A fragment's expression, parenthesised where it may be an operand.
fn parenthesized(e: &syn::Expr) -> syn::Expr {
    use syn::Expr::{Call, Field, Index, Lit, MethodCall, Paren, Path};
    match e {
        Call(_) | Field(_) | Index(_) | Lit(_) | MethodCall(_) | Paren(_) | Path(_) => e.clone(),
        e => syn::parse_quote!((#e)),
    }
}
