//! `--auto`: bindings that are made up from the declarations, the dispatch, and what the code does with them.
//!
//! Each is a VALUE as `--bind` takes it, so that what was made up can be repeated, and changed, on the command line.
//! Its contents follow from the shader, the dispatch and a seed alone. Sizes start from the number of threads; a buffer
//! that is accessed beyond its end grows while that helps. Nothing here binds anything.
//!
//! Integers that become addresses or decide where lanes go are small; others are random over their whole range.
//! Constants with the name of a count or a size get that of the dispatch, so that loops end and guards let threads
//! through.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wavelane::internal::{HeapSlot, Missed, Survey, Use, apart, survey};
use wavelane::{Contents, Layout, Member, RegisterClass, Resource, ResourceKind, Scalar, Shader};

use crate::asked::Binds;
use crate::problem::{Exit, Problem, quoted};
use crate::texture;

/// The most elements of a buffer that grows.
const MOST_ELEMENTS: u64 = 1 << 16;
/// The sizes of textures along an axis.
const TEXELS: [u64; 2] = [16, 256];
/// How many elements of a resource array, and of a heap, are made up where the code does not tell.
const SOME_ELEMENTS: u32 = 8;
const MOST_ARRAY: u32 = 16;
/// The same where constant indices select elements.
const MOST_NAMED: u32 = 256;
/// A constant buffer of more scalars is filled by a rule, except for those that matter.
const MOST_LISTED: usize = 64;

/// What was made up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Auto {
    pub(crate) seed: u64,
    pub(crate) made: Vec<Made>,
}

/// One resource, or one constant of a large buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Made {
    /// As `--bind` or `--set` names it.
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) is_constant: bool,
    /// The hidden counter, where elements are taken out.
    pub(crate) counter: Option<u32>,
    /// Of a constant buffer, the members that are read: the same, one by one.
    pub(crate) sets: Vec<(String, String)>,
}

impl Made {
    /// The words that give it on a command line, as a shell reads them.
    pub(crate) fn words(&self) -> String {
        let flag = if self.is_constant { "--set" } else { "--bind" };
        let mut words = format!("{flag} {}", quoted(&format!("{}={}", self.name, self.value)));
        if let Some(counter) = self.counter {
            words.push_str(&format!(" --counter {}", quoted(&format!("{}={counter}", self.name))));
        }
        words
    }

    fn as_json(&self) -> Value {
        let key = if self.is_constant { "set" } else { "bind" };
        let mut value = json!({ "name": self.name, key: format!("{}={}", self.name, self.value) });
        if let Some(counter) = self.counter {
            value["counter"] = json!(format!("{}={counter}", self.name));
        }
        value
    }
}

impl Auto {
    pub(crate) fn as_json(&self) -> Value {
        json!({
            "seed": self.seed,
            "made": self.made.iter().map(Made::as_json).collect::<Vec<_>>(),
        })
    }

    /// The same as values of `--bind`, `--set` and `--counter`.
    pub(crate) fn words(&self) -> String {
        self.made.iter().map(Made::words).collect::<Vec<_>>().join(" ")
    }

    /// Adds what was made up for another shader of the same draw.
    pub(crate) fn add(&mut self, more: Auto) {
        let is_known = |it: &Made| self.made.iter().any(|known| known.name == it.name);
        let new: Vec<Made> = more.made.into_iter().filter(|it| !is_known(it)).collect();
        self.made.extend(new);
    }

    /// One line for people: what was made up, and how to repeat it.
    pub(crate) fn told(&self) -> String {
        match self.made.is_empty() {
            true => "nothing was missing, so `--auto` made nothing up".to_owned(),
            false => format!("made up by --auto={}: {}", self.seed, self.words()),
        }
    }
}

/// The shader as which one with made-up bindings runs. Where nothing is bound in a heap and its elements are taken as
/// several types by computed indices, each view becomes a separate array, so that every index leads to the declared
/// type. Made-up bindings for such views use their names, which therefore split the heap as well.
pub(crate) fn prepared(shader: Shader, binds: &Binds) -> Shader {
    let heaps = [RegisterClass::ResourceHeap, RegisterClass::SamplerHeap].into_iter();
    let apart_by_name = |class: &RegisterClass| names_views(binds, shader.resources(), *class);
    let (named, rest): (Vec<RegisterClass>, Vec<RegisterClass>) = heaps.partition(apart_by_name);
    let mixed = if binds.auto.is_some() { mixed(&shader, binds, rest) } else { Vec::new() };
    named.into_iter().chain(mixed).fold(shader, |shader, class| apart(&shader, class))
}

/// Whether a binding names a view of a heap that was split, such as `ResourceDescriptorHeap.Texture2D[0]`.
fn names_views(binds: &Binds, resources: &[Resource], class: RegisterClass) -> bool {
    let Some(heap) = heap_name(resources, class) else { return false };
    let is_view = |name: &str| name.strip_prefix(heap).is_some_and(|it| it.starts_with('.'));
    let mut names = binds.binds.iter().map(|it| &it.0);
    names.any(|it| is_view(it)) || binds.counters.iter().any(|it| is_view(&it.0))
}

/// The name of a heap that the shader uses.
fn heap_name(resources: &[Resource], class: RegisterClass) -> Option<&str> {
    let in_heap = |it: &&Resource| it.used && it.register.class == class;
    resources.iter().find(in_heap).map(|it| it.name.as_str())
}

/// The heaps in which nothing is bound and which are used as several types by computed indices.
fn mixed(shader: &Shader, binds: &Binds, heaps: Vec<RegisterClass>) -> Vec<RegisterClass> {
    let survey = survey(shader);
    let resources = shader.resources();
    let is_mixed = |class: &RegisterClass| {
        let Some(name) = heap_name(resources, *class) else { return false };
        let is_given = |given: &str| given.split('[').next() == Some(name);
        let is_free = !binds.binds.iter().any(|it| is_given(&it.0));
        is_free && computed(&survey, resources, *class, |it| is_given_constant(binds, it)).len() > 1
    };
    heaps.into_iter().filter(is_mixed).collect()
}

/// Whether the command line binds a constant buffer.
fn is_given_constant(binds: &Binds, resource: &Resource) -> bool {
    binds.binds.iter().any(|it| it.0.split('[').next() == Some(resource.name.as_str()))
}

/// One view of each type as which elements of a heap are accessed by indices that neither the code nor a made-up
/// constant determines.
fn computed(
    survey: &Survey,
    resources: &[Resource],
    class: RegisterClass,
    is_given: impl Fn(&Resource) -> bool,
) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (slot, views) in &survey.heaps {
        let is_computed = match slot {
            HeapSlot::Element(_) => false,
            HeapSlot::Constant { resource, .. } => is_given(&resources[*resource]),
            HeapSlot::Unknown => true,
        };
        for view in views.iter().filter(|it| resources[**it].register.class == class) {
            let is_known = found.iter().any(|it| resources[*it].kind == resources[*view].kind);
            if is_computed && !is_known {
                found.push(*view);
            }
        }
    }
    found
}

/// A scene around the origin, so that rays from there hit something in most directions, and others often.
const SCENE: &str = "triangles(-4 -3 -4, 4 -3 -4, 0 -3 6, -4 -3 -4, 4 -3 -4, 0 5 0, 4 -3 -4, 0 -3 6, 0 5 0, \
                     0 -3 6, -4 -3 -4, 0 5 0, 0.25 0.25 0.5, 0.75 0.25 0.5, 0.5 0.75 0.5)";

/// What is given, and the sizes of what is made up so far.
pub(crate) struct Maker<'a> {
    shader: &'a Shader,
    survey: Survey,
    seed: u64,
    /// All threads of the dispatch, and those along each axis.
    threads: u64,
    axes: [u64; 3],
    groups: u64,
    /// The elements of the smallest buffer that was given.
    given: Option<u64>,
    /// The resources to make up, by their indices among the shader's.
    missing: Vec<usize>,
    /// Elements of buffers that differ from what the dispatch tells, by resource.
    sizes: BTreeMap<usize, Growth>,
}

/// A buffer that is being made larger.
#[derive(Clone, Copy, Debug)]
struct Growth {
    elements: u64,
    /// The size at which the fewest accesses missed, and how many those were.
    best: u64,
    missed: u64,
    /// How often it has been doubled without any gain.
    vain: u32,
    is_done: bool,
}

/// After this many doublings without progress, an index is out of bounds at any size, or means no element.
const MOST_VAIN: u32 = 4;

/// A piece of memory with its view: a resource, or the element of a heap.
struct Slot<'a> {
    name: String,
    resource: &'a Resource,
    index: usize,
    in_heap: bool,
}

impl<'a> Maker<'a> {
    /// `is_given` says which resources have been bound, and `given` how many elements the smallest buffer among them
    /// has.
    pub(crate) fn new(
        shader: &'a Shader,
        groups: [u32; 3],
        seed: u64,
        is_given: impl Fn(&str) -> bool,
        given: Option<u64>,
    ) -> Maker<'a> {
        let size = shader.group_size();
        let axes = std::array::from_fn(|i| u64::from(size[i]) * u64::from(groups[i]).max(1));
        let mut missing: Vec<usize> = Vec::new();
        for (index, resource) in shader.resources().iter().enumerate() {
            let is_known =
                missing.iter().any(|it: &usize| shader.resources()[*it].name == resource.name);
            let has_memory = resource.alias_of.is_none();
            if resource.used && has_memory && !is_known && !is_given(&resource.name) {
                missing.push(index);
            }
        }
        let threads = axes.iter().fold(1, |all: u64, it| all.saturating_mul(*it));
        let groups = groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
        let (survey, sizes) = (survey(shader), BTreeMap::new());
        Maker { shader, survey, seed, threads, axes, groups, given, missing, sizes }
    }

    /// Everything that is missing, or why it cannot be made up.
    pub(crate) fn make(&self) -> Result<Auto, Problem> {
        let pinned = self.pins()?;
        let mut made = Vec::new();
        for index in &self.missing {
            let resource = &self.shader.resources()[*index];
            if resource.register.class.is_heap() {
                continue;
            }
            for element in self.elements_of(*index) {
                let name = match element {
                    Some(element) => format!("{}[{element}]", resource.name),
                    None => resource.name.clone(),
                };
                let slot = Slot { name, resource, index: *index, in_heap: false };
                self.slot(&slot, &pinned.constants, &mut made)?;
            }
        }
        for (name, element, view) in &pinned.elements {
            let resource = &self.shader.resources()[*view];
            let name = format!("{name}[{element}]");
            let slot = Slot { name, resource, index: *view, in_heap: true };
            self.slot(&slot, &pinned.constants, &mut made)?;
        }
        Ok(Auto { seed: self.seed, made })
    }

    /// Enlarges what was accessed beyond its end; returns whether any size has changed.
    pub(crate) fn grow(&mut self, missed: &Missed) -> bool {
        let mut changed = false;
        for index in 0..self.shader.resources().len() {
            let resource = &self.shader.resources()[index];
            let is_buffer = resource.kind.view().contents == Contents::Buffer;
            let is_made = self.missing.contains(&index) && !resource.register.class.is_heap();
            if !is_buffer || !is_made {
                continue;
            }
            let now = missed.beyond.get(&resource.name).map_or(0, |it| it.reads + it.writes);
            let elements = self.elements(index);
            let new = Growth { elements, best: elements, missed: now, vain: 0, is_done: false };
            let Some(growth) = self.sizes.get(&index).copied() else {
                if now > 0 && elements < MOST_ELEMENTS {
                    self.sizes.insert(index, Growth { elements: elements * 2, ..new });
                    changed = true;
                }
                continue;
            };
            if growth.is_done {
                continue;
            }
            let growth = match now < growth.missed {
                true => new,
                false => Growth { vain: growth.vain + 1, ..growth },
            };
            let is_done =
                growth.missed == 0 || growth.vain >= MOST_VAIN || elements >= MOST_ELEMENTS;
            let elements = if is_done { growth.best } else { elements * 2 };
            changed |= elements != self.elements(index);
            self.sizes.insert(index, Growth { elements, is_done, ..growth });
        }
        changed
    }

    /// The indices of the elements of an array that are made up.
    fn elements_of(&self, index: usize) -> Vec<Option<u32>> {
        let named = self.survey.uses[index].elements.min(MOST_NAMED);
        match self.shader.resources()[index].count {
            Some(1) => vec![None],
            Some(count) => (0..count.min(MOST_ARRAY.max(named))).map(Some).collect(),
            None => (0..SOME_ELEMENTS.max(named)).map(Some).collect(),
        }
    }

    /// A sensible number of elements for a buffer; of words for one without elements.
    fn elements(&self, index: usize) -> u64 {
        if let Some(growth) = self.sizes.get(&index) {
            return growth.elements;
        }
        let usual = self.threads.min(MOST_ELEMENTS).next_power_of_two();
        let least = match self.shader.resources()[index].kind {
            ResourceKind::Raw { .. } => self.survey.uses[index].least.div_ceil(4),
            _ => self.survey.uses[index].least,
        };
        usual.max(least.min(MOST_ELEMENTS).next_power_of_two())
    }

    /// What a count may be, so that it fits the buffers.
    fn count(&self) -> u64 {
        let all = self.threads.min(MOST_ELEMENTS);
        self.given.filter(|it| *it > 1).map_or(all, |it| it.min(all))
    }

    fn texels(&self) -> [u64; 3] {
        let [least, most] = TEXELS;
        self.axes.map(|it| it.min(most).next_power_of_two().max(least))
    }

    fn slot(
        &self,
        slot: &Slot<'_>,
        constants: &BTreeMap<(usize, u32), u64>,
        made: &mut Vec<Made>,
    ) -> Result<(), Problem> {
        // Equal contents everywhere would hide mixed-up elements.
        let seed = self.seed.wrapping_add(made.len() as u64);
        let of = &self.survey.uses[slot.index];
        let mut counter = None;
        let kind = &slot.resource.kind;
        let view = kind.view();
        let value = match view.contents {
            Contents::Sampler => match kind {
                ResourceKind::Sampler { comparison: true } => "linear clamp less-equal".to_owned(),
                _ => "linear wrap".to_owned(),
            },
            // Only queries that commit triangles themselves see those that are not opaque.
            Contents::Scene => match self.survey.commits {
                true => format!("non-opaque {SCENE}"),
                false => SCENE.to_owned(),
            },
            // Only the code says which texture a map belongs to.
            Contents::Feedback => "none".to_owned(),
            Contents::Texture => {
                let (dim, element) = view.texture();
                let sizes = texture::sizes(dim, self.texels());
                let contents = contents(slot.resource, of, seed, TEXELS[0]);
                format!("{}[{sizes}]{contents}", texture::own_format(&element))
            }
            Contents::Constants => {
                return self.constants(slot, view.members, seed, constants, made);
            }
            Contents::Buffer => {
                let layout = Layout::of(kind, None);
                let elements = self.elements(slot.index);
                if of.consumes {
                    counter = u32::try_from(elements).ok();
                }
                let contents = contents(slot.resource, of, seed, elements);
                match layout.only() {
                    Some(scalar) if layout.scalars.len() == 1 => {
                        format!("{}[{elements}]{contents}", scalar.name())
                    }
                    // Only a type distinguishes a buffer from a texture there.
                    Some(scalar) if slot.in_heap => {
                        let all = elements * layout.scalars.len() as u64;
                        format!("{}[{all}]{contents}", scalar.name())
                    }
                    None if slot.in_heap => {
                        let words = elements * layout.stride.div_ceil(4) as u64;
                        format!("u32[{words}]:rand({seed},{elements})")
                    }
                    _ => format!("[{elements}]{contents}"),
                }
            }
        };
        let (name, sets) = (slot.name.clone(), Vec::new());
        made.push(Made { name, value, is_constant: false, counter, sets });
        Ok(())
    }

    /// A constant buffer: all its scalars in memory order, or a rule and the ones that matter.
    fn constants(
        &self,
        slot: &Slot<'_>,
        members: &[Member],
        seed: u64,
        pinned: &BTreeMap<(usize, u32), u64>,
        made: &mut Vec<Made>,
    ) -> Result<(), Problem> {
        let layout = Layout::of(&slot.resource.kind, None);
        let name = slot.name.clone();
        let made_of = |value, sets| Made { name, value, is_constant: false, counter: None, sets };
        if members.is_empty() || layout.scalars.len() > MOST_LISTED {
            made.push(made_of(format!(":rand({seed},5)"), Vec::new()));
            for member in members {
                let Some(offsets) = Layout::offsets_of(member, &[]) else { continue };
                let scalar = Scalar::from(member.scalar);
                let pin = |it: &usize| pinned.contains_key(&(slot.index, *it as u32));
                let is_pinned = offsets.iter().any(pin);
                let matters = size_like(&member.name) && !scalar.is_float();
                let is_one = slot.resource.count.is_some() && !slot.in_heap;
                if offsets.len() > 4 || !(is_pinned || matters) || !is_one {
                    continue;
                }
                let values: Vec<String> = (0..offsets.len())
                    .map(|at| match pinned.get(&(slot.index, offsets[at] as u32)) {
                        Some(element) => element.to_string(),
                        None => self.constant(&member.name, scalar, at, offsets.len(), seed),
                    })
                    .collect();
                let name = self.path(slot.resource, member);
                let value = values.join(",");
                let sets = Vec::new();
                made.push(Made { name, value, is_constant: true, counter: None, sets });
            }
            return Ok(());
        }
        let mut values: BTreeMap<usize, String> = BTreeMap::new();
        let mut sets = Vec::new();
        for (index, member) in members.iter().enumerate() {
            let Some(offsets) = Layout::offsets_of(member, &[]) else { continue };
            let scalar = Scalar::from(member.scalar);
            for (at, offset) in offsets.iter().enumerate() {
                let value = match pinned.get(&(slot.index, *offset as u32)) {
                    Some(element) => element.to_string(),
                    None => self.constant(&member.name, scalar, at, offsets.len(), seed),
                };
                values.insert(*offset, value);
            }
            let is_read = self.survey.uses[slot.index].members.get(index) == Some(&true);
            let is_plain = slot.resource.count == Some(1) && !slot.in_heap;
            if is_read && is_plain {
                let all = offsets.iter().filter_map(|it| values.get(it)).cloned();
                sets.push((self.path(slot.resource, member), all.collect::<Vec<_>>().join(",")));
            }
        }
        let each = layout.scalars.iter().map(|(at, _)| values.get(at).map_or("0", String::as_str));
        made.push(made_of(each.collect::<Vec<_>>().join(","), sets));
        Ok(())
    }

    /// A member as `--set` names it: with its buffer where another one has a member of that name.
    fn path(&self, resource: &Resource, member: &Member) -> String {
        let all = self.shader.resources().iter().map(|it| it.kind.view());
        let constants = all.filter(|it| it.contents == Contents::Constants);
        let constants = constants.flat_map(|it| it.members);
        match constants.filter(|it| it.name == member.name).count() {
            0 | 1 => member.name.clone(),
            _ => format!("{}.{}", resource.name, member.name),
        }
    }

    /// A number that suits the name of a constant.
    fn constant(&self, name: &str, scalar: Scalar, at: usize, of: usize, seed: u64) -> String {
        let lower = name.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|it| lower.contains(it));
        let hash = crate::asked::hash(&format!("{seed} {name} {at}"));
        if size_like(name) && !(scalar.is_float() && has(&["inv", "rcp", "recip", "texel", "1"])) {
            let axis = match (of, has(&["height"]), has(&["depth"])) {
                (1, true, _) => Some(1),
                (1, _, true) => Some(2),
                (1, ..) => has(&["width"]).then_some(0),
                _ => Some(at),
            };
            return match axis {
                None if has(&["group"]) => self.groups.to_string(),
                Some(axis) => self.texels().get(axis).copied().unwrap_or(1).to_string(),
                None => self.count().to_string(),
            };
        }
        match scalar {
            Scalar::Bool => (hash & 1).to_string(),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                format!("{}", (1 + hash % 15) as f64 / 16.0)
            }
            _ if has(&["start", "begin", "first", "base", "offset"]) => "0".to_owned(),
            Scalar::I8
            | Scalar::U8
            | Scalar::I16
            | Scalar::U16
            | Scalar::I32
            | Scalar::U32
            | Scalar::I64
            | Scalar::U64 => (1 + hash % 4).to_string(),
        }
    }

    /// The elements of the heaps, and the constants that select them.
    fn pins(&self) -> Result<Pins, Problem> {
        let mut pins = Pins::default();
        let resources = self.shader.resources();
        for class in [RegisterClass::ResourceHeap, RegisterClass::SamplerHeap] {
            let heap = self.missing.iter().find(|it| resources[**it].register.class == class);
            let Some(heap) = heap else { continue };
            let name = &resources[*heap].name;
            let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
            let mut by_constant = Vec::new();
            for (slot, views) in &self.survey.heaps {
                let of_class = |it: &&usize| resources[**it].register.class == class;
                let Some(view) = views.iter().find(of_class) else { continue };
                match slot {
                    HeapSlot::Element(at) => _ = taken.insert(*at, *view),
                    HeapSlot::Constant { resource, offset } if self.missing.contains(resource) => {
                        by_constant.push((*resource, *offset, *view));
                    }
                    HeapSlot::Constant { .. } | HeapSlot::Unknown => {}
                }
            }
            let is_given = |it: &Resource| {
                !self.missing.iter().any(|missing| resources[*missing].name == it.name)
            };
            let unknown = computed(&self.survey, resources, class, is_given);
            if unknown.len() > 1 {
                let what = format!(
                    "`--auto` cannot make up `{name}`: `{}` takes things of {} kinds out of it by indices that it computes",
                    self.shader.entry(),
                    unknown.len()
                );
                let problem = Problem::new(Exit::Unsupported, what);
                return Err(problem
                    .help(format!("bind each element: --bind '{name}[0]=RGBA8_UNORM[16x16]' …")));
            }
            if let Some(view) = unknown.first() {
                for at in 0..SOME_ELEMENTS {
                    taken.entry(at).or_insert(*view);
                }
            }
            for (resource, offset, view) in by_constant {
                let free = (0..).find(|it| !taken.contains_key(it)).unwrap_or(u32::MAX);
                taken.insert(free, view);
                pins.constants.insert((resource, offset), u64::from(free));
            }
            let each = taken.into_iter().map(|(at, view)| (name.clone(), at, view));
            pins.elements.extend(each);
        }
        Ok(pins)
    }
}

/// The elements of heaps with their views, and the constants that name them: by the index of the buffer and the offset.
#[derive(Default)]
struct Pins {
    elements: Vec<(String, u32, usize)>,
    constants: BTreeMap<(usize, u32), u64>,
}

/// The contents behind the brackets.
fn contents(resource: &Resource, of: &Use, seed: u64, below: u64) -> String {
    let is_float = match &resource.kind {
        ResourceKind::Texture { element, .. } => Scalar::from(element.scalar).is_float(),
        kind => Layout::of(kind, None).scalars.iter().all(|it| it.1.is_float()),
    };
    match () {
        // Histograms, counters and locks start from 0, and the initial contents of a buffer that is only written do not
        // matter.
        () if resource.kind.writable() && (of.atomics || !of.loads) => String::new(),
        () if of.selects && !is_float => {
            format!(":rand({seed},{})", below.min(u64::from(SOME_ELEMENTS)))
        }
        () if of.leads && !is_float => format!(":rand({seed},{below})"),
        () => format!(":rand({seed})"),
    }
}

/// Whether a name is that of a count or a size.
fn size_like(name: &str) -> bool {
    const WORDS: [&str; 14] = [
        "count",
        "num",
        "size",
        "width",
        "height",
        "depth",
        "length",
        "total",
        "elements",
        "dim",
        "resolution",
        "extent",
        "limit",
        "items",
    ];
    let lower = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    // A number of elements for each of something else is not a total size.
    !lower.contains("per") && (lower == "n" || WORDS.iter().any(|it| lower.contains(it)))
}
