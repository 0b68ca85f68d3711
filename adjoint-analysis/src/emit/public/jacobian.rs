//! `f_jacobian` and `f_jacobian_with`: one forward sweep, and a reverse sweep for each row.
//!
//! What each of them begins with is in `repeats`.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::repeats::Repeats;
use super::tape_calls::TapeCalls;
use super::{
    documentation, forwarded_args, mention_function, parameters, return_failure, sweep_calls,
    value_and_gradient,
};
use crate::emit::interface::{Interface, Param, SweepLocation, adjoint_name, tape_parameter};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{allowed_lints, private, tape};
use crate::ir::{Mode, Ty};
use crate::plan::Plan;

/// The two functions, if they are wanted; `body` computes the Jacobian on the given tape.
pub fn functions(interface: &Interface<'_>, body: impl FnOnce() -> TokenBuf) -> Option<TokenBuf> {
    if !interface.jacobian || matches!(interface.location, SweepLocation::Operator(_)) {
        return None;
    }
    let sig = &interface.item.sig;
    let name = format_ident!("{}_jacobian", sig.ident, span = sig.ident.span());
    let with = format_ident!("{}_jacobian_with", sig.ident, span = sig.ident.span());
    let (vis, generics, output) = (&interface.item.vis, &sig.generics.params, &sig.output);
    let clause = &interface.where_clause();
    let (receiver, params) = &parameters(interface, false);
    let (call, args) = (
        interface.public_call(&with),
        forwarded_args(interface, false),
    );
    let (tape, p, lints, tape_parameter) = (&tape(), private(), &allowed_lints(), tape_parameter());
    let (jac, body) = (&local("jac"), body());
    let (text, text_with) = (
        documentation::jacobian(interface),
        documentation::on_tape(interface, &name),
    );
    let (text, text_with) = (&text[..], &text_with[..]);
    Some(code! {
        #[doc = #text]
        #lints
        #[inline]
        #[track_caller]
        #vis fn #name<#generics>(#receiver #params #jac: &mut [f64]) #output #clause {
            let mut #tape = #p::Tape::new();
            #call(&mut #tape, #args #jac)
        }

        #[doc = #text_with]
        #lints
        #[inline]
        #[track_caller]
        #vis fn #with<#generics>(#receiver #tape_parameter, #params #jac: &mut [f64]) #output #clause {
            #body
        }
    })
}

/// The statements; `direct` are those that may compute the rows without sweeps.
pub fn body(interface: &Interface<'_>, plan: &Plan, direct: Option<TokenBuf>) -> TokenBuf {
    let (tape, p) = (&tape(), private());
    let [ret, jac, row, rows, columns, seeded] =
        &["ret", "jac", "row", "rows", "columns", "seeded"].map(local);
    let used = mention_function(interface);
    let repeats = Repeats::of(interface, plan);
    let TapeCalls {
        begin,
        turn,
        end,
        abandon,
    } = TapeCalls::of(plan, &[]);
    let forward = sweep_calls::forward(interface);
    let failure = return_failure(interface, ret, abandon, false);
    let load = repeats.load(interface, code!(#row + 1 == #rows));
    let Repeats {
        entries,
        exits,
        to_exits,
        ..
    } = &repeats;
    let (outputs, inputs) = (
        count_outputs(interface, ret),
        count_inputs(interface, |_| true),
    );
    let reverse = reverse_row(interface, ret);
    let function = interface.item.sig.ident.to_string().replace("r#", "");
    let function = &function[..];
    code! {
        #used
        #entries
        let #columns = 0usize #inputs;
        #direct
        #begin
        let #ret = #forward;
        #failure
        let #rows = 0usize #outputs;
        #p::check_jacobian(#function, #jac.len(), #rows, #columns);
        #exits
        #turn
        let mut #seeded = #tape.rows(#rows);
        if #rows > 0 { #tape.hold(); }
        for #row in 0..#rows {
            #load
            #reverse
        }
        #tape.end_rows(#seeded);
        if #rows == 0 { #tape.abandon(); } else { #end }
        #to_exits
        #ret
    }
}

/// The reverse sweep of a row, and its entries.
fn reverse_row(interface: &Interface<'_>, ret: &Ident) -> TokenBuf {
    let [jac, row, columns, seeds, entries, seeded] =
        &["jac", "row", "columns", "seeds", "entries", "seeded"].map(local);
    let params = interface.params.iter();
    let behind_references = params.filter(|param| param.adjoint && !param.by_value());
    let adjoints: TokenBuf = behind_references
        .map(|param| declare_adjoint(interface, param, seeds))
        .collect();
    let (declare_seed, seed) = seed(interface, ret, seeds);
    let reverse = sweep_calls::reverse(interface, &|adjoint| code!(&mut #adjoint), seed);
    let append: TokenBuf = interface
        .independents()
        .map(|param| {
            let append_flat = carried(&param.ty, "append_flat", param.name.span());
            let adjoint = match param.by_value() {
                true => sweep_calls::increment_name(param),
                false => adjoint_name(&param.name),
            };
            code!(#append_flat(&#adjoint, #entries);)
        })
        .collect();
    code! {
        let mut #seeds = #seeded.seeds(#row);
        #declare_seed
        #adjoints
        #reverse
        let #entries = #seeded.entries();
        #append
        #jac[#row * #columns..][..#columns].copy_from_slice(#entries);
    }
}

/// `+ n` for each independent, up to the first one that is not among these.
pub(super) fn count_inputs(interface: &Interface<'_>, among: impl Fn(&Param) -> bool) -> TokenBuf {
    let counts = interface
        .independents()
        .take_while(|param| among(param))
        .map(|param| flat_len(&param.ty, &value(param), param.name.span()));
    counts.map(|len| code!(+ #len)).collect()
}

/// `+ n` for the result and each `&mut` parameter that are dependents.
fn count_outputs(interface: &Interface<'_>, ret: &Ident) -> TokenBuf {
    let returned = interface.seed.as_ref();
    let returned = returned.filter(|_| interface.ret_is_dependent);
    let returned = returned.map(|ty| flat_len(ty, &code!(&#ret), Span::call_site()));
    let outputs = interface
        .params
        .iter()
        .filter(|p| interface.is_dependent(p));
    let counts = outputs.map(|param| flat_len(&param.ty, &value(param), param.name.span()));
    let counts = returned.into_iter().chain(counts);
    counts.map(|len| code!(+ #len)).collect()
}

impl Interface<'_> {
    /// The independents, in the order of the parameters.
    fn independents(&self) -> impl Iterator<Item = &Param> {
        let is_named = |param: &&Param| self.wrt.is_empty() || self.wrt.contains(&param.name);
        self.params.iter().filter(|p| p.adjoint).filter(is_named)
    }

    /// Whether the parameter is a dependent.
    fn is_dependent(&self, param: &Param) -> bool {
        let is_named = self.of.as_ref().is_none_or(|of| of.contains(&param.name));
        param.adjoint && param.mode == Mode::Mut && is_named
    }
}

/// The adjoint of a parameter behind a reference, with the shape of the value that it has now, and its part of the seeds.
fn declare_adjoint(interface: &Interface<'_>, param: &Param, seeds: &Ident) -> TokenBuf {
    let (adjoint, zero) = (adjoint_name(&param.name), value_and_gradient::zero(param));
    let fill = interface.is_dependent(param).then(|| {
        let take_flat = carried(&param.ty, "take_flat", param.name.span());
        code!(#take_flat(&mut #adjoint, &mut #seeds);)
    });
    zero.then(fill)
}

/// The declaration of the result's seed, and the seed.
fn seed(interface: &Interface<'_>, ret: &Ident, seeds: &Ident) -> (TokenBuf, TokenBuf) {
    let p = private();
    match &interface.seed {
        Some(ty) if interface.ret_is_dependent => {
            let (seed, of_ret) = (&local("seed"), |function| {
                carried(ty, function, Span::call_site())
            });
            let (zero_like, take_flat) = (of_ret("zero_like"), of_ret("take_flat"));
            let declared = code!(
                let mut #seed = #zero_like(&#ret);
                #take_flat(&mut #seed, &mut #seeds);
            );
            match interface.ret.has_default() {
                true => (declared, code!(#seed)),
                false => (declared, code!(#p::seeded(#seed))),
            }
        }
        _ => (TokenBuf::empty(), sweep_calls::no_seed(interface, ret)),
    }
}

/// The number of floats of a value.
fn flat_len(ty: &Ty, value: &TokenBuf, at: Span) -> TokenBuf {
    let flat_len = carried(ty, "flat_len", at);
    code!(#flat_len(#value))
}

/// What is done with a value of this type. Types without an adjoint are reported at the parameter, as by the shape checks.
fn carried(ty: &Ty, function: &str, at: Span) -> TokenBuf {
    let (p, marker, function) = (private(), marker(ty), TokenBuf::name(function));
    code!(<() as #p::Carried<#marker, _>>::#function).with_span(at)
}

/// A shared reference to the parameter's value.
fn value(param: &Param) -> TokenBuf {
    let name = &param.name;
    match param.mode {
        Mode::Owned => code!(&#name),
        _ => code!(&*#name),
    }
}

pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
