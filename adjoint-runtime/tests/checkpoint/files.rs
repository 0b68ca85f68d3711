//! Snapshots in files.

use std::fs;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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

#[track_caller]
fn assert_names(error: &StoreError, path: &Path, reason: &str) {
    let message = error.to_string();
    assert!(message.contains(path.to_str().unwrap()), "{message}");
    assert!(message.contains(reason), "{message}");
    assert!(error.path().starts_with(path));
    assert!(std::error::Error::source(error).is_some());
}

#[test]
fn a_slot_holds_its_snapshot_until_it_is_released() {
    let mut files = Files::new().unwrap();
    save(&mut files, 1.0).unwrap();
    save(&mut files, 2.5).unwrap();
    assert_eq!(read(&mut files).unwrap(), [2.5; 3]);
    assert_eq!(read(&mut files).unwrap(), [2.5; 3]);
    files.release(SLOT).unwrap();
    save(&mut files, 3.5).unwrap();
    assert_eq!(read(&mut files).unwrap(), [3.5; 3]);
}

#[test]
fn snapshots_of_any_length_stay_apart() {
    let mut files = Files::new().unwrap();
    let value = |index: usize, round: usize| {
        vec![(index * 10 + round) as f64; 1 + (index + 3 * round) % 5 * 20_000]
    };
    for round in 0..4 {
        for index in 0..6 {
            let written = value(index, round);
            files
                .save(Slot::disk(index), &mut |s: &mut Vec<f64>| {
                    s.clone_from(&written)
                })
                .unwrap();
        }
        for index in (0..6).rev() {
            files
                .restore(Slot::disk(index), &mut |s| {
                    assert_eq!(*s, value(index, round))
                })
                .unwrap();
            if (index + round) % 2 == 0 {
                files.release(Slot::disk(index)).unwrap();
            }
        }
    }
}

#[test]
#[should_panic(expected = "this slot holds no snapshot")]
fn clearing_frees_the_slots() {
    let mut files = Files::new().unwrap();
    save(&mut files, 1.0).unwrap();
    files.clear().unwrap();
    let _ = read(&mut files);
}

#[test]
fn each_store_has_a_file_of_its_own() {
    let (mut one, mut other) = (Files::new().unwrap(), Files::new().unwrap());
    save(&mut one, 1.0).unwrap();
    save(&mut other, 2.0).unwrap();
    assert_ne!(one.path(), other.path());
    assert_eq!(read(&mut one).unwrap(), [1.0; 3]);
    drop(one);
    assert_eq!(read(&mut other).unwrap(), [2.0; 3]);
}

/// A directory for one test, which goes with it.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("files-{name}-{}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Directory(path)
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(&self.0).unwrap().next().is_none()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn nothing_is_left_behind_a_panic() {
    let directory = Directory::new("panic");
    let sweep = AssertUnwindSafe(|| {
        let mut store = Tiered::new_in(&directory.0).unwrap();
        let mut spin = Spin::new(60, 10);
        reverse_loop(&mut spin.clone(), TwoLevel::new(60, 2, 2), &mut store).unwrap();
        save(&mut store, 1.0).unwrap();
        spin.panics_in = Some(40);
        reverse_loop(&mut spin, TwoLevel::new(60, 2, 2), &mut store)
    });
    let panic = catch_unwind(sweep).unwrap_err();
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("the solver fails"), "{message}");
    assert!(directory.is_empty());
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
    let stats = reverse_loop(&mut spin, periodic(), &mut files).unwrap();
    assert_eq!((stats.peak_disk, stats.peak_memory), (8, 0));
}

/// This test alone, in a process of its own with this directory, started by these words of a shell.
#[cfg(unix)]
fn child(test: &str, directory: &Directory, start: &str) -> Command {
    let mut command = Command::new("sh");
    let program = std::env::current_exe().unwrap();
    command.args(["-c", start]).arg(program);
    command.args(["--exact", "--nocapture", test]);
    command.env(IN_CHILD, &directory.0);
    command
}

/// The directory of a test's child.
const IN_CHILD: &str = "ADJOINT_TEST_DIRECTORY";

#[cfg(unix)]
#[test]
fn nothing_is_left_of_a_process_that_is_killed() {
    if let Some(directory) = std::env::var_os(IN_CHILD) {
        let mut files = Files::new_in(directory).unwrap();
        save(&mut files, 1.0).unwrap();
        println!("written");
        std::thread::sleep(std::time::Duration::from_secs(60));
        return;
    }
    let directory = Directory::new("killed");
    let test = "files::nothing_is_left_of_a_process_that_is_killed";
    let mut child = child(test, &directory, "exec \"$0\" \"$@\"");
    let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("written")));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(directory.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named() {
    if let Some(directory) = std::env::var_os(IN_CHILD) {
        let mut files = Files::new_in(directory).unwrap();
        save(&mut files, 1.0).unwrap();
        let save = &mut |snapshot: &mut Vec<f64>| *snapshot = vec![2.0; 10_000];
        let error = files.save(Slot::disk(1), save).unwrap_err();
        assert_names(&error, files.path(), "cannot write a snapshot to");
        // What was there before is.
        assert_eq!(read(&mut files).unwrap(), [1.0; 3]);
        println!("named");
        return;
    }
    let directory = Directory::new("full");
    // Files of a few kilobytes at most, and no signal where one would be larger.
    let start = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    let output = child("files::a_full_disk_is_named", &directory, start)
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("named"),
        "{output:?}"
    );
    assert!(directory.is_empty());
}

#[test]
fn a_directory_that_does_not_exist_is_named() {
    let missing = std::env::temp_dir().join("missing-directory");
    let error = Files::<f64>::new_in(&missing).unwrap_err();
    assert_names(&error, &missing, "cannot create the file for snapshots");
    let error = Tiered::<f64>::new_in(&missing).unwrap_err();
    assert_names(&error, &missing, "cannot create the file for snapshots");
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_directory_is_named() {
    // Nobody may write there, not even the superuser.
    let proc = Path::new("/proc");
    let error = Files::<f64>::new_in(proc).unwrap_err();
    assert_names(&error, proc, "cannot create the file for snapshots");
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
