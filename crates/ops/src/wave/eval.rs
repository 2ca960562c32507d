//! The executable meaning of each wave operation.

use super::{Fold, QuadDirection, Relation, Wave, WaveOp};
use crate::scalar::{self, Apply};
use crate::ty::{Held, Lane};
use crate::{LaneMask, Ty};

/// One operand: a value for each lane. Only the values of participants are read.
#[derive(Clone, Copy, Debug)]
pub enum Lanes<'a> {
    Bits(LaneMask),
    Words(&'a [u32]),
    Longs(&'a [u64]),
}

/// One result: a value for each lane. Every lane up to the width is written.
#[derive(Debug)]
pub enum LanesMut<'a> {
    Bits(&'a mut LaneMask),
    Words(&'a mut [u32]),
    Longs(&'a mut [u64]),
}

impl<'a> Lanes<'a> {
    /// The bits of one lane's value.
    pub fn get(self, lane: u32) -> u64 {
        match self {
            Lanes::Bits(set) => u64::from(set.contains(lane)),
            Lanes::Words(words) => u64::from(words[lane as usize]),
            Lanes::Longs(longs) => longs[lane as usize],
        }
    }

    fn bits(self) -> LaneMask {
        match self {
            Lanes::Bits(set) => set,
            Lanes::Words(_) | Lanes::Longs(_) => {
                unreachable!("the verifier has checked that this operand is a bool")
            }
        }
    }

    fn words(self) -> &'a [u32] {
        match self {
            Lanes::Words(words) => words,
            Lanes::Bits(_) | Lanes::Longs(_) => {
                unreachable!("the verifier has checked that this operand is a word")
            }
        }
    }
}

impl LanesMut<'_> {
    pub(super) fn set(&mut self, lane: u32, bits: u64) {
        match self {
            LanesMut::Bits(set) => **set = set.with(lane, bits & 1 == 1),
            LanesMut::Words(words) => words[lane as usize] = bits as u32,
            LanesMut::Longs(longs) => longs[lane as usize] = bits,
        }
    }

    /// Broadcasts a value to every lane of the wave.
    fn fill(&mut self, wave: &Wave, bits: u64) {
        let n = wave.width as usize;
        match self {
            LanesMut::Bits(set) => {
                **set = if bits & 1 == 1 { LaneMask::first_n(wave.width) } else { LaneMask::EMPTY }
            }
            LanesMut::Words(words) => words[..n].fill(bits as u32),
            LanesMut::Longs(longs) => longs[..n].fill(bits),
        }
    }

    fn each(&mut self, wave: &Wave, value: impl Fn(u32) -> u64) {
        for lane in 0..wave.width {
            self.set(lane, value(lane));
        }
    }
}

/// Computes the results of an operation whose values are of type `ty`.
///
/// Where the language leaves a result undefined, the value is the fixed one of `docs/semantics.md`.
/// Lanes that do not participate receive what they would observe.
pub fn eval(op: WaveOp, ty: Ty, wave: &Wave, args: &[Lanes<'_>], out: &mut [LanesMut<'_>]) {
    let on = wave.participants();
    match op {
        WaveOp::LaneIndex => out[0].each(wave, u64::from),
        WaveOp::LaneCount => out[0].fill(wave, u64::from(wave.width)),
        WaveOp::IsFirstLane => out[0].each(wave, |lane| u64::from(on.first() == Some(lane))),
        WaveOp::IsHelperLane => out[0].each(wave, |lane| u64::from(wave.helpers.contains(lane))),
        WaveOp::GroupWaveIndex => out[0].fill(wave, u64::from(wave.index_in_group)),
        WaveOp::GroupWaveCount => out[0].fill(wave, u64::from(wave.waves_in_group)),
        WaveOp::LaneRelation(relation) => {
            each_set(wave, out, |lane| related(relation, lane, wave.width))
        }
        WaveOp::ActiveLanes | WaveOp::ConvergedLanes => each_set(wave, out, |_| on),
        WaveOp::AnyTrue => out[0].fill(wave, u64::from(!(args[0].bits() & on).is_empty())),
        WaveOp::AllTrue => out[0].fill(wave, u64::from((!args[0].bits() & on).is_empty())),
        WaveOp::Ballot => each_set(wave, out, |_| args[0].bits() & on),
        WaveOp::CountBits => out[0].fill(wave, u64::from((args[0].bits() & on).count())),
        WaveOp::PrefixCountBits => {
            let set = args[0].bits() & on;
            out[0].each(wave, |lane| u64::from((set & LaneMask::below(lane)).count()));
        }
        WaveOp::ReadLaneFirst => {
            out[0].fill(wave, on.first().map_or(0, |first| args[0].get(first)))
        }
        WaveOp::ReadLaneAt => {
            let index = args[1].words();
            out[0].each(wave, |lane| read(args[0], index[lane as usize], on));
        }
        WaveOp::Rotate => {
            let distance = args[1].words();
            out[0].each(wave, |lane| {
                read(args[0], rotated(lane, distance[lane as usize], wave.width), on)
            });
        }
        WaveOp::ClusteredRotate => {
            let (distance, cluster) = (args[1].words(), args[2].words());
            out[0].each(wave, |lane| {
                let cluster = cluster[lane as usize].clamp(1, wave.width);
                read(args[0], rotated(lane, distance[lane as usize], cluster), on)
            });
        }
        WaveOp::AllEqual => out[0].fill(wave, u64::from(all_equal(args[0], ty, on))),
        WaveOp::Reduce(fold) => {
            let total = scalar::binary(
                fold.binary(),
                ty,
                Tree { fold, ty, values: args[0], on, width: wave.width },
            );
            out[0].fill(wave, total);
        }
        WaveOp::Scan(fold) => {
            let scan = Scan { fold, ty, values: args[0], on, width: wave.width, out: &mut out[0] };
            scalar::binary(fold.binary(), ty, scan);
        }
        WaveOp::Match => each_set(wave, out, |lane| {
            on.iter().filter(|other| args.iter().all(|it| it.get(*other) == it.get(lane))).collect()
        }),
        WaveOp::MultiPrefixCountBits => {
            let set = args[0].bits();
            let group = |lane| partition(&args[1..], lane) & on;
            out[0]
                .each(wave, |lane| u64::from((set & group(lane) & LaneMask::below(lane)).count()));
        }
        WaveOp::MultiReduce(fold) => multi(fold, ty, wave, args, &mut out[0], |_, group| group),
        WaveOp::MultiScan(fold) => {
            multi(fold, ty, wave, args, &mut out[0], |lane, group| group & LaneMask::below(lane))
        }
        WaveOp::MultiScanInclusive(fold) => {
            multi(fold, ty, wave, args, &mut out[0], |lane, group| {
                group & LaneMask::below(lane + 1)
            });
        }
        WaveOp::QuadRead(direction) => {
            let across = match direction {
                QuadDirection::X => 1,
                QuadDirection::Y => 2,
                QuadDirection::Diagonal => 3,
            };
            out[0].each(wave, |lane| quad_read(args[0], lane, lane ^ across, wave.active));
        }
        WaveOp::QuadReadLaneAt => {
            let index = args[1].words();
            out[0].each(wave, |lane| {
                quad_read(args[0], lane, lane & !3 | index[lane as usize] & 3, wave.active)
            });
        }
        WaveOp::QuadAny => {
            let set = args[0].bits() & wave.active;
            out[0].each(wave, |lane| u64::from(!(set & quad(lane)).is_empty()));
        }
        WaveOp::QuadAll => {
            let missing = !args[0].bits() & wave.active;
            out[0].each(wave, |lane| u64::from((missing & quad(lane)).is_empty()));
        }
    }
}

/// Writes a set of lanes for each lane, as four words.
fn each_set(wave: &Wave, out: &mut [LanesMut<'_>], set: impl Fn(u32) -> LaneMask) {
    for lane in 0..wave.width {
        for (place, word) in out.iter_mut().zip(set(lane).words()) {
            place.set(lane, u64::from(word));
        }
    }
}

fn related(relation: Relation, lane: u32, width: u32) -> LaneMask {
    let all = LaneMask::first_n(width);
    all & match relation {
        Relation::Equal => LaneMask::only(lane),
        Relation::Less => LaneMask::below(lane),
        Relation::LessEqual => LaneMask::below(lane + 1),
        Relation::Greater => !LaneMask::below(lane + 1),
        Relation::GreaterEqual => !LaneMask::below(lane),
    }
}

/// The lane `distance` above, modulo the aligned cluster of `size` lanes.
pub(super) fn rotated(lane: u32, distance: u32, size: u32) -> u32 {
    let start = lane - lane % size;
    start + (u64::from(lane - start) + u64::from(distance)).rem_euclid(u64::from(size)) as u32
}

/// The lanes of the quad that a lane belongs to.
pub(super) fn quad(lane: u32) -> LaneMask {
    LaneMask(0xf << (lane & !3))
}

/// The lanes in a lane's partition mask.
pub(super) fn partition(words: &[Lanes<'_>], lane: u32) -> LaneMask {
    LaneMask::from_words(std::array::from_fn(|i| words[i].get(lane) as u32))
}

/// Spec: reading a lane that does not participate is undefined; here it gives 0, never a stale value.
fn read(values: Lanes<'_>, source: u32, on: LaneMask) -> u64 {
    if on.contains(source) { values.get(source) } else { 0 }
}

/// Spec: reading an inactive lane of the quad is undefined; here it gives the lane's own value.
fn quad_read(values: Lanes<'_>, lane: u32, source: u32, active: LaneMask) -> u64 {
    values.get(if active.contains(source) { source } else { lane })
}

/// Spec: IEEE comparison of floats, so that a NaN is not even equal to itself and both zeros are equal.
fn all_equal(values: Lanes<'_>, ty: Ty, on: LaneMask) -> bool {
    let Some(first) = on.first() else { return true };
    let first = values.get(first);
    on.iter().all(|lane| scalar::eval_compare(crate::Compare::Eq, ty, values.get(lane), first))
}

/// For each lane, folds those participants of its group that `select` names, in ascending order.
fn multi(
    fold: Fold,
    ty: Ty,
    wave: &Wave,
    args: &[Lanes<'_>],
    out: &mut LanesMut<'_>,
    select: impl Fn(u32, LaneMask) -> LaneMask,
) {
    let all = LaneMask::first_n(wave.width);
    let on = wave.participants() & all;
    let mut groups = [LaneMask::EMPTY; 128];
    for lane in 0..wave.width {
        groups[lane as usize] = select(lane, partition(&args[1..], lane) & on);
    }
    let groups = &groups[..wave.width as usize];
    scalar::binary(fold.binary(), ty, Multi { fold, ty, values: args[0], groups, out });
}

/// The canonical reduction, a tree: halves are added to each other until one lane is left.
struct Tree<'a> {
    fold: Fold,
    ty: Ty,
    values: Lanes<'a>,
    on: LaneMask,
    width: u32,
}

/// The canonical scan, Hillis–Steele: every lane adds the one at a distance of 1, 2, 4 … below it, all lanes at
/// once.
struct Scan<'a, 'b> {
    fold: Fold,
    ty: Ty,
    values: Lanes<'a>,
    on: LaneMask,
    width: u32,
    out: &'a mut LanesMut<'b>,
}

/// A fold for each lane, over a separate set of lanes.
struct Multi<'a, 'b> {
    fold: Fold,
    ty: Ty,
    values: Lanes<'a>,
    /// For each lane those that it folds.
    groups: &'a [LaneMask],
    out: &'a mut LanesMut<'b>,
}

/// A row with the participants' values, and the neutral value elsewhere.
///
/// No neutral value of min and max leaves NaN alone: the value of the lowest participant takes its place there,
/// which is the same as leaving those lanes out, as min and max of a value with itself is that value.
fn row<T: Lane>(fold: Fold, ty: Ty, values: Lanes<'_>, on: LaneMask, width: u32) -> [T::Held; 128] {
    let neutral = match fold {
        Fold::Min(_) | Fold::Max(_) => {
            on.first().map_or(fold.identity(ty), |first| values.get(first))
        }
        Fold::Sum | Fold::Product | Fold::And | Fold::Or | Fold::Xor => fold.neutral(ty),
    };
    let mut row = [T::Held::from_bits(neutral); 128];
    for lane in (on & LaneMask::first_n(width)).iter() {
        row[lane as usize] = T::Held::from_bits(values.get(lane));
    }
    row
}

/// The operand and the result of a fold have the same type, which the two type parameters of a definition cannot
/// express.
fn same<A: Lane, B: Lane>(held: A::Held) -> B::Held {
    B::Held::from_bits(held.to_bits())
}

impl Apply for Tree<'_> {
    type Out = u64;
    const ONLY_FOLDS: bool = true;

    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) -> u64 {
        let mut x = row::<A>(self.fold, self.ty, self.values, self.on, self.width);
        let mut d = self.width as usize / 2;
        while d > 0 {
            for i in 0..d {
                x[i] = same::<R, A>(f(A::of(x[i]), B::of(same::<A, B>(x[i + d]))).hold());
            }
            d /= 2;
        }
        x[0].to_bits()
    }

    fn map1<A: Lane, R: Lane>(self, _: impl Fn(A) -> R) -> u64 {
        unreachable!("a fold is a binary operation")
    }
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, _: impl Fn(A, B, C) -> R) -> u64 {
        unreachable!("a fold is a binary operation")
    }
}

impl Apply for Scan<'_, '_> {
    type Out = ();
    const ONLY_FOLDS: bool = true;

    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) {
        let combine =
            |a: A::Held, b: A::Held| same::<R, A>(f(A::of(a), B::of(same::<A, B>(b))).hold());
        let width = self.width as usize;
        let first = self.on.first().unwrap_or(0);
        let mut x = row::<A>(self.fold, self.ty, self.values, self.on, self.width);
        let extreme = matches!(self.fold, Fold::Min(_) | Fold::Max(_));
        let mut d = 1;
        while d < width {
            for i in (d..width).rev() {
                x[i] = combine(x[i - d], x[i]);
            }
            d *= 2;
        }
        for lane in 0..self.width {
            let bits = if lane <= first {
                self.fold.identity(self.ty)
            } else {
                let below = x[lane as usize - 1];
                // NaN canonicalisation: the lowest lane has not been added to anything yet, and this step changes
                // nothing else.
                let idle =
                    if extreme { below } else { A::Held::from_bits(self.fold.neutral(self.ty)) };
                combine(below, idle).to_bits()
            };
            self.out.set(lane, bits);
        }
    }

    fn map1<A: Lane, R: Lane>(self, _: impl Fn(A) -> R) {
        unreachable!("a fold is a binary operation")
    }
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, _: impl Fn(A, B, C) -> R) {
        unreachable!("a fold is a binary operation")
    }
}

impl Apply for Multi<'_, '_> {
    type Out = ();
    const ONLY_FOLDS: bool = true;

    fn map2<A: Lane, B: Lane, R: Lane>(self, f: impl Fn(A, B) -> R) {
        let combine =
            |a: A::Held, b: A::Held| same::<R, A>(f(A::of(a), B::of(same::<A, B>(b))).hold());
        let value = |lane: u32| A::Held::from_bits(self.values.get(lane));
        for (lane, group) in (0..).zip(self.groups) {
            let bits = match group.first() {
                None => self.fold.identity(self.ty),
                Some(first) => {
                    let start = match self.fold {
                        Fold::Min(_) | Fold::Max(_) => value(first),
                        Fold::Sum | Fold::Product | Fold::And | Fold::Or | Fold::Xor => {
                            A::Held::from_bits(self.fold.neutral(self.ty))
                        }
                    };
                    group.iter().fold(start, |sum, other| combine(sum, value(other))).to_bits()
                }
            };
            self.out.set(lane, bits);
        }
    }

    fn map1<A: Lane, R: Lane>(self, _: impl Fn(A) -> R) {
        unreachable!("a fold is a binary operation")
    }
    fn map3<A: Lane, B: Lane, C: Lane, R: Lane>(self, _: impl Fn(A, B, C) -> R) {
        unreachable!("a fold is a binary operation")
    }
}
