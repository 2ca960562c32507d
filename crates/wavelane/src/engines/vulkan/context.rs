//! An open device: its queue, its memory, submission and waiting.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ash::vk;
use diag::Span;
use ir::exec::{Failure, Launch, Trap};

use super::instance::{Capabilities, Instance, KHR_COMPUTE_SHADER_DERIVATIVES};

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
        let mut features11 = capabilities.features11;
        let mut features12 = capabilities.features12;
        let mut features13 = capabilities.features13;
        let mut robustness = capabilities.robustness;
        let mut reconvergence = vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default()
            .shader_maximal_reconvergence(true);
        // NVIDIA's extension has the same structure as Khronos's.
        let mut derivatives = vk::PhysicalDeviceComputeShaderDerivativesFeaturesNV::default()
            .compute_derivative_group_linear(true);
        let mut borders = vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default()
            .custom_border_colors(true)
            .custom_border_color_without_format(true);
        let mut image_atomics = vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default()
            .shader_image_int64_atomics(true);
        let mut clip =
            vk::PhysicalDeviceDepthClipEnableFeaturesEXT::default().depth_clip_enable(true);
        let mut lines =
            vk::PhysicalDeviceLineRasterizationFeaturesEXT::default().bresenham_lines(true);
        let mut barycentric = vk::PhysicalDeviceFragmentShaderBarycentricFeaturesKHR::default()
            .fragment_shader_barycentric(true);
        let mut quads =
            vk::PhysicalDeviceShaderQuadControlFeaturesKHR::default().shader_quad_control(true);
        let mut interlock = vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT::default()
            .fragment_shader_pixel_interlock(true);
        let mut meshes = vk::PhysicalDeviceMeshShaderFeaturesEXT::default()
            .mesh_shader(capabilities.graphics.meshes)
            .task_shader(capabilities.graphics.amplifies);
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .features(capabilities.features)
            .push_next(&mut features11)
            .push_next(&mut features12)
            .push_next(&mut features13);
        let mut extensions: Vec<&CStr> = Vec::new();
        if capabilities.reconverges {
            extensions.push(ash::khr::shader_maximal_reconvergence::NAME);
            features = features.push_next(&mut reconvergence);
        }
        let is_robust =
            robustness.null_descriptor == vk::TRUE || robustness.robust_buffer_access2 == vk::TRUE;
        if is_robust {
            extensions.push(ash::ext::robustness2::NAME);
            features = features.push_next(&mut robustness);
        }
        if capabilities.derivatives {
            extensions.push(KHR_COMPUTE_SHADER_DERIVATIVES);
            features = features.push_next(&mut derivatives);
        }
        if capabilities.colors_borders {
            extensions.push(ash::ext::custom_border_color::NAME);
            features = features.push_next(&mut borders);
        }
        if capabilities.wide_image_atomics {
            extensions.push(ash::ext::shader_image_atomic_int64::NAME);
            features = features.push_next(&mut image_atomics);
        }
        if capabilities.partitions {
            extensions.push(ash::nv::shader_subgroup_partitioned::NAME);
        }
        let graphics = capabilities.graphics;
        if graphics.clips_depth {
            extensions.push(ash::ext::depth_clip_enable::NAME);
            features = features.push_next(&mut clip);
        }
        if graphics.draws_lines {
            extensions.push(ash::ext::line_rasterization::NAME);
            features = features.push_next(&mut lines);
        }
        if graphics.barycentrics {
            extensions.push(ash::khr::fragment_shader_barycentric::NAME);
            features = features.push_next(&mut barycentric);
        }
        if graphics.controls_quads {
            extensions.push(ash::khr::shader_quad_control::NAME);
            features = features.push_next(&mut quads);
        }
        if graphics.orders_pixels {
            extensions.push(ash::ext::fragment_shader_interlock::NAME);
            features = features.push_next(&mut interlock);
        }
        if graphics.meshes {
            extensions.push(ash::ext::mesh_shader::NAME);
            features = features.push_next(&mut meshes);
        }
        if graphics.exports_stencil {
            extensions.push(ash::ext::shader_stencil_export::NAME);
        }
        let rays = capabilities.rays;
        let mut scenes = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default()
            .acceleration_structure(true);
        let mut queries = vk::PhysicalDeviceRayQueryFeaturesKHR::default().ray_query(true);
        let mut positions = vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR::default()
            .ray_tracing_position_fetch(true);
        if rays.queries {
            extensions.push(ash::khr::acceleration_structure::NAME);
            extensions.push(ash::khr::deferred_host_operations::NAME);
            extensions.push(ash::khr::ray_query::NAME);
            features = features.push_next(&mut scenes).push_next(&mut queries);
            if rays.positions {
                extensions.push(ash::khr::ray_tracing_position_fetch::NAME);
                features = features.push_next(&mut positions);
            }
        }
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
        let scenes = rays
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
