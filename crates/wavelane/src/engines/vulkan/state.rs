//! The state of a draw in Vulkan's terms, and what Vulkan or the device cannot express, by name.
//!
//! Viewports are upside down in Vulkan, which a negative height undoes. Vulkan allows no empty viewport, so an empty
//! viewport or scissor rectangle becomes a scissor rectangle without pixels.

use ash::vk;
use ir::exec::Unsupported;
use ir::stage::SystemValue;
use ops::texture::{Comparison, Encoding, Format};
use raster::{
    BlendOp, Cull, DepthFormat, Equation, Factor, LogicOp, RasterState, Scalar, StencilFace,
    StencilOp, Topology, Viewport,
};

use super::context::Context;
use super::format;
use crate::engines::DrawJob;
use crate::graphics::{GraphicsDesc, Link, RasterizerState};

/// The most viewports.
const VIEWPORTS: usize = 16;

pub(super) fn unsupported<T>(
    asked: impl Into<String>,
    missing: impl Into<String>,
) -> Result<T, Unsupported> {
    Err(Unsupported { asked: asked.into(), missing: missing.into() })
}

/// What a device lacks that the state needs.
pub(super) fn check(context: &Context, job: &DrawJob<'_>) -> Result<(), Unsupported> {
    let (desc, link) = (job.desc, job.link);
    let capabilities = &context.capabilities;
    let (features, graphics) = (&capabilities.features, capabilities.graphics);
    let name = &capabilities.name;
    let needs = |is_needed: bool, has: bool, what: &str| match is_needed && !has {
        true => unsupported(what, format!("the device `{name}` lacks it")),
        false => Ok(()),
    };
    let is = |flag: vk::Bool32| flag == vk::TRUE;
    let writes =
        |shader: &crate::Shader| shader.resources().iter().any(|it| it.used && it.kind.writable());
    needs(
        writes(&desc.vertex),
        is(features.vertex_pipeline_stores_and_atomics),
        "writes of a vertex shader",
    )?;
    let of_pixel = desc.pixel.as_ref().is_some_and(writes);
    needs(of_pixel, is(features.fragment_stores_and_atomics), "writes of a pixel shader")?;
    let between = [&desc.hull, &desc.domain, &desc.geometry];
    needs(
        between.into_iter().flatten().any(writes),
        is(features.vertex_pipeline_stores_and_atomics),
        "writes of a shader between the vertex and the pixel shader",
    )?;
    needs(desc.hull.is_some(), is(features.tessellation_shader), "tessellation")?;
    needs(desc.geometry.is_some(), is(features.geometry_shader), "geometry shaders")?;
    needs(desc.vertex.module.group.is_some(), graphics.meshes, "mesh shaders")?;
    needs(desc.amplification.is_some(), graphics.amplifies, "amplification shaders")?;
    if desc.numbers_groups {
        return unsupported("the numbers of groups", "a GPU does not pass them on");
    }
    if desc.vertex.module.group.is_some() {
        check_groups(context, job)?;
    }
    let is_line = job.kind == raster::Kind::Line;
    let is_meshed = is_line && desc.vertex.module.group.is_some();
    if is_meshed && capabilities.is_processor() {
        // llvmpipe, Mesa 25.0.7.
        return unsupported("lines of a mesh shader", format!("the device `{name}` draws none"));
    }
    needs(is_line, graphics.draws_lines, "lines by the diamond rule (`bresenhamLines`)")?;
    let is_adjacent = matches!(
        desc.topology,
        Topology::LineListAdjacency
            | Topology::LineStripAdjacency
            | Topology::TriangleListAdjacency
            | Topology::TriangleStripAdjacency
    );
    needs(is_adjacent, is(features.geometry_shader), "primitives with adjacent vertices")?;
    needs(
        desc.depth_format.is_some(),
        graphics.clips_depth && is(features.depth_clamp),
        "clamping of depths besides clipping (`VK_EXT_depth_clip_enable`)",
    )?;
    needs(
        desc.rasterizer.depth_bias.clamp != 0.0,
        is(features.depth_bias_clamp),
        "a limit of the depth bias",
    )?;
    let blends = desc.blend.iter().filter_map(|it| it.blend);
    let is_dual = blends.clone().any(|it| it.is_dual_source());
    needs(is_dual, is(features.dual_src_blend), "blending with two sources")?;
    let logic = desc.blend.iter().filter_map(|it| it.logic).collect::<Vec<LogicOp>>();
    needs(!logic.is_empty(), is(features.logic_op), "logic operations")?;
    let bound = |it: usize| desc.targets.get(it).is_some_and(Option::is_some);
    let all = (0..desc.targets.len()).filter(|it| bound(*it));
    let of_target = |it: usize| desc.blend.get(it).copied().unwrap_or_default();
    if let Some(first) = logic.first()
        && all.clone().any(|it| of_target(it).logic != Some(*first))
    {
        return unsupported(
            "different logic operations for several targets",
            "Vulkan has one for all targets",
        );
    }
    let mut states =
        all.map(|it| (of_target(it), link.outputs.colours.get(it).is_some_and(Option::is_some)));
    let first = states.next();
    let differ = states.any(|it| Some(it) != first);
    needs(differ, is(features.independent_blend), "different blending of several targets")?;
    let samples = vk::SampleCountFlags::from_raw(desc.samples.count());
    let limits = &capabilities.limits;
    let colours = match desc.targets.iter().any(Option::is_some) {
        true => limits.framebuffer_color_sample_counts,
        false => vk::SampleCountFlags::from_raw(u32::MAX),
    };
    let depths = match desc.depth_format {
        Some(_) => limits.framebuffer_depth_sample_counts,
        None => vk::SampleCountFlags::from_raw(u32::MAX),
    };
    let has = colours.contains(samples) && depths.contains(samples);
    needs(true, has, &format!("{} samples", desc.samples.count()))?;
    let standard = is(limits.standard_sample_locations);
    needs(desc.samples.count() > 1, standard, "the standard places of samples")
}

/// What a device lacks that a mesh shader and one in front of it need.
fn check_groups(context: &Context, job: &DrawJob<'_>) -> Result<(), Unsupported> {
    let capabilities = &context.capabilities;
    let (limits, name) = (&capabilities.graphics.groups, &capabilities.name);
    let within = |asked: u64, most: u64, what: &str| match asked <= most {
        true => Ok(()),
        false => unsupported(
            format!("{asked} {what}"),
            format!("the device `{name}` supports at most {most}"),
        ),
    };
    let mesh = &job.desc.vertex.module;
    let first = job.desc.amplification.as_ref().map_or(mesh, |it| &it.module);
    let of = |module: &ir::Module| match module.stage {
        ops::intrinsics::Stage::Mesh => limits.mesh,
        _ => limits.amplification,
    };
    for (groups, most) in job.draw.groups.into_iter().zip(of(first).groups) {
        within(groups.into(), most.into(), "groups in one direction")?;
    }
    let all = job.draw.groups.iter().map(|it| u64::from(*it)).product();
    within(all, of(first).groups_together.into(), "groups")?;
    for module in [Some(mesh), job.desc.amplification.as_ref().map(|it| &it.module)] {
        let Some(module) = module else { continue };
        let most = of(module);
        within(module.threads_per_group().into(), most.threads.into(), "threads in a group")?;
        let shared = module.groupshared_bytes();
        within(shared, most.shared.into(), "bytes of groupshared memory")?;
        let group = module.group.as_ref();
        let payload = group.map_or(0, |it| it.payload);
        within(payload.into(), limits.payload.into(), "bytes of a payload")?;
        let io = group.and_then(|it| it.mesh.as_ref());
        let (vertices, primitives) = io.map_or((0, 0), |it| (it.most_vertices, it.most_primitives));
        within(vertices.into(), limits.vertices.into(), "vertices of a mesh shader")?;
        within(primitives.into(), limits.primitives.into(), "primitives of a mesh shader")?;
    }
    Ok(())
}

pub(super) fn topology(topology: Topology) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as T;
    match topology {
        Topology::PointList => T::POINT_LIST,
        Topology::LineList => T::LINE_LIST,
        Topology::LineStrip => T::LINE_STRIP,
        Topology::TriangleList => T::TRIANGLE_LIST,
        Topology::TriangleStrip => T::TRIANGLE_STRIP,
        Topology::LineListAdjacency => T::LINE_LIST_WITH_ADJACENCY,
        Topology::LineStripAdjacency => T::LINE_STRIP_WITH_ADJACENCY,
        Topology::TriangleListAdjacency => T::TRIANGLE_LIST_WITH_ADJACENCY,
        Topology::TriangleStripAdjacency => T::TRIANGLE_STRIP_WITH_ADJACENCY,
        Topology::PatchList(_) => T::PATCH_LIST,
    }
}

/// Rasterisation, but for what needs an extension or a feature.
pub(super) fn rasterization<'a>(
    of: &RasterizerState,
) -> vk::PipelineRasterizationStateCreateInfo<'a> {
    let bias = of.depth_bias;
    vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(vk::PolygonMode::FILL)
        .cull_mode(cull(of.cull))
        .front_face(match of.front_counter_clockwise {
            true => vk::FrontFace::COUNTER_CLOCKWISE,
            false => vk::FrontFace::CLOCKWISE,
        })
        .depth_bias_enable(bias.bias != 0 || bias.slope != 0.0)
        .depth_bias_constant_factor(bias.bias as f32)
        .depth_bias_slope_factor(bias.slope)
        .depth_bias_clamp(bias.clamp)
        .line_width(1.0)
}

fn cull(cull: Cull) -> vk::CullModeFlags {
    match cull {
        Cull::None => vk::CullModeFlags::NONE,
        Cull::Front => vk::CullModeFlags::FRONT,
        Cull::Back => vk::CullModeFlags::BACK,
    }
}

pub(super) fn comparison(of: Comparison) -> vk::CompareOp {
    match of {
        Comparison::Never => vk::CompareOp::NEVER,
        Comparison::Less => vk::CompareOp::LESS,
        Comparison::Equal => vk::CompareOp::EQUAL,
        Comparison::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Comparison::Greater => vk::CompareOp::GREATER,
        Comparison::NotEqual => vk::CompareOp::NOT_EQUAL,
        Comparison::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Comparison::Always => vk::CompareOp::ALWAYS,
    }
}

fn stencil_op(op: StencilOp) -> vk::StencilOp {
    match op {
        StencilOp::Keep => vk::StencilOp::KEEP,
        StencilOp::Zero => vk::StencilOp::ZERO,
        StencilOp::Replace => vk::StencilOp::REPLACE,
        StencilOp::IncrSat => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DecrSat => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::Invert => vk::StencilOp::INVERT,
        StencilOp::Incr => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::Decr => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}

fn face(of: StencilFace, masks: [u8; 2], reference: u8) -> vk::StencilOpState {
    vk::StencilOpState {
        fail_op: stencil_op(of.fail),
        pass_op: stencil_op(of.pass),
        depth_fail_op: stencil_op(of.depth_fail),
        compare_op: comparison(of.func),
        compare_mask: masks[0].into(),
        write_mask: masks[1].into(),
        reference: reference.into(),
    }
}

pub(super) fn depth_stencil(
    desc: &GraphicsDesc,
    reference: u8,
) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let mut state = vk::PipelineDepthStencilStateCreateInfo::default();
    if let Some(depth) = desc.depth_stencil.depth {
        state = state
            .depth_test_enable(true)
            .depth_write_enable(depth.write)
            .depth_compare_op(comparison(depth.func));
    }
    if let Some(stencil) = desc.depth_stencil.stencil {
        let masks = [stencil.read_mask, stencil.write_mask];
        state = state
            .stencil_test_enable(true)
            .front(face(stencil.front, masks, reference))
            .back(face(stencil.back, masks, reference));
    }
    state
}

fn factor(of: Factor) -> [vk::BlendFactor; 2] {
    use vk::BlendFactor as F;
    // Constants are those of the colour or of its alpha.
    let same = |it: F| [it, it];
    match of {
        Factor::Zero => same(F::ZERO),
        Factor::One => same(F::ONE),
        Factor::SrcColor => same(F::SRC_COLOR),
        Factor::InvSrcColor => same(F::ONE_MINUS_SRC_COLOR),
        Factor::SrcAlpha => same(F::SRC_ALPHA),
        Factor::InvSrcAlpha => same(F::ONE_MINUS_SRC_ALPHA),
        Factor::DestAlpha => same(F::DST_ALPHA),
        Factor::InvDestAlpha => same(F::ONE_MINUS_DST_ALPHA),
        Factor::DestColor => same(F::DST_COLOR),
        Factor::InvDestColor => same(F::ONE_MINUS_DST_COLOR),
        Factor::SrcAlphaSat => same(F::SRC_ALPHA_SATURATE),
        Factor::BlendFactor => [F::CONSTANT_COLOR, F::CONSTANT_ALPHA],
        Factor::InvBlendFactor => [F::ONE_MINUS_CONSTANT_COLOR, F::ONE_MINUS_CONSTANT_ALPHA],
        Factor::Src1Color => same(F::SRC1_COLOR),
        Factor::InvSrc1Color => same(F::ONE_MINUS_SRC1_COLOR),
        Factor::Src1Alpha => same(F::SRC1_ALPHA),
        Factor::InvSrc1Alpha => same(F::ONE_MINUS_SRC1_ALPHA),
    }
}

fn blend_op(op: BlendOp) -> vk::BlendOp {
    match op {
        BlendOp::Add => vk::BlendOp::ADD,
        BlendOp::Subtract => vk::BlendOp::SUBTRACT,
        BlendOp::RevSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        BlendOp::Min => vk::BlendOp::MIN,
        BlendOp::Max => vk::BlendOp::MAX,
    }
}

/// How each target is written. Outputs that are not declared leave their targets alone.
pub(super) fn blending(
    desc: &GraphicsDesc,
    link: &Link,
) -> Vec<vk::PipelineColorBlendAttachmentState> {
    let of_target = |target: usize| {
        let state = desc.blend.get(target).copied().unwrap_or_default();
        let is_written = link.outputs.colours.get(target).is_some_and(Option::is_some);
        let mask = if is_written { u32::from(state.write_mask) & 15 } else { 0 };
        let made = vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::from_raw(mask));
        let Some(blend) = state.blend else { return made };
        let of = |it: Equation, part: usize| {
            (factor(it.src)[part], factor(it.dst)[part], blend_op(it.op))
        };
        let (color, alpha) = (of(blend.color, 0), of(blend.alpha, 1));
        made.blend_enable(true)
            .src_color_blend_factor(color.0)
            .dst_color_blend_factor(color.1)
            .color_blend_op(color.2)
            .src_alpha_blend_factor(alpha.0)
            .dst_alpha_blend_factor(alpha.1)
            .alpha_blend_op(alpha.2)
    };
    (0..desc.targets.len()).map(of_target).collect()
}

pub(super) fn logic(op: LogicOp) -> vk::LogicOp {
    match op {
        LogicOp::Clear => vk::LogicOp::CLEAR,
        LogicOp::Set => vk::LogicOp::SET,
        LogicOp::Copy => vk::LogicOp::COPY,
        LogicOp::CopyInverted => vk::LogicOp::COPY_INVERTED,
        LogicOp::Noop => vk::LogicOp::NO_OP,
        LogicOp::Invert => vk::LogicOp::INVERT,
        LogicOp::And => vk::LogicOp::AND,
        LogicOp::Nand => vk::LogicOp::NAND,
        LogicOp::Or => vk::LogicOp::OR,
        LogicOp::Nor => vk::LogicOp::NOR,
        LogicOp::Xor => vk::LogicOp::XOR,
        LogicOp::Equiv => vk::LogicOp::EQUIVALENT,
        LogicOp::AndReverse => vk::LogicOp::AND_REVERSE,
        LogicOp::AndInverted => vk::LogicOp::AND_INVERTED,
        LogicOp::OrReverse => vk::LogicOp::OR_REVERSE,
        LogicOp::OrInverted => vk::LogicOp::OR_INVERTED,
    }
}

/// The format of an image for a depth buffer.
pub(super) fn depth_format(of: DepthFormat) -> vk::Format {
    match of {
        DepthFormat::D32Float => vk::Format::D32_SFLOAT,
        DepthFormat::D16Unorm => vk::Format::D16_UNORM,
        DepthFormat::D32FloatS8X24Uint => vk::Format::D32_SFLOAT_S8_UINT,
    }
}

/// Viewports with their scissor rectangles. If the shader chooses among them, those that do not exist are there, too,
/// without pixels.
pub(super) fn viewports(
    context: &Context,
    desc: &GraphicsDesc,
    state: &RasterState,
) -> Result<(Vec<vk::Viewport>, Vec<vk::Rect2D>), Unsupported> {
    let io = desc.vertex.module.io.as_ref();
    let chooses = io.is_some_and(|io| io.system_output(SystemValue::ViewportArrayIndex).is_some());
    let count = if chooses { VIEWPORTS } else { 1 };
    let limits = &context.capabilities.limits;
    if count > limits.max_viewports as usize {
        let name = &context.capabilities.name;
        return unsupported("several viewports", format!("the device `{name}` lacks them"));
    }
    let nowhere = vk::Rect2D::default();
    let any = vk::Viewport { width: 1.0, height: 1.0, max_depth: 1.0, ..Default::default() };
    let one = |number: usize| {
        let Some(viewport) = state.viewports.get(number) else { return (any, nowhere) };
        let Viewport { x, y, width, height, min_depth, max_depth } = *viewport;
        let drawn = state.drawn(number);
        let extent = vk::Extent2D {
            width: (drawn.right - drawn.left) as u32,
            height: (drawn.bottom - drawn.top) as u32,
        };
        if width <= 0.0 || height <= 0.0 || extent.width == 0 || extent.height == 0 {
            return (any, nowhere);
        }
        let viewport =
            vk::Viewport { x, y: y + height, width, height: -height, min_depth, max_depth };
        let offset = vk::Offset2D { x: drawn.left.max(0), y: drawn.top.max(0) };
        (viewport, vk::Rect2D { offset, extent })
    };
    Ok((0..count).map(one).unzip())
}

/// The format of a vertex attribute, if the device fetches such attributes as ours are defined.
pub(super) fn attribute_format(
    context: &Context,
    semantic: &str,
    format: Format,
    scalar: Scalar,
    signed: bool,
) -> Result<vk::Format, Unsupported> {
    let asked = format!("the attribute `{semantic}` of {format}");
    let is_integer = matches!(scalar, Scalar::Int { .. });
    if is_integer != format.is_integer() {
        return unsupported(asked, "Vulkan does not convert it to what the shader reads");
    }
    // 32-bit integers have the same bits in either format.
    let format = match format {
        Format::Plain { channels, bits: 32, encoding: Encoding::Uint | Encoding::Sint } => {
            let encoding = if signed { Encoding::Sint } else { Encoding::Uint };
            Format::Plain { channels, bits: 32, encoding }
        }
        other => other,
    };
    let is_signed = matches!(format, Format::Plain { encoding: Encoding::Sint, .. });
    if is_integer && is_signed != signed {
        return unsupported(asked, "Vulkan does not convert the sign of integers");
    }
    let found = format::target_format(format);
    let has = |it: &vk::Format| {
        let features = context.features_of(*it).buffer_features;
        features.contains(vk::FormatFeatureFlags2::VERTEX_BUFFER)
    };
    match found.filter(has) {
        Some(found) => Ok(found),
        None => unsupported(asked, "the device does not fetch such attributes"),
    }
}
