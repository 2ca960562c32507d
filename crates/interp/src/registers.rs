//! The registers of one wave: rows of lanes, and arithmetic on whole rows.
//!
//! A row holds a value for every lane up to the width, rounded up to whole chunks. Arithmetic runs on all of them:
//! the contents of inactive lanes are never read, so no mask is needed, and compilers vectorise the loop over a
//! chunk.
//! The meaning of operations is not defined here but in [`ops::scalar`].

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use ops::scalar::{self, Apply};
use ops::wave::Lanes;
use ops::{Binary, Compare, F16, Held, Lane, LaneMask, Repr, Ternary, Ty, Unary};

use crate::code::{Program, Row, RowCounts};

/// How many lanes arithmetic processes at once.
pub(crate) const CHUNK: usize = 8;

type Chunk<T> = [T; CHUNK];

#[derive(Clone, Debug)]
pub(crate) struct Registers {
    /// The number of chunks in a row.
    chunks: usize,
    bits: Vec<LaneMask>,
    words: Vec<Chunk<u32>>,
    longs: Vec<Chunk<u64>>,
    /// The poisoned lanes of each row, by representation. Empty unless poison is tracked.
    poison: [Vec<LaneMask>; 3],
}

impl Registers {
    pub(crate) fn new(program: &Program, width: u32, track_poison: bool) -> Registers {
        let rows = program.rows;
        let chunks = (width as usize).div_ceil(CHUNK);
        let poison =
            |rows: u32| vec![LaneMask::EMPTY; if track_poison { rows as usize } else { 0 }];
        let mut registers = Registers {
            chunks,
            bits: vec![LaneMask::EMPTY; rows.bits as usize],
            words: vec![[0; CHUNK]; rows.words as usize * chunks],
            longs: vec![[0; CHUNK]; rows.longs as usize * chunks],
            poison: [poison(rows.bits), poison(rows.words), poison(rows.longs)],
        };
        for constant in &program.constants {
            registers.splat(constant.row, constant.bits);
            if track_poison && constant.poisoned {
                registers.set_poison(constant.row, LaneMask::ALL);
            }
        }
        registers
    }

    #[inline(always)]
    pub(crate) fn bits(&self, row: Row) -> LaneMask {
        self.bits[row.number()]
    }

    #[inline(always)]
    pub(crate) fn set_bits(&mut self, row: Row, bits: LaneMask) {
        self.bits[row.number()] = bits;
    }

    #[inline(always)]
    pub(crate) fn words(&self, row: Row) -> &[u32] {
        let start = row.number() * self.chunks;
        self.words[start..start + self.chunks].as_flattened()
    }

    #[inline(always)]
    pub(crate) fn words_mut(&mut self, row: Row) -> &mut [u32] {
        let start = row.number() * self.chunks;
        self.words[start..start + self.chunks].as_flattened_mut()
    }

    #[inline(always)]
    pub(crate) fn longs(&self, row: Row) -> &[u64] {
        let start = row.number() * self.chunks;
        self.longs[start..start + self.chunks].as_flattened()
    }

    #[inline(always)]
    pub(crate) fn longs_mut(&mut self, row: Row) -> &mut [u64] {
        let start = row.number() * self.chunks;
        self.longs[start..start + self.chunks].as_flattened_mut()
    }

    pub(crate) fn lanes(&self, row: Row) -> Lanes<'_> {
        match row.repr() {
            Repr::Bit => Lanes::Bits(self.bits(row)),
            Repr::Word => Lanes::Words(self.words(row)),
            Repr::Long => Lanes::Longs(self.longs(row)),
        }
    }

    /// The bits of one lane's value.
    #[inline(always)]
    pub(crate) fn get(&self, row: Row, lane: u32) -> u64 {
        self.lanes(row).get(lane)
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, row: Row, lane: u32, bits: u64) {
        match row.repr() {
            Repr::Bit => self.bits[row.number()] = self.bits(row).with(lane, bits & 1 == 1),
            Repr::Word => self.words_mut(row)[lane as usize] = bits as u32,
            Repr::Long => self.longs_mut(row)[lane as usize] = bits,
        }
    }

    /// Sets the lanes of a row in order, as many as there are values.
    pub(crate) fn fill_row(&mut self, row: Row, bits: &[u64]) {
        match row.repr() {
            Repr::Bit => {
                let set = (0..).zip(bits).filter(|(_, it)| **it & 1 == 1).map(|it| it.0).collect();
                self.set_bits(row, set);
            }
            Repr::Word => {
                self.words_mut(row).iter_mut().zip(bits).for_each(|(to, bits)| *to = *bits as u32)
            }
            Repr::Long => self.longs_mut(row).iter_mut().zip(bits).for_each(|(to, it)| *to = *it),
        }
    }

    /// Broadcasts a value to all lanes.
    pub(crate) fn splat(&mut self, row: Row, bits: u64) {
        match row.repr() {
            Repr::Bit => {
                self.set_bits(row, if bits & 1 == 1 { LaneMask::ALL } else { LaneMask::EMPTY })
            }
            Repr::Word => self.words_mut(row).fill(bits as u32),
            Repr::Long => self.longs_mut(row).fill(bits),
        }
    }

    #[inline(always)]
    pub(crate) fn poison(&self, row: Row) -> LaneMask {
        self.poison[row.repr() as usize].get(row.number()).copied().unwrap_or_default()
    }

    #[inline(always)]
    pub(crate) fn set_poison(&mut self, row: Row, lanes: LaneMask) {
        if let Some(poison) = self.poison[row.repr() as usize].get_mut(row.number()) {
            *poison = lanes;
        }
    }

    /// Whether any lane, active or not, holds a number outside this range.
    #[inline]
    pub(crate) fn leaves(&self, row: Row, range: std::ops::RangeInclusive<u64>) -> bool {
        match row.repr() {
            Repr::Word => {
                let (start, end) = (*range.start() as u32, *range.end() as u32);
                self.words(row).iter().fold(false, |any, it| any | (*it < start) | (*it > end))
            }
            Repr::Bit | Repr::Long => true,
        }
    }

    /// Feeds the contents of the given lanes into a hash.
    pub(crate) fn hash_lanes(&self, own: RowCounts, lanes: LaneMask, hasher: &mut impl Hasher) {
        let own_bits = self.bits.iter().take(own.bits as usize);
        own_bits.for_each(|it| (*it & lanes).hash(hasher));
        let width = self.chunks * CHUNK;
        let lanes: Vec<usize> =
            lanes.iter().map(|it| it as usize).filter(|it| *it < width).collect();
        for row in self.words.as_flattened().chunks_exact(width).take(own.words as usize) {
            lanes.iter().for_each(|lane| row[*lane].hash(hasher));
        }
        for row in self.longs.as_flattened().chunks_exact(width).take(own.longs as usize) {
            lanes.iter().for_each(|lane| row[*lane].hash(hasher));
        }
    }

    /// Copies all lanes.
    #[inline]
    pub(crate) fn copy(&mut self, to: Row, from: Row) {
        let (start, end, n) = (to.number() * self.chunks, from.number() * self.chunks, self.chunks);
        match to.repr() {
            Repr::Bit => self.bits[to.number()] = self.bits[from.number()],
            Repr::Word => self.words.copy_within(end..end + n, start),
            Repr::Long => self.longs.copy_within(end..end + n, start),
        }
    }

    /// Copies the given lanes.
    #[inline]
    pub(crate) fn blend(&mut self, to: Row, from: Row, lanes: LaneMask) {
        match to.repr() {
            Repr::Bit => {
                let (old, new) = (self.bits(to), self.bits(from));
                self.bits[to.number()] = old & !lanes | new & lanes;
            }
            Repr::Word => blend(&mut self.words, self.chunks, to, from, lanes),
            Repr::Long => blend(&mut self.longs, self.chunks, to, from, lanes),
        }
    }

    #[inline(never)]
    pub(crate) fn unary(&mut self, op: Unary, ty: Ty, to: Row, a: Row) {
        scalar::unary(op, ty, Rows { registers: self, to, args: [a, a, a] });
    }

    #[inline(never)]
    pub(crate) fn binary(&mut self, op: Binary, ty: Ty, to: Row, a: Row, b: Row) {
        if ty == Ty::Bool {
            let (a, b) = (self.bits(a), self.bits(b));
            return self.set_bits(
                to,
                match op {
                    Binary::And => a & b,
                    Binary::Or => a | b,
                    Binary::Xor => a ^ b,
                    _ => unreachable!("the verifier rejects {op:?} on bool"),
                },
            );
        }
        scalar::binary(op, ty, Rows { registers: self, to, args: [a, b, b] });
    }

    #[inline(never)]
    pub(crate) fn compare(&mut self, op: Compare, ty: Ty, to: Row, a: Row, b: Row) {
        scalar::compare(op, ty, Rows { registers: self, to, args: [a, b, b] });
    }

    #[inline(never)]
    pub(crate) fn ternary(&mut self, op: Ternary, ty: Ty, to: Row, args: [Row; 3]) {
        if op == Ternary::Select && ty == Ty::Bool {
            let [which, a, b] = args.map(|row| self.bits(row));
            return self.set_bits(to, a & which | b & !which);
        }
        scalar::ternary(op, ty, Rows { registers: self, to, args });
    }
}

#[inline(always)]
fn blend<T: Copy>(rows: &mut [Chunk<T>], chunks: usize, to: Row, from: Row, lanes: LaneMask) {
    let bytes = lanes.0.to_le_bytes();
    let cells = Cell::from_mut(rows).as_slice_of_cells();
    let to = &cells[to.number() * chunks..][..chunks];
    let from = &cells[from.number() * chunks..][..chunks];
    for ((to, from), set) in to.iter().zip(from).zip(bytes) {
        let (old, new) = (to.get(), from.get());
        to.set(std::array::from_fn(|i| if set >> i & 1 == 1 { new[i] } else { old[i] }));
    }
}

/// Applies the definition of an operation to rows.
struct Rows<'a> {
    registers: &'a mut Registers,
    to: Row,
    args: [Row; 3],
}

/// The operands of an operation in one arena, as cells, because the result may be one of the operands.
struct Cells<'a> {
    chunks: usize,
    bits: &'a [Cell<LaneMask>],
    words: &'a [Cell<Chunk<u32>>],
    longs: &'a [Cell<Chunk<u64>>],
}

/// One operand.
#[derive(Clone, Copy)]
struct Operand<'a> {
    bits: [u8; 16],
    words: &'a [Cell<Chunk<u32>>],
    longs: &'a [Cell<Chunk<u64>>],
}

/// The result.
struct Output<'a> {
    bits: [u8; 16],
    words: &'a [Cell<Chunk<u32>>],
    longs: &'a [Cell<Chunk<u64>>],
}

impl<'a> Cells<'a> {
    #[inline(always)]
    fn new(registers: &'a mut Registers) -> Cells<'a> {
        Cells {
            chunks: registers.chunks,
            bits: Cell::from_mut(registers.bits.as_mut_slice()).as_slice_of_cells(),
            words: Cell::from_mut(registers.words.as_mut_slice()).as_slice_of_cells(),
            longs: Cell::from_mut(registers.longs.as_mut_slice()).as_slice_of_cells(),
        }
    }

    #[inline(always)]
    fn operand<T: Lane>(&self, row: Row) -> Operand<'a> {
        let range = row.number() * self.chunks..(row.number() + 1) * self.chunks;
        let (mut bits, mut words, mut longs): (_, &[_], &[_]) = ([0; 16], &[], &[]);
        match repr::<T>() {
            Repr::Bit => bits = self.bits[row.number()].get().0.to_le_bytes(),
            Repr::Word => words = &self.words[range],
            Repr::Long => longs = &self.longs[range],
        }
        Operand { bits, words, longs }
    }

    #[inline(always)]
    fn output<T: Lane>(&self, row: Row) -> Output<'a> {
        let Operand { words, longs, .. } = self.operand::<T>(row);
        Output { bits: [0; 16], words, longs }
    }
}

#[inline(always)]
fn repr<T: Lane>() -> Repr {
    <T::Held as Held>::REPR
}

impl Operand<'_> {
    #[inline(always)]
    fn load<T: Lane>(&self, chunk: usize) -> Chunk<T::Held> {
        let from_bits = <T::Held as Held>::from_bits;
        match repr::<T>() {
            Repr::Bit => {
                let byte = self.bits[chunk];
                std::array::from_fn(|i| from_bits(u64::from(byte >> i & 1)))
            }
            Repr::Word => self.words[chunk].get().map(|it| from_bits(u64::from(it))),
            Repr::Long => self.longs[chunk].get().map(from_bits),
        }
    }
}

impl Output<'_> {
    #[inline(always)]
    fn store<T: Lane>(&mut self, chunk: usize, values: Chunk<T::Held>) {
        let bits = values.map(<T::Held as Held>::to_bits);
        match repr::<T>() {
            Repr::Bit => {
                self.bits[chunk] = (0..CHUNK).fold(0, |byte, i| byte | (bits[i] as u8) << i)
            }
            Repr::Word => self.words[chunk].set(bits.map(|it| it as u32)),
            Repr::Long => self.longs[chunk].set(bits),
        }
    }

    #[inline(always)]
    fn finish<T: Lane>(self, cells: &Cells<'_>, row: Row) {
        if repr::<T>() == Repr::Bit {
            cells.bits[row.number()].set(LaneMask(u128::from_le_bytes(self.bits)));
        }
    }
}

impl Apply for Rows<'_> {
    type Out = ();

    #[inline(always)]
    fn map1<A: Lane, R: Lane>(self, f: impl Fn(A) -> R) {
        let cells = Cells::new(self.registers);
        let a = cells.operand::<A>(self.args[0]);
        let mut out = cells.output::<R>(self.to);
        for chunk in 0..cells.chunks {
            let a = a.load::<A>(chunk);
            out.store::<R>(chunk, std::array::from_fn(|i| f(A::of(a[i])).hold()));
        }
        out.finish::<R>(&cells, self.to);
    }

    #[inline(always)]
    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) {
        let cells = Cells::new(self.registers);
        let (a, b) = (cells.operand::<A>(self.args[0]), cells.operand::<B>(self.args[1]));
        let mut out = cells.output::<R>(self.to);
        for chunk in 0..cells.chunks {
            let (a, b) = (a.load::<A>(chunk), b.load::<B>(chunk));
            out.store::<R>(chunk, std::array::from_fn(|i| f(A::of(a[i]), B::of(b[i])).hold()));
        }
        out.finish::<R>(&cells, self.to);
    }

    #[inline(always)]
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, f: impl Fn(A, B, C) -> R) {
        let cells = Cells::new(self.registers);
        let a = cells.operand::<A>(self.args[0]);
        let b = cells.operand::<B>(self.args[1]);
        let c = cells.operand::<C>(self.args[2]);
        let mut out = cells.output::<R>(self.to);
        for chunk in 0..cells.chunks {
            let (a, b, c) = (a.load::<A>(chunk), b.load::<B>(chunk), c.load::<C>(chunk));
            out.store::<R>(
                chunk,
                std::array::from_fn(|i| f(A::of(a[i]), B::of(b[i]), C::of(c[i])).hold()),
            );
        }
        out.finish::<R>(&cells, self.to);
    }

    #[inline(always)]
    fn through_f32(self, is_half: bool, f: impl Fn(f32) -> f32) {
        let cells = Cells::new(self.registers);
        let a = cells.operand::<u32>(self.args[0]);
        let mut out = cells.output::<u32>(self.to);
        for chunk in 0..cells.chunks {
            let a = a.load::<u32>(chunk);
            let a = if is_half { widened(a) } else { a.map(f32::from_bits) };
            let result: Chunk<f32> = std::array::from_fn(|i| f(a[i]));
            let bits = if is_half { narrowed(result) } else { result.map(f32::to_bits) };
            out.store::<u32>(chunk, bits);
        }
    }
}

/// A chunk of halves as `f32`.
#[inline(never)]
fn widened(halves: Chunk<u32>) -> Chunk<f32> {
    halves.map(|it| F16::of(it).to_f32())
}

/// A chunk rounded to halves.
#[inline(never)]
fn narrowed(values: Chunk<f32>) -> Chunk<u32> {
    values.map(|it| F16::from_f32(it).hold())
}
