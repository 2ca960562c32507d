//! Maps our formats to Vulkan's. The bits are the same on both sides; the capabilities of a device for a format are
//! queried elsewhere.

use ash::vk;
use ir::exec::{ElementFormat, FormatScalar};
use ir::texel::own_format;
use ir::{Element, HostScalar};
use ops::texture::{self, Channel, Encoding};

/// The kind of numbers that a shader gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
}

fn kind_of(element: &Element) -> Kind {
    match element.scalar {
        HostScalar::F16 | HostScalar::F32 => Kind::Float,
        HostScalar::I16 | HostScalar::I32 => Kind::Signed,
        HostScalar::Bool | HostScalar::U16 | HostScalar::U32 => Kind::Unsigned,
        // They are passed as words.
        HostScalar::I64 | HostScalar::U64 | HostScalar::F64 => Kind::Unsigned,
    }
}

fn is_wide(element: &Element) -> bool {
    element.scalar.bytes() == 8
}

fn of(channels: u32, [one, two, three, four]: [vk::Format; 4]) -> Option<vk::Format> {
    let found = match channels {
        1 => one,
        2 => two,
        3 => three,
        4 => four,
        _ => return None,
    };
    (found != vk::Format::UNDEFINED).then_some(found)
}

/// A format with equal channels.
fn plain(channels: u32, bits: u8, encoding: Encoding) -> Option<vk::Format> {
    use Encoding::*;
    use vk::Format as F;
    let none = F::UNDEFINED;
    let row = match (bits, encoding) {
        (8, Unorm) => [F::R8_UNORM, F::R8G8_UNORM, none, F::R8G8B8A8_UNORM],
        (8, Snorm) => [F::R8_SNORM, F::R8G8_SNORM, none, F::R8G8B8A8_SNORM],
        (8, Uint) => [F::R8_UINT, F::R8G8_UINT, none, F::R8G8B8A8_UINT],
        (8, Sint) => [F::R8_SINT, F::R8G8_SINT, none, F::R8G8B8A8_SINT],
        (8, Srgb) => [F::R8_SRGB, F::R8G8_SRGB, none, F::R8G8B8A8_SRGB],
        (16, Unorm) => [F::R16_UNORM, F::R16G16_UNORM, none, F::R16G16B16A16_UNORM],
        (16, Snorm) => [F::R16_SNORM, F::R16G16_SNORM, none, F::R16G16B16A16_SNORM],
        (16, Uint) => [F::R16_UINT, F::R16G16_UINT, none, F::R16G16B16A16_UINT],
        (16, Sint) => [F::R16_SINT, F::R16G16_SINT, none, F::R16G16B16A16_SINT],
        (16, Float) => [F::R16_SFLOAT, F::R16G16_SFLOAT, none, F::R16G16B16A16_SFLOAT],
        (32, Uint) => [F::R32_UINT, F::R32G32_UINT, F::R32G32B32_UINT, F::R32G32B32A32_UINT],
        (32, Sint) => [F::R32_SINT, F::R32G32_SINT, F::R32G32B32_SINT, F::R32G32B32A32_SINT],
        (32, Float) => {
            [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32_SFLOAT, F::R32G32B32A32_SFLOAT]
        }
        _ => return None,
    };
    of(channels, row)
}

/// The same for 64 bits: two words per channel, or one integer if the module declares such a format.
fn wide(channels: u32, signed: bool, named: Option<&str>) -> Option<vk::Format> {
    use vk::Format as F;
    match (named, signed, channels) {
        (Some("R64ui"), false, 1) => Some(F::R64_UINT),
        (Some("R64i"), true, 1) => Some(F::R64_SINT),
        (None | Some("Rg32ui"), _, 1) => Some(F::R32G32_UINT),
        (None | Some("Rgba32ui"), _, 2) => Some(F::R32G32B32A32_UINT),
        _ => None,
    }
}

/// The format with this SPIR-V name.
fn by_name(name: &str) -> Option<vk::Format> {
    use vk::Format as F;
    Some(match name {
        "Rgba32f" => F::R32G32B32A32_SFLOAT,
        "Rgba16f" => F::R16G16B16A16_SFLOAT,
        "R32f" => F::R32_SFLOAT,
        "Rgba8" => F::R8G8B8A8_UNORM,
        "Rgba8Snorm" => F::R8G8B8A8_SNORM,
        "Rg32f" => F::R32G32_SFLOAT,
        "Rg16f" => F::R16G16_SFLOAT,
        "R11fG11fB10f" => F::B10G11R11_UFLOAT_PACK32,
        "R16f" => F::R16_SFLOAT,
        "Rgba16" => F::R16G16B16A16_UNORM,
        "Rgb10A2" => F::A2B10G10R10_UNORM_PACK32,
        "Rg16" => F::R16G16_UNORM,
        "Rg8" => F::R8G8_UNORM,
        "R16" => F::R16_UNORM,
        "R8" => F::R8_UNORM,
        "Rgba16Snorm" => F::R16G16B16A16_SNORM,
        "Rg16Snorm" => F::R16G16_SNORM,
        "Rg8Snorm" => F::R8G8_SNORM,
        "R16Snorm" => F::R16_SNORM,
        "R8Snorm" => F::R8_SNORM,
        "Rgba32i" => F::R32G32B32A32_SINT,
        "Rgba16i" => F::R16G16B16A16_SINT,
        "Rgba8i" => F::R8G8B8A8_SINT,
        "R32i" => F::R32_SINT,
        "Rg32i" => F::R32G32_SINT,
        "Rg16i" => F::R16G16_SINT,
        "Rg8i" => F::R8G8_SINT,
        "R16i" => F::R16_SINT,
        "R8i" => F::R8_SINT,
        "Rgba32ui" => F::R32G32B32A32_UINT,
        "Rgba16ui" => F::R16G16B16A16_UINT,
        "Rgba8ui" => F::R8G8B8A8_UINT,
        "R32ui" => F::R32_UINT,
        "Rgb10a2ui" => F::A2B10G10R10_UINT_PACK32,
        "Rg32ui" => F::R32G32_UINT,
        "Rg16ui" => F::R16G16_UINT,
        "Rg8ui" => F::R8G8_UINT,
        "R16ui" => F::R16_UINT,
        "R8ui" => F::R8_UINT,
        "R64ui" => F::R64_UINT,
        "R64i" => F::R64_SINT,
        _ => return None,
    })
}

/// Whether a module that declares this format can use such a view.
fn has_name(format: vk::Format, named: Option<&str>) -> bool {
    named.is_none_or(|it| by_name(it) == Some(format))
}

/// Atomic operations treat floats as words: the bits are the same.
fn as_words(format: vk::Format, named: Option<&str>) -> vk::Format {
    match (format, named) {
        (vk::Format::R32_SFLOAT, Some("R32ui")) => vk::Format::R32_UINT,
        _ => format,
    }
}

/// For a typed buffer: its own format, or that of its declaration.
pub(super) fn texel_format(
    own: Option<ElementFormat>,
    element: &Element,
    named: Option<&str>,
) -> Option<vk::Format> {
    use FormatScalar::*;
    let ElementFormat { scalar, components } = own.unwrap_or_else(|| own_format(element));
    // Signed and unsigned 32-bit words have the same bits.
    let scalar = match (scalar, kind_of(element)) {
        (Int32, Kind::Unsigned) => Uint32,
        (Uint32, Kind::Signed) => Int32,
        (scalar, _) => scalar,
    };
    let (kind, found) = match scalar {
        Int64 if element.scalar == HostScalar::I64 => {
            (Kind::Unsigned, wide(components, true, named))
        }
        Uint64 if element.scalar == HostScalar::U64 => {
            (Kind::Unsigned, wide(components, false, named))
        }
        Float64 if element.scalar == HostScalar::F64 => {
            (Kind::Unsigned, wide(components, false, named))
        }
        Int64 | Uint64 | Float64 => return None,
        _ => {
            let Channel { encoding, bits } = scalar.channel();
            let kind = match encoding {
                Encoding::Sint => Kind::Signed,
                Encoding::Uint => Kind::Unsigned,
                Encoding::Float | Encoding::Unorm | Encoding::Snorm | Encoding::Srgb => Kind::Float,
            };
            (kind, plain(components, bits, encoding))
        }
    };
    let is_same_size = is_wide(element) == matches!(scalar, Int64 | Uint64 | Float64);
    let suits = kind == kind_of(element) && is_same_size;
    found.map(|it| as_words(it, named)).filter(|it| suits && has_name(*it, named))
}

/// For a texture. One that is used in comparisons needs a depth format if colour formats cannot be compared: `depth`.
pub(super) fn image_format(
    format: texture::Format,
    element: &Element,
    named: Option<&str>,
) -> Option<vk::Format> {
    use texture::Format as T;
    let (kind, found) = match format {
        T::Plain { channels, bits: 64, encoding } if is_wide(element) => {
            let signed = encoding == Encoding::Sint;
            let is_same = signed == (element.scalar == HostScalar::I64);
            let count = channels.count() as u32;
            (Kind::Unsigned, wide(count, signed, named).filter(|_| is_same))
        }
        _ if is_wide(element) => return None,
        T::Plain { encoding: Encoding::Uint, .. } | T::Rgb10A2 { uint: true } => {
            (Kind::Unsigned, target_format(format))
        }
        T::Plain { encoding: Encoding::Sint, .. } => (Kind::Signed, target_format(format)),
        _ => (Kind::Float, target_format(format)),
    };
    let found = found.filter(|_| kind == kind_of(element)).map(|it| as_words(it, named));
    found.filter(|it| has_name(*it, named))
}

/// For a target, or for an attribute in a vertex buffer.
pub(super) fn target_format(format: texture::Format) -> Option<vk::Format> {
    use texture::Format as T;
    use vk::Format as F;
    match format {
        T::Plain { channels, bits, encoding } => plain(channels.count() as u32, bits, encoding),
        T::Bgra8 { srgb: false } => Some(F::B8G8R8A8_UNORM),
        T::Bgra8 { srgb: true } => Some(F::B8G8R8A8_SRGB),
        T::Rgb10A2 { uint: false } => Some(F::A2B10G10R10_UNORM_PACK32),
        T::Rgb10A2 { uint: true } => Some(F::A2B10G10R10_UINT_PACK32),
        T::Rg11B10Float => Some(F::B10G11R11_UFLOAT_PACK32),
        T::Rgb9E5 => Some(F::E5B9G9R9_UFLOAT_PACK32),
    }
}

/// The depth format with the same bits.
pub(super) fn depth(format: vk::Format) -> Option<vk::Format> {
    match format {
        vk::Format::R32_SFLOAT => Some(vk::Format::D32_SFLOAT),
        vk::Format::R16_UNORM => Some(vk::Format::D16_UNORM),
        _ => None,
    }
}

/// Why there is no format, given the one that the module declares.
pub(super) fn no_format(named: Option<&str>) -> String {
    match named {
        Some(named) => format!("the module requires texels of the format {named}"),
        None => "Vulkan has no such format for what the shader declares".to_owned(),
    }
}

/// The number of components that a shader must provide to write whole texels.
pub(super) fn channels(format: texture::Format) -> u32 {
    format.channels().count() as u32
}

/// What a device cannot do with texels of a format, in words.
pub(super) fn lacks(missing: vk::FormatFeatureFlags2) -> String {
    use vk::FormatFeatureFlags2 as Can;
    let rows = [
        (Can::SAMPLED_IMAGE, "read them from textures"),
        (Can::SAMPLED_IMAGE_FILTER_LINEAR, "filter them"),
        (Can::SAMPLED_IMAGE_DEPTH_COMPARISON, "compare them"),
        (Can::STORAGE_IMAGE, "write them to textures"),
        (Can::STORAGE_IMAGE_ATOMIC, "change them in textures by atomic operations"),
        (Can::UNIFORM_TEXEL_BUFFER, "read them from typed buffers"),
        (Can::STORAGE_TEXEL_BUFFER, "write them to typed buffers"),
        (Can::STORAGE_TEXEL_BUFFER_ATOMIC, "change them in typed buffers by atomic operations"),
        (Can::STORAGE_READ_WITHOUT_FORMAT, "read them where they can be written"),
        (Can::STORAGE_WRITE_WITHOUT_FORMAT, "write them without a format in the module"),
    ];
    let words: Vec<&str> =
        rows.iter().filter(|(bit, _)| missing.contains(*bit)).map(|(_, words)| *words).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_that_a_module_may_name_is_one_of_vulkan() {
        for (_, name) in spirv::opcode::IMAGE_FORMATS {
            assert!(by_name(name).is_some(), "{name}");
        }
    }
}
