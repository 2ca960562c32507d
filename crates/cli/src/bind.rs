//! From `--bind`, `--set` and `--counter` to the buffers of a run.
//!
//! Mistakes in them are reported before anything runs, with the declaration concerned.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;

use values::buffer::contents;
use values::member::{self, NotFound, Target};
use values::value;
use wavelane::feedback::FeedbackKind;
use wavelane::internal::{Counting, Slot, Slots};
use wavelane::{
    Adapter, AddressKind, Contents, Device, Dispatch, Layout, MOST_BYTES, Resource, ResourceKind,
    ResourceTable, Scalar, Shader, SourceMap, Texture,
};

use crate::asked::Binds;
use crate::auto::{Auto, Made, Maker};
use crate::missing::{Unused, how_to_bind, is_read, tell_about_zeros, unbound, unknown};
use crate::problem::{Exit, Problem};
use crate::terminal;

/// What is bound, and how to print it.
pub(crate) struct Bound {
    pub(crate) table: ResourceTable,
    /// Raw buffers whose values were given as another type than `u32`.
    shown: Vec<(String, u32, Scalar)>,
    /// The textures to which the feedback maps belong. One that the entry point does not use has no place in the table,
    /// and is kept here.
    pairs: BTreeMap<(String, u32), Option<Texture>>,
    /// What was made up, if `--auto` was given.
    pub(crate) auto: Option<Auto>,
}

impl Bound {
    /// Refuses names that flags give and no bound resource has.
    pub(crate) fn check_names<'a>(
        &self,
        mut names: impl Iterator<Item = &'a String>,
    ) -> Result<(), Problem> {
        let known = || self.table.iter().map(|(resource, ..)| resource.name.as_str());
        match names.find(|it| !known().any(|name| name == **it)) {
            Some(name) => Err(unknown(&format!("no buffer `{name}` is bound"), name, known())),
            None => Ok(()),
        }
    }

    /// Nothing is bound yet.
    pub(crate) fn new(shader: &Shader) -> Bound {
        Bound {
            table: ResourceTable::new(shader),
            shown: Vec::new(),
            pairs: BTreeMap::new(),
            auto: None,
        }
    }

    /// Shares what is bound to resources that both shaders declare alike.
    pub(crate) fn share(&mut self, other: &Bound) {
        self.table.share_from(&other.table);
    }

    /// The type in which a buffer without an element type is printed.
    pub(crate) fn shown_as(&self, resource: &str, element: u32) -> Option<Scalar> {
        self.shown
            .iter()
            .find(|(name, at, _)| name == resource && *at == element)
            .map(|(.., scalar)| *scalar)
    }

    /// The texture that was given under a name, whether the entry point uses it or not.
    fn texture(&self, name: &str, element: u32) -> Option<Texture> {
        let kept = || self.pairs.get(&(name.to_owned(), element)).cloned().flatten();
        self.table.texture_at(name, element).or_else(kept)
    }
}

/// Binds everything that the command line gives for a dispatch of these groups, makes up what is missing if `--auto`
/// was given, and checks that nothing else is missing.
pub(crate) fn bind(
    args: &Binds,
    groups: [u32; 3],
    shader: &Shader,
    sources: &SourceMap,
) -> Result<Bound, Problem> {
    bind_rest(Bound::new(shader), args, groups, shader, sources, &mut Unused::default())
}

/// The same where something is bound already.
pub(crate) fn bind_rest(
    mut bound: Bound,
    args: &Binds,
    groups: [u32; 3],
    shader: &Shader,
    sources: &SourceMap,
    unused: &mut Unused,
) -> Result<Bound, Problem> {
    // A feedback map needs its texture, in whichever order they are given.
    let (maps, others): (Vec<_>, Vec<_>) =
        args.binds.iter().partition(|(_, text)| crate::feedback::is_map(text));
    let recorded = maps.iter().filter(|(name, _)| {
        split_element(name).is_ok_and(|(base, _)| shader.resource(base).is_some())
    });
    let pairs = recorded.filter_map(|(_, text)| crate::feedback::paired(text));
    bound.pairs.extend(pairs.map(|it| (it, None)));
    for (name, text) in others.into_iter().chain(maps) {
        bind_one(name, text, shader, sources, &mut bound, unused)
            .map_err(|problem| args.blamed("--bind", name, text, problem))?;
    }
    match args.auto {
        Some(seed) => make_up(seed, args, groups, shader, sources, &mut bound, unused)?,
        None => {
            let touched = set_members(args, shader, sources, &mut bound.table, unused)?;
            for ((name, _), set) in &touched {
                tell_about_zeros(name, set, shader);
            }
            set_counters(args, shader, sources, &mut bound.table, unused)?;
        }
    }
    let missing = bound.table.unbound();
    if missing.is_empty() {
        return Ok(bound);
    }
    let made = maker(1, groups, shader, &bound.table).make().ok();
    Err(unbound(&missing, args, made.as_ref(), shader, sources))
}

/// The maker of the bindings that a table lacks.
fn maker<'a>(seed: u64, groups: [u32; 3], shader: &'a Shader, table: &ResourceTable) -> Maker<'a> {
    let given: BTreeSet<String> = table.iter().map(|(it, ..)| it.name.clone()).collect();
    let elements = table.iter().filter_map(|(resource, _, slot)| {
        let address = resource.kind.view().address;
        matches!(address, AddressKind::Element | AddressKind::Texel).then(|| {
            let stride = Layout::of(&resource.kind, slot.what.format()).stride;
            (slot.bytes.len() / stride) as u64
        })
    });
    let smallest = elements.filter(|it| *it > 1).min();
    Maker::new(shader, groups, seed, |name| given.contains(name), smallest)
}

/// How often made-up buffers grow or shrink: each of them from one element to the maximum, and back.
const MOST_GROWTHS: usize = 24;
/// The wave-instructions that may be run to find out what is accessed beyond its end.
const TRIAL: u64 = 1 << 14;

/// Binds what is made up, at sizes that the code stays within as far as sizes can achieve that.
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
        let put = match map_kind(resource, shader, &made.value) {
            Some(kind) => {
                let texture = |name: &str, element| bound.texture(name, element);
                crate::feedback::contents(kind, &made.value, &texture, &mut open).and_then(|map| {
                    bound.table.bind_at(base, element, map).map_err(|error| error.to_string())
                })
            }
            None => contents_of(resource, shader, base, &made.value)
                .and_then(|slot| put_slot(bound, base, element, slot)),
        };
        put.map_err(|what| cannot(made, Problem::input(what)))?;
        if let (Some(counter), Some(mut slot)) = (made.counter, bound.table.get_mut(base, element))
        {
            slot.what.counter_mut().into_iter().for_each(|it| *it = counter);
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
        let mut buffer = table.get_mut(base, element);
        let Some(counter) = buffer.as_mut().and_then(|it| it.what.counter_mut()) else {
            let what = format!("`--counter {name}={count}`: no buffer `{name}` is bound");
            let problem = Problem::input(what);
            return Err(args.blamed("--counter", name, &count.to_string(), problem));
        };
        *counter = *count;
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
    let pair = (base.to_owned(), element);
    let is_pair = bound.pairs.contains_key(&pair);
    let Some((_, resource)) = shader.resource(base) else {
        if let Some(resource) = shader.unreached().iter().find(|it| it.name == base) {
            match &resource.kind {
                ResourceKind::Texture { .. } if is_pair => {
                    if bound.texture(base, element).is_some() {
                        return Err(wrong(name, text, resource, sources, "it is bound twice"));
                    }
                    let texture = unused_pair(resource, element, text)
                        .map_err(|what| wrong(name, text, resource, sources, &what))?;
                    bound.pairs.insert(pair, Some(texture));
                }
                _ => unused.resource(resource, shader, sources),
            }
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
    if !resource.used && !resource.register.class.is_heap() && !is_pair {
        unused.resource(resource, shader, sources);
    }
    let fail = |what: String| wrong(name, text, resource, sources, &what);
    if resource.alias_of.is_none() && bound.table.get(base, element).is_some() {
        return Err(fail("it is bound twice".to_owned()));
    }
    if let Some(kind) = map_kind(resource, shader, text) {
        let texture = |name: &str, element| bound.texture(name, element);
        let made = crate::feedback::contents(kind, text, &texture, &mut open).map_err(fail)?;
        return bound.table.bind_at(base, element, made).map_err(|it| fail(it.to_string()));
    }
    tell_about_brackets(name, text, &resource.kind);
    let slot = contents_of(resource, shader, base, text).map_err(fail)?;
    let fitting = put_slot(bound, base, element, slot);
    fitting.map_err(|what| match resource.kind.view().contents {
        Contents::Texture => fail(what).help(how_to_bind(resource)),
        Contents::Constants
        | Contents::Buffer
        | Contents::Sampler
        | Contents::Scene
        | Contents::Feedback => fail(what),
    })
}

/// A value that cannot be bound to a resource.
fn wrong(name: &str, text: &str, resource: &Resource, sources: &SourceMap, what: &str) -> Problem {
    let what = format!("`--bind {name}={}`: {what}", shortened(text));
    Problem::input(what).at(resource.span, "declared here", sources)
}

/// The texture of a feedback map that the entry point does not use.
fn unused_pair(resource: &Resource, element: u32, text: &str) -> Result<Texture, String> {
    if let Some(count) = resource.count.filter(|count| element >= *count) {
        return Err(format!("there is no element {element}, since the array has {count}"));
    }
    let slot = crate::texture::contents(resource, text, &mut open)?;
    let shape = slot
        .what
        .texture()
        .ok_or("a feedback map belongs to a texture, not to a null descriptor")?;
    Texture::from_bytes(shape, slot.bytes.to_vec()).map_err(|error| error.to_string())
}

/// The kind of feedback that a value is for: what the declaration says; in a descriptor heap, the first of its views
/// that are maps.
fn map_kind(resource: &Resource, shader: &Shader, text: &str) -> Option<FeedbackKind> {
    let kind = |it: &Resource| match it.kind {
        ResourceKind::Feedback { kind, .. } => Some(kind),
        _ => None,
    };
    let class = resource.register.class;
    if class.is_heap() && crate::feedback::is_map(text) {
        let views = shader.resources().iter().filter(|it| it.used && it.register.class == class);
        return views.filter_map(kind).next();
    }
    kind(resource).filter(|_| !class.is_heap())
}

/// What a VALUE binds to a resource, and for raw buffers the type to show it in.
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

/// `Dst=100` is one element with that value; a hundred elements would need brackets.
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
        let found = match view.kind.view().contents {
            Contents::Constants | Contents::Buffer => {
                value::parse(text, &mut open).and_then(|value| contents(view, value))
            }
            Contents::Texture | Contents::Sampler => {
                crate::texture::contents(view, text, &mut open).map(|buffer| (buffer, None))
            }
            Contents::Scene => crate::scene::contents(text, &mut open).map(|slot| (slot, None)),
            Contents::Feedback => {
                Err("a feedback map is written as `feedback(T, region=8x8)`".to_owned())
            }
        };
        match found {
            Ok(found) => return Ok(found),
            Err(what) => first = first.or(Some(what)),
        }
    }
    Err(first.unwrap_or_else(|| "the shader has no view of this heap".to_owned()))
}

/// `Name` or `Name[k]`.
pub(crate) fn split_element(name: &str) -> Result<(&str, u32), Problem> {
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
    if path.is_empty() {
        return Err("the name of a file is missing after `@`".to_owned());
    }
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
        set_member(path, text, shader, sources, table, unused, &mut touched)
            .map_err(|problem| args.blamed("--set", path, text, problem))?;
    }
    Ok(touched)
}

fn set_member(
    path: &str,
    text: &str,
    shader: &Shader,
    sources: &SourceMap,
    table: &mut ResourceTable,
    unused: &mut Unused,
    touched: &mut Touched,
) -> Result<(), Problem> {
    let target = match find_in(path, shader) {
        Ok(target) => target,
        Err(_) if unused.opaque(base_of(path), shader, sources) => return Ok(()),
        Err(problem) => return Err(problem),
    };
    match shader.resource(&target.resource.name) {
        None => {
            unused.member(&target.member.name, target.resource, shader, sources);
            return Ok(());
        }
        Some((index, _)) if !is_read(shader, index, target.member) => {
            unused.member(&target.member.name, target.resource, shader, sources);
        }
        Some(_) => {}
    }
    let (name, element) = (&target.resource.name, target.element);
    let fail = |what: String| Problem::input(format!("`--set {path}={}`: {what}", shortened(text)));
    let value = value::parse(text, &mut open).map_err(fail)?;
    if table.get(name, element).is_none() {
        let ResourceKind::Constant { size, .. } = target.resource.kind else { return Ok(()) };
        let buffer = Slot::new(vec![0; size as usize]);
        table.bind_at(name, element, buffer).map_err(|error| fail(error.to_string()))?;
        touched.insert((name.clone(), element), Vec::new());
    }
    let Some(mut buffer) = table.get_mut(name, element) else { return Ok(()) };
    target.write(&value, &mut buffer.bytes).map_err(fail)?;
    if let Some(members) = touched.get_mut(&(name.clone(), element)) {
        members.push(target.member.name.clone());
    }
    Ok(())
}

/// `Count` of `Count[2]`, and `Lights` of `Lights[1].Color`.
pub(crate) fn base_of(path: &str) -> &str {
    path.split(['[', '.']).next().unwrap_or(path)
}

pub(crate) fn find_in<'a>(path: &str, shader: &'a Shader) -> Result<Target<'a>, Problem> {
    member::find(path, shader.resources(), shader.unreached()).map_err(|why| match why {
        NotFound::NoPath => Problem::input(format!(
            "`{path}` is not the path of a member, such as `Lights[1].Color`"
        )),
        NotFound::Whole(resource) => {
            let name = &resource.name;
            Problem::input(format!("`--set` sets members, but `{name}` is a whole buffer"))
                .help(how_to_bind(resource))
        }
        NotFound::Unknown { name, known } => {
            unknown(&format!("no constant buffer has a member `{path}`"), &name, known.into_iter())
        }
        NotFound::Ambiguous(names) => Problem::input(format!("`{path}` is ambiguous"))
            .help(format!("the members are: {}", names.join(", "))),
    })
}
