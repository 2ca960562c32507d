//! Lints: warnings about code that is legal but rarely intended.
//!
//! [`syntax`] looks at the source as written, [`body`] at a checked function, [`version`] at a checked program and
//! [`width`] and [`derivative`] at its module. All prefer a missed warning to a false positive:
//! code from a macro or a template may be right for other arguments, and is exempt where that matters.
//! Deliberately absent: anything that decides whether a program compiles.

mod body;
mod derivative;
mod syntax;
mod uninitialized;
mod version;
mod width;

pub(crate) use body::body;
pub(crate) use derivative::derivative;
pub(crate) use syntax::syntax;
pub(crate) use version::version;
pub(crate) use width::width;
