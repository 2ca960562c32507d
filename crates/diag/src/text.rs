//! Text for reports: escaped for markup, and its digest.

/// A text in XML and HTML, also in attributes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            // XML 1.0 has no other control characters, not even escaped.
            it if it.is_control() => escaped.push('\u{fffd}'),
            it => escaped.push(it),
        }
    }
    escaped
}

/// FNV-1a in 128 bits, the same on every machine: two texts do not share it by accident.
pub fn digest(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash: u128, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_has_no_special_or_control_characters_left() {
        assert_eq!(
            escaped("a<b> & \"c\"\n\t\u{1b}é"),
            "a&lt;b&gt; &amp; &quot;c&quot;\n\t\u{fffd}é"
        );
    }

    #[test]
    fn digests_match_the_published_ones() {
        assert_eq!(digest(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(digest(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
