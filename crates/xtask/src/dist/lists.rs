//! What package managers and containers read about the archives: a formula of Homebrew, a manifest of Scoop, a
//! `Containerfile`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{DESCRIPTION, checksum, file_name, name_of, version};

/// Writes those whose archives are among the packages of the folder.
pub(super) fn write(out: &Path, packages: &[PathBuf]) -> Result<(), String> {
    for (target, name, text) in [
        ("x86_64-unknown-linux-gnu", "wavelane.rb", formula as fn(&str, &str) -> String),
        ("x86_64-pc-windows-gnu", "wavelane.json", manifest),
        ("x86_64-unknown-linux-musl", "Containerfile", containerfile),
    ] {
        let archive = format!("{}.tar.gz", name_of(target));
        let Some(path) = packages.iter().find(|it| file_name(it) == archive) else { continue };
        let contents = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let sum = checksum(&contents);
        super::write(out, name, text(target, &sum).as_bytes())?;
    }
    Ok(())
}

fn address(target: &str) -> String {
    let repository = env!("CARGO_PKG_REPOSITORY");
    format!("{repository}/releases/download/v{}/{}.tar.gz", version(), name_of(target))
}

fn formula(target: &str, sum: &str) -> String {
    format!(
        "class Wavelane < Formula\n  desc \"{DESCRIPTION}\"\n  homepage \"{}\"\n  url \"{}\"\n  sha256 \"{sum}\"\n  \
         license any_of: [\"MIT\", \"Apache-2.0\"]\n  depends_on arch: :x86_64\n  depends_on :linux\n\n  \
         def install\n    bin.install \"wavelane\"\n  end\n\n  test do\n    system bin/\"wavelane\", \"--version\"\n  end\nend\n",
        env!("CARGO_PKG_REPOSITORY"),
        address(target)
    )
}

fn manifest(target: &str, sum: &str) -> String {
    let manifest = json!({
        "version": version(),
        "description": DESCRIPTION,
        "homepage": env!("CARGO_PKG_REPOSITORY"),
        "license": "MIT|Apache-2.0",
        "architecture": { "64bit": {
            "url": address(target), "hash": sum, "extract_dir": name_of(target),
        } },
        "bin": "wavelane.exe",
    });
    format!("{manifest:#}\n")
}

/// The static program alone in a container; the folder of the packages is the context of the build.
fn containerfile(target: &str, _: &str) -> String {
    let name = name_of(target);
    format!(
        "# docker build -t wavelane . && docker run --rm -v \"$PWD:/work\" wavelane test .\n\
         FROM scratch\nADD {name}.tar.gz /\nWORKDIR /work\nENTRYPOINT [\"/{name}/wavelane\"]\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_name_the_archive_and_its_checksum() {
        let (target, sum) = ("x86_64-pc-windows-gnu", "0123");
        let archive = format!("{}.tar.gz", name_of(target));
        for text in [formula(target, sum), manifest(target, sum)] {
            assert!(text.contains(&archive) && text.contains(sum), "{text}");
        }
        assert!(containerfile(target, sum).contains(&format!("ADD {archive} /")));
    }
}
