//! A module as an array in a C header (`-Fh`).

use std::fmt::Write;

/// The number of bytes per line.
const ON_A_LINE: usize = 16;

/// A header that defines the bytes of a module under a name.
pub(super) fn of(variable: &str, words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    let mut text = format!("static const unsigned char {variable}[] = {{\n");
    for line in bytes.chunks(ON_A_LINE) {
        let line: Vec<String> = line.iter().map(|it| format!("0x{it:02x}")).collect();
        let _ = writeln!(text, "  {},", line.join(", "));
    }
    text.push_str("};\n");
    text
}
