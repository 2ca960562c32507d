//! Builds the WebAssembly module of the crate `web`, and with it all crates below the façade.

use std::path::PathBuf;
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// What is said where the target cannot be had.
pub(crate) const MISSING: &str = "the toolchain has no target `wasm32-unknown-unknown`; `rustup target add wasm32-unknown-unknown` adds it";

/// The bytes of the module; `None` where the toolchain has no such target.
///
/// It has a separate target folder, so that no two builds wait for each other.
pub(super) fn build() -> Result<Option<Vec<u8>>, String> {
    if !has_target() {
        return Ok(None);
    }
    let folder = crate::root().join("target/wasm");
    // Joins the flags that `.cargo/config.toml` has for the target; the variable `RUSTFLAGS` would replace them.
    let flags = format!("target.{TARGET}.rustflags={:?}", crate::folders::flags());
    let status = Command::new("cargo")
        .current_dir(crate::root())
        .args(["build", "--quiet", "-p", "wavelane-web", "--profile", "web", "--target", TARGET])
        .args(["--config", &flags])
        .arg("--target-dir")
        .arg(&folder)
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !status.success() {
        return Err("the module does not build".to_owned());
    }
    let file = folder.join(TARGET).join("web/wavelane_web.wasm");
    let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Some(bytes))
}

fn has_target() -> bool {
    let output = Command::new("rustc")
        .current_dir(crate::root())
        .args(["--print", "target-libdir", "--target", TARGET])
        .output();
    output.is_ok_and(|it| {
        it.status.success() && PathBuf::from(String::from_utf8_lossy(&it.stdout).trim()).is_dir()
    })
}
