//! Buffers that a job binds to several resources: these share memory, as views of one buffer do.
//!
//! Only single buffers without a hidden counter can; for the others of a buffer that is written, each resource has a
//! copy, which the outcome of an unexpected result says.

use wavelane::{AddressKind, Contents, Resource as Declared, Shader};

use super::{declared, place};
use crate::job::Job;

/// A resource of the shader and the buffer that the job binds to it.
struct Named<'a> {
    declared: &'a Declared,
    buffer: usize,
    /// Whether it can share memory.
    is_single: bool,
}

/// The shader as one in which the resources to which a job binds one buffer share its memory. What a pass binds itself
/// is left out.
pub(crate) fn aliased(job: &Job, shader: Shader, is_vulkan: bool) -> Shader {
    let is_rebound =
        |name: &str| job.passes.iter().flat_map(|it| &it.bind).any(|it| it.resource == name);
    let mut pairs: Vec<(String, String)> = Vec::new();
    for mut group in groups(&named(job, &shader, is_vulkan)) {
        group.retain(|it| it.is_single && !is_rebound(&it.declared.name));
        // A typed buffer decides the format of the texels.
        let is_typed = |it: &&&Named<'_>| it.declared.kind.view().address == AddressKind::Texel;
        let Some(owner) = group.iter().find(is_typed).or(group.first()).map(|it| it.declared)
        else {
            continue;
        };
        let others = group.iter().map(|it| it.declared).filter(|it| it.name != owner.name);
        pairs.extend(others.map(|it| (it.name.clone(), owner.name.clone())));
    }
    let share = |shader: Shader, (name, of): &(String, String)| {
        shader.with_alias(name, of).unwrap_or(shader)
    };
    pairs.iter().fold(shader, share)
}

/// What is written and has several copies nevertheless.
pub(super) fn copies(job: &Job, shader: &Shader, is_vulkan: bool) -> Vec<String> {
    let all = named(job, shader, is_vulkan);
    let told = groups(&all).into_iter().filter(|group| group.iter().any(|it| !it.is_single));
    let told = told.map(|group| {
        let names: Vec<&str> = group.iter().map(|it| it.declared.name.as_str()).collect();
        format!(
            "`{}` is bound to `{}`, and each of them has a copy: only single buffers without a counter share memory",
            job.buffers[group[0].buffer].name,
            names.join("` and `")
        )
    });
    told.collect()
}

/// The resources of each buffer that several of them name, one of which is written.
fn groups<'a, 'b>(all: &'b [Named<'a>]) -> Vec<Vec<&'b Named<'a>>> {
    let mut groups: Vec<Vec<&Named<'_>>> = Vec::new();
    for it in all {
        match groups.iter_mut().find(|group| group[0].buffer == it.buffer) {
            Some(group) if group.iter().any(|known| known.declared.name == it.declared.name) => {}
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    groups.retain(|it| it.len() > 1 && it.iter().any(|it| it.declared.kind.writable()));
    groups
}

/// Everything that the descriptor sets bind a buffer to.
fn named<'a>(job: &Job, shader: &'a Shader, is_vulkan: bool) -> Vec<Named<'a>> {
    let mut all = Vec::new();
    for (set, resources) in job.sets.iter().enumerate() {
        for resource in resources.iter().filter(|it| it.feedback.is_none()) {
            let Some(buffer) = resource.buffer else { continue };
            let (class, index, space) = place(resource, set, shader, is_vulkan);
            let parts = job.buffers[buffer].data.len();
            for part in 0..parts {
                let register = index.saturating_add(part as u32);
                for declared in declared(shader, class, register, space, resource.kind) {
                    let view = declared.kind.view();
                    let is_plain = view.contents == Contents::Buffer && !view.counter;
                    let is_single = is_plain
                        && parts == 1
                        && declared.count == Some(1)
                        && !resource.has_counter
                        && !resource.is_reserved;
                    all.push(Named { declared, buffer, is_single });
                }
            }
        }
    }
    all
}
