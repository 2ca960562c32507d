//! From `--bind`, `--set` and `--counter` to the buffers of a run.
//!
//! Mistakes in them are reported before anything runs, with the declaration concerned.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;

use wavelane::internal::{Counting, Slot, Slots};
use wavelane::{
    Adapter, AddressKind, Contents, Device, Dispatch, Element, Format, FormatScalar, HostScalar,
    Layout, MOST_BYTES, Member, Norm, Resource, ResourceKind, ResourceTable, Scalar, Shader,
    SourceMap,
};

use crate::asked::Binds;
use crate::auto::{Auto, Made, Maker};
use crate::missing::{Unused, described, how_to_bind, is_read, tell_about_zeros, unbound, unknown};
use crate::number;
use crate::problem::{Exit, Problem};
use crate::terminal;
use crate::value::{self, Content, Value, counted};

/// What is bound, and how to print it.
pub(crate) struct Bound {
    pub(crate) table: ResourceTable,
    /// Raw buffers whose values were given as another type than `u32`.
    shown: Vec<(String, u32, Scalar)>,
    /// What was made up, if that was asked for.
    pub(crate) auto: Option<Auto>,
}

impl Bound {
    /// The type in which a buffer without an element type is printed.
    pub(crate) fn shown_as(&self, resource: &str, element: u32) -> Option<Scalar> {
        self.shown
            .iter()
            .find(|(name, at, _)| name == resource && *at == element)
            .map(|(.., scalar)| *scalar)
    }
}

/// Binds everything that the command line gives for a dispatch of these groups, makes up what is missing if that is asked
/// for, and checks that nothing else is missing.
pub(crate) fn bind(
    args: &Binds,
    groups: [u32; 3],
    shader: &Shader,
    sources: &SourceMap,
) -> Result<Bound, Problem> {
    let mut bound = Bound { table: ResourceTable::new(shader), shown: Vec::new(), auto: None };
    let mut unused = Unused::default();
    for (name, text) in &args.binds {
        bind_one(name, text, shader, sources, &mut bound, &mut unused)?;
    }
    match args.auto {
        Some(seed) => make_up(seed, args, groups, shader, sources, &mut bound, &mut unused)?,
        None => {
            let touched = set_members(args, shader, sources, &mut bound.table, &mut unused)?;
            for ((name, _), set) in &touched {
                tell_about_zeros(name, set, shader);
            }
            set_counters(args, shader, sources, &mut bound.table, &mut unused)?;
        }
    }
    let missing = bound.table.unbound();
    if missing.is_empty() {
        return Ok(bound);
    }
    let made = maker(1, groups, shader, &bound.table).make().ok();
    Err(unbound(&missing, args, made.as_ref(), shader, sources))
}

/// What would make up what a table lacks.
fn maker<'a>(seed: u64, groups: [u32; 3], shader: &'a Shader, table: &ResourceTable) -> Maker<'a> {
    let given: BTreeSet<String> = table.iter().map(|(it, ..)| it.name.clone()).collect();
    let elements = table.iter().filter_map(|(resource, _, slot)| {
        let address = resource.kind.view().address;
        matches!(address, AddressKind::Element | AddressKind::Texel).then(|| {
            let stride = Layout::of(&resource.kind, slot.format).stride;
            (slot.bytes.len() / stride) as u64
        })
    });
    let smallest = elements.filter(|it| *it > 1).min();
    Maker::new(shader, groups, seed, |name| given.contains(name), smallest)
}

/// How often made-up buffers grow or shrink: each of them from one element to the most there are, and back.
const MOST_GROWTHS: usize = 24;
/// The wave-instructions that may be run to find out what is accessed beyond its end.
const TRIAL: u64 = 1 << 14;

/// Binds what is made up, at sizes that the code stays within as far as sizes help.
fn make_up(
    seed: u64,
    args: &Binds,
    groups: [u32; 3],
    shader: &Shader,
    sources: &SourceMap,
    bound: &mut Bound,
    unused: &mut Unused,
) -> Result<(), Problem> {
    let mut maker = maker(seed, groups, shader, &bound.table);
    let device = Device::new(Adapter::reference());
    let pipeline = device.create_compute_pipeline(shader).ok();
    for _ in 0..MOST_GROWTHS {
        let auto = maker.make()?;
        put(&auto, shader, sources, bound)?;
        set_members(args, shader, sources, &mut bound.table, unused)?;
        set_counters(args, shader, sources, &mut bound.table, unused)?;
        bound.auto = Some(auto);
        let dispatch = Dispatch::new(groups);
        let trial =
            pipeline.as_ref().and_then(|it| Counting::of(it, &dispatch, &bound.table, TRIAL));
        let Some(missed) = trial.and_then(Counting::count) else { break };
        if !maker.grow(&missed) {
            break;
        }
    }
    Ok(())
}

/// Binds what was made up as if the command line had said it.
fn put(
    auto: &Auto,
    shader: &Shader,
    sources: &SourceMap,
    bound: &mut Bound,
) -> Result<(), Problem> {
    let cannot = |made: &Made, problem: Problem| {
        let what = format!("`--auto` cannot make up `{}`: {}", made.name, problem.message);
        Problem { exit: Exit::Unsupported, message: what, ..problem }
    };
    for made in auto.made.iter().filter(|it| !it.is_constant) {
        let (base, element) = split_element(&made.name)?;
        let known = shader.resource(base).map(|(_, it)| it);
        let Some(resource) = known else { unreachable!("a resource of the shader is made up") };
        contents_of(resource, shader, base, &made.value)
            .and_then(|slot| put_slot(bound, base, element, slot))
            .map_err(|what| cannot(made, Problem::input(what)))?;
        if let (Some(counter), Some(mut slot)) = (made.counter, bound.table.get_mut(base, element))
        {
            slot.counter = counter;
        }
    }
    let sets = auto.made.iter().filter(|it| it.is_constant);
    let sets = sets.map(|it| (it.name.clone(), it.value.clone())).collect();
    let (args, mut unused) = (Binds { sets, ..Binds::default() }, Unused::silent());
    set_members(&args, shader, sources, &mut bound.table, &mut unused)?;
    Ok(())
}

fn set_counters(
    args: &Binds,
    shader: &Shader,
    sources: &SourceMap,
    table: &mut ResourceTable,
    unused: &mut Unused,
) -> Result<(), Problem> {
    for (name, count) in &args.counters {
        let (base, element) = split_element(name)?;
        if let Some(resource) = shader.unreached().iter().find(|it| it.name == base) {
            unused.resource(resource, shader, sources);
            continue;
        }
        let Some(mut buffer) = table.get_mut(base, element) else {
            return Err(Problem::input(format!(
                "`--counter {name}={count}`: no buffer `{name}` is bound"
            )));
        };
        buffer.counter = *count;
    }
    Ok(())
}

fn bind_one(
    name: &str,
    text: &str,
    shader: &Shader,
    sources: &SourceMap,
    bound: &mut Bound,
    unused: &mut Unused,
) -> Result<(), Problem> {
    let (base, element) = split_element(name)?;
    let Some((_, resource)) = shader.resource(base) else {
        if let Some(resource) = shader.unreached().iter().find(|it| it.name == base) {
            unused.resource(resource, shader, sources);
            return Ok(());
        }
        if unused.opaque(base, shader, sources) {
            return Ok(());
        }
        let known = shader.resources().iter().chain(shader.unreached());
        let known = known.map(|it| it.name.as_str());
        let known = known.chain(shader.opaque().iter().map(|it| it.name.as_str()));
        return Err(unknown(&format!("the shader has no buffer `{base}`"), base, known));
    };
    if !resource.used && !resource.register.class.is_heap() {
        unused.resource(resource, shader, sources);
    }
    let fail = |what: String| {
        Problem::input(format!("`--bind {name}={}`: {what}", shortened(text))).at(
            resource.span,
            "declared here",
            sources,
        )
    };
    if bound.table.get(base, element).is_some() {
        return Err(fail("it is bound twice".to_owned()));
    }
    tell_about_brackets(name, text, &resource.kind);
    let slot = contents_of(resource, shader, base, text).map_err(fail)?;
    let fitting = put_slot(bound, base, element, slot);
    fitting.map_err(|what| match resource.kind.view().contents {
        Contents::Texture => fail(what).help(how_to_bind(resource)),
        Contents::Constants | Contents::Buffer | Contents::Sampler | Contents::Scene => fail(what),
    })
}

/// What a VALUE makes for a resource, and for raw buffers the type to show it in.
fn contents_of(
    resource: &Resource,
    shader: &Shader,
    base: &str,
    text: &str,
) -> Result<(Slot, Option<Scalar>), String> {
    if resource.register.class.is_heap() {
        return in_heap(resource, shader, text);
    }
    if resource.kind.view().contents == Contents::Scene {
        return crate::scene::contents(text, &mut open).map(|slot| (slot, None));
    }
    if !resource.kind.view().is_buffer() {
        return crate::texture::contents(resource, text, &mut open).map(|slot| (slot, None));
    }
    let value = value::parse(text, &mut open)?;
    if let (ResourceKind::Structured { .. }, Some(given)) = (&resource.kind, value.scalar) {
        let declared = Layout::of(&resource.kind, None).only().unwrap_or(given);
        if declared.is_float() != given.is_float() {
            let (given, declared) = (given.name(), declared.name());
            terminal::warn(&format!(
                "`{base}` holds {declared}; `{given}:` gives it the bit patterns of {given}"
            ));
        }
    }
    contents(resource, value)
}

fn put_slot(
    bound: &mut Bound,
    base: &str,
    element: u32,
    (slot, shown): (Slot, Option<Scalar>),
) -> Result<(), String> {
    bound.table.bind_at(base, element, slot).map_err(|error| error.to_string())?;
    bound.shown.retain(|(name, at, _)| name != base || *at != element);
    bound.shown.extend(shown.map(|scalar| (base.to_owned(), element, scalar)));
    Ok(())
}

/// `Dst=100` is one element with that value; for a hundred elements, the brackets are missing.
fn tell_about_brackets(name: &str, text: &str, kind: &ResourceKind) {
    let is_buffer = kind.view().contents == Contents::Buffer;
    if let Ok(number @ 2..) = text.trim().parse::<u64>()
        && is_buffer
    {
        terminal::note(&format!(
            "`--bind {name}={number}` is one element with the value {number}; `--bind '{name}=[{number}]'` makes {number} \
             elements"
        ));
    }
}

/// An element of a descriptor heap: the first of the shader's views of the heap that the value suits.
fn in_heap(heap: &Resource, shader: &Shader, text: &str) -> Result<(Slot, Option<Scalar>), String> {
    let class = heap.register.class;
    let mut first = None;
    for view in shader.resources().iter().filter(|it| it.used && it.register.class == class) {
        let found = match view.kind.view().is_buffer() {
            true => value::parse(text, &mut open).and_then(|value| contents(view, value)),
            false => crate::texture::contents(view, text, &mut open).map(|buffer| (buffer, None)),
        };
        match found {
            Ok(found) => return Ok(found),
            Err(what) => first = first.or(Some(what)),
        }
    }
    Err(first.unwrap_or_else(|| "the shader has no view of this heap".to_owned()))
}

/// `Name` or `Name[k]`.
fn split_element(name: &str) -> Result<(&str, u32), Problem> {
    let Some((base, index)) = name.split_once('[') else { return Ok((name, 0)) };
    let index = index.strip_suffix(']').and_then(|it| it.trim().parse().ok());
    let index = index
        .ok_or_else(|| Problem::input(format!("expected `Name` or `Name[k]`, not `{name}`")))?;
    Ok((base, index))
}

/// The text of a value in messages, truncated because a list can be long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The most bytes to read from a pipe or a device, which may be endless.
const MOST_STREAMED: u64 = 64 << 20;

fn open(path: &str) -> Result<Vec<u8>, String> {
    let cannot = |error| format!("`{path}` cannot be read: {error}");
    let too_large = || format!("`{path}` is too large; the limit is {MOST_BYTES} bytes");
    let file = File::open(path).map_err(cannot)?;
    let about = file.metadata().map_err(cannot)?;
    if about.is_file() && about.len() > MOST_BYTES as u64 {
        return Err(too_large());
    }
    let most = if about.is_file() { MOST_BYTES as u64 } else { MOST_STREAMED };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    match bytes.len() as u64 > most {
        false => Ok(bytes),
        true if about.is_file() => Err(too_large()),
        true => Err(format!(
            "`{path}` is not a regular file and did not end within {} MiB",
            MOST_STREAMED >> 20
        )),
    }
}

/// The buffer for a resource from a value, and for raw buffers the type in which to print it.
fn contents(resource: &Resource, value: Value) -> Result<(Slot, Option<Scalar>), String> {
    let kind = &resource.kind;
    let view = kind.view();
    let (layout, format, shown) = match (view.contents, view.element, value.scalar) {
        (Contents::Buffer, _, given) if view.address == AddressKind::Byte => {
            (Layout::uniform(given.unwrap_or(Scalar::U32), 1), None, given)
        }
        (Contents::Buffer, Some(element), Some(given)) => {
            let scalar = format(&element, given)?;
            let format = Format { scalar, components: element.components };
            (Layout::of(kind, Some(format)), Some(format), None)
        }
        (Contents::Buffer | Contents::Constants, _, Some(given)) => {
            (Layout::uniform(given, 1), None, None)
        }
        (Contents::Texture | Contents::Sampler | Contents::Scene, _, Some(_)) => {
            unreachable!("textures, samplers and scenes are bound elsewhere")
        }
        (_, _, None) => (Layout::of(kind, None), None, None),
    };
    let least = view.size as usize;
    let mut bytes = match value.content {
        Content::Bytes(bytes) => bytes,
        _ => fill(&resource.name, kind, &layout, &value)?,
    };
    bytes.resize(bytes.len().max(least), 0);
    Ok((Slot { bytes: bytes.into(), format, ..Slot::default() }, shown))
}

fn fill(
    name: &str,
    kind: &ResourceKind,
    layout: &Layout,
    value: &Value,
) -> Result<Vec<u8>, String> {
    let each = layout.scalars.len();
    let count = match (value.count, value.len()) {
        // With a type in the value the brackets count scalars, otherwise elements of the declaration.
        (Some(count), _) if value.scalar.is_some() => count,
        (Some(count), _) => count.checked_mul(each).ok_or("it is too large")?,
        (None, Some(given)) => given,
        (None, None) if matches!(kind, ResourceKind::Constant { .. }) => each,
        (None, None) => {
            return Err(format!(
                "its size is not known; give the number of elements, as in `{name}=[64]:…`"
            ));
        }
    };
    if count % each != 0 {
        return Err(format!(
            "{} do not fill whole elements of {each} scalars",
            counted(count, "value")
        ));
    }
    let size = (count / each).checked_mul(layout.stride).filter(|it| *it <= MOST_BYTES);
    let size = size.ok_or_else(|| format!("it is too large; the limit is {MOST_BYTES} bytes"))?;
    let mut bytes = vec![0; size];
    value.for_each_scalar(
        count,
        |i| layout.scalars[i % each].1,
        |i, bits| {
            let (offset, scalar) = layout.scalars[i % each];
            number::write(bits, scalar, &mut bytes[i / each * layout.stride + offset..]);
        },
    )?;
    Ok(bytes)
}

/// The format of a typed buffer with that type in memory.
fn format(element: &Element, given: Scalar) -> Result<FormatScalar, String> {
    let is_float = matches!(element.scalar, HostScalar::F16 | HostScalar::F32 | HostScalar::F64);
    let format = match (is_float, element.norm, given) {
        (true, _, Scalar::F16) => FormatScalar::Float16,
        (true, _, Scalar::F32) => FormatScalar::Float32,
        (true, _, Scalar::F64) => FormatScalar::Float64,
        (true, Norm::Unorm, Scalar::U8) => FormatScalar::Unorm8,
        (true, Norm::Unorm, Scalar::U16) => FormatScalar::Unorm16,
        (true, Norm::Snorm, Scalar::I8) => FormatScalar::Snorm8,
        (true, Norm::Snorm, Scalar::I16) => FormatScalar::Snorm16,
        (false, _, Scalar::I8) => FormatScalar::Int8,
        (false, _, Scalar::I16) => FormatScalar::Int16,
        (false, _, Scalar::I32) => FormatScalar::Int32,
        (false, _, Scalar::I64) => FormatScalar::Int64,
        (false, _, Scalar::U8) => FormatScalar::Uint8,
        (false, _, Scalar::U16) => FormatScalar::Uint16,
        (false, _, Scalar::Bool | Scalar::U32) => FormatScalar::Uint32,
        (false, _, Scalar::U64) => FormatScalar::Uint64,
        (true, _, _) => {
            return Err(format!(
                "a typed buffer of floats has no format of {}; declared as `unorm` it takes u8 and u16, as `snorm` i8 and i16",
                given.name()
            ));
        }
        (false, _, _) => {
            return Err(format!("a typed buffer of integers has no format of {}", given.name()));
        }
    };
    Ok(format)
}

/// The target of a `--set`.
struct Target<'a> {
    resource: &'a Resource,
    element: u32,
    member: &'a Member,
    /// Indices into the member's array.
    indices: Vec<u32>,
}

/// The buffers that were not bound before, with the members that were set.
type Touched = BTreeMap<(String, u32), Vec<String>>;

fn set_members(
    args: &Binds,
    shader: &Shader,
    sources: &SourceMap,
    table: &mut ResourceTable,
    unused: &mut Unused,
) -> Result<Touched, Problem> {
    let mut touched = Touched::new();
    for (path, text) in &args.sets {
        let target = match find_member(path, shader) {
            Ok(target) => target,
            Err(_) if unused.opaque(base_of(path), shader, sources) => continue,
            Err(problem) => return Err(problem),
        };
        match shader.resource(&target.resource.name) {
            None => {
                unused.member(&target.member.name, target.resource, shader, sources);
                continue;
            }
            Some((index, _)) if !is_read(shader, index, target.member) => {
                unused.member(&target.member.name, target.resource, shader, sources);
            }
            Some(_) => {}
        }
        let (name, element) = (&target.resource.name, target.element);
        let fail =
            |what: String| Problem::input(format!("`--set {path}={}`: {what}", shortened(text)));
        let offsets = Layout::offsets_of(target.member, &target.indices);
        let offsets = offsets
            .ok_or_else(|| fail(format!("`{}` is out of range", described(target.member))))?;
        let scalar = Scalar::from(target.member.scalar);
        let value = value::parse(text, &mut open).map_err(fail)?;
        if value.scalar.is_some_and(|it| it != scalar) {
            return Err(fail(format!("the member is a {}", scalar.name())));
        }
        if let Some(count) = value.count.filter(|it| *it != offsets.len()) {
            return Err(fail(format!(
                "{} for {}",
                counted(count, "value"),
                counted(offsets.len(), "scalar")
            )));
        }
        if table.get(name, element).is_none() {
            let ResourceKind::Constant { size, .. } = target.resource.kind else { continue };
            let buffer = Slot { bytes: vec![0; size as usize].into(), ..Slot::default() };
            table.bind_at(name, element, buffer).map_err(|error| fail(error.to_string()))?;
            touched.insert((name.clone(), element), Vec::new());
        }
        let Some(mut buffer) = table.get_mut(name, element) else { continue };
        value
            .for_each_scalar(
                offsets.len(),
                |_| scalar,
                |i, bits| {
                    if let Some(to) =
                        buffer.bytes.get_mut(offsets[i]..).filter(|it| it.len() >= scalar.bytes())
                    {
                        number::write(bits, scalar, to);
                    }
                },
            )
            .map_err(|what| fail(format!("{what}; `{}`", described(target.member))))?;
        if let Some(members) = touched.get_mut(&(name.clone(), element)) {
            members.push(target.member.name.clone());
        }
    }
    Ok(touched)
}

/// `Count` of `Count[2]`, and `Lights` of `Lights[1].Color`.
fn base_of(path: &str) -> &str {
    path.split(['[', '.']).next().unwrap_or(path)
}

fn find_member<'a>(path: &str, shader: &'a Shader) -> Result<Target<'a>, Problem> {
    let (name, mut indices) = plain_path(path)?;
    let members_of = |resources: &'a [Resource]| {
        resources.iter().flat_map(|resource| match &resource.kind {
            ResourceKind::Constant { members, .. } => {
                members.iter().map(move |it| (resource, it)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        })
    };
    let all = || members_of(shader.resources()).chain(members_of(shader.unreached()));
    let full = |resource: &Resource, member: &Member| format!("{}.{}", resource.name, member.name);
    let is_meant = |(resource, member): &(&Resource, &Member)| {
        member.name == name || full(resource, member) == name
    };
    let mut fitting: Vec<(&Resource, &Member)> =
        members_of(shader.resources()).filter(is_meant).collect();
    if fitting.is_empty() {
        fitting = members_of(shader.unreached()).filter(is_meant).collect();
    }
    match fitting.as_slice() {
        [(resource, member)] => {
            let is_array = resource.count != Some(1);
            let by_object = full(resource, member) == name && member.name != name;
            let element =
                if is_array && by_object && !indices.is_empty() { indices.remove(0) } else { 0 };
            Ok(Target { resource, element, member, indices })
        }
        [] => {
            if let Some((_, resource)) = shader.resource(&name) {
                let problem =
                    Problem::input(format!("`--set` sets members, but `{name}` is a whole buffer"));
                return Err(problem.help(how_to_bind(resource)));
            }
            let names: Vec<String> = all().map(|(_, member)| member.name.clone()).collect();
            let names = names.iter().map(String::as_str);
            Err(unknown(&format!("no constant buffer has a member `{path}`"), &name, names))
        }
        several => {
            let names: Vec<String> =
                several.iter().map(|(resource, member)| full(resource, member)).collect();
            Err(Problem::input(format!("`{path}` is ambiguous"))
                .help(format!("the members are: {}", names.join(", "))))
        }
    }
}

/// `Lights[1].Color` is the member `Lights.Color` with the index 1.
fn plain_path(path: &str) -> Result<(String, Vec<u32>), Problem> {
    let fail = || {
        Problem::input(format!("`{path}` is not the path of a member, such as `Lights[1].Color`"))
    };
    let mut name = String::new();
    let mut indices = Vec::new();
    for part in path.split('.') {
        let mut pieces = part.split('[');
        let word = pieces.next().unwrap_or("").trim();
        if word.is_empty() {
            return Err(fail());
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(word);
        for index in pieces {
            let index = index.trim().strip_suffix(']').and_then(|it| it.trim().parse().ok());
            indices.push(index.ok_or_else(fail)?);
        }
    }
    Ok((name, indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structured(members: Vec<Member>, stride: u32) -> Resource {
        let kind = ResourceKind::Structured { writable: true, stride, members, counter: false };
        resource(kind)
    }

    fn resource(kind: ResourceKind) -> Resource {
        let register =
            wavelane::Register { class: wavelane::RegisterClass::Unordered, index: 0, space: 0 };
        Resource {
            name: "Data".to_owned(),
            kind,
            count: Some(1),
            register,
            chosen: Default::default(),
            globally_coherent: false,
            used: true,
            span: wavelane::Span::NONE,
        }
    }

    fn member(name: &str, offset: u32, scalar: HostScalar, components: u32) -> Member {
        let name = name.to_owned();
        Member {
            name,
            offset,
            scalar,
            components,
            vectors: 1,
            vector_stride: 0,
            row_major: false,
            dims: Vec::new(),
        }
    }

    fn bytes(resource: &Resource, text: &str) -> Result<Vec<u8>, String> {
        let value = value::parse(text, &mut |_| Ok(vec![1, 2, 3, 4]))?;
        contents(resource, value).map(|(buffer, _)| buffer.bytes.into())
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    #[test]
    fn the_declaration_tells_types_and_sizes() {
        let floats = structured(vec![member("", 0, HostScalar::F32, 1)], 4);
        assert_eq!(bytes(&floats, "1,2"), Ok(words(&[0x3f80_0000, 0x4000_0000])));
        assert_eq!(bytes(&floats, "[2]:fill(1)"), Ok(words(&[0x3f80_0000; 2])));
        assert_eq!(bytes(&floats, "u32:1"), Ok(words(&[1])));
        assert_eq!(bytes(&floats, "@x.bin"), Ok(vec![1, 2, 3, 4]));
        let message = bytes(&floats, ":fill(1)").unwrap_err();
        assert!(message.contains("`Data=[64]:…`"), "{message}");
        assert!(bytes(&floats, "[999999999]").unwrap_err().contains("too large"));
    }

    #[test]
    fn structures_take_flat_lists_by_their_members() {
        let members =
            vec![member("p", 0, HostScalar::F32, 2), member("id", 12, HostScalar::U32, 1)];
        let structures = structured(members, 16);
        let expected = words(&[0x3f80_0000, 0x4000_0000, 0, 3, 0, 0, 0, 4]);
        assert_eq!(bytes(&structures, "1,2,3,0,0,4"), Ok(expected));
        assert_eq!(bytes(&structures, "[2]").map(|it| it.len()), Ok(32));
        assert!(bytes(&structures, "1,2").unwrap_err().contains("do not fill whole elements"));
        assert!(bytes(&structures, "1,2,3.5").unwrap_err().contains("`3.5` is not a valid u32"));
    }

    #[test]
    fn raw_buffers_take_every_type_and_typed_buffers_formats() {
        let raw = resource(ResourceKind::Raw { writable: true });
        assert_eq!(bytes(&raw, "1"), Ok(words(&[1])));
        assert_eq!(bytes(&raw, "u8:1,2,3,4"), Ok(vec![1, 2, 3, 4]));
        let element = Element { scalar: HostScalar::F32, components: 4, norm: Norm::Unorm };
        let typed = resource(ResourceKind::Typed { writable: false, element });
        let value = value::parse("u8:0,255,0,255", &mut |_| Err(String::new())).unwrap();
        let (buffer, _) = contents(&typed, value).unwrap();
        assert_eq!(buffer.format, Some(Format { scalar: FormatScalar::Unorm8, components: 4 }));
        assert!(bytes(&typed, "u32:0,0,0,0").unwrap_err().contains("no format of u32"));
    }

    #[test]
    fn paths_of_members_lose_their_indices() {
        assert_eq!(plain_path("A[1].B[2][3]").ok(), Some(("A.B".to_owned(), vec![1, 2, 3])));
        for bad in ["", ".", "A.", "A[", "A[x]", "A[1", "[1]"] {
            assert!(plain_path(bad).is_err(), "{bad}");
        }
    }
}
