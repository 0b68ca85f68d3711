//! Structs and enums that kernels of several files use. Nodes of different shapes have modules of their own.

use adjoint::Differentiable;

use super::flat;

/// A point.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct P {
    pub x: f64,
    pub y: f64,
}
flat!(P { x, y });

/// A pair of numbers that methods and operators change.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct V {
    pub p: f64,
    pub q: f64,
}
flat!(V { p, q });

/// A vector without a default, which is not `Copy`.
#[derive(Debug, Clone, Differentiable)]
pub struct Vec2 {
    pub x: f64,
    pub y: f64,
}
flat!(Vec2 { x, y });

/// Errors with integers, with nothing and with a float.
#[derive(Debug, Clone, PartialEq, Differentiable)]
pub enum Fault {
    Negative(usize),
    Zero,
    Large { by: f64 },
}

/// Nodes with a successor.
pub mod list {
    use adjoint::Differentiable;

    use crate::common::flat;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Node {
        pub v: f64,
        pub next: Option<Box<Node>>,
    }
    flat!(Node { v, next });
}

/// Nodes with two children.
pub mod binary {
    use adjoint::Differentiable;

    use crate::common::flat;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Node {
        pub v: f64,
        pub left: Option<Box<Node>>,
        pub right: Option<Box<Node>>,
    }
    flat!(Node { v, left, right });
}

/// Nodes with any number of children.
pub mod rose {
    use adjoint::Differentiable;

    use crate::common::flat;

    #[derive(Clone, Debug, PartialEq, Default, Differentiable)]
    pub struct Node {
        pub value: f64,
        pub children: Vec<Node>,
    }
    flat!(Node { value, children });

    pub fn node(value: f64, children: Vec<Node>) -> Node {
        Node { value, children }
    }

    /// Three levels; the nodes have none to three children.
    pub fn tree() -> Node {
        let leaf = |v| node(v, Vec::new());
        let left = node(0.4, vec![leaf(1.3), node(-0.6, vec![leaf(0.9)])]);
        let right = node(1.7, vec![leaf(0.2), leaf(-1.1), node(0.8, vec![leaf(0.5)])]);
        node(0.7, vec![left, leaf(2.1), right])
    }
}
