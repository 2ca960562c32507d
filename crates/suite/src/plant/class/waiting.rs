//! Faults in how groups wait for each other, and in how many waves a group is taken to have.

use sanitizer::Kind;

use super::{Class, Reach, SINK, Snippet};

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
                    .cause("    InterlockedAdd(Turns[0], 1, turn);", &format!("    {own}"))
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
];
