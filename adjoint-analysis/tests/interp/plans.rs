//! Hand-written plans.

use std::collections::BTreeMap;

use adjoint_analysis::gen_program::build::{
    block, call, func, int, intrinsic, local, mul, param, read, real, rem, ret, slice, usize,
};
use adjoint_analysis::interp::{Trap, TrapKind, Value, run_plan};
use adjoint_analysis::ir::{
    AdjArg, Arg, Block, Caller, Demand, Expr, IntTy, Intrinsic, LoopHead, Mode, Origin, Range,
    RecordId, Rev, StmtId, StmtKind, Ty, VarId,
};
use adjoint_analysis::plan::{Plan, Record, RecordKind, Storage};

use super::range;

/// `fn f(x: &[f64], n: i64) -> f64`: the product over `i` in `0..n` of the sines of `x[i % 3]`,
/// with a frame for the partial products; the inner loop of two trips nests another frame.
fn product_plan() -> Plan {
    let mut f = func("f");
    let x = param(&mut f, "x", slice(), Mode::Shared);
    let n = param(&mut f, "n", Ty::Int(IntTy::I64), Mode::Owned);
    let ret = ret(&mut f, Ty::F64);
    let i = f.add_var("i", Ty::Int(IntTy::I64), Mode::Owned, Origin::Index);
    let j = f.add_var("j", Ty::Int(IntTy::I64), Mode::Owned, Origin::Index);
    let x_adj = f.add_var("x_adj", slice(), Mode::Owned, Origin::Adjoint(x));
    let ret_adj = f.add_var("ret_adj", Ty::F64, Mode::Owned, Origin::Adjoint(ret));
    let outer = Range {
        hi: read(f.place(n)),
        ..range(0, 0, false, None, Rev::No)
    };
    let inner = range(0, 2, false, None, Rev::No);
    let index = Expr::Cast(
        Box::new(rem(read(f.place(i)), int(3, IntTy::I64))),
        Ty::USIZE,
    );
    let (p, p_adj) = (f.place(ret), f.place(ret_adj));
    let element = f.place(x).index(index.clone(), Ty::F64);
    let sine = intrinsic(Intrinsic::Sin, [read(element.clone())]);
    let step = StmtKind::Assign(p.clone(), mul(read(p.clone()), sine.clone()));
    let nest = |kinds: Vec<StmtKind>, make: fn(VarId, Range) -> LoopHead| {
        let stmt = |id, kind| adjoint_analysis::ir::Stmt {
            id: StmtId(id),
            kind,
        };
        let inner = StmtKind::Loop(make(j, inner.clone()), block(kinds));
        let outer = StmtKind::Loop(make(i, outer.clone()), Block::new(vec![stmt(2, inner)]));
        stmt(1, outer)
    };
    let id = RecordId(0);
    let mut forward = block([StmtKind::Assign(p.clone(), real(1.0))]);
    forward.stmts.push(nest(
        vec![StmtKind::Record(id, p.clone()), step],
        LoopHead::Counted,
    ));
    let scale = |seed, by| Expr::Scale(Box::new(seed), Box::new(by));
    let slope = Expr::Partial("sin", vec![read(element)]);
    let back = vec![
        StmtKind::Restore(id, p.clone()),
        StmtKind::Incr(
            f.place(x_adj).index(index, Ty::F64),
            scale(scale(read(p_adj.clone()), read(p)), slope),
        ),
        StmtKind::Assign(p_adj.clone(), scale(read(p_adj), sine)),
    ];
    let mut reverse = block([StmtKind::Let(ret, None)]);
    reverse.stmts.push(nest(back, LoopHead::Reversed));
    let storage = Storage::Frame {
        of: StmtId(2),
        slot: 0,
    };
    Plan {
        adjoint: BTreeMap::from([(x, x_adj), (ret, ret_adj)]),
        func: f,
        forward,
        reverse,
        records: vec![Record {
            kind: RecordKind::Value(Ty::F64),
            storage,
            of: StmtId(3),
            demand: Demand::ALWAYS,
        }],
        restores: vec![],
        interface: Vec::new(),
        calls: Default::default(),
        var_demands: Default::default(),
        callee_facts: Vec::new(),
        depends: Vec::new(),
        effects: Default::default(),
        states_effect: false,
        links: Default::default(),
        fused: None,
        reads: Vec::new(),
    }
}

fn run_product(plan: Plan) -> Result<adjoint_analysis::interp::PlanOutcome, Trap> {
    let plans = BTreeMap::from([("f".to_string(), plan)]);
    let args = vec![Value::reals(&[0.5, 1.0, 2.0]), Value::Int(IntTy::I64, 4)];
    let adjoints = vec![Some(Value::reals(&[10.0, 20.0, 30.0])), None];
    run_plan(
        &plans,
        "f",
        args,
        adjoints,
        Some(Value::real(2.0)),
        Caller::RESTORING,
    )
}

#[test]
fn a_hand_written_plan_with_nested_frames_gives_the_gradient() {
    let outcome = run_product(product_plan()).unwrap();
    let (a, b, c) = (0.5f64, 1f64, 2f64);
    let product = a.sin().powi(4) * b.sin().powi(2) * c.sin().powi(2);
    let close = |found: f64, expected: f64| (found - expected).abs() < 1e-14;
    assert!(close(outcome.ret.unwrap().as_real().unwrap(), product));
    let adjoint = outcome.adjoints[0].as_ref().unwrap().flatten();
    let cotangent = |x: f64| x.cos() / x.sin();
    assert!(
        close(adjoint[0], 10.0 + 2.0 * 4.0 * cotangent(a) * product),
        "{adjoint:?}"
    );
    assert!(
        close(adjoint[1], 20.0 + 2.0 * 2.0 * cotangent(b) * product),
        "{adjoint:?}"
    );
    assert!(
        close(adjoint[2], 30.0 + 2.0 * 2.0 * cotangent(c) * product),
        "{adjoint:?}"
    );
    assert_eq!(outcome.adjoints[1], None);
    assert_eq!(outcome.pushed, BTreeMap::from([("f64".to_string(), 8)]));
}

#[test]
fn the_stack_serves_the_same_plan() {
    let mut plan = product_plan();
    let framed = run_product(plan.clone()).unwrap();
    plan.records[0].storage = Storage::Stack;
    assert_eq!(run_product(plan).unwrap(), framed);
}

#[test]
fn faults_of_the_tape_are_traps() {
    let fault = |change: fn(&mut Plan)| {
        let mut plan = product_plan();
        change(&mut plan);
        match run_product(plan).unwrap_err().kind {
            TrapKind::Tape(text) => text,
            other => panic!("{other:?}"),
        }
    };
    let left = fault(|plan| plan.reverse.stmts.truncate(1));
    assert!(left.contains("is left"), "{left}");
    let left = fault(|plan| {
        plan.records[0].storage = Storage::Stack;
        plan.reverse.stmts.truncate(1);
    });
    assert!(left.contains("8 left on stack `f64`"), "{left}");
    let empty = fault(|plan| {
        plan.records[0].storage = Storage::Stack;
        plan.forward.stmts.truncate(1);
    });
    assert!(empty.contains("from the empty stack"), "{empty}");
    let twice = fault(|plan| {
        plan.records[0].storage = Storage::Frame {
            of: StmtId(1),
            slot: 0,
        }
    });
    assert!(twice.contains("overwrites a slot"), "{twice}");
    let mixed = fault(|plan| {
        let other = Record {
            storage: Storage::Stack,
            ..plan.records[0].clone()
        };
        plan.records = vec![other.clone(), other];
        rename(&mut plan.forward);
    });
    assert!(mixed.contains("finds"), "{mixed}");
}

/// Makes the records those of another restore.
fn rename(block: &mut Block) {
    for s in &mut block.stmts {
        match &mut s.kind {
            StmtKind::Record(id, _) => *id = RecordId(1),
            StmtKind::Loop(_, body) => rename(body),
            _ => {}
        }
    }
}

/// `g(a, b, k) = k·Σ a·b` of two slices; `f(x, k)` calls it with `x` twice.
#[test]
fn arguments_that_overlap_get_their_adjoints_from_scratch() {
    let mut g = func("g");
    let a = param(&mut g, "a", slice(), Mode::Shared);
    let b = param(&mut g, "b", slice(), Mode::Shared);
    let k = param(&mut g, "k", Ty::F64, Mode::Owned);
    let r = ret(&mut g, Ty::F64);
    let adjoints: Vec<VarId> = [(a, slice()), (b, slice()), (k, Ty::F64), (r, Ty::F64)]
        .map(|(v, ty)| g.add_var("adj", ty, Mode::Owned, Origin::Adjoint(v)))
        .to_vec();
    let first = |v: VarId| g.place(v).index(usize(0), Ty::F64);
    let product = mul(read(first(a)), read(first(b)));
    let forward = block([StmtKind::Assign(
        g.place(r),
        mul(read(g.place(k)), product.clone()),
    )]);
    let seeded = mul(read(g.place(adjoints[3])), read(g.place(k)));
    let reverse = block([
        StmtKind::Incr(first(adjoints[0]), mul(seeded.clone(), read(first(b)))),
        StmtKind::Incr(first(adjoints[1]), mul(seeded, read(first(a)))),
        StmtKind::Incr(
            g.place(adjoints[2]),
            mul(read(g.place(adjoints[3])), product),
        ),
    ]);
    let adjoint = [a, b, k, r].into_iter().zip(adjoints).collect();
    let g = Plan {
        func: g,
        forward,
        reverse,
        records: vec![],
        adjoint,
        restores: vec![],
        interface: Vec::new(),
        calls: Default::default(),
        var_demands: Default::default(),
        callee_facts: Vec::new(),
        depends: Vec::new(),
        effects: Default::default(),
        states_effect: false,
        links: Default::default(),
        fused: None,
        reads: Vec::new(),
    };

    let mut f = func("f");
    let x = param(&mut f, "x", slice(), Mode::Shared);
    let k = param(&mut f, "k", Ty::F64, Mode::Owned);
    let r = ret(&mut f, Ty::F64);
    let t = local(&mut f, "t", Ty::F64);
    let x_adj = f.add_var("x_adj", slice(), Mode::Owned, Origin::Adjoint(x));
    let k_adj = f.add_var("k_adj", Ty::F64, Mode::Owned, Origin::Adjoint(k));
    let r_adj = f.add_var("r_adj", Ty::F64, Mode::Owned, Origin::Adjoint(r));
    let dk = f.add_var("dk", Ty::F64, Mode::Owned, Origin::Temp);
    let place = |v| f.place(v);
    let args = vec![
        Arg::Shared(place(x)),
        Arg::Shared(place(x)),
        Arg::Value(read(place(k))),
    ];
    let forward = block([
        StmtKind::Forward(call(Some(t), "g", args.clone())),
        StmtKind::Assign(place(r), read(place(t))),
    ]);
    let reversed = |a, b| {
        block([
            StmtKind::Reverse {
                call: call(None, "g", args.clone()),
                adjoints: vec![a, b, AdjArg::Increment(dk)],
                seed: Some(read(place(r_adj))),
            },
            StmtKind::Incr(place(k_adj), read(place(dk))),
        ])
    };
    let scratch = || AdjArg::Scratch(Some(place(x_adj)));
    let reverse = reversed(scratch(), scratch());
    let aliased = reversed(AdjArg::Place(place(x_adj)), AdjArg::Place(place(x_adj)));
    let adjoint = BTreeMap::from([(x, x_adj), (k, k_adj), (r, r_adj)]);
    let f = Plan {
        func: f.clone(),
        forward,
        reverse,
        records: vec![],
        adjoint,
        restores: vec![],
        interface: Vec::new(),
        calls: Default::default(),
        var_demands: Default::default(),
        callee_facts: Vec::new(),
        depends: Vec::new(),
        effects: Default::default(),
        states_effect: false,
        links: Default::default(),
        fused: None,
        reads: Vec::new(),
    };
    let run_with = |f: Plan| {
        let plans = BTreeMap::from([("f".to_string(), f), ("g".to_string(), g.clone())]);
        let args = vec![Value::reals(&[3.0]), Value::real(5.0)];
        run_plan(
            &plans,
            "f",
            args,
            vec![Some(Value::reals(&[1.0])), None],
            Some(Value::real(2.0)),
            Caller::RESTORING,
        )
    };
    let outcome = run_with(f.clone()).unwrap();
    assert_eq!(outcome.ret, Some(Value::real(45.0)));
    let expected = vec![
        Some(Value::reals(&[1.0 + 2.0 * 5.0 * 6.0])),
        Some(Value::real(18.0)),
    ];
    assert_eq!(outcome.adjoints, expected);
    let trap = run_with(Plan {
        reverse: aliased,
        ..f
    })
    .unwrap_err();
    assert_eq!(trap.kind, TrapKind::Aliased("adjoints of g".into()));
}
