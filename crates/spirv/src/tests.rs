//! Small modules in the text form of the IR, and what their listings must contain. `crates/suite/tests/it/spirv.rs`
//! tests that modules are valid.

use ir::{Register, RegisterClass};
use ops::texture::Format;

use crate::{
    BindingKind, Bound, Environment, Extension, Named, NoDebug, Numbering, Placed, Shift, Vulkan,
    Warning, Written, emit, listing,
};

fn module(body: &str) -> ir::Module {
    let text = format!(
        "entry \"main\": compute 6.10\ngroup_size 32, 1, 1\n\
         b0 \"Out\": structured.rw 4 counter at u0 used @0..1 {{\n}}\n\
         body r0 {{\n  v0: i32 = builtin.group_index @0..1\n  v1: i32 = const.i32 0 @0..1\n{body}\n}}\n"
    );
    let module = ir::text::read(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    ir::verify::verify(&module).unwrap_or_else(|problems| panic!("{problems:?}"));
    module
}

fn listed(body: &str, environment: &Environment) -> String {
    listing(&emit(&module(body), environment, &NoDebug).expect("it is emitted").words)
}

fn count(text: &str, word: &str) -> usize {
    text.lines().filter(|line| line.split_whitespace().any(|it| it == word)).count()
}

/// A loop in a block, with an exit from inside the loop to the end of the block.
const FAR_EXIT: &str = "
  i2: v2: i32 = block @0..1 do r1 {
    i3: v3: i32 = loop v1 @0..1 do r2(v4: i32) {
      v5: bool = eq v4, v0 @0..1
      if v5 @0..1 then r3 {
        exit i2 v4 @0..1
      } else r4 {
        yield @0..1
      }
      exit i3 v0 @0..1
    }
    yield v3 @0..1
  }
  store b0[element v0, byte v1], v2 @0..1
  yield @0..1";

#[test]
fn an_exit_beyond_a_loop_is_routed_by_the_merge_of_the_loop() {
    let text = listed(FAR_EXIT, &Environment::default());
    // The block, the `if`, the routing after the loop, and the guard of the store.
    assert_eq!(count(&text, "SelectionMerge"), 4, "{text}");
    assert_eq!(count(&text, "LoopMerge"), 1, "{text}");
    // The loop's parameter; after the loop, its result, the destination and the value; the block's result.
    assert_eq!(count(&text, "Phi"), 5, "{text}");
}

fn switch_with(op: &str) -> String {
    format!(
        "
  i2: v2: i32 = switch v0 with v1 @0..1 {{
    case 1 r1(v3: i32) {{
      {op} @0..1
      exit i2 v4 @0..1
    }}
    case default r2(v5: i32) {{
      yield v0 @0..1
    }}
  }}
  store b0[element v0, byte v1], v2 @0..1
  yield @0..1"
    )
}

#[test]
fn a_switch_whose_cases_observe_the_active_set_becomes_a_cascade() {
    let plain = listed(&switch_with("v4: i32 = add v0, v0"), &Environment::default());
    assert!(plain.lines().any(|it| it.contains(" Switch ") && it.contains(" 1 ")), "{plain}");
    let cascade = listed(&switch_with("v4: i32 = wave.reduce.sum v0"), &Environment::default());
    assert!(!cascade.lines().any(|it| it.contains(" Switch ") && it.contains(" 1 ")), "{cascade}");
    assert_eq!(count(&cascade, "IEqual"), 1, "{cascade}");
}

const SUM: &str = "
  v2: i32 = wave.reduce.sum v0 @0..1
  store b0[element v0, byte v1], v2 @0..1
  yield @0..1";

#[test]
fn reconvergence_is_requested_when_needed_and_warned_about_when_missing() {
    let with = emit(&module(SUM), &Environment::default(), &NoDebug).unwrap();
    assert_eq!(count(&listing(&with.words), "MaximallyReconvergesKHR"), 1);
    assert_eq!(with.reflection.extensions, ["SPV_KHR_maximal_reconvergence"]);
    let without = Environment { extensions: Vec::new(), ..Environment::default() };
    let without = emit(&module(SUM), &without, &NoDebug).unwrap();
    assert_eq!(without.reflection.warnings, [Warning::NoMaximalReconvergence]);
    let alone = emit(&module("  yield @0..1"), &Environment::default(), &NoDebug).unwrap();
    assert!(alone.reflection.extensions.is_empty());
}

const MATCH: &str = "
  v2: i32, v3: i32, v4: i32, v5: i32 = wave.match v0 @0..1
  store b0[element v0, byte v1], v2 @0..1
  yield @0..1";

#[test]
fn a_match_is_native_with_the_extension_and_a_waterfall_without() {
    let plain = listed(MATCH, &Environment::default());
    assert_eq!((count(&plain, "LoopMerge"), count(&plain, "GroupNonUniformPartitionEXT")), (1, 0));
    let native = Environment {
        extensions: vec![Extension::MaximalReconvergence, Extension::SubgroupPartitioned],
        ..Environment::default()
    };
    let native = listed(MATCH, &native);
    assert_eq!(
        (count(&native, "LoopMerge"), count(&native, "GroupNonUniformPartitionEXT")),
        (0, 1)
    );
}

#[test]
fn a_selection_of_the_smaller_value_becomes_a_minimum() {
    let chosen = |order: &str| {
        let body = format!(
            "
  v2: bool = {order} v0, v1 @0..1
  v3: i32 = if v2 @0..1 then r1 {{
    yield v0 @0..1
  }} else r2 {{
    yield v1 @0..1
  }}
  store b0[element v0, byte v1], v3 @0..1
  yield @0..1"
        );
        listed(&body, &Environment::default())
    };
    for (order, instruction) in
        [("lt.s", "SMin"), ("le.u", "UMin"), ("gt.s", "SMax"), ("ge.u", "UMax"), ("eq", "Select")]
    {
        let text = chosen(order);
        assert!(text.contains(instruction), "{order}: {text}");
        assert_eq!(count(&text, "Phi"), 0, "{text}");
    }
}

#[test]
fn booleans_are_words_in_the_phis_of_loops() {
    let body = "
  v2: bool = eq v0, v1 @0..1
  i3: v3: bool = loop v2 @0..1 do r1(v4: bool) {
    if v4 @0..1 then r2 {
      exit i3 v4 @0..1
    } else r3 {
      yield @0..1
    }
    yield v2 @0..1
  }
  v5: i32 = convert.u.u.i32 v3 @0..1
  store b0[element v0, byte v1], v5 @0..1
  yield @0..1";
    let text = listed(body, &Environment::default());
    let bool_type = text.lines().find(|it| it.contains(" TypeBool")).expect("there is a bool");
    let id = bool_type.split_whitespace().next().expect("it has an id");
    let phis: Vec<&str> = text.lines().filter(|it| it.contains(" Phi ")).collect();
    assert_eq!(phis.len(), 2, "{text}");
    assert!(phis.iter().all(|it| !it.split_whitespace().any(|word| word == id)), "{text}");
}

#[test]
fn sixteen_bit_integers_are_words_if_requested() {
    let body = "
  v2: i16 = convert.u.u.i16 v0 @0..1
  v3: i16 = neg v2 @0..1
  v4: i32 = convert.s.s.i32 v3 @0..1
  store b0[element v0, byte v1], v4 @0..1
  yield @0..1";
    for short_words in [false, true] {
        let text = listed(body, &Environment { short_words, ..Environment::default() });
        assert_eq!(text.contains("Int16"), !short_words, "{text}");
    }
}

#[test]
fn a_counter_has_the_binding_after_its_buffer() {
    let body =
        "  v2: i32 = counter b0, 1 @0..1\n  store b0[element v2, byte v1], v0 @0..1\n  yield @0..1";
    let made = emit(&module(body), &Environment::default(), &NoDebug).unwrap();
    let kinds: Vec<(BindingKind, u32, u32)> =
        made.reflection.bindings.iter().map(|it| (it.kind, it.set, it.binding)).collect();
    assert_eq!(kinds, [(BindingKind::StorageBuffer, 0, 0), (BindingKind::Counter, 0, 1)]);
}

#[test]
fn the_header_has_the_version_of_the_target() {
    for (vulkan, version) in Vulkan::ALL.into_iter().zip(["1.3", "1.5", "1.6", "1.6"]) {
        let text = listed(SUM, &Environment { vulkan, ..Environment::default() });
        assert!(text.starts_with(&format!("; SPIR-V {version},")), "{text}");
    }
}

#[test]
fn the_listing_accepts_any_words() {
    for words in [&[][..], &[1, 2, 3], &[0, 0, 0, 0, 0, 0], &[0; 7], &[0, 0, 0, 0, 0, 9 << 16 | 5]]
    {
        assert!(listing(words).starts_with(';'));
    }
    let words = emit(&module(SUM), &Environment::default(), &NoDebug).unwrap().words;
    for end in 0..words.len() {
        listing(&words[..end]);
    }
}

/// A module with these resources.
fn with(resources: &str, body: &str) -> ir::Module {
    let text = format!(
        "entry \"main\": compute 6.10\ngroup_size 32, 1, 1\n{resources}\
         body r0 {{\n  v0: i32 = builtin.group_index @0..1\n  v1: i32 = const.i32 0 @0..1\n{body}\n}}\n"
    );
    let module = ir::text::read(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    ir::verify::verify(&module).unwrap_or_else(|problems| panic!("{problems:?}"));
    module
}

const SAMPLED: &str = "b0 \"T\": texture d2 f32 x 1 at t0 by_register used @0..1
b1 \"S\": sampler at s0 by_register used @0..1
b2 \"Out\": typed.rw f32 x 1 at u0 by_register used @0..1
";

const BIASED: &str = "  v2: f32 = convert.u.s.f32 v0 @0..1
  v3: f32 = texture.sample.bias b0, b1 at v2, v2 level v2 @0..1
  store b2[texel v0], v3 @0..1
  yield @0..1";

#[test]
fn a_bias_uses_the_devices_derivatives_if_available_and_shuffles_otherwise() {
    let module = with(SAMPLED, BIASED);
    let plain = emit(&module, &Environment::default(), &NoDebug).unwrap();
    let text = listing(&plain.words);
    assert_eq!(count(&text, "ImageSampleExplicitLod"), 1, "{text}");
    // Two coordinates, two directions, two lanes each.
    assert_eq!(text.matches("= GroupNonUniformShuffle").count(), 8, "{text}");
    let extensions = vec![Extension::MaximalReconvergence, Extension::ComputeDerivatives];
    let environment = Environment { extensions, ..Environment::default() };
    let text = listing(&emit(&module, &environment, &NoDebug).unwrap().words);
    assert_eq!(count(&text, "ImageSampleImplicitLod"), 1, "{text}");
    assert_eq!(count(&text, "DerivativeGroupLinearKHR"), 1, "{text}");
    assert_eq!(text.matches("= GroupNonUniformShuffle").count(), 0, "{text}");
}

#[test]
fn levels_of_detail_are_unsupported_without_derivatives() {
    let body = BIASED.replace("sample.bias b0, b1 at v2, v2 level v2", "lod b0, b1 at v2, v2");
    let module = with(SAMPLED, &body);
    let error = emit(&module, &Environment::default(), &NoDebug).unwrap_err();
    assert!(error.what.contains("levels of detail"), "{error:?}");
}

const STORED: &str = "b0 \"Tex\": texture.rw d1 f32 x 4 at u0 by_register used @0..1\n";

const STORE: &str = "  v2: f32 = convert.u.s.f32 v0 @0..1
  texture.store b0 at v0 values v2, v2, v2, v2 @0..1
  yield @0..1";

#[test]
fn formats_are_declared_only_where_necessary() {
    let module = with(STORED, STORE);
    let new = emit(&module, &Environment::default(), &NoDebug).unwrap();
    assert_eq!(new.reflection.bindings[0].format, None);
    assert!(new.reflection.capabilities.contains(&"StorageImageWriteWithoutFormat"));
    let environment = Environment { vulkan: Vulkan::V1_2, ..Environment::default() };
    let old = emit(&module, &environment, &NoDebug).unwrap();
    assert_eq!(old.reflection.bindings[0].format, Some("Rgba32f"));
}

#[test]
fn a_store_rounds_explicitly_only_if_the_format_is_known_and_bits_matter() {
    let module = with(STORED, STORE);
    let bound = vec![Bound { format: Format::parse("RGBA8_UNORM"), ..Bound::default() }];
    let divisions = |exact, bound: &[Bound]| {
        let environment = Environment { exact, bound: bound.to_vec(), ..Environment::default() };
        count(&listing(&emit(&module, &environment, &NoDebug).unwrap().words), "FDiv")
    };
    assert_eq!((divisions(false, &bound), divisions(true, &[])), (0, 0));
    assert_eq!(divisions(true, &bound), 4);
}

/// The names of bindings with their sets and numbers.
fn numbered(written: Written, resources: &str) -> Vec<(String, u32, u32)> {
    let module = with(resources, "  yield @0..1");
    let environment =
        Environment { numbering: Numbering::Written(written), ..Environment::default() };
    let made = emit(&module, &environment, &NoDebug).unwrap();
    let bindings = made.reflection.bindings.iter();
    bindings.map(|it| (it.name.clone(), it.set, it.binding)).collect()
}

#[test]
fn bindings_are_consecutive_or_as_the_source_and_the_flags_say() {
    let all = "b0 \"A\": structured.rw 4 counter at u1 space 7 by_register used @0..1 {\n}\n\
               b1 \"B\": raw at t1 by_register used @0..1\n\
               b2 \"C\": raw at t0 used @0..1\n";
    let of = |rows: &[(&str, u32, u32)]| -> Vec<(String, u32, u32)> {
        rows.iter().map(|it| (it.0.to_owned(), it.1, it.2)).collect()
    };
    let counted = numbered(Written::default(), all);
    assert_eq!(counted, of(&[("A", 1, 0), ("A", 1, 1), ("B", 0, 0), ("C", 0, 1)]));
    let shift = Shift { class: RegisterClass::Shader, space: Some(0), by: 10 };
    let shifted = numbered(Written { shifts: vec![shift], places: Vec::new() }, all);
    assert_eq!(shifted, of(&[("A", 7, 1), ("A", 7, 0), ("B", 0, 11), ("C", 0, 0)]));
    let register = Register { class: RegisterClass::Shader, index: 1, space: 0 };
    let place = Placed { what: Named::Register(register), binding: 0, set: 0 };
    let placed = numbered(Written { shifts: Vec::new(), places: vec![place] }, all);
    assert_eq!(placed, of(&[("A", 7, 1), ("A", 7, 0), ("B", 0, 0), ("C", 0, 1)]));
    let bound =
        numbered(Written::default(), &all.replace("t1 by_register", "t5 space 2 by_binding"));
    assert_eq!(bound, of(&[("A", 7, 1), ("A", 7, 0), ("B", 2, 5), ("C", 0, 0)]));
}

#[test]
fn all_views_of_a_heap_have_the_binding_of_its_flag() {
    let all = "b0 \"A\": structured.rw 4 counter at h0 count any used @0..1 {\n}\n\
               b1 \"B\": raw at h0 count any used @0..1\n\
               b2 \"S\": sampler at z0 count any used @0..1\n\
               b3 \"C\": raw at t0 used @0..1\n";
    let rows = |places: &[(Named, u32, u32)]| {
        let places = places.iter().map(|(what, set, binding)| Placed {
            what: *what,
            binding: *binding,
            set: *set,
        });
        numbered(Written { shifts: Vec::new(), places: places.collect() }, all)
    };
    let of = |rows: &[(&str, u32, u32)]| -> Vec<(String, u32, u32)> {
        rows.iter().map(|it| (it.0.to_owned(), it.1, it.2)).collect()
    };
    let found = rows(&[
        (Named::ResourceHeap, 3, 0),
        (Named::SamplerHeap, 3, 1),
        (Named::CounterHeap, 3, 2),
    ]);
    assert_eq!(found, of(&[("A", 3, 0), ("A", 3, 2), ("B", 3, 0), ("S", 3, 1), ("C", 0, 0)]));
    // Resources without a flag get the next free binding.
    let found = rows(&[(Named::ResourceHeap, 0, 0)]);
    assert_eq!(found, of(&[("A", 0, 0), ("A", 0, 1), ("B", 0, 0), ("S", 0, 2), ("C", 0, 3)]));
    let written = Written {
        shifts: Vec::new(),
        places: vec![Placed { what: Named::ResourceHeap, binding: 0, set: 0 }],
    };
    let environment =
        Environment { numbering: Numbering::Written(written), ..Environment::default() };
    let made = emit(&with(all, "  yield @0..1"), &environment, &NoDebug).unwrap();
    assert_eq!(made.reflection.warnings, [], "sharing is the purpose of the flag");
}

#[test]
fn two_resources_with_the_same_binding_are_warned_about() {
    let all =
        "b0 \"A\": raw at t3 by_binding used @0..1\nb1 \"B\": raw.rw at u3 by_binding used @0..1\n";
    let made = emit(&with(all, "  yield @0..1"), &Environment::default(), &NoDebug).unwrap();
    assert_eq!(made.reflection.warnings, [Warning::SharedBinding]);
}

/// A sum of products in a loop, after `more` products of the same value, with a use of the sum after the loop.
fn sums(more: usize, inside: &str, after: &str) -> String {
    let products: String =
        (0..=more).map(|it| format!("    v{}: f32 = mul v4, v4 @0..1\n", it + 5)).collect();
    let (product, sum, less) = (more + 5, more + 6, more + 7);
    format!(
        "
  v2: f32 = const.f32 0x3f800000 @0..1
  i3: v3: f32 = loop v2 @0..1 do r1(v4: f32) {{
{products}    v{sum}: f32 = add v{product}, v2 @0..1
    v{less}: bool = lt.s v{sum}, v2 @0..1
    if v{less} @0..1 then r2 {{
      yield @0..1
    }} else r3 {{
      exit i3 v{sum} @0..1
    }}
{inside}    yield v{sum} @0..1
  }}
{after}
  yield @0..1"
    )
}

const SUM_STORED: &str = "  store b0[element v0, byte v1], v3 @0..1";

#[test]
fn a_nan_is_canonicalised_only_where_its_bits_are_observed() {
    let exact = Environment { exact: true, ..Environment::default() };
    let compared = "  v8: bool = lt.s v3, v2 @0..1\n  \
                    v9: i32 = convert.u.u.i32 v8 @0..1\n  \
                    store b0[element v0, byte v1], v9 @0..1";
    let compared = sums(0, "", compared);
    let unseen = listed(&compared, &exact);
    assert_eq!((count(&unseen, "FMul"), count(&unseen, "FAdd")), (1, 1), "{unseen}");
    assert_eq!(count(&unseen, "UGreaterThan"), 0, "{unseen}");
    // Stored after the loop, the sum is observed, but the product in it is not.
    let stored = listed(&sums(0, "", SUM_STORED), &exact);
    assert_eq!(count(&stored, "UGreaterThan"), 1, "{stored}");
}

#[test]
fn only_a_division_by_a_power_of_two_becomes_a_multiplication() {
    let quotient = |bits: &str| {
        let body = format!(
            "  v2: f32 = const.f32 {bits} @0..1\n  v3: f32 = load b0[element v0, byte v1] @0..1\n  v4: f32 = div.s v3, v2 @0..1\n  store b0[element v0, byte v1], v4 @0..1\n  yield @0..1"
        );
        let text = listed(&body, &Environment::default());
        (count(&text, "FMul"), count(&text, "FDiv"))
    };
    assert_eq!(quotient("0x45000000"), (1, 0), "by 2048");
    assert_eq!(quotient("0xbe800000"), (1, 0), "by -1/4");
    assert_eq!(quotient("0x40400000"), (0, 1), "by 3");
    assert_eq!(quotient("0x7f000000"), (0, 1), "by 2^127, whose reciprocal is a denormal");
    assert_eq!(quotient("0x00400000"), (0, 1), "by a denormal");
}

#[test]
fn guarantees_of_the_device_simplify_the_code() {
    let body = "
  v2: i32 = wave.lane_count @0..1
  v3: i32 = load b0[element v0, byte v1] @0..1
  v4: i32 = add v2, v3 @0..1
  store b0[element v0, byte v1], v4 @0..1
  yield @0..1";
    let any = listed(body, &Environment::default());
    assert_eq!((count(&any, "SubgroupSize"), count(&any, "ArrayLength")), (1, 1), "{any}");
    let certain = Environment { lanes: Some(32), robust: true, ..Environment::default() };
    let text = listed(body, &certain);
    assert_eq!((count(&text, "SubgroupSize"), count(&text, "ArrayLength")), (0, 0), "{text}");
    // The load and the store still prevent their addresses from wrapping.
    assert_eq!(count(&text, "UMin"), 2, "{text}");
    let far = body.replace("element v0, byte v1] @", "element v0, byte v0] @");
    assert_eq!(count(&listed(&far, &certain), "ArrayLength"), 1, "an offset into the element");
}

#[test]
fn short_loops_without_side_effects_are_marked_for_unrolling() {
    let marked = |text: &str| text.lines().any(|it| it.contains("LoopMerge") && it.ends_with(" 1"));
    let marked = |body: &str| marked(&listed(body, &Environment::default()));
    assert!(marked(&sums(0, "", SUM_STORED)));
    assert!(!marked(&sums(130, "", SUM_STORED)), "a long one");
    let store = "    store b0[element v0, byte v1], v6 @0..1\n";
    assert!(!marked(&sums(0, store, SUM_STORED)), "one with side effects");
}

#[test]
fn a_read_only_buffer_shares_no_type_with_a_writable_one() {
    let text = "entry \"main\": compute 6.10\ngroup_size 32, 1, 1\n\
         b0 \"In\": structured 4 at t0 used @0..1 {\n}\n\
         b1 \"Out\": structured.rw 4 at u0 used @0..1 {\n}\n\
         body r0 {\n  v0: i32 = builtin.group_index @0..1\n  v1: i32 = const.i32 0 @0..1\n  \
         v2: i32 = load b0[element v0, byte v1] @0..1\n  \
         store b1[element v0, byte v1], v2 @0..1\n  yield @0..1\n}\n";
    let module = ir::text::read(text).unwrap_or_else(|error| panic!("{error:?}"));
    let emitted = emit(&module, &Environment::default(), &NoDebug).expect("it is emitted");
    let text = listing(&emitted.words);
    assert_eq!(count(&text, "TypeStruct"), 2, "{text}");
    let said = |word: &str| {
        text.lines().filter(|it| it.contains("NonWritable") && it.contains(word)).count()
    };
    assert_eq!((said("NonWritable"), said("MemberDecorate")), (1, 1), "{text}");
}

/// An environment in which Hillis–Steele scans are possible.
fn full_waves() -> Environment {
    Environment {
        lanes: Some(32),
        full_waves: true,
        relative_reads: true,
        ..Environment::default()
    }
}

/// The number of steps of Hillis–Steele scans, and the number of scans that are left to the device.
fn steps(text: &str) -> (usize, usize) {
    let scans = ["GroupNonUniformIAdd", "GroupNonUniformIMul", "GroupNonUniformFAdd"];
    (count(text, "GroupNonUniformShuffleUp"), scans.iter().map(|it| count(text, it)).sum())
}

const SCAN: &str = "
  v2: i32 = wave.scan.sum v0 @0..1
  store b0[element v0, byte v1], v2 @0..1
  yield @0..1";

#[test]
fn a_scan_of_integers_by_whole_waves_becomes_a_hillis_steele_scan() {
    let text = listed(SCAN, &full_waves());
    assert_eq!(steps(&text), (5, 0), "{text}");
    assert_eq!((count(&text, "Select"), count(&text, "ISub")), (5, 1), "{text}");
    assert_eq!(count(&text, "GroupNonUniformShuffleRelative"), 1, "{text}");
    let narrow = Environment { lanes: Some(8), ..full_waves() };
    assert_eq!(steps(&listed(SCAN, &narrow)), (3, 0), "three steps for eight lanes");
    // A product has no inverse: the values are shifted by a lane first.
    let product = listed(&SCAN.replace("sum", "product"), &full_waves());
    assert_eq!(steps(&product), (6, 0), "{product}");
    assert_eq!((count(&product, "Select"), count(&product, "IMul")), (6, 5), "{product}");
}

#[test]
fn a_scan_stays_native_if_a_lane_may_be_missing_or_nothing_is_gained() {
    let unknown = Environment { lanes: None, ..full_waves() };
    let partial = Environment { full_waves: false, ..full_waves() };
    let distant = Environment { relative_reads: false, ..full_waves() };
    let apart = Environment { extensions: Vec::new(), ..full_waves() };
    // A group has 32 threads here.
    let wide = Environment { lanes: Some(64), ..full_waves() };
    for environment in [unknown, partial, distant, apart, wide] {
        let text = listed(SCAN, &environment);
        assert_eq!(steps(&text), (0, 1), "{environment:?}: {text}");
    }
    let float = "  v2: f32 = convert.u.s.f32 v0 @0..1\n  v3: f32 = wave.scan.sum v2 @0..1\n  \
                 store b0[element v0, byte v1], v3 @0..1\n  yield @0..1";
    assert_eq!(steps(&listed(float, &full_waves())), (0, 1), "the order of a sum of floats");
    let reduce = SCAN.replace("scan", "reduce");
    assert_eq!(steps(&listed(&reduce, &full_waves())), (0, 1), "not a scan");
}

/// Code in an `if`, and a scan after it.
fn after_if(cond: &str, inside: &str) -> String {
    format!(
        "\n  v2: bool = eq {cond}, v1 @0..1\n  if v2 @0..1 then r1 {{{inside}\n  }} else r2 {{\n    yield @0..1\n  }}\n  v3: i32 = wave.scan.sum v0 @0..1\n  store b0[element v0, byte v1], v3 @0..1\n  yield @0..1"
    )
}

#[test]
fn a_hillis_steele_scan_needs_all_lanes_which_reconverge_after_a_branch() {
    let scan = "\n    v4: i32 = wave.scan.sum v0 @0..1\n    store b0[element v0, byte v1], v4 @0..1\n    yield @0..1";
    let steps_of =
        |cond: &str, inside: &str| steps(&listed(&after_if(cond, inside), &full_waves()));
    assert_eq!(steps_of("v0", scan), (5, 1), "lanes diverge at the first scan, not at the second");
    assert_eq!(steps_of("v1", scan), (10, 0), "all lanes take the same branch");
    assert_eq!(steps_of("v0", "\n    return @0..1"), (0, 1), "some lanes return");
    assert_eq!(steps_of("v1", "\n    return @0..1"), (5, 0), "all return, or none");
}

#[test]
fn a_hillis_steele_scan_in_a_loop_needs_all_lanes_in_each_iteration() {
    let looped = |cond: &str| {
        let body = format!(
            "
  i2: v2: i32 = loop v1 @0..1 do r1(v3: i32) {{
    v4: i32 = wave.scan.sum v0 @0..1
    store b0[element v0, byte v1], v4 @0..1
    v5: bool = eq v3, {cond} @0..1
    if v5 @0..1 then r2 {{
      exit i2 v3 @0..1
    }} else r3 {{
      yield @0..1
    }}
    v6: i32 = sub v3, v1 @0..1
    yield v6 @0..1
  }}
  v7: i32 = wave.scan.sum v2 @0..1
  store b0[element v0, byte v1], v7 @0..1
  yield @0..1"
        );
        steps(&listed(&body, &full_waves()))
    };
    assert_eq!(looped("v1"), (10, 0), "all leave together");
    assert_eq!(looped("v0"), (5, 1), "lanes that leave early wait after the loop");
}

#[test]
fn a_uniform_xor_of_the_lane_index_becomes_an_xor_shuffle() {
    let read = |index: &str| {
        let body = format!(
            "
  v2: i32 = wave.lane_index @0..1
  v3: i32 = const.i32 4 @0..1
  v4: i32 = load b0[element v1, byte v1] @0..1
  v5: i32 = {index} @0..1
  v6: i32 = wave.read_lane_at v0, v5 @0..1
  store b0[element v0, byte v1], v6 @0..1
  yield @0..1"
        );
        let text = listed(&body, &Environment::default());
        let xor = count(&text, "GroupNonUniformShuffleXor");
        (xor, text.lines().filter(|it| it.contains(" GroupNonUniformShuffle ")).count())
    };
    assert_eq!(read("xor v2, v3"), (1, 0), "by a constant");
    assert_eq!(read("xor v4, v2"), (1, 0), "by a uniform loaded value");
    assert_eq!(read("xor v2, v0"), (0, 1), "by a varying value");
    assert_eq!(read("xor v3, v4"), (0, 1), "of a value other than the lane index");
    assert_eq!(read("add v2, v3"), (0, 1), "not an xor");
}
