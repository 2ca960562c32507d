//! The bytes of a buffer or texture that stay on the device between dispatches, and copying results back.
//!
//! Memory is freed with the last owner, which can be the host's handle or a run in progress.

use std::sync::Arc;

use ash::vk;
use ir::exec::Failure;

use super::context::{Context, Memory};
use super::image::Picture;
use super::scene::Kept;
use crate::memory::{DeviceCopy, Slot};

/// A buffer or an image with its memory.
pub(super) struct Resident {
    pub(super) context: Arc<Context>,
    pub(super) held: Held,
}

pub(super) enum Held {
    Buffer(Memory, u64),
    Picture(Picture),
}

impl Resident {
    /// Copies bytes into the layout of the staging buffer, which is zero elsewhere.
    pub(super) fn pack(&self, bytes: &[u8], staging: &mut [u8]) {
        staging.fill(0);
        match &self.held {
            Held::Buffer(..) => {
                let count = bytes.len().min(staging.len());
                staging[..count].copy_from_slice(&bytes[..count]);
            }
            Held::Picture(picture) => {
                for (from, to) in picture.moves() {
                    let len = bytes.len().saturating_sub(from.start).min(from.len());
                    staging[to..to + len].copy_from_slice(&bytes[from.start..from.start + len]);
                }
            }
        }
    }

    /// The inverse.
    pub(super) fn unpack(&self, is_counter: bool, slot: &mut Slot, staging: &[u8]) {
        match &self.held {
            Held::Buffer(..) if is_counter => {
                if let Some(counter) = slot.what.counter_mut() {
                    *counter = staging.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
                }
            }
            Held::Buffer(..) => {
                let count = slot.bytes.len().min(staging.len());
                slot.bytes[..count].copy_from_slice(&staging[..count]);
            }
            Held::Picture(picture) => {
                for (from, to) in picture.moves() {
                    let len = slot.bytes.len().saturating_sub(from.start).min(from.len());
                    slot.bytes[from.start..from.start + len]
                        .copy_from_slice(&staging[to..to + len]);
                }
            }
        }
    }

    /// The size in a staging buffer.
    pub(super) fn size(&self) -> u64 {
        match &self.held {
            Held::Buffer(_, size) => *size,
            Held::Picture(picture) => picture.size,
        }
    }

    /// Copies the bytes back to the host.
    fn fetch(&self, is_counter: bool, slot: &mut Slot) -> Result<(), Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let context = &*self.context;
        let device = &context.device;
        let size = self.size();
        let host = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let usage = vk::BufferUsageFlags::TRANSFER_DST;
        let failed = |it| context.failed(it, size);
        let family = context.capabilities.family.unwrap_or(0);
        let mut fetch = Fetch {
            context,
            staging: context.buffer(size, usage, host, Flags::HOST_CACHED)?,
            commands: vk::CommandPool::null(),
        };
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the structures are complete and outlive the calls; what is recorded is alive until `submit` has
        // waited for its end, or is never freed because the device is lost. The staging buffer is as large as the copy,
        // and the host reads it after the device has finished.
        unsafe {
            fetch.commands = device.create_command_pool(&pool, None).map_err(failed)?;
            let allocate = vk::CommandBufferAllocateInfo::default()
                .command_pool(fetch.commands)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&allocate).map_err(failed)?[0];
            device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .map_err(failed)?;
            use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
            let barrier = |from: (Stage, Access), to: (Stage, Access)| {
                let memory =
                    [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
                let none = vk::DependencyFlags::empty();
                device.cmd_pipeline_barrier(commands, from.0, to.0, none, &memory, &[], &[]);
            };
            let everything = (Stage::ALL_COMMANDS, Access::MEMORY_WRITE);
            barrier(everything, (Stage::TRANSFER, Access::TRANSFER_READ));
            match &self.held {
                Held::Buffer(memory, size) => {
                    let region = [vk::BufferCopy { src_offset: 0, dst_offset: 0, size: *size }];
                    let to = fetch.staging.buffer;
                    device.cmd_copy_buffer(commands, memory.buffer, to, &region);
                }
                Held::Picture(picture) => {
                    picture.read_back(context, commands, fetch.staging.buffer, 0);
                }
            }
            let copied = (Stage::TRANSFER, Access::TRANSFER_WRITE);
            barrier(copied, (Stage::HOST, Access::HOST_READ));
            device.end_command_buffer(commands).map_err(failed)?;
            context.submit(commands, &[])?;
            let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            let mapped = device.map_memory(fetch.staging.memory, 0, all, none).map_err(failed)?;
            let bytes = std::slice::from_raw_parts(mapped.cast::<u8>(), size as usize);
            self.unpack(is_counter, slot, bytes);
        }
        Ok(())
    }
}

/// The objects for fetching; destroyed afterwards, unless the device may still use them.
struct Fetch<'a> {
    context: &'a Context,
    staging: Memory,
    commands: vk::CommandPool,
}

impl Drop for Fetch<'_> {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        // SAFETY: the device no longer uses either; a null pool is ignored.
        unsafe { self.context.device.destroy_command_pool(self.commands, None) };
        self.context.free(self.staging);
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        match &self.held {
            Held::Buffer(memory, _) => self.context.free(*memory),
            Held::Picture(picture) => self.context.free_picture(picture),
        }
    }
}

/// The parts of a buffer or texture on a device: its bytes, and its hidden counter.
#[derive(Default)]
pub(super) struct OnDevice {
    pub(super) bytes: Option<Part>,
    pub(super) counter: Option<Part>,
    /// The acceleration structure of a scene.
    pub(super) scene: Kept,
}

/// One of the two.
pub(super) struct Part {
    pub(super) resident: Arc<Resident>,
    /// It holds the host's contents or newer ones.
    pub(super) is_valid: bool,
    /// It holds newer contents than the host's.
    pub(super) is_newer: bool,
}

impl OnDevice {
    pub(super) fn part(&self, is_counter: bool) -> Option<&Part> {
        if is_counter { self.counter.as_ref() } else { self.bytes.as_ref() }
    }

    pub(super) fn part_mut(&mut self, is_counter: bool) -> &mut Option<Part> {
        if is_counter { &mut self.counter } else { &mut self.bytes }
    }
}

impl DeviceCopy for OnDevice {
    fn is_newer(&self) -> bool {
        [&self.bytes, &self.counter].into_iter().flatten().any(|it| it.is_newer)
    }

    fn fetch(&mut self, slot: &mut Slot) -> Result<(), Failure> {
        for is_counter in [false, true] {
            if let Some(part) = self.part_mut(is_counter).as_mut().filter(|it| it.is_newer) {
                part.resident.fetch(is_counter, slot)?;
                part.is_newer = false;
            }
        }
        Ok(())
    }

    fn invalidate(&mut self) {
        for part in [&mut self.bytes, &mut self.counter].into_iter().flatten() {
            (part.is_valid, part.is_newer) = (false, false);
        }
    }
}

impl std::fmt::Debug for OnDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnDevice").field("is_newer", &self.is_newer()).finish_non_exhaustive()
    }
}
