//! The planted faults, one row each: the lines, and where they can show.

pub(crate) mod feedback;
pub(crate) mod rays;
mod sharing;
mod waiting;

use ops::LaneMask;
use sanitizer::Kind;

use super::Setup;
use super::host::Visit;
use generate::Random;

/// One class of faults.
pub struct Class {
    /// The name in the table of the documents.
    pub name: &'static str,
    /// The finding that the sanitizer must report.
    pub kind: Kind,
    pub(super) place: Reach,
    /// The widths to examine, the first being the one for which the program is generated; a random one if empty.
    pub(super) widths: &'static [u32],
    /// The minimum number of waves in a group.
    pub(super) waves: Option<u32>,
    /// Several groups.
    pub(super) groups: bool,
    pub(super) snippet: fn(&mut Random, &Context<'_>) -> Option<Snippet>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// In any function, however deep.
    Anywhere,
    /// In `main`, before and after its branches.
    WhereAllCome,
}

/// What is known about a place.
pub(super) struct Context<'a> {
    pub(super) setup: &'a Setup,
    pub(super) visits: &'a [Visit],
}

/// The lines to plant.
pub(super) struct Snippet {
    pub(super) declarations: Vec<String>,
    lines: Vec<Line>,
}

struct Line {
    clean: String,
    faulty: String,
    /// A report of the fault may be at this line.
    is_marked: bool,
}

/// Uses the planted value, so that it matters.
pub(super) const SINK: &str = "Extra[self] = Extra[self] * 31 + planted;";

/// A buffer that is another name of the second one, wherever it is used.
pub(super) const ALIAS: (&str, &str) = ("Words", "Raw");

const BARRIER: &str = "GroupMemoryBarrierWithGroupSync();";

impl Snippet {
    fn new() -> Snippet {
        Snippet { declarations: Vec::new(), lines: Vec::new() }
    }

    /// A line before everything else in the file.
    fn declare(mut self, text: &str) -> Snippet {
        self.declarations.push(text.to_owned());
        self
    }

    fn line(self, text: &str) -> Snippet {
        self.push(text, text, false)
    }

    /// A line that is involved in the fault and is the same in both programs.
    fn partner(self, text: &str) -> Snippet {
        self.push(text, text, true)
    }

    /// The wrong line, which is also the reported one.
    fn fault(self, clean: &str, faulty: &str) -> Snippet {
        self.push(clean, faulty, true)
    }

    /// The wrong line, when the report is about others.
    fn cause(self, clean: &str, faulty: &str) -> Snippet {
        self.push(clean, faulty, false)
    }

    /// Uses `planted` in one of several ways.
    fn used(self, random: &mut Random) -> Snippet {
        match random.below(5) {
            0 => self.line(SINK),
            1 => self.line("if (planted & 1) Extra[self] = Extra[self] * 31 + 1;"),
            2 => self.line("uint copy = (planted ^ self) * 5;").line("Extra[self] += copy;"),
            3 => self.line("for (uint k = 0; k < (planted & 3); ++k) Extra[self] += k + 1;"),
            _ => self
                .line("bool is_even = planted % 2 == 0;")
                .line("Extra[self] = is_even ? Extra[self] + 3 : Extra[self] ^ 5;"),
        }
    }

    fn push(mut self, clean: &str, faulty: &str, is_marked: bool) -> Snippet {
        self.lines.push(Line { clean: clean.to_owned(), faulty: faulty.to_owned(), is_marked });
        self
    }

    pub(super) fn lines(&self, is_faulty: bool) -> Vec<String> {
        let text = |it: &Line| if is_faulty { it.faulty.clone() } else { it.clean.clone() };
        self.lines.iter().map(text).collect()
    }

    /// The positions of the lines at which a report may be.
    pub(super) fn marked(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.lines).filter(|(_, it)| it.is_marked).map(|(at, _)| at)
    }
}

impl Context<'_> {
    fn width(&self) -> u32 {
        self.setup.widths[0]
    }

    /// Whether some visit is by lanes for which the condition holds.
    fn some(&self, holds: impl Fn(LaneMask) -> bool) -> bool {
        self.visits.iter().any(|it| holds(it.active))
    }

    /// Whether some thread for which the condition holds reaches the place.
    fn some_thread(&self, holds: impl Fn(u32) -> bool) -> bool {
        let width = self.width();
        self.visits.iter().any(|it| it.active.iter().any(|lane| holds(it.wave * width + lane)))
    }
}

/// A value that differs between threads.
fn value(random: &mut Random) -> &'static str {
    random.pick(&["self", "thread * 3 + 1", "(thread ^ 5)", "(self * self + 7)"])
}

/// Every class.
pub fn all() -> impl Iterator<Item = &'static Class> {
    let of_groups = ALL.iter().chain(sharing::ALL).chain(waiting::ALL);
    of_groups.chain(rays::ALL).chain(feedback::ALL)
}

const ALL: &[Class] = &[
    Class {
        name: "a read of an inactive lane",
        kind: Kind::InactiveLaneRead,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let value = value(random);
            let width = context.width();
            let clean = format!("uint planted = WaveReadLaneFirst({value});");
            let faulty = if random.chance(2) {
                let lane = random.below(width);
                context.some(|active| !active.contains(lane)).then_some(())?;
                format!("uint planted = WaveReadLaneAt({value}, {lane});")
            } else {
                let flip = 1 + random.below(width - 1);
                let lacks =
                    |active: LaneMask| active.iter().any(|lane| !active.contains(lane ^ flip));
                context.some(lacks).then_some(())?;
                format!("uint planted = WaveReadLaneAt({value}, WaveGetLaneIndex() ^ {flip});")
            };
            Some(Snippet::new().fault(&clean, &faulty).used(random))
        },
    },
    Class {
        name: "a lane index beyond the width",
        kind: Kind::LaneIndexOutOfRange,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let value = value(random);
            let clean = format!("uint planted = WaveReadLaneAt({value}, peer(1));");
            let more = random.below(context.width());
            let faulty = match random.below(4) {
                // The upper half of the wave reads beyond it, regardless of what the lower half finds.
                2 => {
                    let half = context.width() / 2;
                    let is_upper = |active: LaneMask| active.iter().any(|lane| lane >= half);
                    context.some(is_upper).then_some(())?;
                    format!(
                        "uint planted = WaveReadLaneAt({value}, WaveGetLaneIndex() + WaveGetLaneCount() / 2);"
                    )
                }
                0 => {
                    format!("uint planted = WaveReadLaneAt({value}, WaveGetLaneCount() + {more});")
                }
                1 => format!(
                    "uint planted = WaveReadLaneAt({value}, WaveGetLaneIndex() - {more}u - WaveGetLaneCount());"
                ),
                _ => format!(
                    "uint planted = WaveReadLaneAt({value}, WaveGetLaneIndex() + WaveGetLaneCount());"
                ),
            };
            Some(Snippet::new().fault(&clean, &faulty).used(random))
        },
    },
    Class {
        name: "multi-prefix masks that are not a partition",
        kind: Kind::BadPartition,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let value = value(random);
            let key = random.pick(&["thread & 1", "thread % 3", "thread >> 1"]);
            let op = random.pick(&["Sum", "BitAnd", "BitOr", "BitXor", "Product"]);
            let call = |mask: &str| format!("uint planted = WaveMultiPrefix{op}({value}, {mask});");
            let clean = call(&format!("WaveMatch({key})"));
            let faulty = if random.chance(2) {
                // A lane that is not in its own group.
                call(&format!("~WaveMatch({key})"))
            } else {
                // Each lane counts those up to and including itself, and no two agree.
                context.some(|active| active.count() > 1).then_some(())?;
                call("upto(WaveGetLaneIndex())")
            };
            let upto = "uint4 upto(uint lane) { return lane > 30 ? ~0u : (2u << lane) - 1; }";
            Some(Snippet::new().declare(upto).fault(&clean, &faulty).used(random))
        },
    },
    Class {
        name: "a wave mask from before the lanes diverged",
        kind: Kind::BadWaveMask,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let value = value(random);
            let bit = 1 << random.below(2);
            let parts = |visit: &Visit| {
                let thread = |lane| visit.wave * context.width() + lane;
                let taken = visit.active.iter().filter(|lane| thread(*lane) & bit != 0).count();
                taken > 0 && taken < visit.active.count() as usize
            };
            context.visits.iter().any(parts).then_some(())?;
            let op = random.pick(&["Sum", "Max", "BitOr"]);
            Some(
                Snippet::new()
                    .line("uint before = WaveGetActiveMask();")
                    .line("uint planted = before & 3;")
                    .line(&format!("if (thread & {bit}) {{"))
                    .fault(
                        &format!("    planted = WaveMask{op}(WaveGetActiveMask(), {value});"),
                        &format!("    planted = WaveMask{op}(before, {value});"),
                    )
                    .line("}")
                    .used(random),
            )
        },
    },
    Class {
        name: "a quad operation in a divergent quad",
        kind: Kind::IncompleteQuad,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let value = value(random);
            // What a lane reads, and of which lane of its quad.
            let quad_lane = random.below(4);
            let (read, source): (_, Box<dyn Fn(u32) -> u32>) = match random.below(4) {
                0 => (format!("QuadReadAcrossX({value})"), Box::new(|lane| lane ^ 1)),
                1 => (format!("QuadReadAcrossY({value})"), Box::new(|lane| lane ^ 2)),
                2 => (format!("QuadReadAcrossDiagonal({value})"), Box::new(|lane| lane ^ 3)),
                _ => (
                    format!("QuadReadLaneAt({value}, {quad_lane})"),
                    Box::new(move |lane| lane & !3 | quad_lane),
                ),
            };
            let lacks = |active: LaneMask| active.iter().any(|lane| !active.contains(source(lane)));
            context.some(lacks).then_some(())?;
            let clean = format!("uint planted = WaveReadLaneFirst({value});");
            Some(Snippet::new().fault(&clean, &format!("uint planted = {read};")).used(random))
        },
    },
    Class {
        name: "a group barrier that some threads do not reach",
        kind: Kind::DivergentBarrier,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: false,
        snippet: |random, context| {
            let some = 1 + random.below(context.setup.threads - 1);
            let (clean, faulty) = match random.below(6) {
                4 => (
                    format!("for (uint k = 0; k < 2; ++k) {{ {BARRIER} }}"),
                    format!(
                        "for (uint k = 0; k < 2; ++k) {{ if (thread == {some}) break; {BARRIER} }}"
                    ),
                ),
                5 => (
                    format!("switch (1) {{ case 1: {BARRIER} break; }}"),
                    format!("switch (thread & 1) {{ case 1: {BARRIER} break; }}"),
                ),
                0 => (BARRIER.to_owned(), format!("if (thread < {some}) {BARRIER}")),
                1 => (BARRIER.to_owned(), format!("if (thread == {some}) {BARRIER}")),
                2 => (
                    format!("for (uint k = 0; k < 2; ++k) {BARRIER}"),
                    format!("for (uint k = 0; k < 1 + (thread & 1); ++k) {BARRIER}"),
                ),
                _ => (
                    format!("{BARRIER} {BARRIER}"),
                    format!("if (thread < {some}) {BARRIER} else {BARRIER}"),
                ),
            };
            Some(Snippet::new().fault(&clean, &faulty).line("uint planted = 1;").used(random))
        },
    },
    Class {
        name: "a missing barrier on groupshared memory",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(2),
        groups: false,
        snippet: |random, context| {
            let threads = context.setup.threads;
            let (value, far) = (value(random), 1 + random.below(threads - 1));
            let tile = format!("groupshared uint tile[{threads}];");
            let read = format!("planted += tile[(thread + {far}) % {threads}];");
            let snippet = Snippet::new().declare(&tile).line("uint planted = 0;");
            let missing = random.pick(&["// no barrier", "GroupMemoryBarrier();"]);
            Some(match random.below(3) {
                // The neighbour may not have stored yet.
                0 => snippet
                    .partner(&format!("tile[thread] = {value};"))
                    .fault(BARRIER, missing)
                    .partner(&read)
                    .used(random),
                // The next iteration may store before all threads have read.
                1 => snippet
                    .line("for (uint round = 0; round < 2; ++round) {")
                    .partner(&format!("    tile[thread] = {value} + round;"))
                    .line(&format!("    {BARRIER}"))
                    .partner(&format!("    {read}"))
                    .fault(&format!("    {BARRIER}"), missing)
                    .line("}")
                    .used(random),
                // Two waves store to the same place.
                _ => {
                    let width = context.width();
                    snippet
                        .fault(
                            &format!("tile[thread] = {value};"),
                            &format!("tile[thread % {width}] = {value};"),
                        )
                        .line(BARRIER)
                        .line("planted += thread;")
                        .used(random)
                }
            })
        },
    },
    Class {
        name: "a barrier that does not cover the memory",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(2),
        groups: false,
        snippet: |random, context| {
            let threads = context.setup.threads;
            let (value, far) = (value(random), 1 + random.below(threads - 1));
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Grid;")
                    .line("uint planted = 0;")
                    .partner(&format!("Grid[thread] = {value};"))
                    .fault(
                        random.pick(&[
                            "DeviceMemoryBarrierWithGroupSync();",
                            "AllMemoryBarrierWithGroupSync();",
                        ]),
                        BARRIER,
                    )
                    .partner(&format!("planted += Grid[(thread + {far}) % {threads}];"))
                    .used(random),
            )
        },
    },
    Class {
        name: "a race on a buffer between groups",
        kind: Kind::Race,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: true,
        snippet: |random, context| {
            let grid = "RWStructuredBuffer<uint> Grid;";
            let Setup { threads, groups, .. } = context.setup;
            let value = random.pick(&["self", "group + 1", "(self ^ 3)"]);
            let snippet = Snippet::new().declare(grid).line("uint planted = 0;");
            Some(match random.below(2) {
                0 => snippet
                    .fault(&format!("Grid[self] = {value};"), &format!("Grid[thread] = {value};"))
                    .used(random),
                _ => {
                    let other = format!("(group + 1) % {groups} * {threads} + thread");
                    snippet
                        .partner(&format!("Grid[self] = {value};"))
                        .fault("planted += Grid[self];", &format!("planted += Grid[{other}];"))
                        .used(random)
                }
            })
        },
    },
    Class {
        name: "an array index past the end",
        kind: Kind::OutOfBounds,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            context.some_thread(|thread| thread & 7 > 3).then_some(())?;
            let snippet = Snippet::new().line("uint few[4] = { self, 1, 2, 3 };");
            Some(match random.below(4) {
                2 => snippet
                    .fault("uint planted = few[2 - (thread & 1)];", "uint planted = few[2 - (thread & 7)];")
                    .used(random),
                3 => snippet
                    .line("struct Pair { uint a; uint b[2]; }; Pair pair; pair.a = 0; pair.b[0] = self; pair.b[1] = 1;")
                    .fault("uint planted = pair.b[thread & 1];", "uint planted = pair.b[thread & 7];")
                    .used(random),
                0 => snippet
                    .fault("uint planted = few[thread & 3];", "uint planted = few[thread & 7];")
                    .used(random),
                _ => snippet
                    .fault("few[thread & 3] = 5;", "few[thread & 7] = 5;")
                    .line("uint planted = few[1] + few[thread & 2];")
                    .used(random),
            })
        },
    },
    Class {
        name: "a buffer index past the end",
        kind: Kind::BufferOutOfBounds,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let all = context.setup.threads * context.setup.groups;
            let past = random.below(3);
            let snippet = Snippet::new().declare("RWStructuredBuffer<uint> Grid;");
            Some(
                match random.below(2) {
                    0 => snippet.fault(
                        "uint planted = Grid[self];",
                        &format!("uint planted = Grid[self + {}];", all + past),
                    ),
                    _ => snippet
                        .fault("Grid[self] = 1;", &format!("Grid[self + {}] = 1;", all + past))
                        .line("uint planted = 3;"),
                }
                .used(random),
            )
        },
    },
    Class {
        name: "a local that is not set in every lane",
        kind: Kind::UninitializedValue,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let bit = 1 << random.below(2);
            let value = value(random);
            context.some_thread(|thread| thread & 3 == 3 - bit).then_some(())?;
            Some(match random.below(4) {
                // A variable that is set piece by piece is declared without a value: the piece that some lanes skip is
                // wrong.
                2 => Snippet::new()
                    .partner("uint few[3];")
                    .line(&format!("few[0] = {value}; few[1] = 1;"))
                    .fault("few[2] = 1;", &format!("if (thread & {bit}) few[2] = 1;"))
                    .partner("uint planted = few[0] + few[thread % 3] + few[2];")
                    .used(random),
                0 => Snippet::new()
                    .fault("uint planted = 0;", "uint planted;")
                    .line(&format!("if (thread & {bit}) planted = {value};"))
                    .used(random),
                1 => Snippet::new()
                    .partner("uint2 pair;")
                    .line(&format!("pair.x = {value};"))
                    .fault("pair.y = 1;", &format!("if (thread & {bit}) pair.y = 1;"))
                    .line("uint planted = pair.x + pair.y;")
                    .used(random),
                _ => Snippet::new()
                    .fault("uint planted = 0;", "uint planted;")
                    .line("switch (thread & 3) {")
                    .line(&format!("case 0: planted = {value}; break;"))
                    .line(&format!("case {bit}: planted = 1; break;"))
                    .line(&format!("case 3: planted = {}; break;", random.below(9)))
                    .line("}")
                    .used(random),
            })
        },
    },
    Class {
        name: "groupshared memory that is never set",
        kind: Kind::UninitializedValue,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: false,
        snippet: |random, context| {
            let threads = context.setup.threads;
            let (value, hole) = (value(random), random.below(threads));
            Some(
                Snippet::new()
                    .declare(&format!("groupshared uint cells[{threads}];"))
                    .fault(
                        &format!("cells[thread] = {value};"),
                        &format!("if (thread != {hole}) cells[thread] = {value};"),
                    )
                    .line(BARRIER)
                    .partner(&format!(
                        "uint planted = cells[(thread + {}) % {threads}];",
                        random.below(threads)
                    ))
                    .line(BARRIER)
                    .used(random),
            )
        },
    },
    Class {
        name: "an integer division by zero",
        kind: Kind::DivisionByZero,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let (value, by) = (value(random), 2 + random.below(4));
            context.some_thread(|thread| thread.is_multiple_of(by)).then_some(())?;
            let op = random.pick(&["/", "%"]);
            let clean = format!("uint planted = {value} {op} (thread % {by} + 1);");
            let faulty = format!("uint planted = {value} {op} (thread % {by});");
            Some(Snippet::new().fault(&clean, &faulty).used(random))
        },
    },
    Class {
        name: "a float outside the range of the integer type",
        kind: Kind::ConversionOutOfRange,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            Some(
                match random.below(3) {
                    2 => Snippet::new().fault(
                        "uint planted = (uint)(int)((float)group / ((float)group + 1.0));",
                        "uint planted = (uint)(int)((float)group / (float)group);",
                    ),
                    0 => {
                        let less = 1 + random.below(context.setup.threads + 3);
                        context.some_thread(|thread| thread < less).then_some(())?;
                        Snippet::new().fault(
                            &format!("uint planted = (uint)((float)thread + {less}.0);"),
                            &format!("uint planted = (uint)((float)thread - {less}.0);"),
                        )
                    }
                    _ => {
                        context.some_thread(|thread| thread > 0).then_some(())?;
                        Snippet::new().fault(
                            "uint planted = (uint)(int)((float)thread * 3.0e3);",
                            "uint planted = (uint)(int)((float)thread * 3.0e9);",
                        )
                    }
                }
                .used(random),
            )
        },
    },
    Class {
        name: "a shift by the width of the type or more",
        kind: Kind::ShiftOutOfRange,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let more = 24 + random.below(8);
            context.some_thread(|thread| thread + more > 31).then_some(())?;
            let (value, op) = (value(random), random.pick(&["<<", ">>"]));
            Some(
                Snippet::new()
                    .fault(
                        &format!("uint planted = {value} {op} (thread + {more} & 31);"),
                        &format!("uint planted = {value} {op} (thread + {more});"),
                    )
                    .used(random),
            )
        },
    },
    Class {
        name: "a result that depends on the width",
        kind: Kind::WidthDependentResult,
        place: Reach::WhereAllCome,
        widths: &[4, 8, 16],
        waves: Some(1),
        groups: false,
        snippet: |random, _| {
            // The number of waves, through memory.
            if random.chance(5) {
                return Some(
                    Snippet::new()
                        .declare("groupshared uint total;")
                        .line("if (thread == 0) total = 0;")
                        .line(BARRIER)
                        .fault(
                            "if (thread % 4 == 0) InterlockedAdd(total, 1);",
                            "if (WaveIsFirstLane()) InterlockedAdd(total, 1);",
                        )
                        .line(BARRIER)
                        .line("uint planted = total;")
                        .line(SINK),
                );
            }
            let (clean, faulty) = random.pick(&[
                ("total", "WaveActiveSum(thread + 1)"),
                ("total", "WaveActiveMax(thread)"),
                ("total + thread", "WavePrefixSum(thread + 1)"),
                ("total + 4", "WaveGetLaneCount()"),
                ("thread % 4", "WaveGetLaneIndex()"),
                ("total", "WaveReadLaneAt(thread, 3) + WaveReadLaneFirst(thread)"),
                ("total", "WaveActiveCountBits(thread > 2)"),
            ]);
            Some(
                Snippet::new()
                    .declare("groupshared uint total;")
                    .line("if (thread == 0) total = 0;")
                    .line(BARRIER)
                    .line("InterlockedAdd(total, thread + 1);")
                    .line(BARRIER)
                    .fault(
                        &format!("uint planted = {clean};"),
                        &format!("uint planted = {faulty};"),
                    )
                    .line(SINK),
            )
        },
    },
    Class {
        name: "a result that depends on the width, beside a race",
        kind: Kind::WidthDependentResult,
        place: Reach::WhereAllCome,
        widths: &[4, 8, 16],
        waves: Some(1),
        groups: false,
        snippet: |random, _| {
            let faulty = random.pick(&[
                "WaveActiveSum(thread + 1)",
                "WavePrefixSum(thread + 1)",
                "WaveActiveMax(thread)",
            ]);
            Some(
                Snippet::new()
                    .declare("groupshared uint mess[4];")
                    .fault(
                        "uint planted = thread * 3;",
                        &format!("mess[1] = thread; uint planted = {faulty};"),
                    )
                    .line(SINK),
            )
        },
    },
    Class {
        name: "a decision that goes wrong at one width",
        kind: Kind::WidthDependentResult,
        place: Reach::WhereAllCome,
        widths: &[4, 8, 16],
        waves: Some(1),
        groups: false,
        snippet: |random, _| {
            let (clean, faulty) = random.pick(&[
                ("if (WaveGetLaneCount() < 256)", "if (WaveGetLaneCount() < 16)"),
                ("if (WaveGetLaneCount() >= 4)", "if (WaveGetLaneCount() > 4)"),
                ("if (true)", "if ((WaveGetLaneCount() & 16) == 0)"),
                ("if (WaveGetLaneCount() != 2)", "if (WaveGetLaneCount() != 4)"),
            ]);
            let sum = random.pick(&["WaveActiveSum(thread + 1)", "WaveActiveCountBits(true)"]);
            Some(
                Snippet::new()
                    .declare("groupshared uint total;")
                    .line("if (thread == 0) total = 0;")
                    .line(BARRIER)
                    .line(&format!("uint sum = {sum};"))
                    .fault(clean, faulty)
                    .line("{ if (WaveIsFirstLane()) InterlockedAdd(total, sum); }")
                    .line(BARRIER)
                    .line("uint planted = total;")
                    .line(SINK),
            )
        },
    },
    Class {
        name: "a result that depends on the order of waves",
        kind: Kind::OrderDependentResult,
        place: Reach::Anywhere,
        widths: &[],
        waves: Some(2),
        groups: true,
        snippet: |random, context| {
            let everyone = |visit: &Visit| visit.active.first().is_some();
            context.visits.iter().any(everyone).then_some(())?;
            let clean = random.pick(&["InterlockedMax", "InterlockedAdd", "InterlockedOr"]);
            let faulty = random.pick(&[
                "InterlockedExchange(Grid[0], self + 1, planted);",
                "InterlockedCompareExchange(Grid[0], 0, self + 1, planted);",
            ]);
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Grid;")
                    .line("uint planted;")
                    .fault(&format!("{clean}(Grid[0], self + 1);"), faulty),
            )
        },
    },
    Class {
        name: "elements in a nondeterministic order",
        kind: Kind::PermutedResult,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(2),
        groups: false,
        snippet: |_, _| {
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Grid, Count;")
                    .line("uint slot;")
                    .line("InterlockedAdd(Count[0], 1, slot);")
                    .fault("Grid[self] = self;", "Grid[slot] = self;"),
            )
        },
    },
    Class {
        name: "unordered stores of the same value",
        kind: Kind::EqualStores,
        place: Reach::Anywhere,
        widths: &[],
        waves: Some(2),
        groups: true,
        snippet: |random, context| {
            context.some(|active| active.count() > 1).then_some(())?;
            let value = 1 + random.below(9);
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Grid;")
                    .fault(&format!("Grid[self] = {value};"), &format!("Grid[0] = {value};")),
            )
        },
    },
    Class {
        name: "a ballot truncated to 32 lanes",
        kind: Kind::TruncatedMask,
        place: Reach::Anywhere,
        widths: &[64],
        waves: Some(1),
        groups: false,
        snippet: |random, context| {
            context.some(|active| active.iter().any(|lane| lane > 31)).then_some(())?;
            Some(
                match random.below(4) {
                    0 => Snippet::new().fault(
                        "uint planted = WaveActiveCountBits(true);",
                        "uint planted = countbits(WaveActiveBallot(thread < 4096).x);",
                    ),
                    1 => Snippet::new().fault(
                        "uint planted = WaveActiveCountBits(true);",
                        "uint planted = countbits((uint)WaveActiveBallot(thread < 4096));",
                    ),
                    2 => Snippet::new()
                        .partner("uint4 ballot = WaveActiveBallot(thread < 4096);")
                        .fault(
                            "uint planted = countbits(ballot.x) + countbits(ballot.y) + countbits(ballot.z | ballot.w);",
                            "uint planted = countbits(ballot.x) != 0 ? 1 : 0;",
                        ),
                    _ => Snippet::new().fault(
                        "uint planted = WaveActiveBitOr(1u << (WaveGetLaneIndex() & 31));",
                        "uint planted = WaveActiveBitOr(1u << WaveGetLaneIndex());",
                    ),
                }
                .used(random),
            )
        },
    },
    Class {
        name: "a float comparison that may differ between machines",
        kind: Kind::FloatEquality,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let width = context.width();
            let meets = |visit: &Visit| {
                let odd = |lane: &u32| (visit.wave * width + lane) & 1 == 1;
                let odd = visit.active.iter().filter(odd).count();
                odd > 0 && odd < visit.active.count() as usize
            };
            context.visits.iter().any(meets).then_some(())?;
            Some(
                Snippet::new()
                    .line("float key = thread & 1 ? 0.0 : -0.0;")
                    .fault(
                        "uint planted = countbits(WaveMatch(asuint(key)).x);",
                        "uint planted = countbits(WaveMatch(key).x);",
                    )
                    .used(random),
            )
        },
    },
    Class {
        name: "a lock that is never released",
        kind: Kind::EndlessWait,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: false,
        snippet: |random, _| {
            let word = random.pick(&["done", "passed"]);
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Grid;")
                    .line("uint before, old;")
                    .line(&format!("bool {word} = false;"))
                    .partner(&format!("while (!{word}) {{"))
                    .partner("    InterlockedCompareExchange(Grid[0], 0, 1, before);")
                    .line("    if (before == 0) {")
                    .cause("        InterlockedExchange(Grid[0], 0, old);", "        // no release")
                    .line(&format!("        {word} = true;"))
                    .line("    }")
                    .line("}"),
            )
        },
    },
    Class {
        name: "a `case` shared by several values",
        kind: Kind::SwitchConvergence,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let width = context.width();
            let meets = |visit: &Visit| {
                let kind = |lane: u32| (visit.wave * width + lane) % 3;
                [0, 1].iter().all(|it| visit.active.iter().any(|lane| kind(lane) == *it))
            };
            context.visits.iter().any(meets).then_some(())?;
            // Inside a `switch` whose lanes are mixed already, the clean lines would not be clean.
            context.visits.iter().all(|it| !it.is_mixed).then_some(())?;
            let count = "planted = WaveActiveCountBits(true);";
            Some(
                Snippet::new()
                    .line("uint planted = 0;")
                    .fault(
                        &format!("if (thread % 3 < 2) {count}"),
                        &format!("switch (thread % 3) {{ case 0: case 1: {count} break; }}"),
                    )
                    .used(random),
            )
        },
    },
];
