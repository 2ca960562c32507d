//! Resource tables: the buffers, textures and samplers that are bound to a shader's resources.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use ir::exec::{Bindings, Failure, What};
use ir::{
    AddressKind, Binding, Contents, Element, HostScalar, Module, Norm, Resource, ResourceKind,
};
use ops::texture::{Dim as TextureDim, Format, Shape as TextureShape};
use values::MOST_BYTES;

use crate::memory::{self, Cell, Places, Slot};
use crate::plain;
use crate::{Bindable, Buffer, BufferError, DispatchError, Layout, Scalar, Shader, Texture};

/// The highest element of an unbounded resource array that can be bound.
const MOST_ELEMENTS: u32 = 1 << 16;

/// Cells and their copies.
pub(crate) type Copies = Vec<(*const Cell, Arc<Cell>)>;

/// The bindings of a shader's resources, by name.
///
/// A table holds handles: the buffers belong to the host, and can be bound to several tables. Constants that
/// [`ResourceTable::set`] writes belong to the table alone.
#[derive(Debug)]
pub struct ResourceTable {
    /// The shader that it was created for, for messages.
    shader: String,
    pub(crate) module: Arc<Module>,
    /// For each resource the elements that are bound.
    slots: Vec<BTreeMap<u32, Arc<Cell>>>,
    /// Two resources to which the same buffer is bound, one of which is written; computed on demand.
    aliases: OnceLock<Option<(usize, usize)>>,
}

impl ResourceTable {
    /// A table in which nothing is bound.
    pub fn new(shader: &Shader) -> ResourceTable {
        let slots = vec![BTreeMap::new(); shader.resources().len()];
        ResourceTable {
            shader: described(shader),
            module: shader.module.clone(),
            slots,
            aliases: OnceLock::new(),
        }
    }

    /// Binds a buffer, a texture or a sampler to a resource; to its first element if it is an array.
    ///
    /// The same buffer can be bound to several resources of a shader that writes to none of them; for others, see
    /// [`Shader::with_alias`].
    pub fn bind(&mut self, name: &str, what: impl Into<Bindable>) -> Result<(), BindError> {
        self.bind_at(name, 0, what)
    }

    /// Binds to an element of a resource array or a descriptor heap.
    pub fn bind_at(
        &mut self,
        name: &str,
        element: u32,
        what: impl Into<Bindable>,
    ) -> Result<(), BindError> {
        let Bindable { cell } = what.into();
        let index = self.check_bindable(name, element, &cell)?;
        self.put_cell(index, element, cell);
        Ok(())
    }

    /// Whether something can be bound there, and the index of the resource.
    fn check_bindable(&self, name: &str, element: u32, cell: &Cell) -> Result<usize, BindError> {
        let fail = |problem| Err(BindError { name: name.to_owned(), problem });
        let Some(index) = self.index(name) else {
            let known = self.resources().iter().map(|it| it.name.as_str());
            let similar = diag::most_similar(name, known).map(str::to_owned);
            return fail(BindProblem::NoSuchResource { similar });
        };
        let resource = &self.resources()[index];
        if element >= resource.count.unwrap_or(MOST_ELEMENTS) {
            return fail(BindProblem::ElementOutOfRange {
                element,
                count: resource.count.unwrap_or(MOST_ELEMENTS),
            });
        }
        let state = cell.lock();
        let slot = state.shape();
        let bytes = slot.bytes.len();
        if bytes > MOST_BYTES {
            return fail(BindProblem::TooLarge { bytes });
        }
        let made_of = cell.element.as_ref();
        if let Some(of) = resource.alias_of {
            let of = self.resources()[of.index()].name.clone();
            return fail(BindProblem::IsAlias { of });
        }
        for alias in self.aliases_of(index) {
            if let Err(problem) = check(&alias.kind, slot, None) {
                return Err(BindError { name: alias.name.clone(), problem });
            }
        }
        let mut problem = check(&resource.kind, slot, made_of).err();
        if resource.register.class.is_heap() && problem.is_some() {
            // An element that does not suit one view of the heap may suit another.
            let takes = |it: &&Resource| check(&it.kind, slot, made_of).is_ok();
            let views: Vec<&Resource> = self.views(index).collect();
            problem = match views.as_slice() {
                [_] | [] => problem,
                several if several.iter().any(takes) => None,
                _ => Some(BindProblem::NoView),
            };
        }
        let mut all = self.views(index).chain(self.aliases_of(index));
        let mut is_written = || all.any(|it| it.kind.writable());
        if problem.is_none() && slot.bytes.is_read_only() && is_written() {
            problem = Some(BindProblem::ReadOnly);
        }
        match problem {
            Some(problem) => fail(problem),
            None => Ok(index),
        }
    }

    /// The buffer bound to a resource; to its first element if it is an array.
    pub fn buffer(&self, name: &str) -> Option<Buffer> {
        let cell = self.cell(name, 0)?;
        let is_memory = matches!(cell.lock().shape().what, What::Memory { .. });
        is_memory.then(|| Buffer { cell: cell.clone() })
    }

    /// The texture bound to a resource; to its first element if it is an array.
    pub fn texture(&self, name: &str) -> Option<Texture> {
        self.texture_at(name, 0)
    }

    /// The texture bound to an element of a resource array or a descriptor heap.
    pub fn texture_at(&self, name: &str, element: u32) -> Option<Texture> {
        let cell = self.cell(name, element)?;
        let is_texture = cell.lock().shape().what.texture().is_some();
        is_texture.then(|| Texture { cell: cell.clone() })
    }

    /// The resources that the shader uses and of which no element is bound, in the order of declaration. The first view
    /// of a descriptor heap represents all of its views.
    pub fn unbound(&self) -> Vec<&Resource> {
        self.unbound_of(self.resources())
    }

    /// The same for a shader that declares the same resources, but may use other ones.
    pub(crate) fn unbound_of<'a>(&'a self, resources: &'a [Resource]) -> Vec<&'a Resource> {
        let mut unbound: Vec<&Resource> = Vec::new();
        for (resource, slots) in resources.iter().zip(&self.slots) {
            let heap = resource.register.class.is_heap();
            let held = match resource.alias_of {
                Some(other) => Some(other.index()),
                None => heap.then(|| self.index(&resource.name)).flatten(),
            };
            let is_free = slots.is_empty() && held.is_none_or(|it| self.slots[it].is_empty());
            // What has the memory is missing, not its alias.
            let missing = resource.alias_of.map_or(resource, |it| &resources[it.index()]);
            let is_known = unbound.iter().any(|it| it.name == missing.name);
            if resource.used && is_free && !is_known {
                unbound.push(missing);
            }
        }
        unbound
    }

    /// A deep copy: new buffers and textures with the same contents.
    pub fn duplicate(&self) -> Result<ResourceTable, BufferError> {
        self.duplicate_with(&mut Vec::new())
    }

    /// The same, with copies that are known already. What is bound several times stays one.
    pub(crate) fn duplicate_with(&self, known: &mut Copies) -> Result<ResourceTable, BufferError> {
        let mut copies = Vec::with_capacity(self.slots.len());
        for slots in &self.slots {
            let mut own = BTreeMap::new();
            for (element, cell) in slots {
                own.insert(*element, ResourceTable::copy_of(cell, known)?);
            }
            copies.push(own);
        }
        Ok(ResourceTable {
            shader: self.shader.clone(),
            module: self.module.clone(),
            slots: copies,
            aliases: self.aliases.clone(),
        })
    }

    /// The copy of a cell, which is made if it is not known.
    pub(crate) fn copy_of(cell: &Arc<Cell>, known: &mut Copies) -> Result<Arc<Cell>, BufferError> {
        if let Some((_, copy)) = known.iter().find(|(it, _)| *it == Arc::as_ptr(cell)) {
            return Ok(copy.clone());
        }
        let copy = cell.duplicate()?;
        known.push((Arc::as_ptr(cell), copy.clone()));
        Ok(copy)
    }

    /// A shallow copy with the same handles, for a list of dispatches.
    pub(crate) fn share(&self) -> ResourceTable {
        ResourceTable {
            shader: self.shader.clone(),
            module: self.module.clone(),
            slots: self.slots.clone(),
            aliases: self.aliases.clone(),
        }
    }

    /// Binds what another shader's table holds to the resources that both declare alike, where nothing is bound.
    /// Constants remain each shader's own.
    pub(crate) fn share_from(&mut self, other: &ResourceTable) {
        for (index, element, cell) in other.cells() {
            let resource = &other.resources()[index];
            let Some(own) = self.index(&resource.name) else { continue };
            let (kind, class) = (&self.resources()[own].kind, resource.register.class);
            let is_alike = class.is_heap() || *kind == resource.kind;
            let is_free = !self.slots[own].contains_key(&element);
            if is_alike && is_free && kind.view().contents != Contents::Constants {
                self.put_cell(own, element, cell.clone());
            }
        }
    }

    /// A copy with an additional buffer, bound to the last resource of `shader`, which declares one more than this
    /// table's.
    pub(crate) fn with(&self, shader: &Shader, last: Buffer) -> Result<ResourceTable, BufferError> {
        let mut table = self.duplicate()?;
        table.shader = described(shader);
        table.module = shader.module.clone();
        table.slots.resize(shader.resources().len(), BTreeMap::new());
        if let Some(slots) = table.slots.last_mut() {
            slots.insert(0, last.cell);
        }
        Ok(table)
    }

    pub(crate) fn resources(&self) -> &[Resource] {
        self.module.bindable()
    }

    /// What is bound to an element of a resource; to an alias, what is bound to the resource whose memory it names.
    pub(crate) fn cell(&self, name: &str, element: u32) -> Option<&Arc<Cell>> {
        let index = self.index(name)?;
        let held = self.resources()[index].alias_of.map_or(index, Binding::index);
        self.slots[held].get(&element)
    }

    /// The same as [`ResourceTable::cells`], and with every alias.
    pub(crate) fn named_cells(&self) -> impl Iterator<Item = (usize, u32, &Arc<Cell>)> {
        let each = self.resources().iter().enumerate();
        each.flat_map(|(index, resource)| {
            let held = resource.alias_of.map_or(index, Binding::index);
            self.slots[held].iter().map(move |(at, cell)| (index, *at, cell))
        })
    }

    /// The resources that name the memory of another one.
    fn aliases_of(&self, index: usize) -> impl Iterator<Item = &Resource> {
        let of = Some(Binding(index as u32));
        self.resources().iter().filter(move |it| it.alias_of == of)
    }

    /// Everything that is bound, in the order of declaration, by the indices of resources.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (usize, u32, &Arc<Cell>)> {
        let each = self.slots.iter().enumerate();
        each.flat_map(|(index, slots)| slots.iter().map(move |(at, cell)| (index, *at, cell)))
    }

    /// Binds a cell that has been checked.
    pub(crate) fn put_cell(&mut self, index: usize, element: u32, cell: Arc<Cell>) {
        self.slots[index].insert(element, cell);
        self.aliases = OnceLock::new();
    }

    /// The resource as which a buffer is bound: in a heap, a view that accepts it, preferably one that is written.
    pub(crate) fn seen_as(&self, index: usize, slot: &Slot) -> &Resource {
        let views = || self.views(index).filter(|it| check(&it.kind, slot, None).is_ok());
        let written = views().find(|it| it.kind.writable());
        written.or_else(|| views().next()).unwrap_or(&self.resources()[index])
    }

    /// The views of the heap that the resource belongs to; only itself if it is not in a heap.
    fn views(&self, index: usize) -> impl Iterator<Item = &Resource> {
        let resources = self.resources();
        let class = resources[index].register.class;
        let all = resources.iter().enumerate().filter(move |(at, it)| {
            *at == index || class.is_heap() && it.used && it.register.class == class
        });
        let is_used = resources[index].used;
        // The first view holds what is bound, and may be unused.
        all.filter(move |(at, _)| *at != index || is_used || !class.is_heap()).map(|(_, it)| it)
    }

    /// Whether a dispatch of the shader may use the table. Engines find what is bound by the order of declaration, so
    /// the shader must declare what the table's shader does.
    pub(crate) fn check_made_for(&self, shader: &Shader) -> Result<(), DispatchError> {
        let is_same = |(ours, its): (&Resource, &Resource)| {
            (&ours.name, &ours.kind, ours.count, ours.register.class, ours.alias_of)
                == (&its.name, &its.kind, its.count, its.register.class, its.alias_of)
        };
        let (ours, its) = (self.resources(), shader.resources());
        let is_fitting = Arc::ptr_eq(&self.module, &shader.module)
            || ours.len() == its.len() && ours.iter().zip(its).all(is_same);
        match is_fitting {
            true => Ok(()),
            false => Err(DispatchError::OtherShader {
                table: self.shader.clone(),
                pipeline: described(shader),
            }),
        }
    }

    /// Whether the table is for that shader, nothing is bound twice that is written, and nothing is missing.
    pub(crate) fn check_ready(&self, shader: &Shader) -> Result<(), DispatchError> {
        self.check_made_for(shader)?;
        self.check_aliases()?;
        let unbound = self.unbound_of(shader.resources());
        if unbound.is_empty() {
            return Ok(());
        }
        let names = unbound.iter().map(|it| it.name.clone()).collect();
        Err(DispatchError::Unbound { names })
    }

    /// Refuses a buffer that is bound twice if the shader writes to it, because engines treat bindings as distinct.
    pub(crate) fn check_aliases(&self) -> Result<(), DispatchError> {
        let found = *self.aliases.get_or_init(|| self.find_aliases());
        let Some((first, second)) = found else { return Ok(()) };
        let name = |index: usize| self.resources()[index].name.clone();
        Err(DispatchError::Aliased { first: name(first), second: name(second) })
    }

    fn find_aliases(&self) -> Option<(usize, usize)> {
        let mut all: Vec<(*const Cell, usize)> =
            self.cells().map(|(index, _, cell)| (Arc::as_ptr(cell), index)).collect();
        all.sort_unstable();
        let is_written = |index: usize| {
            let resource = &self.resources()[index];
            resource.kind.writable() || resource.register.class.is_heap()
        };
        all.windows(2).find_map(|pair| {
            let [(first, one), (second, other)] = pair else { return None };
            let is_aliased = first == second && (is_written(*one) || is_written(*other));
            is_aliased.then_some((*one, *other))
        })
    }

    /// Calls `look` with the contents for engines.
    pub(crate) fn with_bindings<T>(
        &self,
        show: impl FnOnce(&mut Bindings) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (mut memory, indices) = memory::lock(&[self.places()]);
        let [places] = indices.as_slice() else { unreachable!("one table has one list of places") };
        let mut bindings = memory.take(places)?;
        let shown = show(&mut bindings);
        memory.put(places, bindings, &self.module);
        shown
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.resources().iter().position(|it| it.name == name)
    }

    /// The cells for engines: every element of an array that an index can reach.
    pub(crate) fn places(&self) -> Places<'_> {
        let each = self.resources().iter().zip(&self.slots);
        let places = each.map(|(resource, slots)| {
            let bound = slots.last_key_value().map_or(0, |(last, _)| last + 1);
            let count =
                resource.count.map_or(bound, |count| count.min(MOST_ELEMENTS)).max(bound).max(1);
            (0..count).map(|element| slots.get(&element).map(|it| &**it)).collect()
        });
        places.collect()
    }
}

/// A shader in a message.
fn described(shader: &Shader) -> String {
    format!("`{}` of `{}`", shader.entry(), shader.name())
}

/// Checks whether something can be bound to a resource of that kind. `made_of` is the type of its values, if it is
/// known.
fn check(kind: &ResourceKind, slot: &Slot, made_of: Option<&Layout>) -> Result<(), BindProblem> {
    let bytes = slot.bytes.len();
    let view = kind.view();
    match view.contents {
        Contents::Sampler => match slot.what.sampler().is_some() && bytes == 0 {
            true => Ok(()),
            false => Err(BindProblem::NoSampler),
        },
        // Without a scene, every ray misses.
        Contents::Scene => match &slot.what {
            What::Memory { .. } | What::Scene(_) if bytes == 0 => Ok(()),
            _ => Err(BindProblem::NoScene),
        },
        Contents::Feedback => check_feedback(kind, slot),
        Contents::Texture => {
            let (dim, element) = view.texture();
            let shape = slot.what.texture().ok_or(BindProblem::NoTexture)?;
            check_format(shape.format, &element)?;
            check_shape(&shape, dim, bytes)
        }
        _ if !matches!(slot.what, What::Memory { .. }) => Err(BindProblem::NoBuffer),
        Contents::Constants if bytes < view.size as usize => {
            Err(BindProblem::TooSmall { bytes, needs: view.size as usize })
        }
        Contents::Buffer if view.address == AddressKind::Byte => {
            check_stride(bytes, &Layout::of(kind, slot.what.format()))
        }
        Contents::Constants | Contents::Buffer => {
            let declared = Layout::of(kind, slot.what.format());
            if view.contents == Contents::Buffer {
                check_stride(bytes, &declared)?;
            }
            // The size of a constant buffer need not be a multiple of its element type.
            let is_fitting = |made_of: &Layout| match view.contents {
                Contents::Constants => plain::holds(made_of, &declared),
                _ => plain::tiles(made_of, &declared),
            };
            match made_of.filter(|it| !is_fitting(it)) {
                Some(made_of) => Err(BindProblem::Element {
                    made_of: made_of.to_string(),
                    declared: declared.to_string(),
                }),
                None => Ok(()),
            }
        }
    }
}

/// Nothing at all is the null descriptor, to which writes do nothing.
fn check_feedback(kind: &ResourceKind, slot: &Slot) -> Result<(), BindProblem> {
    let ResourceKind::Feedback { kind, array } = *kind else {
        unreachable!("only these take feedback maps")
    };
    match slot.what.feedback() {
        Some(held) if held.map.kind != kind => Err(BindProblem::FeedbackKind {
            given: held.map.kind.constant(),
            declared: kind.constant(),
        }),
        Some(held) if !array && held.map.layers > 1 => Err(BindProblem::Shape),
        Some(_) => Ok(()),
        None if *slot == Slot::default() => Ok(()),
        None => Err(BindProblem::NoFeedback),
    }
}

fn check_stride(bytes: usize, layout: &Layout) -> Result<(), BindProblem> {
    match bytes.is_multiple_of(layout.stride) {
        true => Ok(()),
        false => Err(BindProblem::Stride { bytes, stride: layout.stride }),
    }
}

/// Whether texels of that format can be read as the declared type: integers as integers, and all others as floats.
// Spec: Direct3D 11.3 functional specification, 19.1.3.2 (format conversion): there is none between integers and
// floats.
fn check_format(format: Format, element: &Element) -> Result<(), BindProblem> {
    let is_float = matches!(element.scalar, HostScalar::F16 | HostScalar::F32 | HostScalar::F64);
    match format.is_integer() != is_float {
        true => Ok(()),
        false => {
            Err(BindProblem::Format { format: format.to_string(), declared: hlsl_name(element) })
        }
    }
}

/// The element type of a texture as HLSL spells it.
fn hlsl_name(element: &Element) -> String {
    let norm = match element.norm {
        Norm::None => "",
        Norm::Unorm => "unorm ",
        Norm::Snorm => "snorm ",
    };
    let count =
        if element.components == 1 { String::new() } else { element.components.to_string() };
    format!("{norm}{}{count}", Scalar::from(element.scalar).hlsl_name())
}

/// Checks whether a texture suits that kind, and has as many bytes as its shape requires.
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

/// Why a resource cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindError {
    /// The name that the caller gave.
    pub name: String,
    /// What is wrong.
    pub problem: BindProblem,
}

/// What is wrong with a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindProblem {
    /// The shader declares no resource of that name, or does not use it.
    NoSuchResource {
        /// A resource with a similar name.
        similar: Option<String>,
    },
    /// It is an alias, and names what is bound to the other resource.
    IsAlias {
        /// The other resource.
        of: String,
    },
    /// The values have other types or offsets than the shader declares.
    Element {
        /// The type that the buffer was created from.
        made_of: String,
        /// The type that the shader declares.
        declared: String,
    },
    /// The resource array has fewer elements.
    ElementOutOfRange {
        /// The requested element.
        element: u32,
        /// The number of elements.
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
        /// The size of the members.
        needs: usize,
    },
    /// What is bound to a texture is not a texture.
    NoTexture,
    /// What is bound to a buffer is a texture or a sampler.
    NoBuffer,
    /// The shader has no view of that kind in the descriptor heap.
    NoView,
    /// What is bound to a sampler is not a sampler.
    NoSampler,
    /// What is bound to an acceleration structure is not one.
    NoScene,
    /// What is bound to a feedback map is not one.
    NoFeedback,
    /// A feedback map records something else than the shader declares.
    FeedbackKind {
        /// The kind of the map, as HLSL names it.
        given: &'static str,
        /// The kind that the shader declares.
        declared: &'static str,
    },
    /// The texture's format cannot give values of the declared type: integers where floats are declared, or the
    /// reverse.
    Format {
        /// The texture's format, such as `RGBA8_UNORM`.
        format: String,
        /// What the shader declares, such as `uint`.
        declared: String,
    },
    /// No texture of the declared kind has that shape.
    Shape,
    /// The bytes are not those of the texture's shape.
    TextureBytes {
        /// The number of bytes.
        bytes: usize,
        /// The number of bytes that the shape requires.
        needs: usize,
    },
    /// The memory is lent for reading, and the shader may write to the resource.
    ReadOnly,
    /// A buffer beyond [`MOST_BYTES`].
    TooLarge {
        /// The size of the buffer.
        bytes: usize,
    },
}

impl fmt::Display for BindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.problem {
            BindProblem::NoSuchResource { similar } => {
                write!(f, "the shader uses no resource `{name}`")?;
                match similar {
                    Some(similar) => write!(f, "; did you mean `{similar}`?"),
                    None => Ok(()),
                }
            }
            BindProblem::IsAlias { of } => {
                write!(f, "`{name}` is an alias of `{of}`; bind the buffer to `{of}`")
            }
            BindProblem::Element { made_of, declared } => write!(
                f,
                "the elements of `{name}` are `{declared}`, but the buffer was created from `{made_of}`; \
                 make it of the shader's types, or of bytes"
            ),
            BindProblem::ElementOutOfRange { count: 1, .. } => {
                write!(f, "`{name}` is not an array of resources")
            }
            BindProblem::ElementOutOfRange { element, count } => {
                write!(f, "`{name}` has {count} elements; there is no `{name}[{element}]`")
            }
            BindProblem::Stride { bytes, stride } => {
                write!(f, "{bytes} bytes is not a multiple of the {stride}-byte stride of `{name}`")
            }
            BindProblem::TooSmall { bytes, needs } => {
                write!(f, "the members of `{name}` take {needs} bytes, but the buffer has {bytes}")
            }
            BindProblem::NoTexture => {
                write!(f, "`{name}` is a texture; bind a `Texture` to it")
            }
            BindProblem::NoBuffer => {
                write!(f, "`{name}` is a buffer; bind a `Buffer` to it")
            }
            BindProblem::NoView => {
                write!(f, "the shader has no view of that kind and size in `{name}`")
            }
            BindProblem::NoSampler => {
                write!(f, "`{name}` is a sampler; bind a `Sampler` to it")
            }
            BindProblem::NoScene => {
                write!(f, "`{name}` is an acceleration structure; bind one to it")
            }
            BindProblem::NoFeedback => {
                write!(f, "`{name}` is a feedback map; bind a `FeedbackMap` to it")
            }
            BindProblem::FeedbackKind { given, declared } => {
                write!(f, "`{name}` is declared with {declared}, but the map is one of {given}")
            }
            BindProblem::Format { format, declared } => write!(
                f,
                "a texture of format {format} cannot give `{name}` values of the declared type `{declared}`"
            ),
            BindProblem::Shape => {
                write!(
                    f,
                    "a texture of that size, with these layers and levels, cannot be bound to `{name}`"
                )
            }
            BindProblem::TextureBytes { bytes, needs } => {
                write!(f, "the texels of `{name}` take {needs} bytes, but {bytes} are bound")
            }
            BindProblem::ReadOnly => write!(
                f,
                "the shader may write to `{name}`, but the memory is lent for reading; lend writable memory"
            ),
            BindProblem::TooLarge { bytes } => {
                write!(f, "a buffer of {bytes} bytes is too large; the limit is {MOST_BYTES}")
            }
        }
    }
}

impl std::error::Error for BindError {}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Member, Register, RegisterClass};

    fn table_of(resources: Vec<Resource>) -> ResourceTable {
        let module = Module { resources, ..crate::pipeline::tests::empty_module() };
        ResourceTable::new(&Shader {
            module: Arc::new(module),
            name: "test".into(),
            specialization: Arc::default(),
            unreached: Arc::default(),
            patch: None,
        })
    }

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
                alias_of: None,
                used: true,
                span: diag::Span::NONE,
            })
            .collect();
        table_of(resources)
    }

    fn names<'a>(resources: &[&'a Resource]) -> Vec<&'a str> {
        resources.iter().map(|it| it.name.as_str()).collect()
    }

    fn buffer(bytes: usize) -> Buffer {
        Buffer::from_bytes(vec![7; bytes])
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
            table.bind_at(name, element, buffer(bytes)).err().map(|it| it.problem)
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
        assert_eq!(problem("D", 0, 0), Some(BindProblem::NoSuchResource { similar: None }));
    }

    #[test]
    fn a_heap_accepts_what_one_of_its_views_accepts() {
        let texture = ResourceKind::Texture {
            dim: TextureDim::D2,
            writable: false,
            element: Element { scalar: HostScalar::F32, components: 1, norm: Norm::None },
        };
        let table = table(&[
            ("Heap", ResourceKind::Raw { writable: false }, None),
            ("Heap", structured(8), None),
            ("Heap", texture, None),
        ]);
        let mut resources = table.resources().to_vec();
        for resource in &mut resources {
            resource.register.class = RegisterClass::ResourceHeap;
        }
        let mut table = table_of(resources);
        assert_eq!(names(&table.unbound()), ["Heap"]);
        table.bind_at("Heap", 3, buffer(8)).unwrap();
        assert!(table.unbound().is_empty());
        let problem = table.bind_at("Heap", 4, crate::Sampler::default()).unwrap_err().problem;
        assert_eq!(problem, BindProblem::NoView);
        let seen = |(at, _, cell): (usize, u32, &Arc<Cell>)| {
            table.seen_as(at, cell.lock().shape()).kind.writable()
        };
        let bound: Vec<bool> = table.cells().map(seen).collect();
        assert_eq!(bound, [true]);
    }

    #[test]
    fn a_format_must_give_what_the_shader_declares() {
        let texture = |scalar| ResourceKind::Texture {
            dim: TextureDim::D2,
            writable: false,
            element: Element { scalar, components: 1, norm: Norm::None },
        };
        let mut table = table(&[
            ("U", texture(HostScalar::U32), Some(1)),
            ("F", texture(HostScalar::F32), Some(1)),
        ]);
        let mut bind = |name, format| {
            let format = Format::parse(format).unwrap();
            let shape = TextureShape::new(format, 2, 2, 1);
            let slot = Slot {
                bytes: vec![0; shape.bytes().unwrap()].into(),
                what: What::texture_of(shape),
            };
            table.bind(name, slot).map_err(|it| it.to_string())
        };
        for (name, format) in [
            ("U", "R32_UINT"),
            ("U", "RGBA8_SINT"),
            ("U", "RGB10A2_UINT"),
            ("F", "R32_FLOAT"),
            ("F", "RGBA8_SNORM"),
            ("F", "RGBA8_SRGB"),
        ] {
            assert_eq!(bind(name, format), Ok(()), "{name} {format}");
        }
        for (name, format) in [("U", "RGBA8_UNORM"), ("U", "R32_FLOAT"), ("F", "R32_UINT")] {
            assert!(bind(name, format).is_err(), "{name} {format}");
        }
        assert_eq!(
            bind("U", "RGBA8_UNORM").unwrap_err(),
            "a texture of format RGBA8_UNORM cannot give `U` values of the declared type `uint`"
        );
    }

    #[test]
    fn engines_see_arrays_whole_and_give_back_what_was_bound() {
        let mut table = table(&[("A", structured(4), Some(3)), ("B", structured(4), None)]);
        assert_eq!(names(&table.unbound()), ["A", "B"]);
        let a = buffer(4);
        table.bind_at("A", 1, &a).unwrap();
        assert_eq!(names(&table.unbound()), ["B"]);
        table.bind_at("B", 2, buffer(8)).unwrap();
        assert!(table.unbound().is_empty());
        let (mut memory, places) = memory::lock(&[table.places()]);
        let mut bindings = memory.take(&places[0]).unwrap();
        let sizes: Vec<Vec<usize>> = bindings
            .bindings
            .iter()
            .map(|it| it.iter().map(|it| it.bytes.len()).collect())
            .collect();
        assert_eq!(sizes, [vec![0, 4, 0], vec![0, 0, 8]]);
        bindings.bindings[0][1].bytes[0] = 9;
        memory.put(&places[0], bindings, &table.module);
        drop(memory);
        assert_eq!(a.read_bytes().unwrap(), [9, 7, 7, 7]);
        assert!(table.cell("A", 0).is_none());
    }

    #[test]
    fn element_types_must_be_those_of_the_shader() {
        let element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::None };
        let typed = ResourceKind::Typed { writable: false, element };
        let mut table = table(&[
            ("Words", structured(4), Some(1)),
            ("Texels", typed, Some(1)),
            ("Raw", ResourceKind::Raw { writable: true }, Some(1)),
        ]);
        table.bind("Words", Buffer::from_slice(&[1u32, 2])).unwrap();
        let error = table.bind("Words", Buffer::from_slice(&[1.0f32])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the elements of `Words` are `u32`, but the buffer was created from `f32`; \
             make it of the shader's types, or of bytes"
        );
        table.bind("Texels", Buffer::zeroed::<f32>(8)).unwrap();
        table.bind("Texels", Buffer::zeroed::<[f32; 4]>(2)).unwrap();
        assert!(table.bind("Texels", Buffer::zeroed::<[f32; 3]>(4)).is_err());
        table.bind("Raw", Buffer::from_slice(&[1.0f64])).unwrap();
        let error = table.bind("Word", Buffer::zeroed::<u32>(1)).unwrap_err().to_string();
        assert_eq!(error, "the shader uses no resource `Word`; did you mean `Words`?");
    }
}
