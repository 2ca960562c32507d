//! Validates SPIR-V modules: the environments, and the results of `spirv-val`.
//!
//! An environment is a version of Vulkan and one of the four ways to emit for a device ([`Ways`]). `cargo xtask
//! fuzz --spirv` uses all combinations for each program; a test uses each version, and alternates the ways.
//! A validator that does not know an extension gets the modules without it, and [`Validator::shortcomings`] says
//! so.

use std::io::Write;
use std::process::{Command, Stdio};

use ir::Module;
use spirv::{Bound, Environment, Extension, Floats, Locations, NoDebug, Numbering, Vulkan};

/// A working validator.
pub struct Validator {
    path: String,
    known: Vec<Extension>,
    versions: Vec<Vulkan>,
}

/// The differences between environments of one version: the extensions that change the code, and whether it has the
/// bits of the reference engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    pub extended: bool,
    pub exact: bool,
}

impl Ways {
    pub const ALL: [Ways; 4] = [
        Ways { extended: false, exact: false },
        Ways { extended: true, exact: false },
        Ways { extended: false, exact: true },
        Ways { extended: true, exact: true },
    ];
}

/// Features for which a validator may be too old.
pub const POSITION_FETCH: &str = "positions of triangles, which the validator does not know";

/// A shader, with the patch-constant function of a hull shader.
#[derive(Clone)]
pub struct Shader {
    pub module: Module,
    pub patch: Option<Module>,
}

impl From<Module> for Shader {
    fn from(module: Module) -> Shader {
        Shader { module, patch: None }
    }
}

impl Shader {
    pub fn emit(&self, environment: &Environment) -> Result<spirv::Emitted, spirv::CannotEmit> {
        match &self.patch {
            Some(patch) => spirv::emit_hull(&self.module, patch, environment, &NoDebug),
            None => spirv::emit(&self.module, environment, &NoDebug),
        }
    }
}

/// The result for a module in an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Valid,
    /// By the reason, which is the same for all modules that lack the same feature.
    NotEmitted(&'static str),
    Invalid(String),
}

impl Validator {
    /// The validator that `SPIRV_VAL` names, else the one on the path.
    pub fn find() -> Option<Validator> {
        let path = std::env::var("SPIRV_VAL").unwrap_or_else(|_| "spirv-val".to_owned());
        let runs = Command::new(&path).arg("--version").stdout(Stdio::null()).status();
        if !runs.is_ok_and(|it| it.success()) {
            return None;
        }
        let mut validator = Validator { path, known: Vec::new(), versions: Vec::new() };
        let passes = |module: &Module, vulkan, extensions| {
            let environment = Environment { vulkan, extensions, ..Environment::default() };
            spirv::emit(module, &environment, &NoDebug)
                .is_ok_and(|it| validator.validate(&it.bytes(), vulkan).is_ok())
        };
        let knows = |it: &Extension| passes(&probe(*it), Vulkan::V1_3, vec![*it]);
        let known: Vec<Extension> = Extension::ALL.into_iter().filter(knows).collect();
        let plain = probe(Extension::MaximalReconvergence);
        let is_known = |it: &Vulkan| passes(&plain, *it, Vec::new());
        let versions: Vec<Vulkan> = Vulkan::ALL.into_iter().filter(is_known).collect();
        (validator.known, validator.versions) = (known, versions);
        Some(validator)
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// The supported versions of Vulkan.
    pub fn versions(&self) -> &[Vulkan] {
        &self.versions
    }

    /// The features that modules omit because of it.
    pub fn shortcomings(&self) -> Vec<&'static str> {
        let extensions = Extension::ALL.into_iter().filter(|it| !self.known.contains(it));
        let versions = Vulkan::ALL.into_iter().filter(|it| !self.versions.contains(it));
        extensions.map(Extension::name).chain(versions.map(Vulkan::name)).collect()
    }

    /// The environment, without what the validator does not know.
    pub fn environment(&self, vulkan: Vulkan, ways: Ways) -> Environment {
        let own = environment(vulkan, ways);
        let extensions = own.extensions.iter().copied().filter(|it| self.known.contains(it));
        Environment { extensions: extensions.collect(), ..own }
    }

    /// Emits and validates a module. With the bits of the reference engine, formats of all kinds count as bound.
    pub fn judge(&self, shader: &Shader, vulkan: Vulkan, ways: Ways) -> Verdict {
        let bound = bound(&shader.module);
        let environment = Environment { bound, ..self.environment(vulkan, ways) };
        match shader.emit(&environment) {
            Err(unsupported) => Verdict::NotEmitted(unsupported.what),
            Ok(made) => match self.validate(&made.bytes(), vulkan) {
                Ok(()) => Verdict::Valid,
                // Validators from before 2023 do not know the capability.
                Err(what) if what.contains("Invalid capability operand: 5391") => {
                    Verdict::NotEmitted(POSITION_FETCH)
                }
                Err(what) => Verdict::Invalid(what),
            },
        }
    }

    /// The validator's error for a module, if any.
    pub fn validate(&self, bytes: &[u8], vulkan: Vulkan) -> Result<(), String> {
        let mut process = Command::new(&self.path)
            .args(["--target-env", vulkan.name(), "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        if let Some(mut input) = process.stdin.take() {
            // A validator stops reading at its first error.
            drop(input.write_all(bytes));
        }
        let output = process.wait_with_output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Err(text(&output.stdout) + &text(&output.stderr))
    }
}

pub fn environment(vulkan: Vulkan, ways: Ways) -> Environment {
    let Ways { extended, exact } = ways;
    let extensions = match extended {
        true => Extension::ALL.to_vec(),
        false => vec![Extension::MaximalReconvergence],
    };
    Environment {
        vulkan,
        extensions,
        exact,
        short_words: exact,
        robust: exact,
        lanes: exact.then_some(32),
        full_waves: exact,
        relative_reads: exact,
        matches_by_bits: exact,
        zero_groupshared: exact,
        bound: Vec::new(),
        numbering: Numbering::Counted,
        first_set: 0,
        locations: Locations::Counted,
        layers: None,
        dual_source: false,
        of_primitives: Vec::new(),
        point_size: exact,
        entry_name: None,
        floats: Floats::ALL,
    }
}

/// The smallest module that requires an extension, if permitted.
fn probe(extension: Extension) -> Module {
    let body = match extension {
        Extension::MaximalReconvergence => "Out[i] = WaveActiveSum(i);",
        Extension::SubgroupPartitioned => "Out[i] = WaveMatch(i).x;",
        Extension::ComputeDerivatives => "Out[i] = Tex.CalculateLevelOfDetail(S, float2(i, i));",
        Extension::QuadControl => return pixel("ddx(p.x)", "float4 p : SV_Position"),
        Extension::Barycentric => return pixel("b", "float3 b : SV_Barycentrics"),
        Extension::PixelInterlock => {
            let text = "RasterizerOrderedByteAddressBuffer Out; void main() { Out.Store(0, 1); }";
            return compiled_probe(text, hlsl::Stage::Pixel);
        }
    };
    let text = format!(
        "Texture2D<float> Tex; SamplerState S; RWStructuredBuffer<float> Out;
        [numthreads(32, 1, 1)] void main(uint i : SV_GroupIndex) {{ {body} }}"
    );
    compiled_probe(&text, hlsl::Stage::Compute)
}

/// A pixel shader that writes a value of an input.
fn pixel(value: &str, input: &str) -> Module {
    let text = format!("float4 main({input}) : SV_Target {{ return ({value}).x; }}");
    compiled_probe(&text, hlsl::Stage::Pixel)
}

fn compiled_probe(text: &str, stage: hlsl::Stage) -> Module {
    let options =
        hlsl::Options { shader_model: hlsl::ShaderModel::V6_6, stage, ..hlsl::Options::default() };
    let compiled = crate::run::compile_text("probe.hlsl", text, &options);
    compiled
        .module
        .unwrap_or_else(|| unreachable!("the probe compiles: {:?}", compiled.diagnostics))
}

/// Formats that a host may bind, so that every conversion is emitted somewhere.
fn bound(module: &Module) -> Vec<Bound> {
    let formats = ["RGBA8_UNORM", "RG16_SNORM", "RGBA8_SRGB", "RGB10A2_UINT", "R16_SINT"];
    let suits = |resource: &ir::Resource, name: &str| {
        resource.kind.view().element.is_some_and(|element| {
            let is_float = matches!(element.scalar, ir::HostScalar::F16 | ir::HostScalar::F32);
            is_float != name.ends_with("INT")
        })
    };
    let one = |(index, resource): (usize, &ir::Resource)| {
        let mut names = formats.iter().cycle().skip(index).take(formats.len());
        let name = names.find(|it| suits(resource, it));
        let format = name.and_then(|it| ops::texture::Format::parse(it));
        Bound { format, single: true, whole_levels: index % 2 == 0, ..Bound::default() }
    };
    module.resources.iter().enumerate().map(one).collect()
}

/// Every shader in the suite that runs, by its name: of a draw, those of all stages.
pub fn sections(width: u32) -> Result<Vec<(String, Shader)>, String> {
    let mut all = Vec::new();
    for file in crate::files(&crate::folder()) {
        for section in crate::read_all(&file)? {
            let width = if section.widths.contains(&width) { width } else { section.widths[0] };
            if let Some(draw) = &section.draw {
                let names = draw.names();
                for (entry, stage) in [
                    ("vs", hlsl::Stage::Vertex),
                    ("hs", hlsl::Stage::Hull),
                    ("ds", hlsl::Stage::Domain),
                    ("gs", hlsl::Stage::Geometry),
                    ("amp", hlsl::Stage::Amplification),
                    ("ms", hlsl::Stage::Mesh),
                    ("ps", hlsl::Stage::Pixel),
                ] {
                    if !names.contains(&entry) {
                        continue;
                    }
                    let mut options = crate::run::options(&section.flags)?;
                    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
                    (options.stage, options.entry) = (stage, entry.to_owned());
                    let source = section.source();
                    let compiled = crate::run::compile_text(&section.file, &source, &options);
                    let module = compiled.module.ok_or_else(|| section.name.clone())?;
                    let shader = Shader { module, patch: compiled.patch };
                    all.push((format!("{} of {}", entry, section.name), shader));
                }
                continue;
            }
            let compiled = crate::run::compile(&section, width)?;
            let is_compute = crate::run::options(&section.flags)
                .is_ok_and(|it| it.stage == hlsl::Stage::Compute);
            if let (Some(module), true) = (compiled.module, is_compute) {
                all.push((section.name, module.into()));
            }
        }
    }
    Ok(all)
}
