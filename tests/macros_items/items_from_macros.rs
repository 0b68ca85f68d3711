//! Items from macros, together with their `#[adjoint]`: each fragment stays one expression, in the program, too.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

macro_rules! module {
    ($name:ident, $plain:ident, $x:ident, $y:ident, $e:expr) => {
        #[adjoint]
        mod $name {
            pub fn twice($x: f64, $y: f64) -> f64 {
                assert!($e * 2.0 > 0.0 || $e * 2.0 < 9.0);
                $e * 2.0
            }
        }
        fn $plain($x: f64, $y: f64) -> f64 {
            $e * 2.0
        }
    };
}
module!(made, plain, x, y, x + y);

#[derive(Clone, Differentiable)]
struct Scale {
    a: f64,
}
trait Apply {
    fn apply(&self, x: f64) -> f64;
}
macro_rules! methods {
    ($of:ty, $x:ident, $e:expr) => {
        #[adjoint]
        impl $of {
            pub fn at(&self, $x: f64) -> f64 {
                self.a * $e
            }
        }
        #[adjoint]
        impl Apply for $of {
            fn apply(&self, $x: f64) -> f64 {
                self.a * $e * $x
            }
        }
    };
}
methods!(Scale, x, x + 1.0);

#[adjoint]
fn by_methods(a: f64, x: f64) -> f64 {
    let scale = Scale { a };
    scale.at(x) * x
}

const fn of<const N: usize>() -> usize {
    N
}

/// In constants, lengths and arguments of types, and in a signature.
macro_rules! lengths {
    ($name:ident, $n:expr, $p:pat) => {
        #[adjoint]
        fn $name(x: &[f64; 2 * $n], k: usize) -> [f64; 2 * $n] {
            const K: usize = 2 * $n;
            static S: f64 = 2.0 * $n as f64;
            fn inner(x: f64) -> f64 {
                x * ($n as f64)
            }
            let mut out: [f64; 2 * $n] = [x[0]; 2 * $n];
            for i in 0..2 * $n {
                out[i] *= x[i] * of::<{ 2 * $n }>() as f64 * K as f64 * S;
            }
            match k {
                k @ $p => out[k] = inner(x[k]) * k as f64,
                _ => {}
            }
            out
        }
    };
}
lengths!(by_length, 1 + 2, 2 | 3);

/// Patterns with alternatives, in macros of the function.
#[adjoint]
fn alternatives(x: f64, n: usize) -> f64 {
    macro_rules! bound {
        ($n:expr, $p:pat => $k:ident $e:expr) => {
            match $n {
                $k @ $p => $e,
                _ => x,
            }
        };
    }
    macro_rules! lent {
        ($n:expr, $p:pat) => {
            if let &$p = &$n { x * x } else { x }
        };
    }
    bound!(n, 2 | 3 => k k as f64 * x) + lent!(n, 2 | 3)
}

#[adjoint]
mod structs {
    macro_rules! structure {
        ($name:ident, $k:expr, $t:ty) => {
            #[derive(Clone, Copy, Debug, adjoint::Differentiable)]
            pub struct $name {
                pub v: [$t; 2 * $k],
                pub w: f64,
            }
            impl $name {
                pub const LEN: usize = 2 * $k;
                pub fn new(x: f64) -> $name {
                    $name {
                        v: [x; 2 * $k],
                        w: x * 2.0,
                    }
                }
                pub fn dot(&self, o: &[f64; 2 * $k]) -> f64 {
                    let mut s = 0.0;
                    for i in 0..Self::LEN {
                        s += self.v[i] * o[i];
                    }
                    s * self.w
                }
            }
            pub const ALL: [f64; 2 * $k] = [1.5; 2 * $k];
            pub fn whole(x: f64) -> f64 {
                $name::new(x).dot(&ALL)
            }
        };
    }
    structure!(Sides, 1 + 2, f64);
}

#[test]
fn of_modules_and_methods() {
    use made::*;
    check!(twice(0.4, 0.7) -> f64);
    assert_eq!(twice(4.0, 7.0).to_bits(), plain(4.0, 7.0).to_bits());
    check!(by_methods(0.4, 0.7) -> f64);
    assert_eq!(Scale { a: 3.0 }.at(4.0), 15.0);
    assert_eq!(Scale { a: 3.0 }.apply(4.0), 60.0);
}
#[test]
fn of_lengths() {
    for k in [1, 2, 3] {
        check!(by_length(&[0.7, 0.1, 0.2, 0.3, 0.4, 0.5], const k) -> [f64; 6]);
    }
    use structs::*;
    check!(whole(0.7) -> f64);
}
#[test]
fn of_patterns() {
    for n in [1, 2, 3] {
        check!(alternatives(0.7, const n) -> f64);
    }
}
