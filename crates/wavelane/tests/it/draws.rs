//! Draws through the device API.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wavelane::graphics::*;
use wavelane::texture::{Comparison, Format, Shape};
use wavelane::*;

/// A shader of a stage; the entry point is `main`.
pub(crate) fn stage(profile: &str, text: &str) -> Shader {
    let stage = if profile.starts_with("vs") { Stage::Vertex } else { Stage::Pixel };
    let minor = profile[5..].parse().unwrap();
    let options =
        Options { stage, shader_model: ShaderModel { major: 6, minor }, ..Options::default() };
    let compiled = Shader::compile("draw.hlsl", text, &options, &mut NoIncludes).unwrap();
    compiled.shader().unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn format(name: &str) -> Format {
    Format::parse(name).unwrap()
}

fn attribute(semantic: &str, format_name: &str, offset: usize) -> InputElement {
    let semantic = semantic.to_owned();
    InputElement {
        semantic,
        index: 0,
        format: format(format_name),
        slot: 0,
        offset,
        step_rate: None,
    }
}

pub(crate) fn target(format_name: &str, width: u32, height: u32) -> Texture {
    Texture::new(Shape::new(format(format_name), width, height, 1)).unwrap()
}

/// A triangle that covers every target, without buffers.
const WHOLE: &str = "float4 main(uint i : SV_VertexID) : SV_Position {
    return float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
}";

/// The devices that draw.
pub(crate) fn drawing() -> Vec<Device> {
    crate::devices().into_iter().filter(|it| it.gpu().is_none()).collect()
}

/// A pixel is covered exactly where the triangle of the public suite's first graphics test is, and its colour is
/// interpolated.
#[test]
fn a_triangle_has_interpolated_colours() {
    let vertex = stage(
        "vs_6_0",
        "struct V { float4 position : SV_Position; float4 color : COLOR; };
         V main(float4 position : POSITION, float4 color : COLOR) { V v = { position, color }; return v; }",
    );
    let pixel = stage(
        "ps_6_0",
        "struct V { float4 position : SV_Position; float4 color : COLOR; };
         float4 main(V v) : SV_Target { return v.color; }",
    );
    let vertices = Buffer::from_slice(&[
        [0.0f32, 0.25, 0.0, 1.0, 0.0, 0.0, 1.0],
        [0.25, -0.25, 0.0, 0.0, 1.0, 0.0, 1.0],
        [-0.25, -0.25, 0.0, 0.0, 0.0, 1.0, 1.0],
    ]);
    for device in drawing() {
        for wave_size in [4, 8, 32, 128] {
            let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
            desc.input_layout = vec![
                attribute("POSITION", "RGB32_FLOAT", 0),
                attribute("Color", "RGBA32_FLOAT", 12),
            ];
            desc.targets = vec![Some(format("RGBA32_FLOAT"))];
            let pipeline = device.create_graphics_pipeline(&desc).unwrap();
            let image = target("RGBA32_FLOAT", 256, 256);
            let mut draw = Draw::new(3);
            draw.vertex_buffers = vec![VertexBuffer { buffer: vertices.clone(), stride: 28 }];
            draw.targets = vec![Some(RenderTarget::from(&image))];
            draw.wave_size = Some(wave_size);
            let (of_vertex, of_pixel) = (ResourceTable::new(&vertex), ResourceTable::new(&pixel));
            pipeline.draw(&draw, &of_vertex, Some(&of_pixel)).unwrap();
            let texels = image.read::<[f32; 4]>().unwrap();
            let covered = texels.iter().filter(|it| it[3] > 0.0).count();
            // Half of 64×64 pixels; both slanted edges pass through no centre.
            assert_eq!(covered, 2048);
            for (i, [r, g, b, a]) in texels.into_iter().enumerate() {
                let (x, y) = ((i % 256) as f32 + 0.5, (i / 256) as f32 + 0.5);
                let red = (160.0 - y) / 64.0;
                let green = (x - 128.0 + 0.5 * (y - 96.0)) / 64.0;
                let is_inside = red >= 0.0 && green >= 0.0 && 1.0 - red - green >= 0.0;
                assert_eq!(a == 1.0, is_inside, "{x} {y}");
                if is_inside {
                    let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
                    assert!(
                        near(r, red) && near(g, green) && near(b, 1.0 - red - green),
                        "{x} {y}"
                    );
                }
            }
        }
    }
}

/// The four interpolation modifiers, with the exact results that the public suite expects.
#[test]
fn interpolation_modifiers_are_exact() {
    let struct_of =
        "struct V { float4 pos : SV_POSITION; float lin : LIN; nointerpolation float flat : FLAT;
         noperspective float nopers : NOPERS; centroid float centro : CENTRO; };";
    let vertex = stage(
        "vs_6_0",
        &format!(
            "{struct_of} V main(float4 pos : POSITION, float v : VAL) {{ V o = {{ pos, v, v, v, v }}; return o; }}"
        ),
    );
    let pixel = stage(
        "ps_6_0",
        &format!(
            "{struct_of} RWStructuredBuffer<float4> Out : register(u0);
             float4 main(V v) : SV_Target {{ Out[0] = float4(v.lin, v.flat, v.nopers, v.centro); return float4(1, 0, 0, 1); }}"
        ),
    );
    let vertices = Buffer::from_slice(&[
        [-1.0f32, -1.0, 0.5, 1.0, 12.0],
        [1.0, -1.0, 0.5, 1.0, 0.0],
        [0.0, 1.0, 0.5, 2.0, 0.0],
    ]);
    for device in drawing() {
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        desc.input_layout =
            vec![attribute("POSITION", "RGBA32_FLOAT", 0), attribute("VAL", "R32_FLOAT", 16)];
        desc.targets = vec![Some(format("RGBA32_FLOAT"))];
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        let image = target("RGBA32_FLOAT", 1, 1);
        let out = Buffer::zeroed::<[f32; 4]>(1);
        let mut of_pixel = ResourceTable::new(&pixel);
        of_pixel.bind("Out", &out).unwrap();
        let mut draw = Draw::new(3);
        draw.vertex_buffers = vec![VertexBuffer { buffer: vertices.clone(), stride: 20 }];
        draw.targets = vec![Some(RenderTarget::from(&image))];
        pipeline.draw(&draw, &ResourceTable::new(&vertex), Some(&of_pixel)).unwrap();
        assert_eq!(out.read::<[f32; 4]>().unwrap(), [[3.0, 12.0, 2.0, 3.0]]);
        assert_eq!(image.read::<[f32; 4]>().unwrap(), [[1.0, 0.0, 0.0, 1.0]]);
    }
}

/// The masks of the document on packing, as the shader itself sees them.
#[test]
fn ballots_show_how_quads_are_packed() {
    let vertex = stage(
        "vs_6_0",
        "float4 main(uint i : SV_VertexID) : SV_Position {
             return float4(i == 1 ? 1 : -1, i == 2 ? -1 : 1, 0.5, 1);
         }",
    );
    let pixel = stage("ps_6_0", "uint main() : SV_Target { return WaveActiveBallot(true).x; }");
    for device in drawing() {
        for (width, expected) in [
            (8, &[0xff, 0x1f, 0xff, 0xf1, 0x11][..]),
            (16, &[0x1fff, 0xf1ff, 0x11]),
            (32, &[0xf1ff_1fff, 0x11]),
        ] {
            let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
            desc.targets = vec![Some(format("R32_UINT"))];
            let pipeline = device.create_graphics_pipeline(&desc).unwrap();
            let image = target("R32_UINT", 8, 8);
            let mut draw = Draw::new(3);
            draw.targets = vec![Some(RenderTarget::from(&image))];
            draw.wave_size = Some(width);
            let tables = [&vertex, &pixel].map(ResourceTable::new);
            pipeline.draw(&draw, &tables[0], Some(&tables[1])).unwrap();
            let texels = image.read::<u32>().unwrap();
            let mut masks: Vec<u32> = Vec::new();
            for (y, x) in (0..8).step_by(2).flat_map(|y| (0..8).step_by(2).map(move |x| (y, x))) {
                let mask = texels[y * 8 + x];
                if mask != 0 && masks.last() != Some(&mask) {
                    masks.push(mask);
                }
            }
            let mut deduplicated = expected.to_vec();
            deduplicated.dedup();
            assert_eq!(masks, deduplicated, "{width}");
        }
    }
}

/// Instances, indices with a cut, per-instance data, several targets, depth, blending and samples in one pipeline.
#[test]
fn state_reaches_the_fixed_functions() {
    let vertex = stage(
        "vs_6_8",
        "struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
         V main(float2 at : AT, float2 by : BY, uint vertex : SV_VertexID, uint instance : SV_InstanceID,
                uint start : SV_StartInstanceLocation) {
             V v = { float4(at + by, 0.5 - 0.1 * instance, 1), vertex * 100 + instance * 10 + start };
             return v;
         }",
    );
    let pixel = stage(
        "ps_6_8",
        "struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
         struct P { uint id : SV_Target0; float4 color : SV_Target1; };
         P main(V v, uint primitive : SV_PrimitiveID) { P p = { v.id, float4(0.25, 0, primitive, 1) }; return p; }",
    );
    let corners =
        Buffer::from_slice(&[[9.0f32, 9.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]);
    let offsets = Buffer::from_slice(&[[7.0f32, 7.0], [0.0, 0.0], [0.0, 0.0]]);
    let indices = Buffer::from_slice(&[7u16, 0xffff, 0, 1, 2, 3, 0xffff]);
    for device in drawing() {
        let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
        let mut by = attribute("BY", "RG32_FLOAT", 0);
        (by.slot, by.step_rate) = (1, Some(1));
        desc.input_layout = vec![attribute("AT", "RG32_FLOAT", 0), by];
        desc.topology = Topology::TriangleStrip;
        desc.targets = vec![Some(format("R32_UINT")), Some(format("RGBA8_UNORM"))];
        let add = Equation { src: Factor::One, dst: Factor::One, op: BlendOp::Add };
        let blend = Some(Blend { color: add, alpha: add });
        desc.blend = vec![TargetState::default(), TargetState { blend, ..TargetState::default() }];
        desc.depth_format = Some(DepthFormat::D16Unorm);
        desc.depth_stencil.depth = Some(DepthState { func: Comparison::Less, write: true });
        desc.samples = Samples::Four;
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        let multisampled = |name: &str| {
            Texture::new(Shape { samples: 4, ..Shape::new(format(name), 4, 4, 1) }).unwrap()
        };
        let (ids, colors) = (multisampled("R32_UINT"), multisampled("RGBA8_UNORM"));
        let mut draw = Draw::new(7);
        draw.instances = 2;
        draw.start = 0;
        draw.base_vertex = 1;
        draw.start_instance = 1;
        draw.indices = Some(IndexBuffer { buffer: indices.clone(), format: IndexFormat::Uint16 });
        draw.vertex_buffers = vec![
            VertexBuffer { buffer: corners.clone(), stride: 8 },
            VertexBuffer { buffer: offsets.clone(), stride: 8 },
        ];
        draw.targets = [&ids, &colors].map(|it| Some(RenderTarget::from(it))).to_vec();
        let depth = DepthTarget::new(DepthFormat::D16Unorm, 4, 4, 1, Samples::Four).unwrap();
        draw.depth = Some(depth.clone());
        let tables = [&vertex, &pixel].map(ResourceTable::new);
        pipeline.draw(&draw, &tables[0], Some(&tables[1])).unwrap();
        // The second instance is nearer: its ids stay, and both have added their colour. The leading vertex of the
        // second triangle of the strip is index 1.
        let ids = resolved(&ids).unwrap().read::<u32>().unwrap();
        let expected: Vec<u32> =
            (0..16).map(|i| if i % 4 + i / 4 < 3 { 11 } else { 111 }).collect();
        let differing = ids.iter().zip(&expected).filter(|(a, b)| a != b).count();
        // The diagonal passes through pixels, whose first sample decides.
        assert!(differing <= 4, "{ids:?}");
        let colors = resolved(&colors).unwrap().read_bytes().unwrap();
        assert_eq!(colors[0], 128);
        assert_eq!(colors[4 * 15..], [128, 0, 255, 255]);
        let stored = (0.4f32 * 65535.0 + 0.5) as u16;
        assert!(depth.depth().read::<u16>().unwrap().iter().all(|it| *it == stored));
    }
}

/// Vertices of an indexed draw are transformed once each where nothing can tell: not in a draw that could print. With
/// any fuel it leaves the same bits, spends the same and ends at the same place. A vertex shader that asks for its lane
/// has one for each index, and one with branches only where fuel suffices in any case.
#[test]
fn shared_vertices_change_nothing() {
    let color = |then: &str| {
        stage(
            "vs_6_6",
            &format!(
                "struct V {{ float4 position : SV_Position; float4 color : COLOR; }};
                 V main(float2 at : AT, uint vertex : SV_VertexID) {{
                     float4 color = float4(at, vertex, 1);
                     {then}
                     V v = {{ float4(at, 0.5, 1), color }};
                     return v;
                 }}"
            ),
        )
    };
    let pixel = stage(
        "ps_6_6",
        "struct V { float4 position : SV_Position; float4 color : COLOR; };
         float4 main(V v) : SV_Target { return v.color; }",
    );
    // A grid of 5 by 5 vertices, behind two that only the base leaves out.
    let place = |it: u32| [it % 5, it / 5].map(|it| it as f32 * 0.5 - 1.0);
    let corners: Vec<[f32; 2]> = [[9.0; 2]; 2].into_iter().chain((0..25).map(place)).collect();
    let cells = (0..16u16).map(|it| it / 4 * 5 + it % 4);
    let indices: Vec<u16> =
        cells.flat_map(|it| [0, 1, 5, 1, 6, 5].map(|corner| it + corner)).collect();
    let (corners, indices) = (Buffer::from_slice(&corners), Buffer::from_slice(&indices));
    let branch = "[branch] if (vertex % 3 == 0) color.w = rsqrt(at.x * at.x + 1) * sin(at.y);";
    for (then, is_own) in
        [("", Some(false)), ("color.w = WaveGetLaneIndex();", Some(true)), (branch, None)]
    {
        let vertex = color(then);
        for device in drawing() {
            let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
            desc.input_layout = vec![attribute("AT", "RG32_FLOAT", 0)];
            desc.targets = vec![Some(format("RGBA32_FLOAT"))];
            let pipeline = device.create_graphics_pipeline(&desc).unwrap();
            let drawn = |fuel: Option<u64>, prints: bool| {
                let image = target("RGBA32_FLOAT", 16, 16);
                let mut draw = Draw::new(96);
                draw.base_vertex = 2;
                draw.instances = 2;
                draw.indices =
                    Some(IndexBuffer { buffer: indices.clone(), format: IndexFormat::Uint16 });
                draw.vertex_buffers = vec![VertexBuffer { buffer: corners.clone(), stride: 8 }];
                draw.targets = vec![Some(RenderTarget::from(&image))];
                (draw.wave_size, draw.fuel) = (Some(16), fuel);
                draw.progress = Some(Arc::default());
                draw.prints = prints.then(|| Arc::new(PrintLog::new(1)));
                let tables = [&vertex, &pixel].map(ResourceTable::new);
                let ended = pipeline.draw(&draw, &tables[0], Some(&tables[1]));
                let ended = ended.map_err(|error| error.to_string());
                (image.read::<[f32; 4]>().unwrap(), ended, draw.progress)
            };
            let shared = drawn(None, false);
            assert!(shared.1.is_ok());
            let mut failed = 0;
            for fuel in (0..4000).step_by(13).chain([1 << 20, 1 << 40]) {
                let own = drawn(Some(fuel), true);
                failed += u32::from(own.1.is_err());
                let [shared, own] =
                    [drawn(Some(fuel), false), own].map(|(image, ended, progress)| {
                        (image, ended, progress.map(|it| it.load(Ordering::Relaxed)))
                    });
                assert_eq!(shared, own, "{fuel}");
            }
            assert!((20..300).contains(&failed), "{failed}");
            assert_eq!(shared.0, drawn(Some(1 << 40), false).0);
            // In the upper row of cells.
            let [x, y, _, lane] = shared.0[1];
            assert_eq!([x, y], [-1.0 + 3.0 / 16.0, 1.0 - 1.0 / 16.0]);
            assert!(is_own.is_none_or(|it| it == (lane != 1.0)), "{lane}");
        }
    }
}

#[test]
fn what_is_wrong_has_a_name() {
    let device = Device::new(Adapter::reference());
    let vertex = stage("vs_6_0", WHOLE);
    let reads = stage("ps_6_0", "float4 main(float4 c : COLOR1) : SV_Target { return c; }");
    let fails = |change: &dyn Fn(&mut GraphicsDesc), pixel: &Shader| {
        let mut desc = GraphicsDesc::new(&vertex, Some(pixel));
        desc.targets = vec![Some(format("RGBA32_FLOAT"))];
        change(&mut desc);
        device.create_graphics_pipeline(&desc).unwrap_err().to_string()
    };
    let white = stage("ps_6_0", "float4 main() : SV_Target { return 1; }");
    let same = |_: &mut GraphicsDesc| {};
    assert_eq!(
        fails(&same, &reads),
        "the pixel shader reads `COLOR1`, but the vertex shader writes `SV_Position`; write it there"
    );
    assert!(fails(&same, &vertex).contains("is not a pixel shader"));
    let uint = |it: &mut GraphicsDesc| it.targets = vec![Some(format("RGBA32_UINT"))];
    assert!(
        fails(&uint, &white).contains("writes `float4` to target 0, whose format is RGBA32_UINT")
    );
    let many = |it: &mut GraphicsDesc| it.targets = vec![None; 9];
    assert!(fails(&many, &white).contains("9 targets"));
    let shared = |it: &mut GraphicsDesc| it.targets = vec![Some(format("RGB9E5_SHAREDEXP"))];
    assert!(fails(&shared, &white).contains("no target can have that format"));
    let logic = |it: &mut GraphicsDesc| {
        it.blend = vec![TargetState { logic: Some(LogicOp::Or), ..TargetState::default() }];
    };
    assert!(fails(&logic, &white).contains("logic operations need"));
    let depth = |it: &mut GraphicsDesc| it.depth_stencil.depth = Some(DepthState::default());
    assert!(fails(&depth, &white).contains("no depth format"));

    let mut desc = GraphicsDesc::new(&vertex, Some(&white));
    desc.targets = vec![Some(format("RGBA32_FLOAT"))];
    let pipeline = device.create_graphics_pipeline(&desc).unwrap();
    let tables = [&vertex, &white].map(ResourceTable::new);
    let image = target("RGBA32_FLOAT", 4, 4);
    let mut good = Draw::new(3);
    good.targets = vec![Some(RenderTarget::from(&image))];
    let run = |change: &dyn Fn(&mut Draw)| {
        let mut draw = good.clone();
        change(&mut draw);
        pipeline.draw(&draw, &tables[0], Some(&tables[1])).map_err(|it| it.to_string())
    };
    assert_eq!(run(&|_| {}), Ok(()));
    assert!(run(&|it| it.targets = vec![]).unwrap_err().contains("target 0 is absent"));
    let other = target("RGBA8_UNORM", 4, 4);
    let wrong = |it: &mut Draw| it.targets = vec![Some(RenderTarget::from(&other))];
    assert!(run(&wrong).unwrap_err().contains("target 0 is RGBA8_UNORM, but the pipeline"));
    assert!(run(&|it| it.wave_size = Some(5)).unwrap_err().contains("waves of 5 lanes"));
    for bad in [f32::NAN, f32::INFINITY, 1e9, -1.0] {
        let viewport = Viewport { width: bad, ..Viewport::whole(4, 4) };
        let absurd = |it: &mut Draw| it.viewports = vec![viewport];
        assert!(run(&absurd).unwrap_err().contains("viewport 0"));
    }
    assert!(
        pipeline.draw(&good, &tables[0], None).unwrap_err().to_string().contains("pass a table")
    );
    assert_eq!(run(&|it| it.count = 0), Ok(()));
    let fuel = run(&|it| it.fuel = Some(1)).unwrap_err();
    assert!(fuel.contains("fuel") || fuel.contains("instructions"), "{fuel}");
}

/// Helper lanes run, but leave nothing; `discard` makes helpers.
#[test]
fn helpers_and_discarded_pixels_leave_no_trace() {
    let vertex = stage("vs_6_0", WHOLE);
    let pixel = stage(
        "ps_6_0",
        "RWStructuredBuffer<uint> Count : register(u0);
         float4 main(float4 p : SV_Position) : SV_Target {
             if (p.x < 1) discard;
             InterlockedAdd(Count[0], 1);
             return ddx(p.x);
         }",
    );
    for device in drawing() {
        for wave_size in [4, 16, 64] {
            let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
            desc.targets = vec![Some(format("R8_UNORM"))];
            let pipeline = device.create_graphics_pipeline(&desc).unwrap();
            let image = target("R8_UNORM", 3, 3);
            let count = Buffer::zeroed::<u32>(1);
            let mut of_pixel = ResourceTable::new(&pixel);
            of_pixel.bind("Count", &count).unwrap();
            let mut draw = Draw::new(3);
            draw.targets = vec![Some(RenderTarget::from(&image))];
            draw.wave_size = Some(wave_size);
            pipeline.draw(&draw, &ResourceTable::new(&vertex), Some(&of_pixel)).unwrap();
            assert_eq!(count.read::<u32>().unwrap(), [6]);
            assert_eq!(image.read_bytes().unwrap(), [0, 255, 255, 0, 255, 255, 0, 255, 255]);
        }
    }
}

/// The first waves of a draw stay on the reference engine where small dispatches do, and machine code runs the others:
/// nothing of it can be seen in the results.
#[test]
fn engines_that_take_turns_leave_the_same() {
    let vertex = stage("vs_6_0", WHOLE);
    let pixel = stage(
        "ps_6_0",
        "RWStructuredBuffer<uint> Count : register(u0);
         float4 main(float4 p : SV_Position) : SV_Target {
             uint before = 0;
             if (WaveIsFirstLane()) InterlockedAdd(Count[0], 1, before);
             return float4(before, WaveActiveSum(p.x), ddy(p.y * p.x), WavePrefixCountBits(frac(p.x * 0.3) < 0.5));
         }",
    );
    let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
    desc.targets = vec![Some(format("RGBA32_FLOAT"))];
    let draw = |device: &Device, fuel: Option<u64>| {
        let pipeline = device.create_graphics_pipeline(&desc).unwrap();
        assert_eq!(pipeline.fallback(16), None);
        let image = target("RGBA32_FLOAT", 64, 64);
        let count = Buffer::zeroed::<u32>(1);
        let mut of_pixel = ResourceTable::new(&pixel);
        of_pixel.bind("Count", &count).unwrap();
        let mut draw = Draw::new(3);
        draw.targets = vec![Some(RenderTarget::from(&image))];
        (draw.wave_size, draw.fuel) = (Some(16), fuel);
        let ended = pipeline.draw(&draw, &ResourceTable::new(&vertex), Some(&of_pixel));
        ended.map(|()| (image.read_bytes().unwrap(), count.read::<u32>().unwrap()))
    };
    let reference = Device::with_engine(Adapter::reference(), Engine::Interp).unwrap();
    let (image, count) = draw(&reference, None).unwrap();
    assert_eq!(count, [64 * 64 / 16]);
    let sizes = [false, true].into_iter();
    for leaves_small in sizes.filter(|_| Engine::Cpu.missing().is_none()) {
        let options = CpuOptions { leaves_small, ..CpuOptions::default() };
        let device = Device::with_cpu(Adapter::reference(), options).unwrap();
        for fuel in [None, Some(1 << 20)] {
            let (other, counted) = draw(&device, fuel).unwrap();
            assert!(other == image && counted == count, "{leaves_small} {fuel:?}");
        }
        // Too little for all waves, and enough for the first ones.
        let ended = draw(&device, Some(3000)).unwrap_err().to_string();
        assert!(ended.contains("fuel"), "{ended}");
    }
}

/// Random overlapping triangles with blending, depth, discard and derivatives: the bytes are the same for any number of
/// threads, whether the shader lets them share the target or not.
#[test]
fn threads_change_no_bit() {
    let structure = "struct V { float4 position : SV_Position; float4 color : COLOR; };";
    let vertex = stage(
        "vs_6_0",
        &format!(
            "{structure} V main(float4 position : POSITION, float4 color : COLOR) {{
                 V v = {{ position, color }};
                 return v;
             }}"
        ),
    );
    let split = "if (frac(v.color.x * 9) < 0.2) discard; return v.color + ddx(v.color) + fwidth(v.position.z);";
    // Waves notice how they are packed, so that these stay on one thread.
    let seen = "return v.color + WaveActiveCountBits(v.color.x > 0.5) / 64.0;";
    let plain = "return v.color;";
    let mut random = internal::Random::new(9);
    let mut number = |from: f64, to: f64| (random.unit() * (to - from) + from) as f32;
    let vertices: Vec<[f32; 8]> = (0..90)
        .map(|_| {
            let w = number(0.5, 2.0);
            let [x, y, z] = [number(-1.5, 1.5), number(-1.5, 1.5), number(0.0, 1.0)];
            let [r, g, b, a] = [(); 4].map(|()| number(0.0, 1.0));
            [x * w, y * w, z * w, w, r, g, b, a]
        })
        .collect();
    let vertices = Buffer::from_slice(&vertices);
    for (attribute_of_pixel, body) in
        [("", split), ("", seen), ("", plain), ("[earlydepthstencil]", plain)]
    {
        let pixel = stage(
            "ps_6_0",
            &format!("{structure} {attribute_of_pixel} float4 main(V v) : SV_Target {{ {body} }}"),
        );
        for samples in [1, 4] {
            let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
            desc.input_layout = vec![
                attribute("POSITION", "RGBA32_FLOAT", 0),
                attribute("COLOR", "RGBA32_FLOAT", 16),
            ];
            desc.targets = vec![Some(format("RGBA8_UNORM"))];
            desc.depth_format = Some(DepthFormat::D32Float);
            desc.depth_stencil.depth =
                Some(DepthState { func: Comparison::LessEqual, write: true });
            desc.samples = Samples::of(samples).unwrap();
            let equation =
                Equation { src: Factor::SrcAlpha, dst: Factor::InvSrcAlpha, op: BlendOp::Add };
            let blend = Some(Blend { color: equation, alpha: equation });
            desc.blend = vec![TargetState { blend, ..TargetState::default() }];
            let mut first: Option<[Vec<u8>; 2]> = None;
            for threads in [1, 2, 3, 7] {
                let options = CpuOptions { threads, ..CpuOptions::default() };
                let Ok(device) = Device::with_cpu(Adapter::reference(), options) else {
                    skipped::skipped!("the host has no instruction set for the engine `cpu`");
                    return;
                };
                let pipeline = device.create_graphics_pipeline(&desc).unwrap();
                let shape = Shape { samples, ..Shape::new(format("RGBA8_UNORM"), 100, 75, 1) };
                let image = Texture::new(shape).unwrap();
                let depth =
                    DepthTarget::new(DepthFormat::D32Float, 100, 75, 1, desc.samples).unwrap();
                let mut draw = Draw::new(90);
                draw.vertex_buffers = vec![VertexBuffer { buffer: vertices.clone(), stride: 32 }];
                draw.targets = vec![Some(RenderTarget::from(&image))];
                draw.depth = Some(depth.clone());
                draw.wave_size = Some(32);
                let tables = (ResourceTable::new(&vertex), ResourceTable::new(&pixel));
                pipeline.draw(&draw, &tables.0, Some(&tables.1)).unwrap();
                let bytes = [image.read_bytes().unwrap(), depth.depth().read_bytes().unwrap()];
                let covered = bytes[1].chunks_exact(4).filter(|it| **it != 1f32.to_le_bytes());
                assert!(covered.count() > 3000);
                let expected = first.get_or_insert_with(|| bytes.clone());
                assert!(bytes == *expected, "{threads} threads, {samples} samples, {body}");
            }
        }
    }
}

/// Lanes loop differently often.
const LOOPS: &str = "float sum = 0;
    for (uint i = 0; i < uint(at.x * 7 + at.y * 3) % 31; i++) sum += frac(at.x * i);
    return sum;";

/// A draw of several waves by a pixel shader with this body, on a number of threads and with some fuel: the bytes of
/// the target, the pixels that were shaded, and the waves that ran; `None` without the engine.
fn looped(
    body: &str,
    threads: usize,
    fuel: Option<u64>,
) -> Option<(Result<Vec<u8>, DrawError>, u64, u64)> {
    let vertex = stage("vs_6_0", WHOLE);
    let pixel =
        stage("ps_6_0", &format!("float4 main(float4 at : SV_Position) : SV_Target {{ {body} }}"));
    let mut desc = GraphicsDesc::new(&vertex, Some(&pixel));
    desc.targets = vec![Some(format("RGBA32_FLOAT"))];
    let blend = Blend { color: ADD, alpha: ADD };
    desc.blend = vec![TargetState { blend: Some(blend), ..TargetState::default() }];
    let options = CpuOptions { threads, ..CpuOptions::default() };
    let device = Device::with_cpu(Adapter::reference(), options).ok()?;
    let pipeline = device.create_graphics_pipeline(&desc).unwrap();
    // The last wave of each band is not full.
    let image = target("RGBA32_FLOAT", 10, 50);
    let (statistics, progress) = (Arc::<DrawStatistics>::default(), Arc::<AtomicU64>::default());
    let draw = Draw {
        targets: vec![Some(RenderTarget::from(&image))],
        wave_size: Some(32),
        fuel,
        statistics: Some(statistics.clone()),
        progress: Some(progress.clone()),
        ..Draw::new(3)
    };
    let ended =
        pipeline.draw(&draw, &ResourceTable::new(&vertex), Some(&ResourceTable::new(&pixel)));
    let left = ended.map(|()| image.read_bytes().unwrap());
    Some((left, statistics.pixels(), progress.load(Ordering::Relaxed)))
}

const ADD: Equation = Equation { src: Factor::One, dst: Factor::One, op: BlendOp::Add };

/// Fuel bounds a draw, and leaves it to several threads: each has a wave that is not full. Fuel is counted for a shader
/// that loops, and cannot be spent by one that does not.
#[test]
fn draws_with_fuel_run_on_several_threads() {
    for body in [LOOPS, "return at.x + 10 * at.y;"] {
        let Some((one, pixels, waves)) = looped(body, 1, Some(1 << 30)) else {
            skipped::skipped!("the host has no instruction set for the engine `cpu`");
            return;
        };
        let one = one.unwrap();
        assert_eq!((pixels, waves), (500, 1 + 500u64.div_ceil(32)));
        for fuel in [Some(1 << 30), None] {
            let (two, pixels, waves) = looped(body, 2, fuel).unwrap();
            assert!(two.unwrap() == one && pixels == 500, "{fuel:?}");
            // 320 and 180 pixels.
            assert_eq!(waves, 1 + 10 + 6, "{fuel:?}");
            let (four, ..) = looped(body, 4, fuel).unwrap();
            assert!(four.unwrap() == one, "{fuel:?}");
        }
    }
}

/// The least fuel with which a draw ends is the same for any number of threads, although their waves cost more, and
/// whatever a draw that was tried on several threads has left is not in its results.
#[test]
fn fuel_means_the_same_on_any_number_of_threads() {
    let Some((one, ..)) = looped(LOOPS, 1, None) else {
        skipped::skipped!("the host has no instruction set for the engine `cpu`");
        return;
    };
    let one = one.unwrap();
    let (mut too_little, mut enough) = (0, 1 << 20);
    assert!(looped(LOOPS, 1, Some(enough)).unwrap().0.is_ok());
    while enough - too_little > 1 {
        let fuel = (too_little + enough) / 2;
        match looped(LOOPS, 1, Some(fuel)).unwrap().0 {
            Ok(_) => enough = fuel,
            Err(_) => too_little = fuel,
        }
    }
    assert!(enough > 100, "{enough}");
    for threads in [1, 2, 3, 4] {
        for fuel in [1, too_little / 2, too_little] {
            let ended = looped(LOOPS, threads, Some(fuel)).unwrap().0.unwrap_err();
            let trap = matches!(ended, DrawError::Run(DispatchError::Trap(Trap::OutOfFuel { .. })));
            assert!(trap, "{threads} threads, {fuel}: {ended}");
        }
        for fuel in [enough, enough + 1, 2 * enough, 9 * enough, 20 * enough] {
            let (left, pixels, _) = looped(LOOPS, threads, Some(fuel)).unwrap();
            assert!(left.unwrap() == one, "{threads} threads, {fuel}");
            assert_eq!(pixels, 500, "{threads} threads, {fuel}");
        }
    }
}
