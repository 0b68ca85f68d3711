//! Methods of one name in different types, with different receivers and results.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Copy, Debug, Differentiable)]
struct Rotor {
    speed: f64,
}

#[adjoint]
impl Rotor {
    fn step(&mut self, k: f64) {
        self.speed *= k * self.speed.sin();
    }
    fn turned(self, k: f64) -> Rotor {
        Rotor {
            speed: self.speed * k.cos(),
        }
    }
    fn count(&self) -> f64 {
        self.speed * self.speed
    }
}

#[adjoint]
fn rotor(speed: f64) -> Rotor {
    Rotor { speed: speed.exp() }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Rig {
    mass: f64,
    rotor: Rotor,
}

#[adjoint]
impl Rig {
    fn step(&self, k: f64) -> f64 {
        self.mass * k
    }
    fn turned(self, k: f64) -> Rig {
        Rig {
            mass: self.mass + k,
            ..self
        }
    }
    fn count(&self) -> usize {
        3
    }
    fn spin(mut self, mut given: Rotor, k: f64) -> f64 {
        let mut made = Rotor { speed: k };
        let mut found = rotor(k);
        for _ in 0..self.count() {
            made.step(self.mass);
            found.step(self.step(k));
            given.step(k);
            self.rotor.step(made.count());
        }
        made.count() * found.count() + given.count() + self.rotor.count()
    }
    fn twice(&self, rotor: Rotor, p: f64, q: f64) -> f64 {
        let once = Rotor::turned(rotor, p);
        once.turned(q).count() * Rotor::turned(rotor, q).turned(p).count() * self.step(p)
    }
    fn all(&self, rotors: &mut [Rotor], k: f64) -> f64 {
        rotors.iter_mut().for_each(|r: &mut Rotor| r.step(k));
        let mut last = rotors[0];
        let mut wind = |q: f64| last.step(q * self.mass);
        wind(k);
        wind(0.5);
        last.count() + rotors[1].count()
    }
}

#[adjoint]
fn spun(mass: f64, speed: f64, k: f64) -> f64 {
    let rig = Rig {
        mass,
        rotor: Rotor { speed },
    };
    rig.spin(Rotor { speed: k }, 0.6) + rig.twice(rig.rotor, k, speed)
}

#[adjoint]
fn spun_all(mass: f64, speed: f64, k: f64) -> f64 {
    let rotor = Rotor { speed };
    let rig = Rig { mass, rotor };
    let mut rotors = [rotor, Rotor { speed: k }];
    rig.all(&mut rotors, k) + rotors[0].count()
}

#[test]
fn another_type_tells_how_its_method_takes_self() {
    check!(spun(0.7, 0.4, 0.9) -> f64);
    check!(spun_all(0.7, 0.4, 0.9) -> f64);
}

#[adjoint]
mod together {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Wave(pub f64);

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Pulse(pub f64);

    impl Wave {
        pub fn new(x: f64) -> Self {
            Wave(x.sin())
        }
        pub fn next(&mut self, k: f64) -> Self {
            self.0 *= k;
            *self
        }
        pub fn size(&self) -> f64 {
            self.0.exp()
        }
        pub fn and(&self, other: Pulse) -> f64 {
            other.next(self.0).next(0.3).size() * self.clone().next(0.7).size()
        }
    }

    impl Pulse {
        pub fn new(x: f64) -> Self {
            Pulse(x.cos())
        }
        pub fn next(self, k: f64) -> Self {
            Pulse(self.0 + k * k)
        }
        pub fn size(&self) -> f64 {
            self.0.tanh()
        }
    }

    pub fn both(x: f64, k: f64) -> f64 {
        let mut wave = Wave::new(x);
        let pulse = Pulse::new(x);
        let next = wave.next(k).next(x);
        next.size() * wave.and(pulse) + pulse.next(k).next(x).size()
    }
}
use together::{both, both_adjoint, both_adjoint_with};

#[test]
fn methods_of_one_name_in_a_module() {
    check!(both(0.7, 1.2) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
struct Table {
    data: Vec<f64>,
}
flat!(Table { data });

#[adjoint]
impl Table {
    fn filled(k: f64) -> Table {
        Table { data: vec![k; 3] }
    }
    fn trace(&self) -> f64 {
        self.data.iter().map(|v| v * v).sum()
    }
    fn own(&mut self, k: f64) -> f64 {
        self.data[0] *= k;
        Table::trace(self).tanh() + Self::trace(self).sin()
    }
}

#[adjoint]
fn by_path(table: &mut Table, k: f64) -> f64 {
    let made = Table::trace(&Table::filled(k)).tanh();
    let lent = Table::trace(table).sqrt() + Table::trace(&*table).sin();
    made * lent + Table::own(table, k).cos()
}

#[test]
fn what_a_method_makes_by_its_path_may_be_a_number() {
    let data = vec![0.3, 0.8, -0.2];
    check!(by_path(&mut Table { data }, 0.6) -> f64);
}

/// Named like one of the standard library's, which are made of one value.
#[derive(Clone, Debug, Differentiable)]
struct Cell {
    mean: f64,
    slope: f64,
}

#[adjoint]
impl Cell {
    fn new(mean: f64, slope: f64) -> Self {
        Cell { mean, slope }
    }
    fn at(&self, x: f64) -> f64 {
        self.mean + self.slope * x * x
    }
    fn limit(&mut self, w: f64) {
        self.slope *= (1.0 - w) * self.mean;
    }
}

#[adjoint]
fn in_cells(x: f64, w: f64) -> f64 {
    let mut cell = Cell::new(x, w);
    Cell::limit(&mut cell, x);
    cell.at(x) * Cell::at(&cell, w)
}

#[test]
fn a_struct_may_be_named_like_one_of_std() {
    check!(in_cells(0.3, 0.7) -> f64);
}

/// An enum named like that of comparisons, with floats.
#[adjoint::adjoint]
mod orderings {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Differentiable)]
    pub enum Ordering {
        Less(f64),
        Greater(f64),
    }

    fn compare(a: f64, b: f64) -> Ordering {
        match a < b {
            true => Ordering::Less(b - a),
            false => Ordering::Greater(a * b),
        }
    }

    pub fn compared(a: f64, b: f64) -> f64 {
        match compare(a, b) {
            Ordering::Less(d) => d * a,
            Ordering::Greater(p) => p * 2.0,
        }
    }
}

mod elsewhere {
    #[derive(Clone, Copy, adjoint::Differentiable)]
    pub struct Ordering {
        pub weight: f64,
        pub level: f64,
    }
}

/// Imported, and a field of what stands before it.
#[adjoint::adjoint]
mod orderings_in_fields {
    use super::elsewhere::Ordering;
    use adjoint::Differentiable;

    #[derive(Clone, Differentiable)]
    pub struct Rank {
        pub order: Ordering,
        pub all: Vec<Ordering>,
        pub own: own::Pair,
    }

    pub mod own {
        use adjoint::Differentiable;

        #[derive(Clone, Differentiable)]
        pub struct Pair {
            pub first: Ordering<f64>,
            pub second: Option<Ordering<f64>>,
        }

        #[derive(Clone, Copy, Differentiable)]
        pub struct Ordering<T> {
            pub value: T,
        }

        pub fn value_of(pair: &Pair, k: f64) -> f64 {
            let second = pair.second.map_or(k, |o| o.value * k);
            pair.first.value * second
        }
    }

    fn heavier(a: Ordering, b: Ordering) -> Ordering {
        if a.weight > b.weight { a } else { b }
    }

    fn apply(f: impl Fn(Ordering) -> Ordering, o: Ordering) -> f64 {
        let made: Ordering = f(o);
        made.weight * made.level
    }

    pub fn ranked(x: &[f64], k: f64) -> f64 {
        let order = Ordering {
            weight: x[0],
            level: k,
        };
        let mut rank = Rank {
            order,
            all: x
                .iter()
                .map(|&weight| Ordering { weight, level: k })
                .collect(),
            own: own::Pair {
                first: own::Ordering { value: x[0] * k },
                second: Some(own::Ordering { value: x[1] }),
            },
        };
        let mut s = 0.0;
        for i in 0..x.len() {
            rank.order = heavier(rank.order, rank.all[i]);
            if rank.order.weight > 2.0 {
                break;
            }
            rank.all[i].level *= rank.order.weight;
            s += rank.all[i].level * rank.order.level;
        }
        s + apply(
            |o| Ordering {
                level: o.weight * k,
                ..o
            },
            rank.order,
        ) + own::value_of(&rank.own, k)
    }
}

#[test]
fn an_ordering_of_the_users() {
    {
        use orderings_in_fields::*;
        for k in [0.4, -1.3] {
            check!(ranked(&[0.4, 1.7, -0.3], k) -> f64);
            check!(ranked(&[0.4, 2.7, -0.3], k) -> f64);
        }
        let (mut dx, mut dk) = ([0.0; 2], 0.0);
        assert!(ranked_adjoint(&[f64::NAN, 0.5], &mut dx, 0.4, &mut dk, 0.0).is_nan());
        assert_eq!((dx, dk), ([0.0; 2], 0.0));
    }
    use orderings::*;
    check!(compared(3.0, 2.0) -> f64);
    check!(compared(1.0, 2.0) -> f64);
}

/// A trait for ranges, of std's and of the user's.
mod widths {
    #[adjoint::adjoint]
    pub mod of_std {
        use std::ops::{Range, RangeInclusive};

        pub trait Width {
            fn width(&self) -> f64;
        }

        impl Width for Range<f64> {
            fn width(&self) -> f64 {
                self.end - self.start
            }
        }

        impl Width for RangeInclusive<i32> {
            fn width(&self) -> f64 {
                (self.end() - self.start()) as f64
            }
        }

        pub fn scaled(x: f64) -> f64 {
            let n: Vec<i32> = (0..4).collect();
            x * x * n.len() as f64
        }
    }

    #[adjoint::adjoint]
    pub mod of_own {
        use adjoint::Differentiable;

        #[derive(Clone, Differentiable)]
        pub struct Range {
            lo: f64,
            hi: f64,
        }

        pub trait Width {
            fn width(&self) -> f64;
        }

        impl Width for Range {
            fn width(&self) -> f64 {
                self.hi * self.hi - self.lo
            }
        }

        pub fn width_of(lo: f64, hi: f64) -> f64 {
            Range { lo, hi }.width() * lo
        }
    }
}

use widths::of_own::*;
use widths::of_std::{Width as _, scaled, scaled_adjoint, scaled_adjoint_with};

#[test]
fn traits_for_ranges() {
    assert_eq!((0.5..2.0).width() + (1..=4).width(), 4.5);
    check!(scaled(0.4) -> f64);
    check!(width_of(0.4, 0.9) -> f64);
}
