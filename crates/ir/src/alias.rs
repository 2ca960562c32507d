//! Aliases: one buffer under two names of a module.
//!
//! Engines compile for them, because they decide which accesses may touch the same bytes. All of them find the memory
//! of an alias by [`Module::storage`].

use std::fmt;

use crate::{Binding, Contents, Module, Resource};

impl Module {
    /// Makes one resource name the memory of another one: both must be buffers, and their types may differ, as those of
    /// two views of one buffer.
    pub fn alias(&mut self, name: &str, of: &str) -> Result<(), AliasError> {
        let resources = &self.resources;
        let wrong = |name: &str, problem| AliasError { name: name.to_owned(), problem };
        let find = |name: &str| {
            resources.iter().position(|it| it.name == name).ok_or_else(|| {
                let known = resources.iter().map(|it| it.name.as_str());
                let similar = diag::most_similar(name, known).map(str::to_owned);
                wrong(name, AliasProblem::NoSuchResource { similar })
            })
        };
        let (index, other) = (find(name)?, find(of)?);
        if index == other {
            return Err(wrong(name, AliasProblem::Itself));
        }
        for resource in [&resources[index], &resources[other]] {
            if let Some(problem) = unfit(resource) {
                return Err(wrong(&resource.name, problem));
            }
        }
        let named = |it: Binding| resources[it.index()].name.clone();
        if let Some(first) = resources[index].alias_of {
            return Err(wrong(name, AliasProblem::Twice { of: named(first) }));
        }
        if let Some(last) = resources[other].alias_of {
            return Err(wrong(name, AliasProblem::Chain { of: named(last) }));
        }
        if resources.iter().any(|it| it.alias_of == Some(Binding(index as u32))) {
            return Err(wrong(name, AliasProblem::Chain { of: of.to_owned() }));
        }
        // The memory is needed if either is used.
        let used = resources[index].used;
        self.resources[index].alias_of = Some(Binding(other as u32));
        self.resources[other].used |= used;
        Ok(())
    }
}

/// Why a resource shares no memory with others.
fn unfit(resource: &Resource) -> Option<AliasProblem> {
    let view = resource.kind.view();
    match view.contents {
        Contents::Buffer if view.is_buffer() && view.counter => Some(AliasProblem::Counter),
        Contents::Buffer if view.is_buffer() => {
            (resource.count != Some(1)).then_some(AliasProblem::Array)
        }
        Contents::Constants => Some(AliasProblem::Constants),
        _ => Some(AliasProblem::NoBuffer { kind: view.name }),
    }
}

/// Why a resource cannot be an alias, or have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasError {
    /// The name of the resource.
    pub name: String,
    /// What is wrong.
    pub problem: AliasProblem,
}

/// What is wrong with an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AliasProblem {
    /// The shader declares no resource of that name, or does not use it.
    NoSuchResource {
        /// A resource with a similar name.
        similar: Option<String>,
    },
    /// It would be an alias of itself.
    Itself,
    /// It is an alias already.
    Twice {
        /// Of this resource.
        of: String,
    },
    /// It would be the alias of an alias, or has one itself.
    Chain {
        /// The resource that has the memory of all.
        of: String,
    },
    /// It is an array of resources.
    Array,
    /// It is a constant buffer, whose contents do not change during a dispatch.
    Constants,
    /// It has a hidden counter, which belongs to one view alone.
    Counter,
    /// It is a texture, a sampler, or something else without the bytes of a buffer.
    NoBuffer {
        /// What it is, as HLSL spells it.
        kind: &'static str,
    },
}

impl fmt::Display for AliasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.problem {
            AliasProblem::NoSuchResource { similar } => {
                write!(f, "the shader uses no buffer `{name}`")?;
                match similar {
                    Some(similar) => write!(f, "; did you mean `{similar}`?"),
                    None => Ok(()),
                }
            }
            AliasProblem::Itself => write!(f, "`{name}` cannot be an alias of itself"),
            AliasProblem::Twice { of } => write!(f, "`{name}` is an alias of `{of}` already"),
            AliasProblem::Chain { of } => {
                write!(
                    f,
                    "`{name}` would take part in a chain of aliases; name `{of}` in each of them"
                )
            }
            AliasProblem::Array => {
                write!(f, "`{name}` is an array of resources; only single buffers share memory")
            }
            AliasProblem::Constants => write!(
                f,
                "`{name}` is a constant buffer, whose contents do not change during a dispatch; only other buffers \
                 share memory"
            ),
            AliasProblem::Counter => write!(
                f,
                "`{name}` has a hidden counter, which belongs to one view alone; only buffers without one share memory"
            ),
            AliasProblem::NoBuffer { kind } => {
                write!(f, "`{name}` is a `{kind}`; only buffers share memory")
            }
        }
    }
}

impl std::error::Error for AliasError {}
