//! Generated mesh and amplification shaders: what their groups leave in records and in memory, on the reference engine
//! and the fast one, compared with the second evaluator. There nothing is drawn. A draw on a device shows what they
//! leave in memory.

use std::sync::Arc;

use cpu::{Isa, Stopped};
use generate::second::{self, Left, Started};
use generate::{Array, Groups, Meshlets, Program};
use interp::NoObserver;
use ir::Module;
use ir::exec::{Bindings, Buffer};
use ir::group::{GroupIo, HEADER_BYTES, MeshIo, PAYLOAD_AT};
use ir::stage::with_slots;

use wavelane::graphics::GraphicsDesc;
use wavelane::texture::{Format, Shape};
use wavelane::{
    Device, Draw, NoIncludes, RenderTarget, ResourceTable, Shader, ShaderModel, Stage, StageTables,
    Texture,
};

use crate::{engines, pixels};

/// Runs the shaders of a program; each receives what the second evaluator says. The result is what the groups of the
/// mesh shader left; the error says what differs.
pub fn compare(program: &Meshlets, width: u32, sets: &[Isa]) -> Result<Vec<Left>, String> {
    let mut started = second::started(program);
    if let Some(amplification) = &program.amplification {
        let left = one_shader(amplification, width, &started, sets)
            .map_err(|what| format!("the amplification shader: {what}"))?;
        started = second::all_children(&left);
    }
    one_shader(&program.mesh, width, &started, sets)
        .map_err(|what| format!("the mesh shader: {what}"))
}

/// Draws with the shaders of a program on a device; each leaves in memory what the second evaluator says. `None` if the
/// device does not run them with waves of that width.
pub fn drawn(program: &Meshlets, width: u32, device: &Device) -> Result<Option<()>, String> {
    let [columns, rows] = program.grid;
    let mut logs = second::meshlets(program, width).0.into_iter();
    let mut next = || logs.next().unwrap_or_default();
    let amplification = match &program.amplification {
        Some(program) => Some(Logged::new(program, Stage::Amplification, next())?),
        None => None,
    };
    let mesh = Logged::new(&program.mesh, Stage::Mesh, next())?;
    let pixel = compiled("float4 main() : SV_Target { return 0; }", Stage::Pixel)?;
    let format = Format::parse("RGBA8_UNORM").ok_or("no format")?;
    let mut desc = GraphicsDesc::new(&mesh.shader, Some(&pixel));
    desc.amplification = amplification.as_ref().map(|it| it.shader.clone());
    desc.targets = vec![Some(format)];
    let pipeline = match device.create_graphics_pipeline(&desc) {
        Ok(pipeline) if pipeline.wave_sizes().contains(&width) => pipeline,
        Ok(_) => return Ok(None),
        Err(error) if error.is_unsupported() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let target = Texture::new(Shape::new(format, 1, 1, 1)).map_err(|it| it.to_string())?;
    let mut draw = Draw::mesh([columns, rows, 1]);
    draw.wave_size = Some(width);
    draw.targets = vec![Some(RenderTarget::from(&target))];
    let nothing = ResourceTable::new(&pixel);
    let tables = StageTables {
        amplification: amplification.as_ref().map(|it| &it.table),
        ..StageTables::new(&mesh.table, Some(&nothing))
    };
    match pipeline.draw_stages(&draw, &tables) {
        Ok(()) => {}
        Err(error) if error.is_unsupported() => return Ok(None),
        Err(error) => return Err(error.to_string()),
    }
    for it in amplification.iter().chain([&mesh]) {
        it.judge(width)?;
    }
    Ok(Some(()))
}

/// A shader with its log, and what that must hold.
struct Logged {
    text: String,
    shader: Shader,
    table: ResourceTable,
    log: wavelane::Buffer,
    wanted: Vec<u32>,
}

impl Logged {
    fn new(program: &Program, stage: Stage, wanted: Vec<u32>) -> Result<Logged, String> {
        let text = generate::print(program);
        let shader = compiled(&text, stage)?;
        let mut table = ResourceTable::new(&shader);
        let log = wavelane::Buffer::from_slice(&vec![0u32; wanted.len()]);
        table.bind("Log", &log).map_err(|it| it.to_string())?;
        Ok(Logged { text, shader, table, log, wanted })
    }

    fn judge(&self, width: u32) -> Result<(), String> {
        let got = self.log.read::<u32>().map_err(|it| it.to_string())?;
        let differs = got.iter().zip(&self.wanted).position(|(got, wanted)| got != wanted);
        match differs {
            None => Ok(()),
            Some(at) => Err(format!(
                "width {width}: `Log[{at}]` is {}, not {}\n{}",
                got[at], self.wanted[at], self.text
            )),
        }
    }
}

/// Compiles a generated shader.
pub(crate) fn compiled(text: &str, stage: Stage) -> Result<Shader, String> {
    let options = wavelane::Options {
        stage,
        shader_model: ShaderModel { major: 6, minor: 10 },
        enable_16bit: true,
        dialect: wavelane::Dialect::Slang,
        ..wavelane::Options::default()
    };
    let compiled = Shader::compile("generated.hlsl", text, &options, &mut NoIncludes);
    compiled.map_err(|it| it.to_string())?.shader().map_err(|it| it.to_string())
}

/// Runs groups of a shader; returns what they left.
fn one_shader(
    program: &Program,
    width: u32,
    started: &[Started],
    sets: &[Isa],
) -> Result<Vec<Left>, String> {
    let (log, wanted) = second::groups(program, width, started);
    if started.is_empty() {
        return Ok(wanted);
    }
    let text = generate::print(program);
    let fail = |what: String| Err(format!("width {width}: {what}\n{text}"));
    let Some(groups) = program.groups() else { return fail("it has no groups".to_owned()) };
    let profile = if groups.mesh.is_some() { "ms_6_10" } else { "as_6_10" };
    let module = match pixels::compile_generated(&text, profile) {
        Ok(module) => module,
        Err(what) => return fail(what),
    };
    let Some(io) = module.group.clone() else { return fail("it leaves no records".to_owned()) };
    let before = memory(&module, &io, log.len(), started);
    let launch = engines::launch([started.len() as u32, 1, 1], width);
    let judge = |memory: &Bindings| {
        let bytes = |at: usize| &memory.bindings[at][0].bytes;
        let [log_at, records_at] = [0, module.resources.len() - 1];
        if words(bytes(log_at)) != log {
            return Err("the logs differ".to_owned());
        }
        let records = bytes(records_at).chunks_exact(io.record_bytes() as usize);
        for (number, (record, wanted)) in records.zip(&wanted).enumerate() {
            let got = left(&words(record), &io, groups);
            if got != *wanted {
                return Err(format!("group {number} left\n{got:?}, not\n{wanted:?}"));
            }
        }
        Ok(())
    };
    let mut after = before.clone();
    if let Err(failure) = interp::run(&module, &launch, &mut after, &mut NoObserver) {
        return fail(format!("{failure:?}"));
    }
    if let Err(what) = judge(&after) {
        return fail(what);
    }
    let module = Arc::new(module.clone());
    for isa in sets {
        let mut after = before.clone();
        let compiled = cpu::compile(&module, *isa, width).map_err(Stopped::Fallback);
        let ran = compiled
            .and_then(|it| it.run(&launch, &mut after, 1))
            .map_err(|failure| format!("{failure:?}"));
        if let Err(what) = ran.and_then(|()| judge(&after)) {
            return fail(format!("`cpu` for {}: {what}", isa.name()));
        }
    }
    Ok(wanted)
}

/// The memory of a launch: the log, and the buffers of the groups as the last ones.
fn memory(module: &Module, io: &GroupIo, log: usize, started: &[Started]) -> Bindings {
    let mut headers = Vec::new();
    let mut payloads = Vec::new();
    let first = started.len() * HEADER_BYTES as usize;
    for it in started {
        let [x, y] = it.place;
        headers.extend([x, y, 0, (first + 4 * payloads.len()) as u32]);
        if !it.payload.is_empty() {
            payloads.push(it.parent);
            payloads.extend(&it.payload);
        }
    }
    headers.extend(payloads);
    let headers: Vec<u8> = headers.into_iter().flat_map(u32::to_le_bytes).collect();
    let last = module.resources.len() - 1;
    let bytes = |at: usize| match at {
        0 => vec![0; 4 * log],
        _ if at == last => vec![0; started.len() * io.record_bytes() as usize],
        _ => headers.clone(),
    };
    let buffer = |at: usize| vec![Buffer { bytes: bytes(at).into(), ..Buffer::default() }];
    Bindings { bindings: (0..=last).map(buffer).collect() }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()
}

/// What a record says.
fn left(record: &[u32], io: &GroupIo, groups: &Groups) -> Left {
    let at = |start: u32, step: u32, count: u32| {
        (0..count).map(|it| record[(start + it * step) as usize]).collect::<Vec<u32>>()
    };
    let Some(mesh) = &io.mesh else {
        // The parent's number comes before the words.
        let words = at(PAYLOAD_AT / 4 + 1, 1, groups.payload);
        return Left { counts: [record[0], record[1]], fields: vec![vec![words]] };
    };
    let fields = groups.fields.iter().enumerate().map(|(index, field)| {
        let length = groups.len(field.array);
        let semantic = |it: &&ir::stage::Element| match index {
            0 => it.semantic.eq_ignore_ascii_case("SV_Position"),
            _ if field.ty == generate::Ty::BOOL => {
                it.semantic.eq_ignore_ascii_case("SV_CullPrimitive")
            }
            _ => it.semantic == "A" && it.index == index as u32,
        };
        let elements = match field.array {
            Array::Vertices => &mesh.vertices,
            Array::Primitives | Array::Indices | Array::Payload => &mesh.primitives,
        };
        let first = with_slots(elements).find(|it| semantic(&it.1)).map_or(0, |it| it.0.0);
        (0..field.ty.n as u32)
            .map(|component| match field.array {
                Array::Vertices => at(mesh.vertex_slot(first + component), 1, length),
                Array::Primitives => at(mesh.primitive_slot(first + component), 1, length),
                Array::Indices | Array::Payload => {
                    at(MeshIo::INDICES + component, u32::from(mesh.corners), length)
                }
            })
            .collect()
    });
    Left { counts: [record[0], record[1]], fields: fields.collect() }
}
