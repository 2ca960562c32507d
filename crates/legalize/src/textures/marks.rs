//! Writes of sampler feedback as atomic operations, as `ops::texture::feedback` defines them. The level of detail, the
//! texels and their addresses are those of samples (`lod.rs`, `sample.rs`), so that a map cannot differ from filtering.
//!
//! A map is a buffer of words, which begins with a [`Header`]. The region of a texel is exact: sizes have 15 bits, so
//! that the products of coordinates that are singles fit in an f64; those of the probes of an anisotropic filter are
//! doubles, and their products are computed in two parts.

use ir::{Address as At, Atomic, Binding, Inst, Op, Place, Texture, TextureOp, Value};
use ops::texture::feedback::{FIXED_WORDS, FeedbackKind, Header, LEVEL_WORDS, USED};
use ops::texture::{Address, Dim, Sampler};
use ops::{Sign, Ty};

use super::SAMPLER_WORDS;
use super::lod::Levels;
use super::place::Shape;
use super::sample::State;
use crate::feedback::{Feedback, SamplerState};
use crate::term::Term;
use crate::writer::Writer;

/// A map, as a write sees it.
struct Map<'a> {
    place: Place,
    kind: FeedbackKind,
    /// Of its texture.
    shape: Shape<'a>,
    /// The logarithms of the sides of a region.
    regions: [Term<'a>; 2],
    /// The index of the layer's first texel, relative to that of the level.
    layer: Term<'a>,
    /// Whether coordinates may be those of probes, which are doubles.
    has_probes: bool,
}

/// A texel on an axis.
struct Tap<'a> {
    /// Whether the sample uses it.
    counts: Term<'a>,
    region: Term<'a>,
}

impl<'a> Writer<'a> {
    /// Replaces an instruction that writes or measures a map.
    pub(crate) fn feedback(&'a self, inst: Inst, texture: &Texture, known: &[Feedback]) {
        let args = self.args_by_role(texture);
        let place = |it: Place| Place { element: it.element.map(|it| self.get(it)), ..it };
        let Some(map) = texture.map else {
            let results = &self.source.inst(inst).results;
            let dim = if results.len() == 4 { Dim::D2Array } else { Dim::D2 };
            let shape = self.paired_shape(place(texture.texture));
            let sizes = self.sizes(dim, &shape, args[1].first().copied());
            for (old, new) in results.iter().zip(sizes) {
                self.set(*old, new.value);
            }
            return;
        };
        let of = |it: Binding| known.get(it.index());
        let (map, sampled) = (place(map), place(texture.texture));
        let paired = of(map.binding).map_or(&[][..], |it| &it.paired);
        let (Some(states), false) =
            (texture.sampler.and_then(|it| of(it.binding)), paired.is_empty())
        else {
            return;
        };
        let element = texture.sampler.and_then(|it| it.element).map(|it| self.get(it));
        let sampler = self.state_of(&states.samplers, element);
        let is_paired = self.is_paired(map, sampled, paired);
        self.write_map(map, texture, &args, sampler, is_paired);
    }

    /// The words of the state of a lane's sampler; where none is bound, of the default one.
    fn state_of(
        &'a self,
        states: &[SamplerState],
        element: Option<Value>,
    ) -> [Term<'a>; SAMPLER_WORDS] {
        let words = |it: SamplerState| it.words().map(|it| self.word_term(it));
        let none = SamplerState::from(&Sampler::default());
        let Some(element) = element else { return words(states.first().copied().unwrap_or(none)) };
        let element = self.term(element);
        (0..).zip(states).fold(words(none), |others, (number, state)| {
            element.equals(element.whole(number)).picks(words(*state), others)
        })
    }

    /// Whether a texture is that of a map: a write with another one does nothing.
    fn is_paired(&'a self, map: Place, texture: Place, paired: &[Vec<(u32, u32)>]) -> Term<'a> {
        let [never, always] = [0, 1].map(|it| self.term(self.constant(Ty::Bool, it)));
        let is = |element: Option<Value>, number: u32| match (element, number) {
            (Some(element), _) => {
                let element = self.term(element);
                element.equals(element.whole(number.into()))
            }
            (None, 0) => always,
            (None, _) => never,
        };
        let mut any = never;
        for (number, places) in (0..).zip(paired) {
            let mut own = never;
            for (_, element) in places.iter().filter(|it| it.0 == texture.binding.0) {
                own = own | is(texture.element, *element);
            }
            any = any | (is(map.element, number) & own);
        }
        any
    }

    fn write_map(
        &'a self,
        place: Place,
        texture: &Texture,
        args: &[Vec<Term<'a>>; 9],
        sampler: [Term<'a>; SAMPLER_WORDS],
        is_paired: Term<'a>,
    ) {
        let (TextureOp::Feedback(detail), ir::ResourceKind::Feedback { kind, array }) =
            (texture.op, &self.source.resource(place.binding).kind)
        else {
            unreachable!("the verifier has checked that only writes name a map")
        };
        if is_paired.is_never() {
            return;
        }
        let dim = if *array { Dim::D2Array } else { Dim::D2 };
        let state = State::of(&sampler);
        let (at, layer) = args[0].split_at(dim.sample_axes());
        // Lanes read others before they part.
        let detail = self.detail(detail, args, at);
        let write = || {
            let shape = self.paired_shape(place);
            // The null map has no levels.
            let is_bound = self.word_term(0).below(shape.levels);
            let mark = || {
                let header = |it: Header| self.map_word(place, self.word_term(it as u32));
                let layer = layer.first().map_or(self.word_term(0), |it| {
                    self.layer(dim, &shape, Some(*it)) * header(Header::LayerTexels)
                });
                let regions = [Header::RegionX, Header::RegionY].map(header);
                let at: Vec<Term<'a>> = at.iter().map(|it| it.as_double()).collect();
                let footprint = self.footprint(&shape, dim, &state, &at, &detail);
                let has_probes = footprint.probes.is_some();
                let map = Map { place, kind: *kind, shape, regions, layer, has_probes };
                let clamped = self.clamped_lod(footprint.lod, &state, args[7].first().copied());
                let levels = self.recorded_levels(&map, &state, clamped);
                self.each_probe(&at, &footprint, |at| self.mark_levels(&map, &state, &levels, at));
                Vec::new()
            };
            self.either_terms(is_bound, mark, Vec::new)
        };
        self.either_terms(is_paired, write, Vec::new);
    }

    /// Marks the texels of one probe, in one level or two.
    fn mark_levels(
        &'a self,
        map: &Map<'a>,
        state: &State<'a>,
        levels: &Levels<'a>,
        at: &[Term<'a>],
    ) {
        self.mark_level(map, state, levels, levels.first, at);
        let second = || {
            let level = levels.first + levels.first.whole(1);
            self.mark_level(map, state, levels, level, at);
            Vec::new()
        };
        self.either_terms(levels.next.differs(levels.next.whole(0)), second, Vec::new);
    }

    fn map_word(&'a self, map: Place, index: Term<'a>) -> Term<'a> {
        let at = At::Structured { index: index.value, offset: self.word(0) };
        self.term(self.value(Op::Load { place: map, at }, Ty::I32))
    }

    /// The shape of the texture of a map.
    fn paired_shape(&'a self, map: Place) -> Shape<'a> {
        let header = |it: Header| self.map_word(map, self.word_term(it as u32));
        let size = [Header::Width, Header::Height].map(header);
        Shape::flat(size, header(Header::Layers), header(Header::Levels))
    }

    /// The levels of a sample, except that a map of levels records the level of detail truncated where the sampler
    /// takes the nearest level.
    fn recorded_levels(
        &'a self,
        map: &Map<'a>,
        state: &State<'a>,
        clamped: Term<'a>,
    ) -> Levels<'a> {
        match map.kind {
            FeedbackKind::MipRegionUsed => self.levels(&map.shape, state, clamped),
            FeedbackKind::MinMip => {
                let levels = self.levels(&map.shape, &state.between_levels(), clamped);
                let next = state.is_linear(state.mip).pick(levels.next, levels.next.whole(0));
                Levels { next, ..levels }
            }
        }
    }

    fn mark_level(
        &'a self,
        map: &Map<'a>,
        state: &State<'a>,
        levels: &Levels<'a>,
        level: Term<'a>,
        at: &[Term<'a>],
    ) {
        let is_linear = state.blends_texels(levels);
        let sizes = self.level_size(&map.shape, level);
        let taps = [0, 1].map(|axis: usize| -> Vec<Tap<'a>> {
            let size = sizes[axis].as_long_unsigned();
            let [first, next] = self.taps(Dim::D2, is_linear, at[axis], size);
            let has_next = next.differs(next.whole(0));
            let always = self.term(self.constant(Ty::Bool, 1));
            [(first, always), (first + first.whole(1), has_next)]
                .into_iter()
                .filter(|(_, counts)| !counts.is_never())
                .map(|(texel, counts)| {
                    let mode = state.address[axis];
                    let found = self.resolved(mode, texel, size);
                    let position = at[axis] * size.as_double();
                    Tap {
                        counts: counts & !self.is_on_border(mode, texel, found),
                        region: self.region_of(map, axis, mode, [texel, found, size], position),
                    }
                })
                .collect()
        });
        let row = level.left(LEVEL_WORDS.ilog2()) + level.whole(FIXED_WORDS as i64);
        let start = self.map_word(map.place, row) + map.layer;
        let width = self.map_word(map.place, row + row.whole(1));
        for y in &taps[1] {
            for x in &taps[0] {
                let mark = || {
                    let index = start + y.region * width + x.region;
                    let at = At::Structured { index: index.value, offset: self.word(0) };
                    let (op, value) = match map.kind {
                        FeedbackKind::MinMip => (Atomic::Min(Sign::Unsigned), level),
                        FeedbackKind::MipRegionUsed => (Atomic::Or, self.word_term(USED.into())),
                    };
                    let args = ir::values![value.value];
                    self.add(Op::Atomic { place: map.place, at, op, args }, &[Ty::I32]);
                    Vec::new()
                };
                self.either_terms(x.counts & y.counts, mark, Vec::new);
            }
        }
    }

    /// The region of a texel of a level, after and before its address is resolved; `position` is that of the sample, in
    /// texels.
    fn region_of(
        &'a self,
        map: &Map<'a>,
        axis: usize,
        mode: Term<'a>,
        [texel, found, size]: [Term<'a>; 3],
        position: Term<'a>,
    ) -> Term<'a> {
        let log = map.regions[axis];
        if map.kind == FeedbackKind::MipRegionUsed {
            return found.as_word().right_by(log);
        }
        let largest = map.shape.size[axis].as_long_unsigned();
        let within = self.place_within(map, mode, [texel, found, size], [position, largest]);
        let place = (found * largest + within).as_word();
        place.quotient_unsigned(size.as_word().left_by(log))
    }

    /// The place of the sample in a texel, from 0 to `largest` − 1: that of a neighbour is the nearest edge. It is
    /// mirrored and clamped with the texel.
    fn place_within(
        &'a self,
        map: &Map<'a>,
        mode: Term<'a>,
        [texel, found, size]: [Term<'a>; 3],
        [position, largest]: [Term<'a>; 2],
    ) -> Term<'a> {
        let (start, end) = (largest.whole(0), largest - largest.whole(1));
        let own = self.whole(position);
        let [down, up] = match map.has_probes {
            true => self.scaled_fraction(position, largest),
            false => {
                let scaled = position * largest.as_double();
                // Far beyond every texel there are no fractions.
                let is_whole = position.equals(position.floor());
                let beyond = |it: Term<'a>| is_whole.pick(start, self.whole(it) - own * largest);
                [beyond(scaled), beyond(scaled.ceil())]
            }
        };
        let (down, up) = (down.min(end), (largest - up).min(end));
        let (is_own, is_above) = (texel.equals(own), own.less(texel));
        let along = is_own.pick(down, is_above.pick(start, end));
        let reversed = is_own.pick(up, is_above.pick(end, start));
        let is = |it: Address| mode.equals(mode.whole(it as i64));
        // A texel and its representative are whole periods apart, unless it is mirrored.
        let is_mirrored = (texel - found).remainder(size + size).differs(size.whole(0));
        let reflected = is(Address::Mirror) & is_mirrored;
        let once = is(Address::MirrorOnce);
        let folded = once & texel.less(texel.whole(0));
        let clamps = is(Address::Clamp) | once;
        let is_after = clamps & size.at_most(texel) | once & texel.less(texel.whole(0) - size);
        let is_before = is(Address::Clamp) & texel.less(texel.whole(0));
        let inside = (reflected | folded).pick(reversed, along);
        is_after.pick(end, is_before.pick(start, inside))
    }

    /// The fraction of a position times an integer of at most 15 bits, rounded down and up.
    ///
    /// The fraction is high / 2³¹ + low / 2⁶⁷, and a rest that is not 0 only below 2⁻¹⁵, where the product is below 1.
    /// Each part times the integer fits in 64 bits. The fraction itself is rounded just below 0, as in the definition.
    fn scaled_fraction(&'a self, position: Term<'a>, by: Term<'a>) -> [Term<'a>; 2] {
        let fraction = (position - position.floor()) * position.double((1u64 << 31) as f64);
        let high = self.whole(fraction);
        let rest = (fraction - high.as_double()) * position.double((1u64 << 36) as f64);
        let low = self.whole(rest);
        let below = low * by;
        let sum = high * by + below.right_signed(36);
        let down = sum.right_signed(31);
        let is_zero =
            |it: Term<'a>, bits: u32| (it & it.whole((1 << bits) - 1)).equals(it.whole(0));
        let is_whole = is_zero(sum, 31) & is_zero(below, 36) & rest.equals(low.as_double());
        [down, is_whole.pick(down, down + down.whole(1))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    /// ⌊fraction · by⌋ and ⌈fraction · by⌉ in integers: the fraction is its mantissa divided by a power of two.
    fn expected(position: f64, by: u64) -> [u64; 2] {
        let fraction = position - position.floor();
        if fraction == 0.0 {
            return [0, 0];
        }
        let bits = fraction.to_bits();
        let exponent = (bits >> 52).max(1) as u32;
        let implied = u64::from(bits >> 52 != 0) << 52;
        let product = u128::from(bits & ((1 << 52) - 1) | implied) * u128::from(by);
        match 1075 - exponent {
            shift @ 0..128 => {
                let down = product >> shift;
                [down, down + u128::from(down << shift != product)].map(|it| it as u64)
            }
            _ => [0, 1],
        }
    }

    #[test]
    fn the_fraction_of_a_double_is_scaled_exactly() {
        let text = "entry \"main\": compute 6.0\ngroup_size 1, 1, 1\nbody r0 {\nreturn\n}\n";
        let module = ir::text::read(text).unwrap();
        let target = Target::vulkan(true, true);
        let writer = Writer::new(&module, &target);
        // Constants are folded, so that the formula gives numbers.
        let scaled = |position: f64, by: u64| {
            let by = writer.term(writer.constant(Ty::I64, by));
            writer
                .scaled_fraction(writer.double_term(position), by)
                .map(|it| writer.known(it.value))
        };
        let mut rounds = 0;
        for by in [1u64, 3, 17, 37, 1000, 4096, 16383, 16384, 32767] {
            let mut positions = vec![0.0, 3.0, -2.0, 0.5, 1e300, -1e300, 5e-324, -5e-324, -1e-17];
            for part in (0..by).step_by((by / 16).max(1) as usize) {
                for near in [0.0, 1.0, -1.0, 117.0, 1.0 / 65536.0] {
                    let near = near + part as f64 / by as f64;
                    positions.extend([near.next_down().next_down(), near.next_down(), near]);
                    positions.extend([near.next_up(), near.next_up().next_up(), near / 32768.0]);
                }
            }
            for position in positions {
                let wanted = expected(position, by);
                assert_eq!(scaled(position, by), wanted.map(Some), "{position:e} times {by}");
                let own = position.floor() * by as f64;
                rounds += u64::from((position * by as f64).floor() - own != wanted[0] as f64);
            }
        }
        assert!(rounds > 20, "the product of doubles is wrong {rounds} times only");
    }
}
