//! Binds the passes of a job: a buffer is one piece of memory for all of them, and what a pass sets or binds is for
//! that pass alone.
//!
//! A job of one dispatch gives each binding separate contents instead, as the format's own tool does.

use std::collections::BTreeMap;
use std::ops::Range;

use wavelane::internal::{self, Pass, Shared, Slot, What};
use wavelane::{
    ConstantError, ConstantProblem, ElementFormat, F16, Number, Resource as Declared, ResourceKind,
    ResourceTable, Scalar, Shader,
};

use super::{BindProblem, Bound, bind_with, shape, texel};
use crate::Error;
use crate::error::did_you_mean;
use crate::job::{self, Groups, Job, Rebinding, Setting};
use crate::number::{self, NumberFormat};
use crate::root::Root;

/// The memory of a job's buffers, made as passes bind them.
#[derive(Default)]
pub(crate) struct Memory {
    /// By the index of the buffer, and of its element.
    cells: BTreeMap<(usize, usize), Cell>,
}

struct Cell {
    shared: Shared,
    is_texture: bool,
    has_counter: bool,
    /// Where the first pass that writes it binds it: the index of the pass, and the resource.
    written: Option<(usize, String)>,
    /// Why a pass that reads it as constants has a copy: the location, and the reason.
    copied: Option<(Range<usize>, String)>,
}

/// Why passes cannot be bound.
pub(crate) enum Problem {
    /// A mistake with a place in the job.
    Located(Error),
    /// A mistake in the bindings that all passes have, at the pass with that index.
    Of(usize, BindProblem),
}

/// The passes of a job, each repetition one of them.
pub(crate) struct Passes {
    pub(crate) all: Vec<Ready>,
    pub(crate) memory: Memory,
    pub(crate) doubts: Vec<String>,
}

/// Resources and elements, with the index of the buffer that each has.
pub(crate) type Places = Vec<(String, u32, usize)>;

/// A pass that can run.
pub(crate) struct Ready {
    /// The index of the job's pass.
    pub(crate) index: usize,
    /// The number of the repetition, from 0 on.
    pub(crate) round: u32,
    pub(crate) pass: Pass,
    pub(crate) bound: Places,
}

/// Binds all passes; `programs` are the shaders by their index in the job, of those that a pass runs.
pub(crate) fn bind<'a>(
    job: &Job,
    programs: &dyn Fn(usize) -> (&'a Shader, &'a Root),
    is_vulkan: bool,
) -> Result<Passes, Problem> {
    let mut passes = Passes { all: Vec::new(), memory: Memory::default(), doubts: Vec::new() };
    for (index, pass) in job.passes.iter().enumerate() {
        let (shader, root) = programs(pass.entry);
        for round in 0..pass.repeat {
            let (table, bound) = passes.table(job, index, shader, root, is_vulkan)?;
            let groups = match &pass.groups {
                Groups::Count(groups) => internal::Groups::Count(*groups),
                Groups::Indirect { buffer, offset, at } => {
                    let cell = passes.memory.cell(job, (*buffer, 0), None);
                    let cell =
                        cell.map_err(|what| Problem::Located(Error::new(at.clone(), what)))?;
                    if cell.is_texture {
                        let what = format!("`{}` is a texture", job.buffers[*buffer].name);
                        return Err(Problem::Located(Error::new(at.clone(), what)));
                    }
                    internal::Groups::Indirect(cell.shared.buffer(), *offset)
                }
            };
            let pass = Pass { table, groups };
            passes.all.push(Ready { index, round, pass, bound });
        }
    }
    // Constants are fixed when a list is recorded.
    for ((buffer, _), cell) in &passes.memory.cells {
        if let (Some((at, why)), Some((pass, resource))) = (&cell.copied, &cell.written) {
            let what = format!(
                "`{}` {why}, but pass {} writes it as `{resource}`",
                job.buffers[*buffer].name,
                pass + 1
            );
            return Err(Problem::Located(Error::new(at.clone(), what)));
        }
    }
    Ok(passes)
}

/// What passes bind besides the descriptor sets, while one of them is being bound.
pub(crate) struct Passing<'a> {
    memory: &'a mut Memory,
    index: usize,
    at: Range<usize>,
    /// The resources that have another buffer in this pass, each with an index or whole.
    rebound: Vec<(String, Option<u32>)>,
    bound: Places,
}

impl<'a> Passing<'a> {
    /// What a shader of a draw binds; those of a draw share their memory as passes do.
    pub(crate) fn of_draw(memory: &'a mut Memory, index: usize) -> Passing<'a> {
        Passing { memory, index, at: 0..0, rebound: Vec::new(), bound: Vec::new() }
    }
}

impl Passing<'_> {
    pub(crate) fn is_rebound(&self, name: &str, element: u32) -> bool {
        self.rebound.iter().any(|(it, index)| it == name && index.is_none_or(|it| it == element))
    }
}

impl Passes {
    fn table(
        &mut self,
        job: &Job,
        index: usize,
        shader: &Shader,
        root: &Root,
        is_vulkan: bool,
    ) -> Result<(ResourceTable, Places), Problem> {
        let pass = &job.passes[index];
        let mut rebound = Vec::new();
        for it in &pass.bind {
            rebound.push(named(it, shader).map_err(Problem::Located)?);
        }
        let names = rebound.iter().map(|(declared, at)| (declared.name.clone(), *at)).collect();
        let (memory, at) = (&mut self.memory, pass.at.clone());
        let mut passing = Passing { memory, index, at, rebound: names, bound: Vec::new() };
        let binding = bind_with(job, shader, root, is_vulkan, Some(&mut passing))
            .map_err(|problem| Problem::Of(index, problem))?;
        let mut table = binding.table;
        for (it, (declared, at)) in pass.bind.iter().zip(rebound) {
            if !declared.used {
                continue;
            }
            passing.at = it.at.clone();
            for part in 0..job.buffers[it.buffer].data.len() {
                let bound = Bound {
                    name: declared.name.clone(),
                    element: at.unwrap_or(0).saturating_add(part as u32),
                    buffer: it.buffer,
                    part,
                    is_written: declared.kind.writable(),
                    has_counter: declared.kind.view().counter,
                };
                passing.put(&mut table, declared, &bound, job).map_err(Problem::Located)?;
            }
        }
        let bound = passing.bound;
        let constants = self.memory.constants(&table, shader);
        for setting in &pass.set {
            set(&mut table, setting, shader).map_err(Problem::Located)?;
            self.memory.copied(&constants, &table, setting);
        }
        for doubt in binding.doubts {
            if !self.doubts.contains(&doubt) {
                self.doubts.push(doubt);
            }
        }
        Ok((table, bound))
    }
}

/// The resource that a pass binds a buffer to, and its index if it names one.
fn named<'a>(
    rebinding: &Rebinding,
    shader: &'a Shader,
) -> Result<(&'a Declared, Option<u32>), Error> {
    let Rebinding { resource, at, .. } = rebinding;
    let wrong = |what: String| Error::new(at.clone(), what);
    let (name, index) = match resource.split_once('[') {
        None => (resource.as_str(), None),
        Some((name, rest)) => {
            let index = rest.strip_suffix(']').and_then(|it| it.parse().ok());
            let what = || wrong(format!("`{resource}` is not `NAME` or `NAME[INDEX]`"));
            (name, Some(index.ok_or_else(what)?))
        }
    };
    let Some((_, declared)) = shader.resource(name) else {
        let error = wrong(format!("`{}` declares no resource `{name}`", shader.entry()));
        let known = shader.resources().iter().map(|it| it.name.as_str());
        return Err(match did_you_mean(name, known) {
            Some(help) => error.help(help),
            None => error,
        });
    };
    if let ResourceKind::Sampler { .. } = declared.kind {
        return Err(wrong(format!("`{name}` is a sampler, and `Bind` binds buffers")));
    }
    Ok((declared, index))
}

impl Passing<'_> {
    /// Binds a buffer's own memory.
    pub(crate) fn put(
        &mut self,
        table: &mut ResourceTable,
        declared: &Declared,
        bound: &Bound,
        job: &Job,
    ) -> Result<(), Error> {
        let wrong = |what: String| Error::new(self.at.clone(), what);
        let source = &job.buffers[bound.buffer];
        let is_texture = matches!(declared.kind, ResourceKind::Texture { .. });
        let cell = self.memory.cell(job, (bound.buffer, bound.part), Some(declared));
        let cell = cell.map_err(&wrong)?;
        if is_texture != cell.is_texture {
            let what = "is bound as a texture and as a buffer: these are different memory";
            return Err(wrong(format!("`{}` {what}", source.name)));
        }
        if bound.is_written && cell.written.is_none() {
            cell.written = Some((self.index, bound.name.clone()));
        }
        cell.has_counter |= bound.has_counter;
        self.bound.push((bound.name.clone(), bound.element, bound.buffer));
        let result = match declared.kind {
            // A constant buffer is padded, like a device's memory.
            ResourceKind::Constant { size, .. }
                if source.data[bound.part].len() < size as usize =>
            {
                let why = format!("is smaller than the {size} bytes of `{}`", bound.name);
                cell.copied.get_or_insert((self.at.clone(), why));
                let mut bytes = source.data[bound.part].clone();
                bytes.resize(size as usize, 0);
                table.bind_at(
                    &bound.name,
                    bound.element,
                    Slot { bytes: bytes.into(), ..Slot::default() },
                )
            }
            _ => table.bind_at(&bound.name, bound.element, &cell.shared),
        };
        result.map_err(|error| Error::new(self.at.clone(), format!("`{}`: {error}", source.name)))
    }
}

impl Memory {
    /// The memory of a buffer that is none of a shader's resources.
    pub(crate) fn buffer(&mut self, job: &Job, buffer: usize) -> Result<wavelane::Buffer, String> {
        let cell = self.cell(job, (buffer, 0), None)?;
        match cell.is_texture {
            true => Err(format!("`{}` is a texture", job.buffers[buffer].name)),
            false => Ok(cell.shared.buffer()),
        }
    }

    /// Whether anything binds the buffer.
    pub(crate) fn has(&self, buffer: usize) -> bool {
        self.cells.keys().any(|(it, _)| *it == buffer)
    }

    /// The memory of an element of a buffer; made for a resource of that kind if it is new.
    fn cell(
        &mut self,
        job: &Job,
        at: (usize, usize),
        declared: Option<&Declared>,
    ) -> Result<&mut Cell, String> {
        let source = &job.buffers[at.0];
        let dim = declared.and_then(|it| match it.kind {
            ResourceKind::Texture { dim, .. } => Some(dim),
            _ => None,
        });
        let texture = match dim {
            None => None,
            Some(dim) => match shape(source, dim.is_array()) {
                Ok(shape) => Some(shape),
                Err(problem) => return Err(problem.0),
            },
        };
        let is_typed = matches!(declared.map(|it| &it.kind), Some(ResourceKind::Typed { .. }));
        if is_typed && !(1..=4).contains(&source.channels) {
            let what = format!("`{}` has {} channels", source.name, source.channels);
            return Err(format!("{what}; a texel has 1 to 4"));
        }
        let make = || {
            let is_texture = texture.is_some();
            let components = source.channels;
            // Of what is bound as texels, now or later, this is the format.
            let format = (1..=4)
                .contains(&components)
                .then(|| ElementFormat { scalar: texel(source.format), components });
            let memory = What::Memory { format, counter: 0 };
            let what = texture.map_or(memory, What::texture_of);
            let shared = Shared::new(Slot { bytes: source.data[at.1].clone().into(), what });
            let (has_counter, written, copied) = (false, None, None);
            Cell { shared, is_texture, has_counter, written, copied }
        };
        let cell = self.cells.entry(at).or_insert_with(make);
        if cell.is_texture && texture.is_some() && cell.shared.value().what.texture() != texture {
            return Err(format!("`{}` is bound as textures of different kinds", source.name));
        }
        Ok(cell)
    }

    /// The constant buffers of a table that are buffers of the job.
    fn constants(&self, table: &ResourceTable, shader: &Shader) -> Vec<(String, (usize, usize))> {
        let is_constant = |it: &&Declared| matches!(it.kind, ResourceKind::Constant { .. });
        let buffer = |it: &Declared| {
            let mut cells = self.cells.iter();
            let (at, _) = cells.find(|(_, cell)| cell.shared.is_bound(table, &it.name))?;
            Some((it.name.clone(), *at))
        };
        shader.resources().iter().filter(is_constant).filter_map(buffer).collect()
    }

    /// Notes which constant buffers have become copies, because a member of them was set.
    fn copied(
        &mut self,
        constants: &[(String, (usize, usize))],
        table: &ResourceTable,
        setting: &Setting,
    ) {
        for (name, at) in constants {
            if let Some(cell) = self.cells.get_mut(at)
                && !cell.shared.is_bound(table, name)
            {
                let why = format!("holds the constants of `{name}`, and `{}` is set", setting.name);
                cell.copied.get_or_insert((setting.at.clone(), why));
            }
        }
    }

    /// Copies what was left back into the job.
    pub(crate) fn take_back(&self, job: &mut Job) {
        for ((buffer, part), cell) in self.cells.iter().filter(|(_, it)| it.written.is_some()) {
            let target = &mut job.buffers[*buffer];
            let elements = target.data.len();
            let value = cell.shared.value();
            target.data[*part] = value.bytes.to_vec();
            if cell.has_counter {
                target.counters.resize(elements, 0);
                target.counters[*part] = value.what.counter().unwrap_or(0);
            }
        }
    }
}

/// Sets a member of a constant buffer for one pass.
fn set(table: &mut ResourceTable, setting: &Setting, shader: &Shader) -> Result<(), Error> {
    let wrong = |error: ConstantError| {
        let ConstantError { name, problem } = &error;
        match problem {
            ConstantProblem::NoSuchConstant { similar } => {
                let what = format!("`{}` has no constant `{name}`", shader.entry());
                let error = Error::new(setting.at.clone(), what);
                match similar {
                    Some(similar) => error.help(format!("did you mean `{similar}`?")),
                    None => error,
                }
            }
            _ => Error::new(setting.at.clone(), error.to_string()),
        }
    };
    let types = internal::types_of_constant(table, &setting.name).map_err(wrong)?;
    let (given, needs) = (setting.values.len(), types.len());
    if given != needs {
        return Err(wrong(ConstantError {
            name: setting.name.clone(),
            problem: ConstantProblem::Count { given, needs },
        }));
    }
    let mut numbers = Vec::with_capacity(needs);
    for (text, scalar) in setting.values.iter().zip(types) {
        let number = parse(text, scalar);
        numbers.push(number.ok_or_else(|| {
            let what = format!(
                "`{text}` is not a value of `{}`, which is `{}`",
                setting.name,
                scalar.name()
            );
            Error::new(setting.value_at.clone(), what)
        })?);
    }
    table.set(&setting.name, &numbers[..]).map_err(wrong)
}

/// A text as a number of that type, with the digits that the data of buffers may have.
fn parse(text: &str, scalar: Scalar) -> Option<Number> {
    let float = |format: NumberFormat| format.parse(text).ok();
    match scalar {
        Scalar::Bool => match text {
            "true" | "True" | "TRUE" | "1" => Some(Number::Bool(true)),
            "false" | "False" | "FALSE" | "0" => Some(Number::Bool(false)),
            _ => None,
        },
        Scalar::F32 => {
            let bits = float(NumberFormat::Float32)? as u32;
            Some(Number::Float(f64::from(f32::from_bits(bits))))
        }
        Scalar::F16 => {
            let value = f64::from_bits(float(NumberFormat::Float64)?);
            Some(Number::Float(f64::from(F16::from_f64(value).to_f32())))
        }
        Scalar::F64 => Some(Number::Float(f64::from_bits(float(NumberFormat::Float64)?))),
        Scalar::I8
        | Scalar::U8
        | Scalar::I16
        | Scalar::U16
        | Scalar::I32
        | Scalar::U32
        | Scalar::I64
        | Scalar::U64 => number::integer(text).map(Number::Integer),
    }
}

/// Whether a job has a part that passes cannot have.
pub(crate) fn not_built(job: &Job) -> Option<String> {
    let mut resources = job.sets.iter().flatten();
    let reserved = resources.find(|it: &&job::Resource| it.is_reserved && it.tiles.is_some());
    reserved.map(|it| format!("`{}` is a reserved resource, in a job of several passes", it.name))
}
