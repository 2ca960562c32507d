//! The fast engine: machine code for the host, at any width from 4 to 128 lanes.
//!
//! It runs the same IR as the reference engine and gives the same bits, in the same canonical order with one thread.
//!
//! # Map
//! `select` does instruction selection, from the IR to a machine program (`machine`, `vector`); `schedule` orders
//! instructions within blocks; `allocate` does register allocation, `local` that of long straight-line code; `encode`
//! writes bytes; `code` makes them executable. `free_width` chooses the width of programs that cannot observe it.
//! `launch` schedules waves in frames (`layout`, `frame`), `waves` those that a feed supplies; `chain` keeps the order
//! of atomic additions on several threads, in programs that [`legalize::split`] splits; operations without instructions
//! are a `call` into the runtime, which uses the definitions in [`ops`], on buffers as `views`.
//!
//! # Deliberately absent
//! Verification: a module must have passed `ir::verify`. Poison, observers, files, clocks.
//!
//! # Unsafe code
//! It is in `code`, `frame`, `views`, `call`, `launch` and its `ordered`, `waves` and `rays`, each block with its
//! reason. Generated code accesses memory only through the slices in its frame, with bounds in the mask of every
//! access.

mod allocate;
mod budget;
mod call;
mod chain;
mod code;
mod concurrent;
mod dominators;
mod encode;
mod endless;
mod fault;
mod frame;
mod free_width;
mod isa;
mod latency;
mod launch;
mod layout;
mod local;
mod machine;
mod meter;
mod pool;
mod rays;
mod schedule;
mod segment;
mod select;
mod texture;
mod vector;
mod views;
mod waves;

use std::fmt;
use std::sync::{Arc, OnceLock};

use ir::Module;
use ir::exec::{Bindings, Failure, Feed, Footprint, Launch};
use legalize::disaggregated;
use legalize::split::{self, Counter, Halves};

pub use budget::MOST_LIVE_RANGES;
pub use isa::Isa;
pub use pool::Team;

use call::Site;
use code::Code;
use layout::Layout;

/// The most bytes of local arrays: offsets in a frame have 32 bits, for this and everything else in it.
const MOST_FRAME_BYTES: usize = 1 << 30;

/// A module as machine code for one width.
pub struct Compiled {
    module: Arc<Module>,
    code: Code,
    layout: Layout,
    sites: Vec<Site>,
    frame: usize,
    stops: Vec<(usize, ir::Inst)>,
    /// The cost of the most expensive loop iteration.
    most_cost: u64,
    footprint: Footprint,
    has_barriers: bool,
    /// Whether a frame runs whole groups, all waves of a group together.
    is_whole: bool,
    /// The buffers of which each party may have a private copy.
    copied: Vec<ir::Binding>,
    /// Whether groups communicate while they run.
    is_concurrent: bool,
    /// The requested instructions and width.
    mode: Mode,
    /// Whether waves can observe the order in which they change memory.
    sees_order: bool,
    /// The code for several threads, or why there is none; made when it is first needed.
    split: OnceLock<Result<Box<Split>, String>>,
    work: Work,
    /// The cost of a wave outside its loops, and the number of waves that run at a time.
    wave_cost: u64,
    batch: budget::Batch,
    /// The width that runs, which may differ from the requested one if the program cannot observe it.
    width: u32,
}

/// The code of a program that is split at its reservation.
struct Split {
    count: Compiled,
    place: Compiled,
    counter: Counter,
    slots: ir::Binding,
    /// The number of waves that are counted, and then run, at a time.
    batch: u64,
}

/// The cost of a compilation, in counts rather than time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub instructions: usize,
    /// The sum of live ranges in blocks.
    pub live_ranges: u64,
}

/// A feature that this engine lacks, so that another one must run the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// A noun phrase.
    pub what: String,
    /// Whether the caller cancelled the compilation.
    pub is_cancelled: bool,
}

impl Fallback {
    fn new(what: impl Into<String>) -> Fallback {
        Fallback { what: what.into(), is_cancelled: false }
    }

    fn cancelled() -> Fallback {
        let what = "a program whose compilation was cancelled".to_owned();
        Fallback { what, is_cancelled: true }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Why a launch failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Stopped {
    /// Nothing has been run.
    Fallback(Fallback),
    Failure(Failure),
}

impl From<Fallback> for Stopped {
    fn from(it: Fallback) -> Stopped {
        Stopped::Fallback(it)
    }
}

impl From<Failure> for Stopped {
    fn from(it: Failure) -> Stopped {
        Stopped::Failure(it)
    }
}

/// What code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    pub isa: Isa,
    /// The lanes of a wave, a power of two from 4 to 128.
    pub width: u32,
    /// Whether the code may differ from the program where the difference cannot be observed: combine and split
    /// atomic additions, count on several threads, and run waves of another width.
    pub rewrites: bool,
}

/// Compiles a verified module for waves of that width, a power of two from 4 to 128.
pub fn compile(module: &Arc<Module>, isa: Isa, width: u32) -> Result<Compiled, Fallback> {
    compile_unless(module, Mode { isa, width, rewrites: true }, &|| false)
}

/// Like [`compile`], but stops soon after `is_cancelled` returns true. That is called by counted work, at most a few
/// hundred times for every ten thousand instructions.
pub fn compile_unless(
    module: &Arc<Module>,
    mode: Mode,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Compiled, Fallback> {
    let Mode { isa, width, rewrites } = mode;
    if let Some(missing) = isa.missing() {
        return Err(Fallback::new(missing));
    }
    if !width.is_power_of_two() || !(4..=128).contains(&width) {
        return Err(Fallback::new(format!("waves of {width} lanes")));
    }
    let footprint = Footprint::of(module);
    if let Err(too_large) = footprint.check(width) {
        // The reference engine refuses it with a location.
        return Err(Fallback::new(too_large.to_string()));
    }
    let plain;
    let module = match module.has_notes() {
        true => {
            plain = Arc::new(ir::notes::strip(module).module);
            &plain
        }
        false => module,
    };
    let written = module;
    let alone = rewrites.then(|| disaggregated(module, width)).flatten();
    let module = &alone.map_or_else(|| Arc::clone(module), Arc::new);
    // The feed of a vertex or pixel shader deals waves of the requested width.
    let made_for = match module.io {
        _ if !rewrites => width,
        Some(_) => free_width::of_strips(module, isa, width),
        None => free_width::made_for(module, isa, width),
    };
    let made = generate(module, mode, made_for, None, is_cancelled)?;
    Ok(Compiled { footprint, wave_cost: wave_cost(written, width), ..made })
}

/// Generates code for waves of a width, in place of those of the mode's width. If the module has a hidden buffer of
/// slots, its start moves on by a slot after each wave.
fn generate(
    module: &Arc<Module>,
    mode: Mode,
    width: u32,
    slots: Option<ir::Binding>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Compiled, Fallback> {
    let Mode { isa, width: asked, .. } = mode;
    let selected = select::select(module, mode, width, slots, is_cancelled);
    if selected.builder.size() > budget::MOST_INSTRUCTIONS {
        let most = "a program of more than 400,000 machine instructions";
        return Err(Fallback::new(most));
    }
    if is_cancelled() {
        return Err(Fallback::cancelled());
    }
    if selected.layout.spills.max(selected.layout.shared_bytes) > MOST_FRAME_BYTES {
        return Err(Fallback::new("local arrays of more than 1 GiB in a wave"));
    }
    let has_loops = module.insts.iter().any(|it| matches!(it.op, ir::Op::Loop { .. }));
    let most_cost = selected.builder.most_cost() as u64;
    let size = selected.builder.size();
    let function = selected.builder.finish(
        allocate::saved_by_calls(isa),
        allocate::everything(isa),
        (width as usize).div_ceil(isa.lanes()),
    );
    let live_ranges = budget::live_ranges(&function);
    let (output, segments) = allocate::allocate(&function, isa, live_ranges)
        .map_err(|error| Fallback::new(format!("register allocation: {error}")))?;
    if output.num_spillslots * 8 > budget::MOST_SPILLED_BYTES {
        return Err(Fallback::new("a program with too many live values for registers"));
    }
    if is_cancelled() {
        return Err(Fallback::cancelled());
    }
    let encoded = encode::encode(&function, &output, &segments, isa, &selected.layout);
    let code = Code::new(&encoded.bytes, encoded.entry, encoded.start)
        .map_err(|_| Fallback::new("executable memory, which the system refuses"))?;
    Ok(Compiled {
        module: module.clone(),
        code,
        layout: selected.layout,
        sites: selected.sites,
        frame: encoded.frame,
        stops: encoded.stops,
        most_cost,
        footprint: Footprint::of(module),
        has_barriers: selected.has_barriers,
        is_whole: selected.is_whole,
        copied: selected.copied,
        is_concurrent: concurrent::is_concurrent(module),
        mode,
        sees_order: module.io.is_none() && split::sees_order(module),
        split: OnceLock::new(),
        work: Work { instructions: function.instructions(), live_ranges },
        wave_cost: wave_cost(module, asked),
        batch: budget::Batch::of(size, has_loops),
        width,
    })
}

/// The cost of the entry point's body for one wave, without loops and branches.
fn wave_cost(module: &Module, width: u32) -> u64 {
    let insts = module.region(module.body).insts.iter();
    insts.map(|it| ir::effort::cost(&module.inst(*it).op, width)).sum()
}

impl Compiled {
    /// Why this engine cannot run the launch, if it cannot.
    pub fn refuses(&self, launch: &Launch, bindings: &Bindings) -> Option<Fallback> {
        launch::refuses(&self.module, launch, bindings)
    }

    /// Runs a launch of the module on `threads` threads.
    ///
    /// With one thread, the order is the canonical one. With several, atomic operations give the results of that order:
    /// the program is split at its one reservation (`split`), or run on one thread. Only programs whose groups
    /// communicate while they run (`concurrent`) share their counters in no fixed order.
    pub fn run(
        &self,
        launch: &Launch,
        bindings: &mut Bindings,
        threads: usize,
    ) -> Result<(), Stopped> {
        assert_eq!(launch.wave_width, self.mode.width, "the code was compiled for another width");
        launch::run(self, launch, bindings, threads)
    }

    /// Runs the waves of a vertex or pixel shader that a feed supplies, one after the other on the calling thread.
    pub fn run_waves(
        &self,
        launch: &Launch,
        bindings: &mut Bindings,
        feed: &mut dyn Feed,
    ) -> Result<(), Stopped> {
        assert_eq!(launch.wave_width, self.mode.width, "the code was compiled for another width");
        waves::run(self, launch, bindings, feed)
    }

    /// How threads affect the order of waves, if these can observe it and only one thread keeps it: a clause for a
    /// message.
    pub fn order(&self, threads: usize) -> Option<String> {
        if threads <= 1 || !self.sees_order {
            return None;
        }
        let why = self.split(&|| false).err()?;
        Some(match self.is_concurrent {
            false => format!("on one thread, because {why}"),
            true => format!(
                "on {threads} threads, which share its counters in no fixed order, because {why}, \
                 and its groups communicate while they run"
            ),
        })
    }

    /// The code for several threads, if waves observe an order that these can keep, otherwise the reason.
    fn split(&self, is_cancelled: &dyn Fn() -> bool) -> Result<&Split, String> {
        let made = match self.split.get() {
            Some(made) => made,
            None => {
                let made = self.make_split(is_cancelled);
                if is_cancelled() {
                    return Err("the run was cancelled".to_owned());
                }
                self.split.get_or_init(|| made)
            }
        };
        made.as_deref().map_err(Clone::clone)
    }

    fn make_split(&self, is_cancelled: &dyn Fn() -> bool) -> Result<Box<Split>, String> {
        if !self.mode.rewrites {
            return Err("the program runs as it is written".to_owned());
        }
        let Halves { count, place, counter, slots, bytes } = split::split(&self.module)?;
        let made = |module: Module| {
            let module = Arc::new(module);
            generate(&module, self.mode, self.width, Some(slots), is_cancelled)
                .map_err(|it| format!("the halves of the program have {it}"))
        };
        let (count, mut place) = (made(count)?, made(place)?);
        // Threads pay for the unsplit program.
        place.wave_cost = self.wave_cost;
        let wave_bytes = bytes.saturating_mul(u64::from(self.width)).max(1);
        let batch = (budget::BATCH_BYTES / wave_bytes).max(1);
        Ok(Box::new(Split { count, place, counter, slots, batch }))
    }

    /// A frame for waves of this code.
    fn new_frame(&self) -> frame::Block {
        frame::Block::frame(self.frame, &self.module, self.layout.lanes)
    }

    /// Whether a group runs in one frame, all its waves together, so that barriers cost nothing.
    pub fn runs_whole_groups(&self) -> bool {
        self.is_whole
    }

    /// The cost of the compilation.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Constants and code, for inspection.
    pub fn bytes(&self) -> &[u8] {
        self.code.bytes()
    }
}
