//! Functions that return closures.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod kernels {
    fn index(n: usize) -> impl Fn(usize, usize) -> usize {
        move |i, j| i * n + j
    }
    fn gaussian(mu: f64, sigma: f64) -> impl Fn(f64) -> f64 {
        let scale = 1.0 / (sigma * (2.0 * std::f64::consts::PI).sqrt());
        move |x| scale * (-0.5 * ((x - mu) / sigma).powi(2)).exp()
    }
    fn polynomial<'a>(c: &'a [f64]) -> impl Fn(f64) -> f64 + 'a {
        move |x| c.iter().rev().fold(0.0, |p, a| p * x + a)
    }
    fn compose(f: impl Fn(f64) -> f64, g: impl Fn(f64) -> f64) -> impl Fn(f64) -> f64 {
        move |x| f(g(x))
    }
    pub fn transposed(a: &[f64], m: usize, n: usize, b: &mut [f64]) {
        let at = index(n);
        let to = index(m);
        for i in 0..m {
            for j in 0..n {
                b[to(j, i)] += a[at(i, j)] * a[at(i, 0)];
            }
        }
    }
    pub fn mixture(x: &[f64], mut mu: f64, c: &[f64]) -> f64 {
        let near = gaussian(mu, 0.8);
        mu += c[0] * mu;
        let far = gaussian(mu, 1.6);
        let of = polynomial(c);
        let both = compose(&of, far);
        x.iter().map(|&x| near(x) * of(x) + both(x)).sum()
    }
}

#[test]
fn returned_closures() {
    check!(kernels::transposed(&vec![0.3, -0.7, 0.4, 1.2, 0.9, 0.1], const 2, const 3, &mut vec![1.0; 6]));
    check!(kernels::mixture(&vec![0.3, -0.7, 0.4], 0.2, &vec![0.5, -1.5, 0.25]) -> f64);
}
