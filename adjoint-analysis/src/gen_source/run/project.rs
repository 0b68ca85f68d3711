//! A cargo project full of sources: it is checked, built and run, and what comes of each source is told.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::messages::{self, Refusal};
use super::outcome::{Fault, Outcome};
use crate::gen_source::source::Source;

/// Where sources are compiled.
pub struct Project {
    /// The workspace of `adjoint`.
    pub workspace: PathBuf,
    /// The directory of the project, which belongs to it alone; the compiler's output is in it, too.
    pub directory: PathBuf,
    /// Whether the macro is optimised: it then takes less than half of its time, but longer to build.
    pub optimised: bool,
}

impl Project {
    /// What comes of each source.
    ///
    /// # Panics
    ///
    /// If cargo can't be run, or fails for another reason than the sources.
    pub fn judge(&self, sources: &[Source]) -> Vec<Outcome> {
        self.write_manifest();
        let mut outcomes: BTreeMap<usize, Outcome> = BTreeMap::new();
        let plain = |source: &Source| source.plain();
        for (at, refusal) in self.sift("plain", sources, &outcomes, &plain, library) {
            outcomes.insert(at, Outcome::RefusedByRustc(refusal.message));
        }
        let judged = |source: &Source| source.judged();
        for (at, refusal) in self.sift("judge", sources, &outcomes, &judged, binary) {
            outcomes.insert(at, annotated(refusal));
        }
        let left: Vec<usize> = (0..sources.len())
            .filter(|at| !outcomes.contains_key(at))
            .collect();
        if !left.is_empty() {
            outcomes.extend(self.run(&left));
        }
        outcomes.into_values().collect()
    }

    fn write_manifest(&self) {
        let root = self.workspace.display();
        let optimised = match self.optimised {
            true => "[profile.dev.build-override]\nopt-level = 2\n",
            false => "",
        };
        let manifest = format!(
            "[package]\nname = \"random-sources\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             publish = false\n\n[workspace]\n\n\
             [[bin]]\nname = \"judge\"\npath = \"judge/main.rs\"\n\n\
             [[bin]]\nname = \"plain\"\npath = \"plain/main.rs\"\n\n\
             [dependencies]\nadjoint = {{ path = \"{root}\", features = [\"checked\"] }}\n\
             num-traits = \"0.2\"\npastey = \"0.2\"\n\n[profile.dev]\ndebug = 0\n{optimised}"
        );
        write(&self.directory.join("Cargo.toml"), &manifest);
        for part in ["plain", "judge"] {
            write(&self.directory.join(part).join("main.rs"), "fn main() {}\n");
        }
        let lock = std::fs::read_to_string(self.workspace.join("Cargo.lock"));
        write(
            &self.directory.join("Cargo.lock"),
            &lock.expect("the lock file"),
        );
    }

    /// Compiles all sources that have no outcome yet, and again without those that are refused, until the rest
    /// is taken.
    fn sift(
        &self,
        part: &str,
        sources: &[Source],
        outcomes: &BTreeMap<usize, Outcome>,
        text: &dyn Fn(&Source) -> String,
        root: fn(&Self, &[usize]) -> String,
    ) -> BTreeMap<usize, Refusal> {
        let mut refused: BTreeMap<usize, Refusal> = BTreeMap::new();
        for (at, source) in sources.iter().enumerate() {
            let file = self.directory.join(part).join(format!("s{at}.rs"));
            write(&file, &text(source));
        }
        loop {
            let left: Vec<usize> = (0..sources.len())
                .filter(|at| !outcomes.contains_key(at) && !refused.contains_key(at))
                .collect();
            let main = self.directory.join(part).join("main.rs");
            write(&main, &root(self, &left));
            let command = if part == "plain" { "check" } else { "build" };
            let output = self.cargo(&[command, "--bin", part, "--message-format=short"]);
            if output.status.success() {
                return refused;
            }
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let found = messages::refusals(&errors);
            assert!(!found.is_empty(), "cargo fails:\n{errors}");
            refused.extend(found);
        }
    }

    fn cargo(&self, args: &[&str]) -> Output {
        let cargo = std::env::var("CARGO").unwrap_or("cargo".to_string());
        Command::new(cargo)
            .args(args)
            .args(["--offline", "--quiet"])
            .arg("--target-dir")
            .arg(self.directory.join("target"))
            .current_dir(&self.directory)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .expect("cargo runs")
    }

    /// Runs the binary; where a source ends it, again from the next one.
    fn run(&self, left: &[usize]) -> BTreeMap<usize, Outcome> {
        let mut outcomes = BTreeMap::new();
        let mut from = left[0];
        loop {
            let output = Command::new(self.directory.join("target/debug/judge"))
                .arg(from.to_string())
                .output()
                .expect("the binary runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let (found, last) = messages::findings(&text);
            outcomes.extend(found);
            if output.status.success() {
                return outcomes;
            }
            let last = last.expect("a source that ended the process");
            outcomes.entry(last).or_insert_with(|| {
                let errors = String::from_utf8_lossy(&output.stderr).into_owned();
                Outcome::Fault(Fault::Panics, errors)
            });
            match left.iter().find(|at| **at > last) {
                Some(next) => from = *next,
                None => return outcomes,
            }
        }
    }
}

/// The outcome of a source that rustc takes as it is, and not with the attribute.
fn annotated(refusal: Refusal) -> Outcome {
    match refusal.by_adjoint {
        true => Outcome::RefusedByAdjoint(refusal.message),
        false => Outcome::Fault(Fault::DoesNotCompile, refusal.message),
    }
}

fn library(_: &Project, left: &[usize]) -> String {
    let mut text = "#![allow(warnings)]\nfn main() {}\n".to_string();
    for at in left {
        let _ = writeln!(text, "mod s{at};");
    }
    text
}

fn binary(project: &Project, left: &[usize]) -> String {
    let oracle = project.workspace.join("tests/judge/mod.rs");
    let mut text = format!("#[path = {oracle:?}]\nmod common;\n");
    for at in left {
        let _ = writeln!(text, "mod s{at};");
    }
    text.push_str("fn main() {\n    let report = common::Report::new();\n");
    for at in left {
        let _ = writeln!(
            text,
            "    if report.begins({at}) {{ s{at}::judge(&report); }}"
        );
    }
    text.push_str("}\n");
    text
}

fn write(file: &Path, text: &str) {
    let directory = file.parent().expect("a directory");
    let written = std::fs::create_dir_all(directory).and_then(|()| std::fs::write(file, text));
    written.unwrap_or_else(|e| panic!("{}: {e}", file.display()));
}
