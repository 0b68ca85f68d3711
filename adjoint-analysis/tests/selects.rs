//! Branches of distributed loops that are masks in generated code, and products that are.

use adjoint_analysis::expand::expand;

fn code(function: &str) -> String {
    let code = expand(Default::default(), function.parse().unwrap());
    code.to_string()
}

fn has_masks(function: &str) -> bool {
    code(function).contains("select_unpredictable")
}

/// A loop over neighbours, with a branch that gives `d` a value.
fn upwind(branch: &str) -> String {
    format!(
        "fn upwind(u: &[f64], a: &[f64], at: &[usize], out: &mut [f64]) {{
            for i in 1..u.len() - 1 {{
                let mut d = u[i] - u[i - 1];
                {branch}
                out[i] = a[i] * d;
            }}
        }}"
    )
}

#[test]
fn arms_that_only_choose_are_masks() {
    assert!(has_masks(&upwind("if a[i] < 0.0 { d = u[i + 1] - u[i]; }")));
    let nested = "if a[i] < 0.0 { d = u[i + 1] - u[i]; } else if a[i] == 0.0 { d = 0.5 * d; }";
    assert!(has_masks(&upwind(nested)));
}

#[test]
fn without_branches_there_are_none() {
    assert!(!has_masks(&upwind("")));
}

/// The first branch is a mask; the reversed arm of the second one evaluates a function, that of the third one adds to an
/// element that may not exist.
#[test]
fn arms_that_may_panic_or_cost_more_than_a_jump_are_none() {
    for (arm, is_mask) in [
        ("2.0 * x[i]", true),
        ("x[i].sin()", false),
        ("x[at[i]]", false),
    ] {
        let function = format!(
            "fn chosen(x: &[f64], a: &[f64], at: &[usize], out: &mut [f64]) {{
                for i in 0..x.len() {{
                    let v = x[i];
                    out[i] = if a[i] < 0.0 {{ {arm} }} else {{ v }};
                }}
            }}"
        );
        assert_eq!(has_masks(&function), is_mask, "{arm}");
    }
}

#[test]
fn products_of_seeds_are_masks_where_iterations_are_apart() {
    let stencil = "fn stencil(u: &[f64], a: &[f64], out: &mut [f64]) {
        for i in 1..u.len() - 1 {
            out[i] = a[i] * (u[i + 1] - u[i - 1]);
        }
    }";
    assert!(code(stencil).contains("masked :: < f64 >"));
    let recurrence = "fn recurrence(a: &[f64], u: &mut [f64]) {
        for i in 1..u.len() {
            u[i] = a[i] * u[i - 1];
        }
    }";
    assert!(!code(recurrence).contains("masked"));
}
