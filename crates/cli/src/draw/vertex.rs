//! The vertex shader of `--draw`, made for the inputs of a pixel shader.

use jobs::vertex::{Fit, KNOWN, MADE_UP, compiled, text};
use wavelane::internal::signature;
use wavelane::{Options, Shader, SourceMap};

use super::mesh::Mesh;
use crate::problem::Problem;

/// A vertex shader that writes what the pixel shader reads, with its text and how it is compiled; `is_auto` makes up
/// what it has no value for.
pub(super) fn made(
    (pixel, sources): (&Shader, &SourceMap),
    mesh: Option<&Mesh>,
    options: &Options,
    is_auto: bool,
) -> Result<(Shader, String, Options), Problem> {
    let inputs = signature(pixel).map_or(&[][..], |it| &it.inputs);
    let fit = mesh.map(|it| {
        let (scale, offset) = it.fit();
        Fit { scale, offset }
    });
    let made_up = |_: &str| is_auto.then(|| MADE_UP.of(fit.is_some()).to_owned());
    let text = text(inputs, fit.as_ref(), &made_up).map_err(|element| {
        let what = format!("`{}` reads `{}`", pixel.entry(), element.semantic);
        let problem = Problem::input(format!("{what}, which `--draw` has no value for"));
        let problem = problem.at(element.span, "declared here", sources);
        problem.help(format!(
            "there are {}; or name a vertex shader with `--vertex`, or make it up with `--auto`",
            KNOWN.map(|it| it.semantic).join(", ")
        ))
    })?;
    let (shader, options) = compiled("<vertex shader of --draw>", &text, options)
        .map_err(|what| Problem::bug(&what))?;
    Ok((shader, text, options))
}
