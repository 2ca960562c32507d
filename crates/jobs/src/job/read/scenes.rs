//! `AccelerationStructures`: reads and builds them.
//!
//! Every structure is built here, so that an error is reported where its cause is written.

use std::ops::Range;

use wavelane::rays::{
    BottomLevel, Boxes, BuildError, BuildOptions, Geometry, GeometryFlags, GeometryKind,
    IndexFormat, Indices, Instance, InstanceFlags, TopLevel, Triangles,
};
use wavelane::texture::{Channels, Encoding, Format};
use wavelane::{Adapter, Device};

use super::{Fields, Reader};
use crate::error::did_you_mean;
use crate::job::{Buffer, Scene};
use crate::number::NumberFormat;
use crate::yaml::Node;
use crate::{Error, yaml};

/// Opens a file beside the one that names it.
pub type Open<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// Reads the top levels of a text that holds the `Buffers` and the `AccelerationStructures` of a job; its other keys
/// are ignored. Buffers may name a file instead of their data.
pub fn read_scenes(text: &str, open: &mut Open<'_>) -> Result<Vec<Scene>, Vec<Error>> {
    let tree = yaml::read(text).map_err(|error| vec![error])?;
    let mut reader = Reader::new(crate::Api::default());
    let scenes = reader.scenes_file(&tree, open);
    match scenes {
        Some(scenes) if reader.errors.is_empty() => Ok(scenes),
        _ => {
            reader.errors.sort_by_key(|it| it.at.start);
            Err(reader.errors)
        }
    }
}

/// A bottom level with its name.
struct Bottom {
    name: String,
    at: Range<usize>,
    level: Option<BottomLevel>,
}

/// A geometry, and where it is written.
struct Part<'a> {
    geometry: Geometry<'a>,
    at: Range<usize>,
}

const IDENTITY: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

const VERTEX_FORMATS: [(&str, Format); 3] = [
    ("RGB32Float", floats(Channels::Rgb)),
    ("RG32Float", floats(Channels::Rg)),
    ("RGBA32Float", floats(Channels::Rgba)),
];

const fn floats(channels: Channels) -> Format {
    Format::Plain { channels, bits: 32, encoding: Encoding::Float }
}

const INSTANCE_FLAGS: [(&str, InstanceFlags); 4] = [
    ("TriangleCullDisable", InstanceFlags::TRIANGLE_CULL_DISABLE),
    ("TriangleFrontCounterclockwise", InstanceFlags::TRIANGLE_FRONT_COUNTERCLOCKWISE),
    ("ForceOpaque", InstanceFlags::FORCE_OPAQUE),
    ("ForceNonOpaque", InstanceFlags::FORCE_NON_OPAQUE),
];

impl Reader {
    fn scenes_file(&mut self, tree: &Node, open: &mut Open<'_>) -> Option<Vec<Scene>> {
        let mut fields = self.fields(tree, "a scene")?;
        let buffers = fields.get("Buffers");
        let structures = self.required(&mut fields, "AccelerationStructures");
        let list = match buffers {
            Some(node) => self.list(node, "`Buffers`")?,
            None => &[],
        };
        let buffers: Vec<Option<Buffer>> =
            list.iter().map(|it| self.buffer_or_file(it, open)).collect();
        let buffers: Vec<Buffer> = buffers.into_iter().collect::<Option<_>>()?;
        self.unique(buffers.iter().map(|it| (it.name.as_str(), it.at.clone())), "buffer");
        self.scenes(Some(structures?), &buffers)
    }

    /// A buffer as in jobs, or one whose bytes are in a file: `{ Name, Format, File }`.
    fn buffer_or_file(&mut self, node: &Node, open: &mut Open<'_>) -> Option<Buffer> {
        let mut fields = self.fields(node, "a buffer")?;
        let Some(file) = fields.get("File") else { return self.buffer(node) };
        let name_node = self.required(&mut fields, "Name");
        let format = self.required(&mut fields, "Format");
        let format = format.and_then(|it| self.choose(it, &NumberFormat::NAMES));
        self.done(fields);
        let path = self.text(file)?;
        let bytes = match open(path) {
            Ok(bytes) => bytes,
            Err(what) => return self.error(&file.at, what),
        };
        let (name_node, format) = (name_node?, format?);
        if bytes.len() % format.bytes() != 0 {
            let what = format!(
                "`{path}` has {} bytes, which is not a whole number of {} values",
                bytes.len(),
                format.name()
            );
            return self.error(&file.at, what);
        }
        Some(Buffer {
            name: self.text(name_node)?.to_owned(),
            format,
            channels: 1,
            stride: 0,
            data: vec![bytes],
            texture: None,
            target: None,
            counters: Vec::new(),
            at: name_node.at.clone(),
        })
    }

    /// The top levels, in textual order.
    pub(super) fn scenes(&mut self, node: Option<&Node>, buffers: &[Buffer]) -> Option<Vec<Scene>> {
        let Some(node) = node else { return Some(Vec::new()) };
        let mut fields = self.fields(node, "`AccelerationStructures`")?;
        let (bottoms, tops) = (fields.get("BLAS"), fields.get("TLAS"));
        self.done(fields);
        let device = Device::new(Adapter::reference());
        let bottoms =
            self.each(bottoms, "`BLAS`", |it, node| it.bottom_level(node, buffers, &device))?;
        let names = bottoms.iter().map(|it| (it.name.as_str(), it.at.clone()));
        self.unique(names, "bottom level");
        let tops = self.each(tops, "`TLAS`", |it, node| it.top_level(node, &bottoms, &device))?;
        self.unique(tops.iter().map(|it| (it.name.as_str(), it.at.clone())), "top level");
        Some(tops)
    }

    fn bottom_level(&mut self, node: &Node, buffers: &[Buffer], device: &Device) -> Option<Bottom> {
        let mut fields = self.fields(node, "a bottom level")?;
        let name_node = self.required(&mut fields, "Name");
        let (triangles, boxes) = (fields.get("Triangles"), fields.get("AABBs"));
        let access = fields.get("DataAccess");
        let access = self.switch_or(access, true);
        self.done(fields);
        let parts = self.parts(triangles, "`Triangles`", |it, node| it.triangles(node, buffers));
        let more = self.parts(boxes, "`AABBs`", |it, node| it.boxes(node, buffers));
        let name_node = name_node?;
        let name = self.text(name_node)?.to_owned();
        let at = name_node.at.clone();
        // What is wrong with the data has been reported; the name exists nonetheless.
        let (Some(mut parts), Some(more), Some(data_access)) = (parts, more, access) else {
            return Some(Bottom { name, at, level: None });
        };
        if let (false, Some(first)) = (parts.is_empty(), more.first()) {
            let what = "a bottom level holds either triangles or boxes";
            self.error::<()>(&first.at, what);
            return Some(Bottom { name, at, level: None });
        }
        parts.extend(more);
        let geometries: Vec<Geometry<'_>> = parts.iter().map(|it| it.geometry).collect();
        let options = BuildOptions { data_access, ..BuildOptions::default() };
        let level = match device.build_bottom_level(&geometries, options) {
            Ok(level) => Some(level),
            Err(error) => {
                let part = error.geometry().and_then(|it| parts.get(it));
                let at = part.map_or(at.clone(), |it| it.at.clone());
                self.build_error(&at, &error)
            }
        };
        Some(Bottom { name, at, level })
    }

    fn build_error<T>(&mut self, at: &Range<usize>, error: &BuildError) -> Option<T> {
        self.error(at, error.to_string())
    }

    fn parts<'a>(
        &mut self,
        node: Option<&Node>,
        what: &str,
        read: impl Fn(&mut Reader, &Node) -> Option<Part<'a>>,
    ) -> Option<Vec<Part<'a>>> {
        self.each(node, what, read)
    }

    /// The bytes of the buffer that a key names.
    fn bytes_of<'a>(&mut self, node: &Node, buffers: &'a [Buffer]) -> Option<&'a [u8]> {
        let buffer = self.find(node, "buffer", buffers, |it| &it.name)?;
        Some(buffers[buffer].data.first().map_or(&[][..], Vec::as_slice))
    }

    /// A number that must not be 0.
    fn count(&mut self, node: &Node) -> Option<usize> {
        match self.uint(node)? {
            0 => self.error(&node.at, "the count is 0; leave the geometry out instead"),
            count => Some(count as usize),
        }
    }

    fn element_stride(&mut self, node: Option<&Node>, size: usize) -> Option<usize> {
        let Some(node) = node else { return Some(size) };
        let stride = self.uint(node)? as usize;
        if stride < size {
            let what = format!("the stride is {stride} bytes, and an element takes {size}");
            return self.error(&node.at, what);
        }
        Some(stride)
    }

    fn opaque(&mut self, fields: &mut Fields<'_>) -> Option<GeometryFlags> {
        let node = fields.get("Opaque");
        let opaque = self.switch_or(node, true)?;
        Some(if opaque { GeometryFlags::OPAQUE } else { GeometryFlags::NONE })
    }

    fn triangles<'a>(&mut self, node: &Node, buffers: &'a [Buffer]) -> Option<Part<'a>> {
        let mut fields = self.fields(node, "a geometry of triangles")?;
        let at = fields.entries.first().map_or(node.at.clone(), |(key, _)| key.at.clone());
        let vertices = self.required(&mut fields, "VertexBuffer");
        let vertices = vertices.and_then(|it| self.bytes_of(it, buffers));
        let format = fields.get("VertexFormat");
        let format = self.choose_or(format, VERTEX_FORMATS[0].1, &VERTEX_FORMATS);
        let stride = fields.get("VertexStride");
        let count_node = self.required(&mut fields, "VertexCount");
        let count = count_node.and_then(|it| self.count(it));
        let index_buffer = fields.get("IndexBuffer");
        let formats = [("Uint32", IndexFormat::Uint32), ("Uint16", IndexFormat::Uint16)];
        let index_format = fields.get("IndexFormat");
        let index_format = self.choose_or(index_format, IndexFormat::Uint32, &formats);
        let index_count = fields.get("IndexCount");
        let flags = self.opaque(&mut fields);
        let transform = fields.get("Transform");
        let transform = match transform {
            Some(node) => self.transform(node).map(Some),
            None => Some(None),
        };
        self.done(fields);
        let format = format?;
        // The default stride suits the default format, even if another format is given.
        let stride = match stride {
            Some(_) => self.element_stride(stride, format.bytes()),
            None => Some(format.bytes().max(12)),
        };
        let indices = match (index_buffer, index_count) {
            (None, None) => Some(None),
            (Some(buffer), Some(number)) => {
                let bytes = self.bytes_of(buffer, buffers);
                match (bytes, index_format, self.count(number)) {
                    (Some(bytes), Some(format), Some(count)) => {
                        Some(Some((Indices { bytes, format, count }, number)))
                    }
                    _ => None,
                }
            }
            (Some(buffer), None) => {
                self.error(&buffer.at, "an `IndexBuffer` needs an `IndexCount`")
            }
            // A count of 0 is the default.
            (None, Some(number)) => match self.uint(number)? {
                0 => Some(None),
                _ => self.error(&number.at, "an `IndexCount` needs an `IndexBuffer`"),
            },
        };
        let (indices, count, count_node) = (indices?, count?, count_node?);
        let (corners, what, place) = match &indices {
            Some((indices, number)) => (indices.count, "indices", &number.at),
            None => (count, "vertices", &count_node.at),
        };
        if corners % 3 != 0 {
            return self.error(place, format!("{corners} {what} are not a multiple of 3"));
        }
        let triangles = Triangles {
            vertices: vertices?,
            format,
            stride: stride?,
            count,
            indices: indices.map(|it| it.0),
            transform: transform?,
        };
        let geometry = Geometry { kind: GeometryKind::Triangles(triangles), flags: flags? };
        Some(Part { geometry, at })
    }

    fn boxes<'a>(&mut self, node: &Node, buffers: &'a [Buffer]) -> Option<Part<'a>> {
        let mut fields = self.fields(node, "a geometry of boxes")?;
        let at = fields.entries.first().map_or(node.at.clone(), |(key, _)| key.at.clone());
        let bytes = self.required(&mut fields, "AABBBuffer");
        let bytes = bytes.and_then(|it| self.bytes_of(it, buffers));
        let count = self.required(&mut fields, "AABBCount").and_then(|it| self.count(it));
        let stride = fields.get("AABBStride");
        let stride = self.element_stride(stride, 24);
        let flags = self.opaque(&mut fields);
        self.done(fields);
        let boxes = Boxes { bytes: bytes?, stride: stride?, count: count? };
        Some(Part { geometry: Geometry { kind: GeometryKind::Boxes(boxes), flags: flags? }, at })
    }

    fn transform(&mut self, node: &Node) -> Option<[f32; 12]> {
        let list = self.list(node, "`Transform`")?;
        let numbers: Option<Vec<f32>> = list
            .iter()
            .map(|it| {
                self.number(it, NumberFormat::Float32).map(|bits| f32::from_bits(bits as u32))
            })
            .collect();
        let numbers = numbers?;
        match numbers.as_slice().try_into() {
            Ok(transform) => Some(transform),
            Err(_) => {
                let what =
                    format!("a transform has 12 numbers, three rows of four, not {}", list.len());
                self.error(&node.at, what)
            }
        }
    }

    fn top_level(&mut self, node: &Node, bottoms: &[Bottom], device: &Device) -> Option<Scene> {
        let mut fields = self.fields(node, "a top level")?;
        let name_node = self.required(&mut fields, "Name");
        let array = fields.get("ArraySize");
        let size = self.uint_or(array, 1);
        let instances = self.required(&mut fields, "Instances");
        self.done(fields);
        let (name_node, size, instances) = (name_node?, size?, instances?);
        let at = name_node.at.clone();
        let name = self.text(name_node)?.to_owned();
        let lists: Vec<&Node> = match size {
            0 => {
                let at = array.map_or(at, |it| it.at.clone());
                return self.error(&at, "an array of resources has at least one element");
            }
            1 => vec![instances],
            _ => self.list(instances, "`Instances`")?.iter().collect(),
        };
        if lists.len() != size as usize {
            let what = format!("`ArraySize` is {size}, but `Instances` has {} lists", lists.len());
            return self.error(&instances.at, what);
        }
        let mut elements: Vec<TopLevel> = Vec::new();
        for list in lists {
            let instances =
                self.each(Some(list), "`Instances`", |it, node| it.instance(node, bottoms))?;
            // A bottom level that could not be built has been reported.
            let instances: Option<Vec<Instance<'_>>> = instances.into_iter().collect();
            match device.build_top_level(&instances?, BuildOptions::default()) {
                Ok(level) => elements.push(level),
                Err(error) => return self.build_error(&at, &error),
            }
        }
        Some(Scene { name, elements, at })
    }

    /// An instance; inside, `None` if its bottom level could not be built.
    fn instance<'a>(&mut self, node: &Node, bottoms: &'a [Bottom]) -> Option<Option<Instance<'a>>> {
        let mut fields = self.fields(node, "an instance")?;
        let bottom = self.required(&mut fields, "BLAS");
        let bottom = bottom.and_then(|it| self.find(it, "bottom level", bottoms, |it| &it.name));
        let transform = fields.get("Transform");
        let transform = transform.map_or(Some(IDENTITY), |it| self.transform(it));
        let (id, mask) = (fields.get("InstanceID"), fields.get("InstanceMask"));
        let id = self.uint_or(id, 0);
        let mask = match mask {
            Some(node) => self.uint(node).and_then(|mask| match u8::try_from(mask) {
                Ok(mask) => Some(mask),
                Err(_) => self.error(&node.at, "a mask has 8 bits"),
            }),
            None => Some(0xff),
        };
        let contribution = fields.get("InstanceContributionToHitGroupIndex");
        let contribution = self.uint_or(contribution, 0);
        let flags = fields.get("InstanceFlags");
        let flags =
            self.each(flags, "`InstanceFlags`", |it, node| it.choose(node, &INSTANCE_FLAGS));
        self.done(fields);
        let flags = flags?.into_iter().fold(InstanceFlags::NONE, |all, it| all | it);
        let (transform, id, mask, contribution) = (transform?, id?, mask?, contribution?);
        let level = bottoms[bottom?].level.as_ref();
        Some(level.map(|level| Instance {
            transform,
            id,
            mask,
            contribution,
            flags,
            bottom: Some(level),
        }))
    }

    /// The top level that a resource names.
    pub(super) fn scene_named(&mut self, node: &Node, scenes: &[Scene]) -> Option<usize> {
        let name = self.text(node)?;
        if let Some(index) = scenes.iter().position(|it| it.name == name) {
            return Some(index);
        }
        let what = format!("there is no top level `{name}` in `AccelerationStructures`");
        let error = Error::new(node.at.clone(), what);
        let help = did_you_mean(name, scenes.iter().map(|it| it.name.as_str()));
        self.errors.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
        None
    }
}

#[cfg(test)]
mod tests;
