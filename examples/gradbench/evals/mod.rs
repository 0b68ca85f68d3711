//! The evals, each with its input, its buffers and its output.

mod ba;
mod det;
mod gmm;
mod hello;
mod ht;
mod llsq;
mod lse;
mod lstm;
mod ode;

use adjoint::Tape;
use serde_json::Value;

use crate::evaluation::{Answer, answer};

/// Evaluates a function, given by its name, at an input.
type Evaluate = fn(&mut Tape, &str, Value) -> Result<Answer, String>;

/// The eval of a name. There is none of `kmeans`, which asks for second derivatives, nor of `saddle` and `particle`,
/// which ask for derivatives of functions that take derivatives.
pub fn eval(module: &str) -> Option<Evaluate> {
    Some(match module {
        "hello" => answer::<hello::Hello>,
        "gmm" => answer::<gmm::Gmm>,
        "ba" => answer::<ba::Ba>,
        "lstm" => answer::<lstm::Lstm>,
        "ht" => answer::<ht::Ht>,
        "ode" => answer::<ode::Ode>,
        "lse" => answer::<lse::Lse>,
        "llsq" => answer::<llsq::Llsq>,
        "det" => answer::<det::Det>,
        _ => return None,
    })
}
