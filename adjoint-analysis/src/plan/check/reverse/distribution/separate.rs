//! What the tests in front of a distributed loop say of its accesses.

use super::probes::Probes;
use crate::ir::{Expr, Place, Proj, Separation};

/// The tests that hold where the parts of a loop are run.
pub struct Separate<'a> {
    pub separations: &'a [Separation],
    /// The least index of the iterations that parts run.
    pub lo: &'a Expr,
    pub probes: &'a Probes<'a>,
}

impl Separate<'_> {
    /// Whether places of one variable are disjoint in all iterations, since the first indices that differ are tested: up to
    /// there, all is the same in all iterations.
    pub fn are_disjoint(&self, a: &Place, b: &Place) -> bool {
        let steps = a.proj.iter().zip(&b.proj);
        let common = steps.take_while(|(x, y)| x == y).count();
        let (Some(Proj::Index(x)), Some(Proj::Index(y))) = (a.proj.get(common), b.proj.get(common))
        else {
            return false;
        };
        let mut around = a.proj[..common].iter().flat_map(Proj::operands);
        let is_fixed = around.all(|e| self.probes.change(e) == Some(0));
        a.root == b.root
            && is_fixed
            && self.separations.iter().any(|of| {
                let step = Some(u64::from(of.are_runs));
                let steps = [x, y].map(|e| self.probes.change(e));
                steps == [step, step] && self.is_of(of, x, y)
            })
    }

    /// Whether the test is of these indices where the loop starts.
    fn is_of(&self, separation: &Separation, x: &Expr, y: &Expr) -> bool {
        let same = |tested: &Expr, e: &Expr| self.probes.is_at_start(tested, e, self.lo);
        let [a, b] = &separation.indices;
        same(a, x) && same(b, y) || same(a, y) && same(b, x)
    }
}
