//! Shaders as SPIR-V: passes the module, and lines and sources of the compilation, to the emitter.

use diag::{FileId, SourceFile, SourceMap, Span};
use spirv::{CannotEmit, Debug, Emitted, Environment, NoDebug, Position, Source};

use crate::guard::catch;
use crate::{Bug, Shader};

impl Shader {
    /// The shader as SPIR-V for an environment. With the sources of its compilation, the module holds them and the
    /// lines.
    ///
    /// The inner error says what SPIR-V or the emitter cannot express; the outer one is a bug in wavelane.
    pub fn spirv(
        &self,
        environment: &Environment,
        sources: Option<&SourceMap>,
    ) -> Result<Result<Emitted, CannotEmit>, Bug> {
        catch(|| match sources {
            None => self.emitted(environment, &NoDebug),
            Some(sources) => self.emitted(environment, &Lines::new(sources)),
        })
    }

    fn emitted(&self, environment: &Environment, debug: &dyn Debug) -> Result<Emitted, CannotEmit> {
        match &self.patch {
            Some(constants) => spirv::emit_hull(&self.module, constants, environment, debug),
            None => spirv::emit(&self.module, environment, debug),
        }
    }
}

/// The files of a compilation, and where their lines start. A debugger shows the text in the module, so lines are those
/// of the text; `#line` is ignored.
pub(crate) struct Lines<'a> {
    sources: &'a SourceMap,
    starts: Vec<Vec<u32>>,
}

impl Lines<'_> {
    pub(crate) fn new(sources: &SourceMap) -> Lines<'_> {
        let starts = |text: &str| {
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect()
        };
        Lines { sources, starts: sources.files().map(|(_, file)| starts(&file.text)).collect() }
    }
}

impl Debug for Lines<'_> {
    fn sources(&self) -> Vec<Source> {
        let source = |(_, file): (FileId, &SourceFile)| Source {
            name: file.name.to_string(),
            text: file.text.to_string(),
        };
        self.sources.files().map(source).collect()
    }

    fn place(&self, span: Span) -> Option<Position> {
        // Where the macro was used, not where it was written.
        let span = self.sources.written(span);
        let file = self.sources.file_of(span)?;
        let at = span.lo.checked_sub(self.sources.file(file).start)?;
        let starts = &self.starts[file.0 as usize];
        let line = starts.partition_point(|start| *start <= at);
        let column = at - starts[line.checked_sub(1)?] + 1;
        Some(Position { file: file.0 as usize, line: line as u32, column })
    }
}
