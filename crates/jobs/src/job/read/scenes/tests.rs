//! Reading acceleration structures, and the messages about wrong ones.

use super::*;

const SCENE: &str = "---
Buffers:
  - { Name: V, Format: Float32, Stride: 12, Data: [0, 1, 1, 1, -1, 1, -1, -1, 1] }
  - { Name: I, Format: UInt16, Data: [0, 1, 2, 2, 1, 0] }
  - { Name: B, Format: Float32, Data: [-1, -1, -1, 1, 1, 1] }
AccelerationStructures:
  BLAS:
    - Name: Mesh
      Triangles:
        - { VertexBuffer: V, VertexCount: 3 }
        - { VertexBuffer: V, VertexFormat: RGB32Float, VertexStride: 12, VertexCount: 3, IndexBuffer: I, IndexFormat: Uint16, IndexCount: 6, Opaque: false, Transform: [1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0] }
    - Name: Cloud
      AABBs:
        - { AABBBuffer: B, AABBCount: 1, AABBStride: 24 }
  TLAS:
    - Name: World
      Instances:
        - { BLAS: Mesh, InstanceID: 7, InstanceMask: 0x0f, InstanceContributionToHitGroupIndex: 3, InstanceFlags: [ForceOpaque, TriangleCullDisable], Transform: [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0] }
        - { BLAS: Cloud }
    - Name: Pair
      ArraySize: 2
      Instances:
        - - { BLAS: Mesh }
        - []
...
";

fn read(text: &str) -> Result<Vec<Scene>, Vec<Error>> {
    read_scenes(text, &mut |path: &str| match path {
        "v.bin" => Ok([0f32, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, f32::NAN]
            .iter()
            .flat_map(|it| it.to_le_bytes())
            .collect()),
        "odd.bin" => Ok(vec![0; 5]),
        _ => Err(format!("there is no `{path}`")),
    })
}

#[test]
fn scenes_are_read_with_their_defaults() {
    let scenes = read(SCENE).unwrap();
    assert_eq!(scenes.len(), 2);
    assert_eq!(scenes[0].elements[0].instance_count(), 2);
    let counts: Vec<usize> = scenes[1].elements.iter().map(TopLevel::instance_count).collect();
    assert_eq!(counts, [1, 0]);
}

#[test]
fn errors_of_scenes_have_a_location_and_a_remedy() {
    for (from, to, place, message) in [
        ("Name: Mesh\n", "Nam: Mesh\n", "Nam", "missing key `Name`"),
        ("Triangles:", "Triangle:", "Triangle", "did you mean `Triangles`?"),
        (
            "VertexBuffer: V, VertexCount: 3 }",
            "VertexBuffer: W, VertexCount: 3 }",
            "W",
            "no buffer `W`",
        ),
        ("VertexCount: 3 }", "VertexCount: 0 }", "0", "the count is 0"),
        ("VertexCount: 3 }", "VertexCount: 2 }", "2", "2 vertices are not a multiple of 3"),
        (
            "VertexCount: 3 }",
            "VertexCount: 6 }",
            "VertexBuffer",
            "6 vertices of geometry 0 take 72 bytes",
        ),
        ("RGB32Float", "RGB16Float", "RGB16Float", "did you mean `RGB32Float`?"),
        ("VertexStride: 12", "VertexStride: 8", "8", "an element takes 12"),
        ("IndexFormat: Uint16", "IndexFormat: Uint8", "Uint8", "Uint16"),
        ("IndexCount: 6", "IndexCount: 4", "4", "4 indices are not a multiple of 3"),
        ("IndexCount: 6", "IndexCount: 9", "VertexBuffer", "9 indices of geometry 1 take 18 bytes"),
        (", IndexCount: 6", "", "I", "needs an `IndexCount`"),
        ("IndexBuffer: I, ", "", "6", "needs an `IndexBuffer`"),
        ("[0, 1, 2, 2, 1, 0]", "[0, 1, 2, 2, 1, 3]", "VertexBuffer", "index 5 of geometry 1 is 3"),
        ("Opaque: false", "Opaque: maybe", "maybe", "neither `true` nor `false`"),
        ("Opaque: false", "OpacityMicromap: M", "OpacityMicromap", "unknown key"),
        ("AABBCount: 1", "AABBCount: 0", "0", "the count is 0"),
        ("AABBCount: 1", "AABBCount: 2", "AABBBuffer", "2 boxes of geometry 0 take 48 bytes"),
        ("AABBStride: 24", "AABBStride: 20", "20", "an element takes 24"),
        ("[-1, -1, -1, 1, 1, 1]", "[-1, nan, -1, 1, 1, 1]", "AABBBuffer", "has a NaN"),
        ("1, -1, 1, -1, -1, 1]", "1, -1, 1, -1, nan, 1]", "VertexBuffer", "has a NaN"),
        (
            "Opaque: false, Transform: [1, 0, 0, 2,",
            "Transform: [1, 0, 0,",
            "[1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]",
            "12 numbers",
        ),
        (
            "Transform: [1, 0, 0, 2",
            "Transform: [nan, 0, 0, 2",
            "VertexBuffer",
            "the transform of geometry 1 has a NaN",
        ),
        ("- Name: Cloud", "- Name: Mesh", "Mesh", "the bottom level `Mesh` is defined twice"),
        ("- Name: Pair", "- Name: World", "World", "the top level `World` is defined twice"),
        ("- { BLAS: Cloud }", "- { BLAS: Clouds }", "Clouds", "did you mean `Cloud`?"),
        ("InstanceMask: 0x0f", "InstanceMask: 256", "256", "a mask has 8 bits"),
        ("ForceOpaque,", "ForceOpague,", "ForceOpague", "did you mean `ForceOpaque`?"),
        ("ArraySize: 2", "ArraySize: 3", "", "`Instances` has 2 lists"),
        ("ArraySize: 2", "ArraySize: 0", "0", "at least one element"),
        (
            "      AABBs:",
            "      Triangles: [{ VertexBuffer: V, VertexCount: 3 }]\n      AABBs:",
            "AABBBuffer",
            "either triangles or boxes",
        ),
        (
            "Data: [0, 1, 1, 1, -1, 1, -1, -1, 1]",
            "File: none.bin",
            "none.bin",
            "there is no `none.bin`",
        ),
        (
            "Stride: 12, Data: [0, 1, 1, 1, -1, 1, -1, -1, 1]",
            "File: odd.bin",
            "odd.bin",
            "not a whole number",
        ),
    ] {
        assert!(SCENE.contains(from), "{from}");
        let text = SCENE.replacen(from, to, 1);
        let errors = match read(&text) {
            Err(errors) => errors,
            Ok(_) => panic!("{to} is accepted"),
        };
        let shown: Vec<String> = errors
            .iter()
            .map(|it| format!("{} {}", it.message, it.help.as_deref().unwrap_or("")))
            .collect();
        let found = errors.iter().zip(&shown).find(|(_, shown)| shown.contains(message));
        let Some((error, shown)) = found else { panic!("{to}: {shown:?}") };
        assert!(place.is_empty() || text[error.at.clone()].trim() == place, "{to}: {shown}");
    }
}

#[test]
fn buffers_may_be_files() {
    let text = SCENE.replacen("Stride: 12, Data: [0, 1, 1, 1, -1, 1, -1, -1, 1]", "File: v.bin", 1);
    // The file has a NaN in z, so it has been read.
    let errors = read(&text).unwrap_err();
    assert!(errors[0].message.contains("has a NaN"), "{errors:?}");
}

#[test]
fn a_nan_in_x_makes_a_primitive_inactive() {
    for (from, to) in [
        ("Data: [0, 1, 1, 1, -1, 1, -1, -1, 1]", "Data: [nan, 1, 1, 1, -1, 1, -1, -1, 1]"),
        ("[-1, -1, -1, 1, 1, 1]", "[nan, -1, -1, 1, 1, 1]"),
    ] {
        assert!(read(&SCENE.replacen(from, to, 1)).is_ok(), "{to}");
    }
}
