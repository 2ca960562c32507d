//! Reading another compiler's module, in SPIR-V or PTX.

use wavelane::Foreign;

use crate::problem::Problem;

/// Another compiler's module.
pub(crate) fn read_module(file: &str) -> Result<Foreign, Problem> {
    let cannot =
        |error: std::io::Error| Problem::input(format!("`{file}` cannot be read: {error}"));
    let bytes = crate::files::read_bytes(file).map_err(cannot)?;
    let module = Foreign::parse(&bytes).map_err(|it| Problem::input(format!("`{file}`: {it}")))?;
    if module.is_ptx() {
        // The driver's assembler examines it.
        return Ok(module);
    }
    match invalid(&bytes) {
        None => Ok(module),
        Some(what) => Err(Problem::input(format!("`{file}` is not valid SPIR-V"))
            .help(format!("spirv-val says: {what}"))),
    }
}

/// The errors that a validator finds in a module, if one is installed. Drivers do not validate modules.
fn invalid(bytes: &[u8]) -> Option<String> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3", "--relax-block-layout", "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take()?;
    // A validator that stops reading has found an error.
    let _ = input.write_all(bytes);
    drop(input);
    let output = child.wait_with_output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|it| !it.trim().is_empty())?.trim().to_owned();
    // An older validator may know less than the driver; a module that it cannot read is not rejected.
    let is_unknown =
        ["Invalid opcode", "extension", "binary version"].iter().any(|it| first.contains(it))
            || first.contains("Invalid") && first.contains("operand: ");
    (!output.status.success() && !is_unknown).then_some(first)
}
