//! Trees with recursive methods, in `impl`s that do not see the types of the fields.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Default, Differentiable)]
struct Tree {
    value: f64,
    left: Option<Box<Tree>>,
    right: Option<Box<Tree>>,
}

#[adjoint]
impl Tree {
    fn leaf(value: f64) -> Tree {
        Tree {
            value,
            left: None,
            right: None,
        }
    }

    /// Named like a method of `Vec`s.
    fn insert(&mut self, value: f64) {
        if value < self.value {
            match &mut self.left {
                Some(left) => left.insert(value),
                None => self.left = Some(Box::new(Tree::leaf(value))),
            }
        } else {
            match self.right {
                Some(ref mut right) => right.insert(value),
                None => self.right = Some(Box::new(Tree::leaf(value))),
            }
        }
    }

    fn total(&self, k: f64) -> f64 {
        let left = match &self.left {
            Some(t) => t.total(k),
            None => 0.1,
        };
        let right = self.right.as_ref().map_or(k, |t| t.total(k * 0.5));
        self.value * k + left * right
    }

    /// Named like a method of iterators.
    fn sum(&self, k: f64) -> f64 {
        let left = match &self.left {
            Some(t) => t.sum(k),
            None => 0.0,
        };
        let right = match &self.right {
            Some(t) => t.sum(k * 0.5),
            None => k,
        };
        (self.value * k).sin() + left + right
    }

    /// Scales, and drops what has grown too large.
    fn shrink(&mut self, k: f64) {
        self.value *= k;
        if let Some(left) = self.left.as_mut() {
            left.shrink(k * 0.5);
        }
        if let Some(right) = &mut self.right {
            right.value += k;
            if right.value > 1.2 {
                self.right = None;
            }
        }
    }
}

#[adjoint]
fn grown(x: &[f64], k: f64) -> f64 {
    let mut tree = Tree::default();
    for v in x {
        tree.insert(v * k);
    }
    let before = tree.total(k);
    tree.shrink(k);
    before * tree.total(0.7) + tree.sum(k)
}

#[adjoint]
fn lent(tree: &mut Tree, k: f64) -> f64 {
    tree.insert(k);
    tree.shrink(k);
    tree.total(k)
}

fn reals(tree: &Tree) -> Vec<f64> {
    let below = |t: &Option<Box<Tree>>| t.as_ref().map_or(Vec::new(), |t| reals(t));
    let mut all = vec![tree.value];
    all.extend(below(&tree.left));
    all.extend(below(&tree.right));
    all
}

#[test]
fn trees_that_grow_and_shrink() {
    check!(grown(&[0.7, 0.3, 1.3, 0.4, 0.9, 0.1], 0.8) -> f64);
    check!(grown(&[0.7, 0.3, 2.3, 2.4, -0.9], 1.1) -> f64);
    check!(grown(&[0.5; 0], 0.8) -> f64);
}

#[test]
fn a_tree_that_is_lent() {
    let mut tree = Tree::leaf(0.6);
    for v in [0.2, 0.8, 0.7, 0.1] {
        tree.insert(v);
    }
    let run = |d: f64| {
        let mut t = tree.clone();
        let value = lent(&mut t, 0.35 + d);
        let weighted = reals(&t).iter().map(|v| 0.5 * v).sum::<f64>();
        (value, value + weighted, t)
    };
    let (value, _, after) = run(0.0);
    let mut t = tree.clone();
    let mut adjoint = after.clone();
    let mut seed = vec![&mut adjoint];
    while let Some(node) = seed.pop() {
        node.value = 0.5;
        seed.extend(node.left.as_deref_mut());
        seed.extend(node.right.as_deref_mut());
    }
    let mut k_adj = 0.0;
    assert_eq!(
        lent_adjoint(&mut t, &mut adjoint, 0.35, &mut k_adj, 1.0),
        value
    );
    assert_eq!(reals(&t), reals(&after));
    assert_eq!(reals(&adjoint).len(), reals(&tree).len());
    let h = 1e-6;
    let expected = (run(h).1 - run(-h).1) / (2.0 * h);
    assert!((k_adj - expected).abs() < 1e-8, "{k_adj} {expected}");
}

/// What nothing was assigned to yet has no earlier value to come back.
#[adjoint]
mod made_once {
    use super::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Twig {
        pub value: f64,
        pub left: Option<Box<Twig>>,
        pub right: Option<Box<Twig>>,
    }

    impl Twig {
        pub fn mirrored(self, k: f64) -> Twig {
            let left = self.right;
            let right = match self.left {
                Some(t) => Some(Box::new(t.mirrored(0.5 * k))),
                None => None,
            };
            let value = self.value * k;
            Twig { value, left, right }
        }

        pub fn total(&self) -> f64 {
            let left = self.left.as_ref().map_or(0.1, |t| t.total());
            let right = self.right.as_ref().map_or(0.2, |t| t.total().sin());
            self.value * self.value + left - right
        }
    }

    pub fn mirrored_total(x: &[f64], k: f64) -> f64 {
        let mut twig = Twig {
            value: k,
            left: None,
            right: None,
        };
        for v in x {
            let (left, right) = (Some(Box::new(twig)), None);
            twig = Twig {
                value: *v,
                left,
                right,
            };
        }
        twig.mirrored(k).total()
    }

    pub fn declared_ahead(a: f64, k: f64) -> f64 {
        let twig;
        let leaf = Some(Box::new(Twig {
            value: a * k,
            left: None,
            right: None,
        }));
        if a > k {
            twig = Twig {
                value: a,
                left: leaf,
                right: None,
            };
        } else {
            twig = Twig {
                value: k,
                left: None,
                right: leaf,
            };
        }
        twig.total()
    }
}

#[test]
fn trees_that_are_assigned_for_the_first_time() {
    use made_once::*;
    check!(mirrored_total(&[0.7, 0.3, 1.3], 0.8) -> f64);
    check!(mirrored_total(&[0.0; 0], 0.8) -> f64);
    check!(declared_ahead(0.7, 0.3) -> f64);
    check!(declared_ahead(0.3, 0.7) -> f64);
}

/// Boxes that are lent by `as_ref` and `as_mut`, in a module where they are seen and outside of it.
#[adjoint]
mod expressions {
    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub enum Expression {
        Number(f64),
        Negated(Box<Expression>),
        Product {
            a: Box<Expression>,
            b: Box<Expression>,
        },
    }

    pub fn value(e: &Expression, x: f64) -> f64 {
        match e {
            Expression::Number(c) => *c * x,
            Expression::Negated(a) => -value(a.as_ref(), x),
            Expression::Product { a, b } => value(a.as_ref(), x) * value(b, x),
        }
    }

    pub fn scale(e: &mut Expression, x: f64) -> f64 {
        match e {
            Expression::Number(c) => {
                *c *= x;
                *c
            }
            Expression::Negated(a) => x * scale(a.as_mut(), x),
            Expression::Product { a, b } => scale(a.as_mut(), x) + scale(b, x),
        }
    }

    pub fn all(x: f64, y: f64) -> f64 {
        let mut e = Expression::Product {
            a: Box::new(Expression::Negated(Box::new(Expression::Number(x)))),
            b: Box::new(Expression::Number(y)),
        };
        let before = value(&e, y) * scale(&mut e, x);
        before + super::outside(&e, y)
    }
}

#[adjoint]
fn outside(e: &expressions::Expression, x: f64) -> f64 {
    use expressions::Expression;
    match e {
        Expression::Number(c) => c.sin() * x,
        Expression::Negated(a) => x * outside(a.as_ref(), x),
        Expression::Product { a, b } => outside(a.as_ref(), x) + outside(b.as_ref(), x),
    }
}

#[test]
fn boxes_are_lent_by_name() {
    check!(expressions::all(0.4, -0.7) -> f64);
}
