//! The text form: what is printed reads back as the same function or plan.

use adjoint_analysis::ir::{
    BinOp, Block, Expr, FloatTy, Func, Intrinsic, Mode, Origin, Place, Proj, Stmt, StmtId,
    StmtKind, Ty, Var, VarId, parse, text,
};
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
    let printed = text::func(func);
    let again = parse::func(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(&again, func, "{printed}");
    assert_eq!(text::func(&again), printed);
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
        .map(|s| text::stmt(&func, s))
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

/// Checks that an expression is printed as it is written here.
#[track_caller]
fn check_expr(source: &str) -> Expr {
    let func = with_variables(&format!("let s = {source};"));
    assert_round_trip(&func);
    let expr = func.body.stmts[0].operands()[0].clone();
    assert_eq!(text::expr(&func, &expr), source);
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
    }
}

fn parse_error(statements: &str) -> String {
    let source = format!("fn f(x) {{ var x: f64; }} {{\n{statements}\n}}");
    parse::func(&source)
        .expect_err("the text has an error")
        .to_string()
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
    assert_eq!(text::ty(&Ty::Discrete("&str".into())), "discrete \"&str\"");
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
    assert_eq!(text::stmt(&func, &func.body.stmts[0]), "#0 zero `zero`;");
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

#[test]
fn simple_statements() {
    check(
        "let s; let s = k; y[i] = k * 2.0f64; y[i] += k; swap y[0usize], y[i];
         passive $1(x, n); passive $2(); break; let `s` = -k; // a comment\n p.k:{f64} = k;",
        expect![[r#"
            #0 let s;
            #1 let s = k;
            #2 y[i] = k * 2.0f64;
            #3 y[i] += k;
            #4 swap y[0usize], y[i];
            #5 passive $1(x, n);
            #6 passive $2();
            #7 break;
            #8 let s = -k;
            #9 p.k:{f64} = k;"#]],
    );
}

#[test]
fn vecs_that_grow_and_shrink() {
    check(
        "let v = [k]:{Vec<f64>}; push v, k + 1.0f64; insert v, n - 1usize, v[0usize];
         let s = pop v; let t = remove v, n; pop v; remove v, i; push p.list:{Vec<f64>}, k;",
        expect![[r#"
            #0 let v = [k]:{Vec<f64>};
            #1 push v, k + 1.0f64;
            #2 insert v, n - 1usize, v[0usize];
            #3 let s = pop v;
            #4 let t = remove v, n;
            #5 pop v;
            #6 remove v, i;
            #7 push p.list:{Vec<f64>}, k;"#]],
    );
}

#[test]
fn calls() {
    check(
        "call g(); let s = call a::g::<f64> $4(&x, &mut y[i..], k + 1.0f64, &p.k:{f64});
         call `(self.f)`(n);",
        expect![[r#"
            #0 call g();
            #1 let s = call a::g::<f64> $4(&x, &mut y[i..], k + 1.0f64, &p.k:{f64});
            #2 call `(self.f)`(n);"#]],
    );
}

#[test]
fn branches() {
    check(
        "if c {} if k > 0.0f64 { ret = k; } else { if c { } else { break; } } if c { let s; }",
        expect![[r#"
            #0 if c {
            }
            #1 if k > 0.0f64 {
              #2 ret = k;
            } else {
              #3 if c {
              } else {
                #4 break;
              }
            }
            #5 if c {
              #6 let s;
            }"#]],
    );
}

#[test]
fn loops() {
    check(
        "for i in 0usize..n { break; } while p.more:{bool} { } loop { loop { break; } }",
        expect![[r#"
            #0 for i in 0usize..n {
              #1 break;
            }
            #2 while p.more:{bool} {
            }
            #3 loop {
              #4 loop {
                #5 break;
              }
            }"#]],
    );
}

#[test]
fn ranges() {
    check(
        "for i in 0usize..=n {} for i in 0usize..n rev {} for i in 0usize..n step 2usize {}
         for i in 0usize..n rev step n {} for i in 0usize..n step n rev {}
         for i in 0usize..n step rev {} for i:{i32} in 0i32..p.n:{i32} {}
         for i:{_} in i + 1usize..n as i32 {}",
        expect![[r#"
            #0 for i in 0usize..=n {
            }
            #1 for i in 0usize..n rev {
            }
            #2 for i in 0usize..n step 2usize {
            }
            #3 for i in 0usize..n rev step n {
            }
            #4 for i in 0usize..n step n rev {
            }
            #5 for i in 0usize..n step rev {
            }
            #6 for i:{i32} in 0i32..p.n:{i32} {
            }
            #7 for i:{_} in i + 1usize..n as i32 {
            }"#]],
    );
}

#[test]
fn statements_of_plans() {
    check(
        "zero x_adj; record r0 y[i]; restore r12 y; record r1 way k > s; let c = way r1;
         let s = forward g $1(&x, k);
         reverse g(&x: &mut x_adj, k: let s, n: none, k: _, &y: scratch, &x[i..]: scratch x_adj[i..],
                   2.0:T: none) seed -s;
         reverse h();
         for i in rev 0usize..n step 2usize rev {} times n { zero s; }",
        expect![[r#"
            #0 zero x_adj;
            #1 record r0 y[i];
            #2 restore r12 y;
            #3 record r1 way k > s;
            #4 let c = way r1;
            #5 let s = forward g $1(&x, k);
            #6 reverse g(&x: &mut x_adj, k: let s, n: none, k: _, &y: scratch, &x[i..]: scratch x_adj[i..], 2.0:T: none) seed -s;
            #7 reverse h();
            #8 for i in rev 0usize..n step 2usize rev {
            }
            #9 times n {
              #10 zero s;
            }"#]],
    );
}

#[test]
fn a_reverse_call_whose_arguments_and_adjoints_do_not_match_is_kept() {
    check(
        "reverse g(k, k); reverse g(: _, : none); let s = reverse g(k: _, n);",
        expect![[r#"
            #0 reverse g(k, k);
            #1 reverse g(: _, : none);
            #2 let s = reverse g(k: _, n);"#]],
    );
}

#[test]
fn statement_ids_are_kept_and_missing_ones_counted_up() {
    check(
        "#5 let s; if c { break; } #2 break; #7 break; break;",
        expect![[r#"
            #5 let s;
            #6 if c {
              #7 break;
            }
            #2 break;
            #7 break;
            #8 break;"#]],
    );
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
calls { #1 varied 1, 2 useful 0, 3 restore wrt 1 of 2 restoring; }
made { x_adj wrt 1 of 1; }
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
    assert_eq!(text::plan(&plan), source.trim_start());
    assert_eq!(parse::plan(&plan.to_string()).unwrap(), plan);
    assert_eq!(plan.records.len(), 4);
    assert_eq!(plan.restores, [VarId(0), VarId(1)]);
    assert_eq!(plan.adjoint[&VarId(0)], VarId(3));
    let empty =
        "fn f() {}\n{}\nrecords {} adjoints {} restores; interface; calls {} forward {} reverse {}";
    let plan = parse::plan(empty).unwrap();
    assert_eq!(parse::plan(&text::plan(&plan)).unwrap(), plan);
}

#[test]
fn a_plan_needs_the_header_for_types_of_its_sweeps() {
    let source = "fn f() { types T; var a: _; } {} records {} adjoints {} restores; interface; calls {} forward {}
                  reverse { let a = 1.0:T; }";
    let plan = parse::plan(source).unwrap();
    assert!(text::plan(&plan).contains("types T;"));
    assert_eq!(parse::plan(&text::plan(&plan)).unwrap(), plan);
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
    let printed = text::func(&func);
    assert_eq!(printed.matches(" + v0").count(), 10_000);
    assert!(!printed.contains("+ ("));
    assert_eq!(text::func(&parse::func(&printed).unwrap()), printed);
}

#[test]
fn two_thousand_parentheses() {
    let nest = |inner, _| Expr::Binary(BinOp::Sub, Box::new(read()), Box::new(inner));
    let printed = text::func(&assigning((0..2_000).fold(read(), nest)));
    assert_eq!(printed.matches(" - (v0").count(), 1_999);
    assert_eq!(text::func(&parse::func(&printed).unwrap()), printed);
}

#[test]
fn two_hundred_applications() {
    let nest = |inner, _| Expr::Intrinsic(Intrinsic::Sin, vec![inner]);
    let printed = text::func(&assigning((0..200).fold(read(), nest)));
    assert_eq!(printed.matches("sin(").count(), 200);
    assert_eq!(text::func(&parse::func(&printed).unwrap()), printed);
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
        text::stmt(&func, &func.body.stmts[0]),
        "#0 zero v0[0usize]:{bool};"
    );
}
