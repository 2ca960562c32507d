//! Private arrays whose every index is known become values (scalar replacement of aggregates), as after the loops that
//! counted their elements have been unrolled. A device's compiler may leave such arrays in memory.
//!
//! An element is the value that was stored last, so that no joins are needed: all stores to an array are in one region,
//! and loads are there or in regions nested in it, after a store to their element.
//!
//! Deliberately absent: arrays that are stored to in branches, and those that are read before they are written.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ir::flow::Structure;
use ir::{Inst, Module, Op, Private, Region, Value};

use crate::target::Target;
use crate::writer::Writer;

/// What is known while arrays are replaced.
pub(crate) struct Promoting {
    /// For each array of the source its new number, or none if its elements are values.
    numbers: Vec<Option<Private>>,
    /// The new values of the elements.
    elements: RefCell<BTreeMap<(Private, u64), Value>>,
}

/// The new module. `None` if no array can be replaced.
pub fn promoted(module: &Module) -> Option<Module> {
    if module.privates.is_empty() {
        return None;
    }
    let module = &*ir::notes::without(module);
    let kept = kept(module);
    if kept.iter().all(|it| *it) {
        return None;
    }
    let mut count = 0;
    let mut number = |kept: &bool| {
        kept.then(|| {
            count += 1;
            Private(count - 1)
        })
    };
    let numbers = kept.iter().map(&mut number).collect();
    let target = Target::everything();
    let mut writer = Writer::new(module, &target);
    writer.promoting = Some(Promoting { numbers, elements: RefCell::default() });
    writer.list(module.body);
    let mut new = writer.finish();
    let mut kept = kept.into_iter();
    new.privates.retain(|_| kept.next().unwrap_or(true));
    Some(new)
}

/// For each array, whether it stays one.
fn kept(module: &Module) -> Vec<bool> {
    let structure = Structure::of(module);
    let mut kept = vec![false; module.privates.len()];
    let mut regions: Vec<Option<Region>> = vec![None; module.privates.len()];
    let mut stored = std::collections::BTreeSet::new();
    let is_within = |inst: Inst, region: Region| {
        let mut around = Some(structure.region(inst));
        while let Some(here) = around {
            if here == region {
                return true;
            }
            around = structure.owner(here).map(|it| structure.region(it));
        }
        false
    };
    for inst in structure.insts() {
        let (memory, index, is_store) = match module.inst(inst).op {
            Op::PrivateLoad { memory, index } => (memory, index, false),
            Op::PrivateStore { memory, index, .. } => (memory, index, true),
            _ => continue,
        };
        let number = memory.0 as usize;
        let element = module.constant(index);
        let element = element.filter(|it| *it < u64::from(module.privates[number].len));
        let region = &mut regions[number];
        let suits = match (element, is_store) {
            (None, _) => false,
            (Some(element), true) => {
                stored.insert((memory, element));
                *region.get_or_insert(structure.region(inst)) == structure.region(inst)
            }
            (Some(element), false) => {
                stored.contains(&(memory, element)) && region.is_some_and(|it| is_within(inst, it))
            }
        };
        kept[number] |= !suits;
    }
    kept
}

impl Writer<'_> {
    /// Replaces an access to a private array. Returns whether it has.
    pub(crate) fn promotes(&self, inst: Inst) -> bool {
        let Some(promoting) = &self.promoting else { return false };
        let data = self.source.inst(inst);
        let mut op = data.op.clone();
        let (Op::PrivateLoad { memory, index } | Op::PrivateStore { memory, index, .. }) = &mut op
        else {
            return false;
        };
        let mut elements = promoting.elements.borrow_mut();
        let element = (*memory, self.source.constant(*index).unwrap_or_default());
        match (promoting.numbers[memory.0 as usize], &data.op) {
            (None, Op::PrivateStore { value, .. }) => {
                elements.insert(element, self.get(*value));
            }
            (None, _) => self.set(data.results[0], elements[&element]),
            (Some(number), _) => {
                *memory = number;
                op.for_each_operand(|it| *it = self.get(*it));
                let new = self.results(self.add_like(op, &data.results));
                data.results.iter().zip(new).for_each(|(old, new)| self.set(*old, new));
            }
        }
        true
    }
}
