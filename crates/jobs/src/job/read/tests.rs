//! Reading jobs, and the messages about wrong ones.

use super::*;

const SMALL: &str = "Shaders: [{ Stage: Compute, Entry: main }]
Buffers:
  - { Name: A, Format: Float32, Channels: 2, Data: [1, nan, 0x1p-1, -inf] }
  - { Name: B, Format: Hex16, ArraySize: 2, Data: [[1, 2], [3, 4]] }
  - { Name: C, Format: Int32, Stride: 4, FillSize: 8, FillValue: -1 }
Results:
  - { Result: R, Rule: BufferFloatULP, ULPT: 1, Actual: A, Expected: A }
DescriptorSets:
  - Resources:
    - { Name: C, Kind: RWStructuredBuffer, DirectXBinding: { Register: 1, Space: 2 } }
";

#[test]
fn a_job_is_read_with_its_defaults() {
    let job = read(SMALL).unwrap();
    assert_eq!(job.groups, [1, 1, 1]);
    assert_eq!(job.buffers[0].numbers(0).next(), Some(0x3f80_0000));
    assert_eq!(job.buffers[1].data, [vec![1, 0, 2, 0], vec![3, 0, 4, 0]]);
    assert_eq!(job.buffers[2].data, [vec![0xff; 8]]);
    let rule = Rule::Ulp { most: 1, zero: 0.0, denormals: Denormals::Any };
    assert_eq!(job.results[0].rule, rule);
    assert_eq!(job.sets[0][0].place, BindPoint::Register { index: 1, space: 2 });
}

#[test]
fn errors_have_a_location_and_a_remedy() {
    for (from, to, place, message) in [
        ("Results:", "Result:", "Result", "did you mean `Results`?"),
        ("Stage: Compute", "Stage: Computer", "Computer", "did you mean `Compute`?"),
        ("Format: Hex16", "Format: Hex", "Hex", "did you mean `Hex"),
        ("Channels: 2", "Channel: 2", "Channel", "did you mean `Channels`?"),
        ("nan,", "none,", "none", "is not a number"),
        ("[3, 4]", "[3]", "[3]", "same size"),
        ("ArraySize: 2", "ArraySize: 3", "[[1, 2], [3, 4]]", "2 lists"),
        ("FillSize: 8", "FillSize: 6", "6", "not a whole number"),
        ("FillSize: 8", "ZeroInitSize: 8", "ZeroInitSize", "FillSize"),
        ("FillSize: 8", "FillSize: 4000000000", "4000000000", "the job's buffers have"),
        ("Actual: A", "Actual: B", "BufferFloatULP", "only buffers of floats"),
        ("Actual: A", "Actual: AA", "AA", "no buffer `AA`"),
        ("ULPT: 1,", "", "Result", "missing key `ULPT`"),
        ("Stride: 4", "Stride: 4, Channels: 2", "4", "one channel"),
        ("Name: C, Kind", "Name: D, Kind", "D", "no buffer `D`"),
        (", Space: 2", "", "Register", "missing key `Space`"),
        ("- { Name: B", "- { Name: A", "A", "defined twice"),
    ] {
        let text = SMALL.replacen(from, to, 1);
        let errors = read(&text).unwrap_err();
        let error = &errors[0];
        let shown = format!("{} {}", error.message, error.help.as_deref().unwrap_or(""));
        assert!(shown.contains(message), "{to}: {shown}");
        assert_eq!(&text[error.at.clone()], place, "{to}: {shown}");
    }
}

#[test]
fn all_errors_are_reported_at_once() {
    let text = SMALL.replace("Entry", "Entyr").replace("Float32", "Float");
    assert!(read(&text).unwrap_err().len() >= 3);
}

#[test]
fn the_size_of_a_job_is_bounded_before_memory_is_allocated() {
    let buffers = |size: &str, count: usize| -> String {
        (0..count)
            .map(|it| format!("  - {{ Name: X{it}, Format: Hex8, FillSize: {size} }}\n"))
            .collect()
    };
    let with = |more: &str| {
        read(&SMALL.replace("Results:", &format!("{more}Results:"))).map(|it| it.buffers.len())
    };
    // Each of them would be small enough alone.
    let many = buffers("1073741824", 100);
    let errors = with(&many).unwrap_err();
    assert_eq!(errors.len(), 100);
    assert!(errors[0].message.contains("the job's buffers have 107374"), "{errors:?}");
    assert!(errors[0].help.as_ref().is_some_and(|it| it.contains("1073741824")), "{errors:?}");
    let text = SMALL.replace("Results:", &format!("{many}Results:"));
    assert_eq!(&text[errors[0].at.clone()], "1073741824");
    assert_eq!(with(&buffers("1024", 100)), Ok(103));
    // An array of nothing takes memory too.
    let array = "  - { Name: X, Format: Hex8, ArraySize: 4294967295, FillSize: 0 }\n";
    assert_eq!(with(array).unwrap_err().len(), 1);
}

#[test]
fn resources_count_as_often_as_they_are_bound() {
    let resource =
        "    - { Name: C, Kind: RWStructuredBuffer, DirectXBinding: { Register: 1, Space: 2 } }\n";
    let often = |times: usize| {
        let text = SMALL.replace("FillSize: 8,", "FillSize: 16777216,");
        read(&text.replace(resource, &resource.repeat(times)))
    };
    assert!(often(60).is_ok());
    let errors = often(70).unwrap_err();
    assert!(errors[0].message.contains("bytes are bound"), "{errors:?}");
}

const PASSES: &str = "Shaders: [{ Stage: Compute, Entry: Up }, { Stage: Compute, Entry: Down }]
Buffers:
  - { Name: Src, Format: UInt32, Stride: 4, FillSize: 16 }
  - { Name: Args, Format: UInt32, Stride: 4, Data: [0, 0, 0, 2, 1, 1] }
  - { Name: Many, Format: UInt32, ArraySize: 2, FillSize: 16 }
DescriptorSets: []
Passes:
  - { Entry: Up, DispatchGroupCount: [4, 1, 1], Set: { Count: 1024 } }
  - { Entry: Down, Indirect: { Buffer: Args, Offset: 12 }, Bind: { In: Src, Out: Args }, Repeat: 3 }
";

#[test]
fn passes_are_read_with_their_defaults() {
    let job = read(PASSES).unwrap();
    let [up, down] = job.passes.as_slice() else { panic!("{:?}", job.passes) };
    assert_eq!((up.entry, &up.groups, up.repeat), (0, &Groups::Count([4, 1, 1]), 1));
    assert_eq!(
        (up.set[0].name.as_str(), up.set[0].values.as_slice()),
        ("Count", &["1024".to_owned()][..])
    );
    let Groups::Indirect { buffer: 1, offset: 12, .. } = down.groups else { panic!("{down:?}") };
    let bound: Vec<(&str, usize)> =
        down.bind.iter().map(|it| (it.resource.as_str(), it.buffer)).collect();
    assert_eq!((bound, down.repeat), (vec![("In", 0), ("Out", 1)], 3));
}

#[test]
fn errors_in_passes_are_located() {
    for (from, to, place, message) in [
        ("Entry: Down, Ind", "Entry: Dwn, Ind", "Dwn", "did you mean `Down`?"),
        ("Entry: Down, Ind", "Entry: Zzz, Ind", "Zzz", "lists no entry point"),
        ("Entry: Down }", "Entry: Up }", "Up", "defined twice"),
        ("Buffer: Args", "Buffer: Argz", "Argz", "did you mean `Args`?"),
        ("Out: Args", "Out: Scr", "Scr", "did you mean `Src`?"),
        ("Buffer: Args", "Buffer: Many", "Many", "array of buffers"),
        ("Offset: 12", "Offset: 13", "13", "multiple of 4"),
        ("Offset: 12", "Offset: 16", "16", "24 bytes"),
        ("Offset: 12", "Offset: 4294967295", "4294967295", "multiple of 4"),
        ("Offset: 12", "Offset: 4294967292", "4294967292", "24 bytes"),
        ("Offset: 12", "Offset: 4294967296", "4294967296", "unsigned 32-bit"),
        ("Offset: 12", "Offset: -4", "-4", "unsigned 32-bit"),
        ("Repeat: 3", "Repeat: 0", "0 }", "at least once"),
        ("Repeat: 3", "Repeat: 4096", "Down, Ind", "4097 dispatches"),
        ("Repeat: 3", "Repeat: 4294967295", "Down, Ind", "4294967295 dispatches"),
        ("Repeat: 3", "Repeat: -1", "-1", "unsigned"),
        ("[4, 1, 1]", "[4, 1]", "[4, 1]", "three dimensions"),
        ("[4, 1, 1]", "[4, 65536, 1]", "[4, 65536, 1]", "65536 groups"),
        ("Count: 1024", "Count: { x: 1 }", "{ x: 1 }", "single value"),
        ("Set: {", "Sett: {", "Sett", "did you mean `Set`?"),
        ("Bind: { In: Src, Out: Args }", "Bind: [Src]", "[Src]", "must be a mapping"),
        ("Repeat: 3", "DispatchGroupCount: [1, 1, 1]", "{ Buffer", "not both"),
        (
            "Passes:",
            "DispatchParameters: { DispatchGroupCount: [1, 1, 1] }\nPasses:",
            "{ Dis",
            "not both",
        ),
        ("Stage: Compute, Entry: Up", "Stage: Pixel, Entry: Up", "Up }", "are compute shaders"),
        ("Passes:", "Results: []\nPases:", "Pases", "did you mean `Passes`?"),
    ] {
        let text = PASSES.replacen(from, to, 1);
        assert_ne!(text, PASSES, "{from}");
        let errors = read(&text).map(|_| text.clone()).unwrap_err();
        let is_it = |it: &Error| {
            let help = it.help.clone().unwrap_or_default();
            text[it.at.start..].starts_with(place)
                && (it.message.contains(message) || help.contains(message))
        };
        assert!(errors.iter().any(is_it), "{from} -> {to}: {errors:?}");
    }
    let empty = &PASSES[..PASSES.find("  - { Entry: Up").unwrap()];
    assert!(read(empty).unwrap_err()[0].message.contains("no pass"));
}
