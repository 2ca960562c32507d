//! Meshes from Wavefront `.obj` files: positions, texture coordinates, normals and faces. Everything else in such a
//! file, such as materials and groups, does not change what is drawn, and is skipped.

use wavelane::graphics::InputElement;
use wavelane::texture::Format;

use crate::problem::Problem;

/// The most corners of all triangles together.
const MOST_CORNERS: usize = 1 << 22;

/// Triangles, corner by corner: position, texture coordinates, normal.
#[derive(Debug, PartialEq)]
pub(super) struct Mesh {
    corners: Vec<[f32; 8]>,
}

impl Mesh {
    pub(super) const STRIDE: usize = 32;

    pub(super) fn read(file: &str) -> Result<Mesh, Problem> {
        if !file.ends_with(".obj") {
            let problem = Problem::input(format!("`{file}` is not something to draw"));
            return Err(problem.help("--draw fullscreen, or a mesh: --draw mesh.obj"));
        }
        let (name, text) = crate::files::read_source(file)?;
        Mesh::parse(&text).map_err(|(line, what)| Problem::input(format!("{name}:{line}: {what}")))
    }

    fn parse(text: &str) -> Result<Mesh, (usize, String)> {
        let (mut positions, mut coordinates, mut normals) =
            (Vec::<[f32; 3]>::new(), Vec::<[f32; 3]>::new(), Vec::<[f32; 3]>::new());
        let mut corners = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |what: String| (number, what);
            let line = line.split('#').next().unwrap_or("");
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => positions.push(vector(words, 3).map_err(wrong)?),
                Some("vt") => coordinates.push(vector(words, 2).map_err(wrong)?),
                Some("vn") => normals.push(vector(words, 3).map_err(wrong)?),
                Some("f") => {
                    let mut face = Vec::new();
                    for word in words {
                        let mut parts = word.split('/');
                        let at = pick(parts.next(), &positions).map_err(wrong)?;
                        let at = at.ok_or_else(|| wrong("a corner has no position".to_owned()))?;
                        let uv = pick(parts.next(), &coordinates).map_err(wrong)?;
                        let normal = pick(parts.next(), &normals).map_err(wrong)?;
                        face.push((at, uv.unwrap_or_default(), normal));
                    }
                    if face.len() < 3 {
                        return Err(wrong(format!("a face has {} corners", face.len())));
                    }
                    for index in 2..face.len() {
                        let triangle = [face[0], face[index - 1], face[index]];
                        let flat = flat_normal(triangle.map(|it| it.0));
                        for (at, uv, normal) in triangle {
                            let n = normal.unwrap_or(flat);
                            // Rows of textures run downwards here, and upwards in such files.
                            corners.push([
                                at[0],
                                at[1],
                                at[2],
                                uv[0],
                                1.0 - uv[1],
                                n[0],
                                n[1],
                                n[2],
                            ]);
                        }
                    }
                    if corners.len() > MOST_CORNERS {
                        let what = format!("more than {} triangles", MOST_CORNERS / 3);
                        return Err(wrong(what));
                    }
                }
                _ => {}
            }
        }
        match corners.is_empty() {
            true => Err((1, "the mesh has no faces".to_owned())),
            false => Ok(Mesh { corners }),
        }
    }

    pub(super) fn count(&self) -> u32 {
        self.corners.len() as u32
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.corners.iter().flatten().flat_map(|it| it.to_le_bytes()).collect()
    }

    /// Where the attributes are in a corner.
    pub(super) fn layout() -> Vec<InputElement> {
        let element = |semantic: &str, format: &str, offset| InputElement {
            semantic: semantic.to_owned(),
            index: 0,
            format: Format::parse(format).unwrap_or_else(|| unreachable!("`{format}` is a format")),
            slot: 0,
            offset,
            step_rate: None,
        };
        vec![
            element("POSITION", "R32G32B32_FLOAT", 0),
            element("TEXCOORD", "R32G32_FLOAT", 12),
            element("NORMAL", "R32G32B32_FLOAT", 20),
        ]
    }

    /// A scale and an offset that bring the mesh into view: seen along -z, with its proportions, in the middle.
    pub(super) fn fit(&self) -> ([f32; 3], [f32; 3]) {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for corner in &self.corners {
            for axis in 0..3 {
                low[axis] = low[axis].min(corner[axis]);
                high[axis] = high[axis].max(corner[axis]);
            }
        }
        let size = |axis: usize| (high[axis] - low[axis]).max(f32::MIN_POSITIVE);
        let plane = 1.8 / size(0).max(size(1));
        // A nearer vertex has the greater z in the file, and the smaller depth.
        let scale = [plane, plane, -0.8 / size(2)];
        let middle = |axis: usize| (low[axis] + high[axis]) / 2.0;
        let offset = [-middle(0) * plane, -middle(1) * plane, 0.5 - middle(2) * scale[2]];
        (scale, offset)
    }
}

fn vector<'a>(words: impl Iterator<Item = &'a str>, least: usize) -> Result<[f32; 3], String> {
    let mut vector = [0.0f32; 3];
    let mut count = 0;
    for (place, word) in vector.iter_mut().zip(words) {
        *place = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
        if !place.is_finite() {
            return Err(format!("`{word}` is not finite"));
        }
        count += 1;
    }
    match count < least {
        true => Err(format!("{count} numbers, and {least} are needed")),
        false => Ok(vector),
    }
}

/// The element with that number, from 1 on, or from the end if it is negative.
fn pick(word: Option<&str>, all: &[[f32; 3]]) -> Result<Option<[f32; 3]>, String> {
    let Some(word) = word.filter(|it| !it.is_empty()) else { return Ok(None) };
    let number: i64 = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
    let index = if number < 0 { all.len() as i64 + number } else { number - 1 };
    let found = usize::try_from(index).ok().and_then(|it| all.get(it));
    found.map(|it| Some(*it)).ok_or_else(|| format!("there is no number {word}"))
}

/// The normal of a triangle that has none.
fn flat_normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let edge = |to: [f32; 3]| [0, 1, 2].map(|it| to[it] - a[it]);
    let (u, v) = (edge(b), edge(c));
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = cross.iter().map(|it| it * it).sum::<f32>().sqrt();
    if length > 0.0 { cross.map(|it| it / length) } else { [0.0, 0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_become_triangles() {
        let text = "# a square\nv -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nvt 0.25 0.75\nusemtl x\nf 1/1 2/1 3/1 -1/1\n";
        let mesh = Mesh::parse(text).unwrap();
        assert_eq!(mesh.count(), 6);
        assert_eq!(mesh.corners[0], [-1.0, -1.0, 0.0, 0.25, 0.25, 0.0, 0.0, 1.0]);
        assert_eq!(mesh.corners[5][..3], [-1.0, 1.0, 0.0]);
        assert_eq!(mesh.bytes().len(), 6 * Mesh::STRIDE);
        let (scale, offset) = mesh.fit();
        assert_eq!((scale[0], offset), (0.9, [0.0, 0.0, 0.5]));
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line, says) in [
            ("v 1 2\n", 1, "3 are needed"),
            ("\nv 1 2 x\n", 2, "`x` is not a number"),
            ("v 0 0 inf\n", 1, "not finite"),
            ("v 0 0 0\nf 1 1\n", 2, "2 corners"),
            ("v 0 0 0\nf 1 1 2\n", 2, "no number 2"),
            ("v 0 0 0\nf 1 1 -2\n", 2, "no number -2"),
            ("v 0 0 0\nf 1 1 /1\n", 2, "no position"),
            ("", 1, "no faces"),
        ] {
            let (at, what) = Mesh::parse(text).unwrap_err();
            assert!(at == line && what.contains(says), "{text}: {at}: {what}");
        }
    }
}
