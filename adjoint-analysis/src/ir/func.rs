//! Functions and their variables.

use super::stmt::id;
use std::collections::{BTreeMap, BTreeSet};

use super::{Block, Call, Expr, Place, Stmt, StmtId, StmtKind, Ty};

id! {
    /// A variable of a function.
    VarId
}

/// A function in IR.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Func {
    /// The name.
    pub name: String,
    /// The parameters, in order.
    pub params: Vec<VarId>,
    /// The variable whose value the function returns at the end of the body.
    pub ret: Option<VarId>,
    /// All variables, indexed by [`VarId`].
    pub vars: Vec<Var>,
    /// The body.
    pub body: Block,
    /// The loops that are reversed from snapshots.
    pub checkpoints: BTreeMap<StmtId, Checkpoint>,
    /// A cache of the variables' names, for unique new ones.
    pub name_cache: NameCache,
    /// Structs whose name alone is a complete type, since variables are declared with it.
    pub complete_structs: BTreeSet<String>,
}

/// How a loop is checkpointed.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// How many snapshots are alive at a time in memory, at most.
    pub snapshots: Expr,
    /// How many more in files.
    pub disk: Option<Expr>,
}

/// The names in use: a cache of [`Func::add_var`] that is not part of the function's value.
#[derive(Default, Debug)]
pub struct NameCache {
    used: BTreeSet<String>,
    /// The number of variables whose names are included.
    var_count: usize,
    /// For a name in use, the least number that may still be free as its suffix.
    next_suffix: BTreeMap<String, usize>,
}

impl Clone for NameCache {
    fn clone(&self) -> NameCache {
        NameCache::default()
    }
}

impl PartialEq for NameCache {
    fn eq(&self, _: &NameCache) -> bool {
        true
    }
}

impl NameCache {
    /// Adds the names of new variables.
    fn update(&mut self, vars: &[Var]) {
        if self.var_count > vars.len() {
            *self = NameCache::default();
        }
        for var in &vars[self.var_count..] {
            self.used.insert(var.name.clone());
        }
        self.var_count = vars.len();
    }

    /// The name, with a number appended if it is in use.
    fn fresh(&mut self, name: &str) -> String {
        if !self.used.contains(name) {
            return name.to_string();
        }
        let next = self.next_suffix.entry(name.to_string()).or_insert(2);
        loop {
            let numbered = format!("{name}_{next}");
            if !self.used.contains(&numbered) {
                return numbered;
            }
            *next += 1;
        }
    }
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Var {
    /// The name, unique in the function.
    pub name: String,
    /// The type (of the referent, where it is a reference).
    pub ty: Ty,
    /// How a parameter is passed; `Owned` for all others.
    pub mode: Mode,
    /// The origin.
    pub origin: Origin,
}

/// How a variable holds its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// By value.
    Owned,
    /// Behind `&`.
    Shared,
    /// Behind `&mut`.
    Mut,
}

/// The origin of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// A parameter.
    Param,
    /// The return value.
    Ret,
    /// A `let` of the user's.
    Local,
    /// The index of a counted loop.
    Index,
    /// A temporary of lowering or of the planner.
    Temp,
    /// A discrete variable with the number of the arm or exit taken; made by lowering or by the planner.
    Label,
    /// The adjoint of another variable.
    Adjoint(VarId),
}

impl Func {
    /// The variable of this id.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.index()]
    }

    /// The ids of all variables.
    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.vars.len() as u32).map(VarId)
    }

    /// Whether there is a loop in the body.
    pub fn has_loops(&self) -> bool {
        let mut found = false;
        self.body
            .walk(&mut |s| found |= matches!(s.kind, StmtKind::Loop(..)));
        found
    }

    /// The variable whose shape the adjoint takes that the statement declares without a value.
    pub fn shape_taken(&self, stmt: &Stmt) -> Option<VarId> {
        match stmt.kind {
            StmtKind::Let(v, None) => match self.var(v).origin {
                Origin::Adjoint(of) => Some(of).filter(|of| !self.var(*of).ty.has_static_shape()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The place of the whole variable.
    pub fn place(&self, id: VarId) -> Place {
        Place::var(id, self.var(id).ty.clone())
    }

    /// Turns a temporary into a local of the user's.
    pub fn rename(&mut self, id: VarId, name: &str) {
        let name = self.fresh_name(name);
        let var = &mut self.vars[id.index()];
        (var.name, var.origin) = (name, Origin::Local);
        // The old name is free again.
        self.name_cache = NameCache::default();
    }

    /// The name, with a number appended if it is in use.
    fn fresh_name(&mut self, name: &str) -> String {
        self.name_cache.update(&self.vars);
        self.name_cache.fresh(name)
    }

    /// The variables that hold a call's result, or a copy of one, with the call: the callee determines their type.
    pub fn call_results(&self) -> BTreeMap<VarId, &Call> {
        let mut results = BTreeMap::new();
        self.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Call(call) => results.extend(call.result.map(|v| (v, call))),
            StmtKind::Let(v, Some(Expr::Read(p))) if p.is_whole() => {
                let call = results.get(&p.root).copied();
                results.extend(call.map(|call| (*v, call)));
            }
            // If several calls provide the value, all have the same type.
            StmtKind::Assign(to, Expr::Read(p)) if to.is_whole() && p.is_whole() => {
                let call = results.get(&p.root).copied();
                if let Some(call) = call {
                    results.entry(to.root).or_insert(call);
                }
            }
            _ => {}
        });
        results
    }

    /// Adds a variable; a number is appended to a name in use.
    pub fn add_var(&mut self, name: &str, ty: Ty, mode: Mode, origin: Origin) -> VarId {
        let name = self.fresh_name(name);
        self.vars.push(Var {
            name,
            ty,
            mode,
            origin,
        });
        VarId(self.vars.len() as u32 - 1)
    }
}
