//! Acceleration structures through the device: formats, records, updates and refusals.

use std::fmt;

use super::*;
use crate::RaytracingTier;

fn device() -> Device {
    Device::new(Adapter::reference())
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|it| it.to_le_bytes()).collect()
}

const CORNERS: [f32; 9] = [0.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0];

fn build(triangles: Triangles<'_>) -> Result<BottomLevel, BuildError> {
    device().build_bottom_level(&[Geometry::triangles(triangles)], BuildOptions::default())
}

fn message<T: fmt::Debug>(built: Result<T, BuildError>) -> String {
    built.unwrap_err().to_string()
}

#[test]
fn every_vertex_format_is_decoded() {
    let halves = |values: &[f32]| -> Vec<u8> {
        values.iter().flat_map(|it| ops::F16::from_f64(f64::from(*it)).0.to_le_bytes()).collect()
    };
    let shorts = |all: &[i16]| -> Vec<u8> { all.iter().flat_map(|it| it.to_le_bytes()).collect() };
    let words = |all: &[u32]| -> Vec<u8> { all.iter().flat_map(|it| it.to_le_bytes()).collect() };
    let third = |count: f32| 1.0 / count;
    for (name, vertex, expected) in [
        ("R32G32B32_FLOAT", bytes(&[1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]),
        ("R32G32B32A32_FLOAT", bytes(&[1.0, 2.0, 3.0, 9.0]), [1.0, 2.0, 3.0]),
        ("R32G32_FLOAT", bytes(&[1.0, 2.0]), [1.0, 2.0, 0.0]),
        ("R16G16_FLOAT", halves(&[1.5, -2.0]), [1.5, -2.0, 0.0]),
        ("R16G16B16A16_FLOAT", halves(&[1.5, -2.0, 4.0, 9.0]), [1.5, -2.0, 4.0]),
        ("R16G16_SNORM", shorts(&[32767, -32768]), [1.0, -1.0, 0.0]),
        ("R16G16B16A16_SNORM", shorts(&[0, 1, -32767, 5]), [0.0, third(32767.0), -1.0]),
        ("R16G16_UNORM", shorts(&[-1, 1]), [1.0, third(65535.0), 0.0]),
        ("R16G16B16A16_UNORM", shorts(&[-1, 0, 1, 7]), [1.0, 0.0, third(65535.0)]),
        ("R10G10B10A2_UNORM", words(&[1023 | 1 << 10]), [1.0, third(1023.0), 0.0]),
        ("R8G8_UNORM", vec![255, 1], [1.0, third(255.0), 0.0]),
        ("R8G8B8A8_UNORM", vec![255, 1, 0, 9], [1.0, third(255.0), 0.0]),
        ("R8G8_SNORM", vec![127, 129], [1.0, -1.0, 0.0]),
        ("R8G8B8A8_SNORM", vec![127, 128, 1, 9], [1.0, -1.0, third(127.0)]),
    ] {
        let format = Format::parse(name).unwrap();
        let stride = vertex.len() + 4;
        let mut three = Vec::new();
        for _ in 0..3 {
            three.extend_from_slice(&vertex);
            three.extend([0xee; 4]);
        }
        let level = build(Triangles { format, stride, ..Triangles::new(&three, 3) }).unwrap();
        assert_eq!(level.bottom.triangle(0, 0), Some([expected; 3]), "{name}");
    }
    for name in ["R32_FLOAT", "R8G8B8A8_UINT", "B8G8R8A8_UNORM", "R16G16_SINT"] {
        let format = Format::parse(name).unwrap();
        let error = build(Triangles { format, stride: 16, ..Triangles::new(&[0; 64], 3) });
        assert!(message(error).contains("not a vertex format"), "{name}");
    }
}

#[test]
fn indices_select_vertices_and_transforms_move_them() {
    let data = bytes(&CORNERS);
    let transform = Some([2.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -4.0]);
    let expected = [[-1.0, -1.0, -3.0], [3.0, -1.0, -3.0], [1.0, 1.0, -3.0]];
    let short: Vec<u8> = [2u16, 1, 0].iter().flat_map(|it| it.to_le_bytes()).collect();
    let long: Vec<u8> = [2u32, 1, 0].iter().flat_map(|it| it.to_le_bytes()).collect();
    for (format, indices) in [(IndexFormat::Uint16, &short), (IndexFormat::Uint32, &long)] {
        let indices = Some(Indices { bytes: indices, format, count: 3 });
        let level = build(Triangles { indices, transform, ..Triangles::new(&data, 3) }).unwrap();
        assert_eq!(level.bottom.triangle(0, 0), Some(expected), "{format}");
    }
}

#[test]
fn instance_records_are_read_as_direct3d_writes_them() {
    let data = bytes(&CORNERS);
    let level = build(Triangles::new(&data, 3)).unwrap();
    let mut record = [0; INSTANCE_BYTES];
    for (at, value) in ray::IDENTITY.iter().enumerate() {
        record[at * 4..at * 4 + 4].copy_from_slice(&value.to_le_bytes());
    }
    record[48..52].copy_from_slice(&(0x0f_000000u32 | 0x123456).to_le_bytes());
    record[52..56].copy_from_slice(&(0x02_000000u32 | 0x654321).to_le_bytes());
    record[56..64].copy_from_slice(&0x1_0000_0008u64.to_le_bytes());
    let find = |address| (address == 0x1_0000_0008).then_some(&level);
    let instance = Instance::from_record(&record, find).unwrap();
    assert_eq!((instance.id, instance.mask), (0x123456, 0x0f));
    assert_eq!((instance.contribution, instance.flags.0), (0x654321, 2));
    assert_eq!(instance.transform, ray::IDENTITY);
    assert!(instance.bottom.is_some());
    record[56] = 9;
    let error = Instance::from_record(&record, find);
    assert_eq!(message(error), "no bottom level has the address 0x100000009");
    record[56..64].fill(0);
    assert!(Instance::from_record(&record, find).unwrap().bottom.is_none());
}

#[test]
fn wrong_data_is_refused_with_a_reason() {
    let data = bytes(&CORNERS);
    let base = Triangles::new(&data, 3);
    let cases = [
        (
            Triangles { stride: 8, ..base },
            "the stride of geometry 0 is 8 bytes, and an element takes 12",
        ),
        (
            Triangles { count: 6, ..base },
            "6 vertices of geometry 0 take 72 bytes, and the buffer has 36",
        ),
        (Triangles { count: 2, ..base }, "geometry 0 has 2 vertices, which is not a multiple of 3"),
        (
            Triangles { transform: Some([f32::NAN; 12]), ..base },
            "the transform of geometry 0 has a NaN",
        ),
        (
            Triangles { count: usize::MAX, ..base },
            "18446744073709551615 vertices of geometry 0 take 18446744073709551615 bytes, and the buffer has 36",
        ),
    ];
    for (triangles, expected) in cases {
        assert_eq!(message(build(triangles)), expected);
    }
    let indices =
        Some(Indices { bytes: &[3, 0, 0, 0, 0, 0], format: IndexFormat::Uint16, count: 3 });
    let error = build(Triangles { indices, ..base });
    assert_eq!(message(error), "index 0 of geometry 0 is 3, and the geometry has 3 vertices");
    let nan = bytes(&[0.0, f32::NAN, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0]);
    let error = message(build(Triangles::new(&nan, 3)));
    assert!(error.starts_with("primitive 0 of geometry 0 has a NaN"), "{error}");
    let boxes = Geometry::boxes(Boxes::new(&data, 1));
    let mixed = [Geometry::triangles(base), boxes];
    let error = device().build_bottom_level(&mixed, BuildOptions::default());
    assert!(message(error).contains("either triangles or boxes"));
    let unknown = Geometry::triangles(base).with_flags(GeometryFlags(8));
    let error = device().build_bottom_level(&[unknown], BuildOptions::default());
    assert_eq!(message(error), "geometry 0 has the unknown flags 0x8");
}

#[test]
fn updates_change_positions_and_nothing_else() {
    let data = bytes(&CORNERS);
    let moved = bytes(&CORNERS.map(|it| it + 1.0));
    let inactive = bytes(&[f32::NAN; 9]);
    let options = BuildOptions { allow_update: true, ..BuildOptions::default() };
    let of = |data| [Geometry::triangles(Triangles::new(data, 3))];
    let level = device().build_bottom_level(&of(&data), options).unwrap();
    let updated = level.update(&of(&moved)).unwrap();
    assert_eq!(updated.bottom.triangle(0, 0).unwrap()[0], [1.0, 2.0, 2.0]);
    assert!(message(level.update(&of(&inactive))).contains("primitive 0 of geometry 0 was active"));
    let opaque = of(&data).map(|it| it.with_flags(GeometryFlags::OPAQUE));
    assert!(message(level.update(&opaque)).contains("another kind, format, count or flag"));
    assert!(message(level.update(&[])).contains("has 1 geometries, not 0"));
    let fixed = device().build_bottom_level(&of(&data), BuildOptions::default()).unwrap();
    assert!(message(fixed.update(&of(&moved))).contains("without `ALLOW_UPDATE`"));

    let scene = device().build_top_level(&[Instance::new(&level)], options).unwrap();
    let instance = Instance { id: 5, ..Instance::new(&updated) };
    assert_eq!(scene.update(&[instance]).unwrap().scene.instance(0).unwrap().id, 5);
    assert!(message(scene.update(&[])).contains("has 1 instances, not 0"));
    let none = Instance { bottom: None, ..instance };
    assert!(message(scene.update(&[none])).contains("instance 0 was active"));
}

#[test]
fn an_adapter_without_rays_builds_nothing() {
    let raytracing_tier = RaytracingTier::NotSupported;
    let poor = Device::new(Adapter { raytracing_tier, ..Adapter::reference() });
    let error = poor.build_top_level(&[], BuildOptions::default());
    assert_eq!(message(error), "the adapter `reference` has no ray tracing (`RaytracingTier`)");
}

#[test]
fn undefined_instances_are_reported() {
    let data = bytes(&CORNERS);
    let level = build(Triangles::new(&data, 3)).unwrap();
    let flat = Instance { transform: [0.0; 12], ..Instance::new(&level) };
    let both = InstanceFlags::FORCE_OPAQUE | InstanceFlags::FORCE_NON_OPAQUE;
    let both = Instance { flags: both, ..Instance::new(&level) };
    let instances = [Instance::new(&level), flat, both];
    let scene = device().build_top_level(&instances, BuildOptions::default()).unwrap();
    let expected = [(1, InstanceProblem::NotInvertible), (2, InstanceProblem::ForcedBothWays)];
    assert_eq!(scene.problems(), expected);
}
