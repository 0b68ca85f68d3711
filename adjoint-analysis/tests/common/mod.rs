//! What several tests share.

/// The façade's tests, whose functions are the kernels: the name of each file and what is in it.
///
/// # Panics
///
/// If a file cannot be read.
pub fn test_files() -> Vec<(String, syn::File)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the façade's tests")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a test file");
        (name.into_owned(), syn::parse_file(&text).expect("Rust"))
    };
    paths.iter().map(read).collect()
}
