//! Arguments: from keyword arguments to a resource table.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyTuple};
use wavelane::{
    Buffer, ConstantProblem, Contents, Layout, Number, Resource, ResourceKind, ResourceTable,
    Sampler, Shader,
};

use crate::error::argument;
use crate::memory::Memory;
use crate::texture;

/// What is bound, and the memory that it is in.
///
/// Invariant: the table is dropped first.
pub(crate) struct Arguments {
    pub(crate) table: ResourceTable,
    held: Vec<Held>,
}

struct Held {
    name: String,
    memory: Memory,
    is_written: bool,
}

/// Nested deeper than any type of HLSL.
const DEEPEST: usize = 16;

impl Arguments {
    pub(crate) fn new(shader: &Shader, given: Option<&Bound<'_, PyDict>>) -> PyResult<Arguments> {
        let mut arguments = Arguments { table: ResourceTable::new(shader), held: Vec::new() };
        for (name, value) in given.into_iter().flatten() {
            let name: String = name.extract()?;
            match shader.resource(&name) {
                Some((index, resource)) => {
                    let is_written = shader.uses(index).1;
                    arguments.resource(resource, is_written, &value)?;
                }
                None => arguments.constant(&name, &value)?,
            }
        }
        arguments.check_overlaps()?;
        Ok(arguments)
    }

    fn resource(
        &mut self,
        resource: &Resource,
        is_written: bool,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let is_list = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
        if is_list && resource.count != Some(1) {
            for (element, value) in value.try_iter()?.enumerate() {
                self.element(resource, element as u32, is_written, &value?)?;
            }
            return Ok(());
        }
        self.element(resource, 0, is_written, value)
    }

    /// Binds one element of a resource, which has one unless it is an array.
    fn element(
        &mut self,
        resource: &Resource,
        element: u32,
        is_written: bool,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let name = &resource.name;
        match resource.kind.view().contents {
            Contents::Buffer | Contents::Texture => {
                self.memory(resource, element, is_written, value)
            }
            Contents::Constants => {
                let is_array =
                    matches!(Memory::of(value)?, Ok(Some(_))) && !value.hasattr("tolist")?;
                if is_array || resource.count != Some(1) {
                    self.memory(resource, element, false, value)
                } else {
                    self.constant(name, value)
                }
            }
            Contents::Sampler => {
                let shown = shown(resource, element);
                let text: String = value.extract().map_err(|_| {
                    argument(format!("`{shown}`: a sampler is a string, such as \"linear wrap\""))
                })?;
                let sampler = Sampler::parse(&text);
                let sampler = sampler.map_err(|why| argument(format!("`{shown}`: {why}")))?;
                self.table.bind_at(name, element, sampler).map_err(argument)
            }
            Contents::Scene | Contents::Feedback => Err(argument(format!(
                "`{name}` is a `{}`, which cannot be passed from Python",
                resource.kind.view().name
            ))),
        }
    }

    /// Binds the memory of an object.
    fn memory(
        &mut self,
        resource: &Resource,
        element: u32,
        is_written: bool,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let name = shown(resource, element);
        let refused = |why: &str| argument(format!("`{name}`: {why}"));
        let texels = texture::Texels::of(value)?;
        let data = texels.as_ref().map_or(value, |it| it.data());
        let given = data.get_type().name()?.to_string();
        let memory = match Memory::of(data)? {
            Ok(Some(memory)) => memory,
            Ok(None) => {
                let help = if data.hasattr("to_numpy")? {
                    "; pass its `to_numpy()`"
                } else if data.is_instance_of::<PyList>() || data.is_instance_of::<PyTuple>() {
                    "; make an array of it, such as with `np.array`"
                } else {
                    ""
                };
                return Err(refused(&format!(
                    "a `{}` takes an array (NumPy, a buffer, DLPack or Arrow), and this is `{given}`{help}",
                    resource.kind.view().name
                )));
            }
            Err(what) => return Err(refused(&format!("wavelane cannot use {what}"))),
        };
        let is_writable = resource.kind.writable();
        let shape = match &resource.kind {
            ResourceKind::Texture { dim, element, .. } => {
                let shape = texture::shape(*dim, element, texels.as_ref(), memory.shape());
                Some(shape.map_err(|why| refused(&why))?)
            }
            kind if texels.is_some() => {
                let what =
                    format!("a `{}` takes an array, and this is a texture", kind.view().name);
                return Err(refused(&what));
            }
            _ => None,
        };
        let layout = match &shape {
            Some(shape) => Layout::of_texel(shape.format),
            None => Layout::of(&resource.kind, None),
        };
        if !matches!(resource.kind, ResourceKind::Raw { .. }) {
            crate::dtype::check(memory.element(), &layout).map_err(|why| match &shape {
                Some(shape) => refused(&format!(
                    "{why}; `wavelane.Texture(array, format=\"{}\")` names another format",
                    shape.format
                )),
                None => refused(&why),
            })?;
        }
        if is_writable && memory.is_read_only() {
            return Err(refused(
                "the shader may write to it, and the array is read-only; pass a writable array",
            ));
        }
        let scalar = match resource.kind {
            ResourceKind::Raw { .. } => 4,
            _ => layout.scalars.iter().map(|(_, it)| it.bytes()).max().unwrap_or(1),
        };
        if !memory.is_aligned(scalar) {
            return Err(refused(&format!(
                "the array does not begin at a multiple of {scalar} bytes; use `np.ascontiguousarray` on a copy"
            )));
        }
        match shape {
            Some(shape) => {
                let texture = memory.texture(shape, is_writable);
                let texture = texture.map_err(|why| refused(&why.to_string()))?;
                self.table.bind_at(&resource.name, element, texture).map_err(argument)?;
            }
            None => {
                let buffer: Buffer = memory.buffer(is_writable);
                self.table.bind_at(&resource.name, element, buffer).map_err(argument)?;
            }
        }
        self.held.push(Held { name, memory, is_written: is_written || is_writable });
        Ok(())
    }

    /// Sets a constant.
    fn constant(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut numbers = Vec::new();
        let refused = |why: &str| argument(format!("`{name}`: {why}"));
        collect(value, DEEPEST, &mut numbers)?.map_err(|why| refused(&why))?;
        let mut error = match self.table.set(name, &numbers[..]) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        // Python has one number 0: where the shader declares floats, whole numbers that are exact are floats.
        if let ConstantProblem::Value { number: Number::Integer(_), scalar } = error.problem
            && scalar.is_float()
        {
            match self.table.set(name, &numbers.iter().map(as_float).collect::<Vec<_>>()[..]) {
                Ok(()) => return Ok(()),
                // One that is not exact.
                Err(other) if is_whole(&other.problem) => error = other,
                Err(_) => {}
            }
        }
        // What is neither may be a misspelt resource as well.
        if let ConstantProblem::NoSuchConstant { similar: None } = error.problem
            && let Err(error) = self.table.bind(name, Buffer::from_bytes(Vec::new()))
        {
            return Err(argument(error));
        }
        Err(argument(error))
    }

    fn check_overlaps(&self) -> PyResult<()> {
        for (i, one) in self.held.iter().enumerate() {
            for other in &self.held[..i] {
                if (one.is_written || other.is_written) && one.memory.overlaps(&other.memory) {
                    return Err(argument(format!(
                        "`{}` and `{}` overlap in memory, and the shader may write to one of them; pass a copy",
                        other.name, one.name
                    )));
                }
            }
        }
        Ok(())
    }
}

/// The name of an argument in messages.
fn shown(resource: &Resource, element: u32) -> String {
    match resource.count {
        Some(1) => resource.name.clone(),
        _ => format!("{}[{element}]", resource.name),
    }
}

fn is_whole(problem: &ConstantProblem) -> bool {
    matches!(problem, ConstantProblem::Value { number: Number::Integer(_), .. })
}

/// A whole number as a float, if that changes nothing.
fn as_float(number: &Number) -> Number {
    match *number {
        Number::Integer(whole) if (whole as f64) as i128 == whole => Number::Float(whole as f64),
        other => other,
    }
}

/// The numbers of a value, depth first.
fn collect(
    value: &Bound<'_, PyAny>,
    depth: usize,
    all: &mut Vec<Number>,
) -> PyResult<Result<(), String>> {
    if let Ok(value) = value.cast::<PyBool>() {
        all.push(Number::Bool(value.is_true()));
    } else if value.is_instance_of::<PyInt>() {
        let exact = value
            .extract::<i64>()
            .map(i128::from)
            .or_else(|_| value.extract::<u64>().map(i128::from));
        match exact {
            Ok(number) => all.push(Number::Integer(number)),
            Err(_) => return Ok(Err(format!("{value} has more than 64 bits"))),
        }
    } else if value.is_instance_of::<PyFloat>() {
        all.push(Number::Float(value.extract()?));
    } else if depth > 0 && (value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()) {
        for each in value.try_iter()? {
            if let Err(why) = collect(&each?, depth - 1, all)? {
                return Ok(Err(why));
            }
        }
    } else if depth > 0 && value.hasattr("tolist")? {
        // NumPy's scalars and small arrays.
        return collect(&value.call_method0("tolist")?, depth - 1, all);
    } else if value.is_instance_of::<PyDict>() {
        return Ok(Err(
            "members of constant buffers are arguments by their own names, not in a `dict`"
                .to_owned(),
        ));
    } else {
        return Ok(Err(format!(
            "a constant is a number or a list of numbers, and this is `{}`",
            value.get_type().name()?
        )));
    }
    Ok(Ok(()))
}
