//! The sRGB curve for 8-bit channels, exactly: a table computed at compile time with IEEE 754 operations only.
//!
//! A code c represents x = c / 255, and the linear value x / 12.92 up to x = 0.04045, ((x + 0.055) / 1.055)^2.4
//! above.
//! Encoding finds the nearest code: the halfway points between codes go through the same curve.

/// The linear value of a code, as the nearest f32.
pub(super) fn decode(code: u8) -> f32 {
    DECODED[code as usize]
}

/// The code whose x is nearest to that of a linear value; NaN gives 0.
pub(super) fn encode(linear: f32) -> u8 {
    let linear = f64::from(linear);
    HALFWAY.partition_point(|halfway| *halfway <= linear) as u8
}

/// The linear value of each code, and the least f32 from which the code after each is nearer: for engines that have
/// the curve in memory.
pub fn table() -> ([f32; 256], [f32; 255]) {
    // An f32 is not below a halfway point if it is not below the next f32.
    let next = |halfway: f64| {
        let near = halfway as f32;
        if f64::from(near) < halfway { near.next_up() } else { near }
    };
    (DECODED, HALFWAY.map(next))
}

const DECODED: [f32; 256] = {
    let mut table = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = curve(code as f64 / 255.0) as f32;
        code += 1;
    }
    table
};

/// The linear value from which the next code is nearer.
const HALFWAY: [f64; 255] = {
    let mut table = [0.0; 255];
    let mut code = 0;
    while code < 255 {
        table[code] = curve((code as f64 + 0.5) / 255.0);
        code += 1;
    }
    table
};

const fn curve(x: f64) -> f64 {
    if x <= 0.04045 {
        return x / 12.92;
    }
    let base = (x + 0.055) / 1.055;
    // b^2.4 = b^2 · b^0.4, and y = b^0.4 is the root of y^5 = b^2. Newton's method from above always converges.
    let square = base * base;
    let mut root = 1.0;
    let mut step = 0;
    while step < 40 {
        let fourth = root * root * root * root;
        root = (4.0 * root + square / fourth) / 5.0;
        step += 1;
    }
    square * root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_gives_the_same_codes() {
        let (values, thresholds) = table();
        for code in 0..255u8 {
            let threshold = thresholds[usize::from(code)];
            assert_eq!([encode(threshold.next_down()), encode(threshold)], [code, code + 1]);
            assert_eq!(values[usize::from(code)], decode(code));
        }
    }

    #[test]
    fn codes_round_trip() {
        for code in 0..=255 {
            assert_eq!(encode(decode(code)), code);
        }
        assert_eq!([0.0, -1.0, 1.0, 7.0, f32::NAN].map(encode), [0, 0, 255, 255, 0]);
        assert_eq!(encode(f32::INFINITY), 255);
    }

    /// Values of the formula, computed with 60 digits.
    #[test]
    fn values_are_the_nearest() {
        for (code, value) in [
            (0u8, 0.0f64),
            (1, 0.000_303_526_983_548_837_5),
            (10, 0.003_035_269_835_488_375),
            (11, 0.003_346_535_763_899_158_5),
            (64, 0.051_269_458_374_043_22),
            (128, 0.215_860_500_113_899_16),
            (188, 0.502_886_458_032_568_4),
            (255, 1.0),
        ] {
            assert_eq!(decode(code), value as f32, "{code}");
        }
    }
}
