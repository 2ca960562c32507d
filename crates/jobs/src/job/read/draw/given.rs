//! Reads the state of a draw that no job describes, one value of the command line at a time, by the rules of jobs.
//!
//! What a job names by its buffers (vertices, indices, targets) is absent here.

use super::state::State;
use super::*;
use crate::job::draw::GivenTarget;

/// What a value describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKey {
    /// Fields of `Raster`.
    Raster,
    Blend,
    DepthStencil,
    /// The field `Stencil` of `DepthStencil`.
    Stencil,
}

/// Replaces state of a draw; locations of errors are byte ranges of the text. Names may be written in any case.
pub fn read_state(draw: &mut Draw, key: StateKey, text: &str) -> Result<(), Vec<Error>> {
    let mut reader = reader();
    let node = yaml::read(text).map_err(|error| vec![error])?;
    match key {
        StateKey::Raster => {
            if let Some(mut fields) = reader.fields(&node, "the state") {
                let state = State::of(&mut fields);
                reader.done_with_state(fields);
                reader.state(&state, draw, &[]);
            }
        }
        StateKey::Blend => {
            reader.blend(&node, draw);
        }
        StateKey::DepthStencil => {
            // A draw without a depth test that is given one.
            let usual = DepthState { func: Comparison::Less, write: true };
            draw.depth.tests.depth.get_or_insert(usual);
            reader.depth(&node, &mut draw.depth, &[]);
        }
        StateKey::Stencil => {
            reader.stencil(&node, &mut draw.depth, &[]);
            draw.depth.make_room();
        }
    }
    reader.finish(())
}

/// Reads a target: `FORMAT`, `NAME=FORMAT`, or the fields of one of `RenderTargets`, of which none is required.
pub fn read_target(text: &str) -> Result<GivenTarget, Vec<Error>> {
    let mut reader = reader();
    let mut target = GivenTarget::default();
    if !text.trim_start().starts_with('{') {
        let (name, format) = match text.split_once('=') {
            Some((name, format)) => (Some(name), format),
            None => (None, text),
        };
        let at = text.len() - format.len()..text.len();
        target.format = reader.target_format(format, &at);
        target.name = name.map(str::to_owned);
        if let Some(name) = name {
            reader.check_name(name, &(0..name.len()));
        }
        return reader.finish(target);
    }
    let node = yaml::read(text).map_err(|error| vec![error])?;
    if let Some(mut fields) = reader.fields(&node, "a target") {
        if let Some(node) = fields.get("Name")
            && let Some(name) = reader.text(node)
        {
            reader.check_name(name, &node.at);
            target.name = Some(name.to_owned());
        }
        if let Some((format, clear, write)) = reader.given(fields) {
            target = GivenTarget { format: format.map(|it| it.0), clear, write, ..target };
        }
    }
    reader.finish(target)
}

fn reader() -> Reader {
    Reader { folds_case: true, ..Reader::new(Api::Wavelane) }
}

impl Reader {
    /// Names appear in `NAME=FILE` and in names of files.
    fn check_name(&mut self, name: &str, at: &Range<usize>) {
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        if name.is_empty() || !name.chars().all(is_word) {
            let what = format!("`{name}` is not the name of a target");
            let error = Error::new(at.clone(), what);
            self.errors.push(error.help("a name has letters, digits and underscores"));
        }
    }

    fn finish<T>(mut self, done: T) -> Result<T, Vec<Error>> {
        if self.errors.is_empty() {
            return Ok(done);
        }
        self.errors.sort_by_key(|it| it.at.start);
        Err(self.errors)
    }
}

impl Depth {
    /// Chooses the format with a stencil instead of the one without, if the stencil is tested.
    pub(super) fn make_room(&mut self) {
        if self.tests.stencil.is_some() && self.format == DepthFormat::D32Float {
            self.format = DepthFormat::D32FloatS8X24Uint;
        }
    }
}

#[cfg(test)]
mod tests {
    use wavelane::graphics::{BlendOp, Factor, StencilOp};

    use super::*;

    fn set(values: &[(StateKey, &str)]) -> Draw {
        let mut draw = Draw::fixed();
        draw.depth.tests.depth = None;
        draw.depth.format = DepthFormat::D32Float;
        for (key, text) in values {
            read_state(&mut draw, *key, text).unwrap_or_else(|it| panic!("{text}: {it:?}"));
        }
        draw
    }

    #[test]
    fn values_say_what_keys_of_jobs_say() {
        let preset = set(&[(StateKey::Blend, "alpha")]).write;
        let full = "{ Src: SrcAlpha, Dst: InvSrcAlpha, SrcAlpha: One, DstAlpha: InvSrcAlpha }";
        assert_eq!(preset, set(&[(StateKey::Blend, full)]).write);
        let max = set(&[(StateKey::Blend, "Max")]).write.blend.unwrap();
        assert_eq!((max.color.op, max.alpha.op), (BlendOp::Max, BlendOp::Max));
        assert_eq!(set(&[(StateKey::Blend, "max"), (StateKey::Blend, "none")]).write.blend, None);
        let depth = |text| set(&[(StateKey::DepthStencil, text)]).depth;
        let greater = DepthState { func: Comparison::Greater, write: true };
        assert_eq!(depth("greater").tests.depth, Some(greater));
        assert_eq!(depth("none").tests.depth, None);
        let less = DepthState { func: Comparison::Less, write: false };
        let read_only = depth("{ Write: false }");
        assert_eq!((read_only.tests.depth, read_only.format), (Some(less), DepthFormat::D32Float));
        let stencil = set(&[(StateKey::Stencil, "{ Ref: 1, Front: { Pass: replace } }")]).depth;
        assert_eq!(stencil.tests.stencil.unwrap().front.pass, StencilOp::Replace);
        assert_eq!((stencil.tests.depth, stencil.format.has_stencil()), (None, true));
        let raster = set(&[(StateKey::Raster, "Cull: Back"), (StateKey::Raster, "{ Samples: 4 }")]);
        assert_eq!((raster.cull, raster.samples.count()), (Cull::Back, 4));
        let own = read_target("{ Name: A, Format: R32_UINT, Clear: [7, 0, 0, 0], Blend: none }");
        let own = own.unwrap();
        assert_eq!((own.name.as_deref(), own.clear[0]), (Some("A"), 7.0));
        assert_eq!(own.write, Some(TargetState::default()));
        let named = read_target("Normal=RGBA16_FLOAT").unwrap();
        assert_eq!(named.format.unwrap().to_string(), "RGBA16_FLOAT");
        let multiply = read_target("{ Blend: Multiply }").unwrap().write.unwrap().blend.unwrap();
        assert_eq!((multiply.color.src, multiply.color.dst), (Factor::DestColor, Factor::Zero));
    }

    #[test]
    fn errors_have_places_in_the_value() {
        let wrong = |key, text: &str| read_state(&mut Draw::fixed(), key, text).unwrap_err();
        for (key, text, at, says) in [
            (StateKey::Blend, "alhpa", 0..5, "`alhpa` is not a valid choice"),
            (StateKey::Blend, "{ Sorc: One }", 2..6, "unknown key `Sorc`"),
            (StateKey::Blend, "[One]", 0..5, "must be a mapping"),
            (StateKey::DepthStencil, "{ Func: lesss }", 8..13, "`lesss` is not a valid choice"),
            (StateKey::DepthStencil, "{ Clear: 2 }", 9..10, "from 0 to 1"),
            (StateKey::Stencil, "{ Name: S }", 8..9, "there is no buffer `S`"),
            (StateKey::Raster, "IndexBuffer: x", 0..11, "unknown key `IndexBuffer`"),
        ] {
            let errors = wrong(key, text);
            assert_eq!(errors[0].at, at, "{text}: {errors:?}");
            assert!(errors[0].message.contains(says), "{text}: {errors:?}");
        }
        for (text, at, says) in [
            ("RGBA8", 0..5, "`RGBA8` is not the format of a target"),
            ("A=RGB9E5_FLOAT", 2..14, "is not the format of a target"),
            ("a/b=R8_UNORM", 0..3, "is not the name of a target"),
            ("{ Format: R8_UNORM, Color: 1 }", 20..25, "unknown key `Color`"),
        ] {
            let errors = read_target(text).unwrap_err();
            assert_eq!(errors[0].at, at, "{text}: {errors:?}");
            assert!(errors[0].message.contains(says), "{text}: {errors:?}");
        }
    }
}
