//! A dispatch takes the table of its own shader, and no other one.

#![allow(clippy::print_stdout, reason = "engines that this machine lacks are printed")]

use wavelane::{
    Adapter, Buffer, Device, Dispatch, DispatchError, Engine, NoIncludes, Options, ResourceTable,
    Shader,
};

/// A device for each engine that works here; those that do not are printed.
fn devices() -> Vec<Device> {
    let open = |engine: Engine| match Device::with_engine(Adapter::reference(), engine) {
        Ok(device) => Some(device),
        Err(why) => {
            println!("skipped: `{}`: {}", engine.name(), why.missing);
            None
        }
    };
    [Engine::Interp, Engine::Cpu, Engine::Vulkan].into_iter().filter_map(open).collect()
}

fn words(words: &[u32]) -> Buffer {
    let bytes = words.iter().flat_map(|it| it.to_le_bytes()).collect();
    Buffer { bytes, ..Buffer::default() }
}

const ADD: &str = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
    [numthreads(4, 1, 1)] void add(uint i : SV_GroupIndex) { Out[i] = In[i] + 1; }";
/// Declares the same, the other way round.
const SWAPPED: &str = "RWStructuredBuffer<uint> Out; StructuredBuffer<uint> In;
    [numthreads(4, 1, 1)] void swap(uint i : SV_GroupIndex) { Out[i] = In[i] + 1; }";
/// Declares more.
const MORE: &str = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
    RWStructuredBuffer<uint> More;
    [numthreads(4, 1, 1)] void more(uint i : SV_GroupIndex) { Out[i] = In[i]; More[i] = 1; }";
/// Declares the same, and does something else.
const DOUBLED: &str = "StructuredBuffer<uint> In; RWStructuredBuffer<uint> Out;
    [numthreads(4, 1, 1)] void twice(uint i : SV_GroupIndex) { Out[i] = In[i] * 2; }";

fn options(entry: &str) -> Options {
    Options { entry: entry.to_owned(), ..Options::default() }
}

fn shader(name: &str, entry: &str, text: &str) -> Shader {
    let compiled = Shader::compile(name, text, &options(entry), &mut NoIncludes).unwrap();
    compiled.shader.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

fn add_table() -> ResourceTable {
    let mut table = ResourceTable::new(&shader("add.hlsl", "add", ADD));
    table.bind("In", 0, words(&[1, 2, 3, 4])).unwrap();
    table.bind("Out", 0, words(&[0; 4])).unwrap();
    table
}

#[test]
fn a_table_of_another_shader_is_refused_on_every_engine() {
    for device in devices() {
        for (name, entry, text) in [("swapped.hlsl", "swap", SWAPPED), ("more.hlsl", "more", MORE)]
        {
            let pipeline = device.create_compute_pipeline(&shader(name, entry, text)).unwrap();
            let mut table = add_table();
            let error = pipeline.dispatch(&Dispatch::new([1, 1, 1]), &mut table).unwrap_err();
            assert_eq!(
                error,
                DispatchError::OtherShader {
                    table: "`add` of `add.hlsl`".to_owned(),
                    pipeline: format!("`{entry}` of `{name}`"),
                }
            );
            let message = error.to_string();
            assert!(
                message.contains("`add` of `add.hlsl`") && message.contains(entry),
                "{message}"
            );
            assert_eq!(table.get("In", 0), Some(&words(&[1, 2, 3, 4])));
            assert_eq!(table.get("Out", 0), Some(&words(&[0; 4])));
        }
    }
}

#[test]
fn a_table_fits_a_shader_that_declares_the_same_resources() {
    for device in devices() {
        let pipeline =
            device.create_compute_pipeline(&shader("twice.hlsl", "twice", DOUBLED)).unwrap();
        let mut table = add_table();
        pipeline.dispatch(&Dispatch::new([1, 1, 1]), &mut table).unwrap();
        assert_eq!(table.get("Out", 0), Some(&words(&[2, 4, 6, 8])));
    }
}
