//! A module that another compiler generated from the same shader. PTX is left to the engine `cuda`
//! (`engines/cuda/foreign.rs`); of SPIR-V, the variables are matched with the resources here.
//!
//! A variable is matched with a resource by name, if the compiler has kept it: as in the source, or with the usual
//! affixes (`Out_0`, `type.Params`, `counter.var.Out`). Variables without names are matched by number: set and binding
//! are space and register, or the registers of each class are shifted by a constant. If a variable's layout in memory
//! differs from the resource's, or an image has a different type, the module cannot get the same bytes, which is an
//! error. Specialization constants get the shader's values.
//!
//! Deliberately absent: validation beyond what is read. A driver does not validate a module, so an invalid one can
//! crash the process; the caller vouches for it (`vouched.rs`).

mod parse;
#[allow(unsafe_code, reason = "a driver trusts the modules that it runs")]
pub(crate) mod vouched;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use ir::{HostScalar, Module, Resource, ResourceKind};
use spirv::{BindingKind, Emitted, Push, Reflection, opcode};

use crate::Layout;
use crate::Shader;
use crate::engines::cuda::foreign::ForeignKernel;
use crate::pipeline::PipelineError;
use parse::{Count, Image, Kind, Parsed, ScalarKind, Variable};

/// A module of another compiler, in SPIR-V or PTX. Copies are the same module.
#[derive(Clone)]
pub struct Foreign {
    of: Of,
}

#[derive(Clone)]
enum Of {
    Spirv(Arc<Parsed>),
    Ptx(Arc<str>),
}

/// Why a module cannot be used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ForeignError {
    /// It is not a module of SPIR-V or PTX.
    Malformed(String),
    /// It was not generated from this shader, or has a different memory layout.
    Mismatch(String),
    /// It uses something that is not supported here or by the device.
    Unsupported(String),
    /// The shader itself cannot run on the device.
    Pipeline(PipelineError),
}

impl fmt::Display for ForeignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForeignError::Malformed(what) => {
                write!(f, "it is not a module of SPIR-V or PTX: {what}")
            }
            ForeignError::Mismatch(what) | ForeignError::Unsupported(what) => f.write_str(what),
            ForeignError::Pipeline(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ForeignError {}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign").field("is_ptx", &self.is_ptx()).finish_non_exhaustive()
    }
}

impl Foreign {
    /// Reads a module: the text of PTX, or words of SPIR-V.
    pub fn parse(bytes: &[u8]) -> Result<Foreign, ForeignError> {
        // PTX begins with its version, after comments.
        let text = std::str::from_utf8(bytes).ok().filter(|it| {
            let code = it.lines().map(str::trim).find(|it| !it.is_empty() && !it.starts_with("//"));
            code.is_some_and(|it| it.starts_with(".version"))
        });
        if let Some(text) = text {
            return Ok(Foreign { of: Of::Ptx(text.into()) });
        }
        let parsed = parse::parse(bytes).map_err(ForeignError::Malformed)?;
        Ok(Foreign { of: Of::Spirv(Arc::new(parsed)) })
    }

    /// Whether it is PTX, which the engine `cuda` runs; SPIR-V is run by `vulkan`.
    pub fn is_ptx(&self) -> bool {
        matches!(self.of, Of::Ptx(_))
    }

    /// The compiler, if the module says so and it is one that compiles HLSL or CUDA.
    pub fn compiler(&self) -> Option<&'static str> {
        match &self.of {
            Of::Spirv(parsed) => match parsed.generator {
                8 => Some("glslang"),
                13 => Some("shaderc"),
                14 => Some("dxc"),
                40 => Some("slang"),
                43 => Some("clang"),
                _ => None,
            },
            Of::Ptx(text) if text.contains("SLANG_globalParams") => Some("slang"),
            Of::Ptx(text) if text.contains("NVIDIA NVVM") => Some("nvcc"),
            Of::Ptx(_) => None,
        }
    }

    /// Whether its operations between lanes have the active sets of the source: it requests maximal reconvergence, or
    /// has no such operations.
    pub fn reconverges(&self, shader: &Shader) -> bool {
        match &self.of {
            Of::Spirv(parsed) => {
                let sees = parsed.capabilities.iter().any(|it| sees_lanes(*it));
                !sees || entry(parsed, &shader.module).is_ok_and(|it| it.reconverges)
            }
            Of::Ptx(_) => self.kernel(shader).is_ok_and(|it| it.is_some_and(|it| !it.sees_lanes())),
        }
    }

    /// Checks whether the module can replace the shader, by its bindings and memory layout.
    pub fn check(&self, shader: &Shader) -> Result<(), ForeignError> {
        match self.kernel(shader)? {
            Some(_) => Ok(()),
            None => self.emitted(shader).map(|_| ()),
        }
    }

    /// The kernel, if it is PTX.
    pub(crate) fn kernel(&self, shader: &Shader) -> Result<Option<ForeignKernel>, ForeignError> {
        let Of::Ptx(text) = &self.of else { return Ok(None) };
        let kernel = ForeignKernel::parse(text, &shader.module.name);
        let kernel = kernel.map_err(ForeignError::Malformed)?;
        kernel.check(&shader.module).map_err(ForeignError::Mismatch)?;
        Ok(Some(kernel))
    }

    /// The module with its reflection, in terms of the shader's resources.
    pub(crate) fn emitted(&self, shader: &Shader) -> Result<Emitted, ForeignError> {
        let Of::Spirv(parsed) = &self.of else {
            return Err(ForeignError::Unsupported("only the engine `cuda` runs PTX".to_owned()));
        };
        let specialized =
            parsed.specialized(&shader.specialization).map_err(ForeignError::Malformed)?;
        emitted(specialized, &shader.module)
    }
}

/// Whether a capability is for operations between lanes, which alone can observe active sets.
fn sees_lanes(capability: u32) -> bool {
    opcode::name_of(opcode::CAPABILITIES, capability)
        .is_some_and(|it| it.starts_with("GroupNonUniform") || it.starts_with("Subgroup"))
}

fn mismatch<T>(what: String) -> Result<T, ForeignError> {
    Err(ForeignError::Mismatch(what))
}

fn unsupported<T>(what: String) -> Result<T, ForeignError> {
    Err(ForeignError::Unsupported(what))
}

fn emitted(parsed: Parsed, module: &Module) -> Result<Emitted, ForeignError> {
    let entry = entry(&parsed, module)?;
    if entry.is_size_unknown {
        return unsupported(
            "the size of its groups is computed from specialization constants".to_owned(),
        );
    }
    if let Some(size) = entry.group_size.filter(|it| *it != module.group_size) {
        return mismatch(format!(
            "its groups have {} threads, and the shader's {}",
            sized(size),
            sized(module.group_size)
        ));
    }
    let mut reflection = Reflection {
        entry: entry.name.clone(),
        group_size: module.group_size,
        capabilities: capabilities(&parsed)?,
        ..Reflection::default()
    };
    let variables = &parsed.variables;
    for variable in variables {
        let name = named(variable);
        match variable.kind {
            Kind::Combined => {
                return unsupported(format!("{name}: a texture and its sampler in one descriptor"));
            }
            Kind::Other => {
                return unsupported(format!("{name}: an unsupported kind of resource"));
            }
            Kind::Uniform
            | Kind::Storage
            | Kind::Texels
            | Kind::Texture
            | Kind::Sampler
            | Kind::Push => {}
        }
        if variable.count == Count::Unknown {
            return unsupported(format!("{name}: an array whose length is computed"));
        }
    }
    for (variable, matched) in variables.iter().zip(matches(variables, module)?) {
        let resource = &module.resources[matched.resource];
        let index = ir::Binding(matched.resource as u32);
        one_view_of_a_heap(module, index)?;
        compare(&parsed, variable, resource, &matched)?;
        if variable.kind == Kind::Push {
            let ResourceKind::Constant { size, .. } = resource.kind else {
                return mismatch(format!("{} is not a constant buffer", named(variable)));
            };
            let bytes = size.div_ceil(16).max(1) * 16;
            reflection.push = Some(Push { name: resource.name.clone(), bytes, resource: index });
            continue;
        }
        let (Some(set), Some(number)) = (variable.set, variable.binding) else {
            return mismatch(format!("{} has no set or no binding", named(variable)));
        };
        if set >= MOST_SETS || number >= MOST_BINDINGS {
            return unsupported(format!("{} is at binding {number} of set {set}", named(variable)));
        }
        let binding = spirv::Binding {
            name: resource.name.clone(),
            kind: binding_kind(variable, &matched),
            set,
            binding: number,
            count: match variable.count {
                Count::One => Some(1),
                Count::Array(count) => Some(count),
                Count::Any | Count::Unknown => None,
            },
            writable: resource.kind.writable(),
            format: variable.image.map_or(Ok(None), |it| format_of(variable, it))?,
            register: resource.register,
            resource: index,
        };
        let mut placed = reflection.bindings.iter();
        match placed.find(|it| (it.set, it.binding) == (set, number)) {
            None => reflection.bindings.push(binding),
            // One descriptor, viewed as several types.
            Some(other)
                if (other.resource, other.kind, other.format)
                    == (binding.resource, binding.kind, binding.format) => {}
            Some(other) => {
                return mismatch(format!(
                    "`{}` and `{}` share binding {number} of set {set}; to separate them, compile with -fvk-t-shift and similar flags of dxc",
                    other.name, binding.name
                ));
            }
        }
    }
    Ok(Emitted { words: parsed.words, reflection })
}

/// The names of what the module declares.
fn capabilities(parsed: &Parsed) -> Result<Vec<&'static str>, ForeignError> {
    let named = |number: &u32| match opcode::name_of(opcode::CAPABILITIES, *number) {
        Some(name) => Ok(name),
        None => unsupported(format!("it requires SPIR-V's capability {number}")),
    };
    parsed.capabilities.iter().map(named).collect()
}

/// Refuses a heap with several views: its variables share one binding, which would need mutable descriptors.
fn one_view_of_a_heap(module: &Module, resource: ir::Binding) -> Result<(), ForeignError> {
    let storage = module.storage(resource);
    let used = (0..module.resources.len() as u32).map(ir::Binding);
    let views = used.filter(|it| module.resource(*it).used && module.storage(*it) == storage);
    if views.count() <= 1 {
        return Ok(());
    }
    let name = &module.resource(storage).name;
    unsupported(format!("`{name}` with several types"))
}

fn binding_kind(variable: &Variable, matched: &Match) -> BindingKind {
    match (variable.kind, variable.is_read_only) {
        _ if matched.is_counter => BindingKind::Counter,
        (Kind::Uniform, _) => BindingKind::UniformBuffer,
        (Kind::Storage, _) => BindingKind::StorageBuffer,
        (Kind::Texels, true) => BindingKind::UniformTexelBuffer,
        (Kind::Texels, false) => BindingKind::StorageTexelBuffer,
        (Kind::Texture, true) => BindingKind::SampledImage,
        (Kind::Texture, false) => BindingKind::StorageImage,
        (Kind::Sampler, _) => BindingKind::Sampler,
        (Kind::Push | Kind::Combined | Kind::Other, _) => {
            unreachable!("push constants have no binding, and the others have been refused")
        }
    }
}

/// The format that views must have: the one that the module declares, or 64-bit integers if it declares such texels.
fn format_of(variable: &Variable, image: Image) -> Result<Option<&'static str>, ForeignError> {
    match (image.format, image.scalar.bytes, image.scalar.kind) {
        (0, 8, ScalarKind::Signed) => Ok(Some("R64i")),
        (0, 8, ScalarKind::Unsigned) => Ok(Some("R64ui")),
        (0, ..) => Ok(None),
        (number, ..) => match opcode::name_of(opcode::IMAGE_FORMATS, number) {
            Some(name) => Ok(Some(name)),
            None => unsupported(format!("{} has SPIR-V's image format {number}", named(variable))),
        },
    }
}

fn entry<'a>(parsed: &'a Parsed, module: &Module) -> Result<&'a parse::Entry, ForeignError> {
    let entries = &parsed.entries;
    let by_name = entries.iter().find(|it| it.name == module.name);
    by_name.or(entries.first().filter(|_| entries.len() == 1)).ok_or_else(|| {
        let names: Vec<String> = entries.iter().map(|it| format!("`{}`", it.name)).collect();
        ForeignError::Mismatch(match names.as_slice() {
            [] => "it has no entry point of a compute shader".to_owned(),
            names => format!("it has no entry point `{}`, only {}", module.name, names.join(", ")),
        })
    })
}

/// Whether a variable is of the resource's kind.
fn suits(variable: &Variable, resource: &Resource) -> bool {
    let is_image =
        |dim, writable| variable.image.is_some_and(|it| it.dim == dim && it.is_written == writable);
    match (&resource.kind, variable.kind) {
        (ResourceKind::Constant { .. }, Kind::Uniform | Kind::Push)
        | (ResourceKind::Structured { .. } | ResourceKind::Raw { .. }, Kind::Storage)
        | (ResourceKind::Sampler { .. }, Kind::Sampler) => true,
        (ResourceKind::Typed { writable, .. }, Kind::Texels) => is_image(None, *writable),
        (ResourceKind::Texture { dim, writable, .. }, Kind::Texture) => {
            is_image(Some(*dim), *writable)
        }
        (
            ResourceKind::Constant { .. }
            | ResourceKind::Structured { .. }
            | ResourceKind::Raw { .. }
            | ResourceKind::Typed { .. }
            | ResourceKind::Texture { .. }
            | ResourceKind::Sampler { .. }
            | ResourceKind::Scene
            | ResourceKind::Feedback { .. },
            _,
        ) => false,
    }
}

/// Whether an image has the number type that the source declares.
fn gives(image: Image, element: &ir::Element) -> bool {
    use ScalarKind::*;
    let whole = |kind| image.scalar.bytes == 4 && image.scalar.kind == kind;
    let wide = |kind| image.scalar.bytes == 8 && image.scalar.kind == kind;
    match element.scalar {
        HostScalar::F16 => whole(Float),
        // Atomic operations treat floats as words.
        HostScalar::F32 => whole(Float) || whole(Unsigned) && image.format == opcode::FORMAT_R32UI,
        HostScalar::I16 | HostScalar::I32 => whole(Signed),
        HostScalar::Bool | HostScalar::U16 | HostScalar::U32 => whole(Unsigned),
        // Two words, or one integer.
        HostScalar::I64 => whole(Unsigned) || wide(Signed),
        HostScalar::U64 => whole(Unsigned) || wide(Unsigned),
        HostScalar::F64 => whole(Unsigned),
    }
}

/// Compares kind, length and layout.
fn compare(
    parsed: &Parsed,
    variable: &Variable,
    resource: &Resource,
    matched: &Match,
) -> Result<(), ForeignError> {
    let name = &resource.name;
    if !suits(variable, resource) {
        return mismatch(format!(
            "{} differs in kind from `{name}` in the source",
            named(variable)
        ));
    }
    let is_array = resource.count != Some(1);
    let is_longer = match (variable.count, resource.count) {
        (Count::Array(its), Some(ours)) => its > ours,
        (Count::One | Count::Array(_) | Count::Any | Count::Unknown, _) => false,
    };
    if is_array != (variable.count != Count::One) || is_longer {
        return mismatch(format!("{} is an array of a different length", named(variable)));
    }
    if let (
        Some(image),
        ResourceKind::Typed { element, .. } | ResourceKind::Texture { element, .. },
    ) = (variable.image, &resource.kind)
    {
        return match gives(image, element) {
            true => Ok(()),
            false => {
                mismatch(format!("{} has another element type than `{name}`", named(variable)))
            }
        };
    }
    if matched.is_counter || matches!(resource.kind, ResourceKind::Raw { .. }) {
        return Ok(());
    }
    let parse::Layout::Scalars { stride, mut scalars } = parsed.layout(variable) else {
        return Ok(());
    };
    let ours = Layout::of(&resource.kind, None);
    const REMEDY: &str = "dxc lays memory out as the language does with -fvk-use-dx-layout";
    if let Some(stride) = stride.filter(|it| *it as usize != ours.stride) {
        return mismatch(format!(
            "the elements of `{name}` have a stride of {stride} bytes there, and {} in the source; {REMEDY}",
            ours.stride
        ));
    }
    scalars.sort_unstable();
    let all: BTreeSet<usize> = ours.scalars.iter().map(|(offset, _)| *offset).collect();
    // Unused members may have been removed, but every member must match one of the source.
    let elsewhere = scalars.iter().find(|(offset, _)| !all.contains(&(*offset as usize)));
    match elsewhere {
        Some((offset, _)) => mismatch(format!(
            "`{name}` has a member at byte {offset} there, where the source has none; {REMEDY}"
        )),
        None => Ok(()),
    }
}

/// A limit above the sets and bindings of any device.
const MOST_SETS: u32 = 64;
const MOST_BINDINGS: u32 = 1 << 20;

/// The resource that a variable matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Match {
    /// The index among the module's resources.
    resource: usize,
    /// Whether it is the hidden counter of that resource.
    is_counter: bool,
}

/// Matches all variables, or names one that cannot be matched.
fn matches(variables: &[Variable], module: &Module) -> Result<Vec<Match>, ForeignError> {
    let mut found: Vec<Option<Match>> =
        variables.iter().map(|it| by_name(it, &module.resources)).collect();
    let classes =
        [Kind::Uniform, Kind::Storage, Kind::Texels, Kind::Texture, Kind::Sampler, Kind::Push];
    for class in classes {
        for is_read_only in [true, false] {
            by_number(variables, module, class, is_read_only, &mut found);
        }
    }
    let missing = variables.iter().zip(&found).find(|(_, it)| it.is_none());
    if let Some((variable, _)) = missing {
        return Err(ForeignError::Mismatch(format!(
            "{} matches no resource of the source, by name or by number",
            named(variable)
        )));
    }
    Ok(found.into_iter().flatten().collect())
}

fn by_name(variable: &Variable, resources: &[Resource]) -> Option<Match> {
    let name = variable.name.as_str();
    let plain = name.strip_prefix("type.").unwrap_or(name);
    let plain = plain.strip_prefix("ConstantBuffer.").unwrap_or(plain);
    // Slang assigns numbers to variables with names.
    let unnumbered = plain
        .rsplit_once('_')
        .filter(|(_, number)| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()));
    let counter = plain
        .strip_prefix("counter.var.")
        .or(plain.strip_suffix(".counter"))
        .or(plain.strip_suffix("@count"));
    let of = |name: &str| resources.iter().position(|it| it.used && it.name == name);
    let plainly = |name: &str| of(name).map(|resource| Match { resource, is_counter: false });
    let has_counter = |index: &usize| {
        matches!(resources[*index].kind, ResourceKind::Structured { counter: true, .. })
    };
    let counted = counter.and_then(of).filter(has_counter);
    counted
        .map(|resource| Match { resource, is_counter: true })
        .or_else(|| plainly(plain))
        .or_else(|| unnumbered.and_then(|(name, _)| plainly(name)))
}

/// Matches variables without names: in each kind and set, their bindings must be the remaining registers, shifted by a
/// constant.
fn by_number(
    variables: &[Variable],
    module: &Module,
    kind: Kind,
    is_read_only: bool,
    found: &mut [Option<Match>],
) {
    let taken: BTreeSet<usize> = found.iter().flatten().map(|it| it.resource).collect();
    let is_of_kind = |it: &Resource| match (&it.kind, kind) {
        (ResourceKind::Constant { .. }, Kind::Push) => !it.register.class.has_registers(),
        (ResourceKind::Constant { .. }, Kind::Uniform) => it.register.class.has_registers(),
        (ResourceKind::Structured { .. } | ResourceKind::Raw { .. }, Kind::Storage)
        | (ResourceKind::Typed { .. }, Kind::Texels)
        | (ResourceKind::Texture { .. }, Kind::Texture)
        | (ResourceKind::Sampler { .. }, Kind::Sampler) => it.kind.writable() != is_read_only,
        _ => false,
    };
    let resources = module.resources.iter().enumerate();
    let left: Vec<(usize, &Resource)> = resources
        .filter(|(index, it)| it.used && !taken.contains(index) && is_of_kind(it))
        .collect();
    let open: Vec<usize> = (0..variables.len())
        .filter(|index| {
            let it = &variables[*index];
            // Constant blocks and samplers are never written, whatever their decorations.
            let is_written = match kind {
                Kind::Storage | Kind::Texels | Kind::Texture => !it.is_read_only,
                Kind::Uniform | Kind::Sampler | Kind::Push | Kind::Combined | Kind::Other => false,
            };
            found[*index].is_none() && it.kind == kind && is_written != is_read_only
        })
        .collect();
    let pairs = match (left.as_slice(), open.as_slice()) {
        // There is only one possibility.
        ([(resource, _)], [variable]) => vec![(*variable, *resource)],
        _ => {
            let shift = |variable: usize, resource: &Resource| {
                let it = &variables[variable];
                let binding = it.binding?.checked_sub(resource.register.index)?;
                (it.set == Some(resource.register.space)).then_some(binding)
            };
            let shifts: BTreeSet<u32> = open
                .iter()
                .flat_map(|it| left.iter().filter_map(|(_, resource)| shift(*it, resource)))
                .collect();
            // All of them, each to a different resource; a shift of zero is tried first.
            let fitting = shifts.into_iter().find_map(|wanted| {
                open.iter()
                    .map(|it| {
                        let fits = |(_, resource): &&(usize, &Resource)| {
                            shift(*it, resource) == Some(wanted)
                        };
                        left.iter().find(fits).map(|(resource, _)| (*it, *resource))
                    })
                    .collect::<Option<Vec<(usize, usize)>>>()
            });
            fitting.unwrap_or_default()
        }
    };
    for (variable, resource) in pairs {
        found[variable] = Some(Match { resource, is_counter: false });
    }
}

/// A variable in a message.
fn named(variable: &Variable) -> String {
    match (variable.name.as_str(), variable.set, variable.binding) {
        ("", Some(set), Some(binding)) => format!("its binding {binding} of set {set}"),
        ("", ..) => "a variable without name or number".to_owned(),
        (name, ..) => format!("its variable `{name}`"),
    }
}

fn sized([x, y, z]: [u32; 3]) -> String {
    format!("{x}×{y}×{z}")
}

#[cfg(test)]
mod tests;
