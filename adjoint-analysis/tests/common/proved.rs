//! Plans that the checker takes.

use adjoint_analysis::compile::analyse;
use adjoint_analysis::options::Options;
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::check;

/// The plan of a function with these arguments of the attribute, which the checker takes for each caller.
///
/// # Panics
///
/// If the function is refused, or the checker finds a fault.
pub fn proved_plan(args: &str, function: &str) -> Plan {
    let options = Options::parse(args.parse().expect("tokens")).expect("arguments");
    let function = syn::parse_str(function).expect("a function");
    let plan = analyse(&function, &options).expect("no refusal").plan;
    for caller in plan.extremes() {
        assert_eq!(check(&plan.for_caller(caller)), [], "{plan}");
    }
    plan
}
