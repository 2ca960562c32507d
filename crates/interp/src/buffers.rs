//! Buffer accesses of a whole wave, with D3D's robust buffer access.
//!
//! For each lane, an access is resolved to a byte offset and the number of bytes available from there; a component
//! that does not fit loads zero and stores nothing. Addresses are computed in 64 bits, so that nothing wraps into
//! bounds.
//! Full waves whose addresses form an arithmetic progression, the common case, take a fast path with the same
//! results.

use ir::access::{self, At, Reach, texel_bytes};
use ir::exec::{Bindings, Buffer, ElementFormat};
use ir::{Element, ResourceKind, texel};
use ops::{LaneMask, Repr, Ty};

use crate::code::{AccessCode, AddressCode, Row};
use crate::registers::Registers;

/// The lanes of the widest wave.
pub(crate) const MOST_WIDTH: usize = 128;

/// The resolved address of each lane.
pub(crate) struct Places {
    /// The byte offset of the first scalar.
    pub(crate) start: [u64; MOST_WIDTH],
    /// The number of bytes that may be accessed from there.
    pub(crate) room: [u64; MOST_WIDTH],
    /// Whether they are already those of the next access, because an observer got them.
    known: bool,
}

/// The parts of the run's state that an access needs.
pub(crate) struct Memory<'a> {
    pub(crate) resources: &'a [ResourceKind],
    pub(crate) bindings: &'a mut Bindings,
    pub(crate) width: u32,
    pub(crate) active: LaneMask,
}

/// The addresses of a full wave: `start + lane * step`, all in bounds.
struct Progression {
    start: usize,
    step: usize,
}

impl Default for Places {
    fn default() -> Places {
        Places { start: [0; MOST_WIDTH], room: [0; MOST_WIDTH], known: false }
    }
}

impl Places {
    fn reach(&self, lane: u32) -> Reach {
        Reach { start: self.start[lane as usize], room: self.room[lane as usize] }
    }

    pub(crate) fn in_bounds(&self, active: LaneMask, size: u32) -> LaneMask {
        lanes_where(active, |lane| u64::from(size) <= self.room[lane])
    }
}

/// The members for which a condition holds. It is evaluated for all lanes, without a branch.
#[inline(always)]
pub(crate) fn lanes_where(lanes: LaneMask, holds: impl Fn(usize) -> bool) -> LaneMask {
    let half = |first: usize, lanes: u64| {
        let end = first + (64 - lanes.leading_zeros()) as usize;
        (first..end).fold(0u64, |set, lane| set | u64::from(holds(lane)) << (lane - first))
    };
    let [low, high] = [lanes.0 as u64, (lanes.0 >> 64) as u64];
    let set = u128::from(half(0, low)) | u128::from(half(64, high)) << 64;
    LaneMask(set) & lanes
}

/// Calls `visit` with the members in ascending order.
#[inline(always)]
pub(crate) fn for_each_lane(lanes: LaneMask, mut visit: impl FnMut(u32)) {
    for (half, first) in [(lanes.0 as u64, 0), ((lanes.0 >> 64) as u64, 64)] {
        let mut rest = half;
        while rest != 0 {
            visit(first + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

/// The scalar of `size` bytes at an offset in bounds.
#[inline(always)]
fn read(bytes: &[u8], at: u64, size: u32) -> u64 {
    let at = at as usize;
    let mut word = [0; 8];
    match size {
        4 => word[..4].copy_from_slice(&bytes[at..at + 4]),
        8 => word.copy_from_slice(&bytes[at..at + 8]),
        2 => word[..2].copy_from_slice(&bytes[at..at + 2]),
        _ => word[0] = bytes[at],
    }
    u64::from_le_bytes(word)
}

#[inline(always)]
fn write(bytes: &mut [u8], at: u64, size: u32, value: u64) {
    let at = at as usize;
    let word = value.to_le_bytes();
    match size {
        4 => bytes[at..at + 4].copy_from_slice(&word[..4]),
        8 => bytes[at..at + 8].copy_from_slice(&word),
        2 => bytes[at..at + 2].copy_from_slice(&word[..2]),
        _ => bytes[at] = word[0],
    }
}

impl Memory<'_> {
    /// Resolves an access for an observer; returns the lanes whose `size` bytes are all in bounds.
    pub(crate) fn locate(
        &self,
        access: &AccessCode,
        registers: &Registers,
        places: &mut Places,
        size: u32,
    ) -> LaneMask {
        if let Some(Progression { start, step }) = self.progression(access, registers) {
            let mut at = start as u64;
            for place in &mut places.start[..self.width as usize] {
                *place = at;
                at += step as u64;
            }
            return self.active;
        }
        self.resolve(access, registers, places);
        places.known = true;
        places.in_bounds(self.active, size)
    }

    pub(crate) fn load(
        &mut self,
        access: &AccessCode,
        registers: &mut Registers,
        places: &mut Places,
    ) {
        if self.load_progression(access, registers) {
            return;
        }
        if !std::mem::take(&mut places.known) {
            self.resolve(access, registers, places);
        }
        if access.at.is_texel() {
            return self.load_texels(access, registers, places);
        }
        let size = access.at.scalar_bytes(access.ty);
        for_each_lane(self.active, |lane| {
            let reach = places.reach(lane);
            let bytes = self.buffer(access, registers, lane).map_or(&[][..], |it| &it.bytes);
            for (c, row) in access.values.iter().enumerate() {
                let bits = reach.scalar(c, size).map_or(0, |at| read(bytes, at, size));
                registers.set(
                    *row,
                    lane,
                    if access.ty == Ty::Bool { u64::from(bits != 0) } else { bits },
                );
            }
        });
    }

    pub(crate) fn store(
        &mut self,
        access: &AccessCode,
        registers: &Registers,
        places: &mut Places,
    ) {
        if self.store_progression(access, registers) {
            return;
        }
        if !std::mem::take(&mut places.known) {
            self.resolve(access, registers, places);
        }
        if access.at.is_texel() {
            return self.store_texels(access, registers, places);
        }
        let size = access.at.scalar_bytes(access.ty);
        for_each_lane(self.active, |lane| {
            let reach = places.reach(lane);
            let Some(buffer) = self.buffer_mut(access, registers, lane) else { return };
            for (c, row) in access.values.iter().enumerate() {
                if let Some(at) = reach.scalar(c, size) {
                    write(&mut buffer.bytes, at, size, registers.get(*row, lane));
                }
            }
        });
    }

    /// Returns whether memory changed.
    pub(crate) fn atomic(
        &mut self,
        access: &AccessCode,
        registers: &mut Registers,
        places: &mut Places,
    ) -> bool {
        if !std::mem::take(&mut places.known) {
            self.resolve(access, registers, places);
        }
        let mut changes = false;
        let size = access.ty.bytes();
        let op = access.atomic.unwrap_or_else(|| {
            unreachable!("the decoder sets the operation of every atomic access")
        });
        for_each_lane(self.active, |lane| {
            let place = places.reach(lane).scalar(0, size);
            let args = operands(access, registers, lane);
            let mut old = 0;
            if let Some(buffer) = self.buffer_mut(access, registers, lane)
                && let Some(at) = place
            {
                old = read(&buffer.bytes, at, size);
                let new = op.apply(access.ty, old, args);
                changes |= new != old;
                write(&mut buffer.bytes, at, size, new);
            }
            if let Some(result) = access.result {
                registers.set(result, lane, old);
            }
        });
        changes
    }

    pub(crate) fn size(&self, access: &AccessCode, registers: &mut Registers) {
        let kind = &self.resources[access.binding.index()];
        for_each_lane(self.active, |lane| {
            let buffer = self.buffer(access, registers, lane);
            let len = buffer.map_or(0, |it| it.bytes.len() as u64);
            let sizes = access::size(kind, buffer.and_then(|it| it.what.format()), len);
            for (row, value) in access.values.iter().zip(sizes) {
                registers.set(*row, lane, value);
            }
        });
    }

    pub(crate) fn counter(&mut self, access: &AccessCode, registers: &mut Registers) {
        for_each_lane(self.active, |lane| {
            let mut seen = 0;
            let buffer = self.buffer_mut(access, registers, lane);
            if let Some(counter) = buffer.and_then(|it| it.what.counter_mut()) {
                let before = *counter;
                *counter = before.wrapping_add_signed(access.delta);
                seen = if access.delta > 0 { before } else { *counter };
            }
            if let Some(result) = access.result {
                registers.set(result, lane, u64::from(seen));
            }
        });
    }

    /// The size of one lane's access in bytes.
    pub(crate) fn access_bytes(&self, access: &AccessCode) -> u32 {
        match self.element(access) {
            Some(element) if access.at.is_texel() => {
                let first =
                    self.bindings.bindings.get(access.storage.index()).and_then(|it| it.first());
                texel_bytes(format(first, &element)) as u32
            }
            _ if access.atomic.is_some() => access.ty.bytes(),
            _ => access.at.scalar_bytes(access.ty) * access.values.len() as u32,
        }
    }

    /// The buffer that a lane accesses, by its element of the resource array. In a descriptor heap the element may
    /// be a texture, which is not a buffer.
    fn buffer(&self, access: &AccessCode, registers: &Registers, lane: u32) -> Option<&Buffer> {
        let element = access.element.map_or(0, |row| registers.words(row)[lane as usize]);
        let buffer = self.bindings.bindings.get(access.storage.index())?.get(element as usize);
        buffer.filter(|it| it.what.is_buffer())
    }

    fn buffer_mut(
        &mut self,
        access: &AccessCode,
        registers: &Registers,
        lane: u32,
    ) -> Option<&mut Buffer> {
        let element = access.element.map_or(0, |row| registers.words(row)[lane as usize]);
        let buffer =
            self.bindings.bindings.get_mut(access.storage.index())?.get_mut(element as usize);
        buffer.filter(|it| it.what.is_buffer())
    }

    /// The buffer, if it is the same for all lanes.
    fn the_buffer(&self, access: &AccessCode) -> Option<&Buffer> {
        match access.element {
            None => self.bindings.bindings.get(access.storage.index())?.first(),
            Some(_) => None,
        }
    }

    pub(crate) fn resolve(&self, access: &AccessCode, registers: &Registers, places: &mut Places) {
        let element = self.element(access);
        for_each_lane(self.active, |lane| {
            let buffer = self.buffer(access, registers, lane);
            let len = buffer.map_or(0, |it| it.bytes.len() as u64);
            let word = |row: Row| registers.words(row)[lane as usize];
            let at = match access.at {
                AddressCode::Structured { index, offset, stride } => {
                    At::Element { index: word(index), offset: word(offset), stride }
                }
                AddressCode::Byte(at) => At::Byte(word(at)),
                AddressCode::Unit { when: Some(when), .. }
                | AddressCode::CheckedTexel { when: Some(when), .. }
                    if !registers.bits(when).contains(lane) =>
                {
                    At::None
                }
                AddressCode::Unit { index, bytes, .. } => At::Unit { index: word(index), bytes },
                AddressCode::Texel(index) | AddressCode::CheckedTexel { index, .. } => {
                    let size = element.map_or(4, |it| texel_bytes(format(buffer, &it)));
                    At::Texel { index: word(index), size }
                }
                AddressCode::None => At::None,
            };
            let Reach { start, room } = at.reach(len);
            (places.start[lane as usize], places.room[lane as usize]) = (start, room);
        });
    }

    /// The element type through which the texels of a typed buffer are accessed.
    fn element(&self, access: &AccessCode) -> Option<Element> {
        self.resources[access.binding.index()].view().element
    }

    fn load_texels(&self, access: &AccessCode, registers: &mut Registers, places: &Places) {
        let Some(element) = self.element(access) else {
            unreachable!("the verifier has checked that texels are loaded from typed buffers");
        };
        for_each_lane(self.active, |lane| {
            let buffer = self.buffer(access, registers, lane);
            let format = format(buffer, &element);
            let bytes = buffer.map_or(&[][..], |it| &it.bytes);
            let reach = places.reach(lane);
            for (c, row) in access.values.iter().enumerate() {
                let load = |at, size| read(bytes, at, size);
                registers.set(*row, lane, reach.load_component(c, format, access.ty, load));
            }
        });
    }

    fn store_texels(&mut self, access: &AccessCode, registers: &Registers, places: &Places) {
        let Some(element) = self.element(access) else {
            unreachable!("the verifier has checked that texels are stored to typed buffers");
        };
        for_each_lane(self.active, |lane| {
            let reach = places.reach(lane);
            let Some(buffer) = self.buffer_mut(access, registers, lane) else { return };
            let format = format(Some(buffer), &element);
            for (c, row) in access.values.iter().enumerate() {
                let Some((at, size)) = reach.store_component(c, format) else { break };
                let bits = registers.get(*row, lane);
                let bits = texel::store(format.scalar, &element, access.ty, bits);
                write(&mut buffer.bytes, at, size, bits);
            }
        });
    }

    /// The fast path for words whose addresses form a progression; returns whether it applied.
    fn load_progression(&self, access: &AccessCode, registers: &mut Registers) -> bool {
        if access.ty.repr() != Repr::Word || access.ty.bytes() != 4 {
            return false;
        }
        let (Some(Progression { start, step }), Some(buffer)) =
            (self.progression(access, registers), self.the_buffer(access))
        else {
            return false;
        };
        // Overlapping words cannot be read in chunks.
        if step != 0 && step < 4 {
            return false;
        }
        let width = self.width as usize;
        for (c, row) in access.values.iter().enumerate() {
            let bytes = &buffer.bytes[start + 4 * c..];
            let word = |at: &[u8]| at.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
            let out = &mut registers.words_mut(*row)[..width];
            match step {
                0 => out.fill(word(bytes)),
                4 => {
                    out.iter_mut().zip(bytes.chunks_exact(4)).for_each(|(out, at)| *out = word(at))
                }
                _ => out.iter_mut().zip(bytes.chunks(step)).for_each(|(out, at)| *out = word(at)),
            }
        }
        true
    }

    fn store_progression(&mut self, access: &AccessCode, registers: &Registers) -> bool {
        if access.ty.repr() != Repr::Word || access.ty.bytes() != 4 {
            return false;
        }
        let Some(Progression { start, step }) = self.progression(access, registers) else {
            return false;
        };
        // Lanes that write to the same place do so in order, which is the slow path's job.
        if step < 4 * access.values.len() {
            return false;
        }
        let bindings = &mut self.bindings.bindings[access.storage.index()];
        let width = self.width as usize;
        for (c, row) in access.values.iter().enumerate() {
            let bytes = &mut bindings[0].bytes[start + 4 * c..];
            let values = &registers.words(*row)[..width];
            let put = |(at, value): (&mut [u8], &u32)| {
                if let Some(at) = at.first_chunk_mut() {
                    *at = value.to_le_bytes();
                }
            };
            match step {
                4 => bytes.chunks_exact_mut(4).zip(values).for_each(put),
                _ => bytes.chunks_mut(step).zip(values).for_each(put),
            }
        }
        true
    }

    /// The size of a texel, if the format needs no conversion and has as many components as are accessed.
    fn plain_texel(&self, access: &AccessCode) -> Option<u64> {
        let format = format(self.the_buffer(access), &self.element(access)?);
        let plain = texel::is_plain(format.scalar, access.ty)
            && format.components as usize == access.values.len();
        plain.then(|| texel_bytes(format))
    }

    /// The addresses of the access, if the wave is full and they form an ascending progression that is all in
    /// bounds.
    fn progression(&self, access: &AccessCode, registers: &Registers) -> Option<Progression> {
        if self.active != LaneMask::first_n(self.width) {
            return None;
        }
        let len = self.the_buffer(access)?.bytes.len() as u64;
        let width = u64::from(self.width);
        let total = u64::from(access.ty.bytes()) * access.values.len() as u64;
        let words = |row| &registers.words(row)[..self.width as usize];
        let (start, step, last) = match access.at {
            AddressCode::Structured { index, offset, stride } => {
                let (offset, 0) = steps(words(offset))? else { return None };
                let (index, step) = steps(words(index))?;
                let stride = u64::from(stride);
                if offset + total > stride {
                    return None;
                }
                let last = index.checked_add(step.checked_mul(width - 1)?)?;
                // The end of the last element must lie in the buffer, not just the end of the access.
                let end = last.checked_add(1)?.checked_mul(stride)?;
                if end > len {
                    return None;
                }
                (index * stride + offset, step * stride, last)
            }
            AddressCode::Byte(at) => {
                let (start, step) = steps(words(at))?;
                let last = start.checked_add(step.checked_mul(width - 1)?)?;
                if last + total > len {
                    return None;
                }
                (start, step, last)
            }
            AddressCode::Texel(at) => {
                // Only if memory holds values as the shader sees them.
                let texel = self.plain_texel(access)?;
                let (index, step) = steps(words(at))?;
                let last = index.checked_add(step.checked_mul(width - 1)?)?;
                if last.checked_add(1)?.checked_mul(texel)? > len {
                    return None;
                }
                (index * texel, step * texel, last)
            }
            AddressCode::Unit { .. } | AddressCode::CheckedTexel { .. } | AddressCode::None => {
                return None;
            }
        };
        // If the words wrap around 32 bits they are not a progression.
        (last <= u64::from(u32::MAX))
            .then_some(Progression { start: start as usize, step: step as usize })
    }
}

/// The first value and the common difference of neighbours, if there is one.
#[inline]
fn steps(words: &[u32]) -> Option<(u64, u64)> {
    let step = words[1].wrapping_sub(words[0]);
    let mut expected = words[0];
    let mut wrong = 0;
    for word in words {
        wrong |= word ^ expected;
        expected = expected.wrapping_add(step);
    }
    (wrong == 0).then_some((u64::from(words[0]), u64::from(step)))
}

/// The operands of an atomic operation.
pub(crate) fn operands(access: &AccessCode, registers: &Registers, lane: u32) -> [u64; 2] {
    let arg = |i: usize| access.values.get(i).map_or(0, |row| registers.get(*row, lane));
    [arg(0), arg(1)]
}

fn format(buffer: Option<&Buffer>, element: &Element) -> ElementFormat {
    access::format(buffer.and_then(|it| it.what.format()), element)
}
