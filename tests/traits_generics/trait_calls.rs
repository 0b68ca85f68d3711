//! Methods called by the path of their trait, and functions generic over the results of closures.

use crate::common::check;

#[adjoint::adjoint]
mod by_path {
    use adjoint::Differentiable;

    pub trait Shape {
        fn area(&self, k: f64) -> f64;

        fn grow(&mut self, by: f64);

        fn twice(&self, k: f64) -> f64 {
            Shape::area(self, k) + Self::area(self, 2.0 * k)
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Square {
        pub side: f64,
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Disc {
        pub radius: f64,
    }

    impl Shape for Square {
        fn area(&self, k: f64) -> f64 {
            self.side * self.side * k
        }

        fn grow(&mut self, by: f64) {
            self.side *= by;
        }
    }

    impl Shape for Disc {
        fn area(&self, k: f64) -> f64 {
            3.0 * self.radius * self.radius * k.sin()
        }

        fn grow(&mut self, by: f64) {
            self.radius += by;
        }
    }

    fn both<S: Shape>(shape: &S, k: f64) -> f64 {
        Shape::area(shape, k) * S::twice(shape, k)
    }

    pub fn called(x: f64, k: f64) -> f64 {
        let mut square = Square { side: x };
        let disc = &mut Disc { radius: x * k };
        for i in 0..3 {
            Shape::grow(&mut square, k + i as f64);
            Shape::grow(disc, x);
        }
        Shape::area(&square, k) - Shape::twice(disc, x) * both(&square, k) + both(disc, x)
    }
}

#[adjoint::adjoint]
mod given_back {
    fn timed<R>(f: impl FnOnce() -> R) -> R {
        let result = f();
        result
    }

    fn at_square<B, F>(f: F, x: f64) -> B
    where
        F: Fn(f64) -> B,
    {
        f(x * x)
    }

    fn pair<A, B>(f: impl Fn(f64) -> A, g: &dyn Fn(f64) -> B, x: f64) -> (A, B) {
        let first: A = f(x);
        (first, g(2.0 * x))
    }

    fn table<R>(n: usize, f: impl Fn(usize) -> R) -> Vec<R> {
        let mut all: Vec<R> = Vec::with_capacity(n);
        for i in 0..n {
            all.push(f(i));
        }
        all
    }

    pub fn of_floats(x: f64) -> f64 {
        let y = timed(|| x.sin() * x);
        let z: f64 = at_square(|t| t.exp() * x, y);
        y * z + timed(|| x * z)
    }

    pub fn of_others(x: f64) -> f64 {
        let (sin, scaled) = at_square(|t| (t.sin(), t * x), x);
        let n = timed(|| 3usize);
        let [a, b] = timed(|| [x * sin, scaled.cos()]);
        a * b * n as f64
    }

    pub fn of_two(x: f64, k: f64) -> f64 {
        let (a, b) = pair(|t| t * k, &|t| [t.sin(), t * t * k], x);
        let powers = table(4, |i| x.powi(i as i32) * k);
        a * b[0] + b[1] * powers.iter().sum::<f64>() * powers[3]
    }
}

#[test]
fn methods_by_their_trait() {
    check!(by_path::called(0.8, 1.3) -> f64);
    check!(by_path::called(-0.4, 0.6) -> f64);
}

#[test]
fn what_closures_give() {
    check!(given_back::of_floats(0.7) -> f64);
    check!(given_back::of_others(0.7) -> f64);
    check!(given_back::of_two(0.7, 1.4) -> f64);
}
