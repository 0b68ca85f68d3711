//! Counts that methods give which are not visible (`let n = m.dim(); k / n as f64`).

use super::infer::Kind;
use super::{Lower, Ty};
use crate::ir::{Block, Place, Stmt, StmtKind};

impl Lower {
    /// What a method that is not visible gives, and a cast takes, is an integer unless anything else tells its type.
    /// Rustc says so if it is none.
    pub fn count_what_is_cast(&mut self, body: &mut Block) {
        let mut open: Vec<Ty> = std::mem::take(&mut self.cast);
        open = open.iter().map(|ty| self.shallow(ty)).collect();
        open.retain(|ty| matches!(ty, Ty::Infer(_)) && !self.infer.is_number(ty));
        if open.is_empty() {
            return;
        }
        let mut counts = Vec::new();
        self.demand_counts(body, &open, &mut counts);
        for ty in counts {
            let integer = self.infer.fresh(Kind::Int);
            self.unify(&ty, &integer);
        }
    }

    /// Has rustc check the results of methods that are of these types; they are added to `counts`.
    fn demand_counts(&mut self, block: &mut Block, open: &[Ty], counts: &mut Vec<Ty>) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.blocks_mut() {
                self.demand_counts(inner, open, counts);
            }
            let result = self.result_of_method(&stmt);
            let span = self.spans[stmt.id.0 as usize];
            stmts.push(stmt);
            if let Some(place) = result.filter(|p| open.contains(&self.shallow(&p.ty))) {
                let (kind, id) = (self.demand_on("counts", &place, span), self.stmt_id(span));
                stmts.push(Stmt { id, kind });
                counts.push(place.ty);
            }
        }
        block.stmts = stmts;
    }

    /// The result of a call of a method.
    fn result_of_method(&self, stmt: &Stmt) -> Option<Place> {
        match &stmt.kind {
            StmtKind::Call(call) if call.callee.is_method() => {
                let result = call.result?;
                Some(Place::var(result, self.func.var(result).ty.clone()))
            }
            _ => None,
        }
    }
}
