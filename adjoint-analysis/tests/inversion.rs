//! The examples of `[INV]`: which integers are stored, and by which expressions the others come back.

use adjoint_analysis::compile::analyse;
use adjoint_analysis::ir::{Caller, Func, Origin, Stmt, StmtKind, Ty};
use adjoint_analysis::options::Options;
use adjoint_analysis::plan::check::check;
use adjoint_analysis::plan::{Plan, RecordKind};
use adjoint_analysis::text::{parse, print};

/// The plan of a function, which the checker takes for each caller.
fn plan(args: &str, function: &str) -> Plan {
    let options = Options::parse(args.parse().unwrap()).unwrap();
    let plan = analyse(&syn::parse_str(function).unwrap(), &options)
        .unwrap()
        .plan;
    for caller in plan.extremes() {
        assert_eq!(check(&plan.for_caller(caller)), [], "{plan}");
    }
    plan
}

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
        "",
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

/// The plan of a loop that a real ends, and in which an integer of this type changes so.
fn left_by_a_real(ty: &str, start: &str, step: &str) -> Plan {
    let function = format!(
        "fn f(x: &[f64], y: f64, n: usize) -> f64 {{
            let (mut s, mut i) = (y, {start}{ty});
            while s < 9.0 {{ s = s * x[i as usize]; {step} }}
            s
        }}"
    );
    plan("", &function)
}

/// What counts a loop's iterations gives its trip count: from 0 by 1, or from any start by an odd literal, in one step or
/// several, also where it wraps.
#[test]
fn a_counter_gives_the_trip_count() {
    let third = "12297829382473034411u64 as usize";
    let cases = [
        ("usize", "0", "i += 1;", "i".to_string()),
        (
            "usize",
            "7",
            "i += 1;",
            "pure::wrapping_sub(i, 7usize):{usize}".to_string(),
        ),
        (
            "usize",
            "7",
            "i -= 1;",
            "pure::wrapping_sub(7usize, i):{usize}".to_string(),
        ),
        (
            "usize",
            "1",
            "i += 3;",
            format!(
                "pure::wrapping_mul(pure::wrapping_sub(i, 1usize):{{usize}}, {third}):{{usize}}"
            ),
        ),
        (
            "usize",
            "1",
            "let k = i + 1; s *= x[k]; i = 2 + k;",
            format!(
                "pure::wrapping_mul(pure::wrapping_sub(i, 1usize):{{usize}}, {third}):{{usize}}"
            ),
        ),
        ("i64", "0", "i += 1;", "i as usize".to_string()),
        (
            "u64",
            "0",
            "i += 5; i -= 2;",
            "pure::wrapping_mul(i, 12297829382473034411u64):{u64} as usize".to_string(),
        ),
    ];
    for (ty, start, step, trips) in cases {
        let plan = left_by_a_real(ty, start, step);
        assert_eq!(stored(&plan), ["i"], "{step}: {plan}");
        let text = plan.to_string();
        assert!(text.contains(&format!("let trips = {trips};")), "{text}");
    }
}

/// An even step may have wrapped to the same value, as may a narrow type; a conditional step says nothing.
#[test]
fn counters_that_do_not_give_the_trip_count() {
    let cases = [
        ("usize", "0", "i += 2;"),
        ("usize", "0", "let k = i + 1; s *= x[k]; i = k + 5;"),
        ("i32", "0", "i += 1;"),
        ("u8", "0", "i += 3;"),
        ("usize", "0", "if s > 3.0 { i += 1; }"),
        ("usize", "0", "i += 1; if s > 3.0 { i += 1; }"),
        ("usize", "0", "i += n;"),
        ("usize", "0", "let k = i + 1; i = k * 2;"),
    ];
    for (ty, start, step) in cases {
        let plan = left_by_a_real(ty, start, step);
        assert!(
            stored(&plan).contains(&"trips".to_string()),
            "{step}: {plan}"
        );
    }
}

/// A `break` ends the iteration that it is in.
#[test]
fn a_counter_gives_the_trip_count_of_a_loop_with_breaks() {
    let function = |body: &str| {
        format!(
            "fn f(x: &[f64], y: f64) -> f64 {{
                let (mut s, mut i) = (y, 2usize);
                loop {{ {body} }}
                s * x[i]
            }}"
        )
    };
    for (body, is_counted) in [
        ("s *= x[i]; i += 5; if s > 9.0 { break; }", true),
        (
            "i += 1; s *= x[i]; if s > 9.0 { break; } if s < 0.1 { s += 1.0; break; }",
            true,
        ),
        ("s *= x[i]; if s > 9.0 { break; } i += 1;", false),
        ("s *= x[i]; i += 1; if s > 9.0 { i += 1; break; }", false),
        ("s *= x[i]; i += 1; if s > 9.0 { i = 0; break; }", false),
    ] {
        let stored = stored(&plan("", &function(body)));
        let trips = stored.contains(&"trips".to_string());
        assert_eq!(!trips, is_counted, "{body}: {stored:?}");
    }
}

#[test]
fn the_checker_catches_wrong_trip_counts_of_counters() {
    let by_3 = left_by_a_real("usize", "1", "let k = i + 1; s *= x[k]; i = 2 + k;");
    let third = "12297829382473034411u64 as usize";
    let changes = [
        (
            "let trips = pure::wrapping_mul(pure::wrapping_sub(i, 1usize)",
            "let trips = pure::wrapping_mul(pure::wrapping_sub(i, 0usize)",
        ),
        (
            "let trips = pure::wrapping_mul(pure::wrapping_sub(i, 1usize)",
            "let trips = pure::wrapping_mul(pure::wrapping_add(i, 1usize)",
        ),
        (third, "14757395258967641293u64 as usize"),
        (third, "2863311531u64 as usize"),
    ];
    assert_eq!(refused(&by_3, &changes), 4);
    // The same count where the counter has another step or start.
    let text = by_3.to_string();
    assert!(is_accepted(&text), "{text}");
    for (from, to) in [
        ("2usize + k", "4usize + k"),
        ("2usize + k", "3usize + k"),
        ("let i = 1usize", "let i = 2usize"),
    ] {
        let changed = text.replace(from, to);
        assert!(
            changed != text && !is_accepted(&changed),
            "{from} -> {to}:\n{changed}"
        );
    }
    let narrow = left_by_a_real("u64", "0", "i += 3;").to_string();
    for to in ["u32", "i32", "u8"] {
        let inverse = match to {
            "u8" => "171u8",
            "u32" => "2863311531u32",
            _ => "-1431655765i32",
        };
        let changed = narrow
            .replace("12297829382473034411u64", inverse)
            .replace("u64", to);
        assert!(!is_accepted(&changed), "{to}:\n{changed}");
    }
    let breaks = plan(
        "",
        "fn f(x: &[f64], y: f64) -> f64 {
            let (mut s, mut i) = (y, 2usize);
            loop { s *= x[i]; i += 5; if s > 9.0 { break; } }
            s
        }",
    );
    let text = breaks.to_string();
    assert!(is_accepted(&text), "{text}");
}

#[test]
fn integers_that_lose_bits_are_stored() {
    for step in [
        "i / 2",
        "i % 7",
        "i >> 1",
        "i * 3 % 5",
        "i * 2",
        "i.wrapping_mul(2)",
        "i << 1",
        "i.min(4)",
        "(i as u8) as usize",
        "(i as u64) as usize",
    ] {
        let plan = plan(
            "",
            &format!(
                "fn f(x: &[f64], n: usize) -> f64 {{
                    let (mut s, mut i) = (1.0, n);
                    for _ in 0..n {{ s *= x[i]; i = {step}; }}
                    s
                }}"
            ),
        );
        assert!(stored(&plan).contains(&"i".to_string()), "{step}: {plan}");
        assert!(recovered(&plan).is_empty(), "{step}: {plan}");
    }
}

/// The plan of a loop that selects elements by an integer of this type, which changes so after each one.
fn stepped(ty: &str, step: &str) -> Plan {
    let function = format!(
        "fn f(x: &[f64], n: usize) -> f64 {{
            let (mut s, mut i) = (1.0, n as {ty});
            for _ in 0..n {{ s *= x[i as usize % 5] + s; i = {step}; }}
            s
        }}"
    );
    plan("", &function)
}

/// Operations that lose no bits are undone, and only the last value is stored.
#[test]
fn bijections() {
    let cases = [
        ("u8", "i.rotate_left(3)", "pure::rotate_right(i, 3u32):{u8}"),
        ("usize", "i.rotate_right(9)", "pure::rotate_left(i, 9u32)"),
        ("usize", "i.swap_bytes()", "pure::swap_bytes(i)"),
        ("i16", "i.reverse_bits()", "pure::reverse_bits(i):{i16}"),
        ("i8", "i.wrapping_neg()", "neg(i):{i8}"),
        ("u8", "i.wrapping_mul(5)", "mul(i, 205u8):{u8}"),
        ("i8", "3 * i", "mul(i, -85i8):{i8}"),
        ("i32", "i.wrapping_mul(-3)", "mul(i, 1431655765i32):{i32}"),
        ("usize", "i * 3", "mul(i, 12297829382473034411u64 as )"),
        (
            "u16",
            "!(3 * i.rotate_left(1) + 7)",
            "pure::rotate_right(mul(sub(!i, 7u16):{u16}, 43691u16):{u16}, 1u32):{u16}",
        ),
    ];
    for (ty, step, back) in cases {
        let plan = stepped(ty, step);
        assert_eq!(stored(&plan), ["i"], "{step}: {plan}");
        assert_eq!(recovered(&plan), [format!("i = {back}")], "{step}");
    }
}

/// The plan of a loop that selects elements by an integer, which then loses bits, and by what is computed from it.
fn widened(ty: &str, index: &str) -> Plan {
    let function = format!(
        "fn f(x: &[f64], y: &[f64], n: usize) -> f64 {{
            let (mut s, mut k) = (1.0, n as {ty});
            for _ in 0..n {{
                let i = {index};
                s *= x[i] + y[k as usize] * s;
                k = k / 2 + 1;
            }}
            s
        }}"
    );
    plan("", &function)
}

/// Where a narrow integer was widened, a multiple of it by an even literal is exact.
#[test]
fn what_was_widened_comes_back() {
    let cases = [
        ("u8", "k as usize", "i as u8"),
        ("u8", "k as usize * 6 + 1", "(sub(i, 1) / 6) as u8"),
        (
            "u16",
            "5 + ((k as usize) << 2)",
            "(sub(i, 5) >> 2i32) as u16",
        ),
        ("i64", "k as u64 as i128 as usize", ""),
        ("u32", "usize::from(k as u8)", ""),
        ("u64", "k as usize", ""),
        ("u32", "k as usize * 2", ""),
        ("isize", "k as usize", "i as isize"),
    ];
    for (ty, index, back) in cases {
        let plan = widened(ty, index);
        let recovered = recovered(&plan);
        let found = recovered.iter().find_map(|text| text.strip_prefix("k = "));
        assert_eq!(found.unwrap_or(""), back, "{index}: {plan}");
    }
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

/// The plan of a loop that selects elements by a place and then updates it.
fn updated(declared: &str, place: &str, update: &str) -> Plan {
    plan(
        "",
        &format!(
            "fn f(x: &[f64], n: usize, lent: &mut usize, tally: &mut [usize]) -> f64 {{
                let mut s = 1.0;
                {declared}
                for i in 0..n {{ s *= x[{place}] + s; {update}; }}
                s
            }}"
        ),
    )
}

/// The records of integers in loops, by their places; what is stored where a scope ends is left out.
fn stored_in_loops(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    plan.forward.walk(&mut |s| {
        if let StmtKind::Loop(_, body) = &s.kind {
            body.walk(&mut |s| match &s.kind {
                StmtKind::Record(r, p) if is_discrete(&plan.record(*r).kind) => {
                    found.push(print::place(&plan.func, p));
                }
                _ => {}
            });
        }
    });
    found
}

/// The assignments of the reverse sweep to integers in parts of variables and behind references.
fn updates_undone(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    plan.reverse.walk(&mut |s| {
        if let StmtKind::Assign(p, e) = &s.kind
            && matches!(p.ty, Ty::Int(_))
        {
            let (p, e) = (print::place(&plan.func, p), print::expr(&plan.func, e));
            let text = format!("{p} = {e}").replace("usize", "");
            found.push(text.replace("pure::wrapping_", "").replace(":{}", ""));
        }
    });
    found
}

#[test]
fn updates_of_elements_and_of_lent_integers_are_undone() {
    let array = "let mut at = [0usize, 1, 2];";
    let list = "let mut at = vec![0usize; 5];";
    let cases = [
        (array, "at[0]", "at[0] += 1", "at[0] = sub(at[0], 1)"),
        (array, "at[1]", "at[1] = 9 - at[1]", "at[1] = sub(9, at[1])"),
        (
            array,
            "at[1]",
            "at[1] += 2 * at[0]",
            "at[1] = sub(at[1], 2 * at[0])",
        ),
        (
            list,
            "at[i % 5]",
            "at[i % 5] += n",
            "at[i % 5] = sub(at[i % 5], n)",
        ),
        ("", "*lent", "*lent += 3", "lent = sub(lent, 3)"),
        (
            "",
            "tally[i]",
            "tally[i] -= 1",
            "tally[i] = add(tally[i], 1)",
        ),
    ];
    for (declared, place, update, back) in cases {
        let plan = updated(declared, place, update);
        assert_eq!(stored_in_loops(&plan), [""; 0], "{update}: {plan}");
        assert_eq!(updates_undone(&plan), [back], "{update}: {plan}");
    }
}

/// The element may be the other operand, or stand elsewhere behind the update; or bits are lost.
#[test]
fn updates_that_are_stored() {
    let array = "let mut at = [0usize, 1, 2];";
    for (declared, place, update) in [
        (array, "at[i % 3]", "at[i % 3] += at[n % 3]"),
        (array, "at[i % 3]", "at[i % 3] += at[0]"),
        (array, "at[0]", "at[0] += at[0]"),
        (array, "at[0]", "at[at[0] % 3] += 1"),
        (array, "at[0]", "at[0] /= 2"),
        (array, "at[0]", "at[0] *= 2"),
        ("", "*lent", "*lent = *lent / 2 + i"),
        ("", "tally[i]", "tally[i] %= 3"),
    ] {
        let plan = updated(declared, place, update);
        let stored = stored_in_loops(&plan);
        let is_element = |p: &String| ["at[", "lent", "tally["].iter().any(|of| p.starts_with(of));
        assert!(stored.iter().any(is_element), "{update}: {plan}");
        assert_eq!(updates_undone(&plan), [""; 0], "{update}: {plan}");
    }
}

#[test]
fn the_checker_catches_wrong_inverses_of_updates() {
    let array = "let mut at = [0usize, 1, 2];";
    let changes = [
        ("wrapping_sub", "wrapping_add"),
        ("2usize * ", "3usize * "),
        ("2usize * at[0usize]", "2usize * at[1usize]"),
        ("2usize * at[0usize]", "2usize * at[2usize]"),
        (" at[1usize] = ", " at[0usize] = "),
        ("wrapping_sub(at[1usize]", "wrapping_sub(at[0usize]"),
    ];
    let plan = updated(array, "at[1]", "at[1] += 2 * at[0]");
    assert!(refused(&plan, &changes) >= 6);
    let changes = [
        ("lent = ", "n = "),
        ("wrapping_sub(lent, 3usize)", "wrapping_sub(lent, 2usize)"),
        ("wrapping_sub(lent, 3usize)", "wrapping_sub(n, 3usize)"),
    ];
    refused(&updated("", "*lent", "*lent += 3"), &changes);
    let changes = [
        ("wrapping_add(tally[i]", "wrapping_add(tally[0usize]"),
        (" tally[i] = ", " tally[0usize] = "),
        (", 1usize)", ", i)"),
    ];
    refused(&updated("", "tally[i]", "tally[i] -= 1"), &changes);
    // The update that the inverse undoes is another one.
    let text = plan.to_string();
    let (from, to) = (
        "at[1usize] + 2usize * at[0usize]",
        "at[1usize] + 2usize * at[2usize]",
    );
    let changed = text.replace(from, to);
    assert!(changed != text && !is_accepted(&changed), "{changed}");
}

/// `at + d` has the term of `at - 2` before the step of the counter, as `d` wrapped to the largest number but one.
#[test]
fn a_step_whose_literal_wrapped_is_one_back() {
    let plan = plan(
        "",
        "fn f(x: &[f64], n: usize) -> f64 {
            let (mut s, mut at) = (1.0, n);
            while at > 1 {
                let d = 3usize.wrapping_sub(5);
                s *= x[at] + x[at.wrapping_add(d)] * s;
                at = at - 2;
            }
            s
        }",
    );
    assert_eq!(stored(&plan), [""; 0], "{plan}");
    assert!(
        plan.to_string()
            .contains("__trips_down(n, 1usize, false, 2usize)"),
        "{plan}"
    );
}
