//! The sanitizer: why a result is undefined, unspecified, or different between wave widths or orders.
//!
//! It observes a run of the reference engine; detectors judge the events, each in its own file. An unused bad value
//! is harmless: poison is reported where it reaches memory, an address, a branch, or an operation whose result
//! depends on every lane. Findings name both sites, in words that a newcomer can follow.
//!
//! Nothing here reads files, prints, or depends on the command line.
#![forbid(unsafe_code)]

mod address;
mod alias;
mod analysis;
mod assigned;
mod barrier;
mod bounds;
mod calls;
mod chain;
mod chained;
mod compare;
mod converge;
mod depth;
mod draw;
mod dropped;
mod facts;
mod feedback;
mod finding;
mod floats;
mod flow;
mod flying;
mod hash;
mod marked;
mod masks;
mod order;
mod origin;
mod pixels;
mod place;
mod poison;
mod race;
mod rays;
mod record;
mod seen;
mod skipped;
mod slice;
mod spread;
mod sweep;
mod uses;
mod wait;
mod watch;
mod waterfall;
mod writers;

pub use barrier::ExitedThreads;
pub use compare::{Difference, Side, explain};
pub use converge::Reconvergence;
pub use draw::{
    Content, DrawReport, DrawStopped, Ended, Holder, How, Left, Part, Scene, Watched, examine_draw,
};
pub use finding::{Finding, Kind, Site, Verdict};
pub use floats::{FloatRoom, first_difference};
pub use interp::Progress;
pub use order::{AlphaSamples, GroupOrder, LanePacking, Order, QuadPacking, RayOrder, VertexOrder};
pub use race::{IntraWaveSync, Publication};
pub use seen::Seen;
pub use spread::{Cause, Reach};
pub use sweep::{
    Engine, FailedSweep, LeftOut, Pace, Plan, Prepared, Report, examine, examine_with, on_threads,
};
pub use watch::{Rules, Watcher};

/// How runs are varied where only progress is assumed.
pub fn variation(progress: Progress) -> interp::Variation {
    interp::Variation { progress, ..interp::Variation::default() }
}
