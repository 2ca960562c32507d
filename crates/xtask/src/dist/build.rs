//! Builds programs and libraries for a target, optimised, and without paths of this machine in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Trouble;

/// The oldest glibc that programs are linked for, where `cargo-zigbuild` can do that: of Debian 8, Ubuntu 14 and RHEL
/// 7.
pub(super) const GLIBC: &str = "2.17";

/// The C compiler for Windows, which links there.
pub(super) const MINGW: &str = "x86_64-w64-mingw32-gcc";

/// What a command prints; `None` if it fails or is not there.
pub(super) fn text_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|it| it.status.success())?;
    String::from_utf8(output.stdout).ok()
}

pub(super) fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success())
}

/// Whether programs can be linked for an old glibc here.
pub(super) fn has_zig() -> bool {
    is_there("cargo-zigbuild")
}

pub(super) fn suffix(target: &str) -> &'static str {
    if target.contains("windows") { ".exe" } else { "" }
}

/// The options of the build, so that the same source gives the same bytes in every folder. `more` are flags of the
/// compiler.
pub(super) fn options<'a>(command: &'a mut Command, more: &[&str]) -> &'a mut Command {
    let mut flags = crate::folders::flags();
    flags.extend(more.iter().map(|&it| it.to_owned()));
    command
        .current_dir(crate::root())
        // Unlike `RUSTFLAGS`, this variable takes folders whose names have spaces.
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
}

/// Builds the command for a target.
pub(super) fn program(target: &str) -> Result<Vec<u8>, Trouble> {
    let name = format!("wavelane{}", suffix(target));
    let file = cargo(target, &["-p", "wavelane-cli"])?.join(name);
    Ok(fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Has Cargo build something for a target; returns the folder of the results.
pub(super) fn cargo(target: &str, what: &[&str]) -> Result<PathBuf, Trouble> {
    let libraries =
        text_of(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    if !libraries.is_some_and(|it| Path::new(it.trim()).is_dir()) {
        return Err(Trouble::Lacks(format!(
            "Rust's library for it is not installed: `rustup target add {target}`"
        )));
    }
    let with_zig = target.ends_with("-gnu") && target.contains("linux") && has_zig();
    let linker = match target {
        "aarch64-unknown-linux-gnu" if !with_zig => Some("aarch64-linux-gnu-gcc"),
        "x86_64-pc-windows-gnu" => Some(MINGW),
        _ => None,
    };
    if let Some(linker) = linker
        && !is_there(linker)
    {
        return Err(Trouble::Lacks(format!("there is no `{linker}`")));
    }
    let (command, wanted) = match with_zig {
        true => ("zigbuild", format!("{target}.{GLIBC}")),
        false => ("build", target.to_owned()),
    };
    // By default the linker for Windows writes the time into the program.
    let more: &[&str] = match target.contains("windows") {
        true => &["-Clink-arg=-Wl,--no-insert-timestamp"],
        false => &[],
    };
    let mut build = Command::new("cargo");
    options(&mut build, more)
        .args([command, "--release", "--locked", "--target", &wanted])
        .args(what)
        .env("CARGO_TARGET_DIR", crate::root().join("target"));
    if let Some(linker) = linker {
        let name = target.replace('-', "_").to_uppercase();
        build.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
    }
    if !build.status().is_ok_and(|it| it.success()) {
        return Err(Trouble::Fails("the build failed".to_owned()));
    }
    Ok(crate::root().join("target").join(target).join("release"))
}

/// The newest version of glibc whose symbols a program wants; `None` if it uses no glibc.
pub(super) fn newest_glibc(program: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"GLIBC_2.";
    let is_digit = |it: &&u8| it.is_ascii_digit();
    let versions = program.windows(MARK.len()).enumerate().filter(|(_, it)| *it == MARK);
    let minors = versions.filter_map(|(at, _)| {
        let digits = program[at + MARK.len()..].iter().take_while(is_digit).take(4);
        digits.map(|it| char::from(*it)).collect::<String>().parse::<u32>().ok()
    });
    minors.max().map(|minor| format!("2.{minor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_counts() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.9\0GLIBC_PRIVATE\0";
        assert_eq!(newest_glibc(program), Some("2.17".to_owned()));
        assert_eq!(newest_glibc(b"static"), None);
    }
}
