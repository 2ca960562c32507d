//! The assertions that fail in a plain run at each width, in the order that the flags ask for: the runs of the sweep
//! print nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jobs::{PassName, Sequence};
use wavelane::internal::{Pass, run_pass, width_of};
use wavelane::{ComputePipeline, Diagnostic, Dispatch, PrintLog, ResourceTable, Shader, SourceMap};

use crate::asked::Launch;
use crate::printed;

/// An assertion that fails, from the run with the narrowest waves; the report does not name the widths.
#[derive(Clone)]
pub(super) struct Failure {
    pub(super) report: Diagnostic,
    /// The first pass of a job in which it fails.
    pub(super) pass: Option<PassName>,
    pub(super) widths: Vec<u32>,
}

/// How the plain runs are launched.
pub(super) struct Plain<'a> {
    pub(super) launch: &'a Launch,
    pub(super) widths: &'a [u32],
    pub(super) cancel: &'a Arc<AtomicBool>,
}

impl Plain<'_> {
    /// Of one dispatch.
    pub(super) fn shader(
        &self,
        shader: &Shader,
        pipeline: &ComputePipeline,
        groups: [u32; 3],
        table: &ResourceTable,
        sources: &SourceMap,
    ) -> Vec<Failure> {
        let mut all = Vec::new();
        for width in self.widths.iter().filter(|_| shader.asserts()) {
            let Ok(table) = table.duplicate() else { continue };
            let log = self.log();
            let dispatch = self.dispatch(groups, *width, log.clone());
            // The sweep reports a run that does not run to its end.
            let _ = pipeline.dispatch(&dispatch, &table);
            add(&mut all, shader, &log, None, *width, sources);
        }
        all
    }

    /// Of the passes of a job, by the index of the program.
    pub(super) fn sequence(&self, sequence: &Sequence) -> Vec<Vec<Failure>> {
        let mut all: Vec<Vec<Failure>> = sequence.programs.iter().map(|_| Vec::new()).collect();
        let asserts = sequence.programs.iter().any(|it| it.shader.asserts());
        for width in self.widths.iter().filter(|_| asserts) {
            let Ok(passes) = Pass::copied(sequence.passes.iter().map(|it| &it.pass)) else {
                continue;
            };
            let mut fuel = self.launch.fuel.at(*width);
            for (it, pass) in sequence.passes.iter().zip(&passes) {
                let program = &sequence.programs[it.program];
                let log = self.log();
                let own = width_of(&program.pipeline, *width);
                let dispatch = Dispatch { fuel, ..self.dispatch([0; 3], own, log.clone()) };
                let spent = run_pass(&program.pipeline, &dispatch, pass);
                let found = &mut all[it.program];
                add(found, &program.shader, &log, Some(&it.name), *width, &program.sources);
                let Ok(spent) = spent else { break };
                fuel = fuel.map(|it| it.saturating_sub(spent));
            }
        }
        all
    }

    fn log(&self) -> Arc<PrintLog> {
        Arc::new(PrintLog::new(self.launch.print_limit))
    }

    fn dispatch(&self, groups: [u32; 3], width: u32, log: Arc<PrintLog>) -> Dispatch {
        Dispatch {
            wave_size: Some(width),
            lane_order: self.launch.lane_order,
            schedule: self.launch.schedule,
            fuel: self.launch.fuel.at(width),
            cancel: Some(self.cancel.clone()),
            prints: Some(log),
            ..Dispatch::new(groups)
        }
    }
}

fn add(
    all: &mut Vec<Failure>,
    shader: &Shader,
    log: &PrintLog,
    pass: Option<&PassName>,
    width: u32,
    sources: &SourceMap,
) {
    for report in printed::failures(&shader.printed(log), sources) {
        let known = all.iter_mut().find(|it| printed::is_same(&it.report, &report));
        match known {
            Some(it) if it.widths.contains(&width) => {}
            Some(it) => it.widths.push(width),
            None => {
                let report = match pass {
                    Some(pass) => report.note(format!("in {pass} of the job")),
                    None => report,
                };
                all.push(Failure { report, pass: pass.cloned(), widths: vec![width] });
            }
        }
    }
}
