//! What the attribute costs at compile time.
//!
//! ```text
//! cargo bench --bench expansion                  the macro alone, by the length of functions
//! cargo bench --bench expansion -- --check       `cargo check` of 100 functions, with and without
//! ```
//!
//! The functions are straight code, loops, branches and calls in turn; each has as many statements as
//! the table says.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use adjoint_analysis::expand::expand;
use proc_macro2::TokenStream;

fn main() {
    if std::env::args().any(|a| a == "--check") {
        check();
    } else {
        lengths();
    }
}

/// A function of about as many statements.
fn function(name: &str, statements: usize) -> String {
    let mut text = format!("fn {name}(x: &[f64], y: &mut [f64], k: f64) -> f64 {{\n");
    text.push_str("    let n = x.len();\n    let mut s = k;\n");
    for i in 0..statements / 10 {
        let _ = write!(
            text,
            "    let a{i} = s * k + x[{i} % n];
    let b{i} = a{i}.sin() * a{i} - k;
    for j in 0..n {{
        let t = x[j] * b{i} + y[j];
        y[j] = t.tanh() * k;
        s += t * a{i};
    }}
    if b{i} > 0.0 {{
        s = s.abs().sqrt() + b{i};
    }} else {{
        s *= a{i};
    }}
"
        );
    }
    text.push_str("    s\n}\n");
    text
}

/// Times the macro alone.
fn lengths() {
    println!("{:>10} {:>12} {:>16}", "statements", "ms", "ms/statement");
    for statements in [30, 100, 200, 400, 800] {
        let item: TokenStream = function("f", statements).parse().expect("tokens");
        let time = fastest(3, || {
            let expanded = expand(TokenStream::new(), item.clone());
            assert!(!expanded.is_empty());
        });
        let ms = time.as_secs_f64() * 1e3;
        println!(
            "{statements:>10} {ms:>12.2} {:>16.3}",
            ms / statements as f64
        );
    }
}

/// Times `cargo check` of a crate.
fn check() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expansion");
    let root = env!("CARGO_MANIFEST_DIR");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"expansion\"\nedition = \"2024\"\n[dependencies]\nadjoint = {{ path = {root:?} }}\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    let lock = Path::new(root).join("Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("a lock file");
    let functions: Vec<String> = (0..100).map(|i| function(&format!("f{i}"), 30)).collect();
    let plain = format!("#![allow(dead_code)]\n{}", functions.concat());
    let annotated: Vec<String> = functions
        .iter()
        .map(|f| format!("#[adjoint]\n{f}"))
        .collect();
    let annotated = format!(
        "#![allow(dead_code)]\nuse adjoint::adjoint;\n{}",
        annotated.concat()
    );
    for (what, text) in [("without", plain), ("with", annotated)] {
        let source = folder.join("src/lib.rs");
        let time = fastest(3, || {
            fs::write(&source, &text).expect("a source file");
            let status = Command::new(env!("CARGO"))
                .args(["check", "--offline", "--quiet"])
                .current_dir(&folder)
                .status();
            assert!(status.is_ok_and(|s| s.success()), "the crate compiles");
        });
        println!("{what:>8} the attribute: {:.2} s", time.as_secs_f64());
    }
}

fn fastest(times: usize, mut f: impl FnMut()) -> Duration {
    let time = |f: &mut dyn FnMut()| {
        let start = Instant::now();
        f();
        start.elapsed()
    };
    let all = (0..times).map(|_| time(&mut f));
    all.min().unwrap_or_default()
}
