//! What is marked: the specification's cases, and the law that marks are the texels that a sample uses.

use super::*;
use crate::Random;
use crate::texture::{Detail, Format, Image, sample};

fn shape(width: u32, height: u32, levels: u32) -> Shape {
    Shape { levels, ..Shape::new(Format::parse("R32_FLOAT").unwrap(), width, height, 1) }
}

fn query(u: f32, v: f32, level: f32) -> Query {
    Query {
        at: [u, v, 0.0],
        layer: 0.0,
        detail: Detail::Level(level),
        offset: [0; 3],
        least: None,
        reference: None,
    }
}

/// The marked texels of the map: level, place and value; in order, each once.
fn marks(
    kind: FeedbackKind,
    shape: &Shape,
    region: [u32; 2],
    sampler: &Sampler,
    query: &Query,
) -> Vec<(u32, [u32; 2], u32)> {
    let map = Map::new(kind, shape, region).unwrap();
    let mut all: Vec<Mark> = Vec::new();
    write(&map, shape, Dim::D2, sampler, query, |it| all.push(it));
    all.sort_unstable();
    all.dedup();
    let told = |it: Mark| {
        let (_, level, at) = map.place(it.texel);
        (level, at, it.value)
    };
    all.into_iter().map(told).collect()
}

#[test]
fn the_specifications_texture_of_16_marks_one_region_for_each_level() {
    let shape = shape(16, 16, 3);
    for level in 0..3 {
        let found = marks(
            FeedbackKind::MinMip,
            &shape,
            [4, 4],
            &Sampler::nearest(),
            &query(0.0, 0.0, level as f32),
        );
        assert_eq!(found, [(0, [0, 0], level)]);
        let used = FeedbackKind::MipRegionUsed;
        let found =
            marks(used, &shape, [4, 4], &Sampler::nearest(), &query(0.99, 0.0, level as f32));
        assert_eq!(found, [(level, [(16 >> level) / 4 - 1, 0], 255)]);
    }
}

#[test]
fn a_level_of_1024_names_the_region_of_the_place() {
    let shape = shape(1024, 1024, 11);
    for level in 0..11 {
        let at = query(0.1, 0.9, level as f32);
        let found = marks(FeedbackKind::MinMip, &shape, [16, 16], &Sampler::nearest(), &at);
        assert_eq!(found, [(0, [6, 57], level)], "{level}");
        let found = marks(FeedbackKind::MipRegionUsed, &shape, [16, 16], &Sampler::nearest(), &at);
        let size = (1024u32 >> level).max(1);
        let region = |it: f64| (f64::from(size) * it) as u32 / 16;
        assert_eq!(found, [(level, [region(0.1), region(0.9)], 255)], "{level}");
    }
}

#[test]
fn odd_sizes_are_projected_onto_the_largest_level() {
    let shape = shape(65, 65, 3);
    let sampler = Sampler::nearest();
    for (at, level, region) in
        [(0.749, 0.0, 12), (34.5 / 65.0, 1.0, 8), (28.0 / 65.0, 2.0, 7), (0.9999, 2.0, 16)]
    {
        let found = marks(FeedbackKind::MinMip, &shape, [4, 4], &sampler, &query(at, at, level));
        assert_eq!(found, [(0, [region, region], level as u32)], "{at}");
    }
    let map = Map::new(FeedbackKind::MipRegionUsed, &shape, [4, 4]).unwrap();
    // 65, 32 and 16 texels; a chain of textures of 17 would have 8 and 4, too.
    assert_eq!([0, 1, 2].map(|it| map.size(it)), [[17, 17], [8, 8], [4, 4]]);
    let map =
        Map::new(FeedbackKind::MipRegionUsed, &Shape { width: 102, ..shape }, [4, 4]).unwrap();
    // Here it would have 13 and 6.
    assert_eq!([0, 1, 2].map(|it| map.size(it)[0]), [26, 13, 7]);
}

#[test]
fn regions_are_powers_of_two_from_4_to_half_the_texture() {
    let shape = shape(100, 64, 1);
    for (region, is_fine) in [
        ([32, 32], true),
        ([16, 4], true),
        ([4, 4], true),
        ([64, 16], false),
        ([16, 64], false),
        ([2, 4], false),
        ([12, 8], false),
        ([0, 4], false),
    ] {
        assert_eq!(Map::new(FeedbackKind::MinMip, &shape, region).is_ok(), is_fine, "{region:?}");
    }
    let told = |region| Map::new(FeedbackKind::MinMip, &shape, region).unwrap_err().to_string();
    assert_eq!(
        told([64, 16]),
        "a mip region cannot have the width 64; for a texture of width 100 it is a power of two from 4 to 32"
    );
    let small = Shape { height: 7, ..shape };
    assert_eq!(
        Map::new(FeedbackKind::MinMip, &small, [4, 4]).unwrap_err().to_string(),
        "a mip region cannot have the height 4; a texture needs a height of at least 8, and this has 7"
    );
    let deep = Shape { depth: 8, ..shape };
    assert_eq!(Map::new(FeedbackKind::MinMip, &deep, [4, 4]), Err(Refusal::Texture));
}

#[test]
fn linear_filters_mark_the_texels_of_weight_above_zero() {
    let shape = shape(16, 16, 1);
    let linear = Sampler { address: [Address::Wrap; 3], ..Sampler::default() };
    let regions = |u: f32| -> Vec<u32> {
        let found = marks(FeedbackKind::MinMip, &shape, [4, 4], &linear, &query(u, 0.3, 0.0));
        found.into_iter().map(|it| it.1[0]).collect()
    };
    // The middle of texel 4: its neighbour has the weight 0. A step to the left it does not.
    assert_eq!(regions(4.5 / 16.0), [1]);
    assert_eq!(regions((4.5 - 1.0 / 256.0) / 16.0), [0, 1]);
    assert_eq!(regions(0.25 / 16.0), [0, 3]);
    let clamped =
        marks(FeedbackKind::MinMip, &shape, [4, 4], &Sampler::default(), &query(0.0, 0.3, 0.0));
    assert_eq!(clamped, [(0, [0, 1], 0)]);
    let bordered = Sampler { address: [Address::Border; 3], ..linear };
    assert_eq!(marks(FeedbackKind::MinMip, &shape, [4, 4], &bordered, &query(-0.5, 0.3, 0.0)), []);
}

#[test]
fn neighbours_and_mirrors_lie_at_the_edges_of_texels() {
    // Level 3 of 32 texels has 4, and each covers two of the 8 regions.
    let shape = shape(32, 32, 6);
    let regions = |sampler: &Sampler, u: f32, level: f32| -> Vec<u32> {
        let [u_mode, ..] = sampler.address;
        let sampler = &Sampler { address: [u_mode, Address::Clamp, u_mode], ..*sampler };
        let found = marks(FeedbackKind::MinMip, &shape, [4, 4], sampler, &query(u, 0.01, level));
        found.into_iter().map(|it| it.1[0]).collect()
    };
    let with = |address| Sampler { address: [address; 3], ..Sampler::default() };
    // Between texels 0 and 1 of 4: the first covers regions 0 and 1, the second 2 and 3.
    assert_eq!(regions(&with(Address::Clamp), 0.24, 3.0), [1, 2]);
    assert_eq!(regions(&with(Address::Clamp), 0.26, 3.0), [1, 2]);
    assert_eq!(regions(&with(Address::Clamp), 0.2, 3.0), [1, 2]);
    // Before the beginning: clamped to the start, wrapped to the end, or mirrored.
    assert_eq!(regions(&with(Address::Clamp), 0.01, 3.0), [0]);
    assert_eq!(regions(&with(Address::Wrap), 0.01, 3.0), [0, 7]);
    assert_eq!(regions(&with(Address::Mirror), 0.01, 3.0), [0]);
    let nearest = |address| Sampler { address: [address; 3], ..Sampler::nearest() };
    // 0.2 of a texel to the left is 0.2 of it to the right in the mirror.
    for address in [Address::Mirror, Address::MirrorOnce] {
        assert_eq!(regions(&nearest(address), -0.2, 3.0), [1], "{address:?}");
        assert_eq!(regions(&nearest(address), -0.05, 3.0), [0], "{address:?}");
    }
    assert_eq!(regions(&nearest(Address::Wrap), -0.2, 3.0), [6]);
    // So little that the distance from the texel before is rounded to 1.
    assert_eq!(regions(&nearest(Address::Wrap), -1e-20, 3.0), [7]);
    assert_eq!(regions(&nearest(Address::Mirror), -1e-20, 3.0), [0]);
    assert_eq!(regions(&nearest(Address::Clamp), -0.2, 3.0), [0]);
    assert_eq!(regions(&nearest(Address::Clamp), 1.2, 3.0), [7]);
    assert_eq!(regions(&nearest(Address::MirrorOnce), -1.2, 3.0), [7]);
    assert_eq!(regions(&nearest(Address::Mirror), 1.2, 3.0), [6]);
    assert_eq!(regions(&nearest(Address::Clamp), f32::NAN, 3.0), [0]);
    assert_eq!(regions(&nearest(Address::Clamp), f32::INFINITY, 3.0), [7]);
}

#[test]
fn levels_are_those_of_the_sample_except_that_nearest_ones_are_truncated_for_levels() {
    let shape = shape(64, 64, 7);
    let levels = |kind, sampler: &Sampler, level: f32| -> Vec<u32> {
        let found = marks(kind, &shape, [4, 4], sampler, &query(0.0, 0.0, level));
        let told = |(held, _, value)| if kind == FeedbackKind::MinMip { value } else { held };
        found.into_iter().map(told).collect()
    };
    let nearest = Sampler::nearest();
    for (level, least, read) in [(0.4, 0, 0), (0.5, 0, 1), (1.99, 1, 2), (9.0, 6, 6), (-1.0, 0, 0)]
    {
        assert_eq!(levels(FeedbackKind::MinMip, &nearest, level), [least], "{level}");
        assert_eq!(levels(FeedbackKind::MipRegionUsed, &nearest, level), [read], "{level}");
    }
    let linear = Sampler { mip: Filter::Linear, ..nearest };
    assert_eq!(levels(FeedbackKind::MipRegionUsed, &linear, 1.5), [1, 2]);
    assert_eq!(levels(FeedbackKind::MipRegionUsed, &linear, 2.0), [2]);
    assert_eq!(levels(FeedbackKind::MinMip, &linear, 1.5), [1, 2]);
    // The sampler's limits and bias count, and so does the limit of the instruction.
    let limited = Sampler { max_lod: 3.0, min_lod: 2.0, bias: 0.5, ..nearest };
    assert_eq!([0.0, 2.5, 9.0].map(|it| levels(FeedbackKind::MinMip, &limited, it)[0]), [2, 3, 3]);
    assert_eq!(levels(FeedbackKind::MinMip, &limited, f32::NAN), [2]);
    let clamped = Query { least: Some(4.0), ..query(0.0, 0.0, 1.0) };
    assert_eq!(marks(FeedbackKind::MinMip, &shape, [4, 4], &nearest, &clamped), [(0, [0, 0], 4)]);
}

#[test]
fn layers_are_rounded_to_even_and_clamped() {
    let shape = Shape { layers: 3, ..shape(8, 8, 1) };
    let map = Map::new(FeedbackKind::MinMip, &shape, [4, 4]).unwrap();
    let layer = |layer: f32| {
        let mut found = Vec::new();
        let query = Query { layer, ..query(0.0, 0.0, 0.0) };
        write(&map, &shape, Dim::D2Array, &Sampler::nearest(), &query, |it| found.push(it.texel));
        found
    };
    let expected = [(-1.0, 0), (0.5, 0), (1.5, 2), (0.51, 1), (3.0, 2), (f32::NAN, 0)];
    for (at, found) in expected {
        assert_eq!(layer(at), [found * 4], "{at}");
    }
}

#[test]
fn maps_are_encoded_and_decoded() {
    let shape = Shape { layers: 2, ..shape(20, 12, 3) };
    for kind in [FeedbackKind::MinMip, FeedbackKind::MipRegionUsed] {
        let map = Map::new(kind, &shape, [8, 4]).unwrap();
        let texels: Vec<u8> = (0..map.texels()).map(|it| (it * 7) as u8).collect();
        let decoded = map.decode(&map.encode(&texels));
        match kind {
            FeedbackKind::MinMip => assert_eq!(decoded, texels),
            FeedbackKind::MipRegionUsed => {
                let used = |it: &u8| if *it == 0 { 0 } else { 255 };
                assert_eq!(decoded, texels.iter().map(used).collect::<Vec<u8>>());
            }
        }
        assert_eq!(map.decode(&map.memory()), vec![kind.cleared(); map.texels()]);
        for texel in 0..map.texels() {
            let (layer, level, at) = map.place(texel);
            assert_eq!(map.texel(layer, level, at), texel);
            // Generated code finds it by the header.
            let header = map.header();
            let row = FIXED_WORDS + LEVEL_WORDS * level as usize;
            let found = header[row]
                + layer * header[Header::LayerTexels as usize]
                + at[1] * header[row + 1]
                + at[0];
            assert_eq!(found as usize, map.header_words() + texel);
        }
    }
}

#[test]
fn products_of_fractions_are_exact() {
    for (fraction, by) in [
        (0.5, 3),
        (1.0 - f64::EPSILON / 2.0, 16384),
        (1.0 / (1u64 << 40) as f64, 1 << 14),
        (f64::MIN_POSITIVE, 7),
    ] {
        let exact = |it: f64| it * by as f64;
        assert!(scaled(fraction, by) as f64 <= exact(fraction));
        assert!(!is_scaled_whole(fraction, by), "{fraction} {by}");
    }
    assert_eq!((scaled(0.75, 8), is_scaled_whole(0.75, 8)), (6, true));
    assert_eq!(scaled(1.0 - f64::EPSILON / 2.0, 1 << 14), (1 << 14) - 1);
}

/// The law that ties feedback to filtering: a texture is 1 in one texel and 0 elsewhere, so that a sample is above 0
/// exactly if it uses that texel.
#[test]
fn marks_are_the_texels_that_a_sample_uses() {
    let mut random = Random::new(7);
    let mut unit = |from: f32, to: f32| from + (to - from) * random.unit() as f32;
    let modes =
        [Address::Wrap, Address::Mirror, Address::Clamp, Address::Border, Address::MirrorOnce];
    for round in 0..120 {
        let address = [modes[round % 5], modes[round / 5 % 5], Address::Wrap];
        let filter = |bit: usize| [Filter::Nearest, Filter::Linear][round >> bit & 1];
        let sampler = Sampler {
            min: filter(0),
            mag: filter(1),
            mip: filter(2),
            address,
            anisotropy: if round % 7 == 0 { 4 } else { 1 },
            ..Sampler::default()
        };
        let shape = shape(9, 17, 4);
        let (u, v) = (unit(-1.5, 2.5), unit(-1.5, 2.5));
        let detail = match round % 2 {
            0 => Detail::Level(unit(-1.0, 4.0)),
            _ => Detail::Gradients {
                x: [unit(0.0, 0.5), unit(0.0, 0.3), 0.0],
                y: [unit(0.0, 0.1), unit(0.0, 0.3), 0.0],
                bias: 0.0,
            },
        };
        let query = Query { detail, ..query(u, v, 0.0) };
        let mut expected = Vec::new();
        let mut bytes = vec![0u8; shape.bytes().unwrap()];
        for level in 0..4 {
            let [width, height, _] = shape.size(level);
            for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
                let at = shape.offset(level, 0, [x, y, 0], 0);
                bytes[at..at + 4].copy_from_slice(&1f32.to_le_bytes());
                let image = Image { shape, memory: &bytes };
                if sample(&image, Dim::D2, &sampler, &query).0[0] > 0.0 {
                    expected.push((level, [x / 4, y / 8], 255));
                }
                bytes[at..at + 4].fill(0);
            }
        }
        expected.sort_by_key(|(level, [x, y], _)| (*level, *y, *x));
        expected.dedup();
        let found = marks(FeedbackKind::MipRegionUsed, &shape, [4, 8], &sampler, &query);
        assert_eq!(found, expected, "{round} {sampler:?} {query:?}");
        // A map of levels has the least level of each place that a region of a level covers.
        for (_, [x, y], value) in marks(FeedbackKind::MinMip, &shape, [4, 8], &sampler, &query) {
            if sampler.mip == Filter::Nearest {
                continue;
            }
            let [width, height, _] = shape.size(value);
            let covers = |it: &&(u32, [u32; 2], u32)| {
                let range = |axis: usize, size: u32, largest: u32, region: u32| {
                    let (first, each) = (it.1[axis] * region * largest, size * region);
                    let end = ((it.1[axis] + 1) * region).min(size) * largest;
                    first / each..end.div_ceil(each)
                };
                it.0 == value
                    && range(0, width, 9, 4).contains(&x)
                    && range(1, height, 17, 8).contains(&y)
            };
            assert!(expected.iter().any(|it| covers(&it)), "{round}: {x} {y} {value}");
        }
    }
}
