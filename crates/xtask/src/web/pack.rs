//! Bytes as text in a page: compressed, and in base64.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use timeline::base64;

/// As `DecompressionStream("gzip")` reads it; the same bytes give the same result.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    match encoder.write_all(bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        Err(error) => unreachable!("a vector takes all bytes: {error}"),
    }
}

/// The program behind the `#` of a link to the playground, as the page writes it.
pub(super) fn link(text: &str, flags: &str) -> String {
    let program = serde_json::json!({ "t": text, "f": flags }).to_string();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let packed = match encoder.write_all(program.as_bytes()).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        Err(error) => unreachable!("a vector takes all bytes: {error}"),
    };
    let url = base64(&packed).replace('+', "-").replace('/', "_");
    format!("#c={}", url.trim_end_matches('='))
}
