//! A recording as plain steps, for scripts.

use ops::LaneMask;
use serde_json::{Value, json};

use crate::recorder::{Recording, Wave};

/// The set as a number in hexadecimal, with a digit for every four lanes.
pub fn mask(LaneMask(set): LaneMask, width: u32) -> String {
    let digits = width.div_ceil(4) as usize;
    format!("0x{set:0digits$x}")
}

/// Each step of each wave: its line and its active lanes, bit `i` for lane `i`.
pub fn json(recording: &Recording) -> Value {
    let width = recording.program.wave_size;
    let wave = |it: &Wave| {
        let step = |it: &crate::Step| {
            let line = recording.statements[it.statement as usize].line;
            json!({"line": line, "active": mask(it.active, width)})
        };
        json!({
            "group": it.group,
            "wave": it.wave,
            "steps": it.steps.iter().map(step).collect::<Vec<_>>(),
        })
    };
    json!({
        "wave_size": width,
        "groups": recording.program.groups,
        "complete": recording.complete,
        "waves": recording.waves.iter().map(wave).collect::<Vec<_>>(),
    })
}
