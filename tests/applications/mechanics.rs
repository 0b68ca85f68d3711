//! Simulations of mechanics and heat: planets, molecules, heat between walls, a pendulum, rays.

use adjoint::{Differentiable, adjoint};

use crate::common::{Flat, check};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Planet {
    pos: [f64; 3],
    vel: [f64; 3],
    mass: f64,
}

impl Flat for Planet {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        self.pos.write(to);
        self.vel.write(to);
        self.mass.write(to);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Planet {
            pos: self.pos.read(from),
            vel: self.vel.read(from),
            mass: self.mass.read(from),
        }
    }
}

fn planets() -> Vec<Planet> {
    let planet = |x: f64, v: f64, mass| Planet {
        pos: [x, 0.3 * x, -0.1],
        vel: [0.1, v, 0.0],
        mass,
    };
    vec![
        planet(0.0, 0.0, 2.0),
        planet(1.5, 0.6, 0.5),
        planet(-2.0, -0.3, 0.7),
    ]
}

#[adjoint]
fn energy(bodies: &[Planet]) -> f64 {
    let mut e = 0.0;
    for (i, b) in bodies.iter().enumerate() {
        let sq = b.vel.iter().map(|v| v * v).sum::<f64>();
        e += 0.5 * b.mass * sq;
        for b2 in &bodies[i + 1..] {
            let d = [
                b.pos[0] - b2.pos[0],
                b.pos[1] - b2.pos[1],
                b.pos[2] - b2.pos[2],
            ];
            let dist = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
            e -= b.mass * b2.mass / dist;
        }
    }
    e
}

#[adjoint]
fn advance(bodies: &mut [Planet], dt: f64) {
    let n = bodies.len();
    for i in 0..n {
        let (left, right) = bodies.split_at_mut(i + 1);
        let b = &mut left[i];
        for b2 in right.iter_mut() {
            let mut d = [0.0; 3];
            for k in 0..3 {
                d[k] = b.pos[k] - b2.pos[k];
            }
            let d2: f64 = d.iter().map(|x| x * x).sum();
            let mag = dt / (d2 * d2.sqrt());
            let (massi, massj) = (b.mass, b2.mass);
            for k in 0..3 {
                b.vel[k] -= d[k] * massj * mag;
                b2.vel[k] += d[k] * massi * mag;
            }
        }
    }
    for b in bodies.iter_mut() {
        for (p, v) in b.pos.iter_mut().zip(b.vel.iter()) {
            *p += dt * v;
        }
    }
}

#[adjoint]
fn orbit(bodies: &mut Vec<Planet>, dt: f64, steps: usize) -> f64 {
    let before = energy(bodies);
    for _ in 0..steps {
        advance(bodies, dt);
    }
    energy(bodies) - before
}

#[test]
fn the_solar_system() {
    check!(orbit(&mut planets(), 0.05, const 3) -> f64);
}

/// Forces from a pair potential, and a step by velocity Verlet.
#[adjoint]
fn forces(x: &[f64], box_length: f64, f: &mut [f64]) -> f64 {
    f.fill(0.0);
    let n = x.len() / 3;
    let mut potential = 0.0;
    for i in 0..n {
        for j in (i + 1)..n {
            let mut r2 = 0.0;
            let mut d = [0.0f64; 3];
            for k in 0..3 {
                d[k] = x[3 * i + k] - x[3 * j + k];
                d[k] -= box_length * (d[k] / box_length).round();
                r2 += d[k].powi(2);
            }
            if r2 >= 6.25 {
                continue;
            }
            let ir6 = r2.powi(-3);
            potential += 4.0 * ir6 * (ir6 - 1.0);
            let magnitude = 24.0 * ir6 * (2.0 * ir6 - 1.0) / r2;
            for k in 0..3 {
                f[3 * i + k] += magnitude * d[k];
                f[3 * j + k] -= magnitude * d[k];
            }
        }
    }
    potential
}

#[adjoint]
fn verlet(x: &mut [f64], v: &mut [f64], box_length: f64, dt: f64, steps: usize) -> f64 {
    let mut f = vec![0.0; x.len()];
    let mut potential = forces(x, box_length, &mut f);
    for _ in 0..steps {
        for i in 0..x.len() {
            v[i] += 0.5 * dt * f[i];
            x[i] += dt * v[i];
        }
        potential = forces(x, box_length, &mut f);
        v.iter_mut().zip(&f).for_each(|(v, f)| *v += 0.5 * dt * f);
    }
    potential + 0.5 * v.iter().map(|v| v * v).sum::<f64>()
}

#[test]
fn molecules() {
    let x = vec![0.1, 0.2, 0.0, 1.3, 0.1, 0.3, 0.4, 1.4, -0.2];
    let v = vec![0.1, 0.0, -0.2, 0.0, 0.3, 0.1, -0.1, 0.0, 0.2];
    check!(verlet(&mut x.clone(), &mut v.clone(), 5.0, 0.01, const 2) -> f64);
}

#[adjoint]
fn heat(u: &mut Vec<Vec<f64>>, k: f64, steps: usize) {
    let (rows, cols) = (u.len(), u[0].len());
    let mut next = u.clone();
    for _ in 0..steps {
        for i in 1..rows - 1 {
            for j in 1..cols - 1 {
                let laplacian =
                    u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4.0 * u[i][j];
                next[i][j] = u[i][j] + k * laplacian;
            }
        }
        std::mem::swap(u, &mut next);
    }
}

#[test]
fn heat_between_walls() {
    let u = (0..4).map(|i| (0..5).map(|j| ((i * 3 + j * 5) % 7) as f64 * 0.3).collect());
    check!(heat(&mut u.collect::<Vec<Vec<f64>>>(), 0.1, const 3));
}

#[adjoint]
fn pendulum(state: [f64; 2], length: f64, damping: f64) -> [f64; 2] {
    let [theta, omega] = state;
    [omega, -9.81 / length * theta.sin() - damping * omega]
}

#[adjoint]
fn rk4(mut y: [f64; 2], length: f64, damping: f64, h: f64, steps: usize) -> [f64; 2] {
    let axpy = |a: f64, x: [f64; 2], y: [f64; 2]| [a * x[0] + y[0], a * x[1] + y[1]];
    for _ in 0..steps {
        let k1 = pendulum(y, length, damping);
        let k2 = pendulum(axpy(h / 2.0, k1, y), length, damping);
        let k3 = pendulum(axpy(h / 2.0, k2, y), length, damping);
        let k4 = pendulum(axpy(h, k3, y), length, damping);
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y
}

#[test]
fn four_stages() {
    check!(rk4([0.5, -0.2], 1.3, 0.1, 0.05, const 4) -> [f64; 2]);
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Ray {
    origin: [f64; 3],
    direction: [f64; 3],
}

impl Flat for Ray {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        self.origin.write(to);
        self.direction.write(to);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Ray {
            origin: self.origin.read(from),
            direction: self.direction.read(from),
        }
    }
}

#[adjoint]
impl Ray {
    fn at(self, t: f64) -> [f64; 3] {
        std::array::from_fn(|i| self.origin[i] + t * self.direction[i])
    }
}

#[adjoint]
fn dot3(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[adjoint]
fn intersect(ray: &Ray, center: &[f64; 3], radius: f64) -> Option<f64> {
    let mut oc = [0.0; 3];
    for i in 0..3 {
        oc[i] = ray.origin[i] - center[i];
    }
    let a = dot3(&ray.direction, &ray.direction);
    let half_b = dot3(&oc, &ray.direction);
    let c = dot3(&oc, &oc) - radius * radius;
    let discriminant = half_b * half_b - a * c;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    [(-half_b - root) / a, (-half_b + root) / a]
        .into_iter()
        .find(|t| *t > 1e-4)
}

#[adjoint]
fn shade(ray: Ray, center: [f64; 3], radius: f64, light: [f64; 3]) -> f64 {
    match intersect(&ray, &center, radius) {
        Some(t) => {
            let hit: [f64; 3] = ray.at(t);
            let normal = [0, 1, 2].map(|i| (hit[i] - center[i]) / radius);
            dot3(&normal, &light).max(0.0)
        }
        None => 0.1,
    }
}

#[test]
fn a_shaded_sphere() {
    let ray = Ray {
        origin: [0.0, 0.1, -3.0],
        direction: [0.05, 0.0, 1.0],
    };
    let away = Ray {
        direction: [1.0, 0.0, 0.1],
        ..ray
    };
    check!(shade(ray, [0.1, 0.0, 0.5], 1.2, [0.3, 0.8, -0.5]) -> f64);
    let missed = check!(shade(away, [0.1, 0.0, 0.5], 1.2, [0.3, 0.8, -0.5]) -> f64);
    assert!(missed[0].iter().all(|d| *d == 0.0));
}
