//! Converts launches of the debugger to command lines and back: `wavelane dap` reads the
//! arguments of a launch, and `wavelane run … --debug` writes the configuration that has them.

use serde_json::{Map, Value, json};

use crate::args::{self, Line, Request};
use crate::asked::LowArgs;
use crate::problem::Problem;

/// What an argument of a launch is, and the flag with the same meaning.
enum Argument {
    Text,
    Number,
    Numbers,
    Texts,
}

const ARGUMENTS: [(&str, &str, Argument); 12] = [
    ("entry", "-E", Argument::Text),
    ("profile", "-T", Argument::Text),
    ("laneOrder", "--lane-order", Argument::Text),
    ("schedule", "--schedule", Argument::Text),
    ("waveSize", "--wave-size", Argument::Number),
    ("groups", "--groups", Argument::Numbers),
    ("bind", "--bind", Argument::Texts),
    ("set", "--set", Argument::Texts),
    ("counter", "--counter", Argument::Texts),
    ("out", "--out", Argument::Texts),
    ("defines", "-D", Argument::Texts),
    ("include", "-I", Argument::Texts),
];
/// All other flags, word by word.
const FLAGS: &str = "flags";
/// The flag that selects a configuration.
const DEBUG: &str = "--debug";

/// The command line that the arguments of a launch denote; `Err` is the message of the command line.
pub(crate) fn low_args(arguments: &Value) -> Result<LowArgs, String> {
    let program = match &arguments["program"] {
        Value::String(program) => program,
        Value::Null => return Err("error: `program` is missing".to_owned()),
        _ => return Err("error: `program` is not a text".to_owned()),
    };
    let mut words = vec!["wavelane".to_owned(), "run".to_owned(), program.to_owned()];
    for (name, flag, argument) in &ARGUMENTS {
        let given = &arguments[name];
        let wrong = |what: &str| format!("error: `{name}` is not {what}");
        match (given, argument) {
            (Value::Null, _) => {}
            (Value::String(text), Argument::Text) => {
                words.extend([(*flag).to_owned(), text.clone()]);
            }
            (_, Argument::Text) => return Err(wrong("a text")),
            (Value::Number(number), Argument::Number) => {
                words.extend([(*flag).to_owned(), number.to_string()]);
            }
            (_, Argument::Number) => return Err(wrong("a number")),
            (Value::Array(all), Argument::Numbers)
                if all.iter().all(Value::is_u64) && !all.is_empty() =>
            {
                let all: Vec<String> = all.iter().map(Value::to_string).collect();
                words.extend([(*flag).to_owned(), all.join(",")]);
            }
            (_, Argument::Numbers) => return Err(wrong("a list of numbers")),
            (_, Argument::Texts) => {
                for text in texts(given).ok_or_else(|| wrong("a list of texts"))? {
                    words.extend([(*flag).to_owned(), text]);
                }
            }
        }
    }
    let flags = match &arguments[FLAGS] {
        Value::Null => Vec::new(),
        flags => texts(flags).ok_or_else(|| format!("error: `{FLAGS}` is not a list of texts"))?,
    };
    words.extend(flags);
    match args::parse(words.into_iter().map(Into::into)) {
        Ok(Request::Work(low, _)) => Ok(*low),
        Ok(_) => Err("error: the launch has nothing to run".to_owned()),
        Err(problem) => Err(told(&problem)),
    }
}

fn texts(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|it| it.as_str().map(str::to_owned)).collect()
}

/// The message that the command line prints.
pub(crate) fn told(problem: &Problem) -> String {
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

/// The configuration that launches what the command line runs, as editors keep it. It stops before the first statement.
pub(crate) fn configuration(program: &str, line: &Line) -> Value {
    let mut all = Map::new();
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    for (key, value) in
        [("type", "wavelane"), ("request", "launch"), ("name", name), ("program", program)]
    {
        all.insert(key.to_owned(), json!(value));
    }
    let mut others: Vec<String> = Vec::new();
    for (flag, value, words) in line.flags().filter(|it| it.0 != DEBUG) {
        let known = ARGUMENTS.iter().find(|it| it.1 == flag);
        let one = match known.map(|it| &it.2) {
            Some(Argument::Text) => Some(json!(value)),
            Some(Argument::Number) => value.parse::<u64>().ok().map(|it| json!(it)),
            Some(Argument::Numbers) => {
                let numbers = value.split(',').map(|it| it.trim().parse::<u64>().ok());
                numbers.collect::<Option<Vec<u64>>>().map(|it| json!(it))
            }
            Some(Argument::Texts) => Some(json!(value)),
            None => None,
        };
        match (known, one) {
            (Some((key, _, Argument::Texts)), Some(one)) => {
                let list = all.entry(*key).or_insert_with(|| json!([]));
                list.as_array_mut().into_iter().for_each(|it| it.push(one.clone()));
            }
            // The last of several occurrences wins.
            (Some((key, ..)), Some(one)) => drop(all.insert((*key).to_owned(), one)),
            _ => others.extend(words.iter().cloned()),
        }
    }
    if !others.is_empty() {
        all.insert(FLAGS.to_owned(), json!(others));
    }
    all.insert("stopOnEntry".to_owned(), json!(true));
    Value::Object(all)
}
