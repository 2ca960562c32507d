//! Lane patterns: the differences between the lanes' indices, where they are known at compile time.
//!
//! The shape analysis knows values that are affine in the lane. Tiles have indices such as `t % 16` and
//! `t / 16 * 16 + k`, which are not; but each chunk of a wave accesses neighbours, or one element, where the first lane
//! of a wave has a number that is a multiple of the tile's width. Here a word is written as a base, which is a multiple
//! of a power of two, plus an offset for each lane. Offsets below that power share no bit with the base, so that shifts
//! and masks apply to both separately.
//!
//! A pattern holds for all lanes of a wave, active or not: it is derived from homes that hold one value for all lanes,
//! or an affine one, by operations that all lanes compute. Everything else has none.

use iced_x86::Code::*;
use ir::{Builtin, Op, Value};
use ops::{Binary, Sign, Ty};

use super::{Home, Selector};
use crate::machine::*;

/// The most operations to follow.
const MOST_DEPTH: u32 = 8;
/// Elements this far apart are addressed by displacements.
const MOST_APART: i32 = 1 << 24;

struct Pattern {
    /// What lanes add to the base.
    offsets: Vec<u32>,
    /// The base is a multiple of this power of two; 32 if it is zero.
    aligned: u32,
}

/// How the lanes of a chunk access memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// Lane L accesses the element L behind the first.
    Neighbours,
    /// All access the same.
    Same,
}

/// For each chunk of a wave, its first element relative to a register, and its access pattern.
pub(super) struct Runs {
    pub(super) base: VReg,
    pub(super) chunks: Vec<(i32, Run)>,
}

impl Selector<'_> {
    /// How each chunk accesses memory by such an index, if each accesses neighbours or one element.
    pub(super) fn runs(&mut self, index: Value) -> Option<Runs> {
        if let Home::Shifted { base, table } = self.home(index).clone() {
            let chunks = self.table_runs(&table)?.into_iter();
            let chunks = chunks.map(|(first, run)| (first as i32, run));
            let chunks: Vec<(i32, Run)> = chunks.collect();
            let is_near = chunks.iter().all(|it| (-MOST_APART..MOST_APART).contains(&it.0));
            return is_near.then(|| Runs { base: self.sign_extended(base), chunks });
        }
        let is_known = match self.home(index) {
            Home::Words(_) => false,
            Home::Table(_) => true,
            _ => return None,
        };
        let pattern = self.pattern(index, MOST_DEPTH)?;
        let (value, added) = if is_known { (index, 0) } else { self.without_constant(index) };
        let lanes = self.lanes.min(self.width as usize);
        let first = if is_known { 0 } else { pattern.offsets[0] };
        let chunk = |own: &[u32]| {
            let apart = own[0].wrapping_sub(first).wrapping_add(added) as i32;
            let is = |step: u32| {
                let mut all = own.iter().zip(0..);
                all.all(|(it, lane)| it.wrapping_sub(own[0]) == lane * step)
            };
            let run = if is(1) {
                Run::Neighbours
            } else if is(0) {
                Run::Same
            } else {
                return None;
            };
            (-MOST_APART..MOST_APART).contains(&apart).then_some((apart, run))
        };
        let chunks: Option<Vec<(i32, Run)>> = pattern.offsets.chunks(lanes).map(chunk).collect();
        let chunks = chunks?;
        let base = if is_known {
            self.a.word(0)
        } else {
            let words = self.words(value);
            self.a.lowest(words[0], false)
        };
        Some(Runs { base: self.sign_extended(base), chunks })
    }

    /// How the words of each chunk continue, and from which.
    pub(super) fn table_runs(&self, table: &[u64]) -> Option<Vec<(u32, Run)>> {
        let lanes = self.lanes.min(self.width as usize);
        let run = |own: &[u64]| {
            let first = own[0] as u32;
            let is = |step: u32| {
                let mut all = own.iter().zip(0u32..);
                all.all(|(it, lane)| (*it as u32).wrapping_sub(first) == lane * step)
            };
            match (is(1), is(0)) {
                (true, _) => Some((first, Run::Neighbours)),
                (_, true) => Some((first, Run::Same)),
                _ => None,
            }
        };
        table[..self.width as usize].chunks(lanes).map(run).collect()
    }

    /// Arithmetic on numbers that differ by constants between lanes: one addition for all lanes, where a group's waves
    /// have constant indices.
    pub(super) fn shifted_home(&mut self, op: Binary, a: Value, b: Value) -> Option<Home> {
        self.group.as_ref()?;
        let is_table = |s: &Self, it| matches!(s.home(it), Home::Table(_) | Home::Shifted { .. });
        if !is_table(self, a) && !is_table(self, b) {
            return None;
        }
        let [(x, left), (y, right)] = [self.shifted_parts(a)?, self.shifted_parts(b)?];
        let by = self.constant(b).or(self.constant(a)).map(|it| it as u32);
        let lanes = left.iter().zip(&right);
        let register = |it: VReg| Source::Register(View::R32, it);
        let (base, table): (VReg, Vec<u32>) = match op {
            Binary::Add => {
                let base = match (x, y) {
                    (Some(x), Some(y)) => self.a.general(Add_r32_rm32, View::R32, x, register(y)),
                    (x, y) => x.or(y)?,
                };
                (base, lanes.map(|(x, y)| x.wrapping_add(*y)).collect())
            }
            Binary::Sub => {
                let base = match (x, y) {
                    (Some(x), Some(y)) => self.a.general(Sub_r32_rm32, View::R32, x, register(y)),
                    (Some(x), None) => x,
                    (None, y) => self.a.general1(Neg_rm32, y?),
                };
                (base, lanes.map(|(x, y)| x.wrapping_sub(*y)).collect())
            }
            Binary::Mul => {
                let by = by?;
                (self.times(x.or(y)?, by), lanes.map(|(x, y)| x.wrapping_mul(*y)).collect())
            }
            Binary::Shl if self.constant(b).is_some() => {
                let count = by? & 31;
                (self.times(x?, 1 << count), left.iter().map(|it| it << count).collect())
            }
            _ => return None,
        };
        let table = table.into_iter().map(u64::from).collect();
        Some(Home::Shifted { base, table: std::rc::Rc::new(table) })
    }

    /// A base, unless it is zero, and what lanes add to it.
    fn shifted_parts(&self, value: Value) -> Option<(Option<VReg>, Vec<u32>)> {
        let lanes = self.layout.lanes;
        let words = |table: &[u64]| table.iter().map(|it| *it as u32).collect::<Vec<u32>>();
        Some(match self.home(value) {
            Home::Constant(bits) => (None, vec![*bits as u32; lanes]),
            Home::General(register) => (Some(*register), vec![0; lanes]),
            Home::Table(table) => (None, words(table)),
            Home::Shifted { base, table } => (Some(*base), words(table)),
            Home::Affine { base, stride } => {
                let all = 0..lanes as u32;
                (Some(*base), all.map(|it| it.wrapping_mul(*stride as u32)).collect())
            }
            Home::Splat(_) | Home::Words(_) | Home::Longs(_) | Home::Bits(_) => return None,
        })
    }

    /// A value that differs from the index by a constant, so that indices that differ by constants have one base.
    fn without_constant(&self, index: Value) -> (Value, u32) {
        if let Some(inst) = self.module.made_by(index)
            && let Op::Binary(Binary::Add, a, b) = self.module.inst(inst).op
        {
            for (value, constant) in [(a, b), (b, a)] {
                if let (Some(bits), Home::Words(_)) = (self.constant(constant), self.home(value))
                    && (-MOST_APART..MOST_APART).contains(&(bits as i32))
                {
                    return (value, bits as u32);
                }
            }
        }
        (index, 0)
    }

    fn pattern(&self, value: Value, depth: u32) -> Option<Pattern> {
        if self.ty(value) != Ty::I32 {
            return None;
        }
        let width = self.width as usize;
        let uniform = |aligned: u32| Some(Pattern { offsets: vec![0; width], aligned });
        match self.homes[value.index()].as_ref()? {
            Home::Constant(bits) => return uniform((*bits as u32).trailing_zeros()),
            Home::Table(table) => {
                let offsets = table[..width].iter().map(|it| *it as u32).collect();
                return Some(Pattern { offsets, aligned: 32 });
            }
            Home::General(_) => return uniform(self.alignment(value, depth)),
            Home::Affine { stride, .. } => {
                let lanes = 0..self.width;
                let offsets = lanes.map(|lane| lane.wrapping_mul(*stride as u32)).collect();
                return Some(Pattern { offsets, aligned: self.alignment(value, depth) });
            }
            Home::Words(_) | Home::Shifted { .. } => {}
            Home::Splat(_) | Home::Longs(_) | Home::Bits(_) => return None,
        }
        let inst = self.module.made_by(value)?;
        let Op::Binary(op, a, b) = self.module.inst(inst).op else { return None };
        let depth = depth.checked_sub(1)?;
        let left = self.pattern(a, depth)?;
        if matches!(op, Binary::Add | Binary::Sub) {
            let right = self.pattern(b, depth)?;
            let both = left.offsets.iter().zip(&right.offsets);
            let offsets = both.map(|(a, b)| match op {
                Binary::Add => a.wrapping_add(*b),
                _ => a.wrapping_sub(*b),
            });
            let aligned = left.aligned.min(right.aligned);
            return Some(Pattern { offsets: offsets.collect(), aligned });
        }
        let commutes = matches!(op, Binary::Mul | Binary::And | Binary::Or | Binary::Xor);
        match (self.constant(a), self.constant(b)) {
            (_, Some(by)) => left.changed(op, by as u32),
            (Some(by), None) if commutes => self.pattern(b, depth)?.changed(op, by as u32),
            _ => None,
        }
    }

    /// The power of two of which the base of a value is a multiple.
    fn alignment(&self, value: Value, depth: u32) -> u32 {
        if let Some(bits) = self.constant(value) {
            return (bits as u32).trailing_zeros();
        }
        let Some(inst) = self.module.made_by(value) else { return 0 };
        let Some(depth) = depth.checked_sub(1) else { return 0 };
        let of = |it: Value| self.alignment(it, depth);
        let wave = self.width.trailing_zeros();
        let [_, y, z] = self.module.group_size;
        let is_row = y == 1 && z == 1;
        match self.module.inst(inst).op {
            // The first lane of a wave is thread wave * width of its group.
            Op::Builtin(Builtin::GroupIndex) => wave,
            Op::Builtin(Builtin::GroupThreadId(0)) if is_row => wave,
            Op::Builtin(Builtin::DispatchThreadId(0)) if is_row => {
                self.module.group_size[0].trailing_zeros().min(wave)
            }
            Op::Binary(Binary::Add | Binary::Sub, a, b) => of(a).min(of(b)),
            Op::Binary(Binary::Mul, a, b) => (of(a) + of(b)).min(32),
            Op::Binary(Binary::Shl, a, b) => match self.constant(b) {
                Some(count) => (of(a) + (count as u32 & 31)).min(32),
                None => 0,
            },
            _ => 0,
        }
    }
}

impl Pattern {
    /// The bits that the base never has.
    fn low(&self) -> u32 {
        u32::MAX.checked_shr(32 - self.aligned.min(32)).unwrap_or(0)
    }

    /// The pattern after an operation with a constant.
    fn changed(self, op: Binary, by: u32) -> Option<Pattern> {
        let (low, aligned) = (self.low(), self.aligned);
        // Whether the base and the offsets share no bit.
        let is_apart = self.offsets.iter().all(|it| it & !low == 0);
        let of = |aligned: u32, change: &dyn Fn(u32) -> u32| {
            Some(Pattern { offsets: self.offsets.iter().map(|it| change(*it)).collect(), aligned })
        };
        let shift = match op {
            Binary::Shr(Sign::Unsigned) => Some(by & 31),
            Binary::Div(Sign::Unsigned) if by.is_power_of_two() => Some(by.trailing_zeros()),
            _ => None,
        };
        match op {
            Binary::Mul => of((aligned + by.trailing_zeros()).min(32), &|it| it.wrapping_mul(by)),
            Binary::Shl => of((aligned + (by & 31)).min(32), &|it| it << (by & 31)),
            _ if !is_apart => None,
            _ if let Some(count) = shift => {
                let aligned = if aligned == 32 { 32 } else { aligned.saturating_sub(count) };
                of(aligned, &|it| it >> count)
            }
            Binary::And => of(aligned, &|it| it & by),
            Binary::Rem(Sign::Unsigned) if by.is_power_of_two() => of(aligned, &|it| it & (by - 1)),
            Binary::Or => of(aligned, &|it| it | by & low),
            Binary::Xor => of(aligned, &|it| it ^ by & low),
            _ => None,
        }
    }
}
