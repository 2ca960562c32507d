//! Running a shader at widths: which widths, what each run starts from, and why one did not run to its end.

use wavelane::internal::{Slot, Slots};
use wavelane::{
    Adapter, ComputePipeline, DispatchError, ResourceTable, Shader, SourceMap, Span, Trap,
};

use crate::asked::Launch;
use crate::problem::{Exit, Problem};

/// The widths to run at, ascending.
pub(crate) fn widths(
    launch: &Launch,
    adapter: &Adapter,
    shader: &Shader,
    pipeline: &ComputePipeline,
) -> Result<Vec<u32>, Problem> {
    let allowed = pipeline.wave_sizes();
    if let Some(width) = launch.width_not_among(allowed) {
        let by_adapter = adapter.wave_lane_count;
        let who = match by_adapter.contains(width) {
            true => format!("the `[WaveSize]` of `{}`", shader.entry()),
            false => format!("the adapter `{}`", adapter.name),
        };
        return Err(not_allowed(width, &format!("by {who}"), allowed));
    }
    Ok(launch.widths_among(allowed, || vec![pipeline.default_wave_size()]))
}

/// A width that was named does not exist.
pub(crate) fn not_allowed(width: u32, by: &str, allowed: &[u32]) -> Problem {
    let allowed: Vec<String> = allowed.iter().map(u32::to_string).collect();
    let what = format!("waves of {width} lanes are not allowed {by}");
    let help = format!("the available widths: {}", allowed.join(", "));
    Problem::new(Exit::Unsupported, what).help(help)
}

/// Copies that runs can change, so that each run starts from the same contents.
pub(crate) struct Contents(Vec<(String, u32, Slot)>);

impl Contents {
    pub(crate) fn of(table: &ResourceTable) -> Contents {
        let written = table.iter().filter(|(resource, ..)| resource.kind.writable());
        let each = written
            .map(|(resource, element, buffer)| (resource.name.clone(), element, buffer.clone()));
        Contents(each.collect())
    }

    pub(crate) fn restore(&self, table: &mut ResourceTable) {
        for (name, element, contents) in &self.0 {
            if let Some(mut buffer) = table.get_mut(name, *element) {
                buffer.clone_from(contents);
            }
        }
    }
}

/// The report about a dispatch that did not run to its end.
pub(crate) fn failed(
    error: &DispatchError,
    width: u32,
    launch: &Launch,
    late: bool,
    sources: &SourceMap,
) -> Problem {
    match error {
        DispatchError::Trap(trap) => {
            let (what, label, span) = match trap {
                Trap::OutOfFuel { span } => {
                    let fuel = launch.fuel.at(width).unwrap_or(0);
                    (
                        format!("the fuel of {fuel} wave-instructions is spent"),
                        "a wave was here",
                        Some(*span),
                    )
                }
                Trap::Cancelled { span } if late => {
                    let seconds = launch.timeout.unwrap_or_default().as_secs_f64();
                    (format!("the time of {seconds} s is spent"), "a wave was here", Some(*span))
                }
                Trap::Cancelled { span } => ("the run was cancelled".to_owned(), "", Some(*span)),
                Trap::Deadlock { span } => {
                    (format!("deadlock: {error}"), "a wave waits here", Some(*span))
                }
                Trap::Endless { span } => (
                    "endless loop: nothing that this loop tests can change".to_owned(),
                    "lanes never leave this loop",
                    Some(*span),
                ),
                Trap::OutOfMemory { .. } | Trap::DeviceLost { .. } => (error.to_string(), "", None),
            };
            let problem =
                Problem::new(Exit::Findings, format!("{what}, with waves of {width} lanes"));
            let problem = problem.at(span.unwrap_or(Span::NONE), label, sources);
            match trap {
                Trap::OutOfFuel { .. } => {
                    problem.help("if the program does end, give it more with --fuel N, or --fuel none for no bound")
                }
                Trap::Cancelled { .. }
                | Trap::Deadlock { .. }
                | Trap::Endless { .. }
                | Trap::OutOfMemory { .. }
                | Trap::DeviceLost { .. } => problem,
            }
        }
        DispatchError::Bug(bug) => Problem::bug(&bug.message),
        DispatchError::TooLarge(what) => {
            let problem = Problem::input(error.to_string()).at(what.span, "declared here", sources);
            problem.help("make the array smaller, or the group, or keep it in a buffer")
        }
        DispatchError::WaveSize { .. } | DispatchError::Unsupported(_) => {
            Problem::new(Exit::Unsupported, error.to_string().trim_start_matches("unsupported: "))
        }
        _ => Problem::input(error.to_string()),
    }
}
