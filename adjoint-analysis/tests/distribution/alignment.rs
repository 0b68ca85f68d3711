//! Parts that add to neighbouring elements share a loop.

use crate::{LENGTH, SMOOTH, all_found, heads, plan_text, with_last};

#[test]
fn parts_that_add_to_neighbours_share_a_loop() {
    assert_eq!(
        heads(SMOOTH),
        [
            "aligned 0 ahead 2",
            "aligned 0 ahead 1",
            "aligned 0 ahead 0",
            ""
        ]
    );
    // Too few iterations are left for a shared loop of these.
    let few = SMOOTH.replace("x.len() - 1", "9");
    assert_eq!(heads(&few), heads(SMOOTH));
    let far = few.replace("x[i - 1]", "x[i + 4]");
    assert_eq!(
        heads(&far),
        ["", "aligned 1 ahead 1", "aligned 1 ahead 0", ""]
    );
    let farther = SMOOTH.replace("x[i - 1] * x[i] + x[i + 1]", "x[i] + x[i + 9]");
    assert!(heads(&farther).iter().all(|head| head.is_empty()));
    // What the parts read is read by one that writes it.
    let in_place = "fn f(x: &mut [f64], y: &[f64]) {
        for i in 0..x.len() {
            x[i] = y[i] * y[i + 1];
        }
    }";
    assert_eq!(
        heads(in_place),
        ["aligned 0 ahead 1", "aligned 0 ahead 0", ""]
    );
}

#[test]
fn the_checker_finds_parts_whose_iterations_have_an_order() {
    let text = plan_text(SMOOTH);
    let mutants = [
        // Zeroed before it is read.
        with_last(&text, "part {", "part aligned 0 ahead 0 {"),
        with_last(&text, "part {", "part aligned 0 ahead 5 {"),
        // Run for different seeds.
        text.replacen("ahead 1 {", "ahead 1 nonzero x_adj {", 1),
    ];
    all_found(&text, mutants);
    // What is given comes from another iteration.
    let text = plan_text(LENGTH);
    let mutant = text.replace("part nonzero", "part aligned 0 ahead 0 nonzero");
    all_found(&text, [mutant]);
}
