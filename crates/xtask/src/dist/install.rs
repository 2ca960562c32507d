//! `cargo xtask dist --try`: installs each package of a folder in a new prefix, and runs the first command of README there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Trouble, build};

/// What the first command of README is, and what stands below it there.
struct Shown {
    words: Vec<String>,
    printed: String,
}

/// How a package is installed: by which tools, in which prefix, and where the command is then.
struct Kind {
    name: &'static str,
    /// How its file's name begins and ends.
    file: (&'static str, &'static str),
    tools: &'static [&'static str],
    install: fn(&Path, &Path) -> Result<PathBuf, String>,
    /// Whether the command prints what README shows; the one of npm prints the buffers as JSON instead.
    prints_text: bool,
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "archive",
        file: ("wavelane-", "-x86_64-unknown-linux-gnu.tar.gz"),
        tools: &["tar", "sha256sum"],
        install: by_script,
        prints_text: true,
    },
    Kind {
        name: "static archive",
        file: ("wavelane-", "-x86_64-unknown-linux-musl.tar.gz"),
        tools: &["tar", "sha256sum"],
        install: by_script,
        prints_text: true,
    },
    Kind {
        name: "Debian package",
        file: ("wavelane_", "_amd64.deb"),
        tools: &["dpkg-deb"],
        install: by_dpkg,
        prints_text: true,
    },
    Kind {
        name: "wheel",
        file: ("wavelane-", ".whl"),
        tools: &["python3"],
        install: by_pip,
        prints_text: true,
    },
    Kind {
        name: "npm package",
        file: ("wavelane-", ".tgz"),
        tools: &["npm", "node"],
        install: by_npm,
        prints_text: false,
    },
];

/// Tries the packages of a folder; what is not there, or has no tool here to install it, is printed as skipped.
pub(super) fn run(out: &Path) -> Result<(), String> {
    let shown = first_command(&String::from_utf8_lossy(&super::read("README.md")?))?;
    let mut failures = Vec::new();
    let mut tried = 0;
    for kind in &KINDS {
        match tried_of(kind, out, &shown) {
            Ok(file) => {
                println!("{}: {} runs README's first command", kind.name, super::file_name(&file));
                tried += 1;
            }
            Err(Trouble::Lacks(what)) => println!("skipped: {}: {what}", kind.name),
            Err(Trouble::Fails(what)) => failures.push(format!("{}: {what}", kind.name)),
        }
    }
    match (failures.is_empty(), tried) {
        (false, _) => Err(failures.join("\n")),
        (true, 0) => Err(format!("{} has no package that can be tried here", out.display())),
        (true, _) => Ok(()),
    }
}

fn tried_of(kind: &Kind, out: &Path, shown: &Shown) -> Result<PathBuf, Trouble> {
    let (start, end) = kind.file;
    let file = fs::read_dir(out)
        .map_err(|error| Trouble::Fails(format!("{}: {error}", out.display())))?
        .filter_map(|it| Some(it.ok()?.path()))
        .filter(|it| {
            let name = super::file_name(it);
            name.strip_prefix(start).is_some_and(|it| it.starts_with(super::version()))
                && name.ends_with(end)
        })
        .min()
        .ok_or_else(|| Trouble::Lacks("it is not in the folder".to_owned()))?;
    if let Some(tool) = kind.tools.iter().find(|it| !build::is_there(it)) {
        return Err(Trouble::Lacks(format!("there is no `{tool}`")));
    }
    let prefix = std::env::temp_dir().join(format!("{}-{end}", std::process::id()));
    let installed = fs::create_dir_all(&prefix)
        .map_err(|error| format!("{}: {error}", prefix.display()))
        .and_then(|()| (kind.install)(&file, &prefix))
        .and_then(|program| runs(&program, shown, kind.prints_text));
    let _ = fs::remove_dir_all(&prefix);
    installed.map(|()| file).map_err(Trouble::Fails)
}

/// The first command that README shows with its output.
fn first_command(readme: &str) -> Result<Shown, String> {
    let block = readme.split("```console\n$ wavelane ").nth(1);
    let block = block.and_then(|it| it.split("```").next()).and_then(|it| it.split_once('\n'));
    let (command, printed) = block.ok_or("README.md shows no command")?;
    // Quotes keep words together, and nothing is escaped in them.
    let mut words = Vec::new();
    for (at, piece) in command.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_owned)),
            _ => words.push(piece.to_owned()),
        }
    }
    Ok(Shown { words, printed: printed.trim_end().to_owned() })
}

fn runs(program: &Path, shown: &Shown, prints_text: bool) -> Result<(), String> {
    let printed = said(Command::new(program).args(&shown.words).current_dir(crate::root()))?;
    let is_right = match prints_text {
        true => printed.trim_end() == shown.printed,
        false => serde_json::from_str::<serde_json::Value>(&printed).is_ok(),
    };
    match is_right {
        true => Ok(()),
        false => Err(format!("`wavelane {}` prints\n{printed}", shown.words.join(" "))),
    }
}

/// What a command prints; if it fails, what it says.
fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim_end())),
    }
}

/// The script takes the archive from its folder, if the checksum there is right.
fn by_script(file: &Path, prefix: &Path) -> Result<PathBuf, String> {
    let name = super::file_name(file);
    let target = name.strip_suffix(".tar.gz").and_then(|it| {
        it.strip_prefix("wavelane-")?.strip_prefix(super::version())?.strip_prefix('-')
    });
    let target = target.ok_or_else(|| format!("{name} names no target"))?;
    let mut command = Command::new("sh");
    command.arg(crate::root().join("packaging/install.sh")).args(["--version", super::version()]);
    command.args(["--target", target, "--from"]).arg(file.parent().unwrap_or(Path::new(".")));
    said(command.arg("--to").arg(prefix))?;
    Ok(prefix.join("wavelane"))
}

fn by_dpkg(file: &Path, prefix: &Path) -> Result<PathBuf, String> {
    // `dpkg --install` would need the rights of root; what it unpacks is the same.
    said(Command::new("dpkg-deb").arg("--extract").arg(file).arg(prefix))?;
    Ok(prefix.join("usr/bin/wavelane"))
}

fn by_pip(file: &Path, prefix: &Path) -> Result<PathBuf, String> {
    said(Command::new("python3").args(["-m", "venv"]).arg(prefix))?;
    let pip = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps"];
    let python = prefix.join("bin/python");
    said(Command::new(&python).args(pip).arg(file))?;
    said(Command::new(&python).args(["-c", "import wavelane"]).current_dir(prefix))?;
    Ok(prefix.join("bin/wavelane"))
}

fn by_npm(file: &Path, prefix: &Path) -> Result<PathBuf, String> {
    let words = ["install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix"];
    said(Command::new("npm").args(words).arg(prefix).arg(file))?;
    Ok(prefix.join("node_modules/.bin/wavelane"))
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
        let missing = KINDS.iter().flat_map(|it| it.tools).take(3).find(|it| !build::is_there(it));
        if let Some(tool) = missing {
            return println!("skipped: there is no `{tool}`");
        }
        let folder = std::env::temp_dir().join(format!("{}-try", std::process::id()));
        let shown = first_command(&fs::read_to_string(crate::root().join("README.md")).unwrap());
        packages(&folder, &shown.unwrap().printed);
        assert_eq!(run(&folder), Ok(()));
        packages(&folder, "something else");
        let error = run(&folder).unwrap_err();
        assert!(error.contains("archive: `wavelane run ") && error.contains("else"), "{error}");
        if build::is_there("dpkg-deb") {
            assert!(error.contains("Debian package: `wavelane run "), "{error}");
        }
        fs::write(folder.join("SHA256SUMS"), "").unwrap();
        assert!(run(&folder).unwrap_err().contains("SHA256SUMS does not have"));
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir_all(&folder).unwrap();
        assert!(run(&folder).unwrap_err().contains("has no package that can be tried here"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn quotes_keep_the_words_of_a_command_together() {
        let readme = "# x\n```console\n$ wavelane run a.hlsl --bind 'A=u32: 1'\n 1\n```\n";
        let shown = first_command(readme).unwrap();
        assert_eq!(shown.words, ["run", "a.hlsl", "--bind", "A=u32: 1"]);
        assert_eq!(shown.printed, " 1");
        assert!(first_command("nothing").is_err());
    }
}
