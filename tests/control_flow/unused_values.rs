//! Unused values are computed as in Rust, and may panic; a function with a state is called once.

use std::cell::Cell;
use std::panic::catch_unwind;

use adjoint::adjoint;

/// Functions of an index that panic for some.
macro_rules! looked_at {
    ($($name:ident: |$x:ident, $n:ident, $k:ident| $body:expr;)*) => {
        $(
            #[adjoint]
            #[allow(unused, clippy::all)]
            fn $name($x: &[f64], $n: usize, $k: f64) -> f64 {
                $body
            }
        )*

        #[test]
        fn unused_values_panic() {
            let x = [0.3, 0.4, 0.5, 0.6];
            pastey::paste! {
                $(for n in [1, 2, 5] {
                    let plain = catch_unwind(|| $name(&x, n, 1.5));
                    let adjoint = catch_unwind(|| [<$name _adjoint>](&x, &mut [0.0; 4], n, 1.5, &mut 0.0, 1.0));
                    assert_eq!(plain.ok(), adjoint.ok(), "{} at {n}", stringify!($name));
                })*
            }
        }
    };
}

looked_at! {
    difference: |x, n, k| { let _ = 3 - n; k };
    statement: |x, n, k| { 3 - n; k };
    assigned: |x, n, k| { _ = 3 - n; k };
    quotient: |x, n, k| { let _ = 7 / (5 - n); k };
    part_of_a_tuple: |x, n, k| { let (_, _b) = (3 - n, n); k };
    in_an_array: |x, n, k| { let _ = [3 - n, 1]; k };
    element: |x, n, k| { let _ = x[n] * 2.0; k };
    compared: |x, n, k| { let _ = x[n] > 0.0; k };
    added: |x, n, k| { x[n] + k; k };
    lazily: |x, n, k| { let _ = n > 1 && 3 - n > 0; k };
    cast: |x, n, k| { let _ = (3 - n) as f64 * k; k };
    by_a_closure: |x, n, k| { let g = |i: usize| x[i] * 0.5; let _ = g(n); k };
    length: |x, n, k| { x[n..].len(); k };
    text: |x, n, k| { let _ = format!("{}", 3 - n); k };
    in_a_loop: |x, n, k| { for i in 0..n { 2 - i; } k };
    some: |x, n, k| { let _ = Some(x[n]); k };
    list: |x, n, k| { let _ = vec![x[n]; 3]; k };
    boxed: |x, n, k| { let _ = Box::new(x[n]); k };
    not_taken: |x, n, k| { let v = *x.first().unwrap_or(&x[n]); k * v };
    windows_of_none: |x, n, k| { let _parts = x.windows(n % 5); k };
    windows_counted: |x, n, k| k * x.windows(n % 5).len() as f64;
    chunks_of_none: |x, n, k| { let _parts = x.chunks_exact(n % 5); k };
    steps_of_none: |x, n, k| { let _steps = x.iter().step_by(n % 5); k };
}

thread_local! {
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

fn next() -> u32 {
    ASKED.with(|n| {
        n.set(n.get() + 1);
        n.get()
    })
}

#[adjoint]
fn told_once(k: f64) -> f64 {
    let text = format!("{}", 10usize.pow(next()));
    text.len() as f64 * k
}

#[adjoint]
#[allow(unused)]
fn told_to_nobody(k: f64) -> f64 {
    let _ = format!("{}", next());
    format!("{}", next());
    k * next() as f64
}

#[adjoint]
fn told_for_each(x: &[f64], k: f64) -> f64 {
    let all = x.iter().map(|a| {
        assert!(next() > 0);
        a * k
    });
    let s: f64 = all.skip(2).sum();
    s * next() as f64
}

#[test]
fn a_state_is_asked_once() {
    ASKED.set(0);
    let mut k_adj = 0.0;
    assert_eq!(told_once_adjoint(2.0, &mut k_adj, 1.0), 4.0);
    assert_eq!(k_adj, 2.0);
    assert_eq!(told_to_nobody_adjoint(2.0, &mut k_adj, 1.0), 8.0);
    assert_eq!(k_adj, 6.0);
    ASKED.set(0);
    assert_eq!(
        told_for_each_adjoint(&[1.0, 2.0, 3.0], &mut [0.0; 3], 1.0, &mut k_adj, 1.0),
        12.0
    );
    assert_eq!(k_adj, 18.0);
}
