//! One line for each line of the rule table, in the same order: what each partial uses, and its
//! values against closed forms and at edge values.
//!
//! A partial is evaluated as generated code does it: from nothing but the operands and the result
//! that the rule says it uses, by the function of `adjoint_runtime::partial` that it names.

use std::f64::consts::{E, LN_2, LOG2_E, LOG10_E, PI};

use adjoint_analysis::ir::{BinOp, Intrinsic};
use adjoint_analysis::rules::{self, Partial, Use};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const X: Use = Use::Operand(0);
const Y: Use = Use::Operand(1);
const Z: Use = Use::Operand(2);
const R: Use = Use::Result;

/// Where a rule is evaluated, and the partials that are expected there, one per operand.
type Point = (Vec<f64>, Vec<f64>);

struct Line {
    op: Intrinsic,
    /// What each partial uses.
    uses: &'static [&'static [Use]],
    /// The function itself, by std.
    value: fn(&[f64]) -> f64,
    points: Vec<Point>,
}

/// `Op [uses, ..] |operands| value, partials; at [operands, ..] edges [operands => partials, ..];`
macro_rules! lines {
    ($($op:ident [$([$($uses:ident)*]),*] |$($x:ident),*| $value:expr;
        d [$($partial:expr),*] at [$(($($at:expr),*)),*]
        $(edges [$(($($edge:expr),*) => [$($expected:expr),*]),*])?;
    )*) => {
        vec![$(Line {
            op: Intrinsic::$op,
            uses: &[$(&[$($uses),*]),*],
            value: |operands| match *operands {
                [$($x),*] => $value,
                _ => unreachable!("of another arity"),
            },
            points: {
                #[allow(unused_variables, reason = "some partials are constants")]
                let partials = |$($x: f64),*| vec![$($partial),*];
                vec![
                    $((vec![$($at),*], partials($($at),*)),)*
                    $($((vec![$($edge),*], vec![$($expected),*]),)*)?
                ]
            },
        }),*]
    };
}

#[rustfmt::skip]
fn lines() -> Vec<Line> {
    lines! {
        Sqrt [[R]] |x| x.sqrt(); d [0.5 * x.powf(-0.5)] at [(4.0), (0.3), (1e-8)]
            edges [(0.0) => [INF], (-0.0) => [INF], (INF) => [0.0], (-1.0) => [NAN]];
        Cbrt [[R]] |x| x.cbrt(); d [(1.0 / 3.0) * x.abs().powf(-2.0 / 3.0)] at [(8.0), (-0.7)]
            edges [(0.0) => [INF], (-0.0) => [INF]];
        Recip [[R R]] |x| x.recip(); d [-1.0 / x.powi(2)] at [(4.0), (-0.3)]
            edges [(0.0) => [-INF], (INF) => [0.0]];
        Exp [[R]] |x| x.exp(); d [E.powf(x)] at [(1.5), (-2.0)]
            edges [(-INF) => [0.0], (INF) => [INF]];
        Exp2 [[R]] |x| x.exp2(); d [2f64.powf(x) * LN_2] at [(1.5), (-2.0)];
        ExpM1 [[R]] |x| x.exp_m1(); d [E.powf(x)] at [(1.5), (-0.2)]
            edges [(0.0) => [1.0], (-INF) => [0.0]];
        Ln [[X]] |x| x.ln(); d [1.0 / x] at [(3.0), (0.2)]
            edges [(0.0) => [INF], (INF) => [0.0]];
        Ln1p [[X]] |x| x.ln_1p(); d [1.0 / (1.0 + x)] at [(3.0), (-0.2)]
            edges [(-1.0) => [INF], (0.0) => [1.0]];
        Log10 [[X]] |x| x.log10(); d [LOG10_E / x] at [(3.0), (0.2)]
            edges [(0.0) => [INF]];
        Log2 [[X]] |x| x.log2(); d [LOG2_E / x] at [(3.0), (0.2)]
            edges [(0.0) => [INF]];
        Log [[X Y], [Y R]] |x, b| x.log(b);
            d [1.0 / (x * b.ln()), -x.ln() / (b * b.ln() * b.ln())] at [(3.0, 10.0), (0.2, 0.5)];
        Sin [[X]] |x| x.sin(); d [(PI / 2.0 - x).sin()] at [(0.4), (2.0)]
            edges [(0.0) => [1.0], (INF) => [NAN]];
        Cos [[X]] |x| x.cos(); d [-(PI / 2.0 - x).cos()] at [(0.4), (2.0)]
            edges [(0.0) => [0.0]];
        Tan [[R]] |x| x.tan(); d [1.0 / x.cos().powi(2)] at [(0.4), (2.0)]
            edges [(0.0) => [1.0]];
        Asin [[X]] |x| x.asin(); d [1.0 / (1.0 - x * x).sqrt()] at [(0.4), (-0.9)]
            edges [(1.0) => [INF], (-1.0) => [INF], (1.5) => [NAN]];
        Acos [[X]] |x| x.acos(); d [-1.0 / (1.0 - x * x).sqrt()] at [(0.4), (-0.9)]
            edges [(1.0) => [-INF], (-1.0) => [-INF]];
        Atan [[X]] |x| x.atan(); d [x.atan().cos().powi(2)] at [(0.4), (-3.0)]
            edges [(INF) => [0.0], (0.0) => [1.0]];
        Sinh [[X]] |x| x.sinh(); d [(x.exp() + (-x).exp()) / 2.0] at [(0.4), (-3.0)];
        Cosh [[X]] |x| x.cosh(); d [(x.exp() - (-x).exp()) / 2.0] at [(0.4), (-3.0)]
            edges [(0.0) => [0.0]];
        Tanh [[R]] |x| x.tanh(); d [1.0 / x.cosh().powi(2)] at [(0.4), (-1.2)]
            edges [(INF) => [0.0], (-INF) => [0.0]];
        Asinh [[X]] |x| x.asinh(); d [1.0 / (x * x + 1.0).sqrt()] at [(0.4), (-3.0)]
            edges [(1e300) => [1e-300]];
        Acosh [[X]] |x| x.acosh(); d [1.0 / (x * x - 1.0).sqrt()] at [(1.4), (3.0)]
            edges [(1.0) => [INF]];
        Atanh [[X]] |x| x.atanh(); d [1.0 / (1.0 - x * x)] at [(0.4), (-0.9)]
            edges [(1.0) => [INF], (-1.0) => [INF]];
        Powi [[X Y X Y], []] |x, n| x.powi(n as i32); d [n * x.powf(n - 1.0), 0.0]
            at [(1.3, 3.0), (0.7, -2.0)]
            edges [
                (0.0, 0.0) => [0.0, 0.0], (0.0, 1.0) => [1.0, 0.0], (0.0, 2.0) => [0.0, 0.0],
                (-2.0, 3.0) => [12.0, 0.0], (0.0, -1.0) => [-INF, 0.0]
            ];
        Powf [[X Y X Y], [X Y R]] |x, p| x.powf(p); d [p / x * x.powf(p), x.ln() * (p * x.ln()).exp()]
            at [(1.3, 2.5), (0.7, -1.5)]
            edges [
                (0.0, 2.0) => [0.0, 0.0], (0.0, 1.0) => [1.0, 0.0], (0.0, 0.5) => [INF, 0.0],
                (0.0, 0.0) => [0.0, -INF], (-2.0, 2.0) => [-4.0, NAN]
            ];
        Hypot [[X R], [Y R]] |x, y| x.hypot(y);
            d [x / (x * x + y * y).sqrt(), y / (x * x + y * y).sqrt()] at [(3.0, 4.0), (-0.2, 1.1)]
            edges [(0.0, 0.0) => [0.0, 0.0], (2.0, 0.0) => [1.0, 0.0]];
        Atan2 [[X Y], [X Y]] |y, x| y.atan2(x); d [x / (x * x + y * y), -y / (x * x + y * y)]
            at [(1.0, 2.0), (-0.3, -1.5)]
            edges [(0.0, 0.0) => [0.0, 0.0], (0.0, -1.0) => [-1.0, 0.0]];
        Abs [[X]] |x| x.abs(); d [x / (x * x).sqrt()] at [(2.0), (-0.3)]
            edges [(0.0) => [0.0], (-0.0) => [0.0], (NAN) => [NAN], (-INF) => [-1.0]];
        Max [[X Y], [X Y]] |x, y| x.max(y); d [0.0, 1.0] at [(1.0, 2.0), (-3.0, -2.0)]
            edges [
                (2.0, 1.0) => [1.0, 0.0], (2.0, 2.0) => [1.0, 0.0], (-0.0, 0.0) => [1.0, 0.0],
                (NAN, 1.0) => [0.0, 1.0], (1.0, NAN) => [1.0, 0.0]
            ];
        Min [[X Y], [X Y]] |x, y| x.min(y); d [1.0, 0.0] at [(1.0, 2.0), (-3.0, -2.0)]
            edges [
                (2.0, 1.0) => [0.0, 1.0], (2.0, 2.0) => [1.0, 0.0], (0.0, -0.0) => [1.0, 0.0],
                (NAN, 1.0) => [0.0, 1.0], (1.0, NAN) => [1.0, 0.0]
            ];
        Clamp [[X Y Z], [X Y], [X Z]] |x, lo, hi| x.clamp(lo, hi);
            d [1.0, 0.0, 0.0] at [(0.5, 0.0, 1.0), (-0.5, -1.0, 0.0)]
            edges [
                (-2.0, 0.0, 1.0) => [0.0, 1.0, 0.0], (2.0, 0.0, 1.0) => [0.0, 0.0, 1.0],
                (0.0, 0.0, 1.0) => [1.0, 0.0, 0.0], (1.0, 0.0, 1.0) => [1.0, 0.0, 0.0],
                (NAN, 0.0, 1.0) => [1.0, 0.0, 0.0]
            ];
        Copysign [[X Y], []] |x, s| x.copysign(s); d [x.signum() * s.signum(), 0.0]
            at [(2.0, 3.0), (2.0, -3.0), (-2.0, 3.0), (-2.0, -3.0)]
            edges [(0.0, -1.0) => [0.0, 0.0], (2.0, -0.0) => [-1.0, 0.0]];
        AbsSub [[X Y], [X Y]] |x, y| (x - y).max(0.0); d [1.0, -1.0] at [(2.0, 1.0), (-1.0, -3.0)]
            edges [
                (1.0, 2.0) => [0.0, 0.0], (1.0, 1.0) => [0.0, 0.0], (NAN, 1.0) => [NAN, NAN]
            ];
        MulAdd [[Y], [X], []] |a, b, c| a.mul_add(b, c); d [b, a, 1.0]
            at [(2.0, 3.0, 4.0), (-0.1, 0.0, 1.0)];
        ToDegrees [[X]] |x| x.to_degrees(); d [180.0 / PI] at [(0.0), (2.0)];
        ToRadians [[X]] |x| x.to_radians(); d [PI / 180.0] at [(0.0), (200.0)];
        Floor [[]] |x| x.floor(); d [0.0] at [(0.4), (-1.0)];
        Ceil [[]] |x| x.ceil(); d [0.0] at [(0.4), (-1.0)];
        Round [[]] |x| x.round(); d [0.0] at [(0.5), (-1.2)];
        RoundTiesEven [[]] |x| x.round_ties_even(); d [0.0] at [(0.5), (-1.2)];
        Trunc [[]] |x| x.trunc(); d [0.0] at [(0.4), (-1.0)];
        Fract [[]] |x| x.fract(); d [1.0] at [(0.4), (-1.7)];
        Signum [[]] |x| x.signum(); d [0.0] at [(0.4), (-1.0), (0.0)];
        RemEuclid [[], [X Y]] |a, b| a.rem_euclid(b); d [1.0, -((a - a.rem_euclid(b)) / b)]
            at [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0)]
            edges [(6.0, 2.0) => [1.0, -3.0], (-0.5, 2.0) => [1.0, 1.0]];
        DivEuclid [[], []] |a, b| a.div_euclid(b); d [0.0, 0.0] at [(7.5, 2.0), (-7.5, 2.0)];
        Midpoint [[X], [Y]] |a, b| a.midpoint(b); d [0.5, 0.5] at [(1.0, 4.0), (-2.0, 0.0)];
    }
}

/// The operators that have a real result, and their lines.
#[rustfmt::skip]
fn operators() -> Vec<(BinOp, Line)> {
    // The name of the operation is only a place holder.
    let lines = lines! {
        MulAdd [[], []] |a, b| a + b; d [1.0, 1.0] at [(2.0, 3.0)];
        MulAdd [[], []] |a, b| a - b; d [1.0, -1.0] at [(2.0, 3.0)];
        MulAdd [[Y], [X]] |a, b| a * b; d [b, a] at [(2.0, 3.0), (-0.5, 0.0)];
        MulAdd [[Y], [Y R]] |a, b| a / b; d [1.0 / b, -a / (b * b)] at [(2.0, 3.0), (-0.5, 4.0)]
            edges [(1.0, 0.0) => [INF, -INF], (0.0, 2.0) => [0.5, 0.0]];
        MulAdd [[], [X Y]] |a, b| a % b; d [1.0, -(a / b).trunc()] at [(7.5, 2.0), (-7.5, 2.0)]
            edges [(6.0, 2.0) => [1.0, -3.0], (0.5, 2.0) => [1.0, 0.0]];
    };
    [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem].into_iter().zip(lines).collect()
}

/// The functions of these names, with their names.
macro_rules! named {
    ($($name:ident)*) => { &[$((stringify!($name), adjoint_runtime::partial::$name)),*] };
}

type Named<F> = &'static [(&'static str, F)];

const UNARY: Named<fn(f64) -> f64> = named! {
    sqrt cbrt recip exp2 exp_m1 ln ln_1p log10 log2 sin cos tan asin acos atan sinh cosh tanh asinh
    acosh atanh abs to_degrees to_radians midpoint div_x div_y
};

const BINARY: Named<fn(f64, f64) -> f64> = named! {
    log_x log_base powf_x powf_rest hypot atan2_y atan2_x max_x max_y min_x min_y clamp_lo clamp_hi copysign
    abs_sub_x abs_sub_y rem_euclid rem
};

const TERNARY: Named<fn(f64, f64, f64) -> f64> = named! { powf_p clamp_x };

/// The function of the runtime that a rule names.
fn runtime(name: &str, args: &[f64]) -> f64 {
    fn find<F: Copy>(functions: Named<F>, name: &str) -> F {
        let found = functions.iter().find(|(n, _)| *n == name);
        found
            .unwrap_or_else(|| panic!("`{name}` is not a partial of so many values"))
            .1
    }
    match *args {
        [x, n] if name == "powi" => adjoint_runtime::partial::powi(x, n as i32),
        [x, n] if name == "powi_rest" => adjoint_runtime::partial::powi_rest(x, n as i32),
        [x] => find(UNARY, name)(x),
        [x, y] => find(BINARY, name)(x, y),
        [x, y, z] => find(TERNARY, name)(x, y, z),
        _ => panic!("`{name}` of {} values", args.len()),
    }
}

/// The value of a partial from the values that it uses.
fn evaluate(partial: Partial, operands: &[f64], result: f64) -> f64 {
    let value = |used: &Use| match used {
        Use::Operand(i) => operands[*i],
        Use::Result => result,
    };
    match partial {
        Partial::Zero => 0.0,
        Partial::One => 1.0,
        Partial::MinusOne => -1.0,
        Partial::Operand(i) => operands[i],
        Partial::Result => result,
        Partial::Product(factors) => factors
            .iter()
            .map(|factor| evaluate(*factor, operands, result))
            .product(),
        Partial::Function(name, uses) => runtime(name, &uses.iter().map(value).collect::<Vec<_>>()),
    }
}

/// Equal as values where that is 0, infinite or NaN; to rounding elsewhere.
fn agree(found: f64, expected: f64) -> bool {
    if expected.is_nan() {
        found.is_nan()
    } else if expected == 0.0 || expected.is_infinite() {
        found == expected
    } else {
        (found - expected).abs() <= 16.0 * f64::EPSILON * expected.abs()
    }
}

fn check(name: &str, line: &Line, partials: &[Partial]) {
    let uses: Vec<Vec<Use>> = partials.iter().map(|p| p.uses()).collect();
    assert_eq!(uses, line.uses, "what the partials of `{name}` use");
    for (operands, expected) in &line.points {
        let result = (line.value)(operands);
        for (i, (&partial, &expected)) in partials.iter().zip(expected).enumerate() {
            let found = evaluate(partial, operands, result);
            let at = format!("`{name}` at {operands:?} by operand {i}");
            assert!(
                agree(found, expected),
                "{at}: {found:?} instead of {expected:?}"
            );
        }
        assert_eq!(partials.len(), expected.len(), "`{name}`");
    }
}

#[test]
fn intrinsics_have_their_partials() {
    for line in lines() {
        check(line.op.name(), &line, rules::intrinsic(line.op));
    }
}

#[test]
fn operators_have_their_partials() {
    for (op, line) in operators() {
        let partials = rules::binary(op).unwrap_or_else(|| panic!("`{}` has no rule", op.symbol()));
        check(op.symbol(), &line, partials);
    }
}

#[test]
fn every_rule_has_its_line_in_the_same_order() {
    let tested: Vec<Intrinsic> = lines().iter().map(|line| line.op).collect();
    assert_eq!(tested, Intrinsic::ALL);
    let tested: Vec<BinOp> = operators().into_iter().map(|(op, _)| op).collect();
    let with_rule = BinOp::ALL
        .into_iter()
        .filter(|op| rules::binary(*op).is_some());
    assert_eq!(tested, with_rule.collect::<Vec<_>>());
}

#[test]
fn there_is_one_partial_for_each_operand() {
    for &op in Intrinsic::ALL {
        assert_eq!(rules::intrinsic(op).len(), op.arity(), "`{}`", op.name());
    }
}
