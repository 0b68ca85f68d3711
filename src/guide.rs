//! The guide, a page a module, in reading order:
//!
//! 1. [A first gradient](first_gradient)
//! 2. [What the adjoints are](adjoints), with the words of the field
//! 3. [Gradient descent](descent) on vectors and structs, with a kept tape
//! 4. [Solvers of other crates](solvers): argmin, levenberg-marquardt
//! 5. [Monte Carlo](monte_carlo)
//! 6. [Models of structs and enums](models)
//! 7. [Data of other crates](data): ndarray, nalgebra
//! 8. [The arguments of the attribute](attribute), where it stands, and calls
//! 9. [Checking gradients](checking)
//! 10. [The tape](tape): the report, the statistics, a smaller one, long loops
//! 11. [Threads](threads)
//! 12. [Write this instead](write_instead)
//! 13. [Limitations](limitations)

#[doc = include_str!("../docs/guide/first_gradient.md")]
pub mod first_gradient {}

#[doc = include_str!("../docs/guide/adjoints.md")]
pub mod adjoints {}

#[doc = include_str!("../docs/guide/descent.md")]
pub mod descent {}

#[doc = include_str!("../docs/guide/solvers.md")]
pub mod solvers {}

#[doc = include_str!("../docs/guide/monte_carlo.md")]
pub mod monte_carlo {}

#[doc = include_str!("../docs/guide/models.md")]
pub mod models {}

#[doc = include_str!("../docs/guide/data.md")]
pub mod data {}

#[doc = include_str!("../docs/guide/attribute.md")]
pub mod attribute {}

#[doc = include_str!("../docs/guide/checking.md")]
pub mod checking {}

#[doc = include_str!("../docs/guide/tape.md")]
pub mod tape {}

#[doc = include_str!("../docs/guide/threads.md")]
pub mod threads {}

#[doc = include_str!("../docs/guide/write_instead.md")]
pub mod write_instead {}

#[doc = include_str!("../docs/limitations.md")]
pub mod limitations {}
