//! The pictures that a test's lines draw and compare, in memory: a run writes no files.

use std::collections::BTreeMap;

use wavelane::texture::Format;

use super::steps::{Ready, What};
use super::{End, Runner, failed, unsupported};
use crate::Error;
use crate::bind::texel_format;
use crate::imgdiff::{self, Check};
use crate::job::{self, Job};
use crate::outcome::Outcome;
use crate::picture::Picture;
use crate::script::{Comparison, Drawn, Step};
use crate::test::Script;

/// The folder of golden images in a `RUN:` line.
const GOLDEN: &str = "%goldenimage_dir/";

/// A comparison whose files have been read.
pub(super) struct Compared {
    pictures: [Source; 2],
    /// The default rule applies if there are none.
    checks: Option<Vec<Check>>,
    is_exact: bool,
    /// The location of the comparison in the file.
    line: u32,
    file: String,
}

enum Source {
    /// An earlier line draws it.
    Drawn(String),
    File {
        picture: Picture,
        is_golden: bool,
    },
}

impl Runner<'_> {
    /// The buffer of a picture; only textures and targets have a width.
    pub(super) fn picture(
        &self,
        drawn: Option<&Drawn>,
        job: &Job,
        step: &Step,
    ) -> Result<Option<(usize, String)>, End> {
        let Some(drawn) = drawn else { return Ok(None) };
        let wrong = |what: String| {
            let error = Error::new(step.line.at.clone(), what);
            let names = job.buffers.iter().map(|it| it.name.as_str());
            let help = crate::error::did_you_mean(&drawn.buffer, names);
            let error = if let Some(help) = help { error.help(help) } else { error };
            self.wrong(&[error], self.text)
        };
        let index = job.buffers.iter().position(|it| it.name == drawn.buffer);
        let Some(index) = index else {
            return Err(wrong(format!("there is no buffer `{}`", drawn.buffer)));
        };
        if job.buffers[index].texture.is_none() {
            return Err(wrong(format!("`{}` has no `OutputProps`", drawn.buffer)));
        }
        Ok(Some((index, drawn.file.clone())))
    }

    /// Reads the files of a comparison. `before` are the lines before it.
    pub(super) fn comparison(
        &mut self,
        comparison: &Comparison,
        script: &Script,
        step: &Step,
        before: &[Ready],
    ) -> Result<Compared, End> {
        let is_drawn = |word: &String| {
            let names = before.iter().filter_map(|it| match &it.what {
                What::Run(prepared) => prepared.picture.as_ref().map(|it| &it.1),
                _ => None,
            });
            names.clone().any(|it| it == word)
        };
        let checks = match &comparison.rules {
            Some(path) => {
                let (text, name, offset) = self.text_of(path, script, step)?;
                let rules = job::read_rules(&text).map_err(|mut errors| {
                    for error in &mut errors {
                        error.at = error.at.start + offset..error.at.end + offset;
                    }
                    match offset {
                        0 => self.wrong_in(&errors, &name, &text),
                        _ => self.wrong(&errors, self.text),
                    }
                });
                Some(rules?)
            }
            None => None,
        };
        let [a, b] = &comparison.pictures;
        let mut source = |word: &String| match is_drawn(word) {
            true => Ok(Source::Drawn(word.clone())),
            false => self.picture_file(word, step),
        };
        let pictures = [source(a)?, source(b)?];
        let line = self.text[..step.line.at.start.min(self.text.len())].matches('\n').count();
        Ok(Compared {
            pictures,
            checks,
            is_exact: comparison.is_exact,
            line: line as u32 + 1,
            file: self.test.file.clone(),
        })
    }

    fn picture_file(&mut self, word: &str, step: &Step) -> Result<Source, End> {
        let wrong = |what: String| Error::new(step.line.at.clone(), what);
        let (path, is_golden) = match word.strip_prefix(GOLDEN) {
            Some(rest) => match self.setup.golden {
                Some(folder) => (format!("{folder}/{rest}"), true),
                None => {
                    let what = "it compares with a golden image; name their folder with `--golden`";
                    return Err(unsupported(what));
                }
            },
            None => {
                if word.starts_with("%t") {
                    let error = wrong(format!("no line before this one draws `{word}`"));
                    return Err(self.wrong(&[error.help("-r NAME -o FILE.png")], self.text));
                }
                (word.trim_start_matches("%S/").to_owned(), false)
            }
        };
        let Some(bytes) = self.files.bytes(&path, &self.test.file) else {
            return match is_golden {
                true => Err(unsupported(format!("there is no golden image `{word}`"))),
                false => Err(self.wrong(&[wrong(format!("`{word}` cannot be read"))], self.text)),
            };
        };
        match Picture::read(&bytes) {
            Ok(picture) => Ok(Source::File { picture, is_golden }),
            Err(what) => Err(self.wrong(&[wrong(format!("`{word}`: {what}"))], self.text)),
        }
    }
}

impl Compared {
    /// The result of our own measure, and how the comparison fails.
    pub(super) fn judge(
        &self,
        drawn: &BTreeMap<String, Picture>,
    ) -> Result<(Option<String>, Option<End>), End> {
        let mut found = Vec::new();
        for source in &self.pictures {
            found.push(match source {
                Source::File { picture, .. } => picture,
                Source::Drawn(name) => drawn.get(name).ok_or_else(|| {
                    failed(format!("`{name}` was not drawn, because its run failed"))
                })?,
            });
        }
        let (a, b) = (found[0], found[1]);
        let problem = match self.is_exact {
            true => match imgdiff::is_same(a, b) {
                Ok(true) => None,
                Ok(false) => Some("the pictures differ".to_owned()),
                Err(what) => Some(what),
            },
            false => {
                let distances = imgdiff::distances(a, b);
                distances.and_then(|it| it.judge(self.checks.as_deref())).err()
            }
        };
        let failure = problem.map(|what| {
            let mut outcome: Outcome = *failed("the picture is not as expected");
            outcome.findings.push(crate::Finding {
                message: what,
                file: self.file.clone(),
                line: self.line,
                rows: Vec::new(),
                more: 0,
            });
            Box::new(outcome)
        });
        let is_golden = |it: &Source| matches!(it, Source::File { is_golden: true, .. });
        let told = (self.pictures.iter().any(is_golden) && a.has_size_of(b))
            .then(|| imgdiff::strict(a, b).told());
        Ok((told, failure))
    }
}

/// A buffer as a picture: its largest level, or its first slice.
pub(super) fn of_buffer(job: &Job, index: usize) -> Result<Picture, String> {
    let buffer = &job.buffers[index];
    let Some(size) = buffer.texture else {
        return Err(format!("`{}` has no `OutputProps`", buffer.name));
    };
    let format: Format = buffer.target.map_or_else(|| texel_format(buffer), Ok)?;
    let bytes = buffer.data.first().map_or(&[][..], Vec::as_slice);
    let picture = Picture::of(format, size.width, size.height, bytes);
    picture.map_err(|what| format!("`{}`: {what}", buffer.name))
}
