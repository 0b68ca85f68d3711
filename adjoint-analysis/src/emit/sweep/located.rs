//! Where the user wrote what may panic: a panic of the forward sweep is reported there, as the function's own is.
//!
//! Rustc reports the place of an expression whose first and last tokens are the user's, and the attribute
//! for any other. Names of ours can't be at the user's place without meaning something else, but
//! brackets mean nothing: an operand that ends in a name stands in parentheses that are the user's.

use std::cell::Cell;
use std::rc::Rc;

use proc_macro2::{Delimiter, Ident, Span};

use crate::emit::Emit;
use crate::emit::piece::Piece;
use crate::ir::{Expr, Origin, Place, Proj, StmtId, VarId};

/// Where the user wrote the statements, and the one at hand.
#[derive(Clone, Default)]
pub struct Located {
    spans: Rc<[Span]>,
    here: Rc<Cell<Option<Span>>>,
}

impl Located {
    /// The statements stand there.
    pub fn of(spans: &[Span]) -> Located {
        Located {
            spans: spans.into(),
            here: Rc::default(),
        }
    }

    /// Where the statement stands.
    pub fn of_statement(&self, id: StmtId) -> Option<Span> {
        self.spans.get(id.index()).copied()
    }

    /// Prints what belongs to a statement.
    pub fn within(&self, id: StmtId, print: impl FnOnce() -> Piece) -> Piece {
        let around = self.here.replace(self.of_statement(id));
        let piece = print();
        self.here.set(around);
        piece
    }
}

impl Emit<'_> {
    /// Where the statement at hand stands, if it may panic where the user's does.
    fn here(&self) -> Option<Span> {
        self.located.here.get()
    }

    /// An index or a range, in brackets.
    pub fn bracketed(&self, index: Piece) -> Piece {
        let index = index.within(Delimiter::Bracket);
        match self.here() {
            Some(here) => index.delimited_at(here),
            None => index,
        }
    }

    /// The root of a place with these steps.
    pub fn located_root(&self, v: VarId, proj: &[Proj]) -> Piece {
        match self.here().filter(|_| may_panic(proj)) {
            Some(here) => self.located_name(v, here),
            None => self.name(v).clone().into(),
        }
    }

    /// The same, where the root is a half of a split.
    pub fn located_half(&self, name: &Ident, proj: &[Proj]) -> Piece {
        match self.here().filter(|_| may_panic(proj)) {
            Some(here) => self.in_parentheses(name.clone().into(), here),
            None => name.clone().into(),
        }
    }

    /// The name of a variable, as a whole expression. That of a parameter is the user's.
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

    /// An operand of an operation that may panic, printed as these tokens. The reverse sweep repeats operations that
    /// did not.
    pub fn located_operand(&self, e: &Expr, tokens: Piece) -> Piece {
        let Some(here) = self.here().filter(|_| !self.in_reverse) else {
            return tokens;
        };
        match e {
            Expr::Lit(..) if tokens.is_one_token() => tokens.at_user(here),
            Expr::Read(place) if self.is_name(place) => self.located_name(place.root, here),
            Expr::Read(place) if ends_in_brackets(place) => tokens,
            // Its operands are located already; it may stand in parentheses.
            Expr::Binary(..) => tokens.delimited_at(here),
            _ => self.in_parentheses(tokens, here),
        }
    }

    /// An operator whose operation may panic.
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
