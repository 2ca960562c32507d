//! Ray queries by `SPV_KHR_ray_query`: each slot is a variable, and a handle that is unknown at compile time is
//! compared with those of all slots.
//!
//! Left to the device: what it finds within the freedom of its specification, and uses in the wrong state, which are
//! undefined there. A hit outside the interval is dropped, as in all our engines. `CommittedRayT` without a hit is
//! the end of the ray, which a device does not keep.

use ir::ray::{Field, Which};
use ir::{Inst, Op, Query, Ray, RayOp, Value};
use ops::Ty;

use crate::CannotEmit;
use crate::emit::Emitter;
use crate::memory::View;
use crate::module::{Id, push};
use crate::opcode::{self as op, Opcode};

/// The most slots among which a handle may choose.
const MOST_CHOICES: usize = 32;
/// `RAY_FLAG_SKIP_TRIANGLES` and `RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES`.
const SKIPS: u64 = 0x300;
/// The first handle: see [`ir::ray::Queries`].
const FIRST: u32 = ir::ray::MOST_SLOTS + 1;

/// The variables of a slot.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    query: Id,
    /// The end of its ray.
    end: Id,
}

impl Emitter<'_> {
    /// Declares the variables of all slots.
    pub(crate) fn ray_queries(&mut self) -> Result<(), CannotEmit> {
        let ir = self.ir;
        if ir.queries.is_empty() {
            return Ok(());
        }
        if self.environment.vulkan.spirv() < 0x0001_0400 {
            return self.unsupported("ray queries before Vulkan 1.2", "a ray query", None);
        }
        self.out.capabilities.insert(op::CAP_RAY_QUERY);
        self.out.extensions.insert("SPV_KHR_ray_query");
        let query_type = self.out.made_type(op::TYPE_RAY_QUERY, &[]);
        let float = self.out.ty(Ty::F32);
        for data in &ir.queries {
            for _ in 0..data.len {
                let [query, end] = [query_type, float].map(|ty| {
                    let pointer = self.out.pointer(op::FUNCTION_STORAGE, ty);
                    let variable = self.out.id();
                    let words = [pointer.0, variable.0, op::FUNCTION_STORAGE];
                    push(&mut self.out.variables, op::VARIABLE, &words);
                    variable
                });
                self.out.name(query, &data.name);
                self.queries.push(Slot { query, end });
            }
        }
        Ok(())
    }

    fn slot_of(&self, query: Query, index: Value) -> usize {
        let before: u32 = self.ir.queries[..query.index()].iter().map(|it| it.len).sum();
        // Declarations name slots by constants.
        let index = self.ir.constant(index).unwrap_or(0) as u32;
        (before + index.min(self.ir.queries[query.index()].len - 1)) as usize
    }

    /// The slot of a handle, if it is known.
    fn known_slot(&self, handle: Value) -> Option<usize> {
        let ir::ValueDef::Result(inst, _) = self.ir.values[handle.index()].def else { return None };
        match &self.ir.inst(inst).op {
            Op::Ray(ray) if ray.op == RayOp::Allocate => {
                Some(self.slot_of(ray.query?, *ray.args.first()?))
            }
            _ => None,
        }
    }

    /// The results of an instruction of a query.
    pub(crate) fn ray(&mut self, inst: Inst, ray: &Ray) -> Result<Vec<Id>, CannotEmit> {
        if let (RayOp::Allocate, Some(query)) = (ray.op, ray.query) {
            let slot = self.slot_of(query, ray.args[0]) as u32;
            return Ok(vec![self.out.word(FIRST + slot)]);
        }
        self.needs(ray);
        let operands = self.operands_of(ray);
        let handle = ray.args[0];
        let whole = match self.known_slot(handle) {
            Some(slot) => self.on_slot(self.queries[slot], ray, &operands).map(|it| it.1),
            None if self.queries.len() > MOST_CHOICES => {
                let asked = format!("a choice among {} queries", self.queries.len());
                return self.unsupported("this many ray queries", asked, Some(inst));
            }
            None => {
                let handle = self.get(handle);
                let mut found: Option<Id> = None;
                for slot in 0..self.queries.len() {
                    let this = self.out.word(FIRST + slot as u32);
                    let is_this = self.test(op::I_EQUAL, handle, this);
                    let slot = self.queries[slot];
                    if ray.op.results().is_empty() {
                        self.guarded(Some(is_this), |it| {
                            it.on_slot(slot, ray, &operands);
                            []
                        });
                        continue;
                    }
                    let mut ty = None;
                    let [value] = self.guarded(Some(is_this), |it| {
                        let made = it.on_slot(slot, ray, &operands);
                        let made =
                            made.unwrap_or_else(|| unreachable!("the instruction has results"));
                        ty = Some(made.0);
                        [made]
                    });
                    found = Some(match (found, ty) {
                        (Some(before), Some(ty)) => {
                            self.op(op::SELECT, ty, &[is_this, value, before])
                        }
                        _ => value,
                    });
                }
                found
            }
        };
        let Some(whole) = whole else { return Ok(Vec::new()) };
        Ok(self.parts(ray.op, whole))
    }

    /// The capabilities of an instruction.
    fn needs(&mut self, ray: &Ray) {
        match ray.op {
            RayOp::Trace => {
                let flags = self.ir.constant(ray.args[1]);
                if flags.is_none_or(|it| it & SKIPS != 0) {
                    self.out.capabilities.insert(op::CAP_RAY_CULLING);
                }
            }
            RayOp::Get(_, Field::Positions) => {
                self.out.capabilities.insert(op::CAP_RAY_POSITIONS);
                self.out.extensions.insert("SPV_KHR_ray_tracing_position_fetch");
            }
            _ => {}
        }
    }

    /// The operands of an instruction after the query, in the order of SPIR-V.
    fn operands_of(&mut self, ray: &Ray) -> Vec<Id> {
        match ray.op {
            RayOp::Trace => {
                let Some(place) = ray.scene else { return Vec::new() };
                let descriptor = self.descriptor(place, View::Scene);
                let ty = self.out.made_type(op::TYPE_ACCELERATION_STRUCTURE, &[]);
                let scene = self.op(op::LOAD, ty, &[descriptor.pointer]);
                self.mark(descriptor.varies, scene);
                let args = self.get_all(&ray.args);
                // A scene that does not exist is a miss, and so is a mask without bits.
                let mask = match descriptor.exists {
                    Some(exists) => {
                        let zero = self.out.word(0);
                        self.choose(Ty::I32, exists, args[2], zero)
                    }
                    None => args[2],
                };
                let [origin, direction] = [3, 7].map(|first| {
                    let three = self.vector_of_floats(3);
                    self.op(op::COMPOSITE_CONSTRUCT, three, &args[first..first + 3])
                });
                vec![scene, args[1], mask, origin, args[6], direction, args[10]]
            }
            RayOp::CommitProcedural => self.get_all(&ray.args[1..]),
            _ => Vec::new(),
        }
    }

    fn vector_of_floats(&mut self, count: u32) -> Id {
        let float = self.out.ty(Ty::F32);
        self.out.vector(float, count)
    }

    /// An instruction on a known slot: the type of its result and the result, whose parts are the results.
    fn on_slot(&mut self, slot: Slot, ray: &Ray, operands: &[Id]) -> Option<(Id, Id)> {
        let Slot { query, end } = slot;
        match ray.op {
            RayOp::Allocate => None,
            RayOp::Trace => {
                let all: Vec<Id> = [query].into_iter().chain(operands.iter().copied()).collect();
                self.effect(op::RAY_INITIALIZE, &all);
                self.effect(op::STORE, &[end, operands[6]]);
                None
            }
            RayOp::Proceed => {
                let bool = self.out.bool();
                Some((bool, self.op(op::RAY_PROCEED, bool, &[query])))
            }
            RayOp::Abort => {
                self.effect(op::RAY_TERMINATE, &[query]);
                None
            }
            RayOp::CommitTriangle => {
                self.effect(op::RAY_CONFIRM, &[query]);
                None
            }
            RayOp::CommitProcedural => {
                let float = self.out.ty(Ty::F32);
                let least = self.op(op::RAY_T_MIN, float, &[query]);
                let most = self.committed_t(slot);
                let t = operands[0];
                let from = self.test(op::F_ORD_LESS_THAN_EQUAL, least, t);
                let to = self.test(op::F_ORD_LESS_THAN_EQUAL, t, most);
                let inside = self.test(op::LOGICAL_AND, from, to);
                self.guarded(Some(inside), |it| {
                    it.effect(op::RAY_GENERATE, &[query, t]);
                    []
                });
                None
            }
            RayOp::Get(Which::Committed, Field::T) => {
                let float = self.out.ty(Ty::F32);
                Some((float, self.committed_t(slot)))
            }
            RayOp::Get(_, Field::ClusterId) => {
                let uint = self.out.uint();
                Some((uint, self.out.word(ops::ray::CLUSTER_ID_INVALID)))
            }
            RayOp::Get(Which::Candidate, Field::NonOpaque) => {
                let bool = self.out.bool();
                let opaque = self.op(op::RAY_AABB_OPAQUE, bool, &[query]);
                Some((bool, self.typed(op::LOGICAL_NOT, Ty::Bool, &[opaque])))
            }
            RayOp::Get(which, field) => Some(self.field(query, which, field)),
        }
    }

    /// The distance of the committed hit, or the end of the ray.
    fn committed_t(&mut self, slot: Slot) -> Id {
        let (uint, float) = (self.out.uint(), self.out.ty(Ty::F32));
        let committed = self.out.word(1);
        let status = self.op(op::RAY_TYPE, uint, &[slot.query, committed]);
        let zero = self.out.word(0);
        let has_hit = self.test(op::I_NOT_EQUAL, status, zero);
        let [found] = self.guarded(Some(has_hit), |it| {
            [(float, it.op(op::RAY_T, float, &[slot.query, committed]))]
        });
        let end = self.op(op::LOAD, float, &[slot.end]);
        self.choose(Ty::F32, has_hit, found, end)
    }

    fn field(&mut self, query: Id, which: Which, field: Field) -> (Id, Id) {
        let (uint, bool, float) = (self.out.uint(), self.out.bool(), self.out.ty(Ty::F32));
        let three = self.vector_of_floats(3);
        let (opcode, ty): (Opcode, Id) = match field {
            Field::Flags => (op::RAY_FLAGS, uint),
            Field::TMin => (op::RAY_T_MIN, float),
            Field::WorldOrigin => (op::RAY_WORLD_ORIGIN, three),
            Field::WorldDirection => (op::RAY_WORLD_DIRECTION, three),
            Field::Kind => (op::RAY_TYPE, uint),
            Field::T => (op::RAY_T, float),
            Field::Barycentrics => (op::RAY_BARYCENTRICS, self.vector_of_floats(2)),
            Field::FrontFace => (op::RAY_FRONT_FACE, bool),
            Field::InstanceIndex => (op::RAY_INSTANCE, uint),
            Field::InstanceId => (op::RAY_CUSTOM_INDEX, uint),
            Field::Contribution => (op::RAY_SBT_OFFSET, uint),
            Field::GeometryIndex => (op::RAY_GEOMETRY, uint),
            Field::PrimitiveIndex => (op::RAY_PRIMITIVE, uint),
            Field::ObjectOrigin => (op::RAY_OBJECT_ORIGIN, three),
            Field::ObjectDirection => (op::RAY_OBJECT_DIRECTION, three),
            Field::ObjectToWorld | Field::WorldToObject => {
                let matrix = self.out.made_type(op::TYPE_MATRIX, &[three.0, 4]);
                let opcode = match field {
                    Field::ObjectToWorld => op::RAY_OBJECT_TO_WORLD,
                    _ => op::RAY_WORLD_TO_OBJECT,
                };
                (opcode, matrix)
            }
            Field::Positions => (op::RAY_POSITIONS, self.out.array(three, 3)),
            Field::NonOpaque | Field::ClusterId => {
                unreachable!("these are not single instructions")
            }
        };
        let value = match which {
            Which::Ray => self.op(opcode, ty, &[query]),
            Which::Candidate | Which::Committed => {
                let which = self.out.word(u32::from(which == Which::Committed));
                self.op(opcode, ty, &[query, which])
            }
        };
        (ty, value)
    }

    /// The scalars of a result.
    fn parts(&mut self, operation: RayOp, whole: Id) -> Vec<Id> {
        let RayOp::Get(_, field) = operation else { return vec![whole] };
        let float = self.out.ty(Ty::F32);
        let count = field.components();
        if count == 1 {
            return vec![whole];
        }
        (0..count)
            .map(|i| match field {
                // Four columns; the results are three rows.
                Field::ObjectToWorld | Field::WorldToObject => {
                    self.op_words(op::COMPOSITE_EXTRACT, float, &[whole.0, i % 4, i / 4])
                }
                Field::Positions => {
                    self.op_words(op::COMPOSITE_EXTRACT, float, &[whole.0, i / 3, i % 3])
                }
                _ => self.op_words(op::COMPOSITE_EXTRACT, float, &[whole.0, i]),
            })
            .collect()
    }
}
