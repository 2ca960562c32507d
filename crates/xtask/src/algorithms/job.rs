//! Writes an algorithm as one job: a pass for each dispatch, on buffers that dispatches share where one starts from
//! what another must have left.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{Algorithm, Buffer, Checkout, Kernel, Source};

/// A buffer of the job.
struct Held {
    name: String,
    stride: u32,
    texture: Option<(u32, u32)>,
    words: Vec<u32>,
    /// What it must hold by now; nothing if a dispatch may have written contents that are never checked.
    now: Option<Vec<u32>>,
    /// Whether a dispatch had to write it.
    is_result: bool,
}

/// Writes the job of an algorithm, and the shader around its files.
pub(super) fn write(
    folder: &Path,
    algorithm: &Algorithm,
    checkout: &Checkout,
) -> Result<PathBuf, String> {
    let save = |file: PathBuf, text: &str| {
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
    };
    for kernel in &algorithm.kernels {
        if let Source::Around { text, .. } = kernel.source {
            save(folder.join("around.hlsl"), text)?;
        }
    }
    let compile = |kernel: &Kernel| {
        let flags = kernel.flags(checkout).join(" ");
        (flags, kernel.source(folder, checkout).display().to_string())
    };
    let file = folder.join("job.yaml");
    save(file.clone(), &text(&algorithm.kernels, &compile))?;
    Ok(file)
}

/// The text of the job; `compile` gives the flags and the source of a kernel.
fn text(kernels: &[Kernel], compile: &dyn Fn(&Kernel) -> (String, String)) -> String {
    let mut held: Vec<Held> = Vec::new();
    let mut passes = String::new();
    let mut entries: Vec<&Kernel> = Vec::new();
    for kernel in kernels {
        if !entries.iter().any(|it| it.entry == kernel.entry) {
            entries.push(kernel);
        }
        let [x, y, z] = kernel.groups;
        let _ = writeln!(passes, "  # {}", kernel.name);
        let _ = writeln!(
            passes,
            "  - Entry: {}\n    DispatchGroupCount: [ {x}, {y}, {z} ]",
            kernel.entry
        );
        if !kernel.constants.is_empty() {
            passes.push_str("    Set:\n");
        }
        for (name, values) in &kernel.constants {
            let values: Vec<String> = values.iter().map(u32::to_string).collect();
            let _ = writeln!(passes, "      {name}: [ {} ]", values.join(", "));
        }
        passes.push_str("    Bind:\n");
        let mut used = Vec::new();
        for buffer in &kernel.buffers {
            let at = place(&mut held, buffer, &used);
            used.push(at);
            let _ = writeln!(passes, "      '{}': {}", buffer.name, held[at].name);
        }
        for (buffer, at) in kernel.buffers.iter().zip(used) {
            held[at].is_result |= buffer.expected.is_some();
            held[at].now.clone_from(&buffer.expected);
        }
    }
    let mut job = "Shaders:\n".to_owned();
    for kernel in &entries {
        let _ = writeln!(job, "  - {{ Stage: Compute, Entry: {} }}", kernel.entry);
    }
    job.push_str("Buffers:\n");
    let mut results = String::new();
    for it in &held {
        let Held { name, .. } = it;
        let _ = writeln!(job, "{}", contents(it, name, &it.words));
        if let (Some(now), true) = (&it.now, it.is_result) {
            let _ = writeln!(job, "{}", contents(it, &format!("{name}_wanted"), now));
            let _ = writeln!(
                results,
                "  - {{ Result: {name}, Rule: BufferExact, Actual: {name}, Expected: {name}_wanted }}"
            );
        }
    }
    let _ = write!(job, "Results:\n{results}DescriptorSets: []\nPasses:\n{passes}...\n");
    let mut objects = String::new();
    for (number, kernel) in entries.iter().enumerate() {
        let (flags, source) = compile(kernel);
        let _ = writeln!(job, "# RUN: %dxc_target {flags} -Fo %t.{number}.o {source}");
        let _ = write!(objects, " %t.{number}.o");
    }
    let _ = writeln!(job, "# RUN: %offloader %s{objects}");
    job
}

/// The buffer of the job for a resource: one that must hold by now what the dispatch starts from, or a new one.
fn place(held: &mut Vec<Held>, buffer: &Buffer, used: &[usize]) -> usize {
    let fits = |(at, it): &(usize, &Held)| {
        !used.contains(at)
            && (it.stride, it.texture) == (buffer.stride, buffer.texture)
            && it.now.as_ref() == Some(&buffer.words)
    };
    if let Some((at, _)) = held.iter().enumerate().rev().find(fits) {
        return at;
    }
    // Elements of arrays of resources have brackets in their names, and names of buffers have none.
    let plain = buffer.name.replace('[', "_").replace(']', "");
    let is_taken = |name: &str| held.iter().any(|it| it.name == name);
    let names = (2..).map(|number| format!("{plain}_{number}"));
    let mut names = std::iter::once(plain.clone()).chain(names);
    let name = names.find(|it| !is_taken(it)).unwrap_or(plain);
    let Buffer { stride, texture, words, .. } = buffer;
    let (stride, texture, words, now) = (*stride, *texture, words.clone(), None);
    held.push(Held { name, stride, texture, words, now, is_result: false });
    held.len() - 1
}

fn contents(held: &Held, name: &str, words: &[u32]) -> String {
    let list = |words: Vec<String>| format!("[ {} ]", words.join(", "));
    match held.texture {
        Some((width, height)) => {
            let data = list(words.iter().map(|it| f32::from_bits(*it).to_string()).collect());
            format!(
                "  - Name: {name}\n    Format: Float32\n    Channels: 4\n    OutputProps: {{ Width: {width}, Height: {height}, Depth: 1 }}\n    Data: {data}"
            )
        }
        None => {
            let data = list(words.iter().map(|it| format!("{it:#x}")).collect());
            format!(
                "  - Name: {name}\n    Format: Hex32\n    Stride: {}\n    Data: {data}",
                held.stride
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::programs;
    use super::*;

    /// Each algorithm is one job that can be read, with a pass for each of its dispatches, and it checks something.
    #[test]
    fn each_algorithm_is_one_job() {
        let mut passes = 0;
        for algorithm in programs::all() {
            let compile = |it: &Kernel| (format!("-E {}", it.entry), "a.hlsl".to_owned());
            let text = text(&algorithm.kernels, &compile);
            let job = jobs::job::read(&text)
                .unwrap_or_else(|errors| panic!("{}: {errors:?}", algorithm.title));
            assert_eq!(job.passes.len(), algorithm.kernels.len(), "{}", algorithm.title);
            assert!(!job.results.is_empty(), "{}", algorithm.title);
            passes += job.passes.len();
            // One entry point is compiled once.
            for kernel in &algorithm.kernels {
                let same = algorithm.kernels.iter().filter(|it| it.entry == kernel.entry);
                assert!(same.clone().all(|it| it.flags == kernel.flags), "{}", algorithm.title);
            }
        }
        assert_eq!(passes, 67);
    }

    #[test]
    fn a_dispatch_starts_from_what_another_must_have_left() {
        let sort = programs::all().into_iter().find(|it| it.title == "parallel sort").unwrap();
        let compile = |_: &Kernel| (String::new(), String::new());
        let job = jobs::job::read(&text(&sort.kernels, &compile)).unwrap();
        // The second pass reads the sums that the first has written.
        let buffer = |pass: usize, name: &str| {
            job.passes[pass].bind.iter().find(|it| it.resource == name).unwrap().buffer
        };
        assert_eq!(buffer(0, "Sums"), buffer(1, "Sums"));
        let reduced = buffer(1, "Reduced");
        assert!(job.passes[2].bind.iter().any(|it| it.buffer == reduced));
        assert!(job.buffers.len() < 2 * sort.kernels.len(), "{}", job.buffers.len());
    }
}
