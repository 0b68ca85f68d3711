//! Fields, elements and lent integers that are undone by themselves.

use adjoint_analysis::ir::{StmtKind, Ty};
use adjoint_analysis::text::print;

use super::{Plan, is_accepted, is_discrete, plan, refused};

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
