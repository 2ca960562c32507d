//! Planted mistakes: an engine that is wrong in one operation, on any machine.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use jobs::{Flags, Source, Test};
use wavelane::internal::{Slot, diag};
use wavelane::{NoIncludes, Options, ResourceTable, Shader, ShaderModel};

use super::DiffArgs;
use super::judge::{Told, judge};
use super::record::{Compared, Record, Repro, Verdict};
use super::run::Runner;
use super::subject::{Item, Subject, of_test};
use crate::args::{self, Line, Request};
use crate::asked::LowArgs;
use crate::command::Command;
use crate::side::{Runs, Side};

const SUM: &str = "RWStructuredBuffer<uint> Out;
RWStructuredBuffer<uint> Other;
[numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint t : SV_GroupIndex) {
    uint square = id.x * id.x;
    Other[id.x] = square;
    uint sum = 0;
    if (t & 1)
        sum = WaveActiveSum(square);
    Out[id.x] = sum + 1;
}
";

/// The default arguments.
fn asked() -> DiffArgs {
    DiffArgs::new(LowArgs::new(Command::Diff), Line::default())
}

fn subject(text: &str, groups: [u32; 3]) -> Subject {
    let options = Options { shader_model: ShaderModel::V6_6, ..Options::default() };
    let compiled = Shader::compile("a.hlsl", text, &options, &mut NoIncludes).unwrap();
    let shader = compiled.shader.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let mut table = ResourceTable::new(&shader);
    for name in ["Out", "Other"] {
        let bytes = vec![0; 4 * 16 * groups[0] as usize];
        // A program may have one of them only.
        let _ = table.bind_at(name, 0, Slot::new(bytes));
    }
    let flags = Flags { options, includes: Vec::new(), remarks: Vec::new() };
    let (name, text, included) = ("a.hlsl".to_owned(), text.to_owned(), BTreeMap::new());
    Subject {
        name: "a.hlsl".to_owned(),
        shader,
        sources: compiled.sources,
        table,
        groups,
        widths: Some(vec![8]),
        san: Vec::new(),
        source: Source { name, text, flags, included },
        may_wait: false,
        test: None,
    }
}

/// The shader with one word of its text replaced by another.
fn replaced(shader: &Shader, from: &str, to: &str) -> Shader {
    let text = shader.ir().unwrap();
    assert!(text.contains(from), "{text}");
    Shader::from_ir(&text.replace(from, to)).unwrap()
}

fn right(shader: &Shader) -> Shader {
    shader.clone()
}

/// Sums are maxima.
fn wrong(shader: &Shader) -> Shader {
    match shader.ir().unwrap().contains("wave.reduce.sum") {
        true => replaced(shader, "wave.reduce.sum", "wave.reduce.max.u"),
        false => shader.clone(),
    }
}

/// Sums are maxima, except in an instrumented program.
fn shy(shader: &Shader) -> Shader {
    match shader.ir().unwrap().contains("wavelane.trace") {
        true => shader.clone(),
        false => wrong(shader),
    }
}

fn records(subject: &Subject, fault: fn(&Shader) -> Shader) -> Vec<Record> {
    records_of(subject, Runs::Planted(fault))
}

fn records_of(subject: &Subject, runs: Runs) -> Vec<Record> {
    let args = asked();
    let (cancel, is_lost, done) = (Arc::default(), Cell::new(false), Cell::new(0));
    let most_fuel = Cell::new(u64::MAX);
    let runner = Runner { args: &args, cancel, is_lost, done, most_fuel };
    let sides = [Side { name: "cpu".to_owned(), about: None, runs }];
    let mut records: Vec<Record> = Vec::new();
    judge(&runner, subject, &sides, diag::Style::Plain, &mut |told| match told {
        Told::Record(record) => records.push(*record),
        Told::Repro(repro) => {
            records.last_mut().unwrap().repro = Some(super::pool::repro_of(repro));
        }
    });
    records
}

fn only(subject: &Subject, fault: fn(&Shader) -> Shader) -> Record {
    let mut all = records(subject, fault);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn engines_that_are_right_agree() {
    let record = only(&subject(SUM, [2, 1, 1]), right);
    assert_eq!((record.verdict, record.width), (Verdict::Agree, 8));
    assert_eq!(record.engines, [("cpu".to_owned(), Compared::Same)]);
}

/// A line that differs is a disagreement, though the buffers agree.
#[test]
fn a_planted_mistake_in_what_is_printed_is_found() {
    let prints = SUM.replace(
        "    uint sum = 0;",
        "    uint sum = 0; uint last = WaveActiveMax(t); if (id.x == 3) printf(\"%u\", last);",
    );
    let prints = subject(&prints, [2, 1, 1]);
    fn wrong_line(shader: &Shader) -> Shader {
        replaced(shader, "wave.reduce.max.u", "wave.reduce.min.u")
    }
    assert_eq!(only(&prints, right).verdict, Verdict::Agree);
    let record = only(&prints, wrong_line);
    assert_eq!(record.verdict, Verdict::Disagree);
    assert!(record.whose.starts_with("wavelane: `cpu`"), "{}", record.whose);
    let expected = "printed line 1 is `0` from lane 3 of wave 0 of group (0, 0, 0), and `7` from";
    assert!(record.details[0].contains(expected), "{:?}", record.details);
}

#[test]
fn a_planted_mistake_is_found_in_its_operation_and_its_lane() {
    let record = only(&subject(SUM, [2, 1, 1]), wrong);
    assert_eq!(record.verdict, Verdict::Disagree);
    assert!(record.whose.starts_with("wavelane: `cpu`"), "{}", record.whose);
    // Thread 1 has 1 + 9 + 25 + 49, and at most 49.
    let detail = &record.details[0];
    assert!(
        detail.contains("Out[1] is 0x00000032 (50), and 0x00000055 (85) in `interp`"),
        "{detail}"
    );
    let [first] = record.first.as_slice() else { panic!("{record:?}") };
    assert_eq!((first["line"].as_u64(), first["lane"].as_u64()), (Some(9), Some(1)), "{first}");
    assert_eq!(first["operation"], "wave.reduce.sum");
    assert_eq!(first["expected"]["value"], "84");
    assert_eq!(first["got"]["value"], "49");
    assert_eq!(first["more_lanes"], 3);
    assert!(record.pictures[0].contains("WaveActiveSum(square)"), "{}", record.pictures[0]);
}

#[test]
fn the_file_that_is_written_is_small_and_shows_the_disagreement_by_itself() {
    let record = only(&subject(SUM, [4, 1, 1]), wrong);
    let Some(Repro::Text { text, about }) = &record.repro else { panic!("{:?}", record.repro) };
    assert!(about.ends_with("of 11 lines, one group"), "{about}");
    assert!(!text.contains("Other"), "what is not needed is gone: {text}");
    let test = Test { file: "x.test".to_owned(), case: None };
    let file = jobs::TestFile::new(&*test.file, &**text);
    let again = of_test(&asked(), &test, &file).ok().unwrap();
    let [Item::One(again)] = again.as_slice() else { panic!("{text}") };
    assert_eq!(again.groups, [1, 1, 1]);
    let verdicts =
        |fault| -> Vec<Verdict> { records(again, fault).iter().map(|it| it.verdict).collect() };
    assert_eq!(verdicts(wrong), [Verdict::Disagree]);
    assert_eq!(verdicts(right), [Verdict::Agree]);
}

/// Three passes, of which the second sums.
const PASSES: &str = "#--- source.hlsl
RWStructuredBuffer<uint> Out : register(u0);
[numthreads(16, 1, 1)] void Fill(uint t : SV_GroupIndex) { Out[t] = t + 1; }
[numthreads(16, 1, 1)] void Sum(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(Out[t]);
    Out[t] = sum;
}
[numthreads(16, 1, 1)] void Twice(uint t : SV_GroupIndex) { Out[t] *= 2; }
#--- pipeline.yaml
Shaders:
  - { Stage: Compute, Entry: Fill }
  - { Stage: Compute, Entry: Sum }
  - { Stage: Compute, Entry: Twice }
Buffers: [ { Name: Out, Format: UInt32, Stride: 4, FillSize: 64 } ]
DescriptorSets:
  - Resources:
    - { Name: Out, Kind: RWStructuredBuffer, DirectXBinding: { Register: 0, Space: 0 } }
Passes: [ { Entry: Fill, Repeat: 2 }, { Entry: Sum }, { Entry: Twice } ]
#--- end
# RUN: split-file %s %t
# RUN: %dxc_target -T cs_6_6 -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
";

#[test]
fn the_first_pass_after_which_engines_differ_is_named() {
    let test = Test { file: "x.test".to_owned(), case: None };
    let file = jobs::TestFile::new(&*test.file, PASSES);
    let items = of_test(&asked(), &test, &file).ok().unwrap();
    let [Item::Sequence(passes)] = items.as_slice() else { panic!("one job of passes") };
    let records = |fault: fn(&Shader) -> Shader| {
        let args = asked();
        let (cancel, is_lost, done) = (Arc::default(), Cell::new(false), Cell::new(0));
        let most_fuel = Cell::new(u64::MAX);
        let runner = Runner { args: &args, cancel, is_lost, done, most_fuel };
        let sides = [Side { name: "cpu".to_owned(), about: None, runs: Runs::Planted(fault) }];
        let mut records: Vec<Record> = Vec::new();
        super::sequence::judge(&runner, passes, &sides, diag::Style::Plain, &mut |told| {
            if let Told::Record(record) = told {
                records.push(*record);
            }
        });
        records
    };
    let [record] = &records(wrong)[..] else { panic!("one width") };
    assert_eq!(
        (record.verdict, record.name.as_str()),
        (Verdict::Disagree, "x.test, pass 2 (`Sum`)")
    );
    assert!(record.pictures[0].contains("WaveActiveSum(Out[t])"), "{}", record.pictures[0]);
    assert_eq!(records(right)[0].verdict, Verdict::Agree);
}

/// A difference that vanishes without the driver's optimisations is the driver's mistake.
#[test]
fn a_second_opinion_distinguishes_the_optimiser_from_the_compiler() {
    let subject = subject(SUM, [2, 1, 1]);
    let record = &records_of(&subject, Runs::Misassembled(wrong))[0];
    assert_eq!(record.verdict, Verdict::Disagree);
    assert!(record.whose.starts_with("the driver of"), "{}", record.whose);
    assert!(record.whose.contains("with `--jit-level 0`"), "{}", record.whose);
    // The place is found all the same.
    assert!(record.pictures[0].contains("WaveActiveSum(square)"), "{}", record.pictures[0]);
    // An engine without such a level is not asked for one.
    assert!(only(&subject, wrong).whose.starts_with("wavelane: `cpu`"));
}

#[test]
fn a_mistake_that_vanishes_under_watch_is_reported_as_such() {
    let record = only(&subject(SUM, [1, 1, 1]), shy);
    assert_eq!(record.verdict, Verdict::Disagree);
    assert_eq!(record.first.len(), 0);
    let said =
        record.details.iter().any(|it| it.contains("where values are watched, the results agree"));
    assert!(said, "{:?}", record.details);
    assert!(matches!(record.repro, Some(Repro::Text { .. })), "{:?}", record.repro);
}

#[test]
fn a_store_to_a_different_place_is_not_a_value() {
    fn elsewhere(shader: &Shader) -> Shader {
        // The first store of the program goes to the other buffer.
        let text = shader.ir().unwrap();
        let moved = Shader::from_ir(&text.replacen("store b1[", "store b0[", 1));
        // A smaller program may have no other buffer.
        moved.unwrap_or_else(|_| shader.clone())
    }
    let record = only(&subject(SUM, [1, 1, 1]), elsewhere);
    assert_eq!((record.verdict, record.first.len()), (Verdict::Disagree, 0));
    let said = record.details.iter().any(|it| it.contains("every value that is computed agrees"));
    assert!(said, "{:?}", record.details);
}

#[test]
fn an_undefined_or_open_result_is_not_an_engines_mistake() {
    let undefined = SUM.replace(
        "sum = WaveActiveSum(square);",
        "sum = WaveActiveSum(square) + WaveReadLaneAt(t, 0);",
    );
    let record = only(&subject(&undefined, [1, 1, 1]), wrong);
    assert_eq!((record.verdict, record.whose.as_str()), (Verdict::Undefined, "the program"));
    assert!(record.pictures[0].contains("[inactive-lane-read]"), "{}", record.pictures[0]);
    assert_eq!(record.findings[0]["id"], "inactive-lane-read");
    assert!(record.repro.is_none() && record.first.is_empty());

    let open = SUM.replace(
        "Out[id.x] = sum + 1;",
        "uint place; InterlockedAdd(Out[0], 1, place); Other[place & 15] = sum + id.x;",
    );
    let record = only(&subject(&open, [1, 1, 1]), wrong);
    assert_eq!(record.verdict, Verdict::Open, "{record:?}");
    assert!(!record.findings.is_empty());
}

#[test]
fn a_loop_longer_than_one_stretch_is_followed() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex) {
            uint x = t;
            for (uint i = 0; i < 3000; i++) x = x * 5 + i;
            Out[t] = WaveActiveSum(x);
        }";
    let record = only(&subject(text, [1, 1, 1]), wrong);
    let [first] = record.first.as_slice() else { panic!("{record:?}") };
    assert_eq!(first["operation"], "wave.reduce.sum");
    assert_eq!(first["line"], 5);
}

#[test]
fn the_first_difference_is_found_across_parts_of_a_long_program() {
    // Far more values than one run watches, and the mistake shows in an early line of the loop first.
    let lines: String = (0..120).map(|it| format!("x = x * 3 + {it};\n")).collect();
    let text = format!(
        "RWStructuredBuffer<uint> Out;
[numthreads(16, 1, 1)] void main(uint t : SV_GroupIndex) {{
uint x = t, y = 0;
for (uint i = 0; i < 3; i++) {{
if (y > 5) Out[t + 16] = 1;
{lines}
y = WaveActiveSum(t);
}}
Out[t] = x;
}}
"
    );
    let mut subject = subject(&text, [1, 1, 1]);
    let bytes = vec![0; 4 * 32];
    subject.table.bind_at("Out", 0, Slot::new(bytes)).unwrap();
    fn less(shader: &Shader) -> Shader {
        match shader.ir().unwrap().contains("wave.reduce.sum") {
            true => replaced(shader, "wave.reduce.sum", "wave.reduce.min.u"),
            false => shader.clone(),
        }
    }
    let record = only(&subject, less);
    let [first] = record.first.as_slice() else { panic!("{record:?}") };
    assert_eq!(first["operation"], "wave.reduce.sum", "{first}");
    assert_eq!(first["line"], 127);
}

#[test]
fn the_sanitizer_gets_only_the_flags_it_knows() {
    let words = |line: &str, is_test| {
        let words = ["wavelane", "diff"].into_iter().chain(line.split_whitespace());
        let Ok(Request::Work(_, said)) = args::parse(words.map(Into::into)) else {
            panic!("{line}")
        };
        said.for_command(Command::San, is_test).join(" ")
    };
    let line = "a.hlsl --bind Out=[4] --engines interp,cpu --wave-size=8 -DX=1 -T cs_6_6 --repro r.test \
                --spirv=a.spv --unordered Out --worker --format json";
    assert_eq!(words(line, false), "a.hlsl --bind Out=[4] -DX=1 -T cs_6_6 --unordered Out");
    assert_eq!(words("a.test -j 4 --timeout 3", true), "--timeout 3");
}

#[test]
fn no_file_is_overwritten_silently() {
    let files = super::Files { wanted: None, written: 0 };
    let name =
        |taken: &[&str]| files.name("dir/a b.hlsl::case run 2", 32, &|it| taken.contains(&it));
    assert_eq!(name(&[]), "diff-a-b--case-run-2-32.test");
    let taken = ["diff-a-b--case-run-2-32.test", "diff-a-b--case-run-2-32-2.test"];
    assert_eq!(name(&taken), "diff-a-b--case-run-2-32-3.test");
    let wanted = super::Files { wanted: Some("x/r.test".to_owned()), written: 2 };
    assert_eq!(wanted.name("a.hlsl", 4, &|_| true), "x/r-3.test");
}
