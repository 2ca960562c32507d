//! Generated code touches the shader's memory and nothing else, whatever the indices, strides and sizes.
//!
//! All memory of a run ends at a page that nobody may touch: buffers, textures, the frames of waves and what groups share.
//! A byte too many ends the process. What is given back may not be touched either.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(unsafe_code, reason = "an allocator is to be replaced")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};

use ir::exec::{Bindings, Buffer, LaneOrder, Launch, Schedule, Work};
use ir::{Module, ResourceKind};
use ops::texture::{Dim, Format, Shape};
use wavelane_cpu::Isa;

const PAGE: usize = 4096;
const REGION: usize = 64 << 30;

/// Takes memory from a region of pages that may not be touched, while it is armed.
struct Fence;

static ARMED: AtomicBool = AtomicBool::new(false);
static REGION_START: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static USED: AtomicUsize = AtomicUsize::new(PAGE);

#[global_allocator]
static FENCE: Fence = Fence;

impl Fence {
    fn reserve() {
        let (none, anonymous) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it maps pages of its own.
        let start =
            unsafe { libc::mmap(null_mut(), REGION, none, anonymous | libc::MAP_NORESERVE, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        REGION_START.store(start.cast(), SeqCst);
    }

    fn owns(at: *mut u8) -> bool {
        let start = REGION_START.load(SeqCst) as usize;
        start != 0 && (start..start + REGION).contains(&(at as usize))
    }

    fn pages(layout: Layout) -> usize {
        layout.size().next_multiple_of(PAGE)
    }
}

// SAFETY: what is armed gives out memory that nobody else has; all else is the system's.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !ARMED.load(SeqCst) || layout.align() > PAGE {
            // SAFETY: the caller's promise is passed on.
            return unsafe { System.alloc(layout) };
        }
        let pages = Fence::pages(layout);
        let offset = USED.fetch_add(pages + PAGE, SeqCst);
        if offset + pages + PAGE > REGION {
            return null_mut();
        }
        // SAFETY: these pages of the region are given out here for the first time.
        unsafe {
            let start = REGION_START.load(SeqCst).add(offset);
            if libc::mprotect(start.cast(), pages, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return null_mut();
            }
            // It ends where the page does that may not be touched, as near as its alignment lets it.
            start.add((pages - layout.size()) & !(layout.align() - 1))
        }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if !Fence::owns(at) {
            // SAFETY: the caller's promise is passed on.
            return unsafe { System.dealloc(at, layout) };
        }
        let start = (at as usize & !(PAGE - 1)) as *mut libc::c_void;
        let pages = Fence::pages(layout);
        // SAFETY: these pages were given out by `alloc`, and are used no more. Nothing but memory is lost where it fails.
        unsafe {
            libc::madvise(start, pages, libc::MADV_DONTNEED);
            libc::mprotect(start, pages, libc::PROT_NONE);
        }
    }
}

/// Memory of so many bytes, or a little texture, for every resource.
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
                    Buffer { bytes, texture: Some(shape), ..Buffer::default() }
                }
                ResourceKind::Sampler { .. } => Buffer::default(),
                _ if resource.name == "In" => {
                    let words = (0..40).map(|it| hostile.wrapping_add(it * (it & 3)));
                    let bytes = words.flat_map(u32::to_le_bytes).collect();
                    Buffer { bytes, ..Buffer::default() }
                }
                _ => Buffer { bytes: fill(size + number as usize), ..Buffer::default() },
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
            let launch = Launch {
                work: Work::Dispatch { groups: [2, 1, 1] },
                wave_width: width,
                lane_order: LaneOrder::Linear,
                schedule: Schedule::Ascending,
                fuel: None,
                cancel: None,
                progress: None,
            };
            for size in [0, 1, 4, 7, 31, 64, 100] {
                for hostile in hostile {
                    ARMED.store(true, SeqCst);
                    let mut bindings = bindings(&module, size, hostile);
                    compiled.run(&launch, &mut bindings, 1).unwrap();
                    drop(bindings);
                    ARMED.store(false, SeqCst);
                }
            }
        }
    }
    // The fence is one: the byte behind an allocation is in no page that may be touched.
    ARMED.store(true, SeqCst);
    let bytes = Box::new([1u8; 100]);
    ARMED.store(false, SeqCst);
    assert!(Fence::owns(bytes.as_ptr().cast_mut()));
    assert!((bytes.as_ptr() as usize + 100).is_multiple_of(PAGE));
}
