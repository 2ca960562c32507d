//! Times the answers of `wavelane dap`: a client that starts it, steps to the end of a long run, and back.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use serve::{Frames, framed};

use super::super::milliseconds;

/// 10⁸ lane-statements: a wave of 64 lanes, and a loop that begins two statements 800,000 times.
const PROGRAM: &str = "RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint hash = i;
    for (uint n = 0; n < 800000; n++) {
        hash = hash * 1664525 + 1013904223;
    }
    Out[i] = hash;
}
";
/// The lines of the first and of the last statement.
const FIRST: u64 = 4;
const LAST: u64 = 8;
/// How often each request is timed in a round.
const STEPS: usize = 20;

/// The times of one kind of answer.
struct Times {
    what: &'static str,
    /// The most milliseconds, if there is a bar.
    bar: Option<f64>,
    taken: Vec<f64>,
}

impl Times {
    fn new(what: &'static str, bar: Option<f64>) -> Times {
        Times { what, bar, taken: Vec::new() }
    }

    fn take<T>(&mut self, act: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let start = Instant::now();
        let done = act()?;
        self.taken.push(milliseconds(start));
        Ok(done)
    }

    fn print(mut self) {
        self.taken.sort_by(f64::total_cmp);
        let [best, median, worst] =
            [0, self.taken.len() / 2, self.taken.len() - 1].map(|it| self.taken[it]);
        let bar = self.bar.map_or("\u{2013}".to_owned(), |it| it.to_string());
        println!("{best:>8.2}  {median:>8.2}  {worst:>8.2}  {bar:>6}  {}", self.what);
    }
}

pub(super) fn run(wavelane: &Path, folder: &Path, rounds: usize) -> Result<(), String> {
    std::fs::write(folder.join("stepped.hlsl"), PROGRAM).map_err(|error| error.to_string())?;
    let mut first = Times::new("the first stop, from the start of the process", Some(100.0));
    let mut step = Times::new("a step", Some(5.0));
    let mut back = Times::new("a step back at the end of 10\u{2078} lane-statements", Some(100.0));
    let mut reverse = Times::new("from there back to the breakpoint before", None);
    let mut lanes = Times::new("the variables of 64 lanes", Some(5.0));
    for _ in 0..rounds {
        let mut client = first.take(|| {
            let mut client = Client::start(wavelane, folder)?;
            client.launch()?;
            client.stopped()?;
            Ok(client)
        })?;
        for _ in 0..STEPS {
            step.take(|| client.go("next"))?;
        }
        client.go("continue")?;
        for _ in 0..STEPS {
            back.take(|| client.go("stepBack"))?;
            lanes.take(|| client.lanes())?;
        }
        reverse.take(|| client.go("reverseContinue"))?;
        client.end()?;
    }
    println!("\ndebugger: {rounds} rounds, wall-clock milliseconds");
    println!("{:>8}  {:>8}  {:>8}  {:>6}", "best", "median", "worst", "bar");
    [first, step, back, reverse, lanes].into_iter().for_each(Times::print);
    Ok(())
}

/// A client of the adapter.
struct Client {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    frames: Frames,
    /// What came while something else was awaited.
    heard: VecDeque<Value>,
    asked: u64,
}

impl Client {
    fn start(wavelane: &Path, folder: &Path) -> Result<Client, String> {
        let mut child = Command::new(wavelane)
            .arg("dap")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", wavelane.display()))?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the debugger has no pipes".to_owned());
        };
        let (frames, heard) = (Frames::default(), VecDeque::new());
        Ok(Client { child, to, from, frames, heard, asked: 0 })
    }

    fn launch(&mut self) -> Result<(), String> {
        self.ask("initialize", json!({}))?;
        let arguments = json!({"program": "stepped.hlsl", "waveSize": 64, "bind": ["Out=u32[64]"]});
        self.ask("launch", arguments)?;
        let lines = json!([{"line": FIRST}, {"line": LAST}]);
        let source = json!({"path": "stepped.hlsl"});
        self.ask("setBreakpoints", json!({"source": source, "breakpoints": lines}))?;
        self.ask("configurationDone", json!({})).map(|_| ())
    }

    /// Moves the wave, and waits for the stop.
    fn go(&mut self, command: &str) -> Result<(), String> {
        self.ask(command, json!({"threadId": 1}))?;
        self.stopped()
    }

    /// All values of a variable, as an editor requests them.
    fn lanes(&mut self) -> Result<(), String> {
        let trace = self.ask("stackTrace", json!({"threadId": 1}))?;
        let scopes = self.ask("scopes", json!({"frameId": trace["stackFrames"][0]["id"]}))?;
        let is = |it: &&Value, name: &str| it["name"] == name;
        let scopes = scopes["scopes"].as_array().cloned().unwrap_or_default();
        let locals = scopes.iter().find(|it| is(it, "Locals")).ok_or("no locals")?;
        let of = json!({"variablesReference": locals["variablesReference"]});
        let locals = self.ask("variables", of)?;
        let locals = locals["variables"].as_array().cloned().unwrap_or_default();
        let hash = locals.iter().find(|it| is(it, "hash")).ok_or("no variable `hash`")?;
        let of = json!({"variablesReference": hash["variablesReference"], "start": 0, "count": 64});
        match self.ask("variables", of)?["variables"].as_array().map(Vec::len) {
            Some(64) => Ok(()),
            count => Err(format!("{count:?} lanes, not 64")),
        }
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        self.asked += 1;
        let number = self.asked;
        let request = json!({
            "seq": number, "type": "request", "command": command, "arguments": arguments,
        });
        self.to
            .write_all(&framed(&request.to_string()))
            .and_then(|()| self.to.flush())
            .map_err(|error| format!("the debugger: {error}"))?;
        let answer = self.hear(|it| it["type"] == "response" && it["request_seq"] == number)?;
        match answer["success"] == true {
            true => Ok(answer["body"].clone()),
            false => Err(format!("the debugger refuses `{command}`: {answer}")),
        }
    }

    fn stopped(&mut self) -> Result<(), String> {
        self.hear(|it| it["event"] == "stopped").map(|_| ())
    }

    /// The next message that is the wanted one; keeps the others.
    fn hear(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Result<Value, String> {
        if let Some(at) = self.heard.iter().position(&is_wanted) {
            return Ok(self.heard.remove(at).unwrap_or_default());
        }
        let mut piece = vec![0; 1 << 16];
        loop {
            while let Some(body) = self.frames.next_body() {
                let message: Value =
                    serde_json::from_slice(&body).map_err(|error| error.to_string())?;
                if is_wanted(&message) {
                    return Ok(message);
                }
                self.heard.push_back(message);
            }
            match self.from.read(&mut piece) {
                Ok(0) => return Err("the debugger has ended".to_owned()),
                Ok(count) => self.frames.push(&piece[..count]),
                Err(error) => return Err(format!("the debugger: {error}")),
            }
        }
    }

    /// Closes the input, which ends the adapter.
    fn end(mut self) -> Result<(), String> {
        drop(self.to);
        let status = self.child.wait().map_err(|error| error.to_string())?;
        status.success().then_some(()).ok_or_else(|| format!("the debugger: {status}"))
    }
}
