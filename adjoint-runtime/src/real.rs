//! The bound on a type parameter that carries floats.

use num_traits::Float;

/// A floating-point type whose values the tape can hold.
///
/// Every [`num_traits::Float`] type that threads may pass on has it; nobody implements it by hand. A generated adjoint asks
/// for it where the user's function only asks for arithmetic: it supplies zero and negation.
///
/// ```
/// fn is_real<T: adjoint_runtime::Real>() {}
/// is_real::<f32>();
/// is_real::<f64>();
/// ```
pub trait Real: Float + Send + 'static {}

impl<T: Float + Send + 'static> Real for T {}
