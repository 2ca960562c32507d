//! Samples, comparisons, gathers and levels of detail: an image and a sampler, combined where they are used.
//!
//! | instruction | here |
//! |---|---|
//! | a level, gradients | the same operands |
//! | derivatives of the quad | gradients from subgroup shuffles of the coordinates, so that inactive lanes are treated as in the reference engine |
//! | the same with a bias | the device's derivatives, if the environment has them; otherwise gradients scaled by 2^bias |
//! | four offsets | four gathers, of each of which one component is used |
//! | a variable offset, except of a gather | a `switch` over all 16 offsets in one dimension or 256 in two, because devices accept only constants; offsets outside -8 to 7 are truncated to four bits |
//! | levels of detail | the device's derivatives; unsupported without them |
//!
//! Filtering is device-specific: Vulkan requires at least 4 bits for the fraction of a texel, and no particular
//! rounding. With [`Environment::exact`](crate::Environment), NaN coordinates become 0 and layers are rounded here,
//! because devices differ.

use ir::{Derivative, Detail, Inst, Texture, Value};
use ops::{Sign, Ty, Unary};

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::environment::Extension;
use crate::memory::{Descriptor, View};
use crate::module::{Id, push};
use crate::opcode::{self as op, Opcode};

/// Bits in the mask of image operands; the operands follow in this order.
const BIAS: u32 = 0x1;
const LEVEL: u32 = 0x2;
const GRADIENTS: u32 = 0x4;
const CONST_OFFSET: u32 = 0x8;
const OFFSET: u32 = 0x10;
const LEAST: u32 = 0x80;

/// Whether an instruction compares, and returns a single number: the fraction of texels that pass.
fn compares(opcode: Opcode) -> bool {
    [op::IMAGE_COMPARE_EXPLICIT, op::IMAGE_COMPARE_IMPLICIT].contains(&opcode)
}

/// The image and the sampler of an instruction.
struct Source {
    image: Descriptor,
    sampler: Option<Descriptor>,
}

impl Emitter<'_> {
    fn source(&mut self, texture: &Texture) -> Source {
        let image = self.descriptor(texture.texture, View::Image);
        let sampler = texture.sampler.map(|it| self.descriptor(it, View::Sampler));
        Source { image, sampler }
    }

    /// The image combined with its sampler, which must be used in the same block.
    fn combined(&mut self, texture: &Texture, source: &Source) -> Id {
        let image_ty = self.image_type(texture.texture.binding);
        let image = self.image(source.image, image_ty);
        let Some(sampler) = source.sampler else {
            unreachable!("the verifier has checked that filtering instructions have a sampler")
        };
        let sampler_ty = self.out.made_type(op::TYPE_SAMPLER, &[]);
        let loaded = self.image(sampler, sampler_ty);
        let ty = self.out.made_type(op::TYPE_SAMPLED_IMAGE, &[image_ty.0]);
        let combined = self.op(op::SAMPLED_IMAGE, ty, &[image, loaded]);
        self.mark(source.image.varies || sampler.varies, combined);
        combined
    }

    /// The value, or 0 if the texture does not exist; a missing sampler is the default one.
    fn or_nothing(&mut self, source: &Source, ty: Ty, value: Id) -> Id {
        self.value_or_zero(ty, source.image.exists, value)
    }

    /// The coordinates as scalars; the layer of an array is last.
    fn coordinates(&mut self, texture: &Texture) -> Vec<Id> {
        let dim = self.dim_of(texture.texture.binding);
        let axes = dim.sample_axes();
        let mut places = Vec::new();
        for (axis, at) in texture.args.at.iter().enumerate() {
            let mut at = self.get(*at);
            if self.is_exact() {
                at = self.number(at);
                if axis >= axes {
                    at = self.unary(Unary::Round, Ty::F32, at);
                } else if axes == dim.axes() {
                    at = self.finite(at);
                }
            }
            places.push(at);
        }
        places
    }

    /// Replaces NaN by 0.
    fn number(&mut self, value: Id) -> Id {
        let is_nan = self.magnitude(op::U_GREATER_THAN, Ty::F32, value);
        let single = self.out.ty(Ty::F32);
        let zero = self.out.null(single);
        self.choose(Ty::F32, is_nan, zero, value)
    }

    /// Clamps a coordinate to 2²⁴ times the texture's size: every larger float is an even number, so the texel is the
    /// same whether the texture repeats, is mirrored, or is clamped.
    fn finite(&mut self, value: Id) -> Id {
        let end = f64::from(1 << 24);
        let mut value = value;
        for (limit, beyond) in [(end, op::F_ORD_GREATER_THAN), (-end, op::F_ORD_LESS_THAN)] {
            let limit = self.out.constant(Ty::F32, Ty::F32.float_bits(limit));
            let is_beyond = self.test(beyond, value, limit);
            value = self.choose(Ty::F32, is_beyond, limit, value);
        }
        value
    }

    /// A level of detail truncated to 256ths. If a single level is selected, it is moved half a step up, so that
    /// halfway between levels every device selects the coarser one.
    fn cut(&mut self, level: Id, whole_levels: bool) -> Id {
        let steps = self.out.constant(Ty::F32, Ty::F32.float_bits(256.0));
        let scaled = self.exact(op::F_MUL, Ty::F32, &[level, steps]);
        let whole = self.unary(Unary::Floor, Ty::F32, scaled);
        let zero = self.out.constant(Ty::F32, 0);
        let mut cut = whole;
        if whole_levels {
            let half = self.out.constant(Ty::F32, Ty::F32.float_bits(0.5));
            let middle = self.exact(op::F_ADD, Ty::F32, &[whole, half]);
            let is_magnified = self.test(op::F_ORD_LESS_THAN_EQUAL, whole, zero);
            cut = self.choose(Ty::F32, is_magnified, whole, middle);
        }
        let step = self.out.constant(Ty::F32, Ty::F32.float_bits(1.0 / 256.0));
        let cut = self.exact(op::F_MUL, Ty::F32, &[cut, step]);
        // Values far from every level are not changed.
        let far = self.out.constant(Ty::F32, Ty::F32.float_bits(1024.0));
        let is_near = self.magnitude_below(level, far);
        self.choose(Ty::F32, is_near, cut, level)
    }

    fn magnitude_below(&mut self, value: Id, limit: Id) -> Id {
        let positive = self.unary(Unary::Abs, Ty::F32, value);
        self.test(op::F_ORD_LESS_THAN, positive, limit)
    }

    fn floats(&mut self, parts: &[Id]) -> Id {
        let single = self.out.ty(Ty::F32);
        self.gathered_up(single, parts)
    }

    /// The derivatives of coordinates in the quad.
    fn gradients(&mut self, coordinates: &[Id], axes: usize) -> [Vec<Id>; 2] {
        [Derivative::XCoarse, Derivative::YCoarse].map(|of| {
            coordinates[..axes].iter().map(|it| self.derivative(of, Ty::F32, *it)).collect()
        })
    }

    /// Requests the device's derivatives for linear quads, if they are available.
    fn device_derivatives(&mut self) -> bool {
        if self.is_pixel() {
            return true;
        }
        let rows = self.ir.threads_per_group().is_multiple_of(4);
        let has = self.environment.has(Extension::ComputeDerivatives) && rows;
        if has {
            self.out.capabilities.insert(op::CAP_DERIVATIVES_IN_ROWS);
            self.out.extensions.insert(Extension::ComputeDerivatives.name());
        }
        has
    }

    /// The operand for offsets in `axes` dimensions, if there are any; the offsets must be constant if the device
    /// requires that.
    fn offset(
        &mut self,
        inst: Inst,
        offset: &[Value],
        varies: bool,
    ) -> Result<Option<(u32, Id)>, CannotEmit> {
        if offset.is_empty() {
            return Ok(None);
        }
        let known: Option<Vec<i32>> =
            offset.iter().map(|it| self.ir.constant(*it).map(|bits| bits as u32 as i32)).collect();
        let int = self.out.made_type(op::TYPE_INT, &[32, 1]);
        let ty = if offset.len() == 1 { int } else { self.out.vector(int, offset.len() as u32) };
        match known {
            Some(known) if known.iter().all(|it| *it == 0) => Ok(None),
            Some(known) if known.iter().all(|it| (-8..8).contains(it)) => {
                let parts: Vec<Id> = known.iter().map(|it| self.out.signed(*it)).collect();
                let vector = if let [one] = parts.as_slice() {
                    *one
                } else {
                    self.out.composite(ty, &parts)
                };
                Ok(Some((CONST_OFFSET, vector)))
            }
            _ if varies => {
                self.out.capabilities.insert(op::CAP_IMAGE_GATHER_EXTENDED);
                let mut parts = Vec::new();
                for value in offset {
                    let value = self.get(*value);
                    parts.push(self.op(op::BITCAST, int, &[value]));
                }
                let vector = self.gathered_up(int, &parts);
                Ok(Some((OFFSET, vector)))
            }
            _ => {
                let asked = "an offset of a sample that is not a constant from -8 to 7";
                self.unsupported("offsets of samples that vary", asked, Some(inst))
            }
        }
    }

    pub(crate) fn sample(
        &mut self,
        inst: Inst,
        texture: &Texture,
        detail: Detail,
        compares: bool,
    ) -> Result<Vec<Id>, CannotEmit> {
        let args = &texture.args;
        let axes = self.dim_of(texture.texture.binding).sample_axes();
        let coordinates = self.coordinates(texture);
        let mut operands: Vec<(u32, Vec<Id>)> = Vec::new();
        let mut is_implicit = false;
        let varies = args.offset.iter().any(|it| self.ir.constant(*it).is_none());
        match detail {
            Detail::Level => {
                let mut level = self.get(args.level[0]);
                if self.is_exact() {
                    let sampler = texture.sampler.map(|it| self.environment.bound(it.binding));
                    level = self.number(level);
                    level = self.cut(level, sampler.is_some_and(|it| it.whole_levels));
                }
                operands.push((LEVEL, vec![level]));
            }
            // A device computes no derivatives in divergent control flow.
            Detail::Bias if !varies && self.device_derivatives() => {
                is_implicit = true;
                operands.push((BIAS, vec![self.get(args.level[0])]));
            }
            Detail::Implicit | Detail::Bias => {
                let mut both = self.gradients(&coordinates, axes);
                if detail == Detail::Bias {
                    let scale = match args.ddx.first() {
                        Some(scale) => self.get(*scale),
                        None => {
                            let bias = self.get(args.level[0]);
                            self.unary(Unary::Exp2, Ty::F32, bias)
                        }
                    };
                    for part in both.iter_mut().flatten() {
                        *part = self.exact(op::F_MUL, Ty::F32, &[*part, scale]);
                    }
                }
                operands.push((GRADIENTS, both.map(|it| self.floats(&it)).to_vec()));
            }
            Detail::Gradients => {
                let both = [&args.ddx, &args.ddy].map(|it| self.get_all(it));
                operands.push((GRADIENTS, both.map(|it| self.floats(&it)).to_vec()));
            }
        }
        if !varies {
            let offset = self.offset(inst, &args.offset, false)?;
            operands.extend(offset.map(|(bit, it)| (bit, vec![it])));
        }
        if let Some(least) = args.least.first() {
            self.out.capabilities.insert(op::CAP_MIN_LOD);
            operands.push((LEAST, vec![self.get(*least)]));
        }
        let reference = compares.then(|| self.get(args.reference[0]));
        let at = self.floats(&coordinates);
        let opcode = match (compares, is_implicit) {
            (false, false) => op::IMAGE_SAMPLE_EXPLICIT,
            (false, true) => op::IMAGE_SAMPLE_IMPLICIT,
            (true, false) => op::IMAGE_COMPARE_EXPLICIT,
            (true, true) => op::IMAGE_COMPARE_IMPLICIT,
        };
        let fixed: Vec<Id> = [at].into_iter().chain(reference).collect();
        let source = self.source(texture);
        let found = match varies {
            false => self.instruction(texture, &source, opcode, &fixed, &operands),
            true if args.offset.len() > 2 => {
                let asked = "an offset in a volume that is not a constant";
                return self.unsupported("offsets in volumes that vary", asked, Some(inst));
            }
            true => {
                let offset = args.offset.as_slice();
                self.at_any_offset(texture, &source, opcode, (&fixed, &operands), offset)
            }
        };
        Ok(self.filtered(inst, texture, &source, opcode, found))
    }

    /// A switch with the instruction for every possible offset, from which a lane selects its own.
    fn at_any_offset(
        &mut self,
        texture: &Texture,
        source: &Source,
        opcode: Opcode,
        (fixed, operands): (&[Id], &[(u32, Vec<Id>)]),
        offset: &[Value],
    ) -> Id {
        let uint = self.out.uint();
        let low = self.out.word(15);
        let mut number = self.out.word(0);
        for (axis, value) in offset.iter().enumerate() {
            let value = self.get(*value);
            let four = self.op(op::BITWISE_AND, uint, &[value, low]);
            let by = self.out.word(4 * axis as u32);
            let shifted = self.op(op::SHIFT_LEFT_LOGICAL, uint, &[four, by]);
            number = self.op(op::BITWISE_OR, uint, &[number, shifted]);
        }
        let count = 1u32 << (4 * offset.len());
        let labels: Vec<Id> = (0..count).map(|_| self.out.id()).collect();
        let merge = self.out.id();
        push(&mut self.out.body, op::SELECTION_MERGE, &[merge.0, 0]);
        let cases = (1..count).zip(&labels[1..]).flat_map(|(case, label)| [case, label.0]);
        let words: Vec<u32> = [number.0, labels[0].0].into_iter().chain(cases).collect();
        push(&mut self.out.body, op::SWITCH, &words);
        let int = self.out.made_type(op::TYPE_INT, &[32, 1]);
        let mut found = Vec::new();
        for (case, label) in (0..count).zip(labels) {
            self.label(label);
            // Four bits, sign-extended.
            let of_axis = |axis: usize| ((case >> (4 * axis)) << 28) as i32 >> 28;
            let parts: Vec<Id> =
                (0..offset.len()).map(|axis| self.out.signed(of_axis(axis))).collect();
            let constant = match parts.as_slice() {
                [one] => *one,
                parts => {
                    let ty = self.out.vector(int, parts.len() as u32);
                    self.out.composite(ty, parts)
                }
            };
            // Operands are in the order of their bits; the one for the level is first.
            let mut all = operands.to_vec();
            all.insert(1, (CONST_OFFSET, vec![constant]));
            let value = self.instruction(texture, source, opcode, fixed, &all);
            found.push((value, self.block));
            self.branch(merge);
        }
        self.label(merge);
        let carrier = self.carrier(texture.texture.binding);
        let ty = if compares(opcode) { self.carried(carrier) } else { self.four_carried(carrier) };
        self.phi(ty, &found)
    }

    /// The result of a filtering instruction, in the shader's types.
    fn filtered(
        &mut self,
        inst: Inst,
        texture: &Texture,
        source: &Source,
        opcode: Opcode,
        found: Id,
    ) -> Vec<Id> {
        let mut carrier = self.carrier(texture.texture.binding);
        let sampler = texture.sampler.map(|it| self.environment.bound(it.binding));
        if !sampler.is_some_and(|it| it.single) {
            carrier.bound = None;
        }
        let mut values = Vec::new();
        for (i, result) in self.ir.inst(inst).results.iter().enumerate() {
            let ty = self.ir.ty(*result);
            let value = match compares(opcode) {
                true => self.texel_converted(found, Ty::F32, Sign::Signed, ty),
                false => self.component_of(carrier, found, i as u32, ty),
            };
            values.push(self.or_nothing(source, ty, value));
        }
        values
    }

    fn instruction(
        &mut self,
        texture: &Texture,
        source: &Source,
        opcode: Opcode,
        fixed: &[Id],
        operands: &[(u32, Vec<Id>)],
    ) -> Id {
        let combined = self.combined(texture, source);
        let mut words: Vec<u32> =
            [combined.0].into_iter().chain(fixed.iter().map(|it| it.0)).collect();
        let mask = operands.iter().fold(0, |mask, (bit, _)| mask | bit);
        if mask != 0 {
            words.push(mask);
            words.extend(operands.iter().flat_map(|(_, ids)| ids.iter().map(|it| it.0)));
        }
        let carrier = self.carrier(texture.texture.binding);
        let ty = if compares(opcode) { self.carried(carrier) } else { self.four_carried(carrier) };
        let found = self.op_words(opcode, ty, &words);
        let varies = source.image.varies || source.sampler.is_some_and(|it| it.varies);
        self.mark(varies, found);
        found
    }

    /// Gathers one channel of four texels, or whether they pass the comparison.
    pub(crate) fn gather(
        &mut self,
        inst: Inst,
        texture: &Texture,
        channel: Option<u8>,
    ) -> Result<Vec<Id>, CannotEmit> {
        let args = &texture.args;
        let coordinates = self.coordinates(texture);
        let at = self.floats(&coordinates);
        let (opcode, second) = match channel {
            Some(channel) => (op::IMAGE_GATHER, self.out.word(u32::from(channel))),
            None => (op::IMAGE_COMPARE_GATHER, self.get(args.reference[0])),
        };
        let fixed = [at, second];
        if args.offset.len() < 8 {
            let offset = self.offset(inst, &args.offset, true)?;
            let operands: Vec<(u32, Vec<Id>)> =
                offset.map(|(bit, it)| (bit, vec![it])).into_iter().collect();
            let source = self.source(texture);
            let found = self.instruction(texture, &source, opcode, &fixed, &operands);
            let mut values = Vec::new();
            for (i, result) in self.ir.inst(inst).results.iter().enumerate() {
                let ty = self.ir.ty(*result);
                values.push(self.gathered(texture, &source, found, i as u32, channel, ty));
            }
            return Ok(values);
        }
        let source = self.source(texture);
        let mut values = Vec::new();
        for (i, result) in self.ir.inst(inst).results.iter().enumerate() {
            let offset = self.offset(inst, &args.offset[2 * i..2 * i + 2], true)?;
            let operands: Vec<(u32, Vec<Id>)> =
                offset.map(|(bit, it)| (bit, vec![it])).into_iter().collect();
            let found = self.instruction(texture, &source, opcode, &fixed, &operands);
            let ty = self.ir.ty(*result);
            values.push(self.gathered(texture, &source, found, i as u32, channel, ty));
        }
        Ok(values)
    }

    /// One of four texels.
    fn gathered(
        &mut self,
        texture: &Texture,
        source: &Source,
        found: Id,
        index: u32,
        channel: Option<u8>,
        ty: Ty,
    ) -> Id {
        let mut carrier = self.carrier(texture.texture.binding);
        if channel.is_none() {
            carrier.bound = None;
        }
        let channel = u32::from(channel.unwrap_or(0));
        let value = self.component_seen(carrier, found, index, channel, ty);
        self.or_nothing(source, ty, value)
    }

    /// The level of detail of a sample: clamped (0) or unclamped (1).
    pub(crate) fn level_of_detail(
        &mut self,
        inst: Inst,
        texture: &Texture,
        which: u32,
    ) -> Result<Vec<Id>, CannotEmit> {
        if !self.device_derivatives() {
            let asked = format!("`{}`", self.ir.resource(texture.texture.binding).name);
            return self.unsupported(
                "levels of detail without SPV_KHR_compute_shader_derivatives",
                asked,
                Some(inst),
            );
        }
        self.out.capabilities.insert(op::CAP_IMAGE_QUERY);
        let coordinates = self.coordinates(texture);
        let at = self.floats(&coordinates);
        let source = self.source(texture);
        let combined = self.combined(texture, &source);
        let single = self.out.ty(Ty::F32);
        let two = self.out.vector(single, 2);
        let both = self.op(op::IMAGE_QUERY_DETAIL, two, &[combined, at]);
        let found = self.op_words(op::COMPOSITE_EXTRACT, single, &[both.0, which]);
        let ty = self.ir.ty(self.ir.inst(inst).results[0]);
        let value = self.texel_converted(found, Ty::F32, Sign::Signed, ty);
        Ok(vec![self.or_nothing(&source, ty, value)])
    }
}
