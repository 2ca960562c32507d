//! Primitive assembly: from vertices in the order of their fetching to points, lines, triangles and patches.
//!
//! Spec: Direct3D 11.3, 8.10 and 8.14. Adjacent vertices are fetched, but only a geometry shader can see them.
//! An incomplete primitive at the end of a run vanishes.

use std::fmt;
use std::ops::Range;

/// What a primitive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Point,
    Line,
    Triangle,
}

/// How vertices form primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    PointList,
    LineList,
    LineStrip,
    TriangleList,
    TriangleStrip,
    LineListAdjacency,
    LineStripAdjacency,
    TriangleListAdjacency,
    TriangleStripAdjacency,
    /// Patches of this many control points, 1 to 32.
    PatchList(u8),
}

/// The type of the numbers in an index buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexFormat {
    /// `R16_UINT`.
    Uint16,
    /// `R32_UINT`.
    Uint32,
}

impl fmt::Display for IndexFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            IndexFormat::Uint16 => "R16_UINT",
            IndexFormat::Uint32 => "R32_UINT",
        })
    }
}

/// A primitive: the numbers of its vertices, the leading one first. Lines and points repeat the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Primitive {
    pub vertices: [u32; 3],
    /// `SV_PrimitiveID`: from 0 in each instance.
    pub id: u32,
}

/// The vertices of one instance, in the order of their fetching, and the primitives that they form.
#[derive(Clone, Debug)]
pub struct Assembly {
    topology: Topology,
    fetching: Fetching,
    /// How many vertices are fetched.
    vertices: u32,
    /// The corners between strip cuts; without reuse each is a separate vertex.
    runs: Vec<Range<u32>>,
}

/// Which vertices are fetched.
#[derive(Clone, Debug)]
enum Fetching {
    /// 0, 1, …
    Plain,
    /// One for each index, which is its `SV_VertexID`.
    Indexed(Vec<u32>),
    /// One for each number from the least index to the greatest.
    Shared {
        /// `SV_VertexID` of the first.
        least: u32,
        /// By corner, the number of its vertex.
        numbers: Vec<u32>,
    },
}

impl Fetching {
    /// The number of the vertex at a corner.
    #[inline]
    fn vertex(&self, corner: u32) -> u32 {
        match self {
            Fetching::Plain | Fetching::Indexed(_) => corner,
            Fetching::Shared { numbers, .. } => numbers[corner as usize],
        }
    }
}

/// The primitives of an assembly, run by run.
///
/// PERF: one loop. Nested iterators are calls, and took a twentieth of a draw of small triangles.
struct Primitives<'a> {
    assembly: &'a Assembly,
    /// The numbers of those that are wanted.
    ids: Range<u32>,
    /// The runs to come.
    runs: std::slice::Iter<'a, Range<u32>>,
    /// Of the current run, the first corner, and the number of the first primitive.
    start: u32,
    first: u32,
    /// How many primitives it has.
    count: u32,
    /// Those of them to come.
    next: u32,
    end: u32,
}

impl Iterator for Primitives<'_> {
    type Item = Primitive;

    #[inline]
    fn next(&mut self) -> Option<Primitive> {
        let Assembly { topology, fetching, .. } = self.assembly;
        while self.next >= self.end {
            let run = self.runs.next()?;
            self.first += self.count;
            self.start = run.start;
            self.count = topology.primitives(run.end - run.start);
            let count = self.count;
            self.next = self.ids.start.saturating_sub(self.first).min(count);
            self.end = self.ids.end.saturating_sub(self.first).min(count);
        }
        let k = self.next;
        self.next += 1;
        let vertices = topology.corners(k).map(|it| fetching.vertex(self.start + it));
        Some(Primitive { vertices, id: self.first + k })
    }
}

impl Topology {
    pub fn kind(self) -> Kind {
        match self {
            // Of a patch, the tessellator makes what is drawn.
            Topology::PointList | Topology::PatchList(_) => Kind::Point,
            Topology::LineList
            | Topology::LineStrip
            | Topology::LineListAdjacency
            | Topology::LineStripAdjacency => Kind::Line,
            Topology::TriangleList
            | Topology::TriangleStrip
            | Topology::TriangleListAdjacency
            | Topology::TriangleStripAdjacency => Kind::Triangle,
        }
    }

    /// Whether an index can end a primitive early: the strips.
    pub fn is_strip(self) -> bool {
        match self {
            Topology::LineStrip
            | Topology::TriangleStrip
            | Topology::LineStripAdjacency
            | Topology::TriangleStripAdjacency => true,
            Topology::PointList
            | Topology::LineList
            | Topology::TriangleList
            | Topology::LineListAdjacency
            | Topology::TriangleListAdjacency
            | Topology::PatchList(_) => false,
        }
    }

    /// How many primitives this many vertices form.
    pub fn primitives(self, vertices: u32) -> u32 {
        match self {
            Topology::PointList => vertices,
            Topology::LineList => vertices / 2,
            Topology::LineStrip => vertices.saturating_sub(1),
            Topology::TriangleList => vertices / 3,
            Topology::TriangleStrip => vertices.saturating_sub(2),
            Topology::LineListAdjacency => vertices / 4,
            Topology::LineStripAdjacency => vertices.saturating_sub(3),
            Topology::TriangleListAdjacency => vertices / 6,
            Topology::TriangleStripAdjacency => (vertices / 2).saturating_sub(2),
            Topology::PatchList(points) => vertices / u32::from(points.max(1)),
        }
    }

    /// How many vertices of a primitive a geometry or hull shader sees.
    pub fn vertices(self) -> u32 {
        match self {
            Topology::PointList => 1,
            Topology::LineList | Topology::LineStrip => 2,
            Topology::TriangleList | Topology::TriangleStrip => 3,
            Topology::LineListAdjacency | Topology::LineStripAdjacency => 4,
            Topology::TriangleListAdjacency | Topology::TriangleStripAdjacency => 6,
            Topology::PatchList(points) => points.into(),
        }
    }

    /// Appends the vertices of primitive `k` of `count`, adjacent ones included, counted from the start of a run.
    fn push_vertices(self, k: u32, count: u32, to: &mut Vec<u32>) {
        let list = self.vertices();
        match self {
            Topology::TriangleStripAdjacency => {
                let first = 2 * k;
                // The neighbours across the edge to the triangle before, to the one behind, and to none.
                let before = if k == 0 { first + 1 } else { first - 2 };
                let behind = if k + 1 == count { first + 5 } else { first + 6 };
                let side = first + 3;
                let [a, b, c] = self.corners(k);
                match k.is_multiple_of(2) {
                    true => to.extend([a, before, b, behind, c, side]),
                    false => to.extend([a, side, b, behind, c, before]),
                }
            }
            Topology::LineStripAdjacency => to.extend(k..k + 4),
            Topology::LineListAdjacency | Topology::TriangleListAdjacency => {
                to.extend(k * list..(k + 1) * list);
            }
            Topology::PatchList(_) => to.extend(k * list..(k + 1) * list),
            Topology::PointList
            | Topology::LineList
            | Topology::LineStrip
            | Topology::TriangleList
            | Topology::TriangleStrip => to.extend(&self.corners(k)[..list as usize]),
        }
    }

    /// The vertices of primitive `k`, counted from the start of a run.
    fn corners(self, k: u32) -> [u32; 3] {
        // Every other triangle of a strip is turned, so that all have the same facing.
        let turned = |first: u32, step: u32| {
            let (second, third) = (first + step, first + 2 * step);
            if k.is_multiple_of(2) { [first, second, third] } else { [first, third, second] }
        };
        match self {
            Topology::PointList => [k; 3],
            Topology::LineList => [2 * k, 2 * k + 1, 2 * k + 1],
            Topology::LineStrip => [k, k + 1, k + 1],
            Topology::TriangleList => [3 * k, 3 * k + 1, 3 * k + 2],
            Topology::TriangleStrip => turned(k, 1),
            Topology::LineListAdjacency => [4 * k + 1, 4 * k + 2, 4 * k + 2],
            Topology::LineStripAdjacency => [k + 1, k + 2, k + 2],
            Topology::TriangleListAdjacency => [6 * k, 6 * k + 2, 6 * k + 4],
            Topology::TriangleStripAdjacency => turned(2 * k, 2),
            Topology::PatchList(points) => [k * u32::from(points); 3],
        }
    }
}

impl IndexFormat {
    pub fn bytes(self) -> usize {
        match self {
            IndexFormat::Uint16 => 2,
            IndexFormat::Uint32 => 4,
        }
    }

    /// The index that ends a strip.
    pub fn cut(self) -> u32 {
        match self {
            IndexFormat::Uint16 => 0xffff,
            IndexFormat::Uint32 => u32::MAX,
        }
    }

    /// Index `at` of a buffer; 0 beyond its end.
    fn read(self, buffer: &[u8], at: usize) -> u32 {
        let word = match self {
            IndexFormat::Uint16 => {
                buffer.as_chunks().0.get(at).map(|it| u32::from(u16::from_le_bytes(*it)))
            }
            IndexFormat::Uint32 => buffer.as_chunks().0.get(at).map(|it| u32::from_le_bytes(*it)),
        };
        word.unwrap_or(0)
    }
}

impl Assembly {
    /// Vertices 0, 1, … without indices.
    pub fn plain(topology: Topology, vertices: u32) -> Assembly {
        let runs = std::iter::once(0..vertices).collect();
        Assembly { topology, fetching: Fetching::Plain, vertices, runs }
    }

    /// `count` indices from index `start` on. In strips the largest index is a cut: it fetches no vertex, and the next
    /// index begins a new strip.
    pub fn indexed(
        topology: Topology,
        format: IndexFormat,
        buffer: &[u8],
        start: u32,
        count: u32,
    ) -> Assembly {
        let mut indices = Vec::new();
        let mut runs = Vec::new();
        let mut first = 0;
        for i in 0..u64::from(count) {
            let at = usize::try_from(u64::from(start) + i).unwrap_or(usize::MAX);
            let index = format.read(buffer, at);
            if topology.is_strip() && index == format.cut() {
                let end = indices.len() as u32;
                runs.push(first..end);
                first = end;
            } else {
                indices.push(index);
            }
        }
        let vertices = indices.len() as u32;
        runs.push(first..vertices);
        runs.retain(|run| topology.primitives(run.end - run.start) > 0);
        Assembly { topology, fetching: Fetching::Indexed(indices), vertices, runs }
    }

    /// The same primitives, with vertices from the least index to the greatest, each fetched once, if that is fewer and
    /// all of these numbers occur. For draws that cannot observe how often a vertex is transformed.
    pub fn shared(&self) -> Option<Assembly> {
        let Fetching::Indexed(indices) = &self.fetching else { return None };
        let (least, greatest) = (*indices.iter().min()?, *indices.iter().max()?);
        let beyond = u64::from(greatest - least) + 1;
        if beyond >= indices.len() as u64 {
            return None;
        }
        let numbers: Vec<u32> = indices.iter().map(|it| it - least).collect();
        // A vertex that no primitive has must not run: its loops may have no end.
        let mut occurs = vec![false; beyond as usize];
        numbers.iter().for_each(|it| occurs[*it as usize] = true);
        if occurs.contains(&false) {
            return None;
        }
        let fetching = Fetching::Shared { least, numbers };
        let (topology, runs) = (self.topology, self.runs.clone());
        Some(Assembly { topology, fetching, vertices: beyond as u32, runs })
    }

    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// How many vertices an instance fetches. Unless they are shared, an index that occurs twice is fetched twice.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// `SV_VertexID` of a fetched vertex.
    pub fn vertex_id(&self, vertex: u32) -> u32 {
        match &self.fetching {
            Fetching::Plain => vertex,
            Fetching::Indexed(indices) => indices[vertex as usize],
            Fetching::Shared { least, .. } => least + vertex,
        }
    }

    /// `SV_VertexID` of the first vertex, if those of the others follow from it by counting.
    pub fn first_id(&self) -> Option<u32> {
        match &self.fetching {
            Fetching::Plain => Some(0),
            Fetching::Indexed(_) => None,
            Fetching::Shared { least, .. } => Some(*least),
        }
    }

    /// How many primitives an instance has.
    pub fn count(&self) -> u64 {
        let of_run = |run: &Range<u32>| self.topology.primitives(run.end - run.start);
        self.runs.iter().map(|run| u64::from(of_run(run))).sum()
    }

    /// For each primitive of one instance, all of its vertices ([`Topology::vertices`]), one after the other.
    pub fn all_vertices(&self) -> Vec<u32> {
        let mut all = Vec::new();
        for run in &self.runs {
            let count = self.topology.primitives(run.end - run.start);
            let first = all.len();
            (0..count).for_each(|k| self.topology.push_vertices(k, count, &mut all));
            all[first..].iter_mut().for_each(|it| *it = self.fetching.vertex(run.start + *it));
        }
        all
    }

    /// The primitives of one instance. The numbers of vertices count fetched vertices from 0.
    pub fn primitives(&self) -> impl Iterator<Item = Primitive> {
        self.some_primitives(0..u32::MAX)
    }

    /// Those with these numbers.
    pub fn some_primitives(&self, ids: Range<u32>) -> impl Iterator<Item = Primitive> {
        let (start, first, count, next, end) = (0, 0, 0, 0, 0);
        Primitives { assembly: self, ids, runs: self.runs.iter(), start, first, count, next, end }
    }

    /// The number of vertices of a primitive, if each has its own consecutive ones: then a part of the primitives can
    /// be drawn when its vertices are there.
    pub fn separate(&self) -> Option<u32> {
        let has_own = !matches!(self.fetching, Fetching::Shared { .. });
        (has_own && !self.topology.is_strip() && self.runs.len() == 1)
            .then(|| self.topology.vertices())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(assembly: &Assembly) -> Vec<[u32; 3]> {
        assembly.primitives().map(|it| it.vertices).collect()
    }

    /// Random indices: shared vertices form the same primitives of the same `SV_VertexID`s, and are fewer.
    #[test]
    fn shared_vertices_form_the_same_primitives() {
        let mut random = ops::Random::new(19);
        let mut shared_ones = 0;
        for round in 0..400 {
            let topologies = [
                Topology::TriangleList,
                Topology::TriangleStrip,
                Topology::LineStrip,
                Topology::TriangleListAdjacency,
                Topology::PatchList(4),
            ];
            let topology = topologies[round % topologies.len()];
            let (least, count) = (random.below(9) as u32, 1 + random.below(12));
            let mut index = |_| match random.below(20) {
                0 => 0xffff,
                _ => (least + random.below(count) as u32) as u16,
            };
            let bytes: Vec<u8> = (0..36).flat_map(|it| index(it).to_le_bytes()).collect();
            let own = Assembly::indexed(topology, IndexFormat::Uint16, &bytes, 0, 36);
            let Some(shared) = own.shared() else { continue };
            shared_ones += 1;
            let first = shared.first_id().unwrap();
            assert!(shared.vertices() < own.vertices() && first >= least);
            let ids = (first..).take(shared.vertices() as usize);
            assert!(ids.eq((0..shared.vertices()).map(|it| shared.vertex_id(it))));
            let ids = |of: &Assembly| -> Vec<_> {
                of.primitives().map(|it| (it.vertices.map(|it| of.vertex_id(it)), it.id)).collect()
            };
            assert_eq!(ids(&own), ids(&shared), "{topology:?}");
            let all = |of: &Assembly| -> Vec<_> {
                of.all_vertices().into_iter().map(|it| of.vertex_id(it)).collect()
            };
            assert_eq!(all(&own), all(&shared), "{topology:?}");
        }
        assert!(shared_ones > 100, "{shared_ones}");
    }

    #[test]
    fn vertices_are_not_shared_if_one_of_their_numbers_is_missing() {
        let indexed = |indices: [u16; 6]| {
            let bytes: Vec<u8> = indices.iter().flat_map(|it| it.to_le_bytes()).collect();
            let own = Assembly::indexed(Topology::TriangleList, IndexFormat::Uint16, &bytes, 0, 6);
            own.shared().map(|it| it.vertices())
        };
        assert_eq!(indexed([3, 4, 5, 5, 4, 3]), Some(3));
        assert_eq!(indexed([3, 4, 6, 6, 4, 3]), None);
    }

    #[test]
    fn lists_and_strips_form_their_primitives() {
        for (topology, vertices, expected) in [
            (Topology::PointList, 2, &[[0, 0, 0], [1, 1, 1]][..]),
            (Topology::LineList, 5, &[[0, 1, 1], [2, 3, 3]]),
            (Topology::LineStrip, 3, &[[0, 1, 1], [1, 2, 2]]),
            (Topology::TriangleList, 8, &[[0, 1, 2], [3, 4, 5]]),
            (Topology::TriangleStrip, 5, &[[0, 1, 2], [1, 3, 2], [2, 3, 4]]),
            (Topology::LineListAdjacency, 9, &[[1, 2, 2], [5, 6, 6]]),
            (Topology::LineStripAdjacency, 5, &[[1, 2, 2], [2, 3, 3]]),
            (Topology::TriangleListAdjacency, 13, &[[0, 2, 4], [6, 8, 10]]),
            (Topology::TriangleStripAdjacency, 9, &[[0, 2, 4], [2, 6, 4]]),
            (Topology::TriangleStripAdjacency, 10, &[[0, 2, 4], [2, 6, 4], [4, 6, 8]]),
        ] {
            let assembly = Assembly::plain(topology, vertices);
            assert_eq!(corners(&assembly), expected, "{topology:?}");
            assert_eq!(assembly.count(), expected.len() as u64, "{topology:?}");
            for from in 0..3 {
                let part: Vec<_> = assembly.some_primitives(from..from + 1).collect();
                let of: Vec<_> = assembly.primitives().skip(from as usize).take(1).collect();
                assert_eq!(part, of, "{topology:?}");
            }
            assert_eq!(assembly.vertices(), vertices);
            for few in 0..3 {
                let few = Assembly::plain(topology, few);
                assert_eq!(few.primitives().count() as u64, few.count());
            }
        }
    }

    #[test]
    fn a_shader_sees_adjacent_vertices() {
        for (topology, vertices, expected) in [
            (Topology::PointList, 2, &[0, 1][..]),
            (Topology::LineStrip, 3, &[0, 1, 1, 2]),
            (Topology::TriangleStrip, 4, &[0, 1, 2, 1, 3, 2]),
            (Topology::LineListAdjacency, 9, &[0, 1, 2, 3, 4, 5, 6, 7]),
            (Topology::LineStripAdjacency, 5, &[0, 1, 2, 3, 1, 2, 3, 4]),
            (Topology::TriangleListAdjacency, 7, &[0, 1, 2, 3, 4, 5]),
            (Topology::PatchList(3), 7, &[0, 1, 2, 3, 4, 5]),
            // A strip of one triangle, of two and of three.
            (Topology::TriangleStripAdjacency, 6, &[0, 1, 2, 5, 4, 3]),
            (Topology::TriangleStripAdjacency, 8, &[0, 1, 2, 6, 4, 3, 2, 5, 6, 7, 4, 0]),
            (
                Topology::TriangleStripAdjacency,
                10,
                &[0, 1, 2, 6, 4, 3, 2, 5, 6, 8, 4, 0, 4, 2, 6, 9, 8, 7],
            ),
        ] {
            let assembly = Assembly::plain(topology, vertices);
            assert_eq!(assembly.all_vertices(), expected, "{topology:?}");
            let corners = assembly.all_vertices().len() as u64;
            assert_eq!(corners, assembly.count() * u64::from(topology.vertices()));
        }
    }

    #[test]
    fn a_cut_ends_a_strip_and_the_ids_continue() {
        let indices: Vec<u8> =
            [7u16, 8, 9, 0xffff, 1, 2, 0xffff, 0xffff, 3, 4, 5, 6].map(u16::to_le_bytes).concat();
        let strip =
            Assembly::indexed(Topology::TriangleStrip, IndexFormat::Uint16, &indices, 0, 12);
        assert_eq!(strip.vertices(), 9);
        assert_eq!(strip.vertex_id(3), 1);
        assert_eq!(corners(&strip), [[0, 1, 2], [5, 6, 7], [6, 8, 7]]);
        assert_eq!(strip.primitives().map(|it| it.id).collect::<Vec<_>>(), [0, 1, 2]);
        // In a list it is an index like any other.
        let list = Assembly::indexed(Topology::PointList, IndexFormat::Uint16, &indices, 3, 1);
        assert_eq!((list.count(), list.vertex_id(0)), (1, 0xffff));
    }

    #[test]
    fn indices_beyond_their_buffer_are_0() {
        let indices: Vec<u8> = [5u32, 6].map(u32::to_le_bytes).concat();
        let list = Assembly::indexed(Topology::LineList, IndexFormat::Uint32, &indices[..7], 0, 4);
        assert_eq!((0..4).map(|it| list.vertex_id(it)).collect::<Vec<_>>(), [5, 0, 0, 0]);
        let far =
            Assembly::indexed(Topology::PointList, IndexFormat::Uint32, &indices, u32::MAX, 2);
        assert_eq!(far.vertex_id(1), 0);
    }
}
