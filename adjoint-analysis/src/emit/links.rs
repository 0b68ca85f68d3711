//! The bits of masks as types: those of the caller, and those that callees are asked for.

use proc_macro2::{Ident, Literal, Span};

use super::calls::CALLEE_NAMES;
use super::demand::list_of;
use super::piece::{Piece, code};
use super::{Emit, private};
use crate::ir::demand::{output_bit, param_bit};
use crate::ir::{Demand, Mode};
use crate::passes::links::{Link, Links, Port};
use crate::plan::Plan;

/// What a mask is about.
#[derive(Clone, Copy)]
pub enum Which {
    /// Parameters that are varied.
    Varied,
    /// Outputs that are useful.
    Useful,
}

use Which::{Useful, Varied};

impl Which {
    /// The bits that the caller gives.
    fn own(self, plan: &Plan) -> u64 {
        let all = plan.boundary();
        match self {
            Varied => all.wrt,
            Useful => all.of,
        }
    }

    /// Whether the mask holds all bits that a caller can set. Not all of these are known by their callers:
    /// what is lent as `&mut` may be taken as `&`, and a method's `self` either way.
    pub fn holds_all(self, plan: &Plan, mask: u64) -> bool {
        let own = self.own(plan);
        let mut params = plan.func.params.iter().enumerate();
        let known = params.all(|(k, p)| match self {
            Varied => own & param_bit(k) != 0,
            Useful => {
                let var = plan.func.var(*p);
                let by_value = var.mode == Mode::Owned && var.name != "self";
                own & output_bit(k) != 0 || by_value
            }
        });
        known && own != 0 && mask & own == own
    }

    /// Whether one of these bits is set in the caller's context, as a type.
    fn one_of(self, bits: Piece) -> Piece {
        let p = private();
        match self {
            Varied => code!(#p::Varies<__Caller, #bits>),
            Useful => code!(#p::Wants<__Caller, #bits>),
        }
    }

    /// The port that a bit stands for, and those on the other side of its call.
    fn port(self, links: &Links, bit: u64) -> Option<(&Link, &Port, &[Port])> {
        links.0.iter().find_map(|link| {
            let (side, other) = match self {
                Varied => (&link.outputs, &link.arguments),
                Useful => (&link.arguments, &link.outputs),
            };
            let port = side.iter().find(|port| port.bit == bit)?;
            Some((link, port, &other[..]))
        })
    }

    /// The mask in the caller's bits, whatever callees say.
    pub fn certain(self, plan: &Plan, mask: u64) -> u64 {
        let mask = match self {
            Varied => plan.links.parameters(mask),
            Useful => plan.links.results(mask),
        };
        mask & self.own(plan)
    }
}

impl Emit<'_> {
    /// Whether any of these bits is set, as a type.
    pub fn any(&self, mask: u64, which: Which) -> Piece {
        let p = private();
        let own = which.own(self.plan);
        // To ask for all that there are is less for rustc to look at.
        if which.holds_all(self.plan, mask) {
            return which.one_of(code!(#p::All));
        }
        let asked = bits(mask & !own).filter_map(|bit| self.port_bit(bit, which));
        let given = Some(mask & own).filter(|mask| *mask != 0);
        let mut terms = given
            .map(|mask| which.one_of(list_of(mask)))
            .into_iter()
            .chain(asked);
        let first = terms.next().unwrap_or_else(|| code!(#p::No));
        terms.fold(first, |any, bit| code!(#p::Or<#any, #bit>))
    }

    /// Whether an output of a callee is varied, or an argument useful; nothing for other bits.
    fn port_bit(&self, bit: u64, which: Which) -> Option<Piece> {
        let p = private();
        let (link, port, others) = which.port(&self.plan.links, bit)?;
        let Some(callee) = self.asked(link) else {
            return Some(self.any(which.certain(self.plan, bit), which));
        };
        // An output has a row, an argument a column.
        let (first, rest) = match which {
            Varied => (code!(First), code!(Rest)),
            Useful => (code!(Heads), code!(Tails)),
        };
        let (first, rest) = (&first, &rest);
        let answers = code!(<#callee as #p::Callee>::Depends);
        let rows = (0..port.position).fold(answers, |rows, _| code!(#p::#rest<#rows>));
        let last = others.last().map_or(0, |other| other.position);
        let there = (0..=last).rev().fold(code!(()), |tail, position| {
            let other = others.iter().find(|other| other.position == position);
            let mask = other.map_or(0, |other| other.mask & !bit);
            let bit = self.any(which.certain(self.plan, mask), which);
            code!((#bit, #tail))
        });
        Some(code!(#p::Meet<#p::#first<#rows>, #there>))
    }

    /// The name of the callee's handle in the sweep, unless there are too many.
    fn asked(&self, link: &Link) -> Option<Ident> {
        let mut named = self.linked.borrow_mut();
        let known = named.iter().position(|c| *c == link.callee);
        let n = match known {
            Some(n) => n,
            None if named.len() == CALLEE_NAMES => return None,
            None => {
                named.push(link.callee.clone());
                named.len() - 1
            }
        };
        Some(linked_name(n))
    }

    /// Declares the names of the callees that are asked in the sweep.
    pub fn linked_names(&self) -> Piece {
        let p = private();
        let named = self.linked.borrow();
        if named.is_empty() {
            return Piece::empty();
        }
        let names = named.iter().enumerate().map(|(n, callee)| {
            let (path, name) = (&self.callee_path(callee), linked_name(n));
            code!(use #path as #name;)
        });
        let names: Piece = names.collect();
        names.then(code!(use #p::fallback::linked::*;))
    }

    /// What the caller wants, with the answers of callees that these demands hold.
    pub fn needs<'d>(&self, demands: impl IntoIterator<Item = &'d Demand>) -> Piece {
        let p = private();
        let asked = |mask: u64, which: Which| match which.own(self.plan) {
            own if mask & own == own => 0,
            own => mask & !own,
        };
        let (mut wrt, mut of) = (0, 0);
        for demand in demands {
            wrt |= asked(demand.wrt, Varied);
            of |= asked(demand.of, Useful);
        }
        let answers = self.answers(wrt, Varied).chain(self.answers(of, Useful));
        let start = code!(#p::needs::<__Caller>());
        answers.fold(start, |needs, answer| code!(#needs #answer))
    }

    fn answers(&self, asked: u64, which: Which) -> impl Iterator<Item = Piece> {
        let p = private();
        bits(asked).filter_map(move |bit| {
            let answer = self.port_bit(bit, which)?;
            let bit = Literal::u64_unsuffixed(bit);
            let method = match which {
                Varied => Ident::new("varied", Span::call_site()),
                Useful => Ident::new("useful", Span::call_site()),
            };
            Some(code!(.#method(#bit, <#answer as #p::Bit>::VALUE)))
        })
    }
}

fn bits(mask: u64) -> impl Iterator<Item = u64> {
    (0..64).map(|k| 1 << k).filter(move |bit| mask & bit != 0)
}

/// The name of the n-th callee that is asked in a sweep.
fn linked_name(n: usize) -> Ident {
    Ident::new(&format!("__linked_{n}"), Span::call_site())
}
