//! The Brusselator on a torus, whose neighbours wrap in each of the usual ways.

use adjoint::{Tape, adjoint};

use crate::common::check;
use crate::{Entries, values};

#[adjoint]
fn by_if(u: &[f64], v: &[f64], du: &mut [f64], dv: &mut [f64], n: usize, alpha: f64) {
    for i in 0..n {
        for j in 0..n {
            let up = if i == 0 { n - 1 } else { i - 1 };
            let down = if i == n - 1 { 0 } else { i + 1 };
            let left = if j == 0 { n - 1 } else { j - 1 };
            let right = if j == n - 1 { 0 } else { j + 1 };
            let at = i * n + j;
            let lap_u =
                u[up * n + j] + u[down * n + j] + u[i * n + left] + u[i * n + right] - 4.0 * u[at];
            let lap_v =
                v[up * n + j] + v[down * n + j] + v[i * n + left] + v[i * n + right] - 4.0 * v[at];
            du[at] = 1.0 + u[at] * u[at] * v[at] - 4.4 * u[at] + alpha * lap_u;
            dv[at] = 3.4 * u[at] - u[at] * u[at] * v[at] + alpha * lap_v;
        }
    }
}

#[adjoint]
fn by_remainder(u: &[f64], v: &[f64], du: &mut [f64], dv: &mut [f64], n: usize, alpha: f64) {
    for i in 0..n {
        for j in 0..n {
            let (up, down) = ((i + n - 1) % n, (i + 1) % n);
            let (left, right) = ((j + n - 1) % n, (j + 1) % n);
            let at = i * n + j;
            let lap_u =
                u[up * n + j] + u[down * n + j] + u[i * n + left] + u[i * n + right] - 4.0 * u[at];
            let lap_v =
                v[up * n + j] + v[down * n + j] + v[i * n + left] + v[i * n + right] - 4.0 * v[at];
            du[at] = 1.0 + u[at] * u[at] * v[at] - 4.4 * u[at] + alpha * lap_u;
            dv[at] = 3.4 * u[at] - u[at] * u[at] * v[at] + alpha * lap_v;
        }
    }
}

#[adjoint]
fn by_match(u: &[f64], v: &[f64], du: &mut [f64], dv: &mut [f64], n: usize, alpha: f64) {
    for i in 0..n {
        let (up, down) = match i {
            0 => (n - 1, 1),
            _ if i == n - 1 => (i - 1, 0),
            _ => (i - 1, i + 1),
        };
        for j in 0..n {
            let (left, right) = match j {
                0 => (n - 1, 1),
                _ if j == n - 1 => (j - 1, 0),
                _ => (j - 1, j + 1),
            };
            let at = i * n + j;
            let lap_u =
                u[up * n + j] + u[down * n + j] + u[i * n + left] + u[i * n + right] - 4.0 * u[at];
            let lap_v =
                v[up * n + j] + v[down * n + j] + v[i * n + left] + v[i * n + right] - 4.0 * v[at];
            du[at] = 1.0 + u[at] * u[at] * v[at] - 4.4 * u[at] + alpha * lap_u;
            dv[at] = 3.4 * u[at] - u[at] * u[at] * v[at] + alpha * lap_v;
        }
    }
}

#[test]
fn derivatives() {
    let (u, v) = (values(9), values(9));
    let jacobians = [
        check!(by_if(&u, &v, &mut values(9), &mut values(9), const 3, 0.1)),
        check!(by_remainder(&u, &v, &mut values(9), &mut values(9), const 3, 0.1)),
        check!(by_match(&u, &v, &mut values(9), &mut values(9), const 3, 0.1)),
    ];
    for jacobian in &jacobians {
        assert_eq!(*jacobian, jacobians[0]);
    }
}

/// The adjoint of each way: values with their adjoints, but for the number of points in a row.
type Adjoint = fn(
    &mut Tape,
    &[f64],
    &mut [f64],
    &[f64],
    &mut [f64],
    &mut [f64],
    &mut [f64],
    &mut [f64],
    &mut [f64],
    usize,
    f64,
    &mut f64,
);

pub fn entries() -> Vec<Entries> {
    let of = |kernel, adjoint: Adjoint| {
        crate::entries(kernel, |tape| {
            let (u, mut w) = (values(25), [(); 6].map(|()| values(25)));
            let [u_adj, v_adj, du, du_adj, dv, dv_adj] = &mut w;
            adjoint(
                tape, &u, u_adj, &u, v_adj, du, du_adj, dv, dv_adj, 5, 0.1, &mut 0.0,
            );
        })
    };
    vec![
        of("by_if", by_if_adjoint_with),
        of("by_remainder", by_remainder_adjoint_with),
        of("by_match", by_match_adjoint_with),
    ]
}
