//! Where a texel is: shapes, levels, and instructions that access one texel by its coordinates.

use ir::{Address, Atomic, Op};
use ops::Ty;
use ops::texture::Dim;

use super::Source;
use super::records::SHAPE_WORDS;
use crate::term::Term;
use crate::writer::Writer;

/// The shape of a lane's texture, in words.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) size: [Term<'a>; 3],
    pub(super) layers: Term<'a>,
    pub(super) levels: Term<'a>,
    samples: Term<'a>,
    pub(super) format: Term<'a>,
    /// The units of a layer.
    layer: Term<'a>,
}

/// A level of a texture.
#[derive(Clone, Copy)]
pub(super) struct Level<'a> {
    /// In words.
    pub(super) size: [Term<'a>; 3],
    /// The first unit in its layer.
    start: Term<'a>,
}

/// A texel: its layer, and its coordinates in words.
#[derive(Clone, Copy)]
pub(super) struct Texel<'a> {
    pub(super) layer: Term<'a>,
    pub(super) at: [Term<'a>; 3],
    pub(super) sample: Term<'a>,
}

impl<'a> Shape<'a> {
    /// Of a two-dimensional texture that is measured and not read.
    pub(super) fn flat(size: [Term<'a>; 2], layers: Term<'a>, levels: Term<'a>) -> Shape<'a> {
        let [width, height] = size;
        let [zero, one] = [0, 1].map(|it| levels.whole(it));
        Shape {
            size: [width, height, one],
            layers,
            levels,
            samples: one,
            format: zero,
            layer: zero,
        }
    }

    /// The number of layers, or of whole cubes.
    pub(super) fn elements(&self, dim: Dim) -> Term<'a> {
        match dim.is_cube() {
            true => self.layers.quotient_unsigned(self.layers.whole(6)),
            false => self.layers,
        }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn shape(&'a self, source: Source<'a>) -> Shape<'a> {
        let records = self.records(source.place.binding);
        let words = self.words_of(records, source.element, 0, SHAPE_WORDS);
        Shape {
            size: [words[0], words[1], words[2]],
            layers: words[3],
            levels: words[4],
            samples: words[5],
            format: words[6],
            layer: words[7],
        }
    }

    /// The size of a level on each axis.
    pub(super) fn level_size(&'a self, shape: &Shape<'a>, level: Term<'a>) -> [Term<'a>; 3] {
        let level = level.least_unsigned(level.whole(31));
        shape.size.map(|it| it.right_by(level).most_unsigned(it.whole(1)))
    }

    pub(super) fn level(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        level: Term<'a>,
    ) -> Level<'a> {
        let records = self.records(source.place.binding);
        let place = ir::Place { binding: records, element: None };
        let offset = level.left(2) + level.whole(4 * SHAPE_WORDS as i64);
        let at = Address::Structured { index: source.element.value, offset: offset.value };
        let start = self.term(self.value(Op::Load { place, at }, Ty::I32));
        Level { size: self.level_size(shape, level), start }
    }

    /// The first unit of a texel of `units` units.
    pub(super) fn first_unit(
        &'a self,
        shape: &Shape<'a>,
        level: &Level<'a>,
        texel: &Texel<'a>,
        units: u32,
    ) -> Term<'a> {
        let [x, y, z] = texel.at;
        let [width, height, _] = level.size;
        let number = ((z * height + y) * width + x) * shape.samples + texel.sample;
        texel.layer * shape.layer + level.start + number * number.whole(units.into())
    }

    /// The texel that coordinates name, and whether it is in the texture.
    fn named(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        args: &[Vec<Term<'a>>; 9],
    ) -> (Term<'a>, Level<'a>, Texel<'a>) {
        let [at, level, sample, _, _, offset, ..] = args;
        let zero = self.word_term(0);
        let first = |role: &Vec<Term<'a>>| role.first().copied().unwrap_or(zero);
        let axes = source.dim.axes();
        let level = if source.dim.is_multisampled() { zero } else { first(level) };
        let layer = at.get(axes).copied().unwrap_or(zero);
        let sample = first(sample);
        let size = self.level_size(shape, level);
        let mut inside =
            level.below(shape.levels) & layer.below(shape.layers) & sample.below(shape.samples);
        let mut place = [zero; 3];
        for (axis, place) in place.iter_mut().enumerate().take(axes) {
            *place = match offset.get(axis) {
                Some(offset) => at[axis] + *offset,
                None => at[axis],
            };
            inside = inside & place.below(size[axis]);
        }
        let level = self.level(source, shape, level);
        (inside, level, Texel { layer, at: place, sample })
    }

    pub(super) fn loaded_texel(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        args: &[Vec<Term<'a>>; 9],
        results: &[Ty],
    ) -> Vec<Term<'a>> {
        let (inside, level, texel) = self.named(source, shape, args);
        let unit = self.unit(source);
        let zeros =
            || results.iter().map(|it| self.term(self.constant(*it, 0))).collect::<Vec<_>>();
        let load = || {
            self.by_format(source, shape, results, &|format| {
                let units = format.bytes() as u32 / unit;
                let index = self.first_unit(shape, &level, &texel, units);
                let numbers = self.texel(source.place, unit, format, index);
                numbers.iter().zip(results).map(|(it, ty)| it.component(*ty)).collect()
            })
        };
        self.either_terms(inside, load, zeros)
    }

    pub(super) fn stored_texel(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        args: &[Vec<Term<'a>>; 9],
    ) {
        let (inside, level, texel) = self.named(source, shape, args);
        let unit = self.unit(source);
        let store = || {
            self.by_format(source, shape, &[], &|format| {
                let units = format.bytes() as u32 / unit;
                let index = self.first_unit(shape, &level, &texel, units);
                self.store_texel(source.place, unit, format, index, &args[8], source.is_signed);
                Vec::new()
            })
        };
        self.either_terms(inside, store, Vec::new);
    }

    pub(super) fn atomic_texel(
        &'a self,
        source: Source<'a>,
        shape: &Shape<'a>,
        args: &[Vec<Term<'a>>; 9],
        op: Atomic,
        results: &[Ty],
    ) -> Vec<Term<'a>> {
        let (inside, level, texel) = self.named(source, shape, args);
        let values = &args[8];
        // `check` has seen that texels are units of the operand's size. No unit has the largest number.
        let index = self.first_unit(shape, &level, &texel, 1);
        let index = inside.pick(index, index.whole(-1));
        let at = Address::Texel(index.value);
        let args = values.iter().map(|it| it.value).collect();
        let op = Op::Atomic { place: source.place, at, op, args };
        let old = self.results(self.add(op, results));
        old.iter().map(|it| self.term(*it)).collect()
    }

    /// The size on each axis, the layers, and the levels or samples.
    pub(super) fn sizes(
        &'a self,
        dim: Dim,
        shape: &Shape<'a>,
        level: Option<Term<'a>>,
    ) -> Vec<Term<'a>> {
        let zero = self.word_term(0);
        let level = level.unwrap_or(zero);
        let exists = level.below(shape.levels);
        let size = self.level_size(shape, level);
        let mut all: Vec<Term<'a>> =
            size[..dim.axes()].iter().map(|it| exists.pick(*it, zero)).collect();
        if dim.is_array() {
            all.push(shape.elements(dim));
        }
        all.push(if dim.is_multisampled() { shape.samples } else { shape.levels });
        all
    }
}
