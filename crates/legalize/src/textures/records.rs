//! What a host writes beside the texels: records of 32-bit words.
//!
//! A shape that does not suit the dimension of the texture, or is missing, is a record of zeros, which has no levels:
//! then all instructions give zeros, as on the reference engine.

use ir::{Binding, Module, ResourceKind};
use ops::texture::{Filter, Format, Sampler, Shape, srgb_table};

/// The most levels of a texture.
pub(super) const MOST_LEVELS: usize = 32;

/// The words of a shape before the start of each level.
pub(super) const SHAPE_WORDS: usize = 8;

/// The number of words of a sampler's state.
pub(crate) const SAMPLER_WORDS: usize = 15;

/// The contents of a resource that the source lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// The shapes of what is bound to a texture, one for each element.
    Shapes(Binding),
    /// The states of what is bound to a sampler, one for each element, and that of a missing one.
    Samplers(Binding),
    /// The linear values of sRGB codes, and from where on each next code is nearer.
    Curve,
}

/// The formats of the textures that are bound to each resource of a module, in the order in which they occur.
pub fn formats(
    module: &Module,
    shapes: impl Fn(Binding) -> Vec<Option<Shape>>,
) -> Vec<Vec<Format>> {
    let of = |(index, resource): (usize, &ir::Resource)| {
        let ResourceKind::Texture { dim, .. } = resource.kind else { return Vec::new() };
        let mut all: Vec<Format> = Vec::new();
        let bound = shapes(module.storage(Binding(index as u32)));
        for shape in bound.into_iter().flatten().filter(|it| it.suits(dim)) {
            if !all.contains(&shape.format) {
                all.push(shape.format);
            }
        }
        all
    };
    module.resources.iter().enumerate().map(of).collect()
}

impl Extra {
    pub(super) fn name(&self, module: &Module) -> String {
        match self {
            Extra::Shapes(of) => format!("{}.shapes", module.resource(*of).name),
            Extra::Samplers(of) => format!("{}.states", module.resource(*of).name),
            Extra::Curve => "srgb".to_owned(),
        }
    }

    pub(super) fn stride(&self) -> u32 {
        let words = match self {
            Extra::Shapes(_) => SHAPE_WORDS + MOST_LEVELS,
            Extra::Samplers(_) => SAMPLER_WORDS,
            Extra::Curve => 1,
        };
        4 * words as u32
    }

    /// The bytes, for the shapes and states of what is bound. The module is the source.
    pub fn bytes(
        &self,
        module: &Module,
        formats: &[Vec<Format>],
        shapes: impl Fn(Binding) -> Vec<Option<Shape>>,
        samplers: impl Fn(Binding) -> Vec<Option<Sampler>>,
    ) -> Vec<u8> {
        let words: Vec<u32> = match self {
            Extra::Shapes(of) => {
                let ResourceKind::Texture { dim, element, .. } = module.resource(*of).kind else {
                    unreachable!("only textures have shapes")
                };
                let formats = formats.get(of.index()).map_or(&[][..], Vec::as_slice);
                let most = element.scalar.ty().bytes().max(4);
                let unit = super::texel::unit_bytes(formats, most) as usize;
                let all = shapes(module.storage(*of)).into_iter();
                let suiting = |it: &Shape| it.suits(dim) && it.levels as usize <= MOST_LEVELS;
                all.flat_map(|it| shape_words(it.filter(suiting), formats, unit)).collect()
            }
            Extra::Samplers(of) => {
                let all = samplers(module.storage(*of)).into_iter();
                let all = all.map(Option::unwrap_or_default).chain([Sampler::default()]);
                all.flat_map(|it| sampler_words(&it)).collect()
            }
            Extra::Curve => {
                let (values, thresholds) = srgb_table();
                values.iter().chain(&thresholds).map(|it| it.to_bits()).collect()
            }
        };
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

fn shape_words(shape: Option<Shape>, formats: &[Format], unit: usize) -> Vec<u32> {
    let mut words = vec![0; SHAPE_WORDS + MOST_LEVELS];
    let Some(shape) = shape else { return words };
    let number = formats.iter().position(|it| *it == shape.format).unwrap_or(0);
    let units = |bytes: usize| (bytes / unit) as u32;
    let layer = shape.offset(0, 1, [0; 3], 0);
    let Shape { width, height, depth, layers, levels, samples, format: _ } = shape;
    let head = [width, height, depth, layers, levels, samples, number as u32, units(layer)];
    words[..SHAPE_WORDS].copy_from_slice(&head);
    for (level, word) in (0..levels).zip(&mut words[SHAPE_WORDS..]) {
        *word = units(shape.offset(level, 0, [0; 3], 0));
    }
    words
}

pub(crate) fn sampler_words(sampler: &Sampler) -> [u32; SAMPLER_WORDS] {
    let filter = |it: Filter| u32::from(it == Filter::Linear);
    let Sampler { min, mag, mip, anisotropy, address, border, bias, min_lod, max_lod, compare } =
        *sampler;
    let [u, v, w] = address.map(|it| it as u32);
    let [r, g, b, a] = border.map(f32::to_bits);
    [
        filter(min),
        filter(mag),
        filter(mip),
        anisotropy,
        u,
        v,
        w,
        r,
        g,
        b,
        a,
        bias.to_bits(),
        min_lod.to_bits(),
        max_lod.to_bits(),
        compare as u32,
    ]
}
