//! Texture instructions for one lane: from operands to [`ops::texture`], which defines sampling, and back. Both
//! host engines call this.
//!
//! The engine decides which lanes run, where operands are held, and how texels are protected against other threads.

use ops::texture::feedback::{self, Mark};
use ops::texture::{self, Dim, Image, Query, Sampler, Shape, Texel};
use ops::{F16, LaneMask, Ty};

use super::{Derivative, Detail, Texture, TextureOp};
use crate::exec::FeedbackMap;
use crate::{Binding, Element, HostScalar, Module, Norm, Place, ResourceKind, Value};

/// A texture instruction with an engine's representation of its operands.
#[derive(Clone, Debug)]
pub struct TextureCall<T> {
    pub op: TextureOp,
    pub dim: Dim,
    pub element: Element,
    /// The bound texture, and which element of it.
    pub texture: (Binding, Option<T>),
    pub sampler: Option<(Binding, Option<T>)>,
    /// The map of sampler feedback, and its kind as declared.
    pub map: Option<(Binding, Option<T>)>,
    pub kind: feedback::FeedbackKind,
    pub at: Vec<T>,
    pub level: Option<T>,
    pub sample: Option<T>,
    pub ddx: Vec<T>,
    pub ddy: Vec<T>,
    pub offset: Vec<T>,
    pub reference: Option<T>,
    pub least: Option<T>,
    pub values: Vec<T>,
    /// The type of one component of a loaded or stored value.
    pub ty: Ty,
}

/// The operands of lanes.
pub trait Operands<T> {
    /// An `i32`, or the bits of an `f32`.
    fn word(&self, operand: T, lane: u32) -> u32;

    /// A value of any type.
    fn bits(&self, operand: T, lane: u32) -> u64;
}

/// The lane with the given index in the quad of another; the other lane itself if that one is inactive.
pub fn quad_lane(lane: u32, index: u32, active: LaneMask) -> u32 {
    let asked = lane & !3 | index;
    if active.contains(asked) { asked } else { lane }
}

impl<T: Copy> TextureCall<T> {
    /// Requests the operands in the order of [`crate::Op::operands`].
    pub fn new(
        module: &Module,
        texture: &Texture,
        results: &[Value],
        mut operand: impl FnMut(Value) -> T,
    ) -> TextureCall<T> {
        let Texture { op, texture, sampler, map, args } = texture;
        let (dim, element) = match module.resource(texture.binding).kind {
            ResourceKind::Texture { dim, element, .. } => (dim, element),
            ResourceKind::Feedback { array, .. } => {
                let byte = Element { scalar: HostScalar::U32, components: 1, norm: Norm::None };
                (if array { Dim::D2Array } else { Dim::D2 }, byte)
            }
            _ => unreachable!("the verifier has checked that texture instructions name textures"),
        };
        let typed = args.values.first().or(results.first());
        let ty = typed.map_or(Ty::I32, |it| module.ty(*it));
        let kind = match map.map(|it| &module.resource(it.binding).kind) {
            Some(ResourceKind::Feedback { kind, .. }) => *kind,
            _ => feedback::FeedbackKind::MinMip,
        };
        let mut place = |it: &Place| (module.storage(it.binding), it.element.map(&mut operand));
        let texture = place(texture);
        let sampler = sampler.as_ref().map(&mut place);
        let map = map.as_ref().map(place);
        let [at, level, sample, ddx, ddy, offset, reference, least, values] =
            args.by_role().map(|role| role.iter().map(|it| operand(*it)).collect::<Vec<T>>());
        let one = |role: Vec<T>| role.first().copied();
        TextureCall {
            op: *op,
            dim,
            element,
            texture,
            sampler,
            map,
            kind,
            at,
            level: one(level),
            sample: one(sample),
            ddx,
            ddy,
            offset,
            reference: one(reference),
            least: one(least),
            values,
            ty,
        }
    }

    /// The shape, if the instruction suits the texture. A descriptor heap may hold something else there, or a
    /// texture of another kind than the shader expects.
    pub fn suiting(&self, shape: Option<Shape>) -> Option<Shape> {
        shape.filter(|it| it.suits(self.dim))
    }

    /// What a query of the size gives for a feedback map: the size of its texture.
    pub fn map_size(&self, map: &FeedbackMap, operands: &impl Operands<T>, lane: u32) -> [u64; 4] {
        let level = self.level.map_or(0, |it| operands.word(it, lane));
        self.sizes(&map.map.texture(), level)
    }

    /// Calls `mark` with the places in the memory of a feedback map that an instruction marks, in bytes, and with their
    /// values. Nothing is marked unless `shape` and `identity` are those of the map's texture.
    #[allow(clippy::too_many_arguments, reason = "a write has three resources")]
    pub fn feedback(
        &self,
        map: &FeedbackMap,
        (shape, identity): (Shape, u64),
        sampler: &Sampler,
        operands: &impl Operands<T>,
        lane: u32,
        mut mark: impl FnMut(u64, u32),
    ) {
        if !map.suits(&shape, identity) {
            return;
        }
        let query = self.recorded(operands, lane);
        let first = map.map.header_words();
        feedback::write(&map.map, &shape, self.dim, sampler, &query, |Mark { texel, value }| {
            mark(4 * (first + texel) as u64, value);
        });
    }

    /// The sample that an instruction of sampler feedback records. Its derivatives are operands, so that no other lane
    /// counts.
    pub fn recorded(&self, operands: &impl Operands<T>, lane: u32) -> Query {
        self.query(operands, lane, LaneMask::EMPTY)
    }

    /// What an instruction gives that does not write, and how many texels it has sampled.
    pub fn read(
        &self,
        image: &Image<'_>,
        sampler: &Sampler,
        operands: &impl Operands<T>,
        lane: u32,
        active: LaneMask,
    ) -> ([u64; 4], u32) {
        let word = |operand: T| operands.word(operand, lane);
        let mut texels = 0;
        let results = match self.op {
            TextureOp::Load => match self.start(image, operands, lane) {
                Some(start) => {
                    let texel = image.texel_at(start);
                    std::array::from_fn(|i| component(texel, i, self.ty))
                }
                None => [0; 4],
            },
            TextureOp::Size => self.sizes(&image.shape, self.level.map_or(0, word)),
            TextureOp::Sample(_) | TextureOp::Compare(_) => {
                let query = self.query(operands, lane, active);
                let (found, read) = texture::sample(image, self.dim, sampler, &query);
                texels = read;
                found.map(|it| narrowed(it, self.ty))
            }
            TextureOp::Gather(channel) | TextureOp::GatherCompare(channel) => {
                let query = self.query(operands, lane, active);
                let offset = |i: usize, axis: usize| {
                    let first = if self.offset.len() == 8 { 2 * i } else { 0 };
                    self.offset.get(first + axis).map_or(0, |it| word(*it) as i32)
                };
                let offsets = std::array::from_fn(|i| [offset(i, 0), offset(i, 1)]);
                let channel = usize::from(channel);
                let found = texture::gather(image, self.dim, sampler, &query, offsets, channel);
                texels = found.len() as u32;
                found.map(|it| narrowed(it, self.ty))
            }
            TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped => {
                let at = self.place(operands, lane);
                let [x, y] = self.derivatives(operands, lane, active);
                let (clamped, unclamped) =
                    texture::level_of_detail(&image.shape, self.dim, sampler, at, x, y);
                let lod = if self.op == TextureOp::LevelOfDetail { clamped } else { unclamped };
                [narrowed(f64::from(lod), self.ty), 0, 0, 0]
            }
            TextureOp::Feedback(_) => {
                unreachable!("`feedback` runs the instructions that record feedback")
            }
            TextureOp::Store | TextureOp::Atomic(_) => {
                unreachable!("`write` runs the instructions that write")
            }
        };
        (results, texels)
    }

    /// Updates the bytes of a texel by a store or an atomic operation; returns the old value.
    pub fn write(
        &self,
        format: texture::Format,
        bytes: &mut [u8],
        operands: &impl Operands<T>,
        lane: u32,
    ) -> u64 {
        let value = |i: usize| self.values.get(i).map(|it| operands.bits(*it, lane));
        let TextureOp::Atomic(op) = self.op else {
            // Components that the shader's type lacks stay unchanged.
            let old = if self.stores_all(format) { Texel::ZERO } else { format.decode(bytes) };
            format.encode(self.stored(old, value), bytes);
            return 0;
        };
        let args = [0, 1].map(|i| value(i).unwrap_or(0));
        if bytes.len() == self.ty.bytes() as usize {
            let old = bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            let new = op.apply(self.ty, old, args).to_le_bytes();
            bytes.copy_from_slice(&new[..bytes.len()]);
            return old;
        }
        let texel = format.decode(bytes);
        let old = component(texel, 0, self.ty);
        let new = op.apply(self.ty, old, args);
        format.encode(self.stored(texel, |i| (i == 0).then_some(new)), bytes);
        old
    }

    /// Whether the instruction stores a whole texel of that format, so that the old contents do not matter.
    pub fn stores_all(&self, format: texture::Format) -> bool {
        self.op == TextureOp::Store && self.values.len() >= format.channels().count()
    }

    /// The offset of the texel that a lane loads or stores; `None` outside the texture.
    pub fn start(
        &self,
        image: &Image<'_>,
        operands: &impl Operands<T>,
        lane: u32,
    ) -> Option<usize> {
        let word = |operand: T| operands.word(operand, lane);
        let mut at = [0; 3];
        let axes = self.dim.axes();
        for (axis, at) in at.iter_mut().enumerate().take(axes) {
            let offset = self.offset.get(axis).map_or(0, |it| word(*it));
            *at = word(self.at[axis]).wrapping_add(offset);
        }
        let layer = self.at.get(axes).map_or(0, |it| word(*it));
        let level = if self.dim.is_multisampled() { 0 } else { self.level.map_or(0, word) };
        image.offset_of(level, layer, at, self.sample.map_or(0, word))
    }

    /// The size on each axis, the layers, and the levels or samples.
    fn sizes(&self, shape: &Shape, level: u32) -> [u64; 4] {
        // A level that does not exist has size zero.
        let size = if level < shape.levels { shape.size(level) } else { [0; 3] };
        let faces = if self.dim.is_cube() { 6 } else { 1 };
        let layers = self.dim.is_array().then_some(shape.layers / faces);
        let last = if self.dim.is_multisampled() { shape.samples } else { shape.levels };
        let mut all = size[..self.dim.axes()].iter().copied().chain(layers).chain([last]);
        std::array::from_fn(|_| u64::from(all.next().unwrap_or(0)))
    }

    /// The coordinates without the layer.
    fn place(&self, operands: &impl Operands<T>, lane: u32) -> [f32; 3] {
        let axes = self.dim.sample_axes().min(self.at.len());
        floats(&self.at[..axes], operands, lane)
    }

    /// The coarse derivatives of the coordinates.
    fn derivatives(
        &self,
        operands: &impl Operands<T>,
        lane: u32,
        active: LaneMask,
    ) -> [[f32; 3]; 2] {
        [Derivative::XCoarse, Derivative::YCoarse].map(|of| {
            let [greater, lesser] =
                of.lanes(lane & 3).map(|it| self.place(operands, quad_lane(lane, it, active)));
            std::array::from_fn(|axis| greater[axis] - lesser[axis])
        })
    }

    fn query(&self, operands: &impl Operands<T>, lane: u32, active: LaneMask) -> Query {
        let float = |operand: T| float(operand, operands, lane);
        let level = self.level.map_or(0.0, float);
        let detail = match self.op {
            TextureOp::Sample(detail)
            | TextureOp::Compare(detail)
            | TextureOp::Feedback(detail) => match detail {
                Detail::Level => texture::Detail::Level(level),
                Detail::Gradients => texture::Detail::Gradients {
                    x: floats(&self.ddx, operands, lane),
                    y: floats(&self.ddy, operands, lane),
                    bias: level,
                },
                Detail::Implicit | Detail::Bias => {
                    let [x, y] = self.derivatives(operands, lane, active);
                    texture::Detail::Gradients { x, y, bias: level }
                }
            },
            TextureOp::Gather(_) | TextureOp::GatherCompare(_) => texture::Detail::Level(0.0),
            TextureOp::Load
            | TextureOp::Store
            | TextureOp::Atomic(_)
            | TextureOp::LevelOfDetail
            | TextureOp::LevelOfDetailUnclamped
            | TextureOp::Size => unreachable!("these do not filter"),
        };
        let offset =
            |axis: usize| self.offset.get(axis).map_or(0, |it| operands.word(*it, lane) as i32);
        let layer = self.at.get(self.dim.sample_axes());
        Query {
            at: self.place(operands, lane),
            layer: layer.map_or(0.0, |it| float(*it)),
            detail,
            offset: std::array::from_fn(offset),
            least: self.least.map(float),
            reference: self.reference.map(float),
        }
    }

    /// The texel that a shader stores: its values over the old ones.
    fn stored(&self, old: Texel, value: impl Fn(usize) -> Option<u64>) -> Texel {
        let scalar = self.element.scalar;
        let signed = matches!(scalar, HostScalar::I16 | HostScalar::I32 | HostScalar::I64);
        match self.ty {
            Ty::F16 | Ty::F32 | Ty::F64 => {
                Texel::Float(std::array::from_fn(|i| match (value(i), self.ty) {
                    (None, _) => old.float(i) as f32,
                    (Some(bits), Ty::F16) => F16(bits as u16).to_f32(),
                    (Some(bits), Ty::F32) => f32::from_bits(bits as u32),
                    (Some(bits), _) => f64::from_bits(bits) as f32,
                }))
            }
            Ty::I16 | Ty::I32 | Ty::I64 if signed => {
                let extend = 64 - self.ty.bits();
                Texel::Signed(std::array::from_fn(|i| match value(i) {
                    None => old.signed(i),
                    Some(bits) => ((bits << extend) as i64) >> extend,
                }))
            }
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => Texel::Unsigned(std::array::from_fn(|i| {
                value(i).unwrap_or_else(|| old.unsigned(i))
            })),
        }
    }
}

fn float<T>(operand: T, operands: &impl Operands<T>, lane: u32) -> f32 {
    f32::from_bits(operands.word(operand, lane))
}

fn floats<T: Copy>(all: &[T], operands: &impl Operands<T>, lane: u32) -> [f32; 3] {
    std::array::from_fn(|axis| all.get(axis).map_or(0.0, |it| float(*it, operands, lane)))
}

/// A component as seen by a shader of that type.
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

/// A filtered number in the shader's type, rounded once; integers as in [`component`].
fn narrowed(value: f64, ty: Ty) -> u64 {
    if value.is_nan() && ty.is_float() {
        return ty.canonical_nan();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inactive_lanes_count_as_the_reading_lane() {
        assert_eq!(quad_lane(6, 1, LaneMask(0xff)), 5);
        assert_eq!(quad_lane(6, 1, LaneMask(0x40)), 6);
    }
}
