//! What a call tells the callee of its caller's needs; all of it folds away.
//!
//! A context is a type, and its parts are types: bits, and lists of bits. What a function tells its own
//! callees is computed from what it was told by projections of these types. How many contexts a function
//! gets is bounded by [`closing`].

pub mod closing;

use std::marker::PhantomData;

use closing::{Fresh, Level};

/// A bit.
pub trait Bit {
    /// Whether it is set.
    const VALUE: bool;
    /// The disjunction with another bit.
    type Or<B: Bit>: Bit;
    /// The conjunction with another bit.
    type And<B: Bit>: Bit;
    /// Whether another bit is the same.
    type Same<B: Bit>: Bit;
    /// The negation.
    type Not: Bit;
    /// One context where the bit is set, another where it is not.
    type Select<Set: Called, Unset: Called>: Called;

    /// Runs a sweep ([`closing::run`]).
    #[inline(always)]
    fn run<R>(sweep: impl FnOnce() -> R) -> R {
        sweep()
    }
}

/// A bit that is set.
#[derive(Clone, Copy, Debug)]
pub struct Yes;

/// A bit that is not set.
#[derive(Clone, Copy, Debug)]
pub struct No;

impl Bit for Yes {
    const VALUE: bool = true;
    type Or<B: Bit> = Yes;
    type And<B: Bit> = B;
    type Same<B: Bit> = B;
    type Not = No;
    type Select<Set: Called, Unset: Called> = Set;
}

impl Bit for No {
    const VALUE: bool = false;
    type Or<B: Bit> = B;
    type And<B: Bit> = No;
    type Same<B: Bit> = B::Not;
    type Not = Yes;
    type Select<Set: Called, Unset: Called> = Unset;
}

/// A list of bits, lowest first.
pub trait Bits {
    /// The lowest bit.
    type Head: Bit;
    /// The other bits.
    type Tail: Bits;
    /// Whether any bit is set.
    type Any: Bit;
    /// Whether a bit is set in both lists.
    type Meet<B: Bits>: Bit;
    /// Whether the same bits are set in both lists.
    type Equals<B: Bits>: Bit;
    /// The conjunctions of its bits with one bit.
    type If<B: Bit>: Bits;
    /// The list as a number.
    const MASK: u64;
}

impl Bits for () {
    type Head = No;
    type Tail = ();
    type Any = No;
    type Meet<B: Bits> = No;
    type Equals<B: Bits> = <B::Any as Bit>::Not;
    type If<B: Bit> = ();
    const MASK: u64 = 0;
}

impl<H: Bit, T: Bits> Bits for (H, T) {
    type Head = H;
    type Tail = T;
    type Any = H::Or<T::Any>;
    type Meet<B: Bits> = Or<And<H, B::Head>, T::Meet<B::Tail>>;
    type Equals<B: Bits> = And<H::Same<B::Head>, T::Equals<B::Tail>>;
    type If<B: Bit> = (And<H, B>, T::If<B>);
    const MASK: u64 = H::VALUE as u64 | T::MASK << 1;
}

/// The list in which every bit is set.
#[derive(Clone, Copy, Debug)]
pub struct All;

impl Bits for All {
    type Head = Yes;
    type Tail = All;
    type Any = Yes;
    type Meet<B: Bits> = B::Any;
    type Equals<B: Bits> = No;
    type If<B: Bit> = All;
    const MASK: u64 = u64::MAX;
}

/// Names for lists by their bits, lowest first, which cost rustc less than the lists.
pub mod lists {
    use super::{No, Yes};

    macro_rules! lists {
        ($($zero:ident $one:ident = $($rest:ident)?;)*) => {
            $(
                #[allow(missing_docs)]
                pub type $zero<T = ()> = (No, lists!(@ $($rest)? T));
                #[allow(missing_docs)]
                pub type $one<T = ()> = (Yes, lists!(@ $($rest)? T));
            )*
        };
        (@ $rest:ident $tail:ident) => { $rest<$tail> };
        (@ $tail:ident) => { $tail };
    }

    lists! {
        B0 B1 =;
        B00 B10 = B0;
        B01 B11 = B1;
        B000 B100 = B00;
        B001 B101 = B01;
        B010 B110 = B10;
        B011 B111 = B11;
        B0000 B1000 = B000;
        B0001 B1001 = B001;
        B0010 B1010 = B010;
        B0011 B1011 = B011;
        B0100 B1100 = B100;
        B0101 B1101 = B101;
        B0110 B1110 = B110;
        B0111 B1111 = B111;
    }
}

/// A list of lists of bits.
pub trait Rows {
    /// The first list.
    type First: Bits;
    /// The other lists.
    type Rest: Rows;
    /// The first column: the lowest bits of all lists.
    type Heads: Bits;
    /// The other columns.
    type Tails: Rows;
}

impl Rows for () {
    type First = ();
    type Rest = ();
    type Heads = ();
    type Tails = ();
}

impl<H: Bits, T: Rows> Rows for (H, T) {
    type First = H;
    type Rest = T;
    type Heads = (H::Head, T::Heads);
    type Tails = (H::Tail, T::Tails);
}

impl Rows for All {
    type First = All;
    type Rest = All;
    type Heads = All;
    type Tails = All;
}

/// The first of some lists.
pub type First<L> = <L as Rows>::First;

/// The other ones.
pub type Rest<L> = <L as Rows>::Rest;

/// The lowest bits of some lists.
pub type Heads<L> = <L as Rows>::Heads;

/// The other bits of some lists.
pub type Tails<L> = <L as Rows>::Tails;

/// The lowest bit of a list.
pub type Head<L> = <L as Bits>::Head;

/// The other bits of a list.
pub type Tail<L> = <L as Bits>::Tail;

/// Whether a bit is set in both lists.
pub type Meet<A, B> = <A as Bits>::Meet<B>;

/// Whether one of two bits is set.
pub type Or<A, B> = <A as Bit>::Or<B>;

/// Whether both of two bits are set.
pub type And<A, B> = <A as Bit>::And<B>;

/// The needs of a caller.
pub trait Context: Copy {
    /// The arguments that are varied, by position.
    type Varied: Bits;
    /// The useful outputs: first the result, then the `&mut` arguments by position.
    type Useful: Bits;
    /// Whether any derivative is wanted.
    type Wanted: Bit;
    /// Whether `&mut` arguments have to hold their entry values again after the reverse sweep.
    type Restore: Bit;
    /// How many calls may be told exactly, one after another.
    type Level: Level;
    /// Whether it is no function under `#[adjoint]` that calls.
    const IS_OUTERMOST: bool = false;
}

/// Whether the reverse sweep does anything for a caller. Where it doesn't it need not be called, so the forward
/// sweep leaves nothing on the tape.
pub type Reversed<C> = Or<<C as Context>::Wanted, <C as Context>::Restore>;

/// The same as a constant.
pub const fn is_reversed<C: Context>() -> bool {
    <Reversed<C> as Bit>::VALUE
}

/// Whether one of these arguments is varied.
pub type Varies<C, M> = Meet<<C as Context>::Varied, M>;

/// Whether one of these outputs is useful.
pub type Wants<C, M> = Meet<<C as Context>::Useful, M>;

/// A call: what is varied, what is useful, and whether the `&mut` arguments have to come back.
#[derive(Debug)]
pub struct Site<V, U, R, L = Fresh>(PhantomData<(V, U, R, L)>);

impl<V, U, R, L> Clone for Site<V, U, R, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V, U, R, L> Copy for Site<V, U, R, L> {}

impl<V: Bits, U: Bits, R: Bit, L: Level> Context for Site<V, U, R, L> {
    type Varied = V;
    type Useful = U;
    type Wanted = And<V::Any, U::Any>;
    type Restore = R;
    type Level = L;
}

/// The context of a call, of which there is one value.
pub trait Called: Context {
    /// The value.
    const CALLED: Self;
}

impl<V: Bits, U: Bits, R: Bit, L: Level> Called for Site<V, U, R, L> {
    const CALLED: Self = Site(PhantomData);
}

/// The context of a call.
#[inline]
pub const fn called<C: Called>() -> C {
    C::CALLED
}

/// The outermost call: all derivatives that there are, and no argument back.
#[derive(Clone, Copy, Debug)]
pub struct Outermost;

impl Context for Outermost {
    type Varied = All;
    type Useful = All;
    type Wanted = Yes;
    type Restore = No;
    type Level = Fresh;
    const IS_OUTERMOST: bool = true;
}

/// The outermost call.
#[inline]
pub const fn outermost() -> Outermost {
    Outermost
}

/// Panics, which is an error of rustc's in a constant, if a caller asks for one of the derivatives that the
/// options of its callee leave out; the masks are those of [`demanded`].
pub const fn keeps_to_options<C: Context>(left_out: &[(u64, u64)], message: &str) {
    let mut k = 0;
    while k < left_out.len() && !C::IS_OUTERMOST {
        let (wrt, of) = left_out[k];
        assert!(!demanded::<C>(wrt, of, false), "{}", message);
        k += 1;
    }
}

/// Panics, which is an error of rustc's in a constant, where a function without an adjoint is called by one that needs
/// it.
pub const fn needs_no_adjoint<C: Context>(message: &str) {
    assert!(!is_reversed::<C>(), "{}", message);
}

/// Panics, which is an error of rustc's in a constant, where a caller reaches what can't have an adjoint.
pub const fn refused<C: Context>(message: &str) {
    panic!("{}", message)
}

/// What stands in for an adjoint that nobody wants, where it has been made.
pub fn made<T>(stand_in: &mut Option<T>) -> &mut T {
    stand_in.as_mut().expect("it is made where it is lent")
}

/// Whether a caller wants a derivative of one of the outputs `of` with respect to one of the
/// parameters `wrt`, or, with `restore`, its `&mut` arguments back.
pub const fn demanded<C: Context>(wrt: u64, of: u64, restore: bool) -> bool {
    needs::<C>().demand(wrt, of, restore)
}

/// What a caller wants, as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    varied: u64,
    useful: u64,
    restore: bool,
}

/// What a caller wants.
#[inline(always)]
pub const fn needs<C: Context>() -> Needs {
    Needs {
        varied: C::Varied::MASK,
        useful: C::Useful::MASK,
        restore: C::Restore::VALUE,
    }
}

/// How many tests [`Needs::demands`] makes.
const TESTS: usize = 32;

impl Needs {
    /// The same where an output of a callee is varied, which the bit stands for.
    #[inline(always)]
    pub const fn varied(mut self, bit: u64, is_varied: bool) -> Needs {
        self.varied = (self.varied & !bit) | (bit * is_varied as u64);
        self
    }

    /// The same where an argument of a callee is useful.
    #[inline(always)]
    pub const fn useful(mut self, bit: u64, is_useful: bool) -> Needs {
        self.useful = (self.useful & !bit) | (bit * is_useful as u64);
        self
    }

    /// Several tests at once, at most [`TESTS`]: the masks are those of [`demanded`], `wrt | of << 64`, and the
    /// first ones are passed by those that want their `&mut` arguments back.
    ///
    /// There is no loop, so that all of it folds where it is inlined: LLVM copies loops for tests that it
    /// does not know yet.
    #[inline(always)]
    pub fn demands<const N: usize>(self, restoring: usize, masks: [u128; N]) -> [bool; N] {
        const { assert!(N <= TESTS) };
        let mut tests = [false; N];
        macro_rules! each {
            ($($k:literal)*) => {
                $(if $k < N {
                    tests[$k] = self.demand(masks[$k] as u64, (masks[$k] >> 64) as u64, $k < restoring);
                })*
            };
        }
        each!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        each!(16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        tests
    }

    /// See [`demanded`].
    #[inline(always)]
    pub const fn demand(self, wrt: u64, of: u64, restore: bool) -> bool {
        (self.varied & wrt != 0 && self.useful & of != 0) || (restore && self.restore)
    }
}

/// What has a function with `#[adjoint]`: its handle. The tape stands for it where the function has none.
#[diagnostic::on_unimplemented(
    message = "this function is called with values that depend on the independents, and has no adjoint",
    label = "help: annotate it with `#[adjoint]`, or with `#[adjoint(custom = path)]` if its adjoint is written by hand, as around one of another crate's; if what it gives is to be taken for a constant, be it a float, an integer or a `bool`, name it in `#[adjoint(inactive(..))]`"
)]
pub trait Annotated {}

/// A function that is written out where it is called, and whose body is seen there.
#[diagnostic::on_unimplemented(
    message = "this function is called with values that depend on the independents, and is written out where it is called, so it has no adjoint that can be called from here",
    label = "called here from a function under `#[adjoint]`",
    note = "help: put this call into the `#[adjoint] mod` of the called function; if what it gives is to be taken for a constant, name it in this function's `#[adjoint(inactive(..))]`"
)]
pub trait InSight {}

/// What has the sweeps of a method of `T`. The tape stands for it where `T` has none.
#[diagnostic::on_unimplemented(
    message = "this method of `{T}` is called with values that depend on the independents, and has no adjoint that can be called from here",
    label = "help: put `#[adjoint]` on its `impl`, or call it on the field if it is that of what the type derefs to; one that returns a reference or an iterator is called within one `#[adjoint] mod`; if what it gives is to be taken for a constant, name it in `#[adjoint(inactive(Type::method))]`"
)]
pub trait AnnotatedMethod<T: ?Sized> {}

/// The same of a method that is named like one of a number's, which numbers have.
#[diagnostic::on_unimplemented(
    message = "this method is called with values that depend on the independents, and has no adjoint that can be called from here",
    label = "called here from a function under `#[adjoint]`, and `{Self}` is no number",
    note = "help: put `#[adjoint]` on its `impl`"
)]
pub trait AnnotatedNumber: num_traits::Float + Send + 'static {}

impl AnnotatedNumber for f32 {}
impl AnnotatedNumber for f64 {}

/// A type of the user's, by its derived `Differentiable`: a method that it lacks is not looked for in what it derefs to.
#[diagnostic::on_unimplemented(
    message = "this method is called with values that depend on the independents, and has no adjoint that can be called from here",
    label = "help: put `#[adjoint]` on its `impl`, or call it on the field if it is that of what the type derefs to; one that returns a reference or an iterator is called within one `#[adjoint] mod`; if what it gives is to be taken for a constant, name it in `#[adjoint(inactive(Type::method))]`"
)]
pub trait UserType {}

/// What a method gives that is named like a predicate of std's, of which it is taken to be one.
#[diagnostic::on_unimplemented(
    message = "a method of this name is taken for one that gives a `bool`, and so without a derivative",
    label = "gives `{Self}`",
    note = "help: bind the value that it is called on to a name with its type first, as in `let p: Point = ..`, or give the method another name"
)]
pub trait Truth {}

impl Truth for bool {}

/// Asks.
#[inline]
pub fn truth<T: Truth>(ask: impl FnOnce() -> T) -> T {
    ask()
}

/// A function that is named like one of `std::mem`, and has an adjoint.
#[diagnostic::on_unimplemented(
    message = "this function is called with values that depend on the independents, and where its name comes from can't be seen",
    label = "called here from a function under `#[adjoint]`",
    note = "help: write `mem::swap`, `mem::replace`, `mem::take` if it is one of these, or put the `use` into the function; annotate a function of your own with `#[adjoint]`"
)]
pub trait Moving {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result is wanted, and varies with the first argument alone.
    type First = Site<(Yes, (No, ())), (Yes, ()), No>;

    #[test]
    fn what_is_left_out_is_not_asked_for() {
        keeps_to_options::<First>(&[(0b10, 1), (0b01, 0b10)], "");
        keeps_to_options::<Outermost>(&[(0b01, 1)], "");
    }

    #[test]
    fn what_no_caller_asks_for_needs_no_adjoint() {
        needs_no_adjoint::<Site<(No, ()), (Yes, ()), No>>("");
        needs_no_adjoint::<Site<(Yes, ()), (No, ()), No>>("");
    }

    #[test]
    #[should_panic(expected = "no adjoint")]
    fn what_a_caller_wants_back_needs_one() {
        needs_no_adjoint::<Site<(No, ()), (No, ()), Yes>>("no adjoint");
    }

    #[test]
    #[should_panic(expected = "not told")]
    fn what_is_left_out_is_asked_for() {
        keeps_to_options::<First>(&[(0b10, 1), (0b11, 0b01)], "not told");
    }
}
