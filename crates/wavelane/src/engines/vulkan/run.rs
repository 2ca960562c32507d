//! One submission: uploads what the device lacks, runs pipelines, and leaves results there or copies them back.
//!
//! Bytes pass through one staging buffer, with copies before and after the dispatches in the same submission. Results
//! of an earlier dispatch stay on the device (`resident.rs`). A resource without bytes has a null descriptor, whose
//! size is 0 and whose accesses do nothing.
//!
//! For measurements, the same commands run again ([`Run::go`]): the staging buffer keeps the initial contents until
//! results are copied back, so that each round begins with a copy, without the host. Programs that are compared run on
//! the same buffers, because the placement of memory makes a difference of some percent.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use ash::vk;
use ir::exec::{Bindings, Failure, Launch, Unsupported};
use ir::{Binding, Module, ResourceKind};
use spirv::BindingKind;

use super::context::{Context, Memory};
use super::format;
use super::program::{Program, descriptor_type};
use super::resident::{Held, OnDevice, Part, Resident};
use super::samples::SampleCopy;
use super::scene::{self, Built};
use super::stored::{self, Asked, Need, Owner, StorageId, Stored};
use crate::memory::{self, Contents, Indices};

/// The alignment of a resource's bytes in the staging buffer.
const ALIGNMENT: u64 = 64;

/// One dispatch of a submission.
pub(super) struct Job<'a> {
    pub(super) program: &'a Arc<Program>,
    pub(super) module: &'a Module,
    pub(super) launch: &'a Launch,
    /// What is bound, as indices of cells; `None` if nothing outlives the run.
    pub(super) places: Option<&'a Indices>,
    /// The cell that holds the group counts, and their offset: one that a dispatch before this one writes.
    pub(super) indirect: Option<(usize, usize)>,
    /// Distinguishes resources that are not cells.
    pub(super) space: usize,
}

impl Job<'_> {
    pub(super) fn owner(&self, storage: Binding, element: u32) -> Owner {
        let at = |it: &Indices| *it.get(storage.index())?.get(element as usize)?;
        match self.places.and_then(at) {
            Some(cell) => Owner::Cell(cell),
            None => Owner::Element { space: self.space, storage, element },
        }
    }

    fn groups(&self) -> [u32; 3] {
        self.launch.groups()
    }
}

/// A descriptor to write.
struct Slot {
    /// The index among the programs that run on the same buffers.
    program: usize,
    /// The index of its binding in the reflection, and the index of the descriptor in it.
    binding: usize,
    element: u32,
    /// What it refers to; null handles if nothing is bound.
    seen: Seen,
}

enum Seen {
    Buffer { buffer: vk::Buffer, range: u64 },
    Texels(vk::BufferView),
    Image(vk::ImageView),
    Sampler(vk::Sampler),
    Scene(Arc<Built>),
}

/// The objects of a run; destroyed with it, unless the device may still use them.
struct Made<'a> {
    context: &'a Arc<Context>,
    stored: Vec<Stored>,
    /// The index of each place in that list.
    found: BTreeMap<StorageId, usize>,
    slots: Vec<Slot>,
    staging: Option<Memory>,
    fillers: Vec<SampleCopy>,
    /// One for each program that has any.
    descriptors: Vec<vk::DescriptorPool>,
    commands: vk::CommandPool,
    /// The command buffer, recorded anew for each run.
    recorded: vk::CommandBuffer,
    queries: vk::QueryPool,
}

/// Dispatches whose bytes are staged, to be run together, or one by one and repeatedly.
pub(super) struct Run<'a> {
    jobs: &'a [Job<'a>],
    made: Made<'a>,
    /// The descriptor sets of each.
    sets: Vec<Vec<vk::DescriptorSet>>,
    /// The push constants of each.
    pushed: Vec<Option<Vec<u8>>>,
    /// The staging buffer, entirely mapped.
    mapped: *mut u8,
}

/// The source of what is bound.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// In cells, whose contents may be on the device already.
    Cells { memory: &'a memory::Memory<'a>, empty: &'a memory::Slot, back: bool },
    /// In bindings, which are uploaded entirely.
    Bindings(&'a Bindings),
}

impl<'a> Source<'a> {
    fn contents(self, job: &Job<'_>) -> Contents<'a> {
        match (self, job.places) {
            (Source::Cells { memory, empty, .. }, Some(places)) => memory.contents(places, empty),
            (Source::Cells { .. }, None) => unreachable!("a dispatch has its places"),
            (Source::Bindings(bindings), _) => Contents::of(bindings),
        }
    }

    /// What is bound at a place.
    fn slot(self, owner: Owner) -> Option<&'a memory::Slot> {
        match (self, owner) {
            (Source::Cells { memory, .. }, Owner::Cell(cell)) => Some(memory.look(cell).shape()),
            (Source::Bindings(it), Owner::Element { storage, element, .. }) => {
                it.bindings.get(storage.index())?.get(element as usize)
            }
            (Source::Cells { .. }, Owner::Element { .. })
            | (Source::Bindings(_), Owner::Cell(_)) => None,
        }
    }

    /// The device's copy of a place.
    fn part(self, place: StorageId) -> Option<&'a Part> {
        match (self, place.owner) {
            (Source::Cells { memory, .. }, Owner::Cell(cell)) => {
                memory.look(cell).copy::<OnDevice>()?.part(place.counter)
            }
            _ => None,
        }
    }

    /// Where the device's copy of a scene is kept.
    fn kept_scene(self, place: StorageId) -> Option<&'a scene::Kept> {
        match (self, place.owner) {
            (Source::Cells { memory, .. }, Owner::Cell(cell)) => {
                memory.look(cell).copy::<OnDevice>().map(|it| &it.scene)
            }
            _ => None,
        }
    }

    fn comes_back(self) -> bool {
        match self {
            Source::Cells { back, .. } => back,
            Source::Bindings(_) => true,
        }
    }
}

/// Runs dispatches in one submission, and returns the time of each by the device's clock. The results stay on the
/// device, and with `back` are also copied to the host. An error has the index of its dispatch, if that is known.
pub(super) fn run(
    jobs: &[Job<'_>],
    memory: &mut memory::Memory<'_>,
    back: bool,
) -> Result<Vec<Option<Duration>>, (usize, Failure)> {
    run_with(jobs, memory, back, |run| run.submit(0..jobs.len(), back))
}

/// What a draw binds to its stages: descriptor sets, and push constants.
pub(super) struct BoundStages<'a> {
    pub(super) sets: &'a [Vec<vk::DescriptorSet>],
    pub(super) pushed: &'a [Option<Vec<u8>>],
    /// Two timestamps: of the begin of the draw, and of its end. Null if the device has no clock.
    pub(super) clock: vk::QueryPool,
}

/// Runs a draw, whose stages are the jobs: `record` records it, after what is bound was brought to the device. Returns
/// the time between the timestamps that it records.
pub(super) fn draw(
    jobs: &[Job<'_>],
    memory: &mut memory::Memory<'_>,
    record: impl FnOnce(vk::CommandBuffer, &BoundStages<'_>),
) -> Result<Option<Duration>, Failure> {
    let result = run_with(jobs, memory, false, |run| {
        let clock = run.made.queries;
        let stages = BoundStages { sets: &run.sets, pushed: &run.pushed, clock };
        let graphics = vk::PipelineStageFlags::ALL_GRAPHICS;
        let body = |commands| record(commands, &stages);
        let commands = run.recorded(graphics, false, body)?;
        run.made.context.submit(commands, &[jobs[0].launch])?;
        Ok(vec![run.made.time(0)])
    });
    let times = result.map_err(|(_, failure)| failure)?;
    Ok(times.into_iter().flatten().next())
}

fn run_with(
    jobs: &[Job<'_>],
    memory: &mut memory::Memory<'_>,
    back: bool,
    go: impl FnOnce(&mut Run<'_>) -> Result<Vec<Option<Duration>>, Failure>,
) -> Result<Vec<Option<Duration>>, (usize, Failure)> {
    let first = |failure| (0, failure);
    let empty = memory::Slot::default();
    for cell in jobs.iter().filter_map(|it| it.places).flatten().flatten().flatten() {
        let (_, slot) = memory.cell(*cell).copy_mut::<OnDevice>().map_err(first)?;
        jobs[0].program.context.capabilities.pack(slot).map_err(first)?;
    }
    let source = Source::Cells { memory, empty: &empty, back };
    let stale = to_fetch(jobs, source)?;
    for cell in stale {
        memory.cell(cell).fetch().map_err(first)?;
    }
    let source = Source::Cells { memory, empty: &empty, back };
    let mut run = Run::new(jobs, source)?;
    let result = go(&mut run);
    let context = run.made.context;
    if result.is_ok() || context.is_lost() {
        for stored in std::mem::take(&mut run.made.stored) {
            let Owner::Cell(cell) = stored.place.owner else { continue };
            let is_back = back && stored.written && result.is_ok();
            // The copy was created above, so this cannot fail.
            let Ok((copy, slot)) = memory.cell(cell).copy_mut::<OnDevice>() else { continue };
            if is_back {
                stored.resident.unpack(stored.place.counter, slot, run.staged(&stored));
            }
            let part = copy.part_mut(stored.place.counter);
            let was_newer = part.as_ref().is_some_and(|it| it.is_newer);
            let is_newer = !is_back && (was_newer || stored.written);
            *part = Some(Part { resident: stored.resident, is_valid: true, is_newer });
        }
    }
    result.map_err(first)
}

/// Runs all dispatches in one submission, again and again, every time from what the cells hold, which they keep.
/// Returns the times of the dispatches by the device's clock for each round after a first one, which finds memory and
/// caches cold.
pub(super) fn measure(
    jobs: &[Job<'_>],
    memory: &mut memory::Memory<'_>,
    rounds: u32,
) -> Result<Option<Vec<Vec<Duration>>>, (usize, Failure)> {
    let empty = memory::Slot::default();
    for cell in jobs.iter().filter_map(|it| it.places).flatten().flatten().flatten() {
        // What the device has already is not brought there for each round.
        let state = memory.cell(*cell);
        let slot = state.host_mut().map_err(|failure| (0, failure))?;
        let capabilities = &jobs[0].program.context.capabilities;
        capabilities.pack(slot).map_err(|failure| (0, failure))?;
    }
    let source = Source::Cells { memory, empty: &empty, back: false };
    let mut run = Run::new(jobs, source)?;
    let mut times = Vec::new();
    for round in 0..=rounds {
        let each = run.submit(0..jobs.len(), false).map_err(|failure| (0, failure))?;
        let Some(each) = each.into_iter().collect::<Option<Vec<Duration>>>() else {
            return Ok(None);
        };
        if round > 0 {
            times.push(each);
        }
    }
    Ok(Some(times))
}

/// The cells whose newest contents are on the device, but are needed on the host or in a form that the dispatches
/// cannot use.
fn to_fetch(jobs: &[Job<'_>], source: Source<'_>) -> Result<Vec<usize>, (usize, Failure)> {
    let mut needs = BTreeMap::new();
    for job in jobs {
        let contents = source.contents(job);
        stored::needs(&mut needs, job.module, &contents, &stored::asked(job, &contents));
    }
    let mut cells = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        let contents = source.contents(job);
        for (_, _, asked) in stored::asked(job, &contents) {
            let (Owner::Cell(cell), Some(part)) = (asked.place.owner, source.part(asked.place))
            else {
                continue;
            };
            let context = &job.program.context;
            let fits = stored::fits(context, &asked, &needs[&asked.place], &part.resident);
            if part.is_newer && !fits.map_err(|it| (number, it))? {
                cells.push(cell);
            }
        }
        let pushed = job.program.reflection.push.as_ref();
        if let Some(Owner::Cell(cell)) = pushed.map(|it| job.owner(it.resource, 0)) {
            cells.push(cell);
        }
    }
    Ok(cells)
}

impl<'a> Run<'a> {
    /// A run on bindings, which are on the device only during the run.
    pub(super) fn of_bindings(
        jobs: &'a [Job<'a>],
        bindings: &Bindings,
    ) -> Result<Run<'a>, Failure> {
        Run::new(jobs, Source::Bindings(bindings)).map_err(|(_, failure)| failure)
    }

    fn new(jobs: &'a [Job<'a>], source: Source<'_>) -> Result<Run<'a>, (usize, Failure)> {
        let context = &jobs[0].program.context;
        let most = context.capabilities.limits.max_compute_work_group_count;
        for (number, job) in jobs.iter().enumerate() {
            let groups = job.groups();
            if groups.iter().zip(most).any(|(groups, most)| *groups > most) {
                let failure = unsupported(
                    format!("{}×{}×{} groups", groups[0], groups[1], groups[2]),
                    format!("the device `{}` supports at most {most:?}", context.capabilities.name),
                );
                return Err((number, failure));
            }
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
        let staged = made.slots(jobs, source)?;
        let mut sets = Vec::new();
        for (number, job) in jobs.iter().enumerate() {
            sets.push(made.descriptors(number, job.program).map_err(|it| (number, it))?);
        }
        let mapped = made.stage(staged).map_err(|it| (0, it))?;
        made.pools(jobs.len()).map_err(|it| (0, it))?;
        let pushed = |job: &Job<'_>| {
            let push = job.program.reflection.push.as_ref()?;
            let contents = source.contents(job);
            let bound = contents.elements(push.resource).first();
            let mut bytes = bound.map(|it| it.bytes.to_vec()).unwrap_or_default();
            bytes.resize(push.bytes as usize, 0);
            Some(bytes)
        };
        let pushed = jobs.iter().map(pushed).collect();
        let run = Run { jobs, made, sets, pushed, mapped };
        run.lay_ready(source);
        Ok(run)
    }

    /// Stages what is bound.
    pub(super) fn fill(&self, bindings: &Bindings) {
        self.lay_ready(Source::Bindings(bindings));
    }

    fn lay_ready(&self, source: Source<'_>) {
        for stored in self.made.stored.iter().filter(|it| it.uploads) {
            let mut counter = [0; 4];
            let slot = source.slot(stored.place.owner);
            let bytes = slot.map_or(&[][..], |it| stored::bytes(stored.place, it, &mut counter));
            // SAFETY: the staging buffer is mapped whole and as large as everything staged together, each of which has
            // room for its bytes; the device does not use it, since submission waits, and this part has no other
            // reader.
            let room = unsafe {
                std::slice::from_raw_parts_mut(
                    self.mapped.add(stored.staged as usize),
                    stored.size as usize,
                )
            };
            stored.resident.pack(bytes, room);
        }
    }

    /// The bytes of a place in the staging buffer.
    fn staged(&self, stored: &Stored) -> &[u8] {
        // SAFETY: the device no longer uses the staging buffer, which is entirely mapped and holds what is staged.
        unsafe {
            std::slice::from_raw_parts(
                self.mapped.add(stored.staged as usize),
                stored.size as usize,
            )
        }
    }

    /// Runs one of the dispatches on the staged contents, leaves the results on the device, and returns the time by the
    /// device's clock.
    pub(super) fn go(&mut self, number: usize) -> Result<Option<Duration>, Failure> {
        let times = self.submit(number..number + 1, false)?;
        Ok(times.first().copied().flatten())
    }

    /// The same, and copies the results into the bindings; the staged contents are lost.
    pub(super) fn end(
        &mut self,
        number: usize,
        bindings: &mut Bindings,
    ) -> Result<Option<Duration>, Failure> {
        let times = self.submit(number..number + 1, true)?;
        for stored in self.made.stored.iter().filter(|it| it.written) {
            stored.give_back(bindings, self.staged(stored));
        }
        Ok(times.first().copied().flatten())
    }

    fn submit(
        &mut self,
        which: Range<usize>,
        back: bool,
    ) -> Result<Vec<Option<Duration>>, Failure> {
        let commands = self.record(which.clone(), back)?;
        let launches: Vec<&Launch> = self.jobs[which.clone()].iter().map(|it| it.launch).collect();
        self.made.context.submit(commands, &launches)?;
        Ok(which.map(|number| self.made.time(number)).collect())
    }

    /// Records some of the dispatches; `back` copies what is written to the staging buffer.
    fn record(&self, which: Range<usize>, back: bool) -> Result<vk::CommandBuffer, Failure> {
        self.recorded(vk::PipelineStageFlags::COMPUTE_SHADER, back, |commands| {
            self.dispatches(commands, which);
        })
    }

    /// Records copies to the device, what `body` records, and copies back. `shaders` are the stages that run between.
    fn recorded(
        &self,
        shaders: vk::PipelineStageFlags,
        back: bool,
        body: impl FnOnce(vk::CommandBuffer),
    ) -> Result<vk::CommandBuffer, Failure> {
        let made = &self.made;
        let (context, device) = (made.context, &made.context.device);
        let failed = |it| context.failed(it, 0);
        // SAFETY: everything that is recorded is alive, and stays so until the end of the run: `self` holds it. The
        // copies lie inside their buffers, whose sizes are those of what is stored. What was recorded before has
        // finished, since submission waits for it.
        unsafe {
            let none = vk::CommandPoolResetFlags::empty();
            device.reset_command_pool(made.commands, none).map_err(failed)?;
            let commands = made.recorded;
            device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .map_err(failed)?;
            let staging = made.staging.map(|it| it.buffer).unwrap_or_default();
            let copy = |stored: &Stored, back: bool| match &stored.resident.held {
                Held::Buffer(memory, _) => {
                    let (from, to) = if back { (0, stored.staged) } else { (stored.staged, 0) };
                    let region =
                        [vk::BufferCopy { src_offset: from, dst_offset: to, size: stored.size }];
                    match back {
                        true => device.cmd_copy_buffer(commands, memory.buffer, staging, &region),
                        false => device.cmd_copy_buffer(commands, staging, memory.buffer, &region),
                    }
                }
                Held::Picture(picture) if back => {
                    picture.read_back(context, commands, staging, stored.staged);
                }
                Held::Picture(picture) => picture.fill(context, commands, staging, stored.staged),
            };
            use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
            let shader = Access::SHADER_READ | Access::SHADER_WRITE | Access::UNIFORM_READ;
            let copies = Access::TRANSFER_READ | Access::TRANSFER_WRITE;
            // The results of earlier submissions.
            let everything = (Stage::ALL_COMMANDS, Access::MEMORY_WRITE);
            let fills = Stage::TRANSFER | Stage::COMPUTE_SHADER;
            barrier(context, commands, everything, (fills | shaders, copies | shader));
            made.stored.iter().filter(|it| it.uploads).for_each(|it| copy(it, false));
            for filler in &made.fillers {
                filler.record(context, commands);
            }
            let filled = (fills, copies | Access::SHADER_WRITE);
            barrier(context, commands, filled, (shaders, shader));
            body(commands);
            barrier(context, commands, (shaders, shader), (Stage::TRANSFER, copies));
            made.stored.iter().filter(|it| back && it.written).for_each(|it| copy(it, true));
            barrier(context, commands, (Stage::TRANSFER, copies), (Stage::HOST, Access::HOST_READ));
            device.end_command_buffer(commands).map_err(failed)?;
            Ok(commands)
        }
    }

    fn dispatches(&self, commands: vk::CommandBuffer, which: Range<usize>) {
        let made = &self.made;
        let (context, device) = (made.context, &made.context.device);
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let shader = Access::SHADER_READ | Access::SHADER_WRITE | Access::UNIFORM_READ;
        // SAFETY: the commands are being recorded; as in `recorded`, everything is alive until the end of the run.
        unsafe {
            let clock = |number: usize, stage: Stage| {
                if made.queries != vk::QueryPool::null() {
                    device.cmd_write_timestamp(commands, stage, made.queries, number as u32);
                }
            };
            if made.queries != vk::QueryPool::null() {
                let count = 2 * which.len() as u32;
                device.cmd_reset_query_pool(commands, made.queries, 2 * which.start as u32, count);
            }
            let point = vk::PipelineBindPoint::COMPUTE;
            for number in which.clone() {
                let job = &self.jobs[number];
                let (program, sets) = (job.program, &self.sets[number]);
                if number > which.start {
                    let mut reads = (Stage::COMPUTE_SHADER, shader);
                    if job.indirect.is_some() {
                        reads.0 |= Stage::DRAW_INDIRECT;
                        reads.1 |= Access::INDIRECT_COMMAND_READ;
                    }
                    barrier(context, commands, (Stage::COMPUTE_SHADER, shader), reads);
                }
                device.cmd_bind_pipeline(commands, point, program.pipeline);
                if !sets.is_empty() {
                    device.cmd_bind_descriptor_sets(commands, point, program.layout, 0, sets, &[]);
                }
                if let Some(pushed) = &self.pushed[number] {
                    let stage = vk::ShaderStageFlags::COMPUTE;
                    device.cmd_push_constants(commands, program.layout, stage, 0, pushed);
                }
                // The copies are not part of the dispatch: the first timestamp waits for their end.
                clock(2 * number, Stage::BOTTOM_OF_PIPE);
                match job.indirect {
                    None => {
                        let [x, y, z] = program.launched.groups(job.groups());
                        device.cmd_dispatch(commands, x, y, z);
                    }
                    Some((cell, offset)) => {
                        let place = StorageId { owner: Owner::Cell(cell), counter: false };
                        let stored = made.found.get(&place).map(|it| &made.stored[*it]);
                        let Some(Held::Buffer(counts, _)) = stored.map(|it| &it.resident.held)
                        else {
                            unreachable!("the guard before it writes the counts");
                        };
                        device.cmd_dispatch_indirect(commands, counts.buffer, offset as u64);
                    }
                }
                clock(2 * number + 1, Stage::COMPUTE_SHADER);
            }
        }
    }
}

/// What comes later in `to` waits for what came before in `from`, and sees what it has written.
///
/// # Safety
/// The commands are being recorded, outside of a rendering.
pub(super) unsafe fn barrier(
    context: &Context,
    commands: vk::CommandBuffer,
    from: (vk::PipelineStageFlags, vk::AccessFlags),
    to: (vk::PipelineStageFlags, vk::AccessFlags),
) {
    let memory = [vk::MemoryBarrier::default().src_access_mask(from.1).dst_access_mask(to.1)];
    let none = vk::DependencyFlags::empty();
    // SAFETY: the caller's contract.
    unsafe {
        context.device.cmd_pipeline_barrier(commands, from.0, to.0, none, &memory, &[], &[]);
    }
}

fn unsupported(asked: impl Into<String>, missing: impl Into<String>) -> Failure {
    Failure::Unsupported(Unsupported { asked: asked.into(), missing: missing.into() })
}

impl Made<'_> {
    /// Creates storage and descriptors, and returns the size of the staging buffer for all bytes that are copied.
    fn slots(&mut self, jobs: &[Job<'_>], source: Source<'_>) -> Result<u64, (usize, Failure)> {
        let mut needs = BTreeMap::new();
        for job in jobs {
            let contents = source.contents(job);
            stored::needs(&mut needs, job.module, &contents, &stored::asked(job, &contents));
        }
        let mut staged = 0;
        for (number, job) in jobs.iter().enumerate() {
            let contents = source.contents(job);
            for (binding, element, asked) in stored::asked(job, &contents) {
                let need = needs[&asked.place];
                let seen = self.seen(job.module, &asked, &need, source, &mut staged);
                let seen = seen.map_err(|failure| (number, failure))?;
                self.slots.push(Slot { program: number, binding, element, seen });
            }
        }
        Ok(staged)
    }

    fn seen(
        &mut self,
        module: &Module,
        asked: &Asked<'_>,
        need: &Need,
        source: Source<'_>,
        staged: &mut u64,
    ) -> Result<Seen, Failure> {
        let seen = match asked.kind {
            BindingKind::Sampler => {
                let state = asked.bound.and_then(|it| it.what.sampler()).unwrap_or_default();
                let sampled = stored::sampled(module, asked.resource);
                let compares =
                    matches!(asked.declared.kind, ResourceKind::Sampler { comparison: true });
                let name = &asked.declared.name;
                Seen::Sampler(self.context.sampler(&state, compares, sampled, name)?)
            }
            BindingKind::Scene => {
                Seen::Scene(scene::built(self.context, asked, source.kept_scene(asked.place))?)
            }
            BindingKind::SampledImage | BindingKind::StorageImage => {
                self.image(asked, need, source, staged)?
            }
            BindingKind::UniformBuffer
            | BindingKind::StorageBuffer
            | BindingKind::UniformTexelBuffer
            | BindingKind::StorageTexelBuffer
            | BindingKind::Counter => self.buffer(module, asked, need, source, staged)?,
        };
        let is_null = match &seen {
            Seen::Buffer { buffer, .. } => *buffer == vk::Buffer::null(),
            Seen::Texels(view) => *view == vk::BufferView::null(),
            Seen::Image(view) => *view == vk::ImageView::null(),
            Seen::Sampler(_) | Seen::Scene(_) => false,
        };
        if is_null && self.context.capabilities.robustness.null_descriptor == vk::FALSE {
            let asked = format!("`{}`, where nothing is bound", asked.declared.name);
            return Err(unsupported(asked, "the device has no null descriptors"));
        }
        Ok(seen)
    }

    /// The storage of a place: that of an earlier descriptor, or what the device has, or new storage by `make`.
    fn storage(
        &mut self,
        asked: &Asked<'_>,
        need: &Need,
        source: Source<'_>,
        staged: &mut u64,
        make: impl FnOnce(&Context) -> Result<Held, Failure>,
    ) -> Result<&Resident, Failure> {
        let number = match self.found.get(&asked.place) {
            Some(number) => *number,
            None => {
                let part = source.part(asked.place);
                let here = match part {
                    Some(part) if stored::fits(self.context, asked, need, &part.resident)? => {
                        Some(part)
                    }
                    _ => None,
                };
                let resident = match here {
                    Some(part) => part.resident.clone(),
                    None => {
                        let held = make(self.context)?;
                        Arc::new(Resident { context: self.context.clone(), held })
                    }
                };
                let uploads = here.is_none_or(|it| !it.is_valid);
                let size = resident.size();
                let mut start = 0;
                if uploads || need.written && source.comes_back() {
                    let alignment = match &resident.held {
                        Held::Buffer(..) => ALIGNMENT,
                        Held::Picture(picture) => picture.alignment(),
                    };
                    start = staged.next_multiple_of(alignment);
                    *staged = (start + size).next_multiple_of(ALIGNMENT);
                }
                let number = self.stored.len();
                self.found.insert(asked.place, number);
                let (place, written) = (asked.place, need.written);
                self.stored.push(Stored { place, resident, staged: start, uploads, size, written });
                number
            }
        };
        Ok(&self.stored[number].resident)
    }

    fn buffer(
        &mut self,
        module: &Module,
        asked: &Asked<'_>,
        need: &Need,
        source: Source<'_>,
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
            return Err(unsupported(asked, format!("`{name}` supports at most {most}")));
        }
        let mut buffer = vk::Buffer::null();
        if range > 0 {
            let make = |context: &Context| {
                use vk::BufferUsageFlags as Usage;
                let usage = Usage::STORAGE_BUFFER
                    | Usage::UNIFORM_BUFFER
                    | Usage::STORAGE_TEXEL_BUFFER
                    | Usage::UNIFORM_TEXEL_BUFFER
                    | Usage::INDIRECT_BUFFER
                    | Usage::TRANSFER_SRC
                    | Usage::TRANSFER_DST;
                let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
                let none = vk::MemoryPropertyFlags::empty();
                Ok(Held::Buffer(context.buffer(need.bytes, usage, none, local)?, need.bytes))
            };
            buffer = match &self.storage(asked, need, source, staged, make)?.held {
                Held::Buffer(memory, _) => memory.buffer,
                Held::Picture(_) => {
                    unreachable!("a place with a texture is not viewed as a buffer")
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
        let own = asked.bound.and_then(|it| it.what.format());
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
            return Err(unsupported(asked, format!("`{device}` supports at most {most}")));
        }
        let create =
            vk::BufferViewCreateInfo::default().buffer(buffer).format(texels).range(count * texel);
        // SAFETY: the buffer is alive, allows such views, and holds this many texels.
        unsafe { self.context.device.create_buffer_view(&create, None) }
            .map(Seen::Texels)
            .map_err(|it| self.context.failed(it, 0))
    }

    fn image(
        &mut self,
        asked: &Asked<'_>,
        need: &Need,
        source: Source<'_>,
        staged: &mut u64,
    ) -> Result<Seen, Failure> {
        let Some((dim, element, shape)) = asked.texture() else {
            return Ok(Seen::Image(vk::ImageView::null()));
        };
        let format = stored::view_format(self.context, asked, &element, &shape, need)?;
        let make = |context: &Context| {
            stored::picture(context, asked, (dim, format, &shape), need).map(Held::Picture)
        };
        let context = self.context;
        match &self.storage(asked, need, source, staged, make)?.held {
            Held::Picture(picture) if picture.takes(dim, format) => {
                Ok(Seen::Image(context.image_view(picture, dim)?))
            }
            Held::Picture(_) | Held::Buffer(..) => {
                let asked = format!(
                    "`{}` together with another view of the same image",
                    asked.declared.name
                );
                Err(unsupported(asked, "a Vulkan image has one kind and one format"))
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
            let mut handles = [vk::AccelerationStructureKHR::null()];
            let mut structures = vk::WriteDescriptorSetAccelerationStructureKHR::default();
            let (mut views, mut buffers, mut images) = (
                [vk::BufferView::null()],
                [vk::DescriptorBufferInfo::default()],
                [vk::DescriptorImageInfo::default()],
            );
            let write = match slot.seen {
                Seen::Scene(ref built) => {
                    handles[0] = built.handle();
                    structures = structures.acceleration_structures(&handles);
                    let mut write = write.push_next(&mut structures);
                    write.descriptor_count = 1;
                    write
                }
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
            // SAFETY: the set is not in use, and what is written into it is alive, or null where the device allows
            // that.
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
        for stored in self.stored.iter().filter(|it| it.uploads) {
            if let Held::Picture(picture) = &stored.resident.held
                && picture.is_multisampled()
            {
                let filler = SampleCopy::filling(self.context, picture, staging, stored.staged)?;
                self.fillers.push(filler);
            }
        }
        let (all, none) = (vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
        // SAFETY: the memory can be mapped, and is mapped once.
        let mapped = unsafe { self.context.device.map_memory(staging.memory, 0, all, none) };
        mapped.map(|it| it.cast()).map_err(|it| self.context.failed(it, size))
    }

    /// Creates the command pool and the pool for timestamps.
    fn pools(&mut self, jobs: usize) -> Result<(), Failure> {
        let device = &self.context.device;
        let failed = |it| self.context.failed(it, 0);
        let family = self.context.capabilities.family.unwrap_or(0);
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let queries = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(2 * jobs as u32);
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

    /// The duration of a dispatch of the last recording.
    fn time(&self, number: usize) -> Option<Duration> {
        if self.queries == vk::QueryPool::null() {
            return None;
        }
        let mut ticks = [0u64; 2];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the commands, which have finished, have written both.
        let got = unsafe {
            self.context.device.get_query_pool_results(
                self.queries,
                2 * number as u32,
                &mut ticks,
                flags,
            )
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
        // SAFETY: the device no longer uses any of it, or never did; null handles are ignored.
        unsafe {
            device.destroy_query_pool(self.queries, None);
            device.destroy_command_pool(self.commands, None);
            for pool in &self.descriptors {
                device.destroy_descriptor_pool(*pool, None);
            }
            for slot in &self.slots {
                match slot.seen {
                    Seen::Buffer { .. } | Seen::Scene(_) => {}
                    Seen::Texels(view) => device.destroy_buffer_view(view, None),
                    Seen::Image(view) => device.destroy_image_view(view, None),
                    Seen::Sampler(sampler) => device.destroy_sampler(sampler, None),
                }
            }
        }
        for filler in &self.fillers {
            filler.free(self.context);
        }
        if let Some(staging) = self.staging {
            self.context.free(staging);
        }
    }
}
