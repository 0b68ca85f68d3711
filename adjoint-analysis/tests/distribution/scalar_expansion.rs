//! Locals that one part computes for others.

use crate::{BENT, LENGTH, all_found, heads, plan_text};

#[test]
fn what_several_parts_need_is_computed_by_one() {
    assert_eq!(
        heads(BENT),
        [
            "",
            "gives bend_adj",
            "aligned 2 ahead 0 takes bend_adj",
            "aligned 2 ahead 1 takes bend_adj",
            ""
        ]
    );
    assert_eq!(
        heads(LENGTH),
        [
            "nonzero sum_adj gives step_adj",
            "nonzero sum_adj takes step_adj"
        ]
    );
}

#[test]
fn the_checker_finds_locals_that_no_part_gives_as_they_are() {
    let text = plan_text(BENT);
    let (before, giving) = text.split_once("gives bend_adj").unwrap();
    let without = |line: &str| format!("{before}gives bend_adj{}", giving.replacen(line, "", 1));
    let mutants = [
        text.replacen("gives bend_adj", "", 1),
        text.replacen("takes bend_adj", "", 1),
        text.replacen("gives bend_adj", "takes bend_adj", 1),
        // It is computed by another part than the one that gives it.
        text.replacen("part {", "part gives bend_adj {", 1),
        without("#1 let bend_adj;"),
        without("#2 bend_adj = scale(`seed`, a[i]);"),
        // It has its last value behind what reads it.
        text.replacen(
            "#1 x_adj[i - 1usize] += bend_adj;",
            "#1 x_adj[i - 1usize] += bend_adj; #1 zero bend_adj;",
            1,
        ),
    ];
    all_found(&text, mutants);
    // The part that gives is run for another seed than the one that takes.
    let text = plan_text(LENGTH);
    let mutant = text.replacen("nonzero sum_adj takes", "takes", 1);
    all_found(&text, [mutant]);
}
