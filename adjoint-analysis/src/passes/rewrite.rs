//! Rewriting passes on the IR before the analyses.

pub mod labels;
pub mod temporaries;
