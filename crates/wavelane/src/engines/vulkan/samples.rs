//! Copies between the samples of multisampled images and buffers, for which Vulkan has no command: a small shader
//! writes the bits of each sample of each texel from a buffer, or reads them into one.
//!
//! The buffer holds four words for each sample, with the samples as layers. Colours pass through an integer view with
//! texels of the same size, so that the shader does not depend on the format; depth is read as a float.

use ash::vk;
use ir::exec::{Failure, Unsupported};
use spirv::{Vulkan, opcode as op};

use super::context::{Context, Memory};
use super::image::Picture;

/// The bytes of a sample in the staging buffer, and so the most that a texel can have.
pub(super) const ROOM: usize = 16;

/// The integer format with texels of `bytes` bytes.
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

/// Which way samples are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// From the buffer.
    Fill,
    /// Into the buffer, from a view of integers.
    Read,
    /// Into the buffer, from a view of floats: their bits.
    ReadFloats,
}

/// The objects for copying the samples of one image; freed by their user.
#[derive(Default)]
pub(super) struct SampleCopy {
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    view: vk::ImageView,
    groups: [u32; 3],
}

impl SampleCopy {
    /// Prepares the filling of an image.
    pub(super) fn filling(
        context: &Context,
        picture: &Picture,
        staging: Memory,
        staged: u64,
    ) -> Result<SampleCopy, Failure> {
        let view = context.integers_view(picture)?;
        let groups = picture.samples_in_rows();
        let region = region(staging, staged, picture.size);
        SampleCopy::new(context, Way::Fill, view, region, groups)
    }

    /// Prepares a copy; the view, of all layers of a two-dimensional image, is freed with it. `groups` are the width,
    /// the height, and the samples of all layers.
    pub(super) fn new(
        context: &Context,
        way: Way,
        view: vk::ImageView,
        region: vk::DescriptorBufferInfo,
        groups: [u32; 3],
    ) -> Result<SampleCopy, Failure> {
        let mut copy = SampleCopy { view, groups, ..SampleCopy::default() };
        match copy.make(context, way, region) {
            Ok(()) => Ok(copy),
            Err(error) => {
                copy.free(context);
                Err(error)
            }
        }
    }

    fn make(
        &mut self,
        context: &Context,
        way: Way,
        region: vk::DescriptorBufferInfo,
    ) -> Result<(), Failure> {
        let device = &context.device;
        let failed = |it| context.failed(it, 0);
        let most = context.capabilities.limits.max_storage_buffer_range;
        if region.range > u64::from(most) {
            let asked = format!("the {} bytes of texels with several samples", region.range);
            let name = &context.capabilities.name;
            let missing = format!("`{name}` supports at most {most}");
            return Err(Failure::Unsupported(Unsupported { asked, missing }));
        }
        let image = match way {
            Way::Fill => vk::DescriptorType::STORAGE_IMAGE,
            Way::Read | Way::ReadFloats => vk::DescriptorType::SAMPLED_IMAGE,
        };
        let kinds = [vk::DescriptorType::STORAGE_BUFFER, image];
        let bindings = [0, 1].map(|it| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(it)
                .descriptor_count(1)
                .descriptor_type(kinds[it as usize])
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        });
        let sizes = kinds.map(|it| vk::DescriptorPoolSize { ty: it, descriptor_count: 1 });
        let words = program(way);
        // SAFETY: each structure outlives its call, and every handle in it was created before; what has been created is
        // destroyed by `free`, whichever call fails.
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
            let buffers = [region];
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

    /// Records the copy; the image is in its general layout.
    ///
    /// # Safety
    /// The commands are being recorded, and `self` lives until they have ended.
    pub(super) unsafe fn record(&self, context: &Context, commands: vk::CommandBuffer) {
        let (device, point) = (&context.device, vk::PipelineBindPoint::COMPUTE);
        let [x, y, z] = self.groups;
        // SAFETY: the caller's contract; the shader stays inside the image, whose size is that of the dispatch.
        unsafe {
            device.cmd_bind_pipeline(commands, point, self.pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            device.cmd_dispatch(commands, x, y, z);
        }
    }

    pub(super) fn free(&self, context: &Context) {
        let device = &context.device;
        // SAFETY: the device no longer uses any of it, or never did; null handles are ignored.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
            device.destroy_image_view(self.view, None);
        }
    }
}

/// A part of a buffer.
pub(super) fn region(of: Memory, offset: u64, range: u64) -> vk::DescriptorBufferInfo {
    vk::DescriptorBufferInfo { buffer: of.buffer, offset, range }
}

/// The shader, with one thread per group: thread (x, y, z) copies sample `z % samples` of the texel (x, y) of the layer
/// `z / samples`, which is the four words at that place in the buffer.
fn program(way: Way) -> Vec<u32> {
    let mut to = Assembler { words: Vec::new(), next: 1 };
    let fills = way == Way::Fill;
    for capability in [op::CAP_SHADER, op::CAP_IMAGE_QUERY] {
        to.put(op::CAPABILITY, &[capability]);
    }
    if fills {
        for capability in
            [op::CAP_STORAGE_IMAGE_MULTISAMPLE, op::CAP_IMAGE_MS_ARRAY, op::CAP_STORAGE_WRITE_ANY]
        {
            to.put(op::CAPABILITY, &[capability]);
        }
    }
    let [main, thread_variable, groups_variable] = to.ids();
    let [words, block, buffer, image_variable] = to.ids();
    let [logical, simple] = [0, 1];
    to.put(op::MEMORY_MODEL, &[logical, simple]);
    let name = [u32::from_le_bytes(*b"main"), 0];
    let entry = [op::MODEL_COMPUTE, main, name[0], name[1], thread_variable, groups_variable];
    to.put(op::ENTRY_POINT, &entry);
    to.put(op::EXECUTION_MODE, &[main, op::MODE_LOCAL_SIZE, 1, 1, 1]);
    to.put(op::DECORATE, &[thread_variable, op::BUILT_IN, op::GLOBAL_INVOCATION_ID]);
    to.put(op::DECORATE, &[groups_variable, op::BUILT_IN, op::NUM_WORKGROUPS]);
    to.put(op::DECORATE, &[words, op::ARRAY_STRIDE, 4]);
    to.put(op::DECORATE, &[block, op::BLOCK]);
    to.put(op::MEMBER_DECORATE, &[block, 0, op::OFFSET, 0]);
    if fills {
        to.put(op::DECORATE, &[buffer, op::NON_WRITABLE]);
        to.put(op::DECORATE, &[image_variable, op::NON_READABLE]);
    } else {
        to.put(op::DECORATE, &[buffer, op::NON_READABLE]);
    }
    for (variable, binding) in [(buffer, 0), (image_variable, 1)] {
        to.put(op::DECORATE, &[variable, op::DESCRIPTOR_SET, 0]);
        to.put(op::DECORATE, &[variable, op::BINDING, binding]);
    }

    let void = to.ty(op::TYPE_VOID, &[]);
    let signature = to.ty(op::TYPE_FUNCTION, &[void]);
    let uint = to.ty(op::TYPE_INT, &[32, 0]);
    let three = to.ty(op::TYPE_VECTOR, &[uint, 3]);
    let four = to.ty(op::TYPE_VECTOR, &[uint, 4]);
    let three_in = to.ty(op::TYPE_POINTER, &[op::INPUT, three]);
    to.put(op::VARIABLE, &[three_in, thread_variable, op::INPUT]);
    to.put(op::VARIABLE, &[three_in, groups_variable, op::INPUT]);
    to.put(op::TYPE_RUNTIME_ARRAY, &[words, uint]);
    to.put(op::TYPE_STRUCT, &[block, words]);
    let block_pointer = to.ty(op::TYPE_POINTER, &[op::STORAGE_BUFFER, block]);
    let word_pointer = to.ty(op::TYPE_POINTER, &[op::STORAGE_BUFFER, uint]);
    to.put(op::VARIABLE, &[block_pointer, buffer, op::STORAGE_BUFFER]);
    let (scalar, texels) = match way {
        Way::Fill | Way::Read => (uint, four),
        Way::ReadFloats => {
            let float = to.ty(op::TYPE_FLOAT, &[32]);
            (float, to.ty(op::TYPE_VECTOR, &[float, 4]))
        }
    };
    // Two-dimensional, no depth, arrayed, multisampled, for loads and stores or for reading only, without a format.
    let image_type = to.ty(op::TYPE_IMAGE, &[scalar, 1, 0, 1, 1, if fills { 2 } else { 1 }, 0]);
    let image_pointer = to.ty(op::TYPE_POINTER, &[op::UNIFORM_CONSTANT, image_type]);
    to.put(op::VARIABLE, &[image_pointer, image_variable, op::UNIFORM_CONSTANT]);
    let numbers = [0, 1, 2, 3, 4].map(|number| to.value(op::CONSTANT, uint, &[number]));

    to.put(op::FUNCTION, &[void, main, 0, signature]);
    to.ty(op::LABEL, &[]);
    let thread = to.value(op::LOAD, three, &[thread_variable]);
    let groups = to.value(op::LOAD, three, &[groups_variable]);
    let [x, y, z] = [0, 1, 2].map(|it| to.value(op::COMPOSITE_EXTRACT, uint, &[thread, it]));
    let [width, height] = [0, 1].map(|it| to.value(op::COMPOSITE_EXTRACT, uint, &[groups, it]));
    let image = to.value(op::LOAD, image_type, &[image_variable]);
    let samples = to.value(op::IMAGE_QUERY_SAMPLES, uint, &[image]);
    let layer = to.value(op::U_DIV, uint, &[z, samples]);
    let sample = to.value(op::U_MOD, uint, &[z, samples]);
    let rows = to.value(op::I_MUL, uint, &[z, height]);
    let row = to.value(op::I_ADD, uint, &[rows, y]);
    let before = to.value(op::I_MUL, uint, &[row, width]);
    let place = to.value(op::I_ADD, uint, &[before, x]);
    let first = to.value(op::I_MUL, uint, &[place, numbers[4]]);
    let pointers = [0, 1, 2, 3].map(|it| {
        let index = to.value(op::I_ADD, uint, &[first, numbers[it]]);
        to.value(op::ACCESS_CHAIN, word_pointer, &[buffer, numbers[0], index])
    });
    let at = to.value(op::COMPOSITE_CONSTRUCT, three, &[x, y, layer]);
    if fills {
        let parts = pointers.map(|it| to.value(op::LOAD, uint, &[it]));
        let texel = to.value(op::COMPOSITE_CONSTRUCT, four, &parts);
        to.put(op::IMAGE_WRITE, &[image, at, texel, op::OPERAND_SAMPLE, sample]);
    } else {
        let texel = to.value(op::IMAGE_FETCH, texels, &[image, at, op::OPERAND_SAMPLE, sample]);
        for (component, pointer) in (0..).zip(pointers) {
            let part = to.value(op::COMPOSITE_EXTRACT, scalar, &[texel, component]);
            let word = match way {
                Way::Fill | Way::Read => part,
                Way::ReadFloats => to.value(op::BITCAST, uint, &[part]),
            };
            to.put(op::STORE, &[pointer, word]);
        }
    }
    to.put(op::RETURN, &[]);
    to.put(op::FUNCTION_END, &[]);
    [vec![op::MAGIC, Vulkan::V1_1.spirv(), 0, to.next, 0], to.words].concat()
}

/// Appends instructions, and allocates ids.
struct Assembler {
    words: Vec<u32>,
    next: u32,
}

impl Assembler {
    fn ids<const N: usize>(&mut self) -> [u32; N] {
        std::array::from_fn(|_| {
            self.next += 1;
            self.next - 1
        })
    }

    fn put(&mut self, opcode: op::Opcode, operands: &[u32]) {
        self.words.push((operands.len() as u32 + 1) << 16 | u32::from(opcode.number));
        self.words.extend_from_slice(operands);
    }

    /// An instruction whose result has no type.
    fn ty(&mut self, opcode: op::Opcode, operands: &[u32]) -> u32 {
        let [id] = self.ids();
        self.put(opcode, &[&[id], operands].concat());
        id
    }

    /// An instruction whose result has a type.
    fn value(&mut self, opcode: op::Opcode, ty: u32, operands: &[u32]) -> u32 {
        let [id] = self.ids();
        self.put(opcode, &[&[ty, id], operands].concat());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_are_valid() {
        for way in [Way::Fill, Way::Read, Way::ReadFloats] {
            let bytes: Vec<u8> = program(way).iter().flat_map(|it| it.to_le_bytes()).collect();
            let file = format!("wavelane-samples-{}-{way:?}.spv", std::process::id());
            let file = std::env::temp_dir().join(file);
            std::fs::write(&file, bytes).unwrap();
            let mut validator = std::process::Command::new("spirv-val");
            let result = validator.args(["--target-env", "vulkan1.3"]).arg(&file).output();
            std::fs::remove_file(&file).unwrap();
            match result {
                Ok(output) => assert!(
                    output.status.success(),
                    "{way:?}: {}{}",
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr)
                ),
                Err(error) => skipped::skipped!("spirv-val: {error}"),
            }
        }
    }
}
