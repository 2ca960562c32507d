//! The targets that a shader can be rewritten for: devices that lack operations, by name.

use wavelane::Shader;

use crate::problem::Problem;

/// Whether there is a target of that name.
pub(crate) fn check(name: &str) -> Result<(), Problem> {
    if Shader::targets().contains(&name) { Ok(()) } else { Err(unknown(name)) }
}

/// The shader with the operations that the target lacks expanded.
pub(crate) fn made_for(shader: &Shader, target: &str) -> Result<Shader, Problem> {
    let made = shader.made_for(target).map_err(|bug| Problem::bug(&bug.message))?;
    made.ok_or_else(|| unknown(target))
}

fn unknown(name: &str) -> Problem {
    let all = Shader::targets().join(", ");
    Problem::input(format!("`{name}` is not a target")).help(format!("one of {all}"))
}
