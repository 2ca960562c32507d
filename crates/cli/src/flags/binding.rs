//! The flags of dxc that map registers to bindings of Vulkan. They affect emitted modules only; an engine chooses its
//! own bindings.

use wavelane::internal::spirv_target::{Named, Placed, Shift};
use wavelane::{Register, RegisterClass};

use super::values::number;
use crate::asked::LowArgs;

pub(super) fn shift(args: &mut LowArgs, class: RegisterClass, value: &str) -> Result<(), String> {
    let (by, space) = value.split_once(' ').unwrap_or((value, ""));
    let space = match space {
        "all" => None,
        space => Some(number(space)?),
    };
    args.spirv.written.shifts.push(Shift { class, space, by: number(by)? });
    Ok(())
}

pub(super) fn bind_register(args: &mut LowArgs, value: &str) -> Result<(), String> {
    let words: Vec<&str> = value.split(' ').collect();
    let [name, space, binding, set] = words[..] else {
        return Err("the form is t3 0 7 1".to_owned());
    };
    let register = register(name, number(space)?)
        .ok_or_else(|| format!("`{name}` is not a register; expected one such as `t3`"))?;
    let (binding, set) = (number(binding)?, number(set)?);
    args.spirv.written.places.push(Placed { what: Named::Register(register), binding, set });
    Ok(())
}

/// Gives everything of a kind one binding: the number and the set.
pub(super) fn bind(args: &mut LowArgs, what: Named, value: &str) -> Result<(), String> {
    let (binding, set) = value.split_once(' ').unwrap_or((value, ""));
    let (binding, set) = (number(binding)?, number(set)?);
    args.spirv.written.places.push(Placed { what, binding, set });
    Ok(())
}

fn register(name: &str, space: u32) -> Option<Register> {
    let class = match name.chars().next()? {
        'b' => RegisterClass::Constant,
        't' => RegisterClass::Shader,
        'u' => RegisterClass::Unordered,
        's' => RegisterClass::Sampler,
        _ => return None,
    };
    let index = name[1..].parse().ok()?;
    Some(Register { class, index, space })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_a_letter_and_a_number() {
        let of = |name| register(name, 2).map(|it| (it.class, it.index, it.space));
        assert_eq!(of("t3"), Some((RegisterClass::Shader, 3, 2)));
        assert_eq!(of("b0"), Some((RegisterClass::Constant, 0, 2)));
        for bad in ["", "t", "x1", "t-1", "µ1", "tt1"] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
