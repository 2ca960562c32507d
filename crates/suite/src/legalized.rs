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
use ir::exec::{Bindings, Buffer, ElementFormat, Launch, What};
use ir::print::{PrintLog, Printed};
use ir::rewrite::{Rewriter, rewrite};
use ir::{Address, AddressKind, Inst, InstData, Module, Op, ResourceKind, Value};
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
        ("vulkan1.3 with matches by bits", Target::vulkan(true, true).with_matches_by_bits(width)),
        ("vulkan1.3 with checked words", Target::vulkan(true, true).with_word_bounds()),
        ("cuda", Target::cuda()),
        ("cuda with matches by bits", Target::cuda().with_matches_by_bits(width)),
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
    let target = &target.clone().with_formats(formats(before));
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
        // To a device maps of sampler feedback are buffers.
        for (elements, resource) in got.bindings.iter_mut().zip(&module.resources) {
            if !matches!(resource.kind, ResourceKind::Feedback { .. }) {
                let maps = elements.iter_mut().filter(|it| it.what.feedback().is_some());
                maps.for_each(|it| it.what = What::default());
            }
        }
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

/// The formats of what is bound to typed buffers.
pub fn formats(bindings: &Bindings) -> Vec<Option<ElementFormat>> {
    let of = |elements: &Vec<Buffer>| elements.first().and_then(|it| it.what.format());
    bindings.bindings.iter().map(of).collect()
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
    rewrite(&mut module, |to, _, inst| {
        let mut device = Device { to, last: inst };
        if open.falls.contains(&inst) {
            device.lose_yield(inst);
        }
        device.misplace(inst, target);
        device.to.keep(inst);
        device.perturb(inst, target);
        if open.sees_lanes.contains(&inst) && !device.to.module.inst(inst).results.is_empty() {
            let always = device.to.constant(Ty::Bool, 1);
            device.replace(always, 0x0bad_0bad_0bad_0bad);
        }
    });
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

/// An instruction, as a device executes it.
struct Device<'a, 'b> {
    to: &'a mut Rewriter<'b>,
    /// The instruction whose result the program sees.
    last: Inst,
}

impl Device<'_, '_> {
    fn perturb(&mut self, inst: Inst, target: &Target) {
        let op = self.to.module.inst(inst).op.clone();
        let data = self.to.module.inst(inst).clone();
        let open: Vec<(Class, Ty)> = asks(self.to.module, &data)
            .filter(|it| target.has(it.0, it.1) == Has::Partly)
            .collect();
        for (class, _) in &open {
            self.open_corner(&op, *class);
        }
        let makes_nan = match &op {
            Op::Unary(_, a) | Op::Binary(_, a, _) => {
                let ty = self.to.module.ty(*a);
                ty.is_float() && asks(self.to.module, &data).any(|it| rounds(it.0))
            }
            Op::Ternary(Ternary::Fma, _) | Op::Derivative(..) => true,
            Op::Wave { op: WaveOp::Reduce(it) | WaveOp::Scan(it), .. } => {
                matches!(it, Fold::Sum | Fold::Product)
            }
            _ => false,
        };
        let result = self.to.module.inst(inst).results.first().map(|it| self.to.module.ty(*it));
        if let Some(ty) = result.filter(|ty| makes_nan && ty.is_float())
            && target.has(Class::Nan, ty) == Has::Partly
        {
            self.other_nan(ty);
        }
    }

    /// An access that is out of bounds, although it says that its bounds have been checked, goes to the first unit.
    fn misplace(&mut self, inst: Inst, target: &Target) {
        let InstData { op, results, .. } = self.to.module.inst(inst).clone();
        let (place, at, scalars) = match &op {
            Op::Load { place, at } => (*place, *at, &results),
            Op::Store { place, at, values } => (*place, *at, values),
            Op::Atomic { place, at, args, .. } => (*place, *at, args),
            _ => return,
        };
        let Address::Within { unit, bytes, when } = at else { return };
        let kind = self.to.module.resource(place.binding).kind.clone();
        let size = match kind {
            ResourceKind::Constant { size, .. } => {
                self.constant(Ty::I32, u64::from(size.div_ceil(16).max(1) * 16))
            }
            _ => self.add(Op::Size { place }, Ty::I32),
        };
        let element = match kind {
            // The bytes of texels.
            ResourceKind::Typed { .. } if bytes > 0 => {
                let format = target.texel_format(self.to.module, place.binding);
                ir::access::texel_bytes(format) as u32
            }
            _ => kind.view().stride,
        };
        // In bytes, or in texels.
        let scale = |it: &mut Self, value, by: u32| {
            let by = it.constant(Ty::I32, by.max(1).into());
            it.binary(Binary::Mul, value, by)
        };
        let size = scale(self, size, element);
        let start = scale(self, unit, bytes);
        let taken = match (&op, bytes) {
            (_, 0) => 1,
            (Op::Atomic { .. }, _) => bytes,
            _ => at.scalar_bytes(self.to.module.ty(scalars[0])) * scalars.len() as u32,
        };
        let last = self.constant(Ty::I32, u64::from(taken - 1));
        let last = self.binary(Binary::Add, start, last);
        let inside = self.test(Compare::Lt(Sign::Unsigned), last, size);
        let first = self.constant(Ty::I32, 0);
        let unit = self.add(Op::Ternary(Ternary::Select, [inside, unit, first]), Ty::I32);
        let moved = Address::Within { unit, bytes, when };
        match &mut self.to.module.insts[inst.index()].op {
            Op::Load { at, .. } | Op::Store { at, .. } | Op::Atomic { at, .. } => *at = moved,
            _ => unreachable!("it is an access"),
        }
    }

    /// What falls through arrives as something else.
    fn lose_yield(&mut self, inst: Inst) {
        let mut op = self.to.module.inst(inst).op.clone();
        op.for_each_operand(|it| {
            let ty = self.to.module.ty(*it);
            *it = self.constant(ty, 0x0bad_0bad_0bad_0bad & ty.ones());
        });
        self.to.module.insts[inst.index()].op = op;
    }

    /// Replaces results that are left open by something else.
    fn open_corner(&mut self, op: &Op, class: Class) {
        match (class, op) {
            (Class::Shift, Op::Binary(_, _, count)) => {
                let ty = self.to.module.ty(*count);
                let width = self.constant(ty, ty.bits().into());
                let beyond = self.test(Compare::Ge(Sign::Unsigned), *count, width);
                self.replace(beyond, 0x0bad_0bad_0bad_0bad);
            }
            (Class::IntegerDivision, Op::Binary(it, a, b)) => {
                let ty = self.to.module.ty(*a);
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
                let ty = self.to.module.ty(*a);
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
                let ty = self.to.module.ty(*a);
                let equal = self.test(Compare::Eq, *a, *b);
                let zero = self.constant(ty, 0);
                let of_zero = self.test(Compare::Eq, *a, zero);
                let zeros = self.binary(Binary::And, equal, of_zero);
                self.change(|to, raw| {
                    let other = to.value(Op::Unary(Unary::Neg, raw), ty);
                    to.value(Op::Ternary(Ternary::Select, [zeros, other, raw]), ty)
                });
            }
            (Class::NanTest, Op::Unary(..)) => {
                self.change(|to, _| to.constant(Ty::Bool, 0));
            }
            // A fold of floats starts with `+0`, and may order zeros and NaN arbitrarily.
            (Class::Fold | Class::FoldExtremum, Op::Wave { op: it, .. }) => {
                self.change(|to, raw| {
                    let ty = to.module.ty(raw);
                    match it.fold() {
                        Some(Fold::Sum) => {
                            let zero = to.constant(ty, 0);
                            to.value(Op::Binary(Binary::Add, raw, zero), ty)
                        }
                        Some(Fold::Min(_) | Fold::Max(_)) => to.constant(ty, 0x0bad),
                        _ => to.value(Op::Unary(Unary::Bitcast(ty), raw), ty),
                    }
                });
            }
            (Class::Sign, Op::Unary(_, a)) => {
                let ty = self.to.module.ty(*a);
                self.other_nan(ty);
            }
            _ => {}
        }
    }

    /// Replaces any NaN by a different one.
    fn other_nan(&mut self, ty: Ty) {
        let payload = match ty {
            Ty::F16 => 0xfe12,
            Ty::F64 => 0xfff8_0000_0000_1234,
            _ => 0xffc0_1234,
        };
        self.change(|to, raw| {
            let is_nan = to.value(Op::Compare(Compare::Ne, raw, raw), Ty::Bool);
            let other = to.constant(ty, payload);
            to.value(Op::Ternary(Ternary::Select, [is_nan, other, raw]), ty)
        });
    }

    fn replace(&mut self, open: Value, anything: u64) {
        self.change(|to, raw| {
            let ty = to.module.ty(raw);
            let anything = to.constant(ty, anything & ty.ones());
            to.value(Op::Ternary(Ternary::Select, [open, anything, raw]), ty)
        });
    }

    /// Gives the users of the result what `change` makes of it.
    fn change(&mut self, change: impl FnOnce(&mut Rewriter<'_>, Value) -> Value) {
        let seen = self.to.module.inst(self.last).results[0];
        self.to.change_result(self.last, 0, |to, raw| change(to, raw));
        if let Some(last) = self.to.module.made_by(seen) {
            self.last = last;
        }
    }

    fn add(&mut self, op: Op, ty: Ty) -> Value {
        self.to.value(op, ty)
    }

    fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.to.constant(ty, bits)
    }

    fn float(&mut self, ty: Ty, value: f64) -> Value {
        self.constant(ty, ty.float_bits(value))
    }

    fn test(&mut self, op: Compare, a: Value, b: Value) -> Value {
        self.add(Op::Compare(op, a, b), Ty::Bool)
    }

    fn binary(&mut self, op: Binary, a: Value, b: Value) -> Value {
        let ty = self.to.module.ty(a);
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

/// The first difference between a module with textures and its form with buffers. `None` if they agree, or if that form
/// does not exist.
pub fn texture_fault(
    module: &Module,
    launch: &Launch,
    before: &Bindings,
    wanted: &Bindings,
) -> Option<String> {
    // On a device, a descriptor of a texture is not one of a buffer. Here the contents are the same for all views.
    let has = |textures: bool| {
        let of = |it: &ir::Resource| matches!(it.kind, ResourceKind::Texture { .. }) == textures;
        let is_heap = |it: &ir::Resource| it.register.class == ir::RegisterClass::ResourceHeap;
        module.resources.iter().any(|it| is_heap(it) && of(it))
    };
    if has(true) && has(false) {
        return None;
    }
    let elements = |it: ir::Binding| before.bindings.get(it.index()).into_iter().flatten();
    let shapes = |it| elements(it).map(|it| it.what.texture()).collect::<Vec<_>>();
    let samplers = |it| elements(it).map(|it| it.what.sampler()).collect::<Vec<_>>();
    let formats = legalize::formats(module, shapes);
    let lowered = legalize::without_textures(module, &formats).ok()?;
    let text = ir::text::print(&lowered.module);
    if let Err(problems) = ir::verify::verify(&lowered.module) {
        return Some(format!("not a module: {}\n{text}", problems[0]));
    }
    let mut got = before.clone();
    // A buffer now, which a texture is not. The last view of a heap that fits an element decides.
    for (index, unit) in lowered.units.iter().enumerate().rev() {
        let binding = module.storage(ir::Binding(index as u32));
        let ResourceKind::Texture { dim, .. } = module.resources[index].kind else { continue };
        // The views of a heap see those of their own dimension.
        let elements = got.bindings.get_mut(binding.index()).into_iter().flatten();
        for element in elements.filter(|it| it.what.texture().is_some_and(|it| it.suits(dim))) {
            element.what = What::Memory { format: *unit, counter: 0 };
        }
    }
    for element in got.bindings.iter_mut().flatten().filter(|it| it.what.texture().is_some()) {
        element.what = What::default();
    }
    got.bindings.resize(module.resources.len(), Vec::new());
    for extra in &lowered.extras {
        let bytes = extra.bytes(module, &formats, shapes, samplers).into();
        got.bindings.push(vec![Buffer { bytes, ..Default::default() }]);
    }
    if let Err(failure) = interp::run(&lowered.module, launch, &mut got, &mut NoObserver) {
        return Some(format!("ended with {failure:?}\n{text}"));
    }
    for (got, before) in got.bindings.iter_mut().zip(&before.bindings) {
        for (got, before) in got.iter_mut().zip(before) {
            if before.what.texture().is_some() {
                got.what = before.what.clone();
            }
        }
    }
    got.bindings.truncate(before.bindings.len());
    difference(module, wanted, &got).map(|it| format!("{it}\n{text}"))
}

/// The first difference between a module and its form whose groups run in turn, on that many groups. `None` if they
/// agree, or if that form does not exist.
pub fn merged_fault(
    module: &Module,
    launch: &Launch,
    before: &Bindings,
    wanted: &Bindings,
    groups: u32,
) -> Option<String> {
    let size = |it: &Vec<Buffer>| it.first().map_or(0, |it| it.bytes.len());
    let sizes: Vec<usize> = before.bindings.iter().map(size).collect();
    let merged = legalize::merged(module, &sizes)?;
    let text = ir::text::print(&merged);
    if let Err(problems) = ir::verify::verify(&merged) {
        return Some(format!("not a module: {}\n{text}", problems[0]));
    }
    let mut got = before.clone();
    got.bindings.resize(module.resources.len(), Vec::new());
    let bytes = legalize::merged_record(launch.groups(), groups).into();
    got.bindings.push(vec![Buffer { bytes, ..Default::default() }]);
    let work = ir::exec::Work::Dispatch { groups: [groups, 1, 1] };
    let launch = Launch { work, fuel: None, ..launch.clone() };
    if let Err(failure) = interp::run(&merged, &launch, &mut got, &mut NoObserver) {
        return Some(format!("ended with {failure:?}\n{text}"));
    }
    got.bindings.truncate(before.bindings.len());
    difference(module, wanted, &got).map(|it| format!("{it}\n{text}"))
}
