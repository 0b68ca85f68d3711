//! What mutants of annotated items have found, as short as it could be made: it ends, with the one refusal that it should
//! have or with none.
//!
//! Most of this is no Rust, and rustc says so beside.

#[path = "common/refused.rs"]
mod refused;

use refused::refused;

/// `name "source" { "text" says "message"; .. }`
macro_rules! mutants {
    ($($name:ident $source:literal { $($at:literal says $message:literal;)* })*) => {
        $(
            #[test]
            fn $name() {
                let found = refused($source);
                let message = |text: &str| text.lines().next().map(String::from);
                let found: Vec<_> = found.iter().map(|r| (&*r.at, message(&r.text))).collect();
                let expected: &[(&str, &str)] = &[$(($at, $message)),*];
                let expected = expected.iter().map(|(at, text)| (*at, Some(text.to_string())));
                assert_eq!(found, expected.collect::<Vec<_>>());
            }
        )*
    };
}

mutants! {
    a_slice_behind_two_references_as_a_tuple
        "fn f(x: &[f64], y: &[f64]) -> f64 { let (mut p, mut q) = (x, y); let (x, y) = &mut p; let b = &mut q; if a[0] > b[0] { std::mem::swap(a, b); } p[0] * q[1] }" {
        "(x, y)" says "a pattern of another shape than its value is not supported here";
    }
    a_struct_behind_a_reference_as_a_tuple
        "fn f(x: &[f64]) -> f64 { struct S<'a> { x: &'a [f64] } let s = S { x }; let (a, b) = &s; a[0] * b[0] }" {
        "(a, b)" says "a pattern of another shape than its value is not supported here";
    }
    a_number_assigned_apart
        "fn f(y: &f64) -> f64 { let mut q = y; for k in 0..3 { () = &mut q } 2.0 * *y }" {
        "()" says "a pattern of another shape than its value is not supported here";
    }
    a_repetition_of_nothing
        "mod m { macro_rules! generic { ($()*) => {} } generic! { ; } fn f(x: f64) -> f64 { 2.0 * x } }" {
    }
    a_repetition_of_repetitions_of_nothing
        "fn f(x: f64) -> f64 { macro_rules! sum { ($($($t:ident)*)*) => { 0.0 }; } sum!(+) * x }" {
        "sum" says "what the macro `sum!` expands to is not visible here, so it can't be differentiated";
    }
    a_macro_in_an_operand_of_its_own
        "fn f(x: f64) -> f64 { macro_rules! blend { ($a:expr, $b:expr; $w:expr) => { (1.0 - blend!(a, b; 0.5)) }; } blend!(x, 2.0; 0.25) }" {
        "blend" says "what the macro `blend!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
    }
    a_macro_deep_in_its_own_body
        "fn f(x: f64) -> f64 { macro_rules! deep { ($a:expr) => { ((((((((-(deep!($a) * 2.0)).sin() + 3.0)))))) * 2.0) }; } deep!(x) }" {
        "deep" says "what the macro `deep!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
    }
    a_macro_in_a_list_of_its_own
        "fn f(x: f64) -> f64 { macro_rules! list { ($a:expr) => { vec![[[[[{ list!($a)[0] }]]]], [$a]] }; } list!(x)[0] }" {
        "list" says "what the macro `list!` expands to is nested too deep or too long to be seen through, with more than 128 calls within each other or 262144 tokens";
    }
    a_list_of_itself
        "fn f(y: &[f64]) -> f64 { let mut ks; for i in 0..3 { ks[2][i]; } ks = ks.pop().unwrap(); y[0] }" {
    }
    an_iterator_without_next
        "mod m { struct G; impl Iterator for G {} fn f(x: f64) -> f64 { let mut g = G; g.next(); 2.0 * x } }" {
    }
}

/// The stack is rustc's: what would be too deep for it is refused before it is parsed.
#[test]
fn what_is_nested_too_deep() {
    let all = [
        ("(", ")"),
        ("{", "}"),
        ("if x > 0.0 {", "} else { x }"),
        ("-", ""),
        ("& mut ", ""),
        ("|x| ", ""),
        ("x = ", ""),
        ("x + ", ""),
        ("return ", ""),
        ("x as Box<", ">"),
        ("", ".sin()"),
        ("if x > 0.0 { x } else ", "{ x }"),
    ];
    for (before, behind) in all {
        let found = refused(&deep(before, behind, 1_100));
        let texts: Vec<&str> = found.iter().filter_map(|r| r.text.lines().next()).collect();
        let expected = "an expression nested this deeply can't be differentiated";
        assert_eq!(texts, [expected], "{before} .. {behind}");
    }
}

#[test]
fn what_is_nested_deep_enough_to_be_taken() {
    let all = [
        ("(", ")"),
        ("-", ""),
        ("x + ", ""),
        ("", ".sin()"),
        ("if x > 0.0 {", "} else { x }"),
    ];
    for (before, behind) in all {
        let found = refused(&deep(before, behind, 100));
        assert!(found.is_empty(), "{before} .. {behind}: {found:?}");
    }
}

fn deep(before: &str, behind: &str, times: usize) -> String {
    let (before, behind) = (before.repeat(times), behind.repeat(times));
    format!("fn f(x: f64) -> f64 {{ {before} x {behind} }}")
}

/// What stands one after the other is not deep.
#[test]
fn what_is_long_is_taken() {
    let statements = "if x > 1.0 { s += x; } else { s -= x; } s += g(x, 2.0);".repeat(100);
    let source = format!("fn f(x: f64) -> f64 {{ let mut s = 0.0; {statements} s }}");
    assert!(refused(&source).is_empty());
}
