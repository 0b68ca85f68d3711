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
//! let (value, gradient) = misfit_value_and_gradient(&[2.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]);
//! assert_eq!((value, gradient), (2.0, vec![4.0, -4.0]));
//! ```
//!
//! # The guide
//!
//! 1. [A first gradient](guide::first_gradient)
//! 2. [What the adjoints are](guide::adjoints), for each type of parameter, with the words of the field
//! 3. [Gradient descent](guide::descent) on vectors and structs, with a kept tape
//! 4. [Solvers of other crates](guide::solvers): argmin, levenberg-marquardt
//! 5. [Monte Carlo](guide::monte_carlo)
//! 6. [Models of structs and enums](guide::models)
//! 7. [Data of other crates](guide::data): ndarray, nalgebra
//! 8. [The arguments of the attribute](guide::attribute), where it stands, and calls
//! 9. [Checking gradients](guide::checking)
//! 10. [The tape](guide::tape): the report, the statistics, a smaller one, long loops
//! 11. [Threads](guide::threads)
//! 12. [Write this instead](guide::write_instead)
//! 13. [Limitations](guide::limitations)
//!
//! # What is generated
//!
//! For a function `f`, with its visibility and generics:
//!
//! - `f_value_and_gradient`, where `f` returns one float and has no `&mut` parameter that is a dependent: it takes the
//!   parameters of `f`, and returns the value and the gradients, in the order of `wrt` or else of the parameters.
//! - `f_adjoint`, which returns what `f` returns. Its parameters are those of `f`; each one that carries floats and takes
//!   part is followed by its adjoint, and last comes `ret_adj`, the adjoint of the returned value, where `f` returns
//!   floats. Adjoints accumulate.
//! - `f_value_and_gradient_with` and `f_adjoint_with`, the same on a [`Tape`] that the caller keeps as first argument, so
//!   that a solver allocates once.
//! - `f_adjoint_try`, the same as `f_adjoint_with`, where a lack of memory is a [`SweepError`] and not a panic. Functions that
//!   return references have none.
//! - `f_jacobian` and `f_jacobian_with`, under `#[adjoint(jacobian)]`: all rows of the Jacobian by one forward sweep, or by none.
//! - `f_pullback` and `f_pullback_with`, under `#[adjoint(pullback)]`: what `f` returns, and a closure that runs the reverse sweep for
//!   each seed.
//!
//! # What is not supported
//!
//! It is refused at compile time, at the exact token, with a line `help: …` that says what to write
//! instead. A function is differentiated rightly or not at all. [The list](guide::limitations) is complete;
//! [a table](guide::write_instead) has the ways out.
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

pub mod guide;

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
    Carrier, Differentiable, LimitExceeded, Mismatch, Pushed, Real, SweepError, Tape, TapeStats,
    check, checkpoint,
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
