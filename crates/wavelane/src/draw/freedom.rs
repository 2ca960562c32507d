//! How far the pixels of a GPU may differ from ours: Vulkan leaves the precision of interpolation, of blending and of
//! the conversion to a format to the device.

use ops::texture::{Encoding, Format, Texel};

/// The relative error that a device may make in an interpolated float.
const SHARE: f32 = 1e-5;
/// Below this magnitude the permitted error is absolute: the one at this magnitude.
const LEAST: f32 = 1e-3;

/// Whether two texels are equal as far as Vulkan says: integers exactly, normalised numbers to about a step, floats
/// except for their last places.
pub fn is_device_choice(format: Format, a: &[u8], b: &[u8]) -> bool {
    let (Texel::Float(a), Texel::Float(b)) = (format.decode(a), format.decode(b)) else {
        return a == b;
    };
    let step = match format {
        Format::Plain { bits: 32, .. } => 0.0,
        Format::Plain { bits: 16, .. } => 1.0 / 1024.0,
        // The steps of a colour that is stored as sRGB grow with it.
        Format::Plain { encoding: Encoding::Srgb, .. } => 0.01,
        // A step of the narrowest channel that is drawn to.
        _ => 1.0 / 250.0,
    };
    a.iter().zip(&b).all(|(a, b)| {
        let room = step + a.abs().max(LEAST) * SHARE;
        a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= room
    })
}
