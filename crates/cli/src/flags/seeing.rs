//! The flags of commands that show what lanes do.

use timeline::{Window, range};

use super::values::choose;
use super::{Flag, RECORDS, Section, Takes};
use crate::asked::Picture;
use crate::command::Command;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        names: &["-o"],
        takes: Takes::Value("FILE"),
        on: &[Command::Timeline],
        section: Section::Output,
        help: "the file to write; its ending chooses the form: .html (one page that needs no\n\
               network), .wlrec (the recording), .svg (the lanes over time) or .json (the\n\
               steps)",
        set: |args, value| {
            args.seeing.file = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--format"],
        takes: Takes::Value("FORMAT"),
        on: &[Command::Timeline],
        section: Section::Output,
        help: "html, wlrec, svg or json, where the name of the file does not say",
        set: |args, value| {
            args.seeing.picture = Some(choose(value, &Picture::ALL)?);
            Ok(())
        },
    },
    Flag {
        names: &["--limit"],
        takes: Takes::Value("BYTES"),
        on: &[Command::Timeline],
        section: Section::Output,
        help: "the most bytes of the file, also with KiB or MiB (16MiB; a .wlrec 256MiB).\n\
               Values are left out first, then steps; the page says what is missing",
        set: |args, value| {
            args.seeing.limit = Some(bytes(value)?);
            Ok(())
        },
    },
    Flag {
        names: &["--window"],
        takes: Takes::Value("'KEY=VALUE …'"),
        on: RECORDS,
        section: Section::Run,
        help: "the steps to show, or whose values are kept: group=0,0,0 wave=0..3\n\
               line=40..60 steps=0..5000, each of them optional, both ends included;\n\
               none keeps no values",
        set: |args, value| {
            args.seeing.window = Window::parse(value)?;
            Ok(())
        },
    },
    Flag {
        names: &["--with-engine"],
        takes: Takes::Value("ENGINE"),
        on: &[Command::Timeline],
        section: Section::Output,
        help: "run the dispatch on this engine, too (cpu, vulkan, vulkan:1, cuda,\n\
               interp:vulkan1.3), and show which values it leaves different, with the lanes\n\
               that wrote them",
        set: |args, value| {
            args.seeing.engine = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--lines"],
        takes: Takes::Value("LIST"),
        on: &[Command::Trace],
        section: Section::Output,
        help: "only statements that begin on these lines: 5..9,12",
        set: |args, value| {
            args.seeing.lines = ranges(value)?;
            Ok(())
        },
    },
    Flag {
        names: &["--lanes"],
        takes: Takes::Value("LIST"),
        on: &[Command::Trace],
        section: Section::Output,
        help: "only the values of these lanes: 0..7,31 (the first 16)",
        set: |args, value| {
            args.seeing.lanes = ranges(value)?;
            Ok(())
        },
    },
    Flag {
        names: &["--timeline"],
        takes: Takes::Value("DIR"),
        on: &[Command::San, Command::Test],
        section: Section::Output,
        help: "write a page for each finding or failed test to this folder, which shows\n\
               every lane at the width of the finding or failure",
        set: |args, value| {
            args.seeing.folder = Some(value.to_owned());
            Ok(())
        },
    },
    Flag {
        names: &["--debug"],
        takes: Takes::Nothing,
        on: &[Command::Run],
        section: Section::Output,
        help: "print the configuration with which an editor debugs this run, and run nothing\n\
               (see `wavelane dap`)",
        set: |args, _| {
            args.seeing.prints_configuration = true;
            Ok(())
        },
    },
    Flag {
        names: &["--port"],
        takes: Takes::Value("N"),
        on: &[Command::Dap],
        section: Section::Output,
        help: "speak with one client on this port of 127.0.0.1 instead of standard input\n\
               and output; 0 chooses a free one",
        set: |args, value| {
            let port = value.parse().map_err(|_| "it must be from 0 to 65535".to_owned())?;
            args.seeing.port = Some(port);
            Ok(())
        },
    },
];

fn ranges(text: &str) -> Result<Vec<std::ops::Range<u64>>, String> {
    text.split(',').map(range).collect()
}

fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 2] = [("KiB", 1 << 10), ("MiB", 1 << 20)];
    let found = UNITS.iter().find_map(|it| Some((text.strip_suffix(it.0)?, it.1)));
    let (number, unit) = found.unwrap_or((text, 1));
    let number: u64 = number
        .trim()
        .parse()
        .map_err(|_| "the form is a number of bytes, KiB or MiB".to_owned())?;
    match number.checked_mul(unit) {
        None | Some(0) => Err("it must be more than 0 and fit 64 bits".to_owned()),
        Some(bytes) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("12"), Ok(12));
        assert_eq!(bytes("64KiB"), Ok(64 << 10));
        assert_eq!(bytes("2 MiB"), Ok(2 << 20));
        for text in ["", "0", "x", "1GB", "-1", "18446744073709551615MiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
