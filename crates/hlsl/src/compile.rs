//! The compilation pipeline, from source text to a module.

use diag::{Allows, Diagnostic, FileId, Level, Sink, SourceMap, code};

use crate::declared::functions;
use crate::lower::Unreached;
use crate::options::{Denormals, Options, Stage};
use crate::preprocess::Includer;
use crate::{ast, check, hir, lint, lower, parse, preprocess};

/// The most entry points of a library that are checked: each is a pass over the file.
const MOST_ENTRIES: usize = 256;

/// A compiled entry point.
#[derive(Debug)]
pub struct Compiled {
    pub module: ir::Module,
    /// The patch-constant function of a hull shader, as a module with the same resources.
    pub patch: Option<ir::Module>,
    /// The resources that the file declares and the entry point does not reach: a host may bind them all the same.
    pub unreached: Unreached,
}

/// Compiles the entry point named in the options. `None` after an error, which is in the sink.
///
/// A stage runs only if the previous ones found no errors, or none that hide declarations, which would cause follow-up
/// errors.
/// A compilation that is cancelled returns `None`: [`Sink::stopped`] says how far it came.
/// The module has passed through [`ir::simplify::prune`], and a cautious caller may pass it to [`ir::verify`].
pub fn compile(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<Compiled> {
    sink.cancelled_by(&options.cancel);
    let compiled = build(main, sources, includer, options, sink);
    apply_levels(compiled, sources, sink)
}

fn build(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<Compiled> {
    let file = read(main, sources, includer, options, sink)?;
    let program = check(&file, options, sink)?;
    // Free each stage's data before the next one allocates, so that its pages are reused.
    drop(file);
    translate_running(program, options, sink)
}

/// Lowers a checked program; reports a stage that does not run.
fn translate_running(
    program: hir::Program,
    options: &Options,
    sink: &mut Sink,
) -> Option<Compiled> {
    if !runs(program.entry.stage) {
        let word = check::entry::stage_word(program.entry.stage);
        let message = format!("{word} shaders are not supported yet");
        let report = Diagnostic::new(&code::UNSUPPORTED_FEATURE, program.entry.span, message);
        sink.push(report.help("use `wavelane check` to check the types of any stage"));
        return None;
    }
    if !program.entry.missing.is_empty() {
        program.entry.missing.into_iter().for_each(|it| sink.push(it));
        return None;
    }
    translate(program, options, sink)
}

/// Whether shaders of a stage run; others are only checked.
pub(crate) fn runs(stage: Stage) -> bool {
    stage != Stage::Library && stage.has_profile()
}

/// Several entry points of one file, which is parsed and checked once: the cost of each entry point is that of its own
/// code, however long the file is.
pub struct Entries {
    options: Options,
    /// The reports from parsing and checking the file.
    common: Sink,
    /// `None` if the file cannot be parsed.
    checked: Option<check::Checked>,
    allows: Allows,
    /// The errors in comments that allow warnings.
    wrong_allows: Vec<Diagnostic>,
}

impl Entries {
    /// Parses and checks a file for the compute shaders `entries`; the entry point in the options is ignored. `None` if
    /// they have to be compiled one by one.
    pub fn read(
        main: FileId,
        sources: &mut SourceMap,
        includer: &mut dyn Includer,
        options: &Options,
        entries: &[String],
    ) -> Option<Entries> {
        let mut common = Sink::new();
        let checked = match read(main, sources, includer, options, &mut common) {
            Some(file) => Some(check::checked(&file, options, entries, &mut common)?),
            None => None,
        };
        let (allows, wrong_allows) = Allows::read(sources);
        Some(Entries { options: options.clone(), common, checked, allows, wrong_allows })
    }

    /// Whether the file was checked for this entry point.
    pub fn has(&self, entry: &str) -> bool {
        self.checked.as_ref().is_none_or(|it| it.has(entry))
    }

    /// The module and the reports of one of the entry points, as from [`compile`].
    pub fn compile(&self, entry: &str, sources: &SourceMap) -> (Option<Compiled>, Sink) {
        let mut sink = self.common.clone();
        let program = self.checked.as_ref().and_then(|it| it.program(entry, &mut sink));
        let compiled = program.and_then(|it| translate_running(it, &self.options, &mut sink));
        let allows = (self.allows.clone(), self.wrong_allows.clone());
        let compiled = apply_levels_and_allows(compiled, allows, sources, &mut sink);
        (compiled, sink)
    }
}

/// Checks the entry point named in the options, of any stage, or in a library without it, every function with a
/// `[shader]`. Returns a module if there are no errors and the entry point's stage runs.
pub fn validate(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<Compiled> {
    sink.cancelled_by(&options.cancel);
    let Some(file) = read(main, sources, includer, options, sink) else {
        return apply_levels(None, sources, sink);
    };
    let mut entries = entries(&file, options);
    if entries.is_empty() {
        check::library(&file, options, sink);
        return apply_levels(None, sources, sink);
    }
    let last = entries.pop();
    for entry in entries {
        let options = Options { entry, ..options.clone() };
        if let Some(program) = check::part(&file, &options, sink) {
            translate_if_it_runs(program, &options, sink);
        }
    }
    let compiled = last.and_then(|entry| {
        let options = Options { entry, ..options.clone() };
        let program = check::part(&file, &options, sink);
        drop(file);
        translate_if_it_runs(program?, &options, sink)
    });
    apply_levels(compiled, sources, sink)
}

/// Applies the warning levels and allow comments of the source; `None` if a warning becomes an error.
fn apply_levels(
    compiled: Option<Compiled>,
    sources: &SourceMap,
    sink: &mut Sink,
) -> Option<Compiled> {
    apply_levels_and_allows(compiled, Allows::read(sources), sources, sink)
}

/// The same, given the comments that allow warnings and the errors in them.
fn apply_levels_and_allows(
    compiled: Option<Compiled>,
    (mut allows, wrong): (Allows, Vec<Diagnostic>),
    sources: &SourceMap,
    sink: &mut Sink,
) -> Option<Compiled> {
    sink.apply_levels(sources);
    wrong.into_iter().for_each(|it| sink.push(it));
    sink.apply_allows(&mut allows, sources);
    // After an error the warnings are incomplete. Findings that only runs make are judged after a run.
    if !sink.has_errors() {
        let unused = allows.unused(sources, |code| !code.in_runs, &[]);
        unused.into_iter().for_each(|it| sink.push(it));
    }
    compiled.filter(|_| !sink.has_errors())
}

/// The entry points to check: the named one, or all of a library, which may have none.
fn entries(file: &ast::File, options: &Options) -> Vec<String> {
    let named = vec![options.entry.clone()];
    if options.stage != Stage::Library {
        return named;
    }
    let is_entry = |attributes: &[ast::Attribute]| {
        check::entry::shader_word(attributes).is_some()
            || attributes.iter().any(|it| check::attr::is(it, "numthreads"))
    };
    let all: Vec<String> = functions(file)
        .filter(|(_, attributes, _)| is_entry(attributes))
        .map(|(name, ..)| name.name.to_string())
        .take(MOST_ENTRIES)
        .collect();
    if all.contains(&options.entry) { named } else { all }
}

/// Preprocesses and parses a file.
pub(crate) fn read(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<ast::File> {
    let tokens = preprocess(main, sources, includer, options, sink);
    if sink.has_errors() {
        return None;
    }
    let file = parse(&tokens, options, sink);
    // A statement with a syntax error hides only itself; a declaration may hide names that others need.
    if sink.has_errors() && file.is_torn {
        return None;
    }
    lint::syntax(&file, sources, sink);
    Some(file)
}

/// Lowers a checked program, if its stage runs. A shader of a draw that cannot run yet is still correct.
fn translate_if_it_runs(
    program: hir::Program,
    options: &Options,
    sink: &mut Sink,
) -> Option<Compiled> {
    let stage = program.entry.stage;
    if !runs(stage) || !program.entry.missing.is_empty() {
        return None;
    }
    let before = sink.as_slice().len();
    let compiled = translate(program, options, sink);
    if stage != Stage::Compute {
        let reports = sink.split_off(before);
        let mistakes = reports.into_iter().filter(|it| it.level != Level::Unsupported);
        mistakes.for_each(|it| sink.push(it));
    }
    compiled
}

/// Lowers a checked program.
fn translate(mut program: hir::Program, options: &Options, sink: &mut Sink) -> Option<Compiled> {
    if sink.has_errors() {
        return None;
    }
    lint::version(&program).into_iter().for_each(|it| sink.push(it));
    let module = lower(&program, options, sink)?;
    let patch = match program.entry.patch.take() {
        Some((function, signature)) => {
            (program.entry.function, program.entry.signature) = (function, Some(signature));
            Some(lower(&program, options, sink)?)
        }
        None => None,
    };
    let here = program.entry.span;
    let unreached = lower::unreached(&program);
    drop(program);
    // These pass over the module a few times each.
    if !sink.asks(here) {
        return None;
    }
    let mut finish = |mut module: ir::Module| {
        if options.denormals == Denormals::FlushToZero {
            ir::flush_denormals(&mut module);
        }
        ir::simplify::prune(&mut module);
        module.summarise();
        let plain = ir::notes::without(&module);
        let reports = lint::width(&plain).into_iter().chain(lint::derivative(&plain));
        reports.for_each(|it| sink.push(it));
        module
    };
    let mut module = finish(module);
    let mut patch = patch.map(finish);
    // A host binds the resources of both functions at once.
    if let Some(patch) = &mut patch {
        for (a, b) in module.resources.iter_mut().zip(&mut patch.resources) {
            (a.used, b.used) = (a.used || b.used, a.used || b.used);
        }
    }
    Some(Compiled { module, patch, unreached })
}
