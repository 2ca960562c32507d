//! What is legal and hardly ever meant: the warnings that look at a program instead of checking it.
//!
//! [`syntax`] looks at the text as it was written, [`body`] at a checked function. Both prefer silence to a false alarm:
//! what a macro or a template wrote may be right for other arguments, and is left alone where that matters.
//! Deliberately absent: anything that decides whether a program compiles.

mod body;
mod syntax;
mod uninitialized;

pub(crate) use body::body;
pub(crate) use syntax::syntax;
