//! Truncated lane masks, equality of floats, and lane indices that not all machines accept.

use diag::Span;
use interp::observe::{At, WaveEvent};
use ir::notes::Stripped;
use ir::{Inst, Module, Op, Value};
use ops::{Binary, LaneMask, Ternary, Ty, WaveOp};

use crate::assigned;
use crate::facts::Facts;
use crate::finding::{Finding, Kind, Named, Site, be, third_person};

/// Static facts about the lane masks in a module.
pub(crate) struct Masks {
    cuts: Vec<Cut>,
}

/// An operation that returns a lane mask of which the program reads some words only.
struct Cut {
    inst: Inst,
    /// The words that it never reads.
    ignored: Vec<usize>,
    /// Where it first uses the others, if that is not the operation itself.
    used: Option<(Span, Option<Inst>)>,
}

impl Masks {
    pub(crate) fn new(module: &Module) -> Masks {
        if !module.has_notes() {
            return Masks { cuts: cuts(module) };
        }
        // Debug information reads every word of a variable, so that cuts are found in the module without it.
        let Stripped { module: plain, insts, .. } = ir::notes::strip(module);
        let mut noted = vec![Inst(0); plain.insts.len()];
        for (own, plain) in (0..).map(Inst).zip(&insts) {
            plain.iter().for_each(|it| noted[it.index()] = own);
        }
        let own = |it: Inst| noted[it.index()];
        let cut = |it: Cut| Cut {
            inst: own(it.inst),
            used: it.used.map(|(span, inst)| (span, inst.map(own))),
            ..it
        };
        Masks { cuts: cuts(&plain).into_iter().map(cut).collect() }
    }

    /// Reports lanes of a mask that are only in words which the program does not read.
    pub(crate) fn cut(&self, width: u32, event: &WaveEvent<'_>) -> Option<Finding> {
        if width <= 32 || self.cuts.is_empty() {
            return None;
        }
        let Cut { ignored, used, .. } = self.cuts.iter().find(|it| it.inst == event.at.inst)?;
        let on = event.wave.participants();
        let word = ignored.iter().find(|word| {
            on.iter().any(|lane| event.results.get(**word).is_some_and(|it| it.get(lane) != 0))
        })?;
        let first = 32 * *word as u32;
        let lost: LaneMask = on
            .iter()
            .flat_map(|lane| {
                let bits = event.results[*word].get(lane) as u32;
                (0..32).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| first + bit)
            })
            .collect();
        let name = ["x", "y", "z", "w"][*word % 4];
        let set = Site {
            span: event.at.span,
            inst: Some(event.at.inst),
            text: format!("{} {} in the set", Named(lost), be(lost)),
        };
        // The set is right; the mistake is to use only a part of it.
        let (site, related) = match *used {
            Some((span, inst)) => {
                let text = format!("this uses the set without `.{name}`");
                (Site { span, inst, text }, vec![set])
            }
            None => (set, Vec::new()),
        };
        Some(Finding {
            kind: Kind::TruncatedMask,
            message: format!("{} {} lost: `.{name}` of the set is never read", Named(lost), be(lost)),
            site,
            related,
            notes: vec![
                "a set of lanes has 128 bits in four words: `.x` holds lanes 0 to 31, `.y` lanes 32 to 63".to_owned(),
            ],
            helps: vec![
                "use all four words, or `WaveActiveCountBits` and `WavePrefixCountBits`, which count for any width"
                    .to_owned(),
            ],
            stacks: Vec::new(),
            group: event.at.group,
            wave: event.at.wave,
            lanes: lost,
            width,
        })
    }
}

/// The cuts in a module without notes.
fn cuts(module: &Module) -> Vec<Cut> {
    let used = ir::flow::used(module);
    let sets = || {
        let insts = module.insts.iter().enumerate();
        insts.filter_map(|(index, it)| match &it.op {
            Op::Wave { op, args, lanes: None } if op.chooses_lanes() => {
                Some((Inst(index as u32), *op, args, &it.results))
            }
            _ => None,
        })
    };
    let words =
        |results: &[Value]| -> Vec<bool> { results.iter().map(|it| used[it.index()]).collect() };
    let mut cuts = Vec::new();
    for (inst, op, args, results) in sets() {
        let own = words(results);
        if own.iter().all(|it| *it) || !own.contains(&true) {
            continue;
        }
        // A loop over the words reads all of them in the end.
        let mut all = own;
        for (_, _, _, others) in sets().filter(|it| it.1 == op && it.2 == args) {
            all.iter_mut().zip(words(others)).for_each(|(all, it)| *all |= it);
        }
        let ignored: Vec<usize> = (0..all.len()).filter(|word| !all[*word]).collect();
        if !ignored.is_empty() {
            let used = first_use(module, inst, &ignored);
            cuts.push(Cut { inst, ignored, used });
        }
    }
    cuts
}

/// Where a program first uses the words of a set that it reads, if that is not the operation that makes the set.
fn first_use(module: &Module, set: Inst, ignored: &[usize]) -> Option<(Span, Option<Inst>)> {
    let data = module.inst(set);
    let words = || (0..).zip(&data.results);
    let read: Vec<Value> = words().filter(|it| !ignored.contains(&it.0)).map(|it| *it.1).collect();
    let uses = |op: &Op| !op.is_terminator() && op.operands().iter().any(|it| read.contains(it));
    let by_inst = module.insts.iter().position(|it| uses(&it.op)).map(|at| Inst(at as u32));
    // A variable of four words holds the whole set.
    let is_part = |it: &&ir::Variable| {
        let lacks = |word: &usize| !it.values.contains(&data.results[*word]);
        ignored.iter().all(lacks) && !it.span.is_none()
    };
    let holders = read.iter().flat_map(|it| assigned::holders(module, *it)).filter(is_part);
    let first = assigned::earlier(module, holders.min_by_key(|it| it.span.lo), by_inst)?;
    let overlaps = first.0.lo <= data.span.hi && data.span.lo <= first.0.hi;
    (!overlaps).then_some(first)
}

/// A bit for a lane beyond the bits of the type: `1u << lane`.
pub(crate) fn lane_bit(facts: &Facts<'_>, width: u32, at: At, lanes: LaneMask) -> Option<Finding> {
    let module = facts.module;
    let inst = module.inst(at.inst);
    let Op::Binary(Binary::Shl, bit, count) = inst.op else { return None };
    let is_constant = |value: Value| module.constant(value).is_some();
    if !is_constant(bit) || !is_lane(module, count) {
        return None;
    }
    let result = *inst.results.first()?;
    // A select that discards the value for these lanes shows that it was intended.
    let mut uses = module.insts.iter().filter(|it| it.op.operands().contains(&result));
    let is_arm = |op: &Op| matches!(op, Op::Ternary(Ternary::Select, args) if args[0] != result);
    if uses.all(|it| is_arm(&it.op)) {
        return None;
    }
    let bits = module.ty(result).bits();
    Some(Finding {
        kind: Kind::TruncatedMask,
        message: format!("a set of lanes in {bits} bits has no bit for {}", Named(lanes)),
        site: Site {
            span: at.span,
            inst: Some(at.inst),
            text: format!("{} shift{} too far", Named(lanes), third_person(lanes)),
        },
        related: Vec::new(),
        notes: vec![format!(
            "the count is taken modulo {bits}: lane {bits} gets the bit of lane 0"
        )],
        helps: vec![
            "let `WavePrefixCountBits` count the lanes below, or build the set from a `uint4`"
                .to_owned(),
        ],
        stacks: Vec::new(),
        group: at.group,
        wave: at.wave,
        lanes,
        width,
    })
}

/// Whether a value is the lane's index, plus or minus constants.
fn is_lane(module: &Module, mut value: Value) -> bool {
    for _ in 0..4 {
        let Some(inst) = module.made_by(value) else { return false };
        let constant = |value: &Value| module.constant(*value).is_some();
        value = match &module.inst(inst).op {
            Op::Wave { op: WaveOp::LaneIndex, .. } => return true,
            Op::Unary(_, a) => *a,
            Op::Binary(_, a, b) if constant(b) => *a,
            Op::Binary(_, a, b) if constant(a) => *b,
            _ => return false,
        };
    }
    false
}

/// Floats that are equal as numbers but not as bits, or equal as bits but not as numbers.
pub(crate) fn float_equality(width: u32, event: &WaveEvent<'_>) -> Option<Finding> {
    let components = match event.op {
        WaveOp::AllEqual => &event.args[..event.args.len().min(1)],
        WaveOp::Match => event.args,
        _ => return None,
    };
    if !event.ty.is_float() {
        return None;
    }
    let poison = event.arg_poison.iter().fold(LaneMask::EMPTY, |all, it| all | *it);
    let on = event.wave.participants() & !poison;
    for values in components {
        let having = |what: fn(Ty, u64) -> bool| -> LaneMask {
            on.iter().filter(|lane| what(event.ty, values.get(*lane))).collect()
        };
        let nans = having(is_nan);
        let (plus, minus) = (having(is_plus_zero), having(is_minus_zero));
        let twins =
            nans.iter().any(|a| nans.iter().any(|b| a < b && values.get(a) == values.get(b)));
        let meets_nan = match event.op {
            WaveOp::Match => twins,
            _ => !nans.is_empty(),
        };
        let meets_zero = !plus.is_empty()
            && !minus.is_empty()
            && (event.op == WaveOp::Match || plus | minus == on);
        let (what, lanes, note) = if meets_nan {
            (
                "a NaN is compared with itself",
                nans,
                "as a number, a NaN equals nothing; as bits, it equals itself; machines differ",
            )
        } else if meets_zero {
            (
                "+0 is compared with -0",
                plus | minus,
                "as numbers, the two zeros are equal; as bits, they are not; machines differ",
            )
        } else {
            continue;
        };
        return Some(Finding {
            kind: Kind::FloatEquality,
            message: format!("{what}, and machines disagree about the result"),
            site: Site {
                span: event.at.span,
                inst: Some(event.at.inst),
                text: format!("{} hold{} such values", Named(lanes), third_person(lanes)),
            },
            related: Vec::new(),
            notes: vec![note.to_owned()],
            helps: vec![
                "to compare bits, compare `asuint` of the value; to turn -0 into +0, add 0"
                    .to_owned(),
            ],
            stacks: Vec::new(),
            group: event.at.group,
            wave: event.at.wave,
            lanes,
            width,
        });
    }
    None
}

fn parts(ty: Ty) -> (u64, u64) {
    // The sign, and infinity.
    match ty {
        Ty::F16 => (0x8000, 0x7c00),
        Ty::F64 => (1 << 63, 0x7ff0_0000_0000_0000),
        _ => (0x8000_0000, 0x7f80_0000),
    }
}

fn is_nan(ty: Ty, bits: u64) -> bool {
    let (sign, infinity) = parts(ty);
    bits & (sign - 1) > infinity
}

fn is_plus_zero(_: Ty, bits: u64) -> bool {
    bits == 0
}

fn is_minus_zero(ty: Ty, bits: u64) -> bool {
    bits == parts(ty).0
}

/// Lanes that read different lanes at once, which some languages and older machines do not support.
pub(crate) fn non_uniform_index(width: u32, event: &WaveEvent<'_>) -> Option<Finding> {
    if !matches!(event.op, WaveOp::ReadLaneAt | WaveOp::QuadReadLaneAt) {
        return None;
    }
    let on = event.wave.participants();
    let first = on.first()?;
    let index = event.args.get(1)?;
    let others: LaneMask =
        on.iter().filter(|lane| index.get(*lane) as u32 != index.get(first) as u32).collect();
    let other = others.first()?;
    Some(Finding {
        kind: Kind::NonUniformLaneIndex,
        message: "lanes read different lanes".to_owned(),
        site: Site {
            span: event.at.span, inst: Some(event.at.inst),
            text: format!(
                "lane {first} reads lane {}, lane {other} reads lane {}",
                index.get(first) as u32,
                index.get(other) as u32
            ),
        },
        related: Vec::new(),
        notes: vec![
            "the draft of these functions, and broadcasts in other languages, require the same index in all lanes".to_owned(),
        ],
        helps: vec![
            "give all lanes the same index, or use a function for neighbours, such as `QuadReadAcrossX`; or read through groupshared memory"
                .to_owned(),
        ],
        stacks: Vec::new(),
        group: event.at.group,
        wave: event.at.wave,
        lanes: others,
        width,
    })
}
