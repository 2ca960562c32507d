//! Reporting on what was compiled, as `check` does, and what an adapter lacks for it.

use serde_json::json;
use wavelane::internal::diag;
use wavelane::{Adapter, Device, Level, Missing};

use crate::asked::{Compiling, Output};
use crate::compile::Compiled;
use crate::problem::{self, End, Exit, Problem};
use crate::terminal::print_json;
use crate::value::counted;
use crate::{device, terminal};

/// Reports for people or for programs.
pub(crate) fn tell(
    all: &[Compiled],
    compiling: &Compiling,
    adapter: &Adapter,
    output: Output,
) -> Result<Exit, End> {
    match output {
        Output::Text | Output::Junit => {
            let texts = all.iter().map(|it| it.rendered(compiling));
            terminal::say(&texts.filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n"));
        }
        Output::Json => {
            let each =
                all.iter().flat_map(|file| file.shown().map(|it| diag::to_json(it, &file.sources)));
            print_json(&json!({ "diagnostics": each.collect::<Vec<_>>() }))?;
        }
        Output::Github => {
            let each = all
                .iter()
                .flat_map(|file| file.shown().map(|it| diag::to_github(it, &file.sources)));
            terminal::print(&each.collect::<String>())?;
        }
        Output::Sarif => {
            let each = all.iter().flat_map(|file| file.shown().map(|it| (it, &file.sources)));
            print_json(&diag::sarif(&each.collect::<Vec<_>>(), env!("CARGO_PKG_VERSION")))?;
        }
    }
    let mut worst = Exit::Fine;
    for file in all {
        if let Some(problem) = file.problem().or_else(|| lacking(file, adapter)) {
            // Errors weigh more than what is not supported.
            worst = if worst == Exit::BadInput { worst } else { problem.exit };
            // Where another entry point has the same errors, they have been told.
            let is_told =
                file.problem().is_some() && file.shown().all(|it| it.level < Level::Error);
            if !is_told {
                problem::report(&problem);
            }
        } else if file.count(Level::Warning) > 0 && output == Output::Text {
            let count = counted(file.count(Level::Warning), "warning");
            terminal::note(&format!("`{}` compiles, with {count}", file.name));
        }
    }
    Ok(worst)
}

/// What the shader needs that the adapter does not have.
pub(crate) fn lacking(file: &Compiled, adapter: &Adapter) -> Option<Problem> {
    let device = Device::new(adapter.clone());
    let error = device.create_compute_pipeline(file.shader.as_ref()?).err()?;
    // Shaders of other stages are correct, although they are not dispatched.
    if error.missing == Missing::Stage {
        return None;
    }
    Some(device::problem(&error, &file.sources))
}
