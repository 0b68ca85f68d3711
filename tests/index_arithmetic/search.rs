//! `[INV]` Figure 14(b), the search loop of a Monte Carlo method. What is visited is weighted, for there to be derivatives.

use adjoint::adjoint;

use crate::Entries;
use crate::common::{Random, check};

/// The gotos in structured form. Arrays of the paper begin at 1, and `weights` at 0.
#[adjoint]
fn search(
    zone: &[i64],
    plan: &[f64],
    d: &[f64],
    limits: [f64; 3],
    weights: &[f64],
    n: i64,
    loops: usize,
) -> f64 {
    let [r, s, t] = limits;
    let ii = n / 3;
    let lb = ii + ii;
    let mut k2 = 0;
    let mut k3 = 0;
    let mut value = 1.0;
    for _ in 0..loops {
        let mut m = 1;
        let i1 = m;
        'zones: loop {
            let j2 = (n + n) * (m - 1) + 1;
            for k in 1..=n {
                k2 += 1;
                let j4 = j2 + k + k;
                let j5 = zone[j4 as usize - 1];
                value = 0.5 * value * weights[k2] + plan[j5 as usize - 1] * weights[m as usize];
                if j5 == n {
                    break 'zones;
                }
                let test = if j5 < n {
                    if j5 - n + lb < 0 {
                        plan[j5 as usize - 1] - t
                    } else if j5 - n + ii < 0 {
                        plan[j5 as usize - 1] - s
                    } else {
                        plan[j5 as usize - 1] - r
                    }
                } else {
                    k3 += 1;
                    value += weights[k3] * d[j5 as usize - 1] * value;
                    d[j5 as usize - 1]
                        - (d[j5 as usize - 2] * (t - d[j5 as usize - 3]).powi(2)
                            + (s - d[j5 as usize - 4]).powi(2)
                            + (r - d[j5 as usize - 5]).powi(2))
                };
                if test == 0.0 {
                    break 'zones;
                }
                let sign = zone[j4 as usize - 2];
                if sign == 0 {
                    break 'zones;
                }
                if (test > 0.0) == (sign < 0) {
                    m += 1;
                    if m > zone[0] {
                        m = 1;
                    }
                    if i1 == m {
                        break 'zones;
                    }
                    continue 'zones;
                }
            }
            break;
        }
    }
    value
}

/// The statements of the paper, by their labels. Gives the value, and how often each label was reached.
fn by_labels(
    zone: &[i64],
    plan: &[f64],
    d: &[f64],
    [r, s, t]: [f64; 3],
    weights: &[f64],
    n: i64,
    loops: usize,
) -> (f64, [usize; 500]) {
    let zone = |at: i64| zone[at as usize - 1];
    let plan = |at: i64| plan[at as usize - 1];
    let d = |at: i64| d[at as usize - 1];
    // The arithmetic `IF` of Fortran.
    let by_sign = |x: f64, [negative, zero, positive]: [usize; 3]| match x {
        x if x < 0.0 => negative,
        x if x > 0.0 => positive,
        _ => zero,
    };
    let by_integer = |x: i64, labels| by_sign(x as f64, labels);
    let ii = n / 3;
    let lb = ii + ii;
    let (mut k2, mut k3, mut value) = (0, 0, 1.0);
    let mut reached = [0; 500];
    for _ in 0..loops {
        let (mut m, mut i1, mut j2, mut k, mut j4, mut j5) = (1, 0, 0, 0, 0, 0);
        let mut label = 405;
        while label != 485 {
            reached[label] += 1;
            label = match label {
                405 => {
                    i1 = m;
                    410
                }
                410 => {
                    j2 = (n + n) * (m - 1) + 1;
                    k = 1;
                    411
                }
                // The head of `DO 470`.
                411 if k > n => 475,
                411 => {
                    k2 += 1;
                    j4 = j2 + k + k;
                    j5 = zone(j4);
                    value = 0.5 * value * weights[k2] + plan(j5) * weights[m as usize];
                    by_integer(j5 - n, [420, 475, 450])
                }
                415 => by_integer(j5 - n + ii, [430, 425, 425]),
                420 => by_integer(j5 - n + lb, [435, 415, 415]),
                425 => by_sign(plan(j5) - r, [445, 480, 440]),
                430 => by_sign(plan(j5) - s, [445, 480, 440]),
                435 => by_sign(plan(j5) - t, [445, 480, 440]),
                440 => by_integer(zone(j4 - 1), [455, 485, 470]),
                445 => by_integer(zone(j4 - 1), [470, 485, 455]),
                450 => {
                    k3 += 1;
                    value += weights[k3] * d(j5) * value;
                    let sum = d(j5 - 1) * (t - d(j5 - 2)).powi(2)
                        + (s - d(j5 - 3)).powi(2)
                        + (r - d(j5 - 4)).powi(2);
                    by_sign(d(j5) - sum, [445, 480, 440])
                }
                455 => {
                    m += 1;
                    by_integer(m - zone(1), [465, 465, 460])
                }
                460 => {
                    m = 1;
                    465
                }
                465 => by_integer(i1 - m, [410, 480, 410]),
                470 => {
                    k += 1;
                    411
                }
                475 | 480 => 485,
                _ => unreachable!("no label {label}"),
            };
        }
    }
    (value, reached)
}

const N: i64 = 9;
const LOOPS: usize = 3;
const LIMITS: [f64; 3] = [1.0, 1.1, 0.9];

/// Arguments: `zone` with four zones, in which zeros are rare; `plan`, far from the limits; `d`; weights.
struct Data {
    zone: Vec<i64>,
    plan: Vec<f64>,
    d: Vec<f64>,
    weights: Vec<f64>,
}

impl Data {
    fn new(seed: u64) -> Data {
        let mut random = Random::new(seed);
        let mut integer = |lo: i64, hi: i64| random.uniform(lo as f64, hi as f64).floor() as i64;
        let zones = 4;
        // Odd entries of the paper's are indices, which may be `N` or more, and even ones are signs.
        let zone = (1..=2 * N * zones + 1).map(|at| match at {
            1 => zones,
            at if at % 2 == 1 => match integer(0, 30) {
                0 => N,
                _ => integer(N - 8, N + 4),
            },
            _ => match integer(0, 30) {
                0 => 0,
                r => 2 * (r % 2) - 1,
            },
        });
        let zone = zone.collect();
        let mut far = |n| -> Vec<f64> {
            let numbers = random.vector(n, -1.0, 1.0).into_iter();
            numbers
                .map(|x| if x < 0.0 { 0.4 } else { 1.9 } + 0.1 * x)
                .collect()
        };
        let (plan, d) = (far(N as usize + 4), far(N as usize + 4));
        let weights = random.vector(150, 0.2, 0.5);
        Data {
            zone,
            plan,
            d,
            weights,
        }
    }
}

/// The structured form does what the paper's does, and every label is reached.
#[test]
fn control_flow() {
    let mut labels = [0; 500];
    for seed in 0..200 {
        let Data {
            zone,
            plan,
            d,
            weights,
        } = &Data::new(seed);
        let (value, reached) = by_labels(zone, plan, d, LIMITS, weights, N, LOOPS);
        assert_eq!(search(zone, plan, d, LIMITS, weights, N, LOOPS), value);
        for (sum, times) in labels.iter_mut().zip(reached) {
            *sum += times;
        }
    }
    for label in [
        405, 410, 415, 420, 425, 430, 435, 440, 445, 450, 455, 460, 465, 470, 475,
    ] {
        assert!(labels[label] > 10, "label {label}: {} times", labels[label]);
    }
}

#[test]
fn derivatives() {
    for seed in [1, 2, 3] {
        let Data {
            zone,
            plan,
            d,
            weights,
        } = &Data::new(seed);
        check!(search(const zone, &plan.clone(), &d.clone(), LIMITS, &weights.clone(), const N, const LOOPS) -> f64);
    }
}

pub fn entries() -> Vec<Entries> {
    let Data {
        zone,
        plan,
        d,
        weights,
    } = &Data::new(1);
    vec![crate::entries("search", |tape| {
        search_adjoint_with(
            tape,
            zone,
            plan,
            &mut plan.clone(),
            d,
            &mut d.clone(),
            LIMITS,
            &mut [0.0; 3],
            weights,
            &mut weights.clone(),
            N,
            LOOPS,
            1.0,
        );
    })]
}
