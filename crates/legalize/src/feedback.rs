//! Sampler feedback as arithmetic and atomic operations, for devices that have no instruction for it.
//!
//! A map becomes a structured buffer of words, whose layout [`ops::texture::feedback`] defines: a header, then a word for
//! each decoded texel. A write computes the level, the texels of weight above 0 and their regions as the definition does,
//! in f64 and integers, and joins each mark atomically. Samplers must be known, because their state is no operand.
//!
//! Deliberately absent: anisotropic filters, and maps, textures and samplers in arrays and descriptor heaps.

use ir::{
    Address as At, Atomic, Binding, Detail, Module, Op, Place, ResourceKind, Texture, TextureOp,
    Value, Values,
};
use ops::texture::feedback::{FIXED_WORDS, Header, Kind, LEVEL_WORDS, USED};
use ops::texture::{Address, Filter, Sampler};
use ops::{Binary, Compare, Sign, Ty, Unary};

use crate::target::Target;
use crate::writer::Writer;

use Sign::{Signed, Unsigned};

/// What is known about a resource that takes part in sampler feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Feedback {
    /// Of a sampler, its state.
    pub sampler: Option<SamplerState>,
    /// Of a map, the number of the resource to which its texture is bound.
    pub paired: Option<u32>,
}

/// The state of a sampler that decides which texels it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerState {
    min: Filter,
    mag: Filter,
    mip: Filter,
    is_anisotropic: bool,
    address: [Address; 3],
    /// As bits.
    bias: u32,
    lods: [u32; 2],
}

impl From<&Sampler> for SamplerState {
    fn from(sampler: &Sampler) -> SamplerState {
        SamplerState {
            min: sampler.min,
            mag: sampler.mag,
            mip: sampler.mip,
            is_anisotropic: sampler.anisotropy > 1,
            address: sampler.address,
            bias: sampler.bias.to_bits(),
            lods: [sampler.min_lod, sampler.max_lod].map(f32::to_bits),
        }
    }
}

impl Target {
    /// The same device, with what is known about resources, by their numbers.
    pub fn with_feedback(mut self, known: Vec<Feedback>) -> Target {
        self.feedback = known;
        self
    }

    fn sampler(&self, binding: Binding) -> Option<SamplerState> {
        self.feedback.get(binding.index())?.sampler
    }
}

/// Whether an instruction writes or measures a map.
fn is_of_map(module: &Module, texture: &Texture) -> bool {
    let of = &module.resource(texture.texture.binding).kind;
    texture.map.is_some() || matches!(of, ResourceKind::Feedback { .. })
}

/// Whether everything about maps in a module can be expanded.
pub(crate) fn is_expanded(module: &Module, target: &Target) -> bool {
    let is_one = |place: &Place| {
        let resource = module.resource(place.binding);
        place.element.is_none() && resource.count == Some(1) && !resource.register.class.is_heap()
    };
    let mut any = false;
    for data in &module.insts {
        let Op::Texture(texture) = &data.op else { continue };
        if !is_of_map(module, texture) {
            continue;
        }
        any = true;
        let state = texture.sampler.map(|it| target.sampler(it.binding));
        let is_known = state.is_none_or(|it| it.is_some_and(|it| !it.is_anisotropic));
        let mut places = [Some(&texture.texture), texture.sampler.as_ref(), texture.map.as_ref()]
            .into_iter()
            .flatten();
        if !is_known || !places.all(is_one) {
            return false;
        }
    }
    any
}

/// The resource that a map becomes.
pub(crate) fn expanded(kind: &ResourceKind) -> ResourceKind {
    match kind {
        ResourceKind::Feedback { .. } => ResourceKind::Structured {
            writable: true,
            stride: 4,
            members: Vec::new(),
            counter: false,
        },
        other => other.clone(),
    }
}

/// The header of a map, and what is known of a write.
struct Write {
    map: Place,
    kind: Kind,
    state: SamplerState,
    /// The size of the texture, its levels and layers, and the logarithms of the region's sides.
    size: [Value; 2],
    levels: Value,
    regions: [Value; 2],
    /// The index of the layer's first texel, relative to that of the level.
    layer: Value,
}

/// One texel on an axis.
struct Tap {
    /// Whether there is one; always, if it is not said.
    exists: Option<Value>,
    region: Value,
}

impl Writer<'_> {
    /// Expands an instruction about a map; `false` if it is none.
    pub(crate) fn feedback(&self, inst: ir::Inst) -> bool {
        let data = self.source.inst(inst);
        let Op::Texture(texture) = &data.op else { return false };
        if !self.expands_feedback || !is_of_map(self.source, texture) {
            return false;
        }
        let Some(map) = texture.map else {
            let sizes = self.map_size(texture, data.results.len());
            for (old, new) in data.results.iter().zip(sizes) {
                self.set(*old, new);
            }
            return true;
        };
        let known = self.target.feedback.get(map.binding.index()).copied().unwrap_or_default();
        let (Some(sampler), ResourceKind::Feedback { kind, .. }) =
            (texture.sampler, &self.source.resource(map.binding).kind)
        else {
            unreachable!("the verifier has checked the resources of a write")
        };
        // A write with another texture than the map's does nothing.
        let is_paired = known.paired == Some(texture.texture.binding.0);
        let Some(state) = self.target.sampler(sampler.binding).filter(|_| is_paired) else {
            return true;
        };
        self.if_bound(
            map,
            || {
                self.write(texture, map, *kind, state);
                []
            },
            || [],
        );
        true
    }

    /// Of the null map, nothing can be read.
    fn if_bound<const N: usize>(
        &self,
        map: Place,
        then: impl FnOnce() -> [Value; N],
        otherwise: impl FnOnce() -> [Value; N],
    ) -> [Value; N] {
        let words = self.value(Op::Size { place: map }, Ty::I32);
        let exists = self.compare(Compare::Ne, Ty::I32, words, self.word(0));
        self.branch(exists, then, otherwise)
    }

    fn map_word(&self, map: Place, unit: Value) -> Value {
        let at = At::Within { unit, bytes: 4, when: None };
        self.value(Op::Load { place: map, at }, Ty::I32)
    }

    fn header(&self, map: Place, word: Header) -> Value {
        self.map_word(map, self.word(word as u32))
    }

    /// The texture's size, layers of an array, and levels.
    fn map_size(&self, texture: &Texture, results: usize) -> Values {
        let map = texture.texture;
        let zero = self.word(0);
        let level = texture.args.level.first().map_or(zero, |it| self.get(*it));
        let read = || {
            let levels = self.header(map, Header::Levels);
            let exists = self.is_less(level, levels);
            let side = |it: Header| {
                let size = self.halved(self.header(map, it), self.min(level, self.word(31)));
                self.choose(exists, size, zero)
            };
            [side(Header::Width), side(Header::Height), self.header(map, Header::Layers), levels]
        };
        let [width, height, layers, levels] = self.if_bound(map, read, || [zero; 4]);
        match results {
            3 => [width, height, levels].into_iter().collect(),
            _ => [width, height, layers, levels].into_iter().collect(),
        }
    }

    fn write(&self, texture: &Texture, map: Place, kind: Kind, state: SamplerState) {
        let args = &texture.args;
        let at: Vec<Value> = args.at.iter().map(|it| self.get(*it)).collect();
        let size = [Header::Width, Header::Height].map(|it| self.header(map, it));
        let layer = match at.get(2) {
            Some(layer) => {
                let layer = self.nearest_layer(*layer, self.header(map, Header::Layers));
                self.op2(Binary::Mul, layer, self.header(map, Header::LayerTexels))
            }
            None => self.word(0),
        };
        let write = Write {
            map,
            kind,
            state,
            size,
            levels: self.header(map, Header::Levels),
            regions: [Header::RegionX, Header::RegionY].map(|it| self.header(map, it)),
            layer,
        };
        let lod = self.detail(&write, texture);
        let is_magnified = self.compare(Compare::Le(Signed), Ty::I32, lod, self.word(0));
        let last = self.shifted_left(self.with(Binary::Sub, write.levels, 1), 8);
        let zero = self.word(0);
        let lod = self.choose(self.compare(Compare::Lt(Signed), Ty::I32, lod, zero), zero, lod);
        let lod = self.min(lod, last);
        let at = [at[0], at[1]].map(|it| {
            let is_nan = self.compare(Compare::Ne, Ty::F32, it, it);
            self.converted(self.choose(is_nan, self.constant(Ty::F32, 0), it), Signed, Ty::F64)
        });
        let first = match (state.mip, kind) {
            // The level that is read.
            (Filter::Nearest, Kind::MipRegionUsed) => {
                let up = self.with(Binary::Add, lod, 128);
                self.min(self.shifted_right(up, 8), self.with(Binary::Sub, write.levels, 1))
            }
            _ => self.shifted_right(lod, 8),
        };
        self.pass(&write, first, at, is_magnified);
        if state.mip == Filter::Linear {
            let next = self.with(Binary::And, lod, 255);
            let has_next = self.compare(Compare::Ne, Ty::I32, next, zero);
            let second = || {
                self.pass(&write, self.with(Binary::Add, first, 1), at, is_magnified);
                []
            };
            self.branch(has_next, second, || []);
        }
    }

    /// The level of detail within all limits, in 256ths.
    fn detail(&self, write: &Write, texture: &Texture) -> Value {
        let args = &texture.args;
        let single = |bits: u32| self.real(f64::from(f32::from_bits(bits)));
        let wide = |it: Value| self.converted(self.get(it), Signed, Ty::F64);
        let bias = single(write.state.bias);
        let given = args.level.first().map(|it| wide(*it));
        let lod = match texture.op {
            TextureOp::Feedback(Detail::Level) => match given {
                Some(level) => self.op2(Binary::Add, level, bias),
                None => bias,
            },
            _ => {
                let along = [&args.ddx, &args.ddy].map(|derivative| {
                    let squares = [0, 1].map(|axis| {
                        let it = wide(derivative[axis]);
                        let is_nan = self.compare(Compare::Ne, Ty::F64, it, it);
                        let size = self.to_double(write.size[axis]);
                        let texels = self.op2(Binary::Mul, it, size);
                        let texels = self.choose(is_nan, self.real(0.0), texels);
                        self.op2(Binary::Mul, texels, texels)
                    });
                    self.op2(Binary::Add, squares[0], squares[1])
                });
                let longest = self.larger(along[0], along[1]);
                let longest = self.converted(longest, Signed, Ty::F32);
                let logarithm = self.unary(Unary::Log2, Ty::F32, longest);
                let logarithm = self.converted(logarithm, Signed, Ty::F64);
                let half = self.op2(Binary::Mul, logarithm, self.real(0.5));
                let bias = match given {
                    Some(given) => self.op2(Binary::Add, given, bias),
                    None => bias,
                };
                self.op2(Binary::Add, half, bias)
            }
        };
        let [least, most] = write.state.lods.map(single);
        let low = match args.least.first() {
            Some(it) => self.larger(least, wide(*it)),
            None => least,
        };
        let is_nan = self.compare(Compare::Ne, Ty::F64, lod, lod);
        let is_above = self.compare(Compare::Gt(Signed), Ty::F64, lod, most);
        let limited = self.larger(self.choose(is_above, most, lod), low);
        let lod = self.choose(is_nan, low, limited);
        let steps = self.op2(Binary::Mul, lod, self.real(256.0));
        // More than any texture has levels.
        self.floored(steps, f64::from(1 << 20), Ty::I32)
    }

    /// Marks the texels of a level.
    fn pass(&self, write: &Write, level: Value, at: [Value; 2], is_magnified: Value) {
        let axes = [0, 1].map(|axis| self.axis(write, axis, level, at[axis], is_magnified));
        let row = self.shifted_left(level, LEVEL_WORDS.ilog2());
        let row = self.with(Binary::Add, row, FIXED_WORDS as u64);
        let start = self.op2(Binary::Add, self.map_word(write.map, row), write.layer);
        let width = self.map_word(write.map, self.with(Binary::Add, row, 1));
        for y in &axes[1] {
            let from = self.op2(Binary::Add, start, self.op2(Binary::Mul, y.region, width));
            for x in &axes[0] {
                let unit = self.op2(Binary::Add, from, x.region);
                let mark = || {
                    let (op, value) = match write.kind {
                        Kind::MinMip => (Atomic::Min(Unsigned), level),
                        Kind::MipRegionUsed => (Atomic::Or, self.word(u32::from(USED))),
                    };
                    let at = At::Within { unit, bytes: 4, when: None };
                    let args = [value].into_iter().collect();
                    self.add(Op::Atomic { place: write.map, at, op, args }, &[Ty::I32]);
                };
                let exists = match (x.exists, y.exists) {
                    (Some(x), Some(y)) => Some(self.both(x, y)),
                    (x, y) => x.or(y),
                };
                match exists {
                    Some(exists) => {
                        let marked = || {
                            mark();
                            []
                        };
                        self.branch(exists, marked, || []);
                    }
                    None => mark(),
                }
            }
        }
    }

    /// The one or two texels on an axis.
    fn axis(
        &self,
        write: &Write,
        axis: usize,
        level: Value,
        at: Value,
        is_magnified: Value,
    ) -> Vec<Tap> {
        let size = self.halved(write.size[axis], level);
        let position = self.op2(Binary::Mul, at, self.to_double(size));
        let own = self.floored(position, FAR, Ty::I64);
        let tap = |texel: Value, extra: Option<Value>| {
            self.region_of(write, axis, (texel, own), position, size, extra)
        };
        let SamplerState { min, mag, .. } = write.state;
        if (min, mag) == (Filter::Nearest, Filter::Nearest) {
            return vec![tap(own, None)];
        }
        // In 256ths, half a texel to the left.
        let scaled = self.op2(Binary::Mul, position, self.real(256.0));
        let scaled = self.op2(Binary::Add, scaled, self.real(0.5));
        let from_middle = self.with(Binary::Sub, self.floored(scaled, FAR, Ty::I64), 128);
        let mut first = self.with(Binary::Shr(Signed), from_middle, 8);
        let next = self.with(Binary::And, from_middle, 255);
        let mut has_next = self.compare(Compare::Ne, Ty::I64, next, self.constant(Ty::I64, 0));
        if min != mag {
            let is_linear = match mag {
                Filter::Linear => is_magnified,
                Filter::Nearest => self.not(is_magnified),
            };
            first = self.choose(is_linear, first, own);
            has_next = self.both(has_next, is_linear);
        }
        let second = self.with(Binary::Add, first, 1);
        vec![tap(first, None), tap(second, Some(has_next))]
    }

    /// The region of a texel, of which it is said where the position lies.
    fn region_of(
        &self,
        write: &Write,
        axis: usize,
        (texel, own): (Value, Value),
        position: Value,
        size: Value,
        exists: Option<Value>,
    ) -> Tap {
        let address = write.state.address[axis];
        let long = self.converted(size, Unsigned, Ty::I64);
        let zero = self.constant(Ty::I64, 0);
        let last = self.with(Binary::Sub, long, 1);
        let less = |a: Value, b: Value| self.compare(Compare::Lt(Signed), Ty::I64, a, b);
        let is_before = less(texel, zero);
        let is_after = less(last, texel);
        let within = |texel: Value, period: Value| {
            let rest = self.binary(Binary::Rem(Signed), Ty::I64, texel, period, true);
            let moved = self.op2(Binary::Add, rest, period);
            self.choose(less(rest, zero), moved, rest)
        };
        // Where it is found, whether it is mirrored, and whether it lies at the start or at the end of what it replaces.
        let (mut mirrored, mut at_start, mut at_end) = (None, None, None);
        let mut exists = exists;
        let found = match address {
            Address::Wrap => within(texel, long),
            Address::Border => {
                let outside = self.op2(Binary::Or, is_before, is_after);
                let inside = self.not(outside);
                exists = Some(exists.map_or(inside, |it| self.both(it, inside)));
                self.choose(outside, zero, texel)
            }
            Address::Mirror => {
                let twice = self.op2(Binary::Add, long, long);
                let folded = within(texel, twice);
                let is_mirrored = less(last, folded);
                mirrored = Some(is_mirrored);
                let back = self.op2(Binary::Sub, self.with(Binary::Sub, twice, 1), folded);
                self.choose(is_mirrored, back, folded)
            }
            Address::Clamp => {
                (at_start, at_end) = (Some(is_before), Some(is_after));
                let low = self.choose(is_before, zero, texel);
                self.choose(is_after, last, low)
            }
            Address::MirrorOnce => {
                let minus_one = self.constant(Ty::I64, u64::MAX);
                let back = self.op2(Binary::Sub, minus_one, texel);
                let folded = self.choose(is_before, back, texel);
                let is_beyond = less(last, folded);
                (mirrored, at_end) = (Some(is_before), Some(is_beyond));
                self.choose(is_beyond, last, folded)
            }
        };
        let found = self.converted(found, Unsigned, Ty::I32);
        let log = write.regions[axis];
        if write.kind == Kind::MipRegionUsed {
            return Tap { exists, region: self.op2(Binary::Shr(Unsigned), found, log) };
        }
        // The place in the texel, in texels of the largest level: floors of exact products.
        let largest = write.size[axis];
        let end = self.with(Binary::Sub, largest, 1);
        let start = self.word(0);
        let whole = self.unary(Unary::Floor, Ty::F64, self.limited(position, FAR));
        let fraction = self.op2(Binary::Sub, self.limited(position, FAR), whole);
        let scaled = self.op2(Binary::Mul, fraction, self.to_double(largest));
        let down = self.floored(scaled, FAR, Ty::I32);
        let is_exact = self.compare(Compare::Eq, Ty::F64, self.to_double(down), scaled);
        let up = self.choose(is_exact, down, self.with(Binary::Add, down, 1));
        let is_own = self.compare(Compare::Eq, Ty::I64, texel, own);
        let is_above = less(own, texel);
        let beside = self.choose(is_above, start, end);
        let mut offset = self.choose(is_own, down, beside);
        if let Some(mirrored) = mirrored {
            let back = self.min(self.op2(Binary::Sub, largest, up), end);
            let beside = self.choose(is_above, end, start);
            let reversed = self.choose(is_own, back, beside);
            offset = self.choose(mirrored, reversed, offset);
        }
        if let Some(at_start) = at_start {
            offset = self.choose(at_start, start, offset);
        }
        if let Some(at_end) = at_end {
            offset = self.choose(at_end, end, offset);
        }
        let place = self.op2(Binary::Mul, found, largest);
        let place = self.op2(Binary::Add, place, offset);
        let each = self.op2(Binary::Shl, size, log);
        let region = self.binary(Binary::Div(Unsigned), Ty::I32, place, each, true);
        Tap { exists, region }
    }

    /// The layer of a float: the nearest, halves to even, within the texture.
    fn nearest_layer(&self, layer: Value, layers: Value) -> Value {
        let rounded = self.unary(Unary::Round, Ty::F32, layer);
        let rounded = self.converted(rounded, Signed, Ty::F64);
        let zero = self.real(0.0);
        let is_positive = self.compare(Compare::Gt(Signed), Ty::F64, rounded, zero);
        let layer =
            self.floored(self.choose(is_positive, rounded, zero), f64::from(1 << 20), Ty::I32);
        self.min(layer, self.with(Binary::Sub, layers, 1))
    }

    // Arithmetic.

    fn real(&self, value: f64) -> Value {
        self.constant(Ty::F64, value.to_bits())
    }

    /// A word below 2³¹ as a float.
    fn to_double(&self, word: Value) -> Value {
        let op = Unary::Convert { to: Ty::F64, from_sign: Signed, to_sign: Signed };
        self.unary(op, Ty::I32, word)
    }

    /// The second if it is larger, also than a NaN; the first otherwise.
    fn larger(&self, a: Value, b: Value) -> Value {
        self.choose(self.compare(Compare::Gt(Signed), Ty::F64, b, a), b, a)
    }

    fn limited(&self, value: Value, limit: f64) -> Value {
        let [low, high] = [-limit, limit].map(|it| self.real(it));
        let is_below = self.compare(Compare::Lt(Signed), Ty::F64, value, low);
        let is_above = self.compare(Compare::Gt(Signed), Ty::F64, value, high);
        self.choose(is_below, low, self.choose(is_above, high, value))
    }

    /// The floor of a number, within limits, as an integer.
    fn floored(&self, value: Value, limit: f64, to: Ty) -> Value {
        let floor = self.unary(Unary::Floor, Ty::F64, self.limited(value, limit));
        self.unary(Unary::Convert { to, from_sign: Signed, to_sign: Signed }, Ty::F64, floor)
    }

    fn is_less(&self, a: Value, b: Value) -> Value {
        self.compare(Compare::Lt(Unsigned), Ty::I32, a, b)
    }

    fn min(&self, a: Value, b: Value) -> Value {
        self.choose(self.is_less(b, a), b, a)
    }

    fn not(&self, a: Value) -> Value {
        self.op2(Binary::Xor, a, self.constant(Ty::Bool, 1))
    }

    fn shifted_left(&self, a: Value, by: u32) -> Value {
        self.with(Binary::Shl, a, by.into())
    }

    fn shifted_right(&self, a: Value, by: u32) -> Value {
        self.with(Binary::Shr(Unsigned), a, by.into())
    }

    /// The size of a level.
    fn halved(&self, size: Value, level: Value) -> Value {
        let half = self.op2(Binary::Shr(Unsigned), size, level);
        let one = self.word(1);
        self.choose(self.is_less(half, one), one, half)
    }
}

/// Far beyond every texel.
const FAR: f64 = (1u64 << 48) as f64;
