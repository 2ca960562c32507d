//! Instruments the shaders of a draw, so that a device says which lane of which wave each pixel was: a device is free
//! to assign pixels to lanes, and its wave operations can be compared only with those of a run that is packed the same
//! way.
//!
//! At the start of the pixel shader, the first participant of a wave draws a number for it, and every lane that is not
//! a helper lane stores its pixel, primitive and so on at the place of its wave and lane. Helper lanes cannot store;
//! they are the lanes of a quad that did not.
//!
//! Deliberately absent: how vertices are packed.

use diag::Span;
use ops::wave::Sees;
use ops::{Binary, Sign, Ternary, Ty, Unary, WaveOp};

use crate::rewrite::{Rewriter, rewrite};
use crate::stage::{
    Element, Holder, Interpolation, InterpolationMode, StageIo, SystemValue, slot_count, with_slots,
};
use crate::{
    Address, Atomic, Binding, Chosen, HostScalar, Module, Op, Place, Resource, ResourceKind, Slot,
    Value, values,
};

/// The bytes before the first seat: the number of waves.
pub const HEADER: usize = 16;
/// The bytes of a seat.
pub const SEAT: usize = 32;
/// The name of the buffer.
const NAME: &str = "packing";
/// The semantic of the number of the instance.
const INSTANCE: &str = "WAVELANE_INSTANCE";

/// What a lane of a wave was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seat {
    pub x: u32,
    pub y: u32,
    pub primitive: u32,
    pub instance: u32,
    /// As the vertex shader wrote it.
    pub layer: u32,
    pub sample: u32,
}

/// For each wave, its lanes; `None` for those that stored nothing. The order of waves means nothing.
pub type Seats = Vec<Vec<Option<Seat>>>;

impl Module {
    /// Whether its results can depend on which pixels or vertices share a wave, and on the place of each there.
    pub fn sees_packing(&self) -> bool {
        self.insts.iter().any(|it| match it.op {
            Op::Wave { op: WaveOp::IsHelperLane, .. } => false,
            Op::Wave { op, .. } => op.facts().sees != Sees::Quad,
            _ => false,
        })
    }
}

fn number(semantic: &str, system: Option<SystemValue>) -> Element {
    Element {
        semantic: semantic.to_owned(),
        index: 0,
        scalar: HostScalar::U32,
        components: 1,
        interpolation: Interpolation { mode: InterpolationMode::Flat, ..Interpolation::default() },
        holder: Holder::Own,
        system,
        span: Span::NONE,
    }
}

/// The first slot of an element, which is appended if there is none like it.
fn slot_of(elements: &mut Vec<Element>, new: Element) -> Slot {
    let is_it = |it: &Element| match new.system {
        Some(_) => it.system == new.system,
        None => it.is(&new.semantic, new.index),
    };
    if let Some((slot, _)) = with_slots(elements).find(|(_, it)| is_it(it)) {
        return slot;
    }
    let slot = Slot(slot_count(elements));
    elements.push(new);
    slot
}

/// Emits in front of the first instruction.
fn at_start(module: &mut Module, emit: impl FnOnce(&mut Rewriter<'_>)) {
    let mut emit = Some(emit);
    rewrite(module, |to, _, inst| {
        if let Some(emit) = emit.take() {
            to.span = Span::NONE;
            emit(to);
        }
        to.keep(inst);
    });
}

/// A vertex shader that also passes on the number of the instance.
pub fn vertex(module: &Module) -> Module {
    let mut module = module.clone();
    let Some(StageIo { inputs, outputs, .. }) = &mut module.io else { return module };
    let instance = slot_of(inputs, number("SV_InstanceID", Some(SystemValue::InstanceId)));
    let slot = slot_of(outputs, number(INSTANCE, None));
    at_start(&mut module, |to| {
        let value = to.value(Op::Input(instance), Ty::I32);
        to.inst(Op::Output { slot, value }, &[]);
    });
    module
}

/// The values that the stages in front of a pixel shader pass to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub primitives: bool,
    pub instances: bool,
    pub layers: bool,
}

/// A pixel shader that also records its packing, and the buffer for it. Values that it does not get are recorded as 0.
pub fn pixel(module: &Module, told: Told) -> (Module, Binding) {
    let binding = Binding(module.resources.len() as u32);
    let mut module = module.clone();
    let register = module.free_register();
    module.resources.push(Resource {
        name: NAME.to_owned(),
        kind: ResourceKind::Raw { writable: true },
        count: Some(1),
        register,
        chosen: Chosen::Counted,
        globally_coherent: false,
        alias_of: None,
        used: true,
        span: Span::NONE,
    });
    let Some(io) = &mut module.io else { return (module, binding) };
    let per_sample = io.pixel.sample_frequency;
    let mut position = number("SV_Position", Some(SystemValue::Position));
    (position.scalar, position.components) = (HostScalar::F32, 4);
    position.interpolation = Interpolation::default();
    let inputs = &mut io.inputs;
    let position = slot_of(inputs, position);
    let optional = |is_there: bool, element: Element, inputs: &mut Vec<Element>| {
        is_there.then(|| slot_of(inputs, element))
    };
    let primitive = number("SV_PrimitiveID", Some(SystemValue::PrimitiveId));
    let primitive = optional(told.primitives, primitive, inputs);
    let instance = optional(told.instances, number(INSTANCE, None), inputs);
    let index = SystemValue::RenderTargetArrayIndex;
    let layer = optional(told.layers, number("SV_RenderTargetArrayIndex", Some(index)), inputs);
    let sample = number("SV_SampleIndex", Some(SystemValue::SampleIndex));
    let sample = optional(per_sample, sample, inputs);
    let place = Place { binding, element: None };
    at_start(&mut module, |to| {
        let wave = |to: &mut Rewriter<'_>, op: WaveOp, args: &[Value], ty: Ty| {
            to.value(Op::Wave { op, args: args.iter().copied().collect(), lanes: None }, ty)
        };
        let constant = |to: &mut Rewriter<'_>, bits: u32| to.constant(Ty::I32, bits.into());
        let (zero, one) = (constant(to, 0), constant(to, 1));
        let first = wave(to, WaveOp::IsFirstLane, &[], Ty::Bool);
        let by = to.value(Op::Ternary(Ternary::Select, [first, one, zero]), Ty::I32);
        let add = Op::Atomic { place, at: Address::Byte(zero), op: Atomic::Add, args: values![by] };
        let drawn = to.value(add, Ty::I32);
        let drawn = wave(to, WaveOp::ReadLaneFirst, &[drawn], Ty::I32);
        let count = wave(to, WaveOp::LaneCount, &[], Ty::I32);
        let lane = wave(to, WaveOp::LaneIndex, &[], Ty::I32);
        let op2 = |to: &mut Rewriter<'_>, op: Binary, a: Value, b: Value| {
            to.value(Op::Binary(op, a, b), Ty::I32)
        };
        let start = op2(to, Binary::Mul, drawn, count);
        let seat = op2(to, Binary::Add, start, lane);
        let (size, header) = (constant(to, SEAT as u32), constant(to, HEADER as u32));
        let offset = op2(to, Binary::Mul, seat, size);
        let at = op2(to, Binary::Add, offset, header);
        let coordinate = |to: &mut Rewriter<'_>, component: u32| {
            let value = to.value(Op::Input(Slot(position.0 + component)), Ty::F32);
            let sign = Sign::Unsigned;
            let convert = Unary::Convert { to: Ty::I32, from_sign: sign, to_sign: sign };
            to.value(Op::Unary(convert, value), Ty::I32)
        };
        let input = |to: &mut Rewriter<'_>, slot: Option<Slot>| match slot {
            Some(slot) => to.value(Op::Input(slot), Ty::I32),
            None => zero,
        };
        let mut words = vec![one, coordinate(to, 0), coordinate(to, 1)];
        for slot in [primitive, instance, layer, sample] {
            words.push(input(to, slot));
        }
        for (number, word) in (0..).zip(words) {
            let more = constant(to, 4 * number);
            let at = Address::Byte(op2(to, Binary::Add, at, more));
            to.inst(Op::Store { place, at, values: values![word] }, &[]);
        }
    });
    (module, binding)
}

/// The bytes of a recording of that many waves.
pub fn bytes(waves: usize, width: u32) -> usize {
    HEADER + waves * width as usize * SEAT
}

/// Reads a recording. `None` if there were more waves than it has room for.
pub fn read(bytes: &[u8], width: u32) -> Option<Seats> {
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let count = word(0)? as usize;
    let seat = |wave: usize, lane: u32| {
        let start = HEADER + (wave * width as usize + lane as usize) * SEAT;
        let [is_there, x, y, primitive, instance, layer, sample] =
            [0, 1, 2, 3, 4, 5, 6].map(|it| word(start + 4 * it));
        let of = |it: Option<u32>| it.unwrap_or(0);
        let seat = Seat {
            x: x?,
            y: of(y),
            primitive: of(primitive),
            instance: of(instance),
            layer: of(layer),
            sample: of(sample),
        };
        Some((is_there? != 0).then_some(seat))
    };
    (0..count).map(|wave| (0..width).map(|lane| seat(wave, lane)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_reads_back_and_overflow_is_noticed() {
        let mut recorded = vec![0; bytes(2, 4)];
        recorded[0] = 2;
        let at = HEADER + (4 + 3) * SEAT;
        for (number, word) in [1u8, 5, 6, 7, 8, 9, 3].into_iter().enumerate() {
            recorded[at + 4 * number] = word;
        }
        let seats = read(&recorded, 4).unwrap();
        let seat = Seat { x: 5, y: 6, primitive: 7, instance: 8, layer: 9, sample: 3 };
        assert_eq!(seats, [vec![None; 4], vec![None, None, None, Some(seat)]]);
        recorded[0] = 3;
        assert_eq!(read(&recorded, 4), None);
    }
}
