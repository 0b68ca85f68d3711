//! Loops that set elements of a list one after another, as scratch arrays are filled.

use super::writer::{Below, Span, Writer, is_list};
use crate::gen_program::build::{add, stmt, sub, usize as natural};
use crate::ir::{Block, Expr, LoopHead, Range, Rev, Stmt, StmtKind, Ty};

impl Writer<'_> {
    /// `for i in lo..len - above { list[i + shift] = value }`, from either end, perhaps below a condition or beside
    /// another statement.
    pub(in crate::gen_program) fn sweep(&mut self) -> Option<Vec<Stmt>> {
        let list = self.some_written(|k| is_list(&k.ty) && k.min_len > 0)?;
        let whole = self.whole(list.var);
        let (lo, above) = (self.rng.below(2), self.rng.below(list.min_len.min(3)));
        let len = match self.rng.chance(70) {
            true => Expr::Len(whole.clone()),
            false => natural(list.min_len),
        };
        let index = self.index_var(Ty::USIZE);
        let range = Range {
            lo: natural(lo),
            hi: if above == 0 {
                len
            } else {
                sub(len, natural(above))
            },
            inclusive: false,
            step: self.rng.chance(10).then(|| natural(2)),
            rev: if self.rng.chance(25) {
                Rev::BeforeStep
            } else {
                Rev::No
            },
            ty: Ty::USIZE,
        };
        let i = self.read(index);
        let at = match self.rng.below(4) {
            0 if lo > 0 => sub(i, natural(1)),
            1 if above > 0 => add(i, natural(above)),
            _ => i,
        };
        let outer = self.scope.len();
        self.know(index, false).span = Some(Span {
            lo,
            below: Below::Length(list.var, above),
        });
        let others = usize::from(self.rng.chance(30));
        let body = self.block(others, |w| {
            let value = w.value();
            let set = stmt(StmtKind::Assign(whole.index(at, Ty::F64), value));
            match w.rng.chance(15) {
                true => {
                    let (condition, yes) = (w.condition(1), Block::new(vec![set]));
                    vec![stmt(StmtKind::If(condition, yes, Block::default()))]
                }
                false => vec![set],
            }
        });
        self.scope.truncate(outer);
        let head = LoopHead::Counted(index, range);
        Some(vec![stmt(StmtKind::Loop(head, body))])
    }
}
