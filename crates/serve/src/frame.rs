//! The framing of messages: a block of headers, an empty line, and a body of `Content-Length` bytes.

/// Splits a stream of bytes into messages.
#[derive(Default)]
pub struct Frames {
    bytes: Vec<u8>,
}

/// The most bytes of a body.
const MOST_BYTES: usize = 64 << 20;

impl Frames {
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next complete body. A block of headers without a length is skipped.
    pub fn next_body(&mut self) -> Option<Vec<u8>> {
        loop {
            let end = self.bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
            let headers = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
            let length = headers.lines().find_map(|it| {
                let (name, value) = it.split_once(':')?;
                let is_length = name.trim().eq_ignore_ascii_case("content-length");
                value.trim().parse::<usize>().ok().filter(|_| is_length)
            });
            let begin = end + 4;
            let Some(length) = length.filter(|it| *it <= MOST_BYTES) else {
                self.bytes.drain(..begin);
                continue;
            };
            if self.bytes.len() < begin + length {
                return None;
            }
            let body = self.bytes[begin..begin + length].to_vec();
            self.bytes.drain(..begin + length);
            return Some(body);
        }
    }
}

/// A body with its header.
pub fn framed(body: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_found_in_any_pieces() {
        let mut stream = framed("{}");
        stream.extend(b"Nonsense: 1\r\n\r\n");
        stream.extend(b"content-length: 3\r\nOther: x\r\n\r\nabc");
        stream.extend(b"Content-Length: 99999999999999999999\r\n\r\n");
        stream.extend(framed("z"));
        for size in [1, 2, 7, 1000] {
            let (mut frames, mut found) = (Frames::default(), Vec::new());
            for piece in stream.chunks(size) {
                frames.push(piece);
                while let Some(body) = frames.next_body() {
                    found.push(String::from_utf8(body).unwrap());
                }
            }
            assert_eq!(found, ["{}", "abc", "z"]);
        }
    }
}
