//! The reference of diagnostic codes and the functions of the language.

mod library;

pub use library::{LibraryFunction, Overload, library_function, library_names};
pub use ops::concepts::{self, Concept};

use ops::intrinsics::{self, Elements, Found, Intrinsic, Origin, Output, Param, Stage};
use ops::{Barrier, MemoryScope, SyncScope};

/// The wave or quad function with that name or alias.
pub fn function(name: &str) -> Option<Function> {
    intrinsics::by_name(name).map(|found| Function { found })
}

/// What a name of another shading language is in HLSL: a sentence, and the function if it is one.
pub fn foreign(word: &str) -> Option<(String, Option<Function>)> {
    let found = hlsl::foreign::foreign(word)?;
    let function_named = match &found.hlsl {
        hlsl::foreign::Hlsl::Name(name) => function(name.trim_end_matches("()")),
        // The first function that the text names.
        hlsl::foreign::Hlsl::Text(text) => {
            text.split(|it: char| !it.is_ascii_alphanumeric()).find_map(function)
        }
    };
    Some((found.help(word), function_named))
}

/// The names of other shading languages for which [`foreign`] has an answer; it has more, which follow rules.
pub fn foreign_names() -> impl Iterator<Item = &'static str> {
    hlsl::foreign::words()
}

/// The names of all wave and quad functions, including aliases.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    intrinsics::all()
        .flat_map(|it| std::iter::once(it.name).chain(it.aliases.iter().map(|alias| alias.name)))
}

/// A wave or quad function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    found: Found,
}

impl Function {
    /// The canonical name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The HLSL declaration, with the types that `T` may be.
    pub fn signature(self) -> String {
        let row = self.row();
        let params: Vec<&str> = row.params.iter().map(|it| param(*it)).collect();
        let elements = row.params.iter().find_map(|it| match it {
            Param::Value(elements) => Some(self::elements(*elements)),
            Param::Bool
            | Param::LaneIndex
            | Param::ConstantLane
            | Param::Distance
            | Param::ClusterSize
            | Param::QuadIndex
            | Param::Lanes
            | Param::WaveMask => None,
        });
        let of = elements
            .map(|it| format!("\nT: {it}, as a scalar, vector or matrix"))
            .unwrap_or_default();
        format!("{} {}({}){of}", output(self.found.result()), row.name, params.join(", "))
    }

    /// What it returns or does, as a phrase.
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// Its aliases, each with its origin.
    pub fn aliases(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.row().aliases.iter().map(|it| (it.name, origin(it.origin)))
    }

    /// The lowest shader model that has it.
    pub fn since(self) -> intrinsics::ShaderModel {
        self.row().since
    }

    /// The origin of the function.
    pub fn origin(self) -> &'static str {
        origin(self.row().origin)
    }

    /// The stages in which it may be used, in words.
    pub fn stages(self) -> &'static str {
        let has = |stage| self.row().stages.contains(stage);
        match (has(Stage::Vertex), has(Stage::Pixel)) {
            (true, _) => "all",
            (false, true) => "pixel, compute, amplification, mesh, node",
            (false, false) => "compute, amplification, mesh, node",
        }
    }

    /// The address of its documentation.
    pub fn link(self) -> &'static str {
        self.row().link()
    }

    /// Which lanes take part, and what happens to the others.
    pub fn lanes(self) -> String {
        let row = self.row();
        let mut text = match row.meaning {
            intrinsics::Meaning::Wave(op) => op.facts().lanes.to_owned(),
            intrinsics::Meaning::Barrier(it) => of_barrier(it),
        };
        if row.is_masked() {
            text.push_str(
                "\nThe first argument names the lanes that take part, in place of the active set; it should be exactly the \
                 active set, and cannot name lanes beyond 31.",
            );
        }
        text
    }

    fn row(self) -> &'static Intrinsic {
        self.found.intrinsic
    }
}

fn param(param: Param) -> &'static str {
    match param {
        Param::Value(_) => "T value",
        Param::Bool => "bool condition",
        Param::LaneIndex => "uint lane",
        Param::ConstantLane => "constant uint lane",
        Param::Distance => "uint distance",
        Param::ClusterSize => "constant uint size",
        Param::QuadIndex => "uint lane",
        Param::Lanes => "uint4 lanes",
        Param::WaveMask => "uint lanes",
    }
}

fn elements(elements: Elements) -> &'static str {
    match elements {
        Elements::Any => "any number or bool",
        Elements::Numeric => "any number",
        Elements::Integer => "any integer",
        Elements::UnsignedInDxc => "any integer (DXC accepts only `uint` and `uint64_t`)",
    }
}

fn output(output: Output) -> &'static str {
    match output {
        Output::Void => "void",
        Output::Bool => "bool",
        Output::BoolShape => "bool<n>",
        Output::Uint | Output::WaveMask => "uint",
        Output::Uint4 => "uint4",
        Output::Value => "T",
    }
}

fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Hlsl => "HLSL",
        Origin::Draft => "the 2015 draft",
        Origin::Slang => "Slang",
    }
}

fn of_barrier(barrier: Barrier) -> String {
    let memory = match barrier.memory {
        MemoryScope::Group => "groupshared memory",
        MemoryScope::Device => "buffers and textures",
        MemoryScope::All => "all memory",
    };
    let sync = match barrier.sync {
        SyncScope::None => "No lane waits.",
        SyncScope::Wave => "The lanes of the wave wait for each other.",
        SyncScope::Group => {
            "All threads of the group wait for each other; in divergent flow that is undefined."
        }
    };
    format!("Orders accesses to {memory}. {sync}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adapter, Buffer, Device, Dispatch, NoIncludes, Options, ResourceTable, Shader};

    #[test]
    fn every_function_can_be_explained_under_each_of_its_names() {
        for name in function_names() {
            let function = function(name).unwrap();
            assert!(function.signature().contains(function.name()), "{name}");
            assert!(!function.lanes().is_empty() && !function.summary().is_empty(), "{name}");
        }
        let draft = function("WaveAllSum").unwrap();
        assert_eq!(draft.name(), "WaveActiveSum");
        assert!(draft.aliases().any(|it| it == ("WaveAllSum", "the 2015 draft")));
    }

    #[test]
    fn every_example_of_a_concept_gives_the_lanes_that_its_page_shows() {
        for concept in concepts::all() {
            let text = format!(
                "RWStructuredBuffer<uint> Out;\n[WaveSize(8)] [numthreads(8, 1, 1)]\n\
                 void main(uint i : SV_GroupIndex) {{\n{}\nOut[i] = x;\n}}\n",
                concept.example
            );
            let name = concept.name();
            let compiled = Shader::compile(name, &text, &Options::default(), &mut NoIncludes);
            let compiled = compiled.unwrap();
            assert!(compiled.diagnostics.is_empty(), "{name}: {:?}", compiled.diagnostics);
            let shader = compiled.shader.unwrap();
            let device = Device::new(Adapter::reference());
            let pipeline = device.create_compute_pipeline(&shader).unwrap();
            let mut table = ResourceTable::new(&shader);
            let out = Buffer::zeroed::<u32>(8);
            table.bind("Out", &out).unwrap();
            pipeline.dispatch(&Dispatch::new([1, 1, 1]), &table).unwrap();
            assert_eq!(out.read::<u32>().unwrap(), concept.lanes, "{name}");
        }
    }
}
