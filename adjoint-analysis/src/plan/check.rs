//! The independent plan checker.
use super::Plan;
/// Placeholder until the checker lands.
pub fn check(_: &Plan) -> Vec<String> { Vec::new() }
