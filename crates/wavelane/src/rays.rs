//! Acceleration structures, in the shape of Direct3D: bottom levels of triangles or boxes, and top levels of instances.
//!
//! Both are immutable and are built at once, from bytes; a top level keeps its bottom levels alive, and an update is a
//! new build under Direct3D's constraints. What queries find in them is defined in `docs/rays.md`.
//!
//! Deliberately absent: sizes of scratch memory, compaction and serialisation, which no result depends on; opacity
//! micromaps, clusters, motion and spheres.
//!
//! ```
//! use wavelane::rays::{BuildOptions, Geometry, GeometryFlags, Instance, Triangles};
//! use wavelane::{Adapter, Device};
//!
//! let device = Device::new(Adapter::reference());
//! let corners: [f32; 9] = [0.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0];
//! let bytes: Vec<u8> = corners.iter().flat_map(|it| it.to_le_bytes()).collect();
//! let triangle = Geometry::triangles(Triangles::new(&bytes, 3)).with_flags(GeometryFlags::OPAQUE);
//! let bottom = device.build_bottom_level(&[triangle], BuildOptions::default())?;
//! let scene = device.build_top_level(&[Instance::new(&bottom)], BuildOptions::default())?;
//! assert_eq!(scene.instance_count(), 1);
//! # Ok::<(), wavelane::rays::BuildError>(())
//! ```

mod error;
mod vertices;

use std::sync::Arc;

use ir::exec::{SharedScene, What};
use ops::ray::{self, Bottom, BottomOptions, GeometryData, Scene};

use crate::memory::Slot;
use crate::texture::{Channels, Encoding, Format};
use crate::{Adapter, Bindable, Device};

pub use crate::graphics::IndexFormat;
pub use error::BuildError;
pub use ops::ray::{InstanceProblem, Refusal};

/// `D3D12_RAYTRACING_GEOMETRY_FLAGS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeometryFlags(pub u32);

impl GeometryFlags {
    /// No flag: shaders judge every hit.
    pub const NONE: GeometryFlags = GeometryFlags(0);
    /// Hits of triangles are committed without the shader.
    pub const OPAQUE: GeometryFlags = GeometryFlags(ray::geometry_flag::OPAQUE);
    /// A triangle is a candidate at most once. Here this is always the case; the sanitizer offers other triangles
    /// twice.
    pub const NO_DUPLICATE_ANYHIT_INVOCATION: GeometryFlags =
        GeometryFlags(ray::geometry_flag::NO_DUPLICATE_ANYHIT_INVOCATION);
}

/// `D3D12_RAYTRACING_INSTANCE_FLAGS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceFlags(pub u8);

impl InstanceFlags {
    /// No flag.
    pub const NONE: InstanceFlags = InstanceFlags(0);
    /// Ray flags cull no faces of this instance.
    pub const TRIANGLE_CULL_DISABLE: InstanceFlags =
        InstanceFlags(ray::instance_flag::TRIANGLE_CULL_DISABLE as u8);
    /// Front faces are those whose vertices run counterclockwise.
    pub const TRIANGLE_FRONT_COUNTERCLOCKWISE: InstanceFlags =
        InstanceFlags(ray::instance_flag::TRIANGLE_FRONT_COUNTERCLOCKWISE as u8);
    /// All geometries are opaque.
    pub const FORCE_OPAQUE: InstanceFlags = InstanceFlags(ray::instance_flag::FORCE_OPAQUE as u8);
    /// No geometry is opaque.
    pub const FORCE_NON_OPAQUE: InstanceFlags =
        InstanceFlags(ray::instance_flag::FORCE_NON_OPAQUE as u8);
}

impl std::ops::BitOr for InstanceFlags {
    type Output = InstanceFlags;

    fn bitor(self, other: InstanceFlags) -> InstanceFlags {
        InstanceFlags(self.0 | other.0)
    }
}

impl std::ops::BitOr for GeometryFlags {
    type Output = GeometryFlags;

    fn bitor(self, other: GeometryFlags) -> GeometryFlags {
        GeometryFlags(self.0 | other.0)
    }
}

/// How a structure is built: the part of `D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS` that has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// `ALLOW_UPDATE`: the structure can be updated.
    pub allow_update: bool,
    /// `ALLOW_DATA_ACCESS`: shaders may read the positions of vertices.
    pub data_access: bool,
}

impl Default for BuildOptions {
    /// No updates, and access to vertices.
    fn default() -> BuildOptions {
        BuildOptions { allow_update: false, data_access: true }
    }
}

/// `D3D12_RAYTRACING_GEOMETRY_DESC`.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// What it consists of.
    pub kind: GeometryKind<'a>,
    /// Whether it is opaque.
    pub flags: GeometryFlags,
}

/// What a geometry consists of.
#[derive(Clone, Copy, Debug)]
pub enum GeometryKind<'a> {
    /// A list of triangles.
    Triangles(Triangles<'a>),
    /// Boxes around procedural primitives.
    Boxes(Boxes<'a>),
}

/// `D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC`.
#[derive(Clone, Copy, Debug)]
pub struct Triangles<'a> {
    /// The bytes of the vertex buffer, from the first vertex on.
    pub vertices: &'a [u8],
    /// Of a vertex: two to four floats of 32 or 16 bits, or two to four normalised integers of 16, 10 or 8 bits. A
    /// fourth component is ignored, a missing third is 0.
    pub format: Format,
    /// From one vertex to the next, in bytes.
    pub stride: usize,
    /// The number of vertices.
    pub count: usize,
    /// Without indices, every three vertices are a triangle.
    pub indices: Option<Indices<'a>>,
    /// Three rows of four, applied to the vertices.
    pub transform: Option<[f32; 12]>,
}

/// An index buffer of a geometry.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    /// The bytes of the index buffer, from the first index on.
    pub bytes: &'a [u8],
    /// The size of an index.
    pub format: IndexFormat,
    /// The number of indices.
    pub count: usize,
}

/// `D3D12_RAYTRACING_GEOMETRY_AABBS_DESC`: each box is six floats, the least corner and the greatest.
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    /// The bytes of the buffer, from the first box on.
    pub bytes: &'a [u8],
    /// From one box to the next, in bytes.
    pub stride: usize,
    /// The number of boxes.
    pub count: usize,
}

/// A bottom-level acceleration structure. A clone is the same structure.
#[derive(Clone, Debug)]
pub struct BottomLevel {
    pub(crate) bottom: Arc<Bottom>,
    options: BuildOptions,
    /// What an update must leave as it is.
    outline: Arc<[Outline]>,
}

/// The format of vertices, the number of vertices and of indices, and whether there is a transform.
type TriangleOutline = (Format, usize, Option<(IndexFormat, usize)>, bool);

/// What an update of a geometry must leave as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Outline {
    flags: GeometryFlags,
    /// Boxes have none.
    triangles: Option<TriangleOutline>,
    primitives: usize,
}

/// `D3D12_RAYTRACING_INSTANCE_DESC`.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// From the instance's space into the world: three rows of four.
    pub transform: [f32; 12],
    /// `InstanceID`, cut to 24 bits.
    pub id: u32,
    /// `InstanceMask`.
    pub mask: u8,
    /// `InstanceContributionToHitGroupIndex`, cut to 24 bits.
    pub contribution: u32,
    /// About faces and opacity.
    pub flags: InstanceFlags,
    /// Without a bottom level, the instance is inactive.
    pub bottom: Option<&'a BottomLevel>,
}

/// A top-level acceleration structure, which can be bound as a `RaytracingAccelerationStructure`. A clone is the same
/// structure.
#[derive(Clone, Debug)]
pub struct TopLevel {
    pub(crate) scene: Arc<Scene>,
    options: BuildOptions,
}

/// The size of an instance record in bytes.
pub const INSTANCE_BYTES: usize = 64;

impl<'a> Geometry<'a> {
    /// A geometry of triangles without flags.
    pub fn triangles(triangles: Triangles<'a>) -> Geometry<'a> {
        Geometry { kind: GeometryKind::Triangles(triangles), flags: GeometryFlags::NONE }
    }

    /// A geometry of boxes without flags.
    pub fn boxes(boxes: Boxes<'a>) -> Geometry<'a> {
        Geometry { kind: GeometryKind::Boxes(boxes), flags: GeometryFlags::NONE }
    }

    /// The same geometry with these flags.
    pub fn with_flags(self, flags: GeometryFlags) -> Geometry<'a> {
        Geometry { flags, ..self }
    }
}

impl<'a> Triangles<'a> {
    /// `count` vertices of three floats, one after the other.
    pub fn new(vertices: &'a [u8], count: usize) -> Triangles<'a> {
        let format = Format::Plain { channels: Channels::Rgb, bits: 32, encoding: Encoding::Float };
        Triangles { vertices, format, stride: 12, count, indices: None, transform: None }
    }
}

impl<'a> Boxes<'a> {
    /// `count` boxes, one after the other.
    pub fn new(bytes: &'a [u8], count: usize) -> Boxes<'a> {
        Boxes { bytes, stride: vertices::BOX_BYTES, count }
    }
}

impl<'a> Instance<'a> {
    /// An instance at the origin that every ray may hit.
    pub fn new(bottom: &'a BottomLevel) -> Instance<'a> {
        Instance {
            transform: ray::IDENTITY,
            id: 0,
            mask: 0xff,
            contribution: 0,
            flags: InstanceFlags::NONE,
            bottom: Some(bottom),
        }
    }

    /// An instance as a record of 64 bytes describes it. `find` gives the bottom level that an address names, except
    /// for the address 0, which names none.
    pub fn from_record(
        record: &[u8; INSTANCE_BYTES],
        find: impl FnOnce(u64) -> Option<&'a BottomLevel>,
    ) -> Result<Instance<'a>, BuildError> {
        let (words, _) = record.as_chunks::<4>();
        let word = |at: usize| u32::from_le_bytes(words[at]);
        let address = u64::from(word(14)) | u64::from(word(15)) << 32;
        let bottom = match address {
            0 => None,
            _ => Some(find(address).ok_or(BuildError::UnknownAddress(address))?),
        };
        Ok(Instance {
            transform: std::array::from_fn(|at| f32::from_bits(word(at))),
            id: word(12) & 0xff_ffff,
            mask: (word(12) >> 24) as u8,
            contribution: word(13) & 0xff_ffff,
            flags: InstanceFlags((word(13) >> 24) as u8),
            bottom,
        })
    }
}

impl Device {
    /// Builds a bottom level. The error names the geometry and what is wrong with its data.
    pub fn build_bottom_level(
        &self,
        geometries: &[Geometry<'_>],
        options: BuildOptions,
    ) -> Result<BottomLevel, BuildError> {
        check_tier(self.adapter())?;
        BottomLevel::build(geometries, options)
    }

    /// Builds a top level. It keeps its bottom levels alive.
    pub fn build_top_level(
        &self,
        instances: &[Instance<'_>],
        options: BuildOptions,
    ) -> Result<TopLevel, BuildError> {
        check_tier(self.adapter())?;
        TopLevel::build(instances, options)
    }
}

fn check_tier(adapter: &Adapter) -> Result<(), BuildError> {
    match adapter.raytracing_tier {
        crate::RaytracingTier::NotSupported => {
            Err(BuildError::NotSupported { adapter: adapter.name.clone() })
        }
        crate::RaytracingTier::Tier1_1 => Ok(()),
    }
}

impl BottomLevel {
    pub(crate) fn build(
        geometries: &[Geometry<'_>],
        options: BuildOptions,
    ) -> Result<BottomLevel, BuildError> {
        // Decoded one after the other: all of them are alive until the structure is built.
        let decoded: Vec<vertices::Decoded> = geometries
            .iter()
            .enumerate()
            .map(|(at, it)| vertices::decode(at, &it.kind))
            .collect::<Result<_, _>>()?;
        let geometry_data: Vec<ray::Geometry<'_>> = decoded
            .iter()
            .zip(geometries)
            .map(|(it, given)| ray::Geometry { data: it.data(), flags: given.flags.0 })
            .collect();
        let bottom =
            Bottom::build(&geometry_data, BottomOptions { data_access: options.data_access })?;
        let outline =
            geometries.iter().zip(&geometry_data).map(|(given, it)| given.outline(&it.data));
        Ok(BottomLevel { bottom, options, outline: outline.collect() })
    }

    /// A new structure in place of this one. Only positions, transforms and boxes may differ: counts, formats, flags
    /// and which primitives are active must be those of the build, which must have allowed updates.
    pub fn update(&self, geometries: &[Geometry<'_>]) -> Result<BottomLevel, BuildError> {
        let bad = |what: String| Err(BuildError::BadUpdate(what));
        if !self.options.allow_update {
            return bad("the structure was built without `ALLOW_UPDATE`".to_owned());
        }
        let updated = BottomLevel::build(geometries, self.options)?;
        if self.outline.len() != updated.outline.len() {
            let (was, is) = (self.outline.len(), updated.outline.len());
            return bad(format!("the structure has {was} geometries, not {is}"));
        }
        let pairs = self.outline.iter().zip(updated.outline.iter());
        if let Some(at) = pairs.clone().position(|(was, is)| was != is) {
            return bad(format!(
                "geometry {at} has another kind, format, count or flag than at the build"
            ));
        }
        let mut first = 0;
        for (geometry, outline) in self.outline.iter().enumerate() {
            for primitive in 0..outline.primitives {
                let at = first + primitive;
                if self.bottom.is_active(at) != updated.bottom.is_active(at) {
                    return bad(format!(
                        "primitive {primitive} of geometry {geometry} was {}, and an update cannot change that",
                        if self.bottom.is_active(at) { "active" } else { "inactive" }
                    ));
                }
            }
            first += outline.primitives;
        }
        Ok(updated)
    }

    /// The number of primitives in all geometries, inactive ones included.
    pub fn primitive_count(&self) -> usize {
        self.bottom.primitive_count()
    }
}

impl Geometry<'_> {
    fn outline(&self, data: &GeometryData<'_>) -> Outline {
        let (triangles, primitives) = match (&self.kind, data) {
            (GeometryKind::Triangles(it), GeometryData::Triangles { vertices, .. }) => {
                let indices = it.indices.map(|it| (it.format, it.count));
                let count = indices.map_or(vertices.len(), |(_, count)| count);
                (Some((it.format, it.count, indices, it.transform.is_some())), count / 3)
            }
            (GeometryKind::Triangles(_), _) => unreachable!("triangles are decoded as triangles"),
            (GeometryKind::Boxes(boxes), _) => (None, boxes.count),
        };
        Outline { flags: self.flags, triangles, primitives }
    }
}

impl TopLevel {
    pub(crate) fn build(
        instances: &[Instance<'_>],
        options: BuildOptions,
    ) -> Result<TopLevel, BuildError> {
        let instances: Vec<ray::Instance> = instances
            .iter()
            .map(|it| ray::Instance {
                transform: it.transform,
                id: it.id,
                mask: it.mask,
                contribution: it.contribution,
                flags: it.flags.0,
                bottom: it.bottom.map(|it| it.bottom.clone()),
            })
            .collect();
        Ok(TopLevel { scene: Arc::new(Scene::build(&instances)?), options })
    }

    /// A new structure in place of this one. The number of instances and which of them are active must be those of the
    /// build, which must have allowed updates.
    pub fn update(&self, instances: &[Instance<'_>]) -> Result<TopLevel, BuildError> {
        let bad = |what: String| Err(BuildError::BadUpdate(what));
        if !self.options.allow_update {
            return bad("the structure was built without `ALLOW_UPDATE`".to_owned());
        }
        let was = self.instance_count();
        if was != instances.len() {
            return bad(format!("the structure has {was} instances, not {}", instances.len()));
        }
        for (at, instance) in instances.iter().enumerate() {
            let before = u32::try_from(at).ok().and_then(|at| self.scene.instance(at));
            let was_active = before.is_some_and(|it| it.bottom.is_some());
            if was_active != instance.bottom.is_some() {
                return bad(format!(
                    "instance {at} was {}, and an update cannot change that",
                    if was_active { "active" } else { "inactive" }
                ));
            }
        }
        TopLevel::build(instances, self.options)
    }

    /// The number of instances, inactive ones included.
    pub fn instance_count(&self) -> usize {
        self.scene.instance_count()
    }

    /// The structure as bytes, for shaders whose queries are written out ([`crate::Shader::without_ray_queries`]);
    /// `None` if there would be over 4 GiB. `docs/rays.md` describes them.
    pub fn packed(&self) -> Option<Vec<u8>> {
        self.scene.packed()
    }

    /// What is undefined about instances, each with its index: transforms without an inverse, for example, whose
    /// instances are never hit.
    pub fn problems(&self) -> &[(usize, InstanceProblem)] {
        self.scene.problems()
    }
}

/// For the internal code, which treats everything that is bound alike.
impl From<&TopLevel> for Slot {
    fn from(level: &TopLevel) -> Slot {
        Slot::from(What::Scene(SharedScene(level.scene.clone())))
    }
}

impl From<&TopLevel> for Bindable {
    fn from(level: &TopLevel) -> Bindable {
        Bindable::from(Slot::from(level))
    }
}

impl From<TopLevel> for Bindable {
    fn from(level: TopLevel) -> Bindable {
        Bindable::from(&level)
    }
}

/// Two are equal if they are one and the same structure.
impl PartialEq for TopLevel {
    fn eq(&self, other: &TopLevel) -> bool {
        Arc::ptr_eq(&self.scene, &other.scene)
    }
}

#[cfg(test)]
mod tests;
