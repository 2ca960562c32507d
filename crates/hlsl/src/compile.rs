//! The whole way from text to a module.

use diag::{Allows, Diagnostic, FileId, Sink, SourceMap, code};

use crate::options::{Denormals, Options, Stage};
use crate::preprocess::Includer;
use crate::{ast, check, hir, lint, lower, parse, preprocess};

/// How many entry points of a library are checked: each is a pass over the file.
const MOST_ENTRIES: usize = 256;

/// Compiles the entry point that the options name. `None` if anything was wrong; the sink says what.
///
/// A step runs only if those before it found no errors, or none that hide anything: what is missing after an error would
/// be reported once more. A compilation that the options' flag cancels gives nothing: [`Sink::stopped`] says how far it was.
/// The module has passed through [`ir::simplify::prune`], and whoever does not trust us may pass it to [`ir::verify`].
pub fn compile(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<ir::Module> {
    sink.cancelled_by(&options.cancel);
    let module = build(main, sources, includer, options, sink);
    weighed(module, sources, sink)
}

fn build(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<ir::Module> {
    let file = read(main, sources, includer, options, sink)?;
    let program = check(&file, options, sink)?;
    // What is done with goes before more is made: the pages are used again.
    drop(file);
    translate_running(program, options, sink)
}

/// The module of a checked program; a report where its stage does not run.
fn translate_running(
    program: hir::Program,
    options: &Options,
    sink: &mut Sink,
) -> Option<ir::Module> {
    if program.entry.stage != Stage::Compute {
        let word = check::entry::stage_word(program.entry.stage);
        let message = format!("{word} shaders are not built yet");
        let report = Diagnostic::new(&code::UNSUPPORTED_FEATURE, program.entry.span, message);
        sink.push(report.help("`wavelane check` checks the types of every stage"));
        return None;
    }
    translate(program, options, sink)
}

/// Several entry points of one text, which is read and checked once: each of them costs what it needs itself, however
/// long the text is.
pub struct Entries {
    options: Options,
    /// What reading and checking the text reported.
    common: Sink,
    /// Nothing where the text cannot be read.
    checked: Option<check::Checked>,
    allows: Allows,
    /// What is wrong with the comments that allow warnings.
    wrong_allows: Vec<Diagnostic>,
}

impl Entries {
    /// Reads and checks a text for compute shaders that start at `entries`; the options' own entry point does not
    /// matter. `None` where they have to be compiled one by one.
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

    /// Whether it was read for this entry point.
    pub fn has(&self, entry: &str) -> bool {
        self.checked.as_ref().is_none_or(|it| it.has(entry))
    }

    /// What [`compile`] gives and reports for one of the entry points.
    pub fn compile(&self, entry: &str, sources: &SourceMap) -> (Option<ir::Module>, Sink) {
        let mut sink = self.common.clone();
        let program = self.checked.as_ref().and_then(|it| it.program(entry, &mut sink));
        let module = program.and_then(|it| translate_running(it, &self.options, &mut sink));
        let allows = (self.allows.clone(), self.wrong_allows.clone());
        let module = weighed_by(module, allows, sources, &mut sink);
        (module, sink)
    }
}

/// Checks the entry point that the options name, of whatever stage; of a library without it, every function with a
/// `[shader]`. The module is there if there is nothing wrong and the entry point's stage runs.
pub fn validate(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<ir::Module> {
    sink.cancelled_by(&options.cancel);
    let Some(file) = read(main, sources, includer, options, sink) else {
        return weighed(None, sources, sink);
    };
    let mut entries = entries(&file, options);
    if entries.is_empty() {
        check::library(&file, options, sink);
        return weighed(None, sources, sink);
    }
    let last = entries.pop();
    for entry in entries {
        let options = Options { entry, ..options.clone() };
        if let Some(program) = check::part(&file, &options, sink) {
            translate_compute(program, &options, sink);
        }
    }
    let module = last.and_then(|entry| {
        let options = Options { entry, ..options.clone() };
        let program = check::part(&file, &options, sink);
        drop(file);
        translate_compute(program?, &options, sink)
    });
    weighed(module, sources, sink)
}

/// The module, unless the source makes one of its warnings an error; without the warnings that it allows.
fn weighed(module: Option<ir::Module>, sources: &SourceMap, sink: &mut Sink) -> Option<ir::Module> {
    weighed_by(module, Allows::read(sources), sources, sink)
}

/// The same, with the comments that allow warnings and what is wrong with them.
fn weighed_by(
    module: Option<ir::Module>,
    (mut allows, wrong): (Allows, Vec<Diagnostic>),
    sources: &SourceMap,
    sink: &mut Sink,
) -> Option<ir::Module> {
    sink.apply_levels(sources);
    wrong.into_iter().for_each(|it| sink.push(it));
    sink.apply_allows(&mut allows, sources);
    // After an error the warnings are not complete. What only runs show is for whoever runs.
    if !sink.has_errors() {
        let unused = allows.unused(sources, |code| !code.in_runs, &[]);
        unused.into_iter().for_each(|it| sink.push(it));
    }
    module.filter(|_| !sink.has_errors())
}

/// The entry points to check: the one that is named, or all of a library, which may have none.
fn entries(file: &ast::File, options: &Options) -> Vec<String> {
    let named = vec![options.entry.clone()];
    if options.stage != Stage::Library {
        return named;
    }
    let is_entry = |item: &ast::Item| {
        check::entry::shader_word(&item.attributes).is_some()
            || item.attributes.iter().any(|it| check::attr::is(it, "numthreads"))
    };
    let all: Vec<String> = file
        .items
        .iter()
        .filter(|item| is_entry(item))
        .filter_map(|item| match &item.kind {
            ast::ItemKind::Function(function) => Some(function.name.as_plain()?.name.to_string()),
            _ => None,
        })
        .take(MOST_ENTRIES)
        .collect();
    if all.contains(&options.entry) { named } else { all }
}

/// The syntax tree of a file.
fn read(
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
    let file = parse(&tokens, sources, options, sink);
    // A statement that cannot be read hides nothing but itself; a declaration may hide what others need.
    if sink.has_errors() && file.is_torn {
        return None;
    }
    lint::syntax(&file, sources, sink);
    Some(file)
}

/// The module of a checked program whose stage runs.
fn translate_compute(
    program: hir::Program,
    options: &Options,
    sink: &mut Sink,
) -> Option<ir::Module> {
    let runs = program.entry.stage == Stage::Compute;
    runs.then(|| translate(program, options, sink)).flatten()
}

/// The module of a checked program.
fn translate(program: hir::Program, options: &Options, sink: &mut Sink) -> Option<ir::Module> {
    if sink.has_errors() {
        return None;
    }
    lint::version(&program).into_iter().for_each(|it| sink.push(it));
    let mut module = lower(&program, options, sink)?;
    let here = program.entry.span;
    drop(program);
    // These pass over the module a few times each.
    if !sink.asks(here) {
        return None;
    }
    if options.denormals == Denormals::FlushToZero {
        ir::flush_denormals(&mut module);
    }
    ir::simplify::prune(&mut module);
    module.summarise();
    lint::width(&module).into_iter().for_each(|it| sink.push(it));
    Some(module)
}
