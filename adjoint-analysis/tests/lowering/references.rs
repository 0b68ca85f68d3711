//! References, boxes and moves: the categories of `[PTR]` §2.1.

use expect_test::expect;

use crate::print::{check, check_module};

#[test]
fn a_reference_is_the_place() {
    check(
        r#"
            fn f(x: &mut [f64], k: usize) {
                let r = &mut x[k];
                *r *= *r;
            }
        "#,
        expect![[r#"
            fn f(x, k) {
              var x: &mut [f64];
              var k: usize;
            }
            {
              #0 passive $0(x[k]);
              #1 x[k] = x[k] * x[k];
            }
            // $0 [Borrow]: let _ = __place_0
        "#]],
    );
}

#[test]
fn a_reference_chosen_at_run_time() {
    check(
        r#"
            fn f(a: &[f64], b: &[f64], c: bool) -> f64 {
                let r = if c { a } else { b };
                r[0] * r[1]
            }
        "#,
        expect![[r#"
            fn f(a, b, c) -> ret {
              var a: &[f64];
              var b: &[f64];
              var c: bool;
              var ret: f64;
              var chosen_to: [f64];
              var chosen: [f64];
              var chosen_is: u8;
            }
            {
              #5 let chosen_is = 0u8;
              #3 if c {
                #6 chosen_is = 0u8;
              } else {
                #7 chosen_is = 1u8;
              }
              #9 if chosen_is == 0u8 {
                #4 ret = a[0usize] * a[1usize];
              } else {
                #8 ret = b[0usize] * b[1usize];
              }
            }
        "#]],
    );
}

#[test]
fn a_reference_that_moves() {
    check(
        r#"
            fn f(a: &[f64], b: &[f64]) -> f64 {
                let mut r = a;
                let mut s = r[0];
                r = b;
                s *= r[0];
                s
            }
        "#,
        expect![[r#"
            fn f(a, b) -> ret {
              var a: &[f64];
              var b: &[f64];
              var ret: f64;
              var r_to: [f64];
              var r: [f64];
              var s: f64;
              var r_is: u8;
            }
            {
              #5 let r_is = 0u8;
              #6 let s;
              #8 if r_is == 0u8 {
                #1 s = a[0usize];
              } else {
                #7 s = b[0usize];
              }
              #9 r_is = 1u8;
              #11 if r_is == 0u8 {
                #3 s = s * a[0usize];
              } else {
                #10 s = s * b[0usize];
              }
              #4 ret = s;
            }
        "#]],
    );
}

#[test]
fn mem_swap_and_replace() {
    check(
        r#"
            fn f(a: &mut Vec<f64>, b: &mut Vec<f64>) -> f64 {
                std::mem::swap(a, b);
                let old = std::mem::replace(a, vec![1.0]);
                old[0] * b[0]
            }
        "#,
        expect![[r#"
            fn f(a, b) -> ret {
              var a: &mut Vec<f64>;
              var b: &mut Vec<f64>;
              var ret: f64;
              var old: Vec<f64>;
              var old_2: Vec<f64>;
            }
            {
              #0 swap a, b;
              #1 let old = [1.0f64]:{Vec<f64>};
              #2 swap old, a;
              #3 let old_2 = old;
              #4 ret = old_2[0usize] * b[0usize];
            }
        "#]],
    );
}

#[test]
fn boxes() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let b = Box::new(x * x);
                let c = *b;
                c * *b
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var b: Box<f64>;
              var c: f64;
            }
            {
              #0 let b = [x * x]:{Box<f64>};
              #1 let c = b.*;
              #2 ret = c * b.*;
            }
        "#]],
    );
}

#[test]
fn a_cursor_in_a_list() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub struct Node {
                    pub v: f64,
                    pub next: Option<Box<Node>>,
                }
                pub fn f(head: &Node) -> f64 {
                    let mut at = head;
                    let mut s = at.v;
                    while let Some(next) = &at.next {
                        s *= next.v;
                        at = next;
                    }
                    s
                }
            }
        "#,
        expect![[r#"
            fn f(head) -> ret {
              var head: &Node;
              var ret: f64;
              var at_to: Node;
              var at: Node;
              var s: f64;
              var at_to_2: Node;
              var at_to_2_2: Node;
              var at_spine: Vec<Option<Box<Node>>>;
              var at_at: usize;
              var at_to_2_2_at: usize;
              var child: Option<Box<Node>> temp;
            }
            {
              #8 let at_spine = []:{Vec<Option<Box<Node>>>};
              #9 push at_spine, variant::Some(0: [head]:{Box<Node>}):{Option<Box<Node>>};
              #10 let at_at = 0usize;
              #1 let s = at_spine[at_at]@Some.0.*.v:{f64};
              #5 while is(at_spine[at_at]@Some.0.*.next:{Option<Box<Node>>}, Some) {
                #11 let at_to_2_2_at = at_at;
                #3 s = s * at_spine[at_to_2_2_at]@Some.0.*.next@Some.0.*.v:{f64};
                #12 let child = variant::None():{Option<Box<Node>>};
                #13 swap child, at_spine[at_to_2_2_at]@Some.0.*.next:{Option<Box<Node>>};
                #14 push at_spine, variant::None():{Option<Box<Node>>};
                #15 swap at_spine[at_to_2_2_at + 1usize], child;
                #16 at_at = at_to_2_2_at + 1usize;
              }
              #6 ret = s;
            }
        "#]],
    );
}

#[test]
fn a_move_out_of_a_list() {
    check(
        r#"
            fn f(x: Vec<f64>) -> f64 {
                let y = x;
                let z = y;
                z[0] * z[1]
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: Vec<f64>;
              var ret: f64;
              var y: Vec<f64>;
              var z: Vec<f64>;
            }
            {
              #0 let y = x;
              #1 let z = y;
              #2 ret = z[0usize] * z[1usize];
            }
        "#]],
    );
}
