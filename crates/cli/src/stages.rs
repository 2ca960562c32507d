//! The stages of generated programs, by their names in flags and units.

use wavelane::Stage;

/// All of them; `mesh` includes the amplification shader before it.
pub(crate) const STAGES: [Stage; 3] = [Stage::Compute, Stage::Pixel, Stage::Mesh];

/// The stage of that name.
pub(crate) fn stage_of(name: &str) -> Option<Stage> {
    STAGES.into_iter().find(|it| it.word() == name)
}

/// The name of a stage in units; the default has none.
pub(crate) fn in_unit(stage: Stage) -> String {
    if stage == Stage::Compute { String::new() } else { stage.word().to_owned() }
}

/// The stage of a unit.
pub(crate) fn of_unit(name: &str) -> Option<Stage> {
    if name.is_empty() { Some(Stage::Compute) } else { stage_of(name) }
}
