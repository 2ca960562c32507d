//! Which lanes are active where: for every wave the lines it reaches, in order, with the active set, and for every line
//! how often that is and how many lanes it has.
//!
//! A step is an event of the run (an access, a wave operation, a branch, a join) at another line, or with another
//! active set, than the one before. A line that only computes has no event and so no step.

use std::collections::{BTreeMap, HashMap};

use interp::Observer;
use interp::observe::{AccessEvent, At, BarrierEvent, DivergeEvent, ExitTo, WaveEvent};
use ops::LaneMask;
use serde_json::{Value, json};

use crate::place::Places;

/// The steps that are kept of a wave, and of all: what comes after is counted.
const MOST_STEPS: usize = 2000;
const MOST_STEPS_OF_ALL: usize = 20_000;
const MOST_WAVES: usize = 64;

/// Watches one run.
pub(crate) struct Lanes<'a> {
    places: &'a Places,
    /// The line of each span that has occurred.
    lines: HashMap<(u32, u32), Option<u32>>,
    waves: Vec<WaveLanes>,
    index: HashMap<([u32; 3], u32), usize>,
    profile: BTreeMap<u32, Line>,
    kept: usize,
}

struct WaveLanes {
    group: [u32; 3],
    wave: u32,
    /// The lanes that exist.
    first: LaneMask,
    steps: Vec<(u32, LaneMask)>,
    last: Option<(u32, LaneMask)>,
    more: u64,
}

#[derive(Default)]
struct Line {
    times: u64,
    lanes: u64,
}

impl<'a> Lanes<'a> {
    pub(crate) fn new(places: &'a Places) -> Lanes<'a> {
        Lanes {
            places,
            lines: HashMap::new(),
            waves: Vec::new(),
            index: HashMap::new(),
            profile: BTreeMap::new(),
            kept: 0,
        }
    }

    fn step(&mut self, at: &At) {
        let places = self.places;
        let expansion = at.span.expansion.number();
        let line =
            *self.lines.entry((at.span.lo, expansion)).or_insert_with(|| places.line(at.span));
        let Some(line) = line else { return };
        let step = (line, at.active);
        let Some(number) = self.index.get(&(at.group, at.wave)).copied() else { return };
        let wave = &mut self.waves[number];
        if wave.last == Some(step) || at.active.is_empty() {
            return;
        }
        wave.last = Some(step);
        let count = self.profile.entry(line).or_default();
        count.times += 1;
        count.lanes += u64::from(at.active.count());
        let has_room = wave.steps.len() < MOST_STEPS && self.kept < MOST_STEPS_OF_ALL;
        if has_room && number < MOST_WAVES {
            self.kept += 1;
            wave.steps.push(step);
        } else {
            wave.more += 1;
        }
    }

    /// Everything that was seen, at this width.
    pub(crate) fn answer(&self, width: u32) -> Value {
        let hex = |lanes: LaneMask| format!("{:x}", lanes.0);
        let waves = self.waves.iter().take(MOST_WAVES).map(|wave| {
            let steps = wave.steps.iter().map(|(line, lanes)| json!([line, hex(*lanes)]));
            json!({
                "group": wave.group, "wave": wave.wave, "lanes": hex(wave.first),
                "steps": steps.collect::<Vec<Value>>(), "more": wave.more,
            })
        });
        let lines = self.profile.iter().map(|(line, it)| {
            let average = it.lanes as f64 / it.times.max(1) as f64;
            json!({ "line": line, "times": it.times, "average": (average * 10.0).round() / 10.0 })
        });
        json!({
            "width": width,
            "waves": waves.collect::<Vec<Value>>(),
            "more_waves": self.waves.len().saturating_sub(MOST_WAVES),
            "lines": lines.collect::<Vec<Value>>(),
        })
    }
}

impl Observer for Lanes<'_> {
    const POISON: bool = false;

    fn wave_begin(&mut self, at: At) {
        self.index.insert((at.group, at.wave), self.waves.len());
        self.waves.push(WaveLanes {
            group: at.group,
            wave: at.wave,
            first: at.active,
            steps: Vec::new(),
            last: None,
            more: 0,
        });
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        self.step(&event.at);
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        self.step(&event.at);
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.step(&event.at);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.step(&event.at);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.step(&event.at);
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        self.step(&event.at);
    }

    fn exit(&mut self, at: At, _to: ExitTo) {
        self.step(&at);
    }
}
