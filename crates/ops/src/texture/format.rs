//! Texel formats: decoding the bytes of a texel, and encoding values into bytes.
//!
//! Conversions follow Direct3D, "Data conversion" in its functional specification. Floats round to nearest even
//! when narrowed; normalised formats clamp, scale and round to nearest, halves away from zero.
//! Deliberately absent: block compression and planar video formats.

use std::fmt;

use super::{Channel, srgb};
use crate::F16;

/// The size in bytes of the largest texel.
pub const MOST_BYTES: usize = 32;

/// How texels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Channels of one size, side by side.
    Plain { channels: Channels, bits: u8, encoding: Encoding },
    /// The blue channel first.
    Bgra8 { srgb: bool },
    /// Ten bits for each colour, from the lowest bit up, and two for alpha; integers with `uint`.
    Rgb10A2 { uint: bool },
    /// Unsigned floats with a five-bit exponent and fractions of six, six and five bits.
    Rg11B10Float,
    /// Nine bits for each colour, and a shared exponent.
    Rgb9E5,
}

/// The channels of a format, in memory order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channels {
    R,
    Rg,
    Rgb,
    Rgba,
}

/// How the bits of a channel are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
    /// Like `Unorm`, with red, green and blue on the sRGB curve; 8 bits only.
    Srgb,
}

/// The four components of a texel as numbers. Colour channels that a format lacks are 0, and alpha is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Texel {
    Float([f32; 4]),
    Unsigned([u64; 4]),
    Signed([i64; 4]),
}

impl Channels {
    pub fn count(self) -> usize {
        self as usize + 1
    }

    /// One to four channels.
    pub fn of(count: u32) -> Option<Channels> {
        Some(match count {
            1 => Channels::R,
            2 => Channels::Rg,
            3 => Channels::Rgb,
            4 => Channels::Rgba,
            _ => return None,
        })
    }
}

impl Encoding {
    fn word(self) -> &'static str {
        match self {
            Encoding::Unorm => "UNORM",
            Encoding::Snorm => "SNORM",
            Encoding::Uint => "UINT",
            Encoding::Sint => "SINT",
            Encoding::Float => "FLOAT",
            Encoding::Srgb => "UNORM_SRGB",
        }
    }

    /// Whether the encoding exists for channels of this width.
    fn takes(self, bits: u8) -> bool {
        match self {
            Encoding::Unorm | Encoding::Snorm => matches!(bits, 8 | 16),
            Encoding::Uint | Encoding::Sint => matches!(bits, 8 | 16 | 32 | 64),
            Encoding::Float => matches!(bits, 16 | 32),
            Encoding::Srgb => bits == 8,
        }
    }
}

impl fmt::Display for Format {
    /// The name without the letters repeated: `RGBA8_UNORM`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Format::Plain { channels, bits, encoding } => {
                let letters = &"RGBA"[..channels.count()];
                write!(f, "{letters}{bits}_{}", encoding.word())
            }
            Format::Bgra8 { srgb: false } => f.write_str("BGRA8_UNORM"),
            Format::Bgra8 { srgb: true } => f.write_str("BGRA8_UNORM_SRGB"),
            Format::Rgb10A2 { uint: false } => f.write_str("RGB10A2_UNORM"),
            Format::Rgb10A2 { uint: true } => f.write_str("RGB10A2_UINT"),
            Format::Rg11B10Float => f.write_str("RG11B10_FLOAT"),
            Format::Rgb9E5 => f.write_str("RGB9E5_SHAREDEXP"),
        }
    }
}

impl Format {
    /// Whether texels are integers; all others are read as floats.
    pub fn is_integer(self) -> bool {
        match self {
            Format::Plain { encoding: Encoding::Uint | Encoding::Sint, .. }
            | Format::Rgb10A2 { uint: true } => true,
            Format::Plain { .. }
            | Format::Bgra8 { .. }
            | Format::Rgb10A2 { uint: false }
            | Format::Rg11B10Float
            | Format::Rgb9E5 => false,
        }
    }

    /// The format with these channels side by side, if it exists.
    pub fn plain(channels: Channels, bits: u8, encoding: Encoding) -> Option<Format> {
        encoding.takes(bits).then_some(Format::Plain { channels, bits, encoding })
    }

    /// Parses the name of a format: Direct3D's, with or without `DXGI_FORMAT_`, or the short form; case is ignored.
    /// Depth formats are read as the one-channel formats through which shaders see them.
    pub fn parse(name: &str) -> Option<Format> {
        let name = name.to_ascii_uppercase();
        let name = name.strip_prefix("DXGI_FORMAT_").unwrap_or(&name);
        let (layout, encoding) = name.split_once('_')?;
        let encoding = match encoding {
            "UNORM" => Encoding::Unorm,
            "SNORM" => Encoding::Snorm,
            "UINT" => Encoding::Uint,
            "SINT" => Encoding::Sint,
            "FLOAT" => Encoding::Float,
            "UNORM_SRGB" | "SRGB" => Encoding::Srgb,
            "SHAREDEXP" if matches!(layout, "RGB9E5" | "R9G9B9E5") => return Some(Format::Rgb9E5),
            _ => return None,
        };
        let srgb = encoding == Encoding::Srgb;
        match (layout, encoding) {
            ("BGRA8" | "B8G8R8A8", Encoding::Unorm | Encoding::Srgb) => {
                return Some(Format::Bgra8 { srgb });
            }
            ("RGB10A2" | "R10G10B10A2", Encoding::Unorm | Encoding::Uint) => {
                return Some(Format::Rgb10A2 { uint: encoding == Encoding::Uint });
            }
            ("RG11B10" | "R11G11B10", Encoding::Float) => return Some(Format::Rg11B10Float),
            ("D16", Encoding::Unorm) => return Format::plain(Channels::R, 16, encoding),
            ("D32", Encoding::Float) => return Format::plain(Channels::R, 32, encoding),
            _ => {}
        }
        let (channels, bits) = plain_layout(layout)?;
        // Direct3D has sRGB with four channels only; one and two are Vulkan's.
        Format::plain(channels, bits, encoding)
    }

    /// The size of a texel in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Format::Plain { channels, bits, .. } => channels.count() * usize::from(bits) / 8,
            Format::Bgra8 { .. }
            | Format::Rgb10A2 { .. }
            | Format::Rg11B10Float
            | Format::Rgb9E5 => 4,
        }
    }

    pub fn channels(self) -> Channels {
        match self {
            Format::Plain { channels, .. } => channels,
            Format::Bgra8 { .. } | Format::Rgb10A2 { .. } => Channels::Rgba,
            Format::Rg11B10Float | Format::Rgb9E5 => Channels::Rgb,
        }
    }

    /// The channel that holds a component; `None` if the format lacks it, or its channels are not independent floats of
    /// common sizes.
    pub fn channel(self, component: usize) -> Option<Channel> {
        if component >= self.channels().count() {
            return None;
        }
        let is_colour = component < 3;
        Some(match self {
            Format::Plain { bits, encoding: Encoding::Srgb, .. } if !is_colour => {
                Channel::new(Encoding::Unorm, bits)
            }
            Format::Plain { bits, encoding, .. } => Channel::new(encoding, bits),
            Format::Bgra8 { srgb: true } if is_colour => Channel::new(Encoding::Srgb, 8),
            Format::Bgra8 { .. } => Channel::new(Encoding::Unorm, 8),
            Format::Rgb10A2 { uint } => {
                let encoding = if uint { Encoding::Uint } else { Encoding::Unorm };
                Channel::new(encoding, if is_colour { 10 } else { 2 })
            }
            Format::Rg11B10Float | Format::Rgb9E5 => return None,
        })
    }

    /// Whether texels are numbers from 0 to 1, so that reference values are clamped too.
    pub fn is_unorm(self) -> bool {
        match self {
            Format::Plain { encoding, .. } => {
                matches!(encoding, Encoding::Unorm | Encoding::Srgb)
            }
            Format::Bgra8 { .. } => true,
            Format::Rgb10A2 { uint } => !uint,
            Format::Rg11B10Float | Format::Rgb9E5 => false,
        }
    }

    /// Decodes the texel at the start of `bytes`, which must be long enough.
    pub fn decode(self, bytes: &[u8]) -> Texel {
        match self {
            Format::Plain { channels, bits, encoding } => {
                let size = usize::from(bits) / 8;
                let raw = |i: usize| little(&bytes[i * size..(i + 1) * size]);
                let channel = Channel::new(encoding, bits);
                match encoding {
                    Encoding::Uint => Texel::Unsigned(each(channels, [0, 0, 0, 1], raw)),
                    Encoding::Sint => {
                        Texel::Signed(each(channels, [0, 0, 0, 1], |i| channel.whole(raw(i))))
                    }
                    Encoding::Unorm | Encoding::Snorm => {
                        Texel::Float(floats(channels, |i| channel.fraction(raw(i)) as f32))
                    }
                    Encoding::Float => Texel::Float(floats(channels, |i| match bits {
                        16 => F16(raw(i) as u16).to_f32(),
                        _ => f32::from_bits(raw(i) as u32),
                    })),
                    Encoding::Srgb => Texel::Float(floats(channels, |i| match i {
                        3 => unorm(raw(i), 8),
                        _ => srgb::decode(raw(i) as u8),
                    })),
                }
            }
            Format::Bgra8 { srgb } => Texel::Float(floats(Channels::Rgba, |i| {
                let byte = bytes[[2, 1, 0, 3][i]];
                if srgb && i < 3 { srgb::decode(byte) } else { unorm(u64::from(byte), 8) }
            })),
            Format::Rgb10A2 { uint } => {
                let word = little(&bytes[..4]);
                let raw = [word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30];
                if uint {
                    return Texel::Unsigned(raw);
                }
                Texel::Float(floats(Channels::Rgba, |i| unorm(raw[i], if i < 3 { 10 } else { 2 })))
            }
            Format::Rg11B10Float => {
                let word = little(&bytes[..4]);
                Texel::Float(floats(Channels::Rgb, |i| match i {
                    // Halves without the sign bit and with a shortened fraction.
                    2 => F16((word >> 22 << 5 & 0x7fe0) as u16).to_f32(),
                    _ => F16((word >> (11 * i) << 4 & 0x7ff0) as u16).to_f32(),
                }))
            }
            Format::Rgb9E5 => {
                let word = little(&bytes[..4]);
                let scale = power(word >> 27 & 0x1f) / 16_777_216.0;
                let part = |i: usize| (word >> (9 * i) & 0x1ff) as f64 * scale;
                Texel::Float(floats(Channels::Rgb, |i| part(i) as f32))
            }
        }
    }

    /// Encodes a texel into the first bytes, which must be long enough. Components that the format lacks are
    /// dropped.
    pub fn encode(self, texel: Texel, bytes: &mut [u8]) {
        match self {
            Format::Plain { channels, bits, encoding } => {
                let size = usize::from(bits) / 8;
                let channel = Channel::new(encoding, bits);
                for (i, place) in bytes.chunks_exact_mut(size).take(channels.count()).enumerate() {
                    let raw = match encoding {
                        Encoding::Uint => channel.saturated(texel.unsigned(i)),
                        Encoding::Sint => channel.saturated_signed(texel.signed(i)) as u64,
                        Encoding::Unorm | Encoding::Snorm => channel.nearest(texel.float(i)) as u64,
                        Encoding::Float => match (bits, texel) {
                            (16, _) => u64::from(F16::from_f64(texel.float(i)).0),
                            // A move keeps the bits of a NaN.
                            (_, Texel::Float(all)) => u64::from(all[i].to_bits()),
                            (_, Texel::Unsigned(_) | Texel::Signed(_)) => {
                                u64::from((texel.float(i) as f32).to_bits())
                            }
                        },
                        Encoding::Srgb if i < 3 => u64::from(srgb::encode(texel.float(i) as f32)),
                        Encoding::Srgb => to_unorm(texel.float(i), 8),
                    };
                    place.copy_from_slice(&raw.to_le_bytes()[..size]);
                }
            }
            Format::Bgra8 { srgb } => {
                for (i, place) in [2, 1, 0, 3].into_iter().enumerate() {
                    bytes[place] = if srgb && i < 3 {
                        srgb::encode(texel.float(i) as f32)
                    } else {
                        to_unorm(texel.float(i), 8) as u8
                    };
                }
            }
            Format::Rgb10A2 { uint } => {
                let part = |i: usize| {
                    let bits = if i < 3 { 10 } else { 2 };
                    if uint {
                        Channel::new(Encoding::Uint, bits).saturated(texel.unsigned(i))
                    } else {
                        to_unorm(texel.float(i), bits)
                    }
                };
                let word = part(0) | part(1) << 10 | part(2) << 20 | part(3) << 30;
                bytes[..4].copy_from_slice(&(word as u32).to_le_bytes());
            }
            Format::Rg11B10Float => {
                let part = |i, fraction| small_float(texel.float(i), fraction);
                let word = part(0, 6) | part(1, 6) << 11 | part(2, 5) << 22;
                bytes[..4].copy_from_slice(&word.to_le_bytes());
            }
            Format::Rgb9E5 => {
                let colours = std::array::from_fn(|i| texel.float(i));
                bytes[..4].copy_from_slice(&shared_exponent(colours).to_le_bytes());
            }
        }
    }
}

impl Texel {
    /// Zero: the value of a texel outside the texture.
    pub const ZERO: Texel = Texel::Unsigned([0; 4]);

    /// A component as a float; exact in f64 except for the largest 64-bit integers.
    pub fn float(self, i: usize) -> f64 {
        match self {
            Texel::Float(all) => f64::from(all[i]),
            Texel::Unsigned(all) => all[i] as f64,
            Texel::Signed(all) => all[i] as f64,
        }
    }

    /// A component as an unsigned integer, saturating; NaN gives 0.
    pub fn unsigned(self, i: usize) -> u64 {
        match self {
            Texel::Float(all) => all[i] as u64,
            Texel::Unsigned(all) => all[i],
            Texel::Signed(all) => u64::try_from(all[i]).unwrap_or(0),
        }
    }

    /// A component as a signed integer, saturating; NaN gives 0.
    pub fn signed(self, i: usize) -> i64 {
        match self {
            Texel::Float(all) => all[i] as i64,
            Texel::Unsigned(all) => i64::try_from(all[i]).unwrap_or(i64::MAX),
            Texel::Signed(all) => all[i],
        }
    }
}

/// `RGBA8`, `R8G8B8A8`.
fn plain_layout(layout: &str) -> Option<(Channels, u8)> {
    let letters: String = layout.chars().filter(char::is_ascii_alphabetic).collect();
    let numbers: Vec<&str> =
        layout.split(|c: char| c.is_ascii_alphabetic()).filter(|it| !it.is_empty()).collect();
    let channels = match letters.as_str() {
        "R" => Channels::R,
        "RG" => Channels::Rg,
        "RGB" => Channels::Rgb,
        "RGBA" => Channels::Rgba,
        _ => return None,
    };
    let is_short = numbers.len() == 1 && layout.starts_with(&letters);
    let is_long = layout.starts_with('R')
        && numbers.len() == channels.count()
        && numbers.iter().all(|it| *it == numbers[0]);
    if !(is_short || is_long) {
        return None;
    }
    Some((channels, numbers[0].parse().ok()?))
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn each<T: Copy>(channels: Channels, missing: [T; 4], of: impl Fn(usize) -> T) -> [T; 4] {
    std::array::from_fn(|i| if i < channels.count() { of(i) } else { missing[i] })
}

fn floats(channels: Channels, of: impl Fn(usize) -> f32) -> [f32; 4] {
    each(channels, [0.0, 0.0, 0.0, 1.0], of)
}

fn unorm(raw: u64, bits: u8) -> f32 {
    Channel::new(Encoding::Unorm, bits).fraction(raw) as f32
}

fn to_unorm(value: f64, bits: u8) -> u64 {
    Channel::new(Encoding::Unorm, bits).nearest(value) as u64
}

/// 2 to the power of a small number.
fn power(exponent: u64) -> f64 {
    (1u64 << exponent) as f64
}

/// An unsigned float with a five-bit exponent: rounded to nearest even; too large values become the largest finite
/// one, negative ones 0.
fn small_float(value: f64, fraction: u32) -> u32 {
    let infinity = 0x1f << fraction;
    if value.is_nan() {
        return infinity | 1 << (fraction - 1);
    }
    if value <= 0.0 {
        return 0;
    }
    if value == f64::INFINITY {
        return infinity;
    }
    // The unit in the last place, a power of two; below the smallest normal number, that of the smallest one.
    let exponent = ((value.to_bits() >> 52) as i64 - 1023).max(-14);
    let unit = f64::from_bits(((exponent - i64::from(fraction) + 1023) as u64) << 52);
    let units = (value / unit).round_ties_even() as u64;
    // A carry out of the fraction increments the exponent.
    let bits = ((exponent + 14) as u64).saturating_mul(1 << fraction) + units;
    bits.min(u64::from(infinity) - 1) as u32
}

/// The encoding of `EXT_texture_shared_exponent`: the exponent of the largest colour, and all colours rounded to it.
pub(super) fn shared_exponent(colours: [f64; 3]) -> u32 {
    const LARGEST: f64 = 65408.0;
    let colours = colours.map(|it| if it.is_nan() { 0.0 } else { it.clamp(0.0, LARGEST) });
    let largest = colours[0].max(colours[1]).max(colours[2]);
    let log = (largest.to_bits() >> 52) as i64 - 1023;
    let mut exponent = log.max(-16) + 16;
    let scaled = |value: f64, exponent: i64| {
        let per_unit = f64::from_bits(((24 - exponent + 1023) as u64) << 52);
        // Nothing is negative, so that the conversion rounds down.
        (value * per_unit + 0.5) as u32
    };
    if scaled(largest, exponent) == 512 {
        exponent += 1;
    }
    let [r, g, b] = colours.map(|it| scaled(it, exponent));
    r | g << 9 | b << 18 | (exponent as u32) << 27
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(name: &str, texel: Texel) -> (Vec<u8>, Texel) {
        let format = Format::parse(name).unwrap();
        let mut bytes = vec![0xee; format.bytes()];
        format.encode(texel, &mut bytes);
        let back = format.decode(&bytes);
        (bytes, back)
    }

    #[test]
    fn names_are_read_in_both_forms() {
        for (long, short) in [
            ("DXGI_FORMAT_R8G8B8A8_UNORM", "RGBA8_UNORM"),
            ("R8_SNORM", "R8_SNORM"),
            ("r16g16_float", "RG16_FLOAT"),
            ("R8G8B8A8_UNORM_SRGB", "RGBA8_UNORM_SRGB"),
            ("rgba8_srgb", "RGBA8_UNORM_SRGB"),
            ("B8G8R8A8_UNORM", "BGRA8_UNORM"),
            ("R10G10B10A2_UINT", "RGB10A2_UINT"),
            ("R11G11B10_FLOAT", "RG11B10_FLOAT"),
            ("R9G9B9E5_SHAREDEXP", "RGB9E5_SHAREDEXP"),
            ("R32G32B32_FLOAT", "RGB32_FLOAT"),
            ("D16_UNORM", "R16_UNORM"),
            ("D32_FLOAT", "R32_FLOAT"),
            ("R64_UINT", "R64_UINT"),
        ] {
            let format = Format::parse(long).unwrap_or_else(|| panic!("{long}"));
            assert_eq!(format.to_string(), short);
            assert_eq!(Format::parse(short), Some(format));
        }
        for bad in
            ["", "RGBA8", "R8G16_UNORM", "R32_UNORM", "BGRA8_UINT", "R7_UINT", "8R_UINT", "R_UINT"]
        {
            assert_eq!(Format::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn texels_round_trip() {
        let colour = Texel::Float([1.0, 0.5, -2.0, 0.25]);
        for (name, bytes, seen) in [
            ("RGBA8_UNORM", vec![255, 128, 0, 64], [1.0, 128.0 / 255.0, 0.0, 64.0 / 255.0]),
            ("BGRA8_UNORM", vec![0, 128, 255, 64], [1.0, 128.0 / 255.0, 0.0, 64.0 / 255.0]),
            ("RGBA8_SNORM", vec![127, 64, 129, 32], [1.0, 64.0 / 127.0, -1.0, 32.0 / 127.0]),
            ("R16_FLOAT", vec![0, 0x3c], [1.0, 0.0, 0.0, 1.0]),
            ("RG32_FLOAT", vec![0, 0, 0x80, 0x3f, 0, 0, 0, 0x3f], [1.0, 0.5, 0.0, 1.0]),
            ("RGB10A2_UNORM", vec![0xff, 3, 8, 0x40], [1.0, 512.0 / 1023.0, 0.0, 1.0 / 3.0]),
            ("RG11B10_FLOAT", vec![0xc0, 3, 0x1c, 0], [1.0, 0.5, 0.0, 1.0]),
            ("RGBA8_SRGB", vec![255, 188, 0, 64], [1.0, 0.502_886_5, 0.0, 64.0 / 255.0]),
        ] {
            let (got, back) = round_trip(name, colour);
            assert_eq!(got, bytes, "{name}");
            assert_eq!(back, Texel::Float(seen), "{name}");
        }
        let (_, back) = round_trip("RGB9E5_SHAREDEXP", Texel::Float([1.0, 0.5, 3.0, 0.0]));
        assert_eq!(back, Texel::Float([1.0, 0.5, 3.0, 1.0]));
    }

    #[test]
    fn integers_clamp() {
        assert_eq!(round_trip("R8_UINT", Texel::Unsigned([300; 4])).0, [255]);
        assert_eq!(round_trip("R8_SINT", Texel::Signed([-300; 4])).0, [0x80]);
        assert_eq!(round_trip("R16_SINT", Texel::Signed([-2; 4])).1, Texel::Signed([-2, 0, 0, 1]));
        let all = Texel::Unsigned([u64::MAX; 4]);
        assert_eq!(round_trip("R64_UINT", all).1, Texel::Unsigned([u64::MAX, 0, 0, 1]));
        assert_eq!(round_trip("RGB10A2_UINT", all).1, Texel::Unsigned([1023, 1023, 1023, 3]));
    }

    #[test]
    fn small_floats_round_and_saturate() {
        let bits = |value| small_float(value, 6);
        assert_eq!(bits(65024.0), 0x7bf);
        assert_eq!(bits(1e9), 0x7bf);
        assert_eq!(bits(f64::INFINITY), 0x7c0);
        assert!(bits(f64::NAN) > 0x7c0);
        assert_eq!(bits(-1.0), 0);
        // The smallest one, and the largest denormal, which rounds up to the smallest normal number.
        assert_eq!(bits(1.0 / f64::from(1 << 20)), 1);
        assert_eq!(bits(1.0 / 16384.0), 64);
        assert_eq!(bits(0.999_999 / 16384.0), 64);
        // Every value survives a round trip.
        for raw in 0..0x7c0u32 {
            let value = F16((raw << 4) as u16).to_f32();
            assert_eq!(bits(f64::from(value)), raw);
        }
    }
}
