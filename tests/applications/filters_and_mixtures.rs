//! Filters, factorisations and models whose state is passed on from step to step.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
pub struct KalmanFilter {
    x_est: f64,
    x_est_last: f64,
    p: f64,
    p_last: f64,
    k: f64,
    q: f64,
    r: f64,
}
#[adjoint]
impl KalmanFilter {
    pub fn new(q: f64, r: f64) -> KalmanFilter {
        KalmanFilter {
            x_est: 0.0,
            x_est_last: 0.0,
            p: 0.0,
            p_last: 0.0,
            k: 0.0,
            q: q,
            r: r,
        }
    }
    pub fn get_output_estimate(&self) -> f64 {
        self.x_est
    }
    pub fn update(&mut self, z: f64) {
        let x_temp = self.x_est_last;
        let p_temp = self.p_last + self.q;
        self.k = p_temp / (p_temp + self.r);
        self.x_est = x_temp + self.k * (z - x_temp);
        self.p = (1.0 - self.k) * p_temp;
        self.p_last = self.p;
        self.x_est_last = self.x_est;
    }
}
#[adjoint]
fn filter_all(q: f64, r: f64, z: &[f64]) -> f64 {
    let mut kf = KalmanFilter::new(q, r);
    let mut cost = 0.0;
    for &zi in z {
        kf.update(zi);
        let e = zi - kf.get_output_estimate();
        cost += e * e;
    }
    cost / z.len() as f64
}

#[adjoint]
fn matmul<const R: usize, const K: usize, const C: usize>(
    a: &[[f64; K]; R],
    b: &[[f64; C]; K],
) -> [[f64; C]; R] {
    let mut out = [[0.0; C]; R];
    for i in 0..R {
        for j in 0..C {
            for k in 0..K {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    out
}
#[adjoint]
fn transpose<const R: usize, const C: usize>(a: &[[f64; C]; R]) -> [[f64; R]; C] {
    std::array::from_fn(|j| std::array::from_fn(|i| a[i][j]))
}
#[adjoint]
fn ekf(z: &[f64], q: f64, r: f64) -> f64 {
    let dt = 0.1;
    let f = [[1.0, dt], [0.0, 1.0]];
    let h = [[1.0, 0.0]];
    let mut x = [[0.0], [1.0]];
    let mut p = [[1.0, 0.0], [0.0, 1.0]];
    let mut nll = 0.0;
    for &z in z {
        x = matmul(&f, &x);
        p = matmul(&matmul(&f, &p), &transpose(&f));
        p[0][0] += q;
        p[1][1] += q;
        let s = matmul(&matmul(&h, &p), &transpose(&h))[0][0] + r;
        let pht: [[f64; 1]; 2] = matmul(&p, &transpose(&h));
        let k = pht.map(|row| row.map(|v| v / s));
        let y = z - x[0][0];
        for i in 0..2 {
            x[i][0] += k[i][0] * y;
        }
        let kh = matmul(&k, &h);
        let mut ikh = [[1.0, 0.0], [0.0, 1.0]];
        for i in 0..2 {
            for j in 0..2 {
                ikh[i][j] -= kh[i][j];
            }
        }
        p = matmul(&ikh, &p);
        nll += 0.5 * (y * y / s + s.ln());
    }
    nll
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Biquad {
    b: [f64; 3],
    a: [f64; 2],
    z1: f64,
    z2: f64,
}
flat!(Biquad { b, a, z1, z2 });
#[adjoint]
impl Biquad {
    fn process(&mut self, x: f64) -> f64 {
        let y = self.b[0] * x + self.z1;
        self.z1 = self.b[1] * x - self.a[0] * y + self.z2;
        self.z2 = self.b[2] * x - self.a[1] * y;
        y
    }
}
#[adjoint]
fn cascade(sections: &mut [Biquad], input: &[f64]) -> Vec<f64> {
    input
        .iter()
        .map(|&x| sections.iter_mut().fold(x, |acc, s| s.process(acc)))
        .collect()
}

#[adjoint]
fn em_step(data: &[f64], w: &[f64], mu: &[f64], var: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let k = w.len();
    let mut nk = vec![0.0; k];
    let mut mk = vec![0.0; k];
    let mut vk = vec![0.0; k];
    for &x in data {
        let dens: Vec<f64> = (0..k)
            .map(|j| {
                w[j] * (-(x - mu[j]).powi(2) / (2.0 * var[j])).exp()
                    / (2.0 * std::f64::consts::PI * var[j]).sqrt()
            })
            .collect();
        let total: f64 = dens.iter().sum();
        for j in 0..k {
            let r = dens[j] / total;
            nk[j] += r;
            mk[j] += r * x;
            vk[j] += r * x * x;
        }
    }
    for j in 0..k {
        mk[j] /= nk[j];
        vk[j] = vk[j] / nk[j] - mk[j] * mk[j];
        nk[j] /= data.len() as f64;
    }
    (nk, mk, vk)
}
#[adjoint]
fn em_fit(data: &[f64], w: &[f64], mu: &[f64], var: &[f64]) -> f64 {
    let (mut w, mut mu, mut var) = (w.to_vec(), mu.to_vec(), var.to_vec());
    for _ in 0..3 {
        (w, mu, var) = em_step(data, &w, &mu, &var);
    }
    w[0] * mu[0] + mu[1].sin() + var.iter().sum::<f64>()
}
#[adjoint]
fn softmax_inplace(row: &mut [f64]) {
    let max = row.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for v in row.iter_mut() {
        *v = (*v - max).exp();
        sum += *v;
    }
    row.iter_mut().for_each(|v| *v /= sum);
}
#[adjoint]
fn attention(q: &[f64], k: &[f64], v: &[f64], seq: usize, dim: usize, out: &mut [f64]) {
    let scale = 1.0 / (dim as f64).sqrt();
    let mut scores = vec![0.0; seq];
    for (i, qi) in q.chunks(dim).enumerate() {
        for (s, kj) in scores.iter_mut().zip(k.chunks_exact(dim)) {
            *s = qi.iter().zip(kj).map(|(a, b)| a * b).sum::<f64>() * scale;
        }
        softmax_inplace(&mut scores[..=i]);
        let o = &mut out[i * dim..(i + 1) * dim];
        o.fill(0.0);
        for (s, vj) in scores.iter().zip(v.chunks(dim)).take(i + 1) {
            for (o, v) in o.iter_mut().zip(vj.iter()) {
                *o += s * v;
            }
        }
    }
}
#[adjoint]
fn soft_kmeans(points: &[(f64, f64)], centers: &mut Vec<(f64, f64)>, beta: f64) {
    let mut sums = vec![(0.0, 0.0, 0.0); centers.len()];
    for &(px, py) in points {
        let w: Vec<f64> = centers
            .iter()
            .map(|&(cx, cy)| (-beta * ((px - cx).powi(2) + (py - cy).powi(2))).exp())
            .collect();
        let z: f64 = w.iter().sum();
        for (s, w) in sums.iter_mut().zip(w.iter()) {
            let r = w / z;
            s.0 += r * px;
            s.1 += r * py;
            s.2 += r;
        }
    }
    *centers = sums.iter().map(|&(x, y, w)| (x / w, y / w)).collect();
}
#[adjoint]
fn log_sum_exp(xs: &[f64]) -> f64 {
    let m = xs.iter().fold(f64::MIN, |a, &b| a.max(b));
    m + xs.iter().map(|x| (x - m).exp()).sum::<f64>().ln()
}
#[adjoint]
fn crf_nll(emissions: &[Vec<f64>], trans: &[Vec<f64>], tags: &[usize]) -> f64 {
    let k = trans.len();
    let mut alpha = emissions[0].clone();
    let mut score = emissions[0][tags[0]];
    for (t, em) in emissions.iter().enumerate().skip(1) {
        alpha = (0..k)
            .map(|j| {
                let terms: Vec<f64> = (0..k).map(|i| alpha[i] + trans[i][j]).collect();
                em[j] + log_sum_exp(&terms)
            })
            .collect();
        score += trans[tags[t - 1]][tags[t]] + em[tags[t]];
    }
    log_sum_exp(&alpha) - score
}
#[adjoint]
pub fn logaddexp(a: f64, b: f64) -> f64 {
    if a == f64::NEG_INFINITY {
        return b;
    }
    if b == f64::NEG_INFINITY {
        return a;
    }
    let m = a.max(b);
    m + (-(a - b).abs()).exp().ln_1p()
}
#[adjoint]
fn ctc_loss(log_probs: &[Vec<f64>], labels: &[usize]) -> f64 {
    let mut ext = vec![0];
    for &l in labels {
        ext.push(l);
        ext.push(0);
    }
    let s = ext.len();
    let mut alpha = vec![f64::NEG_INFINITY; s];
    alpha[0] = log_probs[0][ext[0]];
    alpha[1] = log_probs[0][ext[1]];
    for t in 1..log_probs.len() {
        let mut next = vec![f64::NEG_INFINITY; s];
        for i in 0..s {
            let mut a = alpha[i];
            if i >= 1 {
                a = logaddexp(a, alpha[i - 1]);
            }
            if i >= 2 && ext[i] != 0 && ext[i] != ext[i - 2] {
                a = logaddexp(a, alpha[i - 2]);
            }
            next[i] = a + log_probs[t][ext[i]];
        }
        alpha = next;
    }
    -logaddexp(alpha[s - 1], alpha[s - 2])
}
#[adjoint]
fn robertson_rates(y: &[f64; 3], k: &[f64; 3]) -> [f64; 3] {
    let r1 = k[0] * y[0];
    let r2 = k[1] * y[1] * y[1];
    let r3 = k[2] * y[1] * y[2];
    [-r1 + r3, r1 - r3 - r2, r2]
}
#[adjoint]
fn solve3(mut a: [[f64; 3]; 3], mut b: [f64; 3]) -> [f64; 3] {
    for i in 0..3 {
        let mut p = i;
        for r in i + 1..3 {
            if a[r][i].abs() > a[p][i].abs() {
                p = r;
            }
        }
        a.swap(i, p);
        b.swap(i, p);
        for r in (i + 1)..3 {
            let f = a[r][i] / a[i][i];
            for c in i..3 {
                a[r][c] -= f * a[i][c];
            }
            b[r] -= f * b[i];
        }
    }
    let mut x = [0.0; 3];
    for i in (0..3).rev() {
        x[i] = (b[i] - (i + 1..3).map(|j| a[i][j] * x[j]).sum::<f64>()) / a[i][i];
    }
    x
}
#[adjoint]
fn implicit_euler(y0: [f64; 3], k: [f64; 3], h: f64, steps: usize) -> [f64; 3] {
    let mut y = y0;
    for _ in 0..steps {
        let old = y;
        for _ in 0..3 {
            let f = robertson_rates(&y, &k);
            let res = [
                y[0] - old[0] - h * f[0],
                y[1] - old[1] - h * f[1],
                y[2] - old[2] - h * f[2],
            ];
            let jac = [
                [1.0 + h * k[0], -h * k[2] * y[2], -h * k[2] * y[1]],
                [
                    -h * k[0],
                    1.0 + h * (k[2] * y[2] + 2.0 * k[1] * y[1]),
                    h * k[2] * y[1],
                ],
                [0.0, -2.0 * h * k[1] * y[1], 1.0],
            ];
            let dy = solve3(jac, res);
            for (y, d) in y.iter_mut().zip(dy) {
                *y -= d;
            }
        }
    }
    y
}
#[adjoint]
fn jacobi_rotate<const N: usize>(a: &mut [[f64; N]; N], sweeps: usize) {
    for _ in 0..sweeps {
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q].abs() < 1e-12 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..N {
                    let (akp, akq) = (a[k][p], a[k][q]);
                    a[k][p] = c * akp - s * akq;
                    a[k][q] = s * akp + c * akq;
                }
                for k in 0..N {
                    let (apk, aqk) = (a[p][k], a[q][k]);
                    a[p][k] = c * apk - s * aqk;
                    a[q][k] = s * apk + c * aqk;
                }
            }
        }
    }
}
#[adjoint]
fn spectrum(m: &[[f64; 3]; 3]) -> f64 {
    let mut a = *m;
    jacobi_rotate(&mut a, 4);
    a[0][0].powi(3) + a[1][1].sin() * a[2][2]
}
#[adjoint]
fn lu_solve(a: &Vec<Vec<f64>>, b: &Vec<f64>) -> Option<Vec<f64>> {
    let n = a.len();
    let mut m: Vec<Vec<f64>> = a
        .iter()
        .zip(b)
        .map(|(row, &bi)| {
            let mut r = row.clone();
            r.push(bi);
            r
        })
        .collect();
    for col in 0..n {
        let pivot =
            (col..n).max_by(|&i, &j| m[i][col].abs().partial_cmp(&m[j][col].abs()).unwrap())?;
        if m[pivot][col].abs() < 1e-14 {
            return None;
        }
        m.swap(col, pivot);
        for row in col + 1..n {
            let factor = m[row][col] / m[col][col];
            for k in col..=n {
                let t = m[col][k];
                m[row][k] -= factor * t;
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let s: f64 = (i + 1..n).map(|j| m[i][j] * x[j]).sum();
        x[i] = (m[i][n] - s) / m[i][i];
    }
    Some(x)
}
#[adjoint]
fn lu_norm(a: &Vec<Vec<f64>>, b: &Vec<f64>) -> f64 {
    match lu_solve(a, b) {
        Some(x) => x.iter().map(|v| v * v).sum(),
        None => f64::INFINITY,
    }
}
#[adjoint]
fn thomas(a: &[f64], b: &[f64], c: &[f64], d: &[f64]) -> Vec<f64> {
    let n = d.len();
    let mut cp = vec![0.0; n];
    let mut dp = vec![0.0; n];
    cp[0] = c[0] / b[0];
    dp[0] = d[0] / b[0];
    for i in 1..n {
        let m = 1.0 / (b[i] - a[i] * cp[i - 1]);
        cp[i] = c[i] * m;
        dp[i] = (d[i] - a[i] * dp[i - 1]) * m;
    }
    let mut x = dp.clone();
    for i in (0..n - 1).rev() {
        x[i] -= cp[i] * x[i + 1];
    }
    x
}
#[adjoint]
fn crank_nicolson(mut u: Vec<f64>, alpha: f64, steps: usize) -> Vec<f64> {
    let n = u.len();
    let a = vec![-alpha / 2.0; n];
    let b = vec![1.0 + alpha; n];
    let c = a.clone();
    for _ in 0..steps {
        let mut d = vec![0.0; n];
        for i in 0..n {
            let l = if i > 0 { u[i - 1] } else { 0.0 };
            let r = if i + 1 < n { u[i + 1] } else { 0.0 };
            d[i] = alpha / 2.0 * (l + r) + (1.0 - alpha) * u[i];
        }
        u = thomas(&a, &b, &c, &d);
    }
    u
}

#[test]
fn filters() {
    check!(filter_all(0.1, 0.5, &vec![1.0, 1.3, 0.7, 1.1]) -> f64);
    check!(ekf(&vec![0.1, 0.25, 0.3], 0.05, 0.2) -> f64);
    let section = Biquad {
        b: [0.3, 0.2, 0.1],
        a: [-0.4, 0.2],
        z1: 0.1,
        z2: -0.2,
    };
    check!(cascade(&mut vec![section, section], &vec![1.0, 0.3, -0.5]) -> &Vec<f64>);
}

#[test]
fn mixtures() {
    let data = vec![0.1, 0.4, 2.0, 2.5, -0.3];
    check!(em_fit(&data, &vec![0.5, 0.5], &vec![0.0, 2.0], &vec![1.0, 0.8]) -> f64);
    let points = vec![(0.1, 0.3), (1.2, 0.9), (-0.4, 0.8)];
    check!(soft_kmeans(&points, &mut vec![(0.0, 0.0), (1.0, 1.0)], 1.3));
}

#[test]
fn sequences() {
    let rows = |k: f64| -> Vec<f64> { (0..6).map(|i| (k * i as f64).sin()).collect() };
    check!(attention(&rows(1.1), &rows(0.7), &rows(2.3), const 3, const 2, &mut vec![0.0; 6]));
    let scores = |n: usize, k: usize| -> Vec<Vec<f64>> {
        let row = |i: usize| {
            (0..k)
                .map(|j| -1.0 - ((i * 3 + j) as f64).sin().abs())
                .collect()
        };
        (0..n).map(row).collect()
    };
    check!(crf_nll(&scores(3, 2), &vec![vec![0.1, 0.4], vec![-0.3, 0.2]], const &vec![0, 1, 1]) -> f64);
    check!(ctc_loss(&scores(4, 3), const &[1, 2]) -> f64);
}

#[test]
fn systems() {
    check!(implicit_euler([1.0, 0.2, 0.1], [0.4, 3.0, 1.0], 0.1, const 2) -> [f64; 3]);
    check!(spectrum(&[[2.0, 0.3, -0.1], [0.3, 1.0, 0.4], [-0.1, 0.4, 0.5]]) -> f64);
    let a = vec![
        vec![0.2, 1.0, 0.5],
        vec![2.0, -1.0, 0.3],
        vec![0.4, 0.8, -1.5],
    ];
    check!(lu_norm(&a, &vec![1.0, 2.0, -0.5]) -> f64);
    check!(crank_nicolson(vec![0.0, 1.0, 0.5, 0.2], 0.4, const 3) -> &Vec<f64>);
}
