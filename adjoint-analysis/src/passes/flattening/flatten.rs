//! Flattening: `[FLAT]` Algorithms 1 and 2.
//!
//! A run of assignments becomes one graph, or several where it is not known whether a variable is one that the graph
//! assigns. Each use of a variable is identified with the last assignment to its address, or with another use of it; a use
//! that may be of an assigned address, but need not, is *ambiguous*, and a graph begins with its assignment. No other
//! splits are needed (§6.1).
//!
//! What carries no derivative is in no graph (§7): constants, discrete values, and operations whose partials are all
//! identically 0. A copy is a vertex of its own, behind an edge of label 1, so that no vertex is an independent and a
//! dependent (§6.2, Figure 6(c)).

use std::ops::Range;

use super::address::{Address, Relation, Versions};
use super::assignments::assignments;
use super::graph::{Graph, Label, Role, Value, Vertex};
use crate::ir::{Expr, Func, Place, Stmt, StmtId, StmtKind, UnOp};
use crate::rules::{self, Partial};

/// What an edge's label is: the sum of the partials of an operation by equal operands.
pub type Partials = Vec<Local>;

/// A partial of an operation.
#[derive(Clone, PartialEq, Debug)]
pub struct Local {
    /// The rule.
    pub partial: Partial,
    /// The operands of the operation.
    pub operands: Vec<Expr>,
    /// The operation.
    pub result: Expr,
}

/// A graph with the code that it stands for.
#[derive(Clone, Debug, Default)]
pub struct Flattened {
    /// The graph.
    pub graph: Graph,
    /// The partials of each label.
    pub labels: Vec<Partials>,
    /// The expression of each vertex.
    pub expressions: Vec<Expr>,
    /// The statements, with the labels of their operations.
    pub statements: Vec<(StmtId, Range<Label>)>,
    /// The vertices of what each of them assigns, in the order of [`assignments`].
    pub results: Vec<Vec<Option<Vertex>>>,
    /// For each of them that adds to a place, the label of the sum by the place's value before.
    pub sums: Vec<Option<Label>>,
    /// The use that may be of what the graph before this one assigns, and that assignment's place.
    pub split: Option<(Place, Place)>,
    /// The places that are read from outside, and those that are assigned, with their vertices.
    variables: Vec<(Address, Variable)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Variable {
    Used(Vertex),
    /// An assignment; without a vertex, of a constant.
    Assigned(Option<Vertex>),
}

/// What is known of the code around a run of assignments.
pub trait Surroundings {
    /// Whether what the statement reads at the place may carry a derivative.
    fn is_varied(&self, stmt: StmtId, place: &Place) -> bool;

    /// Whether the value that the run leaves at a place may be read behind it, and its adjoint be other than 0.
    fn is_read_behind(&self, place: &Place) -> bool;
}

/// The graphs of a run of assignments.
pub fn flatten(func: &Func, run: &[Stmt], around: &dyn Surroundings) -> Vec<Flattened> {
    let mut pass = Pass {
        func,
        around,
        versions: Versions::default(),
        done: Vec::new(),
        current: Flattened::default(),
    };
    for stmt in run {
        pass.statement(stmt);
    }
    pass.done.push(pass.current);
    for n in 0..pass.done.len() {
        let (graphs, later) = pass.done.split_at_mut(n + 1);
        graphs[n].set_dependents(later, around);
    }
    pass.done
}

struct Pass<'a> {
    func: &'a Func,
    around: &'a dyn Surroundings,
    versions: Versions,
    done: Vec<Flattened>,
    current: Flattened,
}

impl Pass<'_> {
    fn statement(&mut self, stmt: &Stmt) {
        let assignments = assignments(self.func, stmt).unwrap_or_default();
        let mut ambiguous = assignments.iter();
        if let Some(split) = ambiguous.find_map(|(_, value)| self.ambiguity(value, stmt.id)) {
            let before = std::mem::take(&mut self.current);
            self.done.push(before);
            self.current.split = Some(split);
        }
        let first = self.current.labels.len();
        let value = |(place, value): (Place, Expr)| {
            let vertex = self.vertex(&value, stmt.id);
            (place, value, vertex)
        };
        let values: Vec<_> = assignments.into_iter().map(value).collect();
        let sum = match (&stmt.kind, &values[..]) {
            (StmtKind::Incr(..), [(place, _, Some(sum))]) => self.label_of(place, *sum, stmt.id),
            _ => None,
        };
        self.current.sums.push(sum);
        let results = values.into_iter();
        let results = results.map(|(place, value, vertex)| self.assign(&place, &value, vertex));
        let results = results.collect();
        self.current.results.push(results);
        let labels = first..self.current.labels.len();
        self.current.statements.push((stmt.id, labels));
    }

    /// The label of an operation by the value at a place.
    fn label_of(&mut self, place: &Place, of: Vertex, id: StmtId) -> Option<Label> {
        let from = self.variable(place, id)?;
        self.current.graph.label(from, of)
    }

    fn assign(&mut self, place: &Place, value: &Expr, vertex: Option<Vertex>) -> Option<Vertex> {
        let address = Address::of(place, &self.versions);
        let vertex = vertex.map(|v| match self.current.graph.role(v) {
            Role::Independent => self.copy(v, value),
            _ if self.current.is_assigned(v) => self.copy(v, value),
            _ => v,
        });
        let variable = (address, Variable::Assigned(vertex));
        self.current.variables.push(variable);
        let ty = value.ty(self.func);
        self.versions.assign(place, value, &ty);
        vertex
    }

    /// The use in the expression that is ambiguous, with the assignment that it may be of.
    fn ambiguity(&self, e: &Expr, id: StmtId) -> Option<(Place, Place)> {
        let mut found = None;
        e.walk(&mut |e| {
            if let Expr::Read(p) = e
                && p.ty.is_float()
                && self.around.is_varied(id, p)
            {
                let address = Address::of(p, &self.versions);
                let last = self.current.last_assigned(&address);
                let unknown = last.filter(|(_, relation, _)| *relation == Relation::Unknown);
                found = found
                    .take()
                    .or(unknown.map(|(of, ..)| (p.clone(), of.place.clone())));
            }
        });
        found
    }

    /// The vertex of an expression; none, if it carries no derivative.
    fn vertex(&mut self, e: &Expr, id: StmtId) -> Option<Vertex> {
        match e {
            Expr::Read(p) if p.ty.is_float() => self.variable(p, id),
            Expr::Unary(UnOp::Neg, a) => self.operation(e, &[Partial::MinusOne], &[a], id),
            Expr::Cast(a, ty) if ty.is_float() => self.operation(e, &[Partial::One], &[a], id),
            Expr::Binary(op, a, b) => self.operation(e, rules::binary(*op)?, &[a, b], id),
            Expr::Intrinsic(f, args) => {
                let args: Vec<&Expr> = args.iter().collect();
                self.operation(e, rules::intrinsic(*f), &args, id)
            }
            _ => None,
        }
    }

    fn variable(&mut self, p: &Place, id: StmtId) -> Option<Vertex> {
        if !self.around.is_varied(id, p) {
            return None;
        }
        let address = Address::of(p, &self.versions);
        if let Some((_, _, vertex)) = self.current.last_assigned(&address) {
            return vertex;
        }
        let known = self.current.variables.iter().find_map(|(of, variable)| {
            let same = of.relation(&address) == Relation::Same;
            match variable {
                Variable::Used(v) if same => Some(*v),
                _ => None,
            }
        });
        Some(known.unwrap_or_else(|| {
            let vertex = self
                .current
                .add_vertex(Role::Independent, Expr::Read(p.clone()));
            self.current
                .variables
                .push((address, Variable::Used(vertex)));
            vertex
        }))
    }

    fn operation(
        &mut self,
        e: &Expr,
        partials: &[Partial],
        operands: &[&Expr],
        id: StmtId,
    ) -> Option<Vertex> {
        let all: Vec<Expr> = operands.iter().map(|e| (*e).clone()).collect();
        let mut edges: Vec<(Vertex, Partials)> = Vec::new();
        for (operand, partial) in operands.iter().zip(partials) {
            let passes = *partial != Partial::Zero;
            let Some(from) = passes.then(|| self.vertex(operand, id)).flatten() else {
                continue;
            };
            let local = Local {
                partial: *partial,
                operands: all.clone(),
                result: e.clone(),
            };
            match edges.iter_mut().find(|(known, _)| *known == from) {
                Some((_, label)) => label.push(local),
                None => edges.push((from, vec![local])),
            }
        }
        if edges.is_empty() {
            return None;
        }
        let vertex = self.current.add_vertex(Role::Intermediate, e.clone());
        for (from, label) in edges {
            self.current.add_edge(from, vertex, label);
        }
        Some(vertex)
    }

    fn copy(&mut self, of: Vertex, e: &Expr) -> Vertex {
        let vertex = self.current.add_vertex(Role::Intermediate, e.clone());
        let local = Local {
            partial: Partial::One,
            operands: vec![e.clone()],
            result: e.clone(),
        };
        self.current.add_edge(of, vertex, vec![local]);
        vertex
    }
}

impl Flattened {
    fn add_vertex(&mut self, role: Role, e: Expr) -> Vertex {
        self.expressions.push(e);
        self.graph.add_vertex(role)
    }

    fn add_edge(&mut self, from: Vertex, to: Vertex, label: Partials) {
        let value = match &label[..] {
            [local] if local.partial == Partial::One => Value::One,
            [local] if local.partial == Partial::MinusOne => Value::MinusOne,
            _ => Value::Any,
        };
        self.graph.add_edge(from, to, value);
        self.labels.push(label);
    }

    /// The last assignment whose address may be this one.
    fn last_assigned(&self, address: &Address) -> Option<(&Address, Relation, Option<Vertex>)> {
        self.variables.iter().rev().find_map(|(of, variable)| {
            let relation = of.relation(address);
            match variable {
                Variable::Assigned(v) if relation != Relation::Disjoint => Some((of, relation, *v)),
                _ => None,
            }
        })
    }

    fn is_assigned(&self, v: Vertex) -> bool {
        let assigned = Variable::Assigned(Some(v));
        self.variables
            .iter()
            .any(|(_, variable)| *variable == assigned)
    }

    /// The places that are read from outside, with their vertices.
    pub fn independents(&self) -> impl Iterator<Item = (&Place, Vertex)> {
        self.variables
            .iter()
            .filter_map(|(of, variable)| match variable {
                Variable::Used(v) => Some((&of.place, *v)),
                Variable::Assigned(_) => None,
            })
    }

    /// The places whose values are read behind the graph, with their vertices.
    pub fn dependents(&self) -> impl Iterator<Item = (&Place, Vertex)> {
        self.variables
            .iter()
            .filter_map(|(of, variable)| match variable {
                Variable::Assigned(Some(v)) if self.graph.role(*v) == Role::Dependent => {
                    Some((&of.place, *v))
                }
                _ => None,
            })
    }

    /// The places that are assigned.
    pub fn assigned(&self) -> impl Iterator<Item = &Place> {
        self.variables
            .iter()
            .filter_map(|(of, variable)| match variable {
                Variable::Assigned(_) => Some(&of.place),
                Variable::Used(_) => None,
            })
    }

    /// Determines the dependents: `[FLAT]` §6.2.
    fn set_dependents(&mut self, later: &[Flattened], around: &dyn Surroundings) {
        for n in 0..self.variables.len() {
            let (address, variable) = &self.variables[n];
            let Variable::Assigned(Some(v)) = *variable else {
                continue;
            };
            let overwrites = |(of, variable): &(Address, Variable)| {
                let is_same = of.relation(address) == Relation::Same;
                is_same && matches!(variable, Variable::Assigned(_))
            };
            if self.variables[n + 1..].iter().any(overwrites) {
                continue;
            }
            let is_used = |(of, variable): &(Address, Variable)| {
                let may_be = of.relation(address) != Relation::Disjoint;
                may_be && matches!(variable, Variable::Used(_))
            };
            let mut uses = later.iter().flat_map(|graph| &graph.variables);
            if around.is_read_behind(&address.place) || uses.any(is_used) {
                self.graph.set_role(v, Role::Dependent);
            }
        }
    }
}
