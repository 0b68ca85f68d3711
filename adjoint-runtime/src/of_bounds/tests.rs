//! Which functions pass for std's, and where.

use std::panic::catch_unwind;

use super::{Bounds, Unknown as _, binary, unary};

fn passes(own: fn(f64) -> f64, std: fn(f64) -> f64, name: &'static str, x: f64) -> bool {
    catch_unwind(|| unary(name, || false, own, std, x)).is_ok_and(|v| v == own(x) || v.is_nan())
}

#[test]
fn bounds_are_told_by_what_they_name() {
    fn unknown<T>() -> bool {
        Bounds::<T>::ARE_STD
    }
    fn known<T: num_traits::Float>() -> bool {
        Bounds::<T>::ARE_STD
    }
    assert!(!unknown::<f64>());
    assert!(known::<f64>());
}

#[test]
fn the_same_up_to_rounding() {
    let near = |x: f64| x.sin() * (1.0 + 1e-12);
    for x in [0.0, -0.0, 1e-9, 0.7, 1.0, 3.2, f64::INFINITY, f64::NAN] {
        assert!(passes(near, f64::sin, "sin", x), "{x}");
        assert!(passes(f64::acosh, f64::acosh, "acosh", x), "{x}");
    }
}

#[test]
fn degrees_are_found_at_zero_too() {
    let degrees = |x: f64| x.to_radians().sin();
    for x in [0.0, 1e-9, 0.7, 1.0, 90.0] {
        assert!(!passes(degrees, f64::sin, "sin", x), "{x}");
    }
}

#[test]
fn what_is_cut_off_is_found_where_it_is() {
    let bounded = |x: f64| x.clamp(-20.0, 700.0).exp();
    for (x, is_same) in [(1000.0, false), (-30.0, false), (-19.0, true), (3.0, true)] {
        assert_eq!(passes(bounded, f64::exp, "exp", x), is_same, "{x}");
    }
}

#[test]
fn operands_keep_to_the_domain() {
    let of_positive = |x: f64| match x >= 0.0 {
        true => x.sqrt(),
        false => panic!("the root of a negative number"),
    };
    assert!(passes(of_positive, f64::sqrt, "sqrt", 0.0));
    let of_sines = |x: f64| match x.abs() <= 1.0 {
        true => x.asin(),
        false => panic!("no sine"),
    };
    assert!(passes(of_sines, f64::asin, "asin", 1.0));
}

#[test]
fn two_operands() {
    let degrees = |y: f64, x: f64| y.atan2(x).to_degrees();
    let of =
        |own: fn(f64, f64) -> f64| move || binary("atan2", || false, own, f64::atan2, 0.0, 2.0);
    assert!(catch_unwind(of(degrees)).is_err());
    assert_eq!(catch_unwind(of(f64::atan2)).ok(), Some(0.0));
}
