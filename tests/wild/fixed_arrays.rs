//! Fixed arrays taken from slices: parameters of models that lie in one vector.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn by_try_into(x: &[f64]) -> f64 {
    let a: [f64; 3] = x[0..3].try_into().unwrap();
    let b: &[f64; 2] = x[1..3].try_into().expect("two");
    let c = <&[f64; 3]>::try_from(&x[1..4]).unwrap();
    let [p, q] = <[f64; 2]>::try_from(&x[..2]).unwrap();
    let n: i32 = x.len().try_into().unwrap();
    a[0] * b[1] + c[2] * p.sin() * q + a.iter().sum::<f64>() * (n as f64)
}

#[test]
fn arrays_by_conversion() {
    check!(by_try_into(&vec![0.3, -1.2, 0.8, 2.0]) -> f64);
}

#[adjoint]
fn by_chunk(x: &[f64]) -> f64 {
    let first = x.first_chunk::<3>().unwrap();
    let last: &[f64; 2] = x.last_chunk().unwrap();
    first[0] * first[2] * last[1] + last[0].exp()
}

#[test]
fn arrays_at_the_ends() {
    check!(by_chunk(&vec![0.3, -1.2, 0.8, 2.0, 0.1]) -> f64);
}

#[adjoint]
fn rotate(w: &[f64; 3], x: [f64; 3]) -> [f64; 3] {
    let theta2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    let cross = [
        w[1] * x[2] - w[2] * x[1],
        w[2] * x[0] - w[0] * x[2],
        w[0] * x[1] - w[1] * x[0],
    ];
    if theta2 > f64::EPSILON {
        let theta = theta2.sqrt();
        let (s, c) = theta.sin_cos();
        let dot = (w[0] * x[0] + w[1] * x[1] + w[2] * x[2]) * (1.0 - c) / theta2;
        let turned: [f64; 3] =
            std::array::from_fn(|i| x[i] * c + cross[i] * s / theta + w[i] * dot);
        turned
    } else {
        [x[0] + cross[0], x[1] + cross[1], x[2] + cross[2]]
    }
}

/// A camera of eleven parameters: rotation, centre, focal length, principal point, distortion.
#[adjoint]
fn project(cam: &[f64], point: &[f64]) -> [f64; 2] {
    let rotation: &[f64; 3] = cam[..3].try_into().unwrap();
    let centre: [f64; 3] = cam[3..6].try_into().unwrap();
    let mut shifted = [0.0; 3];
    for ((s, p), c) in shifted.iter_mut().zip(point).zip(&centre) {
        *s = p - c;
    }
    let [x, y, z] = rotate(rotation, shifted);
    let (u, v) = (x / z, y / z);
    let r2 = u * u + v * v;
    let distortion = 1.0 + r2 * (cam[9] + r2 * cam[10]);
    [
        cam[6] * u * distortion + cam[7],
        cam[6] * v * distortion + cam[8],
    ]
}

#[adjoint]
fn residual(cam: &[f64], point: &[f64], weight: f64, feature: &[f64]) -> [f64; 2] {
    let [u, v] = project(cam, point);
    [weight * (u - feature[0]), weight * (v - feature[1])]
}

#[test]
fn bundle_adjustment_on_arrays() {
    let cam = vec![
        0.1, -0.3, 0.2, 0.4, 0.1, -2.0, 1.3, 0.05, -0.02, 0.01, 0.002,
    ];
    check!(residual(&cam, &vec![0.3, -0.4, 1.1], 0.7, &vec![0.1, 0.2]) -> [f64; 2]);
    let mut still = cam;
    still[..3].fill(0.0);
    check!(project(&still, &vec![0.3, -0.4, 1.1]) -> [f64; 2]);
}
