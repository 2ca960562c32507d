//! The level of detail: from derivatives to the levels to read.

use super::sampler::{Filter, Sampler};
use super::shape::Shape;
use super::{Dim, cube, whole};
use crate::math;

/// Where the level of detail comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Detail {
    Level(f32),
    /// The derivatives of the coordinates, and the bias of the instruction.
    Gradients {
        x: [f32; 3],
        y: [f32; 3],
        bias: f32,
    },
}

/// The footprint of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Footprint {
    /// With all biases, before clamping; may be infinite or NaN.
    pub(super) lod: f64,
    /// How many probes an anisotropic sample takes.
    pub(super) probes: u32,
    /// The vector from the first probe to the last, in coordinates.
    pub(super) along: [f64; 2],
}

/// The levels to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) is_magnified: bool,
    pub(super) first: u32,
    /// The weight of the next level, in 256ths.
    pub(super) next: u32,
}

/// The result of `CalculateLevelOfDetail`, and its unclamped form.
pub fn level_of_detail(
    shape: &Shape,
    dim: Dim,
    sampler: &Sampler,
    at: [f32; 3],
    x: [f32; 3],
    y: [f32; 3],
) -> (f32, f32) {
    let detail = Detail::Gradients { x, y, bias: 0.0 };
    let lod = footprint(shape, dim, sampler, at, detail).lod;
    let last = f64::from(shape.levels.saturating_sub(1));
    (clamped(lod, sampler, None).clamp(0.0, last) as f32, lod as f32)
}

pub(super) fn footprint(
    shape: &Shape,
    dim: Dim,
    sampler: &Sampler,
    at: [f32; 3],
    detail: Detail,
) -> Footprint {
    let one = |lod: f64| Footprint { lod, probes: 1, along: [0.0; 2] };
    let (x, y, bias) = match detail {
        Detail::Level(level) => return one(f64::from(level) + f64::from(sampler.bias)),
        Detail::Gradients { x, y, bias } => (x, y, f64::from(bias) + f64::from(sampler.bias)),
    };
    // In coordinates from 0 to 1, then in texels of the largest level.
    let mut derivatives = [x, y].map(|it| it.map(f64::from));
    if dim.is_cube() {
        let direction = at.map(f64::from);
        let face = cube::face(direction);
        derivatives = derivatives.map(|it| {
            let [u, v] = cube::project_derivative(face, direction, it);
            [u, v, 0.0]
        });
    }
    let size = shape.size(0).map(f64::from);
    let axes = dim.axes();
    let texels = derivatives.map(|it| -> [f64; 3] {
        std::array::from_fn(|i| if i < axes && !it[i].is_nan() { it[i] * size[i] } else { 0.0 })
    });
    let [along_x, along_y] = texels.map(|[a, b, c]| a * a + b * b + c * c);
    let longest = along_x.max(along_y);
    let isotropic = 0.5 * f64::from(math::log2(longest as f32)) + bias;
    let flat = matches!(dim, Dim::D2 | Dim::D2Array);
    if sampler.anisotropy <= 1 || !flat || !longest.is_finite() || longest == 0.0 {
        return one(isotropic);
    }
    let [a, b] = texels;
    let major = longest.sqrt();
    let area = (a[0] * b[1] - a[1] * b[0]).abs();
    let most = f64::from(sampler.anisotropy);
    let mut ratio = longest / area;
    let mut minor = area / major;
    if ratio.is_nan() || ratio > most {
        ratio = most;
        minor = major / most;
    }
    // Probes that are closer than a texel gain nothing.
    if minor < 1.0 {
        ratio = (ratio * minor).max(1.0);
        minor = major / ratio;
    }
    let way = derivatives[usize::from(along_y > along_x)];
    Footprint {
        lod: f64::from(math::log2(minor as f32)) + bias,
        probes: (ratio.ceil() as u32).max(1),
        along: [way[0], way[1]],
    }
}

/// The level of detail within the sampler's limits, and not below the instruction's; NaN gives the lowest.
pub(super) fn clamped(lod: f64, sampler: &Sampler, least: Option<f32>) -> f64 {
    let low = f64::from(sampler.min_lod).max(least.map_or(f64::MIN, f64::from));
    if lod.is_nan() { low } else { lod.min(f64::from(sampler.max_lod)).max(low) }
}

pub(super) fn levels(shape: &Shape, sampler: &Sampler, clamped: f64) -> Levels {
    let lod = whole(clamped * 256.0);
    let last = shape.levels.saturating_sub(1);
    let inside = lod.clamp(0, i64::from(last) * 256);
    let (first, next) = match sampler.mip {
        Filter::Nearest => ((inside + 128) >> 8, 0),
        Filter::Linear => (inside >> 8, inside & 255),
    };
    Levels { is_magnified: lod <= 0, first: (first as u32).min(last), next: next as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::Format;

    fn shape() -> Shape {
        Shape { levels: 5, ..Shape::new(Format::parse("R8_UNORM").unwrap(), 16, 16, 1) }
    }

    #[test]
    fn levels_are_chosen_from_256ths() {
        let linear = Sampler::default();
        let nearest = Sampler { mip: Filter::Nearest, ..linear };
        for (lod, expected) in [
            (-3.0, (true, 0, 0)),
            (0.0, (true, 0, 0)),
            (0.001, (true, 0, 0)),
            (0.25, (false, 0, 64)),
            (1.5, (false, 1, 128)),
            (4.0, (false, 4, 0)),
            (9.0, (false, 4, 0)),
            (f64::NAN, (true, 0, 0)),
        ] {
            let Levels { is_magnified, first, next } =
                levels(&shape(), &linear, clamped(lod, &linear, None));
            assert_eq!((is_magnified, first, next), expected, "{lod}");
        }
        let first = |lod| levels(&shape(), &nearest, lod).first;
        assert_eq!([0.49, 0.5, 1.49, 1.5, 77.0].map(first), [0, 1, 1, 2, 4]);
    }

    #[test]
    fn derivatives_of_one_texel_give_level_zero() {
        let lod = |sampler: &Sampler, x: [f32; 3], y: [f32; 3]| {
            level_of_detail(&shape(), Dim::D2, sampler, [0.0; 3], x, y)
        };
        let linear = Sampler::default();
        let texel = 1.0 / 16.0;
        assert_eq!(lod(&linear, [texel, 0.0, 0.0], [0.0, texel, 0.0]), (0.0, 0.0));
        assert_eq!(lod(&linear, [4.0 * texel, 0.0, 0.0], [0.0, texel, 0.0]), (2.0, 2.0));
        assert_eq!(lod(&linear, [texel / 2.0, 0.0, 0.0], [0.0; 3]), (0.0, -1.0));
        assert_eq!(lod(&linear, [99.0, 0.0, 0.0], [0.0; 3]).0, 4.0);
        assert_eq!(lod(&linear, [0.0; 3], [0.0; 3]), (0.0, f32::NEG_INFINITY));
    }

    #[test]
    fn anisotropic_footprints_take_probes_along_their_longer_side() {
        let sampler = Sampler { anisotropy: 8, ..Sampler::default() };
        let of = |x: f32, y: f32| {
            let detail =
                Detail::Gradients { x: [x / 16.0, 0.0, 0.0], y: [0.0, y / 16.0, 0.0], bias: 0.0 };
            let it = footprint(&shape(), Dim::D2, &sampler, [0.0; 3], detail);
            (it.lod, it.probes)
        };
        assert_eq!(of(1.0, 1.0), (0.0, 1));
        assert_eq!(of(4.0, 1.0), (0.0, 4));
        assert_eq!(of(8.0, 2.0), (1.0, 4));
        // At most eight.
        assert_eq!(of(16.0, 1.0), (1.0, 8));
        // Magnified along the shorter side: no more probes than texels.
        assert_eq!(of(4.0, 0.5).1, 4);
    }

    #[test]
    fn only_2d_textures_with_finite_derivatives_are_anisotropic() {
        let sampler = Sampler { anisotropy: 8, ..Sampler::default() };
        let probes = |dim: Dim, x: f32| {
            let (x, y) = ([x, 0.0, 0.0], [0.0, 1.0 / 16.0, 0.0]);
            let detail = Detail::Gradients { x, y, bias: 0.0 };
            footprint(&shape(), dim, &sampler, [1.0, 0.25, 0.0], detail).probes
        };
        assert_eq!([Dim::D2, Dim::D2Array].map(|it| probes(it, 0.25)), [4, 4]);
        assert_eq!([Dim::D1, Dim::D3, Dim::Cube].map(|it| probes(it, 0.25)), [1, 1, 1]);
        assert_eq!(probes(Dim::D2, f32::INFINITY), 1);
    }
}
