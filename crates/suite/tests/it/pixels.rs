//! Vertex and pixel shaders in HLSL on the reference engine: signatures, helper lanes, derivatives.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ir::exec::{Bindings, Buffer, Launch, What};
use ops::LaneMask;
use suite::pixels::{self, Quads};
use suite::section::WIDTHS;

/// The words at the start of the first buffer.
fn words(bindings: &Bindings) -> Vec<u32> {
    let bytes = &bindings.bindings[0][0].bytes;
    bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

/// `SV_Position` of quads in a row: lane 4k + q is pixel (2k + q % 2, q / 2).
fn position(_: usize, name: &str, component: u8, lane: u32) -> u64 {
    let at = match (name, component) {
        ("SV_POSITION0", 0) => (lane / 4 * 2 + lane % 2) as f32 + 0.5,
        ("SV_POSITION0", 1) => (lane / 2 % 2) as f32 + 0.5,
        _ => 1.0,
    };
    u64::from(at.to_bits())
}

const WATERFALL: &str = "uint waterfall() {
    uint n = 0;
    while (n < WaveGetLaneCount()) {
        ++n;
#ifdef INCLUDED
        if (WaveIsFirstLane()) break;
#else
        if (WaveReadLaneFirst(!IsHelperLane()) && WaveIsFirstLane()) break;
#endif
    }
    return n;
}
";

/// Expressions of a quad whose lane 2 is a helper lane, as lane 3 sees them: in a group of three threads, seen by the
/// last; by default, before and after lane 0 discards; the same where helper lanes participate.
const GOLDEN: [(&str, [u32; 5]); 30] = [
    ("WaveActiveAnyTrue(h)", [0, 0, 0, 1, 1]),
    ("WaveActiveAllTrue(!h)", [1, 1, 1, 0, 0]),
    ("WaveActiveBallot(true).x", [0x7, 0xb, 0xa, 0xf, 0xf]),
    ("waterfall()", [3, 3, 2, 4, 4]),
    ("WaveActiveAllEqual(h)", [1, 1, 1, 0, 0]),
    ("WaveActiveCountBits(true)", [3, 3, 2, 4, 4]),
    ("WaveActiveSum(4)", [12, 12, 8, 16, 16]),
    ("WaveActiveProduct(4)", [64, 64, 16, 256, 256]),
    ("WaveActiveBitAnd(uint(!h))", [1, 1, 1, 0, 0]),
    ("WaveActiveBitOr(uint(h))", [0, 0, 0, 1, 1]),
    ("WaveActiveBitXor(uint(h))", [0, 0, 0, 1, 0]),
    ("WaveActiveMin(h ? 1 : 10)", [10, 10, 10, 1, 1]),
    ("WaveActiveMax(h ? 10 : 1)", [1, 1, 1, 10, 10]),
    ("WavePrefixCountBits(true)", [2, 2, 1, 3, 3]),
    ("WavePrefixProduct(4)", [16, 16, 4, 64, 64]),
    ("WavePrefixSum(2)", [4, 4, 2, 6, 6]),
    ("h", [0, 0, 0, 0, 0]),
    ("QuadReadAcrossX(h)", [0, 1, 1, 1, 1]),
    ("QuadReadAcrossY(h)", [0, 0, 0, 0, 0]),
    ("QuadReadAcrossDiagonal(h)", [0, 0, 1, 0, 1]),
    ("WaveMatch(true).x", [0x7, 0xb, 0xa, 0xf, 0xf]),
    ("WaveMultiPrefixCountBits(true, all)", [2, 2, 1, 3, 3]),
    ("WaveMultiPrefixSum(2, all)", [4, 4, 2, 6, 6]),
    ("WaveMultiPrefixProduct(4, all)", [16, 16, 4, 64, 64]),
    ("WaveMultiPrefixBitAnd(h ? 0u : 1u, all)", [1, 1, 1, 0, 0]),
    ("WaveMultiPrefixBitOr(h ? 1u : 0u, all)", [0, 0, 0, 1, 1]),
    ("WaveMultiPrefixBitXor(h ? 1u : 0u, all)", [0, 0, 0, 1, 0]),
    ("QuadAny(h)", [0, 1, 1, 1, 1]),
    ("QuadAll(h)", [0, 0, 0, 0, 0]),
    ("WaveReadLaneFirst(WaveGetLaneIndex())", [0, 0, 1, 0, 0]),
];

#[test]
fn helper_lanes_take_part_as_the_golden_table_says() {
    let stores: String = (0..)
        .zip(GOLDEN)
        .map(|(i, (expression, _))| {
            format!("    Out.Store(128 * lane + 4 * {i}, uint({expression}));\n")
        })
        .collect();
    let common = format!("RWByteAddressBuffer Out;\n{WATERFALL}");
    let body = format!(
        "    uint lane = WaveGetLaneIndex();\n    uint4 all = ~0u;\n    bool h = IsHelperLane();\n{stores}"
    );
    let discard = "    if (at.x < 1 && at.y < 1) discard;\n";
    let pixel = |included: bool, discards: bool| {
        let (define, attribute) = match included {
            true => ("#define INCLUDED\n", "[WaveOpsIncludeHelperLanes]\n"),
            false => ("", ""),
        };
        let discard = if discards { discard } else { "" };
        format!(
            "{define}{common}{attribute}void main(float4 at : SV_Position) {{\n{discard}{body}}}\n"
        )
    };
    for width in WIDTHS {
        for (column, included, discards) in
            [(1, false, false), (2, false, true), (3, true, false), (4, true, true)]
        {
            let module = pixels::compile(&pixel(included, discards), "ps_6_7").unwrap();
            let quad = Quads { lanes: 0xf, helpers: 0b100 };
            let (outputs, memory) = pixels::run(&module, width, &[quad], position).unwrap();
            let found = words(&memory);
            for (i, (expression, values)) in GOLDEN.iter().enumerate() {
                let found = found[3 * 32 + i];
                assert_eq!(found, values[column], "{expression}, column {column}, width {width}");
            }
            // Helper lanes store nothing.
            assert!(found[2 * 32..3 * 32].iter().all(|it| *it == 0));
            let live = if discards { 0b1010 } else { 0b1011 };
            assert_eq!(outputs[0].live, LaneMask(live));
        }
        let compute = format!("{common}[numthreads(3, 1, 1)]\nvoid main() {{\n{body}}}\n");
        let module = pixels::compile(&compute, "cs_6_7").unwrap();
        let mut memory = pixels::buffers(&module);
        let launch = suite::engines::launch([1, 1, 1], width);
        interp::run(&module, &launch, &mut memory, &mut interp::NoObserver).unwrap();
        for (i, (expression, values)) in GOLDEN.iter().enumerate() {
            assert_eq!(words(&memory)[2 * 32 + i], values[0], "{expression}, width {width}");
        }
    }
}

#[test]
fn derivatives_see_helper_lanes() {
    // Each lane finds out about the others of its quad by fine derivatives alone.
    let text = |discard: &str| {
        format!(
            "float4 main(float4 at : SV_Position) : SV_Target {{
    {discard}
    float h = IsHelperLane() ? 1 : 0;
    bool right = at.x > 1, down = at.y > 1;
    // Outside of `?:`, whose arms only some lanes run.
    float dx = ddx_fine(h), dy = ddy_fine(h);
    float across = right ? h - dx : h + dx;
    float below = down ? h - dy : h + dy;
    float dy_across = ddy_fine(across);
    float beside = down ? across - dy_across : across + dy_across;
    // In the order (0, 0), (1, 0), (0, 1), (1, 1).
    float2 here = right ? float2(across, h) : float2(h, across);
    float2 there = right ? float2(beside, below) : float2(below, beside);
    return down ? float4(there, here) : float4(here, there);
}}"
        )
    };
    for width in WIDTHS {
        for (discard, expected) in
            [("", [0, 0, 1, 0]), ("if (at.x < 1 && at.y < 1) discard;", [1, 0, 1, 0])]
        {
            let module = pixels::compile(&text(discard), "ps_6_6").unwrap();
            let quad = Quads { lanes: 0xf, helpers: 0b100 };
            let (outputs, _) = pixels::run(&module, width, &[quad], position).unwrap();
            for lane in outputs[0].live.iter() {
                let found = [0, 1, 2, 3]
                    .map(|slot| outputs[0].rows.row(ir::Slot(slot))[lane as usize])
                    .map(|bits| f32::from_bits(bits as u32) as u32);
                assert_eq!(found, expected, "lane {lane}, width {width}, {discard}");
                assert!(outputs[0].poison.iter().all(|it| !it.contains(lane)));
            }
        }
    }
}

/// An expression, its value in a lane among the participants, whether it is poisoned on helper lanes that do not
/// participate, and whether it reads lane 1.
type Row = (&'static str, fn(u32, u32, LaneMask) -> u64, bool, bool);

fn counted(lanes: LaneMask) -> u64 {
    u64::from(lanes.count())
}

/// The table of what helper lanes get, operation by operation.
const TABLE: [Row; 16] = [
    ("i", |_, lane, _| u64::from(lane), false, false),
    ("WaveGetLaneCount()", |width, _, _| u64::from(width), false, false),
    ("WaveIsFirstLane()", |_, lane, on| u64::from(on.first() == Some(lane)), false, false),
    ("QuadAny(i % 4 == 2)", |_, _, _| 1, false, false),
    ("QuadAll(i % 4 == 2)", |_, _, _| 0, false, false),
    ("QuadReadAcrossY(i)", |_, lane, _| u64::from(lane ^ 2), false, false),
    ("WaveActiveAnyTrue(i == 1)", |_, _, on| u64::from(on.contains(1)), true, false),
    ("WaveActiveAllTrue(i != 1)", |_, _, on| u64::from(!on.contains(1)), true, false),
    ("WaveActiveBallot(true).x", |_, _, on| on.0 as u32 as u64, true, false),
    ("WaveActiveSum(i)", |_, _, on| on.iter().map(u64::from).sum(), true, false),
    (
        "WaveReadLaneFirst(i + 7)",
        |_, _, on| on.first().map_or(0, |it| u64::from(it) + 7),
        true,
        false,
    ),
    ("WaveActiveAllEqual(i == 1)", |_, _, on| u64::from(!on.contains(1)), true, false),
    ("WavePrefixCountBits(true)", |_, lane, on| counted(on & LaneMask::below(lane)), true, false),
    ("WaveMultiPrefixSum(1, ~0u)", |_, lane, on| counted(on & LaneMask::below(lane)), true, false),
    (
        "WaveMatch(i & 1).x",
        |_, lane, on| {
            on.iter().filter(|it| it % 2 == lane % 2 && *it < 32).fold(0, |all, it| all | 1 << it)
        },
        true,
        false,
    ),
    ("WaveReadLaneAt(i + 7, 1)", |_, _, on| if on.contains(1) { 8 } else { 0 }, true, true),
];

#[test]
fn helper_lanes_get_what_the_table_says() {
    // Lane 1 of every quad is a helper lane, and lanes 0 to 2 of the second quad are.
    let (lanes, helpers) = (u128::MAX, (u128::MAX / 15 * 2) | 0x70);
    for included in [false, true] {
        let attribute = if included { "[WaveOpsIncludeHelperLanes]" } else { "" };
        let values: String = (0..)
            .zip(TABLE)
            .map(|(k, (row, ..))| {
                format!("    uint v{k} = uint({row});\n    t[{}][{}] = v{k};\n    t[{}][{}] = QuadReadAcrossX(v{k});\n", k / 4, k % 4, 4 + k / 4, k % 4)
            })
            .collect();
        let text = format!(
            "{attribute}\nvoid main(out uint4 t[8] : SV_Target) {{\n    uint i = WaveGetLaneIndex();\n{values}}}"
        );
        let module = pixels::compile(&text, "ps_6_7").unwrap();
        for width in WIDTHS {
            let all = LaneMask::first_n(width);
            let wave = Quads { lanes, helpers: helpers & all.0 };
            let (outputs, _) = pixels::run(&module, width, &[wave], position).unwrap();
            let output = &outputs[0];
            let live = all & !LaneMask(helpers);
            assert_eq!((output.live, output.helpers), (live, LaneMask(helpers) & all));
            let on = if included { all } else { live };
            for (k, (row, value, on_helpers, reads_one)) in (0..).zip(TABLE) {
                let (own, across) = (ir::Slot(k), ir::Slot(16 + k));
                // Lane 1 does not participate by default: reading it is undefined for all.
                let all_poisoned = reads_one && !on.contains(1);
                for lane in live.iter() {
                    let at = lane as usize;
                    let words =
                        format!("{row} in lane {lane}, width {width}, included: {included}");
                    assert_eq!(output.rows.row(own)[at], value(width, lane, on), "{words}");
                    assert_eq!(output.poison[own.index()].contains(lane), all_poisoned, "{words}");
                    let other = lane ^ 1;
                    assert_eq!(
                        output.rows.row(across)[at],
                        value(width, other, on),
                        "across: {words}"
                    );
                    let poisoned = all_poisoned || on_helpers && !on.contains(other);
                    assert_eq!(
                        output.poison[across.index()].contains(lane),
                        poisoned,
                        "across: {words}"
                    );
                }
            }
        }
    }
}

#[test]
fn helper_lanes_alone_participate_so_that_their_loops_end() {
    let text = "void main(out uint4 t : SV_Target) {
    uint i = WaveGetLaneIndex(), alone = 0, first = 0, turns = 0;
    if (IsHelperLane()) {
        alone = WaveActiveCountBits(true);
        first = WaveIsFirstLane() ? 1 : 0;
    }
    while (true) {
        ++turns;
        if (WaveReadLaneFirst(i) == i) break;
    }
    t = QuadReadAcrossX(uint4(alone, first, turns, i));
    t.w = turns;
}";
    let module = pixels::compile(text, "ps_6_6").unwrap();
    for width in WIDTHS {
        let all = LaneMask::first_n(width);
        let helpers = LaneMask(u128::MAX / 15 * 2) & all;
        let wave = Quads { lanes: all.0, helpers: helpers.0 };
        let (outputs, _) = pixels::run(&module, width, &[wave], position).unwrap();
        let output = &outputs[0];
        for lane in output.live.iter().filter(|it| it % 4 == 0) {
            let get = |slot| output.rows.row(ir::Slot(slot))[lane as usize];
            assert_eq!(get(0), u64::from(helpers.count()));
            assert_eq!(get(1), u64::from(lane == 0));
            // The participants leave one after the other, and then the helper lanes do.
            let before = output.live.count() + (helpers & LaneMask::below(lane + 1)).count();
            assert_eq!(get(2), u64::from(before) + 1);
            assert_eq!(get(3), u64::from((output.live & LaneMask::below(lane + 1)).count()));
            assert!(output.poison[0].contains(lane) && !output.poison[1].contains(lane));
        }
    }
}

#[test]
fn quads_of_helper_lanes_retire_unless_they_participate() {
    // The first quad would never end if it did not retire; the others count the remaining lanes.
    let text = |attribute: &str, spins: &str| {
        format!(
            "{attribute}\nuint main(nointerpolation uint i : INDEX) : SV_Target {{
    for (uint k = 0; k < 2; ++k) {{
        if (i < 4) {{
            if (k == 1 || i % 2 == 0) discard;
            {spins}
        }}
    }}
    return WaveActiveCountBits(true) * 1000 + WaveActiveSum(IsHelperLane() ? 1 : 0);
}}"
        )
    };
    let spins = "if (k == 1) while (true) {}";
    let retires = pixels::compile(&text("", spins), "ps_6_7").unwrap();
    let stays = pixels::compile(&text("[WaveOpsIncludeHelperLanes]", ""), "ps_6_7").unwrap();
    let index = |_: usize, _: &str, _: u8, lane: u32| u64::from(lane);
    for width in WIDTHS.into_iter().filter(|it| *it > 4) {
        let all = LaneMask::first_n(width);
        let wave = Quads { lanes: all.0, helpers: 0 };
        for (module, expected) in
            [(&retires, u64::from(width - 4) * 1000), (&stays, u64::from(width) * 1000 + 4)]
        {
            let (outputs, _) = pixels::run(module, width, &[wave], index).unwrap();
            assert_eq!(outputs[0].live, all & !LaneMask(15));
            assert_eq!(outputs[0].helpers, LaneMask(15));
            for lane in outputs[0].live.iter() {
                assert_eq!(outputs[0].rows.row(ir::Slot(0))[lane as usize], expected);
            }
        }
    }
}

#[test]
fn clip_discards_where_a_component_is_negative() {
    let text = "float main(float4 at : SV_Position) : SV_Target {
    clip(float2(at.x - 2, -0.0));
    clip(1);
    return at.x;
}";
    let module = pixels::compile(text, "ps_6_0").unwrap();
    let wave = Quads { lanes: 0xff, helpers: 0 };
    let (outputs, _) = pixels::run(&module, 8, &[wave], position).unwrap();
    assert_eq!(outputs[0].live, LaneMask(0xf0));
    assert!(module.io.unwrap().pixel.discards);
}

#[test]
fn derivatives_follow_the_quad() {
    let text = "void main(float4 at : SV_Position, float x : X, out float4 t[3] : SV_Target) {
    uint i = WaveGetLaneIndex();
    t[0] = float4(ddx_fine(x), ddy_fine(x), ddx_coarse(x), ddy_coarse(x));
    t[1] = float4(ddx(x), ddy(x), fwidth(x), 0);
    t[2] = 0;
    if (i % 4 != 1) t[2] = float4(ddx_fine(x), ddy_fine(x), ddx_coarse(x), ddy_coarse(x));
}";
    let module = pixels::compile(text, "ps_6_6").unwrap();
    assert!(module.io.as_ref().unwrap().pixel.derivatives);
    // The values 0, 1, 10 and 31, in every quad more by a multiple of 100.
    let input = |_: usize, name: &str, _: u8, lane: u32| {
        let value = [0, 1, 10, 31][lane as usize % 4] + lane / 4 * 100;
        u64::from(if name == "X0" { (value as f32).to_bits() } else { 0 })
    };
    for width in WIDTHS {
        let all = LaneMask::first_n(width);
        let wave = Quads { lanes: all.0, helpers: 0x2 };
        let (outputs, _) = pixels::run(&module, width, &[wave], input).unwrap();
        for lane in outputs[0].live.iter() {
            let get =
                |slot| f32::from_bits(outputs[0].rows.row(ir::Slot(slot))[lane as usize] as u32);
            let (right, down) = (lane % 2 == 1, lane % 4 > 1);
            let (dx, dy) = (if down { 21.0 } else { 1.0 }, if right { 30.0 } else { 10.0 });
            assert_eq!([0, 1, 2, 3].map(get), [dx, dy, 1.0, 10.0], "lane {lane}");
            assert_eq!([4, 5, 6].map(get), [1.0, 10.0, 11.0], "lane {lane}");
            let poisoned = |slot: usize| outputs[0].poison[slot].contains(lane);
            // The lane that does not take part counts as the one that asks; in such a quad nothing is defined.
            let partly = [8, 9, 10, 11].map(poisoned);
            assert_eq!(partly, [lane % 4 != 1; 4], "lane {lane}");
            match lane % 4 {
                0 => assert_eq!([8, 9, 10, 11].map(get), [0.0, 10.0, 0.0, 10.0]),
                3 => assert_eq!([8, 9].map(get), [21.0, 0.0]),
                _ => {}
            }
            assert!((0..8).all(|slot| !poisoned(slot)));
        }
    }
}

#[test]
fn inputs_are_evaluated_elsewhere() {
    let text = "struct In { float2 uv : UV; nointerpolation uint id : ID; };
float2 again(In given, uint n) { return EvaluateAttributeSnapped(given.uv, int2(n, 3)); }
void main(In given, uint n : N, out float2 a : SV_Target0, out float2 b : SV_Target1, out float2 c : SV_Target2, out uint d : SV_Target3) {
    a = EvaluateAttributeCentroid(given.uv);
    b = EvaluateAttributeAtSample(given.uv, 2);
    c = again(given, n);
    d = GetAttributeAtVertex(given.id, 1);
}";
    let module = pixels::compile(text, "ps_6_1").unwrap();
    let wave = Quads { lanes: 0xf, helpers: 0 };
    let (outputs, _) = pixels::run(&module, 4, &[wave], |_, _, _, lane| u64::from(lane)).unwrap();
    for lane in 0..4u64 {
        let get = |slot: u32| outputs[0].rows.row(ir::Slot(slot))[lane as usize];
        let at = |slot: u64, place: u64| lane << 20 | slot << 16 | place;
        assert_eq!([get(0), get(1)], [at(0, 0x1000), at(1, 0x1000)]);
        assert_eq!([get(2), get(3)], [at(0, 0x2002), at(1, 0x2002)]);
        assert_eq!([get(4), get(5)], [0, 1].map(|slot| at(slot, 0x3003 | lane << 4)));
        assert_eq!(get(6), at(2, 0x4001));
    }
    for (text, message) in [
        (
            "float main(float x : X) : SV_Target { return EvaluateAttributeCentroid(x + 1); }",
            "only an input",
        ),
        (
            "float main(float4 p : SV_Position) : SV_Target { return EvaluateAttributeCentroid(p.x); }",
            "the system value `SV_Position0`",
        ),
        (
            "float main(float x : X) : SV_Target { return GetAttributeAtVertex(x, 0); }",
            "the input `X0` is interpolated",
        ),
    ] {
        let error = pixels::compile(text, "ps_6_1").unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

/// The lines of a signature in the text form, without what all have.
fn signature(text: &str, profile: &str) -> String {
    let module = pixels::compile(text, profile).unwrap();
    let text = ir::text::print_without_spans(&module);
    let lines = text.lines().filter(|it| it.starts_with("input") || it.starts_with("output"));
    let short = |line: &str| {
        let line = line.replace('"', "").replace(" linear centre", "").replace(" centre", "");
        format!("{line}\n")
    };
    lines.map(short).collect()
}

#[test]
fn signatures_are_flattened() {
    let vertex = "struct Inner { float2 a : A; uint2 b : B3; };
struct Vertex { float3 position : POSITION; Inner inner[2]; row_major float2x3 m : M; float2x3 n : N; };
struct Out { float4 position : SV_Position; noperspective float4 tint : TINT; float2 clips[2] : SV_ClipDistance; };
Out main(Vertex v, uint id : SV_VertexID, inout float w : W, out Inner all : OUTER5) {
    Out result;
    result.position = float4(v.position, v.inner[1].a.x);
    result.tint = v.m[1].xyzx + v.n[1].xyzx;
    result.clips[0] = v.inner[0].b;
    result.clips[1] = id;
    all.a = 1;
    all.b = 2;
    return result;
}";
    let expected = "input POSITION 0: f32 x 3
input A 0: f32 x 2
input B 3: u32 x 2
input A 1: f32 x 2
input B 4: u32 x 2
input M 0: f32 x 3
input M 1: f32 x 3
input N 0: f32 x 2
input N 1: f32 x 2
input N 2: f32 x 2
input SV_VertexID 0: u32 x 1 system vertex_id
input W 0: f32 x 1
output W 0: f32 x 1
output OUTER 5: f32 x 2
output OUTER 6: u32 x 2 flat
output SV_Position 0: f32 x 4 no_perspective system position
output TINT 0: f32 x 4 no_perspective
output SV_ClipDistance 0: f32 x 2 system clip_distance
output SV_ClipDistance 1: f32 x 2 system clip_distance
";
    assert_eq!(signature(vertex, "vs_6_0"), expected);
    let pixel = "struct In { float a : A; linear float b : B; nointerpolation float c : C; };
float4 main(float4 at : SV_Position, centroid In given, sample noperspective float2 s : S, uint k : K,
            bool front : SV_IsFrontFace, out float depth : SV_Depth) : SV_Target2 {
    depth = given.a + given.b + given.c;
    return at + s.xyxy + k + front;
}";
    let expected = "input SV_Position 0: f32 x 4 no_perspective system position
input A 0: f32 x 1 linear centroid
input B 0: f32 x 1
input C 0: f32 x 1 flat
input S 0: f32 x 2 no_perspective sample
input K 0: u32 x 1 flat
input SV_IsFrontFace 0: bool x 1 flat system is_front_face
output SV_Depth 0: f32 x 1 system depth
output SV_Target 2: f32 x 4 system target
";
    assert_eq!(signature(pixel, "ps_6_0"), expected);
    for (text, message) in [
        (
            "float4 main(float2 a[2] : A, float b : A1) : SV_Target { return 0; }",
            "two values have the semantic `A1`",
        ),
        (
            "float4 main(nointerpolation centroid float a : A) : SV_Target { return a; }",
            "exclude each other",
        ),
        (
            "float4 main(linear uint a : A) : SV_Target { return a; }",
            "integers are not interpolated",
        ),
        (
            "float4 main(float4 a[40] : A) : SV_Target { return a[0]; }",
            "at most 128 scalars of inputs",
        ),
        (
            "struct E {}; struct S { E e[1000]; float x[2] : X4294967295; };\nfloat4 main(S s) : SV_Target { return s.x[0]; }",
            "two values have the semantic `X4294967295`",
        ),
    ] {
        let error = pixels::compile(text, "ps_6_0").unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn matrices_arrive_in_the_order_of_their_rows() {
    // Each component of an input holds its row and its place in it.
    let text = "float4 main(float2x3 m : M, row_major float2x3 n : N) : SV_Target { return float4(m._12, m._23, n._12, n._23); }";
    let module = pixels::compile(text, "ps_6_0").unwrap();
    let bits = |_: usize, name: &str, component: u8, _: u32| {
        let row: u32 = name[1..].parse().unwrap();
        u64::from(((row * 10 + u32::from(component)) as f32).to_bits())
    };
    let wave = Quads { lanes: 0xf, helpers: 0 };
    let (outputs, _) = pixels::run(&module, 4, &[wave], bits).unwrap();
    let get = |slot| f32::from_bits(outputs[0].rows.row(ir::Slot(slot))[0] as u32);
    assert_eq!([0, 1, 2, 3].map(get), [10.0, 21.0, 1.0, 12.0]);
}

#[test]
fn the_outputs_of_every_return_arrive() {
    let text = "float4 main(uint k : K, out float depth : SV_Depth) : SV_Target {
    depth = 1;
    if (k == 0) return 10;
    for (uint i = 0; i < 4; ++i) {
        depth += 1;
        if (i == k) return 20 + i;
    }
    depth = 9;
    return 30;
}";
    let module = pixels::compile(text, "ps_6_0").unwrap();
    let wave = Quads { lanes: 0xff, helpers: 0 };
    let bits = |_: usize, _: &str, _: u8, lane: u32| u64::from(lane);
    let (outputs, _) = pixels::run(&module, 8, &[wave], bits).unwrap();
    let get = |slot, lane: usize| f32::from_bits(outputs[0].rows.row(ir::Slot(slot))[lane] as u32);
    let io = module.io.unwrap();
    let depth = io.system_output(ir::stage::SystemValue::Depth).unwrap().0;
    let target = io.system_output(ir::stage::SystemValue::Target).unwrap().0;
    for (lane, (colour, deep)) in
        [(10.0, 1.0), (21.0, 3.0), (22.0, 4.0), (23.0, 5.0), (30.0, 9.0)].into_iter().enumerate()
    {
        assert_eq!((get(target, lane), get(depth, lane)), (colour, deep), "lane {lane}");
    }
}

#[test]
fn generated_pixel_shaders_agree_with_the_second_evaluator() {
    let mut statistics = generate::Statistics::default();
    let (mut discarding, mut deriving) = (0, 0);
    for seed in 0..400 {
        let width = suite::width_of(seed);
        let program = generate::pixels(seed, width, &mut statistics);
        let expected = generate::second::evaluate(&program, width);
        let got = pixels::log_of(&program, width, &suite::engines::sets());
        let text = generate::print(&program);
        discarding += usize::from(text.contains("discard"));
        deriving += usize::from(text.contains("ddx_") || text.contains("ddy_"));
        assert!(
            got.as_ref() == Ok(&expected),
            "seed {seed}, width {width}: {:?}\n{text}",
            got.err()
        );
    }
    assert!(discarding > 100, "only {discarding} programs discard");
    assert!(deriving > 20, "only {deriving} programs take derivatives");
}

#[test]
fn a_pixel_shader_has_the_traits_of_what_it_does() {
    let traits = |text: &str| pixels::compile(text, "ps_6_7").unwrap().io.unwrap().pixel;
    let of = |attribute: &str, head: &str, body: &str| {
        traits(&format!(
            "{head}\n{attribute}\nfloat main(float x : X, sample float s : S, uint i : SV_SampleIndex) : SV_Target {{ {body} }}"
        ))
    };
    let plain = ir::stage::PixelTraits::default();
    assert_eq!(of("", "", "return x;"), plain);
    let expected = ir::stage::PixelTraits { early_depth: true, ..plain };
    assert_eq!(of("[earlydepthstencil]", "", "return x;"), expected);
    let expected = ir::stage::PixelTraits { helpers_take_part: true, ..plain };
    assert_eq!(of("[WaveOpsIncludeHelperLanes]", "", "return x;"), expected);
    let expected = ir::stage::PixelTraits { discards: true, ..plain };
    assert_eq!(of("", "", "if (x > 1) discard; return x;"), expected);
    let expected = ir::stage::PixelTraits { derivatives: true, ..plain };
    assert_eq!(of("", "", "return fwidth(x);"), expected);
    let expected = ir::stage::PixelTraits { sample_frequency: true, ..plain };
    assert_eq!(of("", "", "return s;"), expected);
    assert_eq!(of("", "", "return i;"), expected);
    let view = "RasterizerOrderedByteAddressBuffer view;";
    let expected = ir::stage::PixelTraits { orders_pixels: true, ..plain };
    assert_eq!(of("", view, "view.Store(0, view.Load(0) + 1); return x;"), expected);
    assert_eq!(of("", view, "return x;"), plain);
}

#[test]
fn ordered_views_are_plain_memory_in_the_order_of_waves_and_lanes() {
    let text = "RasterizerOrderedByteAddressBuffer view;
uint main(nointerpolation uint i : INDEX) : SV_Target {
    uint before = 0;
    for (uint k = 0; k < WaveGetLaneCount(); ++k) {
        if (k == WaveGetLaneIndex()) {
            before = view.Load(0);
            view.Store(0, before * 3 + i);
        }
    }
    return before;
}";
    let module = pixels::compile(text, "ps_6_6").unwrap();
    for width in WIDTHS {
        let helpers = u128::MAX / 15 * 2;
        let wave = Quads { lanes: u128::MAX, helpers: helpers & LaneMask::first_n(width).0 };
        let index = |wave: usize, _: &str, _: u8, lane: u32| wave as u64 * 7 + u64::from(lane);
        let (outputs, _) = pixels::run(&module, width, &[wave, wave], index).unwrap();
        let mut memory = 0u32;
        for (number, output) in outputs.iter().enumerate() {
            for lane in output.live.iter() {
                assert_eq!(output.rows.row(ir::Slot(0))[lane as usize], u64::from(memory));
                memory = memory.wrapping_mul(3).wrapping_add(index(number, "", 0, lane) as u32);
            }
        }
    }
}

#[test]
fn implicit_levels_of_detail_see_helper_lanes() {
    // Sixteen texels in a row, and a lane's coordinate: the helper lane is far away, so that the level is high.
    let text = "Texture2D<float4> image;
SamplerState how;
float2 main(float u : U) : SV_Target {
    return float2(image.CalculateLevelOfDetail(how, float2(u, 0)), image.Sample(how, float2(u, 0)).x);
}";
    let module = pixels::compile(text, "ps_6_0").unwrap();
    let shape = ops::texture::Shape {
        levels: 5,
        ..ops::texture::Shape::new(ops::texture::Format::parse("R32_FLOAT").unwrap(), 16, 16, 1)
    };
    // Every texel holds the number of its level.
    let mut bytes = vec![0; shape.bytes().unwrap()];
    for level in 0..5 {
        let [width, height, _] = shape.size(level);
        for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
            let at = shape.offset(level, 0, [x, y, 0], 0);
            bytes[at..at + 4].copy_from_slice(&(level as f32).to_le_bytes());
        }
    }
    let mut memory = pixels::buffers(&module);
    for (resource, buffers) in module.resources.iter().zip(&mut memory.bindings) {
        let is_image = resource.name == "image";
        buffers[0] = match is_image {
            true => Buffer { bytes: bytes.clone().into(), what: What::texture_of(shape) },
            false => What::Sampler(ops::texture::Sampler::default()).into(),
        };
    }
    // In steps of a texel, except for the helper lane 1, which is four texels away.
    let input = |_: usize, _: &str, _: u8, lane: u32| {
        let u = if lane == 1 { 4.0 / 16.0 } else { lane as f32 / 2.0 / 16.0 };
        u64::from(u.to_bits())
    };
    let mut feed = pixels::Dealt::new(&module, 8, &[Quads { lanes: 0xff, helpers: 2 }], input);
    let program = interp::decode(&module);
    let variation = interp::Variation::default();
    let launch = pixels::launch(8);
    interp::run_waves(&program, &launch, variation, &mut memory, &mut feed, &mut pixels::Poison)
        .unwrap();
    let output = &feed.outputs[0];
    for lane in output.live.iter() {
        let get = |slot| f32::from_bits(output.rows.row(ir::Slot(slot))[lane as usize] as u32);
        let expected = if lane < 4 { 2.0 } else { 0.0 };
        assert_eq!([get(0), get(1)], [expected; 2], "lane {lane}");
        assert!(!output.poison[0].contains(lane));
    }
}

#[test]
fn vertex_shaders_run_in_waves_of_vertices() {
    let text = "struct Out { float4 at : SV_Position; nointerpolation uint2 seen : SEEN; };
Out main(float3 position : POSITION, uint id : SV_VertexID) {
    Out result = (Out)0;
    result.at = float4(position, 1);
    result.seen = uint2(WaveActiveCountBits(true), WavePrefixSum(id));
    return result;
}";
    let module = pixels::compile(text, "vs_6_0").unwrap();
    let bits = |_: usize, name: &str, component: u8, lane: u32| match name {
        "SV_VERTEXID0" => u64::from(lane),
        _ => u64::from((lane * 4 + u32::from(component)) as f32 as u32).wrapping_add(1),
    };
    for width in WIDTHS {
        // A partial wave need not end with a whole quad.
        let lanes = width - 1;
        let wave = Quads { lanes: LaneMask::first_n(lanes).0, helpers: 0 };
        let (outputs, _) = pixels::run(&module, width, &[wave], bits).unwrap();
        assert_eq!(outputs[0].live, LaneMask::first_n(lanes));
        for lane in 0..lanes {
            let get = |slot| outputs[0].rows.row(ir::Slot(slot))[lane as usize];
            assert_eq!(get(1), bits(0, "POSITION0", 1, lane));
            assert_eq!(get(3), u64::from(1f32.to_bits()));
            assert_eq!(get(4), u64::from(lanes));
            assert_eq!(get(5), u64::from((0..lane).sum::<u32>()));
        }
    }
}

/// Special numbers, numbers of usual size, and any bits.
fn odd_number(wave: usize, name: &str, _: u8, lane: u32) -> u64 {
    const SPECIAL: [f32; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        1e-40,
        88.722_84,
        -87.336_54,
        1_048_576.0,
        -1_048_575.9,
        3e38,
    ];
    let seed = (wave as u64 * 128 + u64::from(lane)) * 2 + u64::from(name == "Y0");
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (mixed >> 32) as u32;
    let number = match mixed & 3 {
        0 => SPECIAL[word as usize % SPECIAL.len()],
        1 => word as i32 as f32 / 2e7,
        2 => word as i32 as f32 / 2e9,
        _ => f32::from_bits(word),
    };
    u64::from(number.to_bits())
}

/// Wide waves of shaders with short loops run in strips of their lanes on the fast engine, and spend what narrow ones
/// do.
#[test]
fn waves_with_short_loops_run_in_strips() {
    let text = "float4 main(float x : X, float y : Y) : SV_Target {
        float4 c = float4(x, y, x + y, 1);
        for (int i = 0; i < 6; i++) {
            if (c.x > i) c = sqrt(abs(c)) + ddx_fine(c.y);
            if (c.y > 3 + i) discard;
            c = c * 0.5 + i;
        }
        return c;
    }";
    let module = Arc::new(pixels::compile(text, "ps_6_6").unwrap());
    let mut spent = Vec::new();
    for width in WIDTHS {
        let lanes = LaneMask::first_n((width - 4).max(4)).0;
        let partial = Quads { lanes, helpers: 0x2142 & lanes };
        let waves = [partial, Quads { lanes: u128::MAX, helpers: 0 }, partial];
        let (outputs, _) = pixels::run(&module, width, &waves, odd_number).unwrap();
        assert!(outputs.iter().any(|it| !it.helpers.is_empty()));
        for isa in suite::engines::sets() {
            let total = Arc::<AtomicU64>::default();
            let launch = Launch { fuel: Some(1 << 40), ..pixels::launch(width) };
            let launch = Launch { spent: Some(total.clone()), ..launch };
            let mut feed = pixels::Dealt::new(&module, width, &waves, odd_number);
            let compiled = cpu::compile(&module, isa, width).unwrap();
            assert!(compiled.run_waves(&launch, &mut Bindings::default(), &mut feed).is_ok());
            spent.push(total.load(Ordering::Relaxed));
        }
    }
    assert!(spent.iter().all(|it| *it > 0 && *it == spent[0]), "{spent:?}");
}

/// `pixels::run` compares the engines bit for bit.
#[test]
fn functions_have_the_same_bits_as_machine_code() {
    const FUNCTIONS: [&str; 17] = [
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x)",
        "acos(x)",
        "atan(x)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "exp(x)",
        "exp2(x)",
        "log(x)",
        "log2(x)",
        "log10(x)",
        "rsqrt(x)",
        "pow(x, y)",
        "atan2(x, y)",
    ];
    let places = (0..20).zip(FUNCTIONS.into_iter().chain(["0"; 3]));
    let lines: String =
        places.map(|(i, it)| format!("    t[{}][{}] = {it};\n", i / 4, i % 4)).collect();
    let text =
        format!("void main(float x : X, float y : Y, out float4 t[5] : SV_Target) {{\n{lines}}}");
    let module = pixels::compile(&text, "ps_6_6").unwrap();
    for width in WIDTHS {
        let wave = Quads { lanes: u128::MAX, helpers: 0 };
        let waves = vec![wave; 4096 / width as usize];
        let (outputs, _) = pixels::run(&module, width, &waves, odd_number).unwrap();
        let mut zeros = 0;
        for (number, output) in outputs.iter().enumerate() {
            for lane in output.live.iter().filter(|it| odd_number(number, "X0", 0, *it) == 0) {
                let of = |slot: u32| output.rows.row(ir::Slot(slot))[lane as usize] as u32;
                assert_eq!([of(0), of(1), of(9)].map(f32::from_bits), [0.0, 1.0, 1.0]);
                zeros += 1;
            }
        }
        assert!(zeros > 20, "{zeros}");
    }
}
