//! HLSL to the intermediate representation: `preprocess → parse → check → lower`.
//!
//! Nothing here touches files: text arrives through a [`diag::SourceMap`] and an [`Includer`].
//! No input makes it panic; mistakes of the user go to a [`diag::Sink`], and every step goes on as far as it can.
#![forbid(unsafe_code)]

pub mod options;
mod lex;
pub mod token;
pub mod preprocess;
pub mod ast;
pub mod parse;
pub mod types;
pub mod library;
pub mod hir;
pub mod check;
pub mod lower;
mod compile;

pub use check::check;
pub use compile::compile;
pub use lower::lower;
pub use options::{Dialect, MatrixOrder, Options, Stage, Version};
pub use parse::parse;
pub use preprocess::{Includer, preprocess};
