//! The vertex shader of `--draw`, made for the inputs of a pixel shader.

use std::fmt::Write;

use wavelane::internal::{StageElement, signature};
use wavelane::{Compilation, HostScalar, NoIncludes, Options, Shader, SourceMap, Stage};

use super::mesh::Mesh;
use crate::problem::Problem;

/// Semantics with what a full-screen triangle, and what a mesh has for them, as a `float4`.
const VALUES: [(&str, &str, &str); 5] = [
    ("TEXCOORD", "float4(uv, 0, 1)", "float4(uv, 0, 1)"),
    ("UV", "float4(uv, 0, 1)", "float4(uv, 0, 1)"),
    ("POSITION", "position", "float4(at, 1)"),
    ("NORMAL", "float4(0, 0, 1, 0)", "float4(normal, 0)"),
    ("COLOR", "float4(uv, 0, 1)", "float4(normal * 0.5 + 0.5, 1)"),
];

/// What `--auto` makes up for any other semantic.
const MADE_UP: (&str, &str) = ("float4(uv, 0, 1)", "float4(uv, at.x, 1)");

/// A vertex shader that writes what the pixel shader reads, with its text and how it is compiled; `is_auto` makes up what
/// it has no value for.
pub(super) fn made(
    pixel: (&Shader, &SourceMap),
    mesh: Option<&Mesh>,
    options: &Options,
    is_auto: bool,
) -> Result<(Shader, String, Options), Problem> {
    let text = text(pixel, mesh, is_auto)?;
    let options = Options {
        stage: Stage::Vertex,
        entry: "main".to_owned(),
        shader_model: options.shader_model,
        enable_16bit: options.enable_16bit,
        ..Options::default()
    };
    let compiled = Shader::compile("<vertex shader of --draw>", &text, &options, &mut NoIncludes)
        .map_err(|bug| Problem::bug(&bug.message))?;
    match compiled {
        Compilation { shader: Some(shader), .. } => Ok((shader, text, options)),
        _ => Err(Problem::bug(&format!("the vertex shader of `--draw` is wrong:\n{text}"))),
    }
}

fn text(
    (pixel, sources): (&Shader, &SourceMap),
    mesh: Option<&Mesh>,
    is_auto: bool,
) -> Result<String, Problem> {
    let inputs = signature(pixel).map_or(&[][..], |it| &it.inputs);
    let mut text = "struct Out {\n    float4 position : SV_Position;\n".to_owned();
    let mut body = String::new();
    for (index, element) in inputs.iter().filter(|it| it.system.is_none()).enumerate() {
        let name = element.semantic.to_ascii_uppercase();
        let known = VALUES.iter().find(|it| it.0 == name).map(|it| (it.1, it.2));
        let Some((fullscreen, of_mesh)) = known.or(is_auto.then_some(MADE_UP)) else {
            let what = format!("`{}` reads `{}`", pixel.entry(), element.semantic);
            let known: Vec<&str> = VALUES.iter().map(|it| it.0).collect();
            let problem = Problem::input(format!("{what}, which `--draw` has no value for"));
            let problem = problem.at(element.span, "declared here", sources);
            return Err(problem.help(format!(
                "there are {}; or name a vertex shader with `--vertex`, or make it up with `--auto`",
                known.join(", ")
            )));
        };
        let value = if mesh.is_some() { of_mesh } else { fullscreen };
        let ty = type_of(element);
        let lanes = &"xyzw"[..usize::from(element.components)];
        let _ = writeln!(text, "    {ty} e{index} : {}{};", element.semantic, element.index);
        let _ = writeln!(
            body,
            "    o.e{index} = ({})({value}).{lanes};",
            ty.trim_start_matches("nointerpolation ")
        );
    }
    text.push_str("};\n");
    match mesh {
        None => text.push_str(
            "Out main(uint id : SV_VertexID) {\n    \
             float2 uv = float2(id == 1 ? 2 : 0, id == 2 ? 2 : 0);\n    \
             float4 position = float4(uv * float2(2, -2) + float2(-1, 1), 0, 1);\n",
        ),
        Some(mesh) => {
            let (scale, offset) = mesh.fit();
            let vector = |it: [f32; 3]| format!("float3({:?}, {:?}, {:?})", it[0], it[1], it[2]);
            let _ = writeln!(
                text,
                "Out main(float3 at : POSITION, float2 uv : TEXCOORD, float3 normal : NORMAL) {{\n    \
                 float4 position = float4(at * {} + {}, 1);",
                vector(scale),
                vector(offset)
            );
        }
    }
    text.push_str("    Out o;\n    o.position = position;\n");
    text.push_str(&body);
    text.push_str("    return o;\n}\n");
    Ok(text)
}

fn type_of(element: &StageElement) -> String {
    let (flat, scalar) = match element.scalar {
        HostScalar::F16 => ("", "half"),
        HostScalar::F32 => ("", "float"),
        HostScalar::F64 => ("nointerpolation ", "double"),
        HostScalar::Bool => ("nointerpolation ", "bool"),
        HostScalar::I16 => ("nointerpolation ", "int16_t"),
        HostScalar::U16 => ("nointerpolation ", "uint16_t"),
        HostScalar::I32 => ("nointerpolation ", "int"),
        HostScalar::U32 => ("nointerpolation ", "uint"),
        HostScalar::I64 => ("nointerpolation ", "int64_t"),
        HostScalar::U64 => ("nointerpolation ", "uint64_t"),
    };
    match element.components {
        1 => format!("{flat}{scalar}"),
        more => format!("{flat}{scalar}{more}"),
    }
}
