//! What can go wrong with files.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A snapshot could not be written to a file or read from there: a full disk, a directory without permission.
///
/// The message names the path and the reason, as in “cannot write a snapshot to `/full/adjoint-4711-0`: no space left on
/// device”.
#[derive(Debug)]
pub struct StoreError {
    attempt: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl StoreError {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// For a failed attempt to do something with the file at this path.
    pub(super) fn on<'a>(
        attempt: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> StoreError + 'a {
        move |source| StoreError {
            attempt,
            path: path.to_path_buf(),
            source,
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StoreError {
            attempt,
            path,
            source,
        } = self;
        write!(f, "cannot {attempt} `{}`: {source}", path.display())
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
