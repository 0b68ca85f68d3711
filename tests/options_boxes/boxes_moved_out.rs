//! Boxes that patterns move out of a consumed value, with field types that the macro does not see.

use adjoint::{Differentiable, adjoint};

use crate::common::check;
use crate::common::types::list::Node;

#[derive(Clone, Debug, Differentiable)]
enum Term {
    Number(f64),
    Negative(Box<Term>),
    Sum(Box<Term>, Box<Term>),
}

#[adjoint]
impl Term {
    fn value(&self) -> f64 {
        match self {
            Term::Number(x) => *x,
            Term::Negative(t) => -t.value(),
            Term::Sum(a, b) => a.value() + b.value(),
        }
    }
}

#[adjoint]
fn stripped(term: Term) -> Term {
    match term {
        Term::Negative(t) => *t,
        other => other,
    }
}

#[adjoint]
fn simplified(x: f64) -> f64 {
    let sum = Term::Sum(Box::new(Term::Number(x)), Box::new(Term::Number(x * x)));
    let term = Term::Negative(Box::new(sum));
    let here = match term.clone() {
        Term::Negative(t) => *t,
        other => other,
    };
    here.value() * stripped(term).value()
}

#[adjoint]
fn walked(mut node: Node, k: f64) -> f64 {
    let mut s = node.v;
    while let Some(b) = node.next {
        node = *b;
        s = s * k + node.v;
    }
    node.v * 2.0 + s
}

#[adjoint]
fn list_of(x: f64, k: usize) -> Node {
    let mut list = Node { v: x, next: None };
    for i in 0..k {
        list = Node {
            v: x * i as f64,
            next: Some(Box::new(list)),
        };
    }
    list
}

#[adjoint]
fn built(x: f64, k: usize) -> f64 {
    let list = list_of(x, k);
    walked(list, x)
}

#[adjoint]
fn second(x: f64, k: usize) -> f64 {
    let mut node = Node { v: x, next: None };
    if k > 0 {
        node.next = Some(Box::new(Node {
            v: x * x,
            next: None,
        }));
    }
    if let Some(b) = node.next {
        node = *b;
    }
    node.v * 2.0
}

#[adjoint]
fn until_the_end(x: f64, k: usize) -> f64 {
    let mut list: Node = list_of(x, k);
    let mut p = 1.0;
    loop {
        p += list.v * p;
        match list.next {
            Some(b) => list = *b,
            None => break,
        }
    }
    p
}

#[adjoint]
fn drained(x: f64, k: usize) -> f64 {
    let mut head: Option<Box<Node>> = None;
    for i in 0..k {
        head = Some(Box::new(Node {
            v: x * i as f64,
            next: head,
        }));
    }
    let mut s = x;
    while let Some(b) = head {
        let node = *b;
        s = s * x + node.v;
        head = node.next;
    }
    s
}

#[test]
fn boxes_are_taken_out() {
    check!(simplified(2.0) -> f64);
    for k in [0, 1, 3] {
        check!(built(0.7, const k) -> f64);
        check!(second(0.7, const k) -> f64);
        check!(until_the_end(0.7, const k) -> f64);
        check!(drained(0.7, const k) -> f64);
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Tree {
    v: f64,
    children: Vec<Tree>,
    next: Option<Box<Tree>>,
}

/// The list of children is made before the rest is moved in.
#[adjoint]
fn empty_lists(x: &[f64], k: f64) -> f64 {
    let mut head: Option<Box<Tree>> = None;
    for v in x {
        head = Some(Box::new(Tree {
            v: v * k,
            children: vec![],
            next: head.take(),
        }));
    }
    match &head {
        Some(t) => t.v * k,
        None => k,
    }
}

#[test]
fn literals_with_empty_lists() {
    check!(empty_lists(&[0.5, 0.7], 0.6) -> f64);
    check!(empty_lists(&vec![], 0.6) -> f64);
}
