//! The parser of the text form, whose grammar the module [`crate::ir`] states: recursive descent
//! over a small tokenizer.

mod expr;
mod lex;
mod plan;
mod stmt;
mod ty;

pub use self::plan::plan;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use self::lex::Lexer;
use super::syntax;
use crate::ir::{Func, Mode, Origin, Var, VarId};

/// A syntax error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The message, one sentence.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Boxed, so that results stay small on the stack of a deep expression.
type Parsed<T> = Result<T, Box<ParseError>>;

/// Reads a function. Statements without an id are numbered: each gets one more than the largest id
/// before it, the first 0.
pub fn func(text: &str) -> Result<Func, ParseError> {
    let mut parser = Parser::new(text);
    parser.func().and_then(|()| parser.end()).map_err(|e| *e)?;
    Ok(parser.func)
}

struct Parser<'a> {
    lex: Lexer<'a>,
    func: Func,
    names: HashMap<String, VarId>,
    /// The type parameters that carry floats.
    floats: BTreeSet<String>,
    /// The id of the next statement that has none.
    next_id: u32,
}

/// The origin in a declaration, which may refer to variables and loops that come later.
enum OriginMark {
    Default,
    Plain(Origin),
    Adjoint(String),
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let func = Func::default();
        Parser {
            lex: Lexer::new(text),
            func,
            names: HashMap::new(),
            floats: BTreeSet::new(),
            next_id: 0,
        }
    }

    fn end(&mut self) -> Parsed<()> {
        match self.lex.peek() {
            "" => Ok(()),
            _ => self.lex.expected("the end of the text"),
        }
    }

    /// Parses comma-separated items up to the closing token.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.lex.eat(close) {
            items.push(item(self)?);
            if !self.lex.eat(",") {
                self.lex.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn var(&mut self) -> Parsed<VarId> {
        let before = self.lex.clone();
        let name = self.lex.name()?;
        match self.names.get(&name) {
            Some(&id) => Ok(id),
            None => before.error(format!("there is no variable `{name}`")),
        }
    }

    fn func(&mut self) -> Parsed<()> {
        self.lex.expect("fn")?;
        self.func.name = self.lex.path()?;
        self.lex.expect("(")?;
        // The declarations that follow give them types.
        let header = self.lex.clone();
        self.list(")", |p| p.lex.name())?;
        if self.lex.eat("->") {
            self.lex.name()?;
        }
        self.lex.expect("{")?;
        let marks = self.declarations()?;
        let body = std::mem::replace(&mut self.lex, header);
        self.func.params = self.list(")", |p| p.var())?;
        if self.lex.eat("->") {
            self.func.ret = Some(self.var()?);
        }
        self.lex = body;
        self.func.body = self.block()?;
        self.origins(marks)
    }

    fn declarations(&mut self) -> Parsed<Vec<OriginMark>> {
        let mut marks = Vec::new();
        while !self.lex.eat("}") {
            if self.lex.eat("types") {
                let names = self.list(";", |p| p.lex.path())?;
                self.floats.extend(names);
            } else {
                self.lex.expect("var")?;
                marks.push(self.declaration()?);
            }
        }
        Ok(marks)
    }

    fn declaration(&mut self) -> Parsed<OriginMark> {
        let before = self.lex.clone();
        let name = self.lex.name()?;
        if self
            .names
            .insert(name.clone(), VarId(self.func.vars.len() as u32))
            .is_some()
        {
            return before.error(format!("the variable `{name}` is declared twice"));
        }
        self.lex.expect(":")?;
        let mode = match self.lex.eat("&") {
            true if self.lex.eat("mut") => Mode::Mut,
            true => Mode::Shared,
            false => Mode::Owned,
        };
        let ty = self.ty()?;
        self.func.vars.push(Var {
            name,
            ty,
            mode,
            origin: Origin::Local,
        });
        let mark = self.origin_mark()?;
        self.lex.expect(";")?;
        Ok(mark)
    }

    fn origin_mark(&mut self) -> Parsed<OriginMark> {
        if self.lex.eat("adjoint") {
            self.lex.expect("of")?;
            return Ok(OriginMark::Adjoint(self.lex.name()?));
        }
        let marks = [
            ("param", Origin::Param),
            ("ret", Origin::Ret),
            ("local", Origin::Local),
            ("index", Origin::Index),
            ("temp", Origin::Temp),
            ("label", Origin::Label),
        ];
        let mark = marks.into_iter().find(|(word, _)| self.lex.eat(word));
        Ok(mark.map_or(OriginMark::Default, |(_, origin)| OriginMark::Plain(origin)))
    }

    fn origins(&mut self, marks: Vec<OriginMark>) -> Parsed<()> {
        let usual = syntax::default_origins(&self.func);
        for (i, (mark, usual)) in marks.into_iter().zip(usual).enumerate() {
            self.func.vars[i].origin = match mark {
                OriginMark::Default => usual,
                OriginMark::Plain(origin) => origin,
                OriginMark::Adjoint(of) => match self.names.get(&of) {
                    Some(&id) => Origin::Adjoint(id),
                    None => return self.lex.error(format!("there is no variable `{of}`")),
                },
            };
        }
        Ok(())
    }
}
