//! The code of partials and entries.

use std::collections::BTreeMap;

use super::Preaccumulated;
use super::rows::{Row, Rows, leaf};
use crate::ir::construct::{binary, derived, unit_lit};
use crate::ir::{BinOp, Expr, Mode, Origin, Stmt, StmtId, StmtKind, UnOp};
use crate::passes::flattening::flatten::{Flattened, Local};
use crate::passes::flattening::graph::{Label, Vertex};
use crate::passes::flattening::partials::partial;
use crate::rules::{Partial, Use};

/// A product, from the output's side on.
#[derive(Clone, Default)]
struct Product {
    /// None is 1.
    value: Option<Expr>,
    is_negative: bool,
}

/// The factors of a partial, from the output's side on.
struct Factors {
    values: Vec<Expr>,
    is_negative: bool,
}

/// A value, and where it can be read.
type Known = (Expr, Expr);

/// Writes the statements of a graph.
pub struct Entries<'a> {
    result: &'a mut Preaccumulated,
    flat: &'a Flattened,
    rows: &'a Rows,
    /// The partials that each label is the sum of.
    factors: BTreeMap<Label, Vec<Factors>>,
    out: &'a mut Vec<Stmt>,
}

impl<'a> Entries<'a> {
    /// A writer to `out`.
    pub fn new(
        result: &'a mut Preaccumulated,
        flat: &'a Flattened,
        rows: &'a Rows,
        out: &'a mut Vec<Stmt>,
    ) -> Entries<'a> {
        Entries {
            result,
            flat,
            rows,
            factors: BTreeMap::new(),
            out,
        }
    }

    /// Writes the statements with the partials and entries of their rows.
    pub fn statements(&mut self, stmts: &[Stmt]) {
        let needed = self.rows.labels(self.flat);
        for (at, stmt) in stmts.iter().enumerate() {
            let labels = self.flat.statements[at].1.clone();
            let labels: Vec<Label> = labels.filter(|l| needed.contains(l)).collect();
            let rows: Vec<&Row> = self.rows.rows.iter().filter(|r| r.stmt == at).collect();
            match &stmt.kind {
                StmtKind::Let(v, Some(value)) if rows.is_empty() => {
                    self.out.push(stmt.clone());
                    let read = Expr::Read(self.result.func.place(*v));
                    self.partials(stmt.id, &labels, Some((value.clone(), read)));
                }
                _ => self.output(stmt.clone(), &labels, &rows),
            }
        }
    }

    /// A statement that may overwrite what its partials read, or has rows: these come first.
    fn output(&mut self, mut stmt: Stmt, labels: &[Label], rows: &[&Row]) {
        let id = stmt.id;
        let (StmtKind::Let(_, Some(value)) | StmtKind::Assign(_, value) | StmtKind::Incr(_, value)) =
            &mut stmt.kind
        else {
            return self.out.push(stmt);
        };
        let locals = labels.iter().flat_map(|l| &self.flat.labels[*l]);
        let mut results = locals.filter(|local| local.partial.uses().contains(&Use::Result));
        let mut known = None;
        if results.any(|local| local.result == *value) {
            let read = self.temp(id, "value", value.clone());
            known = Some((std::mem::replace(value, read.clone()), read));
        }
        self.partials(id, labels, known);
        for row in rows {
            let gradient = self.row(id, row);
            let components = self.flat.results[row.stmt].len();
            if let Some(leaf) = leaf(value, row.component, components) {
                let value = std::mem::replace(leaf, self.unit(false));
                *leaf = Expr::Preaccumulated(Box::new(value), gradient);
            }
        }
        self.out.push(stmt);
    }

    /// The partials of labels.
    fn partials(&mut self, id: StmtId, labels: &[Label], known: Option<Known>) {
        let flat = self.flat;
        for label in labels {
            let locals = flat.labels[*label].iter();
            let factors = locals.map(|local| self.factors(id, local, known.as_ref()));
            let factors = factors.collect();
            self.factors.insert(*label, factors);
        }
    }

    fn factors(&mut self, id: StmtId, local: &Local, known: Option<&Known>) -> Factors {
        let result = match known {
            Some((whole, read)) if *whole == local.result => read,
            _ => &local.result,
        };
        let mut factors = Factors {
            values: Vec::new(),
            is_negative: false,
        };
        for factor in local.partial.factors() {
            match (
                factor,
                partial(*factor, &local.operands, result, &self.rows.ty),
            ) {
                (Partial::One, _) => {}
                (Partial::MinusOne, _) => factors.is_negative ^= true,
                (_, literal @ Expr::Lit(..)) => factors.values.push(literal),
                (_, value) => {
                    let value = self.temp(id, "partial", value);
                    factors.values.push(value);
                }
            }
        }
        factors
    }

    /// The entries of a row.
    fn row(&mut self, id: StmtId, row: &Row) -> Vec<[Expr; 2]> {
        let flat = self.flat;
        let mut terms: BTreeMap<Vertex, Vec<Product>> = BTreeMap::new();
        terms.insert(row.output, vec![Product::default()]);
        for v in row.vertices.iter().rev() {
            let edges = row.edges_into(*v, flat);
            if edges.is_empty() {
                continue;
            }
            let sum = self.sum(id, terms.remove(v).unwrap_or_default());
            for (from, label) in edges {
                let passed = self.factors.get(&label).into_iter().flatten();
                let passed = passed.map(|factors| sum.times(factors));
                terms.entry(from).or_default().extend(passed);
            }
        }
        let mut gradient = Vec::new();
        for (v, place) in &row.inputs {
            let entry = self.sum(id, terms.remove(v).unwrap_or_default());
            gradient.push([Expr::Read(place.clone()), self.product(entry)]);
        }
        gradient
    }

    /// The sum of products, in a variable unless it is one already, or a literal.
    fn sum(&mut self, id: StmtId, terms: Vec<Product>) -> Product {
        if let [product] = &terms[..]
            && product.value.as_ref().is_none_or(is_simple)
        {
            return product.clone();
        }
        let mut terms = terms.into_iter();
        let first = self.product(terms.next().unwrap_or_default());
        let sum = terms.fold(first, |sum, term| {
            let op = match term.is_negative {
                true => BinOp::Sub,
                false => BinOp::Add,
            };
            let term = Product {
                is_negative: false,
                ..term
            };
            binary(op, sum, self.product(term))
        });
        Product {
            value: Some(self.temp(id, "entry", sum)),
            is_negative: false,
        }
    }

    fn product(&self, product: Product) -> Expr {
        match (product.value, product.is_negative) {
            (None, is_negative) => self.unit(is_negative),
            (Some(value), false) => value,
            (Some(value), true) => Expr::Unary(UnOp::Neg, Box::new(value)),
        }
    }

    fn unit(&self, is_negative: bool) -> Expr {
        unit_lit(is_negative, &self.rows.ty)
    }

    /// A new variable with this value, read.
    fn temp(&mut self, of: StmtId, name: &str, value: Expr) -> Expr {
        let func = &mut self.result.func;
        let v = func.add_var(name, self.rows.ty.clone(), Mode::Owned, Origin::Temp);
        let kind = StmtKind::Let(v, Some(value));
        let stmt = derived(&mut self.result.origins, of, kind);
        self.out.push(stmt);
        Expr::Read(self.result.func.place(v))
    }
}

/// Whether it is a literal, which is finite.
fn is_literal(e: &Expr) -> bool {
    matches!(e, Expr::Lit(..))
}

fn is_simple(e: &Expr) -> bool {
    is_literal(e) || matches!(e, Expr::Read(_))
}

impl Product {
    /// The product with one more partial: where it is 0, it stays so.
    fn times(&self, factors: &Factors) -> Product {
        let mut product = self.clone();
        product.is_negative ^= factors.is_negative;
        for factor in &factors.values {
            product.value = Some(match product.value {
                None => factor.clone(),
                Some(value) if is_literal(factor) => binary(BinOp::Mul, value, factor.clone()),
                Some(value) => Expr::Scale(Box::new(value), Box::new(factor.clone())),
            });
        }
        product
    }
}
