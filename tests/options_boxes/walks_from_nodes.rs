//! Walks along lists and down trees by an `Option` of a node.

use adjoint::adjoint;

use crate::common::linked::{Node, list};
use crate::common::{assert_close, check, flat};

fn node(values: &[f64]) -> Node {
    *list(values).unwrap()
}

#[adjoint]
fn from_a_node(head: &Node, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = Some(head);
    while let Some(node) = cur {
        s += node.value * node.value * k * (s + 1.0);
        cur = node.next.as_deref();
    }
    s
}

#[adjoint]
fn from_a_node_to_write(head: &mut Node, k: f64) {
    let mut cur = Some(head);
    while let Some(node) = cur {
        node.value *= k * node.value;
        cur = node.next.as_deref_mut();
    }
}

#[adjoint]
fn from_a_node_to_the_end(head: &mut Node, k: f64) -> f64 {
    let mut s = 1.0;
    let mut cur: Option<&mut Node> = Some(&mut *head);
    while let Some(node) = cur.take() {
        s *= node.value;
        node.value = s * k;
        if s < 0.1 {
            break;
        }
        cur = node.next.as_deref_mut();
    }
    s * head.value
}

#[adjoint]
fn from_a_node_while_large(head: &Node, k: f64) -> f64 {
    let mut s = k;
    let mut cur = Some(head);
    while let Some(node) = cur {
        s += node.value * s;
        cur = match &node.next {
            Some(next) if next.value > k => Some(next),
            _ => None,
        };
    }
    s
}

#[adjoint]
fn from_a_local(x: &[f64], k: f64) -> f64 {
    let mut head: Node = Node {
        value: x[0],
        next: None,
    };
    for v in &x[1..] {
        head = Node {
            value: v * k,
            next: Some(Box::new(head)),
        };
    }
    let mut cur = Some(&mut head);
    while let Some(node) = cur {
        node.value *= node.value * k;
        cur = node.next.as_deref_mut();
    }
    let mut product = 1.0;
    let mut cur = Some(&head);
    while let Some(node) = cur {
        product *= node.value;
        cur = node.next.as_deref();
    }
    product
}

#[adjoint]
mod seen {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Link {
        pub value: f64,
        pub next: Option<Box<Link>>,
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Branch {
        pub weight: f64,
        pub left: Option<Box<Branch>>,
        pub right: Option<Box<Branch>>,
    }

    pub fn of_two(a: &Link, b: &Link, first: bool, k: f64) -> f64 {
        let mut cur = if first { Some(a) } else { b.next.as_deref() };
        let mut s = k;
        loop {
            let Some(node) = cur else { break };
            s *= node.value;
            cur = node.next.as_deref();
        }
        s
    }

    pub fn toward(branch: &mut Branch, x: f64) {
        let mut cur = Some(branch);
        while let Some(node) = cur {
            node.weight *= x;
            cur = if x < node.weight {
                node.left.as_deref_mut()
            } else {
                node.right.as_deref_mut()
            };
        }
    }

    pub fn found(branch: &Branch, x: f64) -> f64 {
        let mut cur = Some(branch);
        let mut s = x;
        while let Some(node) = cur {
            s *= node.weight;
            cur = match x < node.weight {
                true => node.left.as_deref(),
                false if s > 0.0 => node.right.as_deref(),
                false => None,
            };
        }
        s
    }

    impl Link {
        pub fn scaled(&mut self, k: f64) -> f64 {
            let mut cur = Some(self);
            let mut last = k;
            while let Some(link) = cur {
                link.value *= k;
                last = link.value;
                cur = link.next.as_deref_mut();
            }
            last
        }
    }
}

use seen::{Branch, Link};

flat!(Link { value, next });
flat!(Branch {
    weight,
    left,
    right
});

fn link(values: &[f64]) -> Link {
    let (first, rest) = values.split_first().unwrap();
    Link {
        value: *first,
        next: (!rest.is_empty()).then(|| Box::new(link(rest))),
    }
}

fn branch(depth: usize, weight: f64) -> Branch {
    let part = |weight| (depth > 1).then(|| Box::new(branch(depth - 1, weight)));
    Branch {
        weight,
        left: part(weight * 0.7),
        right: part(0.4 - weight),
    }
}

#[adjoint]
fn scaled_by_a_method(mut head: Link, k: f64) -> f64 {
    head.scaled(k) * head.value
}

#[test]
fn walks_from_a_node() {
    let values = [0.5, 1.5, -0.7, 0.4];
    for x in [0.9, 0.4, -0.2] {
        check!(seen::found(&branch(4, 0.8), x) -> f64);
        check!(seen::toward(&mut branch(4, 0.8), x));
    }
    check!(from_a_node(&node(&values), 0.8) -> f64);
    check!(from_a_node_to_write(&mut node(&values), 0.8));
    check!(from_a_node_to_the_end(&mut node(&values), 0.8) -> f64);
    check!(from_a_node_while_large(&node(&values), 0.3) -> f64);
    for (first, of_b) in [(true, 2), (false, 2), (false, 1)] {
        let b = link(&values[..of_b]);
        check!(seen::of_two(&link(&values), &b, const first, 0.8) -> f64);
    }
    check!(scaled_by_a_method(link(&values), 0.8) -> f64);
    let product = |x: &[f64], k: f64| {
        let rest = x[1..].iter().map(|v| v * k * v * k * k);
        x[0] * x[0] * k * rest.product::<f64>()
    };
    let jacobian = check!(from_a_local(&values.to_vec(), 0.8) -> f64);
    let gradient = values.map(|v| 2.0 * product(&values, 0.8) / v);
    assert_close(&jacobian[0][..4], &gradient);
}
