//! The level of detail, as `ops::texture` defines it: from derivatives to the levels to read.

use ops::texture::Dim;

use super::place::Shape;
use super::sample::State;
use crate::term::Term;
use crate::writer::Writer;

/// Where the level of detail comes from.
pub(super) enum Detail<'a> {
    /// An f32.
    Level(Term<'a>),
    /// The derivatives of the coordinates and the bias, in f32.
    Gradients { x: Vec<Term<'a>>, y: Vec<Term<'a>>, bias: Option<Term<'a>> },
}

/// The footprint of a sample.
pub(super) struct Footprint<'a> {
    /// In f64.
    pub(super) lod: Term<'a>,
    /// How many probes a sample takes that may be anisotropic, as a word, and the vector from the first to the last.
    pub(super) probes: Option<(Term<'a>, [Term<'a>; 2])>,
}

/// The levels to read.
pub(super) struct Levels<'a> {
    pub(super) is_magnified: Term<'a>,
    /// As a word.
    pub(super) first: Term<'a>,
    /// The weight of the next level in 256ths, in 64 bits.
    pub(super) next: Term<'a>,
}

impl<'a> Writer<'a> {
    /// The floor in 64 bits; NaN gives 0, and huge values stay huge.
    pub(super) fn whole(&'a self, value: Term<'a>) -> Term<'a> {
        const HUGE: f64 = (1i64 << 48) as f64;
        let clamped = value.within(value.double(-HUGE), value.double(HUGE)).floor();
        let whole = clamped.as_long();
        value.is_nan().pick(whole.whole(0), whole)
    }

    /// In 256ths, rounded to nearest, halves up.
    pub(super) fn rounded(&'a self, value: Term<'a>) -> Term<'a> {
        self.whole(value * value.double(256.0) + value.double(0.5))
    }

    /// The coordinates are in f64.
    pub(super) fn footprint(
        &'a self,
        shape: &Shape<'a>,
        dim: Dim,
        state: &State<'a>,
        at: &[Term<'a>],
        detail: &Detail<'a>,
    ) -> Footprint<'a> {
        let double = |it: f64| self.double_term(it);
        let own_bias = state.bias.as_double();
        let (x, y, bias) = match detail {
            Detail::Level(level) => {
                return Footprint { lod: level.as_double() + own_bias, probes: None };
            }
            Detail::Gradients { x, y, bias } => {
                let bias = bias.map_or(own_bias, |it| it.as_double() + own_bias);
                (x, y, bias)
            }
        };
        let mut derivatives =
            [x, y].map(|it| it.iter().map(|it| it.as_double()).collect::<Vec<Term<'a>>>());
        if dim.is_cube() {
            let direction = [at[0], at[1], at[2]];
            let face = self.face(direction);
            derivatives = derivatives
                .map(|it| self.project_derivative(face, direction, [it[0], it[1], it[2]]).to_vec());
        }
        let zero = double(0.0);
        let size = shape.size.map(|it| it.convert(ops::Sign::Unsigned, ops::Ty::F64));
        let texels = [0, 1].map(|way: usize| -> [Term<'a>; 3] {
            std::array::from_fn(|i| match derivatives[way].get(i) {
                Some(it) if i < dim.axes() => it.is_nan().pick(zero, *it * size[i]),
                _ => zero,
            })
        });
        let [along_x, along_y] = texels.map(|[a, b, c]| a * a + b * b + c * c);
        let longest = along_x.max(along_y);
        let isotropic = double(0.5) * longest.as_single().log2().as_double() + bias;
        let may_probe = state.is_anisotropic();
        if !matches!(dim, Dim::D2 | Dim::D2Array) || may_probe.is_never() {
            return Footprint { lod: isotropic, probes: None };
        }
        let is_anisotropic =
            may_probe & longest.less(double(f64::INFINITY)) & longest.differs(zero);
        let [a, b] = texels;
        let major = longest.sqrt();
        let area = (a[0] * b[1] - a[1] * b[0]).abs();
        let most = state.anisotropy.as_double();
        let ratio = longest / area;
        let is_long = ratio.is_nan() | ratio.greater(most);
        let minor = is_long.pick(major / most, area / major);
        let ratio = is_long.pick(most, ratio);
        // Probes that are closer than a texel gain nothing.
        let is_small = minor.less(double(1.0));
        let fewer = (ratio * minor).max(double(1.0));
        let (ratio, minor) = (is_small.pick(fewer, ratio), is_small.pick(major / fewer, minor));
        let is_y = along_y.greater(along_x);
        let way = |axis: usize| is_y.pick(derivatives[1][axis], derivatives[0][axis]);
        let one = self.word_term(1);
        let probes = ratio.ceil().as_word().most_unsigned(one);
        let lod = minor.as_single().log2().as_double() + bias;
        Footprint {
            lod: is_anisotropic.pick(lod, isotropic),
            probes: Some((is_anisotropic.pick(probes, one), [way(0), way(1)])),
        }
    }

    /// Within the sampler's limits, and not below the instruction's; NaN gives the lowest.
    pub(super) fn clamped_lod(
        &'a self,
        lod: Term<'a>,
        state: &State<'a>,
        least: Option<Term<'a>>,
    ) -> Term<'a> {
        let low = state.min_lod.as_double();
        let low = least.map_or(low, |it| low.max(it.as_double()));
        let inside = lod.min(state.max_lod.as_double()).max(low);
        lod.is_nan().pick(low, inside)
    }

    pub(super) fn levels(
        &'a self,
        shape: &Shape<'a>,
        state: &State<'a>,
        clamped: Term<'a>,
    ) -> Levels<'a> {
        let lod = self.whole(clamped * clamped.double(256.0));
        let zero = lod.whole(0);
        let last = shape.levels - shape.levels.whole(1);
        let inside = lod.within(zero, last.as_long_unsigned().left(8));
        let is_linear = state.is_linear(state.mip);
        let nearest = (inside + inside.whole(128)).right_signed(8);
        let first = is_linear.pick(inside.right_signed(8), nearest).as_word();
        Levels {
            is_magnified: lod.at_most(zero),
            first: first.least_unsigned(last),
            next: is_linear.pick(inside & inside.whole(255), zero),
        }
    }
}
