//! However many tests a file has, it is read and checked once: the tests count the work, not the time.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use wavelane::{Adapter, Device, Includer, Options, Schedule};
use wavelane_jobs::{Api, Files, Flags, Outcome, Setup, TestFile, Verdict, Widths, features, run};

/// Counts how often a compilation requests files.
struct Counted {
    reads: Rc<Cell<usize>>,
}

impl Files for Counted {
    fn read(&mut self, _path: &str, _test: &str) -> Option<String> {
        self.reads.set(self.reads.get() + 1);
        None
    }

    fn includer(&mut self, _includes: &[String]) -> Box<dyn Includer> {
        Box::new(Counted { reads: self.reads.clone() })
    }
}

impl Includer for Counted {
    fn read(&mut self, _path: &str, _includer: &str, _system: bool) -> Option<(String, Arc<str>)> {
        self.reads.set(self.reads.get() + 1);
        None
    }
}

/// Runs all tests of a file; returns the outcomes, how often files were looked up, and how often the front end ran.
fn all(name: &str, text: &str) -> (Vec<Outcome>, usize, usize) {
    let file = TestFile::new(name, text);
    let device = Device::new(Adapter::reference());
    let features = features(device.adapter(), Api::DirectX);
    let flags = Flags { options: Options::default(), includes: Vec::new(), remarks: Vec::new() };
    let read_flags = |_: &[String]| Ok(flags.clone());
    let setup = Setup {
        device: &device,
        features: &features,
        widths: &Widths::List(vec![4, 32]),
        read_flags: &read_flags,
        flags: &flags,
        lane_order: None,
        schedule: Schedule::Ascending,
        fuel: &|_| None,
        cancel: None,
        golden: None,
        print_limit: 1000,
        wants_output: false,
        on_engine: None,
    };
    let reads = Rc::new(Cell::new(0));
    let mut outcomes = Vec::new();
    for test in file.tests().unwrap() {
        let mut files = Counted { reads: reads.clone() };
        run(test, &file, &setup, &mut files, &|_| true, &mut |it| outcomes.push(it));
    }
    (outcomes, reads.get(), file.front_ends())
}

fn cases(count: usize, line: impl Fn(usize) -> String) -> String {
    let cases = (0..count).map(|it| format!("TEST_CASE(case{it}) {{ {} }}\n", line(it)));
    "#include <wavelane.hlsli>\n".to_owned() + &cases.collect::<String>()
}

fn passed(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|it| it.verdict == Verdict::Passed).count()
}

#[test]
fn cases_of_a_file_share_one_run_of_the_front_end() {
    for count in [1, 20, 100] {
        let text = cases(count, |it| format!("EXPECT_EQ({it}u + WaveGetLaneIndex() * 0, {it}u);"));
        let (outcomes, reads, front_ends) = all("many.hlsl", &text);
        assert_eq!((passed(&outcomes), outcomes.len()), (2 * count, 2 * count));
        assert_eq!((reads, front_ends), (1, 1), "{count} cases");
    }
}

#[test]
fn pixel_shaders_are_compiled_once_each_and_cost_the_other_cases_nothing() {
    let both = |it: usize| format!("TEST_DRAW(draw{it}, 4, 4) {{ EXPECT(true); }}\n");
    let text = cases(20, |_| "EXPECT(true);".to_owned());
    let text = text + &(0..20).map(both).collect::<String>();
    let (outcomes, reads, front_ends) = all("both.hlsl", &text);
    assert_eq!((passed(&outcomes), outcomes.len()), (80, 80), "{outcomes:?}");
    // One run for the compute shaders together.
    assert_eq!((reads, front_ends), (21, 21));
}

#[test]
fn failing_cases_are_shown_with_their_own_lines() {
    let text = cases(30, |it| format!("EXPECT({it} != 17);"));
    let (outcomes, _, front_ends) = all("one.hlsl", &text);
    let failed: Vec<&Outcome> =
        outcomes.iter().filter(|it| it.verdict == Verdict::Failed).collect();
    assert_eq!((failed.len(), front_ends), (2, 1));
    assert_eq!(failed[0].findings[0].line, 19);
    assert_eq!(failed[0].findings[0].message, "TEST_CASE(case17) { EXPECT(17 != 17); }");
}

/// An error in one case is reported for that case only, as if it had been compiled alone.
#[test]
fn a_case_that_does_not_compile_fails_alone_where_the_others_do() {
    // Only what an entry point reaches counts.
    let text = cases(5, |it| match it {
        3 => "double d = 1; EXPECT(WaveReadLaneAt(d, 0) == QuadAny(true));".to_owned(),
        _ => "EXPECT(true);".to_owned(),
    });
    let text = text.replace("TEST_CASE(case3)", "[WaveSize(1024)] TEST_CASE(case3)");
    let (outcomes, _, front_ends) = all("bad.hlsl", &text);
    let failed: Vec<&Outcome> =
        outcomes.iter().filter(|it| it.verdict != Verdict::Passed).collect();
    assert_eq!((failed.len(), passed(&outcomes), front_ends), (1, 8, 1), "{outcomes:?}");
    assert!(failed[0].message.contains("bad.hlsl:5:"), "{}", failed[0].message);

    // If the whole file is wrong, each case says so, and the file is still read once.
    let text = text.replace("EXPECT(true)", "EXPECT(tru)");
    let (outcomes, _, front_ends) = all("bad.hlsl", &text);
    assert_eq!((outcomes.len(), passed(&outcomes), front_ends), (5, 0, 1));
}

#[test]
fn sections_are_compiled_separately_however_many_there_are() {
    for count in [1, 20, 60] {
        let section = |it| {
            format!(
                "//--- s{it}\nRWStructuredBuffer<uint> O;\n//# widths 4 32\n//# in O u32: 0\n//= O u32: {it}\n\
                 [numthreads(1, 1, 1)] void main() {{ O[0] = {it}; }}\n"
            )
        };
        let text: String = (0..count).map(section).collect();
        let (outcomes, reads, front_ends) = all("sections.hlsl", &text);
        assert_eq!((passed(&outcomes), outcomes.len()), (2 * count, 2 * count), "{outcomes:?}");
        // One for each width; the prelude is looked up once, in each parent folder.
        assert_eq!((reads, front_ends), (8, 2 * count), "{count} sections");
    }
}
