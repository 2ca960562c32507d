//! The sanitizer's sweep: every width in several orders, its findings with all their places, and the table over the
//! widths.

use ir::Module;
use ir::exec::Bindings;
use sanitizer::{Plan, Report};
use serde_json::{Value, json};

use crate::place::Places;
use crate::{Flags, WIDTHS, run};

/// What a sweep found, and why it was given up if it was.
pub(crate) struct Swept {
    pub(crate) report: Report,
    pub(crate) stopped: Option<(u32, ir::exec::Failure)>,
    widths: Vec<u32>,
}

/// Sweeps over the widths that the module allows; `fuel` bounds each of the runs.
pub(crate) fn sweep(flags: &Flags, module: &Module, bindings: &Bindings, fuel: u64) -> Swept {
    let allowed = |width: &u32| {
        let launch = run::launch(flags, module, *width, fuel);
        launch.check(module.group_size, module.wave_size, module.needs.wave_masks).is_ok()
    };
    let widths: Vec<u32> = WIDTHS.into_iter().filter(allowed).collect();
    let Some(first) = widths.first() else {
        return Swept { report: Report::default(), stopped: None, widths };
    };
    let mut plan = Plan::new(widths.clone());
    plan.rules = flags.rules;
    plan.progress = flags.progress;
    plan.width_dependent.clone_from(&flags.width_dependent);
    plan.unordered.clone_from(&flags.unordered);
    let launch = run::launch(flags, module, *first, fuel);
    match sanitizer::examine(module, &launch, bindings, &plan) {
        Ok(report) => Swept { report, stopped: None, widths },
        Err(stopped) => Swept {
            report: stopped.report,
            stopped: Some((stopped.width, stopped.failure)),
            widths,
        },
    }
}

impl Swept {
    /// The findings, and a row for each of their codes.
    pub(crate) fn answer(&self, places: &Places) -> Value {
        let findings = self.report.seen.iter().map(|seen| {
            let mut finding = places.diagnostic(&seen.report());
            finding["verdict"] = json!(seen.finding.kind.verdict().word());
            finding["widths"] = json!(seen.widths);
            finding["order"] = json!(seen.order.map(|it| it.to_string()));
            finding
        });
        let stopped = self.stopped.as_ref().map(|(width, failure)| {
            json!({
                "width": width,
                "message": failure.to_string(),
                "line": places.line(run::span(failure)),
            })
        });
        json!({
            "findings": findings.collect::<Vec<Value>>(),
            "rows": self.rows(),
            "left_out": self.report.left_out.iter().map(|it| {
                json!({
                    "text": it.to_string(),
                    "code": it.cause.kind.code().name,
                    "line": places.line(it.cause.span),
                })
            }).collect::<Vec<Value>>(),
            "runs": self.report.runs,
            "stopped": stopped,
        })
    }

    /// For each code `x` at the widths where it was found, `.` where it was not, nothing where nothing ran.
    fn rows(&self) -> Vec<Value> {
        let mut codes: Vec<&str> = Vec::new();
        for seen in &self.report.seen {
            let name = seen.finding.kind.code().name;
            if !codes.contains(&name) {
                codes.push(name);
            }
        }
        let until = self.stopped.as_ref().map_or(u32::MAX, |(width, _)| *width);
        let row = |code: &str| {
            let found = |width: u32| {
                let of = |it: &&sanitizer::Seen| it.finding.kind.code().name == code;
                self.report.seen.iter().filter(of).any(|it| it.widths.contains(&width))
            };
            let mark = |width: u32| match found(width) {
                true => Some("x"),
                false => (self.widths.contains(&width) && width < until).then_some("."),
            };
            json!({ "code": code, "marks": WIDTHS.map(mark) })
        };
        codes.into_iter().map(row).collect()
    }
}
