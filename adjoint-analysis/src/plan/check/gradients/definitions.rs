//! What the statements of a block define.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use super::field::Element;
use crate::ir::{BinOp, Block, Expr, Func, Place, Proj, Stmt, StmtId, Ty, UnOp, VarId};
use crate::passes::flattening::address::Relation;
use crate::passes::flattening::assignments::assignments;

/// A definition.
pub struct Definition<'a> {
    /// The position of its statement in the block.
    pub at: usize,
    /// Its position among the numbers that the statement assigns.
    pub component: usize,
    /// What is assigned.
    pub value: &'a Expr,
}

/// The assignments of a block.
pub struct Definitions<'a> {
    stmts: &'a [Stmt],
    /// The numbers that each statement assigns; none, if it is no assignment.
    assigned: Vec<Option<Vec<(Place, Expr)>>>,
    /// The statements that may write each variable, or something in it.
    writes: HashMap<VarId, Vec<usize>>,
    values: RefCell<HashMap<(usize, usize), Element>>,
}

impl<'a> Definitions<'a> {
    /// Those of a block of the function.
    pub fn of(func: &'a Func, block: &'a Block) -> Definitions<'a> {
        let mut writes: HashMap<VarId, Vec<usize>> = HashMap::new();
        for (at, stmt) in block.stmts.iter().enumerate() {
            let mut written: Vec<VarId> = stmt.declared().into_iter().collect();
            Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
                written.extend(s.written().iter().map(|p| p.root));
            });
            for v in written {
                writes.entry(v).or_default().push(at);
            }
        }
        let assigned = block.stmts.iter().map(|stmt| assignments(func, stmt));
        Definitions {
            stmts: &block.stmts,
            assigned: assigned.collect(),
            writes,
            values: RefCell::default(),
        }
    }

    /// The id of a statement of the block.
    pub fn id(&self, at: usize) -> StmtId {
        self.stmts[at].id
    }

    /// How the addresses of two places are related, each at a statement of the block: as they are written, or as elements of what
    /// the views in them are parts of.
    pub fn relation(&'a self, (a, at): (&Place, usize), (b, of): (&Place, usize)) -> Relation {
        if a.root != b.root {
            return Relation::Disjoint;
        }
        let steps = a.proj.iter().zip(&b.proj);
        let as_written = steps.map(|(x, y)| self.relation_of_steps((x, at), (y, of)));
        let as_written = joint(as_written, a.proj.len() == b.proj.len());
        if as_written != Relation::Unknown {
            return as_written;
        }
        let (a, b) = (self.elements(a, at), self.elements(b, of));
        let steps = a.iter().zip(&b).map(|(x, y)| match (x, y) {
            (Step::Element(x), Step::Element(y)) => of_indices(*x, *y),
            (Step::Other(x), Step::Other(y)) => self.relation_of_steps((x, at), (y, of)),
            _ => Relation::Unknown,
        });
        joint(steps, a.len() == b.len())
    }

    /// The steps to a place, with elements of views as those of the whole: `x[lo..][i]` is `x[lo + i]`.
    fn elements<'p>(&'a self, place: &'p Place, at: usize) -> Vec<Step<'p>> {
        let mut steps = Vec::new();
        // The views that lead to the next element, and how many elements are in front of them.
        let mut views: Vec<Step<'p>> = Vec::new();
        let mut offset = Element::default();
        for step in &place.proj {
            let start = match step {
                Proj::Head(_) | Proj::Range(None, _) => Some(Element::default()),
                Proj::Tail(start) | Proj::Range(Some(start), _) => Some(self.value(start, at)),
                _ => None,
            };
            match (start, step) {
                (Some(start), view) => {
                    offset = offset + start;
                    views.push(Step::Other(view));
                }
                (None, Proj::Index(index)) => {
                    steps.push(Step::Element(offset + self.value(index, at)));
                    (views, offset) = Default::default();
                }
                (None, other) => {
                    steps.append(&mut views);
                    offset = Element::default();
                    steps.push(Step::Other(other));
                }
            }
        }
        steps.append(&mut views);
        steps
    }

    fn relation_of_steps(&'a self, (x, at): (&Proj, usize), (y, of): (&Proj, usize)) -> Relation {
        let value = |e: &Expr, at: usize| self.value(e, at);
        match (x, y) {
            (Proj::Field(x), Proj::Field(y)) if x != y => Relation::Disjoint,
            (Proj::Head(x), Proj::Tail(y)) | (Proj::Tail(x), Proj::Head(y))
                if value(x, at) == value(y, of) =>
            {
                Relation::Disjoint
            }
            (Proj::Index(x), Proj::Index(y)) => of_indices(value(x, at), value(y, of)),
            (x, y) => {
                let pairs = x.operands().into_iter().zip(y.operands());
                let mut pairs = pairs.map(|(x, y)| value(x, at) == value(y, of));
                match shape_of_step(x) == shape_of_step(y) && pairs.all(|is_same| is_same) {
                    true => Relation::Same,
                    false => Relation::Unknown,
                }
            }
        }
    }

    /// Whether none of these statements writes the place that is at a statement.
    pub fn is_intact(&'a self, place: (&Place, usize), stmts: Range<usize>) -> bool {
        let writes = self.writes.get(&place.0.root).into_iter().flatten();
        let mut writes = writes.filter(|at| stmts.contains(at));
        writes.all(|at| !self.overwrites(*at, place))
    }

    /// Whether the statement, which writes the place's variable, may write the place.
    fn overwrites(&'a self, at: usize, place: (&Place, usize)) -> bool {
        match &self.assigned[at] {
            Some(all) => all
                .iter()
                .any(|(p, _)| self.relation((p, at), place) != Relation::Disjoint),
            None => true,
        }
    }

    /// The last definition of the place before a statement of the block.
    pub fn last(&'a self, place: &Place, before: usize) -> Option<Definition<'a>> {
        let writes = self.writes.get(&place.root)?.iter().rev();
        let of = (place, before);
        let mut writes = writes.filter(|at| **at < before && self.overwrites(**at, of));
        let at = *writes.next()?;
        let assigned = self.assigned[at].as_ref()?;
        let is_same = |(p, _): &(Place, Expr)| self.relation((p, at), of) == Relation::Same;
        let component = assigned.iter().position(is_same)?;
        Some(Definition {
            at,
            component,
            value: &assigned[component].1,
        })
    }

    /// The value of an expression of a statement of the block.
    pub fn value(&'a self, e: &Expr, at: usize) -> Element {
        let value = |e: &Expr| self.value(e, at);
        match e {
            Expr::Lit(text, _) => Element::literal(text),
            Expr::Read(p) => match self.last(p, at) {
                Some(definition) => self.defined(definition),
                None => self.value_from_outside(p, at),
            },
            Expr::Preaccumulated(e, _) => value(e),
            Expr::Len(p) => self.length(p, at),
            Expr::Unary(UnOp::Neg, a) => -value(a),
            Expr::Binary(BinOp::Add, a, b) => value(a) + value(b),
            Expr::Binary(BinOp::Sub, a, b) => value(a) - value(b),
            Expr::Binary(BinOp::Mul, a, b) | Expr::Scale(a, b) => value(a) * value(b),
            e => self.opaque(e, at),
        }
    }

    fn defined(&'a self, definition: Definition<'a>) -> Element {
        let key = (definition.at, definition.component);
        if let Some(known) = self.values.borrow().get(&key) {
            return *known;
        }
        let value = self.value(definition.value, definition.at);
        self.values.borrow_mut().insert(key, value);
        value
    }

    /// A value of its own for the place, as often as it is written.
    fn value_from_outside(&'a self, p: &Place, at: usize) -> Element {
        let writes = self.writes.get(&p.root).into_iter().flatten();
        let before = writes.filter(|n| **n < at && self.overwrites(**n, (p, at)));
        Element::of((self.steps(p, at), before.count()))
    }

    /// A value of its own for the length at the place, as often as more is written than elements.
    fn length(&'a self, p: &Place, at: usize) -> Element {
        let is_element = |(w, _): &(Place, Expr)| w.proj.len() > p.proj.len();
        let keeps = |n: usize| {
            let assigned = self.assigned[n].as_ref();
            assigned.is_some_and(|all| all.iter().all(is_element))
        };
        let writes = self.writes.get(&p.root).into_iter().flatten();
        let before = writes.filter(|n| **n < at && !keeps(**n));
        Element::of(("length", self.steps(p, at), before.count()))
    }

    /// The place, with the values in its indices.
    fn steps(&'a self, p: &Place, at: usize) -> Element {
        let steps = self.elements(p, at);
        let steps = steps.iter().map(|step| match step {
            Step::Element(index) => (String::new(), vec![*index]),
            Step::Other(step) => {
                let operands = step.operands().into_iter();
                let operands = operands.map(|e| self.value(e, at));
                (shape_of_step(step), operands.collect())
            }
        });
        let steps: Vec<_> = steps.collect();
        Element::of((p.root, steps))
    }

    /// A value of its own for an operation that is not looked into, of these operands.
    fn opaque(&'a self, e: &Expr, at: usize) -> Element {
        let children = e.children().into_iter();
        let operands: Vec<Element> = children.map(|e| self.value(e, at)).collect();
        let own = e
            .own_places()
            .iter()
            .map(|p| self.value_from_outside(p, at));
        let own: Vec<Element> = own.collect();
        Element::of((shape(e), operands, own))
    }
}

/// A step to a place.
enum Step<'p> {
    /// To the element with this index.
    Element(Element),
    Other(&'p Proj),
}

/// How two indices are related: they are the same if their values are, and others if these differ by a small integer, since no
/// polynomial that varies is one by chance.
fn of_indices(x: Element, y: Element) -> Relation {
    match (x - y).small_integer() {
        Some(0) => Relation::Same,
        Some(_) => Relation::Disjoint,
        None => Relation::Unknown,
    }
}

/// How two addresses are related whose steps are so, and which may be equally long.
fn joint(steps: impl Iterator<Item = Relation>, are_equally_long: bool) -> Relation {
    let mut all = match are_equally_long {
        true => Relation::Same,
        false => Relation::Unknown,
    };
    for step in steps {
        match step {
            Relation::Disjoint => return Relation::Disjoint,
            Relation::Unknown => all = Relation::Unknown,
            Relation::Same => {}
        }
    }
    all
}

/// A projection without its operands.
fn shape_of_step(step: &Proj) -> String {
    let mut plain = step.clone();
    for operand in plain.operands_mut() {
        *operand = Expr::Lit(String::new(), Ty::Unit);
    }
    format!("{plain:?}")
}

/// An expression without its operands.
fn shape(e: &Expr) -> String {
    let mut plain = e.clone();
    for child in plain.children_mut() {
        *child = Expr::Lit(String::new(), Ty::Unit);
    }
    format!("{plain:?}")
}
