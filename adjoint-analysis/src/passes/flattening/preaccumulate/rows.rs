//! The rows of a graph: which dependents have a gradient, and by which places.

use std::collections::BTreeSet;

use super::Records;
use crate::ir::{Expr, FloatTy, Func, Place, Stmt, StmtKind, Ty};
use crate::passes::activity::Activity;
use crate::passes::flattening::assignments::assignments;
use crate::passes::flattening::flatten::{Flattened, Local};
use crate::passes::flattening::graph::{Label, Role, Vertex};
use crate::rules::{self, Partial};

/// The rows of a graph.
pub struct Rows {
    /// In the order of their statements.
    pub rows: Vec<Row>,
    /// The numbers of entries and of labels whose values are not constant.
    size: (usize, usize),
    /// The type of the graph's reals.
    pub ty: Ty,
}

/// The gradient of what a statement assigns, or of the `e` in `y += e`.
pub struct Row {
    /// The position of the statement in the graph.
    pub stmt: usize,
    /// The position among the reals that it assigns.
    pub component: usize,
    /// What is assigned.
    pub output: Vertex,
    /// The label of `y += e` by `y`, which is no part of the row.
    pub sum: Option<Label>,
    /// The vertices on paths to the output, itself and the inputs among them.
    pub vertices: BTreeSet<Vertex>,
    /// The places that it is a function of.
    pub inputs: Vec<(Vertex, Place)>,
}

impl Rows {
    /// The rows of a graph of these statements, of what may influence a dependent of the function; none, if its reals are of several
    /// types.
    pub fn of(func: &Func, stmts: &[Stmt], flat: &Flattened, activity: &Activity) -> Option<Rows> {
        let found = Search::of(func, stmts, flat);
        let mut rows = Vec::new();
        let ty = common_type(func, flat)?;
        for (at, stmt) in stmts.iter().enumerate() {
            let outputs = flat.results[at].iter().enumerate();
            for (component, output) in outputs.filter_map(|(k, v)| Some((k, (*v)?))) {
                let place = &found.written[at][component];
                let is_useful = activity.useful_after(stmt.id, place) != 0;
                if is_useful && found.is_end(output) {
                    rows.extend(found.row(at, component, output));
                }
            }
        }
        let labels: BTreeSet<Label> = rows.iter().flat_map(|row| row.labels(flat)).collect();
        let is_varying = |l: &&Label| !is_constant(&flat.labels[**l]);
        let entries = rows.iter().map(|row| row.varying_entries(flat)).sum();
        let size = (entries, labels.iter().filter(is_varying).count());
        Some(Rows { rows, size, ty })
    }

    /// Whether there are fewer entries than partials, and than records of the graph's variables for its statements.
    pub fn may_pay(&self, flat: &Flattened, records: &Records) -> bool {
        let (entries, partials) = self.size;
        let outside = flat.independents().map(|(place, _)| place.root);
        let named = outside.chain(flat.assigned().map(|p| p.root)).collect();
        let stmts = flat.statements.iter().map(|(id, _)| *id).collect();
        let is_less = || entries < records.of_these_alone(&named, &stmts);
        !self.rows.is_empty() && entries < partials && is_less()
    }

    /// The labels on paths of the rows.
    pub fn labels(&self, flat: &Flattened) -> BTreeSet<Label> {
        self.rows.iter().flat_map(|row| row.labels(flat)).collect()
    }
}

impl Row {
    /// The edges into a vertex on the row's paths, with their starts.
    pub fn edges_into(&self, v: Vertex, flat: &Flattened) -> Vec<(Vertex, Label)> {
        let mut from = flat.graph.predecessors(v);
        from.retain(|u| self.vertices.contains(u) && !self.is_input(v));
        let edges = from.into_iter().map(|u| Some((u, flat.graph.label(u, v)?)));
        let edges = edges.flatten();
        edges
            .filter(|(_, label)| self.sum != Some(*label))
            .collect()
    }

    fn is_input(&self, v: Vertex) -> bool {
        self.inputs.iter().any(|(input, _)| *input == v)
    }

    fn labels(&self, flat: &Flattened) -> Vec<Label> {
        let edges = self.vertices.iter().flat_map(|v| self.edges_into(*v, flat));
        edges.map(|(_, label)| label).collect()
    }

    /// How many entries are neither constant nor what the adjoint of the row's statement makes by itself.
    fn varying_entries(&self, flat: &Flattened) -> usize {
        let [mut varying, mut inner] = [(); 2].map(|()| BTreeSet::new());
        let (_, own) = &flat.statements[self.stmt];
        for v in self.vertices.iter().rev() {
            for (from, label) in self.edges_into(*v, flat) {
                if varying.contains(v) || !is_constant(&flat.labels[label]) {
                    varying.insert(from);
                }
                if !own.contains(&label) {
                    inner.insert(from);
                }
            }
        }
        let inputs = self.inputs.iter();
        let counts = |(v, _): &&(Vertex, Place)| varying.contains(v) && inner.contains(v);
        inputs.filter(counts).count()
    }
}

/// The type of all expressions of the graph.
fn common_type(func: &Func, flat: &Flattened) -> Option<Ty> {
    let mut tys = flat.expressions.iter().map(|e| e.ty(func));
    let ty = tys.next()?;
    let is_certain = ty.is_float() && ty != Ty::Float(FloatTy::Infer);
    (is_certain && tys.all(|other| other == ty)).then_some(ty)
}

/// Whether all that the label consists of are literals.
fn is_constant(label: &[Local]) -> bool {
    label.iter().all(|local| match local.partial {
        Partial::One | Partial::MinusOne => true,
        Partial::Operand(k) => matches!(local.operands[k], Expr::Lit(..)),
        _ => false,
    })
}

/// Whether the label says which operand was chosen. An infinite seed must not pass where the operand was not, so it can't be
/// multiplied by a product of such and other factors.
fn is_choice(label: &[Local]) -> bool {
    label.iter().any(|local| {
        let factors = local.partial.factors().iter();
        let mut names = factors.filter_map(|factor| match factor {
            Partial::Function(name, _) => Some(name),
            _ => None,
        });
        names.any(|name| rules::is_choice_name(name))
    })
}

/// A vertex at which rows end: its place, and the position of the first statement behind the assignment.
type End = (Vertex, Place, usize);

struct Search<'a> {
    flat: &'a Flattened,
    stmts: &'a [Stmt],
    /// What each statement writes.
    written: Vec<Vec<Place>>,
    ends: Vec<End>,
}

impl<'a> Search<'a> {
    fn of(func: &Func, stmts: &'a [Stmt], flat: &'a Flattened) -> Search<'a> {
        let places = |stmt: &Stmt| -> Vec<Place> {
            let all = assignments(func, stmt).unwrap_or_default();
            all.into_iter().map(|(place, _)| place).collect()
        };
        let written: Vec<Vec<Place>> = stmts.iter().map(places).collect();
        let outside = flat.independents();
        let mut ends: Vec<End> = outside.map(|(place, v)| (v, place.clone(), 0)).collect();
        for (at, stmt) in stmts.iter().enumerate() {
            let adds = matches!(stmt.kind, StmtKind::Incr(..));
            for (place, v) in written[at].iter().zip(&flat.results[at]) {
                if let Some(v) = v
                    && (adds || flat.graph.role(*v) == Role::Dependent)
                {
                    ends.push((*v, place.clone(), at + 1));
                }
            }
        }
        Search {
            flat,
            stmts,
            written,
            ends,
        }
    }

    fn end(&self, v: Vertex) -> Option<&End> {
        self.ends.iter().find(|(end, ..)| *end == v)
    }

    fn is_end(&self, v: Vertex) -> bool {
        self.end(v).is_some()
    }

    /// The row of what a statement assigns, if its inputs still have their values there.
    fn row(&self, stmt: usize, component: usize, output: Vertex) -> Option<Row> {
        let mut row = Row {
            stmt,
            component,
            output,
            sum: self.flat.sums[stmt],
            vertices: BTreeSet::from([output]),
            inputs: Vec::new(),
        };
        if row.sum.is_some_and(|sum| self.flat.labels[sum].len() > 1) {
            return None;
        }
        let value = value(&self.stmts[stmt])?;
        leaf(&mut value.clone(), component, self.written[stmt].len())?;
        let mut open = vec![output];
        while let Some(v) = open.pop() {
            if v != output
                && let Some((_, place, since)) = self.end(v)
            {
                if !self.is_intact(place, *since..stmt) {
                    return None;
                }
                row.inputs.push((v, place.clone()));
                continue;
            }
            for from in self.flat.graph.predecessors(v) {
                let label = self.flat.graph.label(from, v)?;
                if row.sum == Some(label) {
                    continue;
                }
                if is_choice(&self.flat.labels[label]) {
                    return None;
                }
                if row.vertices.insert(from) {
                    open.push(from);
                }
            }
        }
        row.inputs.sort_by_key(|(v, _)| *v);
        let has_intermediates = row.vertices.len() > row.inputs.len() + 1;
        (has_intermediates && !row.inputs.is_empty()).then_some(row)
    }

    /// Whether none of these statements writes the place, or what its indices read.
    fn is_intact(&self, place: &Place, stmts: std::ops::Range<usize>) -> bool {
        let mut indices = Vec::new();
        place.each_operand(&mut |e| indices.extend(e.reads()));
        stmts.into_iter().all(|at| {
            let declares = self.stmts[at].declared().is_some();
            let mut written = self.written[at].iter();
            written.all(|w| {
                let moves = !declares && indices.contains(&w.root);
                !moves && !w.may_overlap(place)
            })
        })
    }
}

/// What an assignment assigns or adds.
fn value(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Let(_, Some(e)) | StmtKind::Assign(_, e) | StmtKind::Incr(_, e) => Some(e),
        _ => None,
    }
}

/// The expression of one of so many components, if they are all written out.
pub fn leaf(value: &mut Expr, component: usize, components: usize) -> Option<&mut Expr> {
    let mut leaves = Vec::new();
    collect(value, &mut leaves);
    let is_whole = leaves.len() == components;
    let leaf = leaves.into_iter().nth(component).filter(|_| is_whole)?;
    let is_number = match leaf {
        Expr::Repeat(..) => false,
        Expr::Read(p) => p.ty.is_float(),
        _ => true,
    };
    is_number.then_some(leaf)
}

fn collect<'e>(e: &'e mut Expr, leaves: &mut Vec<&'e mut Expr>) {
    match e {
        Expr::Aggregate(parts, _) => parts.iter_mut().for_each(|e| collect(e, leaves)),
        e => leaves.push(e),
    }
}
