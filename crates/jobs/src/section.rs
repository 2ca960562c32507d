//! Sections: files of named programs that check themselves, with directives and expectations.
//!
//! [`read`] parses the lines, and [`Section::judge`] and [`Section::compare_diagnostics`] decide what is correct;
//! the caller that compiles and runs a section may be a device, or the suite itself, which inspects the module on
//! the way. `suite/README.md` describes the format.

mod draw;
mod feedback;
mod scene;

pub use scene::short_scene;

use std::borrow::Cow;

use wavelane::Printed;
use wavelane::internal::diag::{self, Diagnostic, SourceMap};
use wavelane::internal::{FeedbackMap, SharedScene, Slot, What};
use wavelane::texture::{Encoding, Format, Sampler, Shape};

pub use draw::{Drawn, STENCIL};
/// The widths every section runs at unless it says otherwise.
pub use wavelane::internal::WIDTHS;

use crate::unit::Kind;

/// One test.
#[derive(Clone, Debug)]
pub struct Section {
    pub file: String,
    /// Unique in the whole suite.
    pub name: String,
    /// The line of the `//---` marker, so that locations in the section can be converted to locations in the file.
    pub line: u32,
    /// The text from the line of the marker, which is replaced by an empty line.
    pub text: String,
    pub widths: Vec<u32>,
    pub groups: [u32; 3],
    /// If it draws: its shaders are `vs` and `ps`.
    pub draw: Option<Drawn>,
    /// Flags as on the command line.
    pub flags: Vec<String>,
    /// The findings that the sanitizer must report, by code.
    pub finds: Vec<String>,
    /// Flags of the sanitizer.
    pub san: Vec<String>,
    pub inputs: Vec<Input>,
    /// Names of buffers, each with the one whose memory it names.
    pub aliases: Vec<(String, String)>,
    /// Sampler state, by the names of samplers.
    pub samplers: Vec<(String, Sampler)>,
    /// Scenes, by the names of acceleration structures; without one, every ray misses.
    pub scenes: Vec<(String, Option<SharedScene>)>,
    pub outputs: Vec<Output>,
    /// What must be printed.
    pub printed: Vec<PrintedText>,
    pub annotations: Vec<Annotation>,
    /// A rendered message that must match exactly.
    pub rendered: Option<String>,
}

/// `//# in NAME TYPE: VALUES`, `//# texture NAME FORMAT SIZE: VALUES`, or `//# feedback NAME KIND TEXTURE WxH`
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The bytes of a feedback map are encoded.
    pub what: What,
}

/// `//= NAME TYPE [@WIDTH]: VALUES`
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub width: Option<u32>,
    pub bytes: Vec<u8>,
    pub line: u32,
    /// Bytes per value, to show differences.
    pub size: usize,
}

/// `//> [@WIDTH] TEXT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedText {
    pub width: Option<u32>,
    pub text: String,
}

/// `//~ LEVEL[CODE]: TEXT`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub line: u32,
    pub level: String,
    pub code: String,
    pub text: String,
}

/// `//? CODE: TEXT` at the end of the line that the sanitizer must report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Announced<'a> {
    pub line: u32,
    pub code: &'a str,
    pub text: &'a str,
}

/// The size limit for all contents in the sections of a file together.
const MOST_BYTES: usize = 1 << 28;

/// All sections of a file, or the error in it.
pub fn read(file: &str, text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    let mut held = 0;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(name) = line.strip_prefix("//---") {
            sections.push(Section::new(file, name.trim(), number));
            continue;
        }
        let Some(section) = sections.last_mut() else { continue };
        let wrong = |what: &str| format!("{file}:{number}: {what}");
        if let Some(directive) = line.strip_prefix("//#") {
            let inputs = section.inputs.len();
            apply(section, directive.trim()).map_err(|what| wrong(&what))?;
            held += section.inputs[inputs..].iter().map(|it| it.bytes.len()).sum::<usize>();
        } else if let Some(expected) = line.strip_prefix("//= ") {
            let output = output(expected, number).map_err(|what| wrong(&what))?;
            held += output.bytes.len();
            section.outputs.push(output);
        } else if let Some(text) = line.strip_prefix("//>") {
            section.printed.push(printed(text).map_err(|what| wrong(&what))?);
        } else if let Some(rendered) = line.strip_prefix("//|") {
            let all = section.rendered.get_or_insert_default();
            all.push_str(rendered.strip_prefix(' ').unwrap_or(rendered));
            all.push('\n');
        } else if let Some((_, note)) = line.split_once("//~") {
            section.annotations.push(annotation(note.trim(), number).map_err(|what| wrong(&what))?);
        }
        if held > MOST_BYTES {
            let what = "with this, the sections of the file have more than";
            return Err(wrong(&format!("{what} {MOST_BYTES} bytes of contents")));
        }
        let hidden = ["//#", "//=", "//|", "//>"].iter().any(|it| line.starts_with(it));
        section.text.push_str(if hidden {
            ""
        } else {
            line.split_once("//~").map_or(line, |(code, _)| code.trim_end())
        });
        section.text.push('\n');
    }
    if sections.is_empty() {
        return Err(format!("{file}: there is no section; a section starts with `//--- NAME`"));
    }
    Ok(sections)
}

/// The directives in lines above a case of unit tests.
#[derive(Debug)]
pub(crate) struct Given {
    /// Contents and expectations; the text is empty.
    pub(crate) section: Section,
    /// The names of resources that have contents, with their lines.
    pub(crate) named: Vec<(u32, String)>,
}

/// Reads the directives above a case, which are numbered lines, or the error in one of them.
pub(crate) fn above<'a>(
    file: &str,
    line: u32,
    kind: &Kind,
    lines: impl Iterator<Item = (u32, &'a str)>,
) -> Result<Given, String> {
    let mut given = Given { section: Section::new(file, "", 0), named: Vec::new() };
    let mut held = 0;
    let at_case = |what: &str| format!("{file}:{line}:1: error: {what}");
    match kind {
        Kind::Wrong(usage) => return Err(at_case(usage)),
        Kind::Pixels(Some(size)) => {
            given.section.draw = Some(Drawn::of_size(*size).map_err(|what| at_case(&what))?);
        }
        Kind::Pixels(None) | Kind::Threads | Kind::Open => {}
    }
    for (number, line) in lines {
        let section = &mut given.section;
        let wrong = |what: &str| format!("{file}:{number}:1: error: {what}");
        if let Some(directive) = line.strip_prefix("//#") {
            let directive = directive.trim();
            let word = directive.split(' ').next().unwrap_or("");
            if !OF_CASES.contains(&word) {
                let what = format!("a case has no directive `{word}`");
                return Err(wrong(&format!("{what}; it has `{}`", OF_CASES.join("`, `"))));
            }
            draw::allowed(directive, kind).map_err(|what| wrong(&what))?;
            let (inputs, samplers) = (section.inputs.len(), section.samplers.len());
            apply(section, directive).map_err(|what| wrong(&what))?;
            held += section.inputs[inputs..].iter().map(|it| it.bytes.len()).sum::<usize>();
            let inputs = section.inputs[inputs..].iter().map(|it| &it.name);
            let samplers = section.samplers[samplers..].iter().map(|it| &it.0);
            given.named.extend(inputs.chain(samplers).map(|it| (number, it.clone())));
        } else if let Some(expected) = line.strip_prefix("//= ") {
            let output = output(expected, number).map_err(|what| wrong(&what))?;
            held += output.bytes.len();
            section.outputs.push(output);
        }
        if held > MOST_BYTES {
            let what = "with this, the directives of the case have more than";
            return Err(wrong(&format!("{what} {MOST_BYTES} bytes of contents")));
        }
    }
    if *kind == Kind::Pixels(None) && given.section.draw.is_none() {
        let what = "the case is a pixel shader, but the size of its target is missing";
        return Err(at_case(&format!("{what}\n  = help: write `//# draw 8x8` above it")));
    }
    Ok(given)
}

/// The directives that cases of unit tests have.
const OF_CASES: [&str; 8] =
    ["in", "inout", "zero", "texture", "sampler", "draw", "target", "raster"];

impl Section {
    /// The sets of widths for each of which the section is one program: `WIDTH` makes another for every width.
    pub fn programs(&self) -> Vec<Vec<u32>> {
        match self.text.contains("WIDTH") {
            true => self.widths.iter().map(|it| vec![*it]).collect(),
            false => vec![self.widths.clone()],
        }
    }

    fn new(file: &str, name: &str, line: u32) -> Section {
        Section {
            file: file.to_owned(),
            name: name.to_owned(),
            line,
            text: "\n".to_owned(),
            widths: WIDTHS.to_vec(),
            groups: [1, 1, 1],
            draw: None,
            flags: Vec::new(),
            finds: Vec::new(),
            san: Vec::new(),
            inputs: Vec::new(),
            aliases: Vec::new(),
            samplers: Vec::new(),
            scenes: Vec::new(),
            outputs: Vec::new(),
            printed: Vec::new(),
            annotations: Vec::new(),
            rendered: None,
        }
    }

    /// Whether it must not compile.
    pub fn fails(&self) -> bool {
        self.annotations.iter().any(|it| it.level == "error" || it.level == "unsupported")
    }

    /// Whether it uses the checks of the prelude.
    pub fn checks_itself(&self) -> bool {
        !self.fails() && self.text.contains("EXPECT")
    }

    /// The findings that the text announces, each on its line.
    pub fn announced(&self) -> impl Iterator<Item = Announced<'_>> {
        (self.line..).zip(self.text.lines()).filter_map(|(line, text)| {
            let (_, note) = text.split_once("//? ")?;
            let (code, text) = note.split_once(':').unwrap_or((note, ""));
            Some(Announced { line, code: code.trim(), text: text.trim() })
        })
    }

    /// Whether the sanitizer must report a finding, on a given line or anywhere.
    pub fn must_find(&self, code: &str) -> bool {
        self.finds.iter().any(|it| it == code) || self.announced().any(|it| it.code == code)
    }

    /// Whether the sanitizer must report something.
    pub fn has_findings(&self) -> bool {
        !self.finds.is_empty() || self.announced().next().is_some()
    }

    /// Whether only a run under the sanitizer can check it.
    pub fn is_for_sanitizer(&self) -> bool {
        self.has_findings() || self.may_wait_for_ever()
    }

    /// Whether the program may wait for ever.
    pub fn may_wait_for_ever(&self) -> bool {
        self.announced().any(|it| it.code == "endless-wait")
            || self.san.iter().any(|it| it == "--progress=fair")
    }

    /// Whether a text consists of sections.
    pub fn are_in(text: &str) -> bool {
        text.lines().any(|it| it.starts_with("//--- "))
    }

    /// The text to compile: an empty line for each line before the section preserves line numbers, and the prelude
    /// replaces the first one.
    pub fn source(&self) -> String {
        let prelude = if self.checks_itself() { "#include \"prelude.hlsli\"" } else { "" };
        let before = "\n".repeat((self.line as usize).saturating_sub(1));
        format!("{prelude}{before}{}", self.text)
    }

    /// The section as a separate file, whose first line is the marker.
    pub fn alone(&self) -> Section {
        Section { line: 1, ..self.clone() }
    }

    /// Whether a flag of the section silences a diagnostic.
    pub fn is_allowed(&self, it: &Diagnostic) -> bool {
        self.flags.iter().any(|flag| flag.strip_prefix("-Wno-") == Some(it.code.name))
    }

    /// The input for one element of a resource: `NAME` applies to all elements without a `NAME[INDEX]`.
    pub fn input(&self, name: &str, index: u32) -> Option<&Input> {
        let own = format!("{name}[{index}]");
        let find = |name: &str| self.inputs.iter().find(|it| it.name == name);
        find(&own).or_else(|| find(name))
    }

    /// The binding of an input, with bytes that the caller has converted.
    pub fn slot(&self, name: &str, index: u32, bytes: Vec<u8>) -> Slot {
        let sampler = || self.sampler(name, index).map(What::Sampler);
        let scene = || self.scene(name, index).flatten().map(What::Scene);
        let input = self.input(name, index).map(|it| it.what.clone());
        let what = sampler().or_else(scene).or(input).unwrap_or_default();
        Slot { bytes: bytes.into(), what }
    }

    /// The feedback map of that name, which may be an element of an array.
    fn feedback_of(&self, name: &str) -> Option<&FeedbackMap> {
        let base = name.split('[').next()?;
        let find = |name: &str| self.inputs.iter().find(|it| it.name == name);
        find(name).or_else(|| find(base))?.what.feedback()
    }

    /// The same for a sampler.
    pub fn sampler(&self, name: &str, index: u32) -> Option<Sampler> {
        let own = format!("{name}[{index}]");
        let find = |name: &str| self.samplers.iter().find(|(it, _)| it == name);
        find(&own).or_else(|| find(name)).map(|(_, state)| *state)
    }

    /// The scene of an element of an array of acceleration structures; `None` if none is given.
    pub fn scene(&self, name: &str, index: u32) -> Option<Option<SharedScene>> {
        let own = format!("{name}[{index}]");
        let find = |name: &str| self.scenes.iter().find(|(it, _)| it == name);
        find(&own).or_else(|| find(name)).map(|(_, scene)| scene.clone())
    }

    /// The number of elements of an unbounded array, or a descriptor heap: as many as have inputs.
    pub fn reach(&self, name: &str) -> u32 {
        let index = |it: &str| {
            it.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?.parse::<u32>().ok()
        };
        let inputs = self.inputs.iter().map(|it| it.name.as_str());
        let named = inputs
            .chain(self.samplers.iter().map(|(name, _)| name.as_str()))
            .chain(self.scenes.iter().map(|(name, _)| name.as_str()));
        named.filter_map(index).max().map_or(1, |it| it.saturating_add(1))
    }

    /// Every annotation must be met, and nothing else may be reported except what `-Wno-CODE` allows. `rendered`
    /// returns the messages in the form of a `//|` block.
    pub fn compare_diagnostics(
        &self,
        diagnostics: &[Diagnostic],
        sources: &SourceMap,
        rendered: impl FnOnce() -> Result<String, String>,
    ) -> Result<(), String> {
        let mut problems = String::new();
        let mut met = vec![false; self.annotations.len()];
        for diagnostic in diagnostics.iter().filter(|it| !self.is_allowed(it)) {
            let line = sources.location(diagnostic.primary.span).map_or(0, |at| at.line);
            let wanted = self.annotations.iter().zip(&met).position(|(it, met)| {
                !met && it.line == line
                    && it.level == diagnostic.level.word()
                    && it.code == diagnostic.code.name
                    && diagnostic.message.contains(&it.text)
            });
            match wanted {
                Some(index) => met[index] = true,
                None => {
                    problems.push_str("not expected:\n");
                    problems.push_str(&diag::render(diagnostic, sources, diag::Style::Plain));
                }
            }
        }
        for (annotation, _) in self.annotations.iter().zip(&met).filter(|(_, met)| !**met) {
            let Annotation { line, level, code, text } = annotation;
            problems.push_str(&format!(
                "expected on line {line}, but not reported: {level}[{code}]: {text}\n"
            ));
        }
        if let Some(wanted) = &self.rendered {
            let got = rendered()?;
            if got.trim_end() != wanted.trim_end() {
                problems.push_str(&format!("the rendered message is\n{got}\nbut should be\n{wanted}\n(`cargo xtask bless` accepts it)\n"));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Whether the log and the outputs are as expected; `find` returns the bytes of `NAME` or `NAME[INDEX]` after
    /// the run.
    pub fn judge<'a>(
        &self,
        width: u32,
        find: impl Fn(&str, usize) -> Option<&'a [u8]>,
    ) -> Result<(), String> {
        let find = |name: &str| match name.strip_suffix(']').and_then(|it| it.split_once('[')) {
            Some((name, element)) => find(name, element.parse().ok()?),
            None => find(name, 0),
        };
        let mut problems = String::new();
        if let Some(log) = find(LOG) {
            problems.push_str(&failures(log));
        } else if self.outputs.is_empty() && self.printed.is_empty() && !self.is_for_sanitizer() {
            problems.push_str("the section checks nothing\n");
        }
        for wanted in self.outputs.iter().filter(|it| it.width.is_none_or(|at| at == width)) {
            let (line, name) = (wanted.line, &wanted.name);
            let Some(got) = find(name) else {
                problems.push_str(&format!("line {line}: there is no buffer `{name}`\n"));
                continue;
            };
            // Of a feedback map, what it decodes to.
            let got = match self.feedback_of(name) {
                Some(map) => Cow::from(map.map.decode(got)),
                None => Cow::from(got),
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
                problems
                    .push_str(&format!("line {line}: `{name}` differs:\n{}\n", differ.join("\n")));
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Whether what was printed is as expected, failed assertions after all other lines.
    pub fn judge_printed(&self, width: u32, printed: &Printed) -> Result<(), String> {
        let lines = printed.lines.iter().chain(&printed.failures);
        let got: Vec<&str> = lines.map(|it| it.text.as_str()).collect();
        let wanted = self.printed.iter().filter(|it| it.width.is_none_or(|at| at == width));
        let wanted: Vec<&str> = wanted.map(|it| it.text.as_str()).collect();
        if got == wanted && printed.more + printed.more_failures == 0 {
            return Ok(());
        }
        let shown = |all: &[&str]| all.iter().map(|it| format!("  {it}\n")).collect::<String>();
        Err(format!("it printed\n{}but should print\n{}", shown(&got), shown(&wanted)))
    }
}

/// The name of the buffer in which a section logs its checks; see `suite/prelude.hlsli`.
pub const LOG: &str = "suite_log";

/// The file with the checks, in a parent folder.
pub const PRELUDE: &str = "prelude.hlsli";

/// The size of the log.
pub const LOG_BYTES: usize = 4 * (4 + 8 * 64);

/// The failed checks in the log.
fn failures(log: &[u8]) -> String {
    let words: Vec<u32> =
        log.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect();
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let (failed, checks) = (word(0), word(1));
    let mut problems = String::new();
    if checks == 0 {
        problems.push_str("nothing was checked\n");
    }
    if failed > 0 {
        problems.push_str(&format!("{failed} of {checks} checks failed\n"));
        problems.push_str("  line  lane  got                  expected\n");
        for slot in 0..failed.min(64) as usize {
            let at = |offset: usize| word(4 + 8 * slot + offset);
            let (line, lane) = (at(0), at(1));
            let (got, expected) =
                (format!("{:#x}:{:#x}", at(3), at(2)), format!("{:#x}:{:#x}", at(5), at(4)));
            problems.push_str(&format!("  {line:>4}  {lane:>4}  {got:<19}  {expected}\n"));
        }
    }
    problems
}

fn hex(little_endian: &[u8]) -> String {
    let digits: String = little_endian.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

fn apply(section: &mut Section, directive: &str) -> Result<(), String> {
    let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
    let rest = rest.trim();
    match word {
        "widths" => {
            section.widths = match rest.split_once("..") {
                Some((low, high)) => {
                    let (low, high) = (number(low)? as u32, number(high)? as u32);
                    WIDTHS.into_iter().filter(|it| (low..=high).contains(it)).collect()
                }
                None => {
                    rest.split_whitespace()
                        .map(|it| Ok(number(it)? as u32))
                        .collect::<Result<_, String>>()?
                }
            };
        }
        "groups" => {
            let mut sizes = rest.split_whitespace().map(|it| number(it).map(|it| it as u32));
            section.groups = [0; 3].map(|_: u32| 1);
            for place in &mut section.groups {
                if let Some(size) = sizes.next() {
                    *place = size?;
                }
            }
        }
        "draw" => section.draw = Some(Drawn::read(rest)?),
        "target" | "raster" | "buffer" => {
            let Some(draw) = &mut section.draw else {
                return Err(format!("`{word}` comes after `draw`"));
            };
            match word {
                "target" => draw.target(rest)?,
                "buffer" => draw.buffer(rest),
                _ => draw.raster(rest),
            }
        }
        "finds" => section.finds = rest.split_whitespace().map(str::to_owned).collect(),
        "san" => section.san = rest.split_whitespace().map(str::to_owned).collect(),
        "args" => section.flags = rest.split_whitespace().map(str::to_owned).collect(),
        "in" | "inout" => {
            let input = input(rest, word)?;
            section.inputs.push(input);
        }
        "zero" => {
            let (name, count) = rest.split_once(' ').ok_or("expected `zero NAME BYTES`")?;
            let bytes = vec![0; size(count)?];
            section.inputs.push(Input { name: name.to_owned(), bytes, ..Input::default() });
        }
        "alias" => {
            let (name, of) = rest.split_once(' ').ok_or("expected `alias NAME OTHER`")?;
            section.aliases.push((name.to_owned(), of.trim().to_owned()));
        }
        "scene" => section.scenes.push(scene::scene(rest)?),
        "texture" => section.inputs.push(texture(rest)?),
        "feedback" => feedback::feedback(section, rest)?,
        "sampler" => {
            let (name, state) = rest.split_once(' ').unwrap_or((rest, ""));
            section.samplers.push((name.to_owned(), Sampler::parse(state)?));
        }
        _ => return Err(format!("unknown directive `{word}`")),
    }
    Ok(())
}

/// `NAME TYPE: VALUES`, `NAME TYPE[COUNT]` for zeros, or both for exactly that many values.
fn input(text: &str, word: &str) -> Result<Input, String> {
    let usage = || format!("expected `{word} NAME TYPE: VALUES` or `{word} NAME TYPE[COUNT]`");
    let (head, values) = match text.split_once(':') {
        Some((head, values)) => (head, Some(values)),
        None => (text, None),
    };
    let (name, ty) = head.trim().split_once(' ').ok_or_else(usage)?;
    let (ty, count) = match ty.trim().strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((ty, count)) => (ty, Some(size(count)?)),
        None => (ty.trim(), None),
    };
    let each = bytes(ty, "0")?.len();
    let bytes = match (values, count) {
        (Some(values), _) => bytes(ty, values)?,
        (None, Some(count)) => {
            fits((count * each) as i128)?;
            vec![0; count * each]
        }
        (None, None) => return Err(usage()),
    };
    if let Some(count) = count.filter(|it| it * each != bytes.len()) {
        return Err(format!("`{name}` has {count} elements, and {} values", bytes.len() / each));
    }
    Ok(Input { name: name.to_owned(), bytes, ..Input::default() })
}

/// `NAME FORMAT WxHxD [layers N] [mips N] [samples N] [: VALUES]`; zeros if there are no values.
fn texture(text: &str) -> Result<Input, String> {
    let usage = "expected `texture NAME FORMAT WxHxD [layers N] [mips N] [samples N] [: VALUES]`";
    let (head, values) = text.split_once(':').unwrap_or((text, ""));
    let mut words = head.split_whitespace();
    let (Some(name), Some(format), Some(size)) = (words.next(), words.next(), words.next()) else {
        return Err(usage.to_owned());
    };
    let format =
        Format::parse(format).ok_or_else(|| format!("`{format}` is not a texture format"))?;
    let mut sizes = [1; 3];
    for (size, word) in sizes.iter_mut().zip(size.split('x')) {
        *size = number(word)? as u32;
    }
    let mut shape = Shape::new(format, sizes[0], sizes[1], sizes[2]);
    while let Some(word) = words.next() {
        let place = match word {
            "layers" => &mut shape.layers,
            "mips" => &mut shape.levels,
            "samples" => &mut shape.samples,
            _ => return Err(usage.to_owned()),
        };
        *place = number(words.next().ok_or(usage)?)? as u32;
    }
    let count =
        shape.bytes().filter(|it| *it < 1 << 24).ok_or("a texture cannot have that shape")?;
    let given = bytes(stored(format), values)?;
    if !given.is_empty() && given.len() != count {
        return Err(format!("the texture takes {count} bytes, not {}", given.len()));
    }
    let bytes = if given.is_empty() { vec![0; count] } else { given };
    Ok(Input { name: name.to_owned(), bytes, what: What::texture_of(shape) })
}

/// The memory type of a format's channels; formats that pack channels are words.
fn stored(format: Format) -> &'static str {
    match format {
        Format::Plain { bits, encoding, .. } => match (encoding, bits) {
            (Encoding::Float, 16) => "f16",
            (Encoding::Float, _) => "f32",
            (Encoding::Snorm | Encoding::Sint, 8) => "i8",
            (Encoding::Snorm | Encoding::Sint, 16) => "i16",
            (Encoding::Snorm | Encoding::Sint, 32) => "i32",
            (Encoding::Snorm | Encoding::Sint, _) => "i64",
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, 8) => "u8",
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, 16) => "u16",
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, 32) => "u32",
            (Encoding::Unorm | Encoding::Uint | Encoding::Srgb, _) => "u64",
        },
        Format::Bgra8 { .. } => "u8",
        Format::Rgb10A2 { .. } | Format::Rg11B10Float | Format::Rgb9E5 => "u32",
    }
}

fn output(text: &str, line: u32) -> Result<Output, String> {
    let shape = "expected `//= NAME TYPE [@WIDTH]: VALUES`";
    let (head, values) = text.split_once(':').ok_or(shape)?;
    let mut words = head.split_whitespace();
    let (Some(name), Some(ty)) = (words.next(), words.next()) else { return Err(shape.to_owned()) };
    let width = match words.next() {
        Some(word) => Some(number(word.strip_prefix('@').ok_or(shape)?)? as u32),
        None => None,
    };
    let size = bytes(ty, "0")?.len();
    Ok(Output { name: name.to_owned(), width, bytes: bytes(ty, values)?, line, size })
}

fn printed(text: &str) -> Result<PrintedText, String> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let (width, text) = match text.strip_prefix('@') {
        Some(rest) => {
            let (width, text) = rest.split_once(' ').unwrap_or((rest, ""));
            (Some(number(width)? as u32), text)
        }
        None => (None, text),
    };
    Ok(PrintedText { width, text: text.to_owned() })
}

fn annotation(note: &str, line: u32) -> Result<Annotation, String> {
    let shape = "expected `//~ LEVEL[CODE]: TEXT`";
    let (level, rest) = note.split_once('[').ok_or(shape)?;
    let (code, text) = rest.split_once(']').ok_or(shape)?;
    let text = text.strip_prefix(':').unwrap_or(text).trim();
    Ok(Annotation { line, level: level.to_owned(), code: code.to_owned(), text: text.to_owned() })
}

fn number(text: &str) -> Result<i128, String> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.map(|it| if negative { -it } else { it }).map_err(|_| format!("`{text}` is not a number"))
}

/// The most bytes, or values, that a line can represent.
const MOST_VALUES: i128 = 1 << 22;

fn fits(count: i128) -> Result<(), String> {
    match count <= MOST_VALUES {
        true => Ok(()),
        false => Err(format!("{count} is too many; at most {MOST_VALUES} are allowed")),
    }
}

/// A number of bytes or of values.
fn size(text: &str) -> Result<usize, String> {
    let count = number(text)?;
    fits(count)?;
    usize::try_from(count).map_err(|_| format!("`{}` is not a number of values", text.trim()))
}

/// The bytes of a list of values; `value*count` repeats, `a..b` counts up.
fn bytes(ty: &str, values: &str) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    for word in values.split([' ', ',']).filter(|it| !it.is_empty()) {
        let (word, count) = match word.split_once('*') {
            Some((word, count)) => (word, size(count)?),
            None => (word, 1),
        };
        if let Some((low, high)) = word.split_once("..") {
            let (low, high) = (number(low)?, number(high)?);
            let count = high.checked_sub(low).unwrap_or(i128::MAX);
            fits(count.saturating_add(all.len() as i128))?;
            for value in low..high {
                push(&mut all, ty, &value.to_string())?;
            }
            continue;
        }
        for _ in 0..count {
            push(&mut all, ty, word)?;
        }
        fits(all.len() as i128)?;
    }
    Ok(all)
}

fn push(all: &mut Vec<u8>, ty: &str, word: &str) -> Result<(), String> {
    let float = || word.parse::<f64>().map_err(|_| format!("`{word}` is not a number"));
    match ty {
        "i8" | "u8" => all.push(number(word)? as u8),
        "i16" | "u16" => all.extend_from_slice(&(number(word)? as u16).to_le_bytes()),
        "i32" | "u32" | "bool" => all.extend_from_slice(&(number(word)? as u32).to_le_bytes()),
        "i64" | "u64" => all.extend_from_slice(&(number(word)? as u64).to_le_bytes()),
        "f16" => all.extend_from_slice(&wavelane::F16::from_f64(float()?).0.to_le_bytes()),
        "f32" => all.extend_from_slice(&(float()? as f32).to_le_bytes()),
        "f64" => all.extend_from_slice(&float()?.to_le_bytes()),
        _ => return Err(unknown_type(ty)),
    }
    Ok(())
}

/// The element types that contents are written in, with HLSL's names for them.
const ELEMENTS: [(&str, &str); 12] = [
    ("u32", "uint"),
    ("i32", "int"),
    ("f32", "float"),
    ("f16", "half"),
    ("f64", "double"),
    ("u16", "uint16_t"),
    ("i16", "int16_t"),
    ("u64", "uint64_t"),
    ("i64", "int64_t"),
    ("u8", "uint8_t"),
    ("i8", "int8_t"),
    ("bool", "bool"),
];

fn unknown_type(ty: &str) -> String {
    let what = format!("unknown element type `{ty}`");
    match ELEMENTS
        .iter()
        .find(|it| it.1 == ty.trim_end_matches(|it: char| ('1'..='4').contains(&it)))
    {
        Some((meant, _)) => format!("{what}; did you mean `{meant}`?"),
        None => {
            let all: Vec<&str> = ELEMENTS.iter().map(|it| it.0).collect();
            format!("{what}; the types are {}", all.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_have_values_or_a_count() {
        let read = |text| input(text, "in").map(|it| (it.name, it.bytes));
        assert_eq!(read("A u16: 1,2"), Ok(("A".to_owned(), vec![1, 0, 2, 0])));
        assert_eq!(read("A u32[2]"), Ok(("A".to_owned(), vec![0; 8])));
        assert_eq!(read("A[1] u8[2]: 7*2"), Ok(("A[1]".to_owned(), vec![7, 7])));
        for (bad, says) in [
            ("A u32", "or `in NAME TYPE[COUNT]`"),
            ("A", "expected `in NAME"),
            ("A uint: 1", "did you mean `u32`?"),
            ("A float4[2]", "did you mean `f32`?"),
            ("A word: 1", "the types are u32, i32"),
            ("A u32[3]: 1,2", "`A` has 3 elements, and 2 values"),
            ("A u64[4194304]", "too many"),
            ("A u32[-1]", "not a number of values"),
        ] {
            let what = read(bad).unwrap_err();
            assert!(what.contains(says), "{bad}: {what}");
        }
    }

    #[test]
    fn values_repeat_and_count() {
        assert_eq!(bytes("u16", "1 2*2 5..7"), Ok(vec![1, 0, 2, 0, 2, 0, 5, 0, 6, 0]));
        assert_eq!(bytes("i32", "-1"), Ok(vec![0xff; 4]));
        for bad in [
            "x",
            "1*99999999999",
            "1*-1",
            "0..99999999999999999999",
            "-170141183460469231731687303715884105728..1",
        ] {
            assert!(bytes("u32", bad).is_err(), "{bad}");
        }
        assert!(size("-1").is_err() && size("9999999999").is_err());
    }

    #[test]
    fn textures_have_formats_and_sizes() {
        let it = texture("Tex RG8_UINT 2x1 mips 2: 0..6").unwrap();
        assert_eq!((it.name.as_str(), it.bytes.len()), ("Tex", 6));
        assert_eq!(texture("T R32_FLOAT 3").unwrap().bytes, [0; 12]);
        for bad in ["T R32_FLOAT", "T R32 1", "T R8_UINT 2: 1", "T R8_UINT 2 mips 3", "T R8_UINT 0"]
        {
            assert!(texture(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_total_size_of_a_file_is_bounded() {
        let zeros = |count: usize| format!("//--- a\n{}", "//# zero A 4194304\n".repeat(count));
        assert!(read("a.hlsl", &zeros(64)).is_ok());
        let what = read("a.hlsl", &zeros(65)).unwrap_err();
        assert!(what.starts_with("a.hlsl:66: with this"), "{what}");
    }

    #[test]
    fn annotations_name_level_and_code() {
        let it = annotation("warning[draft-name]: became", 3).unwrap();
        assert_eq!(
            (it.level.as_str(), it.code.as_str(), it.text.as_str()),
            ("warning", "draft-name", "became")
        );
    }
}
