//! Faults in how waves and groups share memory, in addresses and descriptors, and in values that travel far before they
//! matter.

use sanitizer::Kind;

use super::{BARRIER, Class, Reach, Snippet, value};
use generate::Random;

/// Which group gets which turn is open: the result of a turn stays in a separate element.
const KEEP: &str = "Sums[turn] = planted; planted = 1;";

/// A value that differs between turns.
fn by_turn(random: &mut Random) -> &'static str {
    random.pick(&["turn * 3 + 1", "(turn ^ 5)", "(turn * turn + 7)"])
}

pub(super) const ALL: &[Class] = &[
    Class {
        name: "a flag that is raised before its value is stored",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: true,
        snippet: |random, _| {
            let value = by_turn(random);
            let raise =
                random.pick(&["Flag[turn] = 1;", "InterlockedExchange(Flag[turn], 1, seen);"]);
            let wait = random.pick(&[
                "do seen = Flag[turn - 1]; while (seen == 0);",
                "do InterlockedOr(Flag[turn - 1], 0, seen); while (seen == 0);",
            ]);
            let store = format!("Value[turn] = planted + {value};");
            let snippet = Snippet::new()
                .declare("globallycoherent RWStructuredBuffer<uint> Value, Flag;")
                .declare("RWStructuredBuffer<uint> Turns, Sums;")
                .line("uint planted = 1, seen, turn;")
                .line("if (thread == 0) {")
                .line("InterlockedAdd(Turns[0], 1, turn);")
                .line("if (turn > 0) {")
                .line(wait)
                .partner("planted += Value[turn - 1];")
                .line("}");
            let in_order = format!("{store} {raise}");
            let reversed = format!("{raise} {store}");
            Some(snippet.fault(&in_order, &reversed).line(KEEP).line("}").used(random))
        },
    },
    Class {
        name: "a value that is read before its flag is seen",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: true,
        snippet: |random, _| {
            let value = by_turn(random);
            let wait = "do InterlockedOr(Flag[turn - 1], 0, seen); while (seen == 0);";
            let read = "planted += Value[turn - 1];";
            Some(
                Snippet::new()
                    .declare("globallycoherent RWStructuredBuffer<uint> Value, Flag;")
                    .declare("RWStructuredBuffer<uint> Turns, Sums;")
                    .line("uint planted = 1, seen, turn;")
                    .line("if (thread == 0) {")
                    .line("InterlockedAdd(Turns[0], 1, turn);")
                    .line("if (turn > 0) {")
                    .fault(&format!("{wait} {read}"), &format!("{read} {wait}"))
                    .line("}")
                    .partner(&format!("Value[turn] = planted + {value};"))
                    .line("InterlockedExchange(Flag[turn], 1, seen);")
                    .line(KEEP)
                    .line("}")
                    .used(random),
            )
        },
    },
    Class {
        name: "a look-back that does not wait",
        kind: Kind::OrderDependentResult,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: true,
        snippet: |random, _| {
            let value = by_turn(random);
            let read = "InterlockedOr(Flag[turn - 1], 0, seen);";
            Some(
                Snippet::new()
                    .declare("globallycoherent RWStructuredBuffer<uint> Value, Flag;")
                    .declare("RWStructuredBuffer<uint> Turns, Sums;")
                    .line("uint planted = 1, seen = 0, turn;")
                    .line("if (thread == 0) {")
                    .line("InterlockedAdd(Turns[0], 1, turn);")
                    .line("if (turn > 0) {")
                    .fault(&format!("do {read} while (seen == 0);"), read)
                    .line("if (seen == 1) planted += Value[turn - 1];")
                    .line("}")
                    .line(&format!("Value[turn] = planted + {value};"))
                    .line("InterlockedExchange(Flag[turn], 1, seen);")
                    .line(KEEP)
                    .line("}")
                    .used(random),
            )
        },
    },
    Class {
        name: "a lock that is checked and set in two steps",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: true,
        snippet: |random, _| {
            let more = 1 + random.below(9);
            Some(
                Snippet::new()
                    .declare("globallycoherent RWStructuredBuffer<uint> Held, Grid;")
                    .line("uint planted = 1, before;")
                    .line("bool done = false;")
                    .line("if (thread == 0) {")
                    .line("while (!done) {")
                    .fault(
                        "InterlockedCompareExchange(Held[0], 0, 1, before); if (before == 0) {",
                        "before = Held[0]; if (before == 0) { Held[0] = 1;",
                    )
                    .partner(&format!("Grid[0] += {more};"))
                    .line("DeviceMemoryBarrier();")
                    .partner("Held[0] = 0;")
                    .line("done = true;")
                    .line("} } }")
                    .used(random),
            )
        },
    },
    Class {
        name: "an atomic operation whose result is ignored",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: true,
        snippet: |random, context| {
            let (value, groups) = (value(random), context.setup.groups);
            Some(
                Snippet::new()
                    .declare("globallycoherent RWStructuredBuffer<uint> Value;")
                    .declare("RWStructuredBuffer<uint> Count, Grid;")
                    .line("uint planted = thread, seen = 0;")
                    .line("if (thread == 0) {")
                    .partner(&format!("Value[group] = {value};"))
                    .fault(
                        "InterlockedAdd(Count[0], 1, seen);",
                        "InterlockedAdd(Count[0], 1); seen = group;",
                    )
                    .line(&format!("if (seen == {groups} - 1) {{"))
                    .line("uint sum = 0;")
                    .partner(&format!("for (uint k = 0; k < {groups}; ++k) sum += Value[k];"))
                    .line("Grid[0] = sum;")
                    .line("}")
                    .line("}")
                    .used(random),
            )
        },
    },
    Class {
        name: "a round that begins before all have finished the last",
        kind: Kind::Race,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(2),
        groups: false,
        snippet: |random, context| {
            let threads = context.setup.threads;
            let (value, far) = (value(random), context.width().min(threads - 1));
            let rounds = 2 + random.below(3);
            Some(
                Snippet::new()
                    .declare(&format!("groupshared uint tile[{threads}];"))
                    .line("uint planted = 0;")
                    .line(&format!("for (uint round = 0; round < {rounds}; ++round) {{"))
                    .partner(&format!("tile[thread] = {value} + round;"))
                    .line(BARRIER)
                    .partner(&format!("planted += tile[(thread + {far}) % {threads}];"))
                    .cause(BARRIER, "")
                    .line("}")
                    .used(random),
            )
        },
    },
    Class {
        name: "a member that is not set in a struct that is passed on",
        kind: Kind::UninitializedValue,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            context.some_thread(|thread| thread & 1 == 0).then_some(())?;
            let value = value(random);
            let (passed, read) = random.pick(&[
                ("Pair passed(Pair it) { return it; }", "passed(pair).b"),
                (
                    "Pair passed(Pair it) { Pair more[2]; more[0] = it; more[1] = it; return more[it.a & 1]; }",
                    "passed(pair).b",
                ),
                (
                    "Pair passed(Pair it) { for (uint k = 0; k < 3; ++k) { Pair next = it; it = next; } return it; }",
                    "passed(pair).b",
                ),
            ]);
            Some(
                Snippet::new()
                    .declare("struct Pair { uint a, b; };")
                    .declare(passed)
                    .line("uint other; for (uint k = 0; k < 2; ++k) other = k;")
                    .partner("Pair pair;")
                    .line(&format!("pair.a = {value};"))
                    .fault("pair.b = 3;", "if (thread & 1) pair.b = 3;")
                    .line(&format!("uint planted = other + {read};"))
                    .used(random),
            )
        },
    },
    Class {
        name: "a byte address that is not aligned",
        kind: Kind::MisalignedAddress,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, _| {
            let (clean, faulty) = random.pick(&[
                ("Raw.Load(4 * self)", "Raw.Load(4 * self + 1)"),
                ("Raw.Load(4 * self)", "Raw.Load(4 * self | 2)"),
                ("Raw.Load<uint16_t>(2 * self)", "Raw.Load<uint16_t>(2 * self + 1)"),
                ("Raw.Load2(8 * self).y", "Raw.Load2(8 * self + 3).y"),
                ("(uint)Raw.Load<uint64_t>(8 * self)", "(uint)Raw.Load<uint64_t>(8 * self + 4)"),
            ]);
            Some(
                Snippet::new()
                    .declare("RWByteAddressBuffer Raw;")
                    .fault(
                        &format!("uint planted = {clean};"),
                        &format!("uint planted = {faulty};"),
                    )
                    .used(random),
            )
        },
    },
    Class {
        name: "an access through another name of a buffer",
        kind: Kind::AliasedBuffers,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, _| {
            let value = value(random);
            let snippet = Snippet::new()
                .declare("RWByteAddressBuffer Raw; RWStructuredBuffer<uint> Words;")
                .partner(&format!("Raw.Store(4 * self, {value});"));
            let snippet = match random.below(2) {
                0 => snippet
                    .fault("uint planted = Raw.Load(4 * self);", "uint planted = Words[self];"),
                _ => snippet
                    .fault("Raw.Store(4 * self, self + 5);", "Words[self] = self + 5;")
                    .partner("uint planted = Raw.Load(4 * self);"),
            };
            Some(snippet.used(random))
        },
    },
    Class {
        name: "an index into resources that is not marked as non-uniform",
        kind: Kind::NonUniformResourceIndex,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            let width = context.width();
            let differs = |visit: &super::Visit| {
                let thread = |lane| visit.wave * width + lane;
                let odd = visit.active.iter().filter(|it| thread(*it) & 1 == 1).count();
                odd > 0 && odd < visit.active.count() as usize
            };
            context.visits.iter().any(differs).then_some(())?;
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Parts[2];")
                    .fault(
                        "uint planted = Parts[NonUniformResourceIndex(thread & 1)][0];",
                        "uint planted = Parts[thread & 1][0];",
                    )
                    .used(random),
            )
        },
    },
    Class {
        name: "an index beyond an array of resources",
        kind: Kind::DescriptorOutOfRange,
        place: Reach::Anywhere,
        widths: &[],
        waves: None,
        groups: false,
        snippet: |random, context| {
            context.some_thread(|thread| thread % 3 == 2).then_some(())?;
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Parts[2];")
                    .fault(
                        "uint planted = Parts[NonUniformResourceIndex(thread % 2)][0];",
                        "uint planted = Parts[NonUniformResourceIndex(thread % 3)][0];",
                    )
                    .used(random),
            )
        },
    },
];
