//! The picture in `README.md`: the lanes of a small program, as `wavelane timeline -o picture.svg` draws them. Also the
//! recordings that are shown to browsers in tests.

use std::sync::Arc;

use diag::{Sink, SourceMap};
use hlsl::{Includer, Options};
use ir::exec::{Bindings, Buffer, Launch};
use timeline::{Program, Recording, Window};

/// The width of the waves, and the program.
type Shown = (u32, &'static str);

pub(crate) const SMALL: Shown = (
    8,
    "RWStructuredBuffer<uint> Out;

[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint odd = 0, even = 0;
    for (uint i = 0; i < t % 4; ++i) {
        if (t & 1) {
            odd += WaveActiveCountBits(true);
            continue;
        }
        even += WaveActiveCountBits(true);
    }
    Out[t] = odd + even;
}
",
);

/// A run of more than a million lane-steps, in which lanes part at every step.
pub(crate) const LARGE: Shown = (
    64,
    "RWStructuredBuffer<uint> Out;

[numthreads(512, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint hash = t;
    for (uint i = 0; i < 700; ++i) {
        hash = hash * 1664525 + 1013904223;
        if (hash & 0x10000)
            hash ^= WaveActiveSum(i);
    }
    Out[t % 8] = hash;
}
",
);

/// Shuffles: of all lanes, and of some, of which two read lanes that do not take part.
pub(crate) const SHUFFLES: Shown = (
    8,
    "RWStructuredBuffer<uint> Out;

[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint next = WaveReadLaneAt(t, t ^ 1);
    if (t % 4 < 2) {
        next += WaveReadLaneAt(t, t * 2 % 8);
    }
    Out[t] = next + WaveReadLaneFirst(t);
}
",
);

struct Nothing;

impl Includer for Nothing {
    fn read(&mut self, _: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        None
    }
}

pub(crate) fn text() -> String {
    timeline::svg::svg(&recording(SMALL.0, SMALL.1))
}

/// Records a program of one group and one buffer.
pub(crate) fn recording(width: u32, text: &str) -> Recording {
    let (mut sources, mut sink) = (SourceMap::new(), Sink::new());
    let options = Options { notes: true, ..Options::default() };
    let main = sources.add("loop.hlsl", text);
    let compiled =
        main.and_then(|main| hlsl::compile(main, &mut sources, &mut Nothing, &options, &mut sink));
    let Some(compiled) = compiled else { unreachable!("the program of the picture compiles") };
    let launch = Launch::dispatch([1, 1, 1], width);
    let buffer = Buffer::new(vec![0; 32]);
    let program = Program {
        name: "loop.hlsl".to_owned(),
        entry: "main".to_owned(),
        groups: [1, 1, 1],
        group_size: compiled.module.group_size,
        wave_size: width,
        ..Program::default()
    };
    let (recording, _) = timeline::record(
        &compiled.module,
        &sources,
        &launch,
        Bindings { bindings: vec![vec![buffer]] },
        program,
        &Window::default(),
        Vec::new(),
    );
    recording
}
