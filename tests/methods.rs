//! Modules and methods: `#[adjoint] mod`, `#[adjoint] impl`, custom and inactive functions.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#[macro_use]
mod common;
use adjoint::{Differentiable, adjoint};

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Spring {
    k: f64,
    rest: f64,
    count: usize,
}

#[adjoint]
impl Spring {
    fn force(&self, x: f64) -> f64 {
        self.k * (x - self.rest) + self.cubic(x)
    }

    fn cubic(&self, x: f64) -> f64 {
        let mut s = 0.0;
        for _ in 0..self.count {
            s += x * x * x * self.k;
        }
        s
    }

    fn soften(&mut self, by: f64) {
        self.k *= by.exp();
    }
}

#[test]
fn a_method_of_two_structs() {
    let spring = Spring {
        k: 2.0,
        rest: 0.5,
        count: 2,
    };
    let mut spring_adj = Spring {
        k: 0.0,
        rest: 0.0,
        count: 2,
    };
    let mut x_adj = 0.0;
    let f = spring.force_adjoint(&mut spring_adj, 3.0, &mut x_adj, 1.0);
    assert_eq!(f, 2.0 * 2.5 + 2.0 * 27.0 * 2.0);
    assert_eq!(
        spring_adj,
        Spring {
            k: 2.5 + 54.0,
            rest: -2.0,
            count: 2
        }
    );
    assert_eq!(x_adj, 2.0 + 2.0 * 27.0 * 2.0);
}

#[test]
fn a_method_that_changes_its_receiver() {
    let mut spring = Spring {
        k: 2.0,
        rest: 0.5,
        count: 2,
    };
    let mut spring_adj = Spring {
        k: 3.0,
        rest: 1.0,
        count: 2,
    };
    let mut by_adj = 0.0;
    spring.soften_adjoint(&mut spring_adj, 0.5, &mut by_adj);
    let e = 0.5f64.exp();
    assert_eq!(spring.k, 2.0 * e);
    common::assert_close(
        &[by_adj, spring_adj.k, spring_adj.rest],
        &[6.0 * e, 3.0 * e, 1.0],
    );
}

#[adjoint]
mod kernels {

    fn pair(x: f64) -> [f64; 2] {
        [x.sin(), x.cos()]
    }

    pub fn energy(x: &[f64]) -> f64 {
        let mut e = 0.0;
        for i in 0..x.len() {
            let p = pair(x[i]);
            e += p[0] * p[1];
        }
        e
    }

    pub fn even(x: f64, n: usize) -> f64 {
        if n == 0 { x } else { odd(x * 1.5, n - 1) }
    }

    pub fn odd(x: f64, n: usize) -> f64 {
        if n == 0 { x * x } else { even(x.sin(), n - 1) }
    }

    pub fn count(n: usize) -> usize {
        n + 1
    }
}

#[test]
fn functions_of_a_module() {
    check!(kernels::energy(&[0.3, 0.9]) -> f64);
    check!(kernels::even(0.7, const 3) -> f64);
    assert_eq!(kernels::count(2), 3);
}

fn external_vjp(
    x: &[f64],
    x_adj: &mut [f64],
    y: &mut [f64],
    y_adj: &mut [f64],
    k: f64,
    k_adj: &mut f64,
) {
    external(x, y, k);
    for i in 0..x.len() {
        x_adj[i] += k * y_adj[i];
        *k_adj += x[i] * y_adj[i];
    }
}

#[adjoint(custom = external_vjp)]
fn external(x: &[f64], y: &mut [f64], k: f64) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += k * x;
    }
}

#[adjoint]
fn through_external(x: &[f64], k: f64) -> f64 {
    let mut y = [1.0, 2.0];
    external(x, &mut y, k * k);
    let first = y[0];
    external(x, &mut y, first);
    y[0] * y[1].sin()
}

#[test]
fn a_custom_adjoint_is_called() {
    check!(through_external(&[0.4, -0.8], 1.3) -> f64);
}

fn table(x: f64) -> f64 {
    x.round()
}

#[adjoint(inactive(table))]
fn looked_up(x: f64) -> f64 {
    x * table(x * 3.0)
}

#[test]
fn an_inactive_function_is_a_constant() {
    let mut x_adj = 0.0;
    assert_eq!(looked_up_adjoint(1.2, &mut x_adj, 1.0), 1.2 * 4.0);
    assert_eq!(x_adj, 4.0);
}

#[adjoint]
fn uses_a_spring(s: &Spring, x: &[f64]) -> f64 {
    let mut e = 0.0;
    for i in 0..x.len() {
        e += s.force(x[i]) * x[i];
    }
    e
}

#[test]
fn a_method_called_from_a_function() {
    let s = Spring {
        k: 1.5,
        rest: 0.2,
        count: 1,
    };
    let mut s_adj = Spring {
        k: 0.0,
        rest: 0.0,
        count: 1,
    };
    let mut x_adj = [0.0; 2];
    uses_a_spring_adjoint(&s, &mut s_adj, &[0.5, 2.0], &mut x_adj, 1.0);
    // d/dk = Σ ((x - r) + x³) x
    let f = |x: f64| ((x - 0.2) + x * x * x) * x;
    common::assert_close(&[s_adj.k, s_adj.rest], &[f(0.5) + f(2.0), -1.5 * 2.5]);
}
