//! The public names of the library: a host that imports several of its modules can tell its types apart.
//!
//! Read from the text of the crate as rustfmt writes it, where the items of a module begin a line. A name that two
//! modules export must have one origin. Re-exports are followed within the crate only, so a type of another crate needs
//! the same path everywhere.

use std::collections::BTreeMap;
use std::path::Path;

/// The text of a public module, and the modules that it declares.
struct Module {
    text: String,
    own: Vec<String>,
}

impl Module {
    fn new(text: &str) -> Module {
        let lines = text.lines().filter(|it| !it.trim_start().starts_with("//"));
        let text: String = lines.map(|it| format!("{it}\n")).collect();
        let declared = text.lines().filter_map(|it| it.split_once("mod "));
        let declared =
            declared.filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        let own = declared.map(|(_, it)| it.trim_end_matches([';', ' ', '{']).to_owned()).collect();
        Module { text, own }
    }

    /// What it exports: by name where that comes from, in the words of the module `at`.
    fn exports(&self, at: &str) -> Vec<(String, String)> {
        const ITEMS: [&str; 7] =
            ["struct ", "enum ", "trait ", "type ", "const ", "static ", "fn "];
        let is_name = |it: char| it.is_alphanumeric() || it == '_';
        let mut all = Vec::new();
        for item in self.text.split("\npub ").skip(1) {
            if let Some(tree) = item.strip_prefix("use ") {
                let tree = tree.split(';').next().unwrap().split_whitespace().collect::<Vec<_>>();
                leaves(&tree.join(" "), "", &mut all);
                continue;
            }
            let item = item.strip_prefix("unsafe ").unwrap_or(item);
            if let Some(named) = ITEMS.iter().find_map(|it| item.strip_prefix(it)) {
                let name: String = named.chars().take_while(|it| is_name(*it)).collect();
                all.push((name.clone(), format!("self::{name}")));
            }
        }
        all.into_iter().map(|(name, path)| (name, self.absolute(at, &path))).collect()
    }

    /// A path from the root of its crate: that of this one is `crate`.
    fn absolute(&self, at: &str, path: &str) -> String {
        if let Some(external) = path.strip_prefix("::") {
            return external.to_owned();
        }
        let first = path.split("::").next().unwrap();
        match path.strip_prefix("self::") {
            Some(rest) => format!("{at}::{rest}"),
            None if self.own.iter().any(|it| it == first) => format!("{at}::{path}"),
            None => path.to_owned(),
        }
    }
}

/// The names that a `use` brings in, with their paths.
fn leaves(tree: &str, before: &str, all: &mut Vec<(String, String)>) {
    let tree = tree.trim();
    if let Some((path, list)) = tree.split_once('{') {
        let list = list.strip_suffix('}').expect("a list has an end");
        let (mut depth, mut start) = (0, 0);
        for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    let one = list[start..at].trim();
                    if !one.is_empty() {
                        leaves(one, &format!("{before}{path}"), all);
                    }
                    start = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, tree.rsplit("::").next().unwrap()));
    assert_ne!(name, "*", "this test does not follow globs");
    all.push((name.to_owned(), format!("{before}{path}")));
}

/// The public modules of the crate, by their paths.
fn modules() -> BTreeMap<String, Module> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = std::fs::read_to_string(folder.join("lib.rs")).unwrap();
    let root = Module::new(&text);
    let mut all = BTreeMap::new();
    for part in root.text.split("\npub mod ").skip(1) {
        let name: String =
            part.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
        if text.contains(&format!("#[doc(hidden)]\npub mod {name};")) {
            continue;
        }
        let text = match part[name.len()..].starts_with(';') {
            true => std::fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap(),
            false => part.split("\n}").next().unwrap().replace("\n    ", "\n"),
        };
        let module = Module::new(&text);
        assert!(
            !module.text.contains("\npub mod "),
            "this test does not follow modules in `{name}`"
        );
        all.insert(format!("crate::{name}"), module);
    }
    all.insert("crate".to_owned(), root);
    all
}

#[test]
fn no_two_public_modules_export_different_things_of_one_name() {
    let modules = modules();
    let exports: BTreeMap<(&str, String), String> = modules
        .iter()
        .flat_map(|(at, it)| it.exports(at).into_iter().map(|(name, from)| ((&**at, name), from)))
        .collect();
    for (module, name) in
        [("crate", "Device"), ("crate::rays", "TopLevel"), ("crate::emit", "Vulkan")]
    {
        assert!(
            exports.contains_key(&(module, name.to_owned())),
            "`{module}::{name}` is not found"
        );
    }
    // Through those of its own public modules that export it again.
    let origin = |from: &str| {
        let mut from = from.to_owned();
        while let Some((module, name)) = from.rsplit_once("::")
            && let Some(next) = exports.get(&(module, name.to_owned()))
            && *next != from
        {
            from = next.clone();
        }
        from
    };
    let mut known: BTreeMap<&str, (&str, String)> = BTreeMap::new();
    for ((module, name), from) in &exports {
        let from = origin(from);
        let (other, theirs) = known.entry(name).or_insert((module, from.clone()));
        assert_eq!(from, *theirs, "`{name}` of `{module}` is not that of `{other}`: rename one");
    }
}
