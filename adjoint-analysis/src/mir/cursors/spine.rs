//! Code generation for a cursor: building its spine and putting the nodes back.

use super::Cursor;
use super::flow::{self, Act, Moved, Stand, State};
use super::steps::{Taken, hole_of, with_indices};
use crate::ir::construct::{binary, usize_lit as lit};
use crate::ir::{
    BinOp, Block, Expr, LoopHead, Origin, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::mir::code::By;
use crate::mir::code::tokens_at;

impl Cursor<'_> {
    // Statements.

    /// The block with the cursor's moves rewritten to operations on the spine.
    pub(super) fn written(&mut self, block: &Block, state: &mut Option<State>) -> Block {
        self.written_within(block, state, &mut None)
    }

    fn written_within(
        &mut self,
        block: &Block,
        state: &mut Option<State>,
        breaks: &mut Option<State>,
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
        mut state: State,
        breaks: &mut Option<State>,
        out: &mut Vec<Stmt>,
    ) -> Option<State> {
        if let StmtKind::Loop(head, body) = &stmt.kind {
            return self.loop_(stmt, head, body, state, out);
        }
        let before = state.clone();
        let acts = self.transfer(stmt, &mut state);
        self.act(stmt.id, &acts, out);
        if let Some(moved) = self.moved(stmt) {
            self.write_move(stmt, moved, &before, out);
            return Some(state);
        }
        match &stmt.kind {
            StmtKind::If(test, then, els) => {
                let (mut yes, mut no) = (Some(state.clone()), Some(state));
                let then = self.written_within(then, &mut yes, breaks);
                let els = self.written_within(els, &mut no, breaks);
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
        before: State,
        out: &mut Vec<Stmt>,
    ) -> Option<State> {
        let entry = self.entry(stmt, body, before);
        let mut here = entry.clone();
        let acts = self.transfer(stmt, &mut here);
        let mut state = Some(here);
        let body_out = self.written_within(body, &mut state, &mut None);
        let kind = match head {
            LoopHead::While(test) if !acts.is_empty() => {
                let (mut inner, mut leave) = (Vec::new(), Vec::new());
                self.act(stmt.id, &acts, &mut inner);
                self.push(stmt.id, StmtKind::Break, &mut leave);
                let kind = StmtKind::If(test.clone(), body_out, Block::new(leave));
                self.push(stmt.id, kind, &mut inner);
                StmtKind::Loop(LoopHead::Forever, Block::new(inner))
            }
            head => {
                self.act(stmt.id, &acts, out);
                StmtKind::Loop(head.clone(), body_out)
            }
        };
        out.push(Stmt { id: stmt.id, kind });
        self.behind_loop(head, stmt, body, entry)
    }

    fn act(&mut self, id: StmtId, acts: &[Act], out: &mut Vec<Stmt>) {
        for act in acts {
            match act {
                Act::Attach => self.attach(id, out),
                Act::Lift(v) => self.lift(id, self.length_at(*v), out),
                Act::LiftFrom(v, way) => self.lift_from(id, *v, *way, out),
                Act::Refuse => self.refuse(id),
            }
        }
    }

    // Moves.

    fn write_move(&mut self, stmt: &Stmt, moved: Moved<'_>, before: &State, out: &mut Vec<Stmt>) {
        match moved {
            Moved::Nowhere(v) => self.stand(stmt, v, lit(0), out),
            Moved::Copy(v, from) => {
                let at = Expr::Read(self.at[&from].clone());
                self.stand(stmt, v, at, out);
            }
            Moved::Step(v, from, taken) => {
                let at = Expr::Read(self.at[&from].clone());
                let certain = before.get(&from) == Some(&Stand::End) || self.steps.several();
                self.step(stmt.id, from, taken, certain, out);
                self.stand(stmt, v, binary(BinOp::Add, at, lit(1)), out);
                return self.point(stmt, v, out);
            }
            Moved::Start(v, place) => return self.start(stmt, v, place, out),
        }
        if !self.hoisted {
            out.push(stmt.clone());
        }
    }

    /// Assigns the position of a reference; declares it along with the reference.
    fn stand(&mut self, stmt: &Stmt, v: VarId, at: Expr, out: &mut Vec<Stmt>) {
        let place = self.at[&v].clone();
        let kind = match stmt.declared() {
            Some(_) => StmtKind::Let(place.root, Some(at)),
            None => StmtKind::Assign(place, at),
        };
        self.push(stmt.id, kind, out);
    }

    /// Makes the reference point to its node on the spine.
    fn point(&mut self, stmt: &Stmt, v: VarId, out: &mut Vec<Stmt>) {
        if self.hoisted {
            return;
        }
        let at = Expr::Read(self.at[&v].clone());
        let ty = self.draft.func.var(v).ty.clone();
        let to = Expr::Read(self.standing(binary(BinOp::Sub, at, lit(1)), ty));
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
                None => self.boxed(Expr::Read(place.clone())),
            };
            if again {
                self.empty_spine(id, out);
            }
            let spine = self.names.spine.clone();
            self.push(id, StmtKind::Insert(spine, None, value), out);
            self.push_all(id, &self.names.behind.clone(), [], out);
            return self.stand(stmt, v, lit(0), out);
        }
        if again {
            self.attach(id, out);
        }
        if let Some(trunk) = &self.names.trunk {
            let itself = self.draft.func.place(trunk.itself);
            let from = hole.unwrap_or_else(|| place.clone());
            self.push(id, StmtKind::Assign(itself, Expr::Read(from)), out);
        }
        self.stand(stmt, v, lit(0), out);
        if !self.hoisted {
            return out.push(stmt.clone());
        }
        let trunk = self.trunk();
        self.take_out(id, trunk, lit(0), out);
    }

    /// The length of the spine if the reference is at its end.
    fn length_at(&self, v: VarId) -> Expr {
        let at = Expr::Read(self.at[&v].clone());
        match self.hoisted {
            true => binary(BinOp::Add, at, lit(1)),
            false => at,
        }
    }

    /// Wraps a value that is in no hole like the content of one.
    fn boxed(&self, value: Expr) -> Expr {
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
    fn step(&mut self, id: StmtId, from: VarId, taken: Taken, certain: bool, out: &mut Vec<Stmt>) {
        let length = self.length_at(from);
        let target = self.target(from);
        let hole = self.hole(&target, taken.way, taken.before.iter().cloned());
        let mut code = Vec::new();
        self.demand_children(id, &hole, &mut code);
        self.take_out(id, hole, length.clone(), &mut code);
        let ways: Vec<Place> = self.names.ways.iter().cloned().collect();
        self.push_all(id, &ways, [lit(taken.way)], &mut code);
        self.push_all(id, &self.names.before.clone(), taken.before, &mut code);
        self.push_all(id, &self.names.behind.clone(), taken.behind, &mut code);
        if certain {
            return out.extend(code);
        }
        let test = binary(BinOp::Eq, self.length(), length);
        let kind = StmtKind::If(test, Block::new(code), Block::default());
        self.push(id, kind, out);
    }

    /// Emits a check that the elements of a `Vec` of children have the cursor's type, if that is not visible.
    fn demand_children(&mut self, id: StmtId, hole: &Place, out: &mut Vec<Stmt>) {
        let (Ty::Vec(node), false) = (&self.steps.element, self.steps.seen) else {
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
        let code = self.draft.add_code(check, vec![By::Borrow]);
        self.push(id, StmtKind::Passive(code, vec![hole.clone()]), out);
    }

    /// Moves the content of a hole to the end of the spine, which has this length.
    fn take_out(&mut self, id: StmtId, hole: Place, length: Expr, out: &mut Vec<Stmt>) {
        let child = self.nothing_named("child", id, out);
        self.push(id, StmtKind::Swap(child.clone(), hole), out);
        let spine = self.names.spine.clone();
        let none = self.none();
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
    pub(super) fn attach(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        self.lift(id, lit(usize::from(self.hoisted)), out);
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
    fn lift(&mut self, id: StmtId, length: Expr, out: &mut Vec<Stmt>) {
        let mut code = Vec::new();
        let up = self.pop(id, &mut code);
        let way = self.names.ways.clone();
        let way = way.map(|ways| self.pop_integer(id, ways, &mut code));
        for behind in self.names.behind.clone() {
            self.pop_integer(id, behind, &mut code);
        }
        let mut before = Vec::new();
        for indices in self.names.before.clone() {
            before.push(self.pop_integer(id, indices, &mut code));
        }
        let last = self.temp(id, "last", self.length(), &mut code);
        let back = |cursor: &mut Self, above: Place| {
            cursor.put_back(id, &above, &up, way.clone(), &before)
        };
        let above = self.standing(binary(BinOp::Sub, last.clone(), lit(1)), Ty::Unknown);
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
    fn lift_from(&mut self, id: StmtId, v: VarId, way: usize, out: &mut Vec<Stmt>) {
        let (at, length) = (Expr::Read(self.at[&v].clone()), self.length_at(v));
        let mut code = Vec::new();
        self.lift(id, length.clone(), &mut code);
        let Some(ways) = self.names.ways.clone() else {
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
        let spine = self.names.spine.clone();
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
        let names = &self.names;
        let own = std::iter::once(&names.spine).chain(&names.ways);
        let all = own.chain(&names.before).chain(&names.behind);
        all.cloned().collect()
    }

    /// Declares the variables of the spine.
    pub(super) fn declare_spine(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        for place in self.sequences() {
            let empty = Expr::Aggregate(Vec::new(), place.ty.clone());
            self.push(id, StmtKind::Let(place.root, Some(empty)), out);
        }
        if let Some(trunk) = self.names.trunk.as_ref().map(|t| t.itself) {
            self.push(id, StmtKind::Let(trunk, None), out);
        }
    }

    fn empty_spine(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        for place in self.sequences() {
            let empty = Expr::Aggregate(Vec::new(), place.ty.clone());
            self.push(id, StmtKind::Assign(place, empty), out);
        }
    }

    fn none(&self) -> Expr {
        match &self.steps.element {
            Ty::Vec(_) => Expr::Aggregate(Vec::new(), self.steps.element.clone()),
            element => Expr::Variant("None".into(), Vec::new(), element.clone()),
        }
    }

    fn nothing_named(&mut self, name: &str, id: StmtId, out: &mut Vec<Stmt>) -> Place {
        let ty = self.steps.element.clone();
        let var = self.draft.new_var(name, ty, Origin::Temp);
        let none = self.none();
        self.push(id, StmtKind::Let(var, Some(none)), out);
        self.draft.func.place(var)
    }

    fn temp(&mut self, id: StmtId, name: &str, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let var = self.draft.new_var(name, Ty::USIZE, Origin::Temp);
        self.push(id, StmtKind::Let(var, Some(value)), out);
        Expr::Read(self.draft.func.place(var))
    }

    fn length(&self) -> Expr {
        Expr::Len(self.names.spine.clone())
    }

    /// An element of the spine.
    pub(super) fn node(&self, at: Expr) -> Place {
        self.names.spine.index(at, self.steps.element.clone())
    }

    /// The referent of a cursor at this element.
    pub(super) fn standing(&self, at: Expr, ty: Ty) -> Place {
        let mut place = self.node(at.clone());
        let indices = self.names.behind.iter();
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
        let found = self.itself_of.iter().find(|(_, itself)| **itself == v);
        self.draft
            .func
            .place(found.map_or(v, |(target, _)| *target))
    }

    /// The start of the walk.
    fn trunk(&self) -> Place {
        let trunk = self.names.trunk.as_ref().map(|t| t.target);
        self.draft.func.place(trunk.unwrap_or(self.moving))
    }
}
