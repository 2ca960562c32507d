//! The built program, as its users run it.
//!
//! One program with a module for each topic: each program would link the library once more, and would leave cores idle
//! while its last test runs.

mod aliases;
mod bench;
mod bindings;
mod campaign;
mod cli;
mod dap;
mod dap_client;
mod device_rays;
mod diff;
mod draw;
mod dxc;
mod explain;
mod feedback;
mod fuzz;
mod gallery;
mod hostile;
mod jobs;
mod passes;
mod pixel_cases;
mod printing;
mod project;
mod rays;
mod readme;
mod reduce;
mod runner;
mod san;
mod seeing;
mod strangers;
mod support;
mod vulkan;
