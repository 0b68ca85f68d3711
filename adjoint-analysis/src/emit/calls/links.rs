//! Activity masks as types: bits of the caller's context, and bits that are answers of callees.

use super::demand::mask_type;
use super::names::NamedType;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, private};
use crate::ir::demand::{output_bit, param_bit};
use crate::ir::{Demand, Mode};
use crate::passes::activity::links::{Link, Links, Port};
use crate::plan::Plan;

/// The direction of activity that a mask belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Parameters that are varied.
    Varied,
    /// Outputs that are useful.
    Useful,
}

use Direction::{Useful, Varied};

impl Direction {
    /// The bits that the caller's context holds.
    pub fn caller_bits(self, plan: &Plan) -> u64 {
        let all = plan.boundary();
        match self {
            Varied => all.wrt,
            Useful => all.of,
        }
    }

    /// Whether the mask contains every bit that a caller can set. Callers can't know all of them: a `&mut` argument may
    /// coerce to `&`, and a method call doesn't show how `self` is taken.
    pub fn holds_all(self, plan: &Plan, mask: u64) -> bool {
        let own = self.caller_bits(plan);
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

    /// Whether the caller's context has one of these bits, as a type.
    fn any_bit_type(self, bits: TokenBuf) -> TokenBuf {
        let p = private();
        match self {
            Varied => code!(#p::Varies<__Caller, #bits>),
            Useful => code!(#p::Wants<__Caller, #bits>),
        }
    }

    /// The port that a bit denotes, with its link and the ports on the other side of the call.
    fn find_port(self, links: &Links, bit: u64) -> Option<(&Link, &Port, &[Port])> {
        links.0.iter().find_map(|link| {
            let (side, other) = match self {
                Varied => (&link.outputs, &link.arguments),
                Useful => (&link.arguments, &link.outputs),
            };
            let port = side.iter().find(|port| port.bit == bit)?;
            Some((link, port, &other[..]))
        })
    }

    /// The mask in the caller's own bits, without querying callees: an upper bound.
    pub fn certain(self, plan: &Plan, mask: u64) -> u64 {
        let mask = match self {
            Varied => plan.links.parameters(mask),
            Useful => plan.links.results(mask),
        };
        mask & self.caller_bits(plan)
    }
}

impl Emit<'_> {
    /// Whether any of these bits is set, as a type.
    pub fn any_type(&self, mask: u64, which: Direction) -> TokenBuf {
        let p = private();
        let own = which.caller_bits(self.plan);
        // A test of all bits is cheaper for rustc.
        if which.holds_all(self.plan, mask) {
            return which.any_bit_type(code!(#p::All));
        }
        let asked = self.queries.distinct_answers(mask & !own, which);
        if asked.count_ones() > 1 {
            let mask = mask & own | asked;
            return self.named_type(NamedType::Any(which, mask), || self.any_shared(mask, which));
        }
        self.any_direct(mask & own | asked, which)
    }

    /// The same if at most one bit needs a query, or the result isn't worth a name.
    fn any_direct(&self, mask: u64, which: Direction) -> TokenBuf {
        let (p, own) = (private(), which.caller_bits(self.plan));
        let given = Some(mask & own).filter(|mask| *mask != 0);
        let given = given.map(|mask| which.any_bit_type(mask_type(mask)));
        let asked = bits(mask & !own).map(|bit| self.port_type(bit, which));
        let any = given.into_iter().chain(asked);
        any.reduce(|any, bit| code!(#p::Or<#any, #bit>))
            .unwrap_or_else(|| code!(#p::No))
    }

    /// The same for many bits, built on the largest subset that has a name.
    fn any_shared(&self, mask: u64, which: Direction) -> TokenBuf {
        let p = private();
        match self.named_subset(mask, which) {
            None => self.any_direct(mask, which),
            Some(part) => {
                let (part, others) = (self.for_caller(NamedType::Any(which, part)), mask & !part);
                let others = self.any_direct(others, which);
                code!(#p::Or<#part, #others>)
            }
        }
    }

    /// Whether the port with this bit is active: a varied output or a useful argument of a callee.
    fn port_type(&self, bit: u64, which: Direction) -> TokenBuf {
        let answer = || match which.find_port(&self.plan.links, bit) {
            Some((link, port, others)) => self.answer_type(link, port, others, which),
            None => self.any_direct(0, which),
        };
        self.named_type(NamedType::Port(which, bit), answer)
    }

    /// The callee's answer for one of its ports.
    fn answer_type(&self, link: &Link, port: &Port, others: &[Port], which: Direction) -> TokenBuf {
        let p = private();
        let Some(callee) = self.handle_name(&link.callee) else {
            return self.any_type(which.certain(self.plan, port.bit), which);
        };
        // An output is a row of the dependency matrix, an argument a column.
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
            let mask = other.map_or(0, |other| other.mask & !port.bit);
            let bit = self.any_type(which.certain(self.plan, mask), which);
            code!((#bit, #tail))
        });
        code!(#p::Meet<#p::#first<#rows>, #there>)
    }

    /// The caller's needs, with the answers of callees that the demands depend on.
    pub fn needs_expr<'d>(&self, demands: impl IntoIterator<Item = &'d Demand>) -> TokenBuf {
        let asked = |mask: u64, which: Direction| match which.caller_bits(self.plan) {
            own if mask & own == own => 0,
            own => mask & !own,
        };
        let (mut wrt, mut of) = (0, 0);
        for demand in demands {
            wrt |= asked(demand.wrt, Varied);
            of |= asked(demand.of, Useful);
        }
        let answers = |mask: u64, which: Direction| {
            let answers = bits(self.queries.distinct_answers(mask, which));
            answers.map(move |bit| ((which, bit), self.port_type(bit, which)))
        };
        self.needs_with_answers(answers(wrt, Varied).chain(answers(of, Useful)).collect())
    }
}

/// The bits that are set, lowest first.
pub fn bits(mut mask: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = mask & mask.wrapping_neg();
        mask ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}
