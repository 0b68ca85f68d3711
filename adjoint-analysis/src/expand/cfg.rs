//! `#[cfg]` on items and within bodies.

pub(super) mod conditions;
pub(super) mod configured;
