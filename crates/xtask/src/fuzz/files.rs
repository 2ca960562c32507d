//! `cargo xtask fuzz --part files`: mutates the files that are read beside shaders, and checks that each is read or
//! refused.
//!
//! Half of the inputs are texts, made from the jobs and the sections of the suite: each goes through the splitter of
//! parts, the parser of `RUN` lines, the parser of jobs, the parser of sections, and the patterns. The other half are
//! pictures and arrays (`binary`).

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::binary::{self, Kind};
use ops::Random;

/// An input that takes longer is a failure.
const SLOW: Duration = Duration::from_secs(1);
const LONGEST: usize = 1 << 14;
const MOST_FAILURES: usize = 20;

/// A dictionary of what the parsers look for, to insert into texts.
const PIECES: [&str; 32] = [
    "#--- ",
    "//--- ",
    "\n",
    "---\n",
    "...\n",
    "# RUN: ",
    "# REQUIRES: ",
    "%t/",
    "%s",
    "{",
    "}",
    "[",
    "]",
    ": ",
    "- ",
    ", ",
    "&a ",
    "*a ",
    "|\n",
    ">\n",
    "\t",
    "'",
    "\"",
    "0x1p-149",
    "nan",
    "-",
    "18446744073709551616",
    "Data: ",
    "FillSize: ",
    "//# in ",
    "//= Out u32: ",
    "{{.*",
];

/// Tries `runs` inputs. Prints how many were tried, and which failed.
pub(super) fn run(runs: u64, seconds: Option<u64>, seed: u64) -> Result<(), String> {
    let seeds = seeds();
    let mut binaries = binary::Seeds::new();
    let mut random = Random::new(seed);
    let start = Instant::now();
    let (mut count, mut slowest, mut slow_input) = (0u64, Duration::ZERO, Vec::new());
    let mut accepted = [0u64; 5];
    let mut failures = Vec::new();
    println!("fuzzing files from {} texts, seed {seed}", seeds.len());
    while count < runs && seconds.is_none_or(|it| start.elapsed().as_secs() < it) {
        count += 1;
        let (input, kind) = match count % 4 {
            0 | 2 => (damaged(&seeds, &mut random).into_bytes(), None),
            1 => (binaries.damaged(Kind::Picture, &mut random), Some(Kind::Picture)),
            _ => (binaries.damaged(Kind::Array, &mut random), Some(Kind::Array)),
        };
        let texel = random.below(binary::TEXELS);
        let began = Instant::now();
        let read = catch_unwind(AssertUnwindSafe(|| match kind {
            None => read(std::str::from_utf8(&input).unwrap_or("")).map(|it| it.map(Into::into)),
            Some(kind) => binary::read(kind, &input, texel),
        }));
        let took = began.elapsed();
        if took > slowest {
            (slowest, slow_input) = (took, input.clone());
        }
        match read {
            Ok(Ok(read)) => {
                for (sum, it) in accepted.iter_mut().zip(read) {
                    *sum += it;
                }
                if took <= SLOW {
                    continue;
                }
                failures.push(("is slow".to_owned(), input));
            }
            Ok(Err(what)) => failures.push((what, input)),
            Err(_) => failures.push(("panics".to_owned(), input)),
        }
        if failures.len() == MOST_FAILURES {
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let [parts, jobs, sections, pictures, arrays] = accepted;
    let folder = crate::root().join("target/fuzz");
    let write = |name: &str, input: &[u8]| {
        let file = folder.join(name);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::write(&file, input).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok::<String, String>(file.display().to_string())
    };
    let slow_file = write("files-slowest", &slow_input)?;
    println!(
        "{count} inputs in {seconds:.1} s; the slowest took {} ms: {slow_file}",
        slowest.as_millis()
    );
    println!(
        "read without an error: {parts} as parts, {jobs} as jobs, {sections} as sections, {pictures} as pictures, \
         {arrays} as arrays"
    );
    for (index, (what, input)) in failures.iter().enumerate() {
        println!("an input {what}: {}", write(&format!("files-{index}"), input)?);
    }
    if failures.is_empty() { Ok(()) } else { Err(format!("{} failures", failures.len())) }
}

/// Whether the text holds parts, a job, sections; it never is a picture or an array.
fn read(text: &str) -> Result<[bool; 5], String> {
    let parts = jobs::split(text);
    if let Ok(parts) = &parts {
        for part in parts {
            let _ = jobs::job::read_for(&text[part.at.clone()], jobs::Api::Wavelane);
        }
    }
    let directives = jobs::directives(text);
    let job = jobs::job::read_for(text, jobs::Api::Wavelane);
    // A large buffer only takes long to write.
    const MOST_BYTES: usize = 1 << 20;
    let bytes = |job: &jobs::job::Job| {
        job.buffers.iter().flat_map(|it| &it.data).map(Vec::len).sum::<usize>()
    };
    if let Some(job) = job.as_ref().ok().filter(|it| bytes(it) <= MOST_BYTES) {
        let dumped = jobs::dump(job);
        let _ = jobs::check(text, &["CHECK"], &dumped);
    }
    for error in job.as_ref().err().into_iter().flatten() {
        let _ = error.render("fuzz.yaml", text);
    }
    let sections = jobs::section::read("fuzz.hlsl", text);
    let _ = jobs::tests("fuzz.hlsl", text);
    Ok([parts.is_ok() && directives.is_ok(), job.is_ok(), sections.is_ok(), false, false])
}

fn seeds() -> Vec<String> {
    let mut seeds = Vec::new();
    let folder = crate::root().join("suite/jobs");
    let mut files: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|it| Some(it.ok()?.path())).collect();
    files.sort();
    for text in files.iter().filter_map(|it| fs::read_to_string(it).ok()) {
        let parts = jobs::split(&text).unwrap_or_default();
        seeds.extend(parts.into_iter().map(|it| text[it.at].to_owned()));
        seeds.push(text);
    }
    for file in
        suite::files(&suite::folder()).into_iter().filter_map(|it| fs::read_to_string(it).ok())
    {
        seeds.extend(file.split("\n\n").map(str::to_owned).filter(|it| it.contains("//#")).take(4));
    }
    // The document marker would only hide the kind of the part.
    for seed in &mut seeds {
        if let Some(job) = seed.trim_start().strip_prefix("---\n")
            && job.starts_with("Shaders:")
        {
            *seed = job.to_owned();
        }
    }
    seeds.retain(|it| !it.trim().is_empty() && it.len() <= LONGEST);
    seeds.sort_by_key(|it| !it.starts_with("Shaders:"));
    seeds
}

/// One of the texts with a few pieces removed, inserted, repeated or exchanged.
fn damaged(seeds: &[String], random: &mut Random) -> String {
    let pick = |random: &mut Random, most: usize| random.below(most.max(1));
    // Jobs are the first seeds, and half of the inputs: there are fewer of them, and more can go wrong.
    let jobs = seeds.iter().take_while(|it| it.starts_with("Shaders:")).count();
    let most = if pick(random, 2) == 0 { jobs } else { seeds.len() };
    let mut text = seeds[pick(random, most)].clone();
    for _ in 0..=pick(random, 6) {
        let place = |random: &mut Random, text: &str| {
            let at = pick(random, text.len() + 1);
            text.floor_char_boundary(at)
        };
        let (a, b) = (place(random, &text), place(random, &text));
        let (a, b) = (a.min(b), a.max(b));
        let short = text.ceil_char_boundary((a + pick(random, 24)).min(b));
        let (a, short) = (a.min(short), short);
        match pick(random, 6) {
            0 => text.replace_range(a..short, ""),
            1 => text.insert_str(a, PIECES[pick(random, PIECES.len())]),
            2 => {
                let piece = text[a..short].to_owned();
                text.insert_str(short, &piece.repeat(1 + pick(random, 8)));
            }
            3 => {
                let other = &seeds[pick(random, seeds.len())];
                let from = other.floor_char_boundary(pick(random, other.len()));
                let to = other.ceil_char_boundary((from + pick(random, 200)).min(other.len()));
                text.insert_str(a, &other[from..to]);
            }
            4 => {
                let digits = (random.below(1 << 20)).to_string();
                text.replace_range(a..short.min(text.ceil_char_boundary(a + 2)).max(a), &digits);
            }
            _ => text.truncate(b),
        }
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_few_thousand_damaged_files_are_read_or_refused() {
        super::run(3000, None, 1).unwrap();
    }
}
