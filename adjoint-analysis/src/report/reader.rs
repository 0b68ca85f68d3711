//! Detection of a reader of the report.

use std::path::Path;
use std::sync::LazyLock;

/// Whether the generated documentation may be shown: by rustdoc, an editor or a test. A compiler shows none, and the
/// report would take an eighth of the macro's time.
pub fn has_reader() -> bool {
    static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
        let tool = std::env::current_exe().ok();
        let name = tool.as_deref().and_then(Path::file_stem);
        !name.is_some_and(|name| name == "rustc" || name == "clippy-driver")
    });
    *IS_THERE
}
