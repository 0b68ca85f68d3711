//! Methods that consume `self`, of types that are not `Copy`.
//!
//! They are chained, called by path and in loops, and the reverse sweep needs the value again.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct Signal {
    samples: Vec<f64>,
    rate: usize,
}

flat!(Signal { samples });

#[adjoint]
impl Signal {
    fn times(self, other: &Signal) -> Signal {
        let mut product = self;
        for i in 0..product.samples.len() {
            product.samples[i] *= other.samples[i];
        }
        product
    }

    fn scale(mut self, k: f64) -> Self {
        for v in self.samples.iter_mut() {
            *v *= k;
        }
        self
    }

    fn energy(self) -> f64 {
        let mut sum = 0.0;
        for v in self.samples {
            sum += v * v;
        }
        sum
    }

    fn level(&self) -> f64 {
        self.samples.iter().map(|v| v * v * v).sum()
    }

    fn scaled_often(self, n: u32, k: f64) -> Self {
        match n {
            0 => self,
            n if n % 2 == 0 => self.scale(k).scaled_often(n - 1, k * k),
            n => Self::scaled_often(Self::scale(self, k), n - 1, k),
        }
    }

    fn add_to(self, y: &mut [f64], k: f64) {
        for (y, v) in y.iter_mut().zip(self.samples) {
            *y = *y * v + k * *y;
        }
    }

    fn into_samples(self) -> Vec<f64> {
        self.samples
    }
}

fn signal(samples: &[f64]) -> Signal {
    Signal {
        samples: samples.to_vec(),
        rate: 2,
    }
}

#[adjoint]
fn chained(x: &[f64], k: f64) -> f64 {
    let a = Signal {
        samples: x.to_vec(),
        rate: 2,
    };
    let b = Signal {
        samples: x.iter().map(|v| v.sin()).collect(),
        rate: 2,
    };
    let c = a.times(&b).scale(k);
    c.level() * b.scale(k * k).energy()
}

#[adjoint]
fn named_types(a: Signal, b: &Signal, k: f64) -> f64 {
    let copy = a.clone();
    let first = a.scale(k).energy();
    first * copy.times(b).level() + b.clone().energy() * k
}

#[adjoint]
fn by_path(x: &[f64], k: f64) -> f64 {
    let a = Signal {
        samples: x.to_vec(),
        rate: 2,
    };
    let twice = Signal::scaled_often(a.clone(), 4, k);
    Signal::energy(Signal::scale(a, k)) * Signal::level(&twice)
}

#[adjoint]
fn in_loops(x: &[f64], k: f64, n: usize) -> f64 {
    let mut a = Signal {
        samples: x.to_vec(),
        rate: 2,
    };
    let mut sum = 0.0;
    for i in 0..n {
        let part = Signal {
            samples: x[i..].to_vec(),
            rate: i,
        };
        if x[i] > 0.5 {
            sum += part.scale(x[i]).energy();
            continue;
        }
        sum *= Signal::energy(part) * k;
        a = a.scale(k + i as f64);
        if sum > 30.0 {
            break;
        }
    }
    sum * k + a.energy()
}

#[adjoint]
fn written(x: &[f64], y: &mut [f64], k: f64) -> f64 {
    let a = Signal {
        samples: x.to_vec(),
        rate: 1,
    };
    a.clone().add_to(y, k);
    Signal::add_to(a.clone(), y, k * k);
    let samples = a.into_samples();
    samples.first().map_or(k, |v| v * y[0]) * k
}

#[adjoint]
fn constant(x: &[f64], k: f64) -> f64 {
    let table = Signal {
        samples: vec![1.0, 2.0],
        rate: 1,
    };
    x[0] * table.energy() * k
}

#[test]
fn values_that_are_needed_again() {
    let x = vec![0.3, 0.7, -0.4];
    check!(chained(&x, 1.3) -> f64);
    check!(chained(&Vec::<f64>::new(), 1.3) -> f64);
    check!(named_types(signal(&x), &signal(&[0.2, 0.9, 0.5]), 1.3) -> f64);
    check!(by_path(&x, 0.8) -> f64);
    for n in 0..=3 {
        check!(in_loops(&x, 1.3, const n) -> f64);
    }
    check!(written(&x, &mut vec![0.3, 0.1, 0.9], 1.3) -> f64);
    check!(constant(&x, 1.3) -> f64);
}

/// The same where caller and methods see each other.
#[adjoint]
mod together {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Rows {
        pub cells: Vec<Vec<f64>>,
    }

    impl Rows {
        fn doubled(mut self, k: f64) -> Rows {
            for row in &mut self.cells {
                let own = row.clone();
                row.extend(own.iter().map(|v| v * k));
            }
            self
        }

        fn sum(self) -> f64 {
            self.cells.iter().flatten().map(|v| v * v).sum()
        }
    }

    pub fn grown(x: &[f64], k: f64) -> f64 {
        let rows = Rows {
            cells: vec![x.to_vec(), vec![k]],
        };
        let twice = rows.clone().doubled(k).doubled(k * k);
        let sum = rows.sum();
        sum * Rows::sum(twice)
    }
}

#[test]
fn values_that_grow() {
    check!(together::grown(&[0.3, 0.7], 0.9) -> f64);
    check!(together::grown(&Vec::<f64>::new(), 0.9) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
struct Opaque {
    values: Vec<f64>,
}

fn weighed_adjoint(of: Opaque, of_adj: &mut Opaque, k: f64, k_adj: &mut f64, ret_adj: f64) -> f64 {
    let sum: f64 = of.values.iter().sum();
    of_adj.values.iter_mut().for_each(|a| *a += ret_adj * k);
    *k_adj += ret_adj * sum;
    sum * k
}

#[adjoint]
impl Opaque {
    #[adjoint(custom = weighed_adjoint)]
    fn weighed(self, k: f64) -> f64 {
        self.values.iter().sum::<f64>() * k
    }
}

#[adjoint]
fn weighed_twice(x: &[f64], k: f64) -> f64 {
    let a = Opaque {
        values: x.iter().map(|v| v * v).collect(),
    };
    a.clone().weighed(k) * Opaque::weighed(a, k * k)
}

#[test]
fn an_adjoint_of_the_users() {
    check!(weighed_twice(&[0.3, 0.7], 0.9) -> f64);
}
