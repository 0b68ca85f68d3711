//! Work buffers that are borrowed to be written, and not read again by their owner.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Space {
    t: Vec<f64>,
    rows: Vec<Vec<f64>>,
    more: Option<Vec<f64>>,
}

#[adjoint]
impl Space {
    fn new(n: usize) -> Space {
        Space {
            t: vec![0.0; n],
            rows: vec![vec![0.0; n]; n],
            more: Some(vec![1.0; n]),
        }
    }

    fn products(&mut self, x: &[f64]) -> f64 {
        for i in 0..x.len() {
            for j in 0..x.len() {
                self.rows[i][j] = x[i] * x[j];
            }
        }
        let mut s = 0.0;
        if let Some(more) = &mut self.more {
            for i in 0..x.len() {
                more[i] += self.rows[i][i];
                s += more[i] * more[i];
            }
        }
        s
    }
}

#[adjoint]
fn squares(space: &mut Space, x: &[f64]) -> f64 {
    for i in 0..x.len() {
        space.t[i] = x[i] * x[i];
    }
    space.t[0] * space.t[1]
}

#[adjoint]
fn by_function(x: &[f64]) -> f64 {
    let mut space = Space::new(3);
    squares(&mut space, x)
}

#[adjoint]
fn by_method(x: &[f64]) -> f64 {
    let mut space = Space::new(x.len());
    space.products(x)
}

#[adjoint]
fn again_and_again(x: &[f64], n: usize) -> f64 {
    let mut space = Space::new(3);
    let mut s = 0.0;
    for _ in 0..n {
        s += squares(&mut space, x) * x[0] + space.products(x);
    }
    s
}

#[adjoint]
fn grown(space: &mut Space, x: &[f64]) -> f64 {
    for v in x {
        space.t.push(v * v);
    }
    space.rows.push(space.t.clone());
    space.rows[0][0] * space.t[space.t.len() - 1]
}

/// What is lent has another shape when the call is reversed.
#[adjoint]
fn changed_afterwards(x: &[f64], n: usize) -> f64 {
    let mut space = Space::new(0);
    let mut s = 0.0;
    for i in 0..n {
        s += grown(&mut space, x);
        if i == 1 {
            space.t.clear();
            space.rows.clear();
            continue;
        }
        if i == 3 {
            space = Space::new(0);
        }
        space.t.truncate(2);
    }
    space.rows.clear();
    s
}

#[adjoint]
fn of_pair(w: &mut (Vec<f64>, f64), x: f64) -> f64 {
    w.0[1] *= x;
    x * x * w.0[1]
}

#[adjoint]
fn of_array(w: &mut [Vec<f64>; 2], x: f64) -> f64 {
    w[0][1] *= x;
    x * x
}

#[adjoint]
fn of_box(w: &mut Box<Vec<f64>>, x: f64) -> f64 {
    w[1] *= x;
    x * x * w[1]
}

#[adjoint]
fn of_rows(w: &mut Vec<Vec<f64>>, x: f64) -> f64 {
    w[0][1] *= x;
    x * x * w[0][1]
}

#[adjoint]
fn by_type(x: f64) -> f64 {
    let mut pair = (vec![1.0, 2.0], 0.0);
    let mut array = [vec![1.0, 2.0], vec![0.0]];
    let mut boxed = Box::new(vec![1.0, 2.0]);
    let mut rows = vec![vec![1.0, 2.0], vec![0.0]];
    of_pair(&mut pair, x) + of_array(&mut array, x) * of_box(&mut boxed, x) + of_rows(&mut rows, x)
}

#[adjoint]
mod seen {
    use super::Space;

    fn squares(space: &mut Space, x: &[f64]) -> f64 {
        for i in 0..x.len() {
            space.t[i] = x[i] * x[i];
        }
        space.t[0] * space.t[1]
    }

    pub fn product(x: &[f64]) -> f64 {
        let mut space = Space {
            t: vec![0.0; 3],
            rows: Vec::new(),
            more: None,
        };
        squares(&mut space, x)
    }
}

#[adjoint(wrt(x), of(ret))]
fn layer(x: &[f64], s: &mut [f64]) -> f64 {
    s[0] = x[0] * x[1];
    s[0] * s[0]
}

#[adjoint]
fn left_out(x: &[f64]) -> f64 {
    let mut s = vec![0.0; x.len()];
    layer(x, &mut s)
}

#[adjoint]
fn left_out_and_shared(x: &[f64], y: &[f64]) -> f64 {
    let mut s = [0.0; 3];
    layer(x, &mut s) * layer(y, &mut s) + layer(&[x[0], y[0]], &mut s)
}

#[test]
fn work_space_that_options_leave_out() {
    check!(left_out(&[0.3, 0.7, 0.9]) -> f64);
    check!(left_out_and_shared(&[0.3, 0.7, 0.9], &[0.4, 1.2]) -> f64);
}

#[test]
fn work_space_has_its_shape() {
    let x = [0.5, 0.7, 1.1];
    check!(by_function(&x) -> f64);
    check!(by_method(&x) -> f64);
    check!(by_type(0.6) -> f64);
    check!(seen::product(&x) -> f64);
    for n in [0, 1, 3] {
        check!(again_and_again(&x, const n) -> f64);
    }
    for n in 0..6 {
        check!(changed_afterwards(&x, const n) -> f64);
    }
}
