//! Generated programs on engines and through other compilers: the outcome of each, and a smaller program that shows the
//! same failure.
//!
//! Expected results are the second evaluator's. It cannot evaluate a smaller program, which is text and not a tree:
//! there the reference engine gives the expected results, and the sanitizer checks that the program is defined.
//! Deliberately absent: how many programs there are, and who runs them.

pub(crate) mod draw;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use campaign::{Outcome, Record, Unit, Work, digest};
use generate::second::{Active, Observed};
use generate::{Entry, Generated, Statistics, Wanted};
use reduce::{Settings, Tester};
use serde_json::{Map, Value, json};
use wavelane::internal::{Order, Slot};
use wavelane::{Foreign, LaneOrder, Options, ShaderModel, Stage};

use crate::asked::{DeviceChoice, Launch, Sanitizing};
use crate::candidate::{Bound, Candidate, Contents, Left, Setting};
use crate::external::{self, Ended, Scratch};
use crate::side::{self, NotRun, Runs, Side};
use crate::stages;

/// The widths that all programs are made for.
pub(crate) const WIDTHS: [u32; 6] = generate::CHECKED;

/// The default shader model, which current compilers support.
pub(crate) const MODEL: ShaderModel = ShaderModel::V6_7;

/// What programs are run on, and how.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) seed: u64,
    pub(crate) model: ShaderModel,
    pub(crate) stage: Stage,
    pub(crate) engines: Vec<String>,
    /// The words of another compiler's command line.
    pub(crate) target: Vec<String>,
    pub(crate) widths: Vec<u32>,
    pub(crate) order: String,
    /// How long a call of the compiler, or a run of a program, may take.
    pub(crate) timeout: Option<Duration>,
    /// The most candidates of a reduction; 0 for none.
    pub(crate) attempts: usize,
}

impl Asked {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "seed": self.seed,
            "model": [self.model.major, self.model.minor],
            "stage": stages::in_unit(self.stage),
            "engines": self.engines,
            "target": self.target,
            "widths": self.widths,
            "order": self.order,
            "timeout": self.timeout.map(|it| it.as_secs_f64()),
            "attempts": self.attempts,
        })
    }

    pub(crate) fn from_json(value: &Value) -> Option<Asked> {
        let words = |key: &str| -> Vec<String> {
            let list = value[key].as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
        };
        let number = |value: &Value| value.as_u64().and_then(|it| u32::try_from(it).ok());
        let byte = |value: &Value| value.as_u64().and_then(|it| u8::try_from(it).ok());
        let model = match &value["model"] {
            Value::Null => MODEL,
            model => ShaderModel { major: byte(&model[0])?, minor: byte(&model[1])? },
        };
        let stage = stages::of_unit(value["stage"].as_str().unwrap_or_default())?;
        let widths = match value["widths"].as_array() {
            None => WIDTHS.to_vec(),
            Some(list) => list.iter().map(number).collect::<Option<Vec<u32>>>()?,
        };
        let timeout = match value["timeout"].as_f64() {
            None => None,
            Some(seconds) => Some(Duration::try_from_secs_f64(seconds).ok()?),
        };
        Some(Asked {
            seed: value["seed"].as_u64().unwrap_or(1),
            model,
            stage,
            engines: words("engines"),
            target: words("target"),
            widths,
            order: value["order"].as_str().unwrap_or_default().to_owned(),
            timeout,
            attempts: value["attempts"].as_u64().and_then(|it| usize::try_from(it).ok())?,
        })
    }

    /// Program K of the seed: the same on every path.
    pub(crate) fn program(&self, number: u64, statistics: &mut Statistics) -> Generated {
        program_of(self.seed, number, (self.model, self.stage), statistics)
    }

    /// The options of a program's main shader, which in a draw is the pixel shader.
    pub(crate) fn options(&self) -> Options {
        let options =
            Options { shader_model: self.model, enable_16bit: true, ..Options::default() };
        match self.stage {
            Stage::Compute => options,
            stage => draw::pixel(stage, options),
        }
    }

    /// The same for a unit of a campaign that runs a generated program, with the number of that.
    pub(crate) fn of_unit(self, unit: &Unit) -> Option<(Asked, u64)> {
        let Work::Fuzz { seed, program, model, stage } = &unit.work else { return None };
        let asked = Asked {
            seed: *seed,
            model: model_of(model)?,
            stage: stages::of_unit(stage)?,
            engines: vec![unit.engine.clone()],
            widths: vec![unit.width],
            order: unit.order.clone(),
            target: Vec::new(),
            ..self
        };
        Some((asked, *program))
    }

    /// How long a compiler may take for a program.
    pub(crate) fn patience(&self) -> Duration {
        self.timeout.unwrap_or(PATIENCE)
    }

    /// The same for a candidate, which is smaller than its program.
    pub(crate) fn hurried(&self) -> Asked {
        let hurry = |it: Duration| it.min(Duration::from_secs(1).max(it / 10));
        // Runs that have no limit get none.
        let is_limited = self.timeout.is_some() || !self.target.is_empty();
        let timeout = is_limited.then(|| hurry(self.patience()));
        Asked { timeout, ..self.clone() }
    }

    /// What a program is compiled and run with.
    pub(crate) fn setting(&self, program: &Generated, device: &DeviceChoice) -> Option<Setting> {
        // A compiler has its time limit, and the run of its module is bounded by fuel unless a limit is given.
        let mut launch = Launch { timeout: self.timeout, ..Launch::default() };
        match Order::parse(&self.order) {
            None if self.order.is_empty() => {}
            // A draw runs its waves in one order.
            _ if self.stage != Stage::Compute => return None,
            Some(Order::Lanes(order)) => launch.lane_order = Some(order),
            Some(Order::Waves(order)) => launch.schedule = order,
            // Other orders are variations of the reference engine alone.
            _ => return None,
        }
        let bound = |it: Entry<'_>| Bound {
            stage: it.stage,
            name: it.log.to_owned(),
            element: 0,
            slot: Slot::new(vec![0; 4 * it.program.words()]),
        };
        Some(Setting {
            name: "program.hlsl".to_owned(),
            options: self.options(),
            included: BTreeMap::new(),
            bound: program.entries().into_iter().map(bound).collect(),
            drawing: draw::drawing(program),
            launch,
            san: Sanitizing::default(),
            adapter: device.adapter.clone(),
        })
    }
}

/// The shader model of a unit.
fn model_of(text: &str) -> Option<ShaderModel> {
    if text.is_empty() { Some(MODEL) } else { ShaderModel::parse(text) }
}

/// The constructs of a unit's program; none of a test, which was not generated.
pub(crate) fn constructs(work: &Work) -> Vec<&'static str> {
    let Work::Fuzz { seed, program, model, stage } = work else { return Vec::new() };
    let Some(of) = model_of(model).zip(stages::of_unit(stage)) else { return Vec::new() };
    let mut made = Statistics::default();
    program_of(*seed, *program, of, &mut made);
    made.constructs.into_keys().collect()
}

fn program_of(
    seed: u64,
    number: u64,
    (model, stage): (ShaderModel, Stage),
    statistics: &mut Statistics,
) -> Generated {
    let wanted = Wanted { widths: (WIDTHS[0], WIDTHS[5]), model, slang: false };
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
    wanted.generated(stage, seed, statistics)
}

/// The signature of wrong results, before a reduced program gives a better one.
pub(crate) const WRONG: &str = "wrong results";

/// The signature of runs that took longer than `--timeout`.
pub(crate) const LATE: &str = "the run does not end in time";

/// How long a compiler may take for a program by default.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What came of a program.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) signature: Option<String>,
    /// The message that the signature was made from.
    pub(crate) message: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) digest: Option<String>,
}

impl Verdict {
    fn new(outcome: Outcome, signature: impl Into<String>) -> Verdict {
        let signature = Some(signature.into());
        Verdict { outcome, signature, message: None, detail: None, digest: None }
    }

    /// A message of another program, after words of ours.
    fn said(outcome: Outcome, before: &str, message: &str) -> Verdict {
        let signature = format!("{before}{}", normal(message));
        let message = Some(format!("{before}{message}"));
        Verdict { message, ..Verdict::new(outcome, signature) }
    }

    fn detail(mut self, detail: impl Into<String>) -> Verdict {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn record(self, unit: String) -> Record {
        let Verdict { outcome, signature, message, detail, digest } = self;
        Record { signature, message, detail, digest, ..Record::new(unit, outcome) }
    }
}

/// The results of the second evaluator for a program at a width: the words that it leaves in each log, and what it did.
type Evaluation = Rc<(Vec<Vec<u32>>, Observed)>;

/// A program with its evaluation, once for each width: nothing else here takes as long.
pub(crate) struct Evaluated<'p> {
    program: &'p Generated,
    by_width: RefCell<BTreeMap<u32, Evaluation>>,
}

impl<'p> Evaluated<'p> {
    pub(crate) fn new(program: &'p Generated) -> Evaluated<'p> {
        Evaluated { program, by_width: RefCell::default() }
    }

    fn at(&self, width: u32) -> Evaluation {
        let mut known = self.by_width.borrow_mut();
        let evaluate = || Rc::new(self.program.observe(width));
        known.entry(width).or_insert_with(evaluate).clone()
    }
}

/// What a program consists of and did with waves of 32 lanes, as sums over one program.
pub(crate) fn statistics(program: &Evaluated<'_>, made: &Statistics) -> Value {
    let evaluated = program.at(32);
    let seen = &evaluated.1;
    let mut functions = Map::new();
    for ((name, active), count) in &seen.calls {
        let word = match active {
            Active::One => "one lane",
            Active::Some => "some lanes",
            Active::All => "all lanes",
        };
        let entry = functions.entry((*name).to_owned()).or_insert_with(|| json!({}));
        entry[word] = json!(count);
    }
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for ((_, kind), count) in &made.uses {
        *types.entry(kind.word()).or_default() += count;
    }
    let depths: BTreeMap<String, usize> =
        made.depths.iter().map(|(depth, count)| (depth.to_string(), *count)).collect();
    json!({
        "programs": 1,
        "diverging": u32::from(seen.splits > 0),
        "constructs": made.constructs,
        "functions_by_depth": depths,
        "functions_by_type": types,
        "calls_by_active_lanes": functions,
    })
}

/// Adds numbers to those of the same names.
pub(crate) fn add(into: &mut Value, from: &Value) {
    match (&mut *into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                add(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, Value::Number(number)) => {
            let sum = into.as_u64().unwrap_or(0) + number.as_u64().unwrap_or(0);
            *into = json!(sum);
        }
        (into @ Value::Null, from) => *into = from.clone(),
        _ => {}
    }
}

/// What programs run on, opened when it is first needed.
#[derive(Default)]
pub(crate) struct Judge {
    device: DeviceChoice,
    sides: BTreeMap<String, Result<Side, String>>,
    scratch: Option<Scratch>,
}

/// The source of expected results.
enum Expected<'a> {
    Evaluator(&'a Evaluated<'a>),
    Reference,
}

impl Judge {
    /// The outcome of a program. `Err` is a mistake in the request.
    pub(crate) fn program(
        &mut self,
        asked: &Asked,
        program: &Evaluated<'_>,
    ) -> Result<Verdict, String> {
        let text = program.program.print();
        let Some(setting) = asked.setting(program.program, &self.device) else {
            return Ok(Verdict::new(Outcome::NotRun, format!("no engine runs {}", asked.order)));
        };
        let Some(candidate) = setting.compiled(&text) else {
            return Ok(Verdict::new(Outcome::Refuses, "wavelane refuses the program"));
        };
        // The evaluator deals threads to lanes in the linear order.
        let is_linear = matches!(setting.launch.lane_order, None | Some(LaneOrder::Linear));
        let expected = if is_linear { Expected::Evaluator(program) } else { Expected::Reference };
        self.judge(asked, &setting, &candidate, &text, &expected)
    }

    fn judge(
        &mut self,
        asked: &Asked,
        setting: &Setting,
        candidate: &Candidate,
        text: &str,
        expected: &Expected<'_>,
    ) -> Result<Verdict, String> {
        if !asked.target.is_empty() {
            return self.by_target(asked, setting, candidate, text, expected);
        }
        if asked.stage == Stage::Pixel
            && let Some(engine) = asked.engines.iter().find(|it| draw::packs_quads(it))
        {
            return Ok(Verdict::new(Outcome::NotRun, format!("`{engine}` {}", draw::PACKS_QUADS)));
        }
        let (mut left, mut ran) = (Vec::new(), false);
        for engine in &asked.engines {
            let side = match self.side(engine) {
                Ok(side) => side,
                Err(why) => return Err(why.clone()),
            };
            match on_side(asked, setting, candidate, side, expected, &mut left) {
                Ok(any) => ran |= any,
                Err(verdict) => return Ok(*verdict),
            }
        }
        Ok(agreed(ran, &left, "no engine here runs it"))
    }

    /// The GPU that an engine runs on, as units name it; empty for other engines, and where there is none.
    pub(crate) fn gpu(&mut self, engine: &str) -> String {
        let side = self.side(engine).as_ref().ok();
        side.and_then(Side::gpu_label).unwrap_or_default()
    }

    /// Whether a device no longer answers, and only another process can open it again.
    pub(crate) fn is_lost(&self) -> bool {
        self.sides.values().flatten().any(Side::is_lost)
    }

    /// An engine by its name, as `diff --engines` has it.
    fn side(&mut self, engine: &str) -> &Result<Side, String> {
        let device = &self.device;
        self.sides.entry(engine.to_owned()).or_insert_with(|| {
            // `diff` has nothing to compare the reference engine with, but here there are expected results.
            if engine == "interp" {
                return Ok(Side::reference());
            }
            let wanted = side::Wanted { engines: Some(engine), module: None, device };
            let mut sides = side::open(wanted).map_err(|it| it.message)?;
            sides.pop().ok_or_else(|| format!("`{engine}` was not opened"))
        })
    }

    /// Has another compiler make modules of a text, and runs that of a dispatch where there is a device.
    fn by_target(
        &mut self,
        asked: &Asked,
        setting: &Setting,
        candidate: &Candidate,
        text: &str,
        expected: &Expected<'_>,
    ) -> Result<Verdict, String> {
        let cannot =
            |error: std::io::Error| format!("`{}` cannot be run: {error}", asked.target[0]);
        if self.scratch.is_none() {
            self.scratch = Some(Scratch::new().map_err(cannot)?);
        }
        let Some(Scratch(folder)) = &self.scratch else {
            return Err("a folder was made and lost".to_owned());
        };
        let source = folder.join("program.hlsl");
        std::fs::write(&source, text).map_err(cannot)?;
        // The reason why a module cannot be run is reported once all shaders are compiled.
        let mut last = Err(Box::new(Verdict::new(Outcome::NotRun, "it has no shader")));
        for (stage, entry) in draw::entries(asked, setting) {
            last = module(asked, folder, &source, (stage, &entry)).map_err(cannot)?;
            if let Err(verdict) = &last
                && verdict.outcome != Outcome::NotRun
            {
                return Ok((**verdict).clone());
            }
        }
        let foreign = match last {
            Err(verdict) => return Ok(*verdict),
            Ok(_) if asked.stage != Stage::Compute => {
                let what = "the modules of a draw are not run here";
                return Ok(Verdict::new(Outcome::NotRun, what));
            }
            Ok(foreign) => foreign,
        };
        let Candidate::Dispatch { shader, .. } = candidate else {
            return Err("the candidate is a draw".to_owned());
        };
        let device = match self.side("vulkan") {
            Ok(Side { runs: Runs::Engine(device), .. }) => device.clone(),
            _ => return Ok(Verdict::new(Outcome::NotRun, "there is no device of Vulkan")),
        };
        let runs = Runs::Module(device, foreign);
        let side = Side { name: "the module".to_owned(), about: None, runs };
        if let Err(NotRun::BadInput(why)) = side.pipeline(shader, &setting.adapter) {
            return Ok(Verdict::said(Outcome::Miscompiles, "", &why));
        }
        let mut left = Vec::new();
        match on_side(asked, setting, candidate, &side, expected, &mut left) {
            Ok(ran) => Ok(agreed(ran, &left, "the device does not run the module")),
            Err(verdict) => Ok(*verdict),
        }
    }

    /// Whether a candidate of a program compiles, and the sanitizer finds nothing undefined in it.
    pub(crate) fn is_defined(&self, asked: &Asked, program: &Generated, text: &str) -> bool {
        let setting = asked.setting(program, &self.device);
        setting
            .is_some_and(|it| it.compiled(text).is_some_and(|candidate| it.is_defined(&candidate)))
    }

    /// Runs a candidate of a program, beside the reference engine, to test whether this process survives.
    pub(crate) fn candidate(
        &mut self,
        asked: &Asked,
        program: &Generated,
        text: &str,
    ) -> Result<(), String> {
        let Some(setting) = asked.setting(program, &self.device) else { return Ok(()) };
        let Some(candidate) = setting.compiled(text) else { return Ok(()) };
        self.judge(asked, &setting, &candidate, text, &Expected::Reference).map(|_| ())
    }

    /// A smaller text with the same outcome, and how many candidates were tested. `None` if it cannot be found again.
    pub(crate) fn reduced(
        &mut self,
        asked: &Asked,
        program: &Generated,
        verdict: &Verdict,
    ) -> Option<(String, usize)> {
        let setting = asked.setting(program, &self.device)?;
        let text = program.print();
        // If a compiler hangs, each candidate that is kept takes the whole time limit.
        let hurried = asked.hurried();
        let mut smaller = Smaller { judge: self, asked: &hurried, setting, verdict };
        if !smaller.keeps(&text) {
            return None;
        }
        let settings = Settings {
            options: asked.options(),
            attempts: Some(asked.attempts),
            ..Settings::default()
        };
        let reduced = reduce::reduce(&text, &settings, &mut smaller);
        // A compiler that is slow, rather than stuck, ends within the requested time.
        let mut patient = Smaller { asked, ..smaller };
        let is_sure = verdict.outcome != Outcome::Hang || patient.keeps(&reduced.text);
        is_sure.then_some((reduced.text, reduced.attempts))
    }
}

struct Smaller<'a> {
    judge: &'a mut Judge,
    asked: &'a Asked,
    setting: Setting,
    verdict: &'a Verdict,
}

impl Smaller<'_> {
    fn keeps(&mut self, text: &str) -> bool {
        let Some(candidate) = self.setting.compiled(text) else { return false };
        // The cheaper test first.
        match self.verdict.outcome {
            Outcome::Hang => {
                self.setting.is_defined(&candidate) && self.fails_alike(&candidate, text)
            }
            _ => self.fails_alike(&candidate, text) && self.setting.is_defined(&candidate),
        }
    }

    fn fails_alike(&mut self, candidate: &Candidate, text: &str) -> bool {
        let judged =
            self.judge.judge(self.asked, &self.setting, candidate, text, &Expected::Reference);
        // Another wrong result counts as the same failure; another message does not.
        judged.is_ok_and(|judged| {
            judged.outcome == self.verdict.outcome
                && (judged.outcome == Outcome::Miscompiles
                    || judged.signature == self.verdict.signature)
        })
    }
}

impl Tester for Smaller<'_> {
    fn test(&mut self, texts: &[String]) -> Option<Vec<bool>> {
        Some(texts.iter().map(|it| self.keeps(it)).collect())
    }
}

/// Runs a candidate on a side at all widths; the first failure is the verdict. Returns whether it ran at any.
fn on_side(
    asked: &Asked,
    setting: &Setting,
    candidate: &Candidate,
    side: &Side,
    expected: &Expected<'_>,
    left: &mut Vec<u8>,
) -> Result<bool, Box<Verdict>> {
    let mut ran = false;
    for width in &asked.widths {
        let at = format!("`{}` with waves of {width} lanes", side.name);
        let got = match setting.run(side, candidate, *width) {
            Ok(contents) => logs(setting, &contents),
            Err(Left::NotRun) => continue,
            Err(Left::Endless) => {
                return Err(Box::new(
                    Verdict::new(Outcome::Hang, "the run does not end").detail(at),
                ));
            }
            Err(Left::Late) => return Err(Box::new(Verdict::new(Outcome::Hang, LATE).detail(at))),
            Err(Left::Failed(why)) => {
                return Err(Box::new(Verdict::said(Outcome::Crash, "", &why).detail(at)));
            }
        };
        let wanted: Vec<Vec<u8>> = match expected {
            Expected::Evaluator(program) => {
                let bytes = |log: &Vec<u32>| log.iter().flat_map(|it| it.to_le_bytes()).collect();
                program.at(*width).0.iter().map(bytes).collect()
            }
            Expected::Reference => match setting.run(&Side::reference(), candidate, *width) {
                Ok(contents) => logs(setting, &contents),
                Err(_) => continue,
            },
        };
        ran = true;
        for ((wanted, got), it) in wanted.iter().zip(&got).zip(&setting.bound) {
            let Some(place) =
                (0..wanted.len().max(got.len())).find(|it| wanted.get(*it) != got.get(*it))
            else {
                continue;
            };
            let word = |bytes: &[u8]| {
                let word = bytes.get(place / 4 * 4..).and_then(|it| it.first_chunk());
                word.map_or(0, |it| u32::from_le_bytes(*it))
            };
            let detail = format!(
                "{at}: `{}[{}]` is {:#x}, not {:#x}",
                it.name,
                place / 4,
                word(got),
                word(wanted)
            );
            return Err(Box::new(Verdict::new(Outcome::Miscompiles, WRONG).detail(detail)));
        }
        left.extend(got.concat());
    }
    Ok(ran)
}

fn agreed(ran: bool, left: &[u8], otherwise: &str) -> Verdict {
    match ran {
        false => Verdict::new(Outcome::NotRun, otherwise),
        true => Verdict {
            outcome: Outcome::Agrees,
            signature: None,
            message: None,
            detail: None,
            digest: Some(digest(left)),
        },
    }
}

/// The logs; that of a smaller program that has none is empty.
fn logs(setting: &Setting, contents: &Contents) -> Vec<Vec<u8>> {
    setting.bound.iter().map(|it| contents.buffer(&it.name).unwrap_or_default()).collect()
}

/// Has another compiler make a module of an entry point of a text.
fn module(
    asked: &Asked,
    folder: &Path,
    source: &Path,
    (stage, entry): (Stage, &str),
) -> std::io::Result<Result<Foreign, Box<Verdict>>> {
    let module = folder.join("program.spv");
    // Files of an earlier program must not be mistaken for this one's.
    let _ = std::fs::remove_file(&module);
    let profile = draw::profile(stage, asked.model);
    let filled = |word: &String| {
        word.replace("{in}", &source.to_string_lossy())
            .replace("{out}", &module.to_string_lossy())
            .replace("{profile}", &profile)
            .replace("{entry}", entry)
    };
    let words: Vec<String> = asked.target.iter().map(filled).collect();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    let ran = external::run(&mut command, &folder.join("log"), asked.patience())?;
    // The name of the folder is not the same in the next run.
    let said = ran.said.replace(&*folder.join("").to_string_lossy(), "./");
    let failed = |outcome, before: &str| {
        let shown: Vec<&str> = said.lines().take(8).collect();
        Verdict::said(outcome, before, telling(&said)).detail(shown.join("\n"))
    };
    let verdict = match ran.ended {
        Ended::TimedOut => Verdict::new(Outcome::Hang, "it does not end in time"),
        Ended::Signal(signal) => failed(Outcome::Crash, &format!("signal {signal}: ")),
        Ended::Status(status) if external::is_crash(status) => {
            failed(Outcome::Crash, &format!("status {}: ", external::status_text(status)))
        }
        Ended::Status(0) if !asked.target.iter().any(|it| it.contains("{out}")) => {
            Verdict::new(Outcome::NotRun, "the command names no `{out}`")
        }
        Ended::Status(0) => {
            let bytes = std::fs::read(&module).unwrap_or_default();
            return Ok(parsed(&bytes).map_err(Box::new));
        }
        Ended::Status(_) => failed(Outcome::Refuses, ""),
    };
    Ok(Err(Box::new(verdict)))
}

fn parsed(bytes: &[u8]) -> Result<Foreign, Verdict> {
    if bytes.is_empty() {
        let what = "it reports success and writes nothing";
        return Err(Verdict::new(Outcome::Miscompiles, what));
    }
    if bytes.starts_with(b"DXBC") {
        let what = "the module is DXIL, which nothing runs here";
        return Err(Verdict::new(Outcome::NotRun, what));
    }
    Foreign::parse(bytes).map_err(|error| {
        let before = "the module is malformed: ";
        Verdict::said(Outcome::Miscompiles, before, &error.to_string())
    })
}

/// The most informative line of an output.
fn telling(said: &str) -> &str {
    let lines = || said.lines().map(str::trim).filter(|it| !it.is_empty());
    let marks = ["ssert", "rror", "panicked", "atal"];
    let found = lines().find(|line| marks.iter().any(|it| line.contains(it)));
    found.or_else(|| lines().next()).unwrap_or("without a message")
}

/// Without paths, numbers and quoted names: the part that messages about several programs have in common.
pub(crate) fn normal(line: &str) -> String {
    const MOST: usize = 160;
    let mut text = String::new();
    let mut quote = None;
    let mut before = ' ';
    for word in line.split_inclusive(char::is_whitespace) {
        let is_path = quote.is_none() && word.contains('/') && word.trim().len() > 1;
        if is_path {
            text.push_str("PATH ");
            continue;
        }
        for letter in word.chars() {
            match (quote, letter) {
                (Some(open), it) if it == open => {
                    quote = None;
                    text.push(it);
                }
                (Some(_), _) => {}
                // After a letter it is an apostrophe, which nothing closes.
                (None, it @ ('\'' | '`' | '"')) if it != '\'' || !before.is_alphanumeric() => {
                    quote = Some(it);
                    text.push(it);
                }
                (None, it) if it.is_ascii_digit() => {
                    if !text.ends_with('#') {
                        text.push('#');
                    }
                }
                (None, it) => text.push(it),
            }
            before = letter;
        }
    }
    text.trim().chars().take(MOST).collect()
}

/// What a reduced program that gives wrong results is about: its wave functions, and the constructs around them.
pub(crate) fn about(text: &str) -> String {
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut words: Vec<&str> = text
        .split(|it| !is_word(it))
        .filter(|it| {
            let is_function = it.starts_with("Wave") || it.starts_with("Quad");
            is_function || ["if", "for", "do", "while", "switch"].contains(it)
        })
        .collect();
    words.sort_unstable();
    words.dedup();
    if words.is_empty() { WRONG.to_owned() } else { words.join(" ") }
}

#[cfg(test)]
mod tests {
    use wavelane::Shader;

    use super::*;

    #[test]
    fn signatures_leave_out_what_changes() {
        let signature = |said| normal(telling(said));
        let one = signature("/tmp/a/1.hlsl:12:7: error: no match for 'WaveFoo' with 3 arguments\n");
        let other =
            signature("x\n/tmp/b/2.hlsl:1:99: error: no match for 'Bar' with 12 arguments\n");
        assert_eq!(one, other);
        assert_eq!(one, "PATH error: no match for '' with # arguments");
        assert_eq!(telling(""), "without a message");
        assert_eq!(normal("it isn't SPIR-V's 0x07, nor '7'"), "it isn't SPIR-V's #x#, nor ''");
        assert_eq!(
            about("if (x) y = WaveActiveSum(1); else z = QuadAny(b);"),
            "QuadAny WaveActiveSum if"
        );
    }

    #[test]
    fn sums_of_statistics_keep_all_names() {
        let mut sum = Value::Null;
        for it in [json!({ "a": 1, "b": { "c": 2 } }), json!({ "a": 3, "b": { "d": 1 } })] {
            add(&mut sum, &it);
        }
        assert_eq!(sum, json!({ "a": 4, "b": { "c": 2, "d": 1 } }));
    }

    fn asked(stage: Stage, engine: &str) -> Asked {
        let asked = json!({ "stage": stage.word(), "engines": [engine], "attempts": 300 });
        Asked::from_json(&asked).unwrap()
    }

    #[test]
    fn a_wrong_reference_would_be_noticed_and_a_right_one_agrees() {
        for stage in stages::STAGES {
            let asked = asked(stage, "interp");
            let mut judge = Judge::default();
            let mut program = asked.program(3, &mut Statistics::default());
            let agrees = judge.program(&asked, &Evaluated::new(&program)).unwrap();
            assert_eq!(agrees.outcome, Outcome::Agrees);
            // The text is printed from another tree than the evaluator gets.
            let tree = match &mut program {
                Generated::Compute(tree) | Generated::Pixel(tree) => tree,
                Generated::Meshlets(meshlets) => &mut meshlets.mesh,
            };
            tree.functions.last_mut().unwrap().body.clear();
            let text = asked.program(3, &mut Statistics::default()).print();
            let setting = asked.setting(&program, &judge.device).unwrap();
            let candidate = setting.compiled(&text).unwrap();
            let evaluated = Evaluated::new(&program);
            let expected = Expected::Evaluator(&evaluated);
            let verdict = judge.judge(&asked, &setting, &candidate, &text, &expected).unwrap();
            assert_eq!(verdict.outcome, Outcome::Miscompiles);
        }
    }

    /// Pixel shaders of every form, and mesh shaders with and without an amplification shader.
    #[test]
    fn the_sanitizer_finds_nothing_undefined_in_programs_of_any_stage() {
        for stage in stages::STAGES {
            let (asked, judge) = (asked(stage, "interp"), Judge::default());
            for number in 0..8 {
                let program = asked.program(number, &mut Statistics::default());
                let text = program.print();
                let is_defined = judge.is_defined(&asked, &program, &text);
                assert!(is_defined, "program {number} of {stage:?}\n{text}");
            }
        }
    }

    /// An engine that computes maxima instead of sums.
    fn wrong_sums(shader: &Shader) -> Shader {
        let text = shader.ir().unwrap().replace("wave.reduce.sum", "wave.reduce.max.u");
        Shader::from_ir(&text).unwrap_or_else(|_| shader.clone())
    }

    #[test]
    fn an_engine_that_is_wrong_in_a_stage_is_found_and_its_program_shrinks() {
        for stage in [Stage::Pixel, Stage::Mesh] {
            let asked = asked(stage, "planted");
            let mut judge = Judge::default();
            let runs = Runs::Planted(wrong_sums);
            let side = Side { name: "planted".to_owned(), about: None, runs };
            judge.sides.insert(side.name.clone(), Ok(side));
            let (program, verdict) = (0..40)
                .find_map(|number| {
                    let program = asked.program(number, &mut Statistics::default());
                    let verdict = judge.program(&asked, &Evaluated::new(&program)).unwrap();
                    (verdict.outcome == Outcome::Miscompiles).then_some((program, verdict))
                })
                .unwrap();
            let (text, _) = judge.reduced(&asked, &program, &verdict).unwrap();
            assert!(text.contains("WaveActiveSum"), "{text}");
            assert!(text.len() < program.print().len() / 3, "{text}");
        }
    }
}
