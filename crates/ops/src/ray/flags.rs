//! Flags of rays, queries, instances and geometries: their names, their values, and which exclude each other. One
//! table for the front end (constants by name, errors), the sanitizer (findings) and the search.
//!
//! Names, values and exclusions are those of DirectX-Specs, `Raytracing.md`.

use std::fmt;

/// Ray flags, as `TraceRayInline` and the template argument of `RayQuery` take them.
pub mod ray_flag {
    pub const NONE: u32 = 0;
    pub const FORCE_OPAQUE: u32 = 0x1;
    pub const FORCE_NON_OPAQUE: u32 = 0x2;
    pub const ACCEPT_FIRST_HIT_AND_END_SEARCH: u32 = 0x4;
    pub const SKIP_CLOSEST_HIT_SHADER: u32 = 0x8;
    pub const CULL_BACK_FACING_TRIANGLES: u32 = 0x10;
    pub const CULL_FRONT_FACING_TRIANGLES: u32 = 0x20;
    pub const CULL_OPAQUE: u32 = 0x40;
    pub const CULL_NON_OPAQUE: u32 = 0x80;
    pub const SKIP_TRIANGLES: u32 = 0x100;
    pub const SKIP_PROCEDURAL_PRIMITIVES: u32 = 0x200;
    pub const FORCE_OMM_2_STATE: u32 = 0x400;
    /// All of them.
    pub const KNOWN: u32 = 0x7ff;
}

/// Flags of the second template argument of `RayQuery`. They have no effect here.
pub mod query_flag {
    pub const ALLOW_OPACITY_MICROMAPS: u32 = 0x1;
    pub const ALLOW_CLUSTERED_GEOMETRY: u32 = 0x2;
    /// All of them.
    pub const KNOWN: u32 = 0x3;
}

/// Flags of an instance. The two about opacity micromaps have no effect here.
pub mod instance_flag {
    pub const TRIANGLE_CULL_DISABLE: u32 = 0x1;
    pub const TRIANGLE_FRONT_COUNTERCLOCKWISE: u32 = 0x2;
    pub const FORCE_OPAQUE: u32 = 0x4;
    pub const FORCE_NON_OPAQUE: u32 = 0x8;
    pub const FORCE_OMM_2_STATE: u32 = 0x10;
    pub const DISABLE_OMMS: u32 = 0x20;
    /// All of them.
    pub const KNOWN: u32 = 0x3f;
}

/// Flags of a geometry.
pub mod geometry_flag {
    pub const OPAQUE: u32 = 0x1;
    pub const NO_DUPLICATE_ANYHIT_INVOCATION: u32 = 0x2;
    /// All of them.
    pub const KNOWN: u32 = 0x3;
}

/// A ray flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// In HLSL.
    pub name: &'static str,
    pub bits: u32,
    /// The flags that may not be set beside it.
    pub excludes: u32,
}

/// At most one of these may be set: what is opaque, and what of it is culled.
const OPACITY: u32 = ray_flag::FORCE_OPAQUE
    | ray_flag::FORCE_NON_OPAQUE
    | ray_flag::CULL_OPAQUE
    | ray_flag::CULL_NON_OPAQUE;
/// At most one of these may be set: which triangles are left out.
const FACES: u32 = ray_flag::CULL_BACK_FACING_TRIANGLES
    | ray_flag::CULL_FRONT_FACING_TRIANGLES
    | ray_flag::SKIP_TRIANGLES;
/// At most one of these may be set: which kind of primitive is left out.
const KINDS: u32 = ray_flag::SKIP_TRIANGLES | ray_flag::SKIP_PROCEDURAL_PRIMITIVES;

/// A row of [`FLAGS`]: a flag excludes all others of its groups.
const fn flag(name: &'static str, bits: u32) -> Flag {
    let mut excludes = 0;
    let groups = [OPACITY, FACES, KINDS];
    let mut group = 0;
    while group < groups.len() {
        if groups[group] & bits != 0 {
            excludes |= groups[group] & !bits;
        }
        group += 1;
    }
    Flag { name, bits, excludes }
}

/// Every ray flag, ascending by value.
pub static FLAGS: [Flag; 11] = [
    flag("RAY_FLAG_FORCE_OPAQUE", ray_flag::FORCE_OPAQUE),
    flag("RAY_FLAG_FORCE_NON_OPAQUE", ray_flag::FORCE_NON_OPAQUE),
    flag("RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH", ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH),
    flag("RAY_FLAG_SKIP_CLOSEST_HIT_SHADER", ray_flag::SKIP_CLOSEST_HIT_SHADER),
    flag("RAY_FLAG_CULL_BACK_FACING_TRIANGLES", ray_flag::CULL_BACK_FACING_TRIANGLES),
    flag("RAY_FLAG_CULL_FRONT_FACING_TRIANGLES", ray_flag::CULL_FRONT_FACING_TRIANGLES),
    flag("RAY_FLAG_CULL_OPAQUE", ray_flag::CULL_OPAQUE),
    flag("RAY_FLAG_CULL_NON_OPAQUE", ray_flag::CULL_NON_OPAQUE),
    flag("RAY_FLAG_SKIP_TRIANGLES", ray_flag::SKIP_TRIANGLES),
    flag("RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES", ray_flag::SKIP_PROCEDURAL_PRIMITIVES),
    flag("RAY_FLAG_FORCE_OMM_2_STATE", ray_flag::FORCE_OMM_2_STATE),
];

/// What is undefined about the ray flags of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagProblem {
    /// Both are set, and each excludes the other.
    Exclusive(&'static Flag, &'static Flag),
    /// A flag of pipelines, without a meaning for queries.
    NotInline(&'static Flag),
    /// Bits without a flag. The search ignores them.
    Unknown(u32),
}

/// What is undefined about flags (the template's and the dynamic ones together), if anything.
pub fn flag_problem(flags: u32) -> Option<FlagProblem> {
    let set = || FLAGS.iter().filter(|it| flags & it.bits != 0);
    for first in set() {
        if let Some(second) = set().find(|it| it.bits & first.excludes != 0) {
            return Some(FlagProblem::Exclusive(first, second));
        }
    }
    let inline = |it: &&Flag| it.bits == ray_flag::SKIP_CLOSEST_HIT_SHADER;
    if let Some(flag) = set().find(inline) {
        return Some(FlagProblem::NotInline(flag));
    }
    let unknown = flags & !ray_flag::KNOWN;
    (unknown != 0).then_some(FlagProblem::Unknown(unknown))
}

impl std::error::Error for FlagProblem {}

impl fmt::Display for FlagProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlagProblem::Exclusive(first, second) => {
                write!(f, "`{}` and `{}` exclude each other", first.name, second.name)
            }
            FlagProblem::NotInline(flag) => {
                write!(f, "`{}` is not allowed with `TraceRayInline`", flag.name)
            }
            FlagProblem::Unknown(bits) => write!(f, "unknown ray flags 0x{bits:x}"),
        }
    }
}

/// A constant that HLSL declares for ray queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    pub name: &'static str,
    pub value: u32,
    /// The enum that it belongs to in HLSL, or `uint`.
    pub ty: &'static str,
}

/// Every constant that HLSL declares for ray queries.
pub fn constants() -> impl Iterator<Item = Constant> {
    let flags = FLAGS.iter().map(|it| ("RAY_FLAG", it.name, it.bits));
    let others = [
        ("RAY_FLAG", "RAY_FLAG_NONE", 0),
        ("RAYQUERY_FLAG", "RAYQUERY_FLAG_NONE", 0),
        (
            "RAYQUERY_FLAG",
            "RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS",
            query_flag::ALLOW_OPACITY_MICROMAPS,
        ),
        (
            "RAYQUERY_FLAG",
            "RAYQUERY_FLAG_ALLOW_CLUSTERED_GEOMETRY",
            query_flag::ALLOW_CLUSTERED_GEOMETRY,
        ),
        ("CANDIDATE_TYPE", "CANDIDATE_NON_OPAQUE_TRIANGLE", 0),
        ("CANDIDATE_TYPE", "CANDIDATE_PROCEDURAL_PRIMITIVE", 1),
        ("COMMITTED_STATUS", "COMMITTED_NOTHING", 0),
        ("COMMITTED_STATUS", "COMMITTED_TRIANGLE_HIT", 1),
        ("COMMITTED_STATUS", "COMMITTED_PROCEDURAL_PRIMITIVE_HIT", 2),
        ("uint", "CLUSTER_ID_INVALID", super::CLUSTER_ID_INVALID),
    ];
    flags.chain(others).map(|(ty, name, value)| Constant { name, value, ty })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_one_group_exclude_each_other() {
        for first in &FLAGS {
            for second in &FLAGS {
                let both = flag_problem(first.bits | second.bits);
                let opacity = [0x1, 0x2, 0x40, 0x80];
                let faces = [0x10, 0x20, 0x100];
                let excluded = first.bits != second.bits
                    && (opacity.contains(&first.bits) && opacity.contains(&second.bits)
                        || faces.contains(&first.bits) && faces.contains(&second.bits)
                        || first.bits | second.bits == 0x300);
                assert_eq!(
                    matches!(both, Some(FlagProblem::Exclusive(..))),
                    excluded,
                    "{} {}",
                    first.name,
                    second.name
                );
            }
        }
    }

    #[test]
    fn other_flags_have_separate_problems() {
        assert_eq!(flag_problem(0x4 | 0x10 | 0x40), None);
        assert_eq!(flag_problem(0x8), Some(FlagProblem::NotInline(&FLAGS[3])));
        assert_eq!(flag_problem(0x1001), Some(FlagProblem::Unknown(0x1000)));
        let problem = flag_problem(0x300).map(|it| it.to_string());
        let expected = "`RAY_FLAG_SKIP_TRIANGLES` and `RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES` exclude each other";
        assert_eq!(problem.as_deref(), Some(expected));
    }

    #[test]
    fn the_table_has_every_known_bit() {
        assert_eq!(FLAGS.iter().fold(0, |all, it| all | it.bits), ray_flag::KNOWN);
        assert!(FLAGS.is_sorted_by_key(|it| it.bits));
        assert!(constants().any(|it| it.name == "RAY_FLAG_SKIP_TRIANGLES" && it.value == 0x100));
    }
}
