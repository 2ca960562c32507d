//! Views of resources, for code that names, binds, addresses and shows them: one row for each [`ResourceKind`].

use ops::texture::Dim;

use crate::{Element, Member, RegisterClass, ResourceKind};

/// Facts about a resource of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceView<'a> {
    /// The spelling in HLSL, such as `RWStructuredBuffer`.
    pub name: &'static str,
    /// The class of its registers, outside of descriptor heaps.
    pub class: RegisterClass,
    pub writable: bool,
    pub contents: Contents,
    pub address: AddressKind,
    /// The size of an element of a structured buffer in bytes, otherwise 0.
    pub stride: u32,
    /// The element type through which texels are read.
    pub element: Option<Element>,
    pub dim: Option<Dim>,
    /// The declared size in bytes: that of a constant buffer.
    pub size: u32,
    /// The layout of the constants, or of an element.
    pub members: &'a [Member],
    /// Whether there is a hidden counter.
    pub counter: bool,
}

/// What a host binds to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contents {
    /// Constants, of a declared size.
    Constants,
    /// A buffer of any size.
    Buffer,
    Texture,
    Sampler,
    /// An acceleration structure.
    Scene,
    /// A feedback map.
    Feedback,
}

/// How instructions address a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressKind {
    Element,
    Byte,
    /// Of a buffer.
    Texel,
    /// By texture instructions, with separate coordinates.
    Texture,
    /// It has no contents.
    None,
}

impl ResourceKind {
    /// The row of a kind.
    pub fn view(&self) -> ResourceView<'_> {
        let pick = |writable, names: [&'static str; 2]| names[usize::from(writable)];
        let view = |name, writable, address| ResourceView {
            name,
            class: if writable { RegisterClass::Unordered } else { RegisterClass::Shader },
            writable,
            contents: Contents::Buffer,
            address,
            stride: 0,
            element: None,
            dim: None,
            size: 0,
            members: &[],
            counter: false,
        };
        match self {
            ResourceKind::Constant { size, members } => ResourceView {
                class: RegisterClass::Constant,
                contents: Contents::Constants,
                size: *size,
                members,
                ..view("ConstantBuffer", false, AddressKind::Byte)
            },
            ResourceKind::Structured { writable, stride, members, counter } => {
                let name = pick(*writable, ["StructuredBuffer", "RWStructuredBuffer"]);
                ResourceView {
                    stride: *stride,
                    members,
                    counter: *counter,
                    ..view(name, *writable, AddressKind::Element)
                }
            }
            ResourceKind::Raw { writable } => {
                let name = pick(*writable, ["ByteAddressBuffer", "RWByteAddressBuffer"]);
                view(name, *writable, AddressKind::Byte)
            }
            ResourceKind::Typed { writable, element } => {
                let name = pick(*writable, ["Buffer", "RWBuffer"]);
                ResourceView {
                    element: Some(*element),
                    ..view(name, *writable, AddressKind::Texel)
                }
            }
            ResourceKind::Texture { dim, writable, element } => ResourceView {
                contents: Contents::Texture,
                element: Some(*element),
                dim: Some(*dim),
                ..view(texture_name(*dim, *writable), *writable, AddressKind::Texture)
            },
            ResourceKind::Sampler { comparison: _ } => ResourceView {
                class: RegisterClass::Sampler,
                contents: Contents::Sampler,
                ..view("SamplerState", false, AddressKind::None)
            },
            ResourceKind::Scene => ResourceView {
                contents: Contents::Scene,
                ..view("RaytracingAccelerationStructure", false, AddressKind::None)
            },
            ResourceKind::Feedback { kind: _, array } => ResourceView {
                contents: Contents::Feedback,
                ..view(
                    pick(*array, ["FeedbackTexture2D", "FeedbackTexture2DArray"]),
                    true,
                    AddressKind::None,
                )
            },
        }
    }
}

impl ResourceView<'_> {
    /// The dimension and the element type of a texture.
    pub fn texture(&self) -> (Dim, Element) {
        match (self.dim, self.element) {
            (Some(dim), Some(element)) => (dim, element),
            _ => unreachable!("the row of a texture has both"),
        }
    }

    /// Whether its contents are the bytes of a buffer, rather than a texture's, or none.
    pub fn is_buffer(&self) -> bool {
        match self.address {
            AddressKind::Element | AddressKind::Byte | AddressKind::Texel => true,
            AddressKind::Texture | AddressKind::None => false,
        }
    }

    /// Whether it is an array of elements with members.
    pub fn has_elements(&self) -> bool {
        self.address == AddressKind::Element
    }
}

/// The HLSL spelling of the type of a texture.
pub fn texture_name(dim: Dim, writable: bool) -> &'static str {
    match (dim, writable) {
        (Dim::D1, false) => "Texture1D",
        (Dim::D1, true) => "RWTexture1D",
        (Dim::D1Array, false) => "Texture1DArray",
        (Dim::D1Array, true) => "RWTexture1DArray",
        (Dim::D2, false) => "Texture2D",
        (Dim::D2, true) => "RWTexture2D",
        (Dim::D2Array, false) => "Texture2DArray",
        (Dim::D2Array, true) => "RWTexture2DArray",
        (Dim::D2Ms, _) => "Texture2DMS",
        (Dim::D2MsArray, _) => "Texture2DMSArray",
        (Dim::D3, false) => "Texture3D",
        (Dim::D3, true) => "RWTexture3D",
        (Dim::Cube, _) => "TextureCube",
        (Dim::CubeArray, _) => "TextureCubeArray",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_sample_module_is_seen_as_it_is_declared() {
        let module = crate::text::read(include_str!("text/every.ir")).unwrap();
        let seen: Vec<(&str, AddressKind)> = module
            .resources
            .iter()
            .map(|it| it.kind.view())
            .map(|it| (it.name, it.address))
            .collect();
        let expected = [
            ("ConstantBuffer", AddressKind::Byte),
            ("RWStructuredBuffer", AddressKind::Element),
            ("RWByteAddressBuffer", AddressKind::Byte),
            ("RWBuffer", AddressKind::Texel),
            ("StructuredBuffer", AddressKind::Element),
        ];
        assert_eq!(seen[..expected.len()], expected);
        for resource in &module.resources {
            let view = resource.kind.view();
            assert_eq!(view.class, resource.register.class, "{}", resource.name);
            assert!(!view.writable || view.class == RegisterClass::Unordered);
        }
    }
}
