//! Tests of `simplify`.

use super::*;
use crate::text::{print, read};
use crate::values;
use crate::verify::verify;

fn module(resources: &str, lines: &str) -> Module {
    let text = format!(
        "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\n{resources}\nbody r0 {{\n{lines}\n}}\n"
    );
    let module = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    module
}

/// The lines of the body after pruning.
fn pruned(resources: &str, lines: &str) -> String {
    let mut module = module(resources, lines);
    prune(&mut module);
    verify(&module).unwrap_or_else(|problems| panic!("{problems:?}\n{}", print(&module)));
    let printed = print(&module);
    let again = {
        prune(&mut module);
        print(&module)
    };
    assert_eq!(printed, again, "pruning twice is pruning once");
    let body = printed.split("body r0 {\n").nth(1).unwrap();
    body.lines().map(|line| line.trim().split(" //").next().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn dead_code_is_removed_and_observable_code_stays() {
    let resources = "b0 \"Out\": raw.rw at u0 used\ng0 \"tile\": i32 x 4\np0 \"local\": i32 x 4";
    let lines = "v0: i32 = const.i32 1
v9: i32 = const.i32 2
v1: i32 = add v0, v9
v2: i32 = size b0
v3: i32 = wave.reduce.sum v9
v4: i32 = load b0[byte v9]
v5: i32 = shared_load g0[v9]
v6: i32 = private_load p0[v9]
v7: i32 = atomic.add b0[byte v9], v9
barrier.all.group
store b0[byte v9], v9
shared_store g0[v9], v9
v8: i32 = undef.i32
private_store p0[v9], v8
yield";
    let expected = "v0: i32 = const.i32 2
v1: i32 = wave.reduce.sum v0
v2: i32 = load b0[byte v0]
v3: i32 = shared_load g0[v0]
v4: i32 = private_load p0[v0]
v5: i32 = atomic.add b0[byte v0], v0
barrier.all.group
store b0[byte v0], v0
shared_store g0[v0], v0
v6: i32 = undef.i32
private_store p0[v0], v6
yield
}";
    assert_eq!(pruned(resources, lines), expected);
}

const OUT: &str = "b0 \"Out\": raw.rw at u0 used";

#[test]
fn loops_lose_invariant_and_unused_parameters() {
    // v5 changes; v6 stays v1; v7 is only counted; v3 is the last v6, and v4 is unused.
    let lines = "v0: bool = const.bool 1
v1: i32 = const.i32 1
i2: v2, v3, v4: i32 = loop v1, v1, v1 do r1(v5, v6, v7: i32) {
if v0 then r2 {
exit i2 v5, v6, v7
} else r3 {
yield
}
v8: i32 = add v5, v6
v9: i32 = add v7, v1
yield v8, v6, v9
}
store b0[byte v2], v3
yield";
    let expected = "v0: bool = const.bool 1
v1: i32 = const.i32 1
i2: v2: i32 = loop v1 do r1(v3: i32) {
if v0 then r2 {
exit i2 v3
} else r3 {
yield
}
v4: i32 = add v3, v1
yield v4
}
store b0[byte v2], v1
yield
}";
    assert_eq!(pruned(OUT, lines), expected);
}

#[test]
fn values_passed_through_nested_constructs_are_found() {
    let lines = "v0: i32 = const.i32 1
i1: v7: i32 = loop v0 do r1(v1: i32) {
i2: v6: i32 = loop v1 do r2(v2: i32) {
i3: v5: i32 = switch v2 with v2 {
case 0 r3(v3: i32) {
yield v3
}
case 1 r4(v4: i32) {
exit i3 v4
}
}
v8: bool = eq v5, v0
v9: i32 = if v8 then r5 {
yield v5
} else r6 {
exit i2 v5
}
yield v9
}
v10: bool = ne v6, v0
if v10 then r7 {
exit i1 v6
} else r8 {
yield
}
yield v6
}
store b0[byte v7], v7
yield";
    let expected = "v0: i32 = const.i32 1
i1: loop do r1 {
i2: loop do r2 {
i3: switch v0 {
case 0 r3 {
yield
}
case 1 r4 {
exit i3
}
}
v1: bool = eq v0, v0
if v1 then r5 {
yield
} else r6 {
exit i2
}
yield
}
v2: bool = ne v0, v0
if v2 then r7 {
exit i1
} else r8 {
yield
}
yield
}
store b0[byte v0], v0
yield
}";
    assert_eq!(pruned(OUT, lines), expected);
}

#[test]
fn a_value_from_inside_is_not_passed_outside() {
    let lines = "v0: i32 = builtin.group_index
i1: v1: i32 = block do r1 {
v2: i32 = add v0, v0
exit i1 v2
}
v3: i32, v4: i32 = switch v0 with v0, v0 {
case default r2(v5: i32, v6: i32) {
v7: i32 = mul v0, v0
yield v7, v5
}
}
store b0[byte v1], v3
yield";
    let expected = "v0: i32 = builtin.group_index
i1: v1: i32 = block do r1 {
v2: i32 = add v0, v0
exit i1 v2
}
i4: v3: i32 = switch v0 with v0 {
case default r2(v4: i32) {
v5: i32 = mul v0, v0
yield v5
}
}
store b0[byte v1], v3
yield
}";
    assert_eq!(pruned(OUT, &lines.replace("v3: i32, v4", "i4: v3: i32, v4")), expected);
}

#[test]
fn variables_follow_their_values() {
    let lines = "v0: i32 = const.i32 1
v1: i32 = const.i32 2
i2: v3: i32 = loop v0 do r1(v2: i32) {
exit i2 v2
}
store b0[byte v0], v3
yield";
    let mut module = module(
        &format!(
            "{OUT}\nb1 \"In\": raw at t0 used\nvariable \"x\": v0, v2, v3\nvariable \"y\": v1"
        ),
        lines,
    );
    prune(&mut module);
    let names: Vec<(&str, &[Value])> =
        module.variables.iter().map(|it| (it.name.as_str(), it.values.as_slice())).collect();
    assert_eq!(names, [("x", [Value(0)].as_slice())]);
    assert_eq!(module.resources.iter().map(|it| it.used).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn every_kind_of_instruction_survives() {
    let mut module = read(include_str!("../text/every.ir")).unwrap();
    prune(&mut module);
    verify(&module).unwrap();
    assert_eq!(read(&print(&module)).unwrap(), module);
}

#[test]
fn scopes_without_instructions_are_dropped() {
    let scopes =
        "scope \"main\"\nscope \"gone\" in 0 @1..2\nscope \"f\" in 0 @3..4\nscope \"g\" in 2 @5..6";
    let lines = "v0: i32 = const.i32 1\nstore b0[byte v0], v0 @7..8 in 3\nyield";
    let mut module = module(&format!("{OUT}\n{scopes}"), lines);
    prune(&mut module);
    verify(&module).unwrap();
    let names: Vec<&str> = module.notes.scopes.iter().map(|it| it.function.as_str()).collect();
    assert_eq!(names, ["main", "f", "g"]);
    let span = |lo, hi| diag::Span::new(lo, hi);
    let store = Inst(1);
    assert_eq!(module.stack(store), [("g", span(7, 8)), ("f", span(5, 6)), ("main", span(3, 4))]);
    // Without calls there is nothing to tell.
    module.insts.iter_mut().for_each(|it| it.scope = ScopeId::ENTRY);
    prune(&mut module);
    assert_eq!(module.notes.scopes, []);
    assert_eq!(module.stack(store), [("main", span(7, 8))]);
}

#[test]
fn depth_does_not_matter() {
    let ty = ops::Ty::I32;
    let mut builder = crate::Builder::new(module("", "yield"));
    let mut value = builder.constant(ty, 1);
    let depth = 20_000;
    let mut open = Vec::new();
    for _ in 0..depth {
        let construct = builder.reserve();
        let (region, params) = builder.open(&[ty]);
        open.push((construct, region, value));
        value = params[0];
    }
    builder.terminate(Op::Return);
    for (construct, region, init) in open.into_iter().rev() {
        builder.close();
        builder.fill(construct, Op::Loop { body: region, inits: values![init] }, &[]);
        builder.terminate(Op::Return);
    }
    let mut module = builder.finish();
    prune(&mut module);
    assert_eq!(module.regions.len(), depth + 1);
    assert_eq!(module.values.len(), 0);
}

#[test]
fn a_malformed_module_is_left_to_the_verifier() {
    let mut module = module(OUT, "v0: i32 = const.i32 1\nblock do r1 {\nyield\n}\nyield");
    module.insts[2].op = Op::Yield(values![Value(0)]);
    prune(&mut module);
    let problems = verify(&module).unwrap_err();
    assert_eq!(problems[0].to_string(), "i1: v4294967295 does not exist");
}
