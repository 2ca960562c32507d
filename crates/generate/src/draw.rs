//! Programs of every stage that runs, as texts with all shaders of their draws: what a test, another compiler and a
//! person get.
//!
//! A pixel shader comes with a vertex shader that draws a triangle for each of its quads, in a target of two rows. The
//! triangle covers the pixels of the quad that are not helper lanes, and no pixel of another quad, so that quads packed
//! in the order of primitives are in the waves of the second evaluator.
//! A mesh shader comes with the amplification shader that starts it, if there is one, and with a pixel shader that the
//! draw needs. Deliberately absent: what the primitives cover, which nothing compares.

use ops::intrinsics::Stage;

use crate::print::{self, CHECKED, Style};
use crate::second::{self, Observed};
use crate::{Meshlets, Program, Shader, Statistics, Wanted};

/// A generated program.
#[derive(Clone, Debug)]
pub enum Generated {
    Compute(Program),
    Pixel(Program),
    Meshlets(Meshlets),
}

/// A shader whose results are known.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    pub stage: Stage,
    pub program: &'a Program,
    /// The entry point.
    pub name: &'static str,
    /// The buffers, the last two of those that check themselves.
    pub log: &'static str,
    pub expected: &'static str,
    pub wrong: &'static str,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Triangles of the vertex shader [`VERTEX`], one for each quad, in a target of two rows and two columns for each
    /// of them.
    Quads(u32),
    /// Groups, in x and y, in front of the pixel shader [`PIXEL`].
    Groups([u32; 2]),
}

/// The vertex shader before a pixel shader.
pub const VERTEX: &str = "corners";
/// The pixel shader behind a mesh shader.
pub const PIXEL: &str = "shade";
/// The entry point of compute, pixel and mesh shaders.
const MAIN: &str = "main";
/// The entry point of amplification shaders.
const AMPLIFY: &str = "amplify";

impl Wanted {
    /// The program of a seed: compute, pixel or mesh shaders.
    pub fn generated(&self, stage: Stage, seed: u64, statistics: &mut Statistics) -> Generated {
        match stage {
            Stage::Pixel => Generated::Pixel(self.pixels(seed, statistics)),
            Stage::Mesh => Generated::Meshlets(self.meshlets(seed, statistics)),
            _ => Generated::Compute(self.program(seed, statistics)),
        }
    }
}

impl Generated {
    /// The shaders whose results are known, in the order of the draw.
    pub fn entries(&self) -> Vec<Entry<'_>> {
        match self {
            Generated::Compute(program) => vec![entry(Stage::Compute, program)],
            Generated::Pixel(program) => vec![entry(Stage::Pixel, program)],
            Generated::Meshlets(Meshlets { amplification, mesh, .. }) => {
                let amplification = amplification.iter().map(|it| entry(Stage::Amplification, it));
                amplification.chain([entry(Stage::Mesh, mesh)]).collect()
            }
        }
    }

    /// What is drawn; `None` if a single group is dispatched.
    pub fn scene(&self) -> Option<Scene> {
        match self {
            Generated::Compute(_) => None,
            Generated::Pixel(program) => Some(Scene::Quads(program.threads / 4)),
            Generated::Meshlets(program) => Some(Scene::Groups(program.grid)),
        }
    }

    /// The text. It needs `-enable-16bit-types`.
    pub fn print(&self) -> String {
        self.printed(false)
    }

    /// The text with its own check, for each thread that reaches its end or discards: a thread that begins, see
    /// [`Generated::begins`], leaves 0 in `Wrong` if its part of the log is right. The counters behind a log are
    /// checked in compute shaders alone: elsewhere no barrier is for all threads.
    pub fn print_checked(&self) -> String {
        self.printed(true)
    }

    fn printed(&self, is_checked: bool) -> String {
        let style = |number| Style { of_draw: Some(number), is_checked };
        match self {
            Generated::Compute(program) if is_checked => print::compute_checked(program),
            Generated::Compute(program) => print::print(program),
            Generated::Pixel(program) => {
                format!("{}{}", quads(program), print::shader(program, style(0)))
            }
            Generated::Meshlets(Meshlets { amplification, mesh, .. }) => {
                let amplification = amplification.as_ref().map(|it| print::shader(it, style(1)));
                let amplification = amplification.map_or(String::new(), |it| renamed(&it));
                let mesh = print::shader(mesh, style(0));
                let pixel = format!("float4 {PIXEL}() : SV_Target {{\n    return 0;\n}}\n");
                format!("{amplification}{mesh}{pixel}")
            }
        }
    }

    /// The final contents of the logs, by [`Generated::entries`], and what happened on the way.
    pub fn observe(&self, width: u32) -> (Vec<Vec<u32>>, Observed) {
        match self {
            Generated::Compute(program) | Generated::Pixel(program) => {
                let (log, seen) = second::observe(program, width);
                (vec![log], seen)
            }
            Generated::Meshlets(program) => second::meshlets(program, width),
        }
    }

    /// The contents of each `Expected`, by [`Generated::entries`], for all of [`CHECKED`]: the log of a compute shader,
    /// and of other shaders a digest for each thread.
    pub fn expected(&self) -> Vec<Vec<u32>> {
        let entries = self.entries();
        let mut all = vec![Vec::new(); entries.len()];
        for width in CHECKED {
            for ((all, log), entry) in all.iter_mut().zip(self.observe(width).0).zip(&entries) {
                let places = entry.program.places;
                match entry.stage {
                    Stage::Compute => all.extend(log),
                    _ if places == 0 => all.extend(vec![0; entry.program.slots()]),
                    _ => all.extend(
                        log[..entry.program.counters()].chunks_exact(places).map(print::digest),
                    ),
                }
            }
        }
        all
    }

    /// For each thread of a shader, whether it begins at every width and stores something: it is not a helper lane, and
    /// no amplification shader decides whether its group runs.
    pub fn begins(&self, entry: &Entry<'_>) -> Vec<bool> {
        let program = entry.program;
        let of_group = program.threads as usize;
        match (&program.shader, self) {
            (Shader::Compute, _) => vec![true; of_group],
            (Shader::Pixel(pixels), _) => {
                (0..program.threads).map(|it| !pixels.helpers.contains(&it)).collect()
            }
            (Shader::Groups(groups), Generated::Meshlets(meshlets)) => {
                let is_first = groups.mesh.is_none() || meshlets.amplification.is_none();
                let mut begins = vec![false; groups.most as usize * of_group];
                for it in second::started(meshlets).iter().filter(|_| is_first) {
                    let first = crate::Groups::number(it.parent, it.place) as usize * of_group;
                    begins[first..first + of_group].fill(true);
                }
                begins
            }
            (Shader::Groups(_), _) => unreachable!("groups are of mesh and amplification shaders"),
        }
    }
}

fn entry(stage: Stage, program: &Program) -> Entry<'_> {
    let (name, [log, expected, wrong]) = match stage {
        Stage::Amplification => {
            (AMPLIFY, ["AmplificationLog", "AmplificationExpected", "AmplificationWrong"])
        }
        _ => (MAIN, ["Log", "Expected", "Wrong"]),
    };
    Entry { stage, program, name, log, expected, wrong }
}

/// The vertex shader that draws the quads of a pixel shader.
fn quads(program: &Program) -> String {
    let helpers = program.pixels().map_or(&[][..], |it| &it.helpers);
    let live = |lane: u32| u32::from(!helpers.contains(&lane));
    let word = |first: u32| {
        let lanes = first..(first + 32).min(program.threads);
        format!("{:#x}", lanes.fold(0, |word, lane| word | live(lane) << (lane - first)))
    };
    let words: Vec<String> = (0..program.threads).step_by(32).map(word).collect();
    format!(
        "// Four bits for each quad: its lanes that are no helper lanes.
static const uint live[{}] = {{ {} }};
{CORNERS}    return float4(x / {} - 1, 1 - y, 0, 1);
}}
",
        words.len(),
        words.join(", "),
        program.threads / 4
    )
}

/// A corner of the triangle of a quad. Each row of pixels is cut in an interval, of which there are the middle and half
/// of the length. A row without pixels has a negative length, so that the sides meet before it; lengths that are equal
/// would make them parallel.
const CORNERS: &str = "\
// A triangle for each quad, which covers the pixels of these lanes and no others.
float4 corners(uint vertex : SV_VertexID) : SV_Position {
    uint quad = vertex / 3, lanes = live[quad / 8] >> (quad % 8 * 4) & 15;
    uint2 set = uint2(lanes & 3, lanes >> 2);
    float2 middle = float2(set.x == 3 ? 1 : set.x - 0.5, set.y == 3 ? 1 : set.y - 0.5);
    float2 half_length = float2(set.x == 3 ? 0.9 : 0.3, set.y == 3 ? 0.9 : 0.3);
    if (set.x == 0) {
        middle.x = middle.y;
        half_length.x = -half_length.y;
    } else if (set.y == 0) {
        middle.y = middle.x;
        half_length.y = -half_length.x;
    } else if (half_length.x == half_length.y) {
        half_length.y = half_length.x * 0.7;
    }
    float apex = 0.5 + half_length.x / (half_length.x - half_length.y);
    float base = half_length.x > half_length.y ? 0 : 2;
    float y = vertex % 3 == 0 ? apex : base;
    float side = vertex % 3 == 0 ? 0 : vertex % 3 == 1 ? -1 : 1;
    float x = 2 * quad + lerp(middle.x, middle.y, y - 0.5) + side * lerp(half_length.x, half_length.y, y - 0.5);
";

/// An amplification shader with separate names, beside the mesh shader of the same text.
fn renamed(text: &str) -> String {
    const NAMES: [&str; 12] = [
        "Log", "Expected", "Wrong", "Payload", "thread", "peer", "mix", "check", "given", "group",
        "counted", "payload",
    ];
    let is_function = |word: &str| {
        let number = word.strip_prefix(['f', 'F']);
        number.is_some_and(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))
    };
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match is_part(first) {
            true => rest.find(|it| !is_part(it)).unwrap_or(rest.len()),
            false => rest.find(is_part).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        if word == MAIN {
            renamed.push_str(AMPLIFY);
        } else if NAMES.contains(&word) || is_function(word) {
            let is_type = word.starts_with(char::is_uppercase);
            renamed.push_str(if is_type { "Amplification" } else { "amplification_" });
            renamed.push_str(word);
        } else {
            renamed.push_str(word);
        }
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amplification_shader_shares_no_name_with_its_mesh_shader() {
        let text = "static uint group;\nvoid main() { Log[group] = f1.run(payload.words[0]); }\n";
        let expected = "static uint amplification_group;\nvoid amplify() { AmplificationLog[amplification_group] = \
                        amplification_f1.run(amplification_payload.words[0]); }\n";
        assert_eq!(renamed(text), expected);
    }
}
