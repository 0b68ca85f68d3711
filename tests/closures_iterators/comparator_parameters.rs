//! Closures without type annotations that functions sort by: the bounds of the functions give the types.

use crate::common::check;

#[adjoint::adjoint]
mod searches {
    pub fn cost(k: f64, p: &[f64; 2]) -> f64 {
        p[0] * p[0] + k * p[1]
    }

    fn best(f: impl Fn(&[f64; 2]) -> f64, start: [f64; 2]) -> f64 {
        let mut simplex = vec![
            start,
            [start[0] + 0.5, start[1]],
            [start[0], start[1] + 0.4],
        ];
        simplex.sort_by(|a, b| f(a).partial_cmp(&f(b)).unwrap());
        f(&simplex[0])
    }

    fn least<F: Fn(f64, &[f64]) -> f64>(f: &F, x: &[f64]) -> f64 {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&i, &j| f(x[i], x).total_cmp(&f(x[j], x)));
        f(x[order[0]], x) * x[order[1]]
    }

    fn least_of<const N: usize>(f: impl Fn(&[f64; N]) -> f64, x: [f64; N]) -> f64 {
        let mut all = vec![x, x.map(|v| v + 1.0)];
        all.sort_by(|a, b| f(a).total_cmp(&f(b)));
        f(&all[0])
    }

    fn larger(x: &[f64], cmp: impl Fn(&f64, &f64) -> bool) -> f64 {
        match cmp(&x[0], &x[1]) {
            true => x[0] * 2.0,
            false => x[1] * x[0],
        }
    }

    pub fn by_a_name_of_orders(x: &[f64]) -> f64 {
        larger(x, |a, b| a < b) * larger(x, |a, b| a > b)
    }

    pub fn simplex(x: &[f64]) -> f64 {
        let k = x[1];
        best(|p| cost(k, p), [x[0], x[1]])
    }

    pub fn indexed(x: &[f64]) -> f64 {
        best(|p| p[0] * p[0] + x[1] * p[1], [x[0], x[1]])
    }

    pub fn of_two(x: &[f64]) -> f64 {
        least(&|v, all| v * v - all[0], x)
    }

    pub fn of_an_extent(x: &[f64]) -> f64 {
        least_of(|p| p[0] * p[1] - x[0], [x[0], x[1]])
    }
}

#[test]
fn sorted_by_what_is_handed_in() {
    let x = [0.3, 0.7];
    check!(searches::simplex(&x) -> f64);
    check!(searches::indexed(&x) -> f64);
    check!(searches::of_two(&x) -> f64);
    check!(searches::of_an_extent(&x) -> f64);
    check!(searches::by_a_name_of_orders(&x) -> f64);
}
