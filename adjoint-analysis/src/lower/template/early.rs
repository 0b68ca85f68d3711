//! Functions that return references early: `if c { return a; } rest` as `if c { a } else { rest }`, so that the
//! reference is one that is chosen at its end.

use std::collections::HashSet;

use quote::quote;
use syn::visit::Visit;

use crate::lower::closure::has_return;
use crate::lower::code::words;
use crate::lower::macros::is_diverging;

/// The body with each `return` as the end of its branch; `None` where one stands in a loop, or where more than an
/// expression would have to be written twice.
pub fn without_returns(body: &syn::Block) -> Option<syn::Block> {
    ends(&body.stmts).map(|stmts| syn::Block {
        stmts,
        ..body.clone()
    })
}

/// What is left to do behind a branch.
struct Rest<'r> {
    stmts: &'r [syn::Stmt],
    /// What is bound to the branch's value: `let x = match ..`.
    bound: Option<&'r syn::Local>,
    /// Whether a branch goes on with it.
    used: bool,
}

/// The statements, whose last is the value.
fn ends(stmts: &[syn::Stmt]) -> Option<Vec<syn::Stmt>> {
    let Some(at) = stmts.iter().position(returns) else {
        return Some(stmts.to_vec());
    };
    let mut rest = Rest {
        stmts: &stmts[at + 1..],
        bound: None,
        used: false,
    };
    let end = match &stmts[at] {
        syn::Stmt::Expr(e, _) => rest.behind(e)?,
        syn::Stmt::Local(local) => rest.behind_let(local)?,
        _ => return None,
    };
    let before = stmts[..at].iter().cloned();
    Some(before.chain([syn::Stmt::Expr(end, None)]).collect())
}

impl<'r> Rest<'r> {
    /// What the expression comes to, and what is left to do behind it where it goes on.
    fn behind(&mut self, e: &syn::Expr) -> Option<syn::Expr> {
        match e {
            syn::Expr::Return(r) => r.expr.as_deref().cloned(),
            syn::Expr::If(i) => self.behind_if(i),
            syn::Expr::Match(m) => {
                let mut m = m.clone();
                if has_return(&m.expr) {
                    return None;
                }
                for arm in &mut m.arms {
                    self.is_free_of(|bound| bound.visit_pat(&arm.pat))?;
                    *arm.body = self.behind(&arm.body)?;
                    arm.comma = Some(syn::token::Comma::default());
                }
                Some(syn::Expr::Match(m))
            }
            syn::Expr::Block(b) if b.label.is_none() => self.in_block(&b.block),
            e if has_return(e) => None,
            e if diverges(e) => Some(e.clone()),
            e => self.go_on(e),
        }
    }

    fn behind_if(&mut self, i: &syn::ExprIf) -> Option<syn::Expr> {
        if has_return(&i.cond) {
            return None;
        }
        let cond = &i.cond;
        self.is_free_of(|bound| bound.visit_expr(cond))?;
        let then = self.in_block(&i.then_branch)?;
        let other = match &i.else_branch {
            Some((_, e)) => self.behind(e)?,
            None => self.go_on(&syn::parse_quote!({}))?,
        };
        Some(syn::parse_quote!(if #cond { #then } else { #other }))
    }

    /// `let x = match .. { .. => return a, .. };`, `let Some(x) = o else { return a };`
    fn behind_let(&mut self, local: &'r syn::Local) -> Option<syn::Expr> {
        let init = local.init.as_ref()?;
        let Some((_, other)) = &init.diverge else {
            self.bound = Some(local);
            return self.behind(&init.expr);
        };
        if has_return(&init.expr) {
            return None;
        }
        let (pat, of) = (&local.pat, &init.expr);
        let (on, other) = (self.go_on(&syn::parse_quote!({}))?, self.behind(other)?);
        Some(syn::parse_quote!(if let #pat = #of { #on } else { #other }))
    }

    /// A branch: its own names must not be taken for those of what follows.
    fn in_block(&mut self, block: &syn::Block) -> Option<syn::Expr> {
        let leaves = block.stmts.iter().any(returns);
        if !leaves && !block.stmts.last().is_some_and(ends_here) {
            return self.go_on(&syn::parse_quote!(#block));
        }
        let (last, before) = block.stmts.split_last()?;
        let end = match last {
            _ if before.iter().any(returns) => return None,
            syn::Stmt::Expr(e, _) => {
                self.is_free_of(|bound| before.iter().for_each(|s| bound.visit_stmt(s)))?;
                self.behind(e)?
            }
            syn::Stmt::Macro(m) => {
                let mac = &m.mac;
                syn::parse_quote!(#mac)
            }
            _ => return None,
        };
        Some(syn::parse_quote!({ #(#before)* #end }))
    }

    /// The value of a branch that does not return, and the rest behind it.
    fn go_on(&mut self, value: &syn::Expr) -> Option<syn::Expr> {
        let is_long = self.stmts.len() > 1 || self.bound.is_some();
        if std::mem::replace(&mut self.used, true) && is_long {
            return None;
        }
        let rest = ends(self.stmts)?;
        let bound = self.bound.map(|local| {
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

    /// Whether nothing that is bound there has a name that what follows mentions.
    fn is_free_of(&self, there: impl FnOnce(&mut Bound)) -> Option<()> {
        let (mut bound, mut hidden) = (Bound::default(), Bound::default());
        there(&mut bound);
        self.bound
            .iter()
            .for_each(|local| hidden.visit_pat(&local.pat));
        let stmts = self.stmts;
        let mut names = Vec::new();
        words(&quote!(#(#stmts)*), &mut names);
        let is_caught = |name: &String| bound.0.contains(name) && !hidden.0.contains(name);
        (!names.iter().any(is_caught)).then_some(())
    }
}

/// The names that patterns bind.
#[derive(Default)]
struct Bound(HashSet<String>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.0.insert(p.ident.to_string());
        syn::visit::visit_pat_ident(self, p);
    }
}

fn returns(stmt: &syn::Stmt) -> bool {
    has_return(&syn::parse_quote!({ #stmt }))
}

fn ends_here(stmt: &syn::Stmt) -> bool {
    match stmt {
        syn::Stmt::Expr(e, _) => diverges(e),
        syn::Stmt::Macro(m) => is_diverging(&m.mac),
        _ => false,
    }
}

fn diverges(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Macro(m) if is_diverging(&m.mac))
}
