//! Bytes as text in a page: compressed, and in base64.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

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

pub(super) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let is_there = digit <= three.len();
            let index = (word >> (18 - 6 * digit)) as usize & 63;
            text.push(if is_there { char::from(DIGITS[index]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, wanted) in vectors.iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), *wanted);
        }
    }
}
