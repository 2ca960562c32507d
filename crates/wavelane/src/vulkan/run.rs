//! One dispatch: what is bound goes to the device, the pipeline runs, what was written comes back.
//!
//! All bytes travel through one staging buffer, with copies before and after the dispatch in the same submission. A
//! resource of no bytes is a null descriptor, whose size is 0 and whose accesses do nothing.
//!
//! Whoever measures runs the same again ([`Run::go`]): the staging buffer keeps what was bound until results come back, so
//! that each round begins with a copy and without the host. Programs that are compared run on the same buffers, because
//! where memory lies makes a difference of some percent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ash::vk;
use ir::exec::{Bindings, Failure, Launch, Unsupported, Work};
use ir::{Module, ResourceKind};
use spirv::BindingKind;

use super::context::{Context, Memory};
use super::fill::Filler;
use super::format;
use super::image::Picture;
use super::program::{Program, descriptor_type};
use super::stored::{self, Asked, Held, Need, Place, Stored};

/// Where in the staging buffer the bytes of a resource begin: at multiples of this.
const ALIGNMENT: u64 = 64;

/// A descriptor to write.
struct Slot {
    /// Which of the programs that run on the same buffers.
    program: usize,
    /// The index of its binding in the reflection, and which descriptor of it.
    binding: usize,
    element: u32,
    /// What it refers to; null handles where nothing is.
    seen: Seen,
}

enum Seen {
    Buffer { buffer: vk::Buffer, range: u64 },
    Texels(vk::BufferView),
    Image(vk::ImageView),
    Sampler(vk::Sampler),
}

/// Everything that a run makes; destroyed with it, unless the device may still use it.
struct Made<'a> {
    context: &'a Context,
    stored: Vec<Stored>,
    /// Where in that list a place is.
    found: BTreeMap<Place, usize>,
    slots: Vec<Slot>,
    staging: Option<Memory>,
    fillers: Vec<Filler>,
    /// One for each program that has any.
    descriptors: Vec<vk::DescriptorPool>,
    commands: vk::CommandPool,
    /// What is recorded, again for each run.
    recorded: vk::CommandBuffer,
    queries: vk::QueryPool,
}

/// A launch whose bytes lie ready for the device, to be run once or several times from the same contents, by one program or
/// by several in turns.
pub(super) struct Run<'a> {
    programs: &'a [Arc<Program>],
    launch: &'a Launch,
    made: Made<'a>,
    /// The descriptor sets of each program.
    sets: Vec<Vec<vk::DescriptorSet>>,
    /// What is pushed for each.
    pushed: Vec<Option<Vec<u8>>>,
    /// The staging buffer, mapped whole.
    mapped: *mut u8,
}

/// Runs a launch, and gives the time that the dispatch took by the device's clock.
pub(super) fn run(
    program: &Arc<Program>,
    module: &Module,
    launch: &Launch,
    bindings: &mut Bindings,
) -> Result<Option<Duration>, Failure> {
    Run::new(std::slice::from_ref(program), module, launch, bindings)?.end(0, bindings)
}

impl<'a> Run<'a> {
    pub(super) fn new(
        programs: &'a [Arc<Program>],
        module: &Module,
        launch: &'a Launch,
        bindings: &Bindings,
    ) -> Result<Run<'a>, Failure> {
        let context = &*programs[0].context;
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
            stored: Vec::new(),
            found: BTreeMap::new(),
            slots: Vec::new(),
            staging: None,
            fillers: Vec::new(),
            descriptors: Vec::new(),
            commands: vk::CommandPool::null(),
            recorded: vk::CommandBuffer::null(),
            queries: vk::QueryPool::null(),
        };
        let staged = made.slots(programs, module, bindings)?;
        let mut sets = Vec::new();
        for (number, program) in programs.iter().enumerate() {
            sets.push(made.descriptors(number, program)?);
        }
        let mapped = made.stage(staged)?;
        made.pools()?;
        let pushed = |program: &Arc<Program>| {
            let push = program.reflection.push.as_ref()?;
            let buffer = bindings.bindings.get(push.resource.index()).and_then(|it| it.first());
            let mut bytes = buffer.map(|it| it.bytes.clone()).unwrap_or_default();
            bytes.resize(push.bytes as usize, 0);
            Some(bytes)
        };
        let pushed = programs.iter().map(pushed).collect();
        let run = Run { programs, launch, made, sets, pushed, mapped };
        run.fill(bindings);
        Ok(run)
    }

    /// Lays ready what is bound.
    pub(super) fn fill(&self, bindings: &Bindings) {
        for stored in &self.made.stored {
            let mut counter = [0; 4];
            let bytes = stored.bytes(bindings, &mut counter);
            // SAFETY: the staging buffer is mapped whole and as large as everything stored together, each of which has room
            // for its bytes; the device does not use it, since whoever submits waits, and nobody else looks at this part.
            let room = unsafe {
                std::slice::from_raw_parts_mut(
                    self.mapped.add(stored.staged as usize),
                    stored.size as usize,
                )
            };
            stored.lay_out(bytes, room);
        }
    }

    /// Runs a program from what lies ready, leaves the results on the device, and gives the time by the device's clock.
    pub(super) fn go(&mut self, program: usize) -> Result<Option<Duration>, Failure> {
        self.submit(program, false)
    }

    /// The same, and gives the bindings what the program wrote; what lay ready is gone then.
    pub(super) fn end(
        &mut self,
        program: usize,
        bindings: &mut Bindings,
    ) -> Result<Option<Duration>, Failure> {
        let time = self.submit(program, true)?;
        for stored in self.made.stored.iter().filter(|it| it.written) {
            // SAFETY: the device is done with the staging buffer, which is mapped whole and holds what is stored.
            let bytes = unsafe {
                std::slice::from_raw_parts(
                    self.mapped.add(stored.staged as usize),
                    stored.size as usize,
                )
            };
            stored.give_back(bindings, bytes);
        }
        Ok(time)
    }

    fn submit(&mut self, program: usize, back: bool) -> Result<Option<Duration>, Failure> {
        let Work::Dispatch { groups } = self.launch.work;
        let (sets, pushed) = (&self.sets[program], self.pushed[program].as_deref());
        let commands = self.made.record(&self.programs[program], sets, pushed, groups, back)?;
        self.made.context.submit(commands, self.launch)?;
        Ok(self.made.time())
    }
}

fn unsupported(asked: impl Into<String>, missing: impl Into<String>) -> Failure {
    Failure::Unsupported(Unsupported { asked: asked.into(), missing: missing.into() })
}

impl Made<'_> {
    /// Makes storage and descriptors, and gives the size of the staging buffer that holds all the bytes.
    fn slots(
        &mut self,
        programs: &[Arc<Program>],
        module: &Module,
        bindings: &Bindings,
    ) -> Result<u64, Failure> {
        let all: Vec<Vec<_>> =
            programs.iter().map(|it| stored::asked(it, module, bindings)).collect();
        let needs = stored::needs(module, bindings, all.iter().flatten());
        let numbered = all.into_iter().enumerate();
        let each = numbered.flat_map(|(number, all)| all.into_iter().map(move |it| (number, it)));
        let mut staged = 0;
        for (program, (binding, element, asked)) in each {
            let need = needs[&asked.place];
            let seen = match asked.kind {
                BindingKind::Sampler => {
                    let state = asked.bound.and_then(|it| it.sampler).unwrap_or_default();
                    let sampled = stored::sampled(module, asked.resource);
                    let compares =
                        matches!(asked.declared.kind, ResourceKind::Sampler { comparison: true });
                    let name = &asked.declared.name;
                    Seen::Sampler(self.context.sampler(&state, compares, sampled, name)?)
                }
                BindingKind::SampledImage | BindingKind::StorageImage => {
                    self.image(&asked, &need, &mut staged)?
                }
                BindingKind::UniformBuffer
                | BindingKind::StorageBuffer
                | BindingKind::UniformTexelBuffer
                | BindingKind::StorageTexelBuffer
                | BindingKind::Counter => self.buffer(module, &asked, &need, &mut staged)?,
            };
            let is_null = match &seen {
                Seen::Buffer { buffer, .. } => *buffer == vk::Buffer::null(),
                Seen::Texels(view) => *view == vk::BufferView::null(),
                Seen::Image(view) => *view == vk::ImageView::null(),
                Seen::Sampler(_) => false,
            };
            self.slots.push(Slot { program, binding, element, seen });
            if is_null && self.context.capabilities.robustness.null_descriptor == vk::FALSE {
                let asked = format!("`{}`, where nothing is bound", asked.declared.name);
                return Err(unsupported(asked, "the device has no null descriptors"));
            }
        }
        Ok(staged)
    }

    fn find(&self, asked: &Asked<'_>) -> Option<&Stored> {
        self.found.get(&asked.place).map(|it| &self.stored[*it])
    }

    fn store(&mut self, stored: Stored) {
        self.found.insert(stored.place, self.stored.len());
        self.stored.push(stored);
    }

    fn buffer(
        &mut self,
        module: &Module,
        asked: &Asked<'_>,
        need: &Need,
        staged: &mut u64,
    ) -> Result<Seen, Failure> {
        let limits = &self.context.capabilities.limits;
        let range = asked.range();
        let most = match asked.kind {
            BindingKind::UniformBuffer => limits.max_uniform_buffer_range,
            _ => limits.max_storage_buffer_range,
        };
        if range > u64::from(most) {
            let asked = format!("the {range} bytes of `{}`", asked.declared.name);
            let name = &self.context.capabilities.name;
            return Err(unsupported(asked, format!("`{name}` takes {most} at most")));
        }
        let mut buffer = vk::Buffer::null();
        if range > 0 {
            let found = self.find(asked).map(|it| &it.held);
            buffer = match found {
                Some(Held::Buffer(memory)) => memory.buffer,
                Some(Held::Picture(_)) => unreachable!("what has a texture is seen as no buffer"),
                None => {
                    use vk::BufferUsageFlags as Usage;
                    let usage = Usage::STORAGE_BUFFER
                        | Usage::UNIFORM_BUFFER
                        | Usage::STORAGE_TEXEL_BUFFER
                        | Usage::UNIFORM_TEXEL_BUFFER
                        | Usage::TRANSFER_SRC
                        | Usage::TRANSFER_DST;
                    let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
                    let none = vk::MemoryPropertyFlags::empty();
                    let memory = self.context.buffer(need.bytes, usage, none, local)?;
                    self.store(Stored {
                        place: asked.place,
                        held: Held::Buffer(memory),
                        staged: *staged,
                        size: need.bytes,
                        written: need.written,
                    });
                    *staged = (*staged + need.bytes).next_multiple_of(ALIGNMENT);
                    memory.buffer
                }
            };
        }
        match asked.kind {
            BindingKind::UniformTexelBuffer | BindingKind::StorageTexelBuffer => {
                self.texels(module, asked, buffer, range)
            }
            _ => Ok(Seen::Buffer { buffer, range }),
        }
    }

    fn texels(
        &self,
        module: &Module,
        asked: &Asked<'_>,
        buffer: vk::Buffer,
        range: u64,
    ) -> Result<Seen, Failure> {
        let ResourceKind::Typed { writable, element } = &asked.declared.kind else {
            unreachable!("views of texels are those of typed buffers")
        };
        let name = &asked.declared.name;
        let own = asked.bound.and_then(|it| it.format);
        let Some(texels) = format::texel_format(own, element, asked.format) else {
            let asked_for = format!("the texels of `{name}`");
            return Err(unsupported(asked_for, format::no_format(asked.format)));
        };
        let own = own.unwrap_or_else(|| ir::texel::own_format(element));
        let texel = u64::from(own.components * ir::texel::scalar_bytes(own.scalar));
        let count = range / texel.max(1);
        if count == 0 {
            return Ok(Seen::Texels(vk::BufferView::null()));
        }
        use vk::FormatFeatureFlags2 as Can;
        let is_atomic = module.changes_atomically(asked.resource);
        let needs = match (writable, asked.format) {
            (false, _) => Can::UNIFORM_TEXEL_BUFFER,
            (true, Some(_)) if is_atomic => {
                Can::STORAGE_TEXEL_BUFFER | Can::STORAGE_TEXEL_BUFFER_ATOMIC
            }
            (true, Some(_)) => Can::STORAGE_TEXEL_BUFFER,
            (true, None) => {
                let any = Can::STORAGE_READ_WITHOUT_FORMAT | Can::STORAGE_WRITE_WITHOUT_FORMAT;
                Can::STORAGE_TEXEL_BUFFER | any
            }
        };
        let has = self.context.features_of(texels).buffer_features;
        let device = &self.context.capabilities.name;
        if !has.contains(needs) {
            let missing = format!("the device `{device}` does not {}", format::lacks(needs & !has));
            return Err(unsupported(format!("the texels of `{name}`"), missing));
        }
        let most = self.context.capabilities.limits.max_texel_buffer_elements;
        if count > u64::from(most) {
            let asked = format!("the {count} texels of `{name}`");
            return Err(unsupported(asked, format!("`{device}` takes {most} at most")));
        }
        let create =
            vk::BufferViewCreateInfo::default().buffer(buffer).format(texels).range(count * texel);
        // SAFETY: the buffer is alive, may be seen so, and holds so many texels.
        unsafe { self.context.device.create_buffer_view(&create, None) }
            .map(Seen::Texels)
            .map_err(|it| self.context.failed(it, 0))
    }

    fn image(&mut self, asked: &Asked<'_>, need: &Need, staged: &mut u64) -> Result<Seen, Failure> {
        let Some((dim, element, shape)) = asked.texture() else {
            return Ok(Seen::Image(vk::ImageView::null()));
        };
        let format = stored::view_format(self.context, asked, &element, &shape, need)?;
        if self.find(asked).is_none() {
            let start = staged.next_multiple_of(Picture::alignment(&shape));
            let picture = stored::picture(self.context, asked, (dim, format, &shape), need, start)?;
            let size = picture.size;
            *staged = (start + size).next_multiple_of(ALIGNMENT);
            self.store(Stored {
                place: asked.place,
                held: Held::Picture(picture),
                staged: start,
                size,
                written: need.written,
            });
        }
        match self.find(asked).map(|it| &it.held) {
            Some(Held::Picture(picture)) if picture.takes(dim, format) => {
                Ok(Seen::Image(self.context.image_view(picture, dim)?))
            }
            _ => {
                let asked = format!("`{}` beside another view of the same", asked.declared.name);
                Err(unsupported(asked, "an image of Vulkan has one kind and one format here"))
            }
        }
    }

    /// Writes a descriptor for each slot of a program.
    fn descriptors(
        &mut self,
        number: usize,
        program: &Program,
    ) -> Result<Vec<vk::DescriptorSet>, Failure> {
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
            let pool = device
                .create_descriptor_pool(&create, None)
                .map_err(|it| self.context.failed(it, 0))?;
            self.descriptors.push(pool);
            let allocate = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&program.sets);
            device.allocate_descriptor_sets(&allocate)
        };
        let sets = sets.map_err(|it| self.context.failed(it, 0))?;
        for slot in self.slots.iter().filter(|it| it.program == number) {
            let binding = &program.reflection.bindings[slot.binding];
            let kind = descriptor_type(binding.kind);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[binding.set as usize])
                .dst_binding(binding.binding)
                .dst_array_element(slot.element)
                .descriptor_type(kind);
            let (mut views, mut buffers, mut images) = (
                [vk::BufferView::null()],
                [vk::DescriptorBufferInfo::default()],
                [vk::DescriptorImageInfo::default()],
            );
            let write = match slot.seen {
                Seen::Buffer { buffer, range } => {
                    let range = if buffer == vk::Buffer::null() { vk::WHOLE_SIZE } else { range };
                    buffers[0] = vk::DescriptorBufferInfo { buffer, offset: 0, range };
                    write.buffer_info(&buffers)
                }
                Seen::Texels(view) => {
                    views[0] = view;
                    write.texel_buffer_view(&views)
                }
                Seen::Image(view) => {
                    images[0].image_view = view;
                    images[0].image_layout = vk::ImageLayout::GENERAL;
                    write.image_info(&images)
                }
                Seen::Sampler(sampler) => {
                    images[0].sampler = sampler;
                    write.image_info(&images)
                }
            };
            // SAFETY: the set is not in use, and what is written into it is alive, or null where the device allows that.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(sets)
    }

    /// Makes the staging buffer and maps it.
    fn stage(&mut self, size: u64) -> Result<*mut u8, Failure> {
        use vk::MemoryPropertyFlags as Flags;
        let usage = vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::STORAGE_BUFFER;
        let needs = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let staging = self.context.buffer(size, usage, needs, Flags::HOST_CACHED)?;
        self.staging = Some(staging);
        for stored in &self.stored {
            if let Held::Picture(picture) = &stored.held
                && picture.is_multisampled()
            {
                self.fillers.push(Filler::new(self.context, picture, staging)?);
            }
        }
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped, and is mapped once.
        let mapped = unsafe { self.context.device.map_memory(staging.memory, 0, all, none) };
        mapped.map(|it| it.cast()).map_err(|it| self.context.failed(it, size))
    }

    /// Where commands come from, and the clock's readings go to.
    fn pools(&mut self) -> Result<(), Failure> {
        let device = &self.context.device;
        let failed = |it| self.context.failed(it, 0);
        let family = self.context.capabilities.family.unwrap_or(0);
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let queries =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2);
        // SAFETY: the structures are complete, and outlive the calls.
        unsafe {
            self.commands = device.create_command_pool(&pool, None).map_err(failed)?;
            let allocate = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.commands)
                .command_buffer_count(1);
            self.recorded = device.allocate_command_buffers(&allocate).map_err(failed)?[0];
            if self.context.capabilities.has_clock {
                self.queries = device.create_query_pool(&queries, None).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Records a run; `back` copies what was written to the staging buffer.
    fn record(
        &mut self,
        program: &Program,
        sets: &[vk::DescriptorSet],
        pushed: Option<&[u8]>,
        groups: [u32; 3],
        back: bool,
    ) -> Result<vk::CommandBuffer, Failure> {
        let device = &self.context.device;
        let failed = |it| self.context.failed(it, 0);
        // SAFETY: everything that is recorded is alive, and stays so until the end of the run: `self` holds it. The copies
        // lie inside their buffers, whose sizes are those of what is stored. What was recorded before has come to its end:
        // whoever submits waits for it.
        unsafe {
            let none = vk::CommandPoolResetFlags::empty();
            device.reset_command_pool(self.commands, none).map_err(failed)?;
            let commands = self.recorded;
            device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .map_err(failed)?;
            let staging = self.staging.map(|it| it.buffer).unwrap_or_default();
            let copy = |stored: &Stored, back: bool| match &stored.held {
                Held::Buffer(memory) => {
                    let (from, to) = if back { (0, stored.staged) } else { (stored.staged, 0) };
                    let region =
                        [vk::BufferCopy { src_offset: from, dst_offset: to, size: stored.size }];
                    match back {
                        true => device.cmd_copy_buffer(commands, memory.buffer, staging, &region),
                        false => device.cmd_copy_buffer(commands, staging, memory.buffer, &region),
                    }
                }
                Held::Picture(picture) if back => {
                    picture.read_back(self.context, commands, staging);
                }
                Held::Picture(picture) => picture.fill(self.context, commands, staging),
            };
            for stored in &self.stored {
                copy(stored, false);
            }
            for filler in &self.fillers {
                filler.record(self.context, commands);
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
            let filled = (Stage::TRANSFER | Stage::COMPUTE_SHADER, copies | Access::SHADER_WRITE);
            barrier(filled, (Stage::COMPUTE_SHADER, shader));
            let clock = |number: u32, stage: Stage| {
                if self.queries != vk::QueryPool::null() {
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
            // The copies are not the dispatch's: the first reading waits for their end.
            clock(0, Stage::BOTTOM_OF_PIPE);
            device.cmd_dispatch(commands, groups[0], groups[1], groups[2]);
            clock(1, Stage::COMPUTE_SHADER);
            barrier((Stage::COMPUTE_SHADER, shader), (Stage::TRANSFER, copies));
            for stored in self.stored.iter().filter(|it| back && it.written) {
                copy(stored, true);
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
            for pool in &self.descriptors {
                device.destroy_descriptor_pool(*pool, None);
            }
            for slot in &self.slots {
                match slot.seen {
                    Seen::Buffer { .. } => {}
                    Seen::Texels(view) => device.destroy_buffer_view(view, None),
                    Seen::Image(view) => device.destroy_image_view(view, None),
                    Seen::Sampler(sampler) => device.destroy_sampler(sampler, None),
                }
            }
        }
        for filler in &self.fillers {
            filler.free(self.context);
        }
        for stored in &self.stored {
            match &stored.held {
                Held::Buffer(memory) => self.context.free(*memory),
                Held::Picture(picture) => self.context.free_picture(picture),
            }
        }
        if let Some(staging) = self.staging {
            self.context.free(staging);
        }
    }
}
