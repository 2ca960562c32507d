//! The capabilities of a device, by the names that Direct3D's feature queries (`D3D12_FEATURE`) give them.

use std::fmt;

use ops::intrinsics::ShaderModel;

/// A device to compile for and run on. Virtual: the caller may write any values here that [`Adapter::check`] accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// The name in messages.
    pub name: String,
    /// The highest shader model it supports (`D3D12_FEATURE_SHADER_MODEL`).
    pub shader_model: ShaderModel,
    /// Whether shaders may use wave and quad operations at all (`WaveOps`).
    pub wave_ops: bool,
    /// The wave widths (`WaveLaneCountMin` and `WaveLaneCountMax`).
    pub wave_lane_count: LaneCounts,
    /// The number of lanes of the whole device, which says how much work keeps it busy (`TotalLaneCount`).
    pub total_lane_count: u32,
    /// Whether shaders may use `double` (`DoublePrecisionFloatShaderOps`).
    pub double_precision_float_shader_ops: bool,
    /// Whether shaders may use 64-bit integers (`Int64ShaderOps`).
    pub int64_shader_ops: bool,
    /// Whether shaders may use 16-bit types (`Native16BitShaderOps`).
    pub native_16bit_shader_ops: bool,
    /// Whether shaders may use ray queries (`RaytracingTier`).
    pub raytracing_tier: RaytracingTier,
    /// Which sampler feedback shaders may use (`SamplerFeedbackTier`).
    pub sampler_feedback_tier: SamplerFeedbackTier,
    /// How many bytes of groupshared memory a group can have, which bounds `[GroupSharedLimit]`
    /// (`MaxGroupSharedMemoryPerGroupCS`).
    pub max_group_shared_memory: u32,
}

/// The wave widths of an adapter: every power of two from `min` to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneCounts {
    /// The smallest width, by which a portable shader sizes its work.
    pub min: u32,
    /// The largest width.
    pub max: u32,
}

/// `D3D12_SAMPLER_FEEDBACK_TIER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SamplerFeedbackTier {
    /// No sampler feedback.
    NotSupported,
    /// Feedback of samplers that wrap or clamp. What other samplers record is undefined, which only the sanitizer
    /// reports.
    Tier0_9,
    /// Feedback of all samplers.
    Tier1_0,
}

impl fmt::Display for SamplerFeedbackTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SamplerFeedbackTier::NotSupported => "no",
            SamplerFeedbackTier::Tier0_9 => "0.9",
            SamplerFeedbackTier::Tier1_0 => "1.0",
        })
    }
}

/// `D3D12_RAYTRACING_TIER`. Tier 1.0 has no ray queries and is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RaytracingTier {
    /// No ray tracing.
    NotSupported,
    /// Ray queries in every stage.
    Tier1_1,
}

impl fmt::Display for RaytracingTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RaytracingTier::NotSupported => "no",
            RaytracingTier::Tier1_1 => "1.1",
        })
    }
}

impl Adapter {
    /// The adapter of the reference engine: everything, at widths 4 to 128.
    pub fn reference() -> Adapter {
        Adapter {
            name: "reference".to_owned(),
            shader_model: ShaderModel::HIGHEST,
            wave_ops: true,
            wave_lane_count: LaneCounts { min: 4, max: 128 },
            // One wave runs at a time, whatever its width.
            total_lane_count: 128,
            double_precision_float_shader_ops: true,
            int64_shader_ops: true,
            native_16bit_shader_ops: true,
            raytracing_tier: RaytracingTier::Tier1_1,
            sampler_feedback_tier: SamplerFeedbackTier::Tier1_0,
            max_group_shared_memory: 1 << 20,
        }
    }

    /// The intersection of two adapters' caps.
    pub fn within(&self, other: &Adapter) -> Adapter {
        let (mine, its) = (self.wave_lane_count, other.wave_lane_count);
        Adapter {
            name: other.name.clone(),
            shader_model: self.shader_model.min(other.shader_model),
            wave_ops: self.wave_ops && other.wave_ops,
            wave_lane_count: LaneCounts { min: mine.min.max(its.min), max: mine.max.min(its.max) },
            total_lane_count: other.total_lane_count,
            double_precision_float_shader_ops: self.double_precision_float_shader_ops
                && other.double_precision_float_shader_ops,
            int64_shader_ops: self.int64_shader_ops && other.int64_shader_ops,
            native_16bit_shader_ops: self.native_16bit_shader_ops && other.native_16bit_shader_ops,
            raytracing_tier: self.raytracing_tier.min(other.raytracing_tier),
            sampler_feedback_tier: self.sampler_feedback_tier.min(other.sampler_feedback_tier),
            max_group_shared_memory: self
                .max_group_shared_memory
                .min(other.max_group_shared_memory),
        }
    }

    /// Whether the values can belong to a device.
    pub fn check(&self) -> Result<(), AdapterError> {
        let LaneCounts { min, max } = self.wave_lane_count;
        for count in [min, max] {
            if !count.is_power_of_two() || !(4..=128).contains(&count) {
                return Err(AdapterError::LaneCount(count));
            }
        }
        if min > max {
            return Err(AdapterError::EmptyRange { min, max });
        }
        Ok(())
    }
}

impl LaneCounts {
    /// The widths in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (2..=7).map(|log| 1 << log).filter(move |width| self.contains(*width))
    }

    /// Whether a wave may be that wide.
    pub fn contains(self, width: u32) -> bool {
        width.is_power_of_two() && (self.min..=self.max).contains(&width)
    }
}

impl fmt::Display for LaneCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            write!(f, "{}", self.min)
        } else {
            write!(f, "{} to {}", self.min, self.max)
        }
    }
}

/// An invalid combination of caps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterError {
    /// A lane count that is not a power of two from 4 to 128.
    LaneCount(u32),
    /// The smallest width is larger than the largest.
    EmptyRange {
        /// The smallest width.
        min: u32,
        /// The largest width.
        max: u32,
    },
}

impl fmt::Display for AdapterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdapterError::LaneCount(count) => {
                write!(f, "a lane count is a power of two from 4 to 128, not {count}")
            }
            AdapterError::EmptyRange { min, max } => {
                write!(f, "the range of lane counts from {min} to {max} is empty")
            }
        }
    }
}

impl std::error::Error for AdapterError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_counts_are_powers_of_two_from_4_to_128() {
        let check = |min, max| {
            let mut adapter = Adapter::reference();
            adapter.wave_lane_count = LaneCounts { min, max };
            adapter.check()
        };
        assert_eq!(check(4, 128), Ok(()));
        assert_eq!(check(32, 32), Ok(()));
        assert_eq!(check(2, 32), Err(AdapterError::LaneCount(2)));
        assert_eq!(check(4, 48), Err(AdapterError::LaneCount(48)));
        assert_eq!(check(0, 0), Err(AdapterError::LaneCount(0)));
        assert_eq!(check(64, 32), Err(AdapterError::EmptyRange { min: 64, max: 32 }));
        let widths: Vec<u32> = LaneCounts { min: 8, max: 64 }.iter().collect();
        assert_eq!(widths, [8, 16, 32, 64]);
    }
}
