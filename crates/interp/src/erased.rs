//! Type erasure of observers: those that are called through a pointer share one copy of the engine's code.
//!
//! The engine is generic over its observer, so that events cost nothing where nobody wants them. A copy of it has 100 KB,
//! and most observers serve runs that are few: they explain findings, or step. [`Observer::INDIRECT`] says which.

use ir::exec::WaveInputs;
use ops::LaneMask;
use ops::scalar::Hazard;

use crate::observe::{
    AccessEvent, At, BarrierEvent, DerivativeEvent, DiscardEvent, DivergeEvent, ExitTo,
    FeedbackEvent, NoteEvent, Observer, OutputEvent, RayEvent, SampleEvent, WaveEvent,
};

/// [`Observer`] without its constants, which a type behind a pointer cannot have.
pub(crate) trait Events {
    fn group_begin(&mut self, group: [u32; 3]);
    fn group_end(&mut self, group: [u32; 3]);
    fn wave_begin(&mut self, at: At);
    fn fed(&mut self, at: At, inputs: &WaveInputs);
    fn discard(&mut self, event: &DiscardEvent);
    fn output(&mut self, event: &OutputEvent);
    fn wave_end(&mut self, at: At);
    fn wave_op(&mut self, event: &WaveEvent<'_>);
    fn barrier(&mut self, event: &BarrierEvent);
    fn load(&mut self, event: &AccessEvent<'_>);
    fn store(&mut self, event: &AccessEvent<'_>);
    fn atomic(&mut self, event: &AccessEvent<'_>);
    fn sample(&mut self, event: &SampleEvent<'_>);
    fn feedback(&mut self, event: &FeedbackEvent<'_>);
    fn ray(&mut self, event: &RayEvent<'_>);
    fn derivative(&mut self, event: &DerivativeEvent);
    fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask);
    fn diverge(&mut self, event: &DivergeEvent<'_>);
    fn enter(&mut self, at: At);
    fn back_edge(&mut self, at: At);
    fn reconverge(&mut self, at: At);
    fn exit(&mut self, at: At, to: ExitTo);
    fn note(&mut self, event: &NoteEvent<'_>);
    fn pauses(&mut self) -> bool;
}

impl<O: Observer> Events for O {
    fn group_begin(&mut self, group: [u32; 3]) {
        Observer::group_begin(self, group);
    }

    fn group_end(&mut self, group: [u32; 3]) {
        Observer::group_end(self, group);
    }

    fn wave_begin(&mut self, at: At) {
        Observer::wave_begin(self, at);
    }

    fn fed(&mut self, at: At, inputs: &WaveInputs) {
        Observer::fed(self, at, inputs);
    }

    fn discard(&mut self, event: &DiscardEvent) {
        Observer::discard(self, event);
    }

    fn output(&mut self, event: &OutputEvent) {
        Observer::output(self, event);
    }

    fn wave_end(&mut self, at: At) {
        Observer::wave_end(self, at);
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        Observer::wave_op(self, event);
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        Observer::barrier(self, event);
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        Observer::load(self, event);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        Observer::store(self, event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        Observer::atomic(self, event);
    }

    fn sample(&mut self, event: &SampleEvent<'_>) {
        Observer::sample(self, event);
    }

    fn feedback(&mut self, event: &FeedbackEvent<'_>) {
        Observer::feedback(self, event);
    }

    fn ray(&mut self, event: &RayEvent<'_>) {
        Observer::ray(self, event);
    }

    fn derivative(&mut self, event: &DerivativeEvent) {
        Observer::derivative(self, event);
    }

    fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask) {
        Observer::arithmetic(self, at, hazard, lanes);
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        Observer::diverge(self, event);
    }

    fn enter(&mut self, at: At) {
        Observer::enter(self, at);
    }

    fn back_edge(&mut self, at: At) {
        Observer::back_edge(self, at);
    }

    fn reconverge(&mut self, at: At) {
        Observer::reconverge(self, at);
    }

    fn exit(&mut self, at: At, to: ExitTo) {
        Observer::exit(self, at, to);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        Observer::note(self, event);
    }

    fn pauses(&mut self) -> bool {
        Observer::pauses(self)
    }
}

/// An observer whose type is not known, of a run that tracks poison or does not.
pub(crate) struct Erased<'a, const POISON: bool>(pub(crate) &'a mut dyn Events);

impl<const POISON: bool> Observer for Erased<'_, POISON> {
    const POISON: bool = POISON;

    fn group_begin(&mut self, group: [u32; 3]) {
        self.0.group_begin(group);
    }

    fn group_end(&mut self, group: [u32; 3]) {
        self.0.group_end(group);
    }

    fn wave_begin(&mut self, at: At) {
        self.0.wave_begin(at);
    }

    fn fed(&mut self, at: At, inputs: &WaveInputs) {
        self.0.fed(at, inputs);
    }

    fn discard(&mut self, event: &DiscardEvent) {
        self.0.discard(event);
    }

    fn output(&mut self, event: &OutputEvent) {
        self.0.output(event);
    }

    fn wave_end(&mut self, at: At) {
        self.0.wave_end(at);
    }

    fn wave_op(&mut self, event: &WaveEvent<'_>) {
        self.0.wave_op(event);
    }

    fn barrier(&mut self, event: &BarrierEvent) {
        self.0.barrier(event);
    }

    fn load(&mut self, event: &AccessEvent<'_>) {
        self.0.load(event);
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.0.store(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        self.0.atomic(event);
    }

    fn sample(&mut self, event: &SampleEvent<'_>) {
        self.0.sample(event);
    }

    fn feedback(&mut self, event: &FeedbackEvent<'_>) {
        self.0.feedback(event);
    }

    fn ray(&mut self, event: &RayEvent<'_>) {
        self.0.ray(event);
    }

    fn derivative(&mut self, event: &DerivativeEvent) {
        self.0.derivative(event);
    }

    fn arithmetic(&mut self, at: At, hazard: Hazard, lanes: LaneMask) {
        self.0.arithmetic(at, hazard, lanes);
    }

    fn diverge(&mut self, event: &DivergeEvent<'_>) {
        self.0.diverge(event);
    }

    fn enter(&mut self, at: At) {
        self.0.enter(at);
    }

    fn back_edge(&mut self, at: At) {
        self.0.back_edge(at);
    }

    fn reconverge(&mut self, at: At) {
        self.0.reconverge(at);
    }

    fn exit(&mut self, at: At, to: ExitTo) {
        self.0.exit(at, to);
    }

    fn note(&mut self, event: &NoteEvent<'_>) {
        self.0.note(event);
    }

    fn pauses(&mut self) -> bool {
        self.0.pauses()
    }
}
