//! Parsing of statements and blocks.

use super::{Parsed, Parser};
use crate::ir::{
    AdjArg, Alignment, Arg, Block, Call, Callee, Checkpoint, Distribution, Expr, LoopHead, Part,
    Peeled, Range, Rev, Separation, Stmt, StmtId, StmtKind, VarId,
};

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.lex.expect("{")?;
        let mut stmts = Vec::new();
        while !self.lex.eat("}") {
            stmts.push(self.stmt()?);
        }
        Ok(Block::new(stmts))
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let id = match self.lex.peek() {
            "#" => self.lex.stmt_id()?,
            _ => StmtId(self.next_id),
        };
        self.next_id = self.next_id.max(id.0.saturating_add(1));
        let kind = self.kind()?;
        if matches!(kind, StmtKind::Loop(..)) && self.lex.eat("checkpoint") {
            let checkpoint = self.checkpoint()?;
            self.func.checkpoints.insert(id, checkpoint);
        }
        if !matches!(
            kind,
            StmtKind::If(..)
                | StmtKind::Loop(..)
                | StmtKind::When(..)
                | StmtKind::Take(_)
                | StmtKind::Replay(..)
        ) {
            self.lex.expect(";")?;
        }
        Ok(Stmt { id, kind })
    }

    fn kind(&mut self) -> Parsed<StmtKind> {
        let word = self.lex.peek();
        match word {
            "let" => self.declaring(),
            "call" | "forward" | "reverse" => self.calling(None),
            "if" => self.branch(),
            "when" => {
                self.lex.bump();
                Ok(StmtKind::When(self.demand()?, self.block()?))
            }
            "take" => {
                self.lex.bump();
                Ok(StmtKind::Take(self.block()?))
            }
            "replay" => {
                self.lex.bump();
                Ok(StmtKind::Replay(self.block()?, self.block()?))
            }
            "for" | "while" | "loop" | "times" => {
                let head = self.loop_head(word)?;
                let body = self.block()?;
                Ok(StmtKind::Loop(self.distributed(head)?, body))
            }
            "pop" | "remove" => self.removing(None),
            "record" | "restore" | "zero" | "swap" | "push" | "insert" | "passive" | "break" => {
                self.verb(word)
            }
            _ => self.assignment(),
        }
    }

    fn verb(&mut self, word: &str) -> Parsed<StmtKind> {
        self.lex.bump();
        Ok(match word {
            "zero" => StmtKind::Zero(self.place()?),
            "restore" => StmtKind::Restore(self.lex.record()?, self.place()?),
            "record" => {
                let id = self.lex.record()?;
                match self.lex.eat("way") {
                    true => StmtKind::RecordControl(id, self.expr()?),
                    false => StmtKind::Record(id, self.place()?),
                }
            }
            "swap" => {
                let a = self.place()?;
                self.lex.expect(",")?;
                StmtKind::Swap(a, self.place()?)
            }
            "push" | "insert" => {
                let place = self.place()?;
                self.lex.expect(",")?;
                let at = match word {
                    "insert" => {
                        let at = self.expr()?;
                        self.lex.expect(",")?;
                        Some(at)
                    }
                    _ => None,
                };
                StmtKind::Insert(place, at, self.expr()?)
            }
            "passive" => {
                let (code, reads) = self.code()?;
                StmtKind::Passive(code, reads)
            }
            _ => StmtKind::Break,
        })
    }

    fn assignment(&mut self) -> Parsed<StmtKind> {
        if !(self.lex.peek() == "`" || crate::text::syntax::is_plain_var(self.lex.peek())) {
            return self.lex.expected("a statement");
        }
        let place = self.place()?;
        let kind = match self.lex.peek() {
            "=" => StmtKind::Assign,
            "+=" => StmtKind::Incr,
            _ => return self.lex.expected("`=` or `+=`"),
        };
        self.lex.bump();
        Ok(kind(place, self.expr()?))
    }

    fn declaring(&mut self) -> Parsed<StmtKind> {
        self.lex.expect("let")?;
        let var = self.var()?;
        if !self.lex.eat("=") {
            return Ok(StmtKind::Let(var, None));
        }
        match self.lex.peek() {
            "call" | "forward" | "reverse" => self.calling(Some(var)),
            "pop" | "remove" => self.removing(Some(var)),
            "way" => {
                self.lex.bump();
                Ok(StmtKind::RestoreControl(self.lex.record()?, var))
            }
            _ => Ok(StmtKind::Let(var, Some(self.expr()?))),
        }
    }

    fn removing(&mut self, var: Option<VarId>) -> Parsed<StmtKind> {
        let indexed = self.lex.peek() == "remove";
        self.lex.bump();
        let place = self.place()?;
        if !indexed {
            return Ok(StmtKind::Remove(var, place, None));
        }
        self.lex.expect(",")?;
        Ok(StmtKind::Remove(var, place, Some(self.expr()?)))
    }

    fn branch(&mut self) -> Parsed<StmtKind> {
        self.lex.expect("if")?;
        let condition = self.expr()?;
        let yes = self.block()?;
        let no = match self.lex.eat("else") {
            true => self.block()?,
            false => Block::default(),
        };
        Ok(StmtKind::If(condition, yes, no))
    }

    /// The path of a callee.
    pub(super) fn callee(&mut self) -> Parsed<Callee> {
        let name = self.lex.path()?;
        let path = match self.lex.peek() {
            "$" => Some(self.lex.code_id()?),
            _ => None,
        };
        Ok(Callee { name, path })
    }

    fn calling(&mut self, result: Option<VarId>) -> Parsed<StmtKind> {
        let verb = self.lex.peek();
        self.lex.bump();
        let callee = self.callee()?;
        self.lex.expect("(")?;
        let mut adjoints = Vec::new();
        let args = self.list(")", |p| {
            let arg = if p.lex.peek() == ":" {
                None
            } else {
                Some(p.arg()?)
            };
            if verb == "reverse" && p.lex.eat(":") {
                adjoints.push(p.adjoint()?);
            }
            Ok(arg)
        })?;
        let args = args.into_iter().flatten().collect();
        let call = Call {
            result,
            callee,
            args,
        };
        Ok(match verb {
            "call" => StmtKind::Call(call),
            "forward" => StmtKind::Forward(call),
            _ => StmtKind::Reverse {
                call,
                adjoints,
                seed: self.seed()?,
            },
        })
    }

    fn seed(&mut self) -> Parsed<Option<Expr>> {
        match self.lex.eat("seed") {
            true => Ok(Some(self.expr()?)),
            false => Ok(None),
        }
    }

    fn arg(&mut self) -> Parsed<Arg> {
        match self.lex.eat("&") {
            true if self.lex.eat("mut") => Ok(Arg::Mut(self.place()?)),
            true => Ok(Arg::Shared(self.place()?)),
            false => Ok(Arg::Value(self.expr()?)),
        }
    }

    fn adjoint(&mut self) -> Parsed<AdjArg> {
        let word = self.lex.peek();
        if !matches!(word, "none" | "_" | "scratch" | "let" | "&") {
            return self
                .lex
                .expected("`none`, `_`, `let v`, `&mut place` or `scratch`");
        }
        self.lex.bump();
        Ok(match word {
            "none" => AdjArg::None,
            "_" => AdjArg::Ignored,
            "let" => AdjArg::Increment(self.var()?),
            "scratch" => match self.lex.peek() {
                "," | ")" => AdjArg::Scratch(None),
                _ => AdjArg::Scratch(Some(self.place()?)),
            },
            _ => {
                self.lex.expect("mut")?;
                AdjArg::Place(self.place()?)
            }
        })
    }

    /// The head with the parts that follow its body.
    fn distributed(&mut self, head: LoopHead) -> Parsed<LoopHead> {
        let LoopHead::Reversed(index, range) = head else {
            return Ok(head);
        };
        let (mut parts, mut separations) = (Vec::new(), Vec::new());
        let peeled = self.peeled()?;
        while self.lex.eat("apart") {
            let are_runs = self.lex.eat("runs");
            let first = self.expr()?;
            self.lex.expect(",")?;
            separations.push(Separation {
                indices: [first, self.expr()?],
                are_runs,
            });
        }
        while self.lex.eat("part") {
            let alignment = self.alignment()?;
            let is_seeded = self.lex.eat("nonzero");
            let seed = is_seeded.then(|| self.var()).transpose()?;
            let (takes, gives) = (self.vars_after("takes")?, self.vars_after("gives")?);
            let block = self.block()?;
            parts.push(Part {
                alignment,
                seed,
                takes,
                gives,
                block,
            });
        }
        Ok(match parts.is_empty() {
            true => LoopHead::Reversed(index, range),
            false => LoopHead::Distributed(
                index,
                range,
                Distribution {
                    peeled,
                    parts,
                    separations,
                },
            ),
        })
    }

    fn peeled(&mut self) -> Parsed<Peeled> {
        let mut peeled = Peeled::default();
        if self.lex.eat("first") {
            peeled.first = self.lex.number()?;
        }
        if self.lex.eat("last") {
            peeled.last = self.lex.number()?;
        }
        while self.lex.eat("inside") {
            let from = self.expr()?;
            self.lex.expect("is")?;
            peeled.inside.push([from, self.expr()?]);
        }
        Ok(peeled)
    }

    fn alignment(&mut self) -> Parsed<Option<Alignment>> {
        if !self.lex.eat("aligned") {
            return Ok(None);
        }
        let of = self.lex.number()?;
        self.lex.expect("ahead")?;
        let ahead = self.lex.number()?;
        Ok(Some(Alignment { of, ahead }))
    }

    /// The variables behind each of these words.
    fn vars_after(&mut self, word: &str) -> Parsed<Vec<VarId>> {
        let mut vars = Vec::new();
        while self.lex.eat(word) {
            vars.push(self.var()?);
        }
        Ok(vars)
    }

    fn checkpoint(&mut self) -> Parsed<Checkpoint> {
        let snapshots = self.expr()?;
        let has_disk = self.lex.eat("disk");
        let disk = has_disk.then(|| self.expr()).transpose()?;
        Ok(Checkpoint { snapshots, disk })
    }

    fn loop_head(&mut self, word: &str) -> Parsed<LoopHead> {
        self.lex.bump();
        Ok(match word {
            "for" => self.counted()?,
            "while" => LoopHead::While(self.expr()?),
            "counting" => {
                let number = self.var()?;
                self.lex.expect("while")?;
                LoopHead::CountedWhile(number, self.expr()?)
            }
            "times" => LoopHead::Times(self.var()?),
            _ => LoopHead::Forever,
        })
    }

    /// The rest of a `for` loop's head.
    fn counted(&mut self) -> Parsed<LoopHead> {
        let index = self.var()?;
        let ty = match self.annotation()? {
            Some(ty) => ty,
            None => self.func.var(index).ty.clone(),
        };
        self.lex.expect("in")?;
        let head = match self.lex.eat("rev") {
            true => LoopHead::Reversed,
            false => LoopHead::Counted,
        };
        let lo = self.expr()?;
        let inclusive = self.lex.eat("..=");
        if !inclusive {
            self.lex.expect("..")?;
        }
        let hi = self.expr()?;
        let before = self.lex.eat("rev");
        let stepped = self.lex.eat("step");
        let step = match stepped && self.lex.peek() != "rev" {
            true => Some(self.expr()?),
            false => None,
        };
        let rev = match before {
            true => Rev::BeforeStep,
            false if stepped && self.lex.eat("rev") => Rev::AfterStep,
            false => Rev::No,
        };
        let range = Range {
            lo,
            hi,
            inclusive,
            step,
            rev,
            ty,
        };
        if self.lex.eat("times") {
            return Ok(LoopHead::ReversedFrom(index, range, self.var()?));
        }
        Ok(head(index, range))
    }
}
