//! The results of a run: as text for people, as JSON, and as files.

use std::io::{self, Write};
use std::rc::Rc;

use wavelane::internal::Slot;
use wavelane::{Layout, Scalar, SourceMap};

use super::person::{Base, Person, scalars};
use super::{Print, ResultBuffer, Runs, compare, missed};
use crate::value::counted;
use crate::{npy, number, printed};

impl ResultBuffer {
    fn person(&self, base: Base, lanes: u32) -> Person<'_> {
        Person { layout: &self.layout, members: &self.members, base, lanes }
    }
}

/// Scalars in a line, and its columns where they are wide.
const PER_LINE: usize = 16;
const COLUMNS: usize = 110;
/// How many scalars are shown of a buffer that was not requested, and of one that was.
const GLANCE: usize = 64;
/// How many texels of a feedback map are shown, in whole rows.
const MAP_TEXELS: usize = 1 << 10;
const MOST: usize = 1 << 16;

/// Every outcome once, with the widths that had it, and then whether they agree.
pub(super) fn text(
    runs: &Runs,
    prints: &[Print],
    sources: &SourceMap,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut rest = runs.outcomes.as_slice();
    let mut shown: Vec<&Rc<super::Outcome>> = Vec::new();
    while let [(_, outcome), others @ ..] = rest {
        rest = others;
        if shown.iter().any(|it| Rc::ptr_eq(it, outcome)) {
            continue;
        }
        shown.push(outcome);
        let with_it = || runs.outcomes.iter().filter(|(_, it)| Rc::ptr_eq(it, outcome));
        let widths = || with_it().map(|(width, _)| width);
        let listed: Vec<String> = widths().map(u32::to_string).collect();
        writeln!(out, "wave size {}", listed.join(", "))?;
        let widest = widths().max().copied().unwrap_or(0);
        let each = || runs.views.iter().zip(&outcome.buffers);
        for (view, buffer) in each().filter(|(view, _)| prints.is_empty() && view.writable) {
            buffer_text(view, buffer, GLANCE, &view.person(Base::Decimal, widest), out)?;
        }
        for print in prints {
            for (view, buffer) in each().filter(|(view, _)| view.is_called(&print.name)) {
                buffer_text(view, buffer, MOST, &view.person(print.base, widest), out)?;
            }
        }
        if runs.views.is_empty() {
            writeln!(out, "  the shader writes no buffer")?;
        }
        writeln!(out)?;
    }
    out.write_all(compare::verdict(runs).as_bytes())?;
    let has_printed = runs.printed.iter().filter(|(_, it)| !it.lines.is_empty() || it.more > 0);
    for (width, printed) in has_printed {
        if runs.printed.len() > 1 {
            writeln!(out, "printed with waves of {width} lanes")?;
        }
        out.write_all(jobs::printed_text(&[jobs::PrintedLines::new(printed, sources)]).as_bytes())?;
    }
    out.flush()
}

fn buffer_text(
    view: &ResultBuffer,
    buffer: &Slot,
    most: usize,
    person: &Person<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let count = buffer.bytes.len() / view.layout.stride;
    // Channels that share a word are shown one by one, unless the words are requested.
    let unpacked = |bytes: &[u8]| {
        let format = view.texture.filter(|_| person.base == Base::Decimal)?.format;
        super::texture::unpacked(format, bytes)
    };
    let channels = unpacked(&[]).map(|it| it.0);
    let layout = channels.as_ref().unwrap_or(&view.layout);
    write!(out, "  {}: {}, ", view.name, view.kind)?;
    if let Some(shape) = &view.texture {
        write!(out, "{}, ", super::texture::described(shape))?;
    }
    let ty = if person.has_parts() { person.ty() } else { element(layout) };
    write!(out, "{count} x {ty}")?;
    if view.has_counter {
        write!(out, ", counter {}", buffer.what.counter().unwrap_or(0))?;
    }
    writeln!(out)?;

    if let Some(map) = &view.map {
        return crate::feedback::text(map, &buffer.bytes, most.max(MAP_TEXELS), out);
    }
    let each = layout.scalars.len();
    let shown = (most / each).clamp(1, count.max(1)).min(count);
    // If one element is left, it is shown instead of a line about it.
    let shown = if shown + 1 == count { count } else { shown };
    let bytes = &buffer.bytes[..shown * view.layout.stride];
    let gutter = count.saturating_sub(1).to_string().len();
    match (unpacked(bytes), person.has_parts()) {
        (Some((_, bytes)), _) => {
            let person = Person { layout, members: &[], ..*person };
            cells_text(&person, &bytes, gutter, out)?;
        }
        (None, true) => parts_text(person, bytes, gutter, out)?,
        (None, false) => cells_text(person, bytes, gutter, out)?,
    }
    if shown < count {
        let more = counted(count - shown, "more element").replace("more elements", "more");
        writeln!(out, "    … {more}; --print {} shows up to {MOST} scalars", view.name)?;
    }
    Ok(())
}

/// Numbers and vectors, several in a line.
fn cells_text(
    person: &Person<'_>,
    bytes: &[u8],
    gutter: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let cells = person.cells(bytes);
    // The numbers of an element are one mask.
    let each = if person.base == Base::Mask { 1 } else { person.layout.scalars.len() };
    let width = cells.iter().map(String::len).max().unwrap_or(0);
    let fitting = match person.base {
        Base::Decimal => PER_LINE,
        Base::Hexadecimal | Base::Binary | Base::Mask => (COLUMNS / (width + 1)).clamp(1, PER_LINE),
    };
    // Lines of a power of two elements are easier to count in.
    let fitting = 1 << fitting.ilog2();
    let per_line = (fitting / each).max(1);
    for (line, elements) in cells.chunks(per_line * each).enumerate() {
        // Elements of more scalars than fit a line go on below, under an empty gutter.
        for (part, piece) in elements.chunks(fitting.max(each.min(fitting))).enumerate() {
            match part {
                0 => write!(out, "    {:>gutter$} |", line * per_line)?,
                _ => write!(out, "    {:gutter$} |", "")?,
            }
            for (i, cell) in piece.iter().enumerate() {
                let gap = if each > 1 && i > 0 && i % each == 0 { "  " } else { " " };
                write!(out, "{gap}{cell:>width$}")?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Structs and matrices, one in a line, whose members are aligned where lines are short.
fn parts_text(
    person: &Person<'_>,
    bytes: &[u8],
    gutter: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let rows: Vec<Vec<String>> =
        bytes.chunks_exact(person.layout.stride).map(|it| person.parts(it)).collect();
    let length = |it: &String| it.chars().count();
    let columns = rows.first().map_or(0, Vec::len);
    let mut widths: Vec<usize> =
        (0..columns).map(|i| rows.iter().map(|it| length(&it[i])).max().unwrap_or(0)).collect();
    if widths.iter().sum::<usize>() + 2 * columns > COLUMNS {
        widths.fill(0);
    }
    for (index, row) in rows.iter().enumerate() {
        let mut line = format!("    {index:>gutter$} |");
        let mut is_first = true;
        for (part, width) in row.iter().zip(&widths) {
            if !is_first && length(&line) + length(part) > COLUMNS {
                writeln!(out, "{}", line.trim_end())?;
                line = format!("    {:gutter$} |", "");
                is_first = true;
            }
            line.push_str(if is_first { " " } else { "  " });
            line.push_str(&format!("{part:<width$}"));
            is_first = false;
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// What one element is, such as `u32`, `f32x3` or `{f32x2 u32}`.
fn element(layout: &Layout) -> String {
    if let Some(scalar) = layout.only() {
        let each = layout.scalars.len();
        return if each == 1 {
            scalar.name().to_owned()
        } else {
            format!("{}x{each}", scalar.name())
        };
    }
    let mut parts: Vec<(Scalar, usize)> = Vec::new();
    for (_, scalar) in &layout.scalars {
        match parts.last_mut() {
            Some((last, count)) if last == scalar => *count += 1,
            _ => parts.push((*scalar, 1)),
        }
    }
    let parts: Vec<String> = parts
        .iter()
        .take(8)
        .map(|(scalar, count)| {
            if *count == 1 {
                scalar.name().to_owned()
            } else {
                format!("{}x{count}", scalar.name())
            }
        })
        .collect();
    format!("{{{}}}", parts.join(" "))
}

/// `{"runs":[{"wave_size":…,"buffers":{NAME:[…]}}]}`; buffers with a hidden counter have it in `"counters"`, and what
/// the shader printed is in `"printed"`. With several widths also the verdict: `"agree"`, and the buffers in
/// `"depends_on_wave_size"`.
pub(super) fn json(runs: &Runs, sources: &SourceMap, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\"runs\":[")?;
    for (i, (width, outcome)) in runs.outcomes.iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        write!(out, "{comma}\n  {{\"wave_size\":{width},")?;
        if let Some(ran) = runs.engines.get(i) {
            write!(out, "\"engine\":{},", quoted(ran.engine.name()))?;
            if let Some(what) = &ran.instead {
                write!(out, "\"fallback\":{},", quoted(what))?;
            }
        }
        write!(out, "\"buffers\":{{")?;
        for (j, (view, buffer)) in runs.views.iter().zip(&outcome.buffers).enumerate() {
            write!(out, "{}\n    {}:[", if j > 0 { "," } else { "" }, quoted(&view.name))?;
            for (k, (bits, scalar)) in scalars(&view.layout, &buffer.bytes).enumerate() {
                write!(out, "{}{}", if k > 0 { "," } else { "" }, number::json(bits, scalar))?;
            }
            write!(out, "]")?;
        }
        write!(out, "}}")?;
        let with_counter: Vec<String> = runs
            .views
            .iter()
            .zip(&outcome.buffers)
            .filter(|(view, _)| view.has_counter)
            .map(|(view, buffer)| {
                format!("{}:{}", quoted(&view.name), buffer.what.counter().unwrap_or(0))
            })
            .collect();
        if !with_counter.is_empty() {
            write!(out, ",\n    \"counters\":{{{}}}", with_counter.join(","))?;
        }
        if let Some((_, printed)) = runs.printed.get(i) {
            write!(out, ",\n    \"printed\":{}", printed::to_json(&printed.lines, sources))?;
            if printed.more > 0 {
                write!(out, ",\n    \"more_printed\":{}", printed.more)?;
            }
            if printed.has_failures() {
                let failures = printed::to_json(&printed.failures, sources);
                write!(out, ",\n    \"failed_assertions\":{failures}")?;
            }
            if printed.more_failures > 0 {
                let more = printed.more_failures;
                write!(out, ",\n    \"more_failed_assertions\":{more}")?;
            }
        }
        write!(out, "}}")?;
    }
    write!(out, "\n]")?;
    if runs.outcomes.len() > 1 {
        let names: Vec<String> = compare::dependent(runs).map(|it| quoted(&it.name)).collect();
        let agree = names.is_empty();
        write!(out, ",\n\"agree\":{agree},\n\"depends_on_wave_size\":[{}]", names.join(","))?;
    }
    if let Some(auto) = &runs.auto {
        write!(out, ",\n\"auto\":{}", auto.as_json())?;
    }
    if let Some(missed) = runs.missed.as_ref().filter(|it| !it.is_empty()) {
        write!(out, ",\n\"missed\":{}", missed::as_json(missed))?;
    }
    writeln!(out, "}}")?;
    out.flush()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The contents of a file for a buffer.
pub(super) fn file(layout: &Layout, bytes: &[u8], as_npy: bool) -> Vec<u8> {
    let (true, Some(scalar)) = (as_npy, layout.only()) else { return bytes.to_vec() };
    let elements = bytes.len() / layout.stride;
    let each = layout.scalars.len();
    let mut file = if each == 1 {
        npy::header(scalar, &[elements])
    } else {
        npy::header(scalar, &[elements, each])
    };
    match scalar {
        // One byte in a file of numpy.
        Scalar::Bool => file.extend(scalars(layout, bytes).map(|(bits, _)| u8::from(bits != 0))),
        _ => file.extend_from_slice(&bytes[..elements * layout.stride]),
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(layout: Layout) -> ResultBuffer {
        ResultBuffer {
            resource: "Out".to_owned(),
            element: 0,
            name: "Out".to_owned(),
            kind: "RWBuffer",
            layout,
            members: Vec::new(),
            texture: None,
            map: None,
            writable: true,
            has_counter: false,
        }
    }

    fn words(words: impl IntoIterator<Item = u32>) -> Slot {
        let bytes: Vec<_> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        Slot::new(bytes)
    }

    fn shown(layout: Layout, buffer: &Slot, most: usize) -> String {
        let mut out = Vec::new();
        let view = view(layout);
        buffer_text(&view, buffer, most, &view.person(Base::Decimal, 32), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lists_are_aligned_and_cut() {
        let buffer = words((0..20).map(|i| 9u32.wrapping_sub(i)));
        let expected = "
  Out: RWBuffer, 20 x i32
     0 |  9  8  7  6  5  4  3  2  1  0 -1 -2 -3 -4 -5 -6
    16 | -7 -8
    … 2 more; --print Out shows up to 65536 scalars
";
        assert_eq!(
            shown(Layout::uniform(Scalar::I32, 1), &buffer, 18),
            expected.trim_start_matches('\n')
        );
        assert_eq!(
            shown(Layout::uniform(Scalar::U32, 1), &words([]), 8),
            "  Out: RWBuffer, 0 x u32\n"
        );
    }

    #[test]
    fn elements_of_several_scalars_are_printed_together() {
        assert_eq!(
            shown(Layout::uniform(Scalar::U32, 3), &words(0..6), 64),
            "  Out: RWBuffer, 2 x u32x3\n    0 | 0 1 2  3 4 5\n"
        );
        let long = shown(Layout::uniform(Scalar::U32, 20), &words(10..30), 64);
        assert_eq!(long.lines().count(), 3, "{long}");
        assert!(long.ends_with("      | 26 27 28 29\n"), "{long}");
    }

    #[test]
    fn json_lists_the_scalars_of_each_buffer() {
        let buffers = vec![words([f32::NAN.to_bits(), 1.5f32.to_bits()])];
        let outcomes = vec![(4, Rc::new(super::super::Outcome { buffers }))];
        let runs = Runs {
            views: vec![view(Layout::uniform(Scalar::F32, 1))],
            outcomes,
            printed: Vec::new(),
            engines: Vec::new(),
            auto: None,
            missed: None,
        };
        let mut out = Vec::new();
        json(&runs, &SourceMap::new(), &mut out).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let expected =
            serde_json::json!({ "runs": [{ "wave_size": 4, "buffers": { "Out": ["NaN", 1.5] } }] });
        assert_eq!(value, expected);
    }

    #[test]
    fn files_of_numpy_have_a_row_for_each_element() {
        let bytes = file(&Layout::uniform(Scalar::Bool, 2), &words([0, 7, 1, 0]).bytes, true);
        assert!(String::from_utf8_lossy(&bytes).contains("'shape': (2,2,)"));
        assert!(bytes.ends_with(&[0, 1, 1, 0]));
        assert_eq!(file(&Layout::uniform(Scalar::U32, 1), &[1, 2, 3, 4], false), [1, 2, 3, 4]);
    }
}
