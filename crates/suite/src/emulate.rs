//! An interpreter for the PTX that we emit: reads the text back, and executes it with 32 threads in each warp.
//!
//! It is written from the PTX ISA, not from the emitter, and knows only the instructions that occur. It checks what a
//! GPU would not tell: that all 32 threads reach each `.sync`, with the mask -1; that no access is out of bounds or
//! misaligned; that nothing depends on the order in which the threads of a warp run between two synchronisations.
//!
//! Deliberately absent: the memory model beyond that, time, and whatever the driver's assembler might do.

mod machine;
mod parse;
mod scalar;

use std::path::Path;
use std::process::Command;

use ir::exec::{Bindings, Buffer, Launch};
use ir::{Binding, Module, ResourceKind};
use legalize::{Feedback, SamplerState};

pub use machine::{Global, Machine};
pub use parse::{Kernel, parse};

use crate::engines::difference;

/// The words that must not occur in any kernel.
const FORBIDDEN: [&str; 6] = ["activemask", ".ftz", ".approx", ".full", "elect.sync", "vote.any"];

/// The outcome of a module.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// The back end does not support it: the feature.
    Unsupported(&'static str),
    Different(String),
}

/// Rules of the text that hold for every kernel.
pub fn check_text(text: &str) -> Result<(), String> {
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split("//").next().unwrap_or("");
        let fail = |what: &str| Err(format!("line {number}: {what}: `{line}`"));
        if let Some(word) = FORBIDDEN.iter().find(|it| code.contains(**it)) {
            return fail(word);
        }
        let is_sync = code.contains(".sync") && !code.contains("bar.sync");
        if is_sync && !code.trim_end().ends_with("-1;") {
            return fail("the mask is not -1");
        }
        if is_sync && code.trim_start().starts_with('@') {
            return fail("a guarded `.sync`");
        }
    }
    Ok(())
}

/// Emits a module for waves of that width, for these bindings, and for a dispatch of that many groups.
pub fn emit(
    module: &Module,
    sm: u32,
    width: u32,
    before: &Bindings,
    groups: [u32; 3],
) -> Result<ptx::Kernel, ptx::CannotEmit> {
    let textures = ptx::texture_formats(module, |it| shapes(before, it));
    let size = |it: &Vec<Buffer>| it.first().map_or(0, |it| it.bytes.len());
    let bytes: Vec<usize> = before.bindings.iter().map(size).collect();
    let sizes = Some(bytes.clone());
    let dispatch = Some(ptx::Dispatch { groups, bytes });
    ptx::emit(
        module,
        &ptx::KernelEnvironment {
            sm,
            width,
            formats: crate::legalized::formats(before),
            textures,
            feedback: known_feedback(before),
            sizes,
            dispatch,
            blocks: Some(1),
        },
        &ir::debug::NoDebug,
    )
}

/// The inputs of sampler feedback: the samplers, and where the textures of maps are bound.
pub fn known_feedback(bindings: &Bindings) -> Vec<Feedback> {
    let places = |map: &Buffer| -> Vec<(u32, u32)> {
        let Some(held) = map.what.feedback() else { return Vec::new() };
        let all = (0..).zip(&bindings.bindings);
        let each = all.flat_map(|(binding, elements)| {
            (0..)
                .zip(elements)
                .map(move |(element, it)| ((binding, element), it.what.identified().map(|it| it.1)))
        });
        each.filter(|it| it.1 == Some(held.paired)).map(|it| it.0).collect()
    };
    let of = |elements: &Vec<Buffer>| Feedback {
        samplers: elements
            .iter()
            .filter_map(|it| it.what.sampler().as_ref().map(SamplerState::from))
            .collect(),
        paired: elements.iter().map(places).collect(),
    };
    bindings.bindings.iter().map(of).collect()
}

fn shapes(bindings: &Bindings, binding: Binding) -> Vec<Option<ops::texture::Shape>> {
    let elements = bindings.bindings.get(binding.index());
    elements.into_iter().flatten().map(|it| it.what.texture()).collect()
}

fn samplers(bindings: &Bindings, binding: Binding) -> Vec<Option<ops::texture::Sampler>> {
    let elements = bindings.bindings.get(binding.index());
    elements.into_iter().flatten().map(|it| it.what.sampler()).collect()
}

/// Assembles a kernel with NVIDIA's assembler.
pub fn assemble(assembler: &str, text: &str, sm: u32, scratch: &Path) -> Result<(), String> {
    let file = scratch.join(format!("{}-{sm}.ptx", std::process::id()));
    let fail = |error: std::io::Error| format!("{}: {error}", file.display());
    std::fs::write(&file, text).map_err(fail)?;
    let output = scratch.join(format!("{}-{sm}.cubin", std::process::id()));
    let mut command = Command::new(assembler);
    command.arg(format!("-arch=sm_{sm}")).arg("-o").arg(output).arg(&file);
    let ended = command.output().map_err(fail)?;
    match ended.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ended.stderr).into_owned()),
    }
}

/// Emits a module, runs it, and compares what it leaves in memory.
pub fn compare(
    module: &Module,
    sm: u32,
    launch: &Launch,
    before: &Bindings,
    wanted: &Bindings,
    seed: u64,
) -> Outcome {
    // Scenes are the bytes in which written-out queries search.
    let mut packed = before.clone();
    packed.bindings.iter_mut().flatten().for_each(|it| assert!(it.pack_scene(), "it is small"));
    let before = &packed;
    let emitted = match emit(module, sm, launch.wave_width, before, launch.groups()) {
        Ok(emitted) => emitted,
        Err(unsupported) => return Outcome::Unsupported(unsupported.what),
    };
    let run = || -> Result<Bindings, String> {
        check_text(&emitted.text)?;
        let kernel = parse(&emitted.text)?;
        let mut memory = Memory::default();
        // Groups in turn run on few blocks, so that some have several.
        let mut groups = emitted.coarse_groups(launch.groups());
        let all = groups.iter().product::<u32>();
        let blocks = all.min(1 + seed as u32 % 3);
        let record = ptx::merged_record(groups, blocks);
        if emitted.record.is_some() && all > 0 {
            groups = [blocks, 1, 1];
        }
        let param = memory.param(module, &emitted, before, &record);
        Machine::new(&kernel, &mut memory.global, &param, seed).run(groups)?;
        Ok(memory.read(module, before))
    };
    let differs = match run() {
        Err(what) => what,
        Ok(got) => match difference(module, wanted, &got) {
            None => return Outcome::Same,
            Some(differs) => differs,
        },
    };
    Outcome::Different(format!("{differs}\n{}", emitted.text))
}

/// The bound resources, in the machine's memory.
#[derive(Default)]
struct Memory {
    global: Global,
    /// The addresses of the bytes and of the counter of each element of each binding that stores something.
    places: Vec<Vec<[u64; 2]>>,
}

impl Memory {
    fn param(
        &mut self,
        module: &Module,
        emitted: &ptx::Kernel,
        before: &Bindings,
        record: &[u8],
    ) -> Vec<u8> {
        for (index, elements) in before.bindings.iter().enumerate() {
            let least = match module.resources.get(index).map(|it| &it.kind) {
                Some(ResourceKind::Constant { size, .. }) => size.div_ceil(16).max(1) * 16,
                _ => 0,
            };
            let mut place = |buffer: &Buffer| {
                let mut bytes = buffer.bytes.to_vec();
                bytes.resize(bytes.len().max(least as usize), 0);
                let bytes = self.global.add(bytes);
                [bytes, self.global.add(buffer.what.counter().unwrap_or(0).to_le_bytes().to_vec())]
            };
            let places = elements.iter().map(&mut place).collect();
            self.places.push(places);
        }
        let mut param = Vec::new();
        for slot in &emitted.slots {
            if emitted.record == Some(*slot) {
                let at = self.global.add(record.to_vec());
                param.extend(descriptor(at, 0, record.len() as u32, 1));
                continue;
            }
            if let Some(extra) = emitted.extra(module, *slot) {
                let formats = ptx::texture_formats(module, |it| shapes(before, it));
                let shapes = |it| shapes(before, it);
                let bytes = extra.bytes(module, &formats, shapes, |it| samplers(before, it));
                let size = bytes.len() as u32;
                param.extend(descriptor(self.global.add(bytes), 0, size, 1));
                continue;
            }
            let storage = module.storage(*slot).index();
            // In a heap, a texture is not a buffer.
            let is_texture = matches!(module.resource(*slot).kind, ResourceKind::Texture { .. });
            let descriptor = |element: usize| {
                if before.bindings[storage][element].what.texture().is_some() && !is_texture {
                    return descriptor(0, 0, 0, 1);
                }
                let [bytes, counter] = self.places[storage][element];
                let size = before.bindings[storage][element].bytes.len() as u32;
                descriptor(bytes, counter, size, 1)
            };
            let count = before.bindings[storage].len();
            if module.resource(*slot).count == Some(1) {
                param.extend(if count > 0 { descriptor(0) } else { self::descriptor(0, 0, 0, 0) });
                continue;
            }
            let table: Vec<u8> = (0..count).flat_map(descriptor).collect();
            let table = self.global.add(table);
            param.extend(self::descriptor(table, 0, 0, count as u32));
        }
        param
    }

    fn read(&self, module: &Module, before: &Bindings) -> Bindings {
        let mut after = before.clone();
        for (index, elements) in after.bindings.iter_mut().enumerate() {
            // A view of a heap has no separate memory.
            if index >= module.resources.len() {
                continue;
            }
            for (element, [bytes, counter]) in elements.iter_mut().zip(&self.places[index]) {
                let length = element.bytes.len();
                element.bytes.copy_from_slice(&self.global.bytes(*bytes)[..length]);
                if let Some(it) = element.what.counter_mut() {
                    let counter = self.global.bytes(*counter).try_into();
                    *it = u32::from_le_bytes(counter.unwrap_or_default());
                }
            }
        }
        after
    }
}

fn descriptor(bytes: u64, counter: u64, size: u32, count: u32) -> Vec<u8> {
    let longs = [bytes, counter].into_iter().flat_map(u64::to_le_bytes);
    longs.chain([size, count].into_iter().flat_map(u32::to_le_bytes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a body with a parameter that holds a buffer of 64 words, and returns the words.
    fn run(body: &str, seed: u64) -> Result<Vec<u32>, String> {
        let text = format!(
            ".visible .entry main(\n.param .align 8 .b8 bindings[8]\n)\n.reqntid 32, 1, 1\n{{\n\
             .shared .align 16 .b8 groupshared[128];\n\
             .reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<4>;\n\
             ld.param.b64 %d0, [bindings+0];\nmov.u32 %r0, %laneid;\n\
             mad.wide.u32 %d1, %r0, 4, %d0;\nmad.wide.u32 %d2, %r0, 4, 0;\n{body}\nret;\n}}\n"
        );
        let kernel = parse(&text)?;
        let mut global = Global::default();
        let buffer = global.add(vec![0; 256]);
        let param = buffer.to_le_bytes();
        Machine::new(&kernel, &mut global, &param, seed).with_limit(1_000_000).run([1, 1, 1])?;
        let words = global.bytes(buffer).chunks_exact(4);
        Ok(words.map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect())
    }

    #[test]
    fn threads_that_are_not_there_are_noticed() {
        let fails = |body: &str, why: &str| {
            let ended = run(body, 1);
            assert!(ended.as_ref().is_err_and(|it| it.contains(why)), "{body}: {ended:?}");
        };
        let branch = "setp.lt.u32 %p0, %r0, 5;\n@%p0 bra $out;\n";
        fails(
            &format!("{branch}vote.sync.any.pred %p1, %p0, -1;\n$out:"),
            "not all 32 threads are there",
        );
        fails(&format!("{branch}bar.sync 0;\n$out:"), "not all 32 threads are there");
        fails("setp.lt.u32 %p0, %r0, 5;\nvote.sync.any.pred %p1, %p0, 31;", "the mask is not -1");
        fails("setp.lt.u32 %p0, %r0, 5;\n@%p0 exit;", "only some threads of a warp end");
        fails("ld.global.b32 %r1, [%d1+132];", "are in no buffer");
        fails("ld.global.b32 %r1, [%d1+2];", "4 bytes at address");
        fails("ld.global.b64 %r1, [%d0];", "the register is too small");
        fails("add.s32 %r1, %r2, %d0;", "an operand has 64 bits");
        fails("add.s32 %r9, %r2, %r1;", "is not declared");
        fails("prmt.b32 %r1, %r2, %r3, 0;", "unknown instruction");
        fails("$back:\nbra $back;", "does not end");
    }

    #[test]
    fn a_missing_synchronisation_shows_in_some_order_of_threads() {
        let exchange = |sync: &str| {
            format!(
                "st.shared.b32 [%d2], %r0;\n{sync}\nxor.b32 %r1, %r0, 1;\n\
                 mad.wide.u32 %d3, %r1, 4, 0;\nld.shared.b32 %r2, [%d3];\n\
                 st.global.b32 [%d1], %r2;"
            )
        };
        let right = |seed: u64, sync: &str| {
            let words = run(&exchange(sync), seed).unwrap();
            (0..32).all(|lane| words[lane] == lane as u32 ^ 1)
        };
        assert!((0..8).all(|seed| right(seed, "bar.warp.sync -1;")));
        assert!((0..8).any(|seed| !right(seed, "")));
    }

    #[test]
    fn the_rules_of_the_text_are_enforced() {
        assert_eq!(check_text("\tvote.sync.any.pred %p1, %p0, -1;\n\tbar.sync 0;"), Ok(()));
        for line in [
            "activemask.b32 %r1;",
            "rcp.approx.f32 %r1, %r2;",
            "add.rn.ftz.f32 %r1, %r2, %r3;",
            "shfl.sync.idx.b32 %r1, %r2, %r3, 31, %r4;",
            "@%p0 redux.sync.add.u32 %r1, %r2, -1;",
        ] {
            assert!(check_text(line).is_err(), "{line}");
        }
    }

    #[test]
    fn operations_that_ptx_leaves_to_the_program_follow_ptx() {
        // Shifts clamp their counts, a NaN has different bits, and of two zeros the negative one is the smaller.
        let body = "mov.b32 %r1, -8;\nshl.b32 %r2, %r1, 32;\nshr.s32 %r3, %r1, 40;\n\
                    mov.b32 %r4, 0f7F800000;\nsub.rn.f32 %r4, %r4, %r4;\n\
                    min.f32 %r5, 0f00000000, 0f80000000;\ncvt.rzi.s32.f32 %r6, %r4;\n\
                    st.global.b32 [%d0], %r2;\nst.global.b32 [%d0+4], %r3;\n\
                    st.global.b32 [%d0+8], %r4;\nst.global.b32 [%d0+12], %r5;\n\
                    st.global.b32 [%d0+16], %r6;";
        assert_eq!(run(body, 1).unwrap()[..5], [0, u32::MAX, 0x7fff_ffff, 0x8000_0000, 0]);
        let unrounded = run("add.f32 %r1, %r1, %r1;", 1);
        assert!(unrounded.is_err_and(|it| it.contains("without its rounding")));
    }
}
