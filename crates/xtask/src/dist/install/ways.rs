//! The ways to install wavelane, one for each package.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::build::{self, MINGW};
use super::super::{Trouble, file_name, version};
use super::proof::{Proof, write_program};
use super::said;

/// Where the first programs in Python and JavaScript are, and what both print.
const DOCUMENT: &str = "docs/install.md";
const PRINTED: &str = "0 0 1 3 0 4 9 15";
/// Where the one in C is, and what it prints.
const C_DOCUMENT: &str = "docs/c.md";
const C_PRINTED: &str = "7 0";

/// Where Windows has random numbers, which Rust's hash tables start with.
const RANDOM: &str = "bcryptprimitives.dll";

/// How a package is installed, and by which tools.
pub(super) struct Way {
    pub(super) name: &'static str,
    /// How its file's name begins and ends.
    pub(super) file: (&'static str, &'static str),
    pub(super) tools: &'static [&'static str],
    /// Installs a file in a prefix.
    pub(super) install: fn(&Path, &Path) -> Result<Vec<Proof>, Trouble>,
}

pub(super) const WAYS: [Way; 9] = [
    Way {
        name: "archive",
        file: ("wavelane-", "-x86_64-unknown-linux-gnu.tar.gz"),
        tools: &["tar", "sha256sum"],
        install: by_script,
    },
    Way {
        name: "static archive",
        file: ("wavelane-", "-x86_64-unknown-linux-musl.tar.gz"),
        tools: &["tar", "sha256sum"],
        install: by_script,
    },
    Way {
        name: "archive for ARM",
        file: ("wavelane-", "-aarch64-unknown-linux-gnu.tar.gz"),
        tools: &["tar", "sha256sum", "qemu-aarch64"],
        install: under_qemu,
    },
    Way {
        name: "archive for Windows",
        file: ("wavelane-", "-x86_64-pc-windows-gnu.tar.gz"),
        tools: &["tar", "wine"],
        install: under_wine,
    },
    Way {
        name: "Debian package",
        file: ("wavelane_", "_amd64.deb"),
        tools: &["dpkg-deb"],
        install: by_dpkg,
    },
    Way {
        name: "C archive",
        file: ("wavelane-c-", "-x86_64-unknown-linux-gnu.tar.gz"),
        tools: &["tar", "cc", "pkg-config"],
        install: by_pkg_config,
    },
    Way { name: "wheel", file: ("wavelane-", ".whl"), tools: &["python3"], install: by_pip },
    Way {
        name: "npm package",
        file: ("wavelane-", ".tgz"),
        tools: &["npm", "node"],
        install: by_npm,
    },
    Way {
        name: "container",
        file: ("wavelane-", "-x86_64-unknown-linux-musl.tar.gz"),
        tools: &["docker"],
        install: in_container,
    },
];

/// A script takes the archive from its folder, if the checksum there is right.
fn installed_by_script(file: &Path, prefix: &Path) -> Result<PathBuf, Trouble> {
    let name = file_name(file);
    let target = name
        .strip_suffix(".tar.gz")
        .and_then(|it| it.strip_prefix("wavelane-")?.strip_prefix(version())?.strip_prefix('-'));
    let target = target.ok_or_else(|| format!("{name} names no target"))?;
    let mut command = Command::new("sh");
    command.arg(crate::root().join("packaging/install.sh")).args(["--version", version()]);
    command.args(["--target", target, "--from"]).arg(file.parent().unwrap_or(Path::new(".")));
    said(command.arg("--to").arg(prefix))?;
    Ok(prefix.join("wavelane"))
}

fn by_script(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    Ok(vec![Proof::readme(Command::new(installed_by_script(file, prefix)?))?])
}

fn under_qemu(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    let mut command = Command::new("qemu-aarch64");
    // Where distributions put the C library of that processor.
    command.args(["-L", "/usr/aarch64-linux-gnu"]).arg(installed_by_script(file, prefix)?);
    Ok(vec![Proof::readme(command)?])
}

/// Unpacks an archive; returns the folder in it.
fn unpacked(file: &Path, prefix: &Path) -> Result<PathBuf, String> {
    said(Command::new("tar").arg("-xzf").arg(file).arg("-C").arg(prefix))?;
    Ok(prefix.join(file_name(file).trim_end_matches(".tar.gz")))
}

fn under_wine(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    let folder = unpacked(file, prefix)?;
    let home = prefix.join("wine");
    let wine = || {
        let mut command = Command::new("wine");
        command.env("WINEPREFIX", &home).env("WINEDEBUG", "fixme-all");
        command
    };
    said(wine().args(["wineboot", "--init"]))?;
    if !home.join("drive_c/windows/system32").join(RANDOM).exists() {
        substitute_random(&folder)?;
    }
    let mut command = wine();
    command.arg(folder.join("wavelane.exe"));
    Ok(vec![Proof::readme(command)?])
}

/// Makes the library that an old Wine lacks, beside the program.
fn substitute_random(folder: &Path) -> Result<(), Trouble> {
    if !build::is_there(MINGW) {
        let what = format!("this `wine` has no `{RANDOM}`, and there is no `{MINGW}` to make one");
        return Err(Trouble::Lacks(what));
    }
    let mut compile = Command::new(MINGW);
    compile.arg("-shared").arg(crate::root().join("packaging/bcryptprimitives.c"));
    said(compile.arg("-ladvapi32").arg("-o").arg(folder.join(RANDOM)))?;
    Ok(())
}

fn by_dpkg(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    // `dpkg --install` would need the rights of root; what it unpacks is the same.
    said(Command::new("dpkg-deb").arg("--extract").arg(file).arg(prefix))?;
    Ok(vec![Proof::readme(Command::new(prefix.join("usr/bin/wavelane")))?])
}

/// Compiles the first program with the flags that the file for `pkg-config` gives.
fn by_pkg_config(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    let folder = unpacked(file, prefix)?;
    let (source, program) = (prefix.join("first.c"), prefix.join("first"));
    write_program(C_DOCUMENT, "c", &source)?;
    let mut command = Command::new("pkg-config");
    command.args(["--cflags", "--libs", "wavelane"]);
    let flags = said(command.env("PKG_CONFIG_PATH", folder.join("lib/pkgconfig")))?;
    let mut compile = Command::new("cc");
    compile.arg(&source).arg("-o").arg(&program).args(flags.split_whitespace());
    said(&mut compile)?;
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", folder.join("lib"));
    Ok(vec![Proof::program(command, C_PRINTED)])
}

fn by_pip(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    said(Command::new("python3").args(["-m", "venv"]).arg(prefix))?;
    let pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"];
    let python = prefix.join("bin/python");
    said(Command::new(&python).args(pip).arg(file))?;
    let source = prefix.join("first.py");
    write_program(DOCUMENT, "python", &source)?;
    let mut first = Command::new(&python);
    first.arg(source).current_dir(prefix);
    let command = Command::new(prefix.join("bin/wavelane"));
    Ok(vec![Proof::readme(command)?, Proof::program(first, PRINTED)])
}

fn by_npm(file: &Path, prefix: &Path) -> Result<Vec<Proof>, Trouble> {
    let words = ["install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix"];
    said(Command::new("npm").args(words).arg(prefix).arg(file))?;
    let source = prefix.join("first.mjs");
    write_program(DOCUMENT, "js", &source)?;
    let mut first = Command::new("node");
    first.arg(source).current_dir(prefix);
    let command = Command::new(prefix.join("node_modules/.bin/wavelane"));
    Ok(vec![Proof::readme_as_json(command)?, Proof::program(first, PRINTED)])
}

/// Builds an image of the folder of the packages, whose `Containerfile` takes the static program.
fn in_container(file: &Path, _: &Path) -> Result<Vec<Proof>, Trouble> {
    if let Err(why) = said(Command::new("docker").arg("info")) {
        return Err(Trouble::Lacks(why));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let recipe = folder.join("Containerfile");
    let image = "wavelane-try";
    let mut build = Command::new("docker");
    said(build.args(["build", "--quiet", "--tag", image, "--file"]).arg(recipe).arg(folder))?;
    let mut command = Command::new("docker");
    command.args(["run", "--rm", "--volume"]);
    command.arg(format!("{}:/work:ro", crate::root().display())).arg(image);
    Ok(vec![Proof::readme(command)?])
}
