use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Node {
    value: f64,
    children: Vec<Box<Node>>,
}

#[adjoint]
fn last(tree: &Node) -> f64 {
    let mut cur = tree;
    while !cur.children.is_empty() {
        cur = &cur.children[0];
    }
    cur.value
}

fn main() {}
