//! The npm package: the WebAssembly module, and the few lines of JavaScript around it that are in `packaging/npm`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::archive::{self, Member};
use super::{DESCRIPTION, Trouble, licences, read, version};

/// The files beside the module.
const FILES: [&str; 4] = ["README.md", "cli.js", "index.d.ts", "index.js"];

pub(super) fn write(out: &Path) -> Result<PathBuf, Trouble> {
    let module = crate::web::module()?;
    let module = module.ok_or_else(|| Trouble::Lacks(crate::web::MISSING.to_owned()))?;
    Ok(super::write(out, &format!("wavelane-{}.tgz", version()), &package(module)?)?)
}

fn package(module: Vec<u8>) -> Result<Vec<u8>, String> {
    let manifest = json!({
        "name": "wavelane",
        "version": version(),
        "description": DESCRIPTION,
        "license": env!("CARGO_PKG_LICENSE"),
        "repository": env!("CARGO_PKG_REPOSITORY"),
        "type": "module",
        "main": "index.js",
        "types": "index.d.ts",
        "bin": { "wavelane": "cli.js" },
        "engines": { "node": ">=18" },
    });
    // npm wants all members in this folder.
    let at = |name: &str| format!("package/{name}");
    let mut members = vec![
        Member::file(at("package.json"), format!("{manifest:#}\n").into_bytes()),
        Member::file(at("wavelane.wasm"), module),
    ];
    for name in FILES {
        let contents = read(&format!("packaging/npm/{name}"))?;
        members.push(match name {
            "cli.js" => Member::program(at(name), contents),
            _ => Member::file(at(name), contents),
        });
    }
    members.extend(licences("package")?);
    archive::tar_gz(members)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_same_module_gives_the_same_package() {
        let package = || super::package(b"\0asm".to_vec()).unwrap();
        assert_eq!(package(), package());
    }
}
