//! Generates the data of a cell for a width: which lanes participate, and the values of every thread.
//!
//! Lanes that do not participate hold values that would show if they did: extremes, cleared bits, the other truth
//! value.
//! Numbers are such that the order of additions or multiplications makes no difference.

use ops::F16;
use ops::intrinsics::{Meaning, Param};

use super::source::{CONDITION, INDEX, LANES, TAKES_PART, VALUE, WAVE_MASK};
use super::{Cell, THREADS};
use generate::Kind;

/// The pattern in output slots that are never written.
pub const UNTOUCHED: u64 = 0xcdcd_cdcd_cdcd_cdcd;

/// The data of all threads, group by group.
pub struct Data {
    pub threads: Vec<Thread>,
}

pub struct Thread {
    pub takes_part: bool,
    pub index: u32,
    pub condition: bool,
    /// The lanes in the same part of the wave, including those that do not participate.
    pub lanes: u128,
    /// One for each component of all shapes, as bits.
    pub values: Vec<u64>,
}

/// The flavours of a cell's values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavour {
    Plain,
    /// Odd integers; floats whose products are exact.
    Factors,
    /// The same in all lanes of some waves.
    Equal,
    /// Few distinct values.
    Few,
    /// Nearly all bits set.
    Ones,
    /// Nearly all bits clear.
    Zeros,
}

/// The position of a thread.
#[derive(Clone, Copy)]
struct At {
    width: usize,
    group: usize,
    wave: usize,
    lane: usize,
    takes_part: bool,
    /// The first and the last participating lane of the wave.
    first: usize,
    last: usize,
}

impl At {
    /// Whether the group has ordinary data; the others have corner cases.
    fn is_ordinary(self) -> bool {
        self.group.is_multiple_of(4)
    }

    /// Which of two parts of the wave contains a lane.
    fn part(self, lane: usize) -> usize {
        mix(self.group, self.wave, lane, 90) % 2
    }
}

impl Data {
    /// The content of `input`.
    pub fn bytes(&self, cell: &Cell) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.threads.len() * 8 * (VALUE + cell.components()));
        for thread in &self.threads {
            let mut slots = vec![0u64; VALUE];
            slots[TAKES_PART] = u64::from(thread.takes_part);
            slots[INDEX] = u64::from(thread.index);
            slots[WAVE_MASK] = u64::from(thread.lanes as u32);
            slots[CONDITION] = u64::from(thread.condition);
            slots[LANES] = thread.lanes as u64;
            slots[LANES + 1] = (thread.lanes >> 64) as u64;
            slots.extend(&thread.values);
            bytes.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
        }
        bytes
    }
}

/// Generates the data of a cell for waves of `width` lanes.
pub fn make(cell: &Cell, width: u32) -> Data {
    let width = width as usize;
    let flavour = flavour(cell.row.name);
    let groups = groups(width);
    let mut threads = Vec::with_capacity(groups * THREADS);
    for group in 0..groups {
        for thread in 0..THREADS {
            let (wave, lane) = (thread / width, thread % width);
            let live = width.min(THREADS - wave * width);
            let on: Vec<usize> =
                (0..live).filter(|it| takes_part(group, wave, *it, width, live)).collect();
            let at = At {
                width,
                group,
                wave,
                lane,
                takes_part: takes_part(group, wave, lane, width, live),
                first: on.first().copied().unwrap_or(0),
                last: on.last().copied().unwrap_or(0),
            };
            let values = (0..cell.components())
                .map(|it| value(flavour, cell.spelling.kind, at, it))
                .collect();
            threads.push(Thread {
                takes_part: at.takes_part,
                index: index(cell, at, &on, live),
                condition: condition(at),
                lanes: part(at, live),
                values,
            });
        }
    }
    Data { threads }
}

/// The number of groups: wider waves need more of them to cover everything, since a group has few waves.
pub fn groups(width: usize) -> usize {
    if width < 32 { 4 } else { 8 }
}

fn flavour(name: &str) -> Flavour {
    let table = [
        ("Product", Flavour::Factors),
        ("AllEqual", Flavour::Equal),
        ("Match", Flavour::Few),
        ("BitAnd", Flavour::Ones),
        ("BitOr", Flavour::Zeros),
    ];
    table
        .into_iter()
        .find(|(end, _)| name.ends_with(end))
        .map_or(Flavour::Plain, |(_, flavour)| flavour)
}

/// Four alternating patterns: with holes, without the first lane, in clumps, and a single lane.
fn takes_part(group: usize, wave: usize, lane: usize, width: usize, live: usize) -> bool {
    match (group + wave) % 4 {
        0 => lane % 3 != 1,
        1 => !lane.is_multiple_of(5),
        2 => lane % 7 < 3,
        _ => lane == (1 + width / 2).min(live - 1),
    }
}

/// The lanes of this lane's part of the wave, and some that do not exist.
fn part(at: At, live: usize) -> u128 {
    let own = (0..live)
        .filter(|it| at.part(*it) == at.part(at.lane))
        .fold(0u128, |set, it| set | 1 << it);
    // Bits beyond the wave have no effect.
    let beyond = if at.width < 128 { 1 << (at.width + at.lane % (128 - at.width)) } else { 0 };
    own | beyond
}

/// An index, a distance or a position in a quad, as required by the function.
fn index(cell: &Cell, at: At, on: &[usize], live: usize) -> u32 {
    let any = mix(at.group, at.wave, at.lane, 91);
    if matches!(cell.row.meaning, Meaning::Barrier(_)) {
        return (at.wave * at.width + any % live) as u32;
    }
    let of = cell.row.params.iter().find_map(|param| match param {
        // First participating lanes, then any, and some that no wave has.
        Param::LaneIndex if at.is_ordinary() && !on.is_empty() => Some(on[any % on.len()]),
        Param::LaneIndex => Some(any % (at.width + 3)),
        Param::Distance => Some(1 + 2 * at.wave + at.group * (at.width + 1)),
        Param::QuadIndex => Some(any % if at.is_ordinary() { 4 } else { 7 }),
        Param::Value(_)
        | Param::Bool
        | Param::ConstantLane
        | Param::ClusterSize
        | Param::Lanes
        | Param::WaveMask => None,
    });
    of.unwrap_or(0) as u32
}

/// All lanes, none, some, one part of the wave, and one lane.
fn condition(at: At) -> bool {
    match (at.wave + 2 * at.group) % 5 {
        0 => at.takes_part,
        1 => !at.takes_part,
        2 => mix(at.group, at.wave, at.lane, 92).is_multiple_of(3),
        3 => at.part(at.lane) == 0,
        _ => at.lane == at.last || !at.takes_part && at.lane.is_multiple_of(2),
    }
}

fn value(flavour: Flavour, kind: Kind, at: At, component: usize) -> u64 {
    let any = mix(at.group, at.wave, at.lane, component);
    match kind {
        Kind::Bool => u64::from(boolean(flavour, at, component)),
        Kind::U16 | Kind::I16 | Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64 => {
            integer(flavour, kind, at, component, any)
        }
        Kind::F16 | Kind::F32 | Kind::F64 => float(flavour, kind, at, component, any),
    }
}

fn boolean(flavour: Flavour, at: At, component: usize) -> bool {
    // Neighbouring components differ in the first lane.
    let any = |lane| match lane == at.first {
        true => (mix(at.group, at.wave, lane, 94) + component).is_multiple_of(2),
        false => (mix(at.group, at.wave, lane, component) / 8).is_multiple_of(2),
    };
    match flavour {
        Flavour::Equal if at.takes_part => equal(at, component) || at.lane != at.last,
        Flavour::Equal => false,
        Flavour::Few => few(at, component, &[0, 1]) == 1,
        _ if at.takes_part => any(at.lane),
        _ => !any(at.first),
    }
}

/// Whether the participating lanes of the wave hold the same value.
fn equal(at: At, component: usize) -> bool {
    (at.wave + 2 * at.group + component) % 7 != 1
}

/// Numbers of both signs, neither 0 nor -1. Neighbouring components differ in the least and the greatest, signed
/// and unsigned, and those use the whole fraction that a `float16_t` can add up 128 times.
fn small(any: usize, component: usize) -> i64 {
    let (least, greatest) = [(-9, 13), (-13, 11), (-11, 9)][component % 3];
    let inner = (component % 3) as i64;
    let negative = -least - 1 - inner;
    let k = any as i64 % (negative + greatest - inner);
    if k < negative { least + k } else { k - negative + 1 + inner }
}

/// One of a few values; lanes often agree in all components, or in all but one.
fn few(at: At, component: usize, of: &[u64]) -> u64 {
    let key = mix(at.group, at.wave, at.lane, 93);
    let other = usize::from(mix(at.group, at.wave, at.lane, 95) % 12 == component);
    of[(key + other) % of.len()]
}

fn integer(flavour: Flavour, kind: Kind, at: At, component: usize, any: usize) -> u64 {
    let (bits, signed) = kind.bits_signed().unwrap_or((32, false));
    let ones = u64::MAX >> (64 - bits);
    let top = 1u64 << (bits - 1);
    // Spread over all bits, so that a lost bit shows.
    let spread = |k: i64| {
        let factor = match bits {
            16 => 0x0101,
            32 => 0x0100_0193,
            _ => 0x0000_0001_0000_0193,
        };
        (k * factor) as u64 & ones
    };
    let extremes = [top, top - 1, ones, 0, 1, ones / 3, top | 0x11];
    match flavour {
        Flavour::Plain if !at.takes_part => match (signed, any % 2) {
            (true, 0) => top,
            (true, _) => top - 1,
            (false, 0) => 0,
            (false, _) => ones,
        },
        Flavour::Plain if at.is_ordinary() => spread(small(any, component)),
        Flavour::Plain => extremes[any % extremes.len()],
        Flavour::Factors if at.is_ordinary() => spread(small(any, component)) | 1,
        Flavour::Factors => extremes[any % extremes.len()] | 1,
        Flavour::Equal => {
            let all = spread(small(mix(at.group, at.wave, 0, component), component));
            match at.takes_part {
                true if equal(at, component) || at.lane != at.last => all,
                true => all ^ top,
                false => !all & ones,
            }
        }
        Flavour::Few => few(at, component, &[spread(5), spread(5) ^ top, spread(-3)]),
        // The participating lanes have their bits; the others have one that none of those has.
        Flavour::Ones | Flavour::Zeros => {
            let bit = match (at.takes_part, any % 4) {
                (true, 0) => 1 << ((any / 4) % (bits as usize / 2 - 1) + bits as usize / 2),
                (true, 1) => 1 << ((any / 4) % (bits as usize / 2 - 1) + 1),
                (true, _) => 0,
                (false, _) => 1,
            };
            // A bit that many lanes have, in waves of either parity.
            let bit = if at.takes_part && (any / 64).is_multiple_of(2) { bit | top } else { bit };
            if flavour == Flavour::Ones { !bit & ones } else { bit }
        }
    }
}

fn float(flavour: Flavour, kind: Kind, at: At, component: usize, any: usize) -> u64 {
    let number = |value: f64| match kind {
        Kind::F16 => u64::from(F16::from_f64(value).0),
        Kind::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    };
    let (infinity, zero, minus_zero) = (number(f64::INFINITY), number(0.0), number(-0.0));
    // A NaN that is not the canonical one.
    let nan = infinity | infinity >> 1 | 5;
    // Close to one: only the lowest bits of the fraction differ.
    let near_one = match kind {
        Kind::F16 => 1.125,
        Kind::F32 => 1.0 + 1.0 / 1024.0,
        _ => 1.0 + 2f64.powi(-40),
    };
    let special = |of: &[u64]| of[any % of.len()];
    let corner = match (at.wave + at.wave / 4 + 2 * at.group) % 4 {
        2 => special(&[
            nan,
            number(2.0),
            minus_zero,
            infinity,
            zero,
            number(1.0),
            number(-1.0),
            number(1.0),
        ]),
        3 => special(&[infinity, number(-1.0), number(1.0), infinity | minus_zero, number(4.0)]),
        0 => special(&[minus_zero, minus_zero, minus_zero, zero]),
        _ => special(&[nan, nan ^ 1]),
    };
    match flavour {
        Flavour::Plain | Flavour::Ones | Flavour::Zeros if !at.takes_part => {
            special(&[number(100.0), number(-87.0)])
        }
        Flavour::Plain | Flavour::Ones | Flavour::Zeros if at.is_ordinary() => {
            let fine = if kind == Kind::F64 { (any % 19) as f64 * 2f64.powi(-40) } else { 0.0 };
            number(small(any, component) as f64 + fine)
        }
        Flavour::Factors if !at.takes_part => special(&[number(-1.5), number(3.0)]),
        Flavour::Factors if at.is_ordinary() => {
            let sign = if any.is_multiple_of(2) { 1.0 } else { -1.0 };
            let two: f64 = match kind {
                Kind::F16 => 2.0,
                Kind::F32 => 2f64.powi(20),
                _ => 2f64.powi(150),
            };
            number(
                sign * match at.lane % 32 {
                    3 => two,
                    9 => 1.0 / two,
                    0 if at.lane == 0 => near_one,
                    _ => 1.0,
                },
            )
        }
        Flavour::Plain | Flavour::Factors | Flavour::Ones | Flavour::Zeros => corner,
        Flavour::Equal => {
            let mode = (at.wave + 2 * at.group + component) % 7;
            let all = number(small(mix(at.group, at.wave, 0, component), component) as f64);
            match (at.takes_part, mode) {
                (false, _) => number(100.0),
                (true, 1) if at.lane == at.last => all ^ 1,
                // Both zeros are equal; a NaN is not even equal to itself.
                (true, 3) if !at.is_ordinary() => special(&[zero, minus_zero]),
                (true, 4) if !at.is_ordinary() => nan,
                (true, 5) if !at.is_ordinary() => infinity,
                _ => all,
            }
        }
        // Compared by their bits.
        Flavour::Few if at.is_ordinary() => {
            few(at, component, &[number(1.0), number(1.0) ^ 1, number(-3.0)])
        }
        Flavour::Few => few(at, component, &[zero, minus_zero, nan, nan ^ 1]),
    }
}

/// An inconspicuous number.
fn mix(group: usize, wave: usize, lane: usize, salt: usize) -> usize {
    let mut x = (group as u64) << 48 ^ (wave as u64) << 32 ^ (lane as u64) << 16 ^ salt as u64;
    x = (x ^ x >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x >> 33) as usize
}
