//! Texels in memory: which units hold one, the numbers in it, and the bits of numbers. The conversions are those of
//! `ops::texture::Format`, to the last bit.

use ir::exec::FormatScalar;
use ir::{Address, Element, HostScalar, Norm, Op, Place, Values};
use ops::Sign::{Signed, Unsigned};
use ops::Ty;
use ops::texture::{Channel, Encoding, Format};

use crate::channel::Number;
use crate::term::Term;
use crate::writer::Writer;

/// What the components of stored values are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Unsigned,
    Signed,
}

/// The bytes that are accessed together in a texture that may have any of these formats: the largest power of two of
/// which every texel is a multiple, at most `most`.
pub(super) fn unit_bytes(formats: &[Format], most: u32) -> u32 {
    let of = |format: &Format| 1 << (format.bytes() as u32).trailing_zeros().min(3);
    formats.iter().map(of).min().unwrap_or(4).min(most)
}

/// A texture's memory as a typed buffer of unsigned integers.
pub(super) fn unit_element(bytes: u32) -> (Element, FormatScalar) {
    let (scalar, format) = match bytes {
        1 => (HostScalar::U32, FormatScalar::Uint8),
        2 => (HostScalar::U32, FormatScalar::Uint16),
        4 => (HostScalar::U32, FormatScalar::Uint32),
        _ => (HostScalar::U64, FormatScalar::Uint64),
    };
    (Element { scalar, components: 1, norm: Norm::None }, format)
}

impl<'a> Number<'a> {
    fn of_kind(self, kind: Kind) -> Number<'a> {
        match kind {
            Kind::Float => Number::Float(self.double().as_single()),
            Kind::Unsigned => Number::Unsigned(self.unsigned(Ty::I64)),
            Kind::Signed => Number::Signed(self.signed(Ty::I64)),
        }
    }
}

impl<'a> Writer<'a> {
    /// The numbers in a texel: four of them.
    pub(super) fn texel(
        &'a self,
        place: Place,
        unit: u32,
        format: Format,
        index: Term<'a>,
    ) -> Vec<Number<'a>> {
        let words = self.texel_words(place, unit, format.bytes() as u32, index);
        self.decoded(format, &words)
    }

    /// The bits of a texel in words. The index is in units.
    fn texel_words(
        &'a self,
        place: Place,
        unit: u32,
        bytes: u32,
        index: Term<'a>,
    ) -> Vec<Term<'a>> {
        let ty = if unit == 8 { Ty::I64 } else { Ty::I32 };
        let load = |number: u32| {
            let at = index + index.whole(number.into());
            let op = Op::Load { place, at: Address::Texel(at.value) };
            self.term(self.value(op, ty))
        };
        let units: Vec<Term<'a>> = (0..bytes / unit).map(load).collect();
        if unit == 8 {
            let halves = |it: &Term<'a>| [it.as_word(), it.right(32).as_word()];
            return units.iter().flat_map(halves).collect();
        }
        let joined = |units: &[Term<'a>]| {
            let parts = (0..).zip(units).map(|(number, it)| it.left(number * unit * 8));
            parts.reduce(|all, it| all | it).unwrap_or_else(|| self.word_term(0))
        };
        units.chunks((4 / unit) as usize).map(joined).collect()
    }

    fn decoded(&'a self, format: Format, words: &[Term<'a>]) -> Vec<Number<'a>> {
        let single = |value: f32| self.term(self.constant(Ty::F32, value.to_bits().into()));
        let field = |at: u32, bits: u32| {
            let word = words[(at / 32) as usize].right(at % 32);
            if bits == 32 { word } else { word & word.whole((1 << bits) - 1) }
        };
        let count = format.channels().count();
        let missing = |i: usize| match format.is_integer() {
            false => Number::Float(single(if i == 3 { 1.0 } else { 0.0 })),
            true => Number::Unsigned(self.word_term((i == 3).into())),
        };
        let component = |i: usize| -> Number<'a> {
            let Some(channel) = format.channel(i) else {
                if i >= count {
                    return missing(i);
                }
                return Number::Float(match format {
                    // Halves without the sign bit and with a shortened fraction.
                    Format::Rg11B10Float if i == 2 => field(22, 10).left(5).unpack_half(),
                    Format::Rg11B10Float => field(11 * i as u32, 11).left(4).unpack_half(),
                    // The scale is a power of two: its exponent is that of the texel, less 24.
                    _ => {
                        let exponent = field(27, 5);
                        let exponent = exponent + exponent.whole(1023 - 24);
                        let scale = exponent.as_long_unsigned().left(52).cast(Ty::F64);
                        (field(9 * i as u32, 9).as_double() * scale).as_single()
                    }
                });
            };
            let (at, bits) = position(format, i);
            if channel.encoding == Encoding::Srgb {
                return Number::Float(self.curve(field(at, 8)).cast(Ty::F32));
            }
            let word = field(at, bits.min(32));
            match (channel.encoding, bits) {
                (Encoding::Float, 16) => return Number::Float(word.unpack_half()),
                (Encoding::Float, _) => return Number::Float(word.cast(Ty::F32)),
                _ => {}
            }
            let whole = match bits {
                64 => word.as_long_unsigned() | field(at + 32, 32).as_long_unsigned().left(32),
                _ if channel.is_signed() => word.left(32 - bits).right_signed(32 - bits),
                _ => word,
            };
            self.channel_number(channel, whole, Ty::F32)
        };
        (0..4).map(component).collect()
    }

    /// The bits of a texel, from components of which some may keep what is in memory.
    pub(super) fn store_texel(
        &'a self,
        place: Place,
        unit: u32,
        format: Format,
        index: Term<'a>,
        values: &[Term<'a>],
        is_signed: bool,
    ) {
        let count = format.channels().count();
        let kind = match values[0].ty() {
            Ty::F16 | Ty::F32 | Ty::F64 => Kind::Float,
            Ty::I16 | Ty::I32 | Ty::I64 if is_signed => Kind::Signed,
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => Kind::Unsigned,
        };
        let given = |it: &Term<'a>| match kind {
            Kind::Float => Number::Float(it.as_single()),
            Kind::Signed => Number::given(*it, it.ty(), Signed),
            Kind::Unsigned => Number::given(*it, it.ty(), Unsigned),
        };
        let mut numbers: Vec<Number<'a>> = values.iter().take(count).map(given).collect();
        if numbers.len() < count {
            let old = self.texel(place, unit, format, index);
            numbers.extend(old[numbers.len()..count].iter().map(|it| it.of_kind(kind)));
        }
        let words = self.encoded(format, &numbers);
        for number in 0..format.bytes() as u32 / unit {
            let at = index + index.whole(number.into());
            let value = match unit {
                8 => {
                    let halves = &words[2 * number as usize..][..2];
                    halves[0].as_long_unsigned() | halves[1].as_long_unsigned().left(32)
                }
                4 => words[number as usize],
                _ => {
                    let bits = number * unit * 8;
                    let word = words[(bits / 32) as usize].right(bits % 32);
                    word & word.whole((1 << (unit * 8)) - 1)
                }
            };
            let values: Values = [value.value].into_iter().collect();
            self.add(Op::Store { place, at: Address::Texel(at.value), values }, &[]);
        }
    }

    fn encoded(&'a self, format: Format, numbers: &[Number<'a>]) -> Vec<Term<'a>> {
        match format {
            Format::Rg11B10Float => {
                let part = |i: usize, fraction| self.small_float(numbers[i].double(), fraction);
                return vec![part(0, 6) | part(1, 6).left(11) | part(2, 5).left(22)];
            }
            Format::Rgb9E5 => return vec![self.shared_exponent(numbers)],
            Format::Plain { .. } | Format::Bgra8 { .. } | Format::Rgb10A2 { .. } => {}
        }
        let mut words: Vec<Option<Term<'a>>> = vec![None; format.bytes().div_ceil(4)];
        let mut put = |at: u32, value: Term<'a>| {
            let word = &mut words[(at / 32) as usize];
            let value = value.left(at % 32);
            *word = Some(word.map_or(value, |it| it | value));
        };
        for (i, number) in numbers.iter().enumerate() {
            let Some(channel) = format.channel(i) else { continue };
            let (at, bits) = position(format, i);
            let value = self.channel_bits(channel, *number);
            if bits == 64 {
                put(at, value.as_word());
                put(at + 32, value.right(32).as_word());
                continue;
            }
            let word = value.as_word();
            put(at, if bits == 32 { word } else { word & word.whole((1 << bits) - 1) });
        }
        words.into_iter().map(|it| it.unwrap_or_else(|| self.word_term(0))).collect()
    }

    /// The bits of a channel, in a word or in 64 bits; those above it may be anything.
    fn channel_bits(&'a self, channel: Channel, number: Number<'a>) -> Term<'a> {
        if channel.encoding == Encoding::Srgb {
            return self.curve_code(number.double().as_single());
        }
        let value = self.channel_value(channel, number);
        match value.ty() {
            Ty::F16 => value.cast(Ty::I16).convert(Unsigned, Ty::I32),
            Ty::F32 => value.cast(Ty::I32),
            _ => value,
        }
    }

    /// An unsigned float with a five-bit exponent.
    fn small_float(&'a self, value: Term<'a>, fraction: u32) -> Term<'a> {
        let infinity = 0x1f << fraction;
        let exponent = value.cast(Ty::I64).right(52) - value.cast(Ty::I64).whole(1023);
        let exponent = exponent.max(exponent.whole(-14));
        let unit = exponent + exponent.whole(1023 - i64::from(fraction));
        let units = (value / unit.left(52).cast(Ty::F64)).round().as_long_unsigned();
        let bits = (exponent + exponent.whole(14)).left(fraction) + units;
        let bits = bits.least_unsigned(bits.whole(infinity - 1));
        let double = |it: f64| value.double(it);
        let bits = value.equals(double(f64::INFINITY)).pick(bits.whole(infinity), bits);
        let bits = value.at_most(double(0.0)).pick(bits.whole(0), bits);
        let nan = bits.whole(infinity | 1 << (fraction - 1));
        value.is_nan().pick(nan, bits).as_word()
    }

    /// Three colours and their common exponent.
    fn shared_exponent(&'a self, numbers: &[Number<'a>]) -> Term<'a> {
        let colour = |i: usize| {
            let value = numbers[i].double();
            let clamped = value.within(value.double(0.0), value.double(65408.0));
            value.is_nan().pick(value.double(0.0), clamped)
        };
        let colours = [0, 1, 2].map(colour);
        let largest = colours[0].max(colours[1]).max(colours[2]);
        let log = largest.cast(Ty::I64).right(52) - largest.cast(Ty::I64).whole(1023);
        let exponent = log.max(log.whole(-16)) + log.whole(16);
        let scaled = |value: Term<'a>, exponent: Term<'a>| {
            let per_unit = (exponent.whole(24 + 1023) - exponent).left(52).cast(Ty::F64);
            (value * per_unit + value.double(0.5)).as_long_unsigned()
        };
        let carries = scaled(largest, exponent).equals(exponent.whole(512));
        let exponent = carries.pick(exponent + exponent.whole(1), exponent);
        let [r, g, b] = colours.map(|it| scaled(it, exponent));
        (r | g.left(9) | b.left(18) | exponent.left(27)).as_word()
    }

    /// An entry of the table of the sRGB curve, as a word.
    fn curve(&'a self, entry: Term<'a>) -> Term<'a> {
        let place = Place { binding: self.textures().curve, element: None };
        let at = Address::Structured { index: entry.value, offset: self.word(0) };
        self.term(self.value(Op::Load { place, at }, Ty::I32))
    }

    /// The code of a linear value: how many thresholds are not above it, by bisection.
    fn curve_code(&'a self, linear: Term<'a>) -> Term<'a> {
        let mut code = self.word_term(0);
        for step in [128, 64, 32, 16, 8, 4, 2, 1] {
            let next = code + code.whole(step);
            // Behind the linear values of all codes.
            let threshold = self.curve(next + next.whole(255)).cast(Ty::F32);
            code = threshold.at_most(linear).pick(next, code);
        }
        code
    }
}

/// The first bit of a component, and how many bits it has.
fn position(format: Format, component: usize) -> (u32, u32) {
    let i = component as u32;
    match format {
        Format::Plain { bits, .. } => (i * u32::from(bits), bits.into()),
        Format::Bgra8 { .. } => ([16, 8, 0, 24][component], 8),
        Format::Rgb10A2 { .. } => (10 * i, if i < 3 { 10 } else { 2 }),
        Format::Rg11B10Float | Format::Rgb9E5 => {
            unreachable!("channels of these formats have no common size")
        }
    }
}
