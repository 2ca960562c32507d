//! The ledger that a campaign appends to. It is locked, so that no other campaign writes between its lines.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use campaign::{NO_UNITS, Record};

use crate::problem::Problem;
use crate::records;

/// A process that is killed loses at most the records of this time.
const EVERY: Duration = Duration::from_millis(250);

/// A ledger that is open for this process alone.
pub(super) struct Writer {
    name: String,
    file: File,
    is_empty: bool,
    synced: Instant,
}

impl Writer {
    /// Opens a ledger, and reads its records. An incomplete line at its end is cut off: it would spoil the next one,
    /// too.
    pub(super) fn open(name: &str) -> Result<(Writer, Vec<Record>), Problem> {
        let cannot = |error| Problem::input(format!("`{name}` cannot be written: {error}"));
        let mut options = File::options();
        // Where the file system has no locks, lines are at least appended whole.
        // Portability: other systems do not cut a file that is only appended to.
        options.create(true).truncate(false).read(true).write(true).append(cfg!(unix));
        let mut file = options.open(name).map_err(cannot)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let problem = Problem::input(format!("`{name}` is in use by another campaign"));
            return Err(problem.help(
                "wait for it, or give each campaign a separate ledger (`--ledger FILE`) and join them with \
                 `wavelane merge`",
            ));
        }
        let (known, whole) = read(name, &mut file)?;
        file.set_len(whole as u64).map_err(cannot)?;
        file.seek(SeekFrom::End(0)).map_err(cannot)?;
        let (is_empty, synced) = (whole == 0, Instant::now());
        Ok((Writer { name: name.to_owned(), file, is_empty, synced }, known))
    }

    /// Appends records. Returns whether they were written to the disk, which happens at intervals.
    pub(super) fn write(&mut self, records: &[Record]) -> Result<bool, Problem> {
        let text: String = records.iter().map(|it| format!("{}\n", it.to_json())).collect();
        // In one piece, so that a kill cuts off at most the last line.
        self.file.write_all(text.as_bytes()).map_err(|it| self.cannot(&it))?;
        self.is_empty &= text.is_empty();
        let is_due = self.synced.elapsed() > EVERY;
        if is_due {
            self.file.sync_data().map_err(|it| self.cannot(&it))?;
            self.synced = Instant::now();
        }
        Ok(is_due)
    }

    /// Writes everything to the disk, and returns all records that the ledger holds.
    pub(super) fn finish(mut self) -> Result<Vec<Record>, Problem> {
        if self.is_empty {
            writeln!(self.file, "{NO_UNITS}").map_err(|it| self.cannot(&it))?;
        }
        self.file.sync_all().map_err(|it| self.cannot(&it))?;
        Ok(read(&self.name, &mut self.file)?.0)
    }

    fn cannot(&self, error: &std::io::Error) -> Problem {
        Problem::input(format!("`{}` cannot be written: {error}", self.name))
    }
}

/// The records of an open ledger, and how many of its bytes are whole lines. It is read by its own handle: on some
/// systems the lock keeps out all others.
fn read(name: &str, file: &mut File) -> Result<(Vec<Record>, usize), Problem> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(|error| Problem::input(format!("`{name}` cannot be read: {error}")))?;
    let whole = bytes.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    Ok((records::read(name, &String::from_utf8_lossy(&bytes[..whole]))?, whole))
}
