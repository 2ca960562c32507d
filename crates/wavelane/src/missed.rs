//! Accesses that had no effect: writes and reads beyond the end of what they access, and reads of inactive lanes.
//!
//! Robust buffer access makes them harmless and silent, so a mistake looks like a wrong result. They are counted by a
//! separate run on the reference engine, which has an observer: machine code masks what is out of bounds, and counting
//! there would cost every access an instruction. That run has its own bound; where it ends early, the first and the
//! last groups have been seen, and the counts are lower bounds.
//!
//! The sanitizer reports why an access misses. Not part of the stability promise.

use std::collections::BTreeMap;
use std::sync::Arc;

use diag::Span;
use interp::observe::{AccessEvent, At, Observer, Space, WaveEvent};
use ir::exec::{Bindings, Launch, Schedule};
use ir::{Inst, Module};
use ops::LaneMask;
use ops::wave::hazards;

use crate::guard::catch;
use crate::{ComputePipeline, Dispatch, ResourceTable};

/// The most bytes of buffers that are copied for the run that counts.
const MOST_BYTES: usize = 8 << 20;

/// What missed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missed {
    /// By the name of the buffer or the array, how many lanes read and wrote beyond its end.
    pub beyond: BTreeMap<String, Beyond>,
    /// How many lanes read a lane that was inactive, or that a wave does not have.
    pub inactive: u64,
    /// The counts are those of a part of the run.
    pub is_partial: bool,
}

/// Accesses beyond the end of one buffer or array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beyond {
    /// They give 0.
    pub reads: u64,
    /// They are dropped.
    pub writes: u64,
}

impl Missed {
    /// Whether nothing missed.
    pub fn is_empty(&self) -> bool {
        self.beyond.is_empty() && self.inactive == 0
    }

    /// The larger counts of two parts of a run.
    fn or(mut self, other: Missed) -> Missed {
        for (name, its) in other.beyond {
            let ours = self.beyond.entry(name).or_default();
            let (reads, writes) = (ours.reads.max(its.reads), ours.writes.max(its.writes));
            *ours = Beyond { reads, writes };
        }
        self.inactive = self.inactive.max(other.inactive);
        self
    }
}

/// A run that counts, on its own copy of the contents: it can be done while the dispatch itself runs.
pub struct Counting {
    module: Arc<Module>,
    launch: Launch,
    bindings: Bindings,
}

impl Counting {
    /// Gets ready to count what misses in a dispatch that starts from what `table` holds. At most `fuel`
    /// wave-instructions are run from either end. `None` where nothing can miss, or the buffers are too large to copy.
    pub fn of(
        pipeline: &ComputePipeline,
        dispatch: &Dispatch,
        table: &ResourceTable,
        fuel: u64,
    ) -> Option<Counting> {
        let module = &pipeline.shader.module;
        if !module.insts.iter().any(|it| can_miss(&it.op)) {
            return None;
        }
        let mut launch = pipeline.launch(dispatch, table).ok()?;
        launch.fuel = Some(launch.fuel.map_or(fuel, |it| it.min(fuel)));
        launch.progress = None;
        let copy = |bindings: &mut Bindings| {
            let all = bindings.bindings.iter().flatten();
            let bytes: usize = all.map(|it| it.bytes.len()).sum();
            Ok((bytes <= MOST_BYTES).then(|| bindings.clone()))
        };
        let bindings = table.with_bindings(copy).ok().flatten()?;
        Some(Counting { module: module.clone(), launch, bindings })
    }

    /// Counts. `None` if that is not possible.
    pub fn count(self) -> Option<Missed> {
        let Counting { module, launch, bindings } = self;
        let first = catch(|| run(&module, &launch, bindings.clone())).ok()?;
        if !first.is_partial {
            return Some(first);
        }
        let launch = Launch { schedule: Schedule::Descending, ..launch };
        let last = catch(|| run(&module, &launch, bindings)).ok();
        Some(match last {
            Some(last) => first.or(last),
            None => first,
        })
    }
}

fn run(module: &Module, launch: &Launch, mut bindings: Bindings) -> Missed {
    let mut counter = Counter { module, found: Missed::default(), last: None };
    let ended = interp::run(module, launch, &mut bindings, &mut counter);
    Missed { is_partial: ended.is_err(), ..counter.found }
}

fn can_miss(op: &ir::Op) -> bool {
    matches!(op, ir::Op::Wave { .. } | ir::Op::Texture(_))
        || op.effects().memory().is_some_and(|it| it.0 != ir::facts::Space::Queries)
}

struct Counter<'a> {
    module: &'a Module,
    found: Missed,
    last: Option<Last<'a>>,
}

/// The last access that missed. What one expression does to the components of a value is one access of its lanes,
/// though it is several instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Last<'a> {
    name: &'a str,
    writes: bool,
    group: [u32; 3],
    wave: u32,
    inst: Inst,
    span: Span,
    lanes: LaneMask,
}

impl Counter<'_> {
    fn count(&mut self, event: &AccessEvent<'_>, writes: bool) {
        let outside = event.at.active & !event.in_bounds;
        if outside.is_empty() {
            return;
        }
        let module = self.module;
        let name = match event.space {
            Space::Buffer(binding, _) => module.resource(binding).name.as_str(),
            Space::Shared(it) => module.groupshared[it.index()].name.as_str(),
            Space::Private(it) => module.privates[it.index()].name.as_str(),
            Space::Counter(_) => return,
        };
        let At { group, wave, inst, span, .. } = event.at;
        // The same instruction again, or one before it, is another iteration.
        let is_same = |it: &Last<'_>| {
            (it.name, it.writes, it.group, it.wave, it.span) == (name, writes, group, wave, span)
                && it.inst.index() < inst.index()
        };
        let counted = self.last.filter(is_same).map_or(LaneMask::EMPTY, |it| it.lanes);
        self.last = Some(Last { name, writes, group, wave, inst, span, lanes: outside | counted });
        let lanes = u64::from((outside & !counted).count());
        let beyond = match self.found.beyond.get_mut(name) {
            Some(beyond) => beyond,
            None => self.found.beyond.entry(name.to_owned()).or_default(),
        };
        match writes {
            true => beyond.writes += lanes,
            false => beyond.reads += lanes,
        }
    }
}

impl Observer for Counter<'_> {
    const POISON: bool = false;
    const INDIRECT: bool = true;

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.count(event, false);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.count(event, true);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.count(event, true);
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        let found = hazards(event.op, &event.wave, event.args);
        self.found.inactive +=
            u64::from((found.inactive_source | found.index_out_of_range).count());
    }
}
