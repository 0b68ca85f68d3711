//! The text form: what is printed reads back as the same function or plan.

mod expressions;
mod limits;
mod statements;
mod types;

use adjoint_analysis::ir::{Block, Expr, Func, Mode, Origin, Ty, Var, VarId};
use adjoint_analysis::text::{parse, print};
use expect_test::{Expect, expect};

/// Variables of all the types that the statements below need.
const VARIABLES: &str = "
    types T;
    var x: &[f64];
    var y: &mut [f64];
    var k: f64;
    var n: usize;
    var m: &[[f64; 3]];
    var p: &mut Params;
    var o: &Option<Box<Node>>;
    var t: (f64, usize);
    var g: T;
    var v: Vec<f64>;
    var s: f64 temp;
    var i: usize index;
    var c: bool;
    var x_adj: &mut [f64] adjoint of x;
    var ret: f64;
";

/// A function with these statements.
#[track_caller]
fn with_variables(statements: &str) -> Func {
    let source = format!("fn f(x, y, k, n, m, p, o, t, g) -> ret {{{VARIABLES}}} {{{statements}}}");
    parse::func(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

#[track_caller]
fn assert_round_trip(func: &Func) {
    let printed = print::func(func);
    let again = parse::func(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(&again, func, "{printed}");
    assert_eq!(print::func(&again), printed);
}

/// Checks what the statements are printed as, and that this reads back.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    let func = with_variables(statements);
    assert_round_trip(&func);
    let lines: Vec<_> = func
        .body
        .stmts
        .iter()
        .map(|s| print::stmt(&func, s))
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

/// Checks that an expression is printed as it is written here.
#[track_caller]
fn check_expr(source: &str) -> Expr {
    let func = with_variables(&format!("let s = {source};"));
    assert_round_trip(&func);
    let expr = func.body.stmts[0].operands()[0].clone();
    assert_eq!(print::expr(&func, &expr), source);
    expr
}

/// A function that does nothing but hold these variables.
fn holding(types: Vec<Ty>) -> Func {
    let var = |(i, ty)| Var {
        name: format!("v{i}"),
        ty,
        mode: Mode::Owned,
        origin: Origin::Local,
    };
    Func {
        name: "f".into(),
        params: Vec::new(),
        ret: None,
        vars: types.into_iter().enumerate().map(var).collect(),
        body: Block::default(),
        checkpoints: Default::default(),
        name_cache: Default::default(),
        complete_structs: Default::default(),
    }
}

#[test]
fn whole_function() {
    let func = with_variables("let s = k; y[0usize] = s; ret = s;");
    assert_round_trip(&func);
    expect![[r#"
        fn f(x, y, k, n, m, p, o, t, g) -> ret {
          types T;
          var x: &[f64];
          var y: &mut [f64];
          var k: f64;
          var n: usize;
          var m: &[[f64; 3]];
          var p: &mut Params;
          var o: &Option<Box<Node>>;
          var t: (f64, usize);
          var g: T;
          var v: Vec<f64>;
          var s: f64 temp;
          var i: usize index;
          var c: bool;
          var x_adj: &mut [f64] adjoint of x;
          var ret: f64;
        }
        {
          #0 let s = k;
          #1 y[0usize] = s;
          #2 ret = s;
        }
    "#]]
    .assert_eq(&func.to_string());
}

#[test]
fn plan() {
    let source = r#"
fn f(x, y) -> ret {
  types T;
  var x: &[T];
  var y: &mut [T];
  var ret: T;
  var x_adj: &mut [T] adjoint of x;
  var n: usize temp;
}
{
  #0 ret = x[0usize];
}
records {
  r0: value T on stack of #3 wrt 1 of 3 restoring;
  r1: value named "T" in frame #2 slot 4 of #3;
  r2: flag on stack of #0;
  r3: count on stack of #0;
}
adjoints {
  x: x_adj;
}
restores x, y;
interface x, y;
calls { #1 varied 1, 2 useful 0, 3 restore wrt 1 of 2 restoring reads wrt 1 of 1 if 1, never; }
made { x_adj wrt 1 of 1; }
facts { #1 g 0; }
 reads restoring;
forward {
  #0 record r0 x[0usize];
  #0 record r3 way 3usize;
}
reverse {
  #0 let n = way r3;
  #0 times n {
    #0 x_adj[0usize] += 1.0:T;
  }
  #0 when wrt 1 of 3 {
    #0 restore r0 x[0usize];
  }
}
"#;
    let plan = parse::plan(source).unwrap();
    assert_eq!(print::plan(&plan), source.trim_start());
    assert_eq!(parse::plan(&plan.to_string()).unwrap(), plan);
    assert_eq!(plan.records.len(), 4);
    assert_eq!(plan.restores, [VarId(0), VarId(1)]);
    assert_eq!(plan.adjoint[&VarId(0)], VarId(3));
    let empty =
        "fn f() {}\n{}\nrecords {} adjoints {} restores; interface; calls {} forward {} reverse {}";
    let plan = parse::plan(empty).unwrap();
    assert_eq!(parse::plan(&print::plan(&plan)).unwrap(), plan);
}

#[test]
fn a_plan_needs_the_header_for_types_of_its_sweeps() {
    let source = "fn f() { types T; var a: _; } {} records {} adjoints {} restores; interface; calls {} forward {}
                  reverse { let a = 1.0:T; }";
    let plan = parse::plan(source).unwrap();
    assert!(print::plan(&plan).contains("types T;"));
    assert_eq!(parse::plan(&print::plan(&plan)).unwrap(), plan);
}
