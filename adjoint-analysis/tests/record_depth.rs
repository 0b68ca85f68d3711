//! Values that are recorded in fewer loops than those that are computed from them.

#[path = "common/proved.rs"]
mod proved;

use std::collections::BTreeSet;

use adjoint_analysis::ir::StmtKind;
use adjoint_analysis::plan::RecordKind;

use proved::proved_plan;

/// The variables of which floats are recorded.
fn recorded(function: &str) -> Vec<String> {
    let plan = proved_plan("without(fusion, flattening)", function);
    let mut names = BTreeSet::new();
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Record(record, place) = &s.kind
            && matches!(&plan.record(*record).kind, RecordKind::Value(ty) if ty.carries_floats())
        {
            names.insert(plan.func.var(place.root).name.clone());
        }
    });
    names.into_iter().collect()
}

/// A loop over pairs in time steps, which differs in how `d` is computed.
fn pairs(inner: &str, difference: &str) -> String {
    format!(
        "fn f(x: &[f64], n: usize) -> f64 {{
            let mut p = x.to_vec();
            let mut sum = 0.0;
            for _ in 0..n {{
                for i in 0..x.len() {{
                    for j in {inner} {{
                        let d = {difference};
                        sum += d * d * d;
                    }}
                }}
                for i in 0..x.len() {{
                    p[i] += 0.1 * x[i];
                }}
            }}
            sum
        }}"
    )
}

#[test]
fn an_array_is_recorded_in_place_of_its_pairs() {
    let function = pairs("0..x.len()", "p[i] - p[j]");
    assert_eq!(recorded(&function), ["p"]);
    let function = pairs("0..x.len()", "p[2 * i] - p[2 * j]");
    assert_eq!(recorded(&function), ["p"]);
}

#[test]
fn what_a_short_loop_computes_is_recorded() {
    // In each step, there are three for each element.
    let function = pairs("0..3", "p[i] - p[j]");
    assert_eq!(recorded(&function), ["d"]);
}

#[test]
fn what_is_read_at_unknown_distances_is_recorded() {
    let function = pairs("0..x.len()", "p[i] - p[j * n]");
    assert_eq!(recorded(&function), ["d"]);
}

#[test]
fn an_operand_that_ends_with_the_iteration_is_not_recorded_instead() {
    let function = "fn f(x: &[f64], n: usize) -> f64 {
        let mut sum = 0.0;
        for i in 0..n {
            let mut a = 0.0;
            for j in 0..n {
                a += x[j];
                let d = a - x[i];
                sum += d * d * d;
            }
        }
        sum
    }";
    assert_eq!(recorded(function), ["d"]);
}

#[test]
fn an_array_that_ends_in_a_loop_is_not_recorded_for_a_few_elements() {
    let function = "fn f(x: &[f64], steps: usize, m: usize) -> f64 {
        let mut s = 0.0;
        for t in 0..steps {
            let mut row = vec![s; 1000];
            row[t] = x[t];
            for k in 0..m {
                let d = row[k] - x[k];
                s += d * d * d;
            }
        }
        s
    }";
    assert_eq!(recorded(function), ["d"]);
}

#[test]
fn what_is_read_by_the_elements_of_another_array_is_recorded() {
    let function = pairs("0..x.len()", "p[i] - p[x[j] as usize]");
    assert_eq!(recorded(&function), ["d"]);
}
