//! The statements that write each variable, indexed for repeated queries.

use crate::ir::{Block, Func, Stmt, VarId};

/// Where each variable is written.
pub struct Writes {
    /// For each variable, the numbers of the statements that write it, ascending; statements are numbered in program
    /// order.
    by_var: Vec<Vec<u32>>,
    /// For each statement, its number and the first number after it and its blocks.
    spans: Vec<(u32, u32)>,
}

impl Writes {
    /// The writes of a function.
    pub fn of(func: &Func) -> Writes {
        let mut writes = Writes {
            by_var: vec![Vec::new(); func.vars.len()],
            spans: Vec::new(),
        };
        writes.number(&func.body, &mut 0);
        writes
    }

    fn number(&mut self, block: &Block, next: &mut u32) {
        for stmt in &block.stmts {
            let own = *next;
            *next += 1;
            for place in stmt.written() {
                self.by_var[place.root.index()].push(own);
            }
            for inner in stmt.blocks() {
                self.number(inner, next);
            }
            let at = stmt.id.index();
            if self.spans.len() <= at {
                self.spans.resize(at + 1, (0, 0));
            }
            self.spans[at] = (own, *next);
        }
    }

    /// Whether any of these neighbours, inner blocks included, may write the variable.
    pub fn within(&self, stmts: &[Stmt], v: VarId) -> bool {
        let (Some(first), Some(last)) = (stmts.first(), stmts.last()) else {
            return false;
        };
        let (start, end) = (
            self.spans[first.id.index()].0,
            self.spans[last.id.index()].1,
        );
        let writes = &self.by_var[v.index()];
        let next = writes.partition_point(|n| *n < start);
        writes.get(next).is_some_and(|n| *n < end)
    }
}
