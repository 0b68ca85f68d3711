//! Constructs without a derivative that only the analyses reveal; they are refused once activity is known.

use crate::ir::{Arg, Block, Call, Callee, CodeId, Expr, Place, StmtId, StmtKind, Ty, VarId};
use crate::lower::items::generics;
use crate::lower::types::is_lowered_fn_type;
use crate::lower::{Environment, Lowered};
use crate::mir::code::CaptureMode;
use crate::passes::activity::bits::reals_from_bits;
use crate::passes::activity::{Activity, outputs};
use crate::passes::checkpoint::{Callees, loop_states};
use crate::plan::Plan;
use crate::refuse::{Reason, Refusal};

/// All refusals, in the order of the checks.
pub fn unsupported(
    item: &syn::ItemFn,
    env: &Environment,
    lowered: &Lowered,
    plan: &Plan,
    activity: &Activity,
) -> Vec<Refusal> {
    let mut refused = calls_of_unknown(item, env, lowered, plan);
    refused.extend(varied_captures(lowered, activity));
    refused.extend(varied_constants(lowered, activity));
    refused.extend(floats_from_bits(lowered, activity));
    refused.extend(active_bare_mut_args(lowered, activity));
    refused.extend(states_without_copies(lowered));
    let env = generics::in_function(&item.sig, env);
    refused.extend(lent_stateful_functions(lowered, plan, &env));
    refused
}

/// Active calls of unknown functions: of one in a variable, and of one of a type parameter's type.
fn calls_of_unknown(
    item: &syn::ItemFn,
    env: &Environment,
    lowered: &Lowered,
    plan: &Plan,
) -> Vec<Refusal> {
    let is_variable = |callee: &Callee| {
        let path = callee.path.as_ref();
        path.is_some_and(|path| lowered.variable_callees.contains(path))
    };
    let is_param = |ty: &str| {
        let mut own = item.sig.generics.type_params();
        own.any(|param| param.ident == ty) || env.user_type_params.iter().any(|param| param == ty)
    };
    let param_of = |call: &Call| {
        let owner = match call.receiver().map(|p| &p.ty) {
            Some(Ty::Named(ty)) => ty.clone(),
            _ => call.callee.associated_fn()?.0,
        };
        let own = owner.trim_start_matches('<').split(" as ").next()?.trim();
        is_param(own).then(|| own.to_string())
    };
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        if !plan.calls.contains_key(&stmt.id) {
            return;
        }
        let reason = match is_variable(&call.callee) {
            true => Some(Reason::FunctionValue(call.callee.name.clone())),
            false => param_of(call).map(Reason::AnyType),
        };
        let span = lowered.spans[stmt.id.index()];
        found.extend(reason.map(|reason| Refusal { span, reason }));
    });
    found
}

/// Closures that capture varied values and are passed to functions with float results: these would treat the closure's
/// results as constants.
fn varied_captures(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        if outputs(call, &lowered.func).is_empty()
            || activity.inactive.contains(call, &lowered.func)
        {
            return;
        }
        for arg in &call.args {
            let Arg::Value(Expr::Code(code, captured, _)) = arg else {
                continue;
            };
            let closure = lowered
                .closure_args
                .iter()
                .find(|(handed, _)| handed == code);
            let varied =
                |p: &&Place| p.ty.carries_floats() && activity.varied_before(stmt.id, p) != 0;
            if let (Some((_, span)), Some(place)) = (closure, captured.iter().find(varied)) {
                let name = &lowered.func.var(place.root).name;
                let what =
                    format!("a closure that reads `{name}`, which depends on an independent,");
                found.push(Refusal {
                    span: *span,
                    reason: Reason::HandedIn(what),
                });
            }
        }
    });
    found
}

/// Code that is evaluated as written, because its operands were taken for constants, and that reads a varied value.
fn varied_constants(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Let(_, Some(Expr::Code(code, reads, _))) = &stmt.kind else {
            return;
        };
        let varied = |p: &&Place| p.ty.carries_floats() && activity.varied_before(stmt.id, p) != 0;
        if let (true, Some(place)) = (lowered.constant_code.contains(code), reads.iter().find(varied)) {
            let name = &lowered.func.var(place.root).name;
            let what = format!("an expression of a type that is not seen and of `{name}`, which depends on an independent,");
            found.push(Refusal {
                span: lowered.spans[stmt.id.index()],
                reason: Reason::Expression(what),
            });
        }
    });
    found
}

/// Floats that are made of the bits of varied ones.
fn floats_from_bits(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let found = reals_from_bits(&lowered.func, activity);
    let refusal = |id: StmtId| Refusal {
        span: lowered.spans[id.index()],
        reason: Reason::Bits,
    };
    found.into_iter().map(refusal).collect()
}

/// `&mut` variables that calls of inactive functions take by name, though their referent is active: a callee that only
/// reads keeps the derivative, one that writes ends it, and the macro can't see which.
fn active_bare_mut_args(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        if !activity.inactive.contains(call, &lowered.func) {
            return;
        }
        let unsaid = |k: usize| {
            call.callee
                .path
                .is_some_and(|p| lowered.bare_mut_args.contains(&(p, k)))
        };
        let passes = |p: &Place| {
            let is_real = p.ty.carries_floats();
            is_real
                && activity.varied_before(stmt.id, p) != 0
                && activity.useful_after(stmt.id, p) != 0
        };
        let mut args = call.args.iter().enumerate();
        if args.any(|(k, arg)| matches!(arg, Arg::Mut(p) if unsaid(k) && passes(p))) {
            found.push(Refusal {
                span: lowered.spans[stmt.id.index()],
                reason: Reason::LentByName(call.callee.name.clone()),
            });
        }
    });
    found
}

/// Functions with a state that are lent to functions with an adjoint: both sweeps take them, and the state can't be
/// restored for the second one.
fn lent_stateful_functions(lowered: &Lowered, plan: &Plan, env: &Environment) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        let lent = |arg: &Arg| matches!(arg, Arg::Mut(p) if is_lowered_fn_type(&p.ty, env));
        if plan.calls.contains_key(&stmt.id) && call.args.iter().any(lent) {
            found.push(Refusal {
                span: lowered.spans[stmt.id.index()],
                reason: Reason::HandedIn("a function that changes what it holds".into()),
            });
        }
    });
    found
}

/// What a step of a checkpointed loop changes and no snapshot can hold, such as a generator of random numbers: another run of
/// the step would find it changed.
fn states_without_copies(lowered: &Lowered) -> Vec<Refusal> {
    let func = &lowered.func;
    let mut found = Vec::new();
    for (id, state) in loop_states(Callees::unknown(func)) {
        let mut changed: Vec<VarId> = state.named.clone();
        changed.retain(|v| func.var(*v).ty.is_state());
        func.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Loop(_, body) if stmt.id == id => changed.extend(lent_to_code(body, lowered)),
            _ => {}
        });
        let outer = changed.iter().find(|v| state.named.contains(v));
        found.extend(outer.map(|v| {
            let name = &func.var(*v).name;
            let why = format!("each step changes `{name}`, of which no snapshot can be taken");
            let span = lowered.spans[id.index()];
            Refusal {
                span,
                reason: Reason::Checkpoint(why),
            }
        }));
    }
    found
}

/// The variables that opaque code in the block borrows mutably.
fn lent_to_code(block: &Block, lowered: &Lowered) -> Vec<VarId> {
    let mut lent = Vec::new();
    let mut note = |code: CodeId, places: &[Place]| {
        let modes = lowered.code[code.index()].modes.iter();
        let is_mut = |mode: &CaptureMode| matches!(mode, CaptureMode::Mut | CaptureMode::MutBorrow);
        let changed = modes.zip(places).filter(|(mode, _)| is_mut(mode));
        lent.extend(changed.map(|(_, place)| place.root));
    };
    block.walk(&mut |stmt| {
        if let StmtKind::Passive(code, places) = &stmt.kind {
            note(*code, places);
        }
        stmt.walk_exprs(&mut |e| {
            if let Expr::Code(code, places, _) = e {
                note(*code, places);
            }
        });
    });
    lent
}
