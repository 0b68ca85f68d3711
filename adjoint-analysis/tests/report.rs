//! The adjoint report and the annotated listing.

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse;
use adjoint_analysis::options::Options;
use adjoint_analysis::report;
use expect_test::{Expect, expect};

/// Analyses a function under `#[adjoint(args)]`.
fn analysed(args: &str, function: &str) -> Analysed {
    let options = Options::parse(args.parse().unwrap()).unwrap();
    analyse(&syn::parse_str(function).unwrap(), &options).unwrap()
}

#[track_caller]
fn check_report(args: &str, function: &str, expected: Expect) {
    expected.assert_eq(&report::markdown(&analysed(args, function)));
}

#[track_caller]
fn check_listing(args: &str, function: &str, expected: Expect) {
    expected.assert_eq(&report::listing(&analysed(args, function)));
}

const MISFIT: &str = "\
fn misfit(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..t.len() {
        let r = p[0] * (-p[1] * t[i]).exp() - y[i]; // the residual
        sum += r * r;
    }
    sum
}";

#[test]
fn frames_and_recomputed_values() {
    check_report(
        "wrt(p)",
        MISFIT,
        expect![[r#"
            Adjoint of `misfit`: runs it, then takes `ret_adj` back to `p_adj`.

            # Adjoint report

            **Independents**: `p`  
            **Dependents**: the returned value  
            **Active**: `p`, the returned value, `sum`, `r`; not active: `t`, `y`

            **Recorded**
            - `exp` = `(-p[1] * t[i]).exp()` (line 4); for the adjoint of lines 4 and 5; `exp` is not worth computing twice; in the frame of line 3

            **Computed again**
            - `at` = `t.len()`; for the reversal of line 3
            - `r` = `p[0] * exp - y[i]`; for the adjoint of line 5

            **Control flow**
            - `for i in 0..t.len()` (line 3): runs backwards over its bounds, which give `i`

            **Fused**
            - `for i in 0..t.len()` (line 3): 64 iterations at most run before they are reversed

            **Tape**: at most `512` bytes. Where another adjoint calls it: `8·t.len()` bytes."#]],
    );
}

#[test]
fn the_guide_shows_a_report() {
    let page = include_str!("../../docs/guide/tape.md");
    // There, it stands behind three lines.
    let report = report::markdown(&analysed("wrt(p)", &format!("\n\n\n{MISFIT}")));
    let (_, shown) = report.split_once("**Active**").unwrap();
    let missing = shown.lines().find(|line| !page.contains(line));
    assert_eq!((missing, page.contains(MISFIT)), (None, true));
}

#[test]
fn what_is_switched_off_is_said() {
    check_report(
        "wrt(p), without(tbr, recomputation)",
        MISFIT,
        expect![[r#"
            Adjoint of `misfit`: runs it, then takes `ret_adj` back to `p_adj`.

            # Adjoint report

            **Independents**: `p`  
            **Dependents**: the returned value  
            **Active**: `p`, the returned value, `sum`, `r`; not active: `t`, `y`

            **Recorded**
            - last value of `sum` (line 2); for nothing: the to-be-recorded analysis is off; assigned more than once; a local, where the sweeps are fused
            - `at` = `t.len()` (line 3); for the reversal of line 3; recomputation is switched off; a local, where the sweeps are fused
            - `exp` = `(-p[1] * t[i]).exp()` (line 4); for the adjoint of line 4; recomputation is switched off; in the frame of line 3
            - `r` (line 4); for the adjoint of line 5; recomputation is switched off; in the frame of line 3
            - `sum` before `sum += r * r` (line 5); for nothing: the to-be-recorded analysis is off; in the frame of line 3

            **Control flow**
            - `for i in 0..t.len()` (line 3): runs backwards over its bounds, which give `i`

            **Tape**: `24·t.len()` bytes. Where another adjoint calls it: `24·t.len() + 16` bytes."#]],
    );
}

#[test]
fn control_that_takes_records() {
    check_report(
        "",
        "\
fn search(x: &[f64], n: usize, m: usize, out: &mut Vec<f64>) -> f64 {
    let mut s = 0.0;
    for i in 1..n - 1 {
        for j in (0..m).rev() {
            let mut q = x[i] * x[j];
            if q > 0.5 {
                q = q.sqrt();
                s += g(q, &x);
            }
            if j % 2 == 0 {
                s = s * q.exp();
            }
            if s > 100.0 {
                break;
            }
        }
        while s > 10.0 {
            s = s.sin();
        }
    }
    let old = out.clone();
    out[0] = s * old[1];
    s
}",
        expect![[r#"
            Adjoint of `search`: runs it, then takes `out_adj` and `ret_adj` back to `x_adj` and `out_adj`.

            # Adjoint report

            **Independents**: `x`, `out`  
            **Dependents**: `out`, the returned value  
            **Active**: `x`, `out`, the returned value, `s`, `q`, `old`

            **Recorded**
            - last value of `s` (line 2); for the adjoint of line 22; assigned more than once
            - last value of `q` (line 5); for the adjoint of lines 7 and 8; assigned more than once
            - `exp` = `q.exp()` (line 11); for the adjoint of line 11; `exp` is not worth computing twice
            - `s` before `s = s * q.exp()` (line 11); for the adjoint of line 11
            - `s` before `s = s.sin()` (line 18); for the adjoint of line 18
            - `old` (line 21); for the adjoint of line 22; no scalar
            - only where a caller needs its `&mut` arguments back: `out[0]` at line 22

            **Computed again**
            - `at` = `n - 1`; for the reversal of line 3

            **Control flow**
            - `left` (line 4): the iteration that left the loop, or 0, recorded
            - `for i in 1..n - 1` (line 3): runs backwards over its bounds, which give `i`
            - `for j in (0..m).rev()` (line 4): `left` says in which iteration it was left; `j` runs backwards from there
            - `if q > 0.5` (line 6): flag recorded: `q` is overwritten
            - `if j % 2 == 0` (line 10): condition computed again
            - `while s > 10.0` (line 17): trips counted: its condition is no comparison of a counter

            **Tape**: at most `8·t₁ + 8·old.len() + 24·(n − 2)·m + 16·(n − 2) + 8` bytes, `(n − 2)·m` bits and `(n − 2)·m` times what `g` records; where a caller needs its `&mut` arguments back, `8` bytes more; `t₁` = all iterations of `while s > 10.0` (line 17)."#]],
    );
}

#[test]
fn a_linear_function_records_nothing() {
    check_report(
        "",
        "fn lower<T: Float>(x: &[T; 3], y: &mut [T; 3]) { for i in 0..3 { y[i] = y[i] - x[i]; } }",
        expect![[r#"
            Adjoint of `lower`: runs it, then takes `y_adj` back to `x_adj` and `y_adj`.

            # Adjoint report

            **Independents**: `x`, `y`  
            **Dependents**: `y`  
            **Active**: `x`, `y`

            **Recorded**
            - only where a caller needs its `&mut` arguments back: `y[0]` at line 1, `y[1]` at line 1 and `y[2]` at line 1

            **Tape**: empty; where a caller needs its `&mut` arguments back, `3·size_of::<T>()` bytes more."#]],
    );
}

#[test]
fn sizes_by_type() {
    check_report(
        "",
        "\
fn sizes<T: Float + From<f32>>(x: &[T], y: &[f32; 4], n: i32, k: &[u8]) -> T {
    let mut s = x[0];
    let mut z = [y[0]; 4];
    for i in (0..n).step_by(2) {
        for j in 0..i {
            s = s * s.sin();
            z = [z[1] * z[2]; 4];
        }
    }
    s * T::from(z[0])
}",
        expect![[r#"
            Adjoint of `sizes`: runs it, then takes `ret_adj` back to `x_adj` and `y_adj`.

            # Adjoint report

            **Independents**: `x`, `y`  
            **Dependents**: the returned value  
            **Active**: `x`, `y`, the returned value, `s`, `z`

            **Recorded**
            - last value of `s` (line 2); for the adjoint of line 10; assigned more than once; a local, where the sweeps are fused
            - last value of `z` (line 3); for the adjoint of line 10; assigned more than once; a local, where the sweeps are fused
            - `sin` = `Float::sin(s)` (line 6); for the adjoint of line 6; `sin` is not worth computing twice
            - `s` before `s = s * s.sin()` (line 6); for the adjoint of line 6
            - `z` before `z = [z[1] * z[2]; 4]` (line 7); for the adjoint of line 7

            **Control flow**
            - `for i in (0..n).step_by(2)` (line 4): runs backwards over its bounds, which give `i`
            - `for j in 0..i` (line 5): runs backwards over its bounds, which give `j`

            **Tape**: `2·t₁·size_of::<T>() + 16·t₁` bytes; `t₁` = all iterations of `for j in 0..i` (line 5). Where another adjoint calls it: `2·t₁·size_of::<T>() + 16·t₁ + size_of::<T>() + 16` bytes; `t₁` = all iterations of `for j in 0..i` (line 5)."#]],
    );
}

#[test]
fn the_listing_of_a_loop() {
    check_listing(
        "wrt(p)",
        MISFIT,
        expect![[r#"
            Primal, with what each statement does to the sets of [TBR] §4 (varied, useful, active) and §5 (Req: InReq → OutReq)

            line │ primal                                              │ varied       │ useful    │ active                │ Req             │ tape
                 │ fn misfit(p: &[f64], t: &[f64], y: &[f64]) -> f64 { │ {p}          │ {p, t, y} │ {p, ret, sum, r, exp} │ {}              │
               2 │     let sum = 0.0;                                  │              │ +sum      │                       │                 │
               3 │     let at = t.len();                               │              │           │                       │                 │ at recomputed
               3 │     for i in 0..at {                                │ +sum +r +exp │           │                       │ +p +t +y +at +i │ bounds recomputed
               4 │         let exp = (-p[1] * t[i]).exp();             │              │ +exp      │ exp                   │ +exp            │ exp recorded at end of scope
               4 │         let r = p[0] * exp - y[i];                  │              │ +r -exp   │ r                     │                 │ r recomputed
               5 │         sum += r * r;                               │              │ -r        │ sum                   │ +r              │
                 │     }                                               │              │           │                       │                 │
               7 │     ret = sum;                                      │ +ret         │ +ret -sum │ ret                   │                 │
                 │ }                                                   │              │           │                       │                 │

            Forward sweep

            fn misfit_forward(tape: &mut Tape, p: &[f64], t: &[f64], y: &[f64]) -> f64 {
                let mut ret: f64;
                // 2: let sum = 0.0
                let mut sum: f64 = 0.0;
                // 3: let at = t.len()
                let mut at: usize = t.len();
                // 3: for i in 0..at
                {
                    let trips = at;
                    let [saved_0] = tape.open_reals::<f64, 1>(trips, [true]);
                    for i in 0..trips {
                        // 4: let exp = (-p[1] * t[i]).exp()
                        let mut exp: f64 = (-p[1] * t[i]).exp();
                        // 4: let r = p[0] * exp - y[i]
                        let mut r: f64 = p[0] * exp - y[i];
                        // 5: sum += r * r
                        sum += r * r;
                        // 4: let exp = (-p[1] * t[i]).exp()
                        saved_0[i] = exp;
                    }
                }
                // 7: ret = sum
                ret = sum;
                ret
            }

            Reverse sweep

            fn misfit_reverse(
                tape: &mut Tape,
                p: &[f64],
                p_adj: &mut [f64],
                t: &[f64],
                y: &[f64],
                mut ret_adj: f64,
            ) {
                // 3: let at = t.len()
                let mut at: usize = t.len();
                // 2: let sum = 0.0
                let mut sum_adj: f64 = 0.0;
                // 7: ret = sum
                sum_adj = ret_adj;
                ret_adj = 0.0;
                // 3: for i in 0..at
                let mut p_adj_sum: f64 = 0.0;
                let mut p_adj_sum_2: f64 = 0.0;
                {
                    let trips = at;
                    let [saved_0] = tape.top_reals::<f64, 1>(trips, [true]);
                    if sum_adj != 0.0 {
                        for i in 0..trips {
                            // 4: let exp = (-p[1] * t[i]).exp()
                            let mut exp: f64 = saved_0[i];
                            // 4: let r = p[0] * exp - y[i]
                            let mut r: f64 = p[0] * exp - y[i];
                            // 5: sum += r * r
                            let mut r_adj: f64 = sum_adj * (r + r);
                            // 4: let r = p[0] * exp - y[i]
                            p_adj_sum += partial::scale(r_adj, exp);
                            let mut exp_adj: f64 = partial::scale(r_adj, p[0]);
                            // 4: let exp = (-p[1] * t[i]).exp()
                            p_adj_sum_2 -= partial::scale(partial::scale(exp_adj, exp), t[i]);
                        }
                    }
                    tape.close_reals::<f64>();
                }
                if p_adj_sum != 0.0 {
                    // 3: for i in 0..at
                    p_adj[0] += p_adj_sum;
                }
                if p_adj_sum_2 != 0.0 {
                    // 3: for i in 0..at
                    p_adj[1] += p_adj_sum_2;
                }
            }

            Both sweeps in one

            fn misfit_adjoint(
                tape: &mut Tape,
                p: &[f64],
                p_adj: &mut [f64],
                t: &[f64],
                y: &[f64],
                mut ret_adj: f64,
            ) -> f64 {
                let mut ret: f64;
                // 2: let sum = 0.0
                let mut sum: f64 = 0.0;
                // 3: let at = t.len()
                let mut at: usize = t.len();
                tape.turn();
                // 2: let sum = 0.0
                let mut sum_adj: f64 = 0.0;
                // 7: ret = sum
                sum_adj = ret_adj;
                ret_adj = 0.0;
                // 3: for i in 0..at
                let mut p_adj_sum: f64 = 0.0;
                let mut p_adj_sum_2: f64 = 0.0;
                for strip in (0..at).step_by(64) {
                    // 3: for i in 0..at
                    // 3: for i in 0..at
                    let mut strip_end: usize = strip.saturating_add(64).min(at);
                    {
                        let trips = trips(strip, strip_end, false, 1);
                        let [saved_0] = tape.open_reals::<f64, 1>(trips, [true]);
                        for trip in 0..trips {
                            let i = nth(strip, strip_end, false, 1, Order::Forward, trip);
                            // 4: let exp = (-p[1] * t[i]).exp()
                            let mut exp: f64 = (-p[1] * t[i]).exp();
                            // 4: let r = p[0] * exp - y[i]
                            let mut r: f64 = p[0] * exp - y[i];
                            // 5: sum += r * r
                            sum += r * r;
                            // 4: let exp = (-p[1] * t[i]).exp()
                            saved_0[trip] = exp;
                        }
                    }
                    tape.note_step();
                    {
                        let trips = trips(strip, strip_end, false, 1);
                        let [saved_0] = tape.top_reals::<f64, 1>(trips, [true]);
                        if sum_adj != 0.0 {
                            for trip in 0..trips {
                                let i = nth(strip, strip_end, false, 1, Order::Forward, trip);
                                // 4: let exp = (-p[1] * t[i]).exp()
                                let mut exp: f64 = saved_0[trip];
                                // 4: let r = p[0] * exp - y[i]
                                let mut r: f64 = p[0] * exp - y[i];
                                // 5: sum += r * r
                                let mut r_adj: f64 = sum_adj * (r + r);
                                // 4: let r = p[0] * exp - y[i]
                                p_adj_sum += partial::scale(r_adj, exp);
                                let mut exp_adj: f64 = partial::scale(r_adj, p[0]);
                                // 4: let exp = (-p[1] * t[i]).exp()
                                p_adj_sum_2 -= partial::scale(partial::scale(exp_adj, exp), t[i]);
                            }
                        }
                        tape.close_reals::<f64>();
                    }
                }
                // 7: ret = sum
                // 7: ret = sum
                ret = sum;
                // 3: for i in 0..at
                if p_adj_sum != 0.0 {
                    // 3: for i in 0..at
                    p_adj[0] += p_adj_sum;
                }
                if p_adj_sum_2 != 0.0 {
                    // 3: for i in 0..at
                    p_adj[1] += p_adj_sum_2;
                }
                ret
            }
        "#]],
    );
}

#[test]
fn the_listing_of_a_branch_and_a_call() {
    check_listing(
        "",
        "\
fn step(x: &mut [f64], k: f64, n: usize) {
    if n > 2 {
        let y = x[0] * k;
        x[0] = y.sin();
    } else {
        relax(x, k);
    }
}",
        expect![[r#"
            Primal, with what each statement does to the sets of [TBR] §4 (varied, useful, active) and §5 (Req: InReq → OutReq)

            line │ primal                                     │ varied │ useful │ active    │ Req   │ tape
                 │ fn step(x: &mut [f64], k: f64, n: usize) { │ {x, k} │ {x, k} │ {x, k, y} │ {}    │
               2 │     if n > 2 {                             │        │        │           │       │ condition recomputed
               3 │         let y = x[0] * k;                  │ +y     │ +y -k  │ y         │ +x +k │ y recorded at end of scope
               4 │         x[0] = y.sin();                    │        │ -y     │ x         │ +y    │ x[0] recorded before
                 │     } else {                               │        │        │           │       │
               6 │         relax(x, k);                       │        │ -k     │ x         │ +x +k │
                 │     }                                      │        │        │           │       │
                 │ }                                          │        │        │           │       │

            Forward sweep

            fn step_forward(tape: &mut Tape, x: &mut [f64], k: f64, n: usize) {
                // 2: if n > 2
                if n > 2 {
                    // 3: let y = x[0] * k
                    let mut y: f64 = x[0] * k;
                    // 4: x[0] = y.sin()
                    tape.push_real(x[0]);
                    x[0] = y.sin();
                    // 3: let y = x[0] * k
                    tape.push_real(y);
                } else {
                    // 6: relax(x, k)
                    relax::forward(tape, &mut *x, k);
                }
            }

            Reverse sweep

            fn step_reverse(
                tape: &mut Tape,
                x: &mut [f64],
                x_adj: &mut [f64],
                k: f64,
                n: usize,
            ) -> f64 {
                let mut k_adj: f64 = 0.0;
                let demanded_0 = const { needs::<__Caller>().demand(3, 2, false) };
                // 2: if n > 2
                if n > 2 {
                    // 3: let y = x[0] * k
                    let mut y: f64 = tape.pop_real::<f64>();
                    let mut y_adj: f64 = 0.0;
                    // 4: x[0] = y.sin()
                    let mut seed: f64 = x_adj[0];
                    x_adj[0] = 0.0;
                    y_adj = partial::scale(seed, partial::sin(y));
                    x[0] = tape.pop_real::<f64>();
                    // 3: let y = x[0] * k
                    x_adj[0] += partial::scale(y_adj, k);
                    k_adj += partial::scale(y_adj, x[0]);
                } else {
                    // 6: relax(x, k)
                    let (increment,) = relax::reverse(
                        tape,
                        &mut *x,
                        if demanded_0 { &mut *x_adj } else { Default::default() },
                        k,
                        unseeded(),
                    );
                    k_adj += increment;
                }
                k_adj
            }
        "#]],
    );
}

const LENGTHS: &str = "\
fn rests(x: &[f64], k: f64, steps: usize) -> f64 {
    let mut total = 0.0;
    for r in 0..steps {
        let mut rest = x[r..].to_vec();
        for v in rest.iter_mut() { *v *= 2.0; }
        for v in &rest { total += v * k; }
    }
    total
}";

#[test]
fn the_length_of_a_vec_is_recorded_in_place_of_its_values() {
    check_report(
        "wrt(x)",
        LENGTHS,
        expect![[r#"
            Adjoint of `rests`: runs it, then takes `ret_adj` back to `x_adj`.

            # Adjoint report

            **Independents**: `x`  
            **Dependents**: the returned value  
            **Active**: `x`, the returned value, `total`, `rest`; not active: `k`

            **Recorded**
            - length of `rest` (line 4), of which no adjoint reads an element

            **Computed again**
            - `at` = `rest.len()`; for the reversal of line 5
            - `at_2` = `rest.len()`; for the reversal of line 6

            **Control flow**
            - `for r in 0..steps` (line 3): runs backwards over its bounds, which give `r`
            - `for v in rest.iter_mut()` (line 5): runs backwards over its bounds, which give `k_2`
            - `for v in &rest` (line 6): runs backwards over its bounds, which give `k_3`

            **Fused**
            - `for r in 0..steps` (line 3): 64 iterations at most run before they are reversed

            **Tape**: at most `512` bytes. Where another adjoint calls it: `8·steps` bytes."#]],
    );
}
