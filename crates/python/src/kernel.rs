//! Kernels: a compiled shader with the engine, the width and the threads that run it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use wavelane::diagnostic::Style;
use wavelane::{
    Adapter, ComputePipeline, CpuOptions, Device, Dispatch, Engine, Includer, Level, Options,
    PrintLog, Shader, SourceMap,
};

use crate::arguments::Arguments;
use crate::error::{self, CompileError, Unsupported};

/// Room for shaders that nest as deeply as the front end's limits allow, which Python's threads do not have.
const STACK: usize = 256 << 20;
/// The most bytes of lines that a run keeps for `print`.
const PRINTED: usize = 1 << 20;

/// A compiled text.
pub(crate) struct Source {
    pub(crate) shader: Shader,
    pub(crate) sources: SourceMap,
    text: Text,
}

/// What is compiled.
#[derive(Clone)]
struct Text {
    name: String,
    text: String,
    options: Options,
    includes: Vec<PathBuf>,
}

/// What a text compiles to.
struct Compiled {
    shader: Shader,
    sources: SourceMap,
    /// The compiler's warnings, with source lines and carets.
    warnings: Option<String>,
}

/// A compiled shader. `kernel[groups](Name=array, …)` runs it on arrays in place.
#[pyclass(frozen, module = "wavelane")]
pub(crate) struct Kernel {
    pub(crate) source: Arc<Source>,
    pub(crate) pipeline: ComputePipeline,
    engine: Engine,
    threads: usize,
    wave_size: Option<u32>,
    fuel: Option<u64>,
}

/// Looks for included files in the folder of the including file, and then in a list of folders.
struct Folders(Vec<PathBuf>);

impl Includer for Folders {
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let own =
            (!system).then(|| Path::new(includer).parent().unwrap_or(Path::new("")).to_owned());
        let folders = own.into_iter().chain(self.0.iter().cloned());
        folders.into_iter().map(|it| it.join(path)).find_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some((file.to_string_lossy().into_owned(), text.into()))
        })
    }
}

/// The engines that work on this machine.
#[pyfunction]
pub(crate) fn engines(py: Python<'_>) -> Vec<&'static str> {
    py.detach(|| Engine::ALL.into_iter().filter(|it| it.is_available()).map(Engine::name).collect())
}

fn engine_named(name: Option<&str>) -> PyResult<Engine> {
    let Some(name) = name else { return Ok(Engine::fastest()) };
    Engine::ALL.into_iter().find(|it| it.name() == name).ok_or_else(|| {
        let all: Vec<&str> = Engine::ALL.into_iter().map(Engine::name).collect();
        PyValueError::new_err(format!(
            "`engine`: there is no engine `{name}`; the engines are `{}`",
            all.join("`, `")
        ))
    })
}

/// Compiles a shader.
///
/// `source` is the path of a file, or a text, which has at least one newline. `defines` are macros; `includes` are
/// folders for `#include`. Raises `CompileError` with the source lines and carets if the shader is wrong; warnings are
/// `CompileWarning`s.
#[pyfunction]
#[pyo3(signature = (source, *, defines = None, entry = "main", includes = Vec::new(), enable_16bit = false, name = None,
                    engine = None, wave_size = None, threads = 1))]
#[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn compile(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    defines: Option<&Bound<'_, PyDict>>,
    entry: &str,
    includes: Vec<PathBuf>,
    enable_16bit: bool,
    name: Option<String>,
    engine: Option<&str>,
    wave_size: Option<u32>,
    threads: usize,
) -> PyResult<Kernel> {
    let engine = engine_named(engine)?;
    let text = source.extract::<String>().ok().filter(|it| it.contains('\n'));
    let (name, text) = match text {
        Some(text) => (name.unwrap_or_else(|| "shader.hlsl".to_owned()), text),
        None => {
            let path: PathBuf = source.extract().map_err(|_| {
                PyTypeError::new_err(
                    "`source` is a path or a text, and a text has at least one newline",
                )
            })?;
            let text = std::fs::read_to_string(&path).map_err(|error| {
                // The usual exception of Python for files: `FileNotFoundError` and its like.
                let is_missing = !path.exists();
                let kind = PyErr::from(error);
                let mut what = format!("{}: {}", path.display(), kind.value(py));
                if is_missing {
                    what.push_str(" (a text, in contrast to a path, has a newline)");
                }
                let ty = kind.get_type(py);
                PyErr::from_type(ty, what)
            })?;
            (name.unwrap_or_else(|| path.to_string_lossy().into_owned()), text)
        }
    };
    let mut options = Options { entry: entry.to_owned(), enable_16bit, ..Options::default() };
    for (name, value) in defines.into_iter().flatten() {
        let value = match value {
            none if none.is_none() => None,
            // As C spells them.
            value => Some(match value.extract::<bool>() {
                Ok(truth) => u8::from(truth).to_string(),
                Err(_) => value.str()?.to_string(),
            }),
        };
        options.defines.push((name.extract()?, value));
    }
    let text = Text { name, text, options, includes };
    let Compiled { shader, sources, warnings } = text.compile(py)?;
    if let Some(warnings) = warnings {
        error::warn(py, &warnings)?;
    }
    let source = Arc::new(Source { shader, sources, text });
    Kernel::new(py, source, engine, threads, wave_size, None)
}

impl Text {
    fn compile(&self, py: Python<'_>) -> PyResult<Compiled> {
        let compiled = py.detach(|| {
            let Text { name, text, options, includes } = self;
            let work = || Shader::compile(name, text, options, &mut Folders(includes.clone()));
            thread::scope(|scope| {
                let started = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                match started.map(|it| it.join()) {
                    Ok(Ok(compiled)) => Ok(compiled),
                    Ok(Err(_)) => unreachable!("`Shader::compile` returns panics as bugs"),
                    Err(error) => Err(error),
                }
            })
        })?;
        let compiled = compiled.map_err(|it| error::bug(&it))?;
        let text = compiled.render(Style::Plain);
        if let Some(shader) = compiled.shader {
            let warnings = (!text.is_empty()).then_some(text);
            return Ok(Compiled { shader, sources: compiled.sources, warnings });
        }
        let has = |level: Level| compiled.diagnostics.iter().any(|it| it.level == level);
        if !has(Level::Error) && has(Level::Unsupported) {
            return Err(Unsupported::new_err(text));
        }
        Err(CompileError::new_err(text))
    }
}

impl Source {
    /// The same with notes for recordings. Included files are read anew.
    pub(crate) fn with_notes(&self, py: Python<'_>) -> PyResult<(Shader, SourceMap)> {
        let mut text = self.text.clone();
        text.options.notes = true;
        let Compiled { shader, sources, .. } = text.compile(py)?;
        Ok((shader, sources))
    }
}

impl Kernel {
    fn new(
        py: Python<'_>,
        source: Arc<Source>,
        engine: Engine,
        threads: usize,
        wave_size: Option<u32>,
        fuel: Option<u64>,
    ) -> PyResult<Kernel> {
        if !(1..=CpuOptions::MOST_THREADS).contains(&threads) {
            return Err(error::argument(format!(
                "`threads`: a number from 1 to {} is expected, and this is {threads}",
                CpuOptions::MOST_THREADS
            )));
        }
        let device = py.detach(|| match engine {
            // Small calls are common here, and the code of a kernel is used many times.
            Engine::Cpu => Device::with_cpu(
                Adapter::reference(),
                CpuOptions { threads, ..CpuOptions::default() },
            ),
            other => Device::with_engine(Adapter::reference(), other),
        });
        let device = device.map_err(|it| Unsupported::new_err(it.to_string()))?;
        let pipeline = device.create_compute_pipeline(&source.shader);
        let pipeline = pipeline.map_err(|it| Unsupported::new_err(it.to_string()))?;
        if let Some(width) = wave_size
            && !pipeline.wave_sizes().contains(&width)
        {
            let allowed: Vec<String> = pipeline.wave_sizes().iter().map(u32::to_string).collect();
            return Err(error::argument(format!(
                "`wave_size`: waves of {width} lanes are not allowed here, only of {}",
                allowed.join(", ")
            )));
        }
        Ok(Kernel { source, pipeline, engine, threads, wave_size, fuel })
    }

    pub(crate) fn shader(&self) -> &Shader {
        &self.source.shader
    }

    pub(crate) fn dispatch_of(&self, groups: [u32; 3], wave_size: Option<u32>) -> Dispatch {
        Dispatch {
            wave_size: wave_size.or(self.wave_size),
            fuel: self.fuel,
            ..Dispatch::new(groups)
        }
    }

    /// Runs without the interpreter's lock, and hands what the shader prints to Python.
    pub(crate) fn run(
        &self,
        py: Python<'_>,
        mut dispatch: Dispatch,
        arguments: &Arguments,
    ) -> PyResult<()> {
        let log = self.shader().prints().then(|| Arc::new(PrintLog::new(PRINTED)));
        dispatch.prints.clone_from(&log);
        let result =
            py.detach(|| wavelane::internal::dispatch(&self.pipeline, &dispatch, &arguments.table));
        if let Some(log) = log {
            let print = py.import("builtins")?.getattr("print")?;
            for line in self.shader().printed(&log).lines {
                print.call1((line.text,))?;
            }
        }
        result.map_err(|it| error::dispatch(&it))
    }
}

/// Groups: a number or up to three.
pub(crate) fn groups_of(value: &Bound<'_, PyAny>) -> PyResult<[u32; 3]> {
    let wrong = || {
        PyTypeError::new_err(
            "`groups` is a number or a tuple of up to three numbers, each below 2**32",
        )
    };
    if let Ok(groups) = value.extract::<u32>() {
        return Ok([groups, 1, 1]);
    }
    let list: Vec<u32> = value.extract().map_err(|_| wrong())?;
    match list.as_slice() {
        [x] => Ok([*x, 1, 1]),
        [x, y] => Ok([*x, *y, 1]),
        [x, y, z] => Ok([*x, *y, *z]),
        _ => Err(wrong()),
    }
}

#[pymethods]
impl Kernel {
    /// The name of the entry point.
    #[getter]
    fn entry(&self) -> &str {
        self.shader().entry()
    }

    /// The threads of a group, in x, y and z.
    #[getter]
    fn group_size(&self) -> (u32, u32, u32) {
        let [x, y, z] = self.shader().group_size();
        (x, y, z)
    }

    /// The widths that the shader and the engine allow.
    #[getter]
    pub(crate) fn wave_sizes(&self) -> Vec<u32> {
        self.pipeline.wave_sizes().to_vec()
    }

    /// The width at which calls run.
    #[getter]
    fn wave_size(&self) -> u32 {
        self.wave_size.unwrap_or_else(|| self.pipeline.default_wave_size())
    }

    /// The engine.
    #[getter]
    fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// The threads of the engine `cpu`.
    #[getter]
    fn threads(&self) -> usize {
        self.threads
    }

    /// The resources that the shader declares: their names, and their types in HLSL.
    #[getter]
    fn resources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for resource in self.shader().resources() {
            all.set_item(&resource.name, resource.kind.view().name)?;
        }
        Ok(all)
    }

    /// The same kernel with another width, engine, number of threads or limit on wave-instructions.
    #[pyo3(signature = (*, wave_size = None, threads = None, engine = None, fuel = None))]
    fn at(
        &self,
        py: Python<'_>,
        wave_size: Option<u32>,
        threads: Option<usize>,
        engine: Option<&str>,
        fuel: Option<u64>,
    ) -> PyResult<Kernel> {
        let chosen = engine.map(|it| engine_named(Some(it))).transpose()?.unwrap_or(self.engine);
        let threads = threads.unwrap_or(self.threads);
        let (wave_size, fuel) = (wave_size.or(self.wave_size), fuel.or(self.fuel));
        if chosen == self.engine && threads == self.threads {
            // The code of all widths is in the pipeline.
            if wave_size.is_none_or(|it| self.pipeline.wave_sizes().contains(&it)) {
                let (source, pipeline) = (self.source.clone(), self.pipeline.clone());
                return Ok(Kernel { source, pipeline, engine: chosen, threads, wave_size, fuel });
            }
        }
        Kernel::new(py, self.source.clone(), chosen, threads, wave_size, fuel)
    }

    /// Prepares for calls at the kernel's width now, instead of at the first one.
    fn prepare(&self, py: Python<'_>) {
        let width = self.wave_size();
        py.detach(|| self.pipeline.prepare(width));
    }

    /// A kernel is called with its groups: `kernel[groups](Name=array, …)`.
    #[pyo3(signature = (*_positional, **_arguments))]
    fn __call__(
        &self,
        _positional: &Bound<'_, PyTuple>,
        _arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(PyTypeError::new_err("the number of groups is missing: `kernel[groups](Name=array)`"))
    }

    fn __getitem__(slf: Py<Self>, groups: &Bound<'_, PyAny>) -> PyResult<Launch> {
        Ok(Launch { kernel: slf, groups: groups_of(groups)? })
    }

    /// Checks arguments once, for many calls: `call = kernel.bind(groups, Name=array, …)`, and then `call()`.
    #[pyo3(signature = (groups, **arguments))]
    fn bind(
        slf: Py<Self>,
        groups: &Bound<'_, PyAny>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BoundLaunch> {
        BoundLaunch::new(slf, groups_of(groups)?, groups.py(), arguments)
    }

    fn __repr__(&self) -> String {
        let all: Vec<&str> = self.shader().resources().iter().map(|it| it.name.as_str()).collect();
        format!(
            "<wavelane.Kernel `{}` of {}: {}>",
            self.entry(),
            self.shader().name(),
            all.join(", ")
        )
    }
}

/// A kernel with the number of its groups.
#[pyclass(frozen, module = "wavelane")]
pub(crate) struct Launch {
    kernel: Py<Kernel>,
    groups: [u32; 3],
}

#[pymethods]
impl Launch {
    /// Runs the kernel on arrays in place. Returns when it is done.
    #[pyo3(signature = (*positional, **arguments))]
    fn __call__(
        &self,
        py: Python<'_>,
        positional: &Bound<'_, PyTuple>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if !positional.is_empty() {
            return Err(PyTypeError::new_err(
                "arguments are passed by name: `kernel[groups](Name=array)`",
            ));
        }
        let kernel = self.kernel.get();
        let arguments = Arguments::new(kernel.shader(), arguments)?;
        kernel.run(py, kernel.dispatch_of(self.groups, None), &arguments)
    }

    /// Checks arguments once, for many calls.
    #[pyo3(signature = (**arguments))]
    fn bind(&self, py: Python<'_>, arguments: Option<&Bound<'_, PyDict>>) -> PyResult<BoundLaunch> {
        BoundLaunch::new(self.kernel.clone_ref(py), self.groups, py, arguments)
    }

    #[getter]
    fn groups(&self) -> (u32, u32, u32) {
        (self.groups[0], self.groups[1], self.groups[2])
    }

    fn __repr__(&self) -> String {
        format!("<wavelane.Launch of {:?}: {}>", self.groups, self.kernel.get().__repr__())
    }
}

/// A kernel with its groups and arguments: `call()` runs it. The arrays stay exported, and so cannot be resized, for as
/// long as it lives.
#[pyclass(frozen, module = "wavelane", name = "BoundLaunch")]
pub(crate) struct BoundLaunch {
    kernel: Py<Kernel>,
    groups: [u32; 3],
    arguments: Arguments,
}

impl BoundLaunch {
    fn new(
        kernel: Py<Kernel>,
        groups: [u32; 3],
        py: Python<'_>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<BoundLaunch> {
        let bound = Arguments::new(kernel.get().shader(), arguments)?;
        kernel.get().prepare(py);
        Ok(BoundLaunch { kernel, groups, arguments: bound })
    }
}

#[pymethods]
impl BoundLaunch {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let kernel = self.kernel.get();
        kernel.run(py, kernel.dispatch_of(self.groups, None), &self.arguments)
    }

    fn __repr__(&self) -> String {
        format!("<wavelane.BoundLaunch of {:?}: {}>", self.groups, self.kernel.get().__repr__())
    }
}
