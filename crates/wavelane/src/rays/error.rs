//! Why an acceleration structure cannot be built.

use std::fmt;

use ops::ray::Refusal;

use crate::texture::Format;

/// Why an acceleration structure cannot be built or updated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// The adapter has no ray tracing.
    NotSupported {
        /// Its name.
        adapter: String,
    },
    /// Vertices cannot have this format.
    Format {
        /// Which geometry.
        geometry: usize,
        /// Its format.
        format: Format,
    },
    /// Elements of a buffer overlap.
    Stride {
        /// Which geometry.
        geometry: usize,
        /// Its stride.
        stride: usize,
        /// The size of an element.
        size: usize,
    },
    /// A buffer is too short for its counts.
    TooShort {
        /// Which geometry.
        geometry: usize,
        /// What the buffer holds.
        what: &'static str,
        /// The number of elements.
        count: usize,
        /// How many bytes they take.
        needs: usize,
        /// The size of the buffer.
        has: usize,
    },
    /// The data is undefined or beyond a limit.
    Refused(Refusal),
    /// The address of an instance record is not that of a bottom level.
    UnknownAddress(u64),
    /// An update changes what it must not.
    BadUpdate(String),
}

impl BuildError {
    /// The geometry that the error is about, if it is about one.
    pub fn geometry(&self) -> Option<usize> {
        match self {
            BuildError::Format { geometry, .. }
            | BuildError::Stride { geometry, .. }
            | BuildError::TooShort { geometry, .. } => Some(*geometry),
            BuildError::Refused(refusal) => refusal.geometry(),
            BuildError::NotSupported { .. }
            | BuildError::UnknownAddress(_)
            | BuildError::BadUpdate(_) => None,
        }
    }
}

impl From<Refusal> for BuildError {
    fn from(refusal: Refusal) -> BuildError {
        BuildError::Refused(refusal)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NotSupported { adapter } => {
                write!(f, "the adapter `{adapter}` has no ray tracing (`RaytracingTier`)")
            }
            BuildError::Format { geometry, format } => write!(
                f,
                "the vertices of geometry {geometry} are {format}, which is not a vertex format of acceleration structures"
            ),
            BuildError::Stride { geometry, stride, size } => {
                write!(
                    f,
                    "the stride of geometry {geometry} is {stride} bytes, and an element takes {size}"
                )
            }
            BuildError::TooShort { geometry, what, count, needs, has } => write!(
                f,
                "{count} {what} of geometry {geometry} take {needs} bytes, and the buffer has {has}"
            ),
            BuildError::Refused(refusal) => refusal.fmt(f),
            BuildError::UnknownAddress(address) => {
                write!(f, "no bottom level has the address 0x{address:x}")
            }
            BuildError::BadUpdate(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for BuildError {}
