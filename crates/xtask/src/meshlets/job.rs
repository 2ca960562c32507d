//! The text of a job that draws.

use std::fmt::Write;

/// Width and height of the target.
pub(super) const SIZE: usize = 96;

/// A resource: its contents, one for each element of an array.
pub(super) struct Resource {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) register: u32,
    pub(super) words: Vec<Vec<u32>>,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    Constants,
    /// With the size of an element in bytes.
    Structured(u32),
    Raw,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Constants => "ConstantBuffer",
            Kind::Structured(_) => "StructuredBuffer",
            Kind::Raw => "ByteAddressBuffer",
        }
    }
}

/// A stage, the flags that compile it, and its file.
pub(super) struct Shader {
    pub(super) stage: &'static str,
    pub(super) flags: String,
    pub(super) file: String,
}

/// `count` says what is drawn, and `expected` what the target must hold.
pub(super) fn text(
    shaders: &[Shader],
    resources: &[Resource],
    count: &str,
    expected: Option<&[f32]>,
) -> String {
    let mut job = "#--- job.yaml\nShaders:\n".to_owned();
    for shader in shaders {
        let _ = writeln!(job, "  - {{ Stage: {}, Entry: main }}", shader.stage);
    }
    job.push_str("Buffers:\n");
    for it in resources {
        let _ = write!(job, "  - Name: {}\n    Format: Hex32\n", it.name);
        if let Kind::Structured(stride) = it.kind {
            let _ = writeln!(job, "    Stride: {stride}");
        }
        match &it.words[..] {
            [single] => {
                let _ = writeln!(job, "    Data: {}", list(single));
            }
            many => {
                let lists: Vec<String> = many.iter().map(|it| list(it)).collect();
                let (length, lists) = (many.len(), lists.join(", "));
                let _ = write!(job, "    ArraySize: {length}\n    Data: [ {lists} ]\n");
            }
        }
    }
    let target = |job: &mut String, name: &str, data: &str| {
        let _ = write!(
            job,
            "  - Name: {name}\n    Format: Float32\n    Channels: 4\n    {data}\n    \
             OutputProps: {{ Width: {SIZE}, Height: {SIZE}, Depth: 1 }}\n"
        );
    };
    target(&mut job, "Target", &format!("FillSize: {}", SIZE * SIZE * 16));
    if let Some(expected) = expected {
        let values: Vec<String> = expected.iter().map(f32::to_string).collect();
        target(&mut job, "Wanted", &format!("Data: [ {} ]", values.join(", ")));
        job.push_str(
            "Results:\n  - { Result: Picture, Rule: BufferExact, Actual: Target, Expected: Wanted }\n",
        );
    }
    job.push_str("DescriptorSets:\n  - Resources:\n");
    for Resource { name, kind, register, .. } in resources {
        let kind = kind.name();
        let _ = writeln!(
            job,
            "    - {{ Name: {name}, Kind: {kind}, DirectXBinding: {{ Register: {register}, Space: 0 }} }}"
        );
    }
    let _ = write!(
        job,
        "Bindings:\n  RenderTarget: Target\nDispatchParameters:\n  {count}\n...\n#--- end\n\
         # RUN: split-file %s %t\n"
    );
    let mut objects = String::new();
    for (number, Shader { flags, file, .. }) in shaders.iter().enumerate() {
        let _ = writeln!(job, "# RUN: %dxc_target {flags} -Fo %t.{number}.o {file}");
        let _ = write!(objects, " %t.{number}.o");
    }
    let _ = writeln!(job, "# RUN: %offloader %t/job.yaml{objects}");
    job
}

fn list(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|it| format!("{it:#x}")).collect();
    format!("[ {} ]", words.join(", "))
}
