//! Marker `impl`s for `#[adjoint] impl Index for Matrix`, `IndexMut` and `Sum`, whose bodies need no adjoint of their
//! own.
//!
//! An index expression is a place if it leads to the same element each time, also in the adjoint, whose fields without
//! floats have the primal's values. So only such fields and the index may decide which element the body returns. A sum
//! is a fold by `+` if its body is one. Generated code requires the marker where a type is indexed or summed. `Deref`
//! is checked in the same way, but has no marker: rustc applies it implicitly.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::lower::Environment;
use crate::lower::tokens::identifiers;
use crate::lower::types::lower_type;
use crate::refuse::{Reason, Refusal};

/// The marker of the `impl`, or why it can't have one; `None` for other traits.
pub fn marker_impl(item: &syn::ItemImpl) -> Option<Result<TokenStream, Refusal>> {
    let (path, _) = item.trait_.as_ref()?;
    let last = path.segments.last()?;
    let trait_name = last.ident.to_string();
    let method = match trait_name.as_str() {
        "Index" => "index",
        "IndexMut" => "index_mut",
        "Sum" => "sum",
        _ => return None,
    };
    let body = item.items.iter().find_map(|i| match i {
        syn::ImplItem::Fn(f) if f.sig.ident == method => Some(f),
        _ => None,
    })?;
    let follows = match method {
        "sum" => is_fold_by_plus(body),
        _ => is_place(&body.block),
    };
    if !follows {
        let span = body.sig.ident.span();
        let reason = match method {
            "sum" => Reason::Sum,
            _ => Reason::Index,
        };
        return Some(Err(Refusal { span, reason }));
    }
    let (generics, _, clause) = item.generics.split_for_impl();
    let own = &item.self_ty;
    let of = type_argument(&last.arguments);
    let p = quote!(::adjoint::__private::demand);
    let mark = match trait_name.as_str() {
        "Index" => quote!(impl #generics #p::Elements<#of> for #own #clause {}),
        "IndexMut" => {
            let bounds = clause.map(|c| &c.predicates).into_iter();
            quote! {
                #[allow(trivial_bounds)]
                impl #generics #p::Sequence<#of> for #own where Self: #p::Elements<#of>, #(#bounds)* {}
            }
        }
        _ => {
            let of = of.unwrap_or(own);
            quote!(impl #generics #p::Summed<#of> for #own #clause {})
        }
    };
    Some(Ok(mark))
}

/// Refuses a `Deref` that does not borrow a field: in the adjoint, whose values differ, it has to lead to the same
/// field.
pub fn refuse_deref(item: &syn::ItemImpl, env: &Environment) -> Option<Refusal> {
    let (path, _) = item.trait_.as_ref()?;
    let method = match path.segments.last()?.ident.to_string().as_str() {
        "Deref" => "deref",
        "DerefMut" => "deref_mut",
        _ => return None,
    };
    let leads_to_floats = |inner: &syn::ImplItem| match inner {
        syn::ImplItem::Type(target) => lower_type(&target.ty, env).0.carries_floats(),
        _ => false,
    };
    let body = item.items.iter().find_map(|inner| match inner {
        syn::ImplItem::Fn(f) if f.sig.ident == method => Some(f),
        _ => None,
    })?;
    let matters = method == "deref_mut" || item.items.iter().any(leads_to_floats);
    (matters && !is_self_borrow(&body.block)).then(|| Refusal {
        span: body.sig.ident.span(),
        reason: Reason::Index,
    })
}

/// Whether the block only borrows a part of `self`: `&self.field`, `self.data.as_mut_slice()`.
fn is_self_borrow(block: &syn::Block) -> bool {
    fn is_field(e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Path(p) => p.path.is_ident("self"),
            syn::Expr::Reference(r) => is_field(&r.expr),
            syn::Expr::Paren(p) => is_field(&p.expr),
            syn::Expr::Field(f) => is_field(&f.base),
            syn::Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)) && is_field(&u.expr),
            syn::Expr::Index(i) => {
                let of_self = is_field(&i.expr);
                of_self && SelfDependent(vec!["self".into()]).is_self_free(&i.index)
            }
            syn::Expr::MethodCall(m) => {
                let lends = [
                    "as_mut",
                    "as_mut_slice",
                    "as_ref",
                    "as_slice",
                    "deref",
                    "deref_mut",
                ];
                lends.iter().any(|name| m.method == name) && is_field(&m.receiver)
            }
            _ => false,
        }
    }
    matches!(&block.stmts[..], [syn::Stmt::Expr(e, None)] if is_field(e))
}

/// The type argument: the index of `Index<usize>`, the items of `Sum<V>`.
fn type_argument(arguments: &syn::PathArguments) -> Option<&syn::Type> {
    match arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|a| match a {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}

// Places.

/// The names that depend on `self`: `self`, and variables bound to values that do. One of these could be a float.
#[derive(Clone)]
struct SelfDependent(Vec<String>);

/// Whether the body makes checks, destructures the index, and ends with a reference to a part of `self`.
fn is_place(block: &syn::Block) -> bool {
    SelfDependent(vec!["self".into()]).is_place(block)
}

impl SelfDependent {
    fn is_place(&self, block: &syn::Block) -> bool {
        let Some((tail, before)) = block.stmts.split_last() else {
            return false;
        };
        let mut here = self.clone();
        let refers = |here: &SelfDependent| match tail {
            syn::Stmt::Expr(e, None) => here.is_reference(e),
            syn::Stmt::Macro(m) => diverges(&m.mac),
            _ => false,
        };
        before.iter().all(|s| here.is_preparation(s)) && refers(&here)
    }

    /// Whether the statement is an assertion, or binds an integer expression.
    fn is_preparation(&mut self, stmt: &syn::Stmt) -> bool {
        match stmt {
            syn::Stmt::Local(l) => {
                let init = l.init.as_ref().filter(|i| i.diverge.is_none());
                let Some(value) = init.map(|i| &i.expr) else {
                    return false;
                };
                if !self.is_self_free(value) {
                    identifiers(&l.pat.to_token_stream(), &mut self.0);
                }
                self.is_integer_expr(value)
            }
            syn::Stmt::Macro(m) => m.mac.path.segments.last().is_some_and(|s| {
                let name = s.ident.to_string();
                name.starts_with("assert") || name.starts_with("debug_assert")
            }),
            _ => false,
        }
    }

    /// Whether the expression is `&self.data[i]`, or a `match` or `if` on the index with such branches.
    fn is_reference(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Reference(r) => self.is_part_of_self(&r.expr),
            syn::Expr::Paren(p) => self.is_reference(&p.expr),
            syn::Expr::Macro(m) => diverges(&m.mac),
            syn::Expr::Block(b) => self.is_place(&b.block),
            syn::Expr::Match(m) => {
                let arms = || m.arms.iter();
                self.is_self_free(&m.expr)
                    && arms().all(|a| self.is_self_free(&a.pat))
                    && arms().all(|a| self.is_reference(&a.body))
            }
            syn::Expr::If(i) => {
                let els = i.else_branch.as_ref();
                self.is_self_free(&i.cond)
                    && self.is_place(&i.then_branch)
                    && els.is_some_and(|(_, e)| self.is_reference(e))
            }
            _ => false,
        }
    }

    fn is_part_of_self(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Path(p) => p.path.is_ident("self"),
            syn::Expr::Paren(p) => self.is_part_of_self(&p.expr),
            syn::Expr::Field(f) => self.is_part_of_self(&f.base),
            syn::Expr::Unary(u) => {
                matches!(u.op, syn::UnOp::Deref(_)) && self.is_part_of_self(&u.expr)
            }
            syn::Expr::Index(i) => self.is_part_of_self(&i.expr) && self.is_integer_expr(&i.index),
            _ => false,
        }
    }

    /// Whether the expression consists of the index and of fields that can only be integers.
    fn is_integer_expr(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
            syn::Expr::Paren(p) => self.is_integer_expr(&p.expr),
            syn::Expr::Field(f) => self.is_integer_expr(&f.base),
            syn::Expr::Tuple(t) => t.elems.iter().all(|e| self.is_integer_expr(e)),
            syn::Expr::Unary(u) => self.is_integer_expr(&u.expr),
            syn::Expr::Binary(b) => {
                let comparison = crate::lower::expr::operator::is_comparison_op(&b.op);
                let both = self.is_integer_expr(&b.left) && self.is_integer_expr(&b.right);
                both && (!comparison || self.is_self_free(e))
            }
            // A float of `self` could be cast to an integer.
            syn::Expr::Cast(c) => self.is_self_free(&c.expr) && self.is_integer_expr(&c.expr),
            syn::Expr::Range(r) => {
                let ends = r.start.iter().chain(r.end.iter());
                ends.into_iter().all(|e| self.is_integer_expr(e))
            }
            syn::Expr::MethodCall(m) => {
                let of_integers = ["len", "min", "max", "rem_euclid", "saturating_sub"];
                of_integers.iter().any(|n| m.method == n)
                    && self.is_integer_expr(&m.receiver)
                    && m.args.iter().all(|e| self.is_integer_expr(e))
            }
            _ => false,
        }
    }

    /// Whether the code does not depend on `self`.
    fn is_self_free(&self, code: &impl ToTokens) -> bool {
        let mut names = Vec::new();
        identifiers(&code.to_token_stream(), &mut names);
        !names.iter().any(|name| self.0.contains(name))
    }
}

fn diverges(mac: &syn::Macro) -> bool {
    let name = mac.path.segments.last().map(|s| s.ident.to_string());
    matches!(name.as_deref(), Some("panic" | "unreachable"))
}

// Sums.

/// Whether the body is `iter.fold(start, |a, b| a + b)`.
fn is_fold_by_plus(f: &syn::ImplItemFn) -> bool {
    let Some(syn::FnArg::Typed(arg)) = f.sig.inputs.first() else {
        return false;
    };
    let (syn::Pat::Ident(iter), [syn::Stmt::Expr(syn::Expr::MethodCall(m), None)]) =
        (&*arg.pat, &f.block.stmts[..])
    else {
        return false;
    };
    let args: Vec<&syn::Expr> = m.args.iter().collect();
    let ([start, step], true, true) = (
        &args[..],
        m.method == "fold",
        is_name(&m.receiver, &iter.ident),
    ) else {
        return false;
    };
    is_constant(start) && is_plus(step)
}

/// Whether the value is made of constants: their names, like those of structs, begin with a capital.
fn is_constant(e: &syn::Expr) -> bool {
    let in_capitals = |path: &syn::Path| {
        let name = path.get_ident().map(ToString::to_string);
        name.is_some_and(|name| name.starts_with(char::is_uppercase))
    };
    match e {
        syn::Expr::Lit(_) => true,
        syn::Expr::Path(p) => p.path.segments.len() > 1 || in_capitals(&p.path),
        syn::Expr::Call(c) => is_constant(&c.func) && c.args.iter().all(is_constant),
        syn::Expr::Array(a) => a.elems.iter().all(is_constant),
        syn::Expr::Repeat(r) => is_constant(&r.expr),
        syn::Expr::Struct(s) => s.rest.is_none() && s.fields.iter().all(|f| is_constant(&f.expr)),
        _ => false,
    }
}

/// Whether the expression is addition: `|a, b| a + b`, `|a, b| a + *b`, `Add::add`, `Self::add`.
fn is_plus(e: &syn::Expr) -> bool {
    let closure = match e {
        syn::Expr::Path(p) => {
            let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
            let (name, owner) = (names.next(), names.next());
            return name.as_deref() == Some("add")
                && matches!(owner.as_deref(), Some("Add" | "Self"));
        }
        syn::Expr::Closure(closure) => closure,
        _ => return false,
    };
    let names: Vec<&syn::Ident> = closure.inputs.iter().filter_map(name_of).collect();
    let ([a, b], syn::Expr::Binary(sum)) = (&names[..], &*closure.body) else {
        return false;
    };
    let right = match &*sum.right {
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => &*u.expr,
        e => e,
    };
    matches!(sum.op, syn::BinOp::Add(_)) && is_name(&sum.left, a) && is_name(right, b)
}

fn name_of(pat: &syn::Pat) -> Option<&syn::Ident> {
    match pat {
        syn::Pat::Ident(p) => Some(&p.ident),
        syn::Pat::Type(t) => name_of(&t.pat),
        _ => None,
    }
}

fn is_name(e: &syn::Expr, name: &syn::Ident) -> bool {
    matches!(e, syn::Expr::Path(p) if p.path.is_ident(name))
}
