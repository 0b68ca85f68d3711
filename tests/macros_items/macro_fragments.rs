//! Macro fragments that are passed on to other macros, and within those of std: each stays one expression.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn sums(x: f64) -> f64 {
    macro_rules! twice {
        ($e:expr) => {
            $e * 2.0
        };
    }
    macro_rules! via {
        ($a:expr) => {
            twice!($a + 1.0)
        };
    }
    via!(x)
}
#[adjoint]
fn munched(x: f64, y: f64) -> f64 {
    macro_rules! calc {
        (@acc $a:expr;) => { $a };
        (@acc $a:expr; + $b:tt $($r:tt)*) => { calc!(@acc $a + $b; $($r)*) };
        (@acc $a:expr; - $b:tt $($r:tt)*) => { calc!(@acc $a - $b; $($r)*) };
        (@acc $a:expr; * $b:tt $($r:tt)*) => { calc!(@acc $a * $b; $($r)*) };
        ($a:tt $($r:tt)*) => { calc!(@acc $a; $($r)*) };
    }
    calc!(x + y * x - 2.0 * (x - y))
}

#[adjoint]
fn literals(x: f64) -> f64 {
    macro_rules! pw {
        ($x:expr, 2) => {
            $x * $x
        };
        ($x:expr, $n:expr) => {
            7.0 * $x.powi($n)
        };
    }
    macro_rules! term {
        ($c:expr, $n:literal) => {
            $c * pw!(x, $n)
        };
    }
    term!(3.0, 2) + pw!(x, 2) + pw!(x, 3)
}

#[adjoint]
fn paths(x: f64) -> f64 {
    macro_rules! call {
        ($i:ident, $x:expr) => {
            $i($x)
        };
        ($p:path, $x:expr) => {
            2.0 * $p($x)
        };
    }
    macro_rules! via {
        ($p:path) => {
            call!($p, x)
        };
    }
    fn sq(x: f64) -> f64 {
        x * x
    }
    via!(sq) + call!(sq, x)
}

#[adjoint]
fn blocks(x: f64) -> f64 {
    macro_rules! blk { ({ $($t:tt)* }) => { 3.0 * ($($t)*) }; ($b:block) => { 5.0 * $b }; }
    macro_rules! via {
        ($b:block) => {
            blk!($b)
        };
    }
    via!({ x * x }) + blk!({ x * x })
}

#[adjoint]
fn values_for_types(x: f64) -> f64 {
    macro_rules! k {
        ($t:ty) => {
            3.0
        };
        ($e:expr) => {
            5.0 * $e
        };
    }
    macro_rules! via {
        ($e:expr) => {
            k!($e) * x
        };
    }
    via!(x)
}

#[adjoint]
fn types_for_values(x: f64) -> f64 {
    macro_rules! k {
        ($e:expr) => {
            3.0
        };
        ($t:ty) => {
            5.0 as $t
        };
    }
    macro_rules! via {
        ($t:ty) => {
            k!($t) * x
        };
    }
    via!(f64)
}

#[adjoint]
fn signs(x: f64, y: f64) -> f64 {
    macro_rules! fz {
        ($a:ident & $b:expr) => {
            $a.min(*$b)
        };
        ($a:ident && $b:expr) => {
            $a * $b
        };
    }
    fz!(x && y)
}

#[adjoint]
fn underscores(x: f64) -> f64 {
    macro_rules! u {
        ($e:expr_2021) => {
            1.0
        };
        (_) => {
            2.0
        };
    }
    u!(_) * x
}

#[adjoint]
fn raw_texts(x: f64) -> f64 {
    macro_rules! rawm {
        ($e:expr) => {{
            let t = $e;
            if t < 0.0 {
                panic!(r"{t}")
            }
            t
        }};
    }
    rawm!(x * x)
}

#[adjoint]
fn in_a_pattern_of_an_assertion(x: f64, y: f64) -> f64 {
    macro_rules! chk { ($e:expr) => { assert!(matches!($e * 3.0, t if t > 29.0)) }; }
    chk!(x + y);
    x * y
}
#[adjoint]
fn asserted(x: f64, y: f64) -> f64 {
    macro_rules! chk {
        ($e:expr) => {
            assert!($e * 3.0 > 29.0)
        };
    }
    chk!(x + y);
    x * y
}
#[adjoint]
fn listed(x: f64, y: f64) -> f64 {
    macro_rules! v {
        ($e:expr) => {
            vec![$e * 3.0, -$e.powi(2)]
        };
    }
    let v: Vec<f64> = v!(x + y);
    v[0] * v[1]
}
#[adjoint]
fn asked(x: f64, y: f64) -> f64 {
    macro_rules! far { ($e:expr) => { matches!($e * 3.0, t if t > 29.0) }; }
    if far!(x + y) { x * y } else { x }
}
#[adjoint]
fn guarded(x: f64, y: f64) -> f64 {
    macro_rules! far { ($e:expr) => { matches!(Some(1.0), Some(_) if $e * 3.0 > 29.0) }; }
    if far!(x + y) { x * y } else { x }
}
#[adjoint]
fn compared(n: usize, x: f64) -> f64 {
    macro_rules! chk {
        ($e:expr) => {
            assert_eq!($e * 3, 9);
            assert_ne!(0, $e * 3 - 5, "{}", $e * 2);
            debug_assert!($e * 3 == 9, "{}", $e * 2)
        };
    }
    chk!(n + 1);
    x * x
}

#[adjoint]
fn statements_in_lists(x: f64) -> f64 {
    macro_rules! bind {
        ($n:ident, $e:expr) => {
            let $n = $e;
        };
    }
    let t = 5.0 * x;
    let v = vec![
        {
            bind!(t, x * x);
            t * 2.0
        },
        t,
    ];
    v[0] * v[1]
}

#[adjoint]
fn conditions(o: Option<f64>, x: f64) -> f64 {
    macro_rules! w {
        ($e:expr => $a:expr) => {
            2.0 * x
        };
        (let $p:pat = $v:expr => $a:expr) => {
            if let $p = $v { $a } else { x }
        };
    }
    w!(let Some(t) = o => t * x) + w!(x => x)
}

/// Fields within `vec!`, and names that are both of a macro and of a variable.
#[adjoint]
fn named_alike(x: f64, y: f64) -> f64 {
    macro_rules! sq {
        ($e:expr) => {
            $e * $e
        };
    }
    macro_rules! sum { ($($e:expr),*) => { 0.0 $(+ $e)* }; }
    let v = vec![(sq!(x + y), x), (y, sq!(y))];
    let sum = sum!(v[0].0, v[1].1);
    println!("{:.1}", sum);
    sum * sum!(x, v[0].1)
}

/// Kinds, separators and nested rounds.
#[adjoint]
fn kinds(x: f64, y: f64) -> f64 {
    macro_rules! of { ($p:pat => $v:vis $t:ty | $l:lifetime $b:block) => { $l: { let $p: $t = $b; if x < 0.0 { break $l 0.0; } break $l $b * x } }; }
    macro_rules! on { ($p:pat, $t:ty, $b:block) => { of!($p => $t | 'l $b) }; }
    macro_rules! table { ($([$($e:expr),+]);+) => { [$([$($e * 2.0),+]),+] }; }
    macro_rules! dot { ($t:ident; $($k:literal)=>*) => { 0.0 $(+ $t[$k][0] * $t[$k][1])* }; }
    macro_rules! neg {
        ($l:literal) => {
            scaled!($l, x)
        };
    }
    macro_rules! scaled {
        (-2.0, $e:expr) => {
            7.0
        };
        ($l:literal, $e:expr) => {
            $e * $l.powi(2) + $e * $l
        };
    }
    let m: [[f64; 2]; 2] = table!([x + y, y]; [x, x - y]);
    on!(_u, f64, { x * y }) + dot!(m; 0 => 1) + neg!(-2.0_f64) + scaled!(-2.0, y)
}

#[test]
fn handed_on() {
    check!(sums(1.5) -> f64);
    check!(munched(1.5, 0.3) -> f64);
    check!(literals(1.5) -> f64);
    check!(paths(1.5) -> f64);
    check!(blocks(1.5) -> f64);
    check!(values_for_types(1.5) -> f64);
    check!(types_for_values(1.5) -> f64);
    check!(kinds(1.5, 0.3) -> f64);
    check!(kinds(-1.5, 0.3) -> f64);
}
#[test]
fn arms() {
    check!(signs(1.5, 2.5) -> f64);
    check!(underscores(1.5) -> f64);
    check!(conditions(Some(0.4), 0.3) -> f64);
}
#[test]
fn in_macros_of_std() {
    check!(raw_texts(0.4) -> f64);
    check!(in_a_pattern_of_an_assertion(4.0, 7.0) -> f64);
    check!(asserted(4.0, 7.0) -> f64);
    check!(listed(4.0, 7.0) -> f64);
    check!(asked(4.0, 7.0) -> f64);
    check!(guarded(4.0, 7.0) -> f64);
    check!(compared(const 2, 7.0) -> f64);
    check!(statements_in_lists(0.4) -> f64);
    check!(named_alike(0.4, 0.3) -> f64);
}
