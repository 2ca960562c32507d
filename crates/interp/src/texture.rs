//! Textures and derivatives: they bring rows to [`ops::texture`], which says what sampling means, and texels back.
//!
//! Poison: a result is worth nothing where an operand is, and where derivatives were taken in a quad of which not all lanes
//! are active. What lies in a texture is not tracked, as in buffers.

use ir::exec::Buffer;
use ir::{Derivative, Detail, HostScalar, TextureOp};
use ops::scalar::eval_binary;
use ops::texture::{self, Image, Query, Shape, Texel};
use ops::wave::Lanes;
use ops::{Binary, F16, LaneMask, Ty};

use crate::buffers::{atomic_result, for_each_lane};
use crate::code::{Code, Row, TextureCode};
use crate::machine::{Machine, WaveState};
use crate::observe::{AccessEvent, DerivativeEvent, Observer, SampleEvent, Space};
use crate::registers::Registers;

impl<O: Observer> Machine<'_, O> {
    pub(crate) fn texture(
        &mut self,
        group: [u32; 3],
        wave: &mut WaveState,
        pc: usize,
        active: LaneMask,
    ) {
        let program = self.program;
        let Code::Texture(table) = program.codes[pc] else {
            unreachable!("the caller runs texture instructions only")
        };
        let code = &program.textures[table as usize];
        let partial = if code.op.needs_quad() { partial_quads(active) } else { LaneMask::EMPTY };
        let poison =
            if O::POISON { operand_poison(code, &wave.registers, active) } else { LaneMask::EMPTY };
        if O::EVENTS {
            self.tell(code, group, wave, pc, active, poison, partial);
        }
        for_each_lane(active, |lane| self.lane(code, &mut wave.registers, lane, active));
        // Stores and atomic operations alone have values.
        self.changes += u64::from(!code.values.is_empty());
        if O::POISON {
            code.results.iter().for_each(|row| wave.registers.set_poison(*row, poison | partial));
        }
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
            let lanes = of.lanes(lane & 3).map(|it| quad_lane(lane, it, active));
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

    #[allow(clippy::too_many_arguments, reason = "an event is made of all of these")]
    fn tell(
        &mut self,
        code: &TextureCode,
        group: [u32; 3],
        wave: &WaveState,
        pc: usize,
        active: LaneMask,
        poison: LaneMask,
        partial: LaneMask,
    ) {
        let at = self.at(group, wave.index, pc, active);
        let registers = &wave.registers;
        let (texture, element) = code.texture;
        let element = element.map(|row| registers.words(row));
        if code.op == TextureOp::Size {
            return;
        }
        if code.op.samples() {
            let sampler = code.sampler.map(|(sampler, _)| sampler);
            let op = code.op;
            let event = SampleEvent { at, op, texture, element, sampler, poison, partial };
            return self.observer.sample(&event);
        }
        let mut in_bounds = LaneMask::EMPTY;
        let mut size = 0;
        for_each_lane(active, |lane| {
            let image =
                self.buffer_of(code.texture, registers, lane).and_then(|it| image(it, code));
            let start = image.and_then(|image| texel_offset(code, &image, registers, lane));
            size = image.map_or(size, |it| it.shape.format.bytes() as u32);
            in_bounds = in_bounds.with(lane, start.is_some());
            self.places.start[lane as usize] = start.map_or(u64::MAX, |it| it as u64);
        });
        let values = code.values.iter().map(|row| registers.poison(*row));
        let value_poison = values.fold(LaneMask::EMPTY, |all, it| all | it) & active;
        let values: Vec<Lanes<'_>> = match code.op {
            TextureOp::Store => code.values.iter().map(|row| registers.lanes(*row)).collect(),
            _ => Vec::new(),
        };
        let places = address_rows(code).map(|row| registers.poison(row));
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
        match code.op {
            TextureOp::Store => self.observer.store(&event),
            TextureOp::Atomic(_) => self.observer.atomic(&event),
            _ => self.observer.load(&event),
        }
    }

    /// The texture or sampler that a lane names.
    fn buffer_of(
        &self,
        (binding, element): (ir::Binding, Option<Row>),
        registers: &Registers,
        lane: u32,
    ) -> Option<&Buffer> {
        let element = element.map_or(0, |row| registers.words(row)[lane as usize]);
        self.bindings.bindings.get(binding.index())?.get(element as usize)
    }

    /// Runs the instruction for one lane.
    fn lane(&mut self, code: &TextureCode, registers: &mut Registers, lane: u32, active: LaneMask) {
        let set = |registers: &mut Registers, values: [u64; 4]| {
            for (row, value) in code.results.iter().zip(values) {
                registers.set(*row, lane, value);
            }
        };
        if code.op.writes() {
            let old = self.write(code, registers, lane);
            return set(registers, [old, 0, 0, 0]);
        }
        let Some(image) =
            self.buffer_of(code.texture, registers, lane).and_then(|it| image(it, code))
        else {
            return set(registers, [0; 4]);
        };
        let words = |row: Row| registers.words(row)[lane as usize];
        let sampler = code.sampler.and_then(|it| self.buffer_of(it, registers, lane)?.sampler);
        let sampler = sampler.unwrap_or_default();
        let ty = code.ty;
        let results = match code.op {
            TextureOp::Load => {
                let start = texel_offset(code, &image, registers, lane);
                match start.and_then(|start| image.bytes.get(start..)) {
                    Some(bytes) => {
                        let texel = image.shape.format.decode(bytes);
                        std::array::from_fn(|i| component(texel, i, ty))
                    }
                    None => [0; 4],
                }
            }
            TextureOp::Size => sizes(code, &image.shape, code.level.map_or(0, words)),
            TextureOp::Sample(_) | TextureOp::Compare(_) => {
                let query = query(code, registers, lane, active);
                let found = texture::sample(&image, code.dim, &sampler, &query);
                found.map(|it| narrowed(it, ty))
            }
            TextureOp::Gather(channel) | TextureOp::GatherCompare(channel) => {
                let query = query(code, registers, lane, active);
                let offset = |i: usize, axis: usize| {
                    let first = if code.offset.len() == 8 { 2 * i } else { 0 };
                    code.offset.get(first + axis).map_or(0, |row| words(*row) as i32)
                };
                let offsets = std::array::from_fn(|i| [offset(i, 0), offset(i, 1)]);
                let channel = usize::from(channel);
                let found = texture::gather(&image, code.dim, &sampler, &query, offsets, channel);
                found.map(|it| narrowed(it, ty))
            }
            TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped => {
                let at = place(code, registers, lane);
                let [x, y] = derivatives(code, registers, lane, active);
                let (clamped, unclamped) =
                    texture::level_of_detail(&image.shape, code.dim, &sampler, at, x, y);
                let lod = if code.op == TextureOp::LevelOfDetail { clamped } else { unclamped };
                [narrowed(f64::from(lod), ty), 0, 0, 0]
            }
            TextureOp::Store | TextureOp::Atomic(_) => {
                unreachable!("what writes has been run above")
            }
        };
        set(registers, results);
    }

    /// Stores a texel, or changes it and gives what was there.
    fn write(&mut self, code: &TextureCode, registers: &Registers, lane: u32) -> u64 {
        let (binding, element) = code.texture;
        let element = element.map_or(0, |row| registers.words(row)[lane as usize]);
        let bindings = self.bindings.bindings.get_mut(binding.index());
        let Some(buffer) = bindings.and_then(|it| it.get_mut(element as usize)) else { return 0 };
        let Some(image) = image(buffer, code) else { return 0 };
        let Some(start) = texel_offset(code, &image, registers, lane) else { return 0 };
        let format = image.shape.format;
        let bytes = &mut buffer.bytes[start..start + format.bytes()];
        let value = |i: usize| code.values.get(i).map(|row| registers.get(*row, lane));
        let TextureOp::Atomic(op) = code.op else {
            // What the shader's type lacks stays as it was.
            let all = code.values.len() >= format.channels().count();
            let old = if all { Texel::ZERO } else { format.decode(bytes) };
            format.encode(stored(code, old, value), bytes);
            return 0;
        };
        let args = [0, 1].map(|i| value(i).unwrap_or(0));
        if bytes.len() == code.ty.bytes() as usize {
            let old = bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            let new = atomic_result(op, code.ty, old, args).to_le_bytes();
            bytes.copy_from_slice(&new[..bytes.len()]);
            return old;
        }
        let texel = format.decode(bytes);
        let old = component(texel, 0, code.ty);
        let new = atomic_result(op, code.ty, old, args);
        format.encode(stored(code, texel, |i| (i == 0).then_some(new)), bytes);
        old
    }
}

/// The texture in that buffer. What lies in a descriptor heap can be none, or one of another kind than the shader takes it for.
fn image<'a>(buffer: &'a Buffer, code: &TextureCode) -> Option<Image<'a>> {
    let shape = buffer.texture.filter(|it| it.suits(code.dim))?;
    Some(Image { shape, bytes: &buffer.bytes })
}

/// The lane with that index in the quad of another; that lane itself where the one asked is not active.
fn quad_lane(lane: u32, index: u32, active: LaneMask) -> u32 {
    let asked = lane & !3 | index;
    if active.contains(asked) { asked } else { lane }
}

/// The active lanes in quads of which not all lanes are active.
fn partial_quads(active: LaneMask) -> LaneMask {
    const FIRST: u128 = u128::MAX / 15;
    let LaneMask(set) = active;
    let all = set & set >> 1 & set >> 2 & set >> 3 & FIRST;
    LaneMask(set & !(all * 15))
}

/// All rows that say where and in which texture.
fn address_rows(code: &TextureCode) -> impl Iterator<Item = Row> {
    let lists = [&code.at, &code.ddx, &code.ddy, &code.offset].into_iter().flatten().copied();
    let elements = [code.texture.1, code.sampler.and_then(|it| it.1)];
    let single = [code.level, code.sample, code.reference, code.least];
    lists.chain(elements.into_iter().chain(single).flatten())
}

/// The lanes whose result depends on what is worth nothing.
fn operand_poison(code: &TextureCode, registers: &Registers, active: LaneMask) -> LaneMask {
    let own = address_rows(code).fold(LaneMask::EMPTY, |all, row| all | registers.poison(row));
    let mut poison = own & active;
    if code.op.needs_quad() {
        let read = code.at.iter().fold(LaneMask::EMPTY, |all, row| all | registers.poison(*row));
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

/// Where the texel starts that a lane loads or stores; `None` where there is none.
fn texel_offset(
    code: &TextureCode,
    image: &Image<'_>,
    registers: &Registers,
    lane: u32,
) -> Option<usize> {
    let words = |row: Row| registers.words(row)[lane as usize];
    let mut at = [0; 3];
    let axes = code.dim.axes();
    for (axis, at) in at.iter_mut().enumerate().take(axes) {
        let offset = code.offset.get(axis).map_or(0, |row| words(*row));
        *at = words(code.at[axis]).wrapping_add(offset);
    }
    let layer = code.at.get(axes).map_or(0, |row| words(*row));
    let level = if code.dim.is_multisampled() { 0 } else { code.level.map_or(0, words) };
    image.offset_of(level, layer, at, code.sample.map_or(0, words))
}

/// The size on each axis, layers, and levels or samples.
fn sizes(code: &TextureCode, shape: &Shape, level: u32) -> [u64; 4] {
    // A level that is not there has no size.
    let size = if level < shape.levels { shape.size(level) } else { [0; 3] };
    let faces = if code.dim.is_cube() { 6 } else { 1 };
    let layers = code.dim.is_array().then_some(shape.layers / faces);
    let last = if code.dim.is_multisampled() { shape.samples } else { shape.levels };
    let mut all = size[..code.dim.axes()].iter().copied().chain(layers).chain([last]);
    std::array::from_fn(|_| u64::from(all.next().unwrap_or(0)))
}

fn float(row: Row, registers: &Registers, lane: u32) -> f32 {
    f32::from_bits(registers.words(row)[lane as usize])
}

fn floats(rows: &[Row], registers: &Registers, lane: u32) -> [f32; 3] {
    std::array::from_fn(|axis| rows.get(axis).map_or(0.0, |row| float(*row, registers, lane)))
}

/// The coordinates without the layer.
fn place(code: &TextureCode, registers: &Registers, lane: u32) -> [f32; 3] {
    let axes = code.dim.sample_axes().min(code.at.len());
    floats(&code.at[..axes], registers, lane)
}

/// The coarse derivatives of the coordinates.
fn derivatives(
    code: &TextureCode,
    registers: &Registers,
    lane: u32,
    active: LaneMask,
) -> [[f32; 3]; 2] {
    [Derivative::XCoarse, Derivative::YCoarse].map(|of| {
        let [greater, lesser] =
            of.lanes(lane & 3).map(|it| place(code, registers, quad_lane(lane, it, active)));
        std::array::from_fn(|axis| greater[axis] - lesser[axis])
    })
}

fn query(code: &TextureCode, registers: &Registers, lane: u32, active: LaneMask) -> Query {
    let level = code.level.map_or(0.0, |row| float(row, registers, lane));
    let detail = match code.op {
        TextureOp::Sample(detail) | TextureOp::Compare(detail) => match detail {
            Detail::Level => texture::Detail::Level(level),
            Detail::Gradients => texture::Detail::Gradients {
                x: floats(&code.ddx, registers, lane),
                y: floats(&code.ddy, registers, lane),
                bias: 0.0,
            },
            Detail::Implicit | Detail::Bias => {
                let [x, y] = derivatives(code, registers, lane, active);
                texture::Detail::Gradients { x, y, bias: level }
            }
        },
        _ => texture::Detail::Level(0.0),
    };
    let offset = |axis: usize| {
        code.offset.get(axis).map_or(0, |row| registers.words(*row)[lane as usize] as i32)
    };
    let layer = code.at.get(code.dim.sample_axes());
    Query {
        at: place(code, registers, lane),
        layer: layer.map_or(0.0, |row| float(*row, registers, lane)),
        detail,
        offset: std::array::from_fn(offset),
        least: code.least.map(|row| float(row, registers, lane)),
        reference: code.reference.map(|row| float(row, registers, lane)),
    }
}

/// A component as a shader of that type sees it.
fn component(texel: Texel, i: usize, ty: Ty) -> u64 {
    let integer = match texel {
        Texel::Unsigned(all) => all[i],
        Texel::Float(_) | Texel::Signed(_) => texel.signed(i) as u64,
    };
    match (ty, texel) {
        (Ty::Bool, _) => u64::from(texel.float(i) != 0.0),
        (Ty::I16, _) => integer & 0xffff,
        (Ty::I32, _) => integer & 0xffff_ffff,
        (Ty::I64, _) => integer,
        // A load is a move: it keeps the bits of a NaN.
        (Ty::F32, Texel::Float(all)) => u64::from(all[i].to_bits()),
        (Ty::F32 | Ty::F16 | Ty::F64, _) => narrowed(texel.float(i), ty),
    }
}

/// A filtered number in the shader's type, rounded once; integers as [`component`] has them.
fn narrowed(value: f64, ty: Ty) -> u64 {
    if value.is_nan() && ty.is_float() {
        return match ty {
            Ty::F16 => 0x7e00,
            Ty::F64 => 0x7ff8_0000_0000_0000,
            _ => 0x7fc0_0000,
        };
    }
    match ty {
        Ty::Bool => u64::from(value != 0.0),
        Ty::I16 => value as i64 as u64 & 0xffff,
        Ty::I32 => value as i64 as u64 & 0xffff_ffff,
        Ty::I64 => value as i64 as u64,
        Ty::F16 => u64::from(F16::from_f64(value).0),
        Ty::F32 => u64::from((value as f32).to_bits()),
        Ty::F64 => value.to_bits(),
    }
}

/// The texel that a shader stores: its values over those that were there.
fn stored(code: &TextureCode, old: Texel, value: impl Fn(usize) -> Option<u64>) -> Texel {
    let signed = matches!(code.element.scalar, HostScalar::I16 | HostScalar::I32 | HostScalar::I64);
    match code.ty {
        Ty::F16 | Ty::F32 | Ty::F64 => {
            Texel::Float(std::array::from_fn(|i| match (value(i), code.ty) {
                (None, _) => old.float(i) as f32,
                (Some(bits), Ty::F16) => F16(bits as u16).to_f32(),
                (Some(bits), Ty::F32) => f32::from_bits(bits as u32),
                (Some(bits), _) => f64::from_bits(bits) as f32,
            }))
        }
        Ty::I16 | Ty::I32 | Ty::I64 if signed => {
            let extend = 64 - code.ty.bits();
            Texel::Signed(std::array::from_fn(|i| match value(i) {
                None => old.signed(i),
                Some(bits) => ((bits << extend) as i64) >> extend,
            }))
        }
        Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => {
            Texel::Unsigned(std::array::from_fn(|i| value(i).unwrap_or_else(|| old.unsigned(i))))
        }
    }
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

    #[test]
    fn lanes_that_are_not_active_count_as_the_asking_one() {
        assert_eq!(quad_lane(6, 1, LaneMask(0xff)), 5);
        assert_eq!(quad_lane(6, 1, LaneMask(0x40)), 6);
    }
}
