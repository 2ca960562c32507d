//! Boxes of primitives in whole vectors, while a tree is built: every operation on them is one on four numbers.

use super::bounds::{Bounds, less, more};

/// A box in whole vectors: the fourth elements mean nothing, and are normal numbers, with which processors are fast.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(super) struct Rows {
    pub(super) low: [f32; 4],
    pub(super) high: [f32; 4],
}

impl Rows {
    pub(super) const EMPTY: Rows = Rows { low: [f32::INFINITY; 4], high: [f32::NEG_INFINITY; 4] };

    #[inline(always)]
    pub(super) fn join(&mut self, other: &Rows) {
        for at in 0..4 {
            self.low[at] = less(other.low[at], self.low[at]);
            self.high[at] = more(other.high[at], self.high[at]);
        }
    }

    #[inline(always)]
    fn take(&mut self, point: [f32; 4]) {
        self.join(&Rows { low: point, high: point });
    }

    /// The box around boxes.
    #[inline(always)]
    pub(super) fn around(items: &[Item]) -> Rows {
        Rows::joined(items, 1, |all, item| all.join(item))
    }

    /// The box around the doubled centres of every `stride`-th box.
    #[inline(always)]
    pub(super) fn around_centres(items: &[Item], stride: usize) -> Rows {
        Rows::joined(items, stride, |all, item| all.take(item.centre()))
    }

    /// PERF: two halves, which do not wait for each other.
    #[inline(always)]
    fn joined(items: &[Item], stride: usize, join: impl Fn(&mut Rows, &Rows)) -> Rows {
        let (mut even, mut odd) = (Rows::EMPTY, Rows::EMPTY);
        let mut each = items.iter().step_by(stride);
        while let Some(Item(item)) = each.next() {
            join(&mut even, item);
            if let Some(Item(item)) = each.next() {
                join(&mut odd, item);
            }
        }
        even.join(&odd);
        even
    }

    /// The greatest |coordinate|; 0 of an empty box.
    pub(super) fn reach(&self) -> f32 {
        let [low, high] = [&self.low[..3], &self.high[..3]];
        let is_empty = low[0] > high[0];
        let most = low.iter().chain(high).fold(0.0, |most: f32, it| most.max(it.abs()));
        if is_empty { 0.0 } else { most }
    }

    /// Half of the surface.
    #[inline(always)]
    pub(super) fn area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        x * y + y * z + z * x
    }

    /// The axis on which it is largest.
    #[inline(always)]
    pub(super) fn widest(&self) -> usize {
        let [x, y, z] = [0, 1, 2].map(|axis| self.high[axis] - self.low[axis]);
        if x >= y && x >= z {
            0
        } else if y >= z {
            1
        } else {
            2
        }
    }

    /// Twice the centre.
    #[inline(always)]
    pub(super) fn centre(&self) -> [f32; 4] {
        let mut centre = self.low;
        for (sum, high) in centre.iter_mut().zip(&self.high) {
            *sum += high;
        }
        centre
    }
}

/// A primitive while the tree is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item(pub(super) Rows);

impl Item {
    /// Added to the index of a primitive, which is less than 2²⁹, it gives the bits of a normal number.
    const INDEX: u32 = 1f32.to_bits();

    pub(super) fn new(bounds: Bounds, primitive: usize) -> Item {
        let ([a, b, c], [d, e, f]) = (bounds.low, bounds.high);
        let index = f32::from_bits(Item::INDEX + primitive as u32);
        Item(Rows { low: [a, b, c, index], high: [d, e, f, index] })
    }

    pub(super) fn primitive(&self) -> u32 {
        self.0.low[3].to_bits() - Item::INDEX
    }
}
