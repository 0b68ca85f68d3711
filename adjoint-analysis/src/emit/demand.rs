//! What depends on the caller: tests that fold away, and the context that a callee is given.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Emit, private};
use crate::ir::{Block, Demand, StmtId};

impl Emit<'_> {
    /// Whether all that the code at hand is for demand it.
    pub fn is_wanted(&self, demand: Demand) -> bool {
        demand == Demand::ALWAYS || (self.around != Demand::NEVER && self.around.implies(demand))
    }

    /// Whether the caller is among those that demand it; a constant.
    pub fn test(&self, demand: Demand) -> TokenStream {
        let p = private();
        let Demand { wrt, of, restore } = demand;
        quote!(const { #p::demanded::<__Caller>(#wrt, #of, #restore) })
    }

    /// One value for those that demand it, another for the others.
    pub fn either(&self, demand: Demand, value: TokenStream, other: TokenStream) -> TokenStream {
        if self.is_wanted(demand) {
            return value;
        }
        let test = self.test(demand);
        quote!((if #test { #value } else { #other }))
    }

    /// Code for some callers.
    pub fn when(&self, demand: Demand, body: &Block) -> TokenStream {
        let inside = Emit {
            around: demand,
            ..self.copied()
        };
        let code = inside.block(body);
        if self.is_wanted(demand) {
            return quote!({ #code });
        }
        let test = self.test(demand);
        quote!(if #test { #code })
    }

    /// What the callee is told of its caller's needs: a type, of which there are finitely many, so that
    /// recursion ends.
    pub fn context(&self, id: StmtId) -> TokenStream {
        let p = private();
        let Some(site) = self.plan.calls.get(&id) else {
            return quote!(#p::outermost());
        };
        let all = self.plan.boundary();
        let list = |masks: &[u64], all: u64, which: TokenStream| {
            let bits = masks.iter().rev();
            bits.fold(quote!(()), |tail, mask| {
                let bit = any(*mask & all, &which);
                quote!((#bit, #tail))
            })
        };
        let varied = list(&site.varied, all.wrt, quote!(Varied));
        let useful = list(&site.useful, all.of, quote!(Useful));
        if site.restore == Demand::ALWAYS {
            return quote!(#p::site::<#varied, #useful, #p::Yes>());
        }
        let Demand { wrt, of, restore } = site.restore;
        let (wrt, of) = (wrt & all.wrt, of & all.of);
        let wanted = match wrt != 0 && of != 0 {
            true => {
                let (wrt, of) = (any(wrt, &quote!(Varied)), any(of, &quote!(Useful)));
                quote!(#p::And<#wrt, #of>)
            }
            false => quote!(#p::No),
        };
        let restore = match restore {
            true => quote!(#p::Or<#wanted, <__Caller as #p::Context>::Restore>),
            false => wanted,
        };
        quote!(#p::site::<#varied, #useful, #restore>())
    }
}

/// Whether any of these bits of the caller's is set, as a type.
fn any(mask: u64, which: &TokenStream) -> TokenStream {
    let p = private();
    let mut list = quote!(<__Caller as #p::Context>::#which);
    let mut bits = Vec::new();
    for k in 0..64 {
        if mask >> k == 0 {
            break;
        }
        if mask >> k & 1 == 1 {
            bits.push(quote!(#p::Head<#list>));
        }
        list = quote!(#p::Tail<#list>);
    }
    let first = bits.pop().unwrap_or_else(|| quote!(#p::No));
    bits.into_iter()
        .rev()
        .fold(first, |all, bit| quote!(#p::Or<#bit, #all>))
}
