//! What devices are known to report lies inside the bound, and the bound is no wider than its reasons.

use super::*;
use crate::texture::Format;

fn shape(width: u32, height: u32, levels: u32) -> Shape {
    Shape { levels, ..Shape::new(Format::parse("R8_UNORM").unwrap(), width, height, 1) }
}

fn query(u: f64, v: f64, detail: Detail) -> Query {
    let at = [u as f32, v as f32, 0.0];
    Query { at, layer: 0.0, detail, offset: [0; 3], least: None, reference: None }
}

fn linear() -> Sampler {
    Sampler { address: [Address::Wrap; 3], ..Sampler::default() }
}

fn bound(
    kind: FeedbackKind,
    shape: &Shape,
    region: u32,
    sampler: &Sampler,
    query: &Query,
) -> Admissible {
    let map = Map::new(kind, shape, [region; 2]).unwrap();
    admissible(&map, shape, Dim::D2, sampler, query)
}

/// The places of a reason, with their values.
fn places(all: &Admissible, why: Reason) -> Vec<([u32; 2], [u32; 2], u32)> {
    all.besides.iter().filter(|it| it.why == why).map(|it| (it.low, it.high, it.value)).collect()
}

#[test]
fn texels_of_weight_zero_count_on_either_side() {
    let shape = shape(16, 16, 1);
    let middle = query(4.5 / 16.0, 4.5 / 16.0, Detail::Level(0.0));
    for (kind, value) in [(FeedbackKind::MinMip, 0), (FeedbackKind::MipRegionUsed, 255)] {
        let all = bound(kind, &shape, 4, &linear(), &middle);
        assert_eq!(all.marks.len(), 1);
        let four = [[0, 0], [0, 1], [1, 0], [1, 1]].map(|it| (it, it, value));
        assert_eq!(places(&all, Reason::ZeroWeight), four);
    }
    // With weight on one side, there is nothing on the other.
    let beside = query(4.75 / 16.0, 4.5 / 16.0, Detail::Level(0.0));
    let all = bound(FeedbackKind::MinMip, &shape, 4, &linear(), &beside);
    assert_eq!(places(&all, Reason::ZeroWeight), [[1, 0], [1, 1]].map(|it| (it, it, 0)));
    let all = bound(FeedbackKind::MinMip, &shape, 4, &Sampler::nearest(), &middle);
    assert_eq!(places(&all, Reason::ZeroWeight), []);
}

#[test]
fn the_group_of_a_small_level_counts() {
    let shape = shape(1024, 1024, 11);
    let at = query(0.1, 0.9, Detail::Level(3.0));
    let all = bound(FeedbackKind::MinMip, &shape, 16, &Sampler::nearest(), &at);
    // 2^3 regions of the map, aligned: (6, 57) is among them.
    assert_eq!(places(&all, Reason::Covered), [([0, 56], [7, 63], 3)]);
    assert_eq!(places(&all, Reason::SmallLevel), []);
    // Levels 5 to 10 have fewer than 64 texels.
    let at = query(0.1, 0.9, Detail::Level(8.0));
    let all = bound(FeedbackKind::MinMip, &shape, 16, &Sampler::nearest(), &at);
    assert_eq!(places(&all, Reason::Covered), [([0, 0], [63, 63], 8)]);
    assert_eq!(places(&all, Reason::SmallLevel), [([0, 0], [63, 63], 5)]);
    let all = bound(FeedbackKind::MipRegionUsed, &shape, 16, &Sampler::nearest(), &at);
    assert_eq!((all.besides.len(), all.instead.len()), (0, 0));
}

#[test]
fn groups_of_odd_sizes_are_as_large_as_devices_fill_them() {
    // At level 1 of 65 texels, a device fills 8 to 10.
    let at = query(34.5 / 65.0, 34.5 / 65.0, Detail::Level(1.0));
    let all = bound(FeedbackKind::MinMip, &shape(65, 65, 3), 4, &Sampler::nearest(), &at);
    assert_eq!(places(&all, Reason::Covered), [([8, 8], [10, 10], 1)]);
}

#[test]
fn the_regions_around_the_place_count_for_linear_filters() {
    let shape = shape(16, 16, 1);
    let at = |x: f64| query(x / 16.0, 5.5 / 16.0, Detail::Level(0.0));
    let footprint = |x: f64| {
        let all = bound(FeedbackKind::MinMip, &shape, 4, &linear(), &at(x));
        places(&all, Reason::Footprint).iter().map(|it| it.0[0]).collect::<BTreeSet<u32>>()
    };
    assert_eq!(footprint(5.99), BTreeSet::from([0, 1]));
    assert_eq!(footprint(6.01), BTreeSet::from([1, 2]));
    // Around the edge.
    assert_eq!(footprint(1.0), BTreeSet::from([0, 3]));
}

#[test]
fn nearest_levels_may_be_truncated_or_not() {
    let shape = shape(64, 64, 4);
    let nearest = Sampler::nearest();
    let at = |level: f32| query(0.4, 0.4, Detail::Level(level));
    let instead = |level: f32| {
        let all = bound(FeedbackKind::MinMip, &shape, 8, &nearest, &at(level));
        let level = |(why, marks): &(Reason, Vec<Mark>)| (*why, marks[0].value);
        all.instead.iter().map(level).collect::<Vec<_>>()
    };
    assert_eq!(instead(1.25), []);
    assert_eq!(instead(1.5), [(Reason::NearestLevel, 2)]);
    assert_eq!(bound(FeedbackKind::MipRegionUsed, &shape, 8, &nearest, &at(1.25)).instead, []);
}

#[test]
fn rounding_moves_a_place_or_a_level_by_one_step() {
    let shape = shape(16, 16, 3);
    let nearest = Sampler::nearest();
    let region = |x: f64| {
        let at = query(x / 16.0, 6.0 / 16.0, Detail::Level(0.0));
        let all = bound(FeedbackKind::MipRegionUsed, &shape, 4, &nearest, &at);
        places(&all, Reason::Rounding).iter().map(|it| it.0[0]).collect::<Vec<_>>()
    };
    assert_eq!(region(4.0), [0]);
    assert_eq!(region(4.0 - 1.0 / 300.0), [1]);
    assert_eq!(region(4.0 - 1.0 / 200.0), []);
    // A level that is computed is less certain than one that is given.
    let texel = 1.0 / 16.0f32;
    let gradients = |scale: f32| Detail::Gradients {
        x: [scale * texel, 0.0, 0.0],
        y: [0.0, scale * texel, 0.0],
        bias: 0.0,
    };
    let levels = |detail| {
        let all = bound(FeedbackKind::MinMip, &shape, 4, &nearest, &query(0.3, 0.3, detail));
        places(&all, Reason::Rounding).iter().map(|it| it.2).collect::<BTreeSet<u32>>()
    };
    assert_eq!(levels(Detail::Level(1.0)), BTreeSet::new());
    assert_eq!(levels(Detail::Level(0.99)), BTreeSet::from([1]));
    assert_eq!(levels(gradients(2.0)), BTreeSet::from([0]));
}

#[test]
fn everything_near_the_probes_of_a_single_level_counts() {
    let shape = shape(64, 64, 1);
    let sampler = Sampler { anisotropy: 8, ..linear() };
    let detail = Detail::Gradients {
        x: [24.0 / 64.0, 24.0 / 64.0, 0.0],
        y: [0.0, 1.0 / 64.0, 0.0],
        bias: 0.0,
    };
    let all = bound(FeedbackKind::MinMip, &shape, 8, &sampler, &query(0.5, 0.5, detail));
    let near = places(&all, Reason::Anisotropic);
    // The probes lie on a diagonal; the corners beside it count too.
    let corner = ([2, 5], [2, 5], 0);
    assert!(near.contains(&corner), "{near:?}");
    let map = Map::new(FeedbackKind::MinMip, &shape, [8; 2]).unwrap();
    assert!(!all.marks.contains(&Mark { texel: map.texel(0, 0, [2, 5]), value: 0 }));
    let levels = Shape { levels: 7, ..shape };
    let all = bound(FeedbackKind::MinMip, &levels, 8, &sampler, &query(0.5, 0.5, detail));
    assert_eq!(places(&all, Reason::Anisotropic), []);
}

/// The marks of a write are those of [`super::super::write`], and every patch lies inside the map.
#[test]
fn bounds_hold_the_write_itself() {
    let mut random = crate::Random::new(5);
    let modes =
        [Address::Wrap, Address::Mirror, Address::Clamp, Address::Border, Address::MirrorOnce];
    for _ in 0..3000 {
        let [width, height] = [0; 2].map(|_| 8 + random.below(90) as u32);
        let shape = shape(width, height, 1 + random.below(4) as u32);
        let kind = [FeedbackKind::MinMip, FeedbackKind::MipRegionUsed][random.below(2)];
        let map = Map::new(kind, &shape, [4, 4]).unwrap();
        let filter = |it: usize| [Filter::Nearest, Filter::Linear][it];
        let sampler = Sampler {
            min: filter(random.below(2)),
            mag: filter(random.below(2)),
            mip: filter(random.below(2)),
            anisotropy: [1, 1, 4][random.below(3)],
            address: [0; 3].map(|_| modes[random.below(5)]),
            ..Sampler::default()
        };
        let mut number = |scale: f32| (random.below(4000) as f32 / 1000.0 - 2.0) * scale;
        let detail = Detail::Gradients {
            x: [number(0.1), number(0.1), 0.0],
            y: [number(0.1), number(0.1), 0.0],
            bias: 0.0,
        };
        let query = query(f64::from(number(1.0)), f64::from(number(1.0)), detail);
        let all = admissible(&map, &shape, Dim::D2, &sampler, &query);
        let mut marks = Vec::new();
        super::super::write(&map, &shape, Dim::D2, &sampler, &query, |it| marks.push(it));
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(all.marks, marks);
        for patch in &all.besides {
            assert!(patch.texels(&map).all(|it| it < map.texels()), "{patch:?}");
            let [width, height] = map.size(patch.level);
            assert!(patch.high[0] < width && patch.high[1] < height, "{patch:?}");
        }
    }
}
