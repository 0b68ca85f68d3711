//! The sweeps as code that reads well: what `emit` prints, with paths cut short, and each group of
//! statements under the primal statement that it comes from.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::text::readable;
use super::view::View;
use crate::emit::Emit;
use crate::ir::{Mode, StmtId, VarId};
use crate::plan::{Plan, Restoring, Storage};

/// The user's function from `fn` to its return type.
pub fn signature(view: &View<'_>) -> String {
    let func = view.func();
    let params: Vec<String> = func.params.iter().map(|v| parameter(view, *v)).collect();
    let ret = func.ret.map(|r| format!(" -> {}", func.var(r).ty)).unwrap_or_default();
    format!("fn {}({}){ret}", func.name, params.join(", "))
}

fn parameter(view: &View<'_>, v: VarId) -> String {
    let var = view.func().var(v);
    let reference = match var.mode {
        Mode::Owned => "",
        Mode::Shared => "&",
        Mode::Mut => "&mut ",
    };
    format!("{}: {reference}{}", var.name, var.ty)
}

/// The forward sweep of an outermost call.
pub fn forward(view: &View<'_>) -> String {
    let (func, plan) = (view.func(), outermost(view.plan()));
    let mut emit = Emit::new(&plan, &view.analysed.lowered.code).with_marks();
    let body = emit.forward();
    let params: Vec<String> = func.params.iter().map(|v| parameter(view, *v)).collect();
    let result = func.ret.map(|r| (name(view, r), tokens(&func.var(r).ty.to_string())));
    let (declared, output, returned) = match &result {
        Some((name, ty)) => (quote!(let mut #name: #ty;), quote!(-> #ty), quote!(#name)),
        None => Default::default(),
    };
    let (name, params) = (function(view, "forward"), tokens(&params.join(", ")));
    pretty(view, quote! {
        fn #name(tape: &mut Tape, #params) #output { #declared #body #returned }
    })
}

/// The reverse sweep of an outermost call.
pub fn reverse(view: &View<'_>) -> String {
    let (func, plan) = (view.func(), outermost(view.plan()));
    let mut emit = Emit::new(&plan, &view.analysed.lowered.code).with_marks();
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
                returned.push((name(view, *adjoint), tokens(&func.var(*adjoint).ty.to_string())));
            }
            _ => {
                let (name, ty) = (&func.var(*adjoint).name, &func.var(*adjoint).ty);
                params.push(format!("{name}: &mut {ty}"));
            }
        }
    }
    if let Some(seed) = func.ret.and_then(|r| plan.adjoint.get(&r)) {
        params.push(format!("mut {}: {}", func.var(*seed).name, func.var(*seed).ty));
    }
    let (name, params) = (function(view, "reverse"), tokens(&params.join(", ")));
    let (names, types): (Vec<_>, Vec<_>) = returned.into_iter().unzip();
    let (output, result) = match names.len() {
        0 => Default::default(),
        1 => (quote!(-> #(#types)*), quote!(#(#names)*)),
        _ => (quote!(-> (#(#types),*)), quote!((#(#names),*))),
    };
    pretty(view, quote! {
        fn #name(tape: &mut Tape, #params) #output { #(#start)* #body #result }
    })
}

/// The plan without what is only for a caller that needs its `&mut` arguments back.
pub fn outermost(plan: &Plan) -> Plan {
    let mut plan = plan.for_caller(false);
    for record in plan.records.iter_mut().filter(|r| r.for_caller) {
        record.storage = Storage::Stack;
    }
    for restoring in plan.calls.values_mut().filter(|r| **r == Restoring::AsCaller) {
        *restoring = Restoring::No;
    }
    plan
}

fn function(view: &View<'_>, sweep: &str) -> Ident {
    Ident::new(&format!("{}_{sweep}", view.func().name), Span::call_site())
}

fn name(view: &View<'_>, v: VarId) -> Ident {
    Ident::new(&view.func().var(v).name, Span::call_site())
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The function laid out; a mark becomes a comment.
fn pretty(view: &View<'_>, function: TokenStream) -> String {
    let function = readable(function);
    let Ok(file) = syn::parse2::<syn::File>(function.clone()) else {
        return format!("{function}\n");
    };
    let mut text = String::new();
    for line in prettyplease::unparse(&file).lines() {
        text += &comment(view, line).unwrap_or_else(|| line.to_string());
        text += "\n";
    }
    text
}

/// `__primal!(7);` as a comment with the statement.
fn comment(view: &View<'_>, line: &str) -> Option<String> {
    let number = line.trim_start().strip_prefix("__primal!(")?.strip_suffix(");")?;
    let stmt = view.stmts.get(&StmtId(number.parse().ok()?))?;
    let indent = &line[..line.len() - line.trim_start().len()];
    let line = view.line(stmt.id).map(|(n, _)| format!("{n}: ")).unwrap_or_default();
    Some(format!("{indent}// {line}{}", view.stmt(stmt)))
}
