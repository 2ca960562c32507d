//! Samplers of a job: their states, and the words of the format for them.

use std::fmt::Write;
use std::ops::Range;

use wavelane::texture::{Address, Comparison, Filter, Sampler as State};

/// An entry of `Samplers`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    pub name: String,
    pub state: State,
    pub at: Range<usize>,
}

impl Sampler {
    /// Whether it is a comparison sampler.
    pub fn compares(&self) -> bool {
        self.state.compare != Comparison::Never
    }
}

pub(super) const FILTERS: [(&str, Filter); 2] =
    [("Nearest", Filter::Nearest), ("Linear", Filter::Linear)];

pub(super) const ADDRESSES: [(&str, Address); 5] = [
    ("Clamp", Address::Clamp),
    ("Repeat", Address::Wrap),
    ("Mirror", Address::Mirror),
    ("Border", Address::Border),
    ("MirrorOnce", Address::MirrorOnce),
];

pub(super) const COMPARISONS: [(&str, Comparison); 8] = [
    ("Never", Comparison::Never),
    ("Less", Comparison::Less),
    ("Equal", Comparison::Equal),
    ("LessEqual", Comparison::LessEqual),
    ("Greater", Comparison::Greater),
    ("NotEqual", Comparison::NotEqual),
    ("GreaterEqual", Comparison::GreaterEqual),
    ("Always", Comparison::Always),
];

/// The state of an entry without further keys. `MipFilter` is an extension: the format's own tool takes the nearest
/// level.
pub(super) fn usual() -> State {
    State { mip: Filter::Nearest, ..State::default() }
}

/// The word of a filter.
pub(crate) fn filter(value: Filter) -> &'static str {
    word(&FILTERS, value)
}

/// The word of an address mode.
pub(crate) fn address(value: Address) -> &'static str {
    word(&ADDRESSES, value)
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|it| it.1 == value).map_or("", |it| it.0)
}

/// An entry of `Samplers` with a state, or what the format cannot express of it. Without levels in any texture, the
/// filter between them does not matter.
pub(crate) fn entry(name: &str, state: &State, has_levels: bool) -> Result<String, String> {
    let State {
        min, mag, mip, anisotropy, address: [u, ..], bias, min_lod, max_lod, compare, ..
    } = *state;
    if anisotropy > 1 {
        return Err(format!("the anisotropic filter of `{name}`"));
    }
    let usual = usual();
    // Separate modes of axes and border colours cannot be expressed: the state must be exactly what the words describe.
    if (State { address: [u; 3], border: usual.border, ..*state }) != *state {
        return Err(format!("the address modes or the border colour of `{name}`"));
    }
    let mut text = format!("  - {{ Name: {name}");
    let mut add = |is_own: bool, key: &str, value: String| {
        if is_own {
            let _ = write!(text, ", {key}: {value}");
        }
    };
    let compares = compare != usual.compare;
    add(compares, "Kind", "SamplerComparison".to_owned());
    add(compares, "ComparisonOp", word(&COMPARISONS, compare).to_owned());
    add(min != usual.min, "MinFilter", filter(min).to_owned());
    add(mag != usual.mag, "MagFilter", filter(mag).to_owned());
    add(has_levels && mip != usual.mip, "MipFilter", filter(mip).to_owned());
    add(u != usual.address[0], "Address", address(u).to_owned());
    for (key, value, usual) in [
        ("MinLOD", min_lod, usual.min_lod),
        ("MaxLOD", max_lod, usual.max_lod),
        ("MipLODBias", bias, usual.bias),
    ] {
        add(value.to_bits() != usual.to_bits(), key, format!("{value:?}"));
    }
    text.push_str(" }\n");
    Ok(text)
}
