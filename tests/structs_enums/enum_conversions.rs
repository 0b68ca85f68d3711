//! Conversions of user enums into integers: their `impl`s decide the values, and no casts.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Differentiable)]
enum Kind {
    Far,
    Near,
}

impl From<Kind> for usize {
    fn from(kind: Kind) -> usize {
        match kind {
            Kind::Far => 2,
            Kind::Near => 0,
        }
    }
}

impl From<Kind> for i8 {
    fn from(kind: Kind) -> i8 {
        match kind {
            Kind::Far => -2,
            Kind::Near => 7,
        }
    }
}

#[adjoint]
fn by_kind(x: &[f64], near: bool) -> f64 {
    let kind = if near { Kind::Near } else { Kind::Far };
    let k: usize = kind.into();
    let t = i8::try_from(kind).unwrap();
    let all: usize = [kind, Kind::Far].iter().copied().map(usize::from).sum();
    x[usize::from(kind)] * 10.0 + x[k] * t as f64 + all as f64 * x[1]
}

#[derive(Clone, Copy, Differentiable)]
struct Sizes {
    n: u8,
    scale: f32,
}

#[adjoint]
fn by_unseen_fields(x: &[f64], s: &Sizes) -> f64 {
    let k: usize = s.n.into();
    let scale: f64 = s.scale.into();
    x[k] * scale + x[usize::from(s.n)] * scale
}

#[adjoint]
mod seen {
    #[derive(Clone, Copy, adjoint::Differentiable)]
    enum Kind {
        Far,
        Near,
    }
    impl From<Kind> for usize {
        fn from(kind: Kind) -> usize {
            match kind {
                Kind::Far => 2,
                Kind::Near => 0,
            }
        }
    }
    #[derive(Clone, Copy, adjoint::Differentiable)]
    struct Sizes {
        kind: Kind,
        n: u8,
        scale: f32,
    }
    pub fn by_kind(x: &[f64], near: bool) -> f64 {
        let kind = if near { Kind::Near } else { Kind::Far };
        let k: usize = kind.into();
        let sizes = Sizes {
            kind,
            n: 1,
            scale: 3.0,
        };
        let a: usize = sizes.kind.into();
        let b: usize = sizes.n.into();
        let c: f64 = sizes.scale.into();
        x[usize::from(kind)] * 10.0 + x[k] + x[a] * x[b] * c
    }
}

#[test]
fn converted_as_they_say() {
    let x = [0.3, 0.8, 1.7];
    for near in [true, false] {
        check!(by_kind(&x, const near) -> f64);
        check!(seen::by_kind(&x, const near) -> f64);
    }
    let (mut x_adj, mut s_adj) = ([0.0; 3], Sizes { n: 1, scale: 0.0 });
    let value =
        by_unseen_fields_adjoint(&x, &mut x_adj, &Sizes { n: 1, scale: 2.0 }, &mut s_adj, 1.0);
    assert_eq!(value, 3.2);
    assert_eq!(x_adj, [0.0, 4.0, 0.0]);
    assert_eq!(s_adj.scale, 1.6);
}
