//! The flags of `Barrier`: what it orders, and at which scope.

pub const UAV_MEMORY: u32 = 0x1;
pub const GROUP_SHARED_MEMORY: u32 = 0x2;
pub const GROUP_SYNC: u32 = 0x1;
pub const GROUP_SCOPE: u32 = 0x2;

/// Their names in the language.
pub(super) const NAMES: &[(&str, u32)] = &[
    ("UAV_MEMORY", UAV_MEMORY),
    ("GROUP_SHARED_MEMORY", GROUP_SHARED_MEMORY),
    ("NODE_INPUT_MEMORY", 0x4),
    ("NODE_OUTPUT_MEMORY", 0x8),
    ("ALL_MEMORY", 0xf),
    ("GROUP_SYNC", GROUP_SYNC),
    ("GROUP_SCOPE", GROUP_SCOPE),
    ("DEVICE_SCOPE", 0x4),
    ("REORDER_SCOPE", 0x8),
];
