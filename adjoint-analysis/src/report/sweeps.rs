//! The sweeps as readable code: the output of `emit` with short paths, and each group of statements under its primal
//! statement.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::visit_mut::VisitMut;

use super::text::shorten_paths;
use super::view::View;
use crate::emit::{Emit, ident};
use crate::ir::{Caller, Demand};
use crate::ir::{Mode, StmtId, VarId};
use crate::plan::{Plan, Storage};

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
    let (func, plan) = (view.func(), outermost_plan(view.plan()));
    let mut emit = Emit::new(&plan, &view.analysed.lowered.code).into_listing();
    let body = emit.forward();
    let params = with_tape(func.params.iter().map(|v| parameter(view, *v)).collect());
    let result = func
        .ret
        .map(|r| (var_ident(view, r), tokens(&func.var(r).ty.to_string())));
    let (declared, output, returned) = match &result {
        Some((name, ty)) => (quote!(let mut #name: #ty;), quote!(-> #ty), quote!(#name)),
        None => Default::default(),
    };
    let (name, params) = (sweep_ident(view, "forward"), tokens(&params.join(", ")));
    pretty(
        view,
        quote! {
            fn #name(#params) #output { #declared #body #returned }
        },
    )
}

/// The reverse sweep of an outermost call.
pub fn reverse(view: &View<'_>) -> String {
    let (func, plan) = (view.func(), outermost_plan(view.plan()));
    let mut emit = Emit::new(&plan, &view.analysed.lowered.code).into_listing();
    let body = emit.reverse();
    let (mut params, mut start, mut returned) = (Vec::new(), Vec::new(), Vec::new());
    for v in &func.params {
        params.push(parameter(view, *v));
        let Some(adjoint) = plan.adjoint.get(v).filter(|_| plan.interface.contains(v)) else {
            continue;
        };
        match func.var(*v).mode {
            Mode::Owned => {
                start.push(emit.let_blank(*adjoint));
                returned.push((
                    var_ident(view, *adjoint),
                    tokens(&func.var(*adjoint).ty.to_string()),
                ));
            }
            _ => {
                let (name, ty) = (&func.var(*adjoint).name, &func.var(*adjoint).ty);
                params.push(format!("{name}: &mut {ty}"));
            }
        }
    }
    if let Some(seed) = func.ret.and_then(|r| plan.adjoint.get(&r)) {
        params.push(format!(
            "mut {}: {}",
            func.var(*seed).name,
            func.var(*seed).ty
        ));
    }
    let (name, params) = (
        sweep_ident(view, "reverse"),
        tokens(&with_tape(params).join(", ")),
    );
    let (names, types): (Vec<_>, Vec<_>) = returned.into_iter().unzip();
    let (output, result) = match names.len() {
        0 => Default::default(),
        1 => (quote!(-> #(#types)*), quote!(#(#names)*)),
        _ => (quote!(-> (#(#types),*)), quote!((#(#names),*))),
    };
    pretty(
        view,
        quote! {
            fn #name(#params) #output { #(#start)* #body #result }
        },
    )
}

/// The tape is the first parameter after `self`.
fn with_tape(mut params: Vec<String>) -> Vec<String> {
    let receiver = params.first().is_some_and(|p| p.starts_with("self:"));
    params.insert(usize::from(receiver), String::from("tape: &mut Tape"));
    params
}

/// The plan specialised to the outermost caller.
pub fn outermost_plan(plan: &Plan) -> Plan {
    let mut plan = plan.for_caller(Caller::OUTERMOST);
    for record in &mut plan.records {
        if !Caller::OUTERMOST.wants(record.demand) {
            record.storage = Storage::Stack;
        }
        record.demand = Demand::ALWAYS;
    }
    plan.var_demands.clear();
    plan
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
