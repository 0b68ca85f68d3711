//! Particle methods: a fluid, bodies, a cloth, a grid and molecules. Only rustc knows the types of the fields.

use std::f64::consts::PI;

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

const H: f64 = 1.1;
#[derive(Clone, Copy, Debug, Differentiable)]
struct Particle {
    x: [f64; 2],
    v: [f64; 2],
    f: [f64; 2],
    rho: f64,
    p: f64,
}
flat!(Particle { x, v, f, rho, p });
#[adjoint]
fn compute_density_pressure(particles: &mut Vec<Particle>) {
    let poly6 = 4.0 / (PI * H.powi(8));
    for i in 0..particles.len() {
        let mut rho = 0.0;
        for j in 0..particles.len() {
            let rij = [
                particles[j].x[0] - particles[i].x[0],
                particles[j].x[1] - particles[i].x[1],
            ];
            let r2 = rij[0] * rij[0] + rij[1] * rij[1];
            if r2 < H * H {
                rho += 2.5 * poly6 * (H * H - r2).powi(3);
            }
        }
        particles[i].rho = rho;
        particles[i].p = 20.0 * (particles[i].rho - 3.0);
    }
}
#[adjoint]
fn compute_forces(particles: &mut Vec<Particle>) {
    for i in 0..particles.len() {
        let mut fp = [0.0, 0.0];
        for j in 0..particles.len() {
            if i == j {
                continue;
            }
            let rij = [
                particles[j].x[0] - particles[i].x[0],
                particles[j].x[1] - particles[i].x[1],
            ];
            let r = (rij[0].powi(2) + rij[1].powi(2)).sqrt();
            if r < H {
                let pij = (particles[i].p + particles[j].p) / (2.0 * particles[j].rho);
                let n = rij.map(|c| c / r);
                for k in 0..2 {
                    fp[k] += -n[k] * pij * (H - r).powf(3.0);
                }
            }
        }
        particles[i].f = fp;
    }
}
#[adjoint]
fn sph_integrate(particles: &mut [Particle], dt: f64) {
    for p in particles.iter_mut() {
        for k in 0..2 {
            p.v[k] += dt * p.f[k] / p.rho;
            p.x[k] += dt * p.v[k];
        }
        if p.x[0] - 0.1 < 0.0 {
            p.v[0] *= -0.5;
            p.x[0] = 0.1;
        }
    }
}
#[adjoint]
fn sph(particles: &mut Vec<Particle>, steps: usize) {
    for _ in 0..steps {
        compute_density_pressure(particles);
        compute_forces(particles);
        sph_integrate(particles, 0.01);
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Body {
    pos: (f64, f64, f64),
    vel: (f64, f64, f64),
    mass: f64,
}
flat!(Body { pos, vel, mass });
#[adjoint]
fn accelerations(bodies: &[Body]) -> Vec<(f64, f64, f64)> {
    let mut acc = vec![(0.0, 0.0, 0.0); bodies.len()];
    for (i, bi) in bodies.iter().enumerate() {
        for (j, bj) in bodies.iter().enumerate() {
            if i == j {
                continue;
            }
            let dx = bj.pos.0 - bi.pos.0;
            let dy = bj.pos.1 - bi.pos.1;
            let dz = bj.pos.2 - bi.pos.2;
            let d2 = dx * dx + dy * dy + dz * dz + 1e-3;
            let inv = bj.mass / (d2 * d2.sqrt());
            acc[i].0 += dx * inv;
            acc[i].1 += dy * inv;
            acc[i].2 += dz * inv;
        }
    }
    acc
}
#[adjoint]
fn leapfrog(bodies: &mut [Body], dt: f64, n: usize) -> f64 {
    let mut a = accelerations(bodies);
    for _ in 0..n {
        for (b, a) in bodies.iter_mut().zip(&a) {
            b.vel.0 += 0.5 * dt * a.0;
            b.vel.1 += 0.5 * dt * a.1;
            b.vel.2 += 0.5 * dt * a.2;
            b.pos.0 += dt * b.vel.0;
            b.pos.1 += dt * b.vel.1;
            b.pos.2 += dt * b.vel.2;
        }
        a = accelerations(bodies);
        for (b, a) in bodies.iter_mut().zip(a.iter()) {
            b.vel.0 += 0.5 * dt * a.0;
            b.vel.1 += 0.5 * dt * a.1;
            b.vel.2 += 0.5 * dt * a.2;
        }
    }
    bodies
        .iter()
        .map(|b| 0.5 * b.mass * (b.vel.0.powi(2) + b.vel.1.powi(2) + b.vel.2.powi(2)))
        .sum()
}

#[adjoint]
fn cloth(pos: &mut [[f64; 3]], vel: &mut [[f64; 3]], edges: &[(usize, usize)], k: f64, dt: f64) {
    let n = pos.len();
    let mut force = vec![[0.0; 3]; n];
    for &(a, b) in edges {
        let d: [f64; 3] = std::array::from_fn(|i| pos[b][i] - pos[a][i]);
        let len = d.iter().map(|c| c * c).sum::<f64>().sqrt();
        let f = k * (len - 1.0) / len;
        for i in 0..3 {
            force[a][i] += f * d[i];
            force[b][i] -= f * d[i];
        }
    }
    for ((p, v), f) in pos.iter_mut().zip(vel.iter_mut()).zip(&force) {
        for ((p, v), f) in p.iter_mut().zip(v.iter_mut()).zip(f) {
            *v = (*v + dt * f) * 0.99;
            *p += dt * *v;
        }
    }
}
#[adjoint]
fn p2g(xs: &[[f64; 2]], vs: &[[f64; 2]], grid: &mut [[f64; 3]], n: usize, dx: f64) {
    for (x, v) in xs.iter().zip(vs) {
        let base = [(x[0] / dx - 0.5) as usize, (x[1] / dx - 0.5) as usize];
        let fx = [x[0] / dx - base[0] as f64, x[1] / dx - base[1] as f64];
        let w = [
            [0.5 * (1.5 - fx[0]).powi(2), 0.5 * (1.5 - fx[1]).powi(2)],
            [0.75 - (fx[0] - 1.0).powi(2), 0.75 - (fx[1] - 1.0).powi(2)],
            [0.5 * (fx[0] - 0.5).powi(2), 0.5 * (fx[1] - 0.5).powi(2)],
        ];
        for i in 0..3 {
            for j in 0..3 {
                let weight = w[i][0] * w[j][1];
                let cell = &mut grid[(base[0] + i) * n + base[1] + j];
                cell[0] += weight * v[0];
                cell[1] += weight * v[1];
                cell[2] += weight;
            }
        }
    }
    for g in grid.iter_mut().filter(|g| g[2] > 0.0) {
        g[0] /= g[2];
        g[1] /= g[2];
    }
}
#[adjoint]
fn lj_forces(pos: &[[f64; 3]], box_len: f64, cutoff: f64) -> (f64, Vec<[f64; 3]>) {
    let n = pos.len();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for i in 0..n {
        for j in (i + 1)..n {
            pairs.push((i, j));
        }
    }
    let mut energy = 0.0;
    let mut f = vec![[0.0; 3]; n];
    for &(i, j) in pairs.iter() {
        let mut d = [0.0f64; 3];
        for k in 0..3 {
            d[k] = pos[i][k] - pos[j][k];
            d[k] -= box_len * (d[k] / box_len).round();
        }
        let r2 = d[0].powi(2) + d[1].powi(2) + d[2].powi(2);
        if r2 > cutoff * cutoff {
            continue;
        }
        let ir6 = (1.0 / r2).powi(3);
        energy += 4.0 * ir6 * (ir6 - 1.0);
        let fr = 24.0 * ir6 * (2.0 * ir6 - 1.0) / r2;
        for k in 0..3 {
            f[i][k] += fr * d[k];
            f[j][k] -= fr * d[k];
        }
    }
    (energy, f)
}
#[adjoint]
fn md_energy(pos: &[[f64; 3]], l: f64) -> f64 {
    let (e, f) = lj_forces(pos, l, 2.5);
    e + 0.01 * f.iter().flatten().map(|v| v * v).sum::<f64>()
}

#[test]
fn a_fluid() {
    let particle = |x: f64, y: f64| Particle {
        x: [x, y],
        v: [0.1, -0.2],
        f: [0.0; 2],
        rho: 0.0,
        p: 0.0,
    };
    let particles = vec![particle(0.3, 0.2), particle(0.9, 0.4), particle(0.5, 0.8)];
    check!(sph(&mut particles, const 2));
}

#[test]
fn bodies() {
    let body = |x: f64, mass: f64| Body {
        pos: (x, 0.3 * x, -x * x),
        vel: (0.1, x, 0.2),
        mass,
    };
    check!(leapfrog(&mut vec![body(0.2, 1.0), body(1.3, 0.5), body(-0.8, 2.0)], 0.05, const 2) -> f64);
}

#[test]
fn springs_of_a_cloth() {
    let nodes = vec![[0.0, 0.0, 0.1], [1.2, 0.1, 0.0], [0.3, 0.9, -0.2]];
    let edges = vec![(0, 1), (1, 2), (2, 0)];
    check!(cloth(&mut nodes, &mut vec![[0.1; 3]; 3], const &edges, 3.0, 0.1));
}

#[test]
fn particles_to_a_grid() {
    let (x, v) = (vec![[1.3, 1.1], [1.8, 1.6]], vec![[0.3, -0.2], [0.1, 0.5]]);
    check!(p2g(&x, &v, &mut vec![[0.1, 0.2, 0.3]; 16], const 4, 1.0));
}

#[test]
fn molecules_in_a_box() {
    check!(md_energy(&vec![[0.1, 0.2, 0.3], [1.2, 0.1, 0.4], [0.5, 1.3, 2.9]], 3.5) -> f64);
}
