//! Functions with several versions under `#[cfg]`: only one is compiled.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[adjoint]
mod solver {
    use adjoint::Differentiable;

    #[cfg(not(test))]
    pub fn flux(u: f64, k: f64) -> f64 {
        u + k
    }

    /// The one that is there: its adjoint reads both.
    #[cfg(test)]
    pub fn flux(u: f64, k: f64) -> f64 {
        u * u * k
    }

    #[cfg(not(test))]
    pub fn limited(u: f64, k: f64) -> f64 {
        u.min(k)
    }

    pub fn steps(u: &mut [f64], k: f64, n: usize) -> f64 {
        for _ in 0..n {
            for v in u.iter_mut() {
                let f = flux(*v, k);
                *v += 0.1 * f;
            }
        }
        u.iter().sum()
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Rod {
        pub u: Vec<f64>,
    }

    impl Rod {
        #[cfg(not(test))]
        pub fn energy(&self, k: f64) -> f64 {
            k
        }

        #[cfg(test)]
        pub fn energy(&self, k: f64) -> f64 {
            self.u.iter().map(|v| v * v * k).sum()
        }

        pub fn scaled(&self, k: f64) -> f64 {
            self.energy(k).sqrt() * k
        }
    }

    #[cfg(not(test))]
    impl std::ops::Mul<f64> for Rod {
        type Output = Rod;

        fn mul(self, k: f64) -> Rod {
            Rod {
                u: self.u.iter().map(|v| v * k).collect(),
            }
        }
    }
}

/// An `impl` that stands alone.
#[derive(Clone, Copy, Debug, adjoint::Differentiable)]
struct Spring {
    stiffness: f64,
}

#[adjoint]
impl Spring {
    #[cfg(not(test))]
    fn force(&self, x: f64) -> f64 {
        x
    }

    #[cfg(test)]
    fn force(&self, x: f64) -> f64 {
        -self.stiffness * x * x
    }

    fn work(&self, x: f64) -> f64 {
        let mut w = 0.0;
        for i in 0..3 {
            w += self.force(x * i as f64) * x;
        }
        w
    }
}

#[adjoint]
fn springs(stiffness: f64, x: f64) -> f64 {
    Spring { stiffness }.work(x)
}

#[adjoint]
fn rods(u: &[f64], k: f64) -> f64 {
    solver::Rod { u: u.to_vec() }.scaled(k)
}

#[test]
fn what_is_compiled_is_differentiated() {
    use solver::{steps, steps_adjoint, steps_adjoint_with};
    check!(steps(&mut vec![0.3, -0.7, 1.1], 0.8, const 3) -> f64);
    check!(rods(&vec![0.3, -0.7, 1.1], 0.8) -> f64);
    check!(springs(0.9, 1.3) -> f64);
}

/// Conditions on statements: what is not compiled need not make sense.
#[adjoint]
fn stated(x: f64, k: f64) -> f64 {
    let mut y = x * k;
    #[cfg(not(test))]
    {
        y = missing(y);
    }
    #[cfg(test)]
    {
        y = y.sin() + y;
    }
    #[cfg(not(test))]
    let z = missing(y);
    #[cfg(test)]
    let z = y * y;
    #[cfg(not(test))]
    missing(z);
    #[cfg(test)]
    assert!(z >= 0.0);
    let w = match z > 10.0 {
        #[cfg(not(test))]
        true => missing(x),
        _ => z,
    };
    #[cfg(test)]
    return w * x;
    #[cfg(not(test))]
    return missing(w);
}

#[derive(Clone, Debug, Differentiable)]
struct Weights {
    a: [f64; 2],
}

flat!(Weights { a });

#[adjoint]
impl Weights {
    fn apply(&self, x: f64) -> f64 {
        #[cfg(not(test))]
        return self.missing(x);
        #[cfg(test)]
        return self.second(x) * self.a[0];
    }

    #[cfg(test)]
    fn second(&self, x: f64) -> f64 {
        #[cfg_attr(test, allow(unused_variables))]
        let y = x * self.a[1];
        y * y
    }
}

#[adjoint]
fn applied(w: &Weights, x: f64) -> f64 {
    w.apply(x) + parts::whole(x)
}

#[adjoint]
mod parts {
    pub fn whole(x: f64) -> f64 {
        #[cfg(not(test))]
        let x = missing(x);
        part(x) * x
    }

    fn part(x: f64) -> f64 {
        #[cfg(test)]
        println!("{x}");
        x.sin()
    }
}

#[test]
fn conditions_on_statements() {
    check!(stated(0.7, 1.3) -> f64);
    check!(applied(&Weights { a: [0.4, -0.8] }, 0.6) -> f64);
}
