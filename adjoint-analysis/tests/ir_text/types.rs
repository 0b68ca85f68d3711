//! Types, modes and origins.

use adjoint_analysis::ir::{FloatTy, Mode, Origin, Ty, VarId};
use adjoint_analysis::text::{parse, print};

use super::{assert_round_trip, holding};

#[test]
fn origins_that_are_not_usual_are_written() {
    let mut func = holding(vec![Ty::F64; 7]);
    let origins = [
        Origin::Param,
        Origin::Ret,
        Origin::Local,
        Origin::Index,
        Origin::Temp,
        Origin::Adjoint(VarId(6)),
        Origin::Adjoint(VarId(0)),
    ];
    for (var, origin) in func.vars.iter_mut().zip(origins) {
        var.origin = origin;
    }
    assert_round_trip(&func);
    func.params = vec![VarId(2), VarId(3)];
    func.ret = Some(VarId(4));
    assert_round_trip(&func);
}

#[test]
fn the_index_of_a_loop_has_its_origin_without_a_mark() {
    let func = parse::func("fn f() { var i: usize; } { for i in 0usize..3usize {} }").unwrap();
    assert_eq!(func.vars[0].origin, Origin::Index);
    assert_round_trip(&func);
}

#[test]
fn modes() {
    let func = parse::func("fn f(a, b, c) { var a: f64; var b: &f64; var c: &mut f64; } {}");
    let func = func.unwrap();
    let modes: Vec<_> = func.vars.iter().map(|v| v.mode).collect();
    assert_eq!(modes, [Mode::Owned, Mode::Shared, Mode::Mut]);
    assert_round_trip(&func);
}

#[test]
fn types() {
    let boxed = |ty: Ty| Box::new(ty);
    let named = |name: &str| Ty::Named(name.into());
    let real = |name: &str| Ty::Float(FloatTy::Param(name.into()));
    let mut types = vec![
        Ty::Float(FloatTy::F32),
        real("T"),
        named("U"),
        named("a::B<f64, Vec<[T; N]>>"),
        named("a::<fn(f64) -> f64>::B"),
        Ty::Bool,
        Ty::Unit,
        Ty::Unknown,
        Ty::Tuple(vec![]),
        Ty::Tuple(vec![Ty::F64]),
        Ty::Tuple(vec![Ty::F64, Ty::Unit]),
        Ty::Discrete("&str".into()),
        Ty::Array(boxed(Ty::F64), "{ N + [1, 2].len() }".into()),
        Ty::Slice(boxed(Ty::Vec(boxed(Ty::Option(boxed(Ty::Boxed(boxed(
            real("T"),
        )))))))),
    ];
    types.extend(adjoint_analysis::ir::IntTy::ALL.map(Ty::Int));
    let func = holding(types);
    assert_round_trip(&func);
    assert!(func.to_string().contains("types T;"));
    assert_eq!(print::ty(&Ty::Discrete("&str".into())), "discrete \"&str\"");
}

#[test]
fn types_that_would_mean_something_else_are_quoted() {
    let named = |name: &str| Ty::Named(name.into());
    let real = |name: &str| Ty::Float(FloatTy::Param(name.into()));
    let types = vec![
        real("T"),
        named("T"),
        named("f64"),
        named("Vec"),
        named("Vec<f64>"),
        named("Option<f64, A>"),
        named("_"),
        named(""),
        named("impl Fn(f64) -> f64"),
        named("<T as Trait>::Out"),
        named("a \"quoted\\ name\n"),
        real("f64"),
        real("<T as Trait>::Out"),
        real("S::Scalar"),
        Ty::Array(Box::new(Ty::F64), " N ]".into()),
        Ty::Array(Box::new(Ty::F64), String::new()),
    ];
    assert_round_trip(&holding(types));
}
