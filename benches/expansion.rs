//! What the attribute costs at compile time.
//!
//! ```text
//! cargo bench --bench expansion                  the macro alone, by the length of functions
//! cargo bench --bench expansion -- --check       `cargo check` of 100 functions, with and without
//! ```
//!
//! The functions are straight code, loops and branches in turn. With `--check`, the crate is checked from
//! scratch, as a user has it: the macro in a debug build. The limit is 4 times what the crate takes
//! without the attribute, and one second.

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

/// A function of this many lines.
fn function(name: &str, lines: usize) -> String {
    let mut text = format!("fn {name}(x: &[f64], y: &mut [f64], k: f64) -> f64 {{\n");
    text.push_str("    let n = x.len();\n    let mut s = k;\n");
    let blocks = (lines - 5) / 12;
    for i in 0..blocks {
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
    for i in 0..lines - 5 - 12 * blocks {
        let _ = writeln!(text, "    s += x[{i} % n] * k;");
    }
    text.push_str("    s\n}\n");
    text
}

/// Times the macro alone.
fn lengths() {
    println!("{:>10} {:>12} {:>16}", "lines", "ms", "ms/line");
    for lines in [30, 100, 200, 400, 800, 1600] {
        let item: TokenStream = function("f", lines).parse().expect("tokens");
        let time = fastest(3, || {
            let expanded = expand(TokenStream::new(), item.clone());
            assert!(!expanded.is_empty());
        });
        let ms = time.as_secs_f64() * 1e3;
        println!("{lines:>10} {ms:>12.2} {:>16.3}", ms / lines as f64);
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
    let functions: Vec<String> = (0..100)
        .map(|i| function(&format!("kernel{i}"), 30))
        .collect();
    let plain = format!("#![allow(dead_code)]\n{}", functions.concat());
    let annotated: Vec<String> = functions
        .iter()
        .map(|f| format!("#[adjoint]\n{f}"))
        .collect();
    let annotated = format!(
        "#![allow(dead_code)]\nuse adjoint::adjoint;\n{}",
        annotated.concat()
    );
    let source = folder.join("src/lib.rs");
    let cargo = |args: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        let status = cargo.args(args).current_dir(&folder).status();
        assert!(status.is_ok_and(|s| s.success()), "cargo {args:?}");
    };
    let seconds = |text: &str| {
        fs::write(&source, text).expect("a source file");
        cargo(&["check", "--offline", "--quiet"]);
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            cargo(&["clean", "--offline", "--quiet", "--package", "expansion"]);
            let start = Instant::now();
            cargo(&["check", "--offline", "--quiet"]);
            best = best.min(start.elapsed().as_secs_f64());
        }
        best
    };
    let (without, with) = (seconds(&plain), seconds(&annotated));
    let limit = 4.0 * without + 1.0;
    println!(
        "without the attribute {without:.2} s, with it {with:.2} s; the limit is {limit:.2} s"
    );
    assert!(with < limit, "the attribute takes too long");
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
