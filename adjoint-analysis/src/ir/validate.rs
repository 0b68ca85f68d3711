//! The validator: checks the well-formedness rules of the module [`crate::ir`].
//!
//! A violation is a bug in the producer of the IR, never in the user's program. A named type may be an alias of any
//! other type, so it agrees with all types; so does an unknown one.

mod effects;
mod types;

use std::collections::HashSet;
use std::fmt;

use super::{Block, Func, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId};

/// A violated rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The statement; `None` for a declaration.
    pub stmt: Option<StmtId>,
    /// The message, one sentence.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stmt {
            Some(id) => write!(f, "#{}: {}", id.0, self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The violations in a primal function.
pub fn validate(func: &Func) -> Vec<Violation> {
    let start: Vec<VarId> = func.params.iter().copied().chain(func.ret).collect();
    let mut validator = Validator::new(func, false);
    validator.declarations();
    validator.unique_ids();
    validator.start(&start);
    validator.block(&func.body, Position::OUTSIDE);
    validator.violations
}

/// The violations in a sweep of the function's plan, which starts with these variables in scope; all of them but the
/// return variable have values.
pub fn validate_sweep(func: &Func, block: &Block, start: &[VarId]) -> Vec<Violation> {
    let mut validator = Validator::new(func, true);
    validator.declarations();
    validator.start(start);
    validator.block(block, Position::OUTSIDE);
    validator.violations
}

struct Validator<'a> {
    func: &'a Func,
    /// Whether statements and expressions of plans may occur.
    is_plan: bool,
    /// The current statement.
    stmt: Option<StmtId>,
    /// The state of each variable.
    states: Vec<State>,
    violations: Vec<Violation>,
}

/// The state of a variable at the current point.
#[derive(Clone, Copy, Default)]
struct State {
    in_scope: bool,
    /// Whether it has been assigned on some path.
    assigned: bool,
    /// Whether it is the index of an enclosing loop.
    index: bool,
}

/// The position of a block, for the rule about `break`.
#[derive(Clone, Copy)]
struct Position {
    in_loop: bool,
    /// Whether nothing follows the block in the innermost loop.
    tail: bool,
}

impl Position {
    const OUTSIDE: Position = Position {
        in_loop: false,
        tail: false,
    };
    const LOOP: Position = Position {
        in_loop: true,
        tail: true,
    };
}

impl<'a> Validator<'a> {
    fn new(func: &'a Func, plan: bool) -> Self {
        let states = vec![State::default(); func.vars.len()];
        Validator {
            func,
            is_plan: plan,
            stmt: None,
            states,
            violations: Vec::new(),
        }
    }

    fn report(&mut self, message: String) {
        self.violations.push(Violation {
            stmt: self.stmt,
            message,
        });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.report(message());
        }
    }

    fn name(&self, id: VarId) -> &'a str {
        &self.func.var(id).name
    }

    /// The state of a variable; reports an unknown id.
    fn state(&mut self, id: VarId) -> Option<&mut State> {
        if id.index() >= self.states.len() {
            self.report(format!("there is no variable with the id {}", id.0));
        }
        self.states.get_mut(id.index())
    }

    fn declarations(&mut self) {
        let func = self.func;
        let mut names = HashSet::new();
        for var in &func.vars {
            self.require(names.insert(&var.name), || {
                format!("two variables have the name `{}`", var.name)
            });
            if let Origin::Adjoint(of) = var.origin {
                self.state(of);
            }
        }
        let mut listed = HashSet::new();
        for &id in func.params.iter().chain(&func.ret) {
            if self.state(id).is_some() && !listed.insert(id) {
                self.report(format!("`{}` is listed twice in the header", self.name(id)));
            }
        }
    }

    fn unique_ids(&mut self) {
        let mut ids = HashSet::new();
        let mut twice = Vec::new();
        self.func.body.walk(&mut |stmt| {
            if !ids.insert(stmt.id) {
                twice.push(stmt.id);
            }
        });
        for id in twice {
            self.stmt = Some(id);
            self.report("another statement has the same id".into());
        }
        self.stmt = None;
    }

    fn start(&mut self, variables: &[VarId]) {
        let ret = self.func.ret;
        for &id in variables {
            if let Some(state) = self.state(id) {
                *state = State {
                    in_scope: true,
                    assigned: Some(id) != ret,
                    index: false,
                };
            }
        }
    }

    fn block(&mut self, block: &Block, position: Position) {
        let before = self.states.clone();
        for (i, stmt) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            self.statement(
                stmt,
                Position {
                    tail: position.tail && last,
                    ..position
                },
            );
        }
        for (state, before) in self.states.iter_mut().zip(before) {
            state.in_scope = before.in_scope;
        }
    }

    fn statement(&mut self, stmt: &Stmt, position: Position) {
        self.stmt = Some(stmt.id);
        match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                self.condition(condition);
                self.branch(yes, no, position);
            }
            StmtKind::Loop(head, body) => self.loop_stmt(head, body),
            StmtKind::When(_, body) => {
                self.only_in_plans("`when`");
                self.block(body, Position::OUTSIDE);
            }
            StmtKind::Take(records) => {
                self.only_in_plans("`take`");
                self.block(records, Position::OUTSIDE);
            }
            StmtKind::Replay(restores, forward) => {
                self.only_in_plans("`replay`");
                self.block(restores, Position::OUTSIDE);
                self.block(forward, Position::LOOP);
            }
            StmtKind::Break => self.break_stmt(position),
            kind => self.simple_stmt(kind),
        }
    }

    fn branch(&mut self, yes: &Block, no: &Block, position: Position) {
        let before = self.states.clone();
        self.block(yes, position);
        let after_yes = std::mem::replace(&mut self.states, before);
        self.block(no, position);
        for (state, other) in self.states.iter_mut().zip(after_yes) {
            state.assigned |= other.assigned;
        }
    }

    fn break_stmt(&mut self, position: Position) {
        if !position.in_loop {
            self.report("`break` stands outside of a loop".into());
        } else if !position.tail {
            self.report("`break` is not in tail position".into());
        }
    }

    fn loop_stmt(&mut self, head: &LoopHead, body: &Block) {
        // An iteration's assignments may be visible in the next one.
        body.walk(&mut |stmt| {
            for place in stmt.written() {
                if let Some(state) = self.states.get_mut(place.root.index()) {
                    state.assigned = true;
                }
            }
        });
        let mut index = None;
        match head {
            LoopHead::Counted(v, range) => {
                self.range(*v, range);
                index = Some(*v);
            }
            LoopHead::Reversed(v, range) | LoopHead::Distributed(v, range, _) => {
                self.only_in_plans("a reversed loop");
                self.range(*v, range);
                index = Some(*v);
            }
            LoopHead::ReversedFrom(v, range, count) => {
                self.only_in_plans("a reversed loop");
                self.read_var(*count);
                self.range(*v, range);
                index = Some(*v);
            }
            LoopHead::While(condition) => self.condition(condition),
            LoopHead::CountedWhile(v, condition) => {
                self.condition(condition);
                index = Some(*v);
            }
            LoopHead::Forever => {}
            LoopHead::Times(count) => {
                self.only_in_plans("`times`");
                self.read_var(*count);
                self.integer_var(*count, "the count");
            }
        }
        let index = index.filter(|v| self.declare(*v, true));
        if let Some(v) = index {
            self.states[v.index()].index = true;
        }
        self.block(body, Position::LOOP);
        for part in head.parts() {
            part.seed.iter().for_each(|v| self.read_var(*v));
            let mut taken = part.takes.clone();
            taken.retain(|v| self.declare(*v, true));
            self.block(&part.block, Position::LOOP);
            for v in taken {
                self.states[v.index()] = State::default();
            }
        }
        if let Some(v) = index {
            self.states[v.index()] = State::default();
        }
    }

    fn only_in_plans(&mut self, what: &str) {
        let plan = self.is_plan;
        self.require(plan, || format!("{what} occurs only in plans"));
    }

    /// Declares a variable, and returns whether the id is known.
    fn declare(&mut self, id: VarId, assigned: bool) -> bool {
        let Some(state) = self.state(id) else {
            return false;
        };
        let again = state.in_scope;
        *state = State {
            in_scope: true,
            assigned,
            index: false,
        };
        self.require(!again, || {
            format!(
                "`{}` is declared again in its own scope",
                self.func.var(id).name
            )
        });
        true
    }

    fn read_var(&mut self, id: VarId) {
        if let Some(&mut State {
            in_scope, assigned, ..
        }) = self.state(id)
        {
            let name = self.name(id);
            self.require(in_scope, || {
                format!("`{name}` is used outside of its scope")
            });
            self.require(!in_scope || assigned, || {
                format!("`{name}` is used before anything is assigned to it")
            });
        }
    }

    fn read(&mut self, place: &Place) {
        self.read_var(place.root);
        self.projections(place);
    }

    /// Checks a place that is written.
    fn write(&mut self, place: &Place) {
        self.projections(place);
        if let Some(state) = self.state(place.root) {
            state.assigned = true;
            self.read_var(place.root);
            self.require_writable(place.root);
        }
    }

    /// Checks that a variable in scope is writable: no index, and no parameter other than `&mut`.
    fn require_writable(&mut self, id: VarId) {
        let Some(var) = self.func.vars.get(id.index()) else {
            return;
        };
        let index = self.states[id.index()].index;
        self.require(!index, || {
            format!("the loop index `{}` is written", var.name)
        });
        let fixed = self.func.params.contains(&id) && var.mode != Mode::Mut;
        self.require(!fixed, || {
            format!(
                "the parameter `{}` is written, and is not passed by `&mut`",
                var.name
            )
        });
    }
}
