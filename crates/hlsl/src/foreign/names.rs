//! The wave functions of other shading languages by name, which suggestions are taken from. What each is in HLSL, the
//! rules in `waves` say.

/// The functions of each language, as its specification lists them; those of no language are guesses.
pub(super) const WAVES: &[(&str, &str)] = &[
    (
        "GLSL",
        "subgroupBarrier subgroupMemoryBarrier subgroupMemoryBarrierBuffer subgroupMemoryBarrierShared \
      subgroupMemoryBarrierImage subgroupElect subgroupAll subgroupAny subgroupAllEqual subgroupBroadcast \
      subgroupBroadcastFirst subgroupBallot subgroupInverseBallot subgroupBallotBitExtract subgroupBallotBitCount \
      subgroupBallotInclusiveBitCount subgroupBallotExclusiveBitCount subgroupBallotFindLSB subgroupBallotFindMSB \
      subgroupShuffle subgroupShuffleXor subgroupShuffleUp subgroupShuffleDown subgroupRotate subgroupClusteredRotate \
      subgroupAdd subgroupMul subgroupMin subgroupMax subgroupAnd subgroupOr subgroupXor subgroupInclusiveAdd \
      subgroupInclusiveMul subgroupInclusiveMin subgroupInclusiveMax subgroupInclusiveAnd subgroupInclusiveOr \
      subgroupInclusiveXor subgroupExclusiveAdd subgroupExclusiveMul subgroupExclusiveMin subgroupExclusiveMax \
      subgroupExclusiveAnd subgroupExclusiveOr subgroupExclusiveXor subgroupClusteredAdd subgroupClusteredMul \
      subgroupClusteredMin subgroupClusteredMax subgroupClusteredAnd subgroupClusteredOr subgroupClusteredXor \
      subgroupQuadBroadcast subgroupQuadSwapHorizontal subgroupQuadSwapVertical subgroupQuadSwapDiagonal \
      subgroupQuadAll subgroupQuadAny subgroupPartitionNV subgroupPartitionedAddNV subgroupPartitionedInclusiveMinNV \
      subgroupPartitionedExclusiveXorNV ballotARB readInvocationARB readFirstInvocationARB anyInvocationARB \
      allInvocationsARB allInvocationsEqualARB addInvocationsAMD minInvocationsExclusiveScanAMD mbcntAMD \
      maxInvocationsInclusiveScanNonUniformAMD swizzleInvocationsAMD shuffleNV gl_SubgroupSize gl_SubgroupInvocationID \
      gl_SubgroupLtMask gl_NumSubgroups gl_SubgroupID",
    ),
    (
        "WGSL",
        "subgroupAdd subgroupExclusiveAdd subgroupInclusiveAdd subgroupAll subgroupAnd subgroupAny subgroupBallot \
      subgroupBroadcast subgroupBroadcastFirst subgroupElect subgroupMax subgroupMin subgroupMul subgroupExclusiveMul \
      subgroupInclusiveMul subgroupOr subgroupShuffle subgroupShuffleDown subgroupShuffleUp subgroupShuffleXor \
      subgroupXor quadBroadcast quadSwapDiagonal quadSwapX quadSwapY subgroup_size subgroup_invocation_id subgroup_id \
      num_subgroups",
    ),
    (
        "CUDA",
        "__all_sync __any_sync __ballot_sync __activemask __match_any_sync __match_all_sync __reduce_add_sync \
      __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync __shfl_sync \
      __shfl_up_sync __shfl_down_sync __shfl_xor_sync __syncwarp __all __any __ballot __shfl __shfl_up __shfl_down \
      __shfl_xor warpSize __lane_id tiled_partition coalesced_threads",
    ),
    (
        "OpenCL",
        "get_sub_group_size get_max_sub_group_size get_num_sub_groups get_sub_group_id get_sub_group_local_id \
      sub_group_barrier sub_group_all sub_group_any sub_group_broadcast sub_group_reduce_add sub_group_reduce_min \
      sub_group_reduce_max sub_group_scan_exclusive_add sub_group_scan_exclusive_min sub_group_scan_inclusive_add \
      sub_group_scan_inclusive_max sub_group_elect sub_group_non_uniform_all sub_group_non_uniform_all_equal \
      sub_group_non_uniform_broadcast sub_group_broadcast_first sub_group_ballot sub_group_inverse_ballot \
      sub_group_ballot_bit_extract sub_group_ballot_bit_count sub_group_ballot_inclusive_scan \
      sub_group_ballot_exclusive_scan sub_group_ballot_find_lsb sub_group_ballot_find_msb get_sub_group_eq_mask \
      sub_group_non_uniform_reduce_logical_and sub_group_non_uniform_scan_inclusive_xor sub_group_shuffle \
      sub_group_shuffle_xor sub_group_shuffle_up sub_group_shuffle_down sub_group_rotate \
      sub_group_clustered_reduce_mul intel_sub_group_shuffle",
    ),
    (
        "Metal",
        "simd_active_threads_mask simd_all simd_and simd_any simd_ballot simd_broadcast simd_broadcast_first \
      simd_is_first simd_is_helper_thread simd_max simd_min simd_or simd_prefix_exclusive_product \
      simd_prefix_exclusive_sum simd_prefix_inclusive_product simd_prefix_inclusive_sum simd_product simd_shuffle \
      simd_shuffle_and_fill_down simd_shuffle_and_fill_up simd_shuffle_down simd_shuffle_rotate_down \
      simd_shuffle_rotate_up simd_shuffle_up simd_shuffle_xor simd_sum simd_xor quad_all quad_and quad_any quad_ballot \
      quad_broadcast quad_broadcast_first quad_is_first quad_max quad_min quad_or quad_prefix_exclusive_sum \
      quad_product quad_shuffle quad_shuffle_down quad_shuffle_up quad_shuffle_xor quad_sum quad_xor \
      simdgroup_barrier threads_per_simdgroup thread_index_in_simdgroup",
    ),
    (
        "NVAPI",
        "NvShfl NvShflUp NvShflDown NvShflXor NvAny NvAll NvBallot NvGetLaneId NvActiveThreads NvWaveMatch \
      NvWaveMultiPrefixInclusiveAdd NvWaveMultiPrefixExclusiveAdd NvWaveMultiPrefixInclusiveAnd \
      NvWaveMultiPrefixExclusiveAnd NvWaveMultiPrefixInclusiveOr NvWaveMultiPrefixExclusiveOr \
      NvWaveMultiPrefixInclusiveXOr NvWaveMultiPrefixExclusiveXOr",
    ),
    (
        "AGS",
        "AmdDxExtShaderIntrinsics_ReadfirstlaneF AmdDxExtShaderIntrinsics_ReadfirstlaneU \
      AmdDxExtShaderIntrinsics_ReadlaneF AmdDxExtShaderIntrinsics_ReadlaneU AmdDxExtShaderIntrinsics_LaneId \
      AmdDxExtShaderIntrinsics_GetWaveSize AmdDxExtShaderIntrinsics_SwizzleF AmdDxExtShaderIntrinsics_SwizzleU \
      AmdDxExtShaderIntrinsics_Ballot AmdDxExtShaderIntrinsics_BallotAny AmdDxExtShaderIntrinsics_BallotAll \
      AmdDxExtShaderIntrinsics_MBCnt AmdDxExtShaderIntrinsics_WaveActiveSum AmdDxExtShaderIntrinsics_WaveActiveProduct \
      AmdDxExtShaderIntrinsics_WaveActiveMin AmdDxExtShaderIntrinsics_WaveActiveMax \
      AmdDxExtShaderIntrinsics_WaveActiveBitAnd AmdDxExtShaderIntrinsics_WaveActiveBitOr \
      AmdDxExtShaderIntrinsics_WaveActiveBitXor AmdDxExtShaderIntrinsics_WavePrefixSum \
      AmdDxExtShaderIntrinsics_WavePrefixProduct AmdDxExtShaderIntrinsics_WavePrefixMin \
      AmdDxExtShaderIntrinsics_WavePrefixMax AmdDxExtShaderIntrinsics_WavePostfixSum \
      AmdDxExtShaderIntrinsics_WavePostfixProduct AmdDxExtShaderIntrinsics_WavePostfixMin \
      AmdDxExtShaderIntrinsics_WavePostfixMax AmdDxExtShaderIntrinsics_WaveReduce AmdDxExtShaderIntrinsics_WaveScan \
      AmdExtD3DShaderIntrinsics_ReadfirstlaneF AmdExtD3DShaderIntrinsics_ReadfirstlaneU \
      AmdExtD3DShaderIntrinsics_ReadlaneAt AmdExtD3DShaderIntrinsics_ReadlaneF AmdExtD3DShaderIntrinsics_ReadlaneU \
      AmdExtD3DShaderIntrinsics_LaneId AmdExtD3DShaderIntrinsics_GetWaveSize AmdExtD3DShaderIntrinsics_Ballot \
      AmdExtD3DShaderIntrinsics_MBCnt AmdExtD3DShaderIntrinsics_SwizzleU AmdExtD3DShaderIntrinsics_WaveActiveSum \
      AmdExtD3DShaderIntrinsics_WavePrefixSum AmdExtD3DShaderIntrinsics_WavePostfixSum \
      AmdExtD3DShaderIntrinsics_WaveReduce AmdExtD3DShaderIntrinsics_WaveScan",
    ),
    (
        "",
        "WaveSum WaveProduct WaveMin WaveMax WaveBroadcast WaveBroadcastFirst WaveShuffle WaveShuffleXor WaveReadLane \
          WaveInclusiveSum WaveExclusiveSum WaveSize WaveReduceMax WaveLaneId WaveElect",
    ),
];
