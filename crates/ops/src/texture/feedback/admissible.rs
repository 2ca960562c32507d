//! What devices may record: where Direct3D leaves a write of sampler feedback open, and devices differ.
//!
//! [`write`](super::write) is our choice. [`admissible`] bounds the others: texels that may be marked besides, and
//! whole writes that may replace it. It bounds the known behaviour of devices, and is not a model of any one of them.
//!
//! Spec: `docs/feedback.md`, "How devices differ", whose numbers the reasons have.

use std::collections::BTreeSet;

use super::super::filter::{Pass, Query, layer_of};
use super::super::lod::Detail;
use super::super::sampler::{Address, Filter, Sampler};
use super::super::shape::Shape;
use super::super::{Dim, whole};
use super::{FeedbackKind, Map, Mark, Recorded, USED, for_each_tap, levels_as_recorded, taps_at};

/// Why a device may record something else than [`super::write`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A texel of weight 0 counts.
    ZeroWeight,
    /// All regions count that the region of a small level covers.
    Covered,
    /// The four regions around the place count.
    Footprint,
    /// The level that is read counts, not the truncated level of detail.
    NearestLevel,
    /// Levels that are smaller than the map count as the largest of them.
    SmallLevel,
    /// With a single level, everything near the probes counts.
    Anisotropic,
    /// The place or the level of detail is rounded the other way.
    Rounding,
}

impl Reason {
    pub const ALL: [Reason; 7] = [
        Reason::ZeroWeight,
        Reason::Covered,
        Reason::Footprint,
        Reason::NearestLevel,
        Reason::SmallLevel,
        Reason::Anisotropic,
        Reason::Rounding,
    ];

    /// Its number in `docs/feedback.md`.
    pub fn number(self) -> u32 {
        self as u32 + 1
    }

    pub fn words(self) -> &'static str {
        match self {
            Reason::ZeroWeight => "texels of weight 0 may count",
            Reason::Covered => "all regions may count that a texel of a small level covers",
            Reason::Footprint => "the four regions around the place may count",
            Reason::NearestLevel => "the nearest level may count, not the truncated one",
            Reason::SmallLevel => "levels that are smaller than the map may count as one",
            Reason::Anisotropic => "of a single level, everything near the probes may count",
            Reason::Rounding => "the place or the level of detail may be rounded the other way",
        }
    }
}

/// A rectangle of texels of the map that may have this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Patch {
    pub why: Reason,
    pub layer: u32,
    /// Of the map.
    pub level: u32,
    /// The first texel and the last, which are inside.
    pub low: [u32; 2],
    pub high: [u32; 2],
    pub value: u32,
}

impl Patch {
    /// The indices of its texels.
    pub fn texels(self, map: &Map) -> impl Iterator<Item = usize> + '_ {
        (self.low[1]..=self.high[1]).flat_map(move |y| {
            (self.low[0]..=self.high[0]).map(move |x| map.texel(self.layer, self.level, [x, y]))
        })
    }
}

/// What devices may record for one write.
#[derive(Clone, Debug, Default)]
pub struct Admissible {
    /// The marks of [`super::write`], in order, each once.
    pub marks: Vec<Mark>,
    /// What may be marked besides.
    pub besides: BTreeSet<Patch>,
    /// Marks that may replace `marks`.
    pub instead: Vec<(Reason, Vec<Mark>)>,
}

/// Between two levels, devices need not distinguish steps of less than this.
// Spec: Direct3D 11.3, 7.18: at least 6 bits of the fraction of a level, and 8 of that of a texel.
const LEVEL_STEP: f64 = 1.0 / 64.0;
const TEXEL_STEP: f64 = 1.0 / 256.0;

/// Everything that devices may record for a sample of the paired texture.
pub fn admissible(
    map: &Map,
    shape: &Shape,
    dim: Dim,
    sampler: &Sampler,
    query: &Query,
) -> Admissible {
    let own = Choice {
        map,
        shape,
        dim,
        sampler,
        layer: layer_of(shape, dim, query.layer),
        recorded: levels_as_recorded(map.kind, sampler),
        query: *query,
        shift: [0.0; 2],
    };
    let mut all = Admissible { marks: own.marks(), ..Admissible::default() };
    own.besides(|patch| {
        all.besides.insert(patch);
    });
    for (why, choice) in own.others() {
        let marks = choice.marks();
        if marks == all.marks {
            continue;
        }
        for it in &marks {
            let (layer, level, at) = map.place(it.texel);
            all.besides.insert(Patch { why, layer, level, low: at, high: at, value: it.value });
        }
        choice.besides(|patch| {
            all.besides.insert(Patch { why, ..patch });
        });
        all.instead.push((why, marks));
    }
    all
}

/// One way to make a write.
struct Choice<'a> {
    map: &'a Map,
    shape: &'a Shape,
    dim: Dim,
    sampler: &'a Sampler,
    layer: u32,
    recorded: Recorded,
    query: Query,
    /// By how many texels of the level the place is shifted.
    shift: [f64; 2],
}

impl<'a> Choice<'a> {
    /// The admissible choices of level and place; some make the same marks.
    fn others(&self) -> Vec<(Reason, Choice<'a>)> {
        let like = |recorded: Recorded, query: Query, shift| {
            let Choice { map, shape, dim, sampler, layer, .. } = *self;
            Choice { map, shape, dim, sampler, layer, recorded, query, shift }
        };
        let recorded = || levels_as_recorded(self.map.kind, self.sampler);
        let mut all = Vec::new();
        if self.recorded.one_level {
            let nearest = Recorded { state: *self.sampler, one_level: false };
            all.push((Reason::NearestLevel, like(nearest, self.query, [0.0; 2])));
        }
        for detail in self.rounded_levels() {
            let query = Query { detail, ..self.query };
            all.push((Reason::Rounding, like(recorded(), query, [0.0; 2])));
        }
        let steps = [-TEXEL_STEP, 0.0, TEXEL_STEP];
        for shift in steps.into_iter().flat_map(|y| steps.map(|x| [x, y])) {
            if shift != [0.0; 2] {
                all.push((Reason::Rounding, like(recorded(), self.query, shift)));
            }
        }
        all
    }

    /// The nearest levels of detail that a device must distinguish. What a shader gives need not be computed, so that a
    /// level that is one of them is exact.
    fn rounded_levels(&self) -> [Detail; 2] {
        match self.query.detail {
            Detail::Level(level) => {
                let bias = f64::from(self.recorded.state.bias);
                let steps = (f64::from(level) + bias) / LEVEL_STEP;
                [steps.floor(), steps.ceil()]
                    .map(|it| Detail::Level((it * LEVEL_STEP - bias) as f32))
            }
            Detail::Gradients { x, y, bias } => [-LEVEL_STEP, LEVEL_STEP]
                .map(|it| Detail::Gradients { x, y, bias: (f64::from(bias) + it) as f32 }),
        }
    }

    fn each_pass(&self, mut visit: impl FnMut(Pass, [u32; 3])) {
        self.recorded.each_pass(self.shape, self.dim, &self.query, |mut pass| {
            let size = self.shape.size(pass.level);
            for (at, (shift, size)) in pass.at.iter_mut().zip(self.shift.iter().zip(size)) {
                *at += shift / f64::from(size);
            }
            visit(pass, size);
        });
    }

    /// In order, each once.
    fn marks(&self) -> Vec<Mark> {
        let mut all = Vec::new();
        self.each_pass(|pass, size| {
            for_each_tap(pass.axes(self.dim, size, pass.at, [0; 3]), |texel, _| {
                let taps = taps_at(self.sampler, &pass, size, texel);
                all.extend(taps.map(|it| self.map.mark(self.layer, pass.level, it)));
            });
        });
        crate::sort_by_key(&mut all, |it| *it);
        all.dedup();
        all
    }

    fn besides(&self, mut tell: impl FnMut(Patch)) {
        let map = self.map;
        self.each_pass(|pass, size| {
            let axes = pass.axes(self.dim, size, pass.at, [0; 3]);
            if pass.filter == Filter::Linear {
                self.around(&pass, size, axes, &mut tell);
                self.footprint(&pass, size, &mut tell);
            }
            if map.kind == FeedbackKind::MinMip {
                for_each_tap(axes, |texel, _| self.group(&pass, size, texel, &mut tell));
            }
        });
        if self.shape.levels == 1 && self.sampler.anisotropy > 1 {
            self.near_probes(&mut tell);
        }
    }

    fn patch(&self, why: Reason, level: u32, low: [u32; 2], high: [u32; 2]) -> Patch {
        let (held, value) = match self.map.kind {
            FeedbackKind::MinMip => (0, level),
            FeedbackKind::MipRegionUsed => (level, u32::from(USED)),
        };
        Patch { why, layer: self.layer, level: held, low, high, value }
    }

    /// The neighbours of weight 0, on both sides.
    fn around(
        &self,
        pass: &Pass,
        size: [u32; 3],
        axes: [(i64, i64); 3],
        tell: &mut impl FnMut(Patch),
    ) {
        let near = |axis: usize| match axes[axis] {
            (texel, 0) => texel - 1..=texel + 1,
            (texel, _) => texel..=texel + 1,
        };
        for (x, y) in near(1).flat_map(|y| near(0).map(move |x| (x, y))) {
            let Some(taps) = taps_at(self.sampler, pass, size, [x, y, 0]) else { continue };
            let (_, _, at) = self.map.place(self.map.mark(self.layer, pass.level, taps).texel);
            tell(self.patch(Reason::ZeroWeight, pass.level, at, at));
        }
    }

    /// The four regions whose middles surround the place.
    fn footprint(&self, pass: &Pass, size: [u32; 3], tell: &mut impl FnMut(Patch)) {
        let map = self.map;
        let regions: [Vec<u32>; 2] = std::array::from_fn(|axis| {
            // The texture as large as the regions divide it, and the number of regions.
            let (texels, held) = match map.kind {
                FeedbackKind::MinMip => ([map.width, map.height][axis], 0),
                FeedbackKind::MipRegionUsed => (size[axis], pass.level),
            };
            let count = map.size(held)[axis];
            let address = self.sampler.address[axis];
            let Some(place) = folded(address, pass.at[axis] * f64::from(texels), texels) else {
                return Vec::new();
            };
            let first = whole(place / f64::from(map.region[axis]) - 0.5);
            let found = [first, first + 1].map(|it| address.resolve(it, count));
            found.into_iter().flatten().collect()
        });
        for (x, y) in regions[1].iter().flat_map(|y| regions[0].iter().map(move |x| (*x, *y))) {
            tell(self.patch(Reason::Footprint, pass.level, [x, y], [x, y]));
        }
    }

    /// All regions that the region of a tap covers, in a map of levels.
    fn group(&self, pass: &Pass, size: [u32; 3], texel: [i64; 3], tell: &mut impl FnMut(Patch)) {
        let map = self.map;
        let Some(taps) = taps_at(self.sampler, pass, size, texel) else { return };
        let largest = [map.width, map.height];
        let [x, y]: [(u32, u32); 2] = std::array::from_fn(|axis| {
            let region = u64::from(taps[axis].texel / map.region[axis]);
            let (largest, size) = (u64::from(largest[axis]), u64::from(size[axis]));
            let last = u64::from(map.size(0)[axis]) - 1;
            let high = ((region + 1) * largest).div_ceil(size) - 1;
            ((region * largest / size) as u32, high.min(last) as u32)
        });
        let (low, high) = ([x.0, y.0], [x.1, y.1]);
        tell(self.patch(Reason::Covered, pass.level, low, high));
        if let Some(level) = map.first_small_level().filter(|it| *it <= pass.level) {
            tell(self.patch(Reason::SmallLevel, level, low, high));
        }
    }

    /// The rectangle around all probes.
    fn near_probes(&self, tell: &mut impl FnMut(Patch)) {
        let mut bounds: Option<[(i64, i64); 2]> = None;
        let mut size = [1; 3];
        self.each_pass(|pass, it| {
            size = it;
            let axes = pass.axes(self.dim, size, pass.at, [0; 3]);
            let own: [(i64, i64); 2] = std::array::from_fn(|axis| {
                let (first, next) = axes[axis];
                (first, first + i64::from(next > 0))
            });
            let joined = |old: (i64, i64), new: (i64, i64)| (old.0.min(new.0), old.1.max(new.1));
            let old = bounds.unwrap_or(own);
            bounds = Some([joined(old[0], own[0]), joined(old[1], own[1])]);
        });
        let Some(bounds) = bounds else { return };
        let regions: [BTreeSet<u32>; 2] = std::array::from_fn(|axis| {
            let (low, high) = bounds[axis];
            // All texels are among this many in a row, mirrored or not.
            let high = high.min(low.saturating_add(2 * i64::from(size[axis])));
            let inside =
                (low..=high).filter_map(|it| self.sampler.address[axis].resolve(it, size[axis]));
            inside.map(|it| it / self.map.region[axis]).collect()
        });
        for (x, y) in regions[1].iter().flat_map(|y| regions[0].iter().map(move |x| (*x, *y))) {
            tell(self.patch(Reason::Anisotropic, 0, [x, y], [x, y]));
        }
    }
}

impl Map {
    /// The first level that has fewer texels on an axis than the map has regions, if there is one.
    fn first_small_level(&self) -> Option<u32> {
        let sizes = [self.width, self.height];
        (0..self.levels).find(|level| {
            let size = self.texture_size(*level);
            let is_small = |axis: usize| {
                u64::from(size[axis]) * u64::from(self.region[axis]) < u64::from(sizes[axis])
            };
            is_small(0) || is_small(1)
        })
    }
}

/// A position in texels, within the texture as the address mode has it; `None` is the border.
fn folded(address: Address, position: f64, size: u32) -> Option<f64> {
    let size = f64::from(size);
    let position = if position.is_nan() { 0.0 } else { position };
    Some(match address {
        Address::Wrap => position.rem_euclid(size),
        Address::Mirror => {
            let inside = position.rem_euclid(2.0 * size);
            if inside < size { inside } else { 2.0 * size - inside }
        }
        Address::Clamp => position.clamp(0.0, size),
        Address::MirrorOnce => position.abs().min(size),
        Address::Border if (0.0..size).contains(&position) => position,
        Address::Border => return None,
    })
}

#[cfg(test)]
mod tests;
