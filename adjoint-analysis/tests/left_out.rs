//! What `wrt` and `of` leave out of an adjoint that the function has derivatives of.

use adjoint_analysis::compile::analyse;
use adjoint_analysis::options::Options;
use adjoint_analysis::passes::activity::excluded::excluded_derivatives;

/// Pairs of parameters, by their bits, and of the output that depends on them.
fn of(args: &str, function: &str) -> Vec<(u64, u64)> {
    let options = Options::parse(args.parse().unwrap()).unwrap();
    let found = analyse(&syn::parse_str(function).unwrap(), &options).unwrap();
    let lowered = &found.lowered;
    excluded_derivatives(&lowered.func, &found.boundary, lowered.spans.len())
}

const RESULT: u64 = 1;
/// The third parameter, as an output.
const OUT: u64 = 1 << 3;

#[test]
fn nothing_without_options() {
    assert_eq!(of("", "fn f(x: f64, k: f64) -> f64 { x * k }"), []);
}

#[test]
fn parameters_on_which_an_output_depends() {
    let product = "fn f(x: f64, k: f64, n: usize) -> f64 { x * k * n as f64 }";
    assert_eq!(of("wrt(x)", product), [(0b10, RESULT)]);
    assert_eq!(of("wrt(x, k)", product), []);
    let test = "fn f(x: f64, k: f64) -> f64 { if k > 0.0 { x } else { x * x } }";
    assert_eq!(of("wrt(x)", test), []);
}

#[test]
fn outputs_that_are_no_dependents() {
    let both = "fn f(x: f64, out: &mut [f64]) -> f64 { out[0] = x * x; x * 2.0 }";
    assert_eq!(of("wrt(x), of(out)", both), [(0b01, RESULT)]);
    let lent = "fn f(x: f64, k: f64, out: &mut [f64]) -> f64 { out[0] = k; x * out[1] }";
    assert_eq!(of("wrt(x), of(out)", lent), [(0b11, RESULT), (0b10, OUT)]);
}

#[test]
fn work_space_is_read_by_no_one_else() {
    let sum = "fn f(x: f64, work: &mut [f64]) -> f64 { work[0] = x * x; work[0] * work[1] }";
    assert_eq!(of("wrt(x), of(ret)", sum), [(0b01, 1 << 2)]);
    let scaled = "fn f(x: f64, out: &mut [f64]) { out[0] *= x; }";
    assert_eq!(of("wrt(x)", scaled), []);
    let noise = "fn f(x: f64, seed: &mut [f64]) -> f64 { seed[0] *= 0.5; x * seed[0] }";
    assert_eq!(of("wrt(x), of(ret)", noise), []);
}
