//! The independent plan checker.
