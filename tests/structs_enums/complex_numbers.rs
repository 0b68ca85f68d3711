//! Structs whose methods are named like those of numbers: complex numbers, vectors, elements of an orbit.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::{check, flat};

#[derive(Clone, Copy, Debug, Differentiable)]
struct C {
    re: f64,
    im: f64,
}
flat!(C { re, im });
#[adjoint]
impl C {
    fn new(re: f64, im: f64) -> C {
        C { re, im }
    }
    fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }
    fn exp(self) -> C {
        let r = self.re.exp();
        C {
            re: r * self.im.cos(),
            im: r * self.im.sin(),
        }
    }
    fn sqrt(self) -> C {
        let r = self.abs().sqrt();
        let t = self.im.atan2(self.re) / 2.0;
        C::new(r * t.cos(), r * t.sin())
    }
    fn mul(self, o: C) -> C {
        C {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
    fn add(self, o: C) -> C {
        C {
            re: self.re + o.re,
            im: self.im + o.im,
        }
    }
    fn scale(self, k: f64) -> C {
        C {
            re: self.re * k,
            im: self.im * k,
        }
    }
    fn pow(self, n: u32) -> C {
        let mut r = C::new(1.0, 0.0);
        for _ in 0..n {
            r = r.mul(self);
        }
        r
    }
    fn norm_sqr(&self) -> f64 {
        self.re * self.re + self.im * self.im
    }
    fn max(self, o: C) -> C {
        if self.abs() > o.abs() { self } else { o }
    }
    fn min(self, o: C) -> C {
        if self.abs() > o.abs() { o } else { self }
    }
    fn rem(self, k: f64) -> C {
        C {
            re: self.re * k,
            im: self.im,
        }
    }
    fn recip(self) -> C {
        let d = self.norm_sqr();
        C {
            re: self.re / d,
            im: -self.im / d,
        }
    }
}
#[adjoint]
fn make(x: f64, y: f64) -> C {
    C {
        re: x.sin(),
        im: y * x,
    }
}
#[adjoint]
fn functions(x: &[f64]) -> f64 {
    let z = make(x[0], x[1]);
    let w = z.exp().mul(z.sqrt());
    let p = w.pow(3).add(z.recip());
    p.abs() + w.norm_sqr()
}
#[adjoint]
fn largest(x: &[f64]) -> f64 {
    let z = make(x[0], x[1]);
    let m = z.max(make(x[2], x[3]));
    let n = m.min(z.rem(2.0));
    n.re * m.im + m.re
}
#[adjoint]
fn escape(c: (f64, f64), n: usize) -> f64 {
    let c = C::new(c.0, c.1);
    let mut z = C::new(0.0, 0.0);
    for _ in 0..n {
        z = z.mul(z).add(c);
        if z.norm_sqr() > 4.0 {
            break;
        }
    }
    z.abs()
}
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Vec3<T> {
    pub x: T,
    pub y: T,
    pub z: T,
}
#[adjoint]
impl<T: Float> Vec3<T> {
    pub fn new(x: T, y: T, z: T) -> Self {
        Self { x, y, z }
    }
    pub fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }
    pub fn length(self) -> T {
        self.dot(self).sqrt()
    }
    pub fn normalize(self) -> Self {
        let l = self.length();
        Self::new(self.x / l, self.y / l, self.z / l)
    }
}
#[adjoint]
fn triangle_area_normal(p: &[[f64; 3]; 3]) -> f64 {
    let v = |a: [f64; 3], b: [f64; 3]| Vec3::new(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    let n = v(p[0], p[1]).cross(v(p[0], p[2]));
    let u = n.normalize();
    0.5 * n.length() + u.x * u.y - u.z
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Elements {
    a: f64,
    e: f64,
    i: f64,
    raan: f64,
    argp: f64,
    m: f64,
}
flat!(Elements {
    a,
    e,
    i,
    raan,
    argp,
    m
});
#[adjoint]
impl Elements {
    fn eccentric_anomaly(&self) -> f64 {
        let mut ea = if self.e < 0.8 {
            self.m
        } else {
            std::f64::consts::PI
        };
        loop {
            let delta = (ea - self.e * ea.sin() - self.m) / (1.0 - self.e * ea.cos());
            ea -= delta;
            if delta.abs() < 1e-13 {
                break ea;
            }
        }
    }
    fn to_cartesian(&self) -> ([f64; 3], [f64; 3]) {
        let ea = self.eccentric_anomaly();
        let nu = 2.0
            * ((1.0 + self.e).sqrt() * (ea / 2.0).sin())
                .atan2((1.0 - self.e).sqrt() * (ea / 2.0).cos());
        let r = self.a * (1.0 - self.e * ea.cos());
        let o = [r * nu.cos(), r * nu.sin(), 0.0];
        let f = self.a.sqrt() / r;
        let od = [
            -f * ea.sin(),
            f * (1.0 - self.e.powi(2)).sqrt() * ea.cos(),
            0.0,
        ];
        let (sw, cw) = self.argp.sin_cos();
        let (so, co) = self.raan.sin_cos();
        let (si, ci) = self.i.sin_cos();
        let rot = |v: [f64; 3]| {
            [
                v[0] * (cw * co - sw * ci * so) - v[1] * (sw * co + cw * ci * so),
                v[0] * (cw * so + sw * ci * co) + v[1] * (cw * ci * co - sw * so),
                v[0] * (sw * si) + v[1] * (cw * si),
            ]
        };
        (rot(o), rot(od))
    }
}
#[adjoint]
fn specific_energy(el: &Elements) -> f64 {
    let (r, v) = el.to_cartesian();
    let rn = r.iter().map(|c| c * c).sum::<f64>().sqrt();
    v.iter().map(|c| c.powi(2)).sum::<f64>() / 2.0 - 1.0 / rn + r[2] * v[0]
}

#[adjoint]
fn slerp(a: [f64; 4], mut b: [f64; 4], t: f64) -> [f64; 4] {
    let mut dot: f64 = a.iter().zip(b.iter()).map(|(x, y)| x * y).sum();
    if dot < 0.0 {
        b = b.map(|v| -v);
        dot = -dot;
    }
    if dot > 0.9995 {
        let mut r = [0.0; 4];
        for i in 0..4 {
            r[i] = a[i] + t * (b[i] - a[i]);
        }
        let n = r.iter().map(|v| v * v).sum::<f64>().sqrt();
        return r.map(|v| v / n);
    }
    let theta0 = dot.acos();
    let theta = theta0 * t;
    let (s0, s1) = (
        (theta0 - theta).sin() / theta0.sin(),
        theta.sin() / theta0.sin(),
    );
    let mut out = a;
    for (o, b) in out.iter_mut().zip(b) {
        *o = s0 * *o + s1 * b;
    }
    out
}

#[test]
fn complex_numbers() {
    let x = vec![0.7, 1.3, -0.4, 2.1];
    check!(functions(&x) -> f64);
    check!(largest(&x) -> f64);
    check!(escape((0.3, 0.4), const 5) -> f64);
}

#[test]
fn triangles() {
    check!(triangle_area_normal(&[[0.1, 0.2, 0.3], [1.0, -0.2, 0.5], [0.4, 1.3, -0.2]]) -> f64);
}

#[test]
fn orbits() {
    let elements = Elements {
        a: 1.3,
        e: 0.2,
        i: 0.4,
        raan: 0.7,
        argp: 1.1,
        m: 0.9,
    };
    check!(specific_energy(&elements) -> f64);
}

#[test]
fn rotations() {
    check!(slerp([0.5; 4], [-0.1, 0.7, 0.2, -0.6], 0.3) -> [f64; 4]);
    check!(slerp([0.5; 4], [0.51, 0.5, 0.49, 0.5], 0.3) -> [f64; 4]);
}
