//! Wave functions, each computed from its name by the lists of lanes that take part.

use std::borrow::Cow;

use super::values::{Vals, binary, equal, identical, int, integer, number, truth, wrap, zero};
use super::{Tangle, Val, Wave};
use crate::{Bin, Kind, Ty};

/// A call of a wave function.
pub(super) struct Call<'a, 'b> {
    pub(super) name: &'static str,
    /// The type of the result.
    pub(super) ty: Ty,
    pub(super) kinds: &'a [Kind],
    pub(super) args: &'a [Vec<Vals>],
    pub(super) lanes: Tangle,
    /// The participants.
    pub(super) active: Tangle,
    pub(super) wave: &'a Wave<'b>,
}

impl Call<'_, '_> {
    pub(super) fn run(&self) -> Vec<Vals> {
        let mut result = vec![Vals::default(); self.wave.width as usize];
        let name = self.name_without_mask();
        let all: Vec<u32> = self.active.iter().collect();
        // Such a function gives all lanes the same.
        let is_of_all = name.starts_with("WaveActive");
        let is_given = self.args.iter().flatten().any(Vals::is_undefined);
        let mut same = None;
        for lane in self.lanes {
            let value = match same.take() {
                Some(value) => value,
                None => self.lane(lane, &name, &all),
            };
            if is_of_all {
                same = Some(value.clone());
            }
            let value = value.undefined_if(self.is_undefined(lane, &name, &all, is_given));
            let gives_another = self.wave.seen.gives_others && value.is_undefined();
            result[lane as usize] = if gives_another { value.another(self.ty.kind) } else { value };
        }
        result
    }

    /// Whether the result of a lane is undefined for another reason than what it reads from one other lane. `is_given`:
    /// some lane gives an undefined value.
    fn is_undefined(&self, lane: u32, name: &str, all: &[u32], is_given: bool) -> bool {
        let is_excluded = self.wave.excluded().contains(lane);
        let given =
            |lane: u32| is_given && self.args.iter().any(|it| it[lane as usize].is_undefined());
        let below = || all.iter().copied().filter(|other| *other <= lane);
        match name {
            "WaveGetLaneCount" | "WaveGetLaneIndex" | "IsHelperLane" => false,
            _ if name.starts_with("WaveGetLane") => false,
            // A helper lane among participants is never the first.
            "WaveIsFirstLane" => is_excluded && self.active.contains(lane),
            "WaveReadLaneAt" | "WaveShuffle" | "WaveBroadcastLaneAt" => {
                is_excluded || self.args.iter().skip(1).any(|it| it[lane as usize].is_undefined())
            }
            "WaveRotate" | "WaveClusteredRotate" => is_excluded,
            "QuadReadAcrossX" | "QuadReadAcrossY" | "QuadReadAcrossDiagonal" => false,
            "QuadReadLaneAt" => self.args[1][lane as usize].is_undefined(),
            "QuadAny" | "QuadAll" => (lane / 4 * 4..lane / 4 * 4 + 4)
                .any(|other| !self.lanes.contains(other) || given(other)),
            _ if name.starts_with("WavePrefix") => is_excluded || below().any(given),
            _ => is_excluded || is_given && all.iter().copied().any(given),
        }
    }

    /// The result of one lane. `all` are the participants in ascending order.
    fn lane(&self, lane: u32, name: &str, all: &[u32]) -> Vals {
        // A mask in front changes nothing else: here it is the active set.
        let masked = self.name.starts_with("WaveMask");
        let args = &self.args[usize::from(masked)..];
        let kinds = &self.kinds[usize::from(masked)..];
        let below = &all[..all.partition_point(|other| *other < lane)];
        let held = |other: u32| &args[0][other as usize];
        // Lanes that do not participate are read as zero.
        let read = |other: u32| match self.active.contains(other) {
            true => held(other).clone(),
            false => zero(Ty { kind: kinds[0], n: self.ty.n }).undefined_if(true),
        };
        let in_quad = |other: u32| {
            let is_there = self.lanes.contains(other);
            held(if is_there { other } else { lane }).clone().undefined_if(!is_there)
        };
        let count =
            |lanes: &[u32]| lanes.iter().filter(|other| truth(held(**other))).count() as i128;
        let group = || self.group(lane, &args[1]);
        let width = self.wave.width;
        let one = |value: i128| Vals::one(Val::Int(value));
        let yes = |value: bool| Vals::one(Val::Bool(value));
        match name {
            "WaveGetLaneCount" => one(i128::from(width)),
            "WaveGetLaneIndex" => one(i128::from(lane)),
            "WaveIsFirstLane" => yes(all[0] == lane),
            "IsHelperLane" => yes(self.wave.helpers.contains(lane)),
            "GetGroupWaveIndex" | "WaveGetWaveIndex" => one(i128::from(self.wave.first / width)),
            "GetGroupWaveCount" | "WaveGetNumWaves" => {
                one(i128::from(self.wave.program.threads.div_ceil(width)))
            }
            "WaveActiveAnyTrue" => yes(count(all) > 0),
            "WaveActiveAllTrue" => yes(count(all) == all.len() as i128),
            "WaveActiveBallot" => {
                self.lane_words(all.iter().copied().filter(|other| truth(held(*other))))
            }
            "WaveActiveCountBits" => one(count(all)),
            "WavePrefixCountBits" => one(count(below)),
            "WaveActiveAllEqual" => {
                let first = held(all[0]);
                let same = |i: usize| all.iter().all(|other| equal(held(*other)[i], first[i]));
                let each: Vec<bool> = (0..first.len()).map(same).collect();
                match each.len() == self.ty.n {
                    true => each.into_iter().map(Val::Bool).collect(),
                    false => yes(each.into_iter().all(|it| it)),
                }
            }
            "WaveReadLaneFirst" => held(all[0]).clone(),
            "WaveReadLaneAt" | "WaveShuffle" | "WaveBroadcastLaneAt" => {
                read(int(&args[1][lane as usize]) as u32)
            }
            "WaveRotate" => {
                read(((i128::from(lane) + int(&args[1][lane as usize])) % i128::from(width)) as u32)
            }
            "WaveClusteredRotate" => {
                let (by, size) = (int(&args[1][lane as usize]), int(&args[2][lane as usize]));
                let start = i128::from(lane) / size * size;
                read((start + (i128::from(lane) - start + by) % size) as u32)
            }
            "WaveMatch" => {
                let mine = held(lane);
                let same = |other: &u32| {
                    held(*other).iter().zip(mine.iter()).all(|(a, b)| identical(*a, *b))
                };
                self.lane_words(all.iter().copied().filter(same))
            }
            "WaveGetActiveMask"
            | "WaveGetConvergedMask"
            | "WaveGetActiveMulti"
            | "WaveGetConvergedMulti" => self.lane_words(all.iter().copied()),
            "WaveGetLaneEqMask" => self.lane_words(lane..lane + 1),
            "WaveGetLaneGeMask" => self.lane_words(lane..width),
            "WaveGetLaneGtMask" => self.lane_words(lane + 1..width),
            "WaveGetLaneLeMask" => self.lane_words(0..lane + 1),
            "WaveGetLaneLtMask" => self.lane_words(0..lane),
            "WaveMultiPrefixCountBits" => {
                let group: Vec<u32> = group().into_iter().filter(|other| *other < lane).collect();
                one(count(&group))
            }
            "QuadReadAcrossX" => in_quad(lane ^ 1),
            "QuadReadAcrossY" => in_quad(lane ^ 2),
            "QuadReadAcrossDiagonal" => in_quad(lane ^ 3),
            "QuadReadLaneAt" => in_quad(lane / 4 * 4 + int(&args[1][lane as usize]) as u32),
            "QuadAny" => yes((lane / 4 * 4..lane / 4 * 4 + 4).any(|other| truth(held(other)))),
            "QuadAll" => yes((lane / 4 * 4..lane / 4 * 4 + 4).all(|other| truth(held(other)))),
            _ => {
                let (lanes, op): (Cow<'_, [u32]>, &str) =
                    if let Some(op) = name.strip_prefix("WaveActive") {
                        (all.into(), op)
                    } else if let Some(op) = name.strip_prefix("WavePrefix") {
                        (below.into(), op)
                    } else if let Some(op) = name.strip_prefix("WaveMultiPrefixInclusive") {
                        (group().into_iter().filter(|other| *other <= lane).collect(), op)
                    } else if let Some(op) = name.strip_prefix("WaveMultiPrefix") {
                        let op = op.strip_prefix("Exclusive").unwrap_or(op);
                        (group().into_iter().filter(|other| *other < lane).collect(), op)
                    } else if let Some(op) = name.strip_prefix("WaveMulti") {
                        (group().into(), op)
                    } else {
                        unreachable!("`{name}` has no second definition")
                    };
                let n = held(lane).len();
                let of = |i: usize| lanes.iter().map(move |other| held(*other)[i]);
                (0..n).map(|i| fold(kinds[0], op, of(i))).collect()
            }
        }
    }

    /// The name of the function that does the same without a mask.
    fn name_without_mask(&self) -> Cow<'static, str> {
        match self.name.strip_prefix("WaveMask") {
            Some("Match") => "WaveMatch".into(),
            Some("IsFirstLane") => "WaveIsFirstLane".into(),
            Some(rest)
                if rest.starts_with("Prefix")
                    || rest.starts_with("Read")
                    || rest.starts_with("Broadcast") =>
            {
                format!("Wave{rest}").into()
            }
            Some("Shuffle") => "WaveShuffle".into(),
            Some(rest) => format!("WaveActive{rest}").into(),
            None => self.name.into(),
        }
    }

    /// The words of a set of lanes; only the first if the function returns only that.
    fn lane_words(&self, lanes: impl Iterator<Item = u32>) -> Vals {
        let mut words = [0i128; 4];
        for lane in lanes {
            words[lane as usize / 32] += 1 << (lane % 32);
        }
        words.iter().take(self.ty.n).map(|word| Val::Int(*word)).collect()
    }

    /// The participants in a lane's partition mask.
    fn group(&self, lane: u32, masks: &[Vals]) -> Vec<u32> {
        let words = &masks[lane as usize];
        let named = |other: &u32| integer(words[*other as usize / 32]) >> (other % 32) & 1 == 1;
        self.active.iter().filter(named).collect()
    }
}

/// Folds values in ascending order of their lanes; an empty fold gives the identity.
/// Floats are reduced as in the printed program.
fn fold(kind: Kind, op: &str, values: impl Iterator<Item = Val>) -> Val {
    let bin = match op {
        "Sum" => Bin::Add,
        "Product" => Bin::Mul,
        "Min" => Bin::Min,
        "Max" => Bin::Max,
        "BitAnd" => Bin::And,
        "BitOr" => Bin::Or,
        "BitXor" => Bin::Xor,
        _ => unreachable!("`{op}` has no second definition"),
    };
    let combine = |a: Val, b: Val| match (bin, a, b) {
        (Bin::Add, Val::Float(a), Val::Float(b)) => Val::Float(a + b),
        (Bin::Mul, Val::Float(a), Val::Float(b)) => Val::Float(a * b),
        _ => binary(kind, bin, a, b),
    };
    let folded = values.reduce(combine).unwrap_or_else(|| match (op, kind.bits_signed()) {
        ("Sum" | "BitOr" | "BitXor", _) => number(kind, 0),
        ("Product", _) => number(kind, 1),
        ("BitAnd", _) => Val::Int(wrap(kind, -1)),
        ("Min", None) => Val::Float(f64::INFINITY),
        ("Max", None) => Val::Float(f64::NEG_INFINITY),
        ("Min", Some((bits, true))) => Val::Int((1 << (bits - 1)) - 1),
        ("Min", Some((bits, false))) => Val::Int((1 << bits) - 1),
        ("Max", Some((bits, true))) => Val::Int(-(1 << (bits - 1))),
        ("Max", Some((_, false))) => Val::Int(0),
        _ => unreachable!("`{op}` has no second definition"),
    });
    match (op, folded) {
        ("Sum", Val::Float(value)) => Val::Float(value % 16.0),
        ("Min" | "Max", Val::Float(value)) => Val::Float(value.clamp(-15.0, 15.0)),
        _ => folded,
    }
}
