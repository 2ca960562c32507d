//! The stages between the vertex shader and the rasterizer: which value of an earlier stage each of their inputs is.

use std::collections::BTreeSet;
use std::sync::Arc;

use ir::group::MeshIo;
use ir::stage::{
    Domain, Element, GeometryTraits, Holder, HullTraits, Partitioning, PatchTopology, StageTraits,
    SystemValue, slot_count, with_slots,
};
use ir::{Module, Op, Slot};
use ops::intrinsics::Stage;
use raster::{Kind, Topology};

use super::link::{name, names, scalar, type_name};
use super::{GraphicsDesc, GraphicsError};
use crate::Shader;
use crate::engines::{Backend, Program};

/// What an input of a stage holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Zero,
    /// An output of the stage before, of a vertex of the primitive or patch.
    Vertex {
        vertex: u32,
        slot: u32,
    },
    /// An output of the hull shader, of a control point.
    Point {
        point: u32,
        slot: u32,
    },
    /// A patch constant.
    Patch {
        slot: u32,
    },
    PrimitiveId,
    /// The number of the invocation: of an instance, or of a control point.
    Number,
    /// The place in the domain.
    Place(u8),
}

/// A stage between the vertex shader and the rasterizer.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) program: Arc<dyn Program>,
    /// How many slots its outputs have.
    pub(crate) outputs: u32,
    /// The inputs that its code reads.
    pub(crate) inputs: Vec<(Slot, Source)>,
}

/// The stages of tessellation.
#[derive(Clone, Debug)]
pub(crate) struct Tessellation {
    pub(crate) traits: HullTraits,
    pub(crate) hull: Step,
    /// The patch-constant function.
    pub(crate) constants: Step,
    pub(crate) domain: Step,
    /// The slots of the factors among the patch constants: of edges and of insides.
    pub(crate) factors: [Vec<u32>; 2],
}

/// A geometry shader.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub(crate) traits: GeometryTraits,
    pub(crate) step: Step,
    /// `SV_PrimitiveID` among the scalars of a vertex.
    pub(crate) primitive_id: Option<u32>,
}

/// A mesh shader, in place of the vertex shader.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    pub(crate) io: MeshIo,
    pub(crate) record_bytes: u32,
    pub(crate) program: Arc<dyn Program>,
    /// Among the slots of a primitive.
    pub(crate) cull: Option<u32>,
    pub(crate) primitive_id: Option<u32>,
    /// Whether the number of the group replaces that of the primitive.
    pub(crate) numbers_groups: bool,
    pub(crate) amplification: Option<Amplification>,
}

/// The shader in front of a mesh shader.
#[derive(Clone, Debug)]
pub(crate) struct Amplification {
    pub(crate) program: Arc<dyn Program>,
    pub(crate) record_bytes: u32,
    pub(crate) payload: u32,
}

/// The stages that a pipeline has beside a vertex and a pixel shader.
#[derive(Clone, Debug, Default)]
pub(crate) struct Between {
    pub(crate) tessellation: Option<Tessellation>,
    pub(crate) geometry: Option<Geometry>,
    pub(crate) mesh: Option<Mesh>,
}

impl Between {
    pub(crate) fn new(
        desc: &GraphicsDesc,
        backend: &dyn Backend,
    ) -> Result<Between, GraphicsError> {
        check_stages(desc)?;
        let mut between = Between::default();
        if desc.vertex.module.stage == Stage::Mesh {
            between.mesh = Some(Mesh::new(desc, backend)?);
            return Ok(between);
        }
        let mut before = outputs(&desc.vertex.module).to_vec();
        let mut made = desc.topology.vertices();
        if let (Some(hull), Some(domain)) = (&desc.hull, &desc.domain) {
            let tessellation = Tessellation::new(desc, [hull, domain], &before, backend)?;
            before = outputs(&domain.module).to_vec();
            made = tessellation.traits.topology.corners().into();
            between.tessellation = Some(tessellation);
        }
        if let Some(geometry) = &desc.geometry {
            between.geometry = Some(Geometry::new(geometry, &before, made, backend)?);
        }
        Ok(between)
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.tessellation.is_none() && self.geometry.is_none() && self.mesh.is_none()
    }

    /// What the rasterizer draws.
    pub(crate) fn kind(&self, topology: Topology) -> Kind {
        let of_corners = |corners: u8| match corners {
            1 => Kind::Point,
            2 => Kind::Line,
            _ => Kind::Triangle,
        };
        if let Some(mesh) = &self.mesh {
            return of_corners(mesh.io.corners);
        }
        if let Some(geometry) = &self.geometry {
            return of_corners(geometry.traits.streams.first().map_or(3, |it| it.corners));
        }
        match &self.tessellation {
            Some(it) => of_corners(it.traits.topology.corners()),
            None => topology.kind(),
        }
    }

    /// All programs.
    pub(crate) fn programs(&self) -> Vec<&Arc<dyn Program>> {
        let mut all = Vec::new();
        if let Some(it) = &self.tessellation {
            all.extend([&it.hull.program, &it.constants.program, &it.domain.program]);
        }
        all.extend(self.geometry.iter().map(|it| &it.step.program));
        if let Some(it) = &self.mesh {
            all.push(&it.program);
            all.extend(it.amplification.iter().map(|it| &it.program));
        }
        all
    }
}

/// The outputs that the rasterizer receives, with those of primitives after those of vertices, and whether it knows a
/// number of each primitive.
pub(crate) fn last_outputs(desc: &GraphicsDesc) -> (Vec<Element>, usize, bool) {
    if let Some(group) = &desc.vertex.module.group
        && let Some(mesh) = &group.mesh
    {
        let mut all = mesh.vertices.clone();
        let of_vertices = all.len();
        all.extend(mesh.primitives.iter().cloned());
        let is_id = |it: &Element| it.system == Some(SystemValue::PrimitiveId);
        let has_id = desc.numbers_groups || mesh.primitives.iter().any(is_id);
        return (all, of_vertices, has_id);
    }
    if let Some(geometry) = &desc.geometry {
        let all = match stage_traits(&geometry.module) {
            StageTraits::Geometry(it) => {
                it.streams.first().map_or(Vec::new(), |it| it.elements.clone())
            }
            _ => Vec::new(),
        };
        let has_id = all.iter().any(|it| it.system == Some(SystemValue::PrimitiveId));
        let count = all.len();
        return (all, count, has_id);
    }
    let last = desc.domain.as_ref().unwrap_or(&desc.vertex);
    let all = outputs(&last.module).to_vec();
    let count = all.len();
    (all, count, true)
}

fn outputs(module: &Module) -> &[Element] {
    module.io.as_ref().map_or(&[], |it| &it.outputs)
}

fn inputs(module: &Module) -> &[Element] {
    module.io.as_ref().map_or(&[], |it| &it.inputs)
}

fn stage_traits(module: &Module) -> &StageTraits {
    module.io.as_ref().map_or(&StageTraits::Plain, |it| &it.traits)
}

/// Checks which stages there are.
fn check_stages(desc: &GraphicsDesc) -> Result<(), GraphicsError> {
    let wrong = |problem: &str| Err(GraphicsError::Stages { problem: problem.to_owned() });
    let is_mesh = desc.vertex.module.stage == Stage::Mesh;
    let has_others = desc.hull.is_some() || desc.domain.is_some() || desc.geometry.is_some();
    if is_mesh && has_others {
        return wrong("a mesh shader takes the place of all stages before the rasterizer");
    }
    if desc.amplification.is_some() && !is_mesh {
        return wrong("an amplification shader needs a mesh shader");
    }
    if desc.hull.is_some() != desc.domain.is_some() {
        return wrong("a hull shader and a domain shader need each other");
    }
    let is_patches = matches!(desc.topology, Topology::PatchList(_));
    let reads_patch = desc.geometry.as_ref().is_some_and(
        |it| matches!(stage_traits(&it.module), StageTraits::Geometry(traits) if traits.reads_patch),
    );
    if is_patches && desc.hull.is_none() && !reads_patch {
        return wrong("a patch list needs a hull and a domain shader");
    }
    if !is_patches && desc.hull.is_some() {
        return wrong("a hull shader needs the topology of a patch list");
    }
    Ok(())
}

/// Finds where the inputs of a stage come from.
fn link(
    (stage, reader): (Stage, &'static str),
    module: &Module,
    before: &[Element],
    points: &[Element],
    constants: &[Element],
) -> Result<Vec<(Slot, Source)>, GraphicsError> {
    let read: BTreeSet<Slot> = module
        .insts
        .iter()
        .filter_map(|it| match it.op {
            Op::Input(slot) => Some(slot),
            _ => None,
        })
        .collect();
    let mut all = Vec::new();
    for (first, element) in with_slots(inputs(module)) {
        let slots = (0..element.components).map(|it| (it, Slot(first.0 + u32::from(it))));
        let slots: Vec<(u8, Slot)> = slots.filter(|it| read.contains(&it.1)).collect();
        let own = match element.system {
            Some(SystemValue::PrimitiveId) => Some(Source::PrimitiveId),
            Some(SystemValue::GsInstanceId | SystemValue::OutputControlPointId) => {
                Some(Source::Number)
            }
            Some(SystemValue::ViewId) => Some(Source::Zero),
            _ => None,
        };
        if element.system == Some(SystemValue::DomainLocation) {
            all.extend(slots.into_iter().map(|(component, slot)| (slot, Source::Place(component))));
            continue;
        }
        if let Some(own) = own {
            all.extend(slots.into_iter().map(|(_, slot)| (slot, own)));
            continue;
        }
        let (from, writer) = match element.holder {
            Holder::Point(_) => (points, "the hull shader"),
            Holder::Patch => (constants, "the patch-constant function"),
            Holder::Own | Holder::Vertex(_) => (before, "the stage before it"),
        };
        let found = with_slots(from).find(|(_, it)| element.is(&it.semantic, it.index));
        let Some((at, output)) = found else {
            let (semantic, has) = (name(element), names(from.iter()));
            let span = element.span;
            return Err(GraphicsError::NoVarying { stage, reader, writer, semantic, has, span });
        };
        if output.components < element.components
            || scalar(output) != scalar(element)
            || output.scalar.ty() != element.scalar.ty()
        {
            return Err(GraphicsError::Varying {
                stage,
                reader,
                writer,
                semantic: name(element),
                written: type_name(output),
                read: type_name(element),
                span: element.span,
            });
        }
        all.extend(slots.into_iter().map(|(component, slot)| {
            let at = at.0 + u32::from(component);
            let from = match element.holder {
                Holder::Point(point) => Source::Point { point: point.into(), slot: at },
                Holder::Patch => Source::Patch { slot: at },
                Holder::Vertex(vertex) => Source::Vertex { vertex: vertex.into(), slot: at },
                Holder::Own => Source::Vertex { vertex: 0, slot: at },
            };
            (slot, from)
        }));
    }
    Ok(all)
}

impl Step {
    fn new(module: &Arc<Module>, inputs: Vec<(Slot, Source)>, backend: &dyn Backend) -> Step {
        Step { program: backend.prepare(module), outputs: slot_count(outputs(module)), inputs }
    }
}

impl Tessellation {
    fn new(
        desc: &GraphicsDesc,
        [hull, domain]: [&Shader; 2],
        before: &[Element],
        backend: &dyn Backend,
    ) -> Result<Tessellation, GraphicsError> {
        let wrong = |problem: String| Err(GraphicsError::Stages { problem });
        let (StageTraits::Hull(traits), Some(patch)) = (stage_traits(&hull.module), &hull.patch)
        else {
            unreachable!("a hull shader has the traits of one, and a patch-constant function")
        };
        let StageTraits::Domain { domain: of_domain, points } = stage_traits(&domain.module) else {
            unreachable!("a domain shader has the traits of one")
        };
        if let Topology::PatchList(points) = desc.topology
            && traits.read != 0
            && traits.read != u32::from(points)
        {
            let read = traits.read;
            return wrong(format!(
                "the hull shader reads {read} control points, and a patch has {points}"
            ));
        }
        if traits.domain != *of_domain {
            let word = |it: Domain| match it {
                Domain::Tri => "tri",
                Domain::Quad => "quad",
                Domain::Isoline => "isoline",
            };
            let (a, b) = (word(traits.domain), word(*of_domain));
            return wrong(format!(
                "the hull shader has the domain `{a}`, and the domain shader `{b}`"
            ));
        }
        if *points > traits.made {
            let made = traits.made;
            return wrong(format!(
                "the domain shader reads {points} control points, and the hull shader makes {made}"
            ));
        }
        let is_line = traits.topology == PatchTopology::Line;
        let is_point = traits.topology == PatchTopology::Point;
        if !is_point && is_line != (traits.domain == Domain::Isoline) {
            return wrong(
                "only a domain of isolines makes lines, and it makes no triangles".to_owned(),
            );
        }
        let (points, constants) = (outputs(&hull.module), outputs(patch));
        let of_system = |system| {
            let slots = with_slots(constants).filter(|(_, it)| it.system == Some(system));
            let mut all: Vec<(u32, u32)> = Vec::new();
            for (first, element) in slots {
                let components = u32::from(element.components);
                all.extend((0..components).map(|it| (4 * element.index + it, first.0 + it)));
            }
            all.sort_unstable();
            all.into_iter().map(|it| it.1).collect::<Vec<u32>>()
        };
        let of_hull = link((Stage::Hull, "the hull shader"), &hull.module, before, &[], &[])?;
        let of_constants =
            link((Stage::Hull, "the patch-constant function"), patch, before, points, &[])?;
        let of_domain =
            link((Stage::Domain, "the domain shader"), &domain.module, &[], points, constants)?;
        Ok(Tessellation {
            traits: *traits,
            hull: Step::new(&hull.module, of_hull, backend),
            constants: Step::new(patch, of_constants, backend),
            domain: Step::new(&domain.module, of_domain, backend),
            factors: [of_system(SystemValue::TessFactor), of_system(SystemValue::InsideTessFactor)],
        })
    }

    /// The terms of the tessellator.
    pub(crate) fn terms(&self) -> (raster::Domain, raster::Partitioning, raster::PatchTopology) {
        let domain = match self.traits.domain {
            Domain::Tri => raster::Domain::Tri,
            Domain::Quad => raster::Domain::Quad,
            Domain::Isoline => raster::Domain::Isoline,
        };
        let partitioning = match self.traits.partitioning {
            Partitioning::Integer => raster::Partitioning::Integer,
            Partitioning::Pow2 => raster::Partitioning::Pow2,
            Partitioning::FractionalOdd => raster::Partitioning::FractionalOdd,
            Partitioning::FractionalEven => raster::Partitioning::FractionalEven,
        };
        let topology = match self.traits.topology {
            PatchTopology::Point => raster::PatchTopology::Point,
            PatchTopology::Line => raster::PatchTopology::Line,
            PatchTopology::Clockwise => raster::PatchTopology::Clockwise,
            PatchTopology::CounterClockwise => raster::PatchTopology::CounterClockwise,
        };
        (domain, partitioning, topology)
    }
}

impl Geometry {
    fn new(
        shader: &Shader,
        before: &[Element],
        made: u32,
        backend: &dyn Backend,
    ) -> Result<Geometry, GraphicsError> {
        let StageTraits::Geometry(traits) = stage_traits(&shader.module) else {
            unreachable!("a geometry shader has the traits of one")
        };
        if traits.vertices != made {
            let problem = format!(
                "the geometry shader reads primitives of {} vertices, and the primitives have {made}",
                traits.vertices
            );
            return Err(GraphicsError::Stages { problem });
        }
        let inputs =
            link((Stage::Geometry, "the geometry shader"), &shader.module, before, &[], &[])?;
        let drawn = traits.streams.first().map_or(&[][..], |it| &it.elements);
        let id = with_slots(drawn).find(|(_, it)| it.system == Some(SystemValue::PrimitiveId));
        Ok(Geometry {
            traits: (**traits).clone(),
            step: Step::new(&shader.module, inputs, backend),
            primitive_id: id.map(|it| it.0.0),
        })
    }
}

impl Mesh {
    fn new(desc: &GraphicsDesc, backend: &dyn Backend) -> Result<Mesh, GraphicsError> {
        let Some(group) = &desc.vertex.module.group else {
            unreachable!("a mesh shader has what its groups leave")
        };
        let Some(io) = &group.mesh else { unreachable!("a mesh shader has output arrays") };
        let of = |system| {
            let found = with_slots(&io.primitives).find(|(_, it)| it.system == Some(system));
            found.map(|it| it.0.0)
        };
        let amplification = match &desc.amplification {
            Some(shader) => {
                let Some(own) = &shader.module.group else {
                    unreachable!("an amplification shader has what its groups leave")
                };
                if group.payload > own.payload {
                    let (reads, has) = (group.payload, own.payload);
                    let problem = format!(
                        "the mesh shader reads a payload of {reads} bytes, and the amplification shader passes {has}"
                    );
                    return Err(GraphicsError::Stages { problem });
                }
                Some(Amplification {
                    program: backend.prepare(&shader.module),
                    record_bytes: own.record_bytes(),
                    payload: own.payload,
                })
            }
            None if group.payload > 0 => {
                let problem =
                    "the mesh shader reads a payload, which only an amplification shader passes";
                return Err(GraphicsError::Stages { problem: problem.to_owned() });
            }
            None => None,
        };
        Ok(Mesh {
            cull: of(SystemValue::CullPrimitive),
            primitive_id: of(SystemValue::PrimitiveId),
            numbers_groups: desc.numbers_groups,
            io: io.clone(),
            record_bytes: group.record_bytes(),
            program: backend.prepare(&desc.vertex.module),
            amplification,
        })
    }
}
