//! A file without a name, which goes away with the process whatever ends that.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::StoreError;

/// Names that are tried before another process's leftovers count as an error.
const ATTEMPTS: usize = 1000;

/// The number of the next file of this process.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A new file, of this user only. Its name is removed at once where the system lets one remove an open file, as Unix does,
/// and else when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    file: File,
    path: PathBuf,
    has_name: bool,
}

impl Scratch {
    /// Makes one in an existing directory.
    pub(super) fn create_in(directory: &Path) -> Result<Scratch, StoreError> {
        let mut attempts = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = directory.join(format!("adjoint-{}-{number}", process::id()));
            attempts += 1;
            match options().open(&path) {
                Ok(file) => {
                    let has_name = fs::remove_file(&path).is_err();
                    return Ok(Scratch {
                        file,
                        path,
                        has_name,
                    });
                }
                // Where the name stays, an earlier process of the same number was killed.
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && attempts < ATTEMPTS => {}
                Err(error) => {
                    let on = StoreError::on("create the file for snapshots", &path);
                    return Err(on(error));
                }
            }
        }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The path that it was made with.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// For files that only this user can read, where the system knows that.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.has_name {
            // Where it can't be removed, nobody is left to hear of it.
            let _ = fs::remove_file(&self.path);
        }
    }
}
