//! Prints a job after its run exactly as the format's own tool does, because tests match that text against
//! patterns.

use std::fmt::Write;

use wavelane::graphics::Topology;

use crate::job::draw::Draw;
use crate::job::sampler as words;
use crate::job::*;
use crate::number::NumberFormat;

/// The whole job as YAML, with the current contents of its buffers.
pub fn dump(job: &Job) -> String {
    let mut out = Out { text: "---\n".to_owned() };
    out.line(0, "Shaders:");
    for shader in &job.shaders {
        out.entry(2, "Stage", stage_name(shader.stage), true);
        out.entry(2, "Entry", &shader.entry, false);
        if !shader.constants.is_empty() {
            out.line(4, "SpecializationConstants:");
        }
        for constant in &shader.constants {
            out.entry(6, "ConstantID", constant.id, true);
            out.entry(6, "Type", constant.ty.name(), false);
            out.entry(6, "Value", quoted(&constant.value), false);
        }
    }
    out.settings(job);
    out.list(0, "Buffers", job.buffers.is_empty());
    for buffer in &job.buffers {
        out.buffer(buffer);
    }
    if !job.samplers.is_empty() {
        out.line(0, "Samplers:");
    }
    for sampler in &job.samplers {
        out.sampler(sampler);
    }
    if !job.results.is_empty() {
        out.line(0, "Results:");
    }
    for result in &job.results {
        out.result(result, job);
    }
    out.list(0, "DescriptorSets", job.sets.is_empty());
    for set in &job.sets {
        match set.is_empty() {
            true => out.line(2, "- Resources: []"),
            false => out.line(2, "- Resources:"),
        }
        for resource in set {
            out.resource(resource);
        }
    }
    if job.groups != [1, 1, 1] {
        let [x, y, z] = job.groups;
        out.line(0, "DispatchParameters:");
        out.line(2, &format!("DispatchGroupCount: [ {x}, {y}, {z} ]"));
    }
    if let Some(draw) = &job.draw {
        out.draw(draw, job);
    }
    if !job.passes.is_empty() {
        out.line(0, "Passes:");
    }
    for pass in &job.passes {
        out.pass(pass, job);
    }
    out.text.push_str("...\n");
    out.text
}

/// An unexpected result, in the words of the format's own tool.
pub fn dump_failure(job: &Job, result: &Expectation) -> String {
    let (expected, actual) = (&job.buffers[result.expected], &job.buffers[result.actual]);
    let mut text = format!("Test failed: {}\n", result.name);
    let number = |it: f64| NumberFormat::Float64.print(it.to_bits());
    let _ = match result.rule {
        Rule::Exact => writeln!(text, "Comparison Rule: BufferExact"),
        Rule::Ulp { most, .. } => writeln!(text, "Comparison Rule: BufferFloatULP\nULP: {most}"),
        Rule::Epsilon { below, .. } => {
            writeln!(text, "Comparison Rule: BufferFloatEpsilon\nEpsilon: {}", number(below))
        }
    };
    for (title, buffer) in [("Expected", expected), ("Got", actual)] {
        let mut out = Out { text: String::new() };
        out.buffer(buffer);
        // A separate document starts in the first column.
        let lines = out.text.lines().map(|it| it.get(4..).unwrap_or(""));
        let _ = writeln!(text, "{title}:\n---\n{}\n...", lines.collect::<Vec<_>>().join("\n"));
    }
    for (title, buffer) in [("Expected", expected), ("Actual", actual)] {
        let _ = writeln!(text, "Full Hex representation of {title} Buffer Values:");
        for element in 0..buffer.data.len() {
            let numbers: Vec<String> =
                buffer.numbers(element).map(|it| format!("{it:#x}")).collect();
            let dash = if buffer.data.len() > 1 { " - " } else { "" };
            let _ = writeln!(text, "{dash}[ {} ]", numbers.join(", "));
        }
    }
    text
}

/// Keys are padded to this column, as LLVM's writer does.
const VALUES: usize = 16;
/// Flow lists are wrapped after this column.
const WRAP: usize = 70;

struct Out {
    text: String,
}

impl Out {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn list(&mut self, indent: usize, key: &str, is_empty: bool) {
        match is_empty {
            true => {
                let padded = format!("{key}:");
                self.line(indent, &format!("{padded:VALUES$} []"));
            }
            false => self.line(indent, &format!("{key}:")),
        }
    }

    /// `key: value`; the first entry of a list element starts with its dash.
    fn entry(&mut self, indent: usize, key: &str, value: impl std::fmt::Display, is_first: bool) {
        let dash = if is_first { "- " } else { "  " };
        let key = format!("{key}:");
        self.line(indent, &format!("{dash}{key:VALUES$} {value}"));
    }

    fn settings(&mut self, job: &Job) {
        if job.root_parameters.is_empty() {
            return;
        }
        self.line(0, "RuntimeSettings:");
        self.line(2, "DirectX:");
        self.line(4, "RootParameters:");
        for parameter in &job.root_parameters {
            match parameter {
                RootParameter::Constant { buffer } => {
                    self.entry(6, "Kind", "Constant", true);
                    self.entry(6, "Name", &job.buffers[*buffer].name, false);
                }
                RootParameter::DescriptorTable => self.entry(6, "Kind", "DescriptorTable", true),
                RootParameter::RootDescriptor { buffer, kind } => {
                    self.entry(6, "Kind", "RootDescriptor", true);
                    self.line(8, "Resource:");
                    self.entry(8, "Name", &job.buffers[*buffer].name, false);
                    self.entry(8, "Kind", kind.name(), false);
                }
            }
        }
    }

    /// What the public format says of a draw.
    fn draw(&mut self, draw: &Draw, job: &Job) {
        let key = |key: &str, value: &dyn std::fmt::Display| {
            format!("{:VALUES$} {value}", format!("{key}:"))
        };
        self.line(0, "Bindings:");
        if let Some(buffer) = draw.vertices.buffer {
            self.line(2, &key("VertexBuffer", &job.buffers[buffer].name));
        }
        if !draw.vertices.attributes.is_empty() {
            self.line(2, "VertexAttributes:");
        }
        for attribute in &draw.vertices.attributes {
            self.entry(4, "Format", attribute.format.name(), true);
            self.entry(4, "Channels", attribute.channels, false);
            self.entry(4, "Offset", attribute.offset, false);
            self.entry(4, "Name", &attribute.name, false);
        }
        if let Some(target) = draw.targets.first() {
            self.line(2, &key("RenderTarget", &job.buffers[target.buffer].name));
        }
        let topology = match draw.topology {
            _ if draw.patch_control_points.is_some() => Some("PatchList"),
            Topology::PointList => Some("PointList"),
            Topology::LineList => Some("LineList"),
            _ => None,
        };
        if let Some(topology) = topology {
            self.line(2, &key("Topology", &topology));
        }
        if let Some(points) = draw.patch_control_points {
            self.line(2, &key("PatchControlPoints", &points));
        }
        self.line(0, "DispatchParameters:");
        self.line(2, &key("VertexCount", &draw.count));
    }

    fn buffer(&mut self, buffer: &Buffer) {
        self.entry(2, "Name", &buffer.name, true);
        self.entry(2, "Format", buffer.format.name(), false);
        if buffer.channels != 1 {
            self.entry(2, "Channels", buffer.channels, false);
        }
        if buffer.stride != 0 {
            self.entry(2, "Stride", buffer.stride, false);
        }
        if buffer.data.len() > 1 {
            self.entry(2, "ArraySize", buffer.data.len(), false);
        }
        match buffer.counters.as_slice() {
            [] => {}
            [one] => self.entry(2, "Counter", one, false),
            many => {
                let many: Vec<String> = many.iter().map(u32::to_string).collect();
                self.flow("    Counters:", &many);
            }
        }
        let numbers = |element| -> Vec<String> {
            buffer.numbers(element).map(|bits| buffer.format.print(bits)).collect()
        };
        if buffer.data.len() == 1 {
            self.flow("    Data:", &numbers(0));
        } else {
            self.line(4, "Data:");
            for element in 0..buffer.data.len() {
                self.flow("      -", &numbers(element));
            }
        }
        // Written for every buffer, including those that are not textures.
        let none = TextureSize { width: 0, height: 0, depth: 0, mips: 1 };
        let size = buffer.texture.unwrap_or(none);
        self.line(4, "OutputProps:");
        self.entry(4, "Height", size.height, false);
        self.entry(4, "Width", size.width, false);
        self.entry(4, "Depth", size.depth, false);
        if size.mips != 1 {
            self.entry(4, "MipLevels", size.mips, false);
        }
    }

    /// A list in brackets after a key, wrapped.
    fn flow(&mut self, head: &str, items: &[String]) {
        // A dash is directly before its list; a key is padded.
        let head = match head.ends_with('-') {
            true => format!("{head} "),
            false => {
                let indent = head.len() - head.trim_start().len();
                format!("{head:width$} ", width = indent + VALUES)
            }
        };
        let indent = head.len();
        if items.is_empty() {
            let _ = writeln!(self.text, "{head}[  ]");
            return;
        }
        let mut column = indent + 2;
        self.text.push_str(&head);
        self.text.push_str("[ ");
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.text.push_str(", ");
                column += 2;
                if column > WRAP {
                    let pad = indent + 2;
                    let _ = write!(self.text, "\n{:pad$}", "");
                    column = pad;
                }
            }
            self.text.push_str(item);
            column += item.len();
        }
        self.text.push_str(" ]\n");
    }

    fn sampler(&mut self, sampler: &Sampler) {
        self.entry(2, "Name", &sampler.name, true);
        if sampler.compares() {
            self.entry(2, "Kind", "SamplerComparison", false);
        }
        let state = &sampler.state;
        for (key, value) in [("MinFilter", state.min), ("MagFilter", state.mag)] {
            self.entry(2, key, words::filter(value), false);
        }
        self.entry(2, "Address", words::address(state.address[0]), false);
    }

    fn result(&mut self, result: &Expectation, job: &Job) {
        self.entry(2, "Result", &result.name, true);
        let rule = match result.rule {
            Rule::Exact => "BufferExact",
            Rule::Ulp { .. } => "BufferFloatULP",
            Rule::Epsilon { .. } => "BufferFloatEpsilon",
        };
        self.entry(2, "Rule", rule, false);
        self.entry(2, "Actual", &job.buffers[result.actual].name, false);
        self.entry(2, "Expected", &job.buffers[result.expected].name, false);
        match result.rule {
            Rule::Exact => {}
            Rule::Ulp { most, .. } => self.entry(2, "ULPT", most, false),
            Rule::Epsilon { below, .. } => {
                let text = NumberFormat::Float64.print(below.to_bits());
                self.entry(2, "Epsilon", text, false);
            }
        }
    }

    fn pass(&mut self, pass: &Pass, job: &Job) {
        self.entry(2, "Entry", &job.shaders[pass.entry].entry, true);
        match &pass.groups {
            Groups::Count([x, y, z]) => {
                self.line(4, &format!("DispatchGroupCount: [ {x}, {y}, {z} ]"));
            }
            Groups::Indirect { buffer, offset, .. } => {
                let name = quoted(&job.buffers[*buffer].name);
                self.line(4, &format!("Indirect: {{ Buffer: {name}, Offset: {offset} }}"));
            }
        }
        if !pass.set.is_empty() {
            self.line(4, "Set:");
        }
        for Setting { name, values, .. } in &pass.set {
            let values: Vec<String> = values.iter().map(|it| quoted(it)).collect();
            self.line(6, &format!("{}: [ {} ]", quoted(name), values.join(", ")));
        }
        if !pass.bind.is_empty() {
            self.line(4, "Bind:");
        }
        for Rebinding { resource, buffer, .. } in &pass.bind {
            let name = quoted(&job.buffers[*buffer].name);
            self.line(6, &format!("{}: {name}", quoted(resource)));
        }
        if pass.repeat != 1 {
            self.entry(2, "Repeat", pass.repeat, false);
        }
    }

    fn resource(&mut self, resource: &Resource) {
        self.entry(6, "Name", &resource.name, true);
        self.entry(6, "Kind", resource.kind.name(), false);
        if resource.has_counter {
            self.entry(6, "HasCounter", "true", false);
        }
        match resource.place {
            BindPoint::Register { index, space } => {
                self.line(8, "DirectXBinding:");
                self.entry(8, "Register", index, false);
                self.entry(8, "Space", space, false);
            }
            BindPoint::Heap(index) => self.entry(6, "HeapIndex", index, false),
        }
        if let Some(vulkan) = resource.vulkan {
            self.line(8, "VulkanBinding:");
            self.entry(8, "Binding", vulkan.binding, false);
            if let Some(counter) = vulkan.counter {
                self.entry(8, "CounterBinding", counter, false);
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let plain = !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '.');
    if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_round_trips_and_omits_defaults() {
        let text = "Shaders: [{ Stage: Compute, Entry: main }]
Buffers:
  - { Name: A, Format: Float32, Channels: 4, Data: [1, nan, 0.5, -inf] }
  - { Name: B, Format: Float16, ArraySize: 2, Data: [[1, 2], [3, 0x3C00]] }
  - { Name: C, Format: UInt32, FillSize: 400, FillValue: 1234567 }
DescriptorSets:
  - Resources:
    - { Name: C, Kind: RWBuffer, DirectXBinding: { Register: 1, Space: 2 } }
";
        let job = read(text).unwrap();
        let dumped = dump(&job);
        assert!(dumped.contains("Data:            [ 1, nan, 0.5, -inf ]\n"), "{dumped}");
        assert!(dumped.contains("- [ 0x3, 0x3C00 ]\n"), "{dumped}");
        assert!(!dumped.contains("Stride") && dumped.lines().all(|it| it.len() < 90), "{dumped}");
        let passes = text.to_owned()
            + "Passes:
  - { Entry: main, DispatchGroupCount: [2, 1, 3], Set: { N: 3, 'a.b[1]': [[1, -2.5], [0x3, nan]] } }
  - { Entry: main, Indirect: { Buffer: C, Offset: 12 }, Bind: { Out: C, 'In[2]': B }, Repeat: 3 }
";
        let job_of_passes = read(&passes).unwrap();
        let again = dump(&job_of_passes);
        assert_eq!(again, dump(&read(&again).unwrap()));
        let again = read(&again).unwrap();
        let words = |job: &Job| {
            let each =
                job.passes.iter().map(|it| (it.entry, it.repeat, it.bind.len(), it.set.clone()));
            let each = each.map(|(entry, repeat, bind, set)| {
                let set: Vec<_> = set.into_iter().map(|it| (it.name, it.values)).collect();
                (entry, repeat, bind, set)
            });
            each.collect::<Vec<_>>()
        };
        assert_eq!(words(&again), words(&job_of_passes));
        let again = read(&dumped).unwrap();
        let contents = |job: &Job| job.buffers.iter().map(|it| it.data.clone()).collect::<Vec<_>>();
        assert_eq!(contents(&again), contents(&job));
    }
}
