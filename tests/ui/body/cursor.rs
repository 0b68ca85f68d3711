use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Node {
    value: f64,
    next: Option<Box<Node>>,
}

#[adjoint]
fn scaled(list: &mut Option<Box<Node>>, k: f64) {
    let mut cur = list;
    while let Some(n) = cur {
        n.value *= k;
        cur = &mut n.next;
    }
}

fn main() {
    scaled(&mut None, 2.0);
}
