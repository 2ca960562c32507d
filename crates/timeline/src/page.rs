//! A recording as one HTML file: text, style, script and data, without a network or a framework.
//!
//! The script is plain JavaScript. The part that computes (`page/core.js`) does not know documents, so that tests run
//! it without a browser; the part that shows the result is `page/view.js`.

use crate::file;
use crate::recorder::Recording;
use crate::svg::escaped;

/// What the page computes: the file, values, states of lanes. Also a module for Node.
pub const CORE: &str = include_str!("page/core.js");
const VIEW: &str = include_str!("page/view.js");
const STYLE: &str = include_str!("page/style.css");
const BODY: &str = include_str!("page/body.html");

/// The page.
pub fn page(recording: &Recording) -> String {
    let title = escaped(&format!("{} \u{b7} {}", recording.program.name, recording.program.entry));
    let data = base64(&file::write(recording));
    // Nothing may be fetched: the page works from a disk, in an e-mail, in an issue.
    let policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title} \u{2013} wavelane timeline</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n{BODY}<script type=\"application/base64\" id=\"recording\">{data}</script>\n\
         <script>\n{CORE}\n{VIEW}</script>\n</body>\n</html>\n"
    )
}

/// Bytes as RFC 4648 writes them.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, it| word << 8 | u32::from(*it));
        let word = word << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let bits = (word >> (18 - 6 * digit) & 63) as usize;
            out.push(if digit <= chunk.len() { char::from(DIGITS[bits]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn the_script_stays_small() {
        assert!(CORE.len() + VIEW.len() + STYLE.len() < 60 << 10);
    }
}
