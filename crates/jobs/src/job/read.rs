//! Converts the tree of a YAML text into a [`Job`]: strictly, and reporting all errors at once.

mod draw;
mod passes;
mod rules;
mod scenes;

pub use draw::{StateKey, read_state, read_target};
pub(crate) use rules::read_rules;
pub use scenes::{Open, read_scenes};

use std::ops::Range;

use wavelane::feedback::FeedbackKind;
use wavelane::texture::Sampler as SamplerState;

use crate::Error;
use crate::error::did_you_mean;
use crate::features::Api;
use crate::job::*;
use crate::number::{self, NumberFormat};
use crate::yaml::{self, Key, Kind as NodeKind, Node};

/// The size limit for all buffers and textures of a job together.
const MOST_BYTES: u64 = 1 << 30;
/// The least size counted for an array element: it takes memory even if empty.
const LEAST_BYTES: u64 = 64;

/// Reads a job of the public format from a text, or reports all its errors; locations are byte ranges of the text.
pub fn read(text: &str) -> Result<Job, Vec<Error>> {
    read_for(text, Api::DirectX)
}

/// The same for an API, which decides some fixed state, and whether our extensions are admitted.
pub fn read_for(text: &str, api: Api) -> Result<Job, Vec<Error>> {
    let tree = yaml::read(text).map_err(|error| vec![error])?;
    let mut reader = Reader::new(api);
    let job = reader.job(&tree);
    match job {
        Some(job) if reader.errors.is_empty() => Ok(job),
        _ => {
            reader.errors.sort_by_key(|it| it.at.start);
            Err(reader.errors)
        }
    }
}

/// Collects errors; a function that returns `None` has reported one.
struct Reader {
    errors: Vec<Error>,
    /// The total size of the buffers so far.
    bytes: u64,
    /// The total size of the bound resources so far: each has its own copy of a buffer.
    bound: u64,
    api: Api,
    /// Whether names of choices may be written in any case, as on a command line.
    folds_case: bool,
}

/// A mapping whose keys are consumed one by one; the remaining ones are unknown.
struct Fields<'a> {
    at: Range<usize>,
    entries: &'a [(Key, Node)],
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    fn get(&mut self, key: &'static str) -> Option<&'a Node> {
        self.asked.push(key);
        self.entries.iter().find(|(it, _)| it.name == key).map(|(_, node)| node)
    }
}

impl Reader {
    fn new(api: Api) -> Reader {
        Reader { errors: Vec::new(), bytes: 0, bound: 0, api, folds_case: false }
    }

    fn error<T>(&mut self, at: &Range<usize>, message: impl Into<String>) -> Option<T> {
        self.errors.push(Error::new(at.clone(), message));
        None
    }

    fn fields<'a>(&mut self, node: &'a Node, what: &str) -> Option<Fields<'a>> {
        match &node.kind {
            NodeKind::Map(entries) => {
                Some(Fields { at: node.at.clone(), entries, asked: Vec::new() })
            }
            NodeKind::Scalar(_) | NodeKind::List(_) => {
                self.error(&node.at, format!("{what} must be a mapping, not {}", node.what()))
            }
        }
    }

    fn required<'a>(&mut self, fields: &mut Fields<'a>, key: &'static str) -> Option<&'a Node> {
        match fields.get(key) {
            Some(node) => Some(node),
            None => {
                // Underlining the whole mapping would be too much.
                let start = fields.entries.first().map_or(fields.at.start, |(key, _)| key.at.start);
                let end = fields.entries.first().map_or(start, |(key, _)| key.at.end);
                self.error(&(start..end), format!("missing key `{key}`"))
            }
        }
    }

    /// Reports the keys that were not consumed.
    fn done(&mut self, fields: Fields<'_>) {
        for (key, _) in fields.entries {
            if !fields.asked.contains(&key.name.as_str()) {
                self.unknown(key, &fields.asked);
            }
        }
    }

    fn unknown(&mut self, key: &Key, asked: &[&'static str]) {
        let error = Error::new(key.at.clone(), format!("unknown key `{}`", key.name));
        let help = match key.name.as_str() {
            "ZeroInitSize" => Some("did you mean `FillSize`?".to_owned()),
            "DispatchSize" => {
                Some("use `DispatchParameters: { DispatchGroupCount: […] }`".to_owned())
            }
            "Raster" if self.api != Api::Wavelane => {
                Some("it is an extension that `--profile wavelane` admits".to_owned())
            }
            name => did_you_mean(name, asked.iter().copied()),
        };
        let known = || format!("known keys: {}", asked.join(", "));
        self.errors.push(error.help(help.unwrap_or_else(known)));
    }

    fn list<'a>(&mut self, node: &'a Node, what: &str) -> Option<&'a [Node]> {
        match &node.kind {
            NodeKind::List(list) => Some(list),
            // `Resources:` without a value.
            NodeKind::Scalar(text) if text.is_empty() => Some(&[]),
            NodeKind::Scalar(_) | NodeKind::Map(_) => {
                self.error(&node.at, format!("{what} must be a list, not {}", node.what()))
            }
        }
    }

    fn each<T>(
        &mut self,
        node: Option<&Node>,
        what: &str,
        read: impl Fn(&mut Reader, &Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(node) = node else { return Some(Vec::new()) };
        let list = self.list(node, what)?;
        let read: Vec<Option<T>> = list.iter().map(|it| read(self, it)).collect();
        read.into_iter().collect()
    }

    fn text<'a>(&mut self, node: &'a Node) -> Option<&'a str> {
        match &node.kind {
            NodeKind::Scalar(text) => Some(text),
            NodeKind::List(_) | NodeKind::Map(_) => {
                self.error(&node.at, format!("expected a single value, found {}", node.what()))
            }
        }
    }

    fn uint(&mut self, node: &Node) -> Option<u32> {
        let text = self.text(node)?;
        match number::integer(text).and_then(|it| u32::try_from(it).ok()) {
            Some(value) => Some(value),
            None => self.error(&node.at, format!("`{text}` is not an unsigned 32-bit integer")),
        }
    }

    fn uint_or(&mut self, node: Option<&Node>, default: u32) -> Option<u32> {
        node.map_or(Some(default), |node| self.uint(node))
    }

    fn float_or(&mut self, node: Option<&Node>, default: f64) -> Option<f64> {
        let Some(node) = node else { return Some(default) };
        self.number(node, NumberFormat::Float64).map(f64::from_bits)
    }

    fn number(&mut self, node: &Node, format: NumberFormat) -> Option<u64> {
        let text = self.text(node)?;
        match format.parse(text) {
            Ok(bits) => Some(bits),
            Err(what) => self.error(&node.at, what),
        }
    }

    fn switch_or(&mut self, node: Option<&Node>, default: bool) -> Option<bool> {
        let Some(node) = node else { return Some(default) };
        match self.text(node)? {
            "true" | "True" | "TRUE" | "1" => Some(true),
            "false" | "False" | "FALSE" | "0" => Some(false),
            other => self.error(&node.at, format!("`{other}` is neither `true` nor `false`")),
        }
    }

    fn choose<T: Copy>(&mut self, node: &Node, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(node)?;
        let is_it = |name: &str| match self.folds_case {
            true => name.eq_ignore_ascii_case(text),
            false => name == text,
        };
        if let Some((_, value)) = choices.iter().find(|(name, _)| is_it(name)) {
            return Some(*value);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let help = did_you_mean(text, names.iter().copied());
        let help = help.unwrap_or_else(|| format!("expected one of {}", names.join(", ")));
        let error = Error::new(node.at.clone(), format!("`{text}` is not a valid choice"));
        self.errors.push(error.help(help));
        None
    }

    fn choose_or<T: Copy>(
        &mut self,
        node: Option<&Node>,
        default: T,
        choices: &[(&str, T)],
    ) -> Option<T> {
        node.map_or(Some(default), |node| self.choose(node, choices))
    }

    fn find<'a, T>(
        &mut self,
        node: &Node,
        what: &str,
        all: &'a [T],
        name_of: impl Fn(&'a T) -> &'a str,
    ) -> Option<usize> {
        let name = self.text(node)?;
        if let Some(index) = all.iter().position(|it| name_of(it) == name) {
            return Some(index);
        }
        let error = Error::new(node.at.clone(), format!("there is no {what} `{name}`"));
        let help = did_you_mean(name, all.iter().map(name_of));
        self.errors.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
        None
    }

    fn job(&mut self, tree: &Node) -> Option<Job> {
        let mut fields = self.fields(tree, "a job")?;
        let shaders = self.required(&mut fields, "Shaders");
        let settings = fields.get("RuntimeSettings");
        let buffers = self.required(&mut fields, "Buffers");
        let samplers = fields.get("Samplers");
        let results = fields.get("Results");
        let sets = self.required(&mut fields, "DescriptorSets");
        let bindings = fields.get("Bindings");
        let push_constants = fields.get("PushConstants");
        let dispatch = fields.get("DispatchParameters");
        let passes = fields.get("Passes");
        let raster = if self.api == Api::Wavelane { fields.get("Raster") } else { None };
        let structures = fields.get("AccelerationStructures");
        let rays = [
            ("RayTracingPipelineConfig", fields.get("RayTracingPipelineConfig")),
            ("HitGroups", fields.get("HitGroups")),
            ("ShaderBindingTable", fields.get("ShaderBindingTable")),
        ];
        self.done(fields);

        let shaders_at = shaders.map(|it| it.at.clone());
        let shaders = self.each(shaders, "`Shaders`", Reader::shader);
        let buffers = self.each(buffers, "`Buffers`", Reader::buffer);
        let samplers = self.each(samplers, "`Samplers`", Reader::sampler);
        let push_constants = self.each(push_constants, "`PushConstants`", Reader::push_constants);
        let groups = self.dispatch(dispatch);
        let has_passes = passes.is_some();
        let mut unused = Vec::new();
        for (name, node) in rays {
            if let Some(node) = node {
                // Ray tracing pipelines are not supported yet; their mappings are only recognised.
                self.shape_only(name, node);
                unused.push(name);
            }
        }
        // The rest refers to buffers, so without them every reference would look wrong.
        let (shaders, buffers, samplers) = (shaders?, buffers?, samplers?);
        self.unique(buffers.iter().map(|it| (it.name.as_str(), it.at.clone())), "buffer");
        self.unique(samplers.iter().map(|it| (it.name.as_str(), it.at.clone())), "sampler");
        let scenes = self.scenes(structures, &buffers)?;
        let known = Known { buffers: &buffers, samplers: &samplers, scenes: &scenes };
        let sets_at = sets.map(|it| it.at.clone());
        let sets = self.each(sets, "`DescriptorSets`", |it, node| it.set(node, &known));
        let results = self.each(results, "`Results`", |it, node| it.expectation(node, &buffers));
        let root_parameters = self.settings(settings, &buffers);
        self.pipeline_kind(&shaders, has_passes, &shaders_at.clone()?);
        let passes = self.passes(passes, dispatch, &shaders, &buffers);
        let at = shaders_at?;
        let parts =
            draw::Parts { shaders: &shaders, buffers: &buffers, bindings, raster, dispatch, at };
        let draw = self.draw(&parts);
        let (sets, root_parameters) = (sets?, root_parameters?);
        let tables = root_parameters.iter().filter(|it| **it == RootParameter::DescriptorTable);
        let tables = tables.count();
        if !root_parameters.is_empty() && tables != sets.len() {
            let what = format!(
                "{} descriptor sets need as many root parameters of kind `DescriptorTable`, but there are {tables}",
                sets.len()
            );
            self.error::<()>(&sets_at?, what);
        }
        let (draw, mut buffers) = (draw?, buffers);
        for target in draw.iter().flat_map(|it| &it.targets) {
            buffers[target.buffer].target = Some(target.format);
        }
        Some(Job {
            shaders,
            root_parameters,
            buffers,
            samplers,
            scenes,
            results: results?,
            sets,
            push_constants: push_constants?,
            groups: groups?,
            passes: passes?,
            draw,
            unused,
        })
    }

    fn unique<'a>(&mut self, names: impl Iterator<Item = (&'a str, Range<usize>)>, what: &str) {
        let mut seen = std::collections::BTreeSet::new();
        for (name, at) in names {
            if !seen.insert(name) {
                self.error::<()>(&at, format!("the {what} `{name}` is defined twice"));
            }
        }
    }

    fn pipeline_kind(&mut self, shaders: &[Shader], has_passes: bool, at: &Range<usize>) {
        let is_compute = |it: &Shader| it.stage == Stage::Compute;
        if shaders.is_empty() {
            self.error::<()>(at, "a job has at least one shader");
        } else if shaders.len() > 1 && !has_passes && shaders.iter().any(is_compute) {
            let what = "a compute shader must be the only shader of its job";
            let help = "several dispatches are listed in `Passes`";
            self.errors.push(Error::new(at.clone(), what).help(help));
        }
    }

    fn stage(&mut self, node: &Node) -> Option<Stage> {
        self.choose(node, &STAGES)
    }

    fn shader(&mut self, node: &Node) -> Option<Shader> {
        let mut fields = self.fields(node, "a shader")?;
        let stage = self.required(&mut fields, "Stage").and_then(|it| self.stage(it));
        let entry_node = self.required(&mut fields, "Entry");
        let entry = entry_node.and_then(|it| self.text(it)).map(str::to_owned);
        let at = entry_node.map_or(node.at.clone(), |it| it.at.clone());
        let constants = fields.get("SpecializationConstants");
        let constants = self.each(constants, "`SpecializationConstants`", |it, node| {
            let mut fields = it.fields(node, "a specialization constant")?;
            let id = it.required(&mut fields, "ConstantID").and_then(|node| it.uint(node));
            let ty = it.required(&mut fields, "Type");
            let ty = ty.and_then(|node| it.choose(node, &NumberFormat::NAMES));
            let value = it.required(&mut fields, "Value");
            let at = value.map_or(node.at.clone(), |it| it.at.clone());
            let value = value.and_then(|node| it.text(node)).map(str::to_owned);
            it.done(fields);
            Some(SpecializationConstant { id: id?, ty: ty?, value: value?, at })
        });
        self.done(fields);
        Some(Shader { stage: stage?, entry: entry?, constants: constants?, at })
    }

    fn buffer(&mut self, node: &Node) -> Option<Buffer> {
        let mut fields = self.fields(node, "a buffer")?;
        let name_node = self.required(&mut fields, "Name");
        let name = name_node.and_then(|it| self.text(it)).map(str::to_owned);
        let format = self.required(&mut fields, "Format");
        let format = format.and_then(|it| self.choose(it, &NumberFormat::NAMES));
        let channels = fields.get("Channels");
        let channels = self.uint_or(channels, 1);
        let stride_node = fields.get("Stride");
        let stride = self.uint_or(stride_node, 0);
        let array = fields.get("ArraySize");
        let array = self.uint_or(array, 1);
        // Printed after a run, so that a dump round-trips.
        let counter = fields.get("Counter").or(fields.get("Counters"));
        let fill = (fields.get("FillSize"), fields.get("FillValue"));
        let data = fields.get("Data");
        let properties = fields.get("OutputProps");
        let texture = properties.map(|it| self.texture_size(it));
        let at = name_node.map_or(node.at.clone(), |it| it.at.clone());
        if let (Some(node), Some(1..), Some(2..)) = (stride_node, stride, channels) {
            self.error::<()>(&node.at, "a structured buffer has one channel");
        }
        let _ = counter;
        let first = fields.entries.first().map_or(fields.at.clone(), |(key, _)| key.at.clone());
        self.done(fields);
        let (format, array) = (format?, array?);
        let data = self.contents(first, format, array, data, fill);
        let texture = match texture {
            Some(size) => Some(size?),
            None => None,
        };
        let (name, channels, stride, data) = (name?, channels?, stride?, data?);
        let buffer = Buffer {
            name,
            format,
            channels,
            stride,
            data,
            texture,
            target: None,
            counters: Vec::new(),
            at,
        };
        self.check_texture(&buffer, properties);
        Some(buffer)
    }

    fn contents(
        &mut self,
        at: Range<usize>,
        format: NumberFormat,
        array: u32,
        data: Option<&Node>,
        (size, value): (Option<&Node>, Option<&Node>),
    ) -> Option<Vec<Vec<u8>>> {
        if array == 0 {
            return self.error(&at, "an array of resources has at least one element");
        }
        match (data, size) {
            (Some(_), Some(size)) => {
                self.error(&size.at, "a buffer has either `Data` or `FillSize`, not both")
            }
            (None, None) => match value {
                Some(value) => self.error(&value.at, "`FillValue` needs a `FillSize`"),
                None => self.error(&at, "the buffer has no contents; add `Data` or `FillSize`"),
            },
            (None, Some(size)) => {
                let bytes = self.uint(size)?;
                self.takes(u64::from(bytes), array, &size.at)?;
                if !bytes.is_multiple_of(format.bytes() as u32) {
                    let what = format!(
                        "{bytes} bytes are not a whole number of {} values of {} bytes",
                        format.name(),
                        format.bytes()
                    );
                    return self.error(&size.at, what);
                }
                let bits = value.map_or(Some(0), |it| self.number(it, format))?;
                let number = &bits.to_le_bytes()[..format.bytes()];
                let element = number.repeat(bytes as usize / format.bytes());
                Some(vec![element; array as usize])
            }
            (Some(data), None) => {
                if let Some(value) = value {
                    return self.error(&value.at, "`FillValue` needs a `FillSize`");
                }
                let list = self.list(data, "`Data`")?;
                if array == 1 {
                    self.takes((list.len() * format.bytes()) as u64, 1, &data.at)?;
                    return Some(vec![self.numbers(list, format)?]);
                }
                if list.len() != array as usize {
                    let what =
                        format!("`ArraySize` is {array}, but `Data` has {} lists", list.len());
                    return self.error(&data.at, what);
                }
                let mut elements: Vec<Vec<u8>> = Vec::new();
                for node in list {
                    let numbers = self.list(node, "each element of `Data`")?;
                    self.takes((numbers.len() * format.bytes()) as u64, 1, &node.at)?;
                    let bytes = self.numbers(numbers, format)?;
                    if elements.first().is_some_and(|first| first.len() != bytes.len()) {
                        return self
                            .error(&node.at, "all elements of an array must have the same size");
                    }
                    elements.push(bytes);
                }
                Some(elements)
            }
        }
    }

    /// Counts elements of a given size, before memory is allocated for them.
    fn takes(&mut self, bytes: u64, elements: u32, at: &Range<usize>) -> Option<()> {
        let total = self.bytes.saturating_add(u64::from(elements) * bytes.max(LEAST_BYTES));
        if total > MOST_BYTES {
            let what = format!("with this, the job's buffers have {total} bytes");
            let help = format!("all buffers and textures together have at most {MOST_BYTES} bytes");
            self.errors.push(Error::new(at.clone(), what).help(help));
            return None;
        }
        self.bytes = total;
        Some(())
    }

    fn numbers(&mut self, list: &[Node], format: NumberFormat) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(list.len() * format.bytes());
        let mut is_wrong = false;
        for node in list {
            match self.number(node, format) {
                Some(bits) => bytes.extend_from_slice(&bits.to_le_bytes()[..format.bytes()]),
                None => is_wrong = true,
            }
            // A list in the wrong format is one error, not thousands.
            if is_wrong {
                return None;
            }
        }
        Some(bytes)
    }

    fn texture_size(&mut self, node: &Node) -> Option<TextureSize> {
        let mut fields = self.fields(node, "`OutputProps`")?;
        let mut side = |key| self.required(&mut fields, key).and_then(|it| self.uint(it));
        let (height, width, depth) = (side("Height"), side("Width"), side("Depth"));
        let mips = fields.get("MipLevels");
        let mips = self.uint_or(mips, 1);
        self.done(fields);
        let size = TextureSize { width: width?, height: height?, depth: depth?, mips: mips? };
        if size.mips == 0 || size.mips > 32 {
            return self.error(&node.at, "a texture has 1 to 32 mip levels");
        }
        Some(size)
    }

    fn check_texture(&mut self, buffer: &Buffer, properties: Option<&Node>) {
        let (Some(size), Some(node)) = (buffer.texture, properties) else { return };
        if size.width == 0 {
            return;
        }
        let texel = u64::from(buffer.channels) * buffer.format.bytes() as u64;
        let mut total = 0u64;
        let mut sides = [size.width, size.height, size.depth];
        for _ in 0..size.mips {
            let texels = sides.iter().fold(1u64, |all, side| all.saturating_mul(u64::from(*side)));
            total = total.saturating_add(texels.saturating_mul(texel));
            sides = sides.map(|side| (side / 2).max(1));
        }
        if total != buffer.size() as u64 {
            // Suites test for this message of the format's own tool.
            let what = format!(
                "Buffer '{}' size ({}) does not match OutputProps dimensions ({total})",
                buffer.name,
                buffer.size()
            );
            self.error::<()>(&node.at, what);
        }
    }

    fn sampler(&mut self, node: &Node) -> Option<Sampler> {
        let mut fields = self.fields(node, "a sampler")?;
        let name_node = self.required(&mut fields, "Name");
        let name = name_node.and_then(|it| self.text(it)).map(str::to_owned);
        let kind = fields.get("Kind");
        let compares =
            self.choose_or(kind, false, &[("Sampler", false), ("SamplerComparison", true)]);
        let usual = sampler::usual();
        let filters = ["MinFilter", "MagFilter", "MipFilter"].map(|key| fields.get(key));
        let min = self.choose_or(filters[0], usual.min, &sampler::FILTERS);
        let mag = self.choose_or(filters[1], usual.mag, &sampler::FILTERS);
        let mip = self.choose_or(filters[2], usual.mip, &sampler::FILTERS);
        let address = fields.get("Address");
        let address = self.choose_or(address, usual.address[0], &sampler::ADDRESSES);
        let lods = ["MinLOD", "MaxLOD", "MipLODBias"].map(|key| fields.get(key));
        let min_lod = self.float_or(lods[0], f64::from(usual.min_lod));
        let max_lod = self.float_or(lods[1], f64::from(usual.max_lod));
        let bias = self.float_or(lods[2], f64::from(usual.bias));
        let comparison_node = fields.get("ComparisonOp");
        let compare = self.choose_or(comparison_node, usual.compare, &sampler::COMPARISONS);
        self.done(fields);
        let at = name_node.map_or(node.at.clone(), |it| it.at.clone());
        let (compares, compare) = (compares?, compare?);
        if compares == (compare == usual.compare) {
            let what = match compares {
                true => "a `SamplerComparison` needs a `ComparisonOp` other than `Never`",
                false => "a `Sampler` has no `ComparisonOp`; use a `SamplerComparison`",
            };
            return self.error(&comparison_node.map_or(at, |it| it.at.clone()), what);
        }
        let state = SamplerState {
            min: min?,
            mag: mag?,
            mip: mip?,
            address: [address?; 3],
            min_lod: min_lod? as f32,
            max_lod: max_lod? as f32,
            bias: bias? as f32,
            compare,
            ..usual
        };
        Some(Sampler { name: name?, state, at })
    }

    fn expectation(&mut self, node: &Node, buffers: &[Buffer]) -> Option<Expectation> {
        let mut fields = self.fields(node, "a result")?;
        let name_node = self.required(&mut fields, "Result");
        let name = name_node.and_then(|it| self.text(it)).map(str::to_owned);
        let rule_node = self.required(&mut fields, "Rule");
        let rule = rule_node.and_then(|it| {
            let rules = [("BufferExact", 0), ("BufferFloatULP", 1), ("BufferFloatEpsilon", 2)];
            self.choose(it, &rules)
        });
        let mut find = |reader: &mut Reader, key| {
            let node = reader.required(&mut fields, key)?;
            reader.find(node, "buffer", buffers, |it| &it.name)
        };
        let (actual, expected) = (find(self, "Actual"), find(self, "Expected"));
        let rule = match rule {
            Some(0) => Some(Rule::Exact),
            Some(1) => {
                let most = self.required(&mut fields, "ULPT").and_then(|it| self.uint(it));
                let denormals = self.denormals(&mut fields);
                let zero = fields.get("ZeroTolerance");
                let zero = self.float_or(zero, 0.0);
                most.zip(denormals).zip(zero).map(|((most, denormals), zero)| Rule::Ulp {
                    most,
                    zero,
                    denormals,
                })
            }
            Some(_) => {
                let epsilon = self.required(&mut fields, "Epsilon");
                let below = epsilon.and_then(|it| self.float_or(Some(it), 0.0));
                let denormals = self.denormals(&mut fields);
                below.zip(denormals).map(|(below, denormals)| Rule::Epsilon { below, denormals })
            }
            // Without the rule, the valid keys are unknown.
            None => return None,
        };
        self.done(fields);
        let (rule, actual, expected) = (rule?, actual?, expected?);
        let formats = [buffers[actual].format, buffers[expected].format];
        let rule_at = rule_node.map_or(node.at.clone(), |it| it.at.clone());
        if rule != Rule::Exact && !formats.iter().all(|it| it.is_float()) {
            return self.error(&rule_at, "this rule compares only buffers of floats");
        }
        if rule != Rule::Exact && formats[0] != formats[1] {
            return self.error(&rule_at, "this rule compares only buffers of the same format");
        }
        let at = name_node.map_or(node.at.clone(), |it| it.at.clone());
        Some(Expectation { name: name?, rule, actual, expected, at })
    }

    fn denormals(&mut self, fields: &mut Fields<'_>) -> Option<Denormals> {
        let node = fields.get("DenormMode");
        let choices = [
            ("Any", Denormals::Any),
            ("FTZ", Denormals::FlushToZero),
            ("Preserve", Denormals::Preserve),
        ];
        self.choose_or(node, Denormals::Any, &choices)
    }

    fn set(&mut self, node: &Node, known: &Known<'_>) -> Option<Vec<Resource>> {
        let mut fields = self.fields(node, "a descriptor set")?;
        let resources = self.required(&mut fields, "Resources");
        self.done(fields);
        self.each(Some(resources?), "`Resources`", |it, node| it.resource(node, known))
    }

    fn resource(&mut self, node: &Node, known: &Known<'_>) -> Option<Resource> {
        let mut fields = self.fields(node, "a resource")?;
        let name_node = self.required(&mut fields, "Name");
        let kind = self.required(&mut fields, "Kind");
        let kind = kind.and_then(|it| self.choose(it, &Kind::NAMES));
        let counter = fields.get("HasCounter");
        let has_counter = self.switch_or(counter, false);
        let tiles = fields.get("TilesMapped");
        let tiles = tiles.map(|it| self.uint(it));
        let reserved = fields.get("IsReserved");
        let is_reserved = self.switch_or(reserved, false);
        let register = fields.get("DirectXBinding");
        let vulkan = fields.get("VulkanBinding");
        let heap = fields.get("HeapIndex");
        let feedback = match kind {
            Some(Kind::Feedback) => Some(self.feedback(&mut fields, known)),
            _ => None,
        };
        self.done(fields);
        let vulkan = vulkan.map(|it| self.vulkan_binding(it));
        let name_at = name_node.map_or(node.at.clone(), |it| it.at.clone());
        let place = match (register, heap) {
            (Some(register), None) => self.register(register),
            (None, Some(heap)) => self.uint(heap).map(BindPoint::Heap),
            (Some(_), Some(heap)) => self.error(
                &heap.at,
                "a resource has either a `DirectXBinding` or a `HeapIndex`, not both",
            ),
            (None, None) => self.error(
                &name_at,
                "the resource has no place; add a `DirectXBinding` or a `HeapIndex`",
            ),
        };
        let (name_node, kind) = (name_node?, kind?);
        let buffer = |it: &mut Reader| it.find(name_node, "buffer", known.buffers, |it| &it.name);
        let sampler =
            |it: &mut Reader| it.find(name_node, "sampler", known.samplers, |it| &it.name);
        let scene = match kind {
            Kind::AccelerationStructure => Some(self.scene_named(name_node, known.scenes)?),
            _ => None,
        };
        let (buffer, sampler) = match kind {
            Kind::AccelerationStructure => (None, None),
            Kind::Sampler => (None, Some(sampler(self)?)),
            Kind::SampledTexture2D => (Some(buffer(self)?), Some(sampler(self)?)),
            Kind::Buffer
            | Kind::StructuredBuffer
            | Kind::ByteAddressBuffer
            | Kind::Texture2D
            | Kind::RwBuffer
            | Kind::RwStructuredBuffer
            | Kind::RwByteAddressBuffer
            | Kind::RwTexture2D
            | Kind::Feedback
            | Kind::ConstantBuffer => (Some(buffer(self)?), None),
        };
        self.binds(buffer.map(|it| &known.buffers[it]), &name_at)?;
        let optional = |it: Option<Option<u32>>| it.map_or(Some(None), |it| it.map(Some));
        Some(Resource {
            name: self.text(name_node)?.to_owned(),
            kind,
            buffer,
            sampler,
            scene,
            feedback: feedback.map_or(Some(None), |it| it.map(Some))?,
            has_counter: has_counter?,
            tiles: optional(tiles)?,
            is_reserved: is_reserved?,
            place: place?,
            vulkan: vulkan.map_or(Some(None), |it| it.map(Some))?,
            at: name_at,
        })
    }

    /// `PairedTexture`, `MipRegion` and `FeedbackType` of a feedback map.
    fn feedback(&mut self, fields: &mut Fields<'_>, known: &Known<'_>) -> Option<Feedback> {
        let paired = self.required(fields, "PairedTexture");
        let region = self.required(fields, "MipRegion");
        let kind = self.required(fields, "FeedbackType");
        let paired = paired.and_then(|it| self.find(it, "buffer", known.buffers, |it| &it.name));
        let kinds =
            [("MinMip", FeedbackKind::MinMip), ("MipRegionUsed", FeedbackKind::MipRegionUsed)];
        let kind = kind.and_then(|it| self.choose(it, &kinds));
        let region = region?;
        let sizes = self.each(Some(region), "`MipRegion`", |it, node| it.uint(node))?;
        let [width, height] = sizes[..] else {
            return self.error(&region.at, "`MipRegion` is a width and a height: `[8, 8]`");
        };
        Some(Feedback { paired: paired?, kind: kind?, region: [width, height] })
    }

    /// Counts the memory of a resource in addition to the buffer itself.
    fn binds(&mut self, buffer: Option<&Buffer>, at: &Range<usize>) -> Option<()> {
        let data = buffer.map_or(&[][..], |it| &it.data);
        let more: u64 = data.iter().map(|it| (it.len() as u64).max(LEAST_BYTES)).sum();
        self.bound = self.bound.saturating_add(more);
        if self.bound <= MOST_BYTES {
            return Some(());
        }
        let what = format!("with this, {} bytes are bound", self.bound);
        let help = format!("all resources of a job together have at most {MOST_BYTES} bytes");
        self.errors.push(Error::new(at.clone(), what).help(help));
        None
    }

    fn register(&mut self, node: &Node) -> Option<BindPoint> {
        let mut fields = self.fields(node, "`DirectXBinding`")?;
        let index = self.required(&mut fields, "Register").and_then(|it| self.uint(it));
        let space = self.required(&mut fields, "Space").and_then(|it| self.uint(it));
        self.done(fields);
        Some(BindPoint::Register { index: index?, space: space? })
    }

    fn vulkan_binding(&mut self, node: &Node) -> Option<VulkanBinding> {
        let mut fields = self.fields(node, "`VulkanBinding`")?;
        let binding = self.required(&mut fields, "Binding").and_then(|it| self.uint(it));
        let counter = fields.get("CounterBinding");
        let counter = counter.map(|it| self.uint(it));
        self.done(fields);
        let counter = match counter {
            Some(counter) => Some(counter?),
            None => None,
        };
        Some(VulkanBinding { binding: binding?, counter })
    }

    fn push_constants(&mut self, node: &Node) -> Option<PushConstants> {
        let mut fields = self.fields(node, "a block of push constants")?;
        let stage = self.required(&mut fields, "Stage").and_then(|it| self.stage(it));
        let values = self.required(&mut fields, "Values");
        self.done(fields);
        let values = self.each(Some(values?), "`Values`", |it, node| {
            let mut fields = it.fields(node, "a push constant")?;
            let format = it.required(&mut fields, "Format");
            let format = format.and_then(|node| it.choose(node, &NumberFormat::NAMES));
            let offset_node = it.required(&mut fields, "Offset");
            let offset = offset_node.and_then(|node| it.uint(node));
            let data = it.required(&mut fields, "Data");
            it.done(fields);
            let list = it.list(data?, "`Data`")?;
            let bytes = it.numbers(list, format?)?;
            let offset = offset?;
            if u64::from(offset) + bytes.len() as u64 > 1 << 16 {
                return it.error(&offset_node?.at, "push constants take at most 64 KiB");
            }
            Some(PushConstant { format: format?, offset, bytes })
        });
        Some(PushConstants { stage: stage?, values: values? })
    }

    fn settings(&mut self, node: Option<&Node>, buffers: &[Buffer]) -> Option<Vec<RootParameter>> {
        let Some(node) = node else { return Some(Vec::new()) };
        let mut fields = self.fields(node, "`RuntimeSettings`")?;
        let directx = fields.get("DirectX");
        self.done(fields);
        let Some(directx) = directx else { return Some(Vec::new()) };
        let mut fields = self.fields(directx, "`DirectX`")?;
        let parameters = fields.get("RootParameters");
        self.done(fields);
        self.each(parameters, "`RootParameters`", |it, node| {
            let mut fields = it.fields(node, "a root parameter")?;
            let kinds = [("Constant", 0), ("DescriptorTable", 1), ("RootDescriptor", 2)];
            let kind = it.required(&mut fields, "Kind")?;
            let parameter = match it.choose(kind, &kinds)? {
                0 => {
                    let name = it.required(&mut fields, "Name")?;
                    let buffer = it.find(name, "buffer", buffers, |it| &it.name)?;
                    RootParameter::Constant { buffer }
                }
                1 => RootParameter::DescriptorTable,
                _ => {
                    let resource = it.required(&mut fields, "Resource")?;
                    let mut inner = it.fields(resource, "`Resource`")?;
                    let name = it.required(&mut inner, "Name");
                    let kind_node = it.required(&mut inner, "Kind");
                    it.done(inner);
                    let kind = it.choose(kind_node?, &Kind::NAMES)?;
                    if !kind.is_raw() {
                        return it.error(&kind_node?.at, "a root descriptor must be of a raw kind");
                    }
                    let buffer = it.find(name?, "buffer", buffers, |it| &it.name)?;
                    RootParameter::RootDescriptor { buffer, kind }
                }
            };
            it.done(fields);
            Some(parameter)
        })
    }

    /// The keys of the parts for ray tracing pipelines, one level deep.
    fn shape_only(&mut self, name: &'static str, node: &Node) {
        let keys: &[&'static str] = match name {
            "RayTracingPipelineConfig" => &[
                "MaxTraceRecursionDepth",
                "MaxPayloadSizeInBytes",
                "MaxAttributeSizeInBytes",
                "PipelineFlags",
            ],
            "ShaderBindingTable" => &["RayGen", "Miss", "HitGroup", "Callable"],
            _ => {
                self.each(Some(node), "`HitGroups`", |it, node| {
                    let mut fields = it.fields(node, "a hit group")?;
                    it.required(&mut fields, "Name");
                    it.required(&mut fields, "ClosestHit");
                    for key in ["Type", "AnyHit", "Intersection"] {
                        fields.get(key);
                    }
                    it.done(fields);
                    Some(())
                });
                return;
            }
        };
        let Some(mut fields) = self.fields(node, &format!("`{name}`")) else { return };
        for key in keys {
            fields.get(key);
        }
        self.done(fields);
    }
}

/// The names to which resources refer.
struct Known<'a> {
    buffers: &'a [Buffer],
    samplers: &'a [Sampler],
    scenes: &'a [Scene],
}

#[cfg(test)]
mod tests;
