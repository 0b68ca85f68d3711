//! The sweeps as readable code: the output of `emit` with short paths, and each group of statements under its primal
//! statement.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::visit_mut::VisitMut;

use super::text::shorten_paths;
use super::view::View;
use crate::emit::token_buf::TokenBuf;
use crate::emit::{Emit, ident};
use crate::ir::{Mode, StmtId, VarId};

/// The user's function from `fn` to its return type.
pub fn signature(view: &View<'_>) -> String {
    let func = view.func();
    let params: Vec<String> = func.params.iter().map(|v| parameter(view, *v)).collect();
    let ret = func
        .ret
        .map(|r| format!(" -> {}", func.var(r).ty))
        .unwrap_or_default();
    format!("fn {}({}){ret}", func.name, params.join(", "))
}

fn parameter(view: &View<'_>, v: VarId) -> String {
    let var = view.func().var(v);
    if let Some(written) = var.ty.state_name() {
        return format!("{}: {written}", var.name);
    }
    let reference = match var.mode {
        Mode::Owned => "",
        Mode::Shared => "&",
        Mode::Mut => "&mut ",
    };
    format!("{}: {reference}{}", var.name, var.ty)
}

/// The forward sweep of an outermost call.
pub fn forward(view: &View<'_>) -> String {
    let (func, plan) = (view.func(), view.plan().for_outermost());
    let mut emit = Emit::new(&plan, &view.analysed.lowered.code).into_listing();
    let body = emit.forward();
    let params = with_tape(func.params.iter().map(|v| parameter(view, *v)).collect());
    let (declared, returned) = result(view);
    let (names, types): (Vec<_>, Vec<_>) = returned.into_iter().unzip();
    let name = sweep_ident(view, "forward");
    pretty(
        view,
        quote! { fn #name(#params) #(-> #types)* { #declared #body #(#names)* } },
    )
}

/// The reverse sweep of an outermost call.
pub fn reverse(view: &View<'_>) -> String {
    let plan = view.plan().for_outermost();
    let mut emit = Emit::new(&plan, &view.analysed.lowered.code).into_listing();
    let body = emit.reverse();
    let (params, start, returned) = with_adjoints(view, &emit);
    let (name, (output, result)) = (sweep_ident(view, "reverse"), tuple(returned));
    pretty(
        view,
        quote! { fn #name(#params) #output { #(#start)* #body #result } },
    )
}

/// Both sweeps in one function, if they are fused.
pub fn fused(view: &View<'_>) -> Option<String> {
    let plan = view.plan().fused.as_deref()?;
    let split = view.plan().for_outermost();
    let emit = Emit::new(&split, &view.analysed.lowered.code).into_listing();
    let body = emit.fused(plan);
    let (params, start, increments) = with_adjoints(view, &emit);
    let (declared, mut returned) = result(view);
    returned.extend(increments);
    let (name, (output, result)) = (sweep_ident(view, "adjoint"), tuple(returned));
    Some(pretty(
        view,
        quote! { fn #name(#params) #output { #declared #(#start)* #body #result } },
    ))
}

/// The declaration of the result, and its name and type.
fn result(view: &View<'_>) -> (TokenStream, Vec<(Ident, TokenStream)>) {
    let Some(ret) = view.func().ret else {
        return Default::default();
    };
    let (name, ty) = (
        var_ident(view, ret),
        tokens(&view.func().var(ret).ty.to_string()),
    );
    (quote!(let mut #name: #ty;), vec![(name, ty)])
}

/// The parameters of a function with their adjoints and the seed; the declarations of the increments; their names and types.
fn with_adjoints(
    view: &View<'_>,
    emit: &Emit<'_>,
) -> (TokenStream, Vec<TokenBuf>, Vec<(Ident, TokenStream)>) {
    let (func, plan) = (view.func(), view.plan());
    let (mut params, mut start, mut returned) = (Vec::new(), Vec::new(), Vec::new());
    for v in &func.params {
        params.push(parameter(view, *v));
        let Some(adjoint) = plan.adjoint.get(v).filter(|_| plan.interface.contains(v)) else {
            continue;
        };
        let (name, ty) = (&plan.func.var(*adjoint).name, &plan.func.var(*adjoint).ty);
        match func.var(*v).mode {
            Mode::Owned => {
                start.push(emit.let_blank(*adjoint));
                returned.push((var_ident(view, *adjoint), tokens(&ty.to_string())));
            }
            _ => params.push(format!("{name}: &mut {ty}")),
        }
    }
    if let Some(seed) = func.ret.and_then(|r| plan.adjoint.get(&r)) {
        let seed = plan.func.var(*seed);
        params.push(format!("mut {}: {}", seed.name, seed.ty));
    }
    (with_tape(params), start, returned)
}

/// The return type and the value of a function that returns these.
fn tuple(returned: Vec<(Ident, TokenStream)>) -> (TokenStream, TokenStream) {
    let (names, types): (Vec<_>, Vec<_>) = returned.into_iter().unzip();
    match names.len() {
        0 => Default::default(),
        1 => (quote!(-> #(#types)*), quote!(#(#names)*)),
        _ => (quote!(-> (#(#types),*)), quote!((#(#names),*))),
    }
}

/// The tape is the first parameter after `self`.
fn with_tape(mut params: Vec<String>) -> TokenStream {
    let receiver = params.first().is_some_and(|p| p.starts_with("self:"));
    params.insert(usize::from(receiver), String::from("tape: &mut Tape"));
    tokens(&params.join(", "))
}

fn sweep_ident(view: &View<'_>, sweep: &str) -> Ident {
    ident(&format!("{}_{sweep}", view.func().name), Span::call_site())
}

fn var_ident(view: &View<'_>, v: VarId) -> Ident {
    ident(&view.func().var(v).name, Span::call_site())
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The formatted function; marks become comments.
fn pretty(view: &View<'_>, function: TokenStream) -> String {
    let function = shorten_all(function);
    let Ok(mut file) = syn::parse2::<syn::File>(function.clone()) else {
        return format!("{function}\n");
    };
    CalleeBlocks.visit_file_mut(&mut file);
    let mut text = String::new();
    for line in prettyplease::unparse(&file).lines() {
        text += &mark_comment(view, line).unwrap_or_else(|| line.to_string());
        text += "\n";
    }
    text
}

/// Replaces the block that finds a callee's handle: `{ use g as __callee; .. __callee::forward(context, tape, ..) }`
/// becomes `g::forward(tape, ..)`.
struct CalleeBlocks;

impl VisitMut for CalleeBlocks {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let Some(call) = direct_call(e) {
            *e = call;
        }
        syn::visit_mut::visit_expr_mut(self, e);
    }
}

fn direct_call(e: &syn::Expr) -> Option<syn::Expr> {
    let syn::Expr::Block(block) = e else {
        return None;
    };
    let path = block.block.stmts.iter().find_map(|stmt| match stmt {
        syn::Stmt::Item(syn::Item::Use(item)) => callee_path(&item.tree),
        _ => None,
    })?;
    let syn::Stmt::Expr(syn::Expr::Call(call), None) = block.block.stmts.last()? else {
        return None;
    };
    let syn::Expr::Path(function) = &*call.func else {
        return None;
    };
    let rest = function.path.segments.iter().skip(1);
    let args = call.args.iter().skip(1);
    Some(syn::parse_quote!(#path :: #(#rest)::* (#(#args),*)))
}

/// The path of `use path as __callee`.
fn callee_path(tree: &syn::UseTree) -> Option<TokenStream> {
    match tree {
        syn::UseTree::Path(p) => {
            let (first, rest) = (&p.ident, callee_path(&p.tree)?);
            Some(quote!(#first::#rest))
        }
        syn::UseTree::Rename(r) if r.rename == "__callee" => {
            let name = &r.ident;
            Some(quote!(#name))
        }
        _ => None,
    }
}

/// `__primal!(7);` as a comment with the statement.
fn mark_comment(view: &View<'_>, line: &str) -> Option<String> {
    let number = line
        .trim_start()
        .strip_prefix("__primal!(")?
        .strip_suffix(");")?;
    let stmt = view.stmts.get(&StmtId(number.parse().ok()?))?;
    let indent = &line[..line.len() - line.trim_start().len()];
    let line = view
        .line(stmt.id)
        .map(|(n, _)| format!("{n}: "))
        .unwrap_or_default();
    Some(format!("{indent}// {line}{}", view.stmt(stmt)))
}

/// The tokens with short paths, in nested groups too.
fn shorten_all(tokens: TokenStream) -> TokenStream {
    let within = |token| match token {
        TokenTree::Group(g) => {
            let mut new = Group::new(g.delimiter(), shorten_all(g.stream()));
            new.set_span(g.span());
            TokenTree::Group(new)
        }
        token => token,
    };
    shorten_paths(tokens).into_iter().map(within).collect()
}
