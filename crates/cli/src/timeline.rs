//! `wavelane timeline`: records a run, or reads a recording, and writes it as a page, a picture, a recording or plain
//! steps.

use timeline::{Comparison, Recording, Window};

use crate::args::Line;
use crate::asked::{LowArgs, Picture, Seeing};
use crate::common::Common;
use crate::compared;
use crate::pages::MOST_BYTES;
use crate::problem::{End, Exit, Problem};
use crate::recorded::{Recorded, Subject, With, record};
use crate::side::Side;
use crate::value::counted;
use crate::{files, terminal};

/// The most bytes of a recording that is written, by default.
const MOST_OF_RECORDINGS: u64 = 256 << 20;
/// The most bytes of one that is read.
const MOST_READ: u64 = 1 << 30;

/// The flags that a recording takes; all others are about runs.
const OF_RECORDINGS: [&str; 5] = ["-o", "--format", "--limit", "--color", "--no-config"];

/// What `timeline` needs.
pub(crate) struct TimelineArgs {
    operand: String,
    common: Common,
    file: String,
    picture: Picture,
    limit: u64,
    window: Window,
    /// The other engine of a comparison.
    engine: Option<Side>,
}

impl TimelineArgs {
    pub(crate) fn new(low: LowArgs, line: Line) -> Result<TimelineArgs, Problem> {
        let operand = low.operand()?;
        if is_recording(&operand)
            && let Some((name, ..)) = line.flags().find(|it| !OF_RECORDINGS.contains(&it.0))
        {
            let what = format!("`{name}` has no effect on a recording, whose run is over");
            return Err(low.usage(what).help(format!("give `{name}` when you record the shader")));
        }
        let common = Common::new(&low, line);
        let Seeing { picture, file, limit, window, engine, .. } = low.seeing;
        let Some(file) = file else {
            let problem = Problem::input("`wavelane timeline` needs a file to write");
            return Err(problem.help("name it: -o run.html"));
        };
        let Some(picture) = picture.or(Picture::of_name(&file)) else {
            let what = format!(
                "`{file}` has an unknown ending; expected `.html`, `.wlrec`, `.svg` or `.json`"
            );
            return Err(Problem::input(what).help("`--format html` says what it is"));
        };
        let usual = if picture == Picture::Wlrec { MOST_OF_RECORDINGS } else { MOST_BYTES as u64 };
        let limit = limit.unwrap_or(usual);
        if picture == Picture::Svg && engine.is_some() {
            let problem = Problem::input("an `.svg` does not show what `--with-engine` compares");
            return Err(problem.help("write a page: -o run.html"));
        }
        let engine = engine.map(|it| compared::open(&it, &common.device)).transpose()?;
        Ok(TimelineArgs { operand, common, file, picture, limit, window, engine })
    }
}

pub(crate) fn timeline(args: &TimelineArgs) -> Result<Exit, End> {
    if is_recording(&args.operand) {
        let mut recording = read(&args.operand)?;
        save(args, &mut recording)?;
        if let Some(failure) = &recording.failure {
            terminal::note(&format!("the run that was recorded failed: {failure}"));
        }
        return Ok(Exit::Fine);
    }
    let subject = Subject::of(&args.operand, &args.common);
    let with = match args.picture {
        Picture::Html | Picture::Wlrec => With::Findings,
        Picture::Svg | Picture::Json => With::Steps,
    };
    let engine = args.engine.as_ref();
    let Recorded { mut recording, failure } = record(&subject, &args.window, with, engine)?;
    save(args, &mut recording)?;
    let exit = recording.comparison.as_ref().map_or(Exit::Fine, tell_comparison);
    match failure {
        Some(problem) => Err(problem.into()),
        None => Ok(exit),
    }
}

fn is_recording(operand: &str) -> bool {
    Picture::of_name(operand) == Some(Picture::Wlrec)
}

fn read(file: &str) -> Result<Recording, Problem> {
    let bytes = std::fs::File::open(file).and_then(|it| files::limited(it, MOST_READ));
    let bytes =
        bytes.map_err(|error| Problem::input(format!("`{file}` cannot be read: {error}")))?;
    timeline::file::read(&bytes).map_err(|what| {
        let problem = Problem::input(format!("`{file}` cannot be read: {what}"));
        problem.help("record it again: wavelane timeline FILE.hlsl -o run.wlrec")
    })
}

/// Writes a recording to the requested file, within the limit.
fn save(args: &TimelineArgs, recording: &mut Recording) -> Result<(), Problem> {
    let most = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let picture = args.picture;
    let bytes = timeline::fit(recording, most, &|it| rendered(it, picture));
    let bytes = bytes.map_err(|least| {
        let what = format!("the program alone takes {least} bytes, more than `--limit`");
        Problem::input(what).help(format!("give it more: --limit {least}"))
    })?;
    write(&args.file, &bytes)?;
    if !recording.complete {
        terminal::note("not all steps were kept; `--limit` keeps more");
    } else if !recording.has_all_values && picture != Picture::Json && picture != Picture::Svg {
        terminal::note(
            "not all values were kept; `--window` says which are, and `--limit` keeps more",
        );
    }
    Ok(())
}

/// Reports how the engines compare. They disagree if more differs than the rounding that the other one may choose.
fn tell_comparison(comparison: &Comparison) -> Exit {
    let Comparison { engine, count, differences } = comparison;
    if *count == 0 {
        terminal::note(&format!("`{engine}` leaves the same values"));
        return Exit::Fine;
    }
    let is_rounding =
        differences.len() as u64 == *count && differences.iter().all(|it| it.is_rounding);
    let what = counted(usize::try_from(*count).unwrap_or(usize::MAX), "value");
    if is_rounding {
        terminal::note(&format!("`{engine}` rounds {what} differently, as it may"));
        return Exit::Fine;
    }
    terminal::note(&format!(
        "`{engine}` leaves {what} different; the file says which lanes wrote them"
    ));
    Exit::Findings
}

fn rendered(recording: &Recording, picture: Picture) -> Vec<u8> {
    match picture {
        Picture::Html => timeline::page::page(recording).into_bytes(),
        Picture::Wlrec => timeline::file::write(recording),
        Picture::Svg => timeline::svg::svg(recording).into_bytes(),
        Picture::Json => format!("{}\n", timeline::json::json(recording)).into_bytes(),
    }
}

fn write(file: &str, bytes: &[u8]) -> Result<(), Problem> {
    std::fs::write(file, bytes)
        .map_err(|error| Problem::input(format!("`{file}` cannot be written: {error}")))
}
