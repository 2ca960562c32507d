//! `san` and `sweep`: the sanitizer's report, and the results at every width.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use wavelane::diagnostic::{Allows, Style, render};
use wavelane::internal::{diag, dispatch};
use wavelane::sanitizer::Plan;
use wavelane::{F16, Layout, Level, Scalar};

use crate::arguments::Arguments;
use crate::dtype;
use crate::error;
use crate::kernel::{Kernel, groups_of};

/// One finding of the sanitizer.
#[pyclass(frozen, get_all, module = "wavelane")]
pub(crate) struct Finding {
    /// The code, such as `race`, for `wavelane explain`.
    id: String,
    /// `error` or `warning`.
    level: &'static str,
    message: String,
    /// Where it happened.
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    /// The widths at which it happened.
    widths: Vec<u32>,
    /// The whole report, with source lines and carets.
    text: String,
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        let line = self.line.map_or_else(String::new, |it| format!(" line {it}:"));
        format!("<wavelane.Finding {}:{line} {}>", self.id, self.message)
    }

    fn __str__(&self) -> &str {
        &self.text
    }
}

/// What the sanitizer found.
#[pyclass(frozen, module = "wavelane")]
pub(crate) struct Report {
    #[pyo3(get)]
    findings: Py<PyList>,
    /// The widths that were tried.
    #[pyo3(get)]
    widths: Vec<u32>,
    /// How often the shader ran.
    #[pyo3(get)]
    runs: usize,
    texts: Vec<String>,
    is_clean: bool,
}

#[pymethods]
impl Report {
    /// Whether nothing was found that is an error.
    #[getter]
    fn clean(&self) -> bool {
        self.is_clean
    }

    fn __str__(&self) -> String {
        match self.texts.as_slice() {
            [] => format!("no findings in {} runs at {} widths\n", self.runs, self.widths.len()),
            texts => texts.join("\n"),
        }
    }

    fn __repr__(&self) -> String {
        format!("<wavelane.Report: {} findings in {} runs>", self.texts.len(), self.runs)
    }

    fn _repr_html_(&self) -> String {
        format!("<pre>{}</pre>", diag::escaped(&self.__str__()))
    }
}

/// Runs a kernel under the sanitizer, at every width and in other orders. The arrays are not changed.
#[pyfunction]
#[pyo3(signature = (kernel, groups, *, widths = None, thorough = false, **arguments))]
pub(crate) fn san(
    py: Python<'_>,
    kernel: &Kernel,
    groups: &Bound<'_, PyAny>,
    widths: Option<Vec<u32>>,
    thorough: bool,
    arguments: Option<&Bound<'_, PyDict>>,
) -> PyResult<Report> {
    let groups = groups_of(groups)?;
    let arguments = Arguments::new(kernel.shader(), arguments)?;
    let mut plan = Plan::new(widths.unwrap_or_else(|| kernel.wave_sizes()));
    if thorough {
        plan.thorough();
    }
    let launch = kernel.dispatch_of(groups, None);
    let report = py.detach(|| kernel.pipeline.examine(&launch, &plan, &arguments.table));
    let report = report.map_err(|it| error::examine(&it))?;
    let sources = &kernel.source.sources;
    let (mut allows, _) = Allows::read(sources);
    let report = report.without_allowed(&mut allows, sources);
    let (mut texts, mut is_clean) = (Vec::new(), true);
    let findings = PyList::empty(py);
    for seen in report.seen {
        let code = seen.finding.kind.code();
        let diagnostic = seen.report();
        let at = sources.location(seen.finding.site.span);
        let text = render(&diagnostic, sources, Style::Plain);
        is_clean &= diagnostic.level < Level::Error;
        texts.push(text.clone());
        findings.append(Finding {
            id: code.name.to_owned(),
            level: diagnostic.level.word(),
            message: diagnostic.message,
            file: at.as_ref().map(|it| it.file.to_string()),
            line: at.as_ref().map(|it| it.line),
            column: at.as_ref().map(|it| it.column),
            widths: seen.widths.clone(),
            text,
        })?;
    }
    Ok(Report {
        findings: findings.unbind(),
        widths: plan.widths,
        runs: report.runs,
        texts,
        is_clean,
    })
}

/// The results of a kernel at several widths.
#[pyclass(frozen, module = "wavelane")]
pub(crate) struct Sweep {
    /// By width and name what the shader left in each resource that it writes.
    #[pyo3(get)]
    results: Py<PyDict>,
    #[pyo3(get)]
    widths: Vec<u32>,
    /// By name the widths that left the same, in groups.
    groups: BTreeMap<String, Vec<Vec<u32>>>,
}

#[pymethods]
impl Sweep {
    /// The resources whose contents depend on the width: for each the widths that agree with each other.
    #[getter]
    fn differences<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, groups) in self.groups.iter().filter(|(_, it)| it.len() > 1) {
            all.set_item(name, groups.clone())?;
        }
        Ok(all)
    }

    fn __repr__(&self) -> String {
        let differ = self.groups.values().filter(|it| it.len() > 1).count();
        format!(
            "<wavelane.Sweep: {} widths, {differ} of {} resources differ>",
            self.widths.len(),
            self.groups.len()
        )
    }

    fn _repr_html_(&self) -> String {
        let header: String = self.widths.iter().map(|it| format!("<th>{it}</th>")).collect();
        let mut rows = String::new();
        for (name, groups) in &self.groups {
            let largest = groups.iter().max_by_key(|it| it.len());
            let cell = |width: &u32| {
                if largest.is_some_and(|it| it.contains(width)) {
                    "<td>=</td>"
                } else {
                    "<td>≠</td>"
                }
            };
            let cells: String = self.widths.iter().map(cell).collect();
            rows.push_str(&format!("<tr><th>{}</th>{cells}</tr>", diag::escaped(name)));
        }
        format!("<table><tr><th>waves of</th>{header}</tr>{rows}</table>")
    }
}

/// Contents, and the widths that leave them.
type Alike = (Vec<u8>, Vec<u32>);

/// Runs a kernel at several widths, every time on copies of the arrays, which are not changed.
#[pyfunction]
#[pyo3(signature = (kernel, groups, *, widths = None, **arguments))]
pub(crate) fn sweep(
    py: Python<'_>,
    kernel: &Kernel,
    groups: &Bound<'_, PyAny>,
    widths: Option<Vec<u32>>,
    arguments: Option<&Bound<'_, PyDict>>,
) -> PyResult<Sweep> {
    let groups = groups_of(groups)?;
    let arguments = Arguments::new(kernel.shader(), arguments)?;
    let widths = widths.unwrap_or_else(|| kernel.wave_sizes());
    let results = PyDict::new(py);
    let mut same: BTreeMap<String, Vec<Alike>> = BTreeMap::new();
    for width in &widths {
        let launch = kernel.dispatch_of(groups, Some(*width));
        let table = py.detach(|| {
            let table = arguments.table.duplicate()?;
            dispatch(&kernel.pipeline, &launch, &table).map(|()| table)
        });
        let table = table.map_err(|it| error::dispatch(&it))?;
        let left = PyDict::new(py);
        for resource in kernel.shader().resources() {
            if !resource.kind.writable() {
                continue;
            }
            let (layout, bytes) = if let Some(buffer) = table.buffer(&resource.name) {
                (Layout::of(&resource.kind, None), buffer.read_bytes())
            } else if let Some(texture) = table.texture(&resource.name) {
                (Layout::of_texel(texture.shape().format), texture.read_bytes())
            } else {
                continue;
            };
            let bytes = bytes.map_err(error::argument)?;
            left.set_item(&resource.name, shown(py, &layout, &bytes)?)?;
            let known = same.entry(resource.name.clone()).or_default();
            match known.iter_mut().find(|(it, _)| *it == bytes) {
                Some((_, widths)) => widths.push(*width),
                None => known.push((bytes, vec![*width])),
            }
        }
        results.set_item(width, left)?;
    }
    let groups =
        same.into_iter().map(|(name, all)| (name, all.into_iter().map(|it| it.1).collect()));
    Ok(Sweep { results: results.unbind(), widths, groups: groups.collect() })
}

/// Contents as a `memoryview` of the shader's numbers where it has one type of them, and of bytes otherwise.
fn shown<'py>(py: Python<'py>, layout: &Layout, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    // A `memoryview` has no halves; floats hold the same numbers.
    if layout.only() == Some(Scalar::F16) {
        let halves = bytes.chunks_exact(2).map(|it| F16(u16::from_le_bytes([it[0], it[1]])));
        let floats: Vec<u8> = halves.flat_map(|it| it.to_f32().to_le_bytes()).collect();
        return shown(py, &Layout::uniform(Scalar::F32, 1), &floats);
    }
    let bytes = PyBytes::new(py, bytes);
    let view = py.import("builtins")?.getattr("memoryview")?.call1((bytes,))?;
    let code = layout.only().and_then(dtype::code);
    match code.filter(|_| view.len().is_ok_and(|it| it > 0)) {
        Some(code) => view.call_method1("cast", (code,)),
        None => Ok(view),
    }
}
