//! The whole way of one function, from item to tokens.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::emit::{item, stub};
use crate::ir::{Mode, Origin, VarId};
use crate::lower::{Lowered, lower};
use crate::options::Options;
use crate::passes::activity::Boundary;
use crate::passes::temporaries;
use crate::plan::build::plan_with_facts;
use crate::plan::facts::Facts;
use crate::plan::{Plan, check};
use crate::refuse::{Reason, Refusal};
use crate::report::{self, Source};

/// A function on its way.
pub struct Analysed {
    /// The IR with the user's code and positions.
    pub lowered: Lowered,
    /// Its reversal.
    pub plan: Plan,
    /// Independents and dependents.
    pub boundary: Boundary,
    /// What the analyses found.
    pub facts: Facts,
    /// The text of the body, where there is one.
    pub source: Option<Source>,
}

/// `#[adjoint(args)] fn ..`: the function as it is, and its adjoint or the errors.
pub fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let item: syn::ItemFn = match syn::parse2(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#tokens #error);
        }
    };
    let options = match Options::parse(args) {
        Ok(options) => options,
        Err(error) => {
            let (error, stub) = (error.write_errors(), stub::stub(&item, &item.sig.ident));
            return quote!(#item #error #stub);
        }
    };
    let handle = options.handle.clone().unwrap_or_else(|| item.sig.ident.clone());
    match analyse(&item, &options) {
        Ok(analysed) => {
            let items = emit(&item, &options, &analysed, handle);
            quote!(#item #items)
        }
        Err(refusals) => {
            let errors = refusals.iter().map(|r| r.to_error().to_compile_error());
            let stub = stub::stub(&item, &handle);
            quote!(#item #(#errors)* #stub)
        }
    }
}

/// Lowers, analyses and plans.
pub fn analyse(item: &syn::ItemFn, options: &Options) -> Result<Analysed, Vec<Refusal>> {
    let wrong_names = options.check(&item.sig);
    if !wrong_names.is_empty() {
        return Err(wrong_names);
    }
    let mut lowered = lower(&item.sig, &item.block)?;
    let boundary = boundary(&lowered, options);
    if boundary.independents.is_empty() || boundary.dependents.is_empty() {
        let span = item.sig.ident.span();
        return Err(vec![Refusal { span, reason: Reason::NothingActive }]);
    }
    let (func, origins) = temporaries::introduce(&lowered.func, lowered.spans.len());
    lowered.spans = origins.iter().map(|o| lowered.spans[o.index()]).collect();
    lowered.func = func;
    let (plan, facts) =
        plan_with_facts(&lowered.func, &boundary, lowered.spans.len(), options.config);
    if cfg!(debug_assertions) {
        for restoring in [false, true] {
            let faults = check::check(&plan.for_caller(restoring));
            assert!(faults.is_empty(), "the plan of `{}` is wrong: {faults:?}", lowered.func.name);
        }
    }
    let source = Source::of(item.block.brace_token.span.join());
    Ok(Analysed { lowered, plan, boundary, facts, source })
}

/// Independents and dependents: those named, or all that there are (contract: arguments).
fn boundary(lowered: &Lowered, options: &Options) -> Boundary {
    let func = &lowered.func;
    let named = |list: &[syn::Ident], v: &VarId| list.iter().any(|n| *n == func.var(*v).name);
    let real = |v: &VarId| func.var(*v).ty.carries_floats();
    let params = || func.params.iter().copied().filter(real);
    let independents = params()
        .filter(|v| options.wrt.as_ref().is_none_or(|list| named(list, v)))
        .collect();
    let written = params().filter(|v| func.var(*v).mode == Mode::Mut);
    let outputs = written.chain(func.ret.filter(real));
    let dependents = outputs
        .filter(|v| match &options.of {
            None => true,
            Some(list) if func.var(*v).origin == Origin::Ret => list.iter().any(|n| n == "ret"),
            Some(list) => named(list, v),
        })
        .collect();
    Boundary { independents, dependents }
}

/// Constants, imports, types and functions declared in the body.
fn inner_items(block: &syn::Block) -> Vec<TokenStream> {
    let mut items = Vec::new();
    for stmt in &block.stmts {
        if let syn::Stmt::Item(item) = stmt {
            items.push(quote!(#item));
        }
    }
    items
}

fn emit(
    item: &syn::ItemFn,
    options: &Options,
    analysed: &Analysed,
    handle: syn::Ident,
) -> TokenStream {
    let func = &analysed.lowered.func;
    let seed = func.ret.map(|r| func.var(r).ty.clone()).filter(|t| t.carries_floats());
    let interface = item::Interface {
        item,
        params: item::params(item, func, &analysed.plan.interface),
        ret: func.ret.map_or(crate::ir::Ty::Unit, |r| func.var(r).ty.clone()),
        seed,
        ret_is_dependent: options.of.as_ref().is_none_or(|l| l.iter().any(|n| n == "ret")),
        float_params: crate::lower::signature::environment(&item.sig.generics).float_params,
        handle,
        inner_items: inner_items(&item.block),
        report: report::markdown(analysed),
    };
    item::items(&interface, &analysed.lowered, &analysed.plan).to_token_stream()
}
