//! Cursors: references that move along lists and down trees, shared and to write.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::{Differentiable, adjoint};
use common::linked::{Node, Tree, list, tree};
use common::{Flat, check, flat};
use num_traits::Float;

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Chain {
    head: Option<Box<Node>>,
    scale: f64,
}
flat!(Chain { head, scale });

fn chain(values: &[f64], scale: f64) -> Chain {
    Chain {
        head: list(values),
        scale,
    }
}

fn node(values: &[f64]) -> Node {
    *list(values).unwrap()
}

#[adjoint]
fn norm(node: &Option<Box<Node>>, k: f64) -> f64 {
    match node {
        Some(n) => n.value * n.value + k * norm(&n.next, k * n.value),
        None => k,
    }
}

// Lists, shared.

#[adjoint]
fn summed(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = list;
    while let Some(n) = cur {
        s += n.value * k * (s + n.value);
        cur = &n.next;
    }
    s
}

#[adjoint]
fn differences(node: &Node, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = node;
    while let Some(next) = &cur.next {
        let d = next.value - cur.value;
        s += d * d * k;
        cur = next;
    }
    s * cur.value
}

#[adjoint]
fn by_match(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = k;
    let mut cur = list;
    loop {
        match cur {
            None => break,
            Some(n) => {
                s = s * n.value + k;
                cur = &n.next;
            }
        }
    }
    s
}

#[adjoint]
fn first_above(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut cur = list;
    while let Some(n) = cur {
        if n.value > k {
            return n.value * k;
        }
        cur = &n.next;
    }
    k * k
}

#[adjoint]
fn by_deref(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = list.as_deref();
    while let Some(n) = cur {
        s += n.value * n.value * k;
        cur = n.next.as_deref();
    }
    s
}

#[adjoint]
fn by_ref(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = list.as_ref();
    while let Some(n) = cur {
        s += n.value * n.value * k;
        cur = n.next.as_ref();
    }
    s
}

#[adjoint]
fn moved_first(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = list;
    while let Some(n) = cur {
        cur = &n.next;
        s += n.value * n.value * k;
    }
    s
}

#[adjoint]
fn suffixes(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = list;
    while let Some(n) = cur {
        s += norm(cur, k) * n.value;
        cur = &n.next;
    }
    s
}

#[adjoint]
fn lockstep(a: &Option<Box<Node>>, b: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = k;
    let (mut p, mut q) = (a, b);
    while let (Some(x), Some(y)) = (p, q) {
        s += x.value * y.value * s;
        p = &x.next;
        q = &y.next;
    }
    s
}

#[adjoint]
fn slow_and_fast(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = k;
    let mut slow = list;
    let mut fast = list;
    while let Some(f) = fast {
        s += f.value * k;
        fast = &f.next;
        if let Some(f) = fast {
            s *= f.value;
            fast = &f.next;
            if let Some(n) = slow {
                s += n.value * s;
                slow = &n.next;
            }
        }
    }
    s
}

#[adjoint]
fn of_a_local(x: &[f64], k: f64) -> f64 {
    let mut head = None;
    for v in x {
        head = Some(Box::new(Node {
            value: v * v,
            next: head,
        }));
    }
    let mut s = 0.0;
    let mut cur: &Option<Box<Node>> = &head;
    while let Some(n) = cur {
        s = s * k + n.value.sin();
        cur = &n.next;
    }
    s
}

#[adjoint]
fn of_a_field(chain: &Chain) -> f64 {
    let mut s = 0.0;
    let mut cur: &Option<Box<Node>> = &chain.head;
    while let Some(n) = cur {
        s += n.value * n.value * chain.scale;
        cur = &n.next;
    }
    s
}

#[adjoint]
fn chosen(a: &Option<Box<Node>>, b: &Option<Box<Node>>, c: bool) -> f64 {
    let mut s = 1.0;
    let mut cur = if c { a } else { b };
    while let Some(n) = cur {
        s *= n.value + s;
        cur = &n.next;
    }
    s
}

#[test]
fn lists_are_read() {
    for values in [&[0.5, 1.2, -0.7, 0.3][..], &[0.4], &[]] {
        check!(summed(&list(values), 0.9) -> f64);
        check!(by_match(&list(values), 0.9) -> f64);
        check!(first_above(&list(values), 0.9) -> f64);
        check!(by_deref(&list(values), 0.9) -> f64);
        check!(by_ref(&list(values), 0.9) -> f64);
        check!(moved_first(&list(values), 0.9) -> f64);
        check!(suffixes(&list(values), 0.9) -> f64);
        check!(lockstep(&list(values), &list(&[0.8, 0.1, 1.4]), 0.9) -> f64);
        check!(slow_and_fast(&list(values), 0.9) -> f64);
        check!(of_a_field(&chain(values, 1.3)) -> f64);
        for c in [true, false] {
            check!(chosen(&list(values), &list(&[0.8, 0.1]), const c) -> f64);
        }
    }
    check!(differences(&node(&[0.5, 1.2, -0.7]), 0.9) -> f64);
    check!(differences(&node(&[0.5]), 0.9) -> f64);
    check!(of_a_local(&vec![0.5, 1.2, -0.7], 0.9) -> f64);
}

// Lists, to write.

#[adjoint]
fn scaled(list: &mut Option<Box<Node>>, k: f64) {
    let mut cur = list;
    while let Some(n) = cur {
        n.value *= k * n.value;
        cur = &mut n.next;
    }
}

#[adjoint]
fn carried_on(node: &mut Node, k: f64) {
    let mut cur = &mut *node;
    while let Some(next) = &mut cur.next {
        next.value *= cur.value * k;
        cur = next;
    }
    cur.value *= k;
    node.value *= k;
}

#[adjoint]
fn inserted(mut head: Option<Box<Node>>, x: f64) -> Option<Box<Node>> {
    let mut cur = &mut head;
    while cur.as_ref().map_or(false, |n| n.value < x) {
        cur = &mut cur.as_mut().unwrap().next;
    }
    let rest = cur.take();
    *cur = Some(Box::new(Node {
        value: x * x,
        next: rest,
    }));
    head
}

#[adjoint]
fn removed(list: &mut Option<Box<Node>>, k: f64) {
    let mut cur = list;
    loop {
        match cur {
            None => break,
            Some(n) if n.value < 0.0 => {
                let rest = n.next.take();
                *cur = rest;
            }
            Some(n) => {
                n.value *= k;
                cur = &mut n.next;
            }
        }
    }
}

#[adjoint]
fn built_at_the_tail(x: &[f64], k: f64) -> Option<Box<Node>> {
    let mut head = None;
    let mut tail = &mut head;
    for v in x {
        *tail = Some(Box::new(Node {
            value: v * v * k,
            next: None,
        }));
        tail = &mut tail.as_mut().unwrap().next;
    }
    head
}

#[adjoint]
fn cut_at(list: &mut Option<Box<Node>>, n: usize, k: f64) {
    let mut cur = list;
    for _ in 0..n {
        match cur {
            Some(here) => {
                here.value *= k * here.value;
                cur = &mut here.next;
            }
            None => return,
        }
    }
    *cur = None;
}

#[adjoint]
fn over_and_over(list: &mut Option<Box<Node>>, k: f64) {
    for t in 0..3 {
        let mut cur = &mut *list;
        while let Some(n) = cur {
            n.value = (n.value * k + t as f64).sin();
            cur = &mut n.next;
        }
        if let Some(first) = list {
            first.value *= k;
        }
    }
}

#[adjoint]
fn twice_with_one_cursor(mut head: Option<Box<Node>>, k: f64) -> f64 {
    let mut cur = &mut head;
    while let Some(n) = cur {
        n.value *= k * n.value;
        cur = &mut n.next;
    }
    let before = norm(&head, k);
    cur = &mut head;
    while let Some(n) = cur {
        n.value += before;
        cur = &mut n.next;
    }
    norm(&head, k)
}

#[adjoint]
fn doubled(node: &mut Node, k: f64) {
    node.value *= k;
}

#[adjoint]
fn lent(list: &mut Option<Box<Node>>, k: f64) {
    let mut cur = list;
    while let Some(n) = cur {
        doubled(n, k * n.value);
        cur = &mut n.next;
    }
}

#[adjoint]
fn in_a_chain(chain: &mut Chain, k: f64) {
    let mut cur: &mut Option<Box<Node>> = &mut chain.head;
    while let Some(n) = cur {
        n.value *= chain.scale;
        chain.scale += k * n.value;
        cur = &mut n.next;
    }
    chain.scale *= chain.scale;
}

#[adjoint]
fn by_deref_mut(list: &mut Option<Box<Node>>, k: f64) {
    let mut cur = list.as_deref_mut();
    while let Some(n) = cur {
        n.value *= k * n.value;
        cur = n.next.as_deref_mut();
    }
}

#[adjoint]
fn one_of_two(a: &mut Option<Box<Node>>, b: &mut Option<Box<Node>>, c: bool, k: f64) {
    let mut cur = if c { &mut *a } else { &mut *b };
    while let Some(n) = cur {
        n.value *= k * n.value;
        cur = &mut n.next;
    }
    if let (Some(x), Some(y)) = (a, b) {
        x.value *= y.value;
    }
}

#[adjoint]
fn several_lists(lists: &mut Vec<Option<Box<Node>>>, k: f64) {
    for head in lists.iter_mut() {
        let mut cur = head;
        while let Some(n) = cur {
            n.value *= k * n.value;
            cur = &mut n.next;
        }
    }
}

#[adjoint]
fn reversed(mut head: Option<Box<Node>>, k: f64) -> Option<Box<Node>> {
    let mut done = None;
    while let Some(mut n) = head {
        head = n.next.take();
        n.value *= k;
        n.next = done;
        done = Some(n);
    }
    done
}

#[test]
fn lists_are_changed() {
    for values in [&[0.5, 1.2, -0.7, 0.3][..], &[0.4], &[]] {
        check!(scaled(&mut list(values), 0.9));
        check!(removed(&mut list(values), 0.9));
        check!(over_and_over(&mut list(values), 0.9));
        check!(twice_with_one_cursor(list(values), 0.9) -> f64);
        check!(lent(&mut list(values), 0.9));
        check!(in_a_chain(&mut chain(values, 1.3), 0.7));
        check!(by_deref_mut(&mut list(values), 0.9));
        check!(reversed(list(values), 0.9) -> Option<Box<Node>>);
        check!(several_lists(
            &mut vec![list(values), list(&[0.4, 0.2])],
            0.9
        ));
        for c in [true, false] {
            check!(one_of_two(&mut list(values), &mut list(&[0.8, 0.1]), const c, 0.9));
        }
        for n in 0..4 {
            check!(cut_at(&mut list(values), const n, 0.9));
        }
    }
    check!(carried_on(&mut node(&[0.5, 1.2, -0.7]), 0.9));
    check!(carried_on(&mut node(&[0.5]), 0.9));
    for x in [0.2, 0.7, 2.0] {
        check!(inserted(list(&[0.5, 1.2]), x) -> Option<Box<Node>>);
    }
    check!(built_at_the_tail(&vec![0.5, 1.2, -0.7], 0.9) -> Option<Box<Node>>);
}

#[adjoint]
fn pairs(list: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = k;
    let mut p = list;
    while let Some(a) = p {
        let mut q = &a.next;
        while let Some(b) = q {
            s += a.value * b.value * s;
            q = &b.next;
        }
        p = &a.next;
    }
    s
}

#[adjoint]
fn pairs_to_write(list: &mut Option<Box<Node>>, k: f64) {
    let mut p = list;
    while let Some(a) = p {
        let mut q = &mut a.next;
        while let Some(b) = q {
            b.value += a.value * b.value * k;
            q = &mut b.next;
        }
        a.value *= k;
        p = &mut a.next;
    }
}

#[adjoint]
fn bubbled(node: &mut Node, rounds: usize) {
    for _ in 0..rounds {
        let mut cur = &mut *node;
        while let Some(next) = &mut cur.next {
            if cur.value > next.value {
                std::mem::swap(&mut cur.value, &mut next.value);
                next.value *= next.value;
            }
            cur = next;
        }
    }
}

#[adjoint]
fn merged(mut a: Option<Box<Node>>, mut b: Option<Box<Node>>, k: f64) -> Option<Box<Node>> {
    let mut out: Option<Box<Node>> = None;
    let mut tail = &mut out;
    loop {
        let first = match (&a, &b) {
            (Some(x), Some(y)) => x.value < y.value,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => break,
        };
        let mut node = if first {
            a.take().unwrap()
        } else {
            b.take().unwrap()
        };
        if first {
            a = node.next.take();
        } else {
            b = node.next.take();
        }
        node.value *= k * node.value;
        *tail = Some(node);
        tail = &mut tail.as_mut().unwrap().next;
    }
    out
}

#[adjoint]
fn thinned(list: &mut Option<Box<Node>>, k: f64) -> f64 {
    let mut s = 0.0;
    let mut cur = list;
    while let Some(n) = cur {
        let next: Option<Box<Node>> = n.next.take();
        if let Some(mut dead) = next {
            s += dead.value * n.value * k;
            n.next = dead.next.take();
        }
        cur = &mut n.next;
    }
    s
}

#[adjoint]
fn with_a_way_out(list: &mut Option<Box<Node>>, k: f64) -> f64 {
    let mut cur = &mut *list;
    while let Some(n) = cur {
        n.value *= k;
        if n.value > 0.9 {
            n.next = None;
            return norm(list, k);
        }
        cur = &mut n.next;
    }
    norm(list, k) * k
}

#[adjoint]
fn until_negative(lists: &mut [Option<Box<Node>>], k: f64) -> f64 {
    let mut s = k;
    'lists: for head in lists.iter_mut() {
        let mut cur = head;
        while let Some(n) = cur {
            if n.value < 0.0 {
                continue 'lists;
            }
            if s > 2.0 {
                break 'lists;
            }
            s += n.value * s;
            n.value *= s;
            cur = &mut n.next;
        }
        s *= k;
    }
    s
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Joint {
    Free,
    Pair(Option<Box<Node>>, Option<Box<Node>>),
}

impl Flat for Joint {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        if let Joint::Pair(a, b) = self {
            a.write(to);
            b.write(to);
        }
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        match self {
            Joint::Free => Joint::Free,
            Joint::Pair(a, b) => {
                let a = a.read(from);
                Joint::Pair(a, b.read(from))
            }
        }
    }
}

#[adjoint]
fn of_a_pair(joint: &mut Joint, k: f64) {
    if let Joint::Pair(a, b) = joint {
        let mut cur: &mut Option<Box<Node>> = a;
        while let Some(n) = cur {
            if let Some(other) = b {
                n.value *= other.value * k;
                other.value += n.value;
            }
            cur = &mut n.next;
        }
    }
}

#[adjoint]
fn of_a_parameter(mut cur: &Option<Box<Node>>, k: f64) -> f64 {
    let mut s = k;
    while let Some(n) = cur {
        s = s * n.value + k;
        cur = &n.next;
    }
    s
}

#[adjoint]
fn told_about(list: &mut Option<Box<Node>>, k: f64) {
    let mut cur = list;
    while let Some(n) = cur {
        n.value *= k * n.value;
        assert!(n.value < 100.0, "{} is too large", n.value);
        cur = &mut n.next;
    }
}

#[test]
fn lists_are_rearranged() {
    check!(of_a_pair(
        &mut Joint::Pair(list(&[0.5, 1.2, -0.7]), list(&[0.4])),
        0.9
    ));
    check!(of_a_pair(&mut Joint::Free, 0.9));
    check!(of_a_parameter(&list(&[0.5, 1.2, -0.7]), 0.9) -> f64);
    check!(told_about(&mut list(&[0.5, 1.2, -0.7]), 0.9));
    for values in [&[0.5, 1.2, -0.7, 0.3][..], &[0.4], &[]] {
        check!(pairs(&list(values), 0.9) -> f64);
        check!(pairs_to_write(&mut list(values), 0.9));
        check!(merged(list(values), list(&[0.6, 0.8]), 0.9) -> Option<Box<Node>>);
        check!(thinned(&mut list(values), 0.9) -> f64);
        check!(with_a_way_out(&mut list(values), 0.9) -> f64);
        check!(until_negative(&mut vec![list(values), list(&[0.4, 0.2]), list(&[0.7])], 0.9) -> f64);
    }
    for rounds in 0..3 {
        check!(bubbled(&mut node(&[0.5, 1.2, -0.7, 0.3]), const rounds));
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Item<T> {
    value: T,
    next: Option<Box<Item<T>>>,
}

#[adjoint]
fn generic<T: Float + Differentiable>(list: &Option<Box<Item<T>>>, k: T) -> T {
    let mut s = T::zero();
    let mut cur = list;
    while let Some(n) = cur {
        s = s + n.value * n.value * k;
        cur = &n.next;
    }
    s
}

#[test]
fn a_generic_list() {
    let tail = Item {
        value: 1.5,
        next: None,
    };
    let list = Some(Box::new(Item {
        value: 0.5,
        next: Some(Box::new(tail)),
    }));
    let (mut list_adj, mut k_adj) = (list.clone(), 0.0);
    let (first, second) = {
        let first = list_adj.as_mut().unwrap();
        first.value = 0.0;
        first.next.as_mut().unwrap().value = 0.0;
        generic_adjoint(&list, &mut list_adj, 2.0, &mut k_adj, 1.0);
        let first = list_adj.as_ref().unwrap();
        (first.value, first.next.as_ref().unwrap().value)
    };
    assert_eq!([first, second, k_adj], [2.0, 6.0, 2.5]);
}

// What it costs.

/// What the adjoint of a walk over `n` nodes keeps at the most, in bytes.
fn kept(n: usize) -> [usize; 3] {
    let (mut tape, values) = (adjoint::Tape::new(), vec![0.9; n]);
    let mut bytes = [0; 3];
    let mut zeros = list(&vec![0.0; n]);
    summed_adjoint_with(&mut tape, &list(&values), &mut zeros, 0.9, &mut 0.0, 1.0);
    bytes[0] = tape.stats().peak_bytes;
    scaled_adjoint_with(&mut tape, &mut list(&values), &mut zeros, 0.9, &mut 0.0);
    bytes[1] = tape.stats().peak_bytes;
    let mut zeros = node(&vec![0.0; n]);
    carried_on_adjoint_with(&mut tape, &mut node(&values), &mut zeros, 0.9, &mut 0.0);
    bytes[2] = tape.stats().peak_bytes;
    bytes
}

#[test]
fn a_walk_keeps_a_few_numbers_for_each_node() {
    for bytes in kept(1000) {
        println!("{bytes}");
        assert!(bytes < 80 * 1000, "{bytes} bytes for 1000 nodes");
    }
}

// Trees.

#[adjoint]
fn looked_up(t: &Option<Box<Tree>>, x: f64) -> f64 {
    let mut s = x;
    let mut cur = t;
    while let Some(n) = cur {
        s *= n.weight;
        cur = if x < n.weight { &n.left } else { &n.right };
    }
    s
}

#[adjoint]
fn pushed_down(t: &mut Option<Box<Tree>>, x: f64) {
    let mut carried = x;
    let mut cur = t;
    while let Some(n) = cur {
        n.weight += carried * n.weight;
        carried *= n.weight;
        if carried < 0.5 {
            cur = &mut n.left;
        } else {
            cur = &mut n.right;
        }
    }
}

#[adjoint]
fn grown(keys: &[f64], k: f64) -> Option<Box<Tree>> {
    let mut root: Option<Box<Tree>> = None;
    for key in keys {
        let mut cur = &mut root;
        while let Some(n) = cur {
            n.weight *= k;
            cur = if *key < n.weight {
                &mut n.left
            } else {
                &mut n.right
            };
        }
        *cur = Some(Box::new(Tree {
            weight: key * k,
            left: None,
            right: None,
        }));
    }
    root
}

#[adjoint]
fn left_then_right(t: &mut Tree, k: f64) {
    let mut cur = &mut *t;
    while let Some(l) = &mut cur.left {
        l.weight *= k;
        cur = l;
    }
    cur.weight *= k;
    let mut cur = t;
    while let Some(r) = &mut cur.right {
        r.weight *= k * r.weight;
        cur = r;
    }
}

#[adjoint]
fn sibling_after(t: &mut Option<Box<Tree>>, k: f64) {
    let mut cur = t;
    while let Some(n) = cur {
        if let Some(r) = &mut n.right {
            r.weight *= n.weight * k;
        }
        cur = &mut n.left;
        if let Some(l) = cur {
            l.weight += k;
        }
    }
}

#[adjoint]
fn one_after_the_other(t: &mut Tree, k: f64) {
    let mut down = &mut *t;
    while let Some(l) = &mut down.left {
        l.weight *= k;
        down = l;
    }
    down.weight *= k;
    let mut along: &mut Option<Box<Tree>> = &mut down.right;
    while let Some(r) = along {
        r.weight *= k * r.weight;
        along = &mut r.left;
    }
    *along = Some(Box::new(Tree {
        weight: k,
        left: None,
        right: None,
    }));
    t.weight *= k;
}

#[adjoint]
fn sibling_left(t: &mut Option<Box<Tree>>, k: f64) {
    let mut cur = t;
    while let Some(n) = cur {
        cur = if n.weight > 0.3 {
            &mut n.left
        } else {
            &mut n.right
        };
        if let Some(l) = cur {
            l.weight += k * n.weight;
        }
        n.weight *= k;
    }
}

#[adjoint]
fn both_sides(t: &mut Tree, k: f64) {
    let mut l: &mut Option<Box<Tree>> = &mut t.left;
    let mut r: &mut Option<Box<Tree>> = &mut t.right;
    while let (Some(a), Some(b)) = (l, r) {
        a.weight += k * b.weight;
        b.weight *= a.weight;
        l = &mut a.right;
        r = &mut b.left;
    }
    t.weight *= k;
}

#[adjoint]
fn with_the_other_side(t: &mut Option<Box<Tree>>, k: f64) {
    let mut cur = t;
    while let Some(n) = cur {
        cur = &mut n.right;
        if let Some(l) = &mut n.left {
            l.weight *= k * n.weight;
        }
        if let Some(r) = cur {
            r.weight += k;
        }
    }
}

#[test]
fn trees_are_walked() {
    for x in [0.9, 0.4, -0.2] {
        check!(looked_up(&tree(4, 0.8), x) -> f64);
        check!(pushed_down(&mut tree(4, 0.8), x));
        check!(sibling_after(&mut tree(4, 0.8), x));
        check!(sibling_left(&mut tree(4, 0.8), x));
        check!(one_after_the_other(&mut tree(4, 0.8).unwrap(), x));
        check!(one_after_the_other(&mut tree(1, 0.8).unwrap(), x));
        check!(both_sides(&mut tree(4, 0.8).unwrap(), x));
        check!(with_the_other_side(&mut tree(4, 0.8), x));
        check!(left_then_right(&mut tree(4, 0.8).unwrap(), x));
    }
    check!(grown(&vec![0.5, 0.2, 0.9, 0.3, 0.7], 1.1) -> Option<Box<Tree>>);
}

#[adjoint]
mod owners {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Link {
        pub load: f64,
        pub next: Option<Box<Link>>,
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Rope {
        pub first: Option<Box<Link>>,
        pub stiffness: f64,
    }

    pub fn tension(rope: &Rope) -> f64 {
        let mut t = 0.0;
        let mut cur = &rope.first;
        while let Some(link) = cur {
            t += rope.stiffness * link.load * (1.0 + t);
            cur = &link.next;
        }
        t
    }

    pub fn damped(rope: &mut Rope, k: f64) {
        let mut cur = &mut rope.first;
        while let Some(link) = cur {
            link.load *= rope.stiffness * k;
            cur = &mut link.next;
        }
    }

    pub fn longer(rope: &mut Rope, load: f64) {
        rope.appended(load);
    }

    pub fn shorter(rope: &mut Rope, n: usize) -> f64 {
        rope.shortened(n)
    }

    impl Rope {
        pub fn appended(&mut self, load: f64) {
            let mut cur = &mut self.first;
            while let Some(link) = cur {
                cur = &mut link.next;
            }
            *cur = Some(Box::new(Link {
                load: load * self.stiffness,
                next: None,
            }));
        }

        pub fn shortened(&mut self, n: usize) -> f64 {
            let mut cur = self.first.as_mut();
            let mut k = 0;
            while let Some(link) = cur {
                k += 1;
                if k == n {
                    link.next = None;
                }
                link.load *= self.stiffness;
                cur = link.next.as_mut();
            }
            self.stiffness * k as f64
        }
    }
}

use owners::{Link, Rope};
flat!(Link { load, next });
flat!(Rope { first, stiffness });

fn rope(loads: &[f64]) -> Rope {
    let link = |next, load: &f64| Some(Box::new(Link { load: *load, next }));
    Rope {
        first: loads.iter().rev().fold(None, link),
        stiffness: 1.3,
    }
}

#[test]
fn lists_in_structs() {
    for loads in [&[0.5, 1.2, -0.7, 0.3][..], &[]] {
        check!(owners::tension(&rope(loads)) -> f64);
        check!(owners::damped(&mut rope(loads), 0.9));
        check!(owners::longer(&mut rope(loads), 0.9));
        for n in 0..4 {
            check!(owners::shorter(&mut rope(loads), const n) -> f64);
        }
    }
}
