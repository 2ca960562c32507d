//! Why a scene is not built: what the specification leaves undefined about its data, and what goes beyond a limit.

use std::fmt;

/// What is wrong with the data of a scene. Geometries, primitives and instances are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A bottom level holds triangles or boxes.
    MixedKinds {
        geometry: usize,
    },
    /// Three vertices or indices make a triangle.
    NotTriangles {
        geometry: usize,
        count: usize,
        indexed: bool,
    },
    IndexOutOfRange {
        geometry: usize,
        position: usize,
        index: u32,
        vertices: usize,
    },
    /// A NaN elsewhere than in x, where it makes a primitive inactive.
    Nan {
        geometry: usize,
        primitive: usize,
    },
    NanTransform {
        geometry: usize,
    },
    UnknownFlags {
        geometry: usize,
        flags: u32,
    },
    TooManyGeometries(usize),
    TooManyPrimitives(usize),
    TooManyInstances(usize),
}

impl Refusal {
    /// The geometry that it is about, if it is about one.
    pub fn geometry(&self) -> Option<usize> {
        match *self {
            Refusal::MixedKinds { geometry }
            | Refusal::NotTriangles { geometry, .. }
            | Refusal::IndexOutOfRange { geometry, .. }
            | Refusal::Nan { geometry, .. }
            | Refusal::NanTransform { geometry }
            | Refusal::UnknownFlags { geometry, .. } => Some(geometry),
            Refusal::TooManyGeometries(_)
            | Refusal::TooManyPrimitives(_)
            | Refusal::TooManyInstances(_) => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Refusal::MixedKinds { geometry } => write!(
                f,
                "geometry {geometry} is not of the kind of those before it: a bottom level holds either triangles or boxes"
            ),
            Refusal::NotTriangles { geometry, count, indexed } => {
                let what = if indexed { "indices" } else { "vertices" };
                write!(f, "geometry {geometry} has {count} {what}, which is not a multiple of 3")
            }
            Refusal::IndexOutOfRange { geometry, position, index, vertices } => write!(
                f,
                "index {position} of geometry {geometry} is {index}, and the geometry has {vertices} vertices"
            ),
            Refusal::Nan { geometry, primitive } => write!(
                f,
                "primitive {primitive} of geometry {geometry} has a NaN: only a NaN in x is allowed, and makes a primitive inactive"
            ),
            Refusal::NanTransform { geometry } => {
                write!(f, "the transform of geometry {geometry} has a NaN")
            }
            Refusal::UnknownFlags { geometry, flags } => {
                write!(f, "geometry {geometry} has the unknown flags 0x{flags:x}")
            }
            Refusal::TooManyGeometries(count) => {
                write!(f, "{count} geometries in a bottom level, and at most 2^24 are allowed")
            }
            Refusal::TooManyPrimitives(count) => {
                write!(f, "{count} primitives in a bottom level, and at most 2^29 are allowed")
            }
            Refusal::TooManyInstances(count) => {
                write!(f, "{count} instances in a top level, and at most 2^24 are allowed")
            }
        }
    }
}

impl std::error::Error for Refusal {}
