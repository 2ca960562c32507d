//! Textures and samplers on the command line: the values of `--bind`, and the files that `--out` writes for textures.

pub(crate) use values::texel::own_format;
use values::texel::shape_of_array;
use wavelane::internal::{Slot, What};
use wavelane::texture::{Dim, Format, Sampler, Shape};
use wavelane::{Element, Layout, MOST_BYTES, Resource, ResourceKind, Scalar};

use crate::npy;
use crate::picture;
use crate::problem::Problem;
use crate::value::{self, Content};

/// Reads files by their names.
pub(crate) type Open<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// How to print a texture.
pub(super) fn layout(buffer: &Slot) -> Layout {
    match buffer.what.texture() {
        Some(shape) => Layout::of_texel(shape.format),
        None => Layout::uniform(Scalar::U8, 1),
    }
}

/// The channels of texels that pack several channels into a word, as separate numbers: integers as they are stored,
/// and floats by their values. `None` for other formats.
pub(crate) fn unpacked(format: Format, texels: &[u8]) -> Option<(Layout, Vec<u8>)> {
    let words = texels.chunks_exact(4);
    match format {
        Format::Rgb10A2 { .. } => {
            let word = |it: &[u8]| it.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
            let channels = |it: u32| [it & 1023, it >> 10 & 1023, it >> 20 & 1023, it >> 30];
            let each = words.flat_map(|it| channels(word(it)));
            Some((Layout::uniform(Scalar::U32, 4), each.flat_map(u32::to_le_bytes).collect()))
        }
        Format::Rg11B10Float | Format::Rgb9E5 => {
            let each = words.flat_map(|it| {
                let texel = format.decode(it);
                [0, 1, 2].map(|channel| texel.float(channel) as f32)
            });
            Some((Layout::uniform(Scalar::F32, 3), each.flat_map(f32::to_le_bytes).collect()))
        }
        Format::Plain { .. } | Format::Bgra8 { .. } => None,
    }
}

/// Its size and format, such as `64x64 mips 7 RGBA8_UNORM`.
pub(super) fn described(shape: &Shape) -> String {
    let Shape { format, width, height, depth, layers, levels, samples } = *shape;
    let mut text = format!("{width}x{height}");
    if depth > 1 {
        text.push_str(&format!("x{depth}"));
    }
    for (word, count) in [("layers", layers), ("mips", levels), ("samples", samples)] {
        if count > 1 {
            text.push_str(&format!(" {word} {count}"));
        }
    }
    format!("{text} {format}")
}

/// The texture or sampler of a VALUE.
pub(super) fn contents(resource: &Resource, text: &str, open: Open<'_>) -> Result<Slot, String> {
    match &resource.kind {
        ResourceKind::Sampler { .. } => Ok(What::Sampler(Sampler::parse(text)?).into()),
        ResourceKind::Texture { dim, element, .. } => texture(*dim, element, text, open),
        _ => unreachable!("the caller binds textures and samplers here"),
    }
}

/// `FORMAT[SIZES]:CONTENTS`, of which `CONTENTS` may be `@file`.
pub(crate) fn texture(
    dim: Dim,
    element: &Element,
    text: &str,
    open: Open<'_>,
) -> Result<Slot, String> {
    let text = text.trim();
    let end = text.find(['[', ':', '@']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let given = match word.trim() {
        "" => None,
        word => Some(Format::parse(word).ok_or_else(|| {
            format!("`{word}` is not a texture format; expected one such as `RGBA8_UNORM` or `R32_FLOAT`")
        })?),
    };
    let (sizes, rest) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (sizes, rest) = rest.split_once(']').ok_or("a `]` is missing")?;
            (Some(sizes), rest)
        }
        None => (None, rest),
    };
    let file = rest.trim_start_matches(':').trim().strip_prefix('@');
    if let Some(path) = file.filter(|it| it.to_ascii_lowercase().ends_with(".png")) {
        if sizes.is_some() {
            return Err("a picture determines its size; leave the brackets out".to_owned());
        }
        return picture::read(element, given, &open(path)?)
            .map_err(|what| format!("`{path}`: {what}"));
    }
    let format = given.unwrap_or_else(|| own_format(element));
    let shape = match (sizes, file) {
        (Some(sizes), _) => shape(format, sizes, dim)?,
        (None, Some(path)) if path.to_ascii_lowercase().ends_with(".npy") => {
            let array = npy::read(&open(path)?).map_err(|what| format!("`{path}`: {what}"))?;
            shape_of_array(format, dim, &array.shape)?
        }
        (None, _) => {
            return Err(format!(
                "its size is not known; give it, as in `{format}[64x64]` or `[16x16 mips 5]:…`"
            ));
        }
    };
    let bytes = shape.bytes().filter(|it| *it <= MOST_BYTES);
    let bytes = bytes.ok_or("a texture cannot have that size, layers and levels")?;
    let layout = Layout::of_texel(format);
    let count = bytes / layout.stride * layout.scalars.len();
    let scalar = layout.scalars[0].1;
    let value = value::parse(&format!("{}[{count}]{rest}", scalar.name()), open)?;
    let bytes = match value.content {
        Content::Bytes(given) if given.len() == bytes => given,
        Content::Bytes(given) => {
            return Err(format!("the texture takes {bytes} bytes, the file has {}", given.len()));
        }
        _ => {
            let mut all = vec![0; bytes];
            let size = scalar.bytes();
            value.for_each_scalar(
                count,
                |_| scalar,
                |i, bits| crate::number::write(bits, scalar, &mut all[i * size..]),
            )?;
            all
        }
    };
    Ok(Slot { bytes: bytes.into(), what: What::texture_of(shape) })
}

/// The text between the brackets for a texture of about these sizes.
pub(crate) fn sizes(dim: Dim, [width, height, depth]: [u64; 3]) -> String {
    let mut text = match dim.axes() {
        1 => width.to_string(),
        // The faces of a cube are squares.
        _ if dim.is_cube() => format!("{width}x{width}"),
        2 => format!("{width}x{height}"),
        _ => format!("{width}x{height}x{depth}"),
    };
    let layers = match (dim.is_cube(), dim.is_array()) {
        // A single cube needs no `layers`: it has six.
        (true, true) => Some(12),
        (false, true) => Some(4),
        (_, false) => None,
    };
    if let Some(layers) = layers {
        text.push_str(&format!(" layers {layers}"));
    }
    if dim.is_multisampled() {
        text.push_str(" samples 4");
    }
    text
}

/// `WxHxD`, then `layers N`, `mips N`, `samples N`.
fn shape(format: Format, text: &str, dim: Dim) -> Result<Shape, String> {
    let number =
        |word: &str| word.trim().parse::<u32>().map_err(|_| format!("`{word}` is not a size"));
    let mut words = text.split([' ', ',']).filter(|it| !it.is_empty());
    let mut sizes = [1; 3];
    let written: Vec<&str> = words.next().unwrap_or("").split('x').collect();
    if written.len() > 3 {
        return Err("a texture has at most three dimensions".to_owned());
    }
    for (size, word) in sizes.iter_mut().zip(written) {
        *size = number(word)?;
    }
    let mut shape = Shape::new(format, sizes[0], sizes[1], sizes[2]);
    if dim == Dim::Cube {
        shape.layers = 6;
    }
    while let Some(word) = words.next() {
        let place = match word {
            "layers" => &mut shape.layers,
            "mips" => &mut shape.levels,
            "samples" => &mut shape.samples,
            _ => return Err(format!("expected `layers`, `mips` or `samples`, not `{word}`")),
        };
        *place = number(words.next().unwrap_or(""))?;
    }
    Ok(shape)
}

/// Whether a buffer can become a picture.
pub(super) fn check_png(name: &str, shape: Option<Shape>) -> Result<(), Problem> {
    let problem = |what: &str| {
        Err(Problem::input(format!("`{name}` {what}")).help("`.npy` and `.bin` hold anything"))
    };
    let Some(shape) = shape else {
        return problem("is not a texture, so it cannot be written as a picture");
    };
    if shape.depth > 1 || shape.layers > 1 || shape.samples > 1 {
        return problem("has several layers or samples, so it cannot be written as one picture");
    }
    jobs::picture::fits(shape.width, shape.height)
        .or_else(|what| problem(&format!("is too large: {what}")))
}

/// The largest level as a PNG file, or all texels as a `.npy` file.
pub(crate) fn file(
    shape: &Shape,
    layout: &Layout,
    bytes: &[u8],
    as_png: bool,
) -> Result<Vec<u8>, String> {
    if as_png {
        return picture::write(shape, bytes);
    }
    let [layers, depth, height, width] =
        [shape.layers, shape.depth, shape.height, shape.width].map(|it| it as usize);
    let channels = layout.scalars.len();
    // Axes of length one are omitted, except rows and columns; samples are adjacent.
    let optional = |size: usize| (size > 1).then_some(size);
    let sizes: Vec<usize> = optional(layers)
        .into_iter()
        .chain(optional(depth))
        .chain([height, width])
        .chain(optional(shape.samples as usize))
        .chain(optional(channels))
        .collect();
    let mut file = npy::header(layout.scalars[0].1, &sizes);
    file.extend_from_slice(bytes);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use wavelane::{HostScalar, Norm};

    use super::*;

    const FLOAT4: Element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::None };

    fn made(dim: Dim, element: Element, text: &str) -> Result<(Shape, Vec<u8>), String> {
        let mut open = |path: &str| match path {
            "four.bin" => Ok(vec![1, 2, 3, 4]),
            "bad.png" => Ok(vec![1, 2, 3]),
            // 2^28 pixels in almost no data.
            "bomb.png" => Ok([
                b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\x10\0\0\0\0\0\0\x01\x08\0\0\0\0\x61\xbb\x56\xb1"
                    .as_slice(),
                b"\0\0\0\0IDAT\x35\xaf\x06\x1e",
            ]
            .concat()),
            "row.npy" => {
                let mut file = npy::header(Scalar::U8, &[1, 2, 4]);
                file.extend(0..8);
                Ok(file)
            }
            _ => Err("no such file".to_owned()),
        };
        let buffer = texture(dim, &element, text, &mut open)?;
        Ok((buffer.what.texture().ok_or("no shape")?, buffer.bytes.to_vec()))
    }

    #[test]
    fn textures_have_formats_sizes_and_contents() {
        let (shape, bytes) = made(Dim::D2, FLOAT4, "RGBA8_UNORM[2x1]:iota").unwrap();
        assert_eq!((shape.width, shape.height, bytes), (2, 1, (0..8).collect()));
        let (shape, bytes) = made(Dim::D2, FLOAT4, "[4x4 mips 3]").unwrap();
        assert_eq!((shape.format.to_string().as_str(), bytes.len()), ("RGBA32_FLOAT", 21 * 16));
        let (shape, bytes) = made(Dim::D2, FLOAT4, "RGBA8_UINT@row.npy").unwrap();
        assert_eq!((shape.width, shape.height, bytes), (2, 1, (0..8).collect()));
        assert_eq!(made(Dim::D1, FLOAT4, "R8_UINT[4]@four.bin").unwrap().1, [1, 2, 3, 4]);
        assert_eq!(made(Dim::Cube, FLOAT4, "R8_UINT[2x2]:fill(7)").unwrap().1, [7; 24]);
        for bad in [
            "RGBA8_UNORM",
            "RGB8[2]",
            "[0x4]",
            "[4x4x4x4]",
            "[4x4 mips 9]",
            "[4x4 depth 2]",
            "[4294967295x4294967295]",
            "R8_UINT[2]@four.bin",
            "@bad.png",
            "@bomb.png",
            "R8_UINT@row.npy",
            "@missing.png",
        ] {
            assert!(made(Dim::D2, FLOAT4, bad).is_err(), "{bad}");
        }
    }
}
