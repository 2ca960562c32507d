//! `wavelane_ops::wave::eval` against independent definitions, lane by lane: on all sixteen masks of a wave of four
//! lanes, and on many masks of wider ones.

use wavelane_ops::wave::{Lanes, LanesMut, Results, Wave, eval, hazards, poison};
use wavelane_ops::{Fold, LaneMask, QuadDirection, Random, Sign, Ty, WaveOp};

fn masks(width: u32) -> Vec<LaneMask> {
    if width == 4 {
        return (0..16).map(LaneMask).collect();
    }
    let mut random = Random::new(u64::from(width));
    let all = LaneMask::first_n(width);
    let mut masks = vec![all, LaneMask::only(0), LaneMask::only(width - 1), LaneMask(0x5555) & all];
    masks.extend(
        (0..60)
            .map(|_| LaneMask(u128::from(random.bits()) << 64 | u128::from(random.bits())) & all),
    );
    masks
}

fn wave(width: u32, active: LaneMask) -> Wave {
    Wave { width, active, helpers: LaneMask::EMPTY, index_in_group: 3, waves_in_group: 5 }
}

fn run(op: WaveOp, ty: Ty, wave: &Wave, args: &[Lanes<'_>]) -> Vec<u64> {
    let mut words = [0u32; 128];
    let mut longs = [0u64; 128];
    let mut bits = LaneMask::EMPTY;
    let kind = match op.signature().results {
        Results::Bool => wavelane_ops::Repr::Bit,
        Results::Word | Results::Lanes => wavelane_ops::Repr::Word,
        Results::Value => ty.repr(),
    };
    let out = match kind {
        wavelane_ops::Repr::Bit => LanesMut::Bits(&mut bits),
        wavelane_ops::Repr::Word => LanesMut::Words(&mut words),
        wavelane_ops::Repr::Long => LanesMut::Longs(&mut longs),
    };
    eval(op, ty, wave, args, &mut [out]);
    (0..wave.width)
        .map(|lane| match kind {
            wavelane_ops::Repr::Bit => u64::from(bits.contains(lane)),
            wavelane_ops::Repr::Word => u64::from(words[lane as usize]),
            wavelane_ops::Repr::Long => longs[lane as usize],
        })
        .collect()
}

fn run_lanes(op: WaveOp, ty: Ty, wave: &Wave, args: &[Lanes<'_>]) -> Vec<LaneMask> {
    let mut words = [[0u32; 128]; 4];
    let [a, b, c, d] = &mut words;
    let mut out = [LanesMut::Words(a), LanesMut::Words(b), LanesMut::Words(c), LanesMut::Words(d)];
    eval(op, ty, wave, args, &mut out);
    (0..wave.width as usize)
        .map(|lane| LaneMask::from_words(std::array::from_fn(|i| words[i][lane])))
        .collect()
}

/// Calls `check` for every width and mask, with a row of values.
fn everywhere(mut check: impl FnMut(Wave, &[u64])) {
    for width in [4, 8, 16, 32, 64, 128] {
        let mut random = Random::new(7 * u64::from(width));
        for active in masks(width) {
            let values: Vec<u64> = (0..width).map(|_| random.bits()).collect();
            check(wave(width, active), &values);
        }
    }
}

fn narrow(ty: Ty, values: &[u64]) -> Vec<u64> {
    values.iter().map(|value| value & u64::MAX >> (64 - ty.bits())).collect()
}

/// Integer folds in i128, truncated to the width of the type at the end.
fn fold(op: Fold, ty: Ty, values: impl Iterator<Item = u64>) -> Option<u64> {
    let bits = ty.bits();
    let wrap = |value: i128| value as u64 & u64::MAX >> (64 - bits);
    let signed = |value: u64| i128::from((value << (64 - bits)) as i64 >> (64 - bits));
    values.reduce(|a, b| match op {
        Fold::Sum => wrap(i128::from(a) + i128::from(b)),
        Fold::Product => wrap(i128::from(a).wrapping_mul(i128::from(b))),
        Fold::Min(Sign::Unsigned) => a.min(b),
        Fold::Max(Sign::Unsigned) => a.max(b),
        Fold::Min(Sign::Signed) => {
            if signed(a) < signed(b) {
                a
            } else {
                b
            }
        }
        Fold::Max(Sign::Signed) => {
            if signed(a) > signed(b) {
                a
            } else {
                b
            }
        }
        Fold::And => a & b,
        Fold::Or => a | b,
        Fold::Xor => a ^ b,
    })
}

const FOLDS: [Fold; 9] = [
    Fold::Sum,
    Fold::Product,
    Fold::Min(Sign::Signed),
    Fold::Min(Sign::Unsigned),
    Fold::Max(Sign::Signed),
    Fold::Max(Sign::Unsigned),
    Fold::And,
    Fold::Or,
    Fold::Xor,
];

fn with_lanes<R>(ty: Ty, values: &[u64], use_them: impl FnOnce(Lanes<'_>) -> R) -> R {
    match ty.repr() {
        wavelane_ops::Repr::Bit => use_them(Lanes::Bits(
            (0..values.len() as u32).filter(|i| values[*i as usize] & 1 == 1).collect(),
        )),
        wavelane_ops::Repr::Word => {
            use_them(Lanes::Words(&values.iter().map(|it| *it as u32).collect::<Vec<_>>()))
        }
        wavelane_ops::Repr::Long => use_them(Lanes::Longs(values)),
    }
}

#[test]
fn integer_reductions_and_scans_fold_the_participants() {
    everywhere(|wave, values| {
        for ty in [Ty::I16, Ty::I32, Ty::I64] {
            let values = narrow(ty, values);
            for op in FOLDS {
                let over =
                    |lanes: LaneMask| fold(op, ty, lanes.iter().map(|lane| values[lane as usize]));
                let (total, scan) = with_lanes(ty, &values, |lanes| {
                    (
                        run(WaveOp::Reduce(op), ty, &wave, &[lanes]),
                        run(WaveOp::Scan(op), ty, &wave, &[lanes]),
                    )
                });
                for lane in wave.active.iter() {
                    let below = wave.active & LaneMask::below(lane);
                    assert_eq!(
                        Some(total[lane as usize]),
                        over(wave.active),
                        "{op:?} {ty:?} {wave:?}"
                    );
                    let expected = over(below).unwrap_or(op.identity(ty));
                    assert_eq!(scan[lane as usize], expected, "{op:?} {ty:?} lane {lane} {wave:?}");
                }
            }
        }
    });
}

#[test]
fn multi_operations_fold_each_group_separately() {
    everywhere(|wave, values| {
        // Three groups, by the lane's value; the masks contain inactive lanes, which must not matter.
        let group = |lane: u32| -> LaneMask {
            (0..wave.width)
                .filter(|it| values[*it as usize] % 3 == values[lane as usize] % 3)
                .collect::<LaneMask>()
                | !LaneMask::first_n(wave.width)
        };
        let words: Vec<Vec<u32>> =
            (0..4).map(|i| (0..wave.width).map(|lane| group(lane).words()[i]).collect()).collect();
        let masks: Vec<Lanes<'_>> = words.iter().map(|it| Lanes::Words(it)).collect();
        let small: Vec<u32> = values.iter().map(|it| *it as u32).collect();
        let args = [&[Lanes::Words(&small)], &masks[..]].concat();
        for op in FOLDS {
            let own = run(WaveOp::MultiReduce(op), Ty::I32, &wave, &args);
            let exclusive = run(WaveOp::MultiScan(op), Ty::I32, &wave, &args);
            let inclusive = run(WaveOp::MultiScanInclusive(op), Ty::I32, &wave, &args);
            for lane in wave.active.iter() {
                let over = |lanes: LaneMask| {
                    let lanes = lanes & group(lane) & wave.active;
                    fold(op, Ty::I32, lanes.iter().map(|it| u64::from(small[it as usize])))
                        .unwrap_or(op.identity(Ty::I32))
                };
                let at = lane as usize;
                assert_eq!(own[at], over(LaneMask::ALL), "{op:?}");
                assert_eq!(exclusive[at], over(LaneMask::below(lane)), "{op:?}");
                assert_eq!(
                    inclusive[at],
                    over(LaneMask::below(lane) | LaneMask::only(lane)),
                    "{op:?}"
                );
            }
        }
        assert_eq!(hazards(WaveOp::MultiScan(Fold::Sum), &wave, &args).any(), LaneMask::EMPTY);
        let bits: LaneMask =
            (0..wave.width).filter(|lane| values[*lane as usize] & 8 == 8).collect();
        let args = [&[Lanes::Bits(bits)], &masks[..]].concat();
        let counts = run(WaveOp::MultiPrefixCountBits, Ty::Bool, &wave, &args);
        for lane in wave.active.iter() {
            let expected = (bits & group(lane) & wave.active & LaneMask::below(lane)).count();
            assert_eq!(counts[lane as usize], u64::from(expected));
        }
    });
}

#[test]
fn votes_ballots_and_counts_agree() {
    everywhere(|wave, values| {
        let bits: LaneMask =
            (0..wave.width).filter(|lane| values[*lane as usize] & 4 == 4).collect();
        let here = bits & wave.active;
        let args = [Lanes::Bits(bits)];
        let ballots = run_lanes(WaveOp::Ballot, Ty::Bool, &wave, &args);
        let any = run(WaveOp::AnyTrue, Ty::Bool, &wave, &args);
        let all = run(WaveOp::AllTrue, Ty::Bool, &wave, &args);
        let count = run(WaveOp::CountBits, Ty::Bool, &wave, &args);
        let prefix = run(WaveOp::PrefixCountBits, Ty::Bool, &wave, &args);
        let first = run(WaveOp::IsFirstLane, Ty::Bool, &wave, &[]);
        for lane in wave.active.iter() {
            let at = lane as usize;
            assert_eq!(ballots[at], here);
            assert_eq!(any[at] == 1, here.count() > 0);
            assert_eq!(all[at] == 1, here == wave.active);
            assert_eq!(count[at], u64::from(here.count()));
            assert_eq!(prefix[at], u64::from(here.iter().filter(|it| *it < lane).count() as u32));
            assert_eq!(first[at] == 1, wave.active.iter().all(|it| it >= lane));
        }
    });
}

#[test]
fn reads_of_inactive_lanes_give_zero_and_poison() {
    everywhere(|wave, values| {
        let value: Vec<u32> = values.iter().map(|it| *it as u32 | 1).collect();
        let index: Vec<u32> =
            values.iter().map(|it| (it >> 33) as u32 % (wave.width + 2)).collect();
        let args = [Lanes::Words(&value), Lanes::Words(&index)];
        let got = run(WaveOp::ReadLaneAt, Ty::I32, &wave, &args);
        let bad = poison(WaveOp::ReadLaneAt, &wave, &args, &[LaneMask::EMPTY; 2]);
        let found = hazards(WaveOp::ReadLaneAt, &wave, &args);
        for lane in wave.active.iter() {
            let source = index[lane as usize];
            let valid = wave.active.contains(source);
            let expected = if valid { value[source as usize] } else { 0 };
            assert_eq!(got[lane as usize], u64::from(expected));
            assert_eq!(bad.contains(lane), !valid);
            assert_eq!(found.index_out_of_range.contains(lane), source >= wave.width);
            assert_eq!(found.inactive_source.contains(lane), source < wave.width && !valid);
        }
        let first = run(WaveOp::ReadLaneFirst, Ty::I32, &wave, &args[..1]);
        for lane in wave.active.iter() {
            assert_eq!(
                first[lane as usize],
                u64::from(value[wave.active.first().unwrap() as usize])
            );
        }
    });
}

#[test]
fn matching_lanes_hold_the_same_bits_in_all_components() {
    everywhere(|wave, values| {
        let a: Vec<u32> = values.iter().map(|it| (it >> 7) as u32 % 3).collect();
        let b: Vec<u32> = values.iter().map(|it| (it >> 11) as u32 % 2).collect();
        let got = run_lanes(WaveOp::Match, Ty::I32, &wave, &[Lanes::Words(&a), Lanes::Words(&b)]);
        for lane in wave.active.iter() {
            let same = |it: &u32| {
                (a[*it as usize], b[*it as usize]) == (a[lane as usize], b[lane as usize])
            };
            assert_eq!(got[lane as usize], wave.active.iter().filter(same).collect());
        }
    });
}

#[test]
fn quads_read_their_neighbours_or_themselves() {
    everywhere(|wave, values| {
        let value: Vec<u32> = values.iter().map(|it| *it as u32).collect();
        for (direction, across) in
            [(QuadDirection::X, 1), (QuadDirection::Y, 2), (QuadDirection::Diagonal, 3)]
        {
            let got = run(WaveOp::QuadRead(direction), Ty::I32, &wave, &[Lanes::Words(&value)]);
            for lane in wave.active.iter() {
                let source = if wave.active.contains(lane ^ across) { lane ^ across } else { lane };
                assert_eq!(got[lane as usize], u64::from(value[source as usize]));
            }
        }
    });
}

/// Spec: halves are added to each other, with -0.0 in the lanes that do not participate.
#[test]
fn float_sums_follow_the_canonical_tree() {
    let wave = wave(8, LaneMask(0b1011_0111));
    let values = [1e8f32, 3.25, -1e8, 9.0, 0.5, 1e-3, 7.0, 2.5];
    let bits: Vec<u32> = values.iter().map(|it| it.to_bits()).collect();
    let x = |lane: usize| if wave.active.contains(lane as u32) { values[lane] } else { -0.0 };
    let step = |i: usize| x(i) + x(i + 4);
    let expected = (step(0) + step(2)) + (step(1) + step(3));
    let got = run(WaveOp::Reduce(Fold::Sum), Ty::F32, &wave, &[Lanes::Words(&bits)]);
    assert_eq!(got[0], u64::from(expected.to_bits()));
}

#[test]
fn float_corner_cases_are_defined() {
    let nan = f32::from_bits(0x7fc0_1234);
    let full = |values: [f32; 4], active: u128, op: WaveOp| {
        let bits: Vec<u32> = values.iter().map(|it| it.to_bits()).collect();
        run(op, Ty::F32, &wave(4, LaneMask(active)), &[Lanes::Words(&bits)])
    };
    let bits = |value: f32| u64::from(value.to_bits());
    // A number beats NaN, -0 is below +0, and a lone NaN becomes canonical.
    assert_eq!(
        full([nan, 2.0, 1.0, nan], 15, WaveOp::Reduce(Fold::Min(Sign::Signed)))[0],
        bits(1.0)
    );
    assert_eq!(
        full([nan, nan, nan, nan], 15, WaveOp::Reduce(Fold::Max(Sign::Signed)))[0],
        0x7fc0_0000
    );
    assert_eq!(
        full([0.0, nan, 0.0, 0.0], 2, WaveOp::Reduce(Fold::Max(Sign::Signed)))[1],
        0x7fc0_0000
    );
    assert_eq!(
        full([0.0, -0.0, 0.0, 0.0], 15, WaveOp::Reduce(Fold::Min(Sign::Signed)))[0],
        bits(-0.0)
    );
    // A lone -0 survives a sum; the lowest lane of a scan receives +0.
    assert_eq!(full([0.0, -0.0, 0.0, 0.0], 2, WaveOp::Reduce(Fold::Sum))[1], bits(-0.0));
    assert_eq!(full([-0.0; 4], 15, WaveOp::Scan(Fold::Sum))[0], bits(0.0));
    // Higher lanes, and the lane's own value, do not affect an exclusive scan.
    assert_eq!(full([1.0, f32::INFINITY, nan, 1.0], 15, WaveOp::Scan(Fold::Sum))[1], bits(1.0));
    // NaN is not equal to anything, not even to itself; both zeros are equal; matching compares bits.
    assert_eq!(full([nan; 4], 1, WaveOp::AllEqual)[0], 0);
    assert_eq!(full([0.0, -0.0, 0.0, 0.0], 15, WaveOp::AllEqual)[0], 1);
    let zeros: Vec<u32> = [0.0f32, -0.0, nan, nan].iter().map(|it| it.to_bits()).collect();
    let groups = run_lanes(WaveOp::Match, Ty::F32, &wave(4, LaneMask(15)), &[Lanes::Words(&zeros)]);
    assert_eq!(groups, [LaneMask(1), LaneMask(2), LaneMask(12), LaneMask(12)]);
}

/// Rotation stays in its cluster, and the distance may exceed the cluster size.
#[test]
fn rotations_wrap() {
    let value: Vec<u32> = (0..8).collect();
    let distance = [3u32, 3, 3, 3, 9, 9, 9, u32::MAX];
    let cluster = [4u32; 8];
    let all = wave(8, LaneMask(255));
    let whole =
        run(WaveOp::Rotate, Ty::I32, &all, &[Lanes::Words(&value), Lanes::Words(&distance)]);
    assert_eq!(whole, [3, 4, 5, 6, 5, 6, 7, 6]);
    let args = [Lanes::Words(&value), Lanes::Words(&distance), Lanes::Words(&cluster)];
    assert_eq!(run(WaveOp::ClusteredRotate, Ty::I32, &all, &args), [3, 0, 1, 2, 5, 6, 7, 6]);
}

/// Helpers see what an observer would, and participate if no other lane is active.
#[test]
fn helpers_participate_only_if_no_other_lane_is_active() {
    let value = [1u32, 2, 4, 8];
    let mixed = Wave { helpers: LaneMask(0b0100), ..wave(4, LaneMask(0b1110)) };
    let sum = |wave: &Wave| run(WaveOp::Reduce(Fold::Sum), Ty::I32, wave, &[Lanes::Words(&value)]);
    assert_eq!(sum(&mixed), [10, 10, 10, 10]);
    assert_eq!(run(WaveOp::IsFirstLane, Ty::Bool, &mixed, &[]), [0, 1, 0, 0]);
    let alone = Wave { helpers: LaneMask(0b0110), ..wave(4, LaneMask(0b0110)) };
    assert_eq!(sum(&alone)[1], 6);
    assert_eq!(run(WaveOp::IsFirstLane, Ty::Bool, &alone, &[]), [0, 1, 0, 0]);
}

#[test]
fn poison_reaches_exactly_the_lanes_whose_result_depends_on_it() {
    let value = [1u32; 8];
    let args = [Lanes::Words(&value)];
    let wave = wave(8, LaneMask(0b1111_0111));
    let of = |op, bad: u128| poison(op, &wave, &args, &[LaneMask(bad)]);
    // Lane 3 is not active: its poison affects no other lane.
    assert_eq!(of(WaveOp::Reduce(Fold::Sum), 0b1000), LaneMask::EMPTY);
    assert_eq!(of(WaveOp::Reduce(Fold::Sum), 0b0001), wave.active);
    assert_eq!(of(WaveOp::Scan(Fold::Sum), 0b1_0000), LaneMask(0b1110_0000));
    assert_eq!(of(WaveOp::ReadLaneFirst, 0b10), LaneMask::EMPTY);
    assert_eq!(of(WaveOp::ReadLaneFirst, 0b01), wave.active);
    // Lanes 1 and 2 of the first quad: the neighbour of lane 2, lane 3, is missing.
    assert_eq!(of(WaveOp::QuadRead(QuadDirection::X), 0b01), LaneMask(0b0110));
}
