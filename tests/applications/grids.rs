//! Meshes and grids: triangles by their nodes, fluxes with limiters, grids of grids.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn dirichlet_energy(nodes: &[[f64; 2]], tris: &Vec<[usize; 3]>, u: &[f64]) -> f64 {
    let mut e = 0.0;
    for &[i, j, k] in tris {
        let (a, b, c) = (nodes[i], nodes[j], nodes[k]);
        let det = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let area = 0.5 * det.abs();
        if area < 1e-12 {
            continue;
        }
        let grads = [
            [(b[1] - c[1]) / det, (c[0] - b[0]) / det],
            [(c[1] - a[1]) / det, (a[0] - c[0]) / det],
            [(a[1] - b[1]) / det, (b[0] - a[0]) / det],
        ];
        let mut g = [0.0; 2];
        for (w, &node) in grads.iter().zip([i, j, k].iter()) {
            for d in 0..2 {
                g[d] += w[d] * u[node];
            }
        }
        e += 0.5 * area * g.iter().map(|v| v * v).sum::<f64>();
    }
    e
}
#[test]
fn triangles() {
    check!(dirichlet_energy(&vec![[0.0, 0.0], [1.0, 0.1], [0.2, 1.1], [1.2, 1.3]], const &vec![[0, 1, 2], [1, 3, 2]], &vec![0.3, -0.2, 1.0, 0.4]) -> f64);
}

#[derive(Clone, Copy, PartialEq, Differentiable)]
enum Limiter {
    None,
    MinMod,
    VanLeer,
    Superbee,
}
#[adjoint]
impl Limiter {
    fn phi(self, r: f64) -> f64 {
        match self {
            Limiter::None => 1.0,
            Limiter::MinMod => r.min(1.0).max(0.0),
            Limiter::VanLeer => (r + r.abs()) / (1.0 + r.abs()),
            Limiter::Superbee => (2.0 * r).min(1.0).max(r.min(2.0)).max(0.0),
        }
    }
}
#[adjoint(wrt(u, a))]
fn advect(u: &mut [f64], a: f64, dt_dx: f64, lim: Limiter, steps: usize) {
    let n = u.len();
    let mut flux = vec![0.0; n];
    for _ in 0..steps {
        for i in 0..n {
            let (im, ip, ipp) = ((i + n - 1) % n, (i + 1) % n, (i + 2) % n);
            let du = u[ip] - u[i];
            let r = if a >= 0.0 {
                (u[i] - u[im]) / (du + 1e-9)
            } else {
                (u[ipp] - u[ip]) / (du + 1e-9)
            };
            let low = if a >= 0.0 { a * u[i] } else { a * u[ip] };
            let high = 0.5 * a.abs() * (1.0 - a.abs() * dt_dx) * du;
            flux[i] = low + lim.phi(r) * high;
        }
        for i in 0..n {
            u[i] -= dt_dx * (flux[i] - flux[(i + n - 1) % n]);
        }
    }
}
#[test]
fn fluxes_with_limiters() {
    for lim in [
        Limiter::None,
        Limiter::MinMod,
        Limiter::VanLeer,
        Limiter::Superbee,
    ] {
        check!(advect(&mut vec![0.1, 0.5, 1.2, 0.87, 0.3], 0.7, const 0.4, const lim, const 3));
    }
}

#[adjoint]
mod mg {
    fn smooth(u: &mut [f64], f: &[f64], h: f64, sweeps: usize) {
        let n = u.len();
        for _ in 0..sweeps {
            for i in 1..n - 1 {
                u[i] = 0.5 * (u[i - 1] + u[i + 1] + h * h * f[i]);
            }
        }
    }
    fn vcycle(u: &mut Vec<Vec<f64>>, f: &mut Vec<Vec<f64>>, level: usize) {
        let n = u[level].len();
        let h = 1.0 / (n - 1) as f64;
        if level + 1 == u.len() {
            let fl = f[level].clone();
            smooth(&mut u[level], &fl, h, 3);
            return;
        }
        smooth(&mut u[level], &f[level], h, 2);
        let mut r = vec![0.0; n];
        for i in 1..n - 1 {
            r[i] = f[level][i] - (2.0 * u[level][i] - u[level][i - 1] - u[level][i + 1]) / (h * h);
        }
        let nc = f[level + 1].len();
        for i in 1..nc - 1 {
            f[level + 1][i] = 0.25 * (r[2 * i - 1] + 2.0 * r[2 * i] + r[2 * i + 1]);
        }
        for v in u[level + 1].iter_mut() {
            *v = 0.0;
        }
        vcycle(u, f, level + 1);
        let (fine, coarse) = u.split_at_mut(level + 1);
        let (fine, coarse) = (&mut fine[level], &coarse[0]);
        for i in 0..nc - 1 {
            fine[2 * i] += coarse[i];
            fine[2 * i + 1] += 0.5 * (coarse[i] + coarse[i + 1]);
        }
        smooth(fine, &f[level], h, 2);
    }
    pub fn solve(rhs: &[f64], cycles: usize) -> f64 {
        let mut sizes = vec![rhs.len()];
        while *sizes.last().unwrap() > 3 {
            sizes.push((sizes.last().unwrap() + 1) / 2);
        }
        let mut u: Vec<Vec<f64>> = sizes.iter().map(|&n| vec![0.0; n]).collect();
        let mut f: Vec<Vec<f64>> = sizes.iter().map(|&n| vec![0.0; n]).collect();
        f[0].copy_from_slice(rhs);
        for _ in 0..cycles {
            vcycle(&mut u, &mut f, 0);
        }
        u[0].iter().map(|x| x * x).sum::<f64>()
    }
}
#[test]
fn a_v_cycle() {
    check!(mg::solve(&vec![0.0, 1.0, -0.5, 0.7, 2.0, 0.3, 0.1, -0.2, 0.0], const 2) -> f64);
}
