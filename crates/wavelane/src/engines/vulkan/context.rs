//! An open device: its queue, its memory, submission and waiting.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ash::vk;
use diag::Span;
use ir::exec::{Failure, Launch, Trap};

use super::instance::{Capabilities, Instance};

/// The time limit of a dispatch with fuel: an endless loop on a GPU cannot be interrupted.
const PATIENCE: Duration = Duration::from_secs(30);
/// The same for a CPU driver: it compiles within the first dispatch, which takes seconds for large shaders, and shares
/// the processor with other programs.
const PATIENCE_WITH_PROCESSORS: Duration = Duration::from_secs(240);
/// How often a wait checks the cancellation flag.
const TICK: Duration = Duration::from_millis(5);

pub(super) struct Context {
    pub(super) device: ash::Device,
    pub(super) capabilities: Capabilities,
    /// The functions of mesh shaders, if the device has these.
    pub(super) mesh: Option<ash::ext::mesh_shader::Device>,
    memory: vk::PhysicalDeviceMemoryProperties,
    /// Only one thread submits and waits at a time.
    queue: Mutex<vk::Queue>,
    /// A dispatch did not finish: no object of the device may be used or destroyed any more.
    lost: AtomicBool,
    pub(super) physical: vk::PhysicalDevice,
    /// The functions for acceleration structures, if the device has them.
    scenes: Option<ash::khr::acceleration_structure::Device>,
    /// Dropped after the device.
    pub(super) instance: Option<Instance>,
}

/// A buffer with dedicated memory.
#[derive(Clone, Copy)]
pub(super) struct Memory {
    pub(super) buffer: vk::Buffer,
    pub(super) memory: vk::DeviceMemory,
}

impl Context {
    pub(super) fn new(
        instance: Instance,
        physical: vk::PhysicalDevice,
        capabilities: Capabilities,
    ) -> Result<Context, vk::Result> {
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(capabilities.family.unwrap_or(0))
            .queue_priorities(&priorities)];
        let graphics = capabilities.graphics;
        let extensions = capabilities.extensions();
        let mut wanted = capabilities.wanted();
        let mut features =
            wanted.chain(|it| extensions.contains(&it)).features(capabilities.features);
        let names: Vec<*const std::ffi::c_char> = extensions.iter().map(|it| it.as_ptr()).collect();
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names)
            .push_next(&mut features);
        // SAFETY: the structures outlive the call, and request only features that the device reports.
        let device = unsafe { instance.raw.create_device(physical, &create, None) }?;
        // SAFETY: the queue was requested above; the physical device belongs to the instance.
        let (queue, memory) = unsafe {
            (
                device.get_device_queue(capabilities.family.unwrap_or(0), 0),
                instance.raw.get_physical_device_memory_properties(physical),
            )
        };
        let mesh =
            graphics.meshes.then(|| ash::ext::mesh_shader::Device::new(&instance.raw, &device));
        let scenes = capabilities
            .rays
            .queries
            .then(|| ash::khr::acceleration_structure::Device::new(&instance.raw, &device));
        Ok(Context {
            scenes,
            device,
            capabilities,
            mesh,
            memory,
            queue: Mutex::new(queue),
            lost: AtomicBool::new(false),
            physical,
            instance: Some(instance),
        })
    }

    /// The functions for acceleration structures.
    pub(super) fn scenes(&self) -> &ash::khr::acceleration_structure::Device {
        let scenes = self.scenes.as_ref();
        scenes.unwrap_or_else(|| unreachable!("the program of a run declares what it needs"))
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// A buffer in memory with the properties `needs`, and preferably `likes`.
    pub(super) fn buffer(
        &self,
        size: u64,
        usage: vk::BufferUsageFlags,
        needs: vk::MemoryPropertyFlags,
        likes: vk::MemoryPropertyFlags,
    ) -> Result<Memory, Failure> {
        let create = vk::BufferCreateInfo::default().size(size.max(4)).usage(usage);
        // SAFETY: the structure is complete.
        let buffer = unsafe { self.device.create_buffer(&create, None) };
        let buffer = buffer.map_err(|it| self.failed(it, size))?;
        // SAFETY: the buffer is alive.
        let required = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        // Dedicated allocation: a driver may place it better. A copy on an H200 takes four fifths of the time.
        let mut owner = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let address =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
            owner.p_next = (&raw const address).cast();
        }
        match self.allocate(required, &mut owner, needs, likes) {
            Ok(memory) => {
                // SAFETY: both are new and belong together.
                let bound = unsafe { self.device.bind_buffer_memory(buffer, memory, 0) };
                let whole = Memory { buffer, memory };
                bound.map(|()| whole).map_err(|it| {
                    self.free(whole);
                    self.failed(it, size)
                })
            }
            Err(error) => {
                // SAFETY: the buffer has no other user.
                unsafe { self.device.destroy_buffer(buffer, None) };
                Err(self.failed(error, size))
            }
        }
    }

    pub(super) fn allocate(
        &self,
        required: vk::MemoryRequirements,
        owner: &mut vk::MemoryDedicatedAllocateInfo<'_>,
        needs: vk::MemoryPropertyFlags,
        likes: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, vk::Result> {
        let types = &self.memory.memory_types[..self.memory.memory_type_count as usize];
        let suits = |wanted: vk::MemoryPropertyFlags| {
            types.iter().enumerate().position(|(index, it)| {
                required.memory_type_bits >> index & 1 == 1 && it.property_flags.contains(wanted)
            })
        };
        let found = suits(needs | likes).or_else(|| suits(needs));
        let index = found.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let create = vk::MemoryAllocateInfo::default()
            .allocation_size(required.size)
            .memory_type_index(index as u32)
            .push_next(owner);
        // SAFETY: the structures are complete and outlive the call, and the type is one of those that suit.
        unsafe { self.device.allocate_memory(&create, None) }
    }

    pub(super) fn free(&self, memory: Memory) {
        // SAFETY: the caller no longer uses either, on the device too.
        unsafe {
            self.device.destroy_buffer(memory.buffer, None);
            self.device.free_memory(memory.memory, None);
        }
    }

    /// Submits the commands and waits for their end or the time limit.
    pub(super) fn submit(
        &self,
        commands: vk::CommandBuffer,
        launches: &[&Launch],
    ) -> Result<(), Failure> {
        let gone = || {
            let why = "an earlier dispatch did not finish".to_owned();
            Failure::Trap(Trap::DeviceLost { why })
        };
        let Ok(queue) = self.queue.lock() else { return Err(gone()) };
        if self.is_lost() {
            return Err(gone());
        }
        let commands = [commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the fence is new; the commands are recorded and live until the fence is signalled or the device lost;
        // the lock keeps other threads off the queue.
        let (fence, submitted) = unsafe {
            let fence = self
                .device
                .create_fence(&vk::FenceCreateInfo::default(), None)
                .map_err(|it| self.failed(it, 0))?;
            (fence, self.device.queue_submit(*queue, &submits, fence))
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "there is no other way to detect a hanging device"
        )]
        let start = Instant::now();
        let most = match self.capabilities.is_processor() {
            true => PATIENCE_WITH_PROCESSORS,
            false => PATIENCE,
        };
        // Each dispatch of a list may take as long as a single one. A copy alone always ends.
        let is_bounded = !launches.is_empty() && launches.iter().all(|it| it.fuel.is_some());
        let most = most * launches.len().max(1) as u32;
        let patience = is_bounded.then_some(most);
        let result = submitted.map_err(|it| self.failed(it, 0)).and_then(|()| {
            loop {
                // SAFETY: the fence is alive.
                let waited =
                    unsafe { self.device.wait_for_fences(&[fence], true, TICK.as_nanos() as u64) };
                match waited {
                    Ok(()) => return Ok(()),
                    Err(vk::Result::TIMEOUT) => {}
                    Err(error) => return Err(self.failed(error, 0)),
                }
                let is_set = |it: &Arc<AtomicBool>| it.load(Ordering::Relaxed);
                let cancelled = launches.iter().any(|it| it.cancel.as_ref().is_some_and(is_set));
                if cancelled {
                    self.lost.store(true, Ordering::Relaxed);
                    return Err(Failure::Trap(Trap::Cancelled { span: Span::NONE }));
                }
                if patience.is_some_and(|it| start.elapsed() > it) {
                    self.lost.store(true, Ordering::Relaxed);
                    let why = format!(
                        "the dispatch does not end within {} s, and cannot be interrupted",
                        most.as_secs()
                    );
                    return Err(Failure::Trap(Trap::DeviceLost { why }));
                }
            }
        });
        if !self.is_lost() {
            // SAFETY: the device has signalled the fence, or never got it.
            unsafe { self.device.destroy_fence(fence, None) };
        }
        result
    }

    /// The failure of a run for a failed call.
    pub(super) fn failed(&self, result: vk::Result, bytes: u64) -> Failure {
        Failure::Trap(match result {
            vk::Result::ERROR_OUT_OF_DEVICE_MEMORY | vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
                Trap::OutOfMemory { bytes }
            }
            vk::Result::ERROR_DEVICE_LOST => {
                self.lost.store(true, Ordering::Relaxed);
                Trap::DeviceLost {
                    why: "the driver reported it lost during the dispatch".to_owned(),
                }
            }
            other => Trap::DeviceLost { why: format!("a Vulkan call failed: {other}") },
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_lost() {
            // Destroying what a dispatch still uses is undefined, and waiting for it may take forever.
            std::mem::forget(self.instance.take());
            return;
        }
        // SAFETY: programs and runs hold the context, so no object of the device is left.
        unsafe {
            // If the device is lost, there is nothing to wait for.
            let _ = self.device.device_wait_idle();
            self.device.destroy_device(None);
        }
    }
}
