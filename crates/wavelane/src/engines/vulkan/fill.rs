//! Images of several samples. No copy reaches them, so that a small program writes each sample of each texel, as the words
//! that it is made of, through a view of integers of the same size.
//!
//! The staging buffer holds four words for each, sample by sample as if these were layers: what the texture's own format
//! means is nothing to the program.

use ash::vk;
use ir::exec::Failure;

use super::context::{Context, Memory};
use super::image::Picture;

/// The bytes of a sample in the staging buffer, and so the most that a texel can have.
pub(super) const ROOM: usize = 16;

/// The format of integers of so many bytes.
pub(super) fn integers(bytes: usize) -> Option<vk::Format> {
    Some(match bytes {
        1 => vk::Format::R8_UINT,
        2 => vk::Format::R16_UINT,
        4 => vk::Format::R32_UINT,
        8 => vk::Format::R32G32_UINT,
        16 => vk::Format::R32G32B32A32_UINT,
        _ => return None,
    })
}

/// What filling one image takes; destroyed with the run.
#[derive(Default)]
pub(super) struct Filler {
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    view: vk::ImageView,
    groups: [u32; 3],
}

impl Filler {
    pub(super) fn new(
        context: &Context,
        picture: &Picture,
        staging: Memory,
        staged: u64,
    ) -> Result<Filler, Failure> {
        let mut filler = Filler { groups: picture.samples_in_rows(), ..Filler::default() };
        match filler.make(context, picture, staging, staged) {
            Ok(()) => Ok(filler),
            Err(error) => {
                filler.free(context);
                Err(error)
            }
        }
    }

    fn make(
        &mut self,
        context: &Context,
        picture: &Picture,
        staging: Memory,
        staged: u64,
    ) -> Result<(), Failure> {
        let device = &context.device;
        let failed = |it| context.failed(it, 0);
        self.view = context.integers_view(picture)?;
        let kinds = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::STORAGE_IMAGE];
        let bindings = [0, 1].map(|it| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(it)
                .descriptor_count(1)
                .descriptor_type(kinds[it as usize])
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        });
        let sizes = kinds.map(|it| vk::DescriptorPoolSize { ty: it, descriptor_count: 1 });
        let words = program();
        // SAFETY: each structure outlives its call, and every handle in it is one that was made before; what has been made
        // is destroyed by `free`, whichever call fails.
        unsafe {
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            self.set_layout = device.create_descriptor_set_layout(&create, None).map_err(failed)?;
            let layouts = [self.set_layout];
            let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            self.layout = device.create_pipeline_layout(&create, None).map_err(failed)?;
            let create = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = device.create_shader_module(&create, None).map_err(failed)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let create =
                [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &create, None);
            device.destroy_shader_module(module, None);
            let made = made.map_err(|(_, error)| failed(error))?;
            self.pipeline = made.first().copied().unwrap_or_default();
            let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            self.pool = device.create_descriptor_pool(&create, None).map_err(failed)?;
            let allocate = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.pool)
                .set_layouts(&layouts);
            let sets = device.allocate_descriptor_sets(&allocate).map_err(failed)?;
            self.set = sets.first().copied().unwrap_or_default();
            let buffers = [vk::DescriptorBufferInfo {
                buffer: staging.buffer,
                offset: staged,
                range: picture.size,
            }];
            let images = [vk::DescriptorImageInfo {
                sampler: vk::Sampler::null(),
                image_view: self.view,
                image_layout: vk::ImageLayout::GENERAL,
            }];
            let write = |binding: u32| {
                vk::WriteDescriptorSet::default()
                    .dst_set(self.set)
                    .dst_binding(binding)
                    .descriptor_type(kinds[binding as usize])
            };
            let writes = [write(0).buffer_info(&buffers), write(1).image_info(&images)];
            device.update_descriptor_sets(&writes, &[]);
        }
        Ok(())
    }

    /// Records the filling, behind the barrier that brings the image into its layout.
    ///
    /// # Safety
    /// The commands are being recorded, and the filler lives until they have ended.
    pub(super) unsafe fn record(&self, context: &Context, commands: vk::CommandBuffer) {
        let (device, point) = (&context.device, vk::PipelineBindPoint::COMPUTE);
        let [x, y, z] = self.groups;
        // SAFETY: as the caller promises; the program stays inside the image, whose size is that of the dispatch.
        unsafe {
            device.cmd_bind_pipeline(commands, point, self.pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            device.cmd_dispatch(commands, x, y, z);
        }
    }

    pub(super) fn free(&self, context: &Context) {
        let device = &context.device;
        // SAFETY: the device is done with all of it, or has never got it; null handles are ignored.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_image_view(self.view, None);
        }
    }
}

/// The program, for one thread a group: thread (x, y, z) writes sample `z % samples` of the texel (x, y) of the layer
/// `z / samples`, out of the four words at that place of the buffer.
fn program() -> Vec<u32> {
    const MAIN: u32 = 1;
    const VOID: u32 = 2;
    const SIGNATURE: u32 = 3;
    const UINT: u32 = 4;
    const THREE: u32 = 5;
    const FOUR: u32 = 6;
    const THREE_IN: u32 = 7;
    const THREAD_VARIABLE: u32 = 8;
    const GROUPS_VARIABLE: u32 = 9;
    const WORDS: u32 = 10;
    const BLOCK: u32 = 11;
    const BLOCK_POINTER: u32 = 12;
    const BUFFER: u32 = 13;
    const WORD_POINTER: u32 = 14;
    const IMAGE: u32 = 15;
    const IMAGE_POINTER: u32 = 16;
    const IMAGE_VARIABLE: u32 = 17;
    /// The constants 0 to 4.
    const NUMBERS: u32 = 18;
    const START: u32 = 23;
    let mut next = 24;
    let mut words = Vec::new();
    let mut put = |opcode: u32, operands: &[u32]| {
        words.push((operands.len() as u32 + 1) << 16 | opcode);
        words.extend_from_slice(operands);
    };
    // Shader, StorageImageMultisample, ImageMSArray, ImageQuery, StorageImageWriteWithoutFormat.
    for capability in [1, 27, 48, 50, 56] {
        put(17, &[capability]);
    }
    put(14, &[0, 1]);
    let name = [u32::from_le_bytes(*b"main"), 0];
    put(15, &[&[5, MAIN], &name[..], &[THREAD_VARIABLE, GROUPS_VARIABLE]].concat());
    // LocalSize.
    put(16, &[MAIN, 17, 1, 1, 1]);
    // BuiltIn: GlobalInvocationId, NumWorkgroups.
    put(71, &[THREAD_VARIABLE, 11, 28]);
    put(71, &[GROUPS_VARIABLE, 11, 24]);
    // ArrayStride, Block, Offset, NonWritable.
    put(71, &[WORDS, 6, 4]);
    put(71, &[BLOCK, 2]);
    put(72, &[BLOCK, 0, 35, 0]);
    put(71, &[BUFFER, 24]);
    // DescriptorSet and Binding.
    for (variable, binding) in [(BUFFER, 0), (IMAGE_VARIABLE, 1)] {
        put(71, &[variable, 34, 0]);
        put(71, &[variable, 33, binding]);
    }
    // NonReadable.
    put(71, &[IMAGE_VARIABLE, 25]);
    put(19, &[VOID]);
    put(33, &[SIGNATURE, VOID]);
    put(21, &[UINT, 32, 0]);
    put(23, &[THREE, UINT, 3]);
    put(23, &[FOUR, UINT, 4]);
    put(32, &[THREE_IN, 1, THREE]);
    put(59, &[THREE_IN, THREAD_VARIABLE, 1]);
    put(59, &[THREE_IN, GROUPS_VARIABLE, 1]);
    put(29, &[WORDS, UINT]);
    put(30, &[BLOCK, WORDS]);
    put(32, &[BLOCK_POINTER, 12, BLOCK]);
    put(59, &[BLOCK_POINTER, BUFFER, 12]);
    put(32, &[WORD_POINTER, 12, UINT]);
    // Two dimensions, an array, several samples, written, of no format.
    put(25, &[IMAGE, UINT, 1, 0, 1, 1, 2, 0]);
    put(32, &[IMAGE_POINTER, 0, IMAGE]);
    put(59, &[IMAGE_POINTER, IMAGE_VARIABLE, 0]);
    for number in 0..5 {
        put(43, &[UINT, NUMBERS + number, number]);
    }
    put(54, &[VOID, MAIN, 0, SIGNATURE]);
    put(248, &[START]);
    let mut result = |opcode: u32, ty: u32, operands: &[u32]| {
        let id = next;
        next += 1;
        put(opcode, &[&[ty, id], operands].concat());
        id
    };
    let thread = result(61, THREE, &[THREAD_VARIABLE]);
    let groups = result(61, THREE, &[GROUPS_VARIABLE]);
    let [x, y, z] = [0, 1, 2].map(|it| result(81, UINT, &[thread, it]));
    let [width, height] = [0, 1].map(|it| result(81, UINT, &[groups, it]));
    let image = result(61, IMAGE, &[IMAGE_VARIABLE]);
    let samples = result(107, UINT, &[image]);
    let layer = result(134, UINT, &[z, samples]);
    let sample = result(137, UINT, &[z, samples]);
    let rows = result(132, UINT, &[z, height]);
    let row = result(128, UINT, &[rows, y]);
    let before = result(132, UINT, &[row, width]);
    let place = result(128, UINT, &[before, x]);
    let first = result(132, UINT, &[place, NUMBERS + 4]);
    let parts = [0, 1, 2, 3].map(|it| {
        let index = result(128, UINT, &[first, NUMBERS + it]);
        let pointer = result(65, WORD_POINTER, &[BUFFER, NUMBERS, index]);
        result(61, UINT, &[pointer])
    });
    let texel = result(80, FOUR, &parts);
    let at = result(80, THREE, &[x, y, layer]);
    // With the operand Sample.
    put(99, &[image, at, texel, 0x40, sample]);
    put(253, &[]);
    put(56, &[]);
    [vec![0x0723_0203, 0x0001_0300, 0, next, 0], words].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_whole_instructions_with_ids_below_its_bound() {
        let words = program();
        let (mut at, mut count) = (5, 0);
        while at < words.len() {
            let len = (words[at] >> 16) as usize;
            assert!(len > 0 && at + len <= words.len());
            (at, count) = (at + len, count + 1);
        }
        assert!(count > 60 && words[3] > 50, "{count} {}", words[3]);
    }
}
