//! Structs, enums and tuples, traits and `impl`s.

use expect_test::expect;

use crate::print::{check, check_module};

#[test]
fn tuples_are_taken_apart() {
    check(
        r#"
            fn f(x: f64) -> (f64, f64) {
                let (a, b) = (x * x, 2.0 * x);
                let p = (b, a);
                (p.1, p.0 * p.1)
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: (f64, f64);
              var a: f64;
              var b: f64;
              var p_0: f64;
              var p_1: f64;
            }
            {
              #0 let a = x * x;
              #1 let b = 2.0f64 * x;
              #2 let p_0 = b;
              #3 let p_1 = a;
              #4 ret = [p_1, p_0 * p_1]:{(f64, f64)};
            }
        "#]],
    );
}

#[test]
fn fields_of_a_struct() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub struct P {
                    pub x: f64,
                    pub v: [f64; 2],
                }
                pub fn f(p: &mut P) -> f64 {
                    p.x *= p.v[0];
                    p.x
                }
            }
        "#,
        expect![[r#"
            fn f(p) -> ret {
              var p: &mut P;
              var ret: f64;
            }
            {
              #0 p.x:{f64} = p.x:{f64} * p.v[0usize]:{f64};
              #1 ret = p.x:{f64};
            }
        "#]],
    );
}

#[test]
fn a_struct_literal() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub struct P {
                    pub x: f64,
                    pub y: f64,
                }
                pub fn f(a: f64) -> P {
                    let p = P { x: a * a, y: a };
                    P { y: p.x, ..p }
                }
            }
        "#,
        expect![[r#"
            fn f(a) -> ret {
              var a: f64;
              var ret: P;
              var p: P;
              var updated: P temp;
            }
            {
              #0 let p = variant::P(x: a * a, y: a):{P};
              #1 let updated = p;
              #2 updated.y:{f64} = p.x:{f64};
              #3 ret = updated;
            }
        "#]],
    );
}

#[test]
fn a_struct_of_references() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                struct Fit<'a> {
                    t: &'a [f64],
                    k: f64,
                }
                impl Fit<'_> {
                    fn at(&self, i: usize) -> f64 {
                        self.t[i] * self.k
                    }
                }
                pub fn f(t: &[f64], k: f64) -> f64 {
                    let fit = Fit { t, k };
                    fit.at(0) * fit.at(1)
                }
            }
        "#,
        expect![[r#"
            fn at(self, i) -> ret {
              var self: &named "Fit < '_ >";
              var i: usize;
              var ret: f64;
            }
            {
              #0 ret = self.t[i]:{f64} * self.k:{f64};
            }

            fn f(t, k) -> ret {
              var t: &[f64];
              var k: f64;
              var ret: f64;
              var fit_k: f64;
              var i: usize;
              var i_2: usize;
            }
            {
              #0 let fit_k = k;
              #1 let i = 0usize;
              #2 let i_2 = 1usize;
              #3 ret = t[i] * fit_k * (t[i_2] * fit_k);
            }
        "#]],
    );
}

#[test]
fn an_enum() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub enum Act {
                    Relu,
                    Scale(f64),
                    Affine { a: f64, b: f64 },
                }
                pub fn f(act: &Act, x: f64) -> f64 {
                    match act {
                        Act::Relu => x.max(0.0),
                        Act::Scale(k) => k * x,
                        Act::Affine { a, b } => a * x + b,
                    }
                }
            }
        "#,
        expect![[r#"
            fn f(act, x) -> ret {
              var act: &Act;
              var x: f64;
              var ret: f64;
              var value: f64 temp;
            }
            {
              #0 let value = 0.0f64;
              #5 if $0(act):{bool} {
                #4 value = max(x, 0.0f64);
              } else {
                #3 if is(act, Act::Scale) {
                  #1 value = act@Act::Scale.0:{f64} * x;
                } else {
                  #2 value = act@Act::Affine.a:{f64} * x + act@Act::Affine.b:{f64};
                }
              }
              #6 ret = value;
            }
            // $0 [Value]: :: core :: matches ! (__place_0 , Act :: Relu)
        "#]],
    );
}

#[test]
fn methods() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub struct P {
                    pub x: f64,
                }
                impl P {
                    pub fn sq(&self) -> f64 {
                        self.x * self.x
                    }
                    pub fn step(&mut self, h: f64) {
                        self.x += h * self.sq();
                    }
                }
            }
        "#,
        expect![[r#"
            fn sq(self) -> ret {
              var self: &P;
              var ret: f64;
            }
            {
              #0 ret = self.x:{f64} * self.x:{f64};
            }

            fn step(self, h) {
              var self: &mut P;
              var h: f64;
              var value: f64 temp;
              var t: f64 temp;
            }
            {
              #1 let t = h;
              #0 let value = call `.sq` $0(&self);
              #2 self.x:{f64} += t * value;
            }
            // $0 []: sq
        "#]],
    );
}

#[test]
fn operators() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                #[derive(Clone, Copy)]
                pub struct V {
                    pub x: f64,
                    pub y: f64,
                }
                impl std::ops::Add for V {
                    type Output = V;
                    fn add(self, o: V) -> V {
                        V {
                            x: self.x + o.x,
                            y: self.y + o.y,
                        }
                    }
                }
                pub fn f(a: V, b: V) -> f64 {
                    let c = a + b;
                    c.x * c.y
                }
            }
        "#,
        expect![[r#"
            fn add(__self, o) -> ret {
              var __self: V;
              var o: V;
              var ret: V;
            }
            {
              #0 ret = variant::V(x: __self.x:{f64} + o.x:{f64}, y: __self.y:{f64} + o.y:{f64}):{V};
            }

            fn f(a, b) -> ret {
              var a: V;
              var b: V;
              var ret: f64;
              var c: V;
            }
            {
              #0 let c = call core::ops::Add::add $0(a, b);
              #1 ret = c.x:{f64} * c.y:{f64};
            }
            // $0 []: :: core :: ops :: Add :: add
        "#]],
    );
}

#[test]
fn a_trait_of_the_module() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub trait Shape {
                    fn area(&self) -> f64;
                }
                pub struct Disc(pub f64);
                impl Shape for Disc {
                    fn area(&self) -> f64 {
                        3.0 * self.0 * self.0
                    }
                }
                pub fn f<S: Shape>(s: &S) -> f64 {
                    2.0 * s.area()
                }
                pub fn g(d: &Disc) -> f64 {
                    f(d)
                }
            }
        "#,
        expect![[r#"
            fn area(self) -> ret {
              var self: &Disc;
              var ret: f64;
            }
            {
              #0 ret = 3.0f64 * self.0:{f64} * self.0:{f64};
            }

            fn f(s) -> ret {
              var s: &S;
              var ret: f64;
              var value: f64 temp;
            }
            {
              #0 let value = call `.area` $0(&s);
              #1 ret = 2.0f64 * value;
            }
            // $0 []: area

            fn g(d) -> ret {
              var d: &Disc;
              var ret: f64;
              var value: f64 temp;
            }
            {
              #0 let value = call `.area` $0(&d);
              #1 ret = 2.0f64 * value;
            }
            // $0 []: area
        "#]],
    );
}

#[test]
fn a_trait_object() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub trait Shape {
                    fn area(&self) -> f64;
                }
                pub struct Disc(pub f64);
                impl Shape for Disc {
                    fn area(&self) -> f64 {
                        3.0 * self.0 * self.0
                    }
                }
                pub fn f(s: &[Box<dyn Shape>]) -> f64 {
                    s.iter().map(|s| s.area()).sum()
                }
            }
        "#,
        expect![[r#"
            fn area(self) -> ret {
              var self: &Disc;
              var ret: f64;
            }
            {
              #0 ret = 3.0f64 * self.0:{f64} * self.0:{f64};
            }
        "#]],
    );
}

#[test]
fn an_associated_constant_and_type() {
    check_module(
        r#"
            #[adjoint]
            mod m {
                pub struct P;
                impl P {
                    const K: f64 = 2.0;
                    pub fn f(x: f64) -> f64 {
                        Self::K * x
                    }
                }
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
            }
            {
              #0 ret = $0():{f64} * x;
            }
            // $0 []: Self :: K
        "#]],
    );
}
