//! The whole way from text to a module.

use diag::{FileId, Sink, SourceMap};

use crate::options::Options;
use crate::preprocess::Includer;
use crate::{check, lower, parse, preprocess};

/// Compiles the entry point that the options name. `None` if anything was wrong; the sink says what.
///
/// A step runs only if those before it found no errors: what is missing after an error would be reported once more.
/// The module has passed through [`ir::simplify::prune`], and whoever does not trust us may pass it to [`ir::verify`].
pub fn compile(
    main: FileId,
    sources: &mut SourceMap,
    includer: &mut dyn Includer,
    options: &Options,
    sink: &mut Sink,
) -> Option<ir::Module> {
    let tokens = preprocess(main, sources, includer, options, sink);
    if sink.has_errors() {
        return None;
    }
    let file = parse(&tokens, sources, options, sink);
    if sink.has_errors() {
        return None;
    }
    let program = check(&file, sources, options, sink)?;
    if sink.has_errors() {
        return None;
    }
    let mut module = lower(&program, options, sink)?;
    ir::simplify::prune(&mut module);
    lower::summarise(&mut module);
    Some(module)
}
