//! Sampler feedback as arithmetic: what a device without an instruction for it does leaves the words that the reference
//! engine leaves, over filters, address modes, levels and sizes; and so does a kernel in PTX.

use interp::NoObserver;
use legalize::{Feedback, Target};
use suite::emulate::{Outcome, compare, known_feedback};
use suite::legalized::fault;
use suite::run;
use suite::section::Section;

/// Every lane writes at places in and around the texture, at levels and with gradients of all sizes.
const BODY: &str = "
    uint i = lane;
    for (uint round = 0; round < 3; round++) {
        float2 at = float2((i * 37 % 101) / 40.0 - 0.7, (i * 53 % 89) / 30.0 - 1.1);
        if (i % 29 == 5) at.x = asfloat(0x7fc00000);
        if (i % 37 == 7) at.x = i % 2 ? -1e-20 : 1e-20;
        if (i % 41 == 8) at.y = -1e-12;
        if (i % 31 == 6) at.y = i % 2 ? asfloat(0x7f800000) : -1e30;
        float level = (i * 11 % 97) / 13.0 - 1.5;
        float2 dx = float2((i * 7 % 23) / 50.0, (i * 5 % 19) / 90.0);
        float2 dy = float2((i * 3 % 17) / 300.0, (i * 13 % 29) / 70.0);
        if (i % 3 == 0) LEVEL
        else if (i % 3 == 1) GRADIENTS
        else LIMITED
        i += 128;
    }
    EXPECT_EQ(lane, WaveGetLaneIndex());
";

/// A section with two maps of a texture, sampled in that way.
fn section(size: &str, region: &str, sampler: &str, is_array: bool) -> Section {
    let (array, layers) = if is_array { ("Array", " layers 3") } else { ("", "") };
    let at = if is_array { "float3(at, level)" } else { "at" };
    let both = |method: &str, rest: &str| {
        format!("{{ Least.{method}(T, S, {at}, {rest}); Used.{method}(T, S, {at}, {rest}); }}")
    };
    let body = BODY
        .replace("LEVEL", &both("WriteSamplerFeedbackLevel", "level"))
        .replace("GRADIENTS", &both("WriteSamplerFeedbackGrad", "dx, dy"))
        .replace("LIMITED", &both("WriteSamplerFeedbackGrad", "dx, dy, level"));
    let text = format!(
        "//--- one\n//# texture T R8_UNORM {size}{layers}\n//# feedback Least min-mip T {region}\n\
         //# feedback Used used T {region}\n//# sampler S {sampler}\n\
         Texture2D{array}<float4> T; SamplerState S;\n\
         FeedbackTexture2D{array}<SAMPLER_FEEDBACK_MIN_MIP> Least;\n\
         FeedbackTexture2D{array}<SAMPLER_FEEDBACK_MIP_REGION_USED> Used;\n\
         [numthreads(WIDTH, 1, 1)]\nvoid main(uint lane : SV_GroupIndex) {{{body}}}\n"
    );
    suite::section::read("feedback.hlsl", &text).unwrap().remove(0)
}

fn check(section: &Section) {
    let module = run::compile(section, 128).unwrap().module.expect("the section compiles");
    let before = run::inputs(section, &module).unwrap();
    let launch = run::launch(section, &module, 128);
    let mut wanted = before.clone();
    interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
    assert_ne!(wanted, before, "something is written");
    let target = Target::vulkan(true, true).with_feedback(known_feedback(&before));
    if let Some(what) = fault(&module, &target, &launch, &before, &wanted) {
        panic!("{what}\n{}", section.text);
    }
    let module = run::compile(section, 32).unwrap().module.expect("the section compiles");
    let before = run::inputs(section, &module).unwrap();
    let launch = run::launch(section, &module, 32);
    let mut wanted = before.clone();
    interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
    match compare(&module, 90, &launch, &before, &wanted, 1) {
        Outcome::Same => {}
        other => panic!("{other:?}\n{}", section.text),
    }
}

#[test]
fn feedback_by_arithmetic_leaves_the_same_maps() {
    let modes = ["wrap", "mirror", "clamp", "border", "mirror-once"];
    let filters = ["nearest", "linear", "linear mip=nearest", "nearest mag=linear mip=linear"];
    for (number, mode) in modes.into_iter().enumerate() {
        for (other, filter) in filters.into_iter().enumerate() {
            let is_first = (number + other) % 2 == 0;
            let (size, region) =
                if is_first { ("32x64 mips 6", "4x8") } else { ("37x23 mips 5", "8x4") };
            let sampler = format!("{filter} {mode} v={} lod=-1..3.5", modes[(number + other) % 5]);
            check(&section(size, region, &sampler, number == other));
        }
    }
    check(&section("1000x16 mips 3", "256x4", "linear wrap bias=0.75 lod=0.25..9", false));
}

#[test]
fn feedback_by_arithmetic_takes_the_probes_of_anisotropic_filters() {
    let modes = ["wrap", "mirror", "clamp", "border", "mirror-once"];
    for (number, mode) in modes.into_iter().enumerate() {
        let (size, region) =
            if number % 2 == 0 { ("32x64 mips 6", "4x8") } else { ("37x23 mips 5", "8x4") };
        let most = [2, 3, 4, 8, 16][number];
        let sampler = format!("linear {mode} anisotropic={most} lod=-1..3.5");
        check(&section(size, region, &sampler, number == 2));
    }
    // The filters within a level do not count, that between levels does.
    check(&section("64x64 mips 7", "4x4", "nearest wrap anisotropic=16", false));
    check(&section("64x64", "4x4", "linear mirror anisotropic=7 bias=-0.5", false));
}

/// A probe just before a region, whose place in texels times the size of the largest level cannot be represented as a
/// double.
#[test]
fn feedback_by_arithmetic_is_exact_between_doubles() {
    let text = include_str!("../../../../suite/texture/feedback.hlsl");
    let sections = suite::section::read("feedback.hlsl", text).unwrap();
    let near = sections.iter().find(|it| it.name == "probes-just-before-a-region");
    check(near.expect("the suite has the section"));
}

/// Lanes choose maps, textures and samplers of arrays, right pairs and wrong ones, elements without a map and beyond
/// the end.
#[test]
fn feedback_by_arithmetic_chooses_among_the_elements_of_arrays() {
    let text = "//--- one
//# texture T[0] R8_UNORM 32x16 mips 4
//# texture T[1] R8_UNORM 20x24 mips 3
//# texture T[2] R8_UNORM 16x16
//# texture Other R8_UNORM 16x16 mips 2
//# feedback Least[0] min-mip T[1] 4x8
//# feedback Least[1] none
//# feedback Least[2] min-mip T[0] 4x4
//# feedback Least[3] min-mip Other 8x8
//# feedback Used[0] used T[0] 8x4
//# feedback Used[1] used T[2] 4x4
//# sampler S[0] linear clamp
//# sampler S[1] nearest wrap
//# sampler S[2] linear mirror anisotropic=4 lod=0..1.5
Texture2D<float4> T[3], Other; SamplerState S[3];
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Least[4];
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> Used[2];
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    for (uint i = lane; i < 600; i += WIDTH) {
        float2 at = float2((i * 37 % 101) / 60.0 - 0.3, (i * 53 % 89) / 50.0 - 0.4);
        float2 dx = float2((i * 7 % 23) / 50.0, (i * 5 % 19) / 90.0);
        float2 dy = float2((i * 3 % 17) / 300.0, (i * 13 % 29) / 70.0);
        uint t = NonUniformResourceIndex(i % 3), s = NonUniformResourceIndex(i / 3 % 4);
        uint l = NonUniformResourceIndex(i / 12 % 5), u = NonUniformResourceIndex(i / 6 % 3);
        Least[l].WriteSamplerFeedbackGrad(T[t], S[s], at, dx, dy);
        Used[u].WriteSamplerFeedbackLevel(T[t], S[s], at, (i % 7) / 3.0);
        Used[1].WriteSamplerFeedbackLevel(T[2], S[s], at + 0.1, 0);
        Least[3].WriteSamplerFeedbackLevel(Other, S[1], at, 1);
        uint width, height, levels;
        Least[l].GetDimensions(0, width, height, levels);
        EXPECT_EQ(width, l == 0 ? 20 : l == 2 ? 32 : l == 3 ? 16 : 0);
        EXPECT_EQ(levels, l == 0 ? 3 : l == 2 ? 4 : l == 3 ? 2 : 0);
    }
}
";
    check(&suite::section::read("feedback.hlsl", text).unwrap().remove(0));
}

#[test]
fn maps_without_a_known_sampler_are_left_alone() {
    let section = section("32x32", "8x8", "linear wrap", false);
    let module = run::compile(&section, 4).unwrap().module.unwrap();
    let before = run::inputs(&section, &module).unwrap();
    let without = |it: Feedback| Feedback { samplers: Vec::new(), ..it };
    let unknown = known_feedback(&before).into_iter().map(without).collect();
    for (known, left) in [(Vec::new(), 2), (unknown, 2), (known_feedback(&before), 0)] {
        let legal = legalize::legalize(&module, &Target::vulkan(true, true).with_feedback(known));
        let is_map = |it: &ir::Resource| matches!(it.kind, ir::ResourceKind::Feedback { .. });
        assert_eq!(legal.resources.iter().filter(|it| is_map(it)).count(), left);
    }
}
