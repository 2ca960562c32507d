//! Texture instructions: lane by lane, by the definition in [`ir::TextureCall`], which the reference engine shares.

use std::cell::Cell;

use ir::{Operands, TextureCall, TextureOp};
use ops::texture::{Image, MOST_BYTES, Memory, Shape};

use crate::call::Call;
use crate::views::View;

/// The index of an operand, which is that of its row.
pub(crate) type Operand = usize;

impl Call<'_> {
    pub(crate) fn texture(&self, call: &TextureCall<Operand>) {
        self.each(|lane| {
            let results = self.texture_lane(call, lane as u32);
            for (i, bits) in results.into_iter().enumerate() {
                self.set_result(i, lane, bits);
            }
        });
    }

    fn texture_lane(&self, call: &TextureCall<Operand>, lane: u32) -> [u64; 4] {
        let Some(view) = self.named(call.texture, lane) else { return [0; 4] };
        if let (TextureOp::Size, Some(map)) = (call.op, view.what.feedback()) {
            return call.map_size(map, self, lane);
        }
        let Some((shape, identity)) = view.what.identified() else { return [0; 4] };
        if call.suiting(Some(shape)).is_none() {
            return [0; 4];
        }
        if call.op.is_feedback() {
            self.feedback(call, (shape, identity), lane);
            return [0; 4];
        }
        let image = Image { shape, memory: view };
        if !call.op.writes() {
            let sampler = call.sampler.and_then(|it| self.named(it, lane)?.what.sampler());
            let (found, texels) =
                call.read(&image, &sampler.unwrap_or_default(), self, lane, self.active);
            self.texels.set(self.texels.get() + u64::from(texels));
            return found;
        }
        let Some(start) = call.start(&image, self, lane) else { return [0; 4] };
        let format = shape.format;
        if call.op != TextureOp::Store {
            let change = |bytes: &mut [u8]| call.write(format, bytes, self, lane);
            return [view.change(start as u64, format.bytes(), change), 0, 0, 0];
        }
        let mut texel = [0; MOST_BYTES];
        let texel = &mut texel[..format.bytes()];
        if !call.stores_all(format) {
            view.read(start, texel);
        }
        call.write(format, texel, self, lane);
        view.store(start as u64, texel);
        [0; 4]
    }

    /// Records what a sample would use.
    fn feedback(&self, call: &TextureCall<Operand>, texture: (Shape, u64), lane: u32) {
        let view = call.map.and_then(|it| self.named(it, lane));
        let Some((view, map)) = view.and_then(|it| Some((it, it.what.feedback()?))) else { return };
        if map.map.kind != call.kind {
            return;
        }
        let sampler = call.sampler.and_then(|it| self.named(it, lane)?.what.sampler());
        let mut texels = 0;
        call.feedback(map, texture, &sampler.unwrap_or_default(), self, lane, |at, mark| {
            texels += 1;
            let joined = |old: u64| u64::from(map.map.kind.joined(old as u32, mark));
            // PERF: most marks are there already, and a read needs no exclusive cache line.
            let old = view.load(at, 4);
            if joined(old) != old {
                view.update(at, 4, joined);
            }
        });
        self.texels.set(self.texels.get() + texels);
    }

    /// The texture, sampler or map that a lane uses.
    fn named(
        &self,
        (binding, element): (ir::Binding, Option<Operand>),
        lane: u32,
    ) -> Option<&View> {
        let element = element.map_or(0, |it| self.word(it, lane));
        self.common.views.bindings.get(binding.index())?.get(element as usize)
    }
}

impl Operands<Operand> for Call<'_> {
    fn word(&self, operand: Operand, lane: u32) -> u32 {
        self.rows.word(operand, lane as usize)
    }

    fn bits(&self, operand: Operand, lane: u32) -> u64 {
        self.arg(operand, lane as usize)
    }
}

impl Memory for View {
    fn size(&self) -> usize {
        self.len as usize
    }

    fn read(&self, at: usize, to: &mut [u8]) {
        let mut done = 0;
        while done < to.len() {
            let size = piece(to.len() - done);
            let bits = self.load((at + done) as u64, size as u32);
            to[done..done + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            done += size;
        }
    }
}

impl View {
    /// Stores bytes, scalar by scalar.
    fn store(&self, at: u64, from: &[u8]) {
        let mut done = 0;
        while done < from.len() {
            let size = piece(from.len() - done);
            let mut word = [0; 8];
            word[..size].copy_from_slice(&from[done..done + size]);
            self.write(at + done as u64, size as u32, u64::from_le_bytes(word));
            done += size;
        }
    }

    /// Changes a texel atomically; returns the result of `change`.
    fn change(&self, at: u64, size: usize, change: impl Fn(&mut [u8]) -> u64) -> u64 {
        if matches!(size, 1 | 2 | 4 | 8) {
            let seen = Cell::new(0);
            self.update(at, size as u32, |bits| {
                let mut bytes = bits.to_le_bytes();
                seen.set(change(&mut bytes[..size]));
                u64::from_le_bytes(bytes)
            });
            return seen.get();
        }
        let mut texel = [0; MOST_BYTES];
        let texel = &mut texel[..size];
        let _alone = View::alone();
        self.read(at as usize, texel);
        let seen = change(texel);
        self.store(at, texel);
        seen
    }
}

/// The largest scalar that is not larger.
fn piece(bytes: usize) -> usize {
    match bytes {
        1 => 1,
        2 | 3 => 2,
        _ => 4,
    }
}
