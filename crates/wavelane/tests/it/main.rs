//! The library as a host uses it, on every engine that works here.

mod aliases;
mod buffers;
mod draws;
mod examples;
mod extremes;
mod feedback;
mod lent;
mod lists;
mod names;
mod printing;
mod reports;
mod roots;
mod states;
mod tables;

use wavelane::{Adapter, Device, Engine, NoIncludes, Options, Shader};

fn shader(name: &str, entry: &str, text: &str) -> Shader {
    let options = Options { entry: entry.to_owned(), ..Options::default() };
    let compiled = Shader::compile(name, text, &options, &mut NoIncludes).unwrap();
    compiled.shader().unwrap_or_else(|error| panic!("{error}"))
}

/// A device for each engine that works here; those that do not are printed.
fn devices() -> Vec<Device> {
    let open = |engine: Engine| match Device::with_engine(Adapter::reference(), engine) {
        Ok(device) => Some(device),
        Err(why) => {
            skipped::skipped!("`{}`: {}", engine.name(), why.missing);
            None
        }
    };
    Engine::ALL.into_iter().filter_map(open).collect()
}
