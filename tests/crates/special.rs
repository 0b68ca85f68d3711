//! Special functions: series, continued fractions, rational approximations, tables.

use core::f64::consts::{FRAC_2_SQRT_PI, LN_2, PI};

use adjoint::adjoint;

use crate::common::{assert_close, check};

const EPS: f64 = f64::EPSILON;
const FPMIN: f64 = f64::MIN_POSITIVE / f64::EPSILON;
const TERMS: usize = 9;
const LANCZOS_G: f64 = 7f64;
const LANCZOS: [f64; TERMS] = [
    0.999_999_999_999_809_9,
    676.5203681218851,
    -1259.1392167224028,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507343278686905,
    -0.13857109526572012,
    9.984_369_578_019_572e-6,
    1.5056327351493116e-7,
];
static NODES: &[f64] = &[
    0.1488743389816312,
    0.4333953941292472,
    0.6794095682990244,
    0.8650633666889845,
    0.9739065285171717,
];
static WEIGHTS: &[f64] = &[
    0.2955242247147529,
    0.2692667193099963,
    0.2190863625159821,
    0.1494513491505806,
    0.0666713443086881,
];

/// ln Γ(z) by Lanczos' approximation, with a table that is a constant of the file.
#[adjoint]
pub fn ln_gamma(z: f64) -> f64 {
    let z = z - 1f64;
    let base = z + LANCZOS_G + 0.5;
    let mut s = 0f64;
    for (i, &coeff) in LANCZOS.iter().enumerate().skip(1) {
        s += coeff / (z + i as f64);
    }
    s += LANCZOS[0];
    (2f64 * PI).sqrt().ln() + s.ln() - base + base.ln() * (z + 0.5)
}

#[test]
fn ln_gamma_has_digamma_as_slope() {
    // digamma(1) is minus Euler's constant.
    let slope = check!(ln_gamma(1.0) -> f64);
    assert!((slope[0][0] + 0.577_215_664_901_532_9).abs() < 1e-12);
    check!(ln_gamma(4.5) -> f64);
}

#[adjoint]
fn gamma_by_recurrence(mut x: f64) -> f64 {
    const MAX_INPUT: f64 = 171.6;
    if x > MAX_INPUT {
        return f64::INFINITY;
    } else if x == 0.0 {
        return f64::INFINITY.copysign(x);
    } else if x <= 0.0 && x.fract() == 0.0 {
        return f64::NAN;
    }
    let f = if x > 3.5 {
        let mut f = 1.0;
        while x >= 3.5 {
            x -= 1.0;
            f *= x;
        }
        f
    } else if x < 2.5 {
        let mut f = 1.0;
        while x <= 2.5 {
            f *= x;
            if f.is_infinite() {
                return 0.0;
            }
            x += 1.0;
        }
        f.recip()
    } else {
        1.0
    };
    let g = polynomial(x - 3.0, &[2.0, 1.8455686701969342, 1.2466, 0.5749, 0.2302]);
    g * f
}

#[adjoint]
fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |acc, &c| acc * x + c)
}

#[test]
fn the_recurrence_of_gamma() {
    for x in [0.3, 1.7, 3.0, 4.2, 6.6] {
        check!(gamma_by_recurrence(x) -> f64);
    }
}

/// The lower incomplete gamma function by its series.
#[adjoint]
fn gser(a: f64, x: f64) -> f64 {
    let gln = ln_gamma(a);
    let mut ap = a;
    let mut del = 1f64 / a;
    let mut sum = 1f64 / a;
    loop {
        ap += 1f64;
        del *= x / ap;
        sum += del;
        if del.abs() < sum.abs() * EPS {
            return sum * (-x + a * x.ln() - gln).exp();
        }
    }
}

/// The upper one by its continued fraction; the loop has no upper bound.
#[adjoint]
fn gcf(a: f64, x: f64) -> f64 {
    let gln = ln_gamma(a);
    let mut b = x + 1f64 - a;
    let mut c = 1f64 / FPMIN;
    let mut d = 1f64 / b;
    let mut h = d;
    let mut an: f64;
    for i in 1.. {
        an = -i as f64 * (i as f64 - a);
        b += 2f64;
        d = an * d + b;
        if d.abs() < FPMIN {
            d = FPMIN;
        }
        c = b + an / c;
        if c.abs() < FPMIN {
            c = FPMIN;
        }
        d = 1f64 / d;
        let del = d * c;
        h *= del;
        if (del - 1f64).abs() < EPS {
            break;
        }
    }
    (-x + a * x.ln() - gln).exp() * h
}

#[adjoint]
fn gammp(a: f64, x: f64) -> f64 {
    assert!(x >= 0f64 && a > 0f64, "Bad args in gammp");
    if x == 0f64 {
        0f64
    } else if x < a + 1f64 {
        gser(a, x)
    } else {
        1f64 - gcf(a, x)
    }
}

#[test]
fn the_incomplete_gamma_function() {
    for (a, x) in [(2.5, 1.2), (2.5, 6.0), (0.7, 0.4)] {
        let slope = check!(gammp(a, x) -> f64);
        let density = ((a - 1.0) * f64::ln(x) - x - ln_gamma(a)).exp();
        assert!((slope[0][1] - density).abs() < 1e-11);
    }
}

/// A Gauss–Legendre rule with tables of the file.
#[adjoint]
fn erf_by_quadrature(x: f64) -> f64 {
    let (half, mut sum) = (0.5 * x, 0.0);
    for (node, weight) in NODES.iter().zip(WEIGHTS.iter()) {
        let (lo, hi) = (half * (1.0 - node), half * (1.0 + node));
        sum += weight * ((-lo * lo).exp() + (-hi * hi).exp());
    }
    FRAC_2_SQRT_PI * half * sum
}

#[test]
fn quadrature_with_static_tables() {
    let slope = check!(erf_by_quadrature(0.8) -> f64);
    assert!((slope[0][0] - FRAC_2_SQRT_PI * (-0.64f64).exp()).abs() < 1e-9);
}

/// A piecewise rational approximation in the style of the special-function libraries.
#[adjoint]
fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.383577518672690e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 5] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 4] = [
        7.784695709041462e-3,
        3.224671290700398e-1,
        2.445134137142996,
        3.754408661907416,
    ];
    const P_LOW: f64 = 0.02425;
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p < P_LOW {
        let q = (-2.0 * p.ln()).sqrt();
        let num = C.iter().fold(0.0, |acc, c| acc * q + c);
        let den = D.iter().fold(0.0, |acc, d| (acc + d) * q) + 1.0;
        num / den
    } else if p <= 1.0 - P_LOW {
        let q = p - 0.5;
        let r = q * q;
        (((((A[0] * r + A[1]) * r + A[2]) * r + A[3]) * r + A[4]) * r + A[5]) * q
            / (((((B[0] * r + B[1]) * r + B[2]) * r + B[3]) * r + B[4]) * r + 1.0)
    } else {
        let q = f64::sqrt(-2.0 * (1.0 - p).ln());
        -(((((C[0] * q + C[1]) * q + C[2]) * q + C[3]) * q + C[4]) * q + C[5])
            / ((((D[0] * q + D[1]) * q + D[2]) * q + D[3]) * q + 1.0)
    }
}

#[test]
fn a_rational_approximation_by_pieces() {
    for p in [0.01, 0.3, 0.5, 0.8, 0.99] {
        check!(normal_quantile(p) -> f64);
    }
}

/// Which function of Lambert: a C-like enum chosen by `match`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Branch {
    Principal,
    Lower,
}

#[adjoint(wrt(z))]
fn lambert_w(z: f64, branch: Branch) -> f64 {
    let mut w = match branch {
        Branch::Principal if z < 1.0 => z * (1.0 - z),
        Branch::Principal => z.ln() - z.ln().max(1e-3).ln() * 0.5,
        Branch::Lower => {
            let l = (-z).ln();
            l - (-l).ln()
        }
    };
    for _ in 0..40 {
        let e = w.exp();
        let f = w * e - z;
        let step = f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
        w -= step;
        if step.abs() <= 4.0 * f64::EPSILON * w.abs() {
            break;
        }
    }
    w
}

#[test]
fn lambert_by_halley() {
    for (z, branch) in [
        (0.5, Branch::Principal),
        (3.0, Branch::Principal),
        (-0.2, Branch::Lower),
    ] {
        let w = lambert_w(z, branch);
        let slope = check!(lambert_w(z, const branch) -> f64);
        assert!((slope[0][0] - 1.0 / (w.exp() * (1.0 + w))).abs() < 1e-10);
    }
}

/// Bessel functions of integer order by Miller's downward recurrence.
#[adjoint]
fn bessel_jn(n: u32, x: f64) -> f64 {
    const ACC: f64 = 160.0;
    let tox = 2.0 / x.abs();
    let m = 2 * ((n as usize + (ACC * n as f64).sqrt() as usize) / 2);
    let (mut jsum, mut sum) = (false, 0.0);
    let (mut bjp, mut ans, mut bj) = (0.0, 0.0, 1.0);
    for j in (1..=m).rev() {
        let bjm = j as f64 * tox * bj - bjp;
        bjp = bj;
        bj = bjm;
        if bj.abs() > 1e10 {
            bj *= 1e-10;
            bjp *= 1e-10;
            ans *= 1e-10;
            sum *= 1e-10;
        }
        if jsum {
            sum += bj;
        }
        jsum = !jsum;
        if j == n as usize {
            ans = bjp;
        }
    }
    sum = 2.0 * sum - bj;
    ans /= sum;
    if x < 0.0 && n & 1 == 1 { -ans } else { ans }
}

#[test]
fn bessel_by_recurrence() {
    check!(bessel_jn(const 2, 1.5) -> f64);
    check!(bessel_jn(const 3, -2.5) -> f64);
}

/// Clenshaw's recurrence over Chebyshev coefficients.
#[adjoint]
fn chebyshev(c: &[f64], a: f64, b: f64, x: f64) -> f64 {
    debug_assert!((x - a) * (x - b) <= 0.0, "x not in range in chebyshev");
    let y = (2.0 * x - a - b) / (b - a);
    let y2 = 2.0 * y;
    let mut d = 0.0;
    let mut dd = 0.0;
    for &cj in c[1..].iter().rev() {
        let sv = d;
        d = y2 * d - dd + cj;
        dd = sv;
    }
    y * d - dd + 0.5 * c[0]
}

#[test]
fn clenshaw() {
    check!(chebyshev(&vec![0.9, -0.4, 0.3, 0.05, -0.01], -1.0, 2.0, 0.7) -> f64);
}

/// The arithmetic–geometric mean: complete elliptic integrals.
#[adjoint]
fn ellip_ke(m: f64) -> (f64, f64) {
    let (mut a, mut g, mut c) = (1.0f64, (1.0 - m).sqrt(), m.sqrt());
    let mut sum = 0.5 * c * c;
    let mut pow2 = 1.0;
    while c.abs() > 1e-15 {
        let an = 0.5 * (a + g);
        c = 0.5 * (a - g);
        g = (a * g).sqrt();
        a = an;
        sum += pow2 * c * c;
        pow2 *= 2.0;
    }
    let k = PI / (2.0 * a);
    (k, k * (1.0 - sum))
}

#[test]
fn elliptic_integrals() {
    let m = 0.4;
    let (k, e) = ellip_ke(m);
    let rows = check!(ellip_ke(m) -> (f64, f64));
    assert_close(
        &[rows[0][0]],
        &[(e - (1.0 - m) * k) / (2.0 * m * (1.0 - m))],
    );
    assert_close(&[rows[1][0]], &[(e - k) / (2.0 * m)]);
}

/// log(1 − eˣ) and friends, by thresholds.
#[adjoint]
fn stable_logs(x: f64, y: f64) -> f64 {
    let log1mexp = |v: f64| {
        debug_assert!(v < 0.0);
        if v > -LN_2 {
            (-v.exp_m1()).ln()
        } else {
            (-v.exp()).ln_1p()
        }
    };
    let softplus = |v: f64| {
        if v > 30.0 {
            v
        } else if v < -30.0 {
            v.exp()
        } else {
            v.exp().ln_1p()
        }
    };
    let logaddexp = |a: f64, b: f64| {
        let m = a.max(b);
        if m.is_infinite() {
            return m;
        }
        m + ((a - m).exp() + (b - m).exp()).ln()
    };
    log1mexp(-x) * softplus(y) + logaddexp(x, y)
}

#[test]
fn logarithms_by_thresholds() {
    for (x, y) in [(0.3, 0.4), (2.0, -1.0), (1.0, 40.0)] {
        check!(stable_logs(x, y) -> f64);
    }
}

/// Zeta by Euler–Maclaurin, with a table of Bernoulli numbers and a running factor.
#[adjoint]
fn hurwitz_zeta(s: f64, q: f64) -> f64 {
    let bernoulli: [f64; 4] = [1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0];
    let n = 10;
    let head: f64 = (0..n).map(|k| (k as f64 + q).powf(-s)).sum();
    let w = n as f64 + q;
    let mut tail = w.powf(1.0 - s) / (s - 1.0) + 0.5 * w.powf(-s);
    let mut factor = s;
    let mut power = w.powf(-s - 1.0);
    for (k, b) in bernoulli.iter().enumerate() {
        tail += b * factor * power;
        let k2 = 2.0 * k as f64;
        factor *= (s + k2 + 1.0) * (s + k2 + 2.0);
        power /= w.powi(2);
    }
    head + tail
}

#[test]
fn zeta() {
    check!(hurwitz_zeta(2.5, 0.7) -> f64);
}
