//! `wavelane new test`: writes a job for an entry point, which runs as it is and says where to put real contents.
//!
//! What the command line and the project file do not bind is made up: buffers count up, results start from zero,
//! constants are 1. The job expects what the reference engine leaves in buffers that every width agrees on, so that it
//! guards against changes from the first day. Deliberately absent: any judgement of whether those results are right.

mod draw;

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jobs::Repro;
use wavelane::internal::{self, Slots};
use wavelane::{Device, Dispatch, Layout, ResourceKind, ResourceTable, Shader, Stage};

use crate::asked::{Binds, Compiling, DrawArgs, Launch, LowArgs};
use crate::entries::{self, Entries};
use crate::launch::failed;
use crate::problem::{End, Exit, Problem};
use crate::{bind, compile, device, terminal};

/// What `new` needs.
pub(crate) struct NewArgs {
    file: String,
    entry: Option<String>,
    compile: Compiling,
    bind: Binds,
    launch: Launch,
    device: Device,
    /// The scene for a pixel shader.
    draw: DrawArgs,
}

impl NewArgs {
    pub(crate) fn new(low: LowArgs) -> Result<NewArgs, Problem> {
        let file = match low.operands.as_slice() {
            [kind, file] if kind == "test" => file.clone(),
            [kind, _] => {
                return Err(
                    low.usage(format!("`wavelane new` cannot write a `{kind}`, only a `test`"))
                );
            }
            _ => return Err(low.usage("`wavelane new` needs `test FILE`".to_owned())),
        };
        let LowArgs { entries, compile, bind, launch, device, draw, .. } = low;
        let device = Device::new(device.adapter);
        let entry = entries.last().cloned();
        Ok(NewArgs { file, entry, compile, bind, launch, device, draw })
    }
}

pub(crate) fn new(args: &NewArgs) -> Result<Exit, End> {
    let mut compile = args.compile.clone();
    compile.options.entry = entry(args)?;
    let is_pixel = match compile.has_profile {
        true => compile.options.stage == Stage::Pixel,
        false => draw::is_pixel_shader(args, &compile)?,
    };
    if is_pixel {
        return draw::new(args, compile);
    }
    let (shader, sources, mut source) = compile::program(&args.file, &compile)?;
    source.flags.includes = from_folder_of(&args.file, &source.flags.includes);
    let target = Target::beside(&args.file, shader.entry())?;
    let pipeline = args
        .device
        .create_compute_pipeline(&shader)
        .map_err(|it| device::problem(&it, &sources))?;
    let binds = made_up(&shader, &args.bind, args.launch.groups);
    let mut bound = bind::bind(&binds, args.launch.groups, &shader, &sources)?;
    let contents = bound.table.copied();
    let (mut expected, mut differing): (Option<ResourceTable>, BTreeSet<String>) =
        Default::default();
    for width in pipeline.wave_sizes() {
        bound.table = contents.copied();
        let dispatch = Dispatch {
            wave_size: Some(*width),
            lane_order: args.launch.lane_order,
            schedule: args.launch.schedule,
            fuel: args.launch.fuel.at(*width),
            ..Dispatch::new(args.launch.groups)
        };
        internal::dispatch(&pipeline, &dispatch, &bound.table)
            .map_err(|error| failed(&error, *width, &args.launch, false, &sources))?;
        match &expected {
            None => expected = Some(bound.table.copied()),
            Some(expected) => differing.extend(differences(expected, &bound.table)),
        }
    }
    let is_checked =
        |it: &wavelane::Resource| it.used && it.kind.writable() && !differing.contains(&it.name);
    if !shader.resources().iter().any(is_checked) && !shader.asserts() {
        return Err(checks_nothing(shader.entry(), !differing.is_empty()).into());
    }
    let comment = comment(&args.file, &shader, &differing);
    let text = jobs::write(&Repro {
        comment: &comment,
        source: &source,
        beside: Some(&beside(&args.file)),
        shader: &shader,
        table: &contents,
        expected: expected.as_ref(),
        unchecked: &differing,
        groups: args.launch.groups,
    })
    .map_err(no_word)?;
    target.write(&text, "")
}

fn no_word(what: String) -> Problem {
    Problem::new(Exit::Unsupported, format!("a job cannot express {what}"))
}

/// A job holds the same results for every wave size, and a job without results would pass regardless of what the shader
/// does.
fn checks_nothing(entry: &str, writes: bool) -> Problem {
    let why = match writes {
        true => "all that it writes depends on the wave size",
        false => "it writes nothing that remains",
    };
    let what = format!("a job of `{entry}` would check nothing: {why}");
    Problem::new(Exit::Unsupported, what).help(
        "write a case: `#include <wavelane.hlsli>`, `TEST_CASE(name) { … }`, whose `EXPECT_EQ` states results with \
         `WaveGetLaneCount()`",
    )
}

/// The name of the shader's file in its folder.
fn beside(file: &str) -> String {
    let file = file.replace('\\', "/");
    file.rsplit('/').next().unwrap_or(&file).to_owned()
}

/// Folders of `-I` as a test beside the shader names them, so that it runs from any folder.
fn from_folder_of(file: &str, folders: &[String]) -> Vec<String> {
    let parent = Path::new(file).parent().filter(|it| !it.as_os_str().is_empty());
    let Ok(from) = parent.unwrap_or(Path::new(".")).canonicalize() else {
        return folders.to_vec();
    };
    let relative = |folder: &String| {
        let to = Path::new(folder).canonicalize().ok()?;
        let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
        let up = from.components().skip(shared).map(|_| "..".to_owned());
        let down = to.components().skip(shared);
        let down = down.map(|it| it.as_os_str().to_string_lossy().into_owned());
        let parts: Vec<String> = ["%S".to_owned()].into_iter().chain(up).chain(down).collect();
        // Without a shared root, such as on another drive, the folder stays as it is.
        (shared > 0).then(|| parts.join("/"))
    };
    folders.iter().map(|it| relative(it).unwrap_or_else(|| it.clone())).collect()
}

/// The file that is to be written.
struct Target {
    path: PathBuf,
    name: String,
}

impl Target {
    /// Beside the file of a shader, by the name of its entry point.
    fn beside(file: &str, entry: &str) -> Result<Target, Problem> {
        let path = Path::new(file).with_file_name(format!("{entry}.test"));
        let name = path.to_string_lossy().replace('\\', "/");
        let target = Target { path, name };
        // Long before anything is written, to save the work.
        match target.path.exists() {
            true => Err(target.exists()),
            false => Ok(target),
        }
    }

    fn exists(&self) -> Problem {
        Problem::input(format!("`{}` exists already", self.name))
            .help("`wavelane new` never overwrites a file; rename or remove it")
    }

    /// Writes it; `flags` are those that its run needs.
    fn write(&self, text: &str, flags: &str) -> Result<Exit, End> {
        let Target { path, name } = self;
        let cannot = |error: std::io::Error| match error.kind() {
            ErrorKind::AlreadyExists => self.exists(),
            _ => Problem::input(format!("`{name}` cannot be written: {error}")),
        };
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(path).map_err(cannot)?;
        file.write_all(text.as_bytes()).map_err(cannot)?;
        terminal::print(&format!("wrote `{name}`; to run it: wavelane test {name}{flags}\n"))?;
        Ok(Exit::Fine)
    }
}

/// The entry point that is meant.
fn entry(args: &NewArgs) -> Result<String, Problem> {
    if let Some(entry) = &args.entry {
        return Ok(entry.clone());
    }
    let Entries::Some(all) = entries::of_file(&args.file, &args.compile)? else {
        return Ok(args.compile.options.entry.clone());
    };
    match all.as_slice() {
        [(only, _)] => Ok(only.clone()),
        all => {
            let names: Vec<&str> = all.iter().map(|it| it.0.as_str()).collect();
            let problem = Problem::input(format!("`{}` has several entry points", args.file));
            Err(problem.help(format!("`-E NAME` chooses one of {}", names.join(", "))))
        }
    }
}

/// The given bindings, and made-up ones for everything else that the shader uses.
fn made_up(shader: &Shader, given: &Binds, groups: [u32; 3]) -> Binds {
    let mut binds = given.clone();
    let threads =
        shader.group_size().iter().chain(&groups).fold(1u64, |all, it| all * u64::from(*it));
    // Enough for one element a thread, as far as a person reads them.
    let count = threads.clamp(1, 4096);
    for resource in shader.resources().iter().filter(|it| it.used) {
        let name = &resource.name;
        let is_of = |bound: &str| bound == name || bound.starts_with(&format!("{name}["));
        if given.binds.iter().any(|it| is_of(&it.0)) {
            continue;
        }
        if let ResourceKind::Constant { members, .. } = &resource.kind {
            for member in members {
                let full = format!("{name}.{}", member.name);
                let is_set = |path: &str| path == full || path.starts_with(&member.name);
                if given.sets.iter().any(|it| is_set(&it.0)) {
                    continue;
                }
                let scalars = Layout::offsets_of(member, &[]).map_or(1, |it| it.len());
                binds.sets.push((full, vec!["1"; scalars].join(",")));
            }
            continue;
        }
        let value = contents(resource, count);
        match resource.count {
            Some(1) => binds.binds.push((name.clone(), value)),
            elements => {
                let elements = 0..elements.unwrap_or(1).min(16);
                binds.binds.extend(elements.map(|it| (format!("{name}[{it}]"), value.clone())));
            }
        }
    }
    binds
}

/// The size of a texture: few enough texels that a person reads them.
const TEXELS: [u64; 3] = [4, 4, 2];

/// The made-up value of a resource, in the notation of `--bind`: if it is read, all numbers differ.
fn contents(resource: &wavelane::Resource, count: u64) -> String {
    let view = resource.kind.view();
    let numbers = if view.writable { "" } else { ":iota" };
    match resource.kind {
        ResourceKind::Sampler { comparison: true } => "linear clamp less-equal".to_owned(),
        ResourceKind::Sampler { comparison: false } => "linear clamp".to_owned(),
        ResourceKind::Texture { dim, .. } => {
            format!("[{}]{numbers}", crate::texture::sizes(dim, TEXELS))
        }
        // Jobs do not support these yet, which is reported when the job is written.
        ResourceKind::Scene | ResourceKind::Feedback { .. } => "none".to_owned(),
        _ => format!("[{count}]{numbers}"),
    }
}

/// The names of resources whose contents differ.
fn differences(a: &ResourceTable, b: &ResourceTable) -> Vec<String> {
    let mut names = Vec::new();
    for (resource, element, slot) in a.iter() {
        let is_same = b.get(&resource.name, element).is_some_and(|it| it.bytes == slot.bytes);
        if !is_same {
            names.push(resource.name.clone());
        }
    }
    names
}

fn comment(file: &str, shader: &Shader, differing: &BTreeSet<String>) -> String {
    let mut text = format!(
        "A test of `{}` in {file}. The contents of the buffers are made up: put in those that matter.\n\
         `Expected_NAME` is what the reference engine leaves in the buffer NAME now: check that it is right.\n",
        shader.entry()
    );
    for name in differing {
        text.push_str(&format!(
            "`{name}` depends on the wave size, so nothing is expected of it.\n"
        ));
    }
    text
}
