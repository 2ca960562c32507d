//! Groupshared memory: loads, stores and atomic operations as instructions.
//!
//! A group runs on one thread, and its waves take turns only at barriers and at the ends of loops. So an instruction is
//! never interrupted by another wave, and an atomic operation is a plain read-modify-write without a lock. Only the
//! order of lanes matters: lanes that may access the same scalar are processed one by one, in ascending order.
//!
//! Atomic operations have three forms. One location for all lanes: their operands are folded first, and memory changes
//! once. Neighbouring locations: a vector is loaded, changed and stored. Anything else: operands go to rows of the
//! frame, and a loop over the lanes takes them from there; where all lanes are active and in bounds, which is usual,
//! the loop is unrolled and tests nothing.
//!
//! Bounds are part of the mask, as for buffers, unless the range of the index makes them unnecessary (`range`).

use iced_x86::Code::*;
use ir::{Atomic, Inst, Shared, Value};
use ops::{Binary, Repr, Sign, Ty};

use super::lanes::{Held, Lane};
use super::pattern::Run;
use super::{Home, Selector};
use crate::isa::Isa;
use crate::layout::*;
use crate::machine::*;
use crate::vector::*;

/// An array in groupshared memory.
#[derive(Clone, Copy)]
struct Array {
    /// Its number in the module.
    number: usize,
    start: Address,
    len: u32,
    /// Bytes from one element to the next: 4 or 8.
    stride: u32,
    ty: Ty,
}

/// Known elements that lanes of a chunk access.
#[derive(Clone, Copy)]
struct KnownRun {
    first: u32,
    /// How many lanes do, from the first on.
    lanes: u32,
    run: Run,
}

#[derive(Clone, Copy)]
enum Noted {
    Read,
    Written,
}

impl Selector<'_> {
    fn shared_array(&mut self, memory: Shared) -> Array {
        let own = &self.module.groupshared[memory.index()];
        let start = match self.group.as_ref().and_then(|it| it.start) {
            Some(start) => start,
            None => self.a.load_general(View::R64, Address::frame(SHARED)),
        };
        Array {
            number: memory.index(),
            start: Address::at(Base::Register(start), self.layout.shared[memory.index()] as i32),
            len: own.len,
            stride: scalar_bytes(own.ty) as u32,
            ty: own.ty,
        }
    }

    /// Whether every index that lanes may hold is in bounds.
    fn is_in_reach(&self, array: &Array, index: Value) -> bool {
        self.most(index) < array.len
    }

    /// The active lanes whose index is in bounds.
    fn in_array(&mut self, array: &Array, index: Value) -> Vec<VReg> {
        let active = self.active();
        if self.is_in_reach(array, index) {
            return active;
        }
        let len = self.a.constant_word(array.len);
        let words = self.words(index);
        words
            .iter()
            .zip(&active)
            .map(|(word, on)| {
                let on = self.partial(*on);
                self.a.test(Test::Lt, Kind::UnsignedWord, *word, len, on)
            })
            .collect()
    }

    pub(super) fn is_whole_wave(&self, masks: &[VReg]) -> bool {
        self.known_lanes(masks) == Some(u128::MAX >> (128 - self.width))
    }

    /// The index of lane 0, if each lane accesses the element behind that of the lane below.
    fn first_element(&mut self, index: Value) -> Option<VReg> {
        match self.home(index).clone() {
            Home::Affine { base, stride: 1 } => Some(base),
            Home::Table(table) => Selector::table_start(&table, 1).map(|first| self.a.word(first)),
            _ => None,
        }
    }

    /// The known elements that active lanes access: all lanes of each chunk, or its first ones, access neighbours or
    /// one element. `None` if that is not so in a chunk.
    fn known_runs(&self, array: &Array, index: Value, masks: &[VReg]) -> Option<Vec<KnownRun>> {
        let Home::Table(table) = self.home(index) else { return None };
        if array.stride != 4 {
            return None;
        }
        let of = |(own, mask): (&[u64], &VReg)| {
            let lanes = self.a.first_lanes_of(*mask)?;
            let first = own[0] as u32;
            let is = |step: u32| {
                let mut all = own[..lanes as usize].iter().zip(0u32..);
                all.all(|(it, lane)| u64::from(first) + u64::from(lane * step) == *it)
            };
            let last = own[..lanes as usize].iter().max().copied().unwrap_or(0);
            if last >= u64::from(array.len) {
                return None;
            }
            let run = match (is(1), is(0)) {
                (true, _) => Run::Neighbours,
                (_, true) => Run::Same,
                _ => return None,
            };
            Some(KnownRun { first, lanes, run })
        };
        table[..self.layout.lanes].chunks(self.lanes).zip(masks).map(of).collect()
    }

    fn known_element(&self, array: &Array, first: u32) -> Address {
        let displacement = array.start.displacement + (first * array.stride) as i32;
        Address { displacement, ..array.start }
    }

    fn load_known(&mut self, array: &Array, runs: &[KnownRun], masks: &[VReg]) -> Vec<VReg> {
        let load = |(own, mask): (&KnownRun, &VReg)| {
            let from = self.known_element(array, own.first);
            if own.run == Run::Same {
                let code =
                    self.a.pick(EVEX_Vpbroadcastd_zmm_k1z_xmmm32, VEX_Vpbroadcastd_ymm_xmmm32);
                return self.a.b.define(code, self.a.view(), &[Source::Memory(from)]);
            }
            if own.lanes == 0 {
                return self.a.zero();
            }
            if let Some(vector) = self.held_in(array.number, own.first, own.lanes) {
                return vector;
            }
            let vector = self.a.load_lanes(from, *mask);
            self.remember_shared(array.number, own.first, own.lanes, vector);
            vector
        };
        runs.iter().zip(masks).map(load).collect()
    }

    /// Stores to known elements, if those of each chunk are neighbours; returns whether they are.
    fn store_known(
        &mut self,
        array: &Array,
        runs: &[KnownRun],
        values: &[VReg],
        masks: &[VReg],
    ) -> bool {
        if runs.iter().any(|it| it.run == Run::Same) {
            return false;
        }
        for ((own, value), mask) in runs.iter().zip(values).zip(masks) {
            let to = self.known_element(array, own.first);
            self.a.store_lanes(to, *value, *mask);
            if own.lanes > 0 {
                self.forget_elements(array.number, own.first, own.lanes);
                self.remember_shared(array.number, own.first, own.lanes, *value);
            }
        }
        true
    }

    /// The elements that active lanes access, if they are known.
    fn known_elements(&mut self, index: Value) -> Option<Vec<u32>> {
        let active = self.active();
        let lanes = self.known_lanes(&active)?;
        let width = 0..self.width as usize;
        let own = width.filter(|lane| lanes >> lane & 1 == 1);
        match self.home(index) {
            Home::Constant(bits) => Some(vec![*bits as u32]),
            Home::Table(table) => Some(own.map(|lane| table[lane] as u32).collect()),
            _ => None,
        }
    }

    /// Records an access, to decide whether the array must be cleared.
    fn note(&mut self, array: &Array, index: Value, access: Noted) {
        if self.group.is_none() {
            return;
        }
        let elements = self.known_elements(index);
        let inside = |it: Vec<u32>| it.into_iter().filter(|it| *it < array.len).collect::<Vec<_>>();
        let elements = elements.map(inside);
        match (access, elements) {
            (Noted::Read, elements) => self.note_read(array.number, elements.as_deref()),
            (Noted::Written, Some(elements)) => self.note_written(array.number, &elements),
            (Noted::Written, None) => {}
        }
    }

    /// The address of an element whose index is a word in a register.
    fn element(&self, array: &Array, index: VReg) -> Address {
        Address { index: Some((View::R64, index)), scale: array.stride as u8, ..array.start }
    }

    /// The address of the one element that all lanes access; out of bounds, that of a location that is always zero.
    fn single_element(&mut self, array: &Array, index: Value) -> Address {
        let is_in_reach = self.is_in_reach(array, index);
        if let (Some(index), true) = (self.constant(index), is_in_reach) {
            let displacement = array.start.displacement + (index as u32 * array.stride) as i32;
            return Address { displacement, ..array.start };
        }
        let index = self.index(index);
        let inside = self.element(array, index);
        if is_in_reach {
            return inside;
        }
        let inside = self.a.b.define(Lea_r64_m, View::R64, &[Source::Memory(inside)]);
        let nowhere = Source::Memory(Address::frame(NOWHERE));
        let nowhere = self.a.b.define(Lea_r64_m, View::R64, &[nowhere]);
        self.compare_with_len(array, index);
        let nowhere = Source::Register(View::R64, nowhere);
        let address = self.a.general(Cmovae_r64_rm64, View::R64, inside, nowhere);
        Address::at(Base::Register(address), 0)
    }

    /// Compares the index with the length: `below` if it is in bounds.
    fn compare_with_len(&mut self, array: &Array, index: VReg) {
        let len = Source::Immediate(Immediate::Word(array.len));
        self.a.b.effect(Cmp_rm32_imm32, &[Source::Register(View::R32, index), len]);
    }

    fn view_of(array: &Array) -> View {
        if array.stride == 8 { View::R64 } else { View::R32 }
    }

    // Loads.

    pub(super) fn shared_load(&mut self, memory: Shared, index: Value, to: Value) {
        let array = self.shared_array(memory);
        self.note(&array, index, Noted::Read);
        if self.is_single(index) || self.is_uniform(index) {
            let from = self.single_element(&array, index);
            let bits = self.a.load_general(Selector::view_of(&array), from);
            let home = match array.ty.is_float() {
                true => Home::Splat(self.a.splat(bits, array.stride == 8)),
                false => Home::General(bits),
            };
            return self.set(to, home);
        }
        let masks = self.in_array(&array, index);
        let home = match array.ty.repr() {
            Repr::Long => Home::Longs(self.gather_longs(&array, index, &masks)),
            Repr::Word => Home::Words(self.load_words_at(&array, index, &masks)),
            Repr::Bit => {
                let words = self.load_words_at(&array, index, &masks);
                let zero = self.a.constant_word(0);
                let bits =
                    words.iter().map(|it| self.a.test(Test::Ne, Kind::SignedWord, *it, zero, None));
                Home::Bits(bits.collect())
            }
        };
        self.set(to, home);
    }

    fn load_words_at(&mut self, array: &Array, index: Value, masks: &[VReg]) -> Vec<VReg> {
        if let Some(runs) = self.known_runs(array, index, masks) {
            return self.load_known(array, &runs, masks);
        }
        if let Some(first) = self.first_element(index) {
            let from = self.neighbours(array, first);
            return self.load_neighbours(from, masks);
        }
        let runs = self.runs(index);
        let is_whole = self.is_whole_wave(masks);
        let words = self.words(index);
        (0..self.chunks)
            .map(|chunk| match &runs {
                Some(runs) => self.load_run(array.start, runs, chunk, masks[chunk], is_whole),
                None => self.a.gather(array.start, words[chunk], 4, masks[chunk]),
            })
            .collect()
    }

    /// The address of lane 0, which may be out of bounds although other lanes are not.
    fn neighbours(&mut self, array: &Array, first: VReg) -> Address {
        let first = self.sign_extended(first);
        self.element(array, first)
    }

    fn load_neighbours(&mut self, from: Address, masks: &[VReg]) -> Vec<VReg> {
        let is_whole = self.is_whole_wave(masks);
        (0..self.chunks)
            .map(|chunk| {
                let from = self.chunk_of(from, chunk);
                match is_whole {
                    true => self.a.load_words(from, self.width),
                    false => self.a.load_masked(from, Some(masks[chunk])),
                }
            })
            .collect()
    }

    fn store_neighbours(&mut self, to: Address, words: &[VReg], masks: &[VReg]) {
        let is_whole = self.is_whole_wave(masks);
        for (chunk, words) in words.iter().enumerate() {
            let to = self.chunk_of(to, chunk);
            match is_whole {
                true => self.a.store_words(to, *words, self.width),
                false => self.a.store_masked(to, *words, Some(masks[chunk])),
            }
        }
    }

    fn gather_longs(&mut self, array: &Array, index: Value, masks: &[VReg]) -> Vec<VReg> {
        let words = self.words(index);
        let halves = |s: &mut Self, chunk: usize| {
            [0, 1].map(|half| s.a.gather_long(array.start, words[chunk], half, masks[chunk]))
        };
        (0..self.chunks).flat_map(|chunk| halves(self, chunk)).collect()
    }

    // Stores.

    pub(super) fn shared_store(&mut self, memory: Shared, index: Value, value: Value) {
        let array = self.shared_array(memory);
        let is_same = |s: &Self, it| s.is_single(it) || s.is_uniform(it);
        self.note(&array, index, Noted::Written);
        if is_same(self, index) && is_same(self, value) {
            self.forget_array(array.number);
            return self.store_same(&array, index, value);
        }
        let masks = self.in_array(&array, index);
        if let Some(runs) = self.known_runs(&array, index, &masks) {
            let values = self.stored_words(value);
            if self.store_known(&array, &runs, &values, &masks) {
                return;
            }
        }
        self.forget_array(array.number);
        if array.stride == 4
            && let Some(first) = self.first_element(index)
        {
            let values = self.stored_words(value);
            let to = self.neighbours(&array, first);
            return self.store_neighbours(to, &values, &masks);
        }
        if array.stride == 4
            && let Some(runs) = self.runs(index)
            && runs.chunks.iter().all(|it| it.1 == Run::Neighbours)
        {
            let values = self.stored_words(value);
            let is_whole = self.is_whole_wave(&masks);
            for chunk in 0..self.chunks {
                self.store_run(array.start, &runs, chunk, values[chunk], masks[chunk], is_whole);
            }
            return;
        }
        if self.a.isa == Isa::Avx2 {
            let held = [self.hold(index, 4, 0), self.hold(value, array.stride, 1)];
            return self.each_in(&masks, |s, at| {
                let to = s.element_of(&array, held[0], at);
                s.store_held(&array, to, held[1], at);
            });
        }
        let words = self.words(index);
        let halves = array.stride as usize / 4;
        let values = match array.stride {
            8 => self.longs(value),
            _ => self.stored_words(value),
        };
        let is_whole = self.is_whole_wave(&masks);
        for chunk in 0..self.chunks {
            // As in buffers, chunks of which no lane is active are skipped.
            let joined = self.a.b.block();
            if !is_whole {
                let (some, none) = (self.a.b.block(), self.a.b.block());
                self.a.test_any(&masks[chunk..=chunk]);
                self.a.b.branch(Condition::NotZero, some, none);
                self.a.b.switch_to(none);
                self.a.b.jump(joined);
                self.a.b.switch_to(some);
            }
            if halves == 1 {
                let to =
                    Address { index: Some((View::Zmm, words[chunk])), scale: 4, ..array.start };
                self.a.scatter(to, values[chunk], masks[chunk]);
            } else {
                for half in 0..2 {
                    let value = values[2 * chunk + half];
                    self.a.scatter_long(array.start, words[chunk], half, value, masks[chunk]);
                }
            }
            self.a.b.jump(joined);
            self.a.b.seal(joined);
            self.a.b.switch_to(joined);
        }
    }

    /// All lanes store the same to the same element.
    fn store_same(&mut self, array: &Array, index: Value, value: Value) {
        let view = Selector::view_of(array);
        let bits = self.general(value);
        if self.is_in_reach(array, index) {
            let to = self.single_element(array, index);
            return self.a.store_general(view, to, bits);
        }
        let index = self.index(index);
        self.if_in_array(array, index, |s| {
            let to = s.element(array, index);
            s.a.store_general(view, to, bits);
        });
    }

    /// Emits code that runs if an index in a register is in bounds.
    fn if_in_array(&mut self, array: &Array, index: VReg, access: impl FnOnce(&mut Self)) {
        let [inside, outside, joined] = [0; 3].map(|_| self.a.b.block());
        self.compare_with_len(array, index);
        self.a.b.branch(Condition::Below, inside, outside);
        self.a.b.switch_to(outside);
        self.a.b.jump(joined);
        self.a.b.switch_to(inside);
        access(self);
        self.a.b.jump(joined);
        self.a.b.seal(joined);
        self.a.b.switch_to(joined);
    }

    // Atomic operations.

    pub(super) fn shared_atomic(
        &mut self,
        inst: Inst,
        memory: Shared,
        index: Value,
        op: Atomic,
        args: &[Value],
    ) {
        let array = self.shared_array(memory);
        self.note(&array, index, Noted::Read);
        self.forget_array(array.number);
        let result = self.module.inst(inst).results.first().copied();
        let seen = result.filter(|it| self.used[it.index()]);
        if let (Some(result), None) = (result, seen) {
            // The result is unused.
            self.set(result, Home::Constant(0));
        }
        let is_same = self.is_single(index) || self.is_uniform(index);
        if is_same && array.ty == Ty::I32 && self.fold_into(&array, index, op, args[0], seen) {
            return;
        }
        if array.stride == 4
            && let Some(first) = self.first_element(index)
        {
            return self.change_neighbours(&array, index, first, op, args, seen);
        }
        self.change_by_lane(&array, index, op, args, seen);
    }

    /// Folds the operands of all lanes and updates the element once; returns whether that is equivalent.
    fn fold_into(
        &mut self,
        array: &Array,
        index: Value,
        op: Atomic,
        value: Value,
        seen: Option<Value>,
    ) -> bool {
        if let Some(result) = seen {
            return self.add_for_all(array, index, op, value, result);
        }
        let (fold, neutral) = match op {
            Atomic::Add => (Lanewise::AddD, 0),
            Atomic::Or => (Lanewise::Or, 0),
            Atomic::Xor => (Lanewise::Xor, 0),
            Atomic::And => (Lanewise::And, u32::MAX),
            Atomic::Min(Sign::Unsigned) => (Lanewise::MinUd, u32::MAX),
            Atomic::Min(Sign::Signed) => (Lanewise::MinSd, i32::MAX as u32),
            Atomic::Max(Sign::Unsigned) => (Lanewise::MaxUd, 0),
            Atomic::Max(Sign::Signed) => (Lanewise::MaxSd, i32::MIN as u32),
            Atomic::Exchange | Atomic::CompareExchange => return false,
        };
        let active = self.active();
        let own = if self.is_single(value) && op == Atomic::Add {
            let own = self.general(value);
            let count = self.lane_count(&active);
            self.a.general(Imul_r32_rm32, View::R32, own, Source::Register(View::R32, count))
        } else {
            let neutral = self.a.constant_word(neutral);
            let neutral = self.a.load(neutral, false);
            let words = self.words(value);
            let words = words.iter().zip(&active);
            let all: Vec<VReg> =
                words.map(|(words, on)| self.a.blend(*on, *words, neutral)).collect();
            let both =
                |s: &mut Self, a: VReg, b: &VReg| s.a.op(fold, Arg::Register(a), Arg::Register(*b));
            let all = all[1..].iter().fold(all[0], |a, b| both(self, a, b));
            let all = self.fold_lanes(fold, all);
            self.a.lowest(all, false)
        };
        if self.is_in_reach(array, index) {
            let to = self.single_element(array, index);
            self.change(array, op, to, own);
            return true;
        }
        let index = self.index(index);
        self.if_in_array(array, index, |s| {
            let to = s.element(array, index);
            s.change(array, op, to, own);
        });
        true
    }

    /// One addition of the same operand for all lanes; the result of each includes the additions of the lanes below it.
    fn add_for_all(
        &mut self,
        array: &Array,
        index: Value,
        op: Atomic,
        value: Value,
        result: Value,
    ) -> bool {
        if op != Atomic::Add || !self.is_single(value) {
            return false;
        }
        let active = self.active();
        let count = self.lane_count(&active);
        let mut own = self.general(value);
        let to = self.single_element(array, index);
        if !self.is_in_reach(array, index) {
            // The location for accesses out of bounds stays zero.
            let zero = self.a.word(0);
            let index = self.index(index);
            self.compare_with_len(array, index);
            let zero = Source::Register(View::R32, zero);
            own = self.a.general(Cmovae_r32_rm32, View::R32, own, zero);
        }
        let total =
            self.a.general(Imul_r32_rm32, View::R32, own, Source::Register(View::R32, count));
        let old = self.a.load_general(View::R32, to);
        let new = Source::Register(View::R32, total);
        let new = self.a.general(Add_r32_rm32, View::R32, old, new);
        self.a.store_general(View::R32, to, new);
        let below = self.count_below(&active);
        let [own, old] = [own, old].map(|it| self.a.splat(it, false));
        let seen = below.into_iter().map(|below| {
            let added = self.a.op(Lanewise::MulD, Arg::Register(below), Arg::Register(own));
            self.a.op(Lanewise::AddD, Arg::Register(added), Arg::Register(old))
        });
        let seen = seen.collect();
        self.set(result, Home::Words(seen));
        true
    }

    /// No two lanes name the same element, and those of a chunk lie side by side.
    fn change_neighbours(
        &mut self,
        array: &Array,
        index: Value,
        first: VReg,
        op: Atomic,
        args: &[Value],
        seen: Option<Value>,
    ) {
        let masks = self.in_array(array, index);
        let at = self.neighbours(array, first);
        let is_exchange = op == Atomic::Exchange && seen.is_none();
        let old = if is_exchange { Vec::new() } else { self.load_neighbours(at, &masks) };
        let values: Vec<Vec<VReg>> = args.iter().map(|it| self.words(*it)).collect();
        let new: Vec<VReg> = (0..self.chunks)
            .map(|chunk| {
                let own = values[0][chunk];
                let lanewise = match op {
                    Atomic::Add => Lanewise::AddD,
                    Atomic::And => Lanewise::And,
                    Atomic::Or => Lanewise::Or,
                    Atomic::Xor => Lanewise::Xor,
                    Atomic::Min(Sign::Unsigned) => Lanewise::MinUd,
                    Atomic::Min(Sign::Signed) => Lanewise::MinSd,
                    Atomic::Max(Sign::Unsigned) => Lanewise::MaxUd,
                    Atomic::Max(Sign::Signed) => Lanewise::MaxSd,
                    Atomic::Exchange => return own,
                    Atomic::CompareExchange => {
                        let (old, wanted) = (old[chunk], Arg::Register(own));
                        let same = self.a.test(Test::Eq, Kind::SignedWord, old, wanted, None);
                        return self.a.blend(same, values[1][chunk], old);
                    }
                };
                self.a.op(lanewise, Arg::Register(old[chunk]), Arg::Register(own))
            })
            .collect();
        self.store_neighbours(at, &new, &masks);
        if let Some(result) = seen {
            self.set(result, Home::Words(old));
        }
    }

    /// One lane after the other, ascending, through rows of the frame.
    fn change_by_lane(
        &mut self,
        array: &Array,
        index: Value,
        op: Atomic,
        args: &[Value],
        seen: Option<Value>,
    ) {
        let masks = self.in_array(array, index);
        if self.group.is_some() && self.is_whole_wave(&masks) && seen.is_none() && args.len() == 1 {
            return self.change_by_extracted_lane(array, index, op, args[0]);
        }
        let index = self.hold(index, 4, 0);
        let held: Vec<Held> =
            args.iter().zip(1..).map(|(arg, row)| self.hold(*arg, array.stride, row)).collect();
        let to = seen.map(|_| 1 + args.len());
        if let Some(row) = to {
            self.rows = self.rows.max(row + 1);
            if !self.is_whole_wave(&masks) {
                // Out of bounds, lanes see zero.
                let zero = self.a.zero();
                for vector in 0..self.chunks * array.stride as usize / 4 {
                    let at = self.layout.row(row) + 4 * self.lanes * vector;
                    self.a.store_vector(Address::frame(at), zero);
                }
            }
        }
        self.each_in(&masks, |s, at| {
            let place = s.element_of(array, index, at);
            if let Some(old) = s.change_one(array, op, place, &held, at, to.is_some())
                && let Some(row) = to
            {
                let to = s.in_row(row, array.stride, at);
                s.a.store_general(Selector::view_of(array), to, old);
            }
        });
        if let (Some(result), Some(row)) = (seen, to) {
            let vectors = (0..self.chunks * array.stride as usize / 4)
                .map(|it| self.layout.row(row) + 4 * self.lanes * it)
                .map(|at| self.a.load_vector(Address::frame(at)))
                .collect();
            let is_long = array.stride == 8;
            self.set(result, if is_long { Home::Longs(vectors) } else { Home::Words(vectors) });
        }
    }

    /// The same for all lanes of a wave, without results.
    fn change_by_extracted_lane(&mut self, array: &Array, index: Value, op: Atomic, value: Value) {
        let held = self.hold(value, array.stride, 1);
        let vectors = self.words(index);
        self.each_extracted(&vectors, |s, index, lane| {
            let at = s.element(array, index);
            s.change_one(array, op, at, &[held], lane, false);
        });
    }

    /// Updates an element for one lane; returns the old value if it was loaded.
    fn change_one(
        &mut self,
        array: &Array,
        op: Atomic,
        at: Address,
        args: &[Held],
        lane: Lane,
        is_seen: bool,
    ) -> Option<VReg> {
        if op == Atomic::Exchange && !is_seen {
            self.store_held(array, at, args[0], lane);
            return None;
        }
        let simple = matches!(op, Atomic::Add | Atomic::And | Atomic::Or | Atomic::Xor);
        if let (Held::Constant(bits), Atomic::Add, 4, false) = (args[0], op, array.stride, is_seen)
        {
            let own = Source::Immediate(Immediate::Word(bits as u32));
            self.a.b.effect(Add_rm32_imm32, &[Source::Memory(at), own]);
            return None;
        }
        let own = self.held(args[0], lane);
        if simple && !is_seen {
            self.change(array, op, at, own);
            return None;
        }
        let view = Selector::view_of(array);
        let old = self.a.load_general(view, at);
        let new = match op {
            Atomic::Exchange => own,
            Atomic::CompareExchange => {
                let [compare, choose] = match array.stride {
                    8 => [Cmp_r64_rm64, Cmove_r64_rm64],
                    _ => [Cmp_r32_rm32, Cmove_r32_rm32],
                };
                let new = self.held(args[1], lane);
                let sources = [old, own].map(|it| Source::Register(view, it));
                self.a.b.effect(compare, &sources);
                self.a.general(choose, view, old, Source::Register(view, new))
            }
            _ => self.combined(array, op, old, own),
        };
        self.a.store_general(view, at, new);
        Some(old)
    }

    /// Updates an element with the operand in a register.
    fn change(&mut self, array: &Array, op: Atomic, at: Address, own: VReg) {
        let view = Selector::view_of(array);
        let codes = match op {
            Atomic::Add => Some([Add_rm32_r32, Add_rm64_r64]),
            Atomic::And => Some([And_rm32_r32, And_rm64_r64]),
            Atomic::Or => Some([Or_rm32_r32, Or_rm64_r64]),
            Atomic::Xor => Some([Xor_rm32_r32, Xor_rm64_r64]),
            Atomic::Min(_) | Atomic::Max(_) | Atomic::Exchange | Atomic::CompareExchange => None,
        };
        if let Some(codes) = codes {
            let code = codes[usize::from(array.stride == 8)];
            return self.a.b.effect(code, &[Source::Memory(at), Source::Register(view, own)]);
        }
        let old = self.a.load_general(view, at);
        let new = self.combined(array, op, old, own);
        self.a.store_general(view, at, new);
    }

    /// The new value of an arithmetic operation.
    fn combined(&mut self, array: &Array, op: Atomic, old: VReg, own: VReg) -> VReg {
        let binary = match op {
            Atomic::Add => Binary::Add,
            Atomic::And => Binary::And,
            Atomic::Or => Binary::Or,
            Atomic::Xor => Binary::Xor,
            Atomic::Min(sign) => Binary::Min(sign),
            Atomic::Max(sign) => Binary::Max(sign),
            Atomic::Exchange | Atomic::CompareExchange => {
                unreachable!("an exchange is not arithmetic")
            }
        };
        match self.binary_general(binary, array.ty, old, own, None) {
            Some(new) => new,
            None => unreachable!("the verifier gives atomic arithmetic to words and longs alone"),
        }
    }

    fn store_held(&mut self, array: &Array, to: Address, held: Held, at: Lane) {
        let bits = self.held(held, at);
        self.a.store_general(Selector::view_of(array), to, bits);
    }

    /// The element that a lane accesses; its index is in bounds.
    fn element_of(&mut self, array: &Array, index: Held, at: Lane) -> Address {
        let index = match index {
            Held::Row(..) => self.held(index, at),
            // The upper half of a register may hold anything.
            Held::Constant(_) | Held::Register(_) => {
                let index = self.held(index, at);
                let index = Source::Register(View::R32, index);
                self.a.b.define(Mov_r32_rm32, View::R32, &[index])
            }
        };
        self.element(array, index)
    }
}
