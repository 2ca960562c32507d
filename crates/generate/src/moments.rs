//! What a debugger must show: the variables of generated programs at their statements, by the second evaluator, and the
//! lines on which these statements are printed.
//!
//! Left out are statements that are printed on several lines: loops, switches, exchanges, and jumps.

use std::collections::BTreeMap;

/// A statement that is printed on a separate line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simple {
    Assign,
    If,
    Count,
    Log,
    Return,
}

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i128),
    Float(f64),
}

/// Lanes of a wave begin a statement.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The thread of lane 0.
    pub first: u32,
    /// The function, by its index.
    pub function: usize,
    pub statement: Simple,
    pub active: Vec<u32>,
    /// The lanes that have called the function together; all of the wave in `main`.
    pub entered: Vec<u32>,
    /// `locals[local][lane][component]`, which means something in the lanes that have entered.
    pub locals: Vec<Vec<Vec<Value>>>,
}

/// The lines of a printed program, counting from 1, with such a statement and its function; `main` is the last one.
pub fn lines(text: &str, main: usize) -> BTreeMap<u32, (usize, Simple)> {
    let mut lines = BTreeMap::new();
    let mut function = None;
    for (number, line) in (1..).zip(text.lines()) {
        if !line.starts_with(' ') {
            function = of_head(line, main, function);
        }
        if let (Some(function), Some(statement)) = (function, of_line(line.trim_start())) {
            lines.insert(number, (function, statement));
        }
    }
    lines
}

/// The function that is open after a line at the margin.
fn of_head(line: &str, main: usize, open: Option<usize>) -> Option<usize> {
    if line.contains(" main(") {
        return Some(main);
    }
    let number = |text: &str| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    };
    if let Some(rest) = line.strip_prefix("struct F") {
        return number(rest);
    }
    let name = line.split_once('(').and_then(|it| it.0.rsplit(' ').next());
    match name {
        // A method is in its structure.
        Some("run") => open,
        Some(name) if line.ends_with('{') => name.strip_prefix('f').and_then(number),
        _ => None,
    }
}

fn of_line(line: &str) -> Option<Simple> {
    let assigned = line.strip_prefix('v').and_then(|it| it.split_once(" = "));
    match assigned {
        // The counter of a loop, and the end of an exchange.
        Some((_, "0;")) => return None,
        Some((_, value)) if value.starts_with("given[") => return None,
        Some((local, _)) if local.chars().all(|it| it.is_ascii_digit()) => {
            return Some(Simple::Assign);
        }
        _ => {}
    }
    match () {
        () if line.starts_with("if (") => Some(Simple::If),
        () if line.starts_with("Interlocked") => Some(Simple::Count),
        () if line.starts_with("return ") => Some(Simple::Return),
        () if line.split_once(" value = ").is_some_and(|it| !it.0.contains(' ')) => {
            Some(Simple::Log)
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_on_their_lines() {
        let text = "uint peer(uint flip) {\n    return flip;\n}\nuint f0(uint v0) {\n    uint v1 = (uint)0;\n    v1 = v0;\n    return v1;\n}\nstruct F1 {\nuint run(uint v0) {\n    if (v0) {\n    }\n}\n};\nstatic F1 f1;\nvoid main(uint index : SV_GroupIndex) {\n    v3 = 0;\n    v3 = ((uint)0);\n    v2 = given[(thread + 1) % 4];\n    {\n    uint value = v1;\n}\n";
        let found: Vec<_> = lines(text, 2).into_iter().collect();
        let wanted = [
            (6, (0, Simple::Assign)),
            (7, (0, Simple::Return)),
            (11, (1, Simple::If)),
            (18, (2, Simple::Assign)),
            (21, (2, Simple::Log)),
        ];
        assert_eq!(found, wanted);
    }
}
