//! Calls of a user's macros in the bodies of functions.

use std::collections::BTreeMap;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};

use super::{DEPTH, Macros, Position, made};

/// Puts what calls stand for in their place.
pub struct Calls {
    macros: Macros,
    /// How often the function at hand declares each name.
    declared: BTreeMap<String, usize>,
    /// The names that calls were given, and declare.
    given: Vec<String>,
    /// Of the call at hand.
    number: usize,
    depth: usize,
    /// Whether any was met.
    pub found: bool,
}

impl Calls {
    /// With these macros in sight.
    pub fn of(macros: &Macros) -> Calls {
        Calls {
            macros: macros.clone(),
            declared: BTreeMap::new(),
            given: Vec::new(),
            number: 0,
            depth: 0,
            found: false,
        }
    }

    /// Goes through a function, of which `names` visits the names.
    pub fn in_item(&mut self, go: impl FnOnce(&mut Calls), names: impl FnOnce(&mut Declarations)) {
        let mut declarations = Declarations::default();
        names(&mut declarations);
        self.declared = declarations.0;
        go(self);
    }

    fn made(&mut self, mac: &syn::Macro, position: Position) -> Option<syn::Block> {
        if self.depth == DEPTH {
            return None;
        }
        self.number += 1;
        let mut made = made(&self.macros, mac, position, &self.declared, self.number)?;
        for name in &made.given {
            *self.declared.entry(name.clone()).or_default() += 1;
        }
        self.depth += 1;
        let outer = std::mem::take(&mut self.given);
        self.visit_block_mut(&mut made.block);
        let within = std::mem::replace(&mut self.given, outer);
        self.depth -= 1;
        if within.iter().any(|name| made.handed_on.contains(name)) {
            return None;
        }
        self.found = true;
        self.given.extend(within);
        self.given.extend(made.given);
        Some(made.block)
    }

    /// What a call stands for as an expression.
    fn expression(&mut self, mac: &syn::Macro) -> Option<syn::Expr> {
        let made = self.made(mac, Position::Expression)?;
        Some(match &made.stmts[..] {
            [syn::Stmt::Expr(e, None)] => syn::parse_quote!((#e)),
            _ => syn::parse_quote!(#made),
        })
    }

    /// The tokens of another macro's call, with what calls in it stand for.
    fn within(&mut self, tokens: TokenStream) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut out, mut k) = (TokenStream::new(), 0);
        while k < all.len() {
            let made = match &all[k..] {
                [
                    TokenTree::Ident(_),
                    TokenTree::Punct(p),
                    TokenTree::Group(_),
                    ..,
                ] if p.as_char() == '!' => {
                    let call = all[k..k + 3].iter().cloned().collect();
                    let call = syn::parse2::<syn::Macro>(call).ok();
                    call.and_then(|mac| self.expression(&mac))
                }
                _ => None,
            };
            match (made, &all[k]) {
                (Some(e), _) => {
                    e.to_tokens(&mut out);
                    k += 3;
                    continue;
                }
                (None, TokenTree::Group(of)) => {
                    let mut made = Group::new(of.delimiter(), self.within(of.stream()));
                    made.set_span(of.span());
                    out.extend([TokenTree::from(made)]);
                }
                (None, token) => out.extend([token.clone()]),
            }
            k += 1;
        }
        out
    }
}

impl VisitMut for Calls {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let in_sight = self.macros.0.len();
        let mut stmts = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let made = match &stmt {
                syn::Stmt::Item(syn::Item::Macro(of)) => {
                    let is_seen = self.macros.declare(of, true);
                    self.found |= is_seen;
                    is_seen.then(Vec::new)
                }
                syn::Stmt::Macro(of) => self.made(&of.mac, Position::Statements).map(|made| {
                    let mut made = made.stmts;
                    if let (Some(semi), Some(syn::Stmt::Expr(_, end @ None))) =
                        (of.semi_token, made.last_mut())
                    {
                        *end = Some(semi);
                    }
                    made
                }),
                _ => None,
            };
            match made {
                Some(made) => stmts.extend(made),
                None => {
                    self.visit_stmt_mut(&mut stmt);
                    stmts.push(stmt);
                }
            }
        }
        block.stmts = stmts;
        self.macros.0.truncate(in_sight);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let made = match e {
            syn::Expr::Macro(of) => self.expression(&of.mac),
            _ => None,
        };
        match made {
            Some(made) => *e = made,
            None => visit_mut::visit_expr_mut(self, e),
        }
        if let syn::Expr::Group(taken) = e {
            *e = operand(&taken.expr);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.within(std::mem::take(&mut mac.tokens));
    }

    fn visit_item_macro_mut(&mut self, _: &mut syn::ItemMacro) {}
}

/// An expression that a macro took, as an operand of what is made of it.
fn operand(e: &syn::Expr) -> syn::Expr {
    use syn::Expr::{Call, Field, Index, Lit, MethodCall, Paren, Path};
    match e {
        Call(_) | Field(_) | Index(_) | Lit(_) | MethodCall(_) | Paren(_) | Path(_) => e.clone(),
        e => syn::parse_quote!((#e)),
    }
}

/// How often each name is declared.
#[derive(Default)]
pub struct Declarations(BTreeMap<String, usize>);

impl<'ast> Visit<'ast> for Declarations {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        *self.0.entry(pat.ident.to_string()).or_default() += 1;
        syn::visit::visit_pat_ident(self, pat);
    }
}
