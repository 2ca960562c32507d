//! Reads what a job draws: `Bindings`, `VertexCount`, and the state under our own key `Raster`.
//!
//! What a job leaves out has the fixed value of the public format, so that a [`Draw`] is complete.

mod blend;
mod given;
mod refused;
mod state;

pub use self::given::{StateKey, read_state, read_target};

use wavelane::graphics::{
    Cull, DepthBias, DepthFormat, DepthState, IndexFormat, Samples, TargetState, Topology,
};
use wavelane::internal::MOST_PIXELS;
use wavelane::texture::{Channels, Comparison, Encoding, Format};

use super::*;
use crate::Api;
use crate::job::draw::*;

/// The most vertices of all instances together: each is shaded, and kept until its primitives are drawn.
const MOST_VERTICES: u64 = 1 << 26;
/// The most targets at a time.
const MOST_TARGETS: usize = 8;

/// The topologies of the public format; `None` for patches.
const TOPOLOGIES: [(&str, Option<Topology>); 4] = [
    ("TriangleList", Some(Topology::TriangleList)),
    ("PointList", Some(Topology::PointList)),
    ("PatchList", None),
    ("LineList", Some(Topology::LineList)),
];

/// The parts of a job from which its draw is read.
pub(super) struct Parts<'a> {
    pub(super) shaders: &'a [Shader],
    pub(super) buffers: &'a [Buffer],
    pub(super) bindings: Option<&'a Node>,
    pub(super) raster: Option<&'a Node>,
    pub(super) dispatch: Option<&'a Node>,
    /// Where the shaders are listed.
    pub(super) at: Range<usize>,
}

/// `Bindings`, as far as they are given.
#[derive(Default)]
struct Given<'a> {
    vertices: Option<usize>,
    attributes: Vec<Attribute>,
    target: Option<(usize, &'a Node)>,
    topology: Option<(Option<Topology>, &'a Node)>,
    points: Option<(u32, &'a Node)>,
    vertices_at: Option<&'a Node>,
}

impl Reader {
    /// The draw of a job with such shaders. The inner `None` means that it dispatches, traces rays or has passes.
    pub(super) fn draw(&mut self, parts: &Parts<'_>) -> Option<Option<Draw>> {
        let given = self.io_bindings(parts.bindings, parts.buffers);
        let count = parts.dispatch.and_then(|it| find_key(it, "VertexCount"));
        let is_draw = parts.shaders.iter().any(|it| it.stage.is_of_draw());
        if !is_draw {
            if let Some(node) = count {
                self.error::<()>(&node.at, "only a job with a vertex shader has a `VertexCount`");
            }
            if let Some(node) = parts.raster {
                self.error::<()>(&node.at, "only a job with a pixel shader has a `Raster`");
            }
            given?;
            return Some(None);
        }
        self.stages(parts.shaders, &parts.at);
        let has = |stage| parts.shaders.iter().any(|it| it.stage == stage);
        let groups = parts.dispatch.and_then(|it| find_key(it, "DispatchGroupCount"));
        if let (Some(node), false) = (groups, has(Stage::Mesh)) {
            let error = Error::new(node.at.clone(), "a draw has no `DispatchGroupCount`");
            self.errors.push(error.help("give the number of vertices: `VertexCount`"));
        }
        if let (Some(node), true) = (count, has(Stage::Mesh)) {
            self.error::<()>(&node.at, "a mesh shader has no vertices, so no `VertexCount`");
        }
        let is_tessellated = has(Stage::Hull) && has(Stage::Domain);
        let mut draw = self.fixed(given?, parts, count, is_tessellated)?;
        if let Some(node) = parts.raster {
            self.raster(node, &mut draw, parts, count)?;
        }
        self.check_targets(&draw, parts)?;
        self.check_counts(&mut draw, parts, count)?;
        Some(Some(draw))
    }

    /// Which stages a draw has.
    fn stages(&mut self, shaders: &[Shader], at: &Range<usize>) {
        let find = |stage| shaders.iter().find(|it| it.stage == stage);
        for (index, shader) in shaders.iter().enumerate() {
            if shaders[..index].iter().any(|it| it.stage == shader.stage) {
                let what = format!("the job has two {} shaders", shader.stage.word());
                self.error::<()>(&shader.at, what);
            }
        }
        let compute =
            shaders.iter().find(|it| !it.stage.is_of_draw() && it.stage != Stage::Compute);
        if let Some(shader) = compute {
            let what = format!("a {} shader is not part of a draw", shader.stage.word());
            self.error::<()>(&shader.at, what);
        }
        match (find(Stage::Vertex), find(Stage::Mesh)) {
            (None, None) => {
                self.error::<()>(at, "a draw starts with a vertex shader or a mesh shader");
            }
            (Some(_), Some(mesh)) => {
                self.error::<()>(&mesh.at, "a draw has a vertex shader or a mesh shader, not both");
            }
            (Some(_), None) if find(Stage::Pixel).is_none() => {
                let error =
                    Error::new(at.clone(), "the job has a vertex shader but no pixel shader");
                self.errors.push(error.help("- { Stage: Pixel, Entry: main }"));
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
        for (stage, needs) in [
            (Stage::Hull, Stage::Domain),
            (Stage::Domain, Stage::Hull),
            (Stage::Hull, Stage::Vertex),
            (Stage::Geometry, Stage::Vertex),
            (Stage::Amplification, Stage::Mesh),
        ] {
            if let (Some(shader), None) = (find(stage), find(needs)) {
                let what = format!("a {} shader needs a {} shader", stage.word(), needs.word());
                self.error::<()>(&shader.at, what);
            }
        }
    }

    fn io_bindings<'a>(&mut self, node: Option<&'a Node>, buffers: &[Buffer]) -> Option<Given<'a>> {
        let Some(node) = node else { return Some(Given::default()) };
        let mut fields = self.fields(node, "`Bindings`")?;
        let vertices_at = fields.get("VertexBuffer");
        let attributes_at = fields.get("VertexAttributes");
        let target = fields.get("RenderTarget");
        let topology = fields.get("Topology");
        let points = fields.get("PatchControlPoints");
        self.done(fields);
        let vertices = vertices_at.map(|it| self.find(it, "buffer", buffers, |it| &it.name));
        let attributes = self.attributes(attributes_at, "`VertexAttributes`");
        if let (Some(node), None) = (attributes_at, vertices_at) {
            self.error::<()>(&node.at, "`VertexAttributes` need a `VertexBuffer`");
        }
        let target = target.map(|node| {
            let found = self.find(node, "buffer", buffers, |it| &it.name)?;
            Some((found, node))
        });
        let topology = topology.map(|node| Some((self.choose(node, &TOPOLOGIES)?, node)));
        let points = points.map(|node| match self.uint(node)? {
            points @ 1..=32 => Some((points, node)),
            _ => self.error(&node.at, "a patch has 1 to 32 control points"),
        });
        Some(Given {
            vertices: optional(vertices)?,
            attributes: attributes?,
            target: optional(target)?,
            topology: optional(topology)?,
            points: optional(points)?,
            vertices_at,
        })
    }

    fn attributes(&mut self, node: Option<&Node>, what: &str) -> Option<Vec<Attribute>> {
        let attributes = self.each(node, what, |it, node| {
            let mut fields = it.fields(node, "an attribute")?;
            let format_node = it.required(&mut fields, "Format");
            let format = format_node.and_then(|node| it.choose(node, &NumberFormat::NAMES));
            let channels_node = it.required(&mut fields, "Channels");
            let channels = channels_node.and_then(|node| it.uint(node));
            let offset_node = it.required(&mut fields, "Offset");
            let offset = offset_node.and_then(|node| it.uint(node));
            let name_node = it.required(&mut fields, "Name");
            let name = name_node.and_then(|node| it.text(node)).map(str::to_owned);
            it.done(fields);
            let (format, channels, offset, name) = (format?, channels?, offset?, name?);
            if !(1..=4).contains(&channels) {
                return it.error(&channels_node?.at, "an attribute has 1 to 4 channels");
            }
            if format.bytes() > 4 {
                let what =
                    format!("an attribute has at most 32 bits a channel, not {}", format.name());
                return it.error(&format_node?.at, what);
            }
            if offset > LARGEST_STRIDE {
                let what = format!("an attribute is within the first {LARGEST_STRIDE} bytes");
                return it.error(&offset_node?.at, what);
            }
            Some(Attribute { name, format, channels, offset, at: name_node?.at.clone() })
        })?;
        if let (Some(node), true) = (node, attributes.len() > MOST_ATTRIBUTES) {
            return self
                .error(&node.at, format!("a vertex has at most {MOST_ATTRIBUTES} attributes"));
        }
        let names: Vec<String> = attributes.iter().map(|it| it.name.to_ascii_uppercase()).collect();
        let places = attributes.iter().map(|it| it.at.clone());
        self.unique(names.iter().map(String::as_str).zip(places), "attribute");
        Some(attributes)
    }

    /// The bytes from one vertex to the next: Direct3D's adds the sizes, and Vulkan's covers all attributes.
    fn stride(&self, attributes: &[Attribute]) -> u32 {
        match self.api {
            Api::Vulkan => attributes.iter().map(|it| it.offset + it.bytes()).max().unwrap_or(0),
            Api::DirectX | Api::Wavelane => attributes.iter().map(Attribute::bytes).sum(),
        }
    }

    /// The draw in the public format.
    fn fixed(
        &mut self,
        given: Given<'_>,
        parts: &Parts<'_>,
        count: Option<&Node>,
        is_tessellated: bool,
    ) -> Option<Draw> {
        let is_patches = given.topology.is_some_and(|it| it.0.is_none());
        let points = given.points.map(|it| Topology::PatchList(it.0 as u8));
        let plain = given.topology.and_then(|it| it.0).unwrap_or(Topology::TriangleList);
        let topology = points.filter(|_| is_patches).unwrap_or(plain);
        let at = given.topology.map_or(&parts.at, |it| &it.1.at);
        match (is_tessellated, is_patches) {
            (true, false) => {
                self.error::<()>(at, "hull and domain shaders need the topology `PatchList`");
            }
            (false, true) => {
                self.error::<()>(at, "a `PatchList` needs hull and domain shaders");
            }
            (true, true) | (false, false) => {}
        }
        match (is_patches, given.points) {
            (true, None) => {
                self.error::<()>(at, "a `PatchList` needs `PatchControlPoints`");
            }
            (false, Some((_, node))) => {
                self.error::<()>(&node.at, "only a `PatchList` has `PatchControlPoints`");
            }
            (true, Some(_)) | (false, None) => {}
        }
        if let (Some(buffer), Some(node)) = (given.vertices, given.vertices_at)
            && given.attributes.is_empty()
        {
            let what = format!("`{}` has no `VertexAttributes`", parts.buffers[buffer].name);
            self.error::<()>(&node.at, what);
        }
        let stride = self.stride(&given.attributes);
        let vertices = Stream { buffer: given.vertices, attributes: given.attributes, stride };
        let targets = match given.target {
            Some((buffer, node)) => {
                let format = self.format_of(&parts.buffers[buffer], &node.at)?;
                vec![Target { buffer, format, clear: [0.0; 4], write: None, at: node.at.clone() }]
            }
            None => Vec::new(),
        };
        let func = match self.api {
            Api::Vulkan => Comparison::LessEqual,
            Api::DirectX | Api::Wavelane => Comparison::Less,
        };
        let count = match count {
            Some(node) => self.uint(node)?,
            // The size of the buffer decides, see `check_counts`.
            None => 0,
        };
        let mut draw = Draw {
            topology,
            patch_control_points: given.points.map(|it| it.0),
            vertices,
            count,
            targets,
            ..Draw::fixed()
        };
        draw.depth.tests.depth = Some(DepthState { func, write: true });
        Some(draw)
    }

    /// The format of a target that is given as a format of numbers and how many there are.
    fn format_of(&mut self, buffer: &Buffer, at: &Range<usize>) -> Option<Format> {
        let encoding = match buffer.format {
            NumberFormat::Float16 | NumberFormat::Float32 => Some(Encoding::Float),
            NumberFormat::UInt16 | NumberFormat::UInt32 => Some(Encoding::Uint),
            NumberFormat::Int16 | NumberFormat::Int32 => Some(Encoding::Sint),
            NumberFormat::Hex8
            | NumberFormat::Hex16
            | NumberFormat::Hex32
            | NumberFormat::Hex64
            | NumberFormat::UInt64
            | NumberFormat::Int64
            | NumberFormat::Float64
            | NumberFormat::Depth32
            | NumberFormat::Bool => None,
        };
        let bits = 8 * buffer.format.bytes() as u8;
        let format = encoding.zip(Channels::of(buffer.channels));
        let format = format.and_then(|(it, channels)| Format::plain(channels, bits, it));
        if format.is_some() {
            return format;
        }
        let what = format!(
            "`{}` holds {} numbers of {} a texel, which is not the format of a target",
            buffer.name,
            buffer.channels,
            buffer.format.name()
        );
        let help = "a target has 1 to 4 channels of floats or integers with 16 or 32 bits";
        self.errors.push(Error::new(at.clone(), what).help(help));
        None
    }

    /// Sizes of the targets, which must agree.
    fn check_targets(&mut self, draw: &Draw, parts: &Parts<'_>) -> Option<()> {
        let [first, ..] = draw.targets.as_slice() else {
            let error = Error::new(parts.at.clone(), "the draw has no target");
            self.errors.push(error.help("Bindings: { RenderTarget: NAME }"));
            return None;
        };
        let size_of = |it: &Target| parts.buffers[it.buffer].texture;
        for (index, target) in draw.targets.iter().enumerate() {
            let buffer = &parts.buffers[target.buffer];
            let Some(size) = buffer.texture else {
                let what = format!("the target `{}` has no `OutputProps`", buffer.name);
                let error = Error::new(target.at.clone(), what);
                self.errors.push(error.help("OutputProps: { Width: 256, Height: 256, Depth: 1 }"));
                return None;
            };
            let sides = [size.width, size.height, size.depth];
            if sides.contains(&0) {
                let [width, height, depth] = sides;
                let what =
                    format!("the target `{}` is empty: {width}x{height}x{depth}", buffer.name);
                return self.error(&target.at, what);
            }
            if size.width > MOST_PIXELS || size.height > MOST_PIXELS || size.depth > MOST_SLICES {
                let what = format!("the target `{}` is larger than {MOST_PIXELS}", buffer.name);
                return self.error(&target.at, format!("{what} pixels, or {MOST_SLICES} slices"));
            }
            if size.mips != 1 {
                let what = format!("the target `{}` has several mip levels", buffer.name);
                return self.error(&target.at, what);
            }
            if buffer.data.len() != 1 {
                return self.error(&target.at, format!("the target `{}` is an array", buffer.name));
            }
            if draw.targets[..index].iter().any(|it| it.buffer == target.buffer) {
                let what = format!("`{}` is a target already", buffer.name);
                return self.error(&target.at, what);
            }
            if size_of(first) != Some(size) {
                let what = format!("`{}` differs in size from the first target", buffer.name);
                return self.error(&target.at, what);
            }
            // What each sample takes, the depth included.
            let pixels: u64 = sides.iter().map(|it| u64::from(*it)).product();
            let bytes = target.format.bytes() as u64 + 8;
            let bytes = pixels * bytes * u64::from(draw.samples.count());
            self.bound = self.bound.saturating_add(bytes);
            if self.bound > MOST_BYTES {
                let what =
                    format!("with the samples of this target, {} bytes are bound", self.bound);
                let help =
                    format!("all resources of a job together have at most {MOST_BYTES} bytes");
                self.errors.push(Error::new(target.at.clone(), what).help(help));
                return None;
            }
        }
        Some(())
    }

    /// How many vertices are drawn: as given, or as many as the buffer has.
    fn check_counts(
        &mut self,
        draw: &mut Draw,
        parts: &Parts<'_>,
        count: Option<&Node>,
    ) -> Option<()> {
        let has_mesh = parts.shaders.iter().any(|it| it.stage == Stage::Mesh);
        let indices = draw.index.map(|it| parts.buffers[it.buffer].size() / index_bytes(it.format));
        if count.is_none() && !has_mesh {
            let stride = draw.vertices.stride.max(1) as usize;
            let vertices = draw.vertices.buffer.map(|it| parts.buffers[it].size() / stride);
            let Some(all) = indices.or(vertices) else {
                let what = "the draw has neither a vertex buffer nor a number of vertices";
                let error = Error::new(parts.at.clone(), what);
                self.errors.push(error.help("DispatchParameters: { VertexCount: 3 }"));
                return None;
            };
            draw.count = u32::try_from(all).unwrap_or(u32::MAX);
        }
        let all = u64::from(draw.count) * u64::from(draw.instances);
        if all > MOST_VERTICES {
            let at = count.map_or(&parts.at, |it| &it.at);
            let what = format!("{all} vertices are drawn; at most {MOST_VERTICES}");
            return self.error(at, what);
        }
        Some(())
    }
}

fn index_bytes(format: IndexFormat) -> usize {
    match format {
        IndexFormat::Uint16 => 2,
        IndexFormat::Uint32 => 4,
    }
}

/// The largest stride of a vertex in bytes, as in Direct3D 12.
const LARGEST_STRIDE: u32 = 2048;
/// As in Direct3D 12.
const MOST_ATTRIBUTES: usize = 32;
/// As in Direct3D 12.
const MOST_SLICES: u32 = 2048;

/// The value of a key, wherever its mapping was read.
fn find_key<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.kind {
        NodeKind::Map(entries) => {
            entries.iter().find(|(it, _)| it.name == key).map(|(_, node)| node)
        }
        NodeKind::Scalar(_) | NodeKind::List(_) => None,
    }
}

/// A part that may be missing, but not wrong.
fn optional<T>(it: Option<Option<T>>) -> Option<Option<T>> {
    match it {
        Some(it) => it.map(Some),
        None => Some(None),
    }
}

#[cfg(test)]
mod tests;
