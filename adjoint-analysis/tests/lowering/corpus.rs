//! Every annotated function of the project's tests as it lowers.
//!
//! A change that should not change what functions lower to leaves the files below `corpus/` as they are, to the byte;
//! of one that should, `git diff` shows what it changes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use expect_test::expect_file;

use crate::print::lowered_file;

/// The files below a folder with this extension, as paths from it.
fn files(folder: &Path, extension: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.insert(
                    path.strip_prefix(folder)
                        .expect("a path below")
                        .to_path_buf(),
                );
            }
        }
    }
    found
}

/// Holds a file's functions against the text of the same name; `None` for a file that has none.
fn check(tests: &Path, corpus: &Path, name: &Path) -> Option<PathBuf> {
    let source = fs::read_to_string(tests.join(name)).expect("a test file");
    let text = lowered_file(&syn::parse_file(&source).ok()?);
    let golden = name.with_extension("txt");
    let path = corpus.join(&golden);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    (!text.is_empty()).then(|| expect_file![path].assert_eq(&text))?;
    Some(golden)
}

#[test]
fn functions_of_the_tests_lower_as_they_did() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = crate_folder.join("../tests");
    let corpus = crate_folder.join("tests/lowering/corpus");
    let sources: Vec<PathBuf> = files(&tests, "rs").into_iter().collect();
    let checked = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for part in sources.chunks(sources.len().div_ceil(4)) {
            scope.spawn(|| {
                let names = part.iter().filter_map(|name| check(&tests, &corpus, name));
                let names: Vec<PathBuf> = names.collect();
                checked.lock().expect("no panic").extend(names);
            });
        }
    });
    let checked = checked.into_inner().expect("no panic");
    assert_eq!(files(&corpus, "txt"), checked, "texts without a source");
}
