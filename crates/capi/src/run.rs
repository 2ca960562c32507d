//! Running a pipeline, and examining it.

use wavelane::diagnostic::{Allows, Style};
use wavelane::internal::dispatch;
use wavelane::sanitizer::Plan;
use wavelane::{Dispatch, DispatchError};

use crate::error::{Failed, WlStatus, enter};
use crate::handles::{WlPipeline, WlTable, WlText, give, handle};

fn failed(error: &DispatchError, place: &str) -> Failed {
    let status = match error {
        DispatchError::Unsupported(_) | DispatchError::TooLarge(_) => WlStatus::WL_UNSUPPORTED,
        DispatchError::Trap(_) => WlStatus::WL_TRAP,
        DispatchError::Bug(_) => WlStatus::WL_BUG,
        _ => WlStatus::WL_BAD_INPUT,
    };
    Failed(status, format!("{place}{error}"))
}

/// How a shader is launched. `wave_size` 0 is the pipeline's default, `fuel` 0 no limit on the number of
/// wave-instructions.
#[repr(C)]
pub struct WlLaunch {
    pub groups_x: u32,
    pub groups_y: u32,
    pub groups_z: u32,
    pub wave_size: u32,
    pub fuel: u64,
}

impl WlLaunch {
    fn dispatch(&self) -> Dispatch {
        Dispatch {
            wave_size: (self.wave_size != 0).then_some(self.wave_size),
            fuel: (self.fuel != 0).then_some(self.fuel),
            ..Dispatch::new([self.groups_x, self.groups_y, self.groups_z])
        }
    }
}

/// Runs a pipeline to its end. What it writes is in the memory that the table has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_dispatch(
    pipeline: *const WlPipeline,
    launch: *const WlLaunch,
    table: *const WlTable,
) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires handles and a launch.
        let (pipeline, launch, table) = unsafe {
            (handle(pipeline, "pipeline")?, handle(launch, "launch")?, handle(table, "table")?)
        };
        let ended = dispatch(&pipeline.pipeline, &launch.dispatch(), &table.table);
        ended.map_err(|it| failed(&it, ""))
    })
}

/// Runs a pipeline under the sanitizer, at every width and in other orders; the memory does not change. `*findings` is
/// the number of findings that no comment of the source allows, and `*report` a text for `wl_text_free` that shows them
/// with source lines. `launch->wave_size` is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wl_examine(
    pipeline: *const WlPipeline,
    launch: *const WlLaunch,
    table: *const WlTable,
    findings: *mut usize,
    report: *mut *mut WlText,
) -> WlStatus {
    enter(|| {
        // SAFETY: the header requires handles and a launch.
        let (pipeline, launch, table) = unsafe {
            (handle(pipeline, "pipeline")?, handle(launch, "launch")?, handle(table, "table")?)
        };
        if findings.is_null() {
            return Err(Failed::input("the place for the number of findings is null"));
        }
        let plan = Plan::new(pipeline.pipeline.wave_sizes().to_vec());
        let dispatch = Dispatch { wave_size: None, ..launch.dispatch() };
        let examined = pipeline.pipeline.examine(&dispatch, &plan, &table.table);
        let examined = examined
            .map_err(|it| failed(&it.error, &format!("with waves of {} lanes: ", it.width)))?;
        let (mut allows, _) = Allows::read(&pipeline.sources);
        let left = examined.without_allowed(&mut allows, &pipeline.sources);
        let text = left.render(&pipeline.sources, Style::Plain);
        // SAFETY: the header requires places.
        unsafe {
            *findings = left.seen.len();
            give(report, WlText::new(&text))
        }
    })
}
