//! Variants of a given program's text: compiled by its flags, with what is bound to it, examined and compared. A
//! program is dispatched, or it is a draw, whose shaders are all in the text.
//!
//! Deliberately absent: which of them are wanted.

mod draw;

use std::collections::BTreeMap;

use jobs::DrawnRun;
use wavelane::internal::{self, Seen, Slot, Slots, Verdict};
use wavelane::sanitizer::Plan;
use wavelane::{
    Adapter, Device, Dispatch, DispatchError, Options, ResourceTable, Shader, Stage, Trap,
};

use crate::asked::{Binds, DrawArgs, Launch, Sanitizing, WaveSizes};
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
    pub(crate) bound: Vec<Bound>,
    /// What is drawn, instead of a dispatch; the options are those of the pixel shader.
    pub(crate) drawing: Option<Drawing>,
    pub(crate) launch: Launch,
    pub(crate) san: Sanitizing,
    pub(crate) adapter: Adapter,
}

/// The contents of an element of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) stage: Stage,
    pub(crate) name: String,
    pub(crate) element: u32,
    pub(crate) slot: Slot,
}

/// A draw as it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) asked: DrawArgs,
    pub(crate) binds: Binds,
}

/// A candidate may never end; one with more wave-instructions is not kept.
const MOST_FUEL: u64 = 1 << 22;

/// A text that compiles, with what is bound to it.
pub(crate) enum Candidate {
    Dispatch { shader: Shader, table: ResourceTable },
    Draw(Box<DrawnRun>),
}

/// What a run left.
pub(crate) enum Contents {
    Table(ResourceTable),
    Drawn(internal::Left),
}

/// What is bound to the shader of a stage, for a [`Setting`].
pub(crate) fn contents(stage: Stage, table: &ResourceTable) -> Vec<Bound> {
    let bound = table.iter().map(|(resource, element, slot)| {
        let (name, slot) = (resource.name.clone(), slot.clone());
        Bound { stage, name, element, slot }
    });
    bound.collect()
}

impl Contents {
    /// The bytes of a buffer.
    pub(crate) fn buffer(&self, name: &str) -> Option<Vec<u8>> {
        match self {
            Contents::Table(table) => table.get(name, 0).map(|it| it.bytes.to_vec()),
            Contents::Drawn(left) => {
                let found = left.contents.iter().find(|it| it.name == name);
                found.map(|it| it.buffer.bytes.to_vec())
            }
        }
    }
}

impl Setting {
    /// `None` if it does not compile, or needs something that is not bound.
    pub(crate) fn compiled(&self, text: &str) -> Option<Candidate> {
        if let Some(drawing) = &self.drawing {
            return self.drawn(drawing, text).map(|it| Candidate::Draw(Box::new(it)));
        }
        let included = &mut Remembered(&self.included);
        let compiled = Shader::compile(&self.name, text, &self.options, included).ok()?;
        let shader = compiled.shader?;
        let mut table = ResourceTable::new(&shader);
        self.bind(&shader, Stage::Compute, &mut table)?;
        Some(Candidate::Dispatch { shader, table })
    }

    /// Binds to a shader what the program was given. `None` if it needs more.
    fn bind(&self, shader: &Shader, stage: Stage, table: &mut ResourceTable) -> Option<()> {
        for Bound { name, element, slot, .. } in self.bound.iter().filter(|it| it.stage == stage) {
            let is_used = shader.resource(name).is_some_and(|(_, it)| it.used);
            if is_used && table.get(name, *element).is_none() {
                table.bind_at(name, *element, slot.clone()).ok()?;
            }
        }
        table.unbound().is_empty().then_some(())
    }

    /// The widths at which candidates are examined.
    pub(crate) fn widths(&self, candidate: &Candidate) -> Vec<u32> {
        let mut widths = match candidate {
            Candidate::Dispatch { shader, .. } => {
                let device = Device::new(self.adapter.clone());
                let Ok(pipeline) = device.create_compute_pipeline(shader) else {
                    return Vec::new();
                };
                pipeline.wave_sizes().to_vec()
            }
            Candidate::Draw(run) => run.pipeline.wave_sizes().to_vec(),
        };
        if let WaveSizes::List(list) = &self.launch.wave_sizes {
            widths.retain(|it| list.contains(it));
        }
        widths
    }

    fn fuel(&self, width: u32) -> u64 {
        self.launch.fuel.at(width).map_or(MOST_FUEL, |it| it.min(MOST_FUEL))
    }

    fn dispatch(&self, width: u32) -> Dispatch {
        Dispatch {
            wave_size: Some(width),
            lane_order: self.launch.lane_order,
            schedule: self.launch.schedule,
            fuel: Some(self.fuel(width)),
            ..Dispatch::new(self.launch.groups)
        }
    }

    /// What the sanitizer finds at all widths, with or without the causes of differences; `None` if the program does
    /// not run to its end.
    pub(crate) fn examined(&self, candidate: &Candidate, explains: bool) -> Option<Vec<Seen>> {
        let widths = self.widths(candidate);
        let widest = widths.iter().copied().max()?;
        let plan = Plan { explains, ..plan_of(&self.san, &[], widths, None).ok()? };
        match candidate {
            Candidate::Dispatch { shader, table } => {
                let device = Device::new(self.adapter.clone());
                let pipeline = device.create_compute_pipeline(shader).ok()?;
                pipeline.examine(&self.dispatch(widest), &plan, table).ok().map(|it| it.seen)
            }
            Candidate::Draw(run) => self.examined_draw(run, widest, &plan),
        }
    }

    /// Whether a program runs to its end, and the sanitizer finds nothing undefined in it.
    pub(crate) fn is_defined(&self, candidate: &Candidate) -> bool {
        self.examined(candidate, false).is_some_and(|it| undefined(&it).is_empty())
    }

    /// What a side leaves at a width.
    pub(crate) fn run(
        &self,
        side: &Side,
        candidate: &Candidate,
        width: u32,
    ) -> Result<Contents, Left> {
        let (shader, table) = match candidate {
            Candidate::Dispatch { shader, table } => (shader, table),
            Candidate::Draw(run) => {
                return self.draw(side, run, width, |_| {}).map(Contents::Drawn);
            }
        };
        let pipeline = side.pipeline(shader, &self.adapter).map_err(|_| Left::NotRun)?;
        if !pipeline.wave_sizes().contains(&width) {
            return Err(Left::NotRun);
        }
        let table = table.copied();
        let mut dispatch = self.dispatch(width);
        let limit = self.limit();
        dispatch.cancel = limit.as_ref().map(|it| it.cancel.clone());
        if pipeline.fallback(&dispatch, &table).is_some() {
            return Err(Left::NotRun);
        }
        match internal::dispatch(&pipeline, &dispatch, &table) {
            Ok(()) => Ok(Contents::Table(table)),
            Err(error) => Err(Left::of(&error)),
        }
    }

    /// The time limit of a run. No thread is started for one that may take any time.
    fn limit(&self) -> Option<Watch> {
        self.launch.timeout.map(|it| Watch::start(Some(it), 0))
    }

    /// Whether the results of a side differ from the reference's at any width. `None` if it runs at none.
    pub(crate) fn differs(&self, side: &Side, candidate: &Candidate) -> Option<bool> {
        let mut any = None;
        for width in self.widths(candidate) {
            let differs = match candidate {
                Candidate::Dispatch { shader, .. } => {
                    self.differs_at(side, candidate, shader, width)
                }
                Candidate::Draw(run) => self.draw_differs(side, run, width),
            };
            let Some(differs) = differs else { continue };
            any = Some(any.unwrap_or(false) || differs);
        }
        any
    }

    /// The same for a dispatch at one width.
    fn differs_at(
        &self,
        side: &Side,
        candidate: &Candidate,
        shader: &Shader,
        width: u32,
    ) -> Option<bool> {
        let Ok(Contents::Table(expected)) = self.run(&Side::reference(), candidate, width) else {
            return None;
        };
        match self.run(side, candidate, width) {
            Ok(Contents::Table(got)) => {
                let found = compare::compare(&expected, &got, &self.rules());
                Some(found.is_some_and(|it| !(it.is_rounding && side.may_round(shader))))
            }
            Ok(Contents::Drawn(_)) => unreachable!("a dispatch leaves a table"),
            Err(why) => why.is_difference(),
        }
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

impl Left {
    fn of(error: &DispatchError) -> Left {
        match error {
            DispatchError::Unsupported(_) | DispatchError::WaveSize { .. } => Left::NotRun,
            DispatchError::Trap(
                Trap::OutOfFuel { .. } | Trap::Deadlock { .. } | Trap::Endless { .. },
            ) => Left::Endless,
            DispatchError::Trap(Trap::Cancelled { .. }) => Left::Late,
            error => Left::Failed(error.to_string()),
        }
    }

    /// Whether it differs from the reference's results, if the reference has any.
    fn is_difference(&self) -> Option<bool> {
        match self {
            Left::Failed(_) | Left::Endless => Some(true),
            // The results of a run that was cut off are unknown.
            Left::NotRun | Left::Late => None,
        }
    }
}

/// The codes of what is undefined among findings.
pub(crate) fn undefined(seen: &[Seen]) -> Vec<&'static str> {
    let all = seen.iter().filter(|it| it.finding.kind.verdict() == Verdict::Undefined);
    all.map(|it| it.finding.kind.code().name).collect()
}
