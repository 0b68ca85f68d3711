//! Arenas: methods of types that the macro does not see return indices into the arena.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
pub struct Graph {
    v: Vec<f64>,
    steps: u64,
    scale: [f64; 3],
}

flat!(Graph { v, steps, scale });

#[adjoint]
impl Graph {
    pub fn mul(&mut self, a: usize, b: usize) -> usize {
        let x = self.v[a] * self.v[b] * self.scale[0];
        self.v.push(x);
        self.v.len() - 1
    }

    pub fn sin(&mut self, a: usize) -> usize {
        self.steps += 1;
        let x = self.v[a].sin();
        self.v.push(x);
        self.v.len() - 1
    }

    pub fn sum_of(&mut self, a: usize, b: usize) -> (usize, bool) {
        let x = self.v[a] + self.v[b];
        self.v.push(x);
        (self.v.len() - 1, x > 0.0)
    }

    pub fn reset(&mut self) {
        self.steps = u64::default();
        self.scale = Default::default();
        self.v.truncate(usize::min_value() + 2);
    }
}

#[adjoint]
fn grown(graph: &mut Graph, n: usize) -> f64 {
    let mut at = 0;
    let mut positive = 0;
    for i in 0..n {
        let m = graph.mul(at, i);
        let s = graph.sin(m);
        let (sum, sign) = graph.sum_of(s, at);
        at = sum;
        positive += usize::from(sign);
    }
    graph.v[at] * (1 + positive) as f64
}

#[adjoint]
fn reset(graph: &mut Graph) -> f64 {
    let before = graph.v[0] * graph.scale[1];
    graph.reset();
    before + graph.v[1] * graph.scale[2]
}

mod lists {
    use adjoint::adjoint;

    #[adjoint]
    pub fn put(list: &mut Vec<f64>, x: f64, at: usize) -> usize {
        list.push(x * list[at]);
        list.len() - 1
    }

    #[adjoint]
    pub fn put_both(list: &mut [f64], x: f64, at: usize) -> (usize, bool) {
        list[at] *= x;
        (at, list[at] > 0.0)
    }
}

use lists::{put, put_both};

#[adjoint]
fn listed(list: &mut Vec<f64>, n: usize, x: f64) -> f64 {
    let s = put(list, x, n);
    let u = put(list, x * x, s);
    let (i, positive) = put_both(list, x, u);
    let both = put_both(list, x, s);
    if positive { list[i] } else { list[both.0] }
}

#[test]
fn indices_that_methods_hand_back() {
    let graph = Graph {
        v: vec![0.7, 1.3, -0.4],
        steps: 3,
        scale: [1.1, 0.9, -0.3],
    };
    for n in 0..4 {
        check!(grown(&mut graph.clone(), const n) -> f64);
    }
    check!(reset(&mut graph.clone()) -> f64);
    for x in [0.7, -0.7] {
        check!(listed(&mut vec![0.4, 1.2], const 1, x) -> f64);
    }
}

/// A closure's type tells how many elements `from_fn` makes.
#[adjoint]
fn typed_closure(o: [f64; 3], t: f64) -> f64 {
    let along = |k: f64| -> [f64; 3] { std::array::from_fn(|i| o[i] * k + i as f64) };
    let (a, b) = (along(t), along(t * t));
    let root = |x: f64| -> Option<f64> {
        if x < 0.0 {
            return None;
        }
        Some(x.sqrt())
    };
    a[0] * b[2] + a[1] + root(t).unwrap_or(b[1])
}

#[test]
fn closures_with_types() {
    check!(typed_closure([0.3, -0.5, 1.1], 0.7) -> f64);
    check!(typed_closure([0.3, -0.5, 1.1], -0.7) -> f64);
}
