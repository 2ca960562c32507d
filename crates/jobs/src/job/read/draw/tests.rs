//! Reading draws, and the messages about wrong ones.

use wavelane::graphics::{
    Blend, BlendOp, Equation, Factor, IndexFormat, LogicOp, Scissor, StencilFace, StencilOp,
};

use super::*;

const SMALL: &str = "Shaders: [{ Stage: Vertex, Entry: vs }, { Stage: Pixel, Entry: ps }]
Buffers:
  - { Name: V, Format: Float32, Stride: 20, FillSize: 60 }
  - { Name: T, Format: Float32, Channels: 4, FillSize: 128, OutputProps: { Width: 4, Height: 2, Depth: 1 } }
  - { Name: Idx, Format: UInt16, Data: [0, 1, 2, 2, 1, 0] }
  - { Name: Inst, Format: Float32, FillSize: 24 }
  - { Name: U, Format: Hex32, FillSize: 32, OutputProps: { Width: 4, Height: 2, Depth: 1 } }
  - { Name: S, Format: Hex8, FillSize: 8 }
Bindings:
  VertexBuffer: V
  VertexAttributes:
    - { Format: Float32, Channels: 3, Offset: 0, Name: POSITION }
    - { Format: Float32, Channels: 2, Offset: 12, Name: TEXCOORD }
  RenderTarget: T
DescriptorSets: []
";

const OWN: &str = "Raster:
  Topology: TriangleStrip
  IndexBuffer: { Name: Idx, Format: UInt16 }
  Instances: 3
  InstanceBuffer: Inst
  InstanceAttributes: [{ Format: Float32, Channels: 2, Offset: 0, Name: OFFSET }]
  RenderTargets:
    - { Name: U, Format: RGBA8_UNORM, Clear: [0, 0, 0, 1] }
  DepthStencil: { Format: D32_FLOAT_S8X24_UINT, Clear: 0.5, Func: Greater, Write: false,
    Stencil: { Name: S, Clear: 7, Ref: 1, ReadMask: 15, WriteMask: 240, Back: { Func: Never, Fail: Invert } } }
  Samples: 4
  SampleMask: 5
  Blend: { Src: SrcAlpha, Dst: InvSrcAlpha, WriteMask: 7, AlphaToCoverage: true }
  Cull: Back
  Front: Clockwise
  DepthBias: { Bias: -4, Slope: 0.5 }
  Viewports: [{ Width: 4, Height: 2, MinDepth: 0.25 }]
  Scissors: [{ Left: -1, Top: 0, Right: 2, Bottom: 2 }]
";

fn own() -> String {
    format!("{}{OWN}", SMALL.replace("  RenderTarget: T\n", ""))
}

fn draw(text: &str, api: Api) -> Draw {
    read_for(text, api).unwrap_or_else(|errors| panic!("{errors:?}")).draw.unwrap()
}

#[test]
fn a_draw_has_the_fixed_state_of_its_api() {
    let it = draw(SMALL, Api::DirectX);
    assert_eq!((it.count, it.instances, it.vertices.stride), (3, 1, 20));
    assert_eq!(it.targets[0].format, Format::parse("R32G32B32A32_FLOAT").unwrap());
    let less = DepthState { func: Comparison::Less, write: true };
    assert_eq!((it.depth.tests.depth, it.depth.clear), (Some(less), 1.0));
    assert_eq!(
        (it.topology, it.cull, it.samples),
        (Topology::TriangleList, Cull::None, Samples::One)
    );
    assert!(!it.front_is_clockwise && it.viewports.is_empty());
    let text = SMALL.replace("Offset: 12", "Offset: 16");
    assert_eq!(draw(&text, Api::Vulkan).vertices.stride, 24);
    assert_eq!(draw(&text, Api::DirectX).vertices.stride, 20);
    let func = draw(&text, Api::Vulkan).depth.tests.depth.unwrap().func;
    assert_eq!(func, Comparison::LessEqual);
    let text = format!("{SMALL}DispatchParameters: {{ VertexCount: 2 }}\n");
    assert_eq!(draw(&text, Api::DirectX).count, 2);
}

#[test]
fn raster_replaces_the_fixed_state_field_by_field() {
    let it = draw(&own(), Api::Wavelane);
    assert_eq!((it.topology, it.count, it.instances), (Topology::TriangleStrip, 6, 3));
    assert_eq!(it.index, Some(IndexBuffer { buffer: 2, format: IndexFormat::Uint16 }));
    assert_eq!(
        (it.per_instance.stride, it.per_instance.attributes[0].name.as_str()),
        (8, "OFFSET")
    );
    assert_eq!(
        (it.targets[0].format.to_string().as_str(), it.targets[0].clear[3]),
        ("RGBA8_UNORM", 1.0)
    );
    let greater = DepthState { func: Comparison::Greater, write: false };
    assert_eq!((it.depth.tests.depth, it.depth.clear), (Some(greater), 0.5));
    let stencil = it.depth.tests.stencil.unwrap();
    assert_eq!((it.depth.stencil_buffer, it.depth.stencil_clear), (Some(5), 7));
    assert_eq!(stencil.reference, 1);
    assert_eq!((stencil.read_mask, stencil.write_mask), (15, 240));
    let keep = StencilOp::Keep;
    let face = StencilFace { func: Comparison::Always, fail: keep, depth_fail: keep, pass: keep };
    assert_eq!(stencil.front, face);
    assert_eq!((stencil.back.func, stencil.back.fail), (Comparison::Never, StencilOp::Invert));
    assert_eq!((it.samples, it.sample_mask, it.cull), (Samples::Four, 5, Cull::Back));
    assert!(it.front_is_clockwise && it.alpha_to_coverage);
    assert_eq!(it.bias, DepthBias { bias: -4, slope: 0.5, clamp: 0.0 });
    assert_eq!((it.viewports[0].min_depth, it.viewports[0].max_depth), (0.25, 1.0));
    assert_eq!(it.scissors[0], Scissor { left: -1, top: 0, right: 2, bottom: 2 });
    let Blend { color, alpha } = it.write.blend.unwrap();
    assert_eq!((it.write.write_mask, it.write.logic), (7, None));
    let (src, dst) = (Factor::SrcAlpha, Factor::InvSrcAlpha);
    assert_eq!(color, Equation { src, dst, op: BlendOp::Add });
    assert_eq!(alpha, Equation { src: Factor::One, dst: Factor::Zero, op: BlendOp::Add });
    // A mask alone blends nothing.
    let text = own().replace("Src: SrcAlpha, Dst: InvSrcAlpha, ", "");
    assert_eq!(draw(&text, Api::Wavelane).write.blend, None);
    let text = own().replace("Src: SrcAlpha, Dst: InvSrcAlpha, ", "Logic: Xor, ");
    assert_eq!(draw(&text, Api::Wavelane).write.logic, Some(LogicOp::Xor));
}

#[test]
fn wrong_draws_are_refused_where_they_are_wrong() {
    let own = own();
    let mut wrong = Vec::new();
    for (text, from, to, place, message) in [
        (
            SMALL,
            ", { Stage: Pixel, Entry: ps }",
            "",
            "[{ Stage: Vertex, Entry: vs }]",
            "no pixel shader",
        ),
        (
            SMALL,
            "{ Stage: Vertex, Entry: vs }, ",
            "",
            "[{ Stage: Pixel, Entry: ps }]",
            "starts with",
        ),
        (SMALL, "Stage: Vertex, Entry: vs", "Stage: Pixel, Entry: vs", "ps", "two pixel shaders"),
        (SMALL, "Stage: Vertex, Entry: vs", "Stage: Hull, Entry: vs", "vs", "needs a domain"),
        (SMALL, "[{ Stage: V", "[{ Stage: Mesh, Entry: ms }, { Stage: V", "ms", "not both"),
        (SMALL, "VertexBuffer: V", "VertexBufer: V", "VertexBufer", "did you mean `VertexBuffer`?"),
        (SMALL, "VertexBuffer: V", "VertexBuffer: W", "W", "no buffer `W`"),
        (SMALL, "  VertexBuffer: V\n", "", "", "need a `VertexBuffer`"),
        (SMALL, "Channels: 3", "Channels: 5", "5", "1 to 4 channels"),
        (SMALL, "Offset: 12, Name: TEXCOORD", "Offset: 12", "Format", "missing key `Name`"),
        (SMALL, "Name: TEXCOORD", "Name: position", "position", "defined twice"),
        (SMALL, "RenderTarget: T", "RenderTarget: S", "S", "not the format of a target"),
        (
            SMALL,
            "FillSize: 128, OutputProps: { Width: 4",
            "FillSize: 0, OutputProps: { Width: 0",
            "T",
            "is empty",
        ),
        (
            SMALL,
            "  RenderTarget: T\n",
            "",
            "[{ Stage: Vertex, Entry: vs }, { Stage: Pixel, Entry: ps }]",
            "no target",
        ),
        (
            SMALL,
            "RenderTarget: T",
            "RenderTarget: T\n  PatchControlPoints: 3",
            "3",
            "only a `PatchList`",
        ),
        (
            SMALL,
            "RenderTarget: T",
            "RenderTarget: T\n  Topology: PatchList",
            "PatchList",
            "hull and domain",
        ),
        (
            SMALL,
            "DescriptorSets",
            "DispatchParameters: { DispatchGroupCount: [1, 1, 1] }\nDescriptorSets",
            "[1, 1, 1]",
            "VertexCount",
        ),
        (
            SMALL,
            "DescriptorSets",
            "DispatchParameters: { VertexCount: 4000000000 }\nDescriptorSets",
            "4000000000",
            "at most 67108864",
        ),
        (SMALL, "DescriptorSets", "Raster: {}\nDescriptorSets", "Raster", "--profile wavelane"),
        (&own, "TriangleStrip", "TriangleFan", "TriangleFan", "expected one of PointList"),
        (&own, "Format: UInt16 }", "Format: UInt8 }", "UInt8", "did you mean"),
        (&own, "Name: OFFSET", "Name: TEXCOORD", "TEXCOORD", "an attribute of the vertices"),
        (
            &own,
            "  InstanceBuffer: Inst\n",
            "",
            "[{ Format: Float32, Channels: 2, Offset: 0, Name: OFFSET }]",
            "need an `InstanceBuffer`",
        ),
        (&own, "RGBA8_UNORM", "R16_UNORM", "R16_UNORM", "has 4 bytes"),
        (&own, "RGBA8_UNORM", "BC1_UNORM", "BC1_UNORM", "not the format of a target"),
        (&own, "RGBA8_UNORM", "RGB9E5_SHAREDEXP", "RGB9E5_SHAREDEXP", "not the format of a target"),
        (&own, "Clear: [0, 0, 0, 1]", "Clear: [0, 0, 0]", "[0, 0, 0]", "has 4 numbers"),
        (&own, "Clear: 0.5", "Clear: 2", "2", "from 0 to 1"),
        (&own, "D32_FLOAT_S8X24_UINT", "D16_UNORM", "D16_UNORM", "no stencil"),
        (&own, "Clear: 7", "Clear: 256", "256", "eight bits"),
        (&own, "Stencil: { Name: S", "Stencil: { Name: U", "U", "`Hex8`"),
        (&own, "Samples: 4", "Samples: 3", "3", "1, 2, 4, 8 or 16"),
        (&own, "WriteMask: 7", "WriteMask: 16", "16", "four bits"),
        (&own, "Dst: InvSrcAlpha", "SrcAlpha: SrcColor", "SrcColor", "cannot be a colour"),
        (&own, "Dst: InvSrcAlpha", "Logic: Or", "Or", "leave out"),
        (&own, "Dst: InvSrcAlpha", "Dst: Src1Color, Op: Max", "Max", "two sources"),
        (&own, "Cull: Back", "Cull: Behind", "Behind", "expected one of None, Front, Back"),
        (
            &own,
            "Width: 4, Height: 2, MinDepth: 0.25",
            "Width: 1e9, Height: 2",
            "{ Width: 1e9, Height: 2 }",
            "between",
        ),
        (&own, "Width: 4, Height: 2, MinDepth: 0.25", "Width: nan, Height: 2", "nan", "finite"),
        (
            &own,
            "MinDepth: 0.25",
            "MinDepth: 1.5",
            "{ Width: 4, Height: 2, MinDepth: 1.5 }",
            "0 to 1",
        ),
        (&own, ", Bottom: 2", "", "Left", "missing key `Bottom`"),
        (
            &own,
            "DescriptorSets",
            "DispatchParameters: { VertexCount: 7 }\nDescriptorSets",
            "7",
            "holds 6 indices",
        ),
    ] {
        // A `Raster` is refused in a job of the public format.
        let api = if text == SMALL { Api::DirectX } else { Api::Wavelane };
        let text = text.replacen(from, to, 1);
        let Err(errors) = read_for(&text, api) else {
            wrong.push(format!("{to}: accepted"));
            continue;
        };
        let is_it = |it: &&Error| {
            let shown = format!("{} {}", it.message, it.help.as_deref().unwrap_or(""));
            shown.contains(message) && (place.is_empty() || text[it.at.clone()] == *place)
        };
        if !errors.iter().any(|it| is_it(&it)) {
            wrong.push(format!("{to}: {errors:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn samples_count_as_memory() {
    let text = own()
        .replace(
            "FillSize: 32, OutputProps: { Width: 4, Height: 2",
            "FillSize: 67108864, OutputProps: { Width: 4096, Height: 4096",
        )
        .replace("Samples: 4", "Samples: 16");
    let errors = read_for(&text, Api::Wavelane).unwrap_err();
    assert!(errors[0].message.contains("with the samples of this target"), "{errors:?}");
}
