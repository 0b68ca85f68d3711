//! The interpreter against closed forms and hand-written plans.

use std::collections::BTreeMap;

use adjoint_analysis::gen_program::build::{
    add, array, binary, block, call, func, int, intrinsic, local, mul, number, param, read, real,
    rem, ret, slice, sub, usize,
};
use adjoint_analysis::interp::{
    Dual, Module, Number, Outcome, Trap, TrapKind, Value, run, run_plan,
};
use adjoint_analysis::ir::{
    AdjArg, Arg, BinOp, Block, Caller, Demand, Expr, Func, IntTy, Intrinsic, LoopHead, Mode,
    Origin, Proj, Range, RecordId, Rev, StmtId, StmtKind, Ty, VarId,
};
use adjoint_analysis::plan::{Plan, Record, RecordKind, Storage};

fn finish(mut func: Func, body: Block) -> Func {
    func.body = body;
    number(&mut func.body);
    func
}

fn run_one(func: Func, args: Vec<Value>) -> Result<Outcome<f64>, Trap> {
    let name = func.name.clone();
    run(&Module::new([func]), &name, args)
}

/// What a function without parameters that returns this expression does.
fn evaluate(e: Expr, ty: Ty) -> Result<Value, TrapKind> {
    let mut f = func("f");
    let ret = ret(&mut f, ty);
    let body = block([StmtKind::Assign(f.place(ret), e)]);
    let outcome = run_one(finish(f, body), vec![]).map_err(|t| t.kind)?;
    Ok(outcome.ret.expect("a result"))
}

fn range(lo: i64, hi: i64, inclusive: bool, step: Option<usize>, rev: Rev) -> Range {
    let ty = IntTy::I64;
    Range {
        lo: int(lo, ty),
        hi: int(hi, ty),
        inclusive,
        step: step.map(usize),
        rev,
        ty: Ty::Int(ty),
    }
}

/// The indices that a loop runs through, as the digits of a number in base 100.
fn indices(range: Range, head: fn(VarId, Range) -> LoopHead) -> i128 {
    let mut f = func("f");
    let ret = ret(&mut f, Ty::Int(IntTy::I128));
    let i = f.add_var("i", range.ty.clone(), Mode::Owned, Origin::Index);
    let place = f.place(ret);
    let shifted = mul(read(place.clone()), int(100, IntTy::I128));
    let digit = Expr::Cast(
        Box::new(add(read(f.place(i)), int(50, IntTy::I64))),
        Ty::Int(IntTy::I128),
    );
    let body = block([
        StmtKind::Assign(place.clone(), int(0, IntTy::I128)),
        StmtKind::Loop(
            head(i, range),
            block([StmtKind::Assign(place, add(shifted, digit))]),
        ),
    ]);
    match run_one(finish(f, body), vec![]).unwrap().ret {
        Some(Value::Int(_, n)) => n,
        other => panic!("{other:?}"),
    }
}

fn number_of(indices: impl Iterator<Item = i16>) -> i128 {
    indices.fold(0, |n, i| n * 100 + i128::from(i + 50))
}

#[test]
fn counted_loops_run_as_rust_s_ranges() {
    for (lo, hi) in [(0i16, 5i16), (-2, 4), (3, 3), (4, 1)] {
        for step in 1..4 {
            let forms: [(i128, bool, Rev); 6] = [
                (number_of((lo..hi).step_by(step)), false, Rev::No),
                (
                    number_of((lo..hi).rev().step_by(step)),
                    false,
                    Rev::BeforeStep,
                ),
                (
                    number_of((lo..hi).step_by(step).rev()),
                    false,
                    Rev::AfterStep,
                ),
                (number_of((lo..=hi).step_by(step)), true, Rev::No),
                (
                    number_of((lo..=hi).rev().step_by(step)),
                    true,
                    Rev::BeforeStep,
                ),
                (
                    number_of((lo..=hi).step_by(step).rev()),
                    true,
                    Rev::AfterStep,
                ),
            ];
            for (expected, inclusive, rev) in forms {
                let range = range(lo.into(), hi.into(), inclusive, Some(step), rev);
                assert_eq!(
                    indices(range.clone(), LoopHead::Counted),
                    expected,
                    "{range:?}"
                );
            }
        }
    }
    let backwards = indices(range(0, 5, false, Some(2), Rev::No), LoopHead::Reversed);
    assert_eq!(backwards, number_of([4, 2, 0].into_iter()));
}

#[test]
fn integers_overflow_wrap_and_saturate_as_in_rust() {
    let i8s = |op, a, b| {
        evaluate(
            binary(op, int(a, IntTy::I8), int(b, IntTy::I8)),
            Ty::Int(IntTy::I8),
        )
    };
    let is = |i| Ok(Value::Int(IntTy::I8, i));
    assert_eq!(i8s(BinOp::Add, 100, 27), is(127));
    assert_eq!(i8s(BinOp::Add, 100, 28), Err(TrapKind::Overflow));
    assert_eq!(i8s(BinOp::Sub, -100, 28), is(-128));
    assert_eq!(i8s(BinOp::Sub, -100, 29), Err(TrapKind::Overflow));
    assert_eq!(i8s(BinOp::Div, -7, 2), is(-3));
    assert_eq!(i8s(BinOp::Rem, -7, 2), is(-1));
    assert_eq!(i8s(BinOp::Rem, 7, 0), Err(TrapKind::DivisionByZero));
    assert_eq!(i8s(BinOp::Shl, 65, 1), is(-126));
    assert_eq!(i8s(BinOp::Shl, 1, 8), Err(TrapKind::Overflow));
    assert_eq!(
        evaluate(sub(usize(2), usize(3)), Ty::USIZE),
        Err(TrapKind::Overflow)
    );
    let cast = |e, ty| evaluate(Expr::Cast(Box::new(e), Ty::Int(ty)), Ty::Int(ty));
    assert_eq!(cast(real(-1.5), IntTy::U8), Ok(Value::Int(IntTy::U8, 0)));
    assert_eq!(
        cast(real(1e300), IntTy::I16),
        Ok(Value::Int(IntTy::I16, 32767))
    );
    assert_eq!(
        cast(int(-1, IntTy::I32), IntTy::U16),
        Ok(Value::Int(IntTy::U16, 65535))
    );
    assert_eq!(
        cast(int(200, IntTy::U8), IntTy::I8),
        Ok(Value::Int(IntTy::I8, -56))
    );
}

/// `x[0] = x[0]*x[0]*x[1]`, swaps, and an increment by itself.
#[test]
fn a_statement_reads_before_it_writes_and_slices_keep_their_extent() {
    let mut f = func("f");
    let x = param(&mut f, "x", slice(), Mode::Mut);
    let at = |i| f.place(x).index(usize(i), Ty::F64);
    let square = mul(read(at(0)), mul(read(at(0)), read(at(1))));
    let body = block([
        StmtKind::Assign(at(0), square),
        StmtKind::Swap(at(0), at(1)),
        StmtKind::Swap(at(0), at(0)),
        StmtKind::Incr(at(1), read(at(1))),
    ]);
    let outcome = run_one(finish(f.clone(), body), vec![Value::reals(&[3.0, 2.0])]).unwrap();
    assert_eq!(outcome.muts, [Value::reals(&[2.0, 36.0])]);
    let body = block([StmtKind::Assign(
        f.place(x),
        Expr::Repeat(Box::new(real(1.0)), Box::new(usize(3)), array(Ty::F64, 3)),
    )]);
    let trap = run_one(finish(f, body), vec![Value::reals(&[3.0, 2.0])]).unwrap_err();
    assert!(matches!(trap.kind, TrapKind::Type(_)), "{trap}");
    assert_eq!(trap.at, Some(("f".into(), StmtId(0))));
}

#[test]
fn elements_go_into_lists_and_out_of_them() {
    let mut f = func("f");
    let v = param(&mut f, "v", Ty::Vec(Box::new(Ty::F64)), Mode::Mut);
    let ret = ret(&mut f, Ty::F64);
    let t = local(&mut f, "t", Ty::F64);
    let place = f.place(v);
    let run = |kinds: Vec<StmtKind>| {
        let mut kinds = kinds;
        kinds.push(StmtKind::Assign(f.place(ret), read(f.place(t))));
        run_one(
            finish(f.clone(), block(kinds)),
            vec![Value::reals(&[3.0, 2.0])],
        )
    };
    let outcome = run(vec![
        StmtKind::Insert(place.clone(), Some(usize(1)), real(5.0)),
        StmtKind::Insert(place.clone(), None, Expr::Len(place.clone())),
        StmtKind::Remove(Some(t), place.clone(), Some(usize(0))),
        StmtKind::Remove(None, place.clone(), None),
    ]);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.muts, [Value::reals(&[5.0, 2.0])]);
    assert_eq!(outcome.ret, Some(Value::real(3.0)));
    let behind = run(vec![StmtKind::Insert(
        place.clone(),
        Some(usize(3)),
        real(5.0),
    )]);
    assert_eq!(behind.unwrap_err().kind, TrapKind::OutOfBounds(3, 2));
    let behind = run(vec![StmtKind::Remove(
        Some(t),
        place.clone(),
        Some(usize(2)),
    )]);
    assert_eq!(behind.unwrap_err().kind, TrapKind::OutOfBounds(2, 2));
    let none = vec![StmtKind::Remove(None, place.clone(), None); 3];
    assert_eq!(run(none).unwrap_err().kind, TrapKind::OutOfBounds(-1, 0));
}

#[test]
fn variables_live_for_one_execution_of_their_block() {
    let mut f = func("f");
    let ret = ret(&mut f, Ty::F64);
    let t = local(&mut f, "t", Ty::F64);
    let i = f.add_var("i", Ty::Int(IntTy::I64), Mode::Owned, Origin::Index);
    let looped = block([StmtKind::Let(t, Some(real(1.0)))]);
    let head = LoopHead::Counted(i, range(0, 3, false, None, Rev::No));
    let after = StmtKind::Assign(f.place(ret), read(f.place(t)));
    let body = block([StmtKind::Loop(head.clone(), looped), after]);
    let trap = run_one(finish(f.clone(), body), vec![]).unwrap_err();
    assert_eq!(trap.kind, TrapKind::Dead("t".into()));
    let unset = block([StmtKind::Loop(
        head,
        block([
            StmtKind::Let(t, None),
            StmtKind::Incr(f.place(t), real(1.0)),
        ]),
    )]);
    let trap = run_one(finish(f, unset), vec![]).unwrap_err();
    assert_eq!(trap.kind, TrapKind::Unassigned("t".into()));
}

#[test]
fn loops_without_end_meet_the_step_limit_and_recursion_the_depth_limit() {
    let f = func("f");
    let endless = finish(
        f.clone(),
        block([StmtKind::Loop(LoopHead::Forever, Block::default())]),
    );
    assert_eq!(
        run_one(endless, vec![]).unwrap_err().kind,
        TrapKind::StepLimit
    );
    let deep = finish(f, block([StmtKind::Call(call(None, "f", vec![]))]));
    assert_eq!(
        run_one(deep, vec![]).unwrap_err().kind,
        TrapKind::DepthLimit
    );
}

#[test]
fn structs_options_and_tuples_are_places() {
    let mut f = func("f");
    let p = param(&mut f, "p", Ty::Named("P".into()), Mode::Mut);
    let o = param(&mut f, "o", Ty::Option(Box::new(Ty::F64)), Mode::Mut);
    let field = f
        .place(p)
        .project(Proj::Field("w".into()), array(Ty::F64, 2));
    let element = field.index(usize(1), Ty::F64);
    let payload = f
        .place(o)
        .project(Proj::Variant("Some".into(), "0".into()), Ty::F64);
    let body = block([
        StmtKind::Assign(element.clone(), mul(read(element), read(payload.clone()))),
        StmtKind::Incr(payload, real(1.0)),
    ]);
    let w = |v: &[f64]| {
        Value::Struct(BTreeMap::from([
            ("n".into(), Value::usize(2)),
            ("w".into(), Value::reals(v)),
        ]))
    };
    let some = |v| Value::Option(Some(Box::new(Value::real(v))));
    let outcome = run_one(finish(f, body), vec![w(&[1.0, 2.0]), some(3.0)]).unwrap();
    assert_eq!(outcome.muts, [w(&[1.0, 6.0]), some(4.0)]);
}

#[test]
fn a_written_argument_must_not_overlap_another() {
    let mut g = func("g");
    let a = param(&mut g, "a", slice(), Mode::Mut);
    param(&mut g, "b", slice(), Mode::Mut);
    let first = g.place(a).index(usize(0), Ty::F64);
    let g = finish(g, block([StmtKind::Incr(first, real(1.0))]));
    let mut f = func("f");
    let x = param(&mut f, "x", slice(), Mode::Mut);
    let part =
        |step: fn(Box<Expr>) -> Proj, mid| f.place(x).project(step(Box::new(usize(mid))), slice());
    let calling = |a, b| {
        let args = vec![Arg::Mut(a), Arg::Mut(b)];
        let f = finish(f.clone(), block([StmtKind::Call(call(None, "g", args))]));
        let module = Module::new([f, g.clone()]);
        run(&module, "f", vec![Value::<f64>::reals(&[1.0, 2.0, 3.0])])
    };
    let apart = calling(part(Proj::Tail, 2), part(Proj::Head, 2)).unwrap();
    assert_eq!(apart.muts, [Value::reals(&[1.0, 2.0, 4.0])]);
    let trap = calling(part(Proj::Tail, 1), part(Proj::Head, 2)).unwrap_err();
    assert_eq!(trap.kind, TrapKind::Aliased("g".into()));
}

/// The slope of an intrinsic of one operand along itself.
fn slope(op: Intrinsic, x: f64) -> f64 {
    Dual::intrinsic(op, &[Dual::new(x, 1.0)]).slope
}

#[test]
fn dual_numbers_agree_with_differences_where_functions_are_smooth() {
    let h = 1e-6;
    for op in Intrinsic::ALL
        .iter()
        .copied()
        .filter(|op| *op != Intrinsic::Powi)
    {
        let x: Vec<f64> = match op {
            Intrinsic::Acosh => vec![1.7],
            Intrinsic::Clamp => vec![0.3, -0.6, 0.7],
            _ => vec![0.37, 1.62, 0.41][..op.arity()].to_vec(),
        };
        for i in 0..x.len() {
            let at = |d: f64| {
                let mut x = x.clone();
                x[i] += d;
                f64::intrinsic(op, &x)
            };
            let dual: Vec<Dual> = x
                .iter()
                .enumerate()
                .map(|(j, x)| Dual::new(*x, f64::from(i == j)))
                .collect();
            let difference = (at(h) - at(-h)) / (2.0 * h);
            let found = Dual::intrinsic(op, &dual).slope;
            assert!(
                (found - difference).abs() < 1e-7 * (1.0 + found.abs()),
                "{} {i}",
                op.name()
            );
        }
    }
    assert_eq!(Dual::new(3.0, 1.0).powi(-2).slope, -2.0 * 3f64.powi(-3));
}

#[test]
fn dual_numbers_follow_the_contract_at_kinks() {
    assert_eq!(slope(Intrinsic::Abs, 0.0), 0.0);
    assert_eq!(slope(Intrinsic::Abs, -0.0), 0.0);
    assert_eq!(slope(Intrinsic::Sqrt, 0.0), f64::INFINITY);
    assert_eq!(
        Dual::intrinsic(Intrinsic::Sqrt, &[Dual::constant(0.0)]).slope,
        0.0
    );
    let two = |op, x, y| Dual::intrinsic(op, &[Dual::new(x, 1.0), Dual::new(y, 10.0)]).slope;
    assert_eq!(two(Intrinsic::Max, 2.0, 2.0), 1.0);
    assert_eq!(two(Intrinsic::Min, 2.0, 2.0), 1.0);
    assert_eq!(two(Intrinsic::Max, f64::NAN, 2.0), 10.0);
    assert_eq!(two(Intrinsic::Min, 2.0, f64::NAN), 1.0);
    assert_eq!(two(Intrinsic::Hypot, 0.0, 0.0), 0.0);
    assert_eq!(two(Intrinsic::Atan2, 0.0, 0.0), 0.0);
    assert_eq!(two(Intrinsic::Powf, 0.0, 2.0), 0.0);
    assert_eq!(two(Intrinsic::Powf, 0.0, 1.0), 1.0);
    assert_eq!(two(Intrinsic::RemEuclid, -1.0, 4.0), 11.0);
    let clamp = |x| {
        let bounds = [
            Dual::new(x, 1.0),
            Dual::new(-1.0, 10.0),
            Dual::new(1.0, 100.0),
        ];
        Dual::intrinsic(Intrinsic::Clamp, &bounds).slope
    };
    assert_eq!(
        [clamp(-2.0), clamp(-1.0), clamp(1.0), clamp(2.0)],
        [10.0, 1.0, 1.0, 100.0]
    );
    assert_eq!(Dual::new(0.0, 1.0).powi(0).slope, 0.0);
}

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
        made_for: Default::default(),
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
        made_for: Default::default(),
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
        made_for: Default::default(),
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
