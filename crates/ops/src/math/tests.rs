//! The mathematical functions at their hardest arguments, at their special cases, and against integer arithmetic.
//!
//! Samples of the whole range are in `tests/accuracy`. The search through all arguments takes minutes and is not
//! repeated here: the rows below are the hardest ones it found.

use super::*;

const NAN: u32 = 0x7fc0_0000;
const INF: f32 = f32::INFINITY;
const PI: f32 = std::f32::consts::PI;

type One = fn(f32) -> f32;
type Two = fn(f32, f32) -> f32;
type Corners = &'static [(f32, f32)];

#[test]
fn functions_of_one_argument_are_correctly_rounded() {
    // The worst error over these rows is thus below half a unit of the last place.
    let functions: [(&str, One, &[u32]); 15] = [
        ("sin", sin, &SIN_ROWS),
        ("cos", cos, &COS_ROWS),
        ("tan", tan, &TAN_ROWS),
        ("asin", asin, &ASIN_ROWS),
        ("acos", acos, &ACOS_ROWS),
        ("atan", atan, &ATAN_ROWS),
        ("sinh", sinh, &SINH_ROWS),
        ("cosh", cosh, &COSH_ROWS),
        ("tanh", tanh, &TANH_ROWS),
        ("exp", exp, &EXP_ROWS),
        ("exp2", exp2, &EXP2_ROWS),
        ("log", log, &LOG_ROWS),
        ("log2", log2, &LOG2_ROWS),
        ("log10", log10, &LOG10_ROWS),
        ("rsqrt", rsqrt, &RSQRT_ROWS),
    ];
    for (name, function, rows) in functions {
        for row in rows.chunks_exact(2) {
            let [x, expected] = [row[0], row[1]];
            let got = function(f32::from_bits(x)).to_bits();
            assert_eq!(
                got,
                expected,
                "{name} of {:e}: {got:#x} instead of {expected:#x}",
                f32::from_bits(x)
            );
        }
    }
}

#[test]
fn functions_of_two_arguments_are_correctly_rounded() {
    let functions: [(&str, Two, &[u32]); 2] =
        [("atan2", atan2, &ATAN2_ROWS), ("pow", pow, &POW_ROWS)];
    for (name, function, rows) in functions {
        for row in rows.chunks_exact(3) {
            let ([a, b], expected) = ([f32::from_bits(row[0]), f32::from_bits(row[1])], row[2]);
            let got = function(a, b).to_bits();
            assert_eq!(got, expected, "{name} of {a:e}, {b:e}: {got:#x} instead of {expected:#x}");
        }
    }
}

#[test]
fn special_cases_of_one_argument() {
    let rows: [(&str, One, Corners); 15] = [
        (
            "sin",
            sin,
            &[(0.0, 0.0), (-0.0, -0.0), (INF, f32::NAN), (-INF, f32::NAN), (1e-45, 1e-45)],
        ),
        ("cos", cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, f32::NAN), (-INF, f32::NAN), (1e-45, 1.0)]),
        (
            "tan",
            tan,
            &[(0.0, 0.0), (-0.0, -0.0), (INF, f32::NAN), (-INF, f32::NAN), (-1e-45, -1e-45)],
        ),
        (
            "asin",
            asin,
            &[
                (0.0, 0.0),
                (-0.0, -0.0),
                (1.0, PI / 2.0),
                (-1.0, -PI / 2.0),
                (1.0000001, f32::NAN),
                (-INF, f32::NAN),
            ],
        ),
        (
            "acos",
            acos,
            &[
                (1.0, 0.0),
                (0.0, PI / 2.0),
                (-0.0, PI / 2.0),
                (-1.0, PI),
                (-1.0000001, f32::NAN),
                (INF, f32::NAN),
            ],
        ),
        (
            "atan",
            atan,
            &[(0.0, 0.0), (-0.0, -0.0), (INF, PI / 2.0), (-INF, -PI / 2.0), (1.0, PI / 4.0)],
        ),
        (
            "sinh",
            sinh,
            &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (90.0, INF), (-90.0, -INF)],
        ),
        (
            "cosh",
            cosh,
            &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (90.0, INF), (-90.0, INF)],
        ),
        (
            "tanh",
            tanh,
            &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (10.0, 1.0), (-10.0, -1.0)],
        ),
        (
            "exp",
            exp,
            &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (89.0, INF), (-104.0, 0.0)],
        ),
        (
            "exp2",
            exp2,
            &[(-0.0, 1.0), (INF, INF), (-INF, 0.0), (128.0, INF), (-149.0, 1e-45), (-150.0, 0.0)],
        ),
        (
            "log",
            log,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (INF, INF),
                (-1e-45, f32::NAN),
                (-INF, f32::NAN),
            ],
        ),
        (
            "log2",
            log2,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (INF, INF),
                (-1e-45, f32::NAN),
                (1e-45, -149.0),
            ],
        ),
        (
            "log10",
            log10,
            &[
                (1.0, 0.0),
                (0.0, -INF),
                (-0.0, -INF),
                (INF, INF),
                (-1.0, f32::NAN),
                (1e3, 3.0),
                (1e10, 10.0),
            ],
        ),
        (
            "rsqrt",
            rsqrt,
            &[
                (0.0, INF),
                (-0.0, -INF),
                (INF, 0.0),
                (-1e-45, f32::NAN),
                (-INF, f32::NAN),
                (4.0, 0.5),
            ],
        ),
    ];
    for (name, function, rows) in rows {
        for &(x, expected) in rows {
            assert_same(function(x), expected, &format!("{name}({x:?})"));
        }
        for bits in [0x7f80_0001, 0xff80_0001, 0xffc1_2345, NAN] {
            assert_eq!(
                function(f32::from_bits(bits)).to_bits(),
                NAN,
                "{name} of the NaN {bits:#x}"
            );
        }
    }
}

#[test]
fn atan2_has_the_special_cases_of_c() {
    let (quarter, half) = (PI / 4.0, PI / 2.0);
    let three_quarters = (0.75 * std::f64::consts::PI) as f32;
    let rows = [
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, -0.0, PI),
        (0.0, -1.0, PI),
        (0.0, INF, 0.0),
        (0.0, -INF, PI),
        (1.0, 0.0, half),
        (1.0, -0.0, half),
        (1.0, 1.0, quarter),
        (1.0, -1.0, three_quarters),
        (1.0, INF, 0.0),
        (1.0, -INF, PI),
        (1e-45, f32::MAX, 0.0),
        (f32::MAX, 1e-45, half),
        (INF, 0.0, half),
        (INF, -1.0, half),
        (INF, INF, quarter),
        (INF, -INF, three_quarters),
    ];
    for (y, x, expected) in rows {
        assert_same(atan2(y, x), expected, &format!("atan2({y:?}, {x:?})"));
        assert_same(atan2(-y, x), -expected, &format!("atan2({:?}, {x:?})", -y));
    }
    for (y, x) in [(f32::NAN, 1.0), (1.0, f32::NAN), (-f32::NAN, INF), (INF, -f32::NAN)] {
        assert_eq!(atan2(y, x).to_bits(), NAN, "atan2({y:?}, {x:?})");
    }
}

#[test]
fn pow_has_the_special_cases_of_exp2_of_y_times_log2_of_x() {
    let nan = f32::NAN;
    let rows = [
        (2.0, 0.0, 1.0),
        (1e-45, -0.0, 1.0),
        (1.0, 1e38, 1.0),
        (0.0, 2.0, 0.0),
        (-0.0, 3.0, 0.0),
        (0.0, -2.0, INF),
        (-0.0, -3.0, INF),
        (INF, 0.5, INF),
        (INF, -0.5, 0.0),
        (2.0, INF, INF),
        (2.0, -INF, 0.0),
        (0.5, INF, 0.0),
        (0.5, -INF, INF),
        (0.0, INF, 0.0),
        (0.0, -INF, INF),
        (INF, INF, INF),
        (INF, -INF, 0.0),
        (f32::MAX, f32::MAX, INF),
        (f32::MAX, -f32::MAX, 0.0),
        (0.0, 0.0, nan),
        (0.0, -0.0, nan),
        (INF, 0.0, nan),
        (1.0, INF, nan),
        (1.0, -INF, nan),
        (-1.0, 2.0, nan),
        (-1e-45, 0.0, nan),
        (-INF, 1.0, nan),
        (nan, 0.0, nan),
        (1.0, nan, nan),
        (-nan, -nan, nan),
    ];
    for (x, y, expected) in rows {
        assert_same(pow(x, y), expected, &format!("pow({x:?}, {y:?})"));
    }
}

/// Compares bits; any expected NaN means the canonical one.
fn assert_same(got: f32, expected: f32, what: &str) {
    let expected = if expected.is_nan() { NAN } else { expected.to_bits() };
    assert_eq!(got.to_bits(), expected, "{what} is {got:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "powers of two are exact on every host")]
fn powers_of_two_are_exact_in_both_directions() {
    for power in -149..=127 {
        let (exponent, value) = (power as f32, 2f64.powi(power) as f32);
        assert_eq!(exp2(exponent), value, "exp2({power})");
        assert_eq!(log2(value), exponent, "log2(2^{power})");
        assert_eq!(pow(2.0, exponent), value, "pow(2, {power})");
        assert_eq!(pow(value, 1.0), value, "pow(2^{power}, 1)");
    }
}

#[test]
fn integral_powers_of_integers_round_like_integer_casts() {
    // An independent definition: casting an integer rounds to nearest, ties to even, and ties are frequent here.
    for base in 2..5_000_u32 {
        let mut exact = u128::from(base);
        for exponent in 2..=15_u8 {
            let Some(next) = exact.checked_mul(u128::from(base)) else { break };
            exact = next;
            assert_eq!(pow(base as f32, f32::from(exponent)), exact as f32, "{base}^{exponent}");
        }
    }
}

#[test]
fn square_roots_of_squares_and_their_cubes_are_exact() {
    for root in 1..4096_u16 {
        let (root, square) = (f32::from(root), f32::from(root) * f32::from(root));
        assert_eq!(pow(square, 0.5), root);
        assert_eq!(rsqrt(square), 1.0 / root);
        assert_eq!(pow(square, -0.5), 1.0 / root);
        assert_eq!(pow(square, 1.5), (f64::from(square) * f64::from(root)) as f32);
    }
}

#[test]
fn rsqrt_is_the_nearest_by_integer_arithmetic() {
    // An odd step visits both parities of the exponent and all parts of the fraction.
    for bits in (0x3f80_0000..0x4080_0000).step_by(997) {
        let x = f32::from_bits(bits);
        // x = significand · 2^-23 or · 2^-22, and the result has the form n · 2^-24 or, for x = 1, is 1.
        let scaled = u128::from((f64::from(x) * 8_388_608.0) as u64);
        let result = u128::from((f64::from(rsqrt(x)) * 16_777_216.0) as u64);
        // (2 n ± 1)² x against 1, that is against 2^(2 · 25 + 23).
        let below = (2 * result - 1).pow(2) * scaled;
        let above = (2 * result + 1).pow(2) * scaled;
        assert!(below < 1 << 73 && above > 1 << 73, "rsqrt({x:e})");
    }
}

#[test]
fn monotone_functions_are_monotone() {
    // Neighbours across the range, and runs of them where the functions are flat.
    let starts =
        (0..0x7f80_0000_u32).step_by(0x000f_fff1).chain([0x3980_0000, 0x3f7f_ff00, 0x4110_0000]);
    let samples: Vec<f32> =
        starts.flat_map(|start| start..(start + 64).min(0x7f80_0000)).map(f32::from_bits).collect();
    let rising: [(&str, One); 11] = [
        ("asin", asin),
        ("atan", atan),
        ("sinh", sinh),
        ("tanh", tanh),
        ("exp", exp),
        ("exp2", exp2),
        ("log", log),
        ("log2", log2),
        ("log10", log10),
        ("-acos", |x| -acos(x)),
        ("-rsqrt", |x| -rsqrt(x)),
    ];
    for (name, function) in rising {
        for &x in &samples {
            let (low, high) = (function(x), function(x.next_up()));
            assert!(low <= high || high.is_nan(), "{name} falls at {x:e}");
            let (low, high) = (function(-x.next_up()), function(-x));
            assert!(low <= high || low.is_nan(), "{name} falls at -{x:e}");
        }
    }
}

#[test]
fn symmetric_functions_are_symmetric() {
    let odd: [(&str, One); 6] = [
        ("sin", sin),
        ("tan", tan),
        ("asin", asin),
        ("atan", atan),
        ("sinh", sinh),
        ("tanh", tanh),
    ];
    for bits in (0..0x7f80_0000_u32).step_by(0x0003_fff1) {
        let x = f32::from_bits(bits);
        for (name, function) in odd {
            assert_same(function(-x), -function(x), &format!("{name}(-{x:e})"));
        }
        assert_same(cos(-x), cos(x), &format!("cos(-{x:e})"));
        assert_same(cosh(-x), cosh(x), &format!("cosh(-{x:e})"));
    }
}

// Arguments and correctly rounded results as bits, computed with 400 bits of precision by another program.
// The first rows of each function are the hardest: their results are nearest to halfway between two f32.
// The others sample the range.

const SIN_ROWS: [u32; 88] = [
    0x73243f06, 0x3e943a84, 0x55cafb2a, 0xbf7e7a17, 0x67a9242b, 0xbf7fab81, 0x4371ade3, 0x3e62da56,
    0x5f208d82, 0x3f2c7688, 0x7a5aacdb, 0x3eda83bb, 0x6446cec0, 0xbf6995bd, 0x79d1f6d3, 0xbf7a88ee,
    0x61dfc847, 0xbf0094df, 0x5dadd689, 0xbf74fc9e, 0x4fb56937, 0xbf7ffcb7, 0x653cee8f, 0x3f30df39,
    0x7a817b08, 0x3e1b493e, 0x6d734599, 0xbf5b5135, 0x3ef3830f, 0x3eea6f45, 0x45a8abb3, 0x3e51ade2,
    0xc2bde2c9, 0xbf23f85c, 0x3897e8ef, 0x3897e8ef, 0x426e1f2b, 0x3e22f67e, 0xbdf5bb47, 0xbdf52472,
    0x397c5a7b, 0x397c5a7b, 0xba58c11b, 0xba58c119, 0x400126f6, 0x3f66d319, 0xba1748b9, 0xba1748b8,
    0x3e18a462, 0x3e1813d4, 0x422ea03e, 0xbea3e11e, 0x4d936ce3, 0xbe40d1f8, 0x3ea8d8b3, 0x3ea5cd79,
    0x3f9888b6, 0x3f6dd23b, 0x3a13f21d, 0x3a13f21c, 0xc9261eff, 0xbf1e8a1c, 0x4240a74d, 0xbf5cb598,
    0x42004f42, 0x3f1d417b, 0xe3d17511, 0xbf7d4c46, 0xcd8f80ec, 0xbf65308e, 0xc293832c, 0x3f7f59ce,
    0xb8f79a15, 0xb8f79a15, 0xc18df0a4, 0x3f64f674, 0xba7c3002, 0xba7c2fff, 0x4e08b8ca, 0x3f31405e,
    0xc20ff7ad, 0x3f7d9ee6, 0xc90d9613, 0x3f3a88fc, 0xba77a47a, 0xba77a478, 0x8851eb5a, 0x8851eb5a,
];

const COS_ROWS: [u32; 88] = [
    0x59443c0a, 0x3f425f62, 0x7a4b1a27, 0x3f7c54da, 0x7908cd73, 0x3f798bb5, 0x61703976, 0x3edacc56,
    0x3c107fe6, 0x3f7ffd74, 0x55e5235d, 0xbe83c11a, 0x39800000, 0x3f800000, 0x424790ce, 0x3f6e4c01,
    0x3a544395, 0x3f7ffffb, 0x4a01dca4, 0x3f30b318, 0x7a38ab34, 0x3f7b3195, 0x52d9d3fe, 0xbf5e187b,
    0x42378db8, 0xbea87a07, 0x7c69ae1e, 0xbf7ff9fe, 0x4986afee, 0x3f090d16, 0x47a0e238, 0x3f7e19dd,
    0x27a136e6, 0x3f800000, 0xe934d4d3, 0xbef86311, 0x31619d28, 0x3f800000, 0xc0a6090b, 0x3eeab5d5,
    0xbffa3b8f, 0xbebfe18f, 0xc01d5589, 0xbf4688ef, 0x3fa2fa98, 0x3e96183e, 0xc79d909f, 0xbf75b6c5,
    0xcd84d410, 0xbf00eb7c, 0xc952efe1, 0xbf6c884d, 0x4970d647, 0xbef1178c, 0xc969d277, 0xbef3fb70,
    0x3ef7e324, 0x3f6293dc, 0x39fe4299, 0x3f7ffffe, 0xc1f2c73b, 0x3ef66e76, 0x4db05fe5, 0x3f4f4856,
    0x400d69c1, 0xbf18a1d2, 0x4e1c3d0a, 0xbf6040be, 0x495b9d71, 0xbe20b10a, 0x6620b4d2, 0xbf1c722b,
    0xc8c2d7de, 0x3f7e1a45, 0xb341b444, 0x3f800000, 0xba810ff6, 0x3f7ffff8, 0xb9b2493b, 0x3f7fffff,
    0x3a149434, 0x3f7ffffd, 0xc27a214b, 0x3f749db1, 0xbffb85cd, 0xbec4a7bd, 0x42bf5c5d, 0x3e0d0b9c,
];

const TAN_ROWS: [u32; 88] = [
    0x5ffd33a4, 0x3fd06c8c, 0x5d5873ae, 0x3ea6bfed, 0x408174dd, 0x3fa29b31, 0x7dae7426, 0x3f4ac6db,
    0x7714b423, 0x3fe83698, 0x453c5846, 0x3f64fa0e, 0x575852f8, 0xbfc0e1da, 0x77cda26b, 0x3f882b34,
    0x3e19205e, 0x3e1a4733, 0x40e67f59, 0x3fa80c88, 0x76eb0bdc, 0x4019eb75, 0x79c42c65, 0x3fa2e336,
    0x451e0885, 0xbef714d6, 0x7a98d2c2, 0x3f4aef73, 0x39b89ba2, 0x39b89ba2, 0x68058f5d, 0x3e9076c9,
    0x47f018f9, 0xbf25fb04, 0xc8ea97e2, 0xbe217745, 0xbea76c98, 0xbeada893, 0x4245b48f, 0xbf8e8f00,
    0x4bb7a8d9, 0xbf0a6fc7, 0x4daccd26, 0xbf0f9e55, 0xba46be1d, 0xba46be1f, 0xee816f4a, 0x3f2b12b2,
    0x42552353, 0xbdfc4e6c, 0x429bc186, 0xbf477066, 0xcd9d8423, 0x3fec0b43, 0x402515bc, 0xbf214380,
    0xe6d3637f, 0xbf306ef4, 0x4deb37f3, 0x3f922cb9, 0xba4f1faa, 0xba4f1fad, 0x400dd418, 0xbfaa09b0,
    0x4945688e, 0xc0a91a45, 0xc2bf4527, 0xc0ac69b5, 0xbea75fd0, 0xbead9a53, 0x41b697ff, 0x3f8cd31a,
    0xce4869da, 0x3fb627d5, 0x2c086b08, 0x2c086b08, 0xba5acc55, 0xba5acc58, 0x493eff4a, 0xbfe4d36f,
    0xc9590be2, 0x41218c1f, 0xaa8fec7d, 0xaa8fec7d, 0xb2aad600, 0xb2aad600, 0xf930a4f7, 0xbe422c78,
];

const ASIN_ROWS: [u32; 88] = [
    0x3f083a1a, 0x3f0fa5b2, 0x3de5fa1e, 0x3de6768e, 0x3d07959c, 0x3d079bf3, 0x3d09bf86, 0x3d09c62d,
    0x39e89768, 0x39e89769, 0xbdae1570, 0xbdae4b47, 0xbe973f7a, 0xbe9989f4, 0x3e9c9012, 0x3e9f1c89,
    0x2a10af07, 0x2a10af07, 0xbe8c74fc, 0xbe8e47fb, 0x3c02f777, 0x3c02f7d2, 0x3bac8cd2, 0x3bac8d06,
    0xb7caa2df, 0xb7caa2df, 0xbc655319, 0xbc655504, 0xbec38085, 0xbec89834, 0xb563736e, 0xb563736e,
    0x3f72e7f7, 0x3f9ff23a, 0x34efdb41, 0x34efdb41, 0x3e8825ae, 0x3e89ce13, 0x3c0f001f, 0x3c0f0096,
    0xbbfe4ade, 0xbbfe4b85, 0x3e726daa, 0x3e74c08b, 0x3b55a2bb, 0x3b55a2d4, 0x3231852d, 0x3231852d,
    0xbb22da6e, 0xbb22da79, 0x3ba65e23, 0x3ba65e52, 0x3b913e5f, 0x3b913e7e, 0xbeb156d2, 0xbeb51762,
    0x207f01a8, 0x207f01a8, 0x3f761dcb, 0x3fa560d1, 0xbed70a3a, 0xbeddec88, 0xbb8091e9, 0xbb8091ff,
    0xbe5b4f35, 0xbe5d0584, 0x3f645804, 0x3f8d03d7, 0x3ef08361, 0x3efa5f8c, 0x3f124d23, 0x3f1bbad9,
    0x0e0dba1a, 0x0e0dba1a, 0xbb828035, 0xbb82804c, 0xbda5575c, 0xbda5857a, 0x95b41434, 0x95b41434,
    0x3f28c572, 0x3f38474c, 0xbb5d7f95, 0xbb5d7fb1, 0x3b7be251, 0x3b7be27a, 0xbf4191cf, 0xbf5b7d4f,
];

const ACOS_ROWS: [u32; 88] = [
    0xbc406ccd, 0x3fca90b6, 0x3c8a2f9b, 0x3fc6e716, 0xba9d5f75, 0x3fc93733, 0x3b7d281b, 0x3fc89147,
    0xbe668cd1, 0x3fe62141, 0xba66deed, 0x3fc92cb6, 0x3a6a490f, 0x3fc8f292, 0xbe6dff37, 0x3fe7160b,
    0xbef8c111, 0x40050013, 0x3f22ce4a, 0x3f61ace1, 0xbe0a77e9, 0x3fda6c75, 0x365fa59f, 0x3fc90fbf,
    0x3f33f619, 0x3f4a8dc9, 0xacd3a3b4, 0x3fc90fdb, 0x3f075d07, 0x3f81bf66, 0xb94c5a59, 0x3fc9163d,
    0x3bcfe4a5, 0x3fc83ff6, 0xbbc7499f, 0x3fc9d725, 0xbf6e6f69, 0x40313755, 0xbf7f456a, 0x40443b3b,
    0xbf4f93fb, 0x40210cbc, 0x3ef02905, 0x3f8a918d, 0xbf0672d8, 0x4007eb44, 0x3f50784b, 0x3f1e84bd,
    0x3e1475bf, 0x3fb67055, 0x3e0a81e8, 0x3fb7b1fd, 0xbf04bac2, 0x40076a4b, 0xbe83a4e6, 0x3fea58c9,
    0x06cd5047, 0x3fc90fdb, 0xaa044029, 0x3fc90fdb, 0x3e19992c, 0x3fb5ca16, 0xbefb8139, 0x400564f3,
    0xbe4f348a, 0x3fe32486, 0xbc0921d6, 0x3fca221f, 0xbf372283, 0x40178c80, 0x37b6e443, 0x3fc90f24,
    0x3f4ca4c5, 0x3f24ff29, 0xbb968db5, 0x3fc9a668, 0x803b5ac1, 0x3fc90fdb, 0x3f7c7ee9, 0x3e299ffa,
    0x3c8d1802, 0x3fc6db73, 0xbe36922b, 0x3fe00187, 0x855e7683, 0x3fc90fdb, 0x3dfe22bd, 0x3fb9232d,
];

const ATAN_ROWS: [u32; 88] = [
    0x3ad637fa, 0x3ad637ee, 0x3b7c1bc9, 0x3b7c1b78, 0x4c700518, 0x3fc90fdb, 0x40357f1d, 0x3f9dab29,
    0x4c700517, 0x3fc90fda, 0x3a27ba3b, 0x3a27ba3a, 0x3aac434b, 0x3aac4344, 0x3ee06db1, 0x3ed38381,
    0x48b90f72, 0x3fc90fc4, 0x4a2367a3, 0x3fc90fd7, 0xbdd86830, 0xbdd79b5e, 0xcb1c4954, 0xbfc90fda,
    0x3df57855, 0x3df44dfa, 0x3e6fdadc, 0x3e6b9b7a, 0x3fe3f29f, 0x3f8791fa, 0xe1d4f445, 0xbfc90fdb,
    0x93219bcd, 0x93219bcd, 0x3efbe185, 0x3eea14ec, 0x5deeddce, 0x3fc90fdb, 0x4013e38f, 0x3f94c8a8,
    0x3ea93fa3, 0x3ea3757e, 0xbf142532, 0xbf064c82, 0xc2c01b0b, 0xbfc7bab9, 0xc77dd222, 0xbfc90f5a,
    0x3e80404d, 0x3e7b54b6, 0xa1c3f73e, 0xa1c3f73e, 0x3e993ea8, 0x3e94e660, 0xbe870648, 0xbe8404ce,
    0x2047e0a4, 0x2047e0a4, 0x41cb21fe, 0x3fc40604, 0x3ffa10e0, 0x3f8c817e, 0xec3a5e3d, 0xbfc90fdb,
    0x748a2bee, 0x3fc90fdb, 0x3e7cb66a, 0x3e77c302, 0xbe75a3a8, 0xbe71157b, 0xc27c3fb1, 0xbfc70849,
    0x87c3bd72, 0x87c3bd72, 0x3e8dc270, 0x3e8a4b8e, 0xc28f3ad6, 0xbfc74653, 0x3bb1005b, 0x3bb0ffea,
    0xbf86fa68, 0xbf4fda73, 0x823d9609, 0x823d9609, 0x3ea7ea41, 0x3ea24180, 0xff3a4f34, 0xbfc90fdb,
];

const SINH_ROWS: [u32; 88] = [
    0x3b36aa1f, 0x3b36aa2f, 0x3f7df258, 0x3f94d8aa, 0x3d09c4d8, 0x3d09cb7f, 0x419350fb, 0x4c3d9143,
    0xbf14db60, 0xbf1d6363, 0xc2ab7a69, 0xfccf446f, 0x42a26311, 0x798ccb50, 0x41275ba2, 0x46884710,
    0x8196e30e, 0x8196e30e, 0xab9f23c3, 0xab9f23c3, 0xc28c59ea, 0xf19760b5, 0x943a9f6a, 0x943a9f6a,
    0x41a0f614, 0x4d8270c6, 0x07aec1e6, 0x07aec1e6, 0x4168c259, 0x497dcc09, 0xc215e2f6, 0xda05731b,
    0x37ad9eba, 0x37ad9eba, 0x42a7b514, 0x7b7ba63e, 0xbe8fafbf, 0xbe91947c, 0xc27f3ffb, 0xed059db7,
    0xc2486707, 0xe31b6821, 0xc2945985, 0xf4810a51, 0x3f4fdcc2, 0x3f677798, 0xc16ac004, 0xc98fb687,
    0x1cdae5a9, 0x1cdae5a9, 0xc153ecd8, 0xc88a0ab8, 0x3f69729f, 0x3f85965c, 0xc11f8b41, 0xc6273f0a,
    0x421695c3, 0x5a1ee8ce, 0xc2401d1f, 0xe19c8a50, 0x23ab28a3, 0x23ab28a3, 0xbe2b5934, 0xbe2c2632,
    0x41282f11, 0x468f7f34, 0xc119b530, 0xc5e8423f, 0x9b5ae61f, 0x9b5ae61f, 0xc0b46771, 0xc30c6563,
    0xbea379af, 0xbea64460, 0x418edcbb, 0x4bd9447b, 0x98806a75, 0x98806a75, 0xc1029135, 0xc4dabc3a,
    0x3eff0cfb, 0x3f04dd8b, 0x41e57b7b, 0x53a70ca0, 0x40309970, 0x40fb9fac, 0x19959ef2, 0x19959ef2,
];

const COSH_ROWS: [u32; 88] = [
    0x3a6f7750, 0x3f800004, 0x3d609528, 0x3f803145, 0x3a87c3b6, 0x3f800004, 0x3b43f588, 0x3f800026,
    0x4198ffda, 0x4cc0dd1e, 0xbe024d0b, 0x3f8109a5, 0xc19b2dc3, 0x4cfd418c, 0x3ec87574, 0x3f89efbb,
    0x429e0dc9, 0x78010c01, 0xbf4879b6, 0x3fa94bb1, 0x3f05b9c1, 0x3f91dd38, 0x4288bd0f, 0x7046e96d,
    0x40275d36, 0x40dbdc2f, 0xbf4844b9, 0x3fa934c6, 0xbf253fde, 0x3f9b9b37, 0x3f206084, 0x3f99f345,
    0xc1645e70, 0x4940e4f5, 0x3e99c762, 0x3f85d124, 0xbec6b2ad, 0x3f89c2ae, 0x41a0a2cb, 0x4d7a7c17,
    0xc0c9641a, 0x438741db, 0xbef35b13, 0x3f8ebb96, 0xbcefde68, 0x3f800e0c, 0xc224d780, 0x5caf5a22,
    0x418e7f3a, 0x4bcf9228, 0x3e83b713, 0x3f84424c, 0xc0a9e2cc, 0x42ca23cb, 0xc16a5f7d, 0x498c5da7,
    0x40986eb3, 0x426a54a5, 0xc29ca173, 0x777d6063, 0xc19b6b25, 0x4d027b14, 0xbe6c5925, 0x3f836cb4,
    0x40448dc6, 0x412ce7af, 0xc203b2cd, 0x56b50a78, 0xc1926154, 0x4c28a226, 0xc1f0cdaf, 0x54abf015,
    0x3cc19104, 0x3f800926, 0xbffe1382, 0x406d51a4, 0x4118b0f0, 0x45d9f5ed, 0x416ebf7f, 0x49b881fc,
    0xbea89282, 0x3f870024, 0xc28efd96, 0x728d9f05, 0x428c1a21, 0x7185a57f, 0xc1168013, 0x45be1190,
];

const TANH_ROWS: [u32; 88] = [
    0x3ac37de2, 0x3ac37dd9, 0xbe8f42ca, 0xbe8ba2bb, 0x3f0fa625, 0x3f0241ac, 0x4076981b, 0x3f7fc508,
    0x3fd9ddd4, 0x3f6f87fe, 0x3ebed46c, 0x3eb6754d, 0x3ea588c8, 0x3e9fff7b, 0xbf9f0242, 0xbf5899df,
    0xb11116ac, 0xb11116ac, 0xbfa3b0de, 0xbf5b2e3c, 0x3e839798, 0x3e80c4ea, 0x95b350b5, 0x95b350b5,
    0x410a9593, 0x3f7fffff, 0x40df168e, 0x3f7fffe2, 0x40584595, 0x3f7f6801, 0x3aa7462d, 0x3aa74627,
    0xbcc6b5ff, 0xbcc6ac05, 0xc0d72fac, 0xbf7fffd0, 0x40ea3042, 0x3f7ffff1, 0xc003f235, 0xbf77d7a9,
    0x3f4d751e, 0x3f2a5c41, 0xb175b57b, 0xb175b57b, 0xbea7d560, 0xbea211d9, 0x40e8a948, 0x3f7ffff0,
    0x8ca0c1a3, 0x8ca0c1a3, 0xbe7d3e2e, 0xbe78340a, 0x3ef6a00f, 0x3ee52b4d, 0x3f7af20b, 0x3f40d02f,
    0xbe879fd6, 0xbe8489ef, 0x3ed79536, 0x3ecbaf7e, 0xc018ac9b, 0xbf7bb2fa, 0x40becc7b, 0x3f7fff22,
    0x2277d79f, 0x2277d79f, 0xb09cbd6a, 0xb09cbd6a, 0x40566a9d, 0x3f7f5ef1, 0xc04213b2, 0xbf7ed03a,
    0xc03eaf08, 0xbf7eae56, 0x3e900da5, 0x3e8c5e6c, 0xbea715c4, 0xbea1655b, 0xbf01e005, 0xbeef8b15,
    0x3f274069, 0x3f12eb72, 0x3b933278, 0x3b933237, 0x3f572eb4, 0x3f2fa47d, 0xbf607b5a, 0xbf34714f,
];

const EXP_ROWS: [u32; 88] = [
    0xc16912cd, 0x34fd331b, 0xbbf0edf1, 0x3f7e1fe9, 0x377eff81, 0x3f800080, 0xbae0e25c, 0x3f7f8fa7,
    0xb3000000, 0x3f800000, 0x39c6be5b, 0x3f800c6d, 0x38e69cc1, 0x3f80039a, 0x383a3ef1, 0x3f800175,
    0x3d1a274e, 0x3f84e8ba, 0x40315b33, 0x417fa47d, 0x4001b249, 0x40f2cd14, 0xbf1ef044, 0x3f0998a5,
    0xc2c7c96e, 0x0000001e, 0xbe82d450, 0x3f464638, 0xbdd06dfd, 0x3f673a6c, 0x42427fae, 0x628e155f,
    0xc2afbccf, 0x004b2c99, 0x3e8cc19b, 0x3fa88065, 0xc2ba2963, 0x000068e4, 0xbf6cd2c3, 0x3ecb0170,
    0xc2790a97, 0x1290bd49, 0x3f7fef74, 0x402ded16, 0x3e4b9e7b, 0x3f9c28cc, 0xc2b0c0e1, 0x002d3c03,
    0x3f233e18, 0x3ff22f06, 0x41fda5cb, 0x56561515, 0x3e77d614, 0x3fa30cd7, 0xbf17daf0, 0x3f0d74e4,
    0x410e868a, 0x45e6edd7, 0xbe3c1158, 0x3f550c4a, 0x41e9a313, 0x548c65a8, 0x3e8e85b6, 0x3fa91571,
    0x3e9cbb54, 0x3fadd78f, 0x420ac8bc, 0x58850bfb, 0x42abe231, 0x7d7dd73c, 0xc2c4282d, 0x000000b5,
    0xbec02435, 0x3f2fe5c0, 0xc2b1b8c6, 0x001bdfb5, 0xc161f3f3, 0x3545906a, 0x41ce44fe, 0x5212d45b,
    0x42219f48, 0x5c9ccfa4, 0x3f624c2d, 0x401ae980, 0x428d921a, 0x728b439f, 0xc28642e1, 0x0f0e1f29,
];

const EXP2_ROWS: [u32; 88] = [
    0xc3160000, 0x00000000, 0xb52d1f9a, 0x3f7ffff8, 0xb8d3d026, 0x3f7ffb69, 0xbaec2b40, 0x3f7fae34,
    0x3a07857c, 0x3f800bbe, 0x3c02a9ad, 0x3f80b5a3, 0x36879cf7, 0x3f800018, 0xbe1f29de, 0x3f65da56,
    0x33b8aa3b, 0x3f800001, 0x3dc9abe2, 0x3f890ab5, 0xbe4010f1, 0x3f60ca4b, 0xc10ee087, 0x3b06617f,
    0xbf3d73e7, 0x3f1945a1, 0x3dd323d8, 0x3f897b50, 0xc3027384, 0x0005d9f1, 0xc2cec5af, 0x0bc3e3d1,
    0xc2ff58f8, 0x00281e9a, 0xc30965b9, 0x00000c26, 0xbe9bb452, 0x3f4f5856, 0x3d2d5561, 0x3f83cf67,
    0xbf484c4e, 0x3f14d62c, 0x4282ce6d, 0x602944e8, 0xbecb255c, 0x3f427258, 0x3f737ad7, 0x3ff77796,
    0xc238710e, 0x286d23d5, 0xc2ff6573, 0x00277286, 0xc2d02995, 0x0b71fca5, 0xc306bb6c, 0x00004d0f,
    0x3e8fb135, 0x3f9b7ca3, 0x3e77eaae, 0x3f97634e, 0xc30188af, 0x000b0d02, 0xc29f0db2, 0x17b1b1ab,
    0xbf6aa4a6, 0x3f079eb2, 0xc31166a7, 0x0000000c, 0xc2bd7cb9, 0x1018e538, 0x3f70fe95, 0x3ff5ceb3,
    0xbf6af511, 0x3f07812e, 0xc3019f73, 0x000a63e4, 0xc3141f80, 0x00000002, 0xc2c03151, 0x0f6f7760,
    0xc30a84a4, 0x00000596, 0xc3031aa1, 0x0003b8c5, 0xc30b569e, 0x0000032a, 0xc30f445d, 0x00000035,
];

const LOG_ROWS: [u32; 88] = [
    0x4d604ebe, 0x419a352c, 0x1f116ab8, 0xc233b53e, 0x66a8c860, 0x42595e46, 0x38dcbe38, 0xc1128ba4,
    0x4665a9a6, 0x41198725, 0x5ee8984e, 0x422e4a21, 0x3bf86ef0, 0xc09c399e, 0x79e7ec37, 0x42a1ffb7,
    0x0dc8bba4, 0xc289bac4, 0x2c4c24b7, 0xc1d48710, 0x111c87f8, 0xc28085df, 0x1a8446cb, 0xc24d0a45,
    0x464d5b2b, 0x4117bcf1, 0x66abbd63, 0x4259700e, 0x2e492984, 0xc1be76ee, 0x4e85f412, 0x41a6b811,
    0x5454f532, 0x41e76cbf, 0x3f7fba41, 0xba8b9104, 0x16e1bc7a, 0xc261153b, 0x3f0158dc, 0xbf2ec3fb,
    0x3b8e11f1, 0xc0ae1bc0, 0x4232ba41, 0x40732c20, 0x6b13e95d, 0x4271cb27, 0x42a21b1a, 0x408ca4ae,
    0x0db4ab40, 0xc289f0af, 0x3f3153ba, 0xbebbff3b, 0x2ec3359b, 0xc1b928e2, 0x3fda09c4, 0x3f085b14,
    0x3f0f9c38, 0xbf13fcb2, 0x410395ed, 0x4006da39, 0x3f80b5f4, 0x3bb57327, 0x3f14d676, 0xbf0ad588,
    0x538d2b64, 0x41de972e, 0x40257b44, 0x3f7331a7, 0x3fff417f, 0x3f30b350, 0x3f4a6234, 0xbe70a71e,
    0x24d94de0, 0xc2139a4c, 0x42893a0f, 0x40874fc6, 0x40d1a6e1, 0x3ff09a6b, 0x3f804862, 0x3b109b21,
    0x3f7e40bd, 0xbbe065bf, 0x3f810976, 0x3c04321a, 0x126093b7, 0xc27a0e8c, 0x3f800174, 0x3839fef2,
];

const LOG2_ROWS: [u32; 88] = [
    0x3ea07ab9, 0xbfd63da2, 0x40207ab9, 0x3fa9c25e, 0x002452a4, 0xc2ffa268, 0x0048a548, 0xc2fda268,
    0x00914a90, 0xc2fba268, 0x01114a90, 0xc2f9a268, 0x01914a90, 0xc2f7a268, 0x02114a90, 0xc2f5a268,
    0x02914a90, 0xc2f3a268, 0x03114a90, 0xc2f1a268, 0x03914a90, 0xc2efa268, 0x04114a90, 0xc2eda268,
    0x04914a90, 0xc2eba268, 0x05114a90, 0xc2e9a268, 0x05914a90, 0xc2e7a268, 0x06114a90, 0xc2e5a268,
    0x1aaa56d5, 0xc2932ceb, 0x3f804bef, 0x3b5ad836, 0x41ff4313, 0x409fdde1, 0x3f4c64cf, 0xbea64b34,
    0x14a329c5, 0xc2ab4cb6, 0x3f8075c1, 0x3ba99416, 0x159956d5, 0xc2a77a95, 0x3f7e077a, 0xbc36ac23,
    0x3fba2c56, 0x3f0a5e4e, 0x3f813180, 0x3c5b59ca, 0x4710246f, 0x4172bdda, 0x3f60c7b7, 0xbe4021e3,
    0x5e7443cc, 0x4277baad, 0x3f7ecba9, 0xbbdef1ef, 0x3f8032b3, 0x3b122c89, 0x3f7f2244, 0xbba037ff,
    0x3f94eb07, 0x3e5f9db7, 0x42762643, 0x40be3042, 0x3f71cfad, 0xbda87944, 0x3f7f070f, 0xbbb3ea4a,
    0x3f8098b9, 0x3bdbd203, 0x3f551bdb, 0xbe877391, 0x3f804c0e, 0x3b5b3173, 0x3576c43a, 0xc1a06c8a,
    0x3f810339, 0x3c3a40fe, 0x42435b99, 0x40b384ea, 0x3f088f26, 0xbf681817, 0x3face324, 0x3ede0c54,
];

const LOG10_ROWS: [u32; 88] = [
    0x610567e4, 0x41a17eec, 0x62a6c1dd, 0x41a97eec, 0x45bdedc8, 0x407228d0, 0x604df02c, 0x419e3014,
    0x120b93dc, 0xc1dad957, 0x13ae78d3, 0xc1d2d957, 0x2f149212, 0xc11de885, 0x6f592c3c, 0x41e69e9c,
    0x0a4d4ce8, 0xc2000527, 0x65903d25, 0x41b770f4, 0x427a28e9, 0x3fe5e87d, 0x43079cce, 0x40087799,
    0x4dff4ddc, 0x410ba8b4, 0x0e10c607, 0xc1edfce8, 0x2b1b73f9, 0xc144201d, 0x5d610fe9, 0x41900c01,
    0x3f7dfc0d, 0xbb60f5ea, 0x3f80165b, 0x399b49eb, 0x4ab31b74, 0x40d89812, 0x3f803a63, 0x3a4aacfc,
    0x42127e6a, 0x3fc82944, 0x144dc5d5, 0xc1cfde11, 0x3fb4a249, 0x3e192df4, 0x428d7e99, 0x3fecc349,
    0x0c4353de, 0xc1f6948e, 0x3fba894d, 0x3e277a8f, 0x3f7f7f7d, 0xba5f7786, 0x3f813224, 0x3b845684,
    0x3fbbd474, 0x3e2a8d54, 0x3f803e14, 0x3a577a3a, 0x4d0a73ae, 0x41029723, 0x1fcec013, 0xc1987623,
    0x42b4b361, 0x3ffa5be9, 0x3f17a080, 0xbe68ec35, 0x3f8df328, 0x3d38032d, 0x417ebf21, 0x3f99dac2,
    0x3f04be10, 0xbe9209b1, 0x4163a060, 0x3f9398df, 0x424f4da1, 0x3fdb763f, 0x681cdcb2, 0x41c3c61e,
    0x424b6e2f, 0x3fda69df, 0x3f734d5d, 0xbcb4fe54, 0x3ffedc1a, 0x3e99227f, 0x5b922e8f, 0x418752aa,
];

const RSQRT_ROWS: [u32; 88] = [
    0x013a18e3, 0x5e96209e, 0x023a18e3, 0x5e16209e, 0x033a18e3, 0x5d96209e, 0x043a18e3, 0x5d16209e,
    0x053a18e3, 0x5c96209e, 0x063a18e3, 0x5c16209e, 0x073a18e3, 0x5b96209e, 0x083a18e3, 0x5b16209e,
    0x093a18e3, 0x5a96209e, 0x0a3a18e3, 0x5a16209e, 0x0b3a18e3, 0x5996209e, 0x0c3a18e3, 0x5916209e,
    0x0d3a18e3, 0x5896209e, 0x0e3a18e3, 0x5816209e, 0x0f3a18e3, 0x5796209e, 0x103a18e3, 0x5716209e,
    0x3fd41382, 0x3f46e234, 0x5f624d5b, 0x2f8823d4, 0x0a4d1f0c, 0x5a0eff09, 0x16733c80, 0x540350bf,
    0x407f2fbf, 0x3f003430, 0x1dbbe5db, 0x50534adf, 0x3f3655fb, 0x3f97ab01, 0x5b187803, 0x31a5dbf2,
    0x3f9fac92, 0x3f6534f8, 0x57c61f3b, 0x334dc4b4, 0x25d6c708, 0x4c45a104, 0x3f120118, 0x3fa97dc0,
    0x3f62fa92, 0x3f87efd8, 0x405a0374, 0x3f0ab42a, 0x4072ba3d, 0x3f0373f7, 0x1891640b, 0x52f033b2,
    0x2a0e0c6b, 0x4a2bd5c2, 0x3fd622af, 0x3f45eccc, 0x3c6f19b1, 0x41047241, 0x405dce33, 0x3f098355,
    0x7a5443aa, 0x220c91d2, 0x4018e1b8, 0x3f25a291, 0x6504958d, 0x2cb1dcc5, 0x3fdbf345, 0x3f434a8d,
    0x4017a62b, 0x3f264e8b, 0x3f4acfa5, 0x3f8fcef0, 0x3f2b6ad6, 0x3f9c6c78, 0x3fc588d9, 0x3f4e12f8,
];

const ATAN2_ROWS: [u32; 108] = [
    0x3ff75b8a, 0x3f30bc94, 0x3f9d248d, 0x3f2d5fe7, 0x3fd51916, 0x3ec5cfc6, 0x3f67f996, 0x3ff4e577,
    0x3ee277db, 0x4007eb89, 0x4068b877, 0x3f0752d7, 0x40484fc6, 0x40570027, 0x3f4002e8, 0x3f942968,
    0x3f5a7c48, 0x3f6f7a45, 0x3f40e97c, 0x4000b735, 0x3eb78cc1, 0x3f7613a2, 0x3f807d24, 0x3f4383f1,
    0x3f7a7314, 0x3f0f0f9a, 0x3f86a1b6, 0x3f7e88a0, 0x40178a2c, 0x3ecb8c24, 0x3f9917c3, 0x3f559976,
    0x3f76303a, 0x3f3eba5e, 0x3fd2aacc, 0x3ed9a3b7, 0x3fedf518, 0x3f6e0bb6, 0x3f8db22f, 0x3f69c4c2,
    0xc06f7dcf, 0x4039be5f, 0xc03d4b9a, 0xc01f72fe, 0xc0115521, 0x51d0698e, 0x45772808, 0x3fc90fda,
    0xbeaf7b98, 0x409e4fd8, 0xbd8da828, 0xc03d13bb, 0xbe925247, 0xbfd567cd, 0x3f63e2f5, 0x40e14da0,
    0x3e00c8ca, 0xc083ef66, 0x40d3e521, 0xbf0e9136, 0x408c1330, 0x40b4a23c, 0x3f28db8a, 0x4041d5ad,
    0x118d4a0f, 0x3fc90fdb, 0x3fec463c, 0xc109ce17, 0x403b8cc6, 0x401ebd16, 0x4101d2e5, 0x3e97e3e0,
    0x35d1fb39, 0x59396b65, 0x1c10f4a8, 0xc090bd92, 0x4029e611, 0xbf8520a7, 0x1e78c631, 0x011a4bbf,
    0x3fc90fdb, 0xc0d58851, 0xbf97a22c, 0xbfdf8d2a, 0x1f74b10f, 0x0257fd6c, 0x3fc90fdb, 0xc0b62c4b,
    0x4004ff50, 0xbf9c4301, 0x401ce408, 0x40e75814, 0x3ea761d9, 0x6b3d0dbb, 0x2e7ba39e, 0x3fc90fdb,
    0xc0e7f866, 0x40befe66, 0xbf61c933, 0xc0bdd1da, 0xc06a9971, 0xc007f4bb, 0x3fbcc854, 0x40e13525,
    0x3e53888a, 0x7f116e5e, 0x6f3a2e0d, 0x3fc90fdb,
];

const POW_ROWS: [u32; 108] = [
    0x3fe80b13, 0x4048a0ea, 0x40ce90f3, 0x3e1782ae, 0x40b1b346, 0x37ceb825, 0x402aa88d, 0x417b45e0,
    0x4a953c2f, 0x4035b085, 0x3edacde5, 0x3fc7ec7f, 0x3f9faf62, 0xc0af9dad, 0x3e98191b, 0x40a375cc,
    0xc0613310, 0x3b5300da, 0x3f7fc4cc, 0x414d19ae, 0x3f7d0d21, 0x3e288db0, 0x416cf2b2, 0x2c2f2645,
    0x3e10a2a1, 0x41382ce4, 0x2f348bc3, 0x3efd86f5, 0x3f4cb884, 0x3f11ed85, 0x3e13224a, 0x404650eb,
    0x3b20887c, 0x3e550ddd, 0xc0a249bb, 0x45335747, 0x035e42c3, 0xbf6238b3, 0x74953d80, 0x4287148f,
    0x419fa5cc, 0x7c1c0a8b, 0x42bbeca6, 0x4185a702, 0x76345fe3, 0x42465324, 0xc0a889e2, 0x30a1de3b,
    0x3f8142da, 0xc4b5c79e, 0x352c751b, 0x428177aa, 0x410863da, 0x591c1d23, 0x72e89b60, 0xbef871b3,
    0x2687f787, 0x3f7f50e6, 0x45cddd27, 0x32be6938, 0x3f80b5d3, 0xc5944cf4, 0x2c8a9f63, 0x29a044b0,
    0xbe705238, 0x44983ccd, 0x426875b5, 0x415ec23e, 0x68419dae, 0x4251e38c, 0x40fce383, 0x560e418c,
    0x49387234, 0x3f037180, 0x44825807, 0x4097f2f6, 0x3e71121b, 0x3fb8b4fe, 0x67dd2676, 0x3ef4720c,
    0x52be2ef0, 0x4278b499, 0xc14fc2f0, 0x18c639b8, 0x68cc9c79, 0xbf087247, 0x29748564, 0x4f282517,
    0xbd593157, 0x3ea17e84, 0x101134c2, 0xbf692ba1, 0x6aa48c0a, 0x6bd873ba, 0xbe44aa7e, 0x36f7df73,
    0x41db0e24, 0xc133c123, 0x24a37712, 0x415f64ad, 0xc1852338, 0x1fd04760, 0x7dcef3bb, 0x3f018814,
    0x5f087b7a, 0x42c37476, 0x418535ab, 0x7686ec3c,
];
