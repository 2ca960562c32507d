//! Runs a section: compiles it, checks its diagnostics and its module, executes it, and reads its results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diag::{Diagnostic, Sink, SourceMap};
use hlsl::options::{MatrixOrder, PROFILES};
use hlsl::{Denormals, Dialect, Includer, Options, PushLayout, ShaderModel, Stage, Version};
use interp::{NoObserver, Observer};
use ir::exec::{Bindings, Buffer, Failure, LaneOrder, Launch};
use ir::print::PrintLog;
use ir::{Module, ResourceKind};
use jobs::{DrawnSection, NotDrawn};
use wavelane::{Adapter, CpuOptions, Device, Engine};

use crate::engines;
use crate::section::{LOG, LOG_BYTES, Section};

/// Enough for every section; ends an endless loop soon.
const FUEL: u64 = 1 << 28;
/// More than any section prints.
pub(crate) const MOST_LINES: usize = 1 << 14;

/// A compiled section.
pub struct Compiled {
    pub module: Option<Module>,
    /// The patch-constant function of a hull shader.
    pub patch: Option<Module>,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
}

/// Runs a section at all its widths. `Err` says what went wrong, in words.
pub fn run(section: &Section) -> Result<(), String> {
    let mut failures = String::new();
    let widths = if section.fails() { &section.widths[..1] } else { &section.widths };
    for width in widths {
        if let Err(what) = run_at(section, *width) {
            failures
                .push_str(&format!("{}:{} at width {width}: {what}\n", section.file, section.line));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn run_at(section: &Section, width: u32) -> Result<(), String> {
    if section.draw.is_some() {
        return draw_at(section, width);
    }
    let compiled = compile(section, width)?;
    let shown = || rendered(section, width);
    section.compare_diagnostics(&compiled.diagnostics, &compiled.sources, shown)?;
    if section.fails() {
        return match compiled.module {
            Some(_) => Err("it compiled, but errors are expected".to_owned()),
            None => Ok(()),
        };
    }
    // Shaders of other stages than compute run in draws, if they run at all: these have been checked.
    let runs = options(&section.flags)?.stage == Stage::Compute;
    let Some(module) = compiled.module else {
        return if runs { Err("no module was produced".to_owned()) } else { Ok(()) };
    };
    check_module(&module)?;
    if !runs {
        return Ok(());
    }
    let log = Arc::new(PrintLog::new(MOST_LINES));
    let launch = Launch { prints: Some(log.clone()), ..launch(section, &module, width) };
    let bindings = match execute_with(section, &module, &launch, &mut NoObserver) {
        // Checked by the test of the sanitizer.
        Err(what) if what.contains("Deadlock") && section.may_wait_for_ever() => {
            return Ok(());
        }
        other => other?,
    };
    section.judge_printed(width, &log.read(&module.messages))?;
    section.judge(width, |name, element| {
        let index = module.resources.iter().position(|it| it.name == name)?;
        let index = module.storage(ir::Binding(index as u32)).index();
        bindings.bindings[index].get(element).map(|it| it.bytes.as_slice())
    })
}

/// A section that draws, ready to be observed at these widths.
pub fn watched(section: &Section, widths: Vec<u32>) -> Result<jobs::DrawnRun, String> {
    let (drawn, device) = drawn(section, widths.first().copied().unwrap_or(4))?;
    drawn.watched(section, &device, widths).map_err(what_is_wrong)
}

fn what_is_wrong(problem: NotDrawn) -> String {
    match problem {
        NotDrawn::Wrong(what) | NotDrawn::Unsupported(what) => what,
    }
}

/// The shaders of a section that draws, and a device of the reference engine.
fn drawn(section: &Section, width: u32) -> Result<(DrawnSection, Device), String> {
    let mut options = options(&section.flags)?;
    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
    let drawn = DrawnSection::compile(section, &options, &mut SuiteFiles).map_err(what_is_wrong)?;
    let device = Device::with_engine(Adapter::reference(), Engine::Interp)
        .map_err(|error| error.to_string())?;
    Ok((drawn, device))
}

/// Draws a section on the reference engine, and on the fast one with each instruction set of the host, which must leave
/// the same.
fn draw_at(section: &Section, width: u32) -> Result<(), String> {
    let (drawn, device) = drawn(section, width)?;
    let draw = |device: Device| {
        drawn.run(section, &device, width, Some(FUEL), None).map_err(what_is_wrong)
    };
    let left = draw(device)?;
    left.judge(section, width)?;
    for isa in engines::sets() {
        let name = isa.name();
        for shader in drawn.shaders() {
            wavelane::internal::compiles(shader, isa, width)
                .map_err(|what| format!("`cpu` for {name} does not run {what}"))?;
        }
        let options = CpuOptions { isa: Some(isa), ..CpuOptions::default() };
        let device = Device::with_cpu(Adapter::reference(), options);
        let again = draw(device.map_err(|error| error.to_string())?)?;
        again.judge(section, width).map_err(|what| format!("`cpu` for {name}: {what}"))?;
        if !again.agrees(&left) {
            return Err(format!("`cpu` for {name} leaves other bits"));
        }
    }
    Ok(())
}

/// The rendered diagnostics of a section in the form of a `//|` block: as if the section were a file of its own,
/// `FILE`, whose first line is the marker, so that they do not depend on the sections before.
pub fn rendered(section: &Section, width: u32) -> Result<String, String> {
    let compiled = compile(&section.alone(), width)?;
    let shown: Vec<Diagnostic> =
        compiled.diagnostics.into_iter().filter(|it| !section.is_allowed(it)).collect();
    let text = diag::render_all(&shown, &compiled.sources, diag::Style::Plain);
    Ok(text.replace(&section.file, "FILE"))
}

/// Compiles a section with `WIDTH` defined.
pub fn compile(section: &Section, width: u32) -> Result<Compiled, String> {
    let mut options = options(&section.flags)?;
    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
    let mut compiled = compile_text(&section.file, &section.source(), &options);
    if let Some(module) = &mut compiled.module {
        for (name, of) in &section.aliases {
            module.alias(name, of).map_err(|error| error.to_string())?;
        }
    }
    Ok(compiled)
}

/// Compiles a text that is not a section.
pub fn compile_text(name: &str, text: &str, options: &Options) -> Compiled {
    let mut sources = SourceMap::new();
    let mut sink = Sink::new();
    let Some(main) = sources.add(name, text) else {
        return Compiled { module: None, patch: None, diagnostics: Vec::new(), sources };
    };
    let compiled = hlsl::validate(main, &mut sources, &mut SuiteFiles, options, &mut sink);
    let (module, patch) = compiled.map(|it| (it.module, it.patch)).unzip();
    let patch = patch.flatten();
    Compiled { module, patch, diagnostics: sink.into_sorted(), sources }
}

/// The module of a text that must compile.
///
/// # Panics
/// With its diagnostics, if it does not.
pub fn module(text: &str) -> Module {
    let options = options(&[]).unwrap_or_else(|what| panic!("{what}"));
    let compiled = compile_text("test.hlsl", text, &options);
    let all = diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain);
    compiled.module.unwrap_or_else(|| panic!("{all}\n{text}"))
}

/// The options for command-line flags.
pub fn options(flags: &[String]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut rest = flags.iter().map(String::as_str);
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("`{flag}` needs a value"));
        match flag {
            "-HV" => options.hlsl_version = Version::parse(value()?).ok_or("unknown version")?,
            "-enable-16bit-types" => options.enable_16bit = true,
            "-spirv" => (options.spirv, options.vulkan) = (true, true),
            "-Zpr" => options.matrix_order = MatrixOrder::RowMajor,
            "-Zpc" => options.matrix_order = MatrixOrder::ColumnMajor,
            "-denorm" => {
                options.denormals = match value()? {
                    "any" => Denormals::Any,
                    "preserve" => Denormals::Preserve,
                    "ftz" => Denormals::FlushToZero,
                    other => return Err(format!("unknown denormal mode `{other}`")),
                };
            }
            "-fvk-use-dx-layout" => options.push_layout = PushLayout::Scalar,
            "-fspv-use-legacy-buffer-matrix-order" => options.legacy_matrix_order = true,
            "--constant" => {
                let (id, bits) = value()?.split_once('=').ok_or("`--constant ID=VALUE`")?;
                let number =
                    |it: &str| it.parse::<u64>().map_err(|_| format!("`{it}` is not a number"));
                options.specialization.push((number(id)? as u32, number(bits)?));
            }
            // Arithmetic is always strict.
            "-Gis" => {}
            "-E" => options.entry = value()?.to_owned(),
            "-D" => {
                let define = value()?;
                let (name, text) = define.split_once('=').unwrap_or((define, "1"));
                options.defines.push((name.to_owned(), Some(text.to_owned())));
            }
            "-T" => {
                let profile = value()?;
                let unknown = || format!("unknown profile `{profile}`");
                let (stage, model) = profile.split_once('_').ok_or_else(unknown)?;
                let stage = PROFILES.iter().find(|it| it.0 == stage);
                options.stage = stage.ok_or_else(unknown)?.1;
                options.shader_model = ShaderModel::parse(model).ok_or_else(unknown)?;
            }
            "--dialect" => match value()? {
                "slang" => options.dialect = Dialect::Slang,
                other => return Err(format!("unknown dialect `{other}`")),
            },
            // Not an option of the compiler: see `Section::compare_diagnostics`.
            _ if flag.starts_with("-Wno-") => {}
            _ => return Err(format!("unknown flag `{flag}`")),
        }
    }
    Ok(options)
}

/// Includes are looked up in the suite's folder.
pub struct SuiteFiles;

impl Includer for SuiteFiles {
    fn read(&mut self, path: &str, includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        let beside = Path::new(includer).parent().map(|folder| folder.join(path));
        let candidates: [Option<PathBuf>; 2] = [beside, Some(crate::folder().join(path))];
        candidates.into_iter().flatten().find_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some((file.to_string_lossy().into_owned(), text.into()))
        })
    }
}

/// Checks that a generated text is one section, which compiles to a valid module whose inputs can be made.
#[cfg(test)]
pub(crate) fn check_generated(file: &str, text: &str) {
    let sections = crate::section::read(file, text).unwrap();
    let [section] = sections.as_slice() else { panic!("{} sections:\n{text}", sections.len()) };
    let compiled = compile(section, 8).unwrap();
    let shown = || diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain);
    let module = compiled.module.as_ref().unwrap_or_else(|| panic!("{}\n{text}", shown()));
    check_module(module).unwrap();
    inputs(section, module).unwrap_or_else(|problem| panic!("{problem}\n{text}"));
}

/// Invariants of every module: it verifies, and its text form round-trips.
pub fn check_module(module: &Module) -> Result<(), String> {
    let text = ir::text::print(module);
    if let Err(problems) = ir::verify::verify(module) {
        let problems: Vec<String> = problems.iter().map(|it| it.to_string()).collect();
        return Err(format!("the verifier objects: {}\n{text}", problems.join("; ")));
    }
    match ir::text::read(&text) {
        Ok(again) if again == *module => Ok(()),
        Ok(again) => Err(format!(
            "the text form reads back differently:\n{text}\n{}",
            ir::text::print(&again)
        )),
        Err(error) => Err(format!("the text form does not read back: {error:?}\n{text}")),
    }
}

/// Runs a section's module with its inputs.
pub fn execute<O: Observer>(
    section: &Section,
    module: &Module,
    width: u32,
    observer: &mut O,
) -> Result<Bindings, String> {
    execute_with(section, module, &launch(section, module, width), observer)
}

fn execute_with<O: Observer>(
    section: &Section,
    module: &Module,
    launch: &Launch,
    observer: &mut O,
) -> Result<Bindings, String> {
    let mut bindings = inputs(section, module)?;
    match interp::run(module, launch, &mut bindings, observer) {
        Ok(()) => Ok(bindings),
        Err(Failure::Unsupported(what)) => Err(format!("unsupported: {what:?}")),
        Err(Failure::TooLarge(what)) => Err(what.to_string()),
        Err(Failure::Trap(trap)) => Err(format!("trap: {trap:?}")),
    }
}

/// The initial contents of a section's buffers.
pub fn inputs(section: &Section, module: &Module) -> Result<Bindings, String> {
    let mut bindings = Bindings::default();
    for resource in &module.resources {
        let most = section.reach(&resource.name);
        let count = resource.count.unwrap_or(most).clamp(1, 64);
        let bytes_of = |index: u32| {
            let input = section.input(&resource.name, index);
            match input {
                Some(input) => Ok(input.bytes.clone()),
                None if matches!(resource.kind, ResourceKind::Sampler { .. }) => Ok(Vec::new()),
                None if section.scene(&resource.name, index).is_some() => Ok(Vec::new()),
                None if resource.name == LOG => Ok(vec![0; LOG_BYTES]),
                None if !resource.used
                    || resource.alias_of.is_some()
                    || resource.register.class.is_heap() =>
                {
                    Ok(Vec::new())
                }
                None => {
                    Err(format!("no `//# in {} TYPE: VALUES` for that resource", resource.name))
                }
            }
        };
        let element =
            |index| Ok::<Buffer, String>(section.slot(&resource.name, index, bytes_of(index)?));
        bindings.bindings.push((0..count).map(element).collect::<Result<_, String>>()?);
    }
    Ok(bindings)
}

/// How a section is run.
pub fn launch(section: &Section, module: &Module, width: u32) -> Launch {
    Launch {
        lane_order: LaneOrder::natural(module),
        fuel: Some(FUEL),
        ..Launch::dispatch(section.groups, width)
    }
}
