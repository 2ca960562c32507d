//! What programs print: the messages of a module, and the log that an engine writes to as it runs.
//!
//! Every engine gives the same lines in the same order, the *canonical* one: by group, then by wave, then in the order
//! in which the wave printed, then by lane. It does not depend on which wave or which thread of the host ran first, so
//! that engines need not agree on that.
//! A log keeps the first lines of that order, up to its limit, and counts the others: its size is bounded, however long
//! a program prints.
//!
//! Deliberately absent: files and terminals. An engine records the bits; text is made of them when the log is read.

mod format;
mod show;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use diag::Span;
use ops::{LaneMask, Ty};

pub use format::{
    Conversion, FormatError, FormatString, MOST_BYTES, MOST_SCALARS, Piece, Style, quoted,
};

/// What an [`Op::Print`](crate::Op::Print) says: an entry of [`Module::messages`](crate::Module::messages).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MessageData {
    pub kind: MessageKind,
    /// See [`FormatString`].
    pub format: String,
    /// The types of the scalars that it prints, in order.
    pub types: Vec<Ty>,
}

/// Why a message is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// `printf`.
    Print,
    /// A condition that the program asserts is false.
    Failure,
    /// `DebugBreak`.
    Break,
}

impl MessageData {
    /// The format, if it suits the types.
    pub fn parsed(&self) -> Result<FormatString, String> {
        let format = FormatString::parse(&self.format).map_err(|it| it.message)?;
        let each: Vec<&Conversion> =
            format.conversions().flat_map(|it| (0..it.components).map(move |_| it)).collect();
        let wanted = each.len();
        if wanted != self.types.len() {
            return Err(format!("the format prints {wanted} scalars, not {}", self.types.len()));
        }
        match each.iter().zip(&self.types).find(|(conversion, ty)| !conversion.takes(**ty)) {
            Some((conversion, ty)) => {
                let spelling = &self.format[conversion.at.clone()];
                Err(format!("`{spelling}` does not print {}", ty.name()))
            }
            None => Ok(format),
        }
    }
}

/// What a launch prints, written by the engine that runs it.
#[derive(Debug)]
pub struct PrintLog {
    limit: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// How many times a wave has printed: later numbers are later in each wave.
    clock: u64,
    lines: Records,
    failures: Records,
}

/// The first records in canonical order, and the number of all.
#[derive(Debug, Default)]
struct Records {
    first: BTreeMap<Key, Record>,
    all: u64,
}

/// The canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// z, y and x.
    group: [u32; 3],
    wave: u32,
    clock: u64,
    lane: u32,
}

#[derive(Debug)]
struct Record {
    message: crate::Message,
    span: Span,
    values: Box<[u64]>,
}

/// An execution of [`Op::Print`](crate::Op::Print) by the lanes of a wave.
#[derive(Clone, Copy, Debug)]
pub struct PrintEvent {
    pub kind: MessageKind,
    pub message: crate::Message,
    pub span: Span,
    pub group: [u32; 3],
    /// The index of the wave in its group.
    pub wave: u32,
    pub lanes: LaneMask,
    /// The number of scalars.
    pub scalars: usize,
}

/// The contents of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// What `printf` and `DebugBreak` have printed, in canonical order.
    pub lines: Vec<PrintedLine>,
    /// How many more lines there were than the log keeps.
    pub more: u64,
    /// The assertions that failed, with a line for each lane.
    pub failures: Vec<PrintedLine>,
    pub more_failures: u64,
}

/// A line that one lane printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLine {
    pub group: [u32; 3],
    pub wave: u32,
    pub lane: u32,
    /// The statement.
    pub span: Span,
    /// Without the line break at its end.
    pub text: String,
}

impl PrintLog {
    /// A log that keeps this many lines, and as many failures.
    pub fn new(limit: usize) -> PrintLog {
        PrintLog { limit, kept: Mutex::default() }
    }

    /// Another log, empty, with the same limit.
    pub fn fresh(&self) -> PrintLog {
        PrintLog::new(self.limit)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records what lanes print; `value` gives the bits of a scalar in a lane.
    pub fn record(&self, event: &PrintEvent, value: &dyn Fn(usize, u32) -> u64) {
        let mut kept = self.kept();
        kept.clock += 1;
        let clock = kept.clock;
        let records = match event.kind {
            MessageKind::Print | MessageKind::Break => &mut kept.lines,
            MessageKind::Failure => &mut kept.failures,
        };
        let [x, y, z] = event.group;
        for lane in event.lanes.iter() {
            let key = Key { group: [z, y, x], wave: event.wave, clock, lane };
            records.keep(self.limit, key, || Record {
                message: event.message,
                span: event.span,
                values: (0..event.scalars).map(|it| value(it, lane)).collect(),
            });
        }
    }

    /// Takes over what another log of the same limit holds, as if it had been recorded now.
    pub fn absorb(&self, other: PrintLog) {
        let other = other.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.kept();
        let start = kept.clock;
        kept.clock += other.clock;
        let Kept { lines, failures, .. } = &mut *kept;
        for (to, from) in [(lines, other.lines), (failures, other.failures)] {
            to.all += from.all - from.first.len() as u64;
            for (key, record) in from.first {
                to.keep(self.limit, Key { clock: start + key.clock, ..key }, || record);
            }
        }
    }

    /// The lines so far, of a module that has these messages.
    pub fn read(&self, messages: &[MessageData]) -> Printed {
        let formats: Vec<Option<FormatString>> =
            messages.iter().map(|it| FormatString::parse(&it.format).ok()).collect();
        let kept = self.kept();
        let lines = |records: &Records| -> Vec<PrintedLine> {
            let line = |(key, record): (&Key, &Record)| {
                let index = record.message.index();
                let format = formats.get(index)?.as_ref()?;
                let mut text = format.text(&messages[index].types, &record.values);
                if text.ends_with('\n') {
                    text.pop();
                }
                let [z, y, x] = key.group;
                let Key { wave, lane, .. } = *key;
                Some(PrintedLine { group: [x, y, z], wave, lane, span: record.span, text })
            };
            records.first.iter().filter_map(line).collect()
        };
        Printed {
            lines: lines(&kept.lines),
            more: kept.lines.all - kept.lines.first.len() as u64,
            failures: lines(&kept.failures),
            more_failures: kept.failures.all - kept.failures.first.len() as u64,
        }
    }
}

impl Records {
    fn keep(&mut self, limit: usize, key: Key, record: impl FnOnce() -> Record) {
        self.all += 1;
        if self.first.len() >= limit {
            match self.first.last_key_value() {
                Some((last, _)) if key < *last => drop(self.first.pop_last()),
                _ => return,
            }
        }
        self.first.insert(key, record());
    }
}

impl Printed {
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.more == 0 && !self.has_failures()
    }

    /// Whether an assertion failed.
    pub fn has_failures(&self) -> bool {
        !self.failures.is_empty() || self.more_failures > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;

    fn message(kind: MessageKind) -> MessageData {
        MessageData { kind, format: "%u\n".to_owned(), types: vec![Ty::I32] }
    }

    fn event(kind: MessageKind, group: u32, wave: u32, lanes: u128) -> PrintEvent {
        let message = Message(u32::from(kind == MessageKind::Failure));
        let (group, lanes) = ([group, 0, 0], LaneMask(lanes));
        PrintEvent { kind, message, span: Span::NONE, group, wave, lanes, scalars: 1 }
    }

    fn shown(log: &PrintLog) -> (Vec<String>, u64, usize) {
        let printed = log.read(&[message(MessageKind::Print), message(MessageKind::Failure)]);
        let line =
            |it: &PrintedLine| format!("{} {} {} {}", it.group[0], it.wave, it.lane, it.text);
        (printed.lines.iter().map(line).collect(), printed.more, printed.failures.len())
    }

    #[test]
    fn the_first_lines_are_kept_regardless_of_what_ran_first() {
        use MessageKind::*;
        let log = PrintLog::new(4);
        log.record(&event(Print, 1, 0, 0b11), &|_, lane| lane.into());
        log.record(&event(Print, 0, 1, 0b10), &|_, _| 7);
        log.record(&event(Failure, 0, 1, 0b10), &|_, _| 7);
        log.record(&event(Print, 0, 0, 0b101), &|_, lane| 10 + u64::from(lane));
        log.record(&event(Print, 0, 1, 0b01), &|_, _| 8);
        let lines = ["0 0 0 10", "0 0 2 12", "0 1 1 7", "0 1 0 8"].map(String::from).to_vec();
        assert_eq!(shown(&log), (lines, 2, 1));
    }

    #[test]
    fn a_log_takes_over_another() {
        let (log, other) = (PrintLog::new(3), PrintLog::new(3));
        log.record(&event(MessageKind::Print, 0, 0, 1), &|_, _| 1);
        other.record(&event(MessageKind::Print, 0, 0, 1), &|_, _| 2);
        other.record(&event(MessageKind::Print, 0, 0, 0b111), &|_, _| 3);
        log.absorb(other);
        let lines = ["0 0 0 1", "0 0 0 2", "0 0 0 3"].map(String::from).to_vec();
        assert_eq!(shown(&log), (lines, 2, 0));
        assert_eq!(shown(&PrintLog::new(0)), (Vec::new(), 0, 0));
    }

    #[test]
    fn messages_that_do_not_suit_their_types_are_refused() {
        let with = |format: &str, types: &[Ty]| {
            let types = types.to_vec();
            MessageData { kind: MessageKind::Print, format: format.to_owned(), types }.parsed()
        };
        assert!(with("%v2f", &[Ty::F32; 2]).is_ok());
        assert_eq!(with("%d", &[]).unwrap_err(), "the format prints 1 scalars, not 0");
        assert_eq!(with("%d", &[Ty::F32]).unwrap_err(), "`%d` does not print f32");
        assert_eq!(with("%ld", &[Ty::I32]).unwrap_err(), "`%ld` does not print i32");
    }
}
