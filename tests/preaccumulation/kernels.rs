//! Kernels with long runs of assignments, with preaccumulated gradients and without.

/// A module with all kernels.
macro_rules! kernels {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        pub mod $name {
            /// The Helmholtz energy of a mixed fluid: of each state in `x`, `n` amounts.
            pub fn helmholtz(x: &[f64], n: usize) -> f64 {
                let mut energy = 0.0;
                for state in 0..x.len() / n {
                    let mut volume = 0.0;
                    let mut entropy = 0.0;
                    let mut attraction = 0.0;
                    for i in 0..n {
                        volume += 0.01 * (1.0 + 0.1 * i as f64) * x[state * n + i];
                    }
                    for i in 0..n {
                        let amount = x[state * n + i];
                        let free = amount / (1.0 - volume);
                        entropy += amount * free.ln();
                        for j in 0..n {
                            attraction += amount * x[state * n + j] / (1.0 + (i + j) as f64);
                        }
                    }
                    let above = 1.0 + 2.414_213_562_373_095 * volume;
                    let below = 1.0 - 0.414_213_562_373_095_1 * volume;
                    energy += entropy - attraction / volume * (above / below).ln();
                }
                energy
            }

            /// The image of a point: rotation, translation, projection and radial distortion.
            pub fn project(c: &[f64], x: &[f64]) -> [f64; 2] {
                let angle = (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]).sqrt();
                let (sine, cosine) = (angle.sin(), angle.cos());
                let (u, v, w) = (c[0] / angle, c[1] / angle, c[2] / angle);
                let (dx, dy, dz) = (x[0] - c[3], x[1] - c[4], x[2] - c[5]);
                let along = (u * dx + v * dy + w * dz) * (1.0 - cosine);
                let px = dx * cosine + (v * dz - w * dy) * sine + u * along;
                let py = dy * cosine + (w * dx - u * dz) * sine + v * along;
                let pz = dz * cosine + (u * dy - v * dx) * sine + w * along;
                let (ix, iy) = (px / pz, py / pz);
                let square = ix * ix + iy * iy;
                let lens = 1.0 + c[9] * square + c[10] * square * square;
                [c[6] * ix * lens + c[7], c[6] * iy * lens + c[8]]
            }

            /// The squared distances of the images from the origin.
            pub fn cameras(x: &[f64]) -> f64 {
                let mut error = 0.0;
                for k in 0..x.len() / 14 {
                    let image = project(&x[14 * k..14 * k + 11], &x[14 * k + 11..14 * k + 14]);
                    error += image[0] * image[0] + image[1] * image[1];
                }
                error
            }

            /// Rotations by the vectors in `x`, one after another.
            pub fn rodrigues(x: &[f64]) -> f64 {
                let mut p = [1.0, 2.0, 3.0];
                for k in 0..x.len() / 3 {
                    let (u, v, w) = (x[3 * k], x[3 * k + 1], x[3 * k + 2]);
                    let square = u * u + v * v + w * w;
                    let angle = square.sqrt();
                    let cosine = angle.cos();
                    let sine = angle.sin() / angle;
                    let along = (u * p[0] + v * p[1] + w * p[2]) * (1.0 - cosine) / square;
                    let q0 = p[0] * cosine + (v * p[2] - w * p[1]) * sine + u * along;
                    let q1 = p[1] * cosine + (w * p[0] - u * p[2]) * sine + v * along;
                    let q2 = p[2] * cosine + (u * p[1] - v * p[0]) * sine + w * along;
                    p[0] = q0;
                    p[1] = q1;
                    p[2] = q2;
                }
                p[0] * p[1] * p[2]
            }

            fn sigmoid(z: f64) -> f64 {
                1.0 / (1.0 + (-z).exp())
            }

            /// A cell with one unit, over the values in `x`; its weights come first.
            pub fn lstm(x: &[f64]) -> f64 {
                let (mut hidden, mut cell) = (0.0, 0.0);
                for t in 12..x.len() {
                    let forget = sigmoid(x[0] * x[t] + x[1] * hidden + x[2]);
                    let input = sigmoid(x[3] * x[t] + x[4] * hidden + x[5]);
                    let output = sigmoid(x[6] * x[t] + x[7] * hidden + x[8]);
                    let change = (x[9] * x[t] + x[10] * hidden + x[11]).tanh();
                    cell = forget * cell + input * change;
                    hidden = output * cell.tanh();
                }
                hidden
            }

            /// Van Leer's flux of a subsonic gas between the cells at `left` and `right`.
            fn flux(left: &[f64], right: &[f64]) -> [f64; 3] {
                let (ul, ur) = (left[1] / left[0], right[1] / right[0]);
                let pl = 0.4 * (left[2] - 0.5 * left[1] * ul);
                let pr = 0.4 * (right[2] - 0.5 * right[1] * ur);
                let (cl, cr) = ((1.4 * pl / left[0]).sqrt(), (1.4 * pr / right[0]).sqrt());
                let (ml, mr) = (ul / cl + 1.0, ur / cr - 1.0);
                let mass_l = 0.25 * left[0] * cl * ml * ml;
                let mass_r = -0.25 * right[0] * cr * mr * mr;
                let (vl, vr) = (0.4 * ul + 2.0 * cl, 0.4 * ur - 2.0 * cr);
                [
                    mass_l + mass_r,
                    (mass_l * vl + mass_r * vr) / 1.4,
                    (mass_l * vl * vl + mass_r * vr * vr) / 1.92,
                ]
            }

            /// A gas in a tube, by steps in time: density, momentum and energy of each cell.
            pub fn tube(x: &[f64], steps: usize) -> f64 {
                let mut u = x.to_vec();
                let mut change = vec![0.0; x.len()];
                for _ in 0..steps {
                    change.fill(0.0);
                    for i in 0..u.len() / 3 - 1 {
                        let f = flux(&u[3 * i..3 * i + 3], &u[3 * i + 3..3 * i + 6]);
                        for k in 0..3 {
                            change[3 * i + k] -= f[k];
                            change[3 * i + 3 + k] += f[k];
                        }
                    }
                    for i in 0..u.len() {
                        u[i] += 0.05 * change[i];
                    }
                }
                let mut sum = 0.0;
                for i in 0..u.len() {
                    sum += u[i] * u[i];
                }
                sum
            }

            /// The value of a call, with a logistic curve for the normal distribution.
            fn call(spot: f64, strike: f64, years: f64, rate: f64, volatility: f64) -> f64 {
                let spread = volatility * years.sqrt();
                let drift = (rate + 0.5 * volatility * volatility) * years;
                let d1 = ((spot / strike).ln() + drift) / spread;
                let d2 = d1 - spread;
                let n1 = 1.0 / (1.0 + (-1.702 * d1).exp());
                let n2 = 1.0 / (1.0 + (-1.702 * d2).exp());
                spot * n1 - strike * (-rate * years).exp() * n2
            }

            /// A recurrence with one state: `x[0]` is a constant of all steps.
            pub fn march(x: &[f64]) -> f64 {
                let mut s = 1.0;
                for i in 1..x.len() {
                    let t = (x[0] * s).sin();
                    let u = (t * x[i]).exp();
                    let w = (u + t * t).sqrt();
                    let v = (w * w + 1.0).ln() * u;
                    s = s * 0.9 + 0.1 * w * v.tanh();
                }
                s
            }

            /// The value of a book of calls: spot, strike and years of each; rate and volatility come first.
            pub fn black_scholes(x: &[f64]) -> f64 {
                let mut value = 0.0;
                for k in 0..(x.len() - 2) / 3 {
                    let i = 3 * k + 2;
                    value += call(x[i], x[i + 1], x[i + 2], x[0], x[1]);
                }
                value
            }
        }
    };
}

kernels! {
    #[adjoint::adjoint]
    with_gradients
}

kernels! {
    #[adjoint::adjoint(without(preaccumulation))]
    by_statements
}
