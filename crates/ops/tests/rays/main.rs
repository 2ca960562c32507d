//! Ray queries through the public interface.
//!
//! - `machine`: the state machine, the flags and the order of candidates on small scenes, where every answer is known.
//! - `exact`: a second evaluator in integers, which shares no code with the first.
//! - `trees`: a search by trees finds what the loop finds.
//! - `together`: queries that proceed together answer what they answer alone.
//! - `generated`: scenes for both and the exact evaluator, as many as asked for.
//! - `closed`: closed meshes, which no ray leaks through or hits twice.

mod closed;
mod exact;
mod generated;
mod machine;
mod scenes;
mod together;
mod trees;
