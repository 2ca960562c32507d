//! The coverage grid: every wave function, on every element type of its signature, at every width.
//!
//! [`cells`] derives the cells from the rows of [`ops::intrinsics`] alone. A cell is one small program ([`source`])
//! that applies one function to a scalar, a vector and, if there is room, a matrix. It is compiled once and run at
//! each width, on data ([`data`]) that the host generates for that width: several groups whose size is not a
//! multiple of any width, waves of which only some lanes participate, first ordinary numbers of both signs, then
//! extremes or NaN, infinities and zeros. The expected results ([`expect`]) are computed by plain loops over the
//! lanes from the name of the function; nothing of `ops::wave` is used for it.
//!
//! [`mutate`] then breaks the compiled module in every applicable way, and each shape of the cell must notice.
//!
//! Deliberately absent: undefined results without a fixed value. Where `docs/semantics.md` fixes the reference
//! engine's result of an undefined read, the cells check it.

pub mod data;
pub mod expect;
pub mod mutate;
pub mod source;

use std::collections::{BTreeMap, BTreeSet};

use interp::NoObserver;
use ir::Module;
use ir::exec::{Bindings, Buffer, Failure, Launch};
use ops::intrinsics::{self, Elements, Intrinsic, Output, Param};

use crate::run;
use crate::section::WIDTHS;
use generate::Kind;

/// The threads of a group: more than the widest wave has lanes, and not a multiple of any width.
pub const THREADS: usize = 139;

/// The spelling of an element type in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spelling {
    pub word: &'static str,
    /// With `-enable-16bit-types`.
    pub native: bool,
    /// The resulting type of a lane's value.
    pub kind: Kind,
}

/// Every element type of the language, with both meanings of those that have two.
pub const SPELLINGS: [Spelling; 18] = [
    Spelling::new("bool", true, Kind::Bool),
    Spelling::new("int", true, Kind::I32),
    Spelling::new("uint", true, Kind::U32),
    Spelling::new("int16_t", true, Kind::I16),
    Spelling::new("uint16_t", true, Kind::U16),
    Spelling::new("int64_t", true, Kind::I64),
    Spelling::new("uint64_t", true, Kind::U64),
    Spelling::new("float", true, Kind::F32),
    Spelling::new("double", true, Kind::F64),
    Spelling::new("float16_t", true, Kind::F16),
    Spelling::new("half", true, Kind::F16),
    Spelling::new("half", false, Kind::F32),
    Spelling::new("min16float", true, Kind::F16),
    Spelling::new("min16float", false, Kind::F32),
    Spelling::new("min16int", true, Kind::I16),
    Spelling::new("min16int", false, Kind::I32),
    Spelling::new("min16uint", true, Kind::U16),
    Spelling::new("min16uint", false, Kind::U32),
];

impl Spelling {
    const fn new(word: &'static str, native: bool, kind: Kind) -> Spelling {
        Spelling { word, native, kind }
    }

    /// The name in the grid's tables.
    pub fn name(self) -> String {
        format!("{}{}", self.word, if self.native { "" } else { " (32 bits)" })
    }

    fn is_taken_by(self, elements: Elements) -> bool {
        match elements {
            Elements::Any => true,
            Elements::Numeric => self.kind != Kind::Bool,
            Elements::Integer | Elements::UnsignedInDxc => self.kind.is_int(),
        }
    }
}

/// The shape of a value, and the number of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub rows: usize,
    pub columns: usize,
    /// The position of its components among those of all shapes.
    pub first: usize,
    /// The position of its results among those of all shapes, and their number.
    pub first_result: usize,
    pub results: usize,
}

impl Shape {
    pub fn components(self) -> usize {
        self.rows * self.columns
    }
}

/// One function on one element type, at all widths.
#[derive(Clone, Debug)]
pub struct Cell {
    pub row: &'static Intrinsic,
    /// For functions without a value, the type of the condition (`bool`) or nothing (`uint`).
    pub spelling: Spelling,
    pub shapes: Vec<Shape>,
}

/// The outcome for a cell.
#[derive(Debug, Default)]
pub struct Report {
    /// The widths at which results were compared.
    pub widths: Vec<u32>,
    pub checks: usize,
    pub mutations: usize,
    /// Mutations without an effect, with the reason, and their number.
    pub idle: BTreeMap<&'static str, usize>,
    /// What failed, in words.
    pub failures: Vec<String>,
}

/// All cells, in the order of the rows.
pub fn cells() -> Vec<Cell> {
    let mut all = Vec::new();
    for (i, row) in intrinsics::all().enumerate() {
        for (j, spelling) in spellings(row).into_iter().enumerate() {
            // The three vector sizes alternate, so that each is combined with each type.
            let size = 2 + (i + j) % 3;
            let matrix = (2, 2 + (i + j) % 2);
            all.push(Cell { row, spelling, shapes: shapes(row, &[(1, 1), (1, size), matrix]) });
        }
    }
    all
}

/// The element types of a row.
pub fn spellings(row: &Intrinsic) -> Vec<Spelling> {
    let elements = row.params.iter().find_map(|param| match param {
        Param::Value(elements) => Some(*elements),
        Param::Bool
        | Param::LaneIndex
        | Param::ConstantLane
        | Param::Distance
        | Param::ClusterSize
        | Param::QuadIndex
        | Param::Lanes
        | Param::WaveMask => None,
    });
    match elements {
        Some(elements) => SPELLINGS.into_iter().filter(|it| it.is_taken_by(elements)).collect(),
        None if row.params.contains(&Param::Bool) => vec![SPELLINGS[0]],
        None => vec![SPELLINGS[2]],
    }
}

/// The widths at which a row runs: a 32-bit mask cannot name the lanes of wider waves.
pub fn widths(row: &Intrinsic) -> Vec<u32> {
    let widest = if row.is_masked() || row.result == Output::WaveMask { 32 } else { 128 };
    WIDTHS.into_iter().filter(|it| *it <= widest).collect()
}

fn shapes(row: &Intrinsic, sizes: &[(usize, usize)]) -> Vec<Shape> {
    let has_value = row.params.iter().any(|it| matches!(it, Param::Value(_)));
    let (mut first, mut first_result) = (0, 0);
    let mut all = Vec::new();
    for (rows, columns) in sizes.iter().take(if has_value { sizes.len() } else { 1 }) {
        let results = match row.result {
            Output::Void | Output::Bool | Output::Uint | Output::WaveMask => 1,
            Output::Uint4 => 4,
            Output::BoolShape | Output::Value => rows * columns,
        };
        all.push(Shape { rows: *rows, columns: *columns, first, first_result, results });
        first += rows * columns;
        first_result += results;
    }
    all
}

impl Cell {
    /// The number of scalars of the value type in a thread.
    pub fn components(&self) -> usize {
        self.shapes.iter().map(|it| it.components()).sum()
    }

    /// The number of scalars that a thread writes.
    pub fn results(&self) -> usize {
        self.shapes.iter().map(|it| it.results).sum()
    }

    pub fn name(&self) -> String {
        format!("{} on {}", self.row.name, self.spelling.name())
    }

    /// Compiles the cell, runs it at every width, and breaks it in every applicable way.
    pub fn run(&self) -> Report {
        let mut report = Report::default();
        let module = match self.compile() {
            Ok(module) => module,
            Err(what) => {
                report.failures.push(format!("{}: {what}\n{}", self.name(), source::text(self)));
                return report;
            }
        };
        let wanted = widths(self.row);
        for width in WIDTHS {
            let data = data::make(self, width);
            match self.outcome(&module, width, &data) {
                Err(Failure::Unsupported(_)) if !wanted.contains(&width) => report.checks += 1,
                Err(failure) => {
                    report.failures.push(format!("{} at width {width}: {failure:?}", self.name()))
                }
                Ok(_) if !wanted.contains(&width) => {
                    let name = self.name();
                    report.failures.push(format!(
                        "{name} ran at width {width}, though its mask cannot name the lanes"
                    ));
                }
                Ok(got) => {
                    let expected = expect::results(self, width, &data);
                    report.checks += expected.iter().flatten().count();
                    report.widths.push(width);
                    for shape in &self.shapes {
                        if let Some(what) = self.difference(shape, &got, &expected) {
                            report
                                .failures
                                .push(format!("{} at width {width}: {what}", self.name()));
                        }
                    }
                }
            }
        }
        if report.failures.is_empty() {
            self.mutate(&module, &mut report);
        }
        if !report.failures.is_empty() {
            report.failures.push(source::text(self));
        }
        report
    }

    /// The module of the cell, verified, printed and read back.
    fn compile(&self) -> Result<Module, String> {
        let mut flags = vec!["--dialect".to_owned(), "slang".to_owned()];
        if self.spelling.native {
            flags.push("-enable-16bit-types".to_owned());
        }
        let mut options = run::options(&flags)?;
        options.shader_model = hlsl::ShaderModel::V6_10;
        let compiled = run::compile_text("cell.hlsl", &source::text(self), &options);
        let module = compiled.module.ok_or_else(|| {
            diag::render_all(&compiled.diagnostics, &compiled.sources, diag::Style::Plain)
        })?;
        run::check_module(&module)?;
        Ok(module)
    }

    /// The results of all threads: `results()` for each, whole slots.
    fn outcome(&self, module: &Module, width: u32, data: &data::Data) -> Result<Vec<u64>, Failure> {
        let count = data.threads.len() * self.results();
        let mut bindings = Bindings::default();
        for resource in &module.resources {
            let bytes = match resource.name.as_str() {
                "input" => data.bytes(self),
                // An unwritten slot keeps a pattern that no result has.
                _ => std::iter::repeat_n(data::UNTOUCHED.to_le_bytes(), count).flatten().collect(),
            };
            bindings.bindings.push(vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]);
        }
        let launch = Launch {
            fuel: Some(1 << 24),
            ..Launch::dispatch([data::groups(width as usize) as u32, 1, 1], width)
        };
        interp::run(module, &launch, &mut bindings, &mut NoObserver)?;
        let output = module.resources.iter().position(|it| it.name == "output");
        let bytes = output.map(|at| bindings.bindings[at][0].bytes.as_slice()).unwrap_or_default();
        Ok(bytes
            .chunks_exact(8)
            .map(|it| u64::from_le_bytes(it.try_into().unwrap_or_default()))
            .collect())
    }

    /// The first difference in the results of a shape, in words.
    fn difference(
        &self,
        shape: &Shape,
        got: &[u64],
        expected: &[Option<Vec<u64>>],
    ) -> Option<String> {
        let bytes = if self.row.result == Output::Value { bytes_of(self.spelling.kind) } else { 4 };
        let bits = u64::MAX >> (64 - 8 * bytes);
        for (thread, expected) in expected.iter().enumerate() {
            for result in shape.first_result..shape.first_result + shape.results {
                let got = got[thread * self.results() + result];
                // The slot after a result is unchanged.
                let expected = expected
                    .as_ref()
                    .map_or(data::UNTOUCHED, |it| data::UNTOUCHED & !bits | it[result]);
                if got != expected {
                    let (group, thread) = (thread / THREADS, thread % THREADS);
                    let at = result - shape.first_result;
                    return Some(format!(
                        "group {group}, thread {thread}, {}x{} value, result {at}: got {got:#x}, expected {expected:#x}",
                        shape.rows, shape.columns
                    ));
                }
            }
        }
        None
    }

    /// Breaks the module in each applicable way; every broken shape must show it.
    fn mutate(&self, module: &Module, report: &mut Report) {
        for width in widths(self.row) {
            let data = data::make(self, width);
            let expected = expect::results(self, width, &data);
            let (mutants, idle) = mutate::mutants(self, module, width);
            idle.into_iter().for_each(|reason| *report.idle.entry(reason).or_default() += 1);
            for mutant in mutants {
                if let Err(problems) = ir::verify::verify(&mutant.module) {
                    let problems: Vec<String> = problems.iter().map(|it| it.to_string()).collect();
                    let problems = problems.join("; ");
                    report.failures.push(format!(
                        "{}, {}: does not verify: {problems}",
                        self.name(),
                        mutant.what
                    ));
                    continue;
                }
                report.mutations += 1;
                match self.outcome(&mutant.module, width, &data) {
                    Err(failure) => {
                        report.failures.push(format!(
                            "{}, {}: {failure:?}",
                            self.name(),
                            mutant.what
                        ));
                    }
                    Ok(got) => {
                        for shape in &mutant.touched {
                            if self.difference(shape, &got, &expected).is_none() {
                                let (rows, columns) = (shape.rows, shape.columns);
                                report.failures.push(format!(
                                    "{} at width {width}: {} goes unnoticed by the {rows}x{columns} value",
                                    self.name(),
                                    mutant.what
                                ));
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The bytes of a scalar in a buffer.
fn bytes_of(kind: Kind) -> u32 {
    match kind {
        Kind::U16 | Kind::I16 | Kind::F16 => 2,
        Kind::Bool | Kind::U32 | Kind::I32 | Kind::F32 => 4,
        Kind::U64 | Kind::I64 | Kind::F64 => 8,
    }
}

/// Runs all cells on two threads.
pub fn run_all(cells: &[Cell]) -> Vec<Report> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let worker = || {
        let mut reports = Vec::new();
        loop {
            let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(cell) = cells.get(at) else { return reports };
            reports.push((at, cell.run()));
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, |it| it.get());
    let mut all: Vec<(usize, Report)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .flat_map(|it| it.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, report)| report).collect()
}

/// The cells that must exist, by the names of row and type and the width.
pub fn required() -> BTreeSet<(&'static str, Spelling, u32)> {
    let mut all = BTreeSet::new();
    for row in intrinsics::all() {
        for spelling in spellings(row) {
            all.extend(widths(row).into_iter().map(|width| (row.name, spelling, width)));
        }
    }
    all
}
