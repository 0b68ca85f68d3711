//! Variables and labels of macros, and of the code that calls them, by the same names.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// Capitals, and a literal with its sign.
#[adjoint]
#[allow(non_snake_case)]
fn capitals(A: f64, b: f64) -> f64 {
    macro_rules! quad {
        ($x:expr) => {{
            let A = 2.0;
            A * $x * $x
        }};
    }
    macro_rules! sq {
        ($l:literal) => {
            $l.powi(2)
        };
    }
    quad!(A) + b * sq!(-2.0_f64)
}

/// A name that is the macro's in an inner block and the function's behind it, or on the right of its `let`.
#[adjoint]
fn in_inner_blocks(x: f64, k: f64) -> f64 {
    macro_rules! up {
        ($e:expr) => {{
            let a = {
                let x = 2.0;
                x * $e
            };
            a + x
        }};
    }
    macro_rules! again {
        ($e:expr) => {{
            let x = x * $e;
            let x = x + $e;
            x * x
        }};
    }
    up!(k) * x + again!(k * x)
}

/// Bindings of `matches!`, of `vec!` and of closures.
#[adjoint]
fn in_other_macros(t: f64, o: f64) -> f64 {
    macro_rules! over { ($e:expr) => { matches!(Some(o * 2.0), Some(t) if t > $e) }; }
    macro_rules! twice { ($($e:expr),*) => { vec![$({ let t = 2.0; t * $e }),*] }; }
    macro_rules! each {
        ($v:expr, $e:expr) => {
            $v.iter().map(|t| t * $e).sum::<f64>()
        };
    }
    macro_rules! both {
        ($e:expr) => {{
            let f = |t: f64| t * t + $e;
            f(o) + f($e)
        }};
    }
    macro_rules! known {
        ($p:expr) => {{
            let t = $p;
            assert!(t > 0.0, "bad {t} {t:?} {x:.1}", x = t);
            t * t
        }};
    }
    let v: Vec<f64> = twice!(t, o);
    let s = if over!(t) { t * o } else { o };
    s + v[0] * v[1] + each!(v, t) * both!(t) + known!(t)
}

/// Loops of macros around loops of the function.
#[adjoint]
fn loops(x: &[f64], w: &[f64]) -> f64 {
    macro_rules! sum {
        ($n:expr, $i:ident => $e:expr) => {{
            let mut s = 0.0;
            for k in 0..$n {
                let $i = k;
                s += $e;
            }
            s
        }};
    }
    macro_rules! until {
        ($e:expr) => {
            'l: for k in 0..2 {
                if k > 0 {
                    break 'l;
                }
                $e
            }
        };
    }
    let (mut s, k) = (0.0, 0);
    'l: for (i, v) in x.iter().enumerate() {
        s += sum!(w.len(), j => w[j] * sum!(x.len(), m => x[m] * w[j] + s));
        until!(if *v < 0.0 {
            break 'l;
        } else if i + k > 4 {
            continue 'l;
        });
        s *= v;
    }
    s
}

/// What one macro hands on to another, and what calls declare.
#[adjoint]
fn handed_on(x: f64, y: f64) -> f64 {
    macro_rules! bind {
        ($n:ident, $e:expr) => {
            let $n = $e;
        };
    }
    macro_rules! own {
        ($e:expr) => {{
            bind!(t, $e * 2.0);
            bind!(u, t * $e);
            t + $e + u
        }};
    }
    macro_rules! scaled {
        ($e:expr) => {{
            let t = 3.0;
            own!(t * $e)
        }};
    }
    macro_rules! with {
        ($v:ident, $e:expr) => {{
            let $v = $e;
            let t = x;
            t * $v
        }};
    }
    let t = x * y;
    bind!(u, t + y);
    scaled!(t + u) * own!(u) + with!(t, y * t) + with!(u, u * t)
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Pair {
    x: f64,
    w: f64,
}

/// Fields by the names of variables.
#[adjoint]
fn fields(x: f64, w: f64) -> f64 {
    macro_rules! pairs {
        ($e:expr, $f:expr) => {{
            let x = $e;
            let w = $f;
            vec![Pair { x, w }, Pair { x: w, w: x }]
        }};
    }
    macro_rules! of {
        ($p:expr, $e:expr) => {{
            let Pair { x, w } = $p;
            x * w * $e
        }};
    }
    macro_rules! first {
        ($p:expr, $e:expr) => {
            match $p {
                Pair { x, .. } if x > 0.0 => x * $e,
                Pair { w: x, .. } => x + $e,
            }
        };
    }
    let v = pairs!(x * w, x + w);
    let p: Pair = v[1];
    of!(p, x) + first!(v[0], w) + first!(Pair { x: -1.0, w: x }, x)
}

/// Functions that a macro makes, with the attribute in it.
macro_rules! kernel {
    ($name:ident, $x:ident, $e:expr) => {
        #[adjoint]
        fn $name($x: f64) -> f64 {
            let t = $x * 2.0;
            t * $e + t
        }
    };
}
kernel!(of_t, t, t * t);
kernel!(of_x, x, x * x);

macro_rules! body {
    ($name:ident($($p:ident),*) $b:block) => {
        #[adjoint]
        fn $name($($p: f64),*) -> f64 {
            let s = 2.0;
            let r: f64 = $b;
            let check = |v: f64| { assert!(v.is_finite(), "{v} {s}"); v * s };
            check(r) + r * s
        }
    };
}
body!(of_two(s, r) { let check = s * r; check + s });

macro_rules! module {
    ($name:ident, $t:ident, $e:expr) => {
        #[adjoint]
        mod $name {
            #[derive(Clone, adjoint::Differentiable)]
            pub struct Of {
                pub t: f64,
            }
            impl Of {
                pub fn at(&self, $t: f64) -> f64 {
                    let t = self.t;
                    t * $e
                }
            }
            pub fn whole(x: f64) -> f64 {
                Of { t: x * x }.at(x)
            }
        }
    };
}
module!(made, t, t * 3.0);

#[adjoint]
mod parts {
    #[derive(Clone, adjoint::Differentiable)]
    pub struct V {
        x: f64,
        y: f64,
    }
    macro_rules! getters {
        ($($f:ident),*) => { $(pub fn $f(&self) -> f64 { let x = 2.0; x * self.$f })* };
    }
    impl V {
        getters!(x, y);
        pub fn new(x: f64, y: f64) -> V {
            V { x, y: y * x }
        }
    }
    pub fn product(a: f64, b: f64) -> f64 {
        let v = V::new(a, b);
        v.x() * v.y()
    }
    macro_rules! k {
        () => {
            2.0
        };
    }
    pub mod inner {
        pub fn early(x: f64) -> f64 {
            x * k!()
        }
    }
    macro_rules! k {
        () => {
            7.0
        };
    }
    pub fn late(x: f64) -> f64 {
        x * k!()
    }
    macro_rules! power {
        ($name:ident, $x:ident, $e:expr) => {
            pub fn $name($x: f64) -> f64 {
                let t = $x * $x;
                t * $e
            }
        };
    }
    power!(cube, t, t + 1.0);
}

#[test]
fn variables() {
    check!(capitals(0.7, 0.3) -> f64);
    check!(in_inner_blocks(0.7, 0.3) -> f64);
    check!(handed_on(0.7, 0.3) -> f64);
}
#[test]
fn tokens() {
    check!(in_other_macros(0.7, 0.4) -> f64);
    check!(in_other_macros(0.3, 0.9) -> f64);
}
#[test]
fn labels() {
    check!(loops(&[0.7, 0.4], &[0.2, 0.5, 0.1]) -> f64);
    check!(loops(&[0.7, -0.4, 0.3], &[0.2, 0.5]) -> f64);
    check!(loops(&[], &[0.2]) -> f64);
}
#[test]
fn of_fields() {
    check!(fields(0.7, 0.3) -> f64);
    check!(fields(-0.7, 0.3) -> f64);
}
#[test]
fn functions_that_macros_make() {
    check!(of_t(0.7) -> f64);
    check!(of_x(0.7) -> f64);
    check!(of_two(0.7, 0.4) -> f64);
    use made::*;
    check!(whole(0.7) -> f64);
}
#[test]
fn members_and_modules() {
    use parts::inner::*;
    use parts::*;
    check!(product(0.7, 0.4) -> f64);
    check!(early(0.7) -> f64);
    check!(late(0.7) -> f64);
    check!(cube(0.7) -> f64);
}
