//! The VALUE of `--bind` and `--set`: `u32:1,2,3`, `f32[16]`, `[64]:iota`, `:fill(7)`, `u32[9]:rand(1)`, `@file.npy`.
//!
//! A value is parsed first, independent of its use; [`Value::for_each_scalar`] then converts it to the bits of given
//! scalars.

use ops::Random;

use crate::Scalar;
use crate::npy::{self, Array};
use crate::number::{self, Number};

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    pub scalar: Option<Scalar>,
    /// The product of the numbers in brackets.
    pub count: Option<usize>,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Zeros,
    List(Vec<String>),
    Fill(String),
    /// `iota`, `iota(start)`, `iota(start, step)`: wraps around in small integers.
    Iota {
        start: i128,
        step: i128,
    },
    /// Integers over their whole range, or below a bound; floats in [0, 1).
    Random {
        seed: u64,
        below: Option<u64>,
    },
    Bytes(Vec<u8>),
    Numbers(Array),
}

/// The names of types, ours and HLSL's.
const TYPES: [(&str, Scalar); 25] = [
    ("bool", Scalar::Bool),
    ("i8", Scalar::I8),
    ("u8", Scalar::U8),
    ("i16", Scalar::I16),
    ("u16", Scalar::U16),
    ("f16", Scalar::F16),
    ("i32", Scalar::I32),
    ("u32", Scalar::U32),
    ("f32", Scalar::F32),
    ("i64", Scalar::I64),
    ("u64", Scalar::U64),
    ("f64", Scalar::F64),
    ("int16_t", Scalar::I16),
    ("uint16_t", Scalar::U16),
    ("float16_t", Scalar::F16),
    ("half", Scalar::F16),
    ("int", Scalar::I32),
    ("int32_t", Scalar::I32),
    ("uint", Scalar::U32),
    ("uint32_t", Scalar::U32),
    ("float", Scalar::F32),
    ("float32_t", Scalar::F32),
    ("int64_t", Scalar::I64),
    ("uint64_t", Scalar::U64),
    ("double", Scalar::F64),
];

/// What contents can be other than a list or a file.
const PATTERNS: [&str; 3] = ["iota", "fill", "rand"];

/// The most scalars of a value; the façade limits the bytes of buffers.
const MOST_SCALARS: usize = 1 << 31;

/// Reads a VALUE; `open` gives the bytes of a file.
pub fn parse(
    text: &str,
    open: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Value, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the value is empty; for zeros, write `u32[16]`, for example".to_owned());
    }
    let word = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
    let (word, rest) = text.split_at(word);
    let is_typed = rest.is_empty() || rest.starts_with(['[', ':', '@']);
    let scalar = TYPES.iter().find(|(name, _)| *name == word).map(|(_, scalar)| *scalar);
    if scalar.is_none() {
        let could_be_type = is_typed && word.starts_with(|it: char| it.is_ascii_alphabetic());
        if could_be_type && !rest.is_empty() {
            let mut message = format!("`{word}` is not an element type");
            match diag::most_similar(word, TYPES.iter().map(|(name, _)| *name)) {
                Some(meant) => message.push_str(&format!("; did you mean `{meant}`?")),
                None => {
                    message.push_str("; they are u8 i8 u16 i16 f16 u32 i32 f32 u64 i64 f64 bool")
                }
            }
            return Err(message);
        }
        if PATTERNS.contains(&word) {
            return Err(format!("`{word}` belongs after a type or a size, as in `u32[16]:{text}`"));
        }
        if !word.is_empty() || rest.starts_with(['-', '+', '.', ',']) {
            return Ok(Value { scalar: None, count: None, content: list(text) });
        }
    }
    let (count, rest) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (sizes, rest) = rest.split_once(']').ok_or("a `]` is missing")?;
            (Some(product(sizes)?), rest)
        }
        None => (None, rest),
    };
    let content =
        match rest.strip_prefix(':').unwrap_or(rest).trim() {
            "" if count.is_some() && !rest.starts_with(':') => Content::Zeros,
            "" => return Err(
                "the value has no contents; a list, `iota`, `fill(7)` or `rand(1)` follow the `:`"
                    .to_owned(),
            ),
            it if it.starts_with('@') => file(&it[1..], open)?,
            _ if !rest.starts_with(':') => {
                return Err(format!("`{rest}` is not expected here; contents follow a `:`"));
            }
            it => contents(it)?,
        };
    Ok(Value { scalar, count, content })
}

fn product(sizes: &str) -> Result<usize, String> {
    let mut product: usize = 1;
    for size in sizes.split(',') {
        let size = size.trim();
        let number: usize = size.parse().map_err(|_| format!("`{size}` is not a size"))?;
        product = product
            .checked_mul(number)
            .filter(|it| *it <= MOST_SCALARS)
            .ok_or_else(|| format!("`[{sizes}]` is too large"))?;
    }
    Ok(product)
}

fn contents(text: &str) -> Result<Content, String> {
    let (word, arguments) = match text.strip_suffix(')').and_then(|it| it.split_once('(')) {
        Some((word, arguments)) => {
            (word.trim(), arguments.split(',').map(str::trim).collect::<Vec<_>>())
        }
        None => (text, Vec::new()),
    };
    let whole = |word: &str| {
        word.parse::<i64>().map(i128::from).map_err(|_| format!("`{word}` is not an integer"))
    };
    match (word, arguments.as_slice()) {
        ("iota", []) => Ok(Content::Iota { start: 0, step: 1 }),
        ("iota", [start]) => Ok(Content::Iota { start: whole(start)?, step: 1 }),
        ("iota", [start, step]) => Ok(Content::Iota { start: whole(start)?, step: whole(step)? }),
        ("fill", [value]) => Ok(Content::Fill((*value).to_owned())),
        ("rand", [seed, below @ ..]) if below.len() <= 1 => {
            let seed = seed
                .parse()
                .map_err(|_| format!("`{seed}` is not a seed; a seed is an integer"))?;
            let below = below.first().map(|it| {
                let bound = it.parse().ok().filter(|it: &u64| *it > 0);
                bound.ok_or_else(|| format!("`{it}` is not a bound; a bound is an integer above 0"))
            });
            Ok(Content::Random { seed, below: below.transpose()? })
        }
        ("rand", []) => {
            Err("`rand` needs a seed, as in `rand(1)`, so that a run can be repeated".to_owned())
        }
        ("rand", _) => Err("`rand` takes a seed, and a bound for integers".to_owned()),
        ("fill", _) => Err("`fill` takes one value, as in `fill(7)`".to_owned()),
        ("iota", _) => Err("`iota` takes at most a start and a step".to_owned()),
        (word, []) if is_name(word) => {
            let mut message = format!("`{word}` is not a number");
            match diag::most_similar(word, PATTERNS) {
                Some(meant) => message.push_str(&format!("; did you mean `{meant}`?")),
                None => message.push_str(", and the patterns are `iota`, `fill` and `rand`"),
            }
            Err(message)
        }
        (_, []) => Ok(list(text)),
        (word, _) => Err(format!("`{word}(…)` is not known; there are `iota`, `fill` and `rand`")),
    }
}

/// Whether a word names something, rather than a number such as `inf` or `true`.
fn is_name(word: &str) -> bool {
    word.starts_with(|it: char| it.is_ascii_alphabetic())
        && !word.contains(',')
        && number::parse(word, Scalar::F64).is_err()
}

fn list(text: &str) -> Content {
    Content::List(text.split(',').map(|it| it.trim().to_owned()).collect())
}

fn file(
    path: &str,
    open: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Content, String> {
    let bytes = open(path)?;
    if !path.to_ascii_lowercase().ends_with(".npy") {
        return Ok(Content::Bytes(bytes));
    }
    npy::read(&bytes).map(Content::Numbers).map_err(|what| format!("`{path}`: {what}"))
}

impl Value {
    /// The number of scalars, if the value determines it.
    pub fn given(&self) -> Option<usize> {
        match &self.content {
            Content::List(words) => Some(words.len()),
            Content::Numbers(array) => Some(array.count()),
            Content::Zeros
            | Content::Fill(_)
            | Content::Iota { .. }
            | Content::Random { .. }
            | Content::Bytes(_) => None,
        }
    }

    /// Calls `take` with the index and the bits of each of `count` scalars, whose types `scalar_at` returns.
    pub fn for_each_scalar(
        &self,
        count: usize,
        scalar_at: impl Fn(usize) -> Scalar,
        mut take: impl FnMut(usize, u64),
    ) -> Result<(), String> {
        if let Some(given) = self.given().filter(|it| *it != count) {
            return Err(format!("{} for {}", counted(given, "value"), counted(count, "scalar")));
        }
        let mut at = 0;
        let seed = if let Content::Random { seed, .. } = self.content { seed } else { 0 };
        let mut numbers = Random::new(seed);
        for i in 0..count {
            let scalar = scalar_at(i);
            let bits = match &self.content {
                Content::Zeros => 0,
                Content::List(words) => number::parse(&words[i], scalar)?,
                Content::Fill(word) => number::parse(word, scalar)?,
                Content::Iota { start, step } => number::convert(
                    wrapped(start.wrapping_add(step.wrapping_mul(i as i128)), scalar),
                    scalar,
                )?,
                Content::Random { below, .. } => random(&mut numbers, scalar, *below)?,
                Content::Numbers(array) => number::convert(array.get(i), scalar)?,
                Content::Bytes(bytes) => {
                    let bytes =
                        bytes.get(at..at + scalar.bytes()).ok_or("the file is too short")?;
                    at += scalar.bytes();
                    number::read(bytes, scalar)
                }
            };
            take(i, bits);
        }
        match &self.content {
            Content::Bytes(bytes) if bytes.len() > at => {
                Err(format!("the file is {} too long", counted(bytes.len() - at, "byte")))
            }
            _ => Ok(()),
        }
    }
}

/// `1 value`, `2 values`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn wrapped(value: i128, scalar: Scalar) -> Number {
    match scalar {
        Scalar::F16 | Scalar::F32 | Scalar::F64 | Scalar::Bool => Number::Int(value),
        Scalar::I8
        | Scalar::U8
        | Scalar::I16
        | Scalar::U16
        | Scalar::I32
        | Scalar::U32
        | Scalar::I64
        | Scalar::U64 => Number::Int(value & ((1 << (8 * scalar.bytes())) - 1)),
    }
}

/// The next number of a sequence; an integer below the bound, if there is one.
fn random(random: &mut Random, scalar: Scalar, below: Option<u64>) -> Result<u64, String> {
    let bits = random.bits();
    let fraction =
        |digits: u32| Number::Float((bits >> (64 - digits)) as f64 / (1u64 << digits) as f64);
    match scalar {
        // As many digits as the type has, so that nothing rounds up to 1.
        Scalar::F16 => number::convert(fraction(11), scalar),
        Scalar::F32 => number::convert(fraction(24), scalar),
        Scalar::F64 => number::convert(fraction(53), scalar),
        Scalar::Bool => Ok(bits >> 63),
        Scalar::I8
        | Scalar::U8
        | Scalar::I16
        | Scalar::U16
        | Scalar::I32
        | Scalar::U32
        | Scalar::I64
        | Scalar::U64 => Ok(match below {
            // The high half of the product is as good as even for bounds far below 2^64.
            Some(below) => {
                let most = u64::MAX >> (64 - 8 * scalar.bytes());
                let number = (u128::from(bits) * u128::from(below)) >> 64;
                number as u64 & most
            }
            None => bits >> (64 - 8 * scalar.bytes()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Value, String> {
        parse(text, &mut |path| match path {
            "four.bin" => Ok(vec![1, 0, 0, 0]),
            "bad.npy" => Ok(vec![1, 2, 3]),
            _ => Err(format!("no `{path}`")),
        })
    }

    fn value(
        scalar: Option<Scalar>,
        count: Option<usize>,
        content: Content,
    ) -> Result<Value, String> {
        Ok(Value { scalar, count, content })
    }

    fn words(text: &str) -> Content {
        list(text)
    }

    fn scalars(value: &Value, count: usize, scalar: Scalar) -> Result<Vec<u64>, String> {
        let mut all = Vec::new();
        value.for_each_scalar(count, |_| scalar, |_, bits| all.push(bits)).map(|()| all)
    }

    #[test]
    fn every_form_of_a_value_is_read() {
        use Content::*;
        let iota = Iota { start: 0, step: 1 };
        assert_eq!(read("u32:1,2,3"), value(Some(Scalar::U32), None, words("1,2,3")));
        assert_eq!(read("f32[16]"), value(Some(Scalar::F32), Some(16), Zeros));
        assert_eq!(read("f32[4,4]"), value(Some(Scalar::F32), Some(16), Zeros));
        assert_eq!(read("u32[1024]:iota"), value(Some(Scalar::U32), Some(1024), iota.clone()));
        assert_eq!(read("[64]:iota"), value(None, Some(64), iota));
        assert_eq!(read("[64]"), value(None, Some(64), Zeros));
        assert_eq!(read("[8]:iota(5, -1)"), value(None, Some(8), Iota { start: 5, step: -1 }));
        assert_eq!(read(":fill(7)"), value(None, None, Fill("7".to_owned())));
        assert_eq!(
            read("half[3]:rand(9)"),
            value(Some(Scalar::F16), Some(3), Random { seed: 9, below: None })
        );
        assert_eq!(read("1, -2"), value(None, None, words("1,-2")));
        assert_eq!(read("-1.5"), value(None, None, words("-1.5")));
        assert_eq!(read("true,false"), value(None, None, words("true,false")));
        assert_eq!(read("nan"), value(None, None, words("nan")));
        assert_eq!(read("@four.bin"), value(None, None, Bytes(vec![1, 0, 0, 0])));
        assert_eq!(read("u8:@four.bin"), value(Some(Scalar::U8), None, Bytes(vec![1, 0, 0, 0])));
    }

    #[test]
    fn values_that_make_no_sense_are_explained() {
        for (text, message) in [
            ("", "empty"),
            ("u33:1", "did you mean `u32`?"),
            ("thing:1", "`thing` is not an element type"),
            ("u32", "no contents"),
            ("u32:", "no contents"),
            ("u32[", "`]` is missing"),
            ("u32[x]", "`x` is not a size"),
            ("u32[4]1", "contents follow a `:`"),
            ("u32[99999999999,99999999999]", "too large"),
            ("u32[4]:rand", "needs a seed"),
            ("u32[4]:fill", "`fill` takes one value"),
            ("u32[4]:ramp(3)", "`ramp(…)` is not known"),
            ("u32[4]:iot", "did you mean `iota`?"),
            ("u32[4]:xyz", "`xyz` is not a number, and the patterns are"),
            ("iota(3)", "as in `u32[16]:iota(3)`"),
            ("@none.bin", "no `none.bin`"),
            ("@bad.npy", "`bad.npy`: it is not a `.npy` file"),
        ] {
            let got = read(text).map(|it| scalars(&it, 4, Scalar::U32));
            let got = match got {
                Err(message) | Ok(Err(message)) => message,
                Ok(Ok(bits)) => panic!("{text}: {bits:?}"),
            };
            assert!(got.contains(message), "{text}: {got}");
        }
    }

    #[test]
    fn contents_become_scalars_of_the_wanted_types() {
        let scalars = |text: &str, count, scalar| scalars(&read(text).unwrap(), count, scalar);
        assert_eq!(scalars("[4]:iota", 4, Scalar::U8), Ok(vec![0, 1, 2, 3]));
        assert_eq!(scalars("[3]:iota(255)", 3, Scalar::U8), Ok(vec![255, 0, 1]));
        assert_eq!(scalars("[3]:iota(1,-1)", 3, Scalar::I32), Ok(vec![1, 0, 0xffff_ffff]));
        assert_eq!(scalars(":fill(1)", 2, Scalar::F32), Ok(vec![0x3f80_0000; 2]));
        assert_eq!(scalars("f32:inf", 1, Scalar::F32), Ok(vec![0x7f80_0000]));
        assert_eq!(scalars("bool:true", 1, Scalar::Bool), Ok(vec![1]));
        assert_eq!(scalars("@four.bin", 1, Scalar::U32), Ok(vec![1]));
        assert_eq!(scalars("1,2", 3, Scalar::U32), Err("2 values for 3 scalars".to_owned()));
        assert_eq!(scalars("@four.bin", 2, Scalar::U32), Err("the file is too short".to_owned()));
        assert_eq!(
            scalars("@four.bin", 1, Scalar::U16),
            Err("the file is 2 bytes too long".to_owned())
        );
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        let pieces = [
            "u32",
            "[",
            "]",
            ":",
            "@",
            "(",
            ")",
            ",",
            "-",
            "9",
            "99999999999999999999",
            "iota",
            "rand",
            "\u{e4}",
            " ",
        ];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            texts = texts
                .iter()
                .flat_map(|text| pieces.map(|piece| format!("{text}{piece}")))
                .collect();
            for text in &texts {
                if let Ok(value) = read(text) {
                    let _ = scalars(&value, value.given().unwrap_or(3), Scalar::I8);
                }
            }
        }
    }

    #[test]
    fn random_values_depend_on_the_seed_alone() {
        let scalars = |text: &str, scalar| scalars(&read(text).unwrap(), 64, scalar).unwrap();
        assert_eq!(scalars(":rand(1)", Scalar::U32), scalars(":rand(1)", Scalar::U32));
        assert_ne!(scalars(":rand(1)", Scalar::U32), scalars(":rand(2)", Scalar::U32));
        for bits in scalars(":rand(3)", Scalar::F32) {
            assert!((0.0..1.0).contains(&f32::from_bits(bits as u32)));
        }
        assert!(scalars(":rand(4)", Scalar::Bool).iter().all(|it| *it < 2));
    }
}
