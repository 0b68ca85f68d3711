//! A function in the making: lowering writes it, and the passes of this module rewrite it.

use proc_macro2::{Span, TokenStream};

use super::code::{By, Code};
use super::references::Reference;
use crate::ir::{CodeId, Func, Mode, Origin, StmtId, Ty, VarId};
use crate::refuse::Refusals;

/// The function, and what stands beside its IR.
#[derive(Debug)]
pub struct Draft {
    /// The function.
    pub func: Func,
    /// The source position of each statement.
    pub spans: Vec<Span>,
    /// The user's code that the IR refers to.
    pub code: Vec<Code>,
    /// Where the type of the returned value stands.
    pub output: Span,
    /// The references that are chosen or moved at run time.
    pub references: Vec<Reference>,
    /// Whether flags say which way was left early, so that rustc can't follow which way assigned what.
    pub flagged: bool,
    /// What was refused.
    pub refusals: Refusals,
}

/// The type of a field, by the names of its struct and its own.
pub type FieldTypes<'a> = dyn Fn(&str, &str) -> Option<Ty> + 'a;

impl Default for Draft {
    fn default() -> Draft {
        Draft {
            func: Func::default(),
            spans: Vec::new(),
            code: Vec::new(),
            output: Span::call_site(),
            references: Vec::new(),
            flagged: false,
            refusals: Refusals::default(),
        }
    }
}

impl Draft {
    /// The id of a new statement at this position.
    pub fn stmt_id(&mut self, span: Span) -> StmtId {
        self.spans.push(span);
        StmtId(self.spans.len() as u32 - 1)
    }

    /// A new variable.
    pub fn new_var(&mut self, name: &str, ty: Ty, origin: Origin) -> VarId {
        self.func.add_var(name, ty, Mode::Owned, origin)
    }

    /// Adds code of the user's.
    pub fn add_code(&mut self, tokens: TokenStream, by: Vec<By>) -> CodeId {
        self.code.push(Code { tokens, by });
        CodeId(self.code.len() as u32 - 1)
    }
}
