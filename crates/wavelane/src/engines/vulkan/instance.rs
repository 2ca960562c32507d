//! The loader, and the properties of its devices.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use ash::vk;
use ops::intrinsics::{ShaderModel, Stage};
use ops::texture::Format;
use raster::DepthFormat;
use spirv::{Environment, Extension, Floats, Locations, Numbering, Sizes, Vulkan};

use super::features::{Features, KHR_COMPUTE_SHADER_DERIVATIVES, OF_SCENES};
use super::{format, scene, state};
use crate::draw::{MOST_PIXELS, MOST_VIEWPORTS};
use crate::engines::drivers_can_be_loaded;
use crate::graphics::{DEPTH_FORMATS, DrawCaps, MOST_TARGETS};
use crate::{Adapter, LaneCounts, RaytracingTier, SamplerFeedbackTier};

/// The loader with an instance in it.
pub(super) struct Instance {
    /// Keeps the library loaded that the functions of `raw` belong to.
    _entry: ash::Entry,
    pub(super) raw: ash::Instance,
}

/// The capabilities of a device. Vulkan's structures are stored without their chain pointers.
#[derive(Clone)]
pub(super) struct Capabilities {
    pub(super) name: String,
    pub(super) driver: String,
    pub(super) api: u32,
    pub(super) family: Option<u32>,
    /// Whether the queue supports timestamps.
    pub(super) has_clock: bool,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) features: vk::PhysicalDeviceFeatures,
    pub(super) features11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub(super) features12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub(super) features13: vk::PhysicalDeviceVulkan13Features<'static>,
    pub(super) robustness: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
    pub(super) reconverges: bool,
    pub(super) partitions: bool,
    /// Whether compute shaders have derivatives with linear quads.
    pub(super) derivatives: bool,
    /// Whether borders of textures may have any color.
    pub(super) colors_borders: bool,
    /// Whether images support 64-bit atomic operations.
    pub(super) wide_image_atomics: bool,
    pub(super) operations: vk::SubgroupFeatureFlags,
    pub(super) widths: LaneCounts,
    /// Whether a pipeline can require one of several widths.
    pub(super) requires_width: bool,
    pub(super) most_subgroups: u32,
    pub(super) graphics: Graphics,
    /// The formats of targets and of depth buffers.
    target_formats: Vec<Format>,
    depth_formats: Vec<DepthFormat>,
    pub(super) rays: scene::Support,
    kind: vk::PhysicalDeviceType,
    floats: Floats,
    /// Whether subgroup operations are available in compute shaders.
    in_compute: bool,
}

/// What concerns draws alone.
#[derive(Clone, Copy, Default)]
pub(super) struct Graphics {
    /// The queue family for draws.
    pub(super) family: Option<u32>,
    /// The stages in which subgroup operations are available, and those for which a width can be required.
    pub(super) subgroup_stages: vk::ShaderStageFlags,
    pub(super) width_stages: vk::ShaderStageFlags,
    /// The width of subgroups where none is required.
    pub(super) width: u32,
    /// Whether clipping to the depth range and clamping to it can be set separately.
    pub(super) clips_depth: bool,
    /// Whether lines can be rasterized by the diamond rule.
    pub(super) draws_lines: bool,
    pub(super) exports_stencil: bool,
    pub(super) barycentrics: bool,
    pub(super) controls_quads: bool,
    /// Whether a pixel can wait for those of earlier primitives.
    pub(super) orders_pixels: bool,
    /// Whether there are mesh shaders, and amplification shaders in front of them.
    pub(super) meshes: bool,
    pub(super) amplifies: bool,
    pub(super) groups: GroupLimits,
}

/// The limits of mesh and amplification shaders.
#[derive(Clone, Copy, Default)]
pub(super) struct GroupLimits {
    pub(super) mesh: StageLimits,
    pub(super) amplification: StageLimits,
    /// The bytes of a payload.
    pub(super) payload: u32,
    pub(super) vertices: u32,
    pub(super) primitives: u32,
}

/// The limits of one of the two.
#[derive(Clone, Copy, Default)]
pub(super) struct StageLimits {
    /// In each direction.
    pub(super) groups: [u32; 3],
    pub(super) groups_together: u32,
    pub(super) threads: u32,
    /// The bytes of groupshared memory.
    pub(super) shared: u32,
}

impl Instance {
    pub(super) fn new() -> Result<Instance, String> {
        drivers_can_be_loaded()?;
        // SAFETY: this runs the initialisers of the system's Vulkan library, as intended.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|error| format!("this machine has no Vulkan loader ({error})"))?;
        let application = vk::ApplicationInfo::default()
            .application_name(c"wavelane")
            .api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the structures are complete and outlive the call; the instance lives as long as the entry.
        let raw = unsafe { entry.create_instance(&create, None) }
            .map_err(|error| format!("no Vulkan driver is usable ({error})"))?;
        Ok(Instance { _entry: entry, raw })
    }

    pub(super) fn devices(&self) -> Result<Vec<(vk::PhysicalDevice, Capabilities)>, String> {
        // SAFETY: the instance is alive.
        let all = unsafe { self.raw.enumerate_physical_devices() }
            .map_err(|error| format!("Vulkan cannot list its devices ({error})"))?;
        Ok(all.into_iter().map(|it| (it, self.capabilities(it))).collect())
    }

    /// The names of a device's extensions.
    fn extensions(&self, device: vk::PhysicalDevice) -> BTreeSet<CString> {
        // SAFETY: the device is one of the instance.
        let all = unsafe { self.raw.enumerate_device_extension_properties(device) };
        let all = all.unwrap_or_default();
        all.iter().filter_map(|it| Some(it.extension_name_as_c_str().ok()?.to_owned())).collect()
    }

    fn capabilities(&self, device: vk::PhysicalDevice) -> Capabilities {
        let extensions = self.extensions(device);
        let has = |name: &CStr| extensions.contains(name);

        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut of11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut of12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut of13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut of_groups = vk::PhysicalDeviceMeshShaderPropertiesEXT::default();
        let mut of_scenes = vk::PhysicalDeviceAccelerationStructurePropertiesKHR::default();
        let mut properties = vk::PhysicalDeviceProperties2::default();
        // SAFETY: as above. The first query is for the version alone, because older devices do not know the other
        // structures.
        unsafe { self.raw.get_physical_device_properties2(device, &mut properties) };
        let api = properties.properties.api_version;
        let is_new = api >= vk::API_VERSION_1_3;
        if is_new {
            properties = properties
                .push_next(&mut driver)
                .push_next(&mut of11)
                .push_next(&mut of12)
                .push_next(&mut of13);
            if has(ash::ext::mesh_shader::NAME) {
                properties = properties.push_next(&mut of_groups);
            }
            if OF_SCENES.iter().all(|it| has(it)) {
                properties = properties.push_next(&mut of_scenes);
            }
            // SAFETY: the device supports the structures of its version, which outlive the call.
            unsafe { self.raw.get_physical_device_properties2(device, &mut properties) };
        }
        let properties = properties.properties;

        let mut of = Features::default();
        let mut features = match is_new {
            true => of.chain(has),
            false => vk::PhysicalDeviceFeatures2::default(),
        };
        // SAFETY: the device supports the structures of its version and extensions, which outlive the call.
        unsafe { self.raw.get_physical_device_features2(device, &mut features) };
        let features = features.features;
        of.unchain();

        // SAFETY: the device is one of the instance.
        let families = unsafe { self.raw.get_physical_device_queue_family_properties(device) };
        let computes =
            |it: &&vk::QueueFamilyProperties| it.queue_flags.contains(vk::QueueFlags::COMPUTE);
        // A compute-only queue starts groups sooner: it saves a tenth of the time of a copy on an H200.
        let draws =
            |it: &vk::QueueFamilyProperties| it.queue_flags.contains(vk::QueueFlags::GRAPHICS);
        let alone = families.iter().position(|it| computes(&it) && !draws(it));
        let family = alone.or_else(|| families.iter().position(|it| computes(&it)));
        let draws = families.iter().position(|it| computes(&it) && draws(it));
        let text =
            |it: Option<&CStr>| it.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        let stages = of13.required_subgroup_size_stages;
        let requires_width = of.of13.subgroup_size_control == vk::TRUE
            && stages.contains(vk::ShaderStageFlags::COMPUTE);
        let widths = match requires_width {
            true => LaneCounts { min: of13.min_subgroup_size, max: of13.max_subgroup_size },
            false => LaneCounts { min: of11.subgroup_size, max: of11.subgroup_size },
        };
        Capabilities {
            name: text(properties.device_name_as_c_str().ok()),
            driver: format!(
                "{} {}",
                text(driver.driver_name_as_c_str().ok()),
                text(driver.driver_info_as_c_str().ok())
            ),
            api,
            family: family.map(|it| it as u32),
            has_clock: family.is_some_and(|it| families[it].timestamp_valid_bits > 0),
            limits: properties.limits,
            features,
            features11: of.of11,
            features12: of.of12,
            features13: of.of13,
            robustness: of.robustness,
            reconverges: of.reconvergence.shader_maximal_reconvergence == vk::TRUE,
            partitions: has(ash::nv::shader_subgroup_partitioned::NAME)
                && of11
                    .subgroup_supported_operations
                    .contains(vk::SubgroupFeatureFlags::PARTITIONED_NV),
            derivatives: of.derivatives.compute_derivative_group_linear == vk::TRUE,
            colors_borders: of.borders.custom_border_colors == vk::TRUE
                && of.borders.custom_border_color_without_format == vk::TRUE,
            wide_image_atomics: of.image_atomics.shader_image_int64_atomics == vk::TRUE,
            operations: of11.subgroup_supported_operations,
            // Shaders cannot request widths outside our range.
            widths: LaneCounts { min: widths.min.max(4), max: widths.max.min(128) },
            requires_width,
            most_subgroups: of13.max_compute_workgroup_subgroups,
            target_formats: self.target_formats(device),
            depth_formats: self.depth_formats(device),
            graphics: Graphics {
                family: draws.map(|it| it as u32),
                subgroup_stages: of11.subgroup_supported_stages,
                width_stages: match of.of13.subgroup_size_control {
                    vk::TRUE => stages,
                    _ => vk::ShaderStageFlags::empty(),
                },
                width: of11.subgroup_size,
                clips_depth: of.clip.depth_clip_enable == vk::TRUE,
                draws_lines: of.lines.bresenham_lines == vk::TRUE,
                exports_stencil: has(ash::ext::shader_stencil_export::NAME),
                barycentrics: of.barycentric.fragment_shader_barycentric == vk::TRUE,
                controls_quads: of.quads.shader_quad_control == vk::TRUE,
                orders_pixels: of.interlock.fragment_shader_pixel_interlock == vk::TRUE,
                meshes: of.meshes.mesh_shader == vk::TRUE,
                amplifies: of.meshes.task_shader == vk::TRUE,
                groups: group_limits(&of_groups),
            },
            rays: scene::Support {
                queries: of.scenes.acceleration_structure == vk::TRUE
                    && of.queries.ray_query == vk::TRUE
                    && of.of12.buffer_device_address == vk::TRUE,
                positions: of.positions.ray_tracing_position_fetch == vk::TRUE,
                ..scene::Support::default()
            }
            .with_limits(&of_scenes),
            kind: properties.device_type,
            floats: floats(&of12),
            in_compute: of11.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE),
        }
    }

    /// The formats of targets.
    fn target_formats(&self, device: vk::PhysicalDevice) -> Vec<Format> {
        let is_target = |it: &Format| {
            let found = format::target_format(*it);
            found.is_some_and(|it| self.can(device, it, vk::FormatFeatureFlags::COLOR_ATTACHMENT))
        };
        DrawCaps::all_formats().into_iter().filter(is_target).collect()
    }

    /// The formats of depth buffers.
    fn depth_formats(&self, device: vk::PhysicalDevice) -> Vec<DepthFormat> {
        let needs = vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT;
        let is_depth = |it: &DepthFormat| self.can(device, state::depth_format(*it), needs);
        DEPTH_FORMATS.into_iter().filter(is_depth).collect()
    }

    fn can(
        &self,
        device: vk::PhysicalDevice,
        format: vk::Format,
        feature: vk::FormatFeatureFlags,
    ) -> bool {
        // SAFETY: the device is one of the instance.
        let of = unsafe { self.raw.get_physical_device_format_properties(device, format) };
        of.optimal_tiling_features.contains(feature)
    }
}

/// What the arithmetic of shaders can promise.
fn floats(of: &vk::PhysicalDeviceVulkan12Properties<'_>) -> Floats {
    let sizes = |half, single, double| Sizes {
        half: half == vk::TRUE,
        single: single == vk::TRUE,
        double: double == vk::TRUE,
    };
    Floats {
        denorm_preserve: sizes(
            of.shader_denorm_preserve_float16,
            of.shader_denorm_preserve_float32,
            of.shader_denorm_preserve_float64,
        ),
        signed_zero_inf_nan: sizes(
            of.shader_signed_zero_inf_nan_preserve_float16,
            of.shader_signed_zero_inf_nan_preserve_float32,
            of.shader_signed_zero_inf_nan_preserve_float64,
        ),
        rounding_rte: sizes(
            of.shader_rounding_mode_rte_float16,
            of.shader_rounding_mode_rte_float32,
            of.shader_rounding_mode_rte_float64,
        ),
    }
}

fn group_limits(of: &vk::PhysicalDeviceMeshShaderPropertiesEXT<'_>) -> GroupLimits {
    GroupLimits {
        mesh: StageLimits {
            groups: of.max_mesh_work_group_count,
            groups_together: of.max_mesh_work_group_total_count,
            threads: of.max_mesh_work_group_invocations,
            shared: of.max_mesh_shared_memory_size,
        },
        amplification: StageLimits {
            groups: of.max_task_work_group_count,
            groups_together: of.max_task_work_group_total_count,
            threads: of.max_task_work_group_invocations,
            shared: of.max_task_shared_memory_size,
        },
        payload: of.max_task_payload_size,
        vertices: of.max_mesh_output_vertices,
        primitives: of.max_mesh_output_primitives,
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: an owner of devices of the instance also owns the instance, and drops it after them.
        unsafe { self.raw.destroy_instance(None) };
    }
}

impl Capabilities {
    /// The extensions that are requested of the device.
    pub(super) fn extensions(&self) -> Vec<&'static CStr> {
        let Graphics {
            clips_depth,
            draws_lines,
            barycentrics,
            controls_quads,
            orders_pixels,
            meshes,
            exports_stencil,
            ..
        } = self.graphics;
        let is_robust = self.robustness.null_descriptor == vk::TRUE
            || self.robustness.robust_buffer_access2 == vk::TRUE;
        let positions = self.rays.queries && self.rays.positions;
        let all = [
            (self.reconverges, ash::khr::shader_maximal_reconvergence::NAME),
            (is_robust, ash::ext::robustness2::NAME),
            (self.derivatives, KHR_COMPUTE_SHADER_DERIVATIVES),
            (self.colors_borders, ash::ext::custom_border_color::NAME),
            (self.wide_image_atomics, ash::ext::shader_image_atomic_int64::NAME),
            (self.partitions, ash::nv::shader_subgroup_partitioned::NAME),
            (clips_depth, ash::ext::depth_clip_enable::NAME),
            (draws_lines, ash::ext::line_rasterization::NAME),
            (barycentrics, ash::khr::fragment_shader_barycentric::NAME),
            (controls_quads, ash::khr::shader_quad_control::NAME),
            (orders_pixels, ash::ext::fragment_shader_interlock::NAME),
            (meshes, ash::ext::mesh_shader::NAME),
            (exports_stencil, ash::ext::shader_stencil_export::NAME),
            (positions, ash::khr::ray_tracing_position_fetch::NAME),
        ];
        let of_scenes = OF_SCENES.into_iter().filter(|_| self.rays.queries);
        all.into_iter().filter(|it| it.0).map(|it| it.1).chain(of_scenes).collect()
    }

    /// The features that are requested of the device, if their extensions are.
    pub(super) fn wanted(&self) -> Features {
        Features {
            of11: self.features11,
            of12: self.features12,
            of13: self.features13,
            robustness: self.robustness,
            reconvergence: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR::default()
                .shader_maximal_reconvergence(true),
            derivatives: vk::PhysicalDeviceComputeShaderDerivativesFeaturesNV::default()
                .compute_derivative_group_linear(true),
            borders: vk::PhysicalDeviceCustomBorderColorFeaturesEXT::default()
                .custom_border_colors(true)
                .custom_border_color_without_format(true),
            image_atomics: vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default()
                .shader_image_int64_atomics(true),
            clip: vk::PhysicalDeviceDepthClipEnableFeaturesEXT::default().depth_clip_enable(true),
            lines: vk::PhysicalDeviceLineRasterizationFeaturesEXT::default().bresenham_lines(true),
            barycentric: vk::PhysicalDeviceFragmentShaderBarycentricFeaturesKHR::default()
                .fragment_shader_barycentric(true),
            quads: vk::PhysicalDeviceShaderQuadControlFeaturesKHR::default()
                .shader_quad_control(true),
            interlock: vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT::default()
                .fragment_shader_pixel_interlock(true),
            meshes: vk::PhysicalDeviceMeshShaderFeaturesEXT::default()
                .mesh_shader(self.graphics.meshes)
                .task_shader(self.graphics.amplifies),
            scenes: vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default()
                .acceleration_structure(true),
            queries: vk::PhysicalDeviceRayQueryFeaturesKHR::default().ray_query(true),
            positions: vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR::default()
                .ray_tracing_position_fetch(true),
        }
    }

    /// Why the device cannot be used, if it cannot.
    pub(super) fn unusable(&self) -> Option<String> {
        let LaneCounts { min, max } = self.widths;
        if self.api < vk::API_VERSION_1_3 {
            return Some(format!("it has Vulkan {}; 1.3 is required", self.version()));
        }
        if self.family.is_none() {
            return Some("it has no compute queue".to_owned());
        }
        if !self.in_compute || min > max {
            return Some("it has no subgroups of 4 to 128 lanes in compute shaders".to_owned());
        }
        (!self.reconverges).then(|| {
            "it does not guarantee maximal reconvergence (VK_KHR_shader_maximal_reconvergence), without which wave \
             operations have no meaning"
                .to_owned()
        })
    }

    pub(super) fn adapter(&self) -> Adapter {
        let is = |flag: vk::Bool32| flag == vk::TRUE;
        let has_halves = is(self.features12.shader_float16)
            && is(self.features.shader_int16)
            && is(self.features11.storage_buffer16_bit_access);
        let (has_doubles, has_int64) =
            (is(self.features.shader_float64), is(self.features.shader_int64));
        Adapter {
            name: self.name.clone(),
            shader_model: ShaderModel::HIGHEST,
            wave_ops: true,
            wave_lane_count: self.widths,
            // Vulkan does not report the total, only the maximum for a group.
            total_lane_count: self.most_subgroups.saturating_mul(self.widths.max),
            double_precision_float_shader_ops: has_doubles,
            int64_shader_ops: has_int64,
            native_16bit_shader_ops: has_halves,
            raytracing_tier: match self.rays.queries || self.traces_in_software() {
                true => RaytracingTier::Tier1_1,
                false => RaytracingTier::NotSupported,
            },
            // Feedback is arithmetic here, which needs both.
            sampler_feedback_tier: match has_doubles && has_int64 {
                true => SamplerFeedbackTier::Tier1_0,
                false => SamplerFeedbackTier::NotSupported,
            },
            max_group_shared_memory: self.limits.max_compute_shared_memory_size,
        }
    }

    /// Whether ray queries are written into shaders. They need doubles.
    pub(super) fn traces_in_software(&self) -> bool {
        self.rays.in_software && self.features.shader_float64 == vk::TRUE
    }

    pub(super) fn draws(&self) -> Option<DrawCaps> {
        let (graphics, limits, features) = (self.graphics, &self.limits, &self.features);
        graphics.family?;
        let is_required = graphics.width_stages.contains(vk::ShaderStageFlags::FRAGMENT);
        let own = LaneCounts { min: graphics.width, max: graphics.width };
        let is = |flag: vk::Bool32| flag == vk::TRUE;
        let mut stages = vec![Stage::Vertex];
        if is(features.tessellation_shader) {
            stages.extend([Stage::Hull, Stage::Domain]);
        }
        stages.extend(is(features.geometry_shader).then_some(Stage::Geometry));
        stages.extend(graphics.amplifies.then_some(Stage::Amplification));
        stages.extend(graphics.meshes.then_some(Stage::Mesh));
        stages.push(Stage::Pixel);
        let counts =
            limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts;
        let has_samples = |it: &u32| {
            let is_standard = *it == 1 || is(limits.standard_sample_locations);
            counts.contains(vk::SampleCountFlags::from_raw(*it)) && is_standard
        };
        let side = limits.max_framebuffer_width.min(limits.max_framebuffer_height);
        Some(DrawCaps {
            wave_lane_count: if is_required { self.widths } else { own },
            canonical_packing: false,
            stages,
            targets: limits.max_color_attachments.min(MOST_TARGETS as u32),
            target_size: side.min(limits.max_image_dimension2_d).min(MOST_PIXELS),
            viewports: match is(features.multi_viewport) {
                true => limits.max_viewports.min(MOST_VIEWPORTS as u32),
                false => 1,
            },
            samples: [1, 2, 4, 8, 16].into_iter().filter(has_samples).collect(),
            formats: self.target_formats.clone(),
            depth_formats: match graphics.clips_depth && is(features.depth_clamp) {
                true => self.depth_formats.clone(),
                false => Vec::new(),
            },
            lines: graphics.draws_lines,
            barycentrics: graphics.barycentrics,
            stencil_reference: graphics.exports_stencil,
            ordered_views: graphics.orders_pixels,
            dual_source_blending: is(features.dual_src_blend),
            independent_blending: is(features.independent_blend),
            logic_operations: is(features.logic_op),
            conservative_rasterization: false,
        })
    }

    pub(super) fn environment(&self) -> Environment {
        let reconverges = self.reconverges.then_some(Extension::MaximalReconvergence);
        let partitions = self.partitions.then_some(Extension::SubgroupPartitioned);
        let derivatives = self.derivatives.then_some(Extension::ComputeDerivatives);
        let zeros = self.features13.shader_zero_initialize_workgroup_memory == vk::TRUE;
        Environment {
            vulkan: Vulkan::V1_3,
            extensions: reconverges.into_iter().chain(partitions).chain(derivatives).collect(),
            floats: self.floats,
            // Some drivers handle the overflow of native 16-bit integers wrongly.
            short_words: true,
            exact: self.features.shader_float64 == vk::TRUE
                && self.features.shader_int64 == vk::TRUE,
            robust: self.robustness.robust_buffer_access2 == vk::TRUE,
            lanes: None,
            full_waves: self.features13.compute_full_subgroups == vk::TRUE,
            relative_reads: self.operations.contains(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE),
            matches_by_bits: false,
            zero_groupshared: zeros,
            bound: Vec::new(),
            numbering: Numbering::Counted,
            first_set: 0,
            locations: Locations::Counted,
            of_primitives: Vec::new(),
            layers: None,
            dual_source: false,
            point_size: false,
            entry_name: None,
        }
    }

    /// The same for the shaders of a draw.
    pub(super) fn graphics_environment(&self) -> Environment {
        let mut environment = self.environment();
        let Graphics { barycentrics, controls_quads, orders_pixels, .. } = self.graphics;
        environment.extensions.retain(|it| *it != Extension::ComputeDerivatives);
        environment.extensions.extend(barycentrics.then_some(Extension::Barycentric));
        environment.extensions.extend(controls_quads.then_some(Extension::QuadControl));
        environment.extensions.extend(orders_pixels.then_some(Extension::PixelInterlock));
        // Waves of draws are not whole.
        environment.full_waves = false;
        environment
    }

    pub(super) fn kind(&self) -> &'static str {
        match self.kind {
            vk::PhysicalDeviceType::DISCRETE_GPU => "discrete GPU",
            vk::PhysicalDeviceType::INTEGRATED_GPU => "integrated GPU",
            vk::PhysicalDeviceType::VIRTUAL_GPU => "virtual GPU",
            vk::PhysicalDeviceType::CPU => "CPU",
            _ => "device",
        }
    }

    pub(super) fn is_processor(&self) -> bool {
        self.kind == vk::PhysicalDeviceType::CPU
    }

    pub(super) fn version(&self) -> String {
        let api = self.api;
        let (major, minor) = (vk::api_version_major(api), vk::api_version_minor(api));
        format!("{major}.{minor}.{}", vk::api_version_patch(api))
    }

    /// A capability that a module declares and the device lacks, by its SPIR-V name.
    pub(super) fn lacks(&self, capabilities: &[&'static str]) -> Option<&'static str> {
        let is = |flag: vk::Bool32| flag == vk::TRUE;
        let (f, f11, f12) = (&self.features, &self.features11, &self.features12);
        let operation = |it| self.operations.contains(it);
        let asks = |name: &str| capabilities.contains(&name);
        let has = |name: &str| match name {
            "Float16" => is(f12.shader_float16),
            "Float64" => is(f.shader_float64),
            "Int64" => is(f.shader_int64),
            "Int16" => is(f.shader_int16),
            "Int64Atomics" => {
                is(f12.shader_buffer_int64_atomics) && is(f12.shader_shared_int64_atomics)
            }
            "StorageBuffer16BitAccess" => is(f11.storage_buffer16_bit_access),
            "UniformBufferArrayDynamicIndexing" => {
                is(f.shader_uniform_buffer_array_dynamic_indexing)
            }
            "StorageBufferArrayDynamicIndexing" => {
                is(f.shader_storage_buffer_array_dynamic_indexing)
            }
            "SampledImageArrayDynamicIndexing" => is(f.shader_sampled_image_array_dynamic_indexing),
            "StorageImageArrayDynamicIndexing" => is(f.shader_storage_image_array_dynamic_indexing),
            "StorageImageExtendedFormats" => is(f.shader_storage_image_extended_formats),
            "StorageImageReadWithoutFormat" => is(f.shader_storage_image_read_without_format),
            "StorageImageWriteWithoutFormat" => is(f.shader_storage_image_write_without_format),
            "ImageCubeArray" | "SampledCubeArray" => is(f.image_cube_array),
            "MinLod" => is(f.shader_resource_min_lod),
            "Int64ImageEXT" => self.wide_image_atomics,
            "Geometry" => is(f.geometry_shader),
            "Tessellation" => is(f.tessellation_shader),
            "TessellationPointSize" | "GeometryPointSize" => {
                is(f.shader_tessellation_and_geometry_point_size)
            }
            "MeshShadingEXT" => self.graphics.meshes,
            "SampleRateShading" | "InterpolationFunction" => is(f.sample_rate_shading),
            "ClipDistance" => is(f.shader_clip_distance),
            "CullDistance" => is(f.shader_cull_distance),
            "MultiViewport" => is(f.multi_viewport),
            "ShaderLayer" => is(f12.shader_output_layer),
            "ShaderViewportIndex" => is(f12.shader_output_viewport_index),
            "DrawParameters" => is(f11.shader_draw_parameters),
            "DemoteToHelperInvocation" => is(self.features13.shader_demote_to_helper_invocation),
            "StencilExportEXT" => self.graphics.exports_stencil,
            "FragmentBarycentricKHR" => self.graphics.barycentrics,
            "QuadControlKHR" => self.graphics.controls_quads,
            "FragmentShaderPixelInterlockEXT" => self.graphics.orders_pixels,
            "ComputeDerivativeGroupLinearKHR" => self.derivatives,
            "ImageGatherExtended" => is(f.shader_image_gather_extended),
            "RuntimeDescriptorArray" => is(f12.runtime_descriptor_array),
            "UniformTexelBufferArrayDynamicIndexing" => {
                is(f12.shader_uniform_texel_buffer_array_dynamic_indexing)
            }
            "StorageTexelBufferArrayDynamicIndexing" => {
                is(f12.shader_storage_texel_buffer_array_dynamic_indexing)
            }
            "UniformBufferArrayNonUniformIndexing" => {
                is(f12.shader_uniform_buffer_array_non_uniform_indexing)
            }
            "StorageBufferArrayNonUniformIndexing" => {
                is(f12.shader_storage_buffer_array_non_uniform_indexing)
            }
            "SampledImageArrayNonUniformIndexing" => {
                is(f12.shader_sampled_image_array_non_uniform_indexing)
            }
            "StorageImageArrayNonUniformIndexing" => {
                is(f12.shader_storage_image_array_non_uniform_indexing)
            }
            "UniformTexelBufferArrayNonUniformIndexing" => {
                is(f12.shader_uniform_texel_buffer_array_non_uniform_indexing)
            }
            "StorageTexelBufferArrayNonUniformIndexing" => {
                is(f12.shader_storage_texel_buffer_array_non_uniform_indexing)
            }
            // Only modules of other compilers declare these.
            "StorageImageMultisample" | "ImageMSArray" => is(f.shader_storage_image_multisample),
            // Devices are opened with linear quads.
            "ComputeDerivativeGroupQuadsKHR" => false,
            "DerivativeControl" => self.derivatives,
            "Int8" => is(f12.shader_int8),
            "StorageBuffer8BitAccess" => is(f12.storage_buffer8_bit_access),
            "UniformAndStorageBuffer8BitAccess" => is(f12.uniform_and_storage_buffer8_bit_access),
            "UniformAndStorageBuffer16BitAccess" => is(f11.uniform_and_storage_buffer16_bit_access),
            "VariablePointersStorageBuffer" => is(f11.variable_pointers_storage_buffer),
            "VariablePointers" => is(f11.variable_pointers),
            "VulkanMemoryModel" => is(f12.vulkan_memory_model),
            "VulkanMemoryModelDeviceScope" => is(f12.vulkan_memory_model_device_scope),
            "GroupNonUniformShuffleRelative" => {
                operation(vk::SubgroupFeatureFlags::SHUFFLE_RELATIVE)
            }
            "GroupNonUniformClustered" => operation(vk::SubgroupFeatureFlags::CLUSTERED),
            "GroupNonUniform" => operation(vk::SubgroupFeatureFlags::BASIC),
            "GroupNonUniformVote" => operation(vk::SubgroupFeatureFlags::VOTE),
            "GroupNonUniformArithmetic" => operation(vk::SubgroupFeatureFlags::ARITHMETIC),
            "GroupNonUniformBallot" => operation(vk::SubgroupFeatureFlags::BALLOT),
            "GroupNonUniformShuffle" => operation(vk::SubgroupFeatureFlags::SHUFFLE),
            "GroupNonUniformQuad" => operation(vk::SubgroupFeatureFlags::QUAD),
            "GroupNonUniformPartitionedEXT" => self.partitions,
            "RayQueryKHR" | "RayTraversalPrimitiveCullingKHR" => self.rays.queries,
            "RayQueryPositionFetchKHR" => self.rays.queries && self.rays.positions,
            // The others are part of Vulkan 1.3, or are declared only if the device supports them.
            _ => true,
        };
        let small = ["Int16", "Int64", "Float16"].into_iter().any(asks);
        if small && asks("GroupNonUniform") && !is(f12.shader_subgroup_extended_types) {
            return Some("subgroup operations on 16-bit and 64-bit values");
        }
        capabilities.iter().copied().find(|it| !has(it))
    }
}
