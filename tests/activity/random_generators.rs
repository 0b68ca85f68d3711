//! Random numbers from generators that `wrt` and `of` leave out, and whose types nothing is derived for.

use adjoint::adjoint;

use crate::common::{check, flat};

pub trait Draw {
    fn draw(&mut self) -> f64;
}

pub struct XorShift(u64);

impl XorShift {
    fn next_f64(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl Draw for XorShift {
    fn draw(&mut self) -> f64 {
        self.next_f64()
    }
}

#[adjoint(wrt(x), of(ret), inactive(XorShift::next_f64))]
fn of_its_own(x: &[f64], rng: &mut XorShift) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += v * v * rng.next_f64();
    }
    s
}

#[adjoint(wrt(x), of(ret), inactive(Draw::draw))]
fn generic<R: Draw + ?Sized>(x: &[f64], rng: &mut R) -> f64 {
    let mut s = rng.draw();
    for v in x {
        s *= v + rng.draw();
    }
    s
}

#[adjoint(wrt(x), of(ret), inactive(Draw::draw))]
fn of_some_type(x: &[f64], rng: &mut impl Draw) -> f64 {
    x.iter().map(|v| v.sin() * rng.draw()).sum()
}

#[adjoint(wrt(x), of(ret), inactive(Draw::draw))]
fn by_table(x: &[f64], rng: &mut dyn Draw) -> f64 {
    x.iter().fold(1.0, |s, v| s * rng.draw() + v * v)
}

fn normal(rng: &mut XorShift) -> f64 {
    (rng.next_f64() + rng.next_f64() - 1.0) * 2.0
}

#[adjoint(wrt(x), of(ret), inactive(normal))]
fn by_a_function(x: &[f64], rng: &mut XorShift) -> f64 {
    let mut sum = 0.0;
    for _ in 0..20 {
        let mut s = x[0];
        for _ in 0..4 {
            let z = normal(rng);
            s *= (x[1] * 0.5 * z - 0.125 * x[1] * x[1]).exp();
        }
        sum += (s - x[2]).max(0.0);
    }
    sum / 20.0
}

/// The callee is not seen: for all that is known, what it leaves in the generator depends on `x`.
mod apart {
    use super::{XorShift, adjoint};
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    pub struct Source(u64);

    impl Source {
        pub fn new(seed: u64) -> Source {
            Source(seed)
        }

        fn next_f64(&mut self) -> f64 {
            let mut inner = XorShift(self.0);
            let drawn = inner.next_f64();
            self.0 = inner.0;
            drawn
        }
    }

    #[adjoint(wrt(x), of(ret), inactive(Source::next_f64))]
    pub fn step(x: f64, rng: &mut Source) -> f64 {
        x.sin() * rng.next_f64() + x * x
    }

    #[adjoint(wrt(x), of(ret), inactive(Source::next_f64))]
    pub fn walk(x: &[f64], rng: &mut Source) -> f64 {
        let mut s = 0.0;
        for &v in x {
            let k = rng.next_f64();
            s += step(v, rng) * step(k * v, rng);
        }
        s
    }
}

/// Value, gradient and the generator's last state are those of the function.
macro_rules! checked {
    ($f:path, $adjoint:path, $rng:expr, $state:expr) => {
        let (x, mut x_adj) = ([1.1, 0.4, 0.9], [0.0; 3]);
        let (mut rng, mut own) = ($rng, $rng);
        let value = $adjoint(&x, &mut x_adj, &mut rng, 1.0);
        assert_eq!(value, $f(&x, &mut own));
        assert_eq!($state(rng), $state(own));
        for (k, adj) in x_adj.iter().enumerate() {
            let at = |h: f64| {
                let mut x = x;
                x[k] += h;
                $f(&x, &mut $rng)
            };
            let h = 1e-3;
            let d = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            assert!(
                (d - adj).abs() < 1e-9 * (1.0 + d.abs()),
                "x[{k}]: {adj}, not {d}"
            );
        }
    };
}

#[test]
fn generators_need_nothing_that_is_derived() {
    let state = |rng: XorShift| rng.0;
    checked!(of_its_own, of_its_own_adjoint, XorShift(12345), state);
    checked!(generic, generic_adjoint, XorShift(12345), state);
    checked!(of_some_type, of_some_type_adjoint, XorShift(12345), state);
    checked!(by_table, by_table_adjoint, XorShift(12345), state);
    checked!(by_a_function, by_a_function_adjoint, XorShift(99), state);
}

#[test]
fn generators_are_handed_on() {
    let state = |mut rng: apart::Source| apart::step(0.0, &mut rng);
    checked!(
        apart::walk,
        apart::walk_adjoint,
        apart::Source::new(7),
        state
    );
}

/// Motion on a spring: what carries floats takes part, also where it is only lent.
mod motion {
    use adjoint::{Differentiable, adjoint};

    #[derive(Differentiable, Clone, Debug)]
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    #[adjoint]
    impl State {
        fn advance(&mut self) {
            self.v -= 0.1 * self.x.sin();
            self.x += 0.1 * self.v;
        }

        fn energy(&self) -> f64 {
            0.5 * self.v * self.v - self.x.cos()
        }
    }

    #[adjoint]
    pub fn drive(s: &mut State, steps: usize) -> f64 {
        for _ in 0..steps {
            s.advance();
        }
        s.energy()
    }

    #[adjoint]
    pub fn scaled(k: f64, s: &mut State, steps: usize) -> f64 {
        for _ in 0..steps {
            s.advance();
        }
        k * s.energy()
    }
}

use motion::State;
flat!(State { x, v });

#[test]
fn states_that_carry_floats_take_part() {
    let start = State { x: 1.0, v: 0.2 };
    check!(motion::drive(&mut start.clone(), const 5) -> f64);
    check!(motion::scaled(0.7, &mut start.clone(), const 5) -> f64);
}
