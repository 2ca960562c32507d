//! `wavelane worker`: reads requests from standard input, one JSON object per line, and answers on standard output.
//!
//! `fuzz` and `campaign` run programs in such processes, since a driver can crash the process that uses it. A request
//! is `{"program": K, …}` or `{"unit": "TEXT", …}`; an answer is one line with the key `end`. With `--supervise` the
//! process passes units on to a worker process and outlives it; other schedulers start this form. A worker that
//! a person or a scheduler starts answers every request that it was sent; one of `fuzz`, `campaign` or `--supervise`
//! ends with its parent process, even in the middle of a request.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use campaign::{Outcome, REDUCED, Record, Test, Unit, Work};
use generate::Statistics;
use jobs::{Features, Widths};
use serde_json::{Value, json};
use wavelane::internal::Order;
use wavelane::{Adapter, Device};

use crate::asked::{Compiling, DeviceChoice, Launch, LowArgs, WaveSizes};
use crate::compile::flags_of;
use crate::digest;
use crate::fatal;
use crate::generated::{self, Asked, Evaluated, Judge, Verdict};
use crate::problem::{End, Exit, Problem};
use crate::side::{self, Runs};
use crate::supervise;
use crate::terminal;
use crate::testing::{Beside, LastFile, asked_for, setup};
use crate::watch::Watch;
use crate::worker::{Slot, requests, requests_in_turn};

/// What `worker` needs.
pub(crate) struct WorkerArgs {
    compile: Compiling,
    supervises: bool,
    /// Another process of this program started it.
    is_owned: bool,
}

impl WorkerArgs {
    pub(crate) fn new(low: LowArgs) -> Result<WorkerArgs, Problem> {
        match low.operands.first() {
            Some(operand) => {
                Err(low.usage(format!("unexpected operand `{operand}`: a worker takes none")))
            }
            None => Ok(WorkerArgs {
                compile: low.compile,
                supervises: low.tools.supervise,
                is_owned: low.is_worker,
            }),
        }
    }
}

/// Serves until standard input ends.
pub(crate) fn serve(args: &WorkerArgs) -> Result<Exit, End> {
    if args.supervises {
        let words = supervise::worker();
        let mut slot = Slot::new(&words, None);
        return answer_all(args, |request| {
            let ran = supervise::run(&mut slot, request).map_err(|it| it.message)?;
            let records: Vec<Value> = ran.records.iter().map(Record::to_json).collect();
            Ok(match ran.is_left {
                true => json!({ "records": records, "left": true }),
                false => json!({ "records": records }),
            })
        });
    }
    let mut server = Server {
        compile: args.compile.clone(),
        is_owned: args.is_owned,
        judge: Judge::default(),
        last: LastFile::default(),
        digest: Default::default(),
        devices: BTreeMap::new(),
    };
    answer_all(args, |request| server.answer(request))
}

fn answer_all(
    args: &WorkerArgs,
    mut answer: impl FnMut(&Value) -> Result<Value, String>,
) -> Result<Exit, End> {
    let requests: Box<dyn Iterator<Item = Value>> = match args.is_owned {
        true => Box::new(requests()),
        false => Box::new(requests_in_turn()),
    };
    for request in requests {
        let mut answer = answer(&request).unwrap_or_else(|why| json!({ "problem": why }));
        answer["end"] = json!(true);
        let mut out = terminal::out();
        writeln!(out, "{answer}").and_then(|()| out.flush())?;
    }
    Ok(Exit::Fine)
}

struct Server {
    compile: Compiling,
    is_owned: bool,
    judge: Judge,
    last: LastFile,
    /// The file, and its digest right before it was read.
    digest: (String, String),
    devices: BTreeMap<String, Result<Device, String>>,
}

impl Server {
    fn answer(&mut self, request: &Value) -> Result<Value, String> {
        let asked = Asked::from_json(request).ok_or("the request is malformed")?;
        if let Some(number) = request["program"].as_u64() {
            let mut made = Statistics::default();
            let program = asked.program(number, &mut made);
            if let Some(text) = request["text"].as_str() {
                return self.candidate(&asked, &program, &request["question"], text);
            }
            let evaluated = Evaluated::new(&program);
            let verdict = self.judge.program(&asked, &evaluated)?;
            let mut answer = json!({ "statistics": generated::statistics(&evaluated, &made) });
            if let Some(small) = self.reduced(&asked, &program, &verdict) {
                answer["reduced"] = small.to_json();
            }
            answer["record"] = verdict.record(format!("program {number}")).to_json();
            return Ok(self.marked(answer));
        }
        let text = request["unit"].as_str().ok_or("the request names neither program nor unit")?;
        let mut unit = Unit::parse(text).ok_or_else(|| format!("`{text}` is not a unit"))?;
        let records = match &unit.work {
            Work::Fuzz { .. } => {
                unit.device = self.judge.gpu(&unit.engine);
                self.begin(&unit)?;
                self.fuzz(asked, &unit)?
            }
            Work::Test(test) => {
                let device = self.device(&unit.engine);
                unit.device = device.as_ref().ok().and_then(side::gpu_label).unwrap_or_default();
                self.begin(&unit)?;
                vec![self.test(&unit, test, asked.timeout)?]
            }
        };
        let records: Vec<Value> = records.iter().map(Record::to_json).collect();
        Ok(self.marked(json!({ "records": records })))
    }

    /// Reports to the parent process which unit begins, and on which device.
    fn begin(&self, unit: &Unit) -> Result<(), String> {
        if !self.is_owned {
            return Ok(());
        }
        let mut out = terminal::out();
        let line = json!({ "begin": unit.to_string() });
        writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|it| it.to_string())
    }

    /// An answer, after which this process must be replaced if a device no longer answers.
    fn marked(&self, mut answer: Value) -> Value {
        if self.judge.is_lost() || self.devices.values().flatten().any(Device::is_lost) {
            answer["lost"] = json!(true);
        }
        answer
    }

    /// Runs a generated program; the record of a failure comes with that of its reduction.
    fn fuzz(&mut self, asked: Asked, unit: &Unit) -> Result<Vec<Record>, String> {
        let text = unit.to_string();
        let (asked, program) = asked
            .of_unit(unit)
            .ok_or_else(|| format!("`{text}` names no stage or shader model"))?;
        let program = asked.program(program, &mut Statistics::default());
        let verdict = self.judge.program(&asked, &Evaluated::new(&program))?;
        let small = self.reduced(&asked, &program, &verdict);
        let small = small.map(|small| Record { unit: format!("{REDUCED}{text}"), ..small });
        Ok([verdict.record(text)].into_iter().chain(small).collect())
    }

    /// Answers a question about a candidate of a program.
    fn candidate(
        &mut self,
        asked: &Asked,
        program: &generate::Generated,
        question: &Value,
        text: &str,
    ) -> Result<Value, String> {
        match question.as_str() {
            Some(fatal::IS_DEFINED) => {
                Ok(json!({ fatal::IS_DEFINED: self.judge.is_defined(asked, program, text) }))
            }
            Some(fatal::JUDGED) => {
                self.judge.candidate(asked, program, text)?;
                Ok(json!({}))
            }
            _ => Err("the request asks nothing about its text".to_owned()),
        }
    }

    /// The reduced program of a failure, as a record without a unit.
    fn reduced(
        &mut self,
        asked: &Asked,
        program: &generate::Generated,
        verdict: &Verdict,
    ) -> Option<Record> {
        if asked.attempts == 0 || !verdict.outcome.fails() {
            return None;
        }
        // There is a record in any case: without one the unit would be run again when the campaign is resumed.
        let text = self.judge.reduced(asked, program, verdict).map(|it| it.0);
        let is_plain = verdict.signature.as_deref() == Some(generated::WRONG);
        let signature = match &text {
            Some(text) if is_plain => Some(generated::about(text)),
            _ => verdict.signature.clone(),
        };
        Some(Record { signature, text, ..Record::new("", verdict.outcome) })
    }

    /// The device of an engine, opened when it is first needed.
    fn device(&mut self, engine: &str) -> &Result<Device, String> {
        self.devices.entry(engine.to_owned()).or_insert_with(|| open(engine))
    }

    /// Runs a test at a width, in an order, on an engine.
    fn test(
        &mut self,
        unit: &Unit,
        test: &Test,
        timeout: Option<Duration>,
    ) -> Result<Record, String> {
        let name = test.name.as_str();
        let mut launch =
            Launch { wave_sizes: WaveSizes::List(vec![unit.width]), ..Launch::default() };
        let not_run = |why: &str| {
            let mut record = Record::new(unit.to_string(), Outcome::NotRun);
            record.signature = Some(why.to_owned());
            record
        };
        match Order::parse(&unit.order) {
            None if unit.order.is_empty() => {}
            Some(Order::Lanes(order)) => launch.lane_order = Some(order),
            Some(Order::Waves(order)) => launch.schedule = order,
            _ => return Ok(not_run("tests are not run in this order")),
        }
        let device = match self.device(&unit.engine) {
            Ok(device) => device.clone(),
            Err(why) => return Ok(not_run(why)),
        };
        let (file, case) = match name.split_once("::") {
            Some((file, case)) if !std::path::Path::new(name).exists() => (file, Some(case)),
            _ => (name, None),
        };
        if self.digest.0 != file {
            self.digest = (file.to_owned(), digest::of_test(file));
        }
        if self.digest.1 != test.text {
            return Err(format!(
                "`{file}`, or a file that it names, is not what the plan was made of"
            ));
        }
        let file = self.last.read(file).map_err(|it| it.message)?;
        let request = json!({ "case": case });
        let Some(test) = asked_for(&request, file) else {
            return Err(format!("there is no test `{name}`"));
        };
        let features: Features = jobs::features(device.adapter(), jobs::Api::default());
        let flags = flags_of(&self.compile);
        let fuel = |width| launch.fuel.at(width);
        let widths = Widths::List(vec![unit.width]);
        let mut setup = setup(&launch, &device, &features, &widths, &flags, &fuel);
        let limit = timeout.map(|it| Watch::start(Some(it), 0));
        setup.cancel = limit.as_ref().map(|it| it.cancel.clone());
        let mut outcomes = Vec::new();
        let mut beside = Beside::of(&self.compile);
        jobs::run(test, file, &setup, &mut beside, &|_| true, &mut |it| outcomes.push(it));
        let failed = outcomes.iter().find(|it| it.verdict == jobs::Verdict::Failed);
        let passed = outcomes.iter().any(|it| it.verdict == jobs::Verdict::Passed);
        let is_late = limit.is_some_and(|it| it.cancel.load(Ordering::Relaxed));
        Ok(match failed {
            Some(_) if is_late => {
                let mut record = Record::new(unit.to_string(), Outcome::Hang);
                record.signature = Some(generated::LATE.to_owned());
                record
            }
            Some(failed) => {
                let mut record = Record::new(unit.to_string(), Outcome::Miscompiles);
                let first = failed.message.lines().next().unwrap_or("");
                record.signature = Some(generated::normal(first));
                record.message = Some(first.to_owned());
                record.detail = Some(failed.message.clone());
                record
            }
            None if passed => Record::new(unit.to_string(), Outcome::Agrees),
            None => {
                let why = outcomes.first().map(|it| it.message.lines().next().unwrap_or(""));
                not_run(why.unwrap_or("nothing in it runs at this width"))
            }
        })
    }
}

fn open(engine: &str) -> Result<Device, String> {
    if engine == "interp" {
        return Ok(Device::new(Adapter::reference()));
    }
    let device = DeviceChoice::default();
    let wanted = side::Wanted { engines: Some(engine), module: None, device: &device };
    let side = side::open(wanted).map_err(|it| it.message)?.pop();
    match side.map(|it| it.runs) {
        Some(Runs::Engine(device)) => Ok(device),
        Some(Runs::Missing(why)) => Err(why),
        _ => Err(format!("`{engine}` runs no tests")),
    }
}
