//! Flattened basic blocks, `[FLAT]`, and their Jacobians by elimination, `[CFR]` §3.
//!
//! **Problem.** A run of assignments without control flow is a function of the values that it reads. Its computational
//! graph shows what the trees of single statements don't: which intermediate results are used again, and in which order
//! the chain rule takes the fewest operations.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`runs`] | the runs of a function |
//! | [`assignments`](mod@assignments) | what a statement assigns |
//! | [`address`] | variable identification by address sets |
//! | [`flatten`](mod@flatten) | from assignments to graphs, with the splits that ambiguity asks for |
//! | [`graph`] | linearised computational graphs |
//! | [`elimination`] | elimination of edges and vertices |
//! | [`order`] | elimination orders, and the cheapest one |
//! | [`inline`](mod@inline) | calls of visible functions, replaced by their bodies |
//! | [`unroll`](mod@unroll) | loops with constant bounds, one iteration after another |
//! | [`scalars`] | small arrays as variables |
//! | [`substitution`] | places in the place of variables |
//! | [`preaccumulate`](mod@preaccumulate) | local Jacobians in place of what the adjoints of single statements record |
//! | [`jacobian`] | the Jacobian of a function without other loops and calls |

pub mod address;
pub mod assignments;
pub mod elimination;
pub mod flatten;
pub mod graph;
pub mod inline;
pub mod jacobian;
pub mod order;
pub mod partials;
pub mod preaccumulate;
pub mod runs;
pub mod scalars;
pub mod substitution;
pub mod unroll;
