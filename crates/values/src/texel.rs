//! What contents of plain numbers are as a texture: the format of its texels, and its sizes.

use ir::{Element, HostScalar, Norm};
use ops::texture::{Channels, Dim, Encoding, Format, Shape};

use crate::Layout;

/// The default format for the shader's element type.
pub fn own_format(element: &Element) -> Format {
    let (encoding, bits) = match (element.scalar, element.norm) {
        (HostScalar::F32, Norm::Unorm) => (Encoding::Unorm, 8),
        (HostScalar::F32, Norm::Snorm) => (Encoding::Snorm, 8),
        (HostScalar::F16, Norm::None) => (Encoding::Float, 16),
        (HostScalar::F16, Norm::Unorm) => (Encoding::Unorm, 16),
        (HostScalar::F16, Norm::Snorm) => (Encoding::Snorm, 16),
        (HostScalar::F32 | HostScalar::F64, _) => (Encoding::Float, 32),
        (HostScalar::I16, _) => (Encoding::Sint, 16),
        (HostScalar::I32, _) => (Encoding::Sint, 32),
        (HostScalar::I64, _) => (Encoding::Sint, 64),
        (HostScalar::U16, _) => (Encoding::Uint, 16),
        (HostScalar::Bool | HostScalar::U32, _) => (Encoding::Uint, 32),
        (HostScalar::U64, _) => (Encoding::Uint, 64),
    };
    let channels = Channels::of(element.components).unwrap_or(Channels::Rgba);
    Format::Plain { channels, bits, encoding }
}

/// Rows, columns and, where there are several, channels; before them slices or layers.
pub fn shape_of_array(format: Format, dim: Dim, sizes: &[usize]) -> Result<Shape, String> {
    let channels = Layout::of_texel(format).scalars.len();
    let outer = dim.axes() + usize::from(dim.is_array() || dim.is_cube());
    let texels = match sizes {
        [texels @ .., last] if sizes.len() == outer + 1 && *last == channels => texels,
        texels if texels.len() == outer && channels == 1 => texels,
        _ => {
            return Err(format!(
                "an array of shape {sizes:?} is not a {} with {channels} channels",
                ir::texture_name(dim, false)
            ));
        }
    };
    let size = |i: usize| -> Result<u32, String> {
        match i.checked_sub(1) {
            None => Ok(1),
            Some(from_end) => {
                let at = texels.len().checked_sub(from_end + 1);
                let size = at.map_or(1, |at| texels[at]);
                u32::try_from(size).map_err(|_| "the array is too large".to_owned())
            }
        }
    };
    let axes = dim.axes();
    let axis = |n: usize| if n <= axes { size(n) } else { Ok(1) };
    let layers = if outer > axes { size(outer)? } else { 1 };
    Ok(Shape { layers, ..Shape::new(format, axis(1)?, axis(2)?, axis(3)?) })
}
