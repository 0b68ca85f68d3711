//! Operations that lose bits, and those that don't.

use super::{Plan, plan, recovered, stored};

#[test]
fn integers_that_lose_bits_are_stored() {
    for step in [
        "i / 2",
        "i % 7",
        "i >> 1",
        "i * 3 % 5",
        "i * 2",
        "i.wrapping_mul(2)",
        "i << 1",
        "i.min(4)",
        "(i as u8) as usize",
        "(i as u64) as usize",
    ] {
        let plan = plan(
            "",
            &format!(
                "fn f(x: &[f64], n: usize) -> f64 {{
                    let (mut s, mut i) = (1.0, n);
                    for _ in 0..n {{ s *= x[i]; i = {step}; }}
                    s
                }}"
            ),
        );
        assert!(stored(&plan).contains(&"i".to_string()), "{step}: {plan}");
        assert!(recovered(&plan).is_empty(), "{step}: {plan}");
    }
}

/// The plan of a loop that selects elements by an integer of this type, which changes so after each one.
pub fn stepped(ty: &str, step: &str) -> Plan {
    let function = format!(
        "fn f(x: &[f64], n: usize) -> f64 {{
            let (mut s, mut i) = (1.0, n as {ty});
            for _ in 0..n {{ s *= x[i as usize % 5] + s; i = {step}; }}
            s
        }}"
    );
    plan("", &function)
}

/// Operations that lose no bits are undone, and only the last value is stored.
#[test]
fn bijections() {
    let cases = [
        ("u8", "i.rotate_left(3)", "pure::rotate_right(i, 3u32):{u8}"),
        ("usize", "i.rotate_right(9)", "pure::rotate_left(i, 9u32)"),
        ("usize", "i.swap_bytes()", "pure::swap_bytes(i)"),
        ("i16", "i.reverse_bits()", "pure::reverse_bits(i):{i16}"),
        ("i8", "i.wrapping_neg()", "neg(i):{i8}"),
        ("u8", "i.wrapping_mul(5)", "mul(i, 205u8):{u8}"),
        ("i8", "3 * i", "mul(i, -85i8):{i8}"),
        ("i32", "i.wrapping_mul(-3)", "mul(i, 1431655765i32):{i32}"),
        ("usize", "i * 3", "mul(i, 12297829382473034411u64 as )"),
        (
            "u16",
            "!(3 * i.rotate_left(1) + 7)",
            "pure::rotate_right(mul(sub(!i, 7u16):{u16}, 43691u16):{u16}, 1u32):{u16}",
        ),
    ];
    for (ty, step, back) in cases {
        let plan = stepped(ty, step);
        assert_eq!(stored(&plan), ["i"], "{step}: {plan}");
        assert_eq!(recovered(&plan), [format!("i = {back}")], "{step}");
    }
}

/// The plan of a loop that selects elements by an integer, which then loses bits, and by what is computed from it.
pub fn widened(ty: &str, index: &str) -> Plan {
    let function = format!(
        "fn f(x: &[f64], y: &[f64], n: usize) -> f64 {{
            let (mut s, mut k) = (1.0, n as {ty});
            for _ in 0..n {{
                let i = {index};
                s *= x[i] + y[k as usize] * s;
                k = k / 2 + 1;
            }}
            s
        }}"
    );
    plan("", &function)
}

/// Where a narrow integer was widened, a multiple of it by an even literal is exact.
#[test]
fn what_was_widened_comes_back() {
    let cases = [
        ("u8", "k as usize", "i as u8"),
        ("u8", "k as usize * 6 + 1", "(sub(i, 1) / 6) as u8"),
        (
            "u16",
            "5 + ((k as usize) << 2)",
            "(sub(i, 5) >> 2i32) as u16",
        ),
        ("i64", "k as u64 as i128 as usize", ""),
        ("u32", "usize::from(k as u8)", ""),
        ("u64", "k as usize", ""),
        ("u32", "k as usize * 2", ""),
        ("isize", "k as usize", "i as isize"),
    ];
    for (ty, index, back) in cases {
        let plan = widened(ty, index);
        let recovered = recovered(&plan);
        let found = recovered.iter().find_map(|text| text.strip_prefix("k = "));
        assert_eq!(found.unwrap_or(""), back, "{index}: {plan}");
    }
}
