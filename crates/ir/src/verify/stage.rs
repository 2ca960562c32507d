//! What a stage needs: its signature, its traits, and the buffers of its groups.

use super::*;

impl Verifier<'_> {
    pub(super) fn stage_io(&mut self) {
        let module = self.module;
        let has = module.stage.has_signature();
        self.group_io();
        self.require(has == module.io.is_some(), || {
            let word = if has { "needs" } else { "has no" };
            format!("the stage `{}` {word} inputs and outputs", module.stage.name())
        });
        let Some(io) = &module.io else { return };
        self.require(module.stage == Stage::Pixel || io.pixel == PixelTraits::default(), || {
            "only a pixel shader has the traits of one".to_owned()
        });
        for elements in [&io.inputs, &io.outputs] {
            let mut seen = BTreeSet::new();
            for element in elements {
                let name = format!("{}{}", element.semantic, element.index);
                self.require((1..=4).contains(&element.components), || {
                    format!("`{name}` has {} components", element.components)
                });
                let semantic = element.semantic.to_ascii_lowercase();
                let first = seen.insert((element.holder, semantic, element.index));
                self.require(first, || format!("`{name}` occurs twice"));
            }
        }
        let fits = match (&io.traits, module.stage) {
            (StageTraits::Geometry(it), Stage::Geometry) => {
                let words = u64::from(it.stride()) * u64::from(it.most_vertices) + 1;
                u64::from(slot_count(&io.outputs)) == words
            }
            (StageTraits::Hull(_), Stage::Hull) | (StageTraits::Domain { .. }, Stage::Domain) => {
                true
            }
            (StageTraits::Plain, stage) => !stage.is_of_primitives(),
            _ => false,
        };
        self.require(fits, || {
            format!("the stage `{}` has the traits of another stage", module.stage.name())
        });
    }

    fn group_io(&mut self) {
        let module = self.module;
        let has = module.stage.is_of_meshlets();
        let buffers = module.resources.len().checked_sub(group::BUFFERS);
        let last = buffers.map_or(&[][..], |at| &module.resources[at..]);
        let names = last.iter().map(|it| it.name.as_str());
        let fits = match &module.group {
            Some(_) => has && names.eq([group::HEADERS, group::RECORDS]),
            None => !has,
        };
        self.require(fits, || {
            format!("the stage `{}` has the wrong buffers for its groups", module.stage.name())
        });
    }

    /// The type of a slot.
    pub(super) fn slot(&mut self, output: bool, slot: Slot) -> Option<Ty> {
        let elements = self.module.io.as_ref().map(|it| match output {
            true => it.outputs.as_slice(),
            false => it.inputs.as_slice(),
        });
        let found = element_of(elements.unwrap_or(&[]), slot);
        self.require(found.is_some(), || {
            format!("the {} {slot} does not exist", if output { "output" } else { "input" })
        });
        found.map(|(element, _)| element.ty())
    }

    pub(super) fn is_of_pixels(&mut self) {
        self.require(self.module.stage == Stage::Pixel, || {
            "only a pixel shader has this instruction".to_owned()
        });
    }
}
