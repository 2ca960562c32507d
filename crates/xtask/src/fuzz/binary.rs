//! Pictures and arrays for the fuzzer: small valid files of every kind, and mutations of them.
//!
//! A PNG reader checks checksums first, so most mutated files get correct ones again; a file that was accepted becomes
//! a seed too. A file that is read must have the same contents after it has been written and read again.

use wavelane_cli::tried::{self, Tried};

use ops::Random;

/// The number of ways to interpret a file's contents: kinds of texels, and numbers.
pub(super) const TEXELS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Picture,
    Array,
}

pub(super) struct Seeds {
    pictures: Vec<Vec<u8>>,
    arrays: Vec<Vec<u8>>,
}

impl Seeds {
    pub(super) fn new() -> Seeds {
        let mut pictures = pictures();
        // Written by us: with filters and compression.
        for seed in pictures.clone() {
            if let Tried::Kept(written) = tried::picture(&seed, 0) {
                pictures.push(written);
            }
        }
        Seeds { pictures, arrays: arrays() }
    }

    /// A file of that kind with a few bytes changed, removed, inserted, or taken from another.
    pub(super) fn damaged(&mut self, kind: Kind, random: &mut Random) -> Vec<u8> {
        const LONGEST: usize = 1 << 12;
        let seeds = match kind {
            Kind::Picture => &self.pictures,
            Kind::Array => &self.arrays,
        };
        let mut file = seeds[random.below(seeds.len())].clone();
        for _ in 0..random.below(5) {
            let at = random.below(file.len().max(1)).min(file.len());
            let end = (at + 1 + random.below(8)).min(file.len());
            match random.below(7) {
                0 | 1 if at < file.len() => file[at] = INTERESTING[random.below(INTERESTING.len())],
                2 if at < file.len() => file[at] ^= 1 << random.below(8),
                3 => drop(file.drain(at..end)),
                4 => {
                    let other = &seeds[random.below(seeds.len())];
                    let from = random.below(other.len());
                    let to = (from + random.below(40)).min(other.len());
                    drop(file.splice(at..at, other[from..to].iter().copied()));
                }
                5 => {
                    let piece = WORDS[random.below(WORDS.len())];
                    let end = (at + piece.len()).min(file.len());
                    drop(file.splice(at..end, piece.bytes()));
                }
                6 if random.below(8) == 0 => file.truncate(at),
                _ => {}
            }
        }
        file.truncate(LONGEST);
        if kind == Kind::Picture && random.below(8) > 0 {
            fix_checksums(&mut file);
        }
        file
    }
}

/// What was read, for the totals of the report; or what is wrong with the reader.
pub(super) fn read(kind: Kind, file: &[u8], texel: usize) -> Result<[u64; 5], String> {
    let (read, sums) = match kind {
        Kind::Picture => (tried::picture(file, texel), [0, 0, 0, 1, 0]),
        Kind::Array => (tried::array(file, texel), [0, 0, 0, 0, 1]),
    };
    match read {
        Tried::Kept(_) => Ok(sums),
        Tried::Refused(why) if why.is_empty() => Err("is refused without a reason".to_owned()),
        Tried::Refused(_) => Ok([0; 5]),
        Tried::Changed(how) => Err(format!("changes: {how}")),
    }
}

const INTERESTING: [u8; 12] = [0, 1, 2, 3, 4, 6, 8, 16, 0x7f, 0x80, 0xfe, 0xff];

const WORDS: [&str; 24] = [
    "IHDR",
    "IDAT",
    "IEND",
    "PLTE",
    "tRNS",
    "sRGB",
    "gAMA",
    "acTL",
    "fcTL",
    "fdAT",
    "tEXt",
    "zTXt",
    "eXIf",
    "'descr'",
    "'shape'",
    "True",
    "False",
    "'<f4'",
    "'|b1'",
    "'>i2'",
    "(",
    ")",
    "99999999999",
    ",",
];

/// Pictures of every colour type and depth, plain and interlaced, uncompressed.
fn pictures() -> Vec<Vec<u8>> {
    const KINDS: [(u8, &[u8], usize); 5] = [
        (0, &[1, 2, 4, 8, 16], 1),
        (2, &[8, 16], 3),
        (3, &[1, 2, 4, 8], 1),
        (4, &[8, 16], 2),
        (6, &[8, 16], 4),
    ];
    let mut files = Vec::new();
    for (colour, depths, samples) in KINDS {
        for depth in depths {
            for (width, height, interlaced) in [(1, 1, 0), (5, 3, 0), (9, 2, 1)] {
                let row = |width: usize| (width * samples * usize::from(*depth)).div_ceil(8) + 1;
                // The seven passes have more rows than the picture; excess data is not read.
                let rows = row(width) * height * if interlaced == 1 { 4 } else { 1 };
                let data: Vec<u8> =
                    (0..rows)
                        .map(|at| {
                            if at % row(width) == 0 && interlaced == 0 { (at % 5) as u8 } else { 0 }
                        })
                        .collect();
                let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
                let mut header = Vec::new();
                header.extend((width as u32).to_be_bytes());
                header.extend((height as u32).to_be_bytes());
                header.extend([*depth, colour, 0, 0, interlaced]);
                chunk(&mut file, b"IHDR", &header);
                if colour == 3 {
                    chunk(&mut file, b"PLTE", &[10, 20, 30, 40, 50, 60]);
                    chunk(&mut file, b"tRNS", &[128]);
                }
                chunk(&mut file, b"IDAT", &unpacked(&data));
                chunk(&mut file, b"IEND", &[]);
                files.push(file);
            }
        }
    }
    files
}

/// A zlib stream with one stored block; its final checksum is not checked.
fn unpacked(data: &[u8]) -> Vec<u8> {
    let len = data.len() as u16;
    let mut stream = vec![0x78, 0x01, 1];
    stream.extend(len.to_le_bytes());
    stream.extend((!len).to_le_bytes());
    stream.extend(data);
    let (mut a, mut b) = (1u32, 0u32);
    for byte in data {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

fn chunk(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(data);
    let sum = checksum(&file[start..]);
    file.extend(sum.to_be_bytes());
}

/// Gives every chunk the correct checksum.
fn fix_checksums(file: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = file.get(at..at + 4) {
        let length = length.iter().fold(0usize, |all, byte| all << 8 | usize::from(*byte));
        let start = at + 4;
        let Some(end) = start.checked_add(4 + length).filter(|it| it + 4 <= file.len()) else {
            return;
        };
        let sum = checksum(&file[start..end]);
        file[end..end + 4].copy_from_slice(&sum.to_be_bytes());
        at = end + 4;
    }
}

/// The CRC-32 of a chunk, bit by bit: files are small.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    })
}

fn arrays() -> Vec<Vec<u8>> {
    const TYPES: [(&str, usize); 10] = [
        ("<f4", 4),
        (">f4", 4),
        ("|b1", 1),
        ("|u1", 1),
        ("<i2", 2),
        (">u2", 2),
        ("<f2", 2),
        ("<i8", 8),
        ("<f8", 8),
        ("<u4", 4),
    ];
    let shapes: [&[usize]; 6] = [&[], &[0], &[4], &[2, 3], &[2, 2, 4], &[1, 2, 1, 2]];
    let mut files = Vec::new();
    for (index, (descr, bytes)) in TYPES.iter().enumerate() {
        for shape in shapes {
            let sizes: String = shape.iter().map(|it| format!("{it},")).collect();
            let text =
                format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}\n");
            let mut file = b"\x93NUMPY".to_vec();
            match index % 3 {
                0 => {
                    file.extend([1, 0]);
                    file.extend((text.len() as u16).to_le_bytes());
                }
                version => {
                    file.extend([version as u8 + 1, 0]);
                    file.extend((text.len() as u32).to_le_bytes());
                }
            }
            file.extend(text.bytes());
            let count = shape.iter().product::<usize>() * bytes;
            file.extend((0..count).map(|it| it as u8));
            files.push(file);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_read() {
        let seeds = Seeds::new();
        for (index, file) in seeds.pictures.iter().enumerate() {
            for texel in 0..TEXELS {
                assert_eq!(
                    read(Kind::Picture, file, texel),
                    Ok([0, 0, 0, 1, 0]),
                    "{index} {:?}",
                    tried::picture(file, texel)
                );
            }
        }
        for (index, file) in seeds.arrays.iter().enumerate() {
            assert_eq!(read(Kind::Array, file, TEXELS - 1), Ok([0, 0, 0, 0, 1]), "{index}");
        }
    }
}
