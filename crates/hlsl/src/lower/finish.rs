//! The end of lowering: the module records its requirements.

use ir::Module;

use super::Lowerer;

impl Lowerer<'_> {
    pub(super) fn finish(mut self) -> Module {
        let notes = self.take_notes();
        let mut module = self.builder.finish();
        module.needs.wave_masks = self.wave_masks;
        module.notes = notes;
        module.summarise();
        module
    }
}
