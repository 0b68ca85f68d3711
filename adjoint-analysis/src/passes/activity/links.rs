//! Calls of functions that are not visible: their `Dep`, `[TBR]` §4, is queried from the callee's handle.
//!
//! Which outputs of such a call depend on which arguments is known only when the code is compiled. So in the masks of
//! activity, each output of the call is an independent of its own, and each argument a dependent. A [`Link`] defines
//! these bits in terms of the callee's answer:
//!
//! ```text
//! an output is varied   = ∃ argument ∈ Dep(output): the argument may depend on what is varied
//! an argument is useful = ∃ output, argument ∈ Dep(output): the output may influence what is useful
//! ```
//!
//! From the parameters to the argument, and from the output to the results, no other callee is queried: the answers are
//! types of the generated code. A path around a loop from an output to itself adds nothing.

use crate::ir::demand::{output_bit, param_bit};
use crate::ir::{Callee, Demand, StmtId};

/// A call whose callee is queried for the dependence of outputs on arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// The call.
    pub call: StmtId,
    /// The path of the callee.
    pub callee: Callee,
    /// The outputs with floats. Their bits are among those of parameters and mean that the output is varied; their
    /// masks are the outputs that it influences.
    pub outputs: Vec<Port>,
    /// The arguments with floats. Their bits are among those of outputs and mean that the argument is useful; their
    /// masks are the parameters that it depends on.
    pub arguments: Vec<Port>,
}

/// An output or an argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its position: 0 for the result, one more than the argument's for a `&mut` argument.
    pub position: usize,
    /// The bit that represents it.
    pub bit: u64,
    /// The mask of the port in this function.
    pub mask: u64,
}

/// The answer of a callee: whether an output depends on an argument, both given by position.
pub type Dependence<'a> = dyn Fn(&Link, usize, usize) -> bool + 'a;

/// The links of a function.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Links(pub Vec<Link>);

/// One side of a call.
type Side = fn(&Link) -> &[Port];

const OUTPUTS: Side = |link| &link.outputs;
const ARGUMENTS: Side = |link| &link.arguments;

/// A call whose callee may be queried, by the positions of its outputs and arguments with floats.
pub struct Candidate<'c> {
    /// The call.
    pub call: StmtId,
    /// The path of the callee.
    pub callee: &'c Callee,
    /// The outputs.
    pub outputs: Vec<usize>,
    /// The arguments.
    pub arguments: Vec<usize>,
}

impl Links {
    /// The links of a function with this number of parameters, while there are free bits, for calls with more than one
    /// argument that the answer could distinguish.
    pub fn of<'c>(params: usize, calls: impl Iterator<Item = Candidate<'c>>) -> Links {
        let above = |first: u64| !(first - 1) & !param_bit(usize::MAX);
        let (mut varied, mut useful) = (above(param_bit(params)), above(output_bit(params)));
        let links = calls.filter_map(|c| {
            let enough = |free: u64, ports: &[usize]| free.count_ones() as usize >= ports.len();
            let asked = c.arguments.len() > 1 && !c.outputs.is_empty();
            (asked && enough(varied, &c.outputs) && enough(useful, &c.arguments)).then(|| Link {
                call: c.call,
                callee: c.callee.clone(),
                outputs: ports(c.outputs, &mut varied),
                arguments: ports(c.arguments, &mut useful),
            })
        });
        Links(links.collect())
    }

    /// The link of a call.
    pub fn get(&self, call: StmtId) -> Option<&Link> {
        self.0.iter().find(|link| link.call == call)
    }

    /// Keeps the outputs that are varied and the arguments that are useful.
    pub fn retain(&mut self, varied: u64, useful: u64) {
        for link in &mut self.0 {
            link.outputs.retain(|port| port.bit & varied != 0);
            link.arguments.retain(|port| port.bit & useful != 0);
        }
    }

    /// The link of a call, mutably.
    pub fn get_mut(&mut self, call: StmtId) -> Option<&mut Link> {
        self.0.iter_mut().find(|link| link.call == call)
    }

    /// The varied bits, closed over the outputs of callees.
    pub fn varied(&self, varied: u64, depends: &Dependence<'_>) -> u64 {
        let depends = |link: &Link, argument, output| depends(link, output, argument);
        self.close((ARGUMENTS, OUTPUTS), varied, &depends)
    }

    /// The useful bits, closed over the arguments of callees.
    pub fn useful(&self, useful: u64, depends: &Dependence<'_>) -> u64 {
        self.close((OUTPUTS, ARGUMENTS), useful, depends)
    }

    /// The bits that are set, with those reached through calls.
    fn close(&self, (from, to): (Side, Side), set: u64, carries: &Dependence<'_>) -> u64 {
        let reached = |link: &Link, port: &Port| {
            from(link).iter().any(|other| {
                let there = self.expand((to, from), other.mask & !port.bit);
                there & set != 0 && carries(link, other.position, port.position)
            })
        };
        self.0.iter().fold(set, |all, link| {
            all | bits(to(link).iter().filter(|port| reached(link, port)))
        })
    }

    /// The parameters in the mask, with every output of a callee replaced by all arguments of its call.
    pub fn parameters(&self, mask: u64) -> u64 {
        self.expand((OUTPUTS, ARGUMENTS), mask)
    }

    /// The outputs in the mask, with every argument of a callee replaced by all outputs of its call.
    pub fn results(&self, mask: u64) -> u64 {
        self.expand((ARGUMENTS, OUTPUTS), mask)
    }

    /// The same callers and more: those that have the demand for any answers of callees.
    pub fn certain(&self, demand: Demand) -> Demand {
        match self.0.is_empty() {
            true => demand,
            false => Demand {
                wrt: self.parameters(demand.wrt),
                of: self.results(demand.of),
                ..demand
            },
        }
    }

    /// The meaning of one side's bits if each call propagates everything.
    fn expand(&self, (side, other): (Side, Side), mut mask: u64) -> u64 {
        loop {
            let (known, mut own) = (mask, 0);
            for link in &self.0 {
                let here = bits(side(link));
                own |= here;
                if mask & here != 0 {
                    mask = other(link).iter().fold(mask, |all, p| all | p.mask);
                }
            }
            if mask == known {
                return mask & !own;
            }
        }
    }
}

fn bits<'p>(ports: impl IntoIterator<Item = &'p Port>) -> u64 {
    ports.into_iter().fold(0, |all, p| all | p.bit)
}

/// Ports with the lowest free bits.
fn ports(positions: Vec<usize>, free: &mut u64) -> Vec<Port> {
    let port = |position| {
        let bit = *free & free.wrapping_neg();
        *free &= !bit;
        Port {
            position,
            bit,
            mask: 0,
        }
    };
    positions.into_iter().map(port).collect()
}
