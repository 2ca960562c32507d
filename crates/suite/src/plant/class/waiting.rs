//! Faults in how groups wait for each other, how many waves a group is taken to have, and in work that waves take from
//! a counter.

use sanitizer::Kind;

use super::{BARRIER, Class, Reach, SINK, Snippet};

pub(super) const ALL: &[Class] = &[
    Class {
        name: "a wait for a group that need not have started",
        kind: Kind::EndlessWait,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(1),
        groups: true,
        snippet: |random, context| {
            let last = context.setup.groups - 1;
            let own = match random.chance(2) {
                true => "turn = group;".to_owned(),
                false => format!("turn = {last} - group;"),
            };
            let wait = random.pick(&[
                "do { InterlockedOr(Served[0], 0, seen); } while (seen < turn);",
                "do { InterlockedAdd(Served[0], 0, seen); } while (seen != turn);",
            ]);
            Some(
                Snippet::new()
                    .declare("RWStructuredBuffer<uint> Served, Turns;")
                    .line("uint planted = 1, turn, seen;")
                    .line("if (thread == 0) {")
                    .fault("    InterlockedAdd(Turns[0], 1, turn);", &format!("    {own}"))
                    .partner(&format!("    {wait}"))
                    .line("    InterlockedAdd(Served[0], 1, seen);")
                    .line("}")
                    .line(SINK),
            )
        },
    },
    Class {
        name: "a group taken to have no empty waves",
        kind: Kind::DependsOnWaveCount,
        place: Reach::WhereAllCome,
        widths: &[],
        waves: Some(2),
        groups: false,
        snippet: |random, _| {
            let (clean, faulty) = random.pick(&[
                ("thread / WaveGetLaneCount()", "GetGroupWaveIndex()"),
                ("thread % 3", "GetGroupWaveCount()"),
                ("GetGroupWaveIndex() < GetGroupWaveCount() ? 3 : 4", "GetGroupWaveCount() % 64"),
            ]);
            let line = |value: &str| format!("uint planted = {value};");
            Some(Snippet::new().fault(&line(clean), &line(faulty)).line(SINK))
        },
    },
    Class {
        name: "a decision that goes wrong at one width, in work from a counter",
        kind: Kind::WidthDependentResult,
        place: Reach::WhereAllCome,
        widths: &[4, 8, 16],
        waves: Some(1),
        groups: false,
        snippet: |random, context| {
            let items = context.setup.threads;
            let item = random.below(items);
            let (clean, faulty) = random.pick(&[
                ("true", "WaveGetLaneCount() > 4"),
                ("WaveGetLaneCount() < 256", "WaveGetLaneCount() < 16"),
                ("true", "(WaveGetLaneCount() & 8) == 0"),
            ]);
            let decision = |holds: &str| format!("    if (item == {item} && {holds}) value += 5;");
            Some(
                Snippet::new()
                    .declare("groupshared uint next;")
                    .declare("RWStructuredBuffer<uint> Grid;")
                    .line("if (thread == 0) next = 0;")
                    .line(BARRIER)
                    .line("while (true) {")
                    .line("    uint first = 0, count = WaveActiveCountBits(true);")
                    .line("    if (WaveIsFirstLane()) InterlockedAdd(next, count, first);")
                    .line("    first = WaveReadLaneFirst(first);")
                    .line(&format!("    if (first >= {items}) break;"))
                    .line("    uint item = first + WavePrefixCountBits(true);")
                    .line("    uint value = item * 3 + 1;")
                    .fault(&decision(clean), &decision(faulty))
                    .line(&format!("    if (item < {items}) Grid[item] = value;"))
                    .line("}"),
            )
        },
    },
];
