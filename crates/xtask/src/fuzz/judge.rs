//! Runs one input through the front end and looks for what must never happen: a panic, a span outside every file, a
//! diagnostic that cannot be rendered, a module that the verifier refuses or that does not read back.
//!
//! It also reports what the input covered (its *features*), by which [`super`] decides what to keep.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use diag::{Diagnostic, Sink, SourceMap, Span};
use hlsl::{Dialect, Includer, MatrixOrder, Options, Version};

/// How far an input goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Preprocess,
    Parse,
    Check,
    /// Including lowering and the verifier.
    All,
}

impl Part {
    pub(super) const ALL: [Part; 4] = [Part::Preprocess, Part::Parse, Part::Check, Part::All];

    pub(super) fn word(self) -> &'static str {
        match self {
            Part::Preprocess => "preprocess",
            Part::Parse => "parse",
            Part::Check => "check",
            Part::All => "all",
        }
    }
}

/// A numbered combination of options.
#[derive(Clone, Copy)]
pub(super) struct Variant(pub(super) u8);

impl Variant {
    pub(super) const COUNT: usize = 8;

    fn options(self) -> Options {
        let versions = [Version::V2021, Version::V2018, Version::V202x, Version::V2016];
        Options {
            hlsl_version: versions[self.0 as usize % 4],
            enable_16bit: self.0 >= 4,
            dialect: if self.0 == 5 { Dialect::Slang } else { Dialect::Hlsl },
            matrix_order: match self.0 {
                6 => MatrixOrder::RowMajor,
                _ => MatrixOrder::ColumnMajor,
            },
            defines: vec![("WIDTH".to_owned(), Some("32".to_owned()))],
            ..Options::default()
        }
    }

    pub(super) fn describe(self) -> String {
        let options = self.options();
        format!(
            "-HV {}{}{}{}",
            options.hlsl_version.number(),
            if options.enable_16bit { " -enable-16bit-types" } else { "" },
            if options.dialect == Dialect::Slang { " --dialect slang" } else { "" },
            if options.matrix_order == MatrixOrder::RowMajor { " -Zpr" } else { "" },
        )
    }
}

/// Something that must never happen.
pub(super) enum Finding {
    /// With its location in our code.
    Panic {
        place: String,
        message: String,
    },
    Slow {
        took: Duration,
    },
    /// A malformed diagnostic.
    Report {
        code: &'static str,
        what: String,
    },
    /// A malformed module.
    Module {
        what: String,
    },
}

impl Finding {
    pub(super) fn slow(took: Duration) -> Finding {
        Finding::Slow { took }
    }

    pub(super) fn is_slow(&self) -> bool {
        matches!(self, Finding::Slow { .. })
    }

    /// Whether two findings probably have the same cause.
    pub(super) fn same(&self, other: &Finding) -> bool {
        match (self, other) {
            (Finding::Panic { place: a, .. }, Finding::Panic { place: b, .. }) => a == b,
            (Finding::Slow { .. }, Finding::Slow { .. }) => true,
            (Finding::Report { code: a, .. }, Finding::Report { code: b, .. }) => a == b,
            (Finding::Module { what: a }, Finding::Module { what: b }) => shape(a) == shape(b),
            (
                Finding::Panic { .. }
                | Finding::Slow { .. }
                | Finding::Report { .. }
                | Finding::Module { .. },
                _,
            ) => false,
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Finding::Panic { place, message } => format!("panic at {place}: {message}"),
            Finding::Slow { took } => format!("takes {:.1} s", took.as_secs_f64()),
            Finding::Report { code, what } => format!("report `{code}`: {what}"),
            Finding::Module { what } => {
                format!("module: {}", what.lines().next().unwrap_or_default())
            }
        }
    }
}

#[derive(Default)]
pub(super) struct Outcome {
    pub(super) finding: Option<Finding>,
    pub(super) codes: Vec<&'static str>,
    /// Whether it has a feature that no earlier input had.
    pub(super) is_new: bool,
    pub(super) compiled: bool,
}

/// How closely an input is examined.
pub(super) struct Look<'a> {
    /// Whether to render every diagnostic and read every module back, which takes longer than everything else. An input
    /// with a new feature is always examined like this.
    pub(super) closely: bool,
    /// Records a feature and returns whether it is new.
    pub(super) note: &'a mut dyn FnMut(u64) -> bool,
}

/// Runs one input and examines all of its output.
pub(super) fn judge_closely(part: Part, text: &str, variant: Variant) -> Outcome {
    judge(part, text, variant, Look { closely: true, note: &mut |_| false })
}

thread_local! {
    /// The location of this thread's last panic, and its message.
    static PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Records panics instead of printing them.
pub(super) fn silence_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, ToString::to_string);
        let message = info.payload_as_str().unwrap_or("no message").to_owned();
        PANIC.with(|it| *it.borrow_mut() = Some((place, message)));
    }));
}

/// Runs one input.
pub(super) fn judge(part: Part, text: &str, variant: Variant, look: Look) -> Outcome {
    let mut outcome = Outcome::default();
    let caught = catch_unwind(AssertUnwindSafe(|| stages(part, text, variant, look, &mut outcome)));
    if caught.is_err() {
        let (place, message) = PANIC.with(|it| it.borrow_mut().take()).unwrap_or_default();
        outcome.finding = Some(Finding::Panic { place, message });
    }
    outcome
}

fn stages(part: Part, text: &str, variant: Variant, look: Look, outcome: &mut Outcome) {
    let options = variant.options();
    let mut sources = SourceMap::new();
    let mut sink = Sink::new();
    let Some(main) = sources.add("fuzz.hlsl", text) else { return };
    let mut files = Files { itself: text };
    let mut module = None;
    match part {
        Part::Preprocess | Part::Parse | Part::Check => {
            let tokens = hlsl::preprocess(main, &mut sources, &mut files, &options, &mut sink);
            if part != Part::Preprocess {
                let file = hlsl::parse(&tokens, &options, &mut sink);
                if part == Part::Check && !sink.has_errors() {
                    hlsl::check(&file, &options, &mut sink);
                }
            }
        }
        Part::All => {
            module = hlsl::compile(main, &mut sources, &mut files, &options, &mut sink)
                .map(|it| it.module);
        }
    }
    // Token pairs of an invalid program are not interesting.
    if !sink.has_errors() {
        outcome.is_new |= token_pairs(text, look.note);
    }
    let mut last = 0;
    for diagnostic in sink.as_slice() {
        let code = word_hash(diagnostic.code.name);
        // Messages such as those of `#error` quote the input.
        if !QUOTING.contains(&diagnostic.code.name) {
            outcome.is_new |= (look.note)(mix(code, shape_hash(&diagnostic.message)));
        }
        outcome.is_new |= (look.note)(mix(last, code));
        last = code;
        outcome.codes.push(diagnostic.code.name);
    }
    let closely = look.closely || outcome.is_new;
    for (index, diagnostic) in sink.as_slice().iter().enumerate() {
        // Later diagnostics resemble the first.
        if let Err(what) = look_at(diagnostic, &sources, closely && index < 3) {
            let code = diagnostic.code.name;
            outcome.finding = Some(Finding::Report { code, what });
        }
    }
    if let Some(module) = module {
        outcome.compiled = true;
        let checked = match closely {
            true => suite::run::check_module(&module),
            false => ir::verify::verify(&module).map_err(|it| it[0].to_string()),
        };
        if let Err(what) = checked {
            outcome.finding = Some(Finding::Module { what });
        }
        if closely {
            outcome.is_new |= instructions(&module, look.note);
        }
    } else if part == Part::All && !sink.has_errors() {
        let what = "the front end gave neither a module nor an error".to_owned();
        outcome.finding = Some(Finding::Module { what });
    }
}

/// Records pairs of consecutive instructions; returns whether any is new.
fn instructions(module: &ir::Module, note: &mut dyn FnMut(u64) -> bool) -> bool {
    let mut is_new = false;
    let mut last = 0;
    for line in ir::text::print(module).lines() {
        let (_, right) = line.split_once(" = ").unwrap_or(("", line));
        let word = right.split_whitespace().next().unwrap_or("");
        let word = word_hash(word.split(['%', '(']).next().unwrap_or(""));
        is_new |= note(mix(last, word));
        last = word;
    }
    is_new
}

const QUOTING: [&str; 3] = ["error-directive", "warning-directive", "static-assert"];

/// Checks that every span of a diagnostic is inside a file and that it can be rendered.
fn look_at(diagnostic: &Diagnostic, sources: &SourceMap, draw: bool) -> Result<(), String> {
    let labels = diagnostic.secondary.iter().chain([&diagnostic.primary]).map(|it| it.span);
    let fixes = diagnostic.helps.iter().filter_map(|it| it.fix.as_ref()).map(|it| it.span);
    for span in labels.chain(fixes) {
        lies_in_a_file(span, sources)?;
        lies_in_a_file(sources.written(span), sources)?;
    }
    // A missing entry point has no location.
    let may_float = std::ptr::eq(diagnostic.code, &diag::code::NO_ENTRY_POINT);
    if diagnostic.message.is_empty() || diagnostic.primary.span.is_none() && !may_float {
        return Err("it has no message or no location".to_owned());
    }
    if !draw {
        return Ok(());
    }
    let drawn = diag::render(diagnostic, sources, diag::Style::Plain);
    if drawn.is_empty() { Err("it cannot be rendered".to_owned()) } else { Ok(()) }
}

fn lies_in_a_file(span: Span, sources: &SourceMap) -> Result<(), String> {
    if span.is_none() {
        return Ok(());
    }
    let wrong = || format!("the span {}..{} is in no file", span.lo, span.hi);
    let file = sources.file(sources.file_of(span).ok_or_else(wrong)?);
    let range = span.lo.checked_sub(file.start).zip(span.hi.checked_sub(file.start));
    let (from, to) = range.ok_or_else(wrong)?;
    let inside = file.text.get(from as usize..to as usize);
    inside.map(|_| ()).ok_or_else(wrong)
}

/// A message without names and numbers: the same for each report from one line of our code.
fn shape(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    for (index, piece) in message.split('`').enumerate() {
        if index % 2 == 0 {
            out.extend(piece.chars().filter(|it| !it.is_ascii_digit()));
        }
        out.push('`');
    }
    out
}

/// The hash of [`shape`], without building the text.
fn shape_hash(message: &str) -> u64 {
    let mut quoted = false;
    let mut hash = 0;
    for byte in message.bytes() {
        quoted ^= byte == b'`';
        if !quoted && !byte.is_ascii_digit() {
            hash = mix(hash, byte.into());
        }
    }
    hash
}

/// Records pairs of adjacent token kinds; returns whether any is new.
fn token_pairs(text: &str, note: &mut dyn FnMut(u64) -> bool) -> bool {
    let mut is_new = false;
    let mut last = 0u64;
    for token in super::mutate::each_token(text) {
        let first = token.as_bytes()[0];
        let kind = match first {
            b'0'..=b'9' => 1,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => super::mutate::word_number(token),
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'"' => 2,
            0x80.. => 3,
            _ => 256 + u64::from(first) * 256 + u64::from(*token.as_bytes().last().unwrap_or(&0)),
        };
        is_new |= note(mix(last, kind));
        last = kind;
    }
    is_new
}

pub(super) fn word_hash(word: &str) -> u64 {
    word.bytes().fold(word.len() as u64, |hash, byte| mix(hash, byte.into()))
}

/// A fast multiplicative hash, of which only the upper bits are good.
fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A stand-in for the suite's header, which would take longer to compile than the input.
const PRELUDE: &str = "RWStructuredBuffer<uint> suite_log;
void suite_record(bool passed) { if (!passed) InterlockedAdd(suite_log[0], 1u); }
#define EXPECT(condition) suite_record((condition))
#define EXPECT_EQ(a, b) suite_record(all((a) == (b)))
";

/// The files that an input can include.
struct Files<'a> {
    itself: &'a str,
}

impl Includer for Files<'_> {
    fn read(&mut self, path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        let text = match path {
            "prelude.hlsli" => PRELUDE,
            "fuzz.hlsl" => self.itself,
            "open.h" => "#if 1\n#define OPEN(x) x(\n",
            "names.h" => "#pragma once\n#define NAME(a, ...) a ## __VA_ARGS__\nstatic uint n;\n",
            _ => return None,
        };
        Some((path.to_owned(), text.into()))
    }
}
