//! Inverses as a user would write them.

use super::view::{View, markdown_code};
use crate::emit::public::documentation::join_names;
use crate::ir::{BinOp, Expr, StmtId, StmtKind, Ty, UnOp};
use crate::passes::inversion::sums::PAIRS;

/// The value that comes back, as code.
pub struct Formula {
    /// The code, in which trip counts have names.
    pub code: String,
    /// The loops that these are of, each with its name.
    pub trips: Vec<(String, StmtId)>,
}

impl Formula {
    /// The code, and what its names stand for.
    pub fn sentence(&self, view: &View<'_>) -> String {
        match &self.trips[..] {
            [(name, of)] if *name == self.code => {
                format!("the trip count of {}", view.quoted_line(*of))
            }
            [] => markdown_code(&self.code),
            trips => {
                let meaning = |(name, of): &(String, StmtId)| {
                    let of = view.quoted_line(*of);
                    format!("{} is the trip count of {of}", markdown_code(name))
                };
                let meanings: Vec<String> = trips.iter().map(meaning).collect();
                let code = markdown_code(&self.code);
                format!("{code}, where {}", join_names(&meanings))
            }
        }
    }
}

/// The formula of an expression.
pub fn formula(view: &View<'_>, e: &Expr) -> Formula {
    let mut formula = Formula {
        code: view.expr(&plain(e)),
        trips: Vec::new(),
    };
    let mut loops: Vec<(StmtId, Expr)> = Vec::new();
    view.func().body.walk(&mut |s| {
        // Other trip counts read well as they are.
        if matches!(s.kind, StmtKind::Loop(..))
            && let Some(trips @ Expr::Discrete(..)) = view.control().trips_of(s)
        {
            loops.push((s.id, trips));
        }
    });
    for (id, trips) in loops {
        let call = view.expr(&plain(&trips));
        if formula.code.contains(&call) {
            let name = match formula.trips.len() {
                0 => String::from("trips"),
                n => format!("trips_{}", n + 1),
            };
            formula.code = formula.code.replace(&call, &name);
            formula.trips.push((name, id));
        }
    }
    formula
}

/// The expression with operators in place of wrapping methods, without sums that add nothing.
fn plain(e: &Expr) -> Expr {
    let mut e = e.clone();
    for child in e.children_mut() {
        *child = plain(child);
    }
    let is_lit = |e: &Expr, text: &str| matches!(e, Expr::Lit(lit, Ty::Int(_)) if lit == text);
    let operator = match &e {
        Expr::Discrete(name, args, _) => match (name.as_str(), &args[..]) {
            (PAIRS, [n]) => {
                let before = binary(BinOp::Sub, n.clone(), literal("1"));
                let ordered = binary(BinOp::Mul, n.clone(), before);
                return binary(BinOp::Div, ordered, literal("2"));
            }
            ("wrapping_neg", [a]) => return Expr::Unary(UnOp::Neg, Box::new(a.clone())),
            ("wrapping_add", [a, b]) => Some((BinOp::Add, a, b)),
            ("wrapping_sub", [a, b]) => Some((BinOp::Sub, a, b)),
            ("wrapping_mul", [a, b]) => Some((BinOp::Mul, a, b)),
            _ => None,
        },
        Expr::Binary(op, a, b) => Some((*op, &**a, &**b)),
        _ => None,
    };
    let Some((op, a, b)) = operator else { return e };
    match op {
        BinOp::Add if is_lit(a, "0") => b.clone(),
        BinOp::Add | BinOp::Sub if is_lit(b, "0") => a.clone(),
        _ => binary(op, a.clone(), b.clone()),
    }
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn literal(text: &str) -> Expr {
    Expr::Lit(text.into(), Ty::USIZE)
}
