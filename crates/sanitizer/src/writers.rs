//! Which instruction wrote each byte of some buffers last: differences between two runs are grouped by it, since each
//! store is a separate place in the report.

use interp::Observer;
use interp::observe::{AccessEvent, Space};
use ir::{Binding, Inst, Module};

use crate::facts;
use crate::hash::{HashMap, HashSet};

/// The last writers of the bytes of one buffer, which is an element of a resource array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    /// By byte: the number of the instruction and one, or 0.
    bytes: Vec<u32>,
    counter: u32,
}

/// Watches the writers of some buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writers {
    of: HashMap<(Binding, u32), Written>,
    /// Atomic operations that change nothing.
    loads: HashSet<Inst>,
}

impl Writers {
    /// Of these buffers, with their sizes.
    pub(crate) fn of(
        module: &Module,
        buffers: impl IntoIterator<Item = ((Binding, u32), usize)>,
    ) -> Writers {
        let buffers = buffers.into_iter();
        let all = (0..module.insts.len() as u32).map(Inst);
        let loads = all.filter(|it| facts::only_reads(module, *it)).collect();
        let empty = |size| Written { bytes: vec![0; size], counter: 0 };
        Writers { of: buffers.map(|(key, size)| (key, empty(size))).collect(), loads }
    }

    /// What wrote a byte, or the counter if that is `u64::MAX`.
    pub(crate) fn last(&self, key: (Binding, u32), byte: u64) -> Option<Inst> {
        let written = self.of.get(&key)?;
        let number = match byte {
            u64::MAX => written.counter,
            byte => *written.bytes.get(usize::try_from(byte).ok()?)?,
        };
        number.checked_sub(1).map(Inst)
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let number = event.at.inst.0 + 1;
        match event.space {
            Space::Counter(binding) => {
                if let Some(written) = self.of.get_mut(&(binding, 0)) {
                    written.counter = number;
                }
            }
            Space::Buffer(binding, elements) => {
                for lane in (event.at.active & event.in_bounds).iter() {
                    let element = elements.map_or(0, |it| it[lane as usize]);
                    let Some(written) = self.of.get_mut(&(binding, element)) else { continue };
                    let start = event.addresses[lane as usize];
                    let end = start.saturating_add(u64::from(event.size));
                    let range = start as usize..(end as usize).min(written.bytes.len());
                    if let Some(bytes) = written.bytes.get_mut(range) {
                        bytes.fill(number);
                    }
                }
            }
            Space::Shared(_) | Space::Private(_) => {}
        }
    }
}

impl Observer for Writers {
    const POISON: bool = false;
    const INDIRECT: bool = true;

    fn store(&mut self, event: &AccessEvent<'_>) {
        self.access(event);
    }

    fn atomic(&mut self, event: &AccessEvent<'_>) {
        if !self.loads.contains(&event.at.inst) {
            self.access(event);
        }
    }
}
