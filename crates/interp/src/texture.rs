//! Textures and derivatives: which lanes run, and which events observers get. [`ir::TextureCall`] defines what an
//! instruction does for a lane.
//!
//! Poison: a result is poisoned if an operand is, or if derivatives were taken in a partially active quad. The
//! contents of a texture are not tracked, as with buffers.

use ir::exec::Buffer;
use ir::{Derivative, Operands, TextureCall, TextureOp, quad_lane};
use ops::scalar::eval_binary;
use ops::texture::Image;
use ops::wave::Lanes;
use ops::{Binary, LaneMask, Ty};

use crate::buffers::for_each_lane;
use crate::code::{Code, Row, TextureCode};
use crate::machine::{Machine, WaveState};
use crate::observe::{
    AccessEvent, At, DerivativeEvent, FeedbackEvent, FeedbackWrite, Observer, SampleEvent, Space,
};
use crate::registers::Registers;

impl<O: Observer> Machine<'_, O> {
    /// Gives the number of texels that were sampled.
    pub(crate) fn texture(
        &mut self,
        group: [u32; 3],
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
    ) -> u64 {
        let program = self.program;
        let Code::Texture(table) = program.codes[pc] else {
            unreachable!("the caller passes texture instructions only")
        };
        let code = &program.textures[table as usize];
        let call = &code.call;
        let partial = if call.op.needs_quad() { partial_quads(active) } else { LaneMask::EMPTY };
        let poison =
            if O::POISON { operand_poison(call, &wave.registers, active) } else { LaneMask::EMPTY };
        if O::EVENTS {
            self.tell(call, group, wave, pc, active, poison, partial);
        }
        let mut texels = 0;
        for_each_lane(active, |lane| {
            texels += u64::from(self.lane(code, &mut wave.registers, lane, active));
        });
        // Stores and atomic operations alone have values.
        self.changes += u64::from(!call.values.is_empty());
        if O::POISON {
            code.results.iter().for_each(|row| wave.registers.set_poison(*row, poison | partial));
        }
        texels
    }

    pub(crate) fn derivative(
        &mut self,
        group: [u32; 3],
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
        (of, ty, to, a): (Derivative, Ty, Row, Row),
    ) {
        let registers = &mut wave.registers;
        let partial = partial_quads(active);
        let read = registers.poison(a) & active;
        let mut poison = LaneMask::EMPTY;
        for_each_lane(active, |lane| {
            let lanes = self.coarse.lanes(of, lane & 3).map(|it| quad_lane(lane, it, active));
            let [greater, lesser] = lanes.map(|it| registers.get(a, it));
            registers.set(to, lane, eval_binary(Binary::Sub, ty, greater, lesser));
            poison = poison.with(lane, lanes.iter().any(|it| read.contains(*it)));
        });
        if O::POISON {
            registers.set_poison(to, poison | partial);
        }
        if O::EVENTS {
            let at = self.at(group, wave.index, pc, active);
            self.observer.derivative(&DerivativeEvent { at, of, poison, partial });
        }
    }

    #[allow(clippy::too_many_arguments, reason = "an event needs all of them")]
    fn tell(
        &mut self,
        call: &TextureCall<Row>,
        group: [u32; 3],
        wave: &WaveState,
        pc: usize,
        active: LaneMask,
        poison: LaneMask,
        partial: LaneMask,
    ) {
        let at = self.at(group, wave.index, pc, active);
        let registers = &wave.registers;
        let (texture, element) = call.texture;
        let element = element.map(|row| registers.words(row));
        if call.op == TextureOp::Size {
            return;
        }
        if call.op.samples() {
            let sampler = call.sampler.map(|(sampler, _)| sampler);
            let op = call.op;
            let event = SampleEvent { at, op, texture, element, sampler, poison, partial };
            self.observer.sample(&event);
            if op.is_feedback() {
                self.tell_feedback(call, registers, at, poison);
            }
            return;
        }
        let mut in_bounds = LaneMask::EMPTY;
        let mut size = 0;
        for_each_lane(active, |lane| {
            let image =
                self.buffer_of(call.texture, registers, lane).and_then(|it| image(it, call));
            let start = image.and_then(|image| call.start(&image, registers, lane));
            size = image.map_or(size, |it| it.shape.format.bytes() as u32);
            in_bounds = in_bounds.with(lane, start.is_some());
            self.places.start[lane as usize] = start.map_or(u64::MAX, |it| it as u64);
        });
        let values = call.values.iter().map(|row| registers.poison(*row));
        let value_poison = values.fold(LaneMask::EMPTY, |all, it| all | it) & active;
        let values: Vec<Lanes<'_>> = match call.op {
            TextureOp::Store => call.values.iter().map(|row| registers.lanes(*row)).collect(),
            _ => Vec::new(),
        };
        let places = address_rows(call).map(|row| registers.poison(row));
        let event = AccessEvent {
            at,
            space: Space::Buffer(texture, element),
            addresses: &self.places.start[..self.width as usize],
            size,
            in_bounds,
            address_poison: places.fold(LaneMask::EMPTY, |all, it| all | it) & active,
            value_poison,
            values: &values,
        };
        match call.op {
            TextureOp::Store => self.observer.store(&event),
            TextureOp::Atomic(_) => self.observer.atomic(&event),
            _ => self.observer.load(&event),
        }
    }

    /// Tells of what the active lanes are about to record.
    fn tell_feedback(
        &mut self,
        call: &TextureCall<Row>,
        registers: &Registers,
        at: At,
        poison: LaneMask,
    ) {
        let Some((map, element)) = call.map else { return };
        let element = element.map(|row| registers.words(row));
        let bindings = &self.bindings.bindings;
        let bound = |binding: ir::Binding, element: u32| -> Option<&Buffer> {
            bindings.get(binding.index())?.get(element as usize)
        };
        let at_lane = |lane: u32| {
            let of = |row: Option<Row>| row.map_or(0, |row| registers.words(row)[lane as usize]);
            let texture = bound(call.texture.0, of(call.texture.1))?;
            let (shape, identity) = texture.what.identified()?;
            let shape = call.suiting(Some(shape))?;
            let sampler = call.sampler.and_then(|it| bound(it.0, of(it.1))?.what.sampler());
            let element = element.map_or(0, |it| it[lane as usize]);
            let buffer = bound(map, element)?;
            let held = *buffer.what.feedback().filter(|it| it.map.kind == call.kind)?;
            Some(FeedbackWrite {
                lane,
                element,
                map: held,
                memory: &buffer.bytes,
                shape,
                is_paired: held.suits(&shape, identity),
                sampler: sampler.unwrap_or_default(),
                dim: call.dim,
                query: call.recorded(registers, lane),
            })
        };
        let writes: Vec<FeedbackWrite<'_>> = at.active.iter().filter_map(at_lane).collect();
        self.observer.feedback(&FeedbackEvent { at, map, element, writes: &writes, poison });
    }

    /// The texture or sampler that a lane accesses.
    fn buffer_of(
        &self,
        (binding, element): (ir::Binding, Option<Row>),
        registers: &Registers,
        lane: u32,
    ) -> Option<&Buffer> {
        let element = element.map_or(0, |row| registers.words(row)[lane as usize]);
        self.bindings.bindings.get(binding.index())?.get(element as usize)
    }

    /// Runs the instruction for one lane; gives the number of texels that were sampled.
    fn lane(
        &mut self,
        code: &TextureCode,
        registers: &mut Registers,
        lane: u32,
        active: LaneMask,
    ) -> u32 {
        let call = &code.call;
        if call.op.is_feedback() {
            return self.feedback(call, registers, lane);
        }
        let (results, texels) = if call.op.writes() {
            ([self.write(call, registers, lane), 0, 0, 0], 0)
        } else {
            let buffer = self.buffer_of(call.texture, registers, lane);
            let map = buffer.and_then(|it| it.what.feedback());
            match buffer.and_then(|it| image(it, call)) {
                _ if let (TextureOp::Size, Some(map)) = (call.op, map) => {
                    (call.map_size(map, registers, lane), 0)
                }
                Some(image) => {
                    let sampler = call.sampler;
                    let sampler =
                        sampler.and_then(|it| self.buffer_of(it, registers, lane)?.what.sampler());
                    call.read(&image, &sampler.unwrap_or_default(), registers, lane, active)
                }
                None => ([0; 4], 0),
            }
        };
        for (row, value) in code.results.iter().zip(results) {
            registers.set(*row, lane, value);
        }
        texels
    }

    /// Records what a sample would use; gives the number of texels. A resource that is missing, or of another kind than
    /// the shader expects, makes it nothing.
    fn feedback(&mut self, call: &TextureCall<Row>, registers: &Registers, lane: u32) -> u32 {
        let texture = self.buffer_of(call.texture, registers, lane);
        let Some(texture) = texture.and_then(|it| it.what.identified()) else { return 0 };
        if call.suiting(Some(texture.0)).is_none() {
            return 0;
        }
        let sampler =
            call.sampler.and_then(|it| self.buffer_of(it, registers, lane)?.what.sampler());
        let Some((binding, element)) = call.map else { return 0 };
        let element = element.map_or(0, |row| registers.words(row)[lane as usize]);
        let bindings = self.bindings.bindings.get_mut(binding.index());
        let Some(buffer) = bindings.and_then(|it| it.get_mut(element as usize)) else { return 0 };
        let map = buffer.what.feedback().filter(|it| it.map.kind == call.kind);
        let Some(map) = map.copied() else { return 0 };
        let mut texels = 0;
        let sampler = sampler.unwrap_or_default();
        call.feedback(&map, texture, &sampler, registers, lane, |at, mark| {
            texels += 1;
            if let Some(word) = buffer.bytes.get_mut(at as usize..at as usize + 4) {
                let old = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                word.copy_from_slice(&map.map.kind.joined(old, mark).to_le_bytes());
            }
        });
        texels
    }

    /// Stores a texel, or modifies it and returns the old value.
    fn write(&mut self, call: &TextureCall<Row>, registers: &Registers, lane: u32) -> u64 {
        let (binding, element) = call.texture;
        let element = element.map_or(0, |row| registers.words(row)[lane as usize]);
        let bindings = self.bindings.bindings.get_mut(binding.index());
        let Some(buffer) = bindings.and_then(|it| it.get_mut(element as usize)) else { return 0 };
        let Some(image) = image(buffer, call) else { return 0 };
        let Some(start) = call.start(&image, registers, lane) else { return 0 };
        let format = image.shape.format;
        let bytes = &mut buffer.bytes[start..start + format.bytes()];
        call.write(format, bytes, registers, lane)
    }
}

impl Operands<Row> for Registers {
    fn word(&self, operand: Row, lane: u32) -> u32 {
        self.words(operand)[lane as usize]
    }

    fn bits(&self, operand: Row, lane: u32) -> u64 {
        self.get(operand, lane)
    }
}

/// The texture bound as that buffer.
fn image<'a>(buffer: &'a Buffer, call: &TextureCall<Row>) -> Option<Image<'a>> {
    Some(Image { shape: call.suiting(buffer.what.texture())?, memory: &buffer.bytes })
}

/// The active lanes in partially active quads.
fn partial_quads(active: LaneMask) -> LaneMask {
    const FIRST: u128 = u128::MAX / 15;
    let LaneMask(set) = active;
    let all = set & set >> 1 & set >> 2 & set >> 3 & FIRST;
    LaneMask(set & !(all * 15))
}

/// All rows of the address: the coordinates, and the element of the resource array.
fn address_rows(call: &TextureCall<Row>) -> impl Iterator<Item = Row> {
    let lists = [&call.at, &call.ddx, &call.ddy, &call.offset].into_iter().flatten().copied();
    let elements = [call.texture.1, call.sampler.and_then(|it| it.1), call.map.and_then(|it| it.1)];
    let single = [call.level, call.sample, call.reference, call.least];
    lists.chain(elements.into_iter().chain(single).flatten())
}

/// The lanes whose result depends on a poisoned operand.
fn operand_poison(call: &TextureCall<Row>, registers: &Registers, active: LaneMask) -> LaneMask {
    let own = address_rows(call).fold(LaneMask::EMPTY, |all, row| all | registers.poison(row));
    let mut poison = own & active;
    if call.op.needs_quad() {
        let read = call.at.iter().fold(LaneMask::EMPTY, |all, row| all | registers.poison(*row));
        let read = read & active;
        for_each_lane(active, |lane| {
            let asked = [0, 1, 2].map(|it| quad_lane(lane, it, active));
            if asked.iter().any(|it| read.contains(*it)) {
                poison = poison.with(lane, true);
            }
        });
    }
    poison
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_is_whole_or_partial() {
        assert_eq!(partial_quads(LaneMask(0xf0f)), LaneMask::EMPTY);
        assert_eq!(partial_quads(LaneMask(0xf7f1)), LaneMask(0x701));
        assert_eq!(partial_quads(LaneMask::ALL), LaneMask::EMPTY);
        assert_eq!(partial_quads(LaneMask(1 << 127)), LaneMask(1 << 127));
    }
}
