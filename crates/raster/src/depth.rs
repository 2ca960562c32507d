//! Depth and stencil: formats, tests and updates.
//!
//! Depth and stencil are separate planes, as in Direct3D's views of a depth-stencil texture.
//!
//! Spec: Direct3D 11.3, 17.10 to 17.13.

use ops::texture::{Comparison, Format};

use crate::aligned::Aligned;
use crate::cover::place;
use crate::each::each3;
use crate::setup::Geometry;
use crate::state::Viewport;
use crate::target::{Layout, Target};
use crate::viewport::UNITS;

/// The format of a depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthFormat {
    D32Float,
    D16Unorm,
    /// With a stencil plane.
    D32FloatS8X24Uint,
}

/// The depth test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthState {
    pub func: Comparison,
    pub write: bool,
}

/// What happens to a stencil value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StencilOp {
    Keep,
    Zero,
    Replace,
    IncrSat,
    DecrSat,
    Invert,
    Incr,
    Decr,
}

/// The stencil test of front or back faces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    pub func: Comparison,
    pub fail: StencilOp,
    pub depth_fail: StencilOp,
    pub pass: StencilOp,
}

/// The stencil test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilState {
    pub read_mask: u8,
    pub write_mask: u8,
    pub reference: u8,
    pub front: StencilFace,
    pub back: StencilFace,
}

/// The tests of a draw; those that are absent pass and write nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DepthStencilState {
    pub depth: Option<DepthState>,
    pub stencil: Option<StencilState>,
}

/// The planes of a depth-stencil buffer. A test without its plane passes.
#[derive(Debug)]
pub struct DepthStencil<'a> {
    pub format: DepthFormat,
    pub depth: Option<Target<'a>>,
    /// One byte for each sample.
    pub stencil: Option<Target<'a>>,
}

/// A pixel to be tested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixel {
    pub(crate) at: [u32; 2],
    pub(crate) layer: u32,
    pub(crate) covered: u16,
    pub(crate) front: bool,
    /// Replaces the state's stencil reference.
    pub(crate) reference: Option<u8>,
}

impl DepthFormat {
    /// Parses Direct3D's name, with or without `DXGI_FORMAT_`; case is ignored.
    pub fn parse(name: &str) -> Option<DepthFormat> {
        let name = name.to_ascii_uppercase();
        let name = name.strip_prefix("DXGI_FORMAT_").unwrap_or(&name);
        let all = [DepthFormat::D32Float, DepthFormat::D16Unorm, DepthFormat::D32FloatS8X24Uint];
        all.into_iter().find(|it| it.name() == name)
    }

    /// Direct3D's name.
    pub fn name(self) -> &'static str {
        match self {
            DepthFormat::D32Float => "D32_FLOAT",
            DepthFormat::D16Unorm => "D16_UNORM",
            DepthFormat::D32FloatS8X24Uint => "D32_FLOAT_S8X24_UINT",
        }
    }

    pub fn is_float(self) -> bool {
        match self {
            DepthFormat::D32Float | DepthFormat::D32FloatS8X24Uint => true,
            DepthFormat::D16Unorm => false,
        }
    }

    pub fn has_stencil(self) -> bool {
        match self {
            DepthFormat::D32FloatS8X24Uint => true,
            DepthFormat::D32Float | DepthFormat::D16Unorm => false,
        }
    }

    /// The format of the depth plane as shaders see it.
    pub fn plane(self) -> Format {
        let name = if self.is_float() { "R32_FLOAT" } else { "R16_UNORM" };
        Format::parse(name).unwrap_or_else(|| unreachable!("`{name}` is a format"))
    }

    /// The bytes of a depth that lies in the viewport's range, and the number that they hold.
    fn encode(self, z: f32) -> (u32, f64) {
        if self.is_float() {
            return (z.to_bits(), f64::from(z));
        }
        // The product is exact, and halves round up.
        let units = (f64::from(z).clamp(0.0, 1.0) * 65535.0 + 0.5).floor();
        (units as u32, units)
    }

    fn read(self, bytes: &[u8]) -> f64 {
        if self.is_float() {
            let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
            f64::from(f32::from_le_bytes(bytes))
        } else {
            f64::from(u16::from_le_bytes([bytes[0], bytes[1]]))
        }
    }

    fn bytes(self) -> usize {
        if self.is_float() { 4 } else { 2 }
    }

    /// The bytes of a plane cleared to a depth.
    pub fn cleared(self, depth: f32, layout: &Layout) -> Vec<u8> {
        let (bits, _) = self.encode(depth);
        bits.to_le_bytes()[..self.bytes()].repeat(layout.texels())
    }
}

impl StencilOp {
    /// Parses Direct3D's name; case is ignored.
    pub fn parse(name: &str) -> Option<StencilOp> {
        Some(match name.to_ascii_lowercase().replace('_', "").as_str() {
            "keep" => StencilOp::Keep,
            "zero" => StencilOp::Zero,
            "replace" => StencilOp::Replace,
            "incrsat" => StencilOp::IncrSat,
            "decrsat" => StencilOp::DecrSat,
            "invert" => StencilOp::Invert,
            "incr" => StencilOp::Incr,
            "decr" => StencilOp::Decr,
            _ => return None,
        })
    }

    fn apply(self, stored: u8, reference: u8) -> u8 {
        match self {
            StencilOp::Keep => stored,
            StencilOp::Zero => 0,
            StencilOp::Replace => reference,
            StencilOp::IncrSat => stored.saturating_add(1),
            StencilOp::DecrSat => stored.saturating_sub(1),
            StencilOp::Invert => !stored,
            StencilOp::Incr => stored.wrapping_add(1),
            StencilOp::Decr => stored.wrapping_sub(1),
        }
    }
}

impl Default for DepthState {
    /// Direct3D's: less, with writes.
    fn default() -> DepthState {
        DepthState { func: Comparison::Less, write: true }
    }
}

impl Default for StencilFace {
    /// Direct3D's: always, keep.
    fn default() -> StencilFace {
        let keep = StencilOp::Keep;
        StencilFace { func: Comparison::Always, fail: keep, depth_fail: keep, pass: keep }
    }
}

impl Default for StencilState {
    /// Direct3D's: nothing changes.
    fn default() -> StencilState {
        let face = StencilFace::default();
        StencilState { read_mask: 255, write_mask: 255, reference: 0, front: face, back: face }
    }
}

/// A comparison by its outcomes: for each, all bits are set if it passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    func: Comparison,
    less: u32,
    equal: u32,
    greater: u32,
    unordered: u32,
}

impl Rule {
    pub(crate) fn of(func: Comparison) -> Rule {
        let bits = |new, old| ones(func.holds(new, old));
        Rule {
            func,
            less: bits(0.0, 1.0),
            equal: bits(0.0, 0.0),
            greater: bits(1.0, 0.0),
            unordered: bits(f64::NAN, 0.0),
        }
    }

    /// All bits are set if a depth passes against a stored one.
    #[inline(always)]
    fn holds(&self, new: f32, old: f32) -> u32 {
        let (less, equal, greater) = (ones(new < old), ones(new == old), ones(new > old));
        less & self.less
            | equal & self.equal
            | greater & self.greater
            | !(less | equal | greater) & self.unordered
    }

    /// Tests the covered pixels of a quad against f32 depths: the upper two, and the lower two. Returns those that
    /// pass.
    #[inline(always)]
    pub(crate) fn test(
        &self,
        write: bool,
        z: [f32; 4],
        covered: u32,
        upper: &mut [u8],
        lower: &mut [u8],
    ) -> u32 {
        let (Some((upper, _)), Some((lower, _))) =
            (upper.split_first_chunk_mut::<8>(), lower.split_first_chunk_mut::<8>())
        else {
            unreachable!("two depths of four bytes")
        };
        let word =
            |it: &[u8; 8], i: usize| f32::from_le_bytes([it[i], it[i + 1], it[i + 2], it[i + 3]]);
        let old = [word(upper, 0), word(upper, 4), word(lower, 0), word(lower, 4)];
        let mut new = old;
        let mut passed = 0;
        for lane in 0..4 {
            let passes = self.holds(z[lane], old[lane]) & (covered >> lane & 1);
            passed |= passes << lane;
            new[lane] = if passes != 0 { z[lane] } else { old[lane] };
        }
        if write {
            let pair = |a: f32, b: f32| {
                (u64::from(a.to_bits()) | u64::from(b.to_bits()) << 32).to_le_bytes()
            };
            *upper = pair(new[0], new[1]);
            *lower = pair(new[2], new[3]);
        }
        passed
    }

    /// Tests pixels of two rows against f32 depths, from the pixel `at`: those of these lanes, which are in quads side
    /// by side. Returns the lanes that pass.
    #[inline(always)]
    pub(crate) fn test_rows(
        &self,
        write: bool,
        depth: &RowDepth<'_>,
        [x, y]: [i32; 2],
        rows: [&mut [u8]; 2],
        lanes: u128,
    ) -> u128 {
        let count = rows[0].len() / 4;
        let every = u128::MAX >> (128 - 2 * count);
        let live = if lanes == every { None } else { Some(pixels_of_lanes(lanes)) };
        let mut passed = [0; 2];
        let mut has_failed = false;
        for (i, row) in rows.into_iter().enumerate() {
            let y = y + i as i32;
            let mut z = Aligned([0.0; ROW]);
            match *depth {
                RowDepth::Constant(depth) => z.0[..count].fill(depth),
                RowDepth::Plane(geometry, planes) => {
                    fill(geometry, planes, [x, y], &mut z.0[..count]);
                }
            }
            let row = &mut row.as_chunks_mut::<4>().0[..count];
            let mut words = Aligned([0; ROW]);
            let tested = &mut words.0[..count];
            let all = |_| u32::MAX;
            let any = |new: f32, old: f32| self.holds(new, old);
            // PERF: most draws have one of these four, which are an instruction each instead of a dozen.
            let failed = match (live, self.func) {
                (None, Comparison::Less) => {
                    test_row(write, &z.0, row, |new, old| ones(new < old), all, tested)
                }
                (None, Comparison::LessEqual) => {
                    test_row(write, &z.0, row, |new, old| ones(new <= old), all, tested)
                }
                (None, Comparison::Greater) => {
                    test_row(write, &z.0, row, |new, old| ones(new > old), all, tested)
                }
                (None, Comparison::GreaterEqual) => {
                    test_row(write, &z.0, row, |new, old| ones(new >= old), all, tested)
                }
                (None, _) => test_row(write, &z.0, row, any, all, tested),
                (Some(live), _) => {
                    let live = words_of_bits(live[i]);
                    test_row(write, &z.0, row, any, |i| live[i], tested)
                }
            };
            passed[i] = live.map_or(u64::MAX >> (64 - count), |live| live[i]);
            if failed != 0 {
                has_failed = true;
                passed[i] = (0..ROW).fold(0, |all, i| all | u64::from(words.0[i] & 1) << i);
            }
        }
        if has_failed { lanes_of_pixels(passed) } else { lanes }
    }
}

/// All bits or none.
#[inline(always)]
fn ones(is: bool) -> u32 {
    if is { u32::MAX } else { 0 }
}

/// Tests the pixels of a row for which all bits of `live` are set, by a comparison of new and stored depths whose
/// result is all bits or none: then all bits of a word in `passed` are set if the pixel passes. Returns the bits of
/// words that are set for a pixel that fails.
#[inline(always)]
fn test_row(
    write: bool,
    z: &[f32; ROW],
    row: &mut [[u8; 4]],
    holds: impl Fn(f32, f32) -> u32,
    live: impl Fn(usize) -> u32,
    passed: &mut [u32],
) -> u32 {
    let mut failed = 0;
    for i in 0..passed.len() {
        let old = f32::from_le_bytes(row[i]);
        let (holds, live) = (holds(z[i], old), live(i));
        let passes = holds & live;
        passed[i] = passes;
        failed |= live & !holds;
        let new = if passes != 0 && write { z[i].to_bits() } else { old.to_bits() };
        row[i] = new.to_le_bytes();
    }
    failed
}

/// The most pixels that a wave has in a row.
pub(crate) const ROW: usize = 64;

/// The pixels of lanes whose quads lie side by side: a bit each, of the upper and of the lower row.
#[inline(always)]
pub(crate) fn pixels_of_lanes(lanes: u128) -> [u64; 2] {
    // Moves pairs of bits together, in halves of the lanes.
    let together = |bits: u64| {
        let bits = bits & 0x3333_3333_3333_3333;
        let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
        let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
        let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
        (bits | bits >> 16) & 0xffff_ffff
    };
    let row = |lanes: u128| together(lanes as u64) | together((lanes >> 64) as u64) << 32;
    [row(lanes), row(lanes >> 2)]
}

/// The inverse of [`pixels_of_lanes`].
#[inline(always)]
fn lanes_of_pixels([upper, lower]: [u64; 2]) -> u128 {
    let apart = |bits: u64| {
        let bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
        let bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
        let bits = (bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        (bits | bits << 2) & 0x3333_3333_3333_3333
    };
    let row =
        |bits: u64| u128::from(apart(bits & 0xffff_ffff)) | u128::from(apart(bits >> 32)) << 64;
    row(upper) | row(lower) << 2
}

/// For each bit, a word with all bits set if it is.
#[inline(always)]
pub(crate) fn words_of_bits(bits: u64) -> [u32; ROW] {
    let mut words = [0; ROW];
    let (low, high) = words.split_at_mut(ROW / 2);
    for (half, bits) in [(low, bits as u32), (high, (bits >> 32) as u32)] {
        for (i, word) in half.iter_mut().enumerate() {
            *word = 0u32.wrapping_sub(bits >> i & 1);
        }
    }
    words
}

/// The depths of a row of covered pixels.
pub(crate) enum RowDepth<'a> {
    Constant(f32),
    /// A triangle, and its planes.
    Plane(&'a Geometry, &'a [[f64; 3]; 3]),
}

/// The depths of a triangle from a pixel on.
#[inline(always)]
fn fill(geometry: &Geometry, planes: &[[f64; 3]; 3], [x, y]: [i32; 2], depths: &mut [f32]) {
    let [x, y] = place(x, y, [0, 0]);
    let (x, y) = (x as f64, y as f64);
    // All of this is exact up to the products with depths.
    let [(e0, s0), (e1, s1), (e2, s2)] =
        each3(*planes, |[a, b, c]| (a * x + b * y + c, a * UNITS as f64));
    let [z0, z1, z2] = each3(geometry.z, f64::from);
    let (reciprocal, range) = (geometry.reciprocal, geometry.depth_range);
    for (i, depth) in depths.iter_mut().enumerate() {
        let i = f64::from(i as i32);
        let [e0, e1, e2] = [e0 + i * s0, e1 + i * s1, e2 + i * s2];
        let z = (((e0 * z0 + e1 * z1) + e2 * z2) * reciprocal) as f32;
        *depth = Viewport::clamp_depth(range, z);
    }
}

impl DepthStencil<'_> {
    /// Tests the covered samples of a pixel and updates the buffer. Returns those that pass.
    ///
    /// `depth` is called for the samples that need it; its result is in the viewport's range.
    pub(crate) fn test(
        &mut self,
        state: &DepthStencilState,
        pixel: &Pixel,
        depth: impl Fn(u32) -> f32,
    ) -> u16 {
        let Pixel { at, layer, covered, front, reference } = *pixel;
        let mut passed = 0;
        let mut rest = covered;
        while rest != 0 {
            let sample = rest.trailing_zeros();
            rest &= rest - 1;
            let stencil = state
                .stencil
                .zip(self.stencil.as_mut())
                .and_then(|(state, plane)| Some((state, plane.texel(at, layer, sample)?)));
            let mut update = None;
            let mut stencil_passes = true;
            if let Some((state, stored)) = stencil {
                let face = if front { state.front } else { state.back };
                let reference = reference.unwrap_or(state.reference);
                let masked = |it: u8| f64::from(it & state.read_mask);
                stencil_passes = face.func.holds(masked(reference), masked(stored[0]));
                update = Some((state, face, reference, stored));
            }
            let mut depth_passes = true;
            let plane = self.depth.as_mut();
            if let Some((state, stored)) = state
                .depth
                .filter(|_| stencil_passes)
                .zip(plane.and_then(|it| it.texel(at, layer, sample)))
            {
                let (bits, value) = self.format.encode(depth(sample));
                depth_passes = state.func.holds(value, self.format.read(stored));
                if depth_passes && state.write {
                    let size = self.format.bytes();
                    stored[..size].copy_from_slice(&bits.to_le_bytes()[..size]);
                }
            }
            if let Some((state, face, reference, stored)) = update {
                let op = match (stencil_passes, depth_passes) {
                    (false, _) => face.fail,
                    (true, false) => face.depth_fail,
                    (true, true) => face.pass,
                };
                let new = op.apply(stored[0], reference);
                stored[0] = stored[0] & !state.write_mask | new & state.write_mask;
            }
            passed |= u16::from(stencil_passes && depth_passes) << sample;
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_adjacent_quads_are_pixels_of_two_rows() {
        let mut random = ops::Random::new(3);
        for _ in 0..100 {
            let lanes = u128::from(random.bits()) << 64 | u128::from(random.bits());
            let [upper, lower] = pixels_of_lanes(lanes);
            let words = words_of_bits(lower);
            for (x, word) in words.into_iter().enumerate() {
                let lane = 4 * (x / 2) + x % 2;
                assert_eq!(upper >> x & 1, (lanes >> lane) as u64 & 1);
                assert_eq!(lower >> x & 1, (lanes >> (lane + 2)) as u64 & 1);
                assert_eq!(word, if lower >> x & 1 == 1 { u32::MAX } else { 0 });
            }
            assert_eq!(lanes_of_pixels([upper, lower]), lanes);
        }
    }

    #[test]
    fn depths_are_converted_exactly() {
        let unorm = |z: f32| DepthFormat::D16Unorm.encode(z).0;
        assert_eq!([0.0, 1.0, 0.5, 2.0, -1.0, f32::NAN].map(unorm), [0, 65535, 32768, 65535, 0, 0]);
        for units in 0..65535u32 {
            // Around the halfway point to the next unit.
            let half = (units as f32 + 0.5) / 65535.0;
            for z in [half.next_down(), half, half.next_up()] {
                let exact = f64::from(z) * 65535.0 - f64::from(units);
                assert_eq!(unorm(z), units + u32::from(exact >= 0.5), "{units}");
            }
        }
        assert_eq!(DepthFormat::D32Float.encode(0.1), (0.1f32.to_bits(), f64::from(0.1f32)));
    }

    /// The buffer after one test: depth, stencil, and whether it passed.
    fn tested(state: DepthStencilState, z: f32, front: bool) -> (f32, u8, bool) {
        let layout = Layout::new(1, 1, 1, 1);
        let mut depth = 0.5f32.to_le_bytes().to_vec();
        let mut stencil = vec![0x0f];
        let format = DepthFormat::D32FloatS8X24Uint;
        let mut buffer = DepthStencil {
            format,
            depth: Target::new(format.plane(), layout, &mut depth),
            stencil: Target::new(Format::parse("R8_UINT").unwrap(), layout, &mut stencil),
        };
        let pixel = Pixel { at: [0, 0], layer: 0, covered: 1, front, reference: None };
        let passed = buffer.test(&state, &pixel, |_| z);
        (f32::from_le_bytes(depth.try_into().unwrap()), stencil[0], passed == 1)
    }

    #[test]
    fn the_depth_test_compares_new_with_stored() {
        let all = [
            Comparison::Never,
            Comparison::Less,
            Comparison::Equal,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::NotEqual,
            Comparison::GreaterEqual,
            Comparison::Always,
        ];
        for (z, passing) in [
            (0.25, [false, true, false, true, false, true, false, true]),
            (0.5, [false, false, true, true, false, false, true, true]),
            (0.75, [false, false, false, false, true, true, true, true]),
        ] {
            for (func, passes) in all.into_iter().zip(passing) {
                for write in [false, true] {
                    let depth = Some(DepthState { func, write });
                    let after = tested(DepthStencilState { depth, stencil: None }, z, true);
                    let expected = if passes && write { z } else { 0.5 };
                    assert_eq!(after, (expected, 0x0f, passes), "{func:?} {z}");
                }
            }
        }
    }

    #[test]
    fn stencil_operations_follow_the_outcome_of_both_tests() {
        for (op, expected) in [
            (StencilOp::Keep, 0x0f),
            (StencilOp::Zero, 0),
            (StencilOp::Replace, 0xa5),
            (StencilOp::IncrSat, 0x10),
            (StencilOp::DecrSat, 0x0e),
            (StencilOp::Invert, 0xf0),
            (StencilOp::Incr, 0x10),
            (StencilOp::Decr, 0x0e),
        ] {
            for outcome in 0..3 {
                let mut face = StencilFace::default();
                match outcome {
                    0 => (face.func, face.fail) = (Comparison::Never, op),
                    1 => face.depth_fail = op,
                    _ => face.pass = op,
                }
                let func = if outcome == 1 { Comparison::Never } else { Comparison::Always };
                let stencil = StencilState {
                    reference: 0xa5,
                    write_mask: 0x3c,
                    back: face,
                    ..StencilState::default()
                };
                let depth = Some(DepthState { func, write: false });
                let state = DepthStencilState { depth, stencil: Some(stencil) };
                let (_, back, passed) = tested(state, 0.1, false);
                assert_eq!(back, 0x0f & !0x3c | expected & 0x3c, "{op:?} {outcome}");
                assert_eq!(passed, outcome == 2);
                let (_, front, _) = tested(state, 0.1, true);
                assert_eq!(front, 0x0f);
            }
        }
        assert_eq!(StencilOp::IncrSat.apply(255, 0), 255);
        assert_eq!(StencilOp::DecrSat.apply(0, 0), 0);
        assert_eq!(StencilOp::Incr.apply(255, 0), 0);
        assert_eq!(StencilOp::Decr.apply(0, 0), 255);
    }

    #[test]
    fn the_stencil_test_masks_both_sides() {
        let face = StencilFace { func: Comparison::Less, ..StencilFace::default() };
        for (read_mask, reference, passes) in
            [(0xff, 0x0e, true), (0xff, 0x0f, false), (0x0f, 0xfe, true), (0xf0, 0x00, false)]
        {
            let stencil =
                StencilState { read_mask, reference, front: face, ..StencilState::default() };
            let state = DepthStencilState { depth: None, stencil: Some(stencil) };
            assert_eq!(tested(state, 0.0, true).2, passes, "{read_mask:#x} {reference:#x}");
        }
    }
}
