//! Tries the site: sizes against ratchets, the module in node, the pages in a browser without a network.
//!
//! What is not installed is told as skipped. Screenshots stay in `target/web-screenshots`.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{folder, module, sections, site};
use crate::{picture, ratchet};

/// Ratchets, in bytes: a module grows by itself. Lower them when it shrinks; raise them with a reason. The module's bar
/// is a million: it was passed when the sanitizer began to explain each place that differs, and is to be met again.
const MOST_MODULE_PACKED: usize = 1_066_500;
const MOST_PAGE_PACKED: usize = 1_101_500;
/// The page without the module.
const MOST_PAGE_REST: usize = 64_000;

/// The browsers to look for, by the names of their programs.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

pub(super) fn all() -> Result<(), String> {
    let Some(bytes) = module::build()? else {
        skipped::skipped!("the module, node and the browser: {}", module::MISSING);
        return Ok(());
    };
    let sizes = site::write(&folder(), &bytes)?;
    println!("{sizes}");
    check_sizes(sizes)?;
    check_paths(&bytes)?;
    let scratch = crate::root().join("target/web-scratch");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let module = scratch.join("module.wasm");
    let cases = scratch.join("cases.jsonl");
    site::put(&module, &bytes)?;
    let of_suite = sections::sections()?;
    println!("{of_suite}");
    let all = cases_for_node()?.into_iter().chain(of_suite.cases);
    let lines: String = all.map(|it| format!("{it}\n")).collect();
    site::put(&cases, lines.as_bytes())?;
    if !is_there("node") {
        skipped::skipped!("the module and the page: there is no `node`");
        return Ok(());
    }
    node("module.mjs", &[&module, &cases])?;
    let Some(browser) = BROWSERS.into_iter().find(|it| is_there(it)) else {
        skipped::skipped!("the page: there is no {}", BROWSERS.join(", no "));
        return Ok(());
    };
    let screenshots = crate::root().join("target/web-screenshots");
    node("page.mjs", &[Path::new(browser), &folder(), &screenshots])?;
    let huge = picture::LARGE.1.replace("700", "7000");
    for (name, (width, text)) in [
        ("small.html", picture::SMALL),
        ("large.html", picture::LARGE),
        ("huge.html", (picture::LARGE.0, &huge)),
        ("shuffles.html", picture::SHUFFLES),
    ] {
        let page = timeline::page::page(&picture::recording(width, text));
        site::put(&scratch.join(name), page.as_bytes())?;
    }
    node("timeline.mjs", &[Path::new(browser), &scratch, &screenshots])
}

/// A published module names no folder of the machine that built it.
fn check_paths(module: &[u8]) -> Result<(), String> {
    match crate::folders::path_in(module) {
        Some(path) => Err(format!("the module names `{path}`")),
        None => Ok(()),
    }
}

fn check_sizes(sizes: site::Sizes) -> Result<(), String> {
    for (what, size, most) in [
        ("the module, compressed", sizes.module_packed, MOST_MODULE_PACKED),
        ("the page, compressed", sizes.page_packed, MOST_PAGE_PACKED),
        ("the page without its module", sizes.page - sizes.module_packed * 4 / 3, MOST_PAGE_REST),
    ] {
        ratchet::check(what, size, most)?;
    }
    Ok(())
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success())
}

fn node(script: &str, arguments: &[&Path]) -> Result<(), String> {
    let script = crate::root().join("crates/web/page/tests").join(script);
    let output = Command::new("node").arg(&script).args(arguments).output();
    let output = output.map_err(|error| format!("node: {error}"))?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{} failed:\n{}",
            script.display(),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Requests with the answers of the native engine, which the module must give byte for byte.
fn cases_for_node() -> Result<Vec<Value>, String> {
    let mut cases = Vec::new();
    for (text, flags) in site::programs()? {
        for what in ["tokens", "compile", "run", "sweep", "lanes", "emit"] {
            let mut request = json!({ "do": what, "text": text, "fuel": 1 << 16 });
            if let Some(flags) = &flags {
                request["flags"] = json!(flags);
            }
            cases.push(answered(&request));
        }
    }
    for request in [json!({ "do": "dance" }), json!({ "do": "compile", "text": "int" })] {
        cases.push(answered(&request));
    }
    Ok(cases)
}

pub(super) fn answered(request: &Value) -> Value {
    let answer = web::Engine::new().call(request.to_string().as_bytes());
    json!({ "request": request, "answer": String::from_utf8_lossy(&answer) })
}
