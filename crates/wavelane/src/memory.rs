//! Cells: the shared contents behind the handles of a buffer, a texture or a bound sampler.
//!
//! A cell holds the host's contents and, for an engine with separate memory, that engine's copy. The copy can be newer:
//! then it is fetched when the host reads. A change of the host's contents invalidates the copy.
//!
//! A dispatch locks all of its cells in the order of their addresses (lock ordering), so that two dispatches cannot
//! deadlock.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use ir::exec::{Bindings, Failure};
use ir::{Binding, Module};
use smallvec::SmallVec;

use crate::Layout;

/// The contents for engines: the bytes and the shape of one resource, or the state of a sampler.
pub(crate) use ir::exec::Buffer as Slot;

/// Shared by all handles of a buffer or texture.
#[derive(Debug)]
pub(crate) struct Cell {
    /// The type of the values that it was created from, if the host has given it.
    pub(crate) element: Option<Layout>,
    state: Mutex<State>,
}

/// The state of a cell.
#[derive(Debug)]
pub(crate) struct State {
    slot: Slot,
    copy: Option<Box<dyn DeviceCopy>>,
}

/// The contents of a cell in the memory of a device.
pub(crate) trait DeviceCopy: Any + Send + fmt::Debug {
    /// Whether a part of it was written there and has not been fetched since.
    fn is_newer(&self) -> bool;
    /// Fetches newer contents to the host.
    fn fetch(&mut self, slot: &mut Slot) -> Result<(), Failure>;
    /// Invalidates the copy after the host has changed its contents.
    fn invalidate(&mut self);
}

impl Cell {
    pub(crate) fn new(slot: Slot, element: Option<Layout>) -> Arc<Cell> {
        Arc::new(Cell { element, state: Mutex::new(State { slot, copy: None }) })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // The contents were put back before any panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for a cell without other owners.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Some(state),
            Err(TryLockError::Poisoned(state)) => Some(state.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// A new cell with the same contents.
    pub(crate) fn duplicate(&self) -> Result<Arc<Cell>, Failure> {
        let slot = self.lock().host()?.clone();
        Ok(Cell::new(slot, self.element.clone()))
    }
}

impl State {
    /// The host's contents. Only the bytes may be outdated; their number and everything else is current.
    pub(crate) fn shape(&self) -> &Slot {
        &self.slot
    }

    /// The contents, fetched from the device if they are newer there.
    pub(crate) fn host(&mut self) -> Result<&Slot, Failure> {
        self.fetch()?;
        Ok(&self.slot)
    }

    /// The contents, for writing.
    pub(crate) fn host_mut(&mut self) -> Result<&mut Slot, Failure> {
        self.fetch()?;
        self.changed();
        Ok(&mut self.slot)
    }

    pub(crate) fn fetch(&mut self) -> Result<(), Failure> {
        match &mut self.copy {
            Some(copy) if copy.is_newer() => copy.fetch(&mut self.slot),
            _ => Ok(()),
        }
    }

    /// Takes the contents out, which must have been fetched, until [`State::put`] puts them back.
    pub(crate) fn take(&mut self) -> Slot {
        std::mem::take(&mut self.slot)
    }

    /// Puts back contents that may have been changed.
    pub(crate) fn put(&mut self, slot: Slot) {
        self.slot = slot;
        self.changed();
    }

    /// The same for contents that are what they were.
    pub(crate) fn put_unchanged(&mut self, slot: Slot) {
        self.slot = slot;
    }

    fn changed(&mut self) {
        if let Some(copy) = &mut self.copy {
            copy.invalidate();
        }
    }

    /// An engine's copy, if the cell has one of that engine.
    pub(crate) fn copy<T: DeviceCopy>(&self) -> Option<&T> {
        let copy: &dyn Any = &**self.copy.as_ref()?;
        copy.downcast_ref()
    }

    /// An engine's copy and the host's contents. The copy of another engine is fetched and dropped.
    pub(crate) fn copy_mut<T: DeviceCopy + Default>(
        &mut self,
    ) -> Result<(&mut T, &mut Slot), Failure> {
        if self.copy::<T>().is_none() {
            self.fetch()?;
            self.copy = Some(Box::<T>::default());
        }
        let State { slot, copy } = self;
        let copy = copy.as_mut().map(|it| -> &mut dyn Any { &mut **it });
        match copy.and_then(|it| it.downcast_mut()) {
            Some(copy) => Ok((copy, slot)),
            None => unreachable!("the copy was created above"),
        }
    }
}

/// The cells of a table: for each resource, as many elements as an engine needs.
pub(crate) type Places<'a> = Vec<SmallVec<[Option<&'a Cell>; 1]>>;
/// The same as indices of cells in a [`Memory`].
pub(crate) type Indices = Vec<SmallVec<[Option<usize>; 1]>>;

/// The cells of one or several dispatches, locked.
pub(crate) struct Memory<'a> {
    cells: Vec<MutexGuard<'a, State>>,
    /// Whether a cell is bound at several places.
    is_shared: bool,
}

/// Locks all cells, and returns the index of the cell at each place.
pub(crate) fn lock<'a>(all: &[Places<'a>]) -> (Memory<'a>, SmallVec<[Indices; 1]>) {
    let mut cells: SmallVec<[&'a Cell; 8]> =
        all.iter().flatten().flatten().filter_map(|cell| *cell).collect();
    let count = cells.len();
    cells.sort_unstable_by_key(|cell| std::ptr::from_ref(*cell));
    cells.dedup_by_key(|cell| std::ptr::from_ref(*cell));
    let number = |cell: &Cell| {
        cells.binary_search_by_key(&std::ptr::from_ref(cell), |it| std::ptr::from_ref(*it)).ok()
    };
    let numbered = |places: &Places<'a>| -> Indices {
        let each = places.iter();
        each.map(|it| it.iter().map(|cell| cell.and_then(number)).collect()).collect()
    };
    let indices = all.iter().map(numbered).collect();
    let is_shared = cells.len() < count;
    (Memory { cells: cells.iter().map(|cell| cell.lock()).collect(), is_shared }, indices)
}

/// A borrowed view of what is bound: for each resource its elements.
pub(crate) struct Contents<'a>(Vec<Vec<&'a Slot>>);

impl<'a> Contents<'a> {
    pub(crate) fn of(bindings: &'a Bindings) -> Contents<'a> {
        Contents(bindings.bindings.iter().map(|it| it.iter().collect()).collect())
    }

    /// The elements of a resource.
    pub(crate) fn elements(&self, resource: Binding) -> &[&'a Slot] {
        self.0.get(resource.index()).map_or(&[], |it| it.as_slice())
    }
}

impl<'a> Memory<'a> {
    pub(crate) fn cell(&mut self, number: usize) -> &mut State {
        &mut self.cells[number]
    }

    pub(crate) fn look(&self, number: usize) -> &State {
        &self.cells[number]
    }

    /// What is bound at those places; `empty` if nothing is. Bytes may be newer on a device.
    pub(crate) fn contents<'b>(&'b self, places: &Indices, empty: &'b Slot) -> Contents<'b> {
        let slot = |it: &Option<usize>| it.map_or(empty, |it| self.cells[it].shape());
        Contents(places.iter().map(|it| it.iter().map(slot).collect()).collect())
    }

    /// Takes the contents out, until [`Memory::put`] puts them back. Unbound elements are empty, so that reads of them
    /// return 0. What is bound twice is copied: the caller ensures that nothing writes to it.
    pub(crate) fn take(&mut self, places: &Indices) -> Result<Bindings, Failure> {
        for cell in places.iter().flatten().flatten() {
            self.cells[*cell].fetch()?;
        }
        let count = if self.is_shared { self.cells.len() } else { 0 };
        let mut taken: Vec<Option<(usize, usize)>> = vec![None; count];
        let mut bindings: Vec<Vec<Slot>> = Vec::with_capacity(places.len());
        for (resource, elements) in places.iter().enumerate() {
            bindings.push(Vec::with_capacity(elements.len()));
            for (element, cell) in elements.iter().enumerate() {
                let slot = match *cell {
                    None => Slot::default(),
                    Some(cell) => match taken.get_mut(cell) {
                        Some(Some((first, at))) => bindings[*first][*at].clone(),
                        first => {
                            first.into_iter().for_each(|it| *it = Some((resource, element)));
                            std::mem::take(&mut self.cells[cell].slot)
                        }
                    },
                };
                bindings[resource].push(slot);
            }
        }
        Ok(Bindings { bindings })
    }

    /// Puts the contents back, after a run of the module.
    pub(crate) fn put(&mut self, places: &Indices, bindings: Bindings, module: &Module) {
        let mut is_back = vec![false; if self.is_shared { self.cells.len() } else { 0 }];
        for ((elements, slots), binding) in places
            .iter()
            .zip(bindings.bindings)
            .zip((0..module.resources.len() as u32).map(Binding))
        {
            let is_written = module.may_be_written(binding);
            for (cell, slot) in elements.iter().zip(slots) {
                let Some(cell) = *cell else { continue };
                let is_first = |it: &mut bool| !std::mem::replace(it, true);
                if is_back.get_mut(cell).is_none_or(is_first) {
                    self.cells[cell].slot = slot;
                }
                if is_written {
                    self.cells[cell].changed();
                }
            }
        }
    }
}
