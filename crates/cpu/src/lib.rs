//! The fast engine: machine code for the host, at any width from 4 to 128 lanes.
//!
//! It runs the same IR as the reference engine and gives the same bits, in the same canonical order with one thread.
//!
//! # Map
//! `select` makes a machine program of the IR (`machine`, `vector`), `away` stores what is wanted much later, `allocate` finds registers, `encode` writes bytes, `code`
//! makes them executable. `unseen_width` says how wide waves are that do not know it. `launch` runs waves in frames (`layout`, `frame`); what has no instructions of its own is a `call`
//! into the runtime, which uses the definitions in [`ops`], on buffers as `views`.
//!
//! # Deliberately absent
//! Verification: a module must have passed `ir::verify`. Poison, observers, files, clocks.
//!
//! # Unsafe code
//! It stands in `code`, `frame`, `views`, `call`, `launch` and `bounds` (kernels by hand, for the benchmarks), each block
//! with its reason. Generated code reaches memory through the slices in its frame alone, with bounds in the mask of every access.

mod allocate;
mod away;
mod budget;
mod call;
mod code;
mod contended;
mod dominators;
mod encode;
mod endless;
mod fault;
mod frame;
mod isa;
mod launch;
mod layout;
mod machine;
mod meter;
mod schedule;
mod select;
mod texture;
mod unseen_width;
mod vector;
mod views;

use std::fmt;
use std::sync::Arc;

use ir::Module;
use ir::exec::{Bindings, Failure, Footprint, Launch};

pub use budget::MOST_LIVE_RANGES;
pub use isa::Isa;

use call::Site;
use code::Code;
use layout::Layout;

/// Addresses in a frame are 32-bit distances: this, and what else lies in a frame, fits into them.
const MOST_FRAME_BYTES: usize = 1 << 30;

/// A module as machine code for one width.
pub struct Compiled {
    module: Arc<Module>,
    code: Code,
    layout: Layout,
    sites: Vec<Site>,
    frame: usize,
    stops: Vec<(usize, ir::Inst)>,
    /// What the dearest round of a loop costs.
    most_cost: u64,
    footprint: Footprint,
    has_barriers: bool,
    /// More than one thread would wait for a counter most of the time.
    passes_one_counter: bool,
    work: Work,
    /// What a wave costs beside its loops, and how many waves are run at a time.
    wave_cost: u64,
    batch: u64,
    /// The width that was asked for, and that of the waves that run: where nobody can tell, it is another one.
    asked: u32,
    width: u32,
}

/// What making code has cost, in numbers that no clock enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    pub instructions: usize,
    /// The blocks that values live in, added up.
    pub live_ranges: u64,
}

/// What this engine does not do (yet), so that another must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// A noun phrase.
    pub what: String,
    /// Code could be made: it was the caller who gave it up.
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

/// Why a launch did not come to its end.
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

/// Compiles a verified module for waves of that width, a power of two from 4 to 128.
pub fn compile(module: &Arc<Module>, isa: Isa, width: u32) -> Result<Compiled, Fallback> {
    compile_unless(module, isa, width, &|| false)
}

/// As [`compile`], but given up soon after `is_cancelled` says so. It is asked by counted work, a few hundred times at most
/// for every ten thousand instructions.
pub fn compile_unless(
    module: &Arc<Module>,
    isa: Isa,
    width: u32,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Compiled, Fallback> {
    if let Some(missing) = isa.missing() {
        return Err(Fallback::new(missing));
    }
    if !width.is_power_of_two() || !(4..=128).contains(&width) {
        return Err(Fallback::new(format!("waves of {width} lanes")));
    }
    let footprint = Footprint::of(module);
    if let Err(too_large) = footprint.check(width) {
        // The reference engine refuses it with a place.
        return Err(Fallback::new(too_large.to_string()));
    }
    let asked = width;
    let width = unseen_width::made_for(module, isa, asked);
    let mut selected = select::select(module, isa, width, asked, is_cancelled);
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
    // Calls take longer than what is passed to and fro between threads.
    let size = if selected.sites.is_empty() { selected.builder.size() } else { usize::MAX };
    let passes_one_counter = contended::passes_one_counter(module, size);
    let most_cost = selected.builder.most_cost() as u64;
    let size = selected.builder.size();
    let function = selected.builder.finish(
        allocate::saved_by_calls(isa),
        allocate::everything(isa),
        selected.layout.spills,
        (width as usize).div_ceil(isa.lanes()),
    );
    selected.layout.spills += function.away_bytes;
    let live_ranges = budget::live_ranges(&function);
    let output = allocate::allocate(&function, isa, live_ranges)
        .map_err(|error| Fallback::new(format!("register allocation: {error}")))?;
    if output.num_spillslots * 8 > budget::MOST_SPILLED_BYTES {
        return Err(Fallback::new("a program of so many values that few fit into registers"));
    }
    if is_cancelled() {
        return Err(Fallback::cancelled());
    }
    let encoded = encode::encode(&function, &output, isa, &selected.layout);
    let code = Code::new(&encoded.bytes, encoded.entry, encoded.start)
        .map_err(|_| Fallback::new("executable memory, which the system does not give"))?;
    Ok(Compiled {
        module: module.clone(),
        code,
        layout: selected.layout,
        sites: selected.sites,
        frame: encoded.frame,
        stops: encoded.stops,
        most_cost,
        footprint,
        has_barriers: selected.has_barriers,
        passes_one_counter,
        work: Work { instructions: function.ops.len(), live_ranges },
        wave_cost: wave_cost(module, asked),
        batch: budget::batch(size),
        asked,
        width,
    })
}

/// What stands in the body of the entry point, loops and branches apart, for one wave.
fn wave_cost(module: &Module, width: u32) -> u64 {
    let insts = module.region(module.body).insts.iter();
    insts.map(|it| ir::effort::cost(&module.inst(*it).op, width)).sum()
}

impl Compiled {
    /// What of this launch the engine does not do.
    pub fn refuses(&self, launch: &Launch, bindings: &Bindings) -> Option<Fallback> {
        launch::refuses(&self.module, launch, bindings)
    }

    /// Runs a launch of the module on so many threads.
    ///
    /// With one thread the order is the canonical one.
    pub fn run(
        &self,
        launch: &Launch,
        bindings: &mut Bindings,
        threads: usize,
    ) -> Result<(), Stopped> {
        assert_eq!(launch.wave_width, self.asked, "the code was made for another width");
        launch::run(self, launch, bindings, threads)
    }

    /// What it cost to make the code.
    pub fn work(&self) -> Work {
        self.work
    }

    /// Constants and code, for those who want to look at it.
    pub fn bytes(&self) -> &[u8] {
        self.code.bytes()
    }
}
