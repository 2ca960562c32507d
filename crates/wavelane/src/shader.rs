//! Compiling: text in, a shader or diagnostics out.

use std::fmt;
use std::sync::Arc;

use diag::{Diagnostic, FileId, Sink, SourceMap};
use hlsl::{Includer, Options};
use ir::facts::Space;
use ir::{Module, Resource, WaveSize};

use crate::Bug;
use crate::guard::catch;

/// A compiled entry point.
#[derive(Clone, Debug)]
pub struct Shader {
    pub(crate) module: Arc<Module>,
    /// What diagnostics call the text that it was compiled from.
    pub(crate) name: Arc<str>,
    /// What its specialization constants were set to, by their numbers: another compiler's module gets the same.
    pub(crate) specialization: Arc<[(u32, u64)]>,
}

/// What came out of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// Absent exactly when a diagnostic is an error or says that something is not built, or the compilation was cancelled.
    pub shader: Option<Shader>,
    /// In the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics' places refer to.
    pub sources: SourceMap,
    /// How far the compilation had come when [`Options::cancel`] ended it.
    pub stopped: Option<diag::Span>,
}

impl Compilation {
    /// The shader, or why there is none: for hosts that need no warnings.
    pub fn shader(self) -> Result<Shader, CompileError> {
        match self.shader {
            Some(shader) => Ok(shader),
            None => Err(CompileError { diagnostics: self.diagnostics, sources: self.sources }),
        }
    }
}

/// A text that is no right shader. Its `Display` is what a compiler prints: every diagnostic with its place in the text.
#[derive(Debug)]
pub struct CompileError {
    /// In the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics' places refer to.
    pub sources: SourceMap,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&diag::render_all(&self.diagnostics, &self.sources, diag::Style::Plain))
    }
}

impl std::error::Error for CompileError {}

/// Finds no file, for texts that include none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIncludes;

impl Includer for NoIncludes {
    fn read(&mut self, _path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

impl Shader {
    /// Compiles a text; `name` is what diagnostics call it, and what `includer` is told about who includes.
    ///
    /// The mistakes of the user are in the result; the error is ours alone.
    pub fn compile(
        name: &str,
        text: &str,
        options: &Options,
        includer: &mut dyn Includer,
    ) -> Result<Compilation, Bug> {
        translate(name, text, options, includer, hlsl::compile)
    }

    /// As [`Shader::compile`], but only to know whether the text is right: an entry point of a stage that does not run
    /// gives neither a shader nor a diagnostic. Of a library without the entry point, every `[shader]` is checked.
    pub fn check(
        name: &str,
        text: &str,
        options: &Options,
        includer: &mut dyn Includer,
    ) -> Result<Compilation, Bug> {
        translate(name, text, options, includer, hlsl::validate)
    }

    /// The name of the text that it was compiled from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the entry point.
    pub fn entry(&self) -> &str {
        &self.module.name
    }

    /// The `[numthreads]` of the entry point.
    pub fn group_size(&self) -> [u32; 3] {
        self.module.group_size
    }

    /// The `[WaveSize]` of the entry point; zeros stand for what is not given.
    pub fn wave_size(&self) -> WaveSize {
        self.module.wave_size
    }

    /// Every resource that the shader declares, also those it does not use.
    pub fn resources(&self) -> &[Resource] {
        &self.module.resources
    }

    /// The resource of that name, with its index among [`Shader::resources`].
    pub fn resource(&self, name: &str) -> Option<(usize, &Resource)> {
        self.resources().iter().enumerate().find(|(_, it)| it.name == name)
    }

    /// How the code uses a resource: whether it loads of it, and whether it stores to it. An atomic does both.
    pub fn uses(&self, resource: usize) -> (bool, bool) {
        let touched = self.module.insts.iter().filter_map(|it| it.op.effects().memory());
        let named = touched.filter_map(|(space, access)| match space {
            Space::Resource(place) | Space::Counter(place) => {
                (place.binding.index() == resource).then_some(access)
            }
            Space::Shared(_) | Space::Private(_) => None,
        });
        named.fold((false, false), |all, it| (all.0 | it.reads(), all.1 | it.writes()))
    }

    /// The places of the text that the code of the entry point comes from.
    pub fn spans(&self) -> impl Iterator<Item = diag::Span> {
        self.module.insts.iter().map(|it| it.span).filter(|it| !it.is_none())
    }

    /// The intermediate representation as text; not part of the stability promise.
    pub fn ir(&self) -> Result<String, Bug> {
        catch(|| ir::text::print(&self.module))
    }

    /// The same shader, rewritten for a target that lacks some of its operations, as that device is told it; not part of the
    /// stability promise. `None` where no target has that name: [`Shader::targets`] lists them.
    pub fn made_for(&self, target: &str) -> Result<Option<Shader>, Bug> {
        let Some(target) = legalize::Target::named(target) else { return Ok(None) };
        catch(|| {
            let module = Arc::new(legalize::legalize(&self.module, &target));
            Some(Shader { module, ..self.clone() })
        })
    }

    /// The names of the targets that [`Shader::made_for`] knows.
    pub fn targets() -> &'static [&'static str] {
        &legalize::Target::NAMES
    }
}

/// Several entry points of one text, which is read and checked once.
///
/// A file of unit tests has hundreds of them; compiled one by one, each would cost what the whole file costs.
pub struct Entries {
    name: Arc<str>,
    entries: hlsl::Entries,
    sources: SourceMap,
    specialization: Arc<[(u32, u64)]>,
}

impl Entries {
    /// Reads and checks a text for the compute shaders that start at `entries`; arguments as for [`Shader::compile`], but
    /// that the entry point of the options does not matter. `None` where they have to be compiled one by one.
    pub fn read(
        name: &str,
        text: &str,
        options: &Options,
        includer: &mut dyn Includer,
        entries: &[String],
    ) -> Result<Option<Entries>, Bug> {
        catch(|| {
            let mut sources = SourceMap::new();
            let main = sources.add(name, text)?;
            let entries = hlsl::Entries::read(main, &mut sources, includer, options, entries)?;
            Some(Entries {
                name: name.into(),
                entries,
                sources,
                specialization: specialization(options),
            })
        })
    }

    /// Whether it was read for this entry point.
    pub fn has(&self, entry: &str) -> bool {
        self.entries.has(entry)
    }

    /// What [`Shader::compile`] gives for one of the entry points: a shader, or diagnostics that say why there is none.
    pub fn compile(&self, entry: &str) -> Result<(Option<Shader>, Vec<Diagnostic>), Bug> {
        catch(|| {
            let (module, sink) = self.entries.compile(entry, &self.sources);
            let (name, specialization) = (self.name.clone(), self.specialization.clone());
            let shader = module.map(|it| Shader { module: Arc::new(it), name, specialization });
            (shader, sink.into_sorted())
        })
    }

    /// The texts that the diagnostics' places refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}

/// What the options set specialization constants to; without `-spirv` the source has none.
fn specialization(options: &Options) -> Arc<[(u32, u64)]> {
    options.specialization.iter().filter(|_| options.vulkan).copied().collect()
}

/// The front end's way from a text to a module.
type Step = fn(FileId, &mut SourceMap, &mut dyn Includer, &Options, &mut Sink) -> Option<Module>;

fn translate(
    name: &str,
    text: &str,
    options: &Options,
    includer: &mut dyn Includer,
    step: Step,
) -> Result<Compilation, Bug> {
    catch(|| {
        let mut sources = SourceMap::new();
        let mut sink = Sink::new();
        let main = sources.add(name, text);
        if main.is_none() {
            let what = format!("`{name}` is larger than a compilation can hold");
            sink.push(Diagnostic::new(&diag::code::TOO_LARGE, diag::Span::NONE, what));
        }
        let module = main.and_then(|main| step(main, &mut sources, includer, options, &mut sink));
        let failed = sink.has_errors();
        let module = module.filter(|_| !failed);
        let stopped = sink.stopped();
        let shader = module.map(|module| Shader {
            module: Arc::new(module),
            name: name.into(),
            specialization: specialization(options),
        });
        Compilation { shader, diagnostics: sink.into_sorted(), sources, stopped }
    })
}
