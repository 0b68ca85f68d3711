//! Transforms and filters.

use std::f64::consts::PI;

use adjoint::adjoint;

use crate::common::check;

/// An iterative radix-2 transform with bit reversal, over two slices.
#[adjoint]
fn fft(re: &mut [f64], im: &mut [f64], inverse: bool) {
    let n = re.len();
    assert!(n.is_power_of_two(), "length must be a power of two");
    let mut j = 0usize;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j |= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut len = 2;
    while len <= n {
        let ang = 2.0 * PI / len as f64 * if inverse { -1.0 } else { 1.0 };
        let (wlen_im, wlen_re) = ang.sin_cos();
        for i in (0..n).step_by(len) {
            let (mut w_re, mut w_im) = (1.0, 0.0);
            for k in 0..len / 2 {
                let (a, b) = (i + k, i + k + len / 2);
                let t_re = re[b] * w_re - im[b] * w_im;
                let t_im = re[b] * w_im + im[b] * w_re;
                re[b] = re[a] - t_re;
                im[b] = im[a] - t_im;
                re[a] += t_re;
                im[a] += t_im;
                let next = w_re * wlen_re - w_im * wlen_im;
                w_im = w_re * wlen_im + w_im * wlen_re;
                w_re = next;
            }
        }
        len <<= 1;
    }
    if inverse {
        for (r, i) in re.iter_mut().zip(im.iter_mut()) {
            *r /= n as f64;
            *i /= n as f64;
        }
    }
}

#[test]
fn an_iterative_transform() {
    check!(fft(&mut vec![0.3, -0.1, 0.8, 0.5], &mut vec![0.0, 0.2, -0.4, 0.1], const false));
    check!(fft(&mut vec![0.3, -0.1, 0.8, 0.5], &mut vec![0.0, 0.2, -0.4, 0.1], const true));
}

/// Discrete cosine transform, twice nested iterators.
#[adjoint]
fn dct(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    (0..n)
        .map(|k| {
            let scale = if k == 0 {
                (1.0 / n as f64).sqrt()
            } else {
                (2.0 / n as f64).sqrt()
            };
            scale
                * x.iter()
                    .enumerate()
                    .map(|(i, v)| v * (PI / n as f64 * (i as f64 + 0.5) * k as f64).cos())
                    .sum::<f64>()
        })
        .collect()
}

#[test]
fn a_cosine_transform() {
    check!(dct(&vec![0.3, -0.1, 0.8, 0.5]) -> &Vec<f64>);
}

/// Filters: a biquad with state, an exponential average by `scan`, a moving average by `windows`.
#[adjoint]
fn biquad(x: &mut [f64], b: [f64; 3], a: [f64; 2]) {
    let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
    for s in x.iter_mut() {
        let x0 = *s;
        let y0 = b[0] * x0 + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2;
        x2 = x1;
        x1 = x0;
        y2 = y1;
        y1 = y0;
        *s = y0;
    }
}

#[adjoint]
fn exponential_average(x: &[f64], alpha: f64) -> Vec<f64> {
    x.iter()
        .scan(x[0], |state, &v| {
            *state = alpha * v + (1.0 - alpha) * *state;
            Some(*state)
        })
        .collect()
}

#[adjoint]
fn moving_average(x: &[f64], width: usize) -> Vec<f64> {
    x.windows(width)
        .map(|w| w.iter().sum::<f64>() / width as f64)
        .collect()
}

#[test]
fn filters() {
    check!(biquad(
        &mut vec![0.3, -0.1, 0.8, 0.5],
        [0.2, 0.3, 0.1],
        [-0.4, 0.2]
    ));
    check!(exponential_average(&vec![0.3, -0.1, 0.8, 0.5], 0.3) -> &Vec<f64>);
    check!(moving_average(&vec![0.3, -0.1, 0.8, 0.5], const 2) -> &Vec<f64>);
}

/// Goertzel's power of one frequency.
#[adjoint]
fn goertzel(samples: &[f64], k: usize) -> f64 {
    let w = 2.0 * PI * k as f64 / samples.len() as f64;
    let coeff = 2.0 * w.cos();
    let (s1, s2) = samples
        .iter()
        .fold((0.0, 0.0), |(s1, s2), x| (x + coeff * s1 - s2, s1));
    s1 * s1 + s2 * s2 - coeff * s1 * s2
}

#[test]
fn one_frequency() {
    check!(goertzel(&vec![0.3, -0.1, 0.8, 0.5, 0.2], const 1) -> f64);
}

/// A wavelet step over pairs, written through `chunks_exact` and zipped outputs.
#[adjoint]
fn haar(x: &[f64], low: &mut [f64], high: &mut [f64]) {
    let pairs = x.chunks_exact(2);
    let rest = pairs.remainder();
    for ((pair, l), h) in pairs.zip(low.iter_mut()).zip(high.iter_mut()) {
        *l = (pair[0] + pair[1]) * 0.5;
        *h = (pair[0] - pair[1]) * 0.5;
    }
    if let Some(last) = rest.first() {
        low[x.len() / 2] = *last;
    }
}

#[test]
fn a_wavelet_step() {
    check!(haar(
        &vec![0.3, -0.1, 0.8, 0.5, 0.2],
        &mut vec![0.0; 3],
        &mut vec![0.0; 2]
    ));
}

/// Total variation and a smoothness penalty by neighbouring pairs.
#[adjoint]
fn variation(x: &[f64], eps: f64) -> f64 {
    let tv: f64 = x
        .windows(2)
        .map(|w| ((w[1] - w[0]).powi(2) + eps).sqrt())
        .sum();
    let curvature = x
        .windows(3)
        .map(|w| {
            let &[a, b, c] = w else { unreachable!() };
            (a - 2.0 * b + c).powi(2)
        })
        .sum::<f64>();
    tv + curvature
}

#[test]
fn differences_of_neighbours() {
    check!(variation(&vec![0.3, -0.1, 0.8, 0.5, 0.2], 0.01) -> f64);
}

/// Dynamic time warping on a table with sentinels at infinity.
#[adjoint]
fn dtw(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len(), b.len());
    let mut d = vec![vec![f64::INFINITY; m + 1]; n + 1];
    d[0][0] = 0.0;
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let cost = (x - y).powi(2);
            let best = d[i][j].min(d[i + 1][j]).min(d[i][j + 1]);
            d[i + 1][j + 1] = cost + best;
        }
    }
    d[n][m].sqrt()
}

#[test]
fn warped_distance() {
    check!(dtw(&vec![0.3, -0.1, 0.8], &vec![0.5, 0.2, 0.9, 0.4]) -> f64);
}
