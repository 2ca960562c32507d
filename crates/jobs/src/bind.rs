//! Binds the buffers of a job to the resources of its shader, and takes the results back.
//!
//! A resource binds by class, register and space, never by its name.

pub(crate) mod aliases;
pub(crate) mod attachment;
pub(crate) mod draw;
pub(crate) mod passes;

use wavelane::feedback::{FeedbackDesc, FeedbackMap};
use wavelane::internal::{Slot, Slots, What};
use wavelane::{
    AddressKind, Bindable, Contents, ElementFormat, FormatScalar, Layout, RegisterClass,
    Resource as Declared, ResourceKind, ResourceTable, Shader,
};

use wavelane::texture::{Channels, Encoding, Format, Shape};

use crate::job::{self, BindPoint, Job, Kind, Resource};
use crate::number::NumberFormat;
use crate::root::{Root, RootPlace};

/// The binding of one buffer of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The name of the shader's resource, and the index of its element.
    name: String,
    element: u32,
    /// The index among the job's buffers, and the index of its element.
    buffer: usize,
    part: usize,
    is_written: bool,
    has_counter: bool,
}

/// Why a job cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BindProblem(pub(crate) String);

/// The outcome of binding a job's resources.
pub(crate) struct Binding {
    pub(crate) table: ResourceTable,
    pub(crate) bound: Vec<Bound>,
    /// An ambiguity: it may explain unexpected results, but is not an error by itself.
    pub(crate) doubts: Vec<String>,
}

/// Binds every resource of the job.
pub(crate) fn bind(
    job: &Job,
    shader: &Shader,
    root: &Root,
    is_vulkan: bool,
) -> Result<Binding, BindProblem> {
    bind_with(job, shader, root, is_vulkan, None)
}

/// The same; a pass of several binds the memory that they share, but not where it binds another buffer itself.
fn bind_with<'a>(
    job: &'a Job,
    shader: &'a Shader,
    root: &Root,
    is_vulkan: bool,
    passing: Option<&mut passes::Passing<'_>>,
) -> Result<Binding, BindProblem> {
    let table = ResourceTable::new(shader);
    let doubts =
        if passing.is_none() { aliases::copies(job, shader, is_vulkan) } else { Vec::new() };
    let (bound, maps) = (Vec::new(), Vec::new());
    let mut binder = Binder { job, shader, is_vulkan, passing, table, bound, doubts, maps };
    for (set, resources) in job.sets.iter().enumerate() {
        for resource in resources {
            binder.resource(set, resource)?;
        }
    }
    binder.feedback_maps()?;
    push(job, shader, &mut binder.table)?;
    binder.root(root)?;
    let Binder { table, bound, doubts, .. } = binder;
    Ok(Binding { table, bound, doubts })
}

/// Where a resource is bound: the class, number and space of its register.
type Register = (RegisterClass, u32, u32);

/// A binding in progress.
struct Binder<'a, 'p, 'm> {
    job: &'a Job,
    shader: &'a Shader,
    is_vulkan: bool,
    passing: Option<&'p mut passes::Passing<'m>>,
    table: ResourceTable,
    bound: Vec<Bound>,
    doubts: Vec<String>,
    /// A map needs its texture, so maps are bound last.
    maps: Vec<(&'a Resource, job::Feedback, usize, Register)>,
}

impl<'a> Binder<'a, '_, '_> {
    fn resource(&mut self, set: usize, resource: &'a Resource) -> Result<(), BindProblem> {
        if self.is_vulkan
            && resource.has_counter
            && resource.vulkan.is_some_and(|it| it.counter.is_none())
        {
            let what = "No CounterBinding provided for resource";
            return Err(BindProblem(format!("{what} '{}' with a counter", resource.name)));
        }
        let at = place(resource, set, self.shader, self.is_vulkan);
        let (class, index, space) = at;
        // A heap may hold resources that a shader does not use.
        let is_taken =
            || declared(self.shader, class, index, space, resource.kind).next().is_some();
        if class.is_heap() && !is_taken() {
            self.doubts.push(not_taken(resource, self.shader, class, index));
        }
        match resource.kind {
            Kind::Sampler => {
                let state = resource.sampler.map(|it| &self.job.samplers[it]);
                return self.sampler(at, resource, state);
            }
            Kind::AccelerationStructure => return self.scenes(at, resource),
            // Vulkan has one binding for both; the sampler has the name of the texture.
            Kind::SampledTexture2D => {
                let state = self.job.samplers.iter().find(|it| it.name == resource.name);
                self.sampler((RegisterClass::Sampler, index, space), resource, state)?;
            }
            _ => {}
        }
        let Some(buffer) = resource.buffer else {
            let is = if resource.kind == Kind::SampledTexture2D { "is a texture and " } else { "" };
            return Err(BindProblem(format!("`{}` {is}has no buffer", resource.name)));
        };
        if let Some(feedback) = resource.feedback {
            if self.passing.is_some() {
                let what = format!(
                    "`{}` is a feedback map, which jobs bind to single dispatches only",
                    resource.name
                );
                return Err(BindProblem(what));
            }
            self.maps.push((resource, feedback, buffer, at));
            return Ok(());
        }
        for part in 0..self.job.buffers[buffer].data.len() {
            let register = index.saturating_add(part as u32);
            for declared in declared(self.shader, class, register, space, resource.kind) {
                let has_counter = resource.has_counter;
                let at = Bound { part, has_counter, ..bound_at(declared, register, buffer) };
                self.put(declared, at, Some(resource))?;
            }
        }
        Ok(())
    }

    /// Binds the state of a sampler.
    fn sampler(
        &mut self,
        at: Register,
        resource: &Resource,
        state: Option<&job::Sampler>,
    ) -> Result<(), BindProblem> {
        let slot = Slot::from(state.map_or_else(What::default, |it| What::Sampler(it.state)));
        bind_each(&mut self.table, self.shader, at, resource, slot)
    }

    /// Binds acceleration structures, an array element by element.
    fn scenes(
        &mut self,
        (class, index, space): Register,
        resource: &Resource,
    ) -> Result<(), BindProblem> {
        let elements = resource.scene.map_or(&[][..], |it| &self.job.scenes[it].elements);
        for (part, level) in elements.iter().enumerate() {
            let at = (class, index.saturating_add(part as u32), space);
            bind_each(&mut self.table, self.shader, at, resource, level)?;
        }
        Ok(())
    }

    fn feedback_maps(&mut self) -> Result<(), BindProblem> {
        for (resource, feedback, buffer, (class, index, space)) in std::mem::take(&mut self.maps) {
            for declared in declared(self.shader, class, index, space, resource.kind) {
                let at = Bound { is_written: true, ..bound_at(declared, index, buffer) };
                put_map(&mut self.table, &at, &feedback, self.job, &self.bound)?;
                self.bound.push(at);
            }
        }
        Ok(())
    }

    /// Binds the static samplers of a root signature, and the buffers that it binds itself.
    fn root(&mut self, root: &Root) -> Result<(), BindProblem> {
        let resources = self.shader.resources();
        let at = |place: &RootPlace| {
            resources.iter().find(|it| covers(it, place.class, place.index, place.space))
        };
        for (place, sampler) in &root.samplers {
            let Some(declared) = at(place) else { continue };
            let element = place.index - declared.register.index;
            let state = Slot::from(What::Sampler(*sampler));
            self.table
                .bind_at(&declared.name, element, state)
                .map_err(|error| BindProblem(error.to_string()))?;
        }
        for (buffer, place) in root.bindings(self.job).map_err(BindProblem)? {
            if let Some(declared) = at(&place) {
                self.put(declared, bound_at(declared, place.index, buffer), None)?;
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        declared: &Declared,
        at: Bound,
        resource: Option<&Resource>,
    ) -> Result<(), BindProblem> {
        if declared.alias_of.is_some() {
            // Its memory is bound under the other name.
            self.bound.push(at);
            return Ok(());
        }
        let passing = self.passing.as_deref_mut();
        if put(&mut self.table, declared, &at, self.job, resource, passing)? {
            self.bound.push(at);
        }
        Ok(())
    }
}

/// The binding of the only element of a buffer, without a counter.
fn bound_at(declared: &Declared, register: u32, buffer: usize) -> Bound {
    Bound {
        name: declared.name.clone(),
        element: register - declared.register.index,
        buffer,
        part: 0,
        is_written: declared.kind.writable(),
        has_counter: false,
    }
}

/// The class, number and space of a resource's register.
fn place(resource: &Resource, set: usize, shader: &Shader, is_vulkan: bool) -> Register {
    let class = class(resource.kind);
    match (resource.place, resource.vulkan) {
        // If the registers of Direct3D do not match, those of Vulkan may: a space is a descriptor set there.
        (BindPoint::Register { index, space }, Some(vulkan))
            if is_vulkan
                && declared(shader, class, index, space, resource.kind).next().is_none() =>
        {
            (class, vulkan.binding, u32::try_from(set).unwrap_or(u32::MAX))
        }
        (BindPoint::Register { index, space }, _) => (class, index, space),
        (BindPoint::Heap(index), _) if class == RegisterClass::Sampler => {
            (RegisterClass::SamplerHeap, index, 0)
        }
        (BindPoint::Heap(index), _) => (RegisterClass::ResourceHeap, index, 0),
    }
}

/// Binds the same to each resource of the shader at a register.
fn bind_each(
    table: &mut ResourceTable,
    shader: &Shader,
    (class, register, space): Register,
    resource: &Resource,
    what: impl Into<Bindable> + Clone,
) -> Result<(), BindProblem> {
    for declared in declared(shader, class, register, space, resource.kind) {
        table
            .bind_at(&declared.name, register - declared.register.index, what.clone())
            .map_err(|error| BindProblem(format!("`{}`: {error}", resource.name)))?;
    }
    Ok(())
}

/// Binds a feedback map with the decoded texels of its buffer.
fn put_map(
    table: &mut ResourceTable,
    at: &Bound,
    feedback: &job::Feedback,
    job: &Job,
    bound: &[Bound],
) -> Result<(), BindProblem> {
    let name = &job.buffers[at.buffer].name;
    let wrong = |what: String| BindProblem(format!("`{name}`: {what}"));
    let paired = bound.iter().find(|it| it.buffer == feedback.paired);
    let paired = paired.and_then(|it| table.texture_at(&it.name, it.element)).ok_or_else(|| {
        let paired = &job.buffers[feedback.paired].name;
        wrong(format!("its `PairedTexture`, `{paired}`, is not bound to a texture of the shader"))
    })?;
    let desc = FeedbackDesc { kind: feedback.kind, paired: &paired, region: feedback.region };
    let map = FeedbackMap::new(&desc).map_err(|it| wrong(it.to_string()))?;
    let texels = job.buffers[at.buffer].data.first().map_or(&[][..], Vec::as_slice);
    let needs: u32 = map.layers()
        * (0..map.levels()).map(|it| map.size(it).iter().product::<u32>()).sum::<u32>();
    if texels.len() != needs as usize {
        return Err(wrong(format!(
            "the decoded map has {needs} texels of a byte, and the buffer {} bytes",
            texels.len()
        )));
    }
    map.encode(texels).map_err(|it| wrong(it.to_string()))?;
    table.bind_at(&at.name, at.element, map).map_err(|it| wrong(it.to_string()))
}

/// Sets the push constants, which are placed by offset alone.
fn push(job: &Job, shader: &Shader, table: &mut ResourceTable) -> Result<(), BindProblem> {
    let values = job.push_constants.iter().flat_map(|it| &it.values);
    let mut bytes = Vec::new();
    for value in values {
        let at = value.offset as usize;
        let end = at + value.bytes.len();
        bytes.resize(bytes.len().max(end), 0);
        bytes[at..end].copy_from_slice(&value.bytes);
    }
    let mut all = shader.resources().iter();
    let Some(declared) = all.find(|it| it.used && it.register.class == RegisterClass::Push) else {
        return Ok(());
    };
    if let ResourceKind::Constant { size, .. } = declared.kind {
        bytes.resize(bytes.len().max(size as usize), 0);
    }
    table
        .bind_at(&declared.name, 0, Slot::new(bytes))
        .map_err(|error| BindProblem(format!("the push constants: {error}")))
}

/// Copies what the shader wrote back into the job.
pub(crate) fn take_back(job: &mut Job, table: &mut ResourceTable, bound: &[Bound]) {
    for at in bound.iter().filter(|it| it.is_written) {
        let Some(buffer) = table.get_mut(&at.name, at.element) else { continue };
        let decoded = buffer.what.feedback().map(|it| it.map.decode(&buffer.bytes));
        let target = &mut job.buffers[at.buffer];
        let elements = target.data.len();
        if let Some(bytes) = target.data.get_mut(at.part) {
            // A partial element at the end was not bound, and keeps its contents.
            let left = decoded.as_deref().unwrap_or(&buffer.bytes);
            let common = bytes.len().min(left.len());
            bytes[..common].copy_from_slice(&left[..common]);
        }
        if at.has_counter {
            target.counters.resize(elements, 0);
            target.counters[at.part] = buffer.what.counter().unwrap_or(0);
        }
    }
}

fn class(kind: Kind) -> RegisterClass {
    match kind {
        Kind::Buffer
        | Kind::StructuredBuffer
        | Kind::ByteAddressBuffer
        | Kind::Texture2D
        | Kind::SampledTexture2D
        | Kind::AccelerationStructure => RegisterClass::Shader,
        Kind::RwBuffer
        | Kind::RwStructuredBuffer
        | Kind::RwByteAddressBuffer
        | Kind::RwTexture2D
        | Kind::Feedback => RegisterClass::Unordered,
        Kind::ConstantBuffer => RegisterClass::Constant,
        Kind::Sampler => RegisterClass::Sampler,
    }
}

/// The resources of the shader for a register; for an index of a descriptor heap one view of it, if the shader
/// reads the heap as the kind of resource that the job puts there.
fn declared(
    shader: &Shader,
    class: RegisterClass,
    register: u32,
    space: u32,
    kind: Kind,
) -> impl Iterator<Item = &Declared> {
    let most = if class.is_heap() { 1 } else { usize::MAX };
    let all = shader.resources().iter().filter(move |it| covers(it, class, register, space));
    all.filter(move |it| !class.is_heap() || is_seen_as(it, kind)).take(most)
}

/// Reports that the shader reads nothing in a descriptor heap as the kind that the job puts there, and what it does
/// read.
fn not_taken(resource: &Resource, shader: &Shader, class: RegisterClass, index: u32) -> String {
    let views = shader.resources().iter().filter(|it| covers(it, class, index, 0));
    let mut kinds: Vec<&str> = views.filter_map(kind_of).map(Kind::name).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let taken = match kinds.as_slice() {
        [] => "nothing".to_owned(),
        kinds => format!("only `{}`", kinds.join("`, `")),
    };
    format!(
        "`{}` is a `{}` at index {index} of the descriptor heap, but the shader reads {taken} from it",
        resource.name,
        resource.kind.name()
    )
}

/// The name of such a resource in jobs, if there is one.
fn kind_of(declared: &Declared) -> Option<Kind> {
    const KINDS: [Kind; 11] = [
        Kind::Buffer,
        Kind::StructuredBuffer,
        Kind::ByteAddressBuffer,
        Kind::Texture2D,
        Kind::RwBuffer,
        Kind::RwStructuredBuffer,
        Kind::RwByteAddressBuffer,
        Kind::RwTexture2D,
        Kind::ConstantBuffer,
        Kind::Sampler,
        Kind::Feedback,
    ];
    KINDS.into_iter().find(|kind| is_seen_as(declared, *kind))
}

fn is_seen_as(declared: &Declared, kind: Kind) -> bool {
    let view = declared.kind.view();
    match (kind, view.address) {
        (Kind::Sampler, _) => view.contents == Contents::Sampler,
        (Kind::Feedback, _) => view.contents == Contents::Feedback,
        // For any dimensions.
        (Kind::Texture2D, AddressKind::Texture) => !view.writable,
        (Kind::RwTexture2D, AddressKind::Texture) => view.writable,
        _ => view.name == kind.name(),
    }
}

fn covers(declared: &Declared, class: RegisterClass, register: u32, space: u32) -> bool {
    let it = declared.register;
    let is_in_range = it.index <= register
        && declared.count.is_none_or(|count| register - it.index < count.max(1));
    declared.used && it.class == class && it.space == space && is_in_range
}

/// Binds a buffer, unless a pass binds a different one there.
fn put(
    table: &mut ResourceTable,
    declared: &Declared,
    at: &Bound,
    job: &Job,
    resource: Option<&Resource>,
    passing: Option<&mut passes::Passing<'_>>,
) -> Result<bool, BindProblem> {
    if let Some(passing) = passing {
        let is_own = !passing.is_rebound(&at.name, at.element);
        if is_own {
            let put = passing.put(table, declared, at, job);
            put.map_err(|error| BindProblem(error.message))?;
        }
        return Ok(is_own);
    }
    let source = &job.buffers[at.buffer];
    let mut bytes = source.data[at.part].clone();
    let mut what = What::default();
    // Only the mapped tiles of a reserved resource exist: beyond them loads give 0 and stores have no effect.
    if let Some(resource) = resource
        && resource.is_reserved
        && let Some(tiles) = resource.tiles
    {
        bytes.truncate((tiles as usize).saturating_mul(TILE));
    }
    match &declared.kind {
        // A constant buffer is padded, like a device's memory.
        ResourceKind::Constant { size, .. } => {
            bytes.resize(bytes.len().max(*size as usize), 0);
        }
        kind @ (ResourceKind::Structured { .. } | ResourceKind::Raw { .. }) => {
            let stride = Layout::of(kind, None).stride.max(1);
            bytes.truncate(bytes.len() / stride * stride);
        }
        ResourceKind::Typed { .. } => {
            let scalar = texel(source.format);
            if !(1..=4).contains(&source.channels) {
                let what = format!("`{}` has {} channels", source.name, source.channels);
                return Err(BindProblem(format!("{what}; a texel has 1 to 4")));
            }
            let format = Some(ElementFormat { scalar, components: source.channels });
            what = What::Memory { format, counter: 0 };
            let texel = source.format.bytes() * source.channels as usize;
            bytes.truncate(bytes.len() / texel * texel);
        }
        ResourceKind::Texture { dim, .. } => {
            what = What::texture_of(shape(source, dim.is_array())?);
        }
        ResourceKind::Sampler { .. } => {
            return Err(BindProblem(format!("`{}` is not a sampler", source.name)));
        }
        ResourceKind::Scene => {
            let what = format!("`{}` is not an acceleration structure", source.name);
            return Err(BindProblem(what));
        }
        ResourceKind::Feedback { .. } => {
            let what = format!("`{}` is not a feedback map", source.name);
            return Err(BindProblem(what));
        }
    }
    let buffer = Slot { bytes: bytes.into(), what };
    table
        .bind_at(&at.name, at.element, buffer)
        .map(|()| true)
        .map_err(|error| BindProblem(format!("`{}`: {error}", source.name)))
}

/// The size and format of a texture, from its `OutputProps`; the layers of an array count as its depth.
fn shape(source: &job::Buffer, is_array: bool) -> Result<Shape, BindProblem> {
    let size = source.texture.ok_or_else(|| {
        BindProblem(format!("`{}` is bound to a texture but has no `OutputProps`", source.name))
    })?;
    let format = texel_format(source).map_err(BindProblem)?;
    let levels = size.mips;
    let (depth, layers) = if is_array { (1, size.depth) } else { (size.depth, 1) };
    Ok(Shape { levels, layers, ..Shape::new(format, size.width, size.height, depth) })
}

/// The format of a texel of such numbers.
pub(crate) fn texel_format(source: &job::Buffer) -> Result<Format, String> {
    match source.channels {
        1..=4 => Ok(texel_format_of(source.format, source.channels)),
        channels => Err(format!("`{}` has {channels} channels; a texel has 1 to 4", source.name)),
    }
}

/// The numbers of a texel in the words of jobs: their format, and how many there are.
pub(crate) fn numbers_of(texel: Format) -> Option<(NumberFormat, u32)> {
    let all = NumberFormat::NAMES.iter().flat_map(|it| (1..=4).map(|channels| (it.1, channels)));
    let is_it =
        |(format, channels): &(NumberFormat, u32)| texel_format_of(*format, *channels) == texel;
    all.into_iter().find(is_it)
}

/// The same for 1 to 4 channels.
fn texel_format_of(format: NumberFormat, channels: u32) -> Format {
    let encoding = match format {
        NumberFormat::Float16
        | NumberFormat::Float32
        | NumberFormat::Float64
        | NumberFormat::Depth32 => Encoding::Float,
        NumberFormat::Int16 | NumberFormat::Int32 | NumberFormat::Int64 => Encoding::Sint,
        NumberFormat::Hex8
        | NumberFormat::Hex16
        | NumberFormat::Hex32
        | NumberFormat::Hex64
        | NumberFormat::UInt16
        | NumberFormat::UInt32
        | NumberFormat::UInt64
        | NumberFormat::Bool => Encoding::Uint,
    };
    let bits = 8 * format.bytes() as u8;
    let channels = Channels::of(channels).unwrap_or(Channels::Rgba);
    Format::Plain { channels, bits, encoding }
}

/// The size of a tile of a reserved resource in bytes.
const TILE: usize = 65536;

fn texel(format: NumberFormat) -> FormatScalar {
    match format {
        NumberFormat::Hex8 => FormatScalar::Uint8,
        NumberFormat::Hex16 | NumberFormat::UInt16 => FormatScalar::Uint16,
        NumberFormat::Hex32 | NumberFormat::UInt32 | NumberFormat::Bool => FormatScalar::Uint32,
        NumberFormat::Hex64 | NumberFormat::UInt64 => FormatScalar::Uint64,
        NumberFormat::Int16 => FormatScalar::Int16,
        NumberFormat::Int32 => FormatScalar::Int32,
        NumberFormat::Int64 => FormatScalar::Int64,
        NumberFormat::Float16 => FormatScalar::Float16,
        NumberFormat::Float32 | NumberFormat::Depth32 => FormatScalar::Float32,
        NumberFormat::Float64 => FormatScalar::Float64,
    }
}
