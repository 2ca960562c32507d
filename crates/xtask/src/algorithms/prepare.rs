//! Compiles the dispatches of an algorithm in this process, with their inputs, so that they can be measured without
//! the time that compilers and files take.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use wavelane::texture::{Format, Shape};
use wavelane::{
    Adapter, Buffer, ComputePipeline, Device, Dispatch, Engine, Includer, Options, ResourceTable,
    Shader, Texture,
};

use super::{Checkout, Kernel, Source};

/// A dispatch, ready to run.
pub(crate) struct Prepared {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) dispatch: Dispatch,
    pub(crate) table: ResourceTable,
}

pub(super) fn prepare(kernel: &Kernel, checkout: &Checkout) -> Result<Prepared, String> {
    let (name, text, folder) = match kernel.source {
        Source::File(file) => {
            let path = checkout.path.join(file);
            let text = std::fs::read_to_string(&path);
            (path.to_string_lossy().into_owned(), text, checkout.path.clone())
        }
        Source::Around { text, includes } => {
            let folder = checkout.path.join(includes);
            (folder.join("around.hlsl").to_string_lossy().into_owned(), Ok(text.to_owned()), folder)
        }
    };
    let text = text.map_err(|error| format!("{name}: {error}"))?;
    let mut options = Options { entry: kernel.entry.to_owned(), ..Options::default() };
    let mut flags = kernel.flags.iter();
    while let Some(flag) = flags.next() {
        match (flag.as_str(), flag.strip_prefix("-D")) {
            ("-enable-16bit-types", _) => options.enable_16bit = true,
            (_, Some(define)) => {
                let define = match define {
                    "" => flags.next().map(String::as_str).unwrap_or_default(),
                    it => it,
                };
                let (name, value) = match define.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (define, None),
                };
                options.defines.push((name.to_owned(), value));
            }
            _ => return Err(format!("{}: unknown flag `{flag}`", kernel.name)),
        }
    }
    let compiled = Shader::compile(&name, &text, &options, &mut Files(folder));
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", kernel.name);
    let shader = compiled.map_err(|it| failed(&it))?.shader().map_err(|it| failed(&it))?;
    let device = Device::with_engine(Adapter::reference(), Engine::Interp);
    let device = device.map_err(|it| failed(&format!("{it:?}")))?;
    let pipeline = device.create_compute_pipeline(&shader).map_err(|it| failed(&it))?;
    let mut table = ResourceTable::new(&shader);
    for buffer in &kernel.buffers {
        let (name, element) = match buffer.name.split_once('[') {
            Some((name, rest)) => (name, rest.trim_end_matches(']').parse().unwrap_or(0)),
            None => (buffer.name.as_str(), 0),
        };
        let bound = match buffer.texture {
            Some((width, height)) => {
                let format = Format::parse("RGBA32_FLOAT").ok_or("unknown format")?;
                let shape = Shape::new(format, width, height, 1);
                let channels: Vec<f32> =
                    buffer.words.iter().map(|it| f32::from_bits(*it)).collect();
                let texture = Texture::from_slice(shape, &channels);
                table.bind_at(name, element, texture.map_err(|it| failed(&it))?)
            }
            None => table.bind_at(name, element, Buffer::from_slice(&buffer.words)),
        };
        bound.map_err(|it| failed(&it))?;
    }
    for (name, values) in &kernel.constants {
        table.set(name, values.as_slice()).map_err(|it| failed(&it))?;
    }
    Ok(Prepared { pipeline, dispatch: Dispatch::new(kernel.groups), table })
}

/// Finds files beside the one that includes them, and in one folder.
struct Files(PathBuf);

impl Includer for Files {
    fn read(&mut self, path: &str, includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        let beside = Path::new(includer).parent().map(|it| it.join(path));
        beside.into_iter().chain([self.0.join(path)]).find_map(|file| {
            let text = std::fs::read_to_string(&file).ok()?;
            Some((file.to_string_lossy().into_owned(), text.into()))
        })
    }
}
