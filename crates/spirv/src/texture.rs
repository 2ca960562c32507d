//! Textures as images: their types, their sizes, and access to single texels. `sample.rs` filters them.
//!
//! Bounds are checked here, as for buffers: coordinates, layers, levels and samples are compared with the image's, an
//! out-of-bounds load reads texel 0 and its result is discarded, an out-of-bounds store or atomic operation is branched
//! around.

use ir::{Inst, Texture, TextureOp};
use ops::Ty;
use ops::texture::Dim;

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::memory::{Descriptor, View};
use crate::module::Id;
use crate::opcode as op;

/// Bits of the image operands mask.
const LEVEL: u32 = op::OPERAND_LOD;
const SAMPLE: u32 = op::OPERAND_SAMPLE;

/// A texel to access.
struct Pixel {
    descriptor: Descriptor,
    at: Id,
    /// The image operands: the mask, then a level or a sample.
    operands: Vec<u32>,
    inside: Option<Id>,
}

impl Emitter<'_> {
    pub(crate) fn dim_of(&self, binding: ir::Binding) -> Dim {
        self.ir.resource(binding).kind.view().dim.unwrap_or_else(|| {
            unreachable!("the verifier has checked that texture instructions refer to textures")
        })
    }

    pub(crate) fn image_type(&mut self, binding: ir::Binding) -> Id {
        let (writable, _) = self.element_of(binding);
        let dim = self.dim_of(binding);
        let carrier = self.carrier(binding);
        let (number, sampled, stored) = match dim {
            Dim::D1 | Dim::D1Array => (0, Some(op::CAP_SAMPLED_1D), Some(op::CAP_IMAGE_1D)),
            Dim::D2 | Dim::D2Array | Dim::D2Ms | Dim::D2MsArray => (1, None, None),
            Dim::D3 => (2, None, None),
            Dim::Cube => (3, None, None),
            Dim::CubeArray => (3, Some(op::CAP_SAMPLED_CUBE_ARRAY), None),
        };
        let capability = if writable { stored } else { sampled };
        self.out.capabilities.extend(capability);
        if writable {
            self.storage_capabilities(carrier);
        }
        if writable && dim.is_multisampled() {
            self.out.capabilities.insert(op::CAP_STORAGE_IMAGE_MULTISAMPLE);
            self.out.capabilities.extend(dim.is_array().then_some(op::CAP_IMAGE_MS_ARRAY));
        }
        let scalar = self.carried(carrier);
        let is_array = u32::from(dim.is_array());
        let is_multisampled = u32::from(dim.is_multisampled());
        let kind = if writable { 2 } else { 1 };
        // A texture may be read with and without comparisons: a depth of 2 leaves that open.
        let words = [scalar.0, number, 2, is_array, is_multisampled, kind, carrier.format];
        self.out.made_type(op::TYPE_IMAGE, &words)
    }

    pub(crate) fn texture(&mut self, inst: Inst, texture: &Texture) -> Result<Vec<Id>, CannotEmit> {
        let binding = texture.texture.binding;
        if let Some(map) = self.feedback_map(texture) {
            let name = format!("`{}`", self.ir.resource(map).name);
            return self.unsupported("sampler feedback", name, Some(inst));
        }
        let carrier = self.carrier(binding);
        match texture.op {
            TextureOp::Load => Ok(self.load_pixel(inst, texture)),
            TextureOp::Store => {
                self.store_pixel(texture);
                Ok(Vec::new())
            }
            TextureOp::Atomic(operation) => {
                self.checked_atomic(inst, texture.texture, carrier)?;
                let pixel = self.pixel(texture);
                let ty = self.ir.ty(texture.args.values[0]);
                let args = self.get_all(&texture.args.values);
                let ty = self.out.ty(ty);
                let [old] = self.guarded(pixel.inside, |it| {
                    let at = (pixel.descriptor, pixel.at, carrier);
                    [(ty, it.atomic_on_image(at, operation, &args))]
                });
                Ok(vec![old; self.ir.inst(inst).results.len()])
            }
            TextureOp::Feedback(_) => unreachable!("feedback has been refused above"),
            TextureOp::Size => Ok(self.sizes(texture)),
            TextureOp::Sample(detail) => self.sample(inst, texture, detail, false),
            TextureOp::Compare(detail) => self.sample(inst, texture, detail, true),
            TextureOp::Gather(channel) => self.gather(inst, texture, Some(channel)),
            TextureOp::GatherCompare(_) => self.gather(inst, texture, None),
            TextureOp::LevelOfDetail => self.level_of_detail(inst, texture, 0),
            TextureOp::LevelOfDetailUnclamped => self.level_of_detail(inst, texture, 1),
        }
    }

    /// The feedback map that an instruction writes or measures.
    fn feedback_map(&self, texture: &Texture) -> Option<ir::Binding> {
        let places = [Some(texture.texture), texture.map];
        let maps = places.into_iter().flatten().map(|it| it.binding);
        let is_map = |it: &ir::Binding| {
            matches!(self.ir.resource(*it).kind, ir::ResourceKind::Feedback { .. })
        };
        maps.into_iter().find(is_map)
    }

    fn query(&mut self, opcode: op::Opcode, image: Id) -> Id {
        self.out.capabilities.insert(op::CAP_IMAGE_QUERY);
        let uint = self.out.uint();
        self.op(opcode, uint, &[image])
    }

    /// The size on each axis, and the layers of an array. The size of level 0 is queried and halved for smaller levels,
    /// because a driver uses the same level for all lanes of a query.
    fn size_of_level(&mut self, texture: &Texture, image: Id, level: Option<Id>) -> Vec<Id> {
        self.out.capabilities.insert(op::CAP_IMAGE_QUERY);
        let dim = self.dim_of(texture.texture.binding);
        let count = dim.axes() + usize::from(dim.is_array());
        let uint = self.out.uint();
        let ty = if count == 1 { uint } else { self.out.vector(uint, count as u32) };
        let zero = self.out.word(0);
        let size = match level {
            Some(_) => self.op(op::IMAGE_QUERY_SIZE_OF_LEVEL, ty, &[image, zero]),
            None => self.op(op::IMAGE_QUERY_SIZE, ty, &[image]),
        };
        let mut sizes = match count {
            1 => vec![size],
            _ => (0..count as u32).map(|i| self.component(size, i)).collect(),
        };
        if let Some(level) = level.filter(|it| *it != zero) {
            let one = self.out.word(1);
            for size in sizes.iter_mut().take(dim.axes()) {
                let halved = self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[*size, level]);
                let is_small = self.test(op::U_LESS_THAN, halved, one);
                let least = self.choose(Ty::I32, is_small, one, halved);
                // A null texture has no levels.
                let is_nothing = self.test(op::U_LESS_THAN, *size, one);
                *size = self.choose(Ty::I32, is_nothing, *size, least);
            }
        }
        sizes
    }

    /// The level of an instruction, replaced by an existing one if it does not exist, and whether it does.
    fn level(&mut self, texture: &Texture, image: Id) -> (Option<Id>, Option<Id>) {
        let binding = texture.texture.binding;
        if self.element_of(binding).0 || self.dim_of(binding).is_multisampled() {
            return (None, None);
        }
        let Some(level) = texture.args.level.first().copied() else {
            return (Some(self.out.word(0)), None);
        };
        let known = self.ir.constant(level);
        let level = self.get(level);
        if known == Some(0) {
            return (Some(level), None);
        }
        let levels = self.query(op::IMAGE_QUERY_LEVELS, image);
        let exists = Some(self.test(op::U_LESS_THAN, level, levels));
        (Some(self.or_zero(exists, level)), exists)
    }

    fn pixel(&mut self, texture: &Texture) -> Pixel {
        let binding = texture.texture.binding;
        let dim = self.dim_of(binding);
        let descriptor = self.descriptor(texture.texture, View::Image);
        let image_ty = self.image_type(binding);
        let image = self.image(descriptor, image_ty);
        let (level, exists) = self.level(texture, image);
        let sizes = self.size_of_level(texture, image, level);
        let mut inside = self.both(exists, descriptor.exists);
        let mut places = Vec::new();
        for (axis, (at, size)) in texture.args.at.iter().zip(sizes).enumerate() {
            let mut at = self.get(*at);
            if let (Some(offset), true) = (texture.args.offset.get(axis), axis < dim.axes()) {
                let offset = self.get(*offset);
                let uint = self.out.uint();
                at = self.op(op::I_ADD, uint, &[at, offset]);
            }
            let within = self.test(op::U_LESS_THAN, at, size);
            inside = self.both(inside, Some(within));
            places.push(at);
        }
        let mut operands: Vec<u32> = level.map(|it| vec![LEVEL, it.0]).unwrap_or_default();
        if let Some(sample) = texture.args.sample.first() {
            let sample = self.get(*sample);
            let samples = self.query(op::IMAGE_QUERY_SAMPLES, image);
            let within = Some(self.test(op::U_LESS_THAN, sample, samples));
            inside = self.both(inside, within);
            let sample = self.or_zero(within, sample);
            operands = vec![SAMPLE, sample.0];
        }
        let places: Vec<Id> = places.into_iter().map(|it| self.or_zero(inside, it)).collect();
        let uint = self.out.uint();
        let at = self.gathered_up(uint, &places);
        Pixel { descriptor, at, operands, inside }
    }

    /// Scalars combined into a vector, if there are several.
    pub(crate) fn gathered_up(&mut self, scalar: Id, parts: &[Id]) -> Id {
        if let [one] = parts {
            return *one;
        }
        let ty = self.out.vector(scalar, parts.len() as u32);
        self.op(op::COMPOSITE_CONSTRUCT, ty, parts)
    }

    fn read_pixel(&mut self, texture: &Texture, pixel: &Pixel) -> Id {
        let binding = texture.texture.binding;
        let (writable, _) = self.element_of(binding);
        let carrier = self.carrier(binding);
        let image_ty = self.image_type(binding);
        let image = self.image(pixel.descriptor, image_ty);
        let four = self.four_carried(carrier);
        let words = [&[image.0, pixel.at.0], pixel.operands.as_slice()].concat();
        let loaded = if writable {
            self.without_format(carrier, op::CAP_STORAGE_READ_ANY);
            self.op_words(op::IMAGE_READ, four, &words)
        } else {
            self.op_words(op::IMAGE_FETCH, four, &words)
        };
        self.mark(pixel.descriptor.varies, loaded);
        loaded
    }

    fn load_pixel(&mut self, inst: Inst, texture: &Texture) -> Vec<Id> {
        let results = &self.ir.inst(inst).results;
        let carrier = self.carrier(texture.texture.binding);
        let pixel = self.pixel(texture);
        let loaded = self.read_pixel(texture, &pixel);
        let mut values = Vec::new();
        for (i, result) in results.iter().enumerate() {
            let ty = self.ir.ty(*result);
            let value = self.component_of(carrier, loaded, i as u32, ty);
            values.push(self.value_or_zero(ty, pixel.inside, value));
        }
        values
    }

    fn store_pixel(&mut self, texture: &Texture) {
        let binding = texture.texture.binding;
        let carrier = self.carrier(binding);
        let pixel = self.pixel(texture);
        let ty = self.ir.ty(texture.args.values[0]);
        let values = self.get_all(&texture.args.values);
        let is_part = self.stores_part(binding, values.len());
        self.guarded(pixel.inside, |it| {
            let old = is_part.then(|| it.read_pixel(texture, &pixel));
            let whole = it.texel_of(carrier, ty, &values, old);
            it.without_format(carrier, op::CAP_STORAGE_WRITE_ANY);
            let image_ty = it.image_type(binding);
            let image = it.image(pixel.descriptor, image_ty);
            let words = [&[image.0, pixel.at.0, whole.0], pixel.operands.as_slice()].concat();
            it.effect_words(op::IMAGE_WRITE, &words);
            []
        });
    }

    fn sizes(&mut self, texture: &Texture) -> Vec<Id> {
        let binding = texture.texture.binding;
        let (writable, _) = self.element_of(binding);
        let dim = self.dim_of(binding);
        let descriptor = self.descriptor(texture.texture, View::Image);
        let image_ty = self.image_type(binding);
        let image = self.image(descriptor, image_ty);
        let (level, exists) = self.level(texture, image);
        let mut sizes = self.size_of_level(texture, image, level);
        for size in sizes.iter_mut().take(dim.axes()) {
            *size = self.value_or_zero(Ty::I32, exists, *size);
        }
        if dim.is_multisampled() {
            sizes.push(self.query(op::IMAGE_QUERY_SAMPLES, image));
        } else if !writable {
            sizes.push(self.query(op::IMAGE_QUERY_LEVELS, image));
        }
        sizes.into_iter().map(|it| self.value_or_zero(Ty::I32, descriptor.exists, it)).collect()
    }
}
