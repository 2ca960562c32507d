//! Specialization constants: gives `[[vk::constant_id(N)]] const T x = …;` the value that a job says.
//!
//! The value replaces the initialiser in the text, since it is a constant for the compiler from then on.

use crate::job::SpecializationConstant;
use crate::number::Format;

/// The text with the constants' values, or the message that the format's own tool gives.
pub(crate) fn specialize(
    source: &str,
    constants: &[SpecializationConstant],
) -> Result<String, String> {
    for (index, constant) in constants.iter().enumerate() {
        if constants[..index].iter().any(|it| it.id == constant.id) {
            return Err(format!(
                "Test configuration contains multiple entries for specialization constant ID {}.",
                constant.id
            ));
        }
    }
    let values: Result<Vec<String>, String> = constants.iter().map(literal).collect();
    let mut text = source.to_owned();
    for (constant, value) in constants.iter().zip(values?) {
        let mut from = 0;
        while let Some(at) = text[from..].find("vk::constant_id").map(|it| from + it) {
            from = at + "vk::constant_id".len();
            let Some((id, _)) =
                text[from..].trim_start().strip_prefix('(').and_then(|it| it.split_once(')'))
            else {
                continue;
            };
            if id.trim().parse() != Ok(constant.id) {
                continue;
            }
            let Some(end) = text[from..].find(';').map(|it| from + it) else { break };
            let Some(start) = text[from..end].find('=').map(|it| from + it + 1) else { continue };
            // Lines stay where they are.
            let lines = "\n".repeat(text[start..end].matches('\n').count());
            text.replace_range(start..end, &format!(" {value}{lines}"));
        }
    }
    // Without `static` a constant of the file belongs to a buffer; these belong to the program.
    let mut from = 0;
    while let Some(at) = text[from..].find("vk::constant_id").map(|it| from + it) {
        let Some(end) = text[at..].find("]]").map(|it| at + it + 2) else { break };
        if !text[end..].trim_start().starts_with("static") {
            text.insert_str(end, " static ");
        }
        from = end;
    }
    Ok(text)
}

/// The value as HLSL writes it.
fn literal(constant: &SpecializationConstant) -> Result<String, String> {
    let (name, suffix) = match constant.ty {
        Format::Bool => ("bool", ""),
        Format::Int16 => ("int16", ""),
        Format::Int32 => ("int32", ""),
        Format::Int64 => ("int64", "ll"),
        Format::UInt16 => ("uint16", "u"),
        Format::UInt32 | Format::Hex32 => ("uint32", "u"),
        Format::UInt64 | Format::Hex64 => ("uint64", "ull"),
        Format::Float32 | Format::Depth32 => ("float", "f"),
        Format::Float64 => ("double", "l"),
        Format::Float16 => ("float16", ""),
        Format::Hex8 | Format::Hex16 => ("uint16", "u"),
    };
    let wrong =
        |_| format!("Invalid {name} value for specialization constant '{}'", constant.value);
    let text = constant.value.as_str();
    match (constant.ty, text) {
        (Format::Bool, "true") => return Ok("true".to_owned()),
        (Format::Bool, "false") => return Ok("false".to_owned()),
        _ => {}
    }
    let bits = constant.ty.parse(text).map_err(wrong)?;
    Ok(match constant.ty {
        Format::Bool => (bits != 0).to_string(),
        Format::Float32 | Format::Depth32 => float(f64::from(f32::from_bits(bits as u32)), "f"),
        Format::Float64 => float(f64::from_bits(bits), "l"),
        Format::Float16 => float(f64::from(device::F16(bits as u16).to_f32()), "h"),
        Format::Int16 => format!("({})", bits as i16),
        Format::Int32 => format!("({})", bits as i32),
        Format::Int64 => format!("({}{suffix})", bits as i64),
        Format::Hex8
        | Format::Hex16
        | Format::Hex32
        | Format::Hex64
        | Format::UInt16
        | Format::UInt32
        | Format::UInt64 => format!("{bits}{suffix}"),
    })
}

/// A literal that reads back to the same value.
fn float(value: f64, suffix: &str) -> String {
    match (value.is_nan(), value.is_infinite()) {
        (true, _) => "(0.0 / 0.0)".to_owned(),
        (_, true) => if value > 0.0 { "(1.0 / 0.0)" } else { "(-1.0 / 0.0)" }.to_owned(),
        _ => format!("({value:?}{suffix})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(id: u32, ty: Format, value: &str) -> SpecializationConstant {
        SpecializationConstant { id, ty, value: value.to_owned(), at: 0..0 }
    }

    #[test]
    fn initialisers_are_replaced_and_lines_stay() {
        let source = "[[vk::constant_id(0)]]\nconst int a =\n 1;\n[[vk::constant_id(10)]] const float b = 2;\n";
        let text = specialize(
            source,
            &[constant(0, Format::Int32, "-7"), constant(10, Format::Float32, "0.5")],
        );
        assert_eq!(
            text.unwrap(),
            "[[vk::constant_id(0)]] static \nconst int a = (-7)\n;\n\
             [[vk::constant_id(10)]] static  const float b = (0.5f);\n"
        );
    }

    #[test]
    fn wrong_values_are_refused() {
        let error = specialize("", &[constant(0, Format::Int16, "x")]).unwrap_err();
        assert_eq!(error, "Invalid int16 value for specialization constant 'x'");
        let twice = [constant(1, Format::Int32, "1"), constant(1, Format::Int32, "2")];
        assert!(specialize("", &twice).unwrap_err().contains("multiple entries"));
    }
}
