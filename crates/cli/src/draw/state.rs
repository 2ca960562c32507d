//! The fixed state of `--draw`: its targets, and what the flags say in the words of jobs, which the reader of jobs
//! reads.

use jobs::Error;
use jobs::job::draw::{Draw as JobDraw, Target};
use jobs::job::{read_state, read_target};
use wavelane::graphics::{DepthFormat, DepthState, Samples};
use wavelane::internal::{StageElement, SystemValue, signature};
use wavelane::texture::{Comparison, Format};
use wavelane::{HostScalar, Shader, SourceMap, Span};

use crate::asked::DrawArgs;
use crate::problem::{Exit, Problem};

/// The planes of the depth buffer, by the names under which they are shown and written.
pub(crate) const DEPTH: &str = "Depth";
pub(crate) const STENCIL: &str = "Stencil";

/// The fixed state of a draw.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// With a target for each number up to the last that is written.
    pub(super) draw: JobDraw,
    /// The names of the targets; `None` for a number that the pixel shader leaves out, where nothing is bound.
    names: Vec<Option<String>>,
}

impl State {
    /// The state for a pixel shader; `tests_depth` unless the flags say otherwise.
    pub(super) fn new(
        asked: &DrawArgs,
        pixel: &Shader,
        tests_depth: bool,
    ) -> Result<State, Problem> {
        let mut draw = JobDraw { front_is_clockwise: true, ..JobDraw::fixed() };
        let less = DepthState { func: Comparison::Less, write: true };
        draw.depth.tests.depth = tests_depth.then_some(less);
        draw.depth.format = DepthFormat::D32Float;
        draw.samples = asked.samples.and_then(Samples::of).unwrap_or(Samples::One);
        for (key, flag, text) in &asked.state {
            if let (Some(samples), true) = (asked.samples, says_samples(text)) {
                let what = format!("`--samples {samples}` and `{flag} {text}` say the same twice");
                return Err(Problem::input(what).help("leave one of them out"));
            }
            read_state(&mut draw, *key, text).map_err(|errors| wrong(&errors, flag, text))?;
        }
        let mut written = written(pixel);
        if draw.write.blend.is_some_and(|it| it.is_dual_source()) {
            // The second output is a factor.
            written.retain(|it| it.0 == 0);
        }
        if let Some(more) = asked.targets.get(written.len()) {
            let what = format!(
                "`{}` writes {}, and `--target {more}` is one more",
                pixel.entry(),
                crate::value::counted(written.len(), "target"),
            );
            return Err(Problem::input(what));
        }
        let mut state = State { draw, names: Vec::new() };
        for (place, (number, usual)) in written.into_iter().enumerate() {
            while state.names.len() < number {
                // Unbound, see `bound`.
                state.add(None, usual, [0.0; 4], None);
            }
            let usual_name = match number {
                0 => "Target".to_owned(),
                number => format!("Target{number}"),
            };
            let Some(text) = asked.targets.get(place) else {
                state.add(Some(usual_name), usual, [0.0; 4], None);
                continue;
            };
            let given = read_target(text).map_err(|errors| wrong(&errors, "--target", text))?;
            if let Some(name) = &given.name {
                let is_known = |it: &Option<String>| it.as_ref() == Some(name);
                let what = match name.as_str() {
                    DEPTH | STENCIL => format!("`{name}` is a plane of the depth buffer"),
                    _ if pixel.resource(name).is_some() => {
                        format!("`{name}` is a resource of `{}`", pixel.entry())
                    }
                    _ if state.names.iter().any(is_known) => {
                        format!("`{name}` is a target already")
                    }
                    _ => String::new(),
                };
                if !what.is_empty() {
                    return Err(Problem::input(format!("`--target {text}`: {what}"))
                        .help("give the target another name"));
                }
            }
            let name = given.name.unwrap_or(usual_name);
            state.add(Some(name), given.format.unwrap_or(usual), given.clear, given.write);
        }
        state.check_size(asked.size)?;
        Ok(state)
    }

    /// One bound applies to the targets and the depth buffer together.
    fn check_size(&self, [width, height]: [u32; 2]) -> Result<(), Problem> {
        let samples = u64::from(self.draw.samples.count());
        let pixels = u64::from(width) * u64::from(height);
        let of_targets: u64 = self.draw.targets.iter().map(|it| it.format.bytes() as u64).sum();
        // Depths and stencils are kept in five bytes at most.
        let of_depth = if self.has_depth() { 5 } else { 0 };
        // A target of several samples is resolved into another one.
        let each = of_targets * (samples + u64::from(samples > 1)) + of_depth * samples;
        let bytes = pixels.saturating_mul(each);
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        let what = format!(
            "the targets of {width}x{height} pixels take {bytes} bytes, and at most {MOST_BYTES} are drawn to"
        );
        let help = "a smaller `--size`, fewer `--samples`, or a narrower `--target FORMAT`";
        Err(Problem::input(what).help(help))
    }

    fn add(
        &mut self,
        name: Option<String>,
        format: Format,
        clear: [f64; 4],
        write: Option<wavelane::graphics::TargetState>,
    ) {
        self.names.push(name);
        let buffer = self.draw.targets.len();
        self.draw.targets.push(Target { buffer, format, clear, write, at: 0..0 });
    }

    /// The same for a pixel shader that writes one colour, which is not looked at.
    pub(crate) fn of_overlay(&self) -> State {
        let mut draw = JobDraw { targets: Vec::new(), ..self.draw.clone() };
        (draw.write, draw.alpha_to_coverage) = (Default::default(), false);
        let mut state = State { draw, names: Vec::new() };
        let float = Format::parse("R32G32B32A32_FLOAT");
        state.add(Some("Target".to_owned()), usual(float), [0.0; 4], None);
        state
    }

    /// The targets that are bound: names and formats.
    pub(crate) fn targets(&self) -> impl Iterator<Item = (&str, Format)> {
        let named = self.names.iter().zip(&self.draw.targets);
        named.filter_map(|(name, it)| Some((name.as_deref()?, it.format)))
    }

    /// The names by the numbers of the targets.
    pub(crate) fn names(&self) -> Vec<String> {
        let named = self.names.iter().enumerate();
        named.map(|(i, it)| it.clone().unwrap_or_else(|| format!("Target{i}"))).collect()
    }

    /// Of all targets, those that are bound.
    pub(super) fn bound<T>(&self, all: Vec<Option<T>>) -> Vec<Option<T>> {
        all.into_iter().zip(&self.names).map(|(it, name)| it.filter(|_| name.is_some())).collect()
    }

    /// The format of the plane of depths.
    pub(crate) fn depth_format(&self) -> Format {
        self.draw.depth.format.plane()
    }

    /// Whether there is a depth buffer.
    pub(crate) fn has_depth(&self) -> bool {
        let tests = self.draw.depth.tests;
        tests.depth.is_some() || tests.stencil.is_some()
    }

    /// Whether it has a stencil.
    pub(crate) fn has_stencil(&self) -> bool {
        self.has_depth() && self.draw.depth.format.has_stencil()
    }
}

/// The numbers of the targets that a pixel shader writes, ascending, with the usual format of each. There is one at
/// least.
fn written(pixel: &Shader) -> Vec<(usize, Format)> {
    let outputs = signature(pixel).map_or(&[][..], |it| &it.outputs);
    let targets = outputs.iter().filter(|it| it.system == Some(SystemValue::Target));
    let mut written: Vec<(usize, Format)> =
        targets.map(|it| (it.index as usize, usual_format(it))).collect();
    written.sort_by_key(|it| it.0);
    if written.is_empty() {
        written.push((0, usual(Format::parse("R32G32B32A32_FLOAT"))));
    }
    written
}

/// The format that holds everything that an output can be.
fn usual_format(element: &StageElement) -> Format {
    let channels = ["R", "RG", "RGBA", "RGBA"][usize::from(element.components.clamp(1, 4)) - 1];
    let number = match element.scalar {
        HostScalar::F16 => "16_FLOAT",
        HostScalar::F32 | HostScalar::F64 => "32_FLOAT",
        HostScalar::I16 => "16_SINT",
        HostScalar::U16 => "16_UINT",
        HostScalar::I32 | HostScalar::I64 => "32_SINT",
        HostScalar::Bool | HostScalar::U32 | HostScalar::U64 => "32_UINT",
    };
    usual(Format::parse(&format!("{channels}{number}")))
}

fn usual(format: Option<Format>) -> Format {
    format.unwrap_or_else(|| unreachable!("it is a format"))
}

/// Whether the value of a flag sets how many samples a pixel has.
fn says_samples(text: &str) -> bool {
    let mut words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
    words.any(|it| it.eq_ignore_ascii_case("Samples"))
}

/// The most bytes that a draw renders to, as all buffers and textures of a job together.
const MOST_BYTES: u64 = 1 << 30;

/// The first error in the value of a flag, with its place.
fn wrong(errors: &[Error], flag: &str, text: &str) -> Problem {
    let Some(Error { at, message, help, is_unsupported }) = errors.first() else {
        unreachable!("a value that is not read has an error")
    };
    let exit = if *is_unsupported { Exit::Unsupported } else { Exit::BadInput };
    let mut problem = Problem::new(exit, message.clone());
    let mut sources = SourceMap::new();
    // The first file of a map starts at 0.
    if sources.add(flag, text).is_some() {
        let offset = |it: usize| it.min(text.len()) as u32;
        problem = problem.at(Span::new(offset(at.start), offset(at.end)), "", &sources);
    }
    match help {
        Some(help) => problem.help(help),
        None => problem,
    }
}
