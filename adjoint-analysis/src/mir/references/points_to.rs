//! Points-to analysis: `Dests` of `[PTR]` §2.2, for the whole function at once.
//!
//! A candidate is a place without its indices and bounds, which become integers of the reference. A reference that is
//! narrowed again and again (`r = &r[1..]`) has a *window*: its candidate is the whole sequence, and the two bounds are
//! integers. Any other reference that moves through a part of its own target has no finite list of candidates: a cursor
//! in a list has been put on a spine before ([`crate::mir::cursors`]), others are refused.
//!
//! References that are copied or swapped are in one *class*: they number their candidates alike, so that a copy or swap
//! of references is one of integers.

use std::collections::{BTreeMap, BTreeSet};

use super::Reference;
use crate::ir::{Block, Expr, Func, Place, Proj, StmtId, StmtKind, Ty, VarId};
use crate::refuse::Reason;

/// The maximum number of candidates; more are refused, because each use is emitted once for each.
const MAX_CANDIDATES: usize = 12;

/// A statement that assigns a reference.
#[derive(Clone, Debug)]
pub struct Move {
    /// The reference.
    pub itself: VarId,
    /// Its new target.
    pub to: Place,
    /// The statement.
    pub stmt: StmtId,
    /// Whether it declares the reference.
    is_declaration: bool,
}

/// References that take values from each other, by copy or swap.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// The places, with [`blank`] operands; without the slice steps at the end if the class is windowed.
    pub candidates: Vec<Place>,
    /// Whether each reference has bounds of its own.
    pub windowed: bool,
}

/// The result of the analysis.
#[derive(Debug, Default)]
pub struct PointsTo {
    classes: Vec<Class>,
    class: BTreeMap<VarId, usize>,
    /// The candidates of each reference, by their numbers in its class.
    candidate_sets: BTreeMap<VarId, BTreeSet<usize>>,
    /// Pairs of classes: the second is derived from the first, in any number of steps.
    derived: BTreeSet<(usize, usize)>,
    constants: Constants,
    /// The classes whose references only permute their candidates, so that no two share one.
    permuted: BTreeSet<usize>,
}

/// The placeholder of an index or bound in a candidate.
pub fn blank() -> Expr {
    Expr::Lit(String::new(), Ty::Unit)
}

/// The blank operands of a candidate.
pub fn blanks(candidate: &mut Place) -> Vec<&mut Expr> {
    let operands = candidate.operands_mut().into_iter();
    operands.filter(|e| **e == blank()).collect()
}

/// The number of integers that a reference needs for the indices and bounds of its candidates.
pub fn slots(candidates: &[Place]) -> usize {
    let count = |c: &Place| c.operands().iter().filter(|e| ***e == blank()).count();
    candidates.iter().map(count).max().unwrap_or(0)
}

/// Values that are constant as long as any of the references lives.
#[derive(Debug, Default)]
struct Constants {
    variables: BTreeSet<VarId>,
    /// The constants that variables are copies of.
    copies: BTreeMap<VarId, Expr>,
}

impl Constants {
    fn of(func: &Func, references: &[Reference], body: &Block) -> Constants {
        let blocks = declaring_blocks(body);
        let (mut written, mut copies) = (BTreeSet::new(), BTreeMap::new());
        body.walk(&mut |s| {
            written.extend(s.written().iter().map(|p| p.root));
            if let StmtKind::Let(v, Some(e @ (Expr::Lit(..) | Expr::Read(_)))) = &s.kind {
                copies.insert(*v, e.clone());
            }
        });
        let outlives = |v: &VarId| match blocks.get(v) {
            Some(own) => references.iter().all(|r| {
                let of = blocks.get(&r.itself);
                of.is_none_or(|of| of.starts_with(own))
            }),
            None => func.params.contains(v),
        };
        let all = func.var_ids().filter(|v| !written.contains(v));
        let variables: BTreeSet<VarId> = all.filter(outlives).collect();
        copies.retain(|v, _| !written.contains(v));
        Constants { variables, copies }
    }

    /// The expression reduced to a constant, if it is one.
    fn find(&self, e: &Expr) -> Option<Expr> {
        match e {
            Expr::Lit(..) => Some(e.clone()),
            Expr::Read(p) if p.is_whole() => match self.copies.get(&p.root) {
                Some(of) => self.find(of).or_else(|| self.variable(p)),
                None => self.variable(p),
            },
            _ => None,
        }
    }

    fn variable(&self, place: &Place) -> Option<Expr> {
        let found = self.variables.contains(&place.root);
        found.then(|| Expr::Read(place.clone()))
    }
}

/// The block that declares each variable, as a path.
pub fn declaring_blocks(body: &Block) -> BTreeMap<VarId, Vec<u32>> {
    fn visit(block: &Block, path: &mut Vec<u32>, blocks: &mut BTreeMap<VarId, Vec<u32>>) {
        for stmt in &block.stmts {
            blocks.extend(stmt.declared().map(|v| (v, path.clone())));
            for (i, inner) in stmt.blocks().into_iter().enumerate() {
                path.push(stmt.id.0 * 2 + i as u32);
                visit(inner, path, blocks);
                path.pop();
            }
        }
    }
    let mut blocks = BTreeMap::new();
    visit(body, &mut Vec::new(), &mut blocks);
    blocks
}

/// A place without operands, and the operands. A constant at which a sequence is split stays: it shows that the halves
/// are disjoint.
fn skeleton(place: &Place, constants: &Constants) -> (Place, Vec<Expr>) {
    let (mut skeleton, mut taken) = (place.clone(), Vec::new());
    for step in &mut skeleton.proj {
        let splits = matches!(step, Proj::Head(_) | Proj::Tail(_));
        for e in step.operands_mut() {
            match constants.find(e).filter(|_| splits) {
                Some(constant) => *e = constant,
                None => taken.push(std::mem::replace(e, blank())),
            }
        }
    }
    (skeleton, taken)
}

/// Whether the step slices a sequence.
pub fn is_slicing(step: &Proj) -> bool {
    matches!(step, Proj::Range(..) | Proj::Head(_) | Proj::Tail(_))
}

/// The place without the slice steps at its end, and these.
pub fn strip_slices(place: &Place, func: &Func) -> (Place, Vec<Proj>) {
    let behind = place
        .proj
        .iter()
        .rev()
        .take_while(|p| is_slicing(p))
        .count();
    let at = place.proj.len() - behind;
    if behind == 0 {
        return (place.clone(), Vec::new());
    }
    let mut base = Place {
        root: place.root,
        proj: place.proj[..at].to_vec(),
        ty: Ty::Unknown,
    };
    base.ty = match base.declared_ty(func) {
        Ty::Unknown => place.ty.clone(),
        ty => ty,
    };
    (base, place.proj[at..].to_vec())
}

/// The slice type with the elements of this type.
pub fn slice_of(ty: &Ty) -> Ty {
    let element = ty.element().cloned().unwrap_or(Ty::Unknown);
    Ty::Slice(Box::new(element))
}

/// The statements that move references, and which references are derived from which.
pub struct ReferenceLinks {
    moves: Vec<Move>,
    swaps: Vec<(VarId, VarId)>,
    /// The references by their targets.
    by_target: BTreeMap<VarId, VarId>,
    /// Pairs of references: the second is derived from the first.
    derivations: BTreeSet<(VarId, VarId)>,
}

impl ReferenceLinks {
    /// Collects the links of a body.
    pub fn of(references: &[Reference], body: &Block) -> ReferenceLinks {
        let itself_of = references.iter().map(|r| (r.target, r.itself)).collect();
        let mut links = ReferenceLinks {
            moves: Vec::new(),
            swaps: Vec::new(),
            by_target: itself_of,
            derivations: BTreeSet::new(),
        };
        let is_reference = |v: VarId| references.iter().any(|r| r.itself == v);
        body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, Some(Expr::Read(to))) if is_reference(*v) => links.moves.push(Move {
                itself: *v,
                to: to.clone(),
                stmt: stmt.id,
                is_declaration: true,
            }),
            StmtKind::Assign(p, Expr::Read(to)) if is_reference(p.root) => links.moves.push(Move {
                itself: p.root,
                to: to.clone(),
                stmt: stmt.id,
                is_declaration: false,
            }),
            StmtKind::Swap(a, b) if is_reference(a.root) => links.swaps.push((a.root, b.root)),
            _ => {}
        });
        let mut edges: BTreeSet<(VarId, VarId)> = BTreeSet::new();
        edges.extend(links.swaps.iter().flat_map(|&(a, b)| [(a, b), (b, a)]));
        let made = |m: &Move| Some((links.source(m)?, m.itself));
        edges.extend(links.moves.iter().filter_map(made));
        links.derivations = closure(&edges);
        links
    }

    /// The reference that a move starts from.
    pub fn source(&self, m: &Move) -> Option<VarId> {
        self.by_target.get(&m.to.root).copied()
    }

    /// The statements that move references.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether the reference is exchanged with another.
    pub fn is_swapped(&self, itself: VarId) -> bool {
        self.swaps.iter().any(|(a, b)| *a == itself || *b == itself)
    }

    /// Whether a move leads from a reference back to itself.
    fn is_cyclic(&self, m: &Move) -> bool {
        self.source(m)
            .is_some_and(|from| from == m.itself || self.derivations.contains(&(m.itself, from)))
    }

    /// Whether the reference moves into a part of its own target, over and over.
    pub fn is_step(&self, m: &Move) -> bool {
        self.is_cyclic(m) && !m.to.proj.iter().all(is_slicing)
    }

    /// The classes of references.
    fn classes(&self, references: &[Reference]) -> Classes {
        let mut classes = Classes::new(references);
        self.swaps.iter().for_each(|&(a, b)| classes.join(a, b));
        for m in &self.moves {
            if let Some(from) = self.source(m)
                && (m.to.is_whole() || self.is_cyclic(m))
            {
                classes.join(from, m.itself);
            }
        }
        classes
    }

    /// The references of a class that are derived from others in it; the others only lead to the starts.
    pub fn derived_within(&self, mut class: BTreeSet<VarId>) -> BTreeSet<VarId> {
        let from = |m: &Move, class: &BTreeSet<VarId>| {
            let source = self.source(m);
            m.itself != source.unwrap_or(m.itself) && source.is_some_and(|v| class.contains(&v))
        };
        loop {
            let made = |v: &VarId| {
                let mut into = self.moves.iter().filter(|m| m.itself == *v);
                into.any(|m| from(m, &class) || self.is_step(m))
            };
            let kept: BTreeSet<VarId> = class.iter().copied().filter(made).collect();
            if kept == class {
                return kept;
            }
            class = kept;
        }
    }

    /// The references outside of a class that are derived from it, in any number of steps.
    pub fn derived(&self, class: &BTreeSet<VarId>) -> BTreeSet<VarId> {
        let from_class = self
            .derivations
            .iter()
            .filter(|(from, _)| class.contains(from));
        let made = from_class.map(|(_, made)| *made);
        made.filter(|made| !class.contains(made)).collect()
    }

    /// The places, and the possible targets of the references among them.
    pub fn with_targets(&self, mut places: Vec<Place>) -> Vec<Place> {
        let mut at = 0;
        while let Some(place) = places.get(at).cloned() {
            at += 1;
            let behind = self.by_target.get(&place.root);
            let moves = self.moves.iter().filter(|m| Some(&m.itself) == behind);
            for m in moves {
                if !places.contains(&m.to) {
                    places.push(m.to.clone());
                }
            }
        }
        places
    }

    /// The references of each class that has a cursor.
    pub fn cursors(&self, references: &[Reference]) -> Vec<BTreeSet<VarId>> {
        let class = self.classes(references).numbered();
        let stepping = self.moves.iter().filter(|m| self.is_step(m));
        let found: BTreeSet<usize> = stepping.map(|m| class[&m.itself]).collect();
        let of = |at: usize| {
            class
                .iter()
                .filter(move |(_, c)| **c == at)
                .map(|(v, _)| *v)
        };
        found.into_iter().map(|at| of(at).collect()).collect()
    }
}

/// Finds the candidates; the error holds the statements without a finite list of them.
pub fn points_to(
    func: &Func,
    references: &[Reference],
    body: &Block,
) -> Result<PointsTo, Vec<(StmtId, Reason)>> {
    let links = ReferenceLinks::of(references, body);
    let refused = links.moves.iter().filter(|m| links.is_step(m));
    let refused: Vec<_> = refused.map(|m| (m.stmt, Reason::Cursor)).collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let windowed = links.moves.iter();
    let windowed = windowed.filter(|m| !m.to.is_whole() && links.is_cyclic(m));
    let windowed: Vec<VarId> = windowed.filter_map(|m| links.source(m)).collect();
    let itself_of = |target: VarId| links.by_target.get(&target).copied();
    let (moves, swaps) = (&links.moves, &links.swaps);
    let classes = links.classes(references);
    let class = classes.numbered();
    let mut result = PointsTo {
        constants: Constants::of(func, references, body),
        classes: vec![Class::default(); class.values().max().map_or(0, |n| n + 1)],
        class,
        ..PointsTo::default()
    };
    for v in windowed {
        let class = result.class[&v];
        result.classes[class].windowed = true;
    }
    result.collect(func, moves, swaps, &itself_of)?;
    let by_class = moves.iter().filter_map(|m| {
        let from = itself_of(m.to.root)?;
        Some((result.class[&from], result.class[&m.itself]))
    });
    result.derived = closure(&by_class.collect());
    result.permuted = (0..result.classes.len())
        .filter(|class| result.permutes(*class, moves, &itself_of))
        .collect();
    Ok(result)
}

impl PointsTo {
    /// Propagates candidates along the moves up to a fixed point.
    fn collect(
        &mut self,
        func: &Func,
        moves: &[Move],
        swaps: &[(VarId, VarId)],
        itself_of: &dyn Fn(VarId) -> Option<VarId>,
    ) -> Result<(), Vec<(StmtId, Reason)>> {
        loop {
            let mut changed = false;
            for m in moves {
                let sources = match itself_of(m.to.root) {
                    None => vec![self.skeleton(&m.to).0],
                    Some(from) => {
                        let found = self.candidate_sets.get(&from).cloned().unwrap_or_default();
                        let beyond = |at: &usize| self.extend_candidate(from, *at, &m.to);
                        found.iter().map(beyond).collect()
                    }
                };
                for place in sources {
                    let at = self.intern_candidate(m.itself, &place, func);
                    changed |= self.candidate_sets.entry(m.itself).or_default().insert(at);
                }
                let class = &self.classes[self.class[&m.itself]];
                if class.candidates.len() > MAX_CANDIDATES {
                    let what = format!("a reference to one of more than {MAX_CANDIDATES} places");
                    return Err(vec![(m.stmt, Reason::Reference(what))]);
                }
            }
            for &(a, b) in swaps {
                let of = |v: VarId| self.candidate_sets.get(&v).into_iter().flatten().copied();
                let both: BTreeSet<usize> = of(a).chain(of(b)).collect();
                for v in [a, b] {
                    let found = self.candidate_sets.entry(v).or_default();
                    changed |= *found != both;
                    found.clone_from(&both);
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The place as a candidate, and its operands.
    pub fn skeleton(&self, place: &Place) -> (Place, Vec<Expr>) {
        skeleton(place, &self.constants)
    }

    /// A candidate of a reference, extended by the projections of a place behind the reference.
    fn extend_candidate(&self, from: VarId, at: usize, place: &Place) -> Place {
        let class = &self.classes[self.class[&from]];
        let mut whole = class.candidates[at].clone();
        if class.windowed {
            let (lo, hi) = (Box::new(blank()), Box::new(blank()));
            let ty = slice_of(&whole.ty);
            whole = whole.project(Proj::Range(Some(lo), Some(hi)), ty);
        }
        if !place.is_whole() {
            whole.proj.extend(self.skeleton(place).0.proj);
            whole.ty = place.ty.clone();
        }
        whole
    }

    /// The number of a place among the candidates of a reference's class.
    fn intern_candidate(&mut self, itself: VarId, place: &Place, func: &Func) -> usize {
        let class = &mut self.classes[self.class[&itself]];
        let place = match class.windowed {
            true => strip_slices(place, func).0,
            false => place.clone(),
        };
        if let Some(at) = position(&class.candidates, &place) {
            return at;
        }
        class.candidates.push(place);
        class.candidates.len() - 1
    }

    /// Whether each reference of the class gets a candidate of its own when it is declared, and changes it only by
    /// swaps.
    fn permutes(
        &self,
        class: usize,
        moves: &[Move],
        itself_of: &dyn Fn(VarId) -> Option<VarId>,
    ) -> bool {
        let own: Vec<&Move> = moves
            .iter()
            .filter(|m| self.class[&m.itself] == class)
            .collect();
        let references: BTreeSet<VarId> = own.iter().map(|m| m.itself).collect();
        let given = |m: &&Move| match itself_of(m.to.root) {
            None => m.is_declaration,
            Some(from) => {
                m.is_declaration && self.class[&from] != class && self.candidates(from).len() == 1
            }
        };
        own.iter().all(given)
            && own.len() == references.len()
            && own.len() == self.classes[class].candidates.len()
    }

    /// Whether the two references never point to the same candidate.
    pub fn never_alias(&self, a: VarId, b: VarId) -> bool {
        a != b && self.same_class(a, b) && self.permuted.contains(&self.class[&a])
    }

    /// The number of a place, without operands, among the candidates.
    pub fn find(&self, itself: VarId, place: &Place) -> Option<usize> {
        position(&self.class(itself).candidates, place)
    }

    /// The class of a reference.
    pub fn class(&self, itself: VarId) -> &Class {
        &self.classes[self.class[&itself]]
    }

    /// Whether the two references number their candidates alike.
    pub fn same_class(&self, a: VarId, b: VarId) -> bool {
        self.class[&a] == self.class[&b]
    }

    /// The candidates of a reference.
    pub fn candidates(&self, itself: VarId) -> Vec<usize> {
        let found = self.candidate_sets.get(&itself).into_iter().flatten();
        found.copied().collect()
    }

    /// Whether one of the two references may be derived from the other, so that both may point to the same place,
    /// though one is a `&mut`.
    pub fn related(&self, a: VarId, b: VarId) -> bool {
        let (a, b) = (self.class[&a], self.class[&b]);
        self.derived.contains(&(a, b)) || self.derived.contains(&(b, a))
    }
}

fn position(candidates: &[Place], place: &Place) -> Option<usize> {
    let same = |c: &Place| c.root == place.root && c.proj == place.proj;
    candidates.iter().position(same)
}

/// The transitive closure.
fn closure<T: Ord + Copy>(edges: &BTreeSet<(T, T)>) -> BTreeSet<(T, T)> {
    let mut all = edges.clone();
    loop {
        let longer: Vec<(T, T)> = all
            .iter()
            .flat_map(|&(a, b)| {
                edges
                    .iter()
                    .filter(move |e| e.0 == b)
                    .map(move |e| (a, e.1))
            })
            .filter(|pair| !all.contains(pair))
            .collect();
        if longer.is_empty() {
            return all;
        }
        all.extend(longer);
    }
}

/// Disjoint sets of references, merged step by step.
struct Classes {
    leader: BTreeMap<VarId, VarId>,
}

impl Classes {
    fn new(references: &[Reference]) -> Classes {
        Classes {
            leader: references.iter().map(|r| (r.itself, r.itself)).collect(),
        }
    }

    fn join(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.leader[&a], self.leader[&b]);
        for leader in self.leader.values_mut().filter(|l| **l == b) {
            *leader = a;
        }
    }

    fn numbered(self) -> BTreeMap<VarId, usize> {
        let leaders: BTreeSet<VarId> = self.leader.values().copied().collect();
        let number = |leader: &VarId| leaders.iter().position(|l| l == leader).unwrap_or(0);
        self.leader.iter().map(|(v, l)| (*v, number(l))).collect()
    }
}
