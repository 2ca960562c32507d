//! The state machine of a query, one for each lane.

use std::hash::{Hash, Hasher};

use super::interleave::{Proceeding, interleave};
use super::search::{self, Admissible, Hit, Key, Method, Search, Wanted};
use super::vector::Portable;
use super::{Ray, Scene, ray_flag};

/// A `RayQuery` object of one lane. Plain data: a copy is a separate query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    pub(super) state: State,
    pub(super) status: Status,
    pub(super) ray: Ray,
    pub(super) flags: u32,
    mask: u32,
    /// The t of the committed hit, or of the ray's end.
    pub(super) t_max: f32,
    /// The search is over: aborted, or ended by its first commit.
    ended: bool,
    /// The last primitive that was committed or offered.
    last: Option<Key>,
    pub(super) candidate: Record,
    pub(super) committed: Record,
}

/// Where a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum State {
    /// Only `TraceRayInline` is allowed.
    #[default]
    New,
    /// Before the first `Proceed`.
    Traced,
    CandidateTriangle,
    CandidateProcedural,
    /// `Proceed` has returned false.
    Finished,
}

/// What has been committed; the values are those of `COMMITTED_STATUS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
pub enum Status {
    #[default]
    Nothing = 0,
    Triangle = 1,
    Procedural = 2,
}

/// What became of a commit by the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitResult {
    Committed,
    /// No candidate of this kind: nothing happens.
    WrongState,
    /// A t outside `TMin` to `CommittedRayT`, or a NaN: nothing happens.
    OutOfRange,
}

/// A query that is proceeding.
pub(super) enum Begun<'s> {
    /// Whether there is a candidate for the shader.
    Answered(bool),
    /// The trees of a scene have to be searched; whether any hit will do.
    Searching { scene: &'s Scene, any: bool },
}

/// What became of a hit.
enum Step {
    Offered,
    Committed,
    /// Committed, and the first commit ends the search.
    Ended,
}

/// A candidate or a committed hit.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Record {
    pub(super) t: f32,
    pub(super) barycentrics: [f32; 2],
    pub(super) front: bool,
    pub(super) opaque: bool,
    pub(super) instance: u32,
    pub(super) geometry: u32,
    pub(super) primitive: u32,
}

impl Default for Query {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn default() -> Query {
        Query {
            state: State::New,
            status: Status::Nothing,
            ray: Ray::default(),
            flags: 0,
            mask: 0,
            t_max: 0.0,
            ended: false,
            last: None,
            candidate: Record::default(),
            committed: Record::default(),
        }
    }
}

/// Engines recognise a state that recurs by its hash. What follows from the scene need not be in it.
impl Hash for Query {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Ray { origin, t_min, direction, t_max } = self.ray;
        (origin.map(f32::to_bits), direction.map(f32::to_bits)).hash(hasher);
        (t_min.to_bits(), t_max.to_bits(), self.t_max.to_bits()).hash(hasher);
        (self.state, self.status, self.flags, self.mask, self.ended, self.last).hash(hasher);
        let Record { t, instance, geometry, primitive, .. } = self.committed;
        (t.to_bits(), instance, geometry, primitive).hash(hasher);
    }
}

impl Query {
    pub fn state(&self) -> State {
        self.state
    }

    pub fn status(&self) -> Status {
        self.status
    }

    /// The ray of the last `TraceRayInline`.
    pub fn ray(&self) -> &Ray {
        &self.ray
    }

    /// The flags of the last `TraceRayInline`.
    pub fn flags(&self) -> u32 {
        self.flags
    }

    /// `TraceRayInline`, in any state. The flags are those of the template and the dynamic ones together; unknown
    /// bits are dropped. See [`super::flag_problem`] and [`Ray::problem`] for what is undefined about them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub fn trace(&mut self, flags: u32, mask: u32, ray: Ray) {
        *self = Query {
            state: State::Traced,
            ray,
            flags: flags & ray_flag::KNOWN,
            mask: mask & 0xff,
            t_max: ray.t_max,
            ended: ray.hits_nothing(),
            ..Query::default()
        };
    }

    /// `Proceed`: whether there is a candidate for the shader. `scene` is that of the last `TraceRayInline`; without
    /// one, every ray misses. In state [`State::New`], where it is not allowed, the answer is false.
    pub fn proceed(&mut self, scene: Option<&Scene>, search: &Search) -> bool {
        let mut only = Only { query: self, scene, is_waiting: true, answer: false };
        interleave::<Portable, 1>(&mut only, search);
        only.answer
    }

    /// The beginning of [`Query::proceed`]: an answer, or a search that [`Query::found`] ends.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn begin<'s>(&mut self, scene: Option<&'s Scene>, search: &Search) -> Begun<'s> {
        match self.state {
            State::New | State::Finished => return Begun::Answered(false),
            State::Traced | State::CandidateTriangle | State::CandidateProcedural => {}
        }
        self.state = State::Finished;
        self.candidate = Record::default();
        let Some(scene) = scene.filter(|_| !self.ended) else { return Begun::Answered(false) };
        let is_canonical = search.admissible == Admissible::CANONICAL;
        Begun::Answered(match search.method {
            Method::Tree | Method::Any if is_canonical => {
                let any = search.method == Method::Any && self.is_any_hit(scene);
                return Begun::Searching { scene, any };
            }
            Method::Tree | Method::Any => {
                let hits = search::by_tree(scene, &self.wanted(search.admissible));
                self.go_through(&hits)
            }
            Method::Brute => {
                let hits = search::brute(scene, &self.wanted(search.admissible));
                self.go_through(&hits)
            }
        })
    }

    /// Takes what a search by trees has found: the answer, unless the search goes on.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn found<'s>(&mut self, scene: &'s Scene, hit: Option<&Hit>) -> Begun<'s> {
        let Some(hit) = hit else { return Begun::Answered(false) };
        match self.take(hit) {
            Step::Offered => Begun::Answered(true),
            Step::Ended => Begun::Answered(false),
            // Only boxes begin at the t of a triangle, and come after it.
            Step::Committed if !scene.has_boxes => Begun::Answered(false),
            Step::Committed => Begun::Searching { scene, any: false },
        }
    }

    /// Whether any hit gives the committed status: there can be no candidate, and the first hit ends the search.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn is_any_hit(&self, scene: &Scene) -> bool {
        let has = |flags: u32| self.flags & flags != 0;
        has(ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH)
            && !has(ray_flag::FORCE_NON_OPAQUE)
            && has(ray_flag::FORCE_OPAQUE | ray_flag::CULL_NON_OPAQUE)
            && (has(ray_flag::SKIP_PROCEDURAL_PRIMITIVES) || !scene.has_boxes)
    }

    /// Takes hits that are in order.
    fn go_through(&mut self, hits: &[Hit]) -> bool {
        for hit in hits {
            // Commits before this one may have shortened the ray.
            if !hit.in_range(self.t_max) {
                continue;
            }
            match self.take(hit) {
                Step::Offered => return true,
                Step::Ended => return false,
                Step::Committed => {}
            }
        }
        false
    }

    /// Commits an opaque triangle, and offers what the shader must judge.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn take(&mut self, hit: &Hit) -> Step {
        self.last = Some(hit.key);
        let record = Record::from(hit);
        if hit.procedural || !hit.opaque {
            self.candidate = record;
            self.state = match hit.procedural {
                true => State::CandidateProcedural,
                false => State::CandidateTriangle,
            };
            return Step::Offered;
        }
        self.commit(record, Status::Triangle);
        if self.ended { Step::Ended } else { Step::Committed }
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn wanted(&self, admissible: Admissible) -> Wanted {
        Wanted {
            ray: self.ray,
            flags: self.flags,
            mask: self.mask,
            t_max: self.t_max,
            after: self.last,
            admissible,
        }
    }

    /// `Abort`: whether it is allowed. The next `Proceed` returns false; what is committed stays.
    pub fn abort(&mut self) -> bool {
        self.ended = true;
        self.state != State::New
    }

    /// `CommitNonOpaqueTriangleHit`.
    pub fn commit_triangle(&mut self) -> CommitResult {
        if self.state != State::CandidateTriangle {
            return CommitResult::WrongState;
        }
        self.commit(self.candidate, Status::Triangle);
        CommitResult::Committed
    }

    /// `CommitProceduralPrimitiveHit`.
    pub fn commit_procedural(&mut self, t: f32) -> CommitResult {
        if self.state != State::CandidateProcedural {
            return CommitResult::WrongState;
        }
        if !(self.ray.t_min <= t && t <= self.t_max) {
            return CommitResult::OutOfRange;
        }
        self.commit(Record { t, ..self.candidate }, Status::Procedural);
        CommitResult::Committed
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn commit(&mut self, record: Record, status: Status) {
        self.committed = record;
        self.status = status;
        self.t_max = record.t;
        self.ended |= self.flags & ray_flag::ACCEPT_FIRST_HIT_AND_END_SEARCH != 0;
    }
}

/// One query, which proceeds alone.
struct Only<'q, 's> {
    query: &'q mut Query,
    scene: Option<&'s Scene>,
    is_waiting: bool,
    answer: bool,
}

impl<'s> Proceeding<'s> for Only<'_, 's> {
    type Handle = ();

    fn next(&mut self) -> Option<()> {
        std::mem::take(&mut self.is_waiting).then_some(())
    }

    fn query(&mut self, (): ()) -> (&mut Query, Option<&'s Scene>) {
        (self.query, self.scene)
    }

    fn answer(&mut self, (): (), proceeds: bool) {
        self.answer = proceeds;
    }
}

impl From<&Hit> for Record {
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn from(hit: &Hit) -> Record {
        Record {
            t: hit.t as f32,
            barycentrics: hit.barycentrics,
            front: hit.front,
            opaque: hit.opaque,
            instance: hit.instance,
            geometry: hit.geometry,
            primitive: hit.primitive,
        }
    }
}
