//! Poison: which lanes of a value are poisoned, and what observers see of it.

use crate::build::{Shader, launch, module};
use ir::exec::Bindings;
use ir::{Address, Memory, Module, Op, Private, Span, Value, Values, values};
use ops::{Fold, LaneMask, Ternary, Ty, WaveOp};
use wavelane_interp::Observer;
use wavelane_interp::observe::{
    AccessEvent, At, BarrierEvent, DivergeEvent, ExitTo, Space, WaveEvent,
};

/// Records what is poisoned and the order of events.
#[derive(Default)]
struct Witness {
    /// The poison of the values stored to buffers.
    stored: Vec<u128>,
    /// The poison of the addresses of loads from buffers.
    loaded: Vec<u128>,
    log: Vec<String>,
}

impl Observer for Witness {
    fn store(&mut self, event: &AccessEvent<'_>) {
        if let Space::Buffer(..) = event.space {
            self.stored.push(event.value_poison.0);
        }
    }
    fn load(&mut self, event: &AccessEvent<'_>) {
        if let Space::Buffer(..) = event.space {
            self.loaded.push(event.address_poison.0);
        }
    }
    fn group_begin(&mut self, group: [u32; 3]) {
        self.log.push(format!("group {group:?}"));
    }
    fn group_end(&mut self, _: [u32; 3]) {
        self.log.push("group end".into());
    }
    fn wave_begin(&mut self, at: At) {
        self.log.push(format!("wave {} {:?}", at.wave, at.active));
    }
    fn wave_end(&mut self, at: At) {
        self.log.push(format!("wave {} end", at.wave));
    }
    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        self.log.push(format!("{:?} by {:?}", event.op, event.wave.active));
    }
    fn barrier(&mut self, event: &BarrierEvent) {
        self.log.push(format!("barrier {:?} of {:?}", event.at.active, event.live));
    }
    fn diverge(&mut self, event: &DivergeEvent) {
        self.log.push(format!("{:?} of {:?}", event.taken, event.at.active));
    }
    fn back_edge(&mut self, at: At) {
        self.log.push(format!("again {:?}", at.active));
    }
    fn reconverge(&mut self, at: At) {
        self.log.push(format!("join {:?}", at.active));
    }
    fn exit(&mut self, at: At, to: ExitTo) {
        let to = if to == ExitTo::Return { "return" } else { "exit" };
        self.log.push(format!("{to} {:?}", at.active));
    }
}

fn witness(m: &Module) -> Witness {
    let mut witness = Witness::default();
    let result = wavelane_interp::run(m, &launch(1, 4), &mut Bindings::default(), &mut witness);
    assert_eq!(result, Ok(()));
    witness
}

/// The poison of the values that a shader computes from an uninitialised one, with four lanes.
fn poison_of(make: impl FnOnce(&mut Shader, Value) -> Values) -> Vec<u128> {
    let mut m = module([4, 1, 1], 1);
    m.privates.push(Memory { name: "a".into(), ty: Ty::I32, len: 4, span: Span::NONE });
    let mut s = Shader::new(m);
    let undefined = s.b.value(Op::Undef(Ty::I32), Ty::I32);
    let values = make(&mut s, undefined);
    for value in values {
        let thread = s.thread;
        s.store(0, thread, value);
    }
    witness(&s.finish()).stored
}

#[test]
fn arithmetic_propagates_poison_and_select_only_that_of_the_chosen_value() {
    let poison = poison_of(|s, undefined| {
        let thread = s.thread;
        let sum = s.add(thread, undefined);
        let odd = s.bit(thread, 1);
        let picked = s.b.value(Op::Ternary(Ternary::Select, [odd, undefined, thread]), Ty::I32);
        let bad = s.bit(undefined, 1);
        let by_bad = s.b.value(Op::Ternary(Ternary::Select, [bad, thread, thread]), Ty::I32);
        values![thread, sum, picked, by_bad]
    });
    assert_eq!(poison, [0, 0xf, 0xa, 0xf]);
}

#[test]
fn a_checked_address_is_poisoned_by_its_unit_and_by_its_condition() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let thread = s.thread;
    let undefined = s.b.value(Op::Undef(Ty::I32), Ty::I32);
    let odd = s.bit(thread, 1);
    // Poisoned in odd lanes.
    let unit = s.b.value(Op::Ternary(Ternary::Select, [odd, undefined, thread]), Ty::I32);
    let bad = s.bit(undefined, 1);
    for (unit, when) in [(thread, Some(odd)), (unit, Some(odd)), (thread, Some(bad)), (unit, None)]
    {
        let at = Address::Within { unit, bytes: 4, when };
        s.b.value(Op::Load { place: Shader::place(0), at }, Ty::I32);
    }
    assert_eq!(witness(&s.finish()).loaded, [0, 0xa, 0xf, 0xa]);
}

#[test]
fn arms_and_loops_propagate_poison_for_their_own_lanes() {
    let poison = poison_of(|s, undefined| {
        let thread = s.thread;
        let odd = s.bit(thread, 1);
        let value = s.b_if(odd, &[Ty::I32], |_| values![undefined], |_| values![thread])[0];
        let zero = s.int(0);
        // A lane leaves with the value of the iteration of its own number: poison after two iterations.
        let left = s.loop_(&[zero, thread, thread], &[Ty::I32], |s, it, params| {
            let [i, a, b] = params[..] else { unreachable!("as many parameters as inits") };
            let more = s.lt(i, thread);
            s.if_(more, |_| {}, |s| s.exit(it, &[a]));
            let one = s.int(1);
            values![s.add(i, one), b, undefined]
        })[0];
        values![value, left]
    });
    assert_eq!(poison, [0xa, 0xc]);
}

#[test]
fn a_reduction_of_one_poisoned_lane_is_poisoned_everywhere() {
    let poison = poison_of(|s, undefined| {
        let thread = s.thread;
        let two = s.int(2);
        let is_two = s.eq(thread, two);
        let value = s.b.value(Op::Ternary(Ternary::Select, [is_two, undefined, thread]), Ty::I32);
        let sum = s.wave(WaveOp::Reduce(Fold::Sum), &[value], Ty::I32);
        let scan = s.wave(WaveOp::Scan(Fold::Sum), &[value], Ty::I32);
        values![value, sum, scan]
    });
    assert_eq!(poison, [0x4, 0xf, 0x8]);
}

#[test]
fn private_memory_is_poisoned_until_written() {
    let poison = poison_of(|s, undefined| {
        let thread = s.thread;
        let memory = Private(0);
        let two = s.int(2);
        let far = s.int(4);
        s.b.inst(Op::PrivateStore { memory, index: thread, value: thread }, &[]);
        let written = s.b.value(Op::PrivateLoad { memory, index: thread }, Ty::I32);
        let other = s.b.value(Op::PrivateLoad { memory, index: two }, Ty::I32);
        let outside = s.b.value(Op::PrivateLoad { memory, index: far }, Ty::I32);
        s.b.inst(Op::PrivateStore { memory, index: thread, value: undefined }, &[]);
        let unwritten = s.b.value(Op::PrivateLoad { memory, index: thread }, Ty::I32);
        values![written, other, outside, unwritten]
    });
    assert_eq!(poison, [0, 0xb, 0xf, 0xf]);
}

#[test]
fn observers_see_the_run_in_order() {
    let mut s = Shader::new(module([4, 1, 1], 1));
    let thread = s.thread;
    let odd = s.bit(thread, 1);
    s.for_(
        thread,
        |s, _, next, _| {
            s.if_(
                odd,
                |s| {
                    s.wave(WaveOp::IsFirstLane, &[], Ty::Bool);
                    s.exit(next, &[]);
                },
                |s| {
                    s.b.terminate(Op::Return);
                },
            );
        },
        |_, _| {},
    );
    let expected = [
        "group [0, 0, 0]",
        "wave 0 0xf",
        "0xe of 0xf",
        "exit 0x1",
        "join 0xe",
        "0xa of 0xe",
        "IsFirstLane by 0xa",
        "exit 0xa",
        "return 0x4",
        "join 0xa",
        "again 0xa",
        "0x8 of 0xa",
        "exit 0x2",
        "join 0x8",
        "0x8 of 0x8",
        "IsFirstLane by 0x8",
        "exit 0x8",
        "join 0x8",
        "again 0x8",
        "0x8 of 0x8",
        "join 0x8",
        "0x8 of 0x8",
        "IsFirstLane by 0x8",
        "exit 0x8",
        "join 0x8",
        "again 0x8",
        "0x0 of 0x8",
        "exit 0x8",
        "join 0xb",
        "return 0xb",
        "wave 0 end",
        "group end",
    ];
    assert_eq!(witness(&s.finish()).log, expected);
    assert_eq!(LaneMask::first_n(4).0, 0xf);
}
