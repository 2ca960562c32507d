//! What a host prints about a shader: the compiler's warnings, and the sanitizer's findings.

use wavelane::diagnostic::{Allows, Style};
use wavelane::sanitizer::Plan;
use wavelane::{
    Adapter, Buffer, Compilation, Device, Dispatch, NoIncludes, Options, ResourceTable, Shader,
};

fn compiled(text: &str) -> Compilation {
    Shader::compile("a.hlsl", text, &Options::default(), &mut NoIncludes).unwrap()
}

#[test]
fn the_warnings_of_a_shader_that_compiles_have_text() {
    let text = "RWStructuredBuffer<uint> Out;
        [numthreads(1, 1, 1)] void main() { Out[0] = 4294967296; }";
    let compiled = compiled(text);
    let warnings = compiled.render(Style::Plain);
    assert!(warnings.starts_with("a.hlsl:2:54: warning: "), "{warnings}");
    assert!(warnings.contains("Out[0] = 4294967296;"), "{warnings}");
    assert!(compiled.render(Style::Colour).contains('\x1b'));
    assert!(compiled.shader.is_some());
    let clean = self::compiled("[numthreads(1, 1, 1)] void main() {}");
    assert_eq!(clean.render(Style::Plain), "");
}

#[test]
fn a_report_has_text_without_what_comments_allow() {
    let report = |comment: &str| {
        let text = format!(
            "RWStructuredBuffer<uint> Out;
            [numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {{
                Out[0] = i; {comment}
            }}"
        );
        let compiled = compiled(&text);
        let sources = compiled.sources.clone();
        let shader = compiled.shader().unwrap();
        let device = Device::new(Adapter::reference());
        let pipeline = device.create_compute_pipeline(&shader).unwrap();
        let mut table = ResourceTable::new(&shader);
        table.bind("Out", Buffer::zeroed::<u32>(1)).unwrap();
        let plan = Plan::new(vec![4, 8]);
        let report = pipeline.examine(&Dispatch::new([1, 1, 1]), &plan, &table).unwrap();
        let (mut allows, wrong) = Allows::read(&sources);
        assert!(wrong.is_empty());
        let runs = report.runs;
        let left = report.without_allowed(&mut allows, &sources);
        assert_eq!(left.runs, runs);
        (left.render(&sources, Style::Plain), left.seen.len())
    };
    let (text, count) = report("");
    assert!(text.contains("[race]") && text.contains("a.hlsl:3:") && count > 0, "{text}");
    let (text, left) = report("// wavelane: allow(race): only the last value counts");
    assert!(!text.contains("[race]") && left < count, "{text}");
}
