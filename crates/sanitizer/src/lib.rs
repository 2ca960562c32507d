//! Why a result is undefined, unspecified, or different from one wave width or order to another.
//!
//! A run of the reference engine is watched; what happens is judged by detectors, each in a file of its own. A bad value
//! that nobody uses is nobody's mistake: poison is reported where it reaches memory, an address, a branch, or an
//! operation whose result depends on every lane. Findings carry both sites, and words a newcomer can follow.
//!
//! Nothing here reads files, prints, or knows of command lines.
#![forbid(unsafe_code)]

mod barrier;
mod bounds;
mod compare;
mod converge;
mod facts;
mod finding;
mod floats;
mod flow;
mod masks;
mod order;
mod place;
mod poison;
mod race;
mod slice;
mod sweep;
mod wait;
mod watch;

pub use barrier::ExitedThreads;
pub use compare::{Difference, Side, explain};
pub use converge::Reconvergence;
pub use finding::{Finding, Kind, Site, Verdict};
pub use floats::FloatRoom;
pub use interp::Progress;
pub use order::Order;
pub use race::IntraWaveSync;
pub use sweep::{Plan, Report, Seen, Stopped, examine};
pub use watch::{Rules, Watcher};
