//! One entry per partial, in the order of the functions: `partial => value`.

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

macro_rules! values {
    ($($name:ident { $($found:expr => $expected:expr,)* })*) => {
        $(
            #[test]
            fn $name() {
                #[allow(unused_imports)]
                use crate::partial::*;
                $(assert_value($found, $expected, stringify!($found));)*
            }
        )*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

/// Exactly equal for 0, infinities and NaN; to 4 units in the last place otherwise.
#[track_caller]
fn assert_value(found: f64, expected: f64, what: &str) {
    let equal = if expected.is_nan() {
        found.is_nan()
    } else if expected == 0.0 || expected.is_infinite() {
        found == expected
    } else {
        (found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs()
    };
    assert!(equal, "{what} is {found:?} instead of {expected:?}");
}

values! {
    scale {
        scale(2.0, 3.0) => 6.0,
        scale(0.0, INF) => 0.0,
        scale(-0.0, INF) => 0.0,
        scale(0.0, NAN) => 0.0,
        scale(1.0, INF) => INF,
        scale(-1.0, INF) => -INF,
        scale(NAN, 0.0) => NAN,
        scale(2.0, NAN) => NAN,
    }
    masked {
        masked(2.0, 3.0) => 6.0,
        masked(2.0, INF) => INF,
        masked(2.0, NAN) => NAN,
        masked(0.0, INF) => 0.0,
        masked(-0.0, NAN) => 0.0,
        masked(NAN, 0.0) => NAN,
    }
    choose {
        choose(2.0, 1.0) => 2.0,
        choose(2.0, -1.0) => -2.0,
        choose(0.0, 1.0) => 0.0,
        choose(INF, 1.0) => INF,
        choose(INF, 0.0) => 0.0,
        choose(-INF, 0.0) => 0.0,
        choose(NAN, 0.0) => 0.0,
        choose(NAN, 1.0) => NAN,
        choose(0.0, NAN) => 0.0,
    }
    sqrt {
        sqrt(4f64.sqrt()) => 0.25,
        sqrt(0f64.sqrt()) => INF,
        sqrt((-0f64).sqrt()) => INF,
        sqrt(INF.sqrt()) => 0.0,
        sqrt((-1f64).sqrt()) => NAN,
    }
    cbrt {
        cbrt(8f64.cbrt()) => 1.0 / 12.0,
        cbrt((-8f64).cbrt()) => 1.0 / 12.0,
        cbrt(0f64.cbrt()) => INF,
        cbrt((-0f64).cbrt()) => INF,
        cbrt(5e-324f64.cbrt()) => (5e-324f64.cbrt().powi(2) * 3.0).recip(),
    }
    recip {
        recip(4f64.recip()) => 0.25,
        recip(0f64.recip()) => INF,
    }
    exp2 {
        exp2(3f64.exp2()) => 8.0 * LN_2,
        exp2((-INF).exp2()) => 0.0,
    }
    exp_m1 {
        exp_m1(2f64.exp_m1()) => 2f64.exp(),
        exp_m1((-INF).exp_m1()) => 0.0,
    }
    ln {
        ln(4.0) => 0.25,
        ln(0.0) => INF,
        ln(INF) => 0.0,
    }
    ln_1p {
        ln_1p(3.0) => 0.25,
        ln_1p(-1.0) => INF,
    }
    log10 {
        log10(4.0) => 0.25 / LN_10,
        log10(0.0) => INF,
    }
    log2 {
        log2(4.0) => 0.25 / LN_2,
        log2(0.0) => INF,
    }
    log_x {
        log_x(4.0, 10.0) => 0.25 / LN_10,
        log_x(4.0, 0.5) => -0.25 / LN_2,
        log_x(4.0, 1.0) => INF,
    }
    log_base {
        log_base(2.0, 8f64.log(2.0)) => -1.5 / LN_2,
        log_base(2.0, 1f64.log(2.0)) => 0.0,
    }
    sin {
        sin(1.0) => 1f64.cos(),
        sin(0.0) => 1.0,
        sin(INF) => NAN,
    }
    cos {
        cos(1.0) => -1f64.sin(),
        cos(0.0) => 0.0,
    }
    tan {
        tan(1f64.tan()) => 3.425_518_820_814_759,
        tan(0.0) => 1.0,
    }
    asin {
        asin(0.6) => 1.25,
        asin(1.0) => INF,
        asin(-1.0) => INF,
        asin(2.0) => NAN,
    }
    acos {
        acos(0.6) => -1.25,
        acos(1.0) => -INF,
    }
    atan {
        atan(2.0) => 0.2,
        atan(-INF) => 0.0,
        atan(1e200) => 0.0,
    }
    sinh {
        sinh(1.0) => 1f64.cosh(),
        sinh(0.0) => 1.0,
    }
    cosh {
        cosh(1.0) => 1f64.sinh(),
        cosh(0.0) => 0.0,
    }
    tanh {
        tanh(1f64.tanh()) => 0.419_974_341_614_026_1,
        tanh(1.0) => 0.0,
        tanh(0.0) => 1.0,
    }
    asinh {
        asinh(0.0) => 1.0,
        asinh(0.75) => 0.8,
        asinh(1e200) => 1e-200,
    }
    acosh {
        acosh(1.25) => 1.0 / 0.75,
        acosh(1.0) => INF,
        acosh(1e200) => 1e-200,
        acosh(0.5) => NAN,
    }
    atanh {
        atanh(0.5) => 1.0 / 0.75,
        atanh(1.0) => INF,
        atanh(0.0) => 1.0,
    }
    powi {
        powi(3.0, 4) => 108.0,
        powi(-2.0, 3) => 12.0,
        powi(2.0, -1) => -0.5,
        powi(0.0, 0) => 0.0,
        powi(INF, 0) => 0.0,
        powi(NAN, 0) => 0.0,
        powi(0.0, 1) => 1.0,
        powi(0.0, 2) => 0.0,
        powi(0.0, -1) => -INF,
        powi(1e200, -1) => -1e-200,
        powi(1.0, i32::MIN) => -2_147_483_648.0,
        powi(1.0, i32::MAX) => 2_147_483_647.0,
        powi(0.0, i32::MIN) => -INF,
        powi(2.0, i32::MIN) => 0.0,
    }
    powi_rest {
        powi_rest(2.0, -1) => 0.5,
        powi_rest(2.0, 3) => 1.0,
        powi_rest(0.0, 0) => 1.0,
        powi_rest(-0.0, -2) => -INF,
    }
    powf_x {
        powf_x(4.0, 2.5) => 20.0,
        powf_x(-3.0, 2.0) => -6.0,
        powf_x(-3.0, 2.5) => NAN,
        powf_x(0.0, 0.0) => 0.0,
        powf_x(NAN, 0.0) => 0.0,
        powf_x(0.0, 1.0) => 1.0,
        powf_x(-0.0, 1.0) => 1.0,
        powf_x(0.0, 1.5) => 0.0,
        powf_x(0.0, 2.0) => 0.0,
        powf_x(0.0, 0.5) => INF,
        powf_x(0.0, -1.0) => -INF,
        powf_x(INF, 0.5) => 0.0,
        powf_x(2.0, NAN) => NAN,
        powf_x(1e200, -1.0) => -1e-200,
    }
    powf_rest {
        powf_rest(4.0, -0.5) => 0.25,
        powf_rest(4.0, 0.5) => 1.0,
        powf_rest(0.0, NAN) => 1.0,
    }
    powf_p {
        powf_p(2.0, 3.0, 8.0) => 8.0 * LN_2,
        powf_p(1.0, 3.0, 1.0) => 0.0,
        powf_p(0.0, 2.0, 0.0) => 0.0,
        powf_p(-0.0, 3.0, -0.0) => 0.0,
        powf_p(0.0, 0.0, 1.0) => -INF,
        powf_p(0.0, -1.0, INF) => -INF,
        powf_p(INF, -1.0, 0.0) => 0.0,
        powf_p(1e-300, 2.0, 0.0) => 0.0,
        powf_p(-2.0, 2.0, 4.0) => NAN,
        powf_p(-1e-300, 2.0, 0.0) => NAN,
        powf_p(2.0, NAN, NAN) => NAN,
    }
    hypot {
        hypot(3.0, 5.0) => 0.6,
        hypot(-4.0, 5.0) => -0.8,
        hypot(0.0, 0.0) => 0.0,
        hypot(1.0, INF) => 0.0,
        hypot(NAN, NAN) => NAN,
    }
    atan2_y {
        atan2_y(3.0, 4.0) => 0.16,
        atan2_y(3.0, -4.0) => -0.16,
        atan2_y(0.0, 0.0) => 0.0,
        atan2_y(-0.0, -0.0) => 0.0,
        atan2_y(3e200, 4e200) => 0.16e-200,
        atan2_y(3e-200, 4e-200) => 0.16e200,
        atan2_y(1.0, INF) => 0.0,
        atan2_y(INF, INF) => 0.0,
        atan2_y(NAN, INF) => NAN,
        atan2_y(0.0, NAN) => NAN,
    }
    atan2_x {
        atan2_x(3.0, 4.0) => -0.12,
        atan2_x(-3.0, 4.0) => 0.12,
        atan2_x(0.0, 0.0) => 0.0,
        atan2_x(3e200, 4e200) => -0.12e-200,
        atan2_x(3e-200, 4e-200) => -0.12e200,
        atan2_x(INF, 1.0) => 0.0,
        atan2_x(NAN, 0.0) => NAN,
    }
    abs {
        abs(2.5) => 1.0,
        abs(-2.5) => -1.0,
        abs(-INF) => -1.0,
        abs(0.0) => 0.0,
        abs(-0.0) => 0.0,
        abs(NAN) => NAN,
    }
    max_x {
        max_x(2.0, 1.0) => 1.0,
        max_x(1.0, 2.0) => 0.0,
        max_x(1.0, 1.0) => 1.0,
        max_x(-0.0, 0.0) => 1.0,
        max_x(NAN, 1.0) => 0.0,
        max_x(1.0, NAN) => 1.0,
    }
    max_y {
        max_y(2.0, 1.0) => 0.0,
        max_y(1.0, 2.0) => 1.0,
        max_y(1.0, 1.0) => 0.0,
        max_y(NAN, 1.0) => 1.0,
        max_y(1.0, NAN) => 0.0,
    }
    min_x {
        min_x(2.0, 1.0) => 0.0,
        min_x(1.0, 2.0) => 1.0,
        min_x(1.0, 1.0) => 1.0,
        min_x(NAN, 1.0) => 0.0,
        min_x(1.0, NAN) => 1.0,
    }
    min_y {
        min_y(2.0, 1.0) => 1.0,
        min_y(1.0, 2.0) => 0.0,
        min_y(1.0, 1.0) => 0.0,
        min_y(NAN, 1.0) => 1.0,
        min_y(1.0, NAN) => 0.0,
    }
    clamp_x {
        clamp_x(0.5, 0.0, 1.0) => 1.0,
        clamp_x(0.0, 0.0, 1.0) => 1.0,
        clamp_x(1.0, 0.0, 1.0) => 1.0,
        clamp_x(-0.1, 0.0, 1.0) => 0.0,
        clamp_x(1.1, 0.0, 1.0) => 0.0,
        clamp_x(NAN, 0.0, 1.0) => 1.0,
    }
    clamp_lo {
        clamp_lo(-0.1, 0.0) => 1.0,
        clamp_lo(0.0, 0.0) => 0.0,
        clamp_lo(NAN, 0.0) => 0.0,
    }
    clamp_hi {
        clamp_hi(1.1, 1.0) => 1.0,
        clamp_hi(1.0, 1.0) => 0.0,
        clamp_hi(NAN, 1.0) => 0.0,
    }
    copysign {
        copysign(2.0, 3.0) => 1.0,
        copysign(-2.0, 3.0) => -1.0,
        copysign(2.0, -0.0) => -1.0,
        copysign(-2.0, -3.0) => 1.0,
        copysign(0.0, -3.0) => 0.0,
        copysign(NAN, 1.0) => NAN,
    }
    abs_sub_x {
        abs_sub_x(3.0, 2.0) => 1.0,
        abs_sub_x(2.0, 3.0) => 0.0,
        abs_sub_x(2.0, 2.0) => 0.0,
        abs_sub_x(NAN, 2.0) => NAN,
    }
    abs_sub_y {
        abs_sub_y(3.0, 2.0) => -1.0,
        abs_sub_y(2.0, 3.0) => 0.0,
        abs_sub_y(2.0, NAN) => NAN,
    }
    to_degrees {
        to_degrees(1.0) => 1f64.to_degrees(),
        to_degrees(NAN) => 180.0 / PI,
    }
    to_radians {
        to_radians(1.0) => 1f64.to_radians(),
    }
    rem_euclid {
        rem_euclid(7.5, 2.0) => -3.0,
        rem_euclid(-7.5, 2.0) => 4.0,
        rem_euclid(7.5, -2.0) => 3.0,
        rem_euclid(-7.5, -2.0) => -4.0,
        rem_euclid(1.0, 2.0) => 0.0,
        rem_euclid(-1e-20, 1.0) => 1.0,
        rem_euclid(1.0, INF) => 0.0,
        rem_euclid(1.0, 0.0) => NAN,
    }
    midpoint {
        midpoint(3.0) => 0.5,
    }
    div_x {
        div_x(4.0) => 0.25,
        div_x(0.0) => INF,
    }
    div_y {
        div_y(2.0 / 4.0) => -0.5,
    }
    rem {
        rem(7.5, 2.0) => -3.0,
        rem(-7.5, 2.0) => 3.0,
        rem(7.5, -2.0) => 3.0,
        rem(1.0, 2.0) => 0.0,
        // 0.3/0.1 rounds to 3, yet 0.1 goes into 0.3 twice only: 0.3 % 0.1 is just below 0.1.
        rem(0.3, 0.1) => -2.0,
        rem(1.0, 0.0) => NAN,
    }
}

#[test]
fn each_partial_has_its_line() {
    let defined: Vec<&str> = include_str!("../partial.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("pub fn ")?.split('<').next())
        .collect();
    assert_eq!(defined, TESTED);
}

#[test]
fn partials_work_in_f32() {
    use crate::partial;
    assert_eq!(partial::sqrt(2f32), 0.25);
    assert_eq!(partial::to_degrees(0f32), 1f32.to_degrees());
    assert_eq!(partial::atan2_y(3e30f32, 4e30f32), 1.6e-31);
    assert_eq!(partial::powi(3f32, 3), 27.0);
}

/// What a seed adds through a choice is what [`choose`] gives of the seed and the partial.
#[test]
fn chosen_seeds() {
    use crate::partial::*;
    let numbers = [-INF, -2.5, -0.0, 0.0, 1.0, 2.5, INF, NAN];
    for seed in numbers {
        for x in numbers {
            let of = |found, partial, name: &str| {
                assert_value(
                    found,
                    choose(seed, partial),
                    &format!("{name} of {seed} and {x}"),
                );
            };
            of(chosen::abs(seed, x), abs(x), "abs");
            for y in numbers {
                of(chosen::max_x(seed, x, y), max_x(x, y), "max_x");
                of(chosen::max_y(seed, x, y), max_y(x, y), "max_y");
                of(chosen::min_x(seed, x, y), min_x(x, y), "min_x");
                of(chosen::min_y(seed, x, y), min_y(x, y), "min_y");
                of(
                    chosen::clamp_x(seed, x, -1.0, y),
                    clamp_x(x, -1.0, y),
                    "clamp_x",
                );
                of(chosen::clamp_lo(seed, x, y), clamp_lo(x, y), "clamp_lo");
                of(chosen::clamp_hi(seed, x, y), clamp_hi(x, y), "clamp_hi");
                of(chosen::abs_sub_x(seed, x, y), abs_sub_x(x, y), "abs_sub_x");
                of(chosen::abs_sub_y(seed, x, y), abs_sub_y(x, y), "abs_sub_y");
            }
        }
    }
}
