//! Structs and enums with data: literals, updates, methods, associated constants.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::{Differentiable, adjoint};
use common::{Flat, assert_close, check, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Material {
    young: f64,
    poisson: f64,
    thickness: f64,
    layers: usize,
}

flat!(Material {
    young,
    poisson,
    thickness
});

#[adjoint]
impl Material {
    const GRAVITY: f64 = 9.81;
    const FACTORS: [f64; 2] = [0.5, 2.0];

    fn steel() -> Self {
        Self {
            young: 210.0,
            poisson: 0.3,
            thickness: 1.0,
            layers: 1,
        }
    }

    fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    fn lame(&self) -> (f64, f64) {
        let Self { young, poisson, .. } = self;
        let mu: f64 = self.shear();
        (
            young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu,
        )
    }

    fn thicker(self, by: f64) -> Self {
        Self {
            thickness: self.thickness + by,
            ..self
        }
    }

    fn soften(&mut self, rate: f64) {
        for i in 0..self.layers {
            self.young *= 1.0 - rate / (i + 1) as f64;
        }
        self.thickness -= rate * Self::GRAVITY * Self::FACTORS[self.layers % 2];
    }
}

#[adjoint]
fn stiffness(m: &Material, by: f64, rate: f64) -> f64 {
    let mut thick: Material = m.clone().thicker(by);
    thick.soften(rate);
    let (lambda, mu): (f64, f64) = thick.lame();
    (lambda + 2.0 * mu) * thick.thickness
}

#[test]
fn methods_with_constants() {
    let m = Material {
        layers: 3,
        poisson: 0.25,
        ..Material::steel()
    };
    check!(stiffness(&m, 0.4, 0.05) -> f64);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Load {
    None,
    Point(f64),
    Linear { from: f64, to: f64 },
    Sampled(Vec<f64>),
}

#[adjoint]
impl Load {
    fn at(&self, t: f64) -> f64 {
        match self {
            Load::None => 0.0,
            Load::Point(p) => p * (-t * t).exp(),
            Load::Linear { from, to } => from + (to - from) * t,
            Load::Sampled(values) => {
                let n = values.len();
                let s = t * (n - 1) as f64;
                let i = (s.floor() as usize).min(n - 2);
                let w = s - i as f64;
                values[i] * (1.0 - w) + values[i + 1] * w
            }
        }
    }

    fn total(&self, n: usize) -> f64 {
        (0..n)
            .map(|i| self.at((i as f64 + 0.5) / n as f64))
            .sum::<f64>()
            / n as f64
    }
}

#[test]
fn an_enum_with_data() {
    let mut adj = Load::Linear { from: 0.0, to: 0.0 };
    let load = Load::Linear { from: 1.0, to: 3.0 };
    assert_eq!(load.total_adjoint(&mut adj, 4, 1.0), load.total(4));
    let Load::Linear { from, to } = adj else {
        panic!("the variant is kept")
    };
    assert_close(&[from, to], &[0.5, 0.5]);

    let mut adj = Load::Sampled(vec![0.0; 3]);
    Load::Sampled(vec![1.0, 0.5, 2.0]).total_adjoint(&mut adj, 2, 1.0);
    assert_eq!(adj, Load::Sampled(vec![0.25, 0.5, 0.25]));

    let (mut adj, mut t_adj) = (Load::Point(0.0), 0.0);
    Load::Point(2.0).at_adjoint(&mut adj, 0.5, &mut t_adj, 1.0);
    let bell = f64::exp(-0.25);
    assert_eq!(adj, Load::Point(bell));
    assert_close(&[t_adj], &[-2.0 * bell]);
}

/// A sparse matrix by rows.
#[derive(Clone, Debug, Differentiable)]
struct Csr {
    rows: usize,
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

#[adjoint]
impl Csr {
    fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..self.rows {
            let range = self.starts[i]..self.starts[i + 1];
            y[i] = range.map(|k| self.values[k] * x[self.columns[k]]).sum();
        }
    }

    fn row_norms(&self) -> Vec<f64> {
        self.starts
            .windows(2)
            .map(|w| {
                self.values[w[0]..w[1]]
                    .iter()
                    .map(|v| v * v)
                    .sum::<f64>()
                    .sqrt()
            })
            .collect()
    }
}

#[test]
fn a_sparse_matrix() {
    let a = Csr {
        rows: 2,
        starts: vec![0, 2, 3],
        columns: vec![0, 2, 1],
        values: vec![1.0, 2.0, 3.0],
    };
    let mut a_adj = Csr {
        values: vec![0.0; 3],
        ..a.clone()
    };
    let (x, mut x_adj) = ([0.5, 1.5, 2.5], [0.0; 3]);
    let (mut y, mut y_adj) = ([0.0; 2], [1.0, 2.0]);
    a.multiply_adjoint(&mut a_adj, &x, &mut x_adj, &mut y, &mut y_adj);
    assert_eq!((y, x_adj), ([5.5, 4.5], [1.0, 6.0, 2.0]));
    assert_eq!(a_adj.values, [0.5, 2.5, 3.0]);

    let mut a_adj = Csr {
        values: vec![0.0; 3],
        ..a.clone()
    };
    a.row_norms_adjoint(&mut a_adj, &[1.0, 1.0]);
    assert_close(&a_adj.values, &[1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt(), 1.0]);
}

/// Structs of structs, in a `Vec`.
#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Spring {
    ends: (usize, usize),
    rest: f64,
    stiffness: f64,
}

flat!(Spring { rest, stiffness });

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Net {
    springs: Vec<Spring>,
    damping: f64,
}

flat!(Net { springs, damping });

#[adjoint]
fn energy(net: &Net, x: &[f64]) -> f64 {
    let mut e = 0.0;
    for spring in &net.springs {
        let (i, j) = spring.ends;
        let stretch = (x[i] - x[j]).abs() - spring.rest;
        e += 0.5 * spring.stiffness * stretch * stretch;
    }
    let quiet: f64 = net
        .springs
        .iter()
        .filter(|s| s.stiffness > 1.0)
        .map(|s| s.rest)
        .sum();
    e * (1.0 - net.damping) + quiet
}

#[test]
fn structs_in_a_vec() {
    let spring = |i, j, rest, stiffness| Spring {
        ends: (i, j),
        rest,
        stiffness,
    };
    let net = Net {
        springs: vec![spring(0, 1, 0.5, 2.0), spring(1, 2, 0.3, 0.7)],
        damping: 0.1,
    };
    check!(energy(&net, &vec![0.0, 0.9, 2.0]) -> f64);
}

/// Newtypes and tuple structs.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Complex(f64, f64);

impl Flat for Complex {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.0, self.1]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        let (re, im) = (self.0.read(from), self.1.read(from));
        Complex(re, im)
    }
}

#[adjoint]
impl Complex {
    fn mul(self, other: Complex) -> Complex {
        Complex(
            self.0 * other.0 - self.1 * other.1,
            self.0 * other.1 + self.1 * other.0,
        )
    }
    fn add(self, other: Complex) -> Complex {
        Complex(self.0 + other.0, self.1 + other.1)
    }
    fn norm_sqr(self) -> f64 {
        self.0 * self.0 + self.1 * self.1
    }
}

#[adjoint]
fn julia(z: Complex, c: Complex, steps: usize) -> f64 {
    let mut z = z;
    for _ in 0..steps {
        let square: Complex = z.mul(z);
        z = square.add(c);
        if z.norm_sqr() > 4.0 {
            break;
        }
    }
    z.norm_sqr()
}

#[test]
fn a_tuple_struct_with_methods() {
    check!(julia(Complex(0.3, 0.2), Complex(-0.4, 0.1), const 3) -> f64);
}

mod kernels {
    use adjoint::adjoint;

    /// All in one module: aliases, constants and results are seen together.
    #[adjoint]
    pub mod geometry {
        pub type Point = [f64; 3];
        pub type Real = f64;
        const WEIGHTS: [Real; 3] = [0.5, 1.0, 2.0];

        pub fn minus(a: &Point, b: &Point) -> Point {
            std::array::from_fn(|i| a[i] - b[i])
        }

        pub fn norm(a: &Point) -> Real {
            a.iter()
                .zip(WEIGHTS)
                .map(|(x, w)| w * x * x)
                .sum::<Real>()
                .sqrt()
        }

        pub fn closest(points: &[Point], to: &Point) -> Option<Real> {
            points.iter().map(|p| norm(&minus(p, to))).reduce(Real::min)
        }

        pub fn distance(points: &[Point], to: &Point) -> Real {
            match closest(points, to) {
                Some(d) => d * d,
                None => 0.0,
            }
        }
    }
}

use kernels::geometry;

#[test]
fn aliases_in_a_module() {
    check!(geometry::distance(&vec![[0.1, 0.5, 0.2], [1.0, -0.3, 0.4]], &[0.3, 0.3, 0.3]) -> f64);
}

type Vec2 = [f64; 2];
type Scalar = f64;

/// Aliases outside of what the attribute sees.
#[adjoint]
fn aliased(a: Vec2, b: &Vec2, k: Scalar) -> Scalar {
    let d: Scalar = (a[0] - b[0]).hypot(a[1] - b[1]);
    k.exp() * d + b.iter().map(|v| v * v).sum::<f64>()
}

#[test]
fn aliases_from_elsewhere() {
    check!(aliased([0.3, 0.4], &[1.0, -0.5], 0.2) -> f64);
}

/// The state of an integrator, by value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Differentiable)]
struct Orbit {
    at: [f64; 3],
    speed: [f64; 3],
    spin: f64,
    tilt: f64,
}

#[adjoint(wrt(s))]
fn moved(s: Orbit, h: f64) -> Orbit {
    let [x, y, z] = s.at;
    let [u, v, w] = s.speed;
    Orbit {
        at: [x + h * u, y + h * v, z + h * w * s.tilt],
        speed: [u - h * x * s.spin, v - h * y, w - h * z * z],
        spin: s.spin - h * s.spin * s.tilt,
        tilt: s.tilt + h * x,
    }
}

#[adjoint(wrt(s), without(fusion))]
fn orbit(s: Orbit, h: f64, steps: usize) -> f64 {
    let mut s = s;
    for _ in 0..steps {
        s = moved(s, h);
    }
    s.at[0] * s.speed[1] + s.spin * s.tilt + s.at[2]
}

#[test]
fn a_step_by_value_records_the_state_once() {
    let start = |k: usize, h: f64| {
        let mut x: [f64; 8] = std::array::from_fn(|i| 0.3 + 0.1 * i as f64);
        x[k] += h;
        let [a, b, c, d, e, f, spin, tilt] = x;
        Orbit {
            at: [a, b, c],
            speed: [d, e, f],
            spin,
            tilt,
        }
    };
    let steps = 50;
    let (mut tape, mut adj) = (adjoint::Tape::new(), Orbit::default());
    orbit_adjoint_with(&mut tape, start(0, 0.0), &mut adj, 0.02, steps, 1.0);
    // One state for each step, and the last one.
    assert_eq!(tape.stats().reals.entries, 8 * (steps + 1));
    let e = 1e-6;
    let adjoints = [adj.at, adj.speed]
        .concat()
        .into_iter()
        .chain([adj.spin, adj.tilt]);
    for (k, adjoint) in adjoints.enumerate() {
        let [up, down] = [e, -e].map(|e| orbit(start(k, e), 0.02, steps));
        let slope = (up - down) / (2.0 * e);
        assert!(
            (adjoint - slope).abs() < 1e-8 * (1.0 + slope.abs()),
            "{k}: {adjoint} {slope}"
        );
    }
}

/// New values that replace old ones: what they are is there in the variable that they went to.
#[adjoint(wrt(x))]
fn replaced(x: &[f64], steps: usize) -> f64 {
    let mut cur: Vec<f64> = x.to_vec();
    let mut best = cur.clone();
    for k in 0..steps {
        let mut next: Vec<f64> = cur.iter().map(|v| v.sin() * 1.1 + v * v).collect();
        next[k % x.len()] *= 0.9;
        if k % 2 == 0 {
            best = next.clone();
        }
        cur = next;
        cur[0] *= 1.01;
    }
    cur.iter().zip(&best).map(|(c, b)| c * b).sum()
}

#[test]
fn values_that_replace_others() {
    for steps in 0..5 {
        check!(replaced(&vec![0.3, -0.2, 0.1], const steps) -> f64);
    }
}
