//! Other texts in the place of a given program: compiled by its flags, with what is bound to it, examined and compared.
//!
//! Deliberately absent: which of them are wanted.

use std::collections::BTreeMap;

use wavelane::internal::{self, Slot, Slots, Verdict};
use wavelane::sanitizer::Report;
use wavelane::{Adapter, Device, Dispatch, DispatchError, Options, ResourceTable, Shader, Trap};

use crate::asked::{Launch, Sanitizing, WaveSizes};
use crate::compare::{self, Rules};
use crate::compile::Remembered;
use crate::plan::plan_of;
use crate::side::Side;
use crate::watch::Watch;

/// What all candidates have in common with the program.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) options: Options,
    pub(crate) included: BTreeMap<String, String>,
    /// The contents by the names and elements of resources.
    pub(crate) bound: Vec<(String, u32, Slot)>,
    pub(crate) launch: Launch,
    pub(crate) san: Sanitizing,
    pub(crate) adapter: Adapter,
}

/// A candidate may never end; one with more wave-instructions is not kept.
const MOST_FUEL: u64 = 1 << 22;

/// A text that compiles, with what is bound to it.
pub(crate) struct Candidate {
    pub(crate) shader: Shader,
    pub(crate) table: ResourceTable,
}

/// What is bound, for a [`Setting`].
pub(crate) fn contents(table: &ResourceTable) -> Vec<(String, u32, Slot)> {
    table.iter().map(|(it, element, slot)| (it.name.clone(), element, slot.clone())).collect()
}

impl Setting {
    /// `None` if it does not compile, or needs something that is not bound.
    pub(crate) fn compiled(&self, text: &str) -> Option<Candidate> {
        let included = &mut Remembered(&self.included);
        let compiled = Shader::compile(&self.name, text, &self.options, included).ok()?;
        let shader = compiled.shader?;
        let mut table = ResourceTable::new(&shader);
        for (name, element, slot) in &self.bound {
            if shader.resource(name).is_some_and(|(_, it)| it.used) {
                table.bind_at(name, *element, slot.clone()).ok()?;
            }
        }
        table.unbound().is_empty().then_some(Candidate { shader, table })
    }

    /// The widths at which candidates are looked at.
    pub(crate) fn widths(&self, candidate: &Candidate) -> Vec<u32> {
        let device = Device::new(self.adapter.clone());
        let Ok(pipeline) = device.create_compute_pipeline(&candidate.shader) else {
            return Vec::new();
        };
        let mut widths = pipeline.wave_sizes().to_vec();
        if let WaveSizes::List(list) = &self.launch.wave_sizes {
            widths.retain(|it| list.contains(it));
        }
        widths
    }

    fn dispatch(&self, width: u32) -> Dispatch {
        let fuel = self.launch.fuel.at(width).map_or(MOST_FUEL, |it| it.min(MOST_FUEL));
        Dispatch {
            wave_size: Some(width),
            lane_order: self.launch.lane_order,
            schedule: self.launch.schedule,
            fuel: Some(fuel),
            ..Dispatch::new(self.launch.groups)
        }
    }

    /// What the sanitizer finds at all widths; `None` if the program does not come to its end.
    pub(crate) fn examined(&self, candidate: &Candidate) -> Option<Report> {
        let device = Device::new(self.adapter.clone());
        let pipeline = device.create_compute_pipeline(&candidate.shader).ok()?;
        let widths = self.widths(candidate);
        let widest = widths.iter().copied().max()?;
        let plan = plan_of(&self.san, &[], widths, None).ok()?;
        pipeline.examine(&self.dispatch(widest), &plan, &candidate.table).ok()
    }

    /// Whether a program comes to its end, and the sanitizer finds nothing undefined in it.
    pub(crate) fn is_defined(&self, candidate: &Candidate) -> bool {
        self.examined(candidate).is_some_and(|it| undefined(&it).is_empty())
    }

    /// What a side leaves at a width.
    pub(crate) fn run(
        &self,
        side: &Side,
        candidate: &Candidate,
        width: u32,
    ) -> Result<ResourceTable, Left> {
        let pipeline = side.pipeline(&candidate.shader, &self.adapter).map_err(|_| Left::NotRun)?;
        if !pipeline.wave_sizes().contains(&width) {
            return Err(Left::NotRun);
        }
        let table = candidate.table.copied();
        let mut dispatch = self.dispatch(width);
        // No thread is started for a run that may take any time.
        let limit = self.launch.timeout.map(|it| Watch::start(Some(it), 0));
        dispatch.cancel = limit.as_ref().map(|it| it.cancel.clone());
        if pipeline.fallback(&dispatch, &table).is_some() {
            return Err(Left::NotRun);
        }
        match internal::dispatch(&pipeline, &dispatch, &table) {
            Ok(()) => Ok(table),
            Err(DispatchError::Unsupported(_) | DispatchError::WaveSize { .. }) => {
                Err(Left::NotRun)
            }
            Err(DispatchError::Trap(
                Trap::OutOfFuel { .. } | Trap::Deadlock { .. } | Trap::Endless { .. },
            )) => Err(Left::Endless),
            Err(DispatchError::Trap(Trap::Cancelled { .. })) => Err(Left::Late),
            Err(error) => Err(Left::Failed(error.to_string())),
        }
    }

    /// Whether a side leaves something else than the reference at any width. `None` if it runs at none.
    pub(crate) fn differs(&self, side: &Side, candidate: &Candidate) -> Option<bool> {
        let reference = Side::reference();
        let mut any = None;
        for width in self.widths(candidate) {
            let Ok(expected) = self.run(&reference, candidate, width) else { continue };
            let differs = match self.run(side, candidate, width) {
                Ok(got) => {
                    let found = compare::compare(&expected, &got, &self.rules());
                    found.is_some_and(|it| !(it.is_rounding && side.may_round(&candidate.shader)))
                }
                Err(Left::Failed(_) | Left::Endless) => true,
                // A run that was cut off says nothing of what it would have left.
                Err(Left::NotRun | Left::Late) => continue,
            };
            any = Some(any.unwrap_or(false) || differs);
        }
        any
    }

    fn rules(&self) -> Rules {
        Rules {
            room: self.san.float_room,
            unordered: self.san.unordered.clone(),
            without: Vec::new(),
        }
    }
}

/// Why a run left nothing.
#[derive(Debug)]
pub(crate) enum Left {
    /// The side cannot do it.
    NotRun,
    Failed(String),
    /// Its fuel was spent, or it waits for itself.
    Endless,
    /// Its time was spent.
    Late,
}

/// The codes of what is undefined in a report.
pub(crate) fn undefined(report: &Report) -> Vec<&'static str> {
    let all = report.seen.iter().filter(|it| it.finding.kind.verdict() == Verdict::Undefined);
    all.map(|it| it.finding.kind.code().name).collect()
}
