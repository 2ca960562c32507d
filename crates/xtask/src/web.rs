//! The playground and the documents as a site: `cargo xtask web build|serve|test`.
//!
//! `module` builds the WebAssembly module and `site` the pages around it, into `target/web`, which any static host can
//! serve and which works from a folder too. What a machine lacks (the target of the toolchain, node, a browser) is told
//! as skipped.

mod check;
mod concepts;
mod module;
mod pack;
mod sections;
mod serve;
mod site;

use std::path::PathBuf;

pub(crate) use module::MISSING;

/// Where the site is written.
fn folder() -> PathBuf {
    crate::root().join("target/web")
}

pub(crate) fn run(words: &[String]) -> Result<(), String> {
    match words.iter().map(String::as_str).collect::<Vec<&str>>().as_slice() {
        ["build"] => match build()? {
            Some(sizes) => {
                println!("{}: {sizes}", folder().display());
                Ok(())
            }
            None => Err(MISSING.to_owned()),
        },
        ["serve"] => serve::serve(&folder(), 8000),
        ["serve", port] => {
            let port = port.parse().map_err(|_| format!("`{port}` is not a port"))?;
            serve::serve(&folder(), port)
        }
        ["test"] => check::all(),
        _ => Err("usage: cargo xtask web build|serve [PORT]|test".to_owned()),
    }
}

/// The WebAssembly module; `None` where the toolchain has no such target.
pub(crate) fn module() -> Result<Option<Vec<u8>>, String> {
    module::build()
}

/// Builds everything; `None` where the toolchain has no such target.
fn build() -> Result<Option<site::Sizes>, String> {
    let Some(module) = module::build()? else { return Ok(None) };
    site::write(&folder(), &module).map(Some)
}

#[cfg(test)]
mod tests {
    /// All crates below the façade, the module's sizes, and the page: one test, because they need one module.
    #[test]
    fn the_crates_below_the_facade_and_the_page_work_on_the_web() {
        super::check::all().unwrap();
    }
}
