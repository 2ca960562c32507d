//! A recording as plain steps, for scripts.

use ops::LaneMask;
use serde_json::{Value, json};

use crate::comparison::{Comparison, Difference};
use crate::recorder::{Recording, Wave};

/// The set as a number in hexadecimal, with a digit for every four lanes.
pub fn mask(LaneMask(set): LaneMask, width: u32) -> String {
    let digits = width.div_ceil(4) as usize;
    format!("0x{set:0digits$x}")
}

/// Each step of each wave: its line and its active lanes, bit `i` for lane `i`. A step with shuffles has them, too: for
/// each the call, and for each lane the lane that it reads.
pub fn json(recording: &Recording) -> Value {
    let width = recording.program.wave_size;
    let wave = |it: &Wave| {
        let read = |read: &crate::Read| {
            let mut from = vec![None; width as usize];
            it.pairs(read).for_each(|(lane, source)| from[lane as usize] = Some(source));
            json!({"call": recording.shuffles[read.shuffle as usize].text, "from": from})
        };
        let step = |(number, step): (usize, &crate::Step)| {
            let line = recording.statements[step.statement as usize].line;
            let mut data = json!({"line": line, "active": mask(step.active, width)});
            let reads = it.reads_of(number);
            if !reads.is_empty() {
                data["reads"] = reads.iter().map(read).collect();
            }
            data
        };
        json!({
            "group": it.group,
            "wave": it.wave,
            "steps": it.steps.iter().enumerate().map(step).collect::<Vec<_>>(),
        })
    };
    let mut data = json!({
        "wave_size": width,
        "groups": recording.program.groups,
        "complete": recording.complete,
        "waves": recording.waves.iter().map(wave).collect::<Vec<_>>(),
    });
    if let Some(it) = &recording.comparison {
        data["comparison"] = comparison(it);
    }
    data
}

/// The values in which another engine differs. `wave` and `step` count in the recording.
pub(crate) fn comparison(comparison: &Comparison) -> Value {
    let difference = |it: &Difference| {
        json!({
            "place": it.place, "here": it.here, "there": it.there, "rounding": it.is_rounding,
            "lane": it.writer.map(|it| it.0), "line": it.writer.map(|it| it.1),
            "wave": it.at.map(|it| it.0), "step": it.at.map(|it| it.1),
        })
    };
    json!({
        "engine": comparison.engine,
        "count": comparison.count,
        "differences": comparison.differences.iter().map(difference).collect::<Vec<_>>(),
    })
}
