//! The flags of commands that show lanes.

use std::ops::Range;

use timeline::Window;

/// The forms of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Picture {
    Html,
    Wlrec,
    Svg,
    Json,
}

impl Picture {
    pub(crate) const ALL: [(&'static str, Picture); 4] = [
        ("html", Picture::Html),
        ("wlrec", Picture::Wlrec),
        ("svg", Picture::Svg),
        ("json", Picture::Json),
    ];

    /// The form that the extension of a file name selects.
    pub(crate) fn of_name(name: &str) -> Option<Picture> {
        let (_, ending) = name.rsplit_once('.')?;
        Picture::ALL.iter().find(|it| it.0 == ending).map(|it| it.1)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Seeing {
    /// `--format` of `timeline`.
    pub(crate) picture: Option<Picture>,
    /// The file that is written.
    pub(crate) file: Option<String>,
    /// The most bytes of it.
    pub(crate) limit: Option<u64>,
    /// The steps of which values are kept, or that are shown.
    pub(crate) window: Window,
    /// The engine whose results `timeline` compares.
    pub(crate) engine: Option<String>,
    /// The lines that `trace` shows; all, if there are none.
    pub(crate) lines: Vec<Range<u64>>,
    /// The lanes whose values it shows.
    pub(crate) lanes: Vec<Range<u64>>,
    /// The folder in which `san` writes a page for each finding, and `test` for each failure.
    pub(crate) folder: Option<String>,
    /// `--debug` of `run`.
    pub(crate) prints_configuration: bool,
    /// The port on which `dap` listens.
    pub(crate) port: Option<u16>,
}
