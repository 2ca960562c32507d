//! Pictures: targets and textures as the format's own tool writes them, and PNG files.
//!
//! Deliberately absent: colour management beyond what the suite's comparison needs, see [`Picture::srgb`].

use std::io::Cursor;

use wavelane::internal::pow;
use wavelane::texture::{Channels, Encoding, Format, Texel};

/// A picture has no more pixels than one of 8192x8192.
const MOST_PIXELS: u64 = 1 << 26;
/// PERF: the most common format of targets has a separate loop.
const USUAL: Format =
    Format::Plain { channels: Channels::Rgba, bits: 32, encoding: Encoding::Float };
/// The memory that a decoder may take besides the pixels.
const MOST_BYTES: usize = 1 << 28;

/// Pixels, row by row from the upper left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    /// 1 (grey), 2 (grey and alpha), 3 or 4.
    channels: usize,
    /// 8 or 16.
    bits: u8,
    samples: Vec<u16>,
    /// Whether the samples are proportional to light, rather than on the sRGB curve.
    is_linear: bool,
}

impl Picture {
    /// The texels of a layer, clamped to 0..1. Everything wider than a byte becomes 16 bits by cutting off the rest, as
    /// the suite's tool does it.
    pub fn of(format: Format, width: u32, height: u32, bytes: &[u8]) -> Result<Picture, String> {
        fits(width, height)?;
        let bits = match format {
            Format::Plain { bits: 8, .. } | Format::Bgra8 { .. } => 8,
            Format::Plain { .. }
            | Format::Rgb10A2 { .. }
            | Format::Rg11B10Float
            | Format::Rgb9E5 => 16,
        };
        // PNG has no format with two colour channels: blue is 0.
        let channels = match format.channels() {
            Channels::R => 1,
            Channels::Rg | Channels::Rgb => 3,
            Channels::Rgba => 4,
        };
        let raw = linear(format);
        let integer = match raw {
            Format::Plain { encoding: Encoding::Uint, bits, .. } => Some(bits),
            Format::Plain { encoding: Encoding::Sint, bits, .. } => Some(bits - 1),
            _ => None,
        };
        let pixels = width as usize * height as usize;
        let bytes = &bytes[..bytes.len().min(pixels * raw.bytes())];
        if raw == USUAL {
            let samples = bytes.as_chunks().0.iter().map(|it| cut_float(f32::from_le_bytes(*it)));
            return Picture::made(width, height, channels, bits, samples.collect());
        }
        let mut samples = Vec::with_capacity(pixels * channels);
        for texel in bytes.chunks_exact(raw.bytes()) {
            let texel = raw.decode(texel);
            for channel in 0..channels {
                samples.push(match (texel, integer) {
                    (Texel::Unsigned(_), None) => texel.unsigned(channel).min(0xffff) as u16,
                    (Texel::Unsigned(_), Some(width)) if width <= u32::from(bits) as u8 => {
                        texel.unsigned(channel) as u16
                    }
                    (Texel::Unsigned(_), Some(width)) => {
                        cut(texel.unsigned(channel) as f64 / most(width), bits)
                    }
                    (Texel::Signed(_), width) => {
                        cut(texel.signed(channel) as f64 / most(width.unwrap_or(15)), bits)
                    }
                    (Texel::Float(_), _) if bits == 8 => {
                        (texel.float(channel).clamp(0.0, 1.0) * 255.0).round() as u16
                    }
                    (Texel::Float(_), _) => cut(texel.float(channel), bits),
                });
            }
        }
        Picture::made(width, height, channels, bits, samples)
    }

    /// The picture of texels with `channels` channels, if there are enough of them.
    fn made(
        width: u32,
        height: u32,
        channels: usize,
        bits: u8,
        samples: Vec<u16>,
    ) -> Result<Picture, String> {
        match samples.len() == width as usize * height as usize * channels {
            true => Ok(Picture { width, height, channels, bits, samples, is_linear: bits == 16 }),
            false => Err(format!(
                "{} texels are not a picture of {width}x{height}",
                samples.len() / channels
            )),
        }
    }

    /// A picture of bytes: red, green and blue.
    pub fn rgb8(width: u32, height: u32, pixels: &[[u8; 3]]) -> Result<Picture, String> {
        fits(width, height)?;
        if pixels.len() != width as usize * height as usize {
            return Err(format!("{} pixels are not {width}x{height}", pixels.len()));
        }
        let samples = pixels.iter().flatten().map(|it| u16::from(*it)).collect();
        Ok(Picture { width, height, channels: 3, bits: 8, samples, is_linear: false })
    }

    pub fn width(&self) -> u32 {
        self.width
    }

    pub fn height(&self) -> u32 {
        self.height
    }

    /// The red, green and blue of a pixel, or its grey, as they are stored.
    pub fn at(&self, x: u32, y: u32) -> &[u16] {
        let first = (y as usize * self.width as usize + x as usize) * self.channels;
        &self.samples[first..first + self.channels]
    }

    /// Reads a PNG file.
    pub fn read(file: &[u8]) -> Result<Picture, String> {
        let mut reader = open(file, png::Transformations::EXPAND, MOST_BYTES)?;
        let (width, height) = reader.info().size();
        let (colour, depth) = reader.output_color_type();
        let bits = if depth == png::BitDepth::Sixteen { 16 } else { 8 };
        let is_linear =
            bits == 16 && reader.info().source_gamma.is_none() && reader.info().srgb.is_none();
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut bytes = vec![0; size];
        reader.next_frame(&mut bytes).map_err(|error| refused(file, &error))?;
        let samples = match bits {
            // Big end first.
            16 => bytes.chunks_exact(2).map(|it| u16::from_be_bytes([it[0], it[1]])).collect(),
            _ => bytes.into_iter().map(u16::from).collect(),
        };
        Ok(Picture { width, height, channels: colour.samples(), bits, samples, is_linear })
    }

    /// The picture as a PNG file.
    pub fn write(&self) -> Result<Vec<u8>, String> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(match self.channels {
            1 => png::ColorType::Grayscale,
            2 => png::ColorType::GrayscaleAlpha,
            3 => png::ColorType::Rgb,
            _ => png::ColorType::Rgba,
        });
        let is_wide = self.bits == 16;
        encoder.set_depth(if is_wide { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
        let cannot = |error: png::EncodingError| error.to_string();
        let mut writer = encoder.write_header().map_err(cannot)?;
        let samples = self.samples.iter();
        let bytes: Vec<u8> = match is_wide {
            true => samples.flat_map(|it| it.to_be_bytes()).collect(),
            false => samples.map(|it| *it as u8).collect(),
        };
        writer.write_image_data(&bytes).map_err(cannot)?;
        writer.finish().map_err(cannot)?;
        Ok(file)
    }

    /// The colours as eight bits on the sRGB curve, as libpng's simple reader returns them: 16 bits without a note of
    /// their gamma are linear, the curve is a power of 1/2.2, and what is transparent is put before black.
    pub(crate) fn srgb(&self) -> Vec<[u8; 3]> {
        let most = f64::from(self.most());
        let power = |value: f64, to| f64::from(pow(value as f32, to));
        let curve = |linear: f64| (power(linear.clamp(0.0, 1.0), 1.0 / 2.2) * 255.0).round() as u8;
        // Alpha is rounded to eight bits: from 254.5 on, to 255.
        let is_opaque = |alpha: u16| 510 * u32::from(alpha) >= 509 * u32::from(self.most());
        // PERF: the curve of each value is computed once, and of equal neighbours nothing twice.
        let mut curves: Vec<Option<u8>> = vec![None; usize::from(self.most()) + 1];
        let mut curve_of = |value: u16| {
            *curves[usize::from(value)].get_or_insert_with(|| curve(f64::from(value) / most))
        };
        let pixel = |it: &[u16], curve_of: &mut dyn FnMut(u16) -> u8| {
            let colour =
                |channel: usize| f64::from(it[if it.len() < 3 { 0 } else { channel }]) / most;
            let alpha =
                if it.len().is_multiple_of(2) { f64::from(it[it.len() - 1]) / most } else { 1.0 };
            let alpha = (alpha * 255.0).round() / 255.0;
            [0, 1, 2].map(|channel| match (self.is_linear, alpha == 1.0) {
                (true, true) => curve_of(it[if it.len() < 3 { 0 } else { channel }]),
                (true, false) => curve((colour(channel) * alpha * 255.0).round() / 255.0),
                (false, true) => (colour(channel) * 255.0).round() as u8,
                (false, false) => curve(power(colour(channel), 2.2) * alpha),
            })
        };
        let mut before: Option<(&[u16], [u8; 3])> = None;
        let each = self.samples.chunks_exact(self.channels).map(|samples| {
            // PERF: most pixels are opaque, and need no comparison.
            if let [r, g, b, a] = *samples
                && self.is_linear
                && is_opaque(a)
            {
                return [r, g, b].map(&mut curve_of);
            }
            let known = before.filter(|it| it.0 == samples);
            let colour = known.map_or_else(|| pixel(samples, &mut curve_of), |it| it.1);
            before = Some((samples, colour));
            colour
        });
        each.collect()
    }

    /// Whether two pictures have the same size.
    pub(crate) fn has_size_of(&self, other: &Picture) -> bool {
        (self.width, self.height) == (other.width, other.height)
    }

    /// The distance for each pixel that is not stored alike in both: the greatest difference of a channel, on a scale
    /// of 1. Only channels that both pictures have count.
    pub(crate) fn differences<'a>(&'a self, other: &'a Picture) -> impl Iterator<Item = f64> + 'a {
        let pixels = |it: &'a Picture| it.samples.chunks_exact(it.channels);
        let number = |value: u16, of: &Picture| f64::from(value) / f64::from(of.most());
        let is_alike = self.bits == other.bits;
        let all = pixels(self).zip(pixels(other)).filter(move |(a, b)| !is_alike || a != b);
        all.map(move |(a, b)| {
            let channels = a.iter().zip(b);
            let each = channels.map(|(a, b)| (number(*a, self) - number(*b, other)).abs());
            each.fold(0.0, f64::max)
        })
    }

    fn most(&self) -> u16 {
        u16::MAX >> (16 - self.bits)
    }
}

pub fn fits(width: u32, height: u32) -> Result<(), String> {
    let pixels = u64::from(width) * u64::from(height);
    match (1..=MOST_PIXELS).contains(&pixels) {
        true => Ok(()),
        false => Err(format!(
            "{width}x{height} are {pixels} pixels, and a picture has 1 to {MOST_PIXELS}"
        )),
    }
}

/// Begins to read a PNG file. Sizes are checked before memory is taken: a few bytes may promise gigabytes.
pub fn open(
    file: &[u8],
    transformations: png::Transformations,
    most_bytes: usize,
) -> Result<png::Reader<Cursor<&[u8]>>, String> {
    let refused = |error: png::DecodingError| refused(file, &error);
    let limits = png::Limits { bytes: most_bytes };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_transformations(transformations);
    let (width, height) = decoder.read_header_info().map_err(refused)?.size();
    fits(width, height)?;
    let reader = decoder.read_info().map_err(refused)?;
    // Deflate makes 1032 bytes of one at most.
    const MOST_PACKED: usize = 1032;
    if reader.info().raw_bytes() > file.len().saturating_mul(MOST_PACKED) {
        return Err(format!("the file is too short for a picture of {width}x{height} pixels"));
    }
    Ok(reader)
}

/// Why a file cannot be read. The decoder's message about a file that is not a PNG would be misleading.
pub fn refused(file: &[u8], error: &png::DecodingError) -> String {
    match error {
        png::DecodingError::LimitsExceeded => "the picture is too large".to_owned(),
        _ if !file.starts_with(b"\x89PNG\r\n\x1a\n") => "it is not a PNG file".to_owned(),
        other => format!("the picture cannot be read: {other}"),
    }
}

/// A number from 0 to 1 in that many bits, truncated rather than rounded, as the suite's tool writes pictures; NaN is
/// 0.
fn cut(value: f64, bits: u8) -> u16 {
    let steps = f64::from(1u32 << bits);
    (value * steps).clamp(0.0, steps - 1.0) as u16
}

/// The same in 16 bits. The product is exact, since its factor is a power of two.
fn cut_float(value: f32) -> u16 {
    (value * 65536.0).clamp(0.0, 65535.0) as u16
}

/// The largest integer of that many bits.
fn most(bits: u8) -> f64 {
    (u64::MAX >> (64 - bits)) as f64
}

/// The same texels without the sRGB curve: pictures hold what is on the curve.
fn linear(format: Format) -> Format {
    match format {
        Format::Plain { channels, bits, encoding: Encoding::Srgb } => {
            Format::Plain { channels, bits, encoding: Encoding::Unorm }
        }
        Format::Bgra8 { .. } => Format::Bgra8 { srgb: false },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_on_the_curve_does_not_depend_on_its_neighbours() {
        let pixels = [[0, 0, 0, 65535], [0; 4], [0; 4], [65535; 4], [300, 7, 9000, 65535]];
        let others = [[300, 7, 9000, 65535], [300, 7, 9000, 40000], [7, 300, 7, 65535]];
        let picture = |pixels: &[[u16; 4]]| Picture {
            width: pixels.len() as u32,
            height: 1,
            channels: 4,
            bits: 16,
            samples: pixels.concat(),
            is_linear: true,
        };
        let all = [&pixels[..], &others[..]].concat();
        let each: Vec<[u8; 3]> = all.iter().map(|it| picture(&[*it]).srgb()[0]).collect();
        assert_eq!(picture(&all).srgb(), each);
        assert_eq!((each[3], each[0]), ([255; 3], [0; 3]));
        // The least alpha that rounds to 255 of 255, and the one below it.
        let greys = |alpha: u16| {
            let pixels: Vec<[u16; 4]> = (0..=u16::MAX).map(|it| [it, it, it, alpha]).collect();
            picture(&pixels).srgb()
        };
        assert!(greys(65_407) == greys(65_535));
        assert!(greys(65_406) != greys(65_535));
    }

    fn format(name: &str) -> Format {
        Format::parse(name).unwrap()
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    #[test]
    fn floats_become_sixteen_bits_by_cutting() {
        let texels = floats(&[0.0, 0.5, 1.0, 2.0, -1.0, f32::NAN, 1.0 / 65536.0, 0.999_999]);
        let it = Picture::of(format("R32G32B32A32_FLOAT"), 2, 1, &texels).unwrap();
        assert_eq!(it.samples, [0, 32768, 65535, 65535, 0, 0, 1, 65535]);
        assert_eq!((it.channels, it.bits, it.is_linear), (4, 16, true));
        assert!(Picture::of(format("R32_FLOAT"), 3, 1, &texels[..8]).is_err());
        assert!(Picture::of(format("R32_FLOAT"), 0, 1, &[]).is_err());
        assert!(Picture::of(format("R32_FLOAT"), u32::MAX, u32::MAX, &[]).is_err());
    }

    #[test]
    fn bytes_and_integers_keep_their_values() {
        let of = |name, bytes: &[u8]| Picture::of(format(name), 1, 1, bytes).unwrap().samples;
        assert_eq!(of("RGBA8_UNORM", &[1, 2, 3, 255]), [1, 2, 3, 255]);
        assert_eq!(of("BGRA8_UNORM_SRGB", &[1, 2, 3, 255]), [3, 2, 1, 255]);
        assert_eq!(of("RG8_UINT", &[7, 9]), [7, 9, 0]);
        assert_eq!(of("R16_UINT", &[0x34, 0x12]), [0x1234]);
        assert_eq!(of("R32_UINT", &[0, 0, 0, 0x80]), [0x8000]);
        assert_eq!(of("R16_SINT", &[0xff, 0xff]), [0]);
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        for (name, bytes) in [
            ("R32G32B32A32_FLOAT", floats(&[0.25, 0.5, 0.75, 1.0])),
            ("R32G32B32_FLOAT", floats(&[0.25, 0.5, 0.75])),
            ("RGBA8_UNORM", vec![1, 2, 3, 4]),
            ("R8_UNORM", vec![9]),
        ] {
            let it = Picture::of(format(name), 1, 1, &bytes).unwrap();
            assert_eq!(Picture::read(&it.write().unwrap()), Ok(it), "{name}");
        }
        let file = Picture::rgb8(2, 1, &[[1, 2, 3], [4, 5, 6]]).unwrap().write().unwrap();
        assert_eq!(Picture::read(b"GIF89a"), Err("it is not a PNG file".to_owned()));
        for end in 0..file.len() - 12 {
            assert!(Picture::read(&file[..end]).is_err(), "{end}");
        }
        // The header promises more than the file can hold.
        let mut huge = file;
        huge[16..24].copy_from_slice(&[0, 0, 0x20, 0, 0, 0, 0x20, 0]);
        assert!(Picture::read(&huge).is_err());
    }

    #[test]
    fn wide_pictures_are_linear_and_composed_onto_black() {
        let of = |values: &[f32]| {
            let texels = floats(values);
            Picture::of(format("R32G32B32A32_FLOAT"), 1, 1, &texels).unwrap().srgb()[0]
        };
        assert_eq!(of(&[0.0, 0.5, 1.0, 1.0]), [0, 186, 255]);
        assert_eq!(of(&[1.0, 1.0, 1.0, 0.0]), [0, 0, 0]);
        assert_eq!(of(&[1.0, 0.0, 0.0, 0.5]), [186, 0, 0]);
        let it = Picture::rgb8(1, 1, &[[0, 128, 255]]).unwrap();
        assert_eq!(it.srgb(), [[0, 128, 255]]);
    }
}
