//! The types of descriptor heaps and of their elements: objects whose names say what they are.

use ir::RegisterClass;

use super::{Object, ResourceType, Type, TypeId, Types};

/// A descriptor heap: its name, the name of its elements in messages, its class.
pub(crate) struct Heap {
    pub(crate) name: &'static str,
    pub(crate) element: &'static str,
    pub(crate) class: RegisterClass,
}

pub(crate) const HEAPS: [Heap; 2] = [
    Heap {
        name: "ResourceDescriptorHeap",
        element: "ResourceDescriptorHeap[…]",
        class: RegisterClass::ResourceHeap,
    },
    Heap {
        name: "SamplerDescriptorHeap",
        element: "SamplerDescriptorHeap[…]",
        class: RegisterClass::SamplerHeap,
    },
];

/// The type of a heap, or of the elements of one.
pub(crate) fn object(name: &'static str) -> Type {
    Type::Resource(ResourceType::Other(Object { name, element: Types::VOID, count: 0 }))
}

/// The heap whose elements have that type.
pub(crate) fn heap_of_element(types: &Types, ty: TypeId) -> Option<&'static Heap> {
    let Type::Resource(ResourceType::Other(object)) = types.get(ty) else { return None };
    HEAPS.iter().find(|heap| heap.element == object.name)
}

/// Whether an element of a heap can be used as that type.
pub(crate) fn is_viewed_as(types: &Types, from: TypeId, to: TypeId) -> bool {
    let Some(heap) = heap_of_element(types, from) else { return false };
    let Type::Resource(to) = types.get(to) else { return false };
    match to {
        ResourceType::Sampler { .. } => heap.class == RegisterClass::SamplerHeap,
        ResourceType::Other(object) => {
            object.feedback().is_some() && heap.class == RegisterClass::ResourceHeap
        }
        ResourceType::Constant(_)
        | ResourceType::TextureBuffer(_)
        | ResourceType::Structured { .. }
        | ResourceType::Raw { .. }
        | ResourceType::Typed { .. }
        | ResourceType::Texture { .. }
        | ResourceType::AccelerationStructure => heap.class == RegisterClass::ResourceHeap,
    }
}
