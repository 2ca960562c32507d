//! `timeline`: what every lane does over time, as the page that `wavelane timeline` writes, in a notebook.

use ::timeline::{Program, Window};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wavelane::internal::{self, Prepared};
use wavelane::{Adapter, Device};

use crate::arguments::Arguments;
use crate::error;
use crate::kernel::{Kernel, groups_of};

/// A recorded run: a page of HTML, which a notebook shows in a frame.
#[pyclass(frozen, module = "wavelane")]
pub(crate) struct Timeline {
    /// The page, with all that it needs.
    #[pyo3(get)]
    html: String,
    /// Whether all steps of all waves are in it.
    #[pyo3(get)]
    complete: bool,
    /// The width of the waves.
    #[pyo3(get)]
    wave_size: u32,
}

/// The height of the frame in a notebook.
const HEIGHT: u32 = 640;

#[pymethods]
impl Timeline {
    /// Writes the page to a file.
    fn save(&self, path: std::path::PathBuf) -> PyResult<()> {
        let cannot = |it: std::io::Error| PyOSError::new_err(format!("{}: {it}", path.display()));
        std::fs::write(&path, &self.html).map_err(cannot)
    }

    fn _repr_html_(&self) -> String {
        let page = self.html.replace('&', "&amp;").replace('"', "&quot;");
        format!(
            "<iframe srcdoc=\"{page}\" style=\"width: 100%; height: {HEIGHT}px; border: 0\"></iframe>"
        )
    }

    fn __repr__(&self) -> String {
        let size = self.html.len().div_ceil(1024);
        format!("<wavelane.Timeline: waves of {} lanes, {size} KiB>", self.wave_size)
    }
}

/// Records a run of a kernel on the reference engine. The arrays are not changed.
///
/// `window` says of which steps all values are kept if not all fit into `limit` bytes:
/// `"group=0,0,0 wave=0..3 line=40..60"`.
#[pyfunction]
#[pyo3(signature = (kernel, groups, *, wave_size = None, window = None, limit = 16 << 20, **arguments))]
pub(crate) fn timeline(
    py: Python<'_>,
    kernel: &Kernel,
    groups: &Bound<'_, PyAny>,
    wave_size: Option<u32>,
    window: Option<&str>,
    limit: usize,
    arguments: Option<&Bound<'_, PyDict>>,
) -> PyResult<Timeline> {
    let groups = groups_of(groups)?;
    let window = Window::parse(window.unwrap_or(""));
    let window = window.map_err(|why| error::argument(format!("`window`: {why}")))?;
    let (shader, sources) = kernel.source.with_notes(py)?;
    let arguments = Arguments::new(&shader, arguments)?;
    let pipeline = Device::new(Adapter::reference()).create_compute_pipeline(&shader);
    let pipeline = pipeline.map_err(|it| error::Unsupported::new_err(it.to_string()))?;
    let dispatch = kernel.dispatch_of(groups, wave_size);
    let width = dispatch.wave_size.unwrap_or_else(|| pipeline.default_wave_size());
    let prepared = internal::prepared(&pipeline, &dispatch, &arguments.table);
    let Prepared { module, launch, bindings } = prepared.map_err(|it| error::dispatch(&it))?;
    let program = Program {
        name: shader.name().to_owned(),
        entry: shader.entry().to_owned(),
        files: Vec::new(),
        groups,
        group_size: module.group_size,
        wave_size: width,
    };
    let page = py.detach(|| {
        let (mut recording, ended) =
            ::timeline::record(&module, &sources, &launch, bindings, program, &window, Vec::new());
        let render = |it: &::timeline::Recording| ::timeline::page::page(it).into_bytes();
        let bytes = ::timeline::fit(&mut recording, limit, &render);
        bytes.map(|it| (it, recording.complete, ended))
    });
    let (bytes, complete, ended) = page.map_err(|least| {
        error::argument(format!("`limit`: the program alone takes {least} bytes"))
    })?;
    // A run that could not go on is recorded as far as it came; the page says so. One that did not begin has no page.
    if let Err(failure) = ended {
        let failure = internal::dispatch_error(failure);
        if !matches!(failure, wavelane::DispatchError::Trap(_)) {
            return Err(error::dispatch(&failure));
        }
    }
    let html = String::from_utf8(bytes).unwrap_or_else(|_| unreachable!("a page is text"));
    Ok(Timeline { html, complete, wave_size: width })
}
