//! Arguments of `assert!`, `println!` and `format!` that change active variables.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn scale(p: &mut f64, x: f64) -> f64 {
    *p *= x;
    *p
}

#[adjoint]
fn printed(mut p: f64, x: f64) -> f64 {
    eprint!("{:.0}", scale(&mut p, x) * 0.0);
    let text = format!("{:.0}", { scale(&mut p, x) } * 0.0);
    p * text.len() as f64
}

#[adjoint]
fn in_loops(mut p: f64, x: &[f64]) -> f64 {
    for v in x {
        if *v < 0.0 {
            return p;
        }
        assert!(scale(&mut p, *v) < 1e9, "{p} is too much");
    }
    assert_ne!(
        {
            p += 1.0;
            p
        },
        100.0
    );
    p * p
}

#[adjoint]
fn of_lists(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 1.0;
    while v.len() > 1 {
        let k = v.len();
        assert!(v.pop().is_some_and(|z| z > -9.0));
        assert!({
            v.swap(0, k - 2);
            v[0] > -9.0
        });
        s *= v[k - 2];
    }
    s
}

#[test]
fn changes_within_macros() {
    check!(printed(0.3, 0.7) -> f64);
    check!(in_loops(0.3, &[0.7, 0.4]) -> f64);
    check!(in_loops(0.3, &[]) -> f64);
    check!(in_loops(0.3, &[0.5, -0.7, 0.4]) -> f64);
    check!(of_lists(&[0.3, 0.5, 0.7]) -> f64);
    check!(of_lists(&[]) -> f64);
}
