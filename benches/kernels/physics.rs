//! Particles, fields and their steps in time.

use adjoint::adjoint;

/// The energy of particles in space, by a potential of Lennard and Jones.
#[adjoint]
pub fn lennard_jones(x: &[f64], _n: usize) -> f64 {
    let count = x.len() / 3;
    let mut energy = 0.0;
    for i in 0..count {
        for j in i + 1..count {
            let mut d2 = 0.0;
            for k in 0..3 {
                let d = x[3 * i + k] - x[3 * j + k];
                d2 += d * d;
            }
            let s = 1.0 / (d2 * d2 * d2);
            energy += 4.0 * (s * s - s);
        }
    }
    energy
}

/// Bodies that attract one another in a plane, by `n` steps of the leapfrog method: positions, then velocities.
#[adjoint]
pub fn bodies(x: &[f64], n: usize) -> f64 {
    let count = x.len() / 4;
    let mut position = x[..2 * count].to_vec();
    let mut velocity = x[2 * count..].to_vec();
    for _ in 0..n {
        for i in 0..count {
            let (mut ax, mut ay) = (0.0, 0.0);
            for j in 0..count {
                let dx = position[2 * j] - position[2 * i];
                let dy = position[2 * j + 1] - position[2 * i + 1];
                let d2 = dx * dx + dy * dy + 0.01;
                let d3 = d2 * d2.sqrt();
                ax += dx / d3;
                ay += dy / d3;
            }
            velocity[2 * i] += 0.01 * ax;
            velocity[2 * i + 1] += 0.01 * ay;
        }
        for (p, v) in position.iter_mut().zip(&velocity) {
            *p += 0.01 * v;
        }
    }
    position.iter().map(|p| p * p).sum()
}

/// Heat in a plate of width `n`, by explicit steps.
#[adjoint]
pub fn heat(x: &[f64], n: usize) -> f64 {
    let rows = x.len() / n;
    let mut t = x.to_vec();
    let mut next = x.to_vec();
    for _ in 0..20 {
        for i in 1..rows - 1 {
            for j in 1..n - 1 {
                let at = i * n + j;
                let sum = t[at - n] + t[at + n] + t[at - 1] + t[at + 1];
                next[at] = t[at] + 0.1 * (sum - 4.0 * t[at]);
            }
        }
        std::mem::swap(&mut t, &mut next);
    }
    t.iter().map(|v| v * v).sum()
}

/// A wave on a string with a stiffness that varies, by `n` steps.
#[adjoint]
pub fn wave(x: &[f64], n: usize) -> f64 {
    let (stiffness, start) = x.split_at(x.len() / 2);
    let cells = start.len();
    let mut before = start.to_vec();
    let mut now = start.to_vec();
    let mut next = vec![0.0; cells];
    for _ in 0..n {
        for i in 1..cells - 1 {
            let bend = now[i + 1] - 2.0 * now[i] + now[i - 1];
            next[i] = 2.0 * now[i] - before[i] + stiffness[i] * bend;
        }
        before.copy_from_slice(&now);
        now.copy_from_slice(&next);
    }
    now.iter().map(|v| v * v).sum()
}

/// Advection with a limiter, by `n` steps.
#[adjoint]
pub fn advection(x: &[f64], n: usize) -> f64 {
    let mut u = x.to_vec();
    let mut flux = vec![0.0; u.len()];
    for _ in 0..n {
        for i in 1..u.len() - 1 {
            let (left, right) = (u[i] - u[i - 1], u[i + 1] - u[i]);
            let slope = if left * right <= 0.0 {
                0.0
            } else if left.abs() < right.abs() {
                left
            } else {
                right
            };
            flux[i] = u[i] + 0.4 * slope;
        }
        for i in 2..u.len() - 1 {
            u[i] -= 0.2 * (flux[i] - flux[i - 1]);
        }
    }
    u.iter().map(|v| v * v).sum()
}

/// The error of a pendulum with friction after each of `n` steps of a Runge–Kutta method.
#[adjoint]
pub fn pendulum(x: &[f64], n: usize) -> f64 {
    let rate = |angle: f64, speed: f64| -x[2] * angle.sin() - x[3] * speed;
    let (mut angle, mut speed) = (x[0], x[1]);
    let h = 0.01;
    let mut error = 0.0;
    for _ in 0..n {
        let (a1, s1) = (speed, rate(angle, speed));
        let (a2, s2) = (
            speed + 0.5 * h * s1,
            rate(angle + 0.5 * h * a1, speed + 0.5 * h * s1),
        );
        let (a3, s3) = (
            speed + 0.5 * h * s2,
            rate(angle + 0.5 * h * a2, speed + 0.5 * h * s2),
        );
        let (a4, s4) = (speed + h * s3, rate(angle + h * a3, speed + h * s3));
        angle += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        speed += h / 6.0 * (s1 + 2.0 * s2 + 2.0 * s3 + s4);
        error += (angle - 0.5).powi(2);
    }
    error
}

/// The energy of springs between neighbours in space.
#[adjoint]
pub fn springs(x: &[f64], _n: usize) -> f64 {
    let mut energy = 0.0;
    for pair in x.windows(6).step_by(3) {
        let d = [pair[3] - pair[0], pair[4] - pair[1], pair[5] - pair[2]];
        let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        energy += 0.5 * (length - 1.0).powi(2);
    }
    energy
}
