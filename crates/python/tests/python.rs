//! Loads the extension module into an interpreter of this machine, and runs the package's own tests there.

#![allow(clippy::print_stdout, reason = "what this machine lacks is printed")]
#![allow(clippy::disallowed_methods, reason = "the environment names the interpreter")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An interpreter of 3.11 or later: the one that `WAVELANE_PYTHON` names, else what is in the path.
fn interpreter() -> Option<String> {
    let named = std::env::var("WAVELANE_PYTHON").ok();
    let all = named.into_iter().chain(["python3", "python"].map(str::to_owned));
    let works = |it: &String| {
        let asked = "import sys; sys.exit(sys.version_info < (3, 11))";
        Command::new(it).args(["-c", asked]).status().is_ok_and(|it| it.success())
    };
    all.into_iter().find(works)
}

/// The library that Cargo has built beside this test.
fn library() -> Option<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let name = format!("{}_wavelane{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    test.ancestors().skip(1).take(2).map(|it| it.join(&name)).find(|it| it.is_file())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|it| it.unwrap().path()) {
        if entry.is_file() {
            fs::copy(&entry, to.join(entry.file_name().unwrap())).unwrap();
        }
    }
}

#[test]
fn the_package_does_what_its_tests_say() {
    let Some(python) = interpreter() else {
        skipped::skipped!("there is no Python 3.11 or later here");
        return;
    };
    let Some(library) = library() else {
        if cfg!(target_env = "musl") {
            skipped::skipped!("this target has no shared libraries");
            return;
        }
        panic!("Cargo builds the library before this test");
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("package");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy(&here.join("python/wavelane"), &folder.join("wavelane"));
    let suffix = if cfg!(windows) { "pyd" } else { "abi3.so" };
    fs::copy(library, folder.join(format!("wavelane/_wavelane.{suffix}"))).unwrap();
    let ran = Command::new(python)
        .args(["-B", "-m", "unittest", "-v", "test_wavelane", "test_campaign"])
        .current_dir(here.join("tests"))
        .env("PYTHONPATH", &folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    for line in said.lines().filter(|it| it.contains("skipped")) {
        println!("{line}");
    }
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stdout));
    assert!(said.contains("\nOK"), "{said}");
}
