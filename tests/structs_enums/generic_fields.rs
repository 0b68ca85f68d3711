//! Generic structs whose fields the macro sees: the type arguments are substituted in the types of the fields.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod bodies {
    use std::ops::{Add, AddAssign, Mul, Neg};

    use adjoint::Differentiable;
    use num_traits::Float;

    #[derive(Clone, Copy, Differentiable)]
    pub struct Vector<T> {
        x: T,
        y: T,
    }

    impl<T: Float> Vector<T> {
        pub fn new(x: T, y: T) -> Self {
            Vector { x, y }
        }

        pub fn turned(&self) -> Vector<T> {
            Vector {
                x: -self.y,
                y: self.x,
            }
        }

        pub fn norm(&self) -> T {
            (self.x * self.x + self.y * self.y).sqrt()
        }

        pub fn unit(self) -> Self {
            let n = self.norm();
            self.map(|v| v / n)
        }

        pub fn parts(&self) -> (Vector<T>, T) {
            (self.unit(), self.norm())
        }

        pub fn list(&self) -> Vec<Vector<T>> {
            vec![*self, self.turned()]
        }

        pub fn map<F: Fn(T) -> T>(self, f: F) -> Self {
            Vector {
                x: f(self.x),
                y: f(self.y),
            }
        }
    }

    impl<T: Float> Mul<T> for Vector<T> {
        type Output = Self;

        fn mul(self, s: T) -> Self {
            self.map(|v| v * s)
        }
    }

    impl<T: Float> Neg for Vector<T> {
        type Output = Self;

        fn neg(self) -> Self {
            self.map(|v| -v)
        }
    }

    impl<T: Float> Add for Vector<T> {
        type Output = Self;

        fn add(self, o: Self) -> Self {
            let Vector { x, y } = o;
            Vector::new(self.x + x, self.y + y)
        }
    }

    impl<T: Float> AddAssign for Vector<T> {
        fn add_assign(&mut self, o: Self) {
            self.x = self.x + o.x;
            self.y = self.y + o.y;
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Body<T> {
        at: Vector<T>,
        v: Vector<T>,
        mass: T,
    }

    pub fn leap<T: Float>(b: &mut Body<T>, dt: T) {
        b.at += b.v * dt;
    }

    pub fn leap_back(b: &mut Body<f64>, dt: f64) {
        b.at = b.at + -b.v * dt;
    }

    pub fn leap_all(bodies: &mut [Body<f64>], dt: f64) {
        for b in bodies.iter_mut() {
            b.at += b.v * dt;
            b.mass *= dt;
        }
    }

    pub fn momentum(bodies: &[Body<f64>], k: f64) -> f64 {
        let zero = Vector::new(0.0, 0.0);
        let sum = bodies.iter().fold(zero, |sum, b| sum + b.v * b.mass);
        let Vector { x, y } = sum;
        x * y * k
    }

    /// What methods return has the arguments of what they are called on.
    pub fn turned_all(all: &[Vector<f64>], m: f64) -> f64 {
        let mut l = Vector::new(0.0, 0.0);
        for p in all {
            l = l + p.turned() * m;
        }
        let zero = Vector::new(0.0, 0.0);
        let sum = all
            .iter()
            .fold(zero, |sum, p| sum + p.turned().unit() * p.norm());
        let (u, n) = all[0].parts();
        let s = (u * n + l + sum).norm();
        s + all[1].list().iter().map(|v| v.x * v.y).sum::<f64>()
    }

    pub fn of_any<T: Float>(all: &[Vector<T>], m: T) -> T {
        let mut l = all[0].unit();
        for p in all {
            l = l + p.turned() * m;
        }
        l.norm()
    }

    pub fn all_turned(x: &[f64], m: f64) -> f64 {
        let pairs = x.windows(2).map(|w| Vector::new(w[0], w[1] * m));
        let all: Vec<Vector<f64>> = pairs.collect();
        turned_all(&all, m) * of_any(&all, m)
    }

    pub fn all(x: &[f64], dt: f64) -> f64 {
        let body = |x: &f64| Body {
            at: Vector { x: *x, y: dt },
            v: Vector::new(dt * x, x.sin()),
            mass: 1.0 + x,
        };
        let mut bodies: Vec<Body<f64>> = x.iter().map(body).collect();
        leap_all(&mut bodies, dt);
        leap(&mut bodies[0], dt);
        leap_back(&mut bodies[1], dt);
        momentum(&bodies, dt) + bodies.iter().map(|b| b.at.x * b.at.y).sum::<f64>()
    }
}

#[adjoint]
mod duals {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Differentiable)]
    pub struct Dual<const N: usize> {
        v: f64,
        d: [f64; N],
    }

    impl<const N: usize> Dual<N> {
        pub fn scaled(self, k: f64) -> Self {
            Dual {
                v: self.v * k,
                d: self.d.map(|g| g * k),
            }
        }
    }

    pub fn all<const N: usize>(x: &[f64; N], k: f64) -> f64 {
        let dual = Dual { v: k, d: *x }.scaled(k);
        dual.scaled(dual.d[0]).d.iter().sum::<f64>() * dual.v
    }
}

#[test]
fn fields_of_generic_structs_are_seen() {
    check!(bodies::all(&[0.4, -0.9, 1.3], 0.7) -> f64);
    check!(bodies::all_turned(&[0.4, -0.9, 1.3], 0.7) -> f64);
    check!(duals::all(&[0.4, -0.9, 1.3], 0.7) -> f64);
}
