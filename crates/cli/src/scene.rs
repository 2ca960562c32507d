//! The values of acceleration structures: short forms, meshes and the scenes of jobs.
//!
//! | value | |
//! |---|---|
//! | `triangles(0 1 0, -1 -1 0, 1 -1 0)` | opaque triangles, three vertices each; `non-opaque` in front changes that |
//! | `boxes(-1 -1 -1 1 1 1)` | boxes, by their least and greatest corners |
//! | `@mesh.obj` | one instance; each group of the file is an opaque geometry |
//! | `@scene.yaml`, `@scene.yaml#Name`, `@scene.yaml#Name[1]` | a top level of the `AccelerationStructures` of a file |
//! | `none` | every ray misses |

use std::path::Path;
use std::sync::Arc;

use jobs::job::{Scene as Named, read_scenes};
use jobs::section::short_scene;
use wavelane::Scalar;
use wavelane::internal::ray::{
    Bottom, BottomOptions, Geometry, GeometryData, Instance, Scene, geometry_flag,
};
use wavelane::internal::{SharedScene, Slot, What};
use wavelane::rays::Refusal;

/// The most errors of a file that are located and shown: a scene can have as many wrong instances as it has instances.
const MOST_ERRORS: usize = 20;

/// Reads a file.
type Open<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// What a value binds to an acceleration structure.
pub(crate) fn contents(text: &str, open: &mut Open<'_>) -> Result<Slot, String> {
    let Some(path) = text.trim().strip_prefix('@') else {
        return Ok(short_scene(text)?.map_or_else(Slot::default, |it| What::Scene(it).into()));
    };
    let (path, name) = match path.split_once('#') {
        Some((path, name)) => (path, Some(name)),
        None => (path, None),
    };
    let text = String::from_utf8(open(path)?).map_err(|_| format!("`{path}` is not text"))?;
    let is_mesh = Path::new(path).extension().is_some_and(|it| it.eq_ignore_ascii_case("obj"));
    match (is_mesh, name) {
        (false, _) => of_job(path, name, &text, open),
        (true, None) => {
            let scene = mesh(&text).map_err(|(line, what)| format!("{path}:{line}: {what}"))?;
            Ok(What::Scene(SharedScene(Arc::new(scene))).into())
        }
        (true, Some(name)) => {
            Err(format!("`{path}` is a mesh and has no scene `{name}`; leave `#{name}` out"))
        }
    }
}

/// A top level of a file in the format of jobs.
fn of_job(path: &str, name: Option<&str>, text: &str, open: &mut Open<'_>) -> Result<Slot, String> {
    // Files that it names are relative to this one.
    let folder = Path::new(path).parent().map(Path::to_path_buf).unwrap_or_default();
    let mut beside = |it: &str| open(&folder.join(it).to_string_lossy());
    let mut read = |it: &str| {
        let bytes = beside(it)?;
        match Path::new(it).extension().is_some_and(|it| it.eq_ignore_ascii_case("npy")) {
            true => array(&bytes).map_err(|what| format!("`{it}`: {what}")),
            false => Ok(bytes),
        }
    };
    let scenes = read_scenes(text, &mut read).map_err(|errors| {
        let mut lines: Vec<String> = errors
            .iter()
            .take(MOST_ERRORS)
            .map(|it| {
                let before = &text[..it.at.start.min(text.len())];
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
                let help = it.help.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
                format!("{path}:{line}:{column}: {}{help}", it.message)
            })
            .collect();
        if errors.len() > MOST_ERRORS {
            lines.push(format!("… and {} more errors", errors.len() - MOST_ERRORS));
        }
        lines.join("\n")
    })?;
    choose(path, name, &scenes)
}

/// The numbers of an array that a buffer can hold as they are.
fn array(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let array = crate::npy::read(bytes)?;
    match array.scalar {
        Scalar::F32 | Scalar::U32 | Scalar::I32 | Scalar::U16 => Ok(array.data),
        other => Err(format!(
            "it holds {}; save positions as `float32` and indices as `uint32` or `uint16`",
            other.name()
        )),
    }
}

fn choose(path: &str, name: Option<&str>, scenes: &[Named]) -> Result<Slot, String> {
    let names = || scenes.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join("`, `");
    let (found, element) = match (name, scenes) {
        (_, []) => return Err(format!("`{path}` has no `TLAS`")),
        (None, [only]) => (only, 0),
        (None, _) => {
            return Err(format!(
                "`{path}` has several top levels; add one of `{}` after `#`",
                names()
            ));
        }
        (Some(name), _) => {
            let (base, element) = match name.split_once('[') {
                None => (name, Some(0)),
                Some((base, rest)) => {
                    (base, rest.strip_suffix(']').and_then(|it| it.parse::<usize>().ok()))
                }
            };
            let element =
                element.ok_or_else(|| format!("expected `#Name` or `#Name[k]`, not `#{name}`"))?;
            let found = scenes.iter().find(|it| it.name == base).ok_or_else(|| {
                format!("`{path}` has no top level `{base}`; there are `{}`", names())
            })?;
            (found, element)
        }
    };
    let count = found.elements.len();
    match found.elements.get(element) {
        Some(level) => Ok(Slot::from(level)),
        None => {
            Err(format!("`{}` has {count} elements, and none with the index {element}", found.name))
        }
    }
}

/// The triangles of a group.
#[derive(Default)]
struct Group {
    indices: Vec<u32>,
    /// The line of each triangle.
    lines: Vec<usize>,
}

/// A mesh in the format of Wavefront: vertices, faces and groups. Other lines are ignored. An error has its line.
fn mesh(text: &str) -> Result<Scene, (usize, String)> {
    let mut vertices: Vec<[f32; 3]> = Vec::new();
    let mut groups: Vec<Group> = vec![Group::default()];
    for (at, line) in text.lines().enumerate() {
        let fail = |what: String| (at + 1, what);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let number =
                    |it: &str| it.parse().map_err(|_| fail(format!("`{it}` is not a number")));
                let numbers: Vec<f32> = words.map(number).collect::<Result<_, _>>()?;
                let [x, y, z, ..] = numbers[..] else {
                    return Err(fail("a vertex has three coordinates".to_owned()));
                };
                vertices.push([x, y, z]);
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .map(|it| corner(it, vertices.len()).map_err(fail))
                    .collect::<Result<_, _>>()?;
                if corners.len() < 3 {
                    return Err(fail("a face has at least three corners".to_owned()));
                }
                let group = groups.last_mut().unwrap_or_else(|| unreachable!("there is a group"));
                // A polygon is a fan of triangles.
                for pair in corners[1..].windows(2) {
                    group.indices.extend([corners[0], pair[0], pair[1]]);
                    group.lines.push(at + 1);
                }
            }
            Some("g") => groups.push(Group::default()),
            _ => {}
        }
    }
    groups.retain(|it| !it.lines.is_empty());
    let geometries: Vec<Geometry<'_>> = groups
        .iter()
        .map(|group| Geometry {
            data: GeometryData::Triangles {
                vertices: &vertices,
                indices: Some(&group.indices),
                transform: None,
            },
            flags: geometry_flag::OPAQUE,
        })
        .collect();
    let refused = |error: Refusal| {
        let group = error.geometry().and_then(|it| groups.get(it));
        let line = match error {
            Refusal::Nan { primitive, .. } => group.and_then(|it| it.lines.get(primitive)),
            _ => group.and_then(|it| it.lines.first()),
        };
        (line.copied().unwrap_or(1), error.to_string())
    };
    let bottom = Bottom::build(&geometries, BottomOptions::default()).map_err(refused)?;
    Scene::build(&[Instance { bottom: Some(bottom), ..Instance::default() }]).map_err(refused)
}

/// `a`, `a/b` or `a/b/c`, from 1 or from the end.
fn corner(text: &str, vertices: usize) -> Result<u32, String> {
    let wrong = || format!("`{text}` is not a corner of a face");
    let number: i64 = text.split('/').next().unwrap_or("").parse().map_err(|_| wrong())?;
    let index = if number < 0 { number + vertices as i64 } else { number - 1 };
    match usize::try_from(index) {
        Ok(index) if index < vertices => Ok(index as u32),
        _ => Err(format!("`{text}` names a vertex that is not above; there are {vertices}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(path: &str) -> Result<Vec<u8>, String> {
        match path {
            "box.obj" => Ok(b"# two groups\nv 0 1 1\nv 1 -1 1\nv -1 -1 1\nv 0 0 5\ng a\nf 1 2 3\ng b\nf 1/1 2/2/2 -1//3\nf 1 2 3 4\ng c\n".to_vec()),
            "in/two.yaml" => Ok(b"Buffers: [{ Name: V, Format: Float32, File: v.bin }]
AccelerationStructures:
  BLAS: [{ Name: M, Triangles: [{ VertexBuffer: V, VertexCount: 3 }] }]
  TLAS:
    - { Name: A, Instances: [{ BLAS: M }] }
    - { Name: B, ArraySize: 2, Instances: [[{ BLAS: M }, { BLAS: M }], []] }
".to_vec()),
            "in/v.bin" => Ok(vec![0; 36]),
            "bad.yaml" => Ok(b"AccelerationStructures:\n  BLAS: [{ Nam: M }]\n".to_vec()),
            "bad.obj" => Ok(b"v 0 0 0\nf 1 2 3\n".to_vec()),
            "few.obj" => Ok(b"v 0 0\n".to_vec()),
            "nan.obj" => Ok(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 nan 0\nf 1 2 3\ng a\nf 1 2 3\nf 1 2 4\n".to_vec()),
            "zero.obj" => Ok(b"v 0 0 0\nf 0 1 1\n".to_vec()),
            "word.obj" => Ok(b"v 0 0 0\n\nv 1 one 0\n".to_vec()),
            _ => Err(format!("`{path}` cannot be read")),
        }
    }

    fn scene(text: &str) -> Result<Option<SharedScene>, String> {
        contents(text, &mut none).map(|it| it.what.scene().cloned())
    }

    #[test]
    fn every_form_of_a_scene_is_read() {
        let count = |text: &str| scene(text).unwrap().unwrap().0.instance_count();
        assert_eq!(count("triangles(0 1 0, -1 -1 0, 1 -1 0)"), 1);
        assert_eq!(count("non-opaque boxes(-1 -1 -1 1 1 1, 2 2 2 3 3 3)"), 1);
        assert!(scene("none").unwrap().is_none());
        assert_eq!(count("@in/two.yaml#A"), 1);
        assert_eq!(count("@in/two.yaml#B"), 2);
        assert_eq!(count("@in/two.yaml#B[1]"), 0);
        let mesh = scene("@box.obj").unwrap().unwrap();
        let bottom = mesh.0.instance(0).unwrap().bottom.clone().unwrap();
        assert_eq!((bottom.geometry_count(), bottom.primitive_count()), (2, 4));
        let fan = bottom.triangle(1, 2).unwrap();
        assert_eq!(fan, [[0.0, 1.0, 1.0], [-1.0, -1.0, 1.0], [0.0, 0.0, 5.0]]);
    }

    #[test]
    fn what_is_wrong_with_a_scene_is_named() {
        for (text, expected) in [
            (
                "triangles(0 1 0, -1 -1 0)",
                "geometry 0 has 2 vertices, which is not a multiple of 3",
            ),
            ("balls(1)", "expected `triangles(…)` or `boxes(…)`, not `balls(1)`"),
            ("boxes(-1 nan -1 1 1 1)", "has a NaN"),
            ("@none.obj", "`none.obj` cannot be read"),
            ("@in/two.yaml", "several top levels; add one of `A`, `B` after `#`"),
            ("@in/two.yaml#C", "no top level `C`; there are `A`, `B`"),
            ("@in/two.yaml#B[2]", "`B` has 2 elements, and none with the index 2"),
            ("@in/two.yaml#B[x]", "expected `#Name` or `#Name[k]`"),
            ("@bad.yaml", "bad.yaml:2:"),
            ("@bad.obj", "bad.obj:2: `2` names a vertex that is not above; there are 1"),
            ("@few.obj", "few.obj:1: a vertex has three coordinates"),
            ("@nan.obj", "nan.obj:8: primitive 1 of geometry 1 has a NaN"),
            ("@zero.obj", "zero.obj:2: `0` names a vertex that is not above"),
            ("@word.obj", "word.obj:3: `one` is not a number"),
            ("@box.obj#A", "is a mesh"),
        ] {
            let error = scene(text).map(|_| ()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
