//! Chains of branches, and loops that are left in several ways and say which, as lowering writes
//! `match`, early returns and labelled breaks.

use super::writer::Writer;
use crate::gen_program::build::{binary, stmt, usize};
use crate::ir::{
    BinOp, Block, Expr, IntTy, LoopHead, Mode, Origin, Place, Range, Rev, Stmt, StmtKind, Ty, VarId,
};

impl Writer<'_> {
    /// `if .. {} else if .. {} else ..`, up to five ways.
    pub(in crate::gen_program) fn chain(&mut self) -> Vec<Stmt> {
        let ways = self.rng.between(2, 4);
        let scrutinee = self.rng.chance(40).then(|| self.natural(1));
        vec![self.link(ways, scrutinee.as_ref())]
    }

    /// One branch of a chain, with the rest of it in its second arm; `scrutinee` is matched with numbers.
    fn link(&mut self, ways: usize, scrutinee: Option<&Expr>) -> Stmt {
        let condition = match scrutinee {
            Some(e) => binary(BinOp::Eq, e.clone(), usize(self.rng.below(4))),
            None => self.condition(1),
        };
        let first = self.arm(|_| Vec::new());
        let rest = match ways {
            0 | 1 => self.arm(|_| Vec::new()),
            _ => {
                let between = if self.rng.chance(80) { 0 } else { 1 };
                self.block(between, |w| vec![w.link(ways - 1, scrutinee)])
            }
        };
        stmt(StmtKind::If(condition, first, rest))
    }

    /// A loop that sets a flag before it breaks, and a dispatch on the flag behind it.
    pub(in crate::gen_program) fn loop_with_exits(&mut self) -> Vec<Stmt> {
        let (mut all, flag, exits) = self.loop_and_flag();
        if self.rng.chance(85) {
            all.push(self.dispatch(flag, 1, exits, None));
        }
        all
    }

    /// The same at the end of a loop that has the outer flag: some of the exits lead out of that, too.
    fn exits_through(&mut self, outer: VarId) -> Vec<Stmt> {
        let (mut all, flag, exits) = self.loop_and_flag();
        all.push(self.dispatch(flag, 1, exits, Some(outer)));
        all
    }

    /// The loop with its flag, and how many numbers that has.
    fn loop_and_flag(&mut self) -> (Vec<Stmt>, VarId, usize) {
        let exits = self.rng.between(1, 3);
        let small = exits == 1 && self.rng.chance(50);
        let ty = if small { Ty::Bool } else { Ty::Int(IntTy::U8) };
        let origin = if self.rng.chance(70) {
            Origin::Label
        } else {
            Origin::Local
        };
        let var = self.func.add_var("exit", ty, Mode::Owned, origin);
        let declared = stmt(StmtKind::Let(var, Some(self.way(var, 0))));
        let (counter, limited) = self.counter("c", usize(0));
        let most = self.rng.between(1, self.bounds.trips);
        let head = self.head_of_exits(counter, most);
        let forever = matches!(head, LoopHead::Forever);
        let mut body = self.block(self.bounds.statements, |w| {
            if !forever && w.nesting <= w.bounds.nesting && w.rng.chance(30) {
                return w.exits_through(var);
            }
            let last = forever.then(|| binary(BinOp::Ge, w.read(counter), usize(most)));
            vec![w.exit(var, 1, exits, last)]
        });
        body.stmts.insert(
            0,
            self.step(counter, |c| crate::gen_program::build::add(c, usize(1))),
        );
        let all = vec![declared, limited, stmt(StmtKind::Loop(head, body))];
        (all, var, exits)
    }

    fn head_of_exits(&mut self, counter: VarId, most: usize) -> LoopHead {
        match self.rng.below(3) {
            0 => LoopHead::Forever,
            1 => LoopHead::While(binary(BinOp::Lt, self.read(counter), usize(most))),
            _ => {
                let range = Range {
                    lo: usize(0),
                    hi: usize(most),
                    inclusive: false,
                    step: None,
                    rev: *self.rng.pick(&[Rev::No, Rev::BeforeStep]),
                    ty: Ty::USIZE,
                };
                LoopHead::Counted(self.index_var(Ty::USIZE), range)
            }
        }
    }

    /// `if .. { exit = k; break } else { .. }`, and so on; `last` is when the loop has to end.
    fn exit(&mut self, flag: VarId, k: usize, exits: usize, last: Option<Expr>) -> Stmt {
        let condition = self.condition(1);
        // Two exits may go to the same place.
        let number = if k > 1 && self.rng.chance(20) {
            k - 1
        } else {
            k
        };
        let set = stmt(StmtKind::Assign(self.whole(flag), self.way(flag, number)));
        let leaves = self.arm(|_| vec![set, stmt(StmtKind::Break)]);
        let other = if k < exits {
            self.arm(|w| vec![w.exit(flag, k + 1, exits, last)])
        } else {
            match last {
                Some(done) => {
                    let end = self.arm(|_| vec![stmt(StmtKind::Break)]);
                    self.arm(|_| vec![stmt(StmtKind::If(done, end, Block::default()))])
                }
                None => self.arm(|_| Vec::new()),
            }
        };
        stmt(StmtKind::If(condition, leaves, other))
    }

    /// `if exit == 1 {} else if exit == 2 {} else {}`; where there is an outer loop with this flag, some arms
    /// leave that.
    fn dispatch(&mut self, flag: VarId, k: usize, exits: usize, outer: Option<VarId>) -> Stmt {
        let place: Place = self.whole(flag);
        let condition = match place.ty {
            Ty::Bool => Expr::Read(place),
            _ => binary(BinOp::Eq, Expr::Read(place), self.way(flag, k)),
        };
        let first = self.arm(|w| match outer.filter(|_| w.rng.chance(65)) {
            Some(outer) => {
                let set = StmtKind::Assign(w.whole(outer), w.way(outer, 1));
                vec![stmt(set), stmt(StmtKind::Break)]
            }
            None => Vec::new(),
        });
        let rest = match k < exits {
            true => self.arm(|w| vec![w.dispatch(flag, k + 1, exits, outer)]),
            false => self.arm(|_| Vec::new()),
        };
        stmt(StmtKind::If(condition, first, rest))
    }

    /// The value of a flag for the exit of this number.
    fn way(&self, flag: VarId, number: usize) -> Expr {
        let ty = self.func.var(flag).ty.clone();
        let text = match ty {
            Ty::Bool => (number > 0).to_string(),
            _ => number.to_string(),
        };
        Expr::Lit(text, ty)
    }
}
