//! Functions that return references early, and references that are used where the other path panics.

use crate::common::check;

#[adjoint::adjoint]
mod parts {
    use adjoint::Differentiable;

    fn of_two<'a>(a: &'a [f64], b: &'a [f64], i: usize) -> &'a f64 {
        if i < 1 {
            return &a[i];
        } else if i < 2 {
            return &b[i];
        }
        let j = i % 3;
        if j == 0 {
            return &a[1];
        }
        &b[j]
    }

    pub fn weighted(a: &[f64], b: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..5 {
            let v = of_two(a, b, i);
            s += v * v * (i + 1) as f64;
        }
        s
    }

    fn behind(at: Option<usize>, x: &[f64]) -> &[f64] {
        let Some(i) = at else {
            return x;
        };
        let i = i + 1;
        &x[i..]
    }

    fn from(at: Option<usize>, x: &[f64]) -> &[f64] {
        let i = match at {
            Some(i) if i < 2 => i,
            Some(_) => return &x[2..],
            None => return x,
        };
        &x[i..]
    }

    fn clipped(x: &[f64], i: usize, at: Option<usize>) -> &f64 {
        if let Some(j) = at {
            if j > 1 {
                return &x[j];
            }
        }
        &x[i]
    }

    /// The branch that returns has a name of its own for what the rest names, too.
    fn named_alike<'a>(x: &'a [f64], at: Option<usize>, s: &mut f64) -> &'a f64 {
        if let Some(i) = at {
            *s += i as f64;
            return &x[i];
        }
        let i = 2;
        *s *= 2.0;
        &x[i]
    }

    fn boxed<'a>(x: &'a Option<Box<f64>>, most: &'a f64) -> &'a f64 {
        match x {
            Some(b) => {
                if **b > 1.0 {
                    return most;
                }
                &**b
            }
            None => most,
        }
    }

    pub fn alike(x: &[f64], t: f64) -> f64 {
        let mut s = t;
        let u = *named_alike(x, Some(1), &mut s) * named_alike(x, None, &mut s);
        let (some, none) = (Some(Box::new(x[0] * t)), None);
        u * s + boxed(&some, &t) * 2.0 + boxed(&none, &t) * x[1]
    }

    pub fn optional(x: &[f64]) -> f64 {
        let s = behind(None, x).iter().sum::<f64>() * behind(Some(0), x)[0];
        let t = from(None, x)[2] * from(Some(1), x)[0] + from(Some(4), x)[0].sin();
        let u = *clipped(x, 0, Some(2)) + clipped(x, 0, Some(1)) * 3.0;
        s + t * u * clipped(x, 1, None)
    }

    fn row(x: &mut [f64], k: usize, n: usize) -> &mut [f64] {
        assert!(n > 0);
        let at = k * n;
        match k {
            0 => {
                return &mut x[..n];
            }
            1 => {}
            _ => panic!("no row {k}"),
        }
        &mut x[at..at + n]
    }

    pub fn rows(x: &mut [f64], k: f64) -> f64 {
        for v in row(x, 0, 2) {
            *v *= k;
        }
        let r = row(x, 1, 2);
        r[0] += k * r[1];
        x[0] * x[2]
    }

    #[derive(Clone, Differentiable)]
    struct Pair {
        first: Vec<f64>,
        second: Vec<f64>,
    }

    impl Pair {
        fn part(&self, first: bool) -> &[f64] {
            if !first {
                return &self.second;
            }
            if self.first.is_empty() {
                return &self.second;
            }
            &self.first
        }

        fn part_mut(&mut self, first: bool) -> &mut Vec<f64> {
            if first {
                return &mut self.first;
            }
            &mut self.second
        }
    }

    pub fn fields(x: &[f64], k: f64) -> f64 {
        let mut pair = Pair {
            first: x.to_vec(),
            second: vec![k, k * k],
        };
        pair.part_mut(true)[0] *= k;
        pair.part_mut(false).push(x[0]);
        pair.part(true)[0] * pair.part(false)[2] + pair.part(false)[1]
    }
}

/// Loops that return what they find.
#[adjoint::adjoint]
mod searched {
    use adjoint::Differentiable;

    fn first_above(x: &[f64], t: f64) -> &f64 {
        for v in x {
            if *v > t {
                return v;
            }
        }
        &x[0]
    }

    pub fn above(x: &[f64], t: f64) -> f64 {
        let v = first_above(x, t);
        v * v
    }

    fn slot(x: &mut [f64], t: f64) -> &mut f64 {
        for v in x.iter_mut() {
            if *v > t {
                return v;
            }
        }
        panic!("nothing above {t}")
    }

    pub fn raised(x: &mut [f64], k: f64) {
        *slot(x, 0.5) *= k;
        *slot(x, 0.2) += k;
    }

    /// What is found changes with what was written to what was found before.
    pub fn found_anew(x: &mut [f64], ts: &[f64], k: f64) -> f64 {
        let mut s = 0.0;
        for t in ts {
            let p = slot(x, *t);
            *p *= k * *p;
            s += *p;
            let first = slot(x, -10.0);
            *first += s;
        }
        s
    }

    fn of_either<'a>(x: &'a [f64], y: &'a [f64], t: f64) -> &'a f64 {
        let mut i = 0;
        while i < x.len() {
            if x[i] > t {
                return &x[i];
            }
            if y[i] > t {
                return &y[i];
            }
            i += 1;
        }
        &y[0]
    }

    pub fn exchanged(x: &mut Vec<f64>, t: f64) -> f64 {
        let mut y = x.clone();
        let mut s = 0.0;
        for k in 0..4 {
            let v = *of_either(x, &y, t);
            s += v * v;
            std::mem::swap(x, &mut y);
            x[0] = v * t + k as f64 * 0.01;
            y.rotate_left(1);
        }
        s
    }

    #[derive(Clone, Differentiable)]
    struct Item {
        key: usize,
        v: f64,
    }

    #[derive(Clone, Differentiable)]
    struct Bag {
        items: Vec<Item>,
    }

    impl Bag {
        fn find(&self, key: usize) -> Option<&Item> {
            for item in &self.items {
                if item.key == key {
                    return Some(item);
                }
            }
            None
        }

        fn find_mut(&mut self, key: usize) -> Option<&mut Item> {
            for item in self.items.iter_mut() {
                if item.key == key {
                    return Some(item);
                }
            }
            None
        }

        fn get(&self, key: usize) -> &Item {
            let mut i = 0;
            loop {
                if self.items[i].key == key {
                    return &self.items[i];
                }
                i += 1;
            }
        }
    }

    pub fn looked_up(x: &[f64], k: f64) -> f64 {
        let items = x.iter().enumerate();
        let mut bag = Bag {
            items: items.map(|(i, v)| Item { key: i * 2, v: *v }).collect(),
        };
        if let Some(item) = bag.find_mut(2) {
            item.v *= k;
        }
        if let Some(item) = bag.find_mut(3) {
            item.v *= 100.0;
        }
        let a = match bag.find(2) {
            Some(item) => item.v,
            None => 1.0,
        };
        let c = bag.find(5).map_or(k, |item| item.v);
        a * c * bag.get(4).v
    }

    fn cell<'a>(xs: &[f64], ys: &'a [f64], t: f64) -> &'a [f64] {
        let n = xs.len();
        for i in 1..n {
            if t < xs[i] {
                return &ys[i - 1..i + 1];
            }
        }
        &ys[n - 2..]
    }

    pub fn interpolated(ys: &[f64], t: f64) -> f64 {
        let c = cell(&[0.0, 1.0, 2.0], ys, t);
        c[0] * (1.0 - t) + c[1] * t
    }

    fn nested(x: &[f64], n: usize) -> &f64 {
        for i in 0..n {
            for j in 0..n {
                if i != j && x[i] > x[j] {
                    return &x[i * n + j];
                }
            }
        }
        &x[0]
    }

    /// What is done before the return is done.
    fn counted<'a>(x: &'a mut [f64], tried: &mut f64, t: f64) -> &'a mut f64 {
        *tried += t;
        for i in 0..x.len() {
            *tried += 1.0;
            if x[i] > t {
                *tried *= 2.0;
                return &mut x[i];
            }
            x[i] += 0.1;
        }
        *tried -= t;
        &mut x[0]
    }

    pub fn counting(x: &mut [f64], t: f64) -> f64 {
        let mut tried = t * t;
        *counted(x, &mut tried, 0.5) *= tried;
        *counted(x, &mut tried, 0.3) += tried;
        *counted(x, &mut tried, 100.0) *= t;
        tried * x[0]
    }

    fn of_labels(x: &[f64], n: usize) -> &[f64] {
        let mut i = 0;
        'rows: while i < n {
            let mut j = 0;
            while j < n {
                if x[i] * x[j] > 0.4 {
                    return &x[j..];
                }
                if j > i {
                    i += 1;
                    continue 'rows;
                }
                j += 1;
            }
            i += 1;
        }
        &x[..1]
    }

    pub fn labelled(x: &[f64]) -> f64 {
        of_labels(x, 3)[0] * of_labels(x, 1)[0]
    }

    pub fn of_two_loops(x: &[f64], k: f64) -> f64 {
        nested(x, 2) * k
    }
}

/// The reference comes out of the arm that goes on.
mod found {
    use adjoint::adjoint;

    #[adjoint]
    pub fn by_match(x: &mut [f64], k: f64) {
        let mut found = None;
        for v in x.iter_mut() {
            if *v > 0.5 {
                found = Some(v);
                break;
            }
        }
        let r = match found {
            Some(v) => v,
            None => panic!("nothing found"),
        };
        *r *= k;
    }

    #[adjoint]
    pub fn by_if_let(x: &mut [f64], k: f64) {
        let mut found = None;
        for v in x.iter_mut() {
            if *v > 0.5 {
                found = Some(v);
                break;
            }
        }
        let r = if let Some(v) = found {
            v
        } else {
            panic!("nothing found")
        };
        *r *= k;
    }

    #[adjoint]
    pub fn assigned_first(x: &mut [f64], k: f64) {
        let mut found: Option<&mut f64> = None;
        if x[0] > 1.0 {
            found = Some(&mut x[1]);
        } else if x[0] > 0.0 {
            found = Some(&mut x[0]);
        }
        let r = match found {
            Some(v) => v,
            None => panic!("nothing found"),
        };
        *r *= k;
    }

    #[adjoint]
    pub fn of_rows(x: &[[f64; 2]], t: f64) -> f64 {
        let mut found = None;
        for i in 0..x.len() {
            if x[i][0] > 0.1 {
                found = Some(&x[i]);
                break;
            }
        }
        let row = match found {
            Some(row) => row,
            None => panic!("nothing found"),
        };
        row[0] * row[1] * t
    }

    #[adjoint]
    pub fn of_three(x: &[f64], k: usize, n: usize) -> f64 {
        let row = match k {
            0 => &x[..n],
            1 => {
                let at = k * n;
                &x[at..at + n]
            }
            _ => unreachable!(),
        };
        row[0] * row[1]
    }
}

use found::*;
use parts::*;
use searched::*;

#[test]
fn parts_are_returned_early() {
    check!(weighted(&[0.4, 0.8, 0.3], &[0.5, 0.6, 0.7]) -> f64);
    check!(alike(&[0.4, 0.8, 0.3], 0.7) -> f64);
    check!(alike(&[0.4, 0.8, 0.3], 2.9) -> f64);
    check!(optional(&[0.4, 0.8, 0.3]) -> f64);
    check!(rows(&mut [0.4, 0.8, 0.3, 0.9], 0.7) -> f64);
    check!(fields(&[0.4, 0.8, 0.3], 0.5) -> f64);
}

#[test]
fn what_is_found_is_changed_behind_the_match() {
    for x in [[0.4, 0.8, 0.3], [1.4, 0.8, 0.3]] {
        let [a, b, c] = x;
        check!(by_match(&mut [a, b, c], 0.5));
        check!(by_if_let(&mut [a, b, c], 0.5));
        check!(assigned_first(&mut [a, b, c], 0.5));
    }
    check!(of_rows(&[[0.05, 0.8], [0.3, 0.7]], 0.35) -> f64);
    check!(of_three(&[0.4, 0.8, 0.3, 0.6], const 0, const 2) -> f64);
    check!(of_three(&[0.4, 0.8, 0.3, 0.6], const 1, const 2) -> f64);
}

#[test]
fn loops_return_what_they_find() {
    check!(above(&[0.4, 0.8, 0.3], 0.5) -> f64);
    check!(above(&[0.4, 0.8, 0.3], 0.9) -> f64);
    check!(raised(&mut [0.4, 0.8, 0.3], 0.5));
    check!(found_anew(&mut [0.4, 0.8, 0.3], &[0.5, 0.2, 0.35, 0.1], 0.9) -> f64);
    check!(found_anew(&mut [0.4, 0.8, 0.3], &[], 0.9) -> f64);
    check!(exchanged(&mut vec![0.4, 0.8, 0.3], 0.5) -> f64);
    check!(exchanged(&mut vec![0.4, 0.8, 0.3], 0.9) -> f64);
    check!(looked_up(&[0.4, 0.8, 0.3], 0.5) -> f64);
    for t in [0.3, 1.3, 5.0] {
        check!(interpolated(&[0.4, 0.8, 0.3], t) -> f64);
    }
    check!(counting(&mut [0.4, 0.8, 0.3], 0.7) -> f64);
    check!(labelled(&[0.4, 0.8, 0.7]) -> f64);
    check!(labelled(&[0.1, 0.2, 0.7]) -> f64);
    check!(of_two_loops(&[0.4, 0.8, 0.3, 0.7], 0.3) -> f64);
    check!(of_two_loops(&[0.9, 0.8, 0.3, 0.7], 0.3) -> f64);
}
