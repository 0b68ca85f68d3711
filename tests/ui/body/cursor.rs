use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[adjoint]
fn last_but_one(list: &Option<Box<Node>>) -> f64 {
    let mut before = list;
    let mut cur = list;
    while let Some(n) = cur {
        before = cur;
        cur = &n.next;
    }
    before.as_ref().map_or(0.0, |n| n.value)
}

fn main() {
    last_but_one(&None);
}
