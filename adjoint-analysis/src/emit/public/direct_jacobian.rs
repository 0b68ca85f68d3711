//! The Jacobian of a function in straight-line code, without sweeps ([`crate::passes::flattening::jacobian`]).
//!
//! Contract §5: a seed of 0 passes no infinite partial. Products of partials don't know their seeds; so where an entry is not
//! finite, the rows come from the sweeps.

use proc_macro2::Literal;

use crate::emit::interface::Interface;
use crate::emit::public::jacobian::{count_inputs, local};
use crate::emit::public::repeats::{restore, save};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::Mode;
use crate::lower::Lowered;
use crate::passes::flattening::jacobian::{DirectJacobian, Entry};
use crate::plan::Plan;

/// The statements, which return if all entries are finite.
pub fn attempt(
    interface: &Interface<'_>,
    lowered: &Lowered,
    plan: &Plan,
    direct: &DirectJacobian,
) -> TokenBuf {
    let plan = &Plan {
        func: direct.func.clone(),
        ..plan.clone()
    };
    let mut emit = Emit::new(plan, &lowered.code);
    emit.name_parameters(interface.params.iter().map(|p| &p.name));
    emit.set_spans(lowered);
    let ret = plan.func.ret.map(|v| emit.name(v));
    let (jac, columns) = (local("jac"), local("columns"));
    let (jac, columns) = (&jac, &columns);
    let (body, output) = (emit.block(&plan.func.body), &interface.item.sig.output);
    let declared = ret.map(|ret| match output {
        syn::ReturnType::Type(_, ty) => code!(let mut #ret: #ty;),
        syn::ReturnType::Default => code!(let mut #ret;),
    });
    let lent = || interface.params.iter().filter(|p| p.mode == Mode::Mut);
    let saved: TokenBuf = lent().map(|param| save(param, "entry")).collect();
    let restored: TokenBuf = lent().map(|param| restore(param, "entry")).collect();
    let values: Vec<TokenBuf> = direct.entries.iter().map(|e| emit.expr(&e.value)).collect();
    let stores: TokenBuf = direct
        .entries
        .iter()
        .zip(&values)
        .map(|(entry, value)| {
            let row = Literal::usize_unsuffixed(entry.row);
            let column = column(interface, entry);
            code!(#jac[#row * #columns + #column] = #value;)
        })
        .collect();
    let (p, rows) = (private(), Literal::usize_unsuffixed(direct.rows));
    let function = interface.item.sig.ident.to_string().replace("r#", "");
    let function = &function[..];
    code! {
        {
            #p::check_jacobian(#function, #jac.len(), #rows, #columns);
            #declared
            #saved
            #body
            if [#(#values),*].iter().all(|entry: &f64| entry.is_finite()) {
                #jac.fill(0.0);
                #stores
                return #ret;
            }
            #restored
        }
    }
}

/// The column of an input: those of the independents before its parameter, and its own index.
fn column(interface: &Interface<'_>, entry: &Entry) -> TokenBuf {
    let name = &interface.params[entry.param].name;
    let before = count_inputs(interface, |param| param.name != *name);
    let index = Literal::usize_unsuffixed(entry.index);
    code!((0usize #before + #index))
}
