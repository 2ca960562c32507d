//! Mutation testing of the sanitizer: plants one fault in a clean generated program, which must be found by name
//! and line.
//!
//! A program of [`generate`] gets a few lines at a random place, deep in its control flow if the fault
//! allows it: once correct, and once with one line changed. [`class::all`] gives the faults, one row each, and
//! [`pixels::all`] those of draws. Whether a fault can show at a place is decided by an ordinary run, from the lanes
//! that reach it; never by the sanitizer.
//!
//! Deliberately absent: any tolerance. The clean program must give no finding at all, and the other one a finding
//! of the right kind at a line that is involved in the fault.

pub mod class;
mod gap;
mod host;
pub mod pixels;
mod stages;

use std::fmt::Write;

use diag::{Diagnostic, SourceMap};
use ir::exec::{Bindings, Buffer, Launch, What};
use sanitizer::{Finding, Kind, Plan, Report, Seen};

use crate::run::{self, Compiled};
pub use class::Class;
use generate::Random;
use host::Host;

/// How many places are tried before the class counts as unplaceable.
const MOST_TRIES: u32 = 400;

/// A class of faults, in programs that dispatch or in draws.
pub trait Faults {
    /// How a program of the class is run.
    type Setup;

    fn name(&self) -> &'static str;

    /// The finding that the sanitizer must report.
    fn kind(&self) -> Kind;

    /// Plants the fault from a seed; `None` if none of many programs has a place for it.
    fn plant(&self, seed: u64) -> Option<Planted<Self::Setup>>;

    /// The findings about a program.
    fn told(&self, text: &str, setup: &Self::Setup) -> Result<Vec<Told>, String>;
}

/// A program, clean and with its fault.
#[derive(Clone, Debug)]
pub struct Planted<S> {
    pub clean: String,
    pub faulty: String,
    /// The lines, from 1, at which the report may be.
    pub lines: Vec<u32>,
    setup: S,
}

/// How a program that dispatches is run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The width for which the program was generated, and the others at which it is examined.
    pub(crate) widths: Vec<u32>,
    pub(crate) threads: u32,
    pub(crate) groups: u32,
    /// The log slots of one thread.
    pub(crate) places: u32,
}

/// The sanitizer's result for one planted fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `is_first` if the first place that the report names is involved in the fault, `is_own` if it is the wrong line,
    /// or its first help proposes the gap from which that line was taken.
    Found {
        is_first: bool,
        is_own: bool,
    },
    /// The right kind, at another line.
    Elsewhere(u32),
    /// Only findings of other kinds.
    Otherwise(Vec<&'static str>),
    Missed,
    /// The clean program is reported.
    FalseAlarm(String),
}

impl Faults for Class {
    type Setup = Setup;

    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn plant(&self, seed: u64) -> Option<Planted<Setup>> {
        let mut random = seeded(self.name, 7, seed);
        (0..MOST_TRIES).find_map(|_| try_once(self, &mut random))
    }

    fn told(&self, text: &str, setup: &Setup) -> Result<Vec<Told>, String> {
        let (report, compiled) = examine(text, setup)?;
        let sources = &compiled.sources;
        let told = |it: &Seen| Told::new(&it.finding, &it.finding.report(), sources, text);
        Ok(report.seen.iter().map(told).collect())
    }
}

/// The generator for a class and a seed.
fn seeded(class: &str, start: u64, seed: u64) -> Random {
    Random::new(seed ^ class.bytes().fold(start, |all, it| all.wrapping_mul(31) ^ u64::from(it)))
}

fn try_once(class: &Class, random: &mut Random) -> Option<Planted<Setup>> {
    let host = Host::make(class, random);
    let site = host.site(class.place, random)?;
    let probe = host.with(&["uint planted = 1;".to_owned(), class::SINK.to_owned()], site, &[]);
    let visits = host.visits(&probe.text, probe.first_line + 1)?;
    let snippet = (class.snippet)(random, &class::Context { setup: &host.setup, visits: &visits })?;
    let clean = host.with(&snippet.lines(false), site, &snippet.declarations);
    let faulty = host.with(&snippet.lines(true), site, &snippet.declarations);
    let lines = snippet.marked().map(|it| clean.first_line + it).collect();
    Some(Planted { clean: clean.text, faulty: faulty.text, lines, setup: host.setup })
}

/// A finding, as far as a judge looks at it.
pub struct Told {
    kind: Kind,
    line: u32,
    /// The lines between which it proposes to put what is missing.
    gap: Option<[u32; 2]>,
    report: String,
}

impl Told {
    /// A finding about a program and how it is reported.
    fn new(finding: &Finding, report: &Diagnostic, sources: &SourceMap, text: &str) -> Told {
        Told {
            kind: finding.kind,
            line: sources.location(finding.site.span).map_or(0, |at| at.line),
            gap: gap::proposed(finding, sources, text),
            report: diag::render(report, sources, diag::Style::Plain),
        }
    }
}

/// Examines both programs of a pair.
pub fn judge<F: Faults>(class: &F, planted: &Planted<F::Setup>) -> Result<Verdict, String> {
    let clean = class.told(&planted.clean, &planted.setup)?;
    let faulty = class.told(&planted.faulty, &planted.setup)?;
    let wrong = Wrong::of(&planted.clean, &planted.faulty);
    Ok(weigh(class.kind(), &planted.lines, |it| wrong.is_named_by(it), &clean, &faulty))
}

/// The wrong line of a faulty program.
struct Wrong<'a> {
    line: u32,
    text: &'a str,
}

impl Wrong<'_> {
    /// The line, from 1, in which the two programs of a pair differ.
    fn of<'a>(clean: &str, faulty: &'a str) -> Wrong<'a> {
        let mut all = (1..).zip(clean.lines().zip(faulty.lines()));
        let line = all.find(|(_, (clean, faulty))| clean != faulty).map_or(0, |it| it.0);
        Wrong { line, text: faulty }
    }

    /// Whether a finding names it, or the gap from which it was taken.
    fn is_named_by(&self, told: &Told) -> bool {
        let is_of = |gap| gap::is_of(self.text, gap, self.line);
        told.line == self.line || told.gap.is_some_and(is_of)
    }
}

/// The verdict on the findings of both programs of a pair; given the lines that are involved, and whether a finding
/// names the wrong one, or the gap from which it was taken.
fn weigh(
    kind: Kind,
    lines: &[u32],
    names_own: impl Fn(&Told) -> bool,
    clean: &[Told],
    faulty: &[Told],
) -> Verdict {
    // The generator may produce what only other machines object to; but not at the fault.
    let counts =
        |it: &&Told| it.kind.verdict() != sanitizer::Verdict::Portability || it.kind == kind;
    let is_alarm = |it: &&Told| {
        it.kind.verdict() != sanitizer::Verdict::Portability
            || it.kind == kind && lines.contains(&it.line)
    };
    if let Some(alarm) = clean.iter().find(is_alarm) {
        return Verdict::FalseAlarm(alarm.report.clone());
    }
    let right: Vec<u32> = faulty.iter().filter(|it| it.kind == kind).map(|it| it.line).collect();
    if right.iter().any(|it| lines.contains(it)) {
        let first = faulty.iter().find(counts);
        let is_first = first.is_some_and(|it| lines.contains(&it.line));
        let is_own = first.is_some_and(names_own);
        return Verdict::Found { is_first, is_own };
    }
    let others = faulty.iter().filter(|it| it.kind.verdict() != sanitizer::Verdict::Portability);
    let others: Vec<&str> = others.map(|it| it.kind.code().name).collect();
    match right.first() {
        Some(line) => Verdict::Elsewhere(*line),
        None if others.is_empty() => Verdict::Missed,
        None => Verdict::Otherwise(others),
    }
}

/// What the report says about the faulty program.
pub fn reports<F: Faults>(class: &F, planted: &Planted<F::Setup>) -> Result<String, String> {
    let told = class.told(&planted.faulty, &planted.setup)?;
    Ok(told.iter().map(|it| it.report.as_str()).collect::<Vec<_>>().join("\n"))
}

/// The results for a class.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub planted: u32,
    pub found: u32,
    /// Of those found, the faults of which the report names an involved line first.
    pub first: u32,
    /// And those of which that is the wrong line itself, or the gap from which it was taken.
    pub own: u32,
    /// The seeds of those of which it is neither.
    pub other: Vec<u64>,
    /// What went wrong, with the seed.
    pub failures: Vec<(u64, Verdict)>,
}

impl Tally {
    fn add(&mut self, seed: u64, verdict: Verdict) {
        self.planted += 1;
        match verdict {
            Verdict::Found { is_first, is_own } => {
                self.found += 1;
                self.own += u32::from(is_own);
                self.first += u32::from(is_first);
                if !is_own {
                    self.other.push(seed);
                }
            }
            other => self.failures.push((seed, other)),
        }
    }
}

/// Plants and judges a number of faults of a class.
pub fn measure<F: Faults>(class: &F, count: u32) -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in 0..u64::from(count) {
        let planted = class
            .plant(seed)
            .ok_or_else(|| format!("no program has a place for `{}`, seed {seed}", class.name()))?;
        let verdict = judge(class, &planted).map_err(|what| {
            format!(
                "`{}`, seed {seed}: {what}\n{}\n{}",
                class.name(),
                planted.clean,
                planted.faulty
            )
        })?;
        tally.add(seed, verdict);
    }
    Ok(tally)
}

/// The table that the documents show.
pub fn table(tallies: &[(&str, Kind, Tally)]) -> String {
    let mut text = String::from(
        "| fault | finding | planted | found | named first | own line first | false alarms |\n|---|---|---:|---:|---:|---:|---:|\n",
    );
    for (name, kind, tally) in tallies {
        let is_alarm = |it: &&(u64, Verdict)| matches!(it.1, Verdict::FalseAlarm(_));
        let alarms = tally.failures.iter().filter(is_alarm).count();
        let code = kind.code().name;
        let Tally { planted, found, first, own, .. } = tally;
        let _ = writeln!(
            text,
            "| {name} | `{code}` | {planted} | {found} | {first} | {own} | {alarms} |"
        );
    }
    text
}

fn compile(text: &str) -> Result<Compiled, String> {
    let flags = ["-enable-16bit-types", "--dialect", "slang"].map(str::to_owned);
    let mut options = run::options(&flags)?;
    options.shader_model = hlsl::ShaderModel::V6_10;
    let mut compiled = run::compile_text("planted.hlsl", text, &options);
    if let Some(module) = &mut compiled.module
        && module.resources.iter().any(|it| it.name == class::ALIAS.0)
    {
        module.alias(class::ALIAS.0, class::ALIAS.1).map_err(|error| error.to_string())?;
    }
    match &compiled.module {
        Some(_) => Ok(compiled),
        None => Err(diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain)),
    }
}

fn examine(text: &str, setup: &Setup) -> Result<(Report, Compiled), String> {
    let compiled = compile(text)?;
    let Some(module) = &compiled.module else { unreachable!("`compile` has checked it") };
    let mut plan = Plan::new(setup.widths.clone());
    // The log of the host program depends on the width by design.
    plan.width_dependent.push("Log".to_owned());
    plan.rules.feedback_slack = true;
    let report = sanitizer::examine(module, &launch(setup), &bindings(module, setup), &plan)
        .map_err(|it| format!("at width {}: {:?}", it.width, it.failure))?;
    Ok((report, compiled))
}

fn launch(setup: &Setup) -> Launch {
    Launch { fuel: Some(1 << 26), ..Launch::dispatch([setup.groups, 1, 1], setup.widths[0]) }
}

fn bindings(module: &ir::Module, setup: &Setup) -> Bindings {
    let all = setup.threads * setup.groups;
    let bytes = |name: &str| match name {
        "Log" => all * setup.places * 4,
        // Also for accesses of eight bytes.
        "Raw" => all * 8,
        _ => all * 4,
    };
    let bind = |it: &ir::Resource| {
        let one = match it.kind {
            ir::ResourceKind::Scene => {
                let is_flat = it.name == "Flat";
                let scene = if is_flat { class::rays::flat_scene() } else { class::rays::scene() };
                What::Scene(scene).into()
            }
            ir::ResourceKind::Texture { .. }
            | ir::ResourceKind::Sampler { .. }
            | ir::ResourceKind::Feedback { .. } => {
                class::feedback::resource(&it.name).unwrap_or_default()
            }
            _ => Buffer { bytes: vec![0; bytes(&it.name) as usize].into(), ..Buffer::default() },
        };
        vec![one; it.count.unwrap_or(1) as usize]
    };
    Bindings { bindings: module.resources.iter().map(bind).collect() }
}
