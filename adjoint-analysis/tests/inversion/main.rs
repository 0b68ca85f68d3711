//! The examples of `[INV]`: which integers are stored, and by which expressions the others come back.

mod bijections;
mod counters;
mod updates;

#[path = "../common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{Caller, Func, Origin, Stmt, StmtKind, Ty};
use adjoint_analysis::plan::check::check;
use adjoint_analysis::plan::{Plan, RecordKind};
use adjoint_analysis::text::{parse, print};

use self::bijections::{stepped, widened};
use self::proved::proved_plan as plan;

fn is_discrete(kind: &RecordKind) -> bool {
    !matches!(kind, RecordKind::Value(ty) if !matches!(ty, Ty::Int(_)))
}

/// The integers and control values that the forward sweep stores: variables by their names, trip counts as `trips`.
fn stored(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    plan.forward.walk(&mut |s| match &s.kind {
        StmtKind::Record(r, p) if is_discrete(&plan.record(*r).kind) => {
            found.push(print::place(&plan.func, p));
        }
        StmtKind::RecordControl(r, _) if plan.record(*r).kind == RecordKind::Count => {
            found.push("trips".to_string());
        }
        _ => {}
    });
    found
}

/// The assignments of the reverse sweep to integers of the primal.
fn recovered(plan: &Plan) -> Vec<String> {
    let is_integer = |func: &Func, v| {
        let var = func.var(v);
        matches!(var.ty, Ty::Int(_)) && matches!(var.origin, Origin::Local)
    };
    let mut found = Vec::new();
    plan.reverse.walk(&mut |s: &Stmt| match &s.kind {
        StmtKind::Let(v, Some(e)) if is_integer(&plan.func, *v) => {
            found.push(format!(
                "let {} = {}",
                plan.func.var(*v).name,
                print::expr(&plan.func, e)
            ));
        }
        StmtKind::Assign(p, e) if is_integer(&plan.func, p.root) => {
            let name = &plan.func.var(p.root).name;
            found.push(format!("{name} = {}", print::expr(&plan.func, e)));
        }
        _ => {}
    });
    let plain = |text: String| {
        text.replace("pure::wrapping_", "")
            .replace(":{usize}", "")
            .replace("usize", "")
    };
    found.into_iter().map(plain).collect()
}

const FIGURE_2: &str = "fn f(a: &mut [f64], n: usize) {
    let mut j = 1usize;
    while j < n { let k = j + 1; j = k + 2; a[j] = a[k] * a[j]; }
}";

/// `k` comes back before the adjoint reads it, as in Figure 2(c); the last `j` follows from the bound.
#[test]
fn figure_2() {
    let plan = plan("", FIGURE_2);
    assert_eq!(stored(&plan), [""; 0]);
    let last = "let j = add(1, mul(pure::__trips_up(1, n, false, 3), 3))";
    assert_eq!(
        recovered(&plan),
        [last, "let k = sub(j, 2)", "j = sub(k, 1)"]
    );
    let changes = [
        (
            "__trips_up(1usize, n, false, 3usize)",
            "__trips_up(0usize, n, false, 3usize)",
        ),
        (
            "__trips_up(1usize, n, false, 3usize)",
            "__trips_up(1usize, n, false, 2usize)",
        ),
        (
            "__trips_up(1usize, n, false, 3usize)",
            "__trips_up(1usize, n, true, 3usize)",
        ),
    ];
    assert_eq!(refused(&plan, &changes), 6);
}

#[test]
fn without_inversion_each_iteration_stores() {
    let plan = plan("without(inversion)", FIGURE_2);
    assert_eq!(stored(&plan), ["j", "k", "j"]);
}

/// A nontriangular system: one of the two is stored, the other follows.
#[test]
fn figure_4() {
    let plan = plan(
        "",
        "fn f(x: &[f64], n: usize) -> f64 {
            let (mut k, mut l, mut s) = (1usize, 1usize, 1.0);
            for _ in 0..n { let j = k + l; k = j + 3; l = j + 2; s *= x[k] + x[l] * s; }
            s
        }",
    );
    assert_eq!(stored(&plan), ["l", "k", "l"]);
    assert_eq!(recovered(&plan), ["k = sub(sub(k, 3), l)"]);
}

/// The overwritten `j` needs what Figure 7(c) calls `t`: the difference that undoes it.
#[test]
fn figure_7() {
    let plan = plan(
        "",
        "fn f(a: &mut [f64], n: usize) {
            let mut j = 1usize;
            while j < n {
                let k = j + 1; j = k + 2; a[j] = a[k] * a[j];
                j = j + 1; a[k] = 2.0 * a[j] * a[k];
            }
        }",
    );
    assert_eq!(stored(&plan), [""; 0]);
    let [last, k, step, leap] = &recovered(&plan)[..] else {
        panic!("four: {plan}")
    };
    let trips = "pure::__trips_up(1, n, false, 4)";
    assert_eq!(*last, format!("let j = add(1, mul({trips}, 4))"));
    assert_eq!(k, "let k = sub(sub(j, 1), 2)");
    assert_eq!(step, "j = sub(j, 1)");
    assert_eq!(leap, "j = sub(k, 1)");
}

fn figure_8(line_5: &str) -> Plan {
    let function = format!(
        "fn f(a: &mut [f64], p: &[f64], n: usize, o: usize) {{
            let mut l = 0usize; let mut i = o; let mut j = o;
            while l < n {{
                let k = i - j; let m = k + 3 + l; i = {line_5};
                a[i] = a[j] * p[k] * a[m];
                j = j + m + 4; i = i + j + 1;
                a[j] = a[i] * p[k] * a[m];
                l = l + 1;
            }}
        }}"
    );
    plan("", &function)
}

/// The six recoveries of Figure 8(b), and nothing stored but the exit values of `i` and `j`: `l` follows from the trips.
#[test]
fn figure_8_and_its_recoveries() {
    let plan = figure_8("k + 2 * l");
    assert_eq!(stored(&plan), ["i", "j"]);
    let expected = [
        "let l = n",
        "let k = sub(sub(sub(i, 1), j), 2 * sub(l, 1))",
        "let m = k + 3 + sub(l, 1)",
        "l = sub(l, 1)",
        "i = sub(sub(i, 1), j)",
        "j = sub(sub(j, 4), m)",
        "i = add(k, j)",
    ];
    assert_eq!(recovered(&plan), expected);
}

/// A maximum can't be inverted: as in Figure 9(d), `k` is stored.
#[test]
fn figure_9_d() {
    let plan = figure_8("k.max(2 * l)");
    assert_eq!(stored(&plan), ["k", "i", "j"]);
}

/// A nest of loops that carries `at` through its rows.
fn carried(rows: &str) -> Plan {
    let function = format!(
        "fn f(x: &[f64], l: &[f64], n: usize, m: usize) -> f64 {{
            let (mut s, mut at) = (0.0, 0usize);
            {rows}
            s
        }}"
    );
    plan("", &function)
}

/// The offset into a packed triangle: the inner loop subtracts what it added, and the last one is the number of pairs.
#[test]
fn a_packed_triangle_stores_nothing() {
    let plan = carried("for i in 0..n { for j in 0..i { s += l[at] * x[j] * s; at += 1; } }");
    assert_eq!(stored(&plan), [""; 0]);
    let last = "let at = pure::__pairs(n)";
    assert_eq!(recovered(&plan), [last, "at = sub(at, 1)"]);
    let changes = [
        ("pure::__pairs(n)", "pure::__pairs(m)"),
        ("pure::__pairs(n):{usize}", "n"),
        ("pure::__pairs(n)", "pure::__pairs(n - 1usize)"),
    ];
    assert_eq!(refused(&plan, &changes), 3);
}

/// What nests of other shapes leave, by the closed form of the last offset.
#[test]
fn closed_forms_of_nests() {
    let cases = [
        // Upper triangles, with and without the diagonal.
        (
            "for i in 0..n { for j in i..n { s *= l[at] * x[j]; at += 1; } }",
            "sub(mul(n, n), pure::__pairs(n))",
        ),
        (
            "for i in 0..n { for j in i + 1..n { s *= l[at] * x[j]; at += 1; } }",
            "sub(sub(mul(n, n), n), pure::__pairs(n))",
        ),
        // The diagonal included, backwards, and a triangle in each of `m` blocks.
        (
            "for i in 0..n { for j in 0..=i { s *= l[at] * x[j]; at += 1; } }",
            "add(n, pure::__pairs(n))",
        ),
        (
            "for i in (0..n).rev() { for j in 0..i { s *= l[at] * x[j]; at += 1; } }",
            "sub(sub(mul(n, n), n), pure::__pairs(n))",
        ),
        (
            "for _ in 0..m { for i in 0..n { for j in 0..i { s *= l[at] * x[j]; at += 1; } } }",
            "mul(m, pure::__pairs(n))",
        ),
        // A running offset of rows, which the inner loop only reads.
        (
            "for i in 0..n { for j in 0..i { s *= l[at + j] * x[j]; } at += i; }",
            "pure::__pairs(n)",
        ),
        (
            "for i in 0..n { for j in 0..m { s *= l[at + j] * x[j]; } at += m + 2; }",
            "add(mul(n, 2), mul(n, m))",
        ),
    ];
    for (rows, last) in cases {
        let plan = carried(rows);
        assert_eq!(stored(&plan), [""; 0], "{rows}");
        assert_eq!(recovered(&plan)[0], format!("let at = {last}"), "{rows}");
    }
}

/// A sum over a triangle is no longer linear in the outer loop's iteration, and a bound below the start adds nothing.
#[test]
fn nests_without_a_closed_form_store_the_last_offset() {
    for rows in [
        "for i in 0..n { for j in 0..i { for k in 0..j { s *= l[at] * x[k]; at += 1; } } }",
        "for i in 0..n { for j in m..i { s *= l[at] * x[j]; at += 1; } }",
        "for i in 0..n { for j in 0..i { if x[j] > 0.0 { break; } s *= l[at]; at += 1; } }",
    ] {
        assert!(stored(&carried(rows)).contains(&"at".to_string()), "{rows}");
    }
}

/// Neighbours on a ring are chosen again.
#[test]
fn what_branches_choose_is_not_stored() {
    let plan = plan(
        "without(distribution)",
        "fn f(u: &[f64], du: &mut [f64], n: usize) {
            for i in 0..n {
                let up = if i == 0 { n - 1 } else { i - 1 };
                let mut down = i + 1;
                if down == n { down = 0; }
                du[i] = u[up] * u[down];
            }
        }",
    );
    assert_eq!(stored(&plan), [""; 0]);
    let up = "let up = select(i == 0, n - 1, i - 1)";
    let down = "let down = select(i + 1 == n, 0, i + 1)";
    assert_eq!(recovered(&plan), [up, down]);
    let changes = [
        ("i == 0usize", "i == 1usize"),
        ("i - 1usize", "i + 1usize"),
        ("0usize, i + 1usize", "1usize, i + 1usize"),
    ];
    assert_eq!(refused(&plan, &changes), 3);
}

/// Figure 14(a): one integer in each iteration, and the last end of the part that is done.
#[test]
fn figure_14_a() {
    let plan = plan(
        "",
        "fn f(x: &mut [f64], v: &[f64], n: usize) {
            let mut ii = n; let mut ipntp = 0usize;
            while ii > 0 {
                let ipnt = ipntp;
                ipntp += ii; ii /= 2;
                let mut i = ipntp - 1; let mut k = ipnt + 1;
                while k < ipntp {
                    i += 1;
                    x[i] = x[k] - v[k] * x[k - 1] - v[k + 1] * x[k + 1];
                    k += 2;
                }
            }
        }",
    );
    assert_eq!(stored(&plan), ["ipnt", "trips", "ipntp"]);
}

/// The texts with one occurrence of `from` replaced, behind the head of the reverse sweep.
fn mutants(text: &str, from: &str, to: &str) -> Vec<String> {
    let start = text.find("\nreverse {").expect("a reverse sweep");
    let places = text[start..].match_indices(from);
    let replaced = |at: usize| format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
    places.map(|(at, _)| replaced(start + at)).collect()
}

/// How many mutants of the plan there are, all of which the checker refuses.
fn refused(plan: &Plan, changes: &[(&str, &str)]) -> usize {
    let text = plan.to_string();
    let mut tried = 0;
    for (from, to) in changes {
        let mutants = mutants(&text, from, to);
        assert!(!mutants.is_empty(), "no {from} in\n{text}");
        for mutant in mutants {
            assert!(!is_accepted(&mutant), "{from} -> {to}:\n{mutant}");
            tried += 1;
        }
    }
    tried
}

fn is_accepted(text: &str) -> bool {
    let plan = parse::plan(text).unwrap();
    check(&plan.for_caller(Caller::OUTERMOST)).is_empty()
}

/// The checker takes no inverse on trust: with another operation, operand or literal, the plan is refused.
#[test]
fn the_checker_catches_wrong_inverses() {
    let changes = [
        ("wrapping_sub", "wrapping_add"),
        ("wrapping_add(k, j)", "wrapping_sub(k, j)"),
        ("1usize):{usize}, j)", "2usize):{usize}, j)"),
        ("4usize):{usize}, m)", "4usize):{usize}, k)"),
        ("wrapping_sub(l, 1usize)", "wrapping_sub(l, 0usize)"),
        ("2usize * ", "3usize * "),
        ("k + 3usize", "k + 4usize"),
    ];
    let tried = refused(&figure_8("k + 2 * l"), &changes);
    assert!(tried >= 15, "{tried} mutants");
}

#[test]
fn the_checker_catches_wrong_inverses_of_bijections() {
    let changes = [
        ("rotate_right", "rotate_left"),
        ("1u32", "2u32"),
        ("43691u16", "43693u16"),
        ("7u16", "8u16"),
        ("!i", "i"),
    ];
    refused(&stepped("u16", "!(3 * i.rotate_left(1) + 7)"), &changes);
    let inverse = "12297829382473034411u64";
    let changes = [
        (inverse, "12297829382473034409u64"),
        // The inverse modulo 2 to the 32.
        (inverse, "2863311531u64"),
    ];
    refused(&stepped("usize", "3 * i"), &changes);
    refused(&stepped("u32", "i.swap_bytes()"), &[("swap_", "reverse_")]);
    let changes = [("/ 6usize", "/ 3usize"), ("as u8", "as u16")];
    refused(&widened("u8", "k as usize * 6 + 1"), &changes);
    let changes = [(">> 2i32", ">> 1i32"), ("5usize", "4usize")];
    refused(&widened("u16", "5 + ((k as usize) << 2)"), &changes);
}

/// The same inverses under conditions under which they are none: with wider types, larger and even factors.
#[test]
fn the_checker_knows_when_an_inverse_holds() {
    let cases = [
        (widened("u8", "k as usize * 6 + 1"), "u8", "u32"),
        (
            widened("u8", "k as usize * 6 + 1"),
            "6usize",
            "600000000usize",
        ),
        (widened("u16", "5 + ((k as usize) << 2)"), "2i32", "20i32"),
        (widened("isize", "k as usize"), "isize", "i64"),
        (widened("isize", "k as usize"), "usize", "u16"),
        (stepped("u8", "5 * i"), "5u8", "6u8"),
        (stepped("u8", "5 * i"), "u8", "u16"),
    ];
    for (plan, from, to) in cases {
        let text = plan.to_string();
        assert!(is_accepted(&text), "{text}");
        let changed = text.replace(from, to);
        assert!(!is_accepted(&changed), "{from} -> {to}:\n{changed}");
    }
}

/// What a counter with an odd step holds behind a loop gives the trip count.
#[test]
fn a_bound_comes_back_from_a_counter() {
    let inverse = "14757395258967641293u64 as usize";
    let cases = [
        (
            "usize",
            "at += 1",
            "pure::wrapping_sub(at, 1usize):{usize}".to_string(),
        ),
        (
            "usize",
            "at += 5",
            format!(
                "pure::wrapping_mul(pure::wrapping_sub(at, 1usize):{{usize}}, {inverse}):{{usize}}"
            ),
        ),
        (
            "usize",
            "at -= 5",
            format!(
                "pure::wrapping_mul(pure::wrapping_sub(1usize, at):{{usize}}, {inverse}):{{usize}}"
            ),
        ),
        (
            "i64",
            "at += 1",
            "pure::wrapping_sub(at, 1i64):{i64} as usize".to_string(),
        ),
    ];
    for (ty, step, back) in cases {
        let plan = plan(
            "",
            &format!(
                "fn f(x: &[f64], n: usize) -> f64 {{
                    let (mut s, mut at, mut bound) = (1.0, 1{ty}, 0usize);
                    for v in x {{ if *v > 0.5 {{ bound += n; }} }}
                    for _ in 0..bound {{ {step}; s *= x[at as usize] + s; }}
                    s
                }}"
            ),
        );
        assert_eq!(stored(&plan), ["at"], "{step}: {plan}");
        let text = plan.to_string();
        assert!(text.contains(&format!(" = {back};")), "{text}");
    }
}

/// Sums whose terms are equal to those of their operands: the checker finds the very value that was overwritten.
#[test]
fn sums_with_known_values_are_undone() {
    for step in [
        "at = at.wrapping_add(n)",
        "at = at + off",
        "at = at.wrapping_mul(31).wrapping_add(n)",
        "at = at - at; at = at.wrapping_add(1)",
        "at = at + 2; s *= x[at]; at = at.wrapping_sub(2)",
        "at = at + n; s *= x[at]; at = at.wrapping_sub(n)",
        "at = at + 3; at = at - 3",
        "at = off + off; at = at.wrapping_add(off)",
        "at = at - off; at = off.wrapping_add(at); at = at + off",
    ] {
        let plan = plan(
            "",
            &format!(
                "fn f(x: &[f64], n: usize) -> f64 {{
                    let (mut s, mut at, off) = (1.0, 0usize, 0usize);
                    s *= x[at] + s;
                    {step};
                    s *= x[at] + s;
                    s
                }}"
            ),
        );
        assert_eq!(stored(&plan), [""; 0], "{step}: {plan}");
    }
}

/// The product of a number near the limit and an inverse has more than 127 bits.
#[test]
fn large_numbers_are_multiplied_back() {
    for (ty, start) in [
        ("u64", "18446744073709551615"),
        ("i64", "-9223372036854775808"),
    ] {
        let plan = plan(
            "",
            &format!(
                "fn f(x: &[f64]) -> f64 {{
                    let (mut s, mut at) = (1.0, {start}{ty});
                    s *= x[(at as usize) % 5] + s;
                    at = at.wrapping_mul(5);
                    s * x[(at as usize) % 5]
                }}"
            ),
        );
        let changed = plan
            .to_string()
            .replace("14757395258967641293", "14757395258967641297");
        assert_eq!(stored(&plan), [""; 0], "{plan}");
        assert!(!is_accepted(&changed) || ty == "i64", "{changed}");
    }
}
