//! State of draws through the device API: stencil, depth from the shader, slices, pull-model evaluation, examination.

use wavelane::graphics::*;
use wavelane::sanitizer::{Kind, Order, Plan};
use wavelane::texture::{Comparison, Shape};
use wavelane::*;

use crate::draws::{drawing, format, stage, target};

/// A triangle over the whole target for each instance, at depth 0.1, 0.2 and so on.
const LAYERS: &str = "
    struct V { float4 position : SV_Position; nointerpolation uint instance : ID; float2 uv : UV; };
    V main(uint id : SV_VertexID, uint instance : SV_InstanceID) {
        float2 uv = float2(id == 1 ? 2 : 0, id == 2 ? 2 : 0);
        V v = { float4(uv * float2(2, -2) + float2(-1, 1), 0.1 * (instance + 1), 1), instance, uv };
        return v;
    }";

fn tables(vertex: &Shader, pixel: &Shader) -> [ResourceTable; 2] {
    [vertex, pixel].map(ResourceTable::new)
}

/// Every pixel counts the layers that pass, and the reference of the draw stops them.
#[test]
fn a_stencil_counts_layers_up_to_the_reference_of_the_draw() {
    let vertex = stage("vs_6_0", LAYERS);
    let pixel = stage("ps_6_0", "float4 main() : SV_Target { return 1; }");
    for device in drawing() {
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        desc.targets = vec![Some(format("R32_FLOAT"))];
        desc.depth_format = Some(DepthFormat::D32FloatS8X24Uint);
        let face = StencilFace {
            func: Comparison::Greater,
            pass: StencilOp::Incr,
            ..StencilFace::default()
        };
        let stencil = StencilState {
            read_mask: 0xff,
            write_mask: 0xff,
            reference: 9,
            front: face,
            back: face,
        };
        desc.depth_stencil.stencil = Some(stencil);
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        let image = target("R32_FLOAT", 2, 2);
        let depth =
            DepthTarget::new(DepthFormat::D32FloatS8X24Uint, 2, 2, 1, Samples::One).unwrap();
        let mut draw = Draw::new(3);
        draw.instances = 5;
        draw.targets = vec![Some(RenderTarget::from(&image))];
        draw.depth = Some(depth.clone());
        draw.stencil_ref = 3;
        let [of_vertex, of_pixel] = tables(&vertex, &pixel);
        pipeline.draw(&draw, &of_vertex, Some(&of_pixel)).unwrap();
        assert_eq!(depth.stencil().unwrap().read_bytes().unwrap(), [3; 4]);
        depth.clear(1.0, 200).unwrap();
        pipeline.draw(&draw, &of_vertex, Some(&of_pixel)).unwrap();
        assert_eq!(depth.stencil().unwrap().read_bytes().unwrap(), [200; 4]);
    }
}

/// `SV_Depth` replaces the depth of the triangle, is clamped to the viewport's range, and is what is stored.
#[test]
fn a_shader_writes_depth() {
    let vertex = stage("vs_6_0", LAYERS);
    let pixel = stage(
        "ps_6_0",
        "struct V { float4 position : SV_Position; nointerpolation uint instance : ID; };
         float main(V v, out float depth : SV_Depth) : SV_Target {
             depth = v.position.x < 1 ? 0.75 - 0.25 * v.instance : 7;
             return v.instance + 1;
         }",
    );
    for device in drawing() {
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        desc.targets = vec![Some(format("R32_FLOAT"))];
        desc.depth_format = Some(DepthFormat::D32Float);
        desc.depth_stencil.depth = Some(DepthState { func: Comparison::LessEqual, write: true });
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        let image = target("R32_FLOAT", 2, 1);
        let depth = DepthTarget::new(DepthFormat::D32Float, 2, 1, 1, Samples::One).unwrap();
        let mut draw = Draw::new(3);
        draw.instances = 2;
        draw.targets = vec![Some(RenderTarget::from(&image))];
        draw.depth = Some(depth.clone());
        draw.viewports = vec![Viewport { max_depth: 0.875, ..Viewport::whole(2, 1) }];
        let [of_vertex, of_pixel] = tables(&vertex, &pixel);
        pipeline.draw(&draw, &of_vertex, Some(&of_pixel)).unwrap();
        assert_eq!(depth.depth().read::<f32>().unwrap(), [0.5, 0.875]);
        assert_eq!(image.read::<f32>().unwrap(), [2.0, 2.0]);
    }
}

/// Instances go to slices of their own; a level of a texture can be the target.
#[test]
fn slices_and_levels_are_targets() {
    let vertex = stage(
        "vs_6_0",
        "struct V { float4 position : SV_Position; nointerpolation uint slice : SV_RenderTargetArrayIndex; };
         V main(uint id : SV_VertexID, uint instance : SV_InstanceID) {
             V v = { float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1), instance };
             return v;
         }",
    );
    let pixel = stage(
        "ps_6_0",
        "float main(float4 p : SV_Position, uint slice : SV_RenderTargetArrayIndex) : SV_Target {
             return slice * 10 + p.x;
         }",
    );
    for device in drawing() {
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        desc.targets = vec![Some(format("R32_FLOAT"))];
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        let shape = Shape { layers: 3, levels: 2, ..Shape::new(format("R32_FLOAT"), 4, 2, 1) };
        let image = Texture::new(shape).unwrap();
        let mut draw = Draw::new(3);
        draw.instances = 3;
        draw.targets = vec![Some(RenderTarget::of_level(&image, 1))];
        let [of_vertex, of_pixel] = tables(&vertex, &pixel);
        pipeline.draw(&draw, &of_vertex, Some(&of_pixel)).unwrap();
        // Each slice has eight texels, then two of the second level.
        let texels = image.read::<f32>().unwrap();
        for (slice, texels) in texels.chunks(10).enumerate() {
            let first = slice as f32 * 10.0;
            assert_eq!(texels[..8], [0.0; 8]);
            assert_eq!(texels[8..], [first + 0.5, first + 1.5]);
        }
    }
}

/// Inputs are evaluated again at other places, and a value at each vertex can be read.
#[test]
fn inputs_are_evaluated_at_other_places() {
    let vertex = stage("vs_6_1", LAYERS);
    let pixel = stage(
        "ps_6_1",
        "struct V { float4 position : SV_Position; nointerpolation uint instance : ID; float2 uv : UV; };
         float4 main(V v) : SV_Target {
             return float4(v.uv.x, EvaluateAttributeSnapped(v.uv, int2(-8, 0)).x,
                           EvaluateAttributeAtSample(v.uv, 1).x, GetAttributeAtVertex(v.instance, 2));
         }",
    );
    for device in drawing() {
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        desc.targets = vec![Some(format("RGBA32_FLOAT"))];
        desc.samples = Samples::Four;
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        let shape = Shape { samples: 4, ..Shape::new(format("RGBA32_FLOAT"), 2, 1, 1) };
        let image = Texture::new(shape).unwrap();
        let mut draw = Draw::new(3);
        draw.instances = 2;
        draw.targets = vec![Some(RenderTarget::from(&image))];
        let [of_vertex, of_pixel] = tables(&vertex, &pixel);
        pipeline.draw(&draw, &of_vertex, Some(&of_pixel)).unwrap();
        let image = resolved(&image).unwrap().read::<f32>().unwrap();
        assert_eq!(image[..4], [0.25, 0.0, 0.4375, 1.0]);
        assert_eq!(image[4..], [0.75, 0.5, 0.9375, 1.0]);
    }
}

/// Examining a draw finds what depends on packing, and changes nothing.
#[test]
fn a_draw_is_examined() {
    let vertex = stage("vs_6_0", LAYERS);
    let pixel = stage("ps_6_0", "uint main() : SV_Target { return WaveActiveCountBits(true); }");
    let device = Device::new(Adapter::reference());
    let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
    desc.targets = vec![Some(format("R32_UINT"))];
    let pipeline = device.create_graphics_pipeline(&desc).unwrap();
    let image = target("R32_UINT", 4, 4);
    let mut draw = Draw::new(3);
    draw.targets = vec![Some(RenderTarget::from(&image))];
    let [of_vertex, of_pixel] = tables(&vertex, &pixel);
    let plan = Plan::new(vec![4, 8]);
    let report = pipeline.examine(&draw, &plan, &of_vertex, Some(&of_pixel)).unwrap();
    let [(stage, seen)] = report.seen.as_slice() else { panic!("{:?}", report.seen) };
    assert_eq!((*stage, seen.finding.kind), (Stage::Pixel, Kind::DependsOnPacking));
    assert_eq!(seen.widths, [8]);
    assert_eq!(seen.order.map(|it| it.to_string()).as_deref(), Some("packing=one-quad"));
    assert!(seen.finding.site.text.contains("gets 8 of 8 pixels"), "{}", seen.finding.site.text);
    assert_eq!(image.read::<u32>().unwrap(), [0; 16]);
    // Declared differences, and orders that are not tried, are not findings.
    let declared = Plan { width_dependent: vec!["Target".to_owned()], ..plan.clone() };
    let none = Plan { widths: vec![8], orders: vec![Order::EarlyDepth], ..plan };
    for plan in [declared, none] {
        let report = pipeline.examine(&draw, &plan, &of_vertex, Some(&of_pixel)).unwrap();
        assert!(report.seen.is_empty(), "{:?}", report.seen);
    }
}
