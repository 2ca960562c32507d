//! wavelane for C. `include/wavelane.h` is made from the functions and types here by `cargo xtask docs`, comments
//! included, and a test compares it.
//!
//! Shaders, pipelines, tables and texts are opaque handles; memory of the caller's is used in place.
//! What is guaranteed: no panic leaves a function, which returns `WL_BUG` instead; no function reads through a null
//! pointer where it promises to check; errors are values, with a text for each thread.
//! Deliberately absent: files (a program hands over texts, also of what is included), draws, and threads of its own:
//! handles are used by one thread at a time, except pipelines and shaders, which several threads may share.
// Everything here is called from C, by address. The functions say what they need of their pointers.
#![allow(clippy::missing_safety_doc, reason = "the header's comments say it, in C's words")]

mod compile;
mod error;
mod handles;
mod run;
mod texture;

pub use compile::*;
pub use error::*;
pub use handles::*;
pub use run::*;
pub use texture::*;
