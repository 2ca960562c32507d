//! What buffers contain, as text: the layout of their scalars, numbers, and the VALUE of `--bind` and `--set`.
//!
//! Everything is a function from text or bytes to bytes or text, so that the command line and the playground read the
//! same words. Deliberately absent: files (the caller opens them), terminals, engines, the texts of textures.
#![forbid(unsafe_code)]

pub mod buffer;
mod layout;
pub mod member;
pub mod npy;
pub mod number;
pub mod order;
pub mod texel;
pub mod value;

pub use layout::{Layout, Scalar};
pub use value::{Content, Value};

/// The most bytes a buffer may have.
pub const MOST_BYTES: usize = 1 << 31;
