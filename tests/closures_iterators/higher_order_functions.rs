//! Functions that call their parameters: quadrature, root finding, steps of an integrator.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod rules {
    pub fn simpson(f: impl Fn(f64) -> f64, a: f64, b: f64, n: usize) -> f64 {
        let h = (b - a) / n as f64;
        let mut s = f(a) + f(b);
        for i in 1..n {
            let w = if i % 2 == 1 { 4.0 } else { 2.0 };
            s += w * f(a + i as f64 * h);
        }
        s * h / 3.0
    }

    pub fn newton<F, G>(f: F, df: G, x0: f64, tol: f64) -> Option<f64>
    where
        F: Fn(f64) -> f64,
        G: Fn(f64) -> f64,
    {
        let mut x = x0;
        for _ in 0..50 {
            let step = f(x) / df(x);
            x -= step;
            if step.abs() < tol {
                return Some(x);
            }
        }
        None
    }

    pub fn rk4<const N: usize>(
        f: &dyn Fn(f64, &[f64; N]) -> [f64; N],
        t: f64,
        y: &mut [f64; N],
        h: f64,
    ) {
        let shifted = |k: &[f64; N], s: f64| {
            let mut z = *y;
            for i in 0..N {
                z[i] += s * k[i];
            }
            z
        };
        let k1 = f(t, y);
        let k2 = f(t + 0.5 * h, &shifted(&k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &shifted(&k2, 0.5 * h));
        let k4 = f(t + h, &shifted(&k3, h));
        for i in 0..N {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }

    fn each_pair(n: usize, mut visit: impl FnMut(usize, usize)) {
        for i in 0..n {
            for j in 0..i {
                visit(i, j);
            }
        }
    }

    fn square(x: f64) -> f64 {
        x * x
    }

    pub fn oscillating(k: f64, b: f64) -> f64 {
        simpson(|x| (k * x).sin() * x, 0.0, b, 20)
    }

    pub fn twice(a: f64, k: f64) -> f64 {
        let inner = |x: f64| simpson(|y| (x * y + k).exp(), 0.0, a, 4);
        simpson(inner, 0.0, 1.0, 4) + simpson(square, a, k, 6) + simpson(f64::cos, 0.0, k, 6)
    }

    pub fn root(c: f64, start: f64) -> f64 {
        newton(|x| x * x * x - c, |x| 3.0 * x * x, start, 1e-12).unwrap_or(0.0) * c
    }

    pub fn pendulum(y0: &[f64], damping: f64, steps: usize) -> f64 {
        let mut y = [y0[0], y0[1]];
        let rhs = |_: f64, y: &[f64; 2]| [y[1], -y[0].sin() - damping * y[1]];
        for s in 0..steps {
            rk4(&rhs, s as f64 * 0.1, &mut y, 0.1);
        }
        y[0] * y[1]
    }

    pub fn energy(x: &[f64], g: f64) -> f64 {
        let mut e = 0.0;
        each_pair(x.len(), |i, j| {
            let d = x[i] - x[j];
            e += g / (d * d + 0.1).sqrt();
        });
        e
    }
}

#[test]
fn quadrature_of_closures() {
    check!(rules::oscillating(1.7, 2.0) -> f64);
    check!(rules::twice(0.8, 0.6) -> f64);
    check!(rules::root(5.0, 2.0) -> f64);
    check!(rules::pendulum(&vec![0.4, -0.2], 0.3, const 5) -> f64);
    check!(rules::energy(&vec![0.3, 1.2, -0.7, 0.1], 2.0) -> f64);
}

/// Functions in the function itself.
#[adjoint]
fn bisected(c: f64, x: &[f64]) -> f64 {
    fn integrate<F: Fn(f64) -> f64>(f: F, a: f64, b: f64) -> f64 {
        let m = 0.5 * (a + b);
        (b - a) / 6.0 * (f(a) + 4.0 * f(m) + f(b))
    }
    fn map_sum(v: &[f64], f: &impl Fn(usize, f64) -> f64) -> f64 {
        v.iter().enumerate().map(|(i, v)| f(i, *v)).sum()
    }
    fn larger<'a>(a: &'a [f64], b: &'a [f64]) -> &'a [f64] {
        if a.len() > b.len() { a } else { b }
    }
    let (front, back) = x.split_at(1);
    let s = map_sum(larger(front, back), &|i, v| v * v * c + i as f64);
    s * integrate(|t| (t * c).sin() + x[0] * t, x[1], x[2] * c)
}

#[test]
fn functions_in_functions() {
    check!(bisected(0.7, &vec![0.3, 0.5, 1.4]) -> f64);
}
