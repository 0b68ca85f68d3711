//! Gradients by the number types of other crates, as their documentation has it.

use nalgebra::{Const, U1};
use num_dual::{DualNum, DualSVec64};
use reverse::Gradient;

use crate::kernels::{Kernel, Number};

/// Each operation makes an entry of a tape.
pub fn by_aad(kernel: &impl Kernel, x: &[f64], gradient: &mut Vec<f64>) {
    let tape = aad::Tape::new();
    let x: Vec<_> = tape.create_variables_iter(x).collect();
    let gradients = kernel.evaluate(&x).compute_gradients();
    let gradients = gradients.expect("the value depends on variables");
    gradient.clear();
    gradient.extend(
        gradients
            .get_gradients_iter(&x)
            .map(|g| g.expect("of the tape")),
    );
}

/// Each operation makes an entry of a tape, which is kept.
pub fn by_reverse(tape: &reverse::Tape, kernel: &impl Kernel, x: &[f64], gradient: &mut Vec<f64>) {
    tape.clear();
    let x = tape.add_vars(x);
    *gradient = kernel.evaluate(&x).grad().wrt(&x);
}

/// The derivatives of one evaluation.
const CHUNK: usize = 8;

/// Each number carries derivatives with respect to some of the variables.
pub fn by_num_dual(kernel: &impl Kernel, x: &[f64], gradient: &mut Vec<f64>) {
    let mut duals: Vec<DualSVec64<CHUNK>> = x.iter().copied().map(DualSVec64::from_re).collect();
    gradient.clear();
    for start in (0..x.len()).step_by(CHUNK) {
        let chunk = start..x.len().min(start + CHUNK);
        for (i, dual) in duals[chunk.clone()].iter_mut().enumerate() {
            *dual = dual.derivative(i);
        }
        let derivatives = kernel.evaluate(&duals).eps;
        let derivatives = derivatives.unwrap_generic(Const::<CHUNK>, U1);
        gradient.extend(&derivatives.as_slice()[..chunk.len()]);
        for (dual, x) in duals[chunk.clone()].iter_mut().zip(&x[chunk]) {
            *dual = DualSVec64::from_re(*x);
        }
    }
}

impl Number for aad::Variable<'_, f64> {
    fn value(self) -> f64 {
        Self::value(&self)
    }
    fn exp(self) -> Self {
        Self::exp(self)
    }
    fn ln(self) -> Self {
        Self::ln(self)
    }
    fn tanh(self) -> Self {
        Self::tanh(self)
    }
}

impl Number for reverse::Var<'_> {
    fn value(self) -> f64 {
        self.val
    }
    fn exp(self) -> Self {
        Self::exp(&self)
    }
    fn ln(self) -> Self {
        Self::ln(&self)
    }
    fn tanh(self) -> Self {
        Self::tanh(&self)
    }
}

impl Number for DualSVec64<CHUNK> {
    fn value(self) -> f64 {
        self.re
    }
    fn exp(self) -> Self {
        DualNum::exp(&self)
    }
    fn ln(self) -> Self {
        DualNum::ln(&self)
    }
    fn tanh(self) -> Self {
        DualNum::tanh(&self)
    }
}
