//! Reads the rules of an image comparison, which are a YAML list in a separate part.

use super::*;
use crate::imgdiff::Check;

#[derive(Clone, Copy)]
enum Type {
    Furthest,
    Rms,
    DiffRms,
    PixelPercent,
    Intervals,
}

/// Reads rules from a text, or reports all errors in it.
pub(crate) fn read_rules(text: &str) -> Result<Vec<Check>, Vec<Error>> {
    let tree = yaml::read(text).map_err(|error| vec![error])?;
    let mut reader = Reader::new(Api::DirectX);
    let rules = reader.each(Some(&tree), "the rules", Reader::rule);
    match rules {
        Some(rules) if reader.errors.is_empty() => Ok(rules),
        _ => Err(reader.errors),
    }
}

impl Reader {
    fn rule(&mut self, node: &Node) -> Option<Check> {
        let mut fields = self.fields(node, "a rule")?;
        let ty = self.required(&mut fields, "Type");
        let types = [
            ("Furthest", Type::Furthest),
            ("RMS", Type::Rms),
            ("DiffRMS", Type::DiffRms),
            ("PixelPercent", Type::PixelPercent),
            ("Intervals", Type::Intervals),
        ];
        // Without the type, the valid keys are unknown.
        let ty = self.choose(ty?, &types)?;
        let key = if matches!(ty, Type::Intervals) { "Vals" } else { "Val" };
        let value = self.required(&mut fields, key);
        self.done(fields);
        let value = value?;
        let number = |it: &mut Reader| it.float_or(Some(value), 0.0);
        Some(match ty {
            Type::Furthest => Check::Furthest(number(self)?),
            Type::Rms => Check::Rms(number(self)?),
            Type::DiffRms => Check::DiffRms(number(self)?),
            Type::PixelPercent => Check::PixelPercent(number(self)?),
            Type::Intervals => Check::Intervals(
                self.each(Some(value), "`Vals`", |it, node| it.float_or(Some(node), 0.0))?,
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_strictly() {
        let text =
            "- Type: PixelPercent\n  Val: 0.2 # a comment\n- { Type: Intervals, Vals: [1, 0.5] }\n";
        let rules = [Check::PixelPercent(0.2), Check::Intervals(vec![1.0, 0.5])];
        assert_eq!(read_rules(text).unwrap(), rules);
        for (wrong, place, says) in [
            ("- { Type: Pixel, Val: 1 }", "Pixel", "not a valid choice"),
            ("- { Type: RMS, Vals: [1] }", "Vals", "unknown key `Vals`"),
            ("- { Type: RMS }", "Type", "missing key `Val`"),
            ("- { Type: RMS, Val: x }", "x", "not a number"),
            ("Type: RMS", "Type: RMS", "must be a list"),
        ] {
            let errors = read_rules(wrong).unwrap_err();
            let error = errors.iter().find(|it| it.message.contains(says));
            let error = error.unwrap_or_else(|| panic!("{wrong}: {errors:?}"));
            assert_eq!(&wrong[error.at.clone()], place, "{wrong}");
        }
    }
}
