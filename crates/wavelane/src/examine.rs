//! Running a pipeline under the sanitizer.

use std::fmt;
use std::sync::Arc;

use ir::Module;
use ir::exec::Bindings;
use sanitizer::{FailedSweep, Plan, Prepared, Report};

use crate::engines::cpu::Unobserved;
use crate::guard::catch;
use crate::{ComputePipeline, Dispatch, DispatchError, ResourceTable};

/// Why a sweep failed, and at which width.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamineError {
    /// The width of waves of the run that failed.
    pub width: u32,
    /// The error.
    pub error: DispatchError,
    /// The findings up to then.
    pub found: Report,
}

impl ExamineError {
    fn early(width: u32, error: DispatchError) -> Box<ExamineError> {
        Box::new(ExamineError { width, error, found: Report::default() })
    }
}

impl fmt::Display for ExamineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "with waves of {} lanes: {}", self.width, self.error)
    }
}

impl std::error::Error for ExamineError {}

/// What the sanitizer makes of a module, for all examinations of a pipeline.
pub(crate) struct Examination {
    prepared: Prepared,
    fast: Unobserved,
}

impl Examination {
    fn new(module: &Arc<Module>) -> Examination {
        Examination {
            prepared: Prepared::new(Arc::clone(module)),
            fast: Unobserved::new(Arc::clone(module)),
        }
    }
}

impl fmt::Debug for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Examination").finish_non_exhaustive()
    }
}

impl ComputePipeline {
    /// Runs the pipeline as the plan says, on the reference engine, and reports the findings. Runs of which only the
    /// results matter may be left to the engine `cpu`, which gives the same.
    ///
    /// Each run begins with the contents of `table`, which do not change. `dispatch.wave_size` is ignored: the plan has
    /// the widths.
    ///
    /// ```
    /// use wavelane::diagnostic::{Allows, Style};
    /// use wavelane::sanitizer::Plan;
    /// use wavelane::*;
    ///
    /// let text = "RWStructuredBuffer<uint> Out;
    ///     [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) { Out[0] = i; }";
    /// let compiled = Shader::compile("race.hlsl", text, &Options::default(), &mut NoIncludes)?;
    /// let sources = compiled.sources.clone();
    /// let shader = compiled.shader()?;
    /// let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader)?;
    /// let mut table = ResourceTable::new(&shader);
    /// table.bind("Out", Buffer::zeroed::<u32>(1))?;
    /// let plan = Plan::new(pipeline.wave_sizes().to_vec());
    /// let report = pipeline.examine(&Dispatch::new([1, 1, 1]), &plan, &table)?;
    /// // Comments of the source, `// wavelane: allow(race): REASON`, hide what they allow.
    /// let (mut allows, _) = Allows::read(&sources);
    /// let report = report.without_allowed(&mut allows, &sources);
    /// assert!(!report.seen.is_empty());
    /// print!("{}", report.render(&sources, Style::Plain));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn examine(
        &self,
        dispatch: &Dispatch,
        plan: &Plan,
        table: &ResourceTable,
    ) -> Result<Report, Box<ExamineError>> {
        let first = plan.widths.first().copied().unwrap_or_else(|| self.default_wave_size());
        let mut launch = None;
        for width in plan.widths.iter().copied().chain([first]) {
            let at_width = Dispatch { wave_size: Some(width), ..dispatch.clone() };
            let made = self.launch(&at_width, table);
            launch = Some(made.map_err(|error| ExamineError::early(width, error))?);
        }
        let Some(launch) = launch else { unreachable!("there is at least the first width") };
        let Examination { prepared, fast } =
            self.examination.get_or_init(|| Examination::new(&self.shader.module));
        let examine = |bindings: &mut Bindings| {
            Ok(catch(|| sanitizer::examine_with(prepared, &launch, bindings, plan, Some(fast))))
        };
        let result = table
            .with_bindings(examine)
            .map_err(|failure| ExamineError::early(first, failure.into()))?;
        match result {
            Ok(Ok(report)) => Ok(report),
            Ok(Err(stopped)) => {
                let FailedSweep { width, failure, report: found } = *stopped;
                Err(Box::new(ExamineError { width, error: failure.into(), found }))
            }
            Err(bug) => Err(ExamineError::early(first, DispatchError::Bug(bug))),
        }
    }
}
