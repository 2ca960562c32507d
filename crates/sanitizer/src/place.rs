//! Places in memory for display: elements where the source has elements, texels where it has texels, else bytes.

use interp::observe::Space;
use ir::{AddressKind, Binding, ResourceKind};
use ops::texture::{Dim, Shape};

use crate::facts::Facts;

/// The indices of the whole if one of several indices is beyond its dimension: out of bounds for every array, with room
/// for the components of an element.
const IN_NO_DIMENSION: std::ops::Range<u64> = 1 << 31..(1 << 31) + (1 << 24);

/// An index, which has been computed below zero if it is near the end of 32 bits.
pub(crate) fn index(number: u64) -> String {
    match u32::try_from(number).map(|it| it as i32) {
        Ok(it @ -0xffff..0) => format!("{it} ({number} without a sign)"),
        _ => number.to_string(),
    }
}

/// The target of an access: `element 3`, or `byte 12` of memory without elements.
pub(crate) fn place(facts: &Facts<'_>, space: &Space<'_>, address: u64, size: u64) -> String {
    match space {
        Space::Private(_) | Space::Shared(_) if IN_NO_DIMENSION.contains(&address) => {
            "beyond one of its dimensions".to_owned()
        }
        Space::Private(_) | Space::Shared(_) => format!("element {}", index(address)),
        Space::Buffer(binding, _) | Space::Counter(binding) => {
            in_resource(facts, *binding, address, size)
        }
    }
}

/// The index of the element of a structured buffer that an access is to.
pub(crate) fn element(facts: &Facts<'_>, space: &Space<'_>, address: u64) -> Option<u64> {
    let Space::Buffer(binding, _) = space else { return None };
    let view = facts.module.resource(*binding).kind.view();
    (view.address != AddressKind::Texel).then(|| address.checked_div(u64::from(view.stride)))?
}

/// The position of the scalar that contains a byte of a resource.
pub(crate) fn of_byte(facts: &Facts<'_>, binding: Binding, byte: u64) -> String {
    let view = facts.module.resource(binding).kind.view();
    let is_of_words = view.has_elements() && view.stride.is_multiple_of(4);
    in_resource(facts, binding, if is_of_words { byte & !3 } else { byte }, 0)
}

/// The same for a byte of a resource; `size` is that of the access, or 0.
fn in_resource(facts: &Facts<'_>, binding: Binding, address: u64, size: u64) -> String {
    let resource = facts.module.resource(binding);
    let view = resource.kind.view();
    // A heap is named by one of its views, and its textures may have other dimensions.
    if let ResourceKind::Texture { dim, .. } = resource.kind
        && !resource.register.class.is_heap()
        && let Some(texel) = facts.shape(binding).and_then(|it| texel(it, dim, address))
    {
        return texel;
    }
    let stride = match view.address {
        // A heap is named by one of its views, and others may have elements of another size.
        _ if resource.register.class.is_heap() => 0,
        AddressKind::Texel => size,
        _ => u64::from(view.stride),
    };
    match (address.checked_div(stride), address.checked_rem(stride)) {
        (Some(element), Some(0)) => format!("element {}", index(element)),
        (Some(element), Some(byte)) => format!("byte {byte} of element {element}"),
        _ => format!("byte {address}"),
    }
}

/// The name of the member of an element that contains a byte of a structured buffer, if elements have several.
pub(crate) fn member<'a>(facts: &Facts<'a>, binding: Binding, byte: u64) -> Option<&'a str> {
    let ResourceKind::Structured { stride, members, .. } = &facts.module.resource(binding).kind
    else {
        return None;
    };
    let offset = byte.checked_rem(u64::from(*stride))?;
    let starts = members.iter().filter(|it| u64::from(it.offset) <= offset);
    let found = starts.max_by_key(|it| it.offset).filter(|_| members.len() > 1)?;
    Some(&found.name)
}

/// The texel that contains a byte of a texture, with the coordinates that the source uses: the layer comes last.
fn texel(shape: &Shape, dim: Dim, byte: u64) -> Option<String> {
    let layer_bytes = shape.bytes()? as u64 / u64::from(shape.layers);
    let (layer, mut rest) = (byte / layer_bytes, byte % layer_bytes);
    if layer >= u64::from(shape.layers) {
        return None;
    }
    let samples = u64::from(shape.samples);
    let texel_bytes = samples * shape.format.bytes() as u64;
    for level in 0..shape.levels {
        let size = shape.size(level).map(u64::from);
        let level_bytes = size.iter().product::<u64>() * texel_bytes;
        if rest >= level_bytes {
            rest -= level_bytes;
            continue;
        }
        let (number, sample) = (rest / texel_bytes, rest % texel_bytes * samples / texel_bytes);
        let [width, height, _] = size;
        let all = [number % width, number / width % height, number / (width * height)];
        let mut at: Vec<String> = all[..dim.axes()].iter().map(u64::to_string).collect();
        if has_layers(dim) {
            at.push(layer.to_string());
        }
        let mut text = match at.as_slice() {
            [only] => format!("texel {only}"),
            all => format!("texel ({})", all.join(", ")),
        };
        if level > 0 {
            text.push_str(&format!(" of level {level}"));
        }
        return Some(if samples > 1 { format!("sample {sample} of {text}") } else { text });
    }
    None
}

/// Whether the coordinates of a texel end with its layer.
fn has_layers(dim: Dim) -> bool {
    match dim {
        Dim::D1Array | Dim::D2Array | Dim::D2MsArray | Dim::Cube | Dim::CubeArray => true,
        Dim::D1 | Dim::D2 | Dim::D2Ms | Dim::D3 => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ops::texture::Format;

    /// Every texel is named by the coordinates from which its offset is computed.
    #[test]
    fn texels_have_the_coordinates_of_the_source() {
        let format = Format::parse("R32_UINT").expect("a format");
        let flat = Shape::new(format, 5, 3, 1);
        let layers = Shape { layers: 4, levels: 2, ..flat };
        let deep = Shape::new(format, 5, 3, 2);
        let several = Shape { samples: 4, layers: 2, ..flat };
        let row = Shape::new(format, 9, 1, 1);
        for (shape, dim, byte, text) in [
            (row, Dim::D1, row.offset(0, 0, [7, 0, 0], 0), "texel 7"),
            (flat, Dim::D2, flat.offset(0, 0, [4, 2, 0], 0), "texel (4, 2)"),
            (flat, Dim::D2, flat.offset(0, 0, [4, 2, 0], 0) + 3, "texel (4, 2)"),
            (deep, Dim::D3, deep.offset(0, 0, [1, 2, 1], 0), "texel (1, 2, 1)"),
            (layers, Dim::D2Array, layers.offset(0, 3, [0, 1, 0], 0), "texel (0, 1, 3)"),
            (layers, Dim::D2Array, layers.offset(1, 2, [1, 0, 0], 0), "texel (1, 0, 2) of level 1"),
            (
                several,
                Dim::D2MsArray,
                several.offset(0, 1, [2, 1, 0], 3),
                "sample 3 of texel (2, 1, 1)",
            ),
        ] {
            assert_eq!(texel(&shape, dim, byte as u64).as_deref(), Some(text));
        }
        assert_eq!(texel(&flat, Dim::D2, 60), None);
    }
}
