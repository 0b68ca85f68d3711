//! Types with operators, as people define them for themselves.

use adjoint::adjoint;

use crate::common::{self, check};

#[adjoint]
mod kernels {
    use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

    use adjoint::{Differentiable, adjoint};

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct Vec3 {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }

    macro_rules! componentwise {
    ($($name:ident $method:ident $op:tt;)*) => { $(
        #[adjoint]
        impl $name for Vec3 {
            type Output = Vec3;
            fn $method(self, rhs: Vec3) -> Vec3 {
                Vec3::new(self.x $op rhs.x, self.y $op rhs.y, self.z $op rhs.z)
            }
        }
    )* };
}

    componentwise! {
        Add add +;
        Sub sub -;
        Mul mul *;
    }

    impl Mul<f64> for Vec3 {
        type Output = Vec3;
        fn mul(self, k: f64) -> Vec3 {
            Vec3::new(self.x * k, self.y * k, self.z * k)
        }
    }

    impl Mul<Vec3> for f64 {
        type Output = Vec3;
        fn mul(self, v: Vec3) -> Vec3 {
            v * self
        }
    }

    impl Div<f64> for Vec3 {
        type Output = Vec3;
        fn div(self, k: f64) -> Vec3 {
            self * (1.0 / k)
        }
    }

    impl Neg for Vec3 {
        type Output = Vec3;
        fn neg(self) -> Vec3 {
            Vec3::new(-self.x, -self.y, -self.z)
        }
    }

    impl AddAssign for Vec3 {
        fn add_assign(&mut self, rhs: Vec3) {
            *self = *self + rhs;
        }
    }

    impl SubAssign for Vec3 {
        fn sub_assign(&mut self, rhs: Vec3) {
            self.x -= rhs.x;
            self.y -= rhs.y;
            self.z -= rhs.z;
        }
    }

    impl Vec3 {
        pub fn new(x: f64, y: f64, z: f64) -> Self {
            Self { x, y, z }
        }

        pub fn dot(self, o: Vec3) -> f64 {
            self.x * o.x + self.y * o.y + self.z * o.z
        }

        pub fn cross(self, o: Vec3) -> Vec3 {
            Vec3 {
                x: self.y * o.z - self.z * o.y,
                y: self.z * o.x - self.x * o.z,
                z: self.x * o.y - self.y * o.x,
            }
        }

        pub fn length(self) -> f64 {
            self.dot(self).sqrt()
        }

        pub fn normalized(self) -> Vec3 {
            let length = self.length();
            self / length
        }
    }

    pub fn triangle_area(a: Vec3, b: Vec3, c: Vec3) -> f64 {
        let ab = b - a;
        let ac = c - a;
        0.5 * ab.cross(ac).length()
    }

    pub fn reflect(incident: Vec3, normal: Vec3) -> Vec3 {
        let n = normal.normalized();
        incident - n * 2.0 * incident.dot(n)
    }

    pub fn refract(uv: Vec3, n: Vec3, ratio: f64) -> Option<Vec3> {
        let cos_theta = (-uv).dot(n).min(1.0);
        let perpendicular = ratio * (uv + cos_theta * n);
        let k = 1.0 - perpendicular.dot(perpendicular);
        if k < 0.0 {
            return None;
        }
        let parallel = -k.sqrt() * n;
        Some(perpendicular + parallel)
    }

    pub fn refracted(uv: Vec3, n: Vec3, ratio: f64) -> f64 {
        let uv = uv.normalized();
        let n = n.normalized();
        match refract(uv, n, ratio) {
            Some(out) => out.x + 2.0 * out.y,
            None => reflect(uv, n).z,
        }
    }

    pub fn phong(eye: Vec3, light: Vec3, normal: Vec3, albedo: Vec3, shininess: i32) -> Vec3 {
        let n = normal.normalized();
        let l = light.normalized();
        let diffuse = n.dot(l).max(0.0);
        let half = (l + eye.normalized()).normalized();
        let specular = n.dot(half).max(0.0).powi(shininess);
        albedo * (0.1 + diffuse) + Vec3::new(specular, specular, specular)
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct Particle {
        pub position: Vec3,
        pub velocity: Vec3,
        pub mass: f64,
    }

    pub fn accelerations(particles: &[Particle], g: f64) -> Vec<Vec3> {
        let mut out = vec![Vec3::new(0.0, 0.0, 0.0); particles.len()];
        for i in 0..particles.len() {
            for j in (i + 1)..particles.len() {
                let d = particles[j].position - particles[i].position;
                let r2 = d.dot(d) + 1e-2;
                let inv = g / (r2 * r2.sqrt());
                out[i] += d * inv * particles[j].mass;
                out[j] -= d * inv * particles[i].mass;
            }
        }
        out
    }

    pub fn leapfrog(particles: &mut Vec<Particle>, g: f64, dt: f64, steps: usize) -> f64 {
        for _ in 0..steps {
            let a = accelerations(particles, g);
            for (p, a) in particles.iter_mut().zip(&a) {
                p.velocity += *a * (0.5 * dt);
                p.position += p.velocity * dt;
            }
            let a = accelerations(particles, g);
            for (p, a) in particles.iter_mut().zip(a) {
                p.velocity += a * (0.5 * dt);
            }
        }
        particles
            .iter()
            .map(|p| 0.5 * p.mass * p.velocity.dot(p.velocity))
            .sum()
    }

    pub fn cloth(points: &[Vec3], rest: f64, k: f64, width: usize) -> f64 {
        let mut energy = 0.0;
        for (i, p) in points.iter().enumerate() {
            if (i + 1) % width != 0 {
                let stretch = (points[i + 1] - *p).length() - rest;
                energy += 0.5 * k * stretch * stretch;
            }
            if let Some(below) = points.get(i + width) {
                let stretch = (*below - *p).length() - rest;
                energy += 0.5 * k * stretch.powi(2);
            }
        }
        energy
    }

    pub fn centroid(points: &[Vec3]) -> Vec3 {
        let sum = points
            .iter()
            .fold(Vec3::new(0.0, 0.0, 0.0), |acc, p| acc + *p);
        sum / points.len() as f64
    }

    pub fn gyration(points: &[Vec3]) -> f64 {
        let c = centroid(points);
        let total: f64 = points.iter().map(|p| (*p - c).dot(*p - c)).sum();
        (total / points.len() as f64).sqrt()
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct Quaternion {
        pub w: f64,
        pub v: Vec3,
    }

    impl Mul for Quaternion {
        type Output = Self;
        fn mul(self, q: Self) -> Self {
            Quaternion {
                w: self.w * q.w - self.v.dot(q.v),
                v: q.v * self.w + self.v * q.w + self.v.cross(q.v),
            }
        }
    }

    impl Mul<Vec3> for Quaternion {
        type Output = Vec3;
        fn mul(self, p: Vec3) -> Vec3 {
            let t = 2.0 * self.v.cross(p);
            p + self.w * t + self.v.cross(t)
        }
    }

    impl Quaternion {
        fn from_axis_angle(axis: Vec3, angle: f64) -> Quaternion {
            let (s, c) = (0.5 * angle).sin_cos();
            Quaternion {
                w: c,
                v: axis.normalized() * s,
            }
        }

        fn conjugate(&self) -> Quaternion {
            Quaternion {
                w: self.w,
                v: -self.v,
            }
        }
    }

    pub fn arm(axes: &[Vec3], angles: &[f64], lengths: &[f64]) -> Vec3 {
        let mut orientation = Quaternion {
            w: 1.0,
            v: Vec3::new(0.0, 0.0, 0.0),
        };
        let mut tip = Vec3::new(0.0, 0.0, 0.0);
        for ((axis, angle), length) in axes.iter().zip(angles).zip(lengths) {
            orientation = orientation * Quaternion::from_axis_angle(*axis, *angle);
            tip += orientation * Vec3::new(*length, 0.0, 0.0);
        }
        tip
    }

    pub fn attitude_error(q: Quaternion, axis: Vec3, angle: f64) -> f64 {
        let target = Quaternion::from_axis_angle(axis, angle);
        let e = target.conjugate() * q;
        2.0 * e.v.length().atan2(e.w)
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct C64 {
        pub re: f64,
        pub im: f64,
    }

    impl Add for C64 {
        type Output = C64;
        fn add(self, o: C64) -> C64 {
            C64 {
                re: self.re + o.re,
                im: self.im + o.im,
            }
        }
    }

    impl Sub for C64 {
        type Output = C64;
        fn sub(self, o: C64) -> C64 {
            C64 {
                re: self.re - o.re,
                im: self.im - o.im,
            }
        }
    }

    impl Mul for C64 {
        type Output = C64;
        fn mul(self, o: C64) -> C64 {
            C64 {
                re: self.re * o.re - self.im * o.im,
                im: self.re * o.im + self.im * o.re,
            }
        }
    }

    impl Div for C64 {
        type Output = C64;
        fn div(self, o: C64) -> C64 {
            let d = o.re * o.re + o.im * o.im;
            C64 {
                re: (self.re * o.re + self.im * o.im) / d,
                im: (self.im * o.re - self.re * o.im) / d,
            }
        }
    }

    impl C64 {
        fn polar(r: f64, theta: f64) -> C64 {
            C64 {
                re: r * theta.cos(),
                im: r * theta.sin(),
            }
        }

        fn abs(self) -> f64 {
            self.re.hypot(self.im)
        }

        fn exp(self) -> C64 {
            C64::polar(self.re.exp(), self.im)
        }
    }

    pub fn transform(x: &mut [C64]) {
        let n = x.len();
        if n == 1 {
            return;
        }
        let mut even: Vec<C64> = x.iter().step_by(2).copied().collect();
        let mut odd: Vec<C64> = x.iter().skip(1).step_by(2).copied().collect();
        transform(&mut even);
        transform(&mut odd);
        for k in 0..n / 2 {
            let t = C64::polar(1.0, -2.0 * std::f64::consts::PI * k as f64 / n as f64) * odd[k];
            x[k] = even[k] + t;
            x[k + n / 2] = even[k] - t;
        }
    }

    pub fn power_spectrum(signal: &[f64]) -> Vec<f64> {
        let mut x: Vec<C64> = signal.iter().map(|&re| C64 { re, im: 0.0 }).collect();
        transform(&mut x);
        x.iter().map(|z| z.re * z.re + z.im * z.im).collect()
    }

    pub fn mobius(z: C64, a: C64, b: C64, c: C64, d: C64) -> C64 {
        (a * z + b) / (c * z + d)
    }

    pub fn newton_root(start: C64, c: C64, steps: usize) -> f64 {
        let mut z = start;
        for _ in 0..steps {
            let f = z * z * z - c;
            let slope = C64 { re: 3.0, im: 0.0 } * z * z;
            z = z - f / slope;
        }
        z.abs() + z.exp().re
    }

    pub fn impedance(r: f64, l: f64, c: f64, omega: f64) -> f64 {
        let one = C64 { re: 1.0, im: 0.0 };
        let series = C64 {
            re: r,
            im: omega * l,
        };
        let parallel = C64 {
            re: 0.0,
            im: omega * c,
        };
        (one / (one / series + parallel)).abs()
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct Mat2([[f64; 2]; 2]);

    impl Mul for Mat2 {
        type Output = Mat2;
        fn mul(self, o: Mat2) -> Mat2 {
            let mut out = [[0.0; 2]; 2];
            for i in 0..2 {
                for j in 0..2 {
                    out[i][j] = (0..2).map(|k| self.0[i][k] * o.0[k][j]).sum();
                }
            }
            Mat2(out)
        }
    }

    impl Mul<[f64; 2]> for Mat2 {
        type Output = [f64; 2];
        fn mul(self, v: [f64; 2]) -> [f64; 2] {
            let [[a, b], [c, d]] = self.0;
            [a * v[0] + b * v[1], c * v[0] + d * v[1]]
        }
    }

    pub fn abcd(lenses: &[f64], gap: f64, ray: [f64; 2]) -> f64 {
        let mut system = Mat2([[1.0, 0.0], [0.0, 1.0]]);
        for f in lenses {
            let lens = Mat2([[1.0, 0.0], [-1.0 / f, 1.0]]);
            let space = Mat2([[1.0, gap], [0.0, 1.0]]);
            system = space * lens * system;
        }
        let out: [f64; 2] = system * ray;
        out[0] * out[0] + out[1]
    }

    /// Forward derivatives inside of what is differentiated backwards.
    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct Dual {
        pub v: f64,
        pub d: f64,
    }

    impl Add for Dual {
        type Output = Dual;
        fn add(self, o: Dual) -> Dual {
            Dual {
                v: self.v + o.v,
                d: self.d + o.d,
            }
        }
    }

    impl Mul for Dual {
        type Output = Dual;
        fn mul(self, o: Dual) -> Dual {
            Dual {
                v: self.v * o.v,
                d: self.v * o.d + self.d * o.v,
            }
        }
    }

    impl Add<f64> for Dual {
        type Output = Dual;
        fn add(self, o: f64) -> Dual {
            Dual {
                v: self.v + o,
                ..self
            }
        }
    }

    pub fn slope(x: f64, coefficients: &[f64]) -> f64 {
        let x = Dual { v: x, d: 1.0 };
        let mut value = Dual { v: 0.0, d: 0.0 };
        for c in coefficients {
            value = value * x + *c;
        }
        value.d
    }
}

use kernels::{C64, Particle, Quaternion, Vec3};

common::flat!(Vec3 { x, y, z });
common::flat!(Particle {
    position,
    velocity,
    mass
});
common::flat!(Quaternion { w, v });
common::flat!(C64 { re, im });

const A: Vec3 = Vec3 {
    x: 0.3,
    y: -0.7,
    z: 1.1,
};
const B: Vec3 = Vec3 {
    x: -0.4,
    y: 0.9,
    z: 0.2,
};
const C: Vec3 = Vec3 {
    x: 1.3,
    y: 0.6,
    z: -0.8,
};

#[test]
fn geometry_of_rays() {
    check!(kernels::triangle_area(A, B, C) -> f64);
    check!(kernels::reflect(A, B) -> Vec3);
    check!(kernels::refracted(A, B, 0.7) -> f64);
    check!(kernels::refracted(-A, B, 1.7) -> f64);
    check!(kernels::phong(A, A + B, A, C, const 5) -> Vec3);
}

#[test]
fn particles_and_points() {
    let p = |position, velocity, mass| Particle {
        position,
        velocity,
        mass,
    };
    check!(kernels::leapfrog(&mut vec![p(A, B, 1.0), p(B, C, 2.0), p(C, A, 0.5)], 1.3, 0.05, const 3) -> f64);
    check!(kernels::cloth(&vec![A, B, C, A + B, B + C, A + C], 0.5, 3.0, const 2) -> f64);
    check!(kernels::gyration(&vec![A, B, C]) -> f64);
}

#[test]
fn rotations_by_quaternions() {
    check!(kernels::arm(&vec![A, B, C], &vec![0.3, -0.5, 0.8], &vec![1.0, 0.7, 0.4]) -> Vec3);
    check!(kernels::attitude_error(Quaternion { w: 0.8, v: B }, A, 0.4) -> f64);
}

#[test]
fn complex_numbers() {
    let z = |re, im| C64 { re, im };
    check!(kernels::power_spectrum(&vec![0.1, 0.7, -0.4, 0.9]) -> &Vec<f64>);
    check!(kernels::mobius(z(0.1, 0.4), z(1.0, 0.2), z(-0.3, 0.5), z(0.2, -0.1), z(1.0, 0.7)) -> C64);
    check!(kernels::newton_root(z(1.0, 0.5), z(0.7, 0.3), const 4) -> f64);
    check!(kernels::impedance(2.0, 0.3, 0.1, 5.0) -> f64);
}

#[test]
fn ray_transfer_matrices() {
    check!(kernels::abcd(&vec![1.5, -2.0, 0.8], 0.3, [0.2, 0.1]) -> f64);
}

#[test]
fn a_slope_by_dual_numbers() {
    check!(kernels::slope(0.7, &vec![0.5, -1.0, 2.0, 0.3]) -> f64);
}
