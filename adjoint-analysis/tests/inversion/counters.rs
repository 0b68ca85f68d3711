//! Trip counts that counters give.

use super::{Plan, is_accepted, plan, refused, stored};

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
