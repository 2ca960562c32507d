//! Decodes the bytes of vertex, index and box buffers.

use ops::ray::{GeometryData, Transform};
use ops::texture::Texel;

use super::{BuildError, GeometryKind, IndexFormat, Indices, Triangles};
use crate::texture::{Channels, Encoding, Format};

/// The size of a box in bytes.
pub(super) const BOX_BYTES: usize = 24;

/// A geometry as numbers.
pub(super) enum Decoded {
    Triangles { vertices: Vec<[f32; 3]>, indices: Option<Vec<u32>>, transform: Option<Transform> },
    Boxes(Vec<[f32; 6]>),
}

impl Decoded {
    pub(super) fn data(&self) -> GeometryData<'_> {
        match self {
            Decoded::Triangles { vertices, indices, transform } => GeometryData::Triangles {
                vertices,
                indices: indices.as_deref(),
                transform: transform.as_ref(),
            },
            Decoded::Boxes(boxes) => GeometryData::Boxes(boxes),
        }
    }
}

pub(super) fn decode(geometry: usize, kind: &GeometryKind<'_>) -> Result<Decoded, BuildError> {
    match kind {
        GeometryKind::Triangles(triangles) => {
            let indices = triangles.indices.map(|it| indices(geometry, &it)).transpose()?;
            let vertices = vertices(geometry, triangles)?;
            Ok(Decoded::Triangles { vertices, indices, transform: triangles.transform })
        }
        GeometryKind::Boxes(it) => {
            let all = elements(geometry, "boxes", it.bytes, it.stride, BOX_BYTES, it.count)?;
            Ok(Decoded::Boxes(all.map(floats).collect()))
        }
    }
}

fn vertices(geometry: usize, it: &Triangles<'_>) -> Result<Vec<[f32; 3]>, BuildError> {
    let format = it.format;
    if !is_position(format) {
        return Err(BuildError::Format { geometry, format });
    }
    let size = format.bytes();
    let all = elements(geometry, "vertices", it.vertices, it.stride, size, it.count)?;
    Ok(match format {
        // PERF: the usual format, of which there are millions.
        Format::Plain { channels: Channels::Rgb | Channels::Rgba, bits: 32, .. } => {
            all.map(floats).collect()
        }
        _ => all
            .map(|bytes| match format.decode(bytes) {
                Texel::Float([x, y, z, _]) => [x, y, z],
                Texel::Unsigned(_) | Texel::Signed(_) => {
                    unreachable!("positions are floats or normalised")
                }
            })
            .collect(),
    })
}

/// Whether Direct3D has it as a format of positions: with the formats of tier 1.1.
fn is_position(format: Format) -> bool {
    match format {
        Format::Plain { channels, bits, encoding } => matches!(
            (channels, bits, encoding),
            (Channels::Rgb, 32, Encoding::Float)
                | (Channels::Rg | Channels::Rgba, 16 | 32, Encoding::Float)
                | (Channels::Rg | Channels::Rgba, 8 | 16, Encoding::Unorm | Encoding::Snorm)
        ),
        Format::Rgb10A2 { uint } => !uint,
        Format::Bgra8 { .. } | Format::Rg11B10Float | Format::Rgb9E5 => false,
    }
}

fn indices(geometry: usize, it: &Indices<'_>) -> Result<Vec<u32>, BuildError> {
    let size = match it.format {
        IndexFormat::Uint16 => 2,
        IndexFormat::Uint32 => 4,
    };
    let all = elements(geometry, "indices", it.bytes, size, size, it.count)?;
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, it| all << 8 | u32::from(*it));
    Ok(all.map(number).collect())
}

/// The elements of a buffer, whose size is checked.
fn elements<'a>(
    geometry: usize,
    what: &'static str,
    bytes: &'a [u8],
    stride: usize,
    size: usize,
    count: usize,
) -> Result<impl Iterator<Item = &'a [u8]>, BuildError> {
    if stride < size {
        return Err(BuildError::Stride { geometry, stride, size });
    }
    let needs = match count {
        0 => 0,
        _ => (count - 1).saturating_mul(stride).saturating_add(size),
    };
    if bytes.len() < needs {
        return Err(BuildError::TooShort { geometry, what, count, needs, has: bytes.len() });
    }
    Ok((0..count).map(move |at| &bytes[at * stride..at * stride + size]))
}

fn floats<const N: usize>(bytes: &[u8]) -> [f32; N] {
    let (words, _) = bytes.as_chunks::<4>();
    std::array::from_fn(|at| f32::from_le_bytes(words[at]))
}
