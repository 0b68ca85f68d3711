//! Statements.

use expect_test::expect;

use super::check;

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
