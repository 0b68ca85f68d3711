//! Arrays and tuples behind type aliases that the macro does not see: the type of a `let` gives their shape.

use adjoint::adjoint;

use crate::common::check;

type Matrix = [[f64; 3]; 3];
type Pair = (f64, [f64; 2]);

#[adjoint]
fn rows(a: &Matrix) -> [f64; 3] {
    let a: [[f64; 3]; 3] = *a;
    a.map(|row| row.iter().map(|v| v * v).sum())
}

#[adjoint]
fn changed(a: &mut Matrix, k: f64) -> f64 {
    let mut b: [[f64; 3]; 3] = *a;
    for row in b.iter_mut() {
        for v in row.iter_mut() {
            *v *= k;
        }
    }
    a[0][1] = b[1][0] * b[2][2];
    let c: [[f64; 3]; 3] = *a;
    b[0][0] * a[0][1] + c[0][1] * c[1][1]
}

#[adjoint]
fn parts(p: Pair) -> f64 {
    let q: (f64, [f64; 2]) = p;
    q.0 * q.1[0] * q.1.map(|v| v * v)[1]
}

#[adjoint]
fn by_value(a: Matrix) -> f64 {
    let a: [[f64; 3]; 3] = a;
    a.iter().flatten().map(|v| v.sin()).sum()
}

#[test]
fn the_type_of_the_let_is_theirs() {
    let a = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]];
    check!(rows(&a) -> [f64; 3]);
    check!(changed(&mut a, 0.4) -> f64);
    check!(parts((0.4, [0.3, 0.2])) -> f64);
    check!(by_value(a) -> f64);
}
