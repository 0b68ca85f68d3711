//! What the attribute costs at compile time.
//!
//! ```text
//! cargo bench --bench expansion                  the macro alone, by the length of functions
//! cargo bench --bench expansion -- --check       `cargo check` of 100 functions, with and without
//! ```
//!
//! The first shape is straight code, loops and branches in turn. With `--check`, the crate is checked from
//! scratch, as a user has it: the macro in a debug build. The limit is 4 times what the crate takes
//! without the attribute, and one second.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use adjoint_analysis::expand::expand;
use proc_macro2::TokenStream;

#[path = "../tests/common/shapes.rs"]
mod shapes;

use shapes::SHAPES;

const LENGTHS: [usize; 6] = [30, 100, 200, 400, 800, 1600];

fn main() {
    if std::env::args().any(|a| a == "--check") {
        check();
    } else {
        lengths();
    }
}

/// Times the macro alone.
fn lengths() {
    print!("{:>12}", "ms/line at");
    LENGTHS.iter().for_each(|lines| print!(" {lines:>8}"));
    println!();
    for shape in SHAPES {
        print!("{:>12}", shape.name);
        for lines in LENGTHS {
            let item: TokenStream = shape.function("f", lines).parse().expect("tokens");
            let time = fastest(3, || {
                let expanded = expand(TokenStream::new(), item.clone());
                assert!(!expanded.is_empty());
            });
            print!(" {:>8.3}", time.as_secs_f64() * 1e3 / lines as f64);
        }
        println!();
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
        .map(|i| SHAPES[0].function(&format!("kernel{i}"), 30))
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
