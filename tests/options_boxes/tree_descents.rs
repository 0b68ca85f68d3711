//! Walks down trees whose nodes hold their children in a `Vec`, or in an array of `Option`s.

use adjoint::{Differentiable, adjoint};

use crate::common::types::rose::{Node, node, tree};
use crate::common::{check, flat};

#[adjoint]
fn by_index(tree: &Node, k: f64) -> f64 {
    let mut cur = tree;
    let mut s = 0.0;
    while !cur.children.is_empty() {
        s += cur.value * k;
        let i = (cur.value > 0.5) as usize % cur.children.len();
        cur = &cur.children[i];
    }
    s * cur.value + cur.value * cur.value
}

#[adjoint]
fn by_last(tree: &Node, k: f64) -> f64 {
    let mut cur = &*tree;
    let mut s = k;
    while !cur.children.is_empty() {
        s *= cur.value;
        cur = cur.children.last().unwrap();
    }
    s + cur.value.sin()
}

#[adjoint]
fn by_first(tree: &Node, k: f64) -> f64 {
    let mut cur = tree;
    let mut s = k;
    while let Some(child) = cur.children.first() {
        s += child.value * cur.value * s;
        cur = child;
    }
    s * cur.value
}

#[adjoint]
fn by_path(tree: &Node, path: &[usize], k: f64) -> f64 {
    let mut cur = tree;
    let mut weight = k;
    for &i in path {
        match cur.children.get(i) {
            Some(child) => {
                weight *= child.value;
                cur = child;
            }
            None => break,
        }
    }
    weight * cur.value
}

#[adjoint]
fn nearest(tree: &Node, x: f64) -> f64 {
    let mut cur = tree;
    let mut s = 0.0;
    loop {
        s += (cur.value - x).powi(2);
        if cur.children.is_empty() {
            break;
        }
        let mut best = 0;
        for j in 1..cur.children.len() {
            if (cur.children[j].value - x).abs() < (cur.children[best].value - x).abs() {
                best = j;
            }
        }
        cur = &cur.children[best];
    }
    s
}

#[adjoint]
fn twice(tree: &Node, k: f64) -> f64 {
    let mut s = 0.0;
    for start in 0..tree.children.len() {
        let mut cur = &tree.children[start];
        while !cur.children.is_empty() {
            let at = start.min(cur.children.len() - 1);
            s += cur.value * k;
            cur = &cur.children[at];
        }
        s *= cur.value + k;
    }
    s
}

#[test]
fn children_are_chosen_by_index() {
    check!(by_index(&tree(), 0.8) -> f64);
    check!(by_index(&tree(), 0.3) -> f64);
    check!(by_index(&node(0.3, Vec::new()), 0.3) -> f64);
    check!(by_last(&tree(), 0.8) -> f64);
    check!(by_first(&tree(), 0.8) -> f64);
    for path in [&[][..], &[0], &[0, 1, 0], &[2, 1], &[1, 7], &[2, 2, 0]] {
        check!(by_path(&tree(), const path, 0.8) -> f64);
    }
    for x in [-0.5, 0.3, 1.1, 2.2] {
        check!(nearest(&tree(), x) -> f64);
    }
    check!(twice(&tree(), 0.8) -> f64);
}

#[adjoint]
fn scaled(tree: &mut Node, k: f64) {
    let mut cur = tree;
    while !cur.children.is_empty() {
        cur.value *= k;
        let i = 2 * (cur.value > 0.0) as usize % cur.children.len();
        cur = &mut cur.children[i];
    }
    cur.value = cur.value * cur.value + k;
}

#[adjoint]
fn grown(tree: &mut Node, path: &[usize], k: f64) -> f64 {
    let mut cur = &mut *tree;
    for &i in path {
        while cur.children.len() <= i {
            let value = cur.value * k;
            cur.children.push(Node {
                value,
                children: Vec::new(),
            });
        }
        cur = &mut cur.children[i];
        cur.value += k;
    }
    cur.value *= cur.value;
    tree.value * k + tree.children.len() as f64
}

#[adjoint]
fn spread(tree: &mut Node, k: f64) -> f64 {
    let mut cur = tree;
    let mut s = 0.0;
    while !cur.children.is_empty() {
        let mut best = 0;
        let value = cur.value;
        for (i, child) in cur.children.iter_mut().enumerate() {
            child.value += k * value * (i + 1) as f64;
            s += child.value * child.value;
        }
        for i in 0..cur.children.len() {
            if cur.children[i].children.len() > 0 {
                best = i;
            }
        }
        cur = &mut cur.children[best];
    }
    s * cur.value
}

#[adjoint]
fn cut(tree: &mut Node, k: f64) {
    let mut cur = tree;
    while let Some(last) = cur.children.len().checked_sub(1) {
        cur.value *= k;
        if cur.value > 1.0 {
            cur.children.truncate(last);
            break;
        }
        cur = cur.children.last_mut().unwrap();
    }
    cur.value *= k;
}

#[test]
fn nodes_on_the_way_are_written() {
    check!(scaled(&mut tree(), 0.8));
    check!(scaled(&mut tree(), 1.3));
    check!(scaled(&mut node(0.4, Vec::new()), 1.3));
    for path in [&[][..], &[0], &[0, 1, 0], &[2, 1], &[1, 3, 2], &[2, 2, 0]] {
        check!(grown(&mut tree(), const path, 0.8) -> f64);
    }
    check!(spread(&mut tree(), 0.8) -> f64);
    check!(cut(&mut tree(), 0.5));
    check!(cut(&mut tree(), 1.1));
}

#[adjoint]
mod branches {
    use super::{Differentiable, flat};

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Branch {
        pub load: f64,
        pub twigs: Vec<Box<Branch>>,
    }
    flat!(Branch { load, twigs });

    impl Branch {
        pub fn to_the_tip(&self, k: f64) -> f64 {
            let mut cur = self;
            let mut s = k;
            while cur.twigs.len() > 0 {
                s += cur.load * s;
                cur = &cur.twigs[cur.twigs.len() / 2];
            }
            s * cur.load
        }

        pub fn shake(&mut self, k: f64) {
            let mut cur = self;
            while cur.twigs.len() > 0 {
                cur.load *= k;
                let middle = cur.twigs.len() / 2;
                cur = &mut cur.twigs[middle];
            }
            cur.load *= cur.load;
        }
    }

    pub fn tip(branch: &Branch, k: f64) -> f64 {
        branch.to_the_tip(k)
    }

    pub fn shaken(branch: &mut Branch, k: f64) {
        branch.shake(k);
    }
}

fn branch(depth: usize, load: f64) -> branches::Branch {
    let twigs = (0..depth).map(|i| Box::new(branch(i, load * 0.9 - 0.2 * i as f64)));
    branches::Branch {
        load,
        twigs: twigs.collect(),
    }
}

#[test]
fn children_are_in_boxes() {
    use branches::{
        shaken, shaken_adjoint, shaken_adjoint_with, tip, tip_adjoint, tip_adjoint_with,
    };
    check!(tip(&branch(4, 1.2), 0.7) -> f64);
    check!(shaken(&mut branch(4, 1.2), 0.7));
}

#[adjoint]
mod quadtrees {
    use super::{Differentiable, flat};

    #[derive(Clone, Debug, PartialEq, Default, Differentiable)]
    pub struct Cell {
        pub mass: f64,
        pub quarters: [Option<Box<Cell>>; 4],
    }
    flat!(Cell { mass, quarters });

    impl Cell {
        fn new(mass: f64) -> Cell {
            Cell {
                mass,
                quarters: [None, None, None, None],
            }
        }
    }

    pub fn deposit(root: &mut Cell, x: f64, y: f64, mass: f64, levels: usize) {
        let (mut x, mut y) = (x, y);
        let mut cur = root;
        for _ in 0..levels {
            cur.mass += mass;
            let q = (x >= 0.5) as usize + 2 * (y >= 0.5) as usize;
            x = (2.0 * x) % 1.0;
            y = (2.0 * y) % 1.0;
            if cur.quarters[q].is_none() {
                cur.quarters[q] = Some(Box::new(Cell::new(x * y)));
            }
            cur = cur.quarters[q].as_mut().unwrap();
        }
        cur.mass += mass * x * y;
    }

    pub fn found(root: &Cell, x: f64, y: f64) -> f64 {
        let (mut x, mut y, mut s) = (x, y, 0.0);
        let mut cur = root;
        loop {
            s += cur.mass * cur.mass;
            let q = (x >= 0.5) as usize + 2 * (y >= 0.5) as usize;
            x = (2.0 * x) % 1.0;
            y = (2.0 * y) % 1.0;
            match &cur.quarters[q] {
                Some(quarter) => cur = quarter,
                None => break,
            }
        }
        s * x
    }

    pub fn potential(points: &[(f64, f64)], masses: &[f64]) -> f64 {
        let mut root = Cell::default();
        for (p, m) in points.iter().zip(masses) {
            deposit(&mut root, p.0, p.1, *m, 3);
        }
        points.iter().map(|p| found(&root, p.0, p.1)).sum()
    }
}

#[test]
fn a_quadtree_is_filled_and_searched() {
    use quadtrees::{potential, potential_adjoint, potential_adjoint_with};
    let points = vec![(0.11, 0.77), (0.12, 0.93), (0.6, 0.3), (0.61, 0.33)];
    check!(potential(&points, &[0.4, 1.1, 0.7, 0.5]) -> f64);
}
