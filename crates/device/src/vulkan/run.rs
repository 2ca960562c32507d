//! One dispatch: what is bound goes to the device, the pipeline runs, what was written comes back.
//!
//! All bytes travel through one staging buffer, with copies before and after the dispatch in the same submission. A
//! resource of no bytes is a null descriptor, whose size is 0 and whose accesses do nothing.

use std::time::Duration;

use ash::vk;
use ir::exec::{Bindings, Failure, Format, FormatScalar, Launch, Unsupported, Work};
use ir::{Element, HostScalar, Module, Norm, ResourceKind};
use spirv::BindingKind;

use super::context::{Context, Memory};
use super::program::{Program, descriptor_type};

/// Where in the staging buffer the bytes of a resource begin: at multiples of this.
const ALIGNMENT: u64 = 64;

/// An element of a resource on the device.
struct Slot {
    /// The index of its binding in the reflection, and which descriptor of it.
    binding: usize,
    element: u32,
    /// Its bytes; `None` where there are none.
    memory: Option<Memory>,
    view: vk::BufferView,
    /// Bytes of the resource, and where they begin in the staging buffer.
    size: u64,
    staged: u64,
}

/// Everything that a run makes; destroyed with it, unless the device may still use it.
struct Made<'a> {
    context: &'a Context,
    slots: Vec<Slot>,
    staging: Option<Memory>,
    descriptors: vk::DescriptorPool,
    commands: vk::CommandPool,
    queries: vk::QueryPool,
}

/// Runs a launch, and gives the time that the dispatch took by the device's clock.
pub(super) fn run(
    program: &Program,
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
) -> Result<Option<Duration>, Failure> {
    let context = &*program.context;
    let Work::Dispatch { groups } = launch.work;
    let most = context.capabilities.limits.max_compute_work_group_count;
    if groups.iter().zip(most).any(|(groups, most)| *groups > most) {
        return Err(unsupported(
            format!("{}×{}×{} groups", groups[0], groups[1], groups[2]),
            format!("the device `{}` takes {most:?} at most", context.capabilities.name),
        ));
    }
    let mut made = Made {
        context,
        slots: Vec::new(),
        staging: None,
        descriptors: vk::DescriptorPool::null(),
        commands: vk::CommandPool::null(),
        queries: vk::QueryPool::null(),
    };
    let staged = made.slots(program, module, bindings)?;
    let sets = made.descriptors(program)?;
    let mapped = made.stage(staged)?;
    for slot in &made.slots {
        let bytes = contents(program, module, bindings, slot);
        // SAFETY: the staging buffer is mapped whole and as large as all slots together, each of which has room for its
        // bytes; the device does not use it yet.
        unsafe {
            let at = mapped.add(slot.staged as usize);
            std::ptr::write_bytes(at, 0, slot.size as usize);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
        }
    }
    let pushed = program.reflection.push.as_ref().map(|push| {
        let buffer = bindings.bindings.get(push.resource.index()).and_then(|it| it.first());
        let mut bytes = buffer.map(|it| it.bytes.clone()).unwrap_or_default();
        bytes.resize(push.bytes as usize, 0);
        bytes
    });
    let commands = made.record(program, &sets, pushed.as_deref(), groups)?;
    context.submit(commands, launch)?;
    for slot in &made.slots {
        let binding = &program.reflection.bindings[slot.binding];
        if !binding.writable {
            continue;
        }
        let elements = &mut bindings.bindings[binding.resource.index()];
        let Some(buffer) = elements.get_mut(slot.element as usize) else { continue };
        // SAFETY: the device is done with the staging buffer, which is mapped whole and holds the slot.
        let bytes = unsafe {
            std::slice::from_raw_parts(mapped.add(slot.staged as usize), slot.size as usize)
        };
        if binding.kind == BindingKind::Counter {
            buffer.counter = bytes.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
        } else {
            let count = buffer.bytes.len();
            buffer.bytes.copy_from_slice(&bytes[..count]);
        }
    }
    Ok(made.time())
}

fn unsupported(asked: impl Into<String>, missing: impl Into<String>) -> Failure {
    Failure::Unsupported(Unsupported { asked: asked.into(), missing: missing.into() })
}

/// The bytes with which a slot begins.
fn contents(program: &Program, module: &Module, bindings: &Bindings, slot: &Slot) -> Vec<u8> {
    let binding = &program.reflection.bindings[slot.binding];
    let buffer = bindings.bindings[binding.resource.index()].get(slot.element as usize);
    let Some(buffer) = buffer else { return Vec::new() };
    match (binding.kind, &module.resources[binding.resource.index()].kind) {
        (BindingKind::Counter, _) => buffer.counter.to_le_bytes().to_vec(),
        (BindingKind::UniformBuffer, _) => {
            buffer.bytes[..buffer.bytes.len().min(slot.size as usize)].to_vec()
        }
        _ => buffer.bytes.clone(),
    }
}

/// The format of the texels of a typed buffer, where Vulkan has it.
fn texel_format(own: Option<Format>, element: &Element) -> Option<vk::Format> {
    use FormatScalar::*;
    let (scalar, components) = match own {
        Some(format) => (format.scalar, format.components),
        None => {
            let scalar = match (element.scalar, element.norm) {
                (HostScalar::F32, Norm::None) => Float32,
                (HostScalar::I32, Norm::None) => Int32,
                (HostScalar::U32 | HostScalar::Bool, Norm::None) => Uint32,
                (HostScalar::F16, Norm::None) => Float16,
                (HostScalar::I16, Norm::None) => Int16,
                (HostScalar::U16, Norm::None) => Uint16,
                (HostScalar::F16, Norm::Unorm) => Unorm16,
                (HostScalar::F16, Norm::Snorm) => Snorm16,
                _ => return None,
            };
            (scalar, element.components)
        }
    };
    let of = |one, two, three, four| match components {
        1 => Some(one),
        2 => Some(two),
        3 => Some(three),
        4 => Some(four),
        _ => None,
    };
    use vk::Format as F;
    let none = F::UNDEFINED;
    let found = match scalar {
        Float32 => of(F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32_SFLOAT, F::R32G32B32A32_SFLOAT),
        Int32 => of(F::R32_SINT, F::R32G32_SINT, F::R32G32B32_SINT, F::R32G32B32A32_SINT),
        Uint32 => of(F::R32_UINT, F::R32G32_UINT, F::R32G32B32_UINT, F::R32G32B32A32_UINT),
        Float16 => of(F::R16_SFLOAT, F::R16G16_SFLOAT, none, F::R16G16B16A16_SFLOAT),
        Int16 => of(F::R16_SINT, F::R16G16_SINT, none, F::R16G16B16A16_SINT),
        Uint16 => of(F::R16_UINT, F::R16G16_UINT, none, F::R16G16B16A16_UINT),
        Int8 => of(F::R8_SINT, F::R8G8_SINT, none, F::R8G8B8A8_SINT),
        Uint8 => of(F::R8_UINT, F::R8G8_UINT, none, F::R8G8B8A8_UINT),
        Unorm8 => of(F::R8_UNORM, F::R8G8_UNORM, none, F::R8G8B8A8_UNORM),
        Snorm8 => of(F::R8_SNORM, F::R8G8_SNORM, none, F::R8G8B8A8_SNORM),
        Unorm16 => of(F::R16_UNORM, F::R16G16_UNORM, none, F::R16G16B16A16_UNORM),
        Snorm16 => of(F::R16_SNORM, F::R16G16_SNORM, none, F::R16G16B16A16_SNORM),
        Float64 | Int64 | Uint64 => None,
    };
    found.filter(|it| *it != none)
}

impl Made<'_> {
    /// Makes the buffers, and gives the size of the staging buffer that holds them all.
    fn slots(
        &mut self,
        program: &Program,
        module: &Module,
        bindings: &Bindings,
    ) -> Result<u64, Failure> {
        let limits = &self.context.capabilities.limits;
        let mut staged = 0;
        for (number, binding) in program.reflection.bindings.iter().enumerate() {
            let resource = &module.resources[binding.resource.index()];
            let elements = &bindings.bindings[binding.resource.index()];
            for element in 0..program.counts[number] {
                let buffer = elements.get(element as usize);
                let bytes = buffer.map_or(0, |it| it.bytes.len() as u64);
                let size = match (binding.kind, &resource.kind) {
                    _ if buffer.is_none() => 0,
                    (BindingKind::Counter, _) => 4,
                    // The module reads whole registers of what is declared.
                    (_, ResourceKind::Constant { .. }) if bytes == 0 => 0,
                    (_, ResourceKind::Constant { size, .. }) => {
                        u64::from(size.div_ceil(16).max(1)) * 16
                    }
                    _ => bytes,
                };
                let most = match binding.kind {
                    BindingKind::UniformBuffer => limits.max_uniform_buffer_range,
                    _ => limits.max_storage_buffer_range,
                };
                if size > u64::from(most) {
                    let asked = format!("the {size} bytes of `{}`", resource.name);
                    let name = &self.context.capabilities.name;
                    return Err(unsupported(asked, format!("`{name}` takes {most} at most")));
                }
                let mut slot = Slot {
                    binding: number,
                    element,
                    memory: None,
                    view: vk::BufferView::null(),
                    size,
                    staged,
                };
                if size > 0 {
                    use vk::BufferUsageFlags as Usage;
                    let usage = Usage::STORAGE_BUFFER
                        | Usage::UNIFORM_BUFFER
                        | Usage::STORAGE_TEXEL_BUFFER
                        | Usage::UNIFORM_TEXEL_BUFFER
                        | Usage::TRANSFER_SRC
                        | Usage::TRANSFER_DST;
                    let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
                    let none = vk::MemoryPropertyFlags::empty();
                    slot.memory = Some(self.context.buffer(size, usage, none, local)?);
                } else if self.context.capabilities.robustness.null_descriptor == vk::FALSE {
                    let asked = format!("`{}`, which has no bytes", resource.name);
                    return Err(unsupported(asked, "the device has no null descriptors"));
                }
                staged += size.next_multiple_of(ALIGNMENT);
                self.slots.push(slot);
                if let (Some(memory), ResourceKind::Typed { writable, element }) =
                    (self.slots.last().and_then(|it| it.memory), &resource.kind)
                {
                    let own = buffer.and_then(|it| it.format);
                    let view = self.view(memory, *writable, own, element, &resource.name)?;
                    if let Some(slot) = self.slots.last_mut() {
                        slot.view = view;
                    }
                }
            }
        }
        Ok(staged)
    }

    fn view(
        &self,
        memory: Memory,
        writable: bool,
        own: Option<Format>,
        element: &Element,
        name: &str,
    ) -> Result<vk::BufferView, Failure> {
        let format = texel_format(own, element);
        let Some(format) = format else {
            return Err(unsupported(
                format!("the texels of `{name}`"),
                "Vulkan has no such format",
            ));
        };
        if writable && Some(format) != texel_format(None, element) {
            let asked = format!("`{name}` in a format of its own");
            let missing = "what is written has the format of its declaration";
            return Err(unsupported(asked, missing));
        }
        let create = vk::BufferViewCreateInfo::default()
            .buffer(memory.buffer)
            .format(format)
            .range(vk::WHOLE_SIZE);
        // SAFETY: the buffer is alive and may be seen so.
        unsafe { self.context.device.create_buffer_view(&create, None) }
            .map_err(|it| self.context.failed(it, 0))
    }

    /// Writes a descriptor for each slot.
    fn descriptors(&mut self, program: &Program) -> Result<Vec<vk::DescriptorSet>, Failure> {
        if program.sets.is_empty() {
            return Ok(Vec::new());
        }
        let device = &self.context.device;
        let each = program.reflection.bindings.iter().zip(&program.counts);
        let sizes: Vec<vk::DescriptorPoolSize> = each
            .map(|(it, count)| vk::DescriptorPoolSize {
                ty: descriptor_type(it.kind),
                descriptor_count: *count,
            })
            .filter(|it| it.descriptor_count > 0)
            .collect();
        let create = vk::DescriptorPoolCreateInfo::default()
            .max_sets(program.sets.len() as u32)
            .pool_sizes(&sizes);
        // SAFETY: the structures outlive the calls, and the layouts live as long as the program.
        let sets = unsafe {
            self.descriptors = device
                .create_descriptor_pool(&create, None)
                .map_err(|it| self.context.failed(it, 0))?;
            let allocate = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.descriptors)
                .set_layouts(&program.sets);
            device.allocate_descriptor_sets(&allocate)
        };
        let sets = sets.map_err(|it| self.context.failed(it, 0))?;
        for slot in &self.slots {
            let binding = &program.reflection.bindings[slot.binding];
            let kind = descriptor_type(binding.kind);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[binding.set as usize])
                .dst_binding(binding.binding)
                .dst_array_element(slot.element)
                .descriptor_type(kind);
            let views = [slot.view];
            let buffers = [vk::DescriptorBufferInfo {
                buffer: slot.memory.map_or(vk::Buffer::null(), |it| it.buffer),
                offset: 0,
                range: if slot.memory.is_some() { slot.size } else { vk::WHOLE_SIZE },
            }];
            let is_texels = matches!(
                binding.kind,
                BindingKind::UniformTexelBuffer | BindingKind::StorageTexelBuffer
            );
            let write = match is_texels {
                true => write.texel_buffer_view(&views),
                false => write.buffer_info(&buffers),
            };
            // SAFETY: the set is not in use, and what is written into it is alive, or null where the device allows that.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(sets)
    }

    /// Makes the staging buffer and maps it.
    fn stage(&mut self, size: u64) -> Result<*mut u8, Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let needs = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let staging = self.context.buffer(size, usage, needs, Flags::HOST_CACHED)?;
        self.staging = Some(staging);
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped, and is mapped once.
        let mapped = unsafe { self.context.device.map_memory(staging.memory, 0, all, none) };
        mapped.map(|it| it.cast()).map_err(|it| self.context.failed(it, size))
    }

    fn record(
        &mut self,
        program: &Program,
        sets: &[vk::DescriptorSet],
        pushed: Option<&[u8]>,
        groups: [u32; 3],
    ) -> Result<vk::CommandBuffer, Failure> {
        let device = &self.context.device;
        let failed = |it| self.context.failed(it, 0);
        let family = self.context.capabilities.family.unwrap_or(0);
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let queries =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: everything that is recorded is alive, and stays so until the end of the run: `self` holds it. The copies
        // lie inside their buffers, whose sizes are those of the slots.
        unsafe {
            self.commands = device.create_command_pool(&pool, None).map_err(failed)?;
            if self.context.capabilities.has_clock {
                self.queries = device.create_query_pool(&queries, None).map_err(failed)?;
            }
            let allocate = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.commands)
                .command_buffer_count(1);
            let commands = device.allocate_command_buffers(&allocate).map_err(failed)?[0];
            device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .map_err(failed)?;
            let staging = self.staging.map(|it| it.buffer).unwrap_or_default();
            let copy = |slot: &Slot, back: bool| {
                let Some(memory) = slot.memory else { return };
                let (from, to) = if back { (0, slot.staged) } else { (slot.staged, 0) };
                let region = [vk::BufferCopy { src_offset: from, dst_offset: to, size: slot.size }];
                match back {
                    true => device.cmd_copy_buffer(commands, memory.buffer, staging, &region),
                    false => device.cmd_copy_buffer(commands, staging, memory.buffer, &region),
                }
            };
            for slot in &self.slots {
                copy(slot, false);
            }
            use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
            let barrier = |from: (Stage, Access), to: (Stage, Access)| {
                let memory =
                    [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
                let none = vk::DependencyFlags::empty();
                device.cmd_pipeline_barrier(commands, from.0, to.0, none, &memory, &[], &[]);
            };
            let shader = Access::SHADER_READ | Access::SHADER_WRITE | Access::UNIFORM_READ;
            let copies = Access::TRANSFER_READ | Access::TRANSFER_WRITE;
            barrier((Stage::TRANSFER, copies), (Stage::COMPUTE_SHADER, shader));
            let clock = |number: u32| {
                if self.queries != vk::QueryPool::null() {
                    let stage = Stage::COMPUTE_SHADER;
                    device.cmd_write_timestamp(commands, stage, self.queries, number);
                }
            };
            if self.queries != vk::QueryPool::null() {
                device.cmd_reset_query_pool(commands, self.queries, 0, 2);
            }
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, program.pipeline);
            if !sets.is_empty() {
                device.cmd_bind_descriptor_sets(commands, point, program.layout, 0, sets, &[]);
            }
            if let Some(pushed) = pushed {
                let stage = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(commands, program.layout, stage, 0, pushed);
            }
            clock(0);
            device.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
            clock(1);
            barrier((Stage::COMPUTE_SHADER, shader), (Stage::TRANSFER, copies));
            for slot in &self.slots {
                if program.reflection.bindings[slot.binding].writable {
                    copy(slot, true);
                }
            }
            barrier((Stage::TRANSFER, copies), (Stage::HOST, Access::HOST_READ));
            device.end_command_buffer(commands).map_err(failed)?;
            Ok(commands)
        }
    }

    fn time(&self) -> Option<Duration> {
        if self.queries == vk::QueryPool::null() {
            return None;
        }
        let mut ticks = [0u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: both have been written by the commands, which have ended.
        let got = unsafe {
            self.context.device.get_query_pool_results(self.queries, 0, &mut ticks, flags)
        };
        let nanoseconds = f64::from(self.context.capabilities.limits.timestamp_period)
            * ticks[1].saturating_sub(ticks[0]) as f64;
        got.ok().map(|()| Duration::from_nanos(nanoseconds as u64))
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        let device = &self.context.device;
        // SAFETY: the device is done with all of it, or has never got it; null handles are ignored.
        unsafe {
            device.destroy_query_pool(self.queries, None);
            device.destroy_command_pool(self.commands, None);
            device.destroy_descriptor_pool(self.descriptors, None);
            for slot in &self.slots {
                device.destroy_buffer_view(slot.view, None);
            }
        }
        let memories = self.slots.iter().filter_map(|it| it.memory).chain(self.staging);
        for memory in memories {
            self.context.free(memory);
        }
    }
}
