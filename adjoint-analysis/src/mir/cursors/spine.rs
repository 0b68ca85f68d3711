//! Code generation for a cursor: building its spine and putting the nodes back.

use super::Cursor;
use super::flow::{self, Action, Movement, Position, Positions};
use super::steps::{Step, hole_of, with_indices};
use crate::ir::construct::{binary, usize_lit as lit};
use crate::ir::{
    BinOp, Block, Expr, LoopHead, Origin, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;

impl Cursor<'_> {
    // Statements.

    /// The block with the cursor's moves rewritten to operations on the spine.
    pub(super) fn rewrite(&mut self, block: &Block, state: &mut Option<Positions>) -> Block {
        self.rewrite_within(block, state, &mut None)
    }

    fn rewrite_within(
        &mut self,
        block: &Block,
        state: &mut Option<Positions>,
        breaks: &mut Option<Positions>,
    ) -> Block {
        let mut out = Vec::new();
        for stmt in &block.stmts {
            match state.take() {
                Some(here) => *state = self.stmt(stmt, here, breaks, &mut out),
                None => out.push(stmt.clone()),
            }
        }
        Block::new(out)
    }

    fn stmt(
        &mut self,
        stmt: &Stmt,
        mut state: Positions,
        breaks: &mut Option<Positions>,
        out: &mut Vec<Stmt>,
    ) -> Option<Positions> {
        if let StmtKind::Loop(head, body) = &stmt.kind {
            return self.loop_(stmt, head, body, state, out);
        }
        let before = state.clone();
        let acts = self.transfer(stmt, &mut state);
        self.emit_actions(stmt.id, &acts, out);
        if let Some(moved) = self.movement(stmt) {
            self.write_move(stmt, moved, &before, out);
            return Some(state);
        }
        match &stmt.kind {
            StmtKind::If(test, then, els) => {
                let (mut yes, mut no) = (Some(state.clone()), Some(state));
                let then = self.rewrite_within(then, &mut yes, breaks);
                let els = self.rewrite_within(els, &mut no, breaks);
                let kind = StmtKind::If(test.clone(), then, els);
                out.push(Stmt { id: stmt.id, kind });
                flow::join(yes, no)
            }
            StmtKind::Break => {
                *breaks = flow::join(breaks.take(), Some(state));
                out.push(stmt.clone());
                None
            }
            _ => {
                out.push(stmt.clone());
                Some(state)
            }
        }
    }

    /// Actions before a condition precede each of its evaluations.
    fn loop_(
        &mut self,
        stmt: &Stmt,
        head: &LoopHead,
        body: &Block,
        before: Positions,
        out: &mut Vec<Stmt>,
    ) -> Option<Positions> {
        let entry = self.entry(stmt, body, before);
        let mut here = entry.clone();
        let acts = self.transfer(stmt, &mut here);
        let mut state = Some(here);
        let body_out = self.rewrite_within(body, &mut state, &mut None);
        let kind = match head {
            LoopHead::While(test) if !acts.is_empty() => {
                let (mut inner, mut leave) = (Vec::new(), Vec::new());
                self.emit_actions(stmt.id, &acts, &mut inner);
                self.push(stmt.id, StmtKind::Break, &mut leave);
                let kind = StmtKind::If(test.clone(), body_out, Block::new(leave));
                self.push(stmt.id, kind, &mut inner);
                StmtKind::Loop(LoopHead::Forever, Block::new(inner))
            }
            head => {
                self.emit_actions(stmt.id, &acts, out);
                StmtKind::Loop(head.clone(), body_out)
            }
        };
        out.push(Stmt { id: stmt.id, kind });
        self.behind_loop(head, stmt, body, entry)
    }

    fn emit_actions(&mut self, id: StmtId, acts: &[Action], out: &mut Vec<Stmt>) {
        for act in acts {
            match act {
                Action::RestoreAll => self.restore_all(id, out),
                Action::Restore(v) => self.restore_to(id, self.length_at(*v), out),
                Action::RestoreWay(v, way) => self.restore_way(id, *v, *way, out),
                Action::Refuse => self.refuse(id),
            }
        }
    }

    // Moves.

    fn write_move(
        &mut self,
        stmt: &Stmt,
        moved: Movement<'_>,
        before: &Positions,
        out: &mut Vec<Stmt>,
    ) {
        match moved {
            Movement::Declare(v) => self.set_position(stmt, v, lit(0), out),
            Movement::Copy(v, from) => {
                let at = Expr::Read(self.positions[&from].clone());
                self.set_position(stmt, v, at, out);
            }
            Movement::Step(v, from, taken) => {
                let at = Expr::Read(self.positions[&from].clone());
                let certain =
                    before.get(&from) == Some(&Position::End) || self.steps.has_alternatives();
                self.step(stmt.id, from, taken, certain, out);
                self.set_position(stmt, v, binary(BinOp::Add, at, lit(1)), out);
                return self.point_to_node(stmt, v, out);
            }
            Movement::Start(v, place) => return self.start(stmt, v, place, out),
        }
        if !self.hoisted {
            out.push(stmt.clone());
        }
    }

    /// Assigns the position of a reference; declares it along with the reference.
    fn set_position(&mut self, stmt: &Stmt, v: VarId, at: Expr, out: &mut Vec<Stmt>) {
        let place = self.positions[&v].clone();
        let kind = match stmt.declared() {
            Some(_) => StmtKind::Let(place.root, Some(at)),
            None => StmtKind::Assign(place, at),
        };
        self.push(stmt.id, kind, out);
    }

    /// Makes the reference point to its node on the spine.
    fn point_to_node(&mut self, stmt: &Stmt, v: VarId, out: &mut Vec<Stmt>) {
        if self.hoisted {
            return;
        }
        let at = Expr::Read(self.positions[&v].clone());
        let ty = self.draft.func.var(v).ty.clone();
        let to = Expr::Read(self.referent(binary(BinOp::Sub, at, lit(1)), ty));
        let kind = match &stmt.kind {
            StmtKind::Let(v, _) => StmtKind::Let(*v, Some(to)),
            StmtKind::Assign(p, _) => StmtKind::Assign(p.clone(), to),
            kind => kind.clone(),
        };
        out.push(Stmt { id: stmt.id, kind });
    }

    fn start(&mut self, stmt: &Stmt, v: VarId, place: &Place, out: &mut Vec<Stmt>) {
        let id = stmt.id;
        let again = stmt.declared() != Some(self.moving);
        let hole = hole_of(place, &self.steps);
        if !self.mutable {
            let value = match hole {
                Some(hole) => Expr::Read(hole),
                None => self.wrap_for_hole(Expr::Read(place.clone())),
            };
            if again {
                self.empty_spine(id, out);
            }
            let spine = self.vars.spine.clone();
            self.push(id, StmtKind::Insert(spine, None, value), out);
            self.push_all(id, &self.vars.behind_holes.clone(), [], out);
            return self.set_position(stmt, v, lit(0), out);
        }
        if again {
            self.restore_all(id, out);
        }
        if let Some(trunk) = &self.vars.trunk {
            let itself = self.draft.func.place(trunk.itself);
            let from = hole.unwrap_or_else(|| place.clone());
            self.push(id, StmtKind::Assign(itself, Expr::Read(from)), out);
        }
        self.set_position(stmt, v, lit(0), out);
        if !self.hoisted {
            return out.push(stmt.clone());
        }
        let trunk = self.trunk();
        self.take_out(id, trunk, lit(0), out);
    }

    /// The length of the spine if the reference is at its end.
    fn length_at(&self, v: VarId) -> Expr {
        let at = Expr::Read(self.positions[&v].clone());
        match self.hoisted {
            true => binary(BinOp::Add, at, lit(1)),
            false => at,
        }
    }

    /// Wraps a value that is in no hole like the content of one.
    fn wrap_for_hole(&self, value: Expr) -> Expr {
        let element = &self.steps.element;
        let inner = match (element, &self.steps.rest[..]) {
            (Ty::Option(inner) | Ty::Vec(inner), [_, Proj::Deref]) => {
                Expr::Aggregate(vec![value], (**inner).clone())
            }
            _ => value,
        };
        if let Ty::Vec(_) = element {
            return Expr::Aggregate(vec![inner], element.clone());
        }
        Expr::Variant("Some".into(), vec![("0".into(), inner)], element.clone())
    }

    /// Makes sure that the next node is on the spine.
    fn step(&mut self, id: StmtId, from: VarId, taken: Step, certain: bool, out: &mut Vec<Stmt>) {
        let length = self.length_at(from);
        let target = self.target(from);
        let hole = self.hole(&target, taken.way, taken.before.iter().cloned());
        let mut code = Vec::new();
        self.demand_children(id, &hole, &mut code);
        self.take_out(id, hole, length.clone(), &mut code);
        let ways: Vec<Place> = self.vars.ways.iter().cloned().collect();
        self.push_all(id, &ways, [lit(taken.way)], &mut code);
        self.push_all(id, &self.vars.before_holes.clone(), taken.before, &mut code);
        self.push_all(id, &self.vars.behind_holes.clone(), taken.behind, &mut code);
        if certain {
            return out.extend(code);
        }
        let test = binary(BinOp::Eq, self.length(), length);
        let kind = StmtKind::If(test, Block::new(code), Block::default());
        self.push(id, kind, out);
    }

    /// Emits a check that the elements of a `Vec` of children have the cursor's type, if that is not visible.
    fn demand_children(&mut self, id: StmtId, hole: &Place, out: &mut Vec<Stmt>) {
        let (Ty::Vec(node), false) = (&self.steps.element, self.steps.is_visible) else {
            return;
        };
        let Ty::Named(name) = &**node else {
            return;
        };
        let span = self.draft.spans[id.index()];
        let ty = tokens_at(name, span);
        let check = quote::quote_spanned! {span=>
            ::adjoint::__private::demand::children_of::<_, #ty>(|| __place_0)
        };
        let code = self.draft.add_code(check, vec![CaptureMode::Borrow]);
        self.push(id, StmtKind::Passive(code, vec![hole.clone()]), out);
    }

    /// Moves the content of a hole to the end of the spine, which has this length.
    fn take_out(&mut self, id: StmtId, hole: Place, length: Expr, out: &mut Vec<Stmt>) {
        let child = self.empty_temp("child", id, out);
        self.push(id, StmtKind::Swap(child.clone(), hole), out);
        let spine = self.vars.spine.clone();
        let none = self.empty_hole();
        self.push(id, StmtKind::Insert(spine, None, none), out);
        let node = self.node(length);
        self.push(id, StmtKind::Swap(node, child), out);
    }

    /// Pushes an integer on each of these sequences; 0 if the way has no index for it.
    fn push_all(
        &mut self,
        id: StmtId,
        onto: &[Place],
        integers: impl IntoIterator<Item = Expr>,
        out: &mut Vec<Stmt>,
    ) {
        let integers = integers.into_iter().chain(std::iter::repeat(lit(0)));
        for (place, integer) in onto.iter().zip(integers) {
            self.push(id, StmtKind::Insert(place.clone(), None, integer), out);
        }
    }

    // Putting back.

    /// Puts all nodes back.
    pub(super) fn restore_all(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        self.restore_to(id, lit(usize::from(self.hoisted)), out);
        if !self.hoisted {
            return;
        }
        let mut code = Vec::new();
        let up = self.pop(id, &mut code);
        let trunk = self.trunk();
        self.push(id, StmtKind::Swap(trunk, up), &mut code);
        let test = binary(BinOp::Ne, self.length(), lit(0));
        let kind = StmtKind::If(test, Block::new(code), Block::default());
        self.push(id, kind, out);
    }

    /// Puts nodes back until the spine has this length.
    fn restore_to(&mut self, id: StmtId, length: Expr, out: &mut Vec<Stmt>) {
        let mut code = Vec::new();
        let up = self.pop(id, &mut code);
        let way = self.vars.ways.clone();
        let way = way.map(|ways| self.pop_integer(id, ways, &mut code));
        for behind in self.vars.behind_holes.clone() {
            self.pop_integer(id, behind, &mut code);
        }
        let mut before = Vec::new();
        for indices in self.vars.before_holes.clone() {
            before.push(self.pop_integer(id, indices, &mut code));
        }
        let last = self.temp(id, "last", self.length(), &mut code);
        let back = |cursor: &mut Self, above: Place| {
            cursor.put_back(id, &above, &up, way.clone(), &before)
        };
        let above = self.referent(binary(BinOp::Sub, last.clone(), lit(1)), Ty::Unknown);
        let on_spine = back(self, above);
        if self.hoisted {
            code.extend(on_spine);
        } else {
            let trunk = self.trunk();
            let in_trunk = back(self, trunk);
            let test = binary(BinOp::Eq, last, lit(0));
            let kind = StmtKind::If(test, Block::new(in_trunk), Block::new(on_spine));
            self.push(id, kind, &mut code);
        }
        let test = binary(BinOp::Gt, self.length(), length);
        let kind = StmtKind::Loop(LoopHead::While(test), Block::new(code));
        self.push(id, kind, out);
    }

    /// The same, if the spine continues from the reference by this way.
    fn restore_way(&mut self, id: StmtId, v: VarId, way: usize, out: &mut Vec<Stmt>) {
        let (at, length) = (Expr::Read(self.positions[&v].clone()), self.length_at(v));
        let mut code = Vec::new();
        self.restore_to(id, length.clone(), &mut code);
        let Some(ways) = self.vars.ways.clone() else {
            return out.extend(code);
        };
        let left = Expr::Read(ways.index(at, Ty::USIZE));
        let test = binary(
            BinOp::And,
            binary(BinOp::Gt, self.length(), length),
            binary(BinOp::Eq, left, lit(way)),
        );
        let kind = StmtKind::If(test, Block::new(code), Block::default());
        self.push(id, kind, out);
    }

    /// Puts a node back into its hole.
    fn put_back(
        &mut self,
        id: StmtId,
        above: &Place,
        up: &Place,
        way: Option<Expr>,
        indices: &[Expr],
    ) -> Vec<Stmt> {
        let mut chain = Vec::new();
        for k in (0..self.steps.ways.len()).rev() {
            let mut code = Vec::new();
            let hole = self.hole(above, k, indices.iter().cloned());
            self.push(id, StmtKind::Swap(hole, up.clone()), &mut code);
            if let (Some(way), false) = (&way, chain.is_empty()) {
                let test = binary(BinOp::Eq, way.clone(), lit(k));
                let kind = StmtKind::If(test, Block::new(code), Block::new(chain));
                code = Vec::new();
                self.push(id, kind, &mut code);
            }
            chain = code;
        }
        chain
    }

    fn pop(&mut self, id: StmtId, out: &mut Vec<Stmt>) -> Place {
        let ty = self.steps.element.clone();
        let up = self.draft.new_var("up", ty, Origin::Temp);
        let spine = self.vars.spine.clone();
        self.push(id, StmtKind::Remove(Some(up), spine, None), out);
        self.draft.func.place(up)
    }

    fn pop_integer(&mut self, id: StmtId, from: Place, out: &mut Vec<Stmt>) -> Expr {
        let last = self.draft.new_var("way", Ty::USIZE, Origin::Temp);
        self.push(id, StmtKind::Remove(Some(last), from, None), out);
        Expr::Read(self.draft.func.place(last))
    }

    // Declarations and places.

    /// All the sequences that make up the spine.
    fn sequences(&self) -> Vec<Place> {
        let names = &self.vars;
        let own = std::iter::once(&names.spine).chain(&names.ways);
        let all = own.chain(&names.before_holes).chain(&names.behind_holes);
        all.cloned().collect()
    }

    /// Declares the variables of the spine.
    pub(super) fn declare_spine(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        for place in self.sequences() {
            let empty = Expr::Aggregate(Vec::new(), place.ty.clone());
            self.push(id, StmtKind::Let(place.root, Some(empty)), out);
        }
        if let Some(trunk) = self.vars.trunk.as_ref().map(|t| t.itself) {
            self.push(id, StmtKind::Let(trunk, None), out);
        }
    }

    fn empty_spine(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        for place in self.sequences() {
            let empty = Expr::Aggregate(Vec::new(), place.ty.clone());
            self.push(id, StmtKind::Assign(place, empty), out);
        }
    }

    fn empty_hole(&self) -> Expr {
        match &self.steps.element {
            Ty::Vec(_) => Expr::Aggregate(Vec::new(), self.steps.element.clone()),
            element => Expr::Variant("None".into(), Vec::new(), element.clone()),
        }
    }

    fn empty_temp(&mut self, name: &str, id: StmtId, out: &mut Vec<Stmt>) -> Place {
        let ty = self.steps.element.clone();
        let var = self.draft.new_var(name, ty, Origin::Temp);
        let none = self.empty_hole();
        self.push(id, StmtKind::Let(var, Some(none)), out);
        self.draft.func.place(var)
    }

    fn temp(&mut self, id: StmtId, name: &str, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let var = self.draft.new_var(name, Ty::USIZE, Origin::Temp);
        self.push(id, StmtKind::Let(var, Some(value)), out);
        Expr::Read(self.draft.func.place(var))
    }

    fn length(&self) -> Expr {
        Expr::Len(self.vars.spine.clone())
    }

    /// An element of the spine.
    pub(super) fn node(&self, at: Expr) -> Place {
        self.vars.spine.index(at, self.steps.element.clone())
    }

    /// The referent of a cursor at this element.
    pub(super) fn referent(&self, at: Expr, ty: Ty) -> Place {
        let mut place = self.node(at.clone());
        let indices = self.vars.behind_holes.iter();
        let indices = indices.map(|all| Expr::Read(all.index(at.clone(), Ty::USIZE)));
        place.proj.extend(with_indices(&self.steps.rest, indices));
        if !self.steps.rest.is_empty() {
            place.ty = ty;
        }
        place
    }

    fn hole(&self, of: &Place, way: usize, indices: impl Iterator<Item = Expr>) -> Place {
        let mut place = of.clone();
        place
            .proj
            .extend(with_indices(&self.steps.ways[way], indices));
        place.ty = self.steps.element.clone();
        place
    }

    fn target(&self, v: VarId) -> Place {
        let found = self.by_target.iter().find(|(_, itself)| **itself == v);
        self.draft
            .func
            .place(found.map_or(v, |(target, _)| *target))
    }

    /// The start of the walk.
    fn trunk(&self) -> Place {
        let trunk = self.vars.trunk.as_ref().map(|t| t.target);
        self.draft.func.place(trunk.unwrap_or(self.moving))
    }
}
