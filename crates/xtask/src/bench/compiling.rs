//! Measures how long programs take to compile, and lists the worst: compute shaders of the suite, and entry points of
//! the public projects of `docs/coverage.md` that are checked out.
//!
//! Processor time. The front end reads a text and checks it; the fast engine makes machine code of what comes out.

use std::path::Path;
use std::sync::Arc;

use ir::Module;

use super::clock::Clock;
use crate::coverage;

/// So many of the worst are listed.
const LISTED: usize = 10;

/// What compiling a program took.
struct Cost {
    name: String,
    instructions: usize,
    /// Milliseconds; unknown for projects, whose texts another process reads.
    front: Option<f64>,
    code: f64,
}

#[derive(Default)]
struct Costs {
    all: Vec<Cost>,
    /// Programs that the fast engine leaves to the reference engine.
    left: usize,
}

pub(super) fn run(projects: Option<&Path>, width: u32, rounds: usize) -> Result<(), String> {
    println!("{width} lanes; the least of {rounds} rounds, processor time");
    let mut suite = Costs::default();
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file)? {
            let mut front = f64::INFINITY;
            let mut module = None;
            for _ in 0..rounds {
                let start = Clock::start(1);
                module = suite::run::compile(&section, width)?.module;
                front = front.min(start.milliseconds());
            }
            // Some sections are there for their errors.
            if let Some(module) = module {
                suite.add(section.name, Some(front), module, width, rounds)?;
            }
        }
    }
    suite.list("the suite");
    let Some(folder) = projects else { return Ok(()) };
    let mut public = Costs::default();
    for (name, module) in coverage::modules(folder)? {
        public.add(name, None, module, width, rounds)?;
    }
    public.list("public projects");
    Ok(())
}

impl Costs {
    fn add(
        &mut self,
        name: String,
        front: Option<f64>,
        module: Module,
        width: u32,
        rounds: usize,
    ) -> Result<(), String> {
        let isa = cpu::Isa::best().ok_or("the host has no AVX2")?;
        let module = Arc::new(module);
        let mut code = f64::INFINITY;
        for _ in 0..rounds {
            let start = Clock::start(1);
            let compiled = cpu::compile(&module, isa, width);
            code = code.min(start.milliseconds());
            if compiled.is_err() {
                self.left += 1;
                return Ok(());
            }
        }
        self.all.push(Cost { name, instructions: module.insts.len(), front, code });
        Ok(())
    }

    fn list(mut self, of: &str) {
        let Costs { all, left } = &mut self;
        all.sort_by(|a, b| b.code.total_cmp(&a.code));
        let sum = |each: fn(&Cost) -> f64| all.iter().map(each).sum::<f64>();
        let median = all.get(all.len() / 2).map_or(0.0, |it| it.code);
        println!(
            "\n{of}: {} programs, code in {:.0} ms, median {median:.2} ms; {left} left to the reference engine",
            all.len(),
            sum(|it| it.code),
        );
        println!(
            "{:>12}  {:>10}  {:>10}  {:>12}  program",
            "instructions", "front, ms", "code, ms", "µs each"
        );
        for it in all.iter().take(LISTED) {
            let front = it.front.map_or_else(|| "\u{2013}".to_owned(), |it| format!("{it:.2}"));
            let each = it.code * 1e3 / it.instructions.max(1) as f64;
            println!(
                "{:>12}  {front:>10}  {:>10.2}  {each:>12.2}  {}",
                it.instructions, it.code, it.name
            );
        }
    }
}
