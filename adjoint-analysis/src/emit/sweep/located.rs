//! Source positions of code that may panic, so that a panic in the forward sweep is reported where the user's function
//! would panic.
//!
//! Rustc reports the position of an expression if its first and last tokens have user spans, and the attribute
//! otherwise. A generated name can't get a user span, because it would resolve differently, but delimiters can: an
//! operand that ends in a name is put in parentheses with user spans.

use std::cell::Cell;
use std::rc::Rc;

use proc_macro2::{Delimiter, Ident, Span};

use crate::emit::Emit;
use crate::emit::piece::Piece;
use crate::ir::{Expr, Origin, Place, Proj, StmtId, VarId};

/// The positions of the user's statements, and of the current one.
#[derive(Clone, Default)]
pub struct Located {
    spans: Rc<[Span]>,
    here: Rc<Cell<Option<Span>>>,
}

impl Located {
    /// With these positions of the statements.
    pub fn of(spans: &[Span]) -> Located {
        Located {
            spans: spans.into(),
            here: Rc::default(),
        }
    }

    /// The position of the statement.
    pub fn of_statement(&self, id: StmtId) -> Option<Span> {
        self.spans.get(id.index()).copied()
    }

    /// Emits the code of a statement.
    pub fn within(&self, id: StmtId, print: impl FnOnce() -> Piece) -> Piece {
        let around = self.here.replace(self.of_statement(id));
        let piece = print();
        self.here.set(around);
        piece
    }
}

impl Emit<'_> {
    /// The position of the current statement.
    fn here(&self) -> Option<Span> {
        self.located.here.get()
    }

    /// An index or a range, in brackets at the current position.
    pub fn bracketed(&self, index: Piece) -> Piece {
        let index = index.within(Delimiter::Bracket);
        match self.here() {
            Some(here) => index.delimited_at(here),
            None => index,
        }
    }

    /// The root of a place with these projections, at the current position if they may panic.
    pub fn located_root(&self, v: VarId, proj: &[Proj]) -> Piece {
        match self.here().filter(|_| may_panic(proj)) {
            Some(here) => self.located_name(v, here),
            None => self.name(v).clone().into(),
        }
    }

    /// The same if the root is a reborrowed part.
    pub fn located_half(&self, name: &Ident, proj: &[Proj]) -> Piece {
        match self.here().filter(|_| may_panic(proj)) {
            Some(here) => self.in_parentheses(name.clone().into(), here),
            None => name.clone().into(),
        }
    }

    /// A variable's name as a whole expression; a parameter's name has a user span already.
    fn located_name(&self, v: VarId, here: Span) -> Piece {
        let mut name = self.name(v).clone();
        match self.plan.func.var(v).origin {
            Origin::Param => {
                name.set_span(name.span().located_at(here));
                name.into()
            }
            _ => self.in_parentheses(name.into(), here),
        }
    }

    fn in_parentheses(&self, inner: Piece, here: Span) -> Piece {
        inner.within(Delimiter::Parenthesis).delimited_at(here)
    }

    /// An operand of an operation that may panic. Only in the forward sweep: the reverse sweep repeats operations that
    /// did not panic.
    pub fn located_operand(&self, e: &Expr, tokens: Piece) -> Piece {
        let Some(here) = self.here().filter(|_| !self.in_reverse) else {
            return tokens;
        };
        match e {
            Expr::Lit(..) if tokens.is_one_token() => tokens.at_user(here),
            Expr::Read(place) if self.is_name(place) => self.located_name(place.root, here),
            Expr::Read(place) if ends_in_brackets(place) => tokens,
            // Its operands have positions already; it may be in parentheses.
            Expr::Binary(..) => tokens.delimited_at(here),
            _ => self.in_parentheses(tokens, here),
        }
    }

    /// The operator of an operation that may panic.
    pub fn located_operator(&self, operator: Piece) -> Piece {
        match self.here() {
            Some(here) => operator.at_user(here),
            None => operator,
        }
    }

    fn is_name(&self, place: &Place) -> bool {
        place.is_whole() && !self.is_deref(place)
    }
}

fn may_panic(proj: &[Proj]) -> bool {
    proj.iter().any(|step| {
        matches!(
            step,
            Proj::Index(_) | Proj::Range(..) | Proj::Head(_) | Proj::Tail(_)
        )
    })
}

fn ends_in_brackets(place: &Place) -> bool {
    let first = place.proj.first();
    let enters = matches!(first, Some(Proj::Variant(..) | Proj::Deref));
    !enters && matches!(place.proj.last(), Some(Proj::Index(_)))
}
