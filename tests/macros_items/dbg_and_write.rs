//! `dbg!`, `write!` and `writeln!`: evaluated once, with no derivative but that of the value that `dbg!` returns.

use std::fmt::Write as _;

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn shown(x: f64) -> f64 {
    let y = dbg!(x * x);
    y.sin()
}
#[adjoint]
fn shown_in_passing(x: f64) -> f64 {
    dbg!(x);
    dbg!(x, 2.0 * x);
    x * dbg!(x.sin())
}
#[adjoint]
fn written_to_a_string(x: f64) -> f64 {
    let mut s = String::new();
    write!(s, "{x}").unwrap();
    writeln!(s, " {}", x * 2.0).unwrap();
    match s.contains(' ') {
        true => x * x,
        false => x,
    }
}
#[adjoint]
fn logged(x: f64, log: &mut String) -> f64 {
    write!(log, "{x:.3}").unwrap();
    let y = x * x;
    writeln!(log, "y = {y}").unwrap();
    y
}
#[adjoint]
fn by_impl_trait(x: f64, out: &mut impl std::fmt::Write) -> f64 {
    writeln!(out, "{}", x).unwrap();
    x.exp()
}
#[adjoint]
fn by_type_parameter<W: std::io::Write>(x: f64, out: &mut W) -> f64 {
    writeln!(out, "{}", x).unwrap();
    x.exp()
}
#[adjoint]
fn to_the_console(x: f64) -> f64 {
    use std::io::Write;
    eprintln!("x = {x}");
    let _ = writeln!(std::io::stderr(), "{x}");
    x.exp()
}
#[adjoint]
fn in_a_loop(x: &[f64]) -> f64 {
    let mut s = String::new();
    for v in x {
        let _ = write!(&mut s, "{v} ");
    }
    eprintln!("{s}");
    dbg!(&x);
    x[0] * x[1]
}
#[adjoint]
fn kept_lines(x: f64, log: &mut Vec<String>) -> f64 {
    log.push(format!("{x}"));
    x * x
}
#[adjoint]
fn other_methods(x: f64, log: &mut String) -> f64 {
    log.push_str("hello");
    log.push('c');
    log.clear();
    x * x
}

#[test]
fn what_is_shown_is_handed_on() {
    check!(shown(0.4) -> f64);
    check!(shown_in_passing(0.4) -> f64);
}

#[test]
fn texts_carry_no_derivative() {
    check!(written_to_a_string(0.4) -> f64);
    check!(to_the_console(0.4) -> f64);
    check!(in_a_loop(&[0.4, 0.7]) -> f64);
    check!(kept_lines(0.4, const &mut Vec::new()) -> f64);
    check!(other_methods(0.4, const &mut String::new()) -> f64);
}

/// What is written to is no dependent, and is written once.
#[test]
fn writers_take_no_part() {
    let (mut x_adj, mut log) = (0.0, String::new());
    logged_adjoint(0.4, &mut x_adj, &mut log, 1.0);
    assert_eq!((x_adj, &*log), (0.8, "0.400y = 0.16000000000000003\n"));
    let (mut x_adj, mut text, mut other) = (0.0, String::new(), String::new());
    by_impl_trait(0.4, &mut other);
    by_impl_trait_adjoint(0.4, &mut x_adj, &mut text, 1.0);
    assert_eq!((x_adj, &*text), (0.4f64.exp(), &*other));
    let (mut x_adj, mut bytes) = (0.0, Vec::new());
    by_type_parameter_adjoint(0.4, &mut x_adj, &mut bytes, 1.0);
    assert_eq!((x_adj, &*bytes), (0.4f64.exp(), &b"0.4\n"[..]));
}
