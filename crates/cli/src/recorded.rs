//! Recording a run of a shader, for commands that show what lanes do.

use std::ops::Range;
use std::sync::atomic::Ordering;

use jobs::{Setup, Test, TestFile, Widths, Work};
use session::{OpenError, Recipe, Session};
use timeline::{Comparison, Extent, Finding, Known, Location, Program, Recording, Window};
use wavelane::internal::{self, Prepared};
use wavelane::{
    Adapter, ComputePipeline, Device, Dispatch, DispatchError, Missing, ResourceTable, Shader,
    SourceMap,
};

use crate::alias;
use crate::asked::{Binds, Compiling, Launch};
use crate::common::Common;
use crate::compile::flags_of;
use crate::files::read_source;
use crate::launch::{failed, widths};
use crate::problem::{Exit, Problem};
use crate::side::Side;
use crate::testing::{Beside, read_flags, setup};
use crate::watch::Watch;
use crate::{auto, bind, compared, compile, device, terminal};

/// What is recorded.
pub(crate) struct Subject<'a> {
    pub(crate) file: &'a str,
    pub(crate) compile: &'a Compiling,
    pub(crate) launch: &'a Launch,
    pub(crate) bind: &'a Binds,
    pub(crate) adapter: &'a Adapter,
}

impl<'a> Subject<'a> {
    /// A file with what the command line says.
    pub(crate) fn of(file: &'a str, common: &'a Common) -> Subject<'a> {
        let Common { compile, launch, bind, device, .. } = common;
        Subject { file, compile, launch, bind, adapter: &device.adapter }
    }
}

/// A recording, and why its run did not run to its end.
pub(crate) struct Recorded {
    pub(crate) recording: Recording,
    pub(crate) failure: Option<Problem>,
}

/// A run that is about to begin.
struct Prepare {
    sources: SourceMap,
    source: jobs::Source,
    entry: String,
    prepared: Prepared,
    width: u32,
    watch: Watch,
    shader: Shader,
    pipeline: ComputePipeline,
    dispatch: Dispatch,
    table: ResourceTable,
}

/// What a recording includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    /// The steps of the run alone.
    Steps,
    /// Those of the window alone: the run ends when it is past them.
    Window,
    /// The findings of the sanitizer as well.
    Findings,
}

/// Records a run, with the values in which another engine differs, if one is compared.
pub(crate) fn record(
    subject: &Subject<'_>,
    window: &Window,
    with: With,
    engine: Option<&Side>,
) -> Result<Recorded, Problem> {
    let launch = subject.launch;
    let Prepare {
        sources,
        source,
        entry,
        prepared,
        width,
        mut watch,
        shader,
        pipeline,
        dispatch,
        table,
    } = prepare(subject)?;
    check_window(window, launch.groups, prepared.module.group_size, width)?;
    let late = || watch.cancel.load(Ordering::Relaxed);
    let comparison = match engine {
        Some(side) => {
            let both = compared::Subject {
                shader: &shader,
                adapter: subject.adapter,
                pipeline: &pipeline,
                dispatch: &dispatch,
                table: &table,
                failed: &|it| failed(it, width, launch, late(), &sources),
            };
            compared::compare(&both, side)?
        }
        None => None,
    };
    let made = (source, entry, launch.groups);
    let (recording, ended) = recording(made, &sources, prepared, window, with, comparison);
    let late = late();
    watch.stop();
    let failure = ended.map(|it| failed(&it, width, launch, late, &sources));
    match failure {
        // Nothing has run.
        Some(problem) if problem.exit != Exit::Findings => Err(problem),
        failure => Ok(Recorded { recording, failure }),
    }
}

/// Refuses a window without any wave of a dispatch of `groups` groups. The window `none` is meant to have none.
fn check_window(
    window: &Window,
    groups: [u32; 3],
    group_size: [u32; 3],
    width: u32,
) -> Result<(), Problem> {
    let waves = group_size.iter().product::<u32>().div_ceil(width);
    let is_none = window.waves.as_ref().is_some_and(Range::is_empty);
    if is_none || window.has_waves_of(groups, waves) {
        return Ok(());
    }
    let problem = Problem::input("`--window` names a wave or a group that does not run");
    Err(problem.help("groups and waves count from 0"))
}

/// Records what was prepared: a program, its entry point, and the number of its groups. Returns also why the run
/// failed, if it did.
fn recording(
    (source, entry, groups): (jobs::Source, String, [u32; 3]),
    sources: &SourceMap,
    prepared: Prepared,
    window: &Window,
    with: With,
    comparison: Option<(Comparison, Vec<Location>)>,
) -> (Recording, Option<DispatchError>) {
    let findings = match with {
        With::Findings => {
            let session = opened(&source, &prepared, sources.clone());
            session.map(|it| findings(&it, sources)).unwrap_or_default()
        }
        With::Steps | With::Window => Vec::new(),
    };
    let Prepared { module, launch, bindings } = prepared;
    let program = Program {
        name: source.name.clone(),
        entry,
        files: Vec::new(),
        groups,
        group_size: module.group_size,
        wave_size: launch.wave_width,
    };
    let known = Known { findings, comparison };
    let extent = if with == With::Window { Extent::Window } else { Extent::Whole };
    let made = (program, window, extent);
    let (recording, ended) =
        timeline::record_extent(&module, sources, &launch, bindings, made, known);
    (recording, ended.err().map(internal::dispatch_error))
}

/// Records the runs of a test at a width, as far as they get: `None` for those that are not one dispatch of a shader.
pub(crate) fn of_test(
    common: &Common,
    test: &Test,
    width: u32,
) -> Result<Vec<Option<Recording>>, Problem> {
    let device = Device::new(common.device.adapter.clone());
    let features = common.select.features(device.adapter());
    let mut flags = flags_of(&common.compile);
    flags.options.notes = true;
    let read_flags = |words: &[String]| {
        let mut flags = read_flags(words)?;
        flags.options.notes = true;
        Ok(flags)
    };
    let fuel = |width| common.launch.fuel.at(width);
    let launch = &common.launch;
    let setup = Setup {
        golden: common.select.golden.as_deref(),
        read_flags: &read_flags,
        ..setup(launch, &device, &features, &Widths::All, &flags, &fuel)
    };
    let (name, text) = read_source(&test.file)?;
    let file = TestFile::new(name, text);
    // A dispatch that cannot be prepared has been reported by the run itself.
    let runs = jobs::prepare(test, &file, &setup, &mut Beside::of(&common.compile));
    let runs = runs.unwrap_or_default().into_iter().filter(|run| match run {
        Work::Shader(run) => run.widths.as_ref().is_none_or(|it| it.contains(&width)),
        Work::Sequence(_) | Work::Draw(_) => true,
    });
    let one = |run: Work| {
        let Work::Shader(run) = run else { return None };
        let dispatch = Dispatch {
            wave_size: Some(width),
            lane_order: launch.lane_order,
            schedule: launch.schedule,
            fuel: launch.fuel.at(width),
            ..Dispatch::new(run.groups)
        };
        let prepared = internal::prepared(&run.pipeline, &dispatch, &run.table).ok()?;
        if !prepared.module.has_notes() {
            return None;
        }
        let made = (run.source, run.shader.entry().to_owned(), run.groups);
        Some(recording(made, &run.sources, prepared, &Window::default(), With::Findings, None).0)
    };
    Ok(runs.map(one).collect())
}

/// A session for a run, which has not begun.
pub(crate) fn session(subject: &Subject<'_>) -> Result<Session, Problem> {
    let Prepare { sources, source, prepared, width, mut watch, .. } = prepare(subject)?;
    watch.stop();
    let launch = without_bounds(prepared);
    opened(&source, &launch, sources.clone()).map_err(|error| match error {
        OpenError::Program(..) => Problem::bug("a program that compiles does not compile again"),
        OpenError::Launch(failure) => {
            failed(&internal::dispatch_error(failure), width, subject.launch, false, &sources)
        }
    })
}

/// The user of a debugger ends an endless run; no bound does.
fn without_bounds(mut prepared: Prepared) -> Prepared {
    (prepared.launch.fuel, prepared.launch.cancel) = (None, None);
    prepared
}

fn opened(
    source: &jobs::Source,
    prepared: &Prepared,
    sources: SourceMap,
) -> Result<Session, OpenError> {
    let recipe = Recipe {
        source: session::Source {
            name: source.name.clone(),
            text: source.text.clone(),
            options: source.flags.options.clone(),
            included: source.included.clone(),
        },
        launch: prepared.launch.clone(),
        variation: Default::default(),
        bindings: prepared.bindings.clone(),
    };
    Session::with_module(recipe, prepared.module.clone(), sources)
}

fn prepare(subject: &Subject<'_>) -> Result<Prepare, Problem> {
    let Subject { file, launch, adapter, .. } = *subject;
    let groups: u64 = launch.groups.iter().map(|it| u64::from(*it)).product();
    let mut watch = Watch::start(launch.timeout, groups);
    let mut compiling = subject.compile.clone();
    compiling.timeout = launch.timeout;
    compiling.options.cancel = watch.cancel.clone().into();
    compiling.options.notes = true;
    let (shader, sources, source) = compile::program(file, &compiling)?;
    let shader = auto::prepared(shader, subject.bind);
    let shader = alias::applied(shader, subject.bind, &sources)?;
    let device = Device::new(adapter.clone());
    let pipeline =
        device.create_compute_pipeline(&shader).map_err(|error| match error.missing {
            Missing::Stage => {
                let what = format!("`{}` is not a compute shader", shader.entry());
                Problem::input(what).help("only dispatches are recorded; `wavelane run` draws")
            }
            _ => device::problem(&error, &sources),
        })?;
    let width = match widths(launch, adapter, &shader, &pipeline)?[..] {
        [width] => width,
        _ => {
            let problem = Problem::input("a recording has one wave size");
            return Err(problem.help("name one: --wave-size 8"));
        }
    };
    let bound = bind::bind(subject.bind, launch.groups, &shader, &sources)?;
    if let Some(auto) = &bound.auto {
        terminal::note(&auto.told());
    }
    watch.next(width, pipeline.steps(launch.groups, width));
    let dispatch = Dispatch {
        groups: launch.groups,
        wave_size: Some(width),
        lane_order: launch.lane_order,
        schedule: launch.schedule,
        fuel: launch.fuel.at(width),
        cancel: Some(watch.cancel.clone()),
        progress: Some(watch.progress.clone()),
        prints: None,
    };
    let prepared = internal::prepared(&pipeline, &dispatch, &bound.table)
        .map_err(|error| failed(&error, width, launch, false, &sources))?;
    let entry = shader.entry().to_owned();
    let dispatch = Dispatch { progress: None, ..dispatch };
    let table = bound.table;
    Ok(Prepare {
        sources,
        source,
        entry,
        prepared,
        width,
        watch,
        shader,
        pipeline,
        dispatch,
        table,
    })
}

fn findings(session: &Session, sources: &SourceMap) -> Vec<Finding> {
    let all = session.findings().into_iter().map(|it| {
        let line = sources.location(it.finding.site.span).map_or(0, |it| it.line);
        Finding {
            code: it.finding.kind.code().name.to_owned(),
            message: it.finding.message.clone(),
            line,
            tick: it.tick,
            at: None,
        }
    });
    all.collect()
}
