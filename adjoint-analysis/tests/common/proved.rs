//! Plans that the checker takes.

use adjoint_analysis::compile::analyse;
use adjoint_analysis::options::Options;
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::check_for_all;

/// The plan of a function with these arguments of the attribute, which the checker takes for each caller.
///
/// # Panics
///
/// If the function is refused, or the checker finds a fault.
pub fn proved_plan(args: &str, function: &str) -> Plan {
    let options = Options::parse(args.parse().expect("tokens")).expect("arguments");
    let function = syn::parse_str(function).expect("a function");
    let plan = analyse(&function, &options).expect("no refusal").plan;
    assert_eq!(check_for_all(&plan), [], "{plan}");
    plan
}
