//! The Python wheel, which maturin builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Trouble, build};
use crate::ratchet;

/// The ratchets of the wheel, in bytes: by Rust's own linker, and by Zig's. Lower them when the wheel shrinks; raise
/// them with a reason.
const MOST: usize = 7_200_000;
const MOST_BY_ZIG: usize = 7_550_000;

pub(super) fn write(out: &Path) -> Result<PathBuf, Trouble> {
    if !build::is_there("maturin") {
        return Err(Trouble::Lacks("there is no `maturin`: `pip install maturin`".to_owned()));
    }
    let folder = out.join("wheel");
    // A wheel of an earlier version must not be taken for this one.
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new("maturin");
    build::options(&mut command, &[])
        .args(["build", "--profile", "wheel", "--locked", "--compression-level", "9"])
        .args(["--manifest-path", "crates/python/Cargo.toml"])
        .arg("--out")
        .arg(&folder)
        // The earliest time that the format of wheels has.
        .env("SOURCE_DATE_EPOCH", "315532800");
    let has_zig = build::has_zig();
    if has_zig {
        // Wheels for glibc 2.17 have this name.
        command.args(["--zig", "--compatibility", "manylinux2014"]);
    } else if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        // Rust's own linker puts functions that look alike side by side, where deflate finds one in the other: 5 %
        // less. Zig's has no such option.
        command.args(["--", "-Clink-arg=-Wl,--bp-compression-sort=function"]);
    }
    if !command.status().is_ok_and(|it| it.success()) {
        return Err(Trouble::Fails("the build failed".to_owned()));
    }
    let mut files = fs::read_dir(&folder)
        .map_err(|error| error.to_string())?
        .filter_map(|it| Some(it.ok()?.path()));
    let made = files
        .find(|it| it.extension().is_some_and(|it| it == "whl"))
        .ok_or_else(|| "maturin wrote no wheel".to_owned())?;
    let wheel = fs::read(&made).map_err(|error| error.to_string())?;
    let written = super::write(out, &super::file_name(&made), &wheel)?;
    let _ = fs::remove_dir_all(&folder);
    ratchet::check("the wheel", wheel.len(), if has_zig { MOST_BY_ZIG } else { MOST })?;
    Ok(written)
}
