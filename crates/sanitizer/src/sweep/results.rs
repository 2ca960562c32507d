//! What all runs of a sweep share, and how their results are compared.

use interp::{Program, Variation};
use ir::exec::{Bindings, Buffer, Failure, Launch};
use ir::{Binding, Module};

use super::threads::{Permit, Permits};
use super::width::Run;
use super::{Engine, Plan, Prepared, elements};
use crate::analysis::Analysis;
use crate::compare::{Difference, Side};
use crate::floats::{self, FloatRoom};
use crate::marked::Marked;
use crate::spread::Reach;
use crate::writers::Writers;

/// A program, what it starts from, and what is to be tried.
pub(super) struct Base<'a> {
    pub(super) module: &'a Module,
    prepared: &'a Prepared,
    pub(super) bindings: &'a Bindings,
    pub(super) plan: &'a Plan,
    pub(super) fast: Option<&'a dyn Engine>,
    permits: Permits,
}

impl<'a> Base<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        bindings: &'a Bindings,
        plan: &'a Plan,
        fast: Option<&'a dyn Engine>,
    ) -> Base<'a> {
        let module = prepared.module();
        Base { module, prepared, bindings, plan, fast, permits: Permits::new(plan.threads) }
    }

    pub(super) fn program(&self) -> &'a Program {
        self.prepared.program()
    }

    pub(super) fn marked(&self) -> &'a Marked {
        self.prepared.marked()
    }

    pub(super) fn analysis(&self) -> &'a Analysis {
        self.prepared.analysis()
    }

    /// Waits until a run may begin. It may run until the permit is dropped.
    pub(super) fn permit(&self) -> Permit<'_> {
        self.permits.take()
    }

    /// What wrote each byte of some buffers last in a run, which is repeated for that.
    pub(super) fn writers(
        &self,
        run: &Run,
        buffers: Vec<((Binding, u32), usize)>,
    ) -> Result<Writers, Failure> {
        let launch = Launch { prints: None, spent: None, ..run.launch.clone() };
        let variation = Variation { progress: self.plan.progress, ..Variation::default() };
        let (mut left, mut writers) = (self.bindings.clone(), Writers::of(self.module, buffers));
        let _permit = self.permit();
        interp::run_varied(self.program(), &launch, variation, &mut left, &mut writers)?;
        Ok(writers)
    }

    /// Whether a program leaves results in a resource.
    pub(super) fn is_open(&self, binding: Binding) -> bool {
        self.module.may_be_written(binding)
    }

    pub(super) fn side<'b>(&self, launch: &'b Launch) -> Side<'b>
    where
        'a: 'b,
    {
        let variation = Variation { progress: self.plan.progress, ..Variation::default() };
        Side {
            module: self.module,
            launch,
            variation,
            bindings: self.bindings,
            threads: self.plan.threads,
        }
    }

    /// The first difference in each buffer beyond the rounding of floats, where both are defined.
    pub(super) fn differences(
        &self,
        a: &Bindings,
        b: &Bindings,
        reaches: &[&Reach],
    ) -> impl Iterator<Item = Difference> {
        let all = (0..).map(Binding).zip(a.bindings.iter().zip(&b.bindings));
        let compared = all.filter(move |(it, _)| self.is_open(*it));
        compared.flat_map(move |(binding, (a, b))| {
            let elements = (0..).zip(a.iter().zip(b));
            elements.filter_map(move |(at, (a, b))| self.in_buffer((binding, at), a, b, reaches))
        })
    }

    fn in_buffer(
        &self,
        key: (Binding, u32),
        a: &Buffer,
        b: &Buffer,
        reaches: &[&Reach],
    ) -> Option<Difference> {
        let (binding, element) = key;
        let room = self.plan.float_room;
        let is_unordered = named(self.module, &self.plan.unordered, binding)
            && elements::size(self.module, binding).is_some();
        if is_unordered {
            let is_reached = reaches.iter().any(|it| it.touches(key));
            let are_same = || elements::are_same((self.module, binding), a, b, room);
            if is_reached || are_same() {
                return None;
            }
        }
        let find = |a: &Buffer, b: &Buffer| {
            let byte = floats::first_difference(self.module, binding, a, b, room);
            byte.or((a.what.counter() != b.what.counter()).then_some(u64::MAX))
        };
        let byte = if reaches.iter().any(|it| it.touches(key)) && find(a, b).is_some() {
            let (mut a, mut b) = (a.clone(), b.clone());
            reaches.iter().for_each(|it| it.blank(key, &mut a, &mut b));
            find(&a, &b)?
        } else {
            find(a, b)?
        };
        Some(Difference { binding, element, byte })
    }
}

pub(super) fn named(module: &Module, names: &[String], binding: Binding) -> bool {
    names.iter().any(|it| *it == module.resource(binding).name)
}

/// Whether both contain the same elements, in another order.
pub(super) fn is_permuted(
    module: &Module,
    a: &Bindings,
    b: &Bindings,
    difference: Difference,
) -> bool {
    let binding = difference.binding;
    let of = |it| -> Option<&Buffer> {
        let it: &Bindings = it;
        it.bindings[binding.index()].get(difference.element as usize)
    };
    let Some((a, b)) = of(a).zip(of(b)) else { return false };
    elements::size(module, binding).is_some()
        && elements::are_same((module, binding), a, b, FloatRoom::Ulps(0))
}
