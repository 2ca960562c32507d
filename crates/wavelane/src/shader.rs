//! Compilation: from a text to a shader or diagnostics.

use std::fmt;
use std::sync::Arc;

use diag::{Diagnostic, FileId, Sink, SourceMap, Style};
use hlsl::{Compiled, Includer, OpaqueResource, Options, Unreached};
use ir::facts::Space;
use ir::print::{MessageKind, PrintLog, Printed};
use ir::{Module, Resource, WaveSize};

use crate::Bug;
use crate::guard::catch;

/// A compiled entry point.
#[derive(Clone, Debug)]
pub struct Shader {
    pub(crate) module: Arc<Module>,
    /// The patch-constant function of a hull shader.
    pub(crate) patch: Option<Arc<Module>>,
    /// The name of its source text in diagnostics.
    pub(crate) name: Arc<str>,
    /// The values of its specialization constants, by their numbers: another compiler's module gets the same.
    pub(crate) specialization: Arc<[(u32, u64)]>,
    /// What the text declares and the entry point does not reach.
    pub(crate) unreached: Arc<Unreached>,
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// Absent exactly when a diagnostic is an error or says that something is not supported, or the compilation was
    /// cancelled.
    pub shader: Option<Shader>,
    /// In the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics' places refer to.
    pub sources: SourceMap,
    /// How far the compilation had got when [`Options::cancel`] ended it.
    pub stopped: Option<diag::Span>,
}

impl Compilation {
    /// Every diagnostic with its source lines, as a compiler prints them; empty if there are none.
    ///
    /// ```
    /// use wavelane::diagnostic::Style;
    /// use wavelane::{NoIncludes, Options, Shader};
    ///
    /// let text = "RWStructuredBuffer<uint> Out;
    ///     [numthreads(8, 1, 1)] void main(uint i : SV_GroupIndex) { Out[i] = 4294967296; }";
    /// let compiled = Shader::compile("wide.hlsl", text, &Options::default(), &mut NoIncludes)?;
    /// let warnings = compiled.render(Style::Plain);
    /// assert!(warnings.starts_with("wide.hlsl:2:"));
    /// let shader = compiled.shader()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn render(&self, style: Style) -> String {
        diag::render_all(&self.diagnostics, &self.sources, style)
    }

    /// The shader, or why there is none: for hosts that do not need the warnings.
    pub fn shader(self) -> Result<Shader, CompileError> {
        match self.shader {
            Some(shader) => Ok(shader),
            None => Err(CompileError { diagnostics: self.diagnostics, sources: self.sources }),
        }
    }
}

/// An invalid shader. Its `Display` is the output of a compiler: every diagnostic with its source location.
#[derive(Debug)]
pub struct CompileError {
    /// In the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics' places refer to.
    pub sources: SourceMap,
}

impl CompileError {
    /// What [`Compilation::render`] gives.
    pub fn render(&self, style: Style) -> String {
        diag::render_all(&self.diagnostics, &self.sources, style)
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Style::Plain))
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
    /// Compiles a text; `name` is its name in diagnostics, and as the including file for `includer`.
    ///
    /// The user's mistakes are in the result; the error is a bug in wavelane.
    pub fn compile(
        name: &str,
        text: &str,
        options: &Options,
        includer: &mut dyn Includer,
    ) -> Result<Compilation, Bug> {
        translate(name, text, options, includer, hlsl::compile)
    }

    /// Like [`Shader::compile`], but only checks the text: an entry point of a stage that does not run gives neither a
    /// shader nor a diagnostic. In a library without the entry point, every `[shader]` is checked.
    pub fn check(
        name: &str,
        text: &str,
        options: &Options,
        includer: &mut dyn Includer,
    ) -> Result<Compilation, Bug> {
        translate(name, text, options, includer, hlsl::validate)
    }

    /// The name of its source text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the entry point.
    pub fn entry(&self) -> &str {
        &self.module.name
    }

    /// How many control points a hull shader reads; 0 for other shaders, and for one that reads none.
    pub fn control_points(&self) -> u32 {
        match self.module.io.as_ref().map(|it| &it.traits) {
            Some(ir::stage::StageTraits::Hull(traits)) => traits.read,
            _ => 0,
        }
    }

    /// The `[numthreads]` of the entry point.
    pub fn group_size(&self) -> [u32; 3] {
        self.module.group_size
    }

    /// The `[WaveSize]` of the entry point; values that are not given are zero.
    pub fn wave_size(&self) -> WaveSize {
        self.module.wave_size
    }

    /// The resources that the entry point reaches, also those of which no code is left. Tables are made for these.
    pub fn resources(&self) -> &[Resource] {
        self.module.bindable()
    }

    /// The resources that the text declares and the entry point does not reach. Nothing can be bound to them; a host
    /// that shares bindings between several entry points of a text uses this to distinguish them from wrong names.
    pub fn unreached(&self) -> &[Resource] {
        &self.unreached.resources
    }

    /// The other resources that the text declares: of kinds that no entry point can use yet, such as texture buffers.
    pub fn opaque(&self) -> &[OpaqueResource] {
        &self.unreached.opaque
    }

    /// The resource of that name, with its index among [`Shader::resources`].
    pub fn resource(&self, name: &str) -> Option<(usize, &Resource)> {
        self.resources().iter().enumerate().find(|(_, it)| it.name == name)
    }

    /// How the code uses a resource: whether it loads from it, and whether it stores to it. An atomic does both.
    pub fn uses(&self, resource: usize) -> (bool, bool) {
        let touched = self.module.insts.iter().filter_map(|it| it.op.effects().memory());
        let named = touched.filter_map(|(space, access)| match space {
            Space::Resource(place) | Space::Counter(place) => {
                (place.binding.index() == resource).then_some(access)
            }
            Space::Shared(_) | Space::Private(_) | Space::Queries => None,
        });
        named.fold((false, false), |all, it| (all.0 | it.reads(), all.1 | it.writes()))
    }

    /// The source ranges that the code of the entry point comes from.
    pub fn spans(&self) -> impl Iterator<Item = diag::Span> {
        self.module.insts.iter().map(|it| it.span).filter(|it| !it.is_none())
    }

    /// Whether the shader can print anything, or assert.
    pub fn prints(&self) -> bool {
        !self.module.messages.is_empty()
    }

    /// Whether the shader asserts anything.
    pub fn asserts(&self) -> bool {
        self.module.messages.iter().any(|it| it.kind == MessageKind::Failure)
    }

    /// What a dispatch of this shader has printed: text of what [`Dispatch::prints`](crate::Dispatch::prints) holds.
    pub fn printed(&self, log: &PrintLog) -> Printed {
        log.read(&self.module.messages)
    }

    /// Whether the results of a vertex or pixel shader can depend on which vertices or pixels share a wave: it has wave
    /// operations, and not only those of quads.
    pub fn sees_packing(&self) -> bool {
        self.module.sees_packing()
    }

    /// The intermediate representation as text; not part of the stable interface.
    pub fn ir(&self) -> Result<String, Bug> {
        catch(|| ir::text::print(&self.module))
    }

    /// The shader legalised for a target that lacks some of its operations; not part of the stable interface. `None` if
    /// no target has that name: [`Shader::targets`] lists them.
    pub fn made_for(&self, target: &str) -> Result<Option<Shader>, Bug> {
        let Some(target) = legalize::Target::named(target) else { return Ok(None) };
        catch(|| {
            let module = Arc::new(legalize::legalize(&self.module, &target));
            let patch = self.patch.as_ref();
            let patch = patch.map(|it| Arc::new(legalize::legalize(it, &target)));
            Some(Shader { module, patch, ..self.clone() })
        })
    }

    /// The shader with its ray queries written out as a search in the shader, for devices without them. Its scenes are
    /// raw buffers, which take the bytes of [`crate::rays::TopLevel::packed`].
    pub fn without_ray_queries(&self) -> Shader {
        let written = |it: &Arc<Module>| match legalize::without_ray_queries(it) {
            std::borrow::Cow::Borrowed(_) => it.clone(),
            std::borrow::Cow::Owned(module) => Arc::new(module),
        };
        let patch = self.patch.as_ref().map(written);
        Shader { module: written(&self.module), patch, ..self.clone() }
    }

    /// The names of the targets of [`Shader::made_for`].
    pub fn targets() -> &'static [&'static str] {
        &legalize::Target::NAMES
    }
}

/// Several entry points of one text, which is parsed and checked once.
///
/// A file of unit tests has hundreds of them; compiled one by one, each would take as long as the whole file.
pub struct Entries {
    name: Arc<str>,
    entries: hlsl::Entries,
    sources: SourceMap,
    specialization: Arc<[(u32, u64)]>,
}

impl Entries {
    /// Parses and checks a text for the compute shaders with the entry points `entries`; the arguments are those of
    /// [`Shader::compile`], but the entry point of the options is ignored. `None` if they must be compiled one by one.
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

    /// Whether it was parsed for this entry point.
    pub fn has(&self, entry: &str) -> bool {
        self.entries.has(entry)
    }

    /// The result of [`Shader::compile`] for one of the entry points: a shader, or diagnostics that say why there is
    /// none.
    pub fn compile(&self, entry: &str) -> Result<(Option<Shader>, Vec<Diagnostic>), Bug> {
        catch(|| {
            let (compiled, sink) = self.entries.compile(entry, &self.sources);
            let (name, specialization) = (self.name.clone(), self.specialization.clone());
            let shader = compiled.map(|it| Shader {
                module: Arc::new(it.module),
                patch: it.patch.map(Arc::new),
                name,
                specialization,
                unreached: Arc::new(it.unreached),
            });
            (shader, sink.into_sorted())
        })
    }

    /// The texts that the diagnostics' places refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
}

/// The values of specialization constants in the options; without `-spirv` the source has none.
fn specialization(options: &Options) -> Arc<[(u32, u64)]> {
    options.specialization.iter().filter(|_| options.vulkan).copied().collect()
}

/// Runs the front end, from a text to a module.
type Step = fn(FileId, &mut SourceMap, &mut dyn Includer, &Options, &mut Sink) -> Option<Compiled>;

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
        let compiled = main.and_then(|main| step(main, &mut sources, includer, options, &mut sink));
        let failed = sink.has_errors();
        let compiled = compiled.filter(|_| !failed);
        let stopped = sink.stopped();
        let shader = compiled.map(|it| Shader {
            module: Arc::new(it.module),
            patch: it.patch.map(Arc::new),
            name: name.into(),
            specialization: specialization(options),
            unreached: Arc::new(it.unreached),
        });
        Compilation { shader, diagnostics: sink.into_sorted(), sources, stopped }
    })
}
