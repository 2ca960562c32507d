//! The file format of numpy arrays, versions 1 to 3: what buffers need of it.
//!
//! Anything a file may hold is taken without harm: headers and sizes are checked before they are believed.
//! Deliberately absent: structured types, Fortran order, objects.

use ops::F16;

use crate::Scalar;

use crate::number::{self, Number};
use crate::value::counted;

/// An array; the last dimension runs fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// As in HLSL's memory, except that a `Bool` takes one byte.
    pub scalar: Scalar,
    /// In the byte order of HLSL.
    pub data: Vec<u8>,
    pub shape: Vec<usize>,
}

const MAGIC: &[u8] = b"\x93NUMPY";
const LONGEST_HEADER: usize = 1 << 16;

/// Reads a file.
pub fn read(file: &[u8]) -> Result<Array, String> {
    let rest = file
        .strip_prefix(MAGIC)
        .ok_or("it is not a `.npy` file, which begins with `\\x93NUMPY`")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [version, ..] => {
            return Err(format!(
                "version {version} of the format is not supported; the versions are 1 to 3"
            ));
        }
        [] => return Err("the file ends before its header does".to_owned()),
    };
    if length > LONGEST_HEADER {
        return Err(format!("the header has {length} bytes; the limit is {LONGEST_HEADER}"));
    }
    if length > rest.len() {
        return Err("the file ends before its header does".to_owned());
    }
    let (header, data) = rest.split_at(length);
    let header = std::str::from_utf8(header).map_err(|_| "the header is not valid UTF-8")?;
    let descr = entry(header, "descr").ok_or("the header has no `descr`")?;
    let descr = quoted(descr)
        .ok_or("arrays of structs are not supported; save one array, or the bytes as `.bin`")?;
    let (scalar, swapped) =
        element(descr).ok_or_else(|| format!("elements of type `{descr}` are not supported"))?;
    let fortran = entry(header, "fortran_order").ok_or("the header has no `fortran_order`")?;
    if !fortran.starts_with("False") {
        return Err(
            "the array is in Fortran order; save `numpy.ascontiguousarray(array)`".to_owned()
        );
    }
    let shape = entry(header, "shape").and_then(shape).ok_or("the header has no valid `shape`")?;
    let count = shape
        .iter()
        .try_fold(1usize, |all, it| all.checked_mul(*it))
        .ok_or("the shape is too large")?;
    let size = stored_bytes(scalar);
    let bytes = count.checked_mul(size).ok_or("the shape is too large")?;
    if bytes != data.len() {
        return Err(format!(
            "the header says {} of {}, but {} after it",
            counted(count, "element"),
            counted(size, "byte"),
            match data.len() {
                1 => "1 byte comes".to_owned(),
                bytes => format!("{bytes} bytes come"),
            },
        ));
    }
    let mut data = data.to_vec();
    if swapped {
        data.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    Ok(Array { scalar, data, shape })
}

/// The beginning of a file whose elements follow, row by row.
pub fn header(scalar: Scalar, shape: &[usize]) -> Vec<u8> {
    let descr = match scalar {
        Scalar::Bool => "|b1",
        Scalar::I8 => "|i1",
        Scalar::U8 => "|u1",
        Scalar::I16 => "<i2",
        Scalar::U16 => "<u2",
        Scalar::F16 => "<f2",
        Scalar::I32 => "<i4",
        Scalar::U32 => "<u4",
        Scalar::F32 => "<f4",
        Scalar::I64 => "<i8",
        Scalar::U64 => "<u8",
        Scalar::F64 => "<f8",
    };
    let shape: String = shape.iter().map(|it| format!("{it},")).collect();
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Ten bytes precede it, a line feed ends it, and the data starts at a multiple of 64.
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.as_bytes());
    file
}

impl Array {
    pub fn count(&self) -> usize {
        self.data.len() / stored_bytes(self.scalar)
    }

    pub fn get(&self, index: usize) -> Number {
        let size = stored_bytes(self.scalar);
        let bytes = &self.data[index * size..][..size];
        if self.scalar == Scalar::Bool {
            return Number::Int(i128::from(bytes[0] != 0));
        }
        let bits = number::read(bytes, self.scalar);
        match self.scalar {
            Scalar::I8 => Number::Int(i128::from(bits as i8)),
            Scalar::I16 => Number::Int(i128::from(bits as i16)),
            Scalar::I32 => Number::Int(i128::from(bits as i32)),
            Scalar::I64 => Number::Int(i128::from(bits as i64)),
            Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
                Number::Int(i128::from(bits))
            }
            Scalar::F16 => Number::Float(f64::from(F16(bits as u16).to_f32())),
            Scalar::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
            Scalar::F64 => Number::Float(f64::from_bits(bits)),
        }
    }
}

fn stored_bytes(scalar: Scalar) -> usize {
    if scalar == Scalar::Bool { 1 } else { scalar.bytes() }
}

/// The text behind a key of the dictionary.
fn entry<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let quotes = [format!("'{key}'"), format!("\"{key}\"")];
    let after = quotes.iter().find_map(|it| header.split_once(it.as_str()))?.1;
    Some(after.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    text[1..].split_once(quote).map(|(inside, _)| inside)
}

/// A tuple of sizes.
fn shape(text: &str) -> Option<Vec<usize>> {
    let (inside, _) = text.strip_prefix('(')?.split_once(')')?;
    let sizes = inside.split(',').map(str::trim).filter(|it| !it.is_empty());
    sizes.map(|it| it.trim_end_matches('L').parse().ok()).collect()
}

/// The type, and whether its bytes stand the other way round.
fn element(descr: &str) -> Option<(Scalar, bool)> {
    let (order, kind) = descr.split_at_checked(1)?;
    let scalar = match kind {
        "b1" => Scalar::Bool,
        "i1" => Scalar::I8,
        "u1" => Scalar::U8,
        "i2" => Scalar::I16,
        "u2" => Scalar::U16,
        "f2" => Scalar::F16,
        "i4" => Scalar::I32,
        "u4" => Scalar::U32,
        "f4" => Scalar::F32,
        "i8" => Scalar::I64,
        "u8" => Scalar::U64,
        "f8" => Scalar::F64,
        _ => return None,
    };
    match order {
        "<" | "|" => Some((scalar, false)),
        ">" => Some((scalar, true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend([1, 0]);
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn what_is_written_reads_back() {
        for scalar in Scalar::ALL {
            let mut bytes = header(scalar, &[3, 2]);
            assert_eq!(bytes.len() % 64, 0);
            let data: Vec<u8> = (0..6 * stored_bytes(scalar) as u8).collect();
            bytes.extend(&data);
            assert_eq!(read(&bytes).map(|it| (it.scalar, it.data)), Ok((scalar, data)));
        }
    }

    #[test]
    fn other_byte_orders_and_shapes_are_read() {
        let array = read(&file(
            "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }\n",
            &[0, 7, 0xff, 0xff],
        ))
        .unwrap();
        assert_eq!(
            (array.count(), array.get(0), array.get(1)),
            (2, Number::Int(7), Number::Int(-1))
        );
        let scalar =
            read(&file("{\"shape\": (), \"fortran_order\": False, \"descr\": \"|b1\"}", &[2]))
                .unwrap();
        assert_eq!((scalar.count(), scalar.get(0)), (1, Number::Int(1)));
    }

    #[test]
    fn damaged_files_are_refused_and_never_harm() {
        let good = file("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", &[0; 4]);
        assert!(read(&good).is_ok());
        for end in 0..good.len() {
            assert!(read(&good[..end]).is_err(), "{end}");
        }
        for at in 0..good.len() {
            for with in [0, b'(', b'\'', 0x80, 0xff] {
                let mut bad = good.clone();
                bad[at] = with;
                let _ = read(&bad);
            }
        }
        for (header, what) in [
            ("'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)", "arrays of structs"),
            ("'descr': '<f4', 'fortran_order': True, 'shape': (1,)", "is in Fortran order; save"),
            ("'descr': '|O', 'fortran_order': False, 'shape': (1,)", "`|O` are not supported"),
            ("'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 4)", "large"),
            (
                "'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905,)",
                "too large",
            ),
            (
                "'descr': '|i1', 'fortran_order': False, 'shape': (1,)",
                "the header says 1 element of 1 byte, but 4 bytes come after it",
            ),
        ] {
            let told = read(&file(&format!("{{{header}}}"), &[0; 4])).unwrap_err();
            assert!(told.contains(what), "{header}: {told}");
        }
    }
}
