//! Arrays whose length is inferred from a field or a parameter.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod seen {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Rows {
        a: [[f64; 2]; 3],
        b: Vec<f64>,
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Point([f64; 3]);

    #[derive(Clone, Debug, Differentiable)]
    pub struct Named<const N: usize> {
        a: [f64; N],
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Matrix<const R: usize, const C: usize>([[f64; C]; R]);

    impl<const N: usize> Named<N> {
        fn scaled(&self, k: f64) -> Self {
            Named {
                a: std::array::from_fn(|i| self.a[i] * k),
            }
        }

        fn moved(&self, k: f64) -> Named<N> {
            Self {
                a: std::array::from_fn(|i| self.a[i] + k),
            }
        }
    }

    impl<const R: usize, const C: usize> Matrix<R, C> {
        fn transposed(&self) -> Matrix<C, R> {
            Matrix(std::array::from_fn(|i| {
                std::array::from_fn(|j| self.0[j][i])
            }))
        }

        fn scaled(&self, k: f64) -> Self {
            Self(std::array::from_fn(|i| self.0[i].map(|v| v * k)))
        }
    }

    pub fn literals(x: &[f64]) -> f64 {
        let rows = Rows {
            a: std::array::from_fn(|i| std::array::from_fn(|j| x[i] * x[j])),
            b: x.iter().map(|v| v * x[0]).collect(),
        };
        let point = Point(std::array::from_fn(|i| x[i] * x[0]));
        rows.a[1][1] * rows.a[2][0] * point.0[1] + point.0[2] * rows.b[1]
    }

    pub fn generics(x: &[f64]) -> f64 {
        let named = Named { a: [x[0], x[1]] };
        let matrix = Matrix([[x[0], x[1], x[2]], [x[2], 1.0, x[0]]]);
        let t: Matrix<3, 2> = matrix.scaled(x[1]).transposed();
        named.scaled(x[2]).moved(x[0]).a[1] * t.0[2][0]
    }

    fn owned(a: [f64; 3], k: f64) -> f64 {
        a[0] * a[2] * k
    }

    fn lent(a: &[[f64; 2]; 3], k: f64) -> f64 {
        a[0][1] * a[2][0] * k
    }

    pub fn arguments(x: &[f64]) -> f64 {
        let table = lent(&std::array::from_fn(|i| [x[i], x[i] * x[0]]), x[0]);
        owned(std::array::from_fn(|i| x[i] * x[0]), x[1]) + table
    }
}

#[test]
fn fields_and_arguments_tell_the_extent() {
    let x = [1.0, 2.0, 3.0];
    check!(seen::literals(&x) -> f64);
    check!(seen::generics(&x) -> f64);
    check!(seen::arguments(&x) -> f64);
}
