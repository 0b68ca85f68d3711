//! A matrix type whose values are replaced by values of another shape.

use std::ops::{Index, IndexMut};

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Differentiable, Debug)]
struct Grid {
    data: Vec<f64>,
    cols: usize,
}

#[adjoint]
impl Index<(usize, usize)> for Grid {
    type Output = f64;
    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[i * self.cols + j]
    }
}

#[adjoint]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[i * self.cols + j]
    }
}

#[adjoint]
fn of_a_slice(x: &[f64]) -> f64 {
    let mut g = Grid {
        data: x.to_vec(),
        cols: 2,
    };
    g[(1, 0)] = g[(1, 0)] * g[(0, 1)];
    let a = g[(2, 1)] * g[(1, 0)];
    g = Grid {
        data: g.data.clone(),
        cols: 3,
    };
    g[(1, 0)] = g[(1, 0)].sin() * g[(0, 2)];
    a + g[(1, 0)] * g[(1, 1)]
}

#[adjoint]
fn in_place(g: &mut Grid) -> f64 {
    let a = g[(1, 0)] * g[(0, 1)];
    *g = Grid {
        data: g.data.clone(),
        cols: 3,
    };
    g[(1, 0)] = g[(1, 0)].sin() * g[(0, 2)];
    a + g[(1, 0)] * g[(1, 1)]
}

#[adjoint]
fn replaced(x: &[f64]) -> f64 {
    let mut g = Grid {
        data: x.to_vec(),
        cols: 2,
    };
    g[(1, 0)] = g[(1, 0)] * g[(0, 1)];
    let other = Grid {
        data: vec![1.5; 6],
        cols: 3,
    };
    let old = std::mem::replace(&mut g, other);
    g[(1, 0)] = old[(1, 0)].sin() * old[(1, 1)] * g[(0, 2)];
    g[(1, 0)] * g[(1, 1)] * old[(2, 1)]
}

#[adjoint]
fn traded(g: &mut Grid, h: &mut Grid) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        g[(1, 0)] = g[(1, 0)].sin() * h[(0, 1)] + s;
        std::mem::swap(g, h);
        s += g[(1, 0)] * h[(1, 0)] * h[(0, 1)] * i as f64;
    }
    s
}

#[adjoint]
fn widen(g: &mut Grid) {
    let squares = g.data.iter().map(|v| v * v).collect();
    *g = Grid {
        data: squares,
        cols: 3,
    };
}

#[adjoint]
fn widened(x: &[f64]) -> f64 {
    let mut g = Grid {
        data: x.to_vec(),
        cols: 2,
    };
    g[(1, 0)] = g[(1, 0)] * g[(0, 1)];
    let a = g[(1, 0)] * g[(2, 0)];
    widen(&mut g);
    g[(1, 0)] = g[(1, 0)].sin() * g[(0, 2)];
    a + g[(1, 0)] * g[(1, 1)]
}

#[adjoint]
fn each_time_anew(x: &[f64], n: usize) -> f64 {
    let mut g = Grid {
        data: x.to_vec(),
        cols: 1,
    };
    let mut s = 0.0;
    for k in 0..n {
        g = Grid {
            data: g.data.clone(),
            cols: 1 + k % 3,
        };
        g[(1, 0)] = g[(1, 0)].sin() * g[(0, 1)];
        s += g[(1, 0)] * g[(1, 1)];
    }
    s
}

flat!(Grid { data });

const X: [f64; 6] = [0.3, -0.7, 1.1, 0.4, 0.9, -0.2];

fn grid(cols: usize) -> Grid {
    let data = X.to_vec();
    Grid { data, cols }
}

#[test]
fn shapes_of_wholes() {
    let x = X.to_vec();
    check!(of_a_slice(&x) -> f64);
    check!(replaced(&x) -> f64);
    check!(widened(&x) -> f64);
    for n in 0..6 {
        check!(each_time_anew(&x, const n) -> f64);
    }
    check!(in_place(&mut grid(2)) -> f64);
    check!(traded(&mut grid(2), &mut grid(3)) -> f64);
}

#[test]
fn adjoints_of_either_shape() {
    let [of_exit, of_entry] = [3, 2].map(|cols| {
        let mut g_adj = Grid {
            data: vec![0.25; 6],
            cols,
        };
        in_place_adjoint(&mut grid(2), &mut g_adj, 1.0);
        assert_eq!(g_adj.cols, 2);
        g_adj.data
    });
    assert_eq!(of_exit, of_entry);
}
