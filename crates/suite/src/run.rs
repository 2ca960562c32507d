//! Runs a section: compiles it, checks its diagnostics and its module, executes it, reads what it says of itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use diag::{Diagnostic, Sink, SourceMap};
use hlsl::options::{MatrixOrder, PROFILES};
use hlsl::{Dialect, Includer, Options, Stage, Version};
use interp::{NoObserver, Observer};
use ir::exec::{Bindings, Buffer, Failure, LaneOrder, Launch, Schedule, Work};
use ir::{Module, ResourceKind};

use crate::section::{Annotation, Input, Section};

/// The name of the buffer in which a section logs its checks; see `suite/prelude.hlsli`.
pub const LOG: &str = "suite_log";

const LOG_BYTES: usize = 4 * (4 + 8 * 64);

/// Enough for every section; an endless loop ends soon.
const FUEL: u64 = 1 << 28;

/// A compiled section.
pub struct Compiled {
    pub module: Option<Module>,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
}

/// Runs a section at all its widths. `Err` says what went wrong, in words for a person.
pub fn run(section: &Section) -> Result<(), String> {
    let mut failures = String::new();
    let widths: &[u32] = if section.annotations.iter().any(is_error) {
        &section.widths[..1]
    } else {
        &section.widths
    };
    for width in widths {
        if let Err(what) = run_at(section, *width) {
            failures.push_str(&format!(
                "{}:{} at width {width}: {what}\n",
                section.file.display(),
                section.line
            ));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn is_error(annotation: &Annotation) -> bool {
    annotation.level == "error" || annotation.level == "unsupported"
}

fn run_at(section: &Section, width: u32) -> Result<(), String> {
    let compiled = compile(section, width)?;
    compare_diagnostics(section, &compiled, width)?;
    if section.annotations.iter().any(is_error) {
        return match compiled.module {
            Some(_) => Err("it compiled, though errors are expected".to_owned()),
            None => Ok(()),
        };
    }
    let Some(module) = compiled.module else {
        // A shader of a stage that does not run is checked, and that was all.
        let runs = options(&section.flags)?.stage == Stage::Compute;
        return if runs { Err("no module came out".to_owned()) } else { Ok(()) };
    };
    check_module(&module)?;
    let bindings = execute(section, &module, width, &mut NoObserver)?;
    judge(section, &module, &bindings, width)
}

/// The rendered diagnostics of a section, as a `//|` block has them: as if the section were a file of its own, `FILE`,
/// whose first line is the marker. So they stay the same when the sections before it change.
pub fn rendered(section: &Section, width: u32) -> Result<String, String> {
    let text = section.text.get(section.line as usize - 1..).unwrap_or("").to_owned();
    let compiled = compile(&Section { text, ..section.clone() }, width)?;
    let shown: Vec<Diagnostic> =
        compiled.diagnostics.into_iter().filter(|it| !is_allowed(section, it)).collect();
    let text = diag::render_all(&shown, &compiled.sources, diag::Style::Plain);
    Ok(text.replace(&*section.file.to_string_lossy(), "FILE"))
}

/// Whether a flag of the section says that this is no matter.
fn is_allowed(section: &Section, it: &Diagnostic) -> bool {
    section.flags.iter().any(|flag| flag.strip_prefix("-Wno-") == Some(it.code.name))
}

/// Compiles a section with `WIDTH` defined.
pub fn compile(section: &Section, width: u32) -> Result<Compiled, String> {
    let mut options = options(&section.flags)?;
    options.defines.push(("WIDTH".to_owned(), Some(width.to_string())));
    let checks_itself =
        section.annotations.iter().all(|it| !is_error(it)) && section.text.contains("EXPECT");
    // The first line of a section's text is an empty one that this takes the place of.
    let text = match checks_itself {
        true => section.text.replacen('\n', "#include \"prelude.hlsli\"\n", 1),
        false => section.text.clone(),
    };
    Ok(compile_text(&section.file.to_string_lossy(), &text, &options))
}

/// Compiles a text of its own.
pub fn compile_text(name: &str, text: &str, options: &Options) -> Compiled {
    let mut sources = SourceMap::new();
    let mut sink = Sink::new();
    let Some(main) = sources.add(name, text) else {
        return Compiled { module: None, diagnostics: Vec::new(), sources };
    };
    let module = hlsl::validate(main, &mut sources, &mut SuiteFiles, options, &mut sink);
    Compiled { module, diagnostics: sink.into_sorted(), sources }
}

/// The options that flags of the command line stand for.
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
            // Arithmetic is strict in any case.
            "-Gis" => {}
            "-E" => options.entry = value()?.to_owned(),
            "-D" => {
                let define = value()?;
                let (name, text) = define.split_once('=').unwrap_or((define, "1"));
                options.defines.push((name.to_owned(), Some(text.to_owned())));
            }
            "-T" => {
                let profile = value()?;
                let mut words = profile.split('_');
                let stage = words.next().unwrap_or_default();
                let stage = PROFILES.iter().find(|it| it.0 == stage);
                options.stage = stage.ok_or_else(|| format!("unknown profile `{profile}`"))?.1;
                let mut parts = words.map(|it| it.parse::<u32>());
                let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
                    return Err(format!("unknown profile `{profile}`"));
                };
                options.shader_model = (major, minor);
            }
            "--dialect" => match value()? {
                "slang" => options.dialect = Dialect::Slang,
                other => return Err(format!("unknown dialect `{other}`")),
            },
            // Not an option of the compiler: see `compare_diagnostics`.
            _ if flag.starts_with("-Wno-") => {}
            _ => return Err(format!("unknown flag `{flag}`")),
        }
    }
    Ok(options)
}

/// Includes are looked up in the suite's folder.
struct SuiteFiles;

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

/// Every annotation must be met, and nothing else may be reported but what `-Wno-CODE` allows.
fn compare_diagnostics(section: &Section, compiled: &Compiled, width: u32) -> Result<(), String> {
    let mut problems = String::new();
    let mut met = vec![false; section.annotations.len()];
    for diagnostic in compiled.diagnostics.iter().filter(|it| !is_allowed(section, it)) {
        let line = compiled.sources.location(diagnostic.primary.span).map_or(0, |at| at.line);
        let wanted = section.annotations.iter().zip(&met).position(|(it, met)| {
            !met && it.line == line
                && it.level == diagnostic.level.word()
                && it.code == diagnostic.code.name
                && diagnostic.message.contains(&it.text)
        });
        match wanted {
            Some(index) => met[index] = true,
            None => {
                problems.push_str("not expected:\n");
                problems.push_str(&diag::render(diagnostic, &compiled.sources, diag::Style::Plain));
            }
        }
    }
    for (annotation, _) in section.annotations.iter().zip(&met).filter(|(_, met)| !**met) {
        let Annotation { line, level, code, text } = annotation;
        problems.push_str(&format!(
            "expected on line {line}, but not reported: {level}[{code}]: {text}\n"
        ));
    }
    if let Some(wanted) = &section.rendered {
        let got = rendered(section, width)?;
        if got.trim_end() != wanted.trim_end() {
            problems.push_str(&format!("the rendered message is\n{got}\nbut should be\n{wanted}\n(`cargo xtask bless` takes what it is)\n"));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// What must hold for every module: the verifier is content, and the text form reads back to the same module.
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
    let mut bindings = inputs(section, module)?;
    match interp::run(module, &launch(section, module, width), &mut bindings, observer) {
        Ok(()) => Ok(bindings),
        Err(Failure::Unsupported(what)) => Err(format!("unsupported: {what:?}")),
        Err(Failure::Trap(trap)) => Err(format!("trap: {trap:?}")),
    }
}

/// What a section's buffers hold at the start.
pub fn inputs(section: &Section, module: &Module) -> Result<Bindings, String> {
    let mut bindings = Bindings::default();
    for resource in &module.resources {
        let own = |name: &str| {
            let index = name.strip_prefix(&resource.name)?.strip_prefix('[')?.strip_suffix(']')?;
            index.parse::<u32>().ok()
        };
        // An unbounded array, or a descriptor heap, reaches as far as something is said of its elements.
        let inputs = section.inputs.iter().map(|it| &it.name);
        let named = inputs.chain(section.samplers.iter().map(|(name, _)| name));
        let most = named.filter_map(|it| own(it)).max().map_or(1, |it| it.saturating_add(1));
        let count = resource.count.unwrap_or(most).clamp(1, 64);
        let bytes_of = |index: u32| {
            let input = input_of(section, &resource.name, index);
            match input {
                Some(input) => Ok(input.bytes.clone()),
                None if matches!(resource.kind, ResourceKind::Sampler { .. }) => Ok(Vec::new()),
                None if resource.name == LOG => Ok(vec![0; LOG_BYTES]),
                None if !resource.used || resource.register.class.is_heap() => Ok(Vec::new()),
                None => {
                    Err(format!("no `//# in {} TYPE: VALUES` for that resource", resource.name))
                }
            }
        };
        let element = |index| {
            let own = format!("{}[{index}]", resource.name);
            let sampler = |name: &str| section.samplers.iter().find(|(it, _)| it == name);
            let sampler = sampler(&own).or_else(|| sampler(&resource.name));
            let texture = input_of(section, &resource.name, index).and_then(|it| it.texture);
            let sampler = sampler.map(|(_, state)| *state);
            Ok(Buffer { bytes: bytes_of(index)?, texture, sampler, ..Buffer::default() })
        };
        bindings.bindings.push((0..count).map(element).collect::<Result<_, String>>()?);
    }
    Ok(bindings)
}

/// How a section is run.
pub fn launch(section: &Section, module: &Module, width: u32) -> Launch {
    Launch {
        work: Work::Dispatch { groups: section.groups },
        wave_width: width,
        lane_order: default_order(module),
        schedule: Schedule::Ascending,
        fuel: Some(FUEL),
        cancel: None,
        progress: None,
    }
}

/// The input for one element of a resource: `NAME` is for all that have no `NAME[INDEX]`.
fn input_of<'a>(section: &'a Section, name: &str, index: u32) -> Option<&'a Input> {
    let own = format!("{name}[{index}]");
    let find = |name: &str| section.inputs.iter().find(|it| it.name == name);
    find(&own).or_else(|| find(name))
}

/// Squares of threads where quads are used in two dimensions, from shader model 6.6 on.
pub fn default_order(module: &Module) -> LaneOrder {
    let [x, y, _] = module.group_size;
    let squares = x % 2 == 0 && y % 2 == 0;
    let modern = module.shader_model >= ops::intrinsics::ShaderModel::V6_6;
    if module.needs.quads && squares && modern { LaneOrder::Quad2d } else { LaneOrder::Linear }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

/// Whether the log and the outputs are as they should be.
fn judge(
    section: &Section,
    module: &Module,
    bindings: &Bindings,
    width: u32,
) -> Result<(), String> {
    let find = |name: &str| {
        let (name, element) = match name.strip_suffix(']').and_then(|it| it.split_once('[')) {
            Some((name, element)) => (name, element.parse().ok()?),
            None => (name, 0usize),
        };
        let index = module.resources.iter().position(|it| it.name == name)?;
        bindings.bindings[index].get(element).map(|it| &it.bytes)
    };
    let mut problems = String::new();
    if let Some(log) = find(LOG) {
        let log = words(log);
        if log[1] == 0 {
            problems.push_str("nothing was checked\n");
        }
        if log[0] > 0 {
            problems.push_str(&format!("{} of {} checks failed\n", log[0], log[1]));
            problems.push_str("  line  lane  got                  expected\n");
            for entry in log[4..].chunks_exact(8).take(log[0].min(64) as usize) {
                let [line, lane, got, got_high, expected, expected_high, ..] = *entry else {
                    continue;
                };
                let (got, expected) = (
                    format!("{got_high:#x}:{got:#x}"),
                    format!("{expected_high:#x}:{expected:#x}"),
                );
                problems.push_str(&format!("  {line:>4}  {lane:>4}  {got:<19}  {expected}\n"));
            }
        }
    } else if section.outputs.is_empty()
        && !section.text.contains("//? ")
        && section.finds.is_empty()
    {
        problems.push_str("the section checks nothing\n");
    }
    for wanted in section.outputs.iter().filter(|it| it.width.is_none_or(|at| at == width)) {
        let Some(got) = find(&wanted.name) else {
            problems
                .push_str(&format!("line {}: there is no buffer `{}`\n", wanted.line, wanted.name));
            continue;
        };
        let got = &got[..wanted.bytes.len().min(got.len())];
        if got != wanted.bytes {
            let (wanted_values, got_values) =
                (wanted.bytes.chunks(wanted.size), got.chunks(wanted.size));
            let differ: Vec<String> = wanted_values
                .zip(got_values)
                .enumerate()
                .filter(|(_, (a, b))| a != b)
                .take(16)
                .map(|(i, (a, b))| format!("  [{i}] got {} expected {}", hex(b), hex(a)))
                .collect();
            let (line, name) = (wanted.line, &wanted.name);
            problems.push_str(&format!("line {line}: `{name}` differs:\n{}\n", differ.join("\n")));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn hex(little_endian: &[u8]) -> String {
    let digits: String = little_endian.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}
