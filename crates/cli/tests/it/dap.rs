//! `wavelane dap`: a client that follows a script, and one that sends nonsense.
#![allow(clippy::print_stdout, reason = "shows how long answers take")]

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

const SHADER: &str = "RWStructuredBuffer<uint> Out;
uint twice(uint x) {
    return x * 2;
}
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = i;
    for (uint n = 0; n < 3; n++) {
        if (i & 1) {
            sum += twice(n);
        }
    }
    uint unset;
    Out[i] = sum + WaveActiveMax(i);
    Out[i + 100] = unset;
}
";

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    bytes: Vec<u8>,
    sequence: u64,
    /// Events that came while an answer was awaited.
    events: Vec<Value>,
    folder: PathBuf,
}

impl Client {
    fn start(name: &str, shader: &str) -> Client {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dap").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.hlsl"), shader).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_wavelane"))
            .arg("dap")
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (bytes, events) = (Vec::new(), Vec::new());
        Client { child, input, output, bytes, sequence: 0, events, folder }
    }

    fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        loop {
            if let Some(end) = self.bytes.windows(4).position(|it| it == b"\r\n\r\n") {
                let head = String::from_utf8(self.bytes[..end].to_vec()).unwrap();
                let length: usize = head.strip_prefix("Content-Length: ").unwrap().parse().unwrap();
                if self.bytes.len() >= end + 4 + length {
                    let rest = self.bytes.split_off(end + 4 + length);
                    let body = std::mem::replace(&mut self.bytes, rest);
                    return serde_json::from_slice(&body[end + 4..]).unwrap();
                }
            }
            let mut piece = [0; 4096];
            let count = self.output.read(&mut piece).unwrap();
            assert!(count > 0, "the adapter has ended");
            self.bytes.extend(&piece[..count]);
        }
    }

    fn send(&mut self, command: &str, arguments: Value) -> u64 {
        self.sequence += 1;
        let body = json!({
            "seq": self.sequence, "type": "request", "command": command, "arguments": arguments,
        });
        let body = body.to_string();
        self.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        self.sequence
    }

    fn answer(&mut self, sequence: u64) -> Value {
        loop {
            let message = self.read();
            if message["type"] == "response" && message["request_seq"] == sequence {
                return message;
            }
            self.events.push(message);
        }
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let sequence = self.send(command, arguments);
        let answer = self.answer(sequence);
        assert_eq!(answer["success"], true, "{command}: {answer}");
        answer["body"].clone()
    }

    fn refused(&mut self, command: &str, arguments: Value) -> String {
        let sequence = self.send(command, arguments);
        let answer = self.answer(sequence);
        assert_eq!(answer["success"], false, "{command}: {answer}");
        answer["message"].as_str().unwrap().to_owned()
    }

    fn event(&mut self, name: &str) -> Value {
        if let Some(at) = self.events.iter().position(|it| it["event"] == name) {
            return self.events.remove(at)["body"].clone();
        }
        loop {
            let message = self.read();
            if message["event"] == name {
                return message["body"].clone();
            }
            self.events.push(message);
        }
    }

    /// The reason of the next stop, and the line where the run stands.
    fn stopped(&mut self) -> (String, u64) {
        let body = self.event("stopped");
        let trace = self.ask("stackTrace", json!({"threadId": body["threadId"]}));
        let line = trace["stackFrames"][0]["line"].as_u64().unwrap();
        (body["reason"].as_str().unwrap().to_owned(), line)
    }

    fn step(&mut self, command: &str) -> (String, u64) {
        self.ask(command, json!({"threadId": 1}));
        self.stopped()
    }

    /// The variables of a scope of the top frame.
    fn scope(&mut self, name: &str) -> Vec<Value> {
        let trace = self.ask("stackTrace", json!({"threadId": 1}));
        let scopes = self.ask("scopes", json!({"frameId": trace["stackFrames"][0]["id"]}));
        let all = scopes["scopes"].as_array().unwrap().clone();
        let scope = all.iter().find(|it| it["name"] == name).unwrap();
        self.children(&scope["variablesReference"], json!({}))
    }

    fn children(&mut self, reference: &Value, more: Value) -> Vec<Value> {
        let mut arguments = json!({"variablesReference": reference});
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        self.ask("variables", arguments)["variables"].as_array().unwrap().clone()
    }

    fn local(&mut self, name: &str) -> Value {
        let all = self.scope("Locals");
        all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{all:?}")).clone()
    }

    fn launch(&mut self, more: Value) {
        self.ask("initialize", json!({"adapterID": "wavelane"}));
        let mut arguments = json!({
            "program": "a.hlsl", "waveSize": 8, "bind": ["Out=u32[64]"], "out": ["Out=out.bin"],
        });
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        self.ask("launch", arguments);
        self.event("initialized");
    }

    fn set(&mut self, breakpoints: Value) -> Vec<Value> {
        let arguments =
            json!({"source": {"path": "/any/where/a.hlsl"}, "breakpoints": breakpoints});
        self.ask("setBreakpoints", arguments)["breakpoints"].as_array().unwrap().clone()
    }

    /// Closes the input; the adapter ends.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn a_program_is_stepped_forward_and_back() {
    let mut client = Client::start("steps", SHADER);
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", json!({}));
    assert_eq!(client.stopped(), ("entry".to_owned(), 7));
    let threads = client.ask("threads", json!({}));
    assert_eq!(threads["threads"][0]["name"], "wave 0 · (0,0,0) · ########");
    assert_eq!(client.step("next"), ("step".to_owned(), 8));
    assert_eq!(client.step("next"), ("step".to_owned(), 8));
    assert_eq!(client.step("stepIn"), ("step".to_owned(), 9));
    assert_eq!(client.step("stepIn"), ("step".to_owned(), 10));
    let active = client.scope("Wave").remove(0);
    assert_eq!(active["name"], "active");
    assert!(active["value"].as_str().unwrap().starts_with(".#.#.#.#"), "{active}");
    assert_eq!(client.step("stepIn"), ("step".to_owned(), 3));
    let trace = client.ask("stackTrace", json!({"threadId": 1}));
    let names: Vec<&Value> =
        trace["stackFrames"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["twice", "main"]);
    assert_eq!(trace["stackFrames"][1]["line"], 10);
    assert_eq!(client.step("stepOut"), ("step".to_owned(), 8));
    assert_eq!(client.step("stepBack"), ("step".to_owned(), 3));
    assert_eq!(client.step("stepBack"), ("step".to_owned(), 10));
    assert_eq!(client.step("next"), ("step".to_owned(), 8));
    assert_eq!(client.step("reverseContinue"), ("entry".to_owned(), 7));
    client.ask("continue", json!({"threadId": 1}));
    client.event("terminated");
    // What the run leaves is what it leaves undisturbed.
    let left = std::fs::read(client.folder.join("out.bin")).unwrap();
    let words: Vec<u32> =
        left.chunks_exact(4).map(|it| u32::from_le_bytes(it.try_into().unwrap())).collect();
    assert_eq!(words[..8], [7, 14, 9, 16, 11, 18, 13, 20]);
    client.end();
}

#[test]
fn breakpoints_have_conditions_counts_and_lines() {
    let mut client = Client::start("breakpoints", SHADER);
    client.launch(json!({}));
    let set = client.set(json!([
        {"line": 9, "condition": "n == 1"},
        {"line": 10, "hitCondition": ">= 3"},
        {"line": 14, "logMessage": "sum is {sum}, i@3 is {i@3}"},
        {"line": 9, "condition": "nothing == 1"},
        {"line": 9, "condition": "i = 1"},
        {"line": 9, "hitCondition": "often"},
        {"line": 99},
    ]));
    let verified: Vec<bool> = set.iter().map(|it| it["verified"].as_bool().unwrap()).collect();
    assert_eq!(verified, [true, true, true, false, false, false, false]);
    assert!(set[3]["message"].as_str().unwrap().contains("nothing"), "{}", set[3]);
    client.ask("configurationDone", json!({}));
    assert_eq!(client.stopped(), ("breakpoint".to_owned(), 9));
    let n = client.local("n");
    assert_eq!((&n["value"], &n["indexedVariables"]), (&json!("1 (all)"), &json!(8)));
    let sum = client.local("sum");
    let lanes = client
        .children(&sum["variablesReference"], json!({"filter": "indexed", "start": 2, "count": 2}));
    assert_eq!((&lanes[0]["name"], &lanes[0]["value"]), (&json!("[2]"), &json!("2")));
    assert_eq!(lanes.len(), 2);
    client.ask("continue", json!({"threadId": 1}));
    assert_eq!(client.stopped(), ("breakpoint".to_owned(), 10));
    let sum = client.local("sum");
    let lanes = client.children(&sum["variablesReference"], json!({}));
    assert_eq!(lanes[3]["value"], "5");
    assert_eq!(lanes[2]["value"], "·2");
    let evaluate =
        |client: &mut Client, text: &str| client.ask("evaluate", json!({"expression": text}));
    assert_eq!(evaluate(&mut client, "WaveActiveSum(n)")["result"], "8 (all)");
    assert_eq!(evaluate(&mut client, "i@6")["result"], "6 (all)");
    let row = evaluate(&mut client, "i * 2");
    assert_eq!(row["indexedVariables"], 8);
    for wrong in ["n = 1", "nothing", "i@9", "InterlockedAdd(Out[0], 1)"] {
        client.refused("evaluate", json!({"expression": wrong}));
    }
    let out = client.scope("Resources").remove(0);
    assert_eq!((&out["name"], &out["indexedVariables"]), (&json!("Out"), &json!(64)));
    client.ask("continue", json!({"threadId": 1}));
    client.event("terminated");
    let line = client.event("output");
    assert_eq!(line["output"], "sum is 0 7 2 9 4 11 6 13, i@3 is 3 (all)\n");
    client.end();
}

#[test]
fn findings_stop_the_run() {
    let mut client = Client::start("findings", SHADER);
    client.launch(json!({}));
    client.ask("setExceptionBreakpoints", json!({"filters": ["undefined"]}));
    client.ask("configurationDone", json!({}));
    let (reason, line) = client.stopped();
    assert_eq!((reason.as_str(), line), ("exception", 15));
    let info = client.ask("exceptionInfo", json!({"threadId": 1}));
    let code = info["exceptionId"].as_str().unwrap().to_owned();
    assert!(info["description"].as_str().unwrap().contains(&code), "{info}");
    client.ask("continue", json!({"threadId": 1}));
    client.event("terminated");
    client.end();
}

#[test]
fn findings_stop_a_long_run_where_they_happen_and_once() {
    // The run is long enough to be advanced in several pieces, and the first group is gone when the second finding
    // comes.
    let long = "RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex, uint3 g : SV_GroupID) {
    uint unset;
    Out[i + 8 * g.x] = unset;
    uint hash = i;
    for (uint n = 0; n < 60000; n++) { hash = hash * 1664525 + n; }
    Out[i + 8 * g.x] = hash;
    if (g.x == 1)
        Out[i + 1000] = 1;
    Out[i + 4 + 8 * g.x] = hash;
}
";
    let mut client = Client::start("long", long);
    client.launch(json!({"groups": [2], "bind": ["Out=u32[16]"], "out": []}));
    client
        .ask("setExceptionBreakpoints", json!({"filters": ["undefined", "buffer-out-of-bounds"]}));
    client.set(json!([{"line": 4}]));
    client.ask("configurationDone", json!({}));
    // The breakpoint on the line comes first, then the finding of its statement.
    assert_eq!(client.stopped(), ("breakpoint".to_owned(), 4));
    client.set(json!([]));
    assert_eq!(client.step("continue"), ("exception".to_owned(), 4));
    assert_eq!(client.step("continue"), ("exception".to_owned(), 9));
    client.ask("continue", json!({"threadId": 1}));
    client.event("terminated");
    client.end();
}

#[test]
fn functions_and_data_have_breakpoints() {
    let mut client = Client::start("data", SHADER);
    client.launch(json!({"stopOnEntry": true}));
    let functions = json!([{"name": "twice"}, {"name": "WaveActiveMax", "condition": "i == 3"}, {"name": "none"}]);
    let set = client.ask("setFunctionBreakpoints", json!({"breakpoints": functions}));
    let verified: Vec<bool> =
        (0..3).map(|it| set["breakpoints"][it]["verified"].as_bool().unwrap()).collect();
    assert_eq!(verified, [true, true, false]);
    assert_eq!(set["breakpoints"][0]["line"], 3);
    client.ask("configurationDone", json!({}));
    assert_eq!(client.stopped(), ("entry".to_owned(), 7));
    assert_eq!(client.step("continue"), ("function breakpoint".to_owned(), 3));
    client
        .ask("setFunctionBreakpoints", json!({"breakpoints": functions.as_array().unwrap()[1..]}));
    assert_eq!(client.step("continue"), ("function breakpoint".to_owned(), 14));
    client.ask("setFunctionBreakpoints", json!({"breakpoints": []}));
    // An element of a buffer.
    let out = client.scope("Resources").remove(0);
    let info = json!({"variablesReference": out["variablesReference"], "name": "[3]"});
    let info = client.ask("dataBreakpointInfo", info);
    assert_eq!(info["accessTypes"], json!(["read", "write", "readWrite"]));
    let watch =
        json!({"breakpoints": [{"dataId": info["dataId"]}, {"dataId": "[7]"}, {"dataId": 7}]});
    let set = client.ask("setDataBreakpoints", watch);
    let verified: Vec<bool> =
        (0..3).map(|it| set["breakpoints"][it]["verified"].as_bool().unwrap()).collect();
    assert_eq!(verified, [true, false, false]);
    assert_eq!(client.step("reverseContinue"), ("entry".to_owned(), 7));
    assert_eq!(client.step("continue"), ("data breakpoint".to_owned(), 14));
    // A variable in one lane, which only odd lanes change.
    let sum = client.local("sum");
    for (lane, wanted) in
        [("[3]", ("data breakpoint".to_owned(), 10)), ("[2]", ("entry".to_owned(), 7))]
    {
        client.ask("setDataBreakpoints", json!({"breakpoints": []}));
        assert_eq!(client.step("reverseContinue"), ("entry".to_owned(), 7));
        assert_eq!(client.step("next"), ("step".to_owned(), 8));
        let sum = client.local("sum");
        let info = json!({"variablesReference": sum["variablesReference"], "name": lane});
        let info = client.ask("dataBreakpointInfo", info);
        client.ask("setDataBreakpoints", json!({"breakpoints": [{"dataId": info["dataId"]}]}));
        match wanted.0.as_str() {
            "entry" => {
                client.ask("continue", json!({"threadId": 1}));
                client.event("terminated");
            }
            _ => assert_eq!(client.step("continue"), wanted),
        }
    }
    // References are those of a stop.
    let old = json!({"variablesReference": sum["variablesReference"], "name": "[0]"});
    client.refused("dataBreakpointInfo", old);
    client.end();
}

/// What `run --debug` prints is what a launch takes, also over a port.
#[test]
fn a_configuration_launches_over_a_port() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dap").join("port");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.hlsl"), SHADER.replace("3;", "N;")).unwrap();
    let wavelane = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavelane"));
        command.current_dir(&folder);
        command
    };
    let words =
        ["run", "a.hlsl", "--bind", "Out=u32[64]", "-DN=3", "--wave-size", "8", "-HV", "2021"];
    let printed = wavelane().args(words).arg("--debug").output().unwrap();
    let configuration: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let mut child = wavelane().args(["dap", "--port", "0"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut told, &mut line).unwrap();
    let port = line.trim().rsplit(':').next().unwrap().parse().unwrap();
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    let requests = [
        json!({"seq": 1, "type": "request", "command": "initialize", "arguments": {}}),
        json!({"seq": 2, "type": "request", "command": "launch", "arguments": configuration}),
        json!({"seq": 3, "type": "request", "command": "configurationDone"}),
    ];
    for request in requests {
        let body = request.to_string();
        write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&answer).contains("\"event\":\"stopped\"") {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&answer));
        answer.extend(&piece[..count]);
    }
    drop(stream);
    assert!(child.wait().unwrap().success());
    // A port that is taken, and one that is none.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for port in [port.as_str(), "70000", "x"] {
        let output = wavelane().args(["dap", "--port", port]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{port}");
    }
}

#[test]
fn memory_is_read_and_locations_are_reported() {
    let mut client = Client::start("memory", SHADER);
    client.launch(json!({"stopOnEntry": true, "bind": ["Out=u32[64]:iota"]}));
    client.ask("configurationDone", json!({}));
    client.stopped();
    let out = client.scope("Resources").remove(0);
    let mut read = |offset: i64, count: u64| {
        let reference = &out["memoryReference"];
        client.ask(
            "readMemory",
            json!({"memoryReference": reference, "offset": offset, "count": count}),
        )
    };
    let memory = read(4, 8);
    assert_eq!(memory["data"], timeline::base64(&[1, 0, 0, 0, 2, 0, 0, 0]));
    let behind = read(252, 100);
    assert_eq!((&behind["data"], &behind["unreadableBytes"]), (&json!("PwAAAA=="), &json!(96)));
    assert_eq!(read(-4, 4)["unreadableBytes"], 4);
    client.refused("readMemory", json!({"memoryReference": "7:7", "count": 4}));
    let lines = client.ask(
        "breakpointLocations",
        json!({"source": {"path": "/any/a.hlsl"}, "line": 1, "endLine": 10}),
    );
    let lines: Vec<u64> = lines["breakpoints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [3, 7, 8, 9, 10]);
    let sources = client.ask("loadedSources", json!({}));
    let path = client.folder.join("a.hlsl");
    assert_eq!(sources["sources"], json!([{"name": "a.hlsl", "path": path}]));
    client.end();
}

#[test]
fn an_endless_loop_is_paused() {
    let endless = "RWStructuredBuffer<uint> Out;
        [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
            uint n = 0;
            while (Out[0] == 0) { n++; Out[1] = n; }
        }";
    let mut client = Client::start("endless", endless);
    client.launch(json!({"out": []}));
    client.ask("configurationDone", json!({}));
    client.ask("threads", json!({}));
    client.ask("pause", json!({"threadId": 1}));
    let (reason, line) = client.stopped();
    // Before the loop, if it was asked for at once.
    assert!(reason == "pause" && (3..=4).contains(&line), "{reason} {line}");
    client.end();
}

#[test]
fn nonsense_neither_ends_the_adapter_nor_moves_the_run() {
    let mut client = Client::start("nonsense", SHADER);
    client.write(b"Content-Length: 3\r\n\r\n{]!");
    client.write(b"Something: else\r\n\r\n");
    client.refused("next", json!({"threadId": 1}));
    let broken = client.refused("launch", json!({"program": "missing.hlsl"}));
    assert!(broken.contains("missing.hlsl"), "{broken}");
    std::fs::write(client.folder.join("b.hlsl"), "void main( {}").unwrap();
    let broken = client.refused("launch", json!({"program": "b.hlsl"}));
    assert!(broken.contains("b.hlsl:1:") && broken.contains("error: "), "{broken}");
    for wrong in [
        json!({}),
        json!({"program": 7}),
        json!({"program": "a.hlsl", "groups": "many"}),
        json!({"program": "a.hlsl", "waveSize": 7}),
    ] {
        client.refused("launch", wrong);
    }
    let number = client.refused("launch", json!({"program": 7}));
    assert_eq!(number, "error: `program` is not a text");
    let drawn = json!({"program": "a.hlsl", "flags": ["--draw", "fullscreen"]});
    let drawn = client.refused("launch", drawn);
    assert!(drawn.contains("the debugger steps dispatches, not draws"), "{drawn}");
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", json!({}));
    let here = client.stopped();
    for (command, arguments) in [
        ("dance", json!({})),
        ("next", json!({})),
        ("next", json!({"threadId": 77})),
        ("variables", json!({"variablesReference": 1e30})),
        ("scopes", json!({"frameId": -1})),
        ("setBreakpoints", json!({})),
        ("setBreakpoints", json!({"source": {"path": "a.hlsl"}, "breakpoints": [{"line": -4}]})),
        ("evaluate", json!({"expression": 7})),
    ] {
        client.refused(command, arguments);
    }
    let trace = client.ask("stackTrace", json!({"threadId": 1}));
    assert_eq!(trace["stackFrames"][0]["line"], here.1);
    client.end();
}

#[test]
fn instructions_are_listed_stepped_and_stopped_at() {
    let mut client = Client::start("instructions", SHADER);
    let capabilities = client.ask("initialize", json!({}));
    for it in ["DisassembleRequest", "InstructionBreakpoints", "SteppingGranularity"] {
        assert_eq!(capabilities[format!("supports{it}")], true, "{it}");
    }
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", json!({}));
    client.stopped();
    let pointer = |client: &mut Client| {
        let trace = client.ask("stackTrace", json!({"threadId": 1}));
        trace["stackFrames"][0]["instructionPointerReference"].as_str().unwrap().to_owned()
    };
    let here = pointer(&mut client);
    let arguments =
        json!({"memoryReference": here, "instructionOffset": -500, "instructionCount": 1000});
    let listed = client.ask("disassemble", arguments)["instructions"].as_array().unwrap().clone();
    assert_eq!(listed.len(), 1000);
    assert_eq!(listed[500]["address"], here.as_str());
    let is_valid = |it: &&Value| it["presentationHint"] != "invalid";
    let valid: Vec<&Value> = listed.iter().filter(is_valid).collect();
    assert!(valid.len() > 20 && valid.iter().all(|it| it["instruction"] != ""), "{valid:?}");
    // They are what the compiler prints.
    let printed = Command::new(env!("CARGO_BIN_EXE_wavelane"))
        .args(["emit", "--ir", "a.hlsl"])
        .current_dir(&client.folder)
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let text = |it: &Value| it["instruction"].as_str().unwrap().trim().to_owned();
    let sum = valid.iter().position(|it| text(it).contains("wave.reduce.max")).unwrap();
    assert!(printed.contains(&text(valid[sum])), "{printed}\n{}", text(valid[sum]));
    assert_eq!(valid[sum]["line"], 14);
    // Instructions, one after the other, and back.
    let mut seen = vec![here];
    for _ in 0..6 {
        client.ask("next", json!({"threadId": 1, "granularity": "instruction"}));
        assert_eq!(client.stopped().0, "step");
        seen.push(pointer(&mut client));
    }
    // Constructs have several parts, before each of which the wave stands.
    let distinct: std::collections::BTreeSet<&String> = seen.iter().collect();
    assert!(distinct.len() > 3, "{seen:?}");
    seen.pop();
    for wanted in seen.iter().skip(1).rev() {
        client.ask("stepBack", json!({"threadId": 1, "granularity": "instruction"}));
        assert_eq!(client.stopped().0, "step");
        assert_eq!(pointer(&mut client), *wanted);
    }
    let breakpoints = json!([
        {"instructionReference": valid[sum]["address"]},
        {"instructionReference": "0x1"},
        {"instructionReference": valid[sum]["address"], "condition": "nothing > 1"},
    ]);
    let set = client.ask("setInstructionBreakpoints", json!({"breakpoints": breakpoints}));
    let set = set["breakpoints"].as_array().unwrap();
    let verified: Vec<&Value> = set.iter().map(|it| &it["verified"]).collect();
    assert_eq!(verified, [true, false, false], "{set:?}");
    client.ask("continue", json!({"threadId": 1}));
    assert_eq!(client.stopped(), ("instruction breakpoint".to_owned(), 14));
    assert_eq!(json!(pointer(&mut client)), valid[sum]["address"]);
    client.ask("continue", json!({"threadId": 1}));
    client.event("terminated");
    let bad = json!({"memoryReference": "here", "instructionCount": 1});
    assert!(client.refused("disassemble", bad).contains("no instruction at `here`"));
    let many = json!({"memoryReference": "0x10000", "instructionCount": 5000});
    assert!(client.refused("disassemble", many).contains("at most 4096"));
    client.end();
}

#[test]
fn paths_are_absolute_wherever_the_editor_was_started() {
    let mut client = Client::start("paths", &format!("#include \"sub/b.hlsl\"\n{SHADER}"));
    std::fs::create_dir_all(client.folder.join("sub")).unwrap();
    std::fs::write(client.folder.join("sub/b.hlsl"), "uint three() {\n    return 3;\n}\n").unwrap();
    client.launch(json!({"stopOnEntry": true}));
    client.ask("configurationDone", json!({}));
    client.stopped();
    let trace = client.ask("stackTrace", json!({"threadId": 1}));
    let source = &trace["stackFrames"][0]["source"];
    let path = PathBuf::from(source["path"].as_str().unwrap());
    assert!(path.is_absolute() && path.ends_with("a.hlsl") && path.exists(), "{path:?}");
    assert_eq!(source["name"], "a.hlsl");
    let sources = client.ask("loadedSources", json!({}));
    for it in sources["sources"].as_array().unwrap() {
        assert!(std::path::Path::new(it["path"].as_str().unwrap()).exists(), "{it}");
    }
    // A breakpoint on the path that was given binds to the file.
    let arguments = json!({"source": {"path": path}, "breakpoints": [{"line": 15}]});
    assert_eq!(client.ask("setBreakpoints", arguments)["breakpoints"][0]["verified"], true);
    assert!(client.refused("source", json!({"sourceReference": 0})).contains("are files"));
    client.end();
}

/// Ten million lane-events, stepped at their end; the times are printed.
#[test]
fn a_long_run_is_stepped_back_from_its_end() {
    let shader = "RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint hash = i;
    for (uint n = 0; n < 80000; n++) {
        hash = hash * 1664525 + 1013904223;
    }
    Out[i] = hash;
}
";
    let begin = Instant::now();
    let mut client = Client::start("long", shader);
    client.launch(json!({"waveSize": 64}));
    client.set(json!([{"line": 4}, {"line": 8}]));
    client.ask("configurationDone", json!({}));
    assert_eq!(client.stopped(), ("breakpoint".to_owned(), 4));
    println!("first stop: {:.1?} after the process began", begin.elapsed());
    let timed = |what: &str, client: &mut Client, act: &mut dyn FnMut(&mut Client)| {
        let begin = Instant::now();
        act(client);
        println!("{what}: {:.1?}", begin.elapsed());
    };
    timed("a step", &mut client, &mut |it| assert_eq!(it.step("next").1, 5));
    timed("to the end", &mut client, &mut |it| assert_eq!(it.step("continue").1, 8));
    timed("a step back", &mut client, &mut |it| assert_eq!(it.step("stepBack").1, 5));
    timed("another", &mut client, &mut |it| assert_eq!(it.step("stepBack").1, 6));
    timed("variables of 64 lanes", &mut client, &mut |it| {
        let hash = it.local("hash");
        let lanes = it.children(&hash["variablesReference"], json!({"start": 0, "count": 64}));
        assert_eq!(lanes.len(), 64);
    });
    timed("back to the breakpoint before", &mut client, &mut |it| {
        assert_eq!(it.step("reverseContinue").1, 4);
    });
    client.end();
}
