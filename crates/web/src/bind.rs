//! The buffers of a run: what the flags bind, and zeros for everything else, one element for each thread.

use ir::exec::{Bindings, Buffer};
use ir::{Contents, Module, Resource};
use values::member::{self, NotFound};
use values::value;

use crate::{Flags, Problem};

/// The most bytes of all buffers together: every run and every comparison holds a copy.
pub(crate) const MOST_MEMORY: usize = 16 << 20;
/// The most elements of a resource array that get zeros.
const MOST_ELEMENTS: u32 = 64;

/// What a module's resources hold before a run. `unreached` are those that the text declares and the entry point does
/// not use: what is given to them has no effect.
pub(crate) fn bind(
    flags: &Flags,
    module: &Module,
    unreached: &[Resource],
) -> Result<Bindings, Problem> {
    let mut bindings = Bindings { bindings: vec![Vec::new(); module.resources.len()] };
    for resource in module.resources.iter().filter(|it| it.used) {
        let view = resource.kind.view();
        if !matches!(view.contents, Contents::Constants | Contents::Buffer) {
            let what = format!("`{}` is a {}", resource.name, view.name);
            return Err(Problem::new(what).help("the playground binds buffers only"));
        }
        if resource.register.class.is_heap() {
            let what = format!("`{}` is in a descriptor heap", resource.name);
            return Err(Problem::new(what).help("the playground binds named buffers only"));
        }
    }
    let mut left = MOST_MEMORY;
    for (name, text) in &flags.binds {
        let fail = |what: String| Problem::new(format!("`--bind {name}={text}`: {what}"));
        let (base, element) = split_element(name)
            .ok_or_else(|| Problem::new(format!("expected `Name` or `Name[k]`, not `{name}`")))?;
        let Some(index) = module.resources.iter().position(|it| it.name == base) else {
            if unreached.iter().any(|it| it.name == base) {
                continue;
            }
            let known = module.resources.iter().chain(unreached).map(|it| it.name.as_str());
            return Err(fail(format!("the shader has no buffer `{base}`")).known(base, known));
        };
        let resource = &module.resources[index];
        if let Some(other) = resource.alias_of {
            let of = &module.resource(other).name;
            return Err(fail(format!("it names the memory of `{of}`, which alone is bound")));
        }
        let most = resource.count.unwrap_or(MOST_ELEMENTS);
        if element >= most {
            return Err(fail(format!("it has {}", value::counted(most as usize, "element"))));
        }
        if !resource.used {
            continue;
        }
        let buffer = contents(resource, text, &mut left).map_err(fail)?;
        let elements = &mut bindings.bindings[index];
        if elements.len() <= element as usize {
            elements.resize(element as usize + 1, Buffer::default());
        }
        elements[element as usize] = buffer;
    }
    fill(flags, module, &mut bindings, &mut left)?;
    set(flags, module, unreached, &mut bindings)?;
    for (name, count) in &flags.counters {
        let (base, element) = split_element(name).unwrap_or((name, 0));
        let index = module.resources.iter().position(|it| it.name == base);
        let buffer = index.and_then(|it| bindings.bindings.get_mut(it)?.get_mut(element as usize));
        match buffer.and_then(|it| it.what.counter_mut()) {
            Some(counter) => *counter = *count,
            None => {
                let what =
                    format!("`--counter {name}={count}`: the shader uses no buffer `{name}`");
                return Err(Problem::new(what));
            }
        }
    }
    Ok(bindings)
}

/// Zeros for what the flags do not bind.
fn fill(
    flags: &Flags,
    module: &Module,
    bindings: &mut Bindings,
    left: &mut usize,
) -> Result<(), Problem> {
    let groups = flags.groups.iter().fold(1, |all: u64, it| all.saturating_mul(u64::from(*it)));
    let threads = groups.saturating_mul(u64::from(module.threads_per_group()));
    for (resource, elements) in module.resources.iter().zip(&mut bindings.bindings) {
        let count = if resource.used { resource.count.unwrap_or(1).min(MOST_ELEMENTS) } else { 1 };
        elements.resize(elements.len().max(count as usize), Buffer::default());
        if !resource.used {
            continue;
        }
        let text = match resource.kind.view().contents {
            Contents::Constants => "[1]".to_owned(),
            _ => format!("[{threads}]"),
        };
        for buffer in elements.iter_mut().filter(|it| it.bytes.is_empty()) {
            *buffer = contents(resource, &text, left)
                .map_err(|what| Problem::new(format!("zeros for `{}`: {what}", resource.name)))?;
        }
    }
    Ok(())
}

fn set(
    flags: &Flags,
    module: &Module,
    unreached: &[Resource],
    bindings: &mut Bindings,
) -> Result<(), Problem> {
    for (path, text) in &flags.sets {
        let fail = |what: String| Problem::new(format!("`--set {path}={text}`: {what}"));
        let target = member::find(path, &module.resources, unreached).map_err(|why| match why {
            NotFound::NoPath => fail("it is not the path of a member".to_owned()),
            NotFound::Whole(resource) => {
                let name = &resource.name;
                fail(format!("`{name}` is a whole buffer")).help(format!("write `--bind {name}=…`"))
            }
            NotFound::Unknown { name, known } => {
                fail("no constant buffer has this member".to_owned())
                    .known(&name, known.into_iter())
            }
            NotFound::Ambiguous(names) => fail("it is ambiguous".to_owned())
                .help(format!("the members are: {}", names.join(", "))),
        })?;
        let index = module.resources.iter().position(|it| it.name == target.resource.name);
        let elements = index.and_then(|it| bindings.bindings.get_mut(it));
        let buffer = elements.and_then(|it| it.get_mut(target.element as usize));
        let value = value::parse(text, &mut open).map_err(fail)?;
        if let Some(buffer) = buffer.filter(|_| target.is_reached) {
            target.write(&value, &mut buffer.bytes).map_err(fail)?;
        }
    }
    Ok(())
}

/// The buffer for a resource, taken from what is left of the memory.
fn contents(resource: &Resource, text: &str, left: &mut usize) -> Result<Buffer, String> {
    let value = value::parse(text, &mut open)?;
    let too_large = || format!("the playground holds at most {} MiB", MOST_MEMORY >> 20);
    // Before anything is allocated: a scalar in text may be a whole element of the buffer.
    let stride = values::Layout::of(&resource.kind, None).stride;
    let each = if value.scalar.is_some() { 8 } else { stride };
    if value.count.is_some_and(|it| it.saturating_mul(each) > MOST_MEMORY.saturating_mul(8)) {
        return Err(too_large());
    }
    let (buffer, _) = values::buffer::contents(resource, value)?;
    *left = left.checked_sub(buffer.bytes.len()).ok_or_else(too_large)?;
    Ok(buffer)
}

fn open(path: &str) -> Result<Vec<u8>, String> {
    Err(format!("`{path}` cannot be read: the playground has no files"))
}

/// `Name` or `Name[k]`.
fn split_element(name: &str) -> Option<(&str, u32)> {
    let Some((base, index)) = name.split_once('[') else { return Some((name, 0)) };
    Some((base, index.strip_suffix(']')?.trim().parse().ok()?))
}

/// How a buffer is named on the page: with its element where it is one of several.
pub(crate) fn named(resource: &Resource, element: usize) -> String {
    match resource.count {
        Some(1) => resource.name.clone(),
        _ => format!("{}[{element}]", resource.name),
    }
}

/// Whether the page shows it after a run.
pub(crate) fn is_result(resource: &Resource) -> bool {
    // An alias has no separate memory.
    resource.used && resource.alias_of.is_none() && resource.kind.writable()
}
