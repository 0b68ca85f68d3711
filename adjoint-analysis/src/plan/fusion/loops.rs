//! Loops whose iterations are reversed as soon as they have run.

use super::effects::{Access, Effects, each_access};
use super::order::{Fused, Order};
use super::privates::privates;
use super::scope::Scope;
use crate::ir::{Block, Expr, Func, LoopHead, Place, Proj, Stmt, StmtId, StmtKind, VarId};
use crate::passes::checkpoint::{Callees, LoopStates};
use crate::passes::sets::names::declared_in;
use crate::passes::sets::set::VarSet;
use crate::plan::{Plan, Storage};

/// Fuses the loops of a function that may and should be, from the last one on. Returns whether there are any.
pub fn fuse(scope: &mut Scope, plan: &mut Plan, states: &LoopStates) -> bool {
    let mut order = Order::of(scope, plan.callees());
    for at in (0..scope.forward.len()).rev() {
        let is_counted = matches!(
            scope.forward[at].kind,
            StmtKind::Loop(LoopHead::Counted(..), _)
        );
        let mirror = mirror(&scope.reverse, scope.forward[at].id);
        let Some(mirror) = mirror.filter(|_| is_counted) else {
            continue;
        };
        let id = scope.forward[at].id;
        let number = plan.func.body.stmts.iter().position(|s| s.id == id);
        let of_loop = states.get(&id).zip(number);
        let private = of_loop.map_or(VarSet::default(), |(state, n)| privates(n, state, plan));
        let parts = [&scope.forward[at], &scope.reverse[mirror]];
        if let Some(stmt) = fused(parts, &private, plan) {
            order.try_to_fuse(Fused { at, mirror, stmt });
        }
    }
    let fused = order.arrange(scope);
    for record in &mut plan.records {
        // What is still recorded outside of inner loops: one of each at a time.
        if matches!(&record.storage, Storage::Frame { of, .. } if fused.contains(of)) {
            record.storage = Storage::Stack;
        }
    }
    !fused.is_empty()
}

/// The position of the reversed loop of a counted loop.
pub fn mirror(reverse: &[Stmt], of: StmtId) -> Option<usize> {
    reverse.iter().position(|s| match &s.kind {
        StmtKind::Loop(LoopHead::Reversed(..) | LoopHead::Distributed(..), _) => s.id == of,
        _ => false,
    })
}

/// The fused loop, if iterations may be reversed one by one.
fn fused([forward, reverse]: [&Stmt; 2], private: &VarSet, plan: &mut Plan) -> Option<Stmt> {
    let (StmtKind::Loop(LoopHead::Counted(index, range), run), StmtKind::Loop(_, reversed)) =
        (&forward.kind, &reverse.kind)
    else {
        return None;
    };
    if !is_worth_it(run, plan.callees()) {
        return None;
    }
    let mut scope = Scope {
        forward: run.stmts.clone(),
        reverse: reversed.stmts.clone(),
    };
    let parts = [&scope.forward[..], &scope.reverse[..]];
    if !are_independent(parts, *index, private, &plan.func) {
        return None;
    }
    scope.share(plan, None);
    let id = forward.id;
    let kind = StmtKind::Replay(Block::default(), Block::new(scope.forward));
    let mut body = vec![Stmt { id, kind }];
    body.append(&mut scope.reverse);
    let head = LoopHead::Counted(*index, range.clone());
    let kind = StmtKind::Loop(head, Block::new(body));
    Some(Stmt { id, kind })
}

/// Whether the loop records anything, or has sums, whose additions wait for one another. Other loops are as fast alone.
fn is_worth_it(run: &Block, callees: Callees<'_>) -> bool {
    let effects = Effects::of(&run.stmts, callees);
    let mut outer = effects.incremented.clone();
    outer.subtract(&declared_in(&run.stmts));
    effects.use_tape || !outer.is_empty()
}

/// Whether each iteration may be reversed before the next one runs, and before those behind it are reversed.
pub fn are_independent(
    [run, reversed]: [&[Stmt]; 2],
    index: VarId,
    private: &VarSet,
    func: &Func,
) -> bool {
    let mut inner = declared_in(run);
    inner.union(&declared_in(reversed));
    inner.insert(index);
    let [run, reversed] = [run, reversed].map(|sweep| {
        let mut accesses = Vec::new();
        each_access(sweep, func, &mut |place, access| {
            if !inner.contains(place.root) {
                accesses.push((place.clone(), access));
            }
        });
        accesses
    });
    let roots: VarSet = reversed.iter().map(|(place, _)| place.root).collect();
    roots.iter().all(|root| {
        let of_root = |all: &[(Place, Access)]| -> Vec<(Place, Access)> {
            let named = all.iter().filter(|(place, _)| place.root == root);
            named.cloned().collect()
        };
        let (run, reversed) = (of_root(&run), of_root(&reversed));
        let only = |all: &[(Place, Access)], wanted: Access| {
            all.iter().all(|(_, access)| *access == wanted)
        };
        let is_read = is_only_read(&run) && is_only_read(&reversed);
        let is_sum = run.is_empty() && only(&reversed, Access::Increment);
        is_read
            || is_sum
            || private.contains(root)
            || is_own_element(run.iter().chain(&reversed), index)
    })
}

fn is_only_read(accesses: &[(Place, Access)]) -> bool {
    let is_read = |access: &Access| matches!(access, Access::Read | Access::Shape);
    accesses.iter().all(|(_, access)| is_read(access))
}

/// Whether all of these are elements, or parts of them, at the loop's index, which are other ones in each iteration.
fn is_own_element<'a>(accesses: impl Iterator<Item = &'a (Place, Access)>, index: VarId) -> bool {
    let mut prefix: Option<&[Proj]> = None;
    let mut elements = accesses.filter(|(_, access)| *access != Access::Shape);
    elements.all(|(place, _)| {
        let at = place.proj.iter().position(|p| !matches!(p, Proj::Field(_)));
        at.is_some_and(|at| {
            let is_at_index = match &place.proj[at] {
                Proj::Index(e) => matches!(&**e, Expr::Read(i) if i.is_whole() && i.root == index),
                _ => false,
            };
            let of_one = *prefix.get_or_insert(&place.proj[..at]) == &place.proj[..at];
            is_at_index && of_one
        })
    })
}
