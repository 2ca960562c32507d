//! `cargo xtask dist`: the packages of a release, with their checksums.
//!
//! Everything that this program writes itself is reproducible: members are sorted, and have no times, users or groups of this
//! machine. What a package needs and this machine lacks is printed as skipped.

mod archive;
mod sha256;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use archive::Member;

/// The files that stand beside the program in every archive.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// The targets, with the names of their processors in Debian packages where one is made.
const TARGETS: [(&str, Option<&str>); 4] = [
    ("x86_64-unknown-linux-gnu", Some("amd64")),
    ("x86_64-unknown-linux-musl", None),
    ("aarch64-unknown-linux-gnu", Some("arm64")),
    ("x86_64-pc-windows-gnu", None),
];

/// Writes the packages into a folder: `--out DIR`, by default `target/dist`. Words choose targets or `wheel`; without them all
/// are tried.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut out = crate::root().join("target/dist");
    let mut chosen = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" => out = words.next().ok_or("`--out` takes a folder")?.into(),
            word if word == "wheel" || TARGETS.iter().any(|it| it.0 == word) => chosen.push(word),
            other => {
                let targets: Vec<&str> = TARGETS.iter().map(|it| it.0).collect();
                return Err(format!(
                    "unknown package `{other}`; there are `wheel`, `{}`",
                    targets.join("`, `")
                ));
            }
        }
    }
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let is_chosen = |name: &str| chosen.is_empty() || chosen.contains(&name);
    let mut written = Vec::new();
    for (target, debian) in TARGETS.into_iter().filter(|it| is_chosen(it.0)) {
        match program(target) {
            Ok(file) => {
                let program =
                    fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
                written.push(write(
                    &out,
                    &format!("wavelane-{}-{target}.tar.gz", version()),
                    &tarball(target, program.clone())?,
                )?);
                if let Some(architecture) = debian {
                    let name = format!("wavelane_{}_{architecture}.deb", version());
                    written.push(write(&out, &name, &debian_package(architecture, program)?)?);
                }
            }
            Err(why) => println!("skipped: {target}: {why}"),
        }
    }
    if is_chosen("wheel") {
        match wheel(&out) {
            Ok(file) => written.push(file),
            Err(why) => println!("skipped: wheel: {why}"),
        }
    }
    if written.is_empty() {
        return Err("no package could be made".to_owned());
    }
    let sums = checksums(&written)?;
    write(&out, "SHA256SUMS", sums.as_bytes())?;
    print!("{sums}");
    Ok(())
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn write(folder: &Path, name: &str, contents: &[u8]) -> Result<PathBuf, String> {
    let path = folder.join(name);
    fs::write(&path, contents).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// The lines of `sha256sum`, in the order of names.
fn checksums(files: &[PathBuf]) -> Result<String, String> {
    let mut lines = Vec::new();
    for file in files {
        let contents = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        lines.push((name, sha256::hex(&contents)));
    }
    lines.sort();
    Ok(lines.into_iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect())
}

fn text_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|it| it.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// Builds the program for a target.
fn program(target: &str) -> Result<PathBuf, String> {
    let libraries =
        text_of(Command::new("rustc").args(["--print", "target-libdir", "--target", target]));
    if !libraries.is_some_and(|it| Path::new(it.trim()).is_dir()) {
        return Err(format!(
            "Rust's library for it is not installed: `rustup target add {target}`"
        ));
    }
    let linker = match target {
        "aarch64-unknown-linux-gnu" => Some("aarch64-linux-gnu-gcc"),
        "x86_64-pc-windows-gnu" => Some("x86_64-w64-mingw32-gcc"),
        _ => None,
    };
    if let Some(linker) = linker
        && text_of(Command::new(linker).arg("--version")).is_none()
    {
        return Err(format!("there is no `{linker}`"));
    }
    let folder = crate::root().join("target");
    let mut build = Command::new("cargo");
    build
        .args(["build", "--release", "--locked", "-p", "wavelane-cli", "--target", target])
        .current_dir(crate::root())
        // The paths of this machine do not belong into the program.
        .env("RUSTFLAGS", format!("--remap-path-prefix={}=.", crate::root().display()));
    if let Some(linker) = linker {
        build.env(
            format!("CARGO_TARGET_{}_LINKER", target.replace('-', "_").to_uppercase()),
            linker,
        );
    }
    if !build.status().is_ok_and(|it| it.success()) {
        return Err("the build failed".to_owned());
    }
    let suffix = if target.contains("windows") { ".exe" } else { "" };
    Ok(folder.join(target).join(format!("release/wavelane{suffix}")))
}

fn beside() -> Result<Vec<(String, Vec<u8>)>, String> {
    let read = |name: &str| {
        let contents =
            fs::read(crate::root().join(name)).map_err(|error| format!("{name}: {error}"))?;
        Ok((name.to_owned(), contents))
    };
    BESIDE.into_iter().map(read).collect()
}

fn tarball(target: &str, program: Vec<u8>) -> Result<Vec<u8>, String> {
    let folder = format!("wavelane-{}-{target}", version());
    let suffix = if target.contains("windows") { ".exe" } else { "" };
    let mut members = vec![Member::program(format!("{folder}/wavelane{suffix}"), program)];
    members.extend(
        beside()?.into_iter().map(|(name, it)| Member::file(format!("{folder}/{name}"), it)),
    );
    archive::tar_gz(members)
}

/// A package for Debian and what follows it: an archive of three members.
// Spec: deb(5).
fn debian_package(architecture: &str, program: Vec<u8>) -> Result<Vec<u8>, String> {
    let size = program.len().div_ceil(1024);
    let control = format!(
        "Package: wavelane\nVersion: {}\nArchitecture: {architecture}\nMaintainer: the wavelane authors <wavelane@localhost>\n\
         Installed-Size: {size}\nDepends: libc6\nRecommends: libvulkan1\nSection: devel\nPriority: optional\n\
         Description: runs HLSL wave shaders anywhere, exactly, at any wave width\n \
         Compiles HLSL that uses wave intrinsics, and runs it without a GPU at any wave\n \
         width from 4 to 128 lanes; finds what is undefined or depends on the width.\n",
        version()
    );
    let mut data = vec![Member::program("./usr/bin/wavelane".to_owned(), program)];
    data.extend(
        beside()?
            .into_iter()
            .map(|(name, it)| Member::file(format!("./usr/share/doc/wavelane/{name}"), it)),
    );
    let control =
        archive::tar_gz(vec![Member::file("./control".to_owned(), control.into_bytes())])?;
    Ok(archive::ar(&[
        ("debian-binary", b"2.0\n".as_slice()),
        ("control.tar.gz", &control),
        ("data.tar.gz", &archive::tar_gz(data)?),
    ]))
}

/// Has maturin build the wheel.
fn wheel(out: &Path) -> Result<PathBuf, String> {
    if text_of(Command::new("maturin").arg("--version")).is_none() {
        return Err("there is no `maturin`: `pip install maturin`".to_owned());
    }
    let folder = out.join("wheel");
    // A wheel of an earlier version must not be taken for this one.
    let _ = fs::remove_dir_all(&folder);
    let built = Command::new("maturin")
        .args([
            "build",
            "--release",
            "--locked",
            "--manifest-path",
            "crates/python/Cargo.toml",
            "--out",
        ])
        .arg(&folder)
        .current_dir(crate::root())
        .env("SOURCE_DATE_EPOCH", "315532800")
        .status();
    if !built.is_ok_and(|it| it.success()) {
        return Err("the build failed".to_owned());
    }
    let mut files = fs::read_dir(&folder)
        .map_err(|error| error.to_string())?
        .filter_map(|it| Some(it.ok()?.path()));
    let made = files
        .find(|it| it.extension().is_some_and(|it| it == "whl"))
        .ok_or("maturin wrote no wheel")?;
    let to = out.join(made.file_name().unwrap_or_default());
    fs::rename(&made, &to).map_err(|error| error.to_string())?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Stdio;

    use super::*;

    /// The output of a program that reads an archive; `None` without the program.
    fn read_by(program: &str, arguments: &[&str], archive: &[u8], name: &str) -> Option<String> {
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        fs::write(&path, archive).unwrap();
        let output = Command::new(program).args(arguments).arg(&path).output();
        fs::remove_file(&path).unwrap();
        let Ok(output) = output else {
            println!("skipped: there is no `{program}`");
            return None;
        };
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn packages_are_the_same_each_time_and_other_programs_read_them() {
        let program = b"#!/bin/sh\nexit 0\n".repeat(1000);
        let tarball = || tarball("x86_64-unknown-linux-gnu", program.clone()).unwrap();
        let package = || debian_package("amd64", program.clone()).unwrap();
        let (first, debian) = (tarball(), package());
        assert_eq!((&first, &debian), (&tarball(), &package()));
        if let Some(list) = read_by("tar", &["-tvzf"], &first, "dist.tar.gz") {
            let lines: Vec<&str> = list.lines().collect();
            assert_eq!(lines.len(), 1 + BESIDE.len());
            let is_program = |it: &&&str| {
                it.starts_with("-rwxr-xr-x 0/0")
                    && it.ends_with("x86_64-unknown-linux-gnu/wavelane")
            };
            assert_eq!(lines.iter().filter(is_program).count(), 1, "{list}");
        }
        if let Some(list) = read_by("dpkg-deb", &["--contents"], &debian, "dist.deb") {
            assert!(list.contains("./usr/bin/wavelane"), "{list}");
        }
        if let Some(fields) = read_by("dpkg-deb", &["--info"], &debian, "info.deb") {
            assert!(fields.contains(&format!("Version: {}", version())), "{fields}");
        }
    }

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let text = b"abc".repeat(100);
        let mut child =
            match Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
                Ok(child) => child,
                Err(_) => return println!("skipped: there is no `sha256sum`"),
            };
        child.stdin.take().unwrap().write_all(&text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().starts_with(&sha256::hex(&text)));
    }

    #[test]
    fn unknown_packages_are_refused() {
        let error = run(&["msi".to_owned()]).unwrap_err();
        assert!(error.starts_with("unknown package `msi`"), "{error}");
    }
}
