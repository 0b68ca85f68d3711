//! Snapshots in files.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use adjoint_runtime::checkpoint::{
    Files, Periodic, Slot, Store, StoreError, Tiered, TwoLevel, reverse_loop,
};

use crate::solver::Spin;

const SLOT: Slot = Slot::disk(0);

fn save(store: &mut impl Store<Vec<f64>>, value: f64) -> Result<(), StoreError> {
    store.save(SLOT, &mut |snapshot| *snapshot = vec![value; 3])
}

fn read(store: &mut impl Store<Vec<f64>>) -> Result<Vec<f64>, StoreError> {
    let mut read = Vec::new();
    store.restore(SLOT, &mut |snapshot| read.clone_from(snapshot))?;
    Ok(read)
}

/// The path of the file of the slot.
fn file(files: &Files<Vec<f64>>) -> PathBuf {
    let mut entries = fs::read_dir(files.directory()).unwrap();
    let entry = entries.next().expect("there is one file").unwrap();
    assert!(entries.next().is_none());
    entry.path()
}

#[track_caller]
fn assert_names(error: &StoreError, path: &Path, reason: &str) {
    let message = error.to_string();
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    assert!(message.contains(reason), "{message}");
    assert!(error.path().starts_with(path));
    assert!(std::error::Error::source(error).is_some());
}

#[test]
fn a_file_holds_its_snapshot_until_it_is_released() {
    let mut files = Files::new().unwrap();
    save(&mut files, 1.0).unwrap();
    save(&mut files, 2.5).unwrap();
    assert_eq!(read(&mut files).unwrap(), [2.5; 3]);
    assert_eq!(read(&mut files).unwrap(), [2.5; 3]);
    let file = file(&files);
    files.release(SLOT).unwrap();
    assert!(!file.exists());
}

#[test]
fn clearing_removes_the_files() {
    let mut files = Files::new().unwrap();
    save(&mut files, 1.0).unwrap();
    let file = file(&files);
    files.clear().unwrap();
    assert!(!file.exists());
    assert!(files.directory().exists());
}

#[test]
fn each_store_has_a_directory_of_its_own_that_goes_with_it() {
    let (mut one, mut other) = (Files::new().unwrap(), Files::new().unwrap());
    save(&mut one, 1.0).unwrap();
    save(&mut other, 2.0).unwrap();
    assert_ne!(one.directory(), other.directory());
    assert_eq!(read(&mut one).unwrap(), [1.0; 3]);
    let directory = one.directory().to_path_buf();
    assert!(directory.is_dir());
    drop(one);
    assert!(!directory.exists());
    assert_eq!(read(&mut other).unwrap(), [2.0; 3]);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_directory() {
    use std::os::unix::fs::PermissionsExt;
    let files: Files<f64> = Files::new().unwrap();
    let mode = fs::metadata(files.directory())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o077, 0);
}

#[test]
fn a_panic_in_the_sweep_removes_the_directory() {
    let mut directory = PathBuf::new();
    let mut files_before = 0;
    let sweep = AssertUnwindSafe(|| {
        let mut store = Tiered::new().unwrap();
        directory = store.files().directory().to_path_buf();
        let mut spin = Spin::new(60, 10);
        reverse_loop(&mut spin.clone(), TwoLevel::new(60, 2, 2), &mut store).unwrap();
        save(&mut store, 1.0).unwrap();
        files_before = fs::read_dir(&directory).unwrap().count();
        spin.panics_in = Some(40);
        reverse_loop(&mut spin, TwoLevel::new(60, 2, 2), &mut store)
    });
    let panic = catch_unwind(sweep).unwrap_err();
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("the solver fails"), "{message}");
    assert_eq!(files_before, 1);
    assert!(!directory.exists());
}

#[test]
fn a_store_is_used_again_after_a_panic() {
    let mut files = Files::new().unwrap();
    let mut spin = Spin::new(60, 10);
    let mut failing = spin.clone();
    failing.panics_in = Some(40);
    let periodic = || Periodic::new(60, 7).on_disk();
    let sweep = AssertUnwindSafe(|| reverse_loop(&mut failing, periodic(), &mut files));
    assert!(catch_unwind(sweep).is_err());
    assert!(fs::read_dir(files.directory()).unwrap().count() > 0);
    let stats = reverse_loop(&mut spin, periodic(), &mut files).unwrap();
    assert_eq!((stats.peak_disk, stats.peak_memory), (8, 0));
    assert_eq!(fs::read_dir(files.directory()).unwrap().count(), 0);
}

#[test]
fn a_directory_that_does_not_exist_is_named() {
    let own: Files<f64> = Files::new().unwrap();
    let missing = own.directory().join("missing");
    let error = Files::<f64>::new_in(&missing).unwrap_err();
    assert_names(
        &error,
        &missing,
        "cannot create the directory for snapshots",
    );
    let error = Tiered::<f64>::new_in(&missing).unwrap_err();
    assert_names(
        &error,
        &missing,
        "cannot create the directory for snapshots",
    );
}

#[test]
fn a_file_in_the_place_of_the_directory_is_named() {
    let own: Files<f64> = Files::new().unwrap();
    let file = own.directory().join("file");
    fs::write(&file, "").unwrap();
    let error = Files::<f64>::new_in(&file).unwrap_err();
    assert_names(&error, &file, "cannot create the directory for snapshots");
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_directory_is_named() {
    // Nobody may write there, not even the superuser.
    let proc = Path::new("/proc");
    let error = Files::<f64>::new_in(proc).unwrap_err();
    assert_names(&error, proc, "cannot create the directory for snapshots");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    let mut files = Files::new().unwrap();
    save(&mut files, 1.0).unwrap();
    let file = file(&files);
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/full", &file).unwrap();
    let error = save(&mut files, 2.0).unwrap_err();
    assert_names(&error, &file, "cannot write the snapshot file");
    assert!(error.to_string().contains("No space left"), "{error}");
}

#[test]
fn a_file_that_somebody_changed_is_named() {
    let mut files = Files::new().unwrap();
    save(&mut files, 1.0).unwrap();
    let file = file(&files);
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 1]).unwrap();
    assert_names(
        &read(&mut files).unwrap_err(),
        &file,
        "cannot read the snapshot file",
    );
    fs::write(&file, [bytes.as_slice(), &[0]].concat()).unwrap();
    assert_names(
        &read(&mut files).unwrap_err(),
        &file,
        "longer than its snapshot",
    );
    fs::remove_file(&file).unwrap();
    assert_names(
        &read(&mut files).unwrap_err(),
        &file,
        "cannot read the snapshot file",
    );
    assert_names(
        &files.clear().unwrap_err(),
        &file,
        "cannot remove the snapshot file",
    );
}

#[test]
#[should_panic(expected = "the store is on disk alone: use `Tiered`")]
fn a_slot_in_memory_is_refused() {
    let mut files = Files::new().unwrap();
    files
        .save(Slot::memory(0), &mut |snapshot: &mut f64| *snapshot = 1.0)
        .unwrap();
}

#[test]
#[should_panic(expected = "this slot holds no snapshot")]
fn a_free_slot_is_not_read() {
    let _ = read(&mut Files::new().unwrap());
}
