//! The names of the methods of numbers, `Vec`s and `Option`s.

use crate::ir::Intrinsic;

/// Methods of numbers that yield `bool`.
pub const PREDICATES: &[&str] = &[
    "is_nan",
    "is_infinite",
    "is_finite",
    "is_normal",
    "is_sign_positive",
    "is_sign_negative",
    "is_positive",
    "is_negative",
    "is_power_of_two",
    "is_multiple_of",
    "is_zero",
    "is_one",
    "is_lt",
    "is_le",
    "is_gt",
    "is_ge",
    "is_eq",
    "is_ne",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
];

/// Integer methods that yield the receiver's type.
pub const INTEGER_METHODS: &[&str] = &[
    "pow",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "wrapping_neg",
    "saturating_add",
    "saturating_sub",
    "saturating_mul",
    "div_ceil",
    "next_multiple_of",
    "isqrt",
    "rotate_left",
    "rotate_right",
    "swap_bytes",
    "reverse_bits",
    "next_power_of_two",
    "not",
    "reverse",
    "then",
];

/// Whether hardly any type but integers has the method.
pub fn is_integer_method(name: &str) -> bool {
    INTEGER_METHODS.contains(&name) && !matches!(name, "pow" | "isqrt" | "not" | "reverse" | "then")
}

/// Integer methods that yield `u32`.
pub const BIT_COUNTS: &[&str] = &[
    "count_ones",
    "count_zeros",
    "leading_zeros",
    "trailing_zeros",
    "ilog2",
    "ilog10",
];

/// Whether the method is one of `PartialEq` or `PartialOrd`.
pub fn is_comparison(name: &str) -> bool {
    matches!(name, "eq" | "ne" | "lt" | "le" | "gt" | "ge")
}

/// Whether the method only tests the class of a float.
pub fn is_float_test(name: &str) -> bool {
    matches!(name, "is_nan" | "is_finite" | "is_infinite")
}

/// Whether only integers have the method, and its result has another type.
pub fn is_integer_only(name: &str) -> bool {
    BIT_COUNTS.contains(&name)
        || matches!(
            name,
            "abs_diff" | "unsigned_abs" | "is_power_of_two" | "is_multiple_of"
        )
}

/// Whether both integers and floats have the method.
pub fn is_int_and_float(op: Intrinsic) -> bool {
    use Intrinsic::{Abs, Clamp, DivEuclid, Max, Midpoint, Min, RemEuclid, Signum};
    matches!(
        op,
        Abs | Clamp | DivEuclid | Max | Midpoint | Min | RemEuclid | Signum
    )
}

/// Whether floats have the method, and integers do not.
pub fn is_float_only(name: &str) -> bool {
    Intrinsic::from_name(name).is_some_and(|op| !is_int_and_float(op))
}

/// Whether only numbers have the method.
pub fn is_arithmetic(name: &str) -> bool {
    let of_orders = matches!(name, "min" | "max" | "clamp" | "not" | "reverse" | "then");
    let of_reals = Intrinsic::from_name(name).is_some();
    !of_orders && (of_reals || INTEGER_METHODS.contains(&name) || is_integer_only(name))
}

/// Methods of `Vec`s and conversions.
pub const VEC_METHODS: &[&str] = &[
    "push",
    "pop",
    "insert",
    "remove",
    "truncate",
    "resize",
    "extend",
    "extend_from_slice",
    "clear",
    "append",
    "drain",
    "retain",
    "dedup",
    "try_into",
];

/// Methods of `Option` and iterators; the type of their receiver has to be known.
pub const OPTION_METHODS: &[&str] = &[
    "map",
    "and_then",
    "unwrap_or",
    "map_or",
    "ok",
    "err",
    "zip",
    "enumerate",
    "rev",
    "sum",
    "product",
    "fold",
    "filter",
    "collect",
    "take",
    "skip",
];

/// Methods of iterators only; no field holds an iterator.
pub const ITERATOR_METHODS: &[&str] = &[
    "enumerate",
    "rev",
    "sum",
    "product",
    "fold",
    "collect",
    "skip",
];

/// Methods that reorder or fill a list, with their numbers of arguments.
const REORDERING: &[(&str, usize)] = &[
    ("fill", 1),
    ("select_nth_unstable", 1),
    ("select_nth_unstable_by", 2),
    ("select_nth_unstable_by_key", 2),
    ("sort", 0),
    ("sort_by", 1),
    ("sort_by_cached_key", 1),
    ("sort_by_key", 1),
    ("sort_unstable", 0),
    ("sort_unstable_by", 1),
    ("sort_unstable_by_key", 1),
];

/// Methods that reorder a list if the call is a statement; orderings and integers have them as well, with a result.
const REORDERING_STATEMENTS: &[(&str, usize)] =
    &[("reverse", 0), ("rotate_left", 1), ("rotate_right", 1)];

/// Whether the call seems to reorder or fill a list.
pub fn reorders_list(m: &syn::ExprMethodCall, is_statement: bool) -> bool {
    let calls = |(name, args): &(&str, usize)| m.args.len() == *args && m.method == name;
    REORDERING.iter().any(calls) || (is_statement && REORDERING_STATEMENTS.iter().any(calls))
}

/// Methods that convert the value, or a part of it, to another type.
const CONVERSIONS: &[&str] = &[
    "as_bytes",
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "as_str",
    "into",
    "to_be_bytes",
    "to_bits",
    "to_f32",
    "to_f64",
    "to_i32",
    "to_i64",
    "to_le_bytes",
    "to_ne_bytes",
    "to_owned",
    "to_string",
    "to_u32",
    "to_u64",
    "to_usize",
    "to_vec",
];

/// Whether numbers have the method, or std's types do and it says nothing about its receiver.
pub fn is_std(name: &str) -> bool {
    let others = [CONVERSIONS, OPTION_METHODS, VEC_METHODS];
    is_computation(name) || others.iter().any(|l| l.contains(&name))
}

/// Whether numbers have the method, and it computes or compares.
pub fn is_computation(name: &str) -> bool {
    let other = ["sin_cos", "abs_diff", "unsigned_abs"];
    let prefixes = ["checked_", "wrapping_", "saturating_", "overflowing_"];
    Intrinsic::from_name(name).is_some()
        || [PREDICATES, INTEGER_METHODS, BIT_COUNTS, &other]
            .iter()
            .any(|l| l.contains(&name))
        || prefixes.iter().any(|p| name.starts_with(p))
}

/// Whether the method may be one of a number, or says nothing about its receiver.
pub fn is_number_method(name: &str) -> bool {
    let any = [
        "clone", "unwrap", "expect", "borrow", "add", "sub", "mul", "div", "rem", "neg",
    ];
    is_std(name) || any.contains(&name)
}

/// Methods of sequences, `Option`s and the user's values that change nothing.
const READONLY: &[&str] = &[
    "abs_diff",
    "binary_search_by",
    "chunks",
    "chunks_exact",
    "cmp",
    "cloned",
    "concat",
    "contains",
    "copied",
    "ends_with",
    "first",
    "get",
    "into_iter",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "iter",
    "last",
    "len",
    "partial_cmp",
    "partition_point",
    "rchunks",
    "split_at",
    "split_first",
    "split_last",
    "starts_with",
    "to_owned",
    "to_string",
    "total_cmp",
    "try_into",
    "windows",
];

/// Methods that numbers have as well, and that change a sequence or an `Option`.
const AMBIGUOUS_WRITERS: &[&str] = &["as_mut", "reverse", "rotate_left", "rotate_right", "take"];

/// Methods of lists that write the receiver and are in no list above.
const LIST_WRITERS: &[&str] = &[
    "clone_from",
    "clone_from_slice",
    "copy_from_slice",
    "copy_within",
    "fill_with",
    "reverse",
    "rotate_left",
    "rotate_right",
    "swap",
    "swap_with_slice",
];

/// Whether the method of a list writes it.
pub fn writes_list(name: &str) -> bool {
    let arranges = REORDERING.iter().any(|(arranging, _)| *arranging == name);
    LIST_WRITERS.contains(&name) || arranges || name.ends_with("_mut")
}

/// Whether the method changes a list or an `Option`.
pub fn changes_list(name: &str) -> bool {
    VEC_METHODS.contains(&name) && name != "try_into"
        || AMBIGUOUS_WRITERS.contains(&name)
        || writes_list(name)
}

/// Whether the method of a text changes it.
pub fn changes_text(name: &str) -> bool {
    let all = [
        "clear",
        "insert",
        "insert_str",
        "push",
        "push_str",
        "truncate",
    ];
    all.contains(&name)
}

/// Whether hardly any type has a method of this name that changes its receiver.
pub fn is_always_readonly(name: &str) -> bool {
    let others = [
        "clone",
        "expect",
        "into_iter",
        "is_empty",
        "iter",
        "len",
        "to_owned",
        "unwrap",
    ];
    Intrinsic::from_name(name).is_some() || others.contains(&name)
}

/// Whether std's types have the method; other methods are the user's and may have a state.
pub fn is_std_method(name: &str) -> bool {
    is_readonly(name) || changes_list(name) || ITERATOR_METHODS.contains(&name)
}

/// Whether a method of this name with an invisible body is taken to change no receiver.
pub fn is_readonly(name: &str) -> bool {
    READONLY.contains(&name)
        || (is_number_method(name)
            && !VEC_METHODS.contains(&name)
            && !AMBIGUOUS_WRITERS.contains(&name)
            && !name.ends_with("_mut"))
}
