//! Converts PNG files to textures, and textures to PNG files.
//!
//! Rows are converted as they come: there is no second copy of a picture unless its rows are interlaced.

use std::io::Write;

use jobs::picture;
use wavelane::internal::{Slot, What};
use wavelane::texture::{Channels, Conversion, Encoding, Format, Shape};
use wavelane::{Element, HostScalar, MOST_BYTES};

/// A texture of the pixels of a PNG file.
pub(super) fn read(element: &Element, format: Option<Format>, file: &[u8]) -> Result<Slot, String> {
    let refused = |error: png::DecodingError| picture::refused(file, &error);
    // Grey or colours, and alpha.
    let transformations = png::Transformations::EXPAND | png::Transformations::ALPHA;
    let mut reader = picture::open(file, transformations, MOST_BYTES)?;
    let (width, height) = reader.info().size();
    let (colour, depth) = reader.output_color_type();
    let bits: u8 = if depth == png::BitDepth::Sixteen { 16 } else { 8 };
    let is_int = !matches!(element.scalar, HostScalar::F16 | HostScalar::F32 | HostScalar::F64);
    let encoding = if is_int { Encoding::Uint } else { Encoding::Unorm };
    let channels = if element.components == 1 { Channels::R } else { Channels::Rgba };
    let format = format.unwrap_or(Format::Plain { channels, bits, encoding });
    let shape = Shape::new(format, width, height, 1);
    let bytes = shape.bytes().filter(|it| *it <= MOST_BYTES).ok_or("the picture is too large")?;
    let mut all = vec![0; bytes];

    let encoding = if has_integers(format) { Encoding::Uint } else { Encoding::Unorm };
    // Grey is the same red, green and blue.
    let (channels, sources) = match colour.samples() {
        2 => (Channels::Rg, [0, 0, 0, 1]),
        _ => (Channels::Rgba, [0, 1, 2, 3]),
    };
    let stored = Format::Plain { channels, bits, encoding };
    let texels = width as usize * height as usize;
    let conversion = Conversion::with_sources(stored, unorm_of(format), sources, texels);
    let wide = |row: &mut [u8]| {
        if bits == 16 {
            // Big end first.
            row.chunks_exact_mut(2).for_each(<[u8]>::reverse);
        }
    };
    if reader.info().interlaced {
        let size = reader.output_buffer_size().filter(|it| *it <= MOST_BYTES);
        let mut pixels = vec![0; size.ok_or("the picture is too large")?];
        reader.next_frame(&mut pixels).map_err(refused)?;
        wide(&mut pixels);
        conversion.apply(&pixels, &mut all);
    } else {
        let mut row = vec![0; stored.bytes() * width as usize];
        for to in all.chunks_exact_mut(format.bytes() * width as usize) {
            if conversion.is_copy() {
                reader.read_row(to).map_err(refused)?;
                wide(to);
            } else {
                reader.read_row(&mut row).map_err(refused)?;
                wide(&mut row);
                conversion.apply(&row, to);
            }
        }
        // Data after the last row is checked too.
        reader.finish().map_err(refused)?;
    }
    Ok(Slot { bytes: all.into(), what: What::texture_of(shape) })
}

/// The largest level of a texture as a PNG file.
pub(super) fn write(shape: &Shape, bytes: &[u8]) -> Result<Vec<u8>, String> {
    picture::fits(shape.width, shape.height)?;
    let format = unorm_of(shape.format);
    let is_wide = matches!(
        format,
        Format::Plain { bits: 16, encoding: Encoding::Unorm | Encoding::Uint, .. }
    );
    let (colour, channels) = match format.channels() {
        Channels::R => (png::ColorType::Grayscale, Channels::R),
        // PNG has no format with two colour channels: blue is 0.
        Channels::Rg | Channels::Rgb => (png::ColorType::Rgb, Channels::Rgb),
        Channels::Rgba => (png::ColorType::Rgba, Channels::Rgba),
    };
    let target = Format::Plain {
        channels,
        bits: if is_wide { 16 } else { 8 },
        // Integers are kept if they fit; floats are clamped to 0 and 1.
        encoding: if has_integers(format) { Encoding::Uint } else { Encoding::Unorm },
    };
    let width = shape.width as usize;
    let conversion = Conversion::new(format, target, width * shape.height as usize);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, shape.width, shape.height);
    encoder.set_color(colour);
    encoder.set_depth(if is_wide { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
    let cannot = |error: png::EncodingError| error.to_string();
    let mut writer = encoder.write_header().map_err(cannot)?;
    let mut stream = writer.stream_writer().map_err(cannot)?;
    let mut row = vec![0; target.bytes() * width];
    let rows = bytes.chunks_exact(format.bytes() * width).take(shape.height as usize);
    for from in rows {
        conversion.apply(from, &mut row);
        if is_wide {
            // Big end first.
            row.chunks_exact_mut(2).for_each(<[u8]>::reverse);
        }
        stream.write_all(&row).map_err(|error| error.to_string())?;
    }
    stream.finish().map_err(cannot)?;
    writer.finish().map_err(cannot)?;
    Ok(file)
}

fn has_integers(format: Format) -> bool {
    match format {
        Format::Plain { encoding, .. } => matches!(encoding, Encoding::Uint | Encoding::Sint),
        Format::Rgb10A2 { uint } => uint,
        Format::Bgra8 { .. } | Format::Rg11B10Float | Format::Rgb9E5 => false,
    }
}

/// The same texels without the sRGB curve: what pictures hold is on the curve already.
fn unorm_of(format: Format) -> Format {
    match format {
        Format::Plain { channels, bits, encoding: Encoding::Srgb } => {
            Format::Plain { channels, bits, encoding: Encoding::Unorm }
        }
        Format::Bgra8 { srgb: true } => Format::Bgra8 { srgb: false },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavelane::Norm;

    const FLOAT4: Element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::None };

    #[test]
    fn pictures_come_back_as_they_were() {
        for (format, bytes) in [
            ("RGBA8_UNORM", (0..16).collect::<Vec<u8>>()),
            ("RGBA8_SRGB", (0..16).collect()),
            ("RGBA16_UNORM", (0..32).collect()),
            ("R8_UINT", vec![9, 8, 7, 6]),
        ] {
            let format = Format::parse(format).unwrap();
            let shape = Shape::new(format, 2, 2, 1);
            let file = write(&shape, &bytes).unwrap();
            let again = read(&FLOAT4, Some(format), &file).unwrap();
            assert_eq!(
                (again.what.texture(), again.bytes.as_slice()),
                (Some(shape), bytes.as_slice())
            );
        }
        let grey =
            write(&Shape::new(Format::parse("R32_FLOAT").unwrap(), 1, 1, 1), &1f32.to_le_bytes());
        let seen = read(&FLOAT4, None, &grey.unwrap()).unwrap();
        assert_eq!(seen.bytes, [255; 4]);
    }

    #[test]
    fn damaged_pictures_are_refused() {
        let shape = Shape::new(Format::parse("RGBA8_UNORM").unwrap(), 3, 3, 1);
        let file = write(&shape, &[5; 36]).unwrap();
        for cut in 0..file.len() {
            let _ = read(&FLOAT4, None, &file[..cut]);
            let mut bent = file.clone();
            bent[cut] ^= 0x55;
            let _ = read(&FLOAT4, None, &bent);
        }
    }

    /// A picture of any size, without its contents.
    fn promised(width: u32, height: u32) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_chunk(png::chunk::IDAT, &[]).unwrap();
        drop(writer);
        file
    }

    #[test]
    fn pictures_with_too_many_pixels_are_refused_before_memory_is_taken() {
        for (width, height) in [(16384, 16384), (8192, 8193), (1 << 30, 1 << 30)] {
            let what = read(&FLOAT4, None, &promised(width, height)).unwrap_err();
            assert!(what.ends_with("pixels, and a picture has 1 to 67108864"), "{what}");
        }
        // This one is only too short.
        let what = read(&FLOAT4, None, &promised(8192, 8192)).unwrap_err();
        assert!(what.contains("too short"), "{what}");
        let shape = Shape::new(Format::parse("R8_UNORM").unwrap(), 8192, 8193, 1);
        assert!(write(&shape, &[]).unwrap_err().contains("67108864"));
    }

    #[test]
    fn every_kind_of_picture_becomes_colours_and_alpha() {
        use png::{BitDepth, ColorType};
        let kinds: [(ColorType, BitDepth, &[u8], [u8; 8]); 6] = [
            (ColorType::Grayscale, BitDepth::Eight, &[7, 9], [7, 7, 7, 255, 9, 9, 9, 255]),
            (
                ColorType::Grayscale,
                BitDepth::One,
                &[0b0100_0000],
                [0, 0, 0, 255, 255, 255, 255, 255],
            ),
            (ColorType::GrayscaleAlpha, BitDepth::Eight, &[7, 1, 9, 2], [7, 7, 7, 1, 9, 9, 9, 2]),
            (ColorType::Rgb, BitDepth::Eight, &[1, 2, 3, 4, 5, 6], [1, 2, 3, 255, 4, 5, 6, 255]),
            (ColorType::Rgba, BitDepth::Eight, &[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]),
            (
                ColorType::Rgb,
                BitDepth::Sixteen,
                &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
                [1, 2, 3, 255, 4, 5, 6, 255],
            ),
        ];
        for (colour, depth, rows, texels) in kinds {
            let mut file = Vec::new();
            let mut encoder = png::Encoder::new(&mut file, 2, 1);
            encoder.set_color(colour);
            encoder.set_depth(depth);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(rows).unwrap();
            writer.finish().unwrap();
            for (name, is_int) in [("RGBA8_UNORM", false), ("RGBA8_UINT", true)] {
                let format = Format::parse(name).unwrap();
                let buffer = read(&FLOAT4, Some(format), &file).unwrap();
                // Integers are kept if they fit.
                if !(is_int && depth == BitDepth::Sixteen) {
                    assert_eq!(buffer.bytes, texels, "{colour:?} {depth:?} {name}");
                }
            }
        }
    }
}
