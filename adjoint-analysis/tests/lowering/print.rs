//! What a function lowers to, as text.

use std::fmt::Write;

use adjoint_analysis::expand::find::{AnnotatedFn, functions};
use adjoint_analysis::lower::{Lowered, lower};
use adjoint_analysis::refuse::Refusal;
use expect_test::Expect;

/// What the annotated functions of a file lower to, one below the other.
pub fn lowered_file(file: &syn::File) -> String {
    let entries: Vec<String> = functions(file).iter().map(entry).collect();
    entries.join("\n")
}

/// Holds what a function lowers to against the expected text.
#[track_caller]
pub fn check(function: &str, expected: Expect) {
    check_module(&format!("#[adjoint]{function}"), expected);
}

/// The same for all functions that the attributes in the source differentiate.
#[track_caller]
pub fn check_module(source: &str, expected: Expect) {
    expected.assert_eq(&lowered_file(&syn::parse_str(source).expect("Rust")));
}

/// The text of the function's IR and of the user's code that it refers to, or its refusals, each with the source that
/// it points to.
fn entry(found: &AnnotatedFn) -> String {
    let sig = &found.item.sig;
    if let Err(error) = &found.options {
        return format!("// {}: {error}\n", sig.ident);
    }
    match lower(sig, &found.item.block, &found.env) {
        Ok(lowered) => format!("{}{}", lowered.func, code(&lowered)),
        Err(refusals) => {
            let lines = refusals
                .iter()
                .map(|r| format!("// {}: {}\n", sig.ident, refusal(r)));
            lines.collect()
        }
    }
}

fn code(lowered: &Lowered) -> String {
    let mut text = String::new();
    for (i, code) in lowered.code.iter().enumerate() {
        writeln!(
            text,
            "// ${i} {:?}: {}",
            code.modes,
            on_one_line(&code.tokens.to_string())
        )
        .expect("text");
    }
    text
}

fn refusal(refusal: &Refusal) -> String {
    let at = refusal.span.source_text().unwrap_or_default();
    format!("{:?} at `{}`", refusal.reason, on_one_line(&at))
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
