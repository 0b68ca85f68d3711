//! Methods of user types that are named like those of lists, and unwrapped where they are called.

use crate::common::check;

#[adjoint::adjoint]
mod linked {
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    struct Node {
        v: f64,
        next: Option<Box<Node>>,
    }

    #[derive(Clone, Differentiable)]
    struct List {
        head: Option<Box<Node>>,
        len: usize,
    }

    impl List {
        fn new() -> List {
            List { head: None, len: 0 }
        }

        fn push(&mut self, v: f64) {
            let old = self.head.take();
            self.head = Some(Box::new(Node { v, next: old }));
            self.len += 1;
        }

        fn get(&self, n: usize) -> Option<&f64> {
            let mut cur = &self.head;
            let mut i = n;
            while let Some(node) = cur {
                if i == 0 {
                    return Some(&node.v);
                }
                cur = &node.next;
                i -= 1;
            }
            None
        }
    }

    pub fn by_position(x: &[f64], k: f64) -> f64 {
        let mut list = List::new();
        for v in x {
            list.push(v * k);
        }
        let a = list.get(1).unwrap();
        a * list.get(2).map_or(1.0, |v| v * 2.0) + list.get(list.len).map_or(k, |v| v * 3.0)
    }
}

#[adjoint::adjoint]
mod stacks {
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    struct Stack {
        v: Vec<f64>,
        k: f64,
    }

    impl Stack {
        fn pop(&mut self) -> Option<f64> {
            let k = self.k;
            self.v.pop().map(|v| v * k)
        }

        fn first(&self) -> Option<f64> {
            if self.v.is_empty() {
                None
            } else {
                Some(self.v[0] * 2.0)
            }
        }

        fn get(&self, i: usize) -> Option<f64> {
            self.v.get(i).map(|v| v * v)
        }

        fn to_f64(&self) -> Option<f64> {
            Some(self.v[0] * self.k)
        }
    }

    pub fn unwrapped(x: &[f64], k: f64) -> f64 {
        let mut stack = Stack { v: x.to_vec(), k };
        let a = stack.pop().unwrap();
        let b = stack.first().expect("one is left");
        let c = stack.get(1).unwrap();
        a * b * c + stack.to_f64().unwrap()
    }
}

use linked::*;
use stacks::*;

#[test]
fn accessors_of_the_users() {
    check!(by_position(&[0.4, 0.8, 0.3], 0.7) -> f64);
    check!(unwrapped(&[0.4, 0.8, 0.3], 0.7) -> f64);
}
