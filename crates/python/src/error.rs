//! The exceptions. All of them are `wavelane.Error`; which one says what kind of failure it is, as exit statuses do.

use pyo3::create_exception;
use std::ffi::CString;

use pyo3::exceptions::{PyException, PyUserWarning};
use pyo3::prelude::*;
use wavelane::{Bug, DispatchError, ExamineError};

create_exception!(wavelane, Error, PyException, "Anything that wavelane refuses or cannot do.");
create_exception!(
    wavelane,
    CompileError,
    Error,
    "The shader is wrong; the text has the source lines with carets."
);
create_exception!(
    wavelane,
    CompileWarning,
    PyUserWarning,
    "What the compiler warns about; the text has the source lines with carets."
);
create_exception!(wavelane, ArgumentError, Error, "An argument does not suit the shader.");
create_exception!(
    wavelane,
    Unsupported,
    Error,
    "This engine or machine cannot do what the shader needs."
);
create_exception!(wavelane, Trap, Error, "The run could not go on, or its fuel was spent.");
create_exception!(wavelane, InternalError, Error, "A bug in wavelane.");

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("Error", py.get_type::<Error>())?;
    module.add("CompileError", py.get_type::<CompileError>())?;
    module.add("CompileWarning", py.get_type::<CompileWarning>())?;
    module.add("ArgumentError", py.get_type::<ArgumentError>())?;
    module.add("Unsupported", py.get_type::<Unsupported>())?;
    module.add("Trap", py.get_type::<Trap>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// Warns at the caller of this package's function.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "\u{fffd}"))?;
    PyErr::warn(py, &py.get_type::<CompileWarning>(), &text, 1)
}

pub(crate) fn argument(what: impl ToString) -> PyErr {
    ArgumentError::new_err(what.to_string())
}

pub(crate) fn bug(bug: &Bug) -> PyErr {
    InternalError::new_err(bug.to_string())
}

pub(crate) fn dispatch(error: &DispatchError) -> PyErr {
    dispatch_at("", error)
}

/// The same with the place where it happened, such as the width.
fn dispatch_at(place: &str, error: &DispatchError) -> PyErr {
    let text = format!("{place}{error}");
    match error {
        DispatchError::Unsupported(_) | DispatchError::TooLarge(_) => Unsupported::new_err(text),
        DispatchError::Trap(_) => Trap::new_err(text),
        DispatchError::Bug(_) => InternalError::new_err(text),
        _ => ArgumentError::new_err(text),
    }
}

pub(crate) fn examine(error: &ExamineError) -> PyErr {
    dispatch_at(&format!("with waves of {} lanes: ", error.width), &error.error)
}
