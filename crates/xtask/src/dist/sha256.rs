//! SHA-256, for the list of checksums.
// Spec: FIPS 180-4, 6.2.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
fn constants() -> [u32; 64] {
    primes_mapped(|prime| root(u128::from(prime) << 96, 3))
}

/// The same of the square roots of the first 8 primes.
fn start() -> [u32; 8] {
    primes_mapped(|prime| root(u128::from(prime) << 64, 2))
}

fn primes_mapped<const N: usize>(of: impl Fn(u32) -> u32) -> [u32; N] {
    let mut primes = (2u32..).filter(|it| (2..*it).all(|by| it % by != 0));
    std::array::from_fn(|_| {
        of(primes.next().unwrap_or_else(|| unreachable!("there is always another prime")))
    })
}

/// The low 32 bits of the largest integer whose power is at most `value`.
fn root(value: u128, power: u32) -> u32 {
    let mut root: u128 = 0;
    for bit in (0..40).rev() {
        let next = root | 1 << bit;
        if next.checked_pow(power).is_some_and(|it| it <= value) {
            root = next;
        }
    }
    root as u32
}

/// The checksum, in hexadecimal.
pub(super) fn hex(contents: &[u8]) -> String {
    let constants = constants();
    let mut state = start();
    let mut padded = contents.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((8 * contents.len() as u64).to_be_bytes());
    for block in padded.chunks_exact(64) {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for i in 16..64 {
            let (a, b) = (words[i - 15], words[i - 2]);
            let low = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let high = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            words[i] =
                words[i - 16].wrapping_add(low).wrapping_add(words[i - 7]).wrapping_add(high);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in words.iter().zip(&constants) {
            let high = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = e & f ^ !e & g;
            let first = h
                .wrapping_add(high)
                .wrapping_add(choice)
                .wrapping_add(*constant)
                .wrapping_add(*word);
            let low = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let second = low.wrapping_add(a & b ^ a & c ^ b & c);
            (h, g, f, e, d, c, b, a) =
                (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
        }
        for (sum, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(word);
        }
    }
    state.iter().map(|it| format!("{it:08x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn the_examples_of_the_standard() {
        for (text, sum) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(hex(text.as_bytes()), sum);
        }
    }
}
