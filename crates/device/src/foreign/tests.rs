//! Modules that our own emitter makes, taken for foreign ones, with names and layouts changed.

use super::*;
use crate::{NoIncludes, Options, Shader};
use spirv::Environment;

const SOURCE: &str = "struct Item { float3 place; uint id; };
    cbuffer Params : register(b2) { uint Count; }
    StructuredBuffer<Item> In : register(t1);
    RWStructuredBuffer<uint> Out : register(u4);
    RWByteAddressBuffer Log : register(u6);
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
        if (i < Count) { Out[i] = WaveActiveSum(In[i].id); Log.Store(4 * i, Out.IncrementCounter()); }
    }";

fn shader(text: &str) -> Shader {
    let options = Options { shader_model: (6, 6), ..Options::default() };
    let compiled = Shader::compile("a.hlsl", text, &options, &mut NoIncludes).unwrap();
    compiled.shader.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

fn emitted(shader: &Shader) -> Emitted {
    shader.spirv(&Environment::default(), None).unwrap().unwrap()
}

/// The module without names.
fn nameless(words: &[u32]) -> Vec<u8> {
    let (header, mut rest) = words.split_at(5);
    let mut kept = header.to_vec();
    while let Some(first) = rest.first() {
        let (inst, left) = rest.split_at((first >> 16) as usize);
        if first & 0xffff != 5 {
            kept.extend_from_slice(inst);
        }
        rest = left;
    }
    kept.iter().flat_map(|it| it.to_le_bytes()).collect()
}

#[test]
fn what_our_emitter_says_of_its_module_is_found_in_the_module() {
    let shader = shader(SOURCE);
    let emitted = emitted(&shader);
    let foreign = Foreign::parse(&emitted.bytes()).unwrap();
    assert!(foreign.reconverges(&shader));
    let found = foreign.emitted(&shader).unwrap_or_else(|error| panic!("{error}"));
    let key = |it: &spirv::Binding| (it.set, it.binding);
    let sorted = |mut it: Vec<spirv::Binding>| {
        it.sort_by_key(key);
        it
    };
    assert_eq!(sorted(found.reflection.bindings), sorted(emitted.reflection.bindings));
    assert_eq!(found.words, emitted.words);
}

#[test]
fn bindings_without_names_are_matched_by_their_numbers() {
    let text =
        "RWStructuredBuffer<uint> A : register(u0); RWStructuredBuffer<uint> B : register(u1);
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { A[i] = i; B[i] = 2 * i; }";
    let shader = shader(text);
    let bytes = nameless(&emitted(&shader).words);
    let foreign = Foreign::parse(&bytes).unwrap();
    let found = foreign.emitted(&shader).unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<(&str, u32)> =
        found.reflection.bindings.iter().map(|it| (it.name.as_str(), it.binding)).collect();
    assert_eq!(names, [("A", 0), ("B", 1)]);
    // All bindings shifted by ten are the same registers.
    let mut shifted = bytes.clone();
    let words = bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]));
    let words: Vec<u32> = words.collect();
    for at in 5..words.len() - 3 {
        if words[at] == 0x0004_0047 && words[at + 2] == 33 {
            let number = words[at + 3] + 10;
            shifted[4 * (at + 3)..4 * (at + 4)].copy_from_slice(&number.to_le_bytes());
        }
    }
    let found = Foreign::parse(&shifted).unwrap().emitted(&shader).unwrap();
    let numbers: Vec<u32> = found.reflection.bindings.iter().map(|it| it.binding).collect();
    assert_eq!(numbers, [10, 11]);
}

#[test]
fn modules_of_other_shaders_are_refused_with_a_reason() {
    let bytes = emitted(&shader(SOURCE)).bytes();
    let foreign = Foreign::parse(&bytes).unwrap();
    for (from, to, message) in [
        (
            "numthreads(8, 1, 1)",
            "numthreads(16, 1, 1)",
            "8×1×1 threads, those of the shader 16×1×1",
        ),
        ("> Out :", "> Other :", "`Out` is no resource of the source"),
        ("RWByteAddressBuffer Log", "RWBuffer<uint> Log", "`Log`"),
    ] {
        let text = SOURCE
            .replace(from, to)
            .replace(" Out[", if to.contains("Other") { " Other[" } else { " Out[" });
        let text = match to {
            "> Other :" => text.replace("Out.Inc", "Other.Inc"),
            "RWBuffer<uint> Log" => text.replace(
                "Log.Store(4 * i, Out.IncrementCounter());",
                "Log[i] = Out.IncrementCounter();",
            ),
            _ => text,
        };
        let error = foreign.check(&shader(&text)).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn no_damage_to_a_module_makes_the_reader_panic() {
    let shader = shader(SOURCE);
    let bytes = emitted(&shader).bytes();
    let mut random = ir::XorShift::new(7);
    let try_it = |bytes: &[u8]| {
        if let Ok(foreign) = Foreign::parse(bytes) {
            let _ = foreign.check(&shader);
            foreign.reconverges(&shader);
        }
    };
    for length in (0..bytes.len()).step_by(3) {
        try_it(&bytes[..length]);
    }
    for _ in 0..4000 {
        let mut damaged = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(damaged.len());
            damaged[at] = match random.below(3) {
                0 => 0xff,
                1 => 0,
                _ => random.below(256) as u8,
            };
        }
        try_it(&damaged);
    }
}
