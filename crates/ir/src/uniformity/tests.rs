//! Tests of `uniformity`.

use super::*;
use crate::text::read;
use crate::verify::verify;

/// A module with the given lines in its body.
pub(super) fn module(group_size: &str, lines: &str) -> Module {
    let text = format!(
        "entry \"main\": compute 6.0\ngroup_size {group_size}\nb0 \"B\": raw.rw at u0 used\ng0 \"g\": i32 x 4\np0 \"p\": i32 x 4\nbody r0 {{\n{lines}\nyield\n}}\n"
    );
    let module = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    module
}

fn analysed(group_size: &str, lines: &str) -> Uniformities {
    analyse(&module(group_size, lines))
}

/// The uniformity of all values: `u` for uniform, the stride of affine ones, `-` for varying.
fn uniformity(group_size: &str, lines: &str) -> String {
    let uniformity = analysed(group_size, lines);
    let show = |uniformity: &Uniformity| match uniformity {
        Uniformity::Uniform => "u".to_owned(),
        Uniformity::Affine { stride } => stride.to_string(),
        Uniformity::Varying => "-".to_owned(),
    };
    uniformity.values.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// The flow of all regions, by its first letter.
fn flows(lines: &str) -> String {
    let letter = |flow: &Flow| match flow {
        Flow::Uniform => "U",
        Flow::Together => "T",
        Flow::Apart => "A",
    };
    analysed("64, 1, 1", lines).regions.iter().map(letter).collect()
}

#[test]
fn thread_indices_follow_the_lane_order() {
    let lines = "v0: i32 = builtin.group_index
v1: i32 = builtin.group_thread_id.0
v2: i32 = builtin.group_thread_id.1
v3: i32 = builtin.dispatch_thread_id.0
v4: i32 = builtin.group_id.0
v5: i32 = wave.lane_index";
    for (group_size, expected) in [
        ("64, 1, 1", "1 1 u 1 u 1"),
        // In squares of four or not, depending on the launch.
        ("8, 8, 1", "- - - - u 1"),
        // Rows are not a multiple of a wave.
        ("9, 2, 1", "1 - - - u 1"),
        ("128, 3, 1", "1 1 u 1 u 1"),
        ("64, 3, 1", "1 - - - u 1"),
        ("64, 3, 1\nwave_size 4, 64, 32", "1 1 u 1 u 1"),
        ("1, 64, 1", "1 u - u u 1"),
    ] {
        assert_eq!(uniformity(group_size, lines), expected, "{group_size}");
    }
}

#[test]
fn strides_follow_arithmetic() {
    for (line, expected) in [
        ("add v0, v0", "2"),
        ("sub v0, v0", "u"),
        ("sub v2, v0", "-1"),
        ("neg v0", "-1"),
        ("not v0", "-1"),
        ("mul v0, v1", "3"),
        ("mul v1, v0", "3"),
        // The factor is uniform, but unknown.
        ("mul v0, v2", "-"),
        ("mul v0, v0", "-"),
        ("shl v0, v1", "8"),
        ("shl v1, v0", "-"),
        ("xor v0, v1", "-"),
        ("select v3, v0, v0", "1"),
        ("select v4, v0, v2", "-"),
        ("select v4, v0, v0", "1"),
        ("convert.u.u.i32 v0", "1"),
        ("bitcast.i32 v0", "1"),
    ] {
        let lines = format!(
            "v0: i32 = wave.lane_index
v1: i32 = const.i32 3
v2: i32 = builtin.group_id.0
v3: bool = eq v1, v2
v4: bool = wave.is_first_lane
v5: i32 = {line}"
        );
        assert_eq!(uniformity("1, 1, 1", &lines), format!("1 u u u - {expected}"), "{line}");
    }
    // A wider type exposes where the narrow one wraps around; a narrower one truncates.
    let lines = "v0: i32 = wave.lane_index
v1: i64 = convert.u.u.i64 v0
v2: i32 = const.i32 65536
v3: i32 = mul v0, v2
v4: i16 = convert.u.u.i16 v3
v5: i16 = convert.u.u.i16 v0
v6: f32 = convert.u.s.f32 v0";
    assert_eq!(uniformity("1, 1, 1", lines), "1 - u 65536 u 1 -");
}

#[test]
fn wave_operations_make_values_uniform() {
    let lines = "v0: i32 = wave.lane_index
v1: i32 = const.i32 3
v2: bool = lt.u v0, v1
v3: i32 = wave.reduce.sum v0
v4: i32 = wave.scan.sum v1
v5: i32 = wave.read_lane_first v0
v6: i32 = wave.read_lane_at v0, v1
v7: i32 = wave.read_lane_at v1, v0
v8: bool = wave.any_true v2
v9: i32 = wave.reduce.sum v0 lanes v0
v10, v11, v12, v13: i32 = wave.ballot v2";
    assert_eq!(uniformity("1, 1, 1", lines), "1 u - u - u u - u - u u u u");
}

#[test]
fn memory_is_uniform_where_its_address_is() {
    let lines = "v0: i32 = wave.lane_index
v1: i32 = const.i32 4
v2: i32 = load b0[byte v1]
v3: i32 = load b0[byte v0]
v4: i32 = load b0(v0)[byte v1]
v5: i32 = size b0
v6: i32 = shared_load g0[v1]
v7: i32 = shared_load g0[v0]
v8: i32 = private_load p0[v1]
v9: i32 = atomic.add b0[byte v1], v1";
    assert_eq!(uniformity("1, 1, 1", lines), "1 u u - - u u - - -");
}

#[test]
fn a_varying_branch_makes_the_results_of_its_arms_vary() {
    let lines = |cond| {
        format!(
            "v0: i32 = wave.lane_index
v1: i32 = const.i32 4
v2: i32 = const.i32 5
v3: bool = eq {cond}, v1
v4, v5, v6: i32 = if v3 then r1 {{
yield v1, v0, v1
}} else r2 {{
yield v2, v0, v0
}}"
        )
    };
    assert_eq!(uniformity("1, 1, 1", &lines("v2")), "1 u u u u 1 -");
    // The middle one is the same value by both paths.
    assert_eq!(uniformity("1, 1, 1", &lines("v0")), "1 u u - - 1 -");
    assert_eq!((flows(&lines("v2")), flows(&lines("v0"))), ("UUU".to_owned(), "UAA".to_owned()));
}

#[test]
fn an_arm_that_returns_does_not_make_results_vary() {
    let lines = "v0: i32 = wave.lane_index
v1: i32 = const.i32 4
v2: bool = lt.u v0, v1
v3: i32 = if v2 then r1 {
v4: i32 = add v1, v1
yield v4
} else r2 {
return
}
block do r3 {
yield
}";
    assert_eq!(uniformity("1, 1, 1", lines), "1 u - u u");
    assert_eq!(flows(lines), "UAAU");
}

/// A loop that counts up to `limit` and returns the counter and a value from outside.
fn counting(limit: &str) -> String {
    format!(
        "v0: i32 = wave.lane_index
v1: i32 = const.i32 1
i2: v2, v3: i32 = loop v1, v0 do r1(v4, v5: i32) {{
v6: bool = ge.u v4, {limit}
if v6 then r2 {{
exit i2 v4, v1
}} else r3 {{
yield
}}
v7: i32 = add v4, v1
v8: i32 = add v5, v7
yield v7, v8
}}"
    )
}

#[test]
fn an_induction_variable_is_uniform_but_varies_after_a_loop_with_divergent_exits() {
    assert_eq!(uniformity("1, 1, 1", &counting("v1")), "1 u u u u 1 u u 1");
    assert_eq!(flows(&counting("v1")), "UUUU");
    // Inside, the counter stays uniform. A value from outside is the same whenever a lane leaves.
    assert_eq!(uniformity("1, 1, 1", &counting("v0")), "1 u - u u 1 - u 1");
    assert_eq!(flows(&counting("v0")), "UTAA");
    assert!(analysed("1, 1, 1", &counting("v0")).splits(Inst(2)));
    assert!(!analysed("1, 1, 1", &counting("v1")).splits(Inst(2)));
}

#[test]
fn values_that_vary_in_a_later_iteration_vary_in_the_first() {
    let lines = "v0: i32 = wave.lane_index
v1: i32 = const.i32 1
loop v1, v1 do r1(v2, v3: i32) {
v4: i32 = mul v3, v3
yield v3, v0
}";
    assert_eq!(uniformity("1, 1, 1", lines), "1 u - - -");
}

#[test]
fn an_exit_from_an_inner_loop_with_divergent_exits_splits_the_outer_block() {
    // Lanes leave the inner loop one by one; those that stay may all exit to the block in a later iteration.
    let lines = |cond: &str| {
        format!(
            "v0: i32 = wave.lane_index
v1: i32 = const.i32 1
v2: i32 = const.i32 2
v3: bool = eq v0, v1
v4: bool = eq v2, v1
i5: v5: i32 = block do r1 {{
i6: loop do r2 {{
if {cond} then r3 {{
exit i6
}} else r4 {{
yield
}}
if v4 then r5 {{
exit i5 v1
}} else r6 {{
yield
}}
yield
}}
yield v2
}}"
        )
    };
    assert_eq!(uniformity("1, 1, 1", &lines("v4")), "1 u u - u u");
    assert_eq!(uniformity("1, 1, 1", &lines("v3")), "1 u u - u -");
    assert_eq!(
        (flows(&lines("v4")), flows(&lines("v3"))),
        ("UUUUUUU".to_owned(), "UTTAATT".to_owned())
    );
}

#[test]
fn lanes_that_wait_at_the_end_of_a_block_are_missing_from_an_exit_further_out() {
    let lines = "v0: bool = wave.is_first_lane
v1: i32 = const.i32 1
v2: i32 = const.i32 2
i3: v3: i32 = block do r1 {
i4: block do r2 {
if v0 then r3 {
exit i4
} else r4 {
yield
}
exit i3 v1
}
yield v2
}";
    assert_eq!(uniformity("1, 1, 1", lines), "- u u -");
}

#[test]
fn cases_join_lanes_that_fall_through_with_those_that_select_them() {
    let lines = |selector| {
        format!(
            "v0: i32 = wave.lane_index
v1: i32 = const.i32 1
v2: i32 = const.i32 2
i3: v3, v4: i32 = switch {selector} with v1, v1 {{
case 0 r1(v5, v6: i32) {{
yield v2, v6
}}
case 1 r2(v7, v8: i32) {{
yield v7, v1
}}
case default r3(v9, v10: i32) {{
exit i3 v9, v1
}}
}}"
        )
    };
    // The results arrive by one exit, and the second is a value from outside.
    assert_eq!(uniformity("1, 1, 1", &lines("v1")), "1 u u u u u u u u u u");
    assert_eq!(uniformity("1, 1, 1", &lines("v0")), "1 u u - u u u - - - u");
    assert_eq!(flows(&lines("v0")), "UAAA");
}

#[test]
fn lanes_that_select_no_case_carry_the_initial_values() {
    let lines = "v0: i32 = wave.lane_index
v1: i32 = const.i32 1
v2: i32 = const.i32 2
v3: i32 = switch v0 with v1 {
case 0 r1(v4: i32) {
yield v2
}
}";
    assert_eq!(
        uniformity("1, 1, 1", &lines.replace("v3: i32 = switch", "i3: v3: i32 = switch")),
        "1 u u - u"
    );
}

#[test]
fn values_never_computed_count_as_uniform() {
    let lines = "v0: i32 = loop do r1 {
yield
}
v1: i32 = add v0, v0";
    assert_eq!(uniformity("1, 1, 1", lines), "u u");
}
