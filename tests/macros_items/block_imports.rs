//! Imports of an inner block: they do not apply to code from elsewhere that is inlined there.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod closures {
    const K: f64 = 3.0;

    pub fn f(x: f64, y: f64) -> f64 {
        let g = |t: f64| t * K;
        let mut s = x;
        {
            use std::f64::consts::E as K;
            s += g(y) + K;
        }
        s
    }
}

#[adjoint]
mod written_out {
    const PI: f64 = 3.0;

    fn h(g: impl Fn(f64) -> f64, x: f64) -> f64 {
        g(x) * PI
    }

    fn k(g: impl Fn(f64) -> f64, x: f64) -> f64 {
        use std::f64::consts::PI;
        g(x) * PI
    }

    pub fn f(x: f64, y: f64) -> f64 {
        let mut s = x;
        {
            use std::f64::consts::PI;
            s += h(|t| t * y, x) + PI;
        }
        s * k(|t| t * y * PI, x)
    }
}

#[adjoint]
mod functions {
    fn swap(a: &mut f64, b: &mut f64) {
        let t = *a;
        *a = *b * 2.0;
        *b = t;
    }

    pub fn f(x: f64, y: f64) -> f64 {
        let (mut a, mut b) = (x, y * x);
        let g = |a: &mut f64, b: &mut f64| swap(a, b);
        {
            use std::mem::swap;
            swap(&mut a, &mut b);
            g(&mut a, &mut b);
        }
        swap(&mut a, &mut b);
        a * 3.0 + b * b
    }
}

#[adjoint]
fn own(x: f64, y: f64) -> f64 {
    const PI: f64 = 3.0;
    let g = |t: f64| t * PI;
    let mut s = x;
    {
        use std::f64::consts::PI;
        s += g(y) * PI;
    }
    s * PI
}

/// Items of a block come before the bindings around it.
#[adjoint]
mod hidden {
    pub fn a(x: f64, y: f64) -> f64 {
        let e = 2.0 * y;
        let mut s = e * x;
        {
            use std::f64::consts::E as e;
            s += e * x;
        }
        s * e
    }

    pub fn b(x: f64, y: f64) -> f64 {
        let max = |a: usize, b: usize| a * b + 1;
        let n = max(2, 3);
        let mut s = x * n as f64;
        {
            use std::cmp::max;
            s += y * max(2, 3) as f64;
        }
        s * max(1, 1) as f64
    }

    pub fn c(x: f64, y: f64) -> f64 {
        let (mut a, mut b) = (x, y);
        let swap = |a: &mut f64, b: &mut f64| {
            *a += *b;
        };
        swap(&mut a, &mut b);
        {
            use std::mem::swap;
            swap(&mut a, &mut b);
        }
        a * a + b
    }

    pub fn d(x: f64, y: f64) -> f64 {
        let mut s = x;
        if s > 0.0 {
            use std::f64::consts::PI as y;
            s *= y * x;
        }
        s * y
    }
}

#[test]
fn imports_of_blocks_stay_there() {
    check!(closures::f(0.4, 0.3) -> f64);
    check!(written_out::f(0.4, 0.3) -> f64);
    check!(functions::f(0.4, 0.3) -> f64);
    check!(own(0.4, 0.3) -> f64);
    check!(hidden::a(0.4, 0.3) -> f64);
    check!(hidden::b(0.4, 0.3) -> f64);
    check!(hidden::c(0.4, 0.3) -> f64);
    check!(hidden::d(0.4, 0.3) -> f64);
}
