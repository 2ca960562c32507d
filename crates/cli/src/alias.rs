//! `--alias`: makes the shader in which two names denote one buffer.

use wavelane::{AliasError, AliasProblem, Shader, SourceMap};

use crate::asked::Binds;
use crate::missing::unknown;
use crate::problem::Problem;

/// The shader with the aliases that the command line declares.
pub(crate) fn applied(
    shader: Shader,
    binds: &Binds,
    sources: &SourceMap,
) -> Result<Shader, Problem> {
    binds.aliases.iter().try_fold(shader, |shader, (name, of)| {
        let aliased = shader.with_alias(name, of);
        aliased.map_err(|error| {
            binds.blamed("--alias", name, of, problem(&error, (name, of), &shader, sources))
        })
    })
}

fn problem(
    error: &AliasError,
    (name, of): (&str, &str),
    shader: &Shader,
    sources: &SourceMap,
) -> Problem {
    let flag = format!("`--alias {name}={of}`");
    if let AliasProblem::NoSuchResource { .. } = error.problem {
        let known = shader.resources().iter().map(|it| it.name.as_str());
        return unknown(
            &format!("{flag}: the entry point uses no buffer `{}`", error.name),
            &error.name,
            known,
        );
    }
    let problem = Problem::input(format!("{flag}: {error}"));
    match shader.resource(&error.name) {
        Some((_, resource)) => problem.at(resource.span, "declared here", sources),
        None => problem,
    }
}
