//! Type erasure of observers: those that are called through a pointer share one copy of the engine's code.
//!
//! The engine is generic over its observer, so that events cost nothing where they are not needed. A copy of it has 100
//! KB, and most observers serve runs that are few: they explain findings, or step. [`Observer::INDIRECT`] says which.

use ir::exec::WaveInputs;
use ops::LaneMask;
use ops::scalar::Hazard;

use crate::observe::{
    AccessEvent, At, BarrierEvent, DerivativeEvent, DiscardEvent, DivergeEvent, EvalEvent, ExitTo,
    FeedbackEvent, NoteEvent, Observer, OutputEvent, RayEvent, SampleEvent, WaveEvent, with_events,
};

macro_rules! events {
    ($($event:ident($($arg:ident: $ty:ty),*);)*) => {
        /// [`Observer`] without its constants, which a type behind a pointer cannot have.
        pub(crate) trait Events {
            $(fn $event(&mut self, $($arg: $ty),*);)*
            fn pauses(&mut self) -> bool;
        }

        impl<O: Observer> Events for O {
            $(fn $event(&mut self, $($arg: $ty),*) {
                Observer::$event(self, $($arg),*);
            })*

            fn pauses(&mut self) -> bool {
                Observer::pauses(self)
            }
        }
    };
}

with_events!(events);

macro_rules! to_it {
    ($($event:ident($($arg:ident: $ty:ty),*);)*) => {
        $(fn $event(&mut self, $($arg: $ty),*) {
            self.0.$event($($arg),*);
        })*
    };
}

/// An observer whose type is not known, of a run that tracks poison or does not.
pub(crate) struct Erased<'a, const POISON: bool>(pub(crate) &'a mut dyn Events);

impl<const POISON: bool> Observer for Erased<'_, POISON> {
    const POISON: bool = POISON;

    with_events!(to_it);

    fn pauses(&mut self) -> bool {
        self.0.pauses()
    }
}
