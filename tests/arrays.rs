//! Kernels over arrays and slices.
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{Random, assert_close, assert_rows_close, check};

#[adjoint]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i] * y[i];
    }
    s
}

#[test]
fn dot_gives_each_factor_the_other() {
    let jacobian = check!(dot(&vec![1.0, -2.0, 3.0], &vec![0.5, 4.0, -1.0]) -> f64);
    assert_close(&jacobian[0], &[0.5, 4.0, -1.0, 1.0, -2.0, 3.0]);
    assert_eq!(check!(dot(&vec![], &vec![]) -> f64), [[0.0; 0]]);
}

#[adjoint]
fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        y[i] += a * x[i];
    }
}

#[test]
fn axpy_increments_in_place() {
    let jacobian = check!(axpy(2.0, &vec![1.0, -3.0], &mut vec![0.5, 4.0]));
    assert_rows_close(
        &jacobian,
        &[&[1.0, 2.0, 0.0, 1.0, 0.0], &[-3.0, 0.0, 2.0, 0.0, 1.0]],
    );
}

#[adjoint]
fn scale(a: f64, y: &mut [f64]) {
    for i in 0..y.len() {
        y[i] *= a;
    }
}

#[test]
fn scale_overwrites_what_it_reads() {
    check!(scale(-1.5, &mut vec![1.0, 2.0, 3.0]));
}

#[adjoint]
fn matvec(a: &[[f64; 3]; 2], x: &[f64; 3], y: &mut [f64; 2]) {
    for i in 0..2 {
        y[i] = 0.0;
        for j in 0..3 {
            y[i] += a[i][j] * x[j];
        }
    }
}

#[test]
fn matvec_with_fixed_sizes() {
    let a = [[1.0, 2.0, -1.0], [0.5, -3.0, 4.0]];
    let jacobian = check!(matvec(&a, &[0.3, 0.7, -0.2], &mut [5.0, 6.0]));
    assert_close(
        &jacobian[1],
        &[0.0, 0.0, 0.0, 0.3, 0.7, -0.2, 0.5, -3.0, 4.0, 0.0, 0.0],
    );
}

#[adjoint]
fn matmul(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..n {
            let mut s = 0.0;
            for k in 0..n {
                s += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = s;
        }
    }
}

#[test]
fn matmul_of_flat_matrices() {
    let mut random = Random::new(1);
    let (a, b) = (random.vector(9, -1.0, 1.0), random.vector(9, -1.0, 1.0));
    check!(matmul(const 3, &a, &b, &mut vec![0.0; 9]));
}

#[adjoint]
fn matmul_accumulating<const N: usize>(
    a: &[[f64; N]; N],
    b: &[[f64; N]; N],
    c: &mut [[f64; N]; N],
) {
    for i in 0..N {
        for k in 0..N {
            let aik = a[i][k];
            for j in 0..N {
                c[i][j] += aik * b[k][j];
            }
        }
    }
}

#[test]
fn matmul_of_const_generic_matrices() {
    let a = [[1.0, -2.0], [0.3, 0.7]];
    let b = [[0.1, 0.9], [-1.1, 2.0]];
    check!(matmul_accumulating(&a, &b, &mut [[1.0, 1.0], [2.0, 2.0]]));
}

#[adjoint]
fn array_by_value(x: [f64; 3], w: [[f64; 2]; 2]) -> f64 {
    x[0] * x[1] * x[2] + w[0][1] * w[1][0] - w[0][0] * w[1][1]
}

#[test]
fn arrays_by_value() {
    let jacobian = check!(array_by_value([1.0, 2.0, 3.0], [[0.1, 0.2], [0.3, 0.4]]) -> f64);
    assert_close(&jacobian[0], &[6.0, 3.0, 2.0, -0.4, 0.3, 0.2, -0.1]);
}

#[adjoint]
fn polar(r: f64, phi: f64) -> [f64; 2] {
    [r * phi.cos(), r * phi.sin()]
}

#[test]
fn an_array_is_returned() {
    let (r, phi) = (2.0_f64, 0.6_f64);
    let jacobian = check!(polar(r, phi) -> [f64; 2]);
    let (s, c) = phi.sin_cos();
    assert_rows_close(&jacobian, &[&[c, -r * s], &[s, r * c]]);
}

#[adjoint]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let mut c = [0.0; 3];
    for i in 0..3 {
        let j = (i + 1) % 3;
        let k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
    c
}

#[test]
fn cross_product_with_wrapped_indices() {
    check!(cross([1.0, 2.0, 3.0], [-0.5, 0.4, 0.9]) -> [f64; 3]);
}

#[adjoint]
fn prefix_sums(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] += x[i - 1];
    }
}

#[test]
fn prefix_sums_in_place() {
    let jacobian = check!(prefix_sums(&mut vec![1.0, 2.0, 4.0]));
    assert_eq!(
        jacobian,
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    );
    check!(prefix_sums(&mut vec![3.0]));
    assert!(check!(prefix_sums(&mut vec![])).is_empty());
}

#[adjoint]
fn prefix_products(x: &mut [f64]) {
    for i in 1..x.len() {
        x[i] = x[i] * x[i - 1] + x[i].sin();
    }
}

#[test]
fn prefix_products_in_place() {
    check!(prefix_products(&mut vec![1.1, -0.7, 2.0, 0.4]));
}

#[adjoint]
fn lu(n: usize, a: &mut [f64]) {
    for k in 0..n {
        for i in k + 1..n {
            a[i * n + k] /= a[k * n + k];
            for j in k + 1..n {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
}

#[test]
fn lu_without_pivoting() {
    let mut a = vec![4.0, 1.0, -0.5, 0.3, 5.0, 1.2, -1.0, 0.8, 6.0];
    check!(lu(const 3, &mut a));
    a.truncate(1);
    check!(lu(const 1, &mut a));
}

#[adjoint]
fn cholesky(a: &[[f64; 3]; 3], l: &mut [[f64; 3]; 3]) {
    for j in 0..3 {
        let mut d = a[j][j];
        for k in 0..j {
            d -= l[j][k] * l[j][k];
        }
        l[j][j] = d.sqrt();
        for i in j + 1..3 {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            l[i][j] = s / l[j][j];
        }
    }
}

#[test]
fn cholesky_of_a_positive_definite_matrix() {
    let a = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.4], [0.5, -0.4, 2.0]];
    check!(cholesky(&a, &mut [[0.0; 3]; 3]));
}

#[adjoint]
fn forward_substitution(l: &[[f64; 3]; 3], b: &mut [f64]) {
    for i in 0..3 {
        for j in 0..i {
            b[i] -= l[i][j] * b[j];
        }
        b[i] /= l[i][i];
    }
}

#[test]
fn forward_substitution_in_place() {
    let l = [[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-1.0, 0.3, 0.8]];
    check!(forward_substitution(&l, &mut vec![1.0, 2.0, 3.0]));
}

#[adjoint]
fn back_substitution(u: &[f64], b: &[f64], x: &mut [f64]) {
    let n = b.len();
    for i in (0..n).rev() {
        let mut s = b[i];
        for j in i + 1..n {
            s -= u[i * n + j] * x[j];
        }
        x[i] = s / u[i * n + i];
    }
}

#[test]
fn back_substitution_by_rows() {
    let u = vec![2.0, 0.5, -1.0, 0.0, 1.5, 0.3, 0.0, 0.0, 0.8];
    check!(back_substitution(
        &u,
        &vec![1.0, 2.0, 3.0],
        &mut vec![0.0; 3]
    ));
}

#[adjoint]
fn determinant(m: &[[f64; 4]; 4]) -> f64 {
    let mut a = *m;
    let mut det = 1.0;
    for k in 0..4 {
        det *= a[k][k];
        for i in k + 1..4 {
            let f = a[i][k] / a[k][k];
            for j in k..4 {
                a[i][j] -= f * a[k][j];
            }
        }
    }
    det
}

#[test]
fn determinant_by_elimination_of_a_copy() {
    let m = [
        [3.0, 1.0, 0.2, 0.0],
        [1.0, 4.0, -1.0, 0.5],
        [0.0, 0.7, 2.0, 1.0],
        [0.3, 0.0, 1.0, 5.0],
    ];
    check!(determinant(&m) -> f64);
}

#[adjoint]
fn polynomial_derivative(c: &[f64], d: &mut [f64]) {
    for i in 1..c.len() {
        d[i - 1] = i as f64 * c[i];
    }
}

#[test]
fn polynomial_derivative_scales_by_the_index() {
    let jacobian = check!(polynomial_derivative(
        &vec![5.0, 6.0, 7.0],
        &mut vec![0.0; 2]
    ));
    assert_eq!(
        jacobian,
        [[0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0, 0.0]]
    );
}

#[adjoint]
fn convolution(signal: &[f64], filter: &[f64; 3], out: &mut [f64]) {
    for i in 0..out.len() {
        let mut s = 0.0;
        for k in 0..filter.len() {
            s += signal[i + k] * filter[filter.len() - 1 - k];
        }
        out[i] = s;
    }
}

#[test]
fn convolution_with_a_reversed_filter() {
    let signal = vec![1.0, 0.5, -2.0, 3.0, 0.1];
    check!(convolution(&signal, &[0.2, 0.5, 0.3], &mut vec![0.0; 3]));
}

#[adjoint]
fn gather(x: &[f64], at: &[usize], out: &mut [f64]) {
    for i in 0..at.len() {
        out[i] = x[at[i]] * x[at[i]];
    }
}

#[test]
fn gather_through_an_index_array() {
    let jacobian = check!(gather(&vec![2.0, 3.0], const &[1, 1, 0], &mut vec![0.0; 3]));
    assert_close(&jacobian[1], &[0.0, 6.0, 0.0, 0.0, 0.0]);
}

#[adjoint]
fn scatter(x: &[f64], to: &[usize], out: &mut [f64]) {
    for i in 0..to.len() {
        out[to[i]] += x[i].exp();
    }
}

#[test]
fn scatter_hits_the_same_place_twice() {
    check!(scatter(&vec![0.1, 0.2, 0.3], const &[2, 0, 2], &mut vec![1.0, 1.0, 1.0]));
}

#[adjoint]
fn assigned_twice(x: &[f64], at: &[usize], out: &mut [f64]) {
    for i in 0..at.len() {
        out[at[i]] = x[i] * out[at[i]];
    }
}

#[test]
fn overwrites_through_an_index_array() {
    check!(assigned_twice(&vec![0.5, 2.0, -3.0], const &[1, 1, 0], &mut vec![4.0, 5.0]));
}

#[adjoint]
fn permuted_copy(x: [f64; 4]) -> f64 {
    let mut y = x;
    y[0] = x[3] * x[1];
    y[3] = y[0] + x[0];
    let z = y;
    y[1] *= z[3];
    y[1] + z[0] * y[3]
}

#[test]
fn copies_of_arrays_are_independent() {
    check!(permuted_copy([0.3, 1.1, -0.6, 2.0]) -> f64);
}

#[adjoint]
fn array_literals(x: f64, y: f64) -> f64 {
    let a = [x, y, x * y];
    let b = [[a[0], a[2]], [y, 2.0]];
    let i = b.len() - 1;
    b[0][1] * b[i][0] + a[i]
}

#[test]
fn array_literals_hold_active_values() {
    check!(array_literals(1.2, 0.7) -> f64);
}

#[adjoint]
fn reset(out: &mut [f64; 2], x: f64) {
    *out = [x, x * x];
}

#[test]
fn a_whole_array_is_overwritten() {
    let jacobian = check!(reset(&mut [7.0, 8.0], 3.0));
    assert_eq!(jacobian, [[0.0, 0.0, 1.0], [0.0, 0.0, 6.0]]);
}

#[adjoint]
fn rows(points: &[[f64; 3]]) -> f64 {
    let mut s = 0.0;
    for i in 0..points.len() {
        let p = points[i];
        s += (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    }
    s
}

#[test]
fn a_slice_of_rows() {
    check!(rows(&vec![[1.0, 2.0, 2.0], [0.3, -0.4, 0.0]]) -> f64);
}

#[adjoint]
fn geometric_mean(x: &[f64]) -> f64 {
    let mut product = 1.0;
    for i in 0..x.len() {
        product *= x[i];
    }
    product.powf(1.0 / x.len() as f64)
}

#[test]
fn geometric_mean_has_its_gradient() {
    let x = vec![1.0, 2.0, 4.0, 0.5];
    let jacobian = check!(geometric_mean(&x) -> f64);
    let mean = 4.0_f64.powf(0.25);
    assert_close(
        &jacobian[0],
        &[mean / 4.0, mean / 8.0, mean / 16.0, mean / 2.0],
    );
}

#[adjoint]
fn norm_f32(x: &[f32], w: [f32; 3]) -> f32 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += w[i] * x[i] * x[i];
    }
    s.sqrt()
}

#[test]
fn slices_of_single_precision() {
    check!(norm_f32(&vec![1.5, -0.5, 2.0], [1.0, 0.5, 0.25]) -> f32);
}

#[adjoint]
fn nested_indices(x: &[f64], table: &[[usize; 2]; 2]) -> f64 {
    let mut s = 1.0;
    for i in 0..2 {
        for j in 0..2 {
            s *= x[table[table[i][j] % 2][1 - j]];
        }
    }
    s
}

#[test]
fn indices_of_indices() {
    check!(nested_indices(&vec![1.5, 2.5, -0.5], const &[[0, 2], [1, 1]]) -> f64);
}

#[adjoint]
fn cubes(v: &mut [[[f64; 2]; 2]; 2], w: f64) {
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                v[i][j][k] = w * v[k][j][i] * v[i][j][k];
            }
        }
    }
}

#[test]
fn three_dimensions_in_place() {
    check!(cubes(
        &mut [[[1.0, 2.0], [0.5, -1.0]], [[1.5, 0.7], [0.2, 3.0]]],
        0.9
    ));
}
