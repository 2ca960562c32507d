//! The expected results of a cell, computed by loops over the lanes from the name of the function.
//!
//! Shares nothing with `ops::wave`: neither its operations nor its orders. The data is such that orders do not matter.

use std::ops::Range;

use ops::F16;
use ops::intrinsics::{Meaning, Output};

use super::data::{Data, Thread};
use super::source::{CLUSTER_SIZE, CONSTANT_LANE};
use super::{Cell, Shape, THREADS};
use generate::Kind;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// A lane and its wave.
struct Lane<'a> {
    cell: &'a Cell,
    width: usize,
    wave: usize,
    lane: usize,
    /// The live lanes of the wave.
    threads: &'a [Thread],
    /// The participating lanes, ascending.
    on: Vec<usize>,
}

/// What each participating thread writes.
pub fn results(cell: &Cell, width: u32, data: &Data) -> Vec<Option<Vec<u64>>> {
    let width = width as usize;
    let mut all = Vec::with_capacity(data.threads.len());
    for group in data.threads.chunks(THREADS) {
        for (wave, threads) in group.chunks(width).enumerate() {
            for (lane, thread) in threads.iter().enumerate() {
                let mut on: Vec<usize> =
                    (0..threads.len()).filter(|it| threads[*it].takes_part).collect();
                if cell.row.is_masked() {
                    on.retain(|it| thread.lanes >> it & 1 == 1);
                }
                let seen = Lane { cell, width, wave, lane, threads, on };
                let results =
                    || cell.shapes.iter().flat_map(|shape| seen.results(*shape)).collect();
                all.push(thread.takes_part.then(results));
            }
        }
    }
    all
}

impl Lane<'_> {
    fn me(&self) -> &Thread {
        &self.threads[self.lane]
    }

    /// The participating lanes in this lane's part of the wave.
    fn part(&self) -> Vec<usize> {
        self.on.iter().copied().filter(|it| self.me().lanes >> it & 1 == 1).collect()
    }

    fn below(&self, lanes: &[usize]) -> Vec<usize> {
        lanes.iter().copied().filter(|it| *it < self.lane).collect()
    }

    fn up_to(&self, lanes: &[usize]) -> Vec<usize> {
        lanes.iter().copied().filter(|it| *it <= self.lane).collect()
    }

    fn results(&self, shape: Shape) -> Vec<u64> {
        let components = shape.first..shape.first + shape.components();
        let name = self.cell.row.name;
        if matches!(self.cell.row.meaning, Meaning::Barrier(_)) {
            // The value that the other lane has written, if it participates.
            let other = &self.threads[self.me().index as usize - self.wave * self.width];
            return vec![if other.takes_part { other.values[0] } else { 0 }];
        }
        if let Some(set) = self.set(name, components.clone()) {
            let words = (0..4).map(|i| u64::from((set >> (32 * i)) as u32));
            return words
                .take(if self.cell.row.result == Output::WaveMask { 1 } else { 4 })
                .collect();
        }
        if let Some(value) = self.word(name) {
            return vec![value];
        }
        if name.ends_with("AllEqual") {
            let each: Vec<bool> = components.map(|it| self.all_equal(it)).collect();
            return match self.cell.row.result {
                Output::Bool => vec![u64::from(!each.contains(&false))],
                _ => each.into_iter().map(u64::from).collect(),
            };
        }
        components.map(|it| self.value(name, it)).collect()
    }

    /// For functions that return a set of lanes.
    fn set(&self, name: &str, components: Range<usize>) -> Option<u128> {
        let whole = |test: &dyn Fn(usize) -> bool| {
            (0..self.width).filter(|it| test(*it)).fold(0u128, |set, it| set | 1 << it)
        };
        let mine = &self.me().values[components.clone()];
        Some(match name {
            "WaveActiveBallot" | "WaveMaskBallot" => {
                whole(&|it| self.on.contains(&it) && self.threads[it].condition)
            }
            "WaveGetActiveMask"
            | "WaveGetActiveMulti"
            | "WaveGetConvergedMask"
            | "WaveGetConvergedMulti" => whole(&|it| self.on.contains(&it)),
            "WaveGetLaneEqMask" => whole(&|it| it == self.lane),
            "WaveGetLaneGeMask" => whole(&|it| it >= self.lane),
            "WaveGetLaneGtMask" => whole(&|it| it > self.lane),
            "WaveGetLaneLeMask" => whole(&|it| it <= self.lane),
            "WaveGetLaneLtMask" => whole(&|it| it < self.lane),
            "WaveMatch" | "WaveMaskMatch" => whole(&|it| {
                self.on.contains(&it) && self.threads[it].values[components.clone()] == *mine
            }),
            _ => return None,
        })
    }

    /// For functions that return one number or truth value for arguments of any shape.
    fn word(&self, name: &str) -> Option<u64> {
        let count =
            |lanes: &[usize]| lanes.iter().filter(|it| self.threads[**it].condition).count();
        let quad: Vec<usize> =
            self.on.iter().copied().filter(|it| it / 4 == self.lane / 4).collect();
        let value = match name {
            "WaveIsFirstLane" | "WaveMaskIsFirstLane" => usize::from(self.on[0] == self.lane),
            "WaveGetLaneCount" => self.width,
            "WaveGetLaneIndex" => self.lane,
            "IsHelperLane" => 0,
            "GetGroupWaveIndex" | "WaveGetWaveIndex" => self.wave,
            "GetGroupWaveCount" | "WaveGetNumWaves" => THREADS.div_ceil(self.width),
            "WaveActiveAnyTrue" | "WaveMaskAnyTrue" => usize::from(count(&self.on) > 0),
            "WaveActiveAllTrue" | "WaveMaskAllTrue" => {
                usize::from(count(&self.on) == self.on.len())
            }
            "WaveActiveCountBits" | "WaveMaskCountBits" => count(&self.on),
            "WavePrefixCountBits" | "WaveMaskPrefixCountBits" => count(&self.below(&self.on)),
            "WaveMultiPrefixCountBits" => count(&self.below(&self.part())),
            "QuadAny" => usize::from(count(&quad) > 0),
            "QuadAll" => usize::from(count(&quad) == quad.len()),
            _ => return None,
        };
        Some(value as u64)
    }

    /// For functions that return a value of the operand's type: one component of it.
    fn value(&self, name: &str, component: usize) -> u64 {
        let width = self.width;
        let index = self.me().index as usize;
        let quad = self.lane / 4 * 4;
        match name {
            "WaveReadLaneFirst" | "WaveMaskReadLaneFirst" => self.read(self.on[0], component),
            "WaveReadLaneAt" | "WaveShuffle" | "WaveMaskReadLaneAt" | "WaveMaskShuffle" => {
                self.read(index, component)
            }
            "WaveBroadcastLaneAt" | "WaveMaskBroadcastLaneAt" => {
                self.read(CONSTANT_LANE, component)
            }
            "WaveRotate" => self.read((self.lane + index) % width, component),
            "WaveClusteredRotate" => {
                let start = self.lane / CLUSTER_SIZE * CLUSTER_SIZE;
                self.read(start + (self.lane - start + index) % CLUSTER_SIZE, component)
            }
            "QuadReadAcrossX" => self.quad_read(self.lane ^ 1, component),
            "QuadReadAcrossY" => self.quad_read(self.lane ^ 2, component),
            "QuadReadAcrossDiagonal" => self.quad_read(self.lane ^ 3, component),
            "QuadReadLaneAt" => self.quad_read(quad + index % 4, component),
            _ => {
                let (family, fold) = folding(name);
                let lanes = match family {
                    "WaveActive" | "WaveMask" => self.on.clone(),
                    "WavePrefix" | "WaveMaskPrefix" => self.below(&self.on),
                    "WaveMulti" => self.part(),
                    "WaveMultiPrefix" | "WaveMultiPrefixExclusive" => self.below(&self.part()),
                    "WaveMultiPrefixInclusive" => self.up_to(&self.part()),
                    _ => panic!(
                        "the grid has no expectation for `{name}`: add one to grid/expect.rs"
                    ),
                };
                let values: Vec<u64> =
                    lanes.iter().map(|it| self.threads[*it].values[component]).collect();
                folded(fold, self.cell.spelling.kind, &values)
            }
        }
    }

    /// A lane that does not participate gives 0.
    fn read(&self, lane: usize, component: usize) -> u64 {
        if self.on.contains(&lane) { self.threads[lane].values[component] } else { 0 }
    }

    /// A read of a missing lane gives the reading lane's own value.
    fn quad_read(&self, lane: usize, component: usize) -> u64 {
        let from = if self.on.contains(&lane) { lane } else { self.lane };
        self.threads[from].values[component]
    }

    /// Floats compare as numbers.
    fn all_equal(&self, component: usize) -> bool {
        let value = |lane: usize| self.threads[lane].values[component];
        let first = value(self.on[0]);
        let kind = self.cell.spelling.kind;
        self.on.iter().all(|lane| match kind.is_float() {
            true => number(kind, value(*lane)) == number(kind, first),
            false => value(*lane) == first,
        })
    }
}

fn folding(name: &str) -> (&str, Fold) {
    let table = [
        ("Sum", Fold::Sum),
        ("Product", Fold::Product),
        ("Min", Fold::Min),
        ("Max", Fold::Max),
        ("BitAnd", Fold::And),
        ("BitOr", Fold::Or),
        ("BitXor", Fold::Xor),
    ];
    let found = table.into_iter().find_map(|(end, fold)| Some((name.strip_suffix(end)?, fold)));
    found.unwrap_or_else(|| {
        panic!("the grid has no expectation for `{name}`: add one to grid/expect.rs")
    })
}

/// The fold of the values, or the result of an empty fold.
fn folded(fold: Fold, kind: Kind, values: &[u64]) -> u64 {
    match kind.bits_signed() {
        Some((bits, signed)) => folded_integers(fold, bits, signed, values),
        None => folded_floats(fold, kind, values),
    }
}

fn folded_integers(fold: Fold, bits: u32, signed: bool, values: &[u64]) -> u64 {
    let ones = (1i128 << bits) - 1;
    let read = |it: &u64| {
        let it = i128::from(*it);
        if signed && it >> (bits - 1) == 1 { it - (ones + 1) } else { it }
    };
    let (lowest, highest) = if signed { (-(ones + 1) / 2, ones / 2) } else { (0, ones) };
    let numbers = values.iter().map(read);
    let result = match fold {
        Fold::Sum => numbers.sum(),
        Fold::Product => numbers.fold(1, |a: i128, b| a.wrapping_mul(b) & ones),
        Fold::Min => numbers.min().unwrap_or(highest),
        Fold::Max => numbers.max().unwrap_or(lowest),
        Fold::And => numbers.fold(-1, |a, b| a & b),
        Fold::Or => numbers.fold(0, |a, b| a | b),
        Fold::Xor => numbers.fold(0, |a, b| a ^ b),
    };
    (result & ones) as u64
}

fn folded_floats(fold: Fold, kind: Kind, values: &[u64]) -> u64 {
    let numbers = values.iter().map(|it| number(kind, *it));
    let empty = match fold {
        Fold::Product => 1.0,
        Fold::Min => f64::INFINITY,
        Fold::Max => f64::NEG_INFINITY,
        _ => 0.0,
    };
    // Every sum and product of the data is exact in the type, so that a double can hold it.
    let result = numbers.reduce(|a, b| match fold {
        Fold::Product => a * b,
        Fold::Min => extreme(a, b, a < b || a == b && a.is_sign_negative()),
        Fold::Max => extreme(a, b, a > b || a == b && a.is_sign_positive()),
        _ => a + b,
    });
    let result = result.unwrap_or(empty);
    match (kind, result.is_nan()) {
        (Kind::F16, true) => 0x7e00,
        (Kind::F32, true) => 0x7fc0_0000,
        (_, true) => 0x7ff8_0000_0000_0000,
        (Kind::F16, _) => u64::from(F16::from_f64(result).0),
        (Kind::F32, _) => u64::from((result as f32).to_bits()),
        (_, _) => result.to_bits(),
    }
}

/// Selects the first of two numbers if it wins; the number if only one is a number.
fn extreme(a: f64, b: f64, first_wins: bool) -> f64 {
    if b.is_nan() || !a.is_nan() && first_wins { a } else { b }
}

fn number(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::F16 => F16(bits as u16).to_f64(),
        Kind::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}
