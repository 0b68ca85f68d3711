//! Receivers whose index the arguments change, and arguments that leave the loop or the function.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
pub struct Pole {
    b: f64,
    s: f64,
}

flat!(Pole { b, s });

#[derive(Clone, Debug, Differentiable)]
pub struct Rack {
    lo: Pole,
    hi: Pole,
    rows: Vec<Vec<f64>>,
    bank: Vec<Pole>,
    n: usize,
}

flat!(Rack {
    lo,
    hi,
    rows,
    bank,
    n
});

#[adjoint]
impl Pole {
    pub fn process(&mut self, x: f64) -> f64 {
        let y = self.b * x + self.s;
        self.s = y * x;
        y
    }

    pub fn checked(&mut self, x: f64) -> Option<f64> {
        self.s += x * self.b;
        if self.s > 2.0 { None } else { Some(self.s * x) }
    }
}

/// The receiver's index is read before.
#[adjoint]
fn indexed(t: &mut Rack, x: f64) -> f64 {
    t.rows[t.n].push({
        t.n += 1;
        x * t.n as f64
    });
    t.rows[t.n].insert(0, {
        t.n -= 1;
        x * x
    });
    t.rows[t.n].fill({
        t.n += 1;
        x * t.lo.s
    });
    t.bank[t.n].process({
        t.n -= 1;
        t.lo.process(x)
    });
    t.bank[t.n].process({
        t.n += 1;
        t.lo.process(x)
    });
    let mut s = 0.0;
    for (i, row) in t.rows.iter().enumerate() {
        for v in row {
            s = s * 0.9 + v * v * (i + 1) as f64;
        }
    }
    s
}

#[adjoint]
fn returned(t: &mut Rack, x: &[f64]) -> Option<f64> {
    let mut y = 0.3;
    for v in x {
        y = t.hi.process(t.lo.checked(*v + y)?);
        t.bank[1].process(if y > 0.9 {
            return Some(y * t.hi.s);
        } else {
            x[0] * t.lo.process(y)
        });
    }
    Some(y * y + t.bank[1].s)
}

#[adjoint]
fn broken_off(t: &mut Rack, x: &[f64]) -> f64 {
    let mut y = 0.3;
    let mut k = 0;
    loop {
        t.hi.process(if k >= x.len() {
            break;
        } else {
            x[k] * t.lo.process(x[k] * y)
        });
        k += 1;
        y = t.hi.process({
            let mut a = y;
            for v in &x[k..] {
                a += v * t.lo.process(*v);
            }
            a
        });
    }
    y * t.hi.s
}

#[adjoint]
mod pairs {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Pair {
        pub a: f64,
        pub b: f64,
    }

    impl Pair {
        pub fn plus(self, other: Pair) -> Pair {
            Pair {
                a: self.a + other.a * other.b,
                b: self.b * other.a,
            }
        }

        pub fn shift(&mut self, x: f64) -> Pair {
            self.a *= x;
            self.b += self.a;
            *self
        }

        pub fn norm(&self, k: f64) -> f64 {
            self.a * k + self.b
        }

        pub fn set(&mut self, k: f64) -> f64 {
            self.a = k * self.b;
            self.a * k
        }
    }

    /// By value, by reference and by `&mut`, each beside another.
    pub fn mixed(p: &mut Pair, q: &mut [Pair], x: f64) -> f64 {
        let r = p.plus(p.shift(x)).plus(p.shift(x * x));
        let s = q[0].plus(q[1].shift(x));
        let u = q[1].plus({
            q[1] = s;
            q[0]
        });
        let v = p.set(p.norm(x));
        q[0].set(r.norm(u.norm(v))) * p.a
    }
}

use pairs::Pair;

flat!(Pair { a, b });

fn rack() -> Rack {
    let pole = |b, s| Pole { b, s };
    Rack {
        lo: pole(0.5, 0.2),
        hi: pole(0.7, 0.3),
        rows: vec![vec![0.3], vec![0.4, 0.5], vec![]],
        bank: vec![pole(0.4, 0.1), pole(0.6, -0.2), pole(0.3, 0.2)],
        n: 0,
    }
}

#[test]
fn indices_are_as_they_were() {
    check!(indexed(&mut rack(), 0.75) -> f64);
}

#[test]
fn receivers_stay_where_arguments_leave() {
    check!(returned(&mut rack(), &[0.3, 0.4]) -> Option<f64>);
    check!(returned(&mut rack(), &[0.3, 9.0]) -> Option<f64>);
    check!(returned(&mut rack(), &[1.7, 0.4]) -> Option<f64>);
    check!(returned(&mut rack(), &[]) -> Option<f64>);
    check!(broken_off(&mut rack(), &[0.3, 0.4, 0.8]) -> f64);
    check!(broken_off(&mut rack(), &[]) -> f64);
}

#[test]
fn copies_beside_what_is_lent() {
    let pair = |a, b| Pair { a, b };
    let list = [pair(0.3, 0.2), pair(-0.5, 0.6)];
    check!(pairs::mixed(&mut pair(0.4, 0.7), &mut list.clone(), 1.3) -> f64);
}
