//! The image comparison of the public suite, and a strict one of ours.
//!
//! The suite measures how far colours are apart to the eye, by CIE76. Its measure deviates from the textbook in ways
//! that its tests depend on, and that are therefore reproduced: colours on the sRGB curve are taken for linear ones,
//! and XYZ values up to 1 are divided by a white point of 100, so that white has a lightness of 9 rather than 100.

use wavelane::internal::pow;

use crate::picture::Picture;

/// The least distance that an eye notices, by CIE76.
const VISIBLE: f64 = 2.3;
/// The reference white of daylight.
const WHITE: [f64; 3] = [95.047, 100.0, 108.883];

/// A rule that the distances of all pixels must meet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Check {
    /// The greatest distance.
    Furthest(f64),
    /// The root of the mean distance.
    Rms(f64),
    /// The same over visibly different pixels alone.
    DiffRms(f64),
    /// The percentage of visibly different pixels.
    PixelPercent(f64),
    /// The percentage of pixels in each interval of visible distances; those that are left out must be empty.
    Intervals(Vec<f64>),
}

/// The distance between two pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Distances {
    furthest: f64,
    sum: f64,
    sum_of_visible: f64,
    visible: u64,
    count: u64,
    intervals: [u64; 10],
}

/// The distances between all pixels, or why the pictures cannot be compared.
pub(crate) fn distances(a: &Picture, b: &Picture) -> Result<Distances, String> {
    if !a.has_size_of(b) {
        return Err(sizes_differ(a, b));
    }
    let mut all = Distances::default();
    // PERF: of equal colours, which nearly all are, this is 0 without six powers.
    let distance = |a: [u8; 3], b: [u8; 3]| {
        let (a, b) = (lab(a), lab(b));
        (0..3).map(|it| (a[it] - b[it]) * (a[it] - b[it])).sum::<f64>().sqrt()
    };
    for (a, b) in a.srgb().into_iter().zip(b.srgb()) {
        let distance = if a == b { 0.0 } else { distance(a, b) };
        if distance > VISIBLE {
            all.visible += 1;
            all.sum_of_visible += distance;
            all.intervals[(distance - VISIBLE).clamp(0.0, 9.0) as usize] += 1;
        }
        all.furthest = all.furthest.max(distance);
        all.sum += distance;
        all.count += 1;
    }
    Ok(all)
}

/// `-mode exact`: whether what the suite's reader makes of both files is the same.
pub(crate) fn is_same(a: &Picture, b: &Picture) -> Result<bool, String> {
    match a.has_size_of(b) {
        true => Ok(a.srgb() == b.srgb()),
        false => Err(sizes_differ(a, b)),
    }
}

impl Distances {
    /// The first rule that is not met, in words; without rules no pixel may be visibly different.
    pub(crate) fn judge(&self, checks: Option<&[Check]>) -> Result<(), String> {
        let usual = [Check::Furthest(VISIBLE)];
        let mut checks = checks.unwrap_or(&usual).iter();
        checks.try_for_each(|it| self.meets(it))
    }

    fn meets(&self, check: &Check) -> Result<(), String> {
        let count = self.count as f64;
        let within = |what: &str, value: f64, most: f64| match value > most {
            true => Err(format!("{what} is {value}, above {most}")),
            // The mean of an empty set is NaN, which meets every rule.
            false => Ok(()),
        };
        match check {
            Check::Furthest(most) => within("the furthest distance", self.furthest, *most),
            Check::Rms(most) => {
                within("the root of the mean distance", (self.sum / count).sqrt(), *most)
            }
            Check::DiffRms(most) => {
                let mean = self.sum_of_visible / self.visible as f64;
                within("the root of the mean distance of different pixels", mean.sqrt(), *most)
            }
            Check::PixelPercent(most) => {
                let percent = self.visible as f64 / count * 100.0;
                within("the percentage of different pixels", percent, *most)
            }
            Check::Intervals(most) => {
                for (index, pixels) in self.intervals.iter().enumerate() {
                    let percent = *pixels as f64 / count * 100.0;
                    let most = most.get(index).copied().unwrap_or(0.0);
                    within(
                        &format!("the percentage of pixels in interval {index}"),
                        percent,
                        most,
                    )?;
                }
                Ok(())
            }
        }
    }
}

/// The distance between two pictures by our own measure: channel by channel, as they lie in the files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strict {
    /// Pixels of which a channel differs by more than 1/65535.
    pub(crate) pixels: usize,
    /// The greatest difference, of 1.
    pub(crate) most: f64,
}

pub(crate) fn strict(a: &Picture, b: &Picture) -> Strict {
    // Both are multiples of 1/65535, so that the difference is one too, except for rounding.
    const STEP: f64 = 1.5 / 65535.0;
    let mut strict = Strict { pixels: 0, most: 0.0 };
    for most in a.differences(b) {
        strict.pixels += usize::from(most > STEP);
        strict.most = strict.most.max(most);
    }
    strict
}

impl Strict {
    /// In words, for a report.
    pub(crate) fn told(self) -> String {
        match self.pixels {
            0 => "every pixel is within 1/65535 of the golden image".to_owned(),
            1 => format!("1 pixel is not within 1/65535 of the golden image; {}", self.furthest()),
            pixels => format!(
                "{pixels} pixels are not within 1/65535 of the golden image; {}",
                self.furthest()
            ),
        }
    }

    fn furthest(self) -> String {
        format!("the greatest difference is {:.5}", self.most)
    }
}

fn sizes_differ(a: &Picture, b: &Picture) -> String {
    let (width, height) = (b.width(), b.height());
    format!("a picture of {width}x{height} pixels, not {}x{}", a.width(), a.height())
}

/// A colour of bytes in CIELAB, as the suite computes it.
fn lab(colour: [u8; 3]) -> [f64; 3] {
    // The suite's numbers are floats in between.
    let [r, g, b] = colour.map(|it| f64::from((f64::from(it) / 255.0) as f32));
    let xyz = [
        0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
        0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
        0.0193339 * r + 0.1191920 * g + 0.9503041 * b,
    ];
    let root = |value: f64| match value > 216.0 / 24389.0 {
        true => f64::from(pow(value as f32, 1.0 / 3.0)),
        false => (24389.0 / 27.0 * value + 16.0) / 116.0,
    };
    let [x, y, z] = [0, 1, 2].map(|it| root(xyz[it] / WHITE[it]));
    [(116.0 * y - 16.0).max(0.0), 500.0 * (x - y), 200.0 * (y - z)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pixels: &[[u8; 3]]) -> Picture {
        Picture::rgb8(pixels.len() as u32, 1, pixels).unwrap()
    }

    #[test]
    fn white_is_dark_by_the_suites_measure() {
        let [lightness, a, b] = lab([255; 3]);
        assert!((8.9..9.1).contains(&lightness), "{lightness}");
        assert!(a.abs() < 0.1 && b.abs() < 0.1, "{a} {b}");
        assert_eq!(lab([0; 3]), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn every_rule_has_its_threshold() {
        let mut pixels = [[0; 3]; 100];
        let black = row(&pixels);
        pixels[7] = [255; 3];
        let it = distances(&black, &row(&pixels)).unwrap();
        assert_eq!((it.visible, it.count, it.intervals[6]), (1, 100, 1));
        let far = it.furthest;
        assert!((8.9..9.1).contains(&far), "{far}");
        for (check, passes) in [
            (Check::Furthest(9.5), true),
            (Check::Furthest(8.5), false),
            (Check::Rms((far / 100.0).sqrt() + 1e-9), true),
            (Check::Rms((far / 100.0).sqrt() - 1e-9), false),
            (Check::DiffRms(far.sqrt() + 1e-9), true),
            (Check::DiffRms(far.sqrt() - 1e-9), false),
            (Check::PixelPercent(1.0), true),
            (Check::PixelPercent(0.9), false),
            (Check::Intervals(vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), true),
            (Check::Intervals(vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]), false),
            (Check::Intervals(vec![9.0]), false),
        ] {
            assert_eq!(it.judge(Some(std::slice::from_ref(&check))).is_ok(), passes, "{check:?}");
        }
        assert!(it.judge(None).unwrap_err().contains("above 2.3"));
        assert!(it.judge(Some(&[])).is_ok());
        // Nothing differs, so that there is no mean of what does.
        let same = distances(&black, &black).unwrap();
        assert!(same.judge(Some(&[Check::DiffRms(0.0), Check::PixelPercent(0.0)])).is_ok());
    }

    #[test]
    fn pictures_of_other_sizes_are_not_compared() {
        let (a, b) = (row(&[[0; 3]]), row(&[[0; 3]; 2]));
        assert_eq!(distances(&a, &b), Err("a picture of 2x1 pixels, not 1x1".to_owned()));
        assert!(is_same(&a, &b).is_err());
        assert_eq!(is_same(&a, &a), Ok(true));
        assert_eq!(is_same(&a, &row(&[[0, 0, 1]])), Ok(false));
    }

    #[test]
    fn the_strict_measure_allows_one_step_of_sixteen_bits() {
        let of = |red: f32| {
            let bytes: Vec<u8> = [red, 0.0, 0.0].iter().flat_map(|it| it.to_le_bytes()).collect();
            let format = wavelane::texture::Format::parse("R32G32B32_FLOAT").unwrap();
            Picture::of(format, 1, 1, &bytes).unwrap()
        };
        let step = 1.0 / 65536.0;
        assert_eq!(strict(&of(0.5), &of(0.5 + step)).pixels, 0);
        let it = strict(&of(0.5), &of(0.5 + 2.0 * step));
        assert_eq!(it.pixels, 1);
        assert!(it.told().starts_with("1 pixel is not within 1/65535"), "{}", it.told());
        // No visible difference, all the same.
        assert!(distances(&of(0.5), &of(0.502)).unwrap().judge(None).is_ok());
    }
}
