//! Preprocessing alone, for command lines that ask for its text or for the files it reads.

use diag::{Diagnostic, Sink, SourceMap};
use hlsl::{Includer, MatrixOrder, Options};

use crate::Bug;
use crate::guard::catch;

/// What came out of the preprocessor.
#[derive(Debug)]
pub struct Preprocessed {
    /// HLSL without macros, conditions and includes.
    pub text: String,
    /// In the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read, in the order of their first use.
    pub sources: SourceMap,
}

/// Preprocesses a text; the arguments are those of [`crate::Shader::compile`].
pub fn preprocess(
    name: &str,
    text: &str,
    options: &Options,
    includer: &mut dyn Includer,
) -> Result<Preprocessed, Bug> {
    catch(|| {
        let mut sources = SourceMap::new();
        let mut sink = Sink::new();
        let Some(main) = sources.add(name, text) else {
            let what = format!("`{name}` is larger than a compilation can hold");
            sink.push(Diagnostic::new(&diag::code::TOO_LARGE, diag::Span::NONE, what));
            return Preprocessed { text: String::new(), diagnostics: sink.into_sorted(), sources };
        };
        let tokens = hlsl::preprocess(main, &mut sources, includer, options, &mut sink);
        sink.apply_levels(&sources);
        let is_row_major = options.matrix_order == MatrixOrder::RowMajor;
        let text = hlsl::preprocess::print(&tokens, &sources, is_row_major);
        Preprocessed { text, diagnostics: sink.into_sorted(), sources }
    })
}
