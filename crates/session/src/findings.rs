//! What the sanitizer finds in a run, and when: the run is repeated under the sanitizer.

use std::sync::Arc;

use diag::Span;
use interp::observe::{At, NoteEvent, Pair};
use interp::{Observer, Run};
use ops::LaneMask;
use sanitizer::{Kind, Rules, Watcher};

use crate::session::{Recipe, Session};
use crate::waves::{Seen, WaveId, Waves};

/// The most wave-instructions that are watched.
const WATCHED: u64 = 1 << 26;

/// A finding of the sanitizer, and when it happens.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The statement that the wave executed.
    pub tick: u64,
    pub wave: WaveId,
    pub finding: sanitizer::Finding,
}

impl Session {
    /// What the sanitizer finds in the run, in its order, with the statement at which it happens. The run is repeated
    /// for this; of a long one, the beginning is watched.
    pub fn findings(&self) -> Vec<Finding> {
        let Recipe { launch, variation, bindings, .. } = &self.recipe;
        let Ok(mut run) = Run::new(&self.program, launch, *variation) else { return Vec::new() };
        let mut bindings = bindings.clone();
        let mut view = Waves::new(Arc::new(self.module.notes.clone()), self.width());
        let watcher = Watcher::new(&self.module, self.width(), Rules::default());
        let mut finder = Finder {
            watcher: watcher.with_bindings(&bindings),
            view: &mut view,
            found: Vec::new(),
        };
        // How it ends does not matter: findings up to there count.
        let _ = run.advance(&self.program, &mut bindings, &mut finder, WATCHED);
        let Finder { watcher, found, .. } = finder;
        let all = watcher.into_findings();
        let mut findings: Vec<Finding> = all
            .into_iter()
            .map(|finding| {
                let key = (finding.kind, finding.site.span);
                let tick = found.iter().find(|it| it.0 == key).map_or(0, |it| it.1);
                Finding { tick, wave: (finding.group, finding.wave), finding }
            })
            .collect();
        findings.sort_by_key(|it| it.tick);
        findings
    }
}

/// Notes when the sanitizer finds something.
struct Finder<'a, 'm> {
    watcher: Watcher<'m>,
    view: &'a mut Waves,
    found: Vec<((Kind, Span), u64)>,
}

impl Finder<'_, '_> {
    fn look(&mut self, at: At) {
        let wave = self.view.wave((at.group, at.wave));
        let tick = wave.and_then(Seen::tick).unwrap_or(0);
        for finding in self.watcher.found().skip(self.found.len()) {
            self.found.push(((finding.kind, finding.site.span), tick));
        }
    }
}

/// Forwards events to the sanitizer, and checks for new findings.
macro_rules! watched {
    ($($name:ident($event:ident: $ty:ty) => $at:expr;)*) => {
        $(fn $name(&mut self, $event: $ty) {
            Pair(&mut self.watcher, &mut *self.view).$name($event);
            self.look($at);
        })*
    };
}

impl Observer for Finder<'_, '_> {
    const INDIRECT: bool = true;

    fn group_begin(&mut self, group: [u32; 3]) {
        self.watcher.group_begin(group);
    }

    fn group_end(&mut self, group: [u32; 3]) {
        Pair(&mut self.watcher, &mut *self.view).group_end(group);
    }

    fn arithmetic(&mut self, at: At, hazard: ops::scalar::Hazard, lanes: LaneMask) {
        self.watcher.arithmetic(at, hazard, lanes);
        self.look(at);
    }

    fn exit(&mut self, at: At, to: interp::observe::ExitTo) {
        self.watcher.exit(at, to);
        self.look(at);
    }

    watched! {
        wave_begin(at: At) => at;
        wave_end(at: At) => at;
        wave_op(event: &interp::observe::WaveEvent<'_>) => event.at;
        barrier(event: &interp::observe::BarrierEvent) => event.at;
        load(event: &interp::observe::AccessEvent<'_>) => event.at;
        store(event: &interp::observe::AccessEvent<'_>) => event.at;
        atomic(event: &interp::observe::AccessEvent<'_>) => event.at;
        sample(event: &interp::observe::SampleEvent<'_>) => event.at;
        ray(event: &interp::observe::RayEvent<'_>) => event.at;
        derivative(event: &interp::observe::DerivativeEvent) => event.at;
        diverge(event: &interp::observe::DivergeEvent<'_>) => event.at;
        enter(at: At) => at;
        back_edge(at: At) => at;
        reconverge(at: At) => at;
        note(event: &NoteEvent<'_>) => event.at;
    }
}
