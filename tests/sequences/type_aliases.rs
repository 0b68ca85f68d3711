//! Results whose type is an alias of a `Vec`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod matrices {
    use adjoint::Differentiable;

    pub type Mat = Vec<Vec<f64>>;
    pub type Grid<T> = Vec<Vec<T>>;

    pub fn transpose(a: &Mat) -> Mat {
        (0..a[0].len())
            .map(|j| a.iter().map(|row| row[j]).collect())
            .collect()
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Scale {
        by: f64,
    }

    impl Scale {
        fn rows(&self, a: &Mat) -> Mat {
            a.iter()
                .map(|row| row.iter().map(|v| v * self.by).collect())
                .collect()
        }
    }

    pub fn scaled(a: &Mat, by: f64) -> Mat {
        let scale = Scale { by: by * by };
        scale.rows(a)
    }

    pub fn gram(a: &Mat, k: f64) -> Grid<f64> {
        let t = transpose(a);
        t.iter()
            .map(|u| {
                t.iter()
                    .map(|v| k * u.iter().zip(v).map(|(x, y)| x * y).sum::<f64>())
                    .collect()
            })
            .collect()
    }
}

#[test]
fn matrices_under_another_name() {
    use matrices::*;
    let a = vec![vec![0.3, 0.7], vec![-0.4, 1.1], vec![0.9, 0.2]];
    check!(transpose(&a) -> &Vec<Vec<f64>>);
    check!(scaled(&a, 0.6) -> &Vec<Vec<f64>>);
    check!(gram(&a, 0.6) -> &Vec<Vec<f64>>);
}
