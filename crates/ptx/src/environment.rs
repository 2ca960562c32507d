//! What a kernel is emitted for: the architecture, and what is known about the bound resources.

use ir::exec::ElementFormat;
use legalize::Target;

/// The assumed properties of the device and of what is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelEnvironment {
    /// The compute capability as a number, such as 90 for `sm_90`.
    pub sm: u32,
    /// The lanes of a wave: 4 to 128. Those of less than 32 share a warp, and a thread holds several lanes of wider
    /// ones.
    pub width: u32,
    /// For each resource of the module, the format of its texels if it differs from the shader's own element type;
    /// empty if none does.
    pub formats: Vec<Option<ElementFormat>>,
    /// For each resource of the module, the formats of the textures that are bound ([`legalize::formats`]); empty if
    /// that is unknown: then each has the format of its element type.
    pub textures: Vec<Vec<ops::texture::Format>>,
    /// For each resource of the module, what determines sampler feedback; empty if that is unknown.
    pub feedback: Vec<legalize::Feedback>,
    /// The sizes of the bound buffers, if groups may run in turn ([`legalize::merged()`]) and add at once
    /// ([`legalize::aggregated()`]).
    pub sizes: Option<Vec<usize>>,
    /// The dispatch, if the kernel is for that one only: accesses that are in bounds in all its threads are not tested.
    pub dispatch: Option<legalize::Dispatch>,
    /// The least number of blocks that keeps the device busy, if a block may run several groups of that dispatch
    /// ([`legalize::coarsened()`]).
    pub blocks: Option<u32>,
}

/// The compute capabilities, and the lowest version of PTX that knows each.
const ARCHITECTURES: [(u32, &str); 12] = [
    (75, "7.0"),
    (80, "7.0"),
    (86, "7.1"),
    (87, "7.4"),
    (88, "9.0"),
    (89, "7.8"),
    (90, "7.8"),
    (100, "8.6"),
    (103, "8.8"),
    (110, "9.0"),
    (120, "8.7"),
    (121, "8.8"),
];

impl KernelEnvironment {
    /// The least capability that is supported.
    pub const LEAST: u32 = 75;

    /// The capabilities that have a name, ascending.
    pub fn architectures() -> impl Iterator<Item = u32> {
        ARCHITECTURES.iter().map(|it| it.0)
    }

    /// An environment for a device of this capability: the newest architecture that it can run. `None` if it is too
    /// old.
    pub fn for_device(sm: u32) -> Option<KernelEnvironment> {
        let sm = KernelEnvironment::architectures().filter(|it| *it <= sm).last()?;
        Some(KernelEnvironment {
            sm,
            width: crate::LANES,
            formats: Vec::new(),
            textures: Vec::new(),
            feedback: Vec::new(),
            sizes: None,
            dispatch: None,
            blocks: None,
        })
    }

    /// The version of PTX: as low as the architecture allows, so that older drivers take it.
    pub(crate) fn version(&self) -> &'static str {
        let known = ARCHITECTURES.iter().rev().find(|it| it.0 <= self.sm);
        known.map_or("7.0", |it| it.1)
    }

    /// What PTX and its assembler lack, and what is slow on the device.
    pub(crate) fn target(&self) -> Target {
        let target = Target::cuda();
        if self.sizes.is_none() && self.dispatch.is_none() {
            return target;
        }
        let target = target.with_rewrites();
        match self.has_redux() {
            true => target.with_matches_by_bits(self.width),
            false => target,
        }
    }

    /// Whether integers are reduced by one instruction (`redux.sync`), which folds over a whole warp.
    pub(crate) fn has_redux(&self) -> bool {
        self.sm >= 80 && !self.is_packed()
    }

    /// Whether several waves share a warp.
    pub(crate) fn is_packed(&self) -> bool {
        self.width < crate::LANES
    }

    /// The set of all lanes of a wave.
    pub(crate) fn all_lanes(&self) -> u32 {
        u32::MAX >> (crate::LANES - self.width)
    }
}
