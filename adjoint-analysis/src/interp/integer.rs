//! Integer arithmetic as Rust does it with overflow checks on.

use super::{Trap, TrapKind};
use crate::ir::{BinOp, IntTy};

impl IntTy {
    /// The number of bits; pointers have 64.
    pub(crate) fn bits(self) -> u32 {
        match self.fixed_bits() {
            Some(bits) => bits,
            // rustc's default.
            None if self == IntTy::Infer => 32,
            None => 64,
        }
    }

    fn min(self) -> i128 {
        if self.is_signed() {
            i128::MIN >> (128 - self.bits())
        } else {
            0
        }
    }

    fn max(self) -> i128 {
        // The upper half of u128 is not represented.
        let bits = if self.is_signed() {
            self.bits() - 1
        } else {
            self.bits().min(127)
        };
        i128::MAX >> (127 - bits)
    }
}

/// The value, if it is one of the type; the panic on overflow if not.
pub(super) fn checked(value: Option<i128>, ty: IntTy) -> Result<i128, Trap> {
    match value {
        Some(v) if ty.min() <= v && v <= ty.max() => Ok(v),
        _ => TrapKind::Overflow.err(),
    }
}

/// `value as ty`, between integers.
pub(super) fn wrap(value: i128, ty: IntTy) -> i128 {
    let unused = 128 - ty.bits();
    match ty.is_signed() {
        true => (value << unused) >> unused,
        false => modulo(value, ty),
    }
}

/// The value modulo the size of the type.
pub(super) fn modulo(value: i128, ty: IntTy) -> i128 {
    let unused = 128 - ty.bits();
    (((value as u128) << unused) >> unused) as i128
}

/// `value as ty`, from a real.
pub(super) fn from_real(value: f64, ty: IntTy) -> i128 {
    (value as i128).clamp(ty.min(), ty.max())
}

/// An arithmetic or bitwise operator.
pub(super) fn binary(op: BinOp, ty: IntTy, a: i128, b: i128) -> Result<i128, Trap> {
    let result = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div | BinOp::Rem if b == 0 => return TrapKind::DivisionByZero.err(),
        // `MIN % -1` panics as `MIN / -1` does.
        BinOp::Rem if b == -1 && a == ty.min() => None,
        BinOp::Div => a.checked_div(b),
        BinOp::Rem => a.checked_rem(b),
        BinOp::BitAnd => Some(a & b),
        BinOp::BitOr => Some(a | b),
        BinOp::BitXor => Some(a ^ b),
        BinOp::Shl | BinOp::Shr if !(0..i128::from(ty.bits())).contains(&b) => None,
        BinOp::Shl => Some(wrap(a << b, ty)),
        BinOp::Shr => Some(a >> b),
        _ => return Trap::ty(format!("`{}` of integers", op.symbol())),
    };
    checked(result, ty)
}

/// A method of integers with an integer result, of type `result`; `None` for one that is not known.
pub(super) fn method(
    name: &str,
    ty: IntTy,
    args: &[i128],
    result: IntTy,
) -> Option<Result<i128, Trap>> {
    let value = match (name, args) {
        ("abs", [a]) => Some(a.abs()),
        ("signum", [a]) => Some(a.signum()),
        ("count_ones", [a]) => Some(i128::from(bits_of(*a, ty).count_ones())),
        ("trailing_zeros", [0]) => Some(i128::from(ty.bits())),
        ("trailing_zeros", [a]) => Some(i128::from(a.trailing_zeros())),
        ("pow", [a, n]) => u32::try_from(*n).ok().and_then(|n| a.checked_pow(n)),
        ("min", [a, b]) => Some(*a.min(b)),
        ("max", [a, b]) => Some(*a.max(b)),
        ("clamp", [a, lo, hi]) if lo <= hi => Some(*a.clamp(lo, hi)),
        ("abs_diff", [a, b]) => a.checked_sub(*b).map(i128::abs),
        ("rem_euclid" | "div_euclid", [_, 0]) => return Some(TrapKind::DivisionByZero.err()),
        ("rem_euclid", [a, b]) => a.checked_rem_euclid(*b),
        ("div_euclid", [a, b]) => a.checked_div_euclid(*b),
        ("wrapping_add", [a, b]) => Some(wrap(a.wrapping_add(*b), ty)),
        ("wrapping_neg", [a]) => Some(wrap(a.wrapping_neg(), ty)),
        ("wrapping_sub", [a, b]) => Some(wrap(a.wrapping_sub(*b), ty)),
        ("wrapping_mul", [a, b]) => Some(wrap(a.wrapping_mul(*b), ty)),
        ("rotate_left", [a, n]) => Some(rotated(*a, *n, ty)),
        ("rotate_right", [a, n]) => Some(rotated(*a, -n, ty)),
        ("swap_bytes", [a]) => Some(wrap(high_bits(*a, ty).swap_bytes() as i128, ty)),
        ("reverse_bits", [a]) => Some(wrap(high_bits(*a, ty).reverse_bits() as i128, ty)),
        ("saturating_add", [a, b]) => Some(saturate(a.saturating_add(*b), ty)),
        ("saturating_sub", [a, b]) => Some(saturate(a.saturating_sub(*b), ty)),
        ("saturating_mul", [a, b]) => Some(saturate(a.saturating_mul(*b), ty)),
        _ => return None,
    };
    Some(checked(value, result))
}

fn saturate(value: i128, ty: IntTy) -> i128 {
    value.clamp(ty.min(), ty.max())
}

/// The bits rotated to the left.
fn rotated(value: i128, by: i128, ty: IntTy) -> i128 {
    let by = by.rem_euclid(i128::from(ty.bits()));
    let (bits, rest) = (bits_of(value, ty), i128::from(ty.bits()) - by);
    let high = bits.checked_shl(by as u32).unwrap_or(0);
    let low = bits.checked_shr(rest as u32).unwrap_or(0);
    wrap((high | low) as i128, ty)
}

/// The bits at the upper end of 128.
fn high_bits(value: i128, ty: IntTy) -> u128 {
    (value as u128) << (128 - ty.bits())
}

fn bits_of(value: i128, ty: IntTy) -> u128 {
    let unused = 128 - ty.bits();
    ((value as u128) << unused) >> unused
}
