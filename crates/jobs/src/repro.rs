//! Writes a program and its bindings as a `.test` file, so that a run can be given to someone else.
//!
//! The file is self-contained: the source, its includes, the compiler flags, the buffers used and, where known, the
//! expected results. As far as possible it stays readable by the format's own tool. Buffers are written bit for
//! bit; what the format cannot express is an error, never silently omitted.
//! Deliberately absent: files, and any choice of what to leave out of the program.

mod draw;

pub use draw::{DrawRepro, ReproAttribute, ReproStage, write_draw};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use wavelane::internal::{PROFILES, Slot, Slots};
use wavelane::texture::Shape;
use wavelane::{
    Contents, Denormals, Dialect, FormatScalar, Layout, MatrixOrder, Options, PushLayout,
    RegisterClass, Resource, ResourceKind, ResourceTable, Shader, ShaderModel, Version,
};

use crate::bind::numbers_of;
use crate::job::{self, Kind};
use crate::number::NumberFormat;
use crate::run::Flags;

/// The text of a program, and what is needed to compile it.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name in messages.
    pub name: String,
    pub text: String,
    pub flags: Flags,
    /// The texts that it includes, by the words in its `#include`.
    pub included: BTreeMap<String, String>,
}

/// A run to write.
pub struct Repro<'a> {
    /// Comment lines at the start.
    pub comment: &'a str,
    pub source: &'a Source,
    /// A file beside the written one that holds the source, which is then not written again.
    pub beside: Option<&'a str>,
    pub shader: &'a Shader,
    /// The contents before the run.
    pub table: &'a ResourceTable,
    /// The expected contents after it.
    pub expected: Option<&'a ResourceTable>,
    /// The names of resources without expected contents.
    pub unchecked: &'a BTreeSet<String>,
    pub groups: [u32; 3],
}

/// A larger buffer would make an unreadable file.
const MOST_BYTES: usize = 1 << 20;

/// The number of numbers in a line.
const IN_A_LINE: usize = 8;

/// The file, or what the format cannot express.
pub fn write(repro: &Repro<'_>) -> Result<String, String> {
    let mut text = String::new();
    for line in repro.comment.lines() {
        let _ = writeln!(text, "# {}", defused(line));
    }
    if repro.beside.is_none() {
        let _ = writeln!(text, "#--- {SOURCE}\n{}", body(&repro.source.text));
        for (name, included) in &repro.source.included {
            let _ = writeln!(text, "#--- {name}\n{}", body(included));
        }
    }
    let _ = writeln!(text, "#--- pipeline.yaml\n{}", job(repro)?);
    let mut flags = words(&repro.source.flags.options)?;
    let source = match repro.beside {
        Some(file) => {
            let folders = &repro.source.flags.includes;
            flags.extend(folders.iter().flat_map(|it| ["-I".to_owned(), it.clone()]));
            quoted(&format!("%S/{file}"))
        }
        None => format!("%t/{SOURCE}"),
    };
    let flags: Vec<String> = flags.iter().map(|it| quoted(it)).collect();
    let flags = flags.join(" ");
    let _ = writeln!(
        text,
        "#--- end\n# RUN: split-file %s %t\n# RUN: %dxc_target {flags} -Fo %t.o {source}\n\
         # RUN: %offloader %t/pipeline.yaml %t.o"
    );
    Ok(text)
}

const SOURCE: &str = "source.hlsl";

/// The flags of a compilation, as on a command line.
pub fn words(options: &Options) -> Result<Vec<String>, String> {
    let Options {
        entry,
        dialect,
        defines,
        hlsl_version,
        stage,
        shader_model: ShaderModel { major, minor },
        enable_16bit,
        spirv,
        auto_space,
        vulkan,
        matrix_order,
        denormals,
        specialization,
        push_layout,
        has_tiles,
        legacy_matrix_order,
        // A cancellation flag is not part of a repro.
        // Neither is debug information.
        debugging: _,
        notes: _,
        cancel: _,
    } = options;
    let profile = PROFILES.iter().find(|it| it.1 == *stage);
    let (profile, _) = profile.ok_or_else(|| format!("{stage:?} shaders").to_lowercase())?;
    if *has_tiles {
        return Err("a reserved resource with tiles".to_owned());
    }
    let mut words: Vec<String> = ["-T".to_owned(), format!("{profile}_{major}_{minor}")].into();
    let mut add = |is_given: bool, flags: &[&str]| {
        words.extend(flags.iter().filter(|_| is_given).map(|it| (*it).to_owned()));
    };
    add(true, &["-E", entry]);
    let version = match hlsl_version {
        Version::V202x => "202x".to_owned(),
        other => other.number().to_string(),
    };
    add(*hlsl_version != Version::default(), &["-HV", &version]);
    add(*enable_16bit, &["-enable-16bit-types"]);
    add(*dialect == Dialect::Slang, &["--dialect", "slang"]);
    add(*matrix_order == MatrixOrder::RowMajor, &["-Zpr"]);
    add(*spirv || *vulkan, &["-spirv"]);
    add(*auto_space != 0, &["-auto-binding-space", &auto_space.to_string()]);
    add(*push_layout == PushLayout::Scalar, &["-fvk-use-scalar-layout"]);
    add(*legacy_matrix_order, &["-fspv-use-legacy-buffer-matrix-order"]);
    match denormals {
        Denormals::Any => {}
        Denormals::Preserve => add(true, &["-denorm", "preserve"]),
        Denormals::FlushToZero => add(true, &["-denorm", "ftz"]),
    }
    for (id, bits) in specialization {
        add(true, &["--constant", &format!("{id}=u64:{bits}")]);
    }
    for (name, value) in defines {
        let define = match value {
            Some(value) => format!("{name}={value}"),
            None => name.clone(),
        };
        add(true, &["-D", &define]);
    }
    Ok(words)
}

/// Quoted so that a `RUN:` line parses it.
fn quoted(word: &str) -> String {
    match word.contains(|it: char| it.is_whitespace() || "\"'|".contains(it)) || word.is_empty() {
        false => word.to_owned(),
        true if word.contains('\'') => format!("\"{word}\""),
        true => format!("'{word}'"),
    }
}

/// A text as a part of the file: without lines that would end the part, or count as directives of the test.
fn body(text: &str) -> String {
    let is_marker = |it: &&str| it.starts_with("#---") || it.starts_with("//---");
    let lines: Vec<String> = text.lines().filter(|it| !is_marker(it)).map(defused).collect();
    let (mut first, mut last) = (0, lines.len());
    while first < last && lines[first].trim().is_empty() {
        first += 1;
    }
    while last > first && lines[last - 1].trim().is_empty() {
        last -= 1;
    }
    lines[first..last].join("\n")
}

/// Without the keywords that begin a directive of the test.
fn defused(line: &str) -> String {
    ["RUN:", "XFAIL:", "UNSUPPORTED:", "REQUIRES:"]
        .iter()
        .fold(line.to_owned(), |line, word| line.replace(word, &word.replace(':', " :")))
}

/// A buffer of the job, or an array of them.
struct Written<'a> {
    name: String,
    resource: &'a Resource,
    elements: Vec<Slot>,
    /// Its position in a heap.
    at: u32,
}

impl Written<'_> {
    fn is_sampler(&self) -> bool {
        self.resource.kind.view().contents == Contents::Sampler
    }

    /// Whether it is a texture with several levels.
    fn has_levels(&self) -> bool {
        self.elements.iter().filter_map(|it| it.what.texture()).any(|it| it.levels > 1)
    }
}

fn job(repro: &Repro<'_>) -> Result<String, String> {
    let entry = repro.shader.entry();
    let mut text = format!("---\nShaders:\n  - Stage: Compute\n    Entry: {entry}\nBuffers:\n");
    let all = bound(repro.table)?;
    let (pushed, listed): (Vec<&Written<'_>>, Vec<&Written<'_>>) =
        all.iter().partition(|it| it.resource.register.class == RegisterClass::Push);
    let expected = match repro.expected {
        Some(table) => bound(table)?,
        None => Vec::new(),
    };
    let is_checked = |it: &&Written<'_>| {
        it.resource.kind.writable() && !repro.unchecked.contains(&it.resource.name)
    };
    let outputs: Vec<&Written<'_>> = expected.iter().filter(is_checked).collect();
    let mut buffers = String::new();
    let (samplers, held): (Vec<&Written<'_>>, Vec<&Written<'_>>) =
        listed.iter().copied().partition(|it| it.is_sampler());
    for it in &held {
        buffers.push_str(&buffer(&it.name, it)?);
    }
    for it in &outputs {
        buffers.push_str(&buffer(&format!("Expected_{}", it.name), it)?);
    }
    match buffers.is_empty() {
        true => text = text.replace("Buffers:\n", "Buffers: []\n"),
        false => text.push_str(&buffers),
    }
    text.push_str(&self::samplers(samplers, held.iter().any(|it| it.has_levels()))?);
    if !outputs.is_empty() {
        text.push_str("Results:\n");
    }
    for Written { name, .. } in &outputs {
        let _ = writeln!(
            text,
            "  - Result: {name}\n    Rule: BufferExact\n    Actual: {name}\n    Expected: Expected_{name}"
        );
    }
    text.push_str(if listed.is_empty() {
        "DescriptorSets: []\n"
    } else {
        "DescriptorSets:\n  - Resources:\n"
    });
    for it in &listed {
        let Written { name, resource, at, .. } = it;
        let _ = writeln!(text, "    - Name: {name}\n      Kind: {}", kind(resource)?.name());
        if resource.kind.view().counter {
            text.push_str("      HasCounter: true\n");
        }
        let register = resource.register;
        let _ = match register.class.is_heap() {
            true => writeln!(text, "      HeapIndex: {at}"),
            false => writeln!(
                text,
                "      DirectXBinding: {{ Register: {}, Space: {} }}",
                register.index + at,
                register.space
            ),
        };
    }
    if !pushed.is_empty() {
        text.push_str("PushConstants:\n  - Stage: Compute\n    Values:\n");
    }
    for it in pushed.iter().flat_map(|it| &it.elements) {
        let data = numbers(&it.bytes, NumberFormat::Hex32)?.join(", ");
        let _ = writeln!(text, "      - {{ Format: Hex32, Offset: 0, Data: [ {data} ] }}");
    }
    if repro.groups != [1; 3] {
        let [x, y, z] = repro.groups;
        let _ = writeln!(text, "DispatchParameters:\n  DispatchGroupCount: [ {x}, {y}, {z} ]");
    }
    text.push_str("...");
    Ok(text)
}

/// The bindings of resources that the shader uses.
fn bound(table: &ResourceTable) -> Result<Vec<Written<'_>>, String> {
    let mut all: Vec<Written<'_>> = Vec::new();
    for (resource, element, buffer) in table.iter().filter(|(it, ..)| it.used) {
        let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '_' };
        let name: String = resource.name.chars().map(plain).collect();
        let is_heap = resource.register.class.is_heap();
        match all.last_mut() {
            Some(last) if !is_heap && last.resource.register == resource.register => {
                let follows = element == last.at + last.elements.len() as u32;
                let same = last.elements.iter().all(|it| it.bytes.len() == buffer.bytes.len());
                if !follows || !same {
                    return Err(format!("an array of buffers like `{}`, with gaps", resource.name));
                }
                last.elements.push(buffer.clone());
            }
            _ => {
                let name = if is_heap { format!("{name}{element}") } else { name };
                all.push(Written { name, resource, elements: vec![buffer.clone()], at: element });
            }
        }
    }
    Ok(all)
}

/// The kind of a resource in the words of jobs, where a texture is one regardless of its dimensions.
fn kind(resource: &Resource) -> Result<Kind, String> {
    let view = resource.kind.view();
    match view.contents {
        Contents::Texture if view.writable => Ok(Kind::RwTexture2D),
        Contents::Texture => Ok(Kind::Texture2D),
        Contents::Sampler => Ok(Kind::Sampler),
        Contents::Scene | Contents::Feedback => {
            Err(format!("`{}`, a {}", resource.name, view.name))
        }
        Contents::Buffer | Contents::Constants => {
            let kind = Kind::NAMES.iter().find(|it| it.0 == view.name);
            Ok(kind.unwrap_or_else(|| unreachable!("jobs have all kinds of buffers")).1)
        }
    }
}

/// The list of samplers, if there are any.
fn samplers<'a>(
    all: impl IntoIterator<Item = &'a Written<'a>>,
    has_levels: bool,
) -> Result<String, String> {
    let mut text = String::new();
    for Written { name, resource, elements, .. } in all {
        let [only] = elements.as_slice() else {
            return Err(format!("an array of samplers like `{}`", resource.name));
        };
        let state = only.what.sampler().unwrap_or_default();
        text.push_str(&job::sampler::entry(name, &state, has_levels)?);
    }
    Ok(if text.is_empty() { text } else { format!("Samplers:\n{text}") })
}

fn buffer(name: &str, written: &Written<'_>) -> Result<String, String> {
    let Written { resource, elements, .. } = written;
    let first = elements.first().map_or(&[][..], |it| it.bytes.as_slice());
    let mut text = String::new();
    let (format, shape) = match &resource.kind {
        ResourceKind::Typed { .. } => {
            let own = elements.first().and_then(|it| it.what.format());
            let (format, channels) = texel(&resource.kind, own)
                .ok_or_else(|| format!("the format of the texels of `{}`", resource.name))?;
            (format, format!("    Channels: {channels}\n"))
        }
        ResourceKind::Texture { dim, .. } => texture(dim.is_array(), written)?,
        kind => {
            let stride = kind.view().stride;
            let by = |bytes: usize| {
                first.len().is_multiple_of(bytes) && (stride as usize).is_multiple_of(bytes)
            };
            let format = match (by(4), by(2)) {
                (true, _) => NumberFormat::Hex32,
                (false, true) => NumberFormat::Hex16,
                (false, false) => NumberFormat::Hex8,
            };
            let stride = if stride > 0 { format!("    Stride: {stride}\n") } else { String::new() };
            (format, stride)
        }
    };
    if elements.iter().any(|it| it.what.counter().is_some_and(|it| it != 0))
        && written.resource.kind.writable()
        && !name.starts_with("Expected_")
    {
        return Err(format!("the counter of `{}`, which does not begin at 0", resource.name));
    }
    let _ = write!(text, "  - Name: {name}\n    Format: {}\n{shape}", format.name());
    if elements.len() > 1 {
        let _ = writeln!(text, "    ArraySize: {}", elements.len());
    }
    let is_zero = elements.iter().all(|it| it.bytes.iter().all(|byte| *byte == 0));
    if is_zero && !first.is_empty() {
        let _ = writeln!(text, "    FillSize: {}", first.len());
        return Ok(text);
    }
    if first.len() > MOST_BYTES {
        return Err(format!("the {} bytes of `{}`", first.len(), resource.name));
    }
    text.push_str("    Data:");
    if let [only] = elements.as_slice() {
        list(&mut text, " ", &numbers(&only.bytes, format)?);
        return Ok(text);
    }
    text.push('\n');
    for element in elements {
        list(&mut text, "      - ", &numbers(&element.bytes, format)?);
    }
    Ok(text)
}

/// The format of a texture's numbers, and the lines with its size.
fn texture(is_array: bool, written: &Written<'_>) -> Result<(NumberFormat, String), String> {
    let Written { resource, elements, .. } = written;
    let name = &resource.name;
    let shape = elements.first().and_then(|it| it.what.texture());
    let shape = shape.ok_or_else(|| format!("`{name}`, whose size is not known"))?;
    if elements.iter().any(|it| it.what.texture() != Some(shape)) {
        return Err(format!("an array of textures like `{name}`, which differ in size or format"));
    }
    if shape.samples > 1 {
        return Err(format!("the samples of `{name}`"));
    }
    let (format, channels) =
        numbers_of(shape.format).ok_or_else(|| format!("the format of the texture `{name}`"))?;
    let Shape { width, height, depth, layers, levels, .. } = shape;
    if !is_array && layers > 1 {
        return Err(format!("`{name}`, a {}", resource.kind.view().name));
    }
    let depth = if is_array { layers } else { depth };
    let levels = if levels > 1 { format!(", MipLevels: {levels}") } else { String::new() };
    let size = format!("Height: {height}, Width: {width}, Depth: {depth}{levels}");
    Ok((format, format!("    Channels: {channels}\n    OutputProps: {{ {size} }}\n")))
}

/// A flow list, a few numbers a line.
fn list(text: &mut String, head: &str, numbers: &[String]) {
    let _ = write!(text, "{head}[");
    for (i, line) in numbers.chunks(IN_A_LINE).enumerate() {
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\n        {}", line.join(", "));
    }
    text.push_str(" ]\n");
}

/// The format of texels, and how many numbers each has.
fn texel(kind: &ResourceKind, own: Option<wavelane::ElementFormat>) -> Option<(NumberFormat, u32)> {
    if let Some(wavelane::ElementFormat { scalar, components }) = own {
        let format = match scalar {
            FormatScalar::Float16 => NumberFormat::Float16,
            FormatScalar::Float32 => NumberFormat::Float32,
            FormatScalar::Float64 => NumberFormat::Float64,
            FormatScalar::Int16 => NumberFormat::Int16,
            FormatScalar::Int32 => NumberFormat::Int32,
            FormatScalar::Int64 => NumberFormat::Int64,
            FormatScalar::Uint8 => NumberFormat::Hex8,
            FormatScalar::Uint16 => NumberFormat::Hex16,
            FormatScalar::Uint32 => NumberFormat::Hex32,
            FormatScalar::Uint64 => NumberFormat::Hex64,
            FormatScalar::Int8
            | FormatScalar::Unorm8
            | FormatScalar::Unorm16
            | FormatScalar::Snorm8
            | FormatScalar::Snorm16 => return None,
        };
        return Some((format, components));
    }
    let ResourceKind::Typed { element, .. } = kind else { return None };
    if element.norm != wavelane::Norm::None {
        return None;
    }
    let format = match Layout::of(kind, None).only()? {
        wavelane::Scalar::F16 => NumberFormat::Float16,
        wavelane::Scalar::F32 => NumberFormat::Float32,
        wavelane::Scalar::F64 => NumberFormat::Float64,
        wavelane::Scalar::I16 => NumberFormat::Int16,
        wavelane::Scalar::I32 => NumberFormat::Int32,
        wavelane::Scalar::I64 => NumberFormat::Int64,
        wavelane::Scalar::U16 => NumberFormat::Hex16,
        wavelane::Scalar::U32 | wavelane::Scalar::Bool => NumberFormat::Hex32,
        wavelane::Scalar::U64 => NumberFormat::Hex64,
        wavelane::Scalar::U8 => NumberFormat::Hex8,
        wavelane::Scalar::I8 => return None,
    };
    Some((format, element.components))
}

/// Numbers that parse as the same bits.
fn numbers(bytes: &[u8], format: NumberFormat) -> Result<Vec<String>, String> {
    let size = format.bytes();
    if !bytes.len().is_multiple_of(size) {
        return Err(format!("{} bytes as {}", bytes.len(), format.name()));
    }
    let number = |it: &[u8]| {
        let bits = it.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let text = match format {
            NumberFormat::Float32 | NumberFormat::Depth32 => {
                format!("{:?}", f32::from_bits(bits as u32))
            }
            NumberFormat::Float64 => format!("{:?}", f64::from_bits(bits)),
            _ => format.show(bits),
        };
        let text = if text == "NaN" { "nan".to_owned() } else { text };
        match format.parse(&text) {
            Ok(back) if back == bits => Ok(text),
            _ => Err(format!("the number {bits:#x} as {}", format.name())),
        }
    };
    bytes.chunks_exact(size).map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavelane::internal::Slot;

    #[test]
    fn numbers_round_trip_exactly_or_are_refused() {
        let bytes = |bits: u32| bits.to_le_bytes().to_vec();
        for bits in [0, 1, 0x8000_0000, 0x3f80_0001, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000] {
            let text = numbers(&bytes(bits), NumberFormat::Float32).unwrap();
            assert_eq!(NumberFormat::Float32.parse(&text[0]), Ok(bits.into()), "{text:?}");
        }
        assert!(numbers(&bytes(0x7fc0_0001), NumberFormat::Float32).is_err());
        assert_eq!(numbers(&bytes(0x7fc0_0001), NumberFormat::Hex32).unwrap(), ["0x7FC00001"]);
        assert!(numbers(&[1, 2, 3], NumberFormat::Hex16).is_err());
    }

    #[test]
    fn flags_become_words_and_texts_lose_test_directives() {
        let options = Options {
            entry: "go".to_owned(),
            defines: vec![("A".to_owned(), None), ("B".to_owned(), Some("1 + 2".to_owned()))],
            shader_model: ShaderModel::V6_6,
            specialization: vec![(3, 7)],
            ..Options::default()
        };
        let words = words(&options).unwrap().join("|");
        assert_eq!(words, "-T|cs_6_6|-E|go|--constant|3=u64:7|-D|A|-D|B=1 + 2");
        assert_eq!(quoted("B=1 + 2"), "'B=1 + 2'");
        assert_eq!(body("\n\n#--- x\n// RUN: y\na\n\n"), "// RUN : y\na");
    }

    #[test]
    fn a_written_job_round_trips() {
        let text = "cbuffer P : register(b1) { uint n; } Buffer<float2> In[2] : register(t3); \
            RWStructuredBuffer<uint> Out : register(u2, space1);\n\
            [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = n + (uint)In[n & 1][i].y; }";
        let options = Options { shader_model: ShaderModel::V6_6, ..Options::default() };
        let compiled = Shader::compile("a", text, &options, &mut wavelane::NoIncludes).unwrap();
        let shader = compiled.shader.unwrap();
        let mut table = ResourceTable::new(&shader);
        let bind = |table: &mut ResourceTable, name: &str, element: u32, bytes: Vec<u8>| {
            table.bind_at(name, element, Slot { bytes: bytes.into(), ..Slot::default() }).unwrap();
        };
        bind(&mut table, "P", 0, vec![1, 0, 0, 0]);
        bind(&mut table, "In", 0, vec![0; 16]);
        bind(&mut table, "In", 1, [1.5f32.to_le_bytes(); 4].concat());
        bind(&mut table, "Out", 0, vec![0; 16]);
        let flags = Flags { options, includes: Vec::new(), remarks: Vec::new() };
        let (name, text, included) = ("a".to_owned(), text.to_owned(), BTreeMap::new());
        let source = Source { name, text, flags, included };
        let groups = [2, 1, 1];
        let repro = Repro {
            comment: "why",
            source: &source,
            beside: None,
            shader: &shader,
            table: &table,
            expected: Some(&table),
            unchecked: &BTreeSet::new(),
            groups,
        };
        let written = write(&repro).unwrap();
        let part = crate::split(&written).unwrap();
        let part = part.iter().find(|it| it.name == "pipeline.yaml").unwrap();
        let job = job::read(&written[part.at.clone()])
            .unwrap_or_else(|errors| panic!("{errors:?}\n{written}"));
        assert_eq!(job.groups, groups);
        let names: Vec<&str> = job.buffers.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["P", "In", "Out", "Expected_Out"]);
        assert_eq!(job.buffers[1].data[1], [1.5f32.to_le_bytes(); 4].concat());
    }
}
