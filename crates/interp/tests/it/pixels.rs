//! Vertex and pixel shaders, fed by hand: helper lanes, demotion, retirement, derivatives, inputs and outputs.

use ir::exec::*;
use ir::stage::EvalPlace;
use ir::{Module, Slot};
use ops::LaneMask;
use wavelane_interp::observe::{DiscardEvent, NoObserver, Observer};
use wavelane_interp::{Variation, decode, run_waves};

/// A feed of given waves, which keeps the outputs.
#[derive(Default)]
struct Hand {
    waves: Vec<WaveInputs>,
    next: usize,
    taken: Vec<WaveOutputs>,
}

impl Feed for Hand {
    fn next(&mut self, wave: &mut WaveInputs) -> bool {
        let Some(next) = self.waves.get(self.next) else { return false };
        self.next += 1;
        wave.clone_from(next);
        true
    }

    fn take(&mut self, wave: &WaveOutputs) {
        self.taken.push(wave.clone());
    }

    fn evaluate(&mut self, slot: Slot, lane: u32, place: EvalPlace<u32>) -> Evaluated {
        let bits = match place {
            EvalPlace::Centroid => 1000,
            EvalPlace::Sample(index) => 2000 + index,
            EvalPlace::Snapped(x, y) => 3000 + 16 * (x & 15) + (y & 15),
        };
        let poisoned = place == EvalPlace::Sample(9);
        Evaluated { bits: u64::from(bits + 10_000 * slot.0 + 100_000 * lane), poisoned }
    }

    fn at_vertex(&mut self, slot: Slot, lane: u32, vertex: u32) -> Evaluated {
        let bits = u64::from(vertex + 10_000 * slot.0 + 100_000 * lane);
        Evaluated { bits, poisoned: vertex > 2 }
    }
}

/// Tracks poison, and keeps what is discarded.
#[derive(Default)]
struct Watch {
    discards: Vec<(LaneMask, LaneMask)>,
    fed: usize,
}

impl Observer for Watch {
    fn discard(&mut self, event: &DiscardEvent) {
        self.discards.push((event.discarded, event.ended));
    }

    fn fed(&mut self, at: wavelane_interp::observe::At, inputs: &WaveInputs) {
        assert_eq!(at.active, inputs.lanes);
        // A draw has no groups.
        assert_eq!(at.group, [0; 3]);
        self.fed += 1;
    }
}

const SIGNATURE: &str = r#"input "A" 0: u32 x 1 flat centre
input "B" 0: f32 x 1 linear centre
input "C" 0: bool x 1 flat centre
output "SV_Target" 0: u32 x 4 linear centre system target
output "SV_Depth" 0: f32 x 1 linear centre system depth"#;

/// A pixel shader with two integers, two floats and a separate buffer.
fn shader(traits: &str, body: &str) -> Module {
    let text = format!(
        "entry \"main\": pixel 6.7\ngroup_size 1, 1, 1\nstage_io\n{SIGNATURE}\n{traits}\nb0 \"Out\": raw.rw at u0 used\np0 \"own\": i32 x 4\nbody r0 {{\nv0: i32 = input s0\nv1: f32 = input s1\nv2: bool = input s2\nv3: i32 = const.i32 0\nv4: i32 = const.i32 1\nv5: bool = const.bool 1\n{body}\nyield\n}}"
    );
    let module = ir::text::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    ir::verify::verify(&module).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    module
}

/// A wave whose lanes have these helper lanes; A is the lane, B its square, C whether the lane is odd.
fn wave(width: u32, lanes: u128, helpers: u128) -> WaveInputs {
    let mut inputs = WaveInputs::new(3, width);
    (inputs.lanes, inputs.helpers) = (LaneMask(lanes), LaneMask(helpers));
    for lane in 0..width {
        let at = lane as usize;
        inputs.rows.row_mut(Slot(0))[at] = u64::from(lane);
        inputs.rows.row_mut(Slot(1))[at] = u64::from(((lane * lane) as f32).to_bits());
        inputs.rows.row_mut(Slot(2))[at] = u64::from(lane % 2);
    }
    inputs
}

struct Ran {
    outputs: Vec<WaveOutputs>,
    bytes: Vec<u8>,
    watch: Watch,
}

/// Runs waves twice, watched and not, which must not differ but in poison.
fn run(module: &Module, waves: Vec<WaveInputs>) -> Ran {
    let width = waves[0].rows.width();
    let launch = Launch { work: Work::Waves, ..super::build::launch(0, width) };
    let bytes = vec![0; 1024];
    let mut bindings =
        Bindings { bindings: vec![vec![Buffer { bytes: bytes.into(), ..Buffer::default() }]] };
    let mut plain = bindings.clone();
    let program = decode(module);
    let mut feed = Hand { waves: waves.clone(), ..Hand::default() };
    let mut watch = Watch::default();
    run_waves(&program, &launch, Variation::default(), &mut bindings, &mut feed, &mut watch)
        .unwrap();
    let mut again = Hand { waves, ..Hand::default() };
    let variation = Variation::default();
    run_waves(&program, &launch, variation, &mut plain, &mut again, &mut NoObserver).unwrap();
    assert_eq!(plain, bindings);
    for (a, b) in feed.taken.iter().zip(&again.taken) {
        assert_eq!(
            (&a.rows, &a.written, a.live, a.helpers),
            (&b.rows, &b.written, b.live, b.helpers)
        );
        assert!(a.poison.iter().zip(&b.poison).all(|(a, b)| *a & *b == *b));
    }
    let [buffer] = &bindings.bindings[0][..] else { panic!("there is one buffer") };
    Ran { outputs: feed.taken, bytes: buffer.bytes.to_vec(), watch }
}

#[test]
fn inputs_arrive_and_outputs_leave() {
    let module = shader(
        "",
        "v6: i32 = add v0, v4\noutput s0, v6\noutput s4, v1\nv7: i32 = select v2, v4, v3\noutput s1, v7",
    );
    for width in [4, 8, 16, 32, 64, 128] {
        let all = LaneMask::first_n(width);
        let Ran { outputs, watch, .. } =
            run(&module, vec![wave(width, all.0, 0b1000), wave(width, 0b1111, 0)]);
        assert_eq!(watch.fed, 2);
        let [first, last] = &outputs[..] else { panic!("two waves") };
        assert_eq!((first.live, first.helpers), (all & !LaneMask(8), LaneMask(8)));
        assert_eq!((last.live, last.helpers), (LaneMask(15), LaneMask::EMPTY));
        for lane in first.live.iter() {
            let at = lane as usize;
            assert_eq!(first.rows.row(Slot(0))[at], u64::from(lane) + 1);
            assert_eq!(first.rows.row(Slot(1))[at], u64::from(lane) % 2);
            assert_eq!(first.rows.row(Slot(4))[at], u64::from(((lane * lane) as f32).to_bits()));
        }
        // Helper lanes write nothing, and slot 2 is written by no lane.
        assert_eq!(first.written[0], first.live);
        assert_eq!((first.written[2], first.poison[2]), (LaneMask::EMPTY, all));
        assert_eq!((last.written[0], last.poison[0]), (LaneMask(15), all & !LaneMask(15)));
    }
}

#[test]
fn helper_lanes_write_nothing_and_atomics_give_them_zero() {
    let body = "v6: i32 = const.i32 4\nv7: i32 = mul v0, v6\nv8: i32 = const.i32 512\nv9: i32 = atomic.add b0[byte v8], v4\nstore b0[byte v7], v4\noutput s0, v9\nprivate_store p0[v3], v4\nv10: i32 = private_load p0[v3]\nv11: i32 = wave.quad_read.x v10\noutput s1, v11\nv12: i32 = wave.quad_read.x v9\noutput s2, v12";
    let Ran { outputs, bytes, .. } = run(&shader("", body), vec![wave(8, 0xff, 0b1001_0010)]);
    let word = |at: usize| u32::from_le_bytes(bytes[4 * at..][..4].try_into().unwrap());
    assert_eq!((0..8).map(word).collect::<Vec<_>>(), [1, 0, 1, 1, 0, 1, 1, 0]);
    assert_eq!(word(128), 5);
    let rows = &outputs[0].rows;
    // Lanes 0, 2, 3, 5, 6 add one after the other; 4 and 7 read 0 and are poisoned.
    assert_eq!(rows.row(Slot(0)), [0, 0, 1, 2, 0, 3, 4, 0]);
    // Private memory is written by all lanes.
    assert_eq!(rows.row(Slot(1)), [1, 0, 1, 1, 0, 1, 1, 0]);
    assert_eq!(rows.row(Slot(2)), [0, 0, 2, 1, 0, 0, 0, 0]);
    assert_eq!(outputs[0].poison[2] & outputs[0].live, LaneMask(0b0110_0001));
    assert_eq!(outputs[0].poison[1] & outputs[0].live, LaneMask::EMPTY);
}

fn bindings() -> Bindings {
    Bindings { bindings: vec![vec![Buffer { bytes: vec![0; 1024].into(), ..Buffer::default() }]] }
}

fn waves(width: u32) -> Launch {
    Launch { work: Work::Waves, ..super::build::launch(0, width) }
}

#[test]
fn observers_see_what_is_discarded_and_which_quads_end() {
    // Odd lanes discard, then all of the first quad, in the second arm of an `if` inside of a loop.
    let body = "v6: i32 = const.i32 4
v7: bool = lt.u v0, v6
if v2 then r1 {
  discard
  yield
} else r2 {
  yield
}
loop v3 do r3(v8: i32) {
  if v5 then r4 {
    if v7 then r5 {
      discard
      yield
    } else r6 {
      yield
    }
    yield
  } else r7 {
    yield
  }
  v9: i32 = add v8, v4
  v10: bool = lt.u v8, v4
  if v10 then r8 {
    yield
  } else r9 {
    exit i12
  }
  yield v9
}
v11: i32 = wave.count_bits v5
output s0, v11";
    let body = body.replace("loop v3", "i12: loop v3");
    for (traits, ended, count) in [("", 0b1111, 2), ("pixel helpers_take_part", 0, 8)] {
        let Ran { outputs, watch, .. } = run(&shader(traits, &body), vec![wave(8, 0xff, 0)]);
        let odd = (LaneMask(0b1010_1010), LaneMask::EMPTY);
        let mut expected = vec![odd, (LaneMask(0b0101), LaneMask(ended))];
        if ended == 0 {
            // The lanes are still there in the second iteration, and are helper lanes already.
            expected.push((LaneMask::EMPTY, LaneMask::EMPTY));
        }
        assert_eq!(watch.discards, expected);
        assert_eq!(outputs[0].live, LaneMask(0b0101_0000));
        assert!(
            outputs[0].live.iter().all(|it| outputs[0].rows.row(Slot(0))[it as usize] == count)
        );
    }
}

#[test]
fn a_quad_retires_with_its_lanes_in_another_arm() {
    // Lane 0 is a helper lane and would take the second arm; in the first one, the rest of its quad is discarded.
    let body = "v6: i32 = const.i32 4
v7: bool = lt.u v3, v0
v8: bool = lt.u v0, v6
if v7 then r1 {
  if v8 then r2 {
    discard
    yield
  } else r3 {
    yield
  }
  yield
} else r4 {
  discard
  yield
}
output s0, v0";
    let Ran { outputs, watch, .. } = run(&shader("", body), vec![wave(8, 0xff, 1)]);
    assert_eq!(watch.discards, [(LaneMask(0b1110), LaneMask(0b1111))]);
    assert_eq!(outputs[0].live, LaneMask(0xf0));
}

#[test]
fn a_launch_that_does_not_suit_the_module_is_refused() {
    let module = shader("", "");
    let program = decode(&module);
    let refused = |result: Result<(), Failure>| match result {
        Err(Failure::Unsupported(what)) => what.to_string(),
        other => panic!("{other:?}"),
    };
    let dispatch = super::build::launch(1, 8);
    let ran = wavelane_interp::run(&module, &dispatch, &mut bindings(), &mut NoObserver);
    assert!(refused(ran).contains("in draws"));
    let mut feed = Hand::default();
    let variation = Variation::default();
    let ran =
        run_waves(&program, &dispatch, variation, &mut bindings(), &mut feed, &mut NoObserver);
    assert!(refused(ran).contains("in draws"));
}

#[test]
fn a_wave_that_never_ends_is_a_deadlock_or_out_of_fuel() {
    let forever = shader("", "loop v3 do r1(v6: i32) {\nyield v6\n}");
    let counting = shader("", "loop v3 do r1(v6: i32) {\nv7: i32 = add v6, v4\nyield v7\n}");
    for (module, wanted) in [(&forever, "Deadlock"), (&counting, "OutOfFuel")] {
        let mut feed = Hand { waves: vec![wave(8, 0xff, 0)], ..Hand::default() };
        let program = decode(module);
        let ended = run_waves(
            &program,
            &Launch { fuel: Some(1 << 22), ..waves(8) },
            Variation::default(),
            &mut bindings(),
            &mut feed,
            &mut NoObserver,
        );
        assert!(format!("{ended:?}").contains(wanted), "{ended:?}");
        assert!(feed.taken.is_empty());
    }
}

#[test]
fn evaluation_queries_the_feed_for_the_active_lanes() {
    let body = "v6: i32 = const.i32 9
v7: i32 = eval_centroid s0
v8: i32 = eval_sample s0, v6
v9: i32 = const.i32 18
v10: i32 = eval_snapped s0, v9, v4
v11: i32 = input_at s0, v4
v12: i32 = input_at s0, v6
output s0, v7
output s1, v8
output s2, v10
output s3, v11";
    let Ran { outputs, .. } = run(&shader("", body), vec![wave(4, 0xf, 0b100)]);
    let output = &outputs[0];
    for lane in [0, 1, 3] {
        let get = |slot| output.rows.row(Slot(slot))[lane];
        let own = 100_000 * lane as u64;
        assert_eq!([0, 1, 2, 3].map(get), [1000, 2009, 3033, 1].map(|it| it + own));
    }
    // There is no sample 9.
    assert_eq!(output.poison[1], LaneMask(0xf));
    assert_eq!(output.poison[0], LaneMask(0b100));
}
