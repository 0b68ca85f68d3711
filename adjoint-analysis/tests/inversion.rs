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

/// Nothing is stored but the last `j`, and `k` comes back before the adjoint reads it, as in Figure 2(c).
#[test]
fn figure_2() {
    let plan = plan("", FIGURE_2);
    assert_eq!(stored(&plan), ["trips", "j"]);
    assert_eq!(recovered(&plan), ["let k = sub(j, 2)", "j = sub(k, 1)"]);
}

#[test]
fn without_inversion_each_iteration_stores() {
    let plan = plan("without(inversion)", FIGURE_2);
    assert_eq!(stored(&plan), ["j", "k", "trips", "j"]);
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
    assert_eq!(stored(&plan), ["trips", "j"]);
    let [k, step, leap] = &recovered(&plan)[..] else {
        panic!("three: {plan}")
    };
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
        "let l = add(0, pure::__trips_up(0, n, false, 1))",
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

/// The offset into a packed triangle: the inner loop subtracts what it added.
#[test]
fn a_packed_triangle_stores_the_last_offset() {
    let plan = plan(
        "",
        "fn f(x: &[f64], l: &[f64], n: usize) -> f64 {
            let (mut s, mut at) = (0.0, 0usize);
            for i in 0..n { for j in 0..i { s += l[at] * x[j] * s; at += 1; } }
            s
        }",
    );
    assert_eq!(stored(&plan), ["at"]);
    assert_eq!(recovered(&plan), ["at = sub(at, 1)"]);
}

/// A variable that counts a loop's iterations is its trip count.
#[test]
fn a_counter_is_the_trip_count() {
    let plan = plan(
        "",
        "fn f(x: &[f64], y: f64) -> f64 {
            let (mut s, mut i) = (y, 0usize);
            while s < 9.0 { s = s * x[i]; i += 1; }
            s
        }",
    );
    assert_eq!(stored(&plan), ["i"]);
}

#[test]
fn integers_that_lose_bits_are_stored() {
    for step in [
        "i / 2",
        "i % 7",
        "i >> 1",
        "i * 3 % 5",
        "i.min(4)",
        "(i as u8) as usize",
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

/// The texts with one occurrence of `from` replaced, behind the head of the reverse sweep.
fn mutants(text: &str, from: &str, to: &str) -> Vec<String> {
    let start = text.find("\nreverse {").expect("a reverse sweep");
    let places = text[start..].match_indices(from);
    let replaced = |at: usize| format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
    places.map(|(at, _)| replaced(start + at)).collect()
}

/// The checker takes no inverse on trust: with another operation, operand or literal, the plan is refused.
#[test]
fn the_checker_catches_wrong_inverses() {
    let text = figure_8("k + 2 * l").to_string();
    let changes = [
        ("wrapping_sub", "wrapping_add"),
        ("wrapping_add(k, j)", "wrapping_sub(k, j)"),
        ("1usize):{usize}, j)", "2usize):{usize}, j)"),
        ("4usize):{usize}, m)", "4usize):{usize}, k)"),
        ("wrapping_sub(l, 1usize)", "wrapping_sub(l, 0usize)"),
        ("2usize * ", "3usize * "),
        ("k + 3usize", "k + 4usize"),
    ];
    let mut tried = 0;
    for (from, to) in changes {
        for mutant in mutants(&text, from, to) {
            let plan = parse::plan(&mutant).unwrap();
            let faults = check(&plan.for_caller(Caller::OUTERMOST));
            assert!(!faults.is_empty(), "{from} -> {to}:\n{mutant}");
            tried += 1;
        }
    }
    assert!(tried >= 15, "{tried} mutants of\n{text}");
}
