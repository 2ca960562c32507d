//! Cases of unit tests that are pixel shaders.

use crate::support;

/// What `wavelane test` prints about a text, at waves of 4 and of 32 lanes, with its exit status.
fn tested(name: &str, cases: &str) -> (String, Option<i32>) {
    let file = format!("#include <wavelane.hlsli>\n{cases}");
    let folder = support::fresh_folder(&format!("pixel-cases/{name}"), &[("a.hlsl", &file)]);
    let words = ["test", "a.hlsl", "--wave-size", "4,32"];
    let output = support::command(&folder, &words).output().unwrap();
    let all = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    (all.concat(), output.status.code())
}

#[test]
fn failures_name_pixels() {
    let cases = "TEST_DRAW(right, 8, 8) { EXPECT(true); }
TEST_DRAW(some, 8, 8) {
    EXPECT(test_pixel.x >= 4 || test_pixel.y < 6);
    EXPECT_NE(dot(test_pixel, uint2(1, 8)), 13u);
}
TEST_DRAW(all, 7, 5) { EXPECT_EQ(test_position.z, 1.0); }
TEST_DRAW(many, 64, 64) { EXPECT(test_pixel.y > 1000); }
";
    let (shown, status) = tested("failures", cases);
    for line in [
        "FAIL: a.hlsl::some with waves of 4, 32 lanes",
        "  lines 4, 5 not as expected",
        "    pixels (0 to 3, 6 to 7)  expected true  got false",
        "    pixel (5, 1)  expected anything but 13  got 13",
        "    all pixels  expected 1.0  got 0.0",
        "    … 3968 more",
    ] {
        assert!(shown.lines().any(|it| it == line), "{line}\n{shown}");
    }
    assert!(shown.contains("2 passed, 6 failed") && status == Some(1), "{shown}");
}

#[test]
fn helper_lanes_do_not_count() {
    let (shown, _) = tested(
        "helpers",
        "TEST_DRAW(gone, 4, 4) { discard; EXPECT(false); }
TEST_DRAW(half, 4, 4) { if (test_pixel.x & 1) discard; EXPECT_EQ(test_pixel.x & 1, 0u); }
",
    );
    assert!(
        shown.contains("FAIL: a.hlsl::gone with waves of 4, 32 lanes\n  the case checks nothing")
    );
    assert!(shown.contains("2 passed, 2 failed"), "{shown}");
}

#[test]
fn entry_points_draw_with_state_and_outputs() {
    let (shown, status) = tested(
        "own",
        "struct Varyings { float4 position : SV_Position; float2 uv : TEXCOORD0; };
//# draw 2x1
//= Target f32: 0.25 0.5 0 1 0.75 0.5 0 1
[test] [shader(\"pixel\")]
float4 right(Varyings v) : SV_Target { EXPECT(v.uv.y == 0.5); return float4(v.uv, 0, 1); }
//# draw 2x1
//= Target f32: 0.25 0.5 0 1 0.5 0.5 0 1
[test] float4 wrong(Varyings v) : SV_Target { EXPECT(v.uv.x < 0.5); return float4(v.uv, 0, 1); }
//# draw 1x1
//# raster Samples: 4
[test] float4 sampled(uint s : SV_SampleIndex) : SV_Target { EXPECT(s > 4); return 1; }
",
    );
    assert!(shown.contains("  line 9 not as expected\n  line 8: `Target` differs:\n"), "{shown}");
    assert!(shown.contains("    pixel (1, 0)  expected true  got false\n"), "{shown}");
    assert!(shown.contains("    pixel (0, 0), 4 times  expected true  got false\n"), "{shown}");
    assert!(shown.contains("2 passed, 4 failed") && status == Some(1), "{shown}");
}

#[test]
fn wrong_uses_are_located() {
    for (case, says) in [
        ("TEST_DRAW(a, N, 8) { EXPECT(true); }", "a.hlsl:2:1: error: expected `TEST_DRAW(name, wi"),
        (
            "TEST_DRAW(a, 0, 8) { EXPECT(true); }",
            "a.hlsl:2:1: error: a draw has at least one pixel",
        ),
        ("TEST_DRAW(a, 2000, 8) { EXPECT(true); }", "a.hlsl:2:1: error: at most 1024x1024 pixels"),
        (
            "[test] [shader(\"pixel\")] void b() { EXPECT(true); }",
            "a.hlsl:2:1: error: the case is a pixel shader, but the size of its target is missing\n    \
             = help: write `//# draw 8x8` above it",
        ),
        (
            "//# draw 8x8\nTEST_CASE(c) { EXPECT(true); }",
            "a.hlsl:2:1: error: `draw` is for pixel shaders, and the case has a thread group\n    \
             = help: write `TEST_DRAW(name, 8, 8)`",
        ),
        (
            "//# draw 8x8\nTEST_DRAW(d, 8, 8) { EXPECT(true); }",
            "a.hlsl:2:1: error: `TEST_DRAW` says how many pixels the case draws",
        ),
        (
            "//# draw 8x8 vertices 3\n[test] void e() { EXPECT(true); }",
            "a.hlsl:2:1: error: expected `draw WxH`: a case draws a full-screen triangle",
        ),
        (
            "//# raster Samples: 4\n[test] void f() { EXPECT(true); }",
            "a.hlsl:2:1: error: `raster` comes after `draw`",
        ),
        (
            "//# raster Sampels: 4\nTEST_DRAW(g, 8, 8) { EXPECT(true); }",
            "a.hlsl:3:1: error: the draw of the case has errors\n  the draw:8:3: error: unknown key `Sampels`",
        ),
        (
            "//# draw 8x8\n[test] void h(float4 x : FOO) { EXPECT(x.x > 0); }",
            "a.hlsl:3:26: error: the triangle that a case draws has no `FOO`\n    \
             = help: it has TEXCOORD, UV, POSITION, NORMAL, COLOR",
        ),
        (
            "RWStructuredBuffer<uint> Out;\nTEST_DRAW(i, 8, 8) { Out[0] = 1; }",
            "a.hlsl:3:1: error: nothing is bound to `Out`, which the case uses",
        ),
    ] {
        let (shown, status) = tested("wrong", case);
        assert!(shown.contains("bad file: a.hlsl::") && status == Some(2), "{case}\n{shown}");
        assert!(shown.contains(says), "{case}\n{shown}");
    }
}

#[test]
fn the_sanitizer_examines_pixel_cases() {
    let file = "#include <wavelane.hlsli>
TEST_DRAW(quiet, 4, 4) { EXPECT(test_position.x > 0); }
TEST_DRAW(undefined, 4, 4) { uint x; if (test_pixel.x == 1) x = 3; EXPECT_EQ(x, 3u); }
";
    let folder = support::fresh_folder("pixel-cases/san", &[("a.hlsl", file)]);
    let san = |case: &str| {
        let output = support::command(&folder, &["san", case, "--wave-size", "4,32"]).output();
        let output = output.unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    assert_eq!(san("a.hlsl::quiet").1, Some(0));
    let (shown, status) = san("a.hlsl::undefined");
    assert!(shown.contains("[uninitialized-value]") && status == Some(1), "{shown}");
}
