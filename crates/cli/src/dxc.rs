//! `wavelane dxc`: takes the command lines that build scripts give to dxc, and checks the shader as `check` does.
//!
//! A build relies on the files that it requested. So each output is either written or refused with status 3, and
//! success means that all were written, except with `--check-only`. SPIR-V is written with `-spirv`; DXIL outputs are
//! refused.

mod depend;
mod header;

use wavelane::internal::{PROFILES, diag, preprocess, spirv_target};
use wavelane::{Adapter, Level, Shader, SourceMap, Stage};

use crate::asked::{Build, Compiling, LowArgs, RefusedKind, SpirvFlags};
use crate::compile::{self, Compiled};
use crate::files::{STDIN, read_source};
use crate::problem::{self, End, Exit, Problem};
use crate::spirv::{spirv_of, write, write_module};
use crate::value::counted;
use crate::{checked, terminal};

/// What `dxc` needs.
pub(crate) struct DxcArgs {
    files: Vec<String>,
    /// The only file, or the reason why there is not exactly one, if an output is requested.
    file: Result<String, Problem>,
    compile: Compiling,
    flags: SpirvFlags,
    build: Build,
    adapter: Adapter,
}

impl DxcArgs {
    pub(crate) fn new(low: LowArgs) -> Result<DxcArgs, Problem> {
        let (files, file) = (low.some_operands()?, low.operand());
        let LowArgs { compile, spirv: flags, build, device, .. } = low;
        Ok(DxcArgs { files, file, compile, flags, build, adapter: device.adapter })
    }
}

pub(crate) fn dxc(args: DxcArgs) -> Result<Exit, End> {
    let DxcArgs { files, file, compile, flags, build, adapter } = args;
    let wants_spirv = compile.options.spirv && !build.check_only;
    let mut build = if build.check_only { Build::default() } else { build };
    build.refused.retain(|it| it.matters(wants_spirv, compile.options.stage));
    let asks = Asks { compile: &compile, flags: &flags, build: &build };
    if let Some(refused) = build.refused.iter().find(|it| it.kind == RefusedKind::ReadsBinaries) {
        return Err(refused.problem().into());
    }
    if build.preprocess {
        return asks.preprocess(&file.map_err(preprocess_one)?);
    }
    if build.show_dependencies {
        return asks.show_dependencies(&file?);
    }
    if files.len() > 1 && build != Build::default() {
        // The outputs are those of one file.
        return Err(file.err().unwrap_or_else(|| Problem::input("one file at a time")).into());
    }
    let mut worst = Exit::Fine;
    for file in &files {
        let compiled = compile::compile(file, &compile, Shader::check)?;
        asks.tell(&compiled)?;
        let problem = compiled.problem().or_else(|| checked::lacking(&compiled, &adapter));
        let problem = match problem {
            None => asks.outputs(file, &compiled, wants_spirv)?,
            problem => problem,
        };
        if let Some(problem) = problem {
            // Errors take precedence over unsupported features.
            worst = if worst == Exit::BadInput { worst } else { problem.exit };
            problem::report(&problem);
        }
    }
    Ok(worst)
}

/// Older versions of dxc took the name of the output after `-P`.
fn preprocess_one(problem: Problem) -> Problem {
    problem.help("`-P -Fi FILE` says where to write what is preprocessed")
}

/// The requested outputs.
#[derive(Clone, Copy)]
struct Asks<'a> {
    compile: &'a Compiling,
    flags: &'a SpirvFlags,
    build: &'a Build,
}

impl Asks<'_> {
    /// The outputs that need a compilation, by their flags.
    fn of_compilation(&self) -> Vec<String> {
        let Build { object, listing, header, refused, .. } = self.build;
        let named = [("-Fo", object), ("-Fc", listing), ("-Fh", header)];
        let named = named.into_iter().filter_map(|(flag, file)| Some((flag, file.as_ref()?)));
        let named = named.map(|(flag, file)| format!("{flag} {file}"));
        named.chain(refused.iter().map(|it| it.flag.clone())).collect()
    }

    /// The messages of a compilation, and a count of warnings, which is easily overlooked.
    fn tell(&self, compiled: &Compiled) -> Result<(), Problem> {
        let text = compiled.rendered(self.compile);
        self.show(&text)?;
        let warnings = compiled.count(Level::Warning);
        if warnings > 0 && compiled.problem().is_none() {
            let count = counted(warnings, "warning");
            terminal::note(&format!("`{}` compiles, with {count}", compiled.name));
        }
        Ok(())
    }

    /// Shows messages, or writes them to the file of `-Fe`.
    fn show(&self, text: &str) -> Result<(), Problem> {
        match &self.build.messages {
            Some(path) => write(path, text.as_bytes()),
            None => {
                terminal::say(text);
                Ok(())
            }
        }
    }

    /// Writes the requested outputs, or reports which cannot be written.
    fn outputs(
        &self,
        file: &str,
        compiled: &Compiled,
        wants_spirv: bool,
    ) -> Result<Option<Problem>, End> {
        self.includes(file, &compiled.sources)?;
        self.dependencies(file, &compiled.sources)?;
        if let Some(path) = &self.build.preprocessed {
            write(path, self.preprocessed(file)?.0.as_bytes())?;
        }
        if let Some(refused) = self.build.refused.first() {
            return Ok(Some(refused.problem().help(CHECK_ONLY)));
        }
        if wants_spirv {
            return match self.more_than_one(compiled)? {
                None => self.spirv(compiled),
                problem => Ok(problem),
            };
        }
        let asked = self.of_compilation();
        Ok(asked.first().map(|flag| {
            let what = format!("`{flag}` cannot be written: wavelane does not emit DXIL");
            let problem = Problem::new(Exit::Unsupported, what);
            problem.help("`-spirv` writes a SPIR-V module").help(CHECK_ONLY)
        }))
    }

    /// Why a library cannot be written: a module has one entry point, where dxc writes all of them into one.
    fn more_than_one(&self, compiled: &Compiled) -> Result<Option<Problem>, Problem> {
        if self.compile.options.stage != Stage::Library {
            return Ok(None);
        }
        let all = compiled.declared(self.compile)?;
        let [_, second, ..] = all.as_slice() else { return Ok(None) };
        let names: Vec<String> = all.iter().map(|it| format!("`{}`", it.name)).collect();
        let what = format!(
            "a module has one entry point, and this library has {}: {}",
            all.len(),
            names.join(", ")
        );
        let problem = Problem::new(Exit::Unsupported, what);
        let problem = problem.at(second.span, "would be missing", &compiled.sources);
        let model = self.compile.options.shader_model.to_string().replace('.', "_");
        let of_one = all.iter().find_map(|it| {
            let (profile, _) = PROFILES.iter().find(|(_, stage)| Some(*stage) == it.stage)?;
            Some(format!("`-T {profile}_{model} -E {}` writes a module of one", it.name))
        });
        Ok(Some(of_one.into_iter().fold(problem, Problem::help).help(CHECK_ONLY)))
    }

    fn spirv(&self, compiled: &Compiled) -> Result<Option<Problem>, End> {
        let Some(shader) = &compiled.shader else {
            let what =
                "there is nothing to write as SPIR-V: wavelane only checks shaders of this stage";
            let help = "`-E NAME -T cs_6_6` chooses a compute shader of a file";
            return Ok(Some(Problem::new(Exit::Unsupported, what).help(help).help(CHECK_ONLY)));
        };
        let emitted = match spirv_of(self.flags, shader, &compiled.sources) {
            Ok(emitted) => emitted,
            Err(problem) => return Ok(Some(problem)),
        };
        let Build { object, listing, header, variable, .. } = self.build;
        if let Some(path) = object {
            write_module(path, &emitted)?;
        }
        if let Some(path) = listing {
            write(path, spirv_target::listing(&emitted.words).as_bytes())?;
        }
        if let Some(path) = header {
            let variable = variable.clone().unwrap_or_else(|| format!("g_{}", shader.entry()));
            write(path, header::of(&variable, &emitted.words).as_bytes())?;
        }
        if object.is_none() && listing.is_none() && header.is_none() {
            terminal::print(&spirv_target::listing(&emitted.words))?;
        }
        Ok(None)
    }

    /// `-P`: the text goes to a file, and to standard output if it came from standard input.
    fn preprocess(&self, file: &str) -> Result<Exit, End> {
        if let Some(flag) = self.of_compilation().first() {
            let what = format!("`{flag}` is not written together with `-P`");
            let problem = Problem::new(Exit::Unsupported, what);
            return Err(problem.help("run the command once more without `-P`").into());
        }
        let (text, sources) = self.preprocessed(file)?;
        self.includes(file, &sources)?;
        self.dependencies(file, &sources)?;
        match &self.build.preprocessed {
            Some(path) => write(path, text.as_bytes())?,
            None if file == "-" => terminal::print(&text)?,
            None => write(&depend::with_extension(file, "i"), text.as_bytes())?,
        }
        if self.build.show_dependencies {
            terminal::print(&self.rule(file, &sources))?;
        }
        Ok(Exit::Fine)
    }

    /// `-M`: only the preprocessor runs, as in dxc.
    fn show_dependencies(&self, file: &str) -> Result<Exit, End> {
        if let Some(flag) = self.build.refused.first() {
            let what = format!("`{}` is not written together with `-M`", flag.flag);
            return Err(Problem::new(Exit::Unsupported, what).into());
        }
        let (_, sources) = self.preprocessed(file)?;
        self.includes(file, &sources)?;
        self.dependencies(file, &sources)?;
        terminal::print(&self.rule(file, &sources))?;
        Ok(Exit::Fine)
    }

    /// A file after the preprocessor; its errors end the command.
    fn preprocessed(&self, file: &str) -> Result<(String, SourceMap), Problem> {
        let (name, text) = read_source(file)?;
        let mut folders = compile::folders_of(self.compile);
        let done = preprocess(&name, &text, &self.compile.options, &mut folders)
            .map_err(|bug| Problem::bug(&bug.message))?;
        let found = self.compile.warnings.weigh(done.diagnostics);
        let style = terminal::style();
        let texts = found.iter().map(|it| diag::render(it, &done.sources, style));
        self.show(&texts.collect::<Vec<_>>().join("\n"))?;
        match found.iter().any(|it| it.level >= Level::Error) {
            true => Err(Problem::input(format!("`{name}` cannot be preprocessed"))),
            false => Ok((done.text, done.sources)),
        }
    }

    /// `-H`: the included files, with a dot for each level.
    fn includes(&self, file: &str, sources: &SourceMap) -> Result<(), End> {
        if self.build.show_includes {
            terminal::print(&depend::tree(name_of(file), sources))?;
        }
        Ok(())
    }

    /// `-MD` and `-MF`.
    fn dependencies(&self, file: &str, sources: &SourceMap) -> Result<(), Problem> {
        let Build { write_dependencies, dependencies, .. } = self.build;
        let beside = || write_dependencies.then(|| depend::with_extension(file, "d"));
        match dependencies.clone().or_else(beside) {
            Some(path) => write(&path, self.rule(file, sources).as_bytes()),
            None => Ok(()),
        }
    }

    /// The rule for make: the output, or without one the source, depends on all files that were read.
    fn rule(&self, file: &str, sources: &SourceMap) -> String {
        let Build { object, header, listing, preprocessed, .. } = self.build;
        let target = [object, header, listing, preprocessed].into_iter().flatten().next();
        depend::rule(target.map_or(file, String::as_str), name_of(file), sources)
    }
}

const CHECK_ONLY: &str = "`--check-only` checks the shader and writes nothing";

/// The name of the command line's file in the sources.
fn name_of(file: &str) -> &str {
    if file == "-" { STDIN } else { file }
}
