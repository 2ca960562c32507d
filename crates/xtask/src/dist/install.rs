//! `cargo xtask dist --try`: installs each package of a folder in a new prefix, and runs the first command of README
//! there, or the first program of `docs/install.md` in the language that the package is for.

mod proof;
mod ways;

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Trouble, build};
use ways::{WAYS, Way};

/// Tries the packages of a folder; what is not there, or has no tool here to install or run it, is printed as skipped.
pub(super) fn run(out: &Path) -> Result<(), String> {
    let mut failures = Vec::new();
    let mut tried = 0;
    for way in &WAYS {
        match try_way(way, out) {
            Ok(proofs) => {
                println!("{}: {}", way.name, proofs.join(", and "));
                tried += 1;
            }
            Err(Trouble::Lacks(what)) => println!("skipped: {}: {what}", way.name),
            Err(Trouble::Fails(what)) => failures.push(format!("{}: {what}", way.name)),
        }
    }
    match (failures.is_empty(), tried) {
        (false, _) => Err(failures.join("\n")),
        (true, 0) => Err(format!("{} has no package that can be tried here", out.display())),
        (true, _) => Ok(()),
    }
}

/// Installs a package and runs its proofs; returns what they show.
fn try_way(way: &Way, out: &Path) -> Result<Vec<String>, Trouble> {
    let (start, end) = way.file;
    let file = fs::read_dir(out)
        .map_err(|error| format!("{}: {error}", out.display()))?
        .filter_map(|it| Some(it.ok()?.path()))
        .filter(|it| {
            let name = super::file_name(it);
            name.strip_prefix(start).is_some_and(|it| it.starts_with(super::version()))
                && name.ends_with(end)
        })
        .min()
        .ok_or_else(|| Trouble::Lacks("it is not in the folder".to_owned()))?;
    if let Some(tool) = way.tools.iter().find(|it| !build::is_there(it)) {
        return Err(Trouble::Lacks(format!("there is no `{tool}`")));
    }
    let prefix = std::env::temp_dir().join(format!("{}-{end}", std::process::id()));
    let shown = fs::create_dir_all(&prefix)
        .map_err(|error| Trouble::Fails(format!("{}: {error}", prefix.display())))
        .and_then(|()| (way.install)(&file, &prefix))
        .and_then(|proofs| proofs.into_iter().map(|it| Ok(it.shown()?)).collect());
    let _ = fs::remove_dir_all(&prefix);
    shown
}

/// What a command prints; if it fails, what it says.
fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        // Programs of Windows end lines with a carriage return too.
        true => Ok(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n")),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim_end())),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Packages whose program is a script, which prints what it is told to.
    fn packages(folder: &Path, printed: &str) {
        let program = format!("#!/bin/sh\ncat <<'END'\n{printed}\nEND\n").into_bytes();
        fs::create_dir_all(folder).unwrap();
        let target = "x86_64-unknown-linux-gnu";
        let archive = super::super::tarball(target, program.clone()).unwrap();
        let name = format!("{}.tar.gz", super::super::name_of(target));
        let written = super::super::write(folder, &name, &archive).unwrap();
        let debian = super::super::debian::package("amd64", None, program, Vec::new()).unwrap();
        let name = format!("wavelane_{}_amd64.deb", super::super::version());
        super::super::write(folder, &name, &debian).unwrap();
        let sums = super::super::checksums(&[written]).unwrap();
        super::super::write(folder, "SHA256SUMS", sums.as_bytes()).unwrap();
    }

    #[test]
    fn packages_are_installed_and_must_print_what_the_readme_shows() {
        let missing = WAYS.iter().flat_map(|it| it.tools).take(3).find(|it| !build::is_there(it));
        if let Some(tool) = missing {
            return skipped::skipped!("there is no `{tool}`");
        }
        let folder = std::env::temp_dir().join(format!("{}-try", std::process::id()));
        packages(&folder, &proof::first_command().unwrap().1);
        assert_eq!(run(&folder), Ok(()));
        packages(&folder, "something else");
        let error = run(&folder).unwrap_err();
        assert!(
            error.contains("archive: README's first command") && error.contains("else"),
            "{error}"
        );
        if build::is_there("dpkg-deb") {
            assert!(error.contains("Debian package: README's first command"), "{error}");
        }
        fs::write(folder.join("SHA256SUMS"), "").unwrap();
        assert!(run(&folder).unwrap_err().contains("SHA256SUMS does not have"));
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir_all(&folder).unwrap();
        assert!(run(&folder).unwrap_err().contains("has no package that can be tried here"));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// A library that is not what its header says: the program does not even link.
    #[test]
    fn a_c_archive_must_compile_and_run_the_first_program() {
        let way = WAYS.iter().find(|it| it.name == "C archive").unwrap();
        if let Some(tool) = way.tools.iter().find(|it| !build::is_there(it)) {
            return skipped::skipped!("there is no `{tool}`");
        }
        let folder = std::env::temp_dir().join(format!("{}-try-c", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let archive = super::super::library::package(b"no library".to_vec()).unwrap();
        let name =
            format!("wavelane-c-{}-x86_64-unknown-linux-gnu.tar.gz", super::super::version());
        super::super::write(&folder, &name, &archive).unwrap();
        let Err(Trouble::Fails(error)) = try_way(way, &folder) else { panic!("it must fail") };
        assert!(error.starts_with("cc: "), "{error}");
        fs::remove_dir_all(&folder).unwrap();
    }
}
