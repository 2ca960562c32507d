//! Checks without the device that a legalised module behaves like the original.
//!
//! The reference engine runs both. Where a target promises nothing ([`Has::Partly`]), the engine would still follow
//! `ops`, which proves nothing: so each such operation is followed by instructions that replace the open part of
//! its result by something else, as a device may. If the difference is visible, the corner case was not written
//! out.

use std::collections::BTreeSet;
use std::sync::Arc;

use interp::observe::AccessEvent;
use interp::{NoObserver, Observer};
use ir::exec::{Bindings, Launch};
use ir::print::{PrintLog, Printed};
use ir::{
    Address, AddressKind, Inst, InstData, Module, Op, Region, ResourceKind, Value, ValueData,
    ValueDef, values,
};
use legalize::{Class, Has, Target, asks, legalize};
use ops::{Binary, Compare, Fold, Sign, Ternary, Ty, Unary, WaveOp};

use crate::engines::difference;

/// The targets for every program, with waves of that width.
pub fn targets(width: u32) -> Vec<(&'static str, Target)> {
    vec![
        ("vulkan1.3", Target::vulkan(true, true)),
        ("vulkan1.3 with real 16-bit integers", Target::vulkan(true, false)),
        ("vulkan1.1 without floats and integers of 64 bits", Target::vulkan(false, true)),
        ("vulkan1.1 without promises", Target::vulkan(false, false)),
        ("vulkan1.3 with whole waves", Target::vulkan(true, true).with_whole_waves(width)),
        ("vulkan1.3 with partitions", Target::vulkan(true, true).with_partitions()),
        ("vulkan1.3 with checked words", Target::vulkan(true, true).with_word_bounds()),
        ("cuda", Target::cuda()),
        ("least", Target::least()),
    ]
}

/// The first difference between a module and its legalised form. `None` if they agree.
pub fn fault(
    module: &Module,
    target: &Target,
    launch: &Launch,
    before: &Bindings,
    wanted: &Bindings,
) -> Option<String> {
    let legal = legalize(module, target);
    let text = ir::text::print(&legal);
    if let Err(problems) = ir::verify::verify(&legal) {
        return Some(format!("not a module: {}\n{text}", problems[0]));
    }
    match ir::text::read(&text) {
        Ok(read) if ir::text::print(&read) == text => {}
        other => return Some(format!("the text is not read back: {:?}\n{text}", other.err())),
    }
    for inst in &legal.insts {
        let missing = asks(&legal, inst).find(|(class, ty)| target.has(*class, *ty) == Has::No);
        if let Some((class, ty)) = missing {
            return Some(format!("{class:?} of {} is left: {:?}\n{text}", ty.name(), inst.op));
        }
    }
    // A logarithm implemented as a product of a logarithm has different bits, as requested.
    let is_log10 = |it: &InstData| matches!(it.op, Op::Unary(Unary::Log10, _));
    if target.has(Class::DecimalLogarithm, Ty::F32) == Has::No && module.insts.iter().any(is_log10)
    {
        return None;
    }
    let printed = printed(module, launch, before);
    for (what, module) in [("as it is", legal.clone()), ("on a device", perturbed(&legal, target))]
    {
        if let Err(problems) = ir::verify::verify(&module) {
            return Some(format!("{what} not a module: {}", problems[0]));
        }
        let mut got = before.clone();
        let log = Arc::new(PrintLog::new(crate::run::MOST_LINES));
        let launch = &Launch { prints: Some(log.clone()), ..launch.clone() };
        match interp::run(&module, launch, &mut got, &mut NoObserver) {
            Ok(()) => {
                if let Some(what_differs) = difference(&module, wanted, &got) {
                    return Some(format!("{what}: {what_differs}"));
                }
                let got = log.read(&module.messages);
                if got != printed {
                    return Some(format!("{what} printed {got:?}, not {printed:?}"));
                }
            }
            Err(failure) => return Some(format!("{what} ended with {failure:?}")),
        }
    }
    None
}

/// Whether all addresses of a run are multiples of the units of their accesses. Targets without [`Class::Bounds`] drop
/// the rest.
pub fn is_aligned(module: &Module, launch: &Launch, before: &Bindings) -> bool {
    let mut alignment = Alignment { module, is_whole: true };
    let ended = interp::run(module, launch, &mut before.clone(), &mut alignment);
    ended.is_ok() && alignment.is_whole
}

struct Alignment<'a> {
    module: &'a Module,
    is_whole: bool,
}

impl Alignment<'_> {
    fn see(&mut self, event: &AccessEvent<'_>) {
        let InstData { op, results, .. } = self.module.inst(event.at.inst);
        let (place, scalars) = match op {
            Op::Load { place, .. } => (place, results),
            Op::Store { place, values, .. } => (place, values),
            Op::Atomic { place, args, .. } => (place, args),
            _ => return,
        };
        let size = self.module.ty(scalars[0]).bytes();
        let unit = match (op, self.module.resource(place.binding).kind.view().address) {
            (_, AddressKind::Texel | AddressKind::Texture | AddressKind::None) => return,
            (Op::Atomic { .. }, _) => size,
            _ => size.min(4),
        };
        let is_whole = |lane: u32| event.addresses[lane as usize].is_multiple_of(unit.into());
        self.is_whole &= event.at.active.iter().all(is_whole);
    }
}

impl Observer for Alignment<'_> {
    const POISON: bool = false;

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.see(event);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.see(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.see(event);
    }
}

/// What a module prints on the reference engine.
fn printed(module: &Module, launch: &Launch, before: &Bindings) -> Printed {
    if module.messages.is_empty() {
        return Printed::default();
    }
    let log = Arc::new(PrintLog::new(crate::run::MOST_LINES));
    let launch = Launch { prints: Some(log.clone()), ..launch.clone() };
    // Whether the run ends, the caller has seen.
    let _ = interp::run(module, &launch, &mut before.clone(), &mut NoObserver);
    log.read(&module.messages)
}

/// The module as it may run on a device that fulfils the target's promises and no more.
pub fn perturbed(module: &Module, target: &Target) -> Module {
    let mut module = module.clone();
    let open = open_cases(&module, target);
    for region in 0..module.regions.len() as u32 {
        let insts = std::mem::take(&mut module.regions[Region(region).index()].insts);
        let mut device = Device { module, list: Vec::new(), last: Inst(0) };
        for inst in insts {
            if open.falls.contains(&inst) {
                device.lose_yield(inst);
            }
            device.misplace(inst);
            device.list.push(inst);
            device.last = inst;
            device.perturb(inst, target);
            if open.sees_lanes.contains(&inst) && !device.module.inst(inst).results.is_empty() {
                let always = device.constant(Ty::Bool, 1);
                device.replace(always, 0x0bad_0bad_0bad_0bad);
            }
        }
        module = device.module;
        module.regions[Region(region).index()].insts = device.list;
    }
    module
}

/// The instructions that an open corner of a switch concerns.
#[derive(Default)]
struct OpenCases {
    /// The yields of cases that fall through.
    falls: BTreeSet<Inst>,
    /// What sees lanes in a case.
    sees_lanes: BTreeSet<Inst>,
}

fn open_cases(module: &Module, target: &Target) -> OpenCases {
    let mut open = OpenCases::default();
    for data in &module.insts {
        let Op::Switch { selector, cases, .. } = &data.op else { continue };
        if target.has(Class::Switch, module.ty(*selector)) != Has::Partly {
            continue;
        }
        for (number, case) in cases.iter().enumerate() {
            let last = module.region(case.body).insts.last();
            let yields = |it: &&Inst| matches!(module.inst(**it).op, Op::Yield(_));
            open.falls.extend(last.filter(|it| number + 1 < cases.len() && yields(it)));
            let mut regions = vec![case.body];
            while let Some(region) = regions.pop() {
                for inst in &module.region(region).insts {
                    let op = &module.inst(*inst).op;
                    regions.extend(op.regions());
                    if op.effects().sees_lanes {
                        open.sees_lanes.insert(*inst);
                    }
                }
            }
        }
    }
    open
}

struct Device {
    module: Module,
    /// The region under construction.
    list: Vec<Inst>,
    /// The instruction whose result the program sees.
    last: Inst,
}

impl Device {
    fn perturb(&mut self, inst: Inst, target: &Target) {
        let op = self.module.inst(inst).op.clone();
        let data = self.module.inst(inst).clone();
        let open: Vec<(Class, Ty)> =
            asks(&self.module, &data).filter(|it| target.has(it.0, it.1) == Has::Partly).collect();
        for (class, _) in &open {
            self.open_corner(&op, *class);
        }
        let makes_nan = match &op {
            Op::Unary(_, a) | Op::Binary(_, a, _) => {
                let ty = self.module.ty(*a);
                ty.is_float() && asks(&self.module, &data).any(|it| rounds(it.0))
            }
            Op::Ternary(Ternary::Fma, _) | Op::Derivative(..) => true,
            Op::Wave { op: WaveOp::Reduce(it) | WaveOp::Scan(it), .. } => {
                matches!(it, Fold::Sum | Fold::Product)
            }
            _ => false,
        };
        let result = self.module.inst(inst).results.first().map(|it| self.module.ty(*it));
        if let Some(ty) = result.filter(|ty| makes_nan && ty.is_float())
            && target.has(Class::Nan, ty) == Has::Partly
        {
            self.other_nan(ty);
        }
    }

    /// An access that is out of bounds, although it says that its bounds have been checked, goes to the first unit.
    fn misplace(&mut self, inst: Inst) {
        let InstData { op, results, .. } = self.module.inst(inst).clone();
        let (place, at, scalars) = match &op {
            Op::Load { place, at } => (*place, *at, &results),
            Op::Store { place, at, values } => (*place, *at, values),
            Op::Atomic { place, at, args, .. } => (*place, *at, args),
            _ => return,
        };
        let Address::Within { unit, bytes, when } = at else { return };
        let kind = self.module.resource(place.binding).kind.clone();
        let size = match kind {
            ResourceKind::Constant { size, .. } => {
                self.constant(Ty::I32, u64::from(size.div_ceil(16).max(1) * 16))
            }
            _ => self.add(Op::Size { place }, Ty::I32),
        };
        // In bytes, or in texels.
        let scale = |it: &mut Self, value, by: u32| {
            let by = it.constant(Ty::I32, by.max(1).into());
            it.binary(Binary::Mul, value, by)
        };
        let size = scale(self, size, kind.view().stride);
        let start = scale(self, unit, bytes);
        let taken = match (&op, bytes) {
            (_, 0) => 1,
            (Op::Atomic { .. }, _) => bytes,
            _ => self.module.ty(scalars[0]).bytes() * scalars.len() as u32,
        };
        let last = self.constant(Ty::I32, u64::from(taken - 1));
        let last = self.binary(Binary::Add, start, last);
        let inside = self.test(Compare::Lt(Sign::Unsigned), last, size);
        let first = self.constant(Ty::I32, 0);
        let unit = self.add(Op::Ternary(Ternary::Select, [inside, unit, first]), Ty::I32);
        let moved = Address::Within { unit, bytes, when };
        match &mut self.module.insts[inst.index()].op {
            Op::Load { at, .. } | Op::Store { at, .. } | Op::Atomic { at, .. } => *at = moved,
            _ => unreachable!("it is an access"),
        }
    }

    /// What falls through arrives as something else.
    fn lose_yield(&mut self, inst: Inst) {
        let mut op = self.module.inst(inst).op.clone();
        op.for_each_operand(|it| {
            let ty = self.module.ty(*it);
            *it = self.constant(ty, 0x0bad_0bad_0bad_0bad & ty.ones());
        });
        self.module.insts[inst.index()].op = op;
    }

    /// Replaces results that are left open by something else.
    fn open_corner(&mut self, op: &Op, class: Class) {
        match (class, op) {
            (Class::Shift, Op::Binary(_, _, count)) => {
                let ty = self.module.ty(*count);
                let width = self.constant(ty, ty.bits().into());
                let beyond = self.test(Compare::Ge(Sign::Unsigned), *count, width);
                self.replace(beyond, 0x0bad_0bad_0bad_0bad);
            }
            (Class::IntegerDivision, Op::Binary(it, a, b)) => {
                let ty = self.module.ty(*a);
                let [zero, ones] = [0, ty.ones()].map(|it| self.constant(ty, it));
                let smallest = self.constant(ty, 1 << (ty.bits() - 1));
                let by_zero = self.test(Compare::Eq, *b, zero);
                let by_minus_one = self.test(Compare::Eq, *b, ones);
                let of_smallest = self.test(Compare::Eq, *a, smallest);
                let overflows = self.binary(Binary::And, by_minus_one, of_smallest);
                let open = match it {
                    Binary::Div(Sign::Unsigned) | Binary::Rem(Sign::Unsigned) => by_zero,
                    _ => self.binary(Binary::Or, by_zero, overflows),
                };
                self.replace(open, 0x0bad_0bad_0bad_0bad);
            }
            (Class::ToInteger, Op::Unary(Unary::Convert { to, to_sign, .. }, a)) => {
                let ty = self.module.ty(*a);
                let bits = to.bits() - u32::from(*to_sign == Sign::Signed);
                let limit = self.float(ty, (1u128 << bits) as f64);
                let low = match to_sign {
                    Sign::Signed => -((1u128 << bits) as f64) - 1.0,
                    Sign::Unsigned => -1.0,
                };
                let low = self.float(ty, low);
                let below = self.test(Compare::Lt(Sign::Signed), *a, limit);
                let above = self.test(Compare::Gt(Sign::Signed), *a, low);
                let inside = self.binary(Binary::And, below, above);
                let outside = self.add(Op::Unary(Unary::Not, inside), Ty::Bool);
                self.replace(outside, 0x0bad_0bad_0bad_0bad);
            }
            (Class::Extremum, Op::Binary(_, a, b)) => {
                // Of two zeros, the other one.
                let ty = self.module.ty(*a);
                let equal = self.test(Compare::Eq, *a, *b);
                let zero = self.constant(ty, 0);
                let of_zero = self.test(Compare::Eq, *a, zero);
                let zeros = self.binary(Binary::And, equal, of_zero);
                let (seen, raw) = self.rename();
                let other = self.add(Op::Unary(Unary::Neg, raw), ty);
                self.finish(seen, Op::Ternary(Ternary::Select, [zeros, other, raw]));
            }
            (Class::NanTest, Op::Unary(..)) => {
                let (seen, _) = self.rename();
                self.finish(seen, Op::Const { ty: Ty::Bool, bits: 0 });
            }
            // A fold of floats starts with `+0`, and may order zeros and NaN arbitrarily.
            (Class::Fold, Op::Wave { op: it, .. }) => {
                let (seen, raw) = self.rename();
                let ty = self.module.ty(raw);
                let zero = self.constant(ty, 0);
                match fold_of(*it) {
                    Some(Fold::Sum) => {
                        self.finish(seen, Op::Binary(Binary::Add, raw, zero));
                    }
                    Some(Fold::Min(_) | Fold::Max(_)) => {
                        self.finish(seen, Op::Const { ty, bits: 0x0bad });
                    }
                    _ => self.finish(seen, Op::Unary(Unary::Bitcast(ty), raw)),
                }
            }
            (Class::Sign, Op::Unary(_, a)) => {
                let ty = self.module.ty(*a);
                self.other_nan(ty);
            }
            _ => {}
        }
    }

    /// Replaces any NaN by a different one.
    fn other_nan(&mut self, ty: Ty) {
        let (seen, raw) = self.rename();
        let is_nan = self.test(Compare::Ne, raw, raw);
        let payload = match ty {
            Ty::F16 => 0xfe12,
            Ty::F64 => 0xfff8_0000_0000_1234,
            _ => 0xffc0_1234,
        };
        let other = self.constant(ty, payload);
        self.finish(seen, Op::Ternary(Ternary::Select, [is_nan, other, raw]));
    }

    fn replace(&mut self, open: Value, anything: u64) {
        let (seen, raw) = self.rename();
        let ty = self.module.ty(raw);
        let anything = self.constant(ty, anything & ty.ones());
        self.finish(seen, Op::Ternary(Ternary::Select, [open, anything, raw]));
    }

    /// Gives the instruction a new result, so that users of the old one get its replacement.
    fn rename(&mut self) -> (Value, Value) {
        let seen = self.module.inst(self.last).results[0];
        let raw = self.value(self.module.ty(seen), self.last);
        self.module.insts[self.last.index()].results[0] = raw;
        (seen, raw)
    }

    /// Defines the old result.
    fn finish(&mut self, seen: Value, op: Op) {
        self.last = self.push(op, seen);
        self.module.values[seen.index()].def = ValueDef::Result(self.last, 0);
    }

    fn push(&mut self, op: Op, result: Value) -> Inst {
        let inst = Inst(self.module.insts.len() as u32);
        let span = ir::Span::NONE;
        self.module.insts.push(InstData { op, results: values![result], span });
        self.list.push(inst);
        inst
    }

    fn value(&mut self, ty: Ty, inst: Inst) -> Value {
        self.module.values.push(ValueData { ty, def: ValueDef::Result(inst, 0) });
        Value(self.module.values.len() as u32 - 1)
    }

    fn add(&mut self, op: Op, ty: Ty) -> Value {
        let value = self.value(ty, Inst(self.module.insts.len() as u32));
        self.push(op, value);
        value
    }

    fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.add(Op::Const { ty, bits }, ty)
    }

    fn float(&mut self, ty: Ty, value: f64) -> Value {
        self.constant(ty, ty.float_bits(value))
    }

    fn test(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.add(Op::Compare(op, a, b), Ty::Bool)
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let ty = self.module.ty(a);
        self.add(Op::Binary(op, a, b), ty)
    }
}

/// Whether operations of a class produce arbitrary NaNs.
fn rounds(class: Class) -> bool {
    matches!(
        class,
        Class::Nan
            | Class::Extremum
            | Class::Rounding
            | Class::Root
            | Class::Division
            | Class::Remainder
            | Class::Transcendental
    )
}

fn fold_of(op: WaveOp) -> Option<Fold> {
    match op {
        WaveOp::Reduce(fold)
        | WaveOp::Scan(fold)
        | WaveOp::MultiReduce(fold)
        | WaveOp::MultiScan(fold)
        | WaveOp::MultiScanInclusive(fold) => Some(fold),
        _ => None,
    }
}
