//! The partials that the runtime computes, by name: the only file that knows where they come from.

use super::{Trap, Value};

/// The value of the partial of this name; `None` where there is no such partial.
pub(super) fn evaluate(name: &str, args: &[Value<f64>]) -> Result<Option<f64>, Trap> {
    if let ("powi" | "powi_rest", [x, n]) = (name, args) {
        let (x, n) = (x.as_real()?, n.as_int()? as i32);
        return Ok(Some(match name {
            "powi" => powi(x, n),
            _ if n < 0 => x.recip(),
            _ => 1.0,
        }));
    }
    let reals = args
        .iter()
        .map(Value::as_real)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(match *reals.as_slice() {
        [x] => unary(name, x),
        [x, y] => binary(name, x, y),
        [x, y, z] => ternary(name, x, y, z),
        _ => None,
    })
}

fn unary(name: &str, x: f64) -> Option<f64> {
    Some(match name {
        "sqrt" => 0.5 / x.abs(),
        "cbrt" => (3.0 * x * x).recip(),
        "recip" => x,
        "exp2" => x * std::f64::consts::LN_2,
        "exp_m1" => x + 1.0,
        "ln" => x.recip(),
        "ln_1p" => (x + 1.0).recip(),
        "log10" => (x * std::f64::consts::LN_10).recip(),
        "log2" => (x * std::f64::consts::LN_2).recip(),
        "sin" => x.cos(),
        "cos" => -x.sin(),
        "tan" => 1.0 + x * x,
        "asin" => (1.0 - x * x).sqrt().recip(),
        "acos" => -(1.0 - x * x).sqrt().recip(),
        "atan" => (1.0 + x * x).recip(),
        "sinh" => x.cosh(),
        "cosh" => x.sinh(),
        "tanh" => 1.0 - x * x,
        "asinh" => (x * x + 1.0).sqrt().recip(),
        "acosh" => (x * x - 1.0).sqrt().recip(),
        "atanh" => (1.0 - x * x).recip(),
        "abs" if x == 0.0 => 0.0,
        "abs" => x.signum(),
        "to_degrees" => 1f64.to_degrees(),
        "to_radians" => 1f64.to_radians(),
        "midpoint" => 0.5,
        "div_x" => x.recip(),
        "div_y" => -x,
        _ => return None,
    })
}

fn binary(name: &str, x: f64, y: f64) -> Option<f64> {
    Some(match name {
        "scale" if x == 0.0 => 0.0,
        "choose" if y == 0.0 => 0.0,
        "scale" | "choose" => x * y,
        "log_x" => (x * y.ln()).recip(),
        "log_base" => -y / (x * x.ln()),
        "powf_x" if y == 0.0 => 0.0,
        "powf_x" if y < 0.0 => y * x.powf(y),
        "powf_x" => y * x.powf(y - 1.0),
        "powf_rest" if y < 0.0 => x.recip(),
        "powf_rest" => 1.0,
        "hypot" if y == 0.0 => 0.0,
        "hypot" => x / y,
        "atan2_y" | "atan2_x" if x == 0.0 && y == 0.0 => 0.0,
        "atan2_y" => y / (x * x + y * y),
        "atan2_x" => -x / (x * x + y * y),
        "max_x" => one_if(x >= y || y.is_nan()),
        "max_y" => one_if(!(x >= y || y.is_nan())),
        "min_x" => one_if(x <= y || y.is_nan()),
        "min_y" => one_if(!(x <= y || y.is_nan())),
        "clamp_lo" => one_if(x < y),
        "clamp_hi" => one_if(x > y),
        "copysign" if x == 0.0 => 0.0,
        "copysign" => x.signum() * y.signum(),
        "abs_sub_x" => one_if(x > y),
        "abs_sub_y" => -one_if(x > y),
        "rem_euclid" => -((x - x.rem_euclid(y)) / y).round(),
        "rem" => -((x - x % y) / y).round(),
        _ => return None,
    })
}

fn ternary(name: &str, x: f64, y: f64, z: f64) -> Option<f64> {
    Some(match name {
        "clamp_x" => one_if(!(x < y || x > z)),
        "powf_p" if x == 0.0 && y > 0.0 => 0.0,
        "powf_p" => z * x.ln(),
        _ => return None,
    })
}

fn powi(x: f64, n: i32) -> f64 {
    match n {
        0 => 0.0,
        ..0 => f64::from(n) * x.powi(n),
        1.. => f64::from(n) * x.powi(n - 1),
    }
}

fn one_if(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}
