//! Specialization constants: the values that a job gives to `[[vk::constant_id(N)]]`, in the compiler's form.

use crate::job::SpecializationConstant;
use crate::number::NumberFormat;

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
        NumberFormat::Bool => "bool",
        NumberFormat::Int16 => "int16",
        NumberFormat::Int32 => "int32",
        NumberFormat::Int64 => "int64",
        NumberFormat::UInt16 | NumberFormat::Hex8 | NumberFormat::Hex16 => "uint16",
        NumberFormat::UInt32 | NumberFormat::Hex32 => "uint32",
        NumberFormat::UInt64 | NumberFormat::Hex64 => "uint64",
        NumberFormat::Float32 | NumberFormat::Depth32 => "float",
        NumberFormat::Float64 => "double",
        NumberFormat::Float16 => "float16",
    };
    let text = constant.value.as_str();
    match (constant.ty, text) {
        (NumberFormat::Bool, "true") => Ok(1),
        (NumberFormat::Bool, "false") => Ok(0),
        _ => constant
            .ty
            .parse(text)
            .map_err(|_| format!("Invalid {name} value for specialization constant '{text}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(id: u32, ty: NumberFormat, value: &str) -> SpecializationConstant {
        SpecializationConstant { id, ty, value: value.to_owned(), at: 0..0 }
    }

    #[test]
    fn values_are_the_bits_of_their_type() {
        let given = [
            constant(0, NumberFormat::Int16, "-1"),
            constant(10, NumberFormat::Float32, "0.5"),
            constant(3, NumberFormat::Bool, "true"),
        ];
        assert_eq!(constants(&given), Ok(vec![(0, 0xffff), (10, 0x3f00_0000), (3, 1)]));
    }

    #[test]
    fn wrong_values_are_refused() {
        let error = constants(&[constant(0, NumberFormat::Int16, "x")]).unwrap_err();
        assert_eq!(error, "Invalid int16 value for specialization constant 'x'");
        let twice = [constant(1, NumberFormat::Int32, "1"), constant(1, NumberFormat::Int32, "2")];
        assert!(constants(&twice).unwrap_err().contains("multiple entries"));
    }
}
