//! `wavelane san`: runs a shader at every width and in several orders, watched, and reports what is not defined.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use device::diag::{self, SourceMap};
use device::{
    Device, Dispatch, ExitedThreads, FloatRoom, IntraWaveSync, Order, Plan, Progress,
    Reconvergence, Report, Seen, Verdict,
};
use serde_json::json;

use crate::args::{Args, Output, WaveSizes};
use crate::problem::Exit;
use crate::run::watch::Watch;
use crate::run::{bind, failed, widths};
use crate::value::counted;
use crate::{End, compile, terminal};

/// What only `san` asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct SanArgs {
    pub(crate) sync: IntraWaveSync,
    pub(crate) width_dependent: Vec<String>,
    pub(crate) unordered: Vec<String>,
    /// How many random orders are tried at each width; one if nothing is said.
    pub(crate) seeds: Option<u64>,
    pub(crate) thorough: bool,
    /// The orders that are tried instead of the sweep.
    pub(crate) orders: Option<Vec<Order>>,
    pub(crate) float_room: Option<FloatRoom>,
    pub(crate) exited: ExitedThreads,
    pub(crate) reconvergence: Reconvergence,
    pub(crate) progress: Progress,
    pub(crate) uniform_lane_index: bool,
}

/// How many random orders a thorough sweep takes.
const THOROUGH_SEEDS: u64 = 8;

pub(crate) fn san(mut args: Args) -> Result<Exit, End> {
    if args.wave_sizes == WaveSizes::Default {
        args.wave_sizes = WaveSizes::All;
    }
    let (shader, sources) = compile::shader(args.operand()?, &args)?;
    let device = Device::new(args.adapter.clone());
    let pipeline = device
        .create_compute_pipeline(&shader)
        .map_err(|it| crate::caps::problem(&it, &sources))?;
    let widths = widths(&args, &shader, &pipeline)?;
    let mut bound = bind::bind(&args, &shader, &sources)?;
    let plan = plan(&args, widths);
    for name in plan.width_dependent.iter().chain(&plan.unordered) {
        if !bound.table.iter().any(|(resource, ..)| resource.name == *name) {
            let known = bound.table.iter().map(|(resource, ..)| resource.name.as_str());
            return Err(bind::unknown(&format!("no buffer `{name}` is bound"), name, known).into());
        }
    }
    let groups: u64 = args.groups.iter().map(|it| u64::from(*it)).product();
    let mut watch = Watch::start(args.timeout, groups);
    let dispatch = Dispatch {
        lane_order: args.lane_order,
        schedule: args.schedule,
        // The bound of the widest waves is the lowest.
        fuel: args.fuel.at(plan.widths.iter().copied().max().unwrap_or(32)),
        cancel: Some(watch.cancel.clone()),
        ..Dispatch::new(args.groups)
    };
    let result = pipeline.examine(&dispatch, &plan, &mut bound.table);
    let late = watch.cancel.load(Ordering::Relaxed);
    watch.stop();
    let report =
        result.map_err(|it| End::from(failed(&it.error, it.width, &args, late, &sources)))?;
    show(&args, &plan, &report, &sources)?;
    let is_wrong = |it: &Seen| it.finding.kind.verdict() != Verdict::Portability;
    Ok(if report.seen.iter().any(is_wrong) { Exit::Findings } else { Exit::Fine })
}

fn plan(args: &Args, widths: Vec<u32>) -> Plan {
    let mut plan = Plan::new(widths);
    let san = &args.san;
    if san.thorough {
        plan.thorough();
    }
    if let Some(seeds) = san.seeds.or(san.thorough.then_some(THOROUGH_SEEDS)) {
        plan.seeds(seeds);
    }
    if let Some(orders) = &san.orders {
        plan.orders.clone_from(orders);
        // Who asks for an order by name wants to see it.
        plan.shuffles_rows = true;
    }
    if let Some(room) = san.float_room {
        plan.float_room = room;
    }
    plan.progress = san.progress;
    plan.rules.sync = san.sync;
    plan.rules.exited = san.exited;
    plan.rules.reconvergence = san.reconvergence;
    plan.rules.uniform_lane_index = san.uniform_lane_index;
    plan.width_dependent.clone_from(&args.san.width_dependent);
    plan.unordered.clone_from(&args.san.unordered);
    plan
}

fn show(args: &Args, plan: &Plan, report: &Report, sources: &SourceMap) -> Result<(), End> {
    let reports: Vec<diag::Diagnostic> = report.seen.iter().map(diagnostic).collect();
    match args.output {
        Output::Text => {
            // Findings are the result that was asked for, so they go where results go.
            let mut text = diag::render_all(&reports, sources, terminal::style());
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&summary(plan, report));
            terminal::print(&text)?;
        }
        Output::Json => {
            let each: Vec<_> = report
                .seen
                .iter()
                .zip(&reports)
                .map(|(seen, it)| record(seen, it, sources))
                .collect();
            crate::check::print_json(&json!({ "findings": each, "widths": plan.widths }))?;
        }
        Output::Github => {
            let each = reports.iter().map(|it| diag::to_github(it, sources));
            terminal::print(&each.collect::<String>())?;
        }
        Output::Sarif => {
            let each: Vec<_> = reports.iter().map(|it| (it, sources)).collect();
            crate::check::print_json(&diag::sarif(&each, env!("CARGO_PKG_VERSION")))?;
        }
    }
    Ok(())
}

/// The command that makes a finding again, with nothing beside it.
fn again(seen: &Seen) -> String {
    let mut command = "wavelane".to_owned();
    for word in std::env::args().skip(1) {
        let is_plain = |it: char| it.is_alphanumeric() || "-_./=,:+@%".contains(it);
        if !word.is_empty() && word.chars().all(is_plain) {
            let _ = write!(command, " {word}");
        } else {
            let _ = write!(command, " '{}'", word.replace('\'', "'\\''"));
        }
    }
    // Of two widths that differ, both are needed; the smallest is where the comparison begins.
    let width = seen.finding.width;
    if seen.finding.kind.verdict() == Verdict::WidthDependent {
        return command;
    }
    let orders = seen.order.map_or("none".to_owned(), |it| it.to_string());
    let _ = write!(command, " --wave-size {width} --orders {orders}");
    command
}

/// The finding with the widths at which it was made.
fn diagnostic(seen: &Seen) -> diag::Diagnostic {
    let mut report = seen.finding.report();
    if seen.order.is_some() {
        report = report.note(format!("again: {}", again(seen)));
    }
    let widths: Vec<String> = seen.widths.iter().map(u32::to_string).collect();
    match widths.as_slice() {
        [_] => report,
        _ => report.note(format!("seen with waves of {} lanes", widths.join(", "))),
    }
}

/// A finding for programs.
fn record(seen: &Seen, report: &diag::Diagnostic, sources: &SourceMap) -> serde_json::Value {
    let finding = &seen.finding;
    let place = |span| {
        let at = sources.location(span);
        json!({
            "file": at.as_ref().map(|it| it.file.to_string()),
            "line": at.as_ref().map(|it| it.line),
            "column": at.as_ref().map(|it| it.column),
        })
    };
    let mut record = place(finding.site.span);
    record["id"] = json!(report.code.name);
    record["verdict"] = json!(finding.kind.verdict().word());
    record["message"] = json!(finding.message);
    record["text"] = json!(finding.site.text);
    record["related"] = finding
        .related
        .iter()
        .map(|site| {
            let mut related = place(site.span);
            related["message"] = json!(site.text);
            related
        })
        .collect();
    record["notes"] = json!(finding.notes);
    record["lanes"] = finding.lanes.iter().collect();
    record["wave"] = json!(finding.wave);
    record["group"] = json!(finding.group);
    record["width"] = json!(finding.width);
    record["widths"] = json!(seen.widths);
    record["seed"] = json!(seen.order.and_then(Order::seed));
    record["order"] = json!(seen.order.map(|it| it.to_string()));
    record["command"] = json!(again(seen));
    record
}

/// Which finding was made at which width.
fn summary(plan: &Plan, report: &Report) -> String {
    let mut text = String::new();
    if report.seen.is_empty() {
        let widths: Vec<String> = plan.widths.iter().map(u32::to_string).collect();
        let _ = writeln!(
            text,
            "no findings: {} with waves of {} lanes",
            counted(report.runs, "run"),
            widths.join(", ")
        );
        return text;
    }
    let names = report.seen.iter().map(|it| it.finding.kind.code().name.len());
    let column = names.max().unwrap_or(0).max("finding".len());
    let _ = write!(text, "{:<column$}", "finding");
    for width in &plan.widths {
        let _ = write!(text, "  {width:>4}");
    }
    text.push('\n');
    for seen in &report.seen {
        let _ = write!(text, "{:<column$}", seen.finding.kind.code().name);
        for width in &plan.widths {
            let mark = if seen.widths.contains(width) { "x" } else { "." };
            let _ = write!(text, "  {mark:>4}");
        }
        text.push('\n');
    }
    text
}
