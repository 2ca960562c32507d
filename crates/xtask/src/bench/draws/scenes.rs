//! The scenes: what is drawn, and how the vertices that a scene reads are made.

use bench::device::{StageKind, Work};

/// The width and height of the targets.
pub(super) const SIDE: u32 = 1024;
/// The pixels along each leg of a small triangle.
const LEG: u32 = 4;
/// The cells along each side of the grids whose triangles are smaller than pixels.
const CELLS: u32 = 256;
/// The groups of a grid of meshlets, which have 8 by 8 cells each.
const MESHLETS: u32 = 32 * 32;
/// The patches of a grid, which are divided into 16 by 16 cells each. One row more would have more than 65,536 points,
/// which llvmpipe numbers with 16 bits.
const PATCHES: u32 = 15 * 15;

pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    /// The file of its shaders, without `.hlsl`.
    pub(super) file: &'static str,
    /// The stages, and their entry points.
    pub(super) stages: &'static [(StageKind, &'static str)],
    pub(super) vertices: fn() -> Vec<f32>,
    /// The semantics of the vertex buffer, and how many floats each has.
    pub(super) attributes: &'static [(&'static str, u32)],
    pub(super) indices: fn() -> Vec<u32>,
    /// The floats that a vertex has beside its position, as the fixed functions see them; `None` where vertices are
    /// made by more than a vertex shader, or where the fixed functions are not what is measured.
    pub(super) varyings: Option<u32>,
    pub(super) work: Work,
    pub(super) triangles: u32,
}

const TWO_STAGES: &[(StageKind, &str)] =
    &[(StageKind::Vertex, "vertex"), (StageKind::Pixel, "pixel")];

const WHOLE: Scene = Scene {
    name: "flat",
    what: "one colour",
    file: "flat",
    stages: TWO_STAGES,
    vertices: Vec::new,
    attributes: &[],
    indices: Vec::new,
    varyings: Some(0),
    work: Work::Triangles(3),
    triangles: 1,
};

const DENSE: Scene = Scene {
    name: "vertices",
    what: "vertices transformed and lit",
    file: "vertices",
    vertices: lit_triangles,
    attributes: &[("POSITION", 3), ("NORMAL", 3)],
    varyings: None,
    work: Work::Triangles(6 * CELLS * CELLS),
    triangles: 2 * CELLS * CELLS,
    ..WHOLE
};

pub(super) const SCENES: [Scene; 9] = [
    WHOLE,
    Scene {
        name: "lit",
        what: "four lights, 120 operations",
        file: "lit",
        varyings: Some(3),
        ..WHOLE
    },
    Scene { name: "roots", what: "32 square roots", file: "roots", varyings: Some(4), ..WHOLE },
    Scene {
        name: "edges",
        what: "derivatives and discard",
        file: "edges",
        varyings: Some(2),
        ..WHOLE
    },
    Scene {
        name: "small",
        what: "triangles of 8 pixels",
        file: "small",
        vertices: coloured_triangles,
        attributes: &[("POSITION", 3), ("COLOR", 4)],
        varyings: Some(4),
        work: Work::Triangles(6 * (SIDE / LEG) * (SIDE / LEG)),
        triangles: 2 * (SIDE / LEG) * (SIDE / LEG),
        ..WHOLE
    },
    DENSE,
    Scene {
        name: "indexed",
        what: "the same, each used six times",
        vertices: lit_grid,
        indices: grid_indices,
        ..DENSE
    },
    Scene {
        name: "meshlets",
        what: "a mesh shader",
        file: "meshlets",
        stages: &[(StageKind::Mesh, "mesh"), (StageKind::Pixel, "pixel")],
        varyings: None,
        work: Work::Groups(MESHLETS),
        triangles: 2 * CELLS * CELLS,
        ..WHOLE
    },
    Scene {
        name: "patches",
        what: "tessellated patches",
        file: "patches",
        stages: &[
            (StageKind::Vertex, "vertex"),
            (StageKind::Hull, "hull"),
            (StageKind::Domain, "domain"),
            (StageKind::Pixel, "pixel"),
        ],
        varyings: None,
        work: Work::Patches(4 * PATCHES),
        triangles: 2 * 16 * 16 * PATCHES,
        ..WHOLE
    },
];

/// The corners of the two triangles of each cell of a square grid, in cells.
fn corners(cells: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..cells * cells).flat_map(move |cell| {
        let (x, y) = (cell % cells, cell / cells);
        [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]].map(|[right, down]| [x + right, y + down])
    })
}

/// Triangles over the target, with colours that follow from their places.
fn coloured_triangles() -> Vec<f32> {
    let words = corners(SIDE / LEG).flat_map(|corner| {
        let [u, v] = corner.map(|it| (it * LEG) as f32 / SIDE as f32);
        [2.0 * u - 1.0, 1.0 - 2.0 * v, 0.5, u, v, 0.5, 1.0]
    });
    words.collect()
}

/// A vertex of a curved surface over a sixteenth of the target: its place and its normal.
fn on_surface(corner: [u32; 2]) -> [f32; 6] {
    let [x, y] = corner.map(|it| it as f32 / (2 * CELLS) as f32 - 0.25);
    [x, y, 0.5 + x * y, -y, -x, 1.0]
}

fn lit_triangles() -> Vec<f32> {
    corners(CELLS).flat_map(on_surface).collect()
}

/// Each vertex of the surface once, row by row.
fn lit_grid() -> Vec<f32> {
    let side = CELLS + 1;
    (0..side * side).flat_map(|it| on_surface([it % side, it / side])).collect()
}

fn grid_indices() -> Vec<u32> {
    corners(CELLS).map(|[x, y]| y * (CELLS + 1) + x).collect()
}
