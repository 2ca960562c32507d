//! The draw that the command line describes, without a job.

use jobs::job::StateKey;

/// A draw; there is none if it names nothing to draw.
#[derive(Clone, Debug)]
pub(crate) struct DrawArgs {
    /// `fullscreen`, or the file of a mesh; with a mesh shader, how many groups of it run.
    pub(crate) what: String,
    pub(crate) size: [u32; 2],
    /// In the order of the targets that the pixel shader writes.
    pub(crate) targets: Vec<String>,
    /// Fixed state, in the order in which it was given, with the flag that gave it.
    pub(crate) state: Vec<(StateKey, &'static str, String)>,
    pub(crate) samples: Option<u32>,
    /// A vertex shader of the same file.
    pub(crate) vertex: Option<String>,
    /// A mesh shader of the same file, in its place.
    pub(crate) mesh: Option<String>,
    /// An amplification shader in front of that.
    pub(crate) amplification: Option<String>,
    /// A hull shader of the same file, and the domain shader behind it.
    pub(crate) hull: Option<String>,
    pub(crate) domain: Option<String>,
    /// A geometry shader of the same file.
    pub(crate) geometry: Option<String>,
    pub(crate) overlay: Option<Overlay>,
    /// Whether a GPU may choose how pixels are assigned to lanes.
    pub(crate) is_packed_by_device: bool,
}

impl DrawArgs {
    /// The draw, if there is one.
    pub(crate) fn asked(self) -> Option<DrawArgs> {
        (!self.what.is_empty()).then_some(self)
    }
}

/// What is drawn over a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    Quads,
    Helpers,
    Waves,
    /// The groups of a mesh shader.
    Meshlets,
    Patches,
}

impl Overlay {
    pub(crate) const ALL: [(&'static str, Overlay); 5] = [
        ("quads", Overlay::Quads),
        ("helpers", Overlay::Helpers),
        ("waves", Overlay::Waves),
        ("meshlets", Overlay::Meshlets),
        ("patches", Overlay::Patches),
    ];
}

impl Default for DrawArgs {
    fn default() -> DrawArgs {
        DrawArgs {
            what: String::new(),
            size: [256, 256],
            targets: Vec::new(),
            state: Vec::new(),
            samples: None,
            vertex: None,
            mesh: None,
            amplification: None,
            hull: None,
            domain: None,
            geometry: None,
            overlay: None,
            is_packed_by_device: false,
        }
    }
}
