//! The parser of the text form, whose grammar the module [`crate::ir`] states: recursive descent
//! over a small tokenizer.

mod expr;
mod lex;
mod stmt;
mod ty;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use self::lex::Lexer;
use super::{Block, Demand, Func, Mode, Origin, Ty, Var, VarId, syntax};
use crate::passes::links::{Link, Links, Port};
use crate::passes::summary::Closing;
use crate::plan::{CalleeFact, Plan, Record, RecordKind, Site, Storage};

/// Why a text is not in the text form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// One sentence.
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

/// Reads a plan.
pub fn plan(text: &str) -> Result<Plan, ParseError> {
    let mut parser = Parser::new(text);
    parser.plan().map_err(|e| *e)
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

/// A declaration's last words, which may name variables and loops that come later.
enum OriginMark {
    Usual,
    Plain(Origin),
    Adjoint(String),
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let func = Func {
            name: String::new(),
            params: Vec::new(),
            ret: None,
            vars: Vec::new(),
            body: Block::default(),
            names: Default::default(),
            whole: Default::default(),
        };
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

    /// Reads items with commas between them, up to the closing token.
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
        // The declarations that say what these are come later.
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
        Ok(mark.map_or(OriginMark::Usual, |(_, origin)| OriginMark::Plain(origin)))
    }

    fn origins(&mut self, marks: Vec<OriginMark>) -> Parsed<()> {
        let usual = syntax::usual_origins(&self.func);
        for (i, (mark, usual)) in marks.into_iter().zip(usual).enumerate() {
            self.func.vars[i].origin = match mark {
                OriginMark::Usual => usual,
                OriginMark::Plain(origin) => origin,
                OriginMark::Adjoint(of) => match self.names.get(&of) {
                    Some(&id) => Origin::Adjoint(id),
                    None => return self.lex.error(format!("there is no variable `{of}`")),
                },
            };
        }
        Ok(())
    }

    fn plan(&mut self) -> Parsed<Plan> {
        self.func()?;
        self.lex.expect("records")?;
        self.lex.expect("{")?;
        let mut records = Vec::new();
        while !self.lex.eat("}") {
            records.push(self.record(records.len())?);
        }
        let adjoint = self.adjoints()?;
        self.lex.expect("restores")?;
        let restores = self.list(";", |p| p.var())?;
        self.lex.expect("interface")?;
        let interface = self.list(";", |p| p.var())?;
        let calls = self.calls()?;
        let mut made_for = BTreeMap::new();
        if self.lex.eat("made") {
            self.lex.expect("{")?;
            while !self.lex.eat("}") {
                let v = self.var()?;
                made_for.insert(v, self.demand()?);
                self.lex.expect(";")?;
            }
        }
        let mut callee_facts = Vec::new();
        if self.lex.eat("facts") {
            self.lex.expect("{")?;
            while !self.lex.eat("}") {
                callee_facts.push(CalleeFact {
                    call: self.lex.stmt_id()?,
                    callee: self.callee()?,
                    argument: self.lex.number()?,
                    restore: self.lex.eat("restoring"),
                });
                self.lex.expect(";")?;
            }
        }
        let mut links = Links::default();
        if self.lex.eat("links") {
            self.lex.expect("{")?;
            while !self.lex.eat("}") {
                links.0.push(self.link()?);
            }
        }
        let reads = match self.lex.peek() {
            "reads" => self.reads()?,
            _ => Vec::new(),
        };
        let depends = match self.lex.eat("depends") {
            true => self.list(";", |p| p.lex.number())?,
            false => Vec::new(),
        };
        self.lex.expect("forward")?;
        let forward = self.block()?;
        self.lex.expect("reverse")?;
        let reverse = self.block()?;
        self.end()?;
        let func = self.func.clone();
        Ok(Plan {
            func,
            forward,
            reverse,
            records,
            adjoint,
            restores,
            interface,
            calls,
            made_for,
            callee_facts,
            reads,
            depends,
            links,
        })
    }

    fn link(&mut self) -> Parsed<Link> {
        let (call, callee) = (self.lex.stmt_id()?, self.callee()?);
        self.lex.expect("from")?;
        Ok(Link {
            call,
            callee,
            arguments: self.list("to", Self::port)?,
            outputs: self.list(";", Self::port)?,
        })
    }

    fn port(&mut self) -> Parsed<Port> {
        let position = self.lex.number()?;
        self.lex.expect("is")?;
        let bit = self.lex.number()?;
        self.lex.expect("of")?;
        let mask = self.lex.number()?;
        Ok(Port {
            position,
            bit,
            mask,
        })
    }

    fn record(&mut self, index: usize) -> Parsed<Record> {
        let before = self.lex.clone();
        if self.lex.record()?.index() != index {
            return before.error(format!("this is the record r{index}"));
        }
        self.lex.expect(":")?;
        let kind = match self.lex.peek() {
            "flag" => RecordKind::Flag,
            "label" => RecordKind::Label(0),
            "count" => RecordKind::Count,
            "value" => RecordKind::Value(Ty::Unknown),
            _ => return self.lex.expected("`value`, `flag`, `label` or `count`"),
        };
        self.lex.bump();
        let kind = match kind {
            RecordKind::Value(_) => RecordKind::Value(self.ty()?),
            RecordKind::Label(_) => RecordKind::Label(self.lex.number()?),
            kind => kind,
        };
        let storage = match self.lex.eat("on") {
            true => {
                self.lex.expect("stack")?;
                Storage::Stack
            }
            false => self.frame()?,
        };
        self.lex.expect("of")?;
        let of = self.lex.stmt_id()?;
        let demand = match self.lex.peek() {
            ";" => Demand::ALWAYS,
            _ => self.demand()?,
        };
        self.lex.expect(";")?;
        Ok(Record {
            kind,
            storage,
            of,
            demand,
        })
    }

    fn calls(&mut self) -> Parsed<BTreeMap<crate::ir::StmtId, Site>> {
        self.lex.expect("calls")?;
        self.lex.expect("{")?;
        let mut calls = BTreeMap::new();
        while !self.lex.eat("}") {
            let id = self.lex.stmt_id()?;
            let closing = self.closing()?;
            let varied = self.list("useful", |p| p.lex.number())?;
            let useful = self.list("restore", |p| p.lex.number())?;
            let restore = self.demand()?;
            let reads = self.reads()?;
            let site = Site {
                closing,
                varied,
                useful,
                restore,
                reads,
            };
            calls.insert(id, site);
        }
        Ok(calls)
    }

    fn closing(&mut self) -> Parsed<Closing> {
        let closing = match () {
            () if self.lex.eat("exact") => Closing::Exact,
            () if self.lex.eat("recursive") => Closing::Recursive,
            () => Closing::Limited,
        };
        self.lex.expect("varied")?;
        Ok(closing)
    }

    fn reads(&mut self) -> Parsed<Vec<Demand>> {
        match self.lex.eat("reads") {
            true => self.list(";", Self::demand),
            false => self.lex.expect(";").map(|_| Vec::new()),
        }
    }

    fn demand(&mut self) -> Parsed<Demand> {
        if self.lex.eat("always") {
            return Ok(Demand::ALWAYS);
        }
        if self.lex.eat("never") {
            return Ok(Demand::NEVER);
        }
        let mut demand = Demand::NEVER;
        if self.lex.eat("wrt") {
            demand.wrt = self.lex.number()?;
            self.lex.expect("of")?;
            demand.of = self.lex.number()?;
            demand.facts = match self.lex.eat("if") {
                true => self.lex.number()?,
                false => u64::MAX,
            };
        }
        demand.restore = self.lex.eat("restoring");
        Ok(demand)
    }

    fn frame(&mut self) -> Parsed<Storage> {
        self.lex.expect("in")?;
        self.lex.expect("frame")?;
        let of = self.lex.stmt_id()?;
        self.lex.expect("slot")?;
        Ok(Storage::Frame {
            of,
            slot: self.lex.number()?,
        })
    }

    fn adjoints(&mut self) -> Parsed<BTreeMap<VarId, VarId>> {
        self.lex.expect("adjoints")?;
        self.lex.expect("{")?;
        let mut adjoint = BTreeMap::new();
        while !self.lex.eat("}") {
            let of = self.var()?;
            self.lex.expect(":")?;
            adjoint.insert(of, self.var()?);
            self.lex.expect(";")?;
        }
        Ok(adjoint)
    }
}
