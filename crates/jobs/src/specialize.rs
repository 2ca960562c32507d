//! Specialization constants: the values that a job gives to `[[vk::constant_id(N)]]`, in the compiler's form.

use crate::job::SpecializationConstant;
use crate::number::Format;

/// The number and the bits of each, or the error message of the format's own tool.
pub(crate) fn constants(constants: &[SpecializationConstant]) -> Result<Vec<(u32, u64)>, String> {
    for (index, constant) in constants.iter().enumerate() {
        if constants[..index].iter().any(|it| it.id == constant.id) {
            return Err(format!(
                "Test configuration contains multiple entries for specialization constant ID {}.",
                constant.id
            ));
        }
    }
    constants.iter().map(|it| Ok((it.id, bits(it)?))).collect()
}

fn bits(constant: &SpecializationConstant) -> Result<u64, String> {
    let name = match constant.ty {
        Format::Bool => "bool",
        Format::Int16 => "int16",
        Format::Int32 => "int32",
        Format::Int64 => "int64",
        Format::UInt16 | Format::Hex8 | Format::Hex16 => "uint16",
        Format::UInt32 | Format::Hex32 => "uint32",
        Format::UInt64 | Format::Hex64 => "uint64",
        Format::Float32 | Format::Depth32 => "float",
        Format::Float64 => "double",
        Format::Float16 => "float16",
    };
    let text = constant.value.as_str();
    match (constant.ty, text) {
        (Format::Bool, "true") => Ok(1),
        (Format::Bool, "false") => Ok(0),
        _ => constant
            .ty
            .parse(text)
            .map_err(|_| format!("Invalid {name} value for specialization constant '{text}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(id: u32, ty: Format, value: &str) -> SpecializationConstant {
        SpecializationConstant { id, ty, value: value.to_owned(), at: 0..0 }
    }

    #[test]
    fn values_are_the_bits_of_their_type() {
        let given = [
            constant(0, Format::Int16, "-1"),
            constant(10, Format::Float32, "0.5"),
            constant(3, Format::Bool, "true"),
        ];
        assert_eq!(constants(&given), Ok(vec![(0, 0xffff), (10, 0x3f00_0000), (3, 1)]));
    }

    #[test]
    fn wrong_values_are_refused() {
        let error = constants(&[constant(0, Format::Int16, "x")]).unwrap_err();
        assert_eq!(error, "Invalid int16 value for specialization constant 'x'");
        let twice = [constant(1, Format::Int32, "1"), constant(1, Format::Int32, "2")];
        assert!(constants(&twice).unwrap_err().contains("multiple entries"));
    }
}
