//! The features that test files may require, and which of them a device has.

use wavelane::{Adapter, RaytracingTier};

use crate::lit::Features;

/// The API that a device claims to implement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Api {
    #[default]
    DirectX,
    Vulkan,
    /// Direct3D with the extensions of this project.
    Wavelane,
}

/// The feature of [`Api::Wavelane`] alone.
const OWN: &str = "Wavelane";

impl Api {
    /// The API of a set of features.
    pub(crate) fn of(features: &Features) -> Api {
        match (features.contains(OWN), features.contains("Vulkan")) {
            (true, _) => Api::Wavelane,
            (false, true) => Api::Vulkan,
            (false, false) => Api::DirectX,
        }
    }
}

/// All features of a device, under the names that tests use.
pub fn features(adapter: &Adapter, api: Api) -> Features {
    // We accept what dxc accepts, and check what it checks.
    let mut names = vec!["DXC".to_owned()];
    let model = adapter.shader_model;
    // Direct3D reports the highest version that it has; for Vulkan, the public tests know versions up to 6.9.
    let highest = match api {
        Api::DirectX | Api::Wavelane => model.minor,
        Api::Vulkan => model.minor.min(9),
    };
    let models = (0..=highest).filter(|_| model.major == 6);
    names.extend(models.map(|minor| format!("SM_6_{minor}")));
    let mut add = |has: bool, more: &[&str]| {
        if has {
            names.extend(more.iter().map(|it| (*it).to_owned()));
        }
    };
    add(adapter.native_16bit_shader_ops, &["Half", "Int16"]);
    add(adapter.double_precision_float_shader_ops, &["Double"]);
    let int64 = adapter.int64_shader_ops;
    add(int64, &["Int64", "Int64GroupSharedAtomics", "Int64TypedResourceAtomics"]);
    add((model.major, model.minor) >= (6, 6), &["DerivativesInCompute"]);
    add((model.major, model.minor) >= (6, 5), &["MeshShader"]);
    add(adapter.raytracing_tier >= RaytracingTier::Tier1_1, &["acceleration-structure"]);
    match api {
        Api::DirectX | Api::Wavelane => {
            add(true, &["DirectX"]);
            add(api == Api::Wavelane, &[OWN]);
            if adapter.wave_ops {
                let widths = adapter.wave_lane_count.iter();
                names.extend(widths.map(|width| format!("WaveSize_{width}")));
            }
        }
        Api::Vulkan => {
            add(true, &["Vulkan", "VK_KHR_shader_maximal_reconvergence"]);
            add(int64, &["VulkanInt64BufferAtomics"]);
        }
    }
    names.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_follow_the_caps() {
        let all = features(&Adapter::reference(), Api::DirectX);
        for name in ["DirectX", "DXC", "MeshShader", "SM_6_9", "SM_6_10", "Half", "WaveSize_128"] {
            assert!(all.contains(name), "{name}");
        }
        assert!(all.contains("acceleration-structure"));
        assert!(!all.contains("Vulkan") && !all.contains("WARP") && all.contains("WaveSize_4"));
        let vulkan = features(&Adapter::reference(), Api::Vulkan);
        assert!(vulkan.contains("SM_6_9") && !vulkan.contains("SM_6_10"));
        let mut poor = Adapter::reference();
        poor.int64_shader_ops = false;
        poor.shader_model.minor = 5;
        let few = features(&poor, Api::Vulkan);
        assert!(few.contains("SM_6_5") && few.contains("Vulkan") && few.contains("Double"));
        for name in ["SM_6_6", "Int64", "DerivativesInCompute", "WaveSize_32"] {
            assert!(!few.contains(name), "{name}");
        }
    }
}
