//! Elimination of early returns from functions that return references: `if c { return a; } rest` becomes
//! `if c { a } else { rest }`, and a loop that returns becomes a search, so that the reference is selected at the end.

use std::collections::HashSet;

use quote::quote;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};

use super::closure::has_return;
use crate::lower::tokens::identifiers;
use crate::lower::types::ungrouped;
use crate::mir::code::is_diverging;

/// Rewrites the body so that it has no `return`; `None` if that would duplicate more than an expression.
pub fn eliminate_returns(sig: &syn::Signature, body: &syn::Block) -> Option<syn::Block> {
    let of = match &sig.output {
        syn::ReturnType::Type(_, ty) if is_option(ty) => ReturnKind::Option,
        _ => ReturnKind::Reference,
    };
    of.rewrite_stmts(&body.stmts).map(|stmts| syn::Block {
        stmts,
        ..body.clone()
    })
}

/// The kind of the returned value.
#[derive(Clone, Copy)]
enum ReturnKind {
    Reference,
    /// An `Option` of a reference: a search without a result is `None`.
    Option,
}

fn is_option(ty: &syn::Type) -> bool {
    matches!(ungrouped(ty), syn::Type::Path(p)
        if p.path.segments.last().is_some_and(|s| s.ident == "Option"))
}

/// The continuation of a branch.
struct Continuation<'r> {
    kind: ReturnKind,
    stmts: &'r [syn::Stmt],
    /// The `let` that binds the branch's value: `let x = match ..`.
    binding: Option<&'r syn::Local>,
    /// The number of branches that continue with it.
    uses: usize,
}

impl ReturnKind {
    /// Rewrites statements so that the last one is the value.
    fn rewrite_stmts(self, stmts: &[syn::Stmt]) -> Option<Vec<syn::Stmt>> {
        let Some(at) = stmts.iter().position(stmt_returns) else {
            return Some(stmts.to_vec());
        };
        let mut all = stmts[..at].to_vec();
        let rest = &stmts[at + 1..];
        match &stmts[at] {
            syn::Stmt::Expr(e, _) if is_loop(e) => all.extend(self.rewrite_loop(e, rest)?),
            syn::Stmt::Expr(e, _) => {
                let end = self.continuation(rest).rewrite_branch(e)?;
                all.push(syn::Stmt::Expr(end, None));
            }
            syn::Stmt::Local(local) => {
                let end = self.continuation(rest).rewrite_let(local)?;
                all.push(syn::Stmt::Expr(end, None));
            }
            _ => return None,
        }
        Some(all)
    }

    fn continuation(self, stmts: &[syn::Stmt]) -> Continuation<'_> {
        Continuation {
            kind: self,
            stmts,
            binding: None,
            uses: 0,
        }
    }

    /// Rewrites a loop that returns into one that breaks with its result, followed by `rest` for no result.
    fn rewrite_loop(self, of: &syn::Expr, rest: &[syn::Stmt]) -> Option<Vec<syn::Stmt>> {
        let mut of = of.clone();
        let label = match &mut of {
            syn::Expr::ForLoop(l) => &mut l.label,
            syn::Expr::While(l) => &mut l.label,
            syn::Expr::Loop(l) => &mut l.label,
            _ => return None,
        };
        let label = label.get_or_insert_with(|| syn::parse_quote!('__found:));
        let mut leave = ReturnToBreak {
            label: label.name.clone(),
            entered: false,
            kind: self,
            fails: false,
        };
        leave.visit_expr_mut(&mut of);
        let is_endless = rest.is_empty();
        let rest = match is_endless {
            true => vec![syn::parse_quote!(::core::unreachable!();)],
            false => self.rewrite_stmts(rest)?,
        };
        let nothing: syn::Block = syn::parse_quote!({ #(#rest)* });
        let gives_none = is_endless || nothing == syn::parse_quote!({ None });
        let end: syn::Expr = match self {
            ReturnKind::Reference => syn::parse_quote! {
                match returned { Some(returned) => returned, None => #nothing }
            },
            ReturnKind::Option if gives_none => syn::parse_quote!(returned),
            ReturnKind::Option => return None,
        };
        let fails = leave.fails || mentions(&rest, "returned");
        (!fails).then(|| {
            vec![
                syn::parse_quote!(let mut returned = None;),
                syn::Stmt::Expr(of, Some(syn::token::Semi::default())),
                syn::Stmt::Expr(end, None),
            ]
        })
    }
}

/// Replaces `return r` by a `break` of the loop with the result.
struct ReturnToBreak {
    label: syn::Lifetime,
    /// Whether the loop's own label was visited: a nested loop of the same label would shadow it.
    entered: bool,
    kind: ReturnKind,
    fails: bool,
}

impl VisitMut for ReturnToBreak {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let (label, of) = (&self.label, self.kind);
        match e {
            syn::Expr::Closure(_) => {}
            syn::Expr::Try(_) => self.fails = true,
            syn::Expr::Return(syn::ExprReturn { expr: Some(r), .. }) => {
                *e = match of {
                    ReturnKind::Reference => {
                        syn::parse_quote!({ returned = Some(#r); break #label; })
                    }
                    ReturnKind::Option => syn::parse_quote!({ returned = #r; break #label; }),
                };
            }
            e => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_label_mut(&mut self, label: &mut syn::Label) {
        let is_same = label.name.ident == self.label.ident;
        self.fails |= is_same && std::mem::replace(&mut self.entered, true);
    }

    fn visit_ident_mut(&mut self, ident: &mut syn::Ident) {
        self.fails |= ident == "returned";
    }
}

fn is_loop(e: &syn::Expr) -> bool {
    matches!(
        e,
        syn::Expr::ForLoop(_) | syn::Expr::While(_) | syn::Expr::Loop(_)
    )
}

/// Whether the statements contain the identifier.
fn mentions(stmts: &[syn::Stmt], word: &str) -> bool {
    let mut names = Vec::new();
    identifiers(&quote!(#(#stmts)*), &mut names);
    names.iter().any(|name| name == word)
}

impl<'r> Continuation<'r> {
    /// The value of a branch, followed by the continuation where the branch does not return.
    fn rewrite_branch(&mut self, e: &syn::Expr) -> Option<syn::Expr> {
        match e {
            syn::Expr::Return(r) => r.expr.as_deref().cloned(),
            syn::Expr::If(i) => self.rewrite_if(i),
            syn::Expr::Match(m) => {
                let mut m = m.clone();
                if has_return(&m.expr) {
                    return None;
                }
                for arm in &mut m.arms {
                    let pat = &arm.pat;
                    *arm.body = self.in_scope_of(
                        |bound| bound.visit_pat(pat),
                        |r| r.rewrite_branch(&arm.body),
                    )?;
                    arm.comma = Some(syn::token::Comma::default());
                }
                Some(syn::Expr::Match(m))
            }
            syn::Expr::Block(b) if b.label.is_none() => self.rewrite_block(&b.block),
            e if has_return(e) => None,
            e if expr_diverges(e) => Some(e.clone()),
            e => self.continue_with(e),
        }
    }

    fn rewrite_if(&mut self, i: &syn::ExprIf) -> Option<syn::Expr> {
        if has_return(&i.cond) {
            return None;
        }
        let cond = &i.cond;
        let then = self.in_scope_of(
            |bound| bound.visit_expr(cond),
            |r| r.rewrite_block(&i.then_branch),
        )?;
        let other = match &i.else_branch {
            Some((_, e)) => self.rewrite_branch(e)?,
            None => self.continue_with(&syn::parse_quote!({}))?,
        };
        Some(syn::parse_quote!(if #cond { #then } else { #other }))
    }

    /// Rewrites `let x = match .. { .. => return a, .. };` and `let Some(x) = o else { return a };`.
    fn rewrite_let(&mut self, local: &'r syn::Local) -> Option<syn::Expr> {
        let init = local.init.as_ref()?;
        let Some((_, other)) = &init.diverge else {
            self.binding = Some(local);
            return self.rewrite_branch(&init.expr);
        };
        if has_return(&init.expr) {
            return None;
        }
        let (pat, of) = (&local.pat, &init.expr);
        let (on, other) = (
            self.continue_with(&syn::parse_quote!({}))?,
            self.rewrite_branch(other)?,
        );
        Some(syn::parse_quote!(if let #pat = #of { #on } else { #other }))
    }

    /// The value of a block as a branch.
    fn rewrite_block(&mut self, block: &syn::Block) -> Option<syn::Expr> {
        if self.stmts.is_empty() && self.binding.is_none() {
            let stmts = self.kind.rewrite_stmts(&block.stmts)?;
            return Some(syn::parse_quote!({ #(#stmts)* }));
        }
        let leaves = block.stmts.iter().any(stmt_returns);
        if !leaves && !block.stmts.last().is_some_and(stmt_diverges) {
            return self.continue_with(&syn::parse_quote!(#block));
        }
        let (last, before) = block.stmts.split_last()?;
        let end = match last {
            _ if before.iter().any(stmt_returns) => return None,
            syn::Stmt::Expr(e, _) => self.in_scope_of(
                |bound| before.iter().for_each(|s| bound.visit_stmt(s)),
                |r| r.rewrite_branch(e),
            )?,
            syn::Stmt::Macro(m) => {
                let mac = &m.mac;
                syn::parse_quote!(#mac)
            }
            _ => return None,
        };
        Some(syn::parse_quote!({ #(#before)* #end }))
    }

    /// The value of a branch that does not return, followed by the continuation.
    fn continue_with(&mut self, value: &syn::Expr) -> Option<syn::Expr> {
        self.uses += 1;
        let is_long = self.stmts.len() > 1 || self.binding.is_some();
        if self.uses > 1 && is_long {
            return None;
        }
        let rest = self.kind.rewrite_stmts(self.stmts)?;
        let bound = self.binding.map(|local| {
            let mut local = local.clone();
            if let Some(init) = &mut local.init {
                *init.expr = value.clone();
            }
            local
        });
        Some(match (bound, rest.is_empty()) {
            (Some(local), _) => syn::parse_quote!({ #local #(#rest)* }),
            (None, true) => value.clone(),
            (None, false) => syn::parse_quote!({ #value; #(#rest)* }),
        })
    }

    /// Rewrites a branch in the scope of its bindings; `None` if they would capture names of the continuation.
    fn in_scope_of(
        &mut self,
        there: impl FnOnce(&mut BoundNames),
        branch: impl FnOnce(&mut Self) -> Option<syn::Expr>,
    ) -> Option<syn::Expr> {
        let before = self.uses;
        let end = branch(self)?;
        (self.uses == before || self.captures_nothing(there)).then_some(end)
    }

    /// Whether none of the bindings captures a name of the continuation.
    fn captures_nothing(&self, there: impl FnOnce(&mut BoundNames)) -> bool {
        let (mut bound, mut hidden) = (BoundNames::default(), BoundNames::default());
        there(&mut bound);
        self.binding
            .iter()
            .for_each(|local| hidden.visit_pat(&local.pat));
        let stmts = self.stmts;
        let mut names = Vec::new();
        identifiers(&quote!(#(#stmts)*), &mut names);
        let is_caught = |name: &String| bound.0.contains(name) && !hidden.0.contains(name);
        !names.iter().any(is_caught)
    }
}

/// The names that patterns bind.
#[derive(Default)]
struct BoundNames(HashSet<String>);

impl<'ast> Visit<'ast> for BoundNames {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.0.insert(p.ident.to_string());
        syn::visit::visit_pat_ident(self, p);
    }
}

fn stmt_returns(stmt: &syn::Stmt) -> bool {
    has_return(&syn::parse_quote!({ #stmt }))
}

fn stmt_diverges(stmt: &syn::Stmt) -> bool {
    match stmt {
        syn::Stmt::Expr(e, _) => expr_diverges(e),
        syn::Stmt::Macro(m) => is_diverging(&m.mac),
        _ => false,
    }
}

fn expr_diverges(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Macro(m) if is_diverging(&m.mac))
}
