//! The reference engine on whole modules, built by hand.

mod active_sets;
mod against_tree;
mod build;
mod memory;
mod pixels;
mod poison;
mod schedules;
mod texture;
mod values;
