//! The page of concepts: what `wavelane explain` says of waves, divergence or ballots, with a picture of lanes that the
//! engine draws, and a link that runs the example.

use std::fmt::Write;

use diag::escaped;
use ops::concepts::{self, Concept};
use serde_json::{Value, json};

use super::site::code_block;

/// The page, by its path.
pub(super) const PAGE: &str = "docs/concepts.html";
const WIDTH: usize = 8;
const FLAGS: &str = "--wave-size 8";

/// Everything below the navigation.
pub(super) fn body() -> String {
    let mut html = String::from(
        "<h1>Concepts</h1>\n<p>What the words mean, each with a program for a wave of eight lanes and what it leaves in <code>x</code>. \
         In the pictures a column is a step of the wave and a row a lane; a filled cell is active.</p>\n",
    );
    for concept in concepts::all() {
        let name = concept.name();
        let text = escaped(concept.text);
        let words = text.split('`').enumerate();
        let text: String = words
            .map(
                |(index, it)| {
                    if index % 2 == 1 { format!("<code>{it}</code>") } else { it.to_owned() }
                },
            )
            .collect();
        let _ = write!(
            html,
            "<h2 id=\"{name}\">{}</h2>\n<p>{text}</p>\n",
            escaped(&capitalised(&name.replace('-', " ")))
        );
        let program = program(concept);
        html.push_str(&code_block(PAGE, "hlsl", &program, FLAGS));
        html.push_str(&picture(&program));
        let row = |values: &mut dyn Iterator<Item = u32>| -> String {
            values.map(|it| format!("<td>{it}</td>")).collect()
        };
        let _ = write!(
            html,
            "<table><tr><th scope=\"row\">lane, i</th>{}</tr><tr><th scope=\"row\">x</th>{}</tr></table>\n<p>See {}.</p>\n",
            row(&mut (0..WIDTH as u32)),
            row(&mut concept.lanes.into_iter()),
            concept.see.iter().map(|it| see(it)).collect::<Vec<String>>().join(", ")
        );
    }
    html
}

/// A concept has a heading on this page; a function has a row in the reference.
fn see(word: &str) -> String {
    match concepts::by_name(word) {
        Some(concept) => format!("<a href=\"#{}\">{word}</a>", concept.name()),
        None => format!("<code>{}</code>", escaped(word)),
    }
}

/// The example as a whole program.
fn program(concept: &Concept) -> String {
    let lines: String = concept.example.lines().map(|it| format!("    {it}\n")).collect();
    format!(
        "RWStructuredBuffer<uint> Out;\n\n[numthreads(8, 1, 1)]\nvoid main(uint i : SV_GroupIndex) {{\n{lines}    Out[i] = x;\n}}\n"
    )
}

fn capitalised(text: &str) -> String {
    let (first, rest) = text.split_at(text.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

fn asked(request: &Value) -> Value {
    let answer = web::Engine::new().call(request.to_string().as_bytes());
    serde_json::from_slice(&answer).unwrap_or_default()
}

/// Which lanes are active at which step, as a picture; nothing for a program that does not run.
fn picture(program: &str) -> String {
    const CELL: usize = 14;
    let answer = asked(&json!({ "do": "lanes", "text": program, "flags": FLAGS, "width": WIDTH }));
    let Some(steps) = answer["waves"][0]["steps"].as_array() else { return String::new() };
    let mask =
        |step: &Value| u128::from_str_radix(step[1].as_str().unwrap_or("0"), 16).unwrap_or(0);
    let mut cells = String::new();
    for (column, step) in steps.iter().enumerate() {
        for lane in 0..WIDTH {
            let class = if mask(step) >> lane & 1 == 1 { "on" } else { "off" };
            let _ = write!(
                cells,
                "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>line {}, lane {lane}</title></rect>",
                column * CELL + 1,
                lane * CELL + 1,
                CELL - 2,
                CELL - 2,
                step[0]
            );
        }
    }
    let (width, height) = (steps.len() * CELL, WIDTH * CELL);
    format!(
        "<svg class=\"lanes\" role=\"img\" aria-label=\"active lanes in {} steps\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">{cells}</svg>\n",
        steps.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Concepts of pixel shaders have no program for the page.
    #[test]
    fn the_programs_of_concepts_give_what_their_pages_say() {
        let mut count = 0;
        for concept in concepts::all() {
            let request =
                json!({ "do": "run", "text": program(concept), "flags": FLAGS, "widths": [WIDTH] });
            let answer = asked(&request);
            if !answer["error"].is_null() {
                assert!(["helper-lane"].contains(&concept.name()), "{}: {answer}", concept.name());
                continue;
            }
            let wanted: Vec<String> = concept.lanes.iter().map(u32::to_string).collect();
            assert_eq!(answer["buffers"][0]["values"][1], json!(wanted), "{}", concept.name());
            assert!(picture(&program(concept)).contains("class=\"on\""), "{}", concept.name());
            count += 1;
        }
        assert!(count >= 6, "{count}");
    }
}
