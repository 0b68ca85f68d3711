//! Parsing of plans.

use std::collections::BTreeMap;

use super::{ParseError, Parsed, Parser};
use crate::ir::{Demand, StmtId, Ty, VarId};
use crate::passes::activity::links::{Link, Links, Port};
use crate::passes::activity::summary::ContextPolicy;
use crate::plan::{CallSite, CalleeFact, Plan, Record, RecordKind, Storage};

/// Reads a plan.
pub fn plan(text: &str) -> Result<Plan, ParseError> {
    let mut parser = Parser::new(text);
    parser.plan().map_err(|e| *e)
}

impl Parser<'_> {
    pub(super) fn plan(&mut self) -> Parsed<Plan> {
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
            var_demands: made_for,
            callee_facts,
            reads,
            depends,
            effects: Default::default(),
            states_effect: false,
            links,
            fused: None,
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

    fn calls(&mut self) -> Parsed<BTreeMap<StmtId, CallSite>> {
        self.lex.expect("calls")?;
        self.lex.expect("{")?;
        let mut calls = BTreeMap::new();
        while !self.lex.eat("}") {
            let id = self.lex.stmt_id()?;
            let closing = self.closing()?;
            let gives = match self.lex.eat("gives") {
                true => self.list("varied", |p| p.lex.number())?,
                false => self.lex.expect("varied").map(|()| Vec::new())?,
            };
            let varied = self.list("useful", |p| p.lex.number())?;
            let useful = self.list("restore", |p| p.lex.number())?;
            let restore = self.demand()?;
            let reads = self.reads()?;
            let site = CallSite {
                closing,
                varied,
                gives,
                useful,
                restore,
                reads,
            };
            calls.insert(id, site);
        }
        Ok(calls)
    }

    fn closing(&mut self) -> Parsed<ContextPolicy> {
        let closing = match () {
            () if self.lex.eat("exact") => ContextPolicy::Exact,
            () if self.lex.eat("recursive") => ContextPolicy::Recursive,
            () => ContextPolicy::Limited,
        };
        Ok(closing)
    }

    fn reads(&mut self) -> Parsed<Vec<Demand>> {
        match self.lex.eat("reads") {
            true => self.list(";", Self::demand),
            false => self.lex.expect(";").map(|_| Vec::new()),
        }
    }

    pub(super) fn demand(&mut self) -> Parsed<Demand> {
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
