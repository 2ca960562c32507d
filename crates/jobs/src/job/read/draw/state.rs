//! Reads `Raster`: the state of a draw that the public format cannot express.

use wavelane::graphics::{Scissor, StencilFace, StencilOp, StencilState, Viewport};

use super::*;

/// The most viewports and scissor rectangles, as in Direct3D 12.
const MOST_VIEWPORTS: usize = 16;
/// How far a viewport reaches, as in Direct3D 12.
const VIEWPORT_BOUNDS: f32 = 32767.0;

const COMPARISONS: [(&str, Comparison); 8] = [
    ("Never", Comparison::Never),
    ("Less", Comparison::Less),
    ("Equal", Comparison::Equal),
    ("LessEqual", Comparison::LessEqual),
    ("Greater", Comparison::Greater),
    ("NotEqual", Comparison::NotEqual),
    ("GreaterEqual", Comparison::GreaterEqual),
    ("Always", Comparison::Always),
];

/// Depth tests by one word.
const DEPTH_TESTS: [(&str, Option<Comparison>); 9] = {
    let mut all = [("None", None); 9];
    let mut i = 0;
    while i < COMPARISONS.len() {
        all[i + 1] = (COMPARISONS[i].0, Some(COMPARISONS[i].1));
        i += 1;
    }
    all
};

const TOPOLOGIES: [(&str, Topology); 9] = [
    ("PointList", Topology::PointList),
    ("LineList", Topology::LineList),
    ("LineStrip", Topology::LineStrip),
    ("TriangleList", Topology::TriangleList),
    ("TriangleStrip", Topology::TriangleStrip),
    ("LineListAdj", Topology::LineListAdjacency),
    ("LineStripAdj", Topology::LineStripAdjacency),
    ("TriangleListAdj", Topology::TriangleListAdjacency),
    ("TriangleStripAdj", Topology::TriangleStripAdjacency),
];

const DEPTH_FORMATS: [(&str, DepthFormat); 3] = [
    ("D32_FLOAT", DepthFormat::D32Float),
    ("D16_UNORM", DepthFormat::D16Unorm),
    ("D32_FLOAT_S8X24_UINT", DepthFormat::D32FloatS8X24Uint),
];

const STENCIL_OPS: [(&str, StencilOp); 8] = [
    ("Keep", StencilOp::Keep),
    ("Zero", StencilOp::Zero),
    ("Replace", StencilOp::Replace),
    ("IncrSat", StencilOp::IncrSat),
    ("DecrSat", StencilOp::DecrSat),
    ("Invert", StencilOp::Invert),
    ("Incr", StencilOp::Incr),
    ("Decr", StencilOp::Decr),
];

/// The effect of a stencil that is not mentioned.
const KEEP: StencilFace = StencilFace {
    func: Comparison::Always,
    fail: StencilOp::Keep,
    depth_fail: StencilOp::Keep,
    pass: StencilOp::Keep,
};

/// The fields of `Raster` that need no buffer of vertices, indices or texels.
pub(super) struct State<'a> {
    instances: Option<&'a Node>,
    depth: Option<&'a Node>,
    samples: Option<&'a Node>,
    mask: Option<&'a Node>,
    blend: Option<&'a Node>,
    cull: Option<&'a Node>,
    front: Option<&'a Node>,
    bias: Option<&'a Node>,
    depth_clip: Option<&'a Node>,
    viewports: Option<&'a Node>,
    scissors: Option<&'a Node>,
}

impl<'a> State<'a> {
    pub(super) fn of(fields: &mut Fields<'a>) -> State<'a> {
        State {
            instances: fields.get("Instances"),
            depth: fields.get("DepthStencil"),
            samples: fields.get("Samples"),
            mask: fields.get("SampleMask"),
            blend: fields.get("Blend"),
            cull: fields.get("Cull"),
            front: fields.get("Front"),
            bias: fields.get("DepthBias"),
            depth_clip: fields.get("DepthClip"),
            viewports: fields.get("Viewports"),
            scissors: fields.get("Scissors"),
        }
    }
}

/// The properties of a target: its format, with the node that names it, its clear value, and how it is written.
pub(super) type Given<'a> = (Option<(Format, &'a Node)>, [f64; 4], Option<TargetState>);

impl Reader {
    /// Replaces fields of a draw.
    pub(super) fn raster(
        &mut self,
        node: &Node,
        draw: &mut Draw,
        parts: &Parts<'_>,
        count: Option<&Node>,
    ) -> Option<()> {
        let mut fields = self.fields(node, "`Raster`")?;
        let topology = fields.get("Topology");
        let index = fields.get("IndexBuffer");
        let instance_buffer = fields.get("InstanceBuffer");
        let instance_attributes = fields.get("InstanceAttributes");
        let targets = fields.get("RenderTargets");
        let state = State::of(&mut fields);
        self.done_with_state(fields);
        let before = self.errors.len();
        if let Some(node) = topology
            && let Some(chosen) = self.choose(node, &TOPOLOGIES)
        {
            if draw.patch_control_points.is_some() {
                self.error::<()>(
                    &node.at,
                    "the topology of hull and domain shaders is `PatchList`",
                );
            }
            draw.topology = chosen;
        }
        if let Some(node) = index {
            draw.index = self.index_buffer(node, parts, count);
        }
        self.instances(draw, parts, instance_buffer, instance_attributes);
        if let Some(node) = targets {
            if let Some(target) = draw.targets.first() {
                let error = Error::new(
                    target.at.clone(),
                    "a job has either a `RenderTarget` or `RenderTargets`, not both",
                );
                self.errors.push(error);
            }
            let list = self.each(Some(node), "`RenderTargets`", |it, node| it.target(node, parts));
            draw.targets = list.unwrap_or_default();
            if draw.targets.len() > MOST_TARGETS {
                self.error::<()>(&node.at, format!("a draw has at most {MOST_TARGETS} targets"));
            }
        }
        self.state(&state, draw, parts.buffers);
        (self.errors.len() == before).then_some(())
    }

    /// Replaces what needs no more buffers than that of the stencil.
    pub(super) fn state(&mut self, state: &State<'_>, draw: &mut Draw, buffers: &[Buffer]) {
        let State { instances, depth, samples, mask, blend, cull, front, bias, .. } = *state;
        let (viewports, scissors) = (state.viewports, state.scissors);
        draw.depth_clip = self.switch_or(state.depth_clip, draw.depth_clip).unwrap_or(true);
        if let Some(node) = instances
            && let Some(count) = self.uint(node)
        {
            draw.instances = count;
        }
        if let Some(node) = depth {
            self.depth(node, &mut draw.depth, buffers);
        }
        if let Some(node) = samples {
            match self.uint(node) {
                Some(count) if Samples::of(count).is_some() => {
                    draw.samples = Samples::of(count).unwrap_or(Samples::One);
                }
                Some(_) => {
                    self.error::<()>(&node.at, "a pixel has 1, 2, 4, 8 or 16 samples");
                }
                None => {}
            }
        }
        if let Some(node) = mask
            && let Some(mask) = self.uint(node)
        {
            draw.sample_mask = mask;
        }
        if let Some(node) = blend {
            self.blend(node, draw);
        }
        let culls = [("None", Cull::None), ("Front", Cull::Front), ("Back", Cull::Back)];
        draw.cull = self.choose_or(cull, draw.cull, &culls).unwrap_or(Cull::None);
        let fronts = [("Clockwise", true), ("CounterClockwise", false)];
        let front = self.choose_or(front, draw.front_is_clockwise, &fronts);
        draw.front_is_clockwise = front.unwrap_or_default();
        if let Some(node) = bias {
            draw.bias = self.bias(node).unwrap_or_default();
        }
        draw.viewports = self.each(viewports, "`Viewports`", Reader::viewport).unwrap_or_default();
        draw.scissors = self.each(scissors, "`Scissors`", Reader::scissor).unwrap_or_default();
        for (node, count) in [(viewports, draw.viewports.len()), (scissors, draw.scissors.len())] {
            if let (Some(node), true) = (node, count > MOST_VIEWPORTS) {
                self.error::<()>(&node.at, format!("a draw has at most {MOST_VIEWPORTS} of them"));
            }
        }
    }

    fn index_buffer(
        &mut self,
        node: &Node,
        parts: &Parts<'_>,
        count: Option<&Node>,
    ) -> Option<IndexBuffer> {
        let mut fields = self.fields(node, "`IndexBuffer`")?;
        let name = self.required(&mut fields, "Name");
        let format = self.required(&mut fields, "Format");
        self.done_with_state(fields);
        let buffer = name.and_then(|it| self.find(it, "buffer", parts.buffers, |it| &it.name));
        let formats = [("UInt16", IndexFormat::Uint16), ("UInt32", IndexFormat::Uint32)];
        let format = format.and_then(|it| self.choose(it, &formats));
        let (buffer, format) = (buffer?, format?);
        let all = parts.buffers[buffer].size() / index_bytes(format);
        if let Some(node) = count
            && let Some(count) = self.uint(node)
            && count as usize > all
        {
            let what = format!("`{}` holds {all} indices", parts.buffers[buffer].name);
            return self.error(&node.at, what);
        }
        Some(IndexBuffer { buffer, format })
    }

    fn instances(
        &mut self,
        draw: &mut Draw,
        parts: &Parts<'_>,
        buffer: Option<&Node>,
        attributes: Option<&Node>,
    ) -> Option<()> {
        match (buffer, attributes) {
            (None, None) => return Some(()),
            (Some(node), None) => {
                return self.error(&node.at, "an `InstanceBuffer` needs `InstanceAttributes`");
            }
            (None, Some(node)) => {
                return self.error(&node.at, "`InstanceAttributes` need an `InstanceBuffer`");
            }
            (Some(_), Some(_)) => {}
        }
        let buffer = self.find(buffer?, "buffer", parts.buffers, |it| &it.name);
        let attributes = self.attributes(attributes, "`InstanceAttributes`")?;
        for attribute in &attributes {
            let is_it = |it: &&Attribute| it.name.eq_ignore_ascii_case(&attribute.name);
            if draw.vertices.attributes.iter().any(|it| is_it(&it)) {
                let what = format!("`{}` is an attribute of the vertices", attribute.name);
                self.error::<()>(&attribute.at, what);
            }
        }
        let stride = self.stride(&attributes);
        draw.per_instance = Stream { buffer: Some(buffer?), attributes, stride };
        Some(())
    }

    fn target(&mut self, node: &Node, parts: &Parts<'_>) -> Option<Target> {
        let mut fields = self.fields(node, "a target")?;
        let name = self.required(&mut fields, "Name");
        let given = self.given(fields);
        let (name, (format, clear, write)) = (name?, given?);
        let index = self.find(name, "buffer", parts.buffers, |it| &it.name)?;
        let buffer = &parts.buffers[index];
        let at = name.at.clone();
        let Some((format, node)) = format else {
            let format = self.format_of(buffer, &name.at)?;
            return Some(Target { buffer: index, format, clear, write, at });
        };
        let bytes = buffer.format.bytes() * buffer.channels as usize;
        if bytes != format.bytes() {
            let what = format!(
                "a texel of `{}` has {bytes} bytes, and one of {format} has {}",
                buffer.name,
                format.bytes()
            );
            return self.error(&node.at, what);
        }
        Some(Target { buffer: index, format, clear, write, at })
    }

    /// The fields of a target except its name: the format, what it is cleared to, and how it is written.
    pub(super) fn given<'a>(&mut self, mut fields: Fields<'a>) -> Option<Given<'a>> {
        let format = fields.get("Format");
        let clear = fields.get("Clear");
        let blend = fields.get("Blend");
        self.done_with_state(fields);
        let clear = self.floats::<4>(clear, "`Clear`", [0.0; 4]);
        let write = blend.map(|node| self.target_blend(node));
        let format = match format {
            Some(node) => {
                let text = self.text(node)?;
                Some((self.target_format(text, &node.at)?, node))
            }
            None => None,
        };
        Some((format, clear?, optional(write)?))
    }

    /// The format of a target, by its name.
    pub(super) fn target_format(&mut self, text: &str, at: &Range<usize>) -> Option<Format> {
        // Textures can hold depths, under the names of their formats.
        let is_depth = text.get(..1).is_some_and(|it| it.eq_ignore_ascii_case("D"));
        if let (true, Some(same)) = (is_depth, Format::parse(text)) {
            let what = format!("`{text}` is a format of depth, and targets hold colours");
            let error = Error::new(at.clone(), what);
            self.errors.push(error.help(format!("`{same}` holds the same numbers")));
            return None;
        }
        let format = Format::parse(text).filter(|it| is_renderable(*it));
        if format.is_none() {
            let error = Error::new(at.clone(), format!("`{text}` is not the format of a target"));
            let (text, formats) = (text.to_ascii_uppercase(), target_formats());
            let formats = || formats.iter().map(String::as_str);
            // `RGBA8` lacks the kind of its numbers.
            let whole = |it: &&str| it.strip_prefix(&*text).is_some_and(|it| it.starts_with('_'));
            let help = match formats().find(whole) {
                Some(whole) => Some(format!("did you mean `{whole}`?")),
                None => did_you_mean(&text, formats()),
            };
            self.errors.push(error.help(help.unwrap_or_else(|| {
                "they are R, RG or RGBA with 8, 16 or 32 bits, and UNORM, SNORM, UINT, SINT or FLOAT, such as \
                 `RGBA8_UNORM`; `RGBA8_SRGB`, `BGRA8_UNORM`, `RGB10A2_UNORM` and `RG11B10_FLOAT`"
                    .to_owned()
            })));
        }
        format
    }

    /// `DepthStencil`: its fields, or a comparison that also writes, or `None` without a depth test.
    pub(super) fn depth(
        &mut self,
        node: &Node,
        depth: &mut Depth,
        buffers: &[Buffer],
    ) -> Option<()> {
        if let NodeKind::Scalar(_) = node.kind {
            depth.tests.depth =
                self.choose(node, &DEPTH_TESTS)?.map(|func| DepthState { func, write: true });
            return Some(());
        }
        let mut fields = self.fields(node, "`DepthStencil`")?;
        let format = fields.get("Format");
        let clear_node = fields.get("Clear");
        let func = fields.get("Func");
        let write = fields.get("Write");
        let stencil = fields.get("Stencil");
        self.done_with_state(fields);
        let before =
            depth.tests.depth.unwrap_or(DepthState { func: Comparison::Always, write: false });
        let given = self.choose_or(format, depth.format, &DEPTH_FORMATS);
        let func = self.choose_or(func, before.func, &COMPARISONS);
        let write = self.switch_or(write, before.write);
        let clear = self.float32_or(clear_node, depth.clear);
        if let (Some(clear), Some(node)) = (clear, clear_node)
            && !(0.0..=1.0).contains(&clear)
        {
            self.error::<()>(&node.at, "depth is cleared to a number from 0 to 1");
        }
        if let (Some(node), Some(_), Some(false)) =
            (format, stencil, given.map(DepthFormat::has_stencil))
        {
            let error = Error::new(node.at.clone(), "this format has no stencil");
            self.errors.push(error.help("Format: D32_FLOAT_S8X24_UINT"));
        }
        if let Some(node) = stencil {
            self.stencil(node, depth, buffers)?;
        }
        (depth.format, depth.clear) = (given?, clear?);
        depth.make_room();
        depth.tests.depth = Some(DepthState { func: func?, write: write? });
        Some(())
    }

    pub(super) fn stencil(
        &mut self,
        node: &Node,
        depth: &mut Depth,
        buffers: &[Buffer],
    ) -> Option<()> {
        let mut fields = self.fields(node, "`Stencil`")?;
        let name = fields.get("Name");
        let clear = fields.get("Clear");
        let reference = fields.get("Ref");
        let read_mask = fields.get("ReadMask");
        let write_mask = fields.get("WriteMask");
        let front = fields.get("Front");
        let back = fields.get("Back");
        self.done_with_state(fields);
        let buffer = name.map(|it| self.find(it, "buffer", buffers, |it| &it.name));
        let (clear, reference) = (self.byte_or(clear, 0), self.byte_or(reference, 0));
        let (read_mask, write_mask) = (self.byte_or(read_mask, 255), self.byte_or(write_mask, 255));
        let front = self.stencil_face(front, "`Front`");
        let back = self.stencil_face(back, "`Back`");
        let buffer = optional(buffer)?;
        if let (Some(name), Some(index)) = (name, buffer) {
            let it = &buffers[index];
            if it.format != NumberFormat::Hex8 || it.channels != 1 || it.data.len() != 1 {
                let what = format!("`{}` must be a buffer of one `Hex8` a pixel", it.name);
                return self.error(&name.at, what);
            }
        }
        depth.stencil_buffer = buffer;
        depth.stencil_clear = clear?;
        depth.tests.stencil = Some(StencilState {
            read_mask: read_mask?,
            write_mask: write_mask?,
            reference: reference?,
            front: front?,
            back: back?,
        });
        Some(())
    }

    fn stencil_face(&mut self, node: Option<&Node>, what: &str) -> Option<StencilFace> {
        let Some(node) = node else { return Some(KEEP) };
        let mut fields = self.fields(node, what)?;
        let func = fields.get("Func");
        let ops = [fields.get("Pass"), fields.get("Fail"), fields.get("DepthFail")];
        self.done_with_state(fields);
        let func = self.choose_or(func, Comparison::Always, &COMPARISONS);
        let [pass, fail, depth_fail] =
            ops.map(|it| self.choose_or(it, StencilOp::Keep, &STENCIL_OPS));
        Some(StencilFace { func: func?, pass: pass?, fail: fail?, depth_fail: depth_fail? })
    }

    fn bias(&mut self, node: &Node) -> Option<DepthBias> {
        let mut fields = self.fields(node, "`DepthBias`")?;
        let bias = fields.get("Bias");
        let (slope, clamp) = (fields.get("Slope"), fields.get("Clamp"));
        self.done_with_state(fields);
        let bias = match bias {
            Some(node) => self.number(node, NumberFormat::Int32)? as i32,
            None => 0,
        };
        let (slope, clamp) = (self.float32_or(slope, 0.0), self.float32_or(clamp, 0.0));
        Some(DepthBias { bias, slope: slope?, clamp: clamp? })
    }

    fn viewport(&mut self, node: &Node) -> Option<Viewport> {
        let mut fields = self.fields(node, "a viewport")?;
        let (x, y) = (fields.get("X"), fields.get("Y"));
        let width = self.required(&mut fields, "Width");
        let height = self.required(&mut fields, "Height");
        let (min, max) = (fields.get("MinDepth"), fields.get("MaxDepth"));
        self.done_with_state(fields);
        let (x, y) = (self.float32_or(x, 0.0)?, self.float32_or(y, 0.0)?);
        let (width, height) = (width?, height?);
        let sizes = (self.float32_or(Some(width), 0.0)?, self.float32_or(Some(height), 0.0)?);
        let depths = (self.float32_or(min, 0.0)?, self.float32_or(max, 1.0)?);
        let viewport = Viewport {
            x,
            y,
            width: sizes.0,
            height: sizes.1,
            min_depth: depths.0,
            max_depth: depths.1,
        };
        let within = |it: f32| (-VIEWPORT_BOUNDS - 1.0..=VIEWPORT_BOUNDS).contains(&it);
        let is_placed = within(x) && within(y) && within(x + sizes.0) && within(y + sizes.1);
        if !is_placed || sizes.0 < 0.0 || sizes.1 < 0.0 {
            let what = "a viewport has no negative size, and lies between -32768 and 32767";
            return self.error(&node.at, what);
        }
        let in_range = |it: f32| (0.0..=1.0).contains(&it);
        if !in_range(depths.0) || !in_range(depths.1) || depths.0 > depths.1 {
            let what = "the depths of a viewport are numbers from 0 to 1, the least first";
            return self.error(&node.at, what);
        }
        Some(viewport)
    }

    fn scissor(&mut self, node: &Node) -> Option<Scissor> {
        let mut fields = self.fields(node, "a scissor rectangle")?;
        let sides = ["Left", "Top", "Right", "Bottom"];
        let nodes = sides.map(|it| self.required(&mut fields, it));
        self.done_with_state(fields);
        let mut values = [0; 4];
        for (value, node) in values.iter_mut().zip(nodes) {
            *value = self.number(node?, NumberFormat::Int32)? as i32;
        }
        let [left, top, right, bottom] = values;
        Some(Scissor { left, top, right, bottom })
    }

    fn float32_or(&mut self, node: Option<&Node>, default: f32) -> Option<f32> {
        let Some(node) = node else { return Some(default) };
        let value = f32::from_bits(self.number(node, NumberFormat::Float32)? as u32);
        match value.is_finite() {
            true => Some(value),
            false => self.error(&node.at, "the number must be finite"),
        }
    }

    fn byte_or(&mut self, node: Option<&Node>, default: u8) -> Option<u8> {
        let Some(node) = node else { return Some(default) };
        match u8::try_from(self.uint(node)?) {
            Ok(value) => Some(value),
            Err(_) => self.error(&node.at, "a stencil has eight bits"),
        }
    }

    pub(super) fn floats<const N: usize>(
        &mut self,
        node: Option<&Node>,
        what: &str,
        default: [f64; N],
    ) -> Option<[f64; N]> {
        let Some(node) = node else { return Some(default) };
        let list = self.each(Some(node), what, |it, node| it.float_or(Some(node), 0.0))?;
        match <[f64; N]>::try_from(list) {
            Ok(list) => Some(list),
            Err(_) => self.error(&node.at, format!("{what} has {N} numbers")),
        }
    }
}

/// The names of the formats of targets, including those of DXGI.
fn target_formats() -> Vec<String> {
    let encodings = ["UNORM", "SNORM", "UINT", "SINT", "FLOAT", "UNORM_SRGB"];
    let channels = ["R", "RG", "RGBA", "BGRA"].into_iter().flat_map(|letters| {
        [8, 16, 32].into_iter().flat_map(move |bits| {
            let apart: String = letters.chars().map(|it| format!("{it}{bits}")).collect();
            [format!("{letters}{bits}"), apart]
        })
    });
    let packed = ["RGB10A2", "R10G10B10A2", "RG11B10", "R11G11B10"].map(str::to_owned);
    let names = channels.chain(packed).flat_map(|it| encodings.map(|how| format!("{it}_{how}")));
    names.filter(|it| Format::parse(it).is_some_and(is_renderable)).collect()
}

/// Whether Direct3D renders to it; shared exponents cannot be blended or masked.
fn is_renderable(format: Format) -> bool {
    match format {
        Format::Plain { bits, .. } => bits <= 32,
        Format::Rgb9E5 => false,
        Format::Bgra8 { .. } | Format::Rgb10A2 { .. } | Format::Rg11B10Float => true,
    }
}
