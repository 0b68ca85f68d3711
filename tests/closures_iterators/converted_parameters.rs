//! Parameters that are converted: `impl Into<Point>`, `impl AsRef<[f64]>`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod m {
    use adjoint::Differentiable;
    #[derive(Clone, Copy, Differentiable)]
    pub struct Point {
        x: f64,
        y: f64,
    }
    impl From<(f64, f64)> for Point {
        fn from(v: (f64, f64)) -> Point {
            Point {
                x: v.0,
                y: v.1 * v.0,
            }
        }
    }
    impl From<[f64; 2]> for Point {
        fn from(v: [f64; 2]) -> Point {
            Point {
                x: v[0],
                y: 2.0 * v[1],
            }
        }
    }
    #[derive(Clone, Copy, Differentiable)]
    pub struct Line {
        p0: Point,
        p1: Point,
    }
    impl Line {
        pub fn new(p0: impl Into<Point>, p1: impl Into<Point>) -> Line {
            Line {
                p0: p0.into(),
                p1: p1.into(),
            }
        }
        fn through<P: Into<Point>, Q>(p: P, q: Q) -> Line
        where
            Q: Into<Point> + Copy,
        {
            let p = p.into();
            let r: Point = q.into();
            Line { p0: p, p1: r }
        }
        fn shifted(&self, by: impl Into<f64>) -> f64 {
            let k = by.into();
            self.p0.x * k + self.p1.y
        }
    }
    pub fn f(x: f64, y: f64) -> f64 {
        let l = Line::new((x, y), Point { x: y, y: x });
        let m = Line::through((y, y), l.p0);
        (l.p0.x - l.p1.x) * l.p0.y
            + m.p0.y * m.p1.y
            + l.shifted(x) * m.shifted(2.0f32)
            + m.shifted(3)
    }
    fn tw(x: impl Into<f64>) -> f64 {
        x.into()
    }
    pub fn g(x: f64) -> f64 {
        tw(x * x) + tw(2u8) * x
    }
    fn mean(x: impl AsRef<[f64]>) -> f64 {
        let x = x.as_ref();
        x.iter().sum::<f64>() / x.len() as f64
    }
    fn mean2<S: AsRef<[f64]>>(x: &S) -> f64 {
        x.as_ref().iter().sum::<f64>() / x.as_ref().len() as f64
    }
    pub fn h(x: &[f64]) -> f64 {
        mean(x) * mean([x[0], x[1] * x[0]]) + mean(x.to_vec()) + mean2(&x.to_vec())
    }
    fn named(name: impl Into<String>, k: f64) -> f64 {
        let n: String = name.into();
        n.len() as f64 * k
    }
    pub fn text(k: f64) -> f64 {
        named("abc", k) + named(String::from("ab"), k * k)
    }
}
use m::*;
const T: [f64; 3] = [0.1, 0.4, 0.5];
#[test]
fn into_users_types() {
    check!(f(0.7, 0.4) -> f64);
}
#[test]
fn into_numbers() {
    check!(g(0.7) -> f64);
}
#[test]
fn as_slices() {
    check!(h(&T) -> f64);
}
#[test]
fn into_texts() {
    check!(text(0.7) -> f64);
}
