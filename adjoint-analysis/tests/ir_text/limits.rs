//! Errors, depth, and what no text can say.

use adjoint_analysis::ir::{
    BinOp, Expr, Func, Intrinsic, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId,
};
use adjoint_analysis::text::{parse, print};

use super::{assert_round_trip, holding};

fn parse_error(statements: &str) -> String {
    let source = format!("fn f(x) {{ var x: f64; }} {{\n{statements}\n}}");
    parse::func(&source)
        .expect_err("the text has an error")
        .to_string()
}

#[test]
fn errors_say_where_and_what() {
    assert_eq!(parse_error("let z;"), "2:5: there is no variable `z`");
    assert_eq!(
        parse_error("x = 2.0;"),
        "2:8: expected the type of the literal, as in `2.0f64` or `2.0:T`, found `;`"
    );
    assert_eq!(parse_error("x = x"), "3:1: expected `;`, found `}`");
    assert_eq!(
        parse_error("\n x + x;"),
        "3:4: expected `=` or `+=`, found `+`"
    );
    assert_eq!(
        parse_error("x = foo(x);"),
        "2:5: there is no function of reals `foo`"
    );
    assert_eq!(
        parse_error("x = partial::foo(x);"),
        "2:14: no rule names a partial `foo`"
    );
    assert_eq!(
        parse_error("x = [x];"),
        "2:8: expected a type, such as `:{f64}`, found `;`"
    );
    assert_eq!(
        parse_error("while"),
        "3:1: expected the name of a variable, found `}`"
    );
    assert_eq!(
        parse_error("else;"),
        "2:1: expected a statement, found `else`"
    );
    assert_eq!(parse_error("x = \"a"), "2:5: expected a closing \"");
    assert_eq!(
        parse_error("} {"),
        "2:3: expected the end of the text, found `{`"
    );
    let twice = parse::func("fn f() { var a: f64; var a: f64; } {}").expect_err("twice");
    assert_eq!(
        twice.to_string(),
        "1:26: the variable `a` is declared twice"
    );
}

/// A function whose only statement assigns this to `v0`.
fn assigning(expr: Expr) -> Func {
    let mut func = holding(vec![Ty::F64]);
    let place = Place::var(VarId(0), Ty::F64);
    func.body.stmts = vec![Stmt {
        id: StmtId(0),
        kind: StmtKind::Assign(place, expr),
    }];
    func
}

fn read() -> Expr {
    Expr::Read(Place::var(VarId(0), Ty::F64))
}

#[test]
fn a_sum_of_ten_thousand_terms() {
    let add = |sum, _| Expr::Binary(BinOp::Add, Box::new(sum), Box::new(read()));
    let func = assigning((0..10_000).fold(read(), add));
    let printed = print::func(&func);
    assert_eq!(printed.matches(" + v0").count(), 10_000);
    assert!(!printed.contains("+ ("));
    assert_eq!(print::func(&parse::func(&printed).unwrap()), printed);
}

#[test]
fn two_thousand_parentheses() {
    let nest = |inner, _| Expr::Binary(BinOp::Sub, Box::new(read()), Box::new(inner));
    let printed = print::func(&assigning((0..2_000).fold(read(), nest)));
    assert_eq!(printed.matches(" - (v0").count(), 1_999);
    assert_eq!(print::func(&parse::func(&printed).unwrap()), printed);
}

#[test]
fn two_hundred_applications() {
    let nest = |inner, _| Expr::Intrinsic(Intrinsic::Sin, vec![inner]);
    let printed = print::func(&assigning((0..200).fold(read(), nest)));
    assert_eq!(printed.matches("sin(").count(), 200);
    assert_eq!(print::func(&parse::func(&printed).unwrap()), printed);
}

#[test]
fn a_place_with_a_type_that_its_root_does_not_have_is_kept() {
    let mut func = holding(vec![Ty::Slice(Box::new(Ty::F64))]);
    let step = Proj::Index(Box::new(Expr::Lit("0".into(), Ty::USIZE)));
    let place = Place {
        root: VarId(0),
        proj: vec![step],
        ty: Ty::Bool,
    };
    func.body.stmts = vec![Stmt {
        id: StmtId(0),
        kind: StmtKind::Zero(place),
    }];
    assert_round_trip(&func);
    assert_eq!(
        print::stmt(&func, &func.body.stmts[0]),
        "#0 zero v0[0usize]:{bool};"
    );
}
