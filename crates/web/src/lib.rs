//! wavelane in a browser: compiler, reference engine and sanitizer behind one function from bytes to bytes.
//!
//! [`Engine::call`] takes a request and gives an answer, both JSON ([`Engine`] lists the requests). Compiled to
//! WebAssembly, the module exports that function and an allocator (`abi`); natively it is a library, so that tests and
//! the build of the site call what the page calls. The page (`page/`) draws, and decides nothing.
//!
//! Guaranteed: no request panics or runs for ever. Fuel bounds every run, [`bind::MOST_MEMORY`] the buffers, and the
//! options of the linker the memory of the module. A slice of work is one request, so that a caller stops by asking for
//! no more.
//!
//! Deliberately absent: a bindings generator, clocks, threads, files, textures and draws.
#![deny(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod abi;
mod bind;
mod engine;
mod flags;
mod lanes;
mod mend;
mod place;
mod run;
mod sweep;

pub use engine::Engine;
pub use flags::{Flags, command};
/// They stand side by side on the page.
pub use ops::WIDTHS;

/// The name of the text in messages.
pub const FILE: &str = "shader.hlsl";

/// A request that cannot be answered, or words that cannot be followed: the fact, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub message: String,
    pub help: Option<String>,
}

impl Problem {
    fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), help: None }
    }

    fn help(self, text: impl Into<String>) -> Problem {
        Problem { help: Some(text.into()), ..self }
    }

    /// Names what there is instead: the most similar, and all.
    fn known<'a>(self, name: &str, known: impl Iterator<Item = &'a str>) -> Problem {
        let known: Vec<&str> = known.collect();
        match (diag::most_similar(name, known.iter().copied()), known.is_empty()) {
            (Some(meant), _) => self.help(format!("did you mean `{meant}`?")),
            (None, false) => self.help(format!("there are: {}", known.join(", "))),
            (None, true) => self,
        }
    }
}
