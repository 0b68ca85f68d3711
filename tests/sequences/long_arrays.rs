//! Arrays with more elements than `Default` covers: any length works.

use adjoint::{Differentiable, adjoint};

use crate::common::{assert_close, check, flat};

#[adjoint]
fn long_in_a_box(x: &[f64; 64]) -> f64 {
    let mut t = Box::new([0.0; 64]);
    for i in 0..64 {
        t[i] = x[i] * x[i];
    }
    let mut s = 0.0;
    for i in 0..64 {
        s += t[i] * t[63 - i];
    }
    s
}

#[adjoint]
fn powers(x: f64) -> [f64; 40] {
    let mut powers = [1.0; 40];
    for i in 1..40 {
        powers[i] = powers[i - 1] * x;
    }
    powers
}

#[adjoint]
fn of_powers(x: f64) -> f64 {
    let near = powers(x);
    let _unused = powers(x * x);
    near[3] + near[39]
}

#[adjoint]
fn powers_in_a_box(x: f64) -> Box<[f64; 40]> {
    Box::new(powers(x))
}

#[adjoint]
fn of_powers_in_a_box(x: f64) -> f64 {
    let all = powers_in_a_box(x);
    let _ = powers_in_a_box(x);
    all[3] * all[5]
}

#[adjoint]
fn sines<const N: usize>(x: &[f64; N]) -> [f64; N] {
    let mut y = [0.0; N];
    for i in 0..N {
        y[i] = x[i].sin();
    }
    y
}

#[adjoint]
fn long_of_lists(x: &[f64; 40]) -> f64 {
    let y = sines(x);
    let lists: [Vec<f64>; 40] = std::array::from_fn(|i| vec![y[i]; 2]);
    let mut s = 0.0;
    for list in &lists {
        s += list[0] * list[1];
    }
    s
}

#[adjoint]
fn long_and_generic<T: adjoint::Real, const N: usize>(x: &[T; N], k: T) -> T {
    let mut boxed = Box::new([k; N]);
    let mut rows = [[k; 2]; 40];
    let mut s = k;
    for i in 0..N {
        boxed[i] = boxed[i] * x[i];
        rows[i % 40][1] = rows[i % 40][1] * boxed[i];
    }
    for i in 0..N {
        s = s + boxed[i] * rows[i % 40][1];
    }
    s
}

#[adjoint]
fn long_in_tuples(x: f64) -> (Box<[f64; 33]>, [[f64; 3]; 40], f64) {
    let mut boxed = Box::new([x; 33]);
    let mut rows = [[x; 3]; 40];
    boxed[1] *= x;
    rows[39][2] *= x * x;
    (boxed, rows, x)
}

#[adjoint]
fn of_long_in_tuples(x: f64) -> f64 {
    let (boxed, rows, same) = long_in_tuples(x);
    boxed[1] * rows[39][2] * same
}

#[adjoint]
fn long_and_taken(x: &[f64; 64]) -> f64 {
    let mut option = Some(*x);
    let mut list = vec![*x; 3];
    let lists = std::mem::take(&mut list);
    let first = option.take();
    let none = std::mem::replace(&mut option, Some([1.0; 64]));
    let mut s = 0.0;
    if let Some(first) = first {
        s += first[0] * first[63];
    }
    if none.is_none() {
        s += lists[2][5] * lists[1][6];
    }
    s + list.len() as f64
}

#[adjoint]
fn long_in_each_arm(x: &[f64; 33], doubled: bool) -> f64 {
    let whole: Box<[f64; 33]>;
    let boxes: [Box<[f64; 33]>; 3];
    if doubled {
        whole = Box::new(*x);
        boxes = [Box::new([x[0]; 33]), Box::new([x[1]; 33]), Box::new(*x)];
    } else {
        whole = Box::new([x[0]; 33]);
        boxes = [Box::new([x[1]; 33]), Box::new(*x), Box::new([x[2]; 33])];
    }
    let mut s = 0.0;
    for k in 0..3 {
        let pair = (boxes[k].clone(), whole.clone());
        s += pair.0[7] * pair.1[8 + k];
    }
    s
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Layer {
    weights: [f64; 100],
    bias: Option<[f64; 40]>,
    state: Box<[f64; 33]>,
}
flat!(Layer {
    weights,
    bias,
    state
});

#[adjoint]
fn long_in_fields(layer: &Layer) -> f64 {
    let mut next = layer.clone();
    for i in 0..100 {
        next.weights[i] *= layer.weights[i];
    }
    if let Some(bias) = &mut next.bias {
        for i in 0..40 {
            bias[i] *= next.weights[i];
        }
    }
    let mut s = 0.0;
    for i in 0..33 {
        s += next.state[i] * next.weights[i];
    }
    if let Some(bias) = next.bias {
        s += bias[39];
    }
    s
}

#[adjoint]
fn long_and_without_reals(x: &mut [f64], k: f64) -> [usize; 40] {
    let mut signs = [0; 40];
    for i in 0..x.len() {
        x[i] *= k;
        signs[i % 40] += (x[i] > 0.0) as usize;
    }
    signs
}

#[adjoint]
fn after_long_without_reals(x: &mut [f64], k: f64) -> f64 {
    let signs = long_and_without_reals(x, k);
    x[0] * signs[0] as f64
}

/// Values between -1 and 1, of which none is 0.
fn long<const N: usize>() -> [f64; N] {
    std::array::from_fn(|i| (i as f64 + 0.5).sin())
}

#[test]
fn arrays_of_any_length() {
    let x = long::<64>();
    let jacobian = check!(long_in_a_box(&x) -> f64);
    assert_close(&jacobian[0][..1], &[4.0 * x[0] * x[63] * x[63]]);
    let jacobian = check!(of_powers(0.9) -> f64);
    assert_close(&jacobian[0], &[3.0 * 0.81 + 39.0 * 0.9f64.powi(38)]);
    assert_close(
        &check!(of_powers_in_a_box(0.9) -> f64)[0],
        &[8.0 * 0.9f64.powi(7)],
    );
    let x = long::<40>();
    let jacobian = check!(long_of_lists(&x) -> f64);
    assert_close(&jacobian[0][39..], &[(2.0 * x[39]).sin()]);
    check!(long_and_generic(&long::<70>(), 0.8) -> f64);
    let jacobian = check!(of_long_in_tuples(0.9) -> f64);
    assert_close(&jacobian[0], &[6.0 * 0.9f64.powi(5)]);
    check!(long_and_taken(&long::<64>()) -> f64);
    check!(long_in_each_arm(&long::<33>(), const true) -> f64);
    check!(long_in_each_arm(&long::<33>(), const false) -> f64);
    let layer = Layer {
        weights: long(),
        bias: Some(long()),
        state: Box::new(long()),
    };
    check!(long_in_fields(&layer) -> f64);
    check!(after_long_without_reals(&mut vec![0.5, 1.5, -0.7], 0.8) -> f64);
}
