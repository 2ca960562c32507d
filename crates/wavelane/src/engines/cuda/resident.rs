//! What is bound, in the memory of the device: uploading what it lacks, keeping it between dispatches, and copying
//! results back.
//!
//! A resource without bytes has a descriptor of size 0, whose accesses do nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use ir::exec::{Bindings, Failure, Launch, Unsupported};
use ir::{Binding, Module, ResourceKind};

use super::driver::{Allocation, Context};
use super::foreign::{ForeignKernel, GLOBALS, is_constant};
use super::{Ready, Takes};
use crate::memory::{DeviceCopy, Indices, Memory, Slot};

/// The bytes of a buffer and its hidden counter on the device.
#[derive(Default)]
pub(super) struct OnDevice {
    parts: Option<Parts>,
    /// They hold the host's contents or newer ones.
    is_valid: bool,
    /// They hold newer contents than the host's.
    is_newer: bool,
}

#[derive(Clone)]
struct Parts {
    bytes: Arc<Allocation>,
    counter: Arc<Allocation>,
}

impl Parts {
    fn upload(context: &Arc<Context>, slot: &Slot, least: usize) -> Result<Parts, Failure> {
        let bytes = context.allocate(slot.bytes.len().max(least))?;
        bytes.write(&slot.bytes)?;
        let counter = context.allocate(4)?;
        counter.write(&counter_of(slot))?;
        Ok(Parts { bytes: Arc::new(bytes), counter: Arc::new(counter) })
    }

    fn fetch(&self, slot: &mut Slot) -> Result<(), Failure> {
        self.bytes.read(&mut slot.bytes)?;
        let mut counter = [0; 4];
        self.counter.read(&mut counter)?;
        if let Some(it) = slot.what.counter_mut() {
            *it = u32::from_le_bytes(counter);
        }
        Ok(())
    }
}

impl DeviceCopy for OnDevice {
    fn is_newer(&self) -> bool {
        self.is_newer
    }

    fn fetch(&mut self, slot: &mut Slot) -> Result<(), Failure> {
        if let (true, Some(parts)) = (self.is_newer, &self.parts) {
            parts.fetch(slot)?;
            self.is_newer = false;
        }
        Ok(())
    }

    fn invalidate(&mut self) {
        (self.is_valid, self.is_newer) = (false, false);
    }
}

impl std::fmt::Debug for OnDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnDevice").field("is_newer", &self.is_newer).finish_non_exhaustive()
    }
}

/// An element of a resource.
#[derive(Clone)]
struct Element {
    parts: Option<Parts>,
    bytes: usize,
    is_texture: bool,
}

/// What a dispatch works on.
pub(super) struct Bound {
    context: Arc<Context>,
    resources: Vec<Vec<Element>>,
    /// The tables of resource arrays, which the descriptors refer to.
    tables: std::cell::RefCell<Vec<Allocation>>,
}

/// The contents of all elements, to begin anew from.
pub(super) struct Saved(Vec<(Parts, Parts)>);

/// The bytes that a shader may read of a resource, whatever is bound.
fn least(module: &Module, resource: usize) -> usize {
    match module.resources.get(resource).map(|it| &it.kind) {
        Some(ResourceKind::Constant { size, .. }) => size.div_ceil(16).max(1) as usize * 16,
        _ => 0,
    }
}

impl Bound {
    /// Cells, whose contents may be on the device already.
    pub(super) fn of_cells(
        context: &Arc<Context>,
        module: &Module,
        places: &Indices,
        memory: &mut Memory<'_>,
    ) -> Result<Bound, Failure> {
        // A cell may be bound at several places, and has one copy.
        let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
        for (resource, elements) in places.iter().enumerate() {
            for cell in elements.iter().flatten() {
                let size = sizes.entry(*cell).or_default();
                *size = (*size).max(least(module, resource));
            }
        }
        let mut resources = Vec::new();
        for (resource, elements) in places.iter().enumerate() {
            let mut all = Vec::new();
            for cell in elements {
                let Some(cell) = *cell else {
                    // Constants are read up to their declared size without a bounds check.
                    let parts = match least(module, resource) {
                        0 => None,
                        least => Some(Parts::upload(context, &Slot::default(), least)?),
                    };
                    all.push(Element { parts, bytes: 0, is_texture: false });
                    continue;
                };
                let state = memory.cell(cell);
                let (copy, slot) = state.copy_mut::<OnDevice>()?;
                let size = slot.bytes.len().max(sizes.get(&cell).copied().unwrap_or(0));
                let fits =
                    |it: &Parts| Arc::ptr_eq(&it.bytes.context, context) && it.bytes.size >= size;
                if !copy.parts.as_ref().is_some_and(fits) {
                    copy.fetch(slot)?;
                    copy.invalidate();
                    copy.parts = None;
                }
                let parts = match (&copy.parts, copy.is_valid) {
                    (Some(parts), true) => parts.clone(),
                    (Some(parts), false) => {
                        parts.bytes.write(&slot.bytes)?;
                        parts.counter.write(&counter_of(slot))?;
                        parts.clone()
                    }
                    (None, _) => Parts::upload(context, slot, size)?,
                };
                (copy.parts, copy.is_valid) = (Some(parts.clone()), true);
                let is_texture = slot.what.texture().is_some();
                all.push(Element { parts: Some(parts), bytes: slot.bytes.len(), is_texture });
            }
            resources.push(all);
        }
        Ok(Bound { context: context.clone(), resources, tables: Default::default() })
    }

    /// Bindings, which are on the device only as long as this.
    pub(super) fn of_bindings(
        context: &Arc<Context>,
        module: &Module,
        bindings: &Bindings,
    ) -> Result<Bound, Failure> {
        let mut resources = Vec::new();
        for (resource, slots) in bindings.bindings.iter().enumerate() {
            let least = least(module, resource);
            let element = |slot: &Slot| {
                let parts = Some(Parts::upload(context, slot, least)?);
                let is_texture = slot.what.texture().is_some();
                Ok(Element { parts, bytes: slot.bytes.len(), is_texture })
            };
            resources.push(slots.iter().map(element).collect::<Result<Vec<_>, Failure>>()?);
        }
        Ok(Bound { context: context.clone(), resources, tables: Default::default() })
    }

    /// The parameters of the kernel. The tables in them live as long as this.
    pub(super) fn params(
        &self,
        module: &Module,
        ready: &Ready,
        records: &[Vec<u8>],
        launch: &Launch,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        match &ready.takes {
            Takes::Slots { slots, .. } => Ok(vec![self.descriptors(module, slots, records)?]),
            Takes::Foreign(foreign) => self.foreign(module, ready, foreign, launch),
        }
    }

    /// What another compiler's kernel takes.
    fn foreign(
        &self,
        module: &Module,
        ready: &Ready,
        foreign: &ForeignKernel,
        launch: &Launch,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let element = |binding: usize| self.resources.get(binding).and_then(|it| it.first());
        let address = |binding: usize| {
            let parts = element(binding).and_then(|it| it.parts.as_ref());
            parts.map_or(0, |it| it.bytes.address)
        };
        if let Some(size) = foreign.globals {
            let mut bytes = Vec::new();
            let count = |only_used: bool| {
                module.resources.iter().enumerate().filter(move |it| it.1.used || !only_used)
            };
            let total = |only_used: bool| -> u32 {
                count(only_used).map(|it| if is_constant(it.1) { 8 } else { 16 }).sum()
            };
            for (index, resource) in count(total(false) != size) {
                bytes.extend(address(index).to_le_bytes());
                if !is_constant(resource) {
                    let bound = element(index).map_or(0, |it| it.bytes);
                    let stride = resource.kind.view().stride.max(1) as usize;
                    bytes.extend(((bound / stride) as u64).to_le_bytes());
                }
            }
            ready.kernel.set_global(GLOBALS, &bytes)?;
            return Ok(Vec::new());
        }
        let groups: u64 = launch.groups().iter().map(|it| u64::from(*it)).product();
        let threads = groups.saturating_mul(module.threads_per_group().into());
        let mut next = 0;
        let of = |size: &u32| match size {
            8 => {
                next += 1;
                address(next - 1).to_le_bytes().to_vec()
            }
            _ => (threads as u32).to_le_bytes().to_vec(),
        };
        Ok(foreign.params.iter().map(of).collect())
    }

    fn descriptors(
        &self,
        module: &Module,
        slots: &[Binding],
        records: &[Vec<u8>],
    ) -> Result<Vec<u8>, Failure> {
        let mut param = Vec::new();
        for slot in slots {
            let own = module.resources.len();
            if let Some(bytes) = slot.index().checked_sub(own).and_then(|it| records.get(it)) {
                let allocation = self.context.allocate(bytes.len())?;
                allocation.write(bytes)?;
                param.extend(allocation.address.to_le_bytes());
                param.extend([0; 8]);
                param.extend((bytes.len() as u32).to_le_bytes());
                param.extend(1u32.to_le_bytes());
                self.tables.borrow_mut().push(allocation);
                continue;
            }
            let elements = self.resources.get(module.storage(*slot).index());
            let elements = elements.map_or(&[][..], Vec::as_slice);
            // In a heap, a texture is not a buffer.
            let is_texture = matches!(module.resource(*slot).kind, ResourceKind::Texture { .. });
            let descriptor = |element: &Element| match element.is_texture && !is_texture {
                true => Ok(vec![0; ptx::DESCRIPTOR_BYTES as usize]),
                false => descriptor(element),
            };
            if module.resource(*slot).count == Some(1) {
                match elements.first() {
                    Some(element) => param.extend(descriptor(element)?),
                    None => param.extend([0; ptx::DESCRIPTOR_BYTES as usize]),
                }
                continue;
            }
            let mut table = Vec::new();
            for element in elements {
                table.extend(descriptor(element)?);
            }
            let allocation = self.context.allocate(table.len())?;
            allocation.write(&table)?;
            param.extend(allocation.address.to_le_bytes());
            param.extend([0; 12]);
            param.extend((elements.len() as u32).to_le_bytes());
            self.tables.borrow_mut().push(allocation);
        }
        Ok(param)
    }

    /// Marks what a dispatch may have written.
    pub(super) fn written(&self, module: &Module, places: &Indices, memory: &mut Memory<'_>) {
        for (resource, it) in module.resources.iter().enumerate() {
            if !it.kind.writable() || !it.used {
                continue;
            }
            let storage = module.storage(Binding(resource as u32));
            for cell in places.get(storage.index()).into_iter().flatten().flatten() {
                // The copy was made above, so this cannot fail.
                if let Ok((copy, _)) = memory.cell(*cell).copy_mut::<OnDevice>() {
                    copy.is_newer = true;
                }
            }
        }
    }

    /// Copies everything, on the device.
    pub(super) fn save(&self) -> Result<Saved, Failure> {
        let mut all = Vec::new();
        for parts in self.resources.iter().flatten().filter_map(|it| it.parts.clone()) {
            let bytes = self.context.allocate(parts.bytes.size)?;
            bytes.copy_from(&parts.bytes)?;
            let counter = self.context.allocate(parts.counter.size)?;
            counter.copy_from(&parts.counter)?;
            all.push((parts, Parts { bytes: Arc::new(bytes), counter: Arc::new(counter) }));
        }
        Ok(Saved(all))
    }

    pub(super) fn restore(&self, saved: &Saved) -> Result<(), Failure> {
        for (parts, saved) in &saved.0 {
            parts.bytes.copy_from(&saved.bytes)?;
            parts.counter.copy_from(&saved.counter)?;
        }
        Ok(())
    }

    /// Copies everything to the host.
    pub(super) fn read(&self, bindings: &mut Bindings) -> Result<(), Failure> {
        for (elements, slots) in self.resources.iter().zip(&mut bindings.bindings) {
            for (element, slot) in elements.iter().zip(slots) {
                if let Some(parts) = &element.parts {
                    parts.fetch(slot)?;
                }
            }
        }
        Ok(())
    }
}

/// The hidden counter in the memory of a device, which has one for everything.
fn counter_of(slot: &Slot) -> [u8; 4] {
    slot.what.counter().unwrap_or(0).to_le_bytes()
}

/// The descriptor of one buffer.
fn descriptor(element: &Element) -> Result<Vec<u8>, Failure> {
    let Ok(bytes) = u32::try_from(element.bytes) else {
        let asked = format!("a buffer of {} bytes", element.bytes);
        let missing = "a kernel addresses less than 4 GiB of each".to_owned();
        return Err(Failure::Unsupported(Unsupported { asked, missing }));
    };
    let address =
        |it: fn(&Parts) -> &Allocation| element.parts.as_ref().map_or(0, |parts| it(parts).address);
    let mut all = Vec::new();
    all.extend(address(|it| &it.bytes).to_le_bytes());
    all.extend(address(|it| &it.counter).to_le_bytes());
    all.extend(bytes.to_le_bytes());
    all.extend(1u32.to_le_bytes());
    Ok(all)
}
