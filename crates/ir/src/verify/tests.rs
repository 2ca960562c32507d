//! Tests of `verify`.

use super::*;
use crate::Values;
use crate::text::read;

const RESOURCES: &str = r#"b0 "C": constant 16 at b0 used
b1 "S": structured.rw 8 counter at u0 used
b2 "Raw": raw at t0 used
b3 "T": typed.rw f32 x 4 at u1 used
b4 "Spare": raw.rw at u2
g0 "tile": i32 x 4
p0 "local": f32 x 4"#;

/// The first problem of a module with these lines before and in its body; empty if there is none.
fn first_problem(header: &str, lines: &str) -> String {
    // `v0` to `v2`, so that the cases need not declare constants.
    let text = format!(
        "entry \"main\": compute 6.0\n{header}\nbody r0 {{\nv0: i32 = const.i32 1\nv1: f32 = const.f32 0\nv2: bool = const.bool 1\n{lines}\n}}"
    );
    let module = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module).err().map_or(String::new(), |problems| problems[0].to_string())
}

fn problem_in_body(lines: &str) -> String {
    first_problem(&format!("group_size 1, 1, 1\n{RESOURCES}"), lines)
}

#[test]
fn headers_are_checked() {
    for (header, expected) in [
        ("group_size 1, 1, 1", ""),
        ("group_size 1, 0, 1", "the group size 1, 0, 1 contains a 0"),
        ("group_size 1024, 2, 1", "a group has 2048 threads, more than 1024"),
        (
            "group_size 4294967295, 4294967295, 4294967295",
            "a group has 18446744073709551615 threads, more than 1024",
        ),
        ("group_size 1, 1, 1\nwave_size 64, 0, 0", ""),
        ("group_size 1, 1, 1\nwave_size 4, 128, 32", ""),
        ("group_size 1, 1, 1\nwave_size 12, 0, 0", "the wave size 12, 0, 0 is not valid"),
        ("group_size 1, 1, 1\nwave_size 256, 0, 0", "the wave size 256, 0, 0 is not valid"),
        ("group_size 1, 1, 1\nwave_size 0, 8, 0", "the wave size 0, 8, 0 is not valid"),
        ("group_size 1, 1, 1\nwave_size 16, 8, 0", "the wave size 16, 8, 0 is not valid"),
        ("group_size 1, 1, 1\nwave_size 16, 32, 64", "the wave size 16, 32, 64 is not valid"),
        ("group_size 1, 1, 1\nb0 \"B\": raw at u0", "`B` binds to a register of the wrong class"),
        ("group_size 1, 1, 1\nb0 \"B\": raw at t0 count 0", "`B` is an array with no elements"),
        ("group_size 1, 1, 1\nb0 \"B\": structured 0 at t0", "elements of `B` have size 0"),
        (
            "group_size 1, 1, 1\nb0 \"B\": structured 4 counter at t0",
            "`B` has a counter but is read-only",
        ),
        ("group_size 1, 1, 1\nb0 \"B\": typed f32 x 5 at t0", "texels of `B` have 5 components"),
        (
            "group_size 1, 1, 1\nb0 \"B\": constant 16 at b0 {\n\"m\": f32 x 4 at 4\n}",
            "the member `m` of `B` ends at byte 20, beyond 16",
        ),
        (
            "group_size 1, 1, 1\nb0 \"B\": structured 64 at t0 {\n\"m\": f64 x 2 at 0 vectors 2 by 16 array 4 by 4294967295\n}",
            "the member `m` of `B` ends at byte 12884901917, beyond 64",
        ),
        (
            "group_size 1, 1, 1\nb0 \"B\": structured 64 at t0 {\n\"m\": f64 x 5 at 0\n}",
            "the member `m` of `B` has an impossible shape",
        ),
        ("group_size 1, 1, 1\ng0 \"g\": i32 x 0", "the memory `g` is empty"),
        ("group_size 1, 1, 1\nq0 \"q\": 0 x 0", "the array of ray queries `q` is empty"),
        (
            "group_size 1, 1, 1\nq0 \"q\": 0 x 65535\nq1 \"r\": 0 x 1",
            "there are 65536 ray queries, more than 65535",
        ),
        (
            "group_size 1, 1, 1\nvariable \"x\": v0, v9",
            "the variable `x` names v9, which does not exist",
        ),
    ] {
        assert_eq!(first_problem(header, "yield"), expected, "{header}");
    }
}

#[test]
fn structure_is_checked() {
    for (lines, expected) in [
        ("yield", ""),
        ("yield\nyield", "i3: there is a terminator in the middle of r0"),
        ("v3: i32 = add v0, v0", "i3: r0 does not end with a terminator"),
        ("block do r1 {\n}\nyield", "i3: r1 is empty"),
        (
            "block do r1(v3: i32) {\nyield\n}\nyield",
            "i3: r1, the body of the block, has parameters (i32) but is given ()",
        ),
        (
            "if v2 then r1(v3: i32) {\nyield\n} else r2 {\nyield\n}\nyield",
            "i3: r1, an arm of the `if`, has parameters (i32) but is given ()",
        ),
        (
            "loop v0 do r1(v3: f32) {\nyield v3\n}\nyield",
            "i3: r1, the body of the loop, has parameters (f32) but is given (i32)",
        ),
        ("loop v0 do r1(v3: i32) {\nyield\n}\nyield", "i4: the yielded types are (), not (i32)"),
        ("i3: v3: i32 = loop do r1 {\nexit i3\n}\nyield", "i4: the exit's types are (), not (i32)"),
        (
            "v3: i32 = if v2 then r1 {\nyield v0\n} else r2 {\nyield v1\n}\nyield",
            "i5: the yielded types are (f32), not (i32)",
        ),
        ("v3: i32 = block do r1 {\nyield\n}\nyield", "i4: the yielded types are (), not (i32)"),
        ("yield v0", "i3: the yielded types are (i32), not ()"),
        ("exit i0", "i3: i0 is not a loop, switch or block around this exit"),
        ("exit i99", "i3: i99 is not a loop, switch or block around this exit"),
        (
            "i3: block do r1 {\nyield\n}\nexit i3",
            "i5: i3 is not a loop, switch or block around this exit",
        ),
        (
            "i3: if v2 then r1 {\nexit i3\n} else r2 {\nyield\n}\nyield",
            "i4: i3 is not a loop, switch or block around this exit",
        ),
        ("v3: i32 = return", "i3: the results are (i32), not ()"),
        ("v3: i32 = yield", "i3: the results are (i32), not ()"),
    ] {
        assert_eq!(problem_in_body(lines), expected, "{lines}");
    }
}

#[test]
fn visibility_is_checked() {
    for (lines, expected) in [
        ("v3: i32 = add v4, v0\nv4: i32 = add v0, v0\nyield", "i3: v4 is not visible here"),
        ("v3: i32 = add v3, v0\nyield", "i3: v3 is not visible here"),
        ("v3: i32 = neg v99\nyield", "i3: v99 does not exist"),
        (
            "if v2 then r1 {\nv3: i32 = neg v0\nyield\n} else r2 {\nv4: i32 = neg v3\nyield\n}\nyield",
            "i6: v3 is not visible here",
        ),
        (
            "block do r1 {\nv3: i32 = neg v0\nyield\n}\nv4: i32 = neg v3\nyield",
            "i6: v3 is not visible here",
        ),
        ("v3: i32 = block do r1 {\nyield v3\n}\nyield", "i4: v3 is not visible here"),
        (
            "loop v0 do r1(v3: i32) {\nblock do r2 {\nyield\n}\nyield v3\n}\nv4: i32 = neg v3\nyield",
            "i7: v3 is not visible here",
        ),
    ] {
        assert_eq!(problem_in_body(lines), expected, "{lines}");
    }
}

#[test]
fn operations_are_checked() {
    for (line, expected) in [
        ("v3: i16 = const.i16 65536", "the constant 65536 does not fit i16"),
        ("v3: bool = const.bool 2", "the constant 2 does not fit bool"),
        ("v3: i32 = const.i16 1", "the results are (i32), not (i16)"),
        ("const.i32 1", "the results are (), not (i32)"),
        ("v3: f32 = undef.i32", "the results are (f32), not (i32)"),
        ("v3: i32 = builtin.group_id.3", "there is no component 3"),
        ("v3: f32 = builtin.group_index", "the results are (f32), not (i32)"),
        ("v3: i32 = floor v0", "the operation does not take (i32)"),
        ("v3: f32 = neg v0", "the results are (f32), not (i32)"),
        ("v3: f16 = bitcast.f16 v0", "the operation does not take (i32)"),
        ("v3: i32 = convert.s.s.f32 v0", "the results are (i32), not (f32)"),
        ("v3: i32 = add v0, v1", "the operation does not take (i32, f32)"),
        ("v3: f32 = and v1, v1", "the operation does not take (f32, f32)"),
        ("v3: f32 = min.u v1, v1", "the operation does not take (f32, f32)"),
        ("v3: bool = lt.s v2, v2", "the operation does not take (bool, bool)"),
        ("v3: i32 = eq v0, v0", "the results are (i32), not (bool)"),
        ("v3: i32 = fma v0, v0, v0", "the operation does not take (i32, i32, i32)"),
        ("v3: f32 = fma v1, v1, v0", "the operation does not take (f32, f32, i32)"),
        ("v3: i32 = select v0, v0, v0", "the operation does not take (i32, i32, i32)"),
        ("v3: i32 = wave.lane_index v0", "the operation does not take (i32)"),
        ("v3: bool = wave.reduce.sum v2", "the operation does not take (bool)"),
        ("v3: f32 = wave.reduce.and v1", "the operation does not take (f32)"),
        ("v3: f32 = wave.read_lane_at v1, v1", "the operation does not take (f32, f32)"),
        ("v3, v4, v5, v6: i32 = wave.match", "the operation does not take ()"),
        ("v3, v4, v5, v6: i32 = wave.match v0, v1", "the operation does not take (i32, f32)"),
        ("v3: i32 = wave.match v0", "the results are (i32), not (i32, i32, i32, i32)"),
        (
            "v3: f32 = wave.multi_reduce.sum v1, v0, v0, v0",
            "the operation does not take (f32, i32, i32, i32)",
        ),
        ("v3: f32 = wave.reduce.sum v1 lanes v1", "the types of the lanes are (f32), not (i32)"),
        ("barrier.group.group lanes v0", "only a barrier at which a wave waits takes lanes"),
        (
            "if v0 then r1 {\nyield\n} else r2 {\nyield\n}",
            "the condition's types are (i32), not (bool)",
        ),
        ("switch v1 {\n}", "the selector is f32, not an integer"),
        ("switch v0 {\ncase 1, 1 r1 {\nyield\n}\n}", "the label 1 occurs twice"),
        ("switch v0 {\ncase 4294967296 r1 {\nyield\n}\n}", "the label 4294967296 does not fit i32"),
        (
            "switch v0 {\ncase default r1 {\nyield\n}\ncase default r2 {\nyield\n}\n}",
            "the switch has 2 default cases",
        ),
        ("switch v0 with v0 {\n}", "the results are (), not (i32)"),
    ] {
        assert_eq!(problem_in_body(&format!("{line}\nyield")), format!("i3: {expected}"), "{line}");
    }
}

#[test]
fn accesses_are_checked() {
    for (line, expected) in [
        ("v3: i32 = load b9[byte v0]", "b9 does not exist"),
        ("store b4[byte v0], v0", "`Spare` is used but not marked as used"),
        ("v3: i32 = load b0[texel v0]", "the address does not suit the kind of `C`"),
        ("v3: i32 = load b1[byte v0]", "the address does not suit the kind of `S`"),
        ("v3: i32 = load b2[element v0, byte v0]", "the address does not suit the kind of `Raw`"),
        ("v3: i32 = load b2[byte v1]", "the types of the address are (f32), not (i32)"),
        ("v3: i32 = load b2(v1)[byte v0]", "the types of the array element are (f32), not (i32)"),
        ("store b2[byte v0], v0", "`Raw` is read-only"),
        ("store b0[byte v0], v0", "`C` is read-only"),
        ("v3: i32 = atomic.add b2[byte v0], v0", "`Raw` is read-only"),
        ("load b2[byte v0]", "an access of 0 scalars, not 1 to 16"),
        ("store b3[texel v0], v1, v1, v1, v1, v1", "an access of 5 scalars, not 1 to 4"),
        (
            "store b1[element v0, byte v0], v0, v1",
            "one access moves scalars of several types: (i32, f32)",
        ),
        (
            "v3: f32 = atomic.add b1[element v0, byte v0], v1",
            "the atomic operation does not take (f32)",
        ),
        (
            "atomic.compare_exchange b1[element v0, byte v0], v0",
            "the atomic operation does not take (i32)",
        ),
        ("v3: f32 = atomic.add b1[element v0, byte v0], v0", "the results are (f32), not (i32)"),
        ("v3: i32 = size b0", "the size of a constant buffer cannot be queried"),
        ("v3, v4: i32 = size b2", "the results are (i32, i32), not (i32)"),
        ("v3: i32 = counter b2, 1", "`Raw` has no counter"),
        ("v3: i32 = counter b1, 2", "a counter changes by 1 or -1, not by 2"),
        ("v3: i32 = shared_load g7[v0]", "the memory does not exist"),
        ("v3: i32 = shared_load g0[v1]", "the types of the index are (f32), not (i32)"),
        ("v3: f32 = shared_load g0[v0]", "the results are (f32), not (i32)"),
        ("shared_store g0[v0], v1", "the stored types are (f32), not (i32)"),
        ("shared_atomic.exchange g0[v0], v1", "the memory holds i32, not f32"),
        ("v3: i32 = private_load p0[v0]", "the results are (i32), not (f32)"),
        ("private_store p1[v0], v1", "the memory does not exist"),
    ] {
        assert_eq!(problem_in_body(&format!("{line}\nyield")), format!("i3: {expected}"), "{line}");
    }
}

#[test]
fn violations_that_the_text_cannot_express_are_checked() {
    let base = read("entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {\nblock do r1 {\nv0: i32 = const.i32 1\nyield\n}\nyield\n}").unwrap();
    let problem = |change: &dyn Fn(&mut Module)| {
        let mut module = base.clone();
        change(&mut module);
        verify(&module).err().map_or(String::new(), |problems| problems[0].to_string())
    };
    assert_eq!(problem(&|_| {}), "");
    assert_eq!(problem(&|it| it.body = Region(7)), "r7 does not exist");
    assert_eq!(
        problem(&|it| it.insts[0].op = Op::Block { body: Region(0) }),
        "i0: r0 is used twice"
    );
    assert_eq!(problem(&|it| it.regions[0].insts.insert(0, Inst(9))), "i9, in r0, does not exist");
    assert_eq!(problem(&|it| it.regions[0].insts.insert(0, Inst(1))), "i0: i1 occurs twice");
    assert_eq!(
        problem(&|it| it.insts[1].results.push(Value(0))),
        "i1: the results are (i32, i32), not (i32)"
    );
    assert_eq!(
        problem(&|it| it.insts[1].results[0] = Value(9)),
        "i1: the results are (bool), not (i32)"
    );
    assert_eq!(
        problem(&|it| it.values[0].def = ValueDef::Result(Inst(0), 0)),
        "i1: v0 has the wrong definition recorded"
    );
    assert_eq!(problem(&|it| it.regions.push(crate::RegionData::default())), "r2 is never used");
    assert_eq!(problem(&|it| it.insts.push(it.insts[2].clone())), "i4 is not in any region");
    assert_eq!(problem(&|it| it.values.push(it.values[0])), "v1 is never defined");
}

#[test]
fn nesting_is_bounded() {
    let mut module =
        read("entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {\nyield\n}").unwrap();
    // Region 0 holds a block that holds region 1, and so on.
    let depth = 10_000;
    for i in 1..=depth {
        let block = InstData {
            op: Op::Block { body: Region(i) },
            results: Values::new(),
            span: Span::NONE,
            scope: ScopeId::ENTRY,
        };
        let end = InstData { op: Op::Yield(Values::new()), ..block.clone() };
        let first = module.insts.len() as u32;
        module.insts.extend([block, end]);
        module.regions[i as usize - 1].insts.insert(0, Inst(first));
        module
            .regions
            .push(crate::RegionData { params: Values::new(), insts: vec![Inst(first + 1)] });
    }
    assert_eq!(verify(&module).unwrap_err()[0].message, "regions nest more than 256 deep");
}

const TEXTURES: &str = r#"b0 "Two": texture d2 f32 x 4 at t0 used
b1 "Out": texture.rw d2_array u32 x 1 at u0 used
b2 "Samples": texture d2_ms f32 x 4 at t1 used
b3 "Cube": texture cube f32 x 4 at t2 used
b4 "S": sampler comparison at s0 used
b5 "Raw": raw at t3 used"#;

#[test]
fn texture_instructions_are_checked() {
    for (line, expected) in [
        ("v3: f32 = texture.load b0 at v0, v0 level v0", ""),
        ("v3: f32 = texture.load b0 at v0, v0 level v0 offset v0, v0", ""),
        ("v3, v4, v5: f32 = texture.sample.level b0, b4 at v1, v1 level v1", ""),
        (
            "v3: f32 = texture.compare.gradients b3, b4 at v1, v1, v1 ddx v1, v1, v1 ddy v1, v1, v1 reference v1",
            "",
        ),
        ("v3, v4, v5, v6: f32 = texture.gather.2 b0, b4 at v1, v1", ""),
        ("texture.store b1 at v0, v0, v0 values v0", ""),
        ("v3: i32 = texture.atomic.add b1 at v0, v0, v0 values v0", ""),
        ("v3, v4, v5: i32 = texture.size b0", ""),
        ("v3: f32 = derivative.x_fine v1", ""),
        ("v3: f32 = texture.load b0 at v0, v0", "i3: wrong number of operands for `level`: 0"),
        ("v3: f32 = texture.load b0 at v0 level v0", "i3: wrong number of operands for `at`: 1"),
        (
            "v3: f32 = texture.load b0 at v0, v1 level v0",
            "i3: the types of `at` are (i32, f32), not (i32, i32)",
        ),
        (
            "v3: f32 = texture.load b2 at v0, v0 level v0",
            "i3: wrong number of operands for `level`: 1",
        ),
        (
            "v3: f32 = texture.load b3 at v0, v0 level v0",
            "i3: the operation does not work on the texture `Cube`",
        ),
        ("v3: f32 = texture.load b5 at v0, v0", "i3: `Raw` is not a texture"),
        (
            "v3: f32 = texture.load b0, b4 at v0, v0 level v0",
            "i3: a sampler is missing or superfluous",
        ),
        (
            "v3: f32 = texture.sample.implicit b0 at v1, v1",
            "i3: a sampler is missing or superfluous",
        ),
        (
            "v3: f32 = texture.sample.implicit b0, b5 at v1, v1",
            "i3: the sampler operand is not a sampler",
        ),
        (
            "v3: f32 = texture.sample.implicit b3, b4 at v1, v1, v1 offset v0, v0",
            "i3: wrong number of operands for `offset`: 2",
        ),
        (
            "v3: i32 = texture.compare.level b0, b4 at v1, v1 level v1 reference v1",
            "i3: the results are (i32), not (f32)",
        ),
        (
            "v3: f32 = texture.gather.7 b0, b4 at v1, v1",
            "i3: the operation does not work on the texture `Two`",
        ),
        (
            "texture.store b0 at v0, v0 values v1",
            "i3: the operation does not work on the texture `Two`",
        ),
        ("texture.store b1 at v0, v0, v0", "i3: a texel cannot be ()"),
        (
            "v3: f32 = texture.load b0 at v0, v0 level v0 values v0",
            "i3: only stores and atomic operations have values",
        ),
        ("v3: i32 = texture.size b0", "i3: the results are (i32), not (i32, i32, i32)"),
        ("v3: i32 = size b0", "i3: only buffers have a single size"),
        ("v3: f32 = load b0[texel v0]", "i3: the address does not suit the kind of `Two`"),
        ("v3: i32 = derivative.y_fine v0", "i3: the operation does not take (i32)"),
    ] {
        let lines = format!("{line}\nyield");
        let header = format!("group_size 1, 1, 1\n{TEXTURES}");
        assert_eq!(first_problem(&header, &lines), expected, "{line}");
    }
}

/// The first problem of a pixel shader with two inputs and an output.
fn problem_of_pixels(stage: &str, signature: &str, lines: &str) -> String {
    let text = format!(
        "entry \"main\": {stage} 6.6\ngroup_size 1, 1, 1\n{signature}\nbody r0 {{\nv0: i32 = const.i32 1\nv1: f32 = const.f32 0\n{lines}\nyield\n}}"
    );
    let module = read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&module).err().map_or(String::new(), |problems| problems[0].to_string())
}

#[test]
fn signatures_are_checked() {
    let input = "input \"A\" 0: f32 x 2 linear centre";
    let same = "input \"a\" 0: f32 x 2 linear centre";
    let wide = "input \"A\" 0: f32 x 5 linear centre";
    for (stage, signature, expected) in [
        ("pixel", "stage_io".to_owned(), ""),
        ("pixel", format!("stage_io\n{input}\npixel discards"), ""),
        ("pixel", String::new(), "the stage `pixel` needs inputs and outputs"),
        ("compute", "stage_io".to_owned(), "the stage `compute` has no inputs and outputs"),
        ("mesh", "stage_io".to_owned(), "the stage `mesh` has the wrong buffers for its groups"),
        ("pixel", format!("stage_io\n{input}\n{same}"), "`a0` occurs twice"),
        ("pixel", format!("stage_io\n{wide}"), "`A0` has 5 components"),
        (
            "vertex",
            "stage_io\npixel discards".to_owned(),
            "only a pixel shader has the traits of one",
        ),
    ] {
        assert_eq!(problem_of_pixels(stage, &signature, ""), expected, "{stage} {signature}");
    }
}

#[test]
fn instructions_on_slots_are_checked() {
    let signature = "stage_io\ninput \"A\" 0: f32 x 2 linear centre\ninput \"B\" 0: u32 x 1 flat centre\noutput \"C\" 0: f32 x 1 linear centre";
    let other_stage = "only a pixel shader has this instruction";
    for (stage, lines, expected) in [
        ("pixel", "v2: f32 = input s1", ""),
        ("pixel", "v2: i32 = input s2", ""),
        ("pixel", "v2: f32 = input s2", "the results are (f32), not (i32)"),
        ("pixel", "v2: f32 = input s3", "the input s3 does not exist"),
        ("pixel", "output s1, v1", "the output s1 does not exist"),
        ("pixel", "output s0, v0", "the types of the output are (i32), not (f32)"),
        ("pixel", "v2: f32 = eval_sample s0, v1", "the operands are (f32), not (i32)"),
        ("pixel", "v2: f32 = eval_snapped s0, v0, v0", ""),
        ("vertex", "v2: f32 = input s0\noutput s0, v2", ""),
        ("vertex", "discard", other_stage),
        ("vertex", "v2: f32 = eval_centroid s0", other_stage),
        ("vertex", "v2: f32 = input_at s0, v0", other_stage),
    ] {
        let found = problem_of_pixels(stage, signature, lines);
        let message = found.split_once(": ").map_or("", |it| it.1);
        assert_eq!(message, expected, "{stage} {lines}");
    }
}
