//! Where the state of queries is: a row of private words for each slot, and the key of its last hit in an array of f64.

use ir::{Binding, Memory, Op, Private, Query, Ray, RayOp, Value, ValueDef, Values};
use ops::{Binary, Compare, Sign, Ty};

use crate::writer::Writer;

/// The words of a slot.
pub(super) mod field {
    /// Which of the queries that were made here it is; 0 before the first.
    pub(crate) const GENERATION: u32 = 0;
    pub(crate) const STATE: u32 = 1;
    pub(crate) const STATUS: u32 = 2;
    /// Origin, `TMin`, direction, `TMax`.
    pub(crate) const RAY: u32 = 3;
    pub(crate) const T_MIN: u32 = RAY + 3;
    pub(crate) const FLAGS: u32 = 11;
    pub(crate) const MASK: u32 = 12;
    /// The t of the committed hit, or of the ray's end.
    pub(crate) const T_MAX: u32 = 13;
    pub(crate) const ENDED: u32 = 14;
    /// Whether there is a last hit; the rest of its key: instance, geometry and primitive.
    pub(crate) const HAS_LAST: u32 = 15;
    pub(crate) const LAST: u32 = 16;
    /// The number of the scene among those that are traced, and the element of its array.
    pub(crate) const SCENE: u32 = 19;
    pub(crate) const ELEMENT: u32 = 20;
    pub(crate) const CANDIDATE: u32 = 21;
    pub(crate) const COMMITTED: u32 = CANDIDATE + super::record::WORDS;
    pub(crate) const WORDS: u32 = COMMITTED + super::record::WORDS;
}

/// The words of a candidate or a committed hit.
pub(super) mod record {
    pub(crate) const T: u32 = 0;
    pub(crate) const BARYCENTRICS: u32 = 1;
    pub(crate) const FRONT: u32 = 3;
    pub(crate) const OPAQUE: u32 = 4;
    pub(crate) const INSTANCE: u32 = 5;
    pub(crate) const GEOMETRY: u32 = 6;
    pub(crate) const PRIMITIVE: u32 = 7;
    /// Where the primitive is in the scene.
    pub(crate) const PLACE: u32 = 8;
    pub(crate) const WORDS: u32 = 9;
}

/// The arrays that hold the states.
#[derive(Clone, Copy)]
pub(crate) struct States {
    words: Private,
    last_t: Private,
}

/// The slot of a query, and its first word.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    number: Value,
    first: Value,
}

/// A hit.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    /// As shaders see it.
    pub(super) t: Value,
    pub(super) barycentrics: [Value; 2],
    pub(super) front: Value,
    pub(super) opaque: Value,
    pub(super) procedural: Value,
    pub(super) instance: Value,
    pub(super) geometry: Value,
    pub(super) primitive: Value,
    pub(super) place: Value,
}

const SLOT_BITS: u64 = 16;

impl Writer<'_> {
    /// Declares the states, none of which is of a query yet.
    pub(crate) fn declare_states(&self) -> States {
        let slots = ir::ray::slots(self.source);
        let memory = |name: &str, ty: Ty, len: u32| Memory {
            name: name.to_owned(),
            ty,
            len,
            span: ir::Span::NONE,
        };
        let words = self.declare(memory("queries", Ty::I32, slots * field::WORDS));
        let last_t = self.declare(memory("queries.last", Ty::F64, slots));
        for slot in 0..slots {
            let index = self.word(slot * field::WORDS + field::GENERATION);
            let value = self.word(0);
            self.early(Op::PrivateStore { memory: words, index, value }, &[]);
        }
        States { words, last_t }
    }

    /// The scenes that are traced.
    pub(super) fn scenes(&self) -> Vec<Binding> {
        let traced = self.source.insts.iter().filter_map(|it| match &it.op {
            Op::Ray(ray) => ray.scene.map(|it| it.binding),
            _ => None,
        });
        let mut all: Vec<Binding> = traced.collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn slot_of(&self, query: Query, index: Value) -> Value {
        let queries = &self.source.queries;
        let before: u32 = queries[..query.index()].iter().map(|it| it.len).sum();
        let len = queries[query.index()].len;
        let at = self.get(index);
        match self.source.constant(index) {
            Some(at) => self.word(before + (at as u32).min(len - 1)),
            None => {
                let at = self.with(Binary::Min(Sign::Unsigned), at, u64::from(len - 1));
                self.with(Binary::Add, at, u64::from(before))
            }
        }
    }

    /// A new query: its handle.
    pub(super) fn allocate(&self, ray: &Ray) -> Value {
        let Some(query) = ray.query else { return self.word(0) };
        let number = self.slot_of(query, ray.args[0]);
        let slot = self.at_slot(number);
        let most = u64::from(ir::ray::MOST_SLOTS);
        let old = self.state_word(slot, field::GENERATION);
        let is_last = self.test(Compare::Eq, old, self.constant(Ty::I32, most));
        let generation = self.with(Binary::Add, self.choose(is_last, self.word(0), old), 1);
        self.put(slot, field::GENERATION, generation);
        self.put(slot, field::STATE, self.word(0));
        let high = self.with(Binary::Shl, generation, SLOT_BITS);
        self.op2(Binary::Or, high, number)
    }

    /// The slot of a handle, and whether its query is still there. Another handle gives some slot.
    pub(super) fn slot(&self, handle: Value) -> (Slot, Value) {
        let known = match self.source.values[handle.index()].def {
            ValueDef::Result(inst, _) => match &self.source.inst(inst).op {
                Op::Ray(ray) if ray.op == RayOp::Allocate => {
                    ray.query.map(|it| self.slot_of(it, ray.args[0]))
                }
                _ => None,
            },
            ValueDef::Param(..) => None,
        };
        let handle = self.get(handle);
        let number = match known {
            Some(known) => known,
            None => {
                let asked = self.with(Binary::And, handle, (1 << SLOT_BITS) - 1);
                let last = u64::from(ir::ray::slots(self.source) - 1);
                self.with(Binary::Min(Sign::Unsigned), asked, last)
            }
        };
        let slot = self.at_slot(number);
        let generation = self.state_word(slot, field::GENERATION);
        let own = self.op2(Binary::Or, self.with(Binary::Shl, generation, SLOT_BITS), number);
        let is_own = self.test(Compare::Eq, own, handle);
        let is_made = self.test(Compare::Ne, generation, self.word(0));
        (slot, self.both(is_own, is_made))
    }

    fn at_slot(&self, number: Value) -> Slot {
        let first = match self.known(number) {
            Some(number) => self.word(number as u32 * field::WORDS),
            None => self.with(Binary::Mul, number, u64::from(field::WORDS)),
        };
        Slot { number, first }
    }

    fn states(&self) -> States {
        self.states.unwrap_or_else(|| unreachable!("a module with queries has their states"))
    }

    fn index_of(&self, slot: Slot, field: u32) -> Value {
        match self.known(slot.first) {
            Some(first) => self.word(first as u32 + field),
            None => self.with(Binary::Add, slot.first, u64::from(field)),
        }
    }

    pub(super) fn state_word(&self, slot: Slot, field: u32) -> Value {
        let index = self.index_of(slot, field);
        self.value(Op::PrivateLoad { memory: self.states().words, index }, Ty::I32)
    }

    pub(super) fn float(&self, slot: Slot, field: u32) -> Value {
        self.cast(self.state_word(slot, field), Ty::F32)
    }

    pub(super) fn truth_of(&self, slot: Slot, field: u32) -> Value {
        self.test(Compare::Ne, self.state_word(slot, field), self.word(0))
    }

    pub(super) fn put(&self, slot: Slot, field: u32, value: Value) {
        let index = self.index_of(slot, field);
        self.add(Op::PrivateStore { memory: self.states().words, index, value }, &[]);
    }

    pub(super) fn put_truth(&self, slot: Slot, field: u32, value: Value) {
        self.put(slot, field, self.choose(value, self.word(1), self.word(0)));
    }

    /// The t of the last hit, and the rest of its key.
    pub(super) fn last(&self, slot: Slot) -> (Value, [Value; 3]) {
        let t = Op::PrivateLoad { memory: self.states().last_t, index: slot.number };
        (self.value(t, Ty::F64), [0, 1, 2].map(|it| self.state_word(slot, field::LAST + it)))
    }

    pub(super) fn put_last(&self, slot: Slot, t: Value, hit: &Hit) {
        let memory = self.states().last_t;
        self.add(Op::PrivateStore { memory, index: slot.number, value: t }, &[]);
        self.put(slot, field::HAS_LAST, self.word(1));
        for (at, value) in [hit.instance, hit.geometry, hit.primitive].into_iter().enumerate() {
            self.put(slot, field::LAST + at as u32, value);
        }
    }

    /// The candidate, a hit that was put here.
    pub(super) fn take_record(&self, slot: Slot, at: u32) -> Hit {
        Hit {
            t: self.float(slot, at + record::T),
            barycentrics: [0, 1].map(|it| self.float(slot, at + record::BARYCENTRICS + it)),
            front: self.truth_of(slot, at + record::FRONT),
            opaque: self.truth_of(slot, at + record::OPAQUE),
            procedural: self.falsehood(),
            instance: self.state_word(slot, at + record::INSTANCE),
            geometry: self.state_word(slot, at + record::GEOMETRY),
            primitive: self.state_word(slot, at + record::PRIMITIVE),
            place: self.state_word(slot, at + record::PLACE),
        }
    }

    pub(super) fn put_record(&self, slot: Slot, at: u32, hit: &Hit) {
        self.put(slot, at + record::T, self.cast(hit.t, Ty::I32));
        for (i, value) in hit.barycentrics.into_iter().enumerate() {
            self.put(slot, at + record::BARYCENTRICS + i as u32, self.cast(value, Ty::I32));
        }
        self.put_truth(slot, at + record::FRONT, hit.front);
        self.put_truth(slot, at + record::OPAQUE, hit.opaque);
        self.put(slot, at + record::INSTANCE, hit.instance);
        self.put(slot, at + record::GEOMETRY, hit.geometry);
        self.put(slot, at + record::PRIMITIVE, hit.primitive);
        self.put(slot, at + record::PLACE, hit.place);
    }

    /// Consecutive words of a scene, of one type: those that begin `offset` after a place.
    pub(super) fn scene_words(
        &self,
        scene: &super::search::Scene,
        place: Value,
        offset: u32,
        count: usize,
        ty: Ty,
    ) -> Values {
        // Without a trace there is no scene, and no query gets as far as this.
        if scene.all.is_empty() {
            return (0..count).map(|_| self.constant(ty, 0)).collect();
        }
        let word = self.with(Binary::Add, place, u64::from(offset));
        let at = ir::Address::Byte(self.with(Binary::Shl, word, 2));
        self.of_scenes(scene, &scene.all, &|binding| {
            let is_array = self.source.resource(binding).count != Some(1);
            let element = is_array.then_some(scene.element);
            let op = Op::Load { place: ir::Place { binding, element }, at };
            self.results(self.add(op, &vec![ty; count]))
        })
    }

    /// The load from the scene that was traced, of those that are left.
    fn of_scenes(
        &self,
        scene: &super::search::Scene,
        left: &[Binding],
        load: &dyn Fn(Binding) -> Values,
    ) -> Values {
        match left {
            [] => unreachable!("the caller has a scene"),
            [only] => load(*only),
            [first, rest @ ..] => {
                let number = (scene.all.len() - left.len()) as u32;
                let is_first = self.test(Compare::Eq, scene.number, self.word(number));
                self.either(is_first, || load(*first), || self.of_scenes(scene, rest, load))
            }
        }
    }
}
