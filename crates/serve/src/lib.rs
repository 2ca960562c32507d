//! Protocols over a [`session::Session`]: functions from messages to messages, the same in a process and in a browser.
//!
//! [`Adapter`] speaks the Debug Adapter Protocol, with which editors step programs. A *thread* of the protocol is a
//! wave; lanes are the elements of variables.
//!
//! # Deliberately absent Files, standard input and output, threads, clocks. The caller defines what a launch means
//! ([`Launcher`]), since that involves files and the words of the command line.
#![forbid(unsafe_code)]

mod adapter;
mod breakpoints;
mod disassembly;
mod frame;
mod look;
mod show;

pub use adapter::{Adapter, Launcher, Out};
pub use frame::{Frames, framed};
