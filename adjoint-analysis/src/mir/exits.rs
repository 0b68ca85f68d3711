//! Moves exits into tail position.
//!
//! Lowered code may leave a labelled block from anywhere. The IR has only `break` out of the innermost loop, in tail
//! position. The code after a conditional exit moves into the arm that falls through, if there is one such arm. If
//! there are several, a flag says which exit was taken, and a test of it guards the code. An exit that crosses a loop
//! breaks it, and the flag is tested after the loop. An exit to the end of the current code needs nothing at all.
//!
//! A flag has a number for each exit, not only for each target. It thus also distinguishes the branches on the way to
//! the exits, and the reverse sweep needs no record for these.
//!
//! The code does not grow: each statement is emitted once.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::labeled::{LabelId, LabeledStmt};
use crate::ir::{BinOp, Block, Expr, IntTy, LoopHead, Place, StmtId};
use crate::ir::{Origin, Stmt, StmtKind, Ty};
use crate::mir::draft::Draft;

/// Statements with all exits in tail position, and the ways in which they can end.
struct Tail {
    stmts: Vec<LabeledStmt>,
    /// Whether control falls through at the end.
    falls_through: bool,
    exits: BTreeSet<LabelId>,
}

impl Draft {
    /// Converts labelled statements to a block of the IR.
    pub fn structure_exits(&mut self, raws: Vec<LabeledStmt>) -> Block {
        let tail = self.tail(raws);
        debug_assert!(tail.exits.is_empty(), "an exit leaves the function");
        block(tail.stmts)
    }

    fn tail(&mut self, raws: Vec<LabeledStmt>) -> Tail {
        let mut rest: std::collections::VecDeque<LabeledStmt> = raws.into();
        let mut done = Tail {
            stmts: Vec::new(),
            falls_through: true,
            exits: BTreeSet::new(),
        };
        while let Some(raw) = rest.pop_front() {
            let step = self.step(raw);
            let exits_here = !step.exits.is_empty();
            done.exits.extend(step.exits.iter().copied());
            done.stmts.extend(step.stmts);
            if !step.falls_through {
                done.falls_through = false;
                return done;
            }
            if exits_here && !rest.is_empty() {
                let after = self.tail(rest.into());
                done.falls_through = after.falls_through;
                self.append(&mut done.stmts, after.stmts);
                done.exits.extend(after.exits);
                return done;
            }
        }
        done
    }

    fn step(&mut self, raw: LabeledStmt) -> Tail {
        match raw {
            LabeledStmt::Stmt(_) => Tail {
                stmts: vec![raw],
                falls_through: true,
                exits: BTreeSet::new(),
            },
            LabeledStmt::Exit(label) => Tail {
                stmts: vec![raw],
                falls_through: false,
                exits: [label].into(),
            },
            LabeledStmt::If(id, test, then, els) => {
                let (then, els) = (self.tail(then), self.tail(els));
                Tail {
                    falls_through: then.falls_through || els.falls_through,
                    exits: then.exits.union(&els.exits).copied().collect(),
                    stmts: vec![LabeledStmt::If(id, test, then.stmts, els.stmts)],
                }
            }
            LabeledStmt::Labeled(label, body) => {
                let mut body = self.tail(body);
                if body.exits.remove(&label) {
                    body.falls_through = true;
                    drop_exits(&mut body.stmts, label);
                }
                body
            }
            LabeledStmt::Loop(id, head, end, body) => self.step_loop(id, head, end, body),
            LabeledStmt::Break(_) => Tail {
                stmts: vec![raw],
                falls_through: false,
                exits: BTreeSet::new(),
            },
        }
    }

    /// A loop: its exits break it; those to labels beyond its end are dispatched after it.
    fn step_loop(
        &mut self,
        id: StmtId,
        head: LoopHead,
        end: LabelId,
        body: Vec<LabeledStmt>,
    ) -> Tail {
        let span = self.spans[id.index()];
        let mut body = self.tail(body);
        let falls = body.exits.remove(&end) || !matches!(head, LoopHead::Forever);
        let far: Vec<LabelId> = body.exits.iter().copied().collect();
        let mut out = Vec::new();
        let behind = match (far.as_slice(), falls) {
            ([], _) => None,
            // All ways out of the loop are the same exit.
            ([only], false) => Some(LabeledStmt::Exit(*only)),
            _ => {
                let flag = self.exit_flag(&mut body.stmts, &far);
                out.push(self.labeled_stmt(
                    span,
                    StmtKind::Let(flag.place.root, Some(flag.flag_value(0))),
                ));
                self.set_flag(&mut body.stmts, &flag, span);
                Some(self.dispatch(&flag, &far, falls, span))
            }
        };
        let brk = self.stmt_id(span);
        replace_exits(&mut body.stmts, &mut |_| LabeledStmt::Break(brk));
        out.push(LabeledStmt::Loop(id, head, end, body.stmts));
        out.extend(behind);
        Tail {
            stmts: out,
            falls_through: falls,
            exits: body.exits,
        }
    }

    /// Before each exit to one of the flag's labels, sets the flag to the number of the exit.
    fn set_flag(&mut self, raws: &mut Vec<LabeledStmt>, flag: &ExitFlag, span: Span) {
        let mut number = 0;
        for_each_exit(raws, &mut |raws, label| {
            if flag.exits.contains_key(&label) {
                number += 1;
                let kind = StmtKind::Assign(flag.place.clone(), flag.flag_value(number));
                let set = self.labeled_stmt(span, kind);
                raws.insert(raws.len() - 1, set);
            }
        });
    }

    /// `if flag == 1 { exit to labels[0] } else if ..`; the last test is left out where it must hold.
    fn dispatch(
        &mut self,
        flag: &ExitFlag,
        labels: &[LabelId],
        falls: bool,
        span: Span,
    ) -> LabeledStmt {
        let (first, rest) = (labels[0], &labels[1..]);
        if rest.is_empty() && !falls {
            return LabeledStmt::Exit(first);
        }
        let els = match rest.is_empty() {
            true => Vec::new(),
            false => vec![self.dispatch(flag, rest, falls, span)],
        };
        let exit = vec![LabeledStmt::Exit(first)];
        LabeledStmt::If(self.stmt_id(span), flag.is_exit_to(first), exit, els)
    }

    /// Appends statements where control falls through: at the only such end, or under a test of a flag.
    fn append(&mut self, raws: &mut Vec<LabeledStmt>, rest: Vec<LabeledStmt>) {
        if fallthrough_ends(raws) == 1 {
            append_at_end(raws, rest);
            return;
        }
        let Some(last) = raws.pop() else { return };
        let LabeledStmt::If(id, ..) = &last else {
            return;
        };
        let span = self.spans[id.index()];
        let mut last = vec![last];
        let mut labels = Vec::new();
        for_each_exit(&mut last, &mut |_, label| {
            if !labels.contains(&label) {
                labels.push(label);
            }
        });
        let flag = self.exit_flag(&mut last, &labels);
        raws.push(self.labeled_stmt(
            span,
            StmtKind::Let(flag.place.root, Some(flag.flag_value(0))),
        ));
        self.set_flag(&mut last, &flag, span);
        for_each_exit(&mut last, &mut |raws, _| {
            raws.pop();
        });
        raws.extend(last);
        let mut chain = rest;
        for label in labels.iter().rev() {
            let id = self.stmt_id(span);
            let exit = vec![LabeledStmt::Exit(*label)];
            chain = vec![LabeledStmt::If(id, flag.is_exit_to(*label), exit, chain)];
        }
        raws.extend(chain);
    }

    /// A flag for the exits to these labels.
    fn exit_flag(&mut self, raws: &mut Vec<LabeledStmt>, labels: &[LabelId]) -> ExitFlag {
        self.has_exit_flags = true;
        let mut exits: BTreeMap<LabelId, Vec<usize>> = BTreeMap::new();
        let mut count = 0;
        for_each_exit(raws, &mut |_, label| {
            if labels.contains(&label) {
                count += 1;
                exits.entry(label).or_default().push(count);
            }
        });
        let ty = match count {
            1 => Ty::Bool,
            2..256 => Ty::Int(IntTy::U8),
            _ => Ty::Int(IntTy::U32),
        };
        let var = self.new_var("exit", ty.clone(), Origin::Label);
        let place = Place::var(var, ty);
        ExitFlag { place, exits }
    }

    fn labeled_stmt(&mut self, span: Span, kind: StmtKind) -> LabeledStmt {
        LabeledStmt::Stmt(Stmt {
            id: self.stmt_id(span),
            kind,
        })
    }
}

/// A variable that says which exit was taken; 0, or `false`, if none was.
struct ExitFlag {
    place: Place,
    /// The numbers of the exits to each label, from 1, in source order.
    exits: BTreeMap<LabelId, Vec<usize>>,
}

impl ExitFlag {
    /// The flag's value for the exit of this number.
    fn flag_value(&self, number: usize) -> Expr {
        match self.place.ty {
            Ty::Bool => Expr::Lit((number > 0).to_string(), Ty::Bool),
            _ => Expr::Lit(number.to_string(), self.place.ty.clone()),
        }
    }

    /// The test that the exit taken is one to this label.
    fn is_exit_to(&self, label: LabelId) -> Expr {
        let flag = Expr::Read(self.place.clone());
        if self.place.ty == Ty::Bool {
            return flag;
        }
        let numbers = self.exits.get(&label).into_iter().flatten();
        let is = |n: &usize| {
            Expr::Binary(
                BinOp::Eq,
                Box::new(flag.clone()),
                Box::new(self.flag_value(*n)),
            )
        };
        let tests = numbers.map(is);
        let any = tests.reduce(|a, b| Expr::Binary(BinOp::Or, Box::new(a), Box::new(b)));
        any.unwrap_or(Expr::Lit("false".into(), Ty::Bool))
    }
}

/// The number of ends at which control falls through.
fn fallthrough_ends(raws: &[LabeledStmt]) -> usize {
    match raws.last() {
        Some(LabeledStmt::If(_, _, then, els)) if has_exit(then) || has_exit(els) => {
            fallthrough_ends(then) + fallthrough_ends(els)
        }
        Some(LabeledStmt::Exit(_)) => 0,
        _ => 1,
    }
}

fn append_at_end(raws: &mut Vec<LabeledStmt>, rest: Vec<LabeledStmt>) {
    match raws.last_mut() {
        Some(LabeledStmt::If(_, _, then, els)) if has_exit(then) || has_exit(els) => {
            let arm = if fallthrough_ends(then) == 1 {
                then
            } else {
                els
            };
            append_at_end(arm, rest);
        }
        _ => raws.extend(rest),
    }
}

fn has_exit(raws: &[LabeledStmt]) -> bool {
    match raws.last() {
        Some(LabeledStmt::If(_, _, then, els)) => has_exit(then) || has_exit(els),
        Some(LabeledStmt::Exit(_)) => true,
        _ => false,
    }
}

/// Calls `f` on each statement list that ends with an exit in tail position, and the exit's label.
fn for_each_exit(raws: &mut Vec<LabeledStmt>, f: &mut dyn FnMut(&mut Vec<LabeledStmt>, LabelId)) {
    match raws.last_mut() {
        Some(LabeledStmt::If(_, _, then, els)) => {
            for_each_exit(then, f);
            for_each_exit(els, f);
        }
        Some(LabeledStmt::Exit(label)) => {
            let label = *label;
            f(raws, label);
        }
        _ => {}
    }
}

fn replace_exits(raws: &mut Vec<LabeledStmt>, by: &mut dyn FnMut(LabelId) -> LabeledStmt) {
    for_each_exit(raws, &mut |raws, label| {
        raws.pop();
        raws.push(by(label));
    });
}

fn drop_exits(raws: &mut Vec<LabeledStmt>, label: LabelId) {
    for_each_exit(raws, &mut |raws, l| {
        if l == label {
            raws.pop();
        }
    });
}

fn block(raws: Vec<LabeledStmt>) -> Block {
    Block::new(raws.into_iter().filter_map(stmt).collect())
}

/// The statement of the IR; [`None`] for an exit to the end of the function.
fn stmt(raw: LabeledStmt) -> Option<Stmt> {
    Some(match raw {
        LabeledStmt::Stmt(s) => s,
        LabeledStmt::If(id, test, then, els) => Stmt {
            id,
            kind: StmtKind::If(test, block(then), block(els)),
        },
        LabeledStmt::Loop(id, head, _, body) => Stmt {
            id,
            kind: StmtKind::Loop(head, block(body)),
        },
        LabeledStmt::Break(id) => Stmt {
            id,
            kind: StmtKind::Break,
        },
        LabeledStmt::Labeled(..) | LabeledStmt::Exit(_) => return None,
    })
}
