//! What rustc makes of calls. Where one argument is varied, no tape, no allocation and no code for the others are
//! left in the optimised assembly. A recursion has few instances, whoever calls it.

use std::path::Path;
use std::process::Command;

/// The assembly of the crate in `tests/assembly`, built with this profile.
fn assembly(profile: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assembly");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("assembly");
    let output = target.join(format!("{profile}.s"));
    let status = Command::new(env!("CARGO"))
        .args(["rustc", "--profile", profile, "--lib", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .arg("--")
        .arg(format!("--emit=asm={}", output.display()))
        .env_remove("RUSTFLAGS")
        .status()
        .expect("cargo runs");
    assert!(status.success());
    std::fs::read_to_string(output).expect("assembly")
}

/// The lines of the function whose mangled name ends with `name` and a hash.
fn function<'t>(assembly: &'t str, name: &str) -> Vec<&'t str> {
    let label = format!("{}{name}17h", name.len());
    let mut lines = assembly.lines();
    lines
        .by_ref()
        .find(|l| l.contains(&label) && l.ends_with(':'))
        .unwrap_or_else(|| panic!("no `{name}`"));
    lines.take_while(|l| !l.contains(".cfi_endproc")).collect()
}

fn mentions(lines: &[&str], word: &str) -> bool {
    lines.iter().any(|l| l.contains(word))
}

#[test]
fn nothing_is_done_for_arguments_that_are_not_varied() {
    let text = assembly("release");
    let one = function(&text, "total_adjoint_with");
    for word in ["cos", "push", "grow", "alloc"] {
        let calls: Vec<&str> = one.iter().copied().filter(|l| l.contains("call")).collect();
        assert!(!mentions(&calls, word), "{word} in\n{}", calls.join("\n"));
    }
    // The words are those that such code has.
    let all = function(&text, "total_of_all_adjoint_with");
    assert!(
        mentions(&all, "cos") && mentions(&all, "push_beyond"),
        "{}",
        all.join("\n")
    );
}

/// How many instances of a sweep there are, where nothing is inlined.
fn instances(assembly: &str, function: &str, sweep: &str) -> usize {
    let name = format!("..{function}$GT${}{sweep}17h", sweep.len());
    let labels = assembly.lines().filter(|l| l.ends_with(':'));
    labels.filter(|l| l.contains(&name)).count()
}

#[test]
fn a_recursion_has_few_instances() {
    let text = assembly("dev");
    for sweep in ["forward", "reverse"] {
        let [round, there, back] = ["round", "there", "back"].map(|f| instances(&text, f, sweep));
        // The outermost one, that of the calls in its own text, and one for each of two callers.
        assert_eq!(round, 4, "{sweep} of round");
        // The outermost one, one for each call in the text, and exact ones at most three calls deep.
        assert!((2..=10).contains(&there), "{sweep} of there: {there}");
        assert!((2..=10).contains(&back), "{sweep} of back: {back}");
    }
}
