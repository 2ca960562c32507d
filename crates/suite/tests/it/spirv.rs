//! Every section of the suite that compiles, and generated programs, are emitted as SPIR-V for every version of
//! Vulkan, in the ways that `suite::validate` lists, and validated by `spirv-val`.
//!
//! `SPIRV_VAL` names the validator, otherwise the one on the path is used. Without one the test prints that it
//! skips, and still emits. A validator that does not know an extension gets the modules without it, and the test
//! says so.
//! Modules that are not emitted are counted by reason, and the counts are printed.

#![expect(clippy::print_stdout, reason = "what is skipped or missing must be seen")]

use std::collections::BTreeMap;

use spirv::{Environment, NoDebug, Vulkan};
use suite::validate::{Shader, Validator, Verdict, Ways, environment, sections};

const WIDTH: u32 = 32;
/// Generated programs; `cargo xtask fuzz --spirv` runs as many as you like.
const PROGRAMS: u64 = 400;

/// The generator's programs, with which GPUs are compared.
fn generated() -> Vec<(String, Shader)> {
    let mut programs = suite::gpu::Generated::new(WIDTH);
    let module = |seed| {
        let module = programs.module(seed).expect("a generated program compiles");
        (format!("seed {seed}"), module.into())
    };
    (0..PROGRAMS).map(module).collect()
}

#[test]
fn every_section_that_compiles_is_emitted_and_validates() {
    let validator = Validator::find();
    match &validator {
        None => skipped::skipped!("there is no spirv-val, so the modules are emitted only"),
        Some(it) if !it.shortcomings().is_empty() => {
            println!("{} does not know {}", it.path(), it.shortcomings().join(", "));
        }
        Some(_) => {}
    }
    let modules = [sections(WIDTH).expect("the suite can be read"), generated()].concat();
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut emitted = 0;
    for (number, (name, module)) in modules.iter().enumerate() {
        for (turn, vulkan) in Vulkan::ALL.into_iter().enumerate() {
            // Neighbours alternate, so that each version gets modules emitted in each way.
            let ways = Ways::ALL[(number + turn) % Ways::ALL.len()];
            let verdict = match &validator {
                Some(it) if it.versions().contains(&vulkan) => it.judge(module, vulkan, ways),
                _ => match module.emit(&environment(vulkan, ways)) {
                    Ok(_) => Verdict::Valid,
                    Err(unsupported) => Verdict::NotEmitted(unsupported.what),
                },
            };
            match verdict {
                Verdict::Valid => emitted += 1,
                Verdict::NotEmitted(what) => *missing.entry(what).or_default() += 1,
                Verdict::Invalid(what) => {
                    failures.push(format!("{name} for {}, {ways:?}: {what}", vulkan.name()));
                }
            }
        }
    }
    let all = modules.len() * Vulkan::ALL.len();
    println!("{emitted} of {all} modules emitted; not emitted: {missing:?}");
    // These need extensions, or are not expressed.
    let known = [
        "levels of detail without SPV_KHR_compute_shader_derivatives",
        "barycentric coordinates without SPV_KHR_fragment_shader_barycentric",
        "rasterizer-ordered views without SPV_EXT_fragment_shader_interlock",
        suite::validate::POSITION_FETCH,
        "ray queries before Vulkan 1.2",
        "mesh shaders before Vulkan 1.2",
        // Samplers are not known without bindings.
        "sampler feedback",
    ];
    assert!(missing.keys().all(|it| known.contains(it)), "{missing:?}");
    assert!(emitted > all * 9 / 10, "{emitted} of {all}");
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_validator_rejects_invalid_modules() {
    let Some(validator) = Validator::find() else {
        skipped::skipped!("there is no spirv-val");
        return;
    };
    let module = &generated()[0].1;
    let environment = validator.environment(Vulkan::V1_3, Ways::ALL[0]);
    let made = module.emit(&environment).expect("it is emitted");
    assert_eq!(validator.validate(&made.bytes(), Vulkan::V1_3), Ok(()));
    let cut = &made.bytes()[..4 * (made.words.len() - 1)];
    assert!(validator.validate(cut, Vulkan::V1_3).is_err());
}

/// The listing of a shader.
fn listing(text: &str, profile: &str) -> String {
    let module = suite::pixels::compile(text, profile).unwrap_or_else(|what| panic!("{what}"));
    let everything = environment(Vulkan::V1_3, Ways { extended: true, exact: false });
    let emitted = spirv::emit(&module, &everything, &NoDebug).expect("it is emitted");
    spirv::listing(&emitted.words)
}

#[test]
fn loops_of_mesh_shaders_with_several_waves_are_behind_a_ballot_if_they_see_lanes() {
    let ballots = |threads: u32, body: &str| {
        let text = format!(
            "struct V {{ float4 p : SV_Position; }};
            groupshared uint all;
            [numthreads({threads}, 1, 1)] [outputtopology(\"point\")]
            void main(uint i : SV_GroupIndex, out vertices V v[64], out indices uint points[64]) {{
                SetMeshOutputCounts(64, 64);
                uint sum = 0;
                {body}
                v[i].p = sum;
                points[i] = i;
            }}"
        );
        let module = suite::pixels::compile(&text, "ms_6_6").unwrap_or_else(|it| panic!("{it}"));
        let ways = Ways { extended: true, exact: false };
        let environment = Environment { lanes: Some(32), ..environment(Vulkan::V1_3, ways) };
        let emitted = spirv::emit(&module, &environment, &NoDebug).expect("it is emitted");
        let listing = spirv::listing(&emitted.words);
        assert_eq!(listing.matches("BuiltIn PointSize").count(), 1, "{listing}");
        listing.matches("VectorExtractDynamic").count()
    };
    let sum = "for (uint k = 0; k < (i & 3); ++k) sum += WaveActiveSum(k);";
    assert_eq!(ballots(64, sum), 1);
    assert_eq!(ballots(32, sum), 0, "there is one wave");
    let blind = "for (uint k = 0; k < (i & 3); ++k) sum += k;";
    assert_eq!(ballots(64, blind), 0, "no operation sees lanes");
    let uniform = "for (uint k = 0; k < 3; ++k) { all = k; GroupMemoryBarrierWithGroupSync(); sum += WaveActiveSum(k); }";
    assert_eq!(ballots(64, uniform), 0, "a barrier stays in uniform flow");
}

#[test]
fn inputs_and_outputs_of_pixel_shaders_are_decorated_as_declared() {
    let text = "struct V {
            float4 p : SV_Position;
            noperspective centroid float2 uv : TEXCOORD;
            nointerpolation uint3 k : K;
            sample float h : H;
        };
        float4 main(V v, uint i : SV_PrimitiveID, bool f : SV_IsFrontFace, out float d : SV_DepthGreaterEqual)
            : SV_Target2 {
            d = v.p.z;
            if (f) discard;
            return v.uv.x + v.k.y + v.h + i + v.p.w + ddx(v.uv.y);
        }";
    let listing = listing(text, "ps_6_6");
    for line in [
        "EntryPoint 4 %main",
        "ExecutionMode %main OriginUpperLeft",
        "ExecutionMode %main DepthReplacing",
        "ExecutionMode %main DepthGreater",
        "ExecutionMode %main RequireFullQuadsKHR",
        "Decorate %SV_Target2 Location 2",
        "Decorate %TEXCOORD Location 0",
        "Decorate %TEXCOORD NoPerspective",
        "Decorate %TEXCOORD Centroid",
        "Decorate %K Flat",
        "Decorate %H Sample",
        "BuiltIn FragCoord",
        "BuiltIn FrontFacing",
        "BuiltIn PrimitiveId",
        "BuiltIn FragDepth",
        "DemoteToHelperInvocation",
    ] {
        assert!(listing.contains(line), "{line}\n{listing}");
    }
    let early =
        "[earlydepthstencil] float4 main(out float d : SV_Depth) : SV_Target { d = 0; return 1; }";
    let listing = self::listing(early, "ps_6_6");
    assert!(listing.contains("EarlyFragmentTests") && !listing.contains("FragDepth"), "{listing}");
}

#[test]
fn vertex_shaders_see_indices_without_their_bases() {
    let text = "struct V { float4 p : SV_Position; float2 c : SV_ClipDistance; float d : SV_CullDistance; uint k : K; };
        V main(uint v : SV_VertexID, uint i : SV_InstanceID, float3 a : A) {
            V o = { float4(a, v), float2(a.xy), a.z, i };
            return o;
        }";
    let listing = listing(text, "vs_6_6");
    for line in [
        "EntryPoint 0 %main",
        "BuiltIn VertexIndex",
        "BuiltIn BaseVertex",
        "BuiltIn InstanceIndex",
        "BuiltIn BaseInstance",
        "BuiltIn Position",
        "BuiltIn ClipDistance",
        "BuiltIn CullDistance",
        "Decorate %A Location 0",
        "Decorate %K Location 0",
    ] {
        assert!(listing.contains(line), "{line}\n{listing}");
    }
    assert_eq!(listing.matches(" ISub ").count(), 2, "{listing}");
}

#[test]
fn mesh_shaders_store_vectors_as_wholes() {
    let text = "struct V { float4 p : SV_Position; float2 c : SV_ClipDistance; float3 color : COLOR; float k : K; float2x2 m : MAT; };
        struct P { uint id : SV_PrimitiveID; uint2 pair : PAIR; };
        [numthreads(4, 1, 1)] [outputtopology(\"triangle\")]
        void main(uint i : SV_GroupIndex, out vertices V v[4], out indices uint3 t[4], out primitives P p[4]) {
            SetMeshOutputCounts(4, 4);
            V own = { float4(i, 1, 0, 1), float2(i, 1), float3(1, i, 2), i, float2x2(1, 2, 3, i) };
            v[i] = own;
            t[i] = uint3(0, 1, i);
            p[i].id = i;
            p[i].pair = uint2(i, 7);
        }";
    let listing = listing(text, "ms_6_6");
    // llvmpipe loses components of vectors that are stored alone.
    for (decoration, indices) in [
        ("BuiltIn Position", 1),
        ("BuiltIn ClipDistance", 2),
        ("COLOR Location", 1),
        ("MAT Location", 1),
        ("PAIR Location", 1),
    ] {
        let found = listing.lines().find(|it| it.contains("Decorate") && it.contains(decoration));
        let variable = found.and_then(|it| it.split_whitespace().nth(1));
        let variable = variable.unwrap_or_else(|| panic!("no {decoration}\n{listing}"));
        let mut chains = listing.lines().filter_map(|it| {
            let mut words = it.split_whitespace().skip_while(|it| *it != "AccessChain").skip(2);
            (words.next() == Some(variable)).then(|| words.count())
        });
        assert_eq!(chains.next(), Some(indices), "{decoration}\n{listing}");
        assert!(chains.all(|it| it == indices), "{decoration}\n{listing}");
    }
}
