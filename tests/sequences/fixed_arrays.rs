//! Fixed arrays borrowed from slices: parameters of models that lie in one vector.

use adjoint::adjoint;

use crate::common::{assert_close, check};

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

/// Works on an array in place.
#[adjoint]
fn blend(p: &mut [f64; 3], k: f64) {
    for v in p.iter_mut() {
        *v *= k;
    }
    p[0] += p[1] * p[2];
}

#[adjoint]
fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[adjoint]
fn first_by_mut(s: &mut [f64], k: f64) {
    let p = s.first_chunk_mut::<3>().unwrap();
    blend(p, k);
    p[2] = p[2].sin();
    let q: &mut [f64; 2] = s.last_chunk_mut().expect("two");
    *q = [q[1], q[0] * k];
}

#[adjoint]
fn converted_by_mut(s: &mut [f64], k: f64, i: usize) {
    let p: &mut [f64; 3] = (&mut s[i..i + 3]).try_into().unwrap();
    blend(p, k);
    p[0] *= p[1];
    let [a, b] = <&mut [f64; 2]>::try_from(&mut s[..2]).unwrap();
    *a *= k * *b;
    *b = b.sin();
    for piece in s.chunks_exact_mut(3) {
        let piece: &mut [f64; 3] = piece.try_into().unwrap();
        blend(piece, k);
    }
}

#[test]
fn arrays_by_mutable_reference() {
    check!(first_by_mut(&mut vec![0.3, -1.2, 0.8, 2.0, 0.1], 1.3));
    check!(converted_by_mut(&mut vec![0.3, -1.2, 0.8, 2.0, 0.1, 0.4, 0.7], 1.3, const 2));
}

#[adjoint]
fn apart(s: &[f64]) -> f64 {
    let (head, tail) = s.split_first_chunk::<3>().unwrap();
    let (init, last) = s.split_last_chunk::<2>().unwrap();
    dot(head, head) + tail.iter().sum::<f64>() * head[1] + init[1] * last[0] * last[1]
}

#[adjoint]
fn apart_by_mut(s: &mut [f64], k: f64) {
    let (head, tail) = s.split_first_chunk_mut::<3>().unwrap();
    blend(head, k * tail[1]);
    tail[0] *= head[0];
    head[1] = tail[1] * tail[0];
    weigh(head, tail);
}

#[adjoint]
fn weigh(head: &mut [f64; 3], tail: &mut [f64]) {
    for (h, t) in head.iter_mut().zip(tail) {
        *h += *t * *t;
        *t *= *h;
    }
}

#[adjoint]
fn in_pairs(s: &[f64]) -> f64 {
    let (mut total, mut rest) = (0.0, s);
    while let Some((p, more)) = rest.split_first_chunk::<2>() {
        total += p[0] * p[1].sin();
        rest = more;
    }
    let Some(&[a, b]) = s.first_chunk::<2>() else {
        return total;
    };
    total * a + b
}

#[test]
fn arrays_apart_from_the_rest() {
    check!(apart(&vec![0.3, -1.2, 0.8, 2.0, 0.1]) -> f64);
    check!(apart_by_mut(&mut vec![0.3, -1.2, 0.8, 2.0, 0.1], 1.3));
    check!(in_pairs(&vec![0.3, -1.2, 0.8, 2.0, 0.1]) -> f64);
    check!(in_pairs(&vec![0.3]) -> f64);
}

/// Springs between particles whose coordinates lie one after the other.
#[adjoint]
fn chunks(x: &[f64], v: &mut [f64], k: f64) -> f64 {
    let (points, over) = x.as_chunks::<3>();
    let mut energy = over.iter().sum::<f64>() * points.len() as f64;
    for pair in points.iter().skip(1) {
        energy += dot(pair, &points[0]);
    }
    for (p, q) in v.as_chunks_mut::<3>().0.iter_mut().zip(points) {
        blend(p, k * q[0]);
        p[1] += q[2].sin();
    }
    for p in v.as_chunks_mut::<2>().0 {
        *p = [p[1] * energy, p[0]];
    }
    energy
}

#[adjoint]
fn chunks_of<const N: usize>(x: &[f64], k: f64) -> f64 {
    let mut t = 0.0;
    for p in x.as_chunks::<N>().0 {
        t = t * k + p[N - 1] * p[0];
    }
    t
}

#[adjoint]
fn by_three(x: &[f64], k: f64) -> f64 {
    chunks_of::<3>(x, k)
}

#[test]
fn slices_of_arrays() {
    let x = vec![0.3, -1.2, 0.8, 2.0, 0.1, 0.4, 0.7];
    check!(chunks(&x, &mut vec![1.1, 0.2, -0.4, 0.5, 0.3, 0.9, 0.6], 0.7) -> f64);
    check!(by_three(&x, 1.4) -> f64);
}

/// Arrays in a slice of any length: exchanged with others, rearranged, and parts of them again as arrays.
#[adjoint]
fn rearranged(s: &mut [f64], k: f64) -> f64 {
    let mut acc = k;
    for p in s.as_chunks_mut::<2>().0 {
        let [a, b] = p;
        *a = *a * acc;
        *b = b.sin() + *a;
        acc += p[0] * p[1];
    }
    if let Some(h) = s.first_chunk_mut::<2>() {
        std::mem::swap(h, &mut [acc, h[0]]);
    }
    if s.len() > 4 {
        let Some((first, rest)) = s.split_first_chunk_mut::<2>() else {
            return acc;
        };
        rest[0] *= first[1];
        let last: &mut [f64; 3] = rest.last_chunk_mut::<3>().unwrap();
        last.swap(0, 2);
        let (x, y) = last.split_at_mut(1);
        x[0] += y[0] * y[1];
        let q: &mut [f64; 2] = (&mut last[1..]).try_into().unwrap();
        q[0] = q[0] * q[1];
    }
    acc * s.iter().sum::<f64>()
}

#[test]
fn arrays_that_are_rearranged() {
    for n in [0, 1, 2, 3, 5, 7] {
        let s: Vec<f64> = (0..n).map(|i| 0.3 + 0.21 * i as f64).collect();
        check!(rearranged(&mut s.clone(), 0.8) -> f64);
    }
}

#[test]
#[should_panic(expected = "called `Option::unwrap()` on a `None` value")]
fn a_slice_that_is_too_short() {
    first_by_mut_adjoint(&mut [0.1, 0.2], &mut [1.0, 1.0], 1.0, &mut 0.0);
}

/// The path of the function tells how long the array is.
#[adjoint]
fn told_by_the_path<const N: usize>(x: &[f64; N], k: f64) -> f64 {
    use std::array::from_fn;
    let y = std::array::from_fn::<f64, 3, _>(|i| x[i % N] * k.sin());
    let z = from_fn::<_, N, _>(|i| y[i % 3] * x[i]);
    let pairs: [_; 2] = from_fn::<(f64, f64), _, _>(|i| (z[i], k));
    let nested = from_fn::<[f64; 2], 2, _>(|i| from_fn(|j| z[i] * y[j]));
    z.iter().map(|v| v * v).sum::<f64>() + pairs[1].0 * pairs[0].1 + nested[1][0] + nested[0][1]
}

#[test]
fn paths_tell_how_long_arrays_are() {
    check!(told_by_the_path(&[0.3, 1.2], 0.7) -> f64);
    check!(told_by_the_path(&[0.3, 1.2, -0.8, 0.4], 0.7) -> f64);
}

#[adjoint]
fn told_by_a_pattern(a: &mut [f64], b: &[f64]) {
    let (a, _) = a.as_chunks_mut();
    let (b, _) = b.as_chunks();
    for ([ax, ay], [bx, by]) in a.iter_mut().zip(b) {
        let t = *ax * bx - *ay * by;
        *ay = *ax * by + *ay * bx;
        *ax = t;
    }
}

#[adjoint]
fn told_where_it_is_taken_apart(x: &[f64], k: f64) -> f64 {
    let (rows, rest) = x.as_chunks();
    let mut s = 0.0;
    for (i, row) in rows.iter().enumerate() {
        let [a, b, c] = row;
        s += a * b * k + c * i as f64;
    }
    if let Some([first, second]) = x.first_chunk() {
        s *= first - second;
    }
    let last = match x.last_chunk() {
        Some([a, b]) => a * b,
        None => k,
    };
    s + last * rest.iter().sum::<f64>()
}

#[adjoint]
mod told {
    fn area(corner: &[f64; 2]) -> f64 {
        corner[0] * corner[1]
    }

    pub fn by_a_callee(x: &[f64]) -> f64 {
        let (corners, _) = x.as_chunks();
        let mut s = 0.0;
        for corner in corners {
            s += area(corner) * corner[0];
        }
        s
    }
}

#[test]
fn arrays_whose_extent_is_told_later() {
    let mut x = vec![0.3, -1.2, 0.8, 2.0, 0.7];
    let jacobian = check!(told_by_a_pattern(
        &mut x.clone(),
        &vec![0.5, 1.1, -0.4, 0.9]
    ));
    assert_close(
        &jacobian[0],
        &[0.5, -1.1, 0.0, 0.0, 0.0, 0.3, 1.2, 0.0, 0.0],
    );
    assert_close(
        &jacobian[1],
        &[1.1, 0.5, 0.0, 0.0, 0.0, -1.2, 0.3, 0.0, 0.0],
    );
    check!(told_where_it_is_taken_apart(&x, 0.8) -> f64);
    check!(told::by_a_callee(&x) -> f64);
    x.clear();
    check!(told_where_it_is_taken_apart(&x, 0.8) -> f64);
}
