//! Affine transforms: of vertices when a bottom level is built, of rays when an instance is entered.
//!
//! All arithmetic is f64, and each result is rounded to f32 once.

/// Three rows of four, row-major: the upper part of an affine matrix that multiplies column vectors.
pub type Transform = [f32; 12];

pub const IDENTITY: Transform = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// A row of a matrix times a point.
#[inline(always)]
fn row(m: &[f32], p: [f64; 3]) -> f64 {
    ((f64::from(m[0]) * p[0] + f64::from(m[1]) * p[1]) + f64::from(m[2]) * p[2]) + f64::from(m[3])
}

/// A row of a matrix times a direction.
#[inline(always)]
fn row_of_direction(m: &[f32], d: [f64; 3]) -> f64 {
    (f64::from(m[0]) * d[0] + f64::from(m[1]) * d[1]) + f64::from(m[2]) * d[2]
}

/// The image of a point.
#[inline(always)]
pub(super) fn point(m: &Transform, p: [f32; 3]) -> [f32; 3] {
    let p = [f64::from(p[0]), f64::from(p[1]), f64::from(p[2])];
    [row(&m[0..4], p) as f32, row(&m[4..8], p) as f32, row(&m[8..12], p) as f32]
}

/// The image of a direction.
#[inline(always)]
pub(super) fn direction(m: &Transform, d: [f32; 3]) -> [f32; 3] {
    let d = [f64::from(d[0]), f64::from(d[1]), f64::from(d[2])];
    [
        row_of_direction(&m[0..4], d) as f32,
        row_of_direction(&m[4..8], d) as f32,
        row_of_direction(&m[8..12], d) as f32,
    ]
}

/// The inverse of a matrix as its adjugate divided by its determinant, or `None` if the determinant is 0 or not
/// finite, or an element of the inverse is not finite in f32.
pub(super) fn inverse(m: &Transform) -> Option<Transform> {
    // The sum with +0 turns −0 into +0.
    let rounded = inverse_64(m)?.map(|it| it as f32 + 0.0);
    rounded.iter().all(|it| it.is_finite()).then_some(rounded)
}

/// The same before it is rounded to f32.
pub(super) fn inverse_64(m: &Transform) -> Option<[f64; 12]> {
    let at = |row: usize, column: usize| f64::from(m[row * 4 + column]);
    // The cofactor of an element; the cyclic choice of rows and columns includes the sign.
    let cofactor = |row: usize, column: usize| {
        let (r1, r2) = ((row + 1) % 3, (row + 2) % 3);
        let (c1, c2) = ((column + 1) % 3, (column + 2) % 3);
        at(r1, c1) * at(r2, c2) - at(r1, c2) * at(r2, c1)
    };
    let determinant =
        (at(0, 0) * cofactor(0, 0) + at(0, 1) * cofactor(0, 1)) + at(0, 2) * cofactor(0, 2);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let mut inverse = [0.0; 12];
    for row in 0..3 {
        let r = [0, 1, 2].map(|column| cofactor(column, row) / determinant);
        let translation = -((r[0] * at(0, 3) + r[1] * at(1, 3)) + r[2] * at(2, 3));
        for (column, value) in [r[0], r[1], r[2], translation].into_iter().enumerate() {
            inverse[row * 4 + column] = value;
        }
    }
    Some(inverse)
}
