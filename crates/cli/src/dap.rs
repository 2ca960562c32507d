//! `wavelane dap`: the debug adapter on standard input and output.
//!
//! What a launch means is what `wavelane run` would do with the same words.

use std::io::{Read, Write};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use serde_json::Value;
use serve::{Adapter, Frames, Launcher, framed};
use session::Session;

use crate::args::{self, Request};
use crate::asked::LowArgs;
use crate::problem::{End, Exit, Problem};
use crate::recorded::{Subject, session};
use crate::terminal;

/// The bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Speaks until standard input ends.
pub(crate) fn dap(args: &LowArgs) -> Result<Exit, End> {
    if let Some(operand) = args.operands.first() {
        let problem =
            Problem::input(format!("`wavelane dap` takes no operand; what is `{operand}`?"));
        return Err(problem.help("the program is part of the launch request").into());
    }
    let bodies = requests()?;
    let mut adapter = Adapter::new(Words { outs: Vec::new() });
    let mut out = terminal::out();
    loop {
        let body = if adapter.is_going() {
            match bodies.try_recv() {
                Ok(body) => Some(body),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => break,
            }
        } else {
            match bodies.recv() {
                Ok(body) => Some(body),
                Err(_) => break,
            }
        };
        let mut written = Ok(());
        let mut send = |message: Value| {
            let bytes = framed(&message.to_string());
            if written.is_ok() {
                written = out.write_all(&bytes).and_then(|()| out.flush());
            }
        };
        match body {
            Some(body) => adapter.message(&body, &mut send),
            None => adapter.go_on(&mut send),
        }
        written?;
    }
    Ok(Exit::Fine)
}

/// The bodies of messages, read on a thread of its own so that a running program hears `pause`.
fn requests() -> Result<Receiver<Vec<u8>>, Problem> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let (mut input, mut frames) = (std::io::stdin().lock(), Frames::default());
        let mut piece = vec![0; PIECE];
        // An error ends the input as its end does.
        while let Ok(count @ 1..) = input.read(&mut piece) {
            frames.push(&piece[..count]);
            while let Some(body) = frames.next_body() {
                if sender.send(body).is_err() {
                    return;
                }
            }
        }
    };
    let thread = thread::Builder::new().name("requests".to_owned()).spawn(read);
    thread.map_err(|error| Problem::input(format!("no thread can be started: {error}")))?;
    Ok(receiver)
}

/// Launches by the words of the command line.
struct Words {
    /// The buffers to write when the run has ended, each to its file.
    outs: Vec<(String, String)>,
}

impl Launcher for Words {
    fn launch(&mut self, arguments: &Value) -> Result<Session, String> {
        let low = low_args(arguments)?;
        let file = low.operand().map_err(|it| told(&it))?;
        self.outs = low.outs.clone();
        if let Some((_, path)) = self.outs.iter().find(|it| !it.1.ends_with(".bin")) {
            return Err(format!("error: `{path}` does not end in `.bin`"));
        }
        let subject = Subject {
            file: &file,
            compile: &low.compile,
            launch: &low.launch,
            bind: &low.bind,
            adapter: &low.device.adapter,
        };
        session(&subject).map_err(|it| told(&it))
    }

    fn ended(&mut self, session: &Session) -> Result<(), String> {
        for (name, path) in &self.outs {
            let resources = &session.module().resources;
            let number = resources.iter().position(|it| it.name == *name);
            let buffer = number.and_then(|it| session.bindings().bindings[it].first());
            let buffer = buffer.ok_or_else(|| format!("error: there is no buffer `{name}`"))?;
            std::fs::write(path, &*buffer.bytes)
                .map_err(|error| format!("error: `{path}` cannot be written: {error}"))?;
        }
        Ok(())
    }
}

/// The message that the command line prints.
fn told(problem: &Problem) -> String {
    let causes = problem.causes.iter().filter_map(|it| {
        let (place, message) = (&it["location"], it["message"].as_str()?);
        let (file, line) = (place["file"].as_str()?, place["line"].as_u64()?);
        let column = place["column"].as_u64()?;
        Some(format!("{file}:{line}:{column}: error: {message}"))
    });
    let causes: Vec<String> = causes.collect();
    match causes.is_empty() {
        true => format!("error: {}", problem.message),
        false => causes.join("\n"),
    }
}

/// The arguments of a launch as the command line that they stand for.
fn low_args(arguments: &Value) -> Result<LowArgs, String> {
    let program = arguments["program"].as_str().ok_or("error: `program` is missing")?;
    let mut words = vec!["wavelane".to_owned(), "run".to_owned(), program.to_owned()];
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    let texts = |name: &str| -> Result<Vec<String>, String> {
        let wrong = || format!("error: `{name}` is not a list of texts");
        match &arguments[name] {
            Value::Null => Ok(Vec::new()),
            Value::Array(all) => {
                let text = |it: &Value| it.as_str().map(str::to_owned).ok_or_else(wrong);
                all.iter().map(text).collect()
            }
            _ => Err(wrong()),
        }
    };
    for (name, word) in [
        ("entry", "-E"),
        ("profile", "-T"),
        ("laneOrder", "--lane-order"),
        ("schedule", "--schedule"),
    ] {
        match &arguments[name] {
            Value::Null => {}
            Value::String(text) => flag(word, text.clone()),
            _ => return Err(format!("error: `{name}` is not a text")),
        }
    }
    match &arguments["waveSize"] {
        Value::Null => {}
        Value::Number(number) => flag("--wave-size", number.to_string()),
        _ => return Err("error: `waveSize` is not a number".to_owned()),
    }
    match &arguments["groups"] {
        Value::Null => {}
        Value::Array(counts) if counts.iter().all(Value::is_u64) && !counts.is_empty() => {
            let counts: Vec<String> = counts.iter().map(Value::to_string).collect();
            flag("--groups", counts.join(","));
        }
        _ => return Err("error: `groups` is not a list of numbers".to_owned()),
    }
    for (name, word) in [
        ("bind", "--bind"),
        ("set", "--set"),
        ("out", "--out"),
        ("defines", "-D"),
        ("include", "-I"),
    ] {
        for text in texts(name)? {
            flag(word, text);
        }
    }
    match args::parse(words.into_iter().map(Into::into)) {
        Ok(Request::Work(low, _)) => Ok(*low),
        Ok(_) => Err("error: the launch has nothing to run".to_owned()),
        Err(problem) => Err(told(&problem)),
    }
}
