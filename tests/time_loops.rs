//! Ten time loops as solvers have them, and the sizes of their snapshots.
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;

use adjoint::{Differentiable, Tape, adjoint};
use common::{assert_gradient, check, snapshot_bytes as bytes};

/// Diffusion with a source; `flux` is scratch, `k` a field of constants.
#[adjoint]
fn diffuse(u: &mut [f64], k: &[f64], steps: usize) {
    let n = u.len();
    let mut flux = vec![0.0; n];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for i in 0..n {
            flux[i] = if i == 0 {
                0.0
            } else {
                k[i] * (u[i] - u[i - 1]) * u[i]
            };
        }
        for i in 1..n - 1 {
            u[i] += 0.1 * (flux[i + 1] - flux[i]);
        }
    }
}

/// A wave by leapfrog: two time levels that swap.
#[adjoint]
fn leapfrog(now: &mut Vec<f64>, before: &mut Vec<f64>, c: f64, steps: usize) {
    let n = now.len();
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for i in 1..n - 1 {
            let curvature = now[i - 1] - 2.0 * now[i] + now[i + 1];
            before[i] = 2.0 * now[i] - before[i] + c * curvature * now[i];
        }
        std::mem::swap(now, before);
    }
}

/// A predator and its prey by a Runge–Kutta method, whose stages are scratch.
#[adjoint]
fn lotka(y: &mut [f64; 2], rates: &[f64; 4], h: f64, steps: usize) -> f64 {
    let mut mid = [0.0; 2];
    let mut peak = 0.0;
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        let k1 = [
            y[0] * (rates[0] - rates[1] * y[1]),
            y[1] * (rates[2] * y[0] - rates[3]),
        ];
        for i in 0..2 {
            mid[i] = y[i] + 0.5 * h * k1[i];
        }
        let k2 = [
            mid[0] * (rates[0] - rates[1] * mid[1]),
            mid[1] * (rates[2] * mid[0] - rates[3]),
        ];
        for i in 0..2 {
            y[i] += h * k2[i];
        }
        if y[0] > peak {
            peak = y[0];
        }
    }
    peak
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Particle {
    at: [f64; 2],
    velocity: [f64; 2],
    mass: f64,
}

/// Particles in a spring field, by velocity Verlet.
#[adjoint]
fn verlet(all: &mut [Particle], stiffness: f64, h: f64, steps: usize) {
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for p in all.iter_mut() {
            for d in 0..2 {
                let force = -stiffness * p.at[d] * (1.0 + p.at[d] * p.at[d]);
                p.velocity[d] += 0.5 * h * force / p.mass;
                p.at[d] += h * p.velocity[d];
            }
        }
    }
}

/// Waves in shallow water over a bed that stays.
#[adjoint]
fn shallow(depth: &mut [f64], speed: &mut [f64], bed: &[f64], steps: usize) {
    let n = depth.len();
    let mut flow = vec![0.0; n];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        for i in 0..n {
            flow[i] = depth[i] * speed[i];
        }
        for i in 1..n - 1 {
            speed[i] -= 0.05 * (depth[i + 1] + bed[i + 1] - depth[i - 1] - bed[i - 1]);
            depth[i] -= 0.05 * (flow[i + 1] - flow[i - 1]);
        }
    }
}

/// Adam on a quadratic with a quartic term: parameters, two moments, and the powers of the decay rates.
#[adjoint]
fn adam(x: &mut [f64], target: &[f64], rate: f64, steps: usize) {
    let n = x.len();
    let (mut m, mut v) = (vec![0.0; n], vec![0.0; n]);
    let (mut b1, mut b2) = (1.0, 1.0);
    let mut gradient = vec![0.0; n];
    #[checkpoint(snapshots = 3)]
    for _ in 0..steps {
        b1 *= 0.9;
        b2 *= 0.99;
        for i in 0..n {
            let off = x[i] - target[i];
            gradient[i] = off + off * off * off;
        }
        for i in 0..n {
            m[i] = 0.9 * m[i] + 0.1 * gradient[i];
            v[i] = 0.99 * v[i] + 0.01 * gradient[i] * gradient[i];
            x[i] -= rate * (m[i] / (1.0 - b1)) / ((v[i] / (1.0 - b2)).sqrt() + 1e-3);
        }
    }
}

/// A Kalman filter of one state; of the estimates, the sum of the squares of what was not expected.
#[adjoint]
fn kalman(seen: &[f64], noise: f64, drift: f64) -> f64 {
    let (mut mean, mut variance, mut loss) = (0.0, 1.0, 0.0);
    #[checkpoint(snapshots = 3)]
    for z in seen {
        variance += drift;
        let gain = variance / (variance + noise);
        let off = z - mean;
        mean += gain * off;
        variance *= 1.0 - gain;
        loss += off * off;
    }
    loss
}

/// Gauss–Seidel until it converges: an online schedule.
#[adjoint]
fn relax(x: &mut [f64], b: &[f64], most: usize) -> f64 {
    let (mut change, mut sweeps) = (1.0, 0);
    #[checkpoint(snapshots = 3)]
    while change > 1e-3 && sweeps < most {
        change = 0.0;
        for i in 1..x.len() - 1 {
            let next = 0.25 * (b[i] + x[i - 1] + x[i + 1] + 0.1 * x[i] * x[i]);
            change += (next - x[i]) * (next - x[i]);
            x[i] = next;
        }
        sweeps += 1;
    }
    change
}

/// A recurrent cell over a text of inputs, which reads one input a step.
#[adjoint]
fn recurrent(inputs: &[f64], weights: &[f64; 3], width: usize) -> f64 {
    let mut hidden = vec![0.0; width];
    let mut next = vec![0.0; width];
    let mut at = 0;
    #[checkpoint(snapshots = 3)]
    while at < inputs.len() {
        for i in 0..width {
            let beside = hidden[(i + 1) % width];
            next[i] =
                (weights[0] * inputs[at] + weights[1] * hidden[i] + weights[2] * beside).tanh();
        }
        hidden.copy_from_slice(&next);
        at += 1;
    }
    hidden.iter().sum()
}

/// A table of populations by age, with a history that grows and is read.
#[adjoint]
fn cohorts(births: &[f64], survival: f64, years: usize) -> f64 {
    let mut ages = births.to_vec();
    let mut totals = Vec::new();
    #[checkpoint(snapshots = 3)]
    for year in 0..years {
        let total: f64 = ages.iter().sum();
        totals.push(total);
        let crowd = 1.0 / (1.0 + 0.01 * totals[year / 2]);
        for k in (1..ages.len()).rev() {
            ages[k] = ages[k - 1] * survival * crowd;
        }
        ages[0] = births[year % births.len()] * crowd;
    }
    totals.iter().map(|t| t * t).sum()
}

fn waves(n: usize, shift: f64) -> Vec<f64> {
    let wave = |i| 0.5 + 0.3 * (0.7 * i as f64 + shift).sin();
    (0..n).map(wave).collect()
}

#[test]
fn derivatives_are_right() {
    for steps in [0, 1, 2, 5, 13] {
        check!(diffuse(&mut waves(5, 0.2), &waves(5, 1.0), const steps));
        check!(leapfrog(&mut waves(5, 0.2), &mut waves(5, 0.3), 0.1, const steps));
        check!(lotka(&mut [0.9, 0.7], &[1.1, 0.4, 0.3, 0.8], 0.1, const steps) -> f64);
        check!(shallow(&mut waves(5, 0.2), &mut waves(5, 0.3), &waves(5, 1.0), const steps));
        check!(adam(&mut waves(3, 0.2), &waves(3, 1.0), 0.1, const steps));
        check!(kalman(&waves(steps, 0.2), 0.5, 0.1) -> f64);
        check!(recurrent(&waves(steps, 0.2), &[0.5, 0.4, 0.3], const 3) -> f64);
        check!(cohorts(&waves(4, 0.2), 0.8, const steps) -> f64);
        check!(relax(&mut waves(5, 0.2), &waves(5, 1.0), const steps) -> f64);
    }
}

#[test]
fn derivatives_of_structs_are_right() {
    let flat = waves(10, 0.4);
    let particle = Particle {
        at: [0.0; 2],
        velocity: [0.0; 2],
        mass: 0.0,
    };
    let all = |flat: &[f64]| {
        let mut all = vec![particle.clone(); 2];
        for (p, flat) in all.iter_mut().zip(flat.chunks(5)) {
            p.copy_from_flat(flat);
        }
        all
    };
    let sum = |all: &[Particle]| all.iter().map(|p| p.at[0] * p.at[1]).sum::<f64>();
    let mut last = all(&flat);
    verlet(&mut last, 0.7, 0.1, 11);
    let mut adjoints: Vec<Particle> = last
        .iter()
        .map(|p| Particle {
            at: [p.at[1], p.at[0]],
            ..particle.clone()
        })
        .collect();
    let mut tape = Tape::new();
    verlet_adjoint_with(
        &mut tape,
        &mut all(&flat),
        &mut adjoints,
        0.7,
        &mut 0.0,
        0.1,
        &mut 0.0,
        11,
    );
    let found: Vec<f64> = adjoints.iter().flat_map(|p| p.to_flat()).collect();
    assert_gradient(&found, &flat, |flat| {
        let mut moved = all(flat);
        verlet(&mut moved, 0.7, 0.1, 11);
        sum(&moved)
    });
}

/// What the snapshots hold, in numbers of 8 bytes: no scratch, no constants.
#[test]
fn snapshots_hold_the_state_alone() {
    let tape = &mut Tape::new();
    let (n, steps) = (7, 20);
    let mut zeros = vec![vec![0.0; n]; 3];
    let [a_adj, b_adj, c_adj] = &mut zeros[..] else {
        unreachable!()
    };
    diffuse_adjoint_with(
        tape,
        &mut waves(n, 0.2),
        a_adj,
        &waves(n, 1.0),
        b_adj,
        steps,
    );
    assert_eq!(bytes(tape), 8 * n, "u");
    leapfrog_adjoint_with(
        tape,
        &mut waves(n, 0.2),
        a_adj,
        &mut waves(n, 0.3),
        b_adj,
        0.1,
        &mut 0.0,
        steps,
    );
    assert_eq!(
        bytes(tape),
        8 * (2 * n + 2),
        "both time levels, with their lengths"
    );
    lotka_adjoint_with(
        tape,
        &mut [0.9, 0.7],
        &mut [0.0; 2],
        &[1.1, 0.4, 0.3, 0.8],
        &mut [0.0; 4],
        0.1,
        &mut 0.0,
        steps,
        1.0,
    );
    assert_eq!(bytes(tape), 8 * 3, "y and the peak");
    shallow_adjoint_with(
        tape,
        &mut waves(n, 0.2),
        a_adj,
        &mut waves(n, 0.3),
        b_adj,
        &waves(n, 1.0),
        c_adj,
        steps,
    );
    assert_eq!(bytes(tape), 8 * 2 * n, "depth and speed");
    adam_adjoint_with(
        tape,
        &mut waves(n, 0.2),
        a_adj,
        &waves(n, 1.0),
        b_adj,
        0.1,
        &mut 0.0,
        steps,
    );
    assert_eq!(
        bytes(tape),
        8 * (3 * n + 4),
        "x, both moments with their lengths, both powers"
    );
    kalman_adjoint_with(
        tape,
        &waves(steps, 0.2),
        &mut vec![0.0; steps],
        0.5,
        &mut 0.0,
        0.1,
        &mut 0.0,
        1.0,
    );
    assert_eq!(bytes(tape), 8 * 3, "mean, variance and the sum");
    recurrent_adjoint_with(
        tape,
        &waves(steps, 0.2),
        &mut vec![0.0; steps],
        &[0.5, 0.4, 0.3],
        &mut [0.0; 3],
        n,
        1.0,
    );
    assert_eq!(
        bytes(tape),
        8 * (n + 1),
        "the hidden state with its length; the number of the step gives the position"
    );
}
