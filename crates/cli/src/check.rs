//! `wavelane check`: compiles files, and reports for people and for programs.

use serde_json::json;
use wavelane::internal::diag;
use wavelane::{Device, Level};

use crate::args::{Args, Output};
use crate::compile::{Compiled, compile};
use crate::problem::{Exit, Problem};
use crate::value::counted;
use crate::{End, terminal};

pub(crate) fn check(args: &Args) -> Result<Exit, End> {
    if args.operands.is_empty() {
        args.operand()?;
    }
    let mut all = Vec::new();
    for file in &args.operands {
        all.push(compile(file, args)?);
    }
    match args.output {
        Output::Text | Output::Junit => {
            let texts = all.iter().map(|it| it.rendered(args));
            terminal::say(&texts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n"));
        }
        Output::Json => {
            let each = all.iter().flat_map(|file| {
                file.diagnostics.iter().map(|it| diag::to_json(it, &file.sources))
            });
            print_json(&json!({ "diagnostics": each.collect::<Vec<_>>() }))?;
        }
        Output::Github => {
            let each = all.iter().flat_map(|file| {
                file.diagnostics.iter().map(|it| diag::to_github(it, &file.sources))
            });
            terminal::print(&each.collect::<String>())?;
        }
        Output::Sarif => {
            let each =
                all.iter().flat_map(|file| file.diagnostics.iter().map(|it| (it, &file.sources)));
            print_json(&diag::sarif(&each.collect::<Vec<_>>(), env!("CARGO_PKG_VERSION")))?;
        }
    }
    let mut worst = Exit::Fine;
    for file in &all {
        if let Some(problem) = file.problem().or_else(|| lacking(file, args)) {
            // Errors weigh more than what is not supported.
            worst = if worst == Exit::BadInput { worst } else { problem.exit };
            terminal::report(&problem);
        } else if file.count(Level::Warning) > 0 && args.output == Output::Text {
            let count = counted(file.count(Level::Warning), "warning");
            terminal::note(&format!("`{}` compiles, with {count}", file.name));
        }
    }
    Ok(worst)
}

/// What the shader needs that the adapter does not have.
fn lacking(file: &Compiled, args: &Args) -> Option<Problem> {
    let device = Device::new(args.adapter.clone());
    let error = device.create_compute_pipeline(file.shader.as_ref()?).err()?;
    Some(crate::caps::problem(&error, &file.sources))
}

pub(crate) fn print_json(value: &serde_json::Value) -> std::io::Result<()> {
    terminal::print(&format!("{value:#}\n"))
}
