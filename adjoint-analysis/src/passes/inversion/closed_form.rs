//! What loops leave in `usize` variables that their iterations change by sums: closed forms of induction variables.
//!
//! The body is evaluated once to polynomials ([`super::polynomial`]) in what the variables hold when an iteration starts.
//! A variable that grows by `d` then holds `before + Σ d` behind the loop ([`super::sums`]); loops inside are summed first.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Trips;
use super::polynomial::Polynomial;
use super::sums::{self, Bounds, Iterations, PAIRS, Progression};
use crate::ir::{BinOp, Block, Expr, Func, LoopHead, Place, Range, Rev, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::loop_exits::TRIPS;
use crate::passes::control::trips::{TRIPS_UP, leaves};

/// A polynomial in what variables hold where an iteration, or the loop, starts, and in what the loop doesn't change.
type Value = Polynomial<usize>;

/// The values of variables, in terms of those where they were read first; `None`: nothing is known.
type Values = BTreeMap<VarId, Option<Value>>;

/// The variables that hold a polynomial behind the loop, in terms of what others hold before it.
pub fn behind_loop(func: &Func, stmt: &Stmt, trips: &Trips<'_>) -> Vec<(VarId, Expr)> {
    let StmtKind::Loop(head, body) = &stmt.kind else {
        return Vec::new();
    };
    let mut within = BTreeSet::new();
    Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
        within.extend(changed(s))
    });
    let form = ClosedForm {
        func,
        trips,
        changed: within,
        atoms: RefCell::default(),
        bounds: RefCell::default(),
    };
    let mut values = Values::new();
    form.repeat(stmt, head, body, &mut values);
    let known = values
        .into_iter()
        .filter_map(|(v, value)| Some((v, form.expr(&value?)?)));
    known.collect()
}

/// The variables that the statement, blocks inside aside, writes or declares.
fn changed(stmt: &Stmt) -> Vec<VarId> {
    let written = stmt.written().into_iter().map(|p| p.root);
    let index = match &stmt.kind {
        StmtKind::Loop(LoopHead::Counted(index, _), _) => Some(*index),
        _ => None,
    };
    written.chain(stmt.declared()).chain(index).collect()
}

struct ClosedForm<'a> {
    func: &'a Func,
    trips: &'a Trips<'a>,
    /// What the outermost loop changes.
    changed: BTreeSet<VarId>,
    /// Variables, and expressions over what the outermost loop doesn't change.
    atoms: RefCell<Vec<Expr>>,
    /// Those of the indices of the loops around, where the outermost loop doesn't change them.
    bounds: RefCell<HashMap<usize, Bounds<usize>>>,
}

impl ClosedForm<'_> {
    fn atom(&self, e: Expr) -> usize {
        let mut atoms = self.atoms.borrow_mut();
        let known = atoms.iter().position(|atom| *atom == e);
        known.unwrap_or_else(|| {
            atoms.push(e);
            atoms.len() - 1
        })
    }

    fn variable(&self, v: VarId) -> usize {
        self.atom(Expr::Read(self.func.place(v)))
    }

    /// The variable that the atom is.
    fn var_of(&self, atom: usize) -> Option<VarId> {
        match &self.atoms.borrow()[atom] {
            Expr::Read(p) if is_whole_usize(p) => Some(p.root),
            _ => None,
        }
    }

    /// Whether the outermost loop leaves the atom as it is.
    fn is_fixed(&self, atom: usize) -> bool {
        let needs = self.atoms.borrow()[atom].needs(self.func);
        needs.iter().all(|v| !self.changed.contains(v))
    }

    fn is_usize(&self, v: VarId) -> bool {
        self.func.var(v).ty == Ty::USIZE
    }

    fn read(&self, v: VarId, values: &Values) -> Option<Value> {
        let at_start = || Some(Polynomial::atom(self.variable(v)));
        values.get(&v).cloned().unwrap_or_else(at_start)
    }

    fn eval(&self, e: &Expr, values: &Values) -> Option<Value> {
        if e.ty(self.func) != Ty::USIZE {
            return None;
        }
        let known = match e {
            Expr::Lit(text, _) => text.parse().ok().map(Polynomial::constant),
            Expr::Read(p) if is_whole_usize(p) => return self.read(p.root, values),
            Expr::Binary(op, a, b) => self.operation(*op, a, b, values),
            Expr::Discrete(name, args, _) => match (name.as_str(), &args[..]) {
                (TRIPS | TRIPS_UP, [lo, hi, inclusive, step]) if is_lit(step, "1") => {
                    self.length(lo, hi, is_lit(inclusive, "true"), values)
                }
                _ => None,
            },
            _ => None,
        };
        let fixed = || {
            let atom = self.atom(e.clone());
            self.is_fixed(atom).then(|| Polynomial::atom(atom))
        };
        known.or_else(fixed)
    }

    fn operation(&self, op: BinOp, a: &Expr, b: &Expr, values: &Values) -> Option<Value> {
        let operands = || Some((self.eval(a, values)?, self.eval(b, values)?));
        match (op, operands()?) {
            (BinOp::Add, (a, b)) => a.plus(&b, 1),
            (BinOp::Sub, (a, b)) => a.plus(&b, -1),
            (BinOp::Mul, (a, b)) => a.times(&b),
            _ => None,
        }
    }

    fn length(&self, lo: &Expr, hi: &Expr, inclusive: bool, values: &Values) -> Option<Value> {
        let (lo, hi) = (self.eval(lo, values)?, self.eval(hi, values)?);
        let bounds = |atom: &usize| self.bounds.borrow().get(atom).cloned();
        sums::length(&lo, &hi, inclusive, &bounds)
    }

    fn block(&self, block: &Block, values: &mut Values) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Let(v, Some(e)) if self.is_usize(*v) => {
                    let value = self.eval(e, values);
                    values.insert(*v, value);
                }
                StmtKind::Assign(p, e) if is_whole_usize(p) => {
                    let value = self.eval(e, values);
                    values.insert(p.root, value);
                }
                StmtKind::If(_, then, els) => {
                    let mut other = values.clone();
                    self.block(then, values);
                    self.block(els, &mut other);
                    self.join(values, &other);
                }
                StmtKind::Loop(head, body) => self.repeat(stmt, head, body, values),
                _ => values.extend(changed(stmt).into_iter().map(|v| (v, None))),
            }
        }
    }

    fn join(&self, values: &mut Values, other: &Values) {
        let vars: BTreeSet<VarId> = values.keys().chain(other.keys()).copied().collect();
        for v in vars {
            let (a, b) = (self.read(v, values), self.read(v, other));
            values.insert(v, a.filter(|a| Some(a) == b.as_ref()));
        }
    }

    /// All iterations of a loop.
    fn repeat(&self, stmt: &Stmt, head: &LoopHead, body: &Block, values: &mut Values) {
        let index = match head {
            LoopHead::Counted(v, range) => self.index(*v, range, values),
            _ => None,
        };
        let mut ends = Values::new();
        self.block(body, &mut ends);
        let iterations = self.iterations(stmt, values).filter(|_| !leaves(body));
        let run = iterations.map(|iterations| Run {
            form: self,
            index,
            iterations,
            ends: &ends,
            before: values,
        });
        let left = |v: &VarId| (*v, run.as_ref().and_then(|run| run.left(*v)));
        let left: Values = ends.keys().map(left).collect();
        values.extend(left);
    }

    /// The index with its values, in terms of what is known before the loop; notes its bounds.
    fn index(
        &self,
        v: VarId,
        range: &Range,
        before: &Values,
    ) -> Option<(usize, Progression<usize>)> {
        if range.step.is_some() || range.ty != Ty::USIZE {
            return None;
        }
        let first = self.eval(&range.lo, before)?;
        let open = i128::from(!range.inclusive);
        let last = self
            .eval(&range.hi, before)?
            .plus(&Polynomial::constant(open), -1)?;
        let (start, step) = match range.rev {
            Rev::No => (&first, 1),
            _ => (&last, -1),
        };
        let progression = Progression {
            first: start.clone(),
            step: Polynomial::constant(step),
        };
        let atom = self.variable(v);
        let mut bounds = self.bounds.borrow_mut();
        let is_known = |a: &usize| self.is_fixed(*a) || bounds.contains_key(a);
        if [&first, &last].iter().all(|end| end.atoms().all(is_known)) {
            bounds.insert(atom, Bounds { first, last });
        }
        Some((atom, progression))
    }

    fn iterations(&self, stmt: &Stmt, before: &Values) -> Option<Iterations<usize>> {
        let trips = self.eval(&(self.trips)(stmt)?, before)?;
        let pairs = Expr::Discrete(PAIRS.into(), vec![self.expr(&trips)?], Ty::USIZE);
        let pairs = Polynomial::atom(self.atom(pairs));
        Some(Iterations { trips, pairs })
    }

    /// The polynomial in wrapping form.
    fn expr(&self, value: &Value) -> Option<Expr> {
        let apply = |name: &str, a, b| Expr::Discrete(name.into(), vec![a, b], Ty::USIZE);
        let mut sum: Option<Expr> = None;
        // Differences come last, so that the first term needs no sign.
        let mut terms: Vec<_> = value.terms().collect();
        terms.sort_by_key(|(_, n)| *n < 0);
        for (atoms, n) in terms {
            let count = u32::try_from(n.unsigned_abs()).ok()?;
            let factors = atoms.iter().map(|a| self.atoms.borrow()[*a].clone());
            let literal = (count != 1 || atoms.is_empty()).then(|| lit(&count.to_string()));
            let product = factors.chain(literal);
            let product = product.reduce(|a, b| apply("wrapping_mul", a, b))?;
            sum = Some(match (sum, n > 0) {
                (None, true) => product,
                (None, false) => apply("wrapping_sub", lit("0"), product),
                (Some(sum), true) => apply("wrapping_add", sum, product),
                (Some(sum), false) => apply("wrapping_sub", sum, product),
            });
        }
        Some(sum.unwrap_or_else(|| lit("0")))
    }
}

/// All iterations of a loop.
struct Run<'r> {
    form: &'r ClosedForm<'r>,
    index: Option<(usize, Progression<usize>)>,
    iterations: Iterations<usize>,
    /// The values at the end of an iteration.
    ends: &'r Values,
    /// Those before the loop.
    before: &'r Values,
}

impl Run<'_> {
    /// What the variable holds behind the loop.
    fn left(&self, v: VarId) -> Option<Value> {
        let progression = |atom: &usize| self.progression(*atom);
        let sum = sums::sum(&self.change(v)?, &self.iterations, &progression)?;
        self.form.read(v, self.before)?.plus(&sum, 1)
    }

    /// By how much an iteration changes the variable.
    fn change(&self, v: VarId) -> Option<Value> {
        let start = Polynomial::atom(self.form.variable(v));
        self.form.read(v, self.ends)?.plus(&start, -1)
    }

    fn progression(&self, atom: usize) -> Option<Progression<usize>> {
        if let Some((index, progression)) = &self.index
            && *index == atom
        {
            return Some(progression.clone());
        }
        Some(match self.form.var_of(atom) {
            Some(v) => Progression {
                first: self.form.read(v, self.before)?,
                step: self.change(v)?.substituted(&|a| self.unchanged(*a))?,
            },
            None => Progression {
                first: self.unchanged(atom)?,
                step: Polynomial::constant(0),
            },
        })
    }

    /// The value of an atom that no iteration changes.
    fn unchanged(&self, atom: usize) -> Option<Value> {
        let is_index = self.index.as_ref().is_some_and(|(index, _)| *index == atom);
        match self.form.var_of(atom) {
            Some(v) if !is_index && self.change(v)?.as_constant() == Some(0) => {
                self.form.read(v, self.before)
            }
            None if self.form.is_fixed(atom) => Some(Polynomial::atom(atom)),
            _ => None,
        }
    }
}

fn is_whole_usize(p: &Place) -> bool {
    p.is_whole() && p.ty == Ty::USIZE
}

fn is_lit(e: &Expr, text: &str) -> bool {
    matches!(e, Expr::Lit(lit, _) if lit == text)
}

fn lit(text: &str) -> Expr {
    Expr::Lit(text.into(), Ty::USIZE)
}
