//! The host programs in `examples/` give the right results, and README.md shows the one that is there.

#[allow(dead_code, unreachable_pub, reason = "the test calls what `main` calls")]
#[path = "../../examples/compaction.rs"]
mod compaction;
#[allow(dead_code, unreachable_pub, reason = "the test calls what `main` calls")]
#[path = "../../examples/radix_sort.rs"]
mod radix_sort;
// Has a unit test of its own.
#[allow(dead_code, unreachable_pub, reason = "the test calls what `main` calls")]
#[path = "../../examples/width_sweep.rs"]
mod width_sweep;

#[test]
fn compaction_keeps_the_even_numbers() {
    for count in [1, 64, 1000] {
        let items: Vec<u32> = (0..count).map(|it| it * 7 + 3).collect();
        let even: Vec<u32> = items.iter().copied().filter(|it| it % 2 == 0).collect();
        let mut kept = compaction::even(&items).unwrap();
        kept.sort_unstable();
        assert_eq!(kept, even);
    }
}

#[test]
fn radix_sort_sorts() {
    let keys: Vec<u32> = (1..=2048u32).map(|it| it.wrapping_mul(2_654_435_761) ^ it << 9).collect();
    let mut expected = keys.clone();
    expected.sort_unstable();
    assert_eq!(radix_sort::sorted(&keys).unwrap(), expected);
}

#[test]
fn readme_shows_the_compaction() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(folder.join(path)).unwrap();
    let (readme, example) = (read("../../README.md"), read("examples/compaction.rs"));
    let shown = readme.split("```rust\n").nth(1).and_then(|it| it.split("```").next());
    let shown = shown.expect("README.md shows a program in Rust").trim_end();
    let body = example.split("/// The even numbers").nth(1).unwrap();
    let body = body.split_once('\n').unwrap().1;
    let body = body.split("\n}\n").next().unwrap();
    assert_eq!(shown, format!("{body}\n}}"));
}
