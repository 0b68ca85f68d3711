//! Methods of several fields as a textbook has them: events, sparse and banded systems, splines, trees.

use crate::common::{check, flat};
use adjoint::{Differentiable, adjoint};
use num_traits::Float;

// An ordinary differential equation with events.

#[adjoint]
fn bounce(y0: f64, v0: f64, g: f64, e: f64, dt: f64, steps: usize) -> (f64, f64, usize) {
    let (mut y, mut v) = (y0, v0);
    let mut hits = 0;
    let mut t = 0.0;
    for _ in 0..steps {
        let (yn, vn) = (y + dt * v - 0.5 * g * dt * dt, v - g * dt);
        if yn < 0.0 {
            let disc = (v * v + 2.0 * g * y).max(0.0);
            let tau = (v + disc.sqrt()) / g;
            v = -e * (v - g * tau);
            y = v * (dt - tau) - 0.5 * g * (dt - tau).powi(2);
            v -= g * (dt - tau);
            hits += 1;
            if hits > 3 {
                break;
            }
            t += tau;
            continue;
        }
        t += dt;
        y = yn;
        v = vn;
    }
    (y + t, v, hits)
}

// Sparse matrices by compressed rows.

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Csr {
    row_ptr: Vec<usize>,
    col: Vec<usize>,
    val: Vec<f64>,
}
flat!(Csr { row_ptr, col, val });
#[adjoint]
impl Csr {
    fn matvec(&self, x: &[f64]) -> Vec<f64> {
        (0..self.row_ptr.len() - 1)
            .map(|i| {
                (self.row_ptr[i]..self.row_ptr[i + 1])
                    .map(|k| self.val[k] * x[self.col[k]])
                    .sum()
            })
            .collect()
    }
    fn gauss_seidel(&self, b: &[f64], x: &mut [f64], sweeps: usize) {
        for _ in 0..sweeps {
            for i in 0..x.len() {
                let mut s = b[i];
                let mut d = 1.0;
                for k in self.row_ptr[i]..self.row_ptr[i + 1] {
                    match self.col[k] {
                        j if j == i => d = self.val[k],
                        j => s -= self.val[k] * x[j],
                    }
                }
                x[i] = s / d;
            }
        }
    }
}
#[adjoint]
fn residual(a: &Csr, b: &[f64]) -> f64 {
    let mut x = vec![0.0; b.len()];
    a.gauss_seidel(b, &mut x, 3);
    let r = a.matvec(&x);
    r.iter()
        .zip(b)
        .map(|(r, b)| (r - b).powi(2))
        .sum::<f64>()
        .sqrt()
        + x[0]
}

// B-splines.

#[adjoint]
fn de_boor(t: &[f64], c: &[[f64; 2]], p: usize, x: f64) -> [f64; 2] {
    let k = t
        .windows(2)
        .position(|w| w[0] <= x && x < w[1])
        .unwrap_or(p)
        .clamp(p, c.len() - 1);
    let mut d: Vec<[f64; 2]> = (0..=p).map(|j| c[j + k - p]).collect();
    for r in 1..=p {
        for j in (r..=p).rev() {
            let i = j + k - p;
            let a = (x - t[i]) / (t[i + p + 1 - r] - t[i]);
            for q in 0..2 {
                d[j][q] = (1.0 - a) * d[j - 1][q] + a * d[j][q];
            }
        }
    }
    d[p]
}

// Sums over a tree of boxes.

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Kd {
    Leaf(Vec<[f64; 2]>),
    Split {
        axis: usize,
        at: f64,
        mass: f64,
        lo: Box<Kd>,
        hi: Box<Kd>,
    },
}
#[adjoint(wrt(x, h))]
fn density(tree: &Kd, x: &[f64; 2], h: f64) -> f64 {
    match tree {
        Kd::Leaf(ps) => ps
            .iter()
            .map(|p| (-((p[0] - x[0]).powi(2) + (p[1] - x[1]).powi(2)) / (h * h)).exp())
            .sum(),
        Kd::Split {
            axis,
            at,
            mass,
            lo,
            hi,
        } => {
            let d = x[*axis] - at;
            let mut s = if d < 0.0 {
                density(lo, x, h)
            } else {
                density(hi, x, h)
            };
            if d.abs() < 3.0 * h {
                s += if d < 0.0 {
                    density(hi, x, h)
                } else {
                    density(lo, x, h)
                };
            } else {
                s += mass * (-d * d / (h * h)).exp();
            }
            s
        }
    }
}

// A union of materials.

#[derive(Clone, Debug, Differentiable)]
enum Material {
    Elastic { e: f64 },
    Plastic { e: f64, yield_stress: f64, h: f64 },
    Rubber(f64, f64),
    Rigid,
}
#[adjoint]
impl Material {
    fn stress(&self, strain: f64) -> f64 {
        match *self {
            Material::Elastic { e } => e * strain,
            Material::Plastic { e, yield_stress, h } => {
                let ey = yield_stress / e;
                if strain.abs() <= ey {
                    e * strain
                } else {
                    strain.signum() * (yield_stress + h * (strain.abs() - ey))
                }
            }
            Material::Rubber(c1, c2) => {
                let l = 1.0 + strain;
                2.0 * (c1 + c2 / l) * (l - l.powi(-2))
            }
            Material::Rigid => 0.0,
        }
    }
}
#[adjoint]
fn energy(ms: &[Material], strain: f64) -> f64 {
    ms.iter().map(|m| m.stress(strain) * strain).sum::<f64>()
        + ms.iter().filter(|m| !matches!(m, Material::Rigid)).count() as f64 * strain
}

// Moments of a stream.

#[derive(Clone, Debug, PartialEq, Default, Differentiable)]
struct Welford {
    n: usize,
    mean: f64,
    m2: f64,
    m3: f64,
    max: Option<f64>,
}
#[adjoint]
impl Welford {
    fn push(&mut self, x: f64) {
        let n1 = self.n as f64;
        self.n += 1;
        let n = self.n as f64;
        let d = x - self.mean;
        let dn = d / n;
        let t = d * dn * n1;
        self.mean += dn;
        self.m3 += t * dn * (n - 2.0) - 3.0 * dn * self.m2;
        self.m2 += t;
        self.max = Some(self.max.map_or(x, |m| m.max(x)));
    }
    fn merge(mut self, o: &Welford) -> Welford {
        if o.n == 0 {
            return self;
        }
        let (a, b) = (self.n as f64, o.n as f64);
        let d = o.mean - self.mean;
        self.mean += d * b / (a + b);
        self.m2 += o.m2 + d * d * a * b / (a + b);
        self.n += o.n;
        self
    }
    fn var(&self) -> f64 {
        if self.n < 2 {
            0.0
        } else {
            self.m2 / (self.n - 1) as f64
        }
    }
}
#[adjoint]
fn stats(x: &[f64], y: &[f64]) -> f64 {
    let mut a = Welford::default();
    let mut b = Welford::default();
    for v in x {
        a.push(*v);
    }
    for v in y {
        b.push(*v);
    }
    let skew = a.m3 / a.m2.powf(1.5);
    let m = a.max.unwrap_or(0.0);
    a.merge(&b).var() + skew * m
}

// Polynomials of two variables.

#[adjoint]
fn poly_mul(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (n, m) = (a.len() + b.len() - 1, a[0].len() + b[0].len() - 1);
    let mut c = vec![vec![0.0; m]; n];
    for (i, ra) in a.iter().enumerate() {
        for (j, va) in ra.iter().enumerate() {
            for (k, rb) in b.iter().enumerate() {
                for (l, vb) in rb.iter().enumerate() {
                    c[i + k][j + l] += va * vb;
                }
            }
        }
    }
    c
}
#[adjoint]
fn poly_eval(c: &[Vec<f64>], x: f64, y: f64) -> f64 {
    c.iter().rev().fold(0.0, |s, row| {
        s * x + row.iter().rev().fold(0.0, |r, v| r * y + v)
    })
}
#[adjoint]
fn poly(a: &[Vec<f64>], x: f64, y: f64) -> f64 {
    let mut p = a.to_vec();
    for _ in 0..2 {
        p = poly_mul(&p, a);
        while p.len() > 4 {
            p.pop();
        }
    }
    poly_eval(&p, x, y)
}

// A transform over any float.

#[adjoint]
fn fft<T: Float>(re: &mut [T], im: &mut [T], inverse: bool) {
    let n = re.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j ^= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut len = 2;
    let two_pi = T::from(2.0 * std::f64::consts::PI).unwrap();
    while len <= n {
        let ang = if inverse { two_pi } else { -two_pi } / T::from(len).unwrap();
        let (wr, wi) = (ang.cos(), ang.sin());
        for start in (0..n).step_by(len) {
            let (mut cr, mut ci) = (T::one(), T::zero());
            for k in 0..len / 2 {
                let (u, v) = (start + k, start + k + len / 2);
                let (tr, ti) = (re[v] * cr - im[v] * ci, re[v] * ci + im[v] * cr);
                re[v] = re[u] - tr;
                im[v] = im[u] - ti;
                re[u] = re[u] + tr;
                im[u] = im[u] + ti;
                let c = cr * wr - ci * wi;
                ci = cr * wi + ci * wr;
                cr = c;
            }
        }
        len <<= 1;
    }
    if inverse {
        let s = T::one() / T::from(n).unwrap();
        re.iter_mut().chain(im.iter_mut()).for_each(|v| *v = *v * s);
    }
}
#[adjoint]
fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = (a.len() + b.len() - 1).next_power_of_two();
    let pad = |x: &[f64]| {
        let mut v = x.to_vec();
        v.resize(n, 0.0);
        v
    };
    let (mut ar, mut br) = (pad(a), pad(b));
    let (mut ai, mut bi) = (vec![0.0; n], vec![0.0; n]);
    fft(&mut ar, &mut ai, false);
    fft(&mut br, &mut bi, false);
    for k in 0..n {
        let r = ar[k] * br[k] - ai[k] * bi[k];
        ai[k] = ar[k] * bi[k] + ai[k] * br[k];
        ar[k] = r;
    }
    fft(&mut ar, &mut ai, true);
    ar.truncate(a.len() + b.len() - 1);
    ar
}
#[adjoint]
fn conv_sum(a: &[f64], b: &[f64]) -> f64 {
    convolve(a, b)
        .iter()
        .enumerate()
        .map(|(i, v)| v * v * (i + 1) as f64)
        .sum()
}

// Banded systems.

#[adjoint]
fn banded_solve<const W: usize>(a: &mut Vec<[f64; W]>, b: &mut [f64]) -> Result<f64, String> {
    let n = b.len();
    let h = W / 2;
    let mut det = 1.0;
    for k in 0..n {
        let p = a[k][h];
        if p.abs() < 1e-14 {
            return Err(format!("zero pivot in row {k}"));
        }
        det *= p;
        for i in k + 1..(k + h + 1).min(n) {
            let f = a[i][h + k - i] / p;
            a[i][h + k - i] = f;
            for j in k + 1..(k + h + 1).min(n) {
                let u = a[k][h + j - k];
                a[i][h + j - i] -= f * u;
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..n).rev() {
        let mut s = b[k];
        for j in k + 1..(k + h + 1).min(n) {
            s -= a[k][h + j - k] * b[j];
        }
        b[k] = s / a[k][h];
    }
    Ok(det)
}
#[adjoint]
fn solved(a: &[[f64; 3]], b: &[f64]) -> f64 {
    let mut m = a.to_vec();
    let mut x = b.to_vec();
    match banded_solve(&mut m, &mut x) {
        Ok(det) => det.ln() + x.iter().sum::<f64>(),
        Err(_) => 0.0,
    }
}

#[test]
fn events() {
    check!(bounce(1.0, 0.3, 9.8, 0.8, 0.1, const 12) -> (f64, f64, usize));
}

#[test]
fn sparse_rows() {
    let a = Csr {
        row_ptr: vec![0, 2, 5, 7],
        col: vec![0, 1, 0, 1, 2, 1, 2],
        val: vec![4.0, 1.0, 0.5, 3.0, -1.0, 0.7, 5.0],
    };
    check!(residual(&a, &[1.0, 2.0, -1.0]) -> f64);
}

#[test]
fn splines() {
    check!(de_boor(&[0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0], &[[0.1, 0.2], [0.5, -0.3], [0.7, 0.9], [1.0, 0.4]], const 2, 0.55) -> [f64; 2]);
}

#[test]
fn moments() {
    check!(stats(&[0.3, 1.2, -0.4, 0.8], &[0.1, 0.5]) -> f64);
}

#[test]
fn polynomials() {
    check!(poly(&vec![vec![0.3, 1.2], vec![-0.4, 0.8]], 0.6, 0.9) -> f64);
}

#[test]
fn transforms() {
    check!(conv_sum(&[0.3, 1.2, -0.4], &[0.1, 0.5]) -> f64);
}

#[test]
fn banded_systems() {
    check!(solved(&[[0.0, 2.0, 0.3], [0.4, 3.0, -0.5], [0.6, 2.5, 0.0]], &[1.0, 0.5, -0.3]) -> f64);
}

#[test]
fn a_tree_of_boxes() {
    let leaf = |a: f64, b: f64| Box::new(Kd::Leaf(vec![[a, b], [a + 0.2, b - 0.1]]));
    let inner = Kd::Split {
        axis: 1,
        at: 0.4,
        mass: 2.0,
        lo: leaf(0.1, 0.2),
        hi: leaf(0.3, 0.7),
    };
    let tree = Kd::Split {
        axis: 0,
        at: 0.6,
        mass: 2.0,
        lo: Box::new(inner),
        hi: leaf(0.9, 0.5),
    };
    for h in [0.05, 0.6] {
        check!(density(const &tree, &[0.35, 0.3], h) -> f64);
    }
}

#[test]
fn materials() {
    let ms = [
        Material::Elastic { e: 2.0 },
        Material::Plastic {
            e: 3.0,
            yield_stress: 0.1,
            h: 0.4,
        },
        Material::Rubber(0.3, 0.2),
        Material::Rigid,
    ];
    let run = |s: f64| energy(&ms, s);
    let (mut a, mut sa) = (
        vec![
            Material::Elastic { e: 0.0 },
            Material::Plastic {
                e: 0.0,
                yield_stress: 0.0,
                h: 0.0,
            },
            Material::Rubber(0.0, 0.0),
            Material::Rigid,
        ],
        0.0,
    );
    energy_adjoint(&ms, &mut a, 0.2, &mut sa, 1.0);
    assert!((sa - (run(0.2 + 1e-6) - run(0.2 - 1e-6)) / 2e-6).abs() < 1e-7);
}
