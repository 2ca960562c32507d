//! The numbers of SPIR-V, each with its name: instructions with the layout of their operands, and the enumerants of
//! operands. It is the only table of them, used by the emitter, the listing, the reader of other compilers' modules and
//! the Vulkan engine. It has none of SPIR-V's rules, and only the numbers that are used.

/// An instruction for the emitter and the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    pub number: u16,
    pub name: &'static str,
    /// One letter for each operand: `T` result type, `R` result, `i` id, `l` number, `s` string, `C` capability,
    /// `D` decoration, `S` storage class, `B` built-in or number, `M` execution mode. The last one may repeat: `I` ids,
    /// `L` numbers, `P` alternately a number and an id.
    pub layout: &'static str,
}

/// The first word of a module.
pub const MAGIC: u32 = 0x0723_0203;

macro_rules! opcodes {
    ($($konst:ident $number:literal $name:literal $layout:literal)*) => {
        /// Every instruction that is emitted or read.
        pub const ALL: &[Opcode] = &[$($konst),*];
        $(pub const $konst: Opcode =
            Opcode { number: $number, name: $name, layout: $layout };)*
    };
}

macro_rules! enumerants {
    ($(#[$doc:meta])* $table:ident: $($konst:ident $number:literal $name:literal)*) => {
        $(#[$doc])*
        pub const $table: &[(u32, &str)] = &[$(($number, $name)),*];
        $(pub const $konst: u32 = $number;)*
    };
}

opcodes! {
    UNDEF 1 "Undef" "TR"
    SOURCE_CONTINUED 2 "SourceContinued" "s"
    SOURCE 3 "Source" "llis"
    NAME 5 "Name" "is"
    STRING 7 "String" "Rs"
    LINE 8 "Line" "ill"
    EXTENSION 10 "Extension" "s"
    EXT_INST_IMPORT 11 "ExtInstImport" "Rs"
    EXT_INST 12 "ExtInst" "TRilI"
    MEMORY_MODEL 14 "MemoryModel" "ll"
    ENTRY_POINT 15 "EntryPoint" "lisI"
    EXECUTION_MODE 16 "ExecutionMode" "iML"
    CAPABILITY 17 "Capability" "C"
    TYPE_VOID 19 "TypeVoid" "R"
    TYPE_BOOL 20 "TypeBool" "R"
    TYPE_INT 21 "TypeInt" "Rll"
    TYPE_FLOAT 22 "TypeFloat" "Rl"
    TYPE_VECTOR 23 "TypeVector" "Ril"
    TYPE_MATRIX 24 "TypeMatrix" "Ril"
    TYPE_IMAGE 25 "TypeImage" "RiL"
    TYPE_SAMPLER 26 "TypeSampler" "R"
    TYPE_SAMPLED_IMAGE 27 "TypeSampledImage" "Ri"
    TYPE_ARRAY 28 "TypeArray" "Rii"
    TYPE_RUNTIME_ARRAY 29 "TypeRuntimeArray" "Ri"
    TYPE_STRUCT 30 "TypeStruct" "RI"
    TYPE_POINTER 32 "TypePointer" "RSi"
    TYPE_FUNCTION 33 "TypeFunction" "RI"
    CONSTANT_TRUE 41 "ConstantTrue" "TR"
    CONSTANT_FALSE 42 "ConstantFalse" "TR"
    CONSTANT 43 "Constant" "TRL"
    CONSTANT_COMPOSITE 44 "ConstantComposite" "TRI"
    CONSTANT_NULL 46 "ConstantNull" "TR"
    SPEC_CONSTANT_TRUE 48 "SpecConstantTrue" "TR"
    SPEC_CONSTANT_FALSE 49 "SpecConstantFalse" "TR"
    SPEC_CONSTANT 50 "SpecConstant" "TRL"
    SPEC_CONSTANT_COMPOSITE 51 "SpecConstantComposite" "TRI"
    SPEC_CONSTANT_OP 52 "SpecConstantOp" "TRlI"
    FUNCTION 54 "Function" "TRli"
    FUNCTION_END 56 "FunctionEnd" ""
    VARIABLE 59 "Variable" "TRSI"
    IMAGE_TEXEL_POINTER 60 "ImageTexelPointer" "TRiii"
    LOAD 61 "Load" "TRi"
    STORE 62 "Store" "ii"
    ACCESS_CHAIN 65 "AccessChain" "TRiI"
    ARRAY_LENGTH 68 "ArrayLength" "TRil"
    DECORATE 71 "Decorate" "iDB"
    MEMBER_DECORATE 72 "MemberDecorate" "ilDB"
    VECTOR_EXTRACT_DYNAMIC 77 "VectorExtractDynamic" "TRii"
    COMPOSITE_CONSTRUCT 80 "CompositeConstruct" "TRI"
    COMPOSITE_EXTRACT 81 "CompositeExtract" "TRiL"
    SAMPLED_IMAGE 86 "SampledImage" "TRii"
    IMAGE_SAMPLE_IMPLICIT 87 "ImageSampleImplicitLod" "TRiilI"
    IMAGE_SAMPLE_EXPLICIT 88 "ImageSampleExplicitLod" "TRiilI"
    IMAGE_COMPARE_IMPLICIT 89 "ImageSampleDrefImplicitLod" "TRiiilI"
    IMAGE_COMPARE_EXPLICIT 90 "ImageSampleDrefExplicitLod" "TRiiilI"
    IMAGE_FETCH 95 "ImageFetch" "TRiilI"
    IMAGE_GATHER 96 "ImageGather" "TRiiilI"
    IMAGE_COMPARE_GATHER 97 "ImageDrefGather" "TRiiilI"
    IMAGE_READ 98 "ImageRead" "TRiilI"
    IMAGE_WRITE 99 "ImageWrite" "iiilI"
    IMAGE_QUERY_SIZE_OF_LEVEL 103 "ImageQuerySizeLod" "TRii"
    IMAGE_QUERY_SIZE 104 "ImageQuerySize" "TRi"
    IMAGE_QUERY_DETAIL 105 "ImageQueryLod" "TRii"
    IMAGE_QUERY_LEVELS 106 "ImageQueryLevels" "TRi"
    IMAGE_QUERY_SAMPLES 107 "ImageQuerySamples" "TRi"
    CONVERT_F_TO_U 109 "ConvertFToU" "TRi"
    CONVERT_F_TO_S 110 "ConvertFToS" "TRi"
    CONVERT_S_TO_F 111 "ConvertSToF" "TRi"
    CONVERT_U_TO_F 112 "ConvertUToF" "TRi"
    U_CONVERT 113 "UConvert" "TRi"
    S_CONVERT 114 "SConvert" "TRi"
    F_CONVERT 115 "FConvert" "TRi"
    BITCAST 124 "Bitcast" "TRi"
    S_NEGATE 126 "SNegate" "TRi"
    F_NEGATE 127 "FNegate" "TRi"
    I_ADD 128 "IAdd" "TRii"
    F_ADD 129 "FAdd" "TRii"
    I_SUB 130 "ISub" "TRii"
    F_SUB 131 "FSub" "TRii"
    I_MUL 132 "IMul" "TRii"
    F_MUL 133 "FMul" "TRii"
    U_DIV 134 "UDiv" "TRii"
    S_DIV 135 "SDiv" "TRii"
    F_DIV 136 "FDiv" "TRii"
    U_MOD 137 "UMod" "TRii"
    F_REM 140 "FRem" "TRii"
    LOGICAL_EQUAL 164 "LogicalEqual" "TRii"
    LOGICAL_NOT_EQUAL 165 "LogicalNotEqual" "TRii"
    LOGICAL_OR 166 "LogicalOr" "TRii"
    LOGICAL_AND 167 "LogicalAnd" "TRii"
    LOGICAL_NOT 168 "LogicalNot" "TRi"
    SELECT 169 "Select" "TRiii"
    I_EQUAL 170 "IEqual" "TRii"
    I_NOT_EQUAL 171 "INotEqual" "TRii"
    U_GREATER_THAN 172 "UGreaterThan" "TRii"
    S_GREATER_THAN 173 "SGreaterThan" "TRii"
    U_GREATER_THAN_EQUAL 174 "UGreaterThanEqual" "TRii"
    S_GREATER_THAN_EQUAL 175 "SGreaterThanEqual" "TRii"
    U_LESS_THAN 176 "ULessThan" "TRii"
    S_LESS_THAN 177 "SLessThan" "TRii"
    U_LESS_THAN_EQUAL 178 "ULessThanEqual" "TRii"
    S_LESS_THAN_EQUAL 179 "SLessThanEqual" "TRii"
    F_ORD_EQUAL 180 "FOrdEqual" "TRii"
    F_UNORD_NOT_EQUAL 183 "FUnordNotEqual" "TRii"
    F_ORD_LESS_THAN 184 "FOrdLessThan" "TRii"
    F_ORD_GREATER_THAN 186 "FOrdGreaterThan" "TRii"
    F_ORD_LESS_THAN_EQUAL 188 "FOrdLessThanEqual" "TRii"
    F_ORD_GREATER_THAN_EQUAL 190 "FOrdGreaterThanEqual" "TRii"
    SHIFT_RIGHT_LOGICAL 194 "ShiftRightLogical" "TRii"
    SHIFT_RIGHT_ARITHMETIC 195 "ShiftRightArithmetic" "TRii"
    SHIFT_LEFT_LOGICAL 196 "ShiftLeftLogical" "TRii"
    BITWISE_OR 197 "BitwiseOr" "TRii"
    BITWISE_XOR 198 "BitwiseXor" "TRii"
    BITWISE_AND 199 "BitwiseAnd" "TRii"
    NOT 200 "Not" "TRi"
    BIT_REVERSE 204 "BitReverse" "TRi"
    BIT_COUNT 205 "BitCount" "TRi"
    CONTROL_BARRIER 224 "ControlBarrier" "iii"
    MEMORY_BARRIER 225 "MemoryBarrier" "ii"
    ATOMIC_EXCHANGE 229 "AtomicExchange" "TRiiii"
    ATOMIC_COMPARE_EXCHANGE 230 "AtomicCompareExchange" "TRiiiiii"
    ATOMIC_I_ADD 234 "AtomicIAdd" "TRiiii"
    ATOMIC_S_MIN 236 "AtomicSMin" "TRiiii"
    ATOMIC_U_MIN 237 "AtomicUMin" "TRiiii"
    ATOMIC_S_MAX 238 "AtomicSMax" "TRiiii"
    ATOMIC_U_MAX 239 "AtomicUMax" "TRiiii"
    ATOMIC_AND 240 "AtomicAnd" "TRiiii"
    ATOMIC_OR 241 "AtomicOr" "TRiiii"
    ATOMIC_XOR 242 "AtomicXor" "TRiiii"
    PHI 245 "Phi" "TRI"
    LOOP_MERGE 246 "LoopMerge" "iil"
    SELECTION_MERGE 247 "SelectionMerge" "il"
    LABEL 248 "Label" "R"
    BRANCH 249 "Branch" "i"
    BRANCH_CONDITIONAL 250 "BranchConditional" "iii"
    SWITCH 251 "Switch" "iiP"
    RETURN 253 "Return" ""
    UNREACHABLE 255 "Unreachable" ""
    EXECUTION_MODE_ID 331 "ExecutionModeId" "iMI"
    GROUP_ELECT 333 "GroupNonUniformElect" "TRi"
    GROUP_ALL 334 "GroupNonUniformAll" "TRii"
    GROUP_ANY 335 "GroupNonUniformAny" "TRii"
    GROUP_ALL_EQUAL 336 "GroupNonUniformAllEqual" "TRii"
    GROUP_BROADCAST_FIRST 338 "GroupNonUniformBroadcastFirst" "TRii"
    GROUP_BALLOT 339 "GroupNonUniformBallot" "TRii"
    GROUP_BALLOT_BIT_COUNT 342 "GroupNonUniformBallotBitCount" "TRili"
    GROUP_SHUFFLE 345 "GroupNonUniformShuffle" "TRiii"
    GROUP_SHUFFLE_XOR 346 "GroupNonUniformShuffleXor" "TRiii"
    GROUP_SHUFFLE_UP 347 "GroupNonUniformShuffleUp" "TRiii"
    GROUP_I_ADD 349 "GroupNonUniformIAdd" "TRilI"
    GROUP_F_ADD 350 "GroupNonUniformFAdd" "TRilI"
    GROUP_I_MUL 351 "GroupNonUniformIMul" "TRilI"
    GROUP_F_MUL 352 "GroupNonUniformFMul" "TRilI"
    GROUP_S_MIN 353 "GroupNonUniformSMin" "TRilI"
    GROUP_U_MIN 354 "GroupNonUniformUMin" "TRilI"
    GROUP_F_MIN 355 "GroupNonUniformFMin" "TRilI"
    GROUP_S_MAX 356 "GroupNonUniformSMax" "TRilI"
    GROUP_U_MAX 357 "GroupNonUniformUMax" "TRilI"
    GROUP_F_MAX 358 "GroupNonUniformFMax" "TRilI"
    GROUP_AND 359 "GroupNonUniformBitwiseAnd" "TRilI"
    GROUP_OR 360 "GroupNonUniformBitwiseOr" "TRilI"
    GROUP_XOR 361 "GroupNonUniformBitwiseXor" "TRilI"
    GROUP_QUAD_BROADCAST 365 "GroupNonUniformQuadBroadcast" "TRiii"
    GROUP_QUAD_SWAP 366 "GroupNonUniformQuadSwap" "TRiii"
    TYPE_RAY_QUERY 4472 "TypeRayQueryKHR" "R"
    RAY_INITIALIZE 4473 "RayQueryInitializeKHR" "iiiiiiii"
    RAY_TERMINATE 4474 "RayQueryTerminateKHR" "i"
    RAY_GENERATE 4475 "RayQueryGenerateIntersectionKHR" "ii"
    RAY_CONFIRM 4476 "RayQueryConfirmIntersectionKHR" "i"
    RAY_PROCEED 4477 "RayQueryProceedKHR" "TRi"
    RAY_TYPE 4479 "RayQueryGetIntersectionTypeKHR" "TRii"
    GROUP_PARTITION 5296 "GroupNonUniformPartitionEXT" "TRi"
    RAY_POSITIONS 5340 "RayQueryGetIntersectionTriangleVertexPositionsKHR" "TRii"
    TYPE_ACCELERATION_STRUCTURE 5341 "TypeAccelerationStructureKHR" "R"
    BEGIN_INTERLOCK 5364 "BeginInvocationInterlockEXT" ""
    END_INTERLOCK 5365 "EndInvocationInterlockEXT" ""
    DEMOTE 5380 "DemoteToHelperInvocation" ""
    IS_HELPER 5381 "IsHelperInvocationEXT" "TR"
    RAY_T_MIN 6016 "RayQueryGetRayTMinKHR" "TRi"
    RAY_FLAGS 6017 "RayQueryGetRayFlagsKHR" "TRi"
    RAY_T 6018 "RayQueryGetIntersectionTKHR" "TRii"
    RAY_CUSTOM_INDEX 6019 "RayQueryGetIntersectionInstanceCustomIndexKHR" "TRii"
    RAY_INSTANCE 6020 "RayQueryGetIntersectionInstanceIdKHR" "TRii"
    RAY_SBT_OFFSET 6021 "RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR" "TRii"
    RAY_GEOMETRY 6022 "RayQueryGetIntersectionGeometryIndexKHR" "TRii"
    RAY_PRIMITIVE 6023 "RayQueryGetIntersectionPrimitiveIndexKHR" "TRii"
    RAY_BARYCENTRICS 6024 "RayQueryGetIntersectionBarycentricsKHR" "TRii"
    RAY_FRONT_FACE 6025 "RayQueryGetIntersectionFrontFaceKHR" "TRii"
    RAY_AABB_OPAQUE 6026 "RayQueryGetIntersectionCandidateAABBOpaqueKHR" "TRi"
    RAY_OBJECT_DIRECTION 6027 "RayQueryGetIntersectionObjectRayDirectionKHR" "TRii"
    RAY_OBJECT_ORIGIN 6028 "RayQueryGetIntersectionObjectRayOriginKHR" "TRii"
    RAY_WORLD_DIRECTION 6029 "RayQueryGetWorldRayDirectionKHR" "TRi"
    RAY_WORLD_ORIGIN 6030 "RayQueryGetWorldRayOriginKHR" "TRi"
    RAY_OBJECT_TO_WORLD 6031 "RayQueryGetIntersectionObjectToWorldKHR" "TRii"
    RAY_WORLD_TO_OBJECT 6032 "RayQueryGetIntersectionWorldToObjectKHR" "TRii"
}

enumerants! {
    /// Capabilities that a module may declare. A capability that is not listed needs a device feature that we never
    /// enable.
    CAPABILITIES:
    CAP_MATRIX 0 "Matrix"
    CAP_SHADER 1 "Shader"
    CAP_GEOMETRY 2 "Geometry"
    CAP_FLOAT16 9 "Float16"
    CAP_FLOAT64 10 "Float64"
    CAP_INT64 11 "Int64"
    CAP_INT64_ATOMICS 12 "Int64Atomics"
    CAP_INT16 22 "Int16"
    CAP_IMAGE_GATHER_EXTENDED 25 "ImageGatherExtended"
    CAP_STORAGE_IMAGE_MULTISAMPLE 27 "StorageImageMultisample"
    CAP_UNIFORM_BUFFER_DYNAMIC 28 "UniformBufferArrayDynamicIndexing"
    CAP_SAMPLED_IMAGE_DYNAMIC 29 "SampledImageArrayDynamicIndexing"
    CAP_STORAGE_BUFFER_DYNAMIC 30 "StorageBufferArrayDynamicIndexing"
    CAP_STORAGE_IMAGE_DYNAMIC 31 "StorageImageArrayDynamicIndexing"
    CAP_CLIP_DISTANCE 32 "ClipDistance"
    CAP_CULL_DISTANCE 33 "CullDistance"
    CAP_IMAGE_CUBE_ARRAY 34 "ImageCubeArray"
    CAP_SAMPLE_RATE 35 "SampleRateShading"
    CAP_INT8 39 "Int8"
    CAP_MIN_LOD 42 "MinLod"
    CAP_SAMPLED_1D 43 "Sampled1D"
    CAP_IMAGE_1D 44 "Image1D"
    CAP_SAMPLED_CUBE_ARRAY 45 "SampledCubeArray"
    CAP_SAMPLED_BUFFER 46 "SampledBuffer"
    CAP_IMAGE_BUFFER 47 "ImageBuffer"
    CAP_IMAGE_MS_ARRAY 48 "ImageMSArray"
    CAP_STORAGE_IMAGE_EXTENDED 49 "StorageImageExtendedFormats"
    CAP_IMAGE_QUERY 50 "ImageQuery"
    CAP_DERIVATIVE_CONTROL 51 "DerivativeControl"
    CAP_INTERPOLATION 52 "InterpolationFunction"
    CAP_STORAGE_READ_ANY 55 "StorageImageReadWithoutFormat"
    CAP_STORAGE_WRITE_ANY 56 "StorageImageWriteWithoutFormat"
    CAP_MULTI_VIEWPORT 57 "MultiViewport"
    CAP_GROUP 61 "GroupNonUniform"
    CAP_GROUP_VOTE 62 "GroupNonUniformVote"
    CAP_GROUP_ARITHMETIC 63 "GroupNonUniformArithmetic"
    CAP_GROUP_BALLOT 64 "GroupNonUniformBallot"
    CAP_GROUP_SHUFFLE 65 "GroupNonUniformShuffle"
    CAP_GROUP_SHUFFLE_RELATIVE 66 "GroupNonUniformShuffleRelative"
    CAP_GROUP_NON_UNIFORM_CLUSTERED 67 "GroupNonUniformClustered"
    CAP_GROUP_QUAD 68 "GroupNonUniformQuad"
    CAP_SHADER_LAYER 69 "ShaderLayer"
    CAP_SHADER_VIEWPORT_INDEX 70 "ShaderViewportIndex"
    CAP_SUBGROUP_BALLOT_KHR 4423 "SubgroupBallotKHR"
    CAP_DRAW_PARAMETERS 4427 "DrawParameters"
    CAP_SUBGROUP_VOTE_KHR 4431 "SubgroupVoteKHR"
    CAP_STORAGE_16 4433 "StorageBuffer16BitAccess"
    CAP_UNIFORM_AND_STORAGE_BUFFER16_BIT_ACCESS 4434 "UniformAndStorageBuffer16BitAccess"
    CAP_VARIABLE_POINTERS_STORAGE_BUFFER 4441 "VariablePointersStorageBuffer"
    CAP_VARIABLE_POINTERS 4442 "VariablePointers"
    CAP_STORAGE_BUFFER8_BIT_ACCESS 4448 "StorageBuffer8BitAccess"
    CAP_UNIFORM_AND_STORAGE_BUFFER8_BIT_ACCESS 4449 "UniformAndStorageBuffer8BitAccess"
    CAP_DENORM_PRESERVE 4464 "DenormPreserve"
    CAP_DENORM_FLUSH_TO_ZERO 4465 "DenormFlushToZero"
    CAP_SIGNED_ZERO_INF_NAN 4466 "SignedZeroInfNanPreserve"
    CAP_ROUNDING_RTE 4467 "RoundingModeRTE"
    CAP_ROUNDING_MODE_RTZ 4468 "RoundingModeRTZ"
    CAP_RAY_QUERY 4472 "RayQueryKHR"
    CAP_RAY_CULLING 4478 "RayTraversalPrimitiveCullingKHR"
    CAP_STENCIL_EXPORT 5013 "StencilExportEXT"
    CAP_INT64_IMAGE 5016 "Int64ImageEXT"
    CAP_QUAD_CONTROL 5087 "QuadControlKHR"
    CAP_SHADER_VIEWPORT_INDEX_LAYER 5254 "ShaderViewportIndexLayerEXT"
    CAP_BARYCENTRIC 5284 "FragmentBarycentricKHR"
    CAP_COMPUTE_DERIVATIVE_GROUP_QUADS_KHR 5288 "ComputeDerivativeGroupQuadsKHR"
    CAP_GROUP_PARTITIONED 5297 "GroupNonUniformPartitionedEXT"
    CAP_SHADER_NON_UNIFORM 5301 "ShaderNonUniform"
    CAP_RUNTIME_DESCRIPTOR_ARRAY 5302 "RuntimeDescriptorArray"
    CAP_UNIFORM_TEXEL_DYNAMIC 5304 "UniformTexelBufferArrayDynamicIndexing"
    CAP_STORAGE_TEXEL_DYNAMIC 5305 "StorageTexelBufferArrayDynamicIndexing"
    CAP_UNIFORM_BUFFER_NON_UNIFORM 5306 "UniformBufferArrayNonUniformIndexing"
    CAP_SAMPLED_IMAGE_NON_UNIFORM 5307 "SampledImageArrayNonUniformIndexing"
    CAP_STORAGE_BUFFER_NON_UNIFORM 5308 "StorageBufferArrayNonUniformIndexing"
    CAP_STORAGE_IMAGE_NON_UNIFORM 5309 "StorageImageArrayNonUniformIndexing"
    CAP_UNIFORM_TEXEL_NON_UNIFORM 5311 "UniformTexelBufferArrayNonUniformIndexing"
    CAP_STORAGE_TEXEL_NON_UNIFORM 5312 "StorageTexelBufferArrayNonUniformIndexing"
    CAP_VULKAN_MEMORY_MODEL 5345 "VulkanMemoryModel"
    CAP_VULKAN_MEMORY_MODEL_DEVICE_SCOPE 5346 "VulkanMemoryModelDeviceScope"
    CAP_DERIVATIVES_IN_ROWS 5350 "ComputeDerivativeGroupLinearKHR"
    CAP_PIXEL_INTERLOCK 5378 "FragmentShaderPixelInterlockEXT"
    CAP_DEMOTE 5379 "DemoteToHelperInvocation"
    CAP_RAY_POSITIONS 5391 "RayQueryPositionFetchKHR"
}

enumerants! {
    /// Bits of the image operands mask.
    IMAGE_OPERANDS:
    OPERAND_LOD 0x2 "Lod"
    OPERAND_SAMPLE 0x40 "Sample"
}

enumerants! {
    /// Execution models of entry points.
    EXECUTION_MODELS:
    MODEL_VERTEX 0 "Vertex"
    MODEL_FRAGMENT 4 "Fragment"
    MODEL_COMPUTE 5 "GLCompute"
}

enumerants! {
    /// Decorations.
    DECORATIONS:
    SPEC_ID 1 "SpecId"
    BLOCK 2 "Block"
    BUFFER_BLOCK 3 "BufferBlock"
    ROW_MAJOR 4 "RowMajor"
    ARRAY_STRIDE 6 "ArrayStride"
    MATRIX_STRIDE 7 "MatrixStride"
    BUILT_IN 11 "BuiltIn"
    NO_PERSPECTIVE 13 "NoPerspective"
    FLAT 14 "Flat"
    CENTROID 16 "Centroid"
    SAMPLE 17 "Sample"
    ALIASED 20 "Aliased"
    COHERENT 23 "Coherent"
    NON_WRITABLE 24 "NonWritable"
    NON_READABLE 25 "NonReadable"
    LOCATION 30 "Location"
    INDEX 32 "Index"
    BINDING 33 "Binding"
    DESCRIPTOR_SET 34 "DescriptorSet"
    OFFSET 35 "Offset"
    NO_CONTRACTION 42 "NoContraction"
    PER_VERTEX 5285 "PerVertexKHR"
    NON_UNIFORM 5300 "NonUniform"
}

enumerants! {
    /// Storage classes.
    STORAGE_CLASSES:
    UNIFORM_CONSTANT 0 "UniformConstant"
    INPUT 1 "Input"
    UNIFORM 2 "Uniform"
    OUTPUT 3 "Output"
    WORKGROUP 4 "Workgroup"
    PRIVATE 6 "Private"
    FUNCTION_STORAGE 7 "Function"
    PUSH_CONSTANT 9 "PushConstant"
    IMAGE 11 "Image"
    STORAGE_BUFFER 12 "StorageBuffer"
}

enumerants! {
    /// Image formats, without those that no version of Vulkan supports.
    IMAGE_FORMATS:
    FORMAT_RGBA32F 1 "Rgba32f"
    FORMAT_RGBA16F 2 "Rgba16f"
    FORMAT_R32F 3 "R32f"
    FORMAT_RGBA8 4 "Rgba8"
    FORMAT_RGBA8_SNORM 5 "Rgba8Snorm"
    FORMAT_RG32F 6 "Rg32f"
    FORMAT_RG16F 7 "Rg16f"
    FORMAT_R11F_G11F_B10F 8 "R11fG11fB10f"
    FORMAT_R16F 9 "R16f"
    FORMAT_RGBA16 10 "Rgba16"
    FORMAT_RGB10_A2 11 "Rgb10A2"
    FORMAT_RG16 12 "Rg16"
    FORMAT_RG8 13 "Rg8"
    FORMAT_R16 14 "R16"
    FORMAT_R8 15 "R8"
    FORMAT_RGBA16_SNORM 16 "Rgba16Snorm"
    FORMAT_RG16_SNORM 17 "Rg16Snorm"
    FORMAT_RG8_SNORM 18 "Rg8Snorm"
    FORMAT_R16_SNORM 19 "R16Snorm"
    FORMAT_R8_SNORM 20 "R8Snorm"
    FORMAT_RGBA32I 21 "Rgba32i"
    FORMAT_RGBA16I 22 "Rgba16i"
    FORMAT_RGBA8I 23 "Rgba8i"
    FORMAT_R32I 24 "R32i"
    FORMAT_RG32I 25 "Rg32i"
    FORMAT_RG16I 26 "Rg16i"
    FORMAT_RG8I 27 "Rg8i"
    FORMAT_R16I 28 "R16i"
    FORMAT_R8I 29 "R8i"
    FORMAT_RGBA32UI 30 "Rgba32ui"
    FORMAT_RGBA16UI 31 "Rgba16ui"
    FORMAT_RGBA8UI 32 "Rgba8ui"
    FORMAT_R32UI 33 "R32ui"
    FORMAT_RGB10A2UI 34 "Rgb10a2ui"
    FORMAT_RG32UI 35 "Rg32ui"
    FORMAT_RG16UI 36 "Rg16ui"
    FORMAT_RG8UI 37 "Rg8ui"
    FORMAT_R16UI 38 "R16ui"
    FORMAT_R8UI 39 "R8ui"
    FORMAT_R64UI 40 "R64ui"
    FORMAT_R64I 41 "R64i"
}

enumerants! {
    /// Built-in variables.
    BUILT_INS:
    POSITION 0 "Position"
    POINT_SIZE 1 "PointSize"
    CLIP_DISTANCE 3 "ClipDistance"
    CULL_DISTANCE 4 "CullDistance"
    PRIMITIVE_ID 7 "PrimitiveId"
    LAYER 9 "Layer"
    VIEWPORT_INDEX 10 "ViewportIndex"
    FRAG_COORD 15 "FragCoord"
    FRONT_FACING 17 "FrontFacing"
    SAMPLE_ID 18 "SampleId"
    SAMPLE_MASK 20 "SampleMask"
    FRAG_DEPTH 22 "FragDepth"
    NUM_WORKGROUPS 24 "NumWorkgroups"
    WORKGROUP_SIZE 25 "WorkgroupSize"
    WORKGROUP_ID 26 "WorkgroupId"
    LOCAL_INVOCATION_ID 27 "LocalInvocationId"
    GLOBAL_INVOCATION_ID 28 "GlobalInvocationId"
    LOCAL_INVOCATION_INDEX 29 "LocalInvocationIndex"
    SUBGROUP_SIZE 36 "SubgroupSize"
    NUM_SUBGROUPS 38 "NumSubgroups"
    SUBGROUP_ID 40 "SubgroupId"
    SUBGROUP_LOCAL_INVOCATION_ID 41 "SubgroupLocalInvocationId"
    VERTEX_INDEX 42 "VertexIndex"
    INSTANCE_INDEX 43 "InstanceIndex"
    SUBGROUP_EQ_MASK 4416 "SubgroupEqMask"
    SUBGROUP_GE_MASK 4417 "SubgroupGeMask"
    SUBGROUP_GT_MASK 4418 "SubgroupGtMask"
    SUBGROUP_LE_MASK 4419 "SubgroupLeMask"
    SUBGROUP_LT_MASK 4420 "SubgroupLtMask"
    BASE_VERTEX 4424 "BaseVertex"
    BASE_INSTANCE 4425 "BaseInstance"
    FRAG_STENCIL_REF 5014 "FragStencilRefEXT"
    BARY_COORD 5286 "BaryCoordKHR"
    BARY_COORD_NO_PERSPECTIVE 5287 "BaryCoordNoPerspKHR"
}

enumerants! {
    /// Execution modes.
    EXECUTION_MODES:
    MODE_ORIGIN_UPPER_LEFT 7 "OriginUpperLeft"
    MODE_EARLY_TESTS 9 "EarlyFragmentTests"
    MODE_DEPTH_REPLACING 12 "DepthReplacing"
    MODE_DEPTH_GREATER 14 "DepthGreater"
    MODE_DEPTH_LESS 15 "DepthLess"
    MODE_LOCAL_SIZE 17 "LocalSize"
    MODE_LOCAL_SIZE_ID 38 "LocalSizeId"
    MODE_DENORM_PRESERVE 4459 "DenormPreserve"
    MODE_SIGNED_ZERO_INF_NAN 4461 "SignedZeroInfNanPreserve"
    MODE_ROUNDING_RTE 4462 "RoundingModeRTE"
    MODE_STENCIL_REF_REPLACING 5027 "StencilRefReplacingEXT"
    MODE_REQUIRE_FULL_QUADS 5089 "RequireFullQuadsKHR"
    MODE_DERIVATIVES_IN_ROWS 5290 "DerivativeGroupLinearKHR"
    MODE_PIXEL_INTERLOCK_ORDERED 5366 "PixelInterlockOrderedEXT"
    MODE_MAXIMALLY_RECONVERGES 6023 "MaximallyReconvergesKHR"
}

enumerants! {
    /// Instructions of `GLSL.std.450`.
    GLSL:
    GLSL_ROUND_EVEN 2 "RoundEven"
    GLSL_TRUNC 3 "Trunc"
    GLSL_FLOOR 8 "Floor"
    GLSL_CEIL 9 "Ceil"
    GLSL_SIN 13 "Sin"
    GLSL_COS 14 "Cos"
    GLSL_TAN 15 "Tan"
    GLSL_ASIN 16 "Asin"
    GLSL_ACOS 17 "Acos"
    GLSL_ATAN 18 "Atan"
    GLSL_SINH 19 "Sinh"
    GLSL_COSH 20 "Cosh"
    GLSL_TANH 21 "Tanh"
    GLSL_ATAN2 25 "Atan2"
    GLSL_POW 26 "Pow"
    GLSL_EXP 27 "Exp"
    GLSL_LOG 28 "Log"
    GLSL_EXP2 29 "Exp2"
    GLSL_LOG2 30 "Log2"
    GLSL_SQRT 31 "Sqrt"
    GLSL_INVERSE_SQRT 32 "InverseSqrt"
    GLSL_U_MIN 38 "UMin"
    GLSL_S_MIN 39 "SMin"
    GLSL_U_MAX 41 "UMax"
    GLSL_S_MAX 42 "SMax"
    GLSL_FMA 50 "Fma"
    GLSL_PACK_HALF 58 "PackHalf2x16"
    GLSL_UNPACK_HALF 62 "UnpackHalf2x16"
    GLSL_FIND_LSB 73 "FindILsb"
    GLSL_FIND_UMSB 75 "FindUMsb"
    GLSL_AT_CENTROID 76 "InterpolateAtCentroid"
    GLSL_AT_SAMPLE 77 "InterpolateAtSample"
    GLSL_AT_OFFSET 78 "InterpolateAtOffset"
    GLSL_N_MIN 79 "NMin"
    GLSL_N_MAX 80 "NMax"
}

/// The name of an enumerant of a table.
pub fn name_of(table: &[(u32, &'static str)], number: u32) -> Option<&'static str> {
    table.iter().find(|(it, _)| *it == number).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs_once() {
        let numbers: std::collections::BTreeSet<u16> = ALL.iter().map(|it| it.number).collect();
        assert_eq!(numbers.len(), ALL.len());
        for table in [
            CAPABILITIES,
            DECORATIONS,
            STORAGE_CLASSES,
            IMAGE_FORMATS,
            BUILT_INS,
            EXECUTION_MODES,
            EXECUTION_MODELS,
            IMAGE_OPERANDS,
            GLSL,
        ] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0), "{table:?}");
        }
    }
}
