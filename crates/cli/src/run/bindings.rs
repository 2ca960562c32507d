//! `wavelane run FILE --bindings`: lists what can be bound, without running anything.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::iter;

use serde_json::{Value, json};
use wavelane::internal::{Slot, Slots, survey};
use wavelane::{
    Contents, Layout, Member, OpaqueResource, RegisterClass, Resource, Shader, SourceMap,
};

use super::RunArgs;
use crate::asked::{Binds, DrawArgs, Output};
use crate::auto::{Auto, Made};
use crate::bind::{self, Bound};
use crate::draw::{Scene, Tables};
use crate::value::counted;
use values::member::{described, type_of};

use crate::heap;
use crate::missing::{declared, element_type, kind_name, type_name};
use crate::problem::{End, Exit};
use crate::terminal::{self, print_json};

/// A resource in the list.
struct Row<'a> {
    resource: &'a Resource,
    /// The type as which elements are accessed, if it is a heap.
    views: Vec<&'a Resource>,
    /// Whether the members are read, where that is known.
    read: Vec<bool>,
    /// A sensible number of elements, and what would be bound.
    elements: Option<u64>,
    made: Vec<Made>,
}

/// Lists what can be bound for a dispatch of a shader.
pub(super) fn list(args: &RunArgs, shader: &Shader, sources: &SourceMap) -> Result<Exit, End> {
    // A resource for which nothing can be made up is listed without a size.
    let groups = args.common.launch.groups;
    let bound = bind::bind(&with_auto(args), groups, shader, sources).ok();
    let auto = bound.as_ref().and_then(|it| it.auto.as_ref());
    let rows = rows(&[(shader, bound.as_ref())], auto);
    let threads = counted(shader.group_size().iter().product::<u32>() as usize, "thread");
    let groups = groups.map(|it| it.to_string()).join(",");
    let head = format!("{threads} in a group; sizes are for --groups {groups}");
    show(args, &[shader], &rows, &head)
}

/// Lists what can be bound for the shaders of a draw.
pub(super) fn list_of_draw(
    args: &RunArgs,
    draw: &DrawArgs,
    scene: &Scene,
    pixel: &Shader,
    sources: &SourceMap,
) -> Result<Exit, End> {
    let tables = Tables::bind(&with_auto(args), scene, pixel, draw.size, sources).ok();
    let shaders: Vec<&Shader> =
        iter::once(pixel).chain(scene.shaders().into_iter().map(|it| it.1)).collect();
    let mut bounds = tables.iter().flat_map(Tables::bounds);
    let all: Vec<_> = shaders.iter().map(|it| (*it, bounds.next())).collect();
    let rows = rows(&all, tables.as_ref().and_then(|it| it.auto.as_ref()));
    let [width, height] = draw.size;
    let head = format!("for all shaders of the draw; sizes are for --size {width}x{height}");
    show(args, &shaders, &rows, &head)
}

/// The given bindings, and a seed for the rest.
fn with_auto(args: &RunArgs) -> Binds {
    let given = &args.common.bind;
    Binds { auto: given.auto.or(Some(1)), ..given.clone() }
}

/// A row for each name. A resource is used if any of the shaders uses it.
fn rows<'a>(shaders: &[(&'a Shader, Option<&Bound>)], auto: Option<&Auto>) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut add =
        |row: Row<'a>| match rows.iter_mut().find(|it| it.resource.name == row.resource.name) {
            None => rows.push(row),
            Some(known) if !known.resource.used => *known = row,
            Some(known) => {
                known.read.iter_mut().zip(&row.read).for_each(|(it, also)| *it |= also);
                heap::add(&mut known.views, row.views);
            }
        };
    for (shader, bound) in shaders {
        let uses = survey(shader).uses;
        // A heap has a resource for each type as which its elements are accessed.
        let mut names = BTreeSet::new();
        for (index, resource) in shader.resources().iter().enumerate() {
            let is_unused_heap = resource.register.class.is_heap() && !resource.used;
            if is_unused_heap || !names.insert(&resource.name) {
                continue;
            }
            let (elements, made) = match bound.filter(|_| resource.used) {
                Some(bound) => (elements(resource, bound), made(resource, auto)),
                None => (None, Vec::new()),
            };
            let class = resource.register.class;
            let views = if class.is_heap() { heap::views(shader, class) } else { Vec::new() };
            add(Row { resource, views, read: uses[index].members.clone(), elements, made });
        }
    }
    for resource in shaders.iter().flat_map(|it| it.0.unreached()) {
        let row =
            Row { resource, views: Vec::new(), read: Vec::new(), elements: None, made: Vec::new() };
        add(row);
    }
    rows
}

fn show(args: &RunArgs, shaders: &[&Shader], rows: &[Row<'_>], head: &str) -> Result<Exit, End> {
    let mut opaque: Vec<&OpaqueResource> = shaders.iter().flat_map(|it| it.opaque()).collect();
    let mut names = BTreeSet::new();
    opaque.retain(|it| names.insert(&it.name));
    match args.common.output {
        Output::Json => {
            let opaque = opaque.into_iter().map(opaque_as_json);
            let all: Vec<Value> = rows.iter().map(as_json).chain(opaque).collect();
            print_json(&json!({ "bindings": all }))?;
        }
        Output::Text | Output::Github | Output::Sarif | Output::Junit => {
            let (entry, file) = (shaders[0].entry(), shaders[0].name());
            terminal::print(&format!("`{entry}` of {file}: {head}\n{}", text(rows, &opaque)))?;
        }
    }
    Ok(Exit::Fine)
}

/// How many elements of a resource are bound; of raw buffers, how many words.
fn elements(resource: &Resource, bound: &Bound) -> Option<u64> {
    let mut all = bound.table.iter().filter(|(it, ..)| it.name == resource.name);
    if resource.register.class.is_heap() {
        // Each value is locked while it is read, so no other lock is held here.
        return Some(all.count() as u64);
    }
    let (_, _, slot): (_, _, _) = all.next()?;
    let slot: &Slot = &slot;
    match resource.kind.view().contents {
        Contents::Constants => Some(1),
        Contents::Sampler | Contents::Scene | Contents::Feedback => None,
        Contents::Texture => slot.what.texture().map(|it| {
            [it.width, it.height, it.depth, it.layers].iter().map(|it| u64::from(*it)).product()
        }),
        Contents::Buffer => {
            let stride = Layout::of(&resource.kind, slot.what.format()).stride;
            Some((slot.bytes.len() / stride) as u64)
        }
    }
}

/// The made-up bindings; for an array one for each element.
fn made(resource: &Resource, auto: Option<&Auto>) -> Vec<Made> {
    let is_of = |name: &str| {
        let rest = name.strip_prefix(resource.name.as_str());
        rest.is_some_and(|it| it.is_empty() || it.starts_with('['))
    };
    let all = auto.map_or(&[][..], |it| &it.made).iter();
    all.filter(|it| is_of(&it.name)).cloned().collect()
}

fn as_json(row: &Row<'_>) -> Value {
    let resource = row.resource;
    let member = |(index, it): (usize, &Member)| {
        let mut value = json!({ "name": it.name, "type": type_of(it), "offset": it.offset });
        if let Some(is_read) = row.read.get(index) {
            value["used"] = json!(is_read);
        }
        value
    };
    let is_heap = resource.register.class.is_heap();
    let members = row.members().iter().enumerate().map(member);
    let bind = row.made.iter().map(|it| format!("{}={}", it.name, it.value));
    let counters = row.made.iter().filter_map(|it| Some(format!("{}={}", it.name, it.counter?)));
    let (kind, ty) = match is_heap {
        true => (resource.name.as_str(), None),
        false => (kind_name(resource), element_type(&resource.kind)),
    };
    let mut value = json!({
        "name": resource.name,
        "kind": kind,
        "type": ty,
        "register": register(resource).map(|it| it.0),
        "space": register(resource).map(|it| it.1),
        "array": resource.count,
        "used": resource.used,
        "elements": row.elements,
        "members": members.collect::<Vec<_>>(),
        "bind": bind.collect::<Vec<_>>(),
        "has_counter": row.each().any(|it| it.kind.view().counter),
        "counter": counters.collect::<Vec<_>>(),
    });
    if is_heap {
        let view =
            |it: &&Resource| json!({ "kind": kind_name(it), "type": element_type(&it.kind) });
        value["views"] = row.views.iter().map(view).collect();
    }
    value
}

/// A resource of a kind that no entry point can use yet.
fn opaque_as_json(resource: &OpaqueResource) -> Value {
    json!({
        "name": resource.name, "kind": resource.ty, "type": null, "register": null, "space": null,
        "array": null, "used": false, "elements": null, "members": [], "bind": [], "has_counter": false,
        "counter": [],
    })
}

impl Row<'_> {
    /// The resource, or the views of the heap.
    fn each(&self) -> impl Iterator<Item = &Resource> {
        let own = self.views.is_empty().then_some(self.resource);
        self.views.iter().copied().chain(own)
    }

    /// The members of a struct; an element that is a number, a vector or a matrix has none, and neither has a heap.
    fn members(&self) -> &[Member] {
        match self.resource.kind.view().members {
            _ if self.resource.register.class.is_heap() => &[],
            [member] if member.name.is_empty() => &[],
            members => members,
        }
    }
}

/// The register with its space; an unused resource has one only if the source gives it.
fn register(resource: &Resource) -> Option<(String, u32)> {
    let letter = match resource.register.class {
        RegisterClass::Constant => 'b',
        RegisterClass::Shader => 't',
        RegisterClass::Unordered => 'u',
        RegisterClass::Sampler => 's',
        RegisterClass::Push | RegisterClass::ResourceHeap | RegisterClass::SamplerHeap => {
            return None;
        }
    };
    if !resource.used && !resource.has_own_register() {
        return None;
    }
    Some((format!("{letter}{}", resource.register.index), resource.register.space))
}

fn text(rows: &[Row<'_>], opaque: &[&OpaqueResource]) -> String {
    let mut text = String::new();
    let registers: Vec<String> = rows
        .iter()
        .map(|row| match register(row.resource) {
            Some((register, 0)) => register,
            Some((register, space)) => format!("{register}, space{space}"),
            None => "-".to_owned(),
        })
        .collect();
    let declarations: Vec<String> = rows.iter().map(|it| declared(it.resource)).collect();
    let opaque: Vec<String> = opaque.iter().map(|it| format!("{} {}", it.ty, it.name)).collect();
    let width = |all: &[String]| all.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    let (first, second) = (width(&registers), width(&declarations).max(width(&opaque)).min(60));
    for ((row, register), declaration) in rows.iter().zip(&registers).zip(&declarations) {
        let what = match row.made.as_slice() {
            _ if !row.resource.used => "not used".to_owned(),
            [] => row.elements.map_or_else(String::new, |it| format!("{it} elements")),
            [first, rest @ ..] => {
                let more = match rest.len() {
                    0 => String::new(),
                    count => format!(" and {count} more"),
                };
                format!("{}{more}", first.words())
            }
        };
        let line = format!("  {register:<first$}  {declaration:<second$}  {what}");
        let _ = writeln!(text, "{}", line.trim_end());
        let gap = first + 4;
        for view in &row.views {
            let _ = writeln!(text, "{:gap$}as {}", "", type_name(view));
        }
        for (index, member) in row.members().iter().enumerate() {
            let is_unread = row.resource.used && row.read.get(index) == Some(&false);
            let unread = if is_unread { "  not used" } else { "" };
            let _ =
                writeln!(text, "{:gap$}{:>6}  {}{unread}", "", member.offset, described(member));
        }
    }
    for declaration in opaque {
        let _ = writeln!(text, "  {:<first$}  {declaration:<second$}  not used", "-");
    }
    text
}
