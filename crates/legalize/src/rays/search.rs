//! The search for the next hit of a query, in the trees of a packed scene: `ops::ray::tree` as instructions.
//!
//! Nodes are visited in their order, and those whose boxes the ray passes by are left out with everything inside. Boxes
//! are pruned as conservatively as there, so that the result is the same: the first hit in the canonical order after
//! the last one.

use ir::{Value, Values};
use ops::ray::packed::{self, header, instance, node, primitive};
use ops::ray::ray_flag;
use ops::{Binary, Compare, Sign, Ty, Unary};

use super::state::{Hit, Slot, field};
use crate::writer::Writer;

/// The scene of a query, and where it is bound.
pub(super) struct Scene {
    pub(super) all: Vec<ir::Binding>,
    pub(super) number: Value,
    pub(super) element: Value,
}

/// What a search looks for.
pub(super) struct Wanted {
    pub(super) flags: Value,
    pub(super) t_min: Value,
    pub(super) t_max: Value,
    has_last: Value,
    last_t: Value,
    last: [Value; 3],
    /// No hit that is wanted is nearer.
    near: Value,
}

/// A ray in the space of a tree.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) origin: [Value; 3],
    pub(super) direction: [Value; 3],
}

/// An instance that is searched.
pub(super) struct Inside {
    pub(super) number: Value,
    pub(super) flags: Value,
    pub(super) procedural: Value,
    pub(super) line: Line,
    pub(super) shear: super::meet::Shear,
}

/// A ray that is prepared for the test of boxes.
struct Slab {
    /// Whether the numbers are such that boxes may be left out.
    prunes: Value,
    /// The origins for low and high planes, which lie beside the true one.
    low: [Value; 3],
    high: [Value; 3],
    inverse: [Value; 3],
    backward: [Value; 3],
}

/// The best hit so far.
#[derive(Clone, Copy)]
struct Best {
    /// Whether there is one.
    is_hit: Value,
    /// The t of its key.
    key: Value,
    /// The t that ends the search.
    far: Value,
    barycentrics: [Value; 2],
    front: Value,
    opaque: Value,
    procedural: Value,
    /// The numbers of the instance, the geometry and the primitive.
    numbers: [Value; 3],
    place: Value,
}

/// The values of a [`Best`], which loops and branches hand on.
const PARTS: usize = 12;

impl Best {
    fn values(self) -> [Value; PARTS] {
        let Best { is_hit, key, far, front, opaque, procedural, place, .. } = self;
        let ([b1, b2], [instance, geometry, primitive]) = (self.barycentrics, self.numbers);
        [is_hit, key, far, b1, b2, front, opaque, procedural, instance, geometry, primitive, place]
    }

    fn of(values: [Value; PARTS]) -> Best {
        let [is_hit, key, far, b1, b2, front, opaque, procedural, numbers @ .., place] = values;
        Best { is_hit, key, far, barycentrics: [b1, b2], front, opaque, procedural, numbers, place }
    }
}

/// See `slab.rs` of the tree.
const LEAST: f32 = 1e-18;
const MOST: f32 = 1e18;
const SLACK: f32 = 1.0 + 1.0 / (1u32 << 21) as f32;

const LT: Compare = Compare::Lt(Sign::Signed);
const LE: Compare = Compare::Le(Sign::Signed);
const GT: Compare = Compare::Gt(Sign::Signed);

impl Writer<'_> {
    pub(super) fn scene_of(&self, slot: Slot) -> Scene {
        Scene {
            all: self.scenes(),
            number: self.state_word(slot, field::SCENE),
            element: self.state_word(slot, field::ELEMENT),
        }
    }

    /// Whether there are boxes.
    pub(super) fn has_boxes(&self, scene: &Scene) -> Value {
        let has = self.scene_words(scene, self.word(0), header::HAS_BOXES, 1, Ty::I32)[0];
        self.test(Compare::Ne, has, self.word(0))
    }

    /// Where the record of an instance begins.
    pub(super) fn instance_at(&self, number: Value) -> Value {
        let words = self.with(Binary::Mul, number, u64::from(instance::WORDS));
        self.with(Binary::Add, words, u64::from(header::WORDS))
    }

    pub(super) fn single(&self, number: f32) -> Value {
        self.constant(Ty::F32, number.to_bits().into())
    }

    pub(super) fn double_of(&self, value: Value) -> Value {
        self.converted(value, Sign::Signed, Ty::F64)
    }

    pub(super) fn single_of(&self, value: Value) -> Value {
        self.converted(value, Sign::Signed, Ty::F32)
    }

    /// A vector times a matrix of three rows of four, in f64, each result rounded once.
    pub(super) fn transformed(&self, m: &Values, v: [Value; 3], is_point: bool) -> [Value; 3] {
        let v = v.map(|it| self.double_of(it));
        [0, 4, 8].map(|row| {
            let [x, y, z] =
                [0, 1, 2].map(|it| self.op2(Binary::Mul, self.double_of(m[row + it]), v[it]));
            let sum = self.op2(Binary::Add, self.op2(Binary::Add, x, y), z);
            let sum = match is_point {
                true => self.op2(Binary::Add, sum, self.double_of(m[row + 3])),
                false => sum,
            };
            self.single_of(sum)
        })
    }

    /// Lanes repeat `body` as long as the condition holds.
    fn repeat_while<const N: usize>(
        &self,
        inits: [Value; N],
        goes_on: impl FnOnce(&[Value; N]) -> Value,
        body: impl FnOnce([Value; N]) -> [Value; N],
    ) -> [Value; N] {
        self.repeat_until(inits, |values| {
            let goes_on = goes_on(&values);
            let next = self.branch(goes_on, || body(values), || values);
            (self.op1(Unary::Not, goes_on), next)
        })
    }

    /// The next hit: whether there is one, the t of its key, and what it is.
    pub(super) fn closest(&self, slot: Slot, scene: &Scene) -> (Value, Value, Hit) {
        let vector = |first: u32| [0, 1, 2].map(|it| self.float(slot, first + it));
        let world = Line { origin: vector(field::RAY), direction: vector(field::RAY + 4) };
        let (last_t, last) = self.last(slot);
        let t_min = self.float(slot, field::T_MIN);
        let has_last = self.truth_of(slot, field::HAS_LAST);
        // What comes after a hit in the canonical order is not nearer.
        let least = self.op2(Binary::Mul, self.single_of(last_t), self.single(2.0 - SLACK));
        let least = self.op2(Binary::Sub, least, self.single(f32::MIN_POSITIVE));
        let nearer = self.test(GT, least, t_min);
        let near = self.choose(self.both(has_last, nearer), least, t_min);
        let wanted = Wanted {
            flags: self.state_word(slot, field::FLAGS),
            t_min,
            t_max: self.float(slot, field::T_MAX),
            has_last,
            last_t,
            last,
            near,
        };
        let mask = self.state_word(slot, field::MASK);
        let head = self.scene_words(scene, self.word(0), 0, 8, Ty::I32);
        let part = |at: u32| head[at as usize];
        let [reach, pad] = [header::REACH, header::PAD].map(|it| self.cast(part(it), Ty::F32));
        let slab = self.slab(&world, reach, pad, t_min);
        let (items, end) = (part(header::ITEMS), part(header::NODES_END));

        let [no, zero] = [self.falsehood(), self.word(0)];
        let [zero_f, zero_d] = [Ty::F32, Ty::F64].map(|it| self.constant(it, 0));
        let none = Best {
            is_hit: no,
            key: zero_d,
            far: wanted.t_max,
            barycentrics: [zero_f; 2],
            front: no,
            opaque: no,
            procedural: no,
            numbers: [zero; 3],
            place: zero,
        };
        let best =
            self.each_leaf(scene, (part(header::NODES), end), &slab, &wanted, none, |it, best| {
                let at = self.op2(Binary::Add, items, it);
                let number = self.scene_words(scene, at, 0, 1, Ty::I32)[0];
                self.enter(scene, &wanted, (number, mask), &world, best)
            });
        let Best { barycentrics, front, opaque, procedural, place, .. } = best;
        let [instance, geometry, primitive] = best.numbers;
        let hit = Hit {
            t: self.single_of(best.key),
            barycentrics,
            front,
            opaque,
            procedural,
            instance,
            geometry,
            primitive,
            place,
        };
        (best.is_hit, best.key, hit)
    }

    /// Runs `body` for each item of the leaves that the ray may meet.
    fn each_leaf(
        &self,
        scene: &Scene,
        (first, end): (Value, Value),
        slab: &Slab,
        wanted: &Wanted,
        best: Best,
        body: impl FnOnce(Value, Best) -> Best,
    ) -> Best {
        let lt = Compare::Lt(Sign::Unsigned);
        let done = self.repeat_while(
            joined(first, best),
            |values| self.test(lt, values[0], end),
            |values| {
                let (at, best) = parted(values);
                let planes = self.scene_words(scene, at, node::LOW, 6, Ty::F32);
                let links = self.scene_words(scene, at, node::SKIP, 2, Ty::I32);
                let meets = self.meets(slab, &planes, wanted.near, best.far);
                let first = self.with(Binary::And, links[1], (1 << node::FIRST_BITS) - 1);
                let count =
                    self.with(Binary::Shr(Sign::Unsigned), links[1], u64::from(node::FIRST_BITS));
                let is_leaf = self.test(Compare::Ne, count, self.word(0));
                let last = self.op2(Binary::Add, first, count);
                let enters = self.both(meets, is_leaf);
                let best = self.branch(
                    enters,
                    || {
                        let done = self.repeat_while(
                            joined(first, best),
                            |values| self.test(lt, values[0], last),
                            |values| {
                                let (item, best) = parted(values);
                                let best = body(item, best);
                                joined(self.with(Binary::Add, item, 1), best)
                            },
                        );
                        parted(done).1.values()
                    },
                    || best.values(),
                );
                let inner = self.with(Binary::Add, at, u64::from(node::WORDS));
                joined(self.choose(meets, inner, links[0]), Best::of(best))
            },
        );
        parted(done).1
    }

    /// Searches an instance, if it takes part.
    fn enter(
        &self,
        scene: &Scene,
        wanted: &Wanted,
        (number, mask): (Value, Value),
        world: &Line,
        best: Best,
    ) -> Best {
        let placed = self.instance_at(number);
        let facts = self.scene_words(scene, placed, instance::MASK, 4, Ty::I32);
        let fact = |at: u32| facts[(at - instance::MASK) as usize];
        let seen = self.op2(Binary::And, fact(instance::MASK), mask);
        let is_seen = self.test(Compare::Ne, seen, self.word(0));
        let procedural = self.test(Compare::Ne, fact(instance::PROCEDURAL), self.word(0));
        let skipped = self.choose(
            procedural,
            self.word(ray_flag::SKIP_PROCEDURAL_PRIMITIVES),
            self.word(ray_flag::SKIP_TRIANGLES),
        );
        let skips = self.op2(Binary::And, wanted.flags, skipped);
        let is_kind = self.test(Compare::Eq, skips, self.word(0));
        let flags = fact(instance::FLAGS);
        Best::of(self.branch(
            self.both(is_seen, is_kind),
            || {
                let matrix =
                    self.scene_words(scene, placed, instance::WORLD_TO_OBJECT, 12, Ty::F32);
                let origin = self.transformed(&matrix, world.origin, true);
                let direction = self.transformed(&matrix, world.direction, false);
                let line = Line { origin, direction };
                let mut is_lost = self.are_zero(direction);
                for number in origin.into_iter().chain(direction) {
                    is_lost = self.op2(Binary::Or, is_lost, self.op1(Unary::IsNan, number));
                }
                self.branch(
                    is_lost,
                    || best.values(),
                    || {
                        let tree = self.scene_words(scene, placed, instance::NODES, 4, Ty::I32);
                        let reach = self.cast(tree[3], Ty::F32);
                        let slab = self.slab(&line, reach, self.single(packed::PAD), wanted.t_min);
                        let shear = self.shear(&line);
                        let inside = Inside { number, flags, procedural, line, shear };
                        let nodes = (tree[0], tree[1]);
                        let best = self.each_leaf(scene, nodes, &slab, wanted, best, |it, best| {
                            let words = self.with(Binary::Mul, it, u64::from(primitive::WORDS));
                            let place = self.op2(Binary::Add, tree[2], words);
                            self.primitive(scene, wanted, &inside, place, best)
                        });
                        best.values()
                    },
                )
            },
            || best.values(),
        ))
    }

    /// Tests a primitive, and keeps its hit if it comes before the best one.
    fn primitive(
        &self,
        scene: &Scene,
        wanted: &Wanted,
        inside: &Inside,
        place: Value,
        best: Best,
    ) -> Best {
        let numbers = self.scene_words(scene, place, primitive::NUMBERS, 9, Ty::F32);
        let named = self.scene_words(scene, place, primitive::GEOMETRY, 3, Ty::I32);
        let opaque = self.opacity(wanted, inside, named[2]);
        let [is_hit, key, b1, b2, front] = self.branch(
            inside.procedural,
            || self.meet_box(wanted, inside, &numbers),
            || self.meet_triangle(wanted, inside, &numbers),
        );
        let culled = self.choose(
            opaque,
            self.word(ray_flag::CULL_OPAQUE),
            self.word(ray_flag::CULL_NON_OPAQUE),
        );
        let culls = self.op2(Binary::And, wanted.flags, culled);
        let is_kept = self.test(Compare::Eq, culls, self.word(0));
        let own = [inside.number, named[0], named[1]];
        let is_later = self.comes_after((key, own), (wanted.last_t, wanted.last));
        let is_first = self.op1(Unary::Not, wanted.has_last);
        let is_next = self.op2(Binary::Or, is_first, is_later);
        let is_nearer = self.comes_after((best.key, best.numbers), (key, own));
        let is_only = self.op1(Unary::Not, best.is_hit);
        let is_better = self.op2(Binary::Or, is_only, is_nearer);
        let is_taken = self.both(self.both(is_hit, is_kept), self.both(is_next, is_better));
        // More than the t of the hit: a box is entered at a t of more digits.
        let far = self.op2(Binary::Mul, self.single_of(key), self.single(SLACK));
        let far = self.op2(Binary::Add, far, self.single(f32::MIN_POSITIVE));
        let taken = Best {
            is_hit: self.constant(Ty::Bool, 1),
            key,
            far,
            barycentrics: [b1, b2],
            front,
            opaque,
            procedural: inside.procedural,
            numbers: own,
            place,
        };
        let (taken, best) = (taken.values(), best.values());
        Best::of(std::array::from_fn(|it| self.choose(is_taken, taken[it], best[it])))
    }

    /// Whether a key comes after another in the canonical order.
    fn comes_after(&self, a: (Value, [Value; 3]), b: (Value, [Value; 3])) -> Value {
        let mut after = self.falsehood();
        for (x, y) in a.1.into_iter().zip(b.1).rev() {
            let is_same = self.test(Compare::Eq, x, y);
            let is_more = self.test(Compare::Gt(Sign::Unsigned), x, y);
            after = self.op2(Binary::Or, is_more, self.both(is_same, after));
        }
        let is_same = self.test(Compare::Eq, a.0, b.0);
        self.op2(Binary::Or, self.test(GT, a.0, b.0), self.both(is_same, after))
    }

    /// Prepares a ray for a tree. Every box is enlarged by moving the origin, by twice as much as the tree does: then
    /// the rounding of the sum does not matter.
    fn slab(&self, line: &Line, reach: Value, pad: Value, t_min: Value) -> Slab {
        let largest = |v: [Value; 3]| {
            let [x, y, z] = v.map(|it| self.absolute(it));
            let most = self.choose(self.test(GT, x, y), x, y);
            self.choose(self.test(GT, most, z), most, z)
        };
        let (size, length) = (largest(line.origin), largest(line.direction));
        let (least, most) = (self.single(LEAST), self.single(MOST));
        let mut prunes = self.test(LE, size, most);
        for value in [length, reach] {
            let from = self.test(LE, least, value);
            prunes = self.both(prunes, self.both(from, self.test(LE, value, most)));
        }
        let is_forward = self.test(LE, self.single(0.0), t_min);
        let prunes = self.both(prunes, is_forward);
        let tiny = self.single(f32::MIN_POSITIVE);
        let pad = self.op2(Binary::Add, self.op2(Binary::Mul, pad, size), tiny);
        let pad = self.op2(Binary::Add, pad, pad);
        let [greatest, smallest] = [f32::MAX, -f32::MAX].map(|it| self.single(it));
        let inverse = line.direction.map(|it| {
            let zero = self.test(Compare::Eq, it, self.single(0.0));
            let one = self.single(1.0);
            let divided = self.op2(Binary::Div(Sign::Signed), one, self.choose(zero, one, it));
            let divided = self.choose(self.test(GT, divided, greatest), greatest, divided);
            let divided = self.choose(self.test(LT, divided, smallest), smallest, divided);
            self.choose(zero, greatest, divided)
        });
        Slab {
            prunes,
            low: line.origin.map(|it| self.op2(Binary::Add, it, pad)),
            high: line.origin.map(|it| self.op2(Binary::Sub, it, pad)),
            inverse,
            backward: line.direction.map(|it| self.test(LT, it, self.single(0.0))),
        }
    }

    /// Whether the ray may meet a box between two distances.
    fn meets(&self, slab: &Slab, planes: &Values, near: Value, far: Value) -> Value {
        let (mut near, mut far) = (near, far);
        for axis in 0..3 {
            let distance = |plane: Value, origin: Value| {
                self.op2(Binary::Mul, self.op2(Binary::Sub, plane, origin), slab.inverse[axis])
            };
            let low = distance(planes[axis], slab.low[axis]);
            let high = distance(planes[axis + 3], slab.high[axis]);
            let enters = self.choose(slab.backward[axis], high, low);
            let leaves = self.choose(slab.backward[axis], low, high);
            near = self.choose(self.test(GT, enters, near), enters, near);
            far = self.choose(self.test(LT, leaves, far), leaves, far);
        }
        let far = self.op2(Binary::Mul, far, self.single(SLACK));
        let far = self.op2(Binary::Add, far, self.single(f32::MIN_POSITIVE));
        let is_met = self.test(LE, near, far);
        self.op2(Binary::Or, is_met, self.op1(Unary::Not, slab.prunes))
    }

    /// The absolute value, by its bits.
    pub(super) fn absolute(&self, value: Value) -> Value {
        let bits = self.with(Binary::And, self.cast(value, Ty::I32), 0x7fff_ffff);
        self.cast(bits, Ty::F32)
    }
}

/// What a loop over items hands on: the item, and the best hit.
fn joined(item: Value, best: Best) -> [Value; PARTS + 1] {
    let best = best.values();
    std::array::from_fn(|it| if it == 0 { item } else { best[it - 1] })
}

fn parted(values: [Value; PARTS + 1]) -> (Value, Best) {
    (values[0], Best::of(std::array::from_fn(|it| values[it + 1])))
}
