//! What a reversed call is given for the adjoint of an argument that is not varied, or that overlaps
//! another one.
//!
//! To a callee for which a shared argument is not varied, its adjoint is meaningless: it gets an empty
//! one, and no memory is taken for it.

use proc_macro2::{Ident, Span};

use super::piece::{Piece, code};
use super::types::{marker, zero};
use super::{Emit, private};
use crate::ir::{AdjArg, Arg, Demand, Place, StmtId, Ty};

impl Emit<'_> {
    /// For whom the callee touches the adjoint of an argument: a `&mut` one may serve as work space
    /// whatever else is varied. Whoever may have an adjoint to lend lends it, whatever callees answer.
    pub fn argument_demand(&self, id: StmtId, k: usize, arg: &Arg) -> Demand {
        let site = self.plan.calls.get(&id);
        site.map_or(Demand::ALWAYS, |site| {
            self.plan.links.certain(site.argument(k, arg))
        })
    }

    /// Declares what stands in for the adjoint of an argument, where something may have to.
    pub fn stand_in(&self, k: usize, primal: &Place, adjoint: &AdjArg, demand: Demand) -> Piece {
        let (name, p) = (stand_in_name(k), private());
        let (shape, ty) = (self.borrow(primal, false), &primal.ty);
        let full = match ty {
            Ty::Slice(t) => {
                let element = marker(t);
                code!(#p::zeros_like::<#element, _>(#shape))
            }
            ty => {
                let marker = marker(ty);
                code!(#p::Shape::<#marker>::zero_like(#shape))
            }
        };
        match (adjoint, empty(ty)) {
            (AdjArg::Scratch(_), Some(empty)) => {
                let value = self.either(demand, full, empty);
                code!(let mut #name = #value;)
            }
            (AdjArg::Scratch(_), None) => code!(let mut #name = #full;),
            (AdjArg::Place(_), _) if self.is_wanted(demand) || matches!(ty, Ty::Slice(_)) => {
                Piece::empty()
            }
            (AdjArg::Place(_), Some(empty)) => code!(let mut #name = #empty;),
            (AdjArg::Place(_), None) => {
                let value = self.either(
                    demand,
                    code!(::core::option::Option::None),
                    code!(::core::option::Option::Some(#full)),
                );
                code!(let mut #name = #value;)
            }
            _ => Piece::empty(),
        }
    }

    /// Adds what a scratch adjoint has collected to its target.
    pub fn add_scratch(&self, k: usize, target: &Place, demand: Demand) -> Piece {
        let (p, name, marker) = (private(), stand_in_name(k), marker(&target.ty));
        let to = self.borrow(target, true);
        let add = code!(#p::Shape::<#marker>::accumulate(#to, &#name););
        match self.is_wanted(demand) {
            true => add,
            false => {
                let test = self.test(demand);
                code!(if #test { #add })
            }
        }
    }
}

/// The name of what stands in for the adjoint of an argument.
pub fn stand_in_name(k: usize) -> Ident {
    Ident::new(&format!("stand_in_{k}"), Span::mixed_site())
}

/// What stands in for an adjoint place, lent.
pub fn stand_in_borrowed(k: usize, arg: &Arg) -> Piece {
    let (p, name) = (private(), stand_in_name(k));
    match arg.place().map(|p| &p.ty) {
        Some(Ty::Slice(_)) => code!(::core::default::Default::default()),
        // Lent as a place, which is a box where the callee takes what is in it.
        Some(ty) if empty(ty).is_none() => code!(&mut *#p::made(&mut #name)),
        _ => code!(&mut #name),
    }
}

/// A value of the type that takes no memory, or has a size that is known.
fn empty(ty: &Ty) -> Option<Piece> {
    match ty {
        Ty::Slice(_) | Ty::Vec(_) => Some(code!(::std::vec::Vec::new())),
        ty => zero(ty).filter(|_| ty.is_fixed()),
    }
}
