//! The tessellator: from the factors of a patch to points of its domain and the primitives between them.
//!
//! Spec: Direct3D 11.3, 11. All arithmetic is in fixed point with 16 fractional bits, so that edges with equal factors
//! have equal points, regardless of the rest of their patches. The specification leaves the order of points and
//! primitives open; here it is ring by ring from the outside, and edge by edge within a ring.

/// The shape of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    Tri,
    Quad,
    Isoline,
}

/// How the factors divide an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Partitioning {
    Integer,
    Pow2,
    FractionalOdd,
    FractionalEven,
}

/// The primitives to be made. A domain of isolines has points or lines, the others points or triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatchTopology {
    Point,
    Line,
    Clockwise,
    CounterClockwise,
}

/// The tessellation factors of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// Tri: of the edges u = 0, v = 0 and w = 0. Quad: u = 0, v = 0, u = 1 and v = 1. Isolines: how many lines, and the
    /// segments of each.
    pub edges: [f32; 4],
    /// Tri: the first one. Quad: along u and v.
    pub insides: [f32; 2],
}

/// A tessellated patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tessellated {
    /// u and v, in units of 1/65536.
    pub points: Vec<[u32; 2]>,
    /// The points of each primitive, the leading one first. Lines and points repeat the last one.
    pub primitives: Vec<[u32; 3]>,
}

const ONE: u32 = 1 << 16;
const HALF: u32 = ONE / 2;

/// The order in which the points of half an edge appear as its factor grows.
const INSERTION: [u32; 33] = [
    0, 32, 16, 8, 17, 4, 18, 9, 19, 2, 20, 10, 21, 5, 22, 11, 23, 1, 24, 12, 25, 6, 26, 13, 27, 3,
    28, 14, 29, 7, 30, 15, 31,
];

/// The points along an edge, or along a side of the inner rings.
#[derive(Clone, Copy, Debug)]
struct Line {
    is_odd: bool,
    /// In fixed point.
    factor: u32,
    /// How far between the lower and the upper division the factor is.
    fraction: u32,
    /// The points of the first half, without one in the middle.
    half: u32,
    /// The point that the upper division has and the lower one lacks.
    split: u32,
    /// The length of a segment of the lower and of the upper division.
    steps: [u32; 2],
}

impl Line {
    fn new(factor: u32, is_odd: bool) -> Line {
        let mut half = factor.div_ceil(2);
        if is_odd || half == HALF {
            half += HALF;
        }
        let lower = half & !(ONE - 1);
        let upper = (half + ONE - 1) & !(ONE - 1);
        let clear_highest = |it: u32| if it == 0 { 0 } else { it & !(1 << it.ilog2()) };
        let split = match (lower == upper, is_odd) {
            (true, _) => (upper >> 16) + 1,
            (false, true) if lower == ONE => 0,
            (false, true) => 2 * clear_highest((lower >> 16) - 1) + 1,
            (false, false) => 2 * clear_highest(lower >> 16) + 1,
        };
        let step = |it: u32| {
            let segments = ((2 * it) >> 16) - u32::from(is_odd);
            (ONE + segments / 2) / segments.max(1)
        };
        Line {
            is_odd,
            factor,
            fraction: half - lower,
            half: upper >> 16,
            split,
            steps: [step(lower), step(upper)],
        }
    }

    /// How many points it has, both ends included.
    fn count(self) -> u32 {
        let half = self.factor.div_ceil(2);
        let ceil = |it: u32| it.div_ceil(ONE);
        if self.is_odd { 2 * ceil(HALF + half) } else { 2 * ceil(half) + 1 }
    }

    /// Where point `p` is.
    fn at(self, p: u32) -> u32 {
        let is_flipped = p >= self.half;
        let p =
            if is_flipped { (2 * self.half - u32::from(self.is_odd)).wrapping_sub(p) } else { p };
        if p == self.half {
            return HALF;
        }
        let before = p - u32::from(p > self.split);
        let [lower, upper] = self.steps.map(u64::from);
        let fraction = u64::from(self.fraction);
        let place = u64::from(before) * lower * (u64::from(ONE) - fraction)
            + u64::from(p) * upper * fraction
            + u64::from(HALF);
        let place = (place >> 16) as u32;
        if is_flipped { ONE - place } else { place }
    }

    /// The points of half of it that take part in the transition to a line of another factor.
    fn inserted(self) -> u32 {
        self.half - u32::from(self.is_odd)
    }
}

/// The range of factors, and whether they are rounded up.
fn clamped(partitioning: Partitioning, factor: f32, least: Option<f32>) -> f32 {
    let (low, high) = match partitioning {
        Partitioning::Integer | Partitioning::Pow2 => (1.0, 64.0),
        Partitioning::FractionalOdd => (1.0, 63.0),
        Partitioning::FractionalEven => (2.0, 64.0),
    };
    let low = least.unwrap_or(low);
    // A NaN becomes the lower bound.
    let factor = if factor > low { factor.min(high) } else { low };
    match partitioning {
        Partitioning::Integer | Partitioning::Pow2 => factor.ceil(),
        Partitioning::FractionalOdd | Partitioning::FractionalEven => factor,
    }
}

/// A factor in fixed point: the nearest, or of two the even one.
fn fixed(factor: f32) -> u32 {
    (f64::from(factor) * f64::from(ONE)).round_ties_even() as u32
}

fn line(partitioning: Partitioning, factor: f32, is_inside: bool) -> Line {
    let is_odd = match partitioning {
        Partitioning::FractionalOdd => true,
        Partitioning::FractionalEven => false,
        Partitioning::Integer | Partitioning::Pow2 => {
            factor % 2.0 != 0.0 && !(is_inside && factor == 1.0)
        }
    };
    Line::new(fixed(factor), is_odd)
}

/// Divides a patch; `None` if its factors cull it.
pub fn tessellate(
    domain: Domain,
    partitioning: Partitioning,
    topology: PatchTopology,
    factors: &Factors,
) -> Option<Tessellated> {
    let edges = match domain {
        Domain::Tri => 3,
        Domain::Quad => 4,
        Domain::Isoline => 2,
    };
    // Not `<= 0`: a NaN culls the patch too.
    if !factors.edges[..edges].iter().all(|it| *it > 0.0) {
        return None;
    }
    let mut patch = match domain {
        Domain::Isoline => isolines(partitioning, factors, topology),
        Domain::Tri => tri(partitioning, factors),
        Domain::Quad => quad(partitioning, factors),
    };
    match topology {
        PatchTopology::Point => {
            patch.primitives = (0..patch.points.len() as u32).map(|it| [it; 3]).collect();
        }
        PatchTopology::CounterClockwise => patch.primitives.iter_mut().for_each(|it| it.swap(1, 2)),
        PatchTopology::Line | PatchTopology::Clockwise => {}
    }
    Some(patch)
}

fn isolines(partitioning: Partitioning, factors: &Factors, topology: PatchTopology) -> Tessellated {
    let [density, detail, ..] = factors.edges;
    let density = clamped(Partitioning::Integer, density, None);
    let lines = line(Partitioning::Integer, density, false);
    let detail = line(partitioning, clamped(partitioning, detail, None), false);
    let mut patch = Tessellated::default();
    for number in 0..density as u32 {
        let (v, first) = (lines.at(number), patch.points.len() as u32);
        let count = detail.count();
        patch.points.extend((0..count).map(|p| [detail.at(p), v]));
        if topology != PatchTopology::Point {
            patch.primitives.extend((first..first + count - 1).map(|p| [p, p + 1, p + 1]));
        }
    }
    patch
}

/// The clamped factors, and whether all of them are 1 where that leaves the patch undivided.
fn inner(partitioning: Partitioning, edges: &[f32], insides: &[f32]) -> (Vec<f32>, Vec<f32>, bool) {
    let clamp = |it: &f32| clamped(partitioning, *it, None);
    let edges: Vec<f32> = edges.iter().map(clamp).collect();
    // Beyond one, inner rings must not degenerate.
    let most = 1.0 + 0.5 / ONE as f32;
    let is_more = |it: &f32| *it > most;
    let is_divided = edges.iter().any(is_more) || insides.len() > 1 && insides.iter().any(is_more);
    let least = (partitioning == Partitioning::FractionalOdd && is_divided)
        .then_some(1.0 + 1.0 / ONE as f32);
    let insides: Vec<f32> = insides.iter().map(|it| clamped(partitioning, *it, least)).collect();
    let is_one = partitioning != Partitioning::FractionalEven
        && edges.iter().chain(&insides).all(|it| *it == 1.0);
    (edges, insides, is_one)
}

/// The points of one ring: for each side its points and the first one of the next side.
type Ring = Vec<Vec<u32>>;

/// Appends the sides of a ring, each without its last point, and returns their rows.
fn push_ring(patch: &mut Tessellated, sides: &[Vec<[u32; 2]>]) -> Ring {
    let start = patch.points.len() as u32;
    let mut rows: Ring = Vec::new();
    for side in sides {
        let first = patch.points.len() as u32;
        let own = &side[..side.len() - 1];
        patch.points.extend_from_slice(own);
        rows.push((first..=first + own.len() as u32).collect());
    }
    // The last row ends where the first begins.
    if let Some(last) = rows.last_mut().and_then(|it| it.last_mut()) {
        *last = start;
    }
    rows
}

fn tri(partitioning: Partitioning, factors: &Factors) -> Tessellated {
    let mut patch = Tessellated::default();
    let (edges, insides, is_one) = inner(partitioning, &factors.edges[..3], &factors.insides[..1]);
    if is_one {
        patch.points = vec![[0, ONE], [0, 0], [ONE, 0]];
        patch.primitives = vec![[0, 1, 2]];
        return patch;
    }
    let outer: Vec<Line> = edges.iter().map(|it| line(partitioning, *it, false)).collect();
    let inside = line(partitioning, insides[0], true);
    let up = |line: Line| (0..line.count()).map(move |p| line.at(p));
    let mut rings = Vec::new();
    let sides = [
        up(outer[0]).rev().map(|v| [0, v]).collect(),
        up(outer[1]).map(|u| [u, 0]).collect(),
        up(outer[2]).rev().map(|u| [u, ONE - u]).collect(),
    ];
    rings.push(push_ring(&mut patch, &sides));
    let count = inside.count().max(if inside.is_odd { 4 } else { 3 });
    for ring in 1..count / 2 {
        let perpendicular = ((u64::from(inside.at(ring)) * 0xaaaa + u64::from(HALF)) >> 16) as u32;
        let along = || (ring..count - ring).map(|q| inside.at(q) - perpendicular.div_ceil(2));
        let sides = [
            along().rev().map(|t| [perpendicular, t]).collect(),
            along().map(|t| [t, perpendicular]).collect(),
            along().rev().map(|t| [t, ONE - t - perpendicular]).collect(),
        ];
        rings.push(push_ring(&mut patch, &sides));
    }
    if !inside.is_odd {
        let centre = patch.points.len() as u32;
        patch.points.push([0x5555; 2]);
        rings.push(vec![vec![centre]; 3]);
    }
    connect(&mut patch, &rings, &outer, &[inside; 3]);
    if let (true, Some(last)) = (inside.is_odd, rings.last()) {
        patch.primitives.push([last[0][0], last[1][0], last[2][0]]);
    }
    patch
}

fn quad(partitioning: Partitioning, factors: &Factors) -> Tessellated {
    let mut patch = Tessellated::default();
    let (edges, insides, is_one) = inner(partitioning, &factors.edges, &factors.insides);
    if is_one {
        patch.points = vec![[0, 0], [ONE, 0], [ONE, ONE], [0, ONE]];
        patch.primitives = vec![[0, 1, 3], [1, 2, 3]];
        return patch;
    }
    let outer: Vec<Line> = edges.iter().map(|it| line(partitioning, *it, false)).collect();
    let [u, v] = [0, 1].map(|it| line(partitioning, insides[it], true));
    let up = |line: Line| (0..line.count()).map(move |p| line.at(p));
    let mut rings = Vec::new();
    let sides = [
        up(outer[0]).rev().map(|v| [0, v]).collect(),
        up(outer[1]).map(|u| [u, 0]).collect(),
        up(outer[2]).map(|v| [ONE, v]).collect(),
        up(outer[3]).rev().map(|u| [u, ONE]).collect(),
    ];
    rings.push(push_ring(&mut patch, &sides));
    let [of_u, of_v] = [u, v].map(|it| it.count().max(if it.is_odd { 4 } else { 3 }));
    let least = of_u.min(of_v);
    for ring in 1..least / 2 {
        let along_u = || (ring..of_u - ring).map(|p| u.at(p));
        let along_v = || (ring..of_v - ring).map(|p| v.at(p));
        let sides = [
            along_v().rev().map(|v| [u.at(ring), v]).collect(),
            along_u().map(|u| [u, v.at(ring)]).collect(),
            along_v().map(|v| [u.at(of_u - 1 - ring), v]).collect(),
            along_u().rev().map(|u| [u, v.at(of_v - 1 - ring)]).collect(),
        ];
        rings.push(push_ring(&mut patch, &sides));
    }
    let middle = least / 2;
    let first = patch.points.len() as u32;
    let is_degenerate = if of_u > of_v && !v.is_odd {
        patch.points.extend((middle..of_u - middle).map(|p| [u.at(p), HALF]));
        let row: Vec<u32> = (first..patch.points.len() as u32).collect();
        let back: Vec<u32> = row.iter().rev().copied().collect();
        rings.push(vec![vec![row[0]], row.clone(), vec![back[0]], back]);
        true
    } else if of_v >= of_u && !u.is_odd {
        patch.points.extend((middle..of_v - middle).rev().map(|p| [HALF, v.at(p)]));
        let column: Vec<u32> = (first..patch.points.len() as u32).collect();
        let back: Vec<u32> = column.iter().rev().copied().collect();
        rings.push(vec![column.clone(), vec![back[0]], back, vec![column[0]]]);
        true
    } else {
        false
    };
    connect(&mut patch, &rings, &outer, &[v, u, v, u]);
    if let (false, Some(last)) = (is_degenerate, rings.last()) {
        let reversed = |it: &[u32]| it.iter().rev().copied().collect::<Vec<u32>>();
        let (o, i) = match of_u > of_v {
            true => (last[1].clone(), reversed(&last[3])),
            false => (last[0].clone(), reversed(&last[2])),
        };
        let segments = o.len() - 1;
        let mirrors = of_u <= of_v && v.is_odd;
        for s in 0..segments {
            let [a, b, c, d] = [o[s], o[s + 1], i[s], i[s + 1]];
            patch.primitives.extend(match (mirrors, 2 * s + 1 == segments) {
                (false, _) => [[c, a, b], [c, b, d]],
                (true, false) => [[a, b, c], [c, b, d]],
                (true, true) => [[a, d, c], [a, b, d]],
            });
        }
    }
    patch
}

/// Connects each ring with the next one inside it.
fn connect(patch: &mut Tessellated, rings: &[Ring], outer: &[Line], inside: &[Line]) {
    for (number, pair) in rings.windows(2).enumerate() {
        for (side, (o, i)) in pair[0].iter().zip(&pair[1]).enumerate() {
            let primitives = &mut patch.primitives;
            match number {
                0 => transition(primitives, (o, outer[side]), (i, inside[side])),
                _ => regular(primitives, o, i),
            }
        }
    }
}

/// The triangles between rows of different factors.
fn transition(
    primitives: &mut Vec<[u32; 3]>,
    (o, outer): (&[u32], Line),
    (i, inner): (&[u32], Line),
) {
    let (of_outer, of_inner) = (outer.inserted(), inner.inserted());
    let (mut at_o, mut at_i) = (0, 0);
    let advance_outer = |at_o: &mut usize, at_i: usize, primitives: &mut Vec<[u32; 3]>| {
        primitives.push([o[*at_o], o[*at_o + 1], i[at_i]]);
        *at_o += 1;
    };
    let advance_inner = |at_o: usize, at_i: &mut usize, primitives: &mut Vec<[u32; 3]>| {
        primitives.push([i[*at_i], o[at_o], i[*at_i + 1]]);
        *at_i += 1;
    };
    if of_outer > 0 {
        advance_outer(&mut at_o, at_i, primitives);
    }
    for point in &INSERTION[1..] {
        if *point < of_inner {
            advance_inner(at_o, &mut at_i, primitives);
        }
        if *point < of_outer {
            advance_outer(&mut at_o, at_i, primitives);
        }
    }
    match (outer.is_odd, inner.is_odd) {
        (true, true) => {
            primitives.push([i[at_i], o[at_o], i[at_i + 1]]);
            primitives.push([i[at_i + 1], o[at_o], o[at_o + 1]]);
            at_o += 1;
            at_i += 1;
        }
        (true, false) => {
            primitives.push([i[at_i], o[at_o], o[at_o + 1]]);
            at_o += 1;
        }
        (false, true) => advance_inner(at_o, &mut at_i, primitives),
        (false, false) => {}
    }
    for point in INSERTION[1..].iter().rev() {
        if *point < of_outer {
            advance_outer(&mut at_o, at_i, primitives);
        }
        if *point < of_inner {
            advance_inner(at_o, &mut at_i, primitives);
        }
    }
    if of_outer > 0 {
        advance_outer(&mut at_o, at_i, primitives);
    }
}

/// The triangles between rows of one factor: the inner row has two points fewer.
fn regular(primitives: &mut Vec<[u32; 3]>, o: &[u32], i: &[u32]) {
    primitives.push([o[0], o[1], i[0]]);
    let segments = i.len() - 1;
    for s in 0..segments {
        let [a, b, c, d] = [o[s + 1], o[s + 2], i[s], i[s + 1]];
        primitives.extend(match s < i.len() / 2 {
            true => [[a, d, c], [a, b, d]],
            false => [[c, a, b], [c, b, d]],
        });
    }
    let last = segments + 1;
    primitives.push([o[last], o[last + 1], i[segments]]);
}
