//! Facts about each instruction: one row for each [`Op`], which readers ask instead of listing instructions
//! themselves.
//!
//! A row says whether an instruction computes, depends on other lanes, accesses memory, or controls; which memory
//! and how; and whether it reads its operands as numbers. A new instruction does not compile until it has a row
//! here. Its operands, resources and regions are listed in one other place, `visit_parts!` in `module.rs`.

use ops::Ty;
use ops::intrinsics::Stage;
use ops::scalar;
use ops::wave::Sees;

use crate::{
    Address, InstData, Module, Needs, Op, Place, Private, Region, Shared, TextureOp, Value, Values,
    values,
};

/// The effects of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effects {
    pub kind: Kind,
    /// Whether its result or its effect depends on which lanes execute it together.
    pub sees_lanes: bool,
    /// Whether it reads other lanes of the quad.
    pub asks_quad: bool,
    /// Whether it computes with numbers, rather than moving, testing or changing their bits.
    pub computes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Pure: the result follows from the operands and the thread, so that it is dead without a use, and observers
    /// do not see it.
    Pure,
    /// Reads other lanes, which an observer sees.
    Lanes,
    Barrier,
    Memory(Space, Access),
    /// Prints what its lanes hold, which only a host sees.
    Print,
    /// Debug information, which only observers see.
    Note,
    /// Sets an output, or makes helper lanes of its lanes.
    Stage,
    /// Has regions.
    Construct,
    /// A terminator.
    Terminator,
}

/// The memory that an instruction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The bytes or texels of a resource.
    Resource(Place),
    /// The hidden counter of a structured buffer.
    Counter(Place),
    Shared(Shared),
    /// Private to a lane.
    Private(Private),
    /// The ray queries of a lane.
    Queries,
}

impl Space {
    /// Whether it belongs to one lane.
    pub fn is_private(self) -> bool {
        match self {
            Space::Private(_) | Space::Queries => true,
            Space::Resource(_) | Space::Counter(_) | Space::Shared(_) => false,
        }
    }
}

/// How the memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    /// Read and written in one step, lane by lane.
    Atomic,
    /// Read and written by the lane that it belongs to.
    Update,
}

impl Access {
    pub fn reads(self) -> bool {
        self != Access::Write
    }

    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

impl Effects {
    /// The memory accessed, and how.
    pub fn memory(&self) -> Option<(Space, Access)> {
        match self.kind {
            Kind::Memory(memory, access) => Some((memory, access)),
            _ => None,
        }
    }

    /// The memory that is read.
    pub fn reads(&self) -> Option<Space> {
        self.memory().filter(|it| it.1.reads()).map(|it| it.0)
    }

    /// The memory that is written.
    pub fn writes(&self) -> Option<Space> {
        self.memory().filter(|it| it.1.writes()).map(|it| it.0)
    }

    /// Whether anything but the lane itself can notice the execution: it writes memory or an output, prints, makes
    /// lanes wait, or makes helper lanes of them.
    pub fn acts(&self) -> bool {
        self.writes().is_some() || matches!(self.kind, Kind::Barrier | Kind::Print | Kind::Stage)
    }

    pub fn is_atomic(&self) -> bool {
        matches!(self.kind, Kind::Memory(_, Access::Atomic))
    }
}

impl Op {
    /// Whether helper lanes do not execute the instruction, because its effect is seen from outside the lane.
    pub fn skips_helpers(&self) -> bool {
        match self.effects().kind {
            Kind::Memory(space, _) if space.is_private() => false,
            Kind::Memory(_, access) => access.writes(),
            Kind::Print => true,
            Kind::Stage => matches!(self, Op::Output { .. }),
            Kind::Pure
            | Kind::Lanes
            | Kind::Barrier
            | Kind::Note
            | Kind::Construct
            | Kind::Terminator => false,
        }
    }

    /// The row of an instruction.
    pub fn effects(&self) -> Effects {
        let row = |kind| Effects { kind, sees_lanes: false, asks_quad: false, computes: false };
        let memory = |memory, access| row(Kind::Memory(memory, access));
        match self {
            Op::Const { .. } | Op::Undef(_) | Op::Builtin(_) | Op::Size { .. } => row(Kind::Pure),
            Op::Input(_) | Op::Eval { .. } | Op::InputAt { .. } => row(Kind::Pure),
            Op::Output { .. } | Op::Discard => row(Kind::Stage),
            Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Ternary(..) => {
                let computes = self.scalar_facts().is_some_and(|it| it.computes());
                Effects { computes, ..row(Kind::Pure) }
            }
            Op::Wave { op, .. } => {
                let facts = op.facts();
                Effects {
                    kind: Kind::Lanes,
                    sees_lanes: facts.sees != Sees::Nothing,
                    asks_quad: facts.sees == Sees::Quad,
                    computes: facts.fold.is_some(),
                }
            }
            Op::Derivative(..) => {
                Effects { sees_lanes: true, asks_quad: true, computes: true, ..row(Kind::Lanes) }
            }
            Op::Barrier { .. } => Effects { sees_lanes: true, ..row(Kind::Barrier) },
            Op::Load { place, .. } => memory(Space::Resource(*place), Access::Read),
            Op::Store { place, .. } => memory(Space::Resource(*place), Access::Write),
            Op::Atomic { place, .. } => memory(Space::Resource(*place), Access::Atomic),
            Op::Counter { place, .. } => memory(Space::Counter(*place), Access::Atomic),
            Op::Texture(texture) => {
                let texels = Space::Resource(texture.texture);
                let kind = match texture.op {
                    TextureOp::Load
                    | TextureOp::Sample(_)
                    | TextureOp::Compare(_)
                    | TextureOp::Gather(_)
                    | TextureOp::GatherCompare(_) => Kind::Memory(texels, Access::Read),
                    TextureOp::Store => Kind::Memory(texels, Access::Write),
                    // Its texels are not read, and the order of marks does not matter.
                    TextureOp::Feedback(_) => {
                        let map = texture.map.unwrap_or(texture.texture);
                        Kind::Memory(Space::Resource(map), Access::Atomic)
                    }
                    TextureOp::Atomic(_) => Kind::Memory(texels, Access::Atomic),
                    TextureOp::LevelOfDetail | TextureOp::LevelOfDetailUnclamped => Kind::Lanes,
                    TextureOp::Size => Kind::Pure,
                };
                let asks_quad = texture.op.needs_quad();
                Effects { sees_lanes: asks_quad, asks_quad, ..row(kind) }
            }
            // What a query finds depends on its scene, which nothing changes.
            Op::Ray(ray) => memory(Space::Queries, ray.op.access()),
            Op::SharedLoad { memory: it, .. } => memory(Space::Shared(*it), Access::Read),
            Op::SharedStore { memory: it, .. } => memory(Space::Shared(*it), Access::Write),
            Op::SharedAtomic { memory: it, .. } => memory(Space::Shared(*it), Access::Atomic),
            Op::PrivateLoad { memory: it, .. } => memory(Space::Private(*it), Access::Read),
            Op::PrivateStore { memory: it, .. } => memory(Space::Private(*it), Access::Write),
            // The canonical order of lines does not depend on which lanes print together.
            Op::Print { .. } => row(Kind::Print),
            Op::Note(_) => row(Kind::Note),
            Op::If { .. } | Op::Loop { .. } | Op::Switch { .. } | Op::Block { .. } => {
                row(Kind::Construct)
            }
            Op::Yield(_) | Op::Exit { .. } | Op::Return => row(Kind::Terminator),
        }
    }

    /// The operands by which a memory instruction finds its memory, and those that it stores or combines with what is
    /// there. Those of a texture instruction count as both.
    pub fn address_and_values(&self) -> (Values, Values) {
        let within = |place: &Place, at: &Address| at.operands().chain(place.element).collect();
        match self {
            Op::Load { place, at } => (within(place, at), Values::new()),
            Op::Store { place, at, values } => (within(place, at), values.clone()),
            Op::Atomic { place, at, args, .. } => (within(place, at), args.clone()),
            Op::SharedLoad { index, .. } | Op::PrivateLoad { index, .. } => {
                (values![*index], Values::new())
            }
            Op::SharedStore { index, value, .. } | Op::PrivateStore { index, value, .. } => {
                (values![*index], values![*value])
            }
            Op::SharedAtomic { index, args, .. } => (values![*index], args.clone()),
            Op::Counter { place, .. } => (place.element.into_iter().collect(), Values::new()),
            Op::Texture(_) => (self.operands(), self.operands()),
            // The handle finds the query; the other operands become a part of it.
            Op::Ray(ray) => {
                let (handle, rest) = ray.args.split_at(1.min(ray.args.len()));
                (handle.into(), rest.into())
            }
            _ => {
                debug_assert!(self.effects().memory().is_none(), "a memory instruction: {self:?}");
                (Values::new(), Values::new())
            }
        }
    }

    /// The operand by which each lane selects a region of a construct.
    pub fn selector(&self) -> Option<Value> {
        match self {
            Op::If { cond, .. } => Some(*cond),
            Op::Switch { selector, .. } => Some(*selector),
            _ => None,
        }
    }

    /// Whether an instruction is a branch: each lane selects one region of it.
    pub fn is_branch(&self) -> bool {
        self.selector().is_some()
    }

    /// Whether an instruction computes each lane's result from that lane's operands, and nothing else: an elementwise
    /// operation.
    pub fn is_elementwise(&self) -> bool {
        self.scalar_facts().is_some()
    }

    /// The facts of an elementwise operation.
    pub fn scalar_facts(&self) -> Option<scalar::Facts> {
        match self {
            Op::Unary(op, _) => Some(op.facts()),
            Op::Binary(op, ..) => Some(op.facts()),
            Op::Compare(op, ..) => Some(op.facts()),
            Op::Ternary(op, _) => Some(op.facts()),
            _ => None,
        }
    }

    /// Whether some operands make the result undefined ([`scalar::Hazard`]), given the types of values.
    pub fn has_hazards(&self, ty: impl Fn(Value) -> Ty) -> bool {
        match self {
            Op::Unary(op, a) => op.has_hazards(ty(*a)),
            Op::Binary(op, a, _) => op.has_hazards(ty(*a)),
            _ => false,
        }
    }

    pub fn is_terminator(&self) -> bool {
        self.effects().kind == Kind::Terminator
    }

    pub fn is_construct(&self) -> bool {
        self.effects().kind == Kind::Construct
    }

    /// Whether an instruction is dead when its result is unused, because nothing observes its execution.
    pub fn is_pure(&self) -> bool {
        self.effects().kind == Kind::Pure
    }
}

impl Module {
    /// Recomputes which resources the module uses and what it needs of a device; call it after instructions were
    /// added or removed. Only the need for 32-bit wave masks cannot be inferred from the instructions.
    pub fn summarise(&mut self) {
        let mut needs = Needs { wave_masks: self.needs.wave_masks, ..Needs::default() };
        for inst in self.regions.iter().flat_map(|it| &it.insts) {
            let InstData { op, results, .. } = &self.insts[inst.index()];
            needs.wave_ops |= matches!(op, Op::Wave { .. });
            needs.quads |= op.effects().asks_quad;
            results.iter().for_each(|it| needs.ty(self.values[it.index()].ty));
        }
        let memories = self.groupshared.iter().chain(&self.privates);
        memories.for_each(|memory| needs.ty(memory.ty));
        self.needs = needs;
        if let Some(io) = &mut self.io {
            let insts = self.regions.iter().flat_map(|it| &it.insts);
            let is_pixel = self.stage == Stage::Pixel;
            io.summarise(insts.map(|it| &self.insts[it.index()].op).filter(|_| is_pixel));
        }
        self.mark_used();
    }

    /// Whether an operation in a region depends on which lanes execute it together.
    pub fn sees_lanes(&self, region: Region) -> bool {
        self.region(region).insts.iter().any(|inst| {
            let op = &self.inst(*inst).op;
            op.effects().sees_lanes || op.regions().into_iter().any(|it| self.sees_lanes(it))
        })
    }

    /// Marks the resources that an operation in a region names.
    pub(crate) fn mark_used(&mut self) {
        let mut used = vec![false; self.resources.len()];
        for inst in self.regions.iter().flat_map(|it| &it.insts) {
            let places = self.insts[inst.index()].op.places();
            places.for_each(|it| used[it.binding.index()] = true);
        }
        self.resources.iter_mut().zip(used).for_each(|(resource, used)| resource.used = used);
    }
}

impl Needs {
    fn ty(&mut self, ty: Ty) {
        match ty {
            Ty::I16 | Ty::F16 => self.native_16bit = true,
            Ty::I64 => self.int64 = true,
            Ty::F64 => self.double = true,
            Ty::Bool | Ty::I32 | Ty::F32 => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sample modules have one of each instruction.
    const SAMPLES: [&str; 2] =
        [include_str!("text/every.ir"), include_str!("text/every_of_pixels.ir")];

    #[test]
    fn facts_agree_with_the_parts_of_an_instruction() {
        let modules = SAMPLES.map(|text| crate::text::read(text).unwrap());
        for data in modules.iter().flat_map(|it| &it.insts) {
            let op = &data.op;
            let Effects { kind, sees_lanes, asks_quad, computes } = op.effects();
            let name = crate::text::op_name(op);
            assert!(kind == Kind::Construct || op.regions().is_empty(), "{name}");
            if let Kind::Memory(Space::Resource(place) | Space::Counter(place), _) = kind {
                assert_eq!(op.places().next(), Some(place), "{name}");
            }
            assert!(!asks_quad || sees_lanes, "{name}");
            assert!(!computes || matches!(kind, Kind::Pure | Kind::Lanes), "{name}");
            assert!(kind != Kind::Terminator || data.results.is_empty(), "{name}");
            assert!(kind != Kind::Pure || !data.results.is_empty(), "{name}");
            let writes_only =
                matches!(kind, Kind::Memory(_, Access::Write) | Kind::Print | Kind::Stage);
            assert!(!writes_only || data.results.is_empty(), "{name}");
            assert!(
                kind == Kind::Lanes || asks_quad || kind == Kind::Barrier || !sees_lanes,
                "{name}"
            );
        }
    }
}
