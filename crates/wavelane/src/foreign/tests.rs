//! Modules that our own emitter makes, taken for foreign ones, with names and layouts changed.

use super::*;
use crate::{NoIncludes, Options, Shader, ShaderModel};
use spirv::{Environment, Vulkan};

const SOURCE: &str = "struct Item { float3 place; uint id; };
    cbuffer Params : register(b2) { uint Count; }
    StructuredBuffer<Item> In : register(t1);
    RWStructuredBuffer<uint> Out : register(u4);
    RWByteAddressBuffer Log : register(u6);
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
        if (i < Count) { Out[i] = WaveActiveSum(In[i].id); Log.Store(4 * i, Out.IncrementCounter()); }
    }";

fn shader(text: &str) -> Shader {
    let options = Options { shader_model: ShaderModel::V6_7, ..Options::default() };
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
fn the_reflection_of_our_emitter_is_found_in_its_module() {
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

const TEXTURES: &str = "Texture2D<float4> T : register(t0);
    Texture2DArray<int> Layers[3] : register(t1);
    SamplerState S : register(s0);
    RWTexture2D<float> U : register(u0);
    RWTexture3D<uint> Count : register(u1);
    Buffer<uint> B : register(t5);
    RWBuffer<float> R : register(u2);
    [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) {
        float4 sampled = T.SampleLevel(S, float2(i, 0), 0);
        U[uint2(i, 0)] = U[uint2(i, 0)] * sampled.x + Layers[i & 1].Load(int4(i, 0, 1, 0));
        InterlockedAdd(Count[uint3(0, 0, i)], B[i]);
        R[i] = sampled.y;
    }";

#[test]
fn textures_and_samplers_are_found_with_the_formats_that_the_module_names() {
    let shader = shader(TEXTURES);
    // Older modules name formats.
    for vulkan in [Vulkan::V1_1, Vulkan::V1_3] {
        let environment = Environment { vulkan, ..Environment::default() };
        let emitted = shader.spirv(&environment, None).unwrap().unwrap();
        for bytes in [emitted.bytes(), nameless(&emitted.words)] {
            let found = Foreign::parse(&bytes).unwrap().emitted(&shader);
            let found = found.unwrap_or_else(|error| panic!("{error}")).reflection;
            let key = |it: &spirv::Binding| (it.set, it.binding);
            let (mut found, mut expected) = (found.bindings, emitted.reflection.bindings.clone());
            found.sort_by_key(key);
            expected.sort_by_key(key);
            assert_eq!(found, expected, "{}", vulkan.name());
        }
    }
}

#[test]
fn an_image_of_another_kind_or_element_type_is_refused() {
    let foreign = Foreign::parse(&emitted(&shader(TEXTURES)).bytes()).unwrap();
    for (from, to, message) in [
        ("Texture2D<float4> T", "Texture2D<uint4> T", "`T` has another element type than `T`"),
        ("RWTexture2D<float> U", "RWTexture2D<int> U", "`U` has another element type"),
        ("RWBuffer<float> R", "RWBuffer<uint> R", "`R` has another element type"),
        ("RWTexture3D<uint> Count", "RWTexture2DArray<uint> Count", "`Count` differs in kind"),
        ("Layers[3]", "Layers[2]", "`Layers` is an array of a different length"),
    ] {
        let text = TEXTURES.replace(from, to);
        let error = foreign.check(&shader(&text)).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_heap_with_several_views_is_refused_by_name() {
    let text = "RWStructuredBuffer<float> Out : register(u0);
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            Texture2D<float> t = ResourceDescriptorHeap[0];
            Buffer<uint> b = ResourceDescriptorHeap[1];
            Out[i] = t.Load(int3(i, 0, 0)) + b[i];
        }";
    let shader = shader(text);
    let error = Foreign::parse(&emitted(&shader).bytes()).unwrap().check(&shader).unwrap_err();
    let message = "`ResourceDescriptorHeap` with several types".to_owned();
    assert_eq!(error, ForeignError::Unsupported(message));
}

/// A module whose group size is the specialization constant with number 3, times two, beside constants of other
/// types.
fn specializable() -> Vec<u32> {
    let inst = |opcode: u32, words: &[u32]| -> Vec<u32> {
        [&[(words.len() as u32 + 1) << 16 | opcode], words].concat()
    };
    let [main, void, ty, uint, short, long, boolean] = [1, 2, 3, 4, 5, 6, 7];
    let (times, two, size, one) = (10, 11, 12, 13);
    let (flag, small, large) = (14, 15, 16);
    let name = u32::from_le_bytes(*b"main");
    [
        vec![0x0723_0203, 0x0001_0600, 0, 30, 0],
        inst(17, &[1]),
        inst(14, &[0, 1]),
        inst(15, &[5, main, name, 0]),
        // LocalSizeId
        inst(331, &[main, 38, size, one, one]),
        inst(71, &[times, 1, 3]),
        inst(71, &[flag, 1, 4]),
        inst(71, &[small, 1, 5]),
        inst(71, &[large, 1, 6]),
        inst(19, &[void]),
        inst(21, &[uint, 32, 0]),
        inst(21, &[short, 16, 1]),
        inst(21, &[long, 64, 0]),
        inst(20, &[boolean]),
        inst(33, &[ty, void]),
        inst(50, &[uint, times, 2]),
        inst(43, &[uint, two, 2]),
        inst(43, &[uint, one, 1]),
        inst(52, &[uint, size, 132, times, two]),
        inst(48, &[boolean, flag]),
        inst(50, &[short, small, 7]),
        inst(50, &[long, large, 7, 0]),
        inst(54, &[void, main, 0, ty]),
        inst(56, &[]),
    ]
    .concat()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|it| it.to_le_bytes()).collect()
}

#[test]
fn specialization_constants_get_the_values_of_the_shader_and_keep_their_defaults() {
    let with = |threads: u32, constants: &[(u32, u64)]| {
        let text = format!("[numthreads({threads}, 1, 1)] void main() {{}}");
        let plain = shader(&text);
        Shader { specialization: constants.into(), ..plain }
    };
    let words = specializable();
    let foreign = Foreign::parse(&bytes(&words)).unwrap();
    let found = foreign.emitted(&with(4, &[(99, 7)])).unwrap();
    assert_eq!(found.words, words);
    let error = foreign.check(&with(10, &[])).unwrap_err().to_string();
    assert!(error.contains("4×1×1 threads, and the shader's 10×1×1"), "{error}");

    let given = [(3, 5), (4, 0), (5, 0xfffe), (6, 1 << 40 | 9)];
    let found = foreign.emitted(&with(10, &given)).unwrap();
    let changed: Vec<(u32, u32)> =
        words.iter().zip(&found.words).filter(|(a, b)| a != b).map(|(a, b)| (*a, *b)).collect();
    let opcodes = (3 << 16 | 48, 3 << 16 | 49);
    assert_eq!(changed, [(2, 5), opcodes, (7, 0xffff_fffe), (7, 9), (0, 1 << 8)]);
}

#[test]
fn a_group_size_computed_in_another_way_is_refused_by_name() {
    let mut words = specializable();
    // A multiplication becomes an OpSelect.
    let at = words.iter().position(|it| *it == 132).unwrap();
    words[at] = 169;
    let error = Foreign::parse(&bytes(&words))
        .unwrap()
        .check(&shader("[numthreads(4, 1, 1)] void main() {}"));
    let message = "the size of its groups is computed from specialization constants".to_owned();
    assert_eq!(error, Err(ForeignError::Unsupported(message)));
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
        ("numthreads(8, 1, 1)", "numthreads(16, 1, 1)", "8×1×1 threads, and the shader's 16×1×1"),
        ("> Out :", "> Other :", "`Out` matches no resource of the source"),
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
fn a_damaged_module_never_makes_the_parser_panic() {
    let mut random = ops::Random::new(7);
    let specialized = Shader { specialization: [(3, 9), (4, 1), (6, 2)].into(), ..shader(SOURCE) };
    let inputs = [
        (shader(SOURCE), emitted(&shader(SOURCE)).bytes()),
        (shader(TEXTURES), emitted(&shader(TEXTURES)).bytes()),
        (specialized, bytes(&specializable())),
    ];
    for (shader, bytes) in inputs {
        damage(&shader, &bytes, &mut random);
    }
}

fn damage(shader: &Shader, bytes: &[u8], random: &mut ops::Random) {
    let try_it = |bytes: &[u8]| {
        if let Ok(foreign) = Foreign::parse(bytes) {
            let _ = foreign.check(shader);
            foreign.reconverges(shader);
        }
    };
    for length in (0..bytes.len()).step_by(3) {
        try_it(&bytes[..length]);
    }
    for _ in 0..4000 {
        let mut damaged = bytes.to_vec();
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

#[test]
fn capabilities_show_whether_lanes_are_observed() {
    assert!(sees_lanes(opcode::CAP_GROUP) && sees_lanes(opcode::CAP_SUBGROUP_BALLOT_KHR));
    assert!(!sees_lanes(opcode::CAP_SHADER));
}
