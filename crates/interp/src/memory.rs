//! The memory instructions: they move values between rows and memory, propagate poison, and notify the observer.

use ops::LaneMask;
use ops::wave::Lanes;

use crate::buffers::{MOST_WIDTH, Memory, for_each_lane, lanes_where, operands};
use crate::code::{AccessCode, AddressCode, Code, Row};
use crate::local::SharedMemory;
use crate::machine::{GroupContext, Machine, WaveState};
use crate::observe::{AccessEvent, At, Observer, Space};
use crate::registers::Registers;

/// The three kinds of access that an observer distinguishes.
#[derive(Clone, Copy)]
enum Kind {
    Load,
    Store,
    Atomic,
}

impl<O: Observer> Machine<'_, O> {
    pub(crate) fn memory(&mut self, active: LaneMask) -> Memory<'_> {
        Memory {
            resources: &self.program.resources,
            bindings: self.bindings,
            width: self.width,
            active,
        }
    }

    pub(crate) fn buffer(
        &mut self,
        group: [u32; 3],
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
    ) {
        let program = self.program;
        let registers = &mut wave.registers;
        let mut memory = Memory {
            resources: &program.resources,
            bindings: self.bindings,
            width: self.width,
            active,
        };
        let (kind, access) = match program.codes[pc] {
            Code::Load(table) => (Kind::Load, &program.accesses[table as usize]),
            Code::Store(table) => (Kind::Store, &program.accesses[table as usize]),
            Code::Atomic(table) => (Kind::Atomic, &program.accesses[table as usize]),
            _ => unreachable!("the caller passes buffer accesses only"),
        };
        if O::EVENTS {
            // Before the access, as a result may overwrite the row of an address.
            let size = memory.access_bytes(access);
            let in_bounds = memory.locate(access, registers, &mut self.places, size);
            let element = access.element.map(|row| registers.words(row));
            let value_poison = match kind {
                Kind::Load => LaneMask::EMPTY,
                Kind::Store | Kind::Atomic => union(registers, &access.values),
            };
            // Most stores have few values: a matrix row has four.
            let mut few = [Lanes::Bits(LaneMask::EMPTY); 4];
            let many: Vec<Lanes<'_>>;
            let values = match kind {
                Kind::Load | Kind::Atomic => &[][..],
                Kind::Store if access.values.len() <= few.len() => {
                    let rows = few.iter_mut().zip(&access.values);
                    rows.for_each(|(lanes, row)| *lanes = registers.lanes(*row));
                    &few[..access.values.len()]
                }
                Kind::Store => {
                    many = access.values.iter().map(|row| registers.lanes(*row)).collect();
                    &many
                }
            };
            let event = AccessEvent {
                at: At {
                    group,
                    wave: wave.index,
                    inst: program.origins[pc],
                    span: program.span(pc),
                    active,
                },
                space: Space::Buffer(access.storage, element),
                addresses: &self.places.start[..self.width as usize],
                size,
                in_bounds,
                address_poison: address_poison(registers, access) & active,
                value_poison: value_poison & active,
                values,
            };
            tell(self.observer, kind, &event);
        }
        let poison = if O::POISON { address_poison(registers, access) } else { LaneMask::EMPTY };
        match kind {
            Kind::Load => memory.load(access, registers, &mut self.places),
            Kind::Store => {
                memory.store(access, registers, &mut self.places);
                self.changes += 1;
            }
            Kind::Atomic => {
                let changes = memory.atomic(access, registers, &mut self.places);
                self.changes += u64::from(changes);
            }
        }
        if O::POISON {
            // The contents of buffers are not tracked: they count as free of poison.
            match kind {
                Kind::Load => {
                    access.values.iter().for_each(|row| registers.set_poison(*row, poison))
                }
                Kind::Store => {}
                Kind::Atomic => {
                    access.result.iter().for_each(|row| registers.set_poison(*row, poison))
                }
            }
        }
    }

    pub(crate) fn counter(
        &mut self,
        group: [u32; 3],
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
    ) {
        let program = self.program;
        let Code::Counter(table) = program.codes[pc] else {
            unreachable!("the caller passes counter operations only")
        };
        let access = &program.accesses[table as usize];
        let poison = address_poison(&wave.registers, access);
        self.memory(active).counter(access, &mut wave.registers);
        self.changes += 1;
        if let (true, Some(result)) = (O::POISON, access.result) {
            wave.registers.set_poison(result, poison);
        }
        if O::EVENTS {
            self.places.start = [0; _];
            let event = AccessEvent {
                at: self.at(group, wave.index, pc, active),
                space: Space::Counter(access.storage),
                addresses: &self.places.start[..self.width as usize],
                size: 4,
                in_bounds: active,
                address_poison: poison & active,
                value_poison: LaneMask::EMPTY,
                values: &[],
            };
            self.observer.atomic(&event);
        }
    }

    /// Accesses to groupshared and private arrays.
    pub(crate) fn local(
        &mut self,
        group: &mut GroupContext<'_>,
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
    ) {
        let program = self.program;
        let (registers, private) = (&mut wave.registers, &mut wave.private);
        let shared = &mut *group.shared;
        let (space, index, value) = match program.codes[pc] {
            Code::SharedLoad { memory, index, .. } | Code::SharedAtomic { memory, index, .. } => {
                (Space::Shared(memory), index, None)
            }
            Code::SharedStore { memory, index, value } => {
                (Space::Shared(memory), index, Some(value))
            }
            Code::PrivateLoad { memory, index, .. } => (Space::Private(memory), index, None),
            Code::PrivateStore { memory, index, value } => {
                (Space::Private(memory), index, Some(value))
            }
            _ => unreachable!("the caller passes array accesses only"),
        };
        let index_poison = registers.poison(index);
        // Results may overwrite the row of the index.
        for (place, index) in self.places.start.iter_mut().zip(registers.words(index)) {
            *place = u64::from(*index);
        }
        let places = &self.places.start;
        let (kind, value_poison) = match program.codes[pc] {
            Code::SharedLoad { memory, to, .. } => {
                let array = memory.index();
                let poison = match shared.words(array) {
                    Some(array) => load_words::<O>(registers, to, places, active, array),
                    None => load(registers, to, places, active, |at, _| {
                        (shared.load(array, at), O::POISON && shared.poison(array, at))
                    }),
                };
                set_poison::<O>(registers, to, poison | index_poison);
                (Kind::Load, poison)
            }
            Code::PrivateLoad { memory, to, .. } => {
                let array = memory.index();
                let poison = load(registers, to, places, active, |at, lane| {
                    (private.load(array, at, lane), O::POISON && private.poison(array, at, lane))
                });
                set_poison::<O>(registers, to, poison | index_poison);
                (Kind::Load, poison)
            }
            Code::SharedStore { memory, value, .. } => {
                let array = memory.index();
                let poison = registers.poison(value);
                self.changes += 1;
                match shared.words_mut(array) {
                    Some(array) => {
                        let values = registers.words(value);
                        store_words::<O>(values, poison, places, active, array);
                    }
                    None => for_each_lane(active, |lane| {
                        let at = places[lane as usize];
                        shared.store(array, at, registers.get(value, lane));
                        if O::POISON {
                            shared.set_poison(array, at, poison.contains(lane));
                        }
                    }),
                }
                (Kind::Store, poison)
            }
            Code::PrivateStore { memory, value, .. } => {
                let array = memory.index();
                let poison = registers.poison(value);
                for_each_lane(active, |lane| {
                    let at = places[lane as usize];
                    private.store(array, at, lane, registers.get(value, lane));
                    if O::POISON {
                        private.set_poison(array, at, lane, poison.contains(lane));
                    }
                });
                (Kind::Store, poison)
            }
            Code::SharedAtomic { memory, index, table } => {
                let access = &program.accesses[table as usize];
                let poison = union(registers, &access.values);
                let array = (shared, memory.index());
                self.changes += shared_atomic::<O>(registers, access, array, index, active);
                (Kind::Atomic, poison)
            }
            _ => unreachable!("the caller passes array accesses only"),
        };
        if O::EVENTS {
            let len = match space {
                Space::Shared(memory) => u64::from(program.groupshared[memory.index()].len),
                Space::Private(memory) => u64::from(program.privates[memory.index()].len),
                Space::Buffer(..) | Space::Counter(_) => {
                    unreachable!("buffer accesses are handled by `buffers`")
                }
            };
            let addresses = &self.places.start[..self.width as usize];
            let stored = value.map(|row| registers.lanes(row));
            let event = AccessEvent {
                at: self.at(group.id, wave.index, pc, active),
                space,
                addresses,
                size: 1,
                in_bounds: lanes_where(active, |lane| addresses[lane] < len),
                address_poison: index_poison & active,
                value_poison: value_poison & active,
                values: stored.as_slice(),
            };
            tell(self.observer, kind, &event);
        }
    }
}

/// Loads an element of an array for each lane, which the closure returns with its poison; returns the poison.
#[inline(always)]
fn load(
    registers: &mut Registers,
    to: Row,
    places: &[u64; MOST_WIDTH],
    active: LaneMask,
    element: impl Fn(u64, u32) -> (Option<u64>, bool),
) -> LaneMask {
    let mut poison = LaneMask::EMPTY;
    for_each_lane(active, |lane| {
        let (bits, poisoned) = element(places[lane as usize], lane);
        if poisoned {
            poison |= LaneMask::only(lane);
        }
        registers.set(to, lane, bits.unwrap_or(0));
    });
    poison
}

/// The same for words in groupshared memory, with the row and the array at hand.
#[inline(always)]
fn load_words<O: Observer>(
    registers: &mut Registers,
    to: Row,
    places: &[u64; MOST_WIDTH],
    active: LaneMask,
    (words, poisoned): (&[u32], &[bool]),
) -> LaneMask {
    let mut poison = LaneMask::EMPTY;
    let row = registers.words_mut(to);
    for_each_lane(active, |lane| {
        let (lane, at) = (lane as usize, places[lane as usize] as usize);
        row[lane] = words.get(at).copied().unwrap_or(0);
        if O::POISON && poisoned.get(at).copied().unwrap_or(true) {
            poison |= LaneMask::only(lane as u32);
        }
    });
    poison
}

#[inline(always)]
fn set_poison<O: Observer>(registers: &mut Registers, row: Row, poison: LaneMask) {
    if O::POISON {
        registers.set_poison(row, poison);
    }
}

/// Stores words into groupshared memory, and whether they are poisoned.
#[inline(always)]
fn store_words<O: Observer>(
    values: &[u32],
    poison: LaneMask,
    places: &[u64; MOST_WIDTH],
    active: LaneMask,
    (words, poisoned): (&mut [u32], &mut [bool]),
) {
    for_each_lane(active, |lane| {
        let at = places[lane as usize] as usize;
        if let Some(word) = words.get_mut(at) {
            *word = values[lane as usize];
        }
        if O::POISON
            && let Some(place) = poisoned.get_mut(at)
        {
            *place = poison.contains(lane);
        }
    });
}

/// An atomic operation on an element of a groupshared array for each lane; returns how many change it.
fn shared_atomic<O: Observer>(
    registers: &mut Registers,
    access: &AccessCode,
    (shared, array): (&mut SharedMemory, usize),
    index: Row,
    active: LaneMask,
) -> u64 {
    let op = access
        .atomic
        .unwrap_or_else(|| unreachable!("the decoder sets the operation of every atomic access"));
    let index_poison = registers.poison(index);
    let value_poison = union(registers, &access.values);
    let mut poison = LaneMask::EMPTY;
    let mut changes = 0;
    for_each_lane(active, |lane| {
        let at = u64::from(registers.words(index)[lane as usize]);
        let args = operands(access, registers, lane);
        let old = shared.load(array, at);
        if O::POISON {
            let bad = shared.poison(array, at);
            poison = poison.with(lane, bad);
            let stays = bad && !op.ignores_old(access.ty, args);
            shared.set_poison(array, at, stays || value_poison.contains(lane));
        }
        if let Some(old) = old {
            let new = op.apply(access.ty, old, args);
            changes += u64::from(new != old);
            shared.store(array, at, new);
        }
        if let Some(result) = access.result {
            registers.set(result, lane, old.unwrap_or(0));
        }
    });
    if let (true, Some(result)) = (O::POISON, access.result) {
        registers.set_poison(result, poison | index_poison);
    }
    changes
}

fn tell<O: Observer>(observer: &mut O, kind: Kind, event: &AccessEvent<'_>) {
    match kind {
        Kind::Load => observer.load(event),
        Kind::Store => observer.store(event),
        Kind::Atomic => observer.atomic(event),
    }
}

fn union(registers: &Registers, rows: &[Row]) -> LaneMask {
    rows.iter().fold(LaneMask::EMPTY, |all, row| all | registers.poison(*row))
}

/// The lanes whose address is poisoned.
fn address_poison(registers: &Registers, access: &AccessCode) -> LaneMask {
    let at = match access.at {
        AddressCode::Structured { index, offset, .. } => {
            registers.poison(index) | registers.poison(offset)
        }
        AddressCode::Byte(at) | AddressCode::Texel(at) => registers.poison(at),
        AddressCode::Unit { index, when, .. } | AddressCode::CheckedTexel { index, when } => {
            let when = when.map_or(LaneMask::EMPTY, |it| registers.poison(it));
            registers.poison(index) | when
        }
        AddressCode::None => LaneMask::EMPTY,
    };
    access.element.map_or(at, |row| at | registers.poison(row))
}
