//! Samples and gathers, as `ops::texture` defines them: loops over probes, levels and texels, so that the code that
//! reads a texel occurs once in each instruction.

use ir::{Binding, Derivative, Op, Place, TextureOp};
use ops::Ty;
use ops::texture::{Address, Dim};

use super::Source;
use super::lod::{Detail, Footprint, Levels};
use super::place::{Level, Shape, Texel};
use super::records::SAMPLER_WORDS;
use crate::channel::Number;
use crate::term::Term;
use crate::writer::Writer;

/// The state of a lane's sampler.
#[derive(Clone, Copy)]
pub(super) struct State<'a> {
    min: Term<'a>,
    mag: Term<'a>,
    pub(super) mip: Term<'a>,
    pub(super) anisotropy: Term<'a>,
    /// The number of an [`Address`] for each axis.
    pub(super) address: [Term<'a>; 3],
    /// In f64.
    border: [Term<'a>; 4],
    /// These three are f32.
    pub(super) bias: Term<'a>,
    pub(super) min_lod: Term<'a>,
    pub(super) max_lod: Term<'a>,
    compare: Term<'a>,
}

impl<'a> State<'a> {
    /// From the words of [`sampler_words`](super::records::sampler_words).
    pub(super) fn of(words: &[Term<'a>]) -> State<'a> {
        let single = |it: usize| words[it].cast(Ty::F32);
        State {
            min: words[0],
            mag: words[1],
            mip: words[2],
            anisotropy: words[3],
            address: [words[4], words[5], words[6]],
            border: [7, 8, 9, 10].map(|it| single(it).as_double()),
            bias: single(11),
            min_lod: single(12),
            max_lod: single(13),
            compare: words[14],
        }
    }

    pub(super) fn is_anisotropic(&self) -> Term<'a> {
        self.anisotropy.whole(1).below(self.anisotropy)
    }

    /// With the filter between levels linear.
    pub(super) fn between_levels(self) -> State<'a> {
        State { mip: self.mip.whole(1), ..self }
    }

    /// Whether the filter within a level is linear.
    pub(super) fn blends_texels(&self, levels: &Levels<'a>) -> Term<'a> {
        let filter = levels.is_magnified.pick(self.mag, self.min);
        self.is_linear(filter) | self.is_anisotropic()
    }

    pub(super) fn is_linear(&self, filter: Term<'a>) -> Term<'a> {
        filter.differs(filter.whole(0))
    }
}

/// What an instruction reads: one layer of a texture.
struct Reader<'r, 'a> {
    source: Source<'a>,
    shape: &'r Shape<'a>,
    state: &'r State<'a>,
    /// For a cube, its first face.
    layer: Term<'a>,
    /// In f64.
    reference: Option<Term<'a>>,
    /// Which components are read; the first one that is compared.
    components: Vec<usize>,
}

/// One place of a sample.
struct Pass<'p, 'a> {
    /// Of a cube, as a word.
    face: Term<'a>,
    /// The coordinates, on that face; in f64.
    at: Vec<Term<'a>>,
    is_linear: Term<'a>,
    offset: &'p [Term<'a>],
}

/// A level, and its size on each axis in 64 bits.
struct Grid<'a> {
    level: Level<'a>,
    sizes: Vec<Term<'a>>,
}

/// A weighted sum: a total for each component, and last whether it has a term.
type Sum<'a> = Vec<Term<'a>>;

impl<'a> Writer<'a> {
    pub(super) fn sampler_state(
        &'a self,
        binding: Binding,
        element: Option<Term<'a>>,
    ) -> State<'a> {
        let records = self.records(binding);
        let element = match element {
            None => self.word_term(0),
            // The record after the last one is that of a missing sampler.
            Some(element) => {
                let place = Place { binding: records, element: None };
                let size = self.results(self.add(Op::Size { place }, &[Ty::I32; 2]));
                let count = self.term(size[0]);
                element.least_unsigned(count - count.whole(1))
            }
        };
        State::of(&self.words_of(records, element, 0, SAMPLER_WORDS))
    }

    /// Instructions with a sampler.
    pub(super) fn sampled(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        state: &State<'a>,
        op: TextureOp,
        args: &[Vec<Term<'a>>; 9],
        results: &[Ty],
    ) -> Vec<Term<'a>> {
        let [at, _, _, _, _, offset, reference, least, _] = args;
        let axes = source.dim.sample_axes();
        let (place, layer) = at.split_at(axes);
        // Lanes read others before they part.
        let detail = match op {
            TextureOp::Sample(detail) | TextureOp::Compare(detail) => {
                self.detail(detail, args, place)
            }
            _ if op.is_level_of_detail() => self.detail(ir::Detail::Implicit, args, place),
            _ => Detail::Level(self.term(self.constant(Ty::F32, 0))),
        };
        let zero = self.word_term(0);
        let zeros =
            || results.iter().map(|it| self.term(self.constant(*it, 0))).collect::<Vec<_>>();
        let doubles: Vec<Term<'a>> = place.iter().map(|it| it.as_double()).collect();
        let read = || {
            if op.is_level_of_detail() {
                let lod = self.footprint(shape, source.dim, state, &doubles, &detail).lod;
                let lod = match op {
                    TextureOp::LevelOfDetail => {
                        let last = (shape.levels - zero.whole(1)).as_double();
                        let clamped = self.clamped_lod(lod, state, None);
                        clamped.within(lod.double(0.0), last)
                    }
                    _ => lod,
                };
                return vec![Number::Float(lod.as_single()).component(results[0])];
            }
            let gathers = op.gathered().map(usize::from);
            let compares = reference.first().copied();
            let components = match (gathers, compares) {
                (Some(component), _) => vec![component.min(3)],
                (None, Some(_)) => vec![0],
                (None, None) => (0..results.len()).collect(),
            };
            let reader = Reader {
                source,
                shape,
                state,
                layer: self.layer(source.dim, shape, layer.first().copied()),
                reference: compares.map(|it| self.reference(source, shape, it)),
                components,
            };
            let found = match gathers {
                Some(_) => self.gather(&reader, &doubles, offset),
                None => {
                    let footprint = self.footprint(shape, source.dim, state, &doubles, &detail);
                    let clamped = self.clamped_lod(footprint.lod, state, least.first().copied());
                    self.probes(&reader, &doubles, &footprint, clamped, offset)
                }
            };
            found
                .into_iter()
                .zip(results)
                .map(|(it, ty)| Number::Float(it).component(*ty))
                .collect()
        };
        self.either_terms(zero.below(shape.levels), read, zeros)
    }

    /// Where the level of detail comes from; `place` are the coordinates.
    pub(super) fn detail(
        &'a self,
        detail: ir::Detail,
        args: &[Vec<Term<'a>>; 9],
        place: &[Term<'a>],
    ) -> Detail<'a> {
        let [_, level, _, ddx, ddy, ..] = args;
        let bias = level.first().copied();
        let along = |of: Derivative| {
            let one = |it: &Term<'a>| self.term(self.value(Op::Derivative(of, it.value), Ty::F32));
            place.iter().map(one).collect()
        };
        match detail {
            ir::Detail::Implicit | ir::Detail::Bias => Detail::Gradients {
                x: along(Derivative::XCoarse),
                y: along(Derivative::YCoarse),
                bias,
            },
            ir::Detail::Level => Detail::Level(level[0]),
            ir::Detail::Gradients => Detail::Gradients { x: ddx.clone(), y: ddy.clone(), bias },
        }
    }

    /// The layer, rounded to nearest even: NaN and negative values select the first one.
    pub(super) fn layer(
        &'a self,
        dim: Dim,
        shape: &Shape<'a>,
        layer: Option<Term<'a>>,
    ) -> Term<'a> {
        let Some(layer) = layer else { return self.word_term(0) };
        let elements = shape.elements(dim);
        let nearest = layer.round().as_word().least_unsigned(elements - elements.whole(1));
        if dim.is_cube() { nearest * nearest.whole(6) } else { nearest }
    }

    /// The reference value of comparisons: clamped if texels are numbers from 0 to 1.
    fn reference(&'a self, source: Source<'a>, shape: &Shape<'a>, reference: Term<'a>) -> Term<'a> {
        let of = |format: ops::texture::Format| {
            let it = if format.is_unorm() { reference.saturate() } else { reference };
            vec![it.as_double()]
        };
        self.by_format(source, shape, &[Ty::F64], &of)[0]
    }

    /// The mean of the probes.
    fn probes(
        &'a self,
        reader: &Reader<'_, 'a>,
        at: &[Term<'a>],
        footprint: &Footprint<'a>,
        clamped: Term<'a>,
        offset: &[Term<'a>],
    ) -> Vec<Term<'a>> {
        let levels = self.levels(reader.shape, reader.state, clamped);
        let components = reader.components.len();
        let mut sum: Sum<'a> = vec![self.double_term(0.0); components];
        sum.push(self.term(self.constant(Ty::Bool, 0)));
        let mut sum = self.at_probes(at, footprint, sum, |at, sum| {
            self.blended(reader, at, &levels, offset, sum)
        });
        sum.truncate(components);
        match footprint.probes {
            None => sum,
            Some((probes, _)) => sum.into_iter().map(|it| it / probes.as_double()).collect(),
        }
    }

    /// Calls `visit` once, for the coordinates of each probe.
    pub(super) fn each_probe(
        &'a self,
        at: &[Term<'a>],
        footprint: &Footprint<'a>,
        visit: impl FnOnce(&[Term<'a>]),
    ) {
        self.at_probes(at, footprint, Vec::new(), |at, sum| {
            visit(at);
            sum
        });
    }

    /// A loop over the coordinates of the probes, if there may be several.
    fn at_probes(
        &'a self,
        at: &[Term<'a>],
        footprint: &Footprint<'a>,
        sum: Sum<'a>,
        body: impl FnOnce(&[Term<'a>], Sum<'a>) -> Sum<'a>,
    ) -> Sum<'a> {
        let Some((probes, along)) = footprint.probes else { return body(at, sum) };
        let count = probes.as_double();
        self.repeat_numbered(sum, |probe, sum| {
            let half = self.double_term(0.5);
            let part = (probe.as_double() + half) / count - half;
            let has_several = probes.whole(1).below(probes);
            let mut at = at.to_vec();
            for axis in 0..2 {
                at[axis] = has_several.pick(at[axis] + part * along[axis], at[axis]);
            }
            let sum = body(&at, sum.to_vec());
            ((probe + probe.whole(1)).equals(probes), sum)
        })
    }

    /// Adds one level, or two.
    fn blended(
        &'a self,
        reader: &Reader<'_, 'a>,
        at: &[Term<'a>],
        levels: &Levels<'a>,
        offset: &[Term<'a>],
        sum: Sum<'a>,
    ) -> Sum<'a> {
        let (face, at) = self.place_of(reader, at);
        let is_linear = reader.state.blends_texels(levels);
        let pass = Pass { face, at, is_linear, offset };
        self.repeat_numbered(sum, |number, sum| {
            let is_second = number.differs(number.whole(0));
            let next = levels.next;
            let weight = is_second.pick(next, next.whole(256) - next);
            let sum = self.filtered(reader, &pass, levels.first + number, weight, sum);
            (is_second | next.equals(next.whole(0)), sum)
        })
    }

    /// The face of a cube as a word, and the position on it.
    fn place_of(&'a self, reader: &Reader<'_, 'a>, at: &[Term<'a>]) -> (Term<'a>, Vec<Term<'a>>) {
        if !reader.source.dim.is_cube() {
            return (self.word_term(0), at.to_vec());
        }
        let direction = [at[0], at[1], at[2]];
        let face = self.face(direction);
        (face, self.project(face, direction).to_vec())
    }

    /// Adds the texels of one level.
    fn filtered(
        &'a self,
        reader: &Reader<'_, 'a>,
        pass: &Pass<'_, 'a>,
        number: Term<'a>,
        weight: Term<'a>,
        sum: &[Term<'a>],
    ) -> Sum<'a> {
        let dim = reader.source.dim;
        let axes = dim.axes();
        let grid = self.grid(reader, number);
        let taps: Vec<[Term<'a>; 2]> = (0..axes)
            .map(|axis| {
                let [texel, next] = self.taps(dim, pass.is_linear, pass.at[axis], grid.sizes[axis]);
                match pass.offset.get(axis) {
                    Some(offset) => [texel + offset.as_long(), next],
                    None => [texel, next],
                }
            })
            .collect();
        let last = (1 << axes) - 1;
        self.repeat_numbered(sum.to_vec(), |tap, sum| {
            let mut product = weight;
            let mut texel = Vec::new();
            for (axis, [first, next]) in taps.iter().enumerate() {
                let bit = tap & tap.whole(1 << axis);
                let is_next = bit.differs(tap.whole(0));
                product = product * is_next.pick(*next, next.whole(256) - *next);
                texel.push(is_next.pick(*first + first.whole(1), *first));
            }
            for _ in axes..3 {
                product = product.left(8);
            }
            let add = || {
                let scale = self.double_term(256.0 * 256.0 * 256.0 * 256.0);
                self.tap(reader, &grid, pass.face, &texel, product.as_double() / scale, sum)
            };
            let sum = self.either_terms(product.differs(product.whole(0)), add, || sum.to_vec());
            (tap.equals(tap.whole(last)), sum)
        })
    }

    fn grid(&'a self, reader: &Reader<'_, 'a>, number: Term<'a>) -> Grid<'a> {
        let level = self.level(reader.source, reader.shape, number);
        let axes = reader.source.dim.axes();
        let sizes = level.size[..axes].iter().map(|it| it.as_long_unsigned()).collect();
        Grid { level, sizes }
    }

    /// On an axis of a level, the first texel and the weight of the next. The size has 64 bits.
    pub(super) fn taps(
        &'a self,
        dim: Dim,
        is_linear: Term<'a>,
        at: Term<'a>,
        size: Term<'a>,
    ) -> [Term<'a>; 2] {
        let position = at * size.as_double();
        let whole = self.whole(position);
        let zero = whole.whole(0);
        let nearest = match dim.is_cube() {
            // A direction exactly to an edge stays on its face.
            true => whole.within(zero, size - whole.whole(1)),
            false => whole,
        };
        let from_middle = self.rounded(position) - whole.whole(128);
        let texel = is_linear.pick(from_middle.right_signed(8), nearest);
        [texel, is_linear.pick(from_middle & whole.whole(255), zero)]
    }

    /// Adds a texel, inside the texture or not.
    fn tap(
        &'a self,
        reader: &Reader<'_, 'a>,
        grid: &Grid<'a>,
        face: Term<'a>,
        texel: &[Term<'a>],
        weight: Term<'a>,
        sum: &[Term<'a>],
    ) -> Sum<'a> {
        let add = |sum: &[Term<'a>], weight: Term<'a>, values: Vec<Term<'a>>| -> Sum<'a> {
            let (has, totals) =
                sum.split_last().unwrap_or_else(|| unreachable!("a sum ends with a flag"));
            let one = |(total, value): (&Term<'a>, Term<'a>)| {
                let part = weight * value;
                has.pick(*total + part, part)
            };
            let mut sum: Sum<'a> = totals.iter().zip(values).map(one).collect();
            sum.push(self.term(self.constant(Ty::Bool, 1)));
            sum
        };
        if !reader.source.dim.is_cube() {
            return add(sum, weight, self.addressed(reader, grid, texel));
        }
        let size = grid.sizes[0];
        let at = [texel[0], texel[1]];
        let (exists, here, there) = self.texel_of_face(face, at, size);
        let zero = size.whole(0);
        // Three texels meet at a corner; they share the weight of the missing fourth.
        let corner = at.map(|it| it.within(zero, size - size.whole(1)));
        let weight = exists.pick(weight, weight / weight.double(3.0));
        self.repeat_numbered(sum.to_vec(), |number, sum| {
            let is = |it: i64| number.equals(number.whole(it));
            let asked = [is(1).pick(at[0], corner[0]), is(2).pick(at[1], corner[1])];
            let (_, near, beside) = self.texel_of_face(face, asked, size);
            let face = exists.pick(here, near);
            let at = exists.picks(there, beside);
            let sum = add(sum, weight, self.read_texel(reader, &grid.level, face, &at));
            (exists | is(2), sum)
        })
    }

    /// A loop over numbers from 0, whose body adds to a sum and says whether this was the last number.
    fn repeat_numbered(
        &'a self,
        mut sum: Sum<'a>,
        body: impl FnOnce(Term<'a>, &[Term<'a>]) -> (Term<'a>, Sum<'a>),
    ) -> Sum<'a> {
        sum.push(self.word_term(0));
        let mut sum = self.repeat_terms(&sum, |now| {
            let Some((number, sum)) = now.split_last() else {
                unreachable!("the number is the last value of the loop")
            };
            let (is_last, mut sum) = body(*number, sum);
            sum.push(*number + number.whole(1));
            (is_last, sum)
        });
        sum.pop();
        sum
    }

    /// The texel that an address mode puts in the place of one that may lie outside; on a border, some other one.
    pub(super) fn resolved(&'a self, mode: Term<'a>, texel: Term<'a>, size: Term<'a>) -> Term<'a> {
        let is = |it: Address| mode.equals(mode.whole(it as i64));
        let (none, one) = (size.whole(0), size.whole(1));
        let repeats = || {
            let period = is(Address::Mirror).pick(size + size, size);
            let rest = texel.remainder(period);
            let rest = rest.less(none).pick(rest + period, rest);
            vec![rest.less(size).pick(rest, period - one - rest)]
        };
        let once = || {
            let is_once = is(Address::MirrorOnce) & texel.less(none);
            let folded = is_once.pick(none - one - texel, texel);
            vec![folded.within(none, size - one)]
        };
        self.either_terms(mode.at_most(mode.whole(Address::Mirror as i64)), repeats, once)[0]
    }

    /// Whether a texel that was [resolved](Self::resolved) lies on the border.
    pub(super) fn is_on_border(
        &'a self,
        mode: Term<'a>,
        texel: Term<'a>,
        resolved: Term<'a>,
    ) -> Term<'a> {
        mode.equals(mode.whole(Address::Border as i64)) & resolved.differs(texel)
    }

    /// The values of a texel that may be outside the texture.
    fn addressed(
        &'a self,
        reader: &Reader<'_, 'a>,
        grid: &Grid<'a>,
        texel: &[Term<'a>],
    ) -> Vec<Term<'a>> {
        let zero = self.word_term(0);
        let mut at = Vec::new();
        let mut is_border = self.term(self.constant(Ty::Bool, 0));
        for (axis, (texel, size)) in texel.iter().zip(&grid.sizes).enumerate() {
            let mode = reader.state.address[axis];
            let inside = self.resolved(mode, *texel, *size);
            at.push(inside);
            is_border = is_border | self.is_on_border(mode, *texel, inside);
        }
        let border = || {
            let values = reader.components.iter().map(|it| reader.state.border[*it]);
            self.seen(reader, values.collect())
        };
        self.either_terms(is_border, border, || self.read_texel(reader, &grid.level, zero, &at))
    }

    /// The values of a texel of one layer. The coordinates are in 64 bits.
    fn read_texel(
        &'a self,
        reader: &Reader<'_, 'a>,
        level: &Level<'a>,
        face: Term<'a>,
        at: &[Term<'a>],
    ) -> Vec<Term<'a>> {
        let zero = self.word_term(0);
        let at = std::array::from_fn(|axis| at.get(axis).map_or(zero, |it| it.as_word()));
        let texel = Texel { layer: reader.layer + face, at, sample: zero };
        let unit = self.unit(reader.source);
        let types = vec![Ty::F64; reader.components.len()];
        let values = self.by_format(reader.source, reader.shape, &types, &|format| {
            let units = format.bytes() as u32 / unit;
            let index = self.first_unit(reader.shape, level, &texel, units);
            let numbers = self.texel(reader.source.place, unit, format, index);
            reader.components.iter().map(|it| numbers[*it].double()).collect()
        });
        self.seen(reader, values)
    }

    /// The components, or the result of the comparison.
    fn seen(&'a self, reader: &Reader<'_, 'a>, values: Vec<Term<'a>>) -> Vec<Term<'a>> {
        let Some(reference) = reader.reference else { return values };
        let texel = values[0];
        // In the order of the names: bit 0 for less, 1 for equal, 2 for greater.
        let compare = reader.state.compare;
        let has = |bit: i64| (compare & compare.whole(bit)).differs(compare.whole(0));
        let less = reference.less(texel);
        let equal = reference.equals(texel);
        let greater = reference.greater(texel);
        let is_ordered = less | equal | greater;
        // A NaN on either side is only unequal.
        let is_unequal = has(1) & has(4);
        let passes = (has(1) & less) | (has(2) & equal) | (has(4) & greater);
        let passes = passes | (!is_ordered & is_unequal);
        vec![passes.pick(texel.double(1.0), texel.double(0.0))]
    }

    /// One component of the four texels that linear filtering would read.
    fn gather(
        &'a self,
        reader: &Reader<'_, 'a>,
        at: &[Term<'a>],
        offset: &[Term<'a>],
    ) -> Vec<Term<'a>> {
        const ORDER: [[i64; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];
        let (face, at) = self.place_of(reader, at);
        let grid = self.grid(reader, self.word_term(0));
        let base = [0, 1].map(|axis: usize| {
            let position = self.rounded(at[axis] * grid.sizes[axis].as_double());
            (position - position.whole(128)).right_signed(8)
        });
        let one = |i: usize| {
            let texel = [0, 1].map(|axis: usize| {
                let texel = base[axis] + base[axis].whole(ORDER[i][axis]);
                let first = if offset.len() == 8 { 2 * i } else { 0 };
                match offset.get(first + axis) {
                    Some(offset) => texel + offset.as_long(),
                    None => texel,
                }
            });
            if !reader.source.dim.is_cube() {
                return self.addressed(reader, &grid, &texel)[0];
            }
            // Beyond the corner of a cube is the texel at the corner.
            let size = grid.sizes[0];
            let corner = texel.map(|it| it.within(size.whole(0), size - size.whole(1)));
            let (exists, near, at) = self.texel_of_face(face, texel, size);
            let face = exists.pick(near, face);
            self.read_texel(reader, &grid.level, face, &exists.picks(at, corner))[0]
        };
        [0, 1, 2, 3].map(one).to_vec()
    }
}
