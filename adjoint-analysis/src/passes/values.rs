//! Literals that discrete variables hold: what tells the way of a branch afterwards.
//!
//! **Problem.** `[CFR]` §4.3 pushes a label for each branch. Often a variable says the same: the number
//! of the exit that a loop took, a flag that one arm sets. Where all values that a variable may have
//! at the end of one arm differ from those at the end of the other, it tells the way, and a label of
//! its own would be stored twice.
//!
//! **Sets.** For each integer or bool that is only ever assigned literals, the literals that it may hold.
//! ⊤ (not in the map) = anything; flowing forward; join = ∪. A way that breaks ends where it breaks: its
//! state joins that behind the loop, not the one at the start of the next iteration.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::set::VarSet;
use crate::ir::{
    BinOp, Block, Expr, Func, LoopHead, Mode, Origin, Stmt, StmtId, StmtKind, Ty, UnOp, VarId,
};

/// More literals than these are not followed.
const MOST: usize = 256;

/// The literals that each variable may hold.
/// Most of it is the same on both ways of a branch, and shared.
type State = BTreeMap<VarId, Rc<BTreeSet<String>>>;

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// The literal that an assignment overwrites, where there is only one.
    pub overwritten: BTreeMap<StmtId, Expr>,
    /// The literal that a variable holds wherever its scope ends, where there is only one.
    pub last: BTreeMap<VarId, Expr>,
    /// The variables that overwrite nothing but known literals: to have one back costs one record, where
    /// its scope ends.
    pub cheap: VarSet,
    /// The variables that tell the way of a branch after it, each with the condition in its terms.
    pub tests: BTreeMap<StmtId, Vec<(VarId, Expr)>>,
}

impl Values {
    /// The condition of a branch in terms of the variable.
    pub fn test(&self, id: StmtId, by: VarId) -> Option<&Expr> {
        let tests = self.tests.get(&id)?;
        tests.iter().find(|(v, _)| *v == by).map(|(_, e)| e)
    }
}

/// Follows the literals through the function.
pub fn values(func: &Func) -> Values {
    let mut flow = Flow {
        func,
        followed: followed(func),
        breaks: Vec::new(),
        result: Values::default(),
    };
    flow.block(&func.body, Some(State::new()));
    let mut cheap = flow.followed;
    func.body.walk(&mut |s| match &s.kind {
        StmtKind::Assign(p, _) if !flow.result.overwritten.contains_key(&s.id) => {
            cheap.remove(p.root);
        }
        _ => {}
    });
    flow.result.cheap = cheap;
    flow.result
}

/// Discrete locals that only literals are assigned to.
fn followed(func: &Func) -> VarSet {
    let discrete = |v: &VarId| {
        let var = func.var(*v);
        let local = matches!(var.origin, Origin::Local | Origin::Temp | Origin::Label);
        local && var.mode == Mode::Owned && matches!(var.ty, Ty::Int(_) | Ty::Bool)
    };
    let mut all: VarSet = func.var_ids().filter(discrete).collect();
    func.body.walk(&mut |s| match &s.kind {
        StmtKind::Let(_, None | Some(Expr::Lit(..))) => {}
        StmtKind::Assign(p, Expr::Lit(..)) if p.is_whole() => {}
        _ => {
            s.declared().into_iter().for_each(|v| all.remove(v));
            s.written().iter().for_each(|p| all.remove(p.root));
        }
    });
    all
}

struct Flow<'a> {
    func: &'a Func,
    followed: VarSet,
    /// The states where the innermost loop is left by a `break`.
    breaks: Vec<State>,
    result: Values,
}

impl Flow<'_> {
    /// The state at the end of the block; [`None`] where it is not reached.
    fn block(&mut self, block: &Block, start: Option<State>) -> Option<State> {
        let mark = self.breaks.len();
        let mut state = start;
        for stmt in &block.stmts {
            state = self.stmt(stmt, state?);
            if state.is_none() {
                break;
            }
        }
        for v in block.stmts.iter().filter_map(Stmt::declared) {
            let mut ends: Vec<&mut State> = self.breaks[mark..].iter_mut().collect();
            ends.extend(&mut state);
            let mut all = Some(BTreeSet::new());
            for end in ends {
                let here = end.remove(&v);
                all = all.zip(here).map(|(all, here)| &all | &*here);
            }
            let last = all.and_then(|all| self.only(v, &all));
            put(&mut self.result.last, v, last);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, mut state: State) -> Option<State> {
        match &stmt.kind {
            StmtKind::Let(v, init) => {
                self.assign(*v, init.as_ref(), &mut state);
            }
            StmtKind::Assign(p, e) if self.followed.contains(p.root) => {
                let old = state.get(&p.root).and_then(|s| self.only(p.root, s));
                put(&mut self.result.overwritten, stmt.id, old);
                self.assign(p.root, Some(e), &mut state);
            }
            StmtKind::If(_, then, els) => return self.branch(stmt.id, [then, els], state),
            StmtKind::Loop(head, body) => return self.repeat(head, body, state),
            StmtKind::Break => {
                self.breaks.push(state);
                return None;
            }
            _ => {}
        }
        Some(state)
    }

    fn assign(&self, v: VarId, e: Option<&Expr>, state: &mut State) {
        if !self.followed.contains(v) {
            return;
        }
        match e {
            Some(Expr::Lit(text, _)) => state.insert(v, Rc::new(BTreeSet::from([text.clone()]))),
            _ => state.remove(&v),
        };
    }

    fn branch(&mut self, id: StmtId, arms: [&Block; 2], state: State) -> Option<State> {
        let mut ends = Vec::new();
        let falls = arms.map(|arm| {
            let mark = self.breaks.len();
            let end = self.block(arm, Some(state.clone()));
            let breaks = self.breaks[mark..].iter().cloned().map(Some);
            ends.push(breaks.fold(end.clone(), join));
            end
        });
        if let [Some(then), Some(els)] = &ends[..] {
            let tests = then.iter().filter_map(|(v, then)| {
                let els = els.get(v).filter(|els| els.is_disjoint(then))?;
                Some((*v, self.condition(*v, then, els)))
            });
            let tests = tests.collect();
            self.result.tests.insert(id, tests);
        }
        let [then, els] = falls;
        join(then, els)
    }

    fn repeat(&mut self, head: &LoopHead, body: &Block, state: State) -> Option<State> {
        let outer = std::mem::take(&mut self.breaks);
        let mut start = Some(state);
        loop {
            self.breaks.clear();
            let end = self.block(body, start.clone());
            let met = join(start.clone(), end);
            if met == start {
                break;
            }
            start = met;
        }
        let breaks = std::mem::replace(&mut self.breaks, outer);
        let runs_out = start.filter(|_| !matches!(head, LoopHead::Forever));
        breaks.into_iter().map(Some).fold(runs_out, join)
    }

    /// The literal, if it is the only one.
    fn only(&self, v: VarId, lits: &BTreeSet<String>) -> Option<Expr> {
        let first = lits.first().filter(|_| lits.len() == 1)?;
        Some(Expr::Lit(first.clone(), self.func.var(v).ty.clone()))
    }

    /// Whether the variable holds one of the first literals, and so none of the second.
    fn condition(&self, v: VarId, then: &BTreeSet<String>, els: &BTreeSet<String>) -> Expr {
        let var = Expr::Read(self.func.place(v));
        if self.func.var(v).ty == Ty::Bool {
            return match then.contains("true") {
                true => var,
                false => Expr::Unary(UnOp::Not, Box::new(var)),
            };
        }
        let (lits, op, link) = match then.len() <= els.len() {
            true => (then, BinOp::Eq, BinOp::Or),
            false => (els, BinOp::Ne, BinOp::And),
        };
        let lit = |text: &String| Expr::Lit(text.clone(), self.func.var(v).ty.clone());
        let tests = lits
            .iter()
            .map(|text| Expr::Binary(op, Box::new(var.clone()), Box::new(lit(text))));
        tests
            .reduce(|a, b| Expr::Binary(link, Box::new(a), Box::new(b)))
            .unwrap_or(var)
    }
}

/// Sets an entry, or takes an older one out.
fn put<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

/// What holds on both ways; [`None`] is a way that is not taken.
fn join(a: Option<State>, b: Option<State>) -> Option<State> {
    let (Some(a), Some(b)) = (&a, &b) else {
        return a.or(b);
    };
    let both = a.iter().filter_map(|(v, here)| {
        let there = b.get(v)?;
        if Rc::ptr_eq(here, there) {
            return Some((*v, Rc::clone(here)));
        }
        let all = &**here | &**there;
        (all.len() <= MOST).then(|| (*v, Rc::new(all)))
    });
    Some(both.collect())
}
