//! Types, methods and `impl`s of one name.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

pub mod plain {
    pub struct Gauge(pub f64);

    impl Gauge {
        pub fn read(&self, x: f64) -> f64 {
            x * self.0
        }
    }
}

pub mod fine {
    use adjoint::{Differentiable, adjoint};

    #[derive(Clone, Debug, Differentiable)]
    pub struct Gauge(pub f64);

    #[adjoint]
    impl Gauge {
        pub fn read(&self, x: f64) -> f64 {
            x * self.0
        }
    }
}

#[adjoint(wrt(x), of(ret), inactive(plain::Gauge::read))]
fn by_paths(x: f64, p: &plain::Gauge, q: &fine::Gauge) -> f64 {
    q.read(x) * x + p.read(2.0)
}

mod elsewhere {
    use super::plain::Gauge;
    use adjoint::adjoint;

    #[adjoint(
        wrt(x),
        of(ret),
        inactive(crate::items_of_one_name::plain::Gauge::read)
    )]
    pub fn by_another_path(x: f64, p: &Gauge) -> f64 {
        x * x * p.read(2.0)
    }
}

#[test]
fn inactive_methods_by_another_path() {
    let mut x_adj = 0.0;
    let value = elsewhere::by_another_path_adjoint(0.3, &mut x_adj, &plain::Gauge(2.0), 1.0);
    assert_eq!(value.to_bits(), (0.3f64 * 0.3 * 4.0).to_bits());
    assert!((x_adj - 2.4).abs() < 1e-14, "{x_adj}");
}

#[test]
fn inactive_methods_go_by_the_path_of_their_type() {
    let (p, q) = (plain::Gauge(2.0), fine::Gauge(3.0));
    let (mut tape, mut x_adj) = (adjoint::Tape::new(), 0.0);
    let value = by_paths_adjoint_with(&mut tape, 0.3, &mut x_adj, &p, &q, 1.0);
    assert_eq!(value.to_bits(), (3.0f64 * 0.3 * 0.3 + 4.0).to_bits());
    assert!((x_adj - 1.8).abs() < 1e-14, "{x_adj}");
}

#[adjoint]
pub mod rulers {
    use adjoint::Differentiable;
    use std::ops::Mul;

    pub trait Apply<X> {
        fn apply(&self, x: X) -> f64;
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Ruler {
        pub a: f64,
    }

    impl Apply<f64> for Ruler {
        fn apply(&self, x: f64) -> f64 {
            self.a * x
        }
    }

    impl Apply<&f64> for Ruler {
        fn apply(&self, x: &f64) -> f64 {
            self.a + *x * *x
        }
    }

    impl Mul<Ruler> for Ruler {
        type Output = f64;
        fn mul(self, other: Ruler) -> f64 {
            self.a * other.a
        }
    }

    impl Mul<Ruler> for &Ruler {
        type Output = f64;
        fn mul(self, other: Ruler) -> f64 {
            self.a + other.a * 5.0
        }
    }

    pub fn lent_by_match(x: f64, a: f64) -> f64 {
        let ruler = Ruler { a };
        let both = (x, a);
        match &both {
            (p, q) if p > q => ruler.apply(p),
            (p, q) => ruler.apply(p) * ruler.apply(*q),
        }
    }

    pub fn multiplied_by_match(x: f64, a: f64) -> f64 {
        let both = (Ruler { a }, Ruler { a: x });
        let owned = match both {
            (p, q) => p * q,
        };
        match &both {
            (p, q) => p * both.1 + (q * both.0) * owned,
        }
    }
}

#[test]
fn references_bound_by_match_are_references() {
    for (x, a) in [(0.3, 0.7), (0.7, 0.3), (-1.5, 2.0)] {
        check!(rulers::lent_by_match(x, a) -> f64);
        check!(rulers::multiplied_by_match(x, a) -> f64);
    }
}

/// What a trait of references hands on to the type's own is that.
#[adjoint]
pub mod shapes {
    use adjoint::Differentiable;

    pub trait Area {
        fn area(&self, k: f64) -> f64;
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Disc {
        pub r: f64,
    }

    impl Area for Disc {
        fn area(&self, k: f64) -> f64 {
            self.r * self.r * k
        }
    }

    impl Area for &Disc {
        fn area(&self, k: f64) -> f64 {
            (**self).area(k)
        }
    }

    pub fn of_a_list(discs: &[Disc], k: f64) -> f64 {
        discs.iter().map(|disc| disc.area(k)).sum()
    }
}

pub use shapes::Disc;

flat!(Disc { r });

#[test]
fn methods_of_references_that_hand_on() {
    let discs = vec![Disc { r: 0.5 }, Disc { r: -1.5 }];
    check!(shapes::of_a_list(&discs, 0.7) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
pub struct Flag {
    kind: u8,
    v: f64,
}

flat!(Flag { kind, v });

/// Comparisons by name, of values whose types are not visible.
#[adjoint]
fn compared_by_name(a: &Flag, b: &Flag, x: f64) -> f64 {
    let mut s = a.v * x;
    if a.kind.eq(&b.kind) {
        s *= b.v;
    }
    if a.v.lt(&b.v) && a.kind.le(&b.kind) {
        s += x * x;
    }
    s
}

#[test]
fn comparisons_by_name_of_fields() {
    for (i, j) in [(1, 1), (2, 1), (1, 2)] {
        let (a, b) = (Flag { kind: i, v: 0.4 }, Flag { kind: j, v: 1.3 });
        check!(compared_by_name(&a, &b, 0.7) -> f64);
    }
}

/// An operator whose trait is not in scope hides no method.
#[adjoint]
pub mod sums {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct Moments {
        pub s: f64,
        pub q: f64,
    }

    impl Moments {
        pub fn add(&mut self, x: f64) {
            self.s += x;
            self.q += x * x;
        }
    }

    impl std::ops::Add for Moments {
        type Output = Moments;
        fn add(self, other: Moments) -> Moments {
            Moments {
                s: self.s + other.s,
                q: self.q + other.q,
            }
        }
    }

    pub fn spread(x: &[f64]) -> f64 {
        let mut even = Moments { s: 0.0, q: 0.0 };
        let mut odd = even;
        for (i, v) in x.iter().enumerate() {
            if i % 2 == 0 {
                even.add(*v);
            } else {
                odd.add(v * 2.0);
            }
        }
        let all = even + odd;
        all.q - all.s * all.s
    }
}

#[test]
fn methods_named_like_operators_out_of_scope() {
    for n in 0..4 {
        check!(sums::spread(&[0.3, 1.2, 0.5, 0.9][..n].to_vec()) -> f64);
    }
}
