//! Numeric code as published libraries have it: types in files of their own, aliases, declarations ahead.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct Spheroid {
    a: f64,
    f: f64,
}

flat!(Spheroid { a, f });

#[adjoint]
impl Spheroid {
    fn area(&self) -> f64 {
        let b = self.a * (1.0 - self.f);
        4.0 * (2.0 * self.a * self.a + b * b) / 3.0
    }

    fn flatten(&mut self, by: f64) -> f64 {
        self.f *= by;
        self.a - self.f
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Survey {
    planet: Spheroid,
    crossings: i32,
}

flat!(Survey { planet });

#[adjoint]
impl Survey {
    fn reduce(&self, area: f64) -> f64 {
        let whole = self.planet.area();
        let area = area % whole;
        if self.crossings % 2 != 0 {
            area - self.planet.area() / 2.0
        } else {
            area * whole
        }
    }

    fn reduce_own(self, area: f64) -> f64 {
        area * self.planet.area() + self.planet.f
    }

    fn age(&mut self, by: f64) -> f64 {
        let before = self.planet.area();
        let gap = self.planet.flatten(by);
        before * gap + self.planet.area() * by
    }
}

#[adjoint]
fn reduced(s: &Survey, area: f64) -> f64 {
    s.reduce(area)
}

#[adjoint]
fn reduced_own(s: Survey, area: f64) -> f64 {
    s.reduce_own(area)
}

#[adjoint]
fn aged(s: &mut Survey, by: f64) -> f64 {
    s.age(by)
}

fn survey(crossings: i32) -> Survey {
    Survey {
        planet: Spheroid { a: 1.3, f: 0.2 },
        crossings,
    }
}

#[test]
fn methods_of_fields_whose_types_are_elsewhere() {
    check!(reduced(&survey(1), 3.1) -> f64);
    check!(reduced(&survey(2), 9.4) -> f64);
    check!(reduced_own(survey(0), 0.7) -> f64);
    check!(aged(&mut survey(0), 0.9) -> f64);
}

#[adjoint]
fn inverse_cone(x: f64, y: f64, n: f64) -> (f64, f64) {
    let rho = x.hypot(y);
    let (lam, (phi, scale));
    if rho > 0.5 {
        scale = n.sin();
        phi = (rho / scale).ln();
        lam = x.atan2(y) / n;
    } else {
        lam = 0.0 * n;
        phi = if n > 0.0 { n * y } else { -n };
        scale = x;
    }
    (lam * scale, phi)
}

#[test]
fn tuples_declared_ahead() {
    check!(inverse_cone(0.7, 1.2, 0.8) -> (f64, f64));
    check!(inverse_cone(0.1, 0.2, 0.8) -> (f64, f64));
    check!(inverse_cone(0.1, 0.2, -0.8) -> (f64, f64));
}

#[adjoint]
fn slopes<const N: usize>(x: &[f64; N], k: f64) -> [f64; N] {
    let mut out = [0.0; N];
    let written = x
        .iter()
        .zip(out.iter_mut())
        .enumerate()
        .map(|(i, (x, o))| *o = if i == 0 { k * x.cos() } else { x * x })
        .count();
    out[0] *= written as f64;
    out
}

#[test]
fn writes_that_are_counted() {
    check!(slopes(&[0.3, -0.4, 1.1], 0.6) -> [f64; 3]);
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
pub enum Outside {
    Low,
    High(i32),
}

type Checked<T> = std::result::Result<T, Outside>;

mod fallible {
    pub type Result<T> = super::Checked<T>;
}

use fallible::Result as Guarded;

mod projections {
    use super::{Differentiable, Outside, adjoint, fallible::Result};

    #[derive(Clone, Debug, Differentiable)]
    pub struct Cylinder {
        pub k: f64,
    }

    crate::common::flat!(Cylinder { k });

    #[adjoint]
    impl Cylinder {
        pub fn inverse(&self, x: f64, y: f64) -> Result<(f64, f64)> {
            let t = if y.abs() > 1.0 {
                if y < 0.0 {
                    return Err(Outside::Low);
                }
                1.0
            } else {
                y * self.k
            };
            Ok((x / self.k, t.asin()))
        }
    }

    #[adjoint]
    pub fn there(c: &Cylinder, x: f64, y: f64) -> Result<f64> {
        let (lam, phi) = c.inverse(x, y)?;
        if phi > 5.0 {
            return Err(Outside::High(1));
        }
        Ok(lam * phi)
    }

    #[adjoint]
    pub fn or_nothing(c: &Cylinder, x: f64, y: f64) -> f64 {
        match there(c, x, y) {
            Ok(value) => value * x,
            Err(_) => c.k,
        }
    }
}

#[test]
fn results_of_which_the_error_is_not_seen() {
    let c = projections::Cylinder { k: 0.8 };
    check!(projections::or_nothing(&c, 0.4, 0.6) -> f64);
    check!(projections::or_nothing(&c, 0.4, -1.6) -> f64);
    let seen: Guarded<f64> = projections::there(&c, 0.4, -1.6);
    assert_eq!(seen, Err(Outside::Low));
}

#[adjoint]
mod vectors {
    pub type Vector<T, const N: usize = 2> = [T; N];
    pub type Matrix<T> = [Vector<T>; 2];
    type Pair<T> = (T, Vec<T>);

    pub fn times(m: Matrix<f64>, v: Vector<f64>) -> Vector<f64> {
        let mut out: Vector<_> = [0.0; 2];
        for (row, o) in m.iter().zip(out.iter_mut()) {
            *o = row.iter().zip(&v).map(|(a, b)| a * b).sum();
        }
        out
    }

    pub fn norm(v: Vector<f64, 3>) -> f64 {
        let all: Pair<f64> = (v[0], v.to_vec());
        all.0 * all.1.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

#[test]
fn aliases_with_parameters() {
    check!(vectors::times([[0.3, -1.2], [2.0, 0.7]], [1.1, -0.4]) -> [f64; 2]);
    check!(vectors::norm([1.1, -0.4, 0.3]) -> f64);
}

#[adjoint]
fn by_exponent(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    let same = x.to_bits() == (x + 0.0).to_bits();
    if same { x * x * f64::from(exponent) } else { x }
}

#[test]
fn exponents_by_bits() {
    check!(by_exponent(5.3) -> f64);
    check!(by_exponent(0.3) -> f64);
}

#[adjoint]
mod tables {
    const FLAT: &[f64] = &[0.5, -1.2, 0.3];
    const FIXED: &[f64; 3] = &[0.5, 1.2, -0.3];
    static OWN: [f64; 3] = [1.5, 0.2, 0.7];

    fn polynomial(x: f64, c: &[f64]) -> f64 {
        c.iter().rev().fold(0.0, |sum, c| sum * x + c)
    }

    fn cubic(x: f64, c: &[f64; 3]) -> f64 {
        c[0] + x * (c[1] + x * c[2])
    }

    pub fn series(x: f64, i: usize) -> f64 {
        let rational = polynomial(x, FLAT) / (3.0 + polynomial(x, FIXED));
        let mut sum = cubic(x, FIXED) * cubic(x, &OWN) + FIXED[i] * x;
        for (a, b) in FIXED.iter().zip(FLAT) {
            sum += a * b * x;
        }
        for c in FIXED {
            sum *= c + x;
        }
        let lent = FIXED;
        sum * rational + polynomial(lent[1] * x, &FLAT[i..]) + FLAT[i]
    }

    pub fn limits(x: f64) -> f64 {
        let most = f64::MAX_EXP / 2;
        let mut e = 0;
        let mut y = x;
        while e < most / 128 {
            y *= 1.0 + x / f64::MANTISSA_DIGITS as f64;
            e += 1;
        }
        y
    }
}

const ELSEWHERE: &[f64] = &[0.3, -0.7];
const ELSEWHERE_FIXED: &[f64; 3] = &[0.3, -0.7, 1.1];

#[adjoint]
fn horner(x: f64, c: &[f64]) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[adjoint]
fn first(x: f64, c: &[f64; 3]) -> f64 {
    c[0] * x + c[1]
}

#[adjoint]
fn by_annotation(x: f64) -> f64 {
    let c: &[f64] = ELSEWHERE;
    let d: &[f64] = ELSEWHERE_FIXED;
    let e: &[f64; 3] = ELSEWHERE_FIXED;
    horner(x, c) * horner(x, d) + first(x, e) * horner(x, &c[1..])
}

#[test]
fn tables_that_are_handed_on() {
    check!(by_annotation(0.7) -> f64);
    check!(tables::series(0.7, const 1) -> f64);
    check!(tables::series(0.7, const 2) -> f64);
    check!(tables::limits(0.7) -> f64);
}

mod sun {
    use super::adjoint;

    #[adjoint]
    fn anomaly(day: f64) -> f64 {
        (357.5291 + 0.98560028 * day) % 360.0
    }

    #[adjoint]
    fn centre(anomaly: f64) -> f64 {
        let sin = |x: f64| x.to_radians().sin();
        1.9148 * sin(anomaly) + 0.02 * sin(2.0 * anomaly)
    }

    #[adjoint]
    fn exp(x: f64) -> f64 {
        x.exp() + x
    }

    #[adjoint]
    pub fn transit(day: f64, k: f64) -> f64 {
        let anomaly = anomaly(day);
        let centre = centre(anomaly) * k;
        let mut sum = 0.0;
        for i in 0..3 {
            let exp = exp(centre / (i as f64 + 2.0));
            sum += exp * exp * anomaly.ln();
        }
        sum
    }
}

#[test]
fn locals_named_after_functions() {
    check!(sun::transit(11.3, 0.2) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
enum Drag {
    No {},
    Still,
    Yes { c: f64, d: f64 },
}

#[adjoint]
fn drag(c: f64, height: f64) -> Drag {
    if height > 2.0 {
        Drag::No {}
    } else if height > 1.0 {
        Drag::Still
    } else {
        Drag::Yes { c, d: c * height }
    }
}

#[adjoint]
fn decay(c: f64, height: f64, t: f64) -> f64 {
    let drag = drag(c, height);
    match &drag {
        Drag::No {} => height * t,
        Drag::Still => t,
        Drag::Yes { c, d } => c * t - d * t * t,
    }
}

#[test]
fn variants_with_empty_braces() {
    check!(decay(0.3, 2.4, 1.1) -> f64);
    check!(decay(0.3, 1.4, 1.1) -> f64);
    check!(decay(0.3, 0.4, 1.1) -> f64);
}
