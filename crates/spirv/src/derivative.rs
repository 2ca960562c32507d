//! Derivatives as differences between the lanes of a quad, by subgroup shuffles.
//!
//! They have the reference engine's bits on every device: an inactive lane of the quad, found by a ballot, has the
//! reading lane's value. The device's derivative instructions leave that open and are used only where they are
//! unavoidable (`sample.rs`).
//!
//! In a pixel shader the other lanes are read without a ballot: a driver may leave helper lanes out of ballots although
//! it computes their values (lavapipe 25.0 does). There the value of a lane that has diverged is device-specific.

use ir::Derivative;
use ops::{Binary, Ty};

use crate::emit::Emitter;
use crate::module::Id;
use crate::opcode as op;

impl Emitter<'_> {
    pub(crate) fn derivative(&mut self, of: Derivative, ty: Ty, value: Id) -> Id {
        let active = if self.is_pixel() { None } else { Some(self.active_in_quad()) };
        let [greater, lesser] = match of {
            Derivative::XCoarse | Derivative::YCoarse => of
                .lanes(0)
                .map(|it| self.out.word(it))
                .map(|it| self.in_quad(ty, value, it, active)),
            Derivative::XFine | Derivative::YFine => {
                let step = if of == Derivative::XFine { 1 } else { 2 };
                let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
                let greater = self.words(op::BITWISE_OR, lane, step);
                let lesser = self.words(op::BITWISE_AND, lane, !step);
                [greater, lesser]
                    .map(|it| self.words(op::BITWISE_AND, it, 3))
                    .map(|it| self.in_quad(ty, value, it, active))
            }
        };
        self.binary(Binary::Sub, ty, greater, lesser)
    }

    /// The mask of the quad's active lanes.
    pub(crate) fn active_in_quad(&mut self) -> Id {
        let all_active = self.all_active();
        self.quad_bits(all_active)
    }

    /// The value of a lane of the quad; the reading lane's own value if that lane is not active.
    fn in_quad(&mut self, ty: Ty, value: Id, index: Id, active: Option<Id>) -> Id {
        let uint = self.out.uint();
        let lane = self.input(op::SUBGROUP_LOCAL_INVOCATION_ID);
        let first = self.words(op::BITWISE_AND, lane, !3);
        let source = self.op(op::BITWISE_OR, uint, &[first, index]);
        let read = self.shuffle(ty, value, source);
        let Some(active) = active else { return read };
        let shifted = self.op(op::SHIFT_RIGHT_LOGICAL, uint, &[active, index]);
        let bit = self.words(op::BITWISE_AND, shifted, 1);
        let zero = self.out.word(0);
        let is_active = self.test(op::I_NOT_EQUAL, bit, zero);
        self.choose(ty, is_active, read, value)
    }
}
