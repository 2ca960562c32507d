//! Acceleration structures: scenes of the host, built by the device for its ray queries (`VK_KHR_ray_query`).
//!
//! The device gets what `ops::ray` has decoded and transformed, so formats of vertices, indices and geometry transforms
//! are those of all engines: each triangle is three vertices of f32, each box its two corners. A bottom level that
//! several instances share is built once. A built scene stays on the device as long as what it was built for.
//!
//! Instances that cannot be hit (no inverse, nothing inside) are inactive: they are counted, and nothing else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use ir::exec::{Failure, Unsupported};
use ops::ray::{Bottom, Instance, Scene, instance_flag};

use super::context::{Context, Memory};
use super::instance::Capabilities;
use super::stored::Asked;
use crate::memory::Slot;

/// What a device has for ray queries.
#[derive(Clone, Copy, Default)]
pub(super) struct Support {
    /// Acceleration structures, and queries in all stages.
    pub(super) queries: bool,
    /// Whether shaders can read the positions of vertices.
    pub(super) positions: bool,
    /// Whether queries are written into shaders instead.
    pub(super) in_software: bool,
    pub(super) most_geometries: u64,
    pub(super) most_instances: u64,
    pub(super) most_primitives: u64,
    pub(super) scratch_alignment: u32,
}

impl Support {
    /// Takes over the limits of the device.
    pub(super) fn with_limits(
        self,
        limits: &vk::PhysicalDeviceAccelerationStructurePropertiesKHR<'_>,
    ) -> Support {
        Support {
            most_geometries: limits.max_geometry_count,
            most_instances: limits.max_instance_count,
            most_primitives: limits.max_primitive_count,
            scratch_alignment: limits.min_acceleration_structure_scratch_offset_alignment,
            ..self
        }
    }
}

impl Capabilities {
    /// Gives a scene the bytes that shaders with software queries read.
    pub(super) fn pack(&self, slot: &mut Slot) -> Result<(), Failure> {
        if !self.traces_in_software() || slot.pack_scene() {
            return Ok(());
        }
        let asked = "a scene for ray queries in software".to_owned();
        Err(Failure::Unsupported(Unsupported { asked, missing: "it takes over 4 GiB".to_owned() }))
    }
}

/// A built scene beside the cell that holds what it was built from.
pub(super) type Kept = Mutex<Option<Arc<Built>>>;

/// The scene of a descriptor, built unless it is kept. Where nothing is bound, every ray misses.
pub(super) fn built(
    context: &Arc<Context>,
    asked: &Asked<'_>,
    kept: Option<&Kept>,
) -> Result<Arc<Built>, Failure> {
    let bound = asked.bound.and_then(|it| it.what.scene());
    let scene = bound.map_or_else(Arc::default, |it| it.0.clone());
    let Some(kept) = kept else { return Ok(Arc::new(Built::new(context, &scene)?)) };
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    match kept.as_ref().filter(|it| it.is_of(context, &scene)) {
        Some(built) => Ok(built.clone()),
        None => Ok(kept.insert(Arc::new(Built::new(context, &scene)?)).clone()),
    }
}

/// A scene on a device.
pub(super) struct Built {
    context: Arc<Context>,
    /// What it was built from.
    scene: Arc<Scene>,
    levels: Vec<Level>,
    /// Used while it is built.
    inputs: Vec<Memory>,
    commands: vk::CommandPool,
}

/// A bottom level, or the top level, which is the last.
#[derive(Clone, Copy)]
struct Level {
    structure: vk::AccelerationStructureKHR,
    memory: Memory,
}

/// A geometry of a bottom level: a part of the input buffer.
struct Part {
    is_procedural: bool,
    offset: u64,
    count: u32,
    flags: u32,
}

/// The sizes of a triangle, a box and an instance, in bytes.
const TRIANGLE: usize = 36;
const BOX: usize = 24;
const INSTANCE: usize = 64;
/// Of the parts of the input buffer.
const ALIGNMENT: usize = 16;

/// The flags of an instance that Vulkan has without extensions.
const INSTANCE_FLAGS: u32 = instance_flag::TRIANGLE_CULL_DISABLE
    | instance_flag::TRIANGLE_FRONT_COUNTERCLOCKWISE
    | instance_flag::FORCE_OPAQUE
    | instance_flag::FORCE_NON_OPAQUE;

impl Built {
    pub(super) fn new(context: &Arc<Context>, scene: &Arc<Scene>) -> Result<Built, Failure> {
        let mut built = Built {
            context: context.clone(),
            scene: scene.clone(),
            levels: Vec::new(),
            inputs: Vec::new(),
            commands: vk::CommandPool::null(),
        };
        built.build()?;
        Ok(built)
    }

    pub(super) fn is_of(&self, context: &Arc<Context>, scene: &Arc<Scene>) -> bool {
        Arc::ptr_eq(&self.context, context) && Arc::ptr_eq(&self.scene, scene)
    }

    pub(super) fn handle(&self) -> vk::AccelerationStructureKHR {
        self.levels.last().map(|it| it.structure).unwrap_or_default()
    }

    /// What is built is destroyed with `self`, even if this fails half way.
    fn build(&mut self) -> Result<(), Failure> {
        let scene = self.scene.clone();
        within_limits(&self.context, &scene)?;
        let mut bytes = Vec::new();
        let mut levels: Vec<Vec<Part>> = Vec::new();
        // By the address of a bottom level, its number; none if there is nothing to hit in it.
        let mut numbers: BTreeMap<*const Bottom, Option<usize>> = BTreeMap::new();
        for instance in instances(&scene) {
            let Some(bottom) = &instance.bottom else { continue };
            numbers.entry(Arc::as_ptr(bottom)).or_insert_with(|| {
                let is_active = (0..bottom.primitive_count()).any(|it| bottom.is_active(it));
                is_active.then(|| {
                    levels.push(parts(bottom, &mut bytes));
                    levels.len() - 1
                })
            });
        }
        let bottoms: BTreeMap<usize, &Bottom> = instances(&scene)
            .filter_map(|it| it.bottom.as_deref())
            .filter_map(|it| numbers[&std::ptr::from_ref(it)].map(|number| (number, it)))
            .collect();
        let geometry = self.input(&bytes)?;
        self.begin()?;
        for (number, parts) in levels.iter().enumerate() {
            let geometries: Vec<_> = parts.iter().map(|it| it.geometry(geometry)).collect();
            let counts: Vec<u32> = parts.iter().map(|it| it.count).collect();
            let mut flags = vk::BuildAccelerationStructureFlagsKHR::PREFER_FAST_TRACE;
            if self.context.capabilities.rays.positions && bottoms[&number].data_access() {
                flags |= vk::BuildAccelerationStructureFlagsKHR::ALLOW_DATA_ACCESS;
            }
            let kind = vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL;
            self.level(kind, flags, &geometries, &counts)?;
        }
        let mut records = Vec::new();
        for (at, instance) in instances(&scene).enumerate() {
            let number = instance.bottom.as_ref().and_then(|it| numbers[&Arc::as_ptr(it)]);
            // An instance without an inverse is never hit.
            let is_placed = scene.world_to_object(at as u32).is_some();
            let address = number.filter(|_| is_placed).map_or(0, |it| self.address(it));
            record(instance, address, &mut records);
        }
        let count = (records.len() / INSTANCE) as u32;
        let data = vk::AccelerationStructureGeometryInstancesDataKHR::default()
            .data(vk::DeviceOrHostAddressConstKHR { device_address: self.input(&records)? });
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::INSTANCES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { instances: data });
        let kind = vk::AccelerationStructureTypeKHR::TOP_LEVEL;
        let flags = vk::BuildAccelerationStructureFlagsKHR::PREFER_FAST_TRACE;
        self.level(kind, flags, &[geometry], &[count])?;
        self.release();
        Ok(())
    }

    /// Frees what only the build needs.
    fn release(&mut self) {
        // SAFETY: the builds have finished, or were never submitted; a null pool is ignored.
        unsafe { self.context.device.destroy_command_pool(self.commands, None) };
        self.commands = vk::CommandPool::null();
        for memory in self.inputs.drain(..) {
            self.context.free(memory);
        }
    }

    fn begin(&mut self) -> Result<(), Failure> {
        let family = self.context.capabilities.family.unwrap_or(0);
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the structure is complete, and outlives the call.
        let commands = unsafe { self.context.device.create_command_pool(&pool, None) };
        self.commands = commands.map_err(|it| self.context.failed(it, 0))?;
        Ok(())
    }

    /// A buffer with these bytes, for builds, and its address.
    fn input(&mut self, bytes: &[u8]) -> Result<vk::DeviceAddress, Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let needs = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let size = bytes.len().max(INSTANCE) as u64;
        let memory = self.context.buffer(size, usage, needs, Flags::DEVICE_LOCAL)?;
        self.inputs.push(memory);
        let device = &self.context.device;
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped, is mapped once, is as large as the bytes, and the device does not use it
        // yet.
        unsafe {
            let mapped = device.map_memory(memory.memory, 0, all, none);
            let mapped: *mut u8 = mapped.map_err(|it| self.context.failed(it, size))?.cast();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), mapped, bytes.len());
            device.unmap_memory(memory.memory);
        }
        Ok(self.address_of(memory.buffer))
    }

    fn address_of(&self, buffer: vk::Buffer) -> vk::DeviceAddress {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        // SAFETY: the buffer is alive, and was created for its address.
        unsafe { self.context.device.get_buffer_device_address(&info) }
    }

    /// The address of a level.
    fn address(&self, number: usize) -> vk::DeviceAddress {
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::default()
            .acceleration_structure(self.levels[number].structure);
        // SAFETY: the structure is alive.
        unsafe { self.context.scenes().get_acceleration_structure_device_address(&info) }
    }

    /// Builds a level, and waits for it.
    fn level(
        &mut self,
        kind: vk::AccelerationStructureTypeKHR,
        flags: vk::BuildAccelerationStructureFlagsKHR,
        geometries: &[vk::AccelerationStructureGeometryKHR<'_>],
        counts: &[u32],
    ) -> Result<(), Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let context = self.context.clone();
        let (device, scenes) = (&context.device, context.scenes());
        let mut build = vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(kind)
            .flags(flags)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .geometries(geometries);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let by = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        // SAFETY: the structures are complete and outlive the call; there is a count for each geometry.
        unsafe { scenes.get_acceleration_structure_build_sizes(by, &build, counts, &mut sizes) };
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let (local, none) = (Flags::DEVICE_LOCAL, Flags::empty());
        let size = sizes.acceleration_structure_size;
        let memory = context.buffer(size, usage, none, local)?;
        let create = vk::AccelerationStructureCreateInfoKHR::default()
            .buffer(memory.buffer)
            .size(size)
            .ty(kind);
        // SAFETY: the buffer is alive and large enough.
        let structure = unsafe { scenes.create_acceleration_structure(&create, None) };
        let structure = structure.map_err(|it| {
            context.free(memory);
            context.failed(it, size)
        })?;
        self.levels.push(Level { structure, memory });
        let usage =
            vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let alignment = u64::from(context.capabilities.rays.scratch_alignment.max(1));
        let room = sizes.build_scratch_size.max(4) + alignment;
        let scratch = context.buffer(room, usage, none, local)?;
        self.inputs.push(scratch);
        let address = self.address_of(scratch.buffer).next_multiple_of(alignment);
        build = build
            .dst_acceleration_structure(structure)
            .scratch_data(vk::DeviceOrHostAddressKHR { device_address: address });
        let ranges: Vec<_> = counts
            .iter()
            .map(|it| vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(*it))
            .collect();
        let failed = |it| context.failed(it, 0);
        // SAFETY: what the commands name is alive until the submission has been waited for, or the device is lost and
        // nothing is freed. The scratch memory is large enough, and no other build uses it.
        unsafe {
            let allocate = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.commands)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&allocate).map_err(failed)?[0];
            let begin = vk::CommandBufferBeginInfo::default();
            device.begin_command_buffer(commands, &begin).map_err(failed)?;
            scenes.cmd_build_acceleration_structures(commands, &[build], &[&ranges]);
            use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(Access::ACCELERATION_STRUCTURE_WRITE_KHR)
                .dst_access_mask(Access::ACCELERATION_STRUCTURE_READ_KHR)];
            let from = Stage::ACCELERATION_STRUCTURE_BUILD_KHR;
            let none = vk::DependencyFlags::empty();
            let all = Stage::ALL_COMMANDS;
            device.cmd_pipeline_barrier(commands, from, all, none, &barrier, &[], &[]);
            device.end_command_buffer(commands).map_err(failed)?;
            context.submit(commands, &[])
        }
    }
}

impl Drop for Built {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        self.release();
        for level in &self.levels {
            // SAFETY: no run uses the scene any more, because each holds it.
            unsafe {
                self.context.scenes().destroy_acceleration_structure(level.structure, None);
            }
            self.context.free(level.memory);
        }
    }
}

fn instances(scene: &Scene) -> impl Iterator<Item = &Instance> {
    (0..scene.instance_count() as u32).filter_map(|it| scene.instance(it))
}

/// Appends the primitives of a bottom level.
fn parts(bottom: &Bottom, bytes: &mut Vec<u8>) -> Vec<Part> {
    let is_procedural = bottom.is_procedural();
    let mut parts = Vec::new();
    for at in 0..bottom.geometry_count() as u32 {
        let Some((count, flags)) = bottom.geometry(at) else { continue };
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        let offset = bytes.len() as u64;
        bytes.reserve(count as usize * if is_procedural { BOX } else { TRIANGLE });
        for primitive in 0..count {
            let numbers = match is_procedural {
                true => bottom.aabb(at, primitive).map(|it| it.as_flattened().to_vec()),
                false => bottom.triangle(at, primitive).map(|it| it.as_flattened().to_vec()),
            };
            bytes.extend(numbers.into_iter().flatten().flat_map(f32::to_le_bytes));
        }
        parts.push(Part { is_procedural, offset, count, flags });
    }
    parts
}

impl Part {
    fn geometry(&self, start: vk::DeviceAddress) -> vk::AccelerationStructureGeometryKHR<'static> {
        let data = vk::DeviceOrHostAddressConstKHR { device_address: start + self.offset };
        // The bits are those of Direct3D.
        let all = vk::AccelerationStructureGeometryKHR::default()
            .flags(vk::GeometryFlagsKHR::from_raw(self.flags));
        if self.is_procedural {
            let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR::default()
                .data(data)
                .stride(BOX as u64);
            all.geometry_type(vk::GeometryTypeKHR::AABBS)
                .geometry(vk::AccelerationStructureGeometryDataKHR { aabbs })
        } else {
            let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
                .vertex_format(vk::Format::R32G32B32_SFLOAT)
                .vertex_data(data)
                .vertex_stride(TRIANGLE as u64 / 3)
                .max_vertex((self.count * 3).saturating_sub(1))
                .index_type(vk::IndexType::NONE_KHR);
            all.geometry_type(vk::GeometryTypeKHR::TRIANGLES)
                .geometry(vk::AccelerationStructureGeometryDataKHR { triangles })
        }
    }
}

/// Appends a `VkAccelerationStructureInstanceKHR`.
fn record(instance: &Instance, address: vk::DeviceAddress, bytes: &mut Vec<u8>) {
    let mut flags = u32::from(instance.flags) & INSTANCE_FLAGS;
    // Vulkan has no result for both; here the latter counts.
    if flags & instance_flag::FORCE_NON_OPAQUE != 0 {
        flags &= !instance_flag::FORCE_OPAQUE;
    }
    bytes.extend(instance.transform.iter().flat_map(|it| it.to_le_bytes()));
    bytes.extend((instance.id | u32::from(instance.mask) << 24).to_le_bytes());
    bytes.extend((instance.contribution | flags << 24).to_le_bytes());
    bytes.extend(address.to_le_bytes());
}

fn within_limits(context: &Context, scene: &Scene) -> Result<(), Failure> {
    let support = context.capabilities.rays;
    let all = |of: fn(&Bottom) -> usize| {
        instances(scene).filter_map(|it| it.bottom.as_deref()).map(of).max().unwrap_or(0) as u64
    };
    let rows = [
        ("instances", scene.instance_count() as u64, support.most_instances),
        ("geometries in a bottom level", all(Bottom::geometry_count), support.most_geometries),
        ("primitives in a bottom level", all(Bottom::primitive_count), support.most_primitives),
    ];
    match rows.into_iter().find(|(_, asked, most)| asked > most) {
        None => Ok(()),
        Some((what, asked, most)) => Err(Failure::Unsupported(Unsupported {
            asked: format!("a scene with {asked} {what}"),
            missing: format!("the device `{}` supports at most {most}", context.capabilities.name),
        })),
    }
}
