//! `macro_rules!` in functions and in annotated modules, of expressions, statements and items.

use adjoint::adjoint;

use crate::common::check;
use generated::*;
use models::*;

/// A macro of the function, with an expression and a block.
#[adjoint]
fn powers(x: f64, y: f64) -> f64 {
    macro_rules! square {
        ($e:expr) => {
            $e * $e
        };
    }
    macro_rules! blend {
        ($a:expr, $b:expr; $w:expr) => {{ let t = $w; (1.0 - t) * $a + t * $b }};
        ($a:expr, $b:expr) => { blend!($a, $b; 0.5) };
    }
    let t = x * y;
    let u = square!(x + y) * 2.0;
    u + blend!(t, u.sin(); 0.25) + blend!(x, t)
}

/// Statements, names of the call, captured variables.
#[adjoint]
fn butterfly(x: &mut [f64]) -> f64 {
    let n = x.len();
    let scale = 0.5 + x[0];
    macro_rules! step {
        ($i:expr, $j:expr) => {
            let t = x[$i] * scale;
            x[$i] = t + x[$j];
            x[$j] = t - x[$j];
        };
    }
    let t = x[1];
    for k in 0..n / 2 {
        step!(k, n - 1 - k);
    }
    macro_rules! declare { ($($name:ident = $value:expr),* $(,)?) => { $(let $name = $value;)* }; }
    declare!(a = x[0] * t, b = x[1] + a,);
    a * b
}

/// Repetitions of expressions, in `vec!` and in a fold.
#[adjoint]
fn polynomial(x: f64, c: &[f64; 4]) -> f64 {
    macro_rules! horner {
        ($x:expr; $last:expr) => { $last };
        ($x:expr; $first:expr, $($rest:expr),+) => { $first + $x * horner!($x; $($rest),+) };
    }
    macro_rules! max { ($a:expr) => { $a }; ($a:expr, $($r:expr),+) => {{ let a = $a; let b = max!($($r),+); if a > b { a } else { b } }}; }
    macro_rules! sum { ($($e:expr),*) => { 0.0 $(+ $e)* }; }
    let v = vec![horner!(x; c[0], c[1], c[2], c[3]), max!(x, c[1], x * c[2])];
    assert!(sum!(v[0], 1.0).is_finite());
    sum!(v[0], v[1] * x, c[3])
}

#[adjoint]
mod models {
    use adjoint::Differentiable;
    macro_rules! vector {
        ($name:ident { $($f:ident),+ }) => {
            #[derive(Clone, Copy, Differentiable)]
            pub struct $name { $(pub $f: f64),+ }
            impl $name {
                pub fn dot(self, o: $name) -> f64 { 0.0 $(+ self.$f * o.$f)+ }
                pub fn norm(self) -> f64 { self.dot(self).sqrt() }
            }
            impl std::ops::Add for $name { type Output = $name; fn add(self, o: $name) -> $name { $name { $($f: self.$f + o.$f),+ } } }
            impl std::ops::Mul<f64> for $name { type Output = $name; fn mul(self, k: f64) -> $name { $name { $($f: self.$f * k),+ } } }
        };
    }
    vector!(V2 { x, y });
    vector!(V3 { x, y, z });

    macro_rules! activation {
        ($($name:ident => |$v:ident| $body:expr;)*) => { $(pub fn $name($v: f64) -> f64 { $body })* };
    }
    activation! {
        swish => |x| x / (1.0 + (-x).exp());
        softplus => |z| (1.0 + z.exp()).ln();
    }

    const HALF: f64 = 0.5;
    macro_rules! half {
        ($e:expr) => {
            HALF * $e
        };
    }

    pub fn bend(a: f64, b: f64) -> f64 {
        let p = V3 {
            x: a,
            y: b,
            z: a * b,
        } + V3 { x: 1.0, y: a, z: b } * 2.0;
        let q = V2 {
            x: swish(a),
            y: softplus(b),
        };
        half!(p.norm() + q.dot(q * a))
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Op {
        pub gain: f64,
    }
    impl Op {
        pub fn run(&self, x: &[f64]) -> f64 {
            macro_rules! tap {
                ($k:tt) => {
                    half!(self.gain * x[$k])
                };
            }
            tap!(0) + tap!(1).sin()
        }
    }
    pub fn run(x: &[f64], gain: f64) -> f64 {
        Op { gain: gain * gain }.run(x)
    }

    pub trait Term {
        fn value(&self, x: f64) -> f64;
    }
    macro_rules! term {
        ($t:ty, $x:ident, $s:ident, $body:expr) => {
            impl Term for $t {
                fn value(&self, $x: f64) -> f64 {
                    let $s = self;
                    $body
                }
            }
        };
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct Line(pub f64);
    #[derive(Clone, Copy, Differentiable)]
    pub struct Bump {
        pub w: f64,
    }
    term!(Line, x, s, s.0 * x);
    term!(Bump, x, s, (-x * x / s.w).exp());
    pub fn total(a: f64, x: f64) -> f64 {
        Line(a).value(x) + Bump { w: a }.value(x)
    }
}

#[adjoint]
fn swaps(x: f64, y: f64) -> f64 {
    macro_rules! swap {
        ($a:ident, $b:ident) => {
            let t = $a;
            $a = $b;
            $b = t;
        };
    }
    let (mut t, mut u) = (x * 2.0, y.sin());
    swap!(t, u);
    let d = t - 3.0 * u;
    swap! { t, u }
    d * t + u
}

#[adjoint]
fn ops(x: f64, y: f64) -> f64 {
    macro_rules! binary { ($a:expr, $op:tt, $b:expr) => { $a $op $b }; }
    macro_rules! test { ($a:expr, $op:tt, $b:expr => $yes:expr, $no:expr) => { if $a $op $b { $yes } else { $no } }; }
    macro_rules! up { ($a:expr, $op:tt $b:expr) => { $a $op $b; }; }
    let mut s = binary!(x, *, binary!(y, +, 1.0));
    up!(s, += x * y);
    up!(s, *= 1.5);
    test!(s, <=, 0.0 => -s, s * test!(x, !=, y => x - y, 0.0))
}

/// What an expression was taken for decides the arm.
#[adjoint]
fn forwarded(x: f64) -> f64 {
    macro_rules! inner {
        (x) => {
            100.0
        };
        (2.0) => {
            200.0
        };
        ($i:ident) => {
            $i * 10.0
        };
        ($l:literal) => {
            $l + 0.5
        };
        ($e:expr) => {
            $e * 3.0
        };
    }
    macro_rules! outer {
        ($e:expr) => {
            inner!($e)
        };
    }
    macro_rules! by_tt {
        ($e:tt) => {
            inner!($e)
        };
    }
    macro_rules! under {
        ($i:ident) => {
            1.0
        };
        (_) => {
            2.0
        };
    }
    let z = x * x;
    outer!(x)
        + outer!(2.0) * z
        + by_tt!(x) * x
        + by_tt!(z)
        + by_tt!(2.0) * x
        + inner!(4.0) * z
        + under!(_) * x
        + under!(z) * x
}

#[adjoint]
fn closures(v: &[f64], k: f64) -> f64 {
    macro_rules! sq {
        ($e:expr) => {{
            let v = $e;
            v * v
        }};
    }
    let f = |v: f64| sq!(v + k);
    let a: f64 = v.iter().map(|v| sq!(v - k) + f(*v)).sum();
    let mut out = vec![0.0; v.len()];
    for (o, v) in out.iter_mut().zip(v) {
        *o = sq!(*v) * a;
    }
    macro_rules! each { ($($i:literal => $w:expr),* ; $of:expr) => { 0.0 $( + $w * $of[$i])* }; }
    let p = (v[0] * k, v[1]);
    macro_rules! field { ($t:expr, $($i:tt)*) => { 1.0 $( * $t.$i)* }; }
    println!("{:.1}", sq!(a));
    each!(0 => 2.0, 1 => k; out) + field!(p, 0 1)
}

#[adjoint]
fn early(x: &[f64]) -> Option<f64> {
    macro_rules! check {
        ($e:expr) => {
            match $e {
                Some(v) => v,
                None => return None,
            }
        };
    }
    macro_rules! bail {
        ($c:expr) => {
            if $c {
                return None;
            }
        };
    }
    bail!(x.is_empty());
    let mut s = 0.0;
    'outer: for k in 0..x.len() {
        macro_rules! next {
            ($c:expr) => {
                if $c {
                    continue 'outer;
                }
            };
        }
        next!(x[k] < 0.0);
        s += check!(x.get(k)) * x[0];
    }
    Some(s * s)
}

#[adjoint]
fn shadowed(x: f64) -> f64 {
    let n = x * x;
    macro_rules! of_n {
        ($e:expr) => {
            n * $e
        };
    }
    macro_rules! id {
        ($e:expr) => {
            1.0 * $e
        };
    }
    let a = id!(x);
    macro_rules! id {
        ($e:expr) => {
            2.0 * $e
        };
    }
    let b = {
        macro_rules! id {
            ($e:expr) => {
                3.0 * $e
            };
        }
        id!(x)
    };
    a * b + id!(x) + of_n!(x + 1.0)
}

#[adjoint]
mod generated {
    use num_traits::Float;
    macro_rules! generic {
        ($(#[$m:meta])* $v:vis fn $name:ident<$t:ident>($($p:ident: $ty:ty),*) = $e:expr) => { $(#[$m])* $v fn $name<$t: Float>($($p: $ty),*) -> $t { $e } };
    }
    generic!(#[inline] pub fn hyp<T>(a: T, b: T) = (a * a + b * b).sqrt());
    generic!(pub fn dot2<T>(a: &[T], b: &[T]) = a[0] * b[0] + a[1] * b[1]);
    macro_rules! scale_of {
        (f32) => {
            1.0
        };
        (f64) => {
            2.0
        };
        ($t:ty) => {
            5.0
        };
    }
    macro_rules! types {
        ($t:ty) => {
            scale_of!($t)
        };
    }
    pub fn scaled(x: f64) -> f64 {
        x * x * types!(f64) + scale_of!(f64) * x
    }
    macro_rules! apply { ($f:ident, $($x:expr),*) => { $f($($x),*) }; }
    fn sq(x: f64) -> f64 {
        x * x
    }
    pub fn applied(x: f64, y: f64) -> f64 {
        apply!(sq, x + y) + apply!(hyp, x, y)
    }
    pub mod inner {
        pub fn twice(x: f64) -> f64 {
            apply!(own, x) + types!(f32) * x
        }
        fn own(x: f64) -> f64 {
            x.exp()
        }
    }

    macro_rules! nothing {
        () => {};
    }
    nothing!();
}

#[test]
fn expressions() {
    check!(powers(0.4, 0.7) -> f64);
    check!(polynomial(0.4, &[0.7, 0.1, 0.6, 0.2]) -> f64);
    check!(ops(0.4, 0.7) -> f64);
}
#[test]
fn statements() {
    check!(butterfly(&mut [0.4, 0.7, 0.2, 0.9]) -> f64);
    check!(swaps(0.4, 0.7) -> f64);
}
#[test]
fn arms_by_what_was_taken() {
    check!(forwarded(0.4) -> f64);
    check!(scaled(0.4) -> f64);
}
#[test]
fn in_closures_and_other_macros() {
    check!(closures(&[0.4, 0.7, 0.3], 0.2) -> f64);
}
#[test]
fn leaving() {
    check!(early(&[0.4, 0.7, 0.3]) -> Option<f64>);
    check!(early(&[0.4, -0.7, 0.3]) -> Option<f64>);
    check!(early(&[]) -> Option<f64>);
}
#[test]
fn declared_again() {
    check!(shadowed(0.4) -> f64);
}
#[test]
fn items() {
    check!(bend(0.4, 0.7) -> f64);
    check!(swish(0.4) -> f64);
    check!(softplus(0.4) -> f64);
    check!(total(0.4, 0.7) -> f64);
    check!(hyp(0.4, 0.7) -> f64);
    check!(applied(0.4, 0.2) -> f64);
}
#[test]
fn in_methods() {
    check!(run(&[0.4, 0.3], 0.7) -> f64);
}
#[test]
fn in_modules_within() {
    use inner::*;
    check!(twice(0.4) -> f64);
}
