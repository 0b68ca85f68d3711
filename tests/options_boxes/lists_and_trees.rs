//! Linked lists and trees, as people first write them.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
pub struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

fn push(list: Option<Box<Node>>, value: f64) -> Option<Box<Node>> {
    Some(Box::new(Node { value, next: list }))
}

#[adjoint]
fn reversed(x: &[f64], k: f64) -> f64 {
    let mut list: Option<Box<Node>> = None;
    for v in x {
        list = Some(Box::new(Node {
            value: v * k,
            next: list,
        }));
    }
    let mut prev: Option<Box<Node>> = None;
    let mut cur = list;
    while let Some(mut n) = cur {
        cur = n.next.take();
        n.next = prev;
        prev = Some(n);
    }
    let mut weight = 1.0;
    let mut sum = 0.0;
    while let Some(n) = prev {
        sum += weight * n.value * n.value;
        weight *= 0.5;
        prev = n.next;
    }
    sum
}

#[derive(Clone, Debug, Differentiable)]
pub enum List {
    Nil,
    Cons(f64, Box<List>),
}

#[adjoint]
fn horner(list: &List, x: f64) -> f64 {
    match list {
        List::Nil => 0.0,
        List::Cons(c, rest) => c + x * horner(rest, x),
    }
}

#[derive(Clone, Debug, Differentiable)]
pub struct Tree {
    mass: f64,
    children: Vec<Tree>,
}

#[adjoint]
fn moment(tree: &Tree, arm: f64) -> f64 {
    let mut total: f64 = tree.mass * arm * arm;
    for child in &tree.children {
        total += moment(child, 0.5 * arm + child.mass);
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Circle { r: f64 },
    Group(Vec<Shape>),
}

#[adjoint]
fn area(s: &Shape) -> f64 {
    match s {
        Shape::Circle { r } => r * r,
        Shape::Group(v) => v.iter().map(|s| area(s)).sum(),
    }
}

/// What the variant holds is run over and turned round, and is found to be a `Vec` when it grows.
#[adjoint]
fn grow(s: &mut Shape, k: f64) {
    match s {
        Shape::Circle { r } => *r *= k,
        Shape::Group(v) => {
            for s in v.iter_mut() {
                grow(s, k);
            }
            v.reverse();
            v[0] = Shape::Circle { r: k };
            v.push(Shape::Circle { r: k * k });
        }
    }
}

#[adjoint]
fn grown(x: &[f64], k: f64) -> f64 {
    let mut s = Shape::Group(x.iter().map(|r| Shape::Circle { r: *r }).collect());
    grow(&mut s, k);
    grow(&mut s, x[0]);
    area(&s)
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Event {
    at: f64,
    amount: f64,
}

/// The closure needs the type that the list is declared with: nothing has been put into it.
#[adjoint]
fn scheduled(x: &[f64], horizon: f64) -> f64 {
    let mut queue: Vec<Event> = Vec::new();
    for v in x {
        let event = Event {
            at: v.abs(),
            amount: *v,
        };
        let at = queue.partition_point(|other| other.at > event.at);
        queue.insert(at, event);
    }
    let mut held = 1.0;
    let mut clock = 0.0;
    while let Some(event) = queue.pop() {
        held = held * (event.at - clock).exp() + event.amount * horizon;
        clock = event.at;
    }
    held
}

#[test]
fn searched_before_anything_is_in_it() {
    check!(scheduled(&[0.7, -0.3, 1.2, 0.45], 1.5) -> f64);
}

#[test]
fn grown_after_it_is_run_over() {
    check!(grown(&[0.7, 0.4, 1.2], 1.3) -> f64);
}

#[test]
fn a_list_turned_around() {
    assert!(push(None, 1.0).is_some());
    check!(reversed(&vec![0.5, -1.5, 2.0], 0.7) -> f64);
}

#[test]
fn recursion_over_enums_and_children() {
    let cons = |c, rest| List::Cons(c, Box::new(rest));
    let list = cons(1.0, cons(-2.0, cons(0.5, List::Nil)));
    let (mut adj, mut x_adj) = (list.zero_like(), 0.0);
    assert_eq!(
        horner_adjoint(&list, &mut adj, 2.0, &mut x_adj, 1.0),
        1.0 - 4.0 + 2.0
    );
    assert_eq!(x_adj, -2.0 + 2.0 * 0.5 * 2.0);
    let leaf = |mass| Tree {
        mass,
        children: Vec::new(),
    };
    let tree = Tree {
        mass: 1.0,
        children: vec![leaf(0.5), leaf(2.0)],
    };
    let (mut tree_adj, mut arm_adj) = (tree.zero_like(), 0.0);
    // 4 + 0.5 (1 + 0.5)² + 2 (1 + 2)²
    assert_eq!(
        moment_adjoint(&tree, &mut tree_adj, 2.0, &mut arm_adj, 1.0),
        4.0 + 1.125 + 18.0
    );
    assert_eq!(arm_adj, 4.0 + 0.5 * 1.5 + 2.0 * 3.0);
    assert_eq!(tree_adj.children[1].mass, 9.0 + 2.0 * 2.0 * 3.0);
}
