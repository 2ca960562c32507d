//! Debugging changes nothing: random sequences of requests to the debug adapter, sensible ones and nonsense, over
//! generated programs. Every request is answered, and in the end memory is what the second evaluator computes.
//!
//! `PROGRAMS=10000` tries that number of programs, and `PROGRAMS=1000..2000` those with these seeds.
#![allow(clippy::print_stdout, reason = "the number of programs is shown")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use generate::{Program, Statistics, second};
use ir::exec::{Bindings, Buffer, Launch, Schedule};
use ops::Random;
use serde_json::{Value, json};
use session::{Recipe, Session, Source};
use wavelane_serve::{Adapter, Launcher};

const WIDTHS: [u32; 6] = generate::CHECKED;
const PROGRAMS: u64 = 100;
const REQUESTS: usize = 40;

/// Launches one program, and keeps what it leaves.
struct Generated {
    recipe: Recipe,
    left: Rc<RefCell<Option<Vec<u32>>>>,
}

impl Launcher for Generated {
    fn launch(&mut self, _: &Value) -> Result<Session, String> {
        Session::open(self.recipe.clone()).map_err(|_| "it does not compile".to_owned())
    }

    fn ended(&mut self, session: &Session) -> Result<(), String> {
        let words = session.bindings().bindings[0][0].bytes.chunks_exact(4);
        let words = words.map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]));
        *self.left.borrow_mut() = Some(words.collect());
        Ok(())
    }
}

fn recipe(program: &Program, text: String, width: u32, schedule: Schedule) -> Recipe {
    let options = hlsl::Options {
        enable_16bit: true,
        dialect: hlsl::Dialect::Slang,
        shader_model: hlsl::ShaderModel::V6_10,
        ..hlsl::Options::default()
    };
    let launch = Launch { schedule, ..Launch::dispatch([1, 1, 1], width) };
    let bytes = vec![0; program.words() * 4];
    let buffer = Buffer { bytes: bytes.into(), ..Buffer::default() };
    let (name, included) = ("generated.hlsl".to_owned(), BTreeMap::new());
    Recipe {
        source: Source { name, text, options, included },
        launch,
        variation: interp::Variation::default(),
        bindings: Bindings { bindings: vec![vec![buffer]] },
    }
}

/// A client that keeps what it is told.
struct Client {
    adapter: Adapter<Generated>,
    random: Random,
    /// The bodies of all answers and events since the last request.
    heard: Vec<Value>,
    has_ended: bool,
    /// References, frames and identifiers of data that have been seen; some are out of date.
    references: Vec<Value>,
    frames: Vec<Value>,
    data: Vec<Value>,
}

impl Client {
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let request =
            json!({"seq": 1, "type": "request", "command": command, "arguments": arguments});
        let mut heard = Vec::new();
        self.adapter.message(request.to_string().as_bytes(), &mut |it| heard.push(it));
        let answer = heard.iter().find(|it| it["type"] == "response").cloned();
        let answer = answer.unwrap_or_else(|| panic!("no answer to {request}"));
        while self.adapter.is_going() {
            self.adapter.go_on(&mut |it| heard.push(it));
        }
        for it in &heard {
            match it["event"].as_str() {
                Some("terminated") => self.has_ended = true,
                Some("stopped") => self.has_ended = false,
                _ => {}
            }
        }
        self.heard = heard;
        answer
    }

    fn pick(&mut self, from: &[Value]) -> Value {
        match from.len() {
            0 => json!(self.random.below(9)),
            count => from[self.random.below(count)].clone(),
        }
    }

    /// One request, or a few that belong together.
    fn act(&mut self, lines: usize) {
        let granularity = ["statement", "instruction"][self.random.below(2)];
        let thread = json!({"threadId": 1 + self.random.below(3), "granularity": granularity});
        match self.random.below(20) {
            0 => self.ask("stepIn", thread),
            1 => self.ask("next", thread),
            2 => self.ask("stepOut", thread),
            3 => self.ask("stepBack", thread),
            4 => self.ask("continue", thread),
            5 => self.ask("reverseContinue", thread),
            6 | 7 => {
                let mut breakpoints = Vec::new();
                for _ in 0..self.random.below(3) {
                    let line = 1 + self.random.below(lines);
                    let conditions = ["", "WaveActiveSum(v0) > 3", "all(v1 == 0)", "v9 ="];
                    let condition = conditions[self.random.below(4)];
                    let hits = ["", ">= 2", "% 3", "x"][self.random.below(4)];
                    let log = ["", "", "v1 is {v1}, {"][self.random.below(3)];
                    breakpoints.push(json!({
                        "line": line, "condition": condition, "hitCondition": hits, "logMessage": log,
                    }));
                }
                let source = json!({"path": "/somewhere/generated.hlsl"});
                self.ask("setBreakpoints", json!({"source": source, "breakpoints": breakpoints}))
            }
            8 => {
                let names = ["f0", "main", "WaveActiveBallot", "mix", "nothing"];
                let name = names[self.random.below(5)];
                let breakpoints = json!([{"name": name}]);
                self.ask("setFunctionBreakpoints", json!({"breakpoints": breakpoints}))
            }
            9 => {
                let filters = [json!([]), json!(["undefined"]), json!(["race"])];
                let filters = filters[self.random.below(3)].clone();
                self.ask("setExceptionBreakpoints", json!({"filters": filters}))
            }
            10 | 11 => {
                let trace = self.ask("stackTrace", thread);
                let all = trace["body"]["stackFrames"].as_array().cloned().unwrap_or_default();
                self.frames.extend(all.iter().map(|it| it["id"].clone()));
                let frame = self.frames.last().cloned().unwrap_or(json!(1));
                let scopes = self.ask("scopes", json!({"frameId": frame}));
                let all = scopes["body"]["scopes"].as_array().cloned().unwrap_or_default();
                self.references.extend(all.iter().map(|it| it["variablesReference"].clone()));
                scopes
            }
            12 | 13 => {
                let of = self.pick(&self.references.clone());
                let (start, count) = (self.random.below(9), self.random.below(200));
                let arguments = json!({"variablesReference": of, "start": start, "count": count});
                let listed = self.ask("variables", arguments);
                let all = listed["body"]["variables"].as_array().cloned().unwrap_or_default();
                self.references.extend(all.iter().map(|it| it["variablesReference"].clone()));
                if let Some(first) = all.first() {
                    let arguments = json!({"variablesReference": of, "name": first["name"]});
                    let info = self.ask("dataBreakpointInfo", arguments);
                    self.data
                        .extend(Some(info["body"]["dataId"].clone()).filter(|it| !it.is_null()));
                }
                listed
            }
            14 => {
                let id = self.pick(&self.data.clone());
                let access = ["read", "write", "readWrite", "x"][self.random.below(4)];
                let breakpoints = json!([{"dataId": id, "accessType": access}]);
                self.ask("setDataBreakpoints", json!({"breakpoints": breakpoints}))
            }
            15 => {
                let texts = [
                    "WaveActiveSum(thread)",
                    "v0",
                    "v1@2 + $lane",
                    "v1 = 2",
                    "Log[3]",
                    "mix(1, 2)",
                ];
                let text = texts[self.random.below(6)];
                let frame = self.pick(&self.frames.clone());
                self.ask("evaluate", json!({"expression": text, "frameId": frame}))
            }
            16 => {
                let arguments = json!({"memoryReference": "0:0", "offset": 4, "count": 64});
                self.ask("readMemory", arguments)
            }
            17 => {
                let mut breakpoints = Vec::new();
                for _ in 0..self.random.below(3) {
                    let condition = ["", "", "v1 == 0", "v9 ="][self.random.below(4)];
                    let address = format!("{:#x}", 65530 + self.random.below(200));
                    breakpoints
                        .push(json!({"instructionReference": address, "condition": condition}));
                }
                self.ask("setInstructionBreakpoints", json!({"breakpoints": breakpoints}))
            }
            18 => {
                let offset = self.random.below(60) as i64 - 30;
                let arguments = json!({
                    "memoryReference": "0x10010", "instructionOffset": offset, "instructionCount": 40,
                });
                let answer = self.ask("disassemble", arguments);
                assert_eq!(answer["body"]["instructions"].as_array().map(Vec::len), Some(40));
                answer
            }
            _ => {
                let commands =
                    ["threads", "pause", "launch", "dance", "exceptionInfo", "variables"];
                let command = commands[self.random.below(6)];
                let arguments = [json!(null), json!([7]), json!({"variablesReference": -1e300})];
                let arguments = arguments[self.random.below(3)].clone();
                self.ask(command, arguments)
            }
        };
    }
}

#[test]
fn random_requests_change_nothing() {
    let seeds = generate::seeds(PROGRAMS);
    let programs = seeds.end - seeds.start;
    let mut stops = 0;
    for seed in seeds {
        let width = WIDTHS[(seed % WIDTHS.len() as u64) as usize];
        let program = generate::program(seed, width, &mut Statistics::default());
        let text = generate::print(&program);
        let lines = text.lines().count();
        let schedule = match seed % 3 {
            0 => Schedule::Ascending,
            1 => Schedule::Random(seed),
            _ => Schedule::RoundRobin,
        };
        let left = Rc::new(RefCell::new(None));
        let recipe = recipe(&program, text, width, schedule);
        let mut client = Client {
            adapter: Adapter::new(Generated { recipe, left: left.clone() }),
            random: Random::new(seed),
            heard: Vec::new(),
            has_ended: false,
            references: Vec::new(),
            frames: Vec::new(),
            data: Vec::new(),
        };
        client.ask("initialize", json!({}));
        client.ask("launch", json!({"stopOnEntry": seed % 2 == 0}));
        client.ask("configurationDone", json!({}));
        for _ in 0..REQUESTS {
            client.act(lines);
            stops += client.heard.iter().filter(|it| it["event"] == "stopped").count();
        }
        // To the end, wherever it is.
        client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
        client.ask("setDataBreakpoints", json!({"breakpoints": []}));
        client.ask("setInstructionBreakpoints", json!({"breakpoints": []}));
        client.ask("setExceptionBreakpoints", json!({"filters": []}));
        let source = json!({"path": "/somewhere/generated.hlsl"});
        client.ask("setBreakpoints", json!({"source": source, "breakpoints": []}));
        if !client.has_ended {
            client.ask("continue", json!({"threadId": 1}));
        }
        assert!(client.has_ended, "seed {seed}: the run does not end");
        let wanted = second::evaluate(&program, width);
        assert!(left.borrow().as_ref() == Some(&wanted), "seed {seed}, width {width}");
    }
    println!("{programs} programs, {} requests, {stops} stops", programs * REQUESTS as u64);
    assert!(stops as u64 > programs * 3, "only {stops} stops");
}
