//! What is settled between the ends of a loop.

use crate::{RING, SHIFTED, all_found, faults, parts, plan_text};

/// What is peeled of the loop of `y[i] = x[..] * x[i]`, for this index and range.
fn peeled(index: &str, range: &str) -> String {
    let function = format!(
        "fn f(x: &[f64], y: &mut [f64], n: usize, m: usize) {{
            for i in {range} {{ y[i] = x[{index}] * x[i]; }}
        }}"
    );
    let text = plan_text(&function);
    let Some(start) = text.find("for i in rev") else {
        return "no loop".into();
    };
    let Some((head, _)) = text[start..].split_once(" part ") else {
        return "no parts".into();
    };
    let behind_body = head.rfind("\n  }").unwrap() + "\n  }".len();
    head[behind_body..].trim().to_owned()
}

#[test]
fn ends_are_peeled_where_indices_wrap() {
    for (index, range, expected) in [
        (
            "(i + 1) % n",
            "0..n",
            "last 1 inside (i + 1usize) % n is i + 1usize",
        ),
        (
            "(i + 2) % n",
            "0..n",
            "last 2 inside (i + 2usize) % n is i + 2usize",
        ),
        (
            "(i + n - 1) % n",
            "0..n",
            "first 1 inside (i + n - 1usize) % n is i + n - 1usize - n",
        ),
        (
            "(i + 1) % n",
            "0..=n - 1",
            "last 1 inside (i + 1usize) % n is i + 1usize",
        ),
        // A difference wraps around at zero if overflow is not checked.
        (
            "(i - 1) % n",
            "0..n",
            "first 1 inside (i - 1usize) % n is i - 1usize",
        ),
        (
            "if i - 1 < n { i } else { 0 }",
            "0..n",
            "first 1 inside i - 1usize < n is true",
        ),
        // The loop itself leaves the ends out.
        (
            "(i + 1) % n",
            "0..n - 1",
            "inside (i + 1usize) % n is i + 1usize",
        ),
        (
            "i.saturating_sub(1)",
            "1..n",
            "inside pure::saturating_sub(i, 1usize):{usize} is i - 1usize",
        ),
        (
            "i.saturating_sub(2)",
            "1..n",
            "first 1 inside pure::saturating_sub(i, 2usize):{usize} is i - 2usize",
        ),
        (
            "(i + 1).min(x.len() - 1)",
            "0..x.len()",
            "last 1 inside pure::min(i + 1usize, len(x) - 1usize):{usize} is i + 1usize",
        ),
        (
            "if i + 1 == n { 0 } else { i + 1 }",
            "0..n",
            "last 1 inside i + 1usize == n is false",
        ),
        (
            "if i > 0 { i - 1 } else { n - 1 }",
            "0..n",
            "first 1 inside i > 0usize is true",
        ),
        (
            "if i >= 2 && i < n - 2 { i - 2 } else { i }",
            "0..n",
            "first 2 last 2 inside i >= 2usize is true inside i < n - 2usize is true",
        ),
        // The index has another bound, or more iterations would have to be peeled.
        ("(i + 1) % n", "0..m", "no parts"),
        ("(i + 5) % n", "0..n", "no parts"),
        ("(i + m) % n", "0..n", "no parts"),
        // It runs down, or by two.
        ("(i + 1) % n", "(0..n).rev()", "no parts"),
        ("(i + 1) % n", "(0..n).step_by(2)", "no parts"),
    ] {
        assert_eq!(peeled(index, range), expected, "{index}, {range}");
    }
}

#[test]
fn the_checker_finds_differences_that_wrap_around() {
    let function = "fn f(x: &[f64], y: &mut [f64], n: usize) {
        for i in 0..n { y[i] = x[(i - 1) % n] * x[i]; }
    }";
    let text = plan_text(function);
    let mutant = text.replacen("first 1 inside", "inside", 1);
    all_found(&text, [mutant]);
}

#[test]
fn runs_are_tested_where_the_interior_starts() {
    let text = plan_text(SHIFTED);
    let test = "first 1 inside i > 0usize is true apart runs m + (0usize + 1usize), 0usize + 1usize - 1usize part";
    assert!(text.contains(test), "{text}");
    let at_zero = "apart runs m + 0usize, 0usize - 1usize part";
    let mutant = text.replacen(&test[test.find("apart").unwrap()..], at_zero, 1);
    all_found(&text, [mutant]);
}

#[test]
fn a_slice_keeps_its_length_where_it_is_lent() {
    let function = "fn lent(x: &[f64], y: &mut [f64]) {
        for i in 0..y.len() { y[(i + 1) % y.len()] += x[i] * x[i]; }
        g(y);
    }";
    let text = plan_text(function);
    assert!(
        text.contains("last 1 inside (i + 1usize) % len(y)"),
        "{text}"
    );
}

#[test]
fn branches_at_ends_are_gone_from_the_interior() {
    let text = plan_text(RING);
    assert!(text.contains("first 1 last 1 inside"), "{text}");
    assert!(text.contains(" inside i == 0usize is false"), "{text}");
    assert_eq!(
        parts("", RING),
        ["x_adj[i - 1usize]", "x_adj[i + 1usize]", "y_adj[i]"]
    );
}

#[test]
fn the_checker_finds_interiors_that_are_something_else() {
    let text = plan_text(RING);
    assert_eq!(faults(&text), []);
    let mutants = [
        text.replacen("first 1 last 1", "last 1", 1),
        text.replacen("first 1 last 1", "first 1", 1),
        text.replacen(
            "inside i == 0usize is false",
            "inside i == 0usize is true",
            1,
        ),
        text.replacen("inside i == 0usize is false", "inside i == 0usize is i", 1),
        text.replacen("% n is i + 1usize", "% n is i + 2usize", 1),
        text.replacen("% n is i + 1usize", "% n is i", 1),
        text.replacen("inside i == 0usize is false", "", 1),
    ];
    all_found(&text, mutants);
}
