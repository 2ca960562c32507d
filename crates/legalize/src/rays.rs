//! Ray queries in software, for targets without [`crate::Class::RayQuery`]: the state machine of `ops::ray` and its
//! search, written into the module. Every device then gives the bits of the reference engine.
//!
//! - A scene becomes a raw buffer with the bytes of [`ops::ray::Scene::packed`]. One that is not bound has no bytes:
//!   its header reads as zeros, and every ray misses.
//! - A query is a row of private words (`state.rs`); a handle is its slot in the low half and a generation in the high
//!   half, as in `ir::ray`, so that a query that has been replaced is not mistaken for its successor.
//! - `Proceed` becomes a loop around a search (`search.rs`), whose tests of triangles and boxes are in `meet.rs`.
//!
//! f64 is required: the edge functions of triangles are exact in it.

mod meet;
mod search;
pub(crate) mod state;

use ir::ray::{Field, Which};
use ir::{Inst, Module, Ray, RayOp, ResourceKind, Value, Values};
use ops::ray::packed::{instance, primitive};
use ops::ray::{Needs, ray_flag};
use ops::{Binary, Compare, Sign, Ty, Unary};

use crate::target::Class;
use crate::writer::Writer;
use state::{Hit, Slot, field, record};

/// The values of a state.
mod phase {
    pub(super) const NEW: u32 = 0;
    pub(super) const TRACED: u32 = 1;
    pub(super) const TRIANGLE: u32 = 2;
    pub(super) const PROCEDURAL: u32 = 3;
    pub(super) const FINISHED: u32 = 4;
}

/// What is committed.
mod status {
    pub(super) const NOTHING: u32 = 0;
    pub(super) const TRIANGLE: u32 = 1;
    pub(super) const PROCEDURAL: u32 = 2;
}

impl Writer<'_> {
    /// Whether ray queries are written out.
    pub(crate) fn traces_in_software(&self) -> bool {
        self.target.lacks(Class::RayQuery, Ty::I32) && !self.source.queries.is_empty()
    }

    /// Writes out an instruction of a query.
    pub(crate) fn ray_in_software(&self, inst: Inst, ray: &Ray) {
        let results = self.software(ray);
        for (old, new) in self.source.inst(inst).results.iter().zip(results) {
            self.set(*old, new);
        }
    }

    fn software(&self, ray: &Ray) -> Values {
        if ray.op == RayOp::Allocate {
            return std::iter::once(self.allocate(ray)).collect();
        }
        let (slot, is_valid) = self.slot(ray.args[0]);
        let args = self.get_all(&ray.args);
        match ray.op {
            RayOp::Allocate => unreachable!("this has been handled"),
            RayOp::Trace => {
                self.only_if(is_valid, || self.trace(slot, ray, &args));
                Values::new()
            }
            RayOp::Proceed => {
                let [found] = self.branch(is_valid, || [self.proceed(slot)], || [self.falsehood()]);
                std::iter::once(found).collect()
            }
            RayOp::Abort => {
                self.only_if(is_valid, || self.put(slot, field::ENDED, self.word(1)));
                Values::new()
            }
            RayOp::CommitTriangle => {
                let is_state = self.is_state(slot, phase::TRIANGLE);
                self.only_if(self.both(is_valid, is_state), || {
                    let hit = self.take_record(slot, field::CANDIDATE);
                    self.commit(slot, &hit, status::TRIANGLE);
                });
                Values::new()
            }
            RayOp::CommitProcedural => {
                let t = args[1];
                let is_state = self.is_state(slot, phase::PROCEDURAL);
                let least = self.float(slot, field::T_MIN);
                let most = self.float(slot, field::T_MAX);
                let from = self.test(Compare::Le(Sign::Signed), least, t);
                let to = self.test(Compare::Le(Sign::Signed), t, most);
                let is_in = self.both(self.both(is_valid, is_state), self.both(from, to));
                self.only_if(is_in, || {
                    let hit = self.take_record(slot, field::CANDIDATE);
                    self.commit(slot, &Hit { t, ..hit }, status::PROCEDURAL);
                });
                Values::new()
            }
            RayOp::Get(which, field) => {
                let is_allowed = self.allows(slot, which, field);
                let types = ray.op.results();
                self.either(
                    self.both(is_valid, is_allowed),
                    || self.answer(slot, which, field),
                    || types.iter().map(|it| self.constant(*it, 0)).collect(),
                )
            }
        }
    }

    pub(crate) fn falsehood(&self) -> Value {
        self.constant(Ty::Bool, 0)
    }

    fn truth(&self) -> Value {
        self.constant(Ty::Bool, 1)
    }

    fn only_if(&self, cond: Value, then: impl FnOnce()) {
        self.branch(
            cond,
            || {
                then();
                []
            },
            || [],
        );
    }

    fn trace(&self, slot: Slot, ray: &Ray, args: &[Value]) {
        let flags = self.with(Binary::And, args[1], u64::from(ray_flag::KNOWN));
        let mask = self.with(Binary::And, args[2], 0xff);
        self.put(slot, field::STATE, self.word(phase::TRACED));
        self.put(slot, field::STATUS, self.word(status::NOTHING));
        self.put(slot, field::FLAGS, flags);
        self.put(slot, field::MASK, mask);
        self.put(slot, field::HAS_LAST, self.word(0));
        let numbers = &args[3..11];
        for (at, number) in numbers.iter().enumerate() {
            self.put(slot, field::RAY + at as u32, self.cast(*number, Ty::I32));
        }
        self.put(slot, field::T_MAX, self.cast(numbers[7], Ty::I32));
        // A NaN, an empty interval or a zero direction: every primitive is missed.
        let [t_min, t_max] = [numbers[3], numbers[7]];
        let mut misses = self.test(Compare::Gt(Sign::Signed), t_min, t_max);
        for number in numbers {
            misses = self.op2(Binary::Or, misses, self.op1(Unary::IsNan, *number));
        }
        let is_zero = self.are_zero([numbers[4], numbers[5], numbers[6]]);
        self.put_truth(slot, field::ENDED, self.op2(Binary::Or, misses, is_zero));
        if let Some(place) = ray.scene {
            let scenes = self.scenes();
            let number = scenes.iter().position(|it| *it == place.binding).unwrap_or(0);
            self.put(slot, field::SCENE, self.word(number as u32));
            let element = place.element.map_or_else(|| self.word(0), |it| self.get(it));
            self.put(slot, field::ELEMENT, element);
        }
    }

    /// Whether three numbers are 0 or −0.
    fn are_zero(&self, numbers: [Value; 3]) -> Value {
        let [x, y, z] = numbers.map(|it| self.test(Compare::Eq, it, self.constant(Ty::F32, 0)));
        self.both(self.both(x, y), z)
    }

    fn is_state(&self, slot: Slot, state: u32) -> Value {
        self.test(Compare::Eq, self.state_word(slot, field::STATE), self.word(state))
    }

    fn proceed(&self, slot: Slot) -> Value {
        let state = self.state_word(slot, field::STATE);
        let is_new = self.test(Compare::Eq, state, self.word(phase::NEW));
        let is_over = self.test(Compare::Eq, state, self.word(phase::FINISHED));
        let has_ended = self.truth_of(slot, field::ENDED);
        let rests = self.op2(Binary::Or, is_new, is_over);
        self.only_if(self.op1(Unary::Not, rests), || {
            self.put(slot, field::STATE, self.word(phase::FINISHED));
        });
        let stops = self.op2(Binary::Or, rests, has_ended);
        let [found] = self.branch(stops, || [self.falsehood()], || [self.next(slot)]);
        found
    }

    /// Goes through what the ray meets, up to a candidate.
    fn next(&self, slot: Slot) -> Value {
        let scene = self.scene_of(slot);
        let has_boxes = self.has_boxes(&scene);
        let [found] = self.repeat_until([self.falsehood()], |_| {
            let (is_hit, key_t, hit) = self.closest(slot, &scene);
            let [is_done, found] = self.branch(
                is_hit,
                || {
                    self.put_last(slot, key_t, &hit);
                    let asks =
                        self.op2(Binary::Or, hit.procedural, self.op1(Unary::Not, hit.opaque));
                    self.branch(
                        asks,
                        || {
                            self.put_record(slot, field::CANDIDATE, &hit);
                            let [procedural, triangle] =
                                [phase::PROCEDURAL, phase::TRIANGLE].map(|it| self.word(it));
                            let state = self.choose(hit.procedural, procedural, triangle);
                            self.put(slot, field::STATE, state);
                            [self.truth(), self.truth()]
                        },
                        || {
                            self.commit(slot, &hit, status::TRIANGLE);
                            // Only boxes begin at the t of a triangle, and come after it.
                            let has_none = self.op1(Unary::Not, has_boxes);
                            let ended = self.truth_of(slot, field::ENDED);
                            [self.op2(Binary::Or, has_none, ended), self.falsehood()]
                        },
                    )
                },
                || [self.truth(), self.falsehood()],
            );
            (is_done, [found])
        });
        found
    }

    fn commit(&self, slot: Slot, hit: &Hit, status: u32) {
        self.put_record(slot, field::COMMITTED, hit);
        self.put(slot, field::STATUS, self.word(status));
        self.put(slot, field::T_MAX, self.cast(hit.t, Ty::I32));
        let flags = self.state_word(slot, field::FLAGS);
        let ends = self.has(flags, ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH);
        let ended = self.op2(Binary::Or, ends, self.truth_of(slot, field::ENDED));
        self.put_truth(slot, field::ENDED, ended);
    }

    /// Whether one of these bits is set.
    fn has(&self, flags: Value, bits: u32) -> Value {
        let set = self.with(Binary::And, flags, u64::from(bits));
        self.test(Compare::Ne, set, self.word(0))
    }

    /// Whether a getter is allowed.
    fn allows(&self, slot: Slot, which: Which, field: Field) -> Value {
        let state = self.state_word(slot, field::STATE);
        let (of, [triangle, procedural]) = match which {
            Which::Candidate => (state, [phase::TRIANGLE, phase::PROCEDURAL]),
            Which::Ray | Which::Committed => {
                let status = self.state_word(slot, field::STATUS);
                (status, [status::TRIANGLE, status::PROCEDURAL])
            }
        };
        let is = |value: u32| self.test(Compare::Eq, of, self.word(value));
        let any = || self.op2(Binary::Or, is(triangle), is(procedural));
        let own = match field.needs() {
            Needs::Traced => self.truth(),
            Needs::Any => any(),
            Needs::Triangle => is(triangle),
            Needs::Procedural => is(procedural),
            Needs::Own if which == Which::Committed => self.truth(),
            Needs::Own if field == Field::Kind => any(),
            Needs::Own => is(triangle),
        };
        let is_traced = self.test(Compare::Ne, state, self.word(phase::NEW));
        self.both(is_traced, own)
    }

    /// What an allowed getter answers.
    fn answer(&self, slot: Slot, which: Which, field: Field) -> Values {
        let of = if which == Which::Candidate { field::CANDIDATE } else { field::COMMITTED };
        let one = |value: Value| -> Values { std::iter::once(value).collect() };
        let floats = |first: u32, count: u32| -> Values {
            (first..first + count).map(|it| self.float(slot, it)).collect()
        };
        match field {
            Field::Flags => one(self.state_word(slot, field::FLAGS)),
            Field::WorldOrigin => floats(field::RAY, 3),
            Field::WorldDirection => floats(field::RAY + 4, 3),
            Field::TMin => one(self.float(slot, field::T_MIN)),
            Field::Kind if which == Which::Candidate => {
                let is_box = self.is_state(slot, phase::PROCEDURAL);
                one(self.choose(is_box, self.word(1), self.word(0)))
            }
            Field::Kind => one(self.state_word(slot, field::STATUS)),
            Field::NonOpaque => one(self.op1(Unary::Not, self.truth_of(slot, of + record::OPAQUE))),
            Field::T if which == Which::Candidate => one(self.float(slot, of + record::T)),
            Field::T => one(self.float(slot, field::T_MAX)),
            Field::Barycentrics => floats(of + record::BARYCENTRICS, 2),
            Field::FrontFace => one(self.truth_of(slot, of + record::FRONT)),
            Field::InstanceIndex => one(self.state_word(slot, of + record::INSTANCE)),
            Field::GeometryIndex => one(self.state_word(slot, of + record::GEOMETRY)),
            Field::PrimitiveIndex => one(self.state_word(slot, of + record::PRIMITIVE)),
            Field::ClusterId => one(self.word(ops::ray::CLUSTER_ID_INVALID)),
            Field::InstanceId
            | Field::Contribution
            | Field::ObjectOrigin
            | Field::ObjectDirection
            | Field::ObjectToWorld
            | Field::WorldToObject
            | Field::Positions => self.of_instance(slot, of, field),
        }
    }

    /// A field that is read from the scene.
    fn of_instance(&self, slot: Slot, of: u32, field: Field) -> Values {
        let scene = self.scene_of(slot);
        let placed = self.instance_at(self.state_word(slot, of + record::INSTANCE));
        let words = |at: u32, count: usize, ty: Ty| self.scene_words(&scene, placed, at, count, ty);
        match field {
            Field::InstanceId => words(instance::ID, 1, Ty::I32),
            Field::Contribution => words(instance::CONTRIBUTION, 1, Ty::I32),
            Field::ObjectToWorld => words(instance::OBJECT_TO_WORLD, 12, Ty::F32),
            Field::WorldToObject => words(instance::WORLD_TO_OBJECT, 12, Ty::F32),
            Field::ObjectOrigin | Field::ObjectDirection => {
                let matrix = words(instance::WORLD_TO_OBJECT, 12, Ty::F32);
                let is_origin = field == Field::ObjectOrigin;
                let first = if is_origin { field::RAY } else { field::RAY + 4 };
                let vector = [0, 1, 2].map(|it| self.float(slot, first + it));
                self.transformed(&matrix, vector, is_origin).into_iter().collect()
            }
            _ => {
                let is_open = words(instance::DATA_ACCESS, 1, Ty::I32)[0];
                let is_open = self.test(Compare::Ne, is_open, self.word(0));
                let place = self.state_word(slot, of + record::PLACE);
                let load = || self.scene_words(&scene, place, primitive::NUMBERS, 9, Ty::F32);
                let zero = || (0..9).map(|_| self.constant(Ty::F32, 0)).collect();
                self.either(is_open, load, zero)
            }
        }
    }
}

/// After the last instruction: the module has no queries any more, and its scenes are buffers.
pub(crate) fn finish(module: &mut Module) {
    module.queries.clear();
    for resource in &mut module.resources {
        if resource.kind == ResourceKind::Scene {
            resource.kind = ResourceKind::Raw { writable: false };
        }
    }
}
