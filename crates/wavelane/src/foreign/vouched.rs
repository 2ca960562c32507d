//! The promise that a driver may run another compiler's module, which only an unsafe function can take.

use std::ops::Deref;
use std::sync::Arc;

use super::{Foreign, ForeignError};
use crate::{ComputePipeline, Device, Shader};

/// A module of another compiler that a driver may run.
///
/// Invariant: the caller of [`Device::create_foreign_pipeline`] has promised what its `# Safety` section asks for.
#[derive(Clone)]
pub(crate) struct Vouched<T>(T);

impl<T> Vouched<T> {
    /// # Safety
    /// As for [`Device::create_foreign_pipeline`].
    unsafe fn new(module: T) -> Vouched<T> {
        Vouched(module)
    }
}

impl<T> Deref for Vouched<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl Device {
    /// A pipeline that runs another compiler's module instead of the shader, with the shader's bindings. Only for GPUs.
    ///
    /// # Safety
    /// A driver does not validate a module, and runs it in this process: a wrong one can crash the process, or
    /// overwrite its memory. The caller promises that the module
    ///
    /// - is valid: SPIR-V that `spirv-val` accepts for the device's version and features of Vulkan, or PTX;
    /// - does nothing undefined in any dispatch of the pipeline: it accesses only the resources that are bound, within
    ///   their bounds where the device does not check them, and in PTX only the memory that its parameters name.
    ///
    /// For modules of unknown origin, run a validator first, or run them in a separate process.
    ///
    /// ```no_run
    /// use wavelane::*;
    ///
    /// # let (text, words) = ("", Vec::new());
    /// let shader = Shader::compile("sum.hlsl", text, &Options::default(), &mut NoIncludes)?.shader()?;
    /// let device = Device::with_engine(Adapter::reference(), Engine::Vulkan)?;
    /// let module = Foreign::parse(&words)?;
    /// // SAFETY: dxc has compiled the module from the same text, and `spirv-val` accepts it.
    /// let pipeline = unsafe { device.create_foreign_pipeline(&shader, &module) }?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn create_foreign_pipeline(
        &self,
        shader: &Shader,
        foreign: &Foreign,
    ) -> Result<ComputePipeline, ForeignError> {
        let unsupported = || {
            let what = match foreign.is_ptx() {
                true => "only the engine `cuda` runs PTX of other compilers",
                false => "only the engine `vulkan` runs SPIR-V of other compilers",
            };
            ForeignError::Unsupported(what.to_owned())
        };
        let runs = if foreign.is_ptx() { self.cuda().is_some() } else { self.gpu().is_some() };
        if !runs {
            return Err(unsupported());
        }
        let pipeline = self.create_compute_pipeline(shader).map_err(ForeignError::Pipeline)?;
        let (backend, module) = (&self.backend, &shader.module);
        let program = match foreign.kernel(shader)? {
            Some(kernel) => {
                // SAFETY: the caller's contract.
                backend.prepare_foreign_kernel(module, unsafe { Vouched::new(Arc::new(kernel)) })
            }
            None => {
                // SAFETY: the caller's contract.
                backend.prepare_foreign(module, unsafe { Vouched::new(foreign.emitted(shader)?) })
            }
        };
        Ok(ComputePipeline { program: program.ok_or_else(unsupported)?, ..pipeline })
    }
}

/// [`Device::create_foreign_pipeline`] for programs that forbid unsafe code: the user of the program vouches for the
/// module, by naming its file, or the compiler that writes it, as for any other program that the user runs.
///
/// It is sound by that rule alone: it must not be called with a module that no user has asked for.
pub fn create_vouched_pipeline(
    device: &Device,
    shader: &Shader,
    foreign: &Foreign,
) -> Result<ComputePipeline, ForeignError> {
    // SAFETY: the user has vouched for the module, by the rule above.
    unsafe { device.create_foreign_pipeline(shader, foreign) }
}
