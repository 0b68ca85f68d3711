//! A directory that goes away with its owner.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::StoreError;

/// Names of directories that are tried before another process's leftovers count as an error.
const ATTEMPTS: usize = 1000;

/// The number of the next directory of this process.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A new directory. It is removed when this is dropped, with what it contains.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

impl Directory {
    /// Makes one below an existing directory.
    pub(super) fn create_in(parent: &Path) -> Result<Directory, StoreError> {
        let mut attempts = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("adjoint-{}-{number}", process::id()));
            attempts += 1;
            match builder().create(&path) {
                Ok(()) => return Ok(Directory(path)),
                // An earlier process of the same number was killed.
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && attempts < ATTEMPTS => {}
                Err(error) => {
                    let on = StoreError::on("create the directory for snapshots", &path);
                    return Err(on(error));
                }
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// For directories that only this user can read, where the system knows that.
fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), allow(unused_mut))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Where it can't be removed, nobody is left to hear of it.
        let _ = fs::remove_dir_all(&self.0);
    }
}
