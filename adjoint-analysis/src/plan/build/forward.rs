//! The forward sweep: the primal, with the records that the reverse sweep asked for.

use super::{Build, RecordPurpose};
use crate::ir::{BinOp, Block, Expr, LoopHead, Stmt, StmtId, StmtKind, Ty};

impl Build {
    pub(super) fn forward_function(&mut self, body: &Block) -> Block {
        let mut block = self.forward_block(body, &[]);
        if let Some(record) = self
            .func
            .ret
            .and_then(|r| self.keys.get(&RecordPurpose::Last(r)).copied())
        {
            let (id, ret) = (self.records[record.index()].of, self.func.ret);
            let place = ret.map(|r| self.func.place(r));
            block.stmts.extend(place.map(|p| Stmt {
                id,
                kind: StmtKind::Record(record, p),
            }));
        }
        block
    }

    /// The block with its records. `leaving` are the additional records before a `break`: those at the ends of the
    /// enclosing blocks.
    pub(super) fn forward_block(&mut self, block: &Block, leaving: &[Stmt]) -> Block {
        let mut end = self.last_values(block);
        let mut beyond = end.clone();
        beyond.extend(leaving.iter().cloned());
        let mut out = Vec::new();
        for stmt in &block.stmts {
            if matches!(stmt.kind, StmtKind::Break) {
                out.append(&mut beyond);
                out.push(stmt.clone());
                return Block::new(out);
            }
            self.forward_stmt(stmt, &beyond, &mut out);
        }
        out.append(&mut end);
        Block::new(out)
    }

    /// The records of a block's locals at the end of their scope.
    fn last_values(&self, block: &Block) -> Vec<Stmt> {
        let declared = block
            .stmts
            .iter()
            .filter_map(|s| s.declared().map(|v| (s.id, v)));
        declared
            .filter_map(|(id, v)| {
                let place = self.func.place(v);
                let record = |purpose| self.keys.get(&purpose).copied();
                let kind = match record(RecordPurpose::Last(v)) {
                    Some(record) => StmtKind::Record(record, place),
                    None => {
                        let record = record(RecordPurpose::Length(v))?;
                        StmtKind::RecordControl(record, Expr::Len(place))
                    }
                };
                Some(Stmt { id, kind })
            })
            .collect()
    }

    fn forward_stmt(&mut self, stmt: &Stmt, beyond: &[Stmt], out: &mut Vec<Stmt>) {
        let id = stmt.id;
        self.record_saved(id, out);
        match &stmt.kind {
            StmtKind::If(test, then, els) => {
                let way = self.keys.get(&RecordPurpose::Way(id)).copied();
                let mut arm = |b: &Block, taken: &str| {
                    let flag = Expr::Lit(taken.into(), Ty::Bool);
                    let end: Vec<Stmt> = way
                        .map(|r| Stmt {
                            id,
                            kind: StmtKind::RecordControl(r, flag),
                        })
                        .into_iter()
                        .collect();
                    let mut leaving = end.clone();
                    leaving.extend(beyond.iter().cloned());
                    let mut block = self.forward_block(b, &leaving);
                    if !ends_with_break(b) {
                        block.stmts.extend(end);
                    }
                    block
                };
                let (then, els) = (arm(then, "true"), arm(els, "false"));
                out.push(Stmt {
                    id,
                    kind: StmtKind::If(test.clone(), then, els),
                });
            }
            StmtKind::Loop(head, body) => self.forward_loop(id, head, body, out),
            StmtKind::Call(call) if self.reversed_calls.contains(&id) => {
                out.push(Stmt {
                    id,
                    kind: StmtKind::Forward(call.clone()),
                });
            }
            _ => {
                for (n, place) in stmt.written().into_iter().enumerate() {
                    if let Some(record) = self.keys.get(&RecordPurpose::Overwritten(id, n)) {
                        out.push(Stmt {
                            id,
                            kind: StmtKind::Record(*record, place.clone()),
                        });
                    }
                }
                out.push(stmt.clone());
            }
        }
    }

    fn forward_loop(&mut self, id: StmtId, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        let mut body = match self.loop_states.contains_key(&id) {
            true => self.forward_checkpointed(id, body),
            false => self.forward_block(body, &[]),
        };
        let Some(record) = self.keys.get(&RecordPurpose::Count(id)).copied() else {
            out.push(Stmt {
                id,
                kind: StmtKind::Loop(head.clone(), body),
            });
            return;
        };
        let trips = self.temp("trips", Ty::USIZE);
        let count = self.func.place(trips);
        let lit = |n: &str| Expr::Lit(n.into(), Ty::USIZE);
        out.push(Stmt {
            id,
            kind: StmtKind::Let(trips, Some(lit("0"))),
        });
        let next = Expr::Binary(
            BinOp::Add,
            Box::new(Expr::Read(count.clone())),
            Box::new(lit("1")),
        );
        body.stmts.insert(
            0,
            Stmt {
                id,
                kind: StmtKind::Assign(count.clone(), next),
            },
        );
        out.push(Stmt {
            id,
            kind: StmtKind::Loop(head.clone(), body),
        });
        out.push(Stmt {
            id,
            kind: StmtKind::RecordControl(record, Expr::Read(count)),
        });
    }
}

/// Whether every path through the block ends in a `break`.
fn ends_with_break(block: &Block) -> bool {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => true,
        Some(StmtKind::If(_, a, b)) => ends_with_break(a) && ends_with_break(b),
        _ => false,
    }
}
