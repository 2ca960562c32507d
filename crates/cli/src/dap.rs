//! `wavelane dap`: the debug adapter on standard input and output, or on a port of this machine.
//!
//! A launch means what `wavelane run` does with the same words.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

use serde_json::Value;
use serve::{Adapter, Frames, Launcher, framed};
use session::Session;

use crate::asked::LowArgs;
use crate::configuration::{low_args, told};
use crate::problem::{End, Exit, Problem};
use crate::recorded::{Subject, session};
use crate::terminal;

/// The bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// Serves the client until its input ends.
pub(crate) fn dap(args: &LowArgs) -> Result<Exit, End> {
    if let Some(operand) = args.operands.first() {
        let problem =
            Problem::input(format!("unexpected operand `{operand}`: `wavelane dap` takes none"));
        return Err(problem.help("the program is part of the launch request").into());
    }
    let Some(port) = args.seeing.port else { return speak(std::io::stdin(), terminal::out()) };
    // Only this machine can connect.
    let failed = |what: &str, error: std::io::Error| {
        Problem::input(format!("port {port} of 127.0.0.1 {what}: {error}"))
    };
    let listener =
        TcpListener::bind(("127.0.0.1", port)).map_err(|it| failed("cannot be opened", it))?;
    let place = listener.local_addr().map_err(|it| failed("has no address", it))?;
    terminal::note(&format!("listening on {place}"));
    let (client, _) = listener.accept().map_err(|it| failed("has no client", it))?;
    let input = client.try_clone().map_err(|it| failed("cannot be read", it))?;
    speak(input, client)
}

/// Serves one client until its input ends.
fn speak(input: impl Read + Send + 'static, mut out: impl Write) -> Result<Exit, End> {
    let bodies = requests(input)?;
    let mut adapter = Adapter::new(Words { outs: Vec::new() });
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

/// The bodies of messages, read on a separate thread so that `pause` reaches a running program.
fn requests(mut input: impl Read + Send + 'static) -> Result<Receiver<Vec<u8>>, Problem> {
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let mut frames = Frames::default();
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
        if !low.draw.what.is_empty() {
            return Err("error: the debugger steps dispatches, not draws\n  = help: `--draw` belongs to `wavelane run` alone".to_owned());
        }
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

    /// Absolute, so that editors find files whatever folder they were started in.
    fn path(&self, file: &str) -> String {
        match std::path::absolute(file) {
            Ok(path) => path.to_string_lossy().into_owned(),
            Err(_) => file.to_owned(),
        }
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
