//! The validator: one short text for each rule, with the sentence that it gives.

use adjoint_analysis::ir::validate::{validate, validate_sweep};
use adjoint_analysis::ir::{BinOp, Expr, Func, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId};
use adjoint_analysis::text::parse;

const HEADER: &str = "
    fn f(x, y, k, n, p) -> ret {
        var x: &[f64]; var y: &mut [f64]; var k: f64; var n: usize; var p: &mut Params;
        var s: f64; var t: f64; var i: usize; var j: usize; var c: bool; var a: [f64; 2];
        var x_adj: &mut [f64] adjoint of x; var s_adj: f64 adjoint of s; var ret: f64;
    }";

fn func(statements: &str) -> Func {
    let text = format!("{HEADER} {{ {statements} }}");
    parse::func(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

#[track_caller]
fn check(statements: &str, expected: &[&str]) {
    let found: Vec<_> = validate(&func(statements))
        .iter()
        .map(|v| v.to_string())
        .collect();
    assert_eq!(found, expected);
}

/// Checks a sweep that starts with all the parameters, `ret`, and the adjoint of `x`.
#[track_caller]
fn check_sweep(statements: &str, expected: &[&str]) {
    let func = func(statements);
    let mut start: Vec<_> = func.params.iter().copied().chain(func.ret).collect();
    start.extend(func.var_ids().filter(|v| func.var(*v).name == "x_adj"));
    let found = validate_sweep(&func, &func.body, &start);
    let found: Vec<_> = found.iter().map(|v| v.to_string()).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_right() {
    check(
        "let s = 0.0f64;
         for i in 0usize..n {
             if x[i] > k { s += x[i] * 2.0f64; } else { let t = sin(s); y[i] = t; }
         }
         for i in 0usize..n { if x[i] > k { let c = true; if c { break; } } else { break; } }
         loop { let a; a = [s, -s]:{[f64; 2]}; swap a[0usize], a[1usize]; break; }
         while pure::is_nan(p.k):{bool} && !(n == 0usize) { p.k += s; }
         let j = n << 2u32;
         call g(&x, &mut y[j..], s, n);
         ret = powi(s, 2i32) + p.k;",
        &[],
    );
}

#[test]
fn ids_are_in_range() {
    let mut func = func("let s = 0.0f64;");
    func.params.push(VarId(99));
    func.vars[0].origin = Origin::Adjoint(VarId(77));
    let read = Expr::Read(Place::var(VarId(50), Ty::F64));
    let whole = Place::var(VarId(60), Ty::F64);
    let kinds = [
        StmtKind::Let(VarId(40), Some(read.clone())),
        StmtKind::Incr(whole.clone(), read.clone()),
        StmtKind::Assign(whole.clone(), read.clone()),
        StmtKind::Swap(whole.clone(), whole),
    ];
    let stmt = |(id, kind)| Stmt {
        id: StmtId(id),
        kind,
    };
    func.body.stmts = (0..).zip(kinds).map(stmt).collect();
    let found: Vec<_> = validate(&func).iter().map(|v| v.to_string()).collect();
    let expected = [
        "there is no variable with the id 77",
        "there is no variable with the id 99",
        "there is no variable with the id 99",
        "#0: there is no variable with the id 50",
        "#0: there is no variable with the id 40",
        "#1: there is no variable with the id 50",
        "#1: there is no variable with the id 60",
        "#2: there is no variable with the id 50",
        "#2: there is no variable with the id 60",
        "#3: there is no variable with the id 60",
        "#3: there is no variable with the id 60",
    ];
    assert_eq!(found, expected);
}

#[test]
fn names_and_ids_are_unique() {
    let mut func = func("#3 let s; #3 let t;");
    func.vars[1].name = "x".into();
    func.params.push(VarId(0));
    let found: Vec<_> = validate(&func).iter().map(|v| v.to_string()).collect();
    let expected = [
        "two variables have the name `x`",
        "`x` is listed twice in the header",
        "#3: another statement has the same id",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_variable_is_declared_once_on_a_path() {
    check(
        "let s; let s;",
        &["#1: `s` is declared again in its own scope"],
    );
    check(
        "let s; if k > k { let s; }",
        &["#2: `s` is declared again in its own scope"],
    );
    check(
        "let k = 1.0f64;",
        &["#0: `k` is declared again in its own scope"],
    );
    check("if k > k { let s; } else { let s; } let s;", &[]);
    check(
        "for i in 0usize..n { for i in 0usize..n { } }",
        &["#1: `i` is declared again in its own scope"],
    );
    check(
        "let s = call g(); let s = call g();",
        &["#1: `s` is declared again in its own scope"],
    );
}

#[test]
fn a_variable_is_used_in_its_scope() {
    check("ret = s;", &["#0: `s` is used outside of its scope"]);
    check(
        "if k > k { let s = k; } ret = s;",
        &["#2: `s` is used outside of its scope"],
    );
    check(
        "for i in 0usize..n { } ret = x[i];",
        &["#1: `i` is used outside of its scope"],
    );
    check("s = k;", &["#0: `s` is used outside of its scope"]);
    check("let s = s;", &["#0: `s` is used outside of its scope"]);
    check("passive $0(s);", &["#0: `s` is used outside of its scope"]);
    check(
        "n = len(a);",
        &[
            "#0: `a` is used outside of its scope",
            "#0: the parameter `n` is written, and is not passed by `&mut`",
        ],
    );
    check_sweep("zero s_adj;", &["#0: `s_adj` is used outside of its scope"]);
}

#[test]
fn a_variable_is_assigned_before_its_use_on_some_path() {
    let before = "#1: `s` is used before anything is assigned to it";
    check("let s; ret = s;", &[before]);
    check("let s; s += k;", &[before]);
    check("let s; call g(&mut s);", &[before]);
    check("let s; if k > k { s = k; } ret = s;", &[]);
    check(
        "let s; if k > k { s = k; } else { ret = s; }",
        &["#3: `s` is used before anything is assigned to it"],
    );
    check(
        "let s; for i in 0usize..n { if i > 0usize { ret = s; } s = k; }",
        &[],
    );
    check(
        "for i in 0usize..n { let s; ret = s; s = k; }",
        &["#2: `s` is used before anything is assigned to it"],
    );
    check(
        "let s = ret;",
        &["#0: `ret` is used before anything is assigned to it"],
    );
}

#[test]
fn conditions_are_flags_and_indices_integers() {
    check("if k { }", &["#0: the condition is of type f64, not bool"]);
    check(
        "while n { }",
        &["#0: the condition is of type usize, not bool"],
    );
    check("if p.flag { }", &[]);
    check(
        "ret = x[k];",
        &["#0: an index is of type f64, not an integer"],
    );
    check(
        "y[x[k] as usize] = k;",
        &["#0: an index is of type f64, not an integer"],
    );
    check(
        "call g(&x[..k], &mut y.head(k));",
        &[
            "#0: a bound is of type f64, not an integer",
            "#0: a bound is of type f64, not an integer",
        ],
    );
}

#[test]
fn both_sides_of_an_assignment_have_one_type() {
    check(
        "ret = n;",
        &["#0: the place is of type f64, the value assigned of type usize"],
    );
    check(
        "let s = n;",
        &["#0: `s` is of type f64, its value of type usize"],
    );
    check(
        "let j = 1usize; j += 1usize;",
        &["#1: `+=` on a place of type usize, not on reals"],
    );
    check(
        "y[0usize] += n;",
        &["#0: the place is of type f64, the increment of type usize"],
    );
    check(
        "swap y[0usize], y[0usize..];",
        &["#0: one place is of type f64, the other of type [f64]"],
    );
    check(
        "p.k = n; p.k += k; ret = p.k; let a = [k; 2usize]:{[f64; N]};",
        &[],
    );
    check(
        "ret = x[0usize]:{f32};",
        &[
            "#0: by its declaration the place is of type f64, the place itself of type f32",
            "#0: the place is of type f64, the value assigned of type f32",
        ],
    );
}

#[test]
fn operands_agree() {
    check(
        "ret = k * n;",
        &["#0: the operands of `*` are of types f64 and usize"],
    );
    check(
        "let c = k < n;",
        &["#0: the operands of `<` are of types f64 and usize"],
    );
    check(
        "let c = k && k < k;",
        &["#0: an operand of `&&` is of type f64, not bool"],
    );
    check("let j = n >> 1u8;", &[]);
    check(
        "ret = k + k + n + k;",
        &["#0: the operands of `+` are of types f64 and usize"],
    );
}

#[test]
fn functions_have_their_operands() {
    check("ret = sin(k, k);", &["#0: `sin` takes 1 operands, not 2"]);
    check(
        "ret = mul_add(k, k);",
        &["#0: `mul_add` takes 3 operands, not 2"],
    );
    check(
        "ret = sin(n);",
        &[
            "#0: an operand of `sin` is of type usize, not a real",
            "#0: the place is of type f64, the value assigned of type usize",
        ],
    );
    check(
        "ret = hypot(k, 1.0f32);",
        &["#0: the operands of `hypot` are of types f64 and f32"],
    );
    check(
        "ret = powi(k, k);",
        &["#0: the exponent of `powi` is of type f64, not an integer"],
    );
    check("ret = hypot(p.k, k);", &[]);
}

#[test]
fn aggregates_have_their_components() {
    check(
        "let a = [k, n]:{[f64; 2]};",
        &["#0: the component is of type f64, its value of type usize"],
    );
    check(
        "ret = [k, k]:{(f64,)};",
        &[
            "#0: a tuple of type (f64, ) has 2 components",
            "#0: the place is of type f64, the value assigned of type (f64, )",
        ],
    );
    check(
        "let a = [n; k]:{[f64; 2]};",
        &[
            "#0: the count is of type f64, not an integer",
            "#0: the element is of type f64, its value of type usize",
        ],
    );
}

#[test]
fn ranges_have_one_type() {
    check(
        "for s in 0usize..n { }",
        &[
            "#0: the loop index is of type f64, not an integer",
            "#0: the range is of type f64, a bound of type usize",
            "#0: the range is of type f64, a bound of type usize",
        ],
    );
    check(
        "for i:{i32} in 0i32..1i32 { }",
        &["#0: the loop index is of type usize, its range of type i32"],
    );
    check(
        "for i in 0usize..k { }",
        &["#0: the range is of type usize, a bound of type f64"],
    );
    check(
        "for i in 0usize..n step k { }",
        &["#0: the step is of type f64, not an integer"],
    );
}

#[test]
fn break_stands_in_tail_position_in_a_loop() {
    check("break;", &["#0: `break` stands outside of a loop"]);
    check(
        "loop { break; passive $0(); }",
        &["#1: `break` is not in tail position"],
    );
    check(
        "loop { if k > k { break; } passive $0(); }",
        &["#2: `break` is not in tail position"],
    );
    check(
        "loop { if k > k { break; } else { if k < k { break; } } }",
        &[],
    );
    check("loop { loop { break; } passive $0(); }", &[]);
}

#[test]
fn what_plans_have_does_not_occur_in_a_primal() {
    let rejected = [
        ("zero y;", "`zero`"),
        ("record r0 y;", "`record`"),
        ("restore r0 y;", "`restore`"),
        ("record r0 way n;", "`record`"),
        ("let c = way r0;", "`way`"),
        ("forward g(n);", "`forward`"),
        ("reverse g(n: none);", "`reverse`"),
        ("for i in rev 0usize..n { }", "a reversed loop"),
        ("times n { }", "`times`"),
        ("ret = partial::sqrt(k);", "a partial derivative"),
        ("ret = scale(k, k);", "`scale`"),
    ];
    for (statement, what) in rejected {
        check(statement, &[&format!("#0: {what} occurs only in plans")]);
        check_sweep(statement, &[]);
    }
}

#[test]
fn only_vecs_grow_and_shrink() {
    check(
        "push p.list:{Vec<f64>}, k; insert p.list:{Vec<f64>}, n, k;
         let s = pop p.list:{Vec<f64>}; remove p.list, n; pop p.list;",
        &[],
    );
    check(
        "push y, k;",
        &["#0: a value of type [f64] does not grow or shrink"],
    );
    check(
        "push p.list:{Vec<f64>}, n; insert p.list:{Vec<f64>}, k, k;",
        &[
            "#0: the element is of type f64, the value put in of type usize",
            "#1: an index is of type f64, not an integer",
        ],
    );
    check(
        "let a; push a, k;",
        &[
            "#1: `a` is used before anything is assigned to it",
            "#1: a value of type [f64; 2] does not grow or shrink",
        ],
    );
}

#[test]
fn indices_and_fixed_parameters_are_not_written() {
    let fixed =
        |name| format!("#0: the parameter `{name}` is written, and is not passed by `&mut`");
    check("k = 1.0f64;", &[&fixed("k")]);
    check("x[0usize] += k;", &[&fixed("x")]);
    check("swap k, y[0usize];", &[&fixed("k")]);
    check("call g(&mut x);", &[&fixed("x")]);
    check_sweep("restore r0 x;", &[&fixed("x")]);
    check(
        "for i in 0usize..n { i = 1usize; }",
        &["#1: the loop index `i` is written"],
    );
    check(
        "for i in 0usize..n { call g(&mut i); }",
        &["#1: the loop index `i` is written"],
    );
}

#[test]
fn control_values_are_flags_or_counts() {
    check_sweep("record r0 way k > k; record r1 way n;", &[]);
    check_sweep(
        "record r0 way k;",
        &["#0: a control value is of type f64, neither bool nor an integer"],
    );
    check_sweep(
        "times k { }",
        &["#0: the count is of type f64, not an integer"],
    );
}

#[test]
fn adjoints_fit_their_arguments() {
    check_sweep(
        "let s_adj = 0.0f64; let t = 0.0f64;
         reverse g(&x: &mut x_adj, n: none, &y: scratch, &x: scratch x_adj, k: let s, k: _) seed t;
         s_adj += s;",
        &[],
    );
    check_sweep(
        "reverse g(k, n: none);",
        &["#0: `reverse` has 2 arguments and 1 adjoints"],
    );
    check_sweep(
        "reverse g(&x: _);",
        &["#0: a reference argument has an adjoint in place, not an increment"],
    );
    check_sweep(
        "reverse g(k: scratch);",
        &["#0: an argument by value has an increment, not an adjoint in place"],
    );
    check_sweep(
        "reverse g(&x: &mut x_adj[0usize]);",
        &["#0: the argument is of type [f64], its adjoint of type f64"],
    );
    check_sweep("let s = reverse g();", &["#0: `reverse` returns nothing"]);
    check_sweep(
        "reverse g(&x: &mut s_adj);",
        &[
            "#0: `s_adj` is used outside of its scope",
            "#0: the argument is of type [f64], its adjoint of type f64",
        ],
    );
}

#[test]
fn a_sum_of_ten_thousand_terms() {
    let terms = " + k".repeat(10_000);
    check(&format!("ret = k{terms};"), &[]);
    let func = func(&format!("ret = k{terms};"));
    assert_eq!(func.body.stmts[0].operands()[0].ty(&func), Ty::F64);
    assert!(matches!(
        func.body.stmts[0].operands()[0],
        Expr::Binary(BinOp::Add, ..)
    ));
}

#[test]
fn types_of_expressions() {
    let ty = |source: &str| {
        let func = func(&format!("passive $0(y[{source}]);"));
        let StmtKind::Passive(_, reads) = &func.body.stmts[0].kind else {
            unreachable!()
        };
        reads[0].operands()[0].ty(&func).to_string()
    };
    let cases = [
        ("k < k", "bool"),
        ("c && c", "bool"),
        ("!c", "bool"),
        ("-n", "usize"),
        ("len(x)", "usize"),
        ("k * k", "f64"),
        ("p.k * k", "f64"),
        ("n << 1u8", "usize"),
        ("p.n << 1u8", "_"),
        ("powi(p.k, 2i32)", "_"),
        ("powi(k, 2i32)", "f64"),
        ("hypot(p.k, 1.0f32)", "f32"),
        ("scale(p.k, partial::sqrt(k))", "f64"),
        ("n as f32", "f32"),
        ("x[0usize]", "f64"),
        ("x[1usize..]", "[f64]"),
        ("[k, k]:{(f64, f64)}", "(f64, f64, )"),
        ("[k; n]:{Vec<f64>}", "Vec<f64>"),
        ("pure::is_nan(k):{bool}", "bool"),
        ("$1():{Foo}", "Foo"),
    ];
    for (source, expected) in cases {
        assert_eq!(ty(source), expected, "{source}");
    }
}
