//! Visitors of expressions and statements; the only code that knows where operands are.

use super::{
    AdjArg, Arg, Block, Call, Expr, Func, LoopHead, Origin, Part, Place, Stmt, StmtKind, Ty, UnOp,
    VarId,
};

impl Expr {
    /// Calls `f` on this expression's direct subexpressions; indices of places included.
    pub fn each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            Expr::Lit(..) => {}
            Expr::Read(p) | Expr::Len(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => p.each_operand(f),
            Expr::Unary(_, a) | Expr::Cast(a, _) => f(a),
            Expr::Binary(_, a, b) | Expr::Scale(a, b) | Expr::Repeat(a, b, _) => {
                f(a);
                f(b);
            }
            Expr::Intrinsic(_, args)
            | Expr::Partial(_, args)
            | Expr::Discrete(_, args, _)
            | Expr::Aggregate(args, _) => args.iter().for_each(f),
            Expr::Select(parts, _) => parts.iter().for_each(f),
            Expr::Preaccumulated(value, gradient) => {
                f(value);
                gradient.iter().flatten().for_each(f);
            }
            Expr::Variant(_, fields, _) => fields.iter().for_each(|(_, e)| f(e)),
            Expr::Code(_, reads, _) => reads.iter().for_each(|p| p.each_operand(f)),
        }
    }

    /// This expression's direct subexpressions.
    pub fn children(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_child(&mut |e| all.push(e));
        all
    }

    /// Mutable access to the direct subexpressions.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Lit(..) => Vec::new(),
            Expr::Read(p) | Expr::Len(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => p.operands_mut(),
            Expr::Unary(_, a) | Expr::Cast(a, _) => vec![a],
            Expr::Binary(_, a, b) | Expr::Scale(a, b) | Expr::Repeat(a, b, _) => vec![a, b],
            Expr::Intrinsic(_, args)
            | Expr::Partial(_, args)
            | Expr::Discrete(_, args, _)
            | Expr::Aggregate(args, _) => args.iter_mut().collect(),
            Expr::Select(parts, _) => parts.iter_mut().collect(),
            Expr::Preaccumulated(value, gradient) => {
                let gradient = gradient.iter_mut().flatten();
                std::iter::once(&mut **value).chain(gradient).collect()
            }
            Expr::Variant(_, fields, _) => fields.iter_mut().map(|(_, e)| e).collect(),
            Expr::Code(_, reads, _) => reads.iter_mut().flat_map(Place::operands_mut).collect(),
        }
    }

    /// The places that the node itself names: read, measured, or passed to opaque code.
    pub fn own_places(&self) -> &[Place] {
        match self {
            Expr::Read(p) | Expr::Len(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => {
                std::slice::from_ref(p)
            }
            Expr::Code(_, reads, _) => reads,
            _ => &[],
        }
    }

    /// Whether the node is code of the user's that may have an effect: it reads a hidden state, which stands for a place of type
    /// `()`, or yields no number.
    pub fn may_have_effect(&self) -> bool {
        let reads_state = |reads: &[Place]| reads.iter().any(|p| p.ty == Ty::Unit);
        matches!(self, Expr::Code(_, reads, ty) if !ty.is_scalar() || reads_state(reads))
    }

    /// Mutable access to those places.
    pub fn own_places_mut(&mut self) -> &mut [Place] {
        match self {
            Expr::Read(p) | Expr::Len(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => {
                std::slice::from_mut(p)
            }
            Expr::Code(_, reads, _) => reads,
            _ => &mut [],
        }
    }

    /// Puts an expression in the place of a variable that is only read as a whole.
    pub fn replace_reads(&mut self, v: VarId, by: &Expr) {
        match self {
            Expr::Read(p) if p.is_whole() && p.root == v => *self = by.clone(),
            e => {
                for child in e.children_mut() {
                    child.replace_reads(v, by);
                }
            }
        }
    }

    /// Calls `f` on every node of the tree, this one first, indices of places included.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        self.each_child(&mut |child| child.walk(f));
    }

    /// The variables that a re-evaluation of the expression needs: those read, indices included, and those measured,
    /// except for arrays and slice parameters, whose lengths never change.
    pub fn needs(&self, func: &Func) -> Vec<VarId> {
        let mut vars = self.reads();
        self.walk(&mut |e| {
            if let Expr::Len(p) = e
                && !p.has_fixed_length(func)
            {
                vars.push(p.root);
            }
        });
        vars
    }

    /// The variables whose values the expression reads, indices included; a length is not a value.
    pub fn reads(&self) -> Vec<VarId> {
        let mut vars = Vec::new();
        self.walk(&mut |e| match e {
            Expr::Read(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => vars.push(p.root),
            Expr::Code(_, reads, _) => vars.extend(reads.iter().map(|p| p.root)),
            _ => {}
        });
        vars
    }
}

impl Place {
    /// Whether the length of the place's value is constant in the function.
    pub fn has_fixed_length(&self, func: &Func) -> bool {
        let var = func.var(self.root);
        matches!(self.ty, Ty::Array(..))
            || (var.origin == Origin::Param
                && matches!(var.ty, Ty::Slice(_) | Ty::Array(..))
                && (self.is_whole() || var.ty.keeps_shape()))
    }

    /// Calls `f` on the expressions in the path: indices and bounds.
    pub fn each_operand<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        for step in &self.proj {
            step.each_operand(f);
        }
    }

    /// The expressions in the path.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_operand(&mut |e| all.push(e));
        all
    }

    /// Mutable access to the expressions in the path.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        self.proj
            .iter_mut()
            .flat_map(|p| p.operands_mut())
            .collect()
    }
}

impl Arg {
    /// The place of a reference argument.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Arg::Value(_) => None,
            Arg::Shared(p) | Arg::Mut(p) => Some(p),
        }
    }

    /// Calls `f` on the expressions that the argument evaluates.
    pub fn each_operand<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            Arg::Value(e) => f(e),
            Arg::Shared(p) | Arg::Mut(p) => p.each_operand(f),
        }
    }
}

impl Call {
    /// The receiver of a method call.
    pub fn receiver(&self) -> Option<&Place> {
        let is_method = self.callee.is_method();
        self.args.first().and_then(Arg::place).filter(|_| is_method)
    }

    /// The places that the call may write through `&mut` arguments.
    pub fn written(&self) -> impl Iterator<Item = &Place> {
        self.args.iter().filter_map(|a| match a {
            Arg::Mut(p) => Some(p),
            _ => None,
        })
    }
}

impl Stmt {
    /// Calls `f` on the expressions that the statement itself evaluates (not those of blocks inside it):
    /// values, indices of destinations, bounds, conditions.
    pub fn each_operand<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            StmtKind::Let(_, Some(e)) => f(e),
            StmtKind::Assign(p, e) | StmtKind::Incr(p, e) => {
                p.each_operand(f);
                f(e);
            }
            StmtKind::Swap(a, b) => {
                a.each_operand(f);
                b.each_operand(f);
            }
            StmtKind::Insert(p, at, e) => {
                p.each_operand(f);
                at.iter().for_each(&mut *f);
                f(e);
            }
            StmtKind::Remove(_, p, at) => {
                p.each_operand(f);
                at.iter().for_each(f);
            }
            StmtKind::Call(c) | StmtKind::Forward(c) => {
                c.args.iter().for_each(|a| a.each_operand(f));
            }
            StmtKind::Reverse { call, seed, .. } => {
                call.args.iter().for_each(|a| a.each_operand(f));
                seed.iter().for_each(f);
            }
            StmtKind::Passive(_, reads) => reads.iter().for_each(|p| p.each_operand(f)),
            StmtKind::If(c, ..) => f(c),
            StmtKind::Loop(head, _) => head.each_operand(f),
            StmtKind::Zero(p) | StmtKind::Record(_, p) | StmtKind::Restore(_, p) => {
                p.each_operand(f);
            }
            StmtKind::RecordControl(_, e) => f(e),
            StmtKind::Let(_, None)
            | StmtKind::Break
            | StmtKind::RestoreControl(..)
            | StmtKind::When(..)
            | StmtKind::Take(_)
            | StmtKind::Replay(..) => {}
        }
    }

    /// The expressions that the statement itself evaluates.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_operand(&mut |e| all.push(e));
        all
    }

    /// Calls `f` on every expression that the statement itself evaluates, subexpressions included.
    pub fn walk_exprs<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        self.each_operand(&mut |e| e.walk(f));
    }

    /// Calls `f` on the operands of the statement's arithmetic operators, the target of an increment included.
    pub fn each_arithmetic_operand(&self, f: &mut dyn FnMut(&Expr)) {
        if let StmtKind::Incr(place, e) = &self.kind {
            f(&Expr::Read(place.clone()));
            f(e);
        }
        self.walk_exprs(&mut |e| match e {
            Expr::Unary(UnOp::Neg, a) => f(a),
            Expr::Binary(op, a, b) if !op.is_comparison() => {
                f(a);
                f(b);
            }
            _ => {}
        });
    }

    /// Calls `f` on the blocks inside the statement.
    pub fn each_block<'a>(&'a self, f: &mut dyn FnMut(&'a Block)) {
        match &self.kind {
            StmtKind::If(_, a, b) => {
                f(a);
                f(b);
            }
            StmtKind::Loop(head, body) => {
                f(body);
                head.parts().iter().for_each(|part| f(&part.block));
            }
            StmtKind::When(_, body) | StmtKind::Take(body) => f(body),
            StmtKind::Replay(restores, forward) => {
                f(restores);
                f(forward);
            }
            _ => {}
        }
    }

    /// The blocks inside the statement.
    pub fn blocks(&self) -> Vec<&Block> {
        let mut all = Vec::new();
        self.each_block(&mut |b| all.push(b));
        all
    }

    /// The places that the statement itself writes, except for a declared variable.
    pub fn written(&self) -> Vec<&Place> {
        match &self.kind {
            StmtKind::Assign(p, _)
            | StmtKind::Incr(p, _)
            | StmtKind::Insert(p, ..)
            | StmtKind::Remove(_, p, _)
            | StmtKind::Zero(p)
            | StmtKind::Restore(_, p) => vec![p],
            StmtKind::Swap(a, b) => vec![a, b],
            StmtKind::Call(c) | StmtKind::Forward(c) => c.written().collect(),
            _ => Vec::new(),
        }
    }

    /// The variables that the statement declares in the enclosing block, those for the increments of a reversed call too.
    pub fn all_declared(&self) -> Vec<VarId> {
        let mut all: Vec<VarId> = self.declared().into_iter().collect();
        if let StmtKind::Reverse { adjoints, .. } = &self.kind {
            all.extend(adjoints.iter().filter_map(|adjoint| match adjoint {
                AdjArg::Increment(v) => Some(*v),
                _ => None,
            }));
        }
        all
    }

    /// Whether the statement itself puts something on the tape, or takes it from there.
    pub fn uses_tape(&self) -> bool {
        matches!(
            self.kind,
            StmtKind::Record(..)
                | StmtKind::Restore(..)
                | StmtKind::RecordControl(..)
                | StmtKind::RestoreControl(..)
                | StmtKind::Forward(_)
                | StmtKind::Reverse { .. }
        )
    }

    /// The variable that the statement declares in the enclosing block.
    pub fn declared(&self) -> Option<VarId> {
        match &self.kind {
            StmtKind::Let(v, _) | StmtKind::RestoreControl(_, v) => Some(*v),
            StmtKind::Call(c) | StmtKind::Forward(c) => c.result,
            StmtKind::Remove(v, ..) => *v,
            _ => None,
        }
    }
}

impl LoopHead {
    /// The index of a counted loop, in either direction.
    pub fn index(&self) -> Option<VarId> {
        match self {
            LoopHead::Counted(v, _)
            | LoopHead::CountedWhile(v, _)
            | LoopHead::Reversed(v, _)
            | LoopHead::Distributed(v, ..)
            | LoopHead::ReversedFrom(v, ..) => Some(*v),
            LoopHead::While(_) | LoopHead::Forever | LoopHead::Times(_) => None,
        }
    }

    /// The range of a counted loop, in either direction.
    pub fn range_mut(&mut self) -> Option<&mut super::Range> {
        match self {
            LoopHead::Counted(_, range)
            | LoopHead::Reversed(_, range)
            | LoopHead::Distributed(_, range, _)
            | LoopHead::ReversedFrom(_, range, _) => Some(range),
            _ => None,
        }
    }

    /// The loops that a distributed one consists of.
    pub fn parts(&self) -> &[Part] {
        match self {
            LoopHead::Distributed(_, _, distribution) => &distribution.parts,
            _ => &[],
        }
    }

    /// Calls `f` on the expressions that the head evaluates.
    pub fn each_operand<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            LoopHead::Counted(_, r)
            | LoopHead::Reversed(_, r)
            | LoopHead::ReversedFrom(_, r, _) => {
                r.operands().into_iter().for_each(f);
            }
            LoopHead::Distributed(_, r, distribution) => {
                let tested = distribution.separations.iter().flat_map(|s| &s.indices);
                r.operands().into_iter().chain(tested).for_each(f);
            }
            LoopHead::While(c) | LoopHead::CountedWhile(_, c) => f(c),
            LoopHead::Forever | LoopHead::Times(_) => {}
        }
    }

    /// The expressions that the head evaluates.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_operand(&mut |e| all.push(e));
        all
    }
}

impl Block {
    /// Whether a `break` of the loop around follows on any path.
    pub fn always_breaks(&self) -> bool {
        self.stmts.iter().any(|s| match &s.kind {
            StmtKind::Break => true,
            StmtKind::If(_, a, b) => a.always_breaks() && b.always_breaks(),
            _ => false,
        })
    }

    /// Whether a statement may change the shape of the variable's value.
    pub fn may_resize(&self, v: VarId) -> bool {
        let mut found = false;
        self.walk(&mut |s| {
            let written = s.written().into_iter();
            let mut places = written.filter(|p| p.root == v && !p.ty.keeps_shape());
            found |= !matches!(s.kind, StmtKind::Incr(..)) && places.next().is_some();
        });
        found
    }

    /// The number of statements, those of inner blocks included.
    pub fn statements(&self) -> usize {
        let mut count = 0;
        self.walk(&mut |_| count += 1);
        count
    }

    /// Calls `f` on every statement, those of inner blocks included, in textual order.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Stmt)) {
        Stmt::walk_all(&self.stmts, f);
    }
}

impl Stmt {
    /// Calls `f` on every statement, those of inner blocks included, in textual order.
    pub fn walk_all<'a>(stmts: &'a [Stmt], f: &mut dyn FnMut(&'a Stmt)) {
        for stmt in stmts {
            f(stmt);
            stmt.each_block(&mut |block| block.walk(f));
        }
    }

    /// Calls `f` on every variable that the statement itself names, except for a declared one.
    pub fn each_named_var(&self, f: &mut dyn FnMut(VarId)) {
        self.each_own_place(&mut |p| f(p.root));
        self.each_adjoint_place(&mut |p| f(p.root));
        self.walk_exprs(&mut |e| e.own_places().iter().for_each(|p| f(p.root)));
    }

    /// How often the statements, those of inner blocks included, name the variable, other than to declare it.
    pub fn mentions(stmts: &[Stmt], v: VarId) -> usize {
        let mut count = 0;
        Stmt::walk_all(stmts, &mut |s| {
            s.each_named_var(&mut |named| count += usize::from(named == v));
        });
        count
    }

    /// Mutable access to the blocks inside the statement.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            StmtKind::If(_, a, b) => vec![a, b],
            StmtKind::Loop(LoopHead::Distributed(_, _, distribution), body) => {
                let parts = distribution.parts.iter_mut().map(|part| &mut part.block);
                std::iter::once(body).chain(parts).collect()
            }
            StmtKind::Loop(_, body) | StmtKind::When(_, body) | StmtKind::Take(body) => vec![body],
            StmtKind::Replay(restores, forward) => vec![restores, forward],
            _ => Vec::new(),
        }
    }

    /// Mutable access to the expressions of [`Stmt::operands`].
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            StmtKind::Let(_, init) => init.iter_mut().collect(),
            StmtKind::Assign(p, e) | StmtKind::Incr(p, e) => {
                let mut all = p.operands_mut();
                all.push(e);
                all
            }
            StmtKind::Swap(a, b) => {
                let mut all = a.operands_mut();
                all.extend(b.operands_mut());
                all
            }
            StmtKind::Insert(p, at, e) => {
                let mut all = p.operands_mut();
                all.extend(at);
                all.push(e);
                all
            }
            StmtKind::Remove(_, p, at) => p.operands_mut().into_iter().chain(at).collect(),
            StmtKind::Call(c) | StmtKind::Forward(c) => {
                c.args.iter_mut().flat_map(Arg::operands_mut).collect()
            }
            StmtKind::Reverse { call, seed, .. } => call
                .args
                .iter_mut()
                .flat_map(Arg::operands_mut)
                .chain(seed)
                .collect(),
            StmtKind::Passive(_, reads) => reads.iter_mut().flat_map(Place::operands_mut).collect(),
            StmtKind::If(c, ..) => vec![c],
            StmtKind::Loop(
                LoopHead::Counted(_, r)
                | LoopHead::Reversed(_, r)
                | LoopHead::ReversedFrom(_, r, _),
                _,
            ) => r.operands_mut(),
            StmtKind::Loop(LoopHead::Distributed(_, r, distribution), _) => {
                let tested = distribution
                    .separations
                    .iter_mut()
                    .flat_map(|s| &mut s.indices);
                r.operands_mut().into_iter().chain(tested).collect()
            }
            StmtKind::Loop(LoopHead::While(c) | LoopHead::CountedWhile(_, c), _) => vec![c],
            StmtKind::Zero(p) | StmtKind::Record(_, p) | StmtKind::Restore(_, p) => {
                p.operands_mut()
            }
            StmtKind::RecordControl(_, e) => vec![e],
            StmtKind::Break
            | StmtKind::RestoreControl(..)
            | StmtKind::Loop(..)
            | StmtKind::When(..)
            | StmtKind::Take(_)
            | StmtKind::Replay(..) => Vec::new(),
        }
    }

    /// Calls `f` on the places that the statement itself names: destinations, reference arguments, captures.
    pub fn each_own_place<'a>(&'a self, f: &mut dyn FnMut(&'a Place)) {
        match &self.kind {
            StmtKind::Assign(p, _)
            | StmtKind::Incr(p, _)
            | StmtKind::Insert(p, ..)
            | StmtKind::Remove(_, p, _)
            | StmtKind::Zero(p)
            | StmtKind::Record(_, p)
            | StmtKind::Restore(_, p) => f(p),
            StmtKind::Swap(a, b) => {
                f(a);
                f(b);
            }
            StmtKind::Passive(_, reads) => reads.iter().for_each(f),
            StmtKind::Call(c) | StmtKind::Forward(c) | StmtKind::Reverse { call: c, .. } => {
                c.args.iter().filter_map(Arg::place).for_each(f);
            }
            _ => {}
        }
    }

    /// The places that the statement itself names.
    pub fn own_places(&self) -> Vec<&Place> {
        let mut all = Vec::new();
        self.each_own_place(&mut |p| all.push(p));
        all
    }

    /// Mutable access to the places that the statement itself names (not those inside its expressions).
    pub fn own_places_mut(&mut self) -> Vec<&mut Place> {
        match &mut self.kind {
            StmtKind::Assign(p, _)
            | StmtKind::Incr(p, _)
            | StmtKind::Insert(p, ..)
            | StmtKind::Remove(_, p, _)
            | StmtKind::Zero(p)
            | StmtKind::Record(_, p)
            | StmtKind::Restore(_, p) => vec![p],
            StmtKind::Swap(a, b) => vec![a, b],
            StmtKind::Passive(_, reads) => reads.iter_mut().collect(),
            StmtKind::Call(c) | StmtKind::Forward(c) | StmtKind::Reverse { call: c, .. } => {
                c.args.iter_mut().filter_map(Arg::place_mut).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Arg {
    /// Mutable access to the place of a reference argument.
    pub fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Arg::Value(_) => None,
            Arg::Shared(p) | Arg::Mut(p) => Some(p),
        }
    }

    /// Mutable access to the expressions that the argument evaluates.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Arg::Value(e) => vec![e],
            Arg::Shared(p) | Arg::Mut(p) => p.operands_mut(),
        }
    }
}

impl Stmt {
    /// Calls `f` on the adjoint places that a reverse call takes.
    pub fn each_adjoint_place<'a>(&'a self, f: &mut dyn FnMut(&'a Place)) {
        let StmtKind::Reverse { adjoints, .. } = &self.kind else {
            return;
        };
        for adjoint in adjoints {
            if let AdjArg::Place(p) | AdjArg::Scratch(Some(p)) = adjoint {
                f(p);
            }
        }
    }
}
