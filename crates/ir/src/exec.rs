//! The execution contract: the parameters of a launch, the contents of memory, and how a run can end.
//!
//! Two engines given the same launch and the same memory leave the same bytes, unless the language leaves the
//! result open.
//! Which wave runs when, and when it lets others run, is defined in [`crate::turns`].
//! Nothing here reads a clock: callers that want a time-out set the cancellation flag.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use diag::Span;
use ops::intrinsics::ShaderModel;
use ops::texture::{Channel, Encoding};

pub use crate::bytes::{Bytes, Lender};
pub use crate::feed::{
    Assembled, Evaluated, Feed, FeedInPlace, Invocation, Rows, WaveInPlace, WaveInputs, WaveOutputs,
};
pub use crate::footprint::{Footprint, TooLarge};
use crate::print::PrintLog;
use crate::{Module, WaveSize};

/// One piece of work for an engine.
#[derive(Clone, Debug)]
pub struct Launch {
    pub work: Work,
    /// Lanes in a wave: a power of two, 4 to 128.
    pub wave_width: u32,
    pub lane_order: LaneOrder,
    pub schedule: Schedule,
    /// How many wave-instructions may run before the run is ended; `None` for no bound. What takes longer than a row of
    /// arithmetic counts for several: see [`crate::effort`].
    pub fuel: Option<u64>,
    /// Set from outside to end the run early.
    pub cancel: Option<Arc<AtomicBool>>,
    /// Counts the waves and groups that have finished, for progress reports.
    pub progress: Option<Arc<AtomicU64>>,
    /// Receives what the program prints; without it, nothing is recorded.
    pub prints: Option<Arc<PrintLog>>,
    /// Set to the fuel that the run has spent, however it ended, if `fuel` bounds it. A GPU counts none.
    pub spent: Option<Arc<AtomicU64>>,
}

/// The largest thread count of a group in any language version, with some slack.
const MOST_THREADS: u64 = 1 << 16;

impl Launch {
    /// A dispatch of this many groups in the canonical order, without a bound.
    pub fn dispatch(groups: [u32; 3], wave_width: u32) -> Launch {
        Launch::new(Work::Dispatch { groups }, wave_width)
    }

    /// The waves that a feed supplies, in the canonical order, without a bound.
    pub fn waves(wave_width: u32) -> Launch {
        Launch::new(Work::Waves, wave_width)
    }

    fn new(work: Work, wave_width: u32) -> Launch {
        Launch {
            work,
            wave_width,
            lane_order: LaneOrder::Linear,
            schedule: Schedule::Ascending,
            fuel: None,
            cancel: None,
            progress: None,
            prints: None,
            spent: None,
        }
    }

    /// How many groups run, in x, y and z: none if the lanes come from a feed.
    pub fn groups(&self) -> [u32; 3] {
        match self.work {
            Work::Dispatch { groups } => groups,
            Work::Waves => [0; 3],
        }
    }

    /// Whether any engine can run the launch, given the module's requirements on groups and waves.
    pub fn check(
        &self,
        group_size: [u32; 3],
        wave_size: WaveSize,
        wave_masks: bool,
    ) -> Result<(), Unsupported> {
        let width = self.wave_width;
        let unsupported = |missing: &str| {
            Err(Unsupported { asked: format!("wave width {width}"), missing: missing.into() })
        };
        if !width.is_power_of_two() || !(4..=128).contains(&width) {
            return unsupported("waves have 4, 8, 16, 32, 64 or 128 lanes");
        }
        let (min, max) =
            (wave_size.min, if wave_size.max == 0 { wave_size.min } else { wave_size.max });
        if min != 0 && !(min..=max).contains(&width) {
            let allowed = if min == max { format!("{min}") } else { format!("{min} to {max}") };
            return unsupported(&format!("the shader's `WaveSize` allows only {allowed}"));
        }
        if wave_masks && width > 32 {
            return unsupported(
                "the shader uses 32-bit wave masks, which cannot name lanes beyond 31",
            );
        }
        let threads = group_size.iter().map(|it| u64::from(*it)).fold(1, u64::saturating_mul);
        if threads == 0 || threads > MOST_THREADS {
            let asked = format!("groups of {threads} threads");
            return Err(Unsupported {
                asked,
                missing: format!("a group has 1 to {MOST_THREADS} threads"),
            });
        }
        Ok(())
    }
}

/// The work of a launch. Mesh dispatches and rays will follow.
#[derive(Clone, Debug)]
pub enum Work {
    Dispatch {
        groups: [u32; 3],
    },
    /// The waves of a vertex or pixel shader, from a [`Feed`] that is handed over beside the launch.
    Waves,
}

/// How the threads of a group are assigned to lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneOrder {
    /// Lane = `SV_GroupIndex` modulo the width.
    Linear,
    /// Squares of 2×2 threads take four consecutive lanes, squares row by row.
    /// For groups whose X and Y are not both even this is `Linear`.
    Quad2d,
    /// Along the Morton curve over X and Y, slice by slice. For groups of one dimension this is `Linear`.
    Morton,
    /// Pseudo-random, from a seed. Quads stay together: runs of four threads in groups of one dimension, squares
    /// where X and Y are even.
    Random(u64),
}

impl LaneOrder {
    /// The default for a module: squares of threads if it uses quads in two dimensions and has shader model 6.6 or
    /// later.
    pub fn natural(module: &Module) -> LaneOrder {
        let [x, y, _] = module.group_size;
        let squares = x % 2 == 0 && y % 2 == 0;
        let modern = module.shader_model >= ShaderModel::V6_6;
        if module.needs.quads && squares && modern { LaneOrder::Quad2d } else { LaneOrder::Linear }
    }
}

/// The order in which groups and waves run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Ascending; a wave runs until its turn ends, as defined in [`crate::turns`]: usually at its next barrier or
    /// its end. This is the canonical order.
    Ascending,
    Descending,
    /// The waves of a group alternate every few instructions.
    RoundRobin,
    /// Pseudo-random, from a seed.
    Random(u64),
}

/// All buffers of a launch: `bindings[b][e]` is element e of the resource with binding b.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings {
    pub bindings: Vec<Vec<Buffer>>,
}

impl Bindings {
    /// Undoes a run: takes the contents of a copy that was made before it, in place where the host lends its memory.
    pub fn restore(&mut self, before: Bindings) {
        let pairs = self.bindings.iter_mut().zip(before.bindings);
        for (buffer, before) in pairs.flat_map(|(now, before)| now.iter_mut().zip(before)) {
            let mut bytes = std::mem::take(&mut buffer.bytes);
            if !bytes.is_read_only() {
                bytes.replace(before.bytes.into());
            }
            *buffer = Buffer { bytes, what: before.what };
        }
    }
}

/// The bytes of one resource, and what it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buffer {
    pub bytes: Bytes,
    pub what: What,
}

/// What a resource is, beside its bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A buffer: one memory may be viewed as typed, structured, byte-address and constant buffer.
    Memory {
        /// The format of the texels of a typed view; `None` if the shader's own element type determines it.
        format: Option<ElementFormat>,
        /// The hidden counter of a structured view.
        counter: u32,
    },
    /// A texture, whose texels are in the bytes.
    Texture {
        shape: ops::texture::Shape,
        /// If it has a feedback map, its identity among textures; otherwise 0.
        identity: u64,
    },
    /// A sampler, which has no bytes.
    Sampler(ops::texture::Sampler),
    /// An acceleration structure, which has no bytes unless it is packed.
    Scene(SharedScene),
    /// A feedback map, whose texels are in the bytes.
    Feedback(FeedbackMap),
}

impl Default for What {
    fn default() -> What {
        What::Memory { format: None, counter: 0 }
    }
}

impl What {
    /// A texture without a feedback map.
    pub fn texture_of(shape: ops::texture::Shape) -> What {
        What::Texture { shape, identity: 0 }
    }

    /// Whether instructions for buffers can access the bytes: those of textures and feedback maps are not for them,
    /// those of a packed scene are.
    pub fn is_buffer(&self) -> bool {
        !matches!(self, What::Texture { .. } | What::Feedback(_))
    }

    pub fn format(&self) -> Option<ElementFormat> {
        match self {
            What::Memory { format, .. } => *format,
            _ => None,
        }
    }

    /// The hidden counter: only memory has one.
    pub fn counter(&self) -> Option<u32> {
        match self {
            What::Memory { counter, .. } => Some(*counter),
            _ => None,
        }
    }

    pub fn counter_mut(&mut self) -> Option<&mut u32> {
        match self {
            What::Memory { counter, .. } => Some(counter),
            _ => None,
        }
    }

    pub fn texture(&self) -> Option<ops::texture::Shape> {
        match self {
            What::Texture { shape, .. } => Some(*shape),
            _ => None,
        }
    }

    /// The shape of a texture, and its identity.
    pub fn identified(&self) -> Option<(ops::texture::Shape, u64)> {
        match self {
            What::Texture { shape, identity } => Some((*shape, *identity)),
            _ => None,
        }
    }

    pub fn sampler(&self) -> Option<ops::texture::Sampler> {
        match self {
            What::Sampler(state) => Some(*state),
            _ => None,
        }
    }

    pub fn scene(&self) -> Option<&SharedScene> {
        match self {
            What::Scene(scene) => Some(scene),
            _ => None,
        }
    }

    pub fn feedback(&self) -> Option<&FeedbackMap> {
        match self {
            What::Feedback(map) => Some(map),
            _ => None,
        }
    }
}

impl Buffer {
    /// Memory with these bytes.
    pub fn new(bytes: impl Into<Bytes>) -> Buffer {
        Buffer { bytes: bytes.into(), what: What::default() }
    }

    /// Gives a scene its bytes, for modules whose ray queries are written out; anything else remains. Returns false if
    /// there would be too many.
    pub fn pack_scene(&mut self) -> bool {
        let Some(scene) = self.what.scene().filter(|_| self.bytes.is_empty()) else {
            return true;
        };
        let Some(packed) = scene.0.packed() else { return false };
        self.bytes = packed.into();
        true
    }
}

/// A resource that has no bytes.
impl From<What> for Buffer {
    fn from(what: What) -> Buffer {
        Buffer { bytes: Bytes::default(), what }
    }
}

/// A feedback map, and the texture that it was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackMap {
    pub map: ops::texture::feedback::Map,
    /// The identity of the texture: the `identity` of [`What::Texture`].
    pub paired: u64,
}

impl FeedbackMap {
    /// The map of a texture with that shape and identity.
    pub fn new(
        kind: ops::texture::feedback::FeedbackKind,
        shape: &ops::texture::Shape,
        region: [u32; 2],
        paired: u64,
    ) -> Result<FeedbackMap, ops::texture::feedback::Refusal> {
        let map = ops::texture::feedback::Map::new(kind, shape, region)?;
        Ok(FeedbackMap { map, paired })
    }

    /// Whether samples of that texture are recorded: it is the one that the map was made for.
    pub fn suits(&self, shape: &ops::texture::Shape, identity: u64) -> bool {
        self.paired == identity && self.map.suits(shape)
    }
}

/// A scene, which does not change. Two are equal if they are one and the same.
#[derive(Clone, Debug)]
pub struct SharedScene(pub Arc<ops::ray::Scene>);

impl PartialEq for SharedScene {
    fn eq(&self, other: &SharedScene) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The format of the texels of a typed buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementFormat {
    pub scalar: FormatScalar,
    pub components: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatScalar {
    Float16,
    Float32,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Unorm8,
    Unorm16,
    Snorm8,
    Snorm16,
}

impl FormatScalar {
    /// The channel of a texel that holds such a scalar.
    pub fn channel(self) -> Channel {
        use FormatScalar::*;
        let (encoding, bits) = match self {
            Float16 => (Encoding::Float, 16),
            Float32 => (Encoding::Float, 32),
            Float64 => (Encoding::Float, 64),
            Int8 => (Encoding::Sint, 8),
            Int16 => (Encoding::Sint, 16),
            Int32 => (Encoding::Sint, 32),
            Int64 => (Encoding::Sint, 64),
            Uint8 => (Encoding::Uint, 8),
            Uint16 => (Encoding::Uint, 16),
            Uint32 => (Encoding::Uint, 32),
            Uint64 => (Encoding::Uint, 64),
            Unorm8 => (Encoding::Unorm, 8),
            Unorm16 => (Encoding::Unorm, 16),
            Snorm8 => (Encoding::Snorm, 8),
            Snorm16 => (Encoding::Snorm, 16),
        };
        Channel::new(encoding, bits)
    }
}

/// Why a run could not continue.
#[derive(Clone, Debug, PartialEq)]
pub enum Trap {
    OutOfFuel {
        span: Span,
    },
    /// The cancellation flag was set.
    Cancelled {
        span: Span,
    },
    /// Every remaining wave waits at a barrier or loops endlessly.
    Deadlock {
        span: Span,
    },
    /// An endless loop that reads no shared memory: nothing that other lanes do can end it. Engines report a
    /// deadlock, which the device API distinguishes.
    Endless {
        span: Span,
    },
    OutOfMemory {
        bytes: u64,
    },
    DeviceLost {
        why: String,
    },
}

/// The launch needs what this engine or module does not support; never counts as a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What was requested.
    pub asked: String,
    /// What is missing.
    pub missing: String,
}

/// The failure of a dispatch of a shader with inputs and outputs, and of waves for one without.
pub fn mismatch() -> Failure {
    Failure::Unsupported(Unsupported {
        asked: "a dispatch".to_owned(),
        missing: "vertex and pixel shaders run in draws, all others do not".to_owned(),
    })
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    Unsupported(Unsupported),
    /// The local arrays of a group exceed the memory limit; nothing has run.
    TooLarge(TooLarge),
    Trap(Trap),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unsupported: {}: {}", self.asked, self.missing)
    }
}

impl std::error::Error for Unsupported {}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trap::OutOfFuel { .. } => write!(f, "the fuel is spent"),
            Trap::Cancelled { .. } => write!(f, "the run was cancelled"),
            Trap::Deadlock { .. } => {
                write!(f, "every remaining wave waits for another or loops for ever")
            }
            Trap::Endless { .. } => write!(f, "lanes stay in a loop for ever"),
            Trap::OutOfMemory { bytes } => {
                write!(f, "{bytes} bytes of memory are not available")
            }
            Trap::DeviceLost { why } => write!(f, "the device is lost: {why}"),
        }
    }
}

impl std::error::Error for Trap {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unsupported(what) => what.fmt(f),
            Failure::TooLarge(what) => what.fmt(f),
            Failure::Trap(trap) => trap.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}
