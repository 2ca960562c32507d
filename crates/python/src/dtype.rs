//! Element types of arrays, as the format strings of the buffer protocol spell them (PEP 3118), compared with the
//! layout that a shader declares.
//!
//! Exporters write padding as `x`, so offsets are sums of sizes; native alignment, which the protocol also allows, is
//! not applied. The size of an item, which exporters give beside the format, tells whether that was right.

use wavelane::{Layout, Scalar};

/// The element type of a format string; the error is what wavelane has no type for.
pub(crate) fn parse(format: &str, item_size: usize) -> Result<Layout, String> {
    let mut reader = Reader { rest: format, native: true };
    let mut scalars = Vec::new();
    let size = reader.members(DEEPEST, &mut scalars)?;
    if !reader.rest.is_empty() {
        return Err(format!("the format `{format}`"));
    }
    if scalars.is_empty() && size == item_size {
        return Err(format!("items of {size} bytes without a type"));
    }
    if scalars.is_empty() || size > item_size {
        return Err(format!("the format `{format}` with items of {item_size} bytes"));
    }
    Ok(Layout { stride: item_size, scalars })
}

struct Reader<'a> {
    rest: &'a str,
    /// Whether `l` has the size that it has in C.
    native: bool,
}

/// More members than any shader's structure has: the format of an array may promise any number of them.
const MOST_MEMBERS: usize = 1 << 16;
/// Structures nested deeper than in any shader. Each level is a call of the reader.
const DEEPEST: usize = 64;

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let found = self.rest.strip_prefix(wanted);
        found.inspect(|rest| self.rest = rest).is_some()
    }

    /// A number if there is one; those with more than 64 bits become the largest.
    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX))
    }

    /// Reads a mark of byte order and sizes, if there is one.
    fn order(&mut self) -> Result<bool, String> {
        match self.rest.as_bytes().first() {
            Some(b'@' | b'^') => self.native = true,
            Some(b'=' | b'<') => self.native = false,
            Some(b'>' | b'!') => return Err("big-endian numbers".to_owned()),
            _ => return Ok(false),
        }
        self.take();
        Ok(true)
    }

    /// The product of a shape, `(2,3)`.
    fn shape(&mut self) -> Result<usize, String> {
        let mut count = 1usize;
        if self.take_if('(') {
            while !self.take_if(')') {
                let each = self.number().ok_or("an invalid shape")?;
                count = count.saturating_mul(each);
                self.take_if(',');
            }
        }
        Ok(count)
    }

    /// Members up to the end or a `}`, with at most this many levels of structures; returns their size.
    ///
    /// Sizes saturate: whatever does not fit is larger than the item that the exporter has.
    fn members(&mut self, depth: usize, all: &mut Vec<(usize, Scalar)>) -> Result<usize, String> {
        let mut at = 0usize;
        loop {
            if self.rest.is_empty() || self.rest.starts_with('}') {
                return Ok(at);
            }
            if self.order()? || self.take_if(' ') {
                continue;
            }
            if self.take_if(':') {
                // The name of the member before.
                let end = self.rest.find(':').ok_or("a name without an end")?;
                self.rest = &self.rest[end + 1..];
                continue;
            }
            let shape = self.shape()?;
            let count = shape.saturating_mul(self.number().unwrap_or(1));
            // `ctypes` writes the byte order behind the shape.
            while self.order()? {}
            let Some(code) = self.take() else { return Err("an unfinished format".to_owned()) };
            if code == 'x' {
                at = at.saturating_add(count);
                continue;
            }
            let (size, inner) = match code {
                'T' => {
                    if !self.take_if('{') {
                        return Err("an invalid structure".to_owned());
                    }
                    let Some(depth) = depth.checked_sub(1) else {
                        return Err("structures that nest so deeply".to_owned());
                    };
                    let mut inner = Vec::new();
                    let size = self.members(depth, &mut inner)?;
                    if !self.take_if('}') {
                        return Err("a structure without an end".to_owned());
                    }
                    (size, inner)
                }
                code => {
                    let scalar = self.scalar(code)?;
                    (scalar.bytes(), vec![(0, scalar)])
                }
            };
            if count.saturating_mul(inner.len()).saturating_add(all.len()) > MOST_MEMBERS {
                return Err("that many members".to_owned());
            }
            // A structure without members may be repeated any number of times.
            if !inner.is_empty() {
                for each in 0..count {
                    let start = at.saturating_add(each.saturating_mul(size));
                    all.extend(inner.iter().map(|(place, it)| (start.saturating_add(*place), *it)));
                }
            }
            at = at.saturating_add(count.saturating_mul(size));
        }
    }

    fn scalar(&self, code: char) -> Result<Scalar, String> {
        let is_long = self.native && size_of::<std::ffi::c_long>() == 8;
        Ok(match code {
            'b' => Scalar::I8,
            'B' | 'c' => Scalar::U8,
            'h' => Scalar::I16,
            'H' => Scalar::U16,
            'i' => Scalar::I32,
            'I' => Scalar::U32,
            'l' => {
                if is_long {
                    Scalar::I64
                } else {
                    Scalar::I32
                }
            }
            'L' => {
                if is_long {
                    Scalar::U64
                } else {
                    Scalar::U32
                }
            }
            'q' | 'n' => Scalar::I64,
            'Q' | 'N' => Scalar::U64,
            'e' => Scalar::F16,
            'f' => Scalar::F32,
            'd' => Scalar::F64,
            '?' => return Err(
                "truth values of one byte (in HLSL a `bool` in memory takes four: use `uint32`)"
                    .to_owned(),
            ),
            'Z' => return Err("complex numbers".to_owned()),
            'g' => return Err("`longdouble` numbers".to_owned()),
            'O' => {
                return Err("Python objects; convert them to numbers, as `astype` does".to_owned());
            }
            's' | 'p' | 'u' | 'w' => return Err("text".to_owned()),
            other => return Err(format!("the type `{other}`")),
        })
    }
}

/// The name of a type in NumPy.
pub(crate) fn name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool | Scalar::U32 => "uint32",
        Scalar::I8 => "int8",
        Scalar::U8 => "uint8",
        Scalar::I16 => "int16",
        Scalar::U16 => "uint16",
        Scalar::F16 => "float16",
        Scalar::I32 => "int32",
        Scalar::F32 => "float32",
        Scalar::I64 => "int64",
        Scalar::U64 => "uint64",
        Scalar::F64 => "float64",
    }
}

/// The format character of a type for `memoryview.cast`; it has none for `float16`.
pub(crate) fn code(scalar: Scalar) -> Option<&'static str> {
    match scalar {
        Scalar::Bool | Scalar::U32 => Some("I"),
        Scalar::I8 => Some("b"),
        Scalar::U8 => Some("B"),
        Scalar::I16 => Some("h"),
        Scalar::U16 => Some("H"),
        Scalar::F16 => None,
        Scalar::I32 => Some("i"),
        Scalar::F32 => Some("f"),
        Scalar::I64 => Some("q"),
        Scalar::U64 => Some("Q"),
        Scalar::F64 => Some("d"),
    }
}

/// A layout in the words of NumPy.
fn described(layout: &Layout) -> String {
    match (layout.only(), layout.scalars.as_slice()) {
        (Some(scalar), [_]) => format!("`{}`", name(scalar)),
        (Some(scalar), several) => format!("{} times `{}`", several.len(), name(scalar)),
        (None, several) => {
            let first: Vec<String> =
                several.iter().take(8).map(|(at, it)| format!("`{}` at {at}", name(*it))).collect();
            let more = if several.len() > 8 { ", …" } else { "" };
            format!("structures of {} bytes with {}{more}", layout.stride, first.join(", "))
        }
    }
}

/// Whether an array of the type `given` holds elements of the layout `declared`; if not, what is wrong.
pub(crate) fn check(given: &Layout, declared: &Layout) -> Result<(), String> {
    // HLSL's `bool` in memory is an integer that is 0 or not.
    let same = |given: Scalar, declared: Scalar| {
        given == declared || declared == Scalar::Bool && matches!(given, Scalar::U32 | Scalar::I32)
    };
    let fits = match given.scalars.as_slice() {
        [(0, one)] if given.stride == one.bytes() => {
            let size = one.bytes();
            let packed = declared
                .scalars
                .iter()
                .enumerate()
                .all(|(i, (at, it))| *at == i * size && same(*one, *it));
            packed && declared.stride == size * declared.scalars.len()
        }
        several => {
            let pairs = several.iter().zip(&declared.scalars);
            given.stride == declared.stride
                && several.len() == declared.scalars.len()
                && pairs.into_iter().all(|(a, b)| a.0 == b.0 && same(a.1, b.1))
        }
    };
    match fits {
        true => Ok(()),
        false => Err(format!(
            "the shader's elements are {}, and the array holds {}",
            described(declared),
            described(given)
        )),
    }
}
