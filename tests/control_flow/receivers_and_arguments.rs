//! Methods that change their receiver, with arguments that change something beside it.

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
    bank: Vec<Pole>,
    v: Vec<f64>,
    o: Option<f64>,
    n: usize,
}

flat!(Rack {
    lo,
    hi,
    bank,
    v,
    o,
    n
});

#[adjoint]
impl Pole {
    pub fn process(&mut self, x: f64) -> f64 {
        let y = self.b * x + self.s;
        self.s = y * x;
        y
    }

    pub fn set(&mut self, b: f64, s: f64) {
        self.b *= b;
        self.s += s;
    }

    pub fn gain(&self) -> f64 {
        self.b * self.s
    }
}

#[adjoint]
impl Rack {
    pub fn process(&mut self, x: f64) -> f64 {
        self.hi.process(self.lo.process(x))
    }

    pub fn gain(&self) -> f64 {
        self.lo.gain() + self.hi.s
    }

    pub fn run(&mut self, x: &[f64]) -> f64 {
        let mut y = 0.0;
        for (k, x) in x.iter().enumerate() {
            y = self.hi.process(0.5 * self.lo.process(*x) + y);
            self.bank[k % 2].process(self.lo.process(y));
            self.n += 1;
            self.hi.set(self.lo.gain(), self.lo.process(y));
        }
        y
    }
}

#[adjoint]
fn processed(t: &mut Rack, x: f64) -> f64 {
    t.process(x)
}

#[adjoint]
fn ran(t: &mut Rack, x: &[f64]) -> f64 {
    t.run(x)
}

/// The types of the fields are not seen here.
#[adjoint]
fn unseen(t: &mut Rack, x: f64) -> f64 {
    let mut y = x;
    for _ in 0..3 {
        y = t.hi.process(t.lo.process(y));
        t.hi.set(y, t.bank[1].process(x));
        t.hi.set(t.gain(), y);
        y *= t.hi.process({
            t.n += 1;
            x * t.n as f64
        });
    }
    let (first, rest) = t.bank.split_at_mut(1);
    y += rest[0].process(first[0].process(x));
    y + t.hi.s.max(t.process(x) * 0.1) + t.hi.s.mul_add(t.process(x), t.hi.s)
}

#[adjoint]
fn of_lists(t: &mut Rack, x: f64) -> f64 {
    t.v.push(t.hi.process(x));
    t.v.insert(0, t.lo.process(x));
    t.v[1..].fill(t.hi.process(x));
    t.v.extend_from_slice(&[t.lo.process(x), x]);
    t.v.rotate_left({
        t.n += 1;
        1
    });
    t.v.swap(0, {
        t.n += 1;
        2
    });
    t.v.resize(7, t.lo.process(x));
    let y = t.hi.process(t.v.pop().unwrap());
    let o: &mut Option<f64> = &mut t.o;
    let old = o.replace(t.lo.process(y)).unwrap_or(y);
    let kept = *o.insert(t.hi.process(old));
    let mut s = kept;
    for (i, v) in t.v.iter().enumerate() {
        s += v * v * (i + 1) as f64;
    }
    s
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
        pub fn dot(self, k: f64, other: Pair) -> f64 {
            self.a * other.a * k + self.b * other.b
        }

        pub fn doubled(&mut self) -> Pair {
            self.a *= 2.0;
            self.b *= self.a;
            *self
        }
    }

    /// By value, the receiver is as it was before.
    pub fn copied(p: &mut Pair, k: f64) -> f64 {
        let mut q = *p;
        let first = p.dot(k, p.doubled());
        let second = q.dot(
            {
                q.a = k * q.b;
                q.a
            },
            *p,
        );
        first * q.a + second
    }
}

use pairs::Pair;

flat!(Pair { a, b });

/// Of which it is not seen that the argument only reads.
#[adjoint]
fn of_itself(p: &mut Pole, mut q: Pole, x: f64) -> f64 {
    p.set(p.gain(), x);
    let r = &mut q;
    r.process(r.gain()) + p.process(x * p.gain() + 1.0) + q.process(q.gain())
}

fn rack() -> Rack {
    let pole = |b, s| Pole { b, s };
    Rack {
        lo: pole(0.5, 0.2),
        hi: pole(0.7, 0.3),
        bank: vec![pole(0.4, 0.1), pole(0.6, -0.2)],
        v: vec![0.3, -0.4],
        o: Some(0.25),
        n: 1,
    }
}

#[test]
fn methods_in_a_row() {
    check!(processed(&mut rack(), 0.75) -> f64);
    check!(ran(&mut rack(), &[0.75, -0.5, 0.6]) -> f64);
    check!(unseen(&mut rack(), 0.75) -> f64);
    let pole = |b, s| Pole { b, s };
    check!(of_itself(&mut pole(0.5, 0.2), pole(0.7, 0.3), 0.75) -> f64);
}

#[test]
fn lists_beside_methods() {
    check!(of_lists(&mut rack(), 0.75) -> f64);
    let none = Rack { o: None, ..rack() };
    check!(of_lists(&mut none.clone(), 0.75) -> f64);
}

#[test]
fn receivers_by_value() {
    check!(pairs::copied(&mut Pair { a: 0.7, b: 0.4 }, 1.3) -> f64);
}

#[test]
fn what_was_written_is_left_there() {
    let (mut t, mut s) = (rack(), rack());
    let mut t_adj = rack();
    let value = unseen_adjoint(&mut t, &mut t_adj, 0.75, &mut 0.0, 1.0);
    assert_eq!(value, unseen(&mut s, 0.75));
    assert_eq!(t.hi.s, s.hi.s);
}
