//! Generated programs on engines and through other compilers: what came of each, and a smaller program that shows the same.
//!
//! Expected results are the second evaluator's. It cannot evaluate a smaller program, which is text and not a tree: there
//! the reference engine gives the expected results, and the sanitizer checks that the program is defined.
//! Deliberately absent: how many programs there are, and who runs them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use campaign::{Outcome, Record, Unit, digest};
use generate::second::{self, Active, Observed};
use generate::{Program, Statistics, Wanted};
use reduce::{Settings, Tester};
use serde_json::{Map, Value, json};
use wavelane::internal::{Order, Slot, Slots};
use wavelane::{Foreign, LaneOrder, Options, ResourceTable, ShaderModel};

use crate::asked::{DeviceChoice, Launch, Sanitizing};
use crate::candidate::{Candidate, Left, Setting};
use crate::external::{self, Ended, Scratch};
use crate::side::{self, NotRun, Runs, Side};

/// The widths that all programs are made for.
pub(crate) const WIDTHS: [u32; 6] = generate::CHECKED;

/// The shader model, unless another one is asked for: what compilers of today know.
pub(crate) const MODEL: ShaderModel = ShaderModel::V6_7;

/// The name of the programs' log.
const LOG: &str = "Log";

/// What programs are run on, and how.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) seed: u64,
    pub(crate) model: ShaderModel,
    pub(crate) engines: Vec<String>,
    /// The words of another compiler's command line.
    pub(crate) target: Vec<String>,
    pub(crate) widths: Vec<u32>,
    pub(crate) order: String,
    pub(crate) patience: Duration,
    /// The most candidates of a reduction; 0 for none.
    pub(crate) attempts: usize,
}

impl Asked {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "seed": self.seed,
            "model": [self.model.major, self.model.minor],
            "engines": self.engines,
            "target": self.target,
            "widths": self.widths,
            "order": self.order,
            "timeout": self.patience.as_secs_f64(),
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
        let widths = match value["widths"].as_array() {
            None => WIDTHS.to_vec(),
            Some(list) => list.iter().map(number).collect::<Option<Vec<u32>>>()?,
        };
        let seconds = value["timeout"].as_f64().unwrap_or(PATIENCE.as_secs_f64());
        Some(Asked {
            seed: value["seed"].as_u64().unwrap_or(1),
            model,
            engines: words("engines"),
            target: words("target"),
            widths,
            order: value["order"].as_str().unwrap_or_default().to_owned(),
            patience: Duration::try_from_secs_f64(seconds).ok()?,
            attempts: value["attempts"].as_u64().and_then(|it| usize::try_from(it).ok())?,
        })
    }

    /// Program K of the seed: the same on every path.
    pub(crate) fn program(&self, number: u64, statistics: &mut Statistics) -> Program {
        let wanted = Wanted { widths: (WIDTHS[0], WIDTHS[5]), model: self.model, slang: false };
        wanted
            .program(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number), statistics)
    }

    pub(crate) fn options(&self) -> Options {
        Options { shader_model: self.model, enable_16bit: true, ..Options::default() }
    }

    /// The same for a unit of a campaign.
    pub(crate) fn of_unit(self, unit: &Unit, seed: u64) -> Asked {
        Asked {
            seed,
            engines: vec![unit.engine.clone()],
            widths: vec![unit.width],
            order: unit.order.clone(),
            target: Vec::new(),
            ..self
        }
    }

    /// What a program is compiled and run with.
    pub(crate) fn setting(&self, words: usize, device: &DeviceChoice) -> Option<Setting> {
        let mut launch = Launch::default();
        match Order::parse(&self.order) {
            None if self.order.is_empty() => {}
            Some(Order::Lanes(order)) => launch.lane_order = Some(order),
            Some(Order::Waves(order)) => launch.schedule = order,
            // Other orders are variations of the reference engine alone.
            _ => return None,
        }
        let bytes = vec![0; 4 * words];
        Some(Setting {
            name: "program.hlsl".to_owned(),
            options: self.options(),
            included: BTreeMap::new(),
            bound: vec![(LOG.to_owned(), 0, Slot::new(bytes))],
            launch,
            san: Sanitizing::default(),
            adapter: device.adapter.clone(),
        })
    }
}

/// The signature of wrong results, before a reduced program says more.
pub(crate) const WRONG: &str = "wrong results";

/// How long a compiler may take for a program.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What came of a program.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) signature: Option<String>,
    pub(crate) detail: Option<String>,
    pub(crate) digest: Option<String>,
}

impl Verdict {
    fn new(outcome: Outcome, signature: impl Into<String>) -> Verdict {
        Verdict { outcome, signature: Some(signature.into()), detail: None, digest: None }
    }

    fn detail(mut self, detail: impl Into<String>) -> Verdict {
        self.detail = Some(detail.into());
        self
    }

    pub(crate) fn record(self, unit: String) -> Record {
        let Verdict { outcome, signature, detail, digest } = self;
        Record { signature, detail, digest, ..Record::new(unit, outcome) }
    }
}

/// What the second evaluator says of a program at a width: the words that it leaves, and what it did.
type Evaluation = Rc<(Vec<u32>, Observed)>;

/// A program with its evaluation, at each width once: nothing else here takes as long.
pub(crate) struct Evaluated<'p> {
    program: &'p Program,
    by_width: RefCell<BTreeMap<u32, Evaluation>>,
}

impl<'p> Evaluated<'p> {
    pub(crate) fn new(program: &'p Program) -> Evaluated<'p> {
        Evaluated { program, by_width: RefCell::default() }
    }

    fn at(&self, width: u32) -> Evaluation {
        let mut known = self.by_width.borrow_mut();
        let evaluate = || Rc::new(second::observe(self.program, width));
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

/// Where expected results come from.
enum Expected<'a> {
    Evaluator(&'a Evaluated<'a>),
    Reference,
}

impl Judge {
    /// What comes of a program. `Err` is a mistake in what was asked.
    pub(crate) fn program(
        &mut self,
        asked: &Asked,
        program: &Evaluated<'_>,
    ) -> Result<Verdict, String> {
        let text = generate::print(program.program);
        let Some(setting) = asked.setting(program.program.words(), &self.device) else {
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

    /// An engine by its name, as `diff --engines` has it.
    fn side(&mut self, engine: &str) -> &Result<Side, String> {
        let device = &self.device;
        self.sides.entry(engine.to_owned()).or_insert_with(|| {
            // The reference engine alone is nothing to compare, but here it has results to meet.
            if engine == "interp" {
                return Ok(Side::reference());
            }
            let wanted = side::Wanted { engines: Some(engine), module: None, device };
            let mut sides = side::open(wanted).map_err(|it| it.message)?;
            sides.pop().ok_or_else(|| format!("`{engine}` was not opened"))
        })
    }

    /// Has another compiler make a module of a text, and runs that where there is a device.
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
        let (source, module) = (folder.join("program.hlsl"), folder.join("program.spv"));
        std::fs::write(&source, text).map_err(cannot)?;
        // What an earlier program left must not be taken for this one's.
        let _ = std::fs::remove_file(&module);
        let filled = |word: &String| {
            word.replace("{in}", &source.to_string_lossy())
                .replace("{out}", &module.to_string_lossy())
        };
        let words: Vec<String> = asked.target.iter().map(filled).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        let ran =
            external::run(&mut command, &folder.join("log"), asked.patience).map_err(cannot)?;
        let said = telling(&ran.said);
        let shown: String = ran.said.lines().take(8).collect::<Vec<_>>().join("\n");
        let shown = shown.replace(&*folder.to_string_lossy(), "");
        match ran.ended {
            Ended::TimedOut => {
                let what = "it does not end in time";
                return Ok(Verdict::new(Outcome::Hang, what));
            }
            Ended::Signal(signal) => {
                let signature = format!("signal {signal}: {said}");
                return Ok(Verdict::new(Outcome::Crash, signature).detail(shown));
            }
            Ended::Status(status) if status >= 128 => {
                let signature = format!("status {status}: {said}");
                return Ok(Verdict::new(Outcome::Crash, signature).detail(shown));
            }
            Ended::Status(0) => {}
            Ended::Status(_) => return Ok(Verdict::new(Outcome::Refuses, said).detail(shown)),
        }
        if !asked.target.iter().any(|it| it.contains("{out}")) {
            return Ok(Verdict::new(Outcome::NotRun, "the command names no `{out}`"));
        }
        self.module(asked, setting, candidate, expected, &module)
    }

    fn module(
        &mut self,
        asked: &Asked,
        setting: &Setting,
        candidate: &Candidate,
        expected: &Expected<'_>,
        file: &Path,
    ) -> Result<Verdict, String> {
        let bytes = std::fs::read(file).unwrap_or_default();
        if bytes.is_empty() {
            let what = "it reports success and writes nothing";
            return Ok(Verdict::new(Outcome::Miscompiles, what));
        }
        if bytes.starts_with(b"DXBC") {
            return Ok(Verdict::new(
                Outcome::NotRun,
                "the module is DXIL, which nothing runs here",
            ));
        }
        let foreign = match Foreign::parse(&bytes) {
            Ok(foreign) => foreign,
            Err(error) => {
                let signature = normal(&format!("the module is malformed: {error}"));
                return Ok(Verdict::new(Outcome::Miscompiles, signature));
            }
        };
        let device = match self.side("vulkan") {
            Ok(Side { runs: Runs::Engine(device), .. }) => device.clone(),
            _ => return Ok(Verdict::new(Outcome::NotRun, "there is no device of Vulkan")),
        };
        let runs = Runs::Module(device, foreign);
        let side = Side { name: "the module".to_owned(), about: None, runs };
        if let Err(NotRun::BadInput(why)) = side.pipeline(&candidate.shader, &setting.adapter) {
            return Ok(Verdict::new(Outcome::Miscompiles, normal(&why)));
        }
        let mut left = Vec::new();
        match on_side(asked, setting, candidate, &side, expected, &mut left) {
            Ok(ran) => Ok(agreed(ran, &left, "the device does not run the module")),
            Err(verdict) => Ok(*verdict),
        }
    }

    /// Whether a candidate of a program compiles, and the sanitizer finds nothing undefined in it.
    pub(crate) fn is_defined(&self, asked: &Asked, program: &Program, text: &str) -> bool {
        let setting = asked.setting(program.words(), &self.device);
        setting
            .is_some_and(|it| it.compiled(text).is_some_and(|candidate| it.is_defined(&candidate)))
    }

    /// Runs a candidate of a program, beside the reference engine: whether this process survives that is what is asked.
    pub(crate) fn candidate(
        &mut self,
        asked: &Asked,
        program: &Program,
        text: &str,
    ) -> Result<(), String> {
        let Some(setting) = asked.setting(program.words(), &self.device) else { return Ok(()) };
        let Some(candidate) = setting.compiled(text) else { return Ok(()) };
        self.judge(asked, &setting, &candidate, text, &Expected::Reference).map(|_| ())
    }

    /// A smaller text of which the same can be said, and how many candidates were tested. `None` if it cannot be found again.
    pub(crate) fn reduced(
        &mut self,
        asked: &Asked,
        program: &Program,
        verdict: &Verdict,
    ) -> Option<(String, usize)> {
        let setting = asked.setting(program.words(), &self.device)?;
        let text = generate::print(program);
        // Of a compiler that hangs each candidate that is kept takes all the time that it is given.
        let hurried = Asked { patience: hurried(asked.patience), ..asked.clone() };
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
        // A compiler that is slow, rather than at an end, ends in the time that is asked for.
        let mut patient = Smaller { asked, ..smaller };
        let is_sure = verdict.outcome != Outcome::Hang || patient.keeps(&reduced.text);
        is_sure.then_some((reduced.text, reduced.attempts))
    }
}

/// How long a compiler may take for a candidate: a candidate is smaller than its program.
pub(crate) fn hurried(patience: Duration) -> Duration {
    patience.min(Duration::from_secs(1).max(patience / 10))
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
        // The cheaper question first.
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
        // Another wrong result is as good; another message is another failure.
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
            Ok(table) => log(&table),
            Err(Left::NotRun) => continue,
            Err(Left::Endless) => {
                return Err(Box::new(
                    Verdict::new(Outcome::Hang, "the run does not end").detail(at),
                ));
            }
            Err(Left::Failed(why)) => {
                return Err(Box::new(Verdict::new(Outcome::Crash, normal(&why)).detail(at)));
            }
        };
        let wanted = match expected {
            Expected::Evaluator(program) => {
                Some(program.at(*width).0.iter().flat_map(|it| it.to_le_bytes()).collect())
            }
            Expected::Reference => {
                setting.run(&Side::reference(), candidate, *width).ok().map(|it| log(&it))
            }
        };
        let Some(wanted) = wanted else { continue };
        ran = true;
        if let Some(place) =
            (0..wanted.len().max(got.len())).find(|it| wanted.get(*it) != got.get(*it))
        {
            let word = |bytes: &[u8]| {
                let word = bytes.get(place / 4 * 4..).and_then(|it| it.first_chunk());
                word.map_or(0, |it| u32::from_le_bytes(*it))
            };
            let detail = format!(
                "{at}: `{LOG}[{}]` is {:#x}, not {:#x}",
                place / 4,
                word(&got),
                word(&wanted)
            );
            return Err(Box::new(Verdict::new(Outcome::Miscompiles, WRONG).detail(detail)));
        }
        left.extend(got);
    }
    Ok(ran)
}

fn agreed(ran: bool, left: &[u8], otherwise: &str) -> Verdict {
    match ran {
        false => Verdict::new(Outcome::NotRun, otherwise),
        true => Verdict {
            outcome: Outcome::Agrees,
            signature: None,
            detail: None,
            digest: Some(digest(left)),
        },
    }
}

fn log(table: &ResourceTable) -> Vec<u8> {
    table.get(LOG, 0).map(|it| it.bytes.to_vec()).unwrap_or_default()
}

/// The line of an output that says most, without what changes from program to program.
fn telling(said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|it| !it.is_empty());
    let marks = ["ssert", "rror", "panicked", "atal"];
    let found = lines().find(|line| marks.iter().any(|it| line.contains(it)));
    normal(found.or_else(|| lines().next()).unwrap_or("without a message"))
}

/// Without paths, numbers and quoted names.
pub(crate) fn normal(line: &str) -> String {
    const MOST: usize = 160;
    let mut text = String::new();
    let mut quote = None;
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
                (None, it @ ('\'' | '`' | '"')) => {
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
    use super::*;

    #[test]
    fn signatures_leave_out_what_changes() {
        let one = telling("/tmp/a/1.hlsl:12:7: error: no match for 'WaveFoo' with 3 arguments\n");
        let other = telling("x\n/tmp/b/2.hlsl:1:99: error: no match for 'Bar' with 12 arguments\n");
        assert_eq!(one, other);
        assert_eq!(one, "PATH error: no match for '' with # arguments");
        assert_eq!(telling(""), "it says nothing");
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

    #[test]
    fn a_wrong_reference_would_be_noticed_and_a_right_one_agrees() {
        let asked = Asked::from_json(&json!({ "engines": ["interp"], "attempts": 0 })).unwrap();
        let mut judge = Judge::default();
        let mut program = asked.program(3, &mut Statistics::default());
        let agrees = judge.program(&asked, &Evaluated::new(&program)).unwrap();
        assert_eq!(agrees.outcome, Outcome::Agrees);
        // The text is printed from another tree than the evaluator gets.
        program.functions.last_mut().unwrap().body.clear();
        let text = generate::print(&asked.program(3, &mut Statistics::default()));
        let setting = asked.setting(program.words(), &judge.device).unwrap();
        let candidate = setting.compiled(&text).unwrap();
        let evaluated = Evaluated::new(&program);
        let expected = Expected::Evaluator(&evaluated);
        let verdict = judge.judge(&asked, &setting, &candidate, &text, &expected).unwrap();
        assert_eq!(verdict.outcome, Outcome::Miscompiles);
    }
}
