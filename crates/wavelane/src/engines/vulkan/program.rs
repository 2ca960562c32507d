//! A module as a pipeline for waves of one width.

use std::ffi::CString;
use std::sync::Arc;

use ash::vk;
use ir::Module;
use ir::exec::Unsupported;
use spirv::{BindingKind, Emitted, Reflection};

use super::context::Context;
use super::rewrites::Launched;

pub(super) struct Program {
    pub(super) context: Arc<Context>,
    pub(super) reflection: Reflection,
    /// The number of descriptors of each binding in the reflection.
    pub(super) counts: Vec<u32>,
    pub(super) sets: Vec<vk::DescriptorSetLayout>,
    pub(super) layout: vk::PipelineLayout,
    pub(super) pipeline: vk::Pipeline,
    /// How the groups of a dispatch are launched.
    pub(super) launched: Launched,
}

/// The descriptor type of a binding.
pub(super) fn descriptor_type(kind: BindingKind) -> vk::DescriptorType {
    match kind {
        BindingKind::UniformBuffer => vk::DescriptorType::UNIFORM_BUFFER,
        BindingKind::StorageBuffer | BindingKind::Counter => vk::DescriptorType::STORAGE_BUFFER,
        BindingKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        BindingKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        BindingKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        BindingKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        BindingKind::Sampler => vk::DescriptorType::SAMPLER,
        BindingKind::Scene => vk::DescriptorType::ACCELERATION_STRUCTURE_KHR,
    }
}

impl Program {
    pub(super) fn new(
        context: &Arc<Context>,
        module: &Module,
        emitted: &Emitted,
        width: u32,
        launched: Launched,
    ) -> Result<Program, Unsupported> {
        let Emitted { words, reflection } = emitted;
        let name = &context.capabilities.name;
        let unsupported = |asked: String, missing: String| Unsupported { asked, missing };
        if let Some(what) = context.capabilities.lacks(&reflection.capabilities) {
            return Err(unsupported(what.to_owned(), format!("the device `{name}` lacks it")));
        }
        within_limits(context, module, reflection, width)?;
        let counts: Vec<u32> = reflection.bindings.iter().map(|it| it.count.unwrap_or(1)).collect();
        enough_descriptors(context, reflection, &counts)?;
        let mut program = Program::empty(context, reflection, counts);
        program.launched = launched;
        program.make(words, width, module.group_size).map_err(|result| {
            let asked = format!("a pipeline for `{}`", module.name);
            unsupported(asked, format!("the driver of `{name}` cannot create it: {result}"))
        })?;
        Ok(program)
    }

    fn empty(context: &Arc<Context>, reflection: &Reflection, counts: Vec<u32>) -> Program {
        Program {
            context: context.clone(),
            reflection: reflection.clone(),
            counts,
            sets: Vec::new(),
            layout: vk::PipelineLayout::null(),
            pipeline: vk::Pipeline::null(),
            launched: Launched::PLAIN,
        }
    }

    /// The descriptors of a stage of a draw, whose pipeline belongs to all of its stages.
    pub(super) fn of_stage(
        context: &Arc<Context>,
        reflection: &Reflection,
        stage: vk::ShaderStageFlags,
    ) -> Result<Program, Unsupported> {
        let name = &context.capabilities.name;
        if let Some(what) = context.capabilities.lacks(&reflection.capabilities) {
            let missing = format!("the device `{name}` lacks it");
            return Err(Unsupported { asked: what.to_owned(), missing });
        }
        let counts: Vec<u32> = reflection.bindings.iter().map(|it| it.count.unwrap_or(1)).collect();
        enough_descriptors(context, reflection, &counts)?;
        let mut program = Program::empty(context, reflection, counts);
        program.make_sets(stage).map_err(|result| Unsupported {
            asked: format!("the descriptors of `{}`", reflection.entry),
            missing: format!("the driver of `{name}` cannot create them: {result}"),
        })?;
        Ok(program)
    }

    /// Objects that have been created are destroyed with the program, even if this fails half way.
    fn make(&mut self, words: &[u32], width: u32, group: [u32; 3]) -> Result<(), vk::Result> {
        self.make_sets(vk::ShaderStageFlags::COMPUTE)?;
        let device = &self.context.device;
        let capabilities = &self.context.capabilities;
        let pushed: Vec<vk::PushConstantRange> = self
            .reflection
            .push
            .iter()
            .map(|it| vk::PushConstantRange {
                stage_flags: vk::ShaderStageFlags::COMPUTE,
                offset: 0,
                size: it.bytes,
            })
            .collect();
        let create = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&self.sets)
            .push_constant_ranges(&pushed);
        // SAFETY: the layouts of the sets are alive.
        self.layout = unsafe { device.create_pipeline_layout(&create, None) }?;

        let create = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are a module that `spirv` has emitted, or `Vouched`: the caller of
        // `Device::create_foreign_pipeline` has promised that it is valid.
        let module = unsafe { device.create_shader_module(&create, None) }?;
        let entry = CString::new(self.reflection.entry.as_str()).unwrap_or_default();
        let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(width);
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&entry);
        if capabilities.requires_width {
            stage = stage.push_next(&mut required);
        }
        let is_full = capabilities.features13.compute_full_subgroups == vk::TRUE
            && group[0].is_multiple_of(width);
        if is_full {
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
        }
        let create = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: everything that the structures name is alive; the module may be destroyed once the pipeline exists.
        let made = unsafe {
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &create, None);
            device.destroy_shader_module(module, None);
            made
        };
        let made = made.map_err(|(_, result)| result)?;
        self.pipeline = made.first().copied().unwrap_or_default();
        Ok(())
    }

    fn make_sets(&mut self, stage: vk::ShaderStageFlags) -> Result<(), vk::Result> {
        let device = &self.context.device;
        let sets = self.reflection.bindings.iter().map(|it| it.set + 1).max().unwrap_or(0);
        for set in 0..sets {
            let each = self.reflection.bindings.iter().zip(&self.counts);
            let bindings: Vec<vk::DescriptorSetLayoutBinding<'_>> = each
                .filter(|(it, _)| it.set == set)
                .map(|(it, count)| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(it.binding)
                        .descriptor_count(*count)
                        .descriptor_type(descriptor_type(it.kind))
                        .stage_flags(stage)
                })
                .collect();
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: the structure outlives the call.
            let set = unsafe { device.create_descriptor_set_layout(&create, None) }?;
            self.sets.push(set);
        }
        Ok(())
    }
}

fn within_limits(
    context: &Context,
    module: &Module,
    reflection: &Reflection,
    width: u32,
) -> Result<(), Unsupported> {
    let capabilities = &context.capabilities;
    let limits = &capabilities.limits;
    let threads = module.threads_per_group();
    let shared = module.groupshared_bytes();
    let sets = reflection.bindings.iter().map(|it| it.set + 1).max().unwrap_or(0);
    let pushed = reflection.push.as_ref().map_or(0, |it| it.bytes);
    let [x, y, z] = module.group_size;
    let [most_x, most_y, most_z] = limits.max_compute_work_group_size;
    let most = limits.max_compute_work_group_invocations;
    let too_many = |asked: String, most: u32| {
        let missing = format!("the device `{}` supports at most {most}", capabilities.name);
        Err(Unsupported { asked, missing })
    };
    if threads > most || x > most_x || y > most_y || z > most_z {
        return too_many(format!("groups of {x}×{y}×{z} threads"), most);
    }
    if capabilities.requires_width && threads.div_ceil(width) > capabilities.most_subgroups {
        let asked = format!("groups of {} waves", threads.div_ceil(width));
        return too_many(asked, capabilities.most_subgroups);
    }
    if shared > u64::from(limits.max_compute_shared_memory_size) {
        let asked = format!("{shared} bytes of groupshared memory");
        return too_many(asked, limits.max_compute_shared_memory_size);
    }
    if sets > limits.max_bound_descriptor_sets {
        return too_many(format!("{sets} register spaces"), limits.max_bound_descriptor_sets);
    }
    if pushed > limits.max_push_constants_size {
        let asked = format!("{pushed} bytes of push constants");
        return too_many(asked, limits.max_push_constants_size);
    }
    Ok(())
}

/// Checks the limits on descriptors of each kind in a stage.
fn enough_descriptors(
    context: &Context,
    reflection: &Reflection,
    counts: &[u32],
) -> Result<(), Unsupported> {
    let limits = &context.capabilities.limits;
    let all = |kinds: &[BindingKind]| {
        let each = reflection.bindings.iter().zip(counts);
        each.filter(|(it, _)| kinds.contains(&it.kind)).map(|(_, count)| u64::from(*count)).sum()
    };
    use BindingKind::*;
    let rows: [(&str, u64, u32); 5] = [
        (
            "constant buffers",
            all(&[UniformBuffer]),
            limits.max_per_stage_descriptor_uniform_buffers,
        ),
        (
            "buffers",
            all(&[StorageBuffer, Counter]),
            limits.max_per_stage_descriptor_storage_buffers,
        ),
        (
            "textures and typed buffers",
            all(&[SampledImage, UniformTexelBuffer]),
            limits.max_per_stage_descriptor_sampled_images,
        ),
        (
            "writable textures and typed buffers",
            all(&[StorageImage, StorageTexelBuffer]),
            limits.max_per_stage_descriptor_storage_images,
        ),
        ("samplers", all(&[Sampler]), limits.max_per_stage_descriptor_samplers),
    ];
    match rows.into_iter().find(|(_, asked, most)| *asked > u64::from(*most)) {
        None => Ok(()),
        Some((what, asked, most)) => Err(Unsupported {
            asked: format!("{asked} {what}"),
            missing: format!("the device `{}` supports at most {most}", context.capabilities.name),
        }),
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.context.is_lost() {
            return;
        }
        let device = &self.context.device;
        // SAFETY: no run is in progress, because each holds the program; handles that were not created are null, which
        // Vulkan ignores.
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_pipeline_layout(self.layout, None);
            for set in &self.sets {
                device.destroy_descriptor_set_layout(*set, None);
            }
        }
    }
}
