//! Resolving: from several samples of a pixel to one.
//!
//! Spec: Direct3D 11.3, 19.2.5 (average). Floats are added in f32 in ascending order and divided by the count; of
//! integers the first sample is taken.

use ops::texture::{Format, MOST_BYTES, Texel};

use crate::sample::Samples;

/// The resolved texels of a target whose samples are adjacent.
pub fn resolve(format: Format, samples: Samples, bytes: &[u8]) -> Vec<u8> {
    let (size, count) = (format.bytes(), samples.count() as usize);
    let mut resolved = Vec::with_capacity(bytes.len() / count);
    for texel in bytes.chunks_exact(size * count) {
        if count == 1 || format.is_integer() {
            resolved.extend_from_slice(&texel[..size]);
            continue;
        }
        let mut sum = [0.0f32; 4];
        for (i, sample) in texel.chunks_exact(size).enumerate() {
            let Texel::Float(values) = format.decode(sample) else {
                unreachable!("formats that are not integers are floats")
            };
            for (sum, value) in sum.iter_mut().zip(values) {
                // The first is not added to 0, so that -0.0 stays.
                *sum = if i == 0 { value } else { *sum + value };
            }
        }
        // Exact: a power of two.
        let average = sum.map(|it| it * (1.0 / count as f32));
        let mut to = [0; MOST_BYTES];
        format.encode(Texel::Float(average), &mut to);
        resolved.extend_from_slice(&to[..size]);
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_averaged_and_integers_are_not() {
        let float = Format::parse("R32_FLOAT").unwrap();
        let bytes = [1.0f32, 2.0, 4.0, 9.0, -0.0, -0.0, -0.0, -0.0].map(f32::to_le_bytes).concat();
        let average = [4.0f32, -0.0].map(f32::to_le_bytes).concat();
        assert_eq!(resolve(float, Samples::Four, &bytes), average);
        let unorm = Format::parse("R8_UNORM").unwrap();
        assert_eq!(resolve(unorm, Samples::Two, &[10, 13, 255, 255]), [12, 255]);
        let uint = Format::parse("R8_UINT").unwrap();
        assert_eq!(resolve(uint, Samples::Two, &[10, 13]), [10]);
        // Linear light: the average of black and white is brighter than half in sRGB.
        let srgb = Format::parse("R8_UNORM_SRGB").unwrap();
        assert_eq!(resolve(srgb, Samples::Two, &[0, 255]), [188]);
        assert_eq!(resolve(unorm, Samples::One, &[1, 2]), [1, 2]);
    }
}
