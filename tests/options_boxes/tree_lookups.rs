//! Search trees, walked by an `Option` of a reference that one arm or another assigns.

use crate::common::check;

#[adjoint::adjoint]
mod trees {
    use adjoint::Differentiable;
    #[derive(Clone, Default, Differentiable)]
    pub struct Node {
        pub key: f64,
        pub val: f64,
        pub left: Option<Box<Node>>,
        pub right: Option<Box<Node>>,
    }
    #[derive(Clone, Default, Differentiable)]
    pub struct Tree {
        pub root: Option<Box<Node>>,
    }
    impl Tree {
        pub fn insert(&mut self, key: f64, val: f64) {
            let mut at = &mut self.root;
            while let Some(node) = at {
                at = if key < node.key {
                    &mut node.left
                } else {
                    &mut node.right
                };
            }
            *at = Some(Box::new(Node {
                key,
                val,
                left: None,
                right: None,
            }));
        }
        pub fn by_ref(&self, key: f64) -> f64 {
            let mut cur = self.root.as_ref();
            let mut s = 0.0;
            while let Some(n) = cur {
                s += n.val * key;
                cur = if key < n.key {
                    n.left.as_ref()
                } else {
                    n.right.as_ref()
                };
            }
            s
        }
        pub fn by_deref(&self, key: f64) -> Option<f64> {
            let mut cur = self.root.as_deref();
            while let Some(n) = cur {
                if n.key == key {
                    return Some(n.val * n.val);
                }
                cur = match n.key.partial_cmp(&key)? {
                    std::cmp::Ordering::Less => n.right.as_deref(),
                    std::cmp::Ordering::Greater => n.left.as_deref(),
                    _ => break,
                };
            }
            None
        }
        pub fn discounted(&self, key: f64) -> f64 {
            let mut cur = self.root.as_deref();
            let mut s = 0.0;
            while let Some(n) = cur {
                s = s * key + n.val;
                cur = if key == 0.0 {
                    break;
                } else if key < n.key {
                    s += key;
                    n.left.as_deref()
                } else {
                    n.right.as_deref()
                };
            }
            s
        }
    }
    /// Arms that update and leave.
    pub fn left_early(x: &[f64], key: f64) -> f64 {
        let tree = tree(x);
        let mut cur = tree.root.as_deref();
        let (mut s, mut steps) = (key, 0);
        'walk: while let Some(n) = cur {
            steps += 1;
            cur = if steps > 5 {
                panic!("too deep")
            } else if n.val > 3.0 {
                s *= n.key;
                break 'walk;
            } else if key > n.key {
                s += n.val * s;
                if s > 4.0 {
                    return s * n.key;
                }
                n.right.as_deref()
            } else {
                let before = s;
                s = s * 0.5 + n.key * before;
                match n.left {
                    Some(_) => n.left.as_deref(),
                    None => n.right.as_deref(),
                }
            };
        }
        s
    }

    fn tree(x: &[f64]) -> Tree {
        let mut t = Tree::default();
        for v in x {
            t.insert(*v, v * v);
        }
        t
    }
    pub fn weighted(x: &[f64], key: f64) -> f64 {
        tree(x).by_ref(key)
    }
    pub fn found(x: &[f64], key: f64) -> f64 {
        let t = tree(x);
        t.by_deref(x[1]).unwrap_or(key) * key + t.by_deref(key).unwrap_or(-key * x[0])
    }
    pub fn grown(x: &[f64], key: f64) -> f64 {
        let mut t = tree(x);
        let a = t.discounted(key);
        t.insert(key, a);
        t.discounted(key * 1.1)
    }
}

#[test]
fn lookups_in_trees() {
    use trees::*;
    for key in [0.3, -0.8, 1.4, 2.0] {
        check!(weighted(&[0.4, -1.3, 0.7, 0.2, 1.9], key) -> f64);
        check!(found(&[0.4, -1.3, 0.7, 0.2, 1.9], key) -> f64);
        check!(left_early(&[0.4, -1.3, 0.7, 0.2, 1.9], key) -> f64);
        check!(left_early(&[], key) -> f64);
        check!(grown(&[0.4, -1.3, 0.7, 0.2, 1.9], key) -> f64);
    }
}
