//! Symbolic expressions in boxes, which are copied by a method and give others by their methods.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod expr {
    use adjoint::Differentiable;
    pub trait Expr {
        fn eval(&self, x: f64) -> f64;
        fn derivative(&self) -> Box<dyn Expr>;
        fn boxed(&self) -> Box<dyn Expr>;
        fn twice(&self) -> Box<dyn Expr> {
            Box::new(Add {
                a: self.boxed(),
                b: self.boxed(),
            })
        }
    }
    impl Clone for Box<dyn Expr> {
        fn clone(&self) -> Self {
            self.boxed()
        }
    }
    #[derive(Clone, Differentiable)]
    pub struct Const(f64);
    #[derive(Clone, Differentiable)]
    pub struct X;
    #[derive(Clone)]
    pub struct Add {
        a: Box<dyn Expr>,
        b: Box<dyn Expr>,
    }
    #[derive(Clone)]
    pub struct Mul {
        a: Box<dyn Expr>,
        b: Box<dyn Expr>,
    }
    #[derive(Clone)]
    pub struct Sin(Box<dyn Expr>);
    #[derive(Clone)]
    pub struct Cos(Box<dyn Expr>);
    impl Expr for Const {
        fn eval(&self, _x: f64) -> f64 {
            self.0
        }
        fn derivative(&self) -> Box<dyn Expr> {
            Box::new(Const(0.0))
        }
        fn boxed(&self) -> Box<dyn Expr> {
            Box::new(self.clone())
        }
    }
    impl Expr for X {
        fn eval(&self, x: f64) -> f64 {
            x
        }
        fn derivative(&self) -> Box<dyn Expr> {
            Box::new(Const(1.0))
        }
        fn boxed(&self) -> Box<dyn Expr> {
            Box::new(self.clone())
        }
    }
    impl Expr for Add {
        fn eval(&self, x: f64) -> f64 {
            self.a.eval(x) + self.b.eval(x)
        }
        fn derivative(&self) -> Box<dyn Expr> {
            Box::new(Add {
                a: self.a.derivative(),
                b: self.b.derivative(),
            })
        }
        fn boxed(&self) -> Box<dyn Expr> {
            Box::new(self.clone())
        }
    }
    impl Expr for Mul {
        fn eval(&self, x: f64) -> f64 {
            self.a.eval(x) * self.b.eval(x)
        }
        fn derivative(&self) -> Box<dyn Expr> {
            Box::new(Add {
                a: Box::new(Mul {
                    a: self.a.derivative(),
                    b: self.b.clone(),
                }),
                b: Box::new(Mul {
                    a: self.a.clone(),
                    b: self.b.derivative(),
                }),
            })
        }
        fn boxed(&self) -> Box<dyn Expr> {
            Box::new(self.clone())
        }
    }
    impl Expr for Sin {
        fn eval(&self, x: f64) -> f64 {
            self.0.eval(x).sin()
        }
        fn derivative(&self) -> Box<dyn Expr> {
            Box::new(Mul {
                a: Box::new(Cos(self.0.clone())),
                b: self.0.derivative(),
            })
        }
        fn boxed(&self) -> Box<dyn Expr> {
            Box::new(self.clone())
        }
    }
    impl Expr for Cos {
        fn eval(&self, x: f64) -> f64 {
            self.0.eval(x).cos()
        }
        fn derivative(&self) -> Box<dyn Expr> {
            let sine: Box<dyn Expr> = Box::new(Sin(self.0.boxed()));
            Box::new(Mul {
                a: Box::new(Mul {
                    a: Box::new(Const(-1.0)),
                    b: sine,
                }),
                b: self.0.derivative(),
            })
        }
        fn boxed(&self) -> Box<dyn Expr> {
            Box::new(self.clone())
        }
    }
    fn add(a: Box<dyn Expr>, b: Box<dyn Expr>) -> Box<dyn Expr> {
        Box::new(Add { a, b })
    }
    fn mul(a: Box<dyn Expr>, b: Box<dyn Expr>) -> Box<dyn Expr> {
        Box::new(Mul { a, b })
    }
    fn build(c: &[f64]) -> Box<dyn Expr> {
        // c0 * sin(c1 * x) + c2 * x
        add(
            mul(
                Box::new(Const(c[0])),
                Box::new(Sin(mul(Box::new(Const(c[1])), Box::new(X)))),
            ),
            mul(Box::new(Const(c[2])), Box::new(X)),
        )
    }
    pub fn newton(c: &[f64], x0: f64, steps: usize) -> f64 {
        let f = build(c);
        let df = f.derivative();
        let mut x = x0;
        for _ in 0..steps {
            x -= (f.eval(x) - 0.3) / df.eval(x);
        }
        x
    }
    pub fn both(c: &[f64], x: f64) -> f64 {
        let f = build(c);
        let g = f.clone();
        let h = g.twice();
        let d2 = f.derivative().derivative();
        h.eval(x) * d2.eval(x)
    }
}
use expr::*;

#[test]
fn exprs() {
    check!(newton(&[0.4, 0.8, 1.1], 0.5, const 4) -> f64);
    check!(both(&[0.4, 0.8, 1.1], 0.5) -> f64);
}
