//! What is legal and hardly ever meant: the warnings that look at a program instead of checking it.
//!
//! [`syntax`] looks at the text as it was written, [`body`] at a checked function, [`version`] at a checked program and
//! [`width`] at its module. All prefer silence to a false alarm:
//! what a macro or a template wrote may be right for other arguments, and is left alone where that matters.
//! Deliberately absent: anything that decides whether a program compiles.

mod body;
mod syntax;
mod uninitialized;
mod version;
mod width;

pub(crate) use body::body;
pub(crate) use syntax::syntax;
pub(crate) use version::version;
pub(crate) use width::width;
