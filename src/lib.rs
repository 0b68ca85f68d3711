//! Reverse-mode automatic differentiation of Rust numeric kernels, by source transformation.
//!
//! [`#[adjoint]`](macro@adjoint) leaves a function as it is and writes its adjoint beside it: a
//! *forward sweep*, which computes what the function computes and records the values that the
//! derivative will need, and a *reverse sweep*, which goes back over the statements and
//! accumulates derivatives. One call gives the gradient with respect to all inputs, for a small
//! multiple of the function's own time.
//!
//! ```
//! use adjoint::adjoint;
//!
//! /// Squared distance of the curve p₀·exp(−p₁·t) from the points (t, y).
//! #[adjoint(wrt(p))]
//! fn misfit(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
//!     let mut sum = 0.0;
//!     for i in 0..t.len() {
//!         let r = p[0] * (-p[1] * t[i]).exp() - y[i];
//!         sum += r * r;
//!     }
//!     sum
//! }
//!
//! let mut gradient = [0.0; 2];
//! let value = misfit_adjoint(&[2.0, 0.0], &mut gradient, &[0.0, 1.0], &[1.0, 1.0], 1.0);
//! assert_eq!((value, gradient), (2.0, [4.0, -4.0]));
//! ```
//!
//! # What is generated
//!
//! For a function `f`, with its visibility and generics:
//!
//! - `f_adjoint`, which returns what `f` returns;
//! - `f_adjoint_with`, the same on a [`Tape`] that the caller keeps as first argument, so that a
//!   solver allocates once. [`Tape::stats`] tells what the last sweep recorded.
//!
//! The parameters are those of `f` in their order; each one that carries floats and takes part is
//! followed by its adjoint; last comes `ret_adj`, the adjoint of the returned value, where `f`
//! returns floats.
//!
//! | parameter of `f` | its adjoint |
//! | --- | --- |
//! | `x: f64`, `x: &f64` | `x_adj: &mut f64` |
//! | `x: &[f64]` | `x_adj: &mut [f64]` |
//! | `x: [f64; N]`, `x: &[f64; N]` | `x_adj: &mut [f64; N]` |
//! | `x: Vec<f64>`, `x: &Vec<f64>`, `x: &[Vec<f64>]`, `x: Box<f64>` | `x_adj: &mut` the same type |
//! | `x: (f64, f64)` and other tuples | `x_adj: &mut` the same tuple |
//! | `p: &Params`, `p: Params` with [`derive(Differentiable)`](derive@Differentiable) | `p_adj: &mut Params` |
//! | `y: &mut f64`, `y: &mut [f64]`, `y: &mut Vec<f64>`, … | `y_adj: &mut` the same type |
//! | `(a, b): (f64, f64)`, `[a, b]: [f64; 2]` and other patterns | `a_b_adj`, as if the parameter were named `a_b`, also for `wrt` |
//! | `_: f64`, as the second parameter | `arg_2_adj`, likewise |
//! | integers, `bool`, `&[usize]`, … | none |
//! | returned `f64`, `[f64; N]`, `(f64, f64)`, `Params` | `ret_adj`, by value |
//! | returned `Vec<f64>`, `Box<[f64]>` | `ret_adj: &[f64]` |
//!
//! All of it holds for `f32` and for a type parameter `T: num_traits::Float` in the place of `f64`. A type parameter
//! whose bounds are no traits of numbers stands for a type of the user's: it gets the bound `Differentiable` where values
//! of it have adjoints, and none where `wrt` leaves them out.
//!
//! # What it does
//!
//! - **Adjoints accumulate.** For a parameter that `f` only reads, the derivative, weighted by the
//!   adjoints of the results, is *added* to `x_adj`. Start from zeros for a gradient.
//! - **In-out parameters.** On entry `y_adj` holds the adjoint of the value that `f` leaves in `y`;
//!   on return it holds the adjoint of the value that `y` had on entry. `y` itself holds on return
//!   what `f` leaves in it.
//! - **Lengths are checked on entry.** A mismatch of `x` and `x_adj` panics with both names and
//!   lengths before anything is written. For an in-out `Vec` that `f` lengthens or shortens, `y_adj`
//!   has the length that `f` leaves, and gets the one that `y` had on entry. `ret_adj` is checked against what
//!   `f` returns, before the reverse sweep.
//! - **Panics** of `f` (an index out of range, an `assert!`) are the same panics in `f_adjoint`.
//! - **Deterministic**: the same inputs give the same bits.
//! - Generated code has no `unsafe`: `#![forbid(unsafe_code)]` holds.
//!
//! # The arguments of the attribute
//!
//! - `#[adjoint(wrt(x, k))]`: only these parameters are independents. `#[adjoint(wrt(x), of(ret,
//!   out))]`: only these are dependents, too; `ret` is the returned value. By default every float
//!   parameter is independent, and the returned value and every `&mut` float parameter are
//!   dependents. A parameter that is neither has no adjoint.
//! - `#[adjoint(without(activity, tbr, recomputation))]`, any subset: switches the named
//!   optimisation off. The values stay the same up to rounding, the tape grows; for measuring, and
//!   for narrowing a suspicion down. `activity` includes diff-liveness, by which what serves neither a
//!   derivative nor an output, and can't panic, is left out of `f_adjoint`.
//! - `#[adjoint(custom = path)]`: the body is opaque; its adjoint is the function at `path`, which has
//!   the signature that the rule above gives.
//! - `#[adjoint(inactive(path))]`: floats that calls of this function return are constants. A method is named by the type
//!   that it is called on (`Rng::next`), or by the trait where only traits of the type are known (`R: Rng`, `impl Rng`,
//!   `dyn Rng`). A call none of whose arguments depends on an independent needs nothing: what it gives is a constant. Where that
//!   hangs on the arguments of the function around it, each caller is looked at: only a build refuses those that need an
//!   adjoint which is not there, not `cargo check`.
//! - `#[adjoint(handle = name)]`: another name for the hidden type that callers find the adjoint by,
//!   where the function's own name is taken in the type namespace. Callers in other modules import it
//!   under the function's name: `use tool::{tool, tool_handle as tool};`.
//!
//! A function whose results carry no floats (a search that returns `Option<usize>`, a test) may stand under the attribute
//! like its neighbours: it gets no `f_adjoint`, and others call it as it is.
//!
//! On an inherent `impl` the attribute gives each method its adjoint beside it, where `self_adj` is
//! the adjoint of `self`; on an inline module, each function in it that carries floats. On the `impl` of a
//! trait for a type of one's own it gives the type methods of its own, such as `value_adjoint` for `value`, and
//! calls on values that are known to be of the type find them; in an annotated module, which traits need not be
//! annotated in, those that the trait provides as well. Objects of a trait in boxes (`Vec<Box<dyn Layer>>`) are taken in a
//! module, too, where all types with the trait are of the module and derive `Differentiable`.
//!
//! Structs that hold references or functions have no adjoint of their own: what they refer to has. In an annotated module
//! they are followed field by field, and the functions that take, return or are methods of one are written out where they
//! are called, so that only those have an adjoint that neither take nor return one, or leave it out by `wrt`. Methods that
//! traits of the module give to floats, slices and arrays are written out in the same way.
//!
//! ```
//! use adjoint::adjoint;
//!
//! #[adjoint]
//! mod fit {
//!     pub struct Data<'a> {
//!         pub times: &'a [f64],
//!         pub values: &'a [f64],
//!     }
//!
//!     impl<'a> Data<'a> {
//!         fn residual(&self, p: &[f64], i: usize) -> f64 {
//!             p[0] * (p[1] * self.times[i]).exp() - self.values[i]
//!         }
//!
//!         /// With the data as constants.
//!         #[adjoint(wrt(p))]
//!         pub fn cost(&self, p: &[f64]) -> f64 {
//!             (0..self.times.len()).map(|i| self.residual(p, i).powi(2)).sum()
//!         }
//!     }
//!
//!     /// With the derivatives by the data, too.
//!     pub fn misfit(p: &[f64], times: &[f64], values: &[f64]) -> f64 {
//!         let data = Data { times, values };
//!         data.residual(p, 0).powi(2)
//!     }
//! }
//!
//! let (times, values) = ([0.0, 1.0], [2.0, 1.0]);
//! let data = fit::Data { times: &times, values: &values };
//! let mut p_adj = [0.0; 2];
//! let cost = data.cost_adjoint(&[1.0, 0.0], &mut p_adj, 1.0);
//! assert_eq!((cost, p_adj), (1.0, [-2.0, 0.0]));
//!
//! let (mut p_adj, mut times_adj, mut values_adj) = ([0.0; 2], [0.0; 2], [0.0; 2]);
//! fit::misfit_adjoint(
//!     &[1.0, 0.0], &mut p_adj, &times, &mut times_adj, &values, &mut values_adj, 1.0,
//! );
//! assert_eq!((p_adj, times_adj, values_adj), ([-2.0, 0.0], [0.0, 0.0], [2.0, 0.0]));
//! ```
//!
//! # Calls
//!
//! A function that is called with values that depend on the independents must be annotated as
//! well; it is differentiated where it stands. Paths, imports, renames, generics and recursion are
//! followed. Functions inside the body of an annotated one get their adjoints with it.
//!
//! What `wrt` or `of` of a function leaves out, its callers can't ask for: the derivative through `k`, which `scaled`
//! does not have, would be missing in `energy`. This is found when the call is compiled, not yet by `cargo check`. A
//! `&mut` parameter that is left out is work space: to callers, what it held before the call is a constant; what it
//! holds afterwards they can't ask for either, if `of` leaves it out. Its type needs no `#[derive(Differentiable)]`, unless
//! it is handed on to annotated functions, which may leave there what depends on other arguments.
//!
//! ```compile_fail,E0080
//! use adjoint::adjoint;
//!
//! #[adjoint(wrt(x))]
//! fn scaled(x: f64, k: f64) -> f64 {
//!     x * k
//! }
//!
//! #[adjoint]
//! fn energy(x: f64, k: f64) -> f64 {
//!     scaled(x, k) + k
//! }
//!
//! let (mut x_adj, mut k_adj) = (0.0, 0.0);
//! energy_adjoint(0.3, &mut x_adj, 0.4, &mut k_adj, 1.0);
//! ```
//!
//! # What is not supported
//!
//! It is refused at compile time, at the exact token, with a line `help: …` that says what to write
//! instead. A function is differentiated rightly or not at all.
//!
//! # Kinks and edge values
//!
//! | function | derivative taken |
//! | --- | --- |
//! | `abs` at ±0 | 0 |
//! | `max(a, b)`, `min(a, b)` with `a == b` | to `a`; with one NaN: to the one that is returned |
//! | `clamp` at a bound | 1 (to `self`) |
//! | `sqrt` at 0 | +∞ times a nonzero seed; 0 when the seed is 0 |
//! | `powf(x, p)` at `x == 0` | the limit where finite; `d/dp` is 0 at `x == 0` for `p > 0` |
//! | `floor`, `ceil`, `round`, `trunc`, `signum`, comparisons, casts to integers | 0 |
//! | `%`, `rem_euclid` | 1 to the dividend, minus the (floored) quotient to the divisor |
//! | `hypot(0, 0)`, `atan2(0, 0)` | 0 |
//!
//! A zero seed contributes exact zeros, also through an infinite partial; what `max`, `min`, `clamp` or `abs`
//! does not pass on gets exact zeros from an infinite seed, as in a branch.
//!
//! # Checking a gradient
//!
//! [`check`] has the two tests of the trade: [`check::finite_difference`] and
//! [`check::dot_product`].

/// For structs and enums that carry floats, nested, generic and recursive ones too.
///
/// ```
/// use adjoint::Differentiable;
///
/// #[derive(Differentiable, Debug, PartialEq)]
/// struct Spring {
///     stiffness: f64,
///     ends: [usize; 2],
///     next: Option<Box<Spring>>,
/// }
///
/// let spring = Spring { stiffness: 2.0, ends: [0, 1], next: None };
/// let mut adjoint = spring.zero_like();
/// adjoint.accumulate(&spring);
/// adjoint.accumulate(&spring);
/// assert_eq!(adjoint, Spring { stiffness: 4.0, ends: [0, 1], next: None });
/// ```
pub use adjoint_macros::Differentiable;
pub use adjoint_macros::adjoint;
pub use adjoint_runtime::{
    Carrier, Differentiable, Mismatch, Pushed, Real, Tape, TapeStats, check,
};

#[doc(hidden)]
pub use adjoint_runtime::__private;

/// For generated code only; nothing here is stable.
#[doc(hidden)]
pub mod __configure {
    pub use adjoint_macros::{Configured, remove};
}

/// The code in the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
