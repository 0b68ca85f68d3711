//! Distributed loops: which loops are, into which parts, and what the checker takes.

mod alignment;
mod peeling;
mod scalar_expansion;

#[path = "../common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{Caller, LoopHead, StmtKind};
use adjoint_analysis::plan::check::{FaultKind, check};
use adjoint_analysis::text::{parse, print};

use proved::proved_plan;

/// What the parts of the innermost distributed loops add to or write, part by part: `nonzero s: x_adj[i], y_adj[i]`.
fn parts(args: &str, function: &str) -> Vec<String> {
    let plan = proved_plan(args, function).for_caller(Caller::OUTERMOST);
    let func = &plan.func;
    let mut found = Vec::new();
    plan.reverse.walk(&mut |s| {
        let StmtKind::Loop(head @ LoopHead::Distributed(..), _) = &s.kind else {
            return;
        };
        for part in head.parts() {
            let mut locals = Vec::new();
            let mut written = Vec::new();
            part.block.walk(&mut |s| {
                locals.extend(s.declared());
                let lasting = s
                    .written()
                    .into_iter()
                    .filter(|p| !locals.contains(&p.root));
                written.extend(lasting.map(|p| print::place(func, p)));
            });
            written.dedup();
            let seed = part.seed.map(|v| format!("nonzero {}: ", func.var(v).name));
            found.push(format!(
                "{}{}",
                seed.unwrap_or_default(),
                written.join(", ")
            ));
        }
    });
    found
}

#[test]
fn sums_and_elements_are_parts_of_their_own() {
    let function = "fn scaled(a: f64, x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            y[i] += a * x[i];
        }
    }";
    assert_eq!(parts("", function), ["a_adj", "x_adj[i]"]);
    assert_eq!(parts("without(distribution)", function), [""; 0]);
}

#[test]
fn a_sum_shares_its_loop_with_what_the_same_callers_want() {
    let function = "fn eliminate(a: &mut [f64], n: usize) {
        let (pivot, row) = a.split_at_mut(n);
        let factor = row[0] / pivot[0];
        for i in 1..n {
            row[i] -= factor * pivot[i];
        }
    }";
    assert_eq!(
        parts("", function),
        ["a.tail(n)[i]", "factor_adj, a_adj.head(n)[i]"]
    );
}

#[test]
fn a_column_is_distributed_with_what_is_beside_it() {
    let function = "fn column(m: &[f64], v: &[f64], n: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for i in 0..n {
            sum += m[i * n + j] * v[i];
        }
        sum
    }";
    assert_eq!(
        parts("", function),
        ["nonzero sum_adj: m_adj[i * n + j], v_adj[i]"]
    );
    // Nothing is consecutive, or some elements lie anywhere.
    let scattered = |at: &str| {
        function
            .replace("i * n + j", at)
            .replace("v[i]", "v[3 * i]")
    };
    assert_eq!(parts("", &scattered("i * n + j")), [""; 0]);
    let anywhere = function.replace("i * n + j", "i * i % n");
    assert_eq!(parts("", &anywhere), [""; 0]);
}

#[test]
fn neighbours_are_added_to_in_parts_of_their_own() {
    assert_eq!(
        parts("", SMOOTH),
        [
            "x_adj[i - 1usize]",
            "x_adj[i]",
            "x_adj[i + 1usize]",
            "y_adj[i]"
        ]
    );
}

#[test]
fn a_part_whose_seed_is_zero_is_left_out() {
    let function = "fn dot(x: &[f64], y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += x[i] * y[i];
        }
        sum
    }";
    assert_eq!(parts("", function), ["nonzero sum_adj: x_adj[i], y_adj[i]"]);
}

#[test]
fn halves_of_a_split_are_apart() {
    let function = "fn fold(x: &mut [f64], n: usize, k: f64) {
        let (a, b) = x.split_at_mut(n);
        for i in 0..n {
            a[i] += k * b[i];
        }
    }";
    assert_eq!(
        parts("", function),
        ["k_adj", "x.head(n)[i], x_adj.tail(n)[i]"]
    );
}

/// Rows of a matrix, which are one row or two.
const ELIMINATED: &str = "fn eliminated(m: &mut Vec<Vec<f64>>, row: usize, of: usize, f: f64) {
    for j in 0..m[row].len() {
        m[row][j] -= f * m[of][j];
    }
}";

/// Runs of one list, which overlap or not.
const ADDED: &str = "fn added(m: &mut [f64], n: usize, to: usize, from: usize, f: f64) {
    for j in 2..n {
        m[to * n + j] += f * m[from + j];
    }
}";

#[test]
fn indices_that_are_tested_keep_accesses_apart() {
    assert_eq!(parts("", ELIMINATED), ["f_adj", "m[row][j], m_adj[of][j]"]);
    assert_eq!(
        parts("", ADDED),
        ["f_adj", "m[to * n + j], m_adj[from + j]"]
    );
    let tests = [
        (ELIMINATED, " apart row, of part"),
        (ADDED, " apart runs to * n + 2usize, from + 2usize part"),
    ];
    for (function, test) in tests {
        let text = plan_text(function);
        assert!(text.contains(test), "{text}");
    }
}

#[test]
fn an_expensive_result_is_computed_once() {
    let sums = |term: &str| {
        let function = format!(
            "fn f(x: &[f64], k: f64) -> f64 {{
                let mut sum = 0.0;
                for i in 0..x.len() {{ sum += {term}; }}
                sum
            }}"
        );
        parts("", &function)
    };
    let two = ["nonzero sum_adj: k_adj", "nonzero sum_adj: x_adj[i]"];
    assert_eq!(sums("k * x[i] * x[i]"), two);
    let one = ["nonzero sum_adj: k_adj, x_adj[i]"];
    assert_eq!(sums("(k * x[i]).tanh()"), one);
    assert_eq!(sums("(1.0 + k * x[i]).sqrt()"), one);
}

/// The adjoint goes to three neighbours.
const SMOOTH: &str = "fn smooth(x: &[f64], y: &mut [f64]) {
    for i in 1..x.len() - 1 {
        y[i] = x[i - 1] * x[i] + x[i + 1];
    }
}";

/// The adjoint of `bend` goes to three neighbours.
const BENT: &str = "fn bent(a: &[f64], x: &[f64], y: &mut [f64]) {
    for i in 1..x.len() - 1 {
        let bend = x[i + 1] - 2.0 * x[i] + x[i - 1];
        y[i] = a[i] * bend;
    }
}";

/// Both neighbours need the derivative of the root, which the first part has.
const LENGTH: &str = "fn length(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        let step = x[i] - x[i - 1];
        sum += (1.0 + step * step).sqrt();
    }
    sum
}";

/// The heads of the parts in a plan.
fn heads(function: &str) -> Vec<String> {
    let text = plan_text(function);
    let heads = text.split(" part ").skip(1);
    let head = |part: &str| part[..part.find('{').unwrap()].trim().to_owned();
    heads.map(head).collect()
}

/// A step on a ring, whose ends are set apart.
const RING: &str = "fn ring(x: &[f64], y: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let next = x[(i + 1) % n];
        if i == 0 {
            y[i] = next;
        } else {
            y[i] = next * x[i - 1];
        }
    }
}";

/// Runs whose indices have no value where the loop starts.
const SHIFTED: &str = "fn shifted(y: &mut [f64], m: usize, n: usize) {
    for i in 0..n {
        if i > 0 { y[m + i] += y[i - 1] * y[i - 1]; }
    }
}";

#[test]
fn loops_whose_iterations_depend_on_one_another_stay_as_they_are() {
    for body in [
        // A recurrence.
        "for i in 1..x.len() { x[i] = k * x[i - 1] * x[i]; }",
        // The places may be the same.
        "for i in 0..x.len() { let j = (i * i) % x.len(); x[j] = k * x[j]; }",
        "for i in 0..x.len() { x[i] = k * x[n] * x[i]; }",
        // Elements that don't follow one another gain nothing.
        "for i in 0..n { x[2 * i] = k * x[2 * i]; }",
    ] {
        let function = format!("fn f(x: &mut [f64], n: usize, k: f64) {{ {body} }}");
        assert_eq!(parts("", &function), [""; 0], "{body}");
    }
}

/// A plan with a distributed loop; the tests change it.
const SCALED: &str = "fn scaled(a: f64, x: &[f64], y: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 1..x.len() {
        y[i] = a * x[i] * x[i - 1];
        sum += a * x[i];
    }
    sum
}";

fn plan_text(function: &str) -> String {
    proved_plan("", function)
        .for_caller(Caller::OUTERMOST)
        .to_string()
}

/// The kinds of the faults of a plan.
fn faults(text: &str) -> Vec<FaultKind> {
    let plan = parse::plan(text).unwrap();
    check(&plan).iter().map(|f| f.kind).collect()
}

/// The checker finds each mutant of a plan.
fn all_found(text: &str, mutants: impl IntoIterator<Item = String>) {
    for mutant in mutants {
        assert_ne!(mutant, text);
        let found = faults(&mutant).contains(&FaultKind::Distribution);
        assert!(found, "{mutant}");
    }
}

/// The text with the last occurrence of a line, which is in a part, replaced.
fn with_last(text: &str, line: &str, by: &str) -> String {
    let at = text
        .rfind(line)
        .unwrap_or_else(|| panic!("{line} is not in {text}"));
    format!("{}{by}{}", &text[..at], &text[at + line.len()..])
}

#[test]
fn the_text_of_parts_is_read_back() {
    for function in [
        SCALED, ELIMINATED, ADDED, SMOOTH, RING, SHIFTED, BENT, LENGTH,
    ] {
        let plan = proved_plan("", function).for_caller(Caller::OUTERMOST);
        assert_eq!(parse::plan(&plan.to_string()).unwrap(), plan);
    }
}

#[test]
fn the_checker_finds_parts_that_do_something_else() {
    let text = plan_text(SCALED);
    let zero = "#2 zero y_adj[i];";
    let earlier = "part {\n    #3 a_adj";
    let mutants = [
        // Left out.
        with_last(&text, zero, ""),
        // Twice.
        with_last(&text, zero, &format!("{zero} }} part {{ {zero}")),
        // Before what reads it.
        with_last(&text, zero, "").replace(earlier, &format!("part {{ {zero} }} {earlier}")),
        // Without what it reads.
        with_last(&text, "#2 let seed_2 = scale(`seed`, x[i - 1usize]);", ""),
        // Of another place.
        with_last(&text, "x_adj[i - 1usize]", "x_adj[i]"),
        // Not run where something is added.
        text.replace(
            "part {\n    #3 a_adj",
            "part nonzero sum_adj {\n    #3 a_adj",
        ),
    ];
    all_found(&text, mutants);
}

#[test]
fn the_checker_finds_places_that_no_test_keeps_apart() {
    let mutants = [
        (
            ELIMINATED,
            "apart row, of",
            vec!["", "apart row, row", "apart runs row, of"],
        ),
        (
            ADDED,
            "apart runs to * n + 2usize, from + 2usize",
            vec![
                "",
                "apart to * n + 2usize, from + 2usize",
                "apart runs to * n + 2usize, from + 3usize",
                "apart runs to + 2usize, from + 2usize",
            ],
        ),
    ];
    for (function, test, others) in mutants {
        let text = plan_text(function);
        assert_eq!(faults(&text), []);
        all_found(
            &text,
            others.into_iter().map(|other| text.replace(test, other)),
        );
    }
}

#[test]
fn the_checker_finds_products_of_seeds_that_may_be_zero() {
    let text = plan_text(
        "fn dot(x: &[f64], k: f64) -> f64 {
            let mut sum = 0.0;
            for i in 0..x.len() {
                sum += x[i] * k;
            }
            sum
        }",
    );
    assert_eq!(faults(&text), []);
    let mutant = text.replace("part nonzero sum_adj", "part");
    all_found(&text, [mutant]);
}

#[test]
fn the_checker_finds_iterations_that_depend_on_one_another() {
    for body in [
        "for i in 1..n { x[i] = k * x[i - 1] * x[i]; }",
        "for i in 0..n { x[i] = k * x[n] * x[i]; }",
        "for i in 0..n { x[0] = k * x[0]; }",
    ] {
        let text = plan_text(&format!(
            "fn f(x: &mut [f64], n: usize, k: f64) {{ {body} }}"
        ));
        let start = text.find("for i in rev").unwrap();
        let open = start + text[start..].find('{').unwrap();
        let close = open + text[open..].find('}').unwrap() + 1;
        let inside = &text[open..close];
        let mutant = format!("{} part {inside}{}", &text[..close], &text[close..]);
        assert!(
            faults(&mutant).contains(&FaultKind::Distribution),
            "{mutant}"
        );
    }
}
