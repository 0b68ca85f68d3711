//! A function under construction: lowering creates it, and the passes of this module rewrite it.

use proc_macro2::{Span, TokenStream};

use super::code::{CaptureMode, Code};
use super::references::Reference;
use crate::ir::{CodeId, Func, Mode, Origin, StmtId, Ty, VarId};
use crate::refuse::Refusals;

/// A function with the data that its IR refers to.
#[derive(Debug)]
pub struct Draft {
    /// The function.
    pub func: Func,
    /// The source position of each statement.
    pub spans: Vec<Span>,
    /// The user's code that the IR refers to.
    pub code: Vec<Code>,
    /// The position of the return type.
    pub return_span: Span,
    /// The references that are chosen or moved at run time.
    pub references: Vec<Reference>,
    /// Whether exits became flags, so that rustc can't follow which path assigned what.
    pub has_exit_flags: bool,
    /// The refusals.
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
            return_span: Span::call_site(),
            references: Vec::new(),
            has_exit_flags: false,
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

    /// Adds opaque code.
    pub fn add_code(&mut self, tokens: TokenStream, by: Vec<CaptureMode>) -> CodeId {
        self.code.push(Code { tokens, modes: by });
        CodeId(self.code.len() as u32 - 1)
    }
}
