//! A chain of products in time, by a Runge–Kutta method: GradBench's `ode`.

use adjoint::adjoint;

pub use chain::{integrate, integrate_adjoint_with};

#[adjoint]
mod chain {
    /// The solution at time 2 of `y₀' = x₀`, `yᵢ' = xᵢ yᵢ₋₁`, from 0, by steps of the classical method.
    pub fn integrate(x: &[f64], steps: usize, y: &mut [f64]) {
        let n = x.len();
        assert_eq!(y.len(), n);
        let h = 2.0 / steps as f64;
        let mut k1 = vec![0.0; n];
        let mut k2 = vec![0.0; n];
        let mut k3 = vec![0.0; n];
        let mut k4 = vec![0.0; n];
        let mut stage = vec![0.0; n];
        y.fill(0.0);
        for _ in 0..steps {
            rhs(x, y, &mut k1);
            for i in 0..n {
                stage[i] = y[i] + h * k1[i] / 2.0;
            }
            rhs(x, &stage, &mut k2);
            for i in 0..n {
                stage[i] = y[i] + h * k2[i] / 2.0;
            }
            rhs(x, &stage, &mut k3);
            for i in 0..n {
                stage[i] = y[i] + h * k3[i];
            }
            rhs(x, &stage, &mut k4);
            for i in 0..n {
                y[i] += h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
            }
        }
    }

    fn rhs(x: &[f64], y: &[f64], dy: &mut [f64]) {
        let n = x.len();
        assert_eq!((y.len(), dy.len()), (n, n));
        dy[0] = x[0];
        for i in 1..n {
            dy[i] = x[i] * y[i - 1];
        }
    }
}
