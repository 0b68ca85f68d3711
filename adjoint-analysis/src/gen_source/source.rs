//! A source: the kernel with all that it needs, and calls of it.

use std::fmt::Write;

use super::Family;

/// What a seed draws.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The seed.
    pub seed: u64,
    /// What it is made of, mostly.
    pub family: Family,
    /// The annotated items.
    pub items: String,
    /// How values of its types are taken for lists of scalars: items of the driver.
    pub shapes: String,
    /// Calls of the kernel, as `check!` takes them.
    pub calls: Vec<String>,
}

/// What the compiler has to say about drawn code is not asked for.
const ALLOWED: &str = "#![allow(warnings, clippy::all)]\n";

impl Source {
    /// The module without the attribute, as a person had it before.
    pub fn plain(&self) -> String {
        let lines = self.items.lines();
        let kept = lines.filter(|l| !l.trim_start().starts_with("#[adjoint"));
        let kept: Vec<String> = kept.map(|l| l.replace(", Differentiable", "")).collect();
        format!("{ALLOWED}use num_traits::Float;\n{}\n", kept.join("\n"))
    }

    /// The module with the attribute, and a function that judges it.
    pub fn judged(&self) -> String {
        let mut text = format!(
            "{ALLOWED}use adjoint::{{Differentiable, adjoint}};\nuse num_traits::Float;\n\
             use crate::common::{{check, flat}};\n\n{}\n{}\n\
             pub fn judge(report: &crate::common::Report) {{\n",
            self.items, self.shapes
        );
        for call in &self.calls {
            let _ = writeln!(text, "    report.case(|| check!({call}));");
        }
        text.push_str("}\n");
        text
    }
}
