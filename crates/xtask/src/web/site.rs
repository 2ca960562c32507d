//! The pages of the site: the playground in one file, and the documents as HTML, with links that run their examples.
//!
//! The playground is `index.html`. A document keeps its path and gets another ending; a block of HLSL in it that is a
//! whole program gets a link with that program, which the engine itself decides.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use diag::escaped;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};

use super::{concepts, pack};

/// The bytes of the parts that a visitor downloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) module: usize,
    /// Compressed, as servers and the page hold it.
    pub(super) module_packed: usize,
    pub(super) page: usize,
    pub(super) page_packed: usize,
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sizes { module, module_packed, page, page_packed } = self;
        write!(
            f,
            "module {module} bytes, compressed {module_packed}; page {page}, compressed {page_packed}"
        )
    }
}

/// Writes the whole site.
pub(super) fn write(folder: &Path, module: &[u8]) -> Result<Sizes, String> {
    let packed = pack::gzip(module);
    let page = playground(&packed)?;
    put(&folder.join("index.html"), page.as_bytes())?;
    for (path, html) in documents()? {
        put(&folder.join(path), html.as_bytes())?;
    }
    for picture in pictures()? {
        let bytes = fs::read(crate::root().join(&picture));
        put(&folder.join(&picture), &bytes.map_err(|error| format!("{picture}: {error}"))?)?;
    }
    Ok(Sizes {
        module: module.len(),
        module_packed: packed.len(),
        page: page.len(),
        page_packed: pack::gzip(page.as_bytes()).len(),
    })
}

/// Writes a file, and the folders around it.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let cannot = |error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    fs::write(path, bytes).map_err(cannot)
}

fn read(path: &str) -> Result<String, String> {
    fs::read_to_string(crate::root().join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The playground in one file.
fn playground(packed: &[u8]) -> Result<String, String> {
    let part = |name: &str| read(&format!("crates/web/page/{name}"));
    // A script in a page ends at the first `</`.
    let gallery = Value::from(gallery()?).to_string().replace("</", "<\\/");
    let mut page = part("playground.html")?;
    for (mark, text) in [
        ("{{style}}", part("playground.css")?),
        ("{{gallery}}", gallery),
        ("{{worker}}", part("worker.js")?),
        ("{{script}}", part("playground.js")?),
        ("{{module}}", timeline::base64(packed)),
    ] {
        page = page.replacen(mark, &text, 1);
    }
    Ok(page)
}

/// The examples: those of the folder, and the program of each finding. The first one is what a visitor sees.
fn gallery() -> Result<Vec<Value>, String> {
    let mut examples = Vec::new();
    let names = names("examples", "hlsl")?;
    let first = names.iter().find(|it| *it == "lost-lanes");
    for name in first.into_iter().chain(names.iter().filter(|it| *it != "lost-lanes")) {
        let text = read(&format!("examples/{name}.hlsl"))?;
        examples.push(json!({ "name": name, "title": name, "group": "Examples", "text": text }));
    }
    for code in diag::codes().iter().filter(|it| it.in_runs) {
        let Some((text, flags)) = crate::gallery::program(code) else { continue };
        if runs(text, Some(flags)) {
            let text = format!("{text}\n");
            let name = code.name;
            examples.push(
                json!({ "name": name, "title": name, "group": "Findings", "text": text, "flags": flags }),
            );
        }
    }
    Ok(examples)
}

/// All programs of the gallery with their flags.
pub(super) fn programs() -> Result<Vec<(String, Option<String>)>, String> {
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let program = |it: &Value| Some((word(&it["text"])?, word(&it["flags"])));
    Ok(gallery()?.iter().filter_map(program).collect())
}

/// Whether the playground can run a text.
fn runs(text: &str, flags: Option<&str>) -> bool {
    let mut request = json!({ "do": "compile", "text": text });
    if let Some(flags) = flags {
        request["flags"] = json!(flags);
    }
    let answer = web::Engine::new().call(request.to_string().as_bytes());
    serde_json::from_slice::<Value>(&answer).is_ok_and(|it| it["runs"] == true)
}

/// The files of a folder with an ending, sorted, without it.
fn names(folder: &str, ending: &str) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(crate::root().join(folder));
    let entries = entries.map_err(|error| format!("{folder}: {error}"))?;
    let name = |path: std::path::PathBuf| {
        let is_wanted = path.extension().is_some_and(|it| it == ending);
        is_wanted.then(|| path.file_stem().map(|it| it.to_string_lossy().into_owned())).flatten()
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|it| name(it.path())).collect();
    names.sort();
    Ok(names)
}

/// The pictures that documents show.
fn pictures() -> Result<Vec<String>, String> {
    let mut pictures = Vec::new();
    for (folder, ending) in
        [("docs", "svg"), ("docs", "png"), ("docs/pixels", "png"), ("docs/pixels", "svg")]
    {
        pictures.extend(names(folder, ending)?.iter().map(|it| format!("{folder}/{it}.{ending}")));
    }
    Ok(pictures)
}

/// The documents by the paths of their pages.
fn documents() -> Result<BTreeMap<String, String>, String> {
    let mut sources = vec!["README.md".to_owned(), "CHANGELOG.md".to_owned()];
    for folder in ["docs", "docs/sanitizer"] {
        sources.extend(names(folder, "md")?.iter().map(|it| format!("{folder}/{it}.md")));
    }
    let mut pages = BTreeMap::new();
    for source in &sources {
        pages.insert(page_of(source), page(source, &read(source)?, &sources));
    }
    pages.insert(concepts::PAGE.to_owned(), framed(concepts::PAGE, "Concepts", &concepts::body()));
    Ok(pages)
}

/// The path of a document's page. The README is the entrance to the documents.
fn page_of(source: &str) -> String {
    match source {
        "README.md" => "docs/index.html".to_owned(),
        "CHANGELOG.md" => "docs/changes.html".to_owned(),
        _ => match source.strip_suffix("/README.md") {
            Some(folder) => format!("{folder}/index.html"),
            None => format!("{}.html", source.trim_end_matches(".md")),
        },
    }
}

/// A path as seen from the folder of a page.
fn relative(from: &str, to: &str) -> String {
    let depth = from.matches('/').count();
    format!("{}{to}", "../".repeat(depth))
}

/// Where a link of a document leads on the site: to the page of another document, to a picture, or where it led.
fn target(source: &str, link: &str, sources: &[String]) -> String {
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, format!("#{anchor}")),
        None => (link, String::new()),
    };
    if path.is_empty() || path.contains(':') {
        return link.to_owned();
    }
    let mut parts: Vec<&str> = source.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let from = page_of(source);
    let mut meant = parts.join("/");
    if sources.contains(&format!("{meant}/README.md")) {
        meant.push_str("/README.md");
    }
    if sources.contains(&meant) {
        return format!("{}{anchor}", relative(&from, &page_of(&meant)));
    }
    let example = meant.strip_prefix("examples/").and_then(|it| it.strip_suffix(".hlsl"));
    match example {
        Some(name) => relative(&from, &format!("index.html#e={name}")),
        None if meant.starts_with("docs/") => format!("{}{anchor}", relative(&from, &meant)),
        // Sources are not part of the site.
        None => format!("{}/blob/main/{meant}{anchor}", env!("CARGO_PKG_REPOSITORY")),
    }
}

/// The page of a document.
fn page(source: &str, text: &str, sources: &[String]) -> String {
    let title = text.lines().find_map(|it| it.strip_prefix("# ")).unwrap_or(source);
    framed(&page_of(source), &title.replace('`', ""), &body(source, text, sources))
}

/// A page with its navigation.
fn framed(from: &str, title: &str, body: &str) -> String {
    let nav = [
        ("index.html", "Playground"),
        ("docs/index.html", "Guide"),
        ("docs/semantics.html", "Semantics"),
        ("docs/concepts.html", "Concepts"),
        ("docs/sanitizer/index.html", "Findings"),
        ("docs/intrinsics.html", "Wave functions"),
        ("docs/functions.html", "Functions"),
        ("docs/playground.html", "About the playground"),
        ("docs/changes.html", "Changes"),
    ];
    let nav: String = nav
        .iter()
        .map(|(to, name)| {
            let here = if *to == from { " aria-current=\"page\"" } else { "" };
            format!("<a href=\"{}\"{here}>{name}</a>\n", relative(from, to))
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · wavelane</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n<style>{STYLE}</style>\n</head>\n<body>\n<nav>{nav}</nav>\n<main>\n{}</main>\n\
         </body>\n</html>\n",
        escaped(title),
        body
    )
}

const STYLE: &str = "
:root { color-scheme: light dark; --back: #fff; --text: #1f2328; --line: #d1d9e0; --panel: #f6f8fa; --accent: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --line: #3d444d; --panel: #151b23; --accent: #79c0ff; } }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: .4em 1.2em; padding: .6em 1em; background: var(--panel); border-bottom: 1px solid var(--line); }
nav a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
main { max-width: 60em; margin: 0 auto; padding: 1em; }
a { color: var(--accent); }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .7em; overflow-x: auto; font-size: 13.5px; line-height: 1.4; }
code { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .92em; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .25em .6em; text-align: left; vertical-align: top; }
img { max-width: 100%; background: #fff; }
.lanes .on { fill: var(--accent); } .lanes .off { fill: none; stroke: var(--line); }
.run { margin: -.6em 0 1em; font-size: .9em; }
.comment { color: #59636e; } .directive, .function { color: #7a3e9d; } .keyword { color: #a40e26; } .type, .number { color: #0550ae; }
.wave { color: #0a6e31; font-weight: 600; } .string { color: #0a3069; }
@media (prefers-color-scheme: dark) { .comment { color: #9198a1; } .directive, .function { color: #d2a8ff; } .keyword { color: #ff8b81; } .type, .number { color: #79c0ff; } .wave { color: #7ee787; } .string { color: #a5d6ff; } }
";

/// A document as HTML.
fn body(source: &str, text: &str, sources: &[String]) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut events = Vec::new();
    let mut code: Option<(String, String)> = None;
    let mut heading: Option<String> = None;
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                code = Some((language, String::new()));
            }
            Event::Text(text) if code.is_some() => {
                if let Some((_, block)) = &mut code {
                    block.push_str(&text);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, block)) = code.take() {
                    let flags = flags_for(text, &block);
                    let html = code_block(&page_of(source), &language, &block, &flags);
                    events.push(Event::Html(html.into()));
                }
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(target(source, &dest_url, sources));
                events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(target(source, &dest_url, sources));
                events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some(String::new());
                events.push(Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::End(TagEnd::Heading(level)) => {
                let id = unique(anchor(&heading.take().unwrap_or_default()), &mut ids);
                // Headings are named after their words, which are known at their ends.
                let start = events.iter_mut().rev().find_map(|it| match it {
                    Event::Start(Tag::Heading { id, .. }) => Some(id),
                    _ => None,
                });
                if let Some(start) = start {
                    *start = Some(id.into());
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Text(words) | Event::Code(words) if heading.is_some() => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
                events.push(Event::Text(words));
            }
            // Our documents hold no HTML, but placeholders in angle brackets.
            Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
            other => events.push(other),
        }
    }
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    html
}

/// The id of a heading, as code hosts make it: lower case, hyphens for blanks, no punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}

fn unique(id: String, ids: &mut BTreeMap<String, usize>) -> String {
    let count = ids.entry(id.clone()).or_default();
    *count += 1;
    if *count == 1 { id } else { format!("{id}-{}", *count - 1) }
}

/// A block of code, coloured where it is HLSL, and with a link where it is a program.
pub(super) fn code_block(page: &str, language: &str, block: &str, flags: &str) -> String {
    if language != "hlsl" {
        return format!("<pre><code>{}</code></pre>\n", escaped(block));
    }
    let mut html = String::from("<pre><code>");
    let mut at = 0;
    for (range, class) in hlsl::colour::classes(block) {
        html.push_str(&escaped(&block[at..range.start]));
        let class = format!("{class:?}").to_lowercase();
        html.push_str(&format!(
            "<span class=\"{class}\">{}</span>",
            escaped(&block[range.clone()])
        ));
        at = range.end;
    }
    html.push_str(&format!("{}</code></pre>\n", escaped(&block[at..])));
    if runs(block, Some(flags)) {
        let link = relative(page, &format!("index.html{}", pack::link(block, flags)));
        html.push_str(&format!("<p class=\"run\"><a href=\"{link}\">run it here</a></p>\n"));
    }
    html
}

/// The flags that the paragraph behind a block gives in a command, or a comment in it.
fn flags_for(document: &str, block: &str) -> String {
    let rest = document.split_once(block).map_or("", |(_, rest)| rest);
    let rest = rest.split("```hlsl").next().unwrap_or("");
    let command = rest.split_once("`wavelane san a.hlsl ").and_then(|(_, it)| it.split_once('`'));
    command.map_or_else(|| web::command(block), |(flags, _)| flags.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Vec<String> {
        ["README.md", "docs/a.md", "docs/sanitizer/README.md", "docs/sanitizer/race.md"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn links_lead_to_pages_examples_and_sources() {
        let to = |source: &str, link: &str| target(source, link, &sources());
        assert_eq!(to("README.md", "docs/a.md#x"), "../docs/a.html#x");
        assert_eq!(to("docs/sanitizer/race.md", "../a.md"), "../../docs/a.html");
        assert_eq!(to("docs/a.md", "sanitizer/"), "../docs/sanitizer/index.html");
        assert_eq!(to("docs/a.md", "../README.md"), "../docs/index.html");
        assert_eq!(to("docs/a.md", "../examples/compact.hlsl"), "../index.html#e=compact");
        assert_eq!(to("README.md", "docs/b.svg"), "../docs/b.svg");
        assert_eq!(to("docs/a.md", "#here"), "#here");
        assert_eq!(to("docs/a.md", "https://example.com/x"), "https://example.com/x");
        assert!(to("README.md", "crates/ops").ends_with("/blob/main/crates/ops"));
    }

    #[test]
    fn every_link_of_the_documents_leads_to_something() {
        let pages = documents().unwrap();
        let pictures = pictures().unwrap();
        for (path, html) in &pages {
            let links = html.split("href=\"").skip(1).chain(html.split("src=\"").skip(1));
            for link in links {
                let link = link.split('"').next().unwrap();
                if link.contains(':') || link.is_empty() {
                    continue;
                }
                let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
                let mut parts: Vec<&str> = path.split('/').collect();
                let here = file.is_empty();
                if !here {
                    parts.pop();
                }
                for part in file.split('/').filter(|it| !it.is_empty()) {
                    match part {
                        ".." => drop(parts.pop()),
                        _ => parts.push(part),
                    }
                }
                let meant = parts.join("/");
                if meant == "index.html" || pictures.contains(&meant) {
                    continue;
                }
                let page =
                    pages.get(&meant).unwrap_or_else(|| panic!("{path}: {link} leads nowhere"));
                let is_there = anchor.is_empty() || page.contains(&format!("id=\"{anchor}\""));
                assert!(is_there, "{path}: {link} has no such heading");
            }
        }
    }

    #[test]
    fn programs_in_documents_have_a_link_that_runs_them() {
        let pages = documents().unwrap();
        let count = |path: &str| pages[path].matches("run it here").count();
        // The wrong program and the right one.
        assert_eq!(count("docs/sanitizer/race.html"), 2);
        // Draws and parts of programs do not run on the page.
        assert_eq!(count("docs/sanitizer/helper-result.html"), 0);
        let all: usize = pages.keys().map(|it| count(it)).sum();
        assert!(all >= 25, "{all}");
    }

    #[test]
    fn the_gallery_begins_with_a_program_that_has_findings() {
        let gallery = gallery().unwrap();
        assert_eq!(gallery[0]["name"], "lost-lanes");
        assert!(gallery.iter().any(|it| it["name"] == "race" && it["flags"] == "--bind Out=[64]"));
        assert!(gallery.len() >= 30, "{}", gallery.len());
    }

    #[test]
    fn code_and_headings_are_written_as_html() {
        let html = body(
            "docs/a.md",
            "# A `b` & c\n\n```hlsl\nuint x < 1;\n```\n\n<name> | x\n",
            &sources(),
        );
        assert!(html.contains("<h1 id=\"a-b--c\">"), "{html}");
        assert!(html.contains("<span class=\"type\">uint</span> x &lt; <span"), "{html}");
        assert!(html.contains("&lt;name&gt;"), "{html}");
    }
}
