//! Compiles the texts of a test, with includes that may be parts of the test.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use wavelane::internal::diag;
use wavelane::{Compilation, ComputePipeline, Includer, Level, NotFound, Shader, SourceMap};

use super::{End, Flags, Runner, failed, unsupported};
use crate::Error;
use crate::bind::aliases;
use crate::file::Remembering;
use crate::job::Job;
use crate::outcome::{Outcome, Verdict};
use crate::repro::Source;
use crate::script::Step;
use crate::unit::{HEADER, HEADER_NAME};

impl Runner<'_> {
    pub(super) fn flags(&self, words: &[String]) -> Result<Flags, End> {
        if words.is_empty() {
            return Ok(self.setup.flags.clone());
        }
        // lit's names for the folder of the test.
        let folder = match self.test.file.rfind(['/', '\\']) {
            Some(at) => &self.test.file[..at],
            None => ".",
        };
        let words: Vec<String> =
            words.iter().map(|it| it.replace("%S", folder).replace("%p", folder)).collect();
        (self.setup.read_flags)(&words).map_err(failed)
    }

    /// The message with the location of the flag in the line, if it names one.
    pub(super) fn wrong_flags(&self, end: Outcome, step: &Step) -> End {
        let line = step.line.at.clone();
        let flag = end.message.split('`').nth(1).unwrap_or("");
        let at = self.text.get(line.clone()).and_then(|text| text.find(flag));
        let at = match at.filter(|_| !flag.is_empty()) {
            Some(at) => line.start + at..line.start + at + flag.len(),
            None => line,
        };
        self.wrong(&[Error::new(at, end.message)], self.text)
    }

    pub(super) fn compilation(
        &mut self,
        name: &str,
        text: &str,
        flags: &Flags,
    ) -> Result<Compilation, End> {
        let mut includer = self.includer(flags);
        self.file.count_front_end();
        let mut options = flags.options.clone();
        options.cancel = self.setup.cancel.clone().map(Into::into).unwrap_or_default();
        let compiled = Shader::compile(name, text, &options, &mut includer);
        self.included.append(&mut includer.read);
        match compiled {
            Ok(Compilation { stopped: Some(_), .. }) => Err(failed("the run was cancelled")),
            Ok(compilation) => Ok(compilation),
            Err(bug) => Err(failed(format!("{bug}"))),
        }
    }

    /// The last compilation, for callers that write it to a file.
    pub(super) fn source(&self, name: &str, text: String, flags: Flags) -> Source {
        Source { name: name.to_owned(), text, flags, included: self.included.clone() }
    }

    pub(super) fn includer(&mut self, flags: &Flags) -> WithParts {
        WithParts {
            parts: self.file.parts(),
            test: self.test.file.clone(),
            others: self.files.includer(&flags.includes),
            names_folders: !self.file.has_sections(),
            read: BTreeMap::new(),
        }
    }

    pub(super) fn compile(&mut self, name: &str, text: &str, words: &[String]) -> Result<(), End> {
        let flags = self.flags(words)?;
        self.compile_with(name, text, &flags).map(|_| ())
    }

    pub(super) fn compile_with(
        &mut self,
        name: &str,
        text: &str,
        flags: &Flags,
    ) -> Result<(Shader, SourceMap), End> {
        let Compilation { shader, diagnostics, sources, .. } =
            self.compilation(name, text, flags)?;
        let shader = shader.ok_or_else(|| does_not_compile(&diagnostics, &sources))?;
        Ok((shader, sources))
    }

    /// A compilation that must fail; returns its output.
    pub(super) fn compile_to_fail(
        &mut self,
        name: &str,
        text: &str,
        words: &[String],
    ) -> Result<String, End> {
        let flags = self.flags(words)?;
        let compilation = self.compilation(name, text, &flags)?;
        let errors = compilation.diagnostics.iter().filter(|it| it.level == Level::Error).count();
        if errors == 0 {
            return Err(failed("it compiles, but should not"));
        }
        Ok(diag::render_all(&compilation.diagnostics, &compilation.sources, diag::Style::Plain))
    }

    pub(super) fn compiled(
        &mut self,
        name: &str,
        text: &str,
        flags: &Flags,
        job: &Job,
    ) -> Result<(Shader, ComputePipeline, SourceMap), End> {
        let (shader, sources) = self.compile_with(name, text, flags)?;
        let shader = aliases::aliased(job, shader, self.setup.features.contains("Vulkan"));
        let pipeline = self
            .setup
            .device
            .create_compute_pipeline(&shader)
            .map_err(|error| unsupported(error.to_string()))?;
        Ok((shader, pipeline, sources))
    }
}

/// The end of a test whose shader has errors.
pub(super) fn does_not_compile(diagnostics: &[diag::Diagnostic], sources: &SourceMap) -> End {
    let is_wrong = |it: &&diag::Diagnostic| it.level >= Level::Error;
    let wrong: Vec<diag::Diagnostic> = diagnostics.iter().filter(is_wrong).cloned().collect();
    let report = diag::render_all(&wrong, sources, diag::Style::Plain);
    let verdict = match wrong.iter().any(|it| it.level == Level::Error) {
        true => Verdict::Failed,
        false => Verdict::Unsupported,
    };
    Box::new(Outcome::new(0, verdict, format!("it does not compile\n{report}")))
}

/// Includes are looked up in parts of the test, then in files, and our own header comes last.
pub(super) struct WithParts {
    parts: Rc<BTreeMap<String, Arc<str>>>,
    test: String,
    others: Box<dyn Includer>,
    /// Whether a missing include names the searched folders. The messages that a section expects must not depend on
    /// them.
    names_folders: bool,
    /// The included files, by the words in the source.
    pub(super) read: BTreeMap<String, String>,
}

impl Includer for WithParts {
    fn read(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let found = self.find(path, includer, system)?;
        self.read.insert(path.trim_start_matches("./").to_owned(), found.1.to_string());
        Some(found)
    }

    fn not_found(&mut self, path: &str, includer: &str, system: bool) -> NotFound {
        match self.names_folders {
            true => self.others.not_found(path, includer, system),
            false => NotFound::default(),
        }
    }
}

impl Remembering for WithParts {
    fn found(&mut self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.read)
    }
}

impl WithParts {
    fn find(&mut self, path: &str, includer: &str, system: bool) -> Option<(String, Arc<str>)> {
        let name = path.trim_start_matches("./");
        if let Some(text) = self.parts.get(name) {
            return Some((format!("{}/{name}", self.test), text.clone()));
        }
        let found = self.others.read(path, includer, system);
        let ours = || (name == HEADER_NAME).then(|| (HEADER_NAME.to_owned(), HEADER.into()));
        found.or_else(ours)
    }
}
