//! Compiles a C program against the header, and runs it with the library; also under the compiler's sanitizers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn output(command: &mut Command) -> Option<Output> {
    command.output().ok()
}

fn said(output: &Output) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{out}{err}")
}

/// The folder of the library that Cargo has built beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let name =
        format!("{}wavelane_c{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folders = test.ancestors().skip(1).take(2);
    let found = folders.map(Path::to_owned).find(|it| it.join(&name).is_file());
    found.expect("Cargo builds the library before this test")
}

/// Compiles a program with a compiler and flags, and runs it; the error is why it cannot be compiled here.
fn run(source: &Path, compiler: &str, flags: &[&str], name: &str) -> Result<String, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let folder = library();
    let mut compile = Command::new(compiler);
    compile
        .args(["-Wall", "-Wextra", "-Werror", "-g"])
        .args(flags)
        .arg("-I")
        .arg(here.join("include"))
        .arg(source)
        .arg("-o")
        .arg(&program)
        .arg("-L")
        .arg(&folder)
        .arg("-lwavelane_c");
    let Some(compiled) = output(&mut compile) else {
        return Err(format!("there is no `{compiler}`"));
    };
    if !compiled.status.success() {
        return Err(said(&compiled));
    }
    let path = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
    let mut command = Command::new(&program);
    command.env(path, &folder);
    let ran = output(&mut command).unwrap();
    assert!(ran.status.success(), "{compiler} {flags:?}:\n{}", said(&ran));
    Ok(said(&ran))
}

/// The program that calls every function.
fn program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program.c")
}

#[test]
fn a_program_in_c_uses_every_function() {
    let (header, text) = (include_str!("../include/wavelane.h"), include_str!("program.c"));
    let names = header
        .split(['(', '*', ' '])
        .filter(|it| it.starts_with("wl_") && !it.contains(['`', ',', '.']));
    for name in names {
        assert!(text.contains(&format!("{name}(")), "the program does not call `{name}`");
    }
    let compilers = ["cc", "gcc", "clang"];
    let mut has_run = false;
    for compiler in compilers {
        let name = format!("program-{compiler}");
        for standard in ["-std=c99", "-std=c17"] {
            match run(&program(), compiler, &[standard], &name) {
                Ok(said) => {
                    assert_eq!(said, "passed\n");
                    has_run = true;
                }
                Err(why) if why.starts_with("there is no") => skipped::skipped!("{why}"),
                Err(why) => panic!("{compiler}: {why}"),
            }
        }
    }
    if !has_run {
        skipped::skipped!("there is no C compiler here");
    }
}

#[test]
fn a_program_in_c_is_clean_under_sanitizers() {
    // What does not even compile this has no sanitizers; what does compiles the program too.
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty.c");
    std::fs::write(&empty, "int main(void) { return 0; }\n").unwrap();
    for compiler in ["gcc", "clang"] {
        let flags = ["-std=c17", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        if let Err(why) = run(&empty, compiler, &flags, &format!("empty-{compiler}")) {
            skipped::skipped!("{compiler} with sanitizers: {why}");
            continue;
        }
        let said = run(&program(), compiler, &flags, &format!("sanitized-{compiler}"));
        assert_eq!(said, Ok("passed\n".to_owned()), "{compiler}");
    }
}

#[test]
fn the_program_of_the_manual_runs() {
    let manual = include_str!("../../../docs/c.md");
    let text = manual.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("manual.c");
    std::fs::write(&source, text).unwrap();
    match run(&source, "cc", &["-std=c99"], "manual") {
        Ok(said) => assert_eq!(said, "7 0\n"),
        Err(why) if why.starts_with("there is no") => skipped::skipped!("{why}"),
        Err(why) => panic!("{why}"),
    }
}
