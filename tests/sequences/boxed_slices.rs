//! Boxed slices: as parameters, in fields, and in the function that collects them.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn read(d: &Box<[f64]>, k: f64) -> f64 {
    d[0] * k + d.iter().sum::<f64>() * d.len() as f64
}

#[adjoint]
fn first(d: &mut [f64], k: f64) {
    d[0] *= k;
}

#[adjoint]
fn written(d: &mut Box<[f64]>, k: f64) {
    first(d, k);
    first(&mut d[1..], k);
    for v in d.iter_mut() {
        *v *= k;
    }
}

#[adjoint]
fn collected(x: &[f64], k: f64) -> f64 {
    let mut d: Box<[f64]> = x.iter().map(|v| v * k).collect();
    d[0] *= d[1];
    d.iter().sum()
}

#[adjoint]
mod seen {
    use super::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Queue {
        pub d: Box<[f64]>,
        pub n: usize,
    }

    impl Queue {
        pub fn scaled(&mut self, k: f64) -> f64 {
            for v in self.d.iter_mut() {
                *v *= k;
            }
            self.d[0] * self.d[self.n]
        }
    }
}

#[adjoint]
fn given(x: &[f64], k: f64) -> Box<[f64]> {
    x.iter().map(|v| v * v * k).collect()
}

#[adjoint]
fn turned(x: &[f64], k: f64) -> Box<[f64]> {
    let mut v = vec![0.0; x.len()];
    for i in 0..x.len() {
        v[i] = x[i] * k;
    }
    v.into_boxed_slice()
}

#[adjoint]
fn converted(x: &[f64], k: f64) -> f64 {
    let mut b: Box<[f64]> = x.into();
    b[0] *= b[1] * k;
    let mut w: Vec<f64> = x.into();
    w.push(w[0] * b[0]);
    let c = Box::from(w);
    let g = given(&c, k);
    let t = turned(&g, b[0]);
    let blank = vec![0.0; 2].into_boxed_slice();
    t.iter().sum::<f64>() + g[0] * blank[0] + b.into_vec()[0]
}

fn boxed(x: [f64; 3]) -> Box<[f64]> {
    Box::new(x)
}

#[test]
fn boxed_slices_as_parameters() {
    let d = boxed([1.0, 2.0, 3.0]);
    let (mut d_adj, mut k_adj) = (boxed([0.0; 3]), 0.0);
    assert_eq!(read_adjoint(&d, &mut d_adj, 2.0, &mut k_adj, 1.0), 20.0);
    assert_eq!((&*d_adj, k_adj), (&[5.0, 3.0, 3.0][..], 1.0));

    let (mut d_adj, mut k_adj) = (boxed([1.0; 3]), 0.0);
    written_adjoint(&mut d.clone(), &mut d_adj, 2.0, &mut k_adj);
    assert_eq!((&*d_adj, k_adj), (&[4.0, 4.0, 2.0][..], 15.0));
}

#[test]
fn boxed_slices_in_fields() {
    let mut q = seen::Queue {
        d: boxed([1.0, 2.0, 3.0]),
        n: 1,
    };
    let (mut q_adj, mut k_adj) = (
        seen::Queue {
            d: boxed([0.0; 3]),
            n: 1,
        },
        0.0,
    );
    assert_eq!(q.scaled_adjoint(&mut q_adj, 2.0, &mut k_adj, 1.0), 8.0);
    assert_eq!((&*q_adj.d, k_adj), (&[8.0, 4.0, 0.0][..], 8.0));
}

#[test]
fn boxed_slices_collected() {
    let (mut x_adj, mut k_adj) = ([0.0; 2], 0.0);
    assert_eq!(
        collected_adjoint(&[1.0, 2.0], &mut x_adj, 3.0, &mut k_adj, 1.0),
        24.0
    );
    assert_eq!((x_adj, k_adj), ([18.0, 12.0], 14.0));
}

#[test]
fn boxed_slices_made() {
    check!(given(&vec![0.4, -0.3], 1.5) -> &Box<[f64]>);
    check!(turned(&vec![0.4, -0.3], 1.5) -> &Box<[f64]>);
    check!(converted(&vec![0.4, -0.3], 1.5) -> f64);
}
