//! The plan of a campaign, from the command line and from a file whose keys are the names of flags.

use std::collections::{BTreeMap, BTreeSet};

use campaign::{Plan, Test};
use toml::de::{DeTable, DeValue};
use wavelane::internal::{Order, diag};
use wavelane::{SourceMap, Span};

use crate::args::{self, Line};
use crate::asked::{LowArgs, WaveSizes};
use crate::command::Command;
use crate::digest;
use crate::files::read_source;
use crate::flags::{self, Flag, Takes};
use crate::generated::{MODEL, WIDTHS};
use crate::problem::Problem;
use crate::{stages, testing};

/// The key of the tests, which are operands on the command line.
const TESTS: &str = "tests";

/// What the command line says, over what the file of the plan says that it names.
pub(super) fn complete(low: LowArgs, mut line: Line) -> Result<LowArgs, Problem> {
    let [file] = low.operands.as_slice() else { return Ok(low) };
    if !file.ends_with(".toml") {
        return Ok(low);
    }
    let (name, text) = read_source(file)?;
    let mut args = LowArgs::new(Command::Campaign);
    apply(&name, &text, &mut args)?;
    let tests = std::mem::take(&mut args.operands);
    args::read(&mut args, &mut line)?;
    args.operands = tests;
    Ok(args)
}

fn apply(name: &str, text: &str, args: &mut LowArgs) -> Result<(), Problem> {
    let wrong = |at: std::ops::Range<usize>, what: String| {
        let mut sources = SourceMap::new();
        let span = Span::new(at.start as u32, at.end.max(at.start + 1).min(text.len()) as u32);
        let problem = Problem::input(what);
        match sources.add(name, text) {
            Some(_) if !text.is_empty() => problem.at(span, "", &sources),
            _ => problem,
        }
    };
    let root = DeTable::parse(text).map_err(|error| {
        let what = error.message().lines().next().unwrap_or("wrong syntax").to_owned();
        wrong(error.span().unwrap_or(0..0), what)
    })?;
    for (key, value) in root.get_ref() {
        let word = key.get_ref().as_ref();
        let one = |value: &DeValue<'_>| match value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => Some(number.to_string().replace('_', "")),
            DeValue::Float(number) => Some(number.to_string()),
            _ => None,
        };
        let values: Option<Vec<String>> = match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|it| one(it.get_ref())).collect(),
            DeValue::Boolean(_) => Some(Vec::new()),
            other => one(other).map(|it| vec![it]),
        };
        let Some(values) = values else {
            let what = format!("`{word}` is a number, a string, or a list of those");
            return Err(wrong(value.span(), what));
        };
        if word == TESTS {
            args.operands.extend(values);
            continue;
        }
        let Some(flag) = flag(word) else {
            let problem = wrong(key.span(), format!("unknown key `{word}`"));
            let known = flags::all().filter(|it| it.on.contains(&Command::Campaign));
            let known = known.flat_map(|it| it.names).filter_map(|it| it.strip_prefix("--"));
            return Err(match diag::most_similar(word, known.chain([TESTS])) {
                Some(meant) => problem.help(format!("did you mean `{meant}`?")),
                None => problem.help("the keys are the flags of `wavelane campaign`, and `tests`"),
            });
        };
        let is_off = matches!(value.get_ref(), DeValue::Boolean(false));
        if flag.takes == Takes::Nothing && is_off {
            continue;
        }
        (flag.set)(args, &values.join(","))
            .map_err(|what| wrong(value.span(), format!("`{word}`: {what}")))?;
    }
    Ok(())
}

fn flag(key: &str) -> Option<&'static Flag> {
    let name = format!("--{key}");
    flags::all().find(|it| it.on.contains(&Command::Campaign) && it.names.contains(&name.as_str()))
}

/// The axes of the requested campaign.
pub(super) fn plan(low: &LowArgs) -> Result<Plan, Problem> {
    let fuzz = low.tools.fuzz.unwrap_or(0);
    let tests = match low.operands.is_empty() {
        true => Vec::new(),
        false => tests(&testing::find(&low.operands, Command::Campaign)?),
    };
    if fuzz == 0 && tests.is_empty() {
        let problem = low.usage("a campaign without units".to_owned());
        return Err(problem.help("--fuzz N, tests, or the file of a plan"));
    }
    let widths = match &low.launch.wave_sizes {
        WaveSizes::Default | WaveSizes::All => WIDTHS.to_vec(),
        WaveSizes::List(list) => list.clone(),
    };
    let mut orders = vec![String::new()];
    for order in low.san.orders.iter().flatten() {
        if !matches!(order, Order::Lanes(_) | Order::Waves(_)) {
            let what = format!("a campaign has no units in the order `{order}`");
            return Err(low.usage(what).help("lanes=… and waves=…"));
        }
        orders.push(order.to_string());
    }
    let engines = low.engines.as_deref().unwrap_or("interp,cpu");
    let mut engines: Vec<String> = engines.split(',').map(|it| it.trim().to_owned()).collect();
    for list in [&mut orders, &mut engines] {
        let mut seen = BTreeSet::new();
        list.retain(|it| seen.insert(it.clone()));
    }
    for engine in &engines {
        let (name, _) = engine.split_once(':').unwrap_or((engine, ""));
        if !wavelane::Engine::ALL.into_iter().any(|it| it.name() == name) {
            let names = wavelane::Engine::ALL.map(wavelane::Engine::name).join(", ");
            let problem = Problem::input(format!("`{name}` is not an engine"));
            return Err(problem.help(format!("the engines are {names}")));
        }
    }
    let (seed, model) = (low.tools.seed.unwrap_or(1), low.tools.model.unwrap_or(MODEL));
    // The defaults have short names.
    let model = if model == MODEL { String::new() } else { model.to_string() };
    let stage = stages::in_unit(low.tools.stage.unwrap_or_default());
    Ok(Plan { fuzz, seed, model, stage, tests, widths, orders, engines })
}

/// Tests as units name them, each once.
fn tests(found: &[jobs::Test]) -> Vec<Test> {
    let mut digests: BTreeMap<&str, String> = BTreeMap::new();
    let mut tests = Vec::new();
    let mut seen = BTreeSet::new();
    for it in found.iter().filter(|it| seen.insert(it.name())) {
        let digest = digests.entry(&it.file).or_insert_with(|| digest::of_test(&it.file));
        tests.push(Test { name: it.name(), text: digest.clone() });
    }
    tests
}
