//! The input assembler: vertex attributes out of vertex buffers.
//!
//! Spec: Direct3D 11.3, 8.6. Components that a format lacks are (0, 0, 0, 1), and reads beyond a buffer give zero.

use ops::texture::{Channels, Encoding, Format, Texel};

use crate::signature::Scalar;

/// A buffer of vertices or of per-instance data.
#[derive(Clone, Copy, Debug)]
pub struct VertexBuffer<'a> {
    pub bytes: &'a [u8],
    /// The distance from one element to the next.
    pub stride: usize,
}

/// The four components of the attribute at `offset` in an element, as bits of the shader's type.
pub fn fetch(
    buffer: VertexBuffer<'_>,
    element: u64,
    offset: usize,
    format: Format,
    scalar: Scalar,
) -> [u32; 4] {
    let start = usize::try_from(element)
        .ok()
        .and_then(|it| it.checked_mul(buffer.stride)?.checked_add(offset));
    let range = start.and_then(|start| Some(start..start.checked_add(format.bytes())?));
    let Some(bytes) = range.and_then(|range| buffer.bytes.get(range)) else { return [0; 4] };
    if let Some((channels, one)) = copied(format, scalar) {
        let mut words = [0, 0, 0, one];
        for (word, bytes) in words.iter_mut().zip(&bytes.as_chunks::<4>().0[..channels.count()]) {
            *word = u32::from_le_bytes(*bytes);
        }
        return words;
    }
    let texel = format.decode(bytes);
    std::array::from_fn(|i| match (texel, scalar) {
        // Between integers and 32-bit floats the bits are moved, as Direct3D does.
        (Texel::Float(all), Scalar::F32) => all[i].to_bits(),
        (Texel::Unsigned(all), Scalar::F32) => all[i] as u32,
        (Texel::Signed(all), Scalar::F32) => all[i] as u32,
        (_, Scalar::F16) => u32::from(ops::F16::from_f64(texel.float(i)).0),
        (Texel::Float(all), Scalar::Int { .. }) => all[i].to_bits(),
        (Texel::Unsigned(all), Scalar::Int { bits }) => all[i] as u32 & low(bits),
        (Texel::Signed(all), Scalar::Int { bits }) => all[i] as u32 & low(bits),
    })
}

/// One component of an attribute for consecutive elements, if it is copied without conversion and all elements lie in
/// the buffer; returns whether they were copied. The same as [`fetch`].
pub fn fetch_row(
    buffer: VertexBuffer<'_>,
    first: u64,
    offset: usize,
    format: Format,
    scalar: Scalar,
    component: usize,
    row: &mut [u32],
) -> bool {
    let Some((channels, one)) = copied(format, scalar) else { return false };
    let stride = buffer.stride;
    let start =
        usize::try_from(first).ok().and_then(|it| it.checked_mul(stride)?.checked_add(offset));
    let size = stride.checked_mul(row.len().saturating_sub(1));
    let range = start.zip(size).and_then(|(start, size)| {
        Some(start..start.checked_add(size)?.checked_add(format.bytes())?)
    });
    let Some(bytes) = range.and_then(|range| buffer.bytes.get(range)) else { return false };
    if component >= channels.count() {
        row.fill(if component == 3 { one } else { 0 });
        return true;
    }
    let bytes = &bytes[4 * component..];
    for (lane, word) in row.iter_mut().enumerate() {
        let Some((from, _)) = bytes[lane * stride..].split_first_chunk() else {
            unreachable!("all elements lie in the buffer")
        };
        *word = u32::from_le_bytes(*from);
    }
    true
}

/// The channels of a format whose words are copied without conversion, and its 1.
fn copied(format: Format, scalar: Scalar) -> Option<(Channels, u32)> {
    let (Format::Plain { channels, bits: 32, encoding }, Scalar::F32 | Scalar::Int { bits: 32 }) =
        (format, scalar)
    else {
        return None;
    };
    let one = if encoding == Encoding::Float { 1.0f32.to_bits() } else { 1 };
    Some((channels, one))
}

fn low(bits: u8) -> u32 {
    u32::MAX >> (32 - u32::from(bits.clamp(1, 32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_components_are_0_0_0_1_and_missing_bytes_are_0() {
        let bytes: Vec<u8> = [1.5f32, -2.0, 3.0].map(f32::to_le_bytes).concat();
        let buffer = VertexBuffer { bytes: &bytes, stride: 4 };
        let format = Format::parse("RG32_FLOAT").unwrap();
        let numbers = |element, offset| {
            fetch(buffer, element, offset, format, Scalar::F32).map(f32::from_bits)
        };
        assert_eq!(numbers(0, 0), [1.5, -2.0, 0.0, 1.0]);
        let words =
            |format: &str, scalar| fetch(buffer, 1, 0, Format::parse(format).unwrap(), scalar);
        let bits = (-2.0f32).to_bits();
        for scalar in [Scalar::F32, Scalar::Int { bits: 32 }] {
            assert_eq!(words("R32_UINT", scalar), [bits, 0, 0, 1]);
            assert_eq!(words("R32_SINT", scalar), [bits, 0, 0, 1]);
            assert_eq!(words("R32_FLOAT", scalar), [bits, 0, 0, 1.0f32.to_bits()]);
        }
        assert_eq!(numbers(0, 4), [-2.0, 3.0, 0.0, 1.0]);
        assert_eq!(numbers(2, 0), [0.0; 4]);
        assert_eq!(numbers(u64::MAX, usize::MAX), [0.0; 4]);
    }

    #[test]
    fn rows_hold_what_single_elements_do() {
        let bytes: Vec<u8> = (0..100).collect();
        for stride in [0, 4, 12, 13] {
            let buffer = VertexBuffer { bytes: &bytes, stride };
            for name in ["R32_FLOAT", "RG32_UINT", "RGB32_FLOAT", "RGBA32_SINT", "RGBA8_UNORM"] {
                let format = Format::parse(name).unwrap();
                for scalar in [Scalar::F32, Scalar::Int { bits: 32 }, Scalar::F16] {
                    for component in 0..4 {
                        let mut row = [7; 5];
                        let is_copied =
                            fetch_row(buffer, 1, 3, format, scalar, component, &mut row);
                        let is_word = format.bytes() != 4 || name == "R32_FLOAT";
                        let end = 3 + 5 * stride + format.bytes();
                        assert_eq!(is_copied, is_word && scalar != Scalar::F16 && end <= 100);
                        for (element, word) in (1..).zip(row).filter(|_| is_copied) {
                            let expected = fetch(buffer, element, 3, format, scalar);
                            assert_eq!(word, expected[component], "{name} {stride}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn formats_are_converted_to_the_shaders_type() {
        let buffer = VertexBuffer { bytes: &[255, 0x80, 1, 2], stride: 4 };
        let read = |format, scalar| fetch(buffer, 0, 0, Format::parse(format).unwrap(), scalar);
        assert_eq!(read("RG8_UNORM", Scalar::F32)[0], 1.0f32.to_bits());
        assert_eq!(read("RG8_UNORM", Scalar::F16)[0], 0x3c00);
        assert_eq!(read("RG8_SINT", Scalar::Int { bits: 32 })[1], -128i32 as u32);
        assert_eq!(read("RG8_SINT", Scalar::Int { bits: 16 })[1], 0xff80);
        assert_eq!(read("RG8_UINT", Scalar::Int { bits: 32 }), [255, 128, 0, 1]);
        assert_eq!(read("RG8_UINT", Scalar::F32), [255, 128, 0, 1]);
        assert_eq!(read("RG8_UNORM", Scalar::Int { bits: 32 })[0], 1.0f32.to_bits());
    }
}
