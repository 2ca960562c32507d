//! The capabilities of SPIR-V that a foreign module may declare, by number and name. What is not listed needs a feature
//! that no device is opened with here, and is refused by its number.

pub(super) fn name(number: u32) -> Option<&'static str> {
    TABLE.iter().find(|(it, _)| *it == number).map(|(_, name)| *name)
}

/// Whether an operation between lanes is asked for, which is all that active sets can be seen by.
pub(super) fn sees_lanes(number: u32) -> bool {
    name(number).is_some_and(|it| it.starts_with("GroupNonUniform") || it.starts_with("Subgroup"))
}

const TABLE: &[(u32, &str)] = &[
    (0, "Matrix"),
    (1, "Shader"),
    (9, "Float16"),
    (10, "Float64"),
    (11, "Int64"),
    (12, "Int64Atomics"),
    (22, "Int16"),
    (25, "ImageGatherExtended"),
    (27, "StorageImageMultisample"),
    (28, "UniformBufferArrayDynamicIndexing"),
    (29, "SampledImageArrayDynamicIndexing"),
    (30, "StorageBufferArrayDynamicIndexing"),
    (31, "StorageImageArrayDynamicIndexing"),
    (34, "ImageCubeArray"),
    (39, "Int8"),
    (42, "MinLod"),
    (43, "Sampled1D"),
    (44, "Image1D"),
    (45, "SampledCubeArray"),
    (46, "SampledBuffer"),
    (47, "ImageBuffer"),
    (48, "ImageMSArray"),
    (49, "StorageImageExtendedFormats"),
    (50, "ImageQuery"),
    (51, "DerivativeControl"),
    (55, "StorageImageReadWithoutFormat"),
    (56, "StorageImageWriteWithoutFormat"),
    (61, "GroupNonUniform"),
    (62, "GroupNonUniformVote"),
    (63, "GroupNonUniformArithmetic"),
    (64, "GroupNonUniformBallot"),
    (65, "GroupNonUniformShuffle"),
    (66, "GroupNonUniformShuffleRelative"),
    (67, "GroupNonUniformClustered"),
    (68, "GroupNonUniformQuad"),
    (4423, "SubgroupBallotKHR"),
    (4431, "SubgroupVoteKHR"),
    (4433, "StorageBuffer16BitAccess"),
    (4434, "UniformAndStorageBuffer16BitAccess"),
    (4441, "VariablePointersStorageBuffer"),
    (4442, "VariablePointers"),
    (4448, "StorageBuffer8BitAccess"),
    (4449, "UniformAndStorageBuffer8BitAccess"),
    (4464, "DenormPreserve"),
    (4465, "DenormFlushToZero"),
    (4466, "SignedZeroInfNanPreserve"),
    (4467, "RoundingModeRTE"),
    (4468, "RoundingModeRTZ"),
    (5016, "Int64ImageEXT"),
    (5288, "ComputeDerivativeGroupQuadsKHR"),
    (5297, "GroupNonUniformPartitionedEXT"),
    (5301, "ShaderNonUniform"),
    (5302, "RuntimeDescriptorArray"),
    (5304, "UniformTexelBufferArrayDynamicIndexing"),
    (5305, "StorageTexelBufferArrayDynamicIndexing"),
    (5306, "UniformBufferArrayNonUniformIndexing"),
    (5307, "SampledImageArrayNonUniformIndexing"),
    (5308, "StorageBufferArrayNonUniformIndexing"),
    (5309, "StorageImageArrayNonUniformIndexing"),
    (5311, "UniformTexelBufferArrayNonUniformIndexing"),
    (5312, "StorageTexelBufferArrayNonUniformIndexing"),
    (5345, "VulkanMemoryModel"),
    (5346, "VulkanMemoryModelDeviceScope"),
    (5350, "ComputeDerivativeGroupLinearKHR"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn every_number_stands_once_and_in_order() {
        assert!(super::TABLE.is_sorted_by(|a, b| a.0 < b.0));
        assert!(super::sees_lanes(61) && super::sees_lanes(4423) && !super::sees_lanes(1));
    }
}
