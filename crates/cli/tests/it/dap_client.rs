//! `wavelane dap` with a third-party client: `@vscode/debugadapter-testsupport` of the npm registry.
//!
//! `npm install --prefix target/npm @vscode/debugadapter-testsupport` brings it; without it, or without Node, the test
//! prints what is missing.
#![allow(clippy::print_stdout, reason = "says what was skipped")]

use std::path::Path;
use std::process::Command;

const SHADER: &str = "RWStructuredBuffer<uint> Out;
uint twice(uint x) {
    return x * 2;
}
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = i;
    for (uint n = 0; n < 3; n++) {
        if (i & 1) {
            sum += twice(n);
        }
    }

    Out[i] = sum + WaveActiveMax(i);
}
";

/// The exit status of the script where the client is not installed.
const NOT_INSTALLED: i32 = 77;

#[test]
fn a_public_client_debugs_a_program() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dap-client");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.hlsl"), SHADER).unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("node")
        .arg(here.join("tests/client/dap.mjs"))
        .arg(env!("CARGO_BIN_EXE_wavelane"))
        .arg(&folder)
        .arg(here.join("../../target/npm/node_modules"))
        .output();
    let Ok(output) = output else {
        skipped::skipped!("the public client of the debugger: there is no `node`");
        return;
    };
    if output.status.code() == Some(NOT_INSTALLED) {
        skipped::skipped!(
            "the public client of the debugger: \
             npm install --prefix target/npm @vscode/debugadapter-testsupport"
        );
        return;
    }
    let told = String::from_utf8_lossy(&output.stdout);
    print!("{told}");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(told.lines().count(), 5, "{told}");
}
