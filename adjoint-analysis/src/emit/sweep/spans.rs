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
use crate::emit::token_buf::TokenBuf;
use crate::ir::{Expr, Origin, Place, Proj, StmtId, VarId};

/// The positions of the user's statements, and of the current one.
#[derive(Clone, Default)]
pub struct StmtSpans {
    spans: Rc<[Span]>,
    current: Rc<Cell<Option<Span>>>,
}

impl StmtSpans {
    /// With these positions of the statements.
    pub fn of(spans: &[Span]) -> StmtSpans {
        StmtSpans {
            spans: spans.into(),
            current: Rc::default(),
        }
    }

    /// The position of the statement.
    pub fn stmt_span(&self, id: StmtId) -> Option<Span> {
        self.spans.get(id.index()).copied()
    }

    /// Emits the code of a statement.
    pub fn at_stmt(&self, id: StmtId, print: impl FnOnce() -> TokenBuf) -> TokenBuf {
        let around = self.current.replace(self.stmt_span(id));
        let piece = print();
        self.current.set(around);
        piece
    }
}

impl Emit<'_> {
    /// The position of the current statement.
    pub(super) fn current_span(&self) -> Option<Span> {
        self.stmt_spans.current.get()
    }

    /// An index or a range, in brackets at the current position.
    pub fn bracketed(&self, index: TokenBuf) -> TokenBuf {
        let index = index.delimited(Delimiter::Bracket);
        match self.current_span() {
            Some(here) => index.with_delimiter_span(here),
            None => index,
        }
    }

    /// The root of a place with these projections, at the current position if they may panic.
    pub fn located_root(&self, v: VarId, proj: &[Proj]) -> TokenBuf {
        match self.current_span().filter(|_| may_panic(proj)) {
            Some(here) => self.located_name(v, here),
            None => self.name(v).clone().into(),
        }
    }

    /// The same if the root is a reborrowed part.
    pub fn located_part(&self, name: &Ident, proj: &[Proj]) -> TokenBuf {
        match self.current_span().filter(|_| may_panic(proj)) {
            Some(here) => self.in_parentheses(name.clone().into(), here),
            None => name.clone().into(),
        }
    }

    /// A variable's name as a whole expression; a parameter's name has a user span already.
    fn located_name(&self, v: VarId, here: Span) -> TokenBuf {
        let mut name = self.name(v).clone();
        match self.plan.func.var(v).origin {
            Origin::Param => {
                name.set_span(name.span().located_at(here));
                name.into()
            }
            _ => self.in_parentheses(name.into(), here),
        }
    }

    fn in_parentheses(&self, inner: TokenBuf, here: Span) -> TokenBuf {
        inner
            .delimited(Delimiter::Parenthesis)
            .with_delimiter_span(here)
    }

    /// An operand of an operation that may panic. Only in the forward sweep: the reverse sweep repeats operations that
    /// did not panic.
    pub fn located_operand(&self, e: &Expr, tokens: TokenBuf) -> TokenBuf {
        let Some(here) = self.current_span().filter(|_| !self.in_reverse) else {
            return tokens;
        };
        match e {
            Expr::Lit(..) if tokens.is_one_token() => tokens.with_span(here),
            Expr::Read(place) if self.is_name(place) => self.located_name(place.root, here),
            Expr::Read(place) if ends_in_brackets(place) => tokens,
            // Its operands have positions already; it may be in parentheses.
            Expr::Binary(..) => tokens.with_delimiter_span(here),
            _ => self.in_parentheses(tokens, here),
        }
    }

    /// The operator of an operation that may panic.
    pub fn located_operator(&self, operator: TokenBuf) -> TokenBuf {
        match self.current_span() {
            Some(here) => operator.with_span(here),
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
