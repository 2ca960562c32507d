//! Sampler feedback as arithmetic: what a device without an instruction for it does leaves the words that the reference
//! engine leaves, over filters, address modes, levels and sizes.

use interp::NoObserver;
use ir::Module;
use ir::exec::Bindings;
use legalize::{Feedback, SamplerState, Target};
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

/// What a device is told about the resources of a section.
fn known(module: &Module, bindings: &Bindings) -> Vec<Feedback> {
    let texture = module.resources.iter().position(|it| it.name == "T").unwrap() as u32;
    let of = |it: &Vec<ir::exec::Buffer>| Feedback {
        sampler: it[0].what.sampler().as_ref().map(SamplerState::from),
        paired: it[0].what.feedback().map(|_| texture),
    };
    bindings.bindings.iter().map(of).collect()
}

fn check(section: &Section) {
    let module = run::compile(section, 128).unwrap().module.expect("the section compiles");
    let before = run::inputs(section, &module).unwrap();
    let launch = run::launch(section, &module, 128);
    let mut wanted = before.clone();
    interp::run(&module, &launch, &mut wanted, &mut NoObserver).unwrap();
    assert_ne!(wanted, before, "something is written");
    let target = Target::vulkan(true, true).with_feedback(known(&module, &before));
    if let Some(what) = fault(&module, &target, &launch, &before, &wanted) {
        panic!("{what}\n{}", section.text);
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
fn maps_without_a_known_sampler_are_left_alone() {
    let section = section("32x32", "8x8", "linear wrap anisotropic=4", false);
    let module = run::compile(&section, 4).unwrap().module.unwrap();
    let before = run::inputs(&section, &module).unwrap();
    for known in [Vec::new(), known(&module, &before)] {
        let legal = legalize::legalize(&module, &Target::vulkan(true, true).with_feedback(known));
        let is_map = |it: &ir::Resource| matches!(it.kind, ir::ResourceKind::Feedback { .. });
        assert_eq!(legal.resources.iter().filter(|it| is_map(it)).count(), 2);
    }
}
