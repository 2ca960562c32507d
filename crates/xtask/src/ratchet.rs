//! Ratchets: sizes that must not grow, and whose bounds are lowered when they shrink.

/// Fails if there are more bytes than the ratchet allows; says so if it can be lowered.
pub(crate) fn check(what: &str, size: usize, most: usize) -> Result<(), String> {
    if size > most {
        return Err(format!("{what} has {size} bytes; the ratchet is {most}"));
    }
    if size * 10 < most * 9 {
        println!("{what} has {size} bytes; the ratchet of {most} can be lowered");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_grows_is_refused() {
        assert_eq!(check("the module", 10, 10), Ok(()));
        let refused = Err("the module has 11 bytes; the ratchet is 10".to_owned());
        assert_eq!(check("the module", 11, 10), refused);
    }
}
