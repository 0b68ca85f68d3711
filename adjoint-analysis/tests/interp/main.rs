//! The interpreter against closed forms and hand-written plans.

mod derivatives;
mod plans;

use std::collections::BTreeMap;

use adjoint_analysis::gen_program::build::{
    add, array, binary, block, call, func, int, local, mul, number, param, read, real, ret, slice,
    sub, usize,
};
use adjoint_analysis::interp::{Module, Outcome, Trap, TrapKind, Value, run};
use adjoint_analysis::ir::{
    Arg, BinOp, Block, Expr, Func, IntTy, LoopHead, Mode, Origin, Proj, Range, Rev, StmtId,
    StmtKind, Ty, VarId,
};

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
