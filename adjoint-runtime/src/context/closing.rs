//! The number of contexts that a function gets, which has to be bounded whatever calls what.
//!
//! **Problem.** A context depends on the one before it, so a recursion that moves its arguments round, or a
//! long chain of calls, gives a function many contexts, each an instance for rustc to compile. In generic
//! code, where the caller's context is not known yet, the types even grow with each call.
//!
//! **Contexts.** An *exact* one, [`Site`], has a bit for each argument and output. A *closed* one, [`Closed`],
//! tells all or nothing: where a derivative goes through the call for the caller at hand, every argument counts
//! as varied that may be varied for some caller, and every output as useful that may be useful for one. So it
//! depends on the text of the call and on two bits, whether a derivative is wanted and whether `&mut` arguments
//! come back.
//!
//! **Rules.** A call that may lead back to its function is closed. A call of a function whose body is seen
//! and that can't lead back is exact. Any other call is [`Limited`]: exact for [`Fresh`] calls in a row,
//! then closed; closed at once where that says the same.
//!
//! **Bound.** A function gets at most 3 closed contexts for each call in the text that names it (wanted or
//! not, restored or not, less the one for which nothing is done), the outermost one, and the exact ones that
//! at most three calls in a row make from these. So no recursion and no chain adds any.
//!
//! **Generic code.** A sweep that calls others runs by [`run`], which rustc can't resolve before the caller's
//! context is known. So nothing follows calls through types that it can't evaluate.

use std::marker::PhantomData;

use super::{And, Bit, Bits, Called, Context, Or, Site};

/// How many calls in a row may be told exactly.
pub trait Level {
    /// The level of the callee.
    type Next: Level;
    /// The context of a callee whose body is not seen.
    type Limit<Exact: Called, Closed: Called>: Called;
}

/// One call more than `N`.
#[derive(Debug)]
pub struct OneMore<N>(PhantomData<N>);

/// No call.
#[derive(Debug)]
pub struct Spent;

/// Three calls, which is as deep as helpers of helpers go in most code.
pub type Fresh = OneMore<OneMore<OneMore<Spent>>>;

impl<N: Level> Level for OneMore<N> {
    type Next = N;
    type Limit<Exact: Called, Closed: Called> = Exact;
}

impl Level for Spent {
    type Next = Spent;
    type Limit<Exact: Called, Closed: Called> = Closed;
}

/// Runs a sweep that calls others, by way of whether its caller wants any derivative: every context says so by what
/// the one before it says.
#[inline(always)]
pub fn run<C: Context, R>(_: C, sweep: impl FnOnce() -> R) -> R {
    <C::Wanted as Bit>::run(sweep)
}

/// A call that tells all or nothing: the arguments `V` and the outputs `U`, if any derivative is wanted, `W`.
#[derive(Debug)]
pub struct Closed<V, U, W, R>(PhantomData<(V, U, W, R)>);

impl<V, U, W, R> Clone for Closed<V, U, W, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V, U, W, R> Copy for Closed<V, U, W, R> {}

impl<V: Bits, U: Bits, W: Bit, R: Bit> Context for Closed<V, U, W, R> {
    type Varied = V::If<W>;
    type Useful = U::If<W>;
    type Wanted = And<And<V::Any, U::Any>, W>;
    type Restore = R;
    type Level = Fresh;
}

impl<V: Bits, U: Bits, W: Bit, R: Bit> Called for Closed<V, U, W, R> {
    const CALLED: Self = Closed(PhantomData);
}

/// The context of a callee whose body is not seen, by `C`: `V` and `U` say exactly what is varied and useful,
/// `A` and `O` what may be.
pub type Limited<C, V, U, A, O, R> = <Settled<V, U, A, O> as Bit>::Select<
    Closed<A, O, Wanted<V, U>, R>,
    <<C as Context>::Level as Level>::Limit<
        Site<V, U, R, <<C as Context>::Level as Level>::Next>,
        Closed<A, O, Wanted<V, U>, R>,
    >,
>;

/// Whether any derivative is wanted.
type Wanted<V, U> = And<<V as Bits>::Any, <U as Bits>::Any>;

/// Whether the exact context says no more than the closed one.
type Settled<V, U, A, O> =
    Or<<Wanted<V, U> as Bit>::Not, And<<V as Bits>::Equals<A>, <U as Bits>::Equals<O>>>;

/// Whether the callee is told that one of these arguments is varied.
pub const fn tells_varied<C: Context>(arguments: u64) -> bool {
    C::Varied::MASK & arguments != 0
}
