//! Expressions and places.

use adjoint_analysis::ir::{BinOp, Expr, FloatTy, Intrinsic, Ty};
use adjoint_analysis::text::print;

use super::{assert_round_trip, check_expr, with_variables};

#[test]
fn names_that_are_words_of_the_grammar_stand_in_backticks() {
    let mut func = with_variables("zero x; forward g::<f64>(k); p.record.0 = len(x);");
    for (var, name) in func.vars.iter_mut().zip([
        "zero", "record", "way", "rev", "r#type", "true", "_", "a`b\\", "len", "sin", "partial",
        "none",
    ]) {
        var.name = name.into();
    }
    func.name = "<Foo as Bar>::go".into();
    assert_round_trip(&func);
    assert_eq!(print::stmt(&func, &func.body.stmts[0]), "#0 zero `zero`;");
}

#[test]
fn literals() {
    assert_eq!(check_expr("2.0f64"), Expr::Lit("2.0".into(), Ty::F64));
    assert_eq!(check_expr("7usize"), Expr::Lit("7".into(), Ty::USIZE));
    assert_eq!(check_expr("true"), Expr::Lit("true".into(), Ty::Bool));
    let real = Ty::Float(FloatTy::Param("T".into()));
    assert_eq!(check_expr("2.0:T"), Expr::Lit("2.0".into(), real));
    for source in [
        "1_000.5e-3f32",
        "0xffu8",
        "0b1f64",
        "0x1:f32",
        "1e5f64",
        "1i128",
        "1:_",
        "\"inf\":f64",
        "\"a \\\"b\\\"\":discrete \"&str\"",
        "\"1.\":f64",
        "\"yes\":bool",
        "\"true\":usize",
        "\"\":f64",
        "\"1e\":f64",
    ] {
        check_expr(source);
    }
}

#[test]
fn places() {
    for source in [
        "x[i]",
        "m[i][n - 1usize]",
        "x[i..n][0usize]",
        "x[..n]",
        "x[i..]",
        "x[..]",
        "x.head(n).tail(i)[0usize]",
        "x.tail(n).chunk(i; 3)[0usize]",
        "x[i].single()[0usize]",
        "x.chunk(n - 1usize; N)",
        "p.k.items()[i]:{f64}",
        "t.0",
        "t.1",
        "o@Some.0.*",
        "o@Option::Some.0",
        "o@Some.0.*.value:{f64}",
        "p.k:{f64}",
        "p.k",
        "p.a.0.head.tail:{[f64; 2]}",
        "p.rows:{Vec<f64>}",
        "p@Shape::Circle.radius:{f64}",
        "x[i]:{f32}",
        "x[p.k:{usize}]",
        "p.`a b`:{f64}",
        "p@`<A>::B`.`c d`",
    ] {
        check_expr(source);
    }
}

#[test]
fn the_parser_gives_places_their_types() {
    let ty = |source: &str| match check_expr(source) {
        Expr::Read(place) => place.ty.to_string(),
        _ => unreachable!("a place is read"),
    };
    assert_eq!(ty("m"), "[[f64; 3]]");
    assert_eq!(ty("m[i]"), "[f64; 3]");
    assert_eq!(ty("m[i][i]"), "f64");
    assert_eq!(ty("v[i..]"), "[f64]");
    assert_eq!(ty("m[i].tail(n)"), "[f64]");
    assert_eq!(ty("x[i].single()"), "[f64; 1]");
    assert_eq!(ty("t.1"), "usize");
    assert_eq!(ty("o@Some.0"), "Box<Node>");
    assert_eq!(ty("o@Some.0.*"), "Node");
    assert_eq!(ty("p.k"), "_");
}

#[test]
fn operators_have_as_few_parentheses_as_they_need() {
    for source in [
        "k + k * k - k / k % k",
        "k - (k - k)",
        "(k + k) * k",
        "-(k * k)",
        "-k * k",
        "-(-k)",
        "!(c && c) || c && !c",
        "(c || c) && c",
        "(k < k) == c",
        "c == (k < k)",
        "n << 1usize + n",
        "(n << 1usize) + n",
        "n & n | n ^ n",
        "n & (n | n)",
        "k as usize",
        "(n as f64) * k",
        "-n as f64",
        "-(n as f64)",
        "(n as i32) as f64",
        "(n as Foo) < n",
        "n >> 2u32 >= n",
    ] {
        check_expr(source);
    }
    for op in BinOp::ALL {
        check_expr(&format!("k {} k", op.symbol()));
    }
}

#[test]
fn functions() {
    for op in Intrinsic::ALL {
        let args = vec!["k"; op.arity()].join(", ");
        check_expr(&format!("{}({args})", op.name()));
    }
    for source in [
        "len(x)",
        "len(m[i])",
        "scale(k, partial::sqrt(s))",
        "partial::powf_p(k, k, s)",
        "partial::div_y(k, s)",
        "pure::is_nan(k):{bool}",
        "pure::`wrapping add`(n, n):{usize}",
        "pure::i32::pow(n, 2u32):{i32}",
        "[]:{[f64; 0]}",
        "[k]:{(f64,)}",
        "[k, k + k]:{[f64; 2]}",
        "[[k]:{[f64; 1]}]:{[[f64; 1]; 1]}",
        "[0.0f64; n]:{Vec<f64>}",
        "$3():{f64}",
        "$0(x[i], p.k:{f64}):{Foo}",
    ] {
        check_expr(source);
    }
}
