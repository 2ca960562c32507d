//! Root signatures, as far as jobs need them: which root parameter is for which register.

use wavelane::RegisterClass;
use wavelane::texture::{Address, Comparison, Filter, Sampler};

use crate::job::{Job, RootParameter};

/// A register that a root parameter names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RootPlace {
    pub class: RegisterClass,
    pub index: u32,
    pub space: u32,
}

/// The parameters of a root signature, in order; tables have no register.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Root {
    parameters: Vec<Option<RootPlace>>,
    /// Static samplers.
    pub(crate) samplers: Vec<(RootPlace, Sampler)>,
}

impl Root {
    /// Finds the root signature in a shader's text; without one nothing is bound at the root.
    pub(crate) fn of(source: &str) -> Root {
        let Some(at) = source.to_ascii_lowercase().find("[rootsignature") else {
            return Root::default();
        };
        let argument = source[at..].split_once('(').map_or("", |(_, rest)| rest).trim_start();
        let text = match argument.starts_with('"') {
            true => literals(argument.split(']').next().unwrap_or("")),
            false => {
                let is_name = |it: char| it.is_alphanumeric() || it == '_';
                let name = argument.split(|it| !is_name(it)).next().unwrap_or("");
                defined(source, name)
            }
        };
        let items = items(&text);
        Root {
            parameters: items.iter().filter_map(|it| parameter(it)).collect(),
            samplers: items.iter().filter_map(|it| static_sampler(it)).collect(),
        }
    }

    /// The job's buffers that root parameters bind, with their registers.
    pub(crate) fn bindings(&self, job: &Job) -> Result<Vec<(usize, RootPlace)>, String> {
        let mut bindings = Vec::new();
        for (index, parameter) in job.root_parameters.iter().enumerate() {
            let buffer = match parameter {
                RootParameter::Constant { buffer }
                | RootParameter::RootDescriptor { buffer, .. } => *buffer,
                RootParameter::DescriptorTable => continue,
            };
            if job.buffers[buffer].data.len() > 1 {
                let what = match parameter {
                    RootParameter::Constant { .. } => "Root constant",
                    _ => "Root descriptor",
                };
                return Err(format!("{what} cannot refer to resource arrays"));
            }
            let place = self.parameters.get(index).copied().flatten();
            let place = place.ok_or_else(|| {
                let name = &job.buffers[buffer].name;
                format!("the root parameter {index}, for `{name}`, has no register in the shader's root signature")
            })?;
            bindings.push((buffer, place));
        }
        Ok(bindings)
    }
}

/// The text of a macro: its string literals, joined across continuation lines.
fn defined(source: &str, name: &str) -> String {
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let words: Vec<&str> =
            line.trim_start().trim_start_matches('#').split_whitespace().collect();
        if !line.trim_start().starts_with('#') || words.get(..2) != Some(&["define", name]) {
            continue;
        }
        let mut text = line.to_owned();
        while text.trim_end().ends_with('\\') {
            text.truncate(text.trim_end().len() - 1);
            match lines.next() {
                Some(line) => text.push_str(line),
                None => break,
            }
        }
        return literals(&text);
    }
    String::new()
}

/// The contents of string literals.
fn literals(text: &str) -> String {
    text.split('"').skip(1).step_by(2).collect()
}

/// The items separated by commas outside of parentheses.
fn items(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut depth = 0usize;
    let mut item = String::new();
    for character in text.chars().chain([',']) {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(item.trim().to_owned());
                item.clear();
                continue;
            }
            _ => {}
        }
        item.push(character);
    }
    items
}

/// `StaticSampler(s0, filter = …)`, with the defaults of root signatures.
fn static_sampler(text: &str) -> Option<(RootPlace, Sampler)> {
    let (kind, arguments) = text.split_once('(')?;
    if !kind.trim().eq_ignore_ascii_case("StaticSampler") {
        return None;
    }
    let mut place = RootPlace { class: RegisterClass::Sampler, index: 0, space: 0 };
    let mut sampler = Sampler {
        anisotropy: 16,
        address: [Address::Wrap; 3],
        border: [1.0; 4],
        compare: Comparison::LessEqual,
        ..Sampler::default()
    };
    for argument in arguments.trim_end_matches(')').split(',').map(str::trim) {
        let Some((name, value)) = argument.split_once('=') else {
            let digits = argument.trim_start_matches(['s', 'S']);
            place.index = digits.parse().unwrap_or(place.index);
            continue;
        };
        let value = value.trim().to_ascii_uppercase();
        let number = value.trim_end_matches('F').parse::<f32>().ok();
        match name.trim().to_ascii_lowercase().as_str() {
            "space" => place.space = value.parse().ok()?,
            "filter" => filter(&value, &mut sampler),
            "addressu" => sampler.address[0] = address(&value)?,
            "addressv" => sampler.address[1] = address(&value)?,
            "addressw" => sampler.address[2] = address(&value)?,
            "miplodbias" => sampler.bias = number?,
            "maxanisotropy" if sampler.anisotropy > 1 => sampler.anisotropy = value.parse().ok()?,
            "minlod" => sampler.min_lod = number?,
            "maxlod" => sampler.max_lod = number?,
            "comparisonfunc" => sampler.compare = comparison(&value)?,
            "bordercolor" => {
                sampler.border = match value.as_str() {
                    "STATIC_BORDER_COLOR_TRANSPARENT_BLACK" => [0.0; 4],
                    "STATIC_BORDER_COLOR_OPAQUE_BLACK" => [0.0, 0.0, 0.0, 1.0],
                    _ => [1.0; 4],
                };
            }
            _ => {}
        }
    }
    Some((place, sampler))
}

/// Such as `FILTER_MIN_POINT_MAG_MIP_LINEAR`: each filtering mode applies to the words before it.
fn filter(name: &str, sampler: &mut Sampler) {
    if name.ends_with("ANISOTROPIC") {
        return;
    }
    sampler.anisotropy = 1;
    let mut open = Vec::new();
    for word in name.split('_') {
        let way = match word {
            "POINT" => Filter::Nearest,
            "LINEAR" => Filter::Linear,
            other => {
                open.push(other);
                continue;
            }
        };
        for word in open.drain(..) {
            match word {
                "MIN" => sampler.min = way,
                "MAG" => sampler.mag = way,
                "MIP" => sampler.mip = way,
                _ => {}
            }
        }
    }
}

fn address(name: &str) -> Option<Address> {
    Some(match name.strip_prefix("TEXTURE_ADDRESS_")? {
        "WRAP" => Address::Wrap,
        "MIRROR" => Address::Mirror,
        "CLAMP" => Address::Clamp,
        "BORDER" => Address::Border,
        "MIRROR_ONCE" => Address::MirrorOnce,
        _ => return None,
    })
}

fn comparison(name: &str) -> Option<Comparison> {
    Some(match name.strip_prefix("COMPARISON_")? {
        "NEVER" => Comparison::Never,
        "LESS" => Comparison::Less,
        "EQUAL" => Comparison::Equal,
        "LESS_EQUAL" => Comparison::LessEqual,
        "GREATER" => Comparison::Greater,
        "NOT_EQUAL" => Comparison::NotEqual,
        "GREATER_EQUAL" => Comparison::GreaterEqual,
        "ALWAYS" => Comparison::Always,
        _ => return None,
    })
}

/// `None` for items that are not numbered: flags and static samplers.
fn parameter(text: &str) -> Option<Option<RootPlace>> {
    let (kind, arguments) = text.split_once('(')?;
    // Keywords and registers are case-insensitive.
    let class = match kind.trim().to_ascii_lowercase().as_str() {
        "descriptortable" => return Some(None),
        "rootconstants" | "cbv" => RegisterClass::Constant,
        "srv" => RegisterClass::Shader,
        "uav" => RegisterClass::Unordered,
        _ => return None,
    };
    let mut place = RootPlace { class, index: 0, space: 0 };
    for argument in arguments.trim_end_matches(')').split(',').map(str::trim) {
        match argument.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("space") => {
                place.space = value.trim().parse().ok()?;
            }
            Some(_) => {}
            None => {
                let digits = argument.trim_start_matches(['b', 't', 'u', 'B', 'T', 'U']);
                place.index = digits.parse().unwrap_or(place.index);
            }
        }
    }
    Some(Some(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_and_name_registers() {
        let text = "#define RS \"RootFlags(0), RootConstants(num32BitConstants=4, b2),\" \\\n \
                    \"DescriptorTable(UAV(u0), SRV(t0)), UAV(u3, space=1), StaticSampler(s0)\"\n\
                    [RootSignature(RS)]\nvoid main() {}";
        let place = |class, index, space| Some(RootPlace { class, index, space });
        assert_eq!(
            Root::of(text).parameters,
            [place(RegisterClass::Constant, 2, 0), None, place(RegisterClass::Unordered, 3, 1)]
        );
        let direct = Root::of("[RootSignature(\"SRV(t1)\")] void main() {}");
        assert_eq!(direct.parameters, [place(RegisterClass::Shader, 1, 0)]);
        assert_eq!(Root::of("void main() {}"), Root::default());
        let text = "[RootSignature(\"StaticSampler(s2, filter = FILTER_MIN_POINT_MAG_MIP_LINEAR, \
                    addressV = TEXTURE_ADDRESS_CLAMP, maxLOD = 3.f)\")]";
        let root = Root::of(text);
        let (place, sampler) = &root.samplers[0];
        assert_eq!((place.index, sampler.anisotropy, sampler.max_lod), (2, 1, 3.0));
        assert_eq!((sampler.min, sampler.mip), (Filter::Nearest, Filter::Linear));
        assert_eq!(sampler.address, [Address::Wrap, Address::Clamp, Address::Wrap]);
    }
}
