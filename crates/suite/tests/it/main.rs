//! Compiler, engines, back ends and sanitizer against each other: on the sections of the suite, and on generated
//! programs.
//!
//! One program with a module for each topic: each program would link the whole workspace once more, and would leave
//! cores idle while its last test runs. Programs of their own are those that find their tests at run time, and
//! `hostile`, which replaces the allocator.

mod bombs;
mod coarsened;
mod differential;
mod draws;
mod effort;
mod engines;
mod feedback;
mod fixes;
mod formulas;
mod grid;
mod groups;
mod left_out;
mod legalize;
mod meshlets;
mod mutation;
mod neighbours;
mod notes;
mod orders;
mod packed;
mod pages;
mod pixels;
mod progress;
mod ptx;
mod raster;
mod rays;
mod rewritten;
mod silent;
mod spirv;
mod sweeps;
mod threads;
