//! Structs and functions that are generic over a trait of their module.
//!
//! Composed kernels, networks with layers, policies as types.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod kernels {
    use adjoint::Differentiable;

    pub trait Kernel {
        fn eval(&self, a: f64, b: f64) -> f64;
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Rbf {
        pub l: f64,
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Linear {
        pub c: f64,
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Sum<A, B>(pub A, pub B);

    #[derive(Clone, Debug, Differentiable)]
    pub struct Scaled<K> {
        pub inner: K,
        pub by: f64,
    }

    impl Kernel for Rbf {
        fn eval(&self, a: f64, b: f64) -> f64 {
            (-((a - b) / self.l).powi(2)).exp()
        }
    }

    impl Kernel for Linear {
        fn eval(&self, a: f64, b: f64) -> f64 {
            (a - self.c) * (b - self.c)
        }
    }

    impl<A: Kernel, B: Kernel> Kernel for Sum<A, B> {
        fn eval(&self, a: f64, b: f64) -> f64 {
            self.0.eval(a, b) + self.1.eval(a, b)
        }
    }

    impl<K> Kernel for Scaled<K>
    where
        K: Kernel,
    {
        fn eval(&self, a: f64, b: f64) -> f64 {
            self.by * self.inner.eval(a, b)
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Process<K> {
        pub kernel: K,
        pub noise: f64,
        pub x: Vec<f64>,
    }

    impl<K: Kernel> Process<K> {
        pub fn new(kernel: K, noise: f64, x: &[f64]) -> Self {
            Process {
                kernel,
                noise,
                x: x.to_vec(),
            }
        }

        /// The same for all kernels.
        pub fn len(&self) -> usize {
            self.x.len()
        }

        fn row(&self, at: f64) -> Vec<f64> {
            self.x.iter().map(|&b| self.kernel.eval(at, b)).collect()
        }

        pub fn mean(&self, at: f64) -> f64 {
            let row = self.row(at);
            row.iter().zip(&self.x).map(|(k, x)| k * x).sum::<f64>()
                / (self.noise + self.len() as f64)
        }
    }

    fn trace<K: Kernel>(k: &K, x: &[f64]) -> f64 {
        x.iter().map(|&a| k.eval(a, a * 0.5)).sum()
    }

    pub fn composed(l: f64, c: f64, by: f64, x: &[f64]) -> f64 {
        let rbf = Rbf { l };
        let k = Sum(
            Scaled {
                inner: Sum(rbf.clone(), Linear { c }),
                by,
            },
            rbf,
        );
        trace(&k, x) + k.eval(x[0], x[1])
    }

    pub fn predicted(l: f64, by: f64, x: &[f64]) -> f64 {
        let k = Scaled {
            inner: Rbf { l },
            by,
        };
        let p = Process::new(k, l * l, x);
        p.mean(x[0] * by) + p.mean(0.3)
    }

    pub fn of_a_parameter(p: &Process<Sum<Rbf, Linear>>, at: f64) -> f64 {
        p.mean(at) * p.kernel.eval(at, p.noise)
    }

    pub fn set_up(l: f64, c: f64, x: &[f64], at: f64) -> f64 {
        let p: Process<Sum<Rbf, Linear>> = Process::new(Sum(Rbf { l }, Linear { c }), 0.1, x);
        of_a_parameter(&p, at)
    }
}

#[adjoint]
mod policies {
    pub trait Activation {
        const GAIN: f64;
        fn up(x: f64) -> f64;
        fn twice(x: f64) -> f64 {
            Self::up(Self::up(x))
        }
    }

    pub struct Tanh;
    impl Activation for Tanh {
        const GAIN: f64 = 1.7;
        fn up(x: f64) -> f64 {
            (x * Self::GAIN).tanh()
        }
    }

    pub struct Swish;
    impl Activation for Swish {
        const GAIN: f64 = 0.7;
        fn up(x: f64) -> f64 {
            x / (1.0 + (-x).exp())
        }
    }

    fn layer<S: Activation, const N: usize>(x: [f64; N]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += S::up(v) * S::GAIN + S::twice(v);
        }
        s
    }

    pub struct Taps<const N: usize>;
    impl<const N: usize> Taps<N> {
        fn first(c: &[f64; N], x: f64) -> f64 {
            c[N - 1] * x
        }
    }

    pub fn tapped(c: &[f64; 3], x: f64) -> f64 {
        Taps::<3>::first(c, x) + Taps::<1>::first(&[x], c[0])
    }

    fn scaled<S>(x: f64) -> f64
    where
        S: Activation,
    {
        layer::<S, 2>([x, x * x]) + S::up(x)
    }

    pub fn mixed(x: f64, y: f64) -> f64 {
        scaled::<Tanh>(x) * scaled::<Swish>(y)
            + layer::<Swish, 1>([y]) * <Tanh as Activation>::up(y)
    }
}

/// Parameters that are only handed on, traits that ask for others, and instances of a generic type.
#[adjoint]
mod handed_on {
    use adjoint::Differentiable;

    pub trait Base {
        fn at(&self, x: f64) -> f64;
    }

    pub trait Law: Base {
        fn slope(&self, x: f64) -> f64;
        fn both(&self, x: f64) -> f64 {
            self.at(x) + self.slope(x)
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Square {
        a: f64,
    }

    impl Base for Square {
        fn at(&self, x: f64) -> f64 {
            self.a * x * x
        }
    }

    impl Law for Square {
        fn slope(&self, x: f64) -> f64 {
            2.0 * self.a * x
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Scaled<L> {
        law: L,
        by: f64,
    }

    impl<L: Law> Base for Scaled<L> {
        fn at(&self, x: f64) -> f64 {
            self.by * self.law.at(x)
        }
    }

    impl<L: Law> Law for Scaled<L> {
        fn slope(&self, x: f64) -> f64 {
            self.by * self.law.slope(x)
        }
    }

    pub fn provided(a: f64, by: f64, x: f64) -> f64 {
        let l = Scaled {
            law: Square { a },
            by,
        };
        l.both(x) * Square { a }.both(by)
    }

    fn gram<L: Law>(l: &L, x: &[f64]) -> f64 {
        x.iter().map(|&x| l.both(x) * l.at(x)).sum()
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Fit<L> {
        law: L,
        x: Vec<f64>,
    }

    impl<L: Law> Fit<L> {
        fn score(&self, w: f64) -> f64 {
            gram(&self.law, &self.x) * w
        }

        fn twice(&self, w: f64) -> f64 {
            self.score(w) + self.score(w * w)
        }
    }

    fn outer<L: Law>(l: L, x: &[f64]) -> f64 {
        let fit = Fit {
            law: l,
            x: x.to_vec(),
        };
        fit.twice(0.5)
    }

    pub fn fitted(a: f64, x: &[f64]) -> f64 {
        outer(Square { a }, x)
    }

    pub trait Det {
        fn det(&self) -> f64;
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct M<const N: usize>([[f64; N]; N]);

    impl Det for M<1> {
        fn det(&self) -> f64 {
            self.0[0][0]
        }
    }

    impl Det for M<2> {
        fn det(&self) -> f64 {
            self.0[0][0] * self.0[1][1] - self.0[0][1] * self.0[1][0]
        }
    }

    fn log_det<D: Det>(d: &D) -> f64 {
        d.det().abs().ln()
    }

    pub fn dets(m: &M<2>, a: f64) -> f64 {
        let n: M<1> = M([[a]]);
        m.det() * n.det() + log_det(m) + log_det(&n)
    }

    pub fn of_numbers(a: f64, b: f64) -> f64 {
        let m: M<2> = M([[a, b], [b * b, 0.5]]);
        dets(&m, a)
    }
}

/// The caller's types have the names of the function's parameters.
#[adjoint]
mod names {
    use adjoint::Differentiable;

    pub trait Law {
        const K: f64;
        fn ap(&self, x: f64) -> f64;
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct A {
        a: f64,
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct B {
        b: f64,
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Tw<T> {
        t: T,
    }

    impl Law for A {
        const K: f64 = 1.5;
        fn ap(&self, x: f64) -> f64 {
            x * self.a
        }
    }

    impl Law for B {
        const K: f64 = 2.5;
        fn ap(&self, x: f64) -> f64 {
            x + self.b
        }
    }

    impl<T: Law> Law for Tw<T> {
        const K: f64 = T::K * 10.0;
        fn ap(&self, x: f64) -> f64 {
            self.t.ap(x)
        }
    }

    fn two<A: Law, B: Law>(p: &A, q: &B, x: f64) -> f64 {
        p.ap(x) * A::K + q.ap(x) * B::K
    }

    pub fn both(x: f64, y: f64) -> f64 {
        two(&Tw { t: B { b: y } }, &A { a: y }, x)
    }
}

#[test]
fn kernels_are_put_together() {
    check!(names::both(0.4, 0.3) -> f64);
    check!(handed_on::provided(0.4, 0.3, 0.8) -> f64);
    check!(handed_on::fitted(0.4, &[0.3, 0.8]) -> f64);
    check!(handed_on::of_numbers(0.4, 0.3) -> f64);
    check!(kernels::composed(0.7, 0.2, 1.3, &[0.1, 0.5, 0.9]) -> f64);
    check!(kernels::predicted(0.7, 1.3, &[0.1, 0.5, 0.9]) -> f64);
    check!(kernels::set_up(0.7, 0.3, &[0.1, 0.5, 0.9], 0.4) -> f64);
}

#[test]
fn policies_are_types() {
    check!(policies::mixed(0.3, 0.6) -> f64);
    check!(policies::tapped(&[0.3, 0.6, 0.2], 0.4) -> f64);
}

/// Functions of one instance of a generic type that call those of another.
#[adjoint]
mod instances {
    use adjoint::Differentiable;

    const MAX: f32 = 1.5;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Po<const N: usize> {
        c: [f64; N],
    }

    impl<const N: usize> Po<N> {
        fn app(g: impl Fn(f64) -> f64, c: [f64; N]) -> f64 {
            let mut s = 0.0;
            for i in 0..N {
                s += g(c[i]) * (N + i) as f64;
            }
            s
        }

        fn scaled(x: f64) -> impl Fn(f64) -> f64 {
            move |y| y * x * N as f64
        }

        fn go(&self, x: f64) -> f64 {
            let own = Self::app(|t| t.sin(), self.c) + Po::app(|t| t * t, self.c);
            let other = Po::<4>::scaled(x)(x + 1.0) * Self::scaled(self.c[0])(x);
            Po::<1>::app(|t| t * x, [x]) + own + other
        }
    }

    pub fn instances(x: f64, y: f64) -> f64 {
        Po { c: [x, y] }.go(y) + x.min(f64::MAX) * MAX as f64
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Mx<const R: usize, const C: usize> {
        a: [[f64; C]; R],
    }

    impl<const R: usize, const C: usize> Mx<R, C> {
        fn sum(a: &[[f64; C]; R], g: impl Fn(f64) -> f64) -> f64 {
            let mut s = 0.0;
            for r in a {
                for c in r {
                    s += g(*c) * (R * 10 + C) as f64;
                }
            }
            s
        }

        fn go(&self, k: f64) -> f64 {
            let mut t = [[0.0; R]; C];
            for i in 0..R {
                for j in 0..C {
                    t[j][i] = self.a[i][j] * k;
                }
            }
            Mx::sum(&t, |x| x * k) + Mx::sum(&self.a, |x| x * x)
        }
    }

    pub fn transposed(x: f64, k: f64) -> f64 {
        Mx::<2, 3> {
            a: [[k, x, 0.7], [-0.2, 1.0, 0.5]],
        }
        .go(k)
    }
}

#[test]
fn instances_are_told_apart() {
    check!(instances::instances(0.4, 0.3) -> f64);
    check!(instances::transposed(0.3, 0.6) -> f64);
}
