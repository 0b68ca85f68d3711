//! `dedup`, `retain` and moves out of lists, in fields whose types the macro does not see.
//!
//! Fields are borrowed under a name, too.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Samples {
    values: Vec<f64>,
    tagged: Vec<(usize, f64)>,
}
flat!(Samples { values, tagged });

fn samples() -> Samples {
    Samples {
        values: vec![0.11, 0.12, -2.4, 1.9, 1.91, 1.92, 0.13],
        tagged: vec![(1, 0.4), (1, 0.7), (2, -0.3), (3, 1.1), (3, 0.2), (1, 0.6)],
    }
}

#[adjoint]
fn by_key(s: &mut Samples, k: f64) -> f64 {
    s.tagged.dedup_by_key(|t| t.0);
    s.values.dedup_by_key(|v| *v > 0.6);
    let mut sum = 0.0;
    for t in &s.tagged {
        sum += t.1 * k * t.0 as f64;
    }
    for v in &mut s.values {
        *v *= k;
        sum += *v * *v;
    }
    sum
}

#[adjoint]
fn by_test(s: &mut Samples, k: f64) -> f64 {
    s.tagged.dedup_by(|a, b| a.0 == b.0);
    s.tagged.retain(|t| t.0 != 2);
    s.values.dedup();
    s.values.retain(|v| *v > -1.0);
    s.values.iter().sum::<f64>() * k + s.tagged[1].1 * k
}

#[adjoint]
fn taken(s: &mut Samples, k: f64) -> f64 {
    let old = std::mem::take(&mut s.tagged);
    for t in &old {
        s.tagged.push((t.0 + 1, t.1 * k));
    }
    for t in old {
        s.values.push(t.1 * t.1);
    }
    s.tagged[0].1 * s.values[7]
}

#[test]
fn elements_of_unseen_fields_are_left_out() {
    check!(by_key(&mut samples(), 0.8) -> f64);
    check!(by_test(&mut samples(), 0.8) -> f64);
    check!(taken(&mut samples(), 0.8) -> f64);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Stack {
    data: Vec<f64>,
}
flat!(Stack { data });

#[adjoint]
impl Stack {
    fn push(&mut self, v: f64) {
        self.data.push(v);
    }
    fn pop(&mut self) -> f64 {
        self.data.pop().unwrap()
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Machine {
    stack: Stack,
    k: f64,
}
flat!(Machine { stack, k });

#[adjoint]
impl Machine {
    fn add(&mut self, v: f64) {
        let s: &mut Stack = &mut self.stack;
        let a = s.pop();
        s.push(a * a + v * self.k);
    }

    fn square(&mut self) -> f64 {
        let s: &mut Stack = &mut self.stack;
        s.push(self.k);
        let (a, b) = (s.pop(), s.pop());
        s.push(a * b);
        a * a
    }
}

#[adjoint]
fn run(machine: &mut Machine, x: f64) -> f64 {
    machine.add(x);
    let s: &mut Stack = &mut machine.stack;
    s.push(x * x);
    machine.square() * x
}

#[test]
fn a_field_is_lent_under_a_name() {
    let stack = Stack {
        data: vec![0.3, 0.7],
    };
    check!(run(&mut Machine { stack, k: 1.3 }, 0.6) -> f64);
}
