//! Alpha to coverage: an alpha decides how many samples of a pixel are covered, and the machine which ones.
//!
//! Where a draw shows the difference, the finding names the alpha of the pixel and the operation that made it.

use std::collections::BTreeMap;

use interp::Observer;
use interp::observe::{AccessEvent, At, DiscardEvent, OutputEvent};
use ir::exec::{Invocation, WaveInputs};
use ir::stage::{SystemValue, element_of, with_slots};
use ir::{HostScalar, Inst, Module, Op, Slot};
use ops::intrinsics::Stage;
use ops::{F16, LaneMask};

use super::explain::MARKS;
use super::{Ended, How, Part, Scene, Sweep, Watched};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::hash::HashSet;
use crate::marked::{Mark, Marked};
use crate::pixels::named;
use crate::slice;

/// The slot of a pixel shader's alpha: the fourth component of its first target.
pub(super) fn output(module: &Module) -> Option<Slot> {
    let outputs = module.io.as_ref().map_or(&[][..], |io| &io.outputs);
    let is_first = |system| system == Some(SystemValue::Target);
    let mut all = with_slots(outputs);
    let (first, _) =
        all.find(|(_, it)| is_first(it.system) && it.index == 0 && it.components == 4)?;
    Some(Slot(first.0 + 3))
}

/// The alpha of an invocation, and what made it.
#[derive(Clone, Copy)]
struct Alpha {
    of: Invocation,
    value: f32,
    made_by: Option<Inst>,
}

/// Looks for the alphas of a pixel.
struct Alphas<'a> {
    module: &'a Module,
    marked: &'a Marked,
    slot: Slot,
    /// The pixel and its slice.
    at: Option<([i32; 2], u32)>,
    /// What alpha depends on.
    behind: &'a HashSet<Inst>,
    helpers: LaneMask,
    invocations: Vec<Option<Invocation>>,
    /// What the lanes of the running wave have computed, in order.
    steps: BTreeMap<u32, Vec<(Inst, u64)>>,
    found: Vec<Alpha>,
}

impl Alphas<'_> {
    fn is_near(&self, lane: u32) -> Option<Invocation> {
        let of = self.invocations.get(lane as usize).copied().flatten()?;
        let Invocation::Pixel { at, layer, .. } = of else { return None };
        (self.at.is_none_or(|it| it == (at, layer)) && !self.helpers.contains(lane)).then_some(of)
    }

    fn decoded(&self, bits: u64) -> f32 {
        let outputs = self.module.io.as_ref().map_or(&[][..], |io| &io.outputs);
        match element_of(outputs, self.slot) {
            Some((element, _)) if element.scalar == HostScalar::F16 => F16(bits as u16).to_f32(),
            _ => f32::from_bits(bits as u32),
        }
    }
}

impl Observer for Alphas<'_> {
    const POISON: bool = false;
    const INDIRECT: bool = true;

    fn fed(&mut self, _at: At, inputs: &WaveInputs) {
        self.helpers = inputs.helpers;
        self.invocations.clone_from(&inputs.invocations);
        self.steps.clear();
    }

    fn discard(&mut self, event: &DiscardEvent) {
        self.helpers |= event.at.active;
    }

    fn store(&mut self, event: &AccessEvent<'_>) {
        let Some(Mark::Defined(value)) = self.marked.mark(event.at.inst) else { return };
        let Some(inst) = self.module.made_by(value).filter(|it| self.behind.contains(it)) else {
            return;
        };
        for lane in event.at.active.iter() {
            if self.is_near(lane).is_none() {
                continue;
            }
            let bits = event.values.first().map_or(0, |it| it.get(lane));
            self.steps.entry(lane).or_default().push((inst, bits));
        }
    }

    fn output(&mut self, event: &OutputEvent<'_>) {
        if event.slot != self.slot {
            return;
        }
        for lane in event.at.active.iter() {
            let Some(of) = self.is_near(lane) else { continue };
            let bits = event.values.get(lane);
            // Values pass through variables on their way; the last operation with this result has made it.
            let steps = self.steps.get(&lane).map_or(&[][..], Vec::as_slice);
            let made_by = steps.iter().rev().find(|it| it.1 == bits).map(|it| it.0);
            self.found.push(Alpha { of, value: self.decoded(bits), made_by });
        }
    }
}

impl<S: Scene> Sweep<'_, S> {
    /// Completes a finding about the pixel of a texel with the alpha there.
    pub(super) fn of_alpha(
        &mut self,
        mut finding: Finding,
        how: How,
        texel: Option<([u32; 2], u32, Option<u32>)>,
    ) -> Result<(Stage, Finding, Option<Invocation>), Ended<S::Error>> {
        let module = self.module(Part::Pixel);
        let (Some(module), Some(samples)) = (module, self.scene.covers_by_alpha()) else {
            unreachable!("alpha decides about samples of this draw")
        };
        let Some(slot) = output(module) else { unreachable!("the pixel shader writes an alpha") };
        let is_it = |it: &Inst| matches!(&module.inst(*it).op, Op::Output { slot: written, .. } if *written == slot);
        let writers: Vec<Inst> = (0..module.insts.len() as u32).map(Inst).filter(is_it).collect();
        let facts = Facts::new(module);
        let behind: HashSet<Inst> =
            writers.iter().flat_map(|it| slice::backward(&facts, *it)).collect();
        let marked = Marked::new(module);
        self.report.runs += 1;
        let mut watched = [Watched {
            part: Part::Pixel,
            program: &marked.program,
            observer: Alphas {
                module,
                marked: &marked,
                slot,
                at: texel.map(|([x, y], layer, _)| ([x as i32, y as i32], layer)),
                behind: &behind,
                helpers: LaneMask::EMPTY,
                invocations: Vec::new(),
                steps: BTreeMap::new(),
                found: Vec::new(),
            },
        }];
        self.scene.run(How { marks: MARKS, ..how }, &mut watched)?;
        let [Watched { observer, .. }] = watched;
        let left = |alpha: f32| {
            let alpha = if alpha.is_nan() { 0.0 } else { f64::from(alpha).clamp(0.0, 1.0) };
            (alpha * f64::from(samples)).round() as u32
        };
        let is_some = |it: &&Alpha| (1..samples).contains(&left(it.value));
        let alpha = observer.found.iter().find(is_some).copied();
        let inst = alpha.and_then(|it| it.made_by).or(writers.first().copied());
        if let Some(inst) = inst {
            (finding.site.span, finding.site.inst) = (module.inst(inst).span, Some(inst));
        }
        finding.site.text =
            "this alpha covers some of the samples, and nothing specifies which".to_owned();
        if let Some(Alpha { of, value, .. }) = alpha {
            finding.site.text = format!(
                "{} has an alpha of {value:?}: {} of {samples} samples, and nothing specifies which",
                named(of),
                left(value)
            );
        }
        Ok((Stage::Pixel, finding.with_stacks(module), alpha.map(|it| it.of)))
    }
}
