//! The forward sweep as a tree in which an iteration that breaks looks like one that does not.
//!
//! A `break` is in tail position, so both kinds of iteration run the same statements up to the arm where they diverge.
//! The records after that, at the ends of the blocks around the arm, must be the same on both paths. They are written
//! twice in the sweep and are once here; the `break` is gone. In the same way the records of the arm taken, one at the
//! end of each arm, are one event after the branch.

use std::collections::{HashMap, HashSet};

use crate::ir::{Block, Expr, Origin, RecordId, Stmt, StmtId, StmtKind, VarId};
use crate::plan::Plan;
use crate::plan::check::faults::{FaultKind, Faults};

/// A block of the forward sweep.
pub struct Section<'a> {
    /// Its number.
    pub id: usize,
    /// What it does.
    pub items: Vec<Item<'a>>,
}

/// A statement of the forward sweep.
pub struct Item<'a> {
    /// The statement; its blocks are in `sections`.
    pub stmt: &'a Stmt,
    /// The blocks inside.
    pub sections: Vec<Section<'a>>,
    /// Records of the way that was taken, after the branch, in their order.
    pub arm_records: Vec<ArmRecord<'a>>,
    /// Whether it is a loop that a `break` leaves.
    pub leaves: bool,
}

/// A record at the end of both arms of a branch.
pub struct ArmRecord<'a> {
    /// The record.
    pub record: RecordId,
    /// What it saves in each arm.
    pub values: [&'a Expr; 2],
}

/// The forward sweep, with the positions of its statements and variables.
pub struct Shape<'a> {
    /// The whole sweep.
    pub root: Section<'a>,
    /// The section and position of each primal statement.
    pub stmts: HashMap<StmtId, (usize, usize)>,
    /// The section that declares each variable.
    pub declared: HashMap<VarId, usize>,
    /// The variables of the primal.
    pub primal: HashSet<VarId>,
    /// The loop that each section is the body of.
    pub loops: HashMap<usize, StmtId>,
    /// The section around each section.
    pub parents: HashMap<usize, usize>,
}

/// The role of a variable in the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// A variable of the primal.
    Primal,
    /// An adjoint variable.
    Adjoint,
    /// The planner's own.
    Own,
}

impl Shape<'_> {
    /// The role of the variable.
    pub fn class(&self, plan: &Plan, v: VarId) -> Class {
        match plan.func.var(v).origin {
            Origin::Adjoint(_) => Class::Adjoint,
            _ if self.primal.contains(&v) => Class::Primal,
            _ => Class::Own,
        }
    }

    /// Whether the statement is one of the primal's, and no record or variable of the planner's.
    pub fn is_primal(&self, stmt: &Stmt) -> bool {
        is_primal(&self.primal, stmt)
    }
}

/// The variables of the primal.
pub fn primal_variables(plan: &Plan) -> HashSet<VarId> {
    let mut vars: HashSet<VarId> = plan
        .func
        .params
        .iter()
        .chain(&plan.func.ret)
        .copied()
        .collect();
    plan.func.body.walk(&mut |s| {
        vars.extend(s.declared());
        if let StmtKind::Loop(head, _) = &s.kind {
            vars.extend(head.index());
        }
    });
    vars
}

/// Whether a statement of the forward sweep is one of the primal's.
pub fn is_primal(primal: &HashSet<VarId>, stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Record(..) | StmtKind::RecordControl(..) | StmtKind::Take(_) => false,
        StmtKind::Let(v, _) => primal.contains(v),
        StmtKind::Assign(p, _) => !p.is_whole() || primal.contains(&p.root),
        _ => true,
    }
}

/// Brings the forward sweep into its normal form.
pub fn shape<'a>(plan: &'a Plan, faults: &mut Faults) -> Shape<'a> {
    let mut fold = Fold {
        faults,
        sections: 0,
    };
    let root = fold.section(&plan.forward, &[]).0;
    let mut shape = Shape {
        root: Section {
            id: root.id,
            items: Vec::new(),
        },
        stmts: HashMap::new(),
        declared: HashMap::new(),
        primal: primal_variables(plan),
        loops: HashMap::new(),
        parents: HashMap::new(),
    };
    for v in plan.func.params.iter().chain(&plan.func.ret) {
        shape.declared.insert(*v, root.id);
    }
    index(&root, &mut shape, faults);
    shape.root = root;
    shape
}

fn index(section: &Section<'_>, shape: &mut Shape<'_>, faults: &mut Faults) {
    for (n, item) in section.items.iter().enumerate() {
        shape
            .declared
            .extend(item.stmt.declared().map(|v| (v, section.id)));
        if let (StmtKind::Loop(head, _), [body]) = (&item.stmt.kind, &item.sections[..]) {
            shape.loops.insert(body.id, item.stmt.id);
            if let Some(v) = head.index() {
                shape.declared.insert(v, body.id);
            }
        }
        if shape.is_primal(item.stmt) && shape.stmts.insert(item.stmt.id, (section.id, n)).is_some()
        {
            faults.add(
                item.stmt.id,
                FaultKind::NotPrimal,
                "two statements have this id",
            );
        }
        for inner in &item.sections {
            shape.parents.insert(inner.id, section.id);
            index(inner, shape, faults);
        }
    }
}

struct Fold<'f> {
    faults: &'f mut Faults,
    sections: usize,
}

impl Fold<'_> {
    /// The block, and whether each way through it breaks; if so, the records before the `break`s
    /// stand at its end. `beyond` is what the blocks around it record after it.
    fn section<'a>(&mut self, block: &'a Block, beyond: &[&'a Stmt]) -> (Section<'a>, bool) {
        let id = self.sections;
        self.sections += 1;
        let mut items = Vec::new();
        for (n, stmt) in block.stmts.iter().enumerate() {
            let rest = &block.stmts[n + 1..];
            match &stmt.kind {
                StmtKind::Break => {
                    self.tail(stmt, rest);
                    return (Section { id, items }, true);
                }
                StmtKind::Loop(_, body) => {
                    let (inner, _) = self.section(body, &[]);
                    let item = Item {
                        stmt,
                        sections: vec![inner],
                        arm_records: Vec::new(),
                        leaves: breaks(body),
                    };
                    items.push(item);
                }
                StmtKind::If(_, then, els) => {
                    if breaks(then) || breaks(els) {
                        self.tail(stmt, rest);
                    }
                    let after: Vec<&Stmt> = rest.iter().chain(beyond.iter().copied()).collect();
                    let (item, hoisted, both) = self.branch(stmt, [then, els], &after);
                    items.push(item);
                    items.extend(hoisted);
                    if both {
                        return (Section { id, items }, true);
                    }
                }
                _ => items.push(leaf(stmt)),
            }
        }
        (Section { id, items }, false)
    }

    fn branch<'a>(
        &mut self,
        stmt: &'a Stmt,
        arms: [&'a Block; 2],
        after: &[&'a Stmt],
    ) -> (Item<'a>, Vec<Item<'a>>, bool) {
        let [(mut then, a), (mut els, b)] = arms.map(|arm| self.section(arm, after));
        let mut hoisted = Vec::new();
        match (a, b) {
            (false, false) => {}
            (true, false) => self.strip(&mut then, after, stmt.id),
            (false, true) => self.strip(&mut els, after, stmt.id),
            (true, true) => hoisted = common_end(&mut then, &mut els),
        }
        let mut ways = Vec::new();
        while let Some(way) = common_arm_record(&mut then, &mut els) {
            ways.insert(0, way);
        }
        (
            Item {
                stmt,
                sections: vec![then, els],
                arm_records: ways,
                leaves: false,
            },
            hoisted,
            a && b,
        )
    }

    /// Removes the records after the branch from the arm that breaks.
    fn strip<'a>(&mut self, arm: &mut Section<'a>, after: &[&'a Stmt], id: StmtId) {
        let keep = arm.items.len().checked_sub(after.len());
        let same =
            keep.is_some_and(|n| arm.items[n..].iter().zip(after).all(|(i, s)| i.stmt == *s));
        match (keep, same) {
            (Some(n), true) => arm.items.truncate(n),
            _ => self.faults.add(
                id,
                FaultKind::BreakPath,
                "an iteration that breaks here does not record what one that goes on records",
            ),
        }
    }

    fn tail(&mut self, stmt: &Stmt, rest: &[Stmt]) {
        if !rest.iter().all(is_record) {
            self.faults.add(
                stmt.id,
                FaultKind::BreakPath,
                "a `break` is not in tail position",
            );
        }
    }
}

fn leaf(stmt: &Stmt) -> Item<'_> {
    Item {
        stmt,
        sections: Vec::new(),
        arm_records: Vec::new(),
        leaves: false,
    }
}

fn is_record(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Record(..) | StmtKind::RecordControl(..)
    )
}

/// Whether a `break` in the block leaves the loop around it.
pub fn breaks(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::If(_, a, b) => breaks(a) || breaks(b),
        _ => false,
    })
}

/// Removes the common records at the ends of both arms.
fn common_end<'a>(a: &mut Section<'a>, b: &mut Section<'a>) -> Vec<Item<'a>> {
    let mut common = Vec::new();
    while let (Some(x), Some(y)) = (a.items.last(), b.items.last()) {
        if !is_record(x.stmt) || x.stmt != y.stmt {
            break;
        }
        b.items.pop();
        common.extend(a.items.pop());
    }
    common.reverse();
    common
}

/// Removes the record of the taken arm at the end of both arms, ignoring other records.
fn common_arm_record<'a>(a: &mut Section<'a>, b: &mut Section<'a>) -> Option<ArmRecord<'a>> {
    let (i, record, x) = last_arm_record(a)?;
    let (j, other, y) = last_arm_record(b)?;
    if record != other {
        return None;
    }
    a.items.remove(i);
    b.items.remove(j);
    Some(ArmRecord {
        record,
        values: [x, y],
    })
}

fn last_arm_record<'a>(section: &Section<'a>) -> Option<(usize, RecordId, &'a Expr)> {
    let records = section
        .items
        .iter()
        .enumerate()
        .rev()
        .take_while(|(_, i)| is_record(i.stmt));
    let mut ways = records.filter_map(|(n, i)| match &i.stmt.kind {
        StmtKind::RecordControl(r, e) => Some((n, *r, e)),
        _ => None,
    });
    ways.next()
}
