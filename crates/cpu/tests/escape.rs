//! Generated code accesses only the shader's memory, regardless of indices, strides and sizes.
//!
//! All memory of a run ends at a guard page: buffers, textures, the frames of waves and groupshared memory. An access
//! one byte too far ends the process. Freed memory is protected too.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod fence;

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use fence::{ARMED, Fence, PAGE, RUNNING};

use ir::exec::{Bindings, Buffer, Launch, What};
use ir::{Module, ResourceKind};
use ops::texture::{Dim, Format, Shape};
use wavelane_cpu::Isa;

/// Memory of this many bytes, or a small texture, for every resource.
fn bindings(module: &Module, size: usize, hostile: u32) -> Bindings {
    let mut all = Bindings::default();
    for resource in &module.resources {
        let buffer = |number: u32| {
            let fill = |bytes: usize| (0..bytes).map(|it| (it * 7 + 1) as u8).collect::<Vec<u8>>();
            match &resource.kind {
                ResourceKind::Texture { dim, writable, .. } => {
                    let name = if resource.name == "Counts" { "R32_UINT" } else { "RGBA8_UNORM" };
                    let depth = if *dim == Dim::D3 { 2 } else { 1 };
                    let samples = if dim.is_multisampled() { 2 } else { 1 };
                    let levels = if *writable || samples > 1 { 1 } else { 2 };
                    let shape = Shape::new(Format::parse(name).unwrap(), 3, 2, depth);
                    let shape = Shape { samples, levels, ..shape };
                    let bytes = fill(shape.bytes().unwrap());
                    Buffer { bytes: bytes.into(), what: What::texture_of(shape) }
                }
                ResourceKind::Sampler { .. } => Buffer::default(),
                _ if resource.name == "In" => {
                    let words = (0..40).map(|it| hostile.wrapping_add(it * (it & 3)));
                    let bytes: Vec<_> = words.flat_map(u32::to_le_bytes).collect();
                    Buffer { bytes: bytes.into(), ..Buffer::default() }
                }
                _ => Buffer { bytes: fill(size + number as usize).into(), ..Buffer::default() },
            }
        };
        all.bindings.push((0..resource.count.unwrap_or(1)).map(buffer).collect());
    }
    all
}

#[test]
fn no_index_and_no_size_leads_out() {
    let module = Arc::new(ir::text::read(include_str!("escape.ir")).unwrap());
    ir::verify::verify(&module).unwrap();
    Fence::reserve();
    let hostile = [
        0,
        1,
        3,
        12,
        13,
        64,
        100,
        0x0fff_fff0,
        0x2000_0000,
        0x3fff_ffff,
        0x4000_0000,
        0x7fff_fff8,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xc000_0000,
        0xffff_fff0,
        0xffff_ffff,
        0x7fc0_0000,
    ];
    for isa in Isa::ALL.into_iter().filter(|it| it.missing().is_none()) {
        for width in [4, 8, 32, 128] {
            let compiled = wavelane_cpu::compile(&module, isa, width).unwrap();
            let launch = Launch::dispatch([2, 1, 1], width);
            for size in [0, 1, 4, 7, 31, 64, 100] {
                for hostile in hostile {
                    RUNNING.store(u64::from(hostile), SeqCst);
                    Fence::around(|| {
                        let mut bindings = bindings(&module, size, hostile);
                        compiled.run(&launch, &mut bindings, 1).unwrap();
                    });
                }
            }
        }
    }
    // The fence works: the byte after an allocation is in a guard page.
    ARMED.store(true, SeqCst);
    let bytes = Box::new([1u8; 100]);
    ARMED.store(false, SeqCst);
    assert!(Fence::owns(bytes.as_ptr().cast_mut()));
    assert!((bytes.as_ptr() as usize + 100).is_multiple_of(PAGE));
}
