//! What a dispatch works on: the buffers bound to a shader's resources.

use std::collections::BTreeMap;
use std::fmt;

use ir::exec::{Bindings, Buffer};
use ir::{Resource, ResourceKind};
use ops::texture::{Dim as TextureDim, Shape as TextureShape};

use crate::{DispatchError, Layout, Shader};

/// The most bytes a buffer may have.
pub const MOST_BYTES: usize = 1 << 31;
/// The highest element of an unbounded resource array that can be bound.
const MOST_ELEMENTS: u32 = 1 << 16;

/// Buffers by the names of the shader's resources.
#[derive(Clone, Debug)]
pub struct ResourceTable {
    /// The shader that it was made for, for messages.
    shader: String,
    resources: Vec<Resource>,
    /// For each resource the elements that are bound.
    slots: Vec<BTreeMap<u32, Buffer>>,
}

impl ResourceTable {
    /// A table in which nothing is bound.
    pub fn new(shader: &Shader) -> ResourceTable {
        let resources = shader.resources().to_vec();
        let slots = vec![BTreeMap::new(); resources.len()];
        ResourceTable { shader: described(shader), resources, slots }
    }

    /// Binds a buffer to an element of a resource; element 0 of what is not an array.
    pub fn bind(&mut self, name: &str, element: u32, buffer: Buffer) -> Result<(), BindError> {
        let fail = |problem| Err(BindError { name: name.to_owned(), problem });
        let Some(index) = self.index(name) else { return fail(BindProblem::NoSuchResource) };
        let resource = &self.resources[index];
        if element >= resource.count.unwrap_or(MOST_ELEMENTS) {
            return fail(BindProblem::ElementOutOfRange {
                element,
                count: resource.count.unwrap_or(MOST_ELEMENTS),
            });
        }
        let bytes = buffer.bytes.len();
        if bytes > MOST_BYTES {
            return fail(BindProblem::TooLarge { bytes });
        }
        let mut problem = check(&resource.kind, &buffer).err();
        if resource.register.class.is_heap() && problem.is_some() {
            // What one view of the heap does not take can be meant for another one.
            let takes = |it: &&Resource| check(&it.kind, &buffer).is_ok();
            let views: Vec<&Resource> = self.views(index).collect();
            problem = match views.as_slice() {
                [_] | [] => problem,
                several if several.iter().any(takes) => None,
                _ => Some(BindProblem::NoView),
            };
        }
        if let Some(problem) = problem {
            return fail(problem);
        }
        self.slots[index].insert(element, buffer);
        Ok(())
    }

    /// What is bound, with a buffer more: at the last resource of `shader`, which has one more than this table's.
    pub(crate) fn with(&self, shader: &Shader, last: Buffer) -> ResourceTable {
        let mut table = self.clone();
        table.shader = described(shader);
        table.resources.extend(shader.resources().iter().skip(self.resources.len()).cloned());
        table.slots.resize(table.resources.len(), BTreeMap::new());
        if let Some(slots) = table.slots.last_mut() {
            slots.insert(0, last);
        }
        table
    }

    /// The buffer bound to an element of a resource.
    pub fn get(&self, name: &str, element: u32) -> Option<&Buffer> {
        self.slots[self.index(name)?].get(&element)
    }

    /// The same, to be changed. Its size should stay a multiple of the resource's stride.
    pub fn get_mut(&mut self, name: &str, element: u32) -> Option<&mut Buffer> {
        let index = self.index(name)?;
        self.slots[index].get_mut(&element)
    }

    /// Everything that is bound, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&Resource, u32, &Buffer)> {
        let each = self.slots.iter().enumerate();
        each.flat_map(move |(index, slots)| {
            slots
                .iter()
                .map(move |(element, buffer)| (self.seen_as(index, buffer), *element, buffer))
        })
    }

    /// The resource as which a buffer is bound: in a heap a view that takes it, of those best one that is written.
    fn seen_as(&self, index: usize, buffer: &Buffer) -> &Resource {
        let views = || self.views(index).filter(|it| check(&it.kind, buffer).is_ok());
        let written = views().find(|it| it.kind.writable());
        written.or_else(|| views().next()).unwrap_or(&self.resources[index])
    }

    /// The views of the heap of which that resource is one; of what is in no heap, itself.
    fn views(&self, index: usize) -> impl Iterator<Item = &Resource> {
        let class = self.resources[index].register.class;
        let all = self.resources.iter().enumerate().filter(move |(at, it)| {
            *at == index || class.is_heap() && it.used && it.register.class == class
        });
        let is_used = self.resources[index].used;
        // The first view holds what is bound, and can be one that nothing uses.
        all.filter(move |(at, _)| *at != index || is_used || !class.is_heap()).map(|(_, it)| it)
    }

    /// The first resource that the shader uses and of which no element is bound.
    pub fn unbound(&self) -> Option<&Resource> {
        self.unbound_of(&self.resources)
    }

    /// The same for a shader that declares the same resources, but may use other ones.
    pub(crate) fn unbound_of<'a>(&'a self, resources: &'a [Resource]) -> Option<&'a Resource> {
        let each = resources.iter().zip(&self.slots);
        each.into_iter()
            .find(|(resource, slots)| {
                let heap = resource.register.class.is_heap();
                let held = heap.then(|| self.index(&resource.name)).flatten();
                resource.used && slots.is_empty() && held.is_none_or(|it| self.slots[it].is_empty())
            })
            .map(|(resource, _)| resource)
    }

    /// Whether a dispatch of the shader may use the table. Engines find what is bound by the order of declaration, so
    /// the shader must declare what the table's shader does.
    pub(crate) fn check_made_for(&self, shader: &Shader) -> Result<(), DispatchError> {
        let is_same = |(ours, its): (&Resource, &Resource)| {
            (&ours.name, &ours.kind, ours.count, ours.register.class)
                == (&its.name, &its.kind, its.count, its.register.class)
        };
        let resources = shader.resources();
        let is_fitting = self.resources.len() == resources.len()
            && self.resources.iter().zip(resources).all(is_same);
        match is_fitting {
            true => Ok(()),
            false => Err(DispatchError::OtherShader {
                table: self.shader.clone(),
                pipeline: described(shader),
            }),
        }
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.resources.iter().position(|it| it.name == name)
    }

    /// As engines want it: elements that are not bound are empty, so that reads of them give 0.
    pub(crate) fn take(&mut self) -> Bindings {
        let each = self.resources.iter().zip(&mut self.slots);
        let bindings = each.map(|(resource, slots)| {
            let bound = slots.last_key_value().map_or(0, |(last, _)| last + 1);
            let count =
                resource.count.map_or(bound, |count| count.min(MOST_ELEMENTS)).max(bound).max(1);
            (0..count)
                .map(|element| slots.get_mut(&element).map(std::mem::take).unwrap_or_default())
                .collect()
        });
        Bindings { bindings: bindings.collect() }
    }

    /// The way back.
    pub(crate) fn put(&mut self, bindings: Bindings) {
        for (slots, buffers) in self.slots.iter_mut().zip(bindings.bindings) {
            for (element, buffer) in (0..).zip(buffers) {
                if let Some(slot) = slots.get_mut(&element) {
                    *slot = buffer;
                }
            }
        }
    }
}

/// A shader in a message.
fn described(shader: &Shader) -> String {
    format!("`{}` of `{}`", shader.entry(), shader.name())
}

/// Whether a buffer can be bound to a resource of that kind.
fn check(kind: &ResourceKind, buffer: &Buffer) -> Result<(), BindProblem> {
    let bytes = buffer.bytes.len();
    match kind {
        ResourceKind::Constant { size, .. } if bytes < *size as usize => {
            Err(BindProblem::TooSmall { bytes, needs: *size as usize })
        }
        ResourceKind::Sampler { .. } if buffer.sampler.is_none() || bytes > 0 => {
            Err(BindProblem::NoSampler)
        }
        ResourceKind::Texture { dim, .. } => {
            let shape = buffer.texture.as_ref().ok_or(BindProblem::NoTexture)?;
            check_shape(shape, *dim, bytes)
        }
        ResourceKind::Constant { .. }
        | ResourceKind::Structured { .. }
        | ResourceKind::Raw { .. }
        | ResourceKind::Typed { .. }
            if buffer.texture.is_some() || buffer.sampler.is_some() =>
        {
            Err(BindProblem::NoBuffer)
        }
        ResourceKind::Structured { .. } | ResourceKind::Raw { .. } | ResourceKind::Typed { .. } => {
            let stride = Layout::of(kind, buffer.format).stride;
            match bytes.is_multiple_of(stride) {
                true => Ok(()),
                false => Err(BindProblem::Stride { bytes, stride }),
            }
        }
        ResourceKind::Constant { .. } | ResourceKind::Sampler { .. } => Ok(()),
    }
}

/// Whether a texture can be of that kind, and its bytes are as many as its shape says.
fn check_shape(shape: &TextureShape, dim: TextureDim, bytes: usize) -> Result<(), BindProblem> {
    let Some(needs) = shape.bytes() else { return Err(BindProblem::Shape) };
    if !shape.suits(dim) {
        return Err(BindProblem::Shape);
    }
    if needs != bytes {
        return Err(BindProblem::TextureBytes { bytes, needs });
    }
    Ok(())
}

/// Why a buffer cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    /// The resource as the caller named it.
    pub name: String,
    /// What is wrong.
    pub problem: BindProblem,
}

/// What is wrong with a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindProblem {
    /// The shader declares no resource of that name.
    NoSuchResource,
    /// The resource array has fewer elements.
    ElementOutOfRange {
        /// The element asked for.
        element: u32,
        /// How many there are.
        count: u32,
    },
    /// The size is not a whole number of elements.
    Stride {
        /// The size of the buffer.
        bytes: usize,
        /// The size of an element.
        stride: usize,
    },
    /// A constant buffer is smaller than its members.
    TooSmall {
        /// The size of the buffer.
        bytes: usize,
        /// What the members take.
        needs: usize,
    },
    /// What is bound to a texture says nothing of its size and format.
    NoTexture,
    /// What is bound to a buffer is a texture or a sampler.
    NoBuffer,
    /// The shader sees nothing of that kind in the descriptor heap.
    NoView,
    /// What is bound to a sampler has no sampler's state.
    NoSampler,
    /// No texture of the declared kind has that shape.
    Shape,
    /// The bytes are not those of the texture's shape.
    TextureBytes {
        /// How many there are.
        bytes: usize,
        /// How many the shape takes.
        needs: usize,
    },
    /// A buffer beyond [`MOST_BYTES`].
    TooLarge {
        /// The size of the buffer.
        bytes: usize,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.problem {
            BindProblem::NoSuchResource => write!(f, "the shader has no resource `{name}`"),
            BindProblem::ElementOutOfRange { count: 1, .. } => {
                write!(f, "`{name}` is not an array of resources")
            }
            BindProblem::ElementOutOfRange { element, count } => {
                write!(f, "`{name}` has {count} elements, there is no `{name}[{element}]`")
            }
            BindProblem::Stride { bytes, stride } => {
                write!(
                    f,
                    "{bytes} bytes are no whole number of elements of `{name}`, which take {stride} bytes each"
                )
            }
            BindProblem::TooSmall { bytes, needs } => {
                write!(f, "the members of `{name}` take {needs} bytes, the buffer has {bytes}")
            }
            BindProblem::NoTexture => {
                write!(f, "`{name}` is a texture, and what is bound to it has no size and format")
            }
            BindProblem::NoBuffer => {
                write!(f, "`{name}` is a buffer, and a texture or a sampler is bound to it")
            }
            BindProblem::NoView => {
                write!(f, "the shader takes nothing of that kind and size out of `{name}`")
            }
            BindProblem::NoSampler => {
                write!(f, "`{name}` is a sampler, and takes a sampler's state")
            }
            BindProblem::Shape => {
                write!(f, "a texture of that size, with these layers and levels, is no `{name}`")
            }
            BindProblem::TextureBytes { bytes, needs } => {
                write!(f, "the texels of `{name}` take {needs} bytes, and {bytes} are given")
            }
            BindProblem::TooLarge { bytes } => {
                write!(f, "a buffer of {bytes} bytes is too large: {MOST_BYTES} are the most")
            }
        }
    }
}

impl std::error::Error for BindError {}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Member, Register, RegisterClass};

    fn table(resources: &[(&str, ResourceKind, Option<u32>)]) -> ResourceTable {
        let resources: Vec<Resource> = resources
            .iter()
            .map(|(name, kind, count)| Resource {
                name: (*name).to_owned(),
                kind: kind.clone(),
                count: *count,
                register: Register { class: RegisterClass::Unordered, index: 0, space: 0 },
                chosen: Default::default(),
                globally_coherent: false,
                used: true,
                span: diag::Span::NONE,
            })
            .collect();
        ResourceTable {
            shader: String::new(),
            slots: vec![BTreeMap::new(); resources.len()],
            resources,
        }
    }

    fn buffer(bytes: usize) -> Buffer {
        Buffer { bytes: vec![7; bytes], ..Buffer::default() }
    }

    fn structured(stride: u32) -> ResourceKind {
        ResourceKind::Structured {
            writable: true,
            stride,
            members: Vec::<Member>::new(),
            counter: false,
        }
    }

    #[test]
    fn buffers_that_do_not_fit_are_refused() {
        let constant = ResourceKind::Constant { size: 20, members: Vec::new() };
        let mut table = table(&[
            ("A", structured(12), Some(1)),
            ("B", structured(4), None),
            ("C", constant, Some(2)),
        ]);
        let mut problem = |name, element, bytes| {
            table.bind(name, element, buffer(bytes)).err().map(|it| it.problem)
        };
        assert_eq!(problem("A", 0, 24), None);
        assert_eq!(problem("A", 0, 25), Some(BindProblem::Stride { bytes: 25, stride: 12 }));
        assert_eq!(
            problem("A", 1, 24),
            Some(BindProblem::ElementOutOfRange { element: 1, count: 1 })
        );
        assert_eq!(problem("B", 5, 4), None);
        assert!(matches!(problem("B", u32::MAX, 4), Some(BindProblem::ElementOutOfRange { .. })));
        assert_eq!(problem("C", 1, 16), Some(BindProblem::TooSmall { bytes: 16, needs: 20 }));
        assert_eq!(problem("C", 1, 32), None);
        assert_eq!(problem("D", 0, 0), Some(BindProblem::NoSuchResource));
    }

    #[test]
    fn a_heap_takes_what_one_of_its_views_takes() {
        let texture = ResourceKind::Texture {
            dim: TextureDim::D2,
            writable: false,
            element: ir::Element {
                scalar: ir::HostScalar::F32,
                components: 1,
                norm: ir::Norm::None,
            },
        };
        let mut table = table(&[
            ("Heap", ResourceKind::Raw { writable: false }, None),
            ("Heap", structured(8), None),
            ("Heap", texture, None),
        ]);
        for resource in &mut table.resources {
            resource.register.class = RegisterClass::ResourceHeap;
        }
        assert_eq!(table.unbound().map(|it| it.name.as_str()), Some("Heap"));
        table.bind("Heap", 3, buffer(8)).unwrap();
        assert_eq!(table.unbound(), None);
        let sampler = Buffer { sampler: Some(Default::default()), ..Buffer::default() };
        let problem = table.bind("Heap", 4, sampler).unwrap_err().problem;
        assert_eq!(problem, BindProblem::NoView);
        let bound: Vec<bool> = table.iter().map(|(it, ..)| it.kind.writable()).collect();
        assert_eq!(bound, [true]);
    }

    #[test]
    fn engines_see_arrays_whole_and_give_back_what_was_bound() {
        let mut table = table(&[("A", structured(4), Some(3)), ("B", structured(4), None)]);
        assert_eq!(table.unbound().map(|it| it.name.as_str()), Some("A"));
        table.bind("A", 1, buffer(4)).unwrap();
        table.bind("B", 2, buffer(8)).unwrap();
        assert_eq!(table.unbound(), None);
        let mut bindings = table.take();
        let sizes: Vec<Vec<usize>> = bindings
            .bindings
            .iter()
            .map(|it| it.iter().map(|it| it.bytes.len()).collect())
            .collect();
        assert_eq!(sizes, [vec![0, 4, 0], vec![0, 0, 8]]);
        bindings.bindings[0][1].bytes[0] = 9;
        table.put(bindings);
        assert_eq!(table.get("A", 1).unwrap().bytes, [9, 7, 7, 7]);
        assert_eq!(table.get("A", 0), None);
        assert_eq!(table.iter().count(), 2);
    }
}
