//! Shaders as PTX: passes the module, and lines of the compilation, to the emitter.

use diag::SourceMap;
use ptx::{CannotEmit, Kernel, KernelEnvironment};

use crate::guard::catch;
use crate::spirv::Lines;
use crate::{Bug, Shader};

impl Shader {
    /// The shader as PTX for an architecture, as the engine `cuda` runs it. With the sources of its compilation, it
    /// holds the lines.
    ///
    /// The inner error says what the emitter does not support; the outer one is a bug in wavelane.
    pub fn ptx(
        &self,
        environment: &KernelEnvironment,
        sources: Option<&SourceMap>,
    ) -> Result<Result<Kernel, CannotEmit>, Bug> {
        catch(|| match sources {
            None => ptx::emit(&self.module, environment, &ir::debug::NoDebug),
            Some(sources) => ptx::emit(&self.module, environment, &Lines::new(sources)),
        })
    }
}
