//! `cargo xtask dist`: the packages of a release, with their checksums.
//!
//! Everything is reproducible: programs have none of this machine's paths, and members of archives are sorted and have
//! no times, users or groups of it; a package that names a path of it is not written. What a package needs and this
//! machine lacks is printed as skipped.

mod archive;
mod build;
mod contents;
mod debian;
mod install;
mod library;
mod lists;
mod npm;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};

use archive::Member;
use sha2::{Digest, Sha256};

/// What wavelane is, in the words of package managers.
const DESCRIPTION: &str = "HLSL wave intrinsics, exact, at any wave width, without a GPU";
/// The files that stand beside the program in every archive.
const BESIDE: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];
/// The targets, with the names of their processors in Debian packages where one is made.
const TARGETS: [(&str, Option<&str>); 4] = [
    ("x86_64-unknown-linux-gnu", Some("amd64")),
    ("x86_64-unknown-linux-musl", None),
    ("aarch64-unknown-linux-gnu", Some("arm64")),
    ("x86_64-pc-windows-gnu", None),
];
/// The checksums of the packages of a folder.
const SUMS: &str = "SHA256SUMS";
/// Writes a package into a folder.
type Package = fn(&Path) -> Result<PathBuf, Trouble>;
/// The packages besides those of targets.
const OTHERS: [(&str, Package); 3] =
    [("c", library::write), ("wheel", wheel::write), ("npm", npm::write)];

/// Why there is no package.
enum Trouble {
    /// A tool, a target or a file of the folder is not there: printed as skipped.
    Lacks(String),
    Fails(String),
}

impl From<String> for Trouble {
    fn from(why: String) -> Trouble {
        Trouble::Fails(why)
    }
}

/// Writes the packages into a folder: `--out DIR`, by default `target/dist`. Words choose packages; without them all
/// are made. With `--try` those that are there are installed instead.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut out = crate::root().join("target/dist");
    let (mut chosen, mut tries) = (Vec::new(), false);
    let mut words = arguments.iter();
    let names: Vec<&str> =
        TARGETS.iter().map(|it| it.0).chain(OTHERS.iter().map(|it| it.0)).collect();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" => {
                let folder = words.next().ok_or("`--out` takes a folder")?;
                // The tools that are started below run in other folders.
                out = std::path::absolute(folder).map_err(|error| format!("{folder}: {error}"))?;
            }
            "--try" => tries = true,
            word if names.contains(&word) => chosen.push(word),
            other => {
                return Err(format!(
                    "unknown package `{other}`; there are `{}`",
                    names.join("`, `")
                ));
            }
        }
    }
    if tries {
        return match chosen.is_empty() {
            true => install::run(&out),
            false => Err("`--try` tries all packages of the folder".to_owned()),
        };
    }
    fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let is_chosen = |name: &str| chosen.is_empty() || chosen.contains(&name);
    let of_targets = TARGETS
        .into_iter()
        .filter(|it| is_chosen(it.0))
        .map(|(target, debian)| (target, of_target(&out, target, debian)));
    let others = OTHERS
        .into_iter()
        .filter(|it| is_chosen(it.0))
        .map(|(name, package)| (name, package(&out).map(|it| vec![it])));
    let (mut made, mut failures) = (0, Vec::new());
    for (name, files) in of_targets.chain(others) {
        match files {
            Ok(files) => made += files.len(),
            Err(Trouble::Lacks(what)) => println!("skipped: {name}: {what}"),
            Err(Trouble::Fails(why)) => failures.push(format!("{name}: {why}")),
        }
    }
    // The lists name whatever packages the folder has, also those of earlier calls.
    lists::write(&out, &packages(&out)?)?;
    let sums = checksums(&packages(&out)?)?;
    write(&out, SUMS, sums.as_bytes())?;
    print!("{sums}");
    match (failures.is_empty(), made) {
        (false, _) => Err(failures.join("\n")),
        (true, 0) => Err("no package could be made".to_owned()),
        (true, _) => Ok(()),
    }
}

/// The files of a folder of packages, without their checksums.
fn packages(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = entries.filter_map(|it| Some(it.ok()?.path()));
    Ok(files.filter(|it| it.is_file() && file_name(it) != SUMS).collect())
}

/// The packages of a target: an archive, and for some a Debian package.
fn of_target(out: &Path, target: &str, debian: Option<&str>) -> Result<Vec<PathBuf>, Trouble> {
    let program = build::program(target)?;
    let glibc = build::newest_glibc(&program);
    if let Some(version) = &glibc {
        println!("{target}: runs with glibc {version} and later");
    }
    let archive = format!("{}.tar.gz", name_of(target));
    let mut written = vec![write(out, &archive, &tarball(target, program.clone())?)?];
    if let Some(architecture) = debian {
        let name = format!("wavelane_{}_{architecture}.deb", version());
        let package = debian::package(architecture, glibc.as_deref(), program, beside()?)?;
        written.push(write(out, &name, &package)?);
    }
    Ok(written)
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The name of a target's archive and of the folder in it, which `cargo binstall` knows too.
fn name_of(target: &str) -> String {
    format!("wavelane-{}-{target}", version())
}

/// Writes a package or a list into a folder, unless it names a path of this machine.
fn write(folder: &Path, name: &str, contents: &[u8]) -> Result<PathBuf, String> {
    contents::check(name, contents)?;
    let path = folder.join(name);
    fs::write(&path, contents).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// The SHA-256 of a file, in hexadecimal digits.
fn checksum(contents: &[u8]) -> String {
    Sha256::digest(contents).iter().map(|it| format!("{it:02x}")).collect()
}

/// The lines of `sha256sum`, in the order of names.
fn checksums(files: &[PathBuf]) -> Result<String, String> {
    let mut lines = Vec::new();
    for file in files {
        let contents = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        lines.push((file_name(file), checksum(&contents)));
    }
    lines.sort();
    Ok(lines.into_iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn read(name: &str) -> Result<Vec<u8>, String> {
    fs::read(crate::root().join(name)).map_err(|error| format!("{name}: {error}"))
}

fn beside() -> Result<Vec<(String, Vec<u8>)>, String> {
    BESIDE.into_iter().map(|name| Ok((name.to_owned(), read(name)?))).collect()
}

/// The licences, as members in a folder.
fn licences(folder: &str) -> Result<Vec<Member>, String> {
    let all = beside()?.into_iter().filter(|it| it.0.starts_with("LICENSE"));
    Ok(all.map(|(name, it)| Member::file(format!("{folder}/{name}"), it)).collect())
}

fn tarball(target: &str, program: Vec<u8>) -> Result<Vec<u8>, String> {
    let folder = name_of(target);
    let mut members =
        vec![Member::program(format!("{folder}/wavelane{}", build::suffix(target)), program)];
    members.extend(
        beside()?.into_iter().map(|(name, it)| Member::file(format!("{folder}/{name}"), it)),
    );
    archive::tar_gz(members)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    /// The output of a program that reads an archive; `None` without the program.
    fn read_by(program: &str, arguments: &[&str], archive: &[u8], name: &str) -> Option<String> {
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        fs::write(&path, archive).unwrap();
        let output = Command::new(program).args(arguments).arg(&path).output();
        fs::remove_file(&path).unwrap();
        let Ok(output) = output else {
            skipped::skipped!("there is no `{program}`");
            return None;
        };
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn packages_are_the_same_each_time_and_other_programs_read_them() {
        let program = b"#!/bin/sh\nexit 0\n".repeat(1000);
        let tarball = || tarball("x86_64-unknown-linux-gnu", program.clone()).unwrap();
        let package =
            || debian::package("amd64", Some("2.17"), program.clone(), beside().unwrap()).unwrap();
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
            let names: Vec<&str> =
                list.lines().filter_map(|it| it.split_whitespace().last()).collect();
            assert!(names.contains(&"usr/bin/wavelane"), "{list}");
            // `dpkg` makes no folder that the package does not have.
            for (at, name) in names.iter().enumerate() {
                let folder = name.trim_end_matches('/').rfind('/').map(|end| &name[..=end]);
                assert!(folder.is_none_or(|it| names[..at].contains(&it)), "{name}: {list}");
            }
        }
        if let Some(fields) = read_by("dpkg-deb", &["--info"], &debian, "info.deb") {
            assert!(fields.contains(&format!("Version: {}", version())), "{fields}");
            assert!(fields.contains("Depends: libc6 (>= 2.17)"), "{fields}");
        }
    }

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let text = b"abc".repeat(100);
        let mut child =
            match Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
                Ok(child) => child,
                Err(_) => return skipped::skipped!("there is no `sha256sum`"),
            };
        child.stdin.take().unwrap().write_all(&text).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().starts_with(&checksum(&text)));
    }

    #[test]
    fn the_script_installs_what_has_the_right_checksum_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("{}-install", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let target = "x86_64-unknown-linux-gnu";
        let program = b"#!/bin/sh\necho installed\n".to_vec();
        let archive = format!("{}.tar.gz", name_of(target));
        let written = write(&folder, &archive, &tarball(target, program).unwrap()).unwrap();
        write(&folder, "SHA256SUMS", checksums(&[written]).unwrap().as_bytes()).unwrap();
        let install = || {
            let script = crate::root().join("packaging/install.sh");
            let words = ["--version", version(), "--target", target];
            let mut command = Command::new("sh");
            // Relative folders are those of the caller.
            command.arg(script).args(words).args(["--from", ".", "--to", "bin"]);
            command.current_dir(&folder).output()
        };
        let Ok(output) = install() else { return skipped::skipped!("there is no `sh`") };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let ran = Command::new(folder.join("bin/wavelane")).output().unwrap();
        assert_eq!(ran.stdout, b"installed\n");
        write(&folder, &archive, &tarball(target, b"another".to_vec()).unwrap()).unwrap();
        fs::remove_file(folder.join("bin/wavelane")).unwrap();
        let output = install().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("the checksum") && !output.status.success(), "{said}");
        assert!(!folder.join("bin/wavelane").exists());
        fs::remove_dir_all(&folder).unwrap();
    }

    /// `uname` is a script here that describes another machine.
    #[cfg(unix)]
    #[test]
    fn the_script_takes_the_archive_of_this_machine() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("{}-uname", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        write(&folder, "SHA256SUMS", b"").unwrap();
        for (system, processor, expected) in [
            ("Linux", "x86_64", format!("{}.tar.gz", name_of("x86_64-unknown-linux-gnu"))),
            ("Linux", "aarch64", format!("{}.tar.gz", name_of("aarch64-unknown-linux-gnu"))),
            ("Darwin", "arm64", "error: this script has no archive for Darwin arm64".to_owned()),
        ] {
            let text = format!("#!/bin/sh\n[ $1 = -s ] && echo {system} || echo {processor}\n");
            let written = write(&folder, "uname", text.as_bytes()).unwrap();
            fs::set_permissions(&written, fs::Permissions::from_mode(0o755)).unwrap();
            let mut command = Command::new("sh");
            command.args(["-c", "PATH=.:$PATH exec sh \"$@\"", "sh"]).current_dir(&folder);
            command.arg(crate::root().join("packaging/install.sh")).args(["--from", "."]);
            let output = command.args(["--to", "bin"]).output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains(&expected) && !output.status.success(), "{said}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    /// The template in the command's `Cargo.toml` gives the names that are written here.
    #[test]
    fn binstall_finds_the_archives() {
        let manifest = String::from_utf8(read("crates/cli/Cargo.toml").unwrap()).unwrap();
        let line = |key: &str| {
            let found = manifest.lines().find_map(|it| it.strip_prefix(key)?.strip_prefix(" = "));
            let text = found.unwrap().trim_matches('"').replace("{ version }", version());
            text.replace("{ bin }{ binary-ext }", "wavelane").replace("{ target }", TARGETS[0].0)
        };
        assert!(line("pkg-url").ends_with(&format!("/{}.tar.gz", name_of(TARGETS[0].0))));
        assert_eq!(line("bin-dir"), format!("{}/wavelane", name_of(TARGETS[0].0)));
    }

    /// `cargo publish` refuses a crate one of whose dependencies has no version.
    #[test]
    fn the_crates_can_be_published() {
        let mut command = Command::new(env!("CARGO"));
        command.args(["package", "--workspace", "--no-verify", "--offline", "--allow-dirty"]);
        for entry in fs::read_dir(crate::root().join("crates")).unwrap() {
            let manifest = fs::read_to_string(entry.unwrap().path().join("Cargo.toml")).unwrap();
            if manifest.lines().any(|it| it == "publish = false") {
                let name = manifest.lines().find_map(|it| it.strip_prefix("name = ")).unwrap();
                command.args(["--exclude", name.trim_matches('"')]);
            }
        }
        let folder = std::env::temp_dir().join(format!("{}-crates", std::process::id()));
        command.arg("--target-dir").arg(&folder).current_dir(crate::root());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let packages = fs::read_dir(folder.join("package")).unwrap();
        let names: Vec<String> = packages.map(|it| file_name(&it.unwrap().path())).collect();
        for name in ["wavelane", "wavelane-cli"] {
            assert!(names.contains(&format!("{name}-{}.crate", version())), "{names:?}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn unknown_packages_are_refused() {
        let error = run(&["msi".to_owned()]).unwrap_err();
        assert!(error.starts_with("unknown package `msi`"), "{error}");
    }
}
