//! The HLSL front end: `preprocess → parse → check → lower`, from text to the intermediate representation.
//!
//! It never accesses files: text arrives through a [`diag::SourceMap`] and an [`Includer`].
//! No input makes it panic; the user's errors go to a [`diag::Sink`], and every stage recovers as far as it can.
#![forbid(unsafe_code)]

pub mod ast;
#[cfg(test)]
mod bombs;
pub mod check;
pub mod colour;
mod compile;
mod declared;
pub mod foreign;
mod hash;
pub mod hir;
mod lex;
pub mod library;
mod lint;
pub mod lower;
pub mod options;
pub mod parse;
pub mod preprocess;
pub mod token;
pub mod types;
mod walk;

pub use check::check;
pub use compile::{Compiled, Entries, compile, validate};
pub use declared::{Declared, declared};
pub use lower::{OpaqueResource, Unreached, lower};
pub use options::{
    Denormals, Dialect, MatrixOrder, Options, PushLayout, ShaderModel, Stage, Version,
};
pub use parse::parse;
pub use preprocess::{Includer, NotFound, preprocess};
