//! The documentation of what users call.

use adjoint_analysis::expand::expand;
use expect_test::{Expect, expect};

/// The documentation of a generated function, without the report.
fn documentation(options: &str, item: &str, name: &str) -> String {
    let [options, item] = [options, item].map(|text| text.parse().expect("tokens"));
    let file: syn::File = syn::parse2(expand(options, item)).expect("items");
    let items = file.items.into_iter().flat_map(|item| match item {
        syn::Item::Fn(f) => vec![(f.sig.ident, f.attrs)],
        syn::Item::Impl(i) => i.items.into_iter().filter_map(method).collect(),
        _ => Vec::new(),
    });
    let mut named = items.filter(|(ident, _)| ident == name);
    let (_, attributes) = named.next().expect("the function is there");
    let lines = attributes.iter().filter_map(text);
    let all = lines.collect::<Vec<_>>().join("\n");
    let plain = all.split("\n\n# Adjoint report").next();
    plain.unwrap_or_default().to_string()
}

fn method(item: syn::ImplItem) -> Option<(syn::Ident, Vec<syn::Attribute>)> {
    match item {
        syn::ImplItem::Fn(f) => Some((f.sig.ident, f.attrs)),
        _ => None,
    }
}

fn text(attribute: &syn::Attribute) -> Option<String> {
    match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

#[track_caller]
fn check(options: &str, item: &str, name: &str, expected: Expect) {
    expected.assert_eq(&documentation(options, item, name));
}

const ENERGY: &str =
    "pub fn energy(x: &[f64], k: f64) -> f64 { x.iter().map(|v| k * v * v).sum() }";

#[test]
fn of_a_pullback() {
    check(
        "pullback, wrt(x)",
        ENERGY,
        "energy_pullback",
        expect![[r#"
            What `energy` returns, and its pullback: a closure that takes the adjoints and the seed of [`energy_adjoint`](fn@energy_adjoint), in their order, and does to them what [`energy_adjoint`](fn@energy_adjoint) does.

            One forward sweep serves all calls of the closure; each runs a reverse sweep.

            # Panics

            Where `energy` does. The closure panics where `x_adj` has another length or shape than its value."#]],
    );
}

#[test]
fn of_a_pullback_with_in_out_values() {
    check(
        "pullback",
        "pub fn shift(x: f64, y: &mut f64, z: &mut [f64; 2]) { *y += x; z[0] *= x; }",
        "shift_pullback",
        expect![[r#"
            What `shift` returns, and its pullback: a closure that takes the adjoints and the seed of [`shift_adjoint`](fn@shift_adjoint), in their order, and does to them what [`shift_adjoint`](fn@shift_adjoint) does.

            One forward sweep serves all calls of the closure; each runs a reverse sweep. `y` and `z` have their exit values when this returns; the closure reads copies.

            # Panics

            Where `shift` does."#]],
    );
}

#[test]
fn of_a_function_of_one_float() {
    check(
        "",
        ENERGY,
        "energy_adjoint",
        expect![[r#"
        Adjoint of `energy`: runs it, then takes `ret_adj` back to `x_adj` and `k_adj`.

        The derivatives are added to `x_adj` and `k_adj`; start from zeros for a gradient.

        `ret_adj` is the adjoint of the returned value, 1 for its gradient.

        # Panics

        Where `energy` does, and where `x_adj` has another length or shape than its value."#]],
    );
    check(
        "",
        ENERGY,
        "energy_adjoint_with",
        expect![
            "[`energy_adjoint`](fn@energy_adjoint) on a tape that the caller keeps, so that repeated sweeps allocate once."
        ],
    );
    check(
        "",
        ENERGY,
        "energy_value_and_gradient",
        expect![[r#"
        The value of `energy`, and its gradient with respect to `x` and `k`, in this order.

        See [`energy_adjoint`](fn@energy_adjoint)."#]],
    );
    check(
        "",
        ENERGY,
        "energy_value_and_gradient_with",
        expect![
            "[`energy_value_and_gradient`](fn@energy_value_and_gradient) on a tape that the caller keeps, so that repeated sweeps allocate once."
        ],
    );
    check(
        "wrt(x)",
        ENERGY,
        "energy_value_and_gradient",
        expect![[r#"
        The value of `energy`, and its gradient with respect to `x`.

        See [`energy_adjoint`](fn@energy_adjoint)."#]],
    );
}

#[test]
fn of_in_out_parameters() {
    let step = "fn step(u: &mut [f64], p: &[f64; 2]) { for v in u { *v = *v * p[0] + p[1]; } }";
    check(
        "",
        step,
        "step_adjoint",
        expect![[r#"
        Adjoint of `step`: runs it, then takes `u_adj` back to `u_adj` and `p_adj`.

        The derivatives are added to `p_adj`; start from zeros for a gradient.

        `u_adj` holds on entry the adjoint of the value that `step` leaves in `u`; on return, the adjoint of the value that `u` had on entry.

        # Panics

        Where `step` does, and where `u_adj` has another length or shape than its value."#]],
    );
    let list = "fn list(x: f64) -> Vec<f64> { vec![x, x * x] }";
    check(
        "",
        list,
        "list_adjoint",
        expect![[r#"
        Adjoint of `list`: runs it, then takes `ret_adj` back to `x_adj`.

        The derivatives are added to `x_adj`; start from zeros for a gradient.

        `ret_adj` is the adjoint of the returned value: the weights of its floats.

        # Panics

        Where `list` does, and where `ret_adj` has another length or shape than its value."#]],
    );
}

#[test]
fn of_methods() {
    let methods = "impl Spring { fn energy(&self, x: f64) -> f64 { 0.5 * self.k * x * x } }";
    check(
        "",
        methods,
        "energy_adjoint_with",
        expect![
            "[`energy_adjoint`](Self::energy_adjoint) on a tape that the caller keeps, so that repeated sweeps allocate once."
        ],
    );
    check(
        "",
        methods,
        "energy_value_and_gradient",
        expect![[r#"
        The value of `energy`, and its gradient with respect to `self` and `x`, in this order.

        See [`energy_adjoint`](Self::energy_adjoint)."#]],
    );
}

#[test]
fn the_report_stands_below() {
    let [options, item] = ["", ENERGY].map(|text| text.parse().expect("tokens"));
    let expanded = expand(options, item).to_string();
    assert_eq!(expanded.matches("# Adjoint report").count(), 1);
}

#[test]
fn of_a_function_that_fails() {
    let root = "fn root(x: f64) -> Option<f64> { if x < 0.0 { return None; } Some(x.sqrt()) }";
    check(
        "",
        root,
        "root_adjoint",
        expect![[r#"
        Adjoint of `root`: runs it, then takes `ret_adj` back to `x_adj`.

        The derivatives are added to `x_adj`; start from zeros for a gradient.

        `ret_adj` is the adjoint of the returned value: the weights of its floats.

        Where `root` returns `Err` or `None`, the adjoints stay as they are, whatever the seed is.

        # Panics

        Where `root` does, and where `ret_adj` has another length or shape than its value."#]],
    );
}
