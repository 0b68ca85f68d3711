//! Exits into tail position.
//!
//! Raw statements may leave a labelled piece of code from anywhere. The IR knows only `break` out
//! of the innermost loop, in tail position. What follows a conditional exit moves into the arm that
//! goes on, where there is one such arm; where there are several, a flag says which exit was taken,
//! and what follows is under a test of it. An exit that crosses a loop breaks it, and the flag is
//! tested behind the loop. An exit to the end of the code at hand is then nothing at all.
//!
//! The code does not grow: each statement is written once.

use std::collections::BTreeSet;

use proc_macro2::Span;

use super::raw::{LabelId, Raw};
use super::{Lower, Origin, Stmt, StmtKind, Ty};
use crate::ir::{BinOp, Block, Expr, IntTy, LoopHead, Place, StmtId};

/// Statements in which every exit is in tail position, and how they can end.
struct Tail {
    raws: Vec<Raw>,
    /// Whether the end can be reached.
    falls: bool,
    exits: BTreeSet<LabelId>,
}

impl Lower {
    /// The raw statements as a block of the IR.
    pub fn structure(&mut self, raws: Vec<Raw>) -> Block {
        let tail = self.tail(raws);
        debug_assert!(tail.exits.is_empty(), "an exit leaves the function");
        block(tail.raws)
    }

    fn tail(&mut self, raws: Vec<Raw>) -> Tail {
        let mut rest: std::collections::VecDeque<Raw> = raws.into();
        let mut done = Tail { raws: Vec::new(), falls: true, exits: BTreeSet::new() };
        while let Some(raw) = rest.pop_front() {
            let step = self.step(raw);
            let exits_here = !step.exits.is_empty();
            done.exits.extend(step.exits.iter().copied());
            done.raws.extend(step.raws);
            if !step.falls {
                done.falls = false;
                return done;
            }
            if exits_here && !rest.is_empty() {
                let after = self.tail(rest.into());
                done.falls = after.falls;
                self.append(&mut done.raws, after.raws);
                done.exits.extend(after.exits);
                return done;
            }
        }
        done
    }

    fn step(&mut self, raw: Raw) -> Tail {
        match raw {
            Raw::Stmt(_) => Tail { raws: vec![raw], falls: true, exits: BTreeSet::new() },
            Raw::Exit(label) => Tail { raws: vec![raw], falls: false, exits: [label].into() },
            Raw::If(id, test, then, els) => {
                let (then, els) = (self.tail(then), self.tail(els));
                Tail {
                    falls: then.falls || els.falls,
                    exits: then.exits.union(&els.exits).copied().collect(),
                    raws: vec![Raw::If(id, test, then.raws, els.raws)],
                }
            }
            Raw::Labeled(label, body) => {
                let mut body = self.tail(body);
                if body.exits.remove(&label) {
                    body.falls = true;
                    drop_exits(&mut body.raws, label);
                }
                body
            }
            Raw::Loop(id, head, end, body) => self.step_loop(id, head, end, body),
            Raw::Break(_) => Tail { raws: vec![raw], falls: false, exits: BTreeSet::new() },
        }
    }

    /// A loop: its exits break it; those that go further than its end are told apart behind it.
    fn step_loop(&mut self, id: StmtId, head: LoopHead, end: LabelId, body: Vec<Raw>) -> Tail {
        let span = self.spans[id.index()];
        let mut body = self.tail(body);
        let falls = body.exits.remove(&end) || !matches!(head, LoopHead::Forever);
        let far: Vec<LabelId> = body.exits.iter().copied().collect();
        let mut out = Vec::new();
        let behind = match (far.as_slice(), falls) {
            ([], _) => None,
            // Every way out of the loop is the same one.
            ([only], false) => Some(Raw::Exit(*only)),
            _ => {
                let flag = self.exit_flag();
                out.push(self.raw(span, StmtKind::Let(flag.root, Some(way(0)))));
                self.set_flag(&mut body.raws, &flag, &far, span);
                Some(self.dispatch(&flag, &far, 1, falls, span))
            }
        };
        let brk = self.stmt_id(span);
        replace_exits(&mut body.raws, &mut |_| Raw::Break(brk));
        out.push(Raw::Loop(id, head, end, body.raws));
        out.extend(behind);
        Tail { raws: out, falls, exits: body.exits }
    }

    /// Before each exit to one of the labels, sets the flag to the label's number.
    fn set_flag(&mut self, raws: &mut Vec<Raw>, flag: &Place, labels: &[LabelId], span: Span) {
        at_tails(raws, &mut |raws, label| {
            if let Some(i) = labels.iter().position(|l| *l == label) {
                let set = self.raw(span, StmtKind::Assign(flag.clone(), way(i + 1)));
                raws.insert(raws.len() - 1, set);
            }
        });
    }

    /// `if flag == 1 { exit to labels[0] } else if ..`; the last test is left out where it must hold.
    fn dispatch(&mut self, flag: &Place, labels: &[LabelId], code: usize, falls: bool, span: Span) -> Raw {
        let (first, rest) = (labels[0], &labels[1..]);
        if rest.is_empty() && !falls {
            return Raw::Exit(first);
        }
        let els = match rest.is_empty() {
            true => Vec::new(),
            false => vec![self.dispatch(flag, rest, code + 1, falls, span)],
        };
        Raw::If(self.stmt_id(span), is_way(flag, code), vec![Raw::Exit(first)], els)
    }

    /// Appends statements where control goes on: at the only such end, or under a flag.
    fn append(&mut self, raws: &mut Vec<Raw>, rest: Vec<Raw>) {
        if falling_ends(raws) == 1 {
            append_at_end(raws, rest);
            return;
        }
        let Some(last) = raws.pop() else { return };
        let Raw::If(id, ..) = &last else { return };
        let span = self.spans[id.index()];
        let mut last = vec![last];
        let mut labels = Vec::new();
        at_tails(&mut last, &mut |_, label| {
            if !labels.contains(&label) {
                labels.push(label);
            }
        });
        let flag = self.exit_flag();
        raws.push(self.raw(span, StmtKind::Let(flag.root, Some(way(0)))));
        self.set_flag(&mut last, &flag, &labels, span);
        at_tails(&mut last, &mut |raws, _| {
            raws.pop();
        });
        raws.extend(last);
        let mut chain = rest;
        for (i, label) in labels.iter().enumerate().rev() {
            let id = self.stmt_id(span);
            chain = vec![Raw::If(id, is_way(&flag, i + 1), vec![Raw::Exit(*label)], chain)];
        }
        raws.extend(chain);
    }

    fn exit_flag(&mut self) -> Place {
        self.flagged = true;
        let ty = Ty::Int(IntTy::U8);
        let var = self.new_var("exit", ty.clone(), Origin::Temp);
        Place::var(var, ty)
    }

    fn raw(&mut self, span: Span, kind: StmtKind) -> Raw {
        Raw::Stmt(Stmt { id: self.stmt_id(span), kind })
    }
}

/// A way out as a number.
fn way(code: usize) -> Expr {
    Expr::Lit(code.to_string(), Ty::Int(IntTy::U8))
}

/// Whether the flag says this way.
fn is_way(flag: &Place, code: usize) -> Expr {
    Expr::Binary(BinOp::Eq, Box::new(Expr::Read(flag.clone())), Box::new(way(code)))
}

/// At how many points control goes on behind the statements.
fn falling_ends(raws: &[Raw]) -> usize {
    match raws.last() {
        Some(Raw::If(_, _, then, els)) if has_exit(then) || has_exit(els) => {
            falling_ends(then) + falling_ends(els)
        }
        Some(Raw::Exit(_)) => 0,
        _ => 1,
    }
}

fn append_at_end(raws: &mut Vec<Raw>, rest: Vec<Raw>) {
    match raws.last_mut() {
        Some(Raw::If(_, _, then, els)) if has_exit(then) || has_exit(els) => {
            let arm = if falling_ends(then) == 1 { then } else { els };
            append_at_end(arm, rest);
        }
        _ => raws.extend(rest),
    }
}

fn has_exit(raws: &[Raw]) -> bool {
    match raws.last() {
        Some(Raw::If(_, _, then, els)) => has_exit(then) || has_exit(els),
        Some(Raw::Exit(_)) => true,
        _ => false,
    }
}

/// Calls `f` on each statement list that ends with an exit in tail position, and the exit's label.
fn at_tails(raws: &mut Vec<Raw>, f: &mut dyn FnMut(&mut Vec<Raw>, LabelId)) {
    match raws.last_mut() {
        Some(Raw::If(_, _, then, els)) => {
            at_tails(then, f);
            at_tails(els, f);
        }
        Some(Raw::Exit(label)) => {
            let label = *label;
            f(raws, label);
        }
        _ => {}
    }
}

fn replace_exits(raws: &mut Vec<Raw>, by: &mut dyn FnMut(LabelId) -> Raw) {
    at_tails(raws, &mut |raws, label| {
        raws.pop();
        raws.push(by(label));
    });
}

fn drop_exits(raws: &mut Vec<Raw>, label: LabelId) {
    at_tails(raws, &mut |raws, l| {
        if l == label {
            raws.pop();
        }
    });
}

fn block(raws: Vec<Raw>) -> Block {
    Block::new(raws.into_iter().filter_map(stmt).collect())
}

/// The statement of the IR; [`None`] for an exit to the end of the function.
fn stmt(raw: Raw) -> Option<Stmt> {
    Some(match raw {
        Raw::Stmt(s) => s,
        Raw::If(id, test, then, els) => Stmt { id, kind: StmtKind::If(test, block(then), block(els)) },
        Raw::Loop(id, head, _, body) => Stmt { id, kind: StmtKind::Loop(head, block(body)) },
        Raw::Break(id) => Stmt { id, kind: StmtKind::Break },
        Raw::Labeled(..) | Raw::Exit(_) => return None,
    })
}
