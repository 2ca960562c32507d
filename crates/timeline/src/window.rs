//! The part of a run of which values are kept.

use std::ops::Range;

/// Which steps are meant. What is not said is not bounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub group: Option<[u32; 3]>,
    /// The numbers of waves in their groups.
    pub waves: Option<Range<u32>>,
    /// Lines of the main file.
    pub lines: Option<Range<u32>>,
    /// The numbers of steps in their waves.
    pub steps: Option<Range<u64>>,
}

impl Window {
    /// Reads `group=0,0,0 wave=0..3 line=40..60 steps=0..5000`. Ranges include both ends; one number is a range of one.
    /// The window `none` has no steps.
    pub fn parse(text: &str) -> Result<Window, String> {
        let mut window = Window::default();
        if text.trim() == "none" {
            return Ok(Window { waves: Some(0..0), ..window });
        }
        for part in text.split_whitespace() {
            let Some((key, value)) = part.split_once('=') else {
                return Err(format!("`{part}` is not of the form `KEY=VALUE`"));
            };
            match key {
                "group" => window.group = Some(group(value)?),
                "wave" | "waves" => window.waves = Some(narrow(&range(value)?)),
                "line" | "lines" => window.lines = Some(narrow(&range(value)?)),
                "step" | "steps" => window.steps = Some(range(value)?),
                _ => {
                    return Err(format!(
                        "`{key}` is not a part of a window; these are `group`, `wave`, `line` and `steps`"
                    ));
                }
            }
        }
        Ok(window)
    }

    /// Whether it has any wave of a run with `groups` groups, each of `waves` waves.
    pub fn has_waves_of(&self, groups: [u32; 3], waves: u32) -> bool {
        let has_group = |it: [u32; 3]| it.iter().zip(groups).all(|(at, count)| *at < count);
        self.group.is_none_or(has_group)
            && self.waves.as_ref().is_none_or(|it| it.start < it.end.min(waves))
    }

    /// How many waves of such a run it has.
    pub(crate) fn waves_of(&self, groups: [u32; 3], waves: u32) -> u64 {
        if !self.has_waves_of(groups, waves) {
            return 0;
        }
        let all: u64 = groups.iter().map(|it| u64::from(*it)).product();
        let own = self.waves.as_ref().map_or(waves, |it| it.end.min(waves) - it.start);
        u64::from(own) * if self.group.is_some() { 1 } else { all }
    }

    pub fn has_wave(&self, group: [u32; 3], wave: u32) -> bool {
        self.group.is_none_or(|it| it == group)
            && self.waves.as_ref().is_none_or(|it| it.contains(&wave))
    }

    /// Whether it has a line of a file, by its number among [`crate::Program::files`]: the main file is the first.
    pub fn has_place(&self, file: u32, line: u32) -> bool {
        self.lines.as_ref().is_none_or(|it| file == 0 && it.contains(&line))
    }

    pub fn has_step(&self, step: u64) -> bool {
        self.steps.as_ref().is_none_or(|it| it.contains(&step))
    }
}

fn narrow(range: &Range<u64>) -> Range<u32> {
    let to = |it: u64| u32::try_from(it).unwrap_or(u32::MAX);
    to(range.start)..to(range.end)
}

fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// Reads `N` or `FIRST..LAST`, both included.
pub fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    if last < first {
        return Err(format!("the range `{text}` ends before it begins"));
    }
    Ok(first..last.saturating_add(1))
}

fn group(text: &str) -> Result<[u32; 3], String> {
    let mut group = [0; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(format!("`{text}` has more than three numbers"));
    }
    for (to, part) in group.iter_mut().zip(parts) {
        *to = u32::try_from(number(part)?).map_err(|_| format!("`{part}` is too large"))?;
    }
    Ok(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read() {
        let window = Window::parse("group=1,2 wave=0..3 line=40 steps=5..9").unwrap();
        assert_eq!(window.group, Some([1, 2, 0]));
        assert!(window.has_wave([1, 2, 0], 3) && !window.has_wave([1, 2, 0], 4));
        assert!(window.has_place(0, 40) && !window.has_place(0, 41));
        // Other files have other lines.
        assert!(!window.has_place(1, 40) && Window::default().has_place(1, 40));
        assert!(window.has_step(9) && !window.has_step(10) && !window.has_step(4));
        let none = Window::parse("none").unwrap();
        assert!(!none.has_wave([0; 3], 0) && !none.has_waves_of([u32::MAX; 3], u32::MAX));
        for (text, is_met) in [
            ("", true),
            ("wave=3", true),
            ("wave=4", false),
            ("group=0,1", true),
            ("group=0,2", false),
            ("group=0,2 wave=0", false),
            ("steps=5..9", true),
        ] {
            assert_eq!(Window::parse(text).unwrap().has_waves_of([1, 2, 1], 4), is_met, "{text}");
        }
        for (text, count) in
            [("", 8), ("wave=3", 2), ("wave=2..9", 4), ("group=0,1", 4), ("none", 0)]
        {
            assert_eq!(Window::parse(text).unwrap().waves_of([1, 2, 1], 4), count, "{text}");
        }
        for text in [
            "group",
            "wave=x",
            "wave=5..3",
            "what=1",
            "group=1,2,3,4",
            "wave=1..18446744073709551616",
        ] {
            assert!(Window::parse(text).is_err(), "{text}");
        }
    }
}
