//! Tests: a small program is rewritten, compiled once, and run with each of its mutants; each must change the output.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use super::rewrite::rewritten;
use super::sites::{self, Kind, Site};

/// Each line of output belongs to one kind of mutation; no mutant is equivalent.
const PROGRAM: &str = r#"
const LIMIT: usize = 3 + 4;
const fn twice(x: u32) -> u32 { x * 2 }
enum Fruit { Apple, Pear, Plum }
fn comparison(x: u32) -> bool { x < 10 }
fn arithmetic(x: u32, y: u32) -> u32 { (x + y) * y - x }
fn bits(x: u32, y: u32) -> u32 { (x & y) << y | !x }
fn logic(x: bool, y: bool) -> bool { x && y || x }
fn condition(x: bool) -> &'static str { if x { "yes" } else { match x { true => "t", false => "f" } } }
fn constant(x: [u32; 2 + 1]) -> u32 { x[1] + twice(21) }
fn method(x: u32, y: u32) -> u32 { x.min(y).saturating_sub(5) }
fn arms(x: &Fruit) -> u32 { match x { Fruit::Apple => 7, Fruit::Pear => 8, Fruit::Plum => 9 } }
fn statement(list: &mut Vec<u32>) { list.push(1); list[0] += 4; }
fn exit(list: &[u32]) -> u32 {
    for it in list { if *it == 5 { return *it; } }
    0
}
fn guarded(x: Option<u32>) -> u32 {
    if let Some(it) = x && it > 2 { return it + 1; }
    match x { Some(it) if it > 1 => it, _ => 0 }
}
#[cfg(test)]
mod tests { fn unseen() -> bool { 1 < 2 } }
fn main() {
    println!("{} {LIMIT}", [9, 10, 11].map(comparison).map(|it| it.to_string()).concat());
    println!("{} {}", arithmetic(4, 3), arithmetic(1, 5));
    println!("{} {}", bits(u32::MAX, 1), bits(5, 6));
    for x in [false, true] {
        for y in [false, true] { println!("{}", logic(x, y)); }
        println!("{}", condition(x));
    }
    println!("{}", constant([20, 40, 80]));
    println!("{} {}", method(3, 9), method(8, 7));
    println!("{}", [Fruit::Apple, Fruit::Pear, Fruit::Plum].map(|it| arms(&it).to_string()).concat());
    let mut list = vec![5];
    println!("{}", exit(&list));
    statement(&mut list);
    println!("{list:?} {} {}", exit(&[1, 5]), exit(&[1]));
    println!("{:?}", [None, Some(1), Some(2), Some(3)].map(guarded));
}
"#;

/// Splits all sites into samples without overlaps.
fn apart(sites: &[Site]) -> Vec<Vec<(u32, &Site)>> {
    let mut samples: Vec<Vec<(u32, &Site)>> = Vec::new();
    for (number, site) in (0..).zip(sites) {
        let free = |sample: &&mut Vec<(u32, &Site)>| {
            !sample.iter().any(|(_, other)| super::overlap(other, site))
        };
        match samples.iter_mut().find(free) {
            Some(sample) => sample.push((number, site)),
            None => samples.push(vec![(number, site)]),
        }
    }
    samples
}

fn in_product(sites: Vec<Site>) -> Vec<Site> {
    sites.into_iter().filter(|it| it.function != "main").collect()
}

#[test]
fn every_kind_of_change_is_found_and_nothing_that_is_constant() {
    let sites = in_product(sites::sites("crates/x/src/lib.rs", PROGRAM).unwrap());
    let shown = |it: &Site| format!("{}: {} → {}", it.function, it.original, it.mutated);
    let all: Vec<String> = sites.iter().map(shown).collect();
    for expected in [
        "comparison: x < 10 → (x) <= (10)",
        "comparison: x < 10 → (x) >= (10)",
        "comparison: 10 → 9",
        "arithmetic: (x + y) * y - x → ((x + y) * y) + (x)",
        "bits: !x → (x)",
        "logic: x && y → (x) || (y)",
        "condition: x → !(x)",
        "method: x.min(y) → x.max(y)",
        "arms: 7 … 8 → 8 … 7",
        "statement: list.push(1); → ",
        "exit: if *it == 5 { return *it; } → ",
        "guarded: it > 1 → !(it > 1)",
        "guarded: if let Some(it) = x && it > 2 { return it + 1; } → ",
    ] {
        assert!(all.iter().any(|it| it == expected), "`{expected}` is not among {all:#?}");
    }
    let constant = ["twice", "unseen", ""];
    assert!(sites.iter().all(|it| !constant.contains(&it.function.as_str())), "{all:#?}");
    assert!(
        !all.iter().any(|it| it.starts_with("constant: 2 ")),
        "the length of an array: {all:#?}"
    );
    let kinds: BTreeSet<Kind> = sites.iter().map(|it| it.kind).collect();
    assert_eq!(kinds.len(), 10, "{kinds:?}");
    let ids: BTreeSet<&str> = sites.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids.len(), sites.len());
}

/// An id does not change when lines are added elsewhere.
#[test]
fn ids_do_not_depend_on_the_surrounding_code() {
    let ids = |text: &str| -> Vec<String> {
        let sites = sites::sites("crates/x/src/lib.rs", text).unwrap();
        in_product(sites).into_iter().map(|it| it.id).collect()
    };
    let longer = format!("//! Moved.\n\nfn main() {{ let _ = 1 + 1; }}\nmod inner {{}}\n{PROGRAM}");
    assert_eq!(ids(PROGRAM), ids(&longer));
}

#[test]
fn one_build_holds_all_mutants_and_each_shows() {
    let folder = crate::root().join("target/mutants-test");
    std::fs::create_dir_all(&folder).unwrap();
    let sites = in_product(sites::sites("crates/x/src/lib.rs", PROGRAM).unwrap());
    let (mut original, mut tried) = (None, 0);
    for (part, sample) in apart(&sites).iter().enumerate() {
        let (text, parts) = rewritten(PROGRAM, sample);
        assert_eq!(text.lines().count(), PROGRAM.lines().count());
        let numbers: BTreeMap<u32, &Site> = sample.iter().copied().collect();
        assert_eq!(
            parts.iter().map(|it| it.1).collect::<BTreeSet<_>>(),
            numbers.keys().copied().collect()
        );
        let (source, program) =
            (folder.join(format!("{part}.rs")), folder.join(format!("{part}.bin")));
        let switch = include_str!("switch.rs").replace("//!", "//");
        let text =
            format!("{text}\nmod mutant_switch {{ {switch} }}\nuse mutant_switch::mutant;\n");
        std::fs::write(&source, text).unwrap();
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let built = Command::new(rustc)
            .args(["--edition=2024", "--cap-lints=allow", "-Cdebuginfo=0", "-o"])
            .args([&program, &source])
            .status();
        assert!(built.unwrap().success(), "{}", source.display());
        let run = |mutant: Option<u32>, reached: Option<&str>| {
            let mut command = Command::new(&program);
            command.env_remove("WAVELANE_MUTANT").env_remove("WAVELANE_REACHED");
            command.envs(mutant.map(|it| ("WAVELANE_MUTANT", it.to_string())));
            command.envs(reached.map(|it| ("WAVELANE_REACHED", folder.join(it))));
            let output = command.output().unwrap();
            (output.status.success(), String::from_utf8(output.stdout).unwrap())
        };
        let reached = format!("{part}.reached");
        let _ = std::fs::remove_file(folder.join(&reached));
        let plain = run(None, None);
        assert!(plain.0);
        assert_eq!(plain, run(None, Some(&reached)), "recording changes nothing");
        assert_eq!(*original.get_or_insert_with(|| plain.clone()), plain);
        let lines = std::fs::read_to_string(folder.join(reached)).unwrap();
        let lines: Vec<u32> = lines.lines().map(|it| it.parse().unwrap()).collect();
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "each place once");
        for (number, site) in numbers {
            assert!(lines.contains(&number), "not reached: {site:?}");
            assert_ne!(run(Some(number), None), plain, "{}: {}", site.function, site.mutated);
            tried += 1;
        }
    }
    assert_eq!(tried, sites.len());
}
