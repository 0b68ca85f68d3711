//! Inactive data, passed through several annotated functions.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// A skeleton; nothing is derived for it.
struct Model {
    parents: Vec<i64>,
    relatives: Vec<[[f64; 3]; 3]>,
    points: Vec<[f64; 3]>,
    weights: Vec<Vec<f64>>,
}

#[adjoint]
fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// A rotation about an axis; the identity where the angle is small.
#[adjoint]
fn rotation(a: &[f64; 3]) -> [[f64; 3]; 3] {
    let n = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
    if n < 1e-4 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let [x, y, z] = a.map(|v| v / n);
    let (s, c) = n.sin_cos();
    [
        [
            x * x + (1.0 - x * x) * c,
            x * y * (1.0 - c) - z * s,
            x * z * (1.0 - c) + y * s,
        ],
        [
            x * y * (1.0 - c) + z * s,
            y * y + (1.0 - y * y) * c,
            y * z * (1.0 - c) - x * s,
        ],
        [
            x * z * (1.0 - c) - y * s,
            z * y * (1.0 - c) + x * s,
            z * z + (1.0 - z * z) * c,
        ],
    ]
}

#[adjoint(wrt(pose))]
fn transforms(model: &Model, pose: &[[f64; 3]]) -> Vec<[[f64; 3]; 3]> {
    let mut all: Vec<[[f64; 3]; 3]> = Vec::with_capacity(model.parents.len());
    for (bone, &parent) in model.parents.iter().enumerate() {
        let relative = product(&model.relatives[bone], &rotation(&pose[bone]));
        let absolute = if parent < 0 {
            relative
        } else {
            product(&all[parent as usize], &relative)
        };
        all.push(absolute);
    }
    all
}

#[adjoint(wrt(pose))]
fn skinned(model: &Model, pose: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let bones = transforms(model, pose);
    let mut out = vec![[0.0; 3]; model.points.len()];
    for (v, place) in out.iter_mut().enumerate() {
        for (b, bone) in bones.iter().enumerate() {
            let w = model.weights[v][b];
            if w == 0.0 {
                continue;
            }
            for i in 0..3 {
                place[i] += w * (0..3).map(|j| bone[i][j] * model.points[v][j]).sum::<f64>();
            }
        }
    }
    out
}

fn hand() -> Model {
    let tilted = |t: f64| {
        [
            [t.cos(), -t.sin(), 0.1],
            [t.sin(), t.cos(), 0.0],
            [0.0, 0.2, 1.0],
        ]
    };
    Model {
        parents: vec![-1, 0, 0, 1],
        relatives: vec![tilted(0.1), tilted(0.4), tilted(-0.3), tilted(0.8)],
        points: vec![[0.3, -0.2, 0.5], [1.0, 0.4, -0.6]],
        weights: vec![vec![0.5, 0.0, 0.2, 0.3], vec![0.0, 0.7, 0.3, 0.0]],
    }
}

/// The point of a camera by Rodrigues' formula, or by its first order.
#[adjoint]
fn rotated(r: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let cross = |a: &[f64; 3], b: &[f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let squared: f64 = r.iter().map(|v| v * v).sum();
    match squared {
        0.0 => {
            let c = cross(r, p);
            std::array::from_fn(|i| p[i] + c[i])
        }
        _ => {
            let theta = squared.sqrt();
            let w = r.map(|v| v / theta);
            let c = cross(&w, p);
            let along = (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]) * (1.0 - theta.cos());
            std::array::from_fn(|i| p[i] * theta.cos() + c[i] * theta.sin() + w[i] * along)
        }
    }
}

/// A layer of a recurrent network, which changes the length of its buffer.
#[adjoint]
fn predict(weights: &[Vec<f64>], input: &[f64], state: &mut [f64], output: &mut [f64]) {
    let mut previous: Vec<f64> = input.iter().map(|v| v * weights[0][0]).collect();
    for w in &weights[1..] {
        for ((s, p), w) in state.iter_mut().zip(&previous).zip(w) {
            *s = (*s * w + p).tanh();
        }
        previous.clear();
        previous.extend_from_slice(state);
    }
    for (o, p) in output.iter_mut().zip(previous) {
        *o += p * weights[0][1];
    }
}

#[adjoint(wrt(weights))]
fn network(weights: &[Vec<f64>], sequence: &[Vec<f64>]) -> f64 {
    let n = sequence[0].len();
    let (mut state, mut output) = (vec![0.1; n], vec![0.0; n]);
    let mut loss = 0.0;
    for pair in sequence.windows(2) {
        predict(weights, &pair[0], &mut state, &mut output);
        for (o, t) in output.iter().zip(&pair[1]) {
            loss += (o - t) * (o - t);
        }
    }
    loss
}

/// Integers of a type that is declared elsewhere.
#[adjoint(wrt(x))]
fn by_parents(model: &Model, x: &[f64]) -> f64 {
    let mut s = 1.0;
    for &parent in &model.parents {
        if parent != -1 {
            s += x[parent as usize] * s;
        }
    }
    let mut top = model.parents[3];
    while top > 0 {
        s *= x[top as usize];
        top = model.parents[top as usize];
    }
    let later = model.parents.iter().filter(|&&p| p >= 0).count();
    let total: i64 = model.parents.iter().map(|p| p + 1).sum();
    let picked = match model.parents[1] {
        0 => x[0],
        -1 => 1.0,
        n => x[1] * n as f64,
    };
    s * later as f64 + picked * total as f64
}

/// Data with an adjoint that nobody wants.
#[derive(Clone, Debug, Differentiable)]
struct Table {
    rows: Vec<Vec<f64>>,
    scale: (f64, Box<[f64]>),
}

#[adjoint]
fn looked_up(table: &Table, x: f64, k: usize) -> f64 {
    let row = &table.rows[k];
    row.iter().rev().fold(0.0, |s, c| s * x + c) * table.scale.0 * table.scale.1[k]
}

#[adjoint(wrt(x))]
fn all_rows(table: &Table, x: f64) -> f64 {
    (0..table.rows.len()).map(|k| looked_up(table, x, k)).sum()
}

/// A step of a reaction network; nothing is derived for it.
struct Reaction {
    reactants: Vec<(usize, u32)>,
    products: Vec<(usize, u32)>,
    rate: usize,
}

#[adjoint(wrt(k, c))]
fn rates(network: &[Reaction], k: &[f64], c: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for r in network {
        let reactants = r.reactants.iter();
        let v = reactants.fold(k[r.rate], |v, &(s, n)| v * c[s].powi(n as i32));
        for &(s, n) in &r.reactants {
            out[s] -= n as f64 * v;
        }
        for &(s, n) in &r.products {
            out[s] += f64::from(n) * v;
        }
    }
}

#[adjoint(wrt(k, c))]
fn reacted(network: &Vec<Reaction>, k: &[f64], c: &[f64], steps: usize) -> f64 {
    let mut c = c.to_vec();
    let mut d = vec![0.0; c.len()];
    for _ in 0..steps {
        rates(network, k, &c, &mut d);
        rates(&network[1..], k, &c, &mut d);
        for (c, d) in c.iter_mut().zip(&d) {
            *c = (*c + 0.05 * d).max(0.0);
        }
    }
    c[0] * 2.0 + c[2]
}

#[test]
fn lists_that_are_constants() {
    let network = vec![
        Reaction {
            reactants: vec![(0, 1), (1, 2)],
            products: vec![(2, 1)],
            rate: 0,
        },
        Reaction {
            reactants: vec![(2, 1)],
            products: vec![(0, 1), (1, 1)],
            rate: 1,
        },
    ];
    check!(reacted(const &network, &[0.7, 0.3], &[1.0, 0.8, 0.2], const 6) -> f64);
}

#[test]
fn a_skeleton_that_is_a_constant() {
    let pose = vec![
        [0.3, -0.2, 0.5],
        [-0.4, 0.1, 0.6],
        [1.1, 0.4, -0.7],
        [0.2, 0.9, 0.1],
    ];
    check!(skinned(const &hand(), &pose) -> &Vec<[f64; 3]>);
    check!(by_parents(const &hand(), &vec![0.4, -1.3, 0.8, 0.2]) -> f64);
}

#[test]
fn arrays_by_functions_in_arms() {
    check!(rotated(&[0.3, -0.8, 0.5], &[1.2, 0.4, -0.9]) -> [f64; 3]);
}

#[test]
fn constants_of_what_resizes() {
    let weights = vec![vec![0.7, -1.2], vec![0.5, 0.9, -0.3], vec![-0.8, 0.2, 0.6]];
    let sequence = vec![
        vec![0.3, 0.6, -0.4],
        vec![1.0, -0.5, 0.2],
        vec![0.1, 0.7, 0.9],
    ];
    check!(network(&weights, const &sequence) -> f64);
}

#[test]
fn tables_that_are_constants() {
    let table = Table {
        rows: vec![vec![0.3, 1.2, -0.5], vec![], vec![2.0, 0.7]],
        scale: (1.5, Box::new([0.4, 1.0, -0.8])),
    };
    check!(all_rows(const &table, 0.9) -> f64);
}
