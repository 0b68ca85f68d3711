//! Sums of integers: how two of them differ.

use crate::ir::{BinOp, Expr, VarId};

/// A sum of terms, each so many times, and a constant.
#[derive(Clone, Default)]
pub struct Sum {
    /// The terms that don't cancel out.
    pub terms: Vec<(Expr, i64)>,
    /// The constant.
    pub constant: i64,
}

impl Sum {
    /// Adds so many times an expression; some variables have the values of others. `None` if a literal is too large.
    pub fn add<'e>(
        &mut self,
        e: &'e Expr,
        times: i64,
        value: &dyn Fn(VarId) -> Option<&'e Expr>,
    ) -> Option<()> {
        match e {
            Expr::Read(p) if p.is_whole() && value(p.root).is_some() => {
                self.add(value(p.root)?, times, value)?;
            }
            Expr::Binary(BinOp::Add, a, b) => {
                self.add(a, times, value)?;
                self.add(b, times, value)?;
            }
            Expr::Binary(BinOp::Sub, a, b) => {
                self.add(a, times, value)?;
                self.add(b, times.checked_neg()?, value)?;
            }
            Expr::Lit(n, _) => {
                let n = n.parse::<i64>().ok()?.checked_mul(times)?;
                self.constant = self.constant.checked_add(n)?;
            }
            e => {
                let known = self.terms.iter().position(|(term, _)| term == e);
                match known {
                    Some(n) => self.terms[n].1 = self.terms[n].1.checked_add(times)?,
                    None => self.terms.push((e.clone(), times)),
                }
                self.terms.retain(|(_, times)| *times != 0);
            }
        }
        Some(())
    }
}
