//! The extension module `wavelane._wavelane`: kernels over memory of Python's, in place.
//!
//! The package around it (`python/wavelane`) re-exports it, and holds type stubs, the pytest helper and the command.
//! Here are the classes and their checks; everything about shaders is in the crate `wavelane`.
//! What is guaranteed: no argument is converted or copied, except plain numbers, which become constants; the
//! interpreter's lock is released while a shader is compiled or runs; every refusal is an exception that names the
//! argument. Deliberately absent: draws, scenes of rays, and memory of GPUs.
// Only `foreign` and `memory`, which borrow memory by address, hold unsafe code; they say why.
#![deny(unsafe_code)]

mod arguments;
mod dtype;
mod error;
#[allow(unsafe_code, reason = "structures of C interfaces, read by address")]
mod foreign;
mod kernel;
#[allow(unsafe_code, reason = "slices over memory of Python's")]
mod memory;
mod report;
mod texture;
mod timeline;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `wavelane`. `words` are its arguments, the program's name first; `program` starts this command
/// anew, for the processes that run tests.
#[pyfunction]
fn command(py: Python<'_>, words: Vec<OsString>, program: Vec<OsString>) -> u8 {
    py.detach(|| wavelane_cli::main_with(words, program))
}

#[pymodule]
fn _wavelane(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add(module)?;
    module.add_class::<kernel::Kernel>()?;
    module.add_class::<kernel::Launch>()?;
    module.add_class::<kernel::BoundLaunch>()?;
    module.add_class::<report::Finding>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<report::Sweep>()?;
    module.add_class::<texture::Texture>()?;
    module.add_class::<timeline::Timeline>()?;
    module.add_function(wrap_pyfunction!(kernel::compile, module)?)?;
    module.add_function(wrap_pyfunction!(kernel::engines, module)?)?;
    module.add_function(wrap_pyfunction!(report::san, module)?)?;
    module.add_function(wrap_pyfunction!(report::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(timeline::timeline, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    Ok(())
}
