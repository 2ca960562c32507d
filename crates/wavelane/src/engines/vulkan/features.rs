//! The structures of features that extend those of a device: the same chain queries features and requests them.
//!
//! Vulkan links such structures by pointers, so a chain borrows the structures for as long as it is used.

use std::ffi::CStr;

use ash::vk;

/// Newer than the headers that `ash` was generated from; it has the structure of NVIDIA's extension.
pub(super) const KHR_COMPUTE_SHADER_DERIVATIVES: &CStr = c"VK_KHR_compute_shader_derivatives";

/// Without all of these there are no acceleration structures.
pub(super) const OF_SCENES: [&CStr; 3] = [
    ash::khr::acceleration_structure::NAME,
    ash::khr::deferred_host_operations::NAME,
    ash::khr::ray_query::NAME,
];

/// The features of the versions and extensions that are used here.
#[derive(Default)]
pub(super) struct Features {
    pub(super) of11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub(super) of12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub(super) of13: vk::PhysicalDeviceVulkan13Features<'static>,
    pub(super) reconvergence: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>,
    pub(super) robustness: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
    pub(super) derivatives: vk::PhysicalDeviceComputeShaderDerivativesFeaturesNV<'static>,
    pub(super) borders: vk::PhysicalDeviceCustomBorderColorFeaturesEXT<'static>,
    pub(super) image_atomics: vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT<'static>,
    pub(super) clip: vk::PhysicalDeviceDepthClipEnableFeaturesEXT<'static>,
    pub(super) lines: vk::PhysicalDeviceLineRasterizationFeaturesEXT<'static>,
    pub(super) barycentric: vk::PhysicalDeviceFragmentShaderBarycentricFeaturesKHR<'static>,
    pub(super) quads: vk::PhysicalDeviceShaderQuadControlFeaturesKHR<'static>,
    pub(super) interlock: vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT<'static>,
    pub(super) meshes: vk::PhysicalDeviceMeshShaderFeaturesEXT<'static>,
    pub(super) scenes: vk::PhysicalDeviceAccelerationStructureFeaturesKHR<'static>,
    pub(super) queries: vk::PhysicalDeviceRayQueryFeaturesKHR<'static>,
    pub(super) positions: vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR<'static>,
}

impl Features {
    /// The structures of version 1.3, and of the extensions for which `has` is true.
    pub(super) fn chain(&mut self, has: impl Fn(&CStr) -> bool) -> vk::PhysicalDeviceFeatures2<'_> {
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut self.of11)
            .push_next(&mut self.of12)
            .push_next(&mut self.of13);
        let of_extensions: [(&CStr, &mut dyn vk::ExtendsPhysicalDeviceFeatures2); 11] = [
            (ash::khr::shader_maximal_reconvergence::NAME, &mut self.reconvergence),
            (ash::ext::robustness2::NAME, &mut self.robustness),
            (KHR_COMPUTE_SHADER_DERIVATIVES, &mut self.derivatives),
            (ash::ext::custom_border_color::NAME, &mut self.borders),
            (ash::ext::shader_image_atomic_int64::NAME, &mut self.image_atomics),
            (ash::ext::depth_clip_enable::NAME, &mut self.clip),
            (ash::ext::line_rasterization::NAME, &mut self.lines),
            (ash::khr::fragment_shader_barycentric::NAME, &mut self.barycentric),
            (ash::khr::shader_quad_control::NAME, &mut self.quads),
            (ash::ext::fragment_shader_interlock::NAME, &mut self.interlock),
            (ash::ext::mesh_shader::NAME, &mut self.meshes),
        ];
        for (_, next) in of_extensions.into_iter().filter(|it| has(it.0)) {
            all = all.push_next(next);
        }
        if OF_SCENES.iter().all(|it| has(it)) {
            all = all.push_next(&mut self.scenes).push_next(&mut self.queries);
            if has(ash::khr::ray_tracing_position_fetch::NAME) {
                all = all.push_next(&mut self.positions);
            }
        }
        all
    }

    /// Ends the chain, so that the structures can be copied.
    pub(super) fn unchain(&mut self) {
        self.of11.p_next = std::ptr::null_mut();
        self.of12.p_next = std::ptr::null_mut();
        self.of13.p_next = std::ptr::null_mut();
        self.robustness.p_next = std::ptr::null_mut();
    }
}
