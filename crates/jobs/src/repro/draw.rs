//! Writes a draw as a `.test` file: its shaders, their inputs, and the expected results.
//!
//! One target is written in the public format. Several need `Raster`, which only `--profile wavelane` admits.

use std::collections::BTreeMap;
use std::fmt::Write;

use wavelane::internal::Slot;
use wavelane::texture::Format;
use wavelane::{RegisterClass, ResourceTable, Shader, Stage};

use super::{Source, Written, body, bound, buffer, defused, list, numbers, quoted, words};
use crate::bind::numbers_of;
use crate::job::stage_name;
use crate::number::NumberFormat;

/// A draw to write.
pub struct DrawRepro<'a> {
    /// Comment lines at the start.
    pub comment: &'a str,
    /// From the vertex or amplification shader to the pixel shader.
    pub stages: &'a [ReproStage<'a>],
    /// Names and formats.
    pub targets: &'a [(String, Format)],
    pub size: [u32; 2],
    /// The inputs of the vertex shader, and the bits of three vertices.
    pub attributes: &'a [ReproAttribute],
    /// Of a mesh or amplification shader; without them vertices are drawn.
    pub groups: Option<[u32; 3]>,
    /// How many; three where there are attributes.
    pub vertices: u32,
    /// The expected contents, by the names of targets and of buffers.
    pub expected: &'a BTreeMap<String, Vec<u8>>,
}

/// A shader of a draw, with what is bound to it.
pub struct ReproStage<'a> {
    pub stage: Stage,
    pub shader: &'a Shader,
    pub source: &'a Source,
    /// A file beside the written one that holds the source, which is then not written again.
    pub beside: Option<&'a str>,
    pub table: &'a ResourceTable,
}

/// An attribute of three vertices.
pub struct ReproAttribute {
    pub semantic: String,
    pub format: NumberFormat,
    /// Of each vertex the bits of its channels.
    pub vertices: [Vec<u32>; 3],
}

/// The name of the vertex buffer.
const VERTICES: &str = "Vertices";

/// The file, or what the format cannot express.
pub fn write_draw(repro: &DrawRepro<'_>) -> Result<String, String> {
    let mut text = String::new();
    for line in repro.comment.lines() {
        let _ = writeln!(text, "# {}", defused(line));
    }
    for stage in repro.stages.iter().filter(|it| it.beside.is_none()) {
        let _ = writeln!(text, "#--- {}\n{}", part(stage.stage), body(&stage.source.text));
    }
    let _ = writeln!(text, "#--- pipeline.yaml\n{}", job(repro)?);
    text.push_str("#--- end\n# RUN: split-file %s %t\n");
    let mut objects = Vec::new();
    for stage in repro.stages {
        let mut flags = words(&stage.source.flags.options)?;
        let folders = &stage.source.flags.includes;
        flags.extend(folders.iter().flat_map(|it| ["-I".to_owned(), it.clone()]));
        let source = match stage.beside {
            Some(file) => quoted(&format!("%S/{file}")),
            None => format!("%t/{}", part(stage.stage)),
        };
        let flags: Vec<String> = flags.iter().map(|it| quoted(it)).collect();
        let object = format!("%t-{}.o", stage.stage.word());
        let _ = writeln!(text, "# RUN: %dxc_target {} -Fo {object} {source}", flags.join(" "));
        objects.push(object);
    }
    let _ = writeln!(text, "# RUN: %offloader %t/pipeline.yaml {}", objects.join(" "));
    Ok(text)
}

/// The part of the file that holds a shader.
fn part(stage: Stage) -> String {
    format!("{}.hlsl", stage.word())
}

/// What a name of the job denotes.
enum Held<'a> {
    Target(Format),
    Buffer(Written<'a>),
    Sampler(Written<'a>),
}

impl Held<'_> {
    fn written(&self) -> Option<&Written<'_>> {
        match self {
            Held::Target(_) => None,
            Held::Buffer(it) | Held::Sampler(it) => Some(it),
        }
    }
}

fn job(repro: &DrawRepro<'_>) -> Result<String, String> {
    let mut all: Vec<(String, Held<'_>)> = Vec::new();
    for (name, format) in repro.targets {
        all.push((name.clone(), Held::Target(*format)));
    }
    for stage in repro.stages {
        for written in bound(stage.table)? {
            let register = written.resource.register;
            if matches!(register.class, RegisterClass::Push) || register.class.is_heap() {
                return Err(format!("`{}` of a draw", written.resource.name));
            }
            let known = all.iter().find(|it| it.0 == written.name);
            match known.map(|it| it.1.written().map(|it| it.resource.register)) {
                // The same in another stage.
                Some(Some(it)) if it == register => continue,
                Some(_) => return Err(format!("two things called `{}`", written.name)),
                None if written.is_sampler() => {
                    all.push((written.name.clone(), Held::Sampler(written)));
                }
                None => all.push((written.name.clone(), Held::Buffer(written))),
            }
        }
    }
    let mut text = "---\nShaders:\n".to_owned();
    for stage in repro.stages {
        let (name, entry) = (stage_name(stage.stage), stage.shader.entry());
        let _ = writeln!(text, "  - {{ Stage: {name}, Entry: {entry} }}");
    }
    text.push_str("Buffers:\n");
    let [width, height] = repro.size;
    for (name, held) in &all {
        match held {
            Held::Target(format) => {
                let (number, channels) = numbers_of(*format)
                    .ok_or_else(|| format!("a target of the format {format}"))?;
                let size = u64::from(width) * u64::from(height) * format.bytes() as u64;
                let _ = writeln!(
                    text,
                    "  - {{ Name: {name}, Format: {}, Channels: {channels}, FillSize: {size},\n      \
                     OutputProps: {{ Width: {width}, Height: {height}, Depth: 1 }} }}",
                    number.name()
                );
                if let Some(bytes) = repro.expected.get(name) {
                    let head = "    Data: ";
                    let _ = writeln!(
                        text,
                        "  - Name: Expected_{name}\n    Format: {}\n    Channels: {channels}",
                        number.name()
                    );
                    list(&mut text, head, &numbers(bytes, number)?);
                }
            }
            Held::Buffer(written) => {
                text.push_str(&buffer(name, written)?);
                if let Some(bytes) = repro.expected.get(name) {
                    let bytes = bytes.clone().into();
                    let elements = vec![Slot { bytes, ..written.elements[0].clone() }];
                    let after =
                        Written { name: name.clone(), resource: written.resource, elements, at: 0 };
                    text.push_str(&buffer(&format!("Expected_{name}"), &after)?);
                }
            }
            Held::Sampler(..) => {}
        }
    }
    vertices(repro, &mut text)?;
    let has_levels = all.iter().filter_map(|it| it.1.written()).any(Written::has_levels);
    let is_sampler = |it: &&(String, Held<'_>)| matches!(it.1, Held::Sampler(_));
    let samplers = all.iter().filter(is_sampler).filter_map(|it| it.1.written());
    text.push_str(&super::samplers(samplers, has_levels)?);
    if !repro.expected.is_empty() {
        text.push_str("Results:\n");
    }
    for name in repro.expected.keys() {
        let _ = writeln!(
            text,
            "  - {{ Result: {name}, Rule: BufferExact, Actual: {name}, Expected: Expected_{name} }}"
        );
    }
    let bound = all.iter().filter_map(|(name, held)| Some((name, held.written()?)));
    let mut sets = String::new();
    for (name, written) in bound {
        let kind = super::kind(written.resource)?.name();
        let _ = writeln!(sets, "    - Name: {name}\n      Kind: {kind}");
        if written.resource.kind.view().counter {
            sets.push_str("      HasCounter: true\n");
        }
        let register = written.resource.register;
        let _ = writeln!(
            sets,
            "      DirectXBinding: {{ Register: {}, Space: {} }}",
            register.index + written.at,
            register.space
        );
    }
    text.push_str(&match sets.is_empty() {
        true => "DescriptorSets: []\n".to_owned(),
        false => format!("DescriptorSets:\n  - Resources:\n{sets}"),
    });
    state(repro, &mut text);
    text.push_str("...");
    Ok(text)
}

/// The vertex buffer.
fn vertices(repro: &DrawRepro<'_>, text: &mut String) -> Result<(), String> {
    let attributes = repro.attributes;
    let stride: usize = attributes.iter().map(|it| 4 * it.vertices[0].len()).sum();
    if attributes.is_empty() {
        return Ok(());
    }
    let is_float = |it: &ReproAttribute| it.format == NumberFormat::Float32;
    let format =
        if attributes.iter().all(is_float) { NumberFormat::Float32 } else { NumberFormat::Hex32 };
    let vertex = |vertex: usize| attributes.iter().flat_map(move |it| &it.vertices[vertex]);
    let bytes: Vec<u8> = (0..3).flat_map(vertex).flat_map(|it| it.to_le_bytes()).collect();
    let _ =
        writeln!(text, "  - Name: {VERTICES}\n    Format: {}\n    Stride: {stride}", format.name());
    list(text, "    Data: ", &numbers(&bytes, format)?);
    Ok(())
}

/// What is drawn, and where to.
fn state(repro: &DrawRepro<'_>, text: &mut String) {
    text.push_str("Bindings:\n  Topology: TriangleList\n");
    if let [(name, _)] = repro.targets {
        let _ = writeln!(text, "  RenderTarget: {name}");
    }
    if !repro.attributes.is_empty() {
        let _ = writeln!(text, "  VertexBuffer: {VERTICES}\n  VertexAttributes:");
    }
    let mut offset = 0;
    for ReproAttribute { semantic, format, vertices } in repro.attributes {
        let channels = vertices[0].len();
        let _ = writeln!(
            text,
            "    - {{ Format: {}, Channels: {channels}, Offset: {offset}, Name: {semantic} }}",
            format.name()
        );
        offset += 4 * channels;
    }
    let _ = match repro.groups {
        Some([x, y, z]) => {
            writeln!(text, "DispatchParameters: {{ DispatchGroupCount: [ {x}, {y}, {z} ] }}")
        }
        None => writeln!(text, "DispatchParameters: {{ VertexCount: {} }}", repro.vertices),
    };
    if repro.targets.len() > 1 {
        text.push_str("Raster:\n  RenderTargets:\n");
        for (name, format) in repro.targets {
            let _ = writeln!(text, "    - {{ Name: {name}, Format: {format} }}");
        }
    }
}
