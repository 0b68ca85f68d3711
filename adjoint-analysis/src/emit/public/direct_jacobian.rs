//! The Jacobian of a function without loops and calls, without sweeps ([`crate::passes::flattening::jacobian`]).
//!
//! Contract §5: a seed of 0 passes no infinite partial. Products of partials don't know their seeds; so where an entry is not
//! finite, the rows come from the sweeps.

use proc_macro2::{Ident, Literal, Span};

use crate::emit::interface::Interface;
use crate::emit::public::jacobian::{count_inputs, restore, save};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::{Expr, Mode, Place, Proj};
use crate::lower::Lowered;
use crate::passes::flattening::jacobian::DirectJacobian;
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
            let column = column(interface, plan, &entry.input);
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
fn column(interface: &Interface<'_>, plan: &Plan, input: &Place) -> TokenBuf {
    let position = plan.func.params.iter().position(|v| *v == input.root);
    let before = position.map_or(TokenBuf::empty(), |k| {
        let name = &interface.params[k].name;
        count_inputs(interface, |param| param.name != *name)
    });
    let index = match input.proj.first() {
        Some(Proj::Index(e)) => match &**e {
            Expr::Lit(text, _) => text.parse().unwrap_or_default(),
            _ => 0,
        },
        _ => 0usize,
    };
    let index = Literal::usize_unsuffixed(index);
    code!((0usize #before + #index))
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
