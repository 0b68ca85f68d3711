//! The Jacobian of a function without loops and calls, by the local Jacobians of its runs.
//!
//! **Problem.** A Jacobian in rows takes a reverse sweep for each row, which makes the partials anew. Here each run's local
//! Jacobian is accumulated once, where the run is, and the rows pass through these:
//!
//! ```text
//! forward   for each run k: its statements, its partials, J_k by elimination ([`super::order`])
//! reverse   for each run k from the last one, for each row ȳ: x̄ += J_kᵀ ȳ
//! ```
//!
//! The arm of a branch that was taken is in a variable, and so are the entries of the J_k, since nothing runs twice.
//! Adjoints that are 0 or 1 by construction are known as such: most rows begin with one 1.
//!
//! Reals are at static places: variables, their fields, and elements by literal indices. So no use is ambiguous.

use std::collections::BTreeMap;

use super::assignments::assignments;
use super::flatten::{Flattened, Local, Surroundings, flatten};
use super::graph::{Label, Value};
use super::inline::inline;
use super::order::{Accumulated, cheapest};
use super::runs::Run;
use super::unroll::unroll;
use crate::ir::construct::usize_lit;
use crate::ir::{
    BinOp, Block, Expr, Func, Mode, Origin, Place, Proj, Stmt, StmtId, StmtKind, Ty, UnOp, VarId,
};
use crate::passes::activity::{Activity, Boundary};
use crate::passes::sets::set::VarSet;
use crate::rules::{Partial, Use};

/// Above this number of rows times vertices, the code would be too long.
const MOST_PRODUCTS: usize = 2_000;

/// A function that computes the value and the Jacobian.
#[derive(Clone, PartialEq, Debug)]
pub struct DirectJacobian {
    /// The function's variables, and new ones; its body runs the function and computes the entries.
    pub func: Func,
    /// The entries that are not 0 by construction.
    pub entries: Vec<Entry>,
    /// The number of rows: the reals of the dependents.
    pub rows: usize,
}

/// An entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The position of the output among the reals of the returned value and of the `&mut` parameters.
    pub row: usize,
    /// The input: a parameter, or its element by a literal index.
    pub input: Place,
    /// Its value behind the body.
    pub value: Expr,
}

/// The Jacobian of a function, if it can be computed in this way.
pub fn direct(func: &Func, activity: &Activity, boundary: &Boundary) -> Option<DirectJacobian> {
    let outputs = outputs(func, &boundary.dependents)?;
    let variables = func.vars.len();
    let inlined = inline(func, boundary)?;
    let mut func = inlined.func;
    let unrolled = unroll(&func)?;
    func.body = unrolled.body;
    let mut are_plain = true;
    func.body.walk(&mut |s| {
        s.each_named_var(&mut |v| are_plain &= is_plain(&func.var(v).ty));
    });
    if !are_plain || !func.params.iter().all(|v| is_plain_param(&func, *v)) {
        return None;
    }
    let origins = unrolled.origins.iter();
    let origins = origins.map(|id| inlined.origins[id.index()]).collect();
    let body = func.body.clone();
    let mut pass = Direct {
        func,
        activity,
        variables,
        origins,
        declared: Vec::new(),
        vertices: 0,
    };
    let mut out = Vec::new();
    let pieces = pass.forward(&body, false, &mut out)?;
    if pass.vertices * outputs.len() > MOST_PRODUCTS {
        return None;
    }
    let unit = |place: &Place| Adjoints::from([(key(place)?, Adjoint::One)]).into();
    let rows: Option<Vec<Adjoints>> = outputs.iter().map(unit).collect();
    let mut rows = rows?;
    pass.reverse(&pieces, &mut rows, &mut out);
    let mut entries = Vec::new();
    for (row, adjoints) in rows.iter().enumerate() {
        let inputs = adjoints
            .iter()
            .filter(|((v, _), _)| boundary.independents.contains(*v));
        entries.extend(inputs.map(|(key, adjoint)| Entry {
            row,
            input: place(&pass.func, key),
            value: pass.value(adjoint),
        }));
    }
    let mut stmts = std::mem::take(&mut pass.declared);
    stmts.append(&mut out);
    pass.func.body = Block::new(stmts);
    Some(DirectJacobian {
        func: pass.func,
        entries,
        rows: outputs.len(),
    })
}

/// The reals of the dependents: of the returned value, then of `&mut` parameters.
fn outputs(func: &Func, dependents: &VarSet) -> Option<Vec<Place>> {
    let lent = func
        .params
        .iter()
        .filter(|v| func.var(**v).mode == Mode::Mut);
    let all = func.ret.iter().chain(lent);
    let mut outputs = Vec::new();
    for v in all.filter(|v| dependents.contains(**v)) {
        outputs.append(&mut reals(&func.place(*v))?);
    }
    Some(outputs)
}

/// The reals at a place, if their number is known.
fn reals(place: &Place) -> Option<Vec<Place>> {
    match &place.ty {
        Ty::Array(element, count) if **element == Ty::F64 => {
            let count: usize = count.parse().ok()?;
            let element = |k| place.index(usize_lit(k), Ty::F64);
            Some((0..count).map(element).collect())
        }
        Ty::Tuple(all) if all.iter().all(|ty| *ty == Ty::F64) => {
            let field = |k: usize| place.project(Proj::Field(k.to_string()), Ty::F64);
            Some((0..all.len()).map(field).collect())
        }
        ty if *ty == Ty::F64 => Some(vec![place.clone()]),
        ty if !ty.carries_floats() => Some(Vec::new()),
        _ => None,
    }
}

/// Whether the parameter holds discrete values, a real or a sequence of reals; one that is lent has a known length.
fn is_plain_param(func: &Func, v: VarId) -> bool {
    let var = func.var(v);
    match &var.ty {
        Ty::Slice(element) => **element == Ty::F64 && var.mode != Mode::Mut,
        Ty::Tuple(_) => false,
        _ => reals(&func.place(v)).is_some(),
    }
}

/// Whether values of the type are `f64`s, integers, truth values, or arrays and tuples of them.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Array(element, _) | Ty::Slice(element) => is_plain(element),
        Ty::Tuple(all) => all.iter().all(is_plain),
        ty => *ty == Ty::F64 || matches!(ty, Ty::Int(_) | Ty::Bool),
    }
}

/// Whether the types of all that the statement reads are known.
fn reads_plain_values(stmt: &Stmt) -> bool {
    let mut all = true;
    stmt.walk_exprs(&mut |e| {
        if let Expr::Read(p) = e {
            all &= is_plain(&p.ty);
        }
    });
    all
}

/// A static place.
type Key = (VarId, Vec<String>);

/// The key of a place, if that is static.
fn key(place: &Place) -> Option<Key> {
    let step = |proj: &Proj| match proj {
        Proj::Field(name) => Some(name.clone()),
        Proj::Index(e) => match &**e {
            Expr::Lit(text, _) => Some(format!("[{text}]")),
            _ => None,
        },
        _ => None,
    };
    let steps: Option<Vec<String>> = place.proj.iter().map(step).collect();
    Some((place.root, steps?))
}

/// The parameter or its element.
fn place(func: &Func, (v, steps): &Key) -> Place {
    let whole = func.place(*v);
    steps.iter().fold(whole, |of, step| {
        let text = step.trim_start_matches('[').trim_end_matches(']');
        of.index(Expr::Lit(text.into(), Ty::USIZE), Ty::F64)
    })
}

/// The value of an adjoint or of an entry that is not 0 by construction.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Adjoint {
    One,
    MinusOne,
    Var(VarId),
}

type Adjoints = BTreeMap<Key, Adjoint>;

/// What the rows pass through.
enum Piece {
    Run {
        /// What the run assigns.
        assigned: Vec<Key>,
        /// The local Jacobian: inputs, outputs, values.
        entries: Vec<(Key, Key, Adjoint)>,
    },
    Branch {
        /// Whether the first arm was taken.
        taken: VarId,
        arms: [Vec<Piece>; 2],
    },
}

struct Direct<'a> {
    func: Func,
    activity: &'a Activity,
    /// The number of the function's own variables, whose activity is known.
    variables: usize,
    /// The statements of the function that those of the unrolled one come from; none, if they are a callee's.
    origins: Vec<Option<StmtId>>,
    /// What is declared in front of the body.
    declared: Vec<Stmt>,
    vertices: usize,
}

/// A run of unrolled code.
struct Unrolled<'a> {
    run: Run<'a>,
    variables: usize,
    origins: &'a [Option<StmtId>],
}

impl Surroundings for Unrolled<'_> {
    fn is_varied(&self, stmt: StmtId, place: &Place) -> bool {
        let origin = self.origins[stmt.index()];
        origin.is_none_or(|id| self.run.is_varied(id, place))
    }

    fn is_read_behind(&self, place: &Place) -> bool {
        match place.root.index() < self.variables {
            true => self.run.is_read_behind(place),
            false => !self.run.owns(place.root),
        }
    }
}

impl Direct<'_> {
    /// The statements of a block with the local Jacobians of its runs.
    fn forward(&mut self, block: &Block, in_arm: bool, out: &mut Vec<Stmt>) -> Option<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut rest = &block.stmts[..];
        while let Some(first) = rest.first() {
            let is_assignment = |s: &&Stmt| assignments(&self.func, s).is_some();
            let length = rest.iter().take_while(is_assignment).count();
            let (run, others) = rest.split_at(length);
            if !run.is_empty() {
                pieces.push(self.run(run, in_arm, out)?);
                rest = others;
                continue;
            }
            match &first.kind {
                StmtKind::If(condition, then, els) => {
                    pieces.push(self.branch(first.id, condition, [then, els], out)?);
                }
                StmtKind::Let(_, None) => out.push(first.clone()),
                _ => return None,
            }
            rest = &rest[1..];
        }
        Some(pieces)
    }

    fn branch(
        &mut self,
        id: StmtId,
        condition: &Expr,
        arms: [&Block; 2],
        out: &mut Vec<Stmt>,
    ) -> Option<Piece> {
        let taken = self.declare("taken", Expr::Lit("false".into(), Ty::Bool), Ty::Bool);
        let whole = self.func.place(taken);
        let assign = StmtKind::Assign(whole.clone(), condition.clone());
        out.push(Stmt { id, kind: assign });
        let mut blocks = [Vec::new(), Vec::new()];
        let [then, els] = &mut blocks;
        let pieces = [
            self.forward(arms[0], true, then)?,
            self.forward(arms[1], true, els)?,
        ];
        let [then, els] = blocks.map(Block::new);
        let kind = StmtKind::If(Expr::Read(whole), then, els);
        out.push(Stmt { id, kind });
        Some(Piece::Branch {
            taken,
            arms: pieces,
        })
    }

    fn run(&mut self, run: &[Stmt], in_arm: bool, out: &mut Vec<Stmt>) -> Option<Piece> {
        if !run.iter().all(reads_plain_values) {
            return None;
        }
        let surroundings = Unrolled {
            run: Run::of(&self.func, run, self.activity),
            variables: self.variables,
            origins: &self.origins,
        };
        let [flat] = &flatten(&self.func, run, &surroundings)[..] else {
            return None;
        };
        self.vertices += flat.graph.vertices().len();
        let accumulated = cheapest(&flat.graph);
        let needed = needed(&accumulated);
        let mut labels: Vec<Option<Adjoint>> = Vec::new();
        for (stmt, (_, of)) in run.iter().zip(&flat.statements) {
            let value = |label: Label| match flat.graph.value(label) {
                Value::One => Some(Adjoint::One),
                Value::MinusOne => Some(Adjoint::MinusOne),
                Value::Any => None,
            };
            let known = of.clone().map(value);
            labels.extend(known);
            self.statement(stmt, flat, (of.clone(), &needed), (&mut labels, out))?;
        }
        self.accumulate(&accumulated, &needed, (&mut labels, out));
        self.entries(flat, &accumulated, &labels, in_arm, out)
    }

    /// A statement of a run, with the values of its labels in front of it.
    fn statement(
        &mut self,
        stmt: &Stmt,
        flat: &Flattened,
        (of, needed): (std::ops::Range<Label>, &[bool]),
        (labels, out): (&mut [Option<Adjoint>], &mut Vec<Stmt>),
    ) -> Option<()> {
        let mut stmt = stmt.clone();
        let id = stmt.id;
        let unknown: Vec<Label> = of.filter(|l| needed[*l] && labels[*l].is_none()).collect();
        let uses_result = |local: &Local| local.partial.uses().contains(&Use::Result);
        let mut locals = unknown.iter().flat_map(|l| &flat.labels[*l]);
        let mut named = None;
        if locals.any(uses_result)
            && let StmtKind::Let(_, Some(value)) | StmtKind::Assign(_, value) = &mut stmt.kind
            && value.ty(&self.func) == Ty::F64
        {
            // The result is computed once, for its partials too.
            let v = self.temp(id, "value", value.clone(), out);
            let read = Expr::Read(self.func.place(v));
            named = Some((std::mem::replace(value, read.clone()), read));
        }
        for label in unknown {
            let sum = flat.labels[label].iter().map(|local| {
                let result = match &named {
                    Some((whole, read)) if *whole == local.result => read,
                    _ => &local.result,
                };
                partial(local.partial, &local.operands, result)
            });
            let value = sum.reduce(|a, b| binary(BinOp::Add, a, b))?;
            labels[label] = Some(Adjoint::Var(self.temp(id, "partial", value, out)));
        }
        out.push(stmt);
        Some(())
    }

    /// The accumulations of an elimination.
    fn accumulate(
        &mut self,
        accumulated: &Accumulated,
        needed: &[bool],
        (labels, out): (&mut Vec<Option<Adjoint>>, &mut Vec<Stmt>),
    ) {
        for step in &accumulated.result.accumulations {
            let value = needed[step.label].then(|| {
                let [a, b] = step.factors.map(|label| labels[label]);
                let product = self.product(a?, b?);
                match step.absorbed.and_then(|old| labels[old]) {
                    None => Some(product),
                    Some(old) => Some(Product::Sum(self.value(&old), Box::new(product))),
                }
            });
            let value = value.flatten().map(|product| match product {
                Product::Known(adjoint) => adjoint,
                product => {
                    let e = self.product_value(product);
                    Adjoint::Var(self.temp(StmtId(0), "entry", e, out))
                }
            });
            labels.push(value);
        }
    }

    /// The local Jacobian; in an arm, its entries are in variables that outlive it.
    fn entries(
        &mut self,
        flat: &Flattened,
        accumulated: &Accumulated,
        labels: &[Option<Adjoint>],
        in_arm: bool,
        out: &mut Vec<Stmt>,
    ) -> Option<Piece> {
        let graph = &accumulated.result.graph;
        let mut entries = Vec::new();
        for (output, to) in flat.dependents() {
            for (input, from) in flat.independents() {
                let Some(label) = graph.label(from, to) else {
                    continue;
                };
                let mut value = labels[label]?;
                if let (true, Adjoint::Var(v)) = (in_arm, value) {
                    let outer = self.declare("entry", zero(), Ty::F64);
                    let value_of = Expr::Read(self.func.place(v));
                    let kind = StmtKind::Assign(self.func.place(outer), value_of);
                    out.push(Stmt {
                        id: StmtId(0),
                        kind,
                    });
                    value = Adjoint::Var(outer);
                }
                entries.push((key(input)?, key(output)?, value));
            }
        }
        let assigned: Option<Vec<Key>> = flat.assigned().map(key).collect();
        Some(Piece::Run {
            assigned: assigned?,
            entries,
        })
    }

    /// Takes the rows through the pieces, from the last one.
    fn reverse(&mut self, pieces: &[Piece], rows: &mut [Adjoints], out: &mut Vec<Stmt>) {
        for piece in pieces.iter().rev() {
            match piece {
                Piece::Run { assigned, entries } => {
                    for row in rows.iter_mut() {
                        self.through_run(row, assigned, entries, out);
                    }
                }
                Piece::Branch { taken, arms } => self.through_branch(*taken, arms, rows, out),
            }
        }
    }

    fn through_run(
        &mut self,
        row: &mut Adjoints,
        assigned: &[Key],
        entries: &[(Key, Key, Adjoint)],
        out: &mut Vec<Stmt>,
    ) {
        let mut sums: BTreeMap<Key, Vec<Product>> = BTreeMap::new();
        for (input, output, entry) in entries {
            if let Some(adjoint) = row.get(output) {
                let product = self.product(*entry, *adjoint);
                sums.entry(input.clone()).or_default().push(product);
            }
        }
        assigned.iter().for_each(|key| _ = row.remove(key));
        for (input, products) in sums {
            let old = row.get(&input).copied().map(Product::Known);
            let mut all = old.into_iter().chain(products);
            let (first, second) = (all.next(), all.next());
            let adjoint = match (first, second) {
                (Some(Product::Known(one)), None) => one,
                (first, second) => {
                    let terms = first.into_iter().chain(second).chain(all);
                    let terms: Vec<Expr> = terms.map(|p| self.product_value(p)).collect();
                    let sum = terms
                        .into_iter()
                        .reduce(|a, b| binary(BinOp::Add, a, b))
                        .unwrap_or_else(zero);
                    Adjoint::Var(self.temp(StmtId(0), "adjoint", sum, out))
                }
            };
            row.insert(input, adjoint);
        }
    }

    fn through_branch(
        &mut self,
        taken: VarId,
        arms: &[Vec<Piece>; 2],
        rows: &mut [Adjoints],
        out: &mut Vec<Stmt>,
    ) {
        let mut ends = [rows.to_vec(), rows.to_vec()];
        let mut blocks = [Vec::new(), Vec::new()];
        for k in 0..2 {
            self.reverse(&arms[k], &mut ends[k], &mut blocks[k]);
        }
        for (n, row) in rows.iter_mut().enumerate() {
            let [then, els] = [&ends[0][n], &ends[1][n]];
            let keys: Vec<Key> = then.keys().chain(els.keys()).cloned().collect();
            row.retain(|key, _| keys.contains(key));
            for key in keys {
                let both = [then.get(&key).copied(), els.get(&key).copied()];
                if both[0] == both[1] {
                    row.extend(both[0].map(|adjoint| (key, adjoint)));
                    continue;
                }
                let joined = self.declare("adjoint", zero(), Ty::F64);
                for (adjoint, block) in both.into_iter().zip(&mut blocks) {
                    let value = adjoint.map_or_else(zero, |adjoint| self.value(&adjoint));
                    let kind = StmtKind::Assign(self.func.place(joined), value);
                    block.push(Stmt {
                        id: StmtId(0),
                        kind,
                    });
                }
                row.insert(key, Adjoint::Var(joined));
            }
        }
        let condition = Expr::Read(self.func.place(taken));
        let [then, els] = blocks.map(Block::new);
        let kind = StmtKind::If(condition, then, els);
        out.push(Stmt {
            id: StmtId(0),
            kind,
        });
    }

    fn product(&self, a: Adjoint, b: Adjoint) -> Product {
        match (a, b) {
            (Adjoint::One, other) | (other, Adjoint::One) => Product::Known(other),
            (Adjoint::MinusOne, Adjoint::MinusOne) => Product::Known(Adjoint::One),
            (Adjoint::MinusOne, Adjoint::Var(v)) | (Adjoint::Var(v), Adjoint::MinusOne) => {
                Product::Negative(v)
            }
            (Adjoint::Var(a), Adjoint::Var(b)) => Product::Of(a, b),
        }
    }

    fn product_value(&self, product: Product) -> Expr {
        let read = |v: VarId| Expr::Read(self.func.place(v));
        match product {
            Product::Known(adjoint) => self.value(&adjoint),
            Product::Negative(v) => Expr::Unary(UnOp::Neg, Box::new(read(v))),
            Product::Of(a, b) => binary(BinOp::Mul, read(a), read(b)),
            Product::Sum(old, product) => binary(BinOp::Add, old, self.product_value(*product)),
        }
    }

    fn value(&self, adjoint: &Adjoint) -> Expr {
        match adjoint {
            Adjoint::One => Expr::Lit("1.0".into(), Ty::F64),
            Adjoint::MinusOne => Expr::Unary(UnOp::Neg, Box::new(Expr::Lit("1.0".into(), Ty::F64))),
            Adjoint::Var(v) => Expr::Read(self.func.place(*v)),
        }
    }

    fn temp(&mut self, id: StmtId, name: &str, value: Expr, out: &mut Vec<Stmt>) -> VarId {
        let v = self.func.add_var(name, Ty::F64, Mode::Owned, Origin::Temp);
        let kind = StmtKind::Let(v, Some(value));
        out.push(Stmt { id, kind });
        v
    }

    /// Declares a variable in front of the body.
    fn declare(&mut self, name: &str, value: Expr, ty: Ty) -> VarId {
        let v = self.func.add_var(name, ty, Mode::Owned, Origin::Temp);
        let kind = StmtKind::Let(v, Some(value));
        self.declared.push(Stmt {
            id: StmtId(0),
            kind,
        });
        v
    }
}

/// A product of two values.
enum Product {
    Known(Adjoint),
    Negative(VarId),
    Of(VarId, VarId),
    Sum(Expr, Box<Product>),
}

/// Which labels lead to entries of the Jacobian.
fn needed(accumulated: &Accumulated) -> Vec<bool> {
    let mut needed = vec![false; accumulated.result.graph.labels()];
    for (_, label) in accumulated.result.graph.edges() {
        needed[label] = true;
    }
    for step in accumulated.result.accumulations.iter().rev() {
        if needed[step.label] {
            for label in step.factors.into_iter().chain(step.absorbed) {
                needed[label] = true;
            }
        }
    }
    needed
}

/// The value of a partial.
fn partial(partial: Partial, operands: &[Expr], result: &Expr) -> Expr {
    let used = |u: &Use| match u {
        Use::Operand(k) => operands[*k].clone(),
        Use::Result => result.clone(),
    };
    let one = || Expr::Lit("1.0".into(), Ty::F64);
    match partial {
        Partial::Zero => zero(),
        Partial::One => one(),
        Partial::MinusOne => Expr::Unary(UnOp::Neg, Box::new(one())),
        Partial::Operand(k) => operands[k].clone(),
        Partial::Result => result.clone(),
        Partial::Function(name, uses) => Expr::Partial(name, uses.iter().map(used).collect()),
        Partial::Product(factors) => {
            let factors = factors.iter().map(|f| self::partial(*f, operands, result));
            factors
                .reduce(|a, b| binary(BinOp::Mul, a, b))
                .unwrap_or_else(one)
        }
    }
}

fn zero() -> Expr {
    Expr::Lit("0.0".into(), Ty::F64)
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}
