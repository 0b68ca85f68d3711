//! Each module of the crate imports only from those that the list of layers in `ARCHITECTURE.md` puts before it, and
//! what is behind lowering knows neither `syn` nor tokens.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules in their order: the words of the list between the fences that say `layers`.
fn layers() -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../ARCHITECTURE.md");
    let page = fs::read_to_string(page).expect("the page");
    let (_, list) = page.split_once("```layers\n").expect("the list of layers");
    let (list, _) = list.split_once("```").expect("its end");
    let first_word = |line: &str| line.split_whitespace().next().map(str::to_string);
    list.lines().filter_map(first_word).collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => rust_files(&path, found),
            false => found.push(path),
        }
    }
}

/// The modules that a file names by `crate::`, outside of comments.
fn imports(source: &str) -> Vec<String> {
    let code = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code: Vec<&str> = code.collect();
    let code = code.join("\n").replace("crate::{", "crate::");
    let names = code.split("crate::").skip(1);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    names
        .map(|rest| {
            rest.split(|c| !is_part(c))
                .next()
                .unwrap_or_default()
                .to_string()
        })
        .collect()
}

#[test]
fn modules_import_only_from_those_before_them() {
    let layers = layers();
    let places: BTreeMap<&str, usize> = layers
        .iter()
        .enumerate()
        .map(|(i, l)| (l.as_str(), i))
        .collect();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let (mut seen, mut upward) = (0, Vec::new());
    for file in files {
        let name = file
            .strip_prefix(&source)
            .expect("a path below")
            .to_string_lossy()
            .into_owned();
        let module = name.split(['/', '.']).next().unwrap_or_default();
        if module == "lib" {
            continue;
        }
        let own = *places
            .get(module)
            .unwrap_or_else(|| panic!("`{module}` is in no layer"));
        for import in imports(&fs::read_to_string(&file).expect("a source file")) {
            seen += 1;
            if places
                .get(import.as_str())
                .is_some_and(|&place| place > own)
            {
                upward.push(format!("{name} imports {import}"));
            }
        }
    }
    assert_eq!(upward, Vec::<String>::new());
    assert!(seen > 1000, "the imports are found: {seen}");
}

#[test]
fn no_syntax_is_behind_lowering() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in ["ir", "passes", "plan", "text", "interp"] {
        let mut files = Vec::new();
        rust_files(&source.join(module), &mut files);
        assert!(!files.is_empty());
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file");
            for syntax in ["syn::", "proc_macro2", "quote::"] {
                assert!(!text.contains(syntax), "{} names {syntax}", file.display());
            }
        }
    }
}
