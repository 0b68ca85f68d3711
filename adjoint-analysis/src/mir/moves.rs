//! Moves of the values in lists and trees.
//!
//! In the IR, a read of a place copies it; in Rust, an owner of memory moves. If the place is dead after the read, the
//! difference can't be observed, so the copy becomes a swap: with the variable that takes the value, or with the field
//! of the constructed value, which holds `None` until then. The reverse sweep inverts a swap by itself, so a list that
//! is built or taken apart node by node is neither copied nor recorded.
//!
//! ```text
//! head = Some(Node { value: x, next: head })     let held = None; swap held, head;
//!                                                head = Some(Node { value: x, next: None });
//!                                                swap head@Some.0.*.next, held;
//! ```
//!
//! Only `Option`s of boxes are moved. A box that is moved into or out of such an `Option` is held in an `Option` itself
//! (`option_slots`).

mod live;
mod option_slots;

use crate::ir::Origin;
use crate::ir::place::are_disjoint;
use crate::ir::{BinOp, Block, Expr, Mode, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::mir::draft::Draft;
use live::Live;

/// Whether values of the type are moved: owners with a `None` to leave behind.
fn is_movable(ty: &Ty) -> bool {
    matches!(ty, Ty::Option(inner) if matches!(**inner, Ty::Boxed(_)))
}

/// A part of a constructed value that is moved in: its path within the value, and its source.
struct MovedPart {
    path: Vec<Proj>,
    from: Place,
}

struct Moves<'a> {
    draft: &'a mut Draft,
    live: Live,
}

impl Draft {
    /// Replaces reads of values that are dead afterwards by moves.
    pub fn insert_moves(&mut self, mut body: Block) -> Block {
        self.hold_in_options(&mut body);
        if !has_moves(&body) {
            return body;
        }
        let live = Live::of(&self.func, &body);
        Moves { draft: self, live }.block(&body)
    }
}

impl Moves<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut out = Vec::new();
        for (i, stmt) in block.stmts.iter().enumerate() {
            self.stmt(stmt, &block.stmts[i + 1..], &mut out);
        }
        Block::new(out)
    }

    fn stmt(&mut self, stmt: &Stmt, rest: &[Stmt], out: &mut Vec<Stmt>) {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => {
                let to = self.draft.func.place(*v);
                self.store((stmt, rest), &to, e, out);
            }
            StmtKind::Assign(to, e) => self.store((stmt, rest), to, e, out),
            StmtKind::Insert(vec, at, e) => {
                let ty = vec
                    .ty
                    .element()
                    .cloned()
                    .unwrap_or_else(|| e.ty(&self.draft.func));
                let last = || {
                    let n = Box::new(Expr::Len(vec.clone()));
                    let one = Box::new(Expr::Lit("1".into(), Ty::USIZE));
                    Expr::Binary(BinOp::Sub, n, one)
                };
                let to = vec.index(at.clone().unwrap_or_else(last), ty);
                self.store((stmt, rest), &to, e, out);
            }
            _ => {
                let mut stmt = stmt.clone();
                for inner in stmt.blocks_mut() {
                    *inner = self.block(inner);
                }
                out.push(stmt);
            }
        }
    }

    /// Rewrites a statement that stores a value in a place; `rest` follows it in its block.
    fn store(&mut self, (stmt, rest): (&Stmt, &[Stmt]), to: &Place, e: &Expr, out: &mut Vec<Stmt>) {
        let mut leaves = Vec::new();
        find_moved_parts(e, &mut Vec::new(), &mut leaves);
        let mut value = e.clone();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (i, leaf) in leaves.iter().enumerate() {
            let others = leaves[..i].iter().chain(&leaves[i + 1..]);
            let alone = others
                .clone()
                .all(|other| share_nothing(&other.from, &leaf.from));
            let Some(from) = self.source((stmt, rest), to, e, leaf).filter(|_| alone) else {
                continue;
            };
            let from = match from.root == to.root {
                true => self.swap_out(stmt.id, from, &mut before),
                false => from,
            };
            replace_by_none(&mut value, &leaf.path);
            let mut part = to.clone();
            part.proj.extend(leaf.path.iter().cloned());
            part.ty = from.ty.clone();
            self.push(stmt.id, StmtKind::Swap(part, from), &mut after);
        }
        out.append(&mut before);
        let whole = matches!(leaves.first(), Some(leaf) if leaf.path.is_empty());
        // A whole value that is overwritten can be swapped instead.
        if !(whole && !after.is_empty() && matches!(stmt.kind, StmtKind::Assign(..))) {
            let mut stmt = stmt.clone();
            if let StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e) | StmtKind::Insert(_, _, e) =
                &mut stmt.kind
            {
                *e = value;
            }
            out.push(stmt);
        }
        out.append(&mut after);
    }

    /// The place that a part can be moved from, if any.
    fn source(
        &self,
        (stmt, rest): (&Stmt, &[Stmt]),
        to: &Place,
        e: &Expr,
        leaf: &MovedPart,
    ) -> Option<Place> {
        let from = &leaf.from;
        let var = self.draft.func.var(from.root);
        let is_result = self.draft.func.ret == Some(to.root) && leaf.path.is_empty();
        if is_result || matches!(stmt.kind, StmtKind::Insert(..)) && from.root == to.root {
            return None;
        }
        if from.root == to.root {
            let overwritten = from.proj.starts_with(&to.proj);
            let indices = to.operands().into_iter();
            let reads: usize = indices.map(|e| reads_of(e, from)).sum();
            return (overwritten && reads_of(e, from) + reads == 1).then(|| from.clone());
        }
        // A parameter that is passed by value is not changed.
        let is_fixed = var.origin == Origin::Param && var.mode != Mode::Mut;
        if is_fixed || self.draft.func.ret == Some(from.root) {
            return None;
        }
        let own = var.mode == Mode::Owned && !self.live.after(stmt.id, from.root);
        (own || live::is_overwritten(from, rest)).then(|| from.clone())
    }

    /// Swaps the content of a place into a new variable.
    fn swap_out(&mut self, id: StmtId, from: Place, out: &mut Vec<Stmt>) -> Place {
        let ty = from.ty.clone();
        let var = self.draft.new_var("held", ty.clone(), Origin::Temp);
        let none = Expr::Variant("None".into(), Vec::new(), ty);
        self.push(id, StmtKind::Let(var, Some(none)), out);
        let held = self.draft.func.place(var);
        self.push(id, StmtKind::Swap(held.clone(), from), out);
        held
    }

    fn push(&mut self, of: StmtId, kind: StmtKind, out: &mut Vec<Stmt>) {
        let span = self.draft.spans[of.index()];
        let id = self.draft.stmt_id(span);
        out.push(Stmt { id, kind });
    }
}

/// The place that a value is moved from: a place that is read, or an `Option` whose payload is wrapped in `Some` again.
fn source_of(e: &Expr) -> Option<Place> {
    match e {
        Expr::Read(p) if is_movable(&p.ty) => Some(p.clone()),
        Expr::Variant(some, fields, ty) if some == "Some" && is_movable(ty) => match &fields[..] {
            [(_, Expr::Read(p))] => {
                let (last, before) = p.proj.split_last()?;
                let is_payload = *last == Proj::Variant("Some".into(), "0".into());
                is_payload.then(|| Place {
                    root: p.root,
                    proj: before.to_vec(),
                    ty: ty.clone(),
                })
            }
            _ => None,
        },
        _ => None,
    }
}

fn has_moves(body: &Block) -> bool {
    let mut any = false;
    body.walk(&mut |s| s.walk_exprs(&mut |e| any |= source_of(e).is_some()));
    any
}

/// Collects the parts of a constructed value that are read from places.
fn find_moved_parts(e: &Expr, way: &mut Vec<Proj>, leaves: &mut Vec<MovedPart>) {
    if let Some(from) = source_of(e) {
        let way = way.clone();
        return leaves.push(MovedPart { path: way, from });
    }
    for (step, part) in parts(e) {
        way.push(step);
        find_moved_parts(part, way, leaves);
        way.pop();
    }
}

/// The parts of a constructed value that a projection reaches.
fn parts(e: &Expr) -> Vec<(Proj, &Expr)> {
    match e {
        Expr::Variant(path, fields, ty) => {
            let step = |field: &String| match (path.as_str(), ty) {
                ("Some", Ty::Option(_)) => Some(Proj::Variant(path.clone(), field.clone())),
                (path, Ty::Named(name)) if path == name => Some(Proj::Field(field.clone())),
                _ => None,
            };
            let fields = fields.iter().filter_map(|(f, e)| Some((step(f)?, e)));
            fields.collect()
        }
        Expr::Aggregate(parts, Ty::Boxed(_)) => parts.iter().map(|e| (Proj::Deref, e)).collect(),
        Expr::Aggregate(parts, Ty::Tuple(_)) => {
            let field = |(i, e)| (Proj::Field(usize::to_string(&i)), e);
            parts.iter().enumerate().map(field).collect()
        }
        _ => Vec::new(),
    }
}

/// Replaces a part of a constructed value by `None`.
fn replace_by_none(e: &mut Expr, way: &[Proj]) {
    let Some((first, rest)) = way.split_first() else {
        let ty = match &*e {
            Expr::Read(p) => p.ty.clone(),
            Expr::Variant(_, _, ty) => ty.clone(),
            _ => return,
        };
        *e = Expr::Variant("None".into(), Vec::new(), ty);
        return;
    };
    let (Proj::Field(name) | Proj::Variant(_, name)) = first else {
        if let Expr::Aggregate(parts, _) = e {
            parts
                .iter_mut()
                .for_each(|part| replace_by_none(part, rest));
        }
        return;
    };
    match e {
        Expr::Variant(_, fields, _) => {
            let part = fields.iter_mut().find(|(f, _)| f == name);
            part.into_iter()
                .for_each(|(_, part)| replace_by_none(part, rest));
        }
        Expr::Aggregate(parts, _) => {
            let part = name.parse().ok().and_then(|i: usize| parts.get_mut(i));
            part.into_iter()
                .for_each(|part| replace_by_none(part, rest));
        }
        _ => {}
    }
}

/// Whether two places share nothing: they have different roots or are disjoint.
fn share_nothing(a: &Place, b: &Place) -> bool {
    a.root != b.root || are_disjoint(a, b)
}

/// The number of places in an expression that overlap this place.
fn reads_of(e: &Expr, place: &Place) -> usize {
    let mut count = 0;
    e.walk(&mut |e| {
        count += e
            .own_places()
            .iter()
            .filter(|p| !share_nothing(p, place))
            .count()
    });
    count
}

/// The variable `v` of an expression `Some(v)`.
fn wrapped_variable(e: &Expr) -> Option<VarId> {
    match e {
        Expr::Variant(some, fields, _) if some == "Some" => match &fields[..] {
            [(_, Expr::Read(p))] if p.is_whole() => Some(p.root),
            _ => None,
        },
        _ => None,
    }
}
