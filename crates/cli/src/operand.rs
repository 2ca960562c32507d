//! Distinguishes jobs from shaders, for commands that take one of them or both.

use crate::problem::Problem;

/// Whether `wavelane run` treats that file as a job, which has its own bindings and expected results.
pub(crate) fn is_job(operand: &str) -> bool {
    let path = operand.split_once("::").map_or(operand, |(path, _)| path);
    [".test", ".yaml", ".yml"].iter().any(|ending| path.ends_with(ending))
        || operand.contains(".hlsl::")
}

/// Refuses a job where a shader is expected: compiling it would report its lines as wrong HLSL.
pub(crate) fn refuse_job(name: &str, text: &str) -> Result<(), Problem> {
    // Standard input has no extension.
    let begins_as_job = text.trim_start().starts_with("#---");
    if !is_job(name) && !begins_as_job {
        return Ok(());
    }
    let what = format!("`{name}` is a job, and this command takes a shader");
    Err(Problem::input(what).help(
        "`wavelane run`, `test`, `san`, `bench`, `diff` and `campaign` take jobs; a shader is an `.hlsl` file",
    ))
}
