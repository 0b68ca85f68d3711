//! Loops of which some iterations are run on their own, so that conditions on the index are settled in all others.

use super::construct::binary;
use super::{BinOp, Block, Expr, Range, Stmt, StmtKind, Ty, UnOp};

/// The iterations that a distributed loop runs as they are, and what that makes of the others.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Peeled {
    /// How many of those with the least indices.
    pub first: usize,
    /// How many of those with the greatest indices.
    pub last: usize,
    /// Expressions of the body, and what they are in the other iterations.
    pub inside: Vec<[Expr; 2]>,
}

impl Peeled {
    /// Whether nothing is peeled and replaced.
    pub fn is_none(&self) -> bool {
        self.first == 0 && self.last == 0 && self.inside.is_empty()
    }

    /// The least index of the other iterations, if there are any.
    pub fn start(&self, range: &Range) -> Expr {
        match self.first {
            0 => range.lo.clone(),
            n => {
                let n = Expr::Lit(n.to_string(), range.ty.clone());
                binary(BinOp::Add, range.lo.clone(), n)
            }
        }
    }

    /// The body of the other iterations.
    pub fn interior(&self, body: &Block) -> Block {
        let mut stmts = Vec::new();
        for stmt in &body.stmts {
            self.stmt(stmt, &mut stmts);
        }
        Block::new(stmts)
    }

    fn stmt(&self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let mut own = stmt.clone();
        for e in own.operands_mut() {
            self.replace(e);
        }
        if let StmtKind::If(condition, yes, no) = &own.kind
            && let Some(holds) = truth(condition)
        {
            let arm = if holds { yes } else { no };
            return out.extend(self.interior(arm).stmts);
        }
        for inner in own.blocks_mut() {
            *inner = self.interior(inner);
        }
        out.push(own);
    }

    fn replace(&self, e: &mut Expr) {
        if let Some([_, value]) = self.inside.iter().find(|[from, _]| from == e) {
            *e = value.clone();
            return;
        }
        for child in e.children_mut() {
            self.replace(child);
        }
        if let Some(folded) = folded(e) {
            *e = folded;
        }
    }
}

/// A literal.
pub fn boolean(value: bool) -> Expr {
    Expr::Lit(value.to_string(), Ty::Bool)
}

/// The value of a literal.
pub fn truth(e: &Expr) -> Option<bool> {
    match e {
        Expr::Lit(text, Ty::Bool) => text.parse().ok(),
        _ => None,
    }
}

/// What an operation on literal truth values is.
fn folded(e: &Expr) -> Option<Expr> {
    match e {
        Expr::Unary(UnOp::Not, a) => truth(a).map(|a| boolean(!a)),
        Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let decides = *op == BinOp::Or;
            match (truth(a), truth(b)) {
                (Some(a), _) if a == decides => Some(boolean(decides)),
                (Some(_), _) => Some((**b).clone()),
                (_, Some(b)) if b != decides => Some((**a).clone()),
                _ => None,
            }
        }
        Expr::Select(of, _) => {
            let [condition, yes, no] = &**of;
            truth(condition).map(|c| if c { yes } else { no }.clone())
        }
        _ => None,
    }
}
